//! Threads that native code takes from their beginnings to their ends, group after group, in the bytes of those before.

use super::grid::Walk;
use super::start::{Prepared, Seats, Spare, begin};
use super::{Context, Left, Observer, Share, Turns};
use crate::exec::{BLOCK, Kept, ThreadId, Trap, Whole};
use crate::surface::Memory;
use std::sync::atomic::Ordering::Relaxed;

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
        let first = ids.group().unwrap_or(0);
        let mut standing = self.stand((code, slm), threads, first, spare);
        let again: Vec<&Prepared> = spare.prepared.iter().flatten().collect();
        let mut serve = |bytes: &mut [u8], pc| kept.serve(bytes, pc);
        let (members, left) = loop {
            let group = ids
                .group()
                .filter(|group| *group <= turns.failed.load(Relaxed));
            let Some(group) = group else {
                seats.leave();
                return Ok(ran);
            };
            let members = ids.rest_of_group();
            let before = memory.as_mut().map_or(0, |(_, used)| {
                // Those of groups that ran beside each other have not been cleared since.
                let most = (**used).max(1);
                std::mem::replace(*used, most)
            });
            let is_clear = before == 0 || standing.as_mut().is_some_and(|s| s.clear_shared());
            if let (false, Some(memory)) = (is_clear, slm) {
                memory.clear();
            }
            ran.threads += members.len() as u64;
            let Some(standing) = &mut standing else {
                break (members, Vec::new());
            };
            let first = members.clone().next().map_or(0, |id| id.local as usize);
            let which = first..first + members.len();
            let (mut keeps, mut last) = (false, 0);
            let begin = again[which.clone()]
                .iter()
                .zip(standing.begin(which.clone()));
            for (id, (prepared, thread)) in members.clone().zip(begin) {
                let kept = self.keeps(id.index);
                self.begin_again(prepared, id, thread.begins(kept), kept);
                keeps |= kept;
                last = id.index;
            }
            let Some(executed) = standing.run(which.clone(), &mut serve) else {
                break (members, which.map(|n| standing.left(n)).collect());
            };
            share.last = last;
            share.instructions += executed;
            share.due += executed;
            if keeps {
                let mut left = Left::default();
                for id in members.filter(|id| self.keeps(id.index)) {
                    let bytes = standing.bytes(id.local as usize);
                    left.kept.push(self.registers(id, bytes));
                }
                share.groups.push((group, left));
            }
            self.pay(share, BLOCK)?;
        };
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
}
