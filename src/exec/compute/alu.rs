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

/// `avg`: half of the sum, rounded up; exact.
#[inline]
pub fn avg<W: Wide>(a: W, b: W) -> W {
    a.add(b).add(W::new(1)).shr(1)
}

/// `div` on integers: truncated; by zero all ones. Source: vISA text reference 6.4.
#[inline]
pub fn quotient<W: Wide>(a: W, b: W) -> W {
    W::wrap(a.full().checked_div(b.full()).unwrap_or(-1))
}

/// `mod`: the sign of the numerator; by zero the numerator. Source: vISA text reference 6.4.
#[inline]
pub fn remainder<W: Wide>(a: W, b: W) -> W {
    W::wrap(a.full().checked_rem(b.full()).unwrap_or(a.full()))
}

/// `mulh`: the floor of the product over 2^32.
#[inline]
pub fn mulh<W: Wide>(a: W, b: W) -> W {
    W::wrap(a.full().wrapping_mul(b.full()) >> 32)
}

/// `dp4a`: the accumulator and four products of bytes, signed where the source is.
pub fn dp4a<W: Wide>(sum: W, a: W, b: W, signed: [bool; 2]) -> W {
    let byte = |value: W, k: u32, signed: bool| {
        let byte = (value.low() >> (8 * k)) as u8;
        if signed {
            i64::from(byte as i8)
        } else {
            i64::from(byte)
        }
    };
    (0..4).fold(sum, |sum, k| {
        sum.add(W::new(byte(a, k, signed[0]) * byte(b, k, signed[1])))
    })
}

/// The low `bits` bits of a value.
#[inline]
fn low_bits<W: Wide>(value: W, bits: u32) -> u64 {
    value.low() & u64::MAX >> (64 - bits)
}

/// `rol`: rotates `bits` bits to the left by the count modulo `bits`.
#[inline]
pub fn rotate_left<W: Wide>(value: W, count: W, bits: u32) -> W {
    let (v, n) = (low_bits(value, bits), count.low() as u32 & (bits - 1));
    let wrapped = if n == 0 { 0 } else { v >> (bits - n) };
    W::unsigned((v << n | wrapped) & u64::MAX >> (64 - bits))
}

/// `ror`: the other way.
#[inline]
pub fn rotate_right<W: Wide>(value: W, count: W, bits: u32) -> W {
    rotate_left(value, count.neg(), bits)
}

/// `bfn`: bit i of the result is bit `b0 + 2·b1 + 4·b2` of the function.
#[inline]
pub fn boolean<W: Wide>(function: u8, a: W, b: W, c: W) -> W {
    (0..8)
        .filter(|k| function >> k & 1 != 0)
        .fold(W::default(), |out, k| {
            let pick = |v: W, set: bool| if set { v } else { v.not() };
            let term = pick(a, k & 1 != 0)
                .and(pick(b, k & 2 != 0))
                .and(pick(c, k & 4 != 0));
            out.or(term)
        })
}

/// `cbit`: number of ones among the low `bits`.
#[inline]
pub fn count_ones<W: Wide>(value: W, bits: u32) -> W {
    W::new(i64::from(low_bits(value, bits).count_ones()))
}

/// `fbl`: position of the lowest one, all ones if there is none.
#[inline]
pub fn first_low<W: Wide>(value: W, bits: u32) -> W {
    let v = low_bits(value, bits);
    W::new(if v == 0 {
        -1
    } else {
        i64::from(v.trailing_zeros())
    })
}

/// `fbh`: leading bits of a dword equal to the sign (to 0 if unsigned), all ones if all are.
#[inline]
pub fn first_high<W: Wide>(value: W, signed: bool) -> W {
    let v = value.low() as u32;
    let v = if signed && v >> 31 != 0 { !v } else { v };
    W::new(if v == 0 {
        -1
    } else {
        i64::from(v.leading_zeros())
    })
}

/// `bfe`: `width` bits from `offset` on, sign extended from the field if `signed`.
#[inline]
pub fn extract<W: Wide>(width: W, offset: W, value: W, signed: bool) -> W {
    let (width, offset) = (width.low() as u32 & 31, offset.low() as u32 & 31);
    let field = (value.low() as u32 >> offset) & ((1 << width) - 1);
    if signed && width > 0 {
        let up = 32 - width;
        W::new(i64::from((field << up) as i32 >> up))
    } else {
        W::new(i64::from(field))
    }
}

/// `bfi`: the low `width` bits of `field` at `offset`, the rest from `rest`.
#[inline]
pub fn insert<W: Wide>(width: W, offset: W, field: W, rest: W) -> W {
    let (width, offset) = (width.low() as u32 & 31, offset.low() as u32 & 31);
    let mask = ((1u32 << width) - 1) << offset;
    let value = (field.low() as u32) << offset & mask | rest.low() as u32 & !mask;
    W::new(i64::from(value))
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

/// `frc`: what is above the floor; of an infinity NaN. Source: vISA text reference 6.5.
#[inline]
pub fn fraction(x: f64) -> f64 {
    if x.is_infinite() {
        f64::NAN
    } else {
        add_odd(x, -x.floor())
    }
}

/// `lrp`: from `c` at 0 to `b` at 1.
#[inline]
pub fn interpolate(a: f64, b: f64, c: f64) -> f64 {
    add_odd(b * a, c * (1.0 - a))
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
    fn bits_are_found_moved_and_counted() {
        assert_eq!(first_high(0x0000_8000i64, false), 16);
        assert_eq!(first_high(-2i64, true), 31);
        assert_eq!(first_high(-1i64, true), -1);
        assert_eq!(first_low(0x50i64, 32), 4);
        assert_eq!(first_low(0i64, 32), -1);
        assert_eq!(count_ones(-1i64, 8), 8);
        // Bits 4..8 of 0xab are 0xa = 10, as a signed field −6.
        assert_eq!(extract(4i64, 4, 0xab, false), 10);
        assert_eq!(extract(4i64, 4, 0xab, true), -6);
        assert_eq!(insert(8i64, 8, 0x1234, 0xffff), 0x34ff);
        assert_eq!(rotate_left(0x8000_0001i64, 4, 32), 0x18);
        assert_eq!(rotate_right(0x1i64, 4, 16), 0x1000);
        // 0xe8 is the majority of three.
        assert_eq!(boolean(0xe8, 0b1100i64, 0b1010, 0b0110) & 0xf, 0b1110);
    }

    #[test]
    fn division_truncates_and_survives_zero() {
        assert_eq!(quotient(-7i64, 2), -3);
        assert_eq!(remainder(-7i64, 2), -1);
        assert_eq!(quotient(7i64, 0), -1);
        assert_eq!(remainder(7i64, 0), 7);
        assert_eq!(mulh(-1i64, 1), -1);
        assert_eq!(mulh(0xffff_ffffi64, 0xffff_ffff), 0xffff_fffe);
        assert_eq!(avg(-3i64, 0), -1);
        // 1·(−1) + 2·2 + 3·0 + 4·255 with a signed first operand pair … see the types.
        assert_eq!(
            dp4a(10i64, 0x0403_02ff, 0xff00_0201, [true, false]),
            10 - 1 + 4 + 1020
        );
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
