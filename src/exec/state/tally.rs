//! How often the ops of threads that run side by side ran, and what they moved: counted for all of them at once, by
//! runs of ops.
//!
//! ```text
//!  ops       0   1   2   3   4   5   6         threads with all their lanes: +1 where a run begins, -1 behind its
//!  whole    +1              -1   ·   ·         end; the sum up to an op says how often it ran
//!  lanes             7                         others, and ops with a predicate: lanes that were on, op by op
//! ```

use super::observer::OpCount;
use super::thread::{Thread, lanes_of};
use crate::program::{Lanes, Op, Program};
use std::cell::RefCell;
use std::ops::Range;

/// Threads that run side by side at most.
pub const SLOTS: usize = 16;

/// One number for each thread.
type Row = [u64; SLOTS];

/// What is kept of an op.
#[derive(Clone, Debug, Default)]
struct Site {
    /// Runs that begin here, less those that end in front of it; the difference may be below zero.
    runs: Row,
    /// Of these, runs on all lanes that the thread has at first.
    whole: Row,
    /// Lanes that were on in the other ones.
    lanes: Row,
    /// Bytes moved in memory.
    moved: Row,
    /// Bytes returned to registers.
    returned: Row,
    touched: bool,
}

/// An op as far as it is counted.
#[derive(Debug)]
struct Fixed {
    lanes: Option<Lanes>,
    /// Its predicate masks lanes.
    guarded: bool,
}

/// What threads side by side did since the last [`Tally::take`]. It belongs to one worker.
#[derive(Debug)]
pub struct Tally {
    ops: Vec<Fixed>,
    sites: RefCell<Vec<Site>>,
    /// The lanes that each thread had at first.
    first: RefCell<[u32; SLOTS]>,
}

impl Tally {
    /// Nothing has been counted.
    pub fn new(program: &Program) -> Tally {
        let fixed = |op: &Op| {
            let lanes = lanes_of(op);
            Fixed {
                lanes: lanes.map(|(lanes, _)| lanes),
                guarded: lanes.is_some_and(|(_, guard)| guard.is_some()),
            }
        };
        Tally {
            ops: program.ops.iter().map(fixed).collect(),
            sites: RefCell::new(vec![Site::default(); program.ops.len() + 1]),
            first: RefCell::default(),
        }
    }

    /// Threads are about to run side by side, or one alone.
    pub(crate) fn begin(&self, threads: &mut [Thread<'_>]) {
        let mut first = self.first.borrow_mut();
        for (slot, (thread, first)) in threads.iter_mut().zip(first.iter_mut()).enumerate() {
            (thread.slot, *first) = (slot, thread.frame.em);
        }
    }

    /// The first parts of a run that can be counted before it runs: what a predicate says is known when its op
    /// is reached.
    pub(crate) fn part(&self, ops: Range<u32>) -> u32 {
        let guarded = |pc: &u32| self.ops.get(*pc as usize).is_some_and(|op| op.guarded);
        (ops.start + 1..ops.end).find(guarded).unwrap_or(ops.end)
    }

    /// Threads are about to run these ops, of which none but the first has a predicate.
    pub(crate) fn ran(&self, threads: &[Thread<'_>], ops: Range<u32>) {
        let (mut sites, first) = (self.sites.borrow_mut(), self.first.borrow());
        let (begin, end) = (ops.start as usize, ops.end as usize);
        if end >= sites.len() || begin >= end {
            return;
        }
        for thread in threads {
            let slot = thread.slot % SLOTS;
            let whole = thread.frame.em == first[slot];
            let step = u64::from(whole);
            sites[begin].runs[slot] = sites[begin].runs[slot].wrapping_add(1);
            sites[end].runs[slot] = sites[end].runs[slot].wrapping_sub(1);
            sites[begin].whole[slot] = sites[begin].whole[slot].wrapping_add(step);
            sites[end].whole[slot] = sites[end].whole[slot].wrapping_sub(step);
            if whole && !self.ops[begin].guarded {
                continue;
            }
            let some = if whole { begin..begin + 1 } else { begin..end };
            for at in some {
                let op = thread.program.ops.get(at).and_then(lanes_of);
                if let Some((lanes, guard)) = op {
                    let on = thread.active(lanes, guard).count_ones();
                    sites[at].lanes[slot] += u64::from(on);
                    sites[at].touched = true;
                }
            }
        }
        sites[begin].touched = true;
        sites[end].touched = true;
    }

    /// A message of a thread moved so many bytes in memory and returned so many.
    pub(crate) fn moved(&self, thread: &Thread<'_>, pc: u32, moved: u64, returned: u64) {
        let slot = thread.slot % SLOTS;
        if let Some(site) = self.sites.borrow_mut().get_mut(pc as usize) {
            site.moved[slot] += moved;
            site.returned[slot] += returned;
        }
    }

    /// What the first `threads` of those that began together did, by op; nothing is kept.
    pub fn take(&self, threads: usize) -> Vec<OpCount> {
        let (mut sites, first) = (self.sites.borrow_mut(), self.first.borrow());
        let counts = |slot: usize| slot < threads;
        let sum = |row: &Row| (0..SLOTS).filter(|s| counts(*s)).map(|s| row[s]).sum();
        let same = first.iter().take(threads).all(|em| *em == first[0]);
        let (mut runs, mut whole) = (Row::default(), Row::default());
        let (mut executed, mut on_all) = (0, 0);
        let mut out = Vec::with_capacity(self.ops.len());
        for (site, op) in sites.iter_mut().zip(&self.ops) {
            if site.touched {
                for slot in 0..SLOTS {
                    runs[slot] = runs[slot].wrapping_add(site.runs[slot]);
                    whole[slot] = whole[slot].wrapping_add(site.whole[slot]);
                }
                (executed, on_all) = (sum(&runs), sum(&whole));
            }
            let mut count = OpCount {
                executed,
                ..OpCount::default()
            };
            if site.touched {
                count.lanes = sum(&site.lanes);
                count.moved = sum(&site.moved);
                count.returned = sum(&site.returned);
            }
            if let Some(lanes) = op.lanes.filter(|_| !op.guarded && on_all > 0) {
                let lanes_of = |em: u32| match lanes.no_mask {
                    true => u64::from(lanes.all().count_ones()),
                    false => u64::from((em >> lanes.offset & lanes.all()).count_ones()),
                };
                count.lanes += match same {
                    true => on_all * lanes_of(first[0]),
                    false => (0..threads.min(SLOTS))
                        .map(|slot| whole[slot] * lanes_of(first[slot]))
                        .sum(),
                };
            }
            out.push(count);
            if site.touched {
                *site = Site::default();
            }
        }
        // The place behind the last op takes what ends there.
        if let Some(last) = sites.last_mut() {
            *last = Site::default();
        }
        out
    }
}
