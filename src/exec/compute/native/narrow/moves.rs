//! What moves vectors between registers and memory, and elements to more bytes and to less: lane after lane, where not all run
//! and an instruction would touch what is not theirs.

use super::super::assembler::{Assembler, Gpr, Len, Mask, Reg, Rm};
use super::instructions::{IN_ORDER, To, halves, is_own, lanes_at, offsets, register};
use super::vex::{At, From, Op};
use super::{BITS, FILE, MORE_BITS, ROOM};

impl Assembler {
    pub fn load_vector(&mut self, len: Len, (to, qwords): (To, bool), b: Rm) {
        let long = len != Len::X;
        let shared = self.shared(b, qwords);
        for half in 0..halves(len) {
            let from = self.second(b, shared, half);
            if let (From::Memory(at), true) = (from, to.1 != 0 && !is_own(b)) {
                // What is behind the lanes that are on may not be there.
                let lanes = self.lanes(to.1, qwords, half);
                let slot = self.spare();
                self.vex(Op::LOAD_LANES, long, slot, lanes, From::Memory(at));
                match to.2 {
                    true => self.becomes(to.0, half, slot),
                    false => self.put_slot((to, qwords), half, long, slot),
                }
                continue;
            }
            self.put((to, qwords), half, long, |own, slot| {
                own.move_to(slot, from, long)
            });
        }
        self.done(to.0, len);
        if let (Rm::List(dwords), Len::Z, 0) = (b, len, to.1) {
            self.is_list(to.0, dwords);
        }
    }

    pub fn store_vector(&mut self, len: Len, ((from, mask, _), qwords): (To, bool), to: Rm) {
        let long = len != Len::X;
        for half in 0..halves(len) {
            let from = self.half(from, half);
            let at = self.place_of(to, half, 32);
            self.store_lanes(at, is_own(to), (from, mask, qwords, half), long);
        }
    }

    /// Stores lanes of a slot.
    pub fn store_lanes(
        &mut self,
        at: At,
        own: bool,
        (from, mask, qwords, half): (u8, Mask, bool, u8),
        long: bool,
    ) {
        if mask == 0 {
            return self.vex(Op::STORE, long, from, 0, From::Memory(at));
        }
        let lanes = self.lanes(mask, qwords, half);
        if own {
            // A masked store would keep later loads from its bytes.
            let slot = self.spare();
            self.vex(Op::LOAD, long, slot, 0, From::Memory(at));
            self.vex_by(Op::BLEND, long, slot, slot, From::Slot(from), lanes << 4);
            self.vex(Op::STORE, long, slot, 0, From::Memory(at));
            self.give(slot);
        } else {
            self.vex(Op::STORE_LANES, long, from, lanes, From::Memory(at));
        }
    }

    /// Stores the first element, if its lane is on.
    pub fn store_one(&mut self, qword: bool, (from, mask, _): To, to: Rm) {
        let mut from = self.half(from, 0);
        let at = From::Memory(self.place_of(to, 0, 0));
        if mask != 0 {
            let lanes = self.lanes(mask, qword, 0);
            let slot = self.spread_from(at, qword);
            self.vex_by(Op::BLEND, false, slot, slot, From::Slot(from), lanes << 4);
            from = slot;
        }
        self.vex(Op::store_one(qword), false, from, 0, at);
    }

    pub fn spread(&mut self, len: Len, (to, qwords): (To, bool), b: Rm) {
        let long = len != Len::X;
        if to.1 == 0 {
            return self.spread_whole(len, (to.0, qwords), b);
        }
        let shared = match (b, self.shared(b, qwords)) {
            (Rm::WindowEach(at), _) => return self.spread_lanes(len, (to, qwords), at),
            (_, Some(slot)) => slot,
            (Rm::Reg(reg), None) => {
                let from = From::Slot(self.half(reg, 0));
                self.spread_from(from, qwords)
            }
            (_, None) => {
                let from = From::Memory(self.place_of(b, 0, 0));
                self.spread_from(from, qwords)
            }
        };
        for half in 0..halves(len) {
            self.put((to, qwords), half, long, |own, slot| {
                own.vex(Op::COPY, long, slot, 0, From::Slot(shared));
            });
        }
        self.done(to.0, len);
    }

    /// The same of all lanes: once for both halves.
    fn spread_whole(&mut self, len: Len, (to, qwords): (Reg, bool), b: Rm) {
        let slot = match b {
            Rm::Const(dword) => self.spare_constant(&[dword]),
            Rm::Const64(qword) => self.spare_constant(&[qword as u32, (qword >> 32) as u32]),
            Rm::Reg(reg) => {
                let from = From::Slot(self.half(reg, 0));
                self.spread_from(from, qwords)
            }
            _ => {
                let from = From::Memory(self.place_of(b, 0, 0));
                self.spread_from(from, qwords)
            }
        };
        self.whole(len, to, slot);
    }

    /// A spare slot with a dword, or a qword, in all lanes.
    fn spare_constant(&mut self, dwords: &[u32]) -> u8 {
        let slot = self.spare();
        self.load_constant(slot, dwords);
        slot
    }

    /// A register's halves are what a spare slot holds.
    fn whole(&mut self, len: Len, to: Reg, slot: u8) {
        // What was there is not read again: its halves need no slots of their own.
        self.clear_upper(to);
        self.becomes(to, 0, slot);
        match len {
            Len::Z => self.are_same(to),
            // The upper half of a slot that is not whole is zero.
            Len::X => self.vex(Op::COPY, false, slot, 0, From::Slot(slot)),
            Len::Y => {}
        }
    }

    /// One element of a window in lanes that are on: where there are none, nothing may be there.
    pub fn spread_lanes(&mut self, len: Len, (to, qwords): (To, bool), at: u32) {
        let long = len != Len::X;
        let op = if qwords {
            Op::GATHER_QWORDS
        } else {
            Op::GATHER
        };
        let nowhere = self.each(0);
        for half in 0..halves(len) {
            let (lanes, slot) = (self.spare(), self.spare());
            self.gathered_into(to, (qwords, half), (lanes, slot));
            // lea r12, [rcx + rdx]
            self.extend(&[0x4c, 0x8d, 0x24, 0x11]);
            let from = At::Lanes(BITS as u8, nowhere, at.cast_signed());
            self.vex(op, long, slot, lanes, From::Memory(from));
            self.give(lanes);
            match to.2 {
                true => self.put_slot((to, qwords), half, long, slot),
                false => self.becomes(to.0, half, slot),
            }
        }
        self.done(to.0, len);
    }

    /// A spare slot with one element in all lanes.
    pub fn spread_from(&mut self, from: From, qwords: bool) -> u8 {
        let slot = self.spare();
        self.vex(Op::broadcast(qwords), true, slot, 0, from);
        slot
    }

    pub fn spread_gpr(&mut self, len: Len, (to, qwords): (To, bool), from: Rm) {
        let long = len != Len::X;
        let moves = match qwords {
            true => Op::FROM_GPR_WIDE,
            false => Op::FROM_GPR,
        };
        let shared = self.spare();
        self.vex(moves, false, shared, 0, From::Slot(register(from)));
        self.vex(Op::broadcast(qwords), true, shared, 0, From::Slot(shared));
        if to.1 == 0 {
            return self.whole(len, to.0, shared);
        }
        for half in 0..halves(len) {
            self.put((to, qwords), half, long, |own, slot| {
                own.vex(Op::COPY, long, slot, 0, From::Slot(shared));
            });
        }
        self.done(to.0, len);
    }

    /// Elements of more bytes than they are read with.
    pub fn widen(&mut self, (op, bytes, qwords): (Op, u8, bool), len: Len, to: To, b: Rm) {
        let long = len != Len::X;
        if let (Rm::Window(at), true) = (b, to.1 != 0) {
            return self.widen_lanes(op, at, len, to);
        }
        let shared = self.shared(b, false);
        let mut slots = Vec::new();
        for half in 0..halves(len) {
            let from = match (b, shared) {
                (_, Some(slot)) => From::Slot(slot),
                (Rm::Reg(reg), None) if half == 0 => From::Slot(self.half(reg, 0)),
                (Rm::Reg(reg), None) => {
                    let from = self.half(reg, 0);
                    let slot = self.spare();
                    match bytes {
                        16 => self.vex_by(Op::EXTRACT, true, from, 0, From::Slot(slot), 1),
                        // vpsrldq
                        _ => {
                            let op = Op::SHIFT_QWORDS_BY;
                            self.vex_by(op, false, 3, slot, From::Slot(from), bytes);
                        }
                    }
                    From::Slot(slot)
                }
                (rm, None) => From::Memory(self.place_of(rm, half, bytes)),
            };
            let slot = self.spare();
            self.vex(op, long, slot, 0, from);
            slots.push(slot);
        }
        for (half, slot) in (0..).zip(slots) {
            self.put_slot((to, qwords), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// The same where not all lanes may be there: each of them as a dword, of which up to three bytes behind may be read.
    pub fn widen_lanes(&mut self, Op(_, _, _, opcode): Op, at: u32, len: Len, to: To) {
        let long = len != Len::X;
        let bytes = match opcode {
            0x31 | 0x21 => 1,
            0x33 | 0x23 => 2,
            _ => {
                self.lacks = true;
                return;
            }
        };
        let signed = opcode & 0xf0 == 0x20;
        for half in 0..halves(len) {
            let list: [u32; 8] = std::array::from_fn(|n| (n as u32 + 8 * u32::from(half)) * bytes);
            let list = At::Pool(self.constant(&list));
            let (offsets, lanes, slot) = (self.spare(), self.spare(), self.spare());
            let own = self.lanes(to.1, false, half);
            self.vex(Op::LOAD, true, offsets, 0, From::Memory(list));
            self.vex(Op::COPY, true, lanes, 0, From::Slot(own));
            self.clear_slot(slot);
            // lea r12, [rcx + rdx]: where the first element is.
            self.extend(&[0x4c, 0x8d, 0x24, 0x11]);
            let from = At::Lanes(BITS as u8, offsets, at.cast_signed());
            self.vex(Op::GATHER, long, slot, lanes, From::Memory(from));
            let unused = (32 - 8 * bytes) as u8;
            self.vex_by(Op::SHIFT_BY, true, 6, slot, From::Slot(slot), unused);
            let right = if signed { 4 } else { 2 };
            self.vex_by(Op::SHIFT_BY, true, right, slot, From::Slot(slot), unused);
            [offsets, lanes]
                .into_iter()
                .for_each(|slot| self.give(slot));
            self.put_slot((to, false), half, long, slot);
        }
        self.done(to.0, len);
    }

    /// Loads dwords for lanes that are on.
    pub fn gather(&mut self, len: Len, to: To, from: Rm) {
        let long = len != Len::X;
        let offsets = offsets(from);
        let mut slots = Vec::new();
        for half in 0..halves(len) {
            let offsets = self.half(offsets, half);
            let (lanes, slot) = (self.spare(), self.spare());
            self.gathered_into(to, (false, half), (lanes, slot));
            let at = lanes_at(self.place_of(from, 0, 0), offsets);
            self.vex(Op::GATHER, long, slot, lanes, From::Memory(at));
            self.give(lanes);
            slots.push(slot);
        }
        for (half, slot) in (0..).zip(slots) {
            self.becomes(to.0, half, slot);
        }
        self.done(to.0, len);
    }

    /// What a gather takes, and changes: lanes of a mask that are on, and what is there in the others.
    pub fn gathered_into(
        &mut self,
        (to, mask, _): To,
        (qwords, half): (bool, u8),
        (lanes, slot): (u8, u8),
    ) {
        if mask == 0 {
            self.vex(Op::EQUAL, true, lanes, lanes, From::Slot(lanes));
            return self.clear_slot(slot);
        }
        let (own, old) = (self.lanes(mask, qwords, half), self.half(to, half));
        self.vex(Op::COPY, true, lanes, 0, From::Slot(own));
        self.vex(Op::COPY, true, slot, 0, From::Slot(old));
    }

    /// Loads qwords for eight lanes.
    pub fn gather_qwords(&mut self, to: To, from: Rm) {
        let offsets = self.half(offsets(from), 0);
        let upper = self.spare();
        self.vex_by(Op::EXTRACT, true, offsets, 0, From::Slot(upper), 1);
        let mut slots = Vec::new();
        for (half, offsets) in [(0, offsets), (1, upper)] {
            let (lanes, slot) = (self.spare(), self.spare());
            self.gathered_into(to, (true, half), (lanes, slot));
            let at = lanes_at(self.place_of(from, 0, 0), offsets);
            self.vex(Op::GATHER_QWORDS, true, slot, lanes, From::Memory(at));
            self.give(lanes);
            slots.push(slot);
        }
        for (half, slot) in (0..).zip(slots) {
            self.becomes(to.0, half, slot);
        }
    }

    /// Stores dwords, or qwords, of lanes that are on, in their order.
    pub fn scatter(&mut self, len: Len, (from, mask, _): To, to: Rm, bytes: i32) {
        let room = |at: i32| At::Base(FILE as u8, ROOM + at);
        let lanes = match (bytes, len) {
            (8, _) | (_, Len::Y) => 8,
            (_, Len::X) => 4,
            _ => 16,
        };
        for half in 0..if lanes == 16 { 2 } else { 1 } {
            let offsets = self.half(offsets(to), half);
            self.vex(
                Op::STORE,
                true,
                offsets,
                0,
                From::Memory(room(32 * i32::from(half))),
            );
        }
        for half in 0..if lanes == 16 || bytes == 8 { 2 } else { 1 } {
            let value = self.half(from, half);
            let at = room(64 + 32 * i32::from(half));
            self.vex(Op::STORE, true, value, 0, From::Memory(at));
        }
        let place = self.place_of(to, 0, 0);
        self.lane_by_lane(mask, lanes, |own, lane| {
            let (At::Lanes(base, _, at) | At::Sum(base, _, at) | At::Base(base, at)) = place else {
                return;
            };
            own.gpr_at(&[0x63], true, BITS, room(4 * lane));
            own.gpr_at(&[0x8b], bytes == 8, MORE_BITS, room(64 + bytes * lane));
            let at = At::Sum(base, BITS as u8, at);
            own.gpr_at(&[0x89], bytes == 8, MORE_BITS, at);
        });
    }

    /// Makes something for each lane that is on.
    pub fn lane_by_lane(&mut self, mask: Mask, lanes: i32, make: impl Fn(&mut Self, i32)) {
        if self.is_all(mask) {
            return (0..lanes).for_each(|lane| make(self, lane));
        }
        self.load_bits(Gpr::R14, mask, 16);
        // Flags stay: pushfq
        self.byte(0x9c);
        for lane in 0..lanes {
            // bt r14d, lane; jnc
            self.extend(&[0x41, 0x0f, 0xba, 0xe6, lane as u8, 0x73, 0]);
            let from = self.bytes_here();
            make(self, lane);
            self.patch_short(from);
        }
        // popfq
        self.byte(0x9d);
    }

    /// The low words, or bytes, of dwords.
    pub fn narrow_dwords(&mut self, len: Len, (from, mask, _): To, to: Rm, bytes: i32) {
        let (count, lanes) = (halves(len), 4 << len as u8);
        if mask != 0 && !matches!(to, Rm::Reg(_)) {
            let room = |at: i32| At::Base(FILE as u8, ROOM + at);
            for half in 0..count {
                let value = self.half(from, half);
                let at = room(32 * i32::from(half));
                self.vex(Op::STORE, true, value, 0, From::Memory(at));
            }
            let place = self.place_of(to, 0, 0);
            return self.lane_by_lane(mask, lanes, |own, lane| {
                own.gpr_at(&[0x8b], false, MORE_BITS, room(4 * lane));
                let at = match place {
                    At::Base(base, at) => At::Base(base, at.wrapping_add(bytes * lane)),
                    At::Sum(base, index, at) => At::Sum(base, index, at.wrapping_add(bytes * lane)),
                    other => other,
                };
                if bytes == 2 {
                    own.byte(0x66);
                }
                own.gpr_at(
                    &[if bytes == 2 { 0x89 } else { 0x88 }],
                    false,
                    MORE_BITS,
                    at,
                );
            });
        }
        let low = self.each(if bytes == 2 { 0xffff } else { 0xff });
        let long = len != Len::X;
        let (slot, other) = (self.spare(), self.spare());
        let value = self.half(from, 0);
        self.vex(Op::AND, long, slot, value, From::Slot(low));
        if count == 2 {
            let value = self.half(from, 1);
            self.vex(Op::AND, true, other, value, From::Slot(low));
            self.vex(Op::PACK_DWORDS, true, slot, slot, From::Slot(other));
            self.vex_by(Op::ORDER_QWORDS, true, slot, 0, From::Slot(slot), IN_ORDER);
        } else {
            self.vex_by(Op::EXTRACT, true, slot, 0, From::Slot(other), 1);
            self.vex(Op::PACK_DWORDS, false, slot, slot, From::Slot(other));
        }
        if bytes == 1 {
            // Of a single half the upper words are zero.
            self.vex_by(Op::EXTRACT, true, slot, 0, From::Slot(other), 1);
            self.vex(Op::PACK_WORDS, false, slot, slot, From::Slot(other));
        }
        match to {
            Rm::Reg(to) if mask == 0 => {
                self.becomes(to, 0, slot);
                self.clear_upper(to);
            }
            Rm::Reg(_) => self.lacks = true,
            _ => {
                let at = From::Memory(self.place_of(to, 0, 0));
                match lanes * bytes {
                    32 => self.vex(Op::STORE, true, slot, 0, at),
                    16 => self.vex(Op::STORE, false, slot, 0, at),
                    8 => self.vex(Op::STORE_LOW_QWORD, false, slot, 0, at),
                    _ => self.vex(Op::STORE_DWORD, false, slot, 0, at),
                }
            }
        }
    }

    /// Loads bytes where `rcx` and `rdx` say, up to 64, and zeros behind them. Up to three bytes behind are read.
    pub fn load_bytes(&mut self, to: Reg, bytes: u32) {
        for half in 0..2u8 {
            let slot = self.spare();
            let own = bytes.saturating_sub(32 * u32::from(half)).min(32);
            let at = self.place_of(Rm::Window(0), half, 32);
            match own {
                0 => self.clear_slot(slot),
                29.. => self.vex(Op::LOAD, true, slot, 0, From::Memory(at)),
                _ => {
                    let dwords: [u32; 8] =
                        std::array::from_fn(|n| match (n as u32) < own.div_ceil(4) {
                            true => u32::MAX,
                            false => 0,
                        });
                    let dwords = At::Pool(self.constant(&dwords));
                    let lanes = self.spare();
                    self.vex(Op::LOAD, true, lanes, 0, From::Memory(dwords));
                    self.vex(Op::LOAD_LANES, true, slot, lanes, From::Memory(at));
                    self.give(lanes);
                }
            }
            self.becomes(to, half, slot);
        }
        self.release();
    }

    /// Stores bytes of a register where `rcx` and `rdx` say, those that have a bit.
    pub fn store_bytes(&mut self, from: Reg, bytes: u64) {
        for quarter in 0..4u8 {
            let half = self.half(from, quarter / 2);
            let slot = match quarter % 2 {
                0 => half,
                _ => {
                    let slot = self.spare();
                    self.vex_by(Op::EXTRACT, true, half, 0, From::Slot(slot), 1);
                    slot
                }
            };
            for byte in (0..16).filter(|byte| bytes >> (16 * quarter + byte) & 1 != 0) {
                let at = i32::from(16 * quarter + byte);
                let at = At::Sum(Gpr::Rcx as u8, Gpr::Rdx as u8, at);
                self.vex_by(Op::STORE_BYTE, false, slot, 0, From::Memory(at), byte);
            }
            self.release();
        }
    }
}
