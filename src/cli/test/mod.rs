//! `visim test PATH…`: runs files as tests.
//!
//! ```text
//!  paths ─ find ─▶ names ─ select ─▶ tests ─ workers ─▶ records, in order ─▶ reports
//! ```
//!
//! [`record`] says what is told of a test, [`select`] which tests run, [`report`] in what form it is told.

mod record;
mod report;
mod select;

use super::fault;
use super::input::Written;
use super::limits::RunLimits;
use super::output::{Exit, Format, Output};
use super::run::{jobs, native};
use crate::base::cores;
use crate::base::faults::{self, Call};
use crate::diagnostic::{Class, Code, counted};
use crate::harness::case::{self, Rules, Status, Variant, Verdict};
use crate::harness::grants::Grants;
use crate::harness::session::Options;
use crate::harness::{compile, contents, load};
use crate::launch::NativeCode;
use crate::surface::Ledger;
use indicatif::{ProgressBar, ProgressStyle};
use record::{Record, Summary, name_of};
use report::{Form, Report};
use select::{Outline, Selection};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Instant;

/// Runs the directives of every program it finds.
///
/// A test passes if all that its EXPECT, `//~` and launch description say came, and nothing else was found. A warning
/// of W07xx (a comment that looks like a directive, one without effect) fails it, and so does a file that expects
/// nothing. Ends with 0 if all passed, 1 if one failed, 3 if none failed and visim does not model what one needs.
#[derive(Debug, clap::Args)]
pub struct Test {
    /// Programs, folders that hold them, or OpenCL C, which is compiled (--device).
    #[arg(required_unless_present = "merge", value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// Print the names of the tests, and run none: --list --filter avs; --format json and libtest have their own forms.
    #[arg(long)]
    list: bool,
    /// Run this many tests at the same time, without it one for each core: --jobs 4.
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    jobs: Option<usize>,
    /// Run ops that compute as instructions of this host: auto, never or always, as `visim run --native` does.
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = native)]
    native: NativeCode,
    #[command(flatten)]
    limits: RunLimits,
    #[command(flatten)]
    grants: Grants,
    /// Begin no test after the first that fails; those under way come to their end.
    #[arg(long)]
    fail_fast: bool,
    /// Name the N tests that took longest: --durations 10.
    #[arg(long, value_name = "N")]
    durations: Option<usize>,
    /// A warning of this code fails a test: --deny W0435; `warnings` is all of them.
    #[arg(long, value_name = "CODE", value_parser = warnings)]
    deny: Vec<Vec<Code>>,
    /// A warning of this code fails no test: --allow W0753. Wins over --deny, and over the rule for W07xx.
    #[arg(long, value_name = "CODE", value_parser = warnings)]
    allow: Vec<Vec<Code>>,
    /// A file that expects nothing passes if it runs: visim test --allow-empty dumps/.
    #[arg(long)]
    allow_empty: bool,
    /// Print tests that did not pass, and the counts: visim test -q samples.
    #[arg(long, short)]
    quiet: bool,
    /// Write a report to a file as well: --report junit=results.xml; forms: text, json, jsonl, junit, tap, libtest.
    #[arg(long, value_name = "FORM=FILE")]
    report: Vec<String>,
    /// Report what earlier runs wrote with --report jsonl=FILE, and run nothing: --merge a.jsonl --merge b.jsonl.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "bless", "list"])]
    merge: Vec<PathBuf>,
    /// Keep here what the outputs of a failed launch were, all elements that differ, and pictures of images: --keep left.
    ///
    /// Without it they are with the user's cached files, and nowhere under --no-write.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Write what was found in place of what is expected, except where `by hand:` is.
    #[arg(long, conflicts_with = "no_write")]
    bless: bool,
    #[command(flatten)]
    written: Written,
}

/// Reads the code of a warning for clap.
fn warnings(text: &str) -> Result<Vec<Code>, String> {
    if text == "warnings" {
        let codes = crate::diagnostic::CODES.iter().map(|info| info.code);
        return Ok(codes
            .filter(|code| code.info().class == Class::Warning)
            .collect());
    }
    match Code::from_name(text) {
        Some(code) if code.info().class == Class::Warning => Ok(vec![code]),
        Some(code) => Err(format!("{code} is no warning: it always fails a test")),
        None => Err("expected the code of a warning, such as W0714, or `warnings`".to_string()),
    }
}

/// A test that was found.
struct Found {
    name: String,
    /// The file, or what it was compiled to.
    program: PathBuf,
    /// The file as it was found.
    path: PathBuf,
    variant: Variant,
}

impl Found {
    /// The tests that a file is, of the program that runs: one for each launch and device.
    fn all(program: &Path, path: &Path) -> impl Iterator<Item = Found> {
        Variant::all(path).into_iter().map(|variant| Found {
            name: name_of(path) + &variant.suffix(),
            program: program.to_path_buf(),
            path: path.to_path_buf(),
            variant,
        })
    }

    /// The tests that a file is, or the one that has this name.
    fn called(name: &OsString) -> Vec<Found> {
        let path = PathBuf::from(name);
        let one = name.to_str().and_then(|name| {
            let (file, _) = name.split_once("::").filter(|_| !path.exists())?;
            let own = name_of(Path::new(name));
            Found::all(file.as_ref(), file.as_ref()).find(|found| found.name == own)
        });
        one.map_or_else(|| Found::all(&path, &path).collect(), |one| vec![one])
    }
}

/// The longest file of records, in bytes.
const MOST_RECORDS: u64 = 1 << 30;

/// What a worker hands over.
struct Done {
    record: Record,
    /// What `--bless` did: whether something was written, or why it could not be.
    blessed: Result<bool, String>,
}

impl Test {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let grants = self.grants.clone();
        grants.within(|| self.run_within(output))
    }

    fn run_within(self, output: &mut Output) -> Exit {
        let mut reports = Vec::new();
        if !self.list {
            reports.push(Report::standard(form_of(output.format()), self.quiet));
        }
        for text in &self.report {
            match Report::into_file(text) {
                Ok(report) => reports.push(report),
                Err(why) => return output.complain(&why),
            }
        }
        if !self.merge.is_empty() {
            return self.merged(reports, output);
        }
        let (chosen, filtered_out) = match self.chosen(output) {
            Ok(chosen) => chosen,
            Err(exit) => return exit,
        };
        if self.list {
            return list(&chosen, output);
        }
        let summary = Summary {
            filtered_out,
            ..Summary::default()
        };
        let (told, summary) = match self.run_all(&chosen, summary, &mut reports, output) {
            Ok(told) => told,
            Err(exit) => return exit,
        };
        let kept = told.iter().map(|(name, status, _)| (name.clone(), *status));
        if let Err(error) = select::keep(kept) {
            output.remark(&format!(
                "--rerun failed will not know of this run: {error}"
            ));
        }
        if let Some(count) = self.durations {
            let mut times: Vec<_> = told
                .into_iter()
                .map(|(name, _, time)| (name, time))
                .collect();
            output.aside_text(&select::slowest(&mut times, count));
        }
        finish(reports, &summary, output)
    }

    /// The tests that are to run, and how many are not.
    fn chosen(&self, output: &mut Output) -> Result<(Vec<Found>, usize), Exit> {
        let mut found = Vec::new();
        for path in &self.paths {
            if compile::is_opencl(path) {
                let program = self.written.find(path, (None, None), output)?;
                found.extend(Found::all(&program, path));
                continue;
            }
            match self.tests_below(path, output) {
                Ok(files) if files.is_empty() => {
                    let what = format!(
                        "{}: contains no .visa, .visaasm, .tld or .send file",
                        path.display()
                    );
                    return Err(output.complain(&what));
                }
                Ok(files) => found.extend(files.iter().flat_map(|file| Found::all(file, file))),
                Err(why) => return Err(output.complain(&why)),
            }
        }
        // A file that several paths lead to is one test.
        let mut names = BTreeSet::new();
        found.retain(|test| names.insert(test.name.clone()));
        let all = found.len();
        let chooser = self.selection.chooser();
        let chooser = chooser.map_err(|why| output.complain(&why))?;
        found.retain(|test| chooser(&test.name));
        if found.is_empty() && !self.selection.may_be_empty() {
            let asked = self.selection.asked();
            return Err(output.complain(&format!("no file has `{asked}` in its path")));
        }
        let left = all - found.len();
        Ok((found, left))
    }

    /// The tests below a path; what is not read is named, lest it be thought to have passed.
    fn tests_below(&self, path: &Path, output: &Output) -> Result<Vec<PathBuf>, String> {
        let tree = case::tree(path)?;
        for (path, why) in tree.skipped {
            output.aside_text(&format!("visim: skipped {}: {why}\n", path.display()));
        }
        Ok(tree.tests)
    }

    /// Runs tests on as many threads as are asked for, and tells of them in order.
    fn run_all(
        &self,
        tests: &[Found],
        mut summary: Summary,
        reports: &mut [Report],
        output: &mut Output,
    ) -> Result<(Vec<Outline>, Summary), Exit> {
        let begun = Instant::now();
        let (options, rules) = (self.options(), self.rules());
        let colour = output.colour();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.unwrap_or_else(cores).clamp(1, tests.len().max(1));
        let bar = bar(tests.len(), output);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (send, receive) = mpsc::channel();
        let work = |send: mpsc::Sender<(usize, Done)>| {
            while !stop.load(Relaxed) {
                let number = next.fetch_add(1, Relaxed);
                let Some(test) = tests.get(number) else {
                    return;
                };
                let done = self.one(test, &options, &rules, colour);
                if self.fail_fast && done.record.is_failure() {
                    stop.store(true, Relaxed);
                }
                if send.send((number, done)).is_err() {
                    return;
                }
            }
        };
        for report in reports.iter_mut() {
            report
                .begin(tests.len())
                .map_err(|e| output.unwritten(&e))?;
        }
        let mut told = Vec::new();
        let told_all = std::thread::scope(|scope| {
            for begun in 0..jobs {
                let (own, work) = (send.clone(), &work);
                let spawned = cores::room_for_a_thread(begun).and_then(|()| {
                    std::thread::Builder::new().spawn_scoped(scope, move || work(own))
                });
                let Err(error) = spawned else { continue };
                let all = counted(jobs, "host thread");
                output.remark(&format!(
                    "{begun} of {all} run tests: the system gives no more: {error}"
                ));
                if begun == 0 {
                    work(send.clone());
                }
                break;
            }
            drop(send);
            let mut waiting = BTreeMap::new();
            for (number, done) in receive {
                waiting.insert(number, done);
                bar.inc(1);
                while let Some(done) = waiting.remove(&told.len()) {
                    summary.add(done.record.status);
                    told.push(select::outline(&done.record));
                    bar.suspend(|| tell(done, reports, output))?;
                }
            }
            Ok(())
        });
        bar.finish_and_clear();
        told_all?;
        summary.not_run = tests.len() - told.len();
        summary.time = begun.elapsed().as_secs_f64();
        Ok((told, summary))
    }

    fn options(&self) -> Options {
        Options {
            native: self.native,
            ..self.limits.options()
        }
    }

    fn rules(&self) -> Rules {
        Rules {
            deny: self.deny.concat(),
            allow: self.allow.concat(),
            allow_empty: self.allow_empty,
        }
    }

    /// Runs one test; what goes wrong in visim itself fails it, and no other.
    fn one(&self, test: &Found, options: &Options, rules: &Rules, colour: bool) -> Done {
        let begun = Instant::now();
        let run = || {
            if faults::hit(Call::Test).is_err() {
                panic!("injected fault");
            }
            let asked = case::Test {
                beside: &test.path,
                variant: &test.variant,
                rules,
            };
            let mut verdict = case::run_as(&test.program, &asked, options);
            verdict.path.clone_from(&test.path);
            let blessed = match self.bless {
                true => verdict.bless(),
                false => Ok(false),
            };
            if blessed == Ok(true) {
                verdict = case::run_as(&test.path, &asked, options);
            }
            if verdict.status == Status::Failed
                && let Some(folder) = self.folder_of(&test.name)
                && let Err(error) = verdict.keep(&folder)
            {
                verdict.complaint = Some(format!("--keep: {error}"));
            }
            (verdict, blessed)
        };
        let ledger = self.limits.ledger();
        let run = || self.grants.within(|| Ledger::within(Some(&ledger), run));
        let ran = catch_unwind(AssertUnwindSafe(run));
        let (verdict, blessed) = ran.unwrap_or_else(|panic| {
            let words = fault::message(&*panic);
            let what = format!("visim stopped here: {words}; {}", fault::REPORT);
            (Verdict::complaining(&test.path, &what), Ok(false))
        });
        let mut record = Record::new(test.name.clone(), &verdict, begun.elapsed());
        if colour {
            record.paint(&verdict);
        }
        Done { record, blessed }
    }

    /// Where what a test leaves is kept: in a folder of its own.
    fn folder_of(&self, test: &str) -> Option<PathBuf> {
        let folder = self.keep.clone().or_else(contents::failures)?;
        Some(folder.join(test.replace(['/', ':', '\\'], "_")))
    }

    /// Reports the records of earlier runs.
    fn merged(&self, mut reports: Vec<Report>, output: &mut Output) -> Exit {
        let read = |path: &PathBuf| {
            let text = load::text(path, MOST_RECORDS).map_err(|e| e.to_string())?;
            Ok((path.display().to_string(), text))
        };
        let texts: Result<Vec<_>, String> = self.merge.iter().map(read).collect();
        let records = texts.and_then(|texts| record::read(&texts));
        let (records, chooser) = match records.and_then(|r| Ok((r, self.selection.chooser()?))) {
            Ok(read) => read,
            Err(why) => return output.complain(&why),
        };
        let all = records.len();
        let records: Vec<Record> = records.into_iter().filter(|r| chooser(&r.name)).collect();
        let mut summary = Summary {
            filtered_out: all - records.len(),
            time: records.iter().map(|record| record.time).sum(),
            ..Summary::default()
        };
        for report in &mut reports {
            let told = report.begin(records.len());
            let told = told.and_then(|()| records.iter().try_for_each(|r| report.test(r)));
            if let Err(error) = told {
                return output.unwritten(&error);
            }
        }
        records.iter().for_each(|record| summary.add(record.status));
        finish(reports, &summary, output)
    }
}

/// [`Test`] by itself.
#[derive(clap::Parser)]
#[command(name = "test")]
struct Alone {
    #[command(flatten)]
    test: Test,
}

/// Runs files one after the other, each as `visim test OPTIONS FILE` does; the record of each, as a line of JSON.
///
/// A file that is several tests gives as many records; one of them is called by its name in a record, `FILE::LAUNCH`.
///
/// # Errors
/// A sentence: the options cannot be read.
pub fn records(options: &[OsString], files: &[OsString]) -> Result<Vec<String>, String> {
    // A path is required; the files themselves may look like options.
    let words = ["test".into(), ".".into()].into_iter();
    let parsed = <Alone as clap::Parser>::try_parse_from(words.chain(options.iter().cloned()));
    let test = parsed.map_err(|error| error.to_string())?.test;
    if let [_, path, ..] = &test.paths[..] {
        return Err(format!("`{}` is not an option", path.display()));
    }
    let (session, rules) = (test.options(), test.rules());
    let mut lines = Vec::new();
    for name in files {
        for found in Found::called(name) {
            lines.push(test.one(&found, &session, &rules, false).record.line());
        }
    }
    Ok(lines)
}

/// The form of the standard output.
fn form_of(format: Format) -> Form {
    match format {
        Format::Text => Form::Text,
        Format::Json => Form::Json,
        Format::Jsonl => Form::Jsonl,
        Format::Junit => Form::Junit,
        Format::Tap => Form::Tap,
        Format::Libtest => Form::Libtest,
    }
}

/// Tells of one test.
fn tell(done: Done, reports: &mut [Report], output: &mut Output) -> Result<(), Exit> {
    match done.blessed {
        Ok(true) => output.text(&format!("blessed {}\n", done.record.file)),
        Ok(false) => {}
        Err(why) => return Err(output.complain(&why)),
    }
    let told = reports.iter_mut().try_for_each(|r| r.test(&done.record));
    told.map_err(|error| output.unwritten(&error))
}

/// Ends the reports, and says how the run went.
fn finish(mut reports: Vec<Report>, summary: &Summary, output: &mut Output) -> Exit {
    for report in &mut reports {
        if let Err(error) = report.end(summary) {
            return output.unwritten(&error);
        }
    }
    if output.format() == Format::Json {
        for (name, value) in reports[0].document(summary) {
            output.field(&name, || value);
        }
    }
    match summary.failed() {
        true => Exit::Program,
        false if summary.count(Status::Unsupported) > 0 => Exit::Unsupported,
        false => Exit::Fine,
    }
}

/// Prints the names of tests.
fn list(tests: &[Found], output: &mut Output) -> Exit {
    let lines = |end: &str| -> String {
        let lines = tests.iter().map(|test| format!("{}{end}\n", test.name));
        lines.collect()
    };
    let text = match output.format() {
        Format::Json => {
            let names: Vec<&String> = tests.iter().map(|test| &test.name).collect();
            output.field("tests", || json!(names));
            return Exit::Fine;
        }
        Format::Jsonl => {
            let line = |test: &Found| {
                let file = test.path.display().to_string();
                format!(
                    "{}\n",
                    json!({"type": "listed", "name": test.name, "file": file, "test": file.to_string() + &test.variant.suffix()})
                )
            };
            tests.iter().map(line).collect()
        }
        Format::Libtest => lines(": test") + &format!("\n{} tests, 0 benchmarks\n", tests.len()),
        Format::Text => lines(""),
        Format::Junit | Format::Tap => {
            return output.complain("--list has the forms text, json, jsonl and libtest");
        }
    };
    output.bytes(text.as_bytes())
}

/// How far the run is, on a terminal.
fn bar(tests: usize, output: &Output) -> ProgressBar {
    if !output.is_text() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} tests {eta}");
    let bar = ProgressBar::new(tests as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
