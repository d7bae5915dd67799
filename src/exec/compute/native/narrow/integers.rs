//! Integers, and what is asked of bits: some instructions of AVX-512 take several here.

use super::super::assembler::{Assembler, Len, Mask, Reg, Rm};
use super::instructions::{To, halves};
use super::vex::{From, Op};

impl Assembler {
    /// Any function of three bits: `number` has the result for each of their values, the first one's bit the highest.
    pub fn logic(&mut self, len: Len, (to, qwords): (To, bool), a: Reg, b: Rm, number: u8) {
        let long = len != Len::X;
        let shared = self.shared(b, qwords);
        for half in 0..halves(len) {
            let x = self.half(to.0, half);
            let y = self.half(a, half);
            let z = self.second_in_slot(b, shared, half, len);
            // Where the first one's bit is set, and where it is not.
            let (one, other) = (self.spare(), self.spare());
            self.logic_of_two(number >> 4, y, z, one);
            self.logic_of_two(number & 15, y, z, other);
            self.vex(Op::AND, long, one, x, From::Slot(one));
            self.vex(Op::AND_NOT, long, other, x, From::Slot(other));
            self.vex(Op::OR, long, one, one, From::Slot(other));
            self.give(other);
            self.put_slot((to, qwords), half, long, one);
        }
        self.done(to.0, len);
    }

    /// The same of two bits.
    pub fn logic_of_two(&mut self, number: u8, y: u8, z: u8, slot: u8) {
        let (op, first, second, inverted) = match number {
            0b0000 => return self.clear_slot(slot),
            0b1111 => return self.vex(Op::EQUAL, true, slot, slot, From::Slot(slot)),
            0b1100 => (Op::AND, y, y, false),
            0b0011 => (Op::AND, y, y, true),
            0b1010 => (Op::AND, z, z, false),
            0b0101 => (Op::AND, z, z, true),
            0b1000 => (Op::AND, y, z, false),
            0b0111 => (Op::AND, y, z, true),
            0b1110 => (Op::OR, y, z, false),
            0b0001 => (Op::OR, y, z, true),
            0b0110 => (Op::XOR, y, z, false),
            0b1001 => (Op::XOR, y, z, true),
            0b0100 => (Op::AND_NOT, z, y, false),
            0b1011 => (Op::AND_NOT, z, y, true),
            0b0010 => (Op::AND_NOT, y, z, false),
            _ => (Op::AND_NOT, y, z, true),
        };
        self.vex(op, true, slot, first, From::Slot(second));
        if inverted {
            self.invert(slot, true);
        }
    }

    pub fn invert(&mut self, slot: u8, long: bool) {
        let ones = self.each(u32::MAX);
        self.vex(Op::XOR, long, slot, slot, From::Slot(ones));
    }

    /// Shifts and rotations of dwords by one number.
    pub fn shift_by(&mut self, len: Len, to: To, which: u8, b: Rm, number: Option<u8>) {
        let long = len != Len::X;
        if which > 1 {
            let to = (to.0, to.1, to.2, false);
            return self.shift_each(Op::SHIFT_BY, len, to, which, b, number);
        }
        let by = number.unwrap_or(0) & 31;
        let (left, right) = match which {
            0 => (32 - by, by),
            _ => (by, 32 - by),
        };
        let shared = self.shared(b, false);
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            let (slot, other) = (self.spare(), self.spare());
            self.vex_by(Op::SHIFT_BY, long, 6, slot, From::Slot(value), left);
            self.vex_by(Op::SHIFT_BY, long, 2, other, From::Slot(value), right);
            self.vex(Op::OR, long, slot, slot, From::Slot(other));
            self.put_slot((to, false), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// Shifts that are the same for each half.
    pub fn shift_each(
        &mut self,
        op: Op,
        len: Len,
        (to, mask, zero, qwords): (Reg, Mask, bool, bool),
        which: u8,
        b: Rm,
        number: Option<u8>,
    ) {
        let long = len != Len::X;
        let shared = self.shared(b, qwords);
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            self.put(((to, mask, zero), qwords), half, long, |own, slot| {
                own.vex_with(op, long, which, slot, From::Slot(value), number);
            });
        }
        self.done(to, len);
    }

    /// Shifts qwords to the right, their signs coming in: by a number, or by what each lane says, below 64.
    pub fn shift_signed(&mut self, len: Len, to: To, a: Rm, by: Result<u8, Rm>) {
        let long = len != Len::X;
        let shared = self.shared(a, true);
        let counts = by.err().and_then(|by| self.shared(by, true));
        let sign = match by {
            Ok(by) => self.each_qword(1 << 63 >> by),
            Err(_) => self.each_qword(1 << 63),
        };
        for half in 0..halves(len) {
            let value = self.second_in_slot(a, shared, half, len);
            let slot = self.spare();
            let sign = match by {
                Ok(by) => {
                    let value = From::Slot(value);
                    self.vex_by(Op::SHIFT_QWORDS_BY, long, 2, slot, value, by);
                    sign
                }
                Err(by) => {
                    let count = self.second_in_slot(by, counts, half, len);
                    let own = self.spare();
                    let op = Op::SHIFT_QWORDS_RIGHT;
                    self.vex(op, long, slot, value, From::Slot(count));
                    self.vex(op, long, own, sign, From::Slot(count));
                    own
                }
            };
            self.vex(Op::XOR, long, slot, slot, From::Slot(sign));
            self.vex(Op::SUBTRACT_QWORDS, long, slot, slot, From::Slot(sign));
            self.put_slot((to, true), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// Rotates dwords by what each lane says.
    pub fn rotate(&mut self, len: Len, to: To, a: Reg, b: Rm, left: bool) {
        let long = len != Len::X;
        let shared = self.shared(b, false);
        let (bits, all) = (self.each(31), self.each(32));
        let (there, back) = match left {
            true => (Op::SHIFT_LEFT, Op::SHIFT_RIGHT),
            false => (Op::SHIFT_RIGHT, Op::SHIFT_LEFT),
        };
        for half in 0..halves(len) {
            let value = self.half(a, half);
            let by = self.second(b, shared, half);
            let (slot, count) = (self.spare(), self.spare());
            self.vex(Op::AND, long, count, bits, by);
            self.vex(there, long, slot, value, From::Slot(count));
            self.vex(Op::SUBTRACT, long, count, all, From::Slot(count));
            self.vex(back, long, count, value, From::Slot(count));
            self.vex(Op::OR, long, slot, slot, From::Slot(count));
            self.put_slot((to, false), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// How many zeros are in front of the uppermost bit: told by the exponent of a single that is not rounded up.
    pub fn leading_zeros(&mut self, len: Len, to: To, b: Rm) {
        let long = len != Len::X;
        let shared = self.shared(b, false);
        let (bias, most, zero) = (self.each(158), self.each(32), self.each(0));
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            let slot = self.spare();
            self.vex_by(Op::SHIFT_BY, long, 2, slot, From::Slot(value), 1);
            self.vex(Op::AND_NOT, long, slot, slot, From::Slot(value));
            self.vex(Op::TO_SINGLES, long, slot, 0, From::Slot(slot));
            self.vex_by(Op::SHIFT_BY, long, 2, slot, From::Slot(slot), 23);
            // The sign of what has the uppermost bit is above the exponent.
            self.vex(Op::SUBTRACT, long, slot, bias, From::Slot(slot));
            self.vex(Op::SIGNED_MOST, long, slot, slot, From::Slot(zero));
            self.vex(Op::SIGNED_LEAST, long, slot, slot, From::Slot(most));
            self.put_slot((to, false), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// The low halves of products of qwords.
    pub fn multiply_qwords(&mut self, len: Len, to: To, a: Reg, b: Rm) {
        let long = len != Len::X;
        let shared = self.shared(b, true);
        for half in 0..halves(len) {
            let a = self.half(a, half);
            let b = self.second_in_slot(b, shared, half, len);
            let (slot, other) = (self.spare(), self.spare());
            let shift = Op::SHIFT_QWORDS_BY;
            self.vex_by(shift, long, 2, slot, From::Slot(a), 32);
            self.vex(Op::MULTIPLY, long, slot, slot, From::Slot(b));
            self.vex_by(shift, long, 2, other, From::Slot(b), 32);
            self.vex(Op::MULTIPLY, long, other, other, From::Slot(a));
            self.vex(Op::ADD_QWORDS, long, slot, slot, From::Slot(other));
            self.vex_by(shift, long, 6, slot, From::Slot(slot), 32);
            self.vex(Op::MULTIPLY, long, other, a, From::Slot(b));
            self.vex(Op::ADD_QWORDS, long, slot, slot, From::Slot(other));
            self.give(other);
            self.put_slot((to, true), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// Compares integers: equal, less, less or equal, and what is none of these.
    pub fn compare(
        &mut self,
        len: Len,
        (to, qwords): (To, bool),
        a: Reg,
        b: Rm,
        (signed, relation): (bool, u8),
    ) {
        let long = len != Len::X;
        let shared = self.shared(b, qwords);
        let (equal, greater) = match qwords {
            true => (Op::EQUAL_QWORDS, Op::GREATER_QWORDS),
            false => (Op::EQUAL, Op::GREATER),
        };
        let mut slots = Vec::new();
        for half in 0..halves(len) {
            let mut a = self.half(a, half);
            let mut b = self.second_in_slot(b, shared, half, len);
            let slot = self.spare();
            let inverted = match (relation & 3, signed, qwords) {
                (0, ..) => {
                    self.vex(equal, long, slot, a, From::Slot(b));
                    relation & 4 != 0
                }
                (3, ..) => {
                    self.clear_slot(slot);
                    relation & 4 != 0
                }
                (less, false, false) => {
                    // a < b unless the greater one is a; a <= b if the smaller one is.
                    let op = if less == 1 { Op::MOST } else { Op::LEAST };
                    self.vex(op, long, slot, a, From::Slot(b));
                    self.vex(equal, long, slot, slot, From::Slot(a));
                    (less == 1) != (relation & 4 != 0)
                }
                (less, signed, _) => {
                    if !signed {
                        let sign = self.each_qword(1 << 63);
                        let other = self.spare();
                        self.vex(Op::XOR, long, slot, a, From::Slot(sign));
                        self.vex(Op::XOR, long, other, b, From::Slot(sign));
                        (a, b) = (slot, other);
                    }
                    match less {
                        1 => self.vex(greater, long, slot, b, From::Slot(a)),
                        _ => self.vex(greater, long, slot, a, From::Slot(b)),
                    }
                    (less == 2) != (relation & 4 != 0)
                }
            };
            self.mask_lanes(to.1, (qwords, half), slot, inverted, long);
            slots.push(slot);
        }
        self.mask_becomes(to.0, qwords, &slots);
    }

    /// Lanes of a slot, or all others, of those that a mask has.
    pub fn mask_lanes(
        &mut self,
        mask: Mask,
        (qwords, half): (bool, u8),
        slot: u8,
        inverted: bool,
        long: bool,
    ) {
        if mask == 0 {
            if inverted {
                self.invert(slot, long);
            }
            return;
        }
        let lanes = self.lanes(mask, qwords, half);
        let op = if inverted { Op::AND_NOT } else { Op::AND };
        self.vex(op, long, slot, slot, From::Slot(lanes));
    }

    /// Whether two have bits in common, or none.
    pub fn test_bits(&mut self, len: Len, (to, qwords): (To, bool), a: Reg, b: Rm, any: bool) {
        let long = len != Len::X;
        let shared = self.shared(b, qwords);
        let zero = self.each(0);
        let equal = if qwords { Op::EQUAL_QWORDS } else { Op::EQUAL };
        let mut slots = Vec::new();
        for half in 0..halves(len) {
            let a = self.half(a, half);
            let b = self.second(b, shared, half);
            let slot = self.spare();
            self.vex(Op::AND, long, slot, a, b);
            self.vex(equal, long, slot, slot, From::Slot(zero));
            self.mask_lanes(to.1, (qwords, half), slot, any, long);
            slots.push(slot);
        }
        self.mask_becomes(to.0, qwords, &slots);
    }

    /// Whether floats are of classes: quiet NaN, +0, -0, +infinity, -infinity, denormal, negative, signaling NaN.
    pub fn classes(&mut self, len: Len, (to, qwords): (To, bool), b: Rm, classes: u8) {
        let long = len != Len::X;
        let shared = self.shared(b, qwords);
        let (equal, greater) = match qwords {
            true => (Op::EQUAL_QWORDS, Op::GREATER_QWORDS),
            false => (Op::EQUAL, Op::GREATER),
        };
        let number = |own: &mut Self, dword: u32, qword: u64| match qwords {
            true => own.each_qword(qword),
            false => own.each(dword),
        };
        let sign = (1 << 31, 1 << 63);
        let infinite = (0x7f80_0000, 0x7ff0_0000_0000_0000);
        let signaling = (0x7fbf_ffff, 0x7ff7_ffff_ffff_ffff);
        let normal = (0x0080_0000, 0x0010_0000_0000_0000);
        let mut slots = Vec::new();
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            let (all, size, one) = (self.spare(), self.spare(), self.spare());
            let unsigned = number(self, !sign.0, !sign.1);
            self.vex(Op::AND, long, size, value, From::Slot(unsigned));
            self.clear_slot(all);
            // Greater or equal than numbers, of the value or of its size.
            let test = |own: &mut Self, op: Op, of: u8, (dword, qword): (u32, u64)| {
                let number = number(own, dword, qword);
                own.vex(op, long, one, of, From::Slot(number));
                own.give(number);
                own.vex(Op::OR, long, all, all, From::Slot(one));
            };
            match classes & 0x81 {
                0x81 => test(self, greater, size, infinite),
                0x01 => test(self, greater, size, signaling),
                0x80 => {
                    test(self, greater, size, signaling);
                    // Those are quiet ones: all others of the NaN.
                    self.invert(all, long);
                    let number = number(self, infinite.0, infinite.1);
                    self.vex(greater, long, one, size, From::Slot(number));
                    self.vex(Op::AND, long, all, all, From::Slot(one));
                }
                _ => {}
            }
            let test = |own: &mut Self, op: Op, of: u8, (dword, qword): (u32, u64)| {
                let number = number(own, dword, qword);
                own.vex(op, long, one, of, From::Slot(number));
                own.give(number);
                own.vex(Op::OR, long, all, all, From::Slot(one));
            };
            match classes & 0x06 {
                0x06 => test(self, equal, size, (0, 0)),
                0x02 => test(self, equal, value, (0, 0)),
                0x04 => test(self, equal, value, sign),
                _ => {}
            }
            match classes & 0x18 {
                0x18 => test(self, equal, size, infinite),
                0x08 => test(self, equal, value, infinite),
                0x10 => test(
                    self,
                    equal,
                    value,
                    (infinite.0 | sign.0, infinite.1 | sign.1),
                ),
                _ => {}
            }
            // Between 0 and a number, by itself.
            let between = |own: &mut Self, most: (u32, u64), negative: bool| {
                let most = number(own, most.0, most.1);
                let zero = own.each(0);
                let other = own.spare();
                own.vex(greater, long, one, most, From::Slot(size));
                own.vex(greater, long, other, size, From::Slot(zero));
                own.vex(Op::AND, long, one, one, From::Slot(other));
                if negative {
                    own.vex(greater, long, other, zero, From::Slot(value));
                    own.vex(Op::AND, long, one, one, From::Slot(other));
                }
                own.vex(Op::OR, long, all, all, From::Slot(one));
                [most, other].into_iter().for_each(|slot| own.give(slot));
            };
            if classes & 0x20 != 0 {
                between(self, normal, false);
            }
            if classes & 0x40 != 0 {
                between(self, infinite, true);
            }
            [size, one].into_iter().for_each(|slot| self.give(slot));
            self.mask_lanes(to.1, (qwords, half), all, false, long);
            slots.push(all);
        }
        self.mask_becomes(to.0, qwords, &slots);
    }
}
