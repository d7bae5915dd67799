//! Memory written as values: `int:1,2,3`, `uchar:repeat(0)`, `float:ramp(0, 0.5, 64)`, `uint:random(7, 1024)`.
//!
//! ```text
//!  TYPE:ITEM,ITEM…      TYPE: a scalar of OpenCL C
//!   5  -0x10  1.5       one element
//!   repeat(V, N)        N elements of one value
//!   ramp(V, D, N)       V, V + D, V + 2·D … in the arithmetic of the type
//!   random(S, N)        of a seed: all bits of integers, floats from 0 up to 1
//!   random(S, N, L, H)  integers from L to H, floats from L up to H
//!   ..                  of what is expected: an element that is not looked at; repeat(.., N) as well
//! ```
//!
//! N may be left out of the last item where the size of the memory is known: it fills what is left. So does a size
//! with fewer values: the rest is zeros.

use super::argument::SCALARS;
use super::{Refused, refuse};
use crate::diagnostic::{Code, counted, nearest};
use half::f16;
use std::ops::Range;

/// What values stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Element by element, the least byte first.
    pub bytes: Vec<u8>,
    /// Elements that are not looked at.
    pub skipped: Vec<Range<usize>>,
    /// The type by its name in OpenCL C.
    pub scalar: &'static str,
}

/// One of the items between commas; `None` stands for as many as there is room for.
enum Item<'t> {
    Skipped(Option<u64>),
    Repeat(&'t str, Option<u64>),
    Ramp(&'t str, &'t str, Option<u64>),
    Random(u64, Option<u64>, Option<(&'t str, &'t str)>),
}

fn wrong(what: impl Into<String>) -> Refused {
    let mut refused = refuse(Code::E0642, what);
    refused.help =
        Some("int:1,2,3, float:ramp(0, 0.5, 64), uchar:repeat(255), uint:random(7)".to_string());
    refused
}

/// Whether a word names the type of values.
pub fn is_scalar(word: &str) -> bool {
    SCALARS.iter().any(|row| row.0 == word)
}

/// The name in `launch.json` of a scalar type of OpenCL C: `i32` of `int`.
pub fn element_type(scalar: &str) -> String {
    let row = SCALARS.iter().find(|row| row.0 == scalar);
    let (bits, float) = row.map_or((8, false), |row| (8 * row.1, row.2));
    let letter = match (float, scalar.starts_with('u')) {
        (true, _) => 'f',
        (false, true) => 'u',
        (false, false) => 'i',
    };
    format!("{letter}{bits}")
}

/// The row of [`SCALARS`] that the type of values is, and the values.
///
/// # Errors
/// `E0642`: no type, or none of OpenCL C.
pub(super) fn typed(text: &str) -> Result<(&'static (&'static str, u32, bool), &str), Refused> {
    let (scalar, items) = text
        .split_once(':')
        .ok_or_else(|| wrong(format!("`{text}` is not TYPE:VALUES")))?;
    if let Some(row) = SCALARS.iter().find(|row| row.0 == scalar) {
        return Ok((row, items));
    }
    let mut refused = wrong(format!("`{scalar}` is not a scalar type of OpenCL C"));
    let meant = nearest(scalar, SCALARS.iter().map(|row| row.0));
    refused.help = meant
        .map(|meant| format!("did you mean {meant}?"))
        .or(refused.help);
    Err(refused)
}

/// Reads `TYPE:ITEM,ITEM…`.
///
/// * `size`: bytes of the memory, where they are known.
///
/// # Errors
/// `E0642`: the words have no meaning, or do not fit; `L0640`: they are more than visim gives.
pub fn contents(text: &str, size: Option<u64>) -> Result<Contents, Refused> {
    let (&(scalar, width, _), items) = typed(text)?;
    let items = cut(items)
        .into_iter()
        .map(item)
        .collect::<Result<Vec<_>, _>>()?;
    let room = match size {
        Some(size) if !size.is_multiple_of(u64::from(width)) => {
            let all = counted(size, "byte");
            return Err(wrong(format!("{all} hold no whole number of {scalar}")));
        }
        size => size.map(|size| size / u64::from(width)),
    };
    let mut filler = Filler {
        made: Contents {
            bytes: Vec::new(),
            skipped: Vec::new(),
            scalar,
        },
        width: width as usize,
        room,
    };
    let last = items.len() - 1;
    for (number, item) in items.into_iter().enumerate() {
        filler.add(&item, number == last)?;
    }
    if let Some(size) = size {
        filler.made.bytes.resize(super::json::limited(size)?, 0);
    }
    Ok(filler.made)
}

/// The items between commas, those inside parentheses left alone.
fn cut(text: &str) -> Vec<&str> {
    let (mut items, mut from, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[from..].trim());
    items
}

fn item(text: &str) -> Result<Item<'_>, Refused> {
    let bad = || wrong(format!("`{text}` is not a value"));
    let Some((name, inner)) = text.split_once('(') else {
        return Ok(match text {
            "" => return Err(wrong("a value is missing")),
            ".." => Item::Skipped(Some(1)),
            one => Item::Repeat(one, Some(1)),
        });
    };
    let inner = inner.strip_suffix(')').ok_or_else(bad)?;
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let number = |word: &str| {
        let count = word.parse::<u64>();
        count.map_err(|_| wrong(format!("`{word}` in `{text}` is not a number")))
    };
    let count = |at: usize| parts.get(at).map(|word| number(word)).transpose();
    Ok(match (name.trim(), &parts[..]) {
        ("repeat", [".."] | ["..", _]) => Item::Skipped(count(1)?),
        ("repeat", [value] | [value, _]) => Item::Repeat(value, count(1)?),
        ("ramp", [first, step] | [first, step, _]) => Item::Ramp(first, step, count(2)?),
        ("random", [seed] | [seed, _]) => Item::Random(number(seed)?, count(1)?, None),
        ("random", [seed, _, low, high]) => {
            Item::Random(number(seed)?, count(1)?, Some((low, high)))
        }
        _ => return Err(bad()),
    })
}

/// Puts items one after the other.
struct Filler {
    made: Contents,
    /// Bytes of an element.
    width: usize,
    /// Elements in all, where that is known.
    room: Option<u64>,
}

impl Filler {
    fn add(&mut self, item: &Item<'_>, last: bool) -> Result<(), Refused> {
        let there = (self.made.bytes.len() / self.width) as u64;
        let (Item::Skipped(count)
        | Item::Repeat(_, count)
        | Item::Ramp(_, _, count)
        | Item::Random(_, count, _)) = *item;
        let count = match (count, self.room) {
            (Some(count), Some(room)) if count > room.saturating_sub(there) => {
                let what = format!("more values than {} of {}", room, self.made.scalar);
                return Err(wrong(what));
            }
            (Some(count), _) => count,
            (None, Some(room)) if last => room - there,
            (None, Some(_)) => return Err(wrong("only the last item may be without a count")),
            (None, None) => return Err(wrong("how many there are is missing: no size is known")),
        };
        super::json::limited(
            there
                .saturating_add(count)
                .saturating_mul(self.width as u64),
        )?;
        let scalar = self.made.scalar;
        let read = |word: &str| {
            scalar_bytes(scalar, word).ok_or_else(|| wrong(format!("`{word}` is not a {scalar}")))
        };
        match *item {
            Item::Skipped(_) => {
                let start = there as usize;
                self.made.skipped.push(start..start + count as usize);
                let bytes = self.made.bytes.len() + count as usize * self.width;
                self.made.bytes.resize(bytes, 0);
            }
            Item::Repeat(value, _) => {
                let value = read(value)?;
                let all = value.iter().copied().cycle();
                self.made
                    .bytes
                    .extend(all.take(value.len() * count as usize));
            }
            Item::Ramp(first, step, _) => {
                let (first, step) = (Number::read(scalar, first)?, Number::read(scalar, step)?);
                for at in 0..count {
                    let bytes = first.add(step, at).bytes(scalar);
                    self.made.bytes.extend(bytes);
                }
            }
            Item::Random(seed, _, range) => {
                let range = range.map(|(low, high)| {
                    Ok::<_, Refused>((Number::read(scalar, low)?, Number::read(scalar, high)?))
                });
                let range = range.transpose()?;
                let mut state = seed;
                for _ in 0..count {
                    let bytes = Number::random(scalar, &mut state, range)?.bytes(scalar);
                    self.made.bytes.extend(bytes);
                }
            }
        }
        Ok(())
    }
}

/// A number of either kind.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    fn read(scalar: &str, word: &str) -> Result<Number, Refused> {
        let bad = || wrong(format!("`{word}` is not a {scalar}"));
        if is_float(scalar) {
            return word.parse().map(Number::Float).map_err(|_| bad());
        }
        integer(word).map(Number::Integer).ok_or_else(bad)
    }

    /// `self + step * times`.
    fn add(self, step: Number, times: u64) -> Number {
        match (self, step) {
            (Number::Float(a), Number::Float(b)) => Number::Float(b.mul_add(times as f64, a)),
            (Number::Integer(a), Number::Integer(b)) => {
                Number::Integer(a.wrapping_add(b.wrapping_mul(i128::from(times))))
            }
            (own, _) => own,
        }
    }

    /// The next number of a seed. SplitMix64: the same on every machine and in every release.
    fn random(
        scalar: &str,
        state: &mut u64,
        range: Option<(Number, Number)>,
    ) -> Result<Number, Refused> {
        let bits = split_mix(state);
        let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
        match range {
            None if is_float(scalar) => Ok(Number::Float(unit)),
            None => Ok(Number::Integer(i128::from(bits))),
            Some((Number::Float(low), Number::Float(high))) if low < high => {
                Ok(Number::Float(low + unit * (high - low)))
            }
            Some((Number::Integer(low), Number::Integer(high))) if low <= high => {
                let span = (high - low + 1) as u128;
                Ok(Number::Integer(low + (u128::from(bits) % span) as i128))
            }
            Some(_) => Err(wrong("random(SEED, COUNT, LOW, HIGH): LOW is below HIGH")),
        }
    }

    /// The bytes in the type: integers wrap, floats round.
    fn bytes(self, scalar: &str) -> Vec<u8> {
        match (self, scalar) {
            (Number::Float(value), "half") => f16::from_f64(value).to_le_bytes().to_vec(),
            (Number::Float(value), "float") => (value as f32).to_le_bytes().to_vec(),
            (Number::Float(value), _) => value.to_le_bytes().to_vec(),
            (Number::Integer(value), _) => {
                let row = SCALARS.iter().find(|row| row.0 == scalar);
                value.to_le_bytes()[..row.map_or(1, |row| row.1 as usize)].to_vec()
            }
        }
    }
}

/// The next 64 bits of a seed. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn is_float(scalar: &str) -> bool {
    SCALARS.iter().any(|row| row.0 == scalar && row.2)
}

/// An integer, decimal or hexadecimal.
fn integer(word: &str) -> Option<i128> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    magnitude.ok().map(|m| if negative { -m } else { m })
}

/// The bytes of a value of a scalar type; `None` if it is none.
pub fn scalar_bytes(kind: &str, word: &str) -> Option<Vec<u8>> {
    let &(_, bytes, float) = SCALARS.iter().find(|row| row.0 == kind)?;
    if float {
        let value = match kind {
            // Read as it is: by way of a double it would be rounded twice.
            "float" => return word.parse::<f32>().ok().map(|v| v.to_le_bytes().to_vec()),
            _ => word.parse().ok()?,
        };
        return Some(Number::Float(value).bytes(kind));
    }
    let value = integer(word)?;
    let bits = 8 * bytes;
    let least = if kind.starts_with('u') {
        0
    } else {
        -(1i128 << (bits - 1))
    };
    // A signed value may be written as the bits it has.
    let fits = value >= least && value < 1i128 << bits;
    fits.then(|| Number::Integer(value).bytes(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(text: &str, size: Option<u64>) -> Vec<i32> {
        let made = contents(text, size).unwrap_or_else(|refused| panic!("{text}: {refused:?}"));
        let (all, rest) = made.bytes.as_chunks::<4>();
        assert!(rest.is_empty());
        all.iter().map(|b| i32::from_le_bytes(*b)).collect()
    }

    #[test]
    fn values_are_put_one_after_the_other() {
        assert_eq!(ints("int:1, -2,0x10", None), [1, -2, 16]);
        assert_eq!(ints("int:repeat(7, 2),1", None), [7, 7, 1]);
        assert_eq!(ints("int:ramp(5, -2, 3)", None), [5, 3, 1]);
        assert_eq!(ints("int:1,repeat(9)", Some(16)), [1, 9, 9, 9]);
        assert_eq!(ints("int:1", Some(12)), [1, 0, 0]);
        let floats = contents("float:ramp(0, 0.25)", Some(12))
            .expect("floats")
            .bytes;
        let wanted: Vec<u8> = [0f32, 0.25, 0.5]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        assert_eq!(floats, wanted);
        let wraps = contents("uchar:ramp(254, 1, 4)", None)
            .expect("bytes")
            .bytes;
        assert_eq!(wraps, [254, 255, 0, 1]);
    }

    #[test]
    fn random_values_are_those_of_the_seed() {
        // The first outputs of SplitMix64 for seed 1234567, as its authors print them.
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
        let made = contents("ulong:random(1234567, 2)", None)
            .expect("longs")
            .bytes;
        assert_eq!(made[..8], 6_457_827_717_110_365_317u64.to_le_bytes());
        assert!(
            ints("int:random(3, 100, -2, 2)", None)
                .iter()
                .all(|v| (-2..=2).contains(v))
        );
        let floats = contents("float:random(3, 100, 1, 2)", None)
            .expect("floats")
            .bytes;
        let (floats, _) = floats.as_chunks::<4>();
        assert!(
            floats
                .iter()
                .all(|b| (1.0..=2.0).contains(&f32::from_le_bytes(*b)))
        );
    }

    #[test]
    fn elements_may_be_left_out() {
        let made = contents("int:1,..,repeat(..)", Some(20)).expect("values");
        assert_eq!(made.skipped, [1..2, 2..5]);
        assert_eq!((made.bytes.len(), made.scalar), (20, "int"));
        assert_eq!(element_type("ushort"), "u16");
        assert_eq!(
            (element_type("half"), element_type("char")),
            ("f16".into(), "i8".into())
        );
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for (text, size) in [
            ("1,2", None),
            ("inta:1", None),
            ("int:", None),
            ("int:1,,2", None),
            ("int:300000000000", None),
            ("int:repeat(1)", None),
            ("int:repeat(1),2", Some(8)),
            ("int:1,2,3", Some(8)),
            ("int:1", Some(6)),
            ("int:ramp(1, 2, 3, 4)", None),
            ("int:random(x, 4)", None),
            ("int:random(1, 4, 3, 2)", None),
            ("int:repeat(1, 2", None),
            ("int:twice(1, 2)", None),
        ] {
            let refused = contents(text, size).expect_err(text);
            assert_eq!(refused.code, Code::E0642, "{text}");
        }
        let large = contents("char:repeat(0, 99999999999)", None).expect_err("too large");
        assert_eq!(large.code, Code::L0640);
    }
}
