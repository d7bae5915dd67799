//! Everything outside a thread that its messages reach.

use super::site_plans::SitePlans;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::native::{Memories, NativeCode};
use crate::exec::state::bindings::Resources;
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::tally::Tally;
use crate::surface::Memory;
use crate::surface::ledger::{Deadline, Short};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What all threads of a run may take together. They report in blocks of some ten thousand instructions, so that
/// it costs nothing.
///
/// Instructions count in launch order: a thread is over the limit with what it and those before it have run, so that a
/// run which ends in a trap near the limit ends in the same one however many host threads it has.
#[derive(Debug)]
pub struct Allowance {
    limit: u64,
    spent: AtomicU64,
    /// What was reported, by the index of the last thread that it may be of.
    reports: Mutex<BTreeMap<u32, u64>>,
    deadline: Option<Deadline>,
}

impl Allowance {
    /// So many instructions, until then.
    pub fn new(limit: u64, deadline: Option<Deadline>) -> Allowance {
        Allowance {
            limit,
            spent: AtomicU64::new(0),
            reports: Mutex::default(),
            deadline,
        }
    }

    /// Takes instructions that have run, of no thread after `last`.
    ///
    /// # Errors
    /// `L0607`: with those of the threads before they are more than all may run; `L0761`: the time is over.
    pub fn spend(&self, last: u32, instructions: u64) -> Result<(), Box<Diagnostic>> {
        *self.reports().entry(last).or_default() += instructions;
        let before = self.spent.fetch_add(instructions, Relaxed);
        if before.saturating_add(instructions) > self.limit {
            self.check(self.until(last))?;
        }
        match self.deadline.and_then(|deadline| deadline.is_over()) {
            None => Ok(()),
            Some(given) => Err(Box::new(Short::Time(given).diagnostic())),
        }
    }

    /// What was reported of the threads up to one.
    pub fn until(&self, last: u32) -> u64 {
        self.reports().range(..=last).map(|(_, count)| count).sum()
    }

    fn reports(&self) -> MutexGuard<'_, BTreeMap<u32, u64>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so many instructions in all are allowed.
    ///
    /// # Errors
    /// `L0607`.
    pub fn check(&self, instructions: u64) -> Result<(), Box<Diagnostic>> {
        if instructions <= self.limit {
            return Ok(());
        }
        let limit = self.limit;
        let over = Diagnostic::new(Code::L0607)
            .note(format!("the limit is {limit} instructions of all threads"))
            .help(format!("--max-total-steps {}", limit.saturating_mul(10)));
        Err(Box::new(over))
    }
}

impl<'a> Environment<'a> {
    /// The memory of its messages.
    pub(crate) fn memories(&self) -> Memories<'a> {
        Memories {
            windows: &self.resources.windows,
            texels: self.plans.texels(),
            slm: self.slm,
            scratch_bytes: self.scratch_bytes,
            tally: self.tally,
            left_for_nan: self.code.left_for_nan(),
            left_at: self.plans.left_at(),
        }
    }
}

/// Everything outside a thread that its messages reach.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The program's fast form.
    pub code: &'a Decoded,
    /// What is bound.
    pub resources: &'a Resources,
    /// What is kept of its sampler messages.
    pub plans: &'a SitePlans,
    /// Shared local memory of the thread's group, if the thread has none of its own.
    pub slm: &'a Memory,
    /// Named barriers of the thread's group.
    pub named: &'a NamedBarriers,
    /// Scratch memory that the thread may have.
    pub scratch_bytes: usize,
    /// Instructions it may run in all.
    pub limit: u64,
    /// Instructions it may run before others of its group have their turn.
    pub turn: u64,
    /// What is left for all threads.
    pub allowance: &'a Allowance,
    /// Messages are made into bits and read again before they are served.
    pub through_bits: bool,
    /// Where ops are counted, if an observer wants [`Counts`](crate::exec::observer::Wants::Counts) and no steps.
    pub tally: Option<&'a Tally>,
    /// Whether native code runs.
    pub native: NativeCode,
}
