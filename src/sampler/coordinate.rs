//! From a coordinate to texel indices and weights along one axis: pure functions of numbers.
//!
//! ```text
//!  c ─ reduce ─▶ c·n, one rounding ─▶ −½ if linear ─▶ fixed point with 8 fraction bits ─▶ index, beta
//!                                                                          index ─ wrap ─▶ 0..n or border
//! ```
//!
//! Source: surface reference 4.2 and 4.3.

use super::settings::Address;

/// One axis of the level that is sampled.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Texels along the axis, 1 at least.
    pub size: u32,
    /// What happens outside.
    pub mode: Address,
    /// Fixed point is rounded, not cut.
    pub round: bool,
    /// The coordinate counts texels.
    pub unnormalized: bool,
}

/// Coordinates are cut to this many map widths on either side where they do not repeat.
const WIDEST: f64 = 10.0;

impl Axis {
    /// The position in 1/256 texel: of the texel a coordinate lies in, or, with `linear`, of the first of
    /// the two around it.
    pub fn position(&self, c: f64, linear: bool) -> i32 {
        let n = f64::from(self.size);
        let p = if self.unnormalized {
            // Only clamp and border are legal here, so that what is cut off reads the same.
            let c = if c.is_nan() { 0.0 } else { c };
            c.clamp(-WIDEST * n, WIDEST * n) as f32
        } else {
            (self.reduce(c) as f32) * self.size as f32
        };
        let p = if linear { p - 0.5 } else { p };
        let half = if self.round { 0.5 } else { 0.0 };
        // At most 163840 texels either way: exact in f64 and inside i32.
        (f64::from(p) * 256.0 + half).floor() as i32
    }

    /// Whether every coordinate has a texel, and no border colour is ever seen.
    pub const fn never_leaves(&self) -> bool {
        !matches!(self.mode, Address::Border | Address::HalfBorder)
    }

    /// The coordinate brought near the map, so that what follows keeps its precision.
    fn reduce(&self, c: f64) -> f64 {
        if c.is_nan() {
            return 0.0;
        }
        match self.mode {
            Address::Wrap | Address::Mirror if c.is_infinite() => 0.0,
            Address::Wrap => c - c.floor(),
            Address::Mirror => 2.0 * (c / 2.0 - (c / 2.0).trunc()),
            Address::HalfBorder => c.clamp(0.0, 1.0),
            _ => c.clamp(-WIDEST, WIDEST),
        }
    }

    /// Texel index to an index in `0..size`; `None` is the border colour.
    ///
    /// Faces of cubes that join are [`super::cube`]'s; here they clamp.
    pub fn index(&self, t: i64) -> Option<u32> {
        let n = i64::from(self.size);
        // t < 0 reflected about the edge: −1 is 0, −2 is 1.
        let magnitude = |t: i64| if t < 0 { -t - 1 } else { t };
        let inside = match self.mode {
            Address::Wrap => t.rem_euclid(n),
            Address::Mirror => {
                let t = magnitude(t);
                let r = t % n;
                if t / n % 2 == 1 { n - 1 - r } else { r }
            }
            Address::Clamp | Address::Cube => t.clamp(0, n - 1),
            Address::MirrorOnce => magnitude(t).min(n - 1),
            Address::Border | Address::HalfBorder => {
                if !(0..n).contains(&t) {
                    return None;
                }
                t
            }
        };
        Some(inside as u32)
    }
}

/// An array index: rounded to the nearest slice, ties to even, and clamped.
///
/// Source: surface reference 4.2, "Third coordinate of arrays".
pub fn slice(a: f32, slices: u32) -> u32 {
    // A cast of NaN gives 0, of great numbers the nearest one.
    (a.round_ties_even() as u32).min(slices.saturating_sub(1))
}
