//! The runs of a session: on to a stop, or again from the start up to an earlier instruction.

use super::stops::Stops;
use super::watching::{Core, Goal, Probe};
use crate::diagnostic::{Class, Diagnostic};
use crate::exec::observer::{At, Running};
use crate::exec::{Bindings, Silent, Trap};
use crate::harness::session::Stage;
use crate::launch::Outcome;
use crate::program::{Op, Program};
use crate::source::Source;
use crate::surface::Memory;
use crate::surface::ledger::{Charge, Ledger};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Who is asked what to do.
pub trait Face: Send {
    /// The run stands still in front of an instruction, or has ended.
    fn paused(&mut self, pause: &mut Pause<'_>) -> Go;

    /// Asked every few thousand instructions while threads run: whether somebody wants a pause, or the end.
    fn interrupted(&mut self, stops: &mut Stops) -> Option<Go>;
}

/// How a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// On until then, or to a stop.
    Forward(Until),
    /// Back to the last instruction at which a run would have paused.
    Back(Until),
    /// Back in front of the first instruction.
    Start,
    /// Stand still here; only an answer to [`Face::interrupted`].
    Pause,
    /// No further.
    Quit,
}

/// Where a run pauses, beside the stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The next instruction of the thread.
    Step(u32),
    /// The same in a function no deeper.
    Over {
        /// The thread.
        thread: u32,
        /// How many functions it is in.
        depth: usize,
    },
    /// Any instruction of this thread.
    Thread(u32),
    /// Any instruction at all.
    Any,
    /// This op.
    Op(u32),
    /// Only the stops.
    Stop,
}

/// Why a run stands still.
#[derive(Clone, Debug)]
pub enum Why {
    /// Nothing has run.
    Start,
    /// What was asked for is reached.
    Step,
    /// Stops are met: number and reason.
    Stops(Vec<(u32, String)>),
    /// Somebody asked.
    Interrupted,
    /// Going back has come to the first instruction.
    Beginning,
    /// The instruction that is next cannot run.
    Trapped(Box<Diagnostic>),
    /// All threads have ended.
    Ended,
}

/// A function that a thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The op that called it.
    pub call: u32,
    /// Its number; `None` for a subroutine of the kernel.
    pub function: Option<u32>,
    /// Where it goes on after it.
    pub back: u32,
}

/// A thread of the group at hand.
#[derive(Clone, Debug)]
pub struct ThreadView {
    /// The instruction that it is in front of, or was in last.
    pub at: At,
    /// The lanes of that.
    pub on: Running,
    /// The functions that it is in, the innermost last.
    pub stack: Vec<Frame>,
    /// Its registers, where it waits at a barrier.
    pub waits: Option<Vec<u8>>,
    /// It has come to its end.
    pub ended: bool,
}

/// Where the thread is that is next.
#[derive(Clone, Copy)]
pub struct Here<'p> {
    /// Which thread, op and place in the text.
    pub at: At,
    /// The op.
    pub op: &'p Op,
    /// Its lanes.
    pub on: Running,
    /// The registers of the thread.
    pub arena: &'p [u8],
}

/// What the instruction did that has just run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Which.
    pub at: At,
    /// What it wrote: arena offset, bytes before, bytes after.
    pub writes: Vec<(u32, Vec<u8>, Vec<u8>)>,
    /// What it asked of shared functions.
    pub messages: Vec<String>,
}

/// A run that stands still.
pub struct Pause<'p> {
    /// Why.
    pub why: Why,
    /// Where; `None` when all threads have ended.
    pub here: Option<Here<'p>>,
    /// Instructions of all threads that have run.
    pub done: u64,
    /// The threads of the group at hand, by number in launch order.
    pub threads: &'p BTreeMap<u32, ThreadView>,
    /// What ran last.
    pub ran: Option<&'p Ran>,
    /// Where to stop.
    pub stops: &'p mut Stops,
    /// What runs.
    pub program: &'p Program,
    /// Its surfaces and memory.
    pub bindings: &'p Bindings,
}

/// How a session has ended.
pub enum Ending {
    /// The program came to its end.
    Ended(Outcome<Silent>),
    /// It could not go on.
    Trapped(Box<Trap>),
    /// Somebody wanted no more.
    Quit,
}

/// Runs a program, forward and back, as a face says.
///
/// * `time`: how long the threads may run from the start on, pauses apart; `L0761` if it takes longer.
/// * `stops`: where to stop from the beginning on.
pub fn drive(
    stage: &Stage<'_>,
    source: &Source,
    time: Option<Duration>,
    stops: Stops,
    face: &mut dyn Face,
) -> Ending {
    let (memory, _charge) = match Saved::new(stage.bindings) {
        Ok(saved) => saved,
        Err(short) => return Ending::Trapped(Trap::outside(*short)),
    };
    let mut core = Core::new(stage.program, stage.bindings, source, time, stops, face);
    // An instruction that cannot run is stood in front of once.
    let mut shown = None;
    loop {
        let cell = Mutex::new(core);
        let result = stage.run(|_| Probe::new(&cell));
        let result = result.map(silent);
        core = cell.into_inner().unwrap_or_else(PoisonError::into_inner);
        if core.quit {
            return Ending::Quit;
        }
        if let Some(over) = core.over.take() {
            return Ending::Trapped(Trap::outside(*over));
        }
        let next = match (core.again.take(), result) {
            (Some(goal), _) => goal,
            // A look back from the end finds what there was.
            (None, _) if core.surveyed().is_some() => {
                core.surveyed().unwrap_or(Goal::At(1, Why::Beginning))
            }
            (None, Ok(outcome)) => match core.at_end() {
                Some(goal) => goal,
                None => return Ending::Ended(outcome),
            },
            (None, Err(trap)) => {
                let fatal = trap.diagnostic.class() == Class::Limit;
                if fatal || core.done == 0 || shown == Some(core.done) {
                    return Ending::Trapped(trap);
                }
                shown = Some(core.done);
                Goal::At(core.done, Why::Trapped(Box::new(trap.diagnostic)))
            }
        };
        if !matches!(&next, Goal::At(_, Why::Trapped(_))) {
            shown = None;
        }
        memory.restore();
        core.begin(next);
    }
}

/// The outcome without those who watched.
fn silent(outcome: Outcome<Probe<'_, '_>>) -> Outcome<Silent> {
    Outcome {
        threads: outcome.threads,
        observers: Vec::new(),
        thread_count: outcome.thread_count,
        instructions: outcome.instructions,
        remarks: outcome.remarks,
    }
}

/// What memory held before the first run.
struct Saved(Vec<(Arc<Memory>, Vec<u8>)>);

impl Saved {
    fn new(bindings: &Bindings) -> Result<(Saved, Option<Charge>), Box<Diagnostic>> {
        let surfaces = bindings.surfaces.values().map(|s| Arc::clone(s.memory()));
        let ranges = bindings.memory.iter().map(|r| Arc::clone(&r.memory));
        let mut all: Vec<Arc<Memory>> = Vec::new();
        for memory in surfaces.chain(ranges) {
            if !all.iter().any(|other| Arc::ptr_eq(other, &memory)) {
                all.push(memory);
            }
        }
        let bytes = all.iter().map(|memory| memory.len() as u64).sum();
        let charge = Ledger::take(bytes).map_err(|short| Box::new(short.diagnostic()))?;
        let saved = all.into_iter().map(|memory| {
            let bytes = memory.to_vec();
            (memory, bytes)
        });
        Ok((Saved(saved.collect()), charge))
    }

    fn restore(&self) {
        for (memory, bytes) in &self.0 {
            memory.write(0, bytes);
        }
    }
}
