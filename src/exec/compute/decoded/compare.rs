//! `cmp` and the logic of predicates: one bit for each lane.

use super::dword::dwords;
use super::operand::{ANY, Put, Shape};
use super::rows::{ROW, Rows, each_lane, store_flags};
use super::single::singles;
use super::{Kernel, Step};
use crate::exec::state::thread::Thread;
use crate::isa::Condition;
use std::marker::PhantomData;

/// What of less, equal and greater a relation holds on, as masks of all ones, and whether it is all the rest
/// instead. NaN has no order: only what is not equal holds on it.
#[inline(always)]
const fn orders(relation: Condition) -> ([u32; 3], u32) {
    const NO: u32 = 0;
    const YES: u32 = u32::MAX;
    match relation {
        Condition::Eq => ([NO, YES, NO], NO),
        Condition::Ne => ([NO, YES, NO], YES),
        Condition::Gt => ([NO, NO, YES], NO),
        Condition::Ge => ([NO, YES, YES], NO),
        Condition::Lt => ([YES, NO, NO], NO),
        Condition::Le => ([YES, YES, NO], NO),
    }
}

/// All ones if one of the wanted orders holds.
#[inline(always)]
fn holds<T: PartialOrd>(a: T, b: T, ([less, equal, greater], rest): ([u32; 3], u32)) -> u32 {
    let less = u32::from(a < b).wrapping_neg() & less;
    let equal = u32::from(a == b).wrapping_neg() & equal;
    let greater = u32::from(a > b).wrapping_neg() & greater;
    (less | equal | greater) ^ rest
}

/// A bit for each lane that the step's relation holds on.
///
/// All three orders are asked for, and what the relation requires is put together: with a choice among six loops the
/// compiler makes no vector code of them.
#[inline(always)]
fn related<T: PartialOrd + Copy, const L: usize, const R: usize, const SHAPE: Shape>(
    step: &Step,
    a: &Rows<T, L, R>,
    b: &Rows<T, L, R>,
) -> u32 {
    let wanted = orders(step.relation);
    // One value for all lanes on both sides has one answer.
    if SHAPE != ANY && SHAPE & 3 == 3 {
        return holds(a[0][0], b[0][0], wanted);
    }
    let mut bits = 0;
    for r in 0..R {
        let mut ones = [0; ROW];
        for (i, ones) in ones.iter_mut().take(L).enumerate() {
            *ones = holds(a[r][i], b[r][i], wanted);
        }
        match step.wide {
            Some(wide) if L == ROW => bits |= wide.signs(ones) << (L * r),
            _ => {
                for (i, ones) in ones.iter().take(L).enumerate() {
                    bits |= (ones & 1) << (L * r + i);
                }
            }
        }
    }
    bits
}

/// What is compared.
pub trait Values {
    /// A bit for each lane that the step's relation holds on.
    fn holds<const L: usize, const R: usize, const SHAPE: Shape>(
        thread: &Thread<'_>,
        step: &Step,
    ) -> u32;
}

/// Singles.
pub struct Single;

/// Integers that a signed dword holds.
pub struct Signed;

/// Integers that an unsigned dword holds.
pub struct Unsigned;

impl Values for Single {
    #[inline(always)]
    fn holds<const L: usize, const R: usize, const SHAPE: Shape>(
        thread: &Thread<'_>,
        step: &Step,
    ) -> u32 {
        let a = singles::<L, R, SHAPE>(thread, step, 0);
        let b = singles::<L, R, SHAPE>(thread, step, 1);
        related::<_, L, R, SHAPE>(step, &a, &b)
    }
}

#[inline(always)]
fn signed(dword: u32) -> i32 {
    dword.cast_signed()
}

impl Values for Signed {
    #[inline(always)]
    fn holds<const L: usize, const R: usize, const SHAPE: Shape>(
        thread: &Thread<'_>,
        step: &Step,
    ) -> u32 {
        let a = dwords::<L, R, SHAPE>(thread, step, 0);
        let b = dwords::<L, R, SHAPE>(thread, step, 1);
        related::<_, L, R, SHAPE>(step, &each_lane(&a, signed), &each_lane(&b, signed))
    }
}

impl Values for Unsigned {
    #[inline(always)]
    fn holds<const L: usize, const R: usize, const SHAPE: Shape>(
        thread: &Thread<'_>,
        step: &Step,
    ) -> u32 {
        let a = dwords::<L, R, SHAPE>(thread, step, 0);
        let b = dwords::<L, R, SHAPE>(thread, step, 1);
        related::<_, L, R, SHAPE>(step, &a, &b)
    }
}

/// Comparisons of `R` rows of `L` lanes.
pub struct Compare<V, const SHAPE: Shape, const L: usize, const R: usize>(PhantomData<V>);

impl<V: Values, const SHAPE: Shape, const L: usize, const R: usize> Kernel
    for Compare<V, SHAPE, L, R>
{
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<SHAPE>(thread);
        let holds = V::holds::<L, R, SHAPE>(thread, step);
        store_flags::<L, R, SHAPE>(thread, step, mask, holds);
    }
}

/// Logic of predicates.
pub trait Logic {
    /// What it makes of the bits of two.
    fn of(a: u32, b: u32) -> u32;
}

macro_rules! logic {
    ($($(#[$doc:meta])* $name:ident = |$a:ident, $b:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Logic for $name {
            #[inline(always)]
            fn of($a: u32, $b: u32) -> u32 {
                $value
            }
        }
    )+};
}

logic! {
    /// `and`.
    And = |a, b| a & b;
    /// `or`.
    Or = |a, b| a | b;
    /// `xor`.
    Xor = |a, b| a ^ b;
    /// `not`.
    Not = |a, _b| !a;
}

/// `and or xor not` of predicates. Source: vISA text reference 4.3.
pub fn predicate_logic<L: Logic>(threads: &mut [Thread<'_>], step: &Step) {
    let Put::Flags(dst) = step.dst else { return };
    // As in `each`: nothing that a thread writes changes it. There is no predicate in front of these.
    let step = *step;
    let offset = step.lanes.offset;
    for thread in threads {
        let mask = step.mask::<0>(thread);
        let (a, b) = (
            thread.dword(step.src[0].at()),
            thread.dword(step.src[1].at()),
        );
        thread.write_predicate(dst, L::of(a, b) >> offset, mask, offset);
    }
}
