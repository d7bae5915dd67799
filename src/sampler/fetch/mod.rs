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

mod fast;
mod points;
#[cfg(test)]
mod tests;

pub use points::{asked, taken};

use super::element::{Element, Use, with_element};
use super::sample::select;
use super::{Channels, Lanes, finish, lane_mask};
use crate::message::{ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::format::Returns;
use crate::surface::texel::Rgba;
use crate::surface::{
    Format, Kind, LineStride, Memory, Refused, SampleStorage, Select, Surface, Tiling,
};
use points::{Points, points};

const SEE: &str = "surface reference 4.13, \"ld family\"";

/// How texels were fetched; tells tests that the fast path ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Null surface: zeros.
    Null,
    /// Any format and layout, texel by texel through the format table.
    Reference,
    /// Elements of a plain format, at addresses worked out lane by lane.
    Elements(Format),
    /// All lanes on one image: bounds, offsets and decoding in vector code.
    Plane(Format),
}

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
        check(surface)?;
        if let Some(kernel) = fast::load(surface, request, params, active & lanes, out) {
            return Ok(Reply {
                kernel,
                null_mask: lanes,
            });
        }
    }
    run(surface, request, params, active, out, is_plain(surface))
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
    run(surface, request, params, active, out, false)
}

fn run(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
    plain: bool,
) -> Result<Reply, Refused> {
    let lanes = lane_mask(request.lanes);
    let active = active & lanes;
    let mut texels = [[0; 4]; 32];
    let mut returns = surface.format().returns;
    let kernel = if surface.kind() == Kind::Null {
        Kernel::Null
    } else {
        check(surface)?;
        let points = points(surface, request, params, active);
        if request.op == SamplerOp::LdMcs {
            returns = Returns::AsUint;
            control_words(surface, request, &points, &mut texels);
            Kernel::Reference
        } else {
            outside(surface, active & !points.inside, &mut texels);
            let gathered = plain.then(|| {
                let gather = Gather {
                    memory: surface.memory(),
                    at: addresses(surface, &points),
                    lanes: points.inside,
                    texels: &mut texels,
                };
                with_element(surface.format(), gather)
            });
            let kernel = match gathered.flatten() {
                Some(()) => Kernel::Elements(surface.format()),
                None => {
                    gather_reference(surface, &points, &mut texels);
                    Kernel::Reference
                }
            };
            if surface.description().sampled.select != Select::PLAIN {
                for texel in &mut texels {
                    *texel = select(surface, *texel);
                }
            }
            kernel
        }
    };
    finish(request, returns, &texels, active, out);
    Ok(Reply {
        kernel,
        null_mask: lanes,
    })
}

/// Refuses surfaces no load can read.
fn check(surface: &Surface) -> Result<(), Refused> {
    let format = surface.format();
    if surface.kind() == Kind::Cube {
        return Err(Refused::error(
            "a load from a cube: bind it as a 2D array of six slices",
            SEE,
        ));
    }
    if !format.sample.ever() {
        return Err(Refused::error(
            format!("a load from {format}, which no generation's sampler reads"),
            "surface reference 1.1, column `sample_since`",
        ));
    }
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
        let bytes = words.read_cell(words.place(0, slice, x, y, 0));
        let word = |i: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[4 * i + k]));
        let (low, high) = (word(0), word(1));
        *texel = match request.returns {
            ReturnFormat::Bits32 => [low, high, 0, 0],
            ReturnFormat::Bits16 => [low & 0xffff, low >> 16, high & 0xffff, high >> 16],
        };
    }
}

/// Byte addresses of the texels of a surface that [`kernel`] has found simple: linear, one element for one
/// texel. Lanes outside stay 0.
fn addresses(surface: &Surface, points: &Points) -> [usize; 32] {
    let d = surface.description();
    let (base, pitch) = (d.base as usize, d.pitch as usize);
    let bytes = usize::from(d.format.bits / 8);
    let mut at = [0; 32];
    if d.kind == Kind::Buffer {
        for (at, &x) in at.iter_mut().zip(&points.x) {
            *at = base + x as usize * pitch;
        }
        return at;
    }
    let layout = surface.layout();
    let origin = |lane: usize| {
        let slice = points.slice[lane] + d.min_array_element;
        layout.image(points.level[lane] as usize, slice)
    };
    for (lane, at) in at.iter_mut().enumerate() {
        let (x, y) = origin(lane);
        let row = y + points.y[lane] + d.y_offset;
        *at = base + row as usize * pitch + (x + points.x[lane] + d.x_offset) as usize * bytes;
    }
    at
}

/// Whether [`addresses`] holds: a linear surface with one sample and no skipped lines.
fn is_plain(surface: &Surface) -> bool {
    let d = surface.description();
    d.tiling == Tiling::Linear
        && d.line_stride == LineStride::Frame
        && d.samples == 1
        && d.storage == SampleStorage::Array
        && d.mcs.is_none()
}

/// Fetches and decodes the lanes of a mask from addresses.
struct Gather<'a> {
    memory: &'a Memory,
    at: [usize; 32],
    lanes: u32,
    texels: &'a mut [Rgba; 32],
}

impl Use for Gather<'_> {
    type Result = ();

    fn run<E: Element>(self) {
        for lane in 0..32 {
            if self.lanes >> lane & 1 == 1 {
                self.texels[lane] = E::decode(E::load(self.memory, self.at[lane]));
            }
        }
    }
}
