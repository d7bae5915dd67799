//! From text to what can be lowered: reading and checking in one step.

use crate::check::{CheckOptions, Checked, check};
use crate::diagnostic;
use crate::diagnostic::{Code, Diagnostic, any_fatal};
use crate::isa::Platform;
use crate::source::Source;
use crate::syntax::ast::Module;
use crate::syntax::{ParseOptions, parse};

/// A text, read and checked.
#[derive(Clone, Debug)]
pub struct Front {
    /// The lines.
    pub module: Module,
    /// The program.
    pub checked: Checked,
    /// All that was found, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// A text without a kernel or function.
fn nothing() -> Diagnostic {
    Diagnostic::with_message(Code::E0601, "the file has no kernel")
        .help("`.version 3.6` and `.kernel \"name\"` in front of the instructions")
        .see("vISA text reference 2")
}

impl Front {
    /// Reads and checks `source` for `platform`.
    pub fn new(source: &Source, platform: Platform) -> Front {
        Front::with(
            source,
            &CheckOptions {
                platform,
                ..CheckOptions::default()
            },
        )
    }

    /// Reads and checks `source` by `options`.
    pub fn with(source: &Source, options: &CheckOptions) -> Front {
        let reading = ParseOptions {
            grf_bytes: options.platform.grf_bytes(),
        };
        let parsed = parse(source, &reading);
        let (checked, found) = check(&parsed.module, options);
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(found);
        if checked.units.is_empty() && diagnostics.is_empty() {
            diagnostics.push(nothing());
        }
        diagnostic::in_text_order(&mut diagnostics);
        Front {
            module: parsed.module,
            checked,
            diagnostics,
        }
    }

    /// Whether the program must not run.
    pub fn is_refused(&self) -> bool {
        any_fatal(&self.diagnostics)
    }
}
