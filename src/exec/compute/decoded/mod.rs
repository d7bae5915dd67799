//! The fast form of a program: each op that computes is a [`Step`], a function with all that it needs
//! beside it.
//!
//! ```text
//!  ops    or │ mul │ mov │ add │ sample │ add │ goto │ mov …     what observers and messages know
//!  steps  ■■■│ ■■■ │ ■■■ │ ■■■ │   ·    │ ■■■ │   ·  │ ■■■       one for each op; · are the thread's own
//!  runs    4    3     2     1      0       1      0      1       steps until the next ·, or a place to jump to
//! ```
//!
//! A step's function is chosen once, by opcode, types and, if it is a common one, number of lanes: it works on rows of
//! fixed size, so that the compiler vectorises it, and asks nothing lane by lane. What it computes is defined by
//! [`super::general`], which runs whatever has no function of its own; a law asserts that both agree.
//!
//! Start with [`Decoded::new`]. [`choose`] finds the function; [`operand`] says where lanes lie, `rows` brings them
//! in and out, and `kernels` are the loops.

pub mod choose;
mod compare;
mod dword;
mod idle;
mod join;
mod kernels;
mod moves;
pub mod operand;
mod quads;
mod rows;
mod single;

use super::native::transfer::Message;
use super::native::{Native, NativeCode, Rounds, Seen};
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::tally::{Counter, MOST_COUNTING, Traffic};
use crate::exec::state::texel_sites::TexelSite;
use crate::exec::state::thread::Thread;
use crate::isa::{Condition, Type};
use crate::math::simd::{self, Wide};
use crate::program::{Alu, Guard, Lanes, Op, Program, Region, Source};
use operand::{Operand, Put};
use rows::Scratch;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What runs a step on threads that are at it. Lanes that are off keep what they had.
pub type Run = for<'p> fn(&mut [Thread<'p>], &Step);

/// An op, decoded.
#[derive(Clone, Copy)]
pub struct Step {
    /// The function.
    pub run: Run,
    /// Whether it is not the reference.
    pub fast: bool,
    /// Which lanes.
    lanes: Lanes,
    /// How many its loop has: 1, or whole rows.
    loop_lanes: u8,
    /// One bit for each lane of the instruction.
    all: u32,
    /// Lanes that run whatever the execution mask says.
    forced: u32,
    /// The predicate.
    guard: Option<Guard>,
    /// Where values come from.
    src: [Operand; 3],
    /// Where results go.
    dst: Put,
    /// `.sat`.
    saturate: bool,
    /// Denormal singles are flushed.
    flush: bool,
    /// The relation of `cmp`.
    relation: Condition,
    /// The boolean function of `bfn`.
    function: u8,
    /// Bytes of an arena.
    reach: u32,
    /// Instructions for wide registers, if the host has them.
    wide: Option<Wide>,
    /// Index of the op.
    op: u32,
    /// Ops that it stands for.
    pub ops: u32,
}

impl Step {
    /// The bytes of a thread that operands lie in.
    #[inline(always)]
    fn bytes<'t>(&self, thread: &'t Thread<'_>) -> &'t [u8] {
        &thread.arena[..self.reach as usize]
    }

    #[inline(always)]
    fn bytes_mut<'t>(&self, thread: &'t mut Thread<'_>) -> &'t mut [u8] {
        &mut thread.arena[..self.reach as usize]
    }

    /// The first op it stands for, and how many there are.
    #[inline(always)]
    const fn defined(&self) -> (u32, u32) {
        (self.op, self.ops)
    }

    /// The lanes that run, whatever the predicate says.
    #[inline(always)]
    fn unguarded(&self, thread: &Thread<'_>) -> u32 {
        (thread.frame.em | self.forced) >> self.lanes.offset & self.all
    }

    /// The lanes that run.
    #[inline(always)]
    fn guarded(&self, thread: &Thread<'_>) -> u32 {
        match self.guard {
            Some(guard) => self.unguarded(thread) & thread.predicate(self.lanes, guard),
            None => self.unguarded(thread),
        }
    }
}

/// A loop over the lanes of a step.
trait Kernel {
    /// Runs it, in wide instructions.
    fn run(wide: Wide, thread: &mut Thread<'_>, step: &Step, scratch: &mut Scratch);
}

/// A kernel in wide instructions: the results of the reference, sooner. A copy for hosts without them would double
/// the code.
fn wide<K: Kernel>(threads: &mut [Thread<'_>], step: &Step) {
    match step.wide {
        Some(wide) => wide.run(
            #[inline(always)]
            || each::<K>(wide, threads, step),
        ),
        // Chosen only where there are some.
        None => each_as_defined(threads, step),
    }
}

#[inline(always)]
fn each<K: Kernel>(wide: Wide, threads: &mut [Thread<'_>], step: &Step) {
    // A copy of its own, whose address is never taken: the compiler sees that nothing a thread writes changes
    // the step, and asks once for all threads what the kernel needs to know.
    let step = *step;
    let mut scratch = Scratch::default();
    for thread in threads {
        K::run(wide, thread, &step, &mut scratch);
    }
}

/// Runs the ops of a step as the reference does.
#[cold]
#[inline(never)]
fn as_defined(thread: &mut Thread<'_>, (op, ops): (u32, u32)) {
    for op in op..op + ops {
        thread.compute(op);
    }
}

fn each_as_defined(threads: &mut [Thread<'_>], step: &Step) {
    for thread in threads {
        as_defined(thread, step.defined());
    }
}

/// The steps of a program in the float modes that matter.
pub struct Decoded {
    wide: Option<Wide>,
    /// Built-ins that the thread itself reads and writes.
    pub state: State,
    /// For each op how many steps follow each other from it on; 0 where the thread itself must act.
    runs: Vec<u32>,
    /// By [`Table`]; made when a thread is first in the mode.
    tables: [OnceLock<Vec<Step>>; 3],
    /// The same for runs without an observer: a step may stand for the next op too.
    joined: [OnceLock<Vec<Step>>; 3],
    /// Native code by what it sees to, of the modes that have some, by cut.
    native: [[[OnceLock<Option<Native>>; MOST_CUTS]; Rounds::COUNT]; Seen::COUNT],
    /// What each cut is.
    cuts: Mutex<Vec<Cut>>,
    /// The cut of the run that chose one last.
    last_cut: AtomicUsize,
    /// How often threads have left native code for a NaN since a cut was chosen for it.
    left_for_nan: AtomicU32,
    /// Ops that ran before there was any.
    worked: AtomicU64,
}

/// What native code of a program does, of what it can.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Messages that are left to the steps, by ascending op.
    pub left_out: Vec<u32>,
    /// Ops where it is entered, beside those that a jump leads to, ascending: they are behind messages for which it is left.
    pub entered: Vec<u32>,
    /// It makes NaN, and is not left for them.
    pub makes_nan: bool,
}

/// So often threads leave code for a NaN before other code is made of the program.
const MANY_NAN: u32 = 32;

/// Arena offsets of built-ins.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// The float mode.
    pub cr0: Option<u32>,
    /// The execution mask.
    pub ce0: Option<u32>,
    /// The time.
    pub tsc: Option<u32>,
}

/// Kinds of native code of a program in a mode, at most: by the messages of which a run has seen that no code does them, with
/// the surfaces and samplers that it has, and by whether it makes NaN.
const MOST_CUTS: usize = MOST_COUNTING / Rounds::COUNT;

/// Float modes as far as steps differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    /// Nearest even, denormal singles kept.
    Kept,
    /// Nearest even, denormal singles flushed.
    Flushed,
    /// Any other: floats go to the reference.
    Other,
}

impl Table {
    fn of(mode: FloatMode) -> Table {
        match mode {
            m if !m.is_plain() => Table::Other,
            m if m.keep_single => Table::Kept,
            _ => Table::Flushed,
        }
    }
}

impl Decoded {
    /// Finds where a program runs straight on.
    pub fn new(program: &Program) -> Decoded {
        let entered = entered(program);
        let mut runs = vec![0; program.ops.len()];
        let mut run = 0;
        for (i, op) in program.ops.iter().enumerate().rev() {
            if entered[i + 1] {
                run = 0;
            }
            run = if computes(op) { run + 1 } else { 0 };
            runs[i] = run;
        }
        let offset = |name| program.symbols.get(name).map(|s| s.offset);
        Decoded {
            wide: simd::wide(),
            state: State {
                cr0: offset("%cr0"),
                ce0: offset("%ce0"),
                tsc: offset("%tsc"),
            },
            runs,
            tables: Default::default(),
            joined: Default::default(),
            native: Default::default(),
            cuts: Mutex::new(vec![Cut::default()]),
            last_cut: AtomicUsize::new(0),
            left_for_nan: AtomicU32::new(0),
            worked: AtomicU64::new(0),
        }
    }

    /// The float mode that a thread with these bytes is in; `None` if the program has none.
    #[inline]
    pub(crate) fn mode_of(&self, arena: &[u8]) -> Option<FloatMode> {
        let own = arena.get(self.state.cr0? as usize..)?.first_chunk()?;
        Some(FloatMode::from_cr0(u32::from_le_bytes(*own)))
    }

    /// Whether an op takes nothing but constants and the float mode, and changes nothing else.
    pub(crate) fn sets_mode(&self, program: &Program, alu: &Alu) -> bool {
        let is_mode = |at: u32, ty: Type| self.state.cr0 == Some(at) && ty.bytes() == 4;
        let takes = |source: &Source| match source.region {
            Region::Scalar(at) => program.is_constant(at) || is_mode(at, source.ty),
            _ => false,
        };
        let dst = matches!(alu.dst.region, Region::Dense(at) if is_mode(at, alu.dst.ty));
        let alone = alu.lanes.count == 1 && alu.guard.is_none();
        let only = alu.dst2.is_none() && alu.overflow.is_none();
        dst && alone && only && alu.src.iter().all(takes)
    }

    /// Steps that follow each other from an op on.
    #[inline]
    pub fn run(&self, pc: u32) -> u32 {
        self.runs.get(pc as usize).copied().unwrap_or(0)
    }

    /// The steps of a mode, one for each op.
    pub fn steps(&self, program: &Program, mode: FloatMode) -> &[Step] {
        let table = Table::of(mode);
        self.tables[table as usize].get_or_init(|| {
            let choice = self.choice(program, table);
            let ops = program.ops.iter().zip(0..);
            ops.map(|(op, at)| choice.step(op, at)).collect()
        })
    }

    /// As [`Decoded::steps`], where a step does what the next op does too if it can: `Step::ops` tells.
    /// The steps of ops that are done so are there as well.
    pub fn joined(&self, program: &Program, mode: FloatMode) -> &[Step] {
        let table = Table::of(mode);
        self.joined[table as usize].get_or_init(|| {
            let choice = self.choice(program, table);
            let mut steps = self.steps(program, mode).to_vec();
            let idle = idle::idle(program, &entered(program));
            for (step, _) in steps.iter_mut().zip(idle).filter(|(_, idle)| *idle) {
                step.run = choose::nothing_to_do;
            }
            for (i, pair) in program.ops.windows(2).enumerate() {
                if self.runs[i] < 2 {
                    continue;
                }
                let Some(op) = join::join(&pair[0], &pair[1]) else {
                    continue;
                };
                let step = choice.step(&op, i as u32);
                if step.fast && steps[i].fast {
                    steps[i] = Step { ops: 2, ..step };
                }
            }
            steps
        })
    }

    /// The number of a cut; of another one, if there are too many: rather one that leaves out the same messages.
    pub(crate) fn number_of_cut(&self, cut: Cut) -> usize {
        let mut cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = cuts.iter().position(|other| *other == cut);
        if cuts.len() == MOST_CUTS {
            let same = || cuts.iter().position(|other| other.left_out == cut.left_out);
            known = known.or_else(same);
        }
        let number = known.unwrap_or(cuts.len().min(MOST_CUTS - 1));
        if number == cuts.len() {
            cuts.push(cut);
        }
        self.last_cut.store(number, Relaxed);
        number
    }

    /// The cut of a number.
    pub(crate) fn cut(&self, number: usize) -> Cut {
        let cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        cuts.get(number).cloned().unwrap_or_default()
    }

    /// Where it is counted how often threads leave native code for a NaN.
    pub(crate) fn left_for_nan(&self) -> &AtomicU32 {
        &self.left_for_nan
    }

    /// Whether they have done so often that there should be code which makes them.
    pub(crate) fn has_many_nan(&self) -> bool {
        self.left_for_nan.load(Relaxed) >= MANY_NAN
    }

    /// The cut that was chosen last, which is likely to be right again.
    pub(crate) fn last_cut(&self) -> usize {
        self.last_cut.load(Relaxed)
    }

    /// Native code of a mode, once it pays.
    ///
    /// * `seen`: what it sees to.
    /// * `cut`: by its number.
    /// * `thread`: the bytes of a thread that runs it, as those of others are likely to be as well.
    /// * `message`: what a message does, if it can be code.
    pub fn native(
        &self,
        (program, thread): (&Program, &[u8]),
        mode: FloatMode,
        (native, seen, cut): (NativeCode, Seen, usize),
        message: impl Fn(&Op) -> Option<Message>,
    ) -> Option<&Native> {
        let rounds = Rounds::of(mode)?;
        if self.worked.load(Relaxed) < native.after(program.ops.len()) {
            return None;
        }
        let made = &self.native[seen.number()][rounds as usize];
        let code = made.get(cut)?.get_or_init(|| {
            let joined = self.joined(program, mode);
            // Two ops that are one step are not parted.
            let splits = |pc: u32| match pc.checked_sub(1) {
                Some(before) => joined[before as usize].ops == 1,
                None => true,
            };
            let Cut {
                left_out,
                entered: behind,
                makes_nan,
            } = self.cut(cut);
            let mut entered = entered(program);
            behind.iter().for_each(|&pc| entered[pc as usize] = true);
            let message = |pc: u32, op: &Op| match left_out.binary_search(&pc) {
                Ok(_) => None,
                Err(_) => message(op),
            };
            let (seen, makes) = (
                (seen, rounds as usize * MOST_CUTS + cut),
                (rounds, makes_nan),
            );
            Native::new((program, thread), &entered, makes, seen, splits, message)
        });
        code.as_ref()
    }

    /// What native code of this number has counted in a tally, and what its messages move.
    ///
    /// * `texels`: what is known of sampler messages and typed writes, by op.
    pub(crate) fn counted<'c>(
        &'c self,
        number: usize,
        texels: &'c [TexelSite],
    ) -> Option<(&'c [Counter], impl Fn(u32) -> Traffic + 'c)> {
        let made = &self.native[Seen::Counted.number()].get(number / MOST_CUTS)?;
        let native = made[number % MOST_CUTS].get()?.as_ref();
        native.map(|native| native.counted(texels))
    }

    /// So many ops ran as steps before threads parted, or came to where others have to join them, each on so many threads.
    /// What a step takes whatever threads it is for is counted as if it were threads, and to line up as if it were ops.
    pub fn has_worked(&self, ops: u64, threads: usize) {
        const OPS_OF_LINING_UP: u64 = 8;
        const THREADS_OF_A_STEP: u64 = 4;
        let work = (ops + OPS_OF_LINING_UP) * (threads as u64 + THREADS_OF_A_STEP);
        self.worked.fetch_add(work, Relaxed);
    }

    fn choice<'p>(&self, program: &'p Program, table: Table) -> choose::Choice<'p> {
        choose::Choice {
            program,
            wide: self.wide,
            plain: table != Table::Other,
            flush: table == Table::Flushed,
        }
    }
}

/// The ops that a jump or a call may lead to, and whether the end is one.
fn entered(program: &Program) -> Vec<bool> {
    let mut entered = vec![false; program.ops.len() + 1];
    let mut enter = |target: u32| {
        if let Some(entered) = entered.get_mut(target as usize) {
            *entered = true;
        }
    };
    for op in &program.ops {
        match op {
            Op::Goto { target, .. } | Op::Jump { target, .. } | Op::Call { target, .. } => {
                enter(*target);
            }
            Op::Switch { targets, .. } => targets.iter().for_each(|&t| enter(t)),
            _ => {}
        }
    }
    program.functions.iter().for_each(|f| enter(f.entry));
    entered
}

/// Whether an op neither branches nor waits nor can fail.
pub(crate) fn computes(op: &Op) -> bool {
    matches!(
        op,
        Op::Alu(_)
            | Op::Compare { .. }
            | Op::SetPredicate { .. }
            | Op::PredicateLogic { .. }
            | Op::Nothing
            | Op::Lifetime(_)
    )
}
