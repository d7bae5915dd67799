//! Where the pixels of a block lie: texel positions with eight fraction bits.
//!
//! A texel's centre is at its whole number; there is no half-texel shift. Source: AVS reference 1.4.

use crate::message::{AvsRequest, Scale8x8Request};

/// Columns of the widest block, 16x8 and 16x4, with two more on each side for the enhancement filter.
pub const MAX_COLUMNS: usize = 20;
/// Rows of the highest block, 16x8, with two more on each side.
pub const MAX_ROWS: usize = 12;

/// The pixels of a block and the polynomials of their coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    /// Normalised x and y of pixel (0, 0) of the whole group of blocks.
    pub origin: (f32, f32),
    /// Steps between columns and between rows.
    pub step: (f32, f32),
    /// Changes of the steps.
    pub change: (f32, f32),
    /// Columns and rows of the block.
    pub size: (u32, u32),
    /// Row of the group with which the block begins.
    pub line: i64,
}

impl From<&AvsRequest> for Raster {
    fn from(request: &AvsRequest) -> Raster {
        Raster {
            origin: (request.u, request.v),
            step: (request.delta_u, request.delta_v),
            change: (request.u2d, request.v2d),
            size: request.mode.size(),
            line: i64::from(request.vertical_block) * 4,
        }
    }
}

/// The message of Gen5 has neither block number nor v2d. Source: AVS reference 1.3.
impl From<&Scale8x8Request> for Raster {
    fn from(request: &Scale8x8Request) -> Raster {
        Raster {
            origin: (request.u, request.v),
            step: (request.delta_u, request.delta_v),
            change: (request.u2d, 0.0),
            size: (8, 8),
            line: 0,
        }
    }
}

/// Positions on the luma (or only) plane, 8.8 fixed point: columns and rows are independent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions {
    u: [i32; MAX_COLUMNS],
    v: [i32; MAX_ROWS],
    columns: usize,
    rows: usize,
}

impl Positions {
    /// The positions of a block on a `width` x `height` surface, with `margin` (0..=2)
    /// more pixels on every side: the coordinate polynomials simply go on there.
    pub fn new(raster: &Raster, width: u32, height: u32, margin: u32) -> Positions {
        let (w, h) = raster.size;
        let first = -i64::from(margin);
        let (columns, rows) = ((w + 2 * margin) as usize, (h + 2 * margin) as usize);
        let (mut u, mut v) = ([0; MAX_COLUMNS], [0; MAX_ROWS]);
        let ((u0, v0), (du, dv), (ddu, ddv)) = (raster.origin, raster.step, raster.change);
        run_of_positions(u0, du, ddu, first, width, &mut u[..columns]);
        run_of_positions(v0, dv, ddv, raster.line + first, height, &mut v[..rows]);
        Positions {
            u,
            v,
            columns,
            rows,
        }
    }

    /// One for each column.
    pub fn u(&self) -> &[i32] {
        &self.u[..self.columns]
    }

    /// One for each row.
    pub fn v(&self) -> &[i32] {
        &self.v[..self.rows]
    }
}

/// Position of pixel `at` on an axis of `size` texels, in 1/256 texel, −2³⁰..=2³⁰.
///
/// `origin + delta*at + second * at*(at-1)/2` in double precision, left to right, times the size,
/// rounded to the nearest 1/256. Source: AVS reference 1.4 and decision D3.
pub fn texel_position(origin: f32, delta: f32, second: f32, at: i64, size: u32) -> i32 {
    const LIMIT: f64 = (1 << 30) as f64;
    // `at` stays below 2^35, so its square needs more than 64 bits only beyond 2^31.
    let pairs = match i32::try_from(at) {
        Ok(at) => (i64::from(at) * (i64::from(at) - 1) / 2) as f64,
        Err(_) => (i128::from(at) * (i128::from(at) - 1) / 2) as f64,
    };
    let normal = (f64::from(origin) + f64::from(delta) * at as f64) + f64::from(second) * pairs;
    let t = normal * f64::from(size) * 256.0 + 0.5;
    if t.is_nan() {
        return 0;
    }
    // Clamping before the floor is the same, the limits being whole numbers.
    let t = t.clamp(-LIMIT, LIMIT);
    let towards_zero = t as i32;
    towards_zero - i32::from(f64::from(towards_zero) > t)
}

/// [`texel_position`] of pixels `first`, `first + 1`, ….
#[inline(always)]
pub(super) fn run_of_positions(
    origin: f32,
    delta: f32,
    second: f32,
    first: i64,
    size: u32,
    out: &mut [i32],
) {
    /// Adding this to a number below 2^51 rounds it to a whole one, which is then in the low bits.
    const ROUND: f64 = (3_i64 << 51) as f64;
    const LIMIT: f64 = (1 << 30) as f64;
    if first.abs() > 1 << 24 {
        for (out, at) in out.iter_mut().zip(first..) {
            *out = texel_position(origin, delta, second, at, size);
        }
        return;
    }
    // The same numbers: at * (at - 1) / 2 is exact here. Without branches, and so several at a time.
    let (origin, delta) = (f64::from(origin), f64::from(delta));
    let (second, size) = (f64::from(second), f64::from(size));
    for (out, at) in out.iter_mut().zip(first as i32..) {
        let at = f64::from(at);
        let normal = (origin + delta * at) + second * (at * (at - 1.0) / 2.0);
        let t = normal * size * 256.0 + 0.5;
        let t = if t.is_nan() {
            0.0
        } else {
            t.clamp(-LIMIT, LIMIT)
        };
        let rounded = t + ROUND;
        *out = rounded.to_bits() as i32 - i32::from(rounded - ROUND > t);
    }
}

/// Texel at or left of a position.
pub const fn whole(t: i32) -> i32 {
    t >> 8
}

/// Phase of a position: the fraction truncated to 1/32. Source: AVS reference 3.6.
pub const fn beta(t: i32) -> u8 {
    ((t & 0xff) >> 3) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_positions_is_one_after_the_other() {
        let mut numbers = vec![0.0, -0.0, 0.3, -1.7, 1e-30, 3e38, f32::NAN];
        numbers.extend([
            f32::INFINITY,
            f32::NEG_INFINITY,
            1.0 / 1920.0,
            -4.0e6,
            0.5 / 256.0,
        ]);
        for (i, &origin) in numbers.iter().enumerate() {
            for &delta in &numbers {
                let second = numbers[(3 * i + 2) % numbers.len()];
                for first in [-2, 0, 5, 1 << 24, (1 << 24) + 1, 1 << 34] {
                    for size in [1, 16, 1919, 65536] {
                        let mut run = [0; 20];
                        run_of_positions(origin, delta, second, first, size, &mut run);
                        let one = |at| texel_position(origin, delta, second, at, size);
                        let each: Vec<i32> = (first..first + 20).map(one).collect();
                        assert_eq!(run[..], each, "{origin} {delta} {second} {first} {size}");
                    }
                }
            }
        }
    }
}
