//! Masks where the host has no registers for them: bits in the file, or lanes of all ones or none in slots, whichever was made;
//! the other is made of it when it is asked for.

use super::super::assembler::{Alu, Assembler, Gpr, Mask};
use super::vex::{At, From, Op};
use super::{BITS, FILE, Form, Holds, LANES, MASKS, MORE_BITS, ROOM};

/// That of a half of a mask as lanes, and its bit.
fn lanes_place(mask: Mask, half: u8) -> (At, u16) {
    let at = LANES + 64 * i32::from(mask) + 32 * i32::from(half);
    (At::Base(FILE as u8, at), 1 << (2 * mask + half))
}

/// That of the bits of a mask.
fn bits(mask: Mask) -> At {
    At::Base(FILE as u8, MASKS + 16 * i32::from(mask))
}

impl Assembler {
    /// The file gets lanes that would be made of bits again.
    pub fn keep_lanes(&mut self, (mask, qwords, half): (Mask, bool, u8), slot: u8) {
        let (at, bit) = lanes_place(mask, half);
        if !qwords && self.narrow.as_lanes & bit == 0 {
            self.vex(Op::STORE, true, slot, 0, From::Memory(at));
            self.narrow.as_lanes |= bit;
        }
    }

    /// The slot of a half of a mask, all ones in lanes that it has.
    pub fn lanes(&mut self, mask: Mask, qwords: bool, half: u8) -> u8 {
        let holds = Holds::Lanes(mask, qwords, half);
        if let Some(slot) = self.narrow.find(holds) {
            self.narrow.use_slot(slot);
            return slot;
        }
        match self.narrow.masks[usize::from(mask)] {
            // Of one half alone the other one is not there.
            Form::Lanes(of, 1) if of == qwords => {
                let slot = self.spare();
                self.clear_slot(slot);
                // It may be gone while the other one is not.
                return slot;
            }
            Form::Lanes(..) => self.settle(mask),
            Form::All => return self.each(u32::MAX),
            Form::Bits => {}
        }
        let slot = self.spare();
        let (at, bit) = lanes_place(mask, half);
        if !qwords && self.narrow.as_lanes & bit != 0 {
            self.vex(Op::LOAD, true, slot, 0, From::Memory(at));
        } else {
            self.make_lanes(slot, mask, qwords, half);
        }
        self.narrow.hold(slot, holds, false);
        slot
    }

    /// A slot gets a half of a mask, of its bits.
    pub fn make_lanes(&mut self, slot: u8, mask: Mask, qwords: bool, half: u8) {
        let (lanes, op, equal) = match qwords {
            true => (4, Op::BROADCAST_QWORD, Op::EQUAL_QWORDS),
            false => (8, Op::BROADCAST, Op::EQUAL),
        };
        let bit = |lane: u32| 1u32 << (lane + lanes * u32::from(half));
        let of_lanes: [u32; 8] = std::array::from_fn(|n| match (qwords, n % 2) {
            (false, _) => bit(n as u32),
            (true, 0) => bit(n as u32 / 2),
            (true, _) => 0,
        });
        let of_lanes = At::Pool(self.constant(&of_lanes));
        self.vex(op, true, slot, 0, From::Memory(bits(mask)));
        self.vex(Op::AND, true, slot, slot, From::Memory(of_lanes));
        self.vex(equal, true, slot, slot, From::Memory(of_lanes));
    }

    /// A mask is what spare slots hold.
    pub fn mask_becomes(&mut self, mask: Mask, qwords: bool, slots: &[u8]) {
        self.forget_mask(mask);
        self.narrow.masks[usize::from(mask)] = Form::Lanes(qwords, slots.len() as u8);
        for (half, slot) in (0..).zip(slots) {
            self.narrow
                .hold(*slot, Holds::Lanes(mask, qwords, half), true);
        }
    }

    pub fn forget_mask(&mut self, mask: Mask) {
        self.narrow
            .drop(|held| matches!(held, Holds::Lanes(of, ..) if of == mask));
        self.narrow.masks[usize::from(mask)] = Form::Bits;
        self.narrow.as_lanes &= !(3 << (2 * mask));
    }

    /// The halves of a mask of dwords, if slots hold it.
    pub fn held_lanes(&mut self, mask: Mask) -> Option<Vec<u8>> {
        let is_of_dwords = matches!(self.narrow.masks[usize::from(mask)], Form::Lanes(false, _));
        is_of_dwords.then(|| self.held_halves(mask)).flatten()
    }

    /// The halves of a mask, of dwords or of qwords, if slots hold it.
    pub fn held_halves(&mut self, mask: Mask) -> Option<Vec<u8>> {
        let Form::Lanes(qwords, halves) = self.narrow.masks[usize::from(mask)] else {
            return None;
        };
        let slots = (0..halves).map(|half| self.narrow.find(Holds::Lanes(mask, qwords, half)));
        let slots: Option<Vec<u8>> = slots.collect();
        for slot in slots.iter().flatten() {
            self.narrow.use_slot(*slot);
        }
        slots
    }

    /// The bits of a mask are in the file.
    pub fn settle(&mut self, mask: Mask) {
        let (qwords, halves) = match self.narrow.masks[usize::from(mask)] {
            Form::Lanes(qwords, halves) => (qwords, halves),
            Form::All => {
                self.narrow.masks[usize::from(mask)] = Form::Bits;
                self.move_number(BITS, 0xffff);
                return self.store_bits(mask, BITS);
            }
            Form::Bits => return,
        };
        self.narrow.masks[usize::from(mask)] = Form::Bits;
        let op = match qwords {
            true => Op::SIGNS_OF_QWORDS,
            false => Op::SIGNS,
        };
        for half in 0..halves {
            let slot = self.narrow.find(Holds::Lanes(mask, qwords, half));
            let slot = slot.expect("a mask that is in slots is in all that it has");
            let to = if half == 0 { BITS } else { MORE_BITS };
            self.narrow.slots[usize::from(slot)].unsaved = false;
            self.vex(op, true, to as u8, 0, From::Slot(slot));
        }
        if halves == 2 {
            // To the left by 8 or by 4, and no flag changes.
            self.rotate_right(MORE_BITS, if qwords { 28 } else { 24 });
            self.sum_of(BITS, MORE_BITS);
        }
        self.store_bits(mask, BITS);
    }

    /// The bits of a mask are those of a register, all 64.
    pub fn store_bits(&mut self, mask: Mask, from: Gpr) {
        self.gpr_at(&[0x89], true, from, bits(mask));
    }

    /// The mask is new: its bits are all 64 of a register.
    pub fn set_bits_of(&mut self, mask: Mask, from: Gpr) {
        self.forget_mask(mask);
        self.store_bits(mask, from);
    }

    /// Loads the bits of a mask: 16, 32 or 64.
    pub fn load_bits(&mut self, to: Gpr, mask: Mask, count: u32) {
        if self.narrow.masks[usize::from(mask)] != Form::Bits {
            // What is settled has 16 lanes at most.
            self.settle(mask);
            return match to {
                BITS => {}
                _ => self.move_gpr(to, BITS),
            };
        }
        match count {
            16 => self.gpr_at(&[0x0f, 0xb7], false, to, bits(mask)),
            32 => self.gpr_at(&[0x8b], false, to, bits(mask)),
            _ => self.gpr_at(&[0x8b], true, to, bits(mask)),
        }
    }

    /// Whether a mask is known to have all 16 lanes.
    pub fn is_all(&self, mask: Mask) -> bool {
        mask == 0 || self.narrow.masks[usize::from(mask)] == Form::All
    }

    /// All 16 lanes.
    pub fn narrow_fill(&mut self, mask: Mask) {
        self.forget_mask(mask);
        self.narrow.masks[usize::from(mask)] = Form::All;
    }

    /// `dst = src`, of 16 lanes.
    pub fn narrow_copy(&mut self, dst: Mask, src: Mask) {
        if dst == src && self.narrow.masks[usize::from(src)] != Form::Bits {
            return;
        }
        if self.narrow.masks[usize::from(src)] == Form::All {
            return self.narrow_fill(dst);
        }
        let Some(held) = self.held_lanes(src) else {
            self.load_bits(BITS, src, 16);
            return self.set_bits_of(dst, BITS);
        };
        let copy = |own: &mut Self, from: u8| {
            let slot = own.spare();
            own.vex(Op::COPY, true, slot, 0, From::Slot(from));
            slot
        };
        let slots: Vec<u8> = held.into_iter().map(|from| copy(self, from)).collect();
        self.mask_becomes(dst, false, &slots);
        self.release();
    }

    /// `dst = !src`, of 16 lanes.
    pub fn narrow_not(&mut self, dst: Mask, src: Mask) {
        if let Some(held) = self.held_lanes(src).filter(|held| held.len() == 2) {
            let ones = self.each(u32::MAX);
            let not = |own: &mut Self, from: u8| {
                let slot = own.spare();
                own.vex(Op::XOR, true, slot, from, From::Slot(ones));
                slot
            };
            let slots: Vec<u8> = held.into_iter().map(|from| not(self, from)).collect();
            self.mask_becomes(dst, false, &slots);
            return self.release();
        }
        self.release();
        self.load_bits(BITS, src, 16);
        self.not(BITS);
        // Only the low word.
        self.set_bits_of(dst, BITS);
        self.load_bits(BITS, dst, 16);
        self.store_bits(dst, BITS);
    }

    /// Logic of masks of 16 lanes; flags stay.
    pub fn narrow_both(&mut self, alu: Alu, dst: Mask, a: Mask, b: Mask) {
        let op = match alu {
            Alu::And => Op::AND,
            Alu::Or => Op::OR,
            _ => Op::XOR,
        };
        if let (Some(first), Some(second)) = (self.held_lanes(a), self.held_lanes(b))
            && first.len() == second.len()
        {
            let both = |own: &mut Self, (first, second): (u8, u8)| {
                let slot = own.spare();
                own.vex(op, true, slot, first, From::Slot(second));
                slot
            };
            let pairs = first.into_iter().zip(second);
            let slots: Vec<u8> = pairs.map(|pair| both(self, pair)).collect();
            self.mask_becomes(dst, false, &slots);
            return self.release();
        }
        self.release();
        [a, b].into_iter().for_each(|mask| self.settle(mask));
        let word = At::Pool(self.constant(&[0xffff, 0, 0, 0]));
        let slot = self.spare();
        self.vex(Op::LOAD, false, slot, 0, From::Memory(bits(a)));
        self.vex(op, false, slot, slot, From::Memory(bits(b)));
        self.vex(Op::AND, false, slot, slot, From::Memory(word));
        self.forget_mask(dst);
        self.vex(Op::STORE, false, slot, 0, From::Memory(bits(dst)));
        self.release();
    }

    /// The flags say zero if neither of two masks has any of 16 lanes.
    pub fn narrow_test(&mut self, a: Mask, b: Mask) {
        if let (Some(first), Some(second)) = (self.held_halves(a), self.held_halves(b)) {
            let mut all = first;
            if a != b {
                all.extend(second);
            }
            let mut any = all[0];
            if let [one, rest @ ..] = &all[..]
                && !rest.is_empty()
            {
                let slot = self.spare();
                let mut from = *one;
                for other in rest {
                    self.vex(Op::OR, true, slot, from, From::Slot(*other));
                    from = slot;
                }
                any = slot;
            }
            self.vex(Op::TEST_SIGNS, true, any, 0, From::Slot(any));
            return self.release();
        }
        self.release();
        [a, b].into_iter().for_each(|mask| self.settle(mask));
        self.load_bits(BITS, a, 16);
        // or r12w, b; test r12w, r12w where there is one
        match a == b {
            true => self.extend(&[0x66, 0x45, 0x85, 0xe4]),
            false => {
                self.byte(0x66);
                self.gpr_at(&[0x0b], false, BITS, bits(b));
            }
        }
    }

    /// Room for a number.
    pub fn store_room(&mut self, from: Gpr) {
        self.gpr_at(&[0x89], true, from, At::Base(FILE as u8, ROOM));
    }

    /// What is there.
    pub fn load_room(&mut self, to: Gpr) {
        self.gpr_at(&[0x8b], true, to, At::Base(FILE as u8, ROOM));
    }
}
