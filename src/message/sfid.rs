//! Shared functions: who receives a message. Source: lowering reference 1.4.

use crate::isa::Platform;
use crate::isa::platforms::SfidNumbers;

/// A shared function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sfid {
    /// No function.
    Null,
    /// Extended math, Gen5 only.
    Math,
    /// Sampling engine.
    Sampler,
    /// Message gateway.
    Gateway,
    /// Data port reads, Gen5 only.
    DataRead,
    /// Data port writes, Gen5 only.
    DataWrite,
    /// Data cache 2 (sampler cache).
    Dc2,
    /// Render cache.
    Rc,
    /// Unified return buffer.
    Urb,
    /// Thread spawner.
    Ts,
    /// Video motion estimation.
    Vme,
    /// Constant cache.
    Dcro,
    /// Data cache 0.
    Dc0,
    /// Pixel interpolator.
    Pixi,
    /// Data cache 1.
    Dc1,
    /// Check and refinement engine.
    Cre,
    /// Bindless thread dispatcher.
    Btd,
    /// Ray tracing.
    Rta,
    /// Load/store pipe, typed.
    Tgm,
    /// Load/store pipe, shared local memory.
    Slm,
    /// Load/store pipe, global.
    Ugm,
    /// Load/store pipe, global, L3 only.
    Ugml,
}

/// Which of the three numberings a platform uses.
fn column(platform: Platform) -> usize {
    match platform.sfids {
        SfidNumbers::Gen5 => 0,
        SfidNumbers::Gen8 => 1,
        SfidNumbers::XeHpg => 2,
    }
}

/// Function, name, name in a mnemonic, numbers on Gen5, Gen8..Gen12, XeHPG and later.
type Row = (Sfid, &'static str, &'static str, [Option<u8>; 3]);

#[rustfmt::skip]
static ROWS: &[Row] = &[
    (Sfid::Null,      "null",      "null", [Some(0), Some(0),  Some(0)]),
    (Sfid::Math,      "math",      "math", [Some(1), None,     None]),
    (Sfid::Ugml,      "ugml",      "ugml", [None,    None,     Some(1)]),
    (Sfid::Sampler,   "sampler",   "smpl", [Some(2), Some(2),  Some(2)]),
    (Sfid::Gateway,   "gateway",   "gtwy", [Some(3), Some(3),  Some(3)]),
    (Sfid::DataRead,  "dataread",  "read", [Some(4), None,     None]),
    (Sfid::Dc2,       "dc2",       "dc2",  [None,    Some(4),  Some(4)]),
    (Sfid::DataWrite, "datawrite", "write", [Some(5), None,    None]),
    (Sfid::Rc,        "rc",        "rc",   [None,    Some(5),  Some(5)]),
    (Sfid::Urb,       "urb",       "urb",  [Some(6), Some(6),  Some(6)]),
    (Sfid::Ts,        "ts",        "ts",   [Some(7), Some(7),  None]),
    (Sfid::Btd,       "btd",       "btd",  [None,    None,     Some(7)]),
    (Sfid::Vme,       "vme",       "vme",  [None,    Some(8),  None]),
    (Sfid::Rta,       "rta",       "rta",  [None,    None,     Some(8)]),
    (Sfid::Dcro,      "dcro",      "dcro", [None,    Some(9),  Some(9)]),
    (Sfid::Dc0,       "dc0",       "dc0",  [None,    Some(10), Some(10)]),
    (Sfid::Pixi,      "pixi",      "pixi", [None,    Some(11), Some(11)]),
    (Sfid::Dc1,       "dc1",       "dc1",  [None,    Some(12), Some(12)]),
    (Sfid::Cre,       "cre",       "cre",  [None,    Some(13), None]),
    (Sfid::Tgm,       "tgm",       "tgm",  [None,    None,     Some(13)]),
    (Sfid::Slm,       "slm",       "slm",  [None,    None,     Some(14)]),
    (Sfid::Ugm,       "ugm",       "ugm",  [None,    None,     Some(15)]),
];

impl serde::Serialize for Sfid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Sfid {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Sfid> {
        ROWS.iter().map(|row| row.0)
    }

    /// The number on a platform; `None` if the platform has no such function.
    pub fn number(self, platform: Platform) -> Option<u8> {
        self.row().and_then(|row| row.3[column(platform)])
    }

    /// Reads a number.
    pub fn from_number(number: u32, platform: Platform) -> Option<Sfid> {
        ROWS.iter()
            .find(|row| row.3[column(platform)].is_some_and(|n| u32::from(n) == number))
            .map(|row| row.0)
    }

    /// Reads a name: the full one, that of a mnemonic, or the assembler's `hdc0` to `hdc2`.
    pub fn named(name: &str) -> Option<Sfid> {
        let name = name.to_ascii_lowercase();
        let own = match name.strip_prefix("hdc") {
            Some(number) => format!("dc{number}"),
            None => name,
        };
        ROWS.iter()
            .find(|row| row.1 == own || row.2 == own)
            .map(|row| row.0)
    }

    /// The full name.
    pub fn name(self) -> &'static str {
        self.row().map_or("?", |row| row.1)
    }

    /// The name after the dot of `send.dc1`.
    pub fn suffix(self) -> &'static str {
        self.row().map_or("?", |row| row.2)
    }

    /// Functions of the load/store pipe: their descriptors have no header bit.
    pub const fn is_lsc(self) -> bool {
        matches!(self, Sfid::Ugm | Sfid::Ugml | Sfid::Slm | Sfid::Tgm)
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.0 == self)
    }
}
