//! The surface model: decoding, encoding, blocks, addresses, image positions, packed state, sampling.
//!
//! A case for each format, surface, table, structure or block that a file lists. A file or a part of one
//! that nothing here reads is a failed case.

use super::{Case, NOT_MODELLED, files, read, sampling};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use visim::internals::sampler::state as sampler;
use visim::internals::surface::format::Returns;
use visim::internals::surface::texel::{Decoder, encode, encode_pair};
use visim::internals::surface::{
    BytePosition, Description, Format, Generation, Kind, MipLayout, Planes, SampleStorage, Surface,
    TexelPosition, Tiled, Tiling, layout, state,
};

/// What a case says when it is wrong.
pub type Outcome = Result<(), String>;

/// `formats`: the files that surface reference 7 lists.
pub fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in files(folder, "json") {
        let parsed = read(&path).and_then(|t| serde_json::from_str(&t).map_err(|e| e.to_string()));
        match parsed {
            Ok(file) => of_file(folder, &name, &file, &mut cases),
            Err(why) => cases.push(broken(&name, &why)),
        }
    }
    cases
}

fn broken(name: &str, why: &str) -> Case {
    let why = why.to_string();
    Case::new(name, move || Err(why.clone()))
}

fn of_file(folder: &Path, name: &str, file: &Value, cases: &mut Vec<Case>) {
    let palette = match palette(folder, name, file) {
        Ok(palette) => palette,
        Err(why) => return cases.push(broken(name, &why)),
    };
    // A list: a case for each entry, named by one of its keys.
    let mut each = |part: &str, key: &str, run: fn(&Value, &Arc<[u32; 256]>) -> Outcome| {
        for (number, row) in list(&file[part]).iter().enumerate() {
            let word = row.get(key).map_or_else(|| number.to_string(), spelling);
            let (row, palette) = (row.clone(), palette.clone());
            let title = match key {
                "format" | "id" => format!("{name}/{word}"),
                _ => format!("{name}/{part}/{number} {word}"),
            };
            cases.push(Case::new(&title, move || run(&row, &palette)));
        }
    };
    let read: &[&str] = match name {
        "decode_uncompressed" => {
            each("formats", "format", decodes);
            &["formats", "palette_argb"]
        }
        "encode_uncompressed" => {
            each("formats", "format", encodes);
            &["formats"]
        }
        "yuv_subbyte" => {
            each("formats", "format", pairs_and_bits);
            &["formats"]
        }
        "tiling" => {
            each("tables", "tiling", tiled);
            &["tables"]
        }
        "layouts" => {
            each("surfaces", "id", |row, _| laid_out(row, described(row)?));
            for row in list(&file["surfaces"]) {
                if let Some(words) = row.get("surface_state_dw") {
                    let (row, words) = (row.clone(), words.clone());
                    let title = format!("{name}/{} state", spelling(&row["id"]));
                    let run = move || from_state(list(&words), described(&row)?);
                    cases.push(Case::new(&title, run));
                }
            }
            &["surfaces"]
        }
        "layouts_miplayout_right" => {
            each("surfaces", "id", |row, _| to_the_right(row));
            &["surfaces"]
        }
        "multisample" => {
            each("interleaved", "samples", |row, _| interleaved(row));
            each("mcs", "samples", |row, _| control_word(row));
            &["interleaved", "mcs"]
        }
        "planar" => {
            each("surfaces", "id", |row, _| planes(row));
            &["surfaces"]
        }
        "state_encodings" => {
            each("structs", "struct", |row, _| packed(row));
            for (number, row) in list(&file["structs"]).iter().enumerate() {
                for key in unplaced(row) {
                    let title = format!("{name}/structs/{number} {key}");
                    let why =
                        format!("{NOT_MODELLED}surface reference 5.4 and 5.5 do not place it");
                    cases.push(Case::new(&title, move || Err(why.clone())));
                }
            }
            &["structs"]
        }
        "blocks" => {
            let formats = file["formats"].as_object().into_iter().flatten();
            for (format, rows) in formats {
                for (number, row) in list(rows).iter().enumerate() {
                    let (name, row) = (format.clone(), row.clone());
                    let title = format!("blocks/{format}/{number}");
                    cases.push(Case::new(&title, move || block(&name, &row)));
                }
            }
            &["formats"]
        }
        "sampling" => {
            sampling::cases(file, cases);
            return;
        }
        _ => return cases.push(broken(name, "no part of visim reads this file")),
    };
    unread(name, file, read, cases);
}

/// A failed case for each part of a file that was not looked at.
pub fn unread(name: &str, file: &Value, read: &[&str], cases: &mut Vec<Case>) {
    for key in file.as_object().into_iter().flatten().map(|(key, _)| key) {
        let about = ["schema", "notes", "source"].contains(&key.as_str());
        if !about && !read.contains(&key.as_str()) {
            let title = format!("{name}/{key}");
            cases.push(broken(&title, "no part of visim reads this part"));
        }
    }
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn spelling(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_string)
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is not text"))
}

pub fn number(value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| format!("{value} is not a number"))
}

fn numbers<const N: usize>(value: &Value) -> Result<[u32; N], String> {
    let all: Result<Vec<u32>, String> = list(value).iter().map(number).collect();
    let all = all?;
    <[u32; N]>::try_from(all).map_err(|_| format!("{value} has not {N} numbers"))
}

fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    let digits = text(value)?;
    let byte = |i| {
        digits
            .get(i..i + 2)
            .and_then(|d| u8::from_str_radix(d, 16).ok())
    };
    let all: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    all.ok_or_else(|| format!("{value} is not a row of bytes"))
}

pub fn dword(value: &Value) -> Result<u32, String> {
    let digits = text(value)?;
    u32::from_str_radix(digits, 16).map_err(|e| format!("{value}: {e}"))
}

fn cell(bytes: &[u8]) -> [u8; 32] {
    let mut cell = [0; 32];
    cell[..bytes.len()].copy_from_slice(bytes);
    cell
}

fn format(value: &Value) -> Result<Format, String> {
    Format::named(text(value)?).ok_or_else(|| format!("there is no format {value}"))
}

/// `found` is what `wanted` says.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Outcome {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("{what}: {found:x?}, not {wanted:x?}")),
    }
}

/// The palette of the vectors is in one of the files.
fn palette(folder: &Path, name: &str, file: &Value) -> Result<Arc<[u32; 256]>, String> {
    let decode = match name {
        "decode_uncompressed" => file.clone(),
        "yuv_subbyte" => {
            let path = folder.join("decode_uncompressed.json");
            serde_json::from_str(&read(&path)?).map_err(|e| e.to_string())?
        }
        _ => return Ok(Arc::new([0; 256])),
    };
    let entries: Result<Vec<u32>, String> =
        list(&decode["palette_argb"]).iter().map(dword).collect();
    let entries = <[u32; 256]>::try_from(entries?);
    entries
        .map(Arc::new)
        .map_err(|all| format!("a palette of {} entries", all.len()))
}

/// Decoded channels against the spelling of a file, where any NaN is `nan`.
fn channels(what: &str, format: Format, found: [u32; 4], wanted: &Value) -> Outcome {
    let one = |v: u32| match format.returns {
        Returns::AsFloat if f32::from_bits(v).is_nan() => "nan".to_string(),
        _ => format!("{v:08x}"),
    };
    let wanted: Vec<String> = list(wanted).iter().map(spelling).collect();
    same(what, found.map(one).to_vec(), wanted)
}

fn decodes(row: &Value, palette: &Arc<[u32; 256]>) -> Outcome {
    let format = format(&row["format"])?;
    same("encoding", u32::from(format.code), dword(&row["encoding"])?)?;
    let layout = text(&row["layout_lsb_first"])?;
    same("layout", Some(format.layout), layout.split(" (").next())?;
    same(
        "bits",
        u32::from(format.bits),
        number(&row["bits_per_element"])?,
    )?;
    let returns = match format.returns {
        Returns::AsFloat => "float",
        Returns::AsUint => "uint",
        Returns::AsSint => "sint",
        Returns::AsRaw => "raw",
    };
    same("return type", returns, text(&row["return_type"])?)?;
    let decoder = Decoder::new(format, Some(palette)).ok_or("no decoder")?;
    for texel in list(&row["texels"]) {
        let found = decoder.decode(&cell(&bytes(&texel["raw"])?), 0, 0);
        channels(&spelling(&texel["raw"]), format, found, &texel["rgba"])?;
    }
    Ok(())
}

fn encodes(row: &Value, _: &Arc<[u32; 256]>) -> Outcome {
    let format = format(&row["format"])?;
    same("encoding", u32::from(format.code), dword(&row["encoding"])?)?;
    for texel in list(&row["texels"]) {
        let source: Vec<String> = list(&texel["rgba"]).iter().map(spelling).collect();
        // Any NaN will do for the ones spelled so.
        let bits = |i: usize| u32::from_str_radix(&source[i], 16).unwrap_or(0x7fc0_0000);
        let rgba = std::array::from_fn(bits);
        let wanted = bytes(&texel["raw"])?;
        let found = match encode(format, rgba) {
            Some(found) => found,
            None if format.is_packed_422() => cell(&encode_pair(format, rgba, rgba)),
            None => return Err("cannot be encoded".to_string()),
        };
        let near_tie = texel.get("near_tie") == Some(&Value::Bool(true));
        if !(near_tie && within_one_code(format, &found, &cell(&wanted))) {
            same(&format!("{source:?}"), &found[..wanted.len()], &wanted[..])?;
        }
    }
    Ok(())
}

/// Whether every channel's code is at most one away: the tolerance that the vectors give values which lie
/// between two codes.
fn within_one_code(format: Format, a: &[u8; 32], b: &[u8; 32]) -> bool {
    let code = |bytes: &[u8; 32], shift: u16, bits: u8| {
        let bit = |i: u16| u64::from(bytes[usize::from(i / 8)] >> (i % 8) & 1);
        (0..u16::from(bits)).fold(0, |code, i| code | bit(shift + i) << i)
    };
    let near = |shift, bits| code(a, shift, bits).abs_diff(code(b, shift, bits)) <= 1;
    format.channels.iter().all(|c| near(c.shift, c.bits))
}

fn pairs_and_bits(row: &Value, palette: &Arc<[u32; 256]>) -> Outcome {
    let format = format(&row["format"])?;
    let decoder = Decoder::new(format, Some(palette)).ok_or("no decoder")?;
    for pair in list(&row["pairs"]) {
        let cell = cell(&bytes(&pair["raw"])?);
        for (x, name) in [(0, "texel0"), (1, "texel1")] {
            channels(name, format, decoder.decode(&cell, x, 0), &pair[name])?;
        }
    }
    for byte in list(&row["bytes"]) {
        let cell = cell(&bytes(&byte["raw"])?);
        for (x, texel) in list(&byte["texels"]).iter().enumerate() {
            let found = decoder.decode(&cell, x as u32, 0);
            channels(&format!("{} texel {x}", byte["raw"]), format, found, texel)?;
        }
    }
    Ok(())
}

fn block(name: &str, row: &Value) -> Outcome {
    let format = Format::named(name).ok_or("no such format")?;
    let decoder = Decoder::new(format, None).ok_or("no decoder")?;
    let across = format.cell().across;
    let cell = cell(&bytes(&row["block"])?);
    let texels = (0..across * 4).map(|t| decoder.decode(&cell, t % across, t / across));
    let codes = ["intel_rgba8", "rgba8"]
        .iter()
        .find_map(|key| row.get(*key));
    if let Some(codes) = codes {
        let code = |v: u32| (f32::from_bits(v) * 255.0 + 0.5) as u8;
        let found: Vec<u8> = texels.flat_map(|t| t.map(code)).collect();
        return same("codes", found, bytes(codes)?);
    }
    if let Some(wanted) = row.get("expected_f32") {
        let stored = format.channels.iter().filter(|c| c.bits > 0).count();
        let stored = if name.starts_with("BC4") {
            1
        } else {
            stored.max(2)
        };
        let found: Vec<u32> = texels.flat_map(|t| t[..stored].to_vec()).collect();
        let wanted: Result<Vec<u32>, String> = list(wanted).iter().map(dword).collect();
        let wanted = wanted?;
        // The tolerance of the vectors: 1/32767.
        let off = |(a, b): (&u32, &u32)| (f32::from_bits(*a) - f32::from_bits(*b)).abs();
        let most = found.iter().zip(&wanted).map(off).fold(0.0, f32::max);
        if found.len() == wanted.len() && most <= 1.0 / 32767.0 {
            return Ok(());
        }
        return same("numbers", found, wanted);
    }
    let halves = text(&row["rgb_half"])?;
    let half = |i: usize| {
        let digits = halves.get(4 * i..4 * i + 4);
        digits.and_then(|d| u16::from_str_radix(d, 16).ok())
    };
    for (t, found) in texels.enumerate() {
        let wanted =
            [0, 1, 2].map(|c| half(3 * t + c).map(visim::internals::surface::float::half_to_f32));
        let found = [found[0], found[1], found[2]].map(Some);
        same(&format!("texel {t}"), found, wanted)?;
    }
    Ok(())
}

fn tiled(table: &Value, _: &Arc<[u32; 256]>) -> Outcome {
    let name = text(&table["tiling"])?;
    let (name, bits) = match name.split_once('_') {
        Some((name, bits)) => (name, bits.trim_end_matches("bpp").parse()),
        None => (name, Ok(8)),
    };
    let bits: u32 = bits.map_err(|_| "no element size")?;
    let tiling = Tiling::named(name).ok_or("no such tiling")?;
    let swizzle = table["bit6_swizzle"] == Value::Bool(true);
    let pitch = number(&table["pitch_B"])?;
    let tiled = Tiled {
        tiling,
        element_bits: bits,
        pitch,
        bit6: swizzle,
    };
    for point in list(&table["points"]) {
        let [x, y, offset] = numbers(point)?;
        let found = tiled.offset(BytePosition { column: x, row: y });
        same(&format!("({x},{y})"), found, u64::from(offset))?;
    }
    Ok(())
}

/// The description of a row of `layouts.json`.
fn described(row: &Value) -> Result<Description, String> {
    let format = format(&row["format_name"])?;
    let n = |key: &str| row.get(key).map_or(Ok(1), number);
    let generation = match n("gen_x10")? {
        40 => Generation::Gen4,
        50 => Generation::Gen5,
        60 => Generation::Gen6,
        70 => Generation::Gen7,
        75 => Generation::Gen75,
        80 => Generation::Gen8,
        _ => Generation::Gen9,
    };
    let tiling = Tiling::named(text(&row["tiling"])?).ok_or("no such tiling")?;
    let cube = row.get("usage").is_some_and(|u| spelling(u).contains('c'));
    let kind = match row.get("dim").map_or(Ok(2), number)? {
        1 => Kind::D1,
        2 if cube => Kind::Cube,
        2 => Kind::D2,
        _ => Kind::D3,
    };
    let storage = match row
        .get("msaa_layout")
        .map_or("none".into(), spelling)
        .as_str()
    {
        "ims" => SampleStorage::Interleaved,
        _ => SampleStorage::Array,
    };
    let align = match row.get("align_el") {
        Some(align) => {
            let [i, j] = numbers(align)?;
            let [w, h] = numbers(&row["block"])?;
            Some(match generation {
                Generation::Gen9 => (i, j),
                _ => (i * w, j * h),
            })
        }
        None => None,
    };
    let slices = n("array_len")?;
    let (array, depth) = match kind {
        Kind::D3 => (false, n("depth")?),
        // Six faces make a cube.
        Kind::Cube => (slices > 6, slices.div_ceil(6)),
        _ => (slices > 1, slices),
    };
    Ok(Description {
        kind,
        array,
        depth,
        levels: n("levels")?,
        samples: n("samples")?,
        storage,
        tiling,
        generation,
        align,
        pitch: number(&row["row_pitch_B"])?,
        ..Description::d2(format, number(&row["width"])?, number(&row["height"])?)
    })
}

/// Positions and addresses of every image of a row, the distance of slices, the size.
fn laid_out(row: &Value, description: Description) -> Outcome {
    let surface = Surface::zeroed(description.clone()).map_err(|e| e.to_string())?;
    let layout = surface.layout();
    let bits = u32::from(description.format.bits);
    let (width, height) = description.tiling.tile(bits).ok_or("no tile")?;
    let linear = description.tiling == Tiling::Linear;
    let samples = match description.storage {
        SampleStorage::Array => description.samples,
        SampleStorage::Interleaved => 1,
    };
    for image in list(&row["images"]) {
        let [level, slice, x, y, offset, in_x, in_y] = numbers(image)?;
        let at = |what: &str| format!("level {level} slice {slice} {what}");
        let found = layout.image(level as usize, slice * samples);
        same(&at("origin"), found, (x, y))?;
        let column = x * bits / 8;
        let (cx, cy) = match linear {
            true => (column, y),
            false => (column - column % width, y - y % height),
        };
        same(&at("tile"), surface.address(cx, cy), offset as usize)?;
        if !linear {
            let inside = (x - cx * 8 / bits, y - cy);
            same(&at("place in its tile"), inside, (in_x, in_y))?;
        }
    }
    if let Some(size) = row.get("size_B") {
        // Drivers allocate whole rows, or rows of tiles, padding and all; visim may do with less.
        let pitch = surface.description().pitch;
        let padded = match linear {
            true => layout.extent.1 * u64::from(pitch),
            false => {
                let rows = layout.extent.1.div_ceil(u64::from(height));
                rows * description.tiling.tile_row_bytes(bits, pitch)
            }
        };
        same("size", padded, u64::from(number(size)?))?;
        if surface.memory().len() as u64 > padded {
            return Err(format!(
                "{} bytes, more than {size}",
                surface.memory().len()
            ));
        }
    }
    let slices = row.get("array_len").map_or(Ok(1), number)?;
    if layout.slice != (0, 0) && slices > 1 {
        let wanted = number(&row["array_pitch_el_rows"])?;
        same("distance of slices", layout.slice.1, wanted)?;
    }
    Ok(())
}

/// The packed state of a row describes the same surface.
fn from_state(words: &[Value], mut wanted: Description) -> Outcome {
    let words: Result<Vec<u32>, String> = words.iter().map(dword).collect();
    let found = state::describe(wanted.generation, &words?);
    let mut found = found.map_err(|e| match e.code.to_string().starts_with('N') {
        true => format!("{NOT_MODELLED}{e}"),
        false => e.to_string(),
    })?;
    if wanted.generation == Generation::Gen6 && wanted.samples == 4 && wanted.height % 4 == 1 {
        // Surface reference 3.5, erratum: drivers program one row more.
        wanted.height += 1;
    }
    same("base of the state", found.base, 0x1234_5000)?;
    found.base = 0;
    let found = Surface::zeroed(found).map_err(|e| e.to_string())?;
    let wanted = Surface::zeroed(wanted).map_err(|e| e.to_string())?;
    same("format of the state", found.format(), wanted.format())?;
    let pitch = |s: &Surface| s.description().pitch;
    same("pitch of the state", pitch(&found), pitch(&wanted))?;
    let levels = |s: &Surface| s.layout().levels.clone();
    same("levels of the state", levels(&found), levels(&wanted))?;
    let origins = |s: &Surface| {
        let slices = 0..wanted.description().slices();
        slices.map(|n| s.layout().image(0, n)).collect::<Vec<_>>()
    };
    same("slices of the state", origins(&found), origins(&wanted))
}

fn to_the_right(row: &Value) -> Outcome {
    let description = Description {
        generation: Generation::Gen5,
        mip_layout: MipLayout::Right,
        ..described(row)?
    };
    laid_out(row, description.clone())?;
    let surface = Surface::zeroed(description).map_err(|e| e.to_string())?;
    let [width, height] = numbers(&row["total_el"])?;
    same(
        "extent",
        surface.layout().extent,
        (width.into(), height.into()),
    )
}

fn interleaved(table: &Value) -> Outcome {
    let samples = number(&table["samples"])?;
    for point in list(&table["points"]) {
        let [x, y, sample, sx, sy] = numbers(point)?;
        let found = layout::interleave_sample(samples, x, y, sample);
        same(&format!("({x},{y}) sample {sample}"), found, (sx, sy))?;
    }
    Ok(())
}

fn control_word(row: &Value) -> Outcome {
    let samples = number(&row["samples"])?;
    let control = u64::from_str_radix(text(&row["mcs"])?, 16).map_err(|e| e.to_string())?;
    let width = number(&row["bits_per_sample"])?;
    for (s, slice) in list(&row["slice_of_sample"]).iter().enumerate() {
        let s = s as u32;
        // All bits set is the clear colour: the field itself says the last slice.
        match layout::stored_slice(samples, control, s) {
            Some(found) => same(&format!("sample {s}"), found, number(slice)?)?,
            None => same(
                &format!("clear sample {s}"),
                (1 << width) - 1,
                number(slice)?,
            )?,
        }
    }
    Ok(())
}

fn planes(row: &Value) -> Outcome {
    let format = match text(&row["format"])? {
        name if name.starts_with("P010") => Format::PLANAR_420_16,
        _ => format(&row["format"])?,
    };
    let n = |key: &str| row.get(key).map_or(Ok(0), number);
    let planes = Planes {
        interleaved: n("interleave_chroma")? == 1,
        half_pitch: n("half_pitch")? == 1,
        u: (n("x_offset_u")?, n("y_offset_u")?),
        v: (n("x_offset_v")?, n("y_offset_v")?),
        ..Planes::default()
    };
    let description = Description {
        planes: Some(planes),
        pitch: n("pitch_B")?,
        ..Description::d2(format, n("width")?, n("height")?)
    };
    let surface = Surface::zeroed(description).map_err(|e| e.to_string())?;
    let at = |plane: u32, x, y| {
        let plane = surface.plane(plane).ok_or("no such plane")?;
        let place = plane.place(TexelPosition {
            level: 0,
            slice: 0,
            x,
            y,
            sample: 0,
        });
        Ok::<u32, String>(plane.address(place.x, place.y) as u32)
    };
    let component = if format == Format::PLANAR_420_16 {
        2
    } else {
        1
    };
    let (across, down) = surface.description().chroma_shift();
    for point in list(&row["points"]) {
        let [x, y, luma, cb, cr] = numbers(point)?;
        let (cx, cy) = (x >> across, y >> down);
        let found = match planes.interleaved {
            true => at(1, cx, cy)? + component,
            false => at(2, cx, cy)?,
        };
        let all = [at(0, x, y)?, at(1, cx, cy)?, found];
        same(&format!("({x},{y})"), all, [luma, cb, cr])?;
    }
    Ok(())
}

/// Fields of the corpus that the reference does not place: reserved to visim.
const UNPLACED: &[&str] = &[
    "Quilt Height",
    "Quilt Width",
    "Auxiliary Table Index for Media Compressed Surface",
    "Coarse LOD Quality Mode",
    "Hierarchical Depth Clear Value",
];

/// Fields that lie where those of [`UNPLACED`] do; no row has both.
const OVERLAID: &[&str] = &["Auxiliary Surface Base Address", "Red Clear Color"];

/// The fields of a row that nothing places.
fn unplaced(row: &Value) -> Vec<String> {
    let fields = row["fields"].as_object().into_iter().flatten();
    let names = fields.map(|(key, _)| key.clone());
    names
        .filter(|key| UNPLACED.contains(&key.as_str()))
        .collect()
}

fn packed(row: &Value) -> Outcome {
    let name = text(&row["struct"])?;
    let fields = match (text(&row["gen"])?, name) {
        ("5", "RENDER_SURFACE_STATE") => state::SURFACE_GEN5,
        ("5", "SAMPLER_STATE") => sampler::SAMPLER_GEN5,
        // The vectors come from a driver's description of the structure.
        ("5", "SAMPLER_BORDER_COLOR_STATE") => sampler::BORDER_DRIVER,
        ("5", "BINDING_TABLE_STATE") => state::BINDING_GEN5,
        ("8" | "9", "RENDER_SURFACE_STATE") => state::SURFACE_GEN9,
        ("8" | "9", "SAMPLER_STATE") => sampler::SAMPLER_GEN9,
        ("8" | "9", "SAMPLER_BORDER_COLOR_STATE") => sampler::BORDER_GEN9,
        ("8" | "9", "BINDING_TABLE_STATE") => state::BINDING_GEN9,
        (generation, _) => return Err(format!("no structure {name} of Gen{generation}")),
    };
    let words: Result<Vec<u32>, String> = list(&row["dwords"]).iter().map(dword).collect();
    let words = words?;
    let mut packed = vec![0; words.len()];
    let unplaced = unplaced(row);
    for (key, value) in row["fields"].as_object().into_iter().flatten() {
        if unplaced.contains(key) {
            continue;
        }
        let field = state::named(fields, key).ok_or_else(|| format!("no field {key}"))?;
        let value = value.as_f64().ok_or("a field that is not a number")?;
        same(key, field.value(&words), value)?;
        field.set_value(&mut packed, value);
    }
    if unplaced.is_empty() {
        return same("packed", packed, words);
    }
    // The others, bit for bit; what is left belongs to those that a case of their own counts.
    let others = fields.fields.iter();
    for field in others.filter(|f| !OVERLAID.contains(&f.name)) {
        same(field.name, field.raw(&packed), field.raw(&words))?;
    }
    Ok(())
}
