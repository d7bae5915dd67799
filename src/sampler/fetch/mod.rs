//! `ld`, `ld_lz`, `ld_mcs` and `ld2dms_w`: texels by integer coordinates.
//!
//! ```text
//!   parameters ─▶ u v r lod si ─▶ inside? ─▶ address ─▶ fetch + decode ─▶ 32- or 16-bit channels
//!                                    └ no ─▶ 0, alpha 1 if the format has none
//! ```
//!
//! The sampler state plays no part: no border, no clamp, no chroma key. The kernel is chosen once for the
//! message; [`load_reference`] does without and is what every kernel must equal.
//!
//! Source: vISA 3D_LOAD; surface reference 3.7, 4.13, 4.14; PRM 4.11.1.

mod kernels;
mod points;

pub(super) use kernels::lane_invariant;
pub use points::{asked, missed, taken};

use super::plane::Plane;
use super::texels::FetchPath;
use super::texels::select;
use super::{Channels, Lanes, finish, lane_mask};
use crate::message::{ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::format::{Access, Returns};
use crate::surface::texel::Rgba;
use crate::surface::{Format, Kind, Refused, Select, Surface, TexelPosition};
use points::{Points, points};

const SEE: &str = "surface reference 4.13, \"ld family\"";

/// How texels were fetched; tells tests that the fast path ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Null surface: zeros.
    Null,
    /// Any format and layout, texel by texel through the format table.
    Reference,
    /// All lanes of an image at once, their texels fetched by this path.
    Lanes(FetchPath),
}

/// An image, its texels across and down, and the result outside.
type LaneInvariant = (Plane, (u32, u32), Rgba);

/// What a load returns beside its channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The kernel that ran.
    pub kernel: Kernel,
    /// The pixel null mask: one bit for each lane of the message, clear where a texel came from a null
    /// page. Null pages are not modelled, so all bits are set. Source: vISA 3D_LOAD, "Notes".
    pub null_mask: u32,
}

/// Loads a texel for every active lane.
///
/// * `params`: in the order of the message (lowering reference 3.2), `request.params` of them; missing
///   trailing ones are 0. 16-bit parameters lie in the low half and are unsigned.
/// * `active`: bit n set if lane n takes part.
/// * `out`: only enabled channels of active lanes are written. 16-bit results of float formats are rounded
///   to nearest, ties to even; integers keep their low 16 bits (both model choices).
///
/// The sample index of `ld2dms_w` is clamped to the last sample: the vISA page says so, surface reference
/// 4.13 would return zero; we follow the page of the instruction.
///
/// # Errors
/// [`Refused`] if the surface is a cube, or its format is none that a sampler reads.
pub fn load(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Result<Reply, Refused> {
    let lanes = lane_mask(request.lanes);
    if surface.kind() != Kind::Null {
        check(surface, request.op)?;
        if let Some(path) = kernels::load(surface, request, params, active & lanes, out) {
            return Ok(Reply {
                kernel: Kernel::Lanes(path),
                null_mask: lanes,
            });
        }
    }
    load_reference(surface, request, params, active, out)
}

/// [`load`] without any kernel: the definition.
///
/// # Errors
/// As [`load`].
pub fn load_reference(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
) -> Result<Reply, Refused> {
    let lanes = lane_mask(request.lanes);
    let active = active & lanes;
    let mut texels = [[0; 4]; 32];
    let mut returns = surface.format().returns;
    let kernel = if surface.kind() == Kind::Null {
        Kernel::Null
    } else {
        check(surface, request.op)?;
        let points = points(surface, request, params, active);
        if request.op == SamplerOp::LdMcs {
            returns = Returns::AsUint;
            control_words(surface, request, &points, &mut texels);
        } else {
            outside(surface, active & !points.inside, &mut texels);
            gather_reference(surface, &points, &mut texels);
            if surface.description().sampled.select != Select::PLAIN {
                for texel in &mut texels {
                    *texel = select(surface, *texel);
                }
            }
        }
        Kernel::Reference
    };
    finish(request, returns, &texels, active, out);
    Ok(Reply {
        kernel,
        null_mask: lanes,
    })
}

/// Refuses surfaces no load can read.
fn check(surface: &Surface, op: SamplerOp) -> Result<(), Refused> {
    let format = surface.format();
    if matches!(op, SamplerOp::LdMcs | SamplerOp::Ld2dmsW) && surface.kind() != Kind::D2 {
        let what = format!(
            "{} from a {:?} surface; it is for 2D",
            op.name(),
            surface.kind()
        );
        return Err(Refused::error(what, "PRM 4.11.1.4, ld"));
    }
    if surface.kind() == Kind::Cube {
        return Err(Refused::error(
            "a load from a cube: bind it as a 2D array of six slices",
            SEE,
        ));
    }
    surface.allow(Access::Sample, "a load from")?;
    if format == Format::MONO8 {
        return Err(Refused::error(
            "a load from MONO8, which is for sample_l only",
            SEE,
        ));
    }
    if surface.decoder().is_none() && !format.is_planar() {
        return Err(Refused::unsupported(
            format!("texels of {format} are not decoded"),
            "surface reference 2.10, \"Optional later formats\"",
        ));
    }
    Ok(())
}

/// The "zero" rule: 0 in every channel, but alpha is 1 where the format has none.
fn outside_alpha(surface: &Surface) -> u32 {
    match surface.decoder() {
        Some(decoder) if decoder.alpha => 0,
        Some(decoder) => decoder.one,
        None => 1.0f32.to_bits(),
    }
}

/// Texels of the lanes outside.
fn outside(surface: &Surface, lanes: u32, texels: &mut [Rgba; 32]) {
    let alpha = outside_alpha(surface);
    for (lane, texel) in texels.iter_mut().enumerate() {
        if lanes >> lane & 1 == 1 {
            *texel = [0, 0, 0, alpha];
        }
    }
}

fn gather_reference(surface: &Surface, points: &Points, texels: &mut [Rgba; 32]) {
    for (lane, texel) in texels.iter_mut().enumerate() {
        if points.inside >> lane & 1 == 0 {
            continue;
        }
        let (level, slice) = (points.level[lane], points.slice[lane]);
        let (x, y, sample) = (points.x[lane], points.y[lane], points.sample[lane]);
        if points.clear >> lane & 1 == 1 {
            *texel = surface.description().clear_colour;
        } else if let Some(decoded) = surface.load_texel(level, slice, x, y, sample) {
            *texel = decoded;
        }
    }
}

/// `ld_mcs`: the control word of a pixel in R and G, or, with 16-bit results, in all four channels, as
/// `ld2dms_w` takes it (a model choice). Without control words, or outside, 0.
///
/// Source: surface reference 3.7 and 4.13.
fn control_words(
    surface: &Surface,
    request: &SamplerRequest,
    points: &Points,
    texels: &mut [Rgba; 32],
) {
    let Some(words) = &surface.description().mcs else {
        return;
    };
    let size = words.description();
    for (lane, texel) in texels.iter_mut().enumerate() {
        let (x, y, slice) = (points.x[lane], points.y[lane], points.slice[lane]);
        let inside = x < size.width && y < size.height && slice < size.slices();
        if points.inside >> lane & 1 == 0 || !inside {
            continue;
        }
        let bytes = words.read_cell(words.place(TexelPosition {
            level: 0,
            slice,
            x,
            y,
            sample: 0,
        }));
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[4 * i + k]));
        let (low, high) = (word(0), word(1));
        *texel = match request.returns {
            ReturnFormat::Bits32 => [low, high, 0, 0],
            ReturnFormat::Bits16 => [low & 0xffff, low >> 16, high & 0xffff, high >> 16],
        };
    }
}
