//! Diagnostics: what visim says of a program, as data, and the one place that renders it.
//!
//! Four classes tell whose move it is ([`Class`]); a code ([`Code`]) is stable and listed once, in
//! [`codes`]; `visim explain E0301` prints its long text.

pub mod codes;
mod nearest;
mod render;

pub use codes::{CODES, Code, CodeInfo};
pub use nearest::nearest;
pub use render::{render, render_all, to_json};

use crate::source::Span;

/// Whose move it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The text is not valid vISA: fix the program.
    Error,
    /// Valid, but the hardware promises nothing here.
    Undefined,
    /// Valid and defined; visim does not model it yet.
    Unsupported,
    /// Too big for this run: raise the named option.
    Limit,
    /// Accepted, with a remark: two sources disagree, or the text is unusual.
    Warning,
}

impl Class {
    /// The word that opens a rendered diagnostic.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Error => "error",
            Class::Undefined => "undefined",
            Class::Unsupported => "unsupported",
            Class::Limit => "limit",
            Class::Warning => "warning",
        }
    }

    /// Whether the program cannot go on: everything but a warning.
    pub const fn is_fatal(self) -> bool {
        !matches!(self, Class::Warning)
    }
}

/// A place and what is wrong with the values there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The values at hand.
    pub text: String,
    /// Underlined strongly; the first one gives the position.
    pub primary: bool,
}

/// Text to be pasted: with it in the place of what is there, the finding is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it replaces; empty where it is inserted.
    pub span: Span,
    /// The text; empty where what is there is to be removed.
    pub text: String,
}

/// One thing visim has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code; its class is part of it.
    pub code: Code,
    /// What is wrong, in the reader's words.
    pub message: String,
    /// Places; the first primary one is *the* place.
    pub labels: Vec<Label>,
    /// The rule and the arithmetic.
    pub notes: Vec<String>,
    /// Text that can be pasted, or what to do.
    pub help: Option<String>,
    /// The same for a tool: what to paste, and where.
    pub fix: Option<Fix>,
    /// The section that says so.
    pub see: Option<String>,
}

impl Diagnostic {
    /// A diagnostic with the code's own title.
    pub fn new(code: Code) -> Diagnostic {
        Diagnostic::with_message(code, code.info().title)
    }

    /// A diagnostic with a title of its own.
    pub fn with_message(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
            see: None,
        }
    }

    /// Adds the place, with the values at hand.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: true,
        });
        self
    }

    /// Adds a second place.
    pub fn and_at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: false,
        });
        self
    }

    /// Adds the rule or the arithmetic.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Says what to paste in the place of the first label, and helps with it where nothing helps yet.
    pub fn paste(mut self, text: impl Into<String>) -> Diagnostic {
        let text = text.into();
        self.help.get_or_insert_with(|| text.clone());
        let span = self.span().unwrap_or_default();
        self.fix = Some(Fix { span, text });
        self
    }

    /// Cites the section.
    pub fn see(mut self, text: impl Into<String>) -> Diagnostic {
        self.see = Some(text.into());
        self
    }

    /// The class of the code.
    pub fn class(&self) -> Class {
        self.code.info().class
    }

    /// The place, if the diagnostic has one.
    pub fn span(&self) -> Option<Span> {
        self.labels
            .iter()
            .find(|l| l.primary)
            .or(self.labels.first())
            .map(|l| l.span)
    }
}

/// So many of a thing: `1 work-item`, `2 work-items`.
pub fn counted(n: impl TryInto<u64>, thing: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Sorts them by where they begin in the text; those without a place are in front.
pub fn in_text_order(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|d| d.span().map_or(0, |s| s.start));
}

/// Whether any of them stops the program.
pub fn any_fatal(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.class().is_fatal())
}
