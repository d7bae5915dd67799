//! Everything outside a thread that its messages reach.

use super::site_plans::SitePlans;
use crate::exec::compute::decoded::Decoded;
use crate::exec::state::bindings::Resources;
use crate::exec::state::named::NamedBarriers;
use crate::surface::Memory;
use std::time::{Duration, Instant};

/// A time at which a run is ended; it is looked at where threads take turns.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    at: Instant,
    given: Duration,
}

impl Deadline {
    /// So long after now; a time that no clock reaches is none that ends anything.
    pub fn after(given: Duration) -> Option<Deadline> {
        let at = Instant::now().checked_add(given)?;
        Some(Deadline { at, given })
    }

    /// The time that was given, if it is over.
    pub fn is_over(&self) -> Option<Duration> {
        (Instant::now() >= self.at).then_some(self.given)
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
    /// When it must have ended, where there is such a time.
    pub deadline: Option<Deadline>,
    /// Messages are made into bits and read again before they are served.
    pub through_bits: bool,
}
