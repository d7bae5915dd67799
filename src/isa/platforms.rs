//! The platforms visim models, as rows of facts.
//!
//! ```text
//!  platform.grf_bytes         a fact of its registers
//!  platform.lsc.is_some()     a fact of its messages
//!  platform.generation        its place on the time line, for tables with a column of generations
//! ```
//!
//! Code outside this folder asks for a fact and never names a platform; `tests/layers.rs` sees to it. A new
//! platform is a row here: what it shares with an earlier one is taken from that row.
//!
//! Source: lowering reference 1.1 and 18; vISA text reference 5.14; launch reference 2; Xe2 reference 1.

use super::generations::Generation;
use std::fmt;
use std::ops::Deref;

/// The family of message layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The PRM's of Ironlake: message registers, data cache read and write, math as a message.
    Gen5,
    /// A descriptor of 32 bits and an extended descriptor.
    Gen8,
    /// As Gen8 with registers of 64 bytes: message types of six bits, gathering sends.
    Xe2,
    /// One descriptor of 47 bits, `sendg`.
    Xe3p,
}

impl Dialect {
    /// The section that states the bits of messages which visim does not model; `None` if it models them.
    pub const fn unmodelled(self) -> Option<&'static str> {
        match self {
            Dialect::Gen5 | Dialect::Gen8 | Dialect::Xe2 => None,
            Dialect::Xe3p => Some("Xe2 messages reference 6 and 8"),
        }
    }
}

impl Dialect {
    /// Variables hold the addresses of the states of surfaces and samplers; there is no binding table.
    pub const fn state_addresses(self) -> bool {
        matches!(self, Dialect::Xe3p)
    }
}

/// Which numbers the shared functions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SfidNumbers {
    /// Math, data cache read and write.
    Gen5,
    /// The data caches, video motion estimation, the thread spawner.
    Gen8,
    /// The load/store pipe, thread dispatch and ray tracing; the gateway ends threads.
    XeHpg,
}

/// What the extended descriptor holds; the rest of it is in the instruction. Source: lowering reference 1.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtendedDescriptor {
    /// Function and end of thread.
    Gen5,
    /// Function, end of thread and a second length of 4 bits.
    Gen9,
    /// Function, end of thread and a second length of 5 bits.
    Gen11,
    /// The second length; function and end of thread are in the instruction.
    Gen12,
    /// None of the three.
    XeHpg,
}

impl ExtendedDescriptor {
    /// The instruction names the function and the end of the thread.
    pub const fn function_in_instruction(self) -> bool {
        matches!(self, ExtendedDescriptor::Gen12 | ExtendedDescriptor::XeHpg)
    }

    /// The instruction has the second length.
    pub const fn length_in_instruction(self) -> bool {
        matches!(self, ExtendedDescriptor::XeHpg)
    }
}

/// The load/store pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lsc {
    /// Width of the cache control in the descriptor, from bit 16 (4) or 17 (3) on.
    pub cache_bits: u32,
    /// Levels that a cache policy has a word for.
    pub cache_levels: u32,
    /// The extended descriptor has an immediate offset.
    pub immediate_offsets: bool,
    /// Fewest lanes of an untyped message.
    pub untyped_lanes: u32,
    /// Fewest lanes of a typed message.
    pub typed_lanes: u32,
    /// Blocks of rows and columns, untyped.
    pub block2d: bool,
    /// `fence_global` without R evicts the caches.
    pub fence_evicts: bool,
}

/// The sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Parameters of 16 bits.
    pub params16: bool,
    /// `gather4_po` with separate offsets.
    pub gather4_po: bool,
    /// Without a header the length of the response says how many channels come back.
    pub counts_channels: bool,
    /// An operand for the paired surface.
    pub paired_surface: bool,
    /// Message types of six bits, the sixth in bit 31 of the descriptor. Source: Xe2 messages reference 5.
    pub six_bit_types: bool,
}

/// The registers of a thread before its arguments. Source: launch reference 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Payload {
    /// Bytes of arguments that the dispatch carries; 0 for none.
    pub inline_bytes: u32,
    /// Without local ids and inline data a register stays unused.
    pub unused_register: bool,
}

/// What is known of a platform.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The command-line name.
    pub name: &'static str,
    /// The name of Intel's finalizer, in `.platform` and `//Platform:`.
    pub finalizer: &'static str,
    /// Other names: the offline compiler's devices (`-device`), and parts that differ in nothing modelled.
    pub aliases: &'static [&'static str],
    /// Names that are not read, but that a diagnostic explains: products, generations. Lower case, no blanks.
    pub hints: &'static [&'static str],
    /// Its place on the time line.
    pub generation: Generation,
    /// Product families in the notes of a compiled program.
    pub products: &'static [u32],
    /// Cores in the header of a compiled program of patch tokens.
    pub cores: &'static [u32],
    /// Bytes of one general register.
    pub grf_bytes: u32,
    /// Integer `div` and `mod`.
    pub integer_divide: bool,
    /// Integers of 64 bits in `shl`, `shr`, `sel`, `mul` and rotates; of Ironlake no document says.
    pub int64: bool,
    /// IEEE macros: `divm`, `sqrtm`, and `div`, `inv` and `sqrt` of df.
    pub ieee_macros: bool,
    /// The family of message layouts.
    pub dialect: Dialect,
    /// The part whose messages it has, all of them; none if it has its own. Source: Xe2 messages reference 1.
    pub messages_of: Option<Platform>,
    /// The numbers of shared functions.
    pub sfids: SfidNumbers,
    /// What the extended descriptor holds.
    pub extended_descriptor: ExtendedDescriptor,
    /// Messages have a second payload.
    pub split_send: bool,
    /// A message may list the registers of its payload. Source: Xe2 messages reference 4.
    pub gathering_send: bool,
    /// Surface messages of the data cache may have a header of zeros.
    pub optional_header: bool,
    /// Shared local memory has a port of its own: owords and fences of it alone.
    pub slm_port: bool,
    /// Render target writes name the null target.
    pub null_target: bool,
    /// Bits of r0.2 that name the thread's barrier; none if bytes do. Source: lowering reference 15.
    pub barrier_mask: Option<u32>,
    /// The first release of Intel's finalizer that knows the platform.
    pub finalizer_since: &'static str,
    /// The sampler; a platform without one runs its messages as the finalizer encodes them, with W0430.
    pub sampler: Sampler,
    /// The platform has a sampler.
    pub has_sampler: bool,
    /// The data caches serve messages: blocks, scattered, typed and atomic accesses. Later parts have the load/store
    /// pipe alone. Source: Xe2 messages reference 3.
    pub data_caches: bool,
    /// The load/store pipe.
    pub lsc: Option<Lsc>,
    /// Registers before the arguments.
    pub payload: Payload,
}

/// Makes the enumeration and the table from the rows.
macro_rules! platforms {
    ($($(#[$meta:meta])+ $name:ident $row:expr;)+) => {
        /// A hardware platform: see [`Facts`] for what is known of it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Platform { $($(#[$meta])+ $name),+ }

        impl Platform {
            /// Every platform, oldest first.
            pub const ALL: &'static [Platform] = &[$(Platform::$name),+];
        }

        static ROWS: &[Facts] = &[$($row),+];
    };
}

platforms! {
    /// Ironlake, Gen5: the PRM's own messages.
    Ilk ILK;
    /// Broadwell, Gen8.
    Bdw BDW;
    /// Skylake, Gen9.
    #[default]
    Skl SKL;
    /// Ice Lake, Gen11.
    Icl ICL;
    /// Tiger Lake, Gen12.
    Tgl TGL;
    /// DG2, Xe-HPG.
    Dg2 DG2;
    /// The early part of Ponte Vecchio, Xe-HPC.
    Pvc PVC;
    /// Ponte Vecchio as it was sold, Xe-HPC.
    PvcXt PVCXT;
    /// Meteor Lake, Xe-LPG.
    Mtl MTL;
    /// Arrow Lake H, Xe-LPG+.
    Arl ARL;
    /// Battlemage, Xe2.
    Bmg BMG;
    /// Lunar Lake, Xe2.
    Lnl LNL;
    /// Panther Lake, Xe3.
    Ptl PTL;
    /// Nova Lake S, Xe3.
    NvlS NVL_S;
    /// Nova Lake P, Xe3p.
    NvlP NVL_P;
    /// Crescent Island, Xe3p.
    Cri CRI;
}

const ILK: Facts = Facts {
    name: "ilk",
    finalizer: "ILK",
    aliases: &[],
    hints: &["ironlake", "gen5"],
    generation: Generation::Gen5,
    products: &[],
    cores: &[],
    grf_bytes: 32,
    integer_divide: true,
    int64: true,
    ieee_macros: true,
    dialect: Dialect::Gen5,
    messages_of: None,
    sfids: SfidNumbers::Gen5,
    extended_descriptor: ExtendedDescriptor::Gen5,
    split_send: false,
    gathering_send: false,
    optional_header: false,
    slm_port: false,
    null_target: false,
    barrier_mask: Some(0x0f00_0000),
    finalizer_since: "1.0.12504",
    sampler: Sampler {
        params16: false,
        gather4_po: true,
        counts_channels: false,
        paired_surface: false,
        six_bit_types: false,
    },
    has_sampler: true,
    data_caches: true,
    lsc: None,
    payload: Payload {
        inline_bytes: 0,
        unused_register: false,
    },
};

const BDW: Facts = Facts {
    name: "bdw",
    finalizer: "BDW",
    hints: &["broadwell", "gen8"],
    generation: Generation::Gen8,
    products: &[16],
    cores: &[11],
    dialect: Dialect::Gen8,
    sfids: SfidNumbers::Gen8,
    extended_descriptor: ExtendedDescriptor::Gen9,
    optional_header: true,
    ..ILK
};

const SKL: Facts = Facts {
    name: "skl",
    finalizer: "SKL",
    hints: &[
        "skylake",
        "kabylake",
        "coffeelake",
        "kbl",
        "cfl",
        "glk",
        "gen9",
    ],
    generation: Generation::Gen9,
    // skl, kbl, glk
    products: &[18, 19, 23],
    cores: &[12],
    split_send: true,
    optional_header: false,
    sampler: Sampler {
        counts_channels: true,
        ..BDW.sampler
    },
    payload: Payload {
        unused_register: true,
        ..BDW.payload
    },
    barrier_mask: Some(0x8f00_0000),
    ..BDW
};

const ICL: Facts = Facts {
    name: "icl",
    finalizer: "ICLLP",
    hints: &["icelake", "lkf", "ehl", "gen11"],
    generation: Generation::Gen11,
    // icllp, lkf, ehl
    products: &[26, 27, 28],
    cores: &[15],
    int64: false,
    ieee_macros: false,
    extended_descriptor: ExtendedDescriptor::Gen11,
    slm_port: true,
    sampler: Sampler {
        params16: true,
        ..SKL.sampler
    },
    payload: BDW.payload,
    barrier_mask: Some(0x7f00_0000),
    ..SKL
};

const TGL: Facts = Facts {
    name: "tgl",
    finalizer: "TGLLP",
    hints: &[
        "tigerlake",
        "rocketlake",
        "alderlake",
        "raptorlake",
        "rkl",
        "adl",
        "rpl",
        "dg1",
        "gen12",
        "xelp",
    ],
    generation: Generation::Gen12,
    // tgllp, rkl, adls, adlp and adln, dg1
    products: &[29, 30, 31, 32, 33, 1210],
    cores: &[18],
    extended_descriptor: ExtendedDescriptor::Gen12,
    null_target: true,
    payload: SKL.payload,
    ..ICL
};

const DG2: Facts = Facts {
    name: "dg2",
    finalizer: "DG2",
    hints: &["alchemist", "acm", "arca", "xehpg"],
    generation: Generation::XeHpg,
    products: &[1270],
    cores: &[0xc07],
    integer_divide: false,
    sfids: SfidNumbers::XeHpg,
    extended_descriptor: ExtendedDescriptor::XeHpg,
    sampler: Sampler {
        gather4_po: false,
        ..TGL.sampler
    },
    lsc: Some(Lsc {
        cache_bits: 3,
        cache_levels: 2,
        immediate_offsets: false,
        untyped_lanes: 16,
        typed_lanes: 8,
        block2d: false,
        fence_evicts: true,
    }),
    payload: Payload {
        inline_bytes: 32,
        unused_register: false,
    },
    barrier_mask: None,
    ..TGL
};

const PVC: Facts = Facts {
    name: "pvc",
    finalizer: "PVC",
    hints: &[],
    generation: Generation::XeHpc,
    products: &[],
    cores: &[],
    grf_bytes: 64,
    int64: true,
    ieee_macros: true,
    has_sampler: false,
    lsc: Some(Lsc {
        cache_bits: 3,
        cache_levels: 2,
        immediate_offsets: false,
        // Source: Xe2 messages reference 7, "Lengths".
        untyped_lanes: 32,
        typed_lanes: 16,
        block2d: true,
        fence_evicts: false,
    }),
    payload: BDW.payload,
    ..DG2
};

const PVCXT: Facts = Facts {
    name: "pvcxt",
    finalizer: "PVCXT",
    hints: &["pontevecchio", "xehpc"],
    products: &[1271],
    cores: &[0xc08],
    lsc: Some(Lsc {
        cache_bits: 3,
        cache_levels: 2,
        immediate_offsets: false,
        untyped_lanes: 16,
        typed_lanes: 16,
        block2d: true,
        fence_evicts: false,
    }),
    ..PVC
};

const MTL: Facts = Facts {
    name: "mtl",
    finalizer: "MTL",
    aliases: &["arl-s"],
    hints: &["meteorlake", "xelpg"],
    generation: Generation::XeLpg,
    messages_of: Some(Platform::Dg2),
    products: &[1272],
    cores: &[],
    ..DG2
};

const ARL: Facts = Facts {
    name: "arl",
    finalizer: "ARL",
    aliases: &["arl-h"],
    hints: &["arrowlake", "xelpg+"],
    generation: Generation::XeLpgPlus,
    products: &[1273],
    ..MTL
};

const XE2_PIPE: Lsc = Lsc {
    cache_bits: 4,
    cache_levels: 2,
    immediate_offsets: true,
    untyped_lanes: 16,
    typed_lanes: 16,
    block2d: true,
    fence_evicts: true,
};

const BMG: Facts = Facts {
    name: "bmg",
    finalizer: "XE2",
    aliases: &[],
    hints: &["battlemage", "arcb"],
    generation: Generation::Xe2,
    products: &[1274],
    cores: &[],
    has_sampler: true,
    data_caches: false,
    dialect: Dialect::Xe2,
    sampler: Sampler {
        paired_surface: true,
        six_bit_types: true,
        ..DG2.sampler
    },
    lsc: Some(XE2_PIPE),
    payload: DG2.payload,
    ..PVC
};

const LNL: Facts = Facts {
    name: "lnl",
    aliases: &["lnl-m"],
    hints: &["lunarlake"],
    products: &[1275],
    ..BMG
};

const PTL: Facts = Facts {
    name: "ptl",
    finalizer: "XE3",
    aliases: &["wcl"],
    hints: &["pantherlake", "wildcatlake"],
    generation: Generation::Xe3,
    products: &[1300],
    gathering_send: true,
    ..BMG
};

const NVL_S: Facts = Facts {
    name: "nvl-s",
    aliases: &["nvl-u"],
    hints: &["novalake", "nvl"],
    products: &[1340],
    ..PTL
};

const NVL_P: Facts = Facts {
    name: "nvl-p",
    finalizer: "NVLP",
    aliases: &[],
    hints: &["xe3p"],
    generation: Generation::Xe3p,
    products: &[1360],
    dialect: Dialect::Xe3p,
    lsc: Some(Lsc {
        cache_levels: 3,
        ..XE2_PIPE
    }),
    payload: Payload {
        inline_bytes: 64,
        ..PTL.payload
    },
    ..PTL
};

const CRI: Facts = Facts {
    name: "cri",
    finalizer: "XE3P_CRI",
    aliases: &[],
    hints: &["crescentisland"],
    products: &[1380],
    ..NVL_P
};

impl Platform {
    /// The platform of programs made of sends, whose receivers and descriptors it has.
    pub const OF_SENDS: Platform = Platform::Ilk;

    /// Its place among all platforms, the oldest first.
    #[inline]
    pub const fn place(self) -> usize {
        self as usize
    }

    /// The row of this platform; `platform.grf_bytes` reads a fact of it directly.
    #[inline]
    pub const fn facts(self) -> &'static Facts {
        &ROWS[self as usize]
    }

    /// Whether it runs what was compiled for another part: those of one generation have the same instructions.
    pub fn runs_programs_of(self, other: Platform) -> bool {
        self.generation == other.generation
    }

    /// The part whose messages it has.
    pub fn messages(self) -> Platform {
        self.messages_of.unwrap_or(self)
    }

    /// Every name of the platform, that of the command line first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let facts = self.facts();
        let own = [facts.name, facts.finalizer];
        own.into_iter().chain(facts.aliases.iter().copied())
    }

    /// Reads any name of a platform, in any case.
    pub fn from_name(name: &str) -> Option<Platform> {
        let known =
            |platform: &&Platform| platform.names().any(|own| own.eq_ignore_ascii_case(name));
        Platform::ALL.iter().find(known).copied()
    }

    /// The platform that a name means which is not read: a product, a generation.
    pub fn meant(name: &str) -> Option<Platform> {
        let plain: String = name.to_lowercase().split([' ', '_', '-']).collect();
        let hints = |platform: &&Platform| platform.hints.contains(&plain.as_str());
        Platform::ALL.iter().find(hints).copied()
    }

    /// The platform with a product family, as the notes of a compiled program name it.
    pub fn from_product(product: u32) -> Option<Platform> {
        let has = |platform: &&Platform| platform.products.contains(&product);
        Platform::ALL.iter().find(has).copied()
    }

    /// The platform with a core, as the header of a program of patch tokens names it.
    pub fn from_core(core: u32) -> Option<Platform> {
        let has = |platform: &&Platform| platform.cores.contains(&core);
        Platform::ALL.iter().find(has).copied()
    }

    /// Bytes of one general register.
    #[inline]
    pub const fn grf_bytes(self) -> u32 {
        self.facts().grf_bytes
    }

    /// The SIMD width that fills one register with dwords: the narrowest of sampler and data port messages.
    #[inline]
    pub const fn native_lanes(self) -> u32 {
        self.grf_bytes() / 4
    }

    /// The first published messages, those of Ironlake.
    #[inline]
    pub const fn is_gen5(self) -> bool {
        matches!(self.facts().dialect, Dialect::Gen5)
    }
}

impl Deref for Platform {
    type Target = Facts;

    #[inline]
    fn deref(&self) -> &Facts {
        self.facts()
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_product_and_core_finds_one_platform() {
        for platform in Platform::ALL {
            let others = Platform::ALL.iter().take_while(|p| *p != platform);
            let shared = others.clone().any(|p| p.finalizer == platform.finalizer);
            for name in platform.names() {
                let own = !(shared && name == platform.finalizer);
                assert_eq!(Platform::from_name(name) == Some(*platform), own, "{name}");
            }
            for hint in platform.hints {
                assert_eq!(Platform::meant(hint), Some(*platform), "{hint}");
                assert_eq!(Platform::from_name(hint), None, "{hint}");
            }
            for product in platform.products {
                assert_eq!(Platform::from_product(*product), Some(*platform));
            }
            for core in platform.cores {
                assert_eq!(Platform::from_core(*core), Some(*platform));
            }
        }
        assert_eq!(Platform::from_name("gen9"), None);
        assert_eq!(Platform::meant("Meteor Lake"), Some(Platform::Mtl));
    }
}
