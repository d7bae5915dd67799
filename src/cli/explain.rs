//! `visim explain CODE`: the long text of a diagnostic; `visim explain FILE:LINE`: one line of a program,
//! followed down the straight line.

use super::encode::{record_json, record_text};
use super::input::FileLine;
use super::launch::{Looked, Opened, Target};
use super::output::{Exit, Output};
use super::run::say;
use super::watch::write_page;
use super::word;
use crate::check::CheckOptions;
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::exec::observer::{At, Observer, Running};
use crate::exec::{Silent, ThreadId};
use crate::explain::line::{LineObserver, follow};
use crate::explain::page::{MOST_BYTES, Page};
use crate::explain::state::{State, states_of};
use crate::explain::stepped;
use crate::finalizer::Release;
use crate::harness::bind::{Layer, Problem};
use crate::harness::front::Front;
use crate::harness::language::Language;
use crate::harness::session::{self, Refused, Session};
use crate::harness::stepped::record;
use crate::harness::words::nearest;
use crate::message::Request;
use crate::program::Op;
use crate::source::{Source, Span};
use crate::visa_binary::{self, Version};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Explains a diagnostic code or a word of the language, or follows one line of a program.
#[derive(Debug, clap::Args)]
pub struct Explain {
    /// A code as `E0701`, a mnemonic, directive, built-in register, platform or type, or a line as `kernel.visa:12`.
    #[arg(value_name = "CODE|WORD|FILE:LINE", required_unless_present = "list")]
    subject: Option<String>,
    /// List all codes and words that can be explained.
    #[arg(long, conflicts_with = "subject")]
    list: bool,
    /// Write a page that shows the run in a browser, from the first time on that the line runs; see visim run --html.
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    looked: Looked,
    #[command(flatten)]
    target: Target,
}

impl Explain {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let Some(subject) = &self.subject else {
            return list(output);
        };
        if !subject.contains(':') {
            return word(subject, output);
        }
        let FileLine { file, line } = match subject.parse::<FileLine>() {
            Ok(subject) => subject,
            Err(why) => return output.complain(&why),
        };
        self.target.within(|| self.of_file(&file, line, output))
    }

    fn of_file(&self, file: &Path, line: usize, output: &mut Output) -> Exit {
        let opened = match self.target.open(file, output) {
            Ok(opened) => opened,
            Err(exit) => return exit,
        };
        let language = opened.layers[0].language;
        if language == Language::Tld && self.looked.is_given() {
            return output.complain(
                "texture loads have neither threads nor lanes to choose from: --thread, --lane",
            );
        }
        let thread = match self.looked.thread(&opened.layers, &opened.options, output) {
            Ok(thread) => thread,
            Err(exit) => return exit,
        };
        let chosen = (thread, self.looked.lane);
        let again = (self.html.is_some() && language != Language::Tld).then(|| opened.clone());
        let exit = match language {
            Language::Visa => of_line(opened, line, chosen, output),
            Language::Tld if self.html.is_some() => {
                output.complain("texture loads have no steps: --html has no meaning for them")
            }
            Language::Tld => super::tld::explain(&opened.layers, opened.found, line, output),
            Language::Send => super::sends::explain(opened, line, chosen, output),
        };
        match (again, &self.html) {
            (Some(opened), Some(path)) if exit != Exit::Command => {
                exit.max(page(opened, line, chosen, path, output))
            }
            _ => exit,
        }
    }
}

/// The thread by its number and the lane that are looked at, if any.
pub(super) type Chosen = (Option<u32>, Option<u8>);

/// Whether a thread has come to a line.
struct Reached {
    line: Span,
    is: bool,
}

impl Observer for Reached {
    fn before(&mut self, at: At, _: &Op, _: Running, _: &[u8]) {
        self.is |= self.line.range().contains(&(at.site.span.start as usize));
    }
}

/// Writes the run of the first thread that comes to a line as a page; that of the first threads if none does.
fn page(
    opened: Opened,
    line: usize,
    (thread, lane): Chosen,
    path: &Path,
    output: &mut Output,
) -> Exit {
    let Opened {
        layers,
        found,
        options,
    } = opened;
    let source = &layers[0].source;
    let span = source.line_span(line).unwrap_or_default();
    let watch = |_| Reached {
        line: span,
        is: false,
    };
    // A run that does not come to its end has no observers; its first threads are shown.
    let session = session::start_watched(&layers, found.clone(), &options, watch).ok();
    let ran = session.iter().flat_map(|s| &s.outcome.observers);
    let first = ran
        .filter(|(_, watch)| watch.is)
        .map(|(thread, _)| thread.index);
    let recorded = stepped::Options {
        threads: thread.or(first.min()).into_iter().collect(),
        most_bytes: MOST_BYTES,
        ..stepped::Options::default()
    };
    let mut page = Page::default();
    let sink: stepped::Sink<'_> = Box::new(|record, line| page.add(record, line));
    // What is wrong with the run has been said.
    let _ = record(&layers, found, &options, recorded, sink, |_| Silent);
    write_page(&page, source, (line, lane), path, output)
}

/// All that can be explained without a file.
fn list(output: &mut Output) -> Exit {
    for (kind, names) in word::all() {
        output.heading(kind);
        for line in names.chunks(8) {
            output.text(&format!("  {}\n", line.join(" ")));
        }
        output.field(kind, || json!(names));
    }
    Exit::Fine
}

fn word(name: &str, output: &mut Output) -> Exit {
    if let Some(code) = Code::from_name(name) {
        return explain_code(code, output);
    }
    let found = word::words(name);
    if found.is_empty() {
        let all = word::all();
        let meant = nearest(
            name,
            all.iter()
                .flat_map(|(_, names)| names.iter().map(|n| &n[..])),
        );
        let meant = meant.map_or(String::new(), |m| format!("; did you mean {m}?"));
        return output.complain(&format!(
            "`{name}` is neither a code such as E0101, nor a word such as media_ld, nor a line of a file such as \
             kernel.visa:12{meant} (visim explain --list has all words)"
        ));
    }
    for word in &found {
        output.text(&format!("{}, {}: {}\n\n", word.name, word.kind, word.does));
        for (heading, line) in &word.rows {
            output.text(&format!("{heading:<9} {line}\n"));
        }
        output.text("\n");
    }
    output.field("words", || {
        let rows = |word: &word::Word| {
            let rows = word.rows.iter().map(|(heading, line)| json!({ "heading": heading, "text": line }));
            json!({ "name": word.name, "kind": word.kind, "does": word.does, "rows": rows.collect::<Vec<_>>() })
        };
        found.iter().map(rows).collect()
    });
    Exit::Fine
}

fn explain_code(code: Code, output: &mut Output) -> Exit {
    let info = code.info();
    output.text(&format!(
        "{}[{}]: {}\n\n{}\n",
        info.class.name(),
        info.name,
        info.title,
        info.explanation.trim_end()
    ));
    output.field("code", || json!(info.name));
    output.field("class", || json!(info.class.name()));
    output.field("title", || json!(info.title));
    output.field("explanation", || json!(info.explanation.trim_end()));
    Exit::Fine
}

/// Whether who asks about a line is told of a diagnostic: it is there, or it kept the text from being read to its end.
pub(super) fn concerns(diagnostic: &Diagnostic, source: &Source, line: usize) -> bool {
    let here = |s: Span| source.line_of(s.start) == line;
    diagnostic.class() == Class::Limit || diagnostic.span().is_some_and(here)
}

fn of_line(opened: Opened, line: usize, chosen: Chosen, output: &mut Output) -> Exit {
    let Opened {
        layers,
        found,
        options,
    } = opened;
    let source = &layers[0].source;
    let platform = session::platform(&layers);
    let check = CheckOptions {
        platform,
        // A compiler's own text is what the finalizer takes.
        finalizer: options.launch.is_some(),
        ..CheckOptions::default()
    };
    let front = Front::with(source, &check);
    let release = Release::of(&front.module, platform);
    let here: Vec<_> = front
        .diagnostics
        .iter()
        .filter(|d| concerns(d, source, line))
        .cloned()
        .collect();
    output.diagnostics(&here, source);
    let Some(followed) = follow(source, &front.checked, line, release) else {
        if !here.is_empty() {
            return Exit::Program;
        }
        return output.no_instruction(source, line);
    };
    output.text(&followed.to_string());
    output.field("line", || followed.json());
    // Newer instructions have no record.
    let record = visa_binary::record_at(&front.module, followed.span, Version::V4_1);
    if let Some(Ok(fields)) = record {
        output.text(&format!(
            "\nbinary    version 4.1\n{}",
            record_text(&fields)
        ));
        output.field("binary", || record_json(&fields));
    }
    let span = followed.span;
    match session::start_watched(&layers, found, &options, |_| LineObserver::new(span)) {
        Ok(session) => result(&session, chosen, output),
        Err(refused) => not_run(refused, &layers, output),
    }
}

/// Says why the program did not run, or not to its end.
pub(super) fn not_run(refused: Refused, layers: &[Layer], output: &mut Output) -> Exit {
    output.text("\nresult    not run:\n");
    let problems = refused.problems.into_iter();
    let fatal: Vec<Problem> = problems
        .filter(|p| p.diagnostic.class().is_fatal())
        .collect();
    say(&fatal, layers, output)
}

/// What the line did in the first thread that ran it, or in the one that is asked for.
pub(super) fn result(
    session: &Session<LineObserver>,
    (wanted, lane): Chosen,
    output: &mut Output,
) -> Exit {
    let mut ran = session.outcome.observers.iter();
    let is_wanted = |id: &ThreadId| wanted.is_none_or(|wanted| id.index == wanted);
    let Some((thread, watch)) = ran.find(|o| o.1.runs > 0 && is_wanted(&o.0)) else {
        let by = wanted.map_or(String::new(), |wanted| format!(" by thread {wanted}"));
        output.text(&format!("\nresult    the line was not reached{by}\n"));
        return Exit::Fine;
    };
    output.text(&format!(
        "\nresult    in {thread}, run {} time(s)\n",
        watch.runs
    ));
    for request in &watch.requests {
        output.text(&format!("asked     {request}\n"));
    }
    let samples = watch.samples(lane);
    if !samples.is_empty() {
        output.text("sampled   texels taken by each lane of the first run, as R G B A\n");
    }
    for sampled in &samples {
        output.text(&sampled.to_string());
    }
    // The first message tells; a line that runs again reads the same states.
    if let Some(request) = watch.requests.first() {
        let (states, refused) = states_of(request, &session.bindings);
        for why in refused {
            output.text(&format!("\nno packed sampler state: {why}\n"));
        }
        states
            .iter()
            .for_each(|state| output.text(&format!("\n{state}")));
        output.field("states", || {
            json!(states.iter().map(State::json).collect::<Vec<_>>())
        });
    }
    let mut writes = Vec::new();
    for (offset, bytes) in &watch.writes {
        let symbols = session.program.symbols.iter();
        let owner = symbols
            .rev()
            .find(|(_, s)| s.range().contains(&(*offset as usize)));
        let place = match owner {
            Some((name, symbol)) => format!("{name}.{}", offset - symbol.offset),
            None => format!("register file byte {offset}"),
        };
        let rows = bytes.chunks(32).map(|row| {
            let bytes: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
            format!("          {}\n", bytes.join(" "))
        });
        output.text(&format!("wrote     {place}\n{}", rows.collect::<String>()));
        writes.push(json!({ "place": place, "bytes": bytes }));
    }
    output.field("thread", || json!(thread.to_string()));
    output.field("runs", || json!(watch.runs));
    output.field("requests", || {
        watch.requests.iter().map(Request::json).collect()
    });
    output.field("samples", || samples.iter().map(|s| s.json()).collect());
    output.field("writes", || json!(writes));
    Exit::Fine
}
