//! Small floating-point formats and the sRGB curve, exact to the bit on every host.
//!
//! Source: surface reference 2.1, 2.2, 2.11.

use std::sync::LazyLock;

/// The quiet NaN all conversions give; payloads of converted NaNs are not significant.
pub const NAN: u32 = 0x7fc0_0000;

/// Binary16 to binary32: exact, NaN becomes quiet. Without a branch, so that loops over lanes become vector
/// code.
#[inline(always)]
pub fn half_to_f32(bits: u16) -> u32 {
    let bits = u32::from(bits);
    let magnitude = (bits & 0x7fff) << 13;
    let exponent = magnitude & 0x0f80_0000;
    // 2^-14 + m · 2^-24 less 2^-14 is what a denormal stands for.
    let least = 113u32 << 23;
    let denormal = (f32::from_bits(magnitude | least) - f32::from_bits(least)).to_bits();
    let quiet = if bits & 0x3ff == 0 { 0 } else { 0x0040_0000 };
    let special = magnitude | 0x7f80_0000 | quiet;
    let value = if exponent == 0x0f80_0000 {
        special
    } else {
        magnitude + (112 << 23)
    };
    let value = if exponent == 0 { denormal } else { value };
    value | (bits & 0x8000) << 16
}

/// Binary32 to binary16, rounding to nearest, ties to even.
#[inline]
pub fn f32_to_half_nearest(bits: u32) -> u16 {
    half::f16::from_f32_const(f32::from_bits(bits)).to_bits()
}

/// Unsigned float with 5 bits of exponent (bias 15) and `mantissa` bits (6 or 5), to binary32.
pub fn small_to_f32(bits: u32, mantissa: u32) -> u32 {
    let (e, m) = (bits >> mantissa & 31, bits & ((1 << mantissa) - 1));
    match (e, m) {
        (31, 0) => f32::INFINITY.to_bits(),
        (31, _) => NAN,
        // Denormals: m · 2^(−14 − mantissa), exact.
        (0, _) => (m as f32 * power_of_two(-14 - mantissa as i32)).to_bits(),
        (_, _) => (e + 127 - 15) << 23 | m << (23 - mantissa),
    }
}

/// A shared-exponent channel: m · 2^(e − 24), exact.
pub fn shared_exponent(m: u32, e: u32) -> u32 {
    (m as f32 * power_of_two(e as i32 - 24)).to_bits()
}

/// Three colours as mantissas of nine bits and the exponent they share: NaN and negative numbers are 0, what is
/// too large is the largest number there is, 65408; mantissas are rounded half up.
///
/// Source: EXT_texture_shared_exponent; surface reference 2.1 for the format. The reference states no way to
/// store it: a model choice.
pub fn to_shared_exponent(rgb: [u32; 3]) -> ([u32; 3], u32) {
    let most = shared_number(511, 31);
    let rgb = rgb.map(|bits| match f64::from(f32::from_bits(bits)) {
        // NaN compares false.
        c if c > 0.0 => c.min(most),
        _ => 0.0,
    });
    let greatest = rgb.into_iter().fold(0.0, f64::max);
    let mantissa = |c: f64, e: u32| (c / shared_number(1, e) + 0.5).floor() as u32;
    // The least exponent in which the greatest colour has nine bits.
    let e = (0..32).find(|&e| mantissa(greatest, e) < 512).unwrap_or(31);
    (rgb.map(|c| mantissa(c, e)), e)
}

/// m · 2^(e − 24).
fn shared_number(m: u32, e: u32) -> f64 {
    f64::from(f32::from_bits(shared_exponent(m, e)))
}

/// Binary32 to a float of 5 exponent bits and `mantissa` bits, rounding toward zero; finite overflow gives
/// the largest finite value, NaN a NaN. The result has no sign bit: the caller deals with signs.
///
/// Source: surface reference 2.11, rounding of render targets (a model choice after Direct3D 11.3 3.2.2).
fn magnitude_toward_zero(bits: u32, mantissa: u32) -> u32 {
    let bits = bits & 0x7fff_ffff;
    let (e, m) = ((bits >> 23) as i32 - 127, bits & 0x7f_ffff);
    let top = (1 << mantissa) - 1;
    match e {
        128 if m != 0 => 31 << mantissa | 1 << (mantissa - 1),
        128 => 31 << mantissa,
        16.. => 30 << mantissa | top,
        -14.. => ((e + 15) as u32) << mantissa | m >> (23 - mantissa),
        // Denormal: the implicit one moves right.
        _ => {
            let shift = (23 - mantissa) as i32 + (-14 - e);
            if shift > 24 {
                0
            } else {
                (m | 0x80_0000) >> shift
            }
        }
    }
}

/// Binary32 to binary16 rounding toward zero. Source: surface reference 2.11.
pub fn f32_to_half_toward_zero(bits: u32) -> u16 {
    ((bits >> 31) << 15 | magnitude_toward_zero(bits, 10)) as u16
}

/// Binary32 to an unsigned small float: negative numbers and −Inf give 0, NaN stays NaN.
pub fn f32_to_small(bits: u32, mantissa: u32) -> u32 {
    let nan = bits & 0x7fff_ffff > 0x7f80_0000;
    if bits >> 31 == 1 && !nan {
        0
    } else {
        magnitude_toward_zero(bits, mantissa)
    }
}

fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// n-bit sRGB code to linear light: the piecewise curve in f64, rounded once to f32.
///
/// Source: surface reference 2.2.
pub fn srgb_to_linear(code: u32, bits: u32) -> u32 {
    static EIGHT_BITS: LazyLock<[u32; 256]> =
        LazyLock::new(|| std::array::from_fn(|v| linear(v as f64 / 255.0)));
    if bits == 8 {
        return EIGHT_BITS[code as usize & 255];
    }
    linear(f64::from(code) / f64::from((1u32 << bits) - 1))
}

fn linear(c: f64) -> u32 {
    let lin = if c <= 0.04045 {
        c / 12.92
    } else {
        // x^2.4 is the twelfth power of the fifth root.
        let r = root5((c + 0.055) / 1.055);
        let r4 = r * r * (r * r);
        r4 * r4 * r4
    };
    (lin as f32).to_bits()
}

/// Linear light 0..=1 to the sRGB curve, in f64.
pub fn linear_to_srgb(x: f64) -> f64 {
    if x <= 0.003_130_8 {
        12.92 * x
    } else {
        // x^(1/2.4) is the fifth power of the twelfth root.
        let r = root3(x.sqrt().sqrt());
        1.055 * (r * r * (r * r) * r) - 0.055
    }
}

/// Fifth root of 0 < x <= 2 by Newton's steps, which converge from above.
fn root5(x: f64) -> f64 {
    let mut r: f64 = 1.2;
    for _ in 0..40 {
        let r4 = r * r * (r * r);
        r -= (r4 * r - x) / (5.0 * r4);
    }
    r
}

/// Cube root of 0 < x <= 1.
fn root3(x: f64) -> f64 {
    let mut r: f64 = 1.0;
    for _ in 0..30 {
        r -= (r * r * r - x) / (3.0 * r * r);
    }
    r
}
