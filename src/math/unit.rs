//! The extended math unit: what a message to it computes.
//!
//! A message carries one or two operands for 8 or 16 channels and a [`Control`]; the answer is one or
//! two results for each enabled channel. Operands are single floats or 32-bit integers as bits.
//!
//! ```text
//! vector   A B C D E F G H   one input for each enabled channel
//! scalar   A A A A E E E E   the first channel of each group of four serves the group
//! ```
//!
//! Results are the correctly rounded ones but for a few near ties (see [`super`]), which is inside every
//! bound of the PRM; the partial precision hint therefore only counts rounds. The unit knows no
//! denormals: operands and results that small are zeros of their sign.
//!
//! Read otherwise than printed, both for the reason given:
//! * the table of COS repeats that of SIN for zeros in IEEE mode; its own bound of 0.0008 makes it 1;
//! * "src1 is always scalar" (POW) meets a payload with a power for each element; each is used.
//!
//! Cells that the tables of ALT mode leave blank are infinite operands, which the mode does not know:
//! they give what the formula does, brought to the largest finite value.
//!
//! Source: PRM 6.1 to 6.3; lowering reference 18.7.

use super::functions;
use thiserror::Error;

/// A function of the unit; the number is its code in the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Reciprocal.
    Inv = 1,
    /// Base 2 logarithm.
    Log = 2,
    /// 2 to the power of.
    Exp = 3,
    /// Square root.
    Sqrt = 4,
    /// Reciprocal square root.
    Rsqrt = 5,
    /// Sine of radians.
    Sin = 6,
    /// Cosine of radians.
    Cos = 7,
    /// Sine, then cosine.
    SinCos = 8,
    /// The absolute value of operand 0 to the power of operand 1.
    Pow = 10,
    /// Integer quotient, then remainder: operand 1 by operand 0.
    IntDivBoth = 11,
    /// Integer quotient.
    Quotient = 12,
    /// Integer remainder.
    Remainder = 13,
}

/// How far a result may be from the true value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Units in the last place.
    Ulp(f64),
    /// Of the true value.
    Relative {
        /// In full precision.
        full: f64,
        /// In partial precision.
        partial: f64,
    },
    /// Absolute, for operands up to `range`.
    Absolute {
        /// The distance.
        error: f64,
        /// The greatest magnitude of the operand it holds for.
        range: f64,
    },
    /// Integers.
    Exact,
}

/// Rounds through the unit for one element, of about 22 clocks each. Source: PRM 6.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Fewest.
    pub least: u32,
    /// Most operands take so many.
    pub typical: u32,
    /// Most.
    pub most: u32,
}

const fn rounds(count: u32) -> Rounds {
    Rounds {
        least: count,
        typical: count,
        most: count,
    }
}

const fn varied(least: u32, typical: u32, most: u32) -> Rounds {
    Rounds {
        least,
        typical,
        most,
    }
}

/// What the PRM says of a function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionInfo {
    /// The function.
    pub function: Function,
    /// Its name in the PRM.
    pub name: &'static str,
    /// Operands of each element.
    pub operands: u32,
    /// Results of each element.
    pub results: u32,
    /// Rounds in full precision.
    pub full: Rounds,
    /// Rounds in partial precision, which ALT mode alone has.
    pub partial: Rounds,
    /// Its stated error.
    pub bound: Bound,
    /// The section.
    pub section: &'static str,
}

const ULP: Bound = Bound::Ulp(1.0);
/// 2^-21 and 2^-10.
const LOGARITHMIC: Bound = Bound::Relative {
    full: 1.0 / 2_097_152.0,
    partial: 1.0 / 1024.0,
};
/// 2^-15.
const POWER: Bound = Bound::Relative {
    full: 1.0 / 32768.0,
    partial: 1.0 / 32768.0,
};
const CIRCULAR: Bound = Bound::Absolute {
    error: 0.0008,
    range: 100.0 * std::f64::consts::PI,
};

const fn row(
    function: Function,
    name: &'static str,
    [operands, results]: [u32; 2],
    [full, partial]: [Rounds; 2],
    bound: Bound,
    section: &'static str,
) -> FunctionInfo {
    FunctionInfo {
        function,
        name,
        operands,
        results,
        full,
        partial,
        bound,
        section,
    }
}

/// Every function, in the order of the codes.
///
/// EXP has fewer rounds in partial precision by the table and as many by the note beside it; the table
/// counts. SINCOS is a sine and a cosine back to back; so, without a word of the PRM, is INT DIV with
/// two results.
#[rustfmt::skip]
pub static FUNCTIONS: &[FunctionInfo] = &[
//  function              name                  in out   full                partial             error        section
row(Function::Inv,        "INV",                [1, 1], [rounds(1),         rounds(1)],         ULP,          "PRM 6.3.1"),
row(Function::Log,        "LOG",                [1, 1], [rounds(3),         rounds(2)],         LOGARITHMIC,  "PRM 6.3.2"),
row(Function::Exp,        "EXP",                [1, 1], [rounds(4),         rounds(3)],         LOGARITHMIC,  "PRM 6.3.3"),
row(Function::Sqrt,       "SQRT",               [1, 1], [rounds(3),         rounds(3)],         ULP,          "PRM 6.3.4"),
row(Function::Rsqrt,      "RSQ",                [1, 1], [rounds(2),         rounds(2)],         ULP,          "PRM 6.3.5"),
row(Function::Sin,        "SIN",                [1, 1], [varied(5, 6, 12),  varied(5, 6, 12)],  CIRCULAR,     "PRM 6.3.7"),
row(Function::Cos,        "COS",                [1, 1], [varied(5, 6, 12),  varied(5, 6, 12)],  CIRCULAR,     "PRM 6.3.8"),
row(Function::SinCos,     "SINCOS",             [1, 2], [varied(10, 12, 24), varied(10, 12, 24)], CIRCULAR,   "PRM 6.3.9"),
row(Function::Pow,        "POW",                [2, 1], [rounds(8),         rounds(8)],         POWER,        "PRM 6.3.6"),
row(Function::IntDivBoth, "INT DIV",            [2, 2], [rounds(7),         rounds(7)],         Bound::Exact, "PRM 6.3.10"),
row(Function::Quotient,   "INT DIV, quotient",  [2, 1], [rounds(3),         rounds(3)],         Bound::Exact, "PRM 6.3.10"),
row(Function::Remainder,  "INT DIV, remainder", [2, 1], [rounds(4),         rounds(4)],         Bound::Exact, "PRM 6.3.10"),
];

impl Function {
    /// The function of a descriptor's code; codes 0, 9, 14 and 15 are reserved.
    pub fn from_code(code: u32) -> Option<Function> {
        let mut all = FUNCTIONS.iter().map(|row| row.function);
        all.find(|function| *function as u32 == code)
    }

    /// Its row of the table.
    pub fn info(self) -> &'static FunctionInfo {
        let code = self as usize;
        // Code 9 has no row, so the rows from POW on stand two places before their code.
        &FUNCTIONS[if code > 9 { code - 2 } else { code - 1 }]
    }

    /// Two operands for each element: such messages have 8 channels at most.
    pub fn takes_two(self) -> bool {
        self.info().operands == 2
    }

    /// Results for each element.
    pub fn results(self) -> u32 {
        self.info().results
    }

    /// Operands and results are integers.
    pub fn divides_integers(self) -> bool {
        self.info().bound == Bound::Exact
    }
}

/// What the descriptor of a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// The function.
    pub function: Function,
    /// Integers are signed.
    pub signed: bool,
    /// Hint: less precision will do, in ALT mode.
    pub partial: bool,
    /// Float results clamp to 0..1.
    pub saturate: bool,
    /// The first channel of each group of four serves the group.
    pub scalar: bool,
}

/// Why the unit does not take a message. Source: PRM 6.1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Saturation of integers.
    #[error("only float functions saturate, and {0} works on integers")]
    Saturates(&'static str),
    /// Sixteen channels of a function of two operands.
    #[error("{0} has two operands and so no form of 16 channels")]
    Sixteen(&'static str),
}

impl Control {
    /// Checks what the descriptor alone cannot rule out.
    ///
    /// # Errors
    /// [`Refusal`]: integers are to be saturated, or 16 channels have two operands.
    pub fn check(&self, channels: u32) -> Result<(), Refusal> {
        let info = self.function.info();
        if self.saturate && self.function.divides_integers() {
            return Err(Refusal::Saturates(info.name));
        }
        if channels > 8 && self.function.takes_two() {
            return Err(Refusal::Sixteen(info.name));
        }
        Ok(())
    }

    /// Rounds for one element; `alt`: the thread is in ALT mode.
    pub fn rounds(&self, alt: bool) -> Rounds {
        let info = self.function.info();
        if self.partial && alt {
            info.partial
        } else {
            info.full
        }
    }

    /// How many elements are computed: enabled channels, or groups of four with one of them.
    pub fn elements(&self, enables: u32) -> u32 {
        if !self.scalar {
            return enables.count_ones();
        }
        let any = enables | enables >> 1 | enables >> 2 | enables >> 3;
        (any & 0x1111_1111).count_ones()
    }

    /// Serves a message: writes the results of the channels of `enables` and leaves the others alone.
    ///
    /// * `alt`: float mode of the thread, bit 0 of `%cr0`.
    /// * `operands`, `results`: by operand or result, then by channel.
    pub fn compute(
        &self,
        alt: bool,
        enables: u16,
        operands: &[[u32; 16]; 2],
        results: &mut [[u32; 16]; 2],
    ) {
        for channel in (0..16).filter(|c| enables >> c & 1 != 0) {
            let source = if self.scalar { channel & !3 } else { channel };
            let element = self.element(alt, operands[0][source], operands[1][source]);
            for (result, value) in results.iter_mut().zip(element) {
                result[channel] = value;
            }
        }
    }

    /// The results of one element; the second is 0 where there is none.
    fn element(&self, alt: bool, a: u32, b: u32) -> [u32; 2] {
        let float = |function| {
            let [a, b] = [a, b].map(f32::from_bits);
            single(function, alt, self.saturate, a, b).to_bits()
        };
        match self.function {
            Function::IntDivBoth => divide(self.signed, b, a),
            Function::Quotient => [divide(self.signed, b, a)[0], 0],
            Function::Remainder => [divide(self.signed, b, a)[1], 0],
            Function::SinCos => [float(Function::Sin), float(Function::Cos)],
            other => [float(other), 0],
        }
    }
}

/// A float function of operands that a single holds exactly, close enough to the true value to be
/// rounded once; NaN where the tables say so. Of SINCOS it is the sine.
///
/// `alt`: logarithm and roots take the absolute value, and the steps of POW stay finite, so that 0 to
/// the power of 0 is 1 there. Results are not yet brought below infinity.
///
/// Source: PRM 6.3, special values; vISA text reference 6.9.
pub fn value(function: Function, alt: bool, a: f64, b: f64) -> f64 {
    let magnitude = if alt { a.abs() } else { a };
    match function {
        Function::Inv => functions::inv(a),
        Function::Log => functions::log2(magnitude),
        Function::Exp => functions::exp2(a),
        Function::Sqrt => functions::sqrt(magnitude),
        Function::Rsqrt => functions::rsqrt(magnitude),
        Function::Sin | Function::SinCos => functions::sin(a),
        Function::Cos => functions::cos(a),
        Function::Pow if alt => {
            let log = functions::log2(a.abs());
            functions::exp2(b * finite(log))
        }
        // The one cell where table and formula part: a positive power of −infinity.
        Function::Pow if a == f64::NEG_INFINITY && b > 0.0 && b.is_finite() => f64::NAN,
        Function::Pow => functions::pow(a, b),
        Function::IntDivBoth | Function::Quotient | Function::Remainder => f64::NAN,
    }
}

/// The largest single in place of an infinity.
fn finite(value: f64) -> f64 {
    const MAX: f64 = f32::MAX as f64;
    if value.is_nan() {
        value
    } else {
        value.clamp(-MAX, MAX)
    }
}

/// A float function as the unit returns it.
fn single(function: Function, alt: bool, saturate: bool, a: f32, b: f32) -> f32 {
    let (a, b) = (flush(a), flush(b));
    let exact = value(function, alt, f64::from(a), f64::from(b));
    if saturate {
        // NaN saturates to 0, as everywhere: vISA text reference 6.2.
        return if exact > 0.0 {
            flush(exact.min(1.0) as f32)
        } else {
            0.0
        };
    }
    if exact.is_nan() {
        let two = function.takes_two();
        let source = [a, b]
            .into_iter()
            .take(1 + usize::from(two))
            .find(|v| v.is_nan());
        return source.map_or(f32::from_bits(0x7fc0_0000), quiet);
    }
    let result = flush(exact as f32);
    if alt && result.is_infinite() {
        f32::MAX.copysign(result)
    } else {
        result
    }
}

/// A NaN made quiet, sign and payload kept.
fn quiet(nan: f32) -> f32 {
    f32::from_bits(nan.to_bits() | 1 << 22)
}

/// A denormal becomes a zero of its sign.
fn flush(value: f32) -> f32 {
    if value.is_subnormal() {
        0.0f32.copysign(value)
    } else {
        value
    }
}

/// Quotient, truncated, and remainder with the sign of the numerator; by zero, what the tables say.
/// The least integer by −1 wraps.
///
/// Source: PRM 6.3.10.
pub fn divide(signed: bool, numerator: u32, denominator: u32) -> [u32; 2] {
    if !signed {
        return match numerator.checked_div(denominator) {
            Some(quotient) => [quotient, numerator % denominator],
            None => [u32::MAX; 2],
        };
    }
    let (n, d) = (numerator as i32, denominator as i32);
    if d == 0 {
        return [if n < 0 { 0x8000_0000 } else { 0x7fff_ffff }; 2];
    }
    [n.wrapping_div(d) as u32, n.wrapping_rem(d) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f32 = f32::INFINITY;
    const MAX: f32 = f32::MAX;
    const NAN: f32 = f32::NAN;
    /// A denormal.
    const DEN: f32 = 1.0e-40;

    fn of(function: Function, alt: bool, a: f32, b: f32) -> f32 {
        single(function, alt, false, a, b)
    }

    /// Equal down to the sign of zero; any NaN equals any.
    fn same(got: f32, wanted: f32) -> bool {
        got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan()
    }

    fn table(function: Function, alt: bool, cells: &[(f32, f32)]) {
        for &(a, wanted) in cells {
            let got = of(function, alt, a, 0.0);
            assert!(
                same(got, wanted),
                "{function:?} alt={alt} {a}: {got}, not {wanted}"
            );
        }
    }

    #[test]
    fn rows_stand_where_their_codes_say() {
        for row in FUNCTIONS {
            assert_eq!(row.function.info().function, row.function);
            assert_eq!(Function::from_code(row.function as u32), Some(row.function));
        }
        for reserved in [0, 9, 14, 15, 16] {
            assert_eq!(Function::from_code(reserved), None);
        }
    }

    #[test]
    fn special_values_of_inv() {
        let ieee = [
            (INF, 0.0),
            (0.0, INF),
            (DEN, INF),
            (-0.0, -INF),
            (-DEN, -INF),
            (-INF, -0.0),
            (NAN, NAN),
        ];
        table(Function::Inv, false, &ieee);
        let alt = [
            (0.0, MAX),
            (DEN, MAX),
            (-0.0, -MAX),
            (-DEN, -MAX),
            (NAN, NAN),
        ];
        table(Function::Inv, true, &alt);
    }

    #[test]
    fn special_values_of_log() {
        let ieee = [
            (INF, INF),
            (0.0, -INF),
            (DEN, -INF),
            (-0.0, -INF),
            (-DEN, -INF),
            (-INF, NAN),
            (-2.0, NAN),
            (NAN, NAN),
        ];
        table(Function::Log, false, &ieee);
        // −F: the logarithm of its absolute value; log 2 = 1.
        let alt = [
            (0.0, -MAX),
            (DEN, -MAX),
            (-0.0, -MAX),
            (-DEN, -MAX),
            (-2.0, 1.0),
            (NAN, NAN),
        ];
        table(Function::Log, true, &alt);
    }

    #[test]
    fn special_values_of_exp() {
        let common = [
            (0.0, 1.0),
            (DEN, 1.0),
            (-0.0, 1.0),
            (-DEN, 1.0),
            (-1.0, 0.5),
            (NAN, NAN),
        ];
        table(Function::Exp, false, &common);
        table(Function::Exp, true, &common);
        table(Function::Exp, false, &[(INF, INF), (-INF, 0.0)]);
        // 2^128 is too large for a single: infinite, or the largest in ALT mode.
        table(Function::Exp, false, &[(128.0, INF), (-127.0, 0.0)]);
        table(Function::Exp, true, &[(128.0, MAX), (-127.0, 0.0)]);
    }

    #[test]
    fn special_values_of_sqrt() {
        let ieee = [
            (INF, INF),
            (0.0, 0.0),
            (DEN, 0.0),
            (-0.0, -0.0),
            (-DEN, -0.0),
            (-INF, NAN),
            (-4.0, NAN),
            (NAN, NAN),
        ];
        table(Function::Sqrt, false, &ieee);
        let alt = [
            (0.0, 0.0),
            (DEN, 0.0),
            (-0.0, 0.0),
            (-DEN, 0.0),
            (-4.0, 2.0),
            (NAN, NAN),
        ];
        table(Function::Sqrt, true, &alt);
    }

    #[test]
    fn special_values_of_rsq() {
        let ieee = [
            (INF, 0.0),
            (0.0, INF),
            (DEN, INF),
            (-0.0, -INF),
            (-DEN, -INF),
            (-INF, NAN),
            (-4.0, NAN),
            (NAN, NAN),
        ];
        table(Function::Rsqrt, false, &ieee);
        let alt = [
            (0.0, MAX),
            (DEN, MAX),
            (-0.0, MAX),
            (-DEN, MAX),
            (-4.0, 0.5),
            (NAN, NAN),
        ];
        table(Function::Rsqrt, true, &alt);
    }

    #[test]
    fn special_values_of_sin_and_cos() {
        let sine = [
            (INF, NAN),
            (0.0, 0.0),
            (DEN, 0.0),
            (-0.0, -0.0),
            (-DEN, -0.0),
            (-INF, NAN),
            (NAN, NAN),
        ];
        table(Function::Sin, false, &sine);
        table(Function::Sin, true, &sine[1..5]);
        let cosine = [
            (INF, NAN),
            (0.0, 1.0),
            (DEN, 1.0),
            (-0.0, 1.0),
            (-DEN, 1.0),
            (-INF, NAN),
            (NAN, NAN),
        ];
        table(Function::Cos, false, &cosine);
        table(Function::Cos, true, &cosine[1..5]);
        // −F: between −1 and 1, however large.
        for a in [-0.5, -100.0, -1.0e10, -MAX] {
            for function in [Function::Sin, Function::Cos] {
                assert!(of(function, false, a, 0.0).abs() <= 1.0);
                assert!(of(function, true, a, 0.0).abs() <= 1.0);
            }
        }
    }

    #[test]
    fn special_values_of_pow_in_ieee_mode() {
        // Columns: |F| > 1, |F| < 1, |F| = 1, +inf, +0, −0, −inf, NaN; denormals as the zeros.
        let bases = [-2.0, 0.5, -1.0, INF, 0.0, -0.0, -INF, NAN];
        #[rustfmt::skip]
        let rows: &[(f32, [f32; 8])] = &[
            (INF,  [INF, 0.0, NAN, INF, 0.0, 0.0, INF, NAN]),
            (0.0,  [1.0, 1.0, 1.0, NAN, NAN, NAN, NAN, NAN]),
            (-DEN, [1.0, 1.0, 1.0, NAN, NAN, NAN, NAN, NAN]),
            (-INF, [0.0, INF, NAN, 0.0, INF, INF, 0.0, NAN]),
            (-1.0, [0.5, 2.0, 1.0, 0.0, INF, INF, 0.0, NAN]),
            (NAN,  [NAN; 8]),
            (2.0,  [4.0, 0.25, 1.0, INF, 0.0, 0.0, NAN, NAN]),
        ];
        for (power, cells) in rows {
            for (base, wanted) in bases.into_iter().zip(cells) {
                let got = of(Function::Pow, false, base, *power);
                assert!(same(got, *wanted), "{base}^{power}: {got}, not {wanted}");
            }
            let denormal = of(Function::Pow, false, -DEN, *power);
            assert!(same(denormal, cells[5]), "denormal^{power}");
        }
    }

    #[test]
    fn special_values_of_pow_in_alt_mode() {
        // Columns: +F, +0, −0, −F, NaN.
        let bases = [2.0, 0.0, -DEN, -2.0, NAN];
        let rows: &[(f32, [f32; 5])] = &[
            (0.0, [1.0, 1.0, 1.0, 1.0, NAN]),
            (-DEN, [1.0, 1.0, 1.0, 1.0, NAN]),
            (-1.0, [0.5, MAX, MAX, 0.5, NAN]),
            (NAN, [NAN; 5]),
            (2.0, [4.0, 0.0, 0.0, 4.0, NAN]),
        ];
        for (power, cells) in rows {
            for (base, wanted) in bases.into_iter().zip(cells) {
                let got = of(Function::Pow, true, base, *power);
                assert!(same(got, *wanted), "{base}^{power}: {got}, not {wanted}");
            }
        }
    }

    #[test]
    fn no_result_of_alt_mode_is_infinite() {
        let odd = [
            0.0, -0.0, DEN, 1.0, -1.0, MAX, -MAX, 1.0e-38, 1.0e38, INF, -INF,
        ];
        for row in FUNCTIONS.iter().filter(|r| r.bound != Bound::Exact) {
            for a in odd {
                for b in odd {
                    assert!(
                        !of(row.function, true, a, b).is_infinite(),
                        "{} {a} {b}",
                        row.name
                    );
                }
            }
        }
    }

    #[test]
    fn signs_of_integer_division() {
        // 7 = 2·3 + 1; quotients round toward zero, remainders take the sign of the numerator.
        let signed = |n: i32, d: i32| divide(true, n as u32, d as u32).map(|v| v as i32);
        assert_eq!(signed(7, 3), [2, 1]);
        assert_eq!(signed(7, -3), [-2, 1]);
        assert_eq!(signed(-7, 3), [-2, -1]);
        assert_eq!(signed(-7, -3), [2, -1]);
        assert_eq!(signed(0, 3), [0, 0]);
        assert_eq!(signed(0, -3), [0, 0]);
        assert_eq!(signed(i32::MIN, -1), [i32::MIN, 0]);
        assert_eq!(divide(false, 0xffff_fff9, 3), [0x5555_5553, 0]);
        assert_eq!(divide(false, 0, 3), [0, 0]);
    }

    #[test]
    fn integers_by_zero() {
        assert_eq!(divide(true, 5, 0), [0x7fff_ffff; 2]);
        assert_eq!(divide(true, 0, 0), [0x7fff_ffff; 2]);
        assert_eq!(divide(true, -5i32 as u32, 0), [0x8000_0000; 2]);
        assert_eq!(divide(false, 5, 0), [0xffff_ffff; 2]);
        assert_eq!(divide(false, 0, 0), [0xffff_ffff; 2]);
    }

    fn control(function: Function) -> Control {
        Control {
            function,
            signed: true,
            partial: false,
            saturate: false,
            scalar: false,
        }
    }

    #[test]
    fn only_enabled_channels_are_written() {
        let mut operands = [[0; 16]; 2];
        operands[0] = std::array::from_fn(|i| (i as f32 + 1.0).to_bits());
        let mut results = [[7; 16]; 2];
        control(Function::Inv).compute(false, 0x8001, &operands, &mut results);
        // 1/1 and 1/16; channels 1 to 14 stay.
        assert_eq!(results[0][0], 1.0f32.to_bits());
        assert_eq!(results[0][15], 0.0625f32.to_bits());
        assert_eq!(results[0][1..15], [7; 14]);
    }

    #[test]
    fn a_scalar_serves_its_group_even_when_it_is_off() {
        let mut operands = [[0; 16]; 2];
        operands[0] = std::array::from_fn(|i| ((i * i) as f32).to_bits());
        let mut results = [[7; 16]; 2];
        let scalar = Control {
            scalar: true,
            ..control(Function::Sqrt)
        };
        // Channels 2 and 3 take channel 0 (0), channels 4 and 5 channel 4 (4² = 16, root 4).
        scalar.compute(false, 0b11_1100, &operands, &mut results);
        let floats: Vec<f32> = results[0][2..6]
            .iter()
            .map(|v| f32::from_bits(*v))
            .collect();
        assert_eq!(floats, [0.0, 0.0, 4.0, 4.0]);
        assert_eq!(scalar.elements(0b11_1100), 2);
        assert_eq!(control(Function::Sqrt).elements(0b11_1100), 4);
    }

    #[test]
    fn two_results_and_the_order_of_operands() {
        // Operand 0 is the denominator: 17 by 5 is 3, rest 2.
        let mut operands = [[0; 16]; 2];
        (operands[0][0], operands[1][0]) = (5, 17);
        let mut results = [[0; 16]; 2];
        control(Function::IntDivBoth).compute(false, 1, &operands, &mut results);
        assert_eq!([results[0][0], results[1][0]], [3, 2]);
        // sin 0 = 0, cos 0 = 1.
        operands[0][0] = 0;
        control(Function::SinCos).compute(false, 1, &operands, &mut results);
        assert_eq!([results[0][0], results[1][0]], [0, 1.0f32.to_bits()]);
    }

    #[test]
    fn floats_saturate_and_integers_refuse_to() {
        assert_eq!(single(Function::Inv, false, true, 0.25, 0.0), 1.0);
        assert_eq!(single(Function::Inv, false, true, -4.0, 0.0).to_bits(), 0);
        assert_eq!(single(Function::Log, false, true, -4.0, 0.0).to_bits(), 0);
        let saturated = Control {
            saturate: true,
            ..control(Function::Quotient)
        };
        assert_eq!(
            saturated.check(8),
            Err(Refusal::Saturates("INT DIV, quotient"))
        );
        assert_eq!(
            control(Function::Pow).check(16),
            Err(Refusal::Sixteen("POW"))
        );
        assert_eq!(control(Function::Sin).check(16), Ok(()));
    }

    #[test]
    fn rounds_follow_precision_only_in_alt_mode() {
        let partial = Control {
            partial: true,
            ..control(Function::Log)
        };
        assert_eq!(partial.rounds(true).typical, 2);
        assert_eq!(partial.rounds(false).typical, 3);
        assert_eq!(control(Function::Sin).rounds(false), varied(5, 6, 12));
    }

    #[test]
    fn a_nan_keeps_its_payload() {
        let nan = f32::from_bits(0xff80_1234);
        assert_eq!(of(Function::Exp, false, nan, 0.0).to_bits(), 0xffc0_1234);
        assert_eq!(of(Function::Log, false, -1.0, nan).to_bits(), 0x7fc0_0000);
    }
}
