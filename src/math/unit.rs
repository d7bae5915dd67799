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
pub use super::table::{Bound, FUNCTIONS, Function, FunctionInfo, Rounds};
use thiserror::Error;

/// What the descriptor of a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
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
