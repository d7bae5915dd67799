//! What named barriers order: which part of another thread's past a thread has passed.
//!
//! ```text
//!  came     the thread's past, and what it knew of others, goes to the meeting; its next part begins
//!  passed   the thread has passed what the meeting has collected
//! ```
//!
//! Source: vISA text reference 5.13. The barrier of the whole group orders all threads and is not kept here.

use crate::exec::Meeting;
use std::collections::HashMap;

/// How many parts of each thread's past are known, by thread.
type Clock = HashMap<u32, u32>;

/// The threads of one group.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// How often each thread has come to a named barrier.
    ticks: Clock,
    /// What each thread has passed.
    passed: HashMap<u32, Clock>,
    /// What each meeting has collected.
    meetings: HashMap<Meeting, Clock>,
}

impl Clocks {
    /// The part of its run that a thread is in.
    pub fn tick(&self, thread: u32) -> u32 {
        self.ticks.get(&thread).copied().unwrap_or(0)
    }

    /// Whether `thread` has passed part `tick` of `other`.
    pub fn is_behind(&self, thread: u32, other: u32, tick: u32) -> bool {
        let known = self.passed.get(&thread).and_then(|clock| clock.get(&other));
        known.is_some_and(|&parts| parts > tick)
    }

    /// A thread has come to a named barrier.
    pub fn came(&mut self, thread: u32, meeting: Meeting) {
        let parts = self.ticks.entry(thread).or_insert(0);
        *parts += 1;
        let clock = self.meetings.entry(meeting).or_default();
        join(clock, &Clock::from([(thread, *parts)]));
        if let Some(known) = self.passed.get(&thread) {
            join(clock, known);
        }
    }

    /// A thread goes on after a named barrier.
    pub fn passed(&mut self, thread: u32, meeting: Meeting) {
        if let Some(clock) = self.meetings.get(&meeting) {
            join(self.passed.entry(thread).or_default(), clock);
        }
    }
}

fn join(clock: &mut Clock, other: &Clock) {
    for (&thread, &parts) in other {
        let own = clock.entry(thread).or_insert(0);
        *own = (*own).max(parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_before_a_meeting_is_behind_those_who_passed_it_and_those_who_met_them_later() {
        let mut order = Clocks::default();
        let (first, second) = (Meeting { id: 0, phase: 0 }, Meeting { id: 1, phase: 0 });
        order.came(0, first);
        order.came(1, first);
        order.passed(1, first);
        assert!(order.is_behind(1, 0, 0));
        // What thread 0 does after its signal is not.
        assert!(!order.is_behind(1, 0, order.tick(0)));
        assert!(!order.is_behind(2, 0, 0));
        order.came(1, second);
        order.came(2, second);
        order.passed(2, second);
        assert!(order.is_behind(2, 0, 0) && order.is_behind(2, 1, 1));
        assert!(!order.is_behind(0, 1, 0));
    }
}
