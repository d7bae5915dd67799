//! `visim run FILE`: runs a program with the surfaces, samplers and values that its comments or the
//! options bind, prints the registers asked for and writes the surfaces asked for.

use super::binding::{Binding, Refused, layer};
use super::check::{for_platform, platform};
use super::input::Written;
use super::launch;
use super::limits::RunLimits;
use super::output::{Exit, Output};
use super::tld;
use super::watch::Watching;
use crate::diagnostic::{Diagnostic, any_fatal, counted};
use crate::files::{WriteError, Writes};
use crate::harness::bind::{Layer, Problem};
use crate::harness::case;
use crate::harness::clauses;
use crate::harness::directive;
use crate::harness::grants;
use crate::harness::language::Language;
use crate::harness::launch::{Launch, Launched};
use crate::harness::run_result::RunResult;
use crate::harness::session::{self, Session};
use crate::harness::values::{Number, bits, number};
use crate::isa::{Platform, Type};
use crate::launch::NativeCode;
use crate::source::Spanned;
use crate::surface::Ledger;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs a program.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The program; `-` is standard input.
    ///
    /// A text, a compiled program that carries its text (ocloc … -internal_options -ze-emit-zebin-visa-sections), an
    /// archive of such programs, or OpenCL C, which the ocloc on PATH compiles: visim run k.cl --device bmg. Of a folder
    /// of the compiler's dumps the text of --kernel is taken, that of the width it kept.
    file: PathBuf,
    /// The kernel to run, where the file holds several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    binding: Binding,
    /// Print a register or surface after the run: NAME, NAME:TYPE, NAME:hex:PITCH, NAME.OFFSET@X,Y.
    #[arg(long, value_name = "NAME[:TYPE][:PITCH]")]
    dump: Vec<String>,
    /// Write a surface to a file after the run: a picture if the name ends in .png, else its rows.
    #[arg(long, value_name = "NAME=PATH")]
    save: Vec<String>,
    #[command(flatten)]
    launch: Launch,
    /// Keep the outputs of a launch that are not as expected: --keep left.
    ///
    /// left/arg1.bin is what is there, left/arg1.differs.jsonl has all elements that differ, left/arg1 an image as
    /// found.png, expected.png and difference.png.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Run this many threads at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = jobs)]
    jobs: usize,
    #[command(flatten)]
    limits: RunLimits,
    /// Make each message into the platform's bits, read them again and serve what they say.
    #[arg(long)]
    through_bits: bool,
    /// Run ops that compute as instructions of this host: auto, never or always.
    ///
    /// Results, counts and diagnostics are the same. auto does so once a program has run for a while, always from the
    /// first op on. Hosts need x86-64 with AVX-512 (F, BW, CD, DQ, VL) or with AVX2, FMA, F16C and BMI2; on others auto does
    /// without. With VISIM_VECTOR_BITS=256 in the environment AVX-512 is left alone. What watches a run
    /// (--trace, --stats, --sanitize and the like) and --through-bits do without, too.
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = native)]
    native: NativeCode,
    /// Run instructions that the platform's hardware has lost, with a warning.
    #[arg(long)]
    allow_removed: bool,
    #[arg(long, value_parser = platform, help = for_platform("Run for this platform rather than the one the file names"))]
    platform: Option<Platform>,
    /// Texture loads: refuse what the vendor's page forbids and code in the wild does.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    watch: Watching,
    /// Names of the options that were given; [`super::main`] knows.
    #[arg(skip)]
    pub given: Vec<String>,
}

/// What a run may take and name.
pub(super) struct Bounds {
    ledger: Arc<Ledger>,
    grants: grants::Grants,
}

impl Bounds {
    /// Does something within them.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let work = || Ledger::within(Some(&self.ledger), work);
        self.grants.within(work)
    }
}

/// A program with what it runs with.
pub(super) struct Ready {
    /// The text first.
    pub layers: Vec<Layer>,
    /// What could not be read of its directives.
    pub found: Vec<Diagnostic>,
    /// Its launch, where one is asked for.
    pub launched: Option<Launched>,
    /// How it runs.
    pub options: session::Options,
}

/// Reads a number of threads for clap.
pub(super) fn jobs(text: &str) -> Result<usize, String> {
    let jobs = text.parse().ok().filter(|&jobs| jobs > 0);
    jobs.ok_or_else(|| "expected a number of threads, at least 1".to_string())
}

/// Reads when native code runs, for clap.
pub(super) fn native(text: &str) -> Result<NativeCode, String> {
    match text {
        "auto" => Ok(NativeCode::Auto),
        "never" => Ok(NativeCode::Never),
        "always" if NativeCode::is_possible() => Ok(NativeCode::Always),
        "always" => {
            Err("this host has neither AVX-512 (F, BW, CD, DQ, VL) nor AVX2 with FMA, F16C and BMI2; auto does without".to_string())
        }
        _ => Err("expected auto, never or always".to_string()),
    }
}

/// Whether an option changes how a program of a language runs.
fn serves(language: Language, option: &str) -> bool {
    let general = ["as", "format", "color"].contains(&option);
    let compiled = [
        "kernel",
        "launch",
        "zebin",
        "global",
        "local",
        "offset",
        "arg",
        "keep",
        "functions",
        "device",
    ];
    match language {
        Language::Visa => option != "strict",
        Language::Send => option != "strict" && !compiled.contains(&option),
        Language::Tld => {
            let of_loads = ["surface", "set", "dump", "save", "threads", "strict"];
            let of_all = ["max-memory", "timeout", "root", "allow-outside", "no-write"];
            general || of_loads.contains(&option) || of_all.contains(&option)
        }
    }
}

impl Run {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let bounds = Bounds {
            ledger: self.limits.ledger(),
            ..self.bounds()
        };
        bounds.within(|| self.run_within(output))
    }

    fn run_within(mut self, output: &mut Output) -> Exit {
        let ready = match self.ready(output) {
            Ok(ready) => ready,
            Err(exit) => return exit,
        };
        let Ready {
            layers,
            found,
            launched,
            options,
        } = ready;
        if layers[0].language == Language::Tld {
            return tld::run(&layers, found, self.strict, output);
        }
        if self.watch.is_asked() {
            return self
                .watch
                .run(&layers, found, &options, launched.as_ref(), output);
        }
        match session::start(&layers, found, &options) {
            Ok(session) => {
                remark(&session.warnings, launched.as_ref(), &layers, output);
                finish(&session, &layers, launched.as_ref(), output)
            }
            Err(refused) => refused_by(&refused, launched.as_ref(), &layers, output),
        }
    }

    /// The memory and the files that the options allow; the time is counted by who steps through the run.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            ledger: self.limits.untimed(),
            grants: self.launch.grants.clone(),
        }
    }

    /// What of the options is not for who steps through a run.
    ///
    /// # Errors
    /// What to do instead.
    pub(super) fn may_be_stepped(&self) -> Result<(), String> {
        let idle = ["jobs", "native"];
        if let Some(idle) = self.given.iter().find(|name| idle.contains(&name.as_str())) {
            return Err(format!(
                "--{idle} has no meaning for a run that is stepped through"
            ));
        }
        match self.watch.is_asked() {
            true => Err("--trace, --break, --sanitize, --check-races and --stats are options of visim run; \
                commands stop and print here"
                .to_string()),
            false => Ok(()),
        }
    }

    /// Reads the program and what it runs with.
    ///
    /// # Errors
    /// What is wrong has been said.
    pub(super) fn ready(&mut self, output: &mut Output) -> Result<Ready, Exit> {
        let asked = (self.platform, self.kernel.as_deref());
        self.file = self.written.find(&self.file, asked, output)?;
        let language = self.written.of(&self.file);
        if let Some(idle) = self.given.iter().find(|name| !serves(language, name)) {
            let file = self.file.display();
            let what = match language {
                Language::Visa => "a vISA program",
                Language::Tld => "a file of texture loads",
                Language::Send => "a program made of sends",
            };
            return Err(output.complain(&format!("--{idle} has no meaning for {file}, {what}")));
        }
        let asked = (self.platform, self.kernel.as_deref());
        let (file, found) = self.written.read(&self.file, asked, output)?;
        let mut layers = vec![file];
        match self.options() {
            Ok(more) => layers.extend(more),
            Err(mistake) => {
                output.diagnostics(&[mistake.0], &mistake.1);
                return Err(Exit::Command);
            }
        }
        let mut launched = match language {
            Language::Visa => launch::join(&self.launch, &mut layers, &self.file, asked, output)?,
            _ => None,
        };
        match &mut launched {
            Some(launched) => launched.keep = self.keep.take(),
            None if self.keep.is_some() => {
                return Err(output.complain("--keep has no meaning without a launch"));
            }
            None => {}
        }
        if launched.is_some() {
            self.binding.beside_a_launch(output)?;
        }
        let options = session::Options {
            launch: launched.as_ref().map(|l| l.prepared.clone()),
            jobs: self.jobs,
            through_bits: self.through_bits,
            native: self.native,
            allow_removed: self.allow_removed,
            ..self.limits.options()
        };
        Ok(Ready {
            layers,
            found,
            launched,
            options,
        })
    }

    /// The options as layers, each with its own text as the source.
    fn options(&self) -> Result<Vec<Layer>, Refused> {
        let mut layers = self.binding.layers()?;
        for text in &self.dump {
            layers.push(layer("--dump", text, |word, to| {
                to.dumps.push(clauses::dump(word)?);
                Ok(())
            })?);
        }
        for text in &self.save {
            layers.push(layer("--save", text, |word, to| {
                to.saves.push(clauses::save(word)?);
                Ok(())
            })?);
        }
        if let Some(name) = &self.kernel {
            layers.push(layer("--kernel", name, |word, to| {
                to.kernel = Some(word.map(str::to_string));
                Ok(())
            })?);
        }
        if let Some(platform) = self.platform {
            layers.push(layer("--platform", platform.name, |word, to| {
                to.platform = Some(Spanned::new(platform, word.span));
                Ok(())
            })?);
        }
        Ok(layers)
    }
}

/// Says why a program did not run to its end; remarks on a compiler's own text are of no use to who runs it.
pub(super) fn refused_by(
    refused: &session::Refused,
    launched: Option<&Launched>,
    layers: &[Layer],
    output: &mut Output,
) -> Exit {
    let reported = |p: &&Problem| launched.is_none() || p.diagnostic.class().is_fatal();
    let mut problems: Vec<Problem> = refused.problems.iter().filter(reported).cloned().collect();
    if let Some(launched) = launched {
        let found = problems.iter_mut().map(|p| &mut p.diagnostic);
        found.for_each(|diagnostic| launched.add_help(diagnostic));
    }
    say(&problems, layers, output)
}

/// Prints what was found of a run that came to its end. Remarks on a compiler's own text are of no use to who runs it.
pub(super) fn remark(
    warnings: &[Problem],
    launched: Option<&Launched>,
    layers: &[Layer],
    output: &mut Output,
) {
    let useful = |p: &&Problem| launched.is_none() || p.layer > 0;
    let useful: Vec<Problem> = warnings.iter().filter(useful).cloned().collect();
    say(&useful, layers, output);
}

/// Says all problems; the program is wrong if the first layer is, the command if another one is or if
/// a file cannot be used.
pub(super) fn say(problems: &[Problem], layers: &[Layer], output: &mut Output) -> Exit {
    let mut exit = Exit::Fine;
    for Problem { layer, diagnostic } in problems {
        output.diagnostics(std::slice::from_ref(diagnostic), &layers[*layer].source);
        if any_fatal(std::slice::from_ref(diagnostic)) {
            let of_file = diagnostic.code.is_of_a_file();
            exit = exit.max(if *layer > 0 || of_file {
                Exit::Command
            } else {
                Exit::Program
            });
        }
    }
    exit
}

/// Delivers what a session left, and holds the outputs of a launch against what is expected of them.
pub(super) fn finish<O>(
    session: &Session<O>,
    layers: &[Layer],
    launched: Option<&Launched>,
    output: &mut Output,
) -> Exit {
    if let Err(exit) = deliver(session, layers, launched, output) {
        return exit;
    }
    output.field("kernel", || json!(session.program.name));
    output.field("threads", || json!(session.outcome.thread_count));
    output.field("instructions", || json!(session.outcome.instructions));
    match launched {
        Some(launched) => {
            launch::printed(launched, &layers[0].source, output);
            launch::compared(launched, &layers[0].source, output)
        }
        None => Exit::Fine,
    }
}

/// Prints and writes what was asked for. Everything is looked up before anything is written.
///
/// # Errors
/// Something that was asked for is not there or cannot be written, which has been said.
pub(super) fn deliver(
    ran: &dyn RunResult,
    layers: &[Layer],
    launched: Option<&Launched>,
    output: &mut Output,
) -> Result<(), Exit> {
    let mut problems = Vec::new();
    let mut texts = Vec::new();
    let mut dumps = Vec::new();
    let mut writes = Writes::default();
    // A program does not write over itself.
    writes.spare(Path::new(layers[0].source.name()));
    let mut complaint = None;
    for (number, layer) in layers.iter().enumerate() {
        let mut wrong = |diagnostic: Box<Diagnostic>| {
            problems.push(Problem {
                layer: number,
                diagnostic: *diagnostic,
            });
        };
        for dump in &layer.directives.dumps {
            match ran.dump(dump) {
                Ok((text, table)) => {
                    texts.push(text);
                    dumps.push(dump_json(dump, &table));
                }
                Err(diagnostic) => wrong(diagnostic),
            }
        }
        for save in &layer.directives.saves {
            match ran.saved(save) {
                Ok(bytes) => {
                    let path = layer.folder.join(&save.path.node);
                    // What an option names is the user's own.
                    let may = match number {
                        0 => grants::may_write(&layer.folder, &path),
                        _ => Ok(()),
                    };
                    let refused = may.map_err(|error| WriteError {
                        path: path.clone(),
                        error,
                    });
                    let added = refused.and_then(|()| writes.add(&path, &bytes));
                    complaint = complaint.or(added.err());
                }
                Err(diagnostic) => wrong(diagnostic),
            }
        }
    }
    if !problems.is_empty() {
        return Err(say(&problems, layers, output));
    }
    if let Some(error) = complaint {
        return Err(output.complain(&error.to_string()));
    }
    if let Some(Err(why)) = launched.map(|launched| launched.write(&mut writes)) {
        return Err(output.complain(&why));
    }
    let written = writes.commit();
    let written = written.map_err(|error| output.complain(&error.to_string()))?;
    texts.iter().for_each(|text| output.text(text));
    for path in &written {
        output.text(&format!("wrote {}\n", path.display()));
    }
    let paths = written.iter().map(|p| p.display().to_string());
    let expected = layers[0].directives.expectations.len();
    let broken = case::broken(ran, &layers[0]);
    if broken > 0 {
        let all = counted(expected, "expectation");
        let file = layers[0].source.name();
        output.remark(&format!(
            "{broken} of {all} did not hold: visim test {file} shows what differs"
        ));
    }
    output.field(
        "expectations",
        || json!({"all": expected, "broken": broken}),
    );
    output.field("dumps", || json!(dumps));
    output.field("written", || json!(paths.collect::<Vec<_>>()));
    Ok(())
}

/// An element as a JSON number; JSON has no word for infinities and NaN, which become text.
pub(super) fn number_json(ty: Type, bytes: &[u8]) -> Value {
    match number(ty, bits(bytes)) {
        Number::Integer(value) => match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => json!(value),
            (_, Ok(value)) => json!(value),
            _ => json!(value.to_string()),
        },
        Number::Float(value) if value.is_finite() => json!(value),
        Number::Float(value) => json!(value.to_string()),
    }
}

fn dump_json(dump: &directive::Dump, table: &session::Table) -> Value {
    let view = &table.view;
    let size = view.ty.bytes() as usize;
    let row = |row: &[u8]| {
        row.chunks_exact(size)
            .map(|e| number_json(view.ty, e))
            .collect::<Vec<_>>()
    };
    json!({
        "name": dump.place.name.node,
        "offset": dump.place.offset,
        "thread": dump.place.thread,
        "type": view.ty.name(),
        "pitch": view.pitch,
        "rows": table.bytes.chunks(view.pitch as usize).map(row).collect::<Vec<_>>(),
    })
}
