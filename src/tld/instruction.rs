//! The instruction as data: every field of the word by the name the text gives it.
//!
//! A [`Tld`] can hold everything that has an encoding, also what the vendor page reserves or forbids
//! (a cube, `.MS` with `.CL`): such words are printed by the disassembler. [`super::rules`] says which
//! of them are instructions.

use std::fmt;

/// A 32-bit register, `R0` … `R254`, or `RZ`, which reads zero and discards what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u8);

impl Reg {
    /// The register that reads zero.
    pub const RZ: Reg = Reg(255);

    /// Whether this is `RZ`.
    pub const fn is_rz(self) -> bool {
        self.0 == 255
    }

    /// The register `n` places on, as a vector's element: `None` past `R254`, and `RZ` has no
    /// neighbours, since a vector at `RZ` is a vector of zeroes (TLD reference 2.3).
    pub fn plus(self, n: u8) -> Option<Reg> {
        match self.0.checked_add(n) {
            Some(number) if number < 255 => Some(Reg(number)),
            _ => None,
        }
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            255 => f.pad("RZ"),
            n => f.pad(&format!("R{n}")),
        }
    }
}

/// A predicate, `P0` … `P6`, or `PT`, which is always true and discards what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pred(u8);

impl Pred {
    /// The predicate that is always true.
    pub const PT: Pred = Pred(7);

    /// The predicate with this number; only the low three bits exist.
    pub const fn new(number: u8) -> Pred {
        Pred(number & 7)
    }

    /// Its number, 7 for `PT`.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            7 => f.pad("PT"),
            n => f.pad(&format!("P{n}")),
        }
    }
}

/// The predicate in front of the instruction: `@P0`, `@!P3`; always `@PT` when none is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate looked at.
    pub pred: Pred,
    /// Execute when it is false.
    pub negated: bool,
}

impl Guard {
    /// No guard.
    pub const ALWAYS: Guard = Guard {
        pred: Pred::PT,
        negated: false,
    };
}

/// Where the texture header's number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle {
    /// A word of the texture bank, by its index, 13 bits.
    Bound(u16),
    /// `.B`: a register of Rb. The index field plays no part and prints as `0x0`.
    Bindless,
}

impl Handle {
    /// The index as printed and encoded: 0 when it plays no part.
    pub const fn index(self) -> u16 {
        match self {
            Handle::Bound(index) => index,
            Handle::Bindless => 0,
        }
    }
}

/// How the level is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lod {
    /// `.LZ`: the view's first level.
    Zero,
    /// `.LL`: the view's first level plus a register.
    Given,
}

/// The coordinate description (parameter kind).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the text's own
pub enum Dim {
    D1,
    Array1D,
    D2,
    Array2D,
    D3,
    Array3D,
    Cube,
    ArrayCube,
}

impl Dim {
    /// Every description, at the index that is its encoding.
    pub const ALL: [Dim; 8] = [
        Dim::D1,
        Dim::Array1D,
        Dim::D2,
        Dim::Array2D,
        Dim::D3,
        Dim::Array3D,
        Dim::Cube,
        Dim::ArrayCube,
    ];

    /// As written.
    pub const fn name(self) -> &'static str {
        match self {
            Dim::D1 => "1D",
            Dim::Array1D => "ARRAY_1D",
            Dim::D2 => "2D",
            Dim::Array2D => "ARRAY_2D",
            Dim::D3 => "3D",
            Dim::Array3D => "ARRAY_3D",
            Dim::Cube => "CUBE",
            Dim::ArrayCube => "ARRAY_CUBE",
        }
    }

    /// Whether an array index comes before the coordinates.
    pub const fn is_array(self) -> bool {
        matches!(
            self,
            Dim::Array1D | Dim::Array2D | Dim::Array3D | Dim::ArrayCube
        )
    }

    /// Encoded and printed, but reserved by the vendor page.
    pub const fn is_reserved(self) -> bool {
        matches!(self, Dim::Array3D | Dim::Cube | Dim::ArrayCube)
    }

    /// Number of coordinates, the array index not counted: 1, 2 or 3.
    pub const fn coordinates(self) -> u8 {
        match self {
            Dim::D1 | Dim::Array1D => 1,
            Dim::D2 | Dim::Array2D => 2,
            _ => 3,
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the instruction does to the warp's texture hash: scheduling, no value (TLD reference 3.9).
///
/// It sits in the control word, not in the instruction's word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing.
    #[default]
    None,
    /// `.T`: the 3-bit texture part counts on.
    T,
    /// `.P`: the 5-bit phase part counts on, the texture part becomes zero.
    P,
    /// Both bits set, `.INVALIDPHASE3`.
    Invalid,
}

/// One TLD instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tld {
    /// Predicate it depends on.
    pub guard: Guard,
    /// Where the header's number comes from; `.B` is [`Handle::Bindless`].
    pub handle: Handle,
    /// `.LZ` or `.LL`.
    pub lod: Lod,
    /// Offsets come in a register.
    pub aoffi: bool,
    /// The sample's number comes in a register.
    pub ms: bool,
    /// Coordinates outside clamp to the edge.
    pub cl: bool,
    /// No derivative depends on the result.
    pub nodep: bool,
    /// Scheduling.
    pub phase: Phase,
    /// Receives whether the texel's page is sparse.
    pub ps: Pred,
    /// First result register.
    pub rd: Reg,
    /// First coordinate register.
    pub ra: Reg,
    /// First register of everything else.
    pub rb: Reg,
    /// Coordinate description.
    pub dim: Dim,
    /// Components returned, bit 0 = R; four bits.
    pub mask: u8,
}

impl Default for Tld {
    /// `TLD.LZ RZ, RZ, 0x0, 1D, 0xf`, from which the others differ.
    fn default() -> Tld {
        Tld {
            guard: Guard::ALWAYS,
            handle: Handle::Bound(0),
            lod: Lod::Zero,
            aoffi: false,
            ms: false,
            cl: false,
            nodep: false,
            phase: Phase::None,
            ps: Pred::PT,
            rd: Reg::RZ,
            ra: Reg::RZ,
            rb: Reg::RZ,
            dim: Dim::D1,
            mask: 0xf,
        }
    }
}

impl Tld {
    /// Number of result registers.
    pub const fn results(&self) -> u8 {
        (self.mask & 0xf).count_ones() as u8
    }
}
