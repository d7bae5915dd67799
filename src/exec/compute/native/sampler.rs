//! Code for sampler messages that read one texel of up to four dwords for each lane, and for loads of such: the arithmetic of
//! the sampler's plans, of which a law says that it gives their bits.
//!
//! ```text
//!  U, V ─▶ times the size, inside the map, cut ─▶ byte offsets ─▶ texels ─▶ v/256 + v/65280 by channel, or v
//!  a load: inside? ─────────────────────────────▶
//! ```
//!
//! Outside is the texel at the edge, or the border colour. A load from outside, and a sample that finds something else
//! there, are left to the steps in front of the message. Four texels that are weighed are found in `filter`.

use super::assembler::{Alu, Assembler, Gpr, If, Label, Len, Mask, Place, Reg, Rm, Vector};
use super::call::field;
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE, Scaled, length, predicate_of};
use super::integers::RIGHT;
use super::select::Bytes;
use super::texels::AT_LEAST;
use super::transfer::Sample;
use crate::exec::state::texel_sites::{
    AS_THEY_ARE, HALVES, IN_BORDER, OF_FOUR, SAMPLED, SAMPLED_IN_ORDER, SIGNED, SIGNED_WORDS,
    WEIGHED, WORDS,
};
use crate::isa::Condition;
use crate::message::SamplerOp;
use crate::sampler::plan::Outside;

/// The offset of a lane that is outside along an axis: with that of the other axis it is negative.
pub const OUTSIDE: u32 = 0xc000_0000;

/// How to round towards negative infinity, and to compare singles: NaN, which is 0 as a coordinate, is not unequal.
pub const DOWN: u8 = 1;
const NOT_EQUAL: u8 = 12;

/// 1/256 and 1/65280.
pub const PARTS: [f32; 2] = [1.0 / 256.0, 1.0 / 65280.0];

/// 1/65536 and 1/(65536 · 65535).
const PARTS_OF_WORDS: [f32; 2] = [1.0 / 65536.0, 1.0 / 4_294_901_760.0];

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

/// What messages do alike, for up to 16 lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// Sees that `rax` more than the first one is known of a message for surface `edx` and sampler `ecx`, or the flags say
    /// otherwise, and makes of coordinates in the first source and the first register between the offsets of texels, whose
    /// sums are in the second register between; where texels are weighed they are positions in 256ths. `rax` is then where
    /// that is known, and `rcx` where the texels are. Where both are scaled, the message that scaled them has seen that it
    /// is known.
    Places { count: u8, how: Coordinates },
    /// Texels at the offsets in the first source, or, where it may weigh and does, those around positions, of which the sum
    /// is there and the second one in the first register between: channels of them in the registers of [`CHANNELS`]. Where
    /// it weighs, that register then has what the third source had.
    Texels {
        count: u8,
        mask: Option<Mask>,
        channels: u8,
        weighs: bool,
    },
    /// The same of texels of words, halves, signed numbers or dwords at these offsets.
    Wide {
        count: u8,
        mask: Option<Mask>,
        channels: u8,
    },
    /// The channel in the first register between becomes the bits that are written of it, in the second one; what is above
    /// them does not count.
    Word { count: u8 },
}

/// Scaled coordinates that are kept: five across, as a filter of five taps has, and one down, of 32 lanes.
const MOST_SCALED: [usize; 2] = [10, 2];

/// What coordinates are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Those of a sample, and which of them are scaled.
    Sampled([bool; 2]),
    /// Those of a load, on these lanes; `None`: on all.
    Loaded(Option<Mask>),
}

/// The channels that are asked for, and where the routine leaves them.
pub fn asked(channels: u8) -> impl Iterator<Item = (u32, Reg)> {
    (0..4u32)
        .filter(move |c| channels >> c & 1 == 1)
        .zip(CHANNELS)
}

/// Where the routine leaves channels; the second source is that of the other half.
const CHANNELS: [Reg; 4] = [SOURCE[0], SOURCE[2], BETWEEN[1], MAKING];

impl Emitter {
    /// Code for a sampler message, the op of this number.
    pub fn sample(&mut self, sample: &Sample, op: u32) {
        let masks = self.running(sample.lanes, sample.guard);
        let count = sample.lanes.count.min(16);
        let len = length(count);
        let weighs = sample.sampler.is_some();
        for half in (0..sample.halves()).rev() {
            let rows = sample.coordinates.map(|at| sample.row_at(at, half));
            let named = sample
                .sampler
                .map(|s| [sample.surface, s].map(|at| self.origin(at)));
            let mut scaled = [0, 1].map(|axis| self.scaled_row(axis, rows[axis], sample.op, named));
            if sample.moved {
                // It is to be seen that it is not.
                scaled[0] = None;
            }
            for ((row, scaled), to) in rows.iter().zip(scaled).zip([SOURCE[0], BETWEEN[0]]) {
                match scaled {
                    Some((reg, _)) => self.code.copy(to, reg),
                    None => self.fetch(*row, len, to),
                }
            }
            let how = match sample.sampler {
                None => Coordinates::Loaded(masks[usize::from(half)]),
                Some(_) => Coordinates::Sampled(scaled.map(|scaled| scaled.is_some())),
            };
            if let [Some(_), Some((_, seen))] = scaled {
                self.code.site(seen, field::TEXELS_SIZE);
                self.run(Routine::Places { count, how });
            } else {
                self.code.site(op, field::TEXELS_SIZE);
                self.code.load(Gpr::Rdx, Place::Arena(sample.surface));
                if let Some(sampler) = sample.sampler {
                    self.code.load(Gpr::Rcx, Place::Arena(sampler));
                }
                self.run(Routine::Places { count, how });
                self.leave_if(If::NotZero);
            }
            for (axis, from) in [SOURCE[0], BETWEEN[0]].into_iter().enumerate() {
                if let (Some(named), None) = (named, scaled[axis]) {
                    self.keep_scaled(axis, (rows[axis], sample.op, named), op, from);
                }
            }
            self.code.copy(SOURCE[usize::from(half)], BETWEEN[1]);
            if half == 1 && weighs {
                // Of positions both are needed; the routine brings it back behind the lower half.
                self.code.copy(SOURCE[2], BETWEEN[0]);
            }
        }
        for half in 0..sample.halves() {
            self.busy.clear();
            let (mask, channels) = (masks[usize::from(half)], sample.channels);
            self.code.copy(SOURCE[0], SOURCE[usize::from(half)]);
            self.run(Routine::Texels {
                count,
                mask,
                channels,
                weighs,
            });
            for (row, value) in (0..sample.channels.count_ones()).zip(CHANNELS) {
                let bytes = sample.row_at(sample.to + row * sample.pitch, half);
                let target = self.row_target(bytes, len, mask);
                self.finish(len, target, mask, value);
                self.put_row(bytes, target);
            }
        }
    }

    /// Where a scaled coordinate is kept, if it is, and the message that has scaled it.
    fn scaled_row(
        &self,
        axis: usize,
        row: Bytes,
        op: SamplerOp,
        named: Option<[u32; 2]>,
    ) -> Option<(Reg, u32)> {
        let is = |s: &&Scaled| (s.axis, s.row, s.op, Some(s.named)) == (axis, row, op, named);
        let scaled = self.scaled.iter().find(is);
        scaled.map(|scaled| (scaled.reg, scaled.seen))
    }

    /// Keeps a coordinate that message `seen` has scaled.
    fn keep_scaled(
        &mut self,
        axis: usize,
        (row, op, named): (Bytes, SamplerOp, [u32; 2]),
        seen: u32,
        from: Reg,
    ) {
        self.busy.clear();
        let mut own = (0..self.scaled.len()).filter(|&at| self.scaled[at].axis == axis);
        let first = own.next();
        let old = first.filter(|_| own.count() + 1 >= MOST_SCALED[axis]);
        let old = old.map(|at| self.scaled.remove(at).reg);
        if let Some(reg) = old.or_else(|| self.spare()) {
            self.code.copy(reg, from);
            self.scaled.push(Scaled {
                axis,
                row,
                op,
                named,
                seen,
                reg,
            });
        }
    }

    /// Runs a routine.
    pub fn run(&mut self, routine: Routine) {
        let known = self.routines.iter().find(|(other, _)| *other == routine);
        let label = match known {
            Some((_, label)) => *label,
            None => {
                let label = self.code.label();
                self.routines.push((routine, label));
                label
            }
        };
        self.code.call(label);
    }

    /// Emits the routines that code runs, and those that they run.
    pub fn emit_routines(&mut self) {
        while let Some((routine, label)) = self.routines.pop() {
            self.code.align();
            self.code.bind(label);
            match routine {
                Routine::Places { count, how } => self.places_of_texels(count, how),
                Routine::Texels {
                    count,
                    mask,
                    channels,
                    weighs,
                } => self.channels_of_texels(count, mask, channels, weighs),
                Routine::Wide {
                    count,
                    mask,
                    channels,
                } => self.wide_texels(length(count), mask, channels),
                Routine::Word { count } => self.word_of(length(count)),
            }
            self.code.back();
        }
    }

    fn places_of_texels(&mut self, count: u8, how: Coordinates) {
        let len = length(count);
        let load = matches!(how, Coordinates::Loaded(_));
        let code = &mut self.code;
        let (other, known) = (code.label(), code.label());
        code.add_wide_of(Gpr::Rax, field::TEXELS);
        if how == Coordinates::Sampled([true; 2]) {
            code.load_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
            let [across, down] = [SOURCE[0], BETWEEN[0]];
            code.vector(Vector::PADDD, len, BETWEEN[1], across, Rm::Reg(down));
            code.bind(known);
            code.bind(other);
            return;
        }
        for how in [SAMPLED_IN_ORDER, SAMPLED] {
            code.compare_place(Place::Site(field::TEXELS_KNOWN), how);
            code.jump_if(If::Zero, known);
        }
        code.compare_place(Place::Site(field::TEXELS_KNOWN), AS_THEY_ARE);
        let (of_four, sum) = (code.label(), code.label());
        if !load {
            code.jump_if(If::Zero, known);
            code.compare_place(Place::Site(field::TEXELS_KNOWN), WEIGHED);
            code.jump_if(If::Zero, of_four);
            code.jump(other);
        } else {
            code.jump_if(If::NotZero, other);
        }
        code.bind(known);
        let find = |code: &mut Assembler| {
            let named = [Some(Gpr::Rdx), (!load).then_some(Gpr::Rcx)];
            for (reg, known) in named.into_iter().zip(field::TEXELS_NAMED) {
                let Some(reg) = reg else { continue };
                code.alu_place(Alu::Cmp, reg, Place::Site(known));
                code.jump_if(If::NotZero, other);
            }
            code.load_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
        };
        find(code);
        code.vector(Vector::PXORD, len, MAKING, MAKING, Rm::Reg(MAKING));
        for (axis, c) in [SOURCE[0], BETWEEN[0]].into_iter().enumerate() {
            match how {
                Coordinates::Sampled(scaled) if scaled[axis] => {}
                Coordinates::Sampled(_) => self.place_of_sample(len, axis as u32, c, other),
                Coordinates::Loaded(mask) => {
                    self.place_of_load(len, axis as u32, c, (mask, other));
                }
            }
        }
        let code = &mut self.code;
        let [across, down] = [SOURCE[0], BETWEEN[0]];
        // All is well: the flags say zero.
        code.bind(sum);
        code.vector(Vector::PADDD, len, BETWEEN[1], across, Rm::Reg(down));
        code.alu(Alu::Xor, Gpr::Rdx, Gpr::Rdx);
        code.bind(other);
        if let Coordinates::Sampled(scaled) = how {
            code.back();
            code.bind(of_four);
            find(code);
            for (axis, c) in [across, down].into_iter().enumerate() {
                if !scaled[axis] {
                    self.position_of_sample(len, axis as u32, c, other);
                }
            }
            self.code.jump(sum);
        }
    }

    /// A coordinate of a load becomes the offset along an axis, if all lanes of a mask are inside.
    fn place_of_load(&mut self, len: Len, axis: u32, c: Reg, (mask, other): (Option<Mask>, Label)) {
        let outside = (CONDITION[0], mask.unwrap_or(0), false);
        let size = Rm::SiteEach(field::TEXELS_LAST + 4 * axis);
        let steps = Rm::SiteEach(field::TEXELS_STEPS + 4 * axis);
        let code = &mut self.code;
        code.masked(Vector::PCMPUD, len, outside, c, size, Some(AT_LEAST));
        code.test_masks(CONDITION[0], CONDITION[0]);
        code.jump_if(If::NotZero, other);
        code.vector(Vector::PMULLD, len, c, c, steps);
    }

    /// The same of a sample. Lanes outside have the texel at the edge, or a mark, or all go elsewhere: the site says.
    fn place_of_sample(&mut self, len: Len, axis: u32, c: Reg, other: Label) {
        let code = &mut self.code;
        let each = |first: u32| Rm::SiteEach(first + 4 * axis);
        let clamped = |code: &mut Assembler| {
            // What is NaN becomes the second of two: 0.
            code.vector(Vector::MAXPS, len, c, c, Rm::Reg(MAKING));
            code.vector(Vector::MINPS, len, c, c, each(field::TEXELS_LAST));
        };
        let in_bytes = |code: &mut Assembler| {
            code.vector(Vector::CVTTPS2DQ, len, c, 0, Rm::Reg(c));
            code.vector(Vector::PMULLD, len, c, c, each(field::TEXELS_STEPS));
        };
        let (clamps, done, whole) = (code.label(), code.label(), BETWEEN[1]);
        let outside = Place::Site(field::TEXELS_OUTSIDE + 4 * axis);
        code.vector(Vector::MULPS, len, c, c, each(field::TEXELS_SCALES));
        code.compare_place(outside, Outside::Edge as u32);
        code.jump_if(If::Zero, clamps);
        // Inside is what the edges do not change.
        code.vector_by(Vector::RNDSCALEPS, len, c, 0, Rm::Reg(c), DOWN);
        code.copy(whole, c);
        clamped(code);
        let changed = (CONDITION[0], 0, false);
        code.masked(
            Vector::CMPPS,
            len,
            changed,
            whole,
            Rm::Reg(c),
            Some(NOT_EQUAL),
        );
        code.test_masks(CONDITION[0], CONDITION[0]);
        code.jump_if(If::Zero, clamps);
        code.compare_place(outside, Outside::Border as u32);
        code.jump_if(If::NotZero, other);
        in_bytes(code);
        let marked = (c, CONDITION[0], false);
        code.masked(Vector::BROADCAST, len, marked, 0, Rm::Const(OUTSIDE), None);
        code.jump(done);
        code.bind(clamps);
        clamped(code);
        in_bytes(code);
        code.bind(done);
    }

    fn channels_of_texels(&mut self, count: u8, mask: Option<Mask>, channels: u8, weighs: bool) {
        let (len, offsets) = (length(count), SOURCE[0]);
        let [_, _, texels] = BETWEEN;
        let code = &mut self.code;
        let (done, apart) = (code.label(), code.label());
        let (all_inside, bordered, convert) = (code.label(), code.label(), code.label());
        code.compare_place(Place::Site(field::TEXELS_APART), 0);
        code.jump_if(If::NotZero, bordered);
        code.bind(all_inside);
        self.unless_follow(len, 0, 4, mask);
        self.code.jump_if(If::NotZero, apart);
        self.first_offset(0);
        let on = (texels, mask.unwrap_or(0), mask.is_some());
        self.code
            .masked(Vector::LOAD, len, on, 0, Rm::Window(0), None);
        self.code.jump(done);
        self.code.bind(apart);
        self.all_of(mask);
        let code = &mut self.code;
        code.vector(Vector::PXORD, len, texels, texels, Rm::Reg(texels));
        let lanes = (texels, CONDITION[0], false);
        let from = Rm::WindowLanes(offsets, 0);
        code.masked(Vector::GATHER, len, lanes, 0, from, None);
        code.bind(done);
        code.bind(convert);
        self.converted(len, channels);
        let (of_four, wide) = (self.code.label(), self.code.label());
        self.code.bind(bordered);
        let apart = Place::Site(field::TEXELS_APART);
        if weighs {
            let known = Place::Site(field::TEXELS_KNOWN);
            self.code.compare_place(known, WEIGHED);
            self.code.jump_if(If::Zero, of_four);
        }
        self.code.compare_place(apart, IN_BORDER);
        self.code.jump_if(If::NotZero, wide);
        self.with_border(len, mask, channels, [all_inside, convert]);
        self.code.back();
        self.code.bind(wide);
        self.wide_texels(len, mask, channels);
        if weighs {
            let bytes = self.code.label();
            self.code.back();
            self.code.bind(of_four);
            self.code.compare_place(apart, OF_FOUR);
            self.code.jump_if(If::Zero, bytes);
            self.weighed_wide(count, mask, channels);
            self.code.back();
            self.code.bind(bytes);
            self.weighed(len, mask, channels);
        }
    }

    /// Texels become the channels that are asked for. Ends the routine.
    fn converted(&mut self, len: Len, channels: u8) {
        let [value, _, texels] = BETWEEN;
        let code = &mut self.code;
        let (as_they_are, in_order) = (code.label(), code.label());
        for (how, label) in [(SAMPLED_IN_ORDER, in_order), (AS_THEY_ARE, as_they_are)] {
            code.compare_place(Place::Site(field::TEXELS_KNOWN), how);
            code.jump_if(If::Zero, label);
        }
        let bits = |code: &mut Assembler, c: u32, to: Reg| {
            let each = |first: u32| Rm::SiteEach(first + 4 * c);
            code.vector(Vector::PSRLVD, len, to, texels, each(field::TEXELS_SHIFTS));
            let one = Rm::SiteEach(field::TEXELS_MASK);
            code.vector(Vector::PANDD, len, to, to, one);
        };
        let or_absent = |code: &mut Assembler, c: u32, to: Reg| {
            let absent = Rm::SiteEach(field::TEXELS_ABSENT + 4 * c);
            code.vector(Vector::PORD, len, to, to, absent);
        };
        let [most, rest] = PARTS.map(|part| Rm::Const(part.to_bits()));
        let divided = |code: &mut Assembler, to: Reg| {
            code.vector(Vector::CVTDQ2PS, len, value, 0, Rm::Reg(value));
            // Of a byte one product is exact, so that one rounding is that of the sum.
            code.vector(Vector::MULPS, len, to, value, rest);
            code.vector(Vector::FMADD231PS, len, to, value, most);
        };
        for (c, to) in asked(channels) {
            bits(code, c, value);
            divided(code, to);
            or_absent(code, c, to);
        }
        code.back();
        code.bind(in_order);
        for (c, to) in asked(channels) {
            let byte = Rm::ByteOfEach(c);
            code.vector(Vector::PSHUFB, len, value, texels, byte);
            divided(code, to);
        }
        code.back();
        code.bind(as_they_are);
        for (c, to) in asked(channels) {
            bits(code, c, to);
            or_absent(code, c, to);
        }
        code.back();
    }

    /// Texels of lanes whose offsets are not negative, and the border colour of the others; if there are none, another way.
    fn with_border(
        &mut self,
        len: Len,
        mask: Option<Mask>,
        channels: u8,
        [all_inside, convert]: [Label; 2],
    ) {
        let (offsets, [_, _, texels]) = (SOURCE[0], BETWEEN);
        let code = &mut self.code;
        let [inside, outside] = CONDITION;
        code.vector(Vector::PXORD, len, texels, texels, Rm::Reg(texels));
        let compared = |code: &mut Assembler, to: (Mask, Mask, bool), how: Condition| {
            let number = Some(predicate_of(how));
            code.masked(Vector::PCMPD, len, to, offsets, Rm::Reg(texels), number);
        };
        compared(code, (outside, 0, false), Condition::Lt);
        code.test_masks(outside, outside);
        code.jump_if(If::Zero, all_inside);
        compared(code, (inside, mask.unwrap_or(0), false), Condition::Ge);
        let lanes = (texels, inside, false);
        let from = Rm::WindowLanes(offsets, 0);
        code.masked(Vector::GATHER, len, lanes, 0, from, None);
        code.call(convert);
        for (c, to) in asked(channels) {
            let border = Rm::SiteEach(field::TEXELS_BORDER + 4 * c);
            let to = (to, outside, false);
            code.masked(Vector::BROADCAST, len, to, 0, border, None);
        }
    }

    /// Channels of texels of dwords, words, halves or signed numbers, each gathered by itself; the border colour of lanes whose
    /// offsets are negative.
    fn wide_texels(&mut self, len: Len, mask: Option<Mask>, channels: u8) {
        let offsets = SOURCE[0];
        let [value, _, zero] = BETWEEN;
        let [inside, outside] = CONDITION;
        let code = &mut self.code;
        code.vector(Vector::PXORD, len, zero, zero, Rm::Reg(zero));
        let compared = |code: &mut Assembler, to: (Mask, Mask, bool), how: Condition| {
            let number = Some(predicate_of(how));
            code.masked(Vector::PCMPD, len, to, offsets, Rm::Reg(zero), number);
        };
        compared(code, (outside, 0, false), Condition::Lt);
        // The first one comes where the offsets are.
        let asked: Vec<_> = asked(channels).collect();
        for (c, to) in asked.into_iter().rev() {
            let each = |first: u32| Rm::SiteEach(first + 4 * c);
            let code = &mut self.code;
            code.load_word(Gpr::Rdx, Place::Site(field::TEXELS_PLACES + 2 * c));
            code.add_wide_gpr(Gpr::Rcx, Gpr::Rdx);
            code.vector(Vector::PXORD, len, zero, zero, Rm::Reg(zero));
            compared(code, (inside, mask.unwrap_or(0), false), Condition::Ge);
            code.vector(Vector::PXORD, len, value, value, Rm::Reg(value));
            let lanes = (value, inside, false);
            let from = Rm::WindowLanes(offsets, 0);
            code.masked(Vector::GATHER, len, lanes, 0, from, None);
            code.load_wide_at(Gpr::Rcx, Place::Site(field::TEXELS_HOST));
            code.vector(Vector::PSRLVD, len, to, value, each(field::TEXELS_SHIFTS));
            code.vector(Vector::PANDD, len, to, to, Rm::SiteEach(field::TEXELS_MASK));
            let (done, halves, signed) = (code.label(), code.label(), code.label());
            let apart = Place::Site(field::TEXELS_APART);
            code.compare_place(apart, SIGNED);
            code.jump_if(If::AboveOrEqual, signed);
            code.compare_place(apart, HALVES);
            code.jump_if(If::Zero, halves);
            code.compare_place(apart, WORDS);
            code.jump_if(If::NotZero, done);
            let [most, rest] = PARTS_OF_WORDS.map(|part| Rm::Const(part.to_bits()));
            code.vector(Vector::CVTDQ2PS, len, value, 0, Rm::Reg(to));
            code.vector(Vector::MULPS, len, to, value, rest);
            code.vector(Vector::FMADD231PS, len, to, value, most);
            code.jump(done);
            code.bind(halves);
            code.vector(Vector::PMOVDW, len, to, 0, Rm::Reg(value));
            code.vector(Vector::CVTPH2PS, len, to, 0, Rm::Reg(value));
            code.jump(done);
            code.bind(signed);
            self.signed_channel(len, to, done);
            let code = &mut self.code;
            code.bind(done);
            code.vector(Vector::PORD, len, to, to, each(field::TEXELS_ABSENT));
            let border = (to, outside, false);
            let colour = each(field::TEXELS_BORDER);
            code.masked(Vector::BROADCAST, len, border, 0, colour, None);
        }
    }

    /// A channel of less than a dword is signed: an integer, or at least -1. Leads elsewhere, or on.
    fn signed_channel(&mut self, len: Len, to: Reg, done: Label) {
        let [value, _, sign] = BETWEEN;
        let code = &mut self.code;
        // The highest bit of the mask.
        let mask = Rm::SiteEach(field::TEXELS_MASK);
        code.vector(Vector::BROADCAST, len, sign, 0, mask);
        code.vector_by(Vector::SHIFT_BY, len, RIGHT, value, Rm::Reg(sign), 1);
        code.vector(Vector::PXORD, len, sign, sign, Rm::Reg(value));
        code.vector(Vector::PXORD, len, to, to, Rm::Reg(sign));
        code.vector(Vector::PSUBD, len, to, to, Rm::Reg(sign));
        let apart = Place::Site(field::TEXELS_APART);
        code.compare_place(apart, SIGNED);
        code.jump_if(If::Zero, done);
        code.vector(Vector::CVTDQ2PS, len, value, 0, Rm::Reg(to));
        let (words, one) = (code.label(), code.label());
        code.compare_place(apart, SIGNED_WORDS);
        code.jump_if(If::Zero, words);
        let divided = |code: &mut Assembler, parts: [f32; 2]| {
            let [most, rest] = parts.map(|part| Rm::Const(part.to_bits()));
            code.vector(Vector::MULPS, len, to, value, rest);
            code.vector(Vector::FMADD231PS, len, to, value, most);
        };
        divided(code, [1.0 / 128.0, 1.0 / 16256.0]);
        code.jump(one);
        code.bind(words);
        divided(code, [1.0 / 32768.0, 1.0 / 1_073_709_056.0]);
        code.bind(one);
        let least = Rm::Const((-1f32).to_bits());
        code.vector(Vector::MAXPS, len, to, to, least);
    }
}
