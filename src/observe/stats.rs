//! What a run executed: instructions, messages, lanes, rounds of extended math and bytes for each
//! opcode.

use super::known::Cell;
use crate::exec::ThreadId;
use crate::exec::native_ops;
use crate::exec::observer::{Access, AccessKind, At, Observer, OpCount, Running, Wants};
use crate::isa::{Family, Opcode};
use crate::math::unit::{Control, Function};
use crate::message;
use crate::program::{Op, Program};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts of one opcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How often it ran.
    pub executed: u64,
    /// Lanes that were on, added up.
    pub lanes: u64,
    /// Lanes that the instructions had.
    pub lanes_most: u64,
    /// Rounds through the math unit, as many as most operands take in full precision; messages to it
    /// say their precision. Source: PRM 6.2.
    pub rounds: u64,
    /// Bytes of memory read, without those outside; texels that samplers filter do not count.
    pub read: u64,
    /// Bytes of memory written.
    pub written: u64,
    /// Bytes of memory updated by atomics.
    pub updated: u64,
    /// Bytes that messages returned to registers.
    pub returned: u64,
}

impl Count {
    /// Adds another one.
    pub fn add(&mut self, other: &Count) {
        self.executed += other.executed;
        self.lanes += other.lanes;
        self.lanes_most += other.lanes_most;
        self.rounds += other.rounds;
        self.read += other.read;
        self.written += other.written;
        self.updated += other.updated;
        self.returned += other.returned;
    }
}

/// Whether an opcode is a message to a shared function.
pub fn is_message(opcode: Opcode) -> bool {
    matches!(
        opcode.info().family,
        Family::MediaBlock
            | Family::MediaSampler
            | Family::Sampler3d
            | Family::SurfaceMemory
            | Family::Svm
            | Family::Lsc
            | Family::RawMessage
            | Family::Output
            | Family::Vme
    )
}

/// Collects the counts of all threads. Sums do not depend on the order of threads.
#[derive(Debug, Default)]
pub struct Stats {
    known: Cell,
    total: Mutex<Total>,
}

#[derive(Debug, Default)]
struct Total {
    /// What was counted by op.
    ops: Vec<OpCount>,
    /// What was reported to the observers of threads.
    reported: BTreeMap<Opcode, Count>,
}

impl Stats {
    /// Watches one thread.
    pub fn thread(&self) -> Counter<'_> {
        Counter {
            stats: self,
            counts: BTreeMap::new(),
        }
    }

    /// The counts, the most executed opcode first.
    pub fn counts(&self) -> Vec<(Opcode, Count)> {
        let total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_opcode = total.reported.clone();
        for (pc, count) in (0..).zip(&total.ops).filter(|(_, c)| c.executed > 0) {
            if let Some(known) = self.known.seen()
                && let Some(op) = known.program.ops.get(pc as usize)
                && let Some(site) = known.program.site(pc)
            {
                by_opcode
                    .entry(site.opcode)
                    .or_default()
                    .ran(op, site.opcode, count);
            }
        }
        let mut counts: Vec<_> = by_opcode.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.executed));
        counts
    }
}

impl Stats {
    /// Of all instructions that were counted by op, how many have native code on this host, which runs that nobody
    /// watches execute where it pays; and how many there are.
    pub fn native(&self) -> (u64, u64) {
        let total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = self.known.seen() else {
            return (0, 0);
        };
        let native = native_ops(&known.program);
        let executed = total.ops.iter().map(|count| count.executed);
        let own = executed.clone().zip(native).filter(|(_, native)| *native);
        (own.map(|(count, _)| count).sum(), executed.sum())
    }
}

impl Count {
    /// Adds what an op did.
    fn ran(&mut self, op: &Op, opcode: Opcode, count: &OpCount) {
        let (lanes, most) = match op {
            Op::Alu(alu) => (count.lanes, alu.lanes.count),
            Op::Compare { lanes, .. }
            | Op::SetPredicate { lanes, .. }
            | Op::PredicateLogic { lanes, .. }
            | Op::Goto { lanes, .. }
            | Op::Jump { lanes, .. }
            | Op::Call { lanes, .. }
            | Op::CallFunction { lanes, .. }
            | Op::CallIndirect { lanes, .. }
            | Op::Return { lanes, .. } => (count.lanes, lanes.count),
            Op::Send(send) => (count.lanes, send.lanes.count),
            Op::RawSend(message) => (count.lanes, message.lanes.count),
            // One for the thread.
            _ => (count.executed, 1),
        };
        self.executed += count.executed;
        self.lanes += lanes;
        self.lanes_most += count.executed * u64::from(most);
        self.returned += count.returned;
        if let Op::Send(send) = op {
            let memory = match &send.request {
                request if request.is_atomic() => &mut self.updated,
                request if request.writes() => &mut self.written,
                _ => &mut self.read,
            };
            *memory += count.moved;
        }
        if let (Op::Alu(alu), Some(function)) = (op, message::math::function(opcode)) {
            // A float divided is its reciprocal, multiplied.
            let float = alu.dst.ty.is_float();
            let function = if float && function.divides_integers() {
                Function::Inv
            } else {
                function
            };
            self.rounds += lanes * u64::from(function.info().full.typical);
        }
    }
}

/// Watches one thread for [`Stats`].
pub struct Counter<'w> {
    stats: &'w Stats,
    counts: BTreeMap<Opcode, Count>,
}

impl Counter<'_> {
    fn total(&self) -> MutexGuard<'_, Total> {
        let total = self.stats.total.lock();
        total.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Counter<'_> {
    fn wants(&self) -> Wants {
        Wants::Counts
    }

    fn counted(&mut self, program: &Program, counts: &[OpCount]) {
        self.stats.known.of(program);
        let mut total = self.total();
        total.ops.resize(counts.len(), OpCount::default());
        for (total, count) in total.ops.iter_mut().zip(counts) {
            total.add(count);
        }
    }

    // Only where another observer wants steps, so that nobody counts.
    fn before(&mut self, at: At, op: &Op, on: Running, _: &[u8]) {
        let count = OpCount {
            executed: 1,
            lanes: on.mask.count_ones().into(),
            ..OpCount::default()
        };
        let opcode = at.site.opcode;
        self.counts
            .entry(opcode)
            .or_default()
            .ran(op, opcode, &count);
    }

    fn math(&mut self, at: At, control: &Control, elements: u32, alt: bool) {
        let count = self.counts.entry(at.site.opcode).or_default();
        count.rounds += u64::from(elements * control.rounds(alt).typical);
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        // Several lanes and taps may share a texel that is fetched once.
        if at.site.opcode.info().family == Family::Sampler3d {
            return;
        }
        let count = self.counts.entry(at.site.opcode).or_default();
        let bytes = u64::from(access.inside);
        match access.kind {
            AccessKind::Read => count.read += bytes,
            AccessKind::Write => count.written += bytes,
            AccessKind::Atomic => count.updated += bytes,
        }
    }

    fn wrote(&mut self, at: At, _: u32, bytes: &[u8]) {
        if is_message(at.site.opcode) {
            let count = self.counts.entry(at.site.opcode).or_default();
            count.returned += bytes.len() as u64;
        }
    }

    fn ended(&mut self, _: ThreadId, _: bool) {
        if self.counts.is_empty() {
            return;
        }
        let counts = std::mem::take(&mut self.counts);
        let mut total = self.total();
        for (opcode, count) in counts {
            total.reported.entry(opcode).or_default().add(&count);
        }
    }
}
