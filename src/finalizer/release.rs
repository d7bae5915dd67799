//! Releases of Intel's finalizer. Source: Xe2 reference 2.

use crate::isa::Platform;
use crate::syntax::ast::{Module, Statement};
use std::fmt;

/// A release of the finalizer, oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 1.0.12504, of 2022: what `tests/corpus/lowering` holds.
    #[default]
    R1_0_12504,
    /// 1.0.17791, of 2024.
    R1_0_17791,
    /// 2.40, of 2026.
    R2_40,
}

impl Release {
    /// Every release with its number.
    pub const ALL: [(Release, &'static str); 3] = [
        (Release::R1_0_12504, "1.0.12504"),
        (Release::R1_0_17791, "1.0.17791"),
        (Release::R2_40, "2.40"),
    ];

    /// The number.
    pub fn number(self) -> &'static str {
        Release::ALL[self as usize].1
    }

    /// The release that a number names.
    pub fn from_number(number: &str) -> Option<Release> {
        let mut all = Release::ALL.into_iter();
        all.find(|row| row.1 == number).map(|row| row.0)
    }

    /// The first release that writes text of this version and knows the platform.
    pub fn of(module: &Module, platform: Platform) -> Release {
        let version = module
            .lines
            .iter()
            .find_map(|line| match line.statement.as_ref()?.node {
                Statement::Version { major, minor } => Some((major, minor)),
                _ => None,
            });
        let text = match version {
            Some(version) if version >= (4, 2) => Release::R2_40,
            _ => Release::R1_0_12504,
        };
        let known = Release::from_number(platform.finalizer_since);
        text.max(known.unwrap_or_default())
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}
