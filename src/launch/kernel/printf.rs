//! What kernels print: the records that they leave in the buffer of `printf`, as text.
//!
//! ```text
//!  record   the format                │ for each conversion: u32 type, value        text: u64 address
//!                                     │ of a vector: u32 type, u32 count, values, filled up to a dword each
//! ```
//!
//! A text is named by its u64 address, in programs with patch tokens by its u32 number in their list, where line breaks
//! stand as `\n`.
//!
//! Source: Intel's compute runtime, the enumeration of value types and the order in which its formatter reads
//! (`print_formatter`); OpenCL C, "printf" for the conversions.

/// Ends a buffer that is longer than what was written.
const LAST: u64 = 0xffff_ffff;

/// Characters of one value at most.
const MOST_WIDTH: usize = 4096;

/// What is left to read.
struct Records<'r> {
    rest: &'r [u8],
    /// Texts are numbered.
    numbered: bool,
}

impl Records<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (value, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*value)
    }

    fn dword(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn qword(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// What names a text.
    fn name(&mut self) -> Option<u64> {
        match self.numbered {
            true => self.dword().map(u64::from),
            false => self.qword(),
        }
    }

    fn value(&mut self, size: u32) -> Option<i64> {
        Some(match size {
            1 => i64::from(i8::from_le_bytes(self.take()?)),
            2 => i64::from(i16::from_le_bytes(self.take()?)),
            4 => i64::from(i32::from_le_bytes(self.take()?)),
            _ => i64::from_le_bytes(self.take()?),
        })
    }
}

/// A conversion of a format: `%-8.3v4hlf`.
#[derive(Clone, Copy)]
struct Conversion {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of an integer, where a length modifier says so.
    bytes: Option<u32>,
    /// Its letter.
    letter: char,
}

impl Conversion {
    /// Reads what follows the `%`, and what is left after it.
    fn read(text: &str) -> Option<(Conversion, &str)> {
        let (flags, rest) = split(text, |c| "-+ #0".contains(c));
        let (width, rest) = split(rest, |c| c.is_ascii_digit());
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (digits, rest) = split(rest, |c| c.is_ascii_digit());
                (Some(small(digits)?), rest)
            }
            None => (None, rest),
        };
        let rest = match rest.strip_prefix('v') {
            Some(vector) => split(vector, |c| c.is_ascii_digit()).1,
            None => rest,
        };
        let (length, rest) = split(rest, |c| "hl".contains(c));
        let letter = rest.chars().next()?;
        let conversion = Conversion {
            left: flags.contains('-'),
            plus: flags.contains('+'),
            blank: flags.contains(' '),
            alternate: flags.contains('#'),
            zeros: flags.contains('0'),
            width: small(width)?,
            precision,
            bytes: match length {
                "hh" => Some(1),
                "h" => Some(2),
                "hl" => Some(4),
                "l" => Some(8),
                _ => None,
            },
            letter,
        };
        let known = "diouxXaAeEfFgGcsp".contains(letter);
        known.then(|| (conversion, &rest[1..]))
    }

    /// A sign or prefix and a body, filled up to the width.
    fn filled(&self, prefix: &str, body: &str, zeros: bool) -> String {
        let length = prefix.chars().count() + body.chars().count();
        let fill = self.width.saturating_sub(length);
        match (self.left, zeros) {
            (true, _) => format!("{prefix}{body}{:fill$}", ""),
            (false, true) => format!("{prefix}{:0>fill$}{body}", ""),
            (false, false) => format!("{:fill$}{prefix}{body}", ""),
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// An integer of so many bytes.
    fn integer(&self, value: i64, size: u32) -> Option<String> {
        let kept = 8 * self.bytes.unwrap_or(size).min(size);
        let signed = value << (64 - kept) >> (64 - kept);
        let unsigned = signed.cast_unsigned() & (u64::MAX >> (64 - kept));
        let (prefix, digits) = match self.letter {
            'd' | 'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            'u' => ("", unsigned.to_string()),
            'o' => ("", format!("{unsigned:o}")),
            'x' | 'X' => {
                let prefix = if self.alternate && unsigned != 0 {
                    "0x"
                } else {
                    ""
                };
                (prefix, format!("{unsigned:x}"))
            }
            'p' => ("0x", format!("{unsigned:x}")),
            'c' => return Some(self.filled("", &char::from(value as u8).to_string(), false)),
            _ => return None,
        };
        let digits = match self.precision {
            Some(0) if unsigned == 0 => String::new(),
            Some(least) => format!("{digits:0>least$}"),
            None => digits,
        };
        let digits = match self.letter == 'o' && self.alternate && !digits.starts_with('0') {
            true => format!("0{digits}"),
            false => digits,
        };
        let text = self.filled(prefix, &digits, self.zeros && self.precision.is_none());
        Some(match self.letter {
            'X' => text.to_uppercase(),
            _ => text,
        })
    }

    fn float(&self, value: f64) -> Option<String> {
        let sign = self.sign(value.is_sign_negative());
        let size = value.abs();
        let precision = self.precision;
        let point = if self.alternate { "." } else { "" };
        let (prefix, body) = match self.letter.to_ascii_lowercase() {
            _ if !value.is_finite() => {
                let word = if value.is_nan() { "nan" } else { "inf" };
                return Some(self.cased(self.filled(sign, word, false)));
            }
            'f' => ("", fixed(size, precision.unwrap_or(6), self.alternate)),
            'e' => ("", scientific(size, precision.unwrap_or(6), self.alternate)),
            'g' => (
                "",
                general(size, precision.unwrap_or(6).max(1), self.alternate),
            ),
            'a' => ("0x", hexadecimal(size, precision, point)),
            _ => return None,
        };
        let prefix = format!("{sign}{prefix}");
        Some(self.cased(self.filled(&prefix, &body, self.zeros)))
    }

    /// A text, as far as the precision says.
    fn string(&self, text: &str) -> String {
        let most = self.precision.unwrap_or(usize::MAX);
        let text: String = text.chars().take(most).collect();
        self.filled("", &text, false)
    }

    fn cased(&self, text: String) -> String {
        match self.letter.is_ascii_uppercase() {
            true => text.to_uppercase(),
            false => text,
        }
    }

    /// The values that it prints.
    fn print(
        &self,
        records: &mut Records,
        string: &dyn Fn(u64) -> Option<String>,
    ) -> Option<String> {
        let kind = records.dword()?;
        if self.letter == 's' {
            let name = records.name()?;
            // A value that is not text prints nothing.
            return match kind {
                5 | 7 => Some(self.string(&string(name)?)),
                _ => Some(String::new()),
            };
        }
        let (count, kind) = match kind {
            9..=14 => (records.dword()?, kind),
            _ => (1, kind),
        };
        let (size, is_float) = match kind {
            1 | 9 => (1, false),
            2 | 10 => (2, false),
            3 | 11 => (4, false),
            6 | 7 | 12 => (8, false),
            4 | 13 => (4, true),
            8 | 14 => (8, true),
            _ => return None,
        };
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(match (is_float, size) {
                (false, _) => self.integer(records.value(size)?, size)?,
                (true, 4) => self.float(f64::from(f32::from_le_bytes(records.take()?)))?,
                (true, _) => self.float(f64::from_le_bytes(records.take()?))?,
            });
        }
        if kind >= 9 && size < 4 {
            let fill = (4 - size).checked_mul(count)? as usize;
            records.rest = records.rest.get(fill..)?;
        }
        Some(parts.join(","))
    }
}

/// The beginning of a text that a rule holds for, and the rest.
fn split(text: &str, rule: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !rule(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// A width or a precision; `None` if it is too large.
fn small(digits: &str) -> Option<usize> {
    match digits {
        "" => Some(0),
        digits => digits.parse().ok().filter(|&n| n <= MOST_WIDTH),
    }
}

/// `12.500`.
fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// `1.25e+01`.
fn scientific(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if alternate && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
}

/// The shorter of both, without zeros at the end.
fn general(value: f64, digits: usize, alternate: bool) -> String {
    let rounded = format!("{value:.0$e}", digits - 1);
    let exponent = rounded.split_once('e').and_then(|(_, e)| e.parse().ok());
    let exponent: i32 = exponent.unwrap_or(0);
    let small = exponent >= -4 && i64::from(exponent) < digits as i64;
    let text = match small {
        true => {
            let precision = (digits as i64 - 1 - i64::from(exponent)) as usize;
            fixed(value, precision, alternate)
        }
        false => scientific(value, digits - 1, alternate),
    };
    if alternate {
        return text;
    }
    let (number, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (&text[..], ""),
    };
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    format!("{number}{exponent}")
}

/// `1.8p+3`, without the `0x` in front; the first digit is 1 but for zero and what is denormal as a double.
fn hexadecimal(value: f64, precision: Option<usize>, point: &str) -> String {
    /// Hexadecimal digits of the fraction.
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let (mut mantissa, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, fraction) => (fraction, -1022),
        (exponent, fraction) => (fraction | 1 << 52, exponent as i64 - 1023),
    };
    let kept = precision.unwrap_or(DIGITS);
    if kept < DIGITS {
        let cut = 4 * (DIGITS - kept);
        let (half, rest) = (1 << (cut - 1), mantissa & ((1 << cut) - 1));
        mantissa >>= cut;
        mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
        mantissa <<= cut;
    }
    let digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    let digits = match precision {
        Some(precision) => format!("{digits:0<precision$}")[..precision].to_string(),
        None => digits.trim_end_matches('0').to_string(),
    };
    let point = if digits.is_empty() { point } else { "." };
    format!("{}{point}{digits}p{exponent:+}", mantissa >> 52)
}

/// One record by its format; what could be printed of it, and whether that is all.
fn record(
    format: &str,
    records: &mut Records,
    string: &dyn Fn(u64) -> Option<String>,
) -> Option<String> {
    let mut text = String::new();
    let mut rest = format;
    let escapes = records.numbered;
    while let Some(at) = rest.find(|c| c == '%' || escapes && c == '\\') {
        text += &rest[..at];
        let tail = &rest[at + 1..];
        if rest[at..].starts_with('\\') {
            let escaped = tail.chars().next()?;
            text.push(if escaped == 'n' { '\n' } else { escaped });
            rest = &tail[escaped.len_utf8()..];
        } else if let Some(tail) = tail.strip_prefix('%') {
            text.push('%');
            rest = tail;
        } else {
            let (conversion, tail) = Conversion::read(tail)?;
            text += &conversion.print(records, string)?;
            rest = tail;
        }
    }
    Some(text + rest)
}

/// The text of all records, in their order.
///
/// * `numbered`: texts are named by their numbers.
/// * `string`: the text at an address, or of a number.
///
/// # Errors
/// What came before a record that cannot be read.
pub fn text(
    records: &[u8],
    numbered: bool,
    string: impl Fn(u64) -> Option<String>,
) -> Result<String, String> {
    let mut records = Records {
        rest: records,
        numbered,
    };
    let mut all = String::new();
    while records.rest.len() >= if numbered { 4 } else { 8 } {
        let Some(name) = records.name().filter(|&name| name != LAST) else {
            break;
        };
        let format = string(name);
        let Some(text) = format.and_then(|format| record(&format, &mut records, &string)) else {
            return Err(all);
        };
        all += &text;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{Conversion, text};

    fn strings(address: u64) -> Option<String> {
        let all = ["%d of %s: %5.2f|%c%%\n", "two", "%v4hld %#x\n", "%q"];
        all.get(address as usize).map(|s| (*s).to_string())
    }

    #[test]
    fn records_become_text() {
        let mut bytes = Vec::new();
        let mut put = |value: &[u8]| bytes.extend_from_slice(value);
        put(&0_u64.to_le_bytes());
        put(&3_u32.to_le_bytes());
        put(&(-7_i32).to_le_bytes());
        put(&5_u32.to_le_bytes());
        put(&1_u64.to_le_bytes());
        put(&8_u32.to_le_bytes());
        put(&2.5_f64.to_le_bytes());
        put(&3_u32.to_le_bytes());
        put(&0x41_u32.to_le_bytes());
        put(&2_u64.to_le_bytes());
        put(&11_u32.to_le_bytes());
        put(&4_u32.to_le_bytes());
        for n in 1..=4_i32 {
            put(&n.to_le_bytes());
        }
        put(&3_u32.to_le_bytes());
        put(&255_u32.to_le_bytes());
        let wanted = "-7 of two:  2.50|A%\n1,2,3,4 0xff\n";
        assert_eq!(text(&bytes, false, strings), Ok(wanted.to_string()));
        // What cannot be read ends it: a value that is missing, an unknown conversion, no format.
        assert_eq!(text(&bytes[..20], false, strings), Err(String::new()));
        for format in [3_u64, 99] {
            let one = [&bytes[..], &format.to_le_bytes()].concat();
            assert_eq!(text(&one, false, strings), Err(wanted.to_string()));
        }
        // A backslash is one; line breaks are written with it in texts that have numbers.
        let wanted_numbered = text(&[0; 4], true, |_| Some("a\\nb".to_string()));
        assert_eq!(wanted_numbered, Ok("a\nb".to_string()));
        let wanted_plain = text(&[0; 8], false, |_| Some("a\\nb".to_string()));
        assert_eq!(wanted_plain, Ok("a\\nb".to_string()));
        // By number: the second text, and it again as a value.
        let mut bytes = Vec::new();
        for dword in [0, 3, 2, 5, 1, 4, 1.5_f32.to_bits(), 3, 0x42_u32] {
            bytes.extend_from_slice(&dword.to_le_bytes());
        }
        let wanted = "2 of two:  1.50|B%\n".to_string();
        assert_eq!(text(&bytes, true, strings), Ok(wanted));
    }

    fn converted(format: &str) -> Conversion {
        let (conversion, rest) = Conversion::read(&format[1..]).expect(format);
        assert_eq!(rest, "", "{format}");
        conversion
    }

    #[test]
    fn integers_are_those_of_c() {
        for (format, value, wanted) in [
            ("%d", -7, "-7"),
            ("%5.3i|", 7, "  007"),
            ("%-06i", 100, "100   "),
            ("%06d", -42, "-00042"),
            ("%+d", 3, "+3"),
            ("% d", 3, " 3"),
            ("%.0u", 0, ""),
            ("%#x", 0, "0"),
            ("%#X", 255, "0XFF"),
            ("%#o", 8, "010"),
            ("%010o", 10, "0000000012"),
            ("%hx", -32767, "8001"),
            ("%hhx", -128, "80"),
            ("%c", 65, "A"),
            ("%p", 4096, "0x1000"),
        ] {
            let conversion = converted(format.trim_end_matches('|'));
            assert_eq!(
                conversion.integer(value, 4).as_deref(),
                Some(wanted),
                "{format}"
            );
        }
        let long = converted("%-+16.15li").integer(-10_000_000_000, 8);
        assert_eq!(long.as_deref(), Some("-000010000000000"));
    }

    #[test]
    fn floats_are_those_of_c() {
        for (format, value, wanted) in [
            ("%f", 10.3456, "10.345600"),
            ("%.0f", 0.5, "0"),
            ("%#.0f", 100.0, "100."),
            ("%e", 1234.5, "1.234500e+03"),
            ("%.3E", 0.0, "0.000E+00"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1e6, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%#g", 1.0, "1.00000"),
            ("%.2g", 0.0994, "0.099"),
            ("%a", 0.0, "0x0p+0"),
            ("%a", 0.25, "0x1p-2"),
            ("%.1a", 1.5, "0x1.8p+0"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%.13A", -78818.4765625, "-0X1.33E27A0000000P+16"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%08.2f", -1.5, "-0001.50"),
            ("%5f", f64::INFINITY, "  inf"),
            ("%F", f64::NAN, "NAN"),
            ("%05f", f64::NEG_INFINITY, " -inf"),
        ] {
            let own = converted(format).float(value);
            assert_eq!(own.as_deref(), Some(wanted), "{format}");
        }
        assert_eq!(
            converted("%-6.2s|".trim_end_matches('|')).string("text"),
            "te    "
        );
    }
}
