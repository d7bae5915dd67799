//! `.tld` files: run, explained line by line, compared with `load_3d`.

use super::output::{Exit, Output};
use super::run::say;
use crate::diagnostic::Diagnostic;
use crate::harness::bind::{Layer, Problem};
use crate::harness::tld::{self, Machine, is_tld};
use crate::harness::write::Writes;
use crate::harness::{contents, load, session, twin};
use crate::tld::{Strictness, story};
use serde_json::json;
use std::path::{Path, PathBuf};

fn problem(layer: usize, diagnostic: Diagnostic) -> Problem {
    Problem { layer, diagnostic }
}

fn open(path: &Path, strict: bool, output: &mut Output) -> Result<(Vec<Layer>, Machine), Exit> {
    let source = load::source(path).map_err(|e| output.complain(&e.to_string()))?;
    let (file, found) = session::file_layer(source, path);
    let layers = vec![file];
    match tld::start(&layers, found, Strictness::of(strict)) {
        Ok(machine) => Ok((layers, machine)),
        Err(problems) => Err(say(&problems, &layers, output)),
    }
}

/// Runs the statements of the first layer: results as its directives and the options ask.
pub fn run(layers: &[Layer], found: Vec<Diagnostic>, strict: bool, output: &mut Output) -> Exit {
    let mut machine = match tld::start(layers, found, Strictness::of(strict)) {
        Ok(machine) => machine,
        Err(problems) => return say(&problems, layers, output),
    };
    say(&std::mem::take(&mut machine.warnings), layers, output);
    let mut fetches = 0;
    if let Err(trap) = machine.run(|_, _, _, _| fetches += 1) {
        return say(&[problem(0, *trap)], layers, output);
    }
    let (mut problems, mut texts, mut writes) = (Vec::new(), Vec::new(), Writes::default());
    let mut complaint = None;
    for (layer, number) in layers.iter().zip(0..) {
        for dump in &layer.directives.dumps {
            match machine.dump(dump) {
                Ok(text) => texts.push(text),
                Err(wrong) => problems.push(problem(number, *wrong)),
            }
        }
        for save in &layer.directives.saves {
            let made = machine.picture(&save.name);
            match made.and_then(|surface| contents::save(&surface, &save.path)) {
                Ok(bytes) => {
                    let added = writes.add(&layer.folder.join(&save.path.node), &bytes);
                    complaint = complaint.or(added.err());
                }
                Err(wrong) => problems.push(problem(number, *wrong)),
            }
        }
    }
    if !problems.is_empty() {
        return say(&problems, layers, output);
    }
    if let Some(error) = complaint {
        return output.complain(&error.to_string());
    }
    let written = match writes.commit() {
        Ok(written) => written,
        Err(error) => return output.complain(&error.to_string()),
    };
    texts.iter().for_each(|text| output.text(text));
    for path in &written {
        output.text(&format!("wrote {}\n", path.display()));
    }
    output.field("threads", || json!(machine.threads.len()));
    output.field("fetches", || json!(fetches));
    output.field("dumps", || json!(texts));
    Exit::Fine
}

/// Follows one line of a file: fields of its word, operands, header, texel, result, for the first thread
/// that fetches.
pub fn explain(path: &Path, line: usize, output: &mut Output) -> Exit {
    let (layers, mut machine) = match open(path, false, output) {
        Ok(opened) => opened,
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
            "{}:{line}: no texture load stands there",
            path.display()
        ));
    };
    let mut text = format!("{}\n\n{}\n", tld.node, story::word_fields(&tld));
    let mut told = None;
    let ran = machine.run(|statement, thread, inputs, fetched| {
        if statement.tld.span == tld.span && told.is_none() {
            told = Some((thread, *inputs, *fetched));
        }
    });
    if let Err(trap) = ran {
        return say(&[problem(0, *trap)], &layers, output);
    }
    match told {
        Some((thread, inputs, fetched)) => {
            let (x, y) = (
                thread as u32 % machine.grid.0,
                thread as u32 / machine.grid.0,
            );
            text += &format!("thread ({x}, {y})\n");
            text += &story::steps(&tld, &inputs, &fetched, &machine.textures());
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
    /// The texture loads; their SURFACE directives bind what both sides read.
    file: PathBuf,
    /// Show the threads whose results agree too.
    #[arg(long)]
    all: bool,
}

impl Compare {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        if !is_tld(&self.file) {
            return output.complain(&format!(
                "{}: compare takes a .tld file, and makes the load_3d of each line itself",
                self.file.display()
            ));
        }
        let (layers, mut machine) = match open(&self.file, false, output) {
            Ok(opened) => opened,
            Err(exit) => return exit,
        };
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
            match twin::load_3d(&machine, tld, inputs, fetched) {
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
                        twin::reason(tld, inputs, fetched),
                        w = format!("thread ({x}, {y})").len(),
                    ));
                }
                Err(why) => output.text(&format!("  thread ({x}, {y})  not compared: {why}\n")),
            }
        }
        output.text(&format!("{agree} agree, {differ} differ\n"));
        output.field("agree", || json!(agree));
        output.field("differ", || json!(differ));
        Exit::Fine
    }
}
