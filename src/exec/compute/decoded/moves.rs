//! `sel`, and moves of what is wider than a dword.

use super::rows::{Scratch, blend, each_lane, put};
use super::single::quiet;
use super::{Kernel, Step};
use crate::exec::state::lanes::{self, MAX_LANES};
use crate::exec::state::thread::Thread;
use crate::math::simd::Wide;
use crate::program::{Op, Region};

/// `sel`: the predicate chooses and does not mask. `SINGLES`: a source that has a modifier is moved as
/// [`Modified`](super::single::Modified) does, and the others as they are.
pub struct Select<const SINGLES: bool, const L: usize>;

impl<const SINGLES: bool, const L: usize> Kernel for Select<SINGLES, L> {
    #[inline(always)]
    fn run(wide: Wide, thread: &mut Thread<'_>, step: &Step, scratch: &mut Scratch) {
        let mask = step.unguarded(thread);
        if mask == 0 {
            return;
        }
        let chosen = match step.guard {
            None => u32::MAX,
            Some(guard) => thread.predicate(step.lanes, guard),
        };
        let moved = [0, 1].map(|k| SINGLES && step.src[k].modifier.is_some());
        for (k, moved) in moved.into_iter().enumerate() {
            scratch.gather(wide, thread, step, k, moved);
        }
        let (sources, out) = scratch.split::<L>(step.bytes(thread), step);
        for (r, out) in out.iter_mut().enumerate() {
            let mut src = [[[0; L]; 1]; 2];
            for (k, row) in src.iter_mut().enumerate() {
                *row = [sources.row(k, r, moved[k])];
                if moved[k] {
                    each_lane(row, quiet);
                }
            }
            [*out] = blend(chosen >> (L * r), &src[0], &src[1]);
        }
        put(thread, step, mask, out);
    }
}

/// Bytes of 8-byte elements, unchanged.
pub struct Qwords;

impl Kernel for Qwords {
    #[inline(always)]
    fn run(_: Wide, thread: &mut Thread<'_>, step: &Step, _: &mut Scratch) {
        qwords(thread, step);
    }
}

fn qwords(thread: &mut Thread<'_>, step: &Step) {
    let mask = step.guarded(thread);
    let program = thread.program;
    let Some(Op::Alu(op)) = program.ops.get(step.op as usize) else {
        return;
    };
    if mask == 0 {
        return;
    }
    let (count, limit) = (usize::from(step.lanes.count), program.general_bytes);
    let arena = &mut thread.arena[..];
    let whole = mask.count_ones() as usize == count;
    if let (Region::Dense(to), Region::Dense(from), true) =
        (&op.dst.region, &op.src[0].region, whole)
    {
        let from = *from as usize;
        arena.copy_within(from..from + count * 8, *to as usize);
        return;
    }
    let mut values = [[0; 8]; MAX_LANES];
    lanes::read(arena, &op.src[0].region, limit, count, &mut values, |b| b);
    lanes::write(arena, &op.dst.region, limit, count, mask, &values, |b| b);
}
