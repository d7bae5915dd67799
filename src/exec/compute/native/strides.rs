//! Elements of the arena that are any number of bytes apart: one by one, and dwords that are halves of qwords by whole
//! registers of these.

use super::assembler::{Gpr, Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, MAKING, SELECT_BITS, UNORDERED, length};
use super::integers::{LEFT, RIGHT};
use super::select::{Bytes, Kind};

/// Bytes from the first to behind the last of dwords that begin so many bytes apart.
const fn span(lanes: u8, stride: u16) -> u32 {
    stride as u32 * (lanes as u32 - 1) + 4
}

/// Whether dwords that begin here, 8 bytes apart, are the upper halves of qwords: these are as far from the first byte of
/// the arena as they are long.
const fn is_upper(at: u32) -> bool {
    at % 8 >= 4
}

/// The qwords of which so many dwords, 8 bytes apart, are halves: register after register.
pub fn rows_of_qwords(at: u32, len: Len) -> impl Iterator<Item = (Bytes, Len)> {
    let (rows, wide) = match len {
        Len::X => (1, Len::Y),
        Len::Y => (1, Len::Z),
        Len::Z => (2, Len::Z),
    };
    let at = if is_upper(at) { at - 4 } else { at };
    (0..rows).map(move |part| {
        let lanes = (wide.bytes() / 4) as u8;
        let row = Bytes {
            at: at + 64 * part,
            len: wide.bytes(),
            kind: Kind::Row(lanes),
        };
        (row, wide)
    })
}

impl Emitter {
    /// The dwords that begin with elements.
    pub fn gather_elements(&mut self, lanes: u8, stride: u16, at: u32, to: Reg) {
        let len = length(lanes);
        self.steps(lanes, stride, MAKING);
        self.code.move_number(Gpr::Rdx, (1 << lanes) - 1);
        self.code.load_mask(UNORDERED, Gpr::Rdx);
        let from = Rm::RowLanes(MAKING, at, span(lanes, stride));
        let to = (to, UNORDERED, false);
        self.code.masked(Vector::GATHER, len, to, 0, from, None);
    }

    /// Stores elements. What is behind a narrow one is written as it was; lanes are stored in order, so that a later one
    /// replaces it.
    pub fn scatter_elements(
        &mut self,
        (size, stride): (u32, u16),
        at: u32,
        lanes: u8,
        mask: Mask,
        value: Reg,
    ) {
        let len = length(lanes);
        let [old, steps, _] = BETWEEN;
        self.steps(lanes, stride, steps);
        let place = Rm::RowLanes(steps, at, span(lanes, stride));
        let mut from = value;
        if size < 4 {
            self.running_lanes(mask);
            let to = (old, UNORDERED, false);
            self.code.masked(Vector::GATHER, len, to, 0, place, None);
            let low = Rm::Const((1 << (8 * size)) - 1);
            self.code
                .vector_by(Vector::PTERNLOGD, len, old, value, low, SELECT_BITS);
            from = old;
        }
        self.running_lanes(mask);
        let from = (from, UNORDERED, false);
        self.code.masked(Vector::SCATTER, len, from, 0, place, None);
    }

    /// The lower or upper halves of qwords, whichever begin at `at`: from registers that hold the qwords, or from whole
    /// ones in the arena, which were stored as such.
    pub fn halves_of_qwords(&mut self, at: u32, len: Len, to: Reg) {
        for (part, (row, wide)) in rows_of_qwords(at, len).enumerate() {
            let into = if part == 0 { to } else { MAKING };
            let held = self.holder(row).map_or(Rm::Row(row.at), Rm::Reg);
            let from = self.qword_in_register(held, into);
            let from = match is_upper(at) {
                true => {
                    self.code.vector_by(
                        Vector::SHIFT_QWORDS_BY,
                        wide,
                        RIGHT,
                        into,
                        Rm::Reg(from),
                        32,
                    );
                    into
                }
                false => from,
            };
            self.code
                .vector(Vector::PMOVQD, wide, from, 0, Rm::Reg(into));
            if part == 1 {
                self.code
                    .vector_by(Vector::INSERT_HALF, Len::Z, to, to, Rm::Reg(into), 1);
            }
        }
    }

    /// Stores dwords as the lower or upper halves of qwords, whichever begin at `at`; registers hold the qwords.
    pub fn put_halves(&mut self, at: u32, len: Len, mask: Mask, value: Reg) {
        let [dwords, between, _] = BETWEEN;
        let own = match is_upper(at) {
            true => u64::from(u32::MAX) << 32,
            false => u64::from(u32::MAX),
        };
        for (part, (row, wide)) in rows_of_qwords(at, len).enumerate() {
            let (mut from, mut lanes) = (value, mask);
            if part == 1 {
                self.code
                    .vector_by(Vector::EXTRACT_HALF, Len::Z, value, 0, Rm::Reg(dwords), 1);
                from = dwords;
                if mask != 0 {
                    self.code.upper_mask(UNORDERED, mask);
                    lanes = UNORDERED;
                }
            }
            self.code
                .vector(Vector::PMOVZXDQ, wide, dwords, 0, Rm::Reg(from));
            if is_upper(at) {
                let from = Rm::Reg(dwords);
                self.code
                    .vector_by(Vector::SHIFT_QWORDS_BY, wide, LEFT, dwords, from, 32);
            }
            let old = self.holder(row).map_or(Rm::Row(row.at), Rm::Reg);
            let free = self.take_if_any();
            let target = free.unwrap_or(between);
            self.code.vector(Vector::LOAD_QWORDS, wide, target, 0, old);
            self.code.masked(
                Vector::PTERNLOGQ,
                wide,
                (target, lanes, false),
                dwords,
                Rm::Const64(own),
                Some(SELECT_BITS),
            );
            if free.is_some() || self.pin(row).is_some() {
                self.put_row(row, target);
                self.is_merged();
                if free.is_some() {
                    // It is held like any other.
                    self.busy.pop();
                }
            } else {
                self.overwrite(row);
                self.code
                    .vector(Vector::STORE_QWORDS, wide, target, 0, Rm::Row(row.at));
            }
        }
    }

    /// How far each lane is from the first one.
    fn steps(&mut self, lanes: u8, stride: u16, to: Reg) {
        let steps = Rm::Steps(stride.into());
        self.code.vector(Vector::LOAD, length(lanes), to, 0, steps);
    }

    /// A mask that gathers and scatters may clear.
    fn running_lanes(&mut self, mask: Mask) {
        match mask {
            0 => self.code.fill_mask(UNORDERED),
            mask => self.code.copy_mask(UNORDERED, mask),
        }
    }
}
