//! A description or a state that breaks a rule.

use super::fixes::fix_for;
use super::ledger::Short;
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::source::Span;

/// What was given, which rule it breaks, and the code of that rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Invalid {
    /// The rule.
    pub code: Code,
    /// The values at hand and what would be allowed, in one sentence.
    pub what: String,
    /// The dword of a packed state that breaks it, if it is one.
    pub dword: Option<u32>,
    /// What a directive says of it, the likeliest first; see [`Fix::keys`](super::fixes::Fix).
    pub keys: &'static [&'static str],
    /// How to fix it.
    pub help: String,
    /// Where the rule is.
    pub see: &'static str,
}

impl From<Short> for Invalid {
    fn from(short: Short) -> Invalid {
        let full = Invalid::new(short.code(), short.to_string());
        full.fix(&["size"], short.help())
    }
}

impl Invalid {
    pub(crate) fn new(code: Code, what: impl Into<String>) -> Invalid {
        let row = fix_for(code);
        Invalid {
            code,
            what: what.into(),
            dword: None,
            keys: row.map_or(&[], |row| row.keys),
            help: row.map_or_else(String::new, |row| row.help.to_string()),
            see: row.map_or("surface reference 5", |row| row.see),
        }
    }

    /// With a fix of its own, and what a directive says of it.
    pub(crate) fn fix(self, keys: &'static [&'static str], help: impl Into<String>) -> Invalid {
        Invalid {
            keys,
            help: help.into(),
            ..self
        }
    }

    /// Names the dword of a packed state that breaks the rule.
    pub(crate) fn in_dword(self, dword: u32) -> Invalid {
        Invalid {
            dword: Some(dword),
            ..self
        }
    }

    /// Whether only visim's own limit on memory is passed, and no rule of the hardware.
    pub fn too_large(&self) -> bool {
        self.code.info().class == Class::Limit
    }

    /// Whether it is a warning: the state is used all the same.
    pub fn is_remark(&self) -> bool {
        self.code.info().class == Class::Warning
    }

    /// The diagnostic, at the words that gave the values.
    pub fn at(&self, span: Span) -> Diagnostic {
        Diagnostic {
            help: Some(self.help.clone()).filter(|help| !help.is_empty()),
            ..Diagnostic::new(self.code)
                .at(span, self.what.clone())
                .see(self.see)
        }
    }
}
