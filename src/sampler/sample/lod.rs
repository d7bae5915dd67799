//! Level of detail: from gradients to levels. Levels count 1/256 throughout.
//!
//! ```text
//!  gradients ─▶ lod ─ bias ─ preclamp ─▶ magnified? ─▶ one level, or two and a weight
//! ```
//!
//! Source: surface reference 4.6, 4.8; PRM 4.2.1.

use super::super::settings::{MipFilter, SamplerState};
use crate::math::log2;

/// The least and greatest level of detail that is computed.
pub const RANGE: (i32, i32) = (-8192, 8191);

/// The level of detail for the change of position from a pixel to its right neighbour and to the one
/// below, in texels.
pub fn from_gradients(dx: [f64; 3], dy: [f64; 3]) -> i32 {
    let square = |d: [f64; 3]| d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let (x, y) = (square(dx), square(dy));
    // A maximum that keeps NaN.
    let rho2 = if x.is_nan() || x > y { x } else { y };
    from_length(rho2, 0.5)
}

/// `exponent`·log2 of a length in texels, or of its square, in fixed point.
fn from_length(length: f64, exponent: f64) -> i32 {
    if length.is_nan() {
        return 0;
    }
    if length == 0.0 {
        return RANGE.0;
    }
    let lod = (256.0 * exponent * log2(length) + 0.5).floor();
    lod.clamp(f64::from(RANGE.0), f64::from(RANGE.1)) as i32
}

/// A level or bias from a message in fixed point; NaN is 0.
pub fn fixed(x: f32) -> i32 {
    let x = (f64::from(x) * 256.0 + 0.5).floor();
    x.clamp(f64::from(RANGE.0), f64::from(RANGE.1)) as i32
}

/// What a bias parameter may be. Source: PRM 4.11.1.4, sample_b.
pub const BIASES: std::ops::Range<f32> = -16.0..16.0;

/// A bias parameter: cut to −16 up to, not including, 16.
pub fn bias(x: f32) -> i32 {
    fixed(x).clamp(-16 * 256, 16 * 256 - 1)
}

/// What the surface state says to the choice of levels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    /// Most detailed level, counted in memory.
    pub min_lod: u32,
    /// The MIP Count field: levels below the most detailed one.
    pub more: u32,
    /// Raises the sampler's minimum; 1/256 levels.
    pub resource_min: i32,
    /// Where magnification ends; 1/256 levels.
    pub base: i32,
    /// The sampler's limits are those of computed levels, by their integer bits.
    pub integer_limits: bool,
}

/// The levels a pixel is sampled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The mag filter is in use.
    pub mag: bool,
    /// Level counted in memory.
    pub level: u32,
    /// The next one, of which `beta` 256ths are taken.
    pub next: u32,
    /// Weight of `next`, 0..=255.
    pub beta: u32,
    /// The level of detail that led here: clamped, relative to the most detailed level, with its
    /// fraction where the mip filter is linear.
    pub used: i32,
}

/// Chooses levels for a level of detail to which biases are added already.
pub fn select(lod: i32, state: &SamplerState, surface: &Levels) -> Selection {
    let min = state.min_lod.max(surface.resource_min);
    let max = state.max_lod;
    let clamp = |lod: i32| lod.min(max).max(min);
    let lod = if state.preclamp { clamp(lod) } else { lod };
    let mag = lod - state.base_level.max(surface.base) <= 0;
    let one_level = mag && !state.clamp_magnified || state.mip == MipFilter::None;
    let (used, beta) = if one_level {
        // 0 up to the integer part of the limits.
        let up = |v: i32| (v + 255) >> 8;
        (0.min(up(max)).max(min >> 8) << 8, 0)
    } else if state.mip == MipFilter::Nearest && surface.integer_limits {
        (((lod + 128) & !255).min(max & !255).max(min & !255), 0)
    } else if state.mip == MipFilter::Nearest {
        (clamp(lod).saturating_add(128) & !255, 0)
    } else if surface.integer_limits {
        // Both levels are limited, each by itself; the weight is that of the level of detail as it is.
        (lod, (lod & 255) as u32)
    } else {
        let l = clamp(lod);
        (l, (l & 255) as u32)
    };
    let two = !one_level && state.mip == MipFilter::Linear;
    let at = |level: i32| {
        let level = match two && surface.integer_limits {
            true => level.min(max >> 8).max(min >> 8),
            false => level,
        };
        let memory = level.saturating_add_unsigned(surface.min_lod);
        memory.clamp(
            surface.min_lod as i32,
            (surface.min_lod + surface.more) as i32,
        ) as u32
    };
    let first = used >> 8;
    Selection {
        mag,
        level: at(first),
        next: at(if two { first + 1 } else { first }),
        beta,
        used: clamp_used(used, two && surface.integer_limits, min, max)
            .clamp(0, (surface.more as i32) << 8),
    }
}

/// The level of detail between two levels that are limited each by itself.
fn clamp_used(used: i32, limited: bool, min: i32, max: i32) -> i32 {
    match limited {
        true => used.min(max & !255).max(min & !255),
        false => used,
    }
}

/// Footprint of the anisotropic filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropy {
    /// Replaces the level of detail of the gradients.
    pub lod: i32,
    /// Ratio of the axes after clamping.
    pub ratio: f64,
    /// Number of linear samples, 1 or an even number.
    pub taps: u32,
    /// From one to the next, in texels.
    pub step: [f64; 2],
    /// Weight of the first and last one where the others have 1.
    pub end: f64,
    /// Sum of all weights.
    pub sum: f64,
}

impl Anisotropy {
    /// From the gradients in texels; only two axes count.
    ///
    /// Gradients that are infinite or NaN have no axis: one sample at the level they lead to.
    pub fn new(dx: [f64; 3], dy: [f64; 3], most: u32) -> Anisotropy {
        let length = |d: [f64; 3]| (d[0] * d[0] + d[1] * d[1]).sqrt();
        let (x, y) = (length(dx), length(dy));
        let (major, minor, d) = if x >= y { (x, y, dx) } else { (y, x, dy) };
        let single = Anisotropy {
            lod: from_gradients(dx, dy),
            ratio: 1.0,
            taps: 1,
            step: [0.0; 2],
            end: 1.0,
            sum: 1.0,
        };
        if !(x.is_finite() && y.is_finite()) || major == 0.0 {
            return single;
        }
        let most = f64::from(most);
        let ratio = if minor > 0.0 { major / minor } else { most };
        let ratio = ratio.clamp(1.0, most);
        let step = major / ratio;
        let lod = from_length(step, 1.0);
        if ratio == 1.0 {
            return Anisotropy { lod, ..single };
        }
        let taps = 2.0 * (ratio / 2.0).ceil();
        let spacing = if taps > 2.0 {
            step
        } else {
            step * (ratio - 1.0)
        };
        let end = (ratio - (taps - 2.0)) / 2.0;
        Anisotropy {
            lod,
            ratio,
            taps: taps as u32,
            step: [d[0] * spacing / major, d[1] * spacing / major],
            end,
            sum: taps - 2.0 + 2.0 * end,
        }
    }

    /// Offset from the pixel's position in texels, and weight, of sample `i`.
    pub fn tap(&self, i: u32) -> ([f64; 2], f64) {
        let from_middle = f64::from(i) - (f64::from(self.taps) - 1.0) / 2.0;
        let ends = i == 0 || i + 1 == self.taps;
        let weight = if ends { self.end } else { 1.0 };
        (self.step.map(|s| s * from_middle), weight / self.sum)
    }
}
