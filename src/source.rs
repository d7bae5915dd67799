//! Source text and places in it.
//!
//! A [`Span`] is a byte range in one [`Source`]; lines and columns are computed only when a
//! diagnostic is rendered, so that nothing before that pays for them.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

/// One text file, with its name as the user wrote it; or several that are read as one ([`Source::with`]).
#[derive(Clone, Debug)]
pub struct Source {
    /// The files in the order of the text: one at least.
    parts: Vec<FileSpan>,
    text: String,
    /// First bytes of the lines of all parts.
    line_starts: Vec<u32>,
}

/// A file in a text.
#[derive(Clone, Debug)]
struct FileSpan {
    name: String,
    /// Its first byte.
    start: u32,
    /// Lines in front of it.
    lines: usize,
}

/// The greatest text visim reads, in bytes; real kernels stay far below it.
pub const MAX_SOURCE_BYTES: usize = 64 << 20;

/// Lines of the longest text visim reads: a line, however short, has its place in every stage.
pub const MAX_SOURCE_LINES: usize = 1 << 21;

/// Bytes that a source may have, of one that was made here as well: spans are 32-bit offsets.
const MOST: usize = 1 << 30;

/// Whether a text has no more bytes and lines than visim reads.
pub fn is_readable(text: &str) -> bool {
    let lines = || text.bytes().filter(|&byte| byte == b'\n').count();
    text.len() <= MAX_SOURCE_BYTES && lines() <= MAX_SOURCE_LINES
}

impl Source {
    /// Wraps `text`; `name` is what diagnostics call it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let (name, text) = (name.into(), text.into());
        assert!(text.len() <= MOST, "{name}: {} bytes of text", text.len());
        let line_starts = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|&(_, b)| b == b'\n')
                    .map(|(i, _)| i as u32 + 1),
            )
            .collect();
        let part = FileSpan {
            name,
            start: 0,
            lines: 0,
        };
        Source {
            parts: vec![part],
            text,
            line_starts,
        }
    }

    /// This text and `appended`, read as one: places keep the names and lines of their own files. `None` if that is
    /// more than visim reads.
    pub fn with(&self, appended: &Source) -> Option<Source> {
        // A line of its own between them: the end of one file is not the beginning of the next.
        let between = match self.text.ends_with('\n') {
            true => "\n",
            false => "\n\n",
        };
        let start = self.text.len() + between.len();
        let lines = self.line_starts.len() + appended.line_starts.len();
        if start + appended.text.len() > MAX_SOURCE_BYTES || lines > MAX_SOURCE_LINES {
            return None;
        }
        let text = [&self.text, between, &appended.text].concat();
        let mut joined = Source::new("", text);
        let lines = joined.global_line(start as u32) - 1;
        let moved = appended.parts.iter().map(|part| FileSpan {
            name: part.name.clone(),
            start: part.start + start as u32,
            lines: part.lines + lines,
        });
        joined.parts = self.parts.iter().cloned().chain(moved).collect();
        Some(joined)
    }

    /// The name given at construction; of several files, the first one's.
    pub fn name(&self) -> &str {
        &self.parts[0].name
    }

    /// Names of all files in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.name.as_str())
    }

    /// The number of the file that holds byte `offset`: 0 for the first.
    pub fn file_of(&self, offset: u32) -> usize {
        let count = self.parts.partition_point(|part| part.start <= offset);
        count.saturating_sub(1)
    }

    /// The name of the file that holds byte `offset`.
    pub fn name_at(&self, offset: u32) -> &str {
        &self.parts[self.file_of(offset)].name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text that `span` covers.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// The number of lines up to byte `offset`, those of all files.
    fn global_line(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// The one-based line number that holds byte `offset`, in its own file.
    pub fn line_of(&self, offset: u32) -> usize {
        self.global_line(offset) - self.parts[self.file_of(offset)].lines
    }

    /// One-based line and column (in characters) of byte `offset`, in its own file.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let start = self.line_starts[self.global_line(offset) - 1] as usize;
        let end = self.character(offset);
        let column = self.text[start..end].chars().count() + 1;
        (self.line_of(offset), column)
    }

    /// The text as a terminal may have it: control characters are replaced by pictures of them, in names too. `None`
    /// if that is the same text.
    pub fn printable(&self) -> Option<Printable> {
        let names = self.parts.iter().map(|part| printable(&part.name));
        let names: Vec<Cow<'_, str>> = names.collect();
        let text = printable(&self.text);
        if names
            .iter()
            .chain([&text])
            .all(|text| matches!(text, Cow::Borrowed(_)))
        {
            return None;
        }
        let mut longer = Vec::new();
        let mut more = 0;
        for (at, c) in self.text.char_indices() {
            if let Some(picture) = picture(&self.text, at, c) {
                more += picture.len_utf8() as u32 - c.len_utf8() as u32;
                longer.push((at as u32, more));
            }
        }
        let mut source = Source::new("", text);
        let parts = self.parts.iter().zip(names);
        let parts = parts.map(|(part, name)| FileSpan {
            name: name.into_owned(),
            start: moved(&longer, part.start),
            lines: part.lines,
        });
        source.parts = parts.collect();
        Some(Printable { source, longer })
    }

    /// The first byte of the character that holds byte `offset`; past the end, the end.
    pub fn character(&self, offset: u32) -> usize {
        let at = (offset as usize).min(self.text.len());
        let begins = |at: &usize| self.text.is_char_boundary(*at);
        (0..=at).rev().find(begins).unwrap_or(0)
    }

    /// The text of the one-based line `line` of the first file, without its line break; empty for line 0 and past
    /// the end.
    pub fn line_text(&self, line: usize) -> &str {
        let text = self.line_span(line).map_or("", |span| self.slice(span));
        text.trim_end_matches('\n')
    }

    /// The place of the one-based line `line` of the first file with its line break; `None` for line 0 and past the
    /// end.
    pub fn line_span(&self, line: usize) -> Option<Span> {
        self.line_span_in(0, line)
    }

    /// As [`Source::line_span`], for the file of a number.
    pub fn line_span_in(&self, file: usize, line: usize) -> Option<Span> {
        let before = self.parts.get(file)?.lines;
        let index = before + line.checked_sub(1)?;
        if self.parts.get(file + 1).is_some_and(|p| index >= p.lines) {
            return None;
        }
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).copied();
        Some(Span::new(start, end.unwrap_or(self.text.len() as u32)))
    }
}

/// A text without control characters; see [`Source::printable`].
pub struct Printable {
    /// The text.
    pub source: Source,
    /// Bytes of the first text whose character is longer here, and by how many bytes all up to it are.
    longer: Vec<(u32, u32)>,
}

impl Printable {
    /// Where a place of the first text is in this one.
    pub fn span(&self, span: Span) -> Span {
        Span::new(
            moved(&self.longer, span.start),
            moved(&self.longer, span.end),
        )
    }
}

/// Where byte `offset` is after characters have become longer.
fn moved(longer: &[(u32, u32)], offset: u32) -> u32 {
    let before = longer.partition_point(|&(at, _)| at < offset);
    offset + before.checked_sub(1).map_or(0, |last| longer[last].1)
}

/// What is shown in place of a control character, or of one that turns the direction of the text around it.
fn picture(text: &str, at: usize, c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        // The end of a line of Windows.
        '\r' if text[at..].starts_with("\r\n") => None,
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32),
        '\x7f' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(char::REPLACEMENT_CHARACTER)
        }
        _ => None,
    }
}

/// Text of an input as a terminal may have it: pictures in place of control characters, but for the ends of lines.
pub fn printable(text: &str) -> Cow<'_, str> {
    let obeyed = |(at, c)| picture(text, at, c).is_some();
    if !text.char_indices().any(obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = text.char_indices();
    let shown = shown.map(|(at, c)| picture(text, at, c).unwrap_or(c));
    Cow::Owned(shown.collect())
}

/// A half-open byte range in a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// As a range of `usize`, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and where it was written.
///
/// Equality looks at the value alone: two modules that say the same thing in different places are
/// equal, which is what `parse(print(m)) == m` means.
#[derive(Clone, Copy)]
pub struct Spanned<T> {
    /// The value.
    pub node: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `node`, written at `span`.
    pub const fn new(node: T, span: Span) -> Spanned<T> {
        Spanned { node, span }
    }

    /// The same place, another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned {
            node: f(self.node),
            span: self.span,
        }
    }
}

impl Spanned<String> {
    /// The same, borrowed.
    pub fn as_word(&self) -> Spanned<&str> {
        Spanned::new(&self.node, self.span)
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.node
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: fmt::Debug> fmt::Debug for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Span};

    #[test]
    fn lines_count_from_one_and_others_are_empty() {
        let source = Source::new("k", "one\ntwo\n\nfour");
        let lines = [0, 1, 2, 3, 4, 5, usize::MAX].map(|line| source.line_text(line));
        assert_eq!(lines, ["", "one", "two", "", "four", "", ""]);
        assert_eq!(source.line_span(0), None);
        assert_eq!(source.line_span(2).map(|s| (s.start, s.end)), Some((4, 8)));
    }

    #[test]
    fn control_characters_become_pictures_and_places_move() {
        let text = "a\x1b[2J\u{9b}b\r\n\tc\rd\u{202e}\x7fe";
        let source = Source::new("k\x07", text);
        let shown = source.printable().expect("control characters");
        assert_eq!(shown.source.text(), "a␛[2J\u{fffd}b\r\n\tc␍d\u{fffd}␡e");
        assert_eq!(shown.source.name(), "k␇");
        for word in ["a", "b", "c", "d", "e", "[2J"] {
            let at = text.find(word).expect("there") as u32;
            let place = shown.span(Span::new(at, at + word.len() as u32));
            assert_eq!(shown.source.slice(place), word);
            assert_eq!(
                shown.source.line_column(place.start),
                source.line_column(at)
            );
        }
        assert!(Source::new("é", "ö\n\t").printable().is_none());
    }

    #[test]
    fn files_read_as_one_keep_their_names_and_lines() {
        let [a, b, c] = [("a", "one\ntwo"), ("b", "three\nfour\n"), ("c", "five")]
            .map(|(name, text)| Source::new(name, text));
        let joined = a.with(&b).and_then(|ab| ab.with(&c)).expect("short");
        let place = |word| {
            let at = joined.text().find(word).expect("there") as u32;
            (joined.name_at(at), joined.line_of(at), joined.file_of(at))
        };
        let words = ["one", "two", "three", "four", "five"].map(place);
        let wanted = [
            ("a", 1, 0),
            ("a", 2, 0),
            ("b", 1, 1),
            ("b", 2, 1),
            ("c", 1, 2),
        ];
        assert_eq!(words, wanted);
        // The end of a file belongs to it.
        assert_eq!(joined.name_at(a.text().len() as u32), "a");
        assert_eq!(joined.line_text(2), "two");
        assert_eq!(joined.line_span(9), None);
        let line = joined.line_span_in(1, 2).expect("a line");
        assert_eq!(joined.slice(line), "four\n");
    }
}
