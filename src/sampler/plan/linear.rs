//! Four texels for each lane, weighed by distance.

use super::super::axis::{self, Positions};
use super::super::lanes::{Block, Level, by_lane, filter};
use super::super::texels::Elements;
use super::{Find, RegisterPlan};
use crate::surface::Memory;

/// The footprints of a thread's lanes.
struct Footprints<const N: usize> {
    /// Byte offsets in the order (0,0), (1,0), (0,1), (1,1).
    at: [[u32; N]; 4],
    /// Weights of the second column and row.
    beta: [[u32; N]; 2],
}

/// What the lanes of a thread get.
pub(super) fn block<const N: usize>(
    plan: &RegisterPlan,
    elements: &Elements<N>,
    memory: &Memory,
    registers: &[u8],
) -> Block<N> {
    let (wide, start) = (plan.wide, plan.plane.start);
    let Footprints { at, beta } = wide.run(
        #[inline(always)]
        || place(plan, registers),
    );
    let fetch = |at: &[u32; N]| (elements.fetch)(wide, memory, start, at);
    let four = [fetch(&at[0]), fetch(&at[1]), fetch(&at[2]), fetch(&at[3])];
    let four = Level::Linear(four, beta);
    filter(wide, &elements.decoding, &four, None)
}

/// Finds texels.
#[inline(always)]
fn place<const N: usize>(plan: &RegisterPlan, registers: &[u8]) -> Footprints<N> {
    let mut at = [Positions::ORIGIN; 2];
    if let Find::Sampled { axes, used, moved } = &plan.find {
        let coordinates = plan.coordinates::<N>(registers);
        let axes = axes.iter().zip(moved).zip(&coordinates);
        for (((axis, by), c), at) in axes.zip(&mut at).take(*used) {
            axis::linear(axis, c, *by, at);
        }
    }
    let [mut u, mut v] = at;
    for x in [&mut u.first, &mut u.next] {
        plan.plane.columns(x);
    }
    for y in [&mut v.first, &mut v.next] {
        plan.plane.rows(y);
    }
    Footprints {
        at: [
            by_lane(|lane| u.first[lane] + v.first[lane]),
            by_lane(|lane| u.next[lane] + v.first[lane]),
            by_lane(|lane| u.first[lane] + v.next[lane]),
            by_lane(|lane| u.next[lane] + v.next[lane]),
        ],
        beta: [u.beta, v.beta],
    }
}
