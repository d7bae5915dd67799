//! Runs the ops of a [`Program`](crate::program::Program) for one hardware thread, or several side by side.
//!
//! ```text
//!  control   the loop over ops; flow: which lanes run; lockstep: several threads at once
//!     │
//!  message   request templates filled in, data port and sampler called
//!     │
//!  compute   values in, values out: general (any regions and types, the reference), decoded (equal to it, fast)
//!     │
//!  state     a thread's bytes and lanes, what is bound, who watches
//! ```
//!
//! A floor names only those below it. Start with [`thread::Thread::run`]; [`lockstep`] runs several threads at once.
//! Not here: how threads are started and scheduled ([`crate::launch`]).

mod compute;
mod control;
mod message;
mod state;

pub use compute::decoded::Decoded;
pub use compute::native::{Beginning, Begins, Header, NativeCode, Standing, Whole};
pub use compute::{alu, float, packed};
pub use control::read_first::ReadFirst;
pub use control::reset::Reset;
pub use control::run::BLOCK;
pub use control::{lockstep, order};
pub use message::blocks::Kept;
pub use message::environment::{Allowance, Environment};
pub use message::site_plans::SitePlans;
pub use message::transfers::native_ops;
pub use state::arena::{Arena, Row};
pub use state::bindings::{Bindings, FlatMemory, FlatRange, OwnRange, Resources, Sampler};
pub use state::float_mode::{FloatMode, Rounding};
pub use state::named::{Meeting, NamedBarriers};
pub use state::observer::{Observer, Silent};
pub use state::remarks::Remarks;
pub use state::tally::{SLOTS, Tally};
pub use state::thread::{Stop, Thread, ThreadId};
pub use state::trap::Trap;
pub use state::{bindings, lanes, observer, remarks, thread, trap};
