//! Threads that native code takes from their beginnings to their ends, group after group, in the bytes of those before.

use super::grid::Walk;
use super::start::{Prepared, Seats, Spare, begin};
use super::workers::Turns;
use super::{Alone, Context, Keep, Left, Observer, Share};
use crate::exec::{BLOCK, Beginning, Kept, Thread, ThreadId, Trap, Whole};
use crate::surface::Memory;
use std::sync::atomic::Ordering::Relaxed;

/// Something, and the number of the group that it is of.
pub(super) type OfGroup<T> = (u64, T);

/// What was run of a walk.
pub(super) struct Ran {
    /// How many threads, and how many of them have not ended.
    pub threads: u64,
    pub stopped: u64,
    /// Those of them that have left code, with all that ran beside them: they have begun, are in their places, and nothing of
    /// them is counted. None if all have ended.
    pub left: Vec<ThreadId>,
}

impl<O: Observer, F: Fn(ThreadId) -> O + Sync> Context<'_, F> {
    /// Runs threads by native code, a group at a time, until one does not end there; and counts what they did.
    ///
    /// * `memory`: that of each group, if its threads meet; and how many memories are not all zeros any more, this one first.
    pub(super) fn stand_and_run<'p>(
        &'p self,
        (code, kept): (&Whole<'_>, &mut Kept<'_>),
        mut memory: Option<(&'p Memory, &mut usize)>,
        ids: &mut Walk<'_, '_>,
        turns: &Turns,
        (seats, spare): (&mut Seats<'p>, &mut Spare),
        share: &mut Share<O>,
    ) -> Result<Ran, Box<Trap>> {
        let mut ran = Ran {
            threads: 0,
            stopped: 0,
            left: Vec::new(),
        };
        let slm = memory.as_ref().map(|(memory, _)| *memory);
        let threads = seats.group(self.grid.threads);
        self.settle(threads, ids.group().unwrap_or(0), spare);
        let again: Vec<&Prepared> = spare.prepared.iter().flatten().collect();
        let beginnings = (0..).zip(&again).map(|(n, p)| p.beginning(self.grid, n));
        let beginnings: Vec<Beginning<'_>> = beginnings.collect();
        let begins = again.iter().map(|prepared| prepared.begins);
        let mut standing = code.stand(threads, slm, begins, &beginnings);
        let mut serve = |bytes: &mut [u8], pc| kept.serve(bytes, pc);
        let (members, left) = loop {
            let group = ids
                .group()
                .filter(|group| *group <= turns.failed.load(Relaxed));
            let Some(group) = group else {
                seats.leave();
                return Ok(ran);
            };
            // Those of groups that ran beside each other have not been cleared since.
            let before = memory.as_mut().map_or(0, |(_, used)| {
                let most = (**used).max(1);
                std::mem::replace(*used, most)
            });
            let Some(standing) = &mut standing else {
                if let (true, Some(memory)) = (before > 0, slm) {
                    memory.clear();
                }
                break (ids.rest_of_group(), Vec::new());
            };
            let groups = self.unkept(group).min(ids.groups_of_row());
            let most = [groups, BLOCK.saturating_sub(share.due)];
            let header = (self.grid.header(ids.first()), self.grid.media);
            if let Some(ended) = standing.run_groups(header, most, &mut serve) {
                ran.threads += ended.groups * u64::from(self.grid.threads);
                share.instructions += ended.executed;
                share.due += ended.executed;
                let next = (group + ended.groups) * u64::from(self.grid.threads);
                share.last = next.saturating_sub(1) as u32;
                ids.go_past(ended.groups);
                if ended.unfinished {
                    let members = ids.rest_of_group();
                    let left = (0..members.len()).map(|n| standing.left(n));
                    break (members, left.collect());
                }
                self.pay(share, BLOCK)?;
                continue;
            }
            let members = ids.rest_of_group();
            let first = members.clone().next().map_or(0, |id| id.local as usize);
            let which = first..first + members.len();
            let is_clear = before == 0 || standing.clear_shared();
            if let (false, Some(memory)) = (is_clear, slm) {
                memory.clear();
            }
            for (id, prepared) in members.clone().zip(&again[which.clone()]) {
                self.begin_again(standing, prepared, id);
            }
            let Some(executed) = standing.run(which.clone(), &mut serve) else {
                break (members, which.map(|n| standing.left(n)).collect());
            };
            ran.threads += members.len() as u64;
            share.last = members.clone().last().map_or(share.last, |id| id.index);
            share.instructions += executed;
            share.due += executed;
            let mut left = Left::default();
            for id in members.filter(|id| self.keeps(id.index)) {
                let bytes = standing.bytes(id.local as usize);
                left.kept.push(self.registers(id, bytes));
            }
            if !left.is_empty() {
                share.groups.push((group, left));
            }
            self.pay(share, BLOCK)?;
        };
        ran.threads += members.len() as u64;
        ran.left = members.collect();
        let ended = left.iter().filter(|left| left.has_ended()).count();
        ran.stopped = (ran.left.len() - ended) as u64;
        let threads = seats.take(&ran.left);
        for (n, (thread, &id)) in threads.iter_mut().zip(&ran.left).enumerate() {
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
            thread.slm = slm;
        }
        Ok(ran)
    }

    /// Runs threads by native code, each to its end before the next one begins, until one does not end there; and counts what
    /// they did. That one comes back, with its group: it goes on where code has left it, and nothing of it is counted.
    pub(super) fn stand_in_turn<'p>(
        &'p self,
        (code, alone): (&Whole<'_>, &mut Alone),
        ids: &mut Walk<'_, '_>,
        turns: &Turns,
        (seats, spare): (&mut Seats<'p>, &mut Spare),
        share: &mut Share<O>,
    ) -> Result<Option<OfGroup<Thread<'p>>>, OfGroup<Box<Trap>>> {
        let threads = seats.group(self.grid.threads);
        self.settle(threads, ids.group().unwrap_or(0), spare);
        let again: Vec<&Prepared> = spare.prepared.iter().flatten().collect();
        let beginnings = (0..).zip(&again).map(|(n, p)| p.beginning(self.grid, n));
        let beginnings: Vec<Beginning<'_>> = beginnings.collect();
        let begins = again.iter().map(|prepared| prepared.begins);
        let Some(mut standing) = code.stand(threads, None, begins, &beginnings) else {
            alone.left += u64::from(self.grid.threads);
            return Ok(None);
        };
        let (group, id, left) = loop {
            let group = ids
                .group()
                .filter(|group| *group <= turns.failed.load(Relaxed));
            let (Some(group), Some(id)) = (group, ids.next()) else {
                return Ok(None);
            };
            let n = id.local as usize;
            self.begin_again(&mut standing, again[n], id);
            alone.ran += 1;
            let Some(executed) = standing.run_once(n) else {
                break (group, id, standing.left(n));
            };
            share.last = id.index;
            share.instructions += executed;
            share.due += executed;
            if self.keeps(id.index) {
                let mut left = Left::default();
                left.kept.push(self.registers(id, standing.bytes(n)));
                share.groups.push((group, left));
            }
            self.pay(share, BLOCK).map_err(|trap| (group, trap))?;
        };
        alone.left += 1;
        let mut thread = seats.hand_over(id.local as usize);
        let begins = self.prepared(id.index, id.local, spare).0.begins;
        begin(&mut thread, id, begins, self.keeps(id.index));
        code.leave(&mut thread, left);
        Ok(Some((group, thread)))
    }

    /// How many groups follow each other, this one first, of whose threads nobody looks at the bytes in the end.
    fn unkept(&self, group: u64) -> u64 {
        // In builds for tests some go another way, which sees whether threads look where they are said not to.
        let before_the_next = 3 - group % 4;
        let most = match cfg!(debug_assertions) {
            true => before_the_next,
            false => u64::MAX,
        };
        let first = group * u64::from(self.grid.threads);
        let may_be_kept = match &self.options.keep {
            Keep::None => false,
            Keep::First => group == 0,
            Keep::These(list) => list.iter().any(|&index| u64::from(index) >= first),
            Keep::All => true,
        };
        if may_be_kept { 0 } else { most }
    }
}
