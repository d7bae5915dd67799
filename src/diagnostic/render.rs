//! The one renderer: text for people, JSON for programs.

use super::Diagnostic;
use crate::source::Source;
use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{self, termcolor};
use serde_json::{Value, json};

/// Renders one diagnostic, with colour codes if `colour`.
pub fn render(diagnostic: &Diagnostic, source: &Source, colour: bool) -> String {
    let mut notes: Vec<String> = diagnostic.notes.clone();
    notes.extend(diagnostic.help.iter().map(|h| format!("help: {h}")));
    notes.extend(diagnostic.see.iter().map(|s| format!("see: {s}")));
    let severity = if diagnostic.class().is_fatal() {
        cs::Severity::Error
    } else {
        cs::Severity::Warning
    };
    let labels = diagnostic
        .labels
        .iter()
        .map(|label| {
            let style = if label.primary {
                cs::LabelStyle::Primary
            } else {
                cs::LabelStyle::Secondary
            };
            cs::Label::new(style, (), label.span.range()).with_message(&label.text)
        })
        .collect();
    let report = cs::Diagnostic::new(severity)
        .with_code(diagnostic.code.to_string())
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes);
    let file = SimpleFile::new(source.name(), source.text());
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
        format!("error[{}]: {}\n", diagnostic.code, diagnostic.message)
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
    diagnostics
        .iter()
        .map(|d| render(d, source, colour))
        .collect()
}

/// The diagnostic as fields: `code class message file line column labels notes help see`.
pub fn to_json(diagnostic: &Diagnostic, source: &Source) -> Value {
    let place = diagnostic.span().map(|s| source.line_column(s.start));
    json!({
        "code": diagnostic.code.to_string(),
        "class": diagnostic.class().name(),
        "message": diagnostic.message,
        "file": source.name(),
        "line": place.map(|p| p.0),
        "column": place.map(|p| p.1),
        "labels": diagnostic.labels.iter().map(|l| {
            let (line, column) = source.line_column(l.span.start);
            json!({
                "line": line, "column": column, "start": l.span.start, "end": l.span.end,
                "text": l.text, "primary": l.primary,
            })
        }).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "see": diagnostic.see,
    })
}
