//! Code for typed writes of texels of four bytes, the colours of which are 0 to 1: the arithmetic of
//! [`crate::dataport::typed`], of which a law says that it leaves the same bytes.
//!
//! ```text
//!  U, V ─▶ inside? ─▶ byte offsets          R, G, B, A ─▶ 0 to 1, times 255, halves up ─▶ a dword
//! ```
//!
//! What lies outside is left to the steps in front of the message, before any lane has written.

use super::assembler::{Alu, Gpr, If, Len, Mask, Place, Rm, Vector};
use super::call::field;
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE, length};
use super::select::Bytes;
use super::transfer::TexelWrite;
use crate::exec::state::texel_sites::WRITTEN;

/// Predicate of comparison: at least, as far as there is an order.
pub const AT_LEAST: u8 = 5;

impl TexelWrite {
    fn halves(&self) -> u8 {
        self.lanes.count.div_ceil(16)
    }

    fn row_at(&self, at: u32, half: u8) -> Bytes {
        Bytes::row_of(self.lanes, at, half)
    }

    /// Coordinates and channels.
    pub fn read(&self) -> impl Iterator<Item = Bytes> {
        let halves = 0..self.halves();
        halves.flat_map(move |half| {
            let registers = self.coordinates.into_iter().chain(self.channels);
            registers.map(move |at| self.row_at(at, half))
        })
    }
}

impl Emitter {
    /// Code for a typed write, the op of this number.
    pub fn texel_write(&mut self, write: &TexelWrite, op: u32) {
        let masks = self.running(write.lanes, write.guard);
        let code = &mut self.code;
        code.site(op, field::TEXELS_SIZE);
        code.add_wide_of(Gpr::Rax, field::TEXELS);
        code.compare_place(Place::Site(field::TEXELS_KNOWN), WRITTEN);
        self.leave_if(If::NotZero);
        self.code.load(Gpr::Rdx, Place::Arena(write.surface));
        let known = Place::Site(field::TEXELS_NAMED[0]);
        self.code.alu_place(Alu::Cmp, Gpr::Rdx, known);
        self.leave_if(If::NotZero);
        self.code
            .load_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
        for half in 0..write.halves() {
            self.places(write, half, masks[usize::from(half)]);
        }
        for half in 0..write.halves() {
            self.colours(write, half);
            self.write_words(write, half, masks[usize::from(half)]);
        }
    }

    /// Where the texel of each lane is, in bytes; all of those that run are inside.
    fn places(&mut self, write: &TexelWrite, half: u8, mask: Option<Mask>) {
        let len = length(write.lanes.count.min(16));
        let to = SOURCE[usize::from(half)];
        for (n, at) in (0..).zip(write.coordinates) {
            let c = if n == 0 { to } else { BETWEEN[0] };
            self.fetch(write.row_at(at, half), len, c);
            let each = |first: u32| Rm::SiteEach(first + 4 * n);
            let outside = (CONDITION[0], mask.unwrap_or(0), false);
            let size = each(field::TEXELS_LAST);
            self.code
                .masked(Vector::PCMPUD, len, outside, c, size, Some(AT_LEAST));
            self.leave_if_mask(CONDITION[0], CONDITION[0]);
            let code = &mut self.code;
            code.vector(Vector::PMULLD, len, c, c, each(field::TEXELS_STEPS));
            if n > 0 {
                code.vector(Vector::PADDD, len, to, to, Rm::Reg(c));
            }
        }
    }

    /// The texels of a half as words, in a register that nothing else is in.
    fn colours(&mut self, write: &TexelWrite, half: u8) {
        let [value, code, words] = BETWEEN;
        let (zero, most) = (MAKING, SOURCE[2]);
        let len = length(write.lanes.count.min(16));
        self.code
            .vector(Vector::PXORD, Len::Z, zero, zero, Rm::Reg(zero));
        let number = |value: f32| Rm::Const(value.to_bits());
        self.code
            .vector(Vector::BROADCAST, Len::Z, most, 0, number(255.0));
        for (n, at) in (0..).zip(write.channels) {
            self.fetch(write.row_at(at, half), len, value);
            let own = &mut self.code;
            // What is NaN becomes the second of two: 0.
            own.vector(Vector::MAXPS, Len::Z, value, value, Rm::Reg(zero));
            own.vector(Vector::MINPS, Len::Z, value, value, number(1.0));
            own.vector(Vector::BROADCAST, Len::Z, code, 0, number(0.5));
            // Rounded down no sum comes below the integer under it, nor to the one above.
            own.vector(Vector::FMADD231PS, Len::Z, code, value, Rm::Down(most));
            own.vector(Vector::CVTTPS2DQ, Len::Z, code, 0, Rm::Reg(code));
            let place = Rm::SiteEach(field::TEXELS_SHIFTS + 4 * n);
            own.vector(Vector::PSLLVD, Len::Z, code, code, place);
            match n {
                0 => own.copy(words, code),
                _ => own.vector(Vector::PORD, Len::Z, words, words, Rm::Reg(code)),
            }
        }
    }

    /// Words of a half to where its texels are: together, if they follow each other.
    fn write_words(&mut self, write: &TexelWrite, half: u8, mask: Option<Mask>) {
        let len = length(write.lanes.count.min(16));
        let offsets = SOURCE[usize::from(half)];
        let words = BETWEEN[2];
        let (done, apart) = (self.code.label(), self.code.label());
        self.unless_follow(len, half, 4, mask);
        self.code.jump_if(If::NotZero, apart);
        self.first_offset(half);
        let on = (words, mask.unwrap_or(0), false);
        self.code
            .masked(Vector::STORE, len, on, 0, Rm::Window(0), None);
        self.code.jump(done);
        self.code.bind(apart);
        self.all_of(mask);
        let on = (words, CONDITION[0], false);
        let lanes = Rm::WindowLanes(offsets, 0);
        self.code.masked(Vector::SCATTER, len, on, 0, lanes, None);
        self.code.bind(done);
    }
}
