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

use crate::isa::ChannelMask;
use crate::message::bits::{DecodeError, EncodeError};
use crate::message::fields::{
    Field, gen5_deinterlace_payload as block, gen5_media_payload as media,
    gen5_shader_payload as shader,
};
use crate::message::request::{DeinterlaceRequest, Request, Scale8x8Request, UnormRequest};

/// SIMD mode of the block messages.
pub(super) const SIMD_MODE: u32 = 3;

/// Message type of `deinterlace`.
const DEINTERLACE: u32 = 8;
/// Message type of `sample_8x8`.
const SCALE_8X8: u32 = 0xb;
/// Message type of `sample_unorm_RG`.
const UNORM_RG: u32 = 1;
/// Message type of `sample_unorm_RG+killpix`.
const UNORM_RG_KILLPIX: u32 = 3;

/// Message types of `sample_unorm`: type, `+killpix`, `_RG`, payload of pixel shaders.
#[rustfmt::skip]
const UNORM: &[(u32, bool, bool, bool)] = &[
    (0x0,              false, false, true),
    (UNORM_RG,         false, true,  true),
    (0x2,              true,  false, true),
    (UNORM_RG_KILLPIX, true,  true,  true),
    (0xa,              true,  false, false),
    (0xc,              false, false, false),
];

/// Neighbouring binding table indices that a message reads. Source: AVS reference 5.1.
pub fn surfaces(kind: u32) -> u32 {
    match kind {
        // The frame, the one before, statistics.
        DEINTERLACE => 3,
        _ => 1,
    }
}

/// Whether messages of the type have the same answer with any channel mask: of `sample_unorm` and its forms the mask
/// "is generated from the message type itself". Source: PRM 4.11.1.2.
pub(super) const fn ignores_mask(kind: u32) -> bool {
    kind != SCALE_8X8
}

/// Registers that come back; none where the state of the sampler decides.
pub(super) fn response(request: &Request) -> Option<u32> {
    match request {
        Request::Scale8x8(r) => Some(4 * r.channels.count()),
        Request::Unorm(r) => {
            let pixels = if r.only_rg { 4 } else { 8 };
            Some(pixels + u32::from(r.killpix))
        }
        _ => None,
    }
}

/// What descriptor, header and payload of a block message say.
pub(super) struct Block {
    pub kind: u32,
    pub surface: u32,
    pub sampler: u32,
    pub channels: ChannelMask,
    pub payload: [u32; 8],
}

/// The parts of a request's message.
///
/// # Errors
/// [`EncodeError`] for a request of another kind, or a form that no message has.
pub(super) fn encode(request: &Request) -> Result<Block, EncodeError> {
    let mut payload = [0; 8];
    let mut put = |field: Field, value: u32| field.put(&mut payload, value);
    let (kind, surface, sampler, channels) = match request {
        Request::Scale8x8(r) => {
            put(media::U, r.u.to_bits())?;
            put(media::V, r.v.to_bits())?;
            put(media::DELTA_U, r.delta_u.to_bits())?;
            put(media::DELTA_V, r.delta_v.to_bits())?;
            put(media::U2D, r.u2d.to_bits())?;
            (SCALE_8X8, r.surface, r.sampler, r.channels)
        }
        Request::Deinterlace(r) => {
            put(block::X, r.x)?;
            put(block::Y, r.y)?;
            (DEINTERLACE, r.surface, r.sampler, ChannelMask::RGBA)
        }
        Request::Unorm(r) => {
            let form = (r.killpix, r.only_rg, r.shader_payload);
            let found = UNORM
                .iter()
                .find(|&&(_, kill, rg, shader)| (kill, rg, shader) == form);
            let Some(&(kind, ..)) = found else {
                return Err(EncodeError::Unencodable(
                    "the _RG forms have the payload of pixel shaders".into(),
                ));
            };
            put(media::U, r.u.to_bits())?;
            put(media::V, r.v.to_bits())?;
            put(delta_u(r.shader_payload), r.delta_u.to_bits())?;
            put(media::DELTA_V, r.delta_v.to_bits())?;
            (kind, r.surface, r.sampler, ChannelMask::RGBA)
        }
        _ => {
            return Err(EncodeError::Unencodable(
                "a block message of the sampler".into(),
            ));
        }
    };
    Ok(Block {
        kind,
        surface,
        sampler,
        channels,
        payload,
    })
}

/// The one field whose place differs between the two payloads of `sample_unorm`.
const fn delta_u(shader_payload: bool) -> Field {
    if shader_payload {
        shader::DELTA_U
    } else {
        media::DELTA_U
    }
}

/// The request of a block message. Dwords of the payload that the message ignores are not looked at.
///
/// # Errors
/// [`DecodeError`]: a type that no message has.
pub(super) fn decode(message: &Block) -> Result<Request, DecodeError> {
    let &Block {
        kind,
        surface,
        sampler,
        channels,
        ref payload,
    } = message;
    let float = |f: Field| f32::from_bits(f.get(payload));
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
            x: block::X.get(payload),
            y: block::Y.get(payload),
        }),
        _ => {
            let found = UNORM.iter().find(|form| form.0 == kind);
            let Some(&(_, killpix, only_rg, shader_payload)) = found else {
                return Err(DecodeError::SamplerBlock(kind));
            };
            Request::Unorm(UnormRequest {
                surface,
                sampler,
                channels,
                u: float(media::U),
                v: float(media::V),
                delta_u: float(delta_u(shader_payload)),
                delta_v: float(media::DELTA_V),
                killpix,
                only_rg,
                shader_payload,
            })
        }
    })
}
