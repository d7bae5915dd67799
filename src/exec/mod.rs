//! Runs the ops of a [`Program`](crate::program::Program) for one hardware thread, or several side by side.
//!
//! ```text
//!  Op ─┬─ run ──────┬─ alu     values in, values out: the meaning of arithmetic
//!      └─ lockstep ─┤   ├─ general   any regions and types, lane arrays    (the reference)
//!                   │   └─ decoded   a function for each op, chosen once   (equal to it, fast)
//!                   ├─ flow    which lanes run: frames, waiting lanes
//!                   └─ message request templates filled in, dataport and sampler called
//! ```
//!
//! Start with [`thread::Thread::run`]; [`lockstep`] runs several threads at once. Not here: how threads are started
//! and scheduled ([`crate::launch`]).

pub mod alu;
mod arena;
pub mod bindings;
mod block2d;
mod coalesced;
mod decoded;
mod exact;
pub mod float;
mod flow;
mod gen5;
mod general;
pub mod lanes;
#[cfg(test)]
mod laws;
pub mod lockstep;
mod lsc;
mod media_sampler;
mod memory;
mod message;
mod named;
pub mod observer;
pub mod order;
pub mod packed;
mod raw;
mod ready;
pub mod remarks;
mod reset;
mod round_trip;
mod run;
mod sampling;
mod target;
mod texels;
pub mod thread;
mod touched;
pub mod trap;

pub use arena::Arena;
pub use bindings::{Bindings, Environment, FlatMemory, FlatRange, OwnRange, Resources, Sampler};
pub use decoded::Decoded;
pub use named::{Meeting, NamedBarriers};
pub use observer::{Observer, Silent};
pub use ready::ReadyMessages;
pub use remarks::Remarks;
pub use reset::Reset;
pub use thread::{Stop, Thread, ThreadId};
pub use trap::Trap;
