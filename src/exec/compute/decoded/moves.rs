//! Moves that convert, and moves of what is wider than a dword.

use super::dword::{dwords, select};
use super::operand::{ANY, Shape};
use super::rows::{each_lane, load, store};
use super::single::{quiet, saturate, singles};
use super::{Kernel, Step};
use crate::exec::compute::float;
use crate::exec::state::lanes::{self, MAX_LANES};
use crate::exec::state::thread::Thread;
use crate::program::{Op, Region};
use std::marker::PhantomData;

/// An integer in a dword.
pub trait Integer {
    /// The nearest single, even on ties.
    fn single(value: u32) -> f32;
}

/// One with a sign.
pub struct Signed;

/// One without.
pub struct Unsigned;

impl Integer for Signed {
    #[inline(always)]
    fn single(value: u32) -> f32 {
        value as i32 as f32
    }
}

impl Integer for Unsigned {
    #[inline(always)]
    fn single(value: u32) -> f32 {
        value as f32
    }
}

/// Integers of up to 32 bits to singles.
pub struct ToSingle<I, const SHAPE: Shape, const L: usize, const R: usize>(PhantomData<I>);

impl<I: Integer, const SHAPE: Shape, const L: usize, const R: usize> Kernel
    for ToSingle<I, SHAPE, L, R>
{
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<SHAPE>(thread);
        if mask == 0 {
            return;
        }
        let values = dwords::<L, R, SHAPE>(thread, step, 0);
        let out = each_lane(
            &values,
            #[inline(always)]
            |v| I::single(v).to_bits(),
        );
        store::<L, R, SHAPE>(thread, step, mask, &out);
    }
}

/// What a single becomes.
pub trait Target {
    /// The value, or its low bits.
    fn of(value: f32) -> u32;
}

macro_rules! targets {
    ($($name:ident = $ty:ty;)+) => {$(
        /// Singles to integers: the fraction is dropped, the range clamps, NaN is 0.
        pub struct $name;

        impl Target for $name {
            #[inline(always)]
            fn of(value: f32) -> u32 {
                value as $ty as u32
            }
        }
    )+};
}

targets! {
    D = i32;
    Ud = u32;
    W = i16;
    Uw = u16;
    B = i8;
    Ub = u8;
}

/// Singles to integers.
pub struct FromSingle<T, const L: usize, const R: usize>(PhantomData<T>);

impl<T: Target, const L: usize, const R: usize> Kernel for FromSingle<T, L, R> {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<ANY>(thread);
        if mask == 0 {
            return;
        }
        let values = load::<L, R, ANY>(thread, step, 0);
        let (keep, flip) = (step.src[0].keep, step.src[0].flip);
        let out = each_lane(
            &values,
            #[inline(always)]
            |v| T::of(f32::from_bits(v & keep ^ flip)),
        );
        store::<L, R, ANY>(thread, step, mask, &out);
    }
}

/// A move of singles with a modifier or `.sat`: NaN becomes quiet, denormals are flushed if asked.
pub struct Modified<const L: usize, const R: usize>;

impl<const L: usize, const R: usize> Kernel for Modified<L, R> {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask::<ANY>(thread);
        if mask == 0 {
            return;
        }
        let mut values = each_lane(&singles::<L, R, ANY>(thread, step, 0), quiet);
        if step.saturate {
            values = each_lane(&values, saturate);
        }
        if step.flush {
            values = each_lane(&values, float::flush_single);
        }
        store::<L, R, ANY>(thread, step, mask, &each_lane(&values, f32::to_bits));
    }
}

/// `sel` of singles: each that has a modifier is moved as [`Modified`] does, and the others as they are.
pub struct SelectSingle<const L: usize, const R: usize>;

impl<const L: usize, const R: usize> Kernel for SelectSingle<L, R> {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        select::<L, R>(
            thread,
            step,
            #[inline(always)]
            |thread, step, k| match step.src[k].modifier {
                None => load::<L, R, ANY>(thread, step, k),
                Some(_) => each_lane(
                    &singles::<L, R, ANY>(thread, step, k),
                    #[inline(always)]
                    |v| quiet(v).to_bits(),
                ),
            },
        );
    }
}

/// Bytes of 8-byte elements, unchanged.
pub struct Qwords;

impl Kernel for Qwords {
    #[inline(always)]
    fn run(thread: &mut Thread<'_>, step: &Step) {
        qwords(thread, step);
    }
}

fn qwords(thread: &mut Thread<'_>, step: &Step) {
    let mask = step.mask::<ANY>(thread);
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
