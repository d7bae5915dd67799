//! Starts the threads of a grid, lets groups meet at barriers, and gathers what is left.
//!
//! ```text
//!  Grid ─▶ groups (in parallel, if asked) ─┬─▶ threads of a group in turn ─▶ exec::Thread
//!              shared: surfaces             │     until all wait or have ended
//!                                           ├─▶ threads of groups side by side ─▶ exec::lockstep
//!                                           │     where they wait for each other at the barrier alone
//!                                           └─▶ once native code takes them to their ends: group after group,
//!                                                 each in the bytes of the one before (`standing`)
//! ```
//!
//! The result does not depend on `jobs` for programs without races: groups share only surfaces, those
//! of programs in which the order of atomics shows come one after the other ([`crate::exec::order`]), and
//! traps are reported in launch order. Start with [`run`]; [`kernel`] makes compiled kernels ready for it.

mod grid;
mod group;
pub mod kernel;
mod standing;
mod start;
mod undo;
mod watched;
mod workers;

pub use crate::exec::{
    Begins, Bindings, FlatRange, NativeCode, Observer, Sampler, Silent, ThreadId, Trap,
};
pub use grid::{Grid, Payload, ThreadStart};

use crate::base::cores;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::lockstep::{self, has_barrier, may_lockstep};
use crate::exec::order::shows_order_of_groups;
use crate::exec::{
    Allowance, BLOCK, Decoded, Environment, Kept, NamedBarriers, Reset, Resources, SLOTS,
    SitePlans, Tally, Thread, Whole, observer::Wants, packed,
};
use crate::program::{Program, Symbol};
use crate::surface::Memory;
use crate::surface::ledger::{Charge, Deadline, Ledger};
use start::{Seats, Spare, alike, start_values};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use undo::Undo;
use watched::{Lent, Watch};
use workers::{MOST_WORKERS, Taker, Turns, work};

/// How a run is carried out.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Groups that may run at the same time; 0 or 1 runs them in order on the caller's thread, and so does any
    /// number where the order of groups would show in what atomics leave.
    pub jobs: usize,
    /// Instructions that one hardware thread may run.
    pub limit: u64,
    /// Threads a grid may have.
    pub max_threads: u64,
    /// Shared local memory of a group beyond what the kernel asks for: its local arguments.
    pub slm_bytes: u32,
    /// Bytes of shared local memory that belong to something, where that is known; observers see it.
    pub slm_used: Option<u32>,
    /// Scratch memory of each thread, made when it is used.
    pub scratch_bytes: usize,
    /// Which threads' registers to hand back.
    pub keep: Keep,
    /// Makes every message into the bits of the platform, reads them again and serves that:
    /// the same bytes, or a trap where the platform has no such message.
    pub through_bits: bool,
    /// Instructions that all threads may run together.
    pub total: u64,
    /// When all threads must have ended, where there is such a time.
    pub deadline: Option<Deadline>,
    /// Whether native code runs; what is left behind is the same.
    pub native: NativeCode,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            jobs: 1,
            limit: 100_000_000,
            total: USUAL_TOTAL,
            max_threads: 1 << 24,
            slm_bytes: 0,
            slm_used: None,
            scratch_bytes: 1 << 18,
            keep: Keep::First,
            through_bits: false,
            deadline: None,
            native: NativeCode::default(),
        }
    }
}

/// Instructions that all threads of a run may run where nothing else is said.
pub const USUAL_TOTAL: u64 = 10_000_000_000;

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
    #[inline]
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
    /// What instructions do that hardware does not promise, in the order of the program.
    pub remarks: Vec<Diagnostic>,
}

impl<O> Outcome<O> {
    /// The same with these observers.
    pub(crate) fn with<P>(self, observers: Vec<(ThreadId, P)>) -> Outcome<P> {
        Outcome {
            threads: self.threads,
            observers,
            thread_count: self.thread_count,
            instructions: self.instructions,
            remarks: self.remarks,
        }
    }
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
/// * `observe`: makes the observer of a thread, and one more that says what is [wanted](Observer::wants); `|_| Silent`
///   watches nothing and costs nothing.
///
/// An observer that [looks for doubts](Wants::Doubts) may leave one: then bound memory is put back as it was, and the run
/// begins again. Nobody else may change that memory meanwhile.
///
/// # Errors
/// The trap of the first thread, in launch order, that could not go on; or a value in
/// `bindings.variables` that has no variable (`E0605`) or does not fit (`E0606`), or a grid with too
/// many threads (`L0603`) or too much shared local memory (`L0684`).
pub fn run<O: Observer>(
    program: &Program,
    bindings: &Bindings,
    grid: &Grid<'_>,
    options: &RunOptions,
    observe: impl Fn(ThreadId) -> O + Sync,
) -> Result<Outcome<O>, Box<Trap>> {
    if !O::ACTIVE {
        return Ok(run_silent(program, bindings, grid, options)?.with(Vec::new()));
    }
    let back = Mutex::new(Vec::new());
    let lend = |thread| -> Box<dyn Watch + '_> {
        let observer = observe(thread);
        Box::new(Lent {
            observer,
            back: &back,
        })
    };
    let kept = O::KEPT.then_some(size_of::<(ThreadId, O)>() as u64);
    let run = |told| run_watched(program, bindings, grid, options, (&lend, kept, told));
    let taken = || std::mem::take(&mut *back.lock().unwrap_or_else(PoisonError::into_inner));
    let first = grid.ids(0).next();
    let wants = || first.map_or(Wants::Nothing, |first| observe(first).wants());
    let mut told = wants();
    if let (Wants::Doubts, Some(first)) = (told, first) {
        // Code looks at places in a memory, not at addresses.
        let mut memory = bindings.memory.iter();
        let aligned = memory.all(|range| range.address.is_multiple_of(MOST_ALIGNED));
        let undo = aligned.then(|| Undo::of(bindings, grid.threads()));
        let undo = undo.flatten();
        let ran = undo.as_ref().map(|_| run(told));
        let cut_short = ran.as_ref().is_none_or(Result::is_err);
        if let (false, Some(ran)) = (observe(first).doubts(cut_short), ran) {
            return Ok(ran?.with(taken()));
        }
        undo.into_iter().for_each(Undo::undo);
        taken();
        told = wants().max(Wants::Steps);
    }
    let outcome = run(told)?;
    Ok(outcome.with(taken()))
}

/// Runs threads that nobody watches.
fn run_silent(
    program: &Program,
    bindings: &Bindings,
    grid: &Grid<'_>,
    options: &RunOptions,
) -> Result<Outcome<Silent>, Box<Trap>> {
    let nobody = (|_| Silent, None, Wants::Nothing);
    run_with(program, bindings, grid, options, nobody)
}

/// Makes the observer of a thread.
type Lend<'l, 'b> = dyn Fn(ThreadId) -> Box<dyn Watch + 'b> + Sync + 'l;

/// Runs threads whose observers `lend` makes; those of threads that ended are handed back in launch order.
///
/// * `kept`: bytes of each observer, if they are handed back.
/// * `told`: what they are told.
fn run_watched<'b>(
    program: &Program,
    bindings: &Bindings,
    grid: &Grid<'_>,
    options: &RunOptions,
    (lend, kept, told): (&Lend<'_, 'b>, Option<u64>, Wants),
) -> Result<Outcome<Silent>, Box<Trap>> {
    let mut outcome = run_with(program, bindings, grid, options, (lend, kept, told))?;
    for (thread, observer) in outcome.observers.drain(..) {
        observer.hand_back(thread);
    }
    Ok(outcome.with(Vec::new()))
}

/// As [`run`], once for runs that nobody watches and once for all others.
///
/// * `observe`: what makes observers, the bytes of each if they are handed back, and what they are told.
fn run_with<O: Observer>(
    program: &Program,
    bindings: &Bindings,
    grid: &Grid<'_>,
    options: &RunOptions,
    (observe, kept, wants): (impl Fn(ThreadId) -> O + Sync, Option<u64>, Wants),
) -> Result<Outcome<O>, Box<Trap>> {
    let threads = grid.threads();
    if threads > options.max_threads {
        let asked = match threads {
            // The product no longer tells how many.
            u64::MAX => "more than 64 bits count".to_string(),
            threads => threads.to_string(),
        };
        let note = format!("{asked} threads, the limit is {}", options.max_threads);
        return Err(Trap::outside(Diagnostic::new(Code::L0603).note(note)));
    }
    let shared = u64::from(program.slm_bytes) + u64::from(options.slm_bytes);
    if shared > MAX_SHARED {
        let note = format!("{shared} bytes are asked for, a group may have {MAX_SHARED}");
        return Err(Trap::outside(Diagnostic::new(Code::L0684).note(note)));
    }
    let _kept = kept_memory(program, options, threads, kept.unwrap_or(0))?;
    let starts = start_values(program, bindings)?;
    let packed = options.through_bits.then(|| packed::bindings(bindings));
    let resources = Resources::new(packed.as_ref().unwrap_or(bindings));
    let known = program.memo.get(|| Known::new(program));
    let plans = SitePlans::new(program);
    let meets = shared > 0 || known.has_barrier;
    let context = Context {
        program,
        known,
        starts: &starts,
        resources: &resources,
        plans: &plans,
        grid,
        options,
        allowance: Allowance::new(
            options.total,
            Ledger::current()
                .and_then(|ledger| ledger.deadline())
                .or(options.deadline),
        ),
        observe: &observe,
        hands_back: kept.is_some(),
        dispatch_mask: program.symbols.get("%sr0").map(|s| s.range().start + 8),
        alike: alike(program, grid, &starts),
        header: program.platform.grf_bytes() as usize,
        together: match wants < Wants::Doubts
            && known.may_lockstep
            && (!meets || grid.threads <= MOST_MEMBERS)
        {
            true => (GANG_BYTES / program.image.len().max(1)).clamp(1, GANG),
            false => 1,
        },
        meets,
        wants,
        keeps: !matches!(options.keep, Keep::None),
    };
    let jobs = match known.shows_order {
        true => 1,
        false => options.jobs.max(1) as u64,
    };
    let workers = jobs.clamp(1, grid.groups().max(1));
    let turns = Turns::new(grid.groups(), workers.min(MOST_WORKERS));
    let ledger = Ledger::current();
    let share = |taker: Taker<'_>| Ledger::within(ledger.as_ref(), || context.share(&turns, taker));
    // Where ops may run again, groups may take any time; and whoever asks for more than the host has is told what it gives.
    // Builds for tests begin with all workers.
    let few = workers <= cores::count() as u64;
    let alone = few && !cfg!(debug_assertions) && !known.may_go_back;
    let (shares, fewer) = work(workers, alone.then_some(grid.groups()), share);
    let gathered = gather(shares, threads, &context.allowance);
    if let Some(short) = Ledger::current().and_then(|ledger| ledger.short()) {
        return Err(Trap::outside(short.diagnostic()));
    }
    let mut outcome = gathered?;
    let within = context.allowance.check(outcome.instructions);
    within.map_err(|over| Trap::outside(*over))?;
    outcome.remarks = resources.remarks.taken();
    outcome.remarks.extend(fewer);
    Ok(outcome)
}

/// The memory of the registers and observers that are handed back.
fn kept_memory(
    program: &Program,
    options: &RunOptions,
    threads: u64,
    observer: u64,
) -> Result<Option<Charge>, Box<Trap>> {
    let registers = match &options.keep {
        Keep::All => program.image.len() as u64,
        _ => 0,
    };
    let kept = threads.saturating_mul(registers + observer);
    Ledger::take(kept).map_err(|short| Trap::outside(short.diagnostic()))
}

/// What the address of an element is a multiple of, at most.
const MOST_ALIGNED: u64 = 8;

/// Bytes of shared local memory a group may have: twice what any modelled platform gives.
pub const MAX_SHARED: u64 = 256 << 10;

/// Threads that run side by side at most, and bytes of their arenas: what the second cache of a core holds.
const GANG: usize = SLOTS;
const GANG_BYTES: usize = 256 << 10;

/// Groups at first, and threads in so many after them, that native code may fail to take to their ends.
const MOST_LEFT: (u64, u64) = (4, 8);

/// Threads that native code of a cut was to take to their ends alone.
#[derive(Default)]
struct Alone {
    cut: usize,
    ran: u64,
    /// Those that have left it before.
    left: u64,
}

/// Threads of a group at most that are kept at once, all of them, so that they may wait for each other side by side.
const MOST_MEMBERS: u32 = 256;

/// What one worker has done.
struct Share<O> {
    /// Groups that left something, by the number of the first where several ran beside each other.
    groups: Vec<(u64, Left<O>)>,
    instructions: u64,
    /// Those of them that the run's allowance does not know of.
    due: u64,
    /// The number of the last thread that has ended.
    last: u32,
    trap: Option<(u64, Box<Trap>)>,
}

impl<O> Share<O> {
    /// Adds what a group leaves behind.
    fn add(&mut self, group: u64, last: u32, done: Group<O>) {
        self.last = last;
        self.instructions += done.instructions;
        self.due += done.due;
        if !done.left.is_empty() {
            self.groups.push((group, done.left));
        }
    }
}

/// Puts the shares of all workers together, in launch order.
fn gather<O>(
    shares: Vec<Share<O>>,
    threads: u64,
    allowance: &Allowance,
) -> Result<Outcome<O>, Box<Trap>> {
    let mut groups = Vec::new();
    let mut instructions = 0;
    let mut first: Option<(u64, Box<Trap>)> = None;
    for share in shares {
        groups.extend(share.groups);
        instructions += share.instructions;
        if let Some((group, trap)) = share.trap
            && first.as_ref().is_none_or(|f| group < f.0)
        {
            first = Some((group, trap));
        }
    }
    if let Some((_, trap)) = first {
        // Those before it may have come to the limit while it ran.
        let within = allowance.check(allowance.until(trap.thread.index));
        return Err(within.map_or_else(|over| Trap::outside(*over), |()| trap));
    }
    groups.sort_by_key(|g| g.0);
    let mut outcome = Outcome {
        threads: Vec::new(),
        observers: Vec::new(),
        thread_count: threads,
        instructions,
        remarks: Vec::new(),
    };
    for (_, group) in groups {
        outcome.threads.extend(group.kept);
        outcome.observers.extend(group.observers);
    }
    Ok(outcome)
}

/// What a program's first run finds out, and its later ones need not.
struct Known {
    code: Decoded,
    may_lockstep: bool,
    has_barrier: bool,
    /// The order of groups shows in what they leave.
    shows_order: bool,
    may_go_back: bool,
    /// What a thread must find in the memory of another one, by its lanes and the op where it begins.
    resets: Mutex<BTreeMap<(u32, u32), Arc<Reset>>>,
}

impl Known {
    fn new(program: &Program) -> Known {
        Known {
            code: Decoded::new(program),
            may_lockstep: may_lockstep(program),
            has_barrier: has_barrier(program),
            shows_order: shows_order_of_groups(program),
            may_go_back: program.may_go_back(),
            resets: Mutex::default(),
        }
    }

    /// What a thread of the program that begins like this must find.
    fn reset(&self, program: &Program, begins: Begins) -> Arc<Reset> {
        let Begins { mask, at, .. } = begins;
        let mut resets = self.resets.lock().unwrap_or_else(PoisonError::into_inner);
        let reset = resets.entry((mask, at.0));
        Arc::clone(reset.or_insert_with(|| Arc::new(Reset::new(program, mask, at.0))))
    }
}

/// What all groups share.
struct Context<'a, F> {
    program: &'a Program,
    known: &'a Known,
    starts: &'a [(Symbol, &'a [u8])],
    resources: &'a Resources,
    plans: &'a SitePlans,
    grid: &'a Grid<'a>,
    options: &'a RunOptions,
    allowance: Allowance,
    observe: &'a F,
    /// Observers of threads that have ended are handed back.
    hands_back: bool,
    /// Where `%sr0` element 2 lies in the arena.
    dispatch_mask: Option<usize>,
    /// Threads of one number differ in nothing but their headers, which have so many bytes.
    alike: bool,
    header: usize,
    /// Threads that run side by side.
    together: usize,
    /// Threads of a group have memory or a barrier in common.
    meets: bool,
    /// What observers are told.
    wants: Wants,
    /// Somebody looks at the bytes of some threads in the end.
    keeps: bool,
}

/// What threads leave behind.
struct Left<O> {
    kept: Vec<Registers>,
    observers: Vec<(ThreadId, O)>,
}

impl<O> Default for Left<O> {
    fn default() -> Left<O> {
        Left {
            kept: Vec::new(),
            observers: Vec::new(),
        }
    }
}

impl<O> Left<O> {
    const fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.observers.is_empty()
    }
}

/// What a group has done.
struct Group<O> {
    left: Left<O>,
    instructions: u64,
    due: u64,
}

impl<O> Group<O> {
    /// Nothing yet.
    fn new() -> Group<O> {
        Group {
            left: Left::default(),
            instructions: 0,
            due: 0,
        }
    }
}

impl<O: Observer, F: Fn(ThreadId) -> O + Sync> Context<'_, F> {
    /// Runs groups until none is left, and tells what was counted.
    fn share(&self, turns: &Turns, taker: Taker<'_>) -> Share<O> {
        let tally = (self.wants == Wants::Counts).then(|| Tally::new(self.program));
        let share = self.counted_share(turns, taker, tally.as_ref());
        if let Some(tally) = tally {
            let native = |number| self.known.code.counted(number, self.plans.texels());
            let last = self.grid.thread(share.last);
            (self.observe)(last).counted(self.program, &tally.take(native));
        }
        share
    }

    /// Runs groups until none is left; none after the first, in launch order, that cannot go on.
    fn counted_share(
        &self,
        turns: &Turns,
        mut taker: Taker<'_>,
        tally: Option<&Tally>,
    ) -> Share<O> {
        let mut share = Share {
            groups: Vec::new(),
            instructions: 0,
            due: 0,
            last: 0,
            trap: None,
        };
        let mut spare = Spare::default();
        let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
        let by_turns = self.environment(&slm, &named, tally);
        let environment = Environment {
            turn: u64::MAX,
            ..self.environment(&slm, &named, tally)
        };
        let mut kept = Kept::default();
        let mut seats = Seats::new(self.program, &mut spare);
        loop {
            let batch = turns.take(&mut taker);
            if batch.is_empty() {
                return share;
            }
            if self.together > 1 {
                let done = match self.meets {
                    true => self.teams(batch, turns, tally, &mut spare, &mut share),
                    false => {
                        let places = (&mut seats, &mut spare);
                        let messages = (&environment, &mut kept);
                        self.side_by_side(batch, turns, messages, places, &mut share)
                    }
                };
                if let Err(trap) = done.and_then(|()| self.pay(&mut share, 1)) {
                    let group = self.group_of(trap.thread.index);
                    turns.failed.fetch_min(group, Relaxed);
                    share.trap = Some((group, trap));
                    return share;
                }
                continue;
            }
            let places = (&mut seats, &mut spare);
            let done = self.in_turn(batch, turns, (&by_turns, tally), places, &mut share);
            if let Err((group, trap)) = done {
                self.report(&mut share);
                turns.failed.fetch_min(group, Relaxed);
                share.trap = Some((group, trap));
                return share;
            }
            if let Err(trap) = self.pay(&mut share, 1) {
                let group = self.group_of(trap.thread.index);
                turns.failed.fetch_min(group, Relaxed);
                share.trap = Some((group, trap));
                return share;
            }
        }
    }

    /// The number of the group of a thread with this number.
    fn group_of(&self, index: u32) -> u64 {
        u64::from(index / self.grid.threads.max(1))
    }

    /// Shared local memory of a group.
    fn shared(&self) -> Memory {
        let bytes = self.program.slm_bytes as usize;
        Memory::of_one_thread(bytes.saturating_add(self.options.slm_bytes as usize))
    }

    fn environment<'s>(
        &'s self,
        slm: &'s Memory,
        named: &'s NamedBarriers,
        tally: Option<&'s Tally>,
    ) -> Environment<'s> {
        Environment {
            code: &self.known.code,
            resources: self.resources,
            plans: self.plans,
            slm,
            named,
            scratch_bytes: self.options.scratch_bytes,
            limit: self.options.limit,
            allowance: &self.allowance,
            turn: BLOCK,
            through_bits: self.options.through_bits,
            tally,
            native: match self.options.through_bits {
                true => NativeCode::Never,
                false => self.options.native,
            },
        }
    }

    /// Runs the threads of groups, as many at once as run in lockstep, in the places that are there.
    fn side_by_side<'e, 'p: 'e>(
        &'p self,
        groups: Range<u64>,
        turns: &Turns,
        (environment, kept): (&Environment<'e>, &mut Kept<'e>),
        (seats, spare): (&mut Seats<'p>, &mut Spare),
        share: &mut Share<O>,
    ) -> Result<(), Box<Trap>> {
        let mut ids = self.grid.walk(groups);
        let mut observers = Vec::new();
        let mut alone = Alone::default();
        let first = ids.group().unwrap_or(0);
        let mut whole = self.whole(environment, (first, &mut alone), spare);
        while let Some(group) = ids.group() {
            if group > turns.failed.load(Relaxed) {
                break;
            }
            if let Some(code) = &whole {
                let places = (&mut *seats, &mut *spare);
                let ran = self.stand_and_run((code, kept), None, &mut ids, turns, places, share)?;
                alone.ran += ran.threads;
                if ran.left.is_empty() {
                    continue;
                }
                alone.left += ran.stopped;
                observers.extend(ran.left.into_iter().map(|id| (self.observe)(id)));
            } else {
                for _ in 0..self.together {
                    let Some(id) = ids.next() else { break };
                    let mut observer = (self.observe)(id);
                    self.start(seats.next(), id, spare, &mut observer);
                    observers.push(observer);
                }
            }
            let threads = seats.taken();
            let chunks = threads.chunks_mut(self.together);
            let mut chunks = chunks.zip(observers.chunks_mut(self.together));
            let ran = chunks.try_for_each(|(threads, observers)| {
                self.beside(threads, observers, (environment, kept), true)
            });
            self.tell_ends(
                threads,
                &mut observers,
                ran.as_ref().err().map(|trap| &**trap),
            );
            ran.map_err(|trap| self.report_until(trap, threads, share))?;
            self.finish_all(threads.iter_mut().zip(observers.drain(..)), share);
            seats.leave();
            self.pay(share, BLOCK)?;
            // What is code may have changed.
            whole = self.whole(environment, (group, &mut alone), spare);
        }
        Ok(())
    }

    /// Native code that takes threads to their ends, once there is such: then they are best run group after group, each in
    /// the bytes of the last one of its number. None if too many have left it.
    ///
    /// * `group`: the next one.
    fn whole<'e>(
        &self,
        environment: &Environment<'e>,
        (group, alone): (u64, &mut Alone),
        spare: &mut Spare,
    ) -> Option<Whole<'e>> {
        let cut = environment.plans.cut(environment.code);
        if cut != alone.cut {
            *alone = Alone {
                cut,
                ran: 0,
                left: 0,
            };
        }
        let most_left = MOST_LEFT.0 * u64::from(self.grid.threads) + alone.ran / MOST_LEFT.1;
        if O::ACTIVE || !self.alike || alone.left > most_left {
            return None;
        }
        let prepared = self.begins(group, spare);
        let thread = (self.program, prepared.bytes());
        lockstep::whole(thread, prepared.begins.at, environment, self.keeps)
    }

    /// Takes what a worker has run, if it is at least so much, from what all threads may run.
    #[inline(always)]
    fn pay(&self, share: &mut Share<O>, least: u64) -> Result<(), Box<Trap>> {
        match share.due < least {
            true => Ok(()),
            false => self.pay_now(share),
        }
    }

    /// The same, however much it is.
    fn pay_now(&self, share: &mut Share<O>) -> Result<(), Box<Trap>> {
        let due = std::mem::take(&mut share.due);
        let over = self.allowance.spend(share.last, due);
        over.map_err(|over| match over.code {
            Code::L0607 => Trap::before(self.grid.thread(share.last), *over),
            _ => Trap::outside(*over),
        })
    }

    /// Tells the allowance all that a worker has run. Whether it was too much is asked when all is told.
    fn report(&self, share: &mut Share<O>) {
        let due = std::mem::take(&mut share.due);
        if due > 0 {
            let _ = self.allowance.spend(share.last, due);
        }
    }

    /// The same with what threads side by side have run, up to the one with the trap.
    fn report_until(
        &self,
        trap: Box<Trap>,
        threads: &mut [Thread<'_>],
        share: &mut Share<O>,
    ) -> Box<Trap> {
        self.report(share);
        for thread in threads.iter_mut().filter(|t| t.id <= trap.thread) {
            let _ = self.allowance.spend(thread.id.index, thread.due());
        }
        trap
    }

    /// What threads leave that ran beside each other goes to the share of the worker, under the number of their first
    /// group.
    fn finish_all<'t, 'p: 't>(
        &self,
        threads: impl Iterator<Item = (&'t mut Thread<'p>, O)>,
        share: &mut Share<O>,
    ) {
        let mut left = Left::default();
        let mut first = None;
        for (thread, observer) in threads {
            // Not all of what names it, and one number at a time: what was just written in parts and is read as a whole waits
            // until all that was written before it, images among it, has left the core.
            share.last = thread.id.index;
            share.instructions += thread.executed;
            share.due += thread.due();
            first.get_or_insert(share.last);
            self.finish(thread, observer, &mut left);
        }
        if !left.is_empty() {
            let first = self.group_of(first.unwrap_or(share.last));
            share.groups.push((first, left));
        }
    }

    /// Runs threads side by side and counts what they did; after a trap, what those did that would have started.
    fn beside<'e, 'p: 'e>(
        &self,
        threads: &mut [Thread<'p>],
        observers: &mut [O],
        (environment, kept): (&Environment<'e>, &mut Kept<'e>),
        everyone: bool,
    ) -> Result<(), Box<Trap>> {
        let result = lockstep::run(threads, observers, (environment, kept), everyone);
        if let Some(tally) = environment.tally {
            let starts = |t: &&Thread<'_>| result.as_ref().err().is_none_or(|e| t.id <= e.thread);
            tally.settle(threads.iter().filter(starts).count());
        }
        result
    }

    /// Tells the observers of threads side by side that they end, as far as they would have started before a trap.
    fn tell_ends(&self, threads: &[Thread<'_>], observers: &mut [O], trap: Option<&Trap>) {
        let last = trap.map_or(u32::MAX, |trap| trap.thread.index);
        for (thread, observer) in threads.iter().zip(observers) {
            if O::ACTIVE && thread.id.index <= last {
                observer.ended(thread.id, trap.is_some_and(|trap| trap.thread == thread.id));
            }
        }
    }

    /// Whether somebody looks at the bytes of a thread in the end.
    #[inline(always)]
    fn keeps(&self, index: u32) -> bool {
        self.keeps && self.options.keep.wants(index)
    }

    /// What a thread leaves in its registers.
    fn registers(&self, thread: ThreadId, bytes: &[u8]) -> Registers {
        Registers {
            thread,
            arena: bytes[..self.program.image.len()].to_vec(),
        }
    }

    /// Keeps of an ended thread its observer and its registers, if they are asked for.
    #[inline]
    fn finish(&self, thread: &Thread<'_>, observer: O, left: &mut Left<O>) {
        if self.hands_back {
            left.observers.push((thread.id, observer));
        }
        if self.keeps(thread.id.index) {
            left.kept.push(self.registers(thread.id, &thread.arena));
        }
    }
}
