//! Code for media blocks inside a surface that is made of rows.
//!
//! ```text
//!  X, Y ─▶ inside? ─▶ rcx: the first byte on the host      row after row: a register of the host, or a part of one
//! ```
//!
//! What lies outside, or another surface than the one that was seen, is left to the steps in front of the message.

use super::assembler::{Alu, Gpr, If, Len, Mask, Place, Rm, Vector};
use super::call::field;
use super::emit::{BETWEEN, CONDITION, Emitter};
use super::select::{Bytes, Kind};
use super::transfer::Rectangle;
use crate::exec::state::texel_sites::ROWS;

impl Rectangle {
    /// Column and row.
    pub fn read(&self) -> impl Iterator<Item = Bytes> {
        self.place.into_iter().map(Bytes::one)
    }

    /// The data, as bytes of no kind.
    pub const fn data(&self) -> Bytes {
        Bytes {
            at: self.data,
            len: self.bytes(),
            kind: Kind::Other,
        }
    }
}

impl Emitter {
    /// Code for a media block, the op of this number.
    pub fn rectangle(&mut self, block: &Rectangle, op: u32) {
        let code = &mut self.code;
        code.site(op, field::TEXELS_SIZE);
        code.add_wide_of(Gpr::Rax, field::TEXELS);
        code.compare_place(Place::Site(field::TEXELS_KNOWN), ROWS);
        self.leave_if(If::NotZero);
        let code = &mut self.code;
        code.load(Gpr::Rdx, Place::Arena(block.surface));
        if block.index != 0 {
            code.alu_number(Alu::Add, Gpr::Rdx, block.index);
        }
        let known = Place::Site(field::TEXELS_NAMED[0]);
        code.alu_place(Alu::Cmp, Gpr::Rdx, known);
        self.leave_if(If::NotZero);
        for (n, to) in (0..).zip([Gpr::Rcx, Gpr::Rdx]) {
            self.single_dword(to, block.place[n as usize]);
            let last = Place::Site(field::TEXELS_LAST + 4 * n);
            self.code.alu_place(Alu::Cmp, to, last);
            self.leave_if(If::Above);
        }
        if block.write {
            // Others may write bytes of the same dword.
            self.code.test_number(Gpr::Rcx, 3);
            self.leave_if(If::NotZero);
        }
        let code = &mut self.code;
        let step = Place::Site(field::TEXELS_STEPS);
        code.multiply_wide_at(Gpr::Rdx, step);
        code.add_wide_gpr(Gpr::Rcx, Gpr::Rdx);
        code.add_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
        code.load_wide_at(Gpr::Rax, step);
        code.alu(Alu::Xor, Gpr::Rdx, Gpr::Rdx);
        let (len, mask) = self.part_of_register(block.width);
        for row in 0..block.height {
            let between = BETWEEN[row as usize % BETWEEN.len()];
            let arena = Rm::Row(block.data + row * block.width);
            let (from, to) = match block.write {
                true => (arena, Rm::Window(0)),
                false => (Rm::Window(0), arena),
            };
            let part = (between, mask, false);
            self.code.masked(Vector::LOAD, len, part, 0, from, None);
            self.code.masked(Vector::STORE, len, part, 0, to, None);
            if row + 1 < block.height {
                self.code.add_wide_gpr(Gpr::Rcx, Gpr::Rax);
            }
        }
        if !block.write {
            self.overwrite(block.data());
        }
    }

    /// The register length for so many bytes, and the mask of those that are moved if they are a part.
    fn part_of_register(&mut self, bytes: u32) -> (Len, Mask) {
        let len = match bytes {
            33.. => Len::Z,
            17..=32 => Len::Y,
            16 => return (Len::X, 0),
            _ => {
                // `rdx` is zero, and stays so.
                self.code
                    .alu_number(Alu::Or, Gpr::Rdx, (1 << (bytes / 4)) - 1);
                self.code.load_mask(CONDITION[0], Gpr::Rdx);
                self.code.alu(Alu::Xor, Gpr::Rdx, Gpr::Rdx);
                return (Len::X, CONDITION[0]);
            }
        };
        (len, 0)
    }
}
