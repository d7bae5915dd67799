//! `visim check FILE…`: says all that is wrong with programs, and nothing if nothing is.

use super::output::{Exit, Output};
use crate::harness::front::Front;
use crate::harness::sends::is_sends;
use crate::harness::{clauses, directive, load, tld};
use crate::isa::Platform;
use crate::source::Source;
use crate::tld::Strictness;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Checks programs without running them.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The programs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check for this platform rather than the one the file names.
    #[arg(long, value_parser = platform)]
    platform: Option<Platform>,
    /// Texture loads: refuse what the vendor's page forbids and code in the wild does.
    #[arg(long)]
    strict: bool,
}

/// Reads a platform's name for clap.
pub fn platform(name: &str) -> Result<Platform, String> {
    let source = crate::source::Span::new(0, name.len() as u32);
    let word = crate::source::Spanned::new(name, source);
    clauses::platform(word).map(|p| p.node).map_err(|m| {
        let help = m.help.clone().unwrap_or_default();
        format!("no such platform; {help}")
    })
}

impl Check {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let mut exit = Exit::Fine;
        let mut accepted = Vec::new();
        for path in &self.files {
            match load::source(path) {
                Ok(source) => {
                    let passed = self.one(path, &source, output);
                    accepted.push(json!({ "file": source.name(), "accepted": passed }));
                    if !passed {
                        exit = exit.max(Exit::Program);
                    }
                }
                Err(error) => exit = exit.max(output.complain(&error.to_string())),
            }
        }
        output.field("files", || json!(accepted));
        exit
    }

    fn one(&self, path: &Path, source: &Source, output: &mut Output) -> bool {
        let (directives, mut diagnostics) = directive::read(source);
        if tld::is_tld(path) {
            let strictness = Strictness::of(self.strict);
            diagnostics.extend(crate::tld::parse(source, strictness).1);
        } else if is_sends(path) {
            diagnostics.extend(crate::sends::program(source).1);
        } else {
            let platform = self.platform.or(directives.platform.map(|p| p.node));
            let front = Front::new(source, platform.unwrap_or_default());
            diagnostics.extend(front.diagnostics);
        }
        diagnostics.sort_by_key(|d| d.span().map_or(0, |s| s.start));
        output.diagnostics(&diagnostics, source);
        !crate::diagnostic::any_fatal(&diagnostics)
    }
}
