//! Numbers as people write and read them, and the bytes they stand for.
//!
//! One [`View`] says how to look at bytes: the type of an element, how it is spelled, and how many
//! bytes make a row. Dumps print through it, expectations and settings are read through it, and
//! `--bless` writes through it, so that what is printed can be pasted as an expectation.
//!
//! Unlike in vISA text, `1:f` is the number one here; raw bits are written in hexadecimal
//! (`0x3f800000:f`).

use crate::diagnostic::counted;
use crate::isa::Type;
use half::{bf16, f16};

/// How a number is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFormat {
    /// The element's bits, padded with zeros, no `0x`.
    Hex,
    /// A decimal integer, signed for signed types.
    Decimal,
    /// A decimal float, the shortest that reads back to the same bits.
    Float,
}

/// How to look at bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Type of an element.
    pub ty: Type,
    /// Spelling of an element.
    pub form: NumberFormat,
    /// Bytes from one row to the next.
    pub pitch: u32,
}

impl View {
    /// The view a type suggests: bytes in hexadecimal, floats as floats, the rest in decimal.
    pub fn of(ty: Type, pitch: u32) -> View {
        View {
            ty,
            form: NumberFormat::of_type(ty),
            pitch,
        }
    }

    /// The elements of one row as text, blanks between, columns aligned for the widths in `widths`.
    pub fn row(&self, bytes: &[u8], width: usize) -> String {
        let size = self.ty.bytes() as usize;
        let mut text = String::new();
        for element in bytes.chunks_exact(size) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&format!("{:>width$}", self.element(element)));
        }
        text
    }

    /// All rows of `bytes`; the last one may be short. Columns are aligned over the rows.
    pub fn rows(&self, bytes: &[u8]) -> Vec<String> {
        let size = self.ty.bytes() as usize;
        let width = bytes
            .chunks_exact(size)
            .map(|e| self.element(e).len())
            .max()
            .unwrap_or(0);
        let pitch = (self.pitch as usize).max(size);
        bytes
            .chunks(pitch)
            .map(|row| self.row(row, width))
            .collect()
    }

    /// One element as text. `bytes` is as long as the type says.
    pub fn element(&self, bytes: &[u8]) -> String {
        let bits = bits(bytes);
        match (self.form, number(self.ty, bits)) {
            (NumberFormat::Hex, _) => format!("{bits:0width$x}", width = bytes.len() * 2),
            (_, Number::Float(value)) => float_text(self.ty, value),
            (NumberFormat::Float, Number::Integer(value)) => format!("{value}.0"),
            (NumberFormat::Decimal, Number::Integer(value)) => value.to_string(),
        }
    }

    /// The bits a written element stands for.
    ///
    /// # Errors
    /// A sentence that names the word and what could have been written.
    pub fn read(&self, word: &str) -> Result<u64, String> {
        let size = self.ty.bytes();
        let width = 8 * size;
        let fits = |bits: u64| width == 64 || bits >> width == 0;
        if self.form == NumberFormat::Hex || word.starts_with("0x") {
            let digits = word.strip_prefix("0x").unwrap_or(word);
            return match u64::from_str_radix(digits, 16) {
                Ok(bits) if fits(bits) && !digits.starts_with('+') => Ok(bits),
                Ok(_) => Err(format!("`{word}` does not fit {}", counted(size, "byte"))),
                Err(_) => Err(format!("`{word}` is not a hexadecimal number")),
            };
        }
        if self.ty.is_float() {
            let value: f64 = word
                .parse()
                .map_err(|_| format!("`{word}` is not a number"))?;
            return Ok(match self.ty {
                Type::Hf => u64::from(f16::from_f64(value).to_bits()),
                Type::Bf => u64::from(bf16::from_f64(value).to_bits()),
                Type::Df => value.to_bits(),
                // Parsed again as f32: rounding the f64 would round twice.
                _ => u64::from(word.parse::<f32>().unwrap_or(f32::NAN).to_bits()),
            });
        }
        let whole = word
            .strip_suffix(".0")
            .filter(|_| self.form == NumberFormat::Float);
        let value: i128 = whole
            .unwrap_or(word)
            .parse()
            .map_err(|_| format!("`{word}` is not a whole number"))?;
        let (least, most) = if self.ty.is_signed() {
            (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
        } else {
            (0, (1i128 << width) - 1)
        };
        if value < least || value > most {
            return Err(format!(
                "{value} is outside {least}..={most}, the range of {}",
                self.ty
            ));
        }
        Ok(value as u64 & (u64::MAX >> (64 - width)))
    }
}

impl NumberFormat {
    /// The spelling a type suggests.
    pub fn of_type(ty: Type) -> NumberFormat {
        match ty {
            Type::Ub => NumberFormat::Hex,
            ty if ty.is_float() => NumberFormat::Float,
            _ => NumberFormat::Decimal,
        }
    }

    /// Reads `hex`, `bytes`, `dec`, `float`; `bytes` stands for `hex` of type `ub`.
    pub fn from_word(word: &str) -> Option<(NumberFormat, Option<Type>)> {
        match word {
            "bytes" => Some((NumberFormat::Hex, Some(Type::Ub))),
            "hex" => Some((NumberFormat::Hex, None)),
            "dec" => Some((NumberFormat::Decimal, None)),
            "float" => Some((NumberFormat::Float, None)),
            _ => None,
        }
    }
}

/// An element as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of an integer type.
    Integer(i128),
    /// Of a float type, exactly.
    Float(f64),
}

/// The little-endian bytes as bits; at most eight.
pub fn bits(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(8)
        .rev()
        .fold(0, |bits, &b| bits << 8 | u64::from(b))
}

/// The number that `bits` of type `ty` stand for.
pub fn number(ty: Type, bits: u64) -> Number {
    match ty {
        Type::F | Type::Vf => Number::Float(f64::from(f32::from_bits(bits as u32))),
        Type::Hf => Number::Float(f16::from_bits(bits as u16).to_f64()),
        Type::Bf => Number::Float(bf16::from_bits(bits as u16).to_f64()),
        Type::Df => Number::Float(f64::from_bits(bits)),
        ty => {
            let spare = 64 - 8 * ty.bytes();
            Number::Integer(if ty.is_signed() {
                i128::from((bits << spare) as i64 >> spare)
            } else {
                i128::from(bits << spare >> spare)
            })
        }
    }
}

/// The shortest decimal that reads back to the same value of the type.
fn float_text(ty: Type, value: f64) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    match ty {
        // Every half and bfloat16 is exact in f32, and no two share a shortest f32 spelling.
        Type::F | Type::Hf | Type::Bf | Type::Vf => format!("{:?}", value as f32),
        _ => format!("{value:?}"),
    }
}

/// How far two elements lie apart in units of the last place; `None` when one is a NaN.
pub fn ulps(ty: Type, a: u64, b: u64) -> Option<u64> {
    if let (Number::Float(x), Number::Float(y)) = (number(ty, a), number(ty, b))
        && (x.is_nan() || y.is_nan())
    {
        return None;
    }
    // Sign and magnitude to a line on which neighbours differ by one; both zeros meet at 0.
    let width = 8 * ty.bytes();
    let line = |bits: u64| {
        let magnitude = i128::from(bits & (u64::MAX >> (65 - width)));
        if bits >> (width - 1) & 1 == 1 {
            -magnitude
        } else {
            magnitude
        }
    };
    let (a, b) = if ty.is_float() {
        (line(a), line(b))
    } else {
        match (number(ty, a), number(ty, b)) {
            (Number::Integer(a), Number::Integer(b)) => (a, b),
            _ => return None,
        }
    };
    u64::try_from(a.abs_diff(b)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_prints_and_reads_back_in_every_form() {
        for (ty, _) in Type::ALL {
            if matches!(ty, Type::Bool | Type::V | Type::Uv | Type::Vf) {
                continue;
            }
            for form in [
                NumberFormat::Hex,
                NumberFormat::Decimal,
                NumberFormat::Float,
            ] {
                let view = View {
                    ty: *ty,
                    form,
                    pitch: 8,
                };
                let size = ty.bytes() as usize;
                for seed in 0..2000u64 {
                    let pattern = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
                    let bytes = &pattern.to_le_bytes()[..size];
                    let text = view.element(bytes);
                    if text == "nan" {
                        continue;
                    }
                    assert_eq!(view.read(&text), Ok(bits(bytes)), "{ty} {form:?} {text}");
                }
            }
        }
    }

    #[test]
    fn rows_follow_the_pitch_and_align() {
        let view = View::of(Type::Ub, 4);
        assert_eq!(
            view.rows(&[0, 1, 2, 0x88, 0xff, 5]),
            ["00 01 02 88", "ff 05"]
        );
        let view = View::of(Type::W, 4);
        assert_eq!(
            view.rows(&[1, 0, 0xff, 0xff, 100, 0, 0, 0]),
            ["  1  -1", "100   0"]
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_range() {
        let view = View::of(Type::Uw, 32);
        assert_eq!(
            view.read("65536").unwrap_err(),
            "65536 is outside 0..=65535, the range of uw"
        );
        assert!(view.read("-1").is_err());
        assert!(View::of(Type::Ub, 32).read("100").is_err());
        assert_eq!(View::of(Type::F, 32).read("1"), Ok(0x3f80_0000));
    }

    #[test]
    fn ulps_count_floats_between() {
        let one = u64::from(1.0f32.to_bits());
        assert_eq!(ulps(Type::F, one, one + 3), Some(3));
        assert_eq!(ulps(Type::F, 1, 0x8000_0001), Some(2));
        assert_eq!(ulps(Type::F, one, 0x7fc0_0000), None);
        assert_eq!(ulps(Type::B, 0xff, 1), Some(2));
    }
}
