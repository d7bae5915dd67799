//! Code for typed writes of texels whose channels lie within dwords: the arithmetic of [`crate::dataport::typed`], of which a law says that
//! it leaves the same bytes.
//!
//! ```text
//!  U, V ─▶ inside? ─▶ byte offsets          R, G, B, A ─▶ 0 to 1, times 255, halves up ─▶ a dword
//!                                                      ─▶ words, halves, integers, -1 to 1 ─▶ dwords, or parts of one
//!                                                      ─▶ as they are ─▶ dwords
//! ```
//!
//! What lies outside is left to the steps in front of the message, before any lane has written.

use super::assembler::{Alu, Gpr, If, Len, Mask, Place, Reg, Rm, Vector};
use super::call::field;
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE, length};
use super::integers::{RIGHT, RIGHT_SIGNED};
use super::sampler::Routine;
use super::select::Bytes;
use super::transfer::TexelWrite;
use crate::exec::state::texel_sites::{
    BYTES, DWORDS, HALVES, SIGNED, SIGNED_BYTES, UNSIGNED, WORDS, WRITTEN,
};
use crate::surface::float::NAN;
use std::ops::Range;

/// Predicates of comparison: at least, as far as there is an order; there is none.
pub const AT_LEAST: u8 = 5;
pub const UNORDERED: u8 = 3;

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
        let (others, of_bytes) = (self.code.label(), self.code.label());
        let steps = Place::Site(field::TEXELS_STEPS);
        self.code.compare_place(steps, 4);
        self.code.jump_if(If::AboveOrEqual, others);
        // Texels of less are written together.
        self.code.compare_place(steps, 1);
        self.code.jump_if(If::Zero, of_bytes);
        let len = length(write.lanes.count.min(16));
        for (step, behind) in [(2, true), (1, false)] {
            for half in 0..write.halves() {
                self.unless_follow(len, half, step, masks[usize::from(half)]);
                self.leave_if(If::NotZero);
            }
            if behind {
                self.code.jump(others);
                self.code.bind(of_bytes);
            }
        }
        self.code.bind(others);
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
        let (value, offsets) = (BETWEEN[0], SOURCE[usize::from(half)]);
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
        let pairs = self.code.label();
        self.code
            .compare_place(Place::Site(field::TEXELS_MASK), 0xff);
        self.code.jump_if(If::NotZero, pairs);
        self.put_channels(write, half, 0..4);
        self.store_words(len, half, mask, 0);
        self.code.jump(done);
        self.code.bind(pairs);
        self.put_channels(write, half, 0..2);
        self.store_words(len, half, mask, 0);
        self.code.compare_place(Place::Site(field::TEXELS_STEPS), 5);
        self.code.jump_if(If::Below, done);
        self.put_channels(write, half, 2..4);
        self.store_words(len, half, mask, 4);
        self.code.bind(done);
    }

    /// Channels become a dword of each lane.
    fn put_channels(&mut self, write: &TexelWrite, half: u8, channels: Range<u32>) {
        let count = write.lanes.count.min(16);
        let (len, [value, code, words]) = (length(count), BETWEEN);
        let first = channels.start;
        for c in channels {
            let at = write.channels[c as usize];
            self.fetch(write.row_at(at, half), len, value);
            self.run(Routine::Word { count });
            let own = &mut self.code;
            let place = Rm::SiteEach(field::TEXELS_SHIFTS + 4 * c);
            own.vector(
                Vector::PANDD,
                len,
                code,
                code,
                Rm::SiteEach(field::TEXELS_MASK),
            );
            own.vector(Vector::PSLLVD, len, code, code, place);
            match c == first {
                true => own.copy(words, code),
                false => own.vector(Vector::PORD, len, words, words, Rm::Reg(code)),
            }
        }
    }

    /// Stores dwords so many bytes into texels, or the low parts of them where texels are less, which then follow each other.
    fn store_words(&mut self, len: Len, half: u8, mask: Option<Mask>, place: u32) {
        let (words, offsets) = (BETWEEN[2], SOURCE[usize::from(half)]);
        let (done, narrow, bytes) = (self.code.label(), self.code.label(), self.code.label());
        let steps = Place::Site(field::TEXELS_STEPS);
        self.code.compare_place(steps, 4);
        self.code.jump_if(If::Below, narrow);
        self.scatter_words(len, (words, offsets, place), mask);
        self.code.jump(done);
        self.code.bind(narrow);
        self.first_offset(half);
        let on = (words, mask.unwrap_or(0), false);
        self.code.compare_place(steps, 1);
        self.code.jump_if(If::Zero, bytes);
        self.code
            .masked(Vector::PMOVDW, len, on, 0, Rm::Window(0), None);
        self.code.jump(done);
        self.code.bind(bytes);
        self.code
            .masked(Vector::PMOVDB, len, on, 0, Rm::Window(0), None);
        self.code.bind(done);
    }

    /// Makes bits of a channel.
    pub fn word_of(&mut self, len: Len) {
        let ([value, word, _], most) = (BETWEEN, SOURCE[2]);
        let number = |value: f32| Rm::Const(value.to_bits());
        let own = &mut self.code;
        let mut labels = || own.label();
        let (done, halves, fractions, unsigned) = (labels(), labels(), labels(), labels());
        let (signed, bytes, words) = (labels(), labels(), labels());
        for (how, label) in [
            (HALVES, halves),
            (UNSIGNED, unsigned),
            (SIGNED, signed),
            (BYTES, bytes),
            (WORDS, words),
        ] {
            own.compare_place(Place::Site(field::TEXELS_APART), how);
            own.jump_if(If::Zero, label);
        }
        // Signed: the sign is put aside, and counts again in the end.
        let sign = MAKING;
        own.vector(Vector::PANDD, len, sign, value, Rm::Const(1 << 31));
        own.vector(Vector::PANDD, len, value, value, Rm::Const(!(1 << 31)));
        let unordered = (CONDITION[0], 0, false);
        let bits = Rm::Reg(value);
        own.masked(Vector::CMPPS, len, unordered, value, bits, Some(UNORDERED));
        let zero = (value, CONDITION[0], false);
        own.masked(Vector::BROADCAST, len, zero, 0, Rm::Const(0), None);
        own.vector(Vector::BROADCAST, Len::Z, most, 0, number(127.0));
        own.compare_place(Place::Site(field::TEXELS_APART), SIGNED_BYTES);
        own.jump_if(If::Zero, fractions);
        own.vector(Vector::BROADCAST, Len::Z, most, 0, number(32767.0));
        own.jump(fractions);
        own.bind(bytes);
        own.vector(Vector::BROADCAST, Len::Z, most, 0, number(255.0));
        own.vector(Vector::PXORD, len, sign, sign, Rm::Reg(sign));
        own.jump(fractions);
        own.bind(words);
        own.vector(Vector::BROADCAST, Len::Z, most, 0, number(65535.0));
        own.vector(Vector::PXORD, len, sign, sign, Rm::Reg(sign));
        // As of four bytes.
        own.bind(fractions);
        own.vector(Vector::MAXPS, Len::Z, value, value, number(0.0));
        own.vector(Vector::MINPS, Len::Z, value, value, number(1.0));
        own.vector(Vector::BROADCAST, Len::Z, word, 0, number(0.5));
        own.vector(Vector::FMADD231PS, Len::Z, word, value, Rm::Down(most));
        own.vector(Vector::CVTTPS2DQ, Len::Z, word, 0, Rm::Reg(word));
        // Less a sign of all bits and with them turned it is negative.
        own.vector_by(Vector::SHIFT_BY, len, RIGHT_SIGNED, sign, Rm::Reg(sign), 31);
        own.vector(Vector::PXORD, len, word, word, Rm::Reg(sign));
        own.vector(Vector::PSUBD, len, word, word, Rm::Reg(sign));
        own.jump(done);
        own.bind(unsigned);
        own.vector(
            Vector::PMINUD,
            len,
            word,
            value,
            Rm::SiteEach(field::TEXELS_MASK),
        );
        own.jump(done);
        own.bind(signed);
        // From the mask less its highest bit, and the bits of that turned.
        own.vector(
            Vector::BROADCAST,
            len,
            most,
            0,
            Rm::SiteEach(field::TEXELS_MASK),
        );
        own.vector_by(Vector::SHIFT_BY, len, RIGHT, most, Rm::Reg(most), 1);
        own.vector(Vector::PMINSD, len, word, value, Rm::Reg(most));
        own.vector(Vector::PXORD, len, most, most, Rm::Const(u32::MAX));
        own.vector(Vector::PMAXSD, len, word, word, Rm::Reg(most));
        own.jump(done);
        own.bind(halves);
        // All NaN become the same one, with their signs.
        own.masked(Vector::CMPPS, len, unordered, value, bits, Some(UNORDERED));
        let nan = (value, CONDITION[0], false);
        own.masked(Vector::PANDD, len, nan, value, Rm::Const(1 << 31), None);
        own.masked(Vector::PORD, len, nan, value, Rm::Const(NAN), None);
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
