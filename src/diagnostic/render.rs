//! The one renderer: text for people, JSON for programs.

use super::Diagnostic;
use crate::source::{Printable, Source, printable};
use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, termcolor};
use serde_json::{Value, json};
use std::ops::Range;

/// Bytes of a line that are shown; of a longer one, so many around what is underlined.
const LONGEST_LINE: usize = 400;

/// A source as the renderer reads it: its lines are known, and long ones are cut to a window.
struct Windowed<'s> {
    source: &'s Source,
    /// What is to be seen, its beginning at least, of its line.
    focus: Range<usize>,
}

impl Windowed<'_> {
    fn line(&self, file: usize, index: usize) -> Option<Range<usize>> {
        let span = self.source.line_span_in(file, index + 1);
        span.map(|span| span.range())
    }

    /// The part of a line that is shown.
    fn window(&self, line: Range<usize>) -> Range<usize> {
        if line.len() <= LONGEST_LINE {
            return line;
        }
        // Three quarters of the window are for what follows.
        let from = match line.contains(&self.focus.start) {
            true => self.focus.start.saturating_sub(LONGEST_LINE / 4),
            false => line.start,
        };
        let inside = |at: &usize| self.source.text().is_char_boundary(*at);
        let from = (from.max(line.start)..line.end).find(inside);
        let from = from.unwrap_or(line.end);
        let to = (from + LONGEST_LINE).min(line.end);
        let to = (from..=to).rev().find(inside).unwrap_or(from);
        from..to
    }

    /// A range, cut to what is shown of the line it begins on; `None` if it begins elsewhere.
    fn shown(&self, range: Range<usize>) -> Option<Range<usize>> {
        let start = range.start as u32;
        let line = self.line(self.source.file_of(start), self.source.line_of(start) - 1)?;
        if line.len() <= LONGEST_LINE {
            return Some(range);
        }
        let window = self.window(line);
        let inside = window.start <= range.start && range.start <= window.end;
        inside.then(|| range.start..range.end.min(window.end))
    }
}

impl<'s> Files<'s> for Windowed<'s> {
    type FileId = usize;
    type Name = &'s str;
    type Source = &'s str;

    fn name(&self, file: usize) -> Result<&'s str, Error> {
        self.source.names().nth(file).ok_or(Error::FileMissing)
    }

    fn source(&self, _: usize) -> Result<&'s str, Error> {
        Ok(self.source.text())
    }

    fn line_index(&self, _: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.source.line_of(byte as u32) - 1)
    }

    fn column_number(&self, _: usize, _: usize, byte: usize) -> Result<usize, Error> {
        Ok(self.source.line_column(byte as u32).1)
    }

    fn line_range(&self, file: usize, index: usize) -> Result<Range<usize>, Error> {
        let line = self.line(file, index).ok_or(Error::LineTooLarge {
            given: index,
            max: self.source.line_of(u32::MAX) - 1,
        })?;
        Ok(self.window(line))
    }
}

/// Renders one diagnostic, with colour codes if `colour`.
///
/// What the input brings is shown without control characters ([`printable`]), which a terminal would obey.
pub fn render(diagnostic: &Diagnostic, source: &Source, colour: bool) -> String {
    show(diagnostic, source, source.printable().as_ref(), colour)
}

/// As [`render`], with what the text is where a terminal would obey some of it.
fn show(
    diagnostic: &Diagnostic,
    source: &Source,
    shown: Option<&Printable>,
    colour: bool,
) -> String {
    match shown {
        None => rendered(diagnostic, source, colour),
        Some(shown) => {
            let mut diagnostic = diagnostic.clone();
            for label in &mut diagnostic.labels {
                label.span = shown.span(label.span);
            }
            rendered(&diagnostic, &shown.source, colour)
        }
    }
}

/// As [`render`], of a text without control characters.
fn rendered(diagnostic: &Diagnostic, source: &Source, colour: bool) -> String {
    let mut notes: Vec<String> = diagnostic.notes.clone();
    notes.extend(diagnostic.help.iter().map(|h| format!("help: {h}")));
    notes.extend(diagnostic.see.iter().map(|s| format!("see: {s}")));
    for note in &mut notes {
        *note = printable(note).into_owned();
    }
    let severity = if diagnostic.class().is_fatal() {
        cs::Severity::Error
    } else {
        cs::Severity::Warning
    };
    let focus = diagnostic.span().unwrap_or_default().range();
    let file = Windowed { source, focus };
    let mut labels = Vec::new();
    for label in &diagnostic.labels {
        let style = if label.primary {
            cs::LabelStyle::Primary
        } else {
            cs::LabelStyle::Secondary
        };
        match file.shown(label.span.range()) {
            Some(range) => {
                let of = source.file_of(label.span.start);
                labels.push(cs::Label::new(style, of, range).with_message(printable(&label.text)));
            }
            None => {
                let (line, column) = source.line_column(label.span.start);
                notes.push(format!(
                    "line {line}, column {column}: {}",
                    printable(&label.text)
                ));
            }
        }
    }
    let report = cs::Diagnostic::new(severity)
        .with_code(diagnostic.code.to_string())
        .with_message(printable(&diagnostic.message))
        .with_labels(labels)
        .with_notes(notes);
    let config = term::Config::default();
    let mut buffer = if colour {
        termcolor::Buffer::ansi()
    } else {
        termcolor::Buffer::no_color()
    };
    let rendered = term::emit_to_write_style(&mut buffer, &config, &file, &report);
    let text = String::from_utf8_lossy(buffer.as_slice()).into_owned();
    // Only a span outside the text can fail, which would be our own mistake: still say what we know.
    let text = if rendered.is_ok() {
        text
    } else {
        format!(
            "error[{}]: {}\n",
            diagnostic.code,
            printable(&diagnostic.message)
        )
    };
    // The library knows errors and warnings; the class is the first word a reader sees.
    text.replacen(
        "error",
        diagnostic.class().name(),
        usize::from(diagnostic.class().is_fatal()),
    )
}

/// Renders all of them, one after the other.
pub fn render_all(diagnostics: &[Diagnostic], source: &Source, colour: bool) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    // The whole text is gone through: once for all that is said of it.
    let shown = source.printable();
    diagnostics
        .iter()
        .map(|d| show(d, source, shown.as_ref(), colour))
        .collect()
}

/// The diagnostic as fields: `code class message file line column labels notes help fix see`.
pub fn to_json(diagnostic: &Diagnostic, source: &Source) -> Value {
    let place = diagnostic.span().map(|s| source.line_column(s.start));
    json!({
        "code": diagnostic.code.to_string(),
        "class": diagnostic.class().name(),
        "message": diagnostic.message,
        "file": source.name_at(diagnostic.span().map_or(0, |s| s.start)),
        "line": place.map(|p| p.0),
        "column": place.map(|p| p.1),
        "labels": diagnostic.labels.iter().map(|l| {
            let (line, column) = source.line_column(l.span.start);
            json!({
                "file": source.name_at(l.span.start), "line": line, "column": column, "start": l.span.start, "end": l.span.end,
                "text": l.text, "primary": l.primary,
            })
        }).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "fix": diagnostic.fix.as_ref().map(|fix| json!({
            "start": fix.span.start, "end": fix.span.end, "text": fix.text,
        })),
        "see": diagnostic.see,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::source::Span;

    #[test]
    fn of_a_long_line_the_part_that_matters_is_shown() {
        let long = format!("{}HERE{}", "é".repeat(50_000), "z".repeat(50_000));
        let text = format!("first\n{long}\nlast\n");
        let source = Source::new("k.visa", &text[..]);
        let at = text.find("HERE").expect("there") as u32;
        let found = Diagnostic::new(Code::E0101)
            .at(Span::new(at, at + 4), "the word")
            .and_at(Span::new(6, 8), "far away")
            .and_at(Span::new(0, 5), "another line");
        let said = render(&found, &source, false);
        assert!(said.contains("k.visa:2:50001"), "{said}");
        assert!(
            said.contains("HEREzz") && said.contains("^^^^ the word"),
            "{said}"
        );
        assert!(said.contains("line 2, column 1: far away"), "{said}");
        assert!(said.contains("1 \u{2502} first"), "{said}");
        assert!(said.len() < 3 * LONGEST_LINE, "{} bytes", said.len());
        let whole = Span::new(6, 6 + long.len() as u32);
        let said = render(
            &Diagnostic::new(Code::E0101).at(whole, "all"),
            &source,
            false,
        );
        assert!(said.len() < 8 * LONGEST_LINE, "{} bytes", said.len());
    }
}
