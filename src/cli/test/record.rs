//! One test, as a line of JSON: what `visim test --format jsonl` prints, `--report jsonl=FILE` writes and `--merge
//! FILE` reads again. The lines of several runs, one after the other, are those of one run.
//!
//! ```text
//!  {"type":"test","name":"k.visa","file":"k.visa","status":"failed","time":0.002,"message":"error[E0710]: …",
//!   "text":"…","error":null,"diagnostics":[…],"warnings":[],"outputs":[]}
//!  {"type":"summary","passed":0,"failed":1,"known_failing":0,"no_expectation":0,"unsupported":0,"filtered_out":0,
//!   "not_run":0,"time":0.002}
//! ```
//!
//! | field | meaning |
//! | --- | --- |
//! | `type` | `test`, or `summary` in the last line; readers leave out types that they do not know |
//! | `name` | what `--filter`, `--exact`, `--partition` and `--rerun` go by: the path as it was found without a leading `./`, `/` between folders on every system, and behind `::` the launch and the device where there are several; unique in a run |
//! | `file` | the path of the file |
//! | `status` | `passed`, `failed`, `known failure`, `no expectation`, `unsupported` |
//! | `time` | seconds, from the first byte read to the last comparison |
//! | `message` | the first thing that is wrong, one line; null if nothing is |
//! | `text` | all that is wrong, or the warnings, as for people, without colours |
//! | `error` | what no diagnostic can point into, such as a file that cannot be read; null if nothing |
//! | `diagnostics`, `warnings` | as `--format json` of every command has them |
//! | `outputs` | of a launch: each output with all elements that differ |
//!
//! Fields may be added; those above keep their names and meanings.

use crate::harness::case::{Status, Verdict};
use crate::harness::output::Compared;
use crate::source::printable;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The record of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// `test`.
    #[serde(rename = "type")]
    kind: String,
    /// Its name, unique in a run.
    pub name: String,
    /// The file.
    pub file: String,
    /// How it ended.
    #[serde(serialize_with = "named", deserialize_with = "of_name")]
    pub status: Status,
    /// Seconds.
    pub time: f64,
    /// The first thing that is wrong.
    pub message: Option<String>,
    /// What is wrong, or the warnings, for people.
    #[serde(default)]
    pub text: String,
    /// What no diagnostic points into.
    #[serde(default)]
    pub error: Option<String>,
    /// What is wrong.
    #[serde(default)]
    pub diagnostics: Vec<Value>,
    /// What is not wrong.
    #[serde(default)]
    pub warnings: Vec<Value>,
    /// Outputs of a launch.
    #[serde(default)]
    pub outputs: Vec<Value>,
    /// The text in colours.
    #[serde(skip)]
    painted: Option<String>,
}

fn named<S: Serializer>(status: &Status, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(status.name())
}

fn of_name<'de, D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
    let name = String::deserialize(from)?;
    let unknown = || serde::de::Error::custom(format!("`{name}` is not a status"));
    Status::from_name(&name).ok_or_else(unknown)
}

/// The name of a test: its path without a leading `./`, with the separator of all systems but one.
pub fn name_of(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    let name = path.display().to_string();
    match std::path::MAIN_SEPARATOR {
        '/' => name,
        own => name.replace(own, "/"),
    }
}

impl Record {
    /// That of a test called `name` which took `time`.
    pub fn new(name: String, verdict: &Verdict, time: Duration) -> Record {
        let failed = verdict.text(false);
        let text = match failed.is_empty() {
            true => verdict.remarks(false),
            false => failed,
        };
        let first = verdict.diagnostics.first();
        let first = first.map(|d| format!("{}[{}]: {}", d.class().name(), d.code, d.message));
        Record {
            kind: "test".to_string(),
            name,
            file: verdict.path.display().to_string(),
            status: verdict.status,
            time: time.as_secs_f64(),
            message: first.or_else(|| verdict.complaint.clone()),
            text,
            error: verdict.complaint.clone(),
            diagnostics: verdict.json(),
            warnings: verdict.remarks_json(),
            outputs: verdict.outputs.iter().map(Compared::json).collect(),
            painted: None,
        }
    }

    /// The text in colours as well, for a terminal.
    pub fn paint(&mut self, verdict: &Verdict) {
        self.painted = Some(match verdict.text(true) {
            text if text.is_empty() => verdict.remarks(true),
            text => text,
        });
    }

    /// The name on one line, without control characters.
    pub fn shown_name(&self) -> String {
        printable(&self.name).replace('\n', "␊").replace('\t', "␉")
    }

    /// The text as a terminal shows it.
    pub fn shown(&self) -> &str {
        self.painted.as_deref().unwrap_or(&self.text)
    }

    /// The record as a line.
    pub fn line(&self) -> String {
        format!("{}\n", json!(self))
    }

    /// Whether the run failed because of it.
    pub fn is_failure(&self) -> bool {
        matches!(self.status, Status::Failed | Status::NoExpectation)
    }
}

/// Reads the records of earlier runs; of several with one name the last one counts, in the place of the first.
///
/// # Errors
/// A sentence: a line is no record.
pub fn read(texts: &[(String, String)]) -> Result<Vec<Record>, String> {
    let mut places = BTreeMap::new();
    let mut records: Vec<Record> = Vec::new();
    for (file, text) in texts {
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |e: serde_json::Error| format!("{file}:{number}: not a record: {e}");
            let value: Value = serde_json::from_str(line).map_err(wrong)?;
            if value["type"] != "test" {
                continue;
            }
            let record: Record = serde_json::from_value(value).map_err(wrong)?;
            match places.get(&record.name) {
                Some(&place) => records[place] = record,
                None => {
                    places.insert(record.name.clone(), records.len());
                    records.push(record);
                }
            }
        }
    }
    Ok(records)
}

/// How the tests of a run ended.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Tests by status, as [`Status::ALL`] has them.
    pub counts: [usize; Status::ALL.len()],
    /// Tests that were found and not chosen.
    pub filtered_out: usize,
    /// Tests that `--fail-fast` left.
    pub not_run: usize,
    /// Seconds that the run took.
    pub time: f64,
}

impl Summary {
    /// Counts a test.
    pub fn add(&mut self, status: Status) {
        self.counts[status as usize] += 1;
    }

    /// How many tests ended so.
    pub fn count(&self, status: Status) -> usize {
        self.counts[status as usize]
    }

    /// Whether the run is a failure.
    pub fn failed(&self) -> bool {
        self.count(Status::Failed) + self.count(Status::NoExpectation) > 0
    }

    /// The counts as fields; not the time, so that runs can be compared.
    pub fn fields(&self) -> [(&'static str, usize); 7] {
        [
            ("passed", self.count(Status::Passed)),
            ("failed", self.count(Status::Failed)),
            ("known_failing", self.count(Status::KnownFailure)),
            ("no_expectation", self.count(Status::NoExpectation)),
            ("unsupported", self.count(Status::Unsupported)),
            ("filtered_out", self.filtered_out),
            ("not_run", self.not_run),
        ]
    }

    /// The summary as a line.
    pub fn line(&self) -> String {
        let mut value = json!({"type": "summary"});
        for (name, count) in self.fields() {
            value[name] = json!(count);
        }
        value["time"] = json!(self.time);
        format!("{value}\n")
    }

    /// The summary for people.
    pub fn text(&self) -> String {
        let word = if self.failed() { "FAILED" } else { "ok" };
        let [passed, failed, known, rest @ ..] = self.fields();
        let mut text = format!(
            "test result: {word}. {} passed; {} failed; {} known to fail",
            passed.1, failed.1, known.1
        );
        for (name, count) in rest.into_iter().filter(|(_, count)| *count > 0) {
            text.push_str(&format!("; {count} {}", name.replace('_', " ")));
        }
        text + "\n"
    }
}
