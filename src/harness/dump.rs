//! Hexadecimal dumps as dwords.
//!
//! | printed by | text |
//! |---|---|
//! | hand | `231c003f 0x12345000`: eight digits are a dword |
//! | drivers, `%#x` | `0x3f, 0x12345000`: words with `0x` are dwords if one of them has neither two nor four digits |
//! | drivers | `0x00001000: 0x231c003f: name of the field` |
//! | `xxd` | `00000000: 3f00 1c23 0050 3412  ?..#.P4.` |
//! | `xxd -p` | `3f001c2300503412`: words of more than eight digits are bytes, and all others then, too |
//! | `hexdump -C` | `00000000  3f 00 1c 23 00 50 34 12  |?..#.P4.|` |
//!
//! Words of two digits are bytes, words of four pairs of bytes in the order of memory. An offset with a colon may
//! open a line; after it two blanks, or a second colon, end what is read.

use crate::source::Span;

/// A dword of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dword {
    /// Its value.
    pub value: u32,
    /// The words of the text that gave its bytes.
    pub span: Span,
}

/// What the digits of a dump's words stand for.
struct Widths {
    /// Every word without `0x` is bytes in the order of memory.
    plain: bool,
    /// Every word with `0x` is a dword.
    numbers: bool,
}

impl Widths {
    fn of(text: &str) -> Widths {
        let words = || text.lines().flat_map(words);
        Widths {
            plain: words().any(|word| word.len() > 8 && hexadecimal(word)),
            numbers: words()
                .filter_map(|word| word.strip_prefix("0x"))
                .any(|digits| !matches!(digits.len(), 2 | 4)),
        }
    }

    /// The bytes of a word, in the order of memory.
    fn bytes(&self, word: &str) -> Result<Vec<u8>, String> {
        let bad = || format!("`{word}` is neither a dword of eight hexadecimal digits nor bytes");
        let (digits, number) = match word.strip_prefix("0x") {
            Some(digits) => (digits, true),
            None => (word, false),
        };
        if !hexadecimal(digits) {
            return Err(match word {
                "*" => "`*` stands for lines that are left out; `hexdump -v -C` prints them all"
                    .to_string(),
                _ => bad(),
            });
        }
        let value = || u32::from_str_radix(digits, 16).map_err(|_| bad());
        if number && self.numbers && digits.len() <= 8 {
            return Ok(value()?.to_le_bytes().to_vec());
        }
        let plain = self.plain && !number && digits.len() % 2 == 0;
        match digits.len() {
            2 | 4 => {}
            _ if plain => {}
            8 => return Ok(value()?.to_le_bytes().to_vec()),
            7 => {
                return Err(format!(
                    "{}; an offset of seven digits is that of `od` or of `hexdump` without -C, whose words may be of any \
                     width; `hexdump -C` prints bytes",
                    bad()
                ));
            }
            _ => return Err(bad()),
        }
        let pairs = digits.as_bytes().as_chunks::<2>().0.iter();
        let byte = |pair: &[u8; 2]| {
            let pair = pair.map(|digit| char::from(digit).to_digit(16).unwrap_or(0) as u8);
            pair[0] << 4 | pair[1]
        };
        Ok(pairs.map(byte).collect())
    }
}

fn hexadecimal(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The words of a line that hold its bytes: those after an offset, without comments and characters.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let line = line.split("//").next().unwrap_or_default();
    let line = match (line.split_once(':'), line.split_once("  ")) {
        (Some((_, rest)), _) => {
            let rest = rest.trim_start().split("  ").next().unwrap_or_default();
            rest.split(':').next().unwrap_or_default()
        }
        // Bytes after an offset without a colon: `hexdump -C`, which puts characters between bars.
        (None, Some((offset, rest))) if line.contains('|') && hexadecimal(offset) => {
            rest.split('|').next().unwrap_or_default()
        }
        _ => line,
    };
    line.split([' ', '\t', ',', '{', '}', ';'])
        .filter(|word| !word.is_empty())
}

/// The dwords of a dump; bytes missing in the last one are zero.
///
/// # Errors
/// A sentence naming the word that is none of those.
pub fn dwords(text: &str) -> Result<Vec<Dword>, String> {
    let widths = Widths::of(text);
    // The last line of `hexdump -C` is an offset alone.
    let canonical = text
        .lines()
        .any(|line| line.contains("  ") && line.contains('|'));
    let is_end = |line: &&str| canonical && line.len() == 8 && hexadecimal(line);
    let mut bytes: Vec<(u8, Span)> = Vec::new();
    for line in text.lines().filter(|line| !is_end(line)) {
        for word in words(line) {
            // Parts of a text know their place in it.
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let span = Span::new(start as u32, (start + word.len()) as u32);
            bytes.extend(widths.bytes(word)?.into_iter().map(|byte| (byte, span)));
        }
    }
    let dword = |part: &[(u8, Span)]| {
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(part) {
            *to = from.0;
        }
        let (first, last) = (part[0].1, part[part.len() - 1].1);
        Dword {
            value: u32::from_le_bytes(word),
            span: Span::new(first.start, last.end),
        }
    };
    Ok(bytes.chunks(4).map(dword).collect())
}

#[cfg(test)]
mod tests {
    use super::dwords;

    #[test]
    fn dumps_of_every_width_are_the_same_words() {
        let values = |text: &str| -> Result<Vec<u32>, String> {
            Ok(dwords(text)?.iter().map(|dword| dword.value).collect())
        };
        let wanted = Ok(vec![0x231c_003f, 0x1234_5000]);
        assert_eq!(values("231c003f 0x12345000"), wanted);
        assert_eq!(values("3f 00 1c 23\n00 50 34 12 // base"), wanted);
        assert_eq!(values("00000000: 3f00 1c23 0050 3412  ?..#.P4."), wanted);
        assert_eq!(values("3f001c2300503412"), wanted);
        let lines = "0x00001000: 0x231c003f: type, format\n0x00001004: 0x12345000: base";
        assert_eq!(values(lines), wanted);
        let canonical =
            "00000000  3f 00 1c 23 00 50 34 12                           |?..#.P4.|\n00000008\n";
        assert_eq!(values(canonical), wanted);
        assert_eq!(values("3f"), Ok(vec![0x3f]));
        assert_eq!(values("{0x3f, 0x12345000}"), Ok(vec![0x3f, 0x1234_5000]));
        assert_eq!(values("0x3f, 0x00, 0x1c, 0x23"), Ok(vec![0x231c_003f]));
        // The last line of `xxd -p` may be four bytes.
        assert_eq!(
            values("3f001c2300503412\n3f001c23"),
            Ok(vec![0x231c_003f, 0x1234_5000, 0x231c_003f])
        );
        assert!(values("*").unwrap_err().contains("hexdump -v -C"));
        assert!(values("0000000 003f 231c").unwrap_err().contains("od"));
        assert!(dwords("231c003g").is_err() && dwords("123").is_err());
    }

    #[test]
    fn dwords_know_the_words_they_came_from() {
        let places = |text: &str| -> Vec<String> {
            let all = dwords(text).unwrap();
            let place = |d: &super::Dword| text[d.span.start as usize..d.span.end as usize].into();
            all.iter().map(place).collect()
        };
        assert_eq!(places("231c003f, 0x12345000"), ["231c003f", "0x12345000"]);
        assert_eq!(
            places("0: 3f00 1c23 0050 3412  ?"),
            ["3f00 1c23", "0050 3412"]
        );
    }
}
