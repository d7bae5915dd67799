//! One texel for each lane.

use super::super::axis;
use super::super::element::Element;
use super::super::lanes::{by_lane, channel};
use super::super::texels::words;
use super::{Bounds, Find, MOST, RegisterPlan, Results};
use crate::surface::Memory;

/// Byte offsets in the plane, for the lanes of each thread.
type Offsets<const N: usize> = [[u32; N]; MOST];

pub(super) fn serve<E: Element, const N: usize>(
    plan: &RegisterPlan,
    memory: &Memory,
    threads: &mut [&mut [u8]],
) {
    let mut offsets = [[0; N]; MOST];
    let mut outside = [0; MOST];
    place::<N>(plan, threads, &mut offsets, &mut outside);
    plan.wide.run(
        #[inline(always)]
        || spread::<E, N>(plan, memory, &offsets, threads),
    );
    if let Find::Loaded(bounds) = &plan.find {
        for (registers, lanes) in threads.iter_mut().zip(outside) {
            put_outside(plan, bounds, lanes, registers);
        }
    }
}

/// Finds texels. Not part of [`serve`]: it is the same for all elements.
#[inline(never)]
fn place<const N: usize>(
    plan: &RegisterPlan,
    threads: &[&mut [u8]],
    offsets: &mut Offsets<N>,
    outside: &mut [u32; MOST],
) {
    plan.wide.run(
        #[inline(always)]
        || place_all::<N>(plan, threads, offsets, outside),
    )
}

/// A bit of `outside` is set for each lane that has no texel.
#[inline(always)]
fn place_all<const N: usize>(
    plan: &RegisterPlan,
    threads: &[&mut [u8]],
    offsets: &mut Offsets<N>,
    outside: &mut [u32; MOST],
) {
    for (thread, registers) in threads.iter().enumerate() {
        let [u, v] = plan.coordinates::<N>(registers);
        let [mut x, mut y] = match &plan.find {
            Find::Sampled { axes, used, moved } => {
                let x = axis::nearest(&axes[0], &u, moved[0]);
                match used {
                    1 => [x, [0; N]],
                    _ => [x, axis::nearest(&axes[1], &v, moved[1])],
                }
            }
            Find::Loaded(bounds) => bounds.texels(u, v, &mut outside[thread]),
        };
        plan.plane.columns(&mut x);
        plan.plane.rows(&mut y);
        offsets[thread] = by_lane(|lane| x[lane] + y[lane]);
    }
}

impl Bounds {
    /// Columns and rows. Lanes outside get texel 0, whose result is not used, and a bit.
    #[inline(always)]
    fn texels<const N: usize>(&self, u: [u32; N], v: [u32; N], outside: &mut u32) -> [[u32; N]; 2] {
        let x: [u32; N] = by_lane(|lane| u[lane].wrapping_add(self.moved[0]));
        let y: [u32; N] = by_lane(|lane| v[lane].wrapping_add(self.moved[1]));
        let inside: [u32; N] = by_lane(|lane| {
            let within = (x[lane] < self.size[0]) & (y[lane] < self.size[1]);
            0u32.wrapping_sub(u32::from(within))
        });
        if inside.iter().fold(u32::MAX, |all, one| all & one) == 0 {
            let out = |(lane, inside): (usize, &u32)| (!inside & 1) << lane;
            *outside = inside.iter().enumerate().map(out).sum();
        }
        [
            by_lane(|lane| x[lane] & inside[lane]),
            by_lane(|lane| y[lane] & inside[lane]),
        ]
    }
}

/// Texels as they are.
struct Nearest<E: Element, const N: usize>([E::Word; N]);

impl<E: Element, const N: usize> Results<N> for Nearest<E, N> {
    #[inline(always)]
    fn channel(&self, c: usize) -> [u32; N] {
        channel::<E, N>(&self.0, c)
    }
}

/// Fetches texels and writes their channels.
#[inline(always)]
fn spread<E: Element, const N: usize>(
    plan: &RegisterPlan,
    memory: &Memory,
    offsets: &Offsets<N>,
    threads: &mut [&mut [u8]],
) {
    // A copy of its own, which nothing that is written to registers changes.
    let plan = *plan;
    for (registers, offsets) in threads.iter_mut().zip(offsets) {
        let words = words::<E::Word, N>(memory, plan.plane.start, offsets);
        plan.put(registers, &Nearest::<E, N>(words));
    }
}

/// Replaces what lanes got that have no texel.
fn put_outside(plan: &RegisterPlan, bounds: &Bounds, mut lanes: u32, registers: &mut [u8]) {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let asked = (0..4).filter(|c| plan.channels >> c & 1 == 1);
        for (row, c) in asked.enumerate() {
            let at = plan.places.to + row * plan.places.pitch + 4 * lane;
            registers[at..at + 4].copy_from_slice(&bounds.outside[c].to_le_bytes());
        }
    }
}
