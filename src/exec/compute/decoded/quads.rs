//! Integers of 64 bits, as addresses are: sources widened to qwords, results modulo the width of the destination.
//!
//! As of dwords ([`super::dword`]), the low bits of sums, products, shifts to the left and logic depend on the low bits
//! of their operands alone. Operands lie densely or are the same for all lanes; [`super::choose`] leaves the others to
//! the reference.

use super::rows::{ROW, Rows, Scratch};
use super::{Kernel, Step};
use crate::exec::state::lanes::MAX_LANES;
use crate::exec::state::thread::Thread;
use crate::isa::{Modifier, Type};
use crate::math::simd::Wide;
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

/// The lanes of any step; how many rows it has is told when it runs.
type AllRows = Rows<u64, ROW, { MAX_LANES / ROW }>;

/// The lanes of a source, widened. Of an instruction with one lane the others stay as they are.
#[inline(never)]
fn load(wide: Wide, arena: &[u8], source: &Source, out: &mut [u64]) {
    let region = &source.region;
    wide.run(
        #[inline(always)]
        || {
            match source.ty {
                Type::Q | Type::Uq => values::<Qword, 8>(arena, region, out),
                Type::D => values::<Signed32, 4>(arena, region, out),
                Type::Ud => values::<Unsigned32, 4>(arena, region, out),
                Type::W => values::<Signed16, 2>(arena, region, out),
                Type::Uw => values::<Unsigned16, 2>(arena, region, out),
                Type::B => values::<Signed8, 1>(arena, region, out),
                _ => values::<Unsigned8, 1>(arena, region, out),
            }
            if source.modifier.is_some() {
                for value in out {
                    *value = value.wrapping_neg();
                }
            }
        },
    );
}

#[inline(always)]
fn values<W: Widened<B>, const B: usize>(arena: &[u8], region: &Region, out: &mut [u64]) {
    match *region {
        Region::Dense(at) => {
            let (elements, _) = arena[at as usize..].as_chunks::<B>();
            for (value, element) in out.iter_mut().zip(elements) {
                *value = W::of(*element);
            }
        }
        Region::Scalar(at) => {
            if let Some(bytes) = arena[at as usize..].first_chunk() {
                out.fill(W::of(*bytes));
            }
        }
        _ => {}
    }
}

/// Writes the lanes of a mask.
#[inline(never)]
fn store(wide: Wide, arena: &mut [u8], dst: &Dest, mask: u32, values: &[u64]) {
    let (Region::Dense(at) | Region::Scalar(at)) = dst.region else {
        return;
    };
    let arena = &mut arena[at as usize..];
    macro_rules! put {
        ($int:ty, $bytes:literal) => {
            for (lane, (slot, value)) in arena
                .as_chunks_mut::<$bytes>()
                .0
                .iter_mut()
                .zip(values)
                .enumerate()
            {
                let kept = <$int>::from_le_bytes(*slot);
                let value = if mask >> lane & 1 == 1 {
                    *value as $int
                } else {
                    kept
                };
                *slot = value.to_le_bytes();
            }
        };
    }
    wide.run(
        #[inline(always)]
        || match dst.ty.bytes() {
            8 => put!(u64, 8),
            _ => put!(u32, 4),
        },
    );
}

/// A [`Function`] on as many rows as there are.
pub struct Quads<F>(PhantomData<F>);

impl<F: Function> Kernel for Quads<F> {
    #[inline(always)]
    fn run(wide: Wide, thread: &mut Thread<'_>, step: &Step, _: &mut Scratch) {
        let mask = step.guarded(thread);
        let program = thread.program;
        let Some(Op::Alu(op)) = program.ops.get(step.op as usize) else {
            return;
        };
        if mask == 0 {
            return;
        }
        let lanes = usize::from(step.loop_lanes);
        let mut src = [AllRows::default(); 3];
        for (values, source) in src.iter_mut().zip(&op.src).take(F::SOURCES) {
            load(
                wide,
                &thread.arena,
                source,
                &mut values.as_flattened_mut()[..lanes],
            );
        }
        let mut out = AllRows::default();
        for r in 0..lanes.div_ceil(ROW) {
            for i in 0..ROW {
                out[r][i] = F::of(src[0][r][i], src[1][r][i], src[2][r][i]);
            }
        }
        store(
            wide,
            &mut thread.arena,
            &op.dst,
            mask,
            &out.as_flattened()[..lanes],
        );
    }
}
