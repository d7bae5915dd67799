//! What is computed from lanes that are evenly apart ([`affine`](super::affine)), for lane 0 alone.
//!
//! ```text
//!  add  V2 ← V1 a      lane 0 plus a; as far apart as before
//!  add  V3 ← V1 5      the same register: lanes have 5 more
//!  mul  V4 ← V1 3      lane 0 times 3; three times as far apart. By what is no constant: if all lanes are the same
//!  mov  V5:q ← V1:d    lane 0 by its sign; code is left where the first or last lane would be beyond the type
//! ```

use super::affine::{Affine, Element};
use super::assembler::{Alu, Gpr, If, Len, Reg, Rm, Vector};
use super::emit::Emitter;
use super::integers::LEFT;
use super::qwords::{Quad, Qwords, Sum};
use super::select::{Bytes, Inst, Kind, Work};
use crate::exec::compute::decoded::operand::{self, Operand, OperandShape, Put};
use crate::isa::{Modifier, Opcode};

/// What is computed of lane 0.
#[derive(Clone, Copy, PartialEq)]
pub enum Op {
    /// The element at an arena offset.
    Load(Element),
    /// A dword as a qword, by its sign.
    Extend(bool),
    /// The sum, the difference, the product, of elements of so many bytes.
    Add(u32),
    Subtract(u32),
    Multiply(u32),
    /// To the left.
    Shift(u32),
}

/// The other operand.
#[derive(Clone, Copy, PartialEq)]
pub enum Other {
    Reg(Reg),
    /// What all lanes have in the arena.
    Each(u32),
    Value(u64),
}

/// A register that has what an op makes of others.
pub struct Made {
    op: Op,
    of: Reg,
    other: Other,
    /// Extended dwords: what lanes may have more, least and most, of which it is known that nothing is lost.
    most: (i64, i64),
    pub reg: Reg,
}

/// A value for a row: lane 0 is in a register, or all lanes have it.
#[derive(Clone, Copy)]
enum Value {
    Lanes(Reg, Affine),
    All(Other),
}

/// A source for a row: lanes that are so far apart, or what all have.
#[derive(Clone, Copy)]
enum Source {
    Lanes(Bytes, Element, Affine),
    All(Other),
}

impl Op {
    /// Whether it is one of qwords.
    const fn is_wide(self) -> bool {
        match self {
            Op::Load(element) => element.bytes() == 8,
            Op::Extend(_) => true,
            Op::Add(bytes) | Op::Subtract(bytes) | Op::Multiply(bytes) | Op::Shift(bytes) => {
                bytes == 8
            }
        }
    }
}

impl Made {
    /// Whether it is about a register.
    pub fn has(&self, reg: Reg) -> bool {
        self.reg == reg || self.of == reg || self.other == Other::Reg(reg)
    }

    /// Whether it reads bytes.
    pub fn reads(&self, bytes: Bytes) -> bool {
        let own = |at| Bytes {
            at,
            len: if self.op.is_wide() { 8 } else { 4 },
            kind: Kind::Other,
        };
        matches!(self.other, Other::Each(at) if own(at).overlaps(bytes))
    }
}

impl Inst {
    /// The rows of words that it moves to dwords, their sign, and the lane that each begins with, if it does no more than that.
    pub fn widened(&self) -> impl Iterator<Item = (Bytes, bool, u8)> {
        let signed = match (&self.src[..], self.work, self.dst) {
            ([source], Work::Move, Put::Dense(_)) if source.modifier.is_none() => match source.form
            {
                OperandShape::Strided(operand::Element::U16, 2) => Some(false),
                OperandShape::Strided(operand::Element::S16, 2) => Some(true),
                _ => None,
            },
            _ => None,
        };
        let signed = signed.filter(|_| self.is_for_lanes());
        let at = self.src.first().map_or(0, Operand::at);
        let (rows, lanes) = (0..u32::from(self.rows()), u32::from(self.row()));
        let row = move |r: u32| Bytes {
            at: at + 32 * r,
            len: 2 * lanes,
            kind: Kind::Other,
        };
        let first = self.lanes.offset;
        let of_rows = move |signed| {
            let rows = rows.clone();
            rows.map(move |r| (row(r), signed, first + 16 * r as u8))
        };
        signed.into_iter().flat_map(of_rows)
    }

    /// Whether it computes for all lanes of whole rows, one result each.
    fn is_for_lanes(&self) -> bool {
        let plain = self.guard.is_none() && self.second.is_none() && !self.has_lists();
        plain && !self.halves && matches!(self.lanes.count, 8 | 16 | 32)
    }

    /// Whether its results may be evenly apart if its sources are.
    const fn may_be_affine(&self) -> bool {
        use Opcode::{Add, Add3, Mad, Mul, Shl};
        matches!(
            self.work,
            Work::Move | Work::Dword(Add | Add3 | Mul | Mad | Shl)
        )
    }

    /// Whether they are, and there is code for it, of such sources.
    fn is_affine(&self, src: &[Source]) -> bool {
        let lanes = |k: usize| matches!(src[k], Source::Lanes(..));
        let same = |k: usize| matches!(src[k], Source::Lanes(.., own) if own.step == 0);
        let number = |k: usize| matches!(src[k], Source::All(Other::Value(_)));
        let plain = |k: usize| self.src[k].modifier.is_none();
        let negated = |k: usize| self.src[k].modifier == Some(Modifier::Neg);
        let subtracts = |k: usize| negated(k) && !lanes(k);
        let by = |a: usize, b: usize| lanes(a) && !lanes(b) && (same(a) || number(b));
        let factors = || plain(0) && plain(1) && (by(0, 1) || by(1, 0));
        match (self.work, src.len()) {
            (Work::Move, 1) => lanes(0) && plain(0),
            (Work::Dword(Opcode::Add), 2) => {
                plain(0) && (plain(1) || lanes(0) && subtracts(1)) && (lanes(0) || lanes(1))
            }
            (Work::Dword(Opcode::Add3), 3) => (0..3).all(plain) && (0..3).any(lanes),
            (Work::Dword(Opcode::Mul), 2) => factors(),
            (Work::Dword(Opcode::Mad), 3) => factors() && (plain(2) || subtracts(2)),
            (Work::Dword(Opcode::Shl), 2) => lanes(0) && number(1) && plain(0) && plain(1),
            _ => false,
        }
    }
}

impl Emitter {
    /// Code for an instruction whose result is evenly apart; false, and there is none, if it is not known to be.
    pub fn affine_inst(&mut self, inst: &Inst) -> bool {
        let all = self.all_enabled || inst.lanes.no_mask;
        let dense = matches!(inst.dst, Put::Dense(_)) && inst.is_for_lanes();
        if !(self.affine && all && dense && inst.may_be_affine()) {
            return false;
        }
        let written: Vec<Bytes> = (0..inst.rows()).map(|r| inst.written(r)).collect();
        let sources = (0..inst.rows()).map(|r| self.affine_sources(inst, r));
        let Some(sources) = sources.collect::<Option<Vec<Vec<Source>>>>() else {
            return false;
        };
        let pinned = written.iter().any(|row| self.pin(*row).is_some());
        if pinned || !sources.iter().all(|row| inst.is_affine(row)) {
            return false;
        }
        let each = inst.src.iter();
        let each = each.filter(|own| own.form == OperandShape::Scalar);
        let each = each.map(|own| Bytes::one(own.at()));
        let Some(values) = self.affine_values(sources, each.collect()) else {
            return false;
        };
        let results = values.iter().map(|row| self.affine_result(inst, row));
        let results: Vec<(Reg, Affine)> = results.collect();
        self.keep_affine(&written, &results);
        true
    }

    /// The sources of row `r`, if each is evenly apart or the same for all lanes.
    fn affine_sources(&self, inst: &Inst, r: u8) -> Option<Vec<Source>> {
        if let Some((row, signed, _)) = inst.widened().nth(r.into()) {
            let element = Element::Word(signed);
            let apart = self.affine_of(row, element)?;
            return Some(vec![Source::Lanes(row, element, apart)]);
        }
        let source = |operand: &Operand| match operand.form {
            OperandShape::Value => Some(Source::All(Other::Value(operand.at().into()))),
            OperandShape::Scalar => Some(Source::All(Other::Each(operand.at()))),
            OperandShape::Dense => {
                let row = inst.read(operand, r)?;
                let apart = self.affine_of(row, Element::Dword)?;
                Some(Source::Lanes(row, Element::Dword, apart))
            }
            _ => None,
        };
        inst.src.iter().map(source).collect()
    }

    /// The values of sources, whose registers are busy; `None` if one is not there any more.
    ///
    /// * `each`: what all lanes have of them.
    fn affine_values(
        &mut self,
        sources: Vec<Vec<Source>>,
        each: Vec<Bytes>,
    ) -> Option<Vec<Vec<Value>>> {
        let holders: Vec<Option<Reg>> = each.iter().map(|own| self.holder(*own)).collect();
        self.settle(&[each, Vec::new()]);
        self.busy.clear();
        self.busy.extend(holders.into_iter().flatten());
        // Those that are there are not to be given away for those that are not.
        for source in sources.iter().flatten() {
            if let Source::Lanes(row, ..) = source {
                let own = self.held.iter().filter(|held| held.bytes == *row);
                let own: Vec<Reg> = own.map(|held| held.reg).collect();
                self.busy.extend(own);
            }
        }
        let value = |emitter: &mut Emitter, source| match source {
            Source::All(other) => Some(Value::All(other)),
            Source::Lanes(row, element, _) => {
                let (reg, apart) = emitter.hold_affine(row, element)?;
                Some(Value::Lanes(reg, apart))
            }
        };
        let rows = sources.into_iter();
        rows.map(|row| row.into_iter().map(|own| value(self, own)).collect())
            .collect()
    }

    /// The result of a row.
    fn affine_result(&mut self, inst: &Inst, src: &[Value]) -> (Reg, Affine) {
        let subtracts = |k: usize| inst.src[k].modifier == Some(Modifier::Neg);
        let value = match (inst.work, src) {
            (Work::Dword(Opcode::Add), [a, b]) if subtracts(1) => self.sum(*a, *b, true),
            (Work::Dword(Opcode::Add | Opcode::Add3), terms) => self.total(terms),
            (Work::Dword(Opcode::Mul), [a, b]) => self.product(*a, *b),
            (Work::Dword(Opcode::Mad), [a, b, c]) => {
                let product = self.product(*a, *b);
                self.sum(product, *c, subtracts(2))
            }
            (Work::Dword(Opcode::Shl), [a, Value::All(Other::Value(by))]) => {
                self.shifted(*a, by & 31)
            }
            (_, [a, ..]) => *a,
            (_, []) => unreachable!("each has a source that is evenly apart"),
        };
        match value {
            Value::Lanes(reg, affine) => (reg, affine),
            Value::All(_) => unreachable!("lanes are somewhere in it"),
        }
    }

    /// The sum of values.
    fn total(&mut self, terms: &[Value]) -> Value {
        let of_lanes = |term: &&Value| matches!(term, Value::Lanes(..));
        let (lanes, others): (Vec<&Value>, Vec<&Value>) = terms.iter().partition(of_lanes);
        let mut terms = lanes.into_iter().chain(others).copied();
        let first = terms.next().expect("lanes are in one of them");
        terms.fold(first, |sum, term| self.sum(sum, term, false))
    }

    /// The sum of two values, or the first one less the other one, which all lanes have.
    fn sum(&mut self, a: Value, b: Value, less: bool) -> Value {
        match (a, b) {
            (Value::Lanes(a, own), Value::All(Other::Value(by))) => {
                // No instruction is needed.
                let by = if less { by.wrapping_neg() } else { by };
                Value::Lanes(a, own.from(own.first.wrapping_add(by)))
            }
            (Value::Lanes(a, own), Value::All(other)) => {
                let op = match less {
                    true => Op::Subtract(own.bytes),
                    false => Op::Add(own.bytes),
                };
                Value::Lanes(self.make(op, a, other), own)
            }
            (Value::Lanes(a, own), Value::Lanes(b, other)) => {
                let sum = Affine {
                    first: own.first.wrapping_add(other.first),
                    step: own.step.wrapping_add(other.step),
                    ..own
                };
                Value::Lanes(self.make(Op::Add(own.bytes), a, Other::Reg(b)), sum)
            }
            (Value::All(_), Value::Lanes(..)) => self.sum(b, a, false),
            (Value::All(_), Value::All(_)) => unreachable!("lanes are in one of them"),
        }
    }

    /// The product of lanes with a number, or, if they are all the same, with what all have.
    fn product(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Lanes(reg, own), Value::All(Other::Value(by))) => {
                let made = self.make(Op::Multiply(own.bytes), reg, Other::Value(by));
                Value::Lanes(made, own.map(|n| n.wrapping_mul(by)))
            }
            (Value::Lanes(mut reg, own), Value::All(other)) => {
                if own.of_lane(0) != 0 {
                    reg = self.make(Op::Add(own.bytes), reg, Other::Value(own.of_lane(0)));
                }
                let made = self.make(Op::Multiply(own.bytes), reg, other);
                Value::Lanes(made, own.map(|_| 0))
            }
            (other, lanes) => self.product(lanes, other),
        }
    }

    fn shifted(&mut self, a: Value, by: u64) -> Value {
        match a {
            Value::Lanes(reg, own) => {
                let made = self.make(Op::Shift(own.bytes), reg, Other::Value(by));
                Value::Lanes(made, own.map(|n| n << by))
            }
            Value::All(_) => unreachable!("lanes are shifted"),
        }
    }

    /// A register with lane 0 of what an op makes: the one that has it, if there is such.
    pub fn make(&mut self, op: Op, of: Reg, other: Other) -> Reg {
        let known = |made: &&Made| (made.op, made.of, made.other) == (op, of, other);
        if let Some(made) = self.made.iter().find(known) {
            let reg = made.reg;
            self.busy.push(reg);
            return reg;
        }
        let reg = self.take();
        let b = match other {
            Other::Reg(other) => Rm::Reg(other),
            Other::Value(value) if op.is_wide() => Rm::Const64(value),
            Other::Value(value) => Rm::Const(value as u32),
            Other::Each(at) => {
                let one = match op.is_wide() {
                    true => Bytes::one_qword(at),
                    false => Bytes::one(at),
                };
                self.holder(one).map_or(Rm::Each(at), Rm::Reg)
            }
        };
        let code = &mut self.code;
        let len = Len::X;
        match (op, other) {
            (Op::Load(Element::Word(signed)), Other::Each(at)) => {
                let element = match signed {
                    true => operand::Element::S16,
                    false => operand::Element::U16,
                };
                self.one(element, at, len, reg);
            }
            (Op::Load(Element::Qword), Other::Each(at)) => {
                // There is none for two qwords.
                code.vector(Vector::BROADCAST_QWORD, Len::Y, reg, 0, Rm::Each(at));
            }
            (Op::Load(_), Other::Each(at)) => {
                code.vector(Vector::BROADCAST, len, reg, 0, Rm::Each(at));
            }
            (Op::Shift(bytes), Other::Value(by)) => {
                let shift = match bytes {
                    8 => Vector::SHIFT_QWORDS_BY,
                    _ => Vector::SHIFT_BY,
                };
                code.vector_by(shift, len, LEFT, reg, Rm::Reg(of), by as u8);
            }
            (Op::Extend(true), _) => code.vector(Vector::PMOVSXDQ, len, reg, 0, Rm::Reg(of)),
            (Op::Extend(false), _) => code.vector(Vector::PMOVZXDQ, len, reg, 0, Rm::Reg(of)),
            (Op::Add(8), _) => code.vector(Vector::PADDQ, len, reg, of, b),
            (Op::Add(_), _) => code.vector(Vector::PADDD, len, reg, of, b),
            (Op::Subtract(8), _) => code.vector(Vector::PSUBQ, len, reg, of, b),
            (Op::Subtract(_), _) => code.vector(Vector::PSUBD, len, reg, of, b),
            (Op::Multiply(8), _) => code.vector(Vector::PMULLQ, len, reg, of, b),
            (Op::Multiply(_), _) => code.vector(Vector::PMULLD, len, reg, of, b),
            (Op::Load(_) | Op::Shift(_), _) => {
                unreachable!("what is loaded lies in the arena, shifts are by numbers")
            }
        }
        self.made.push(Made {
            op,
            of,
            other,
            most: (0, 0),
            reg,
        });
        reg
    }

    /// Rows are these values of others.
    fn keep_affine(&mut self, rows: &[Bytes], values: &[(Reg, Affine)]) {
        // Nothing of them is stored before all are there.
        for row in rows {
            self.replace(*row);
        }
        for (row, (reg, affine)) in rows.iter().zip(values) {
            self.keep_replaced(*row, *reg, Some(*affine));
        }
        self.leave_room();
    }

    /// Code for an op on qwords whose result is evenly apart; false, and there is none, if it is not known to be.
    pub fn affine_qwords(&mut self, op: &Qwords) -> bool {
        let all = self.all_enabled || op.lanes.no_mask;
        let Some(sum) = op.affine_sum().filter(|_| self.affine && all) else {
            return false;
        };
        let rows: Vec<Bytes> = op.written().collect();
        let sources = (0..rows.len() as u32).map(|part| self.affine_terms(op, part));
        let Some(sources) = sources.collect::<Option<Vec<Vec<Source>>>>() else {
            return false;
        };
        let of_lanes = |row: &Vec<Source>| match sum {
            Sum::Terms => row.iter().any(|own| matches!(own, Source::Lanes(..))),
            _ => matches!(row[..], [Source::Lanes(..), ..]),
        };
        let pinned = rows.iter().any(|row| self.pin(*row).is_some());
        if pinned || !sources.iter().all(of_lanes) {
            return false;
        }
        let each = op.read().filter(|own| own.kind == Kind::EachQword);
        let Some(values) = self.affine_values(sources, each.collect()) else {
            return false;
        };
        let Some(values) = self.extended(op, values) else {
            return false;
        };
        let mut results = Vec::new();
        for row in &values {
            let value = match (sum, &row[..]) {
                (Sum::Terms, terms) => self.total(terms),
                (Sum::Times(by), [a, ..]) => self.product(*a, Value::All(Other::Value(by))),
                (Sum::Shifted(by), [a, ..]) => self.shifted(*a, by),
                (_, []) => return false,
            };
            let Value::Lanes(reg, affine) = value else {
                return false;
            };
            results.push((reg, affine));
        }
        self.keep_affine(&rows, &results);
        true
    }

    /// The sources of eight lanes of an op on qwords: dwords as they are.
    fn affine_terms(&self, op: &Qwords, part: u32) -> Option<Vec<Source>> {
        let lanes = |quad: Quad, element| {
            let row = quad.read(part, op.lanes.count.into())?;
            let apart = self.affine_of(row, element)?;
            Some(Source::Lanes(row, element, apart))
        };
        let terms = op.src.iter().map(|term| match term.quad {
            _ if term.modifier.is_some() => None,
            Quad::Value(value) => Some(Source::All(Other::Value(value))),
            Quad::Each(at) => Some(Source::All(Other::Each(at))),
            Quad::Row(_) => lanes(term.quad, Element::Qword),
            Quad::Dwords(..) => lanes(term.quad, Element::Dword),
            _ => None,
        });
        terms.collect()
    }

    /// The same values with qwords in place of dwords; the region is left where one would not be what the dword is.
    fn extended(&mut self, op: &Qwords, mut rows: Vec<Vec<Value>>) -> Option<Vec<Vec<Value>>> {
        for (k, term) in op.src.iter().enumerate() {
            let Quad::Dwords(_, wide) = term.quad else {
                continue;
            };
            let signed = wide == Vector::PMOVSXDQ;
            // Eight lanes after eight, of rows of sixteen.
            let dwords = (0..).zip(&rows).map(|(part, row)| match row[k] {
                Value::Lanes(reg, own) => Some((reg, own.from(own.of_lane(8 * (part % 2))))),
                Value::All(_) => None,
            });
            let dwords = dwords.collect::<Option<Vec<(Reg, Affine)>>>()?;
            if !dwords.iter().all(|(_, own)| is_straight(*own)) {
                return None;
            }
            for (row, &(reg, own)) in rows.iter_mut().zip(&dwords) {
                let alike = dwords.iter().filter(|(other, _)| *other == reg);
                let more = alike.flat_map(|(_, own)| [own.signed(0), own.signed(7)]);
                let most = more.fold((0, 0), |(least, most): (i64, i64), more| {
                    (least.min(more), most.max(more))
                });
                let made = self.make(Op::Extend(signed), reg, Other::Value(0));
                self.inside_of_type((reg, made), signed, most);
                let own = Affine {
                    first: own.signed(0).cast_unsigned(),
                    step: own.signed_step().cast_unsigned(),
                    bytes: 8,
                };
                row[k] = Value::Lanes(made, own);
            }
        }
        Some(rows)
    }

    /// Leaves the region unless dwords with so much more, least and most, are what their type can hold.
    ///
    /// * `made`: the register of the dword, and that of the qword that it becomes.
    fn inside_of_type(
        &mut self,
        (dword, made): (Reg, Reg),
        signed: bool,
        (least, most): (i64, i64),
    ) {
        let Some(known) = self.made.iter_mut().find(|own| own.reg == made) else {
            return;
        };
        let before = known.most;
        known.most = (before.0.min(least), before.1.max(most));
        if least >= before.0 && most <= before.1 {
            return;
        }
        let (bottom, top) = match signed {
            true => (i64::from(i32::MIN), i64::from(i32::MAX)),
            false => (0, i64::from(u32::MAX)),
        };
        let leave = self.leave_label();
        let to = Rm::Reg(Gpr::Rdx as u8);
        self.code.vector(Vector::TO_GPR, Len::X, dword, 0, to);
        if most > before.1 {
            let above = if signed { If::Greater } else { If::Above };
            let last = (top - most) as u32;
            self.code.alu_number(Alu::Cmp, Gpr::Rdx, last);
            self.code.jump_if(above, leave);
        }
        if least < before.0 {
            let below = if signed { If::Less } else { If::Below };
            let first = (bottom - least) as u32;
            self.code.alu_number(Alu::Cmp, Gpr::Rdx, first);
            self.code.jump_if(below, leave);
        }
    }
}

/// Whether no lane of eight dwords is further from the others than a dword can say.
const fn is_straight(own: Affine) -> bool {
    let step = own.signed_step();
    own.signed(0) + 7 * step == own.signed(7) && step.unsigned_abs() < 1 << 24
}
