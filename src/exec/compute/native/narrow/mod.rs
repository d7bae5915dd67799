//! The registers of hosts without AVX-512, which have 16 of 256 bits and none for masks: code is made as for 32 registers of
//! 512 bits and 8 masks, and what these hold is kept here.
//!
//! ```text
//!  file    32 registers in two halves, 8 masks as bits     on the stack, at `r15`
//!  slots   16 registers of the host: a half, a mask as lanes of all ones or none, a constant
//!  labels  slots hold what they do on all ways that are run often; a way that comes from elsewhere has everything in
//!          the file, and loads that first. Places of a region begin with empty slots
//!  jumps   what the file does not have yet is stored where a branch is taken, in code that is seldom run
//! ```
//!
//! A mask that was compared stays in slots until its bits are asked for. That an upper half is zero, because what was
//! written is shorter, is known here and stored where everything is. [`instructions`] makes the instructions of these.

mod instructions;
mod integers;
mod moves;
mod numbers;
mod order;
mod vex;

use super::assembler::{Alu, Assembler, Gpr, Label, Len, Mask, Reg, Rm, Vector};
use vex::{At, From, Op};

/// Registers of the host.
const SLOTS: usize = 16;

/// The file. Code in which there is one leaves the register as it is.
pub const FILE: Gpr = Gpr::R15;

/// Between the instructions that one is made of; they are free where there is a file.
pub const BITS: Gpr = Gpr::R12;
pub const MORE_BITS: Gpr = Gpr::R13;

/// Registers that code keeps of those that are free in it where there is no file.
pub const KEPT: [Gpr; 4] = [Gpr::R12, Gpr::R13, Gpr::R14, Gpr::R15];

/// Places in the file: registers, masks as bits and as lanes, room for what is done lane after lane, MXCSR, and the stack as it was.
const MASKS: i32 = 32 * 64;
const LANES: i32 = MASKS + 8 * 16;
pub const ROOM: i32 = LANES + 8 * 64;
pub const MXCSR: i32 = ROOM + 2 * 64;
const STACK: i32 = MXCSR + 8;
const SIZE: u32 = (STACK as u32 + 8).next_multiple_of(64);

/// What a slot holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holds {
    #[default]
    Nothing,
    /// A half of a register.
    Half(Reg, u8),
    /// A half of a mask, of dwords or of qwords.
    Lanes(Mask, bool, u8),
    /// A dword, or a qword, in all lanes.
    Each(u32),
    EachQword(u64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    holds: Holds,
    /// The file does not have it.
    unsaved: bool,
    used: u32,
}

/// Where a mask is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// In the file, as bits.
    #[default]
    Bits,
    /// In slots alone: of dwords or of qwords, one half or both.
    Lanes(bool, u8),
    /// All 16 lanes, which the file does not say.
    All,
}

/// Registers and masks that are read, a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needed {
    pub registers: u32,
    pub masks: u8,
}

/// What the registers of a host without AVX-512 hold.
#[derive(Clone, Debug, Default)]
pub struct Narrow {
    slots: [Slot; SLOTS],
    /// Slots that the instruction at hand uses.
    busy: u32,
    clock: u32,
    /// Registers whose upper half is zero, which the file does not have.
    zero: u32,
    /// Registers whose upper half is what the slot of the lower one holds.
    same: u32,
    masks: [Form; 8],
    /// Registers of which it is known what their dwords are.
    lists: Vec<(Reg, [u32; 16])>,
    /// Halves of masks, as dwords, that the file has as well, two bits for each.
    as_lanes: u16,
}

impl Narrow {
    fn find(&self, holds: Holds) -> Option<u8> {
        let found = self.slots.iter().position(|slot| slot.holds == holds);
        found.map(|slot| slot as u8)
    }

    fn use_slot(&mut self, slot: u8) {
        self.clock += 1;
        self.slots[usize::from(slot)].used = self.clock;
        self.busy |= 1 << slot;
    }

    fn hold(&mut self, slot: u8, holds: Holds, unsaved: bool) {
        let slot = &mut self.slots[usize::from(slot)];
        (slot.holds, slot.unsaved) = (holds, unsaved);
    }

    /// Slots no longer hold such.
    fn drop(&mut self, which: impl Fn(Holds) -> bool) {
        for slot in self.slots.iter_mut().filter(|slot| which(slot.holds)) {
            (slot.holds, slot.unsaved) = (Holds::Nothing, false);
        }
    }

    /// A register changes.
    fn forget_list(&mut self, reg: Reg) {
        self.lists.retain(|(of, _)| *of != reg);
    }

    /// Whether both masks are in the same slots; else the file has to have its bits.
    fn agrees(&self, other: &Narrow, mask: Mask) -> bool {
        let own = |state: &Narrow, slot: usize| match state.slots[slot].holds {
            Holds::Lanes(of, false, half) if of == mask => Some(half),
            _ => None,
        };
        let both = [self, other].map(|state| state.masks[usize::from(mask)]);
        let slots = (0..SLOTS).all(|slot| own(self, slot) == own(other, slot));
        both == [Form::Lanes(false, 2); 2] && slots
    }

    /// What slots hold on all ways; nothing is known that the file would not say elsewhere.
    fn of_all(ways: &[Narrow]) -> Narrow {
        let Some((first, rest)) = ways.split_first() else {
            return Narrow::default();
        };
        let mut all = Narrow {
            busy: 0,
            zero: 0,
            same: 0,
            as_lanes: 0,
            lists: Vec::new(),
            ..first.clone()
        };
        for mask in 0..8 {
            if !ways.iter().all(|way| way.agrees(first, mask)) {
                all.masks[usize::from(mask)] = Form::Bits;
            }
        }
        let masks = all.masks;
        for (slot, own) in all.slots.iter_mut().enumerate() {
            own.unsaved = ways.iter().any(|way| way.slots[slot].unsaved);
            if let Holds::Lanes(mask, ..) = own.holds {
                own.unsaved &= masks[usize::from(mask)] != Form::Bits;
            }
            if rest.iter().any(|way| way.slots[slot].holds != own.holds) {
                *own = Slot::default();
            }
        }
        all
    }

    /// Whether nothing has to be done for slots to hold what they do on another way.
    pub fn is_like(&self, other: &Narrow) -> bool {
        let mut slots = self.slots.iter().zip(&other.slots);
        let slots = slots.all(|(own, there)| {
            let same = there.holds == Holds::Nothing || own.holds == there.holds;
            let is_mask = matches!(own.holds, Holds::Lanes(..));
            same && (is_mask || !own.unsaved || own.holds == there.holds && there.unsaved)
        });
        let masks = (0..8).all(|mask| {
            let is_bits = self.masks[usize::from(mask)] == Form::Bits;
            is_bits || self.agrees(other, mask)
        });
        slots && masks && self.zero == 0 && self.same == 0
    }

    /// Whether no slot holds anything.
    fn is_empty(&self) -> bool {
        let slots = self.slots.iter().all(|slot| slot.holds == Holds::Nothing);
        slots && !self.is_ahead()
    }

    /// Whether the file lacks anything.
    fn is_ahead(&self) -> bool {
        let slots = self.slots.iter().any(|slot| slot.unsaved);
        slots || self.zero != 0 || self.masks.iter().any(|form| *form != Form::Bits)
    }
}

/// The place of a half in the file.
fn place(reg: Reg, half: u8) -> At {
    At::Base(FILE as u8, 64 * i32::from(reg) + 32 * i32::from(half))
}

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
    /// The instruction at hand is done.
    pub fn release(&mut self) {
        self.narrow.busy = 0;
    }

    /// A slot that holds nothing, for the instruction at hand.
    pub fn spare(&mut self) -> u8 {
        let state = &self.narrow;
        let free = (0..SLOTS).filter(|slot| state.busy >> slot & 1 == 0);
        let least = |&slot: &usize| match state.slots[slot] {
            Slot {
                holds: Holds::Nothing,
                ..
            } => (0, 0),
            Slot { unsaved, used, .. } => (1 + u8::from(unsaved), used),
        };
        let slot = free
            .min_by_key(least)
            .expect("an instruction uses fewer slots");
        match state.slots[slot].holds {
            Holds::Half(reg, half) => {
                self.store_half(reg, half, slot as u8);
                self.narrow.same &= !(u32::from(half == 0) << reg);
            }
            Holds::Lanes(mask, qwords, half) => {
                self.settle(mask);
                self.keep_lanes((mask, qwords, half), slot as u8);
            }
            _ => {}
        }
        let slot = slot as u8;
        self.narrow.hold(slot, Holds::Nothing, false);
        self.narrow.use_slot(slot);
        slot
    }

    /// The file gets a half that a slot holds, if it does not have it.
    fn store_half(&mut self, reg: Reg, half: u8, slot: u8) {
        if !self.narrow.slots[usize::from(slot)].unsaved {
            return;
        }
        self.narrow.slots[usize::from(slot)].unsaved = false;
        self.vex(Op::STORE, true, slot, 0, From::Memory(place(reg, half)));
        if half == 0 && self.is_same(reg) {
            self.vex(Op::STORE, true, slot, 0, From::Memory(place(reg, 1)));
        }
    }

    /// Whether the slot of a register's lower half has the upper one as well.
    fn is_same(&self, reg: Reg) -> bool {
        self.narrow.same >> reg & 1 != 0
    }

    /// The halves of a register are the same, which a slot has.
    pub fn are_same(&mut self, reg: Reg) {
        self.narrow.drop(|held| held == Holds::Half(reg, 1));
        self.narrow.zero &= !(1 << reg);
        self.narrow.same |= 1 << reg;
    }

    /// A register becomes something else, of which it is no operand.
    pub fn renew(&mut self, reg: Reg) {
        self.narrow.forget_list(reg);
        self.narrow
            .drop(|held| matches!(held, Holds::Half(of, _) if of == reg));
        (self.narrow.same, self.narrow.zero) = (
            self.narrow.same & !(1 << reg),
            self.narrow.zero & !(1 << reg),
        );
    }

    /// The halves of a register have a slot each before one of them changes.
    fn part_halves(&mut self, reg: Reg, half: u8) {
        if !self.is_same(reg) {
            return;
        }
        let lower = self.half(reg, 0);
        self.narrow.same &= !(1 << reg);
        if half == 1 {
            // The lower one stays.
            return;
        }
        let upper = self.spare();
        self.vex(Op::COPY, true, upper, 0, From::Slot(lower));
        self.narrow.hold(upper, Holds::Half(reg, 1), true);
    }

    /// The file gets lanes that would be made of bits again.
    fn keep_lanes(&mut self, (mask, qwords, half): (Mask, bool, u8), slot: u8) {
        let (at, bit) = lanes_place(mask, half);
        if !qwords && self.narrow.as_lanes & bit == 0 {
            self.vex(Op::STORE, true, slot, 0, From::Memory(at));
            self.narrow.as_lanes |= bit;
        }
    }

    /// A slot is no longer used by the instruction at hand.
    pub fn give(&mut self, slot: u8) {
        self.narrow.busy &= !(1 << slot);
    }

    /// The slot of a half, with what it is.
    pub fn half(&mut self, reg: Reg, half: u8) -> u8 {
        let half = if self.is_same(reg) { 0 } else { half };
        let holds = Holds::Half(reg, half);
        if let Some(slot) = self.narrow.find(holds) {
            self.narrow.use_slot(slot);
            return slot;
        }
        let slot = self.spare();
        let is_zero = half == 1 && self.narrow.zero >> reg & 1 != 0;
        if is_zero {
            self.narrow.zero &= !(1 << reg);
            self.clear_slot(slot);
        } else {
            self.vex(Op::LOAD, true, slot, 0, From::Memory(place(reg, half)));
        }
        self.narrow.hold(slot, holds, is_zero);
        slot
    }

    /// A half where it is: in the file, if no slot has it.
    pub fn half_anywhere(&mut self, reg: Reg, half: u8) -> From {
        let is_zero = half == 1 && self.narrow.zero >> reg & 1 != 0;
        let half = if self.is_same(reg) { 0 } else { half };
        match self.narrow.find(Holds::Half(reg, half)) {
            None if !is_zero => From::Memory(place(reg, half)),
            _ => From::Slot(self.half(reg, half)),
        }
    }

    /// The slot of a half that becomes something else, by the next instruction: until then it holds what it did.
    pub fn new_half(&mut self, reg: Reg, half: u8) -> u8 {
        self.narrow.forget_list(reg);
        self.part_halves(reg, half);
        let holds = Holds::Half(reg, half);
        let slot = match self.narrow.find(holds) {
            Some(slot) => slot,
            None => self.spare(),
        };
        self.narrow.use_slot(slot);
        if half == 1 {
            self.narrow.zero &= !(1 << reg);
        }
        self.narrow.hold(slot, holds, true);
        slot
    }

    /// A half is what a spare slot holds.
    pub fn becomes(&mut self, reg: Reg, half: u8, slot: u8) {
        self.narrow.forget_list(reg);
        self.part_halves(reg, half);
        let holds = Holds::Half(reg, half);
        self.narrow.drop(|held| held == holds);
        if half == 1 {
            self.narrow.zero &= !(1 << reg);
        }
        self.narrow.hold(slot, holds, true);
    }

    /// The upper half of a register is zero.
    pub fn clear_upper(&mut self, reg: Reg) {
        self.narrow.forget_list(reg);
        self.narrow.drop(|held| held == Holds::Half(reg, 1));
        self.narrow.same &= !(1 << reg);
        self.narrow.zero |= 1 << reg;
    }

    /// A register's dwords are these.
    pub fn is_list(&mut self, reg: Reg, dwords: [u32; 16]) {
        self.narrow.forget_list(reg);
        self.narrow.lists.push((reg, dwords));
    }

    /// What a register's dwords are, if that is known.
    pub fn list_of(&self, reg: Reg) -> Option<[u32; 16]> {
        let found = self.narrow.lists.iter().find(|(of, _)| *of == reg);
        found.map(|(_, dwords)| *dwords)
    }

    /// Zeros in a slot.
    pub fn clear_slot(&mut self, slot: u8) {
        self.vex(Op::XOR, true, slot, slot, From::Slot(slot));
    }

    /// The slot of a dword in all lanes.
    pub fn each(&mut self, dword: u32) -> u8 {
        let holds = Holds::Each(dword);
        self.constant_in_slot(holds, &[dword])
    }

    /// The slot of a qword in all lanes.
    pub fn each_qword(&mut self, qword: u64) -> u8 {
        let dwords = [qword as u32, (qword >> 32) as u32];
        self.constant_in_slot(Holds::EachQword(qword), &dwords)
    }

    fn constant_in_slot(&mut self, holds: Holds, dwords: &[u32]) -> u8 {
        if let Some(slot) = self.narrow.find(holds) {
            self.narrow.use_slot(slot);
            return slot;
        }
        let slot = self.spare();
        self.load_constant(slot, dwords);
        self.narrow.hold(slot, holds, false);
        slot
    }

    /// A slot gets a dword, or a qword, in all lanes.
    pub fn load_constant(&mut self, slot: u8, dwords: &[u32]) {
        if dwords.iter().all(|dword| *dword == 0) {
            self.clear_slot(slot);
        } else if dwords.iter().all(|dword| *dword == u32::MAX) {
            self.vex(Op::EQUAL, true, slot, slot, From::Slot(slot));
        } else {
            let at = At::Pool(self.constant(dwords));
            let op = match dwords.len() {
                1 => Op::BROADCAST,
                _ => Op::BROADCAST_QWORD,
            };
            self.vex(op, true, slot, 0, From::Memory(at));
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
    fn make_lanes(&mut self, slot: u8, mask: Mask, qwords: bool, half: u8) {
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

    fn forget_mask(&mut self, mask: Mask) {
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
    fn held_halves(&mut self, mask: Mask) -> Option<Vec<u8>> {
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

    /// Everything is in the file; slots hold what they did.
    pub fn save(&mut self) {
        if !self.narrows {
            return;
        }
        for mask in 0..8 {
            self.settle(mask);
        }
        for slot in 0..SLOTS {
            if let Holds::Half(reg, half) = self.narrow.slots[slot].holds {
                self.store_half(reg, half, slot as u8);
            }
        }
        self.save_zeros();
        self.release();
    }

    fn save_zeros(&mut self) {
        if self.narrow.zero != 0 {
            let slot = self.each(0);
            for reg in (0..32)
                .filter(|reg| self.narrow.zero >> reg & 1 != 0)
                .collect::<Vec<u8>>()
            {
                self.vex(Op::STORE, true, slot, 0, From::Memory(place(reg, 1)));
            }
            self.narrow.zero = 0;
        }
    }

    /// Several ways meet: slots hold what they do on all of those that are run often, and the file has the rest.
    ///
    /// * `label`: where ways come to on which the file has everything: they make slots hold that.
    /// * `from`: what slots hold where branches to the label are, and the branches.
    /// * `reached`: what is in front runs into it.
    pub fn join_slots(&mut self, label: Label, from: Vec<(usize, Narrow)>, reached: bool) {
        self.release();
        let mut ways: Vec<Narrow> = from.iter().map(|(_, narrow)| narrow.clone()).collect();
        if reached {
            ways.insert(0, self.narrow.clone());
        }
        let all = Narrow::of_all(&ways);
        if reached {
            self.establish(&all);
        }
        self.narrow = all.clone();
        let on = self.label();
        if !all.is_empty() {
            self.away(label, |code| {
                code.forget_slots();
                code.establish(&all);
                code.go_to(on);
            });
        }
        for (branch, narrow) in from {
            if narrow.is_like(&all) {
                self.branch_to(branch, on);
                continue;
            }
            let stores = self.label();
            self.away(stores, |code| {
                code.narrow = narrow;
                code.establish(&all);
                code.go_to(on);
            });
            self.branch_to(branch, stores);
        }
        if all.is_empty() {
            self.place(label);
        }
        self.place(on);
        self.joined.insert(label, (all, on));
    }

    /// Slots come to hold what they do on another way, and the file has the rest.
    pub fn establish(&mut self, other: &Narrow) {
        // First, with no slot in use: it may take one that holds something.
        self.release();
        self.save_zeros();
        for mask in 0..8 {
            if !self.narrow.agrees(other, mask) {
                self.settle(mask);
            }
        }
        for reg in (0..32)
            .filter(|reg| self.is_same(*reg))
            .collect::<Vec<u8>>()
        {
            let slot = self.half(reg, 0);
            self.store_half(reg, 0, slot);
        }
        self.narrow.same = 0;
        for (slot, there) in (0..).zip(&other.slots) {
            if let Slot {
                holds: Holds::Half(reg, half),
                unsaved: true,
                ..
            } = self.narrow.slots[usize::from(slot)]
                && !(there.holds == Holds::Half(reg, half) && there.unsaved)
            {
                self.store_half(reg, half, slot);
            }
        }
        for (slot, there) in (0..).zip(&other.slots) {
            if there.holds == self.narrow.slots[usize::from(slot)].holds {
                continue;
            }
            match there.holds {
                Holds::Nothing => {}
                Holds::Half(reg, half) => {
                    self.vex(Op::LOAD, true, slot, 0, From::Memory(place(reg, half)));
                }
                Holds::Lanes(mask, qwords, half) => self.make_lanes(slot, mask, qwords, half),
                Holds::Each(dword) => self.load_constant(slot, &[dword]),
                Holds::EachQword(qword) => {
                    self.load_constant(slot, &[qword as u32, (qword >> 32) as u32]);
                }
            }
        }
        self.narrow = other.clone();
    }

    /// What slots hold where a label is that several ways have come to, and where they go on.
    pub fn joined_at(&self, label: Label) -> Option<(Narrow, Label)> {
        self.joined.get(&label).cloned()
    }

    /// Of registers and masks these alone are read again, a bit for each.
    pub fn keep_only(&mut self, needed: Needed) {
        if !self.narrows {
            return;
        }
        let is_needed = |holds: Holds| match holds {
            Holds::Half(reg, _) => needed.registers >> reg & 1 != 0,
            Holds::Lanes(mask, ..) => needed.masks >> mask & 1 != 0,
            _ => true,
        };
        self.narrow.drop(|holds| !is_needed(holds));
        self.narrow.zero &= needed.registers;
        self.narrow.same &= needed.registers;
        for (mask, form) in self.narrow.masks.iter_mut().enumerate() {
            if needed.masks >> mask & 1 == 0 {
                *form = Form::Bits;
                self.narrow.as_lanes &= !(3 << (2 * mask));
            }
        }
    }

    /// Nothing is known of what slots hold.
    pub fn forget_slots(&mut self) {
        self.narrow = Narrow::default();
    }

    /// Whether the file lacks anything.
    pub fn is_ahead(&self) -> bool {
        self.narrow.is_ahead()
    }

    /// Makes a file, on hosts that need one, in place of registers that are free until it is closed.
    pub fn open_file(&mut self) {
        if !self.narrows {
            return;
        }
        KEPT.into_iter().for_each(|reg| self.push(reg));
        // mov r14, rsp; sub rsp, SIZE; and rsp, -64; mov r15, rsp
        self.extend(&[0x49, 0x89, 0xe6, 0x48, 0x81, 0xec]);
        self.dword(SIZE);
        self.extend(&[0x48, 0x83, 0xe4, 0xc0, 0x49, 0x89, 0xe7]);
        self.gpr_at(&[0x89], true, Gpr::R14, At::Base(FILE as u8, STACK));
        self.forget_slots();
    }

    /// Gives it back.
    pub fn close_file(&mut self) {
        if !self.narrows {
            return;
        }
        self.forget_slots();
        // mov rsp, [file + STACK], by way of r14
        self.gpr_at(&[0x8b], true, Gpr::R14, At::Base(FILE as u8, STACK));
        self.extend(&[0x4c, 0x89, 0xf4]);
        KEPT.into_iter().rev().for_each(|reg| self.pop(reg));
    }

    /// Copies 64 bytes, where there is no file.
    pub fn copy_row(&mut self, (from, at): (Gpr, u32), to: Gpr) {
        if !self.narrows {
            self.vector(Vector::LOAD, Len::Z, 0, 0, Rm::At(from, at));
            return self.vector(Vector::STORE, Len::Z, 0, 0, Rm::At(to, 0));
        }
        for half in 0..2 {
            let from = At::Base(from as u8, at.cast_signed() + 32 * i32::from(half));
            self.vex(Op::LOAD, true, half, 0, From::Memory(from));
        }
        for half in 0..2 {
            let to = At::Base(to as u8, 32 * i32::from(half));
            self.vex(Op::STORE, true, half, 0, From::Memory(to));
        }
    }
}
