//! `a · b + c` of doubles, exactly: for results that are rounded in a direction, where it counts on which side of
//! the nearest double the exact value lies, however far below it.
//!
//! ```text
//!  magnitude · 2^exponent, and a little more if `more`        126 bits of the larger term, the rest is `more`
//! ```
//!
//! Source: IEEE 754; vISA text reference 3 (`%cr0`), 6.5.

use crate::exec::state::float_mode::Rounding;

/// An exact value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    negative: bool,
    magnitude: u128,
    exponent: i32,
    /// Less than one in the last place lies after it.
    more: bool,
    /// Both terms have the sign, or one is none: so does a sum of zero.
    alike: bool,
}

/// Bits that the larger of two terms is widened to. Terms have up to 106; where they cancel out they begin within
/// a bit of each other, so that none of them is lost.
const WIDE: i32 = 126;

/// The exponent of the smallest double.
const LEAST: i32 = -1074;

/// Sign, magnitude and exponent of a finite double.
const fn parts(value: f64) -> (bool, u128, i32) {
    let bits = value.to_bits();
    let (field, fraction) = (
        (bits >> 52 & 0x7ff) as i32,
        (bits & ((1 << 52) - 1)) as u128,
    );
    let (magnitude, exponent) = match field {
        0 => (fraction, LEAST),
        _ => (fraction | 1 << 52, field - 1 + LEAST),
    };
    (bits >> 63 == 1, magnitude, exponent)
}

const fn bits_of(magnitude: u128) -> i32 {
    128 - magnitude.leading_zeros() as i32
}

/// A term so that its highest bit is the last of [`WIDE`] ones.
const fn widened((magnitude, exponent): (u128, i32)) -> (u128, i32) {
    let by = WIDE - bits_of(magnitude);
    (magnitude << by, exponent - by)
}

impl Exact {
    /// `a · b + c`; `None` if one of them is not finite.
    pub fn new(a: f64, b: f64, c: f64) -> Option<Exact> {
        if ![a, b, c].iter().all(|v| v.is_finite()) {
            return None;
        }
        let ((sign_a, a, ea), (sign_b, b, eb), (sign_c, c, ec)) = (parts(a), parts(b), parts(c));
        let sign = sign_a != sign_b;
        let (product, c) = ((a * b, ea + eb), (c, ec));
        let alike = sign == sign_c;
        let only = |negative: bool, (magnitude, exponent): (u128, i32)| Exact {
            negative,
            magnitude,
            exponent,
            more: false,
            alike,
        };
        if product.0 == 0 {
            return Some(only(sign_c, c));
        }
        if c.0 == 0 {
            return Some(only(sign, product));
        }
        let top = |(magnitude, exponent): (u128, i32)| bits_of(magnitude) + exponent;
        let (large, small, negative) = match top(product) >= top(c) {
            true => (product, c, sign),
            false => (c, product, sign_c),
        };
        let (large, exponent) = widened(large);
        let (small, below) = widened(small);
        // Never negative: the larger term begins at least as high.
        let by = (exponent - below).cast_unsigned();
        let kept = small.checked_shr(by).unwrap_or(0);
        let more = by > 0 && small.trailing_zeros() < by;
        let (negative, magnitude) = match alike {
            true => (negative, large + kept),
            // One less, and something back.
            false if large >= kept + u128::from(more) => {
                (negative, large - kept - u128::from(more))
            }
            false => (!negative, kept - large),
        };
        Some(Exact {
            negative,
            magnitude,
            exponent,
            more,
            alike,
        })
    }

    /// A number of its sign; 0 for zero.
    pub const fn sign(&self) -> f64 {
        match (self.magnitude, self.more, self.negative) {
            (0, false, _) => 0.0,
            (_, _, true) => -1.0,
            _ => 1.0,
        }
    }

    /// The double next to it in a direction; that toward zero stands for nearest, which hosts do themselves.
    pub fn rounded(&self, rounding: Rounding) -> f64 {
        if self.magnitude == 0 && !self.more {
            let negative = match self.alike {
                true => self.negative,
                // A sum of opposites is negative in this mode alone.
                false => rounding == Rounding::Down,
            };
            return if negative { -0.0 } else { 0.0 };
        }
        let away = match rounding {
            Rounding::Up => !self.negative,
            Rounding::Down => self.negative,
            _ => false,
        };
        let last = (bits_of(self.magnitude) + self.exponent - 53).max(LEAST);
        let drop = last - self.exponent;
        let kept = match drop {
            ..0 => self.magnitude << -drop,
            _ => self
                .magnitude
                .checked_shr(drop.cast_unsigned())
                .unwrap_or(0),
        };
        let inexact =
            self.more || drop > 0 && self.magnitude.trailing_zeros() < drop.cast_unsigned();
        let kept = kept + u128::from(inexact && away);
        let magnitude = if bits_of(kept) + last > 1024 {
            if away { f64::INFINITY } else { f64::MAX }
        } else {
            // In two steps, of which none leaves what a double can hold.
            let half = last / 2;
            kept as f64 * 2f64.powi(half) * 2f64.powi(last - half)
        };
        if self.negative { -magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
        Exact::new(a, b, c).expect("finite").rounded(rounding)
    }

    #[test]
    fn what_is_far_below_the_last_place_counts() {
        let tiny = 2f64.powi(-63);
        // 2 + 2^-126.
        assert_eq!(rounded(tiny, tiny, 2.0, Rounding::Up), 2f64.next_up());
        assert_eq!(rounded(tiny, tiny, 2.0, Rounding::Zero), 2.0);
        // 2 - 2^-126.
        assert_eq!(rounded(-tiny, tiny, 2.0, Rounding::Zero), 2f64.next_down());
        assert_eq!(rounded(-tiny, tiny, 2.0, Rounding::Up), 2.0);
        // Below the smallest double.
        let least = f64::from_bits(1);
        assert_eq!(rounded(tiny, least, 0.0, Rounding::Up), least);
        assert_eq!(rounded(-tiny, least, -0.0, Rounding::Up).to_bits(), 1 << 63);
        assert_eq!(rounded(-tiny, least, 0.0, Rounding::Down), -least);
        // And beyond the largest.
        assert_eq!(rounded(f64::MAX, 2.0, 0.0, Rounding::Zero), f64::MAX);
        assert_eq!(rounded(f64::MAX, 2.0, 0.0, Rounding::Up), f64::INFINITY);
        assert_eq!(rounded(f64::MAX, -2.0, 0.0, Rounding::Up), f64::MIN);
        assert_eq!(rounded(f64::MAX, 1.0, least, Rounding::Up), f64::INFINITY);
    }

    #[test]
    fn a_sum_of_opposites_has_the_sign_of_the_mode() {
        let bits = |rounding| rounded(3.0, 0.5, -1.5, rounding).to_bits();
        assert_eq!(
            [Rounding::Up, Rounding::Down, Rounding::Zero].map(bits),
            [0, 1 << 63, 0]
        );
        assert_eq!(rounded(0.0, 1.0, 0.0, Rounding::Down).to_bits(), 0);
        assert_eq!(rounded(-0.0, 1.0, -0.0, Rounding::Up).to_bits(), 1 << 63);
    }

    /// Doubles of every size, many of which meet.
    fn double() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            (-60..60i32, -9..10i32).prop_map(|(e, m)| f64::from(m) * 2f64.powi(e)),
            (0..4u64, any::<bool>()).prop_map(|(m, s)| f64::from_bits(m | u64::from(s) << 63)),
        ]
        .prop_filter("finite", |v| v.is_finite())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The host's nearest double lies between both directions, which are neighbours unless it is exact.
        #[test]
        fn nearest_lies_between_down_and_up(a in double(), b in double(), c in double()) {
            let nearest = a.mul_add(b, c);
            let [up, down, zero] =
                [Rounding::Up, Rounding::Down, Rounding::Zero].map(|r| rounded(a, b, c, r));
            prop_assert!(down <= nearest && nearest <= up, "{down:e} {nearest:e} {up:e}");
            prop_assert!(down == up || down.next_up() == up, "{down:e} {up:e}");
            prop_assert_eq!(zero, if nearest.is_sign_negative() { up } else { down });
            let rest = Exact::new(a, b, c).expect("finite").sign();
            prop_assert!(rest == 0.0 && up == 0.0 || rest * up >= 0.0 && rest * down >= 0.0);
        }
    }
}
