//! Doubles: as [`qwords`](super::qwords) are, eight lanes in a register.
//!
//! Whether their denormals are flushed is not known here: where a source or a result of arithmetic of a lane that runs is one,
//! the region is left, as it is where a result is NaN that is not made (`nan`). Moves of singles and integers of 32 bits are
//! exact. In moves to narrower types and integers a denormal counts as zero, flushed or not.

use super::assembler::{Len, Mask, Reg, Rm, Vector};
use super::emit::{
    BETWEEN, CONDITION, Emitter, FLOAT_ORDERED, NAN_CLASS, SOURCE, UNORDERED, float_predicate_of,
};
use super::nan::DOUBLES;
use super::qwords::Qwords;
use super::select::Inst;
use crate::isa::{Condition, Modifier, Opcode, Type};

/// The class of values that are denormal.
const DENORMAL: u8 = 0x20;

const SIGN: u64 = 1 << 63;

impl Emitter {
    /// The result of eight lanes, in a register that is not the arena's.
    pub fn double_result(
        &mut self,
        op: &Qwords,
        opcode: Opcode,
        part: u32,
        mask: Option<Mask>,
    ) -> Reg {
        let mut src = SOURCE;
        for (k, from) in src.iter_mut().enumerate().take(op.src.len()) {
            *from = self.double_source(op, k, part);
        }
        if opcode == Opcode::Mov {
            return src[0];
        }
        let extreme = matches!(opcode, Opcode::Min | Opcode::Max);
        for from in src.into_iter().take(op.src.len()) {
            // Of a number and a NaN it is the number.
            let nan = if extreme { NAN_CLASS } else { 0 };
            self.unless_double([nan, DENORMAL], from, mask);
        }
        let to = self.double_arithmetic(opcode, src);
        self.unless_double([NAN_CLASS, DENORMAL], to, mask);
        match (self.makes_nan, extreme) {
            (false, _) => {}
            (true, true) => self.extreme_made(DOUBLES, Len::Z, (to, mask), [src[0], src[1]]),
            (true, false) => self.made(DOUBLES, Len::Z, (to, mask), op.src.len(), |_, k| src[k]),
        }
        to
    }

    /// A source in a register, its modifier applied.
    fn double_source(&mut self, op: &Qwords, k: usize, part: u32) -> Reg {
        let to = SOURCE[k];
        let from = self.quad(op, op.src[k].quad, part, to);
        let from = self.qword_in_register(from, to);
        let (vector, bits) = match op.src[k].modifier {
            None | Some(Modifier::Not) => return from,
            Some(Modifier::Neg) => (Vector::PXORQ, SIGN),
            Some(Modifier::Abs) => (Vector::PANDQ, !SIGN),
            Some(Modifier::NegAbs) => (Vector::PORQ, SIGN),
        };
        self.code
            .vector(vector, Len::Z, to, from, Rm::Const64(bits));
        to
    }

    fn double_arithmetic(&mut self, opcode: Opcode, [a, b, c]: [Reg; 3]) -> Reg {
        let [to, other, _] = BETWEEN;
        let code = &mut self.code;
        let one = Rm::Const64(1f64.to_bits());
        let (vector, first, second) = match opcode {
            Opcode::Add => (Vector::ADDPD, a, b),
            Opcode::Mul => (Vector::MULPD, a, b),
            Opcode::Div | Opcode::Divm => (Vector::DIVPD, a, b),
            Opcode::Sqrt | Opcode::Sqrtm => (Vector::SQRTPD, 0, a),
            Opcode::Min | Opcode::Max => {
                // As of singles: both ways round they differ in the sign of zero.
                let (vector, both) = match opcode {
                    Opcode::Min => (Vector::MINPD, Vector::PORQ),
                    _ => (Vector::MAXPD, Vector::PANDQ),
                };
                code.vector(vector, Len::Z, to, a, Rm::Reg(b));
                code.vector(vector, Len::Z, other, b, Rm::Reg(a));
                (both, to, other)
            }
            Opcode::Mad => {
                code.vector(Vector::LOAD_QWORDS, Len::Z, to, 0, Rm::Reg(c));
                (Vector::FMADD231PD, a, b)
            }
            _ => {
                code.vector(Vector::BROADCAST_QWORD, Len::Z, to, 0, one);
                (Vector::DIVPD, to, a)
            }
        };
        code.vector(vector, Len::Z, to, first, Rm::Reg(second));
        to
    }

    /// As [`Emitter::unless`], of doubles.
    fn unless_double(&mut self, [nan, others]: [u8; 2], value: Reg, mask: Option<Mask>) {
        let classes = if self.makes_nan { others } else { nan | others };
        let (to, test) = ((UNORDERED, mask.unwrap_or(0), false), Vector::FPCLASSPD);
        self.code
            .masked(test, Len::Z, to, 0, Rm::Reg(value), Some(classes));
        self.leave_by_class(test, (nan, others == 0), Len::Z, value, mask);
    }

    /// Compares eight lanes.
    pub fn compare_doubles(&mut self, op: &Qwords, relation: Condition, part: u32) {
        let [a, b] = [0, 1].map(|k| self.double_source(op, k, part));
        for value in [a, b] {
            self.unless_double([0, DENORMAL], value, None);
        }
        let (to, b) = ((CONDITION[0], 0, false), Rm::Reg(b));
        let number = Some(float_predicate_of(relation));
        self.code.masked(Vector::CMPPD, Len::Z, to, a, b, number);
    }

    /// Eight integers of 64 bits as doubles.
    pub fn qwords_to_doubles(&mut self, op: &Qwords, signed: bool, part: u32) -> Reg {
        let (from, to) = (SOURCE[0], BETWEEN[0]);
        let value = self.quad(op, op.src[0].quad, part, from);
        let value = self.qword_in_register(value, from);
        let vector = match signed {
            true => Vector::CVTQQ2PD,
            false => Vector::CVTUQQ2PD,
        };
        self.code.vector(vector, Len::Z, to, 0, Rm::Reg(value));
        to
    }

    /// Eight doubles as integers of 64 bits: what is beyond them becomes the nearest, NaN 0.
    pub fn doubles_to_qwords(&mut self, op: &Qwords, signed: bool, part: u32) -> Reg {
        let (from, [to, ..]) = (self.double_source(op, 0, part), BETWEEN);
        if !signed {
            // What has no order is the second operand; what is beyond them becomes all ones.
            self.code
                .vector(Vector::MAXPD, Len::Z, to, from, Rm::Const64(0));
            self.code
                .vector(Vector::CVTTPD2UQQ, Len::Z, to, 0, Rm::Reg(to));
            return to;
        }
        self.numbers(from, to);
        let above = (UNORDERED, 0, false);
        let limit = Rm::Const64(9_223_372_036_854_775_808f64.to_bits());
        let number = Some(float_predicate_of(Condition::Ge));
        self.code
            .masked(Vector::CMPPD, Len::Z, above, to, limit, number);
        // What is beyond them becomes the least one.
        self.code
            .vector(Vector::CVTTPD2QQ, Len::Z, to, 0, Rm::Reg(to));
        let above = (to, UNORDERED, false);
        let most = Rm::Const64(i64::MAX.cast_unsigned());
        self.code
            .masked(Vector::BROADCAST_QWORD, Len::Z, above, 0, most, None);
        to
    }

    /// Doubles, and zeros for NaN.
    fn numbers(&mut self, from: Reg, to: Reg) {
        let ordered = (UNORDERED, 0, false);
        let value = Rm::Reg(from);
        self.code.masked(
            Vector::CMPPD,
            Len::Z,
            ordered,
            from,
            value,
            Some(FLOAT_ORDERED),
        );
        let kept = (to, UNORDERED, true);
        self.code
            .masked(Vector::LOAD_QWORDS, Len::Z, kept, 0, value, None);
    }

    /// Moves doubles to elements of up to 32 bits.
    pub fn narrow_doubles(&mut self, op: &Qwords, into: &Inst, ty: Type, saturate: bool) {
        let len = Self::len(into);
        let masks = match into.is_uniform() {
            true => [None; 2],
            false => self.running(into.lanes, into.guard),
        };
        let mut targets = Vec::new();
        for r in 0..into.rows() {
            let [low, high, _] = BETWEEN;
            let first = 2 * u32::from(r);
            self.keep_sources(op, &targets, first);
            self.narrow_eight(op, ty, first, low);
            if into.row() > 8 {
                self.narrow_eight(op, ty, first + 1, high);
                let high = Rm::Reg(high);
                self.code
                    .vector_by(Vector::INSERT_HALF, Len::Z, low, low, high, 1);
            }
            if into.row() == 1 {
                self.code
                    .vector(Vector::SPREAD, Len::Z, low, 0, Rm::Reg(low));
            }
            let mask = masks[usize::from(r)];
            let target = self.target(into, r, mask);
            match ty {
                Type::F => self.saturated(len, saturate, low, mask, target),
                _ => self.finish(len, target, mask, low),
            }
            targets.push(target);
        }
        self.busy.clone_from(&targets);
        for (r, target) in (0..).zip(targets) {
            self.put(into, r, masks[usize::from(r)], target);
        }
    }

    /// Eight doubles as singles or integers of up to 32 bits.
    fn narrow_eight(&mut self, op: &Qwords, ty: Type, part: u32, to: Reg) {
        let from = self.double_source(op, 0, part);
        let (least, most) = match ty {
            Type::F => {
                let from = Rm::Reg(from);
                return self.code.vector(Vector::CVTPD2PS, Len::Z, to, 0, from);
            }
            Type::Ub => (0.0, u8::MAX.into()),
            Type::B => (i8::MIN.into(), i8::MAX.into()),
            Type::Uw => (0.0, u16::MAX.into()),
            Type::W => (i16::MIN.into(), i16::MAX.into()),
            Type::Ud => (0.0, u32::MAX.into()),
            _ => (i32::MIN.into(), i32::MAX.into()),
        };
        self.numbers(from, to);
        let limit = |value: f64| Rm::Const64(value.to_bits());
        let code = &mut self.code;
        code.vector(Vector::MAXPD, Len::Z, to, to, limit(least));
        code.vector(Vector::MINPD, Len::Z, to, to, limit(most));
        let vector = match ty {
            Type::Ud => Vector::CVTTPD2UDQ,
            _ => Vector::CVTTPD2DQ,
        };
        code.vector(vector, Len::Z, to, 0, Rm::Reg(to));
    }
}
