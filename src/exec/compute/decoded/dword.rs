//! Integers of up to 32 bits: sources widened to dwords, results modulo the width of the destination.
//!
//! The low bits of sums, products, shifts to the left and logic depend on the low bits of their operands
//! alone, so a dword is wide enough for them. Where the exact value counts, in shifts to the right and
//! comparisons, [`super::choose`] sees to it that a dword holds it.

use super::operand::{ANY, HAS_MODIFIERS, Shape};
use super::rows::{Rows, blend, each_lane, load, store};
use super::{Kernel, Step};
use crate::exec::state::thread::Thread;
use crate::isa::Modifier;
use std::marker::PhantomData;

/// A function of up to three dwords.
pub trait Function {
    /// How many it takes.
    const SOURCES: usize;
    /// What it is.
    fn of(a: u32, b: u32, c: u32) -> u32;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $sources:literal = |$a:ident, $b:ident, $c:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Function for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn of($a: u32, $b: u32, $c: u32) -> u32 {
                $value
            }
        }
    )+};
}

functions! {
    /// `mov`.
    Move 1 = |a, _b, _c| a;
    /// `add`.
    Add 2 = |a, b, _c| a.wrapping_add(b);
    /// `add3`.
    Add3 3 = |a, b, c| a.wrapping_add(b).wrapping_add(c);
    /// `mul`.
    Mul 2 = |a, b, _c| a.wrapping_mul(b);
    /// `mad`.
    Mad 3 = |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    /// `and`.
    And 2 = |a, b, _c| a & b;
    /// `or`.
    Or 2 = |a, b, _c| a | b;
    /// `xor`.
    Xor 2 = |a, b, _c| a ^ b;
    /// `not`.
    Not 1 = |a, _b, _c| !a;
    /// `shl`.
    Shl 2 = |a, b, _c| a << (b & 31);
    /// `shr`.
    Shr 2 = |a, b, _c| a >> (b & 31);
    /// `asr`.
    Asr 2 = |a, b, _c| ((a as i32) >> (b & 31)) as u32;
    /// `rol`.
    Rol 2 = |a, b, _c| a.rotate_left(b & 31);
    /// `ror`.
    Ror 2 = |a, b, _c| a.rotate_right(b & 31);
    /// `min` of values below 2^31.
    Min 2 = |a, b, _c| (a as i32).min(b as i32) as u32;
    /// `max` of the same.
    Max 2 = |a, b, _c| (a as i32).max(b as i32) as u32;
    /// `min` of values from 0 on.
    MinUnsigned 2 = |a, b, _c| a.min(b);
    /// `max` of the same.
    MaxUnsigned 2 = |a, b, _c| a.max(b);
}

/// The lanes of source `k`, modified.
#[inline(always)]
pub fn dwords<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &Thread<'_>,
    step: &Step,
    k: usize,
) -> Rows<u32, L, R> {
    let mut values = load::<L, R, SHAPE>(thread, step, k);
    let operand = &step.src[k];
    if SHAPE & HAS_MODIFIERS == 0 || operand.modifier.is_none() {
        return values;
    }
    if SHAPE == ANY && operand.keep != u32::MAX {
        let negated = operand.modifier == Some(Modifier::NegAbs);
        absolute(values.as_flattened_mut(), negated);
        return values;
    }
    each_lane(
        &values,
        #[inline(always)]
        |v| (v ^ operand.flip).wrapping_sub(operand.minus),
    )
}

#[inline(never)]
fn absolute(values: &mut [u32], negated: bool) {
    for value in values {
        let positive = value.cast_signed().wrapping_abs().cast_unsigned();
        *value = match negated {
            true => positive.wrapping_neg(),
            false => positive,
        };
    }
}

/// A [`Function`] on `R` rows of `L` lanes.
pub struct Dwords<F, const SHAPE: Shape, const L: usize, const R: usize>(PhantomData<F>);

impl<F: Function, const SHAPE: Shape, const L: usize, const R: usize> Kernel
    for Dwords<F, SHAPE, L, R>
{
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<SHAPE>(thread);
        if mask == 0 {
            return;
        }
        let a = dwords::<L, R, SHAPE>(thread, step, 0);
        let (mut b, mut c) = ([[0; L]; R], [[0; L]; R]);
        if F::SOURCES > 1 {
            b = dwords::<L, R, SHAPE>(thread, step, 1);
        }
        if F::SOURCES > 2 {
            c = dwords::<L, R, SHAPE>(thread, step, 2);
        }
        let mut out = [[0; L]; R];
        for r in 0..R {
            for i in 0..L {
                out[r][i] = F::of(a[r][i], b[r][i], c[r][i]);
            }
        }
        store::<L, R, SHAPE>(thread, step, mask, &out);
    }
}

/// `bfn`: bit i of the result is bit `b0 + 2·b1 + 4·b2` of the function.
pub struct Boolean<const L: usize, const R: usize>;

impl<const L: usize, const R: usize> Kernel for Boolean<L, R> {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<ANY>(thread);
        if mask == 0 {
            return;
        }
        let [a, b, c] = [0, 1, 2].map(|k| dwords::<L, R, ANY>(thread, step, k));
        // Each bit of the function, for all bits of a dword.
        let whole = |k: u32| 0u32.wrapping_sub(u32::from(step.function) >> k & 1);
        let table: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7].map(whole);
        let mut out = [[0; L]; R];
        for r in 0..R {
            for i in 0..L {
                let (a, b, c) = (a[r][i], b[r][i], c[r][i]);
                let by_a = |pair: usize| table[2 * pair] & !a | table[2 * pair + 1] & a;
                let [low, high] = [0, 2].map(|pair| by_a(pair) & !b | by_a(pair + 1) & b);
                out[r][i] = low & !c | high & c;
            }
        }
        store::<L, R, ANY>(thread, step, mask, &out);
    }
}

/// `sel`: the predicate chooses and does not mask.
pub struct Select<const L: usize, const R: usize>;

impl<const L: usize, const R: usize> Kernel for Select<L, R> {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        select::<L, R>(thread, step, dwords::<L, R, ANY>);
    }
}

/// `sel` of what is made of each source.
#[inline(always)]
pub fn select<const L: usize, const R: usize>(
    thread: &mut Thread<'_>,
    step: &Step,
    source: impl Fn(&Thread<'_>, &Step, usize) -> Rows<u32, L, R>,
) {
    let unguarded = thread.active(step.lanes, None);
    if unguarded == 0 {
        return;
    }
    let chosen = match step.guard {
        None => u32::MAX,
        Some(guard) => thread.predicate(step.lanes, guard),
    };
    let a = source(thread, step, 0);
    let b = source(thread, step, 1);
    let out = blend(chosen, &a, &b);
    store::<L, R, ANY>(thread, step, unguarded, &out);
}
