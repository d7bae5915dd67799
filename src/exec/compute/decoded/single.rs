//! Singles, while rounding is to nearest even and ALT mode is off.
//!
//! The nearest single of the exact result is the same whether it comes through a double or directly; what
//! has no direct instruction goes through the double that the reference makes. A step with a NaN among its
//! results is left to the reference, which knows the one that is promised ([`float::nan_of`]).

use super::operand::{ANY, HAS_MODIFIERS, Shape};
use super::rows::{Rows, each_lane, load, store};
use super::{Kernel, Step, as_defined};
use crate::exec::compute::float;
use crate::exec::state::thread::Thread;
use crate::math::{simd, unit};
use std::marker::PhantomData;

/// A function of up to three singles.
pub trait Function {
    /// How many it takes.
    const SOURCES: usize;
    /// Whether results are rounded, so that NaN and denormals follow the rules of arithmetic.
    const ARITHMETIC: bool = true;
    /// What it is. `flush`: intermediate results are flushed.
    fn of(a: f32, b: f32, c: f32, flush: bool) -> f32;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $sources:literal = |$a:ident, $b:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Function for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn of($a: f32, $b: f32, _: f32, _: bool) -> f32 {
                $value
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
    #[inline(always)]
    fn of(a: f32, b: f32, c: f32, _: bool) -> f32 {
        if simd::FUSED {
            a.mul_add(b, c)
        } else {
            float::mul_add_odd(f64::from(a), f64::from(b), f64::from(c)) as f32
        }
    }
}

/// `div`: source 0 times the reciprocal, which is rounded by itself. Source: vISA text reference 6.5.
pub struct Div;

impl Function for Div {
    const SOURCES: usize = 2;
    #[inline(always)]
    fn of(a: f32, b: f32, _: f32, flush: bool) -> f32 {
        let inverse = 1.0 / b;
        a * if flush {
            float::flush_single(inverse)
        } else {
            inverse
        }
    }
}

/// `min`: the operand that is not NaN; −0 < +0. Source: vISA text reference 6.6.
pub struct Min;

/// `max`: the other one.
pub struct Max;

/// A NaN made quiet.
#[inline(always)]
pub fn quiet(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(value.to_bits() | 1 << 22)
    } else {
        value
    }
}

impl Function for Min {
    const SOURCES: usize = 2;
    const ARITHMETIC: bool = false;
    #[inline(always)]
    fn of(a: f32, b: f32, _: f32, _: bool) -> f32 {
        let least = if a.is_nan() || b < a { b } else { a };
        // Equal values differ in the sign of zero at most.
        let equal = f32::from_bits(a.to_bits() | b.to_bits());
        if a == b { equal } else { quiet(least) }
    }
}

impl Function for Max {
    const SOURCES: usize = 2;
    const ARITHMETIC: bool = false;
    #[inline(always)]
    fn of(a: f32, b: f32, _: f32, _: bool) -> f32 {
        let most = if a.is_nan() || b > a { b } else { a };
        let equal = f32::from_bits(a.to_bits() & b.to_bits());
        if a == b { equal } else { quiet(most) }
    }
}

/// The lanes of source `k`: flushed if asked, then modified in the sign bit.
#[inline(always)]
pub fn singles<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &Thread<'_>,
    step: &Step,
    k: usize,
) -> Rows<f32, L, R> {
    let mut bits = load::<L, R, SHAPE>(thread, step, k);
    if SHAPE == ANY && step.flush {
        bits = each_lane(
            &bits,
            #[inline(always)]
            |v| float::flush_single(f32::from_bits(v)).to_bits(),
        );
    }
    let operand = &step.src[k];
    if SHAPE & HAS_MODIFIERS != 0 && operand.modifier.is_some() {
        bits = each_lane(
            &bits,
            #[inline(always)]
            |v| v & operand.keep ^ operand.flip,
        );
    }
    each_lane(&bits, f32::from_bits)
}

/// Whether there is a NaN among values.
#[inline(always)]
fn any_nan<const L: usize, const R: usize>(values: &Rows<f32, L, R>) -> bool {
    // Answers side by side, each of two rows: one instruction tells whether either has a NaN.
    let mut nan = [false; L];
    for pair in values.chunks(2) {
        for i in 0..L {
            nan[i] |= pair[0][i].is_nan() | pair[pair.len() - 1][i].is_nan();
        }
    }
    nan.contains(&true)
}

/// Clamps to [0, 1]; NaN and −0 become +0.
#[inline(always)]
pub fn saturate(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// A [`Function`] on `R` rows of `L` lanes.
pub struct Singles<F, const SHAPE: Shape, const L: usize, const R: usize>(PhantomData<F>);

impl<F: Function, const SHAPE: Shape, const L: usize, const R: usize> Kernel
    for Singles<F, SHAPE, L, R>
{
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<SHAPE>(thread);
        if mask == 0 {
            return;
        }
        let a = singles::<L, R, SHAPE>(thread, step, 0);
        let (mut b, mut c) = ([[0.0; L]; R], [[0.0; L]; R]);
        if F::SOURCES > 1 {
            b = singles::<L, R, SHAPE>(thread, step, 1);
        }
        if F::SOURCES > 2 {
            c = singles::<L, R, SHAPE>(thread, step, 2);
        }
        let mut out = [[0.0; L]; R];
        for r in 0..R {
            for i in 0..L {
                out[r][i] = F::of(a[r][i], b[r][i], c[r][i], step.flush);
            }
        }
        if F::ARITHMETIC {
            if any_nan(&out) {
                // Nothing has been written yet.
                return as_defined(thread, step.defined());
            }
            if SHAPE == ANY && step.flush {
                out = each_lane(&out, float::flush_single);
            }
        }
        if SHAPE & HAS_MODIFIERS != 0 && step.saturate {
            out = each_lane(&out, saturate);
        }
        store::<L, R, SHAPE>(thread, step, mask, &each_lane(&out, f32::to_bits));
    }
}
