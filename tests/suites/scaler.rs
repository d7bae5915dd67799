//! AVS messages with their inputs and the bytes they return, through the definition and the fast kernels.
//!
//! Keys of a case: AVS reference 8.

use super::{Case, files, read};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use visim::internals::isa::{AvsControl, AvsMode, ChannelMask, Platform};
use visim::internals::message::{AvsRequest, Request, through};
use visim::internals::sampler::avs::{self, AvsSampler, Kernels, MediaView, packed_bytes};
use visim::internals::surface::{Description, Format, Memory, Planes, Surface};

/// `avs`: a JSON file for each case.
pub fn cases(folder: &Path) -> Vec<Case> {
    let case = |(name, path): (String, std::path::PathBuf)| {
        Case::new(&name, move || {
            let case = serde_json::from_str(&read(&path)?).map_err(|e| e.to_string())?;
            run_case(&case, Kernels::Fast)?;
            run_case(&case, Kernels::Reference)
        })
    };
    files(folder, "json").into_iter().map(case).collect()
}

/// Runs one case; the error says what differs.
fn run_case(case: &Value, kernels: Kernels) -> Result<(), String> {
    let (instr, surface) = (&case["instr"], &case["surface"]);
    let request = request(instr)?;
    // The request as the bits of a message say it is the same one (all but the group hint, of which
    // bits have 23).
    let Request::Avs(decoded) =
        through(&Request::Avs(request), Platform::Skl).map_err(|e| e.to_string())?
    else {
        return Err("another message came back".into());
    };
    let hint = decoded.group_id;
    let same = AvsRequest {
        group_id: hint,
        ..request
    };
    // As text, so that NaN equals NaN.
    if format!("{decoded:?}") != format!("{same:?}") {
        return Err(format!("{decoded:?} came back for {request:?}"));
    }
    let request = decoded;
    let sampler = AvsSampler::deserialize(&case["sampler"]).map_err(|e| e.to_string())?;

    let surface = bind(surface)?;
    let view = MediaView::of(&surface).map_err(|e| e.to_string())?;
    let packed = packed_bytes(&request, sampler.output_shuffle);
    if packed != number(&case["packed_bytes"])? as usize {
        return Err(format!(
            "{packed} packed bytes, not {}",
            case["packed_bytes"]
        ));
    }
    let mut dst = vec![number(&case["dst_init"])? as u8; number(&case["dst_bytes"])? as usize];
    avs::run_view(&view, &sampler, &request, kernels, &mut dst).map_err(|e| e.to_string())?;

    let expected = bytes(&case["expect_hex"])?;
    match dst.iter().zip(&expected).position(|(a, b)| a != b) {
        None if dst.len() == expected.len() => Ok(()),
        None => Err(format!("{} bytes, not {}", dst.len(), expected.len())),
        Some(at) => Err(format!(
            "byte {at} is {:#04x}, not {:#04x}",
            dst[at], expected[at]
        )),
    }
}

fn bind(surface: &Value) -> Result<Surface, String> {
    let memory = Memory::from_bytes(&bytes(&surface["data_hex"])?);
    let name = text(&surface["format"])?;
    let format = Format::named(name).ok_or(format!("no format {name}"))?;
    let planes = match format {
        Format::PLANAR_420_8 => Some(Planes {
            interleaved: flag(&surface["interleave_chroma"])?,
            half_pitch: flag(&surface["half_pitch_chroma"])?,
            u: (number(&surface["u_x"])?, number(&surface["u_y"])?),
            v: (number(&surface["v_x"])?, number(&surface["v_y"])?),
            offset_v: number(&surface["cr_cb_offset_v"])? as u8,
            offset_u: number(&surface["cr_cb_offset_u"])? as u8,
        }),
        _ => None,
    };
    let mirror = match surface.get("address_control").map(text).transpose()? {
        None | Some("clamp") => false,
        Some("mirror") => true,
        Some(other) => return Err(format!("address control {other:?}")),
    };
    let description = Description {
        planes,
        mirror,
        pitch: number(&surface["pitch"])?,
        ..Description::d2(
            format,
            number(&surface["width"])?,
            number(&surface["height"])?,
        )
    };
    Surface::new(description, memory.into()).map_err(|e| e.to_string())
}

fn request(instr: &Value) -> Result<AvsRequest, String> {
    let float = |name: &str| -> Result<f32, String> {
        let bits = text(&instr[name]["bits"])?.trim_start_matches("0x");
        u32::from_str_radix(bits, 16)
            .map(f32::from_bits)
            .map_err(|e| format!("{name}: {e}"))
    };
    let control = number(&instr["cntrl"])?;
    let mode = number(&instr["exec_mode"])?;
    Ok(AvsRequest {
        surface: 6,
        sampler: 0,
        channels: ChannelMask(number(&instr["channel_mask"])? as u8),
        control: AvsControl::ALL.get(control as usize).ok_or("cntrl")?.0,
        mode: AvsMode::ALL.get(mode as usize).ok_or("exec_mode")?.0,
        u: float("u_offset")?,
        v: float("v_offset")?,
        delta_u: float("delta_u")?,
        delta_v: float("delta_v")?,
        u2d: float("u2d")?,
        v2d: float("v2d")?,
        group_id: number(&instr["group_id"])?,
        vertical_block: number(&instr["vertical_block_number"])?,
        // The instruction's bit 0 clear means bypass (D1).
        ief_bypass: number(&instr["ief_bypass"])? & 1 == 0,
    })
}

fn number(value: &Value) -> Result<u32, String> {
    let number = value.as_u64().ok_or(format!("{value} is not a number"))?;
    u32::try_from(number).map_err(|e| format!("{number}: {e}"))
}

fn flag(value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or(format!("{value} is neither true nor false"))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or(format!("{value} is not text"))
}

fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    let digits = text(value)?;
    let byte = |at: usize| {
        let pair = digits.get(at..at + 2).ok_or("odd number of digits")?;
        u8::from_str_radix(pair, 16).map_err(|e| format!("{pair:?}: {e}"))
    };
    (0..digits.len()).step_by(2).map(byte).collect()
}
