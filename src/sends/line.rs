//! An instruction as data, and its canonical text.

use crate::isa::{Condition, Opcode, Type};
use crate::message::Sfid;
use crate::source::Spanned;
use std::fmt::{self, Display, Formatter};

/// General registers.
pub const GENERAL: u32 = 128;
/// Message registers.
pub const MESSAGE: u32 = 16;
/// Bytes of a register.
pub const REGISTER: u32 = 32;

/// Mnemonics of the instructions that compute, with their number of sources.
pub const ALU: &[(&str, Opcode, usize)] = &[
    ("mov", Opcode::Mov, 1),
    ("not", Opcode::Not, 1),
    ("add", Opcode::Add, 2),
    ("mul", Opcode::Mul, 2),
    ("avg", Opcode::Avg, 2),
    ("and", Opcode::And, 2),
    ("or", Opcode::Or, 2),
    ("xor", Opcode::Xor, 2),
    ("shl", Opcode::Shl, 2),
    ("shr", Opcode::Shr, 2),
    ("asr", Opcode::Asr, 2),
    ("sel", Opcode::Sel, 2),
];

/// Conditions as the execution unit's manual spells them.
pub const CONDITIONS: &[(&str, Condition)] = &[
    ("e", Condition::Eq),
    ("ne", Condition::Ne),
    ("g", Condition::Gt),
    ("ge", Condition::Ge),
    ("l", Condition::Lt),
    ("le", Condition::Le),
];

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// r0 to r127.
    General,
    /// m0 to m15.
    Message,
}

/// A place in a register file; `sub` counts elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Which file.
    pub file: File,
    /// Number.
    pub number: u32,
    /// Element in it.
    pub sub: u32,
}

/// Where an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dst {
    /// Nowhere.
    Null,
    /// a0.0.
    Address,
    /// cr0.0, whose bit 0 is the float mode: 1 ALT.
    Control,
    /// Elements `stride` apart.
    Register {
        /// The first.
        at: Register,
        /// 1, 2 or 4.
        stride: u32,
    },
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    /// A region `<v;w,h>`.
    Register {
        /// The first element.
        at: Register,
        /// Rows, width, elements: `<v;w,h>`.
        region: (u32, u32, u32),
        /// `-`.
        negate: bool,
        /// `(abs)`.
        abs: bool,
    },
    /// cr0.0.
    Control,
    /// A number, as the bits of its type.
    Immediate(u64),
}

/// The predicate f0.0 in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// `-f0.0`.
    pub inverted: bool,
}

/// The second word of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// In the text.
    Known(u32),
    /// In a0.0.
    Address,
}

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Computes each element.
    Alu {
        /// What.
        opcode: Opcode,
        /// `.sat`.
        saturate: bool,
        /// Where to, and the type.
        dst: (Dst, Type),
        /// Where from, and the types; the second counts only if the instruction has two.
        src: [(Src, Type); 2],
        /// One or two.
        sources: usize,
    },
    /// Sets f0.0.
    Compare {
        /// The relation.
        condition: Condition,
        /// Both sides.
        src: [(Src, Type); 2],
    },
    /// Sends a message.
    Send(Send),
    /// Nothing.
    Nop,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// Where the answer goes.
    pub dst: Option<u32>,
    /// The first message register.
    pub message: u32,
    /// The general register that moves into it first.
    pub implied: Option<u32>,
    /// Who receives it.
    pub receiver: Sfid,
    /// Lengths and control.
    pub descriptor: Descriptor,
    /// The thread ends.
    pub eot: bool,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The predicate.
    pub predicate: Option<Predicate>,
    /// Channels: 1, 2, 4, 8, 16.
    pub lanes: u32,
    /// What it does.
    pub action: Action,
    /// `{NoMask}`.
    pub no_mask: bool,
}

/// A line of a program.
pub type Line = Spanned<Instruction>;

impl Display for Register {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let letter = match self.file {
            File::General => 'r',
            File::Message => 'm',
        };
        write!(f, "{letter}{}", self.number)?;
        if self.sub > 0 {
            write!(f, ".{}", self.sub)?;
        }
        Ok(())
    }
}

impl Display for Dst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Dst::Null => f.write_str("null"),
            Dst::Address => f.write_str("a0.0"),
            Dst::Control => f.write_str("cr0.0"),
            Dst::Register { at, stride } => write!(f, "{at}<{stride}>"),
        }
    }
}

/// A number of a type, in a form that reads back as the same bits.
fn number(f: &mut Formatter<'_>, bits: u64, ty: Type) -> fmt::Result {
    if ty == Type::F {
        let value = f32::from_bits(bits as u32);
        // Hexadecimal digits are the bits of a float: signs of zero and NaNs survive.
        return if value.is_finite() && (value != 0.0 || bits == 0) {
            write!(f, "{value:?}")
        } else {
            write!(f, "{bits:#x}")
        };
    }
    let spare = 64 - 8 * ty.bytes();
    let value = ((bits << spare) as i64) >> spare;
    if ty.is_signed() && value < 0 {
        write!(f, "{value}")
    } else {
        write!(f, "{bits:#x}")
    }
}

struct Typed<T>(T, Type);

impl Display for Typed<Src> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Typed(src, ty) = self;
        match *src {
            Src::Control => f.write_str("cr0.0")?,
            Src::Immediate(bits) => number(f, bits, *ty)?,
            Src::Register {
                at,
                region: (v, w, h),
                negate,
                abs,
            } => {
                if negate {
                    f.write_str("-")?;
                }
                if abs {
                    f.write_str("(abs)")?;
                }
                write!(f, "{at}<{v};{w},{h}>")?;
            }
        }
        write!(f, ":{ty}")
    }
}

impl Display for Send {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.dst {
            Some(dst) => write!(f, "r{dst}")?,
            None => f.write_str("null")?,
        }
        write!(f, " m{} ", self.message)?;
        match self.implied {
            Some(implied) => write!(f, "r{implied}")?,
            None => f.write_str("null")?,
        }
        write!(f, " {} ", self.receiver.suffix())?;
        match self.descriptor {
            Descriptor::Known(word) => write!(f, "{word:#010x}"),
            Descriptor::Address => f.write_str("a0.0"),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(predicate) = self.predicate {
            let sign = if predicate.inverted { "-" } else { "" };
            write!(f, "({sign}f0.0) ")?;
        }
        let lanes = self.lanes;
        let eot = match &self.action {
            Action::Nop => return f.write_str("nop"),
            Action::Alu {
                opcode,
                saturate,
                dst: (dst, ty),
                src,
                sources,
            } => {
                let name = ALU.iter().find(|row| row.1 == *opcode);
                let name = name.map_or("?", |row| row.0);
                let sat = if *saturate { ".sat" } else { "" };
                write!(f, "{name}{sat} ({lanes}) {dst}:{ty}")?;
                for (src, ty) in src.iter().take(*sources) {
                    write!(f, " {}", Typed(*src, *ty))?;
                }
                false
            }
            Action::Compare { condition, src } => {
                let name = CONDITIONS.iter().find(|row| row.1 == *condition);
                let name = name.map_or("?", |row| row.0);
                write!(f, "cmp.{name}.f0.0 ({lanes}) null")?;
                for (src, ty) in src {
                    write!(f, " {}", Typed(*src, *ty))?;
                }
                false
            }
            Action::Send(send) => {
                write!(f, "send ({lanes}) {send}")?;
                send.eot
            }
        };
        match (self.no_mask, eot) {
            (false, false) => Ok(()),
            (true, false) => f.write_str(" {NoMask}"),
            (false, true) => f.write_str(" {EOT}"),
            (true, true) => f.write_str(" {NoMask, EOT}"),
        }
    }
}
