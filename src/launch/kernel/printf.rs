//! What kernels print: the records that they leave in the buffer of `printf`, as text.
//!
//! ```text
//!  record   the format                │ for each conversion: u32 type, value        text: u64 address
//!                                     │ of a vector: u32 type, u32 count, values, filled up to a dword each
//! ```
//!
//! A text is named by its u64 address, in programs with patch tokens by its u32 number in their list.
//!
//! Source: Intel's compute runtime, the enumeration of value types and the order in which its formatter reads
//! (`print_formatter`); OpenCL C, "printf" for the conversions.

use sprintf::{Printf, vsprintf};

/// Ends a buffer that is longer than what was written.
const LAST: u64 = 0xffff_ffff;

/// Characters of one value at most.
const MOST_WIDTH: u32 = 4096;

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
struct Conversion<'f> {
    /// Flags, width and precision.
    modifiers: &'f str,
    /// Its letter.
    letter: char,
}

impl<'f> Conversion<'f> {
    /// Reads what follows the `%`, and what is left after it.
    fn read(text: &'f str) -> Option<(Conversion<'f>, &'f str)> {
        let end = text.find(|c: char| !"-+ #0123456789.".contains(c))?;
        let (modifiers, mut rest) = text.split_at(end);
        if let Some(vector) = rest.strip_prefix('v') {
            rest = vector.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        let rest = rest.trim_start_matches(['h', 'l']);
        let letter = rest.chars().next()?;
        let widths = modifiers.split(|c: char| !c.is_ascii_digit());
        let small = widths
            .filter(|n| !n.is_empty())
            .all(|n| n.parse().is_ok_and(|n: u32| n <= MOST_WIDTH));
        let known = "diouxXaAeEfFgGcsp".contains(letter) && small;
        known.then(|| (Conversion { modifiers, letter }, &rest[1..]))
    }

    fn with(&self, letter: char, value: &dyn Printf) -> Option<String> {
        vsprintf(&format!("%{}{letter}", self.modifiers), &[value]).ok()
    }

    /// An integer of so many bytes.
    fn integer(&self, value: i64, size: u32) -> Option<String> {
        let unsigned = value.cast_unsigned() & (u64::MAX >> (64 - 8 * size.min(8)));
        match self.letter {
            'd' | 'i' => self.with('d', &value),
            'c' => self.with('c', &char::from(value as u8)),
            'u' => self.with('u', &unsigned),
            'p' => Some(format!("{unsigned:#x}")),
            letter => self.with(letter, &unsigned),
        }
    }

    fn float(&self, value: f64) -> Option<String> {
        match self.letter {
            // No conversion of hexadecimal floats is at hand: the shortest decimal that is the same value.
            'a' | 'A' => Some(value.to_string()),
            letter => self.with(letter, &value),
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
                5 | 7 => self.with('s', &string(name)?.as_str()),
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

/// One record by its format; what could be printed of it, and whether that is all.
fn record(
    format: &str,
    records: &mut Records,
    string: &dyn Fn(u64) -> Option<String>,
) -> Option<String> {
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['%', '\\']) {
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
    use super::text;

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
        // By number: the second text, and it again as a value.
        let mut bytes = Vec::new();
        for dword in [0, 3, 2, 5, 1, 4, 1.5_f32.to_bits(), 3, 0x42_u32] {
            bytes.extend_from_slice(&dword.to_le_bytes());
        }
        let wanted = "2 of two:  1.50|B%\n".to_string();
        assert_eq!(text(&bytes, true, strings), Ok(wanted));
    }
}
