//! Test patterns: surfaces filled by a short formula.
//!
//! ```text
//!   byte(x,y) = (x + 64*y) mod 256         each byte of a row; x counts bytes, y rows
//!   word(x,y) = x << 8 | y                 each 16 bits, little-endian; x counts words
//!   dword(x,y) = 0x01010101 * x            each 32 bits
//!   float(x,y) = (x + y) / 16              each 32 bits, as a float
//!   rgba(x,y) = x/w, y/h, 0, 1             each texel, converted to the format; numbers 0 to 1
//!   photo(7)                               a picture with slopes, edges and grain; the number is a seed
//! ```
//!
//! Variables: `x`, `y`, `z` (array slice, 3D slice, or plane of a planar surface), `w` and `h` (width and
//! height in texels), `l` (mip level), `s` (sample). Samples are filled all alike unless the formula has an
//! `s`; levels beyond the first only if it has an `l`. Operators from loose to tight: `|`, `xor`, `&`, `<<` `>>`, `+` `-`, `*` `/` `mod`,
//! unary `-`; functions `min(a,b)`, `max(a,b)`, `abs(a)`. `^` is `xor`, `%` is `mod`. Numbers are decimal or
//! hexadecimal; `float` and `rgba` also take decimal fractions and compute in f64, the others in 64-bit
//! integers that wrap, with `/` rounding down and `mod` never negative.

use super::ledger::{Ledger, Short};
use super::texel::encode;
use super::{Image, Kind, Picture, Surface};
use std::convert::Infallible;

/// What is wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct BadPattern {
    /// The values at hand and the rule.
    pub what: String,
    /// Byte of the formula where it shows.
    pub at: usize,
    /// Nothing is wrong with the formula: memory or time is over.
    pub short: Option<Short>,
}

impl From<Short> for BadPattern {
    fn from(short: Short) -> BadPattern {
        BadPattern {
            short: Some(short.clone()),
            ..BadPattern::new(short.to_string(), 0)
        }
    }
}

impl BadPattern {
    fn new(what: impl Into<String>, at: usize) -> BadPattern {
        BadPattern {
            what: what.into(),
            at,
            short: None,
        }
    }
}

/// A formula that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    unit: Unit,
    values: Vec<Term>,
}

/// What one value fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// This many bytes, from an integer.
    Bytes(u32),
    Float,
    Rgba,
    Photo,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Integer(i64),
    Fraction(f64),
    /// One of [`VARIABLES`].
    Variable(usize),
    Two(Operator, Box<(Term, Term)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
enum Operator { Or, Xor, And, Left, Right, Add, Sub, Mul, Div, Mod, Min, Max, /** Of the left side. */ Abs }

/// Binary operators from loose to tight.
const LEVELS: &[&[(&str, Operator)]] = &[
    &[("|", Operator::Or)],
    &[("xor", Operator::Xor), ("^", Operator::Xor)],
    &[("&", Operator::And)],
    &[("<<", Operator::Left), (">>", Operator::Right)],
    &[("+", Operator::Add), ("-", Operator::Sub)],
    &[
        ("*", Operator::Mul),
        ("/", Operator::Div),
        ("mod", Operator::Mod),
        ("%", Operator::Mod),
    ],
];

const VARIABLES: &str = "xyzwhls";

/// What a formula is computed from, in the order of [`VARIABLES`].
type At = [i64; 7];

/// Parentheses may nest this deep.
const MAX_DEPTH: u32 = 64;

/// Operators of a formula: each may make the tree, which is walked by recursion, one deeper.
const MAX_OPERATORS: u32 = 1000;

impl Pattern {
    /// Reads a formula.
    ///
    /// # Errors
    /// [`BadPattern`] with the place.
    pub fn parse(text: &str) -> Result<Pattern, BadPattern> {
        let mut reader = Reader {
            text,
            at: 0,
            depth: 0,
            operators: 0,
        };
        let head = reader.word();
        let unit = match head {
            "byte" => Unit::Bytes(1),
            "word" => Unit::Bytes(2),
            "dword" => Unit::Bytes(4),
            "float" => Unit::Float,
            "rgba" => Unit::Rgba,
            "photo" => Unit::Photo,
            _ => {
                reader.at = 0;
                return Err(
                    reader.wrong("a formula begins with byte, word, dword, float, rgba or photo")
                );
            }
        };
        let mut values = Vec::new();
        if unit == Unit::Photo {
            values.push(if reader.takes("(") {
                let seed = reader.term(0)?;
                reader.needs(")")?;
                seed
            } else {
                Term::Integer(0)
            });
        } else {
            if reader.takes("(") {
                for (i, name) in ["x", "y", "z"].into_iter().enumerate() {
                    if i > 0 && !reader.takes(",") {
                        break;
                    }
                    reader.needs(name)?;
                }
                reader.needs(")")?;
            }
            reader.needs("=")?;
            values.push(reader.term(0)?);
            while unit == Unit::Rgba && reader.takes(",") {
                values.push(reader.term(0)?);
            }
            if unit == Unit::Rgba && values.len() != 4 {
                return Err(reader.wrong("rgba needs four values: red, green, blue, alpha"));
            }
        }
        reader.blanks();
        if reader.at < text.len() {
            return Err(reader.wrong("something follows the end of the formula"));
        }
        let exact = !matches!(unit, Unit::Float | Unit::Rgba);
        if exact && values.iter().any(Term::has_fraction) {
            return Err(reader.wrong("a decimal fraction needs float or rgba"));
        }
        Ok(Pattern { unit, values })
    }

    /// Fills the most detailed level of a surface, all slices, samples and planes; every level if the
    /// formula asks which.
    ///
    /// # Errors
    /// [`BadPattern`] if the formula divides by zero somewhere, the surface's format cannot be written
    /// by texels (`rgba`, `photo`), or the time is over ([`Ledger::on_time`]).
    pub fn fill(&self, surface: &Surface) -> Result<(), BadPattern> {
        let d = surface.description();
        let (w, h) = (i64::from(d.width), i64::from(d.height));
        match self.unit {
            Unit::Photo => {
                let seed = self.values[0].integer(&[0, 0, 0, w, h, 0, 0])?;
                let refused = |e: super::Refused| BadPattern::new(e.what, 0);
                let pixels = u64::from(d.width) * u64::from(d.height);
                let _charge = Ledger::take(pixels * size_of::<[u16; 4]>() as u64)?;
                let picture = picture_of(d.width, d.height, seed as u32, on_time)?;
                return picture.store(surface).map_err(refused);
            }
            Unit::Rgba => return self.fill_texels(surface),
            _ => {}
        }
        if d.kind == Kind::Null {
            return Ok(());
        }
        let planes: Vec<Surface> = (0..3).map_while(|n| surface.plane(n)).collect();
        for (p, part) in planes.iter().enumerate() {
            for image in self.images(part) {
                let (row, all) = (
                    part.row_bytes_of(image.level),
                    part.image_bytes(image.level),
                );
                let rows = all.checked_div(row).unwrap_or(0);
                let z = if planes.len() > 1 {
                    p as i64
                } else {
                    i64::from(image.slice)
                };
                let mut bytes = Vec::with_capacity(all);
                for y in 0..rows {
                    on_time()?;
                    let (l, s) = (image.level.into(), image.sample.into());
                    self.line(row, [0, y as i64, z, w, h, l, s], &mut bytes)?;
                }
                part.set_image(image, &bytes);
            }
        }
        Ok(())
    }

    /// The images of a surface that the formula fills.
    fn images<'a>(&self, surface: &'a Surface) -> impl Iterator<Item = Image> + use<'a> {
        let levels = self.values.iter().any(|value| value.names(LEVEL));
        surface
            .images()
            .filter(move |image| levels || image.level == 0)
    }

    /// Appends one row of `row` bytes.
    fn line(&self, row: usize, mut at: At, bytes: &mut Vec<u8>) -> Result<(), BadPattern> {
        let end = bytes.len() + row;
        let value = &self.values[0];
        while bytes.len() < end {
            let (word, size) = match self.unit {
                Unit::Float => (u64::from((value.real(&at)? as f32).to_bits()), 4),
                Unit::Bytes(size) => (value.integer(&at)? as u64, size as usize),
                _ => (0, 1),
            };
            let size = size.min(end - bytes.len());
            bytes.extend_from_slice(&word.to_le_bytes()[..size]);
            at[0] += 1;
        }
        Ok(())
    }

    fn fill_texels(&self, surface: &Surface) -> Result<(), BadPattern> {
        let d = surface.description();
        let fail = |what: String| Err(BadPattern::new(what, 0));
        if d.kind == Kind::Null || (!d.format.is_packed_422() && encode(d.format, [0; 4]).is_none())
        {
            return fail(format!(
                "texels of {} cannot be written; use byte, word or dword",
                d.format
            ));
        }
        for image in self.images(surface) {
            let (width, height, _) = surface.level_size(image.level);
            let (level, slice, sample) = (d.min_lod + image.level, image.slice, image.sample);
            for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                if x == 0 {
                    on_time()?;
                }
                let at = [x, y, slice, d.width, d.height, image.level, sample].map(i64::from);
                let mut rgba = [0; 4];
                for (channel, value) in rgba.iter_mut().zip(&self.values) {
                    let value = value.real(&at)?;
                    *channel = match d.format.returns {
                        super::format::Returns::AsUint => value as u32,
                        super::format::Returns::AsSint => value as i32 as u32,
                        _ => (value as f32).to_bits(),
                    };
                }
                surface.store_sample(level, slice, x, y, sample, rgba);
            }
        }
        Ok(())
    }
}

/// Whether there is time for one more row.
fn on_time() -> Result<(), BadPattern> {
    Ledger::on_time().map_err(BadPattern::from)
}

/// `l` of [`VARIABLES`].
const LEVEL: usize = 5;

impl Term {
    /// Whether a variable is in it.
    fn names(&self, variable: usize) -> bool {
        match self {
            Term::Variable(index) => *index == variable,
            Term::Two(_, sides) => sides.0.names(variable) || sides.1.names(variable),
            Term::Integer(_) | Term::Fraction(_) => false,
        }
    }

    fn has_fraction(&self) -> bool {
        match self {
            Term::Fraction(_) => true,
            Term::Two(_, sides) => sides.0.has_fraction() || sides.1.has_fraction(),
            _ => false,
        }
    }

    fn integer(&self, at: &At) -> Result<i64, BadPattern> {
        Ok(match self {
            Term::Integer(value) => *value,
            Term::Fraction(value) => *value as i64,
            Term::Variable(index) => at[*index],
            Term::Two(operator, sides) => {
                let (a, b) = (sides.0.integer(at)?, sides.1.integer(at)?);
                match operator {
                    Operator::Or => a | b,
                    Operator::Xor => a ^ b,
                    Operator::And => a & b,
                    Operator::Left => a.checked_shl(b.clamp(0, 64) as u32).unwrap_or(0),
                    Operator::Right => a >> b.clamp(0, 63),
                    Operator::Add => a.wrapping_add(b),
                    Operator::Sub => a.wrapping_sub(b),
                    Operator::Mul => a.wrapping_mul(b),
                    Operator::Div | Operator::Mod if b == 0 => return Err(by_zero(at)),
                    Operator::Div => a.wrapping_sub(a.wrapping_rem_euclid(b)).wrapping_div(b),
                    Operator::Mod => a.wrapping_rem_euclid(b),
                    Operator::Min => a.min(b),
                    Operator::Max => a.max(b),
                    Operator::Abs => a.wrapping_abs(),
                }
            }
        })
    }

    fn real(&self, at: &At) -> Result<f64, BadPattern> {
        Ok(match self {
            Term::Integer(value) => *value as f64,
            Term::Fraction(value) => *value,
            Term::Variable(index) => at[*index] as f64,
            Term::Two(operator, sides) => {
                let (a, b) = (sides.0.real(at)?, sides.1.real(at)?);
                match operator {
                    Operator::Add => a + b,
                    Operator::Sub => a - b,
                    Operator::Mul => a * b,
                    Operator::Div | Operator::Mod if b == 0.0 => return Err(by_zero(at)),
                    Operator::Div => a / b,
                    Operator::Mod => a - b * (a / b).floor(),
                    Operator::Min => a.min(b),
                    Operator::Max => a.max(b),
                    Operator::Abs => a.abs(),
                    // Bits of the whole parts.
                    bits => {
                        let sides = Box::new((Term::Integer(a as i64), Term::Integer(b as i64)));
                        Term::Two(*bits, sides).integer(at)? as f64
                    }
                }
            }
        })
    }
}

fn by_zero(at: &At) -> BadPattern {
    let [x, y, z, ..] = at;
    BadPattern::new(format!("division by zero at x = {x}, y = {y}, z = {z}"), 0)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    operators: u32,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn wrong(&self, what: impl Into<String>) -> BadPattern {
        BadPattern::new(what, self.at)
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn word(&mut self) -> &'a str {
        self.blanks();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes a sign, or a whole word.
    fn takes(&mut self, wanted: &str) -> bool {
        self.blanks();
        let Some(rest) = self.rest().strip_prefix(wanted) else {
            return false;
        };
        let is_word = wanted.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_word && rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return false;
        }
        self.at += wanted.len();
        true
    }

    fn needs(&mut self, wanted: &str) -> Result<(), BadPattern> {
        if self.takes(wanted) {
            Ok(())
        } else {
            Err(self.wrong(format!("`{wanted}` is missing here")))
        }
    }

    fn term(&mut self, level: usize) -> Result<Term, BadPattern> {
        let Some(operators) = LEVELS.get(level) else {
            return self.factor();
        };
        let mut left = self.term(level + 1)?;
        while let Some(&(_, operator)) = operators.iter().find(|(sign, _)| self.takes(sign)) {
            let right = self.term(level + 1)?;
            left = Term::Two(operator, Box::new((left, right)));
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(self.wrong("the formula is too long"));
            }
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Term, BadPattern> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong(format!("nested deeper than {MAX_DEPTH}")));
        }
        let term = self.factor_inside();
        self.depth -= 1;
        term
    }

    fn factor_inside(&mut self) -> Result<Term, BadPattern> {
        if self.takes("-") {
            return Ok(Term::Two(
                Operator::Sub,
                Box::new((Term::Integer(0), self.factor()?)),
            ));
        }
        if self.takes("(") {
            let inside = self.term(0)?;
            self.needs(")")?;
            return Ok(inside);
        }
        self.blanks();
        let start = self.at;
        let word = self.word();
        let two = |operator, a: Term, b: Term| Term::Two(operator, Box::new((a, b)));
        match word {
            "min" | "max" => {
                self.needs("(")?;
                let a = self.term(0)?;
                self.needs(",")?;
                let b = self.term(0)?;
                self.needs(")")?;
                return Ok(two(
                    if word == "min" {
                        Operator::Min
                    } else {
                        Operator::Max
                    },
                    a,
                    b,
                ));
            }
            "abs" => {
                self.needs("(")?;
                let a = self.term(0)?;
                self.needs(")")?;
                return Ok(two(Operator::Abs, a, Term::Integer(0)));
            }
            _ => {}
        }
        if let (1, Some(index)) = (word.len(), VARIABLES.find(word)) {
            return Ok(Term::Variable(index));
        }
        if self.rest().starts_with('.') && word.bytes().all(|b| b.is_ascii_digit()) {
            self.at += 1;
            self.word();
            return match self.text[start..self.at].parse() {
                Ok(value) => Ok(Term::Fraction(value)),
                Err(_) => {
                    self.at = start;
                    Err(self.wrong("not a number"))
                }
            };
        }
        let value = match word.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        match value {
            Ok(value) => Ok(Term::Integer(value)),
            Err(_) => {
                self.at = start;
                Err(self.wrong(
                    "a number, a variable (x, y, z, w, h, l, s) or a parenthesis is missing here",
                ))
            }
        }
    }
}

/// A picture that exercises filters as a photograph does: slopes, rings, hard edges, grain. The same for
/// the same seed on every host: integers only.
pub fn photo(width: u32, height: u32, seed: u32) -> Picture {
    match picture_of(width, height, seed, || Ok::<(), Infallible>(())) {
        Ok(picture) => picture,
        Err(never) => match never {},
    }
}

/// [`photo`], whose rows `may` each be made.
fn picture_of<E>(
    width: u32,
    height: u32,
    seed: u32,
    may: impl Fn() -> Result<(), E>,
) -> Result<Picture, E> {
    // Rises and falls between 0 and 255 with the given period.
    let wave = |v: i64, period: i64| {
        let t = v.rem_euclid(period) * 510 / period;
        if t > 255 { 510 - t } else { t }
    };
    let grain = |x: u32, y: u32, channel: u32| {
        let mut h =
            seed ^ x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ channel << 28;
        h = (h ^ h >> 15).wrapping_mul(0x2c1b_3c6d);
        h = (h ^ h >> 12).wrapping_mul(0x297a_2d39);
        i64::from((h ^ h >> 15) & 15) - 8
    };
    let (w, h) = (i64::from(width.max(1)), i64::from(height.max(1)));
    let pixel = |x: u32, y: u32| {
        let (u, v) = (i64::from(x) * 1024 / w, i64::from(y) * 1024 / h);
        let (cx, cy) = (u - 640, v - 384);
        let ring = wave((cx * cx + cy * cy) / 512, 192);
        let roof = if v * 2 > 1024 + wave(u, 300) * 2 {
            70
        } else {
            0
        };
        let sky = 220 - v / 8;
        let disc = if cx * cx + cy * cy < 180 * 180 { 60 } else { 0 };
        let channels = [
            sky - roof * 2 + disc + ring / 8,
            sky - roof + wave(u + v, 400) / 4,
            sky + 30 - roof * 3 / 2 - disc + wave(v * 3 - u, 250) / 6,
        ];
        let mut rgba = [u16::MAX; 4];
        for (c, value) in channels.into_iter().enumerate() {
            rgba[c] = (value + grain(x, y, c as u32)).clamp(0, 255) as u16 * 257;
        }
        rgba
    };
    let mut pixels = Vec::new();
    for y in 0..height {
        may()?;
        pixels.extend((0..width).map(|x| pixel(x, y)));
    }
    Ok(Picture {
        width,
        height,
        pixels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn arithmetic_binds_as_stated() {
        let value = |text: &str| {
            let pattern = Pattern::parse(&format!("byte = {text}")).unwrap();
            pattern.values[0].integer(&[5, 3, 0, 8, 4, 0, 0]).unwrap()
        };
        assert_eq!(value("1 + 2 * 3"), 7);
        assert_eq!(value("7 xor 1 << 1"), 5);
        assert_eq!(value("1 | 6 & 2"), 3);
        assert_eq!(value("-7 mod 4"), 1);
        assert_eq!(value("-7 / 4"), -2);
        assert_eq!(value("max(x, y) - min(x, y) + abs(y - x)"), 4);
        assert_eq!(value("w * h - (x)"), 27);
        assert_eq!(value("9223372036854775807 + 1"), i64::MIN);
    }
}
