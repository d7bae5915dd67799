//! The meaning of arithmetic: pure functions of exact values.
//!
//! Integers come as [`Wide`] values that hold every source exactly (`i64` for elements up to 32 bits,
//! `i128` for 64-bit ones and for saturation), so that a result is computed without overflow and
//! converted once. Floats come as `f64`, results not yet rounded ([`super::float`]).
//!
//! Source: vISA text reference 5.2, 5.3 and 6.

use super::float::add_odd;
use crate::isa::{Condition, Modifier, Type};

/// An integer wide enough for exact intermediate results; wraps beyond its own width.
pub trait Wide: Copy + Ord + Default {
    /// From a sign-extended value.
    fn new(value: i64) -> Self;
    /// From an unsigned value; wraps in 64 bits.
    fn unsigned(value: u64) -> Self;
    /// The low 64 bits.
    fn low(self) -> u64;
    /// Sign-extended to 128 bits.
    fn full(self) -> i128;
    /// From 128 bits, wrapping.
    fn wrap(value: i128) -> Self;
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Negation.
    fn neg(self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Complement.
    fn not(self) -> Self;
    /// Left shift by less than 64.
    fn shl(self, count: u32) -> Self;
    /// Arithmetic right shift by less than 64.
    fn shr(self, count: u32) -> Self;
}

macro_rules! wide {
    ($($ty:ident)+) => {$(
        impl Wide for $ty {
            #[inline] fn new(value: i64) -> $ty { $ty::from(value) }
            #[inline] fn unsigned(value: u64) -> $ty { value as $ty }
            #[inline] fn low(self) -> u64 { self as u64 }
            #[inline] fn full(self) -> i128 { i128::from(self) }
            #[inline] fn wrap(value: i128) -> $ty { value as $ty }
            #[inline] fn add(self, other: $ty) -> $ty { self.wrapping_add(other) }
            #[inline] fn sub(self, other: $ty) -> $ty { self.wrapping_sub(other) }
            #[inline] fn mul(self, other: $ty) -> $ty { self.wrapping_mul(other) }
            #[inline] fn neg(self) -> $ty { self.wrapping_neg() }
            #[inline] fn and(self, other: $ty) -> $ty { self & other }
            #[inline] fn or(self, other: $ty) -> $ty { self | other }
            #[inline] fn xor(self, other: $ty) -> $ty { self ^ other }
            #[inline] fn not(self) -> $ty { !self }
            #[inline] fn shl(self, count: u32) -> $ty { self.wrapping_shl(count) }
            #[inline] fn shr(self, count: u32) -> $ty { self.wrapping_shr(count) }
        }
    )+};
}
wide!(i64 i128);

/// A source modifier on an integer; negation and absolute value are exact in the wide type.
/// Source: vISA text reference 4.5.
#[inline]
pub fn modify<W: Wide>(value: W, modifier: Modifier) -> W {
    let abs = |v: W| if v < W::default() { v.neg() } else { v };
    match modifier {
        Modifier::Neg => value.neg(),
        Modifier::Abs => abs(value),
        Modifier::NegAbs => abs(value).neg(),
        Modifier::Not => value.not(),
    }
}

/// A source modifier on a float: the sign bit alone.
#[inline]
pub fn modify_float(value: f64, modifier: Modifier) -> f64 {
    match modifier {
        Modifier::Neg => -value,
        Modifier::Abs => value.abs(),
        Modifier::NegAbs => -value.abs(),
        Modifier::Not => value,
    }
}

/// The least and greatest value of an integer type.
pub const fn range(ty: Type) -> (i128, i128) {
    let bits = 8 * ty.bytes();
    if ty.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// `shl`: bits leave at the top of the wide type, not of the element.
#[inline]
pub fn shl<W: Wide>(value: W, count: W, destination: Type) -> W {
    value.shl(shift_count(count, destination))
}

/// How far a shift goes: the low 5 bits of its count, 6 for a 64-bit destination.
/// Source: vISA text reference 6.4.
#[inline]
pub fn shift_count<W: Wide>(count: W, destination: Type) -> u32 {
    let mask = if destination.bytes() == 8 { 63 } else { 31 };
    count.low() as u32 & mask
}

/// `shr`: zeros come in; `bits` is the width at which the value counts as unsigned.
#[inline]
pub fn shr<W: Wide>(value: W, count: W, destination: Type, bits: u32) -> W {
    let unsigned = value.low() & u64::MAX >> (64 - bits);
    W::unsigned(unsigned >> shift_count(count, destination))
}

/// `asr`: the sign comes in; `bits` is the width at which the value counts as signed.
#[inline]
pub fn asr<W: Wide>(value: W, count: W, destination: Type, bits: u32) -> W {
    let signed = (value.low() as i64) << (64 - bits) >> (64 - bits);
    W::new(signed >> shift_count(count, destination))
}

/// `min`, `max` on floats: the operand that is not NaN; both NaN gives source 1; −0 < +0.
/// Source: vISA text reference 6.6.
#[inline]
pub fn min_float(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else if a == b {
        // Only the zeros differ here.
        if a.is_sign_negative() { a } else { b }
    } else if a < b {
        a
    } else {
        b
    }
}

/// The other one of [`min_float`].
#[inline]
pub fn max_float(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else if a > b {
        a
    } else {
        b
    }
}

/// A relation between values of any kind; NaN makes `ne` true and everything else false.
#[inline]
pub fn holds<T: PartialOrd>(relation: Condition, a: T, b: T) -> bool {
    match relation {
        Condition::Eq => a == b,
        Condition::Ne => a != b,
        Condition::Gt => a > b,
        Condition::Ge => a >= b,
        Condition::Lt => a < b,
        Condition::Le => a <= b,
    }
}

/// A float as an integer: the fraction is dropped, the range clamps, NaN is 0.
/// Source: vISA text reference 6.1.
#[inline]
pub fn float_to_int(value: f64, ty: Type) -> u64 {
    match ty {
        Type::Ub => u64::from(value as u8),
        Type::B => value as i8 as u64,
        Type::Uw => u64::from(value as u16),
        Type::W => value as i16 as u64,
        Type::Ud => u64::from(value as u32),
        Type::D => value as i32 as u64,
        Type::Uq => value as u64,
        _ => value as i64 as u64,
    }
}

/// Float sum, not yet rounded to the destination.
#[inline]
pub fn add_float(a: f64, b: f64) -> f64 {
    add_odd(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_leaves_the_unsigned_range() {
        // (-) of ub 5 is −5: vISA text reference 4.5.
        assert_eq!(modify(5i64, Modifier::Neg), -5);
        // (abs) of the most negative d is its true value.
        assert_eq!(modify(i64::from(i32::MIN), Modifier::Abs), 1 << 31);
    }

    #[test]
    fn shifts_widen_first() {
        // shl by 20 on w: 3 << 20 = 0x300000, whose low 16 bits are 0.
        assert_eq!(shl(3i64, 20, Type::W), 0x30_0000);
        // shr zero-extends: w −1 is 0xffff, >> 4 = 0x0fff.
        assert_eq!(shr(-1i64, 4, Type::D, 16), 0xfff);
        assert_eq!(asr(-16i64, 2, Type::D, 16), -4);
        // The count has five bits for a dword, six for a qword.
        assert_eq!(shl(1i64, 33, Type::D), 2);
        assert_eq!(shl(1i128, 33, Type::Q), 1 << 33);
    }

    #[test]
    fn minimum_prefers_numbers_and_negative_zero() {
        assert_eq!(min_float(f64::NAN, 2.0), 2.0);
        assert_eq!(max_float(3.0, f64::NAN), 3.0);
        assert!(min_float(0.0, -0.0).is_sign_negative());
        assert!(max_float(-0.0, 0.0).is_sign_positive());
    }

    #[test]
    fn floats_clamp_into_integers() {
        assert_eq!(float_to_int(-3.9, Type::D) as i32, -3);
        assert_eq!(float_to_int(300.0, Type::Ub), 255);
        assert_eq!(float_to_int(-1.0, Type::Ud), 0);
        assert_eq!(float_to_int(f64::NAN, Type::W), 0);
        assert_eq!(float_to_int(-200.0, Type::B) as i8, -128);
    }
}
