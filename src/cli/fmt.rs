//! `visim fmt FILE…`: programs in the form Intel's printer writes, comments kept.

use super::input::Written;
use super::output::{Exit, Output};
use crate::diagnostic::{Diagnostic, any_fatal};
use crate::files::Writes;
use crate::harness::language::Language;
use crate::harness::{companion_files, directive, load};
use crate::source::Source;
use crate::syntax::{ParseOptions, parse, print};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Prints programs in canonical form.
#[derive(Debug, clap::Args)]
pub struct Fmt {
    /// The programs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print nothing; name the files that are not in this form and end with 1 if there are any.
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Rewrite the files in place.
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    written: Written,
}

impl Fmt {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let mut exit = Exit::Fine;
        let mut results = Vec::new();
        for path in &self.files {
            let path = &match self.written.find(path, (None, None), output) {
                Ok(path) => path,
                Err(why) => {
                    exit = exit.max(why);
                    continue;
                }
            };
            let source = match load::source(path) {
                Ok(source) => source,
                Err(error) => {
                    exit = exit.max(output.complain(&error.to_string()));
                    continue;
                }
            };
            let (printed, diagnostics) = match self.written.of(path) {
                Language::Visa => visa(&source),
                Language::Tld => crate::tld::print::canonical(&source),
                Language::Send => crate::sends::canonical(&source),
            };
            if any_fatal(&diagnostics) {
                // A line that cannot be read would be lost.
                output.diagnostics(&diagnostics, &source);
                exit = exit.max(Exit::Program);
                continue;
            }
            let changed = printed != source.text();
            if self.check {
                if changed {
                    output.text(&format!("{}\n", source.name()));
                    exit = exit.max(Exit::Program);
                }
            } else if self.write && load::program(path).is_ok_and(|program| program.is_some()) {
                let text = "is a compiled program: its text is printed without --write, and not written back";
                exit = exit.max(output.complain(&format!("{} {text}", path.display())));
            } else if self.write && path != Path::new("-") {
                if changed && let Err(error) = rewrite(path, &printed) {
                    exit = exit.max(output.complain(&error.to_string()));
                }
            } else {
                output.text(&printed);
            }
            results.push(json!({ "file": source.name(), "changed": changed, "text": printed }));
        }
        output.field("files", || json!(results));
        exit
    }
}

fn visa(source: &Source) -> (String, Vec<Diagnostic>) {
    // Constant expressions are printed as their values, and %sizeof(GRF) depends on the platform.
    let platform = directive::read(source).0.platform.map(|p| p.node);
    let own = || companion_files::trailer(source.text()).map(|trailer| trailer.0);
    let platform = platform.or_else(own).unwrap_or_default();
    let grf_bytes = platform.grf_bytes();
    let parsed = parse(source, &ParseOptions { grf_bytes });
    (print(&parsed.module), parsed.diagnostics)
}

fn rewrite(path: &Path, text: &str) -> Result<(), crate::files::WriteError> {
    let mut writes = Writes::default();
    writes.add(path, text.as_bytes())?;
    writes.commit().map(drop)
}
