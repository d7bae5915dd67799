//! Surfaces: formats, memory layout, state, files.

pub mod memory;

pub use memory::Memory;
