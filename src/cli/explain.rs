//! `visim explain CODE`: the long text of a diagnostic.

use super::output::{Exit, Output};
use crate::diagnostic::{CODES, Code};
use crate::harness::words::nearest;
use serde_json::json;

/// Explains a diagnostic code, or follows one line of a program.
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// A code as `E0301`, or a line as `kernel.visa:12`.
    #[arg(value_name = "CODE|FILE:LINE")]
    subject: String,
}

impl Explain {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        code(&self.subject, output)
    }
}

fn code(name: &str, output: &mut Output) -> Exit {
    let Some(code) = Code::from_name(name) else {
        let meant = nearest(name, CODES.iter().map(|c| c.name));
        let meant = meant.map_or(String::new(), |m| format!("; did you mean {m}?"));
        return output.complain(&format!(
            "`{name}` is neither a code, as E0101, nor a line of a file, as kernel.visa:12{meant}"
        ));
    };
    let info = code.info();
    output.text(&format!(
        "{}[{}]: {}\n\n{}\n",
        info.class.name(),
        info.name,
        info.title,
        info.explanation
    ));
    output.field("code", || json!(info.name));
    output.field("class", || json!(info.class.name()));
    output.field("title", || json!(info.title));
    output.field("explanation", || json!(info.explanation));
    Exit::Fine
}
