//! Outputs held against what is expected: exactly, by units in the last place, or by distance.
//! Source: launch reference 9; the README of the kernel corpus for the modes.

use super::json::Output;
use half::f16;

/// The element types of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Unsigned(usize),
    Signed(usize),
    Float(usize),
}

impl Element {
    fn named(name: &str) -> Option<Element> {
        let bytes = name.get(1..)?.parse::<usize>().ok()? / 8;
        match (name.get(..1)?, bytes) {
            ("u", 1 | 2 | 4 | 8) => Some(Element::Unsigned(bytes)),
            ("i", 1 | 2 | 4 | 8) => Some(Element::Signed(bytes)),
            ("f", 2 | 4 | 8) => Some(Element::Float(bytes)),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        let (Element::Unsigned(n) | Element::Signed(n) | Element::Float(n)) = self;
        n
    }

    /// The value and the bits of an element.
    fn read(self, bytes: &[u8]) -> (f64, u64) {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(whole);
        let up = 64 - 8 * bytes.len() as u32;
        let value = match self {
            Element::Unsigned(_) => bits as f64,
            Element::Signed(_) => ((bits << up) as i64 >> up) as f64,
            Element::Float(8) => f64::from_bits(bits),
            Element::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Element::Float(_) => f16::from_bits(bits as u16).to_f64(),
        };
        (value, bits)
    }

    /// How many values of the type lie between two: the zeros are one value.
    fn steps(self, a: u64, b: u64) -> u64 {
        let up = 64 - 8 * self.bytes() as u32;
        let line = |bits: u64| match self {
            // Sign and magnitude on one line.
            Element::Float(_) => {
                let magnitude = (bits << up << 1 >> 1 >> up) as i128;
                if bits << up >> 63 != 0 {
                    -magnitude
                } else {
                    magnitude
                }
            }
            Element::Signed(_) => i128::from((bits << up) as i64 >> up),
            Element::Unsigned(_) => i128::from(bits),
        };
        u64::try_from((line(a) - line(b)).unsigned_abs()).unwrap_or(u64::MAX)
    }
}

/// Compares the bytes of an output with those expected.
///
/// # Errors
/// A sentence: the first element that is too far away, and how many are.
pub fn compare(output: &Output, expected: &[u8], got: &[u8]) -> Result<(), String> {
    let Some(element) = Element::named(&output.dtype) else {
        return Err(format!("`{}` is no element type", output.dtype));
    };
    if expected.len() != got.len() {
        return Err(format!(
            "{} bytes are expected, {} are there",
            expected.len(),
            got.len()
        ));
    }
    let rule = &output.compare;
    let near = |e: (f64, u64), g: (f64, u64)| match rule.mode.as_str() {
        "ulp" => element.steps(e.1, g.1) as f64 <= rule.max || (e.0 - g.0).abs() <= rule.abs,
        "absrel" => (e.0 - g.0).abs() <= rule.abs + rule.rel * e.0.abs() || e.0 == g.0,
        _ => false,
    };
    let mut first = None;
    let mut wrong = 0;
    let size = element.bytes();
    let pairs = expected.chunks(size).zip(got.chunks(size));
    for (index, (e, g)) in pairs.enumerate().filter(|(_, (e, g))| e != g) {
        let (e, g) = (element.read(e), element.read(g));
        let both_nan = matches!(element, Element::Float(_)) && e.0.is_nan() && g.0.is_nan();
        if both_nan || near(e, g) {
            continue;
        }
        wrong += 1;
        first.get_or_insert((index, e, g));
    }
    match first {
        None => Ok(()),
        Some((index, e, g)) => Err(format!(
            "element {index} ({}) is {} ({:#x}), expected {} ({:#x}); {wrong} of {} differ",
            output.dtype,
            g.0,
            g.1,
            e.0,
            e.1,
            expected.len() / size
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::json::Compare;

    fn output(dtype: &str, compare: Compare) -> Output {
        Output {
            arg: 0,
            file: String::new(),
            dtype: dtype.to_string(),
            compare,
        }
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn exact_is_bytes_but_for_nan() {
        let rule = output("f32", Compare::default());
        let nan = f32::from_bits(0x7fc0_0001);
        assert!(compare(&rule, &floats(&[f32::NAN]), &floats(&[nan])).is_ok());
        let wrong = compare(&rule, &floats(&[0.0, 1.0]), &floats(&[-0.0, 1.0]));
        assert!(wrong.is_err_and(|w| w.starts_with("element 0")));
    }

    #[test]
    fn units_in_the_last_place_cross_zero() {
        let ulp = |max: f64| {
            let mode = "ulp".to_string();
            output(
                "f32",
                Compare {
                    mode,
                    max,
                    ..Compare::default()
                },
            )
        };
        // A limit of 0 forgives the sign of zero only.
        assert!(compare(&ulp(0.0), &floats(&[0.0]), &floats(&[-0.0])).is_ok());
        let next = f32::from_bits(1f32.to_bits() + 2);
        assert!(compare(&ulp(2.0), &floats(&[1.0]), &floats(&[next])).is_ok());
        assert!(compare(&ulp(1.0), &floats(&[1.0]), &floats(&[next])).is_err());
        // Two steps from the smallest positive to the smallest negative denormal.
        let tiny = f32::from_bits(1);
        assert!(compare(&ulp(2.0), &floats(&[tiny]), &floats(&[-tiny])).is_ok());
    }

    #[test]
    fn distance_grows_with_the_value() {
        let mode = "absrel".to_string();
        let rule = output(
            "f32",
            Compare {
                mode,
                abs: 0.5,
                rel: 0.1,
                ..Compare::default()
            },
        );
        assert!(compare(&rule, &floats(&[10.0]), &floats(&[11.5])).is_ok());
        assert!(compare(&rule, &floats(&[10.0]), &floats(&[11.6])).is_err());
    }
}
