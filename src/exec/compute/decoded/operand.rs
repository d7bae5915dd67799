//! Operands as kernels see them: where lanes lie in the arena, and what is known of that beforehand.

use crate::exec::state::arena::dword;
use crate::isa::{Modifier, Type};
use crate::program::{Dest, Program, Region, Source};

/// A source, decoded.
#[derive(Clone, Copy, PartialEq)]
pub struct Operand {
    /// Where it lies in the arena, or its value.
    pub(super) at: u32,
    /// How lanes find it.
    pub form: OperandShape,
    /// Source modifier.
    pub modifier: Option<Modifier>,
    /// The modifier in bits: what a float keeps and flips; what an integer flips and then is lessened by.
    pub keep: u32,
    /// As `keep`.
    pub flip: u32,
    /// As `keep`.
    pub minus: u32,
    /// Whether each row is read where it lies: its lanes are dwords that follow each other, or one for all of them, and
    /// no integers of which the absolute value is asked.
    pub(super) in_rows: bool,
}

impl Operand {
    /// Whether lanes have dwords as they lie, or one that all have.
    pub fn is_plain(&self) -> bool {
        use OperandShape::{Dense, Scalar, Value};
        self.modifier.is_none() && matches!(self.form, Value | Scalar | Dense)
    }

    /// Whether it is 0 in all lanes.
    pub fn is_zero(&self) -> bool {
        self.modifier.is_none() && self.form == OperandShape::Value && self.at == 0
    }
}

/// How lanes find their dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandShape {
    /// All have the same value: a dword that a narrower constant becomes.
    Value,
    /// All read the same dword, be it a constant.
    Scalar,
    /// Dwords follow each other.
    Dense,
    /// Elements so many bytes apart.
    Strided(Element, u16),
    /// As the op says.
    Listed(Element),
}

/// What an element becomes a dword from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Zero-extended.
    U8,
    /// Sign-extended.
    S8,
    /// Zero-extended.
    U16,
    /// Sign-extended.
    S16,
    /// As it is.
    Dword,
}

impl Element {
    /// The element of a type, with the sign of the type.
    pub fn of(ty: Type) -> Option<Element> {
        Element::sized(ty.bytes(), ty.is_signed())
    }

    /// The element of that many bytes.
    pub fn sized(bytes: u32, signed: bool) -> Option<Element> {
        Some(match (bytes, signed) {
            (1, false) => Element::U8,
            (1, true) => Element::S8,
            (2, false) => Element::U16,
            (2, true) => Element::S16,
            (4, _) => Element::Dword,
            _ => return None,
        })
    }

    /// Bytes of it.
    pub const fn bytes(self) -> usize {
        match self {
            Element::U8 | Element::S8 => 1,
            Element::U16 | Element::S16 => 2,
            Element::Dword => 4,
        }
    }

    #[inline]
    pub(super) fn get(self, arena: &[u8], at: usize) -> u32 {
        match self {
            Element::U8 => u32::from(arena[at]),
            Element::S8 => arena[at] as i8 as u32,
            Element::U16 => u32::from(u16::from_le_bytes([arena[at], arena[at + 1]])),
            Element::S16 => i16::from_le_bytes([arena[at], arena[at + 1]]) as u32,
            Element::Dword => dword(arena, at),
        }
    }
}

/// A destination, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// Dwords that follow each other.
    Dense(u32),
    /// Elements of this many bytes, so many bytes apart.
    Strided { at: u32, bytes: u8, stride: u16 },
    /// As the op says.
    Listed(u8),
    /// Bits of the predicate at this offset.
    Flags(u32),
}

impl Operand {
    /// Never read.
    pub const NONE: Operand = Operand {
        at: 0,
        form: OperandShape::Value,
        modifier: None,
        keep: u32::MAX,
        flip: 0,
        minus: 0,
        in_rows: true,
    };

    /// A predicate, which whoever takes it reads as a whole.
    pub const fn predicate(at: u32) -> Operand {
        Operand {
            at,
            form: OperandShape::Scalar,
            ..Operand::NONE
        }
    }

    /// Where it lies in the arena, unless it is a value.
    pub const fn at(&self) -> u32 {
        self.at
    }

    /// A dword for all lanes as its value, if that is a constant.
    pub fn or_value(self, program: &Program) -> Operand {
        match program.is_constant(self.at) {
            true => Operand {
                at: Element::Dword.get(&program.image, self.at as usize),
                form: OperandShape::Value,
                ..self
            },
            false => self,
        }
    }

    /// The same, if its lanes are listed, as the one of this number.
    pub const fn numbered(self, k: usize) -> Operand {
        match self.form {
            OperandShape::Listed(_) => Operand {
                at: k as u32,
                ..self
            },
            _ => self,
        }
    }

    /// Decodes a source for a loop of `lanes` lanes; `None` if its elements are wider than a dword or the
    /// loop would read outside the arena.
    pub fn new(
        program: &Program,
        source: &Source,
        element: Element,
        lanes: usize,
    ) -> Option<Operand> {
        let end = program.image.len();
        let fits = |at: u32, stride: u32| {
            at as usize + stride as usize * (lanes - 1) + element.bytes() <= end
        };
        let (at, form) = match source.region {
            Region::Scalar(at) if fits(at, 0) => {
                if element == Element::Dword {
                    (at, OperandShape::Scalar)
                } else if program.is_constant(at) {
                    (
                        element.get(&program.image, at as usize),
                        OperandShape::Value,
                    )
                } else {
                    (at, OperandShape::Strided(element, 0))
                }
            }
            Region::Dense(at) if fits(at, element.bytes() as u32) => match element {
                Element::Dword => (at, OperandShape::Dense),
                _ => (at, OperandShape::Strided(element, element.bytes() as u16)),
            },
            Region::Strided { offset, stride } if stride <= 256 && fits(offset, stride) => {
                (offset, OperandShape::Strided(element, stride as u16))
            }
            Region::List(_) | Region::Indirect(_) => (0, OperandShape::Listed(element)),
            _ => return None,
        };
        // What has no sign is its own absolute value.
        let unsigned = source.ty.is_integer() && !source.ty.is_signed();
        let modifier = match source.modifier {
            Some(Modifier::Abs) if unsigned => None,
            Some(Modifier::NegAbs) if unsigned => Some(Modifier::Neg),
            modifier => modifier,
        };
        let float = source.ty.is_float();
        let sign = 1 << 31;
        let (keep, flip, minus) = match modifier {
            None => (u32::MAX, 0, 0),
            Some(Modifier::Not) if float => (u32::MAX, 0, 0),
            Some(Modifier::Not) => (u32::MAX, u32::MAX, 0),
            Some(Modifier::Neg) if float => (u32::MAX, sign, 0),
            Some(Modifier::Neg) => (u32::MAX, u32::MAX, u32::MAX),
            // Integers are asked for their sign.
            Some(Modifier::Abs) => (!sign, 0, 0),
            Some(Modifier::NegAbs) => (!sign, sign, 0),
        };
        let walks = matches!(form, OperandShape::Strided(..) | OperandShape::Listed(_));
        Some(Operand {
            at,
            form,
            modifier,
            keep,
            flip,
            minus,
            in_rows: !walks && (float || keep == u32::MAX),
        })
    }
}

impl Put {
    /// Where dwords go that follow each other.
    #[inline(always)]
    pub(super) const fn first(self) -> usize {
        match self {
            Put::Dense(at) => at as usize,
            _ => 0,
        }
    }

    /// Decodes a destination for a loop of `lanes` lanes; `None` as for sources.
    pub fn new(program: &Program, dst: &Dest, lanes: usize) -> Option<Put> {
        let bytes = dst.ty.bytes();
        if bytes > 4 {
            return None;
        }
        let end = program.image.len();
        let fits = |at: u32, stride: u32| {
            at as usize + stride as usize * (lanes - 1) + bytes as usize <= end
        };
        Some(match dst.region {
            Region::Dense(at) if bytes == 4 && fits(at, 4) => Put::Dense(at),
            Region::Dense(at) if fits(at, bytes) => Put::Strided {
                at,
                bytes: bytes as u8,
                stride: bytes as u16,
            },
            Region::Strided { offset, stride } if stride <= 256 && fits(offset, stride) => {
                Put::Strided {
                    at: offset,
                    bytes: bytes as u8,
                    stride: stride as u16,
                }
            }
            Region::List(_) | Region::Indirect(_) => Put::Listed(bytes as u8),
            _ => return None,
        })
    }
}

/// Whether kernels that know their operands beforehand serve these: dwords that follow each other or one value for all
/// lanes, without a modifier, and a destination of dwords that follow each other or of a predicate.
pub fn are_plain(sources: &[Operand], dst: Put) -> bool {
    matches!(dst, Put::Dense(_) | Put::Flags(_)) && sources.iter().all(Operand::is_plain)
}
