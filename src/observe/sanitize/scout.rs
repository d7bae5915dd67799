//! Whether a run has anything to report, found out while it runs as if nobody watched it.
//!
//! ```text
//!  registers  what may be read before it is written ([`ReadFirst`]) was given         worked out once
//!  memory     messages that the executor does not see to be harmless, lane by lane     as they are served
//!  barriers   as step by step
//! ```
//!
//! A doubt is no finding: the steps tell.

use super::memory::Old;
use super::{Sanitizer, State};
use crate::exec::ReadFirst;
use crate::exec::observer::{At, Running, Start};
use crate::observe::known::Known;
use crate::observe::shadow::Shadow;
use crate::program::{Barrier, Op};
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// A way to begin.
#[derive(Debug)]
pub(super) struct Cleared {
    lanes: u32,
    given: Vec<Range<u32>>,
    /// No register has to be looked at.
    holds: bool,
}

/// Ways to begin that are kept at most.
const MOST: usize = 64;

impl Sanitizer {
    /// Whether a thread that begins so reads nothing of its registers that is undefined.
    pub(super) fn is_cleared(&self, known: &Known, start: &Start<'_>) -> bool {
        let mut cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |way: &&Cleared| way.lanes == start.lanes && way.given == start.given;
        if let Some(way) = cleared.iter().find(same) {
            return way.holds;
        }
        let holds = cleared.len() < MOST && is_given(known, start);
        if cleared.len() < MOST {
            cleared.push(Cleared {
                lanes: start.lanes,
                given: start.given.to_vec(),
                holds,
            });
        }
        holds
    }

    /// A run has ended that looked for doubts: whether it left any. What is known of its groups is forgotten.
    pub(super) fn doubts(&self, cut_short: bool) -> bool {
        self.doubted.fetch_or(cut_short, Relaxed);
        let doubts = self.doubted.load(Relaxed);
        if doubts {
            self.steps.store(true, Relaxed);
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.groups.clear();
        }
        doubts
    }
}

/// Whether all that a thread may read before it has written it was there when it began.
fn is_given(known: &Known, start: &Start<'_>) -> bool {
    let Some(reads) = ReadFirst::new(&known.program, start.lanes) else {
        return false;
    };
    let mut shadow = Shadow::new(known);
    shadow.give(known, start.given);
    let mut bytes = reads.bytes.iter();
    let mut bits = reads.bits.iter();
    bytes.all(|range| shadow.is_defined(&(range.start as u32..range.end as u32)))
        && bits.all(|(at, bits)| bits & !shadow.written_bits(*at) == 0)
}

impl State {
    /// A message or a barrier comes next.
    pub(super) fn meets(&mut self, at: At, op: &Op, on: Running) {
        self.written.clear();
        match op {
            Op::Barrier(Barrier::Whole | Barrier::Wait) => self.barrier(at, on),
            Op::Send(send) => self.old = Old::of_request(&send.request),
            _ => {}
        }
    }

    /// Whether so many bytes of shared local memory belong to something and have been written.
    pub(super) fn knows_shared(&mut self, bytes: u64) -> bool {
        if bytes > u64::from(self.slm_used) {
            return false;
        }
        let mut local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        local.is_whole(bytes)
    }
}
