//! FXT1: 8×4 texels in 16 bytes, two halves of 4×4.
//!
//! ```text
//!   texels  0  1  2  3 │ 16 17 18 19        colours are B, G, R of 5 bits each, from the low end
//!           4  5  6  7 │ 20 …
//! ```
//!
//! Source: surface reference 2.9; 3DFX_texture_compression_FXT1.

use super::super::CellBytes;
use super::{bits128, expand5, expand6, field};

const TRANSPARENT: [u32; 4] = [0; 4];

/// A colour of 5 bits each, opaque.
fn colour(bits: u128, at: u32) -> [u32; 4] {
    let part = |from| expand5(field(bits, at + from, 5));
    [part(10), part(5), part(0), 255]
}

/// Between two colours, each channel of the sum `wa·a + wb·b` divided and truncated.
fn mix(wa: u32, a: [u32; 4], wb: u32, b: [u32; 4], round: u32, by: u32) -> [u32; 4] {
    std::array::from_fn(|i| (wa * a[i] + wb * b[i] + round) / by)
}

/// Entry `k` of the four-colour ramp from a to b.
fn ramp(k: u32, a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    match k {
        0 => a,
        1 => mix(2, a, 1, b, 1, 3),
        2 => mix(1, a, 2, b, 1, 3),
        _ => b,
    }
}

pub fn fxt1(cell: &CellBytes, x: u32, y: u32) -> [u8; 4] {
    let bits = bits128(cell);
    let right = x >= 4;
    let t = 4 * y + x % 4 + if right { 16 } else { 0 };
    let index = field(bits, 2 * t, 2);
    let texel = match field(bits, 125, 3) {
        0 | 1 => high(bits, field(bits, 3 * t, 3)),
        2 => colour(bits, 64 + 15 * index),
        3 => alpha(bits, right, index),
        _ => mixed(bits, right, index),
    };
    texel.map(|v| v as u8)
}

/// CC_HI: a ramp of seven, or transparent.
fn high(bits: u128, k: u32) -> [u32; 4] {
    match k {
        7 => TRANSPARENT,
        _ => mix(6 - k, colour(bits, 96), k, colour(bits, 111), 3, 6),
    }
}

/// CC_ALPHA: three colours with alpha; a ramp in each half if bit 124 is set.
fn alpha(bits: u128, right: bool, index: u32) -> [u32; 4] {
    let with_alpha = |n: u32| {
        let [r, g, b, _] = colour(bits, 64 + 15 * n);
        [r, g, b, expand5(field(bits, 109 + 5 * n, 5))]
    };
    match (field(bits, 124, 1), index) {
        (0, 3) => TRANSPARENT,
        (0, n) => with_alpha(n),
        (_, k) => ramp(k, with_alpha(if right { 2 } else { 0 }), with_alpha(1)),
    }
}

/// CC_MIXED: a ramp, or three colours and transparent, in each half; greens have a sixth bit.
fn mixed(bits: u128, right: bool, index: u32) -> [u32; 4] {
    let (at, lsb, selector) = if right { (94, 126, 33) } else { (64, 125, 1) };
    let (low, selector) = (field(bits, lsb, 1), field(bits, selector, 1));
    let green = |at: u32, low: u32| expand6(field(bits, at + 5, 5) << 1 | low);
    let (mut a, mut b) = (colour(bits, at), colour(bits, at + 15));
    b[1] = green(at + 15, low);
    if field(bits, 124, 1) == 0 {
        a[1] = green(at, low ^ selector);
        return ramp(index, a, b);
    }
    match index {
        0 => a,
        1 => mix(1, a, 1, b, 0, 2),
        2 => b,
        _ => TRANSPARENT,
    }
}
