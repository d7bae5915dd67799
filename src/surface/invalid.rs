//! A description or a state that breaks a rule.

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
}

impl Invalid {
    pub(crate) fn new(code: Code, what: impl Into<String>) -> Invalid {
        Invalid {
            code,
            what: what.into(),
            dword: None,
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
        self.code == Code::L0713
    }

    /// Whether it is a warning: the state is used all the same.
    pub fn is_remark(&self) -> bool {
        self.code.info().class == Class::Warning
    }

    /// The diagnostic, at the words that gave the values.
    pub fn at(&self, span: Span) -> Diagnostic {
        Diagnostic::new(self.code).at(span, self.what.clone())
    }
}
