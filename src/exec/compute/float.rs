//! Float results: one exact value, rounded once, in the mode `%cr0` asks for.
//!
//! `f` and `hf` arithmetic is done in `f64` and *rounded to odd* there: when a sum is not exact, the
//! last bit of its 53 is set. A later rounding to 24 or 11 bits, in any direction, then gives what
//! rounding the exact value would have given, since 53 ≥ 24 + 2. So `mad` rounds once without a
//! fused instruction, and every mode comes from one value.
//!
//! Source: vISA text reference 3 (`%cr0`), 6.1, 6.2, 6.5, 6.9.

use crate::exec::state::float_mode::{FloatMode, Rounding};
use crate::isa::Type;
use half::{bf16, f16};

/// `a + b`, rounded to odd. Exact sums are returned as they are.
#[inline]
pub fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: the error of `sum`, exactly.
    let bb = sum - a;
    let error = (a - (sum - bb)) + (b - bb);
    to_odd(sum, error)
}

/// The odd neighbour of `sum` on the side of `error`, if `sum` is even and not exact.
#[inline]
fn to_odd(sum: f64, error: f64) -> f64 {
    let bits = sum.to_bits();
    // A NaN error (infinite sums) compares false and leaves the sum alone.
    let inexact = error.abs() > 0.0;
    if !inexact || bits & 1 != 0 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// `a * b + c` for `f` and `hf` values: the product of two 24-bit significands is exact in 53 bits.
#[inline]
pub fn mul_add_odd(a: f64, b: f64, c: f64) -> f64 {
    add_odd(a * b, c)
}

/// The nearest `f` in the direction asked for, of an exact or odd-rounded value.
#[inline]
pub fn to_single(value: f64, rounding: Rounding) -> f32 {
    if value.is_nan() {
        return single_nan(value);
    }
    let nearest = value as f32;
    let exact = f64::from(nearest);
    match rounding {
        Rounding::Up if exact < value => nearest.next_up(),
        Rounding::Down if exact > value => nearest.next_down(),
        Rounding::Zero if exact.abs() > value.abs() => f32::from_bits(nearest.to_bits() - 1),
        _ => nearest,
    }
}

/// The nearest `hf` in the direction asked for.
pub fn to_half(value: f64, rounding: Rounding) -> f16 {
    if value.is_nan() {
        return half_nan(value);
    }
    if value.is_infinite() || value == 0.0 {
        return f16::from_f64(value);
    }
    // One unit in the last place of an hf of this size: 2^(e-10), 2^-24 at least.
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let unit = f64::from_bits(((1023 + exponent - 10) as u64) << 52);
    let scaled = value / unit;
    let whole = match rounding {
        Rounding::Nearest => scaled.round_ties_even(),
        Rounding::Up => scaled.ceil(),
        Rounding::Down => scaled.floor(),
        Rounding::Zero => scaled.trunc(),
    };
    let rounded = (whole * unit).abs();
    let magnitude = if rounded <= 65504.0 {
        // Exactly an hf by now, so the conversion does not round.
        f16::from_f64(rounded)
    } else {
        let away = match rounding {
            Rounding::Nearest => true,
            Rounding::Up => value > 0.0,
            Rounding::Down => value < 0.0,
            Rounding::Zero => false,
        };
        if away { f16::INFINITY } else { f16::MAX }
    };
    let sign = u16::from(value.is_sign_negative()) << 15;
    f16::from_bits(magnitude.to_bits() | sign)
}

/// The nearest `bf` in the direction asked for.
pub fn to_bfloat(value: f64, rounding: Rounding) -> bf16 {
    if value.is_nan() {
        return bf16::from_f32(single_nan(value));
    }
    if value.is_infinite() || value == 0.0 {
        return bf16::from_f64(value);
    }
    // One unit in the last place of a bf of this size: 2^(e-7), 2^-133 at least.
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-126);
    let unit = f64::from_bits(((1023 + exponent - 7) as u64) << 52);
    let scaled = value / unit;
    let whole = match rounding {
        Rounding::Nearest => scaled.round_ties_even(),
        Rounding::Up => scaled.ceil(),
        Rounding::Down => scaled.floor(),
        Rounding::Zero => scaled.trunc(),
    };
    let rounded = whole * unit;
    let greatest = bf16::MAX.to_f64();
    let away = match rounding {
        Rounding::Nearest => true,
        Rounding::Up => value > 0.0,
        Rounding::Down => value < 0.0,
        Rounding::Zero => false,
    };
    // Exactly a bf by now, so the conversion does not round.
    let magnitude = match rounded.abs() > greatest {
        true if away => bf16::INFINITY,
        true => bf16::MAX,
        false => bf16::from_f64(rounded.abs()),
    };
    let sign = u16::from(value.is_sign_negative()) << 15;
    bf16::from_bits(magnitude.to_bits() | sign)
}

/// `a op b` for doubles in a direction: `nearest` with the sign of what it is short of.
#[inline]
pub fn direct_double(nearest: f64, error: f64, rounding: Rounding) -> f64 {
    if nearest.is_nan() {
        return nearest;
    }
    match rounding {
        Rounding::Up if error > 0.0 => nearest.next_up(),
        Rounding::Down if error < 0.0 => nearest.next_down(),
        Rounding::Zero if nearest > 0.0 && error < 0.0 => nearest.next_down(),
        Rounding::Zero if nearest < 0.0 && error > 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// Clamps to [0, 1]; NaN and −0 become +0. Source: vISA text reference 6.2.
#[inline]
pub fn saturate(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// A denormal single becomes a zero of its sign.
#[inline(always)]
pub fn flush_single(value: f32) -> f32 {
    if value.to_bits() & 0x7f80_0000 == 0 {
        f32::from_bits(value.to_bits() & 0x8000_0000)
    } else {
        value
    }
}

/// A denormal double becomes a zero of its sign.
#[inline]
pub fn flush_double(value: f64) -> f64 {
    if value.to_bits() & 0x7ff0_0000_0000_0000 == 0 {
        f64::from_bits(value.to_bits() & 1 << 63)
    } else {
        value
    }
}

/// What arithmetic returns where IEEE 754 only says NaN: the first source that is one, in text order,
/// made quiet, sign and payload kept; or the positive quiet NaN without payload.
///
/// Hosts differ here and the vISA documents are silent; moving a NaN through `mul` by 2.0 unharmed is
/// what compiled kernels with punned data rely on.
#[inline]
pub fn nan_of(sources: &[f64]) -> f64 {
    let first = sources.iter().find(|v| v.is_nan());
    f64::from_bits(first.map_or(0x7ff8 << 48, |v| v.to_bits() | 1 << 51))
}

/// The single with the sign and the upper payload of a NaN, quiet.
#[inline]
fn single_nan(value: f64) -> f32 {
    let bits = value.to_bits();
    let sign = (bits >> 32) as u32 & 0x8000_0000;
    let payload = (bits >> 29) as u32 & 0x003f_ffff;
    f32::from_bits(sign | 0x7fc0_0000 | payload)
}

/// The half with the sign and the upper payload of a NaN, quiet.
#[inline]
fn half_nan(value: f64) -> f16 {
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let payload = (bits >> 42) as u16 & 0x01ff;
    f16::from_bits(sign | 0x7e00 | payload)
}

/// A single as a double; a NaN keeps sign and payload and becomes quiet on every host.
#[inline]
pub fn from_single(value: f32) -> f64 {
    if !value.is_nan() {
        return f64::from(value);
    }
    let bits = u64::from(value.to_bits());
    f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8 << 48 | (bits & 0x003f_ffff) << 29)
}

/// A half as a double; a NaN as in [`from_single`].
#[inline]
pub fn from_half(value: f16) -> f64 {
    if !value.is_nan() {
        return value.to_f64();
    }
    let bits = u64::from(value.to_bits());
    f64::from_bits((bits & 0x8000) << 48 | 0x7ff8 << 48 | (bits & 0x01ff) << 42)
}

/// Finishes an `f` result: rounding, flushing, ALT mode.
#[inline]
pub fn finish_single(value: f64, mode: FloatMode) -> f32 {
    let mut result = to_single(value, mode.rounding);
    if result.is_nan() {
        return result;
    }
    if !mode.keep_single {
        result = flush_single(result);
    }
    if mode.alt && result.is_infinite() {
        // Source: vISA text reference 6.9.
        result = f32::MAX.copysign(result);
    }
    result
}

/// Finishes an `hf` result. Arithmetic keeps half denormals: vISA text reference 6.5.
#[inline]
pub fn finish_half(value: f64, mode: FloatMode) -> f16 {
    to_half(value, mode.rounding)
}

/// Finishes a `df` result that was rounded already.
#[inline]
pub fn finish_double(value: f64, mode: FloatMode) -> f64 {
    if mode.keep_double {
        value
    } else {
        flush_double(value)
    }
}

/// The bits of `fcvt` into `ty`: half to E5M2 (`ub`), E5M2 to half (`hf`), single to TF32 (`ud`), which
/// is a single whose low 13 bits are zero. To nearest even; denormals become zero in TF32 only, as singles
/// do on the way to fewer bits. Source: vISA text reference 5.1, 6.1.
pub fn reformat(bits: u64, ty: Type) -> u64 {
    match ty {
        // The upper byte of a half is an E5M2.
        Type::Hf => bits << 8,
        Type::Ub if bits & 0x7fff > 0x7c00 => bits >> 8 | 2,
        Type::Ub => nearest_even(bits, 8) >> 8,
        _ if bits & 0x7fff_ffff > 0x7f80_0000 => bits & !0x1fff | 0x40_0000,
        _ if bits & 0x7f80_0000 == 0 => bits & 0x8000_0000,
        _ => nearest_even(bits, 13),
    }
}

/// Rounds away the lowest `drop` bits; a carry out of a mantissa goes into its exponent, up to infinity.
const fn nearest_even(bits: u64, drop: u32) -> u64 {
    let odd = bits >> drop & 1;
    (bits + (1 << (drop - 1)) - 1 + odd) >> drop << drop
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mad_rounds_once() {
        // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24. The product alone rounds to 1 + 2^-11 (tie to even),
        // and minus (1 + 2^-11) would give 0; rounded once it gives 2^-24.
        let a = f64::from(1.0f32 + f32::EPSILON * 2048.0);
        let c = -(1.0 + f64::from(f32::EPSILON) * 4096.0);
        assert_eq!(a, 1.0 + 2f64.powi(-12));
        assert_eq!(
            to_single(mul_add_odd(a, a, c), Rounding::Nearest),
            2f32.powi(-24)
        );
    }

    #[test]
    fn odd_rounding_survives_the_second_one() {
        // 1 + 2^-24 + 2^-60: halfway between two singles plus a little, so nearest is up. A double
        // rounds the sum to 1 + 2^-24 exactly, from which ties-to-even would go down.
        let sum = add_odd(1.0 + 2f64.powi(-24), 2f64.powi(-60));
        assert_eq!(to_single(sum, Rounding::Nearest), 1.0 + f32::EPSILON);
        assert_eq!(to_single(sum, Rounding::Down), 1.0);
        assert_eq!(to_single(sum, Rounding::Zero), 1.0);
        assert_eq!(to_single(-sum, Rounding::Down), -(1.0 + f32::EPSILON));
        assert_eq!(to_single(1e300, Rounding::Zero), f32::MAX);
        assert_eq!(to_single(1e300, Rounding::Nearest), f32::INFINITY);
    }

    #[test]
    fn halves_round_in_every_direction() {
        // 1 + 2^-11 is halfway between 1 and 1 + 2^-10.
        let v = 1.0 + 2f64.powi(-11);
        assert_eq!(to_half(v, Rounding::Nearest).to_bits(), 0x3c00);
        assert_eq!(to_half(v, Rounding::Up).to_bits(), 0x3c01);
        assert_eq!(to_half(-v, Rounding::Down).to_bits(), 0xbc01);
        assert_eq!(to_half(-v, Rounding::Zero).to_bits(), 0xbc00);
        // 65520 is halfway to the next power: infinity in nearest, 65504 toward zero.
        assert_eq!(to_half(65520.0, Rounding::Nearest), f16::INFINITY);
        assert_eq!(to_half(65519.9, Rounding::Nearest), f16::MAX);
        assert_eq!(to_half(65520.0, Rounding::Zero), f16::MAX);
        // Denormal halves: 2^-24 is the smallest, 2^-25 ties to 0.
        assert_eq!(to_half(2f64.powi(-24), Rounding::Nearest).to_bits(), 1);
        assert_eq!(to_half(2f64.powi(-25), Rounding::Nearest).to_bits(), 0);
        assert_eq!(to_half(2f64.powi(-40), Rounding::Up).to_bits(), 1);
    }

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=u16::MAX {
            let h = f16::from_bits(bits);
            if !h.is_nan() {
                assert_eq!(to_half(h.to_f64(), Rounding::Nearest).to_bits(), bits);
            }
        }
    }
}
