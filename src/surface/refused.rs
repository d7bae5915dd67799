//! A message that a surface cannot answer.

use crate::diagnostic::Class;

/// Why a message was not carried out. Nothing was read or written.
///
/// The executor turns it into a diagnostic and adds the instruction, thread and lanes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    /// Whose move it is.
    pub class: Class,
    /// The values at hand and the rule, in one sentence.
    pub what: String,
    /// The section that says so.
    pub see: &'static str,
}

impl Refused {
    /// The surface is of the wrong sort: bind another.
    pub fn error(what: impl Into<String>, see: &'static str) -> Refused {
        Refused {
            class: Class::Error,
            what: what.into(),
            see,
        }
    }

    /// The manuals promise nothing.
    pub fn undefined(what: impl Into<String>, see: &'static str) -> Refused {
        Refused {
            class: Class::Undefined,
            what: what.into(),
            see,
        }
    }

    /// Defined, but not modelled.
    pub fn unsupported(what: impl Into<String>, see: &'static str) -> Refused {
        Refused {
            class: Class::Unsupported,
            what: what.into(),
            see,
        }
    }
}
