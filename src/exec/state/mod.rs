//! What a hardware thread is: its registers and lanes, what is bound for it, who watches it.

pub(crate) mod access_log;
pub(crate) mod arena;
pub mod bindings;
pub(crate) mod float_mode;
pub(crate) mod frame;
pub mod lanes;
pub(crate) mod named;
pub mod observer;
pub mod remarks;
pub(crate) mod tally;
pub(crate) mod texel_sites;
pub mod thread;
pub mod trap;
pub(crate) mod windows;
