//! The time line of the hardware.
//!
//! ```text
//!  Gen4 … Gen7.5   Gen8 … Gen11   Gen12        Xe-HPG  Xe-HPC  Xe-LPG  Xe-LPG+   Xe2   Xe3   Xe3p
//!                                 12.0 …       12.55   12.60   12.70   12.74     20    30    35
//! ```
//!
//! Tables have columns of generations, as one that came first ([`from`]) or as a [`Span`]. Code asks for a fact
//! of a platform ([`super::platforms`]) and names no generation.
//!
//! Source: surface reference 1.1; Xe2 reference 1.

use std::fmt;

/// A hardware generation. The order is that of time; of the later ones that of their IP versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names say it; Gen75 is Gen7.5
pub enum Generation {
    Gen4, Gen5, Gen6, Gen7, Gen75, Gen8, #[default] Gen9, Gen10, Gen11, Gen12,
    XeHpg, XeHpc, XeLpg, XeLpgPlus, Xe2, Xe3, Xe3p,
}
use Generation::*;

/// Some of the generations, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(u32);

/// A generation and all later ones.
pub const fn from(first: Generation) -> Span {
    Span(u32::MAX << first as u32)
}

/// A generation and all earlier ones.
pub const fn until(last: Generation) -> Span {
    Span(!(u32::MAX << (last as u32) << 1))
}

impl Span {
    /// Every generation.
    pub const EVERY: Span = Span(u32::MAX);
    /// No generation.
    pub const NONE: Span = Span(0);

    /// Without what comes after `last`.
    pub const fn until(self, last: Generation) -> Span {
        Span(self.0 & until(last).0)
    }

    /// Without one generation in between.
    pub const fn except(self, generation: Generation) -> Span {
        Span(self.0 & !(1 << generation as u32))
    }

    /// Whether a generation is one of them.
    #[inline]
    pub const fn contains(self, generation: Generation) -> bool {
        self.0 >> generation as u32 & 1 != 0
    }
}

impl Generation {
    /// The generations of the surface reference, with their numbers in texts.
    #[rustfmt::skip]
    pub const ALL: &'static [(&'static str, Generation)] = &[
        ("4", Gen4), ("5", Gen5), ("6", Gen6), ("7", Gen7), ("7.5", Gen75), ("8", Gen8), ("9", Gen9), ("10", Gen10),
        ("11", Gen11), ("12", Gen12),
    ];

    /// The generation whose layouts and packed states it has: those of parts after Gen9 are not published
    /// in the surface reference, and Gen9's are taken. Their formats are their own.
    pub fn in_memory(self) -> Generation {
        self.min(Gen9)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Generation::ALL.iter().find(|row| row.1 == *self) {
            Some((number, _)) => write!(f, "Gen{number}"),
            None => f.write_str(match self {
                XeHpg => "Xe-HPG",
                XeHpc => "Xe-HPC",
                XeLpg => "Xe-LPG",
                XeLpgPlus => "Xe-LPG+",
                Xe2 => "Xe2",
                Xe3 => "Xe3",
                _ => "Xe3p",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_open_at_one_end() {
        assert!(from(Gen9).contains(Xe3p) && !from(Gen9).contains(Gen8));
        assert!(until(Gen9).contains(Gen4) && !until(Gen9).contains(Gen10));
        let middle = from(XeHpg).until(Xe2).except(XeLpg);
        let all = [Gen12, XeHpg, XeHpc, XeLpg, XeLpgPlus, Xe2, Xe3];
        let has = all.map(|generation| middle.contains(generation));
        assert_eq!(has, [false, true, true, false, true, true, false]);
        assert!(Span::EVERY.contains(Gen4) && !Span::NONE.contains(Xe3p));
    }
}
