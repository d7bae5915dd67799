//! Code for samples that weigh the four texels around their coordinates.
//!
//! ```text
//!  U, V ─▶ times the size − ½ ─▶ 256ths ─▶ columns and rows, inside the map ─▶ texels ─▶ v/255 as singles
//!                                    └──▶ weights, 65536 in all ─────────────────────▶ their sum, rounded once
//! ```
//!
//! What is outside is the texel at the edge, or has the colour of the border, which a negative offset says; in other
//! address modes a sample that reaches beyond the first or the last texel is left to the steps. v/255 as a single is a
//! multiple of 2^-31, so that the sum of four of them times their weights is exact as a double, in whatever order; of
//! other numbers it is in the order of the reference.

use super::assembler::{If, Label, Len, Mask, Place, Reg, Rm, Vector};
use super::call::field;
use super::emit::{
    BETWEEN, CONDITION, Emitter, MAKING, SOURCE, float_predicate_of, length, predicate_of,
};
use super::integers::RIGHT_SIGNED;
use super::sampler::{DOWN, OUTSIDE, PARTS, Routine, asked};
use super::texels::{AT_LEAST, UNORDERED};
use crate::isa::Condition;
use crate::sampler::plan::Outside;
use crate::surface::float::NAN;

/// Bytes of a register.
const ROW: u32 = 64;

/// What lies on the stack, in registers: of each corner the weights as doubles, in two parts; the offsets of columns and
/// rows, the first and the next, and afterwards results; the texels, or of each corner the channels; what singles are read
/// from in two parts; the sum of positions of the other half of lanes, and the second one.
const WEIGHTS: u32 = 0;
const OFFSETS: u32 = 8 * ROW;
const RESULTS: u32 = OFFSETS;
const TEXELS: u32 = 12 * ROW;
const SINGLES: u32 = 28 * ROW;
const SAVED: u32 = 30 * ROW;
const ROOM: u32 = 32 * ROW;

/// Coordinates are cut to so many map widths on either side.
const WIDEST: f32 = 10.0;

/// Corners: first and next column of the first row, then of the next one.
const CORNERS: std::ops::Range<u32> = 0..4;

const fn single(value: f32) -> Rm {
    Rm::Const(value.to_bits())
}

/// Along each axis, what is said of it.
const fn each(first: u32, axis: u32) -> Rm {
    Rm::SiteEach(first + 4 * axis)
}

impl Emitter {
    /// A coordinate becomes the position of the first texel, in 256ths. Goes elsewhere if a lane has no texel on one side,
    /// unless that is the one at the edge or has the colour of the border.
    pub fn position_of_sample(&mut self, len: Len, axis: u32, c: Reg, other: Label) {
        let [_, whole, beyond] = BETWEEN;
        let code = &mut self.code;
        let mut set = |vector, to, a, b| code.vector(vector, len, to, a, b);
        set(Vector::MULPS, c, c, each(field::TEXELS_SCALES, axis));
        let nan = (CONDITION[1], 0, false);
        code.masked(Vector::CMPPS, len, nan, c, Rm::Reg(c), Some(UNORDERED));
        let mut set = |vector, to, a, b| code.vector(vector, len, to, a, b);
        // Ten maps away to either side, as in the reference. What is NaN becomes the second of two: a texel at the edge, too.
        set(Vector::BROADCAST, beyond, 0, each(field::TEXELS_LAST, axis));
        set(Vector::ADDPS, beyond, beyond, single(1.0));
        set(Vector::MULPS, whole, beyond, single(-WIDEST));
        set(Vector::MULPS, beyond, beyond, single(WIDEST));
        set(Vector::MAXPS, c, c, Rm::Reg(whole));
        set(Vector::MINPS, c, c, Rm::Reg(beyond));
        set(Vector::SUBPS, c, c, single(0.5));
        set(Vector::MULPS, c, c, single(256.0));
        code.vector_by(Vector::RNDSCALEPS, len, whole, 0, Rm::Reg(c), DOWN);
        code.vector(Vector::SUBPS, len, c, c, Rm::Reg(whole));
        let up = (CONDITION[0], 0, false);
        let rounds = each(field::TEXELS_ROUNDS, axis);
        let number = Some(float_predicate_of(Condition::Ge));
        code.masked(Vector::CMPPS, len, up, c, rounds, number);
        code.vector(Vector::CVTTPS2DQ, len, c, 0, Rm::Reg(whole));
        let up = (c, CONDITION[0], false);
        code.masked(Vector::PADDD, len, up, c, Rm::Const(1), None);
        let (done, another) = (code.label(), code.label());
        let outside = Place::Site(field::TEXELS_OUTSIDE + 4 * axis);
        code.compare_place(outside, Outside::Another as u32);
        code.jump_if(If::Zero, another);
        // At the edge it is there already, elsewhere a coordinate that is NaN is another place.
        code.jump_if(If::Below, done);
        code.test_masks(CONDITION[1], CONDITION[1]);
        code.jump_if(If::NotZero, other);
        code.jump(done);
        code.bind(another);
        let (first, last) = (whole, beyond);
        self.last_texel(len, axis, last);
        let code = &mut self.code;
        code.vector_by(Vector::SHIFT_BY, len, RIGHT_SIGNED, first, Rm::Reg(c), 8);
        let beside = (CONDITION[0], 0, false);
        let last = Rm::Reg(last);
        code.masked(Vector::PCMPUD, len, beside, first, last, Some(AT_LEAST));
        code.test_masks(CONDITION[0], CONDITION[0]);
        code.jump_if(If::NotZero, other);
        code.bind(done);
    }

    /// The index of the last texel along an axis.
    fn last_texel(&mut self, len: Len, axis: u32, to: Reg) {
        let last = each(field::TEXELS_LAST, axis);
        self.code.vector(Vector::CVTTPS2DQ, len, to, 0, last);
    }

    /// Channels that are asked for of the texels of bytes around positions, of which the sum is in the first source and the
    /// second one in the first register between.
    pub fn weighed(&mut self, len: Len, mask: Option<Mask>, channels: u8) {
        self.open_corners(len);
        for corner in CORNERS {
            self.offsets_of(corner, len);
            let [offsets, texels, _] = SOURCE;
            let code = &mut self.code;
            // In the border all bits are zero: of other borders it is not known here.
            code.vector(Vector::PXORD, len, texels, texels, Rm::Reg(texels));
            let inside = (CONDITION[0], mask.unwrap_or(0), false);
            let number = Some(predicate_of(Condition::Ge));
            code.masked(Vector::PCMPD, len, inside, offsets, Rm::Reg(texels), number);
            let lanes = (texels, CONDITION[0], false);
            let from = Rm::WindowLanes(offsets, 0);
            code.masked(Vector::GATHER, len, lanes, 0, from, None);
            let to = Rm::Frame(TEXELS + ROW * corner);
            code.vector(Vector::STORE, len, texels, 0, to);
        }
        for (n, (c, _)) in (0..).zip(asked(channels)) {
            self.channel_of(c, len, RESULTS + ROW * n);
        }
        self.close_corners(len, channels);
    }

    /// The same of texels of words, halves, signed numbers or dwords.
    pub fn weighed_wide(&mut self, count: u8, mask: Option<Mask>, channels: u8) {
        let len = length(count);
        self.open_corners(len);
        for corner in CORNERS {
            self.offsets_of(corner, len);
            self.run(Routine::Wide {
                count,
                mask,
                channels,
            });
            for (n, (_, value)) in (0..).zip(asked(channels)) {
                let to = Rm::Frame(TEXELS + ROW * (4 * corner + n));
                self.code.vector(Vector::STORE, len, value, 0, to);
            }
        }
        for (n, _) in (0..).zip(asked(channels)) {
            self.sum_of(n, len);
        }
        self.close_corners(len, channels);
    }

    /// Makes room for corners, and puts there where they are and what they weigh.
    fn open_corners(&mut self, len: Len) {
        let (across, down) = (SOURCE[0], BETWEEN[0]);
        self.code.open_room(ROOM);
        let saved = [SAVED, SAVED + ROW].map(Rm::Frame);
        for (from, to) in [SOURCE[1], SOURCE[2]].into_iter().zip(saved) {
            self.code.vector(Vector::STORE, Len::Z, from, 0, to);
        }
        let both = Rm::Reg(down);
        self.code.vector(Vector::PSUBD, len, across, across, both);
        self.place_corners(len, [across, down]);
        self.weigh_corners(len, [across, down]);
    }

    /// Gives it back, and takes the results along.
    fn close_corners(&mut self, len: Len, channels: u8) {
        for (n, (_, to)) in (0..).zip(asked(channels)) {
            let from = Rm::Frame(RESULTS + ROW * n);
            self.code.vector(Vector::LOAD, len, to, 0, from);
        }
        let saved = [SAVED, SAVED + ROW].map(Rm::Frame);
        for (to, from) in [SOURCE[1], BETWEEN[0]].into_iter().zip(saved) {
            self.code.vector(Vector::LOAD, Len::Z, to, 0, from);
        }
        self.code.close_room();
    }

    /// The offsets of a corner, in the first source.
    fn offsets_of(&mut self, corner: u32, len: Len) {
        let (offsets, at) = (SOURCE[0], |axis: u32, n: u32| {
            Rm::Frame(OFFSETS + ROW * (2 * axis + n))
        });
        let (column, row) = (at(0, corner & 1), at(1, corner >> 1));
        self.code.vector(Vector::LOAD, len, offsets, 0, column);
        self.code.vector(Vector::PADDD, len, offsets, offsets, row);
    }

    /// Offsets of columns and rows go to the stack; positions become the shares of the next ones, in 256ths.
    fn place_corners(&mut self, len: Len, positions: [Reg; 2]) {
        let ([_, first, next], [_, last, zero]) = (SOURCE, BETWEEN);
        for (axis, position) in (0..2).zip(positions) {
            self.last_texel(len, axis, last);
            let code = &mut self.code;
            let from = Rm::Reg(position);
            code.vector_by(Vector::SHIFT_BY, len, RIGHT_SIGNED, first, from, 8);
            code.vector(Vector::PADDD, len, next, first, Rm::Const(1));
            code.vector(Vector::PXORD, len, zero, zero, Rm::Reg(zero));
            for (n, at) in (0..).zip([first, next]) {
                let beyond = (CONDITION[0], 0, false);
                let ends = Rm::Reg(last);
                code.masked(
                    Vector::PCMPUD,
                    len,
                    beyond,
                    at,
                    ends,
                    Some(predicate_of(Condition::Gt)),
                );
                code.vector(Vector::PMAXSD, len, at, at, Rm::Reg(zero));
                code.vector(Vector::PMINSD, len, at, at, Rm::Reg(last));
                let steps = each(field::TEXELS_STEPS, axis);
                code.vector(Vector::PMULLD, len, at, at, steps);
                let inside = code.label();
                let outside = Place::Site(field::TEXELS_OUTSIDE + 4 * axis);
                code.compare_place(outside, Outside::Border as u32);
                code.jump_if(If::NotZero, inside);
                let marked = (at, CONDITION[0], false);
                code.masked(Vector::BROADCAST, len, marked, 0, Rm::Const(OUTSIDE), None);
                code.bind(inside);
                let to = Rm::Frame(OFFSETS + ROW * (2 * axis + n));
                code.vector(Vector::STORE, len, at, 0, to);
            }
            code.vector(Vector::PANDD, len, position, position, Rm::Const(255));
            code.vector(Vector::CVTDQ2PS, len, position, 0, from);
        }
    }

    /// The weights of the corners, of the shares of the next column and row.
    fn weigh_corners(&mut self, len: Len, [right, below]: [Reg; 2]) {
        let ([_, all, left], [_, above, weight]) = (SOURCE, BETWEEN);
        let code = &mut self.code;
        code.vector(Vector::BROADCAST, len, all, 0, single(256.0));
        code.vector(Vector::SUBPS, len, left, all, Rm::Reg(right));
        code.vector(Vector::SUBPS, len, above, all, Rm::Reg(below));
        for corner in CORNERS {
            let column = [left, right][corner as usize & 1];
            let row = [above, below][corner as usize >> 1];
            let code = &mut self.code;
            code.vector(Vector::MULPS, len, weight, column, Rm::Reg(row));
            for part in self.widened(len, weight, corner) {
                let to = Rm::Frame(WEIGHTS + ROW * (2 * corner + part));
                let code = &mut self.code;
                code.vector(Vector::CVTPS2PD, Len::Z, MAKING, 0, half(corner, part));
                code.vector(Vector::STORE_QWORDS, Len::Z, MAKING, 0, to);
            }
        }
    }

    /// Puts singles where their halves are read as doubles. The numbers of these come back.
    fn widened(&mut self, len: Len, singles: Reg, corner: u32) -> std::ops::Range<u32> {
        let to = Rm::Frame(SINGLES + ROW * (corner % 2));
        self.code.vector(Vector::STORE, len, singles, 0, to);
        0..len.bytes().div_ceil(32)
    }

    /// One channel of the sum goes to the stack.
    fn channel_of(&mut self, c: u32, len: Len, to: u32) {
        let ([texels, value, number], sums) = (SOURCE, [BETWEEN[0], BETWEEN[1]]);
        let each = |first: u32| Rm::SiteEach(first + 4 * c);
        let [most, rest] = PARTS.map(single);
        for corner in CORNERS {
            let code = &mut self.code;
            let mut set = |vector, to, a, b| code.vector(vector, len, to, a, b);
            set(Vector::LOAD, texels, 0, Rm::Frame(TEXELS + ROW * corner));
            set(Vector::PSRLVD, texels, texels, each(field::TEXELS_SHIFTS));
            set(
                Vector::PANDD,
                texels,
                texels,
                Rm::SiteEach(field::TEXELS_MASK),
            );
            set(Vector::CVTDQ2PS, texels, 0, Rm::Reg(texels));
            set(Vector::MULPS, value, texels, rest);
            set(Vector::FMADD231PS, value, texels, most);
            for part in self.widened(len, value, corner) {
                let code = &mut self.code;
                code.vector(Vector::CVTPS2PD, Len::Z, number, 0, half(corner, part));
                let weights = Rm::Frame(WEIGHTS + ROW * (2 * corner + part));
                let (sum, vector) = match corner {
                    0 => (sums[part as usize], Vector::MULPD),
                    _ => (sums[part as usize], Vector::FMADD231PD),
                };
                code.vector(vector, Len::Z, sum, number, weights);
            }
        }
        let low = self.rounded(len, sums);
        let code = &mut self.code;
        code.vector(Vector::PORD, len, low, low, each(field::TEXELS_ABSENT));
        code.vector(Vector::STORE, len, low, 0, Rm::Frame(to));
    }

    /// The sum of the channel in this place of those that are asked for, which goes to the stack: texels without weight take
    /// no part, be they infinite; all NaN are the same one.
    fn sum_of(&mut self, n: u32, len: Len) {
        let ([weights, _, number], sums) = (SOURCE, [BETWEEN[0], BETWEEN[1]]);
        let parts = 0..len.bytes().div_ceil(32);
        let code = &mut self.code;
        for sum in sums {
            code.vector(Vector::PXORD, Len::Z, sum, sum, Rm::Reg(sum));
        }
        for corner in CORNERS {
            for part in parts.clone() {
                let own = Rm::Frame(WEIGHTS + ROW * (2 * corner + part));
                code.vector(Vector::LOAD_QWORDS, Len::Z, weights, 0, own);
                let singles = TEXELS + ROW * (4 * corner + n) + ROW / 2 * part;
                let singles = Rm::Frame(singles);
                code.vector(Vector::CVTPS2PD, Len::Z, number, 0, singles);
                let some = (CONDITION[0], 0, false);
                let (none, differs) = (Rm::Const64(0), float_predicate_of(Condition::Ne));
                code.masked(Vector::CMPPD, Len::Z, some, weights, none, Some(differs));
                let sum = (sums[part as usize], CONDITION[0], false);
                let weights = Rm::Reg(weights);
                code.masked(Vector::FMADD231PD, Len::Z, sum, number, weights, None);
            }
        }
        let low = self.rounded(len, sums);
        let code = &mut self.code;
        let (unordered, own) = ((CONDITION[0], 0, false), Rm::Reg(low));
        code.masked(Vector::CMPPS, len, unordered, low, own, Some(UNORDERED));
        let nan = (low, CONDITION[0], false);
        code.masked(Vector::BROADCAST, len, nan, 0, Rm::Const(NAN), None);
        let to = Rm::Frame(RESULTS + ROW * n);
        code.vector(Vector::STORE, len, low, 0, to);
    }

    /// Sums of numbers times their weights as singles, in the register of the lower half.
    fn rounded(&mut self, len: Len, sums: [Reg; 2]) -> Reg {
        let [low, high] = sums;
        let code = &mut self.code;
        let one = Rm::Const64((1.0f64 / 65536.0).to_bits());
        for sum in sums.into_iter().take(if len == Len::Z { 2 } else { 1 }) {
            code.vector(Vector::MULPD, Len::Z, sum, sum, one);
            code.vector(Vector::CVTPD2PS, Len::Z, sum, 0, Rm::Reg(sum));
        }
        if len == Len::Z {
            let high = Rm::Reg(high);
            code.vector_by(Vector::INSERT_HALF, Len::Z, low, low, high, 1);
        }
        low
    }
}

/// Half of the singles of a corner.
const fn half(corner: u32, part: u32) -> Rm {
    Rm::Frame(SINGLES + ROW * (corner % 2) + ROW / 2 * part)
}
