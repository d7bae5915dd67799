//! The binary form of vISA: the container of kernels (`.isa`), and the record of each instruction.
//!
//! ```text
//!  Module ─ write ─▶ header │ entries │ object: strings │ variables │ labels │ inputs │ attributes │ records
//!  Module ◀─ read ──                                                                    one for each statement:
//!                                                                        opcode │ execution │ predicate │ operands
//! ```
//!
//! Versions 3.6 and 4.1 are written and read: later compilers write none. Records follow the instruction table: what
//! its slots do not say is in `layout`.
//!
//! Source: vISA binary reference; the Format and Opcode tables of the vISA pages MEDIA_LD, 3D_LOAD and AVS.

mod bytes;
mod layout;
mod names;
mod operand;
mod read;
mod record;
mod write;

pub use names::Names;
pub use read::{is_container, read};
pub use record::{Field, decode, encode};
pub use write::{Written, names, record_at, write};

use std::fmt;

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u8,
    /// After the dot.
    pub minor: u8,
}

impl Version {
    /// The one of `GenX_IR` 1.0.5353.
    pub const V3_6: Version = Version { major: 3, minor: 6 };
    /// The last one that compilers wrote.
    pub const V4_1: Version = Version { major: 4, minor: 1 };

    /// The version in which a text is written: its own, if it is one of the two.
    pub const fn of_text(major: u32, minor: u32) -> Version {
        match (major, minor) {
            (3, 0..=6) => Version::V3_6,
            _ => Version::V4_1,
        }
    }

    /// Operations of the 3D sampler have 16 bits; before 4.0 eight. Source: vISA binary reference 3.1.
    pub(crate) const fn wide_operations(self) -> bool {
        self.major >= 4
    }

    /// Lengths of names have 16 bits, before 3.7 eight. Source: vISA binary reference 1.2.
    pub(crate) const fn wide_names(self) -> bool {
        self.major > 3 || self.minor >= 7
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Why bytes are not a vISA binary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at:#x}: {what}")]
pub struct Malformed {
    /// The byte from the start of the file, or of the record where there is none.
    pub at: usize,
    /// The rule that is broken.
    pub what: String,
}
