//! The options of `visim run` that watch a run, and how what they see is printed.
//!
//! A watched run takes its work-groups one after the other in launch order, whatever `--jobs` says, so
//! that every report and trace is the same each time.

use super::output::{self, Exit, Output};
use super::run::{finish, number_json, refused_by, remark};
use crate::check::{CheckOptions, Step};
use crate::diagnostic::{Code, Diagnostic, any_fatal, counted};
use crate::exec::NativeCode;
use crate::exec::observer::{AccessKind, At, SpaceName, Spot};
use crate::explain::page::{self, Page};
use crate::explain::stepped;
use crate::files::Writes;
use crate::harness::bind::{self, Layer};
use crate::harness::clauses;
use crate::harness::directive::{Dump, Location, ViewWords};
use crate::harness::front::Front;
use crate::harness::launch::Launched;
use crate::harness::session::{self, Options, Refused, Session};
use crate::harness::stepped::record;
use crate::harness::values::{NumberFormat, View};
use crate::isa::{Opcode, Type};
use crate::launch::Grid;
use crate::observe::stats::{Count, is_message};
use crate::observe::trace::{Event, Instruction, Moved, Stop, TraceOptions, Value};
use crate::observe::{Races, Sanitizer, Stats, Tracer, Watcher, space, spot};
use crate::program::{Program, SymbolClass};
use crate::source::{Source, Span, Spanned};
use clap::ArgGroup;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// How a trace is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TraceFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
    /// The records of --html, one JSON object a line: programs, registers, messages, texels, surfaces.
    Steps,
}

/// What the sanitizer reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sanitizing {
    /// What the hardware promises nothing for.
    Undefined,
    /// That, and blocks and samplers that go beyond a surface.
    Edges,
}

/// What a run is watched for.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Watching a run",
    group = ArgGroup::new("stops").args(["breaks", "break_thread"]).multiple(true),
    group = ArgGroup::new("traced").args(["trace", "html"]).multiple(true),
    group = ArgGroup::new("reported").args(["trace", "breaks", "break_thread"]).multiple(true),
)]
pub struct Watching {
    /// Report what the hardware promises nothing for: undefined registers, accesses outside a surface,
    /// misaligned ones, threads that miss each other at a barrier.
    ///
    /// --sanitize=edges also lists, row by row, what media blocks and samplers read beyond a surface, which is defined.
    #[arg(long, value_name = "WHAT", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "undefined")]
    sanitize: Option<Sanitizing>,
    /// Report accesses of different threads to the same bytes that nothing orders.
    #[arg(long)]
    check_races: bool,
    /// Print each instruction with its lanes and values.
    #[arg(long)]
    trace: bool,
    /// How --trace and --break print: for people, or one JSON object a line.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = TraceFormat::Text, requires = "reported")]
    trace_format: TraceFormat,
    /// Print this many instructions at most.
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "traced")]
    trace_limit: u64,
    /// Write a page that shows each instruction in a browser: registers, masks, messages, texels, surfaces, threads.
    ///
    /// It needs no network. It holds the first instructions of all threads, at most as many as --trace-limit says.
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    /// Trace this thread only; may be given several times.
    ///
    /// N is a thread by its number in launch order, as reports print it; X,Y by column and row; N@X,Y,Z is thread N of
    /// group X,Y,Z, as is X,Y,Z,N; N@G of group number G.
    #[arg(long, value_name = "THREAD", requires = "traced")]
    thread: Vec<String>,
    /// Stop in front of the instructions on this line, print the variables asked for, and go on.
    #[arg(long = "break", value_name = "LINE", value_parser = line_number)]
    breaks: Vec<usize>,
    /// Stop in this thread only, named as for --thread; without --break, in front of its first instruction.
    #[arg(long, value_name = "THREAD")]
    break_thread: Vec<String>,
    /// Print this many stops at most.
    #[arg(long, value_name = "N", default_value_t = 16, requires = "stops")]
    break_limit: u64,
    /// Print this variable at each stop: NAME, NAME:TYPE, NAME:hex, from byte 8 on NAME.8; of a predicate its lanes.
    #[arg(long, value_name = "NAME[:TYPE]", requires = "stops")]
    print: Vec<String>,
    /// Count executed instructions and messages, lanes and bytes for each opcode.
    #[arg(long)]
    stats: bool,
}

/// Reads the number of a line for clap.
fn line_number(text: &str) -> Result<usize, String> {
    let line = text.parse().ok().filter(|&line| line > 0);
    line.ok_or_else(|| "expected the number of a line, at least 1".to_string())
}

/// A mistake in an option, in the option's own text.
pub(super) type Mistake = Box<(Diagnostic, Source)>;

impl Watching {
    /// Whether any of it was asked for.
    pub fn is_asked(&self) -> bool {
        let stops = !self.breaks.is_empty() || !self.break_thread.is_empty();
        let page = self.html.is_some();
        self.sanitize.is_some() || self.check_races || self.trace || self.stats || stops || page
    }

    /// Runs the program and prints what was seen.
    pub fn run(
        &self,
        layers: &[Layer],
        found: Vec<Diagnostic>,
        options: &Options,
        launched: Option<&Launched>,
        output: &mut Output,
    ) -> Exit {
        let source = &layers[0].source;
        let (trace, shown) = match self.tracing(layers, options) {
            Ok(wanted) => wanted,
            Err(mistake) => {
                output.diagnostics(&[mistake.0], &mistake.1);
                return Exit::Command;
            }
        };
        let stops = !trace.lines.is_empty() || !trace.stop_threads.is_empty();
        let steps = self.trace && self.trace_format == TraceFormat::Steps;
        if self.trace_format == TraceFormat::Steps && stops {
            return output.complain(
                "--trace-format steps has no stops: it goes with --trace, without --break and --break-thread",
            );
        }
        let recorded = stepped::Options {
            threads: trace.threads.clone(),
            most_steps: trace.most_instructions,
            most_bytes: page::MOST_BYTES,
            ..stepped::Options::default()
        };
        let printer = Printer {
            source,
            shown,
            lines: (!output.is_text()).then(Mutex::default),
            as_json: self.trace_format != TraceFormat::Text,
            failed: OnceLock::new(),
        };
        let watcher = Watcher {
            sanitizer: self.sanitize.map(|what| match what {
                Sanitizing::Undefined => Sanitizer::default(),
                Sanitizing::Edges => Sanitizer::with_edges(),
            }),
            races: self.check_races.then(Races::default),
            stats: self.stats.then(Stats::default),
            tracer: (self.trace && !steps || stops)
                .then(|| Tracer::new(trace, |program, event| printer.event(program, &event))),
        };
        let options = Options {
            jobs: 1,
            ..options.clone()
        };
        let watch = |_| watcher.thread();
        let mut exit;
        let program;
        if self.html.is_some() || steps {
            let mut page = self.html.as_ref().map(|_| Page::default());
            let sink: stepped::Sink<'_> = Box::new(|record, line| {
                if let Some(page) = &mut page {
                    page.add(record, line);
                }
                if steps {
                    printer.record(line);
                }
            });
            let result = record(layers, found, &options, recorded, sink, watch);
            exit = ended(&result, layers, launched, output);
            if let (Some(page), Some(path)) = (page, &self.html) {
                exit = exit.max(write_page(&page, source, (0, None), path, output));
            }
            program = result.ok().map(|session| session.program);
        } else {
            let result = session::start_watched(layers, found, &options, watch);
            exit = ended(&result, layers, launched, output);
            program = result.ok().map(|session| session.program);
        }
        if let Some(error) = printer.failed.get() {
            output.fail(error);
        }
        self.untold(&watcher, output);
        if let Some(lines) = &printer.lines {
            let lines = lines.lock().unwrap_or_else(|e| e.into_inner()).clone();
            output.field("trace", || Json::Array(lines));
        }
        if let Some(stats) = &watcher.stats {
            let native = (options.native != NativeCode::Never).then(|| stats.native());
            print_stats(stats, program.as_ref(), native, output);
        }
        let diagnostics = watcher.diagnostics();
        output.diagnostics(&diagnostics, source);
        exit.max(if any_fatal(&diagnostics) {
            Exit::Program
        } else {
            Exit::Fine
        })
    }

    /// What is to be traced, and how variables are shown.
    fn tracing(
        &self,
        layers: &[Layer],
        options: &Options,
    ) -> Result<(TraceOptions, Vec<Shown>), Mistake> {
        let grid = session::threads(layers, options);
        let threads = |option: &str, texts: &[String]| {
            let one = |text: &String| thread(option, text, &grid);
            texts.iter().map(one).collect::<Result<Vec<_>, _>>()
        };
        let source = &layers[0].source;
        let check = CheckOptions {
            platform: session::platform(layers),
            finalizer: options.launch.is_some(),
            allow_removed: options.allow_removed,
        };
        // Read once more, to refuse before anything has run.
        let asked = !self.breaks.is_empty();
        let front = asked.then(|| Front::with(source, &check));
        let front = front.as_ref().filter(|f| !f.is_refused());
        let mut lines = Vec::new();
        for &line in &self.breaks {
            let option = Source::new("--break", line.to_string());
            lines.push(instructions_on(line, source, front).map_err(|why| {
                let whole = Span::new(0, option.text().len() as u32);
                Box::new((Diagnostic::new(Code::E0900).at(whole, why), option))
            })?);
        }
        // The names are those of the program that runs.
        let program = (!self.print.is_empty()).then(|| session::lowered(layers, options));
        let program = program.flatten();
        let print = |text: &String| {
            Shown::read(text, program.as_ref())
                .map_err(|mistake| Box::new((*mistake, Source::new("--print", &text[..]))))
        };
        let shown: Vec<Shown> = self.print.iter().map(print).collect::<Result<_, _>>()?;
        let trace = TraceOptions {
            instructions: self.trace,
            threads: threads("--thread", &self.thread)?,
            lines,
            stop_threads: threads("--break-thread", &self.break_thread)?,
            show: shown.iter().map(|s| s.place.name.node.clone()).collect(),
            most_instructions: self.trace_limit,
            most_stops: self.break_limit,
        };
        Ok((trace, shown))
    }

    /// Says what was left out, and which line no thread came to.
    fn untold(&self, watcher: &Watcher<'_>, output: &mut Output) {
        let Some(tracer) = &watcher.tracer else {
            return;
        };
        let untold = tracer.untold();
        output.field(
            "trace_left_out",
            || json!({ "instructions": untold.instructions, "stops": untold.stops }),
        );
        if untold.instructions > 0 {
            let more = counted(untold.instructions, "more instruction");
            output.remark(&format!("{more} ran; --trace-limit prints more"));
        }
        if untold.stops > 0 {
            let more = counted(untold.stops, "more stop");
            output.remark(&format!("{more} came; --break-limit prints more"));
        }
    }
}

/// Prints what a run left, or why it did not come to its end.
fn ended<O>(
    result: &Result<Session<O>, Refused>,
    layers: &[Layer],
    launched: Option<&Launched>,
    output: &mut Output,
) -> Exit {
    match result {
        Ok(session) => {
            remark(&session.warnings, launched, layers, output);
            finish(session, layers, launched, output)
        }
        Err(refused) => refused_by(refused, launched, layers, output),
    }
}

/// Writes a page, unless nothing ran that it could show.
pub(super) fn write_page(
    page: &Page,
    source: &Source,
    (line, lane): (usize, Option<u8>),
    path: &Path,
    output: &mut Output,
) -> Exit {
    if page.is_empty() {
        output.remark(&format!("nothing ran: {} is not written", path.display()));
        return Exit::Fine;
    }
    let html = page.html(source.name(), line, lane);
    let mut writes = Writes::default();
    let added = writes.add(path, html.as_bytes());
    match added.and_then(|()| writes.commit()) {
        Ok(_) => {
            let name = path.display().to_string();
            output.remark(&format!("wrote {name}"));
            output.field("page", || json!(name));
            Exit::Fine
        }
        Err(error) => output.complain(&error.to_string()),
    }
}

/// A thread as its number in launch order: by that, by column and row, or by its group and its number there.
pub(super) fn thread(option: &str, text: &str, grid: &Grid<'_>) -> Result<u32, Mistake> {
    let source = Source::new(option, text);
    let wrong = |why: String| {
        let span = Span::new(0, text.len() as u32);
        Box::new((Diagnostic::new(Code::E0901).at(span, why), source.clone()))
    };
    let numbers = |text: &str| -> Vec<u128> {
        let numbers = text.split(',').map(|n| n.trim().parse::<u32>());
        let numbers = numbers.collect::<Result<Vec<u32>, _>>();
        numbers.map_or(Vec::new(), |n| n.into_iter().map(u128::from).collect())
    };
    let [x, y, z] = grid.count.map(u128::from);
    let threads = u128::from(grid.threads);
    let group = |number: u128| {
        [
            number % x.max(1),
            number / x.max(1) % y.max(1),
            number / x.max(1) / y.max(1),
        ]
    };
    let numbers = match text.split_once('@') {
        None => numbers(text),
        Some((thread, at)) => match (&numbers(thread)[..], &numbers(at)[..]) {
            (&[thread], &[number]) => {
                let [gx, gy, gz] = group(number);
                vec![gx, gy, gz, thread]
            }
            (&[thread], &[gx, gy, gz]) => vec![gx, gy, gz, thread],
            _ => Vec::new(),
        },
    };
    // A row of media threads is one of groups; of others, a group.
    let columns = if grid.media { x } else { threads };
    let index = match numbers[..] {
        [number] => number,
        [column, _] if column >= columns => {
            return Err(wrong(format!("a row has {}", counted(columns, "thread"))));
        }
        [column, row] => row * columns + column,
        [gx, gy, gz, thread] => {
            if gx >= x || gy >= y || gz >= z || thread >= threads {
                let threads = counted(threads, "thread");
                return Err(wrong(format!(
                    "there are {x} by {y} by {z} groups of {threads}"
                )));
            }
            ((gz * y + gy) * x + gx)
                .saturating_mul(threads)
                .saturating_add(thread)
        }
        _ => {
            return Err(wrong(
                "expected a number, a column and a row such as 3,0, or a thread and its group such as 1@7 or 1@7,0,0"
                    .to_string(),
            ));
        }
    };
    let all = grid.threads();
    match u32::try_from(index) {
        Ok(number) if u64::from(number) < all => Ok(number),
        _ => Err(wrong(format!("the run has {}", counted(all, "thread")))),
    }
}

/// The place of a line on which an instruction starts.
fn instructions_on(line: usize, source: &Source, front: Option<&Front>) -> Result<Span, String> {
    let span = source
        .line_span(line)
        .ok_or_else(|| format!("the text has no line {line}"))?;
    let Some(front) = front else {
        return Ok(span);
    };
    let steps = front.checked.units.iter().flat_map(|u| &u.steps);
    let starts = steps.filter_map(|step| match step {
        Step::Instruction(instruction) => Some(instruction.span.start),
        _ => None,
    });
    let mut starts: Vec<u32> = starts.collect();
    starts.sort_unstable();
    if starts.iter().any(|s| span.range().contains(&(*s as usize))) {
        return Ok(span);
    }
    let next = starts.iter().find(|s| **s >= span.end);
    Err(match next {
        Some(next) => format!(
            "no instruction starts there; the next is on line {}",
            source.line_of(*next)
        ),
        None => "no instruction starts there or after it".to_string(),
    })
}

/// A variable of `--print`.
struct Shown {
    place: Location,
    words: ViewWords,
}

impl Shown {
    /// Reads what follows `--print`; names and offsets are held against the program, if there is one.
    fn read(text: &str, program: Option<&Program>) -> Result<Shown, Box<Diagnostic>> {
        let word = Spanned::new(text, Span::new(0, text.len() as u32));
        let Dump { place, view } = clauses::dump(word)?;
        if let Some((x, y)) = place.thread {
            let start = text.find('@').unwrap_or_default();
            let tail = &text[start..];
            let end = start + tail.find([':', ' ', '\t']).unwrap_or(tail.len());
            let at = Span::new(start as u32, end as u32);
            let label = "a stop prints what the thread has that stops";
            let refused = Diagnostic::new(Code::E0705).at(at, label);
            return Err(Box::new(refused.help(format!("--break-thread {x},{y}"))));
        }
        if let Some(program) = program {
            let symbol = bind::symbol(program, &place.name)?;
            bind::inside(
                &place,
                &symbol,
                view.ty.unwrap_or(symbol.class.default_type()),
            )?;
        }
        Ok(Shown { place, words: view })
    }
}

/// A variable at a stop.
struct Variable<'s> {
    /// Its name, and the offset where one is asked for.
    title: String,
    /// Its bytes from there on.
    bytes: &'s [u8],
    view: Looked,
}

/// How a variable is shown.
enum Looked {
    /// The lanes of a predicate.
    Lanes(Vec<bool>),
    /// Elements in rows.
    Elements(View),
}

/// An event of a program of `source` as --trace prints it.
pub fn event_text(source: &Source, program: &Program, event: &Event) -> String {
    let printer = Printer {
        source,
        shown: Vec::new(),
        lines: None,
        as_json: false,
        failed: OnceLock::new(),
    };
    printer.text(program, event)
}

/// Prints events as they come.
struct Printer<'a> {
    source: &'a Source,
    /// How the variables of a stop are shown.
    shown: Vec<Shown>,
    /// Where events are kept when the command prints one JSON value.
    lines: Option<Mutex<Vec<Json>>>,
    as_json: bool,
    /// Why standard output took no more.
    failed: OnceLock<std::io::Error>,
}

impl Printer<'_> {
    fn event(&self, program: &Program, event: &Event) {
        if let Some(lines) = &self.lines {
            let value = self.json(program, event);
            lines.lock().unwrap_or_else(|e| e.into_inner()).push(value);
            return;
        }
        self.print(&if self.as_json {
            format!("{}\n", self.json(program, event))
        } else {
            self.text(program, event)
        });
    }

    /// A record of a stepped run.
    fn record(&self, line: &str) {
        match &self.lines {
            Some(lines) => {
                let value = serde_json::from_str(line).unwrap_or_default();
                lines.lock().unwrap_or_else(|e| e.into_inner()).push(value);
            }
            None => self.print(&format!("{line}\n")),
        }
    }

    fn print(&self, text: &str) {
        if let Err(error) = output::print(text.as_bytes()) {
            self.failed.get_or_init(|| error);
        }
    }

    /// The line and the text of an instruction, and the file where that is another than the kernel's.
    fn site(&self, at: At) -> (Option<&str>, usize, String) {
        let text = self.source.slice(at.site.span);
        let words: Vec<&str> = text.split_whitespace().collect();
        let start = at.site.span.start;
        let file = (self.source.file_of(start) > 0).then(|| self.source.name_at(start));
        (file, self.source.line_of(start), words.join(" "))
    }

    fn text(&self, program: &Program, event: &Event) -> String {
        match event {
            Event::Instruction(i) => self.instruction(program, i),
            Event::Stop(stop) => self.stop(program, stop),
        }
    }

    fn head(&self, at: At, mask: u32) -> String {
        let (file, line, text) = self.site(at);
        let line = match file {
            Some(file) => format!("{file} line {line}"),
            None => format!("line {line}"),
        };
        let (thread, step) = (at.thread.index, at.step);
        format!("thread {thread} step {step} {line}: {text}  lanes {mask:#x}\n")
    }

    fn instruction(&self, program: &Program, i: &Instruction) -> String {
        let mut text = self.head(i.at, i.on.mask);
        for value in &i.reads {
            let (name, row) = (place(value), row(value.ty, &value.bytes));
            text.push_str(&format!("    {} {name} = {row}\n", value.part));
        }
        for (before, after) in &i.writes {
            let (old, new) = (row(before.ty, &before.bytes), row(after.ty, &after.bytes));
            text.push_str(&format!("    {} : {old}\n", place(before)));
            text.push_str(&format!(
                "    {:>1$}-> {new}\n",
                "",
                place(before).chars().count()
            ));
        }
        for group in i.memory.chunk_by(alike) {
            text.push_str(&format!("    {}\n", moved(program, group)));
        }
        text
    }

    /// The variables of a stop as they are asked for.
    fn variables<'s>(
        &'s self,
        program: &'s Program,
        stop: &'s Stop,
    ) -> impl Iterator<Item = Variable<'s>> {
        // A stop leaves out what the program does not have.
        let shown = self.shown.iter().filter_map(|shown| {
            let symbol = program.symbols.get(&shown.place.name.node)?;
            Some((shown, symbol))
        });
        let variables = stop.variables.iter().zip(shown);
        variables.map(|((name, ty, bytes), (Shown { place, words }, symbol))| {
            let title = match place.offset {
                0 => name.clone(),
                offset => format!("{name}.{offset}"),
            };
            let plain = *words == ViewWords::default();
            let view = if symbol.class == SymbolClass::Predicate && plain {
                let bits = bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
                Looked::Lanes(
                    (0..symbol.elements)
                        .map(|lane| bits >> (lane & 31) & 1 == 1)
                        .collect(),
                )
            } else {
                let ty = words.ty.unwrap_or(*ty);
                Looked::Elements(View {
                    ty,
                    form: words.form.unwrap_or(NumberFormat::of_type(ty)),
                    pitch: words.pitch.unwrap_or(program.platform.grf_bytes()),
                })
            };
            let bytes = bytes.get(place.offset as usize..).unwrap_or_default();
            Variable { title, bytes, view }
        })
    }

    fn stop(&self, program: &Program, stop: &Stop) -> String {
        let mut text = format!("stop in {}\n", stop.at.thread);
        text.push_str(&format!("  before {}", self.head(stop.at, stop.on.mask)));
        for variable in self.variables(program, stop) {
            let Variable { title, bytes, view } = variable;
            let view = match view {
                Looked::Lanes(lanes) => {
                    let bits: Vec<&str> =
                        lanes.iter().map(|&on| if on { "1" } else { "0" }).collect();
                    let (all, last) = (counted(bits.len(), "lane"), bits.len().saturating_sub(1));
                    text.push_str(&format!(
                        "  {title}: {all}\n    {:>3}..={last:<3} {}\n",
                        0,
                        bits.join(" ")
                    ));
                    continue;
                }
                Looked::Elements(view) => view,
            };
            text.push_str(&format!("  {title}: {}\n", view.ty));
            let each = (view.pitch / view.ty.bytes()).max(1) as usize;
            for (r, row) in view.rows(bytes).iter().enumerate() {
                let first = r * each;
                let last = (bytes.len() / view.ty.bytes() as usize).min(first + each);
                let last = last.saturating_sub(1);
                text.push_str(&format!("    {first:>3}..={last:<3} {row}\n"));
            }
        }
        text
    }

    fn json(&self, program: &Program, event: &Event) -> Json {
        let (at, on) = match event {
            Event::Instruction(i) => (i.at, i.on),
            Event::Stop(stop) => (stop.at, stop.on),
        };
        let (file, line, text) = self.site(at);
        let mut value = json!({
            "thread": { "index": at.thread.index, "group": at.thread.group, "local": at.thread.local },
            "step": at.step, "file": file, "line": line, "opcode": program.mnemonic(at.site.opcode), "text": text,
            "lanes": on.mask, "enabled": on.enabled,
        });
        let more = match event {
            Event::Instruction(i) => json!({
                "event": "instruction",
                "reads": i.reads.iter().map(|v| json!({
                    "operand": v.part, "name": v.name, "offset": v.offset, "type": v.ty.name(),
                    "lanes": v.lanes, "values": values(v.ty, &v.bytes),
                })).collect::<Vec<_>>(),
                "writes": i.writes.iter().map(|(before, after)| json!({
                    "name": before.name, "offset": before.offset, "type": before.ty.name(),
                    "before": values(before.ty, &before.bytes), "after": values(after.ty, &after.bytes),
                })).collect::<Vec<_>>(),
                "memory": i.memory.iter().map(|m| json!({
                    "kind": kind(m.kind), "space": space(program, m.space), "place": spot(m.spot),
                    "bytes": m.bytes, "inside": m.inside, "lane": m.lane,
                })).collect::<Vec<_>>(),
                "done": i.done,
            }),
            Event::Stop(stop) => {
                let variables = self.variables(program, stop);
                let variables = variables.map(|Variable { title, bytes, view }| match view {
                    Looked::Lanes(lanes) => json!({
                        "name": title, "type": Type::Bool.name(), "lanes": lanes.len(), "rows": [lanes],
                    }),
                    Looked::Elements(view) => {
                        let rows = bytes.chunks((view.pitch as usize).max(1));
                        let rows: Vec<_> = rows.map(|row| values(view.ty, row)).collect();
                        json!({ "name": title, "type": view.ty.name(), "rows": rows })
                    }
                });
                json!({ "event": "stop", "variables": variables.collect::<Vec<_>>() })
            }
        };
        if let (Json::Object(value), Json::Object(more)) = (&mut value, more) {
            value.extend(more);
        }
        value
    }
}

/// Elements in one line.
fn row(ty: Type, bytes: &[u8]) -> String {
    View::of(ty, u32::MAX).row(bytes, 0)
}

fn values(ty: Type, bytes: &[u8]) -> Vec<Json> {
    let elements = bytes.chunks_exact(ty.bytes() as usize);
    elements.map(|e| number_json(ty, e)).collect()
}

fn place(value: &Value) -> String {
    if value.name.is_empty() {
        format!("constant:{}", value.ty)
    } else {
        format!("{}.{}:{}", value.name, value.offset, value.ty)
    }
}

fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "update",
    }
}

/// Whether two pieces of memory are reported in one line.
fn alike(a: &Moved, b: &Moved) -> bool {
    a.kind == b.kind && a.space == b.space && a.bytes == b.bytes
}

fn moved(program: &Program, group: &[Moved]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let spots = group.iter().map(|m| {
        let place = match m.spot {
            Spot::Byte(address) => format!("{address:#x}"),
            Spot::Texel([u, v, r, _]) => format!("({u},{v},{r})"),
            Spot::Block(x, y) => format!("({x},{y})"),
        };
        if m.inside < m.bytes {
            format!("{place} (outside)")
        } else {
            place
        }
    });
    let spots: Vec<String> = spots.collect();
    let what = match first.space {
        SpaceName::Flat => "memory".to_string(),
        name => space(program, name),
    };
    let (verb, bytes, spots) = (kind(first.kind), first.bytes, spots.join(" "));
    format!("{verb} {bytes} bytes of {what} at {spots}")
}

/// The counts as --stats prints them: instructions first, then messages, then all together; the names are those of the
/// program's own text.
///
/// * `native`: how many instructions have native code, and how many there are.
pub fn stats_text(stats: &Stats, program: Option<&Program>, native: Option<(u64, u64)>) -> String {
    let name = |opcode: Opcode| mnemonic(program, opcode);
    let counts = stats.counts();
    let mut all = Count::default();
    let mut text = format!(
        "{:<18} {:>12} {:>14} {:>6} {:>12} {:>12} {:>12} {:>12} {:>12}\n",
        "opcode",
        "executed",
        "lanes",
        "used",
        "math rounds",
        "read",
        "written",
        "updated",
        "returned"
    );
    let mut line = |name: &str, c: &Count| {
        let used = 100.0 * c.lanes as f64 / c.lanes_most.max(1) as f64;
        text.push_str(&format!(
            "{name:<18} {:>12} {:>14} {used:>5.1}% {:>12} {:>12} {:>12} {:>12} {:>12}\n",
            c.executed, c.lanes, c.rounds, c.read, c.written, c.updated, c.returned
        ));
    };
    for messages in [false, true] {
        let mut sum = Count::default();
        for (opcode, count) in counts.iter().filter(|c| is_message(c.0) == messages) {
            line(name(*opcode), count);
            sum.add(count);
        }
        line(
            if messages {
                "all messages"
            } else {
                "all instructions"
            },
            &sum,
        );
        all.add(&sum);
    }
    line("together", &all);
    if let Some((own, all)) = native {
        let part = 100.0 * own as f64 / all.max(1) as f64;
        text.push_str(&format!(
            "native code for {own} of {all} instructions ({part:.1}%), where it pays and nobody watches\n"
        ));
    }
    text
}

/// What the program calls an instruction.
fn mnemonic(program: Option<&Program>, opcode: Opcode) -> &'static str {
    program.map_or(opcode.info().mnemonic, |program| program.mnemonic(opcode))
}

/// Prints the counts.
fn print_stats(
    stats: &Stats,
    program: Option<&Program>,
    native: Option<(u64, u64)>,
    output: &mut Output,
) {
    let name = |opcode: Opcode| mnemonic(program, opcode);
    let counts = stats.counts();
    let text = stats_text(stats, program, native);
    output.text(&text);
    output.field("native_instructions", || native.map(|(own, _)| own).into());
    output.field("stats", || {
        let one = |(opcode, c): &(Opcode, Count)| {
            json!({
                "opcode": name(*opcode), "message": is_message(*opcode), "executed": c.executed,
                "lanes": c.lanes, "lanes_most": c.lanes_most, "math_rounds": c.rounds, "read": c.read, "written": c.written,
                "updated": c.updated, "returned": c.returned,
            })
        };
        Json::Array(counts.iter().map(one).collect())
    });
}
