//! Integers of up to 32 bits: sources widened to dwords, results modulo the width of the destination.
//!
//! The low bits of sums, products, shifts to the left and logic depend on the low bits of their operands
//! alone, so a dword is wide enough for them. Where the exact value counts, in shifts to the right and
//! comparisons, [`super::choose`] sees to it that a dword holds it.

use super::Step;
use super::kernels::Function;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $sources:literal = |$a:ident, $b:ident, $c:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Function for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn of(_: &Step, [$a, $b, $c]: [u32; 3]) -> u32 {
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
    /// A move to singles of values that a signed dword holds: the nearest one, even on ties.
    SignedToSingle 1 = |a, _b, _c| (a as i32 as f32).to_bits();
    /// The same of an unsigned one.
    UnsignedToSingle 1 = |a, _b, _c| (a as f32).to_bits();
}

/// `bfn`: bit i of the result is bit `b0 + 2·b1 + 4·b2` of the function.
pub struct Bfn;

impl Function for Bfn {
    const SOURCES: usize = 3;
    #[inline(always)]
    fn of(step: &Step, [a, b, c]: [u32; 3]) -> u32 {
        // A bit of the function, for all bits of a dword.
        let whole = |k: u32| 0u32.wrapping_sub(u32::from(step.function) >> k & 1);
        let by_a = |pair: u32| whole(2 * pair) & !a | whole(2 * pair + 1) & a;
        let [low, high] = [by_a(0) & !b | by_a(1) & b, by_a(2) & !b | by_a(3) & b];
        low & !c | high & c
    }
}
