//! From one kind of number to another, and what functions take doubles apart with.

use super::super::assembler::{Assembler, Len, Reg, Rm, Vector};
use super::instructions::{To, halves};
use super::vex::{At, From, Op};
use super::{BITS, FILE, ROOM};

/// `1.5 · 2^52`: added to a smaller integer, this one's bits are the low ones of the sum.
const MAGIC: u64 = 0x4338_0000_0000_0000;

impl Assembler {
    /// Doubles to what has half of their bits.
    pub fn shorten(&mut self, op: Op, len: Len, to: To, b: Rm) {
        let shared = self.shared(b, true);
        let slot = self.spare();
        let from = self.second(b, shared, 0);
        self.vex(op, len != Len::X, slot, 0, from);
        if len == Len::Z {
            let other = self.spare();
            let from = self.second(b, shared, 1);
            self.vex(op, true, other, 0, from);
            self.vex_by(Op::INSERT, true, slot, slot, From::Slot(other), 1);
        }
        self.put_slot((to, false), 0, true, slot);
        self.clear_upper(to.0);
    }

    /// Singles to halves.
    pub fn halves_of_singles(&mut self, len: Len, (from, mask, _): To, to: Rm, number: u8) {
        let long = len != Len::X;
        let Rm::Reg(to) = to else {
            self.lacks = true;
            return;
        };
        let slot = self.spare();
        let low = self.half(from, 0);
        self.vex_by(Op::TO_HALVES, long, low, 0, From::Slot(slot), number);
        if len == Len::Z {
            let (other, high) = (self.spare(), self.half(from, 1));
            self.vex_by(Op::TO_HALVES, true, high, 0, From::Slot(other), number);
            self.vex_by(Op::INSERT, true, slot, slot, From::Slot(other), 1);
        }
        self.lacks |= mask != 0;
        self.becomes(to, 0, slot);
        self.clear_upper(to);
    }

    /// Doubles from 0 up to 2^32, this one not, to unsigned dwords.
    pub fn doubles_to_unsigned(&mut self, len: Len, to: To, b: Rm) {
        // 2^52: the bits of a smaller integer that is added to it are its own low ones.
        let magic = self.each_qword(0x4330_0000_0000_0000);
        let mut slots = Vec::new();
        for half in 0..halves(len) {
            let value = self.second(b, None, half);
            let slot = self.spare();
            self.vex_by(Op::ROUND_DOUBLES, len != Len::X, slot, 0, value, 3);
            self.vex(Op::ADD_DOUBLES, true, slot, slot, From::Slot(magic));
            slots.push(slot);
        }
        let slot = self.low_dwords_of(slots[0], slots.get(1).copied());
        self.put_slot((to, false), 0, true, slot);
        self.clear_upper(to.0);
    }

    /// Doubles whose size is below 2^51 to qwords, what is behind the point dropped; of others it is not said what they
    /// become.
    pub fn small_qwords(&mut self, len: Len, to: Reg, from: Reg) {
        if !self.narrows {
            return self.vector(Vector::CVTTPD2QQ, len, to, 0, Rm::Reg(from));
        }
        let magic = self.each_qword(MAGIC);
        for half in 0..halves(len) {
            let value = self.half(from, half);
            let slot = self.spare();
            self.vex_by(Op::ROUND_DOUBLES, true, slot, 0, From::Slot(value), 3);
            self.vex(Op::ADD_DOUBLES, true, slot, slot, From::Slot(magic));
            self.vex(Op::SUBTRACT_QWORDS, true, slot, slot, From::Slot(magic));
            self.becomes(to, half, slot);
        }
        self.done(to, len);
        self.release();
    }

    /// Doubles to qwords, lane after lane.
    pub fn doubles_to_qwords_at(&mut self, len: Len, to: To, b: Rm, signed: bool) {
        let room = |at: i32| At::Base(FILE as u8, ROOM + at);
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, None, half, len);
            let mut slot = value;
            let mut beyond = None;
            if !signed {
                // GE_OQ
                const AT_LEAST: u8 = 0x1d;
                let limit = self.each_qword(9_223_372_036_854_775_808f64.to_bits());
                let all = self.each_qword(18_446_744_073_709_551_616f64.to_bits());
                let (upper, above, less) = (self.spare(), self.spare(), self.spare());
                let op = Op::COMPARE_DOUBLES;
                self.vex_by(op, true, upper, value, From::Slot(limit), AT_LEAST);
                self.vex_by(op, true, above, value, From::Slot(all), AT_LEAST);
                self.vex(Op::AND, true, less, upper, From::Slot(limit));
                self.vex(Op::SUBTRACT_DOUBLES, true, less, value, From::Slot(less));
                slot = less;
                beyond = Some((upper, above));
            }
            self.vex(Op::STORE, true, slot, 0, From::Memory(room(0)));
            for lane in 0..4 {
                let from = From::Memory(room(8 * lane));
                self.vex(Op::DOUBLE_TO_QWORD, false, BITS as u8, 0, from);
                self.gpr_at(&[0x89], true, BITS, room(64 + 8 * lane));
            }
            let made = self.spare();
            self.vex(Op::LOAD, true, made, 0, From::Memory(room(64)));
            if let Some((upper, above)) = beyond {
                self.vex_by(Op::SHIFT_QWORDS_BY, true, 6, upper, From::Slot(upper), 63);
                self.vex(Op::XOR, true, made, made, From::Slot(upper));
                self.vex(Op::OR, true, made, made, From::Slot(above));
            }
            self.put_slot((to, true), half, true, made);
            self.release();
        }
        self.done(to.0, len);
    }

    /// Qwords as doubles, rounded once: the sum of their upper and lower halves, both of which are exact.
    pub fn doubles_of_qwords(&mut self, len: Len, to: To, b: Rm, signed: bool) {
        const LOW: u64 = 0x4330_0000_0000_0000;
        // 2^84 and 2^52; and 2^63, where signs are turned.
        let (upper, less): (u64, u64) = match signed {
            true => (0x4530_0000_8000_0000, 0x4530_0000_8010_0000),
            false => (0x4530_0000_0000_0000, 0x4530_0000_0010_0000),
        };
        let shared = self.shared(b, true);
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            let (slot, high) = (self.spare(), self.spare());
            let with = |own: &mut Self, op, to, from, number| {
                let number = own.each_qword(number);
                own.vex(op, true, to, from, From::Slot(number));
                own.give(number);
            };
            with(self, Op::AND, slot, value, u32::MAX.into());
            with(self, Op::OR, slot, slot, LOW);
            self.vex_by(Op::SHIFT_QWORDS_BY, true, 2, high, From::Slot(value), 32);
            with(self, Op::XOR, high, high, upper);
            with(self, Op::SUBTRACT_DOUBLES, high, high, less);
            self.vex(Op::ADD_DOUBLES, true, slot, slot, From::Slot(high));
            // Zero has no sign, in whatever direction the sum is rounded.
            let zero = self.each(0);
            self.vex(Op::EQUAL_QWORDS, true, high, value, From::Slot(zero));
            self.vex(Op::AND_NOT, true, slot, high, From::Slot(slot));
            self.give(high);
            self.put_slot((to, true), half, true, slot);
        }
        self.done(to.0, len);
    }

    /// Unsigned dwords as doubles.
    pub fn doubles_of_unsigned(&mut self, len: Len, to: To, b: Rm) {
        let Vector(prefix, map, _, opcode) = Vector::PMOVZXDQ;
        let whole = (to.0, 0, false);
        let to_qwords = (Op(prefix, map, 0, opcode), 16, true);
        self.lacks |= to.1 != 0;
        self.widen(to_qwords, len, whole, b);
        let magic = self.each_qword(0x4330_0000_0000_0000);
        let unsigned = self.each_qword(i64::MAX.cast_unsigned());
        for half in 0..halves(len) {
            self.half(to.0, half);
            let slot = self.new_half(to.0, half);
            self.vex(Op::OR, true, slot, slot, From::Slot(magic));
            self.vex(Op::SUBTRACT_DOUBLES, true, slot, slot, From::Slot(magic));
            // Zero has no sign, in whatever direction it is rounded.
            self.vex(Op::AND, true, slot, slot, From::Slot(unsigned));
        }
        self.done(to.0, len);
    }

    /// Unsigned dwords as singles, rounded once: the sum of their upper and lower words, both of which are exact.
    pub fn singles_of_unsigned(&mut self, len: Len, to: To, b: Rm) {
        let long = len != Len::X;
        let shared = self.shared(b, false);
        let (low, scale) = (self.each(0xffff), self.each(65536f32.to_bits()));
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            let (slot, high) = (self.spare(), self.spare());
            self.vex(Op::AND, long, slot, value, From::Slot(low));
            self.vex(Op::TO_SINGLES, long, slot, 0, From::Slot(slot));
            self.vex_by(Op::SHIFT_BY, long, 2, high, From::Slot(value), 16);
            self.vex(Op::TO_SINGLES, long, high, 0, From::Slot(high));
            self.vex(Op::MULTIPLY_SINGLES, long, high, high, From::Slot(scale));
            self.vex(Op::ADD_SINGLES, long, slot, slot, From::Slot(high));
            self.give(high);
            self.put_slot((to, false), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// Singles that are not negative to unsigned dwords; what is beyond them becomes all ones.
    pub fn singles_to_unsigned(&mut self, len: Len, to: To, b: Rm) {
        // GE_OQ
        const AT_LEAST: u8 = 0x1d;
        let long = len != Len::X;
        let shared = self.shared(b, false);
        let upper = self.each(2_147_483_648f32.to_bits());
        let most = self.each(4_294_967_296f32.to_bits());
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, shared, half, len);
            let (slot, above, less) = (self.spare(), self.spare(), self.spare());
            let op = Op::COMPARE;
            self.vex_by(op, long, above, value, From::Slot(upper), AT_LEAST);
            self.vex(Op::AND, long, less, above, From::Slot(upper));
            self.vex(Op::SUBTRACT_SINGLES, long, slot, value, From::Slot(less));
            self.vex(Op::TO_INTEGERS, long, slot, 0, From::Slot(slot));
            self.vex_by(Op::SHIFT_BY, long, 6, above, From::Slot(above), 31);
            self.vex(Op::XOR, long, slot, slot, From::Slot(above));
            self.vex_by(op, long, above, value, From::Slot(most), AT_LEAST);
            self.vex(Op::OR, long, slot, slot, From::Slot(above));
            [above, less].into_iter().for_each(|slot| self.give(slot));
            self.put_slot((to, false), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// Exponents of doubles that are normal, zero or infinite: of these two they are infinite.
    pub fn exponents(&mut self, len: Len, to: To, b: Rm) {
        const EQUAL: u8 = 0;
        let Vector(prefix, map, _, opcode) = Vector::CVTDQ2PD;
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, None, half, len);
            let slot = self.spare();
            let (bits, bias) = (self.each_qword(0x7ff), self.each_qword(1023));
            self.vex_by(Op::SHIFT_QWORDS_BY, true, 2, slot, From::Slot(value), 52);
            self.vex(Op::AND, true, slot, slot, From::Slot(bits));
            self.vex(Op::SUBTRACT_QWORDS, true, slot, slot, From::Slot(bias));
            let low = self.low_dwords_of(slot, None);
            self.vex(Op(prefix, map, 0, opcode), true, low, 0, From::Slot(low));
            let (least, most) = (
                self.each_qword(f64::NEG_INFINITY.to_bits()),
                self.each_qword(f64::INFINITY.to_bits()),
            );
            let (zero, unsigned) = (self.each(0), self.each_qword(i64::MAX.cast_unsigned()));
            let op = Op::COMPARE_DOUBLES;
            self.vex_by(op, true, slot, value, From::Slot(zero), EQUAL);
            self.vex_by(Op::BLEND, true, low, low, From::Slot(least), slot << 4);
            self.vex(Op::AND, true, slot, value, From::Slot(unsigned));
            self.vex_by(op, true, slot, slot, From::Slot(most), EQUAL);
            self.vex_by(Op::BLEND, true, low, low, From::Slot(most), slot << 4);
            self.put_slot((to, true), half, true, low);
            self.release();
        }
        self.done(to.0, len);
    }

    /// What doubles are that are normal, zero or infinite but for their exponents, from 1 up to 2, with their signs.
    pub fn mantissas(&mut self, len: Len, to: To, b: Rm) {
        let kept = self.each_qword(0x800f_ffff_ffff_ffff);
        let one = self.each_qword(1f64.to_bits());
        for half in 0..halves(len) {
            let value = self.second_in_slot(b, None, half, len);
            let slot = self.spare();
            self.vex(Op::AND, true, slot, value, From::Slot(kept));
            self.vex(Op::OR, true, slot, slot, From::Slot(one));
            self.put_slot((to, true), half, true, slot);
        }
        self.done(to.0, len);
    }

    /// Where a source is zero, the infinity of its sign; where it is +infinity, +0.
    pub fn ends_of_roots(&mut self, len: Len, to: To, a: Reg) {
        let long = len != Len::X;
        let (zero, infinite) = (self.each(0), self.each(f32::INFINITY.to_bits()));
        let sign = self.each(1 << 31);
        for half in 0..halves(len) {
            let value = self.half(a, half);
            self.half(to.0, half);
            let slot = self.new_half(to.0, half);
            let (which, end) = (self.spare(), self.spare());
            self.vex(Op::AND_NOT, long, which, sign, From::Slot(value));
            self.vex(Op::EQUAL, long, which, which, From::Slot(zero));
            self.vex(Op::AND, long, end, value, From::Slot(sign));
            self.vex(Op::OR, long, end, end, From::Slot(infinite));
            self.vex_by(Op::BLEND, long, slot, slot, From::Slot(end), which << 4);
            self.vex(Op::EQUAL, long, which, value, From::Slot(infinite));
            self.vex(Op::AND_NOT, long, slot, which, From::Slot(slot));
            [which, end].into_iter().for_each(|slot| self.give(slot));
        }
        self.done(to.0, len);
    }
}
