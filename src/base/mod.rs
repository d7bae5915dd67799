//! What every other module builds on: bits in words, threads of the host, faults of a test, sorting.

pub mod bits;
pub mod cores;
pub mod faults;
pub mod order;
