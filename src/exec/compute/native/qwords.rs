//! Integers of 64 bits, as addresses are, and doubles (`doubles`): eight lanes in a register.
//!
//! What they are is said in [`quads`](super::super::decoded): sources widened by the sign of their type, results modulo
//! 2^64.

use super::super::decoded::operand::{Element, Put};
use super::assembler::{Alu, Gpr, Len, Mask, Reg, Rm, Vector};
use super::emit::{
    BETWEEN, CONDITION, Emitter, MAKING, SELECT_BITS, SOURCE, UNORDERED, predicate_of,
};
use super::integers::{LEFT, RIGHT, RIGHT_SIGNED, UPPER};
use super::order::{Derives, Elements, is_asked};
use super::select::{Bytes, Inst, Kind};
use super::through::Through;
use super::transfer::constant;
use crate::exec::state::arena::room;
use crate::exec::state::float_mode::Rounding;
use crate::isa::{Condition, Modifier, Opcode, Type};
use crate::program::{self, CompareDest, Guard, Lanes, Program, Region, Source};

/// An op on qwords.
pub struct Qwords {
    work: Work,
    pub lanes: Lanes,
    /// The predicate; that of `sel` chooses.
    pub guard: Option<Guard>,
    pub src: Vec<Term>,
    /// Arena offset of the destination.
    dst: u32,
    /// Where results go that are no qwords, instead of there.
    into: Option<Inst>,
}

/// What it does.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    /// Arithmetic, shifts and logic, modulo 2^64.
    Arithmetic(Opcode),
    /// Arithmetic of doubles, and moves to such.
    Double(Opcode),
    /// Moves of integers of 64 bits to doubles, signed or not.
    ToDouble(bool),
    /// Moves of doubles to integers of 64 bits, signed or not.
    Truncated(bool),
    /// Moves of doubles to this type of up to 32 bits, and whether they saturate.
    Narrowed(Type, bool),
    /// `sel`.
    Select,
    /// `cmp` to a predicate, of what a signed qword holds or an unsigned one.
    Compare(Condition, bool),
    /// `cmp` to a predicate, of doubles.
    CompareDouble(Condition),
}

/// A source and its modifier: of integers their sign, of doubles any.
#[derive(Clone, Copy)]
pub struct Term {
    pub quad: Quad,
    pub modifier: Option<Modifier>,
}

/// A source.
#[derive(Clone, Copy)]
pub enum Quad {
    /// This value.
    Value(u64),
    /// A qword of the arena for all lanes.
    Each(u32),
    /// A dword of the arena for all lanes, and what makes a qword of it.
    EachDword(u32, Vector),
    /// Qwords that follow each other.
    Row(u32),
    /// Dwords that follow each other.
    Dwords(u32, Vector),
    /// An element of a byte or a word for all lanes.
    EachNarrow(u32, Element),
    /// The same that follow each other.
    Narrow(u32, Element),
}

/// What an op does whose results are evenly apart if its sources are.
#[derive(Clone, Copy)]
pub enum Sum {
    /// The sum of all.
    Terms,
    /// The first one times this.
    Times(u64),
    /// The first one shifted to the left.
    Shifted(u64),
}

/// Lanes of a register.
const LANES: u32 = 8;

impl Quad {
    fn of(program: &Program, source: &Source, count: u32, double: bool) -> Option<Quad> {
        let (bytes, end) = (source.ty.bytes(), room(program.image.len()) as u32);
        let known = match double {
            true => {
                use Type::*;
                matches!(source.ty, Df | F | D | Ud | Q | Uq)
            }
            false => {
                source.ty.is_integer() && !matches!(source.ty, Type::V | Type::Uv | Type::Bool)
            }
        };
        if !known {
            return None;
        }
        let wide = widening(source.ty, double);
        let one = match source.region {
            Region::Scalar(at) => Some(at),
            Region::Dense(at) if count == 1 => Some(at),
            _ => None,
        };
        if let Some(at) = one {
            return match bytes {
                _ if program.is_constant(at) && !(double && bytes == 4) => {
                    constant(program, at, source.ty).map(Quad::Value)
                }
                8 => Some(Quad::Each(at)),
                4 => Some(Quad::EachDword(at, wide)),
                _ => Element::of(source.ty).map(|element| Quad::EachNarrow(at, element)),
            };
        }
        match source.region {
            // Half a register is bounded as if it were a whole one.
            Region::Dense(at) if at + bytes * count + 64 <= end => match bytes {
                8 => Some(Quad::Row(at)),
                4 => Some(Quad::Dwords(at, wide)),
                _ => Element::of(source.ty).map(|element| Quad::Narrow(at, element)),
            },
            _ => None,
        }
    }

    /// The bytes that lanes from `8 * part` on are made of.
    pub fn read(self, part: u32, count: u32) -> Option<Bytes> {
        let row = |at, len| Bytes {
            at,
            len,
            kind: Kind::Row((len / 4) as u8),
        };
        Some(match self {
            Quad::Value(_) => return None,
            Quad::Each(at) => Bytes::one_qword(at),
            Quad::EachDword(at, _) => Bytes {
                at,
                len: 4,
                kind: Kind::Each,
            },
            Quad::EachNarrow(at, element) => Bytes {
                at,
                len: element.bytes() as u32,
                kind: Kind::Other,
            },
            Quad::Narrow(at, element) => {
                let len = element.bytes() as u32 * LANES;
                Bytes {
                    at: at + len * part,
                    len,
                    kind: Kind::Other,
                }
            }
            Quad::Row(at) => row(at + 64 * part, 64),
            // As dword ops have them: sixteen lanes in a register.
            Quad::Dwords(at, _) => row(at + 64 * (part / 2), 4 * count.min(16)),
        })
    }
}

impl Term {
    fn of(program: &Program, source: &Source, count: u32, double: bool) -> Option<Term> {
        let modifier = source.modifier;
        let known = match modifier {
            None => true,
            Some(_) if double => source.ty.is_float(),
            Some(modifier) => modifier == Modifier::Neg,
        };
        if !known {
            return None;
        }
        let quad = Quad::of(program, source, count, double)?;
        Some(Term { quad, modifier })
    }

    /// The sources of an op of so many lanes.
    fn all(program: &Program, src: &[Source], count: u32, double: bool) -> Option<Vec<Term>> {
        let terms = src.iter().map(|s| Term::of(program, s, count, double));
        terms.collect()
    }
}

/// What makes a qword of a dword.
const fn widening(ty: Type, double: bool) -> Vector {
    match ty {
        Type::F => Vector::CVTPS2PD,
        Type::D if double => Vector::CVTDQ2PD,
        Type::D => Vector::PMOVSXDQ,
        _ if double => Vector::CVTUDQ2PD,
        _ => Vector::PMOVZXDQ,
    }
}

impl Qwords {
    /// A comparison, if there is code for it.
    pub fn compare(
        program: &Program,
        relation: Condition,
        lanes: Lanes,
        dst: &CompareDest,
        src: &[Source; 2],
    ) -> Option<Qwords> {
        let CompareDest::Predicate(dst) = *dst else {
            return None;
        };
        let count = u32::from(lanes.count);
        if src.iter().all(|s| s.ty == Type::Df) && is_whole(count) {
            return Some(Qwords {
                work: Work::CompareDouble(relation),
                lanes,
                guard: None,
                src: Term::all(program, src, count, true)?,
                dst,
                into: None,
            });
        }
        let narrow = |s: &Source| s.ty.bytes() < 8;
        let signed = src.iter().all(|s| narrow(s) || s.ty.is_signed());
        let unsigned = src.iter().all(|s| !s.ty.is_signed());
        let plain = src.iter().all(|s| s.modifier.is_none());
        (plain && (signed || unsigned) && is_whole(count)).then_some(Qwords {
            work: Work::Compare(relation, signed),
            lanes,
            guard: None,
            src: Term::all(program, src, count, false)?,
            dst,
            into: None,
        })
    }

    /// The op, if there is code for it.
    pub fn of(program: &Program, alu: &program::Alu) -> Option<Qwords> {
        let count = u32::from(alu.lanes.count);
        let (Region::Dense(dst) | Region::Scalar(dst)) = alu.dst.region else {
            return None;
        };
        use Opcode::*;
        let modified = alu.src.iter().any(|s| s.modifier.is_some());
        let double = alu.dst.ty == Type::Df;
        let doubles = alu.src.iter().all(|s| s.ty == Type::Df);
        let work = match alu.opcode {
            Mov if double && is_qword(alu.src[0].ty) => Work::ToDouble(alu.src[0].ty.is_signed()),
            Mov if doubles && is_qword(alu.dst.ty) => Work::Truncated(alu.dst.ty.is_signed()),
            Sel if double && doubles && !modified => Work::Select,
            // One with a modifier is arithmetic.
            Mov if double && doubles && modified => return None,
            Mov if double => Work::Double(Mov),
            Add | Mul | Mad | Inv | Invm | Div | Divm | Sqrt | Sqrtm | Min | Max
                if double && doubles =>
            {
                Work::Double(alu.opcode)
            }
            _ if double => return None,
            // The low bits are those of all 64.
            Shr if alu.src[0].ty != Type::Uq => return None,
            Asr if alu.src[0].ty != Type::Q => return None,
            Sel if alu.src.iter().all(|s| s.ty.bytes() == 8) => Work::Select,
            // What a modifier of logic says is another thing.
            And | Or | Xor | Shl | Shr | Asr if modified => return None,
            Mov | Add | Add3 | Mul | Mad | And | Or | Xor | Shl | Shr | Asr => {
                Work::Arithmetic(alu.opcode)
            }
            _ => return None,
        };
        let of_doubles = matches!(work, Work::Truncated(_));
        let plain = alu.dst2.is_none() && alu.overflow.is_none() && !alu.saturate;
        let inside = dst + 8 * count + 64 <= room(program.image.len()) as u32;
        let qwords = double || is_qword(alu.dst.ty);
        if !(plain && is_whole(count) && inside && qwords) {
            return None;
        }
        Some(Qwords {
            work,
            lanes: alu.lanes,
            guard: alu.guard,
            src: Term::all(program, &alu.src, count, double || of_doubles)?,
            dst,
            into: None,
        })
    }

    /// A move of doubles to a type of up to 32 bits, if there is code for it.
    pub fn narrowed(program: &Program, alu: &program::Alu) -> Option<Qwords> {
        let count = alu.lanes.count;
        use Type::*;
        let known = matches!(alu.dst.ty, F | D | Ud | W | Uw | B | Ub) && is_whole(count.into());
        let into = Inst {
            lanes: alu.lanes,
            guard: alu.guard,
            into: Through::of(program, &alu.dst.region, alu.dst.ty.bytes()),
            dst: Put::new(program, &alu.dst, count.into())?,
            ..Inst::nothing()
        };
        (known && into.is_encodable(program)).then_some(Qwords {
            work: Work::Narrowed(alu.dst.ty, alu.saturate),
            lanes: alu.lanes,
            guard: alu.guard,
            src: Term::all(program, &alu.src, count.into(), true)?,
            dst: 0,
            into: Some(into),
        })
    }

    /// Whether its code follows a rounding of the host.
    pub fn follows(&self, rounding: Rounding) -> bool {
        // Away from zero a denormal becomes the least single, or none where denormals are flushed, which is not known here.
        let to_single = matches!(self.work, Work::Narrowed(Type::F, _));
        !to_single || matches!(rounding, Rounding::Nearest | Rounding::Zero)
    }

    /// How the result comes of a source, where all lanes run.
    pub fn derives(&self) -> Option<Derives> {
        let own = |term: &Term| match (term.quad, term.modifier) {
            (Quad::Row(at), None) => Some(at),
            _ => None,
        };
        let in_common = |term: &Term| {
            use Quad::*;
            matches!(
                term.quad,
                Value(_) | Each(_) | EachDword(..) | EachNarrow(..)
            )
        };
        let at = self.src.iter().position(|term| own(term).is_some())?;
        let mut others = (0..self.src.len()).filter(|k| *k != at);
        let plain = self.guard.is_none() && self.into.is_none();
        if !plain || !is_asked(self.lanes.count) || !others.all(|k| in_common(&self.src[k])) {
            return None;
        }
        let shift = match (self.work, &self.src[..]) {
            (Work::Arithmetic(Opcode::Mov | Opcode::Add | Opcode::Add3), _) => 0,
            (Work::Arithmetic(Opcode::Shl), [_, by]) if at == 0 => match by.quad {
                Quad::Value(by) => (by & 63) as u8,
                _ => return None,
            },
            _ => return None,
        };
        Some(Derives {
            to: self.elements(),
            from: Elements::qwords(own(&self.src[at])?, self.lanes),
            shift,
            by: None,
        })
    }

    /// Its results.
    pub fn elements(&self) -> Elements {
        Elements::qwords(self.dst, self.lanes)
    }

    /// What lanes have of its terms that follow each other in the arena, and whether those are narrow.
    pub fn lanes_of_terms(&self) -> impl Iterator<Item = (Option<Elements>, bool)> {
        self.src.iter().filter_map(|term| match term.quad {
            Quad::Row(at) => Some((Some(Elements::qwords(at, self.lanes)), false)),
            Quad::Dwords(at, _) => Some((Some(Elements::dwords(at, self.lanes)), false)),
            Quad::Narrow(..) => Some((None, true)),
            _ => None,
        })
    }

    /// Whether it is a sum of its terms, and by what its first one is multiplied or shifted, if it is not 0.
    pub fn sum(&self) -> Option<(u32, u32)> {
        let number = match self.src.get(1).map(|term| term.quad) {
            Some(Quad::Value(number)) => u32::try_from(number).ok(),
            _ => None,
        };
        match self.work {
            _ if self.into.is_some() => None,
            Work::Arithmetic(Opcode::Mov | Opcode::Add | Opcode::Add3) => Some((0, 0)),
            Work::Arithmetic(Opcode::Mul) => number.map(|by| (by, 0)),
            Work::Arithmetic(Opcode::Shl) => number.map(|by| (0, by)),
            _ => None,
        }
    }

    /// What it does to all lanes of whole rows, if it does no more than that.
    pub fn affine_sum(&self) -> Option<Sum> {
        let by = match self.src.get(1).map(|term| term.quad) {
            Some(Quad::Value(number)) => Some(number),
            _ => None,
        };
        let plain = self.guard.is_none() && self.into.is_none() && self.lanes.count >= 8;
        match self.work {
            _ if !plain => None,
            Work::Arithmetic(Opcode::Mov | Opcode::Add | Opcode::Add3) => Some(Sum::Terms),
            Work::Arithmetic(Opcode::Mul) => by.map(Sum::Times),
            Work::Arithmetic(Opcode::Shl) => by.map(|by| Sum::Shifted(by & 63)),
            _ => None,
        }
    }

    /// Whether it runs on one lane that is always on: then all lanes of a register have its result.
    fn is_uniform(&self) -> bool {
        self.lanes.count == 1 && self.lanes.no_mask && self.guard.is_none()
    }

    /// Whether a source is subtracted from the first one.
    fn subtracts(&self, k: usize) -> bool {
        let sum = self.work == Work::Arithmetic(Opcode::Add);
        sum && k == 1 && self.src[1].modifier.is_some()
    }

    /// Registers of lanes.
    fn parts(&self) -> u32 {
        u32::from(self.lanes.count).div_ceil(LANES)
    }

    /// All bytes that are read.
    pub fn read(&self) -> impl Iterator<Item = Bytes> {
        let count = self.lanes.count.into();
        let parts = 0..self.parts();
        parts.flat_map(move |part| {
            self.src
                .iter()
                .filter_map(move |s| s.quad.read(part, count))
        })
    }

    /// All bytes that are written.
    pub fn written(&self) -> impl Iterator<Item = Bytes> {
        let compares = matches!(self.work, Work::Compare(..) | Work::CompareDouble(_));
        let flags = compares.then_some(Bytes {
            at: self.dst,
            len: 4,
            kind: Kind::Other,
        });
        let narrow = self.into.iter();
        let narrow = narrow.flat_map(|into| (0..into.rows()).flat_map(|r| into.rows_written(r)));
        let whole = flags.is_none() && self.into.is_none();
        let rows = 0..if whole { self.parts() } else { 0 };
        let rows = rows.map(|part| self.row(part));
        flags.into_iter().chain(narrow).chain(rows)
    }

    /// The address elements that it reads.
    pub fn addresses(&self) -> impl Iterator<Item = Bytes> {
        self.into.iter().flat_map(Inst::addresses)
    }

    fn row(&self, part: u32) -> Bytes {
        match self.lanes.count {
            1 => Bytes::one_qword(self.dst),
            _ => Bytes {
                at: self.dst + 64 * part,
                len: 64,
                kind: Kind::Row(16),
            },
        }
    }
}

const fn is_qword(ty: Type) -> bool {
    matches!(ty, Type::Q | Type::Uq)
}

/// Whether so many lanes are whole registers, or one.
const fn is_whole(count: u32) -> bool {
    matches!(count, 1 | 8 | 16 | 32)
}

impl Emitter {
    /// Whether lanes that are off may compute as well, as with [`Emitter::is_for_all`].
    pub fn are_for_all(&self, op: &Qwords) -> bool {
        let plain = matches!(op.work, Work::Arithmetic(_)) && op.guard.is_none();
        plain && (0..op.parts()).all(|part| self.is_local(op.row(part)))
    }

    /// Code for an op on qwords.
    pub fn qwords(&mut self, op: &Qwords) {
        if let Work::Compare(..) | Work::CompareDouble(_) = op.work {
            return self.compare_qwords(op);
        }
        if let (Work::Narrowed(ty, saturate), Some(into)) = (op.work, &op.into) {
            return self.narrow_doubles(op, into, ty, saturate);
        }
        let selects = op.work == Work::Select;
        let masks = match op.is_uniform() || self.are_for_all(op) {
            true => [None; 2],
            false => self.running(op.lanes, op.guard.filter(|_| !selects)),
        };
        self.join_halves(op);
        if selects {
            self.chosen(op.lanes, op.guard);
        }
        let mut targets = Vec::new();
        for part in 0..op.parts() {
            self.keep_sources(op, &targets, part);
            let mask = masks[part as usize / 2];
            let mask = match mask {
                Some(mask) if !part.is_multiple_of(2) => {
                    self.code.upper_mask(CONDITION[1], mask);
                    Some(CONDITION[1])
                }
                mask => mask,
            };
            if selects {
                self.code.load_mask(UNORDERED, Gpr::Rax);
                self.code.shift_right(Gpr::Rax, LANES as u8);
            }
            let own = mask.filter(|_| op.lanes.count > 1);
            let target = self.row_target(op.row(part), Len::Z, own);
            // What some lanes keep is there, and is not to be written over.
            let to = if own.is_some() { BETWEEN[0] } else { target };
            let value = match op.work {
                Work::Double(opcode) => self.double_result(op, opcode, part, mask),
                Work::ToDouble(signed) => self.qwords_to_doubles(op, signed, part),
                Work::Truncated(signed) => self.doubles_to_qwords(op, signed, part),
                _ => self.qword(op, part, to),
            };
            if value != target {
                let to = (target, own.unwrap_or(0), false);
                self.code
                    .masked(Vector::LOAD_QWORDS, Len::Z, to, 0, Rm::Reg(value), None);
            }
            targets.push(target);
        }
        for (part, target) in (0..).zip(targets) {
            match op.lanes.count {
                1 => self.put_one(op, masks[0], target),
                _ => self.put_row(op.row(part), target),
            }
        }
    }

    /// No target is a register of these or of what is read: what is pinned may not change before all parts have read it,
    /// what is held is in the arena once its register is taken.
    pub fn keep_sources(&mut self, op: &Qwords, targets: &Vec<Reg>, part: u32) {
        self.busy.clone_from(targets);
        for bytes in op.read() {
            self.busy.extend(self.pin(bytes));
        }
        for term in &op.src {
            let bytes = term.quad.read(part, op.lanes.count.into());
            let holder = bytes.and_then(|bytes| self.holder(bytes));
            self.busy.extend(holder);
        }
    }

    /// Stores the qword of a single lane.
    fn put_one(&mut self, op: &Qwords, mask: Option<Mask>, value: Reg) {
        let bytes = op.row(0);
        let Some(mask) = mask else {
            // All lanes have it.
            return self.keep(bytes, value);
        };
        self.overwrite(bytes);
        let (from, to) = ((value, mask, false), Rm::Row(bytes.at));
        self.code
            .masked(Vector::STORE_QWORDS, Len::X, from, 0, to, None);
    }

    /// Makes qwords of dwords that were written one by one and are in registers: from the arena they could be loaded only
    /// when both stores have left the core.
    fn join_halves(&mut self, op: &Qwords) {
        self.busy.clear();
        for term in &op.src {
            let Quad::Each(at) = term.quad else { continue };
            let whole = Bytes::one_qword(at);
            let halves = [at, at + 4].map(|at| self.holder(Bytes::one(at)));
            if let ([Some(low), Some(high)], None) = (halves, self.holder(whole)) {
                let joined = self.busy.len();
                self.busy.extend([low, high]);
                let Some(to) = self.take_if_any() else { return };
                self.busy.drain(joined..joined + 2);
                self.code.copy(to, low);
                let upper = Rm::Const64(UPPER);
                self.code
                    .vector_by(Vector::PTERNLOGQ, Len::Z, to, high, upper, SELECT_BITS);
                self.hold(whole, to);
            }
        }
    }

    /// The result of eight lanes: in `to`, or where a source is.
    fn qword(&mut self, op: &Qwords, part: u32, to: Reg) -> Reg {
        if let (Work::Arithmetic(Opcode::Mov), [term]) = (op.work, &op.src[..])
            && term.modifier.is_none()
        {
            let value = self.quad(op, term.quad, part, to);
            return self.qword_in_register(value, to);
        }
        let [mut a, mut b, c] = self.terms(op, part);
        // What all lanes have an instruction can take as its second operand.
        let swaps = match op.work {
            Work::Arithmetic(Opcode::Add) => !op.subtracts(1),
            Work::Arithmetic(opcode) => matches!(
                opcode,
                Opcode::Add3 | Opcode::Mul | Opcode::Mad | Opcode::And | Opcode::Or | Opcode::Xor
            ),
            _ => false,
        };
        if swaps && matches!(b, Rm::Reg(_)) && !matches!(a, Rm::Reg(_)) {
            (a, b) = (b, a);
        }
        let opcode = match op.work {
            Work::Arithmetic(opcode) => opcode,
            _ => {
                let other = self.qword_in_register(b, to);
                self.code.copy(to, other);
                let to = (to, UNORDERED, false);
                let a = Rm::Reg(self.qword_in_register(a, SOURCE[0]));
                self.code
                    .masked(Vector::LOAD_QWORDS, Len::Z, to, 0, a, None);
                return to.0;
            }
        };
        let a = self.qword_in_register(a, SOURCE[0]);
        let vector = match opcode {
            Opcode::Mov => return a,
            Opcode::Add if op.subtracts(1) => Vector::PSUBQ,
            Opcode::Add | Opcode::Add3 => Vector::PADDQ,
            Opcode::Mul | Opcode::Mad => Vector::PMULLQ,
            Opcode::And => Vector::PANDQ,
            Opcode::Or => Vector::PORQ,
            Opcode::Xor => Vector::PXORQ,
            Opcode::Shl => Vector::PSLLVQ,
            Opcode::Shr => Vector::PSRLVQ,
            _ => Vector::PSRAVQ,
        };
        let b = match (vector, b) {
            (Vector::PSLLVQ | Vector::PSRLVQ | Vector::PSRAVQ, Rm::Const64(count)) => {
                let (vector, which) = match vector {
                    Vector::PSLLVQ => (Vector::SHIFT_QWORDS_BY, LEFT),
                    Vector::PSRLVQ => (Vector::SHIFT_QWORDS_BY, RIGHT),
                    _ => (Vector::SHIFT_QWORDS_SIGNED_BY, RIGHT_SIGNED),
                };
                let count = count as u8 & 63;
                self.code
                    .vector_by(vector, Len::Z, which, to, Rm::Reg(a), count);
                return to;
            }
            (Vector::PSLLVQ | Vector::PSRLVQ | Vector::PSRAVQ, b) => {
                let b = self.qword_in_register(b, SOURCE[1]);
                self.code
                    .vector(Vector::PANDQ, Len::Z, SOURCE[1], b, Rm::Const64(63));
                Rm::Reg(SOURCE[1])
            }
            (_, b) => b,
        };
        self.code.vector(vector, Len::Z, to, a, b);
        if matches!(opcode, Opcode::Add3 | Opcode::Mad) {
            self.code.vector(Vector::PADDQ, Len::Z, to, to, c);
        }
        to
    }

    /// The sources of eight lanes.
    fn terms(&mut self, op: &Qwords, part: u32) -> [Rm; 3] {
        let mut src = [Rm::Reg(MAKING); 3];
        for (k, term) in op.src.iter().enumerate() {
            let value = self.quad(op, term.quad, part, SOURCE[k]);
            src[k] = match term.modifier {
                None => value,
                Some(_) if op.subtracts(k) => value,
                Some(_) => {
                    let zero = BETWEEN[1];
                    self.code
                        .vector(Vector::PXORQ, Len::Z, zero, zero, Rm::Reg(zero));
                    self.code
                        .vector(Vector::PSUBQ, Len::Z, SOURCE[k], zero, value);
                    Rm::Reg(SOURCE[k])
                }
            };
        }
        src
    }

    /// A comparison, eight lanes after eight.
    fn compare_qwords(&mut self, op: &Qwords) {
        for part in 0..op.parts() {
            match op.work {
                Work::Compare(relation, signed) => self.compare_eight(op, relation, signed, part),
                Work::CompareDouble(relation) => self.compare_doubles(op, relation, part),
                _ => {}
            }
            if part == 0 {
                self.code.store_mask(Gpr::Rax, CONDITION[0]);
            } else {
                self.code.store_mask(Gpr::Rcx, CONDITION[0]);
                self.code.shift_left(Gpr::Rcx, 8 * part as u8);
                self.code.alu(Alu::Or, Gpr::Rax, Gpr::Rcx);
            }
        }
        self.code.shift_left(Gpr::Rax, op.lanes.offset);
        self.write_predicate(op.lanes, op.dst);
    }

    /// Compares eight lanes.
    fn compare_eight(&mut self, op: &Qwords, relation: Condition, signed: bool, part: u32) {
        let vector = match signed {
            true => Vector::PCMPQ,
            false => Vector::PCMPUQ,
        };
        let [a, b, _] = self.terms(op, part);
        let a = self.qword_in_register(a, SOURCE[0]);
        let to = (CONDITION[0], 0, false);
        let number = Some(predicate_of(relation));
        self.code.masked(vector, Len::Z, to, a, b, number);
    }

    pub fn qword_in_register(&mut self, value: Rm, to: Reg) -> Reg {
        let vector = match value {
            Rm::Reg(reg) => return reg,
            Rm::Row(_) => Vector::LOAD_QWORDS,
            _ => Vector::BROADCAST_QWORD,
        };
        self.code.vector(vector, Len::Z, to, 0, value);
        to
    }

    /// A source, as an instruction can take it.
    pub fn quad(&mut self, op: &Qwords, quad: Quad, part: u32, to: Reg) -> Rm {
        let held = quad
            .read(part, op.lanes.count.into())
            .and_then(|bytes| self.holder(bytes));
        let extend = |signed| match signed {
            true => Vector::PMOVSXDQ,
            false => Vector::PMOVZXDQ,
        };
        match quad {
            Quad::EachNarrow(at, element) => {
                self.one(element, at, Len::Y, to);
                let signed = matches!(element, Element::S8 | Element::S16);
                self.code.vector(extend(signed), Len::Z, to, 0, Rm::Reg(to));
                Rm::Reg(to)
            }
            Quad::Narrow(at, element) => {
                let vector = match element {
                    Element::U8 => Vector::PMOVZXBQ,
                    Element::S8 => Vector::PMOVSXBQ,
                    Element::U16 => Vector::PMOVZXWQ,
                    _ => Vector::PMOVSXWQ,
                };
                let at = at + LANES * part * element.bytes() as u32;
                self.code.vector(vector, Len::Z, to, 0, Rm::Row(at));
                Rm::Reg(to)
            }
            Quad::Value(value) => Rm::Const64(value),
            Quad::Each(at) => held.map_or(Rm::Each(at), Rm::Reg),
            Quad::Row(at) => held.map_or(Rm::Row(at + 64 * part), Rm::Reg),
            Quad::EachDword(at, wide) => {
                let from = held.unwrap_or_else(|| {
                    self.code
                        .vector(Vector::BROADCAST, Len::Y, to, 0, Rm::Each(at));
                    to
                });
                self.code.vector(wide, Len::Z, to, 0, Rm::Reg(from));
                Rm::Reg(to)
            }
            Quad::Dwords(at, wide) => {
                let from = match held {
                    Some(reg) if !part.is_multiple_of(2) => {
                        self.code
                            .vector_by(Vector::EXTRACT_HALF, Len::Z, reg, 0, Rm::Reg(to), 1);
                        Rm::Reg(to)
                    }
                    Some(reg) => Rm::Reg(reg),
                    None => Rm::Row(at + 32 * part),
                };
                self.code.vector(wide, Len::Z, to, 0, from);
                Rm::Reg(to)
            }
        }
    }
}
