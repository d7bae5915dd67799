//! One run of one program: from a text and its directives to registers and surfaces that can be read.
//!
//! ```text
//!  Layers ─ front ─▶ checked ─ lower ─▶ Program ─ bind ─▶ Bindings ─ launch ─▶ Session
//! ```

use super::bind::{self, Layer, Problem};
use super::directive::{Directives, Location, ViewWords};
use super::front::Front;
use super::kernel::Prepared;
use super::language::Language;
use super::sends;
use super::values::{NumberFormat, View};
use crate::check::CheckOptions;
use crate::diagnostic;
use crate::diagnostic::{Code, Diagnostic, any_fatal};
use crate::exec::{Bindings, packed};
use crate::isa::{Platform, Type};
use crate::launch::{
    Grid, Keep, NativeCode, Observer, Outcome, RunOptions, Silent, ThreadId, Trap, run,
};
use crate::lower::{LowerOptions, lower};
use crate::program::{Op, Program, SymbolClass};
use crate::source::{Source, Span, Spanned};
use crate::surface::Surface;
use crate::surface::ledger::{Deadline, Ledger};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What the caller chooses beside the directives.
#[derive(Clone)]
pub struct Options {
    /// The launch of a compiled kernel: its memory, and registers for each thread.
    pub launch: Option<Prepared>,
    /// Groups that may run at the same time.
    pub jobs: usize,
    /// Instructions that one thread may run.
    pub limit: u64,
    /// Instructions that all threads may run together.
    pub total: u64,
    /// Messages go through the bits of the platform.
    pub through_bits: bool,
    /// Whether native code runs.
    pub native: NativeCode,
    /// Instructions that the platform's hardware has lost run with a warning.
    pub allow_removed: bool,
    /// Tests are watched by the sanitizer, whatever their `RUN` line says.
    pub sanitize: bool,
    /// The registers of all threads are kept, not those alone that the directives look at.
    pub keep_all: bool,
    /// How long the threads may run, where the ledger of the host thread has no time.
    pub timeout: Option<Duration>,
    /// What a host does with the memory that is bound, before the threads start.
    pub before: Option<Before>,
}

/// See [`Options::before`].
pub type Before = Arc<dyn Fn(&Program, &Bindings) + Send + Sync>;

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("launch", &self.launch.is_some())
            .field("jobs", &self.jobs)
            .field("limit", &self.limit)
            .field("total", &self.total)
            .field("through_bits", &self.through_bits)
            .field("native", &self.native)
            .field("allow_removed", &self.allow_removed)
            .field("sanitize", &self.sanitize)
            .field("keep_all", &self.keep_all)
            .field("timeout", &self.timeout)
            .field("before", &self.before.is_some())
            .finish()
    }
}

impl Default for Options {
    fn default() -> Options {
        let defaults = RunOptions::default();
        Options {
            launch: None,
            jobs: defaults.jobs,
            limit: defaults.limit,
            total: defaults.total,
            through_bits: defaults.through_bits,
            native: defaults.native,
            allow_removed: false,
            sanitize: false,
            keep_all: false,
            timeout: None,
            before: None,
        }
    }
}

/// A program that has run.
pub struct Session<O = Silent> {
    /// What ran.
    pub program: Program,
    /// Its surfaces, as the program left them.
    pub bindings: Bindings,
    /// Registers and counts.
    pub outcome: Outcome<O>,
    /// Columns and rows of the grid; in a grid of groups, threads of a group and groups.
    pub threads: (u32, u32),
    /// What the reader should know although the program ran.
    pub warnings: Vec<Problem>,
}

/// Why a program did not run, or not to its end.
#[derive(Clone, Debug)]
pub struct Refused {
    /// All that was found, warnings too.
    pub problems: Vec<Problem>,
}

/// The layer of a file: its directives, and what could not be read of them.
pub fn file_layer(source: Source, path: &Path) -> (Layer, Vec<Diagnostic>) {
    let (mut directives, diagnostics) = super::directive::read(&source);
    if directives.platform.is_none() && Language::of(path) == Language::Visa {
        // A compiler's text says itself what it was compiled for.
        directives.platform = match super::companion_files::trailer(source.text()) {
            Some((platform, span)) => Some(Spanned::new(platform, span)),
            None => super::companion_files::NativeCode::of(&source, path)
                .map(|native| Spanned::new(native.platform, Span::default())),
        };
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let layer = Layer {
        source,
        directives,
        folder,
        language: Language::of(path),
        files: super::grants::files(path.parent().unwrap_or(Path::new(""))),
    };
    (layer, diagnostics)
}

/// The last layer that says something wins.
fn last<T: Clone>(
    layers: &[Layer],
    pick: impl Fn(&Directives) -> Option<&Spanned<T>>,
) -> Option<T> {
    let found = layers.iter().rev().find_map(|l| pick(&l.directives));
    found.map(|s| s.node.clone())
}

/// The platform the layers ask for.
pub fn platform(layers: &[Layer]) -> Platform {
    last(layers, |d| d.platform.as_ref()).unwrap_or_default()
}

/// Runs the program of the first layer with what all layers ask for.
///
/// * `found`: diagnostics of the first layer's directives.
///
/// # Errors
/// [`Refused`]: the text, a binding or the run is wrong.
pub fn start(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    options: &Options,
) -> Result<Session, Refused> {
    start_watched(layers, found, options, |_| Silent)
}

/// As [`start`], with an observer for each thread.
///
/// # Errors
/// As [`start`].
pub fn start_watched<O: Observer>(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    options: &Options,
    observe: impl Fn(ThreadId) -> O + Sync,
) -> Result<Session<O>, Refused> {
    start_staged(layers, found, options, |stage| stage.run(observe))
}

/// Runs a program with what all layers ask for; the first layer is its text.
///
/// * `problems`: what is to be said of it already.
///
/// # Errors
/// As [`start`].
pub fn run_program<O: Observer>(
    program: Program,
    layers: &[Layer],
    problems: Vec<Problem>,
    options: &Options,
    observe: impl Fn(ThreadId) -> O + Sync,
) -> Result<Session<O>, Refused> {
    stage(program, layers, problems, options, |stage| {
        stage.run(observe)
    })
}

/// A program with all that it runs with.
pub struct Stage<'s> {
    /// What runs.
    pub program: &'s Program,
    /// Its surfaces and memory, which runs change in place.
    pub bindings: &'s Bindings,
    /// Its threads.
    pub grid: &'s Grid<'s>,
    /// How it runs.
    pub options: &'s RunOptions,
}

impl Stage<'_> {
    /// Runs it once.
    ///
    /// # Errors
    /// The trap of the first thread that could not go on.
    pub fn run<O: Observer>(
        &self,
        observe: impl Fn(ThreadId) -> O + Sync,
    ) -> Result<Outcome<O>, Box<Trap>> {
        run(
            self.program,
            self.bindings,
            self.grid,
            self.options,
            observe,
        )
    }
}

/// As [`start`], with `carry_out` in place of one run.
///
/// # Errors
/// As [`start`].
pub fn start_staged<O>(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    options: &Options,
    carry_out: impl FnOnce(&Stage<'_>) -> Result<Outcome<O>, Box<Trap>>,
) -> Result<Session<O>, Refused> {
    let (program, problems) =
        ready(layers, found, options).map_err(|problems| Refused { problems })?;
    stage(program, layers, problems, options, carry_out)
}

/// The program of the first layer.
fn ready(layers: &[Layer], found: Vec<Diagnostic>, options: &Options) -> Lowered {
    match layers[0].language {
        Language::Send => sends::program(layers, found),
        _ => program(layers, found, options),
    }
}

/// Binds what all layers ask for to a program and lets `carry_out` run it.
fn stage<O>(
    program: Program,
    layers: &[Layer],
    mut problems: Vec<Problem>,
    options: &Options,
    carry_out: impl FnOnce(&Stage<'_>) -> Result<Outcome<O>, Box<Trap>>,
) -> Result<Session<O>, Refused> {
    let refuse = |problems: Vec<Problem>| Refused { problems };
    let launch = options.launch.as_ref();
    if launch.is_some_and(|l| !l.description.has_handles())
        && let Some(diagnostic) = bindless(&program)
    {
        problems.push(of_file(diagnostic));
        return Err(refuse(problems));
    }
    let start = launch.map(|l| &l.ready.bindings);
    let bindings = match bind::bind(&program, layers, start) {
        Ok((bindings, remarks)) => {
            problems.extend(remarks);
            bindings
        }
        Err(more) => {
            problems.extend(more);
            return Err(refuse(problems));
        }
    };
    problems.extend(bind::doubts(&program, &bindings).into_iter().map(of_file));
    if let Some(before) = &options.before {
        before(&program, &bindings);
    }
    let payload = options.launch.as_ref().map(|l| l.ready.payload());
    let (grid, threads) = match (&options.launch, &payload) {
        (Some(launch), Some(payload)) => {
            let grid = launch.ready.grid(payload);
            let groups = u32::try_from(grid.groups()).unwrap_or(u32::MAX);
            let threads = (grid.threads, groups);
            (grid, threads)
        }
        _ => grid(layers),
    };
    if options.through_bits {
        problems.extend(packed::unpacked(&bindings).into_iter().map(|(index, why)| {
            let title = format!("the surface at index {index} has no packed state");
            of_file(Diagnostic::with_message(Code::W0391, title).note(why.what))
        }));
    }
    let run_options = RunOptions {
        jobs: options.jobs,
        limit: options.limit,
        total: options.total,
        through_bits: options.through_bits,
        native: options.native,
        deadline: options.timeout.and_then(Deadline::after),
        keep: match options.keep_all {
            true => Keep::All,
            false => Keep::These(kept(layers, threads.0)),
        },
        ..RunOptions::default()
    };
    let run_options = match &options.launch {
        Some(launch) => launch.ready.options(&program, run_options),
        None => run_options,
    };
    let stage = Stage {
        program: &program,
        bindings: &bindings,
        grid: &grid,
        options: &run_options,
    };
    match carry_out(&stage) {
        Ok(outcome) => {
            problems.extend(outcome.remarks.iter().cloned().map(of_file));
            Ok(Session {
                program,
                bindings,
                outcome,
                threads,
                warnings: problems,
            })
        }
        Err(trap) => {
            problems.push(of_file(trap.diagnostic));
            Err(refuse(problems))
        }
    }
}

/// What is wrong with what the directives bind and look at, found without a run; a text that is wrong itself, or
/// calls functions of other files, is not looked at.
pub fn bindings(layers: &[Layer]) -> Vec<Problem> {
    let Some(program) = lowered(layers, &Options::default()) else {
        return Vec::new();
    };
    let mut problems = match bind::bind(&program, layers, None) {
        Ok((_, remarks)) => remarks,
        Err(problems) => problems,
    };
    for (layer, number) in layers.iter().zip(0..) {
        let own = &layer.directives;
        let places = own.dumps.iter().map(|d| &d.place);
        let places = places.chain(own.expectations.iter().map(|e| &e.place));
        let names = places.map(|place| &place.name);
        for name in names.chain(own.saves.iter().map(|s| &s.name)) {
            let unknown = bind::symbol(&program, name).err();
            problems.extend(unknown.map(|diagnostic| Problem {
                layer: number,
                diagnostic: *diagnostic,
            }));
        }
    }
    problems
}

/// What is wrong with a compiled kernel that reaches surfaces by addresses of their states though its description names
/// no handles: a launch has no heap of states, and `%bss` holds no index. Source: vISA text reference 3, built-in surfaces.
fn bindless(program: &Program) -> Option<Diagnostic> {
    let heap = program.symbols.get("%bss")?.offset;
    let mut sends = program.ops.iter().zip(&program.sites);
    let reaches = |op: &Op| matches!(op, Op::Send(send) if send.surface == Some(heap));
    let (_, site) = sends.find(|(op, _)| reaches(op))?;
    let diagnostic = Diagnostic::new(Code::N0640)
        .at(
            site.span,
            "this surface is found by the address of its state",
        )
        .note("a launch gives surfaces by their index in the binding table")
        .help("compile without -cl-intel-use-bindless-mode and -cl-intel-use-bindless-images")
        .see("vISA text reference 3, \"Built-in surfaces\"; launch reference 6");
    Some(diagnostic)
}

/// The program of the layers, to look names up before anything runs; `None` if it is refused.
pub fn lowered(layers: &[Layer], options: &Options) -> Option<Program> {
    let lowered = ready(layers, Vec::new(), options);
    lowered.ok().map(|(program, _)| program)
}

/// The threads that the layers or a launch ask for, without what is in their registers.
pub fn threads(layers: &[Layer], options: &Options) -> Grid<'static> {
    match &options.launch {
        Some(launch) => Grid::compute(launch.ready.groups, launch.ready.registers.threads()),
        None => grid(layers).0,
    }
}

/// A program, and what the reader should know of it; or all problems.
pub(super) type Lowered = Result<(Program, Vec<Problem>), Vec<Problem>>;

/// A problem of the first layer.
pub(super) fn of_file(diagnostic: Diagnostic) -> Problem {
    Problem {
        layer: 0,
        diagnostic,
    }
}

/// Reads, checks and lowers the vISA text of the first layer.
fn program(layers: &[Layer], found: Vec<Diagnostic>, options: &Options) -> Lowered {
    let check = CheckOptions {
        platform: platform(layers),
        // A compiler's own text is what the finalizer takes.
        finalizer: options.launch.is_some(),
        allow_removed: options.allow_removed,
    };
    let front = Front::with(&layers[0].source, &check);
    let kernel = last(layers, |d| d.kernel.as_ref()).unwrap_or_default();
    if let Some(launch) = &options.launch
        && let Some(unit) = front.checked.kernel(&kernel)
    {
        let path = Path::new(layers[0].source.name());
        let platform = front.checked.platform;
        // What a text of another device seems to do wrong is of no use.
        if let Err(refused) = launch.belongs(unit, platform, path) {
            return Err(vec![of_file(*refused)]);
        }
    }
    let mut diagnostics = found;
    diagnostics.extend(front.diagnostics);
    diagnostic::in_text_order(&mut diagnostics);
    let fatal = any_fatal(&diagnostics);
    let mut problems: Vec<Problem> = diagnostics.into_iter().map(of_file).collect();
    if fatal {
        return Err(problems);
    }
    let lower_options = LowerOptions {
        symbols: options.launch.as_ref().map(|launch| &*launch.symbols),
        ..LowerOptions::default()
    };
    match lower(&front.checked, &kernel, &lower_options) {
        Ok(program) => Ok((program, problems)),
        Err(more) => {
            problems.extend(more.into_iter().map(of_file));
            Err(problems)
        }
    }
}

/// The grid that the layers ask for, and the columns and rows by which `V34@X,Y` counts its threads:
/// X and Y of a media thread; in a grid of groups, the thread of its group and the group, x fastest.
fn grid(layers: &[Layer]) -> (Grid<'static>, (u32, u32)) {
    let (x, y) = last(layers, |d| d.threads.as_ref()).unwrap_or((1, 1));
    match last(layers, |d| d.groups.as_ref()) {
        None => (Grid::media(x, y), (x, y)),
        Some(count) => {
            // Counts beyond 32 bits are far beyond what a run may have, which the launch refuses.
            let threads = x.saturating_mul(y);
            let grid = Grid::compute(count, threads);
            let groups = u32::try_from(grid.groups()).unwrap_or(u32::MAX);
            (grid, (threads, groups))
        }
    }
}

/// The threads whose registers some dump or expectation looks at.
fn kept(layers: &[Layer], columns: u32) -> Vec<u32> {
    let places = layers.iter().flat_map(|l| {
        let dumps = l.directives.dumps.iter().map(|d| &d.place);
        dumps.chain(l.directives.expectations.iter().map(|e| &e.place))
    });
    let number = |(x, y): (u32, u32)| y.checked_mul(columns)?.checked_add(x);
    let mut kept: Vec<u32> = places
        .filter_map(|p| number(p.thread.unwrap_or((0, 0))))
        .collect();
    kept.push(0);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Bytes of a register or surface, cut into rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// How they are to be looked at.
    pub view: View,
    /// All bytes.
    pub bytes: Vec<u8>,
}

impl Table {
    /// `len` bytes of row `row`, `x` bytes into it; fewer where the table, or the row of a surface, ends.
    pub fn row(&self, row: usize, x: usize, len: usize) -> Vec<u8> {
        let start = row
            .saturating_mul(self.view.pitch as usize)
            .saturating_add(x);
        let end = start.saturating_add(len).min(self.bytes.len());
        self.bytes.get(start..end).unwrap_or_default().to_vec()
    }
}

impl<O> Session<O> {
    /// The same without what was observed.
    pub fn without_observers(self) -> Session {
        let outcome = Outcome {
            threads: self.outcome.threads,
            observers: Vec::new(),
            thread_count: self.outcome.thread_count,
            instructions: self.outcome.instructions,
            remarks: self.outcome.remarks,
        };
        Session {
            program: self.program,
            bindings: self.bindings,
            outcome,
            threads: self.threads,
            warnings: self.warnings,
        }
    }

    /// The surface with a name.
    ///
    /// # Errors
    /// `E0704`, `E0705`: no such name, or not a surface; `E0703`: nothing is bound.
    pub fn surface(&self, name: &Spanned<String>) -> Result<&Arc<Surface>, Box<Diagnostic>> {
        let index = bind::surface_index(&self.program, name)?;
        self.bindings.surfaces.get(&index).ok_or_else(|| {
            let label = format!("`{}` is not bound", name.node);
            Box::new(Diagnostic::new(Code::E0703).at(name.span, label))
        })
    }

    /// The bytes that a place names, with the view that its declaration and `words` give.
    ///
    /// # Errors
    /// As [`Session::surface`]; `E0705` for a thread outside the grid and an offset outside the variable.
    pub fn table(&self, place: &Location, words: ViewWords) -> Result<Table, Box<Diagnostic>> {
        let symbol = bind::symbol(&self.program, &place.name)?;
        if symbol.class == SymbolClass::Surface {
            let surface = self.surface(&place.name)?;
            // A byte takes up to seven characters.
            let _text = Ledger::take(surface.plain_bytes() as u64 * 8).map_err(|short| {
                let label = format!("the text of `{}` has no room: {short}", place.name.node);
                let full = Diagnostic::new(Code::L0606).at(place.name.span, label);
                full.help(short.help())
            })?;
            let ty = words.ty.unwrap_or(Type::Ub);
            return Ok(Table {
                view: View {
                    ty,
                    form: words.form.unwrap_or(NumberFormat::of_type(ty)),
                    // A surface has rows of its own.
                    pitch: (surface.row_bytes() as u32).max(1),
                },
                bytes: surface.to_rows(),
            });
        }
        let (x, y) = place.thread.unwrap_or((0, 0));
        let (columns, rows) = self.threads;
        let index = u64::from(y) * u64::from(columns) + u64::from(x);
        let thread = self.outcome.threads.iter();
        let thread = thread.filter(|_| x < columns && y < rows);
        let Some(registers) = thread
            .into_iter()
            .find(|t| u64::from(t.thread.index) == index)
        else {
            let label = format!("the grid has {columns} by {rows} threads");
            let outside = Diagnostic::new(Code::E0705).at(place.name.span, label);
            return Err(Box::new(outside));
        };
        let ty = words.ty.unwrap_or(symbol.class.default_type());
        bind::inside(place, &symbol, ty)?;
        let bytes = registers.symbol(&symbol);
        let bytes = bytes.get(place.offset as usize..).unwrap_or_default();
        Ok(Table {
            view: View {
                ty,
                form: words.form.unwrap_or(NumberFormat::of_type(ty)),
                pitch: words.pitch.unwrap_or(self.program.platform.grf_bytes()),
            },
            bytes: bytes.to_vec(),
        })
    }
}
