//! `ld`, `ld_lz`, `ld_mcs` and `ld2dms_w`: texels by integer coordinates.
//!
//! ```text
//!   parameters ─▶ u v r lod si ─▶ inside? ─▶ address ─▶ fetch + decode ─▶ 32- or 16-bit channels
//!                                    └ no ─▶ 0, alpha 1 if the format has none
//! ```
//!
//! The sampler state plays no part: no border, no clamp, no chroma key. The decoding kernel is chosen once
//! for the message; [`load_reference`] does without and is what every kernel must equal.
//!
//! Source: vISA 3D_LOAD; surface reference 3.7, 4.13, 4.14; PRM 4.11.1.

use super::given::Given;
use super::sample::select;
use super::{Channels, Lanes, finish, lane_mask};
use crate::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest};
use crate::surface::format::Returns;
use crate::surface::layout::stored_slice;
use crate::surface::texel::Rgba;
use crate::surface::{
    Format, Kind, LineStride, Memory, Refused, SampleStorage, Select, Surface, Tiling,
};

const SEE: &str = "surface reference 4.13, \"ld family\"";

/// How texels were decoded; tells tests that the fast path ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the plain formats are named as in the table
pub enum Kernel {
    /// Null surface: zeros.
    Null,
    /// Any format and layout, texel by texel through the format table.
    Reference,
    R8Unorm, R8Uint, R8g8Unorm, R16Unorm, R32Float, R32Uint, R8g8b8a8Unorm, R8g8b8a8Uint, B8g8r8a8Unorm,
    R16g16b16a16Float, R32g32b32a32Float, R32g32b32a32Uint,
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
    run(surface, request, params, active, out, kernel(surface))
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
    run(surface, request, params, active, out, None)
}

fn run(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
    out: &mut Channels,
    fast: Option<(Kernel, Gather)>,
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
            let kernel = match fast {
                Some((kernel, gather)) => {
                    gather(
                        surface.memory(),
                        &addresses(surface, &points),
                        points.inside,
                        &mut texels,
                    );
                    kernel
                }
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

/// Coordinates of the lanes whose texel lies inside the surface.
struct Points {
    inside: u32,
    x: Lanes,
    y: Lanes,
    slice: Lanes,
    /// Counted in memory.
    level: Lanes,
    sample: Lanes,
    /// Lanes whose control word says that the pixel has the clear colour.
    clear: u32,
}

/// What one lane of a load asks for: u, v, r without the message's offsets, and the level; 0 where the message
/// has no such parameter.
pub fn asked(request: &SamplerRequest, params: &[Lanes], lane: usize) -> [i64; 4] {
    let given = Given::new(request, params);
    let known = lane < 32;
    [Parameter::U, Parameter::V, Parameter::R, Parameter::Lod]
        .map(|p| if known { given.integer(p, lane) } else { 0 })
}

fn points(surface: &Surface, request: &SamplerRequest, params: &[Lanes], active: u32) -> Points {
    let d = surface.description();
    let given = Given::new(request, params);
    let param = |p: Parameter, lane: usize| given.integer(p, lane);
    let [du, dv, dr] = request.offsets.map(i64::from);
    let zero = [0; 32];
    let mut p = Points {
        inside: 0,
        x: zero,
        y: zero,
        slice: zero,
        level: zero,
        sample: zero,
        clear: 0,
    };
    let array = if d.array {
        i64::from(d.slices())
    } else {
        i64::MAX
    };
    for lane in 0..32 {
        if active >> lane & 1 == 0 {
            continue;
        }
        let lod = param(Parameter::Lod, lane);
        if lod < 0 || lod >= i64::from(d.levels) {
            continue;
        }
        let level = lod as u32 + d.min_lod;
        let (u, v, r) = (
            param(Parameter::U, lane),
            param(Parameter::V, lane),
            param(Parameter::R, lane),
        );
        let size = |n: u32| i64::from((n >> level).max(1));
        // Texel offsets move texels, never array slices.
        let (x, width) = (u + du, size(d.width));
        let (y, height, slice, slices) = match d.kind {
            Kind::Buffer => (0, 1, 0, 1),
            Kind::D1 => (0, 1, v, array),
            Kind::D3 => (v + dv, size(d.height), r + dr, size(d.depth)),
            _ => (v + dv, size(d.height), r, array),
        };
        let within = |value: i64, limit: i64| 0 <= value && value < limit;
        let slice_inside = slices == i64::MAX || within(slice, slices);
        if !within(x, width) || !within(y, height) || !slice_inside {
            continue;
        }
        p.inside |= 1 << lane;
        p.x[lane] = x as u32;
        p.y[lane] = y as u32;
        p.slice[lane] = if slices == i64::MAX { 0 } else { slice as u32 };
        p.level[lane] = level;
        if request.op == SamplerOp::Ld2dmsW {
            // Clamped to the last sample: vISA 3D_LOAD, "Si".
            let sample = (param(Parameter::Si, lane) as u32).min(d.samples - 1);
            use Parameter::*;
            let control = if request.params16 {
                let words = [Mcs3, Mcs2, Mcs1, Mcs0];
                let words = words.map(|p| param(p, lane) as u64);
                words.into_iter().fold(0, |all, word| all << 16 | word)
            } else {
                u64::from(param(McsHigh, lane) as u32) << 32 | u64::from(param(McsLow, lane) as u32)
            };
            // Surfaces without control words keep sample s in slice s.
            match d
                .mcs
                .as_ref()
                .map(|_| stored_slice(d.samples, control, sample))
            {
                None => p.sample[lane] = sample,
                Some(Some(stored)) => p.sample[lane] = stored.min(d.samples - 1),
                Some(None) => p.clear |= 1 << lane,
            }
        }
    }
    p
}

/// The "zero" rule: 0 in every channel, but alpha is 1 where the format has none.
fn outside(surface: &Surface, lanes: u32, texels: &mut [Rgba; 32]) {
    let alpha = match surface.decoder() {
        Some(decoder) if decoder.alpha => 0,
        Some(decoder) => decoder.one,
        None => 1.0f32.to_bits(),
    };
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

/// Fetches and decodes the lanes of a mask.
type Gather = fn(&Memory, &[usize; 32], u32, &mut [Rgba; 32]);

/// The kernel for a surface: a plain format of a linear surface with one sample and no skipped lines.
fn kernel(surface: &Surface) -> Option<(Kernel, Gather)> {
    let d = surface.description();
    if d.tiling != Tiling::Linear || d.line_stride != LineStride::Frame {
        return None;
    }
    if d.samples > 1 || d.storage != SampleStorage::Array || d.mcs.is_some() {
        return None;
    }
    Some(match d.format {
        Format::R8_UNORM => (Kernel::R8Unorm, gather::<1, R8Unorm>),
        Format::R8_UINT => (Kernel::R8Uint, gather::<1, R8Uint>),
        Format::R8G8_UNORM => (Kernel::R8g8Unorm, gather::<2, R8g8Unorm>),
        Format::R16_UNORM => (Kernel::R16Unorm, gather::<2, R16Unorm>),
        Format::R32_FLOAT => (Kernel::R32Float, gather::<4, R32Float>),
        Format::R32_UINT => (Kernel::R32Uint, gather::<4, R32Uint>),
        Format::R8G8B8A8_UNORM => (Kernel::R8g8b8a8Unorm, gather::<4, Rgba8Unorm>),
        Format::R8G8B8A8_UINT => (Kernel::R8g8b8a8Uint, gather::<4, Rgba8Uint>),
        Format::B8G8R8A8_UNORM => (Kernel::B8g8r8a8Unorm, gather::<4, Bgra8Unorm>),
        Format::R16G16B16A16_FLOAT => (Kernel::R16g16b16a16Float, gather::<8, Rgba16Float>),
        Format::R32G32B32A32_FLOAT => (Kernel::R32g32b32a32Float, gather::<16, Rgba32>),
        Format::R32G32B32A32_UINT => (Kernel::R32g32b32a32Uint, gather::<16, Rgba32>),
        _ => return None,
    })
}

/// An element of `N` bytes.
trait Texel<const N: usize> {
    fn decode(bytes: [u8; N]) -> Rgba;
}

fn gather<const N: usize, T: Texel<N>>(
    memory: &Memory,
    at: &[usize; 32],
    lanes: u32,
    texels: &mut [Rgba; 32],
) {
    for lane in 0..32 {
        if lanes >> lane & 1 == 1 {
            texels[lane] = T::decode(memory.load::<N>(at[lane]));
        }
    }
}

const ONE: u32 = 0x3f80_0000;

/// Both numbers are exact in f32: one rounding.
fn unorm8(v: u8) -> u32 {
    (f32::from(v) / 255.0).to_bits()
}

struct R8Unorm;
impl Texel<1> for R8Unorm {
    fn decode([r]: [u8; 1]) -> Rgba {
        [unorm8(r), 0, 0, ONE]
    }
}

struct R8Uint;
impl Texel<1> for R8Uint {
    fn decode([r]: [u8; 1]) -> Rgba {
        [u32::from(r), 0, 0, 1]
    }
}

struct R8g8Unorm;
impl Texel<2> for R8g8Unorm {
    fn decode([r, g]: [u8; 2]) -> Rgba {
        [unorm8(r), unorm8(g), 0, ONE]
    }
}

struct R16Unorm;
impl Texel<2> for R16Unorm {
    fn decode(bytes: [u8; 2]) -> Rgba {
        [
            (f32::from(u16::from_le_bytes(bytes)) / 65535.0).to_bits(),
            0,
            0,
            ONE,
        ]
    }
}

struct R32Float;
impl Texel<4> for R32Float {
    fn decode(bytes: [u8; 4]) -> Rgba {
        [u32::from_le_bytes(bytes), 0, 0, ONE]
    }
}

struct R32Uint;
impl Texel<4> for R32Uint {
    fn decode(bytes: [u8; 4]) -> Rgba {
        [u32::from_le_bytes(bytes), 0, 0, 1]
    }
}

struct Rgba8Unorm;
impl Texel<4> for Rgba8Unorm {
    fn decode(bytes: [u8; 4]) -> Rgba {
        bytes.map(unorm8)
    }
}

struct Rgba8Uint;
impl Texel<4> for Rgba8Uint {
    fn decode(bytes: [u8; 4]) -> Rgba {
        bytes.map(u32::from)
    }
}

struct Bgra8Unorm;
impl Texel<4> for Bgra8Unorm {
    fn decode([b, g, r, a]: [u8; 4]) -> Rgba {
        [r, g, b, a].map(unorm8)
    }
}

struct Rgba16Float;
impl Texel<8> for Rgba16Float {
    fn decode(b: [u8; 8]) -> Rgba {
        let half = |i: usize| {
            crate::surface::float::half_to_f32(u16::from_le_bytes([b[2 * i], b[2 * i + 1]]))
        };
        [half(0), half(1), half(2), half(3)]
    }
}

struct Rgba32;
impl Texel<16> for Rgba32 {
    fn decode(b: [u8; 16]) -> Rgba {
        std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|k| b[4 * i + k])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::ChannelMask;
    use crate::surface::Description;
    use pretty_assertions::assert_eq;
    use std::sync::Arc;

    fn request(op: SamplerOp, params: u32) -> SamplerRequest {
        SamplerRequest {
            op,
            surface: 0,
            sampler: 0,
            channels: ChannelMask::RGBA,
            lanes: 8,
            offsets: [0; 3],
            pixel_null_mask: false,
            params16: false,
            returns: ReturnFormat::Bits32,
            params,
        }
    }

    /// A surface with pseudo-random bytes that are no NaN in any float format used here.
    fn noise(description: Description) -> Surface {
        let surface = Surface::zeroed(description).unwrap();
        let mut state = 12345u32;
        let bytes: Vec<u8> = (0..surface.memory().len())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8 & 0xbb
            })
            .collect();
        surface.memory().write(0, &bytes);
        surface
    }

    fn lanes(values: &[i32]) -> Lanes {
        std::array::from_fn(|i| values.get(i).map_or(0, |&v| v as u32))
    }

    fn red(surface: &Surface, request: &SamplerRequest, params: &[Lanes]) -> Vec<u32> {
        let mut out = [[0xeeee_eeee; 32]; 4];
        load(surface, request, params, u32::MAX, &mut out).unwrap();
        out[0][..8].to_vec()
    }

    #[test]
    fn zero_outside_with_alpha_one_where_the_format_has_none() {
        let bytes = |format| {
            Surface::new(
                Description::d2(format, 2, 1),
                Arc::new(Memory::from_bytes(&[255; 8])),
            )
        };
        let u = lanes(&[0, 1, 2, -1, i32::MIN, i32::MAX]);
        let mut out = [[7; 32]; 4];
        let reply = load(
            &bytes(Format::R8_UNORM).unwrap(),
            &request(SamplerOp::Ld, 1),
            &[u],
            0x3f,
            &mut out,
        );
        assert_eq!(
            reply,
            Ok(Reply {
                kernel: Kernel::R8Unorm,
                null_mask: 0xff
            })
        );
        assert_eq!(out[0][..8], [ONE, ONE, 0, 0, 0, 0, 7, 7]);
        assert_eq!(out[1][..8], [0, 0, 0, 0, 0, 0, 7, 7]);
        assert_eq!(out[3][..8], [ONE, ONE, ONE, ONE, ONE, ONE, 7, 7]);
        load(
            &bytes(Format::R8G8B8A8_UNORM).unwrap(),
            &request(SamplerOp::Ld, 1),
            &[u],
            0x3f,
            &mut out,
        )
        .unwrap();
        assert_eq!(out[3][..8], [ONE, ONE, 0, 0, 0, 0, 7, 7]);
        load(
            &bytes(Format::R8_UINT).unwrap(),
            &request(SamplerOp::Ld, 1),
            &[u],
            0x3f,
            &mut out,
        )
        .unwrap();
        assert_eq!(out[3][..8], [1, 1, 1, 1, 1, 1, 7, 7]);
    }

    #[test]
    fn parameters_and_offsets_choose_level_slice_and_texel() {
        // Gen9, 8×8 R8_UINT with levels 8, 4, 2: level 1 below at row 8, level 2 right of it at column 4.
        let d = Description {
            levels: 3,
            ..Description::d2_array(Format::R8_UINT, 8, 8, 2)
        };
        let surface = noise(d);
        let memory = surface.memory().to_vec();
        let at = |x: usize, y: usize| u32::from(memory[y * 8 + x]);
        // QPitch: 8 + max(4, 4) rows = 12.
        let ld = request(SamplerOp::Ld, 4);
        let (u, v) = (lanes(&[0, 3, 1, 7, 4]), lanes(&[0, 1, 1, 7, 0]));
        let (lod, r) = (lanes(&[0, 1, 2, 0, 1]), lanes(&[0, 0, 1, 1, 0]));
        let got = red(&surface, &ld, &[u, v, lod, r]);
        assert_eq!(
            got[..5],
            [at(0, 0), at(3, 9), at(5, 8 + 12 + 1), at(7, 7 + 12), 0]
        );
        // Offsets move texels, not slices; what was inside may leave and come back.
        let moved = SamplerRequest {
            offsets: [-1, 2, 1],
            ..ld
        };
        let got = red(&surface, &moved, &[u, v, lod, r]);
        assert_eq!(got[..4], [0, at(2, 11), 0, 0]);
        // ld_lz has no lod: the third parameter is the slice.
        assert_eq!(
            red(&surface, &request(SamplerOp::LdLz, 3), &[u, v, r])[3],
            at(7, 19)
        );
        // A minimum LOD shifts lod 0 to level 1.
        let d = Description {
            min_lod: 1,
            levels: 2,
            ..surface.description().clone()
        };
        let shifted = Surface::new(d, surface.memory().clone()).unwrap();
        assert_eq!(red(&shifted, &ld, &[u, v, lod, r])[..2], [at(0, 8), 0]);
        // 16-bit parameters are unsigned.
        let short = SamplerRequest {
            params16: true,
            ..ld
        };
        assert_eq!(
            red(&surface, &short, &[lanes(&[0x10003, -1])])[..2],
            [at(3, 0), 0]
        );
    }

    #[test]
    fn one_dimensional_arrays_take_the_slice_from_v() {
        let d = Description {
            array: true,
            depth: 3,
            ..Description::d1(Format::R8_UINT, 4)
        };
        let surface = noise(d);
        let rows = surface.layout().slice;
        let memory = surface.memory().to_vec();
        let got = red(
            &surface,
            &request(SamplerOp::Ld, 2),
            &[lanes(&[1, 1, 1]), lanes(&[0, 2, 3])],
        );
        let stored = if rows.0 > 0 {
            1 + 2 * rows.0
        } else {
            1 + 2 * rows.1 * surface.description().pitch
        };
        assert_eq!(
            got[..3],
            [u32::from(memory[1]), u32::from(memory[stored as usize]), 0]
        );
    }

    #[test]
    fn sixteen_bit_results_round_to_nearest_or_keep_low_bits() {
        let memory = Arc::new(Memory::from_bytes(&[
            0x01, 0x80, 0x80, 0x3f, 0x00, 0x30, 0x80, 0x3f,
        ]));
        let floats =
            Surface::new(Description::buffer(Format::R32_FLOAT, 2), memory.clone()).unwrap();
        let short = SamplerRequest {
            returns: ReturnFormat::Bits16,
            ..request(SamplerOp::Ld, 1)
        };
        // 1 + 0x8001 / 2^23 is above the half of 2^-10 · … : 3f808001 → 3c04; 3f803000 lies half way between
        // 3c01 and 3c02 and goes to the even one.
        assert_eq!(
            red(&floats, &short, &[lanes(&[0, 1, 2])])[..3],
            [0x3c04, 0x3c02, 0]
        );
        let ints = Surface::new(Description::buffer(Format::R32_UINT, 2), memory).unwrap();
        assert_eq!(red(&ints, &short, &[lanes(&[0, 1])])[..2], [0x8001, 0x3000]);
    }

    #[test]
    fn samples_follow_their_control_words() {
        let size = |format| Description::d2(format, 4, 2);
        let mcs = Arc::new(Surface::zeroed(size(Format::R8_UINT)).unwrap());
        mcs.memory().write(1, &[0b11_10_01_00]);
        let samples = Description {
            samples: 4,
            ..size(Format::R8_UINT)
        };
        let plain = noise(samples.clone());
        let memory = plain.memory().to_vec();
        // Sample s is slice s: with four rows of padding (Gen9 alignment 4), 4 rows of 4 bytes apart.
        let at = |x: usize, s: usize| u32::from(memory[s * 16 + x]);
        let by_sample = request(SamplerOp::Ld2dmsW, 5);
        let params = [
            lanes(&[0, 1, 3, 9]),
            lanes(&[0x1b; 8]),
            lanes(&[0; 8]),
            lanes(&[1; 8]),
            lanes(&[0; 8]),
        ];
        assert_eq!(
            red(&plain, &by_sample, &params)[..4],
            [at(1, 0), at(1, 1), at(1, 3), at(1, 3)]
        );
        let d = Description {
            mcs: Some(mcs),
            clear_colour: [77, 0, 0, 1],
            ..samples
        };
        let compressed = Surface::new(d, plain.memory().clone()).unwrap();
        // Control word 1b = 00 01 10 11 from the top: sample 0 lies in slice 3, 1 in 2, 3 in 0.
        assert_eq!(
            red(&compressed, &by_sample, &params)[..4],
            [at(1, 3), at(1, 2), at(1, 0), at(1, 0)]
        );
        let clear = [
            params[0],
            lanes(&[0xff; 8]),
            params[2],
            params[3],
            params[4],
        ];
        assert_eq!(red(&compressed, &by_sample, &clear)[..2], [77, 77]);
        let words = request(SamplerOp::LdMcs, 1);
        assert_eq!(
            red(&compressed, &words, &[lanes(&[0, 1, 4])])[..3],
            [0, 0xe4, 0]
        );
        assert_eq!(red(&plain, &words, &[lanes(&[1])])[0], 0);
        // The 16-bit form takes the word in four pieces.
        let short = SamplerRequest {
            params16: true,
            ..request(SamplerOp::Ld2dmsW, 6)
        };
        let params = [
            params[0],
            params[1],
            lanes(&[]),
            lanes(&[]),
            lanes(&[]),
            lanes(&[1; 8]),
        ];
        assert_eq!(red(&compressed, &short, &params)[..2], [at(1, 3), at(1, 2)]);
    }

    #[test]
    fn null_surfaces_return_zero_in_every_channel() {
        let mut out = [[7; 32]; 4];
        let reply = load(
            &Surface::null(),
            &request(SamplerOp::Ld, 1),
            &[[0; 32]],
            1,
            &mut out,
        )
        .unwrap();
        assert_eq!(reply.kernel, Kernel::Null);
        assert_eq!(out.map(|c| c[0]), [0; 4]);
    }

    #[test]
    fn surfaces_without_texels_are_refused() {
        let mut out = [[0; 32]; 4];
        let mut why = |d| {
            let surface = Surface::zeroed(d).unwrap();
            load(
                &surface,
                &request(SamplerOp::Ld, 1),
                &[[0; 32]],
                1,
                &mut out,
            )
            .unwrap_err()
            .to_string()
        };
        assert!(why(Description::cube(Format::R8_UNORM, 4)).starts_with("a load from a cube"));
        assert!(
            why(Description::d2(Format::Y8_UNORM, 4, 4))
                .contains("which no generation's sampler reads")
        );
        assert!(why(Description::d2(Format::MONO8, 32, 4)).starts_with("a load from MONO8"));
        let astc = Format::named("ASTC_LDR_2D_4X4_FLT16")
            .or(Format::named("ETC1_RGB8"))
            .unwrap();
        assert!(why(Description::d2(astc, 4, 4)).contains("are not decoded"));
    }

    #[test]
    fn kernels_equal_the_reference() {
        let formats = [
            (Format::R8_UNORM, Kernel::R8Unorm),
            (Format::R8_UINT, Kernel::R8Uint),
            (Format::R8G8_UNORM, Kernel::R8g8Unorm),
            (Format::R16_UNORM, Kernel::R16Unorm),
            (Format::R32_FLOAT, Kernel::R32Float),
            (Format::R32_UINT, Kernel::R32Uint),
            (Format::R8G8B8A8_UNORM, Kernel::R8g8b8a8Unorm),
            (Format::R8G8B8A8_UINT, Kernel::R8g8b8a8Uint),
            (Format::B8G8R8A8_UNORM, Kernel::B8g8r8a8Unorm),
            (Format::R16G16B16A16_FLOAT, Kernel::R16g16b16a16Float),
            (Format::R32G32B32A32_FLOAT, Kernel::R32g32b32a32Float),
            (Format::R32G32B32A32_UINT, Kernel::R32g32b32a32Uint),
        ];
        for (format, kernel) in formats {
            let mips = |d| Description { levels: 3, ..d };
            for description in [
                mips(Description::d2(format, 13, 9)),
                Description {
                    x_offset: 4,
                    y_offset: 2,
                    ..mips(Description::d2_array(format, 13, 9, 3))
                },
                mips(Description::d3(format, 13, 9, 5)),
                Description {
                    generation: crate::surface::Generation::Gen5,
                    ..mips(Description::d3(format, 13, 9, 5))
                },
                mips(Description::d1(format, 13)),
                Description {
                    pitch: 24,
                    ..Description::buffer(format, 14)
                },
            ] {
                let surface = noise(description);
                for returns in [ReturnFormat::Bits32, ReturnFormat::Bits16] {
                    let request = SamplerRequest {
                        lanes: 32,
                        returns,
                        offsets: [1, -1, 0],
                        ..request(SamplerOp::Ld, 4)
                    };
                    let mix = |a: usize, b: usize| -> Lanes {
                        std::array::from_fn(|i| (i * a % b) as u32)
                    };
                    let params = [mix(7, 15), mix(5, 11), mix(3, 4), mix(11, 6)];
                    let (mut fast, mut slow) = ([[9; 32]; 4], [[9; 32]; 4]);
                    let reply = load(&surface, &request, &params, 0xf7ff_ffff, &mut fast).unwrap();
                    load_reference(&surface, &request, &params, 0xf7ff_ffff, &mut slow).unwrap();
                    assert_eq!(reply.kernel, kernel);
                    assert_eq!(fast, slow, "{format} {:?}", surface.kind());
                }
            }
        }
    }
}
