//! Four texels for each lane, weighed by distance.

use super::super::axis::{self, Positions};
use super::super::element::Element;
use super::super::lanes::{Quad, by_lane, filtered, weights};
use super::super::texels::pairs;
use super::{Find, RegisterPlan, Results};
use crate::surface::Memory;

/// The footprints of a thread's lanes: byte offsets of two columns and two rows, and the weights of the second
/// ones.
#[derive(Clone, Copy)]
struct Footprints<const N: usize> {
    columns: [[u32; N]; 2],
    rows: [[u32; N]; 2],
    beta: [[u32; N]; 2],
}

impl<const N: usize> Footprints<N> {
    /// Byte offsets of the two texels of a row.
    #[inline(always)]
    fn row(&self, row: usize) -> [[u32; N]; 2] {
        let ([first, next], y) = (&self.columns, &self.rows[row]);
        [
            by_lane(|lane| first[lane] + y[lane]),
            by_lane(|lane| next[lane] + y[lane]),
        ]
    }
}

pub(super) fn serve<E: Element, const N: usize>(
    plan: &RegisterPlan,
    memory: &Memory,
    threads: &mut [&mut [u8]],
) {
    for registers in threads {
        let mut footprints = Footprints {
            columns: [[0; N]; 2],
            rows: [[0; N]; 2],
            beta: [[0; N]; 2],
        };
        place::<N>(plan, registers, &mut footprints);
        plan.wide.run(
            #[inline(always)]
            || spread::<E, N>(plan, memory, &footprints, registers),
        )
    }
}

/// Finds texels. Not part of [`serve`]: it is the same for all elements.
#[inline(never)]
fn place<const N: usize>(plan: &RegisterPlan, registers: &[u8], to: &mut Footprints<N>) {
    plan.wide.run(
        #[inline(always)]
        || footprints::<N>(plan, registers, to),
    )
}

#[inline(always)]
fn footprints<const N: usize>(plan: &RegisterPlan, registers: &[u8], to: &mut Footprints<N>) {
    let Find::Sampled { axes, used, moved } = &plan.find else {
        return;
    };
    let mut at = [Positions::ORIGIN; 2];
    let coordinates = plan.coordinates::<N>(registers);
    let axes = axes.iter().zip(moved).zip(&coordinates);
    for (((axis, by), c), at) in axes.zip(&mut at).take(*used) {
        axis::linear(axis, c, *by, at);
    }
    let [u, v] = at;
    to.columns = [u.first, u.next];
    to.rows = [v.first, v.next];
    to.beta = [u.beta, v.beta];
    for x in &mut to.columns {
        plan.plane.columns(x);
    }
    for y in &mut to.rows {
        plan.plane.rows(y);
    }
}

/// Texels to be weighed.
struct Linear<E: Element, const N: usize>(Quad<E::Word, N>);

impl<E: Element, const N: usize> Results<N> for Linear<E, N> {
    #[inline(always)]
    fn channel(&self, c: usize) -> [u32; N] {
        filtered::<E, N>(&self.0, c)
    }
}

/// Fetches texels, weighs them, and writes their channels.
#[inline(always)]
fn spread<E: Element, const N: usize>(
    plan: &RegisterPlan,
    memory: &Memory,
    footprints: &Footprints<N>,
    registers: &mut [u8],
) {
    // A copy of its own, which nothing that is written to registers changes.
    let plan = *plan;
    let start = plan.plane.start;
    let [above, below] = [
        pairs::<E::Word, N>(memory, start, &footprints.row(0)),
        pairs::<E::Word, N>(memory, start, &footprints.row(1)),
    ];
    let [across, down] = &footprints.beta;
    let texels = Linear::<E, N>(Quad {
        words: [above[0], above[1], below[0], below[1]],
        weights: weights(across, down),
    });
    plan.put(registers, &texels);
}
