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
mod masks;
mod moves;
mod numbers;
mod order;
mod vex;
mod ways;

use super::assembler::{Assembler, Gpr, Len, Mask, Reg, Rm, Vector};
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
