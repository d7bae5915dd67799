//! `cmp`: one bit for each lane.

use super::dword::dwords;
use super::operand::store_flags;
use super::single::singles;
use super::{Kernel, Step};
use crate::exec::thread::Thread;
use crate::isa::Condition;

/// Which lanes a relation holds on.
#[inline(always)]
fn related<T: PartialOrd + Copy, const N: usize>(
    relation: Condition,
    a: [T; N],
    b: [T; N],
) -> [bool; N] {
    let mut holds = [false; N];
    macro_rules! relation {
        ($op:tt) => {
            for i in 0..N {
                holds[i] = a[i] $op b[i];
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
    holds
}

/// Comparisons of singles.
pub struct CompareSingle<const N: usize>;

impl<const N: usize> Kernel for CompareSingle<N> {
    #[inline(always)]
    fn run<const FUSED: bool>(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask(thread);
        let a = singles::<N>(thread, step, 0);
        let b = singles::<N>(thread, step, 1);
        store_flags(thread, step, mask, &related(step.relation, a, b));
    }
}

/// Comparisons of integers that a dword holds.
pub struct CompareDword<const SIGNED: bool, const N: usize>;

impl<const SIGNED: bool, const N: usize> Kernel for CompareDword<SIGNED, N> {
    #[inline(always)]
    fn run<const FUSED: bool>(thread: &mut Thread<'_>, step: &Step) {
        let mask = step.mask(thread);
        let a = dwords::<N>(thread, step, 0);
        let b = dwords::<N>(thread, step, 1);
        let holds = if SIGNED {
            related(step.relation, a.map(|v| v as i32), b.map(|v| v as i32))
        } else {
            related(step.relation, a, b)
        };
        store_flags(thread, step, mask, &holds);
    }
}
