//! Halves: they become singles, are computed with, and become halves again, as [`float`](super::super::float) says.
//!
//! A single has 24 bits, a half 11. A product of two halves is exact in a single; a sum, a quotient or a root that is rounded
//! to 24 bits and then to 11 is what it were if it had been rounded once, since 24 ≥ 2 · 11 + 2. That is not so of `mad`, nor
//! of functions that are found as doubles: these are rounded to odd first. A double that is no single becomes infinite, or the
//! least single, and is then far beyond the halves all the same. Halves that are denormals stay what they are in every float
//! mode, but for functions, which take them for zeros where the mode does not keep them: there they are left to the steps.

use super::super::decoded::operand::OperandShape;
use super::assembler::{Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, MAKING, SOURCE, UNORDERED, predicate_of};
use super::integers::RIGHT_SIGNED;
use super::select::{Inst, Work};
use crate::isa::{Condition, Opcode};

/// To nearest even.
const NEAREST: u8 = 0;

/// The least single that a half has with all its bits.
const LEAST: u32 = 0x3880_0000;

/// Ordered, and not equal.
pub const DIFFERS: u8 = 0x0c;

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
            Opcode::Mad => self.half_multiply_add(inst, r),
            Opcode::Frc | Opcode::Rndd | Opcode::Rndu | Opcode::Rnde | Opcode::Rndz => {
                self.arithmetic(inst, opcode, r, mask, to);
            }
            function => {
                let len = Self::len(inst);
                for (k, to) in SOURCE.into_iter().enumerate().take(inst.src.len()) {
                    let source = self.source(inst, k, r);
                    let source = self.in_register(source, len, to);
                    self.unless_tiny(len, source, mask);
                }
                match function {
                    Opcode::Div => self.half_quotient(inst, r),
                    _ => self.arithmetic(inst, function, r, mask, to),
                }
                // Of these doubles it is asked whether they are near the middle of two halves that have all bits.
                if matches!(
                    function,
                    Opcode::Rsqrt | Opcode::Rsqtm | Opcode::Sin | Opcode::Cos
                ) {
                    self.unless_tiny(len, x, mask);
                }
            }
        }
        self.ordered(inst, r, x, mask);
    }

    /// Leaves the region in front of the op at hand where a lane that runs has a single that is a denormal as a half, or less,
    /// but for zeros.
    fn unless_tiny(&mut self, len: Len, value: Reg, mask: Option<Mask>) {
        let bits = MAKING;
        let code = &mut self.code;
        code.vector(Vector::PANDD, len, bits, value, Rm::Const(i32::MAX as u32));
        code.vector(Vector::PSUBD, len, bits, bits, Rm::Const(1));
        let to = (UNORDERED, mask.unwrap_or(0), false);
        let least = Rm::Const(LEAST - 1);
        let number = Some(predicate_of(Condition::Lt));
        code.masked(Vector::PCMPUD, len, to, bits, least, number);
        self.code.test_masks(UNORDERED, UNORDERED);
        self.leave_if_any();
    }

    /// Source 0 times the reciprocal, which is rounded to a single by itself: a product that a double has, rounded to odd.
    fn half_quotient(&mut self, inst: &Inst, r: u8) {
        let (len, [out, x, y]) = (Self::len(inst), BETWEEN);
        let b = self.source(inst, 1, r);
        let b = self.in_register(b, len, SOURCE[1]);
        let code = &mut self.code;
        code.vector(Vector::BROADCAST, len, y, 0, Rm::Const(1f32.to_bits()));
        code.vector(Vector::DIVPS, len, SOURCE[1], y, Rm::Reg(b));
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        let wide = Self::wide(len);
        for part in 0..Self::parts(len) {
            self.double(wide, x, a, part);
            self.double(wide, y, SOURCE[1], part);
            self.code.vector(Vector::MULPD, wide, x, x, Rm::Reg(y));
            self.single_of(wide, (out, part), true);
        }
    }

    /// The doubles of the second register between become singles: the nearest ones, or, where halves are made of them, those
    /// that are rounded to odd.
    ///
    /// * `out`, `part`: the register they belong to, and which half of it, if it takes two of doubles.
    pub fn single_of(&mut self, wide: Len, (out, part): (Reg, usize), odd: bool) {
        let x = BETWEEN[1];
        let to = if part == 0 { out } else { x };
        if odd {
            let (sum, error) = (SOURCE[2], MAKING);
            let len = if wide == Len::Z { Len::Y } else { Len::X };
            let code = &mut self.code;
            code.vector(Vector::CVTPD2PS, wide, sum, 0, Rm::Reg(x));
            code.vector(Vector::CVTPS2PD, wide, error, 0, Rm::Reg(sum));
            code.vector(Vector::SUBPD, wide, error, x, Rm::Reg(error));
            code.vector(Vector::CVTPD2PS, wide, error, 0, Rm::Reg(error));
            self.round_to_odd(len, sum, error);
            self.code.copy(to, sum);
        } else {
            self.code.vector(Vector::CVTPD2PS, wide, to, 0, Rm::Reg(x));
        }
        if part == 1 {
            let upper = Rm::Reg(x);
            self.code
                .vector_by(Vector::INSERT_HALF, Len::Z, out, out, upper, 1);
        }
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
