//! Named barriers of a group: who has come to which, and who may go on.
//!
//! ```text
//!  signal ─▶ a phase collects producers and consumers ─▶ complete when both counts are met
//!  wait   ─▶ the phase that the thread signalled: on it goes, or it stops until that is complete
//! ```
//!
//! A thread that produces and consumes counts as both. Source: vISA text reference 5.13 and the vISA
//! page NBARRIER. Not here: taking turns ([`crate::launch`]).

use std::cell::RefCell;

/// Named barriers of a group. Source: the page's "Valid values are [0-31]".
pub const NAMED_BARRIERS: u32 = 32;

/// One phase of one named barrier: what threads meet at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Meeting {
    /// Which barrier.
    pub id: u8,
    /// Phases it has completed before.
    pub phase: u32,
}

/// What a thread comes to a named barrier as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Type 0, and whoever gives one count.
    Both,
    /// Type 1: does not wait.
    Producer,
    /// Type 2.
    Consumer,
}

impl Role {
    /// The `type` operand; `None` for a value that stands for nothing.
    pub fn from_type(value: u64) -> Option<Role> {
        [Role::Both, Role::Producer, Role::Consumer]
            .get(usize::try_from(value).ok()?)
            .copied()
    }

    /// Whether it adds to the producers and to the consumers.
    const fn counts(self) -> [bool; 2] {
        match self {
            Role::Both => [true, true],
            Role::Producer => [true, false],
            Role::Consumer => [false, true],
        }
    }
}

/// A phase that is not complete.
#[derive(Clone, Debug, Default)]
struct Open {
    /// Producers and consumers that the threads have announced, and how many came.
    wanted: [u32; 2],
    arrived: [u32; 2],
    /// Threads that came, by their number in the group.
    threads: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Barrier {
    completed: u32,
    open: Option<Open>,
}

/// The named barriers of a group whose threads take turns.
#[derive(Debug, Default)]
pub struct NamedBarriers(RefCell<Vec<Barrier>>);

impl NamedBarriers {
    /// Thread `thread` of the group comes to barrier `id`, which is below `NAMED_BARRIERS`, with the
    /// counts of producers and consumers that it knows.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn signal(
        &self,
        thread: u32,
        id: u8,
        role: Role,
        wanted: [u32; 2],
    ) -> Result<Meeting, String> {
        let mut barriers = self.0.borrow_mut();
        let number = usize::from(id);
        if barriers.len() <= number {
            barriers.resize_with(number + 1, Barrier::default);
        }
        let barrier = &mut barriers[number];
        let open = barrier.open.get_or_insert_with(|| Open {
            wanted,
            ..Open::default()
        });
        let [producers, consumers] = open.wanted;
        if open.wanted != wanted {
            return Err(format!(
                "{} producers and {} consumers were announced, the first thread said {producers} and {consumers}",
                wanted[0], wanted[1]
            ));
        }
        if open.threads.contains(&thread) {
            return Err("the thread has come to it already, and it is not complete".to_string());
        }
        for ((arrived, announced), counts) in open.arrived.iter_mut().zip(wanted).zip(role.counts())
        {
            *arrived += u32::from(counts);
            if *arrived > announced {
                return Err(format!(
                    "one more than the {producers} producers and {consumers} consumers that were announced"
                ));
            }
        }
        open.threads.push(thread);
        let meeting = Meeting {
            id,
            phase: barrier.completed,
        };
        if open.arrived == open.wanted {
            barrier.completed += 1;
            barrier.open = None;
        }
        Ok(meeting)
    }

    /// Whether all have come.
    pub fn is_complete(&self, meeting: Meeting) -> bool {
        let barriers = self.0.borrow();
        let barrier = barriers.get(usize::from(meeting.id));
        barrier.is_some_and(|barrier| barrier.completed > meeting.phase)
    }

    /// Who is missing at a barrier, in words.
    pub fn missing(&self, id: u8) -> String {
        let barriers = self.0.borrow();
        let open = barriers.get(usize::from(id)).and_then(|b| b.open.as_ref());
        let Some(open) = open else {
            return "no thread has arrived".to_string();
        };
        format!(
            "{} of {} producers and {} of {} consumers have come",
            open.arrived[0], open.wanted[0], open.arrived[1], open.wanted[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_complete_when_both_counts_are_met_and_the_next_one_begins() {
        let named = NamedBarriers::default();
        let first = named.signal(0, 3, Role::Producer, [2, 1]).unwrap();
        assert_eq!(first, Meeting { id: 3, phase: 0 });
        assert_eq!(
            named.missing(3),
            "1 of 2 producers and 0 of 1 consumers have come"
        );
        let both = named.signal(1, 3, Role::Both, [2, 1]).unwrap();
        assert!(named.is_complete(first) && named.is_complete(both));
        let next = named.signal(0, 3, Role::Both, [2, 2]).unwrap();
        assert_eq!(next, Meeting { id: 3, phase: 1 });
        assert!(!named.is_complete(next));
    }

    #[test]
    fn counts_that_differ_and_threads_too_many_are_refused() {
        let named = NamedBarriers::default();
        named.signal(0, 0, Role::Producer, [1, 2]).unwrap();
        let said = |result: Result<Meeting, String>| result.unwrap_err();
        assert!(said(named.signal(1, 0, Role::Consumer, [1, 1])).contains("said 1 and 2"));
        assert!(said(named.signal(0, 0, Role::Consumer, [1, 2])).contains("already"));
        assert!(said(named.signal(2, 0, Role::Producer, [1, 2])).contains("one more"));
    }
}
