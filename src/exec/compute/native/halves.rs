//! Halves: they become singles, are computed with, and become halves again, as [`float`](super::super::float) says.
//!
//! A single has 24 bits, a half 11. A product of two halves is exact in a single; a sum that is rounded to 24 bits and
//! then to 11 is what it were if it had been rounded once, since 24 ≥ 2 · 11 + 2. That is not so of `mad`: its sum is
//! rounded to odd first. No single in between overflows or is a denormal, and halves that are denormals stay what they
//! are in every float mode.

use super::super::decoded::operand::OperandShape;
use super::assembler::{Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, SOURCE, UNORDERED};
use super::integers::RIGHT_SIGNED;
use super::select::{Inst, Work};
use crate::isa::Opcode;

/// To nearest even.
const NEAREST: u8 = 0;

/// Ordered, and not equal.
const DIFFERS: u8 = 0x0c;

impl Emitter {
    /// Row `r` of a source of halves as singles, in a register that is its own.
    pub fn half(&mut self, inst: &Inst, k: usize, r: u8) -> Rm {
        let (operand, len, to) = (inst.src[k], Self::len(inst), SOURCE[k]);
        let row = match operand.form {
            OperandShape::Strided(_, 2) if inst.lanes.count > 1 => inst.read(&operand, r),
            _ => None,
        };
        let packed = match row {
            Some(bytes) if self.holder(bytes).is_none() => Rm::Row(bytes.at),
            _ => {
                let wide = self.unmodified(inst, &operand, k, r);
                let wide = self.in_register(wide, len, to);
                let to = Rm::Reg(to);
                self.code.vector(Vector::PMOVDW, len, wide, 0, to);
                to
            }
        };
        self.code.vector(Vector::CVTPH2PS, len, to, 0, packed);
        Rm::Reg(self.signed(len, &operand, to, to))
    }

    /// Row `r` of a result of halves, each in the lower half of a dword.
    pub fn halves(&mut self, inst: &Inst, r: u8, mask: Option<Mask>, target: Reg) {
        let (len, x) = (Self::len(inst), BETWEEN[0]);
        let to = (x, 0, false);
        let saturate = match inst.work {
            Work::IntegerToHalf { signed } => {
                // What a single does not hold exactly is beyond the halves.
                self.integers_to_singles(inst, signed, r, to);
                false
            }
            Work::Half(opcode, saturate) if opcode != Opcode::Mov => {
                self.half_arithmetic(inst, opcode, r, mask);
                saturate
            }
            Work::Half(_, saturate) | Work::ToHalf(saturate) => {
                let a = self.source(inst, 0, r);
                let a = self.in_register(a, len, SOURCE[0]);
                self.finish(len, x, None, a);
                saturate
            }
            _ => false,
        };
        self.saturated(len, saturate, x, None, x);
        self.code
            .vector_by(Vector::CVTPS2PH, len, x, 0, Rm::Reg(x), NEAREST);
        let to = (target, mask.unwrap_or(0), false);
        self.code
            .masked(Vector::PMOVZXWD, len, to, 0, Rm::Reg(x), None);
    }

    /// Arithmetic, into the first register between.
    fn half_arithmetic(&mut self, inst: &Inst, opcode: Opcode, r: u8, mask: Option<Mask>) {
        let x = BETWEEN[0];
        let to = (x, 0, false);
        match opcode {
            Opcode::Min | Opcode::Max => return self.extreme(inst, opcode, r, mask),
            Opcode::Add => self.binary(inst, Vector::ADDPS, r, to),
            Opcode::Mul => self.binary(inst, Vector::MULPS, r, to),
            _ => self.half_multiply_add(inst, r),
        }
        self.ordered(inst, r, x, mask);
    }

    /// `mad`, rounded to odd: see `add_odd` in [`float`](super::super::float).
    fn half_multiply_add(&mut self, inst: &Inst, r: u8) {
        let (len, [sum, product, error]) = (Self::len(inst), BETWEEN);
        self.binary(inst, Vector::MULPS, r, (product, 0, false));
        let c = self.source(inst, 2, r);
        let c = self.in_register(c, len, SOURCE[2]);
        let (kept, part) = (SOURCE[0], error);
        let mut run = |vector, to, a, b| self.code.vector(vector, len, to, a, Rm::Reg(b));
        run(Vector::ADDPS, sum, product, c);
        run(Vector::SUBPS, part, sum, product);
        run(Vector::SUBPS, kept, sum, part);
        run(Vector::SUBPS, kept, product, kept);
        run(Vector::SUBPS, part, c, part);
        run(Vector::ADDPS, error, kept, part);
        self.round_to_odd(len, sum, error);
    }

    /// The odd neighbour of a sum on the side of its error, if it is even and not exact.
    fn round_to_odd(&mut self, len: Len, sum: Reg, error: Reg) {
        let to = (UNORDERED, 0, false);
        let code = &mut self.code;
        code.masked(Vector::CMPPS, len, to, error, Rm::Const(0), Some(DIFFERS));
        let even = (UNORDERED, UNORDERED, false);
        code.masked(Vector::PTESTNMD, len, even, sum, Rm::Const(1), None);
        // One more if it has the sign of the sum, else one less.
        code.vector(Vector::PXORD, len, error, error, Rm::Reg(sum));
        code.vector_by(
            Vector::SHIFT_BY,
            len,
            RIGHT_SIGNED,
            error,
            Rm::Reg(error),
            31,
        );
        code.vector(Vector::PORD, len, error, error, Rm::Const(1));
        let odd = (sum, UNORDERED, false);
        code.masked(Vector::PADDD, len, odd, sum, Rm::Reg(error), None);
    }
}
