//! One texel for each lane.

use super::super::axis;
use super::super::lanes::Block;
use super::super::texels::{Fetch, Found, put_outside};
use super::{Bounds, Find, RegisterPlan};
use crate::surface::Memory;

/// What the lanes of a thread get.
pub(super) fn block<const N: usize>(
    plan: &RegisterPlan,
    fetch: Fetch<N>,
    memory: &Memory,
    registers: &[u8],
) -> Block<N> {
    let wide = plan.wide;
    let (at, inside) = wide.run(
        #[inline(always)]
        || place(plan, registers),
    );
    let mut block = fetch(wide, memory, plan.plane.start, &at);
    if let Find::Loaded(bounds) = &plan.find {
        wide.run(
            #[inline(always)]
            || put_outside(&mut block, &inside, &bounds.outside),
        );
    }
    block
}

/// Byte offsets of texels in the plane, and all bits for lanes that have one, or none.
#[inline(always)]
fn place<const N: usize>(plan: &RegisterPlan, registers: &[u8]) -> ([u32; N], [u32; N]) {
    let [u, v] = plan.coordinates::<N>(registers);
    let Found { x, y, inside } = match &plan.find {
        Find::Sampled { axes, used, moved } => Found {
            x: axis::nearest(&axes[0], &u, moved[0]),
            y: match used {
                1 => [0; N],
                _ => axis::nearest(&axes[1], &v, moved[1]),
            },
            inside: [u32::MAX; N],
        },
        Find::Loaded(bounds) => bounds.find(u, v),
    };
    (plan.plane.offsets(x, y), inside)
}

impl Bounds {
    #[inline(always)]
    fn find<const N: usize>(&self, mut u: [u32; N], mut v: [u32; N]) -> Found<N> {
        for (u, v) in u.iter_mut().zip(&mut v) {
            *u = u.wrapping_add(self.moved[0]);
            *v = v.wrapping_add(self.moved[1]);
        }
        Found::new(&u, &v, self.size)
    }
}
