//! Lanes of operands: in as dwords, widened as their type says, out as the low bytes.
//!
//! Where elements are dwords that follow each other, or one for all lanes, kernels have it inlined. What lies otherwise
//! is gathered beforehand and put behind by functions that are compiled once.

use super::Step;
use super::operand::{Element, Operand, OperandShape, Put};
use super::single::flush;
use crate::exec::state::arena::dword;
use crate::exec::state::lanes::{self, MAX_LANES};
use crate::exec::state::thread::Thread;
use crate::isa::Modifier;
use crate::math::simd::Wide;
use crate::program::{CompareDest, Op};

/// Lanes of a loop, `R` rows of `L`. Rows are as long as a wide register, so that the compiler keeps them in
/// registers; a longer array it keeps in memory.
pub type Rows<T, const L: usize, const R: usize> = [[T; L]; R];

/// Lanes of a row: of a wide register.
pub const ROW: usize = 8;

/// The lanes of any step; how many rows it has is told when it runs.
pub type AllRows = Rows<u32, ROW, { MAX_LANES / ROW }>;

/// What `of` makes of each lane. Closures are to be inlined: vector code calls nothing.
#[inline(always)]
pub fn each_lane<const L: usize>(rows: &mut [[u32; L]], of: impl Fn(u32) -> u32) {
    for row in rows {
        for value in row {
            *value = of(*value);
        }
    }
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

/// The lanes of a source that [is plain](Operand::is_plain).
#[inline(always)]
pub fn plain<const L: usize, const R: usize>(arena: &[u8], operand: &Operand) -> Rows<u32, L, R> {
    match operand.form {
        OperandShape::Dense => dense(arena, operand.at as usize),
        OperandShape::Value => [[operand.at; L]; R],
        _ => [[dword(arena, inside(arena, operand.at as usize, 4)); L]; R],
    }
}

/// Room of a kernel for one thread after another.
#[derive(Default)]
pub struct Scratch {
    /// Sources that rows do not read as they lie, modified.
    gathered: [AllRows; 3],
    /// Results.
    out: AllRows,
}

impl Scratch {
    /// Gathers source `k` if it does not lie in rows (`Operand::in_rows`). `singles`: it is known that they are singles,
    /// which are flushed if asked, and whose modifiers change the sign.
    #[inline(always)]
    pub fn gather(
        &mut self,
        wide: Wide,
        thread: &Thread<'_>,
        step: &Step,
        k: usize,
        singles: bool,
    ) {
        if !step.src[k].in_rows {
            let lanes = usize::from(step.loop_lanes);
            let out = &mut self.gathered[k].as_flattened_mut()[..lanes];
            gather(wide, thread, step, (k, singles), out);
        }
    }

    /// The sources of rows of `L` lanes, and room for the results of as many rows as there are.
    #[inline(always)]
    pub fn split<'s, 't, const L: usize>(
        &'s mut self,
        arena: &'t [u8],
        step: &'t Step,
    ) -> (Sources<'s, 't>, &'s mut [[u32; L]]) {
        let sources = Sources {
            arena,
            step,
            gathered: &self.gathered,
        };
        let (rows, _) = self.out.as_flattened_mut().as_chunks_mut::<L>();
        (sources, &mut rows[..usize::from(step.loop_lanes) / L])
    }
}

/// The sources of a step.
pub struct Sources<'s, 't> {
    arena: &'t [u8],
    step: &'t Step,
    gathered: &'s [AllRows; 3],
}

impl Sources<'_, '_> {
    /// A row of source `k`, modified; `singles` as for [`Scratch::gather`].
    #[inline(always)]
    pub fn row<const L: usize>(&self, k: usize, r: usize, singles: bool) -> [u32; L] {
        let operand = &self.step.src[k];
        if !operand.in_rows {
            return self.gathered[k].as_flattened().as_chunks::<L>().0[r];
        }
        let at = operand.at as usize;
        let mut row = match operand.form {
            OperandShape::Dense => dense::<L, 1>(self.arena, at + 4 * L * r),
            OperandShape::Value => [[operand.at; L]],
            _ => [[dword(self.arena, inside(self.arena, at, 4)); L]],
        };
        modify(self.step, operand, singles, &mut row);
        row[0]
    }
}

#[inline(never)]
fn gather(
    wide: Wide,
    thread: &Thread<'_>,
    step: &Step,
    (k, singles): (usize, bool),
    out: &mut [u32],
) {
    let operand = &step.src[k];
    let at = operand.at as usize;
    wide.run(
        #[inline(always)]
        || {
            match operand.form {
                OperandShape::Value => out.fill(operand.at),
                OperandShape::Scalar => out.fill(dword(&thread.arena, at)),
                OperandShape::Dense => {
                    walk_lanes(&thread.arena[at..], (Element::Dword, 4), out);
                }
                OperandShape::Strided(element, stride) => {
                    walk_lanes(&thread.arena[at..], (element, stride.into()), out);
                }
                OperandShape::Listed(element) => {
                    let count = step.lanes.count.into();
                    listed(thread, step.op, (k, element), count, out);
                }
            }
            match !singles && operand.keep != u32::MAX {
                true => absolute(out, operand.modifier),
                false => modify(step, operand, singles, out.as_chunks_mut::<1>().0),
            }
        },
    );
}

/// What modifiers make of rows, but for the absolute values of integers.
#[inline(always)]
fn modify<const L: usize>(step: &Step, operand: &Operand, singles: bool, rows: &mut [[u32; L]]) {
    if singles && step.flush {
        each_lane(rows, flush);
    }
    if operand.modifier.is_none() {
        return;
    }
    for row in rows {
        for value in row {
            *value = match singles {
                true => *value & operand.keep ^ operand.flip,
                false => (*value ^ operand.flip).wrapping_sub(operand.minus),
            };
        }
    }
}

#[inline(always)]
fn absolute(values: &mut [u32], modifier: Option<Modifier>) {
    for value in values {
        let positive = value.cast_signed().wrapping_abs().cast_unsigned();
        *value = match modifier {
            Some(Modifier::NegAbs) => positive.wrapping_neg(),
            _ => positive,
        };
    }
}

/// Elements so many bytes apart.
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
        (Element::Dword, 4) => packed!(4, u32::from_le_bytes),
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

/// Writes the low bytes of the lanes of `mask`, as the destination asks.
#[inline(always)]
pub fn put<const L: usize>(thread: &mut Thread<'_>, step: &Step, mask: u32, rows: &[[u32; L]]) {
    let Put::Dense(at) = step.dst else {
        let place = (step.op, step.lanes.count.into());
        return store_other(thread, place, step.dst, mask, rows.as_flattened());
    };
    let arena = step.bytes_mut(thread);
    for (r, row) in rows.iter().enumerate() {
        store_dense(
            arena,
            at as usize + 4 * L * r,
            mask >> (L * r) & full(L),
            &[*row],
        );
    }
}

/// Writes the lanes of `mask` to dwords that follow each other.
#[inline(always)]
pub fn store_dense<const L: usize, const R: usize>(
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
