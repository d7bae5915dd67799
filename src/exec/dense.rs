//! Fast loops for operands that fill registers: 8, 16 or 32 lanes of one width, consecutive or one
//! element for all, results consecutive.
//!
//! Each loop works on arrays of fixed size, so that the compiler vectorises it; nothing is matched
//! inside. What they compute is defined by [`super::general`]; a test asserts equality on random
//! operands. [`crate::program::Kernel`] is chosen by lowering.

use super::alu::{max_float, min_float};
use super::float::{self, FloatMode};
use super::lanes::{self, MAX_LANES};
use crate::isa::{Condition, Modifier, Opcode};
use crate::program::{Alu, Kernel, Region, Source};

/// Calls `$f::<N, …>` for the lane counts that have a dense loop.
macro_rules! by_count {
    ($count:expr, $f:ident $(, $flag:expr)?; $($arg:expr),*) => {
        match $count {
            8 => $f::<8 $(, $flag)?>($($arg),*),
            16 => $f::<16 $(, $flag)?>($($arg),*),
            _ => $f::<32 $(, $flag)?>($($arg),*),
        }
    };
}

/// Runs an op whose kernel is not [`Kernel::General`] on the lanes of `mask`; `chosen` is what
/// `sel` goes by.
#[inline]
pub fn alu(arena: &mut [u8], op: &Alu, mask: u32, chosen: u32, mode: FloatMode) {
    let count = op.lanes.count;
    match op.kernel {
        Kernel::Copy => copy(arena, op, mask),
        Kernel::DenseF if mode.keep_single => by_count!(count, single, false; arena, op, mask),
        Kernel::DenseF => by_count!(count, single, true; arena, op, mask),
        Kernel::DenseDword => by_count!(count, dword; arena, op, mask, chosen),
        Kernel::DenseWord => by_count!(count, word; arena, op, mask, chosen),
        // Lowering promises that only the general executor sees these.
        Kernel::General => unreachable!("{:?} has no dense loop", op.opcode),
    }
}

/// An element of a dense loop.
trait Lane: Copy + Default {
    const BYTES: usize;
    fn get(bytes: &[u8]) -> Self;
    fn put(self, bytes: &mut [u8]);
}

macro_rules! lane {
    ($($ty:ident)+) => {$(
        impl Lane for $ty {
            const BYTES: usize = size_of::<$ty>();
            #[inline(always)]
            fn get(bytes: &[u8]) -> $ty {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(bytes);
                $ty::from_le_bytes(own)
            }
            #[inline(always)]
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }
    )+};
}
lane!(f32 i32 u32 i16 u16);

/// The lanes of a dense or scalar source.
#[inline(always)]
fn load<T: Lane, const N: usize>(arena: &[u8], region: &Region) -> [T; N] {
    match *region {
        Region::Scalar(at) => [T::get(&arena[at as usize..at as usize + T::BYTES]); N],
        Region::Dense(at) => {
            let bytes = &arena[at as usize..at as usize + N * T::BYTES];
            let mut out = [T::default(); N];
            for (out, bytes) in out.iter_mut().zip(bytes.chunks_exact(T::BYTES)) {
                *out = T::get(bytes);
            }
            out
        }
        _ => [T::default(); N],
    }
}

/// Writes the lanes of `mask` to consecutive elements.
#[inline(always)]
fn save<T: Lane, const N: usize>(arena: &mut [u8], region: &Region, mask: u32, values: [T; N]) {
    let Region::Dense(at) = *region else {
        return;
    };
    let bytes = &mut arena[at as usize..at as usize + N * T::BYTES];
    if mask.count_ones() as usize == N {
        for (bytes, value) in bytes.chunks_exact_mut(T::BYTES).zip(values) {
            value.put(bytes);
        }
    } else {
        for (i, bytes) in bytes.chunks_exact_mut(T::BYTES).enumerate() {
            if mask >> i & 1 != 0 {
                values[i].put(bytes);
            }
        }
    }
}

#[inline(always)]
fn map2<T: Copy + Default, const N: usize>(a: [T; N], b: [T; N], f: impl Fn(T, T) -> T) -> [T; N] {
    let mut out = [T::default(); N];
    for i in 0..N {
        out[i] = f(a[i], b[i]);
    }
    out
}

/// A single precision source with denormals flushed if asked, modifier applied to the sign bit.
#[inline(always)]
fn load_single<const N: usize, const FLUSH: bool>(arena: &[u8], source: &Source) -> [f32; N] {
    let mut out: [f32; N] = load(arena, &source.region);
    if FLUSH {
        out = out.map(float::flush_single);
    }
    match source.modifier {
        None | Some(Modifier::Not) => out,
        Some(Modifier::Neg) => out.map(|v| -v),
        Some(Modifier::Abs) => out.map(f32::abs),
        Some(Modifier::NegAbs) => out.map(|v| -v.abs()),
    }
}

#[inline(always)]
fn nearest(value: f64) -> f32 {
    float::to_single(value, float::Rounding::Nearest)
}

fn single<const N: usize, const FLUSH: bool>(arena: &mut [u8], op: &Alu, mask: u32) {
    let a = load_single::<N, FLUSH>(arena, &op.src[0]);
    let b = load_single::<N, FLUSH>(arena, &op.src[1]);
    // The nearest single of a sum or product of singles is the same through f64 and directly; mad
    // goes through the odd-rounded double.
    let mut out = match op.opcode {
        Opcode::Add => map2(a, b, |a, b| a + b),
        Opcode::Mul => map2(a, b, |a, b| a * b),
        Opcode::Mad => {
            let c = load_single::<N, FLUSH>(arena, &op.src[2]);
            let mut out = [0.0; N];
            for i in 0..N {
                let (a, b, c) = (f64::from(a[i]), f64::from(b[i]), f64::from(c[i]));
                out[i] = float::mul_add_odd(a, b, c) as f32;
            }
            out
        }
        Opcode::Min => {
            let out = map2(a, b, |a, b| {
                nearest(min_float(float::from_single(a), float::from_single(b)))
            });
            return finish(arena, op, mask, out);
        }
        _ => {
            let out = map2(a, b, |a, b| {
                nearest(max_float(float::from_single(a), float::from_single(b)))
            });
            return finish(arena, op, mask, out);
        }
    };
    if out.iter().any(|v| v.is_nan()) {
        let c = match op.src.get(2) {
            Some(source) => load_single::<N, FLUSH>(arena, source),
            None => [0.0; N],
        };
        for (i, out) in out.iter_mut().enumerate().filter(|(_, v)| v.is_nan()) {
            let sources = [a[i], b[i], c[i]].map(float::from_single);
            *out = nearest(float::nan_of(&sources));
        }
    }
    if FLUSH {
        out = out.map(float::flush_single);
    }
    finish(arena, op, mask, out);
}

#[inline(always)]
fn finish<const N: usize>(arena: &mut [u8], op: &Alu, mask: u32, mut out: [f32; N]) {
    if op.saturate {
        out = out.map(|v| if v > 0.0 { v.min(1.0) } else { 0.0 });
    }
    save(arena, &op.dst.region, mask, out);
}

/// Defines the integer loop of one width: results modulo 2^bits.
macro_rules! integer_loop {
    ($name:ident $compare:ident $signed:ident $unsigned:ident $wide:ident) => {
        fn $name<const N: usize>(arena: &mut [u8], op: &Alu, mask: u32, chosen: u32) {
            let source = |arena: &[u8], k: usize| {
                let Some(source) = op.src.get(k) else {
                    return [0; N];
                };
                let out: [$unsigned; N] = load(arena, &source.region);
                let signed = source.ty.is_signed();
                let abs = |v: $unsigned| {
                    if signed {
                        (v as $signed).wrapping_abs() as $unsigned
                    } else {
                        v
                    }
                };
                match source.modifier {
                    None => out,
                    Some(Modifier::Neg) => out.map($unsigned::wrapping_neg),
                    Some(Modifier::Abs) => out.map(abs),
                    Some(Modifier::NegAbs) => out.map(|v| abs(v).wrapping_neg()),
                    Some(Modifier::Not) => out.map(|v| !v),
                }
            };
            let (a, b) = (source(arena, 0), source(arena, 1));
            // Counts have five bits whatever the width; the value is widened first.
            let out = match op.opcode {
                Opcode::Add => map2(a, b, $unsigned::wrapping_add),
                Opcode::Mul => map2(a, b, $unsigned::wrapping_mul),
                Opcode::Mad => {
                    let c = source(arena, 2);
                    map2(
                        map2(a, b, $unsigned::wrapping_mul),
                        c,
                        $unsigned::wrapping_add,
                    )
                }
                Opcode::And => map2(a, b, |a, b| a & b),
                Opcode::Or => map2(a, b, |a, b| a | b),
                Opcode::Xor => map2(a, b, |a, b| a ^ b),
                Opcode::Not => a.map(|a| !a),
                Opcode::Shl => map2(a, b, |a, b| ($wide::from(a) << (b & 31)) as $unsigned),
                Opcode::Shr => map2(a, b, |a, b| ($wide::from(a) >> (b & 31)) as $unsigned),
                Opcode::Asr => map2(a, b, |a, b| {
                    (i64::from(a as $signed) >> (b & 31)) as $unsigned
                }),
                Opcode::Min if op.dst.ty.is_signed() => {
                    map2(a, b, |a, b| (a as $signed).min(b as $signed) as $unsigned)
                }
                Opcode::Max if op.dst.ty.is_signed() => {
                    map2(a, b, |a, b| (a as $signed).max(b as $signed) as $unsigned)
                }
                Opcode::Min => map2(a, b, $unsigned::min),
                Opcode::Max => map2(a, b, $unsigned::max),
                _ => {
                    // sel
                    let mut out = b;
                    for i in 0..N {
                        out[i] = if chosen >> i & 1 != 0 { a[i] } else { b[i] };
                    }
                    out
                }
            };
            save(arena, &op.dst.region, mask, out);
        }

        fn $compare<const N: usize>(arena: &[u8], relation: Condition, src: &[Source; 2]) -> u32 {
            if src[0].ty.is_signed() {
                let (a, b): ([$signed; N], [$signed; N]) =
                    (load(arena, &src[0].region), load(arena, &src[1].region));
                flags(relation, a, b)
            } else {
                let (a, b): ([$unsigned; N], [$unsigned; N]) =
                    (load(arena, &src[0].region), load(arena, &src[1].region));
                flags(relation, a, b)
            }
        }
    };
}
integer_loop!(dword compare_dword i32 u32 u64);
integer_loop!(word compare_word i16 u16 u64);

#[inline(always)]
fn flags<T: PartialOrd + Copy, const N: usize>(relation: Condition, a: [T; N], b: [T; N]) -> u32 {
    let mut holds_here = [false; N];
    macro_rules! relation {
        ($op:tt) => {
            for i in 0..N {
                holds_here[i] = a[i] $op b[i];
            }
        };
    }
    match relation {
        Condition::Eq => relation!(==),
        Condition::Ne => relation!(!=),
        Condition::Gt => relation!(>),
        Condition::Ge => relation!(>=),
        Condition::Lt => relation!(<),
        Condition::Le => relation!(<=),
    }
    let lanes = holds_here.iter().enumerate();
    lanes.fold(0, |bits, (i, &h)| bits | u32::from(h) << i)
}

fn compare_single<const N: usize, const FLUSH: bool>(
    arena: &[u8],
    relation: Condition,
    src: &[Source; 2],
) -> u32 {
    let a = load_single::<N, FLUSH>(arena, &src[0]);
    let b = load_single::<N, FLUSH>(arena, &src[1]);
    flags(relation, a, b)
}

/// `cmp` of two sources of one type: one bit for each lane.
#[inline]
pub fn compare(
    arena: &[u8],
    relation: Condition,
    src: &[Source; 2],
    kernel: Kernel,
    count: u32,
    mode: FloatMode,
) -> u32 {
    match kernel {
        Kernel::DenseF if mode.keep_single => {
            by_count!(count, compare_single, false; arena, relation, src)
        }
        Kernel::DenseF => by_count!(count, compare_single, true; arena, relation, src),
        Kernel::DenseDword => by_count!(count, compare_dword; arena, relation, src),
        _ => by_count!(count, compare_word; arena, relation, src),
    }
}

/// A move that copies bits, any direct regions.
fn copy(arena: &mut [u8], op: &Alu, mask: u32) {
    match op.dst.ty.bytes() {
        1 => copy_elements::<1>(arena, op, mask),
        2 => copy_elements::<2>(arena, op, mask),
        4 => copy_elements::<4>(arena, op, mask),
        _ => copy_elements::<8>(arena, op, mask),
    }
}

#[inline(always)]
fn copy_elements<const B: usize>(arena: &mut [u8], op: &Alu, mask: u32) {
    let count = usize::from(op.lanes.count);
    let whole = mask.count_ones() as usize == count;
    if let (Region::Dense(to), Region::Dense(from), true) =
        (&op.dst.region, &op.src[0].region, whole)
    {
        let from = *from as usize;
        arena.copy_within(from..from + count * B, *to as usize);
        return;
    }
    let mut values = [[0; B]; MAX_LANES];
    lanes::read::<B, _>(arena, &op.src[0].region, 0, count, &mut values, |b| b);
    lanes::write::<B, _>(arena, &op.dst.region, 0, count, mask, &values, |b| b);
}
