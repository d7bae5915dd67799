//! Sixteen lanes that are evenly spaced: bytes; words and dwords that are read and overlap or nearly touch; dwords in descending
//! order. Of dwords that are farther apart see [`vectors`](super::vectors).
//!
//! ```text
//!  memory  r0 g0 b0 r1 │ g1 b1 r2 g2 │ …
//!  red     r0 0 0 0    │ r1 0 0 0    │ …
//!
//!  memory  d15 d14 … d0      lane 0 is the last one: dwords that change places
//! ```
//!
//! One load or store, of bytes with a bit for each, and elements that change places, where a gather takes the lanes one by one
//! and a loop stores them so. Bytes between those of the lanes are left alone: they may be of other threads.

use super::assembler::{Alu, Gpr, If, Label, Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, CONDITION, Emitter, SOURCE, length};
use super::transfer::Transfer;

/// Bytes from lane to lane of dwords in descending order.
const BACKWARD: u32 = 4u32.wrapping_neg();

/// The byte of a shuffle that makes a zero.
const ZERO: u8 = 0x80;

impl Transfer {
    /// Bytes from lane to lane for which there is code, but for that of lanes that follow each other: elements that are read may
    /// overlap.
    fn spaces(&self) -> &'static [u32] {
        if self.row() != 16 {
            return &[];
        }
        let vectors = self.is_of_vectors();
        // A store whose lanes have anything between them is left to the steps.
        match (self.bytes, self.rows, self.write, self.harmless) {
            (1, 1, true, true) => &[],
            (1, 1, ..) => &[2, 3, 4],
            (2, 1, false, _) => &[1, 3, 4],
            (4, 1, true, true) => &[],
            (4, 1, true, false) => &[8, 12, 16, BACKWARD],
            (4, 1, false, _) => &[1, 2, 8, 12, 16, BACKWARD],
            (4, 2, true, true) if vectors => &[8],
            (4, 3, true, true) if vectors => &[12],
            (4, 2, ..) if vectors => &[8, 16],
            (4, 3, ..) if vectors => &[12, 16],
            _ => &[],
        }
    }

    /// Whether there is code for lanes that ascend by so many bytes.
    pub fn is_spaced(&self, step: u32) -> bool {
        step != BACKWARD && self.spaces().contains(&step)
    }
}

impl Emitter {
    /// Code for a half of a message of bytes, words or dwords whose lanes are evenly spaced, if all of them run, which then goes
    /// to `done`; else on from here.
    ///
    /// * `targets`: where data goes that is read; a store has none.
    pub fn spaced(
        &mut self,
        message: &Transfer,
        (half, mask): (u8, Option<Mask>),
        targets: &[Reg],
        done: Label,
    ) {
        let spaces = message.spaces();
        if spaces.is_empty() {
            return;
        }
        let (len, offsets) = (length(message.row()), SOURCE[usize::from(half)]);
        let [next, ..] = BETWEEN;
        let code = &mut self.code;
        let apart = code.label();
        // From lane 0 to lane 1.
        code.vector(Vector::MOVSHDUP, len, next, 0, Rm::Reg(offsets));
        code.vector(Vector::PSUBD, len, next, next, Rm::Reg(offsets));
        code.vector(Vector::TO_GPR, Len::X, next, 0, Rm::Reg(Gpr::Rdx as u8));
        // Lanes at one place are asked about behind this.
        code.test(Gpr::Rdx, Gpr::Rdx);
        code.jump_if(If::Zero, apart);
        let each = spaces.iter().map(|&space| {
            let here = code.label();
            code.alu_number(Alu::Cmp, Gpr::Rdx, space);
            code.jump_if(If::Zero, here);
            (space, here)
        });
        let each: Vec<(u32, Label)> = each.collect();
        code.jump(apart);
        for (space, here) in each {
            self.code.bind(here);
            self.unless_follow(len, half, space, mask);
            self.code.jump_if(If::NotZero, apart);
            self.unless_all(mask, apart);
            self.first_offset(half);
            self.move_spaced(message, space, half, targets);
            self.code.jump(done);
        }
        self.code.bind(apart);
    }

    /// Loads or stores a half of which the first lane is where `rcx` and `rdx` say.
    pub fn move_spaced(&mut self, message: &Transfer, space: u32, half: u8, targets: &[Reg]) {
        match (message.bytes, targets) {
            _ if space == BACKWARD => self.backward(message, half, targets),
            (bytes, [target, ..]) if space <= 4 => self.load_spaced(bytes, space, *target),
            (1, []) => {
                let row = message.row_of(0, half);
                let from = self.row_in_register(row, length(message.row()));
                self.store_spaced(space, from, BETWEEN[1]);
            }
            (_, []) => self.store_vectors(space, &message.rows_of_half(half)),
            _ => self.load_vectors(space, targets),
        }
    }

    /// Loads or stores dwords of which the first is where `rcx` and `rdx` say, and each of the others in front of it.
    fn backward(&mut self, message: &Transfer, half: u8, targets: &[Reg]) {
        let [order, data, _] = BETWEEN;
        self.code.subtract_wide(Gpr::Rdx, 15 * 4);
        let lanes = Rm::List(std::array::from_fn(|n| 15 - n as u32));
        self.code.vector(Vector::LOAD, Len::Z, order, 0, lanes);
        if let [target, ..] = targets {
            let from = Rm::Window(0);
            return self
                .code
                .vector(Vector::PERMD, Len::Z, *target, order, from);
        }
        let from = self.row_in_register(message.row_of(0, half), Len::Z);
        let code = &mut self.code;
        code.vector(Vector::PERMD, Len::Z, data, order, Rm::Reg(from));
        code.vector(Vector::STORE, Len::Z, data, 0, Rm::Window(0));
    }

    /// Loads an element of up to four bytes for each lane from where `rcx` and `rdx` say.
    fn load_spaced(&mut self, bytes: u32, space: u32, target: Reg) {
        let [order, data, _] = BETWEEN;
        // Nothing behind the last one.
        let all = 15 * space + bytes;
        if self.code.narrows {
            self.code.load_bytes(data, all);
        } else {
            self.wide_mask(u64::MAX >> (64 - all));
            let to = (data, CONDITION[0], true);
            self.code
                .masked(Vector::LOAD_BYTES, Len::Z, to, 0, Rm::Window(0), None);
        }
        let code = &mut self.code;
        // Four lanes are in as many dwords as there are bytes from one to the next.
        let dwords = std::array::from_fn(|n| n as u32 / 4 * space + n as u32 % 4);
        code.vector(Vector::LOAD, Len::Z, order, 0, Rm::List(dwords));
        code.vector(Vector::PERMD, Len::Z, data, order, Rm::Reg(data));
        let own = |n: usize| match n % 4 {
            k if k < bytes as usize => (n / 4 * space as usize + k) as u8,
            _ => ZERO,
        };
        let chosen = Rm::List(dwords_of(|n| own(n % 16)));
        code.vector(Vector::PSHUFB, Len::Z, target, data, chosen);
    }

    /// Stores the low byte of each lane of `from` to where `rcx` and `rdx` say.
    fn store_spaced(&mut self, space: u32, from: Reg, data: Reg) {
        let lanes = (0..16).fold(0, |all, lane| all | 1u64 << (lane * space));
        let code = &mut self.code;
        code.vector(Vector::PMOVDB, Len::Z, from, 0, Rm::Reg(data));
        // All sixteen bytes in each quarter.
        let all = Rm::Reg(data);
        code.vector_by(Vector::SHUFF32X4, Len::Z, data, data, all, 0);
        let lane_at = |n: usize| match n % space as usize {
            0 => (n / space as usize).min(15) as u8,
            _ => ZERO,
        };
        let bytes = Rm::List(dwords_of(lane_at));
        code.vector(Vector::PSHUFB, Len::Z, data, data, bytes);
        if code.narrows {
            return code.store_bytes(data, lanes);
        }
        self.wide_mask(lanes);
        let from = (data, CONDITION[0], false);
        self.code
            .masked(Vector::STORE_BYTES, Len::Z, from, 0, Rm::Window(0), None);
    }

    /// Makes a mask for the bytes of a register.
    fn wide_mask(&mut self, bits: u64) {
        self.code.move_wide_number(Gpr::Rax, bits);
        self.code.load_wide_mask(CONDITION[0], Gpr::Rax);
    }
}

/// Dwords of these 64 bytes.
fn dwords_of(byte: impl Fn(usize) -> u8) -> [u32; 16] {
    std::array::from_fn(|n| u32::from_le_bytes(std::array::from_fn(|k| byte(4 * n + k))))
}
