//! `cmp` and the logic of predicates: one bit for each lane.

use super::operand::Put;
use super::rows::{ROW, Scratch, blend, plain, put};
use super::{Kernel, Step};
use crate::exec::state::thread::Thread;
use crate::isa::Condition;
use crate::math::simd::Wide;
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

/// What is compared.
pub trait Values {
    /// Whether they are singles.
    const SINGLES: bool = false;
    /// What a dword stands for.
    type Value: PartialOrd;
    /// The value of a dword.
    fn of(dword: u32) -> Self::Value;
}

/// Singles.
pub struct Single;

/// Integers that a signed dword holds.
pub struct Signed;

/// Integers that an unsigned dword holds.
pub struct Unsigned;

impl Values for Single {
    const SINGLES: bool = true;
    type Value = f32;
    #[inline(always)]
    fn of(dword: u32) -> f32 {
        f32::from_bits(dword)
    }
}

impl Values for Signed {
    type Value = i32;
    #[inline(always)]
    fn of(dword: u32) -> i32 {
        dword.cast_signed()
    }
}

impl Values for Unsigned {
    type Value = u32;
    #[inline(always)]
    fn of(dword: u32) -> u32 {
        dword
    }
}

/// A bit for each lane of a row that one of the wanted [`orders`] holds on.
///
/// All three orders are asked for, and what the relation requires is put together: with a choice among six loops the
/// compiler makes no vector code of them.
#[inline(always)]
fn related<V: Values, const L: usize>(
    wide: Wide,
    wanted: ([u32; 3], u32),
    a: &[u32; L],
    b: &[u32; L],
) -> u32 {
    let mut ones = [0; ROW];
    for i in 0..L {
        ones[i] = holds(V::of(a[i]), V::of(b[i]), wanted);
    }
    match L {
        1 => ones[0] & 1,
        _ => wide.signs(ones),
    }
}

/// Comparisons of `R` rows of plain operands, for a predicate. There is nothing to flush.
pub struct Plain<V, const R: usize>(PhantomData<V>);

impl<V: Values, const R: usize> Kernel for Plain<V, R> {
    #[inline(always)]
    fn run(wide: Wide, thread: &mut Thread<'_>, step: &Step, _: &mut Scratch) {
        let Put::Flags(at) = step.dst else { return };
        let mask = step.unguarded(thread);
        let a = plain::<ROW, R>(step.bytes(thread), &step.src[0]);
        let b = plain::<ROW, R>(step.bytes(thread), &step.src[1]);
        let (mut bits, wanted) = (0, orders(step.relation));
        for r in 0..R {
            bits |= related::<V, ROW>(wide, wanted, &a[r], &b[r]) << (ROW * r);
        }
        thread.write_predicate(at, bits, mask, step.lanes.offset);
    }
}

/// Comparisons of as many rows of `L` lanes as there are, of any operands: for a predicate, or as all ones and zeros.
pub struct Any<V, const L: usize>(PhantomData<V>);

impl<V: Values, const L: usize> Kernel for Any<V, L> {
    #[inline(always)]
    fn run(wide: Wide, thread: &mut Thread<'_>, step: &Step, scratch: &mut Scratch) {
        let mask = step.unguarded(thread);
        for k in 0..2 {
            scratch.gather(wide, thread, step, k, V::SINGLES);
        }
        let (sources, out) = scratch.split::<L>(step.bytes(thread), step);
        let (mut bits, wanted) = (0, orders(step.relation));
        for (r, out) in out.iter_mut().enumerate() {
            let a = sources.row(0, r, V::SINGLES);
            let b = sources.row(1, r, V::SINGLES);
            let own = related::<V, L>(wide, wanted, &a, &b);
            bits |= own << (L * r);
            [*out] = blend(own, &[[u32::MAX; L]], &[[0; L]]);
        }
        match step.dst {
            Put::Flags(at) => thread.write_predicate(at, bits, mask, step.lanes.offset),
            _ => put(thread, step, mask, out),
        }
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
        let mask = step.unguarded(thread);
        let (a, b) = (
            thread.dword(step.src[0].at()),
            thread.dword(step.src[1].at()),
        );
        thread.write_predicate(dst, L::of(a, b) >> offset, mask, offset);
    }
}
