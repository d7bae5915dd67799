//! How often the ops of threads that run side by side ran, and what they moved: counted for all of them at once, by
//! runs of ops.
//!
//! ```text
//!  ops       0   1   2   3   4   5   6         threads with all their lanes: +1 where a run begins, -1 behind its
//!  whole    +1              -1   ·   ·         end; the sum up to an op says how often it ran
//!  lanes             7                         others, and ops with a predicate: lanes that were on, op by op
//! ```
//!
//! Native code counts by itself, for each thread, in [`Counter`]s of whole runs; what it had run when it was left in the
//! middle of one is added [here](Tally::part_ran). What threads did is told apart until they have ended, for after a
//! trap some of them would not have started; then it is [added up](Tally::settle).

use super::observer::OpCount;
use super::thread::{Thread, lanes_of};
use crate::program::{Lanes, Op, Program};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;

/// Kinds of native code of a program that count, at most.
pub const MOST_COUNTING: usize = 30;

/// Threads that run side by side at most.
pub const SLOTS: usize = 16;

/// One number for each thread.
type Row = [u64; SLOTS];

/// What one number counts that native code raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counter {
    /// How often these ops ran, one after the other.
    Runs(Range<u32>),
    /// Lanes that were on where these ops ran, for those of them that have these lanes and no predicate.
    Lanes(Range<u32>, Lanes),
    /// Lanes of an op with a predicate.
    Guarded(u32),
}

/// Bytes that a message moves in memory and returns to registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Moved for each lane.
    pub moved: u64,
    /// Returned for each lane.
    pub returned: u64,
    /// Both are for the message, whichever lanes run.
    pub whole: bool,
}

impl Traffic {
    /// How often it counts.
    const fn times(self, executed: u64, lanes: u64) -> u64 {
        if self.whole { executed } else { lanes }
    }
}

/// What is kept of an op while threads run.
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

/// What native code of a mode counts.
#[derive(Debug)]
pub struct Counters {
    /// Those of each thread, slot after slot.
    own: Vec<Cell<u64>>,
    count: usize,
    /// Those of threads that have ended.
    settled: Vec<Cell<u64>>,
}

impl Counters {
    fn new(count: usize) -> Counters {
        Counters {
            own: vec![Cell::new(0); count * SLOTS],
            count,
            settled: vec![Cell::new(0); count],
        }
    }

    /// Those of a thread.
    pub fn of(&self, slot: usize) -> &[Cell<u64>] {
        &self.own[slot % SLOTS * self.count..][..self.count]
    }

    fn settle(&self, threads: usize) {
        for slot in 0..SLOTS {
            for (own, settled) in self.of(slot).iter().zip(&self.settled) {
                let count = own.take();
                if slot < threads {
                    settled.set(settled.get().wrapping_add(count));
                }
            }
        }
    }
}

/// What threads did that have ended, as [`Site`] has it of those that run.
#[derive(Debug)]
struct Settled {
    runs: Vec<u64>,
    /// By the lanes that threads have at first.
    whole: Vec<(u32, Vec<u64>)>,
    /// Lanes and bytes.
    counts: Vec<OpCount>,
}

/// What the threads of one worker did.
#[derive(Debug)]
pub struct Tally {
    ops: Vec<Fixed>,
    sites: RefCell<Vec<Site>>,
    /// Which of them were touched.
    touched: RefCell<Vec<usize>>,
    /// The lanes that each thread had at first.
    first: RefCell<[u32; SLOTS]>,
    settled: RefCell<Settled>,
    /// Of native code, by its mode.
    counters: [OnceCell<Counters>; MOST_COUNTING],
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
        // The place behind the last op takes what ends there.
        let places = program.ops.len() + 1;
        Tally {
            ops: program.ops.iter().map(fixed).collect(),
            sites: RefCell::new(vec![Site::default(); places]),
            touched: RefCell::default(),
            first: RefCell::default(),
            settled: RefCell::new(Settled {
                runs: vec![0; places],
                whole: Vec::new(),
                counts: vec![OpCount::default(); program.ops.len()],
            }),
            counters: Default::default(),
        }
    }

    /// Threads are about to run side by side, or one alone.
    pub(crate) fn begin(&self, threads: &mut [Thread<'_>]) {
        let mut first = self.first.borrow_mut();
        for (slot, (thread, first)) in threads.iter_mut().zip(first.iter_mut()).enumerate() {
            (thread.slot, *first) = (slot, thread.frame.em);
        }
    }

    /// What native code of this number counts in so many numbers.
    pub(crate) fn counters(&self, number: usize, count: usize) -> &Counters {
        self.counters[number].get_or_init(|| Counters::new(count))
    }

    /// The first parts of a run that can be counted before it runs: what a predicate says is known when its op
    /// is reached.
    pub(crate) fn part(&self, ops: Range<u32>) -> u32 {
        let guarded = |pc: &u32| self.ops.get(*pc as usize).is_some_and(|op| op.guarded);
        (ops.start + 1..ops.end).find(guarded).unwrap_or(ops.end)
    }

    fn touch(&self, sites: &mut [Site], at: usize) {
        if !std::mem::replace(&mut sites[at].touched, true) {
            self.touched.borrow_mut().push(at);
        }
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
                    self.touch(&mut sites, at);
                }
            }
        }
        self.touch(&mut sites, begin);
        self.touch(&mut sites, end);
    }

    /// A thread ran these ops and then left native code, which has counted the lanes of those with a predicate.
    pub(crate) fn part_ran(
        &self,
        thread: &Thread<'_>,
        ops: Range<u32>,
        traffic: impl Fn(u32) -> Traffic,
    ) {
        let (mut sites, slot) = (self.sites.borrow_mut(), thread.slot % SLOTS);
        for (place, step) in [(ops.start, 1), (ops.end, u64::MAX)] {
            let runs = &mut sites[place as usize].runs[slot];
            *runs = runs.wrapping_add(step);
            self.touch(&mut sites, place as usize);
        }
        for pc in ops {
            let (at, traffic) = (pc as usize, traffic(pc));
            let op = &self.ops[at];
            let lanes = op.lanes.filter(|_| !op.guarded);
            let on = lanes.map_or(0, |lanes| thread.active(lanes, None).count_ones().into());
            let times = traffic.times(1, on);
            let site = &mut sites[at];
            site.lanes[slot] += on;
            site.moved[slot] += times * traffic.moved;
            site.returned[slot] += times * traffic.returned;
            self.touch(&mut sites, at);
        }
    }

    /// A message of a thread moved so many bytes in memory and returned so many.
    pub(crate) fn moved(&self, thread: &Thread<'_>, pc: u32, moved: u64, returned: u64) {
        let (mut sites, slot) = (self.sites.borrow_mut(), thread.slot % SLOTS);
        if let Some(site) = sites.get_mut(pc as usize) {
            site.moved[slot] += moved;
            site.returned[slot] += returned;
            self.touch(&mut sites, pc as usize);
        }
    }

    /// Those that began together have ended, or run together no longer; of them the first `threads` count.
    pub fn settle(&self, threads: usize) {
        let threads = threads.min(SLOTS);
        let (mut sites, first) = (self.sites.borrow_mut(), self.first.borrow());
        let settled = &mut *self.settled.borrow_mut();
        let sum = |row: &Row| row[..threads].iter().fold(0u64, |a, b| a.wrapping_add(*b));
        for at in self.touched.borrow_mut().drain(..) {
            let site = std::mem::take(&mut sites[at]);
            settled.runs[at] = settled.runs[at].wrapping_add(sum(&site.runs));
            for (em, whole) in first.iter().zip(&site.whole).take(threads) {
                if *whole == 0 {
                    continue;
                }
                let places = settled.runs.len();
                let known = settled.whole.iter().position(|(mask, _)| mask == em);
                let known = known.unwrap_or_else(|| {
                    settled.whole.push((*em, vec![0; places]));
                    settled.whole.len() - 1
                });
                let sum = &mut settled.whole[known].1[at];
                *sum = sum.wrapping_add(*whole);
            }
            if let Some(count) = settled.counts.get_mut(at) {
                count.lanes += sum(&site.lanes);
                count.moved += sum(&site.moved);
                count.returned += sum(&site.returned);
            }
        }
        for counters in self.counters.iter().filter_map(OnceCell::get) {
            counters.settle(threads);
        }
    }

    /// What was settled, by op.
    ///
    /// * `counted`: what native code of each number counts, and what its messages move.
    pub fn take<'n, T: Fn(u32) -> Traffic>(
        &self,
        counted: impl Fn(usize) -> Option<(&'n [Counter], T)>,
    ) -> Vec<OpCount> {
        let settled = &mut *self.settled.borrow_mut();
        let mut counts = std::mem::take(&mut settled.counts);
        summed(&settled.runs, |at, runs| counts[at].executed += runs);
        for (em, whole) in &settled.whole {
            summed(whole, |at, runs| {
                let op = &self.ops[at];
                if let Some(lanes) = op.lanes.filter(|_| !op.guarded && runs > 0) {
                    let on = match lanes.no_mask {
                        true => lanes.all(),
                        false => em >> lanes.offset & lanes.all(),
                    };
                    counts[at].lanes += runs * u64::from(on.count_ones());
                }
            });
        }
        for (number, counters) in self.counters.iter().enumerate() {
            if let (Some(counters), Some((meaning, traffic))) = (counters.get(), counted(number)) {
                self.add(&mut counts, counters, meaning, traffic);
            }
        }
        counts
    }

    /// Adds what native code of a mode has counted.
    fn add(
        &self,
        counts: &mut [OpCount],
        counters: &Counters,
        meaning: &[Counter],
        traffic: impl Fn(u32) -> Traffic,
    ) {
        let mut own = vec![OpCount::default(); counts.len()];
        for (counter, n) in meaning.iter().zip(&counters.settled) {
            let n = n.get();
            match counter {
                Counter::Runs(ops) => {
                    for pc in ops.clone() {
                        let (op, count) = (&self.ops[pc as usize], &mut own[pc as usize]);
                        count.executed += n;
                        if let Some(lanes) = op.lanes.filter(|l| l.no_mask && !op.guarded) {
                            count.lanes += n * u64::from(lanes.all().count_ones());
                        }
                    }
                }
                Counter::Lanes(ops, lanes) => {
                    for pc in ops.clone() {
                        let op = &self.ops[pc as usize];
                        if !op.guarded && op.lanes == Some(*lanes) {
                            own[pc as usize].lanes += n;
                        }
                    }
                }
                Counter::Guarded(pc) => own[*pc as usize].lanes += n,
            }
        }
        for ((count, own), pc) in counts.iter_mut().zip(&mut own).zip(0..) {
            let traffic = traffic(pc);
            let times = traffic.times(own.executed, own.lanes);
            own.moved = times * traffic.moved;
            own.returned = times * traffic.returned;
            count.add(own);
        }
    }
}

/// Calls back with each op and the sum of what begins and ends up to it.
fn summed(differences: &[u64], mut each: impl FnMut(usize, u64)) {
    let mut sum = 0u64;
    for (at, difference) in differences.iter().enumerate() {
        sum = sum.wrapping_add(*difference);
        if at + 1 < differences.len() {
            each(at, sum);
        }
    }
}
