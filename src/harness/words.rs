//! The words of a directive or of an option, each with its place.
//!
//! A directive (`// SURFACE T6: photo.png as R8G8B8A8_UNORM`) and an option
//! (`--surface T6=photo.png:R8G8B8A8_UNORM`) say the same thing with other separators. Both are cut
//! into [`Word`]s here and read by the same functions from there on; the text of an option becomes a
//! [`crate::source::Source`] of its own, so that its mistakes are underlined like those of a file.

pub use crate::diagnostic::nearest;
use crate::source::{Span, Spanned};

/// A word and where it is.
pub type Word<'a> = Spanned<&'a str>;

/// Cuts `text`, which starts at byte `base` of its source, at every character of `separators`.
///
/// A word in double quotes may hold separators; the quotes are left out of the word.
pub fn cut<'a>(text: &'a str, base: u32, separators: &[char]) -> Vec<Word<'a>> {
    let mut words = Vec::new();
    let mut rest = 0;
    while rest < text.len() {
        let tail = &text[rest..];
        let skip: usize = tail
            .chars()
            .take_while(|c| separators.contains(c))
            .map(char::len_utf8)
            .sum();
        if skip > 0 {
            rest += skip;
            continue;
        }
        let (word, from, used) = match tail.strip_prefix('"') {
            Some(quoted) => {
                let len = quoted.find('"').unwrap_or(quoted.len());
                (&quoted[..len], rest + 1, (len + 2).min(tail.len()))
            }
            None => {
                // Quotes inside a word (`key="a b"`) hold separators too, and stay in the word.
                let mut quoted = false;
                let end = tail.find(|c| {
                    quoted ^= c == '"';
                    !quoted && separators.contains(&c)
                });
                let len = end.unwrap_or(tail.len());
                (&tail[..len], rest, len)
            }
        };
        let start = base.saturating_add(from as u32);
        words.push(Spanned::new(
            word,
            Span::new(start, start.saturating_add(word.len() as u32)),
        ));
        rest += used;
    }
    words
}

/// `key=value` as two words; `None` without an equals sign or without a key. Directives, options and arguments
/// of kernels read their clauses through this.
pub fn clause<'a>(word: Word<'a>) -> Option<(Word<'a>, Word<'a>)> {
    let (key, value) = word.node.split_once('=')?;
    let middle = word.span.start + key.len() as u32;
    let key = Spanned::new(key, Span::new(word.span.start, middle));
    let value = Spanned::new(value, Span::new(middle + 1, word.span.end));
    (!key.node.is_empty()).then_some((key, value))
}

/// What to write in place of a key that does not exist: the nearest one, or all there are.
pub fn key_help(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}=?"),
        None => format!("keys: {}", known.join(" ")),
    }
}

/// `64x32` or `16x16x4` as numbers; `None` if the word is not a size.
pub fn size(word: &str) -> Option<Vec<u32>> {
    let parts: Vec<&str> = word.split('x').collect();
    (2..=3)
        .contains(&parts.len())
        .then(|| parts.iter().map(|p| decimal(p)).collect())
        .flatten()
}

/// `4,2` or `4,2,1` as numbers; `None` if the word is not such a list.
pub fn pair(word: &str) -> Option<(u32, u32)> {
    let (x, y) = word.split_once(',')?;
    Some((decimal(x)?, decimal(y)?))
}

/// A decimal number of digits only (`+5` and `` are none).
pub fn decimal(word: &str) -> Option<u32> {
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_place_and_quotes_hold_separators() {
        let words = cut("T6=\"my photo.png\":R8_UNORM", 10, &['=', ':']);
        let places: Vec<(&str, u32)> = words.iter().map(|w| (w.node, w.span.start)).collect();
        assert_eq!(places, [("T6", 10), ("my photo.png", 14), ("R8_UNORM", 28)]);
        assert_eq!(cut("\"open", 0, &[' ']).len(), 1);
        assert_eq!(cut("a=\"b c\" d", 0, &[' ']).len(), 2);
    }

    #[test]
    fn clauses_know_the_places_of_key_and_value() {
        let word = Spanned::new("pitch=64", Span::new(7, 15));
        let (key, value) = clause(word).expect("a clause");
        assert_eq!((key.node, key.span), ("pitch", Span::new(7, 12)));
        assert_eq!((value.node, value.span), ("64", Span::new(13, 15)));
        for not in ["pitch", "=64"] {
            assert!(clause(Spanned::new(not, word.span)).is_none(), "{not}");
        }
        assert_eq!(key_help("pich", &["pitch", "kind"]), "did you mean pitch=?");
        assert_eq!(key_help("zzz", &["pitch", "kind"]), "keys: pitch kind");
    }

    #[test]
    fn sizes_are_digits_around_an_x() {
        assert_eq!(size("64x32"), Some(vec![64, 32]));
        assert_eq!(size("8x8x4"), Some(vec![8, 8, 4]));
        for not in [
            "64",
            "x",
            "64x",
            "0x1f",
            "64x-1",
            "6x6x6x6",
            "99999999999x1",
        ] {
            assert_eq!(size(not), None, "{not}");
        }
    }
}
