//! Block messages of the Gen5 sampler: `sample_unorm` and its forms, `sample_8x8`, `deinterlace`.
//!
//! ```text
//!  type   0      1     2          3            8            0xA        0xB         0xC
//!         unorm  _RG   +killpix   _RG+killpix  deinterlace  +killpix   sample_8x8  unorm
//!         ╰──── payload of pixel shaders ───╯  ╰──────────── media payload ───────────╯
//! ```
//!
//! The published text has lost the PRM's list of types. Those seen in kernels are 8, 0xA, 0xB and 0xC; 0 and
//! 2 are those of later parts; 1 and 3 for the `_RG` forms are visim's choice, as nothing else is known.
//! Source: lowering reference 18.4; AVS reference 1.3; PRM 4.11.1.9.

use super::bits::{DecodeError, EncodeError, Message};
use super::fields::{
    Field, gen5_deinterlace_payload as block, gen5_media_payload as media,
    gen5_shader_payload as shader,
};
use super::gen5::Ask;
use super::request::{DeinterlaceRequest, Request, Scale8x8Request, UnormRequest};
use super::{Sfid, bits::Form};
use crate::isa::ChannelMask;

/// Message type of `deinterlace`.
pub(super) const DEINTERLACE: u32 = 8;
/// Message type of `sample_8x8`.
const SCALE_8X8: u32 = 0xb;
/// Message type of `sample_unorm_RG`.
pub(super) const UNORM_RG: u32 = 1;
/// Message type of `sample_unorm_RG+killpix`.
pub(super) const UNORM_RG_KILLPIX: u32 = 3;

/// Message types of `sample_unorm`: type, name, `+killpix`, `_RG`, payload of pixel shaders.
#[rustfmt::skip]
const UNORM: &[(u32, &str, bool, bool, bool)] = &[
    (0x0,              "sample_unorm",            false, false, true),
    (UNORM_RG,         "sample_unorm_RG",         false, true,  true),
    (0x2,              "sample_unorm+killpix",    true,  false, true),
    (UNORM_RG_KILLPIX, "sample_unorm_RG+killpix", true,  true,  true),
    (0xa,              "sample_unorm+killpix",    true,  false, false),
    (0xc,              "sample_unorm",            false, false, false),
];

/// The name of a type.
pub(super) fn name(kind: u32) -> &'static str {
    match kind {
        DEINTERLACE => "deinterlace",
        SCALE_8X8 => "sample_8x8",
        _ => UNORM
            .iter()
            .find(|form| form.0 == kind)
            .map_or("SIMD32/64 sampler message", |form| form.1),
    }
}

/// Neighbouring binding table indices that a message reads. Source: AVS reference 5.1.
pub fn surfaces(kind: u32) -> u32 {
    match kind {
        // The frame, the one before, statistics.
        DEINTERLACE => 3,
        _ => 1,
    }
}

/// Whether a message has the type.
pub(super) fn is_known(kind: u32) -> bool {
    matches!(kind, DEINTERLACE | SCALE_8X8) || UNORM.iter().any(|form| form.0 == kind)
}

/// Registers that come back; none where the state of the sampler decides, or the type is unknown.
pub(super) fn response(kind: u32, channels: ChannelMask) -> Option<u32> {
    if kind == SCALE_8X8 {
        return Some(4 * channels.count());
    }
    let &(_, _, killpix, only_rg, _) = UNORM.iter().find(|form| form.0 == kind)?;
    let pixels = if only_rg { 4 } else { 2 * channels.count() };
    Some(pixels + u32::from(killpix))
}

/// The question for a request, and its payload register; `None` for a request of another kind.
pub(super) fn ask(request: &Request) -> Option<Result<(Ask, [u32; 8]), EncodeError>> {
    let built = match request {
        Request::Scale8x8(r) => scale(r),
        Request::Deinterlace(r) => deinterlace(r),
        Request::Unorm(r) => unorm(r),
        _ => return None,
    };
    Some(built)
}

fn scale(r: &Scale8x8Request) -> Result<(Ask, [u32; 8]), EncodeError> {
    let mut m1 = [0; 8];
    let floats = [r.u, r.v, r.delta_u, r.delta_v, r.u2d];
    let fields = [
        media::U,
        media::V,
        media::DELTA_U,
        media::DELTA_V,
        media::U2D,
    ];
    put(&mut m1, fields, floats)?;
    let (surface, sampler, channels) = (r.surface, r.sampler, r.channels);
    Ok((
        Ask::SamplerBlock {
            kind: SCALE_8X8,
            surface,
            sampler,
            channels,
        },
        m1,
    ))
}

fn deinterlace(r: &DeinterlaceRequest) -> Result<(Ask, [u32; 8]), EncodeError> {
    let mut m1 = [0; 8];
    block::X.put(&mut m1, r.x)?;
    block::Y.put(&mut m1, r.y)?;
    let ask = Ask::SamplerBlock {
        kind: DEINTERLACE,
        surface: r.surface,
        sampler: r.sampler,
        channels: ChannelMask::RGBA,
    };
    Ok((ask, m1))
}

fn unorm(r: &UnormRequest) -> Result<(Ask, [u32; 8]), EncodeError> {
    let form = (r.killpix, r.only_rg, r.shader_payload);
    let found = UNORM
        .iter()
        .find(|&&(_, _, kill, rg, shader)| (kill, rg, shader) == form);
    let Some(&(kind, ..)) = found else {
        return Err(EncodeError::Form(
            "the _RG forms have the payload of pixel shaders".into(),
        ));
    };
    let mut m1 = [0; 8];
    let floats = [r.u, r.v, r.delta_u, r.delta_v];
    let fields = if r.shader_payload {
        [shader::U, shader::V, shader::DELTA_U, shader::DELTA_V]
    } else {
        [media::U, media::V, media::DELTA_U, media::DELTA_V]
    };
    put(&mut m1, fields, floats)?;
    let (surface, sampler) = (r.surface, r.sampler);
    let channels = match r.only_rg {
        true => ChannelMask::RGBA,
        false => r.channels,
    };
    Ok((
        Ask::SamplerBlock {
            kind,
            surface,
            sampler,
            channels,
        },
        m1,
    ))
}

fn put<const N: usize>(
    m1: &mut [u32; 8],
    fields: [Field; N],
    floats: [f32; N],
) -> Result<(), EncodeError> {
    for (field, float) in fields.into_iter().zip(floats) {
        field.put(m1, float.to_bits())?;
    }
    Ok(())
}

/// The request of a block message. Dwords of the payload that the message ignores are not looked at.
///
/// # Errors
/// [`DecodeError`]: another length than two registers, or a type that no message has.
pub fn request(ask: &Ask, message: &Message, form: &Form) -> Result<Request, DecodeError> {
    let &Ask::SamplerBlock {
        kind,
        surface,
        sampler,
        channels,
    } = ask
    else {
        return Err(DecodeError::UnknownFunction(message.sfid));
    };
    if form.first != 2 {
        return Err(DecodeError::Length(format!(
            "a block message of type {kind} is 2 registers, the first a header"
        )));
    }
    let m1 = &message.payload;
    let float = |f: Field| f32::from_bits(f.get(m1));
    Ok(match kind {
        SCALE_8X8 => Request::Scale8x8(Scale8x8Request {
            surface,
            sampler,
            channels,
            u: float(media::U),
            v: float(media::V),
            delta_u: float(media::DELTA_U),
            delta_v: float(media::DELTA_V),
            u2d: float(media::U2D),
        }),
        DEINTERLACE => Request::Deinterlace(DeinterlaceRequest {
            surface,
            sampler,
            x: block::X.get(m1),
            y: block::Y.get(m1),
        }),
        _ => {
            let found = UNORM.iter().find(|form| form.0 == kind);
            let Some(&(_, _, killpix, only_rg, shader_payload)) = found else {
                return Err(DecodeError::UnknownType {
                    sfid: Sfid::Sampler,
                    value: kind,
                });
            };
            let delta_u = if shader_payload {
                shader::DELTA_U
            } else {
                media::DELTA_U
            };
            Request::Unorm(UnormRequest {
                surface,
                sampler,
                channels,
                u: float(media::U),
                v: float(media::V),
                delta_u: float(delta_u),
                delta_v: float(media::DELTA_V),
                killpix,
                only_rg,
                shader_payload,
            })
        }
    })
}
