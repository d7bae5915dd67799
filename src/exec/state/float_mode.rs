//! The float mode of a thread, which `%cr0` holds. Source: vISA text reference 3.

/// Direction of rounding; the value is bits 5:4 of `%cr0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Toward plus infinity.
    Up,
    /// Toward minus infinity.
    Down,
    /// Toward zero.
    Zero,
}

/// What `%cr0` says of floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatMode {
    /// Direction of rounding.
    pub rounding: Rounding,
    /// ALT mode: `f` results are never infinite.
    pub alt: bool,
    /// Double denormals are kept, not flushed.
    pub keep_double: bool,
    /// Single denormals are kept.
    pub keep_single: bool,
    /// Half denormals are kept by math functions.
    pub keep_half: bool,
}

impl FloatMode {
    /// Reads the bits of `%cr0`. Source: vISA text reference 3.
    #[inline]
    pub const fn from_cr0(cr0: u32) -> FloatMode {
        FloatMode {
            rounding: match cr0 >> 4 & 3 {
                0 => Rounding::Nearest,
                1 => Rounding::Up,
                2 => Rounding::Down,
                _ => Rounding::Zero,
            },
            alt: cr0 & 1 != 0,
            keep_double: cr0 & 1 << 6 != 0,
            keep_single: cr0 & 1 << 7 != 0,
            keep_half: cr0 & 1 << 10 != 0,
        }
    }

    /// Whether plain single precision loops give the right bits (denormals aside, which they know).
    pub const fn is_plain(self) -> bool {
        matches!(self.rounding, Rounding::Nearest) && !self.alt
    }
}
