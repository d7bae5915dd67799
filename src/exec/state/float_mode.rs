//! The float mode of a thread, which `%cr0` holds. Source: vISA text reference 3.

/// Direction of rounding; the value is bits 5:4 of `%cr0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Nearest = 0,
    /// Toward plus infinity.
    Up = 1,
    /// Toward minus infinity.
    Down = 2,
    /// Toward zero.
    Zero = 3,
}

impl Rounding {
    /// Where `%cr0` holds it.
    pub const BITS: u32 = 3 << 4;

    /// That of these bits of `%cr0`.
    const fn from_cr0(cr0: u32) -> Rounding {
        match (cr0 & Rounding::BITS) >> 4 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }

    /// The other one where these bits of `%cr0` are turned.
    pub const fn turned(self, bits: u32) -> Rounding {
        Rounding::from_cr0((self as u32) << 4 ^ bits)
    }
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
    /// The bits of `%cr0` that say it.
    pub const BITS: u32 = 1 | Rounding::BITS | 1 << 6 | 1 << 7 | 1 << 10;

    /// Reads the bits of `%cr0`. Source: vISA text reference 3.
    #[inline]
    pub const fn from_cr0(cr0: u32) -> FloatMode {
        FloatMode {
            rounding: Rounding::from_cr0(cr0),
            alt: cr0 & 1 != 0,
            keep_double: cr0 & 1 << 6 != 0,
            keep_single: cr0 & 1 << 7 != 0,
            keep_half: cr0 & 1 << 10 != 0,
        }
    }

    /// The bits of `%cr0` that say this.
    pub const fn to_cr0(self) -> u32 {
        let FloatMode {
            rounding,
            alt,
            keep_double,
            keep_single,
            keep_half,
        } = self;
        alt as u32
            | (rounding as u32) << 4
            | (keep_double as u32) << 6
            | (keep_single as u32) << 7
            | (keep_half as u32) << 10
    }

    /// The other one where these bits of `%cr0` are turned.
    #[inline]
    pub const fn turned(self, bits: u32) -> FloatMode {
        match bits {
            0 => self,
            _ => FloatMode::from_cr0(self.to_cr0() ^ bits),
        }
    }

    /// Whether plain single precision loops give the right bits (denormals aside, which they know).
    pub const fn is_plain(self) -> bool {
        matches!(self.rounding, Rounding::Nearest) && !self.alt
    }
}
