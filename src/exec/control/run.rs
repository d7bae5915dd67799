//! The loop over the ops of one thread.

use super::flow::Left;
use super::lockstep::{MOST_BEFORE, ops_before};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::compute::decoded::{Step, computes};
use crate::exec::compute::general;
use crate::exec::compute::native::{Native, Seen};
use crate::exec::message::environment::Environment;
use crate::exec::message::{call, dispatch, raw};
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::frame::ENDED;
use crate::exec::state::named::{Meeting, NAMED_BARRIERS, NamedBarriers, Role};
use crate::exec::state::observer::{MeetingStep, Observer, Running, Silent, Wants};
use crate::exec::state::tally::Tally;
use crate::exec::state::thread::{Stop, Thread, ThreadId};
use crate::exec::state::trap::Trap;
use crate::isa::Opcode;
use crate::lower::function_at;
use crate::program::{Barrier, NamedSignal, Op, Program, Source};
use std::fmt;

/// Instructions that a thread runs before others of its group have their turn, and that are reported at a time: long
/// enough to cost nothing, short enough for one that waits for another in a loop.
pub const BLOCK: u64 = 1 << 16;

/// What follows an op that a thread does itself.
pub(crate) enum After {
    /// The op at its `pc`.
    Next,
    /// Nothing, for now.
    Stop(Stop),
}

/// Whether an op is not an instruction: it is neither counted nor observed.
#[inline]
pub(crate) const fn is_bookkeeping(op: &Op) -> bool {
    matches!(op, Op::ReadState | Op::LoadControl)
}

impl Thread<'_> {
    /// Runs until the thread ends or waits.
    ///
    /// # Errors
    /// The first [`Trap`]: something not modelled was reached (`N0601`), a message cannot be served
    /// (`E0603`, `E0604`, `E0607`, `E0608`), or a limit was (`L0602`, `L0604`, `L0605`, `L0761`).
    pub fn run<O: Observer>(
        &mut self,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Result<Stop, Box<Trap>> {
        let (program, limit) = (self.program, environment.limit);
        let code = environment.code;
        self.pay(environment)?;
        if let Some((pc, meeting)) = self.rare.waits.take()
            && O::ACTIVE
        {
            observer.named_barrier(self.at(pc), meeting, MeetingStep::Passed);
        }
        self.load_control(code);
        let told = O::ACTIVE && observer.wants() >= Wants::Steps;
        let steps_of = |mode| steps(program, environment, mode, told);
        let doubts = O::ACTIVE && observer.wants() == Wants::Doubts;
        let watched = O::ACTIVE && environment.tally.is_none() && !doubts;
        let seen = self.seen(environment, doubts, observer);
        let native_of = |mode, thread: &[u8]| match watched {
            true => None,
            false => environment.native_code((program, thread), mode, seen),
        };
        environment.plans.choose_cut(code);
        let mut mode = self.mode;
        let (mut steps, mut native) = (steps_of(mode), native_of(mode, &self.arena));
        if native.is_none() && !watched {
            // About as much as a thread does.
            code.has_worked(program.ops.len() as u64, 1);
        }
        let mut worked = 0;
        let turn = self.executed.saturating_add(environment.turn);
        let run_until = limit.min(turn);
        loop {
            if self.frame.pc >= self.frame.join {
                self.frame.rejoin();
            }
            if self.executed >= turn {
                return Ok(Stop::Turn);
            }
            if environment.plans.is_left_often(code) {
                environment.plans.choose_cut(code);
                native = native_of(mode, &self.arena);
            }
            if self.mode != mode {
                mode = self.mode;
                (steps, native) = (steps_of(mode), native_of(mode, &self.arena));
            }
            let pc = self.frame.pc;
            if let Some(native) = native
                && native.until(pc) == 0
                && self.runs_native(native, environment, turn)
            {
                if self.frame.pc == ENDED {
                    return Ok(Stop::Ended);
                }
                continue;
            }
            let run = code.run(pc);
            if run > 0 && !told {
                // No lane can join inside a run: those that wait do so where a jump may lead or after
                // an op of the thread's own.
                let mut run = u64::from(run).min(run_until.saturating_sub(self.executed));
                if run == 0 {
                    return Err(self.over_limit(limit));
                }
                if let Some(native) = native {
                    run = run.min(ops_before(native, pc));
                } else if worked > MOST_BEFORE {
                    code.has_worked(worked, 1);
                    native = native_of(mode, &self.arena);
                    worked = 0;
                }
                worked += run;
                run_steps(
                    std::slice::from_mut(self),
                    &steps[pc as usize..][..run as usize],
                    (pc, environment.tally),
                );
                self.executed += run;
                self.frame.pc = pc + run as u32;
                continue;
            }
            if told && run > 1 && self.executed + u64::from(run) <= run_until {
                let run = observer.lets_run(pc..pc + run, self.frame.em, &self.arena);
                if run > 0 {
                    let threads = std::slice::from_mut(self);
                    run_steps(threads, &steps[pc as usize..][..run as usize], (pc, None));
                    self.executed += u64::from(run);
                    self.frame.pc = pc + run;
                    continue;
                }
            }
            let Some(op) = program.ops.get(pc as usize) else {
                return Ok(Stop::Ended);
            };
            self.count(op, limit)?;
            if let Some(tally) = environment.tally.filter(|_| !is_bookkeeping(op)) {
                tally.ran(std::slice::from_ref(self), pc..pc + 1);
            }
            let watched = match doubts {
                true => matches!(op, Op::Send(_) | Op::Barrier(_)),
                false => told && !is_bookkeeping(op),
            };
            let mut running = Running::default();
            if watched {
                running = self.running(op);
                observer.before(self.at(pc), op, running, &self.arena);
                if observer.halts() {
                    return Err(Trap::outside(Diagnostic::new(Code::L0963)));
                }
            }
            if computes(op) {
                // Only those who watch come here, one op at a time.
                let step = &steps[pc as usize];
                (step.run)(std::slice::from_mut(self), step);
                self.frame.pc = pc + 1;
            } else {
                let after = match told || doubts || environment.tally.is_some() {
                    true => self.act(environment, op, pc, observer)?,
                    false => self.act(environment, op, pc, &mut Silent)?,
                };
                // What it has done may be a doubt, with which nobody need go on.
                if doubts && observer.halts() {
                    return Err(Trap::outside(Diagnostic::new(Code::L0963)));
                }
                match after {
                    After::Next => {}
                    After::Stop(stop) => return Ok(stop),
                }
            }
            if watched && told {
                self.report_writes(op, pc, observer);
                observer.after(self.at(pc), op, running, &self.arena);
            }
        }
    }

    /// What native code has to see to.
    fn seen<O: Observer>(
        &self,
        environment: &Environment<'_>,
        doubts: bool,
        observer: &mut O,
    ) -> Seen {
        if !doubts {
            return Seen::by(environment.tally, self.kept);
        }
        let shared = self.slm.unwrap_or(environment.slm);
        Seen::Doubts {
            shared: !shared.is_empty() && observer.knows_shared(shared.len() as u64),
        }
    }

    /// Runs native code from the op at hand on, until others have their turn. False if nothing has happened.
    fn runs_native(&mut self, native: &Native, environment: &Environment<'_>, turn: u64) -> bool {
        let before = (self.frame.pc, self.executed);
        let window = turn - self.executed;
        let threads = std::slice::from_mut(self);
        let (memories, bounds) = (environment.memories(), [environment.limit, window]);
        let ran = native.run(threads, memories, before.0, bounds, false);
        ran.is_some() && (self.frame.pc, self.executed) != before
    }

    /// Counts an op that is about to run, or says that it is one too many.
    #[inline]
    pub(crate) fn count(&mut self, op: &Op, limit: u64) -> Result<(), Box<Trap>> {
        if is_bookkeeping(op) {
            return Ok(());
        }
        if self.executed >= limit {
            return Err(self.over_limit(limit));
        }
        self.executed += 1;
        Ok(())
    }

    /// Does what no step does: branches, messages, barriers, state.
    pub(crate) fn act<O: Observer>(
        &mut self,
        environment: &Environment<'_>,
        op: &Op,
        pc: u32,
        observer: &mut O,
    ) -> Result<After, Box<Trap>> {
        let program = self.program;
        self.frame.pc = pc + 1;
        match op {
            // Steps.
            Op::Alu(_)
            | Op::Compare { .. }
            | Op::SetPredicate { .. }
            | Op::PredicateLogic { .. }
            | Op::Nothing
            | Op::Lifetime(_) => {}
            Op::Goto {
                lanes,
                guard,
                target,
            } => self.goto(*lanes, *guard, *target),
            Op::Jump {
                lanes,
                guard,
                target,
            } => {
                if self.uniform(*lanes, *guard) {
                    self.frame.jump(*target);
                }
            }
            Op::Switch {
                lanes: _,
                index,
                targets,
            } => {
                // Beyond the table nothing is promised: go on after it.
                let index = general::scalar(self, index);
                if let Some(&target) = usize::try_from(index).ok().and_then(|i| targets.get(i)) {
                    self.frame.jump(target);
                }
            }
            Op::Call {
                lanes,
                guard,
                target,
            } => {
                self.call(*lanes, *guard, *target, None)?;
            }
            Op::CallFunction {
                lanes,
                guard,
                function,
            } => {
                let target = program.functions[*function as usize].entry;
                let entered = self.call(*lanes, *guard, target, Some(*function))?;
                if O::ACTIVE && entered {
                    observer.function(self.at(pc), *function, false);
                }
            }
            Op::Return { lanes, guard } => match self.leave(*lanes, *guard) {
                Left::Thread => return Ok(After::Stop(Stop::Ended)),
                Left::Function(function) if O::ACTIVE => {
                    observer.function(self.at(pc), function, true);
                }
                _ => {}
            },
            Op::Send(send) => {
                dispatch::send(self, environment, send, pc, observer)?;
            }
            Op::RawSend(message) => {
                let ends = raw::ends(self, message);
                raw::send(self, environment, message, pc, observer)?;
                if ends {
                    return Ok(After::Stop(Stop::Ended));
                }
            }
            Op::Barrier(Barrier::Whole) => return Ok(After::Stop(Stop::Barrier)),
            Op::Barrier(Barrier::Signal) => self.signalled += 1,
            Op::Barrier(Barrier::Wait) => {
                // The wait is where a thread may stop; an unmatched one waits for the next round.
                self.signalled = self.signalled.saturating_sub(1);
                return Ok(After::Stop(Stop::Barrier));
            }
            Op::Barrier(Barrier::NamedSignal(signal)) => {
                let meeting = self.named_signal(environment, signal, pc)?;
                if O::ACTIVE {
                    let step = match environment.named.is_complete(meeting) {
                        true => MeetingStep::Completed,
                        false => MeetingStep::Came,
                    };
                    observer.named_barrier(self.at(pc), meeting, step);
                }
            }
            Op::Barrier(Barrier::NamedWait(id)) => {
                let meeting = self.named_wait(id, pc)?;
                if !environment.named.is_complete(meeting) {
                    self.rare.waits = Some((pc, meeting));
                    return Ok(After::Stop(Stop::Named(meeting)));
                }
                if O::ACTIVE {
                    observer.named_barrier(self.at(pc), meeting, MeetingStep::Passed);
                }
            }
            Op::ReadState => self.read_state(environment.code),
            Op::LoadControl => {
                self.load_control(environment.code);
            }
            Op::CallIndirect {
                lanes,
                guard,
                address,
            } => {
                let address = general::scalar(self, address);
                let function = function_at(address)
                    .and_then(|f| Some((f, program.functions.get(f as usize)?)));
                let Some((number, function)) = function else {
                    return Err(self.no_function(pc, address));
                };
                let entered = self.call(*lanes, *guard, function.entry, Some(number))?;
                if O::ACTIVE && entered {
                    observer.function(self.at(pc), number, false);
                }
            }
            Op::Unsupported => {
                return Err(self.unsupported(pc));
            }
            Op::TakesNull => {
                let mnemonic = program.mnemonic(self.site(pc).opcode);
                return Err(call::takes_null(self, mnemonic, None, pc));
            }
        }
        Ok(After::Next)
    }

    /// Comes to a named barrier.
    fn named_signal(
        &mut self,
        environment: &Environment<'_>,
        signal: &NamedSignal,
        pc: u32,
    ) -> Result<Meeting, Box<Trap>> {
        let id = self.named_barrier(&signal.id, pc)?;
        let role = signal.role.as_ref().map(|role| general::scalar(self, role));
        let threads = signal.threads.each_ref();
        let threads = threads.map(|count| general::scalar(self, count));
        let broken = |rule: &str| self.named_misuse(pc, id, rule);
        let Some(role) = Role::from_type(role.unwrap_or(0)) else {
            return Err(broken("its type is 0, 1 or 2: both, producer, consumer"));
        };
        let counts = threads.map(|count| u32::try_from(count).unwrap_or(0));
        if counts.contains(&0) {
            return Err(broken("it requires one producer and one consumer at least"));
        }
        if role != Role::Producer && self.rare.named.iter().any(|m| m.id == id) {
            return Err(broken(
                "the thread has not waited for what it signalled before",
            ));
        }
        let met = environment.named.signal(self.id.local, id, role, counts);
        let meeting = met.map_err(|rule| broken(&rule))?;
        if role != Role::Producer {
            self.rare.named.push(meeting);
        }
        Ok(meeting)
    }

    /// What the thread has to wait for.
    fn named_wait(&mut self, id: &Source, pc: u32) -> Result<Meeting, Box<Trap>> {
        let id = self.named_barrier(id, pc)?;
        match self.rare.named.iter().position(|meeting| meeting.id == id) {
            Some(at) => Ok(self.rare.named.swap_remove(at)),
            None => {
                Err(self.named_misuse(pc, id, "only consumers wait, after they have signalled"))
            }
        }
    }

    /// The number of a named barrier.
    fn named_barrier(&self, id: &Source, pc: u32) -> Result<u8, Box<Trap>> {
        let id = general::scalar(self, id);
        match u8::try_from(id) {
            Ok(id) if u32::from(id) < NAMED_BARRIERS => Ok(id),
            _ => {
                let rule = format!("there are {NAMED_BARRIERS}, numbered from 0");
                Err(self.named_misuse(pc, id, &rule))
            }
        }
    }

    /// A thread waits at a named barrier, and no thread of its group can go on.
    pub fn stuck(
        &self,
        meeting: Meeting,
        whole: Option<ThreadId>,
        named: &NamedBarriers,
    ) -> Box<Trap> {
        let id = meeting.id;
        let what = format!("named barrier {id} is never complete");
        let mut diagnostic = Diagnostic::with_message(Code::E0691, what).note(named.missing(id));
        if let Some(other) = whole {
            diagnostic = diagnostic.note(format!("{other} waits at the barrier of the group"));
        }
        let diagnostic = diagnostic.see("vISA text reference 5.13; vISA NBARRIER");
        let pc = self.rare.waits.map_or(self.frame.pc, |(pc, _)| pc);
        self.trap(pc, self.frame.em, diagnostic)
    }

    fn named_misuse(&self, pc: u32, id: impl fmt::Display, rule: &str) -> Box<Trap> {
        let what = format!("named barrier {id} cannot be used like this");
        let diagnostic = Diagnostic::with_message(Code::E0690, what)
            .note(rule)
            .see("vISA text reference 5.13; vISA NBARRIER");
        self.trap(pc, self.frame.em, diagnostic)
    }

    /// Instructions that the run's allowance does not know of yet.
    pub fn due(&mut self) -> u64 {
        let due = self.executed - self.paid;
        self.paid = self.executed;
        due
    }

    /// Takes what has run since the last time, if it is worth it, from what all threads may run.
    pub(crate) fn pay(&mut self, environment: &Environment<'_>) -> Result<(), Box<Trap>> {
        if self.executed - self.paid < BLOCK {
            return Ok(());
        }
        let due = self.due();
        let over = environment.allowance.spend(self.id.index, due);
        over.map_err(|over| match over.code {
            // Where it was depends on the other threads.
            Code::L0607 => Trap::before(self.id, *over),
            _ => self.trap(self.frame.pc, self.frame.em, *over),
        })
    }

    pub(crate) fn over_limit(&self, limit: u64) -> Box<Trap> {
        let diagnostic = Diagnostic::new(Code::L0602)
            .note(format!("the limit is {limit} instructions for each thread"))
            .help(format!("--max-steps {}", limit.saturating_mul(10)));
        self.trap(self.frame.pc, self.frame.em, diagnostic)
    }

    fn unsupported(&self, pc: u32) -> Box<Trap> {
        let opcode = self.site(pc).opcode;
        let section = match opcode {
            // Parts from XeHP on answer it as an ordinary sample, which no program means.
            Opcode::Sample4Po | Opcode::Sample4PoC => "lowering reference 4",
            _ => opcode.info().family.section(),
        };
        let diagnostic =
            Diagnostic::with_message(Code::N0601, format!("`{opcode}` is not modelled"))
                .note(format!("{section} defines it; visim reads and checks it"))
                .see(section);
        self.trap(pc, self.frame.em, diagnostic)
    }

    fn no_function(&self, pc: u32, address: u64) -> Box<Trap> {
        let what = format!("no function at address {address:#x}");
        let diagnostic = Diagnostic::with_message(Code::E0608, what)
            .note("addresses of functions come from `faddr`")
            .see("vISA text reference 5.5");
        self.trap(pc, self.frame.em, diagnostic)
    }
}

/// The steps of a mode: those of ops that are joined are not told or counted one by one.
pub(crate) fn steps<'e>(
    program: &Program,
    environment: &Environment<'e>,
    mode: FloatMode,
    told: bool,
) -> &'e [Step] {
    match told || environment.tally.is_some() {
        true => environment.code.steps(program, mode),
        false => environment.code.joined(program, mode),
    }
}

/// Runs steps that follow each other on all of some threads; counts them from an op on, if they are counted.
#[inline]
pub(crate) fn run_steps(
    threads: &mut [Thread<'_>],
    steps: &[Step],
    (pc, tally): (u32, Option<&Tally>),
) {
    if let Some(tally) = tally {
        return run_counted(threads, steps, pc, tally);
    }
    let mut rest = steps;
    while let Some(step) = rest.first() {
        (step.run)(threads, step);
        rest = rest.get(step.ops as usize..).unwrap_or_default();
    }
}

/// As [`run_steps`], part by part.
#[inline(never)]
fn run_counted(threads: &mut [Thread<'_>], steps: &[Step], mut pc: u32, tally: &Tally) {
    let end = pc + steps.len() as u32;
    let mut rest = steps;
    while pc < end {
        let next = tally.part(pc..end);
        tally.ran(threads, pc..next);
        let (part, behind) = rest.split_at((next - pc) as usize);
        run_steps(threads, part, (pc, None));
        (pc, rest) = (next, behind);
    }
}
