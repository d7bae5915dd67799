//! `visim check FILE…`: says all that is wrong with programs, and nothing if nothing is.

use super::input::Written;
use super::limits::Limits;
use super::output::{Exit, Output};
use crate::check::CheckOptions;
use crate::diagnostic;
use crate::diagnostic::{Diagnostic, any_fatal};
use crate::harness::bind::{Layer, Problem};
use crate::harness::front::Front;
use crate::harness::grants::Grants;
use crate::harness::language::Language;
use crate::harness::{clauses, load, session, tld};
use crate::isa::Platform;
use crate::source::Source;
use crate::surface::ledger::{Deadline, Ledger};
use crate::tld::Strictness;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Checks programs without running them.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The programs; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, value_parser = platform, help = for_platform("Check for this platform rather than the one the file names"))]
    platform: Option<Platform>,
    /// Texture loads: refuse what the vendor's page forbids and code in the wild does.
    #[arg(long)]
    strict: bool,
    /// Take instructions that the platform's hardware has lost, with a warning.
    #[arg(long)]
    allow_removed: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    written: Written,
}

/// Prints every platform with its generation and its other names.
pub fn platforms(output: &mut Output) {
    let mut text = String::new();
    for platform in Platform::ALL {
        let others: Vec<&str> = platform.names().skip(1).collect();
        let (generation, grf) = (platform.generation.to_string(), platform.grf_bytes);
        text += &format!(
            "{platform:<6} {generation:<8} {grf}-byte registers  {}\n",
            others.join(" ")
        );
    }
    output.text(&text);
    output.field("platforms", || {
        let row = |platform: &Platform| {
            let names: Vec<&str> = platform.names().collect();
            json!({
                "names": names,
                "generation": platform.generation.to_string(),
                "grf_bytes": platform.grf_bytes,
            })
        };
        Platform::ALL.iter().map(row).collect()
    });
}

/// The help of an option that takes a platform.
pub fn for_platform(what: &str) -> String {
    let names: Vec<&str> = Platform::ALL.iter().map(|p| p.name).collect();
    format!("{what} ({}; `?` lists them)", names.join(" "))
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
        let deadline = self.limits.asked_time().and_then(Deadline::after);
        for path in &self.files {
            // The time is that of all files, the memory that of each.
            if deadline.is_some_and(|deadline| deadline.is_over().is_some()) {
                let late = format!("L0761: {} is not checked: the time is over", path.display());
                return exit.max(output.complain(&late));
            }
            let path = match self.written.find(path, (self.platform, None), output) {
                Ok(path) => path,
                Err(why) => {
                    exit = exit.max(why);
                    continue;
                }
            };
            match load::source_for(&path, self.platform, None) {
                Ok(source) => {
                    let ledger = self.limits.ledger(deadline);
                    let one = || self.one(&path, &source, output);
                    let passed = Grants::closed().within(|| Ledger::within(Some(&ledger), one));
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
        let (mut layer, mut diagnostics) = session::file_layer(source.clone(), path);
        layer.language = self.written.of(path);
        let language = layer.language;
        let mut layers = vec![layer];
        layers.extend(self.platform.map(Layer::of_platform));
        diagnostics.extend(match language {
            Language::Visa => {
                let options = CheckOptions {
                    platform: session::platform(&layers),
                    allow_removed: self.allow_removed,
                    ..CheckOptions::default()
                };
                Front::with(source, &options).diagnostics
            }
            Language::Tld => match tld::start(&layers, Vec::new(), Strictness::of(self.strict)) {
                Ok((_, warnings)) => of_file(warnings),
                Err(problems) => of_file(problems),
            },
            Language::Send => crate::sends::program(source).1,
        });
        let binds = language != Language::Tld && !any_fatal(&diagnostics);
        if binds && layers[0].directives.names_something() {
            diagnostics.extend(of_file(session::bindings(&layers)));
        }
        diagnostic::in_text_order(&mut diagnostics);
        output.diagnostics(&diagnostics, source);
        !any_fatal(&diagnostics)
    }
}

/// What is wrong in the file; the other layer is an option that clap has looked at.
fn of_file(problems: Vec<Problem>) -> Vec<Diagnostic> {
    let own = problems.into_iter().filter(|p| p.layer == 0);
    own.map(|p| p.diagnostic).collect()
}
