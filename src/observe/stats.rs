//! What a run executed: instructions, messages, lanes, rounds of extended math and bytes for each
//! opcode.

use crate::exec::ThreadId;
use crate::exec::observer::{Access, AccessKind, At, Observer, Running};
use crate::isa::{Family, Opcode};
use crate::math::unit::{Control, Function};
use crate::message;
use crate::program::Op;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

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
    total: Mutex<BTreeMap<Opcode, Count>>,
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
        let mut counts: Vec<_> = total.iter().map(|(k, v)| (*k, *v)).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.executed));
        counts
    }
}

/// Watches one thread for [`Stats`].
pub struct Counter<'w> {
    stats: &'w Stats,
    counts: BTreeMap<Opcode, Count>,
}

impl Observer for Counter<'_> {
    fn before(&mut self, at: At, op: &Op, on: Running, _: &[u8]) {
        let (mask, most) = match op {
            Op::Alu(alu) => (on.mask, alu.lanes.count),
            Op::Compare { lanes, .. }
            | Op::SetPredicate { lanes, .. }
            | Op::PredicateLogic { lanes, .. }
            | Op::Goto { lanes, .. }
            | Op::Jump { lanes, .. }
            | Op::Call { lanes, .. }
            | Op::CallFunction { lanes, .. }
            | Op::CallIndirect { lanes, .. }
            | Op::Return { lanes, .. } => (on.mask, lanes.count),
            Op::Send(send) => (on.mask, send.lanes.count),
            Op::RawSend(message) => (on.mask, message.lanes.count),
            // One for the thread.
            _ => (1, 1),
        };
        let count = self.counts.entry(at.site.opcode).or_default();
        count.executed += 1;
        count.lanes += u64::from(mask.count_ones());
        count.lanes_most += u64::from(most);
        if let (Op::Alu(alu), Some(function)) = (op, message::math::function(at.site.opcode)) {
            // A float divided is its reciprocal, multiplied.
            let float = alu.dst.ty.is_float();
            let function = if float && function.divides_integers() {
                Function::Inv
            } else {
                function
            };
            count.rounds += u64::from(mask.count_ones() * function.info().full.typical);
        }
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
        let total = self.stats.total.lock();
        let mut total = total.unwrap_or_else(PoisonError::into_inner);
        for (opcode, count) in std::mem::take(&mut self.counts) {
            total.entry(opcode).or_default().add(&count);
        }
    }
}
