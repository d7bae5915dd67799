//! Lanes in another order.

use super::super::assembler::{Assembler, Len, Reg, Rm};
use super::instructions::{IN_ORDER, To, halves};
use super::vex::{From, Op};

impl Assembler {
    /// A spare slot with the low dwords of qwords.
    pub fn low_dwords(&mut self, from: Reg, len: Len) -> u8 {
        let low = self.half(from, 0);
        let high = (len == Len::Z).then(|| self.half(from, 1));
        self.low_dwords_of(low, high)
    }

    pub fn low_dwords_of(&mut self, low: u8, high: Option<u8>) -> u8 {
        const EVEN: u8 = 0x88;
        let slot = self.spare();
        match high {
            Some(high) => {
                self.vex_by(Op::SHUFFLE, true, slot, low, From::Slot(high), EVEN);
                self.vex_by(Op::ORDER_QWORDS, true, slot, 0, From::Slot(slot), IN_ORDER);
            }
            None => {
                self.vex_by(Op::EXTRACT, true, low, 0, From::Slot(slot), 1);
                self.vex_by(Op::SHUFFLE, false, slot, low, From::Slot(slot), EVEN);
            }
        }
        slot
    }

    /// For each lane the dword of this number.
    pub fn order_dwords(&mut self, len: Len, to: To, order: Reg, b: Rm) {
        let count = halves(len);
        let data: Vec<u8> = (0..count)
            .map(|half| self.second_in_slot(b, None, half, len))
            .collect();
        let mut slots = Vec::new();
        for half in 0..count {
            let numbers = self.list_of(order).filter(|_| len == Len::Z);
            let order = self.half(order, half);
            slots.push(match numbers {
                Some(numbers) => self.ordered_so(order, (half, &numbers), &data),
                None => self.ordered(order, &data),
            });
        }
        for (half, slot) in (0..).zip(slots) {
            self.put_slot((to, false), half, true, slot);
        }
        self.done(to.0, len);
    }

    /// A spare slot with the dwords of these numbers, of one half or of two.
    pub fn ordered(&mut self, order: u8, data: &[u8]) -> u8 {
        let slot = self.spare();
        self.vex(Op::ORDER, true, slot, order, From::Slot(data[0]));
        if let [_, upper] = data {
            let (other, which) = (self.spare(), self.spare());
            self.vex(Op::ORDER, true, other, order, From::Slot(*upper));
            // Bit 3 says which half.
            self.vex_by(Op::SHIFT_BY, true, 6, which, From::Slot(order), 28);
            self.vex_by(Op::BLEND, true, slot, slot, From::Slot(other), which << 4);
            [other, which].into_iter().for_each(|slot| self.give(slot));
        }
        slot
    }

    /// The same where it is known which half each lane is from: only those are put in order, and blended by a number.
    fn ordered_so(&mut self, order: u8, (half, numbers): (u8, &[u32; 16]), data: &[u8]) -> u8 {
        let own = numbers.iter().skip(8 * usize::from(half)).take(8);
        let from = |number: &u32| *number as usize / 8 % data.len();
        let own: Vec<usize> = own.map(from).collect();
        let mut slot = None;
        for (n, from) in data.iter().enumerate() {
            let lanes = (0..8).filter(|lane| own[*lane] == n);
            let lanes = lanes.fold(0, |all, lane| all | 1 << lane);
            if lanes == 0 {
                continue;
            }
            let one = self.spare();
            self.vex(Op::ORDER, true, one, order, From::Slot(*from));
            slot = Some(match slot {
                None => one,
                Some(slot) => {
                    self.vex_by(Op::BLEND_BY, true, slot, slot, From::Slot(one), lanes);
                    self.give(one);
                    slot
                }
            });
        }
        slot.expect("each lane is from some half")
    }

    /// For each lane the dword of the number that it has, of two registers.
    pub fn choose_dwords(&mut self, to: To, a: Reg, b: Rm) {
        let data = self.two_registers(a, b);
        let mut slots = Vec::new();
        let numbers = self.list_of(to.0);
        for half in 0..2 {
            let order = self.half(to.0, half);
            slots.push(match &numbers {
                Some(numbers) => self.ordered_so(order, (half, numbers), &data),
                None => self.chosen(order, &data),
            });
        }
        for (half, slot) in (0..).zip(slots) {
            self.put_slot((to, false), half, true, slot);
        }
    }

    /// For each lane the qword of the number that it has, of two registers: its two dwords.
    pub fn choose_qwords(&mut self, to: To, a: Reg, b: Rm) {
        // The lower dword of each qword, twice.
        const LOWER: u8 = 0xa0;
        let data = self.two_registers(a, b);
        let upper = self.each_qword(1 << 32);
        let mut slots = Vec::new();
        for half in 0..2 {
            let (from, order) = (self.half(to.0, half), self.spare());
            self.vex_by(Op::SHUFFLE, true, order, from, From::Slot(from), LOWER);
            self.vex_by(Op::SHIFT_BY, true, 6, order, From::Slot(order), 1);
            self.vex(Op::OR, true, order, order, From::Slot(upper));
            slots.push(self.chosen(order, &data));
            self.give(order);
        }
        for (half, slot) in (0..).zip(slots) {
            self.put_slot((to, false), half, true, slot);
        }
    }

    /// The halves of two registers.
    fn two_registers(&mut self, a: Reg, b: Rm) -> [u8; 4] {
        let [low, high] = [0, 1].map(|half| self.half(a, half));
        let second = [0, 1].map(|half| self.second_in_slot(b, None, half, Len::Z));
        [low, high, second[0], second[1]]
    }

    /// A spare slot with the dwords of these numbers, of two registers.
    fn chosen(&mut self, order: u8, data: &[u8; 4]) -> u8 {
        let slot = self.ordered(order, &data[..2]);
        let other = self.ordered(order, &data[2..]);
        let which = self.spare();
        // Bit 4 says which register.
        self.vex_by(Op::SHIFT_BY, true, 6, which, From::Slot(order), 27);
        self.vex_by(Op::BLEND, true, slot, slot, From::Slot(other), which << 4);
        [other, which].into_iter().for_each(|slot| self.give(slot));
        slot
    }

    /// The dwords of `b`, one lane down, and the first one of `a` behind them.
    pub fn next_lanes(&mut self, len: Len, to: To, a: Reg, b: Reg, number: Option<u8>) {
        self.lacks |= number != Some(1);
        // The upper quarter of the first, the lower one of the second.
        const ACROSS: u8 = 0x21;
        let first = self.half(a, 0);
        let low = self.half(b, 0);
        if len == Len::X {
            let slot = self.spare();
            self.vex_by(Op::ALIGN, false, slot, first, From::Slot(low), 4);
            self.put_slot((to, false), 0, false, slot);
            return self.done(to.0, len);
        }
        let halves = match len {
            Len::Z => {
                let high = self.half(b, 1);
                vec![(low, high), (high, first)]
            }
            _ => vec![(low, first)],
        };
        let mut slots = Vec::new();
        for (this, next) in halves {
            let slot = self.spare();
            self.vex_by(Op::QUARTERS, true, slot, this, From::Slot(next), ACROSS);
            self.vex_by(Op::ALIGN, true, slot, slot, From::Slot(this), 4);
            slots.push(slot);
        }
        for (half, slot) in (0..).zip(slots) {
            self.put_slot((to, false), half, true, slot);
        }
        self.done(to.0, len);
    }
}
