//! Outputs held against what is expected: exactly, by units in the last place, or by distance.
//! Source: launch reference 9; the README of the kernel corpus for the modes.

use super::Refused;
use super::json::Output;
use super::values::{element_type, is_scalar, typed};
use crate::base::order;
use crate::diagnostic::counted;
use half::f16;
use serde_json::{Value, json};
use std::ops::Range;

/// The element types of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Of so many bytes.
    Unsigned(usize),
    /// Of so many bytes.
    Signed(usize),
    /// Of so many bytes.
    Float(usize),
}

impl Element {
    fn named(name: &str) -> Option<Element> {
        let bits = name.get(1..)?.parse::<usize>().ok()?;
        match (name.get(..1)?, bits) {
            ("u", 8 | 16 | 32 | 64) => Some(Element::Unsigned(bits / 8)),
            ("i", 8 | 16 | 32 | 64) => Some(Element::Signed(bits / 8)),
            ("f", 16 | 32 | 64) => Some(Element::Float(bits / 8)),
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

    /// An element for people: integers to the last digit.
    fn words(self, (value, bits): (f64, u64)) -> String {
        let up = 64 - 8 * self.bytes() as u32;
        match self {
            Element::Unsigned(_) => format!("{bits} ({bits:#x})"),
            Element::Signed(_) => format!("{} ({bits:#x})", (bits << up) as i64 >> up),
            Element::Float(_) => format!("{value} ({bits:#x})"),
        }
    }

    /// An element as a number for programs; text where JSON has no such number.
    fn value(self, bits: u64) -> Value {
        let up = 64 - 8 * self.bytes() as u32;
        let (value, _) = self.read(&bits.to_le_bytes()[..self.bytes()]);
        match self {
            Element::Unsigned(_) => json!(bits),
            Element::Signed(_) => json!((bits << up) as i64 >> up),
            Element::Float(_) if value.is_finite() => json!(value),
            Element::Float(_) => json!(value.to_string()),
        }
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

impl Output {
    /// The element type: the one that is named, or that of the values.
    pub fn element_type(&self) -> String {
        let values = self.values.as_deref().and_then(|own| own.split_once(':'));
        match (values, self.dtype.is_empty()) {
            (Some((scalar, _)), true) if is_scalar(scalar) => element_type(scalar),
            _ => self.dtype.clone(),
        }
    }

    /// Elements that are not looked at: `7`, or `8..16` without the last.
    ///
    /// # Errors
    /// A sentence.
    pub fn ignored(&self) -> Result<Vec<Range<usize>>, String> {
        let read = |word: &String| {
            let (first, end) = match word.split_once("..") {
                Some((first, end)) => (first.parse().ok()?, end.parse().ok()?),
                None => {
                    let one: usize = word.parse().ok()?;
                    (one, one.checked_add(1)?)
                }
            };
            (first < end).then_some(first..end)
        };
        let wrong =
            |word: &String| format!("`{word}` is no element such as 7 and no range such as 8..16");
        let words = self.ignore.iter();
        words
            .map(|word| read(word).ok_or_else(|| wrong(word)))
            .collect()
    }
}

/// How outputs may be compared.
const MODES: [&str; 3] = ["exact", "ulp", "absrel"];

impl Output {
    /// Whether the element type and the way to compare have names that are known.
    ///
    /// # Errors
    /// A sentence.
    pub fn readable(&self) -> Result<(), String> {
        if let Some(values) = &self.values {
            let known = |refused: Refused| {
                let help = refused.help.map(|help| format!("; {help}"));
                refused.message + &help.unwrap_or_default()
            };
            typed(values).map_err(known)?;
        }
        let dtype = self.element_type();
        if Element::named(&dtype).is_none() {
            let known = "u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64";
            return Err(match dtype.is_empty() {
                true => format!("`dtype` is missing, the element type: {known}"),
                false => format!("`{dtype}` is not an element type: {known}"),
            });
        }
        if self.file.is_some() == self.values.is_some() {
            return Err("what is expected is in `file` or in `values`, one of them".to_string());
        }
        self.ignored()?;
        let mode = self.compare.mode.as_str();
        if !mode.is_empty() && !MODES.contains(&mode) {
            let known = MODES.join(", ");
            return Err(format!("`{mode}` is not a way to compare: {known}"));
        }
        Ok(())
    }
}

/// An element that is too far away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Its number.
    pub index: usize,
    /// The bits expected.
    pub expected: u64,
    /// The bits that are there.
    pub got: u64,
}

/// Elements that are told one by one: more would need more memory than the outputs themselves.
pub const MOST_KEPT: usize = 1 << 20;

/// Where an output differs from what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The element type.
    pub element: Element,
    /// Its name.
    pub dtype: String,
    /// The elements that are too far away, the first [`MOST_KEPT`] of them.
    pub elements: Vec<Differing>,
    /// How many are.
    pub differing: usize,
    /// How many elements there are.
    pub all: usize,
}

impl Difference {
    /// An element for people: index, value, value expected, units in the last place between them.
    pub fn line(&self, one: &Differing) -> String {
        let words = |bits: u64| {
            let bytes = bits.to_le_bytes();
            let read = self.element.read(&bytes[..self.element.bytes()]);
            self.element.words(read)
        };
        let steps = self.element.steps(one.expected, one.got);
        let (index, got, expected) = (one.index, words(one.got), words(one.expected));
        format!(
            "element {index} ({}) is {got}, expected {expected}, {steps} ulp",
            self.dtype
        )
    }

    /// An element for programs.
    pub fn json(&self, one: &Differing) -> Value {
        json!({
            "index": one.index,
            "expected": self.element.value(one.expected),
            "got": self.element.value(one.got),
            "ulp": self.element.steps(one.expected, one.got),
        })
    }

    /// The first elements, and how many there are.
    pub fn summary(&self, most: usize) -> Vec<String> {
        let count = self.differing;
        let mut lines: Vec<String> = self
            .elements
            .iter()
            .take(most)
            .map(|e| self.line(e))
            .collect();
        if let Some(first) = lines.first_mut() {
            first.push_str(&format!("; {count} of {} differ", self.all));
        }
        if count > most && most > 0 {
            lines.push(format!("… {} more", count - most));
        }
        lines
    }
}

/// Ranges in order, those that touch joined.
fn joined(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ranges = ranges.to_vec();
    order::sort_by_key(&mut ranges, |range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Whether one of the joined ranges holds a number.
fn lies_in(joined: &[Range<usize>], index: usize) -> bool {
    let next = joined.partition_point(|range| range.end <= index);
    joined.get(next).is_some_and(|range| range.start <= index)
}

/// Compares the bytes of an output with those expected.
///
/// * `skipped`: elements that are not looked at.
///
/// # Errors
/// A sentence: they cannot be compared.
pub fn compare(
    output: &Output,
    expected: &[u8],
    skipped: &[Range<usize>],
    got: &[u8],
) -> Result<Option<Difference>, String> {
    let dtype = output.element_type();
    let Some(element) = Element::named(&dtype) else {
        return Err(format!("`{dtype}` is not an element type"));
    };
    if expected.len() != got.len() {
        return Err(format!(
            "{} expected, {} there",
            counted(expected.len(), "byte"),
            got.len()
        ));
    }
    let rule = &output.compare;
    let near = |e: (f64, u64), g: (f64, u64)| match rule.mode.as_str() {
        "ulp" => element.steps(e.1, g.1) as f64 <= rule.max || (e.0 - g.0).abs() <= rule.abs,
        "absrel" => (e.0 - g.0).abs() <= rule.abs + rule.rel * e.0.abs() || e.0 == g.0,
        _ => false,
    };
    let skipped = joined(skipped);
    let (mut elements, mut differing) = (Vec::new(), 0);
    let size = element.bytes();
    let pairs = expected.chunks(size).zip(got.chunks(size));
    for (index, (e, g)) in pairs.enumerate().filter(|(_, (e, g))| e != g) {
        let (e, g) = (element.read(e), element.read(g));
        let both_nan = matches!(element, Element::Float(_)) && e.0.is_nan() && g.0.is_nan();
        if both_nan || near(e, g) || lies_in(&skipped, index) {
            continue;
        }
        differing += 1;
        if differing <= MOST_KEPT {
            elements.push(Differing {
                index,
                expected: e.1,
                got: g.1,
            });
        }
    }
    Ok((!elements.is_empty()).then_some(Difference {
        element,
        dtype,
        elements,
        differing,
        all: expected.len() / size,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::json::Compare;

    fn output(dtype: &str, compare: Compare) -> Output {
        Output {
            arg: 0,
            file: Some(String::new()),
            values: None,
            ignore: Vec::new(),
            dtype: dtype.to_string(),
            compare,
        }
    }

    /// Whether they agree; if not, what the first difference is.
    fn compare(rule: &Output, expected: &[u8], got: &[u8]) -> Result<(), String> {
        let difference = super::compare(rule, expected, &[], got)?;
        difference.map_or(Ok(()), |d| Err(d.summary(1)[0].clone()))
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
    fn every_element_that_differs_is_told_but_those_left_out() {
        let mut rule = output("u8", Compare::default());
        let difference = super::compare(&rule, &[1, 2, 3, 4], &[2..3, 8..9], &[9, 2, 9, 9]);
        let difference = difference.expect("comparable").expect("they differ");
        let places: Vec<usize> = difference.elements.iter().map(|e| e.index).collect();
        assert_eq!(places, [0, 3]);
        let told = difference.summary(1);
        assert_eq!(
            told[0],
            "element 0 (u8) is 9 (0x9), expected 1 (0x1), 8 ulp; 2 of 4 differ"
        );
        assert_eq!(told[1], "… 1 more");
        let one = difference.json(&difference.elements[1]);
        assert_eq!(
            one,
            serde_json::json!({"index": 3, "expected": 4, "got": 9, "ulp": 5})
        );
        rule.ignore = vec!["7".to_string(), "8..16".to_string()];
        assert_eq!(rule.ignored(), Ok(vec![7..8, 8..16]));
        let all = joined(&[8..16, 20..21, 7..8, 9..10]);
        assert_eq!(all, [7..16, 20..21]);
        let inside = [6, 7, 15, 16, 20, 21].map(|index| lies_in(&all, index));
        assert_eq!(inside, [false, true, true, false, true, false]);
        for word in ["x", "9..8", "-1", "4.."] {
            rule.ignore = vec![word.to_string()];
            assert!(rule.ignored().is_err(), "{word}");
        }
    }

    #[test]
    fn names_are_those_of_the_schema() {
        let rule = |dtype: &str, mode: &str| {
            let mode = mode.to_string();
            let compare = Compare {
                mode,
                ..Compare::default()
            };
            output(dtype, compare).readable()
        };
        assert_eq!(rule("f32", ""), Ok(()));
        assert_eq!(rule("i64", "absrel"), Ok(()));
        assert!(rule("f33", "exact").is_err_and(|why| why.contains("`f33`")));
        assert!(rule("f32", "about").is_err_and(|why| why.contains("`about`")));
    }

    #[test]
    fn integers_are_told_to_the_last_digit() {
        let rule = output("i64", Compare::default());
        let (expected, got) = (8_957_088_852_432_733_481i64, 8_957_088_852_432_733_482i64);
        let wrong = compare(&rule, &expected.to_le_bytes(), &got.to_le_bytes());
        let why = wrong.expect_err("they differ");
        assert!(
            why.contains("733482 (") && why.contains("733481 ("),
            "{why}"
        );
        let wrong = compare(&rule, &(-1i64).to_le_bytes(), &(-2i64).to_le_bytes());
        assert!(wrong.is_err_and(|why| why.starts_with("element 0 (i64) is -2 (")));
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
