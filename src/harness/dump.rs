//! Hexadecimal dumps as dwords.
//!
//! Words of eight digits are dwords, with or without `0x`. Words of two digits are bytes and words of four
//! pairs of bytes in the order of memory, as `xxd` prints them. An offset with a colon may open a line;
//! after it, two blanks end what is read.

use crate::source::Span;

/// A dword of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dword {
    /// Its value.
    pub value: u32,
    /// The words of the text that gave its bytes.
    pub span: Span,
}

/// The dwords of a dump; bytes missing in the last one are zero.
///
/// # Errors
/// A sentence naming the word that is none of the three.
pub fn dwords(text: &str) -> Result<Vec<Dword>, String> {
    let mut bytes: Vec<(u8, Span)> = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let line = match line.split_once(':') {
            Some((_, rest)) => rest.trim_start().split("  ").next().unwrap_or_default(),
            None => line,
        };
        for word in line.split([' ', '\t', ',']).filter(|w| !w.is_empty()) {
            // Parts of a text know their place in it.
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let span = Span::new(start as u32, (start + word.len()) as u32);
            let digits = word.strip_prefix("0x").unwrap_or(word);
            let bad =
                || format!("`{word}` is neither a dword of eight hexadecimal digits nor bytes");
            let value = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
            let mut push = |some: &[u8]| bytes.extend(some.iter().map(|byte| (*byte, span)));
            match digits.len() {
                2 => push(&[value as u8]),
                4 => push(&(value as u16).to_be_bytes()),
                8 => push(&value.to_le_bytes()),
                _ => return Err(bad()),
            }
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
        assert_eq!(values("3f"), Ok(vec![0x3f]));
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
