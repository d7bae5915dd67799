//! One run, put together step by step.

use super::module::Program;
use super::outcome::Outcome;
use super::report::Report;
use super::surface::{Contents, SamplerState, Surface};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::{Observer, Silent, ThreadId};
#[cfg(feature = "cli")]
use crate::explain::{page, stepped};
use crate::files::{Disk, Files, InMemory};
use crate::harness::argument;
use crate::harness::bind::{Layer, Problem};
use crate::harness::clauses;
use crate::harness::directive::{Directives, Location, Mistake, Origin, Setting};
use crate::harness::front::Front;
use crate::harness::kernel::{Chosen, CompiledFile, Prepared, Refused};
use crate::harness::language::Language;
use crate::harness::session::{self, Options, Session};
#[cfg(feature = "cli")]
use crate::harness::stepped::record;
use crate::harness::{self, companion_files, load, program_file};
use crate::isa::{Platform, Type};
use crate::launch::kernel::{Argument, Size};
use crate::program;
use crate::source::{Source, Span, Spanned};
use crate::surface::ledger::Deadline;
use crate::surface::ledger::USUAL_MEMORY;
use crate::surface::{Ledger, Memory};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Runs a kernel: text or a [`Program`], what is bound to it, and how many threads.
///
/// The directives in the comments of a text (`SURFACE`, `SAMPLER`, `SET`, `THREADS` …) are obeyed as `visim run` does;
/// what is said here comes later and wins. Files that they name are read from [`Simulator::files`], and from nowhere
/// without it. The result depends on nothing else: not on the host, and not on [`Simulator::jobs`].
///
/// ```
/// use visim::{Simulator, Source};
///
/// let text = r#".version 4.1
/// .kernel "sum"
/// .decl V32 v_type=G type=d num_elts=8 align=GRF
///     add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 2:d
///     ret (M1, 1)
/// "#;
/// let outcome = Simulator::new(Source::new("sum.visa", text)).set("V32", &40i32.to_le_bytes()).run()?;
/// assert_eq!(outcome.register("V32").unwrap()[..4], 42i32.to_le_bytes());
/// # Ok::<(), visim::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulator {
    text: Text,
    /// What was asked, in the order of the calls.
    setup: Vec<Setup>,
    files: Arc<dyn Files>,
    /// The host says where files are read from.
    own_files: bool,
    options: Options,
    /// Bytes that the run may have.
    memory: u64,
    launch: Launch,
}

#[derive(Clone, Debug)]
enum Text {
    Source(Source),
    Program(Program),
    /// A compiled program with its name.
    Compiled(String, Arc<[u8]>),
    /// A file and its text.
    File(PathBuf, Source),
}

/// What a compiled kernel is launched with.
#[derive(Clone, Debug, Default)]
struct Launch {
    description: Option<PathBuf>,
    global: Vec<u32>,
    local: Vec<u32>,
    arguments: Vec<(String, Argument)>,
}

/// A call of the builder.
#[derive(Clone, Debug)]
enum Setup {
    Platform(Platform),
    Kernel(String),
    Threads(u32, u32),
    Groups([u32; 3]),
    Surface(String, Surface),
    Sampler(String, SamplerState),
    Set(String, Vec<u8>),
}

/// What a run left, with its warnings as a report.
fn outcome_of(mut session: Session, layers: &[Layer], options: Options) -> Outcome {
    let warnings: Vec<Problem> = std::mem::take(&mut session.warnings);
    Outcome {
        session,
        warnings: Report::of_layers(warnings, layers),
        launch: options.launch,
    }
}

impl Simulator {
    /// A run of a file, as `visim run` reads it: a text in any of the languages, a binary form, a compiled program. Files
    /// that it names are read from the disk, those of its directives from its own folder on, below the nearest folder
    /// above it that is the root of a version control system or holds a `visim.toml`; [`Simulator::files`] with [`Disk`]
    /// lets it name any.
    ///
    /// A compiled kernel is launched with [`Simulator::global`], [`Simulator::local`] and arguments, and with what the
    /// description beside the file or [`Simulator::launch`] says of the rest.
    ///
    /// # Errors
    /// `E0702`: the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Simulator, Report> {
        let path = path.as_ref();
        let source = load::source(path).map_err(|error| {
            let refused = Diagnostic::with_message(Code::E0702, error.to_string());
            Report::of_text(vec![refused], &Source::new(path.display().to_string(), ""))
        })?;
        let mut simulator = Simulator::of_text(Text::File(path.to_path_buf(), source));
        simulator.files = Arc::new(Disk);
        Ok(simulator)
    }

    fn of_text(text: Text) -> Simulator {
        Simulator {
            text,
            setup: Vec::new(),
            files: Arc::new(InMemory::default()),
            options: Options::default(),
            memory: USUAL_MEMORY,
            own_files: false,
            launch: Launch::default(),
        }
    }

    /// A run of a text.
    pub fn new(source: Source) -> Simulator {
        Simulator::of_text(Text::Source(source))
    }

    /// A run of a program, whose text is not read again: neither are its directives.
    pub fn of(program: &Program) -> Simulator {
        Simulator::of_text(Text::Program(program.clone()))
    }

    /// A launch of a compiled kernel: a program of Intel's compiler that carries its text, alone, in an archive for
    /// several devices ([`Simulator::platform`] chooses), or inside a host program. The kernel is the only one, or
    /// that of [`Simulator::kernel`]; its arguments are given by name or number.
    ///
    /// `name` is what diagnostics call the program.
    ///
    /// ```
    /// use visim::Simulator;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/kernels");
    /// let program = std::fs::read(format!("{folder}/52-soften.bin")).unwrap();
    /// let values: Vec<u8> = [0.0_f32, 8.0, 8.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    /// let outcome = Simulator::compiled("52-soften.bin", &program)
    ///     .global(&[4])
    ///     .buffer("in", &values)
    ///     .buffer("out", &[0; 16])
    ///     .run()?;
    /// let soft = outcome.argument("out").unwrap();
    /// assert_eq!(soft[4..8], 6.0_f32.to_le_bytes());
    /// assert_eq!(outcome.printed(), "4 values, the first becomes 2.00\n");
    /// # Ok::<(), visim::Report>(())
    /// ```
    pub fn compiled(name: impl Into<String>, program: &[u8]) -> Simulator {
        Simulator::of_text(Text::Compiled(name.into(), program.into()))
    }

    /// Work-items of a compiled kernel, for one to three dimensions.
    pub fn global(mut self, size: &[u32]) -> Simulator {
        self.launch.global = size.to_vec();
        self
    }

    /// Work-items of a group; without it those that the kernel was compiled for, or the most that divide
    /// [`Simulator::global`].
    pub fn local(mut self, size: &[u32]) -> Simulator {
        self.launch.local = size.to_vec();
        self
    }

    /// The `launch.json` of a compiled kernel that [`Simulator::open`] has read; what is said here in other calls wins.
    /// Without it the one beside the file is taken, if there is one.
    pub fn launch(mut self, description: impl Into<PathBuf>) -> Simulator {
        self.launch.description = Some(description.into());
        self
    }

    fn argument(mut self, name: impl Into<String>, argument: Argument) -> Simulator {
        self.launch.arguments.push((name.into(), argument));
        self
    }

    /// Memory for an argument of a compiled kernel, which starts with these bytes; [`Outcome::argument`] has it after
    /// the run.
    pub fn buffer(self, argument: impl Into<String>, bytes: &[u8]) -> Simulator {
        self.argument(
            argument,
            Argument::Buffer(Arc::new(Memory::from_bytes(bytes)).into()),
        )
    }

    /// The bytes of an argument that is passed by value, little-endian, as OpenCL has them.
    pub fn value(self, argument: impl Into<String>, bytes: &[u8]) -> Simulator {
        self.argument(argument, Argument::Value(bytes.to_vec()))
    }

    /// Shared local memory for an argument, in bytes.
    pub fn local_memory(self, argument: impl Into<String>, bytes: u32) -> Simulator {
        self.argument(argument, Argument::Local(bytes))
    }

    fn with(mut self, step: Setup) -> Simulator {
        self.setup.push(step);
        self
    }

    /// The platform; a program has its own already. Without it what the text asks for, else Skylake.
    pub fn platform(self, platform: Platform) -> Simulator {
        self.with(Setup::Platform(platform))
    }

    /// The kernel, by its name; the first of the text without it.
    pub fn kernel(self, name: impl Into<String>) -> Simulator {
        self.with(Setup::Kernel(name.into()))
    }

    /// A grid of media threads, columns by rows; one thread without it.
    pub fn threads(self, columns: u32, rows: u32) -> Simulator {
        self.with(Setup::Threads(columns, rows))
    }

    /// So many work-groups along x, y and z, each of as many threads as [`Simulator::threads`] says.
    pub fn groups(self, count: [u32; 3]) -> Simulator {
        self.with(Setup::Groups(count))
    }

    /// Binds a surface to a surface variable (`T6`) or a binding table index (`6`).
    pub fn surface(self, name: impl Into<String>, surface: &Surface) -> Simulator {
        self.with(Setup::Surface(name.into(), surface.clone()))
    }

    /// Binds a sampler state to a sampler variable (`S0`) or a sampler index (`0`).
    pub fn sampler(self, name: impl Into<String>, state: &SamplerState) -> Simulator {
        self.with(Setup::Sampler(name.into(), state.clone()))
    }

    /// Start bytes of a variable in every thread, element 0 first, little-endian; the rest of it is zero.
    pub fn set(self, name: impl Into<String>, bytes: &[u8]) -> Simulator {
        self.with(Setup::Set(name.into(), bytes.to_vec()))
    }

    /// Where the files that directives and words name are read from: [`Disk`](crate::Disk),
    /// [`InMemory`], or a host's own.
    pub fn files(mut self, files: impl Files + 'static) -> Simulator {
        self.files = Arc::new(files);
        self.own_files = true;
        self
    }

    /// Groups that may run at the same time; the result is the same for any number.
    pub fn jobs(mut self, jobs: usize) -> Simulator {
        self.options.jobs = jobs;
        self
    }

    /// Instructions that one thread may run before the run ends with `L0602`; 100 million without it.
    pub fn max_instructions(mut self, limit: u64) -> Simulator {
        self.options.limit = limit;
        self
    }

    /// Instructions that all threads may run together before the run ends with `L0607`; 10 billion without it.
    pub fn max_total_instructions(mut self, limit: u64) -> Simulator {
        self.options.total = limit;
        self
    }

    /// Bytes that surfaces and buffers of the run may have together (`L0606`); 4 GiB without it.
    pub fn max_memory(mut self, bytes: u64) -> Simulator {
        self.memory = bytes;
        self
    }

    /// How long a run may take, reading and checking its text included, before it ends with `L0761`; without it there
    /// is no limit.
    pub fn timeout(mut self, time: Duration) -> Simulator {
        self.options.timeout = Some(time);
        self
    }

    /// Makes each message into the bits of the hardware, reads them again and serves that.
    pub fn through_bits(mut self) -> Simulator {
        self.options.through_bits = true;
        self
    }

    /// Keeps the registers of all threads for [`Outcome::register_of`], not of the first one alone.
    pub fn keep_all_threads(mut self) -> Simulator {
        self.options.keep_all = true;
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// Everything that is wrong with the text, with what is bound, or with the first thread that could not go on:
    /// a trap names thread, instruction and values.
    pub fn run(&self) -> Result<Outcome, Report> {
        Ok(self.watch(|_| Silent)?.0)
    }

    /// Runs it with an observer for each thread, and hands the observers back in launch order.
    ///
    /// # Errors
    /// As [`Simulator::run`].
    pub fn watch<O: Observer>(
        &self,
        observe: impl Fn(ThreadId) -> O + Sync,
    ) -> Result<(Outcome, Vec<(ThreadId, O)>), Report> {
        let deadline = self.options.timeout.and_then(Deadline::after);
        Ledger::within(Some(&Ledger::until(self.memory, deadline)), || {
            self.watch_within(observe)
        })
    }

    /// As [`Simulator::watch`], in the memory of the run.
    fn watch_within<O: Observer>(
        &self,
        observe: impl Fn(ThreadId) -> O + Sync,
    ) -> Result<(Outcome, Vec<(ThreadId, O)>), Report> {
        let (layers, found, options) = self.layers()?;
        let program = match &self.text {
            Text::Source(_) | Text::Compiled(..) | Text::File(..) => None,
            Text::Program(program) => Some(program::Program::clone(&program.program)),
        };
        let started = match program {
            Some(program) => session::run_program(program, &layers, Vec::new(), &options, observe),
            None => session::start_watched(&layers, found, &options, observe),
        };
        let mut session =
            started.map_err(|refused| Report::of_layers(refused.problems, &layers))?;
        let observers = std::mem::take(&mut session.outcome.observers);
        let session = session.without_observers();
        Ok((outcome_of(session, &layers, options), observers))
    }

    /// Runs it and makes a page of HTML of it, which shows each step in a browser: what `visim run --html` writes.
    ///
    /// The page holds the first 100,000 instructions of all threads.
    ///
    /// # Errors
    /// As [`Simulator::run`].
    #[cfg(feature = "cli")]
    pub fn run_with_page(&self) -> Result<(Outcome, String), Report> {
        self.page_of(stepped::Options::default().most_steps)
    }

    /// As [`Simulator::run_with_page`], with at most so many instructions in the page.
    #[cfg(feature = "cli")]
    pub(crate) fn page_of(&self, most_steps: u64) -> Result<(Outcome, String), Report> {
        Ledger::within(Some(&Ledger::new(self.memory)), || {
            let (mut layers, found, options) = self.layers()?;
            if let Text::Program(program) = &self.text {
                layers.push(Layer::of_platform(program.program.platform));
                layers.push(Layer::of_kernel(&program.program.name));
            }
            let mut page = page::Page::default();
            let recorded = stepped::Options {
                most_bytes: page::MOST_BYTES,
                most_steps,
                ..stepped::Options::default()
            };
            let sink: stepped::Sink<'_> = Box::new(|record, line| page.add(record, line));
            let session = record(&layers, found, &options, recorded, sink, |_| Silent);
            let session =
                session.map_err(|refused| Report::of_layers(refused.problems, &layers))?;
            let html = page.html(layers[0].source.name(), 0, None);
            Ok((outcome_of(session, &layers, options), html))
        })
    }

    /// The program that [`Simulator::run`] runs, without a run; `None` where that is refused.
    pub fn program(&self) -> Option<Program> {
        if let Text::Program(program) = &self.text {
            return Some(program.clone());
        }
        let (layers, _, options) = self.layers().ok()?;
        Some(Program {
            source: layers[0].source.clone(),
            program: Arc::new(session::lowered(&layers, &options)?),
        })
    }

    /// The text, what its directives ask for, and what the calls ask for.
    fn layers(&self) -> Result<(Vec<Layer>, Vec<Diagnostic>, Options), Report> {
        let mut options = self.options.clone();
        let (mut layers, found) = match &self.text {
            Text::Source(source) => {
                let (layer, found) = session::file_layer(source.clone(), source.name().as_ref());
                (vec![layer], found)
            }
            Text::Program(program) => {
                let layer = Layer::option(program.source.clone(), Directives::default());
                (vec![layer], Vec::new())
            }
            Text::Compiled(name, bytes) => {
                let (layers, prepared) = self.launched(name, bytes)?;
                options.launch = Some(prepared);
                (layers, Vec::new())
            }
            Text::File(path, source) => {
                let (layer, found) = session::file_layer(source.clone(), path);
                let mut layers = vec![layer];
                options.launch = self.join(path, &mut layers)?;
                (layers, found)
            }
        };
        let first_folder = layers[0].folder.clone();
        for step in &self.setup {
            layers.push(
                step.layer()
                    .map_err(|(mistake, source)| Report::of_text(vec![*mistake], &source))?,
            );
        }
        for layer in &mut layers {
            layer.files = Arc::clone(&self.files);
            layer.folder = PathBuf::new();
        }
        if matches!(self.text, Text::File(..)) {
            if !self.own_files {
                layers[0].files = harness::grants::files(&first_folder);
            }
            layers[0].folder = first_folder;
        }
        Ok((layers, found, options))
    }

    /// The platform and the kernel that were asked for.
    fn asked(&self) -> (Option<Platform>, Option<&str>) {
        let mut steps = self.setup.iter().rev();
        let platform = steps.find_map(|step| match step {
            Setup::Platform(platform) => Some(*platform),
            _ => None,
        });
        let mut steps = self.setup.iter().rev();
        let kernel = steps.find_map(|step| match step {
            Setup::Kernel(name) => Some(name.as_str()),
            _ => None,
        });
        (platform, kernel)
    }

    /// Joins the text of a file, the first layer, with the launch that is asked for, or that the text or a file beside
    /// it describes.
    fn join(&self, path: &Path, layers: &mut Vec<Layer>) -> Result<Option<Prepared>, Report> {
        if layers[0].language != Language::Visa {
            return Ok(None);
        }
        let source = layers[0].source.clone();
        let named = match &self.launch.description {
            Some(description) => harness::launch::Launch::by(description.clone()),
            None => harness::launch::Launch::default().or_of_text(&layers[0], path),
        };
        let given = &self.launch;
        let launch = named.with(&given.global, &given.local, &given.arguments);
        let (platform, kernel) = self.asked();
        let launched = launch.prepare(&source, path, kernel, platform);
        let refused = |refused: Refused| Report::of_text(vec![*refused], &source);
        let Some(launched) = launched.map_err(refused)? else {
            layers[0].source = launch.text(&source, path, Vec::new()).map_err(refused)?;
            return Ok(None);
        };
        layers[0].source = launched.source.clone();
        layers.push(Layer::of_platform(launched.platform));
        layers.extend(launched.kernel.as_deref().map(Layer::of_kernel));
        Ok(Some(launched.prepared))
    }

    /// The text of a compiled program, and what its kernel is launched with.
    fn launched(&self, name: &str, program: &[u8]) -> Result<(Vec<Layer>, Prepared), Report> {
        let (platform, kernel) = self.asked();
        let path = Path::new(name);
        let nowhere = Source::new(name, "");
        let of_program = |refused: Box<Diagnostic>| Report::of_text(vec![*refused], &nowhere);
        let own = program_file::of_device(program, path, platform).map_err(of_program)?;
        let source = program_file::source(own, path, kernel).map_err(of_program)?;
        let of_text = |refused: Box<Diagnostic>| Report::of_text(vec![*refused], &source);
        let find = |name: &str, _: &dyn Fn(Platform) -> Front, _| {
            CompiledFile::of(own, path, name, platform)
        };
        let usual = companion_files::trailer(source.text()).map(|trailer| trailer.0);
        let chosen = Chosen::new(&source, kernel, (platform, usual), true, find);
        let chosen = chosen.map_err(of_text)?;
        let prepared = self.launch.prepare(&chosen).map_err(of_text)?;
        let (mut layer, _) = session::file_layer(source.clone(), path);
        layer.directives.kernel = Some(Spanned::new(chosen.kernel, Span::default()));
        Ok((vec![layer, Layer::of_platform(chosen.platform)], prepared))
    }
}

impl Launch {
    /// With what the compiler says of a kernel.
    fn prepare(&self, chosen: &Chosen) -> Result<Prepared, Refused> {
        let (file, front, kernel) = (&chosen.file, &chosen.front, &chosen.kernel);
        let description = file.description(&front.checked, kernel)?;
        let mut arguments = Vec::new();
        argument::give(&mut arguments, &self.arguments, &description)?;
        let three = |size: &[u32], missing: u32| -> [u32; 3] {
            std::array::from_fn(|at| size.get(at).copied().unwrap_or(missing))
        };
        if self.global.is_empty() || self.global.len() > 3 || self.local.len() > 3 {
            let what = "the number of work-items is missing, or has more than three dimensions";
            let refused = Diagnostic::with_message(Code::E0641, what);
            return Err(Box::new(refused.help("Simulator::global(&[64, 48])")));
        }
        let size = Size {
            work_dim: self.global.len() as u32,
            global: three(&self.global, 1),
            local: match self.local.is_empty() {
                true => [0; 3],
                false => three(&self.local, 1),
            },
            offset: [0; 3],
            partial: false,
        };
        file.prepare(&front.checked, kernel, arguments, &size)
    }
}

impl Setup {
    /// The text of the call, as diagnostics show it: the words of the directive that it stands for.
    fn source(&self) -> Source {
        let (call, text) = match self {
            Setup::Platform(platform) => ("platform", platform.to_string()),
            Setup::Kernel(name) => ("kernel", name.clone()),
            Setup::Threads(x, y) => ("threads", format!("{x},{y}")),
            Setup::Groups([x, y, z]) => ("groups", format!("{x},{y},{z}")),
            Setup::Surface(name, surface) => match &surface.0 {
                Contents::Words(words, _) => ("surface", format!("{name}: {words}")),
                Contents::Made(_) => ("surface", format!("{name}: new")),
            },
            Setup::Sampler(name, state) => ("sampler", format!("{name}: {}", state.0)),
            Setup::Set(name, _) => ("set", name.clone()),
        };
        Source::new(format!("Simulator::{call}"), text)
    }

    /// What was asked, as a directive.
    fn layer(&self) -> Result<Layer, (Mistake, Source)> {
        let source = self.source();
        let mut to = Directives::default();
        match self.directive(&source, &mut to) {
            Ok(()) => Ok(Layer::option(source, to)),
            Err(mistake) => Err((mistake, source)),
        }
    }

    fn directive(&self, source: &Source, to: &mut Directives) -> Result<(), Mistake> {
        let text = source.text();
        let span = Span::new(0, text.len() as u32);
        let word = Spanned::new(text, span);
        let blanks = &[' ', '\t', ','];
        match self {
            Setup::Platform(platform) => to.platform = Some(Spanned::new(*platform, span)),
            Setup::Kernel(name) => to.kernel = Some(Spanned::new(name.clone(), span)),
            Setup::Threads(..) => to.threads = Some(clauses::threads(word)?),
            Setup::Groups(_) => to.groups = Some(clauses::groups(word)?),
            Setup::Surface(_, surface) => {
                let mut binding = clauses::surface(word, span, &blanks[..2])?;
                match &surface.0 {
                    Contents::Words(_, None) => {}
                    Contents::Words(_, Some(rows)) => {
                        binding.origin = Origin::Rows(Arc::clone(rows))
                    }
                    Contents::Made(made) => binding.origin = Origin::Made(Arc::clone(made)),
                }
                to.surfaces.push(binding);
            }
            Setup::Sampler(..) => to.samplers.push(clauses::sampler(word, span, blanks)?),
            Setup::Set(name, bytes) => to.settings.push(Setting {
                place: Location {
                    name: Spanned::new(name.clone(), span),
                    offset: 0,
                    thread: None,
                },
                values: bytes
                    .iter()
                    .map(|b| Spanned::new(b.to_string(), span))
                    .collect(),
                ty: Spanned::new(Type::Ub, span),
            }),
        }
        Ok(())
    }
}
