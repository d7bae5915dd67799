//! The threads of one group: they take turns until all have ended, or run side by side from barrier to barrier.

use super::standing::OfGroup;
use super::start::{Seats, Spare};
use super::workers::Turns;
use super::{Alone, Context, Group, Observer, Share, Wants};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::{
    BLOCK, Environment, Kept, NamedBarriers, Stop, Tally, Thread, ThreadId, Trap, lockstep,
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
    /// Runs groups one after the other, and their threads in turn; native code takes them to their ends, one after the other,
    /// until one of them leaves it. The group with the trap comes back with it.
    pub(super) fn in_turn<'p>(
        &'p self,
        groups: Range<u64>,
        turns: &Turns,
        (environment, tally): (&Environment<'_>, Option<&Tally>),
        (seats, spare): (&mut Seats<'p>, &mut Spare),
        share: &mut Share<O>,
    ) -> Result<(), OfGroup<Box<Trap>>> {
        let mut ids = self.grid.walk(groups);
        let mut alone = Alone::default();
        while let Some(group) = ids.group() {
            if group > turns.failed.load(Relaxed) {
                self.report(share);
                break;
            }
            // Threads that meet find memory of their group.
            let code = match self.meets {
                true => None,
                false => self.whole(environment, (group, &mut alone), spare),
            };
            let begun = match &code {
                Some(code) => {
                    let places = (&mut *seats, &mut *spare);
                    self.stand_in_turn((code, &mut alone), &mut ids, turns, places, share)?
                }
                None => None,
            };
            let of_begun = begun.as_ref().map(|(group, _)| *group);
            let Some(group) = of_begun.or(ids.group()) else {
                break;
            };
            let rest = (ids.group() == Some(group)).then(|| ids.rest_of_group());
            let threads = (begun.map(|(_, thread)| thread), rest.into_iter().flatten());
            let done = self.group(threads, tally, spare).and_then(|done| {
                let last = self.grid.ids(group).last().unwrap_or_default();
                share.add(group, last.index, done);
                self.pay(share, BLOCK)
            });
            done.map_err(|trap| (group, trap))?;
        }
        Ok(())
    }

    /// Runs the threads of a group in turn until all have ended, in the memory of `spare`.
    ///
    /// * `begun`, `ids`: the one that has begun, if there is one, and those that have not.
    fn group<'p>(
        &'p self,
        (begun, ids): (Option<Thread<'p>>, impl Iterator<Item = ThreadId>),
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
        let begun = begun.into_iter().map(|thread| (thread.id, Some(thread)));
        for (id, begun) in begun.chain(ids.map(|id| (id, None))) {
            let mut observer = (self.observe)(id);
            let mut turn = environment.turn;
            let mut thread = match begun {
                Some(thread) => {
                    let before = self.prepared(id.index, id.local, spare).0.begins.executed;
                    turn = (turn + before).saturating_sub(thread.executed);
                    thread
                }
                None => {
                    let (arena, local) = spare.arenas.pop_front().unwrap_or_default();
                    let had = ThreadId {
                        local,
                        ..ThreadId::default()
                    };
                    let mut thread = Thread::with(arena, self.program, had, 0);
                    self.start(&mut thread, id, spare, &mut observer);
                    thread
                }
            };
            if self.wants == Wants::Doubts && observer.halts() {
                return Err(Trap::outside(Diagnostic::new(Code::L0963)));
            }
            let first = Environment {
                turn,
                ..environment
            };
            let stop = self.alone(&mut thread, &first, &mut observer);
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
        let mut alone = Alone::default();
        let whole_of = |alone: &mut Alone, spare: &mut Spare| {
            self.whole(&environment, (groups.start, alone), spare)
        };
        let mut whole = whole_of(&mut alone, spare);
        let mut ids = self.grid.walk(groups.clone());
        // Memories that are not all zeros any more.
        let mut used = 0;
        let mut kept = Kept::default();
        while let Some(first) = ids.group() {
            if first > turns.failed.load(Relaxed) {
                break;
            }
            if let (Some(code), Some(memory)) = (&whole, memories.first()) {
                let memory = Some((memory, &mut used));
                let (code, places) = ((code, &mut kept), (&mut seats, &mut *spare));
                let ran = self.stand_and_run(code, memory, &mut ids, turns, places, share)?;
                alone.ran += ran.threads;
                if ran.left.is_empty() {
                    continue;
                }
                alone.left += ran.stopped;
                observers.extend(ran.left.into_iter().map(|id| (self.observe)(id)));
            } else {
                let team = first..(first + beside as u64).min(groups.end);
                memories.iter().take(used).for_each(Memory::clear);
                used = (team.end - team.start) as usize;
                for memory in memories.iter().take(used) {
                    for id in ids.rest_of_group() {
                        let mut observer = (self.observe)(id);
                        let thread = seats.next();
                        self.start(thread, id, spare, &mut observer);
                        thread.slm = Some(memory);
                        observers.push(observer);
                    }
                }
            }
            let threads = seats.taken();
            let ran = self.team(threads, &mut observers, (&environment, &mut kept));
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
            whole = whole_of(&mut alone, spare);
        }
        seats.give_back(spare);
        Ok(())
    }

    /// Runs the threads of whole groups to their ends.
    fn team<'e, 'p: 'e>(
        &self,
        threads: &mut [Thread<'p>],
        observers: &mut [O],
        (environment, kept): (&Environment<'e>, &mut Kept<'e>),
    ) -> Result<(), Box<Trap>> {
        let mut trapped = None;
        let everyone = threads.len() <= self.together;
        while lockstep::wake(threads) {
            let chunks = threads.chunks_mut(self.together);
            for (chunk, observers) in chunks.zip(observers.chunks_mut(self.together)) {
                let messages = (environment, &mut *kept);
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
