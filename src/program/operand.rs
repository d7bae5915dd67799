//! Lanes, predicates and operands of an op, resolved to bytes of the arena.

use crate::isa::{Modifier, Type};

/// Which lanes an op runs on. Source: vISA text reference 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Lanes of the instruction, 1..=32.
    pub count: u8,
    /// Execution-mask and predicate bit of lane 0.
    pub offset: u8,
    /// The execution mask is ignored.
    pub no_mask: bool,
}

impl Lanes {
    /// One bit for each lane of the instruction, starting at bit 0.
    pub const fn all(self) -> u32 {
        if self.count >= 32 {
            u32::MAX
        } else {
            (1 << self.count) - 1
        }
    }
}

/// The predicate in front of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Arena offset of the predicate's dword.
    pub offset: u32,
    /// Declared bits.
    pub bits: u8,
    /// Written with `!`.
    pub inverted: bool,
    /// How bits are combined.
    pub group: Group,
}

impl Guard {
    /// The bits of the variable.
    pub const fn declared(self) -> u32 {
        match self.bits {
            1..32 => (1 << self.bits) - 1,
            0 => 1,
            _ => u32::MAX,
        }
    }

    /// What the predicate says for each lane of an instruction when its dword is `bits`.
    ///
    /// `any` and `all` look at every declared bit: launch reference 10, point 1, which kernels
    /// confirm; the text reference 4.2 says bits o … o+N−1. Both agree when the sizes do.
    #[inline]
    pub const fn lanes(self, lanes: Lanes, bits: u32) -> u32 {
        let (all, declared) = (lanes.all(), self.declared());
        let mask = match self.group {
            Group::Each => bits >> lanes.offset & all,
            Group::Any if bits & declared != 0 => all,
            Group::All if bits & declared == declared => all,
            Group::Any | Group::All => 0,
        };
        if self.inverted { !mask & all } else { mask }
    }
}

/// How the lanes of a predicate are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Each lane its own bit.
    Each,
    /// Any bit of the variable.
    Any,
    /// All bits of the variable.
    All,
}

/// How the lanes of an operand find their bytes in the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// Every lane reads the same element.
    Scalar(u32),
    /// Lane *i* at `offset + i * size`.
    Dense(u32),
    /// Lane *i* at `offset + i * stride`; `stride` in bytes.
    Strided {
        /// Where lane 0 starts, in bytes.
        offset: u32,
        /// Bytes from lane to lane.
        stride: u32,
    },
    /// Lane *i* at the *i*-th offset; lanes outside the variable point at the zero or the sink.
    List(Box<[u32]>),
    /// Through address elements.
    Indirect(Box<Indirect>),
}

/// An operand reached through address elements. Source: vISA text reference 4.6.
///
/// ```text
/// lane i at  A[lane_address[i]] + displacement[i]      both bytes; outside general_bytes: zero, or nowhere
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indirect {
    /// Arena offset of the address element each lane uses.
    pub address: Box<[u32]>,
    /// What is added to it: the operand's offset and the lane's place in the region.
    pub displacement: Box<[i32]>,
}

/// Where values come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How lanes find their element.
    pub region: Region,
    /// The element type; never a vector immediate, which are spread into constants.
    pub ty: Type,
    /// Source modifier.
    pub modifier: Option<Modifier>,
}

/// Where values go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dest {
    /// How lanes find their element; never [`Region::Scalar`].
    pub region: Region,
    /// The element type.
    pub ty: Type,
}

/// A run of registers that a message reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// First byte in the arena.
    pub offset: u32,
    /// One past the last byte of the root variable: reads after it give zero, writes vanish.
    pub end: u32,
    /// Element type of the variable.
    pub ty: Type,
}

impl Raw {
    /// No registers at all, as `%null` has them: they read as zeros, and what is written there vanishes.
    pub const NOWHERE: Raw = Raw {
        offset: 0,
        end: 0,
        ty: Type::Ud,
    };

    /// The first `bytes` bytes of the same registers.
    pub const fn first(self, bytes: u32) -> Raw {
        let end = self.offset.saturating_add(bytes);
        Raw {
            end: if end < self.end { end } else { self.end },
            ..self
        }
    }

    /// The same registers from `bytes` further on.
    pub const fn skip(self, bytes: u32) -> Raw {
        Raw {
            offset: self.offset.saturating_add(bytes),
            ..self
        }
    }
}
