//! Code for sampler messages that read one texel of up to a dword for each lane, where the edges of the map go on, and
//! for loads of such: the arithmetic of the sampler's plans, of which a law says that it gives their bits.
//!
//! ```text
//!  U, V ─▶ times the size, inside the map, cut ─▶ byte offsets ─▶ texels ─▶ v/256 + v/65280 by channel, or v
//!  a load: inside? ─────────────────────────────▶
//! ```
//!
//! A load from outside is left to the steps in front of the message.

use super::assembler::{Alu, Gpr, If, Mask, Place, Rm, Vector};
use super::call::field;
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE, length};
use super::select::Bytes;
use super::transfer::Sample;
use crate::exec::state::texel_sites::{AS_THEY_ARE, SAMPLED};

/// 1/256 and 1/65280.
const PARTS: [f32; 2] = [1.0 / 256.0, 1.0 / 65280.0];

impl Sample {
    fn halves(&self) -> u8 {
        self.lanes.count.div_ceil(16)
    }

    fn row_at(&self, at: u32, half: u8) -> Bytes {
        Bytes::row_of(self.lanes, at, half)
    }

    /// The coordinates.
    pub fn read(&self) -> impl Iterator<Item = Bytes> {
        let halves = 0..self.halves();
        halves.flat_map(|half| self.coordinates.map(|at| self.row_at(at, half)))
    }

    /// The channels.
    pub fn written(&self) -> impl Iterator<Item = Bytes> {
        let rows = 0..self.channels.count_ones();
        let halves = self.halves();
        rows.flat_map(move |row| {
            let at = self.to + row * self.pitch;
            (0..halves).map(move |half| self.row_at(at, half))
        })
    }
}

impl Emitter {
    /// Code for a sampler message, the op of this number.
    pub fn sample(&mut self, sample: &Sample, op: u32) {
        let masks = self.running(sample.lanes, sample.guard);
        let code = &mut self.code;
        code.load_wide(Gpr::Rcx, field::REACH);
        code.load_wide_at(Gpr::Rax, Place::Table(field::TEXELS));
        code.skip_sites(op, field::TEXELS_SIZE);
        let is_known = code.label();
        code.compare_place(Place::Site(field::TEXELS_KNOWN), SAMPLED);
        code.jump_if(If::Zero, is_known);
        code.compare_place(Place::Site(field::TEXELS_KNOWN), AS_THEY_ARE);
        self.leave_if(If::NotZero);
        self.code.bind(is_known);
        let named = [Some(sample.surface), sample.sampler];
        for (variable, known) in named.into_iter().zip(field::TEXELS_NAMED) {
            let Some(variable) = variable else { continue };
            self.code.load(Gpr::Rdx, Place::Arena(variable));
            self.code.alu_place(Alu::Cmp, Gpr::Rdx, Place::Site(known));
            self.leave_if(If::NotZero);
        }
        self.code
            .load_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
        for half in 0..sample.halves() {
            let rows = sample.coordinates.map(|at| sample.row_at(at, half));
            let (count, mask) = (sample.lanes.count.min(16), masks[usize::from(half)]);
            match sample.sampler {
                Some(_) => self.texel_offsets(sample, half),
                None => self.places_inside(count, half, rows, mask),
            }
        }
        for half in 0..sample.halves() {
            self.busy.clear();
            let mask = masks[usize::from(half)];
            self.texels(sample, half, mask);
            self.channels(sample, half, mask);
        }
    }

    /// Where the texel of each lane is, in bytes.
    fn texel_offsets(&mut self, sample: &Sample, half: u8) {
        let (len, to) = (
            length(sample.lanes.count.min(16)),
            SOURCE[usize::from(half)],
        );
        let zero = MAKING;
        self.code
            .vector(Vector::PXORD, len, zero, zero, Rm::Reg(zero));
        for (n, at) in (0..).zip(sample.coordinates) {
            let c = if n == 0 { to } else { BETWEEN[0] };
            self.fetch(sample.row_at(at, half), len, c);
            let each = |first: u32| Rm::SiteEach(first + 4 * n);
            let code = &mut self.code;
            code.vector(Vector::MULPS, len, c, c, each(field::TEXELS_SCALES));
            // What is NaN becomes the second of two: 0.
            code.vector(Vector::MAXPS, len, c, c, Rm::Reg(zero));
            code.vector(Vector::MINPS, len, c, c, each(field::TEXELS_LAST));
            code.vector(Vector::CVTTPS2DQ, len, c, 0, Rm::Reg(c));
            code.vector(Vector::PMULLD, len, c, c, each(field::TEXELS_STEPS));
            if n > 0 {
                code.vector(Vector::PADDD, len, to, to, Rm::Reg(c));
            }
        }
    }

    /// The texels of a half, in a register that nothing else is in.
    fn texels(&mut self, sample: &Sample, half: u8, mask: Option<Mask>) {
        let (len, offsets) = (
            length(sample.lanes.count.min(16)),
            SOURCE[usize::from(half)],
        );
        let to = BETWEEN[2];
        let (done, apart) = (self.code.label(), self.code.label());
        self.unless_follow(len, half, 4, mask);
        self.code.jump_if(If::NotZero, apart);
        self.first_offset(half);
        let on = (to, mask.unwrap_or(0), mask.is_some());
        self.code
            .masked(Vector::LOAD, len, on, 0, Rm::Window(0), None);
        self.code.jump(done);
        self.code.bind(apart);
        self.all_of(mask);
        self.code.vector(Vector::PXORD, len, to, to, Rm::Reg(to));
        let lanes = (to, CONDITION[0], false);
        let texels = Rm::WindowLanes(offsets, 0);
        self.code
            .masked(Vector::GATHER, len, lanes, 0, texels, None);
        self.code.bind(done);
    }

    /// Channels of texels.
    fn channels(&mut self, sample: &Sample, half: u8, mask: Option<Mask>) {
        let len = length(sample.lanes.count.min(16));
        let [value, part, texels] = BETWEEN;
        // The offsets are not needed any more.
        let (most, rest) = (SOURCE[2], SOURCE[usize::from(half)]);
        for (to, number) in [(most, PARTS[0]), (rest, PARTS[1])] {
            let number = Rm::Const(number.to_bits());
            self.code.vector(Vector::BROADCAST, len, to, 0, number);
        }
        let asked = (0..4u32).filter(|c| sample.channels >> c & 1 == 1);
        for (row, c) in (0..).zip(asked) {
            let bytes = sample.row_at(sample.to + row * sample.pitch, half);
            let each = |first: u32| Rm::SiteEach(first + 4 * c);
            let code = &mut self.code;
            code.vector(
                Vector::PSRLVD,
                len,
                value,
                texels,
                each(field::TEXELS_SHIFTS),
            );
            let mask_of_one = Rm::SiteEach(field::TEXELS_MASK);
            code.vector(Vector::PANDD, len, part, value, mask_of_one);
            let as_they_are = code.label();
            code.compare_place(Place::Site(field::TEXELS_KNOWN), AS_THEY_ARE);
            code.jump_if(If::Zero, as_they_are);
            code.vector(Vector::CVTDQ2PS, len, value, 0, Rm::Reg(part));
            // Of a byte one product is exact, so that one rounding is that of the sum.
            code.vector(Vector::MULPS, len, part, value, Rm::Reg(rest));
            code.vector(Vector::FMADD231PS, len, part, value, Rm::Reg(most));
            code.bind(as_they_are);
            let target = self.row_target(bytes, len, mask);
            let to = (target, mask.unwrap_or(0), false);
            let absent = each(field::TEXELS_ABSENT);
            self.code.masked(Vector::PORD, len, to, part, absent, None);
            self.put_row(bytes, len, target);
        }
    }
}
