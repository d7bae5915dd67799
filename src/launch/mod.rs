//! Starts the threads of a grid, lets groups meet at barriers, and gathers what is left.
//!
//! ```text
//!  Grid ─▶ groups (in parallel, if asked) ─▶ threads of a group in turn ─▶ exec::Thread
//!              shared: surfaces               until all wait or have ended
//! ```
//!
//! The result does not depend on `jobs` for programs without races: groups share only surfaces, and
//! traps are reported in launch order. Start with [`run`].

mod grid;

pub use crate::exec::{Bindings, FlatRange, Observer, Sampler, Silent, ThreadId, Trap};
pub use grid::{Grid, Payload, ThreadStart};

use crate::diagnostic::{Code, Diagnostic};
use crate::exec::{Environment, Resources, Stop, Thread, observer::Start};
use crate::program::{Program, Symbol};
use crate::surface::Memory;
use rayon::prelude::*;

/// How a run is carried out.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Groups that may run at the same time; 0 or 1 runs them in order on the caller's thread.
    pub jobs: usize,
    /// Instructions that one hardware thread may run.
    pub limit: u64,
    /// Threads a grid may have.
    pub max_threads: u64,
    /// Shared local memory of a group beyond what the kernel asks for: its local arguments.
    pub slm_bytes: u32,
    /// Scratch memory of each thread, made when it is used.
    pub scratch_bytes: usize,
    /// Which threads' registers to hand back.
    pub keep: Keep,
    /// Makes every message into the bits of the platform, reads them again and serves that:
    /// the same bytes, or a trap where the platform has no such message.
    pub through_bits: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            jobs: 1,
            limit: 100_000_000,
            max_threads: 1 << 24,
            slm_bytes: 0,
            scratch_bytes: 1 << 18,
            keep: Keep::First,
            through_bits: false,
        }
    }
}

/// Which threads' registers an [`Outcome`] holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None.
    None,
    /// Thread 0.
    First,
    /// Those with these indices.
    These(Vec<u32>),
    /// All: the arena of each stays in memory.
    All,
}

impl Keep {
    fn wants(&self, index: u32) -> bool {
        match self {
            Keep::None => false,
            Keep::First => index == 0,
            Keep::These(list) => list.contains(&index),
            Keep::All => true,
        }
    }
}

/// What a run leaves behind; surfaces are changed in place.
#[derive(Debug)]
pub struct Outcome<O> {
    /// Registers of the threads asked for, in launch order.
    pub threads: Vec<Registers>,
    /// What was observed, in launch order; empty for [`Silent`].
    pub observers: Vec<(ThreadId, O)>,
    /// Threads run.
    pub thread_count: u64,
    /// Instructions run by all threads.
    pub instructions: u64,
}

/// The registers of a thread that has ended.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Which thread.
    pub thread: ThreadId,
    /// Its bytes; [`Program::symbols`] tells what lies where.
    pub arena: Vec<u8>,
}

impl Registers {
    /// The bytes of a variable, element 0 first; `None` if the kernel has no such name.
    pub fn bytes(&self, program: &Program, name: &str) -> Option<&[u8]> {
        program.symbols.get(name).map(|s| self.symbol(s))
    }

    /// The bytes of a symbol.
    pub fn symbol(&self, symbol: &Symbol) -> &[u8] {
        &self.arena[symbol.range()]
    }
}

/// Runs `program` on every thread of `grid`.
///
/// * `observe`: makes the observer of a thread; `|_| Silent` watches nothing and costs nothing.
///
/// # Errors
/// The trap of the first thread, in launch order, that could not go on; or a value in
/// `bindings.variables` that has no variable (`E0605`) or does not fit (`E0606`), or a grid with too
/// many threads (`L0603`).
pub fn run<O: Observer>(
    program: &Program,
    bindings: &Bindings,
    grid: &Grid<'_>,
    options: &RunOptions,
    observe: impl Fn(ThreadId) -> O + Sync,
) -> Result<Outcome<O>, Box<Trap>> {
    let threads = grid.threads();
    if threads > options.max_threads {
        let note = format!("{threads} threads, the limit is {}", options.max_threads);
        return Err(outside(Diagnostic::new(Code::L0603).note(note)));
    }
    let starts = start_values(program, bindings)?;
    let resources = Resources::new(bindings);
    let context = Context {
        program,
        starts: &starts,
        resources: &resources,
        grid,
        options,
        observe: &observe,
        dispatch_mask: program.symbols.get("%sr0").map(|s| s.range().start + 8),
    };
    let groups = grid.groups();
    let results: Vec<Result<Group<O>, Box<Trap>>> = if options.jobs > 1 {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.jobs)
            .build()
            .ok();
        let all = || {
            (0..groups)
                .into_par_iter()
                .map_init(Vec::new, |spare, g| context.group(g, spare))
                .collect()
        };
        match pool {
            Some(pool) => pool.install(all),
            None => all(),
        }
    } else {
        // In order, and no further than the first trap.
        let mut results = Vec::new();
        let mut spare = Vec::new();
        for g in 0..groups {
            let result = context.group(g, &mut spare);
            let stop = result.is_err();
            results.push(result);
            if stop {
                break;
            }
        }
        results
    };
    let mut outcome = Outcome {
        threads: Vec::new(),
        observers: Vec::new(),
        thread_count: threads,
        instructions: 0,
    };
    for group in results {
        let group = group?;
        outcome.threads.extend(group.kept);
        outcome.observers.extend(group.observers);
        outcome.instructions += group.instructions;
    }
    Ok(outcome)
}

/// A trap before any thread has started.
fn outside(diagnostic: Diagnostic) -> Box<Trap> {
    Box::new(Trap {
        diagnostic,
        thread: ThreadId::default(),
        mask: 0,
    })
}

/// Start values by arena offset, names resolved and sizes checked.
fn start_values<'b>(
    program: &Program,
    bindings: &'b Bindings,
) -> Result<Vec<(Symbol, &'b [u8])>, Box<Trap>> {
    let mut starts = Vec::new();
    for (name, bytes) in &bindings.variables {
        let Some(&symbol) = program.symbols.get(name) else {
            let diagnostic = Diagnostic::with_message(
                Code::E0605,
                format!("kernel `{}` has no variable `{name}`", program.name),
            );
            return Err(outside(diagnostic));
        };
        if bytes.len() > symbol.bytes() as usize {
            let diagnostic = Diagnostic::with_message(
                Code::E0606,
                format!("`{name}` has {} bytes, not {}", symbol.bytes(), bytes.len()),
            )
            .note(format!("{} elements as declared", symbol.elements));
            return Err(outside(diagnostic));
        }
        starts.push((symbol, &bytes[..]));
    }
    Ok(starts)
}

/// What all groups share.
struct Context<'a, F> {
    program: &'a Program,
    starts: &'a [(Symbol, &'a [u8])],
    resources: &'a Resources,
    grid: &'a Grid<'a>,
    options: &'a RunOptions,
    observe: &'a F,
    /// Where `%sr0` element 2 lies in the arena.
    dispatch_mask: Option<usize>,
}

/// What a group leaves behind.
struct Group<O> {
    kept: Vec<Registers>,
    observers: Vec<(ThreadId, O)>,
    instructions: u64,
}

impl<O: Observer, F: Fn(ThreadId) -> O + Sync> Context<'_, F> {
    /// Runs the threads of a group in turn until all have ended. `spare` is an arena that the next
    /// thread may have.
    fn group(&self, group: u64, spare: &mut Vec<u8>) -> Result<Group<O>, Box<Trap>> {
        let slm = Memory::zeroed(
            (self.program.slm_bytes as usize).saturating_add(self.options.slm_bytes as usize),
        );
        let environment = Environment {
            resources: self.resources,
            slm: &slm,
            scratch_bytes: self.options.scratch_bytes,
            limit: self.options.limit,
            through_bits: self.options.through_bits,
        };
        let mut threads: Vec<(Thread<'_>, O, bool)> = Vec::new();
        let mut done = Group {
            kept: Vec::new(),
            observers: Vec::new(),
            instructions: 0,
        };
        // A thread that never waits is finished before the next one starts, so its bytes are not
        // kept around; those that wait are collected and take turns.
        for id in self.grid.ids(group) {
            let mut observer = (self.observe)(id);
            let mut thread = self.start(id, std::mem::take(spare), &mut observer);
            let stop = thread.run(&environment, &mut observer);
            let stop = self.note_end(stop, id, &mut observer)?;
            if stop == Stop::Ended && threads.is_empty() {
                *spare = self.finish(thread, observer, &mut done);
            } else {
                threads.push((thread, observer, stop == Stop::Ended));
            }
        }
        // Every round begins with all living threads at a barrier.
        while threads.iter().any(|t| !t.2) {
            for (thread, observer, ended) in threads.iter_mut().filter(|t| !t.2) {
                let stop = thread.run(&environment, observer);
                let stop = self.note_end(stop, thread.id, observer)?;
                *ended = stop == Stop::Ended;
            }
        }
        for (thread, observer, _) in threads {
            self.finish(thread, observer, &mut done);
        }
        Ok(done)
    }

    /// Tells the observer of a thread that will not go on.
    fn note_end(
        &self,
        stop: Result<Stop, Box<Trap>>,
        id: ThreadId,
        observer: &mut O,
    ) -> Result<Stop, Box<Trap>> {
        if O::ACTIVE && !matches!(stop, Ok(Stop::Barrier)) {
            observer.ended(id);
        }
        stop
    }

    /// Adds up an ended thread; its arena comes back unless it is kept.
    fn finish(&self, thread: Thread<'_>, observer: O, done: &mut Group<O>) -> Vec<u8> {
        done.instructions += thread.executed;
        if O::ACTIVE {
            done.observers.push((thread.id, observer));
        }
        if !self.options.keep.wants(thread.id.index) {
            return thread.arena;
        }
        done.kept.push(Registers {
            thread: thread.id,
            arena: thread.arena,
        });
        Vec::new()
    }

    /// A thread with payload, header and start values in place.
    fn start(&self, id: ThreadId, arena: Vec<u8>, observer: &mut O) -> Thread<'_> {
        let start = self.grid.start(self.program, id);
        let mut given = Vec::new();
        let mut thread = Thread::reusing(arena, self.program, id, start.mask);
        let payload = &start.payload;
        let header = payload
            .len()
            .min(self.program.platform.grf_bytes() as usize);
        thread.arena[..header].copy_from_slice(&payload[..header]);
        for input in &self.program.inputs {
            let from = (input.payload as usize).min(payload.len());
            let to = (from + input.size as usize).min(payload.len());
            thread.arena[input.arena as usize..][..to - from].copy_from_slice(&payload[from..to]);
            if O::ACTIVE {
                given.push(input.arena..input.arena + (to - from) as u32);
            }
        }
        // The dispatch mask: vISA text reference 3, %sr0 element 2.
        if let Some(at) = self.dispatch_mask {
            thread.arena[at..at + 4].copy_from_slice(&start.mask.to_le_bytes());
        }
        for (symbol, bytes) in self.starts {
            thread.arena[symbol.offset as usize..][..bytes.len()].copy_from_slice(bytes);
            if O::ACTIVE {
                // Fewer bytes than the variable has say that the rest is zero.
                given.push(symbol.offset..symbol.offset + symbol.bytes());
            }
        }
        if O::ACTIVE {
            observer.started(&Start {
                thread: id,
                program: self.program,
                given: &given,
            });
        }
        thread
    }
}
