//! Dwords of 16 lanes, one to three of each, where each lane is as far behind the one before as the others are.
//!
//! ```text
//!  rows    a0 a1 … a15 │ b0 b1 … b15
//!  memory  a0 b0 · a1 │ b1 · a2 b2 │ …
//! ```
//!
//! Memory is moved by whole registers, the last of which ends with the last lane; dwords find their places by lists of
//! numbers, two registers at once. What lies between those of the lanes may be of other threads: it is read, but never
//! written, and what two registers have in common is written once.

use super::assembler::{Gpr, Len, Reg, Rm, Vector};
use super::emit::{CONDITION, Emitter};
use super::quads::FREE;
use super::select::Bytes;
use super::transfer::Transfer;

/// Lanes, and dwords of a register.
const LANES: u32 = 16;

/// How lanes lie in memory, in dwords.
#[derive(Clone, Copy)]
struct Pieces {
    /// From lane to lane.
    space: u32,
    /// From the first lane to behind the last one.
    all: u32,
}

impl Pieces {
    /// * `span`: from the first dword of a lane to behind its last one.
    fn new(space: u32, span: u32) -> Pieces {
        let all = (LANES - 1) * space + span;
        Pieces { space, all }
    }

    /// Where registers begin.
    fn starts(self) -> impl Iterator<Item = u32> {
        let last = self.all - LANES;
        (0..self.all.div_ceil(LANES)).map(move |n| (LANES * n).min(last))
    }

    /// In which register a dword is, and where.
    fn find(self, at: u32) -> [u32; 2] {
        let number = at / LANES;
        let start = self.starts().nth(number as usize).unwrap_or(0);
        [number, at - start]
    }
}

impl Transfer {
    /// Whether two or three dwords of 16 lanes are moved, without gaps.
    pub fn is_of_vectors(&self) -> bool {
        let some = self.bytes == 4 && matches!(self.rows, 2 | 3) && self.row() == 16;
        some && self.channels == (1 << self.rows) - 1
    }
}

impl Emitter {
    /// Loads rows from where `rcx` and `rdx` say, lanes being so many bytes apart.
    pub fn load_vectors(&mut self, space: u32, targets: &[Reg]) {
        let pieces = Pieces::new(space / 4, targets.len() as u32);
        let [a, b, c, d, other, _] = FREE;
        for (start, to) in pieces.starts().zip(FREE) {
            let from = Rm::Window(4 * start);
            self.code.vector(Vector::LOAD, Len::Z, to, 0, from);
        }
        let count = pieces.starts().count();
        for (element, &target) in (0..).zip(targets) {
            let places: [[u32; 2]; LANES as usize] =
                std::array::from_fn(|lane| pieces.find(lane as u32 * pieces.space + element));
            // Numbers in two registers, the first one or another one that begins there.
            let of = |first: u32| {
                places.map(|[piece, at]| match piece.checked_sub(first) {
                    Some(second @ 0..2) => LANES * second + at,
                    _ => 0,
                })
            };
            let code = &mut self.code;
            code.vector(Vector::LOAD, Len::Z, target, 0, Rm::List(of(0)));
            code.vector(Vector::PERMI2D, Len::Z, target, a, Rm::Reg(b));
            if count == 2 {
                continue;
            }
            code.vector(Vector::LOAD, Len::Z, other, 0, Rm::List(of(2)));
            let last = if count == 3 { c } else { d };
            code.vector(Vector::PERMI2D, Len::Z, other, c, Rm::Reg(last));
            let lanes = (0..).zip(places).filter(|(_, [piece, _])| *piece >= 2);
            self.dword_mask(lanes.fold(0, |all, (lane, _)| all | 1 << lane));
            let own = (target, CONDITION[0], false);
            self.code
                .masked(Vector::LOAD, Len::Z, own, 0, Rm::Reg(other), None);
        }
    }

    /// Stores rows to where `rcx` and `rdx` say, lanes being so many bytes apart.
    pub fn store_vectors(&mut self, space: u32, rows: &[Bytes]) {
        let pieces = Pieces::new(space / 4, rows.len() as u32);
        let [_, _, _, data, order, _] = FREE;
        let mut from = [0; 3];
        for ((from, &row), free) in from.iter_mut().zip(rows).zip(FREE) {
            *from = match self.holder(row) {
                Some(held) => held,
                None => {
                    self.fetch(row, Len::Z, free);
                    free
                }
            };
        }
        let count = rows.len() as u32;
        for (first, start) in (0..).step_by(LANES as usize).zip(pieces.starts()) {
            // Of each dword whose it is, and which of its own.
            let own: [[u32; 2]; LANES as usize] = std::array::from_fn(|n| {
                let at = start + n as u32;
                [at / pieces.space, at % pieces.space]
            });
            let mask_of = |asked: &dyn Fn(u32, u32) -> bool| {
                let asked = (0..LANES)
                    .zip(own)
                    .filter(|(n, [_, element])| asked(start + n, *element));
                asked.fold(0, |all, (n, _)| all | 1 << n)
            };
            let first_two = own.map(|[lane, element]| match element {
                0 | 1 => lane + LANES * element,
                _ => 0,
            });
            let second = if count == 1 { from[0] } else { from[1] };
            let code = &mut self.code;
            code.vector(Vector::LOAD, Len::Z, data, 0, Rm::List(first_two));
            code.vector(Vector::PERMI2D, Len::Z, data, from[0], Rm::Reg(second));
            if count == 3 {
                let lanes = Rm::List(own.map(|[lane, _]| lane));
                code.vector(Vector::LOAD, Len::Z, order, 0, lanes);
                self.dword_mask(mask_of(&|_, element| element == 2));
                let third = (data, CONDITION[0], false);
                let from = Rm::Reg(from[2]);
                self.code
                    .masked(Vector::PERMD, Len::Z, third, order, from, None);
            }
            let mut mask = 0;
            let written = mask_of(&|at, element| element < count && at >= first);
            if written != u32::from(u16::MAX) {
                self.dword_mask(written);
                mask = CONDITION[0];
            }
            let (from, to) = ((data, mask, false), Rm::Window(4 * start));
            self.code.masked(Vector::STORE, Len::Z, from, 0, to, None);
        }
    }

    /// Makes a mask for the dwords of a register.
    fn dword_mask(&mut self, bits: u32) {
        self.code.move_number(Gpr::Rax, bits);
        self.code.load_mask(CONDITION[0], Gpr::Rax);
    }
}
