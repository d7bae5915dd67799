//! The threads of one group: they take turns until all have ended, or run side by side from barrier to barrier.

use super::start::{Seats, Spare, begin};
use super::{Context, Group, Left, MOST_LEFT, Observer, Share, Turns, Wants};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::{
    BLOCK, Environment, Kept, NamedBarriers, Stop, Tally, Thread, ThreadId, Trap, Whole, lockstep,
};
use crate::surface::Memory;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// A thread that has started, and why it waits.
struct Member<'p, O> {
    thread: Thread<'p>,
    observer: O,
    stop: Stop,
}

impl<O: Observer, F: Fn(ThreadId) -> O + Sync> Context<'_, F> {
    /// Runs the threads of a group in turn until all have ended, in the memory of `spare`.
    pub(super) fn group(
        &self,
        group: u64,
        tally: Option<&Tally>,
        spare: &mut Spare,
    ) -> Result<Group<O>, Box<Trap>> {
        let slm = self.shared();
        let named = NamedBarriers::default();
        let environment = self.environment(&slm, &named, tally);
        let mut members: Vec<Member<'_, O>> = Vec::new();
        let mut done = Group::new();
        // A thread that neither waits nor runs for long is finished before the next one starts, so its bytes are not
        // kept around; those that wait are collected and take turns.
        for id in self.grid.ids(group) {
            let mut observer = (self.observe)(id);
            let (arena, local) = spare.arenas.pop_front().unwrap_or_default();
            let had = ThreadId {
                local,
                ..ThreadId::default()
            };
            let mut thread = Thread::with(arena, self.program, had, 0);
            self.start(&mut thread, id, spare, &mut observer);
            if self.wants == Wants::Doubts && observer.halts() {
                return Err(Trap::outside(Diagnostic::new(Code::L0963)));
            }
            let stop = self.alone(&mut thread, &environment, &mut observer);
            let stop = self.note_end(stop, id, &mut observer)?;
            if stop == Stop::Ended && members.is_empty() {
                self.finish_one(&mut thread, observer, &mut done);
                spare.arenas.push_back((thread.arena, id.local));
            } else {
                members.push(Member {
                    thread,
                    observer,
                    stop,
                });
            }
        }
        while members.iter().any(|m| m.stop != Stop::Ended) {
            let mut moved = false;
            // The barrier of the group opens when all living threads are at it.
            let met = members
                .iter()
                .all(|m| matches!(m.stop, Stop::Ended | Stop::Barrier));
            for member in &mut members {
                let goes_on = match member.stop {
                    Stop::Ended => false,
                    Stop::Turn => true,
                    Stop::Barrier => met,
                    Stop::Named(meeting) => named.is_complete(meeting),
                };
                if goes_on {
                    moved = true;
                    let (thread, observer) = (&mut member.thread, &mut member.observer);
                    let stop = self.alone(thread, &environment, observer);
                    member.stop = self.note_end(stop, thread.id, observer)?;
                }
            }
            if !moved {
                return Err(self.stuck(&mut members, &named));
            }
        }
        for mut member in members {
            self.finish_one(&mut member.thread, member.observer, &mut done);
        }
        Ok(done)
    }

    /// Runs groups whose threads meet, as many at once as run in lockstep, in the memory of `spare`: all threads go to
    /// the barrier of their group, or end, before any of them goes on.
    pub(super) fn teams(
        &self,
        groups: Range<u64>,
        turns: &Turns,
        tally: Option<&Tally>,
        spare: &mut Spare,
        share: &mut Share<O>,
    ) -> Result<(), Box<Trap>> {
        let members = self.grid.threads.max(1) as usize;
        // Groups beside each other would have to be told apart after a trap.
        let beside = match tally {
            None => (self.together / members).max(1),
            Some(_) => 1,
        };
        let (nothing, named) = (Memory::zeroed(0), NamedBarriers::default());
        let environment = self.environment(&nothing, &named, tally);
        let count = (groups.end - groups.start).min(beside as u64);
        let memories: Vec<Memory> = (0..count).map(|_| self.shared()).collect();
        let mut seats = Seats::new(self.program, spare);
        let mut observers = Vec::new();
        let whole_of = |spare: &mut Spare| self.whole(&environment, groups.start, spare);
        let mut whole = whole_of(spare);
        let (mut ran_alone, mut left_code) = (0, 0);
        let mut first = groups.start;
        // Memories that are not all zeros any more.
        let mut used = 0;
        while first < groups.end && first <= turns.failed.load(Relaxed) {
            if let (Some(code), Some(memory)) = (&whole, memories.first()) {
                let before = first;
                let groups = (&mut first, groups.end);
                let around = (memory, &mut used);
                let places = (&mut seats, &mut *spare);
                let left = self.run_groups(code, groups, around, turns, places, share)?;
                ran_alone += first - before;
                let Some(group) = left else { continue };
                left_code += 1;
                observers.extend(self.grid.ids(group).map(|id| (self.observe)(id)));
            } else {
                let team = first..(first + beside as u64).min(groups.end);
                first = team.end;
                memories.iter().take(used).for_each(Memory::clear);
                used = (team.end - team.start) as usize;
                for (group, memory) in team.zip(&memories) {
                    for id in self.grid.ids(group) {
                        let mut observer = (self.observe)(id);
                        let thread = seats.next();
                        self.start(thread, id, spare, &mut observer);
                        thread.slm = Some(memory);
                        observers.push(observer);
                    }
                }
            }
            let threads = seats.taken();
            let ran = self.team(threads, &mut observers, &environment);
            self.tell_ends(
                threads,
                &mut observers,
                ran.as_ref().err().map(|trap| &**trap),
            );
            ran.map_err(|trap| self.report_until(trap, threads, share))?;
            self.finish_all(threads.iter_mut().zip(observers.drain(..)), share);
            seats.leave();
            self.pay(share, BLOCK)?;
            // What is code may have changed.
            let often = left_code > MOST_LEFT.0 + ran_alone / MOST_LEFT.1;
            whole = match often {
                true => None,
                false => whole_of(spare),
            };
        }
        seats.give_back(spare);
        Ok(())
    }

    /// Runs groups by native code, one after the other, and counts what they did. Not all threads of the one that comes back
    /// have ended: all have begun, are in their places, and nothing of them is counted.
    ///
    /// * `next`: the first group; afterwards the one behind the last that ran.
    /// * `memory`, `used`: that of each group, and whether it is not all zeros any more.
    fn run_groups<'p>(
        &'p self,
        code: &Whole<'_>,
        (next, end): (&mut u64, u64),
        (memory, used): (&'p Memory, &mut usize),
        turns: &Turns,
        (seats, spare): (&mut Seats<'p>, &mut Spare),
        share: &mut Share<O>,
    ) -> Result<Option<u64>, Box<Trap>> {
        let threads = seats.group(self.grid.threads);
        let mut standing = self.stand((code, Some(memory)), threads, *next, spare);
        let (group, left) = loop {
            let group = *next;
            if group >= end || group > turns.failed.load(Relaxed) {
                seats.leave();
                return Ok(None);
            }
            *next += 1;
            let is_used = std::mem::replace(used, 1) > 0;
            let Some(standing) = &mut standing else {
                memory.clear();
                break (group, Vec::new());
            };
            if is_used && !standing.clear_shared() {
                memory.clear();
            }
            let mut keeps = false;
            for (n, id) in self.grid.ids(group).enumerate() {
                keeps |= self.begin_again(standing, n, id, spare);
                share.last = id.index;
            }
            let Some(executed) = standing.run_group() else {
                let threads = 0..self.grid.threads as usize;
                break (group, threads.map(|n| standing.left(n)).collect());
            };
            share.instructions += executed;
            share.due += executed;
            if keeps {
                let mut left = Left::default();
                for (n, id) in self.grid.ids(group).enumerate() {
                    if self.keeps(id.index) {
                        left.kept.push(self.registers(id, standing.bytes(n)));
                    }
                }
                share.groups.push((group, left));
            }
            self.pay(share, BLOCK)?;
        };
        let threads = seats.taken().iter_mut().zip(self.grid.ids(group));
        for (n, (thread, id)) in threads.enumerate() {
            match left.get(n) {
                None => {
                    let (begins, kept) = self.renew(thread, id, spare);
                    begin(thread, id, begins, kept);
                }
                Some(left) => {
                    let begins = self.prepared(id.index, id.local, spare).0.begins;
                    begin(thread, id, begins, self.keeps(id.index));
                    code.leave(thread, *left);
                }
            }
            thread.slm = Some(memory);
        }
        Ok(Some(group))
    }

    /// Runs the threads of whole groups to their ends.
    fn team<'e, 'p: 'e>(
        &self,
        threads: &mut [Thread<'p>],
        observers: &mut [O],
        environment: &Environment<'e>,
    ) -> Result<(), Box<Trap>> {
        let (mut trapped, mut kept) = (None, Kept::default());
        let everyone = threads.len() <= self.together;
        while lockstep::wake(threads) {
            let chunks = threads.chunks_mut(self.together);
            for (chunk, observers) in chunks.zip(observers.chunks_mut(self.together)) {
                let messages = (environment, &mut kept);
                let Err(trap) = self.beside(chunk, observers, messages, everyone) else {
                    continue;
                };
                // Groups in front may yet have a trap of their own; this one, and those behind it, would not go on.
                let group = self.group_of(trap.thread.index);
                let behind = |t: &&mut Thread<'_>| self.group_of(t.id.index) >= group;
                lockstep::end(threads.iter_mut().filter(behind));
                trapped = Some(trap);
                break;
            }
        }
        trapped.map_or(Ok(()), Err)
    }

    /// Adds an ended thread to what its group has done.
    fn finish_one(&self, thread: &mut Thread<'_>, observer: O, done: &mut Group<O>) {
        done.instructions += thread.executed;
        done.due += thread.due();
        self.finish(thread, observer, &mut done.left);
    }

    /// Runs one thread, and counts what it did.
    fn alone(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Result<Stop, Box<Trap>> {
        if let Some(tally) = environment.tally {
            tally.begin(std::slice::from_mut(thread));
        }
        let stop = thread.run(environment, observer);
        if let Some(tally) = environment.tally {
            tally.settle(1);
        }
        if stop.is_err() {
            let _ = self.allowance.spend(thread.id.index, thread.due());
        }
        stop
    }

    /// The trap of a group none of whose threads can go on: the first that waits at a named barrier has it.
    fn stuck(&self, members: &mut [Member<'_, O>], named: &NamedBarriers) -> Box<Trap> {
        let mut whole = members.iter().filter(|m| m.stop == Stop::Barrier);
        let other = whole.next().map(|member| member.thread.id);
        let mut waiting = None;
        for member in members.iter_mut() {
            if let (Stop::Named(meeting), None) = (member.stop, &waiting) {
                waiting = Some(member.thread.stuck(meeting, other, named));
            }
            if O::ACTIVE && member.stop != Stop::Ended {
                member.observer.ended(member.thread.id, true);
            }
        }
        // Threads at the group's barrier go on together, so one waits elsewhere.
        waiting.unwrap_or_else(|| Trap::outside(Diagnostic::new(Code::E0691)))
    }

    /// Tells the observer of a thread that will not go on.
    fn note_end(
        &self,
        stop: Result<Stop, Box<Trap>>,
        id: ThreadId,
        observer: &mut O,
    ) -> Result<Stop, Box<Trap>> {
        if O::ACTIVE && matches!(stop, Ok(Stop::Ended) | Err(_)) {
            observer.ended(id, stop.is_err());
        }
        stop
    }
}
