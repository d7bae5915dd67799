//! Text to tree and back.
//!
//! [`parse`] splits the text into logical lines, reads one line at a time and reports every bad line;
//! a bad line is absent from the tree. [`print`](fn@print) writes the form Intel's printer writes, comments
//! kept. What a name means and whether a statement is legal is not decided here but in
//! [`crate::check`].
//!
//! ```text
//!  text ─ line ─▶ logical lines ─ statement ─┬─ directive ─────────┬▶ ast::Module ─ printer ─▶ text
//!                                            └─ suffix, operand ───┘
//! ```
//!
//! The grammar is written down in `grammar/visa.ebnf`; the instruction table
//! ([`crate::isa::opcodes`]) tells what follows each mnemonic.

pub mod ast;
mod context;
mod directive;
pub(crate) mod error;
mod expression;
mod form;
mod immediate;
mod line;
mod lsc;
mod messages;
mod operand;
mod printer;
mod statement;
mod suffix;
mod token;

pub use form::example;
pub use printer::{print, print_instruction, print_statement};

use crate::diagnostic;
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::source::Source;
use crate::surface::Ledger;
use ast::{Line, Module, Statement};
use context::Context;
use std::collections::HashMap;

/// What reading depends on besides the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// Bytes of one general register, the value of `%sizeof(GRF)`: 32, or 64 from PVC on.
    pub grf_bytes: u32,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { grf_bytes: 32 }
    }
}

/// Reading stops here: a file with so many bad lines is not vISA text.
const MAX_BAD_LINES: usize = 1000;

/// Errors of one code, title and label that are reported one by one; more of them are counted.
const MAX_ALIKE: usize = 10;

/// What was said of bad lines, so that a slip made on every line is not told a thousand times.
#[derive(Debug, Default)]
struct Told {
    diagnostics: Vec<Diagnostic>,
    /// Of each kind: how many there were, and where the last that is reported lies in `diagnostics`.
    kinds: HashMap<(Code, String, String), (usize, usize)>,
}

impl Told {
    fn error(&mut self, error: Diagnostic) {
        let label = error.labels.first().map(|label| label.text.clone());
        let kind = (error.code, error.message.clone(), label.unwrap_or_default());
        let (count, last) = self.kinds.entry(kind).or_default();
        *count += 1;
        if *count <= MAX_ALIKE {
            *last = self.diagnostics.len();
            self.diagnostics.push(error);
        }
    }

    /// The diagnostics, the last of each kind with the number of those that are not among them.
    fn finish(mut self) -> Vec<Diagnostic> {
        for (count, last) in self
            .kinds
            .into_values()
            .filter(|(count, _)| *count > MAX_ALIKE)
        {
            let more = counted(count - MAX_ALIKE, "more line");
            self.diagnostics[last]
                .notes
                .push(format!("and {more} like it, not reported one by one"));
        }
        self.diagnostics
    }
}

/// The tree of all lines that could be read, and what is wrong with the others.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The good lines.
    pub module: Module,
    /// One for each bad line, in the order of the text; remarks on good lines among them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text.
///
/// Never fails as a whole: the good lines are in the module whatever is wrong with the others.
/// Any bytes may be given; time grows with the length of the text.
///
/// Source: vISA text reference, sections 1, 2, 4 and 9.
pub fn parse(source: &Source, options: &ParseOptions) -> Parsed {
    let mut cx = Context::new(options.grf_bytes);
    let mut module = Module::default();
    let mut told = Told::default();
    let mut split_diagnostics = Vec::new();
    let mut version_seen = false;
    let mut file = 0;
    let mut bad_lines = 0;
    for (number, logical) in line::split(source.text(), &mut split_diagnostics).enumerate() {
        let text: &str = &logical.text;
        let of = source.file_of(logical.start);
        if of != file {
            // Each file has a version of its own.
            (file, version_seen) = (of, false);
        }
        cx.enter_line(logical.start, text.len());
        if let Err(late) = Ledger::on_time_at(number) {
            let here = cx.place(text.len(), text.len());
            told.diagnostics
                .push(late.diagnostic().at(here, "the text is read up to here"));
            break;
        }
        let mut statement = None;
        if !text.is_empty() {
            match statement::statement(&mut cx, text) {
                Ok((_, read)) => {
                    told.diagnostics.extend(version(&mut version_seen, &read));
                    statement = Some(read);
                }
                Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
                    // A line that fails to read says nothing about the version.
                    version_seen = true;
                    module.unread.extend(declared_name(text));
                    told.error(cx.place_error(error, text));
                    bad_lines += 1;
                    if bad_lines == MAX_BAD_LINES {
                        told.diagnostics.push(too_many(&cx, text));
                        break;
                    }
                }
                Err(nom::Err::Incomplete(_)) => {
                    unreachable!("readers of whole lines never ask for more")
                }
            }
            let remarks = cx.take_remarks();
            if told.diagnostics.len() < MAX_BAD_LINES {
                told.diagnostics.extend(remarks);
            }
        }
        // A bad line is absent, but its comment need not be lost with it.
        if text.is_empty() || statement.is_some() {
            module.lines.push(Line {
                statement,
                comment: logical.comment,
            });
        }
    }
    let mut diagnostics = told.finish();
    diagnostics.extend(split_diagnostics);
    diagnostic::in_text_order(&mut diagnostics);
    Parsed {
        module,
        diagnostics,
    }
}

/// The name that a `.decl` with an error declares, as far as it can be read.
fn declared_name(text: &str) -> Option<String> {
    let after = text.trim_start().strip_prefix(".decl")?;
    let name = after.split_whitespace().next()?;
    Some(name.to_owned())
}

fn too_many(cx: &Context, text: &str) -> Diagnostic {
    Diagnostic::new(Code::L0119)
        .at(
            cx.place(text.len(), text.len()),
            "nothing is read from the next line on",
        )
        .note(format!(
            "reading stops after {MAX_BAD_LINES} lines with errors"
        ))
        .help("fix the lines reported above; is this file vISA text?")
}

/// The first statement is `.version`, and no other is.
fn version(seen: &mut bool, statement: &crate::source::Spanned<Statement>) -> Option<Diagnostic> {
    let is_version = matches!(statement.node, Statement::Version { .. });
    let first = !std::mem::replace(seen, true);
    let (title, label) = match (first, is_version) {
        (true, false) => (
            "`.version` is missing",
            "the first statement is not `.version`",
        ),
        (false, true) => (
            "second `.version`",
            "only the first statement is `.version`",
        ),
        _ => return None,
    };
    Some(
        Diagnostic::with_message(Code::E0107, title)
            .at(statement.span, label)
            .note("a file begins with `.version MAJOR.MINOR`; its value is not checked")
            .help(if first {
                "write `.version 4.1` above"
            } else {
                "remove this line"
            })
            .see("vISA text reference 2.1"),
    )
}
