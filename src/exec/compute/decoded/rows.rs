//! Lanes of operands: in as dwords, widened as their type says, out as the low bytes.

use super::Step;
use super::operand::{ANY, Element, HAS_MODIFIERS, Operand, OperandShape, Put, Shape};
use crate::exec::state::arena::dword;
use crate::exec::state::lanes::{self, MAX_LANES};
use crate::exec::state::thread::Thread;
use crate::math::simd::Wide;
use crate::program::{CompareDest, Op};

/// Lanes of a loop, `R` rows of `L`. Rows are as long as a wide register, so that the compiler keeps them in
/// registers; a longer array it keeps in memory.
pub type Rows<T, const L: usize, const R: usize> = [[T; L]; R];

/// Lanes of a row: of a wide register.
pub const ROW: usize = 8;

/// What `of` makes of each lane. Closures are to be inlined: vector code calls nothing.
#[inline(always)]
pub fn each_lane<T: Copy, U: Copy + Default, const L: usize, const R: usize>(
    rows: &Rows<T, L, R>,
    of: impl Fn(T) -> U,
) -> Rows<U, L, R> {
    let mut out = [[U::default(); L]; R];
    for r in 0..R {
        for i in 0..L {
            out[r][i] = of(rows[r][i]);
        }
    }
    out
}

/// Where operands of so many bytes begin, which lie in the arena: [`Operand::new`] and [`Put::new`] have seen to
/// it. Said in this way the compiler asks it once for all threads.
#[inline(always)]
fn inside(arena: &[u8], at: usize, bytes: usize) -> usize {
    at.min(arena.len().saturating_sub(bytes))
}

/// Dwords that follow each other.
#[inline(always)]
fn dense<const L: usize, const R: usize>(arena: &[u8], at: usize) -> Rows<u32, L, R> {
    let at = inside(arena, at, 4 * L * R);
    let (dwords, _) = arena[at..at + 4 * L * R].as_chunks::<4>();
    let mut out = [[0; L]; R];
    for r in 0..R {
        for i in 0..L {
            out[r][i] = u32::from_le_bytes(dwords[L * r + i]);
        }
    }
    out
}

/// The one value of a source.
#[inline(always)]
fn one<const SHAPE: Shape>(arena: &[u8], operand: &Operand) -> u32 {
    match operand.form {
        OperandShape::Value if SHAPE & HAS_MODIFIERS != 0 => operand.at,
        OperandShape::Strided(element, _) if SHAPE & HAS_MODIFIERS != 0 => {
            element.get(arena, operand.at as usize)
        }
        _ => dword(arena, inside(arena, operand.at as usize, 4)),
    }
}

/// The lanes of source `k`, without its modifier.
#[inline(always)]
pub fn load<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &Thread<'_>,
    step: &Step,
    k: usize,
) -> Rows<u32, L, R> {
    let operand = &step.src[k];
    if SHAPE == ANY {
        return load_any(thread, step, k);
    }
    if SHAPE >> k & 1 == 1 {
        [[one::<SHAPE>(step.bytes(thread), operand); L]; R]
    } else {
        dense(step.bytes(thread), operand.at as usize)
    }
}

#[inline(always)]
fn load_any<const L: usize, const R: usize>(
    thread: &Thread<'_>,
    step: &Step,
    k: usize,
) -> Rows<u32, L, R> {
    let operand = &step.src[k];
    let at = operand.at as usize;
    let mut out = [[0; L]; R];
    match operand.form {
        OperandShape::Value => return [[operand.at; L]; R],
        OperandShape::Scalar => return [[dword(&thread.arena, at); L]; R],
        OperandShape::Dense => return dense(&thread.arena, at),
        OperandShape::Strided(element, stride) => strided(
            &thread.arena[at..],
            (element, stride.into()),
            step.wide,
            out.as_flattened_mut(),
        ),
        OperandShape::Listed(element) => listed(
            thread,
            step.op,
            (k, element),
            step.lanes.count.into(),
            out.as_flattened_mut(),
        ),
    }
    out
}

/// Elements so many bytes apart. Not part of kernels: it is the same for all of them.
#[inline(never)]
fn strided(bytes: &[u8], walk: (Element, usize), wide: Option<Wide>, out: &mut [u32]) {
    match wide {
        Some(wide) => wide.run(
            #[inline(always)]
            || walk_lanes(bytes, walk, out),
        ),
        None => walk_lanes(bytes, walk, out),
    }
}

#[inline(always)]
fn walk_lanes(bytes: &[u8], (element, stride): (Element, usize), out: &mut [u32]) {
    // A row as a whole where elements follow each other.
    macro_rules! packed {
        ($size:literal, $value:expr) => {{
            let (elements, _) = bytes.as_chunks::<$size>();
            let (rows, rest) = out.as_chunks_mut::<ROW>();
            let done = ROW * rows.len();
            for (row, elements) in rows.iter_mut().zip(elements.as_chunks::<ROW>().0) {
                for i in 0..ROW {
                    row[i] = $value(elements[i]);
                }
            }
            for (out, element) in rest.iter_mut().zip(elements.iter().skip(done)) {
                *out = $value(*element);
            }
        }};
    }
    match (element, stride) {
        (_, 0) => out.fill(element.get(bytes, 0)),
        (Element::U16, 2) => packed!(2, |b| u32::from(u16::from_le_bytes(b))),
        (Element::S16, 2) => packed!(2, |b| i16::from_le_bytes(b) as u32),
        (Element::U8, 1) => packed!(1, |[b]: [u8; 1]| u32::from(b)),
        (Element::S8, 1) => packed!(1, |[b]: [u8; 1]| b as i8 as u32),
        _ => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = element.get(bytes, stride * i);
            }
        }
    }
}

/// Lanes that the op itself lists, or that go through addresses.
#[inline(never)]
fn listed(
    thread: &Thread<'_>,
    op: u32,
    (k, element): (usize, Element),
    count: usize,
    out: &mut [u32],
) {
    let source = match thread.program.ops.get(op as usize) {
        Some(Op::Alu(alu)) => alu.src.get(k),
        Some(Op::Compare { src, .. }) => src.get(k),
        _ => None,
    };
    let mut all = [0; MAX_LANES];
    if let Some(source) = source {
        let (arena, limit) = (&thread.arena, thread.program.general_bytes);
        macro_rules! read {
            ($value:expr) => {
                lanes::read(arena, &source.region, limit, count, &mut all, $value)
            };
        }
        match element {
            Element::U8 => read!(|[b]: [u8; 1]| u32::from(b)),
            Element::S8 => read!(|[b]: [u8; 1]| b as i8 as u32),
            Element::U16 => read!(|b| u32::from(u16::from_le_bytes(b))),
            Element::S16 => read!(|b| i16::from_le_bytes(b) as u32),
            Element::Dword => read!(u32::from_le_bytes),
        }
    }
    for (out, value) in out.iter_mut().zip(all) {
        *out = value;
    }
}

/// The mask of `N` lanes that are all on.
pub const fn full(lanes: usize) -> u32 {
    if lanes >= 32 {
        u32::MAX
    } else {
        (1 << lanes) - 1
    }
}

/// Writes the low bytes of the lanes of `mask`.
#[inline(always)]
pub fn store<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &mut Thread<'_>,
    step: &Step,
    mask: u32,
    values: &Rows<u32, L, R>,
) {
    match step.dst {
        Put::Strided { .. } | Put::Listed(_) if SHAPE == ANY => {
            let place = (step.op, step.lanes.count.into());
            store_other(thread, place, step.dst, mask, values.as_flattened());
        }
        // No known shape has any other destination.
        dst => store_dense(step.bytes_mut(thread), dst.first(), mask, values),
    }
}

#[inline(always)]
fn store_dense<const L: usize, const R: usize>(
    arena: &mut [u8],
    at: usize,
    mask: u32,
    values: &Rows<u32, L, R>,
) {
    let at = inside(arena, at, 4 * L * R);
    let bytes = &mut arena[at..at + 4 * L * R];
    let values = match mask == full(L * R) {
        true => *values,
        false => blend(mask, values, &dense(bytes, 0)),
    };
    let (dwords, _) = bytes.as_chunks_mut::<4>();
    for r in 0..R {
        for i in 0..L {
            dwords[L * r + i] = values[r][i].to_le_bytes();
        }
    }
}

/// The lanes of `on` where `mask` has a bit, else those of `off`. In arithmetic: the compiler makes vector code
/// of it, which it does not of a choice.
#[inline(always)]
pub fn blend<const L: usize, const R: usize>(
    mask: u32,
    on: &Rows<u32, L, R>,
    off: &Rows<u32, L, R>,
) -> Rows<u32, L, R> {
    let mut out = [[0; L]; R];
    for r in 0..R {
        for i in 0..L {
            let all = (mask >> (L * r + i) & 1).wrapping_neg();
            out[r][i] = on[r][i] & all | off[r][i] & !all;
        }
    }
    out
}

#[inline(never)]
fn store_other(
    thread: &mut Thread<'_>,
    (op, count): (u32, usize),
    dst: Put,
    mask: u32,
    values: &[u32],
) {
    match dst {
        Put::Strided { at, bytes, stride } => {
            let (at, stride) = (at as usize, usize::from(stride));
            let whole = mask == full(values.len());
            let size = usize::from(bytes);
            let arena = &mut thread.arena[at..at + stride * (values.len() - 1) + size];
            if whole && size == 2 && stride == 2 {
                for (bytes, value) in arena.as_chunks_mut::<2>().0.iter_mut().zip(values) {
                    *bytes = (*value as u16).to_le_bytes();
                }
                return;
            }
            for lane in lanes::active(mask, values.len()) {
                let value = values[lane].to_le_bytes();
                let place = &mut arena[stride * lane..][..size];
                match size {
                    1 => place.copy_from_slice(&value[..1]),
                    2 => place.copy_from_slice(&value[..2]),
                    _ => place.copy_from_slice(&value),
                }
            }
        }
        Put::Listed(bytes) => {
            let program = thread.program;
            let region = match program.ops.get(op as usize) {
                Some(Op::Alu(alu)) => &alu.dst.region,
                Some(Op::Compare {
                    dst: CompareDest::General(dst),
                    ..
                }) => &dst.region,
                _ => return,
            };
            let mut all = [0; MAX_LANES];
            all[..values.len()].copy_from_slice(values);
            let (arena, limit) = (&mut thread.arena, program.general_bytes);
            match bytes {
                1 => lanes::write(arena, region, limit, count, mask, &all, |v| [v as u8]),
                2 => lanes::write(arena, region, limit, count, mask, &all, |v| {
                    (v as u16).to_le_bytes()
                }),
                _ => lanes::write(arena, region, limit, count, mask, &all, u32::to_le_bytes),
            }
        }
        Put::Dense(_) | Put::Flags(_) => {}
    }
}

/// Writes one bit for each lane: to a predicate, or as all ones and zeros.
#[inline(always)]
pub fn store_flags<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &mut Thread<'_>,
    step: &Step,
    mask: u32,
    bits: u32,
) {
    let Put::Flags(at) = step.dst else {
        let values = blend(bits, &[[u32::MAX; L]; R], &[[0; L]; R]);
        return store::<L, R, SHAPE>(thread, step, mask, &values);
    };
    thread.write_predicate(at, bits, mask, step.lanes.offset);
}
