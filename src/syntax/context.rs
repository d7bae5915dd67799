//! What reading one line needs to know of the lines before: sizes and classes of declared names.
//!
//! Constant expressions are worked out while reading, and `avs` may name sampler and surface in
//! either order. Everything else about names is decided by [`crate::check`].

use super::error::Expected;
use super::form::example;
use super::token::blanks;
use crate::diagnostic::{Diagnostic, Fix};
use crate::isa::predefined::{BINDLESS_SAMPLER, PREDEFINED, SURFACES, elements};
use crate::source::{Span, Spanned};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Remarks kept for one line.
const MAX_REMARKS: usize = 8;

/// Storage class of a declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    General,
    Address,
    Predicate,
    Sampler,
    Surface,
}

/// What a declaration says that reading needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub class: Class,
    pub bytes: u64,
}

/// The names in sight, and the line being read.
#[derive(Debug)]
pub(super) struct Context {
    /// Bytes of one general register.
    pub grf_bytes: u32,
    /// The `SimdSize` attribute, once it was given.
    pub dispatch_simd: Option<i64>,
    /// The version of the text is one whose 3D sampler messages name a paired surface.
    pub paired_form: bool,
    scopes: Vec<HashMap<String, Known>>,
    line_start: Cell<u32>,
    line_length: Cell<usize>,
    remarks: RefCell<Vec<Diagnostic>>,
}

impl Context {
    pub fn new(grf_bytes: u32) -> Context {
        Context {
            grf_bytes,
            dispatch_simd: None,
            paired_form: false,
            scopes: vec![HashMap::new()],
            line_start: Cell::new(0),
            line_length: Cell::new(0),
            remarks: RefCell::default(),
        }
    }

    /// A new kernel or function: nothing is declared yet.
    pub fn enter_kernel(&mut self) {
        self.dispatch_simd = None;
        self.scopes = vec![HashMap::new()];
    }

    pub fn open_scope(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// A brace without its partner is left to the check.
    pub fn close_scope(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    pub fn declare(&mut self, name: &str, known: Known) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), known);
        }
    }

    /// What is known of `name`, innermost scope first; built-ins under both their spellings.
    pub fn known(&self, name: &str) -> Option<Known> {
        if let Some(known) = self.scopes.iter().rev().find_map(|s| s.get(name)) {
            return Some(*known);
        }
        let state = |class| Known { class, bytes: 4 };
        if name == BINDLESS_SAMPLER {
            return Some(state(Class::Sampler));
        }
        if SURFACES.iter().any(|&(_, n)| n == name) {
            return Some(state(Class::Surface));
        }
        PREDEFINED
            .iter()
            .find(|row| is_predefined(name, row.0, row.1))
            .map(|row| Known {
                class: Class::General,
                bytes: u64::from(row.2.bytes()) * u64::from(elements(row, self.grf_bytes)),
            })
    }

    /// An example with the names that it has for variables, surface and sampler replaced by declared ones of their
    /// class, so that it can be pasted; as it is where there is none.
    fn in_names_declared(&self, example: &str) -> String {
        let declared = |class: Class| {
            let names = self.scopes.iter().flatten();
            let names = names
                .filter(|(_, known)| known.class == class)
                .map(|(name, _)| name);
            // The same one every time, and the earliest of `T6` and `T10`.
            names.min_by_key(|name| (name.len(), name.as_str()))
        };
        let replaced = |word: &str| match word {
            "D" | "S" => declared(Class::General),
            "T6" => declared(Class::Surface),
            "S0" => declared(Class::Sampler),
            "P1" => declared(Class::Predicate),
            "A0" => declared(Class::Address),
            _ => None,
        };
        let mut text = String::new();
        let mut rest = example;
        while let Some(first) = rest.chars().next() {
            let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let word = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(word.max(first.len_utf8()));
            text.push_str(replaced(word).map_or(word, String::as_str));
            rest = after;
        }
        text
    }

    /// Turns to the line that starts at `start` and has `length` bytes.
    pub fn enter_line(&self, start: u32, length: usize) {
        self.line_start.set(start);
        self.line_length.set(length);
    }

    /// The place `left` bytes before the end of the line, `length` bytes long.
    pub fn place(&self, left: usize, length: usize) -> Span {
        let start = self.line_start.get() as usize + self.line_length.get().saturating_sub(left);
        Span::new(start as u32, (start + length) as u32)
    }

    /// The text between `from`, after its blanks, and `to`, both rests of the line.
    pub fn span(&self, from: &str, to: &str) -> Span {
        let from = blanks(from).len();
        self.place(from, from.saturating_sub(to.len()))
    }

    /// `value`, written between `from` and `to`.
    pub fn spanned<T>(&self, value: T, from: &str, to: &str) -> Spanned<T> {
        Spanned::new(value, self.span(from, to))
    }

    /// Keeps a remark on text that is read nevertheless.
    pub fn remark(&self, diagnostic: Diagnostic) {
        let mut remarks = self.remarks.borrow_mut();
        // An alternative that was tried twice says it once; a line of a million numbers is not worth
        // a million remarks.
        if remarks.len() < MAX_REMARKS && !remarks.contains(&diagnostic) {
            remarks.push(diagnostic);
        }
    }

    /// Hands out the remarks of the line.
    pub fn take_remarks(&self) -> Vec<Diagnostic> {
        self.remarks.take()
    }

    /// Gives the error its place and words.
    pub fn place_error(&self, error: Expected, line_text: &str) -> Diagnostic {
        match error.problem {
            Some(problem) => {
                let mut diagnostic = problem.diagnostic;
                let place = self.place(error.left, problem.length);
                match diagnostic.labels.first_mut() {
                    Some(label) => label.span = place,
                    None => diagnostic = diagnostic.at(place, ""),
                }
                if let Some(fix) = &mut diagnostic.fix {
                    fix.span = place;
                }
                diagnostic
            }
            None => unexpected(self, error, line_text),
        }
    }
}

/// Whether `name` spells built-in `id`: `%r0` or `V7`.
fn is_predefined(name: &str, id: u8, spelling: &str) -> bool {
    name.strip_prefix('%') == Some(spelling)
        || name
            .strip_prefix('V')
            .is_some_and(|n| n.parse() == Ok(id) && n == id.to_string())
}

/// Whether `name` is the null variable, by either spelling.
pub(super) fn is_null(name: &str) -> bool {
    is_predefined(name, 0, PREDEFINED[0].1)
}

/// "Unexpected text", with the token that is there and the list of what could.
fn unexpected(cx: &Context, error: Expected, line_text: &str) -> Diagnostic {
    use crate::diagnostic::Code;
    let at = line_text.len().saturating_sub(error.left);
    let rest = line_text.get(at..).unwrap_or_default();
    let tail = blanks(rest);
    let token = token_length(tail);
    let found = &tail[..token];
    let wanted = super::error::either(&error.wanted);
    let wanted = if wanted.is_empty() {
        "something else".to_owned()
    } else {
        wanted
    };
    let diagnostic = if found.is_empty() {
        // What is missing is reported where it has to be written: at the end of the line.
        Diagnostic::with_message(Code::E0101, "statement is not complete")
            .at(cx.place(rest.len(), 0), format!("expected {wanted}"))
    } else {
        Diagnostic::new(Code::E0101).at(
            cx.place(tail.len(), token),
            format!(
                "expected {wanted}, found `{}`",
                super::token::shorten(found)
            ),
        )
    };
    let between = found == "," && error.opcode.is_some();
    match error.opcode {
        Some(opcode) if between && line_text.len() <= LONGEST_HELP => {
            let written = line_text.trim();
            let plain = without_commas(written);
            let mut diagnostic = diagnostic
                .note("blanks separate the operands of an instruction; commas are inside of parentheses and angles alone")
                .help(format!("`{plain}`"))
                .see(opcode.info().family.section());
            let left = line_text.trim_start().len();
            let span = cx.place(left, written.len());
            diagnostic.fix = Some(Fix { span, text: plain });
            diagnostic
        }
        Some(opcode) => diagnostic
            .help(format!(
                "`{opcode}` is written, for example, `{}`",
                cx.in_names_declared(&example(opcode))
            ))
            .see(opcode.info().family.section()),
        None => diagnostic.see("vISA text reference 9"),
    }
}

/// A line without the commas between its operands.
fn without_commas(line: &str) -> String {
    let mut depth = 0i32;
    let mut kept = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth <= 0 => {
                kept.push(' ');
                continue;
            }
            _ => {}
        }
        kept.push(c);
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Bytes of a line that a help repeats.
const LONGEST_HELP: usize = 200;

/// Bytes of the token at the start of `text`: a word, or one character.
fn token_length(text: &str) -> usize {
    let word = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    if word > 0 {
        return word;
    }
    text.chars().next().map_or(0, char::len_utf8)
}
