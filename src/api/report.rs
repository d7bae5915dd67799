//! Diagnostics with the texts that they speak of.

use crate::diagnostic::{Diagnostic, any_fatal, render, to_json};
use crate::harness::bind::{Layer, Problem};
use crate::source::Source;
use serde_json::Value;
use std::fmt;

/// All that visim has to say of one text or run: diagnostics in text order, each with the text it points into.
///
/// As an [`Error`](std::error::Error) it says why something did not run; [`Outcome::warnings`](crate::Outcome::warnings)
/// is one too, without anything fatal. [`Display`](fmt::Display) gives what the command line prints, place and remedy
/// included; [`Report::to_json`] the same as fields.
///
/// ```
/// use visim::{Module, Platform, Source};
///
/// let text = ".version 4.1\n.kernel \"k\"\n    mov (M1, 8) V32(0,0)<1> 1:d\n";
/// let module = Module::parse(&Source::new("k.visa", text)).unwrap();
/// let report = module.program("k", Platform::default()).unwrap_err();
/// assert_eq!(report.diagnostics().next().unwrap().code.to_string(), "E0202");
/// assert!(report.to_string().contains("k.visa:3:17"));
/// ```
#[derive(Clone, Default)]
pub struct Report {
    entries: Vec<(Diagnostic, Source)>,
}

impl Report {
    /// Diagnostics of one text.
    pub(super) fn of_text(diagnostics: Vec<Diagnostic>, source: &Source) -> Report {
        let entries = diagnostics.into_iter();
        Report {
            entries: entries.map(|d| (d, source.clone())).collect(),
        }
    }

    /// Problems of several texts.
    pub(super) fn of_layers(problems: Vec<Problem>, layers: &[Layer]) -> Report {
        let entry = |p: Problem| Some((p.diagnostic, layers.get(p.layer)?.source.clone()));
        Report {
            entries: problems.into_iter().filter_map(entry).collect(),
        }
    }

    /// The diagnostics, in text order.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.entries.iter().map(|(diagnostic, _)| diagnostic)
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether something in it keeps the program from running: everything but warnings does.
    pub fn is_fatal(&self) -> bool {
        self.diagnostics().any(|d| d.class().is_fatal())
    }

    /// An array of objects, one for each diagnostic, with the fields `code class message file line column labels
    /// notes help see`, as `--format json` prints them.
    pub fn to_json(&self) -> Value {
        let entries = self.entries.iter();
        entries.map(|(d, source)| to_json(d, source)).collect()
    }

    /// `value`, or the report if it has something fatal to say.
    pub(super) fn unless_fatal<T>(
        diagnostics: Vec<Diagnostic>,
        source: &Source,
        value: T,
    ) -> Result<T, Report> {
        match any_fatal(&diagnostics) {
            true => Err(Report::of_text(diagnostics, source)),
            false => Ok(value),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (diagnostic, source) in &self.entries {
            f.write_str(&render(diagnostic, source, false))?;
        }
        Ok(())
    }
}

/// As [`Display`](fmt::Display): a `main` that returns a report prints it so.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Report {}
