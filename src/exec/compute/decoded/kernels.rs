//! Loops over the lanes of a step, for any function of dwords.
//!
//! [`Plain`] knows how many rows there are and that operands [are plain](super::operand::are_plain): common functions
//! have it. [`Any`], which all functions have, asks the step, row by row.

use super::rows::{ROW, Scratch, each_lane, plain, put, store_dense};
use super::single::{any_nan, flush, saturate};
use super::{Kernel, Step, as_defined};
use crate::exec::state::thread::Thread;
use crate::math::simd::Wide;
use std::marker::PhantomData;

/// A function of up to three dwords.
pub trait Function {
    /// How many it takes.
    const SOURCES: usize;
    /// Whether they are singles.
    const SINGLES: bool = false;
    /// Whether results are singles of which a NaN is left to the reference, which knows the one that is promised
    /// ([`float::nan_of`](crate::exec::compute::float::nan_of)).
    const LEAVES_NAN: bool = false;
    /// Whether results are singles that are flushed if asked.
    const FLUSHES: bool = Self::LEAVES_NAN;
    /// What it is.
    fn of(step: &Step, sources: [u32; 3]) -> u32;
}

/// A [`Function`] on `R` rows of plain operands. There is nothing to flush.
pub struct Plain<F, const R: usize>(PhantomData<F>);

impl<F: Function, const R: usize> Kernel for Plain<F, R> {
    #[inline(always)]
    fn run(_: Wide, thread: &mut Thread<'_>, step: &Step, _: &mut Scratch) {
        let mask = step.unguarded(thread);
        if mask == 0 {
            return;
        }
        let mut src = [[[0; ROW]; R]; 3];
        for (k, lanes) in src.iter_mut().enumerate().take(F::SOURCES) {
            *lanes = plain(step.bytes(thread), &step.src[k]);
        }
        let mut out = [[0; ROW]; R];
        for r in 0..R {
            for i in 0..ROW {
                out[r][i] = F::of(step, [src[0][r][i], src[1][r][i], src[2][r][i]]);
            }
        }
        if F::LEAVES_NAN && any_nan(&out) {
            // Nothing has been written yet.
            return as_defined(thread, step.defined());
        }
        store_dense(step.bytes_mut(thread), step.dst.first(), mask, &out);
    }
}

/// A [`Function`] on as many rows of `L` lanes as there are, of any operands.
pub struct Any<F, const L: usize>(PhantomData<F>);

impl<F: Function, const L: usize> Kernel for Any<F, L> {
    #[inline(always)]
    fn run(wide: Wide, thread: &mut Thread<'_>, step: &Step, scratch: &mut Scratch) {
        let mask = step.guarded(thread);
        if mask == 0 {
            return;
        }
        for k in 0..F::SOURCES {
            scratch.gather(wide, thread, step, k, F::SINGLES);
        }
        let (sources, out) = scratch.split::<L>(step.bytes(thread), step);
        let mut nan = [false; L];
        for (r, out) in out.iter_mut().enumerate() {
            let mut src = [[0; L]; 3];
            for (k, lanes) in src.iter_mut().enumerate().take(F::SOURCES) {
                *lanes = sources.row(k, r, F::SINGLES);
            }
            for i in 0..L {
                out[i] = F::of(step, [src[0][i], src[1][i], src[2][i]]);
                nan[i] |= f32::from_bits(out[i]).is_nan();
            }
        }
        if F::LEAVES_NAN && nan.contains(&true) {
            return as_defined(thread, step.defined());
        }
        if F::FLUSHES && step.flush {
            each_lane(out, flush);
        }
        if step.saturate {
            each_lane(out, saturate);
        }
        put(thread, step, mask, out);
    }
}
