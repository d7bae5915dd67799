//! Which texel each lane of a load asks for, and whether it lies inside. Source: surface reference 3.7, 4.13.

use super::super::Lanes;
use super::super::params::Params;
use super::super::sample::Taken;
use crate::message::{Parameter, SamplerOp, SamplerRequest};
use crate::surface::format::Returns;
use crate::surface::layout::stored_slice;
use crate::surface::{Kind, Surface};

/// Coordinates of the lanes whose texel lies inside the surface.
pub(super) struct Points {
    pub inside: u32,
    pub x: Lanes,
    pub y: Lanes,
    pub slice: Lanes,
    /// Counted in memory.
    pub level: Lanes,
    pub sample: Lanes,
    /// Lanes whose control word says that the pixel has the clear colour.
    pub clear: u32,
}

/// What one lane of a load asks for: u, v, r without the message's offsets, and the level; 0 where the message
/// has no such parameter.
pub fn asked(request: &SamplerRequest, params: &[Lanes], lane: usize) -> [i64; 4] {
    let given = Params::new(request, params);
    let known = lane < 32;
    [Parameter::U, Parameter::V, Parameter::R, Parameter::Lod]
        .map(|p| if known { given.integer(p, lane) } else { 0 })
}

/// The texels that a load takes, by lane, as the definition reads them.
pub fn taken(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
) -> Vec<(usize, Taken)> {
    if surface.kind() == Kind::Null {
        return Vec::new();
    }
    let p = points(surface, request, params, active);
    let number = |bits: u32| match surface.format().returns {
        Returns::AsFloat => f64::from(f32::from_bits(bits)),
        Returns::AsSint => f64::from(bits as i32),
        Returns::AsUint | Returns::AsRaw => f64::from(bits),
    };
    let lanes = (0..32).filter(|lane| p.inside >> lane & 1 == 1);
    lanes
        .filter_map(|lane| {
            let (level, slice, x, y) = (p.level[lane], p.slice[lane], p.x[lane], p.y[lane]);
            let rgba = surface.load_texel(level, slice, x, y, p.sample[lane])?;
            let taken = Taken {
                level,
                slice,
                at: Some((x, y)),
                outside: None,
                sample: p.sample[lane],
                weight: 1.0,
                rgba: rgba.map(number),
            };
            Some((lane, taken))
        })
        .collect()
}

/// The lanes of a load that ask for a texel outside the surface, each with its column, row, slice and level.
pub fn missed(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
) -> Vec<(u8, [i64; 4])> {
    if surface.kind() == Kind::Null {
        return Vec::new();
    }
    let missed = active & !points(surface, request, params, active).inside;
    let lanes = (0..32).filter(|lane| missed >> lane & 1 == 1);
    let [du, dv, dr] = request.offsets.map(i64::from);
    lanes
        .map(|lane| {
            let [u, v, r, lod] = asked(request, params, lane.into());
            let place = match surface.kind() {
                Kind::Buffer => [u + du, 0, 0, lod],
                Kind::D1 => [u + du, 0, v, lod],
                Kind::D3 => [u + du, v + dv, r + dr, lod],
                _ => [u + du, v + dv, r, lod],
            };
            (lane, place)
        })
        .collect()
}

pub(super) fn points(
    surface: &Surface,
    request: &SamplerRequest,
    params: &[Lanes],
    active: u32,
) -> Points {
    let d = surface.description();
    let given = Params::new(request, params);
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
