//! Singles, while rounding is to nearest even and ALT mode is off.
//!
//! The nearest single of the exact result is the same whether it comes through a double or directly; what
//! has no direct instruction goes through the double that the reference makes. A step with a NaN among its
//! results is left to the reference, which knows the one that is promised ([`float::nan_of`]).

use super::Step;
use super::kernels::Function;
use super::rows::Rows;
use crate::exec::compute::float;
use crate::math::{simd, unit};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $sources:literal = |$a:ident, $b:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Function for $name {
            const SOURCES: usize = $sources;
            const SINGLES: bool = true;
            const LEAVES_NAN: bool = true;
            #[inline(always)]
            fn of(_: &Step, [a, b, _]: [u32; 3]) -> u32 {
                let ($a, $b) = (f32::from_bits(a), f32::from_bits(b));
                f32::to_bits($value)
            }
        }
    )+};
}

/// A function of the math unit.
#[inline(always)]
fn unit(function: unit::Function, a: f32, b: f32) -> f32 {
    unit::value(function, false, f64::from(a), f64::from(b)) as f32
}

functions! {
    /// `add`.
    Add 2 = |a, b| a + b;
    /// `mul`.
    Mul 2 = |a, b| a * b;
    /// `frc`: what is above the floor; of an infinity NaN.
    Frc 1 = |a, _b| if a.is_infinite() { f32::NAN } else { a - a.floor() };
    /// `rndd`.
    Rndd 1 = |a, _b| a.floor();
    /// `rndu`.
    Rndu 1 = |a, _b| a.ceil();
    /// `rnde`.
    Rnde 1 = |a, _b| a.round_ties_even();
    /// `rndz`.
    Rndz 1 = |a, _b| a.trunc();
    /// `inv`, `invm`.
    Inv 1 = |a, _b| 1.0 / a;
    /// `divm`.
    Divm 2 = |a, b| a / b;
    /// `sqrt`, `sqrtm`.
    Sqrt 1 = |a, _b| a.sqrt();
    /// `rsqrt`, `rsqtm`.
    Rsqrt 1 = |a, _b| (1.0 / f64::from(a).sqrt()) as f32;
    /// `exp`.
    Exp 1 = |a, b| unit(unit::Function::Exp, a, b);
    /// `log`.
    Log 1 = |a, b| unit(unit::Function::Log, a, b);
    /// `sin`.
    Sin 1 = |a, b| unit(unit::Function::Sin, a, b);
    /// `cos`.
    Cos 1 = |a, b| unit(unit::Function::Cos, a, b);
    /// `pow`.
    Pow 2 = |a, b| unit(unit::Function::Pow, a, b);
}

/// `mad`, rounded once.
pub struct Mad;

impl Function for Mad {
    const SOURCES: usize = 3;
    const SINGLES: bool = true;
    const LEAVES_NAN: bool = true;
    #[inline(always)]
    fn of(_: &Step, [a, b, c]: [u32; 3]) -> u32 {
        let (a, b, c) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let value = if simd::FUSED {
            a.mul_add(b, c)
        } else {
            float::mul_add_odd(f64::from(a), f64::from(b), f64::from(c)) as f32
        };
        value.to_bits()
    }
}

/// `div`: source 0 times the reciprocal, which is rounded by itself. Source: vISA text reference 6.5.
pub struct Div;

impl Function for Div {
    const SOURCES: usize = 2;
    const SINGLES: bool = true;
    const LEAVES_NAN: bool = true;
    #[inline(always)]
    fn of(step: &Step, [a, b, _]: [u32; 3]) -> u32 {
        let inverse = 1.0 / f32::from_bits(b);
        let inverse = if step.flush {
            float::flush_single(inverse)
        } else {
            inverse
        };
        (f32::from_bits(a) * inverse).to_bits()
    }
}

/// `min`: the operand that is not NaN; −0 < +0. Source: vISA text reference 6.6.
pub struct Min;

/// `max`: the other one.
pub struct Max;

/// The bits of a single, a NaN made quiet.
#[inline(always)]
pub fn quiet(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() {
        bits | 1 << 22
    } else {
        bits
    }
}

impl Function for Min {
    const SOURCES: usize = 2;
    const SINGLES: bool = true;
    #[inline(always)]
    fn of(_: &Step, [a, b, _]: [u32; 3]) -> u32 {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        let least = if a.is_nan() || b < a { b } else { a };
        // Equal values differ in the sign of zero at most.
        let equal = a.to_bits() | b.to_bits();
        if a == b {
            equal
        } else {
            quiet(least.to_bits())
        }
    }
}

impl Function for Max {
    const SOURCES: usize = 2;
    const SINGLES: bool = true;
    #[inline(always)]
    fn of(_: &Step, [a, b, _]: [u32; 3]) -> u32 {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        let most = if a.is_nan() || b > a { b } else { a };
        let equal = a.to_bits() & b.to_bits();
        if a == b { equal } else { quiet(most.to_bits()) }
    }
}

/// A move with a modifier or `.sat`: NaN becomes quiet.
pub struct Modified;

impl Function for Modified {
    const SOURCES: usize = 1;
    const SINGLES: bool = true;
    const FLUSHES: bool = true;
    #[inline(always)]
    fn of(_: &Step, [a, ..]: [u32; 3]) -> u32 {
        quiet(a)
    }
}

macro_rules! to_integers {
    ($($name:ident = $ty:ty;)+) => {$(
        /// A move to integers: the fraction is dropped, the range clamps, NaN is 0.
        pub struct $name;

        impl Function for $name {
            const SOURCES: usize = 1;
            const SINGLES: bool = true;
            #[inline(always)]
            fn of(_: &Step, [a, ..]: [u32; 3]) -> u32 {
                f32::from_bits(a) as $ty as u32
            }
        }
    )+};
}

to_integers! {
    ToD = i32;
    ToUd = u32;
    ToW = i16;
    ToUw = u16;
    ToB = i8;
    ToUb = u8;
}

/// Whether there is a NaN among values.
#[inline(always)]
pub fn any_nan<const L: usize, const R: usize>(rows: &Rows<u32, L, R>) -> bool {
    // Answers side by side, each of two rows: one instruction tells whether either has a NaN.
    let mut nan = [false; L];
    for pair in rows.chunks(2) {
        let (first, last) = (pair[0], pair[pair.len() - 1]);
        for i in 0..L {
            nan[i] |= f32::from_bits(first[i]).is_nan() | f32::from_bits(last[i]).is_nan();
        }
    }
    nan.contains(&true)
}

/// Clamps the bits of a single to [0, 1]; NaN and −0 become +0.
#[inline(always)]
pub fn saturate(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    let value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    value.to_bits()
}

/// Of the bits of a denormal only the sign stays.
#[inline(always)]
pub fn flush(bits: u32) -> u32 {
    float::flush_single(f32::from_bits(bits)).to_bits()
}
