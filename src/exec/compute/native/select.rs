//! From an op to what code is made of it: as [`decoded`](super::super::decoded) chooses its functions, in terms of
//! instructions. What is not selected is left to the steps.

use super::super::decoded::choose::{held, rotates_dwords, shifted};
use super::super::decoded::operand::{Element, Operand, OperandShape, Put};
use super::assembler::Len;
use super::emit::length;
use super::strides::rows_of_qwords;
use super::through::Through;
use crate::exec::state::arena::room;
use crate::isa::{Condition, Modifier, Opcode, Type};
use crate::program::{Alu, CompareDest, Guard, Lanes, Op, Program, Region, Source};

/// An op that computes, selected.
pub struct Inst {
    /// What it does.
    pub work: Work,
    /// Which lanes.
    pub lanes: Lanes,
    /// The predicate; that of `sel` chooses.
    pub guard: Option<Guard>,
    /// Where values come from.
    pub src: Vec<Operand>,
    /// Sources are halves, which become singles.
    pub halves: bool,
    /// Where results go.
    pub dst: Put,
    /// For each source where its lanes lie, if they do so anywhere; empty if none does.
    pub through: Vec<Option<Through>>,
    /// The same of the destination.
    pub into: Option<Through>,
    /// Where the second results go, of those that have two: dwords that follow each other, beside the first.
    pub second: Option<Put>,
}

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Nothing.
    Nothing,
    /// Arithmetic of singles, and whether it saturates.
    Single(Opcode, bool),
    /// Integers of up to 32 bits.
    Dword(Opcode),
    /// The upper halves of products, and which sources are signed.
    High([bool; 2]),
    /// `dp4a`, and which of the sources that are multiplied are signed.
    Dots([bool; 2]),
    /// `div` or `mod` of integers, and which sources are signed.
    Divide(Opcode, [bool; 2]),
    /// Bits that are counted, found or reversed, and whether the source is signed.
    Bits(Opcode, bool),
    /// `addc`, `subb`, `madw`, and which sources are signed.
    Pair(Opcode, [bool; 3]),
    /// `min`, `max` of what unsigned dwords hold.
    Unsigned(Opcode),
    /// A move of integers, or integers of up to 32 bits, that becomes the nearest of this type; whether what it is before
    /// that is a signed dword.
    Clamped(Opcode, bool, Type),
    /// `bfn` of this function.
    Boolean(u8),
    /// `sel`.
    Select,
    /// The same of singles, some of which have modifiers.
    SelectSingle,
    /// A move of integers.
    Move,
    /// A move of singles with a modifier or `.sat`.
    Modified(bool),
    /// Arithmetic of halves, or a move with a modifier or `.sat`, and whether it saturates.
    Half(Opcode, bool),
    /// Singles to halves, and whether they saturate.
    ToHalf(bool),
    /// Integers to halves.
    IntegerToHalf { signed: bool },
    /// Integers to singles.
    ToSingle { signed: bool },
    /// Singles to integers of this type.
    FromSingle(Type),
    /// `cmp` of singles.
    CompareSingle(Condition),
    /// `cmp` of what signed dwords hold.
    CompareSigned(Condition),
    /// The same, where the second one has a modifier: of the least dword it makes one more than the greatest.
    CompareBeyond(Condition),
    /// `cmp` of what unsigned dwords hold.
    CompareUnsigned(Condition),
    /// `setp`: bits of a single value, whatever lanes run.
    SetBits,
    /// The same: the lowest bit of each element.
    LowBits,
    /// Logic of the predicates at these offsets.
    Predicates(Opcode, [u32; 2]),
}

/// Selects an op, if there is code for it.
pub fn select(program: &Program, op: &Op) -> Option<Inst> {
    let inst = match op {
        Op::Nothing | Op::Lifetime(_) => Inst::nothing(),
        Op::Alu(alu) => computed(program, alu)?,
        Op::Compare {
            relation,
            lanes,
            dst,
            src,
        } => compared(program, *relation, *lanes, dst, src)?,
        Op::SetPredicate {
            lanes,
            dst,
            src,
            scalar,
        } => set(program, (*lanes, *dst), src, *scalar)?,
        Op::PredicateLogic {
            opcode,
            lanes,
            dst,
            src,
        } => Inst {
            work: Work::Predicates(*opcode, *src),
            lanes: *lanes,
            guard: None,
            src: Vec::new(),
            halves: false,
            through: Vec::new(),
            into: None,
            dst: Put::Flags(*dst),
            second: None,
        },
        _ => return None,
    };
    inst.is_encodable(program).then_some(inst)
}

/// Sources as dwords; `None` if one is not such a thing.
fn operands(
    program: &Program,
    src: &[Source],
    count: u8,
    element: impl Fn(usize, &Source) -> Option<Element>,
) -> Option<Vec<Operand>> {
    let sources = src.iter().enumerate();
    sources
        .map(|(k, s)| {
            let operand = Operand::new(program, s, element(k, s)?, usize::from(count))?;
            Some(operand.numbered(k))
        })
        .collect()
}

fn computed(program: &Program, alu: &Alu) -> Option<Inst> {
    if alu.overflow.is_some() || alu.opcode == Opcode::Fcvt {
        return None;
    }
    let takes_bits = matches!(alu.opcode, Opcode::Mov | Opcode::Sel) && !alu.saturate;
    let low: Vec<Source>;
    let src = match takes_bits && alu.dst.ty.is_integer() {
        true => {
            low = low_dwords(&alu.src, alu.lanes.count);
            &low[..]
        }
        false => &alu.src[..],
    };
    let (ty, count) = (alu.dst.ty, alu.lanes.count);
    let floats = ty.is_float() || src.iter().any(|s| s.ty.is_float());
    let dst = Put::new(program, &alu.dst, usize::from(count))?;
    let second = match &alu.dst2 {
        Some(second) => Some(beside(
            dst,
            Put::new(program, second, usize::from(count))?,
            count,
        )?),
        None => None,
    };
    let own = |_: usize, s: &Source| Element::of(s.ty);
    let mut sources = None;
    let work = match alu.opcode {
        Opcode::Mov => moved(alu)?,
        Opcode::Sel if !alu.saturate => {
            let bits = src.iter().all(|s| s.ty == ty && s.modifier.is_none());
            let singles = ty == Type::F && src.iter().all(|s| s.ty == Type::F);
            match floats && !bits {
                true => singles.then_some(Work::SelectSingle)?,
                false => Work::Select,
            }
        }
        opcode if floats => {
            let all = src.iter().all(|s| s.ty == ty);
            match ty {
                Type::F if all && is_computed(opcode) => Work::Single(opcode, alu.saturate),
                Type::Hf if all && opcode != Opcode::Lrp && is_computed(opcode) => {
                    Work::Half(opcode, alu.saturate)
                }
                _ => return None,
            }
        }
        Opcode::Bfn if !alu.saturate => Work::Boolean(alu.function),
        opcode => {
            let element = |k: usize, source: &Source| match (opcode, k) {
                (Opcode::Shr | Opcode::Cbit | Opcode::Fbl, 0) => shifted(source, false),
                (Opcode::Asr, 0) => shifted(source, true),
                _ => Element::of(source.ty),
            };
            sources = Some(operands(program, src, count, element)?);
            match alu.saturate {
                true => clamped(opcode, src, ty)?,
                false => integers(opcode, src)?,
            }
        }
    };
    let mut sources = match sources {
        Some(sources) => sources,
        None => operands(program, src, count, own)?,
    };
    // Where a dword was copied from is kept in mind.
    if alu.opcode != Opcode::Mov {
        for source in &mut sources {
            if let OperandShape::Scalar = source.form {
                *source = source.or_value(program);
            }
        }
    }
    let is_zero =
        |s: &&Operand| s.form == OperandShape::Value && s.at() == 0 && s.modifier.is_none();
    let (work, src) = match (work, sources.iter().find(is_zero)) {
        // Compilers multiply by the upper half of each number, be it zero.
        (Work::Dword(Opcode::Mul), Some(&zero)) => {
            sources = vec![zero];
            (Work::Move, &src[..0])
        }
        (work, _) => (work, src),
    };
    Some(Inst {
        work,
        halves: work.reads_floats() && src.iter().all(|s| s.ty == Type::Hf),
        lanes: alu.lanes,
        guard: alu.guard,
        src: sources,
        through: Through::all(program, src),
        into: Through::of(program, &alu.dst.region, ty.bytes()),
        dst,
        second,
    })
}

/// Where second results go, if both are dwords that follow each other and have no byte in common.
fn beside(first: Put, second: Put, lanes: u8) -> Option<Put> {
    let (Put::Dense(a), Put::Dense(b)) = (first, second) else {
        return None;
    };
    (a.abs_diff(b) >= 4 * u32::from(lanes)).then_some(second)
}

/// The low halves of qwords, which are all of them that a narrower integer takes, and other sources.
fn low_dwords(src: &[Source], lanes: u8) -> Vec<Source> {
    let low = |source: &Source| {
        if !matches!(source.ty, Type::Q | Type::Uq) || source.modifier.is_some() {
            return None;
        }
        let region = match source.region {
            Region::Scalar(at) => Region::Scalar(at),
            Region::Dense(at) if lanes == 1 => Region::Scalar(at),
            Region::Dense(offset) => Region::Strided { offset, stride: 8 },
            _ => return None,
        };
        Some(Source {
            region,
            ty: Type::Ud,
            modifier: None,
        })
    };
    let all = src.iter();
    all.map(|source| low(source).unwrap_or_else(|| source.clone()))
        .collect()
}

/// Whether singles and halves are computed with it.
const fn is_computed(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Add | Mul
            | Mad
            | Lrp
            | Min
            | Max
            | Frc
            | Rndd
            | Rndu
            | Rnde
            | Rndz
            | Inv
            | Invm
            | Div
            | Divm
            | Sqrt
            | Sqrtm
            | Rsqrt
            | Rsqtm
            | Exp
            | Log
            | Pow
            | Sin
            | Cos
    )
}

impl Work {
    /// Whether it takes sources for floats, not for bits.
    const fn reads_floats(self) -> bool {
        matches!(
            self,
            Work::Single(..)
                | Work::Half(..)
                | Work::Modified(_)
                | Work::FromSingle(_)
                | Work::ToHalf(_)
                | Work::CompareSingle(_)
        )
    }
}

fn integers(opcode: Opcode, src: &[Source]) -> Option<Work> {
    use Opcode::*;
    Some(match opcode {
        Add | Add3 | Mul | Mad | And | Or | Xor | Not | Shl | Shr | Asr => Work::Dword(opcode),
        Rol | Ror if rotates_dwords(src) => Work::Dword(opcode),
        Min | Max if src.iter().all(|s| held(s).signed) => Work::Dword(opcode),
        Min | Max if src.iter().all(|s| held(s).unsigned) => Work::Unsigned(opcode),
        // Of narrower elements with a modifier the bits above do not count.
        Cbit | Fbl if src[0].ty.bytes() < 4 && src[0].modifier.is_some() => return None,
        Cbit | Fbl | Fbh | Lzd | Bfrev => Work::Bits(opcode, src[0].ty.is_signed()),
        Dp4a => Work::Dots([src[1].ty.is_signed(), src[2].ty.is_signed()]),
        Mulh => Work::High([signed(&src[0])?, signed(&src[1])?]),
        Div | Mod => Work::Divide(opcode, [signed(&src[0])?, signed(&src[1])?]),
        // Whatever is above the low bits does not count.
        Addc | Subb => Work::Pair(opcode, [false; 3]),
        Madw => Work::Pair(
            opcode,
            [signed(&src[0])?, signed(&src[1])?, signed(&src[2])?],
        ),
        _ => return None,
    })
}

/// Integers with `.sat`, where the exact result is a dword.
fn clamped(opcode: Opcode, src: &[Source], ty: Type) -> Option<Work> {
    use Opcode::*;
    let signed = match opcode {
        Mov if src[0].ty.bytes() < 8 => signed(&src[0])?,
        Asr => true,
        Shr => false,
        Add | Add3 | Mul | Mad => (greatest(opcode, src)? <= i32::MAX.into()).then_some(true)?,
        _ => return None,
    };
    Some(Work::Clamped(opcode, signed, ty))
}

/// No result is further from zero.
fn greatest(opcode: Opcode, src: &[Source]) -> Option<i64> {
    let own = |s: &Source| {
        let bits = 8 * s.ty.bytes() - u32::from(s.ty.is_signed());
        (s.ty.bytes() < 4).then_some(1i64 << bits)
    };
    let all: Option<Vec<i64>> = src.iter().map(own).collect();
    Some(match (opcode, all?.as_slice()) {
        (Opcode::Mul, [a, b]) => a * b,
        (Opcode::Mad, [a, b, c]) => a * b + c,
        (_, all) => all.iter().sum(),
    })
}

/// Whether the values of a source are signed dwords; `None` if they are not unsigned ones either.
fn signed(source: &Source) -> Option<bool> {
    let held = held(source);
    (held.signed || held.unsigned).then_some(held.signed)
}

/// `mov`. Source: vISA text reference 6.1.
fn moved(alu: &Alu) -> Option<Work> {
    let [source] = &alu.src[..] else {
        return None;
    };
    let (from, to) = (source.ty, alu.dst.ty);
    let bare = source.modifier.is_none() && !alu.saturate;
    if bare && from == to || from.is_integer() && to.is_integer() && !alu.saturate {
        return Some(Work::Move);
    }
    let narrow = matches!(
        to,
        Type::D | Type::Ud | Type::W | Type::Uw | Type::B | Type::Ub
    );
    match (from, to) {
        _ if from.is_integer() && to.is_integer() => clamped(Opcode::Mov, &alu.src, to),
        (Type::F | Type::Hf, Type::F) => Some(Work::Modified(alu.saturate)),
        (Type::F, Type::Hf) => Some(Work::ToHalf(alu.saturate)),
        (Type::Hf, Type::Hf) => Some(Work::Half(Opcode::Mov, alu.saturate)),
        // What does not fit becomes the nearest that does, with `.sat` or without.
        (Type::F | Type::Hf, _) if narrow => Some(Work::FromSingle(to)),
        _ if alu.saturate => None,
        (_, Type::F) if from.is_integer() => {
            let signed = signed(source).or(is_beyond(source).then_some(true))?;
            Some(Work::ToSingle { signed })
        }
        (_, Type::Hf) if from.is_integer() => {
            signed(source).map(|signed| Work::IntegerToHalf { signed })
        }
        _ => None,
    }
}

fn compared(
    program: &Program,
    relation: Condition,
    lanes: Lanes,
    dst: &CompareDest,
    src: &[Source; 2],
) -> Option<Inst> {
    let count = lanes.count;
    let halves = src.iter().all(|s| s.ty == Type::Hf);
    let work = if halves || src.iter().all(|s| s.ty == Type::F) {
        Work::CompareSingle(relation)
    } else if src.iter().any(|s| s.ty.is_float()) {
        return None;
    } else if src.iter().all(|s| held(s).signed) {
        Work::CompareSigned(relation)
    } else if src.iter().all(|s| held(s).unsigned) {
        Work::CompareUnsigned(relation)
    } else {
        match src {
            [a, b] if held(a).signed && is_beyond(b) => Work::CompareBeyond(relation),
            [a, b] if held(b).signed && is_beyond(a) => {
                let other = [b.clone(), a.clone()];
                return compared(program, relation.exchanged(), lanes, dst, &other);
            }
            _ => return None,
        }
    };
    Some(Inst {
        work,
        lanes,
        guard: None,
        src: operands(program, src, count, |_, s| Element::of(s.ty))?,
        halves,
        through: Through::all(program, src),
        into: match dst {
            CompareDest::Predicate(_) => None,
            CompareDest::General(dst) => Through::of(program, &dst.region, dst.ty.bytes()),
        },
        dst: match dst {
            CompareDest::Predicate(at) => Put::Flags(*at),
            CompareDest::General(dst) => Put::new(program, dst, usize::from(count))?,
        },
        second: None,
    })
}

/// Whether a source is a signed dword but for 2^31, which its modifier makes of the least one.
fn is_beyond(source: &Source) -> bool {
    let modifier = source.modifier;
    source.ty == Type::D && matches!(modifier, Some(Modifier::Neg | Modifier::Abs))
}

/// `setp`. Source: vISA text reference 5.2.
fn set(
    program: &Program,
    (lanes, dst): (Lanes, u32),
    source: &Source,
    scalar: bool,
) -> Option<Inst> {
    let element = Element::of(source.ty).filter(|_| source.ty.is_integer())?;
    if scalar && source.modifier.is_some() {
        return None;
    }
    let mut operand = Operand::new(program, source, element, usize::from(lanes.count))?;
    if operand.form == OperandShape::Scalar && operand.modifier.is_none() {
        operand = operand.or_value(program);
    }
    Some(Inst {
        work: if scalar { Work::SetBits } else { Work::LowBits },
        lanes: Lanes {
            no_mask: lanes.no_mask || scalar,
            ..lanes
        },
        guard: None,
        src: vec![operand],
        halves: false,
        through: Vec::new(),
        into: None,
        dst: Put::Flags(dst),
        second: None,
    })
}

/// The kind of bytes that an instruction touches: those that are touched in one way alone may live in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A dword for each of so many lanes.
    Row(u8),
    /// A byte or word for each of so many lanes, side by side. In a register each is the low part of a dword.
    Packed(u8),
    /// A dword that all lanes have.
    Each,
    /// A qword that all lanes have.
    EachQword,
    /// Anything else.
    Other,
}

/// Bytes of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes {
    pub at: u32,
    pub len: u32,
    pub kind: Kind,
}

impl Bytes {
    /// The dwords of 16 lanes at most, those of a half, of a register that begins at `at`.
    pub fn row_of(lanes: Lanes, at: u32, half: u8) -> Bytes {
        let lanes = lanes.count.min(16);
        Bytes {
            at: at + 64 * u32::from(half),
            len: 4 * u32::from(lanes),
            kind: match lanes {
                // A register would have its neighbours, too.
                1 => Kind::Other,
                lanes => Kind::Row(lanes),
            },
        }
    }

    /// A single dword.
    pub const fn one(at: u32) -> Bytes {
        Bytes {
            at,
            len: 4,
            kind: Kind::Each,
        }
    }

    /// A single qword.
    pub const fn one_qword(at: u32) -> Bytes {
        Bytes {
            at,
            len: 8,
            kind: Kind::EachQword,
        }
    }

    /// The register length that they need.
    pub const fn register(self) -> Len {
        match (self.kind, self.len) {
            (Kind::Packed(lanes), _) => length(lanes),
            (_, 64..) => Len::Z,
            (_, 32..=63) => Len::Y,
            _ => Len::X,
        }
    }

    pub const fn overlaps(self, other: Bytes) -> bool {
        self.at < other.at + other.len && other.at < self.at + self.len
    }
}

impl Inst {
    /// One that does nothing.
    pub const fn nothing() -> Inst {
        Inst {
            work: Work::Nothing,
            lanes: Lanes {
                count: 1,
                offset: 0,
                no_mask: true,
            },
            guard: None,
            src: Vec::new(),
            halves: false,
            through: Vec::new(),
            into: None,
            dst: Put::Flags(0),
            second: None,
        }
    }

    /// What becomes of the second results, if it has two.
    pub fn second(&self) -> Option<Inst> {
        self.second.map(|dst| Inst {
            work: self.work,
            lanes: self.lanes,
            guard: self.guard,
            src: Vec::new(),
            halves: false,
            dst,
            through: Vec::new(),
            into: None,
            second: None,
        })
    }

    /// Whether its code rounds once, as the op does, or not at all.
    pub fn follows_rounding(&self) -> bool {
        use Opcode::*;
        match self.work {
            Work::Single(opcode, _) => {
                let choice = matches!(opcode, Min | Max | Rndd | Rndu | Rnde | Rndz);
                let sum = matches!(opcode, Add | Mul | Mad);
                let root = matches!(opcode, Inv | Invm | Div | Divm | Sqrt | Sqrtm);
                !self.halves && (choice || sum || root)
            }
            Work::Half(..) | Work::ToHalf(_) | Work::IntegerToHalf { .. } => false,
            _ => !self.halves,
        }
    }

    /// Lanes of a row: all that a register holds, or all that there are.
    pub fn row(&self) -> u8 {
        self.lanes.count.min(16)
    }

    /// How many rows there are.
    pub const fn rows(&self) -> u8 {
        self.lanes.count.div_ceil(16)
    }

    /// Whether it runs on one lane that is always on: then all lanes of a register have its result.
    pub const fn is_uniform(&self) -> bool {
        self.lanes.count == 1 && self.lanes.no_mask && self.guard.is_none()
    }

    /// The dwords of row `r` of a source, or what it takes to make them.
    pub fn read(&self, operand: &Operand, r: u8) -> Option<Bytes> {
        let (lanes, at) = (u32::from(self.row()), operand.at());
        let first = 16 * u32::from(r);
        let each = Bytes {
            at,
            len: 4,
            kind: Kind::Each,
        };
        Some(match operand.form {
            OperandShape::Value => return None,
            OperandShape::Scalar => each,
            OperandShape::Dense if self.lanes.count == 1 => each,
            OperandShape::Dense => Bytes {
                at: at + 4 * first,
                len: 4 * lanes,
                kind: Kind::Row(self.row()),
            },
            OperandShape::Strided(element, stride) => {
                let size = element.bytes() as u32;
                self.bytes_of((size, stride.into()), at, r)
            }
            OperandShape::Listed(_) => self.listed(operand)?.bytes(),
        })
    }

    /// The bytes of row `r` of the destination.
    pub fn written(&self, r: u8) -> Bytes {
        let lanes = u32::from(self.row());
        let first = 16 * u32::from(r);
        match self.dst {
            Put::Flags(at) => Bytes {
                at,
                len: 4,
                kind: Kind::Other,
            },
            Put::Dense(at) if self.is_uniform() => Bytes {
                at,
                len: 4,
                kind: Kind::Each,
            },
            Put::Dense(at) => Bytes {
                at: at + 4 * first,
                len: 4 * lanes,
                kind: match self.lanes.count {
                    1 | 2 => Kind::Other,
                    _ => Kind::Row(self.row()),
                },
            },
            Put::Strided { at, bytes, stride } => {
                self.bytes_of((bytes.into(), stride.into()), at, r)
            }
            Put::Listed(_) => match &self.into {
                Some(through) => through.bytes(),
                None => unreachable!("no list is selected without its lanes"),
            },
        }
    }

    /// All bytes of rows and single elements that it reads, then all that it writes.
    pub fn touched(&self) -> [Vec<Bytes>; 2] {
        if self.work == Work::Nothing {
            return [Vec::new(), Vec::new()];
        }
        let rows = 0..self.rows();
        let sources = rows.clone().flat_map(|r| {
            let sources = self.src.iter();
            sources.flat_map(move |operand| self.rows_read(operand, r))
        });
        let mut written: Vec<Bytes> = rows.clone().flat_map(|r| self.rows_written(r)).collect();
        if let Some(second) = self.second() {
            written.extend(rows.clone().map(|r| second.written(r)));
        }
        [sources.chain(self.addresses()).collect(), written]
    }

    /// What is read for row `r` of a source: of halves of qwords the whole ones.
    pub fn rows_read(&self, operand: &Operand, r: u8) -> Vec<Bytes> {
        let read = self.read(operand, r);
        match operand.form {
            OperandShape::Strided(Element::Dword, 8) if self.lanes.count > 2 => {
                self.qwords_around(read).collect()
            }
            _ => read.into_iter().collect(),
        }
    }

    /// What is written for row `r` of the destination: of halves of qwords the whole ones, whose other halves are as they
    /// were.
    pub fn rows_written(&self, r: u8) -> Vec<Bytes> {
        let written = self.written(r);
        match self.dst {
            Put::Strided {
                bytes: 4,
                stride: 8,
                ..
            } if self.lanes.count > 2 => self.qwords_around(Some(written)).collect(),
            _ => vec![written],
        }
    }

    fn qwords_around(&self, halves: Option<Bytes>) -> impl Iterator<Item = Bytes> {
        let len = length(self.row());
        let rows = halves.into_iter();
        let rows = rows.flat_map(move |halves| rows_of_qwords(halves.at, len));
        rows.map(|(row, _)| row)
    }

    /// Where the lanes of a source lie that is listed.
    pub fn listed(&self, operand: &Operand) -> Option<&Through> {
        self.through.get(operand.at() as usize)?.as_ref()
    }

    /// Whether lanes of an operand lie anywhere.
    pub fn has_lists(&self) -> bool {
        self.into.is_some() || self.through.iter().any(Option::is_some)
    }

    /// The address elements that it reads.
    pub fn addresses(&self) -> impl Iterator<Item = Bytes> {
        let all = self.through.iter().chain([&self.into]).flatten();
        all.flat_map(Through::addresses)
    }

    /// Whether there are instructions for its operands, and wide loads and stores stay inside the arena.
    pub fn is_encodable(&self, program: &Program) -> bool {
        if self.lanes.count == 0 || !self.lanes.count.is_power_of_two() {
            return false;
        }
        let end = room(program.image.len()) as u32;
        let count = u32::from(self.lanes.count);
        // Narrow elements are loaded and stored as if they filled a register.
        let wide = |at: u32, stride: u32| match stride {
            0 => at + 4 <= end,
            4 => at + 4 * count.next_multiple_of(4) <= end,
            _ => at + stride * count + 64 <= end,
        };
        let sources = self.src.iter().all(|operand| match operand.form {
            OperandShape::Value => true,
            OperandShape::Scalar => wide(operand.at(), 0),
            OperandShape::Dense => wide(operand.at(), 4),
            OperandShape::Strided(_, stride) => wide(operand.at(), stride.into()),
            OperandShape::Listed(_) => self
                .listed(operand)
                .is_some_and(|t| t.is_inside(count, end)),
        });
        let dst = match self.dst {
            Put::Flags(at) => self.work == Work::Nothing || wide(at, 0),
            Put::Dense(at) => wide(at, 4),
            Put::Strided { at, bytes, stride } => {
                let apart = match count {
                    1 => bytes < 4,
                    _ => stride >= u16::from(bytes),
                };
                apart && wide(at, stride.into())
            }
            Put::Listed(_) => self.into.as_ref().is_some_and(|t| t.is_inside(count, end)),
        };
        let second = self.second().is_none_or(|inst| inst.is_encodable(program));
        sources && dst && second
    }
}
