//! Instructions whose sources can be looked up as a few ranges of bytes, whatever lanes run: where all of them are
//! defined, nothing that a lane reads is undefined.

use super::State;
use super::finding::AddressUse;
use crate::base::order;
use crate::exec::observer::Running;
use crate::isa::Opcode;
use crate::message::Request;
use crate::observe::known::Known;
use crate::observe::uses::{self, Use, What};
use crate::program::Op;
use std::ops::Range;

/// What an instruction reads on all lanes.
#[derive(Debug)]
pub(super) struct Plain {
    /// Arena bytes, those of a range next to each other, in order.
    ranges: Vec<Range<u32>>,
    /// Predicate in front, by arena offset, and the lane of the execution mask that its bit 0 is for.
    guard: Option<(u32, u8)>,
    /// Lanes whose bits count even if they do not run.
    least: u32,
}

/// By op; `None` for one that has to be looked at lane by lane.
pub(super) fn plain(known: &Known) -> Vec<Option<Plain>> {
    let ops = known.program.ops.iter();
    ops.map(|op| Plain::of(op, known)).collect()
}

impl Plain {
    fn of(op: &Op, known: &Known) -> Option<Plain> {
        let (guard, lanes, least) = match op {
            Op::Alu(alu) => (alu.guard, alu.lanes, 0),
            Op::Send(send) => {
                let by_first = matches!(&send.request, Request::Lsc(r) if r.transposed);
                (send.guard, (!by_first).then_some(send.lanes)?, 0)
            }
            Op::Compare { lanes, .. } | Op::SetPredicate { lanes, .. } => (None, *lanes, 0),
            // A branch with one lane looks at one bit whatever lanes run.
            Op::Goto { lanes, guard, .. } => (*guard, *lanes, u32::from(lanes.count == 1)),
            _ => return None,
        };
        let mut bytes = Vec::new();
        let simple = sources(op, known, |range, _| bytes.push(range));
        simple.then(|| Plain {
            ranges: merged(bytes),
            guard: guard.map(|guard| (guard.offset, lanes.offset)),
            least,
        })
    }
}

/// Calls `each` for the bytes that an instruction reads if all lanes run, with the lane. Says whether that is all it
/// reads, but for predicates whose bits are for one lane each.
pub(super) fn sources(
    op: &Op,
    known: &Known,
    mut each: impl FnMut(Range<u32>, Option<u8>),
) -> bool {
    let all = Running {
        mask: u32::MAX,
        enabled: u32::MAX,
    };
    if !matches!(op, Op::Goto { .. }) && !uses::is_direct(op) {
        return false;
    }
    let mut whole = None;
    // Which source of `sel` a lane takes, its predicate says.
    if let Op::Alu(alu) = op
        && alu.opcode == Opcode::Sel
    {
        let mut alu = alu.clone();
        alu.opcode = Opcode::Mov;
        whole = Some(Op::Alu(alu));
    }
    let mut simple = true;
    let op = whole.as_ref().unwrap_or(op);
    uses::op(op, all, known.facts, &[], |used| match used.what {
        What::Bytes { offset, size } if !known.is_predicate(offset) => {
            each(offset..offset + size, used.lane);
        }
        What::Bits { .. } => {}
        _ => simple = false,
    });
    simple
}

/// Ranges in order, those next to each other as one.
pub(super) fn merged(mut bytes: Vec<Range<u32>>) -> Vec<Range<u32>> {
    order::sort_by_key(&mut bytes, |range| range.start);
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for next in bytes {
        match ranges.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => ranges.push(next),
        }
    }
    ranges
}

impl State {
    /// Whether all that an instruction reads is defined; if not, its lanes have to be looked at.
    #[inline]
    pub(super) fn is_plain(&self, pc: u32, on: Running) -> bool {
        let Some(Some(plain)) = self.plain.get(pc as usize) else {
            return false;
        };
        let defined = |range: &Range<u32>| self.shadow.is_defined(range);
        let decided = plain.guard.is_none_or(|(offset, first)| {
            ((on.enabled | plain.least) << first) & !self.shadow.written_bits(offset) == 0
        });
        decided && plain.ranges.iter().all(defined)
    }

    /// Keeps where the instruction at hand goes by, if it is about to change bytes of it.
    #[inline]
    pub(super) fn about_to_write(&mut self, range: &Range<u32>) {
        let Some((pc, _)) = self.unplaced else {
            return;
        };
        let own = self.plain.get(pc as usize).and_then(Option::as_ref);
        let touched = own.is_some_and(|plain| {
            let mut ranges = plain.ranges.iter();
            ranges.any(|own| own.start < range.end && range.start < own.end)
        });
        if touched {
            self.places = self.places_at_hand();
            self.unplaced = None;
        }
    }

    /// What the instruction at hand goes by to find registers or memory.
    pub(super) fn places_at_hand(&self) -> Vec<AddressUse> {
        let mut places = self.places.clone();
        if let Some((pc, on)) = self.unplaced
            && let Some(op) = self.known.program.ops.get(pc as usize)
        {
            // No operand of it takes an address from the registers, so they do not matter.
            let place = |used: Use| places.extend(self.place(&used));
            uses::op(op, on, self.known.facts, &[], place);
        }
        places
    }
}
