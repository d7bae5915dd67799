//! `visim test PATH…`: runs files as tests.

use super::input::Written;
use super::output::{Exit, Output};
use crate::harness::case::{self, Status, Verdict};
use crate::harness::compile;
use crate::harness::session::Options;
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;

/// Runs the directives of every program it finds.
#[derive(Debug, clap::Args)]
pub struct Test {
    /// Programs, folders that hold them, or OpenCL C, which is compiled (--device).
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Run only files whose path holds this.
    #[arg(long, value_name = "WORD")]
    filter: Option<String>,
    /// Write what was found in place of what is expected, except where `by hand:` is.
    #[arg(long)]
    bless: bool,
    #[command(flatten)]
    written: Written,
}

impl Test {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let mut files = Vec::new();
        for path in &self.paths {
            if compile::is_opencl(path) {
                match self.written.find(path, (None, None), output) {
                    Ok(program) => files.push((program, path.clone())),
                    Err(exit) => return exit,
                }
                continue;
            }
            match case::find(path) {
                Ok(found) if found.is_empty() => {
                    let what = format!(
                        "{}: contains no .visa, .visaasm, .tld or .send file",
                        path.display()
                    );
                    return output.complain(&what);
                }
                Ok(found) => files.extend(found.into_iter().map(|f| (f.clone(), f))),
                Err(why) => return output.complain(&why),
            }
        }
        let word = self.filter.as_deref().unwrap_or_default();
        files.retain(|(_, named)| named.to_string_lossy().contains(word));
        if files.is_empty() {
            return output.complain(&format!("no file has `{word}` in its path"));
        }
        let options = Options::default();
        let run = |(program, named): &(PathBuf, PathBuf)| {
            let mut verdict = case::run_beside(program, named, &options);
            verdict.path.clone_from(named);
            verdict
        };
        let mut verdicts: Vec<Verdict> = files.par_iter().map(run).collect();
        if self.bless {
            for verdict in &mut verdicts {
                match verdict.bless() {
                    Ok(true) => {
                        output.text(&format!("blessed {}\n", verdict.path.display()));
                        *verdict = case::run(&verdict.path, &options);
                    }
                    Ok(false) => {}
                    Err(why) => return output.complain(&why),
                }
            }
        }
        self.report(&verdicts, output)
    }

    fn report(&self, verdicts: &[Verdict], output: &mut Output) -> Exit {
        let colour = output.colour();
        for verdict in verdicts {
            let word = match verdict.status {
                Status::Passed => "ok",
                Status::Failed => "FAILED",
                Status::KnownFailure => "known failure",
            };
            output.text(&format!("test {} ... {word}\n", verdict.path.display()));
        }
        for verdict in verdicts.iter().filter(|v| v.status == Status::Failed) {
            let title = format!("\n---- {} ----\n", verdict.path.display());
            output.text(&(title + &verdict.text(colour)));
        }
        let count = |status| verdicts.iter().filter(|v| v.status == status).count();
        let (passed, failed) = (count(Status::Passed), count(Status::Failed));
        let known = count(Status::KnownFailure);
        let word = if failed == 0 { "ok" } else { "FAILED" };
        output.text(&format!(
            "\ntest result: {word}. {passed} passed; {failed} failed; {known} known to fail\n"
        ));
        output.field("passed", || json!(passed));
        output.field("failed", || json!(failed));
        output.field("known_failing", || json!(known));
        output.field("cases", || {
            let case = |v: &Verdict| {
                json!({
                    "file": v.path.display().to_string(),
                    "status": match v.status {
                        Status::Passed => "passed",
                        Status::Failed => "failed",
                        Status::KnownFailure => "known failure",
                    },
                    "error": v.complaint,
                    "diagnostics": v.json(),
                })
            };
            verdicts.iter().map(case).collect()
        });
        if failed == 0 {
            Exit::Fine
        } else {
            Exit::Program
        }
    }
}
