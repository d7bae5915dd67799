//! One run, put together step by step.

use super::module::Program;
use super::outcome::Outcome;
use super::report::Report;
use super::surface::{Contents, SamplerState, Surface};
use crate::exec::{Observer, Silent, ThreadId};
use crate::files::{Files, InMemory};
use crate::harness::bind::{Layer, Problem};
use crate::harness::clauses;
use crate::harness::directive::{Directives, Mistake, Origin, Place, Setting};
use crate::harness::session::{self, Options, Refused};
use crate::isa::{Platform, Type};
use crate::program;
use crate::source::{Source, Span, Spanned};
use std::path::PathBuf;
use std::sync::Arc;

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
    asked: Vec<Ask>,
    files: Arc<dyn Files>,
    options: Options,
}

#[derive(Clone, Debug)]
enum Text {
    Source(Source),
    Program(Program),
}

/// A call of the builder.
#[derive(Clone, Debug)]
enum Ask {
    Platform(Platform),
    Kernel(String),
    Threads(u32, u32),
    Groups([u32; 3]),
    Surface(String, Surface),
    Sampler(String, SamplerState),
    Set(String, Vec<u8>),
}

impl Simulator {
    fn of_text(text: Text) -> Simulator {
        Simulator {
            text,
            asked: Vec::new(),
            files: Arc::new(InMemory::default()),
            options: Options::default(),
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

    fn with(mut self, ask: Ask) -> Simulator {
        self.asked.push(ask);
        self
    }

    /// The platform; a program has its own already. Without it what the text asks for, else Skylake.
    pub fn platform(self, platform: Platform) -> Simulator {
        self.with(Ask::Platform(platform))
    }

    /// The kernel, by its name; the first of the text without it.
    pub fn kernel(self, name: impl Into<String>) -> Simulator {
        self.with(Ask::Kernel(name.into()))
    }

    /// A grid of media threads, columns by rows; one thread without it.
    pub fn threads(self, columns: u32, rows: u32) -> Simulator {
        self.with(Ask::Threads(columns, rows))
    }

    /// So many work-groups along x, y and z, each of as many threads as [`Simulator::threads`] says.
    pub fn groups(self, count: [u32; 3]) -> Simulator {
        self.with(Ask::Groups(count))
    }

    /// Binds a surface to a surface variable (`T6`) or a binding table index (`6`).
    pub fn surface(self, name: impl Into<String>, surface: &Surface) -> Simulator {
        self.with(Ask::Surface(name.into(), surface.clone()))
    }

    /// Binds a sampler state to a sampler variable (`S0`) or a sampler index (`0`).
    pub fn sampler(self, name: impl Into<String>, state: &SamplerState) -> Simulator {
        self.with(Ask::Sampler(name.into(), state.clone()))
    }

    /// Start bytes of a variable in every thread, element 0 first, little-endian; the rest of it is zero.
    pub fn set(self, name: impl Into<String>, bytes: &[u8]) -> Simulator {
        self.with(Ask::Set(name.into(), bytes.to_vec()))
    }

    /// Where the files that directives and words name are read from: [`Disk`](crate::Disk),
    /// [`InMemory`], or a host's own.
    pub fn files(mut self, files: impl Files + 'static) -> Simulator {
        self.files = Arc::new(files);
        self
    }

    /// Groups that may run at the same time; the result is the same for any number.
    pub fn jobs(mut self, jobs: usize) -> Simulator {
        self.options.jobs = jobs;
        self
    }

    /// Instructions that one thread may run before the run ends with `L0601`; 100 million without it.
    pub fn max_instructions(mut self, limit: u64) -> Simulator {
        self.options.limit = limit;
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
        let (mut layers, found) = match &self.text {
            Text::Source(source) => {
                let (layer, found) = session::file_layer(source.clone(), source.name().as_ref());
                (vec![layer], found)
            }
            Text::Program(program) => {
                let layer = Layer::option(program.source.clone(), Directives::default());
                (vec![layer], Vec::new())
            }
        };
        for ask in &self.asked {
            layers.push(
                ask.layer()
                    .map_err(|(mistake, source)| Report::of_text(vec![*mistake], &source))?,
            );
        }
        for layer in &mut layers {
            layer.files = Arc::clone(&self.files);
            layer.folder = PathBuf::new();
        }
        let program = match &self.text {
            Text::Source(_) => None,
            Text::Program(program) => Some(program::Program::clone(&program.program)),
        };
        let started = match program {
            Some(program) => {
                session::run_program(program, &layers, Vec::new(), &self.options, observe)
            }
            None => session::start_watched(&layers, found, &self.options, observe),
        };
        let mut session =
            started.map_err(|Refused { problems }| Report::of_layers(problems, &layers))?;
        let observers = std::mem::take(&mut session.outcome.observers);
        let mut session = session.without_observers();
        let warnings: Vec<Problem> = std::mem::take(&mut session.warnings);
        let warnings = Report::of_layers(warnings, &layers);
        Ok((Outcome { session, warnings }, observers))
    }
}

impl Ask {
    /// The text of the call, as diagnostics show it: the words of the directive that it stands for.
    fn source(&self) -> Source {
        let (call, text) = match self {
            Ask::Platform(platform) => ("platform", platform.to_string()),
            Ask::Kernel(name) => ("kernel", name.clone()),
            Ask::Threads(x, y) => ("threads", format!("{x},{y}")),
            Ask::Groups([x, y, z]) => ("groups", format!("{x},{y},{z}")),
            Ask::Surface(name, surface) => match &surface.0 {
                Contents::Words(words, _) => ("surface", format!("{name}: {words}")),
                Contents::Made(_) => ("surface", format!("{name}: new")),
            },
            Ask::Sampler(name, state) => ("sampler", format!("{name}: {}", state.0)),
            Ask::Set(name, _) => ("set", name.clone()),
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
            Ask::Platform(platform) => to.platform = Some(Spanned::new(*platform, span)),
            Ask::Kernel(name) => to.kernel = Some(Spanned::new(name.clone(), span)),
            Ask::Threads(..) => to.threads = Some(clauses::threads(word)?),
            Ask::Groups(_) => to.groups = Some(clauses::groups(word)?),
            Ask::Surface(_, surface) => {
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
            Ask::Sampler(..) => to.samplers.push(clauses::sampler(word, span, blanks)?),
            Ask::Set(name, bytes) => to.settings.push(Setting {
                place: Place {
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
