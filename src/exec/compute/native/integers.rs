//! Integers that take more than an instruction: upper halves of products, sums with what does not fit into them.
//!
//! Products of dwords are qwords, which are made of every other lane at once:
//!
//! ```text
//!  a0·b0        a2·b2        …    lanes 0, 2, …
//!  a1·b1        a3·b3        …    lanes 1, 3, …, of sources moved down by a lane
//!  hi(0) hi(1)  hi(2) hi(3)  …    the upper halves of both, by turns
//! ```
//!
//! Source: vISA text reference 5.2; the meaning is that of [`alu`](super::super::alu).

use super::super::decoded::operand::OperandShape;
use super::assembler::{Len, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, SELECT_BITS, SOURCE, UNORDERED};
use super::select::Inst;
use crate::isa::Opcode;

/// Which shift a shift by a number is.
const RIGHT: u8 = 2;
const RIGHT_SIGNED: u8 = 4;

/// The upper dword of each qword.
const UPPER: u64 = !(u32::MAX as u64);

/// Less than, of integers.
const LESS: u8 = 1;

impl Emitter {
    /// Code for an instruction with two results.
    pub fn pairs(&mut self, inst: &Inst, opcode: Opcode, signed: [bool; 3]) {
        let Some(second) = inst.second() else { return };
        let masks = match inst.is_uniform() {
            true => [None; 2],
            false => self.running(inst.lanes, inst.guard),
        };
        let mut targets: Vec<Reg> = Vec::new();
        for r in 0..inst.rows() {
            // What is pinned may not change before all rows have read it; what is held is in the arena as well.
            self.busy.clone_from(&targets);
            for operand in &inst.src {
                let pins = (0..inst.rows()).filter_map(|r| inst.read(operand, r));
                let pins: Vec<Reg> = pins.filter_map(|bytes| self.pin(bytes)).collect();
                self.busy.extend(pins);
                let own = inst.read(operand, r).and_then(|bytes| self.holder(bytes));
                self.busy.extend(own);
            }
            let mask = masks[usize::from(r)];
            let results = self.pair(inst, opcode, signed, r);
            for (inst, result) in [inst, &second].into_iter().zip(results) {
                let target = self.target(inst, r, mask);
                self.finish(Self::len(inst), target, mask, result);
                targets.push(target);
            }
        }
        for r in 0..inst.rows() {
            let at = usize::from(r);
            self.put(inst, r, masks[at], targets[2 * at]);
            self.put(&second, r, masks[at], targets[2 * at + 1]);
        }
    }

    /// Both results of row `r`.
    fn pair(&mut self, inst: &Inst, opcode: Opcode, signed: [bool; 3], r: u8) -> [Reg; 2] {
        let len = Self::len(inst);
        if opcode == Opcode::Madw {
            return self.multiply_add_wide(inst, signed, r);
        }
        let [x, y, _] = BETWEEN;
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        let b = self.source(inst, 1, r);
        let b = self.in_register(b, len, SOURCE[1]);
        let (vector, least) = match opcode {
            Opcode::Addc => (Vector::PADDD, x),
            _ => (Vector::PSUBD, a),
        };
        self.code.vector(vector, len, x, a, Rm::Reg(b));
        // A sum that is less than what was added to, a minuend that is less than what was taken away.
        let other = if least == x { a } else { b };
        self.less(len, least, other);
        let one = (y, UNORDERED, true);
        self.code
            .masked(Vector::BROADCAST, len, one, 0, Rm::Const(1), None);
        [x, y]
    }

    /// Asks where unsigned dwords are less than others.
    fn less(&mut self, len: Len, a: Reg, b: Reg) {
        let to = (UNORDERED, 0, false);
        self.code
            .masked(Vector::PCMPUD, len, to, a, Rm::Reg(b), Some(LESS));
    }

    /// Both halves of `madw`, the product and the sum as qwords.
    fn multiply_add_wide(&mut self, inst: &Inst, signed: [bool; 3], r: u8) -> [Reg; 2] {
        let len = Self::len(inst);
        let [high, low, sum] = BETWEEN;
        let [a, b] = self.high(inst, [signed[0], signed[1]], r);
        self.code.vector(Vector::PMULLD, len, low, a, Rm::Reg(b));
        let c = self.source(inst, 2, r);
        let c = self.in_register(c, len, SOURCE[2]);
        self.code.vector(Vector::PADDD, len, sum, low, Rm::Reg(c));
        self.less(len, sum, low);
        let carry = (high, UNORDERED, false);
        self.code
            .masked(Vector::PADDD, len, carry, high, Rm::Const(1), None);
        if signed[2] {
            self.shift_by(len, RIGHT_SIGNED, (low, c), 31);
            self.code
                .vector(Vector::PADDD, len, high, high, Rm::Reg(low));
        }
        [sum, high]
    }

    /// The upper halves of the products of row `r`, into the first register between; the registers of both sources.
    pub fn high(&mut self, inst: &Inst, signed: [bool; 2], r: u8) -> [Reg; 2] {
        let len = Self::len(inst);
        let [x, y, z] = BETWEEN;
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        let b = self.source(inst, 1, r);
        let b = self.in_register(b, len, SOURCE[1]);
        let vector = match signed {
            [true, true] => Vector::PMULDQ,
            _ => Vector::PMULUDQ,
        };
        self.code.vector(vector, len, x, a, Rm::Reg(b));
        let odd = [(0, a, y), (1, b, z)].map(|(k, reg, to)| self.odd_lanes(inst, k, reg, to));
        self.code.vector(vector, len, y, odd[0], Rm::Reg(odd[1]));
        self.code
            .vector_by(Vector::SHIFT_QWORDS_BY, len, RIGHT, x, Rm::Reg(x), 32);
        let upper = Rm::Const64(UPPER);
        self.code
            .vector_by(Vector::PTERNLOGQ, len, x, y, upper, SELECT_BITS);
        // A negative value counts as 2^32 more where it is taken for an unsigned one.
        match signed {
            [true, false] => self.lessen(len, x, (a, b)),
            [false, true] => self.lessen(len, x, (b, a)),
            _ => {}
        }
        [a, b]
    }

    /// The lanes of a source that are odd, in the place of the even ones.
    fn odd_lanes(&mut self, inst: &Inst, k: usize, reg: Reg, to: Reg) -> Reg {
        match inst.src[k].form {
            OperandShape::Scalar | OperandShape::Value => return reg,
            _ if inst.is_uniform() => return reg,
            _ => {}
        }
        let len = Self::len(inst);
        self.code
            .vector_by(Vector::SHIFT_QWORDS_BY, len, RIGHT, to, Rm::Reg(reg), 32);
        to
    }

    /// Takes a value away where another one is negative.
    fn lessen(&mut self, len: Len, from: Reg, (negative, value): (Reg, Reg)) {
        let between = BETWEEN[1];
        self.shift_by(len, RIGHT_SIGNED, (between, negative), 31);
        self.code
            .vector(Vector::PANDD, len, between, between, Rm::Reg(value));
        self.code
            .vector(Vector::PSUBD, len, from, from, Rm::Reg(between));
    }

    /// Shifts dwords by a number.
    fn shift_by(&mut self, len: Len, which: u8, (to, from): (Reg, Reg), by: u8) {
        self.code
            .vector_by(Vector::SHIFT_BY, len, which, to, Rm::Reg(from), by);
    }
}
