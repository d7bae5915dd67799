//! Everything outside a thread that its messages reach.

use super::site_plans::SitePlans;
use crate::exec::compute::decoded::Decoded;
use crate::exec::state::bindings::Resources;
use crate::exec::state::named::NamedBarriers;
use crate::surface::Memory;

/// Everything outside a thread that its messages reach.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The program's fast form.
    pub code: &'a Decoded,
    /// What is bound.
    pub resources: &'a Resources,
    /// What is kept of its sampler messages.
    pub plans: &'a SitePlans,
    /// Shared local memory of the thread's group.
    pub slm: &'a Memory,
    /// Named barriers of the thread's group.
    pub named: &'a NamedBarriers,
    /// Scratch memory that the thread may have.
    pub scratch_bytes: usize,
    /// Instructions it may run in all.
    pub limit: u64,
    /// Instructions it may run before others of its group have their turn.
    pub turn: u64,
    /// Messages are made into bits and read again before they are served.
    pub through_bits: bool,
}
