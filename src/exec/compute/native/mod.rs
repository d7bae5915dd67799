//! Native code behind threads in step: loops and straight runs of ops that compute, as instructions of the host.
//!
//! ```text
//!  ops      mul │ gather4_scaled │ cmp │ goto │ sample │ add │ sin │ mul …
//!  regions  ├────────────── a ────────────────┤        ├ b ─┤     ├ c …      `flow`: entered where a branch leads
//!  code     for each thread: load what is pinned; run; store it   `emit`, `assembler`
//! ```
//!
//! What is not code is done by the [steps](super::decoded), op by op, and so is what code cannot know: where the result of a
//! lane that runs is NaN, the region is left in front of that op with everything else in place, for payloads are the
//! reference's; once that has happened often, the program gets code that makes NaN (`nan`). Results stay in registers
//! (`held`) until the arena has to have them: wherever a region is left it has. So the bytes of an arena and the count of
//! instructions are the same with native code and without, but of a thread that has ended and at which nobody looks; a law
//! and all corpora assert it. Of what lanes read in the run of ops alone in which they have written it, nothing is kept for lanes
//! that are off (`local`).
//!
//! Messages that move bytes, words, dwords and qwords between registers and buffers, local or scratch memory or 64-bit addresses
//! are code as well, and atomics on dwords (`transfer`, `memory`, `wide`): offsets are compared with the size of the window
//! that the thread has found for it, and what is outside of it is left to the steps in front of the message. Of lanes that
//! follow each other one offset is compared; whether they do is asked once (`order`), by the step that is likely (`steps`), or
//! known: what comes of numbers of threads that are evenly apart (`affine`) is computed for lane 0 alone (`lane_zero`);
//! two messages of both halves of SIMD32 are one (`joins`). Those that are evenly apart are moved by whole registers
//! (`quads`, `vectors`, `spaced`). Code, too, are samples of the nearest texel and loads
//! (`sampler`), samples that weigh four texels (`filter`), typed writes (`texels`) and media blocks (`rectangle`), once
//! the steps have served the message and know what it reaches. A message of which they then know that no code does it,
//! with what is bound, is cut out: the program gets code of another cut. Blocks of the media scaler
//! are made by a routine that the steps call (`scaler`). Threads that all stand at the barrier of their group behind a
//! region go on in the next one, and so do those that have gone there together. A routine begins and runs group after group
//! (`groups`), and calls back for what is no code.
//!
//! Singles round to nearest even, or in another direction, which the host is told, and told again where a program turns it
//! straight on (`turns`); denormals are flushed by instructions of their own where the float mode says so; `mad` is the
//! fused instruction, everything else is never fused. `exp`, `log` and `pow` are what `math` does in doubles, step by step;
//! `rsqrt` is found by iteration, and left to the steps where its rounding hangs on the last bits of a double. Halves are
//! computed as singles and round once all the same (`halves`). Other float modes, halves, functions, samples and sums in
//! memory in other directions, sines of 2^30 and more, functions of denormal halves, other sampler messages, and qwords
//! through addresses or a list of offsets have no code.
//!
//! An own assembler for some hundred instructions, because what it replaces is dear to build (processor seconds,
//! release): Cranelift 156, with 128-bit vectors; iced-x86 12; dynasm 10; this one less than 2 with `memmap2`. AVX-512, because
//! its mask registers are what execution masks are, and 32 registers of 16 lanes hold a loop of a SIMD16 kernel. For hosts that
//! have AVX2 alone the assembler makes the same of instructions of 256 bits, and keeps registers and masks in memory where
//! those of the host are too few (`narrow`). On other hosts the steps do everything.
//!
//! All that is unsafe is in `call`. Start with [`Native::new`] and [`Native::run`].

#[cfg(target_arch = "x86_64")]
mod affine;
#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod call;
#[cfg(target_arch = "x86_64")]
mod doubles;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod filter;
#[cfg(target_arch = "x86_64")]
mod flow;
#[cfg(target_arch = "x86_64")]
mod functions;
#[cfg(target_arch = "x86_64")]
mod groups;
#[cfg(target_arch = "x86_64")]
mod halves;
#[cfg(target_arch = "x86_64")]
mod held;
#[cfg(target_arch = "x86_64")]
mod host;
#[cfg(target_arch = "x86_64")]
mod in_order;
#[cfg(target_arch = "x86_64")]
mod integers;
#[cfg(target_arch = "x86_64")]
mod joins;
#[cfg(target_arch = "x86_64")]
mod lane_zero;
#[cfg(target_arch = "x86_64")]
mod last_read;
#[cfg(target_arch = "x86_64")]
mod local;
#[cfg(target_arch = "x86_64")]
mod masks;
#[cfg(target_arch = "x86_64")]
mod memory;
#[cfg(target_arch = "x86_64")]
mod nan;
#[cfg(target_arch = "x86_64")]
mod narrow;
#[cfg(target_arch = "x86_64")]
mod order;
#[cfg(target_arch = "x86_64")]
mod parts;
#[cfg(target_arch = "x86_64")]
mod quads;
#[cfg(target_arch = "x86_64")]
mod qwords;
#[cfg(target_arch = "x86_64")]
mod rectangle;
#[cfg(target_arch = "x86_64")]
mod region;
#[cfg(target_arch = "x86_64")]
mod sampler;
#[cfg(target_arch = "x86_64")]
mod scaler;
#[cfg(target_arch = "x86_64")]
mod select;
#[cfg(target_arch = "x86_64")]
mod spaced;
#[cfg(target_arch = "x86_64")]
mod steps;
#[cfg(target_arch = "x86_64")]
mod strides;
#[cfg(target_arch = "x86_64")]
mod texels;
#[cfg(target_arch = "x86_64")]
mod through;
#[cfg(target_arch = "x86_64")]
mod together;
pub mod transfer;
#[cfg(target_arch = "x86_64")]
mod turns;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[cfg(target_arch = "x86_64")]
mod wide;

use crate::exec::state::float_mode::{FloatMode, Rounding};
use crate::exec::state::tally::Tally;
use crate::exec::state::texel_sites::TexelSite;
use crate::exec::state::windows::Windows;
use crate::sampler::avs::MakesBlocks;
use crate::surface::Memory;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Whether native code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativeCode {
    /// Where it pays: once a program has run for a while, on hosts that have the instructions.
    #[default]
    Auto,
    /// Never: steps do everything.
    Never,
    /// From the first op on, where the host has the instructions.
    Always,
}

impl NativeCode {
    /// Whether this host has the instructions that native code is made of.
    pub fn is_possible() -> bool {
        #[cfg(target_arch = "x86_64")]
        return call::Host::detect().is_some();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Who makes blocks of the scaler in place of steps, if anybody does.
    pub fn makes_blocks(self) -> Option<&'static dyn MakesBlocks> {
        if self == NativeCode::Never {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        return scaler::makes_blocks();
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The work that steps have done before code is made of a program, as `Decoded::has_worked` counts it; one that ends
    /// before has done without it. Builds for tests make it at once, so that all tests run it.
    ///
    /// * `ops`: how many the program has. To make code of an op takes as long as some hundred runs of it as a step, of
    ///   which nobody knows whether they will come: those that came say so.
    pub(crate) fn after(self, ops: usize) -> u64 {
        const RUNS: u64 = 384;
        const LEAST: u64 = 1 << 14;
        match self {
            NativeCode::Auto if cfg!(debug_assertions) => 0,
            NativeCode::Auto => (RUNS * ops as u64).max(LEAST),
            NativeCode::Never => u64::MAX,
            NativeCode::Always => 0,
        }
    }
}

/// What native code sees to beside what the ops do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing.
    Nothing,
    /// The bytes of threads, which somebody looks at when they have ended.
    Bytes,
    /// How often ops run.
    Counted,
    /// That messages do nothing that is to be reported: those that may are left to the steps, and so are those to shared
    /// local memory, unless all of it has been written.
    Doubts { shared: bool },
}

impl Seen {
    /// How many there are.
    pub const COUNT: usize = 5;

    /// What there is to see to where nobody looks for doubts.
    ///
    /// * `kept`: somebody looks at the bytes of threads in the end.
    pub const fn by(tally: Option<&Tally>, kept: bool) -> Seen {
        match (tally, kept) {
            (Some(_), _) => Seen::Counted,
            (None, true) => Seen::Bytes,
            (None, false) => Seen::Nothing,
        }
    }

    /// A number for each.
    pub const fn number(self) -> usize {
        match self {
            Seen::Nothing => 0,
            Seen::Bytes => 1,
            Seen::Counted => 2,
            Seen::Doubts { shared: false } => 3,
            Seen::Doubts { shared: true } => 4,
        }
    }
}

/// What becomes of results that are no singles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// The nearest, denormals among them.
    Kept = 0,
    /// The nearest; a zero in place of a denormal.
    Flushed = 1,
    /// The next one upward, denormals among them.
    Up = 2,
    /// The next one downward, the same.
    Down = 3,
    /// The next one toward zero, the same.
    ToZero = 4,
}

impl Rounds {
    /// How many there are.
    pub const COUNT: usize = 5;

    /// Those of a float mode, if there is code for it.
    pub const fn of(mode: FloatMode) -> Option<Rounds> {
        match (mode.rounding, mode.keep_single, mode.alt) {
            (Rounding::Nearest, true, false) => Some(Rounds::Kept),
            (Rounding::Nearest, false, false) => Some(Rounds::Flushed),
            (Rounding::Up, true, false) => Some(Rounds::Up),
            (Rounding::Down, true, false) => Some(Rounds::Down),
            (Rounding::Zero, true, false) => Some(Rounds::ToZero),
            _ => None,
        }
    }

    /// The direction.
    pub const fn rounding(self) -> Rounding {
        match self {
            Rounds::Kept | Rounds::Flushed => Rounding::Nearest,
            Rounds::Up => Rounding::Up,
            Rounds::Down => Rounding::Down,
            Rounds::ToZero => Rounding::Zero,
        }
    }
}

/// The memory that messages of threads reach.
#[derive(Clone, Copy)]
pub struct Memories<'a> {
    /// Surfaces and addresses.
    pub windows: &'a Windows,
    /// Sampler messages, by op.
    pub texels: &'a [TexelSite],
    /// Shared local memory of threads that have no other.
    pub slm: &'a Memory,
    /// Scratch memory that a thread may have.
    pub scratch_bytes: usize,
    /// Where code counts ops, if it does.
    pub tally: Option<&'a Tally>,
    /// How often threads have left code for a NaN.
    pub left_for_nan: &'a AtomicU32,
    /// The same in front of messages.
    pub left_at: &'a LeftAt,
}

/// How often threads of a run have left native code in front of a message behind which it goes on, but is not entered.
#[derive(Debug)]
pub struct LeftAt {
    /// By op.
    times: Vec<AtomicU32>,
    /// So often in front of one that it is worth other code.
    many: AtomicBool,
}

impl LeftAt {
    /// So often it is. Builds for tests make other code soon.
    const MANY: u32 = if cfg!(debug_assertions) { 2 } else { 32 };

    /// Not yet, in a program of so many ops.
    pub fn new(ops: usize) -> LeftAt {
        LeftAt {
            times: (0..ops).map(|_| AtomicU32::new(0)).collect(),
            many: AtomicBool::new(false),
        }
    }

    /// Threads have left together.
    fn note(&self, pc: u32) {
        let Some(times) = self.times.get(pc as usize) else {
            return;
        };
        if times.fetch_add(1, Relaxed) + 1 >= Self::MANY {
            self.many.store(true, Relaxed);
        }
    }

    /// Whether there should be other code.
    #[inline]
    pub fn are_many(&self) -> bool {
        self.many.load(Relaxed)
    }

    /// The messages behind which it should be entered, if there should be other code; it begins anew.
    pub fn take(&self) -> Vec<u32> {
        if !self.many.swap(false, Relaxed) {
            return Vec::new();
        }
        // Those that are not as often yet will be.
        let often = |times: &AtomicU32| times.swap(0, Relaxed) > Self::MANY / 4;
        let left = (0..).zip(&self.times).filter(|(_, times)| often(times));
        left.map(|(pc, _)| pc).collect()
    }
}

/// How a thread begins in its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Begins {
    /// The op and the mode.
    pub at: (u32, FloatMode),
    /// Its lanes.
    pub mask: u32,
    /// The instructions run so far.
    pub executed: u64,
}

/// Where threads are that ran code.
#[derive(Clone, Copy, Debug)]
pub struct Stands {
    /// The op that the first one is at.
    pub pc: u32,
    /// They are all there.
    pub together: bool,
    /// The smallest place where lanes of one of them wait.
    pub join: u32,
    /// The most instructions that one has run.
    pub most: u64,
    /// They have all ended.
    pub ended: bool,
}

#[cfg(target_arch = "x86_64")]
pub use call::{Beginning, Header};
#[cfg(target_arch = "x86_64")]
pub use host::{Native, Standing, Whole};

#[cfg(not(target_arch = "x86_64"))]
pub use other::{Beginning, Header, Native, Standing, Whole};

#[cfg(not(target_arch = "x86_64"))]
mod other {
    use super::transfer::Message;
    use super::{Begins, FloatMode, Memories, Memory, Rounds, Seen, Stands, TexelSite};
    use crate::exec::state::arena::Row;
    use crate::exec::state::tally::{Counter, Traffic};
    use crate::exec::state::thread::Thread;
    use crate::program::{Op, Program};
    use std::convert::Infallible;
    use std::marker::PhantomData;
    use std::ops::Range;

    /// Code that takes threads to their ends; this host has none.
    pub struct Whole<'n>(Infallible, PhantomData<&'n ()>);

    impl<'n> Whole<'n> {
        /// None.
        pub fn new(
            native: &'n Native,
            _: Memories<'n>,
            _: (u32, FloatMode),
            _: [u64; 2],
        ) -> Option<Whole<'n>> {
            match native.0 {}
        }

        /// None stands.
        pub fn stand<'t>(
            &'t self,
            _: &'t mut [Thread<'_>],
            _: Option<&'t Memory>,
            _: impl IntoIterator<Item = Begins>,
            _: &'t [Beginning<'t>],
        ) -> Option<Standing<'n, 't>> {
            match self.0 {}
        }

        /// Nothing was left.
        pub fn leave(&self, _: &mut Thread<'_>, _: LeftCode<'_>) {
            match self.0 {}
        }
    }

    /// Where code has left a thread; this host has none.
    #[derive(Clone, Copy)]
    pub struct LeftCode<'n>(Infallible, PhantomData<&'n ()>);

    impl LeftCode<'_> {
        /// Nothing has.
        pub const fn has_ended(&self) -> bool {
            match self.0 {}
        }
    }

    /// Threads that begin in code; this host has none.
    pub struct Standing<'n, 't>(Infallible, PhantomData<(&'n (), &'t ())>);

    /// Dwords of a header that the launch may fill in.
    pub type Header = [u32; 8];

    /// What a thread begins with.
    pub struct Beginning<'t>(PhantomData<&'t ()>);

    impl<'t> Beginning<'t> {
        /// Nobody looks at it.
        pub fn new(
            _: (u32, u64),
            _: (&'t [Row], &'t [u8]),
            _: Header,
            _: impl Fn(usize) -> bool,
        ) -> Beginning<'t> {
            Beginning(PhantomData)
        }
    }

    /// What was run of groups.
    pub struct RanGroups {
        /// How many have come to their ends.
        pub groups: u64,
        /// Their instructions.
        pub executed: u64,
        /// One more has begun.
        pub unfinished: bool,
    }

    impl<'n> Standing<'n, '_> {
        /// None begins.
        pub fn begin(&mut self, _: usize, _: &Header, _: Option<&[u8]>) -> &mut [u8] {
            match self.0 {}
        }

        /// None runs.
        pub fn run_groups(
            &mut self,
            _: (Header, bool),
            _: [u64; 2],
            _: impl FnMut(&mut [u8], u32) -> bool,
        ) -> Option<RanGroups> {
            match self.0 {}
        }

        /// Nothing runs.
        pub fn run(
            &mut self,
            _: Range<usize>,
            _: impl FnMut(&mut [u8], u32) -> bool,
        ) -> Option<u64> {
            match self.0 {}
        }

        /// Nothing runs.
        pub fn run_once(&mut self, _: usize) -> Option<u64> {
            match self.0 {}
        }

        /// There is no memory.
        pub fn clear_shared(&mut self) -> bool {
            match self.0 {}
        }

        /// Nothing was left.
        pub fn left(&self, _: usize) -> LeftCode<'n> {
            match self.0 {}
        }

        /// No thread has bytes.
        pub fn bytes(&mut self, _: usize) -> &mut [u8] {
            match self.0 {}
        }
    }

    /// Code of a program; this host has none.
    pub struct Native(Infallible);

    impl Native {
        /// None.
        pub fn new(
            _: (&Program, &[u8]),
            _: &[bool],
            _: (Rounds, bool),
            _: (Seen, usize),
            _: impl Fn(u32) -> bool,
            _: impl Fn(u32, &Op) -> Option<Message>,
        ) -> Option<Native> {
            None
        }

        /// Nothing is counted.
        pub fn counted(&self, _: &[TexelSite]) -> (&[Counter], impl Fn(u32) -> Traffic) {
            (&[], |_| match self.0 {})
        }

        /// No op is code.
        pub fn is_whole(&self) -> bool {
            match self.0 {}
        }

        /// No op is code.
        pub fn covers(&self, _: u32) -> bool {
            match self.0 {}
        }

        /// Nothing is entered.
        pub fn until(&self, _: u32) -> u32 {
            match self.0 {}
        }

        /// Nothing runs.
        pub fn run(
            &self,
            _: &mut [Thread<'_>],
            _: Memories<'_>,
            _: u32,
            _: [u64; 2],
            _: bool,
        ) -> Option<Stands> {
            match self.0 {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_entered_behind_once_one_of_them_is_left_often() {
        let left = LeftAt::new(4);
        (1..LeftAt::MANY).for_each(|_| left.note(2));
        left.note(7);
        assert!(!left.are_many());
        assert!(left.take().is_empty());
        left.note(2);
        assert!(left.are_many());
        assert_eq!(left.take(), vec![2]);
        // It begins anew.
        assert!(!left.are_many());
        assert!(left.take().is_empty());
    }
}
