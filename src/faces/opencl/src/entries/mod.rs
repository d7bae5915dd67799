//! The functions that host programs call. Each reads what the host points to, by the rules that OpenCL has for its
//! parameters, and leaves the rest to safe code.
//!
//! # Safety
//! All of them trust the host as the specification says: a pointer is null where that is allowed, or leads to as much as
//! its parameter says. Handles may be anything.

mod commands;
mod copies;
mod images;
mod kernels;
mod memory;
mod objects;
mod programs;

pub use commands::*;
pub use copies::*;
pub use images::*;
pub use kernels::*;
pub use memory::*;
pub use objects::*;
pub use programs::*;
