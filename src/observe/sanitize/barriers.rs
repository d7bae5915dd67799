//! Barriers: where threads of a group, or lanes of a thread, did not meet.

use super::State;
use super::finding::{Detail, Finding, Key, Kind};
use crate::exec::observer::{At, Running};
use crate::exec::{Meeting, ThreadId};
use crate::program::Lanes;

impl State {
    /// A barrier is about to be waited at.
    pub(super) fn barrier(&mut self, at: At, on: Running) {
        self.barriers.push(at.pc);
        if on.enabled != self.lanes {
            self.add(at, Kind::SomeLanes, None, |state| Detail::OperandRole {
                came: on.enabled,
                lanes: state.lanes,
                parted: state.parted,
            });
        }
    }

    /// A branch or return is about to be decided: whether lanes part here that were together.
    pub(super) fn branch(&mut self, at: At, lanes: Lanes, on: Running) {
        let taken = on.mask << lanes.offset;
        let together = on.enabled << lanes.offset == self.lanes & lanes.all() << lanes.offset;
        // With one lane all go or stay.
        if together && lanes.count > 1 && taken != 0 && taken != self.lanes {
            self.parted = Some(at.pc);
        }
    }
}

/// A named barrier that was not complete when the group had ended, and the first thread that came.
pub(super) fn left((meeting, at): (Meeting, At)) -> (Key, Finding) {
    let finding = Finding {
        thread: at.thread,
        step: at.step,
        lane: None,
        lanes: 0,
        count: 1,
        detail: Detail::Named(meeting),
    };
    ((at.pc, Kind::NamedOpen), finding)
}

/// The first barrier at which two threads of a group did not meet.
pub(super) fn parted(
    thread: ThreadId,
    own: &[u32],
    other: ThreadId,
    theirs: &[u32],
) -> Option<(Key, Finding)> {
    let finding = |thread, detail, step: usize| Finding {
        thread,
        step: step as u64,
        lane: None,
        lanes: 0,
        count: 1,
        detail,
    };
    let rounds = own.len().max(theirs.len());
    let round = (0..rounds).find(|&k| own.get(k) != theirs.get(k))?;
    let early = |pc: u32, waits: ThreadId, ended: ThreadId| {
        let detail = Detail::Other { pc, thread: ended };
        ((pc, Kind::EndedEarly), finding(waits, detail, round))
    };
    Some(match (own.get(round), theirs.get(round)) {
        (Some(&pc), Some(&at)) => {
            let detail = Detail::Other {
                pc: at,
                thread: other,
            };
            ((pc, Kind::OtherBarrier), finding(thread, detail, round))
        }
        (Some(&pc), None) => early(pc, thread, other),
        (None, Some(&pc)) => early(pc, other, thread),
        (None, None) => return None,
    })
}
