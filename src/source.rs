//! Source text and places in it.
//!
//! A [`Span`] is a byte range in one [`Source`]; lines and columns are computed only when a
//! diagnostic is rendered, so that nothing before that pays for them.

use std::fmt;
use std::ops::{Deref, Range};

/// One text file, with its name as the user wrote it.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

/// The greatest text visim reads, in bytes; spans are 32-bit offsets and real kernels stay far below it.
pub const MAX_SOURCE_BYTES: usize = 1 << 30;

impl Source {
    /// Wraps `text`; `name` is what diagnostics call it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let (name, text) = (name.into(), text.into());
        assert!(
            text.len() <= MAX_SOURCE_BYTES,
            "{name}: {} bytes of text",
            text.len()
        );
        let line_starts = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|&(_, b)| b == b'\n')
                    .map(|(i, _)| i as u32 + 1),
            )
            .collect();
        Source {
            name,
            text,
            line_starts,
        }
    }

    /// The name given at construction.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text that `span` covers.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// The one-based line number that holds byte `offset`.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// One-based line and column (in characters) of byte `offset`.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        (line, self.text[start..end].chars().count() + 1)
    }

    /// The text of the one-based line `line`, without its line break; empty for line 0 and past the end.
    pub fn line_text(&self, line: usize) -> &str {
        let text = self.line_span(line).map_or("", |span| self.slice(span));
        text.trim_end_matches('\n')
    }

    /// The place of the one-based line `line` with its line break; `None` for line 0 and past the end.
    pub fn line_span(&self, line: usize) -> Option<Span> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let end = self.line_starts.get(line).copied();
        Some(Span::new(start, end.unwrap_or(self.text.len() as u32)))
    }
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
    use super::Source;

    #[test]
    fn lines_count_from_one_and_others_are_empty() {
        let source = Source::new("k", "one\ntwo\n\nfour");
        let lines = [0, 1, 2, 3, 4, 5, usize::MAX].map(|line| source.line_text(line));
        assert_eq!(lines, ["", "one", "two", "", "four", "", ""]);
        assert_eq!(source.line_span(0), None);
        assert_eq!(source.line_span(2).map(|s| (s.start, s.end)), Some((4, 8)));
    }
}
