//! Code for typed writes of texels of whole dwords: the arithmetic of [`crate::dataport::typed`], of which a law says that
//! it leaves the same bytes.
//!
//! ```text
//!  U, V ─▶ inside? ─▶ byte offsets          R, G, B, A ─▶ 0 to 1, times 255, halves up ─▶ a dword
//!                                                      ─▶ 0 to 1, times 65535, halves up, or a half ─▶ two of them a dword
//!                                                      ─▶ as they are ─▶ dwords
//! ```
//!
//! What lies outside is left to the steps in front of the message, before any lane has written.

use super::assembler::{Alu, Gpr, If, Len, Mask, Place, Reg, Rm, Vector};
use super::call::field;
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE, length};
use super::integers::LEFT;
use super::select::Bytes;
use super::transfer::TexelWrite;
use crate::exec::state::texel_sites::{DWORDS, HALVES, WRITTEN};

/// Predicates of comparison: at least, as far as there is an order; there is none.
pub const AT_LEAST: u8 = 5;
const UNORDERED: u8 = 3;

/// How to round halves.
const TOWARD_ZERO: u8 = 3;

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
        if self.counters.is_some() {
            // What is counted is of four bytes.
            self.code.compare_place(Place::Site(field::TEXELS_APART), 0);
            self.leave_if(If::NotZero);
        }
        for half in 0..write.halves() {
            let mask = masks[usize::from(half)];
            let (done, wide) = (self.code.label(), self.code.label());
            self.code.compare_place(Place::Site(field::TEXELS_APART), 0);
            self.code.jump_if(If::NotZero, wide);
            self.colours(write, half);
            self.write_words(write, half, mask);
            self.code.jump(done);
            self.code.bind(wide);
            self.write_wide(write, half, mask);
            self.code.bind(done);
        }
    }

    /// Writes the texels of a half that are not bytes.
    fn write_wide(&mut self, write: &TexelWrite, half: u8, mask: Option<Mask>) {
        let len = length(write.lanes.count.min(16));
        let [value, code, words] = BETWEEN;
        let offsets = SOURCE[usize::from(half)];
        let apart = Place::Site(field::TEXELS_APART);
        let (done, of_words) = (self.code.label(), self.code.label());
        self.code.compare_place(apart, DWORDS);
        self.code.jump_if(If::NotZero, of_words);
        for (n, at) in (0..).zip(write.channels) {
            let next = self.code.label();
            let shift = Place::Site(field::TEXELS_SHIFTS + 4 * n);
            self.code.compare_place(shift, 32);
            self.code.jump_if(If::Zero, next);
            self.fetch(write.row_at(at, half), len, value);
            let place = Place::Site(field::TEXELS_PLACES + 2 * n);
            self.code.load_word(Gpr::Rdx, place);
            self.code.add_wide_gpr(Gpr::Rcx, Gpr::Rdx);
            self.scatter_words(len, (value, offsets, 0), mask);
            self.code
                .load_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
            self.code.bind(next);
        }
        self.code.jump(done);
        self.code.bind(of_words);
        for (pair, channels) in (0..).zip(write.channels.chunks(2)) {
            if pair == 1 {
                self.code.compare_place(Place::Site(field::TEXELS_STEPS), 4);
                self.code.jump_if(If::Zero, done);
            }
            for (n, at) in channels.iter().enumerate() {
                self.fetch(write.row_at(*at, half), len, value);
                self.word_of(len, value, code);
                let own = &mut self.code;
                match n {
                    0 => own.copy(words, code),
                    _ => {
                        own.vector_by(Vector::SHIFT_BY, len, LEFT, code, Rm::Reg(code), 16);
                        own.vector(Vector::PORD, len, words, words, Rm::Reg(code));
                    }
                }
            }
            self.scatter_words(len, (words, offsets, 4 * pair), mask);
        }
        self.code.bind(done);
    }

    /// A channel as a word, v/65535 or a half.
    fn word_of(&mut self, len: Len, value: Reg, word: Reg) {
        let most = SOURCE[2];
        let number = |value: f32| Rm::Const(value.to_bits());
        let own = &mut self.code;
        let (done, halves) = (own.label(), own.label());
        own.compare_place(Place::Site(field::TEXELS_APART), HALVES);
        own.jump_if(If::Zero, halves);
        // As of bytes.
        own.vector(Vector::BROADCAST, Len::Z, most, 0, number(65535.0));
        own.vector(Vector::MAXPS, Len::Z, value, value, number(0.0));
        own.vector(Vector::MINPS, Len::Z, value, value, number(1.0));
        own.vector(Vector::BROADCAST, Len::Z, word, 0, number(0.5));
        own.vector(Vector::FMADD231PS, Len::Z, word, value, Rm::Down(most));
        own.vector(Vector::CVTTPS2DQ, Len::Z, word, 0, Rm::Reg(word));
        own.jump(done);
        own.bind(halves);
        // All NaN become the same one, with their signs.
        let unordered = (CONDITION[0], 0, false);
        let bits = Rm::Reg(value);
        own.masked(Vector::CMPPS, len, unordered, value, bits, Some(UNORDERED));
        let nan = (value, CONDITION[0], false);
        own.masked(Vector::PANDD, len, nan, value, Rm::Const(1 << 31), None);
        own.masked(Vector::PORD, len, nan, value, number(f32::NAN), None);
        let to = Rm::Reg(word);
        own.vector_by(Vector::CVTPS2PH, len, value, 0, to, TOWARD_ZERO);
        own.vector(Vector::PMOVZXWD, len, word, 0, to);
        own.bind(done);
    }

    /// Dwords of lanes that run to where their texels are, and so many bytes on.
    fn scatter_words(
        &mut self,
        len: Len,
        (words, offsets, place): (Reg, Reg, u32),
        mask: Option<Mask>,
    ) {
        self.all_of(mask);
        let on = (words, CONDITION[0], false);
        let lanes = Rm::WindowLanes(offsets, place);
        self.code.masked(Vector::SCATTER, len, on, 0, lanes, None);
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
        self.scatter_words(len, (words, offsets, 0), mask);
        self.code.bind(done);
    }
}
