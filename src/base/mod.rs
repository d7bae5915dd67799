//! What every other module builds on: bits in words, threads of the host.

pub mod bits;
pub mod cores;
