//! Tracing, counting, teaching and checking watch a run through this trait; the executor asks nothing.

use super::named::Meeting;
use super::thread::ThreadId;
use crate::math::unit::Control;
use crate::message::Request;
use crate::program::{Op, Program, Registers, Site};
use crate::sampler::sample::Taken;
use std::ops::Range;

/// The registers of a raw message.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// What is asked.
    pub request: &'a Request,
    /// Where its parts lie.
    pub registers: &'a Registers,
    /// Registers of the first payload that are sent.
    pub length: u32,
    /// Lanes of the message.
    pub count: u32,
    /// Those that run.
    pub mask: u32,
}

/// Watches one thread. One value is made for each thread and handed back when it has ended; one more says what is
/// [wanted](Observer::wants) of the run.
///
/// [`Silent`] costs nothing: its `ACTIVE` is false and every call disappears. What others do not want costs nothing
/// either. The calls of one
/// instruction, in order: [`before`](Observer::before), then what its message did
/// ([`payload`](Observer::payload), [`message`](Observer::message), [`access`](Observer::access),
/// [`undefined`](Observer::undefined)) or which body it entered or left, then
/// [`wrote`](Observer::wrote) for its results, then [`after`](Observer::after).
pub trait Observer: std::marker::Send {
    /// Whether calls are made at all.
    const ACTIVE: bool = true;

    /// Whether the run hands it back. One that has told all when its thread ends, of which there may be millions, says no.
    const KEPT: bool = true;

    /// What it is told; the same for every thread of a run. Where no steps are wanted, threads may run side by side: a
    /// gang ends before the first of it is told to have ended.
    fn wants(&self) -> Wants {
        Wants::All
    }

    /// Asked once after a run that was told no more than [`Wants::Doubts`], and of which nothing has come out yet: whether
    /// something may have to be reported. Then all is undone and run again, and more is wanted from then on.
    ///
    /// * `cut_short`: a trap ended it.
    fn doubts(&mut self, _cut_short: bool) -> bool {
        true
    }

    /// Whether so many bytes of the shared local memory of its group have all been written, so that it need not be told
    /// of accesses there that it would not be told of in other memory that threads share.
    fn knows_shared(&mut self, _bytes: u64) -> bool {
        false
    }

    /// What threads did. Comes if [`Wants::Counts`] are wanted, once from each worker, to an observer that is made for
    /// it; what messages did that `counts` do not have was reported to the observer of their thread.
    ///
    /// * `counts`: by op.
    fn counted(&mut self, _program: &Program, _counts: &[OpCount]) {}

    /// The thread is about to begin.
    fn started(&mut self, _start: &Start<'_>) {}

    /// How many of `ops`, which follow each other, compute and go on to the next one, may run without a call for each: the
    /// observer knows what they do.
    ///
    /// * `mask`: lanes that run.
    fn lets_run(&mut self, _ops: Range<u32>, _mask: u32, _arena: &[u8]) -> u32 {
        0
    }

    /// An instruction is about to run.
    ///
    /// * `arena`: the thread's bytes, [`crate::program::Program::symbols`] tells what lies where.
    fn before(&mut self, _at: At, _op: &Op, _on: Running, _arena: &[u8]) {}

    /// Whether to end the run in front of the instruction that was told last; asked after each
    /// [`before`](Observer::before), in which an observer may also take its time.
    fn halts(&mut self) -> bool {
        false
    }

    /// The same instruction has run, and neither trapped nor ended the thread nor made it wait.
    fn after(&mut self, _at: At, _op: &Op, _on: Running, _arena: &[u8]) {}

    /// An instruction or message wrote bytes at an arena offset; adjacent lanes come as one run.
    fn wrote(&mut self, _at: At, _offset: u32, _bytes: &[u8]) {}

    /// What a raw message asks; its payload is about to be read. Messages of other instructions are reported by their
    /// op.
    fn payload(&mut self, _at: At, _payload: &Payload<'_>, _arena: &[u8]) {}

    /// A message is about to be served.
    fn message(&mut self, _at: At, _request: &Request) {}

    /// The math unit is about to compute that many elements for a message.
    fn math(&mut self, _at: At, _control: &Control, _elements: u32, _alt: bool) {}

    /// A texel took part in what the 3D sampler returns to a lane.
    fn texel(&mut self, _at: At, _lane: usize, _taken: &Taken) {}

    /// A sampler is asked for a texel outside its surface; what is taken instead is defined.
    fn edge(&mut self, _at: At, _edge: &Edge) {}

    /// A message is about to read or write memory: once for each lane and element, once for each
    /// piece of a block.
    fn access(&mut self, _at: At, _access: &Access<'_>) {}

    /// A message wrote these bytes, but nothing is promised of their content. Comes after the bytes
    /// were reported as written.
    fn undefined(&mut self, _at: At, _range: &Range<u32>) {}

    /// The body of [`crate::program::Program::functions`] number `function` was entered, its variables
    /// being those of a new activation; comes again, with `left`, when the caller has its own back.
    fn function(&mut self, _at: At, _function: u32, _left: bool) {}

    /// The thread has come to a named barrier, or goes on after it.
    fn named_barrier(&mut self, _at: At, _meeting: Meeting, _step: MeetingStep) {}

    /// The thread has ended, or trapped and will not go on.
    fn ended(&mut self, _thread: ThreadId, _trapped: bool) {}
}

/// Hands a macro the calls of an [`Observer`] that tell it something, for whoever passes all of them on.
macro_rules! each_call {
    ($to:ident) => {
        $to! {
            counted(program: &Program, counts: &[OpCount]);
            started(start: &Start<'_>);
            before(at: At, op: &Op, on: Running, arena: &[u8]);
            after(at: At, op: &Op, on: Running, arena: &[u8]);
            wrote(at: At, offset: u32, bytes: &[u8]);
            payload(at: At, payload: &Payload<'_>, arena: &[u8]);
            message(at: At, request: &Request);
            math(at: At, control: &Control, elements: u32, alt: bool);
            texel(at: At, lane: usize, taken: &Taken);
            edge(at: At, edge: &Edge);
            access(at: At, access: &Access<'_>);
            undefined(at: At, range: &Range<u32>);
            function(at: At, function: u32, left: bool);
            named_barrier(at: At, meeting: Meeting, step: MeetingStep);
            ended(thread: ThreadId, trapped: bool);
        }
    };
}
pub(crate) use each_call;

/// What an observer is told, each more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wants {
    /// Which threads end.
    Nothing,
    /// How often each op ran and how much was moved, added up, by [`Observer::counted`], and where the executor does
    /// not count, by [`Observer::access`], [`Observer::wrote`] and [`Observer::math`].
    Counts,
    /// What leaves it in doubt whether a run does what is to be reported: which bytes threads begin with; before they run,
    /// barriers, and those messages of which the executor does not see that each lane reads and writes aligned bytes inside
    /// memory that threads share, and writes bytes of its own; and of these messages the accesses of lanes.
    Doubts,
    /// Every step. Of messages to the 3D sampler what they return, not what is asked or fetched; no accesses of lanes
    /// that lie inside memory that threads share, aligned, and do not meet.
    Steps,
    /// Everything.
    All,
}

/// What an op did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpCount {
    /// How often it ran.
    pub executed: u64,
    /// Lanes that were on, added up; 0 for one without lanes.
    pub lanes: u64,
    /// Bytes of memory that it read, wrote or updated.
    pub moved: u64,
    /// Bytes that it returned to registers as a message.
    pub returned: u64,
}

impl OpCount {
    /// Adds another one.
    pub fn add(&mut self, other: &OpCount) {
        self.executed += other.executed;
        self.lanes += other.lanes;
        self.moved += other.moved;
        self.returned += other.returned;
    }
}

/// What a thread begins with.
pub struct Start<'a> {
    /// The thread.
    pub thread: ThreadId,
    /// What it will run.
    pub program: &'a Program,
    /// The lanes that the dispatch gave it, bit 0 = lane 0.
    pub lanes: u32,
    /// How many threads its group has.
    pub group_threads: u32,
    /// Bytes of shared local memory that belong to something; more may be there.
    pub slm_used: u32,
    /// What is told.
    pub told: Wants,
    /// Arena bytes that the launch has given: inputs and start values. Built-ins count as given.
    pub given: &'a [Range<u32>],
}

/// The lanes of an instruction, bit 0 = lane 0 of the instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// Those that run.
    pub mask: u32,
    /// Those that would run if there were no predicate.
    pub enabled: u32,
}

/// Where in the run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The thread.
    pub thread: ThreadId,
    /// Index of the op.
    pub pc: u32,
    /// Its place in the text.
    pub site: Site,
    /// Number of the instruction in the thread's run, from 1.
    pub step: u64,
}

/// What a thread does at a named barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeetingStep {
    /// It has come, and others are missing.
    Came,
    /// It has come as the last one.
    Completed,
    /// It has waited.
    Passed,
}

/// One access to memory.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The memory as the message names it.
    pub space: SpaceName,
    /// Read, write or both in one step.
    pub kind: AccessKind,
    /// The lane that asked; `None` for a block.
    pub lane: Option<u8>,
    /// What was asked.
    pub spot: Spot,
    /// Bytes asked for.
    pub bytes: u32,
    /// How many of them exist, counted from the first.
    pub inside: u32,
    /// The address that the program gave and the multiple that the message requires, if it is not one.
    pub misaligned: Option<(u64, u32)>,
    /// Which memory: equal for all ways to the same bytes, different for different ones; otherwise
    /// without meaning.
    pub memory: usize,
    /// The first byte in it; without meaning where nothing is inside.
    pub start: u64,
    /// What is written, if plainly so.
    pub data: &'a [u8],
    /// Of a read past the end of a memory at 64-bit addresses, which reads as zero: which memory, and how far.
    pub past_end: Option<&'a str>,
}

/// A texel outside a surface that a sampler is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Binding table index of the surface.
    pub surface: u32,
    /// The lane that asked; `None` for a block.
    pub lane: Option<u8>,
    /// Column, row, slice and level, texel offsets added.
    pub asked: [i64; 4],
    /// What is taken.
    pub instead: Instead,
}

/// What a sampler takes where a surface has no texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// The texel in this column and row.
    Texel(u32, u32),
    /// The border colour.
    Border,
    /// Zeros.
    Zeros,
}

/// The memory a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpaceName {
    /// A surface, by binding table index.
    Surface(u32),
    /// Shared local memory.
    Shared,
    /// The thread's scratch memory.
    Scratch,
    /// 64-bit addresses.
    Flat,
    /// 64-bit addresses after which each thread has memory of its own.
    Private,
}

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    /// Read.
    Read,
    /// Written.
    Write,
    /// Read and written in one step.
    Atomic,
}

/// What an access names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A byte of a surface or memory, or a 64-bit address.
    Byte(u64),
    /// The texel u, v, r of level lod.
    Texel([u32; 4]),
    /// A piece of a media block: byte column and row.
    Block(i64, i64),
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    const ACTIVE: bool = false;
}
