//! What a run of tests prints or writes while it goes on: text, JSON, JSON lines, JUnit, TAP, or as Rust's libtest.

use super::super::output::print;
use super::record::{Record, Summary};
use crate::files::NewFile;
use crate::harness::case::Status;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Map, Value, json};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;
use std::time::Duration;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// For people.
    Text,
    /// One JSON value.
    Json,
    /// A JSON object for each test, as it ends.
    Jsonl,
    /// XML as JUnit writes it.
    Junit,
    /// Test Anything Protocol, version 14.
    Tap,
    /// As Rust's own tests print.
    Libtest,
}

/// `--report FORM=FILE`, or standard output.
enum Sink {
    Standard,
    /// It has its name when the report is complete.
    File(BufWriter<NewFile>),
    Ended,
}

/// A report that grows with each test.
pub struct Report {
    form: Form,
    sink: Sink,
    quiet: bool,
    count: usize,
    /// What is told at the end: failures, or all where the form is one document.
    kept: Vec<Record>,
}

impl Report {
    /// On standard output.
    pub fn standard(form: Form, quiet: bool) -> Report {
        Report {
            form,
            sink: Sink::Standard,
            quiet,
            count: 0,
            kept: Vec::new(),
        }
    }

    /// Into a file: `junit=results.xml`.
    ///
    /// # Errors
    /// A sentence: no such form, or the file cannot be made.
    pub fn into_file(text: &str) -> Result<Report, String> {
        let wanted = || format!("--report {text}: expected FORM=FILE, such as junit=results.xml");
        let (form, path) = text.split_once('=').ok_or_else(wanted)?;
        let form = <Form as clap::ValueEnum>::from_str(form, false).map_err(|_| {
            format!(
                "{}; forms: text, json, jsonl, junit, tap, libtest",
                wanted()
            )
        })?;
        let file = NewFile::create(Path::new(path)).map_err(|e| format!("{path}: {e}"))?;
        Ok(Report {
            sink: Sink::File(BufWriter::new(file)),
            ..Report::standard(form, false)
        })
    }

    /// Before the first test.
    ///
    /// # Errors
    /// The sink takes no more; so with the others.
    pub fn begin(&mut self, tests: usize) -> io::Result<()> {
        self.put(&match self.form {
            Form::Tap => format!("TAP version 14\n1..{tests}\n"),
            Form::Libtest if tests == 1 => "\nrunning 1 test\n".to_string(),
            Form::Libtest => format!("\nrunning {tests} tests\n"),
            _ => String::new(),
        })
    }

    /// A test has ended.
    ///
    /// # Errors
    /// As [`Report::begin`].
    pub fn test(&mut self, record: &Record) -> io::Result<()> {
        self.count += 1;
        let name = record.shown_name();
        let told = record.is_failure()
            || record.status == Status::Unsupported
            || !record.warnings.is_empty();
        let text = match self.form {
            Form::Text if self.quiet && record.status == Status::Passed => String::new(),
            Form::Text => format!("test {name} ... {}\n", word(record.status)),
            Form::Jsonl => record.line(),
            Form::Tap => tap(self.count, record),
            Form::Libtest => format!("test {name} ... {}\n", libtest(record.status)),
            Form::Json | Form::Junit => String::new(),
        };
        let kept = match self.form {
            Form::Json | Form::Junit => true,
            Form::Text => told,
            Form::Libtest => record.is_failure(),
            Form::Jsonl | Form::Tap => false,
        };
        if kept {
            self.kept.push(record.clone());
        }
        self.put(&text)
    }

    /// After the last test.
    ///
    /// # Errors
    /// As [`Report::begin`].
    pub fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let text = match self.form {
            Form::Text => {
                let mut text = String::new();
                for record in self.kept.iter().filter(|r| !r.text.is_empty()) {
                    text.push_str(&format!(
                        "\n---- {} ----\n{}",
                        record.shown_name(),
                        record.shown()
                    ));
                }
                format!("{text}\n{}", summary.text())
            }
            Form::Json => match self.sink {
                // Standard output is one value of the whole command.
                Sink::Standard | Sink::Ended => String::new(),
                Sink::File(_) => format!("{}\n", Value::Object(self.document(summary))),
            },
            Form::Jsonl => summary.line(),
            Form::Junit => self.junit(summary).map_err(io::Error::other)?,
            Form::Tap => String::new(),
            Form::Libtest => self.libtest_end(summary),
        };
        self.put(&text)?;
        match std::mem::replace(&mut self.sink, Sink::Ended) {
            Sink::File(file) => file
                .into_inner()
                .map_err(IntoInnerError::into_error)?
                .keep(),
            Sink::Standard | Sink::Ended => Ok(()),
        }
    }

    /// The run as one JSON object.
    pub fn document(&self, summary: &Summary) -> Map<String, Value> {
        let fields = summary.fields().into_iter();
        let mut map: Map<String, Value> = fields
            .map(|(name, count)| (name.to_string(), json!(count)))
            .collect();
        map.insert("cases".to_string(), json!(self.kept));
        map
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        match &mut self.sink {
            _ if text.is_empty() => Ok(()),
            Sink::Ended => Ok(()),
            Sink::Standard => print(text.as_bytes()),
            Sink::File(file) => file.write_all(text.as_bytes()),
        }
    }

    fn junit(&self, summary: &Summary) -> Result<String, quick_junit::SerializeError> {
        let mut report = quick_junit::Report::new("visim");
        report.set_time(Duration::from_secs_f64(summary.time));
        let mut suite = TestSuite::new("visim");
        for record in &self.kept {
            let mut status = match record.status {
                Status::Passed => TestCaseStatus::success(),
                Status::KnownFailure | Status::Unsupported => TestCaseStatus::skipped(),
                Status::Failed | Status::NoExpectation => {
                    TestCaseStatus::non_success(NonSuccessKind::Failure)
                }
            };
            if record.status != Status::Passed {
                status.set_type(record.status.name());
                status.set_message(record.message.clone().unwrap_or_default());
                status.set_description(record.text.clone());
            }
            let mut case = TestCase::new(record.name.clone(), status);
            case.set_classname("visim");
            case.set_time(Duration::from_secs_f64(record.time.max(0.0)));
            if record.status == Status::Passed && !record.text.is_empty() {
                case.set_system_out(record.text.clone());
            }
            suite.add_test_case(case);
        }
        suite.set_time(Duration::from_secs_f64(summary.time));
        report.add_test_suite(suite);
        report.to_string()
    }

    fn libtest_end(&self, summary: &Summary) -> String {
        let mut text = String::new();
        if !self.kept.is_empty() {
            text.push_str("\nfailures:\n\n");
            for record in &self.kept {
                text.push_str(&format!(
                    "---- {} stdout ----\n{}\n",
                    record.shown_name(),
                    record.text
                ));
            }
            text.push_str("\nfailures:\n");
            for record in &self.kept {
                text.push_str(&format!("    {}\n", record.shown_name()));
            }
        }
        let failed = summary.count(Status::Failed) + summary.count(Status::NoExpectation);
        let ignored = summary.count(Status::KnownFailure) + summary.count(Status::Unsupported);
        text + &format!(
            "\ntest result: {}. {} passed; {failed} failed; {ignored} ignored; 0 measured; {} filtered out; \
             finished in {:.2}s\n\n",
            if failed == 0 { "ok" } else { "FAILED" },
            summary.count(Status::Passed),
            summary.filtered_out,
            summary.time,
        )
    }
}

/// A status for people.
fn word(status: Status) -> &'static str {
    match status {
        Status::Passed => "ok",
        Status::Failed => "FAILED",
        other => other.name(),
    }
}

/// A status in libtest's words, which has no more.
fn libtest(status: Status) -> &'static str {
    match status {
        Status::Passed => "ok",
        Status::Failed | Status::NoExpectation => "FAILED",
        Status::KnownFailure => "ignored, known failure",
        Status::Unsupported => "ignored, unsupported",
    }
}

/// A test point, with a block of YAML below it where there is something to say.
fn tap(number: usize, record: &Record) -> String {
    let (ok, directive) = match record.status {
        Status::Passed => ("ok", ""),
        Status::Failed | Status::NoExpectation => ("not ok", ""),
        Status::KnownFailure => ("not ok", " # TODO known failure"),
        Status::Unsupported => ("ok", " # SKIP unsupported"),
    };
    let name = record
        .shown_name()
        .replace('\\', "\\\\")
        .replace('#', "\\#");
    let mut text = format!("{ok} {number} - {name}{directive}\n");
    if record.status != Status::Passed {
        let message = json!(record.message.as_deref().unwrap_or_default());
        text.push_str(&format!(
            "  ---\n  status: {}\n  message: {message}\n  text: |\n",
            record.status.name()
        ));
        for line in record.text.lines() {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str("  ...\n");
    }
    text
}
