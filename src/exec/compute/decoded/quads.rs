//! Integers of 64 bits, as addresses are: sources widened to qwords, results modulo the width of the destination.
//!
//! As of dwords ([`super::dword`]), the low bits of sums, products, shifts to the left and logic depend on the low bits
//! of their operands alone. Operands lie densely or are the same for all lanes; [`super::choose`] leaves the others to
//! the reference.

use super::operand::ANY;
use super::rows::Rows;
use super::{Kernel, Step};
use crate::exec::state::thread::Thread;
use crate::isa::{Modifier, Type};
use crate::program::{Alu, Dest, Op, Program, Region, Source};
use std::marker::PhantomData;

/// A function of up to three qwords.
pub trait Function {
    /// How many it takes.
    const SOURCES: usize;
    /// What it is.
    fn of(a: u64, b: u64, c: u64) -> u64;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $sources:literal = |$a:ident, $b:ident, $c:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Function for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn of($a: u64, $b: u64, $c: u64) -> u64 {
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
    /// `shl` to 64 bits.
    Shl 2 = |a, b, _c| a << (b & 63);
    /// `shr` of 64 bits to as many.
    Shr 2 = |a, b, _c| a >> (b & 63);
    /// `asr` of the same.
    Asr 2 = |a, b, _c| (a.cast_signed() >> (b & 63)).cast_unsigned();
}

/// Whether the loops here serve an op on `lanes` lanes: its operands lie in the arena from end to end, and no modifier
/// asks for an absolute value.
pub fn serves(program: &Program, alu: &Alu, lanes: usize) -> bool {
    let end = program.image.len();
    let inside = |region: &Region, bytes: u32, scalar: bool| match *region {
        Region::Scalar(at) => scalar && at as usize + bytes as usize <= end,
        Region::Dense(at) => at as usize + bytes as usize * lanes <= end,
        _ => false,
    };
    let known = |ty: Type| ty.is_integer() && !matches!(ty, Type::V | Type::Uv | Type::Bool);
    let source = |source: &Source| {
        known(source.ty)
            && matches!(source.modifier, None | Some(Modifier::Neg))
            && inside(&source.region, source.ty.bytes(), true)
    };
    let bytes = alu.dst.ty.bytes();
    known(alu.dst.ty)
        && matches!(bytes, 4 | 8)
        && inside(&alu.dst.region, bytes, lanes == 1)
        && alu.src.iter().all(source)
}

/// An element of an operand, widened.
macro_rules! elements {
    ($($name:ident $bytes:literal = |$b:ident| $value:expr;)+) => {$(
        struct $name;

        impl Widened<$bytes> for $name {
            #[inline(always)]
            fn of($b: [u8; $bytes]) -> u64 {
                $value
            }
        }
    )+};
}

// Not a closure: those are not inlined here, and vector code must be.
trait Widened<const B: usize> {
    fn of(bytes: [u8; B]) -> u64;
}

elements! {
    Qword 8 = |b| u64::from_le_bytes(b);
    Signed32 4 = |b| i64::from(i32::from_le_bytes(b)).cast_unsigned();
    Unsigned32 4 = |b| u64::from(u32::from_le_bytes(b));
    Signed16 2 = |b| i64::from(i16::from_le_bytes(b)).cast_unsigned();
    Unsigned16 2 = |b| u64::from(u16::from_le_bytes(b));
    Signed8 1 = |b| i64::from(i8::from_le_bytes(b)).cast_unsigned();
    Unsigned8 1 = |b| u64::from(b[0]);
}

/// The lanes of source `k`, widened; zeros if there is none.
#[inline(always)]
fn load<const L: usize, const R: usize>(arena: &[u8], op: &Alu, k: usize) -> Rows<u64, L, R> {
    let Some(source) = op.src.get(k) else {
        return [[0; L]; R];
    };
    let region = &source.region;
    let mut out = match source.ty {
        Type::Q | Type::Uq => values::<Qword, L, R, 8>(arena, region),
        Type::D => values::<Signed32, L, R, 4>(arena, region),
        Type::Ud => values::<Unsigned32, L, R, 4>(arena, region),
        Type::W => values::<Signed16, L, R, 2>(arena, region),
        Type::Uw => values::<Unsigned16, L, R, 2>(arena, region),
        Type::B => values::<Signed8, L, R, 1>(arena, region),
        _ => values::<Unsigned8, L, R, 1>(arena, region),
    };
    if source.modifier.is_some() {
        for value in out.as_flattened_mut() {
            *value = value.wrapping_neg();
        }
    }
    out
}

#[inline(always)]
fn values<W: Widened<B>, const L: usize, const R: usize, const B: usize>(
    arena: &[u8],
    region: &Region,
) -> Rows<u64, L, R> {
    let mut out = [[0; L]; R];
    match *region {
        Region::Dense(at) => {
            let (elements, _) = arena[at as usize..][..B * L * R].as_chunks::<B>();
            for r in 0..R {
                for i in 0..L {
                    out[r][i] = W::of(elements[L * r + i]);
                }
            }
        }
        Region::Scalar(at) => {
            if let Some(bytes) = arena[at as usize..].first_chunk() {
                out = [[W::of(*bytes); L]; R];
            }
        }
        _ => {}
    }
    out
}

/// Writes the lanes of a mask.
#[inline(always)]
fn store<const L: usize, const R: usize>(
    arena: &mut [u8],
    dst: &Dest,
    mask: u32,
    values: &Rows<u64, L, R>,
) {
    let (Region::Dense(at) | Region::Scalar(at)) = dst.region else {
        return;
    };
    let at = at as usize;
    match dst.ty.bytes() {
        8 => {
            let (slots, _) = arena[at..][..8 * L * R].as_chunks_mut::<8>();
            for r in 0..R {
                for i in 0..L {
                    let kept = u64::from_le_bytes(slots[L * r + i]);
                    let on = mask >> (L * r + i) & 1 == 1;
                    let value = if on { values[r][i] } else { kept };
                    slots[L * r + i] = value.to_le_bytes();
                }
            }
        }
        _ => {
            let (slots, _) = arena[at..][..4 * L * R].as_chunks_mut::<4>();
            for r in 0..R {
                for i in 0..L {
                    let kept = u32::from_le_bytes(slots[L * r + i]);
                    let on = mask >> (L * r + i) & 1 == 1;
                    let value = if on { values[r][i] as u32 } else { kept };
                    slots[L * r + i] = value.to_le_bytes();
                }
            }
        }
    }
}

/// A [`Function`] on `R` rows of `L` lanes.
pub struct Quads<F, const L: usize, const R: usize>(PhantomData<F>);

impl<F: Function, const L: usize, const R: usize> Kernel for Quads<F, L, R> {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<ANY>(thread);
        let program = thread.program;
        let Some(Op::Alu(op)) = program.ops.get(step.op as usize) else {
            return;
        };
        if mask == 0 {
            return;
        }
        let arena = &mut thread.arena[..];
        let a = load::<L, R>(arena, op, 0);
        let (mut b, mut c) = ([[0; L]; R], [[0; L]; R]);
        if F::SOURCES > 1 {
            b = load(arena, op, 1);
        }
        if F::SOURCES > 2 {
            c = load(arena, op, 2);
        }
        let mut out = [[0; L]; R];
        for r in 0..R {
            for i in 0..L {
                out[r][i] = F::of(a[r][i], b[r][i], c[r][i]);
            }
        }
        store::<L, R>(arena, &op.dst, mask, &out);
    }
}
