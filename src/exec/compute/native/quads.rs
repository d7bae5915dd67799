//! Four dwords of each of 16 lanes that follow each other in memory, and the four rows of them in registers.
//!
//! ```text
//!  rows    a0 a1 … a15 │ b0 b1 … b15 │ c0 … │ d0 …
//!  memory  a0 b0 c0 d0 │ a1 b1 c1 d1 │ …
//! ```
//!
//! Dwords change places in quarters of registers (`unpack`), and quarters between registers (`shuffle`): sixteen
//! instructions, where a gather or scatter of each row takes as many lanes one by one.

use super::assembler::{Len, Reg, Rm, Vector};
use super::emit::Emitter;
use super::select::Bytes;

/// Registers that are free: all for single instructions but the second one, where offsets of other lanes are.
pub const FREE: [Reg; 6] = [0, 3, 4, 5, 6, 2];

/// Which quarters of two registers make another one: the lower or upper half of both, the even or odd ones of both.
const LOWER: u8 = 0x44;
const UPPER: u8 = 0xee;
const EVEN: u8 = 0x88;
const ODD: u8 = 0xdd;

impl Emitter {
    /// Writes rows to where `rcx` and `rdx` say.
    pub fn store_quads(&mut self, rows: [Bytes; 4]) {
        let [row, ab_low, ab_high, cd_low, cd_high, _] = FREE;
        let pairs = [
            (rows[0], rows[1], ab_low, ab_high),
            (rows[2], rows[3], cd_low, cd_high),
        ];
        for (first, second, low, high) in pairs {
            self.fetch(first, Len::Z, row);
            let second = match self.holder(second) {
                Some(reg) => Rm::Reg(reg),
                None => Rm::Row(second.at),
            };
            self.code.vector(Vector::UNPCKLPS, Len::Z, low, row, second);
            self.code
                .vector(Vector::UNPCKHPS, Len::Z, high, row, second);
        }
        // Of each quarter lane 0, 1, 2 and 3.
        let [_, _, _, _, _, third] = FREE;
        let lanes = [row, ab_low, third, ab_high];
        self.unpack([ab_low, cd_low], [lanes[0], lanes[1]]);
        self.unpack([ab_high, cd_high], [lanes[2], lanes[3]]);
        let quads = self.quarters(lanes, [cd_low, cd_high]);
        for (n, quad) in (0..).zip(quads) {
            let to = Rm::Window(64 * n);
            self.code.vector(Vector::STORE, Len::Z, quad, 0, to);
        }
    }

    /// Loads rows from where `rcx` and `rdx` say; the registers that they are in.
    pub fn load_quads(&mut self) -> [Reg; 4] {
        let [a, b, c, d, first, second] = FREE;
        for (n, to) in (0..).zip([a, b, c, d]) {
            let from = Rm::Window(64 * n);
            self.code.vector(Vector::LOAD, Len::Z, to, 0, from);
        }
        // Of each register lanes 0, 4, 8 and 12, and those behind them.
        let [p0, p1, p2, p3] = self.quarters([a, b, c, d], [first, second]);
        let free = FREE.map(|reg| (reg, [p0, p1, p2, p3].contains(&reg)));
        let mut free = free
            .into_iter()
            .filter(|(_, taken)| !taken)
            .map(|(reg, _)| reg);
        let (low, high) = (free.next().unwrap_or(a), free.next().unwrap_or(a));
        self.code
            .vector(Vector::UNPCKLPS, Len::Z, low, p0, Rm::Reg(p1));
        self.code
            .vector(Vector::UNPCKHPS, Len::Z, high, p0, Rm::Reg(p1));
        self.code
            .vector(Vector::UNPCKLPS, Len::Z, p0, p2, Rm::Reg(p3));
        self.code
            .vector(Vector::UNPCKHPS, Len::Z, p1, p2, Rm::Reg(p3));
        self.unpack([low, p0], [p2, p3]);
        self.unpack([high, p1], [low, p0]);
        [p2, p3, low, p0]
    }

    /// Pairs of dwords of two registers by turns, those of the lower and of the upper halves of quarters. The second
    /// result may be where a source is.
    fn unpack(&mut self, [a, b]: [Reg; 2], [low, high]: [Reg; 2]) {
        self.code
            .vector(Vector::UNPCKLPD, Len::Z, low, a, Rm::Reg(b));
        self.code
            .vector(Vector::UNPCKHPD, Len::Z, high, a, Rm::Reg(b));
    }

    /// The first quarters of four registers, the second ones, and so on; with two registers more.
    fn quarters(&mut self, [a, b, c, d]: [Reg; 4], [e, f]: [Reg; 2]) -> [Reg; 4] {
        let mut shuffle = |to, one, other, which| {
            let other = Rm::Reg(other);
            self.code
                .vector_by(Vector::SHUFF32X4, Len::Z, to, one, other, which);
        };
        shuffle(e, a, b, LOWER);
        shuffle(a, a, b, UPPER);
        shuffle(f, c, d, LOWER);
        shuffle(c, c, d, UPPER);
        shuffle(b, e, f, EVEN);
        shuffle(d, e, f, ODD);
        shuffle(e, a, c, EVEN);
        shuffle(f, a, c, ODD);
        [b, d, e, f]
    }
}
