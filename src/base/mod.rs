//! What every other module stands on: bits in words.

pub mod bits;
