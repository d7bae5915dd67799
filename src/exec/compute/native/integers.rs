//! Integers that take more than an instruction: upper halves of products, sums with what does not fit into them; bits
//! that are counted, found, reversed or moved to predicates.
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

use super::super::decoded::operand::{Element, OperandShape, Put};
use super::assembler::{Gpr, Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, CONDITION, Emitter, Known, SELECT_BITS, SOURCE, UNORDERED};
use super::select::Inst;
use crate::exec::compute::alu::range;
use crate::isa::{Opcode, Type};

/// Which shift a shift by a number is.
pub const RIGHT: u8 = 2;
pub const RIGHT_SIGNED: u8 = 4;
pub const LEFT: u8 = 6;
pub const RIGHT_AROUND: u8 = 0;
pub const LEFT_AROUND: u8 = 1;

/// The upper dword of each qword.
pub const UPPER: u64 = !(u32::MAX as u64);

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
            // What is pinned may not change before all rows have read it; what is held is in the arena once its register is taken.
            self.busy.clone_from(&targets);
            for operand in &inst.src {
                let all = (0..inst.rows()).flat_map(|r| inst.rows_read(operand, r));
                let pins: Vec<Reg> = all.filter_map(|bytes| self.pin(bytes)).collect();
                self.busy.extend(pins);
                self.hold_source(inst, operand, r);
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

    /// The first two sources of row `r` in registers.
    fn both(&mut self, inst: &Inst, r: u8) -> [Reg; 2] {
        [0, 1].map(|k| {
            let value = self.source(inst, k, r);
            self.in_register(value, Self::len(inst), SOURCE[k])
        })
    }

    /// Both results of row `r`.
    fn pair(&mut self, inst: &Inst, opcode: Opcode, signed: [bool; 3], r: u8) -> [Reg; 2] {
        let len = Self::len(inst);
        if opcode == Opcode::Madw {
            return self.multiply_add_wide(inst, signed, r);
        }
        let [x, y, _] = BETWEEN;
        let [a, b] = self.both(inst, r);
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

    /// Row `r` of integers that become the nearest of a type.
    pub fn clamped(
        &mut self,
        inst: &Inst,
        (opcode, signed, ty): (Opcode, bool, Type),
        r: u8,
        to: (Reg, Mask, bool),
    ) {
        let (len, x) = (Self::len(inst), BETWEEN[0]);
        let value = match opcode {
            Opcode::Mov => {
                let a = self.source(inst, 0, r);
                self.in_register(a, len, SOURCE[0])
            }
            _ => {
                self.dword(inst, opcode, r, (x, 0, false));
                x
            }
        };
        let (least, most) = range(ty);
        if !signed {
            let most = Rm::Const(most.min(u32::MAX.into()) as u32);
            return self.code.masked(Vector::PMINUD, len, to, value, most, None);
        }
        let limit = |number: i128| Rm::Const(number as i32 as u32);
        let most = limit(most.min(i32::MAX.into()));
        self.code
            .vector(Vector::PMAXSD, len, x, value, limit(least));
        self.code.masked(Vector::PMINSD, len, to, x, most, None);
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
        let [a, b] = self.both(inst, r);
        let vector = match signed {
            [true, true] => Vector::PMULDQ,
            _ => Vector::PMULUDQ,
        };
        self.code.vector(vector, len, x, a, Rm::Reg(b));
        if inst.is_uniform() {
            // All lanes have the one product.
            self.code.vector(Vector::MOVSHDUP, len, x, 0, Rm::Reg(x));
        } else {
            let odd = [(0, a, y), (1, b, z)].map(|(k, reg, to)| self.odd_lanes(inst, k, reg, to));
            self.code.vector(vector, len, y, odd[0], Rm::Reg(odd[1]));
            self.code
                .vector_by(Vector::SHIFT_QWORDS_BY, len, RIGHT, x, Rm::Reg(x), 32);
            let upper = Rm::Const64(UPPER);
            self.code
                .vector_by(Vector::PTERNLOGQ, len, x, y, upper, SELECT_BITS);
        }
        // A negative value counts as 2^32 more where it is taken for an unsigned one.
        match signed {
            [true, false] => self.lessen(len, x, (a, b)),
            [false, true] => self.lessen(len, x, (b, a)),
            _ => {}
        }
        [a, b]
    }

    /// Row `r` of a number and four products of bytes, into the first register between: those of even bytes and of odd ones
    /// as words, two products of which an instruction sums.
    pub fn dots(&mut self, inst: &Inst, signed: [bool; 2], r: u8) {
        let len = Self::len(inst);
        let [x, y, z] = BETWEEN;
        let [sum, a, b] = [0, 1, 2].map(|k| {
            let value = self.source(inst, k, r);
            self.in_register(value, len, SOURCE[k])
        });
        let code = &mut self.code;
        for (to, from, signed) in [(x, a, signed[0]), (y, b, signed[1])] {
            let (shift, own) = (Vector::SHIFT_WORDS_BY, Rm::Reg(from));
            match signed {
                true => {
                    code.vector_by(shift, len, LEFT, to, own, 8);
                    code.vector_by(shift, len, RIGHT_SIGNED, to, Rm::Reg(to), 8);
                }
                false => code.vector(Vector::PANDD, len, to, from, Rm::Const(0x00ff_00ff)),
            }
        }
        code.vector(Vector::PMADDWD, len, x, x, Rm::Reg(y));
        for (to, from, signed) in [(y, a, signed[0]), (z, b, signed[1])] {
            let which = if signed { RIGHT_SIGNED } else { RIGHT };
            let shift = Vector::SHIFT_WORDS_BY;
            code.vector_by(shift, len, which, to, Rm::Reg(from), 8);
        }
        code.vector(Vector::PMADDWD, len, y, y, Rm::Reg(z));
        code.vector(Vector::PADDD, len, x, x, Rm::Reg(y));
        code.vector(Vector::PADDD, len, x, x, Rm::Reg(sum));
    }

    /// Quotients or remainders of row `r`, into the first register between. Doubles have them exactly: one that is no
    /// integer is further from the next one than its rounding reaches.
    pub fn divide(&mut self, inst: &Inst, opcode: Opcode, signed: [bool; 2], r: u8) {
        let len = Self::len(inst);
        let [x, y, z] = BETWEEN;
        let [a, b] = self.both(inst, r);
        let parts = if inst.row() > 8 { 2 } else { 1 };
        for part in 0..parts {
            for ((from, signed), to) in [a, b].into_iter().zip(signed).zip([y, z]) {
                let mut from = from;
                if part > 0 {
                    self.code
                        .vector_by(Vector::EXTRACT_HALF, Len::Z, from, 0, Rm::Reg(to), 1);
                    from = to;
                }
                let vector = match signed {
                    true => Vector::CVTDQ2PD,
                    false => Vector::CVTUDQ2PD,
                };
                self.code.vector(vector, Len::Z, to, 0, Rm::Reg(from));
            }
            let into = if part == 0 { x } else { y };
            let code = &mut self.code;
            code.vector(Vector::DIVPD, Len::Z, y, y, Rm::Reg(z));
            code.small_qwords(Len::Z, y, y);
            code.vector(Vector::PMOVQD, Len::Z, y, 0, Rm::Reg(into));
            if part > 0 {
                code.vector_by(Vector::INSERT_HALF, Len::Z, x, x, Rm::Reg(y), 1);
            }
        }
        if inst.is_uniform() {
            self.code.vector(Vector::SPREAD, len, x, 0, Rm::Reg(x));
        }
        if opcode == Opcode::Mod {
            // By zero it is the numerator, whatever the quotient is.
            self.code.vector(Vector::PMULLD, len, x, x, Rm::Reg(b));
            return self.code.vector(Vector::PSUBD, len, x, a, Rm::Reg(x));
        }
        let zero = (UNORDERED, 0, false);
        self.code
            .masked(Vector::PTESTNMD, len, zero, b, Rm::Reg(b), None);
        let ones = Rm::Const(u32::MAX);
        let by_zero = (x, UNORDERED, false);
        self.code
            .masked(Vector::BROADCAST, len, by_zero, 0, ones, None);
    }

    /// The lanes of a source that are odd, in the place of the even ones.
    fn odd_lanes(&mut self, inst: &Inst, k: usize, reg: Reg, to: Reg) -> Reg {
        if let OperandShape::Scalar | OperandShape::Value = inst.src[k].form {
            return reg;
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

    /// What bits of row `r` are asked for, into the first register between.
    pub fn bits(&mut self, inst: &Inst, (opcode, signed): (Opcode, bool), r: u8) {
        let (len, x) = (Self::len(inst), BETWEEN[0]);
        let a = self.source(inst, 0, r);
        if opcode == Opcode::Lzd {
            return self.code.vector(Vector::PLZCNTD, len, x, 0, a);
        }
        let a = self.in_register(a, len, SOURCE[0]);
        match opcode {
            Opcode::Cbit => self.count_ones(len, a),
            Opcode::Fbl => self.lowest(len, a),
            Opcode::Fbh => self.highest(len, a, signed),
            _ => self.reversed(len, a),
        }
    }

    /// How many bits are set: of pairs, of fours, of bytes, and the sum of these in the uppermost one.
    fn count_ones(&mut self, len: Len, a: Reg) {
        let [x, y, _] = BETWEEN;
        let pairs = Rm::Const(0x5555_5555);
        let fours = Rm::Const(0x3333_3333);
        self.shift_by(len, RIGHT, (y, a), 1);
        self.code.vector(Vector::PANDD, len, y, y, pairs);
        self.code.vector(Vector::PSUBD, len, x, a, Rm::Reg(y));
        self.shift_by(len, RIGHT, (y, x), 2);
        self.code.vector(Vector::PANDD, len, y, y, fours);
        self.code.vector(Vector::PANDD, len, x, x, fours);
        self.code.vector(Vector::PADDD, len, x, x, Rm::Reg(y));
        self.shift_by(len, RIGHT, (y, x), 4);
        self.code.vector(Vector::PADDD, len, x, x, Rm::Reg(y));
        let bytes = Rm::Const(0x0f0f_0f0f);
        self.code.vector(Vector::PANDD, len, x, x, bytes);
        let ones = Rm::Const(0x0101_0101);
        self.code.vector(Vector::PMULLD, len, x, x, ones);
        self.shift_by(len, RIGHT, (x, x), 24);
    }

    /// The place of the lowest bit that is set; of 32 zeros in front of none it is -1.
    fn lowest(&mut self, len: Len, a: Reg) {
        let [x, y, _] = BETWEEN;
        self.finish(len, y, None, a);
        self.negate(len, y);
        self.code.vector(Vector::PANDD, len, y, y, Rm::Reg(a));
        self.code.vector(Vector::PLZCNTD, len, y, 0, Rm::Reg(y));
        self.code
            .vector(Vector::BROADCAST, len, x, 0, Rm::Const(31));
        self.code.vector(Vector::PSUBD, len, x, x, Rm::Reg(y));
    }

    /// How many bits from the uppermost one on are like the sign, or zeros; -1 if all are.
    fn highest(&mut self, len: Len, a: Reg, signed: bool) {
        let [x, y, _] = BETWEEN;
        let mut value = a;
        if signed {
            self.shift_by(len, RIGHT_SIGNED, (y, a), 31);
            self.code.vector(Vector::PXORD, len, y, y, Rm::Reg(a));
            value = y;
        }
        self.code.vector(Vector::PLZCNTD, len, x, 0, Rm::Reg(value));
        let none = (UNORDERED, 0, false);
        let other = Rm::Reg(value);
        self.code
            .masked(Vector::PTESTNMD, len, none, value, other, None);
        let ones = Rm::Const(u32::MAX);
        let none = (x, UNORDERED, false);
        self.code
            .masked(Vector::BROADCAST, len, none, 0, ones, None);
    }

    /// Bits the other way round: neighbours change places, then pairs, fours, and bytes.
    fn reversed(&mut self, len: Len, a: Reg) {
        let [x, y, _] = BETWEEN;
        let mut from = a;
        for (by, low) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
            self.shift_by(len, RIGHT, (y, from), by);
            self.shift_by(len, LEFT, (x, from), by);
            self.choose_bits(len, low);
            from = x;
        }
        self.shift_by(len, RIGHT_AROUND, (y, x), 8);
        self.shift_by(len, LEFT_AROUND, (x, x), 8);
        self.choose_bits(len, 0xff00_ff00);
    }

    /// The second register between takes the place of the first one where bits are set.
    fn choose_bits(&mut self, len: Len, bits: u32) {
        let [x, y, _] = BETWEEN;
        let bits = Rm::Const(bits);
        self.code
            .vector_by(Vector::PTERNLOGD, len, x, y, bits, SELECT_BITS);
    }

    /// Loads an element of an operand of this form, extended by its sign, or the value that it is.
    pub fn load_element(&mut self, to: Gpr, form: OperandShape, at: u32) {
        match form {
            OperandShape::Value => self.code.move_number(to, at),
            OperandShape::Strided(element, _) if element != Element::Dword => {
                let signed = matches!(element, Element::S8 | Element::S16);
                let bytes = element.bytes() as u32;
                self.code.load_extended(to, at, bytes, signed);
            }
            _ => self.single_dword(to, at),
        }
    }

    /// The bits of a value become those of a predicate, whatever lanes run.
    pub fn set_bits(&mut self, inst: &Inst) {
        let operand = &inst.src[0];
        let (to, at) = (Gpr::Rax, operand.at());
        self.load_element(to, operand.form, at);
        self.code.shift_left(to, inst.lanes.offset);
        if let Put::Flags(predicate) = inst.dst {
            self.write_predicate(inst.lanes, predicate);
            if operand.form == OperandShape::Value {
                let window = inst.lanes.all() << inst.lanes.offset;
                self.known.push(Known {
                    at: predicate,
                    window,
                    bits: at << inst.lanes.offset & window,
                });
            }
        }
    }

    /// The lowest bits of elements become those of a predicate.
    pub fn low_bits(&mut self, inst: &Inst) {
        let len = Self::len(inst);
        for r in 0..inst.rows() {
            let a = self.source(inst, 0, r);
            let a = self.in_register(a, len, SOURCE[0]);
            let to = (CONDITION[usize::from(r)], 0, false);
            self.code
                .masked(Vector::PTESTMD, len, to, a, Rm::Const(1), None);
        }
        self.write_conditions(inst);
    }
}
