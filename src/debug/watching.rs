//! Watches the threads of one run for the engine, and asks the face where it pauses.

use super::engine::{Face, Frame, Go, Here, Pause, Ran, ThreadView, Until, Why};
use super::stops::{Moment, Stops, first_instruction};
use crate::diagnostic::Diagnostic;
use crate::exec::observer::{Access, At, Observer, Running, Start};
use crate::exec::{Bindings, ThreadId};
use crate::message::Request;
use crate::program::{Barrier, Op, Program};
use crate::source::Source;
use crate::surface::ledger::Short;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Instructions after which it is asked whether somebody wants a pause.
const ASKED_EVERY: u64 = 4096;

/// What a run is for.
pub enum Goal {
    /// To pause in front of an instruction, by its number in the run, from 1.
    At(u64, Why),
    /// To pause in front of an instruction of a thread, by number and step.
    Step(u32, u64),
    /// To find the last instruction before one at which a run would pause.
    Survey(u64, Until, Option<(u64, Why)>),
    /// To pause as soon as it may.
    Forward(Until),
}

/// The state of a session that all runs have in common.
pub struct Core<'c> {
    program: &'c Program,
    bindings: &'c Bindings,
    source: &'c Source,
    face: &'c mut dyn Face,
    stops: Stops,
    goal: Goal,
    threads: BTreeMap<u32, ThreadView>,
    /// The instruction at hand.
    ran: Option<Ran>,
    /// The registers in front of it, where they are of use.
    old: Vec<u8>,
    /// Whether the next pause tells what was written.
    tells: bool,
    asked: bool,
    time: Option<Duration>,
    since: Instant,
    spent: Duration,
    /// Instructions that were told.
    pub done: u64,
    /// The run is to begin again, for this.
    pub again: Option<Goal>,
    /// Nobody wants any more.
    pub quit: bool,
    /// A limit was reached.
    pub over: Option<Box<Diagnostic>>,
}

impl<'c> Core<'c> {
    /// A session in front of its first run.
    pub fn new(
        program: &'c Program,
        bindings: &'c Bindings,
        source: &'c Source,
        time: Option<Duration>,
        stops: Stops,
        face: &'c mut dyn Face,
    ) -> Core<'c> {
        Core {
            program,
            bindings,
            source,
            face,
            stops,
            goal: Goal::At(1, Why::Start),
            threads: BTreeMap::new(),
            ran: None,
            old: Vec::new(),
            tells: false,
            asked: false,
            time,
            since: Instant::now(),
            spent: Duration::ZERO,
            done: 0,
            again: None,
            quit: false,
            over: None,
        }
    }

    /// The next run begins.
    pub fn begin(&mut self, goal: Goal) {
        self.stops.begin();
        self.threads.clear();
        (self.ran, self.done) = (None, 0);
        (self.spent, self.since) = (Duration::ZERO, Instant::now());
        self.set(goal);
    }

    fn set(&mut self, goal: Goal) {
        // One instruction at a time: what it does is told.
        let one = |until: Until| !matches!(until, Until::Stop | Until::Thread(_) | Until::Op(_));
        self.tells = matches!(goal, Goal::Forward(until) if one(until));
        self.goal = goal;
    }

    /// Where a look back that is over goes.
    pub fn surveyed(&self) -> Option<Goal> {
        match &self.goal {
            Goal::Survey(_, _, Some((number, why))) => Some(Goal::At(*number, why.clone())),
            Goal::Survey(_, _, None) => Some(Goal::At(1, Why::Beginning)),
            _ => None,
        }
    }

    /// All threads have ended: where to go, if anywhere.
    pub fn at_end(&mut self) -> Option<Goal> {
        loop {
            let go = self.ask(Why::Ended, None);
            match go {
                Go::Forward(_) | Go::Pause => {}
                Go::Back(_) if self.done == 0 => {}
                Go::Back(until) => return Some(self.back(until, None)),
                Go::Start => return Some(Goal::At(1, Why::Start)),
                Go::Quit => return None,
            }
        }
    }

    /// How to find what is behind.
    fn back(&self, until: Until, here: Option<At>) -> Goal {
        match (until, here) {
            (Until::Step(_), Some(at)) if at.step > 1 => Goal::Step(at.thread.index, at.step - 1),
            (Until::Step(_), None) => Goal::At(self.done, Why::Step),
            (Until::Step(_) | Until::Any, Some(_)) if self.done > 1 => {
                Goal::At(self.done - 1, Why::Step)
            }
            (until, Some(_)) => Goal::Survey(self.done, until, None),
            (until, None) => Goal::Survey(self.done + 1, until, None),
        }
    }

    fn ask(&mut self, why: Why, here: Option<Here<'_>>) -> Go {
        self.spent += self.since.elapsed();
        let mut pause = Pause {
            why,
            here,
            done: self.done - u64::from(here.is_some()),
            threads: &self.threads,
            ran: self.ran.as_ref(),
            stops: &mut self.stops,
            program: self.program,
            bindings: self.bindings,
        };
        let go = self.face.paused(&mut pause);
        self.since = Instant::now();
        go
    }

    /// Whether to stand still in front of an instruction, and why.
    fn reason(&mut self, at: At, arena: &[u8]) -> Option<Why> {
        let met = self.stops.met(&Moment {
            thread: at.thread,
            pc: at.pc,
            arena,
            bindings: self.bindings,
        });
        if std::mem::take(&mut self.asked) {
            return Some(Why::Interrupted);
        }
        let depth = self
            .threads
            .get(&at.thread.index)
            .map_or(0, |t| t.stack.len());
        let threads = &self.threads;
        // A thread that has ended takes no further step: the next one does.
        let gone = |until: Until| match until {
            Until::Step(thread) | Until::Over { thread, .. } => {
                threads.get(&thread).is_none_or(|view| view.ended)
            }
            _ => false,
        };
        let settle = |until: Until| match gone(until) {
            true => Until::Any,
            false => until,
        };
        match &mut self.goal {
            Goal::At(number, why) => (*number == self.done).then(|| why.clone()),
            Goal::Step(thread, step) => {
                (*thread == at.thread.index && *step == at.step).then_some(Why::Step)
            }
            Goal::Forward(until) => arrives(settle(*until), at, depth, met),
            Goal::Survey(before, until, last) => {
                if self.done >= *before {
                    self.again = self.surveyed();
                } else if let Some(why) = arrives(*until, at, depth, met) {
                    *last = Some((self.done, why));
                }
                None
            }
        }
    }

    /// Whether the time of the run is over, or somebody wants a pause.
    fn look_up(&mut self) {
        if let Some(time) = self
            .time
            .filter(|time| self.spent + self.since.elapsed() > *time)
        {
            self.over = Some(Box::new(Short::Time(time).diagnostic()));
        }
        match self.face.interrupted(&mut self.stops) {
            Some(Go::Quit) => self.quit = true,
            Some(_) => self.asked = true,
            None => {}
        }
    }

    /// Functions that the thread has entered or left since its instruction before.
    fn follow_calls(&mut self, at: At) {
        let Some(view) = self.threads.get_mut(&at.thread.index) else {
            return;
        };
        let program = self.program;
        let before = view.at.pc;
        let entry = |target: u32| first_instruction(program, target) == at.pc;
        let entered = match program.ops.get(before as usize) {
            Some(Op::Call { target, .. }) if entry(*target) => Some(None),
            Some(Op::CallFunction { function, .. }) => {
                let callee = program.functions.get(*function as usize);
                callee
                    .is_some_and(|f| entry(f.entry))
                    .then_some(Some(*function))
            }
            Some(Op::CallIndirect { .. }) => {
                let callee = (0..).zip(&program.functions).find(|(_, f)| entry(f.entry));
                callee.map(|(number, _)| Some(number))
            }
            _ => None,
        };
        if let Some(function) = entered {
            view.stack.push(Frame {
                call: before,
                function,
                back: first_instruction(program, before + 1),
            });
        } else if matches!(program.ops.get(before as usize), Some(Op::Return { .. }))
            && view.stack.last().is_some_and(|frame| frame.back == at.pc)
        {
            view.stack.pop();
        }
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.done += 1;
        if self.done.is_multiple_of(ASKED_EVERY) {
            self.look_up();
        }
        self.follow_calls(at);
        let view = self
            .threads
            .entry(at.thread.index)
            .or_insert_with(|| ThreadView {
                at,
                on,
                stack: Vec::new(),
                waits: None,
                ended: false,
            });
        (view.at, view.on, view.waits) = (at, on, None);
        if let Some(why) = self.reason(at, arena) {
            self.pause(why, Here { at, op, on, arena });
        }
        if waits(op)
            && let Some(view) = self.threads.get_mut(&at.thread.index)
        {
            view.waits = Some(arena.to_vec());
        }
        if self.tells {
            self.old.clear();
            self.old.extend_from_slice(arena);
        }
        self.ran = self.tells.then(|| Ran {
            at,
            writes: Vec::new(),
            messages: Vec::new(),
        });
    }

    /// Stands still in front of an instruction.
    fn pause(&mut self, why: Why, here: Here<'_>) {
        let go = self.ask(why, Some(here));
        // What is new among the stops begins with what is there now.
        let (thread, pc, arena) = (here.at.thread, here.at.pc, here.arena);
        let bindings = self.bindings;
        self.stops.met(&Moment {
            thread,
            pc,
            arena,
            bindings,
        });
        match go {
            Go::Forward(until) => self.set(Goal::Forward(until)),
            Go::Back(until) => self.again = Some(self.back(until, Some(here.at))),
            Go::Start => self.again = Some(Goal::At(1, Why::Start)),
            Go::Pause => {}
            Go::Quit => self.quit = true,
        }
    }
}

/// Whether a run pauses in front of an instruction.
fn arrives(until: Until, at: At, depth: usize, met: Vec<(u32, String)>) -> Option<Why> {
    let index = at.thread.index;
    let there = match until {
        Until::Step(thread) | Until::Thread(thread) => thread == index,
        Until::Over {
            thread,
            depth: most,
        } => thread == index && depth <= most,
        Until::Any => true,
        Until::Op(pc) => pc == at.pc,
        Until::Stop => false,
    };
    match met.is_empty() {
        false => Some(Why::Stops(met)),
        true => there.then_some(Why::Step),
    }
}

/// Whether a thread may wait for others at an op.
fn waits(op: &Op) -> bool {
    match op {
        Op::Barrier(barrier) => !matches!(barrier, Barrier::Signal | Barrier::NamedSignal(_)),
        Op::Send(send) => matches!(send.request, Request::Barrier),
        _ => false,
    }
}

/// Watches one thread.
pub struct Probe<'w, 'c> {
    core: &'w Mutex<Core<'c>>,
}

impl<'w, 'c> Probe<'w, 'c> {
    /// Tells what is common to all.
    pub fn new(core: &'w Mutex<Core<'c>>) -> Probe<'w, 'c> {
        Probe { core }
    }

    fn core(&self) -> MutexGuard<'w, Core<'c>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Probe<'_, '_> {
    fn started(&mut self, start: &Start<'_>) {
        let mut core = self.core();
        let other = |view: &ThreadView| view.at.thread.group != start.thread.group;
        if core.threads.values().any(other) {
            core.threads.clear();
        }
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.core().before(at, op, on, arena);
    }

    fn halts(&mut self) -> bool {
        let core = self.core();
        core.quit || core.again.is_some() || core.over.is_some()
    }

    fn wrote(&mut self, at: At, offset: u32, bytes: &[u8]) {
        let mut core = self.core();
        let core = &mut *core;
        let Some(ran) = core.ran.as_mut().filter(|ran| ran.at.pc == at.pc) else {
            return;
        };
        let start = offset as usize;
        let old = core.old.get(start..start + bytes.len()).unwrap_or_default();
        // Lanes of a message come one by one.
        if let Some((first, before, after)) = ran.writes.last_mut()
            && *first + after.len() as u32 == offset
        {
            before.extend_from_slice(old);
            after.extend_from_slice(bytes);
            return;
        }
        ran.writes.push((offset, old.to_vec(), bytes.to_vec()));
    }

    fn message(&mut self, _: At, request: &Request) {
        let mut core = self.core();
        if let Some(ran) = &mut core.ran {
            ran.messages.push(request.to_string());
        }
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        let mut core = self.core();
        if core.stops.watch_memory() {
            let line = core.source.line_of(at.site.span.start);
            core.stops.access(at.thread, line, access);
        }
    }

    fn ended(&mut self, thread: ThreadId, _: bool) {
        if let Some(view) = self.core().threads.get_mut(&thread.index) {
            view.ended = true;
        }
    }
}
