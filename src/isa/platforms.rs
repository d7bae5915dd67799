//! The platforms visim speaks for and the few parameters that tell them apart.
//!
//! Source: lowering reference 1.1; vISA text reference 5.14.

use std::fmt;

/// A hardware generation, oldest first; the order is meaningful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Platform {
    /// Ironlake, Gen5: the PRM's own messages.
    Ilk,
    /// Broadwell, Gen8.
    Bdw,
    /// Skylake, Gen9.
    #[default]
    Skl,
    /// Ice Lake, Gen11.
    Icl,
    /// Tiger Lake, Gen12.
    Tgl,
    /// DG2, XeHPG.
    Dg2,
    /// Ponte Vecchio, XeHPC.
    Pvc,
}

impl Platform {
    /// Every platform with its command-line name and the name Intel's finalizer uses.
    pub const ALL: &'static [(Platform, &'static str, &'static str)] = &[
        (Platform::Ilk, "ilk", "ILK"),
        (Platform::Bdw, "bdw", "BDW"),
        (Platform::Skl, "skl", "SKL"),
        (Platform::Icl, "icl", "ICLLP"),
        (Platform::Tgl, "tgl", "TGLLP"),
        (Platform::Dg2, "dg2", "DG2"),
        (Platform::Pvc, "pvc", "PVC"),
    ];

    /// The command-line name.
    pub fn name(self) -> &'static str {
        Platform::ALL
            .iter()
            .find(|p| p.0 == self)
            .map_or("?", |p| p.1)
    }

    /// Reads either name in any case.
    pub fn from_name(name: &str) -> Option<Platform> {
        Platform::ALL
            .iter()
            .find(|p| p.1.eq_ignore_ascii_case(name) || p.2.eq_ignore_ascii_case(name))
            .map(|p| p.0)
    }

    /// Bytes of one general register.
    pub const fn grf_bytes(self) -> u32 {
        if matches!(self, Platform::Pvc) {
            64
        } else {
            32
        }
    }

    /// The SIMD width that fills one register with dwords.
    pub const fn native_lanes(self) -> u32 {
        self.grf_bytes() / 4
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
