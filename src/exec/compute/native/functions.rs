//! Functions of the math unit, as [`crate::math`] computes them in doubles.

use super::assembler::{Len, Mask, Reg, Rm, Vector};
use super::emit::{
    BETWEEN, CONDITION, Emitter, MAKING, NAN_CLASS, SOURCE, UNORDERED, float_predicate_of,
    predicate_of,
};
use super::halves::DIFFERS;
use super::integers::RIGHT;
use super::select::Inst;
use crate::isa::{Condition, Opcode};
use crate::math::{COS_SERIES, LOG2_SERIES, SIN_SERIES};
use crate::math::{EXP2_RANGE, EXP2_ROOTS, EXP2_SERIES, EXP2_STEPS, TO_INTEGER};
use crate::surface::float;

/// Angles from which on the steps take the quarter turns away.
const MOST_ANGLE: f32 = (1 << 30) as f32;

/// Rests of angles with turns that are smaller are left to the steps. These have 94 bits of turns after the binary point at
/// least, of a number of 24 bits: they miss less than 2^-69, some ten of the last places of a double, for which [`NEAR`] has
/// room.
const LEAST_REST: f64 = 1.0 / (1 << 20) as f64;

/// π/2 as a sum of two doubles: what is missing, below 2^-109, times so many turns is none of a double's bits of any larger
/// rest.
const QUARTER_TURN: [u64; 2] = [0x3ff9_21fb_5444_2d18, 0x3c91_a626_3314_5c07];

/// The class of values that are infinite.
const INFINITE: u8 = 0x18;

/// The half of the last place of a single, among the 29 bits that a double has beside.
const HALF: u64 = 1 << 28;

/// More last places of a double than by which what is found here and what the steps find differ.
const NEAR: u64 = 64;

/// Zero becomes the infinity of its sign, infinity +0, everything else what it is: a rule for each class of the source.
const INFINITE_OF_ZERO: u32 = 0x6 << 8 | 0x8 << 20;

impl Emitter {
    /// A function of the math unit, into the first register between: what [`crate::math`] does in doubles, step by
    /// step. Operands that it has a rule for are left to the steps, but for those of which it makes a NaN, where code does.
    pub fn math(&mut self, inst: &Inst, opcode: Opcode, r: u8, mask: Option<Mask>) {
        const ZERO: u8 = 0x06;
        const MINUS_INFINITE: u8 = 0x10;
        const NEGATIVE: u8 = 0x40;
        const DENORMAL: u8 = 0x20;
        let len = Self::len(inst);
        let a = self.source(inst, 0, r);
        let a = self.in_register(a, len, SOURCE[0]);
        // What it makes a NaN of, and what else it has a rule for.
        let (nan, others) = match opcode {
            Opcode::Exp => (NAN_CLASS, 0),
            Opcode::Pow => (NAN_CLASS, MINUS_INFINITE),
            Opcode::Sin | Opcode::Cos => (0, DENORMAL),
            _ => (NAN_CLASS | MINUS_INFINITE | NEGATIVE, 0),
        };
        self.unless([nan, others], len, a, mask);
        let mut b = None;
        match opcode {
            Opcode::Pow => {
                let power = self.source(inst, 1, r);
                let power = self.in_register(power, len, SOURCE[1]);
                self.unless([NAN_CLASS, INFINITE], len, power, mask);
                // Their logarithm is infinite.
                self.which(ZERO | INFINITE, len, a, mask);
                self.unless([0, ZERO], len, power, Some(UNORDERED));
                b = Some(power);
            }
            Opcode::Sin | Opcode::Cos => self.unless_small(len, a, mask),
            _ => {}
        }
        let (out, x, y) = (BETWEEN[0], BETWEEN[1], BETWEEN[2]);
        let (parts, wide) = (Self::parts(len), Self::wide(len));
        let argument = match opcode {
            Opcode::Exp => self.steps_of_exp2(len, a),
            _ => a,
        };
        let between = match opcode {
            Opcode::Rsqrt | Opcode::Rsqtm => [out; 2],
            _ => [self.take_or_leave(), self.take_or_leave()],
        };
        for (part, near) in CONDITION.into_iter().enumerate().take(parts) {
            self.double(wide, x, argument, part);
            match opcode {
                Opcode::Exp => self.exp2(wide, between),
                Opcode::Log => self.log2(wide, between),
                Opcode::Pow => {
                    let sign = Rm::Const64(i64::MAX.cast_unsigned());
                    self.code.vector(Vector::PANDQ, wide, x, x, sign);
                    self.log2(wide, between);
                    self.double(wide, y, b.unwrap_or(a), part);
                    let code = &mut self.code;
                    let [least, most] = EXP2_RANGE.map(f64::to_bits);
                    code.vector(Vector::MULPD, wide, x, x, Rm::Reg(y));
                    code.vector(Vector::MAXPD, wide, x, x, Rm::Const64(least));
                    code.vector(Vector::MINPD, wide, x, x, Rm::Const64(most));
                    let steps = Rm::Const64(EXP2_STEPS.to_bits());
                    code.vector(Vector::MULPD, wide, x, x, steps);
                    self.exp2(wide, between);
                }
                Opcode::Sin | Opcode::Cos => {
                    let cosine = opcode == Opcode::Cos;
                    self.sine(wide, between, cosine, (near, inst.halves));
                    self.near_half(wide, near, inst.halves);
                }
                _ => {
                    self.inverse_root(wide);
                    self.near_half(wide, near, inst.halves);
                }
            }
            self.single_of(wide, (out, part), inst.halves);
        }
        self.give_back(between);
        if matches!(opcode, Opcode::Rsqrt | Opcode::Rsqtm) {
            let ends = Rm::Const(INFINITE_OF_ZERO);
            self.code
                .vector_by(Vector::FIXUPIMMPS, len, out, a, ends, 0);
        }
        if matches!(
            opcode,
            Opcode::Rsqrt | Opcode::Rsqtm | Opcode::Sin | Opcode::Cos
        ) {
            self.leave_if_mask(CONDITION[0], CONDITION[parts - 1]);
        }
        if self.makes_nan {
            self.nan_of(nan, len, a, out);
            b.into_iter()
                .for_each(|b| self.nan_of(NAN_CLASS, len, b, out));
        }
    }

    /// A result of values of these classes is a NaN.
    fn nan_of(&mut self, classes: u8, len: Len, value: Reg, result: Reg) {
        if classes != 0 {
            self.which(classes, len, value, None);
            let own = (result, UNORDERED, false);
            self.code
                .masked(Vector::BROADCAST, len, own, 0, Rm::Const(float::NAN), None);
        }
    }

    /// `lrp`, in doubles, as [`alu::interpolate`](super::super::alu::interpolate): a product of singles is one of them, and the
    /// sum is rounded to odd before it becomes a single.
    pub fn interpolate(&mut self, inst: &Inst, r: u8, to: (Reg, Mask, bool)) {
        let (len, [out, sum, between]) = (Self::len(inst), BETWEEN);
        let [a, b, c] = [0, 1, 2].map(|k| {
            let source = self.source(inst, k, r);
            self.in_register(source, len, SOURCE[k])
        });
        let [first, second] = [self.take_or_leave(), self.take_or_leave()];
        let wide = Self::wide(len);
        let one = Rm::Const64(1f64.to_bits());
        for part in 0..Self::parts(len) {
            self.double(wide, sum, a, part);
            self.double(wide, first, b, part);
            self.double(wide, second, c, part);
            let code = &mut self.code;
            code.vector(Vector::BROADCAST_QWORD, wide, between, 0, one);
            let mut run = |vector, to, a, b| code.vector(vector, wide, to, a, Rm::Reg(b));
            run(Vector::MULPD, first, first, sum);
            run(Vector::SUBPD, between, between, sum);
            run(Vector::MULPD, second, second, between);
            // The error of the sum, exactly.
            run(Vector::ADDPD, sum, first, second);
            run(Vector::SUBPD, between, sum, first);
            run(Vector::SUBPD, MAKING, sum, between);
            run(Vector::SUBPD, first, first, MAKING);
            run(Vector::SUBPD, second, second, between);
            run(Vector::ADDPD, first, first, second);
            let differs = (UNORDERED, 0, false);
            let zero = Rm::Const64(0);
            code.masked(Vector::CMPPD, wide, differs, first, zero, Some(DIFFERS));
            let even = (UNORDERED, UNORDERED, false);
            let lowest = Rm::Const64(1);
            code.masked(Vector::PTESTNMQ, wide, even, sum, lowest, None);
            // One more if it has the sign of the sum, else one less.
            code.vector(Vector::PXORQ, wide, first, first, Rm::Reg(sum));
            let shift = Vector::SHIFT_QWORDS_BY;
            code.vector_by(shift, wide, RIGHT, first, Rm::Reg(first), 63);
            code.vector(Vector::PADDQ, wide, first, first, Rm::Reg(first));
            code.vector(Vector::PSUBQ, wide, first, first, lowest);
            let odd = (sum, UNORDERED, false);
            code.masked(Vector::PSUBQ, wide, odd, sum, Rm::Reg(first), None);
            self.single_of(wide, (out, part), false);
        }
        self.give_back([first, second]);
        self.finish(len, to.0, (to.1 != 0).then_some(to.1), out);
    }

    /// How many registers of doubles there are for one of singles of this length.
    pub fn parts(len: Len) -> usize {
        if len == Len::Z { 2 } else { 1 }
    }

    /// The length of each.
    pub fn wide(len: Len) -> Len {
        if len == Len::X { Len::Y } else { Len::Z }
    }

    /// Half of the lanes of a row, or all there are, as doubles.
    pub fn double(&mut self, wide: Len, to: Reg, from: Reg, part: usize) {
        let mut from = from;
        if part == 1 {
            self.code
                .vector_by(Vector::EXTRACT_HALF, Len::Z, from, 0, Rm::Reg(to), 1);
            from = to;
        }
        self.code
            .vector(Vector::CVTPS2PD, wide, to, 0, Rm::Reg(from));
    }

    /// The sixteenths of exponents, of singles that no destination holds the powers of no more than have an infinite one, or
    /// none: in one of the registers of sources.
    fn steps_of_exp2(&mut self, len: Len, a: Reg) -> Reg {
        let [least, most] = EXP2_RANGE.map(|limit| Rm::Const((limit as f32).to_bits()));
        let steps = Rm::Const((EXP2_STEPS as f32).to_bits());
        let code = &mut self.code;
        code.vector(Vector::MAXPS, len, SOURCE[1], a, least);
        code.vector(Vector::MINPS, len, SOURCE[1], SOURCE[1], most);
        code.vector(Vector::MULPS, len, SOURCE[1], SOURCE[1], steps);
        SOURCE[1]
    }

    /// 2 to the power of so many sixteenths as the second register between has, in place: [`crate::math::exp2`].
    fn exp2(&mut self, wide: Len, between: [Reg; 2]) {
        let (x, whole, sum) = (BETWEEN[1], SOURCE[2], MAKING);
        let integer = Rm::Const64(TO_INTEGER.to_bits());
        let code = &mut self.code;
        code.vector(Vector::ADDPD, wide, whole, x, integer);
        code.vector(Vector::SUBPD, wide, sum, whole, integer);
        code.vector(Vector::SUBPD, wide, x, x, Rm::Reg(sum));
        self.polynomial(wide, (sum, x), between, &EXP2_SERIES);
        let [exponent, roots] = between;
        let (low, high) = EXP2_ROOTS.split_at(8);
        let [low, high] = [low, high].map(|roots| {
            let dword = |n: usize| (roots[n / 2] >> (32 * (n % 2))) as u32;
            Rm::List(std::array::from_fn(dword))
        });
        let code = &mut self.code;
        let shift = Vector::SHIFT_QWORDS_BY;
        code.vector_by(shift, wide, 6, exponent, Rm::Reg(whole), 48);
        code.vector(Vector::LOAD, Len::Z, roots, 0, low);
        code.vector(Vector::PERMI2Q, Len::Z, whole, roots, high);
        code.vector(Vector::PADDQ, wide, whole, whole, Rm::Reg(exponent));
        code.vector(Vector::MULPD, wide, x, sum, Rm::Reg(whole));
    }

    /// The logarithm of the second register between, in place: [`crate::math::log2`]. Of zero and infinity the exponent is
    /// infinite, and what is added to it that of one, or of −0 infinite, too.
    fn log2(&mut self, wide: Len, between: [Reg; 2]) {
        let (x, square, exponent, sum) = (BETWEEN[1], BETWEEN[2], SOURCE[2], MAKING);
        let double = |value: f64| Rm::Const64(value.to_bits());
        let code = &mut self.code;
        code.vector(Vector::GETEXPPD, wide, exponent, 0, Rm::Reg(x));
        code.vector_by(Vector::GETMANTPD, wide, x, 0, Rm::Reg(x), 0);
        let above = (UNORDERED, 0, false);
        let root = double(std::f64::consts::SQRT_2);
        code.masked(Vector::CMPPD, wide, above, x, root, Some(0x1e));
        let half = (x, UNORDERED, false);
        code.masked(Vector::MULPD, wide, half, x, double(0.5), None);
        let more = (exponent, UNORDERED, false);
        code.masked(Vector::ADDPD, wide, more, exponent, double(1.0), None);
        code.vector(Vector::SUBPD, wide, sum, x, double(1.0));
        code.vector(Vector::ADDPD, wide, x, x, double(1.0));
        code.vector(Vector::DIVPD, wide, x, sum, Rm::Reg(x));
        code.vector(Vector::MULPD, wide, square, x, Rm::Reg(x));
        self.polynomial(wide, (sum, square), between, &LOG2_SERIES);
        let code = &mut self.code;
        let scale = double(2.0 * std::f64::consts::LOG2_E);
        code.vector(Vector::MULPD, wide, x, x, scale);
        code.vector(Vector::MULPD, wide, x, x, Rm::Reg(sum));
        code.vector(Vector::ADDPD, wide, x, x, Rm::Reg(exponent));
    }

    /// A sum `c[0] + x·c[1] + …`, the products rounded by themselves, even powers and odd ones apart.
    ///
    /// * `between`: registers that are changed.
    fn polynomial(
        &mut self,
        wide: Len,
        (sum, x): (Reg, Reg),
        [square, odd]: [Reg; 2],
        coefficients: &[f64],
    ) {
        let code = &mut self.code;
        code.vector(Vector::MULPD, wide, square, x, Rm::Reg(x));
        let count = coefficients.len();
        for (k, coefficient) in coefficients.iter().enumerate().rev() {
            let own = if k.is_multiple_of(2) { sum } else { odd };
            let coefficient = Rm::Const64(coefficient.to_bits());
            if k + 2 >= count {
                code.vector(Vector::MULPD, wide, own, square, coefficient);
                continue;
            }
            code.vector(Vector::ADDPD, wide, own, own, coefficient);
            if k >= 2 {
                code.vector(Vector::MULPD, wide, own, own, Rm::Reg(square));
            }
        }
        code.vector(Vector::MULPD, wide, odd, odd, Rm::Reg(x));
        code.vector(Vector::ADDPD, wide, sum, sum, Rm::Reg(odd));
    }

    /// 1 / √x of the second register between, in place, to within a few units in the last place of a double.
    fn inverse_root(&mut self, wide: Len) {
        let (x, half, square, guess) = (BETWEEN[1], BETWEEN[2], SOURCE[2], MAKING);
        let double = |value: f64| Rm::Const64(value.to_bits());
        let code = &mut self.code;
        if code.narrows {
            // It is no guess there.
            return code.vector(Vector::RSQRT14PD, wide, x, 0, Rm::Reg(x));
        }
        code.vector(Vector::RSQRT14PD, wide, guess, 0, Rm::Reg(x));
        code.vector(Vector::MULPD, wide, half, x, double(0.5));
        // From 14 bits to 27, to all.
        for to in [guess, x] {
            code.vector(Vector::MULPD, wide, square, guess, Rm::Reg(guess));
            code.vector(Vector::FNMADD213PD, wide, square, half, double(1.5));
            code.vector(Vector::MULPD, wide, to, guess, Rm::Reg(square));
        }
    }

    /// Which doubles of the second register between are so near to the middle of two singles, or halves, that the steps may
    /// round them to another one.
    fn near_half(&mut self, wide: Len, near: Mask, halves: bool) {
        let (x, low) = (BETWEEN[1], SOURCE[2]);
        // A half has 13 bits less.
        let half = if halves { HALF << 13 } else { HALF };
        let code = &mut self.code;
        let shifted = Rm::Const64(NEAR.wrapping_sub(half));
        code.vector(Vector::PADDQ, wide, low, x, shifted);
        let bits = Rm::Const64(2 * half - 1);
        code.vector(Vector::PANDQ, wide, low, low, bits);
        let limit = Rm::Const64(2 * NEAR);
        code.masked(Vector::PCMPUQ, wide, (near, 0, false), low, limit, Some(1));
    }

    /// Leaves the region in front of the op at hand where a lane that runs has an angle of [`MOST_ANGLE`] or more; or infinity
    /// or NaN, unless NaN is made of these.
    fn unless_small(&mut self, len: Len, angle: Reg, mask: Option<Mask>) {
        let bits = BETWEEN[0];
        let code = &mut self.code;
        code.vector(Vector::PANDD, len, bits, angle, Rm::Const(i32::MAX as u32));
        let to = (UNORDERED, mask.unwrap_or(0), false);
        let (mut most, mut relation) = (MOST_ANGLE.to_bits(), Condition::Ge);
        if self.makes_nan {
            code.vector(Vector::PSUBD, len, bits, bits, Rm::Const(most));
            (most, relation) = (f32::INFINITY.to_bits() - most, Condition::Lt);
        }
        let number = Some(predicate_of(relation));
        code.masked(Vector::PCMPUD, len, to, bits, Rm::Const(most), number);
        let nan = NAN_CLASS | INFINITE;
        self.leave_by_class(Vector::FPCLASSPS, (nan, false), len, angle, mask);
    }

    /// Sine or cosine of the second register between, in place, to within a few units in the last place of a double:
    /// [`crate::math::sin`], the quarter turns taken away in doubles. In the middle of two singles, or of
    /// two halves, where the rest is too small.
    ///
    /// * `between`, `small`: registers and a mask that are changed.
    /// * `halves`: halves are made of them.
    fn sine(&mut self, wide: Len, between: [Reg; 2], cosine: bool, (small, halves): (Mask, bool)) {
        let (x, square, turns) = (BETWEEN[1], BETWEEN[2], SOURCE[2]);
        let (sine, other) = (MAKING, SOURCE[1]);
        let double = |value: f64| Rm::Const64(value.to_bits());
        let code = &mut self.code;
        code.vector(
            Vector::MULPD,
            wide,
            turns,
            x,
            double(std::f64::consts::FRAC_2_PI),
        );
        code.vector_by(Vector::RNDSCALEPD, wide, turns, 0, Rm::Reg(turns), 8);
        // No turn is +0, so that −0 stays what it is.
        code.vector(Vector::ADDPD, wide, turns, turns, double(0.0));
        for part in QUARTER_TURN {
            code.vector(Vector::FNMADD231PD, wide, x, turns, Rm::Const64(part));
        }
        let turned = (small, 0, false);
        let number = Some(float_predicate_of(Condition::Ne));
        code.masked(Vector::CMPPD, wide, turned, turns, double(0.0), number);
        code.small_qwords(wide, turns, turns);
        if cosine {
            code.vector(Vector::PADDQ, wide, turns, turns, Rm::Const64(1));
        }
        code.vector(Vector::MULPD, wide, square, x, Rm::Reg(x));
        let least = double(LEAST_REST * LEAST_REST);
        let number = Some(float_predicate_of(Condition::Lt));
        code.masked(
            Vector::CMPPD,
            wide,
            (small, small, false),
            square,
            least,
            number,
        );
        self.polynomial(wide, (sine, square), between, &SIN_SERIES);
        self.polynomial(wide, (other, square), between, &COS_SERIES);
        let code = &mut self.code;
        code.vector(Vector::MULPD, wide, x, x, Rm::Reg(sine));
        let which = (UNORDERED, 0, false);
        code.masked(Vector::PTESTMQ, wide, which, turns, Rm::Const64(1), None);
        let odd = (x, UNORDERED, false);
        code.masked(Vector::LOAD_QWORDS, wide, odd, 0, Rm::Reg(other), None);
        code.masked(Vector::PTESTMQ, wide, which, turns, Rm::Const64(2), None);
        let sign = Rm::Const64(1 << 63);
        code.masked(Vector::PXORQ, wide, odd, x, sign, None);
        let small = (x, small, false);
        let middle = Rm::Const64(if halves { HALF << 13 } else { HALF });
        code.masked(Vector::BROADCAST_QWORD, wide, small, 0, middle, None);
    }
}
