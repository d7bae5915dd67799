//! What a run has done to memory, undone, where it has to run again from the start.

use crate::exec::Bindings;
use crate::surface::Memory;
use crate::surface::ledger::{Charge, Ledger, Short};
use bytemuck::allocation::try_zeroed_slice_box;
use std::sync::Arc;

/// The bytes of bound memory before a run.
pub(super) struct Undo {
    kept: Vec<(Arc<Memory>, Box<[u8]>)>,
    /// What there was no room for before.
    short: Option<Short>,
    _charge: Option<Charge>,
}

/// Bytes that are kept at most.
const MOST: u64 = 1 << 30;

/// Bytes that are kept for a run, and more for each of its threads: less work than to look at its steps.
const WORTH: (u64, u64) = (1 << 20, 1 << 12);

impl Undo {
    /// Keeps what a run of so many threads may change; `None` if it is too much.
    pub fn of(bindings: &Bindings, threads: u64) -> Option<Undo> {
        let surfaces = bindings.surfaces.values().map(|surface| surface.memory());
        let ranges = bindings.memory.iter().map(|range| &range.memory);
        let mut all: Vec<&Arc<Memory>> = surfaces.chain(ranges).collect();
        all.sort_unstable_by_key(|memory| Arc::as_ptr(memory));
        all.dedup_by_key(|memory| Arc::as_ptr(memory));
        let bytes = all.iter().map(|memory| memory.len() as u64).sum();
        let worth = threads.saturating_mul(WORTH.1).saturating_add(WORTH.0);
        if bytes > worth.min(MOST) {
            return None;
        }
        let charge = Ledger::spare(bytes).ok()?;
        let kept = all.into_iter().map(|memory| {
            let mut bytes = try_zeroed_slice_box(memory.len()).ok()?;
            memory.read(0, &mut bytes);
            Some((Arc::clone(memory), bytes))
        });
        Some(Undo {
            kept: kept.collect::<Option<_>>()?,
            short: Ledger::current().and_then(|ledger| ledger.short()),
            _charge: charge,
        })
    }

    /// Puts it back, and forgets what memory the run found no room for.
    pub fn undo(self) {
        for (memory, bytes) in &self.kept {
            memory.write(0, bytes);
        }
        if let Some(ledger) = Ledger::current() {
            ledger.forget(self.short);
        }
    }
}
