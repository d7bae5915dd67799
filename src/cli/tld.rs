//! `.tld` files: run, explained line by line, compared with `load_3d`.

use super::limits::RunLimits;
use super::output::{Exit, Output};
use super::run::{deliver, say};
use crate::diagnostic::Diagnostic;
use crate::harness::bind::{Layer, Problem};
use crate::harness::language::Language;
use crate::harness::tld;
use crate::harness::{load, pair, session, tld_vs_load};
use crate::surface::Ledger;
use crate::tld::machine::Machine;
use crate::tld::{Fetch, Strictness, Tld, explain};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn problem(layer: usize, diagnostic: Diagnostic) -> Problem {
    Problem { layer, diagnostic }
}

/// A file that is ready to run.
fn open(path: &Path, output: &mut Output) -> Result<([Layer; 1], Machine), Exit> {
    let source = load::source(path).map_err(|e| output.complain(&e.to_string()))?;
    let (file, found) = session::file_layer(source, path);
    let layers = [file];
    let machine = start(&layers, found, output)?;
    Ok((layers, machine))
}

fn start(layers: &[Layer], found: Vec<Diagnostic>, output: &mut Output) -> Result<Machine, Exit> {
    let machine = tld::start(layers, found, Strictness::Lenient);
    machine
        .map(|(machine, _)| machine)
        .map_err(|problems| say(&problems, layers, output))
}

/// Runs the statements of the first layer: results as its directives and the options ask.
pub fn run(layers: &[Layer], found: Vec<Diagnostic>, strict: bool, output: &mut Output) -> Exit {
    let (mut machine, warnings) = match tld::start(layers, found, Strictness::of(strict)) {
        Ok(machine) => machine,
        Err(problems) => return say(&problems, layers, output),
    };
    say(&warnings, layers, output);
    let mut fetches = 0;
    if let Err(trap) = machine.run(|_, _, _, _| fetches += 1) {
        return say(&[problem(0, *trap)], layers, output);
    }
    if let Err(exit) = deliver(&machine, layers, None, output) {
        return exit;
    }
    output.field("threads", || json!(machine.threads.len()));
    output.field("fetches", || json!(fetches));
    Exit::Fine
}

/// Follows one line of a file: fields of its word, operands, header, texel, result, for the first thread
/// that fetches.
pub fn explain(layers: &[Layer], found: Vec<Diagnostic>, line: usize, output: &mut Output) -> Exit {
    let mut machine = match start(layers, found, output) {
        Ok(machine) => machine,
        Err(exit) => return exit,
    };
    let source = &layers[0].source;
    let on_line = |start: u32| source.line_of(start) == line;
    let Some(tld) = machine
        .statements
        .iter()
        .find(|s| on_line(s.tld.span.start))
        .map(|s| s.tld)
    else {
        return output.complain(&format!(
            "{}:{line}: no texture load on this line",
            source.name()
        ));
    };
    let mut text = format!("{}\n\n{}\n", tld.node, explain::word_fields(&tld));
    let mut first_fetch = None;
    let ran = machine.run(|statement, thread, inputs, fetched| {
        if statement.tld.span == tld.span && first_fetch.is_none() {
            first_fetch = Some((thread, *inputs, *fetched));
        }
    });
    if let Err(trap) = ran {
        return say(&[problem(0, *trap)], layers, output);
    }
    match first_fetch {
        Some((thread, inputs, fetched)) => {
            let (x, y) = (
                thread as u32 % machine.grid.0,
                thread as u32 / machine.grid.0,
            );
            text += &format!("thread ({x}, {y})\n");
            text += &explain::steps(&tld, &inputs, &fetched, &machine.textures());
        }
        None => text += "its guard is false in every thread: nothing is fetched\n",
    }
    output.text(&text);
    output.field("explanation", || json!(text));
    Exit::Fine
}

/// Fetches the same texels through TLD and through load_3d, and shows where their rules differ.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// The texture loads, whose SURFACE directives bind what both sides read; and, before or after them, the
    /// vISA program to hold against them. Without one, the load_3d of each line is made.
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Show the values of threads whose results agree too.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    limits: RunLimits,
}

impl Compare {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        Ledger::within(Some(&self.limits.ledger()), || self.run_within(output))
    }

    fn run_within(&self, output: &mut Output) -> Exit {
        let is_tld = |path: &PathBuf| Language::of(path) == Language::Tld;
        match self.files.as_slice() {
            [tld] if is_tld(tld) => self.with_twins(tld, output),
            [visa, tld] if is_tld(tld) && !is_tld(visa) => self.with_program(visa, tld, output),
            [tld, visa] if is_tld(tld) && !is_tld(visa) => self.with_program(visa, tld, output),
            _ => output.complain("compare requires a .tld file, or a vISA program and a .tld file"),
        }
    }

    /// Holds the n-th load of each thread of a program against the n-th texture load, lane by lane.
    fn with_program(&self, visa: &Path, tld: &Path, output: &mut Output) -> Exit {
        let (layers, mut machine) = match open(tld, output) {
            Ok(opened) => opened,
            Err(exit) => return exit,
        };
        if let Err(exit) = may_be_compared(&machine, output) {
            return exit;
        }
        let starts = machine.statements.iter().map(|s| s.tld.span.start);
        let mut fetches: BTreeMap<u32, BTreeMap<u32, _>> =
            starts.map(|s| (s, BTreeMap::new())).collect();
        let ran = machine.run(|statement, thread, inputs, fetched| {
            let lanes = fetches.entry(statement.tld.span.start).or_default();
            lanes.insert(thread as u32, (*inputs, *fetched));
        });
        if let Err(trap) = ran {
            return say(&[problem(0, *trap)], &layers, output);
        }
        let source = match load::source(visa) {
            Ok(source) => source,
            Err(error) => return output.complain(&error.to_string()),
        };
        let (layer, found) = session::file_layer(source, visa);
        let program = [layer];
        let loads = match pair::loads(&program, found, &machine) {
            Ok(loads) => loads,
            Err(problems) => return say(&problems, &program, output),
        };
        let (mut agree, mut differ) = (0, 0);
        for (load, (statement, fetches)) in loads
            .iter()
            .zip(machine.statements.iter().zip(fetches.values()))
        {
            let (tld, source) = (&statement.tld.node, &program[0].source);
            let line = source.line_of(load.span.start);
            output.text(&format!("{}\n{tld}\n", source.line_text(line).trim()));
            let mut same = Vec::new();
            for (thread, (inputs, fetched)) in fetches {
                let Some(lane) = load.lanes.get(thread) else {
                    continue;
                };
                let (ours, theirs) = both(tld, lane, fetched);
                if ours == theirs {
                    same.push(*thread);
                    if self.all {
                        output.text(&format!("  lane {thread}  both     {ours}\n"));
                    }
                    continue;
                }
                differ += 1;
                let why = pair::asks_otherwise(lane, tld, inputs, fetched);
                let why =
                    why.unwrap_or_else(|| tld_vs_load::reason(tld, inputs, fetched).to_owned());
                let gap = " ".repeat(format!("  lane {thread}").len());
                output.text(&format!(
                    "  lane {thread}  TLD      {ours}\n{gap}  load_3d  {theirs}\n{gap}  {why}\n"
                ));
            }
            agree += same.len();
            if !same.is_empty() {
                output.text(&format!("  agree: {}\n", ranges(&same)));
            }
            let alone = fetches
                .keys()
                .filter(|lane| !load.lanes.contains_key(lane))
                .count();
            let others = load
                .lanes
                .keys()
                .filter(|lane| !fetches.contains_key(lane))
                .count();
            if alone + others > 0 {
                output.text(&format!(
                    "  without a partner: {alone} of TLD, {others} of load_3d\n"
                ));
            }
        }
        let (loads, statements) = (loads.len(), machine.statements.len());
        if loads != statements {
            output.text(&format!(
                "a thread makes {loads} loads, the other file {statements}: the first {} are compared\n",
                loads.min(statements)
            ));
        }
        self.sum(agree, differ, output)
    }

    fn sum(&self, agree: usize, differ: usize, output: &mut Output) -> Exit {
        output.text(&format!("{agree} agree, {differ} differ\n"));
        output.field("agree", || json!(agree));
        output.field("differ", || json!(differ));
        Exit::Fine
    }

    /// Holds each texture load against the load_3d that asks for the same.
    fn with_twins(&self, file: &Path, output: &mut Output) -> Exit {
        let (layers, mut machine) = match open(file, output) {
            Ok(opened) => opened,
            Err(exit) => return exit,
        };
        if let Err(exit) = may_be_compared(&machine, output) {
            return exit;
        }
        let mut seen = Vec::new();
        let ran = machine.run(|statement, thread, inputs, fetched| {
            seen.push((statement.tld.node, thread, *inputs, *fetched));
        });
        if let Err(trap) = ran {
            return say(&[problem(0, *trap)], &layers, output);
        }
        let words = |values: [u32; 4]| values.map(|v| format!("{v:08x}")).join(" ");
        let (mut before, mut agree, mut differ) = (None, 0, 0);
        for (tld, thread, inputs, fetched) in &seen {
            if before != Some(*tld) {
                output.text(&format!("{tld}\n"));
                before = Some(*tld);
            }
            let (x, y) = (
                *thread as u32 % machine.grid.0,
                *thread as u32 / machine.grid.0,
            );
            match tld_vs_load::load_3d(&machine, tld, inputs, fetched) {
                Ok(other) if other == fetched.outputs => {
                    agree += 1;
                    if self.all {
                        let both = words(other);
                        output.text(&format!("  thread ({x}, {y})  both     {both}\n"));
                    }
                }
                Ok(other) => {
                    differ += 1;
                    output.text(&format!(
                        "  thread ({x}, {y})  TLD      {}\n  {:w$}  load_3d  {}\n  {:w$}  {}\n",
                        words(fetched.outputs),
                        "",
                        words(other),
                        "",
                        tld_vs_load::reason(tld, inputs, fetched),
                        w = format!("thread ({x}, {y})").len(),
                    ));
                }
                Err(why) => output.text(&format!("  thread ({x}, {y})  not compared: {why}\n")),
            }
        }
        self.sum(agree, differ, output)
    }
}

/// Refuses more fetches than can be held in memory next to each other.
fn may_be_compared(machine: &Machine, output: &mut Output) -> Result<(), Exit> {
    /// Some hundred bytes are kept of each.
    const MOST: usize = 1 << 20;
    let (statements, threads) = (machine.statements.len(), machine.threads.len());
    match statements.saturating_mul(threads) <= MOST {
        true => Ok(()),
        false => Err(output.complain(&format!(
            "L0606: {statements} loads of {threads} threads are more than the {MOST} that are compared; fewer THREADS"
        ))),
    }
}

/// The channels that both sides deliver, R to A, hexadecimal.
fn both(tld: &Tld, lane: &pair::Lane, fetched: &Fetch) -> (String, String) {
    let shared = (0..4).filter(|c| (tld.mask & lane.channels.0) >> c & 1 == 1);
    let words = |values: [u32; 4]| {
        let words: Vec<_> = shared
            .clone()
            .map(|c: usize| format!("{:08x}", values[c]))
            .collect();
        words.join(" ")
    };
    (words(fetched.outputs), words(lane.values))
}

/// `0 1 2 5` as `0-2 5`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let runs = runs.filter_map(|run| Some((run.first()?, run.last()?)));
    let runs = runs.map(|(a, b)| {
        if a == b {
            a.to_string()
        } else {
            format!("{a}-{b}")
        }
    });
    runs.collect::<Vec<_>>().join(" ")
}
