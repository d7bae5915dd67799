//! Logical lines: comments taken out, continued lines joined, positions kept.
//!
//! A comment or a continuation is replaced by as many blanks as it has bytes, so that byte `i` of a
//! logical line is byte `start + i` of the source whatever was joined:
//!
//! ```text
//! mov (M1, 8) \          mov (M1, 8)
//!     A(0,0)<1> /* x */      A(0,0)<1>
//! ```
//!
//! Source: vISA text reference 1.1.

use super::error::problem;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};
use std::borrow::Cow;

/// One logical line.
#[derive(Debug, PartialEq)]
pub(super) struct LogicalLine<'s> {
    /// Its text without comments; trailing blanks are gone.
    pub text: Cow<'s, str>,
    /// Where it starts in the source.
    pub start: u32,
    /// Its comments with their marks, joined by one blank.
    pub comment: Option<Spanned<String>>,
}

/// Splits `source`; what cannot be split at all is reported and read as a blank.
pub(super) fn split<'s>(
    source: &'s str,
    diagnostics: &mut Vec<Diagnostic>,
) -> impl Iterator<Item = LogicalLine<'s>> {
    let mut at = 0;
    let mut carriage_return_seen = false;
    std::iter::from_fn(move || {
        (at < source.len()).then(|| next(source, &mut at, &mut carriage_return_seen, diagnostics))
    })
}

/// Reads one logical line from `*at` on and moves `*at` after its line break.
fn next<'s>(
    source: &'s str,
    at: &mut usize,
    carriage_return_seen: &mut bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> LogicalLine<'s> {
    let bytes = source.as_bytes();
    let start = *at;
    // Parts of the line that read as blanks, and the comments among them.
    let mut blanked: Vec<(usize, usize)> = Vec::new();
    let mut comments: Vec<(usize, usize)> = Vec::new();
    let mut i = start;
    let end = loop {
        match bytes.get(i) {
            None | Some(b'\n') => break i,
            Some(b'"') => i = string_end(bytes, i),
            Some(b'/') if bytes.get(i + 1) == Some(&b'/') => {
                let end = line_end(source, i);
                let comment = source[i..end].trim_end();
                comments.push((i, i + comment.len()));
                blanked.push((i, end));
                if source[..end].ends_with('\r') {
                    carriage_return(end - 1, carriage_return_seen, diagnostics);
                }
                i = end;
            }
            Some(b'/') if bytes.get(i + 1) == Some(&b'*') => {
                let end = match source[i + 2..].find("*/") {
                    Some(length) => i + 2 + length + 2,
                    None => {
                        diagnostics.push(unclosed_comment(i));
                        source.len()
                    }
                };
                // An unclosed comment ends nowhere, so it is not kept as one.
                if source[i + 2..end].ends_with("*/") {
                    comments.push((i, end));
                }
                blanked.push((i, end));
                i = end;
            }
            Some(b'\r') if matches!(bytes.get(i + 1), None | Some(b'\n')) => {
                carriage_return(i, carriage_return_seen, diagnostics);
                blanked.push((i, i + 1));
                i += 1;
            }
            Some(b'\\') if i > start && matches!(bytes[i - 1], b' ' | b'\t') => {
                // The carriage return of a CRLF line is between the mark and the line break.
                let returned = usize::from(bytes.get(i + 1) == Some(&b'\r'));
                if bytes.get(i + 1 + returned) == Some(&b'\n') {
                    if returned == 1 {
                        carriage_return(i + 1, carriage_return_seen, diagnostics);
                    }
                    blanked.push((i, i + 2 + returned));
                    i += 2 + returned;
                } else {
                    i += 1;
                }
            }
            Some(_) => i += 1,
        }
    };
    *at = end + 1;
    let blanks = [' ', '\t'];
    let text = if blanked.is_empty() {
        Cow::Borrowed(source[start..end].trim_end_matches(blanks))
    } else if let [(from, to)] = blanked[..]
        && to == end
    {
        // Blanks at the end are gone.
        Cow::Borrowed(source[start..from].trim_end_matches(blanks))
    } else {
        let mut text = String::with_capacity(end - start);
        let mut copied = start;
        for (from, to) in blanked {
            text.push_str(&source[copied..from]);
            text.extend(std::iter::repeat_n(' ', to - from));
            copied = to;
        }
        text.push_str(&source[copied..end]);
        text.truncate(text.trim_end_matches(blanks).len());
        Cow::Owned(text)
    };
    let comment = comments.first().zip(comments.last()).map(|(first, last)| {
        let parts: Vec<&str> = comments
            .iter()
            .map(|&(from, to)| &source[from..to])
            .collect();
        Spanned::new(parts.join(" "), Span::new(first.0 as u32, last.1 as u32))
    });
    LogicalLine {
        text,
        start: start as u32,
        comment,
    }
}

/// The byte after the string that opens at `open`; an unclosed one ends with its line, where the
/// reader of strings reports it.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut i = open + 1;
    loop {
        match bytes.get(i) {
            None | Some(b'\n') => return i,
            Some(b'"') => return i + 1,
            // An escaped line break does not continue a string.
            Some(b'\\') if bytes.get(i + 1).is_some_and(|&b| b != b'\n') => i += 2,
            Some(_) => i += 1,
        }
    }
}

fn line_end(source: &str, from: usize) -> usize {
    source[from..].find('\n').map_or(source.len(), |n| from + n)
}

fn carriage_return(at: usize, seen: &mut bool, diagnostics: &mut Vec<Diagnostic>) {
    if std::mem::replace(seen, true) {
        return;
    }
    diagnostics.push(
        Diagnostic::new(Code::E0103)
            .at(
                Span::new(at as u32, at as u32 + 1),
                "this line ends in CR LF",
            )
            .note("a carriage return is not a blank: lines end in a line feed alone")
            .help("convert the file, for example with `dos2unix`, or `sed -i 's/\\r$//'`")
            .see("vISA text reference 1.1"),
    );
}

fn unclosed_comment(at: usize) -> Diagnostic {
    let mut diagnostic = problem(Code::E0105, "comment is not closed", "no `*/` follows")
        .help("close it with `*/`")
        .see("vISA text reference 1.1");
    diagnostic.labels[0].span = Span::new(at as u32, at as u32 + 2);
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text, start and comment of a line.
    type Found = (String, u32, Option<String>);

    fn lines(source: &str) -> (Vec<Found>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let lines = split(source, &mut diagnostics)
            .map(|l| (l.text.into_owned(), l.start, l.comment.map(|c| c.node)))
            .collect();
        (lines, diagnostics)
    }

    #[test]
    fn comments_and_continuations_keep_positions() {
        let (found, diagnostics) = lines("a /* 1\n2 */ b \\\n  c // d\n\ne");
        assert!(diagnostics.is_empty());
        assert_eq!(
            found,
            [
                (
                    "a           b     c".to_owned(),
                    0,
                    Some("/* 1\n2 */ // d".to_owned())
                ),
                (String::new(), 25, None),
                ("e".to_owned(), 26, None),
            ]
        );
    }

    #[test]
    fn marks_inside_strings_are_text() {
        let (found, _) = lines("FILE \"http://x/*\\\"\" // y");
        assert_eq!(found[0].0, "FILE \"http://x/*\\\"\"");
        assert_eq!(found[0].2.as_deref(), Some("// y"));
    }

    #[test]
    fn carriage_returns_are_reported_once() {
        let (found, diagnostics) = lines("a\r\nb // c\r\nd \\\r\n e\r\n");
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].code, Code::E0103);
        let texts: Vec<&str> = found.iter().map(|l| l.0.as_str()).collect();
        assert_eq!(texts, ["a", "b", "d     e"]);
        assert_eq!(found[1].2.as_deref(), Some("// c"));
    }

    #[test]
    fn an_unclosed_comment_is_reported_and_swallows_the_rest() {
        let (found, diagnostics) = lines("a /* b\nc");
        assert_eq!(found, [("a".to_owned(), 0, None)]);
        assert_eq!(diagnostics[0].code, Code::E0105);
    }
}
