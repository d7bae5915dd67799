//! What messages of the media sampler read, for those who watch a run.
//!
//! The kernels gather whole words and rows ahead of what they need; here is what results depend on.

/// A texel that a message reads, or a byte of statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// Its first byte in the memory of the surface.
    pub start: usize,
    /// Its bytes.
    pub bytes: u32,
    /// Column and row on its plane.
    pub at: (u32, u32),
    /// Column and row that were asked for: others where those lie outside.
    pub asked: (i32, i32),
}
