//! Barriers: where threads of a group did not meet.

use super::finding::{Detail, Finding, Key, Kind};
use crate::exec::observer::At;
use crate::exec::{Meeting, ThreadId};

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
