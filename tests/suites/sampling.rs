//! The sampler's arithmetic: texel choice, filters, level of detail. The groups of `sampling.json`.

use super::Case;
use super::formats::{Outcome, dword, list, number, same, unread};
use serde_json::Value;
use std::sync::Arc;
use visim::internals::isa::ChannelMask;
use visim::internals::message::{ReturnFormat, SamplerOp, SamplerRequest};
use visim::internals::sampler::Lanes;
use visim::internals::sampler::sample::{key, lod, sample, shadow};
use visim::internals::sampler::settings::{
    Address, Border, Filter, MipFilter, SamplerState, Shadow,
};
use visim::internals::surface::{
    Description, Format, Generation, Memory, Sampled, Surface, TexelPosition,
};

/// How a row of a group is checked.
type Check = fn(&Value) -> Outcome;

/// Each group of the file.
const GROUPS: &[(&str, Check)] = &[
    ("address_nearest", nearest),
    ("cube_nearest", cube_nearest),
    ("gather4", gather4),
    ("linear_2d", linear),
    ("cube_linear", cube_linear),
    ("lod_from_gradients", from_gradients),
    ("lod_select", select),
    ("aniso", anisotropy),
    ("mono", mono),
    ("shadow", compare),
    ("chroma_expand", expand),
];

/// A case for each row of each group; a group that is one object is one row.
pub fn cases(file: &Value, cases: &mut Vec<Case>) {
    for &(group, check) in GROUPS {
        let Some(part) = file.get(group) else {
            continue;
        };
        let rows = match part.is_object() {
            true => std::slice::from_ref(part),
            false => list(part),
        };
        for (number, row) in rows.iter().enumerate() {
            let (title, row) = (format!("sampling/{group}/{number}"), row.clone());
            cases.push(Case::new(&title, move || check(&row)));
        }
    }
    let read: Vec<&str> = GROUPS.iter().map(|g| g.0).collect();
    unread("sampling", file, &read, cases);
}

fn float(value: &Value) -> Result<f64, String> {
    value
        .as_f64()
        .ok_or_else(|| format!("{value} is not a number"))
}

fn fixed(value: &Value) -> Result<i32, String> {
    let number = value.as_i64().and_then(|n| i32::try_from(n).ok());
    number.ok_or_else(|| format!("{value} is not a level"))
}

fn flag(value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("{value} is neither true nor false"))
}

fn dwords<const N: usize>(value: &Value, from: usize) -> Result<[u32; N], String> {
    let mut all = [0; N];
    for (i, one) in all.iter_mut().enumerate() {
        *one = dword(&value[from + i])?;
    }
    Ok(all)
}

fn numbers<const N: usize>(value: &Value, from: usize) -> Result<[u32; N], String> {
    let mut all = [0; N];
    for (i, one) in all.iter_mut().enumerate() {
        *one = number(&value[from + i])?;
    }
    Ok(all)
}

fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| format!("there is no format {name}"))
}

fn mode(value: &Value) -> Result<Address, String> {
    Ok(match value.as_str().unwrap_or_default() {
        "WRAP" => Address::Wrap,
        "MIRROR" => Address::Mirror,
        "CLAMP" => Address::Clamp,
        "CUBE" => Address::Cube,
        "CLAMP_BORDER" => Address::Border,
        "MIRROR_ONCE" => Address::MirrorOnce,
        "HALF_BORDER" => Address::HalfBorder,
        _ => return Err(format!("{value} is not an address mode")),
    })
}

/// What one lane gets from a message with these parameters.
fn one(
    surface: &Surface,
    state: &SamplerState,
    op: SamplerOp,
    params: &[u32],
) -> Result<[u32; 4], String> {
    let lanes: Vec<Lanes> = params.iter().map(|&p| [p; 32]).collect();
    let request = SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: match op.is_gather() {
            true => ChannelMask(1),
            false => ChannelMask::RGBA,
        },
        lanes: 8,
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: lanes.len() as u32,
    };
    let mut out = [[0; 32]; 4];
    sample(surface, state, &request, &lanes, 1, &mut out).map_err(|e| e.to_string())?;
    Ok(out.map(|channel| channel[0]))
}

fn filtered(filter: Filter) -> SamplerState {
    SamplerState::default().filtered(filter, filter)
}

/// A surface whose memory is the given words.
fn words(description: Description, words: &[u32]) -> Result<Surface, String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    Surface::new(description, Arc::new(Memory::from_bytes(&bytes))).map_err(|e| e.to_string())
}

fn nearest(row: &Value) -> Outcome {
    let width = number(&row["width"])?;
    let texels: Vec<u32> = (0..width).collect();
    let surface = words(Description::d2(format("R32_UINT")?, width, 1), &texels)?;
    let state = SamplerState {
        address: [mode(&row["mode"])?; 3],
        border: Border::Channels([u32::MAX; 4]),
        ..filtered(Filter::Nearest)
    };
    for pair in list(&row["samples"]) {
        let u = dword(&pair[0])?;
        let got = one(&surface, &state, SamplerOp::SampleLz, &[u])?;
        // The border is all ones here: −1.
        same(&pair.to_string(), got[0].cast_signed(), fixed(&pair[1])?)?;
    }
    Ok(())
}

/// Six faces of 8×8; texel number 64·face + 8·j + i holds these words.
fn cube(name: &str, generation: Generation, texel: fn(u32) -> Vec<u32>) -> Result<Surface, String> {
    let description = Description {
        generation,
        sampled: Sampled::default(),
        ..Description::cube(format(name)?, 8)
    };
    let surface = Surface::zeroed(description).map_err(|e| e.to_string())?;
    for n in 0..6 * 64 {
        let place = surface.place(TexelPosition {
            level: 0,
            slice: n / 64,
            x: n % 8,
            y: n / 8 % 8,
            sample: 0,
        });
        let bytes: Vec<u8> = texel(n).into_iter().flat_map(u32::to_le_bytes).collect();
        surface.write_cell(place, &bytes);
    }
    Ok(surface)
}

fn cube_nearest(row: &Value) -> Outcome {
    let surface = cube("R32_UINT", Generation::Gen9, |n| vec![n])?;
    let state = filtered(Filter::Nearest);
    let [face, i, j] = numbers(row, 3)?;
    let at: [u32; 3] = dwords(row, 0)?;
    let got = one(&surface, &state, SamplerOp::SampleLz, &at)?;
    same("texel", got[0], 64 * face + 8 * j + i)
}

fn gather4(row: &Value) -> Outcome {
    let texels: Vec<u32> = (0..16).collect();
    let surface = words(Description::d2(format("R32_UINT")?, 4, 4), &texels)?;
    let state = SamplerState {
        address: [Address::Wrap, Address::Clamp, Address::Clamp],
        ..filtered(Filter::Linear)
    };
    let at: [u32; 2] = dwords(row, 0)?;
    let got = one(&surface, &state, SamplerOp::Gather4, &at)?;
    same("texels", got, numbers(row, 2)?)
}

fn linear(case: &Value) -> Outcome {
    let (width, height) = (number(&case["width"])?, number(&case["height"])?);
    let name = case["format"].as_str().unwrap_or_default();
    let texels: Result<Vec<u32>, String> = list(&case["texels"]).iter().map(dword).collect();
    let surface = words(Description::d2(format(name)?, width, height), &texels?)?;
    for run in list(&case["runs"]) {
        let mut border = [0; 4];
        for (bits, value) in border.iter_mut().zip(list(&run["border"])) {
            *bits = (float(value)? as f32).to_bits();
        }
        let state = SamplerState {
            address: [mode(&run["mode_x"])?, mode(&run["mode_y"])?, Address::Clamp],
            border: Border::Channels(border),
            ..filtered(Filter::Linear)
        };
        for row in list(&run["samples"]) {
            let at: [u32; 2] = dwords(row, 0)?;
            let got = one(&surface, &state, SamplerOp::SampleLz, &at)?;
            let what = format!("{} {} {row}", run["mode_x"], run["mode_y"]);
            same(&what, got, dwords(row, 2)?)?;
        }
    }
    Ok(())
}

fn cube_linear(row: &Value) -> Outcome {
    let texel = |n: u32| {
        let r = (37 * n % 384) as f32 / 384.0;
        let (g, b) = ((n / 64) as f32 / 8.0, (101 * n % 384) as f32 / 384.0);
        [r, g, b, 1.0].map(f32::to_bits).to_vec()
    };
    let state = SamplerState {
        address: [Address::Cube; 3],
        ..filtered(Filter::Linear)
    };
    let at: [u32; 3] = dwords(&row["dir"], 0)?;
    // Gen9 averages at corners; Ironlake replicates unless its state says otherwise.
    for (generation, corner) in [
        (Generation::Gen9, "average"),
        (Generation::Gen5, "replicate"),
    ] {
        let surface = cube("R32G32B32A32_FLOAT", generation, texel)?;
        let got = one(&surface, &state, SamplerOp::SampleLz, &at)?;
        let wanted = match row["rgb"].is_null() {
            true => &row[corner],
            false => &row["rgb"],
        };
        same(corner, [got[0], got[1], got[2]], dwords(wanted, 0)?)?;
    }
    Ok(())
}

fn from_gradients(row: &Value) -> Outcome {
    let scaled = |key: &str| -> Result<[f64; 3], String> {
        let mut d = [0.0; 3];
        for (axis, change) in list(&row[key]).iter().enumerate().take(3) {
            d[axis] = f64::from(f32::from_bits(dword(change)?)) * float(&row["size"][axis])?;
        }
        Ok(d)
    };
    let got = lod::from_gradients(scaled("ddx")?, scaled("ddy")?);
    same("lod", got, fixed(&row["lod_256ths"])?)
}

fn select(row: &Value) -> Outcome {
    let s = &row["state"];
    let state = SamplerState {
        preclamp: flag(&s["preclamp"])?,
        min_lod: fixed(&s["min_lod"])?,
        max_lod: fixed(&s["max_lod"])?,
        base_level: fixed(&s["base_mip"])?,
        mip: match s["mip_filter"].as_str() {
            Some("NONE") => MipFilter::None,
            Some("NEAREST") => MipFilter::Nearest,
            Some("LINEAR") => MipFilter::Linear,
            _ => return Err(format!("{} is not a mip filter", s["mip_filter"])),
        },
        ..SamplerState::default()
    };
    let levels = lod::Levels {
        min_lod: number(&s["surf_min_lod"])?,
        more: number(&s["mip_count_field"])?,
        ..lod::Levels::default()
    };
    let got = lod::select(
        fixed(&row["lod"])? + fixed(&s["lod_bias"])?,
        &state,
        &levels,
    );
    let wanted = &row["result"];
    same("mag", got.mag, flag(&wanted["mag"])?)?;
    same("level", got.level, number(&wanted["level0"])?)?;
    if wanted["level1"].is_null() {
        return same("weight of a second level", got.beta, 0);
    }
    same("next level", got.next, number(&wanted["level1"])?)?;
    same("weight", got.beta, number(&wanted["beta"])?)
}

fn anisotropy(row: &Value) -> Outcome {
    let d = |key: &str| Ok::<_, String>([float(&row[key][0])?, float(&row[key][1])?, 0.0]);
    let most = number(&row["max_ratio"])?;
    let got = lod::Anisotropy::new(d("ddx_texels")?, d("ddy_texels")?, most);
    same("taps", got.taps, number(&row["ways"])?)?;
    same("lod", got.lod, fixed(&row["lod"])?)?;
    // The file gives six decimal places.
    let near = |what: &str, found: f64, wanted: &Value| match (found - float(wanted)?).abs() < 1e-6
    {
        true => Ok(()),
        false => Err(format!("{what}: {found}, not {wanted}")),
    };
    near("ratio", got.ratio, &row["ratio"])?;
    for (i, tap) in list(&row["taps"]).iter().enumerate() {
        let ([x, y], weight) = got.tap(i as u32);
        near("x", x, &tap[0])?;
        near("y", y, &tap[1])?;
        near("weight", weight, &tap[2])?;
    }
    Ok(())
}

fn mono(row: &Value) -> Outcome {
    let (width, height) = (number(&row["width"])?, number(&row["height"])?);
    let description = Description::d2(format("MONO8")?, width, height);
    let surface = Surface::zeroed(description).map_err(|e| e.to_string())?;
    for (y, text) in list(&row["rows"]).iter().enumerate() {
        let place = surface.place(TexelPosition {
            level: 0,
            slice: 0,
            x: 0,
            y: y as u32,
            sample: 0,
        });
        let at = surface.address(place.x, place.y);
        surface.memory().write(at, &dword(text)?.to_be_bytes());
    }
    let state = SamplerState {
        address: [Address::Border; 3],
        mono: (number(&row["n_u"])?, number(&row["n_v"])?),
        ..filtered(Filter::Mono)
    };
    let at = |key: &str, size: u32| {
        let texels = float(&row[key])?;
        Ok::<_, String>(((texels / f64::from(size)) as f32).to_bits())
    };
    let params = [0, at("u_texels", width)?, at("v_texels", height)?];
    let got = one(&surface, &state, SamplerOp::SampleL, &params)?;
    same("F", got, [dword(&row["f32"])?; 4])
}

fn compare(row: &Value) -> Outcome {
    let function = Shadow::from_code(number(&row["function"])?);
    let function = function.ok_or("there is no such function")?;
    let value = |key: &str| dword(&row[key]).map(f32::from_bits);
    let got = shadow::lit(function, value("texel")?, value("ref")?);
    same("result", got, number(&row["result"])? as f32)
}

fn expand(row: &Value) -> Outcome {
    let got = key::expand(number(&row["value"])?, number(&row["bits"])?);
    same("bits", got, number(&row["expanded"])?)
}
