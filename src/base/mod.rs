//! What every other module builds on: bits in words.

pub mod bits;
