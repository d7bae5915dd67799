//! BC1 to BC5 with the interpolation measured on Intel hardware, which rounds where the Direct3D reference
//! truncates; both are within the tolerance of the interfaces.
//!
//! Source: surface reference 2.6 and 2.7.

use super::super::CellBytes;
use super::super::texel::Rgba;
use super::{bits128, expand5, expand6, field};

const ONE: u32 = 0x3f80_0000;

/// Between a and b, w in 1/256.
fn lerp(w: u32, a: u32, b: u32) -> u32 {
    ((256 - w) * a + w * b + 128) >> 8
}

/// A 64-bit colour block.
///
/// ```text
///   bit 63                  32 31      16 15       0
///   ┌─────────────────────────┬──────────┬──────────┐
///   │ 16 indices of 2 bits    │ c1 5:6:5 │ c0 5:6:5 │   texel t = 4y + x at bit 32 + 2t
///   └─────────────────────────┴──────────┴──────────┘
/// ```
fn colour(block: u128, t: u32, always_four: bool) -> [u8; 4] {
    let (c0, c1) = (field(block, 0, 16), field(block, 16, 16));
    let rgb = |c: u32| [expand5(c >> 11), expand6(c >> 5 & 63), expand5(c & 31)];
    let (a, b) = (rgb(c0), rgb(c1));
    let between = |w| std::array::from_fn(|i| lerp(w, a[i], b[i]));
    let four = always_four || c0 > c1;
    let ([r, g, b], alpha) = match (field(block, 32 + 2 * t, 2), four) {
        (0, _) => (a, 255),
        (1, _) => (b, 255),
        (2, true) => (between(85), 255),
        (2, false) => (between(128), 255),
        (_, true) => (between(171), 255),
        (_, false) => ([0; 3], 0),
    };
    [r as u8, g as u8, b as u8, alpha]
}

/// The four colours of a BC1 block, each R, G, B, A from the low byte up, from its two ends; `opaque` makes
/// the missing colour black.
///
/// The same numbers as `colour` gives texel by texel, three channels in one product: each has sixteen
/// bits of its own.
pub fn bc1_palette(ends: u32, opaque: bool) -> [u32; 4] {
    let apart = |c: u32| {
        let (r, g, b) = (expand5(c >> 11), expand6(c >> 5 & 63), expand5(c & 31));
        u64::from(r) | u64::from(g) << 16 | u64::from(b) << 32
    };
    let (c0, c1) = (ends & 0xffff, ends >> 16);
    let (a, b) = (apart(c0), apart(c1));
    let between = |w: u64| ((256 - w) * a + w * b + 0x80_0080_0080) >> 8;
    let joined = |c: u64| {
        let [r, g, b] = [0, 16, 32].map(|low| (c >> low) as u32 & 255);
        r | g << 8 | b << 16 | 0xff00_0000
    };
    let nothing = if opaque { 0xff00_0000 } else { 0 };
    match c0 > c1 {
        true => [a, b, between(85), between(171)].map(joined),
        false => [joined(a), joined(b), joined(between(128)), nothing],
    }
}

pub fn bc1(cell: &CellBytes, x: u32, y: u32) -> [u8; 4] {
    colour(bits128(cell), 4 * y + x, false)
}

/// Alphas of 4 bits, then a colour block.
pub fn bc2(cell: &CellBytes, x: u32, y: u32) -> [u8; 4] {
    let (bits, t) = (bits128(cell), 4 * y + x);
    let [r, g, b, _] = colour(bits >> 64, t, true);
    [r, g, b, field(bits, 4 * t, 4) as u8 * 17]
}

/// An alpha block of two ends and 3-bit indices from bit 16, then a colour block.
pub fn bc3(cell: &CellBytes, x: u32, y: u32) -> [u8; 4] {
    let (bits, t) = (bits128(cell), 4 * y + x);
    let [r, g, b, _] = colour(bits >> 64, t, true);
    let (a0, a1) = (field(bits, 0, 8), field(bits, 8, 8));
    let weight = |k: u32, n: u32| (512 * k + n) / (2 * n);
    let alpha = match (field(bits, 16 + 3 * t, 3), a0 > a1) {
        (0, _) => a0,
        (1, _) => a1,
        (k, true) => lerp(weight(k - 1, 7), a0, a1),
        (6, false) => 0,
        (7, false) => 255,
        (k, false) => lerp(weight(k - 1, 5), a0, a1),
    };
    [r, g, b, alpha as u8]
}

/// Entry `index` of the palette between two ends, kept to 8 fraction bits; `Err` for the two constants of
/// the six-value palette: low and high end of the range.
fn entry(index: u32, e0: i32, e1: i32) -> Result<i32, bool> {
    let between = |k: u32, n: u32| {
        let w = ((131_072 * k + n) / (2 * n)) as i32;
        ((65536 - w) * e0 + w * e1 + 128) >> 8
    };
    match (index, e0 > e1) {
        (0, _) => Ok(e0 * 256),
        (1, _) => Ok(e1 * 256),
        (k, true) => Ok(between(k - 1, 7)),
        (6, false) => Err(false),
        (7, false) => Err(true),
        (k, false) => Ok(between(k - 1, 5)),
    }
}

/// A BC4 block as UNORM: 16 bits, of which 65535 is one.
fn unorm(block: u128, t: u32) -> u32 {
    let (e0, e1) = (field(block, 0, 8) as i32, field(block, 8, 8) as i32);
    let q = match entry(field(block, 16 + 3 * t, 3), e0, e1) {
        Ok(v) => v + (v >> 8),
        Err(high) => i32::from(high) * 65535,
    };
    (q as f32 / 65535.0).to_bits()
}

/// A BC4 block as SNORM: 32767 is one; the code −128 counts as −127. The ends are exactly e / 127, which
/// the widening to 16 bits would miss by a fraction of its last bit.
fn snorm(block: u128, t: u32) -> u32 {
    let end = |at| i32::from(field(block, at, 8) as u8 as i8).max(-127);
    let (e0, e1) = (end(0), end(8));
    let index = field(block, 16 + 3 * t, 3);
    let value = match entry(index, e0, e1) {
        _ if index == 0 => e0 as f32 / 127.0,
        _ if index == 1 => e1 as f32 / 127.0,
        Ok(v) => {
            let a = v.abs();
            (v.signum() * (a + (a >> 7) + (a >> 14))) as f32 / 32767.0
        }
        Err(true) => 1.0,
        Err(false) => -1.0,
    };
    value.to_bits()
}

pub fn bc4_unorm(cell: &CellBytes, x: u32, y: u32) -> Rgba {
    [unorm(bits128(cell), 4 * y + x), 0, 0, ONE]
}

pub fn bc4_snorm(cell: &CellBytes, x: u32, y: u32) -> Rgba {
    [snorm(bits128(cell), 4 * y + x), 0, 0, ONE]
}

pub fn bc5_unorm(cell: &CellBytes, x: u32, y: u32) -> Rgba {
    let (bits, t) = (bits128(cell), 4 * y + x);
    [unorm(bits, t), unorm(bits >> 64, t), 0, ONE]
}

pub fn bc5_snorm(cell: &CellBytes, x: u32, y: u32) -> Rgba {
    let (bits, t) = (bits128(cell), 4 * y + x);
    [snorm(bits, t), snorm(bits >> 64, t), 0, ONE]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_holds_what_texels_decode_to() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let ends = (state >> 32) as u32;
            // Texels 0 to 3 take the four colours in order.
            let block = u128::from(ends) | 0b1110_0100 << 32;
            let palette = bc1_palette(ends, false);
            for (t, entry) in (0..4).zip(palette) {
                assert_eq!(entry.to_le_bytes(), colour(block, t, false), "{ends:08x}");
            }
            let alphas = bc1_palette(ends, true).map(|c| c >> 24);
            assert_eq!(alphas, [255; 4]);
        }
    }
}
