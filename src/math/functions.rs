//! The functions: `inv log exp sqrt rsqrt sin cos pow` and their relatives.
//!
//! Arguments come as `f64` that hold an `f` or `hf` exactly; results are `f64` close to the true value,
//! to be rounded once to the destination. The relative error before that rounding is stated at each
//! function, so a single precision result is the correctly rounded one except where the true value
//! lies that close to a tie. Hardware is looser (1 ulp for `inv`, 2^-21 for `log`: PRM 6.3), so a
//! comparison with hardware needs a tolerance, a comparison with IEEE hardly one.
//!
//! Only `+ - * /`, `sqrt` and bit operations are used, which every host computes alike.
//! Special values: vISA text reference 6.5, PRM 6.3.

/// `1/x`, rounded to odd: exact for any later rounding.
pub fn inv(x: f64) -> f64 {
    div(1.0, x)
}

/// `a/b`, rounded to odd: a later rounding to 24 or 11 bits, in any direction, is the correct one.
pub fn div(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    // What is left has the sign of the error times the sign of b; a remainder of IEEE operands is exact.
    let rest = (-quotient).mul_add(b, a);
    odd(quotient, if b < 0.0 { -rest } else { rest })
}

/// The square root, rounded to odd. −0 stays, below zero is NaN.
pub fn sqrt(x: f64) -> f64 {
    let root = x.sqrt();
    odd(root, (-root).mul_add(root, x))
}

/// `1/sqrt(x)`: ±0 gives ±infinity. Relative error below 2^-51.
pub fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// The odd neighbour of an inexact even value on the side of `error`.
fn odd(value: f64, error: f64) -> f64 {
    let bits = value.to_bits();
    if bits & 1 != 0 || !value.is_finite() || value == 0.0 || !error.is_normal() {
        return value;
    }
    let away = (error > 0.0) == (value > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// A sum `c[0] + x·c[1] + …` with the smallest terms first: the even powers and the odd ones apart, since a host computes
/// both at once.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    let square = x * x;
    let sum = |first: usize| {
        let own = coefficients.iter().skip(first).step_by(2);
        own.rev().fold(0.0, |sum, c| sum * square + c)
    };
    sum(0) + sum(1) * x
}

/// Base 2 logarithm. ±0 gives −infinity, below zero NaN. Relative error below 2^-50.
///
/// `x = m·2^e` with m in [√½, √2); log m = 2·artanh f with f = (m−1)/(m+1), |f| < 0.172.
pub fn log2(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return x;
    }
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let f = (m - 1.0) / (m + 1.0);
    f64::from(exponent) + 2.0 * std::f64::consts::LOG2_E * f * polynomial(f * f, &LOG2_SERIES)
}

/// That of artanh f / f, in f².
pub const LOG2_SERIES: [f64; 12] = [
    1.0,
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
    1.0 / 17.0,
    1.0 / 19.0,
    1.0 / 21.0,
    1.0 / 23.0,
];

/// 2 to the power of `x`. Relative error below 2^-51; powers of two are exact.
///
/// `16·x = n + r`, n the nearest integer; 2^(n/16) has one of 16 mantissas, 2^(r/16) is a short series.
pub fn exp2(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == f64::NEG_INFINITY {
        return 0.0;
    }
    // Far outside what any destination holds.
    let x = x.clamp(EXP2_RANGE[0], EXP2_RANGE[1]) * EXP2_STEPS;
    let whole = x + TO_INTEGER;
    let rest = x - (whole - TO_INTEGER);
    let whole = whole.to_bits();
    let scale = EXP2_ROOTS[whole as usize % EXP2_ROOTS.len()].wrapping_add(whole << 48);
    polynomial(rest, &EXP2_SERIES) * f64::from_bits(scale)
}

/// Beyond these every destination holds 0 or infinity.
pub const EXP2_RANGE: [f64; 2] = [-1000.0, 1023.9];

/// So many steps there are from one power of two to the next.
pub const EXP2_STEPS: f64 = 16.0;

/// What makes a double an integer, which are its lowest bits then: 1.5·2^52.
pub const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// The bits of 2^(n/16), less n in the place of their exponent's sixteenths: a number of sixteenths in that place, added,
/// makes it that power of two.
pub const EXP2_ROOTS: [u64; 16] = {
    let mut roots = [
        0x3ff0_0000_0000_0000,
        0x3ff0_b558_6cf9_890f,
        0x3ff1_72b8_3c7d_517b,
        0x3ff2_387a_6e75_6238,
        0x3ff3_06fe_0a31_b715,
        0x3ff3_dea6_4c12_3422,
        0x3ff4_bfda_d536_2a27,
        0x3ff5_ab07_dd48_5429,
        0x3ff6_a09e_667f_3bcd,
        0x3ff7_a114_73eb_0187,
        0x3ff8_ace5_422a_a0db,
        0x3ff9_c491_82a3_f090,
        0x3ffa_e89f_995a_d3ad,
        0x3ffc_199b_dd85_529c,
        0x3ffd_5818_dcfb_a487,
        0x3ffe_a4af_a2a4_90da,
    ];
    let mut n = 0;
    while n < 16 {
        roots[n] -= (n as u64) << 48;
        n += 1;
    }
    roots
};

/// That of 2^(r/16), |r| ≤ ½: the first two terms are those of e^(r·ln 2/16), the others those of which the largest error is
/// smallest, 2^-55.
pub const EXP2_SERIES: [f64; 7] = [
    1.0,
    std::f64::consts::LN_2 / 16.0,
    9.383_847_928_089_874e-4,
    1.355_080_777_838_766_2e-5,
    1.467_610_032_135_696_8e-7,
    1.271_604_951_702_023e-9,
    9.181_354_189_608_255e-12,
];

const fn inverse_factorials<const N: usize>() -> [f64; N] {
    let mut out = [1.0; N];
    let mut factorial = 1.0;
    let mut k = 1;
    while k < N {
        factorial *= k as f64;
        out[k] = 1.0 / factorial;
        k += 1;
    }
    out
}

/// `abs(x)` to the power of `y`: 2^(y · log2 abs(x)), as the PRM 6.3.6 defines it, so 0^0 and 1^inf
/// are NaN. Relative error below 2^-43 for results that singles hold.
pub fn pow(x: f64, y: f64) -> f64 {
    exp2(y * log2(x.abs()))
}

/// Hyperbolic tangent. Relative error below 2^-48.
pub fn tanh(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 {
        return x;
    }
    if x.abs() < 1.0 {
        // Its continued fraction x / (1 + x²/(3 + x²/(5 + …))).
        let s = x * x;
        let tail = (1..=12)
            .rev()
            .fold(0.0, |tail, k| s / (f64::from(2 * k + 1) + tail));
        return x / (1.0 + tail);
    }
    let e = exp2(2.0 * std::f64::consts::LOG2_E * x.abs().min(100.0));
    ((e - 1.0) / (e + 1.0)).copysign(x)
}

/// `1 / (1 + e^-x)`. Relative error below 2^-43.
pub fn sigm(x: f64) -> f64 {
    1.0 / (1.0 + exp2(-x * std::f64::consts::LOG2_E))
}

/// Sine of radians; ±infinity gives NaN. Relative error below 2^-36, mostly 2^-50.
pub fn sin(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrant, r) = reduce(x.abs());
    let value = match quadrant & 3 {
        0 => sin_near_zero(r),
        1 => cos_near_zero(r),
        2 => -sin_near_zero(r),
        _ => -cos_near_zero(r),
    };
    // Sine is odd, and −0 stays −0.
    if x.is_sign_negative() { -value } else { value }
}

/// Cosine of radians; ±infinity gives NaN. Error as [`sin`].
pub fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrant, r) = reduce(x.abs());
    match quadrant & 3 {
        0 => cos_near_zero(r),
        1 => -sin_near_zero(r),
        2 => -cos_near_zero(r),
        _ => sin_near_zero(r),
    }
}

/// That of sin r / r, in r².
pub const SIN_SERIES: [f64; 10] = alternating(1);

/// That of cos r, in r².
pub const COS_SERIES: [f64; 10] = alternating(0);

/// Every second one of the inverse factorials from `first` on, the signs in turn.
const fn alternating(first: usize) -> [f64; 10] {
    let all: [f64; 20] = inverse_factorials();
    let mut out = [0.0; 10];
    let mut k = 0;
    while k < out.len() {
        let value = all[first + 2 * k];
        out[k] = if k % 2 == 0 { value } else { -value };
        k += 1;
    }
    out
}

fn sin_near_zero(r: f64) -> f64 {
    r * polynomial(r * r, &SIN_SERIES)
}

fn cos_near_zero(r: f64) -> f64 {
    polynomial(r * r, &COS_SERIES)
}

/// The bits of 2/π after the binary point, 32 at a time.
const TWO_OVER_PI: [u32; 8] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
];

/// Quarter turns and the rest of an angle: `x = quadrant·π/2 + r`, |r| ≤ π/4.
///
/// `x` is a non-negative value of at most 24 significant bits, `m·2^e`. Then `x·2/π` modulo 4 needs
/// only those bits of 2/π that `2^e` brings below 4: a window of 96 of them, which m multiplies
/// without loss in 120 bits.
fn reduce(x: f64) -> (u32, f64) {
    if x <= std::f64::consts::FRAC_PI_4 {
        return (0, x);
    }
    let bits = x.to_bits();
    let m = u128::from((bits & ((1 << 52) - 1) | 1 << 52) >> 29);
    let exponent = (bits >> 52) as i32 - 1023 - 23;
    let skip = (exponent - 2).max(0) as usize;
    let window = window(skip);
    let product = m * window;
    // Bits of the product after the binary point: 94..=120.
    let fraction_bits = (96 - (exponent - skip as i32)) as u32;
    let one = 1u128 << fraction_bits;
    let mut quadrant = (product >> fraction_bits) as u32;
    let mut rest = (product & (one - 1)) as i128;
    if rest > (one >> 1) as i128 {
        quadrant = quadrant.wrapping_add(1);
        rest -= one as i128;
    }
    let unit = f64::from_bits(u64::from(1023 - fraction_bits) << 52);
    (quadrant, rest as f64 * unit * std::f64::consts::FRAC_PI_2)
}

/// 96 bits of 2/π from bit `skip` after the binary point on.
fn window(skip: usize) -> u128 {
    let (word, shift) = (skip / 32, skip % 32);
    let at = |i: usize| u128::from(TWO_OVER_PI.get(i).copied().unwrap_or(0));
    let four = at(word) << 96 | at(word + 1) << 64 | at(word + 2) << 32 | at(word + 3);
    four << shift >> 32
}
