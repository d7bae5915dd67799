//! What messages do: request templates are filled in, data port and sampler called, answers written to registers.
//!
//! ```text
//!  send ─ dispatch ─┬─ media, media_sampler, sampling (site_plans: planned once), texels, target, gen5
//!  raw  ─ decode ───┘  memory ─ lsc, block2d (coalesced: all lanes at once)
//!                      call: the way to registers, surfaces and traps, for all of them
//! ```

pub(crate) mod block2d;
pub(crate) mod blocks;
pub(crate) mod call;
pub(crate) mod coalesced;
pub(crate) mod dispatch;
mod dwords;
pub(crate) mod environment;
pub(crate) mod gen5;
pub(crate) mod lsc;
pub(crate) mod media;
pub(crate) mod media_sampler;
pub(crate) mod memory;
pub(crate) mod raw;
pub(crate) mod round_trip;
pub(crate) mod sampling;
pub(crate) mod site_plans;
pub(crate) mod target;
pub(crate) mod texels;
pub(crate) mod transfers;
#[cfg(test)]
mod ways;
