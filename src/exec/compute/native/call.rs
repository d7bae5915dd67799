//! The way into native code and back. All that is unsafe is here.

use super::assembler::Assembler;
use crate::exec::state::arena::{Arena, ROW, Row};
use crate::exec::state::texel_sites::TexelSite;
use crate::exec::state::windows::{HostWindow, Windows};
use crate::sampler::avs::{COLUMNS, FOOTPRINT, Lines, PickedBlock, Picks, SOURCES, TEXELS};
use crate::surface::Memory;
use memmap2::{Mmap, MmapMut};
use std::any::Any;
use std::cell::Cell;
use std::env;
use std::ffi::c_void;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

/// Places of a region at which lanes may wait, at most.
pub const MOST_PLACES: usize = 16;

/// Questions about the order of lanes that are kept between two places, at most.
pub const MOST_ANSWERS: usize = 8;

/// Messages of a program of which it is kept where they were last, at most.
pub const MOST_LAST: usize = 8;

/// Nobody looks at the arena when the thread has ended.
pub const UNSEEN: u32 = 0;

/// Somebody does.
pub const LOOKED_AT: u32 = 1;

/// Nobody does, and the thread is one of groups that begin one after the other: where it comes to its end it says so in
/// `pc`, beside what it has run, and leaves the rest as it was when it began.
pub const IN_GROUP: u32 = 2;

/// The bit of `pc` that says it, beside the op.
pub const AT_END: u32 = 1 << 31;

/// Windows of surfaces that a thread keeps, at most.
pub const MOST_SURFACES: usize = 8;

/// Windows of messages with 64-bit addresses that it keeps, at most.
pub const MOST_FLAT: usize = 16;

/// The environment's name for the bits of vectors: 256 has code made without AVX-512 where the host has it.
const BITS: &str = "VISIM_VECTOR_BITS";

/// What it has kept before it has found any.
static OF_NONE: HostWindow = HostWindow::OF_NONE;

/// What native code knows of a thread; it changes what it says.
#[repr(C)]
pub struct Context<'t> {
    arena: *mut u8,
    /// Instructions run.
    pub executed: u64,
    /// How many there may be before the code comes back from a loop.
    pub budget: u64,
    /// The execution mask.
    pub em: u32,
    /// A bit for each place where lanes wait.
    pub waiting: u32,
    /// The op that comes next.
    pub pc: u32,
    /// Bytes of the arena.
    bytes: u32,
    /// [`UNSEEN`], [`LOOKED_AT`] or [`IN_GROUP`].
    pub kept: u32,
    /// Not 0 if it has left code for a NaN.
    pub for_nan: u32,
    /// The float mode that it enters code with, as `%cr0` has it.
    pub control: u32,
    /// The lanes that wait at each place.
    pub places: [u32; MOST_PLACES],
    /// Which answers are no, where code has asked.
    answers: [u32; MOST_ANSWERS],
    /// Where messages of lanes that follow each other were last, in their windows.
    last: [u64; MOST_LAST],
    /// Instructions that it has run, if `pc` says [`AT_END`].
    ran: u64,
    /// Of the last one of threads that run together: how many have come to their ends that way, and what all these have run.
    at_end: u64,
    all_ran: u64,
    /// Windows that messages have found: of surfaces, which have to have the name that is asked for, and of 64-bit addresses,
    /// or null.
    surfaces: [*const HostWindow; MOST_SURFACES],
    flat: [*const HostWindow; MOST_FLAT],
    /// What messages reach, and what of it code looks at.
    reach: *const Reach<'t>,
    windows: *const HostWindow,
    count: u64,
    hints: *const AtomicU32,
    texels: *const TexelSite,
    /// Shared local memory of the thread's group, and its scratch memory.
    shared: HostWindow,
    scratch: HostWindow,
    /// What it begins with, if it is to begin again; and whether others leave all of that but dword 1 of its header, which is its
    /// group's.
    beginning: *const Beginning<'t>,
    finds_all: bool,
    /// Where the code counts, if it does, and how many numbers there are.
    counts: *const Cell<u64>,
    counted: u64,
    /// The arena is its own as long as it is here, and what else it points to stays.
    owner: PhantomData<(
        &'t mut Arena,
        &'t Memory,
        &'t [Cell<u64>],
        &'t Beginning<'t>,
    )>,
}

/// Dwords of a header that the launch may fill in.
pub type Header = [u32; 8];

/// Bytes of them.
const HEADER: usize = size_of::<Header>();

/// What a thread begins with, each time, in the bytes of one of its number that has ended.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Beginning<'t> {
    /// Instructions that it has run.
    pub executed: u64,
    /// Its lanes.
    pub em: u32,
    count: u32,
    first: *const Row,
    /// All bits of the dwords that its group says.
    open: Header,
    /// The other dwords of its header.
    header: Header,
    /// What it must find, which the others may have changed.
    rows: &'t [Row],
    /// All bytes that it begins with, but for the header.
    pub image: &'t [u8],
}

impl<'t> Beginning<'t> {
    /// * `rows`, `image`: what it must find in the bytes of the others, and all bytes.
    /// * `header`: its dwords, of which those that are `open` are the group's.
    pub fn new(
        (em, executed): (u32, u64),
        (rows, image): (&'t [Row], &'t [u8]),
        header: Header,
        open: impl Fn(usize) -> bool,
    ) -> Beginning<'t> {
        let all: Header = std::array::from_fn(|n| if open(n) { u32::MAX } else { 0 });
        Beginning {
            executed,
            em,
            count: rows.len() as u32,
            first: rows.as_ptr(),
            open: all,
            header: std::array::from_fn(|n| header[n] & !all[n]),
            rows,
            image,
        }
    }

    /// Whether the bytes that it must find leave the header as it is.
    pub fn leaves_header(&self) -> bool {
        self.rows.iter().all(|row| row.at >= HEADER)
    }

    /// Whether all of it lies in so many bytes.
    fn fits(&self, bytes: usize) -> bool {
        let has = |row: &Row| row.at.checked_add(ROW).is_some_and(|end| end <= bytes);
        bytes >= HEADER && u32::try_from(self.rows.len()).is_ok() && self.rows.iter().all(has)
    }
}

/// How code calls back.
type GoesOn = unsafe extern "sysv64" fn(*mut c_void) -> u64;

/// What it says of a group that has not ended.
pub const STOPPED: u64 = u64::MAX;

/// What is called back, and with what.
struct More<'m, 't, F> {
    threads: *mut [Context<'t>],
    go_on: &'m mut F,
    panic: Option<Box<dyn Any + Send>>,
}

impl<'t, F: FnMut(&mut [Context<'t>]) -> Option<u64>> More<'_, 't, F> {
    /// Instructions that a group has run which has ended; else [`STOPPED`].
    #[expect(unsafe_code, reason = "code calls it with what it was given")]
    unsafe extern "sysv64" fn go_on(more: *mut c_void) -> u64 {
        // SAFETY: `run_groups` has made it, keeps it while code runs, and looks at neither it nor the threads meanwhile; the
        // code that calls touches them before and after the call alone.
        let more = unsafe { &mut *more.cast::<More<'_, 't, F>>() };
        // SAFETY: as above.
        let threads = unsafe { &mut *more.threads };
        // No panic goes through code.
        let done = catch_unwind(AssertUnwindSafe(|| (more.go_on)(threads)));
        let executed = done.unwrap_or_else(|panic| {
            more.panic = Some(panic);
            None
        });
        executed.unwrap_or(STOPPED)
    }
}

/// Groups that begin one after the other, as [`super::groups`] finds them.
#[repr(C)]
struct Groups {
    /// The threads of a group, and how many they are.
    first: *mut u8,
    end: *mut u8,
    threads: u64,
    /// The header of the group at hand; dword 1 counts on.
    header: Header,
    /// The code of the program; and that which clears shared memory, if it is to be called.
    entry: *const u8,
    clear: *const u8,
    clears: u32,
    /// Whether dword 1 of the header alone is other than it was: of media threads, and after the first group if threads do
    /// not change their headers.
    column_only: u32,
    steady: u32,
    /// Whether threads find all that they must find but dword 1 of their headers, which all of their group have alike.
    find_all: u32,
    /// Whether the last group has not come to its end.
    unfinished: u32,
    /// Goes on with a group that does not come to its end at once: with what it is called, and what it says.
    go_on: GoesOn,
    more: *mut c_void,
    /// For each op the lanes that end there, and how many ops.
    ends: *const u32,
    ops: u64,
    /// Instructions that a thread may run.
    limit: u64,
    /// Groups that are left; instructions that all have run, and how many are enough.
    left: u64,
    executed: u64,
    most: u64,
}

/// What was run of groups.
#[derive(Clone, Copy, Debug)]
pub struct RanGroups {
    /// How many have come to their ends.
    pub groups: u64,
    /// Their instructions.
    pub executed: u64,
    /// One more has begun, and its threads are where code was left.
    pub unfinished: bool,
}

/// How groups are run.
#[derive(Clone, Copy)]
pub struct GroupsAsked<'g> {
    /// The code of the program, and that which clears shared memory, if it is to.
    pub code: Entry,
    pub clear: Option<Entry>,
    /// The header of the first group, and whether it is one of media threads.
    pub header: Header,
    pub media: bool,
    /// Whether threads do not change their headers.
    pub steady: bool,
    /// For each op the lanes that end there.
    pub ends: &'g [u32],
    /// Instructions that a thread may run.
    pub limit: u64,
    /// Groups that there are, at least one, and instructions of all of them that are enough.
    pub most: [u64; 2],
}

/// Offsets of its fields.
pub mod groups {
    use super::Groups;
    use std::mem::offset_of;

    pub const FIRST: u32 = offset_of!(Groups, first) as u32;
    pub const END: u32 = offset_of!(Groups, end) as u32;
    pub const THREADS: u32 = offset_of!(Groups, threads) as u32;
    pub const HEADER: u32 = offset_of!(Groups, header) as u32;
    /// Dword 1 of the header.
    pub const COLUMN: u32 = HEADER + 4;
    pub const ENTRY: u32 = offset_of!(Groups, entry) as u32;
    pub const CLEAR: u32 = offset_of!(Groups, clear) as u32;
    pub const CLEARS: u32 = offset_of!(Groups, clears) as u32;
    pub const GO_ON: u32 = offset_of!(Groups, go_on) as u32;
    pub const MORE: u32 = offset_of!(Groups, more) as u32;
    pub const COLUMN_ONLY: u32 = offset_of!(Groups, column_only) as u32;
    pub const STEADY: u32 = offset_of!(Groups, steady) as u32;
    pub const FIND_ALL: u32 = offset_of!(Groups, find_all) as u32;
    pub const UNFINISHED: u32 = offset_of!(Groups, unfinished) as u32;
    pub const ENDS: u32 = offset_of!(Groups, ends) as u32;
    pub const OPS: u32 = offset_of!(Groups, ops) as u32;
    pub const LIMIT: u32 = offset_of!(Groups, limit) as u32;
    pub const LEFT: u32 = offset_of!(Groups, left) as u32;
    pub const EXECUTED: u32 = offset_of!(Groups, executed) as u32;
    pub const MOST: u32 = offset_of!(Groups, most) as u32;
}

/// Offsets of the fields of a row, and its size.
pub mod row {
    use crate::exec::state::arena::Row;
    use std::mem::offset_of;

    pub const AT: u32 = offset_of!(Row, at) as u32;
    pub const BYTES: u32 = offset_of!(Row, bytes) as u32;
    pub const SIZE: u32 = size_of::<Row>() as u32;
}

/// Offsets of its fields.
pub mod beginning {
    use super::Beginning;
    use std::mem::offset_of;

    pub const EXECUTED: u32 = offset_of!(Beginning<'_>, executed) as u32;
    pub const LANES: u32 = offset_of!(Beginning<'_>, em) as u32;
    pub const COUNT: u32 = offset_of!(Beginning<'_>, count) as u32;
    pub const ROWS: u32 = offset_of!(Beginning<'_>, first) as u32;
    pub const OPEN: u32 = offset_of!(Beginning<'_>, open) as u32;
    pub const HEADER: u32 = offset_of!(Beginning<'_>, header) as u32;
}

/// What messages of all threads reach.
#[repr(C)]
pub struct Reach<'t> {
    /// Windows of the run, and how many there are.
    windows: *const HostWindow,
    count: u64,
    /// For each op the number of the window that its message reaches, as far as is known; and how many ops.
    hints: *const AtomicU32,
    hinted: u64,
    /// Sampler messages, by op.
    texels: *const TexelSite,
    owner: PhantomData<(&'t Windows, &'t [AtomicU32], &'t [TexelSite])>,
}

impl<'t> Reach<'t> {
    /// * `windows`: surfaces and addresses.
    /// * `hints`: for each op the number of the window that its message reaches, or one that there is not.
    /// * `texels`: what is known of sampler messages, by op.
    pub fn new(windows: &'t Windows, hints: &'t [AtomicU32], texels: &'t [TexelSite]) -> Reach<'t> {
        let all = windows.all();
        Reach {
            windows: all.as_ptr(),
            count: all.len() as u64,
            hints: hints.as_ptr(),
            hinted: hints.len().min(texels.len()) as u64,
            texels: texels.as_ptr(),
            owner: PhantomData,
        }
    }
}

/// Offsets of its fields, and of those of what it points to.
pub mod field {
    use super::{Context, HostWindow, TexelSite};
    use std::mem::offset_of;

    pub const ARENA: u32 = offset_of!(Context<'_>, arena) as u32;
    pub const EXECUTED: u32 = offset_of!(Context<'_>, executed) as u32;
    pub const BUDGET: u32 = offset_of!(Context<'_>, budget) as u32;
    pub const EM: u32 = offset_of!(Context<'_>, em) as u32;
    pub const WAITING: u32 = offset_of!(Context<'_>, waiting) as u32;
    pub const KEPT: u32 = offset_of!(Context<'_>, kept) as u32;
    pub const FOR_NAN: u32 = offset_of!(Context<'_>, for_nan) as u32;
    pub const CONTROL: u32 = offset_of!(Context<'_>, control) as u32;
    pub const PC: u32 = offset_of!(Context<'_>, pc) as u32;
    pub const PLACES: u32 = offset_of!(Context<'_>, places) as u32;
    pub const ANSWERS: u32 = offset_of!(Context<'_>, answers) as u32;
    pub const LAST: u32 = offset_of!(Context<'_>, last) as u32;
    pub const RAN: u32 = offset_of!(Context<'_>, ran) as u32;
    pub const AT_END: u32 = offset_of!(Context<'_>, at_end) as u32;
    pub const ALL_RAN: u32 = offset_of!(Context<'_>, all_ran) as u32;
    pub const SURFACES: u32 = offset_of!(Context<'_>, surfaces) as u32;
    pub const FLAT: u32 = offset_of!(Context<'_>, flat) as u32;
    pub const WINDOWS: u32 = offset_of!(Context<'_>, windows) as u32;
    pub const COUNT: u32 = offset_of!(Context<'_>, count) as u32;
    pub const TEXELS: u32 = offset_of!(Context<'_>, texels) as u32;
    pub const TEXELS_SIZE: u32 = size_of::<TexelSite>() as u32;
    pub const TEXELS_HOST: u32 = offset_of!(TexelSite, host) as u32;
    pub const TEXELS_KNOWN: u32 = offset_of!(TexelSite, known) as u32;
    pub const TEXELS_NAMED: [u32; 2] = [
        offset_of!(TexelSite, surface) as u32,
        offset_of!(TexelSite, sampler) as u32,
    ];
    pub const TEXELS_SCALES: u32 = offset_of!(TexelSite, scales) as u32;
    pub const TEXELS_LAST: u32 = offset_of!(TexelSite, last) as u32;
    pub const TEXELS_STEPS: u32 = offset_of!(TexelSite, steps) as u32;
    pub const TEXELS_OUTSIDE: u32 = offset_of!(TexelSite, outside) as u32;
    pub const TEXELS_APART: u32 = offset_of!(TexelSite, apart) as u32;
    pub const TEXELS_ROUNDS: u32 = offset_of!(TexelSite, rounds) as u32;
    pub const TEXELS_PLACES: u32 = offset_of!(TexelSite, places) as u32;
    pub const TEXELS_BORDER: u32 = offset_of!(TexelSite, border) as u32;
    pub const TEXELS_SHIFTS: u32 = offset_of!(TexelSite, shifts) as u32;
    pub const TEXELS_ABSENT: u32 = offset_of!(TexelSite, absent) as u32;
    pub const TEXELS_MASK: u32 = offset_of!(TexelSite, mask) as u32;
    pub const HINTS: u32 = offset_of!(Context<'_>, hints) as u32;
    pub const COUNTS: u32 = offset_of!(Context<'_>, counts) as u32;
    pub const SHARED: u32 = offset_of!(Context<'_>, shared) as u32;
    pub const SCRATCH: u32 = offset_of!(Context<'_>, scratch) as u32;
    pub const BEGINNING: u32 = offset_of!(Context<'_>, beginning) as u32;
    pub const WINDOW_HOST: u32 = offset_of!(HostWindow, host) as u32;
    pub const WINDOW_ADDRESS: u32 = offset_of!(HostWindow, address) as u32;
    pub const WINDOW_BYTES: u32 = offset_of!(HostWindow, bytes) as u32;
    pub const WINDOW_SURFACE: u32 = offset_of!(HostWindow, surface) as u32;
    /// The size of a window, as a power of two.
    pub const WINDOW_SHIFT: u8 = size_of::<HostWindow>().trailing_zeros() as u8;
    pub const SIZE: u32 = size_of::<Context<'_>>() as u32;
}

/// Shared local memory of a group.
#[derive(Clone, Copy)]
pub struct Shared<'t>(&'t Memory, HostWindow);

impl<'t> Shared<'t> {
    /// All bytes of this memory.
    pub fn new(memory: &'t Memory) -> Shared<'t> {
        Shared(memory, HostWindow::whole(memory))
    }

    /// That of the next thread, which mostly is of the same group.
    pub fn or(self, memory: &'t Memory) -> Shared<'t> {
        match std::ptr::eq(self.0, memory) {
            true => self,
            false => Shared::new(memory),
        }
    }
}

impl<'t> Context<'t> {
    /// That of a thread with these bytes and lanes, no lane of which waits; its messages reach no more than is said.
    ///
    /// * `own`: shared memory of its group, and its scratch memory, if it has some.
    /// * `counts`: the numbers that code raises which counts.
    #[inline(always)]
    pub fn new(
        arena: &'t mut Arena,
        em: u32,
        reach: &'t Reach<'t>,
        own: (Shared<'t>, Option<&'t Memory>),
        counts: &'t [Cell<u64>],
    ) -> Context<'t> {
        let (Shared(_, shared), scratch) = own;
        Context {
            bytes: u32::try_from(arena.len()).unwrap_or(u32::MAX),
            arena: arena.as_mut_ptr(),
            executed: 0,
            budget: 0,
            em,
            waiting: 0,
            pc: 0,
            kept: LOOKED_AT,
            for_nan: 0,
            control: 0,
            places: [0; MOST_PLACES],
            answers: [0; MOST_ANSWERS],
            last: [0; MOST_LAST],
            ran: 0,
            at_end: 0,
            all_ran: 0,
            surfaces: [&raw const OF_NONE; MOST_SURFACES],
            flat: [std::ptr::null(); MOST_FLAT],
            reach,
            windows: reach.windows,
            count: reach.count,
            hints: reach.hints,
            texels: reach.texels,
            shared,
            scratch: scratch.map_or(HostWindow::NONE, HostWindow::whole),
            beginning: std::ptr::null(),
            finds_all: false,
            counts: counts.as_ptr(),
            counted: counts.len() as u64,
            owner: PhantomData,
        }
    }

    /// The bytes of the thread.
    #[inline(always)]
    #[expect(
        unsafe_code,
        reason = "the arena is borrowed for as long as the context is"
    )]
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `new` has made pointer and length, which nothing changes, of an arena that has at least so many bytes and
        // is borrowed for `'t`; nobody else has them as long as this context is.
        unsafe { std::slice::from_raw_parts_mut(self.arena, self.bytes as usize) }
    }

    /// Says what it begins with; false if that does not fit its bytes.
    pub fn begins_with(&mut self, beginning: &'t Beginning<'t>) -> bool {
        let fits = beginning.fits(self.bytes as usize);
        if fits {
            self.beginning = beginning;
            self.finds_all = beginning.rows.is_empty() && beginning.open[1] == u32::MAX;
        }
        fits
    }

    /// It begins with that, in a group with this header.
    ///
    /// * `image`: all bytes that it begins with, if somebody looks at them in the end.
    #[inline]
    pub fn begin(&mut self, beginning: &Beginning<'_>, header: &Header, image: Option<&[u8]>) {
        debug_assert_eq!(self.waiting, 0, "a thread that waits has not ended");
        (self.em, self.executed) = (beginning.em, beginning.executed);
        self.kept = if image.is_some() { LOOKED_AT } else { UNSEEN };
        let bytes = self.bytes();
        match image {
            Some(image) => bytes[..image.len()].copy_from_slice(image),
            None => {
                for row in beginning.rows {
                    bytes[row.at..][..ROW].copy_from_slice(&row.bytes);
                }
            }
        }
        let all = beginning.open.iter().zip(header).zip(&beginning.header);
        for (dword, ((open, group), own)) in bytes[..HEADER].chunks_exact_mut(4).zip(all) {
            dword.copy_from_slice(&(open & group | own).to_le_bytes());
        }
    }

    /// It goes on by itself, not as one of groups that begin one after the other.
    ///
    /// * `ends`: the lanes that an op ends.
    pub fn come_out(&mut self, ends: impl Fn(u32) -> u32) {
        if self.kept == IN_GROUP {
            self.kept = UNSEEN;
        }
        if self.pc & AT_END != 0 {
            self.pc &= !AT_END;
            self.executed = self.ran;
            // None is left of the others.
            self.em &= ends(self.pc);
        }
    }

    /// Whether it has lanes, all of them among these, and none waits.
    #[inline(always)]
    pub const fn are_all(&self, lanes: u32) -> bool {
        self.waiting == 0 && self.em != 0 && self.em & !lanes == 0
    }

    /// Where its code was left.
    #[inline]
    pub const fn stopped(&self) -> Stopped {
        Stopped {
            pc: self.pc,
            em: self.em,
            waiting: self.waiting,
            places: self.places,
        }
    }
}

/// Where code was left.
#[derive(Clone, Copy)]
pub struct Stopped {
    pub pc: u32,
    pub em: u32,
    pub waiting: u32,
    pub places: [u32; MOST_PLACES],
}

/// Threads whose contexts are made each time, at most: they go through code one after the other without coming back.
pub const TOGETHER: usize = 16;

/// The contexts of up to [`TOGETHER`] threads. Those that there are not cost nothing.
pub struct Contexts<'t> {
    slots: [MaybeUninit<Context<'t>>; TOGETHER],
    count: usize,
}

impl<'t> Contexts<'t> {
    /// None.
    pub const fn new() -> Contexts<'t> {
        Contexts {
            slots: [const { MaybeUninit::uninit() }; TOGETHER],
            count: 0,
        }
    }

    /// Adds one, which is changed where it is: it is too large to be moved. There must be room.
    #[inline(always)]
    pub fn push(&mut self, context: Context<'t>) -> &mut Context<'t> {
        let slot = &mut self.slots[self.count];
        self.count += 1;
        slot.write(context)
    }
}

impl<'t> Deref for Contexts<'t> {
    type Target = [Context<'t>];

    #[expect(
        unsafe_code,
        reason = "most runs have fewer contexts than there is room for"
    )]
    fn deref(&self) -> &[Context<'t>] {
        let slots = &self.slots[..self.count];
        // SAFETY: `push` alone raises `count`, after it has written the slot in front of it; a slot has the layout of
        // what it holds.
        unsafe { std::slice::from_raw_parts(slots.as_ptr().cast(), slots.len()) }
    }
}

impl<'t> DerefMut for Contexts<'t> {
    #[expect(
        unsafe_code,
        reason = "most runs have fewer contexts than there is room for"
    )]
    fn deref_mut(&mut self) -> &mut [Context<'t>] {
        let slots = &mut self.slots[..self.count];
        // SAFETY: as in `deref`.
        unsafe { std::slice::from_raw_parts_mut(slots.as_mut_ptr().cast(), slots.len()) }
    }
}

/// Proof that the host has the instructions that code is made of.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    narrows: bool,
}

impl Host {
    /// The host, if it has them: AVX-512 with F, BW, CD, DQ and VL; or AVX2 with FMA, F16C and BMI2. And BMI1 and POPCNT.
    pub fn detect() -> Option<Host> {
        static FOUND: OnceLock<Option<Host>> = OnceLock::new();
        let find = || {
            let all = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt");
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            let narrow = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi2");
            let narrows = !wide || env::var_os(BITS).is_some_and(|bits| bits == "256");
            let has = if narrows { narrow } else { wide };
            (all && has).then_some(Host { narrows })
        };
        *FOUND.get_or_init(find)
    }

    /// An assembler of its instructions.
    pub fn assembler(self) -> Assembler {
        let mut code = Assembler::default();
        code.narrows = self.narrows;
        code
    }
}

/// Where code may be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(usize);

/// Code that can run.
pub struct Executable {
    map: Mmap,
    /// Bytes of an arena that it touches at most.
    reach: u32,
    /// How many hints it reads at most.
    hints: u32,
    /// How many numbers it counts in.
    counters: u64,
    /// Where it may be entered, and where the routine is that runs groups.
    entries: Vec<u32>,
    routine: u32,
}

/// Finished code in memory that is written once, and then only runs.
fn placed(code: &[u8]) -> io::Result<Mmap> {
    let mut map = MmapMut::map_anon(code.len().max(1))?;
    map[..code.len()].copy_from_slice(code);
    map.make_exec()
}

/// The signature of all entries: the first context, and one past the last.
type Function = unsafe extern "sysv64" fn(*mut Context<'_>, *mut Context<'_>);

impl Executable {
    /// Places finished code in memory that is written once, and then only runs.
    ///
    /// * `entries`, `routine`: where it may be entered, and where the routine is that runs groups.
    /// * `counters`: how many numbers it counts in.
    pub fn new(
        _: Host,
        mut code: Assembler,
        (entries, routine): (Vec<u32>, u32),
        counters: usize,
    ) -> io::Result<Executable> {
        let (reach, hints) = (code.reach, code.hints);
        debug_assert!(!code.lacks, "all that is asked for can be made");
        if code.lacks {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Executable {
            map: placed(&code.finish())?,
            reach,
            hints,
            counters: counters as u64,
            entries,
            routine,
        })
    }

    /// The entry of this number.
    pub fn entry(&self, number: usize) -> Option<Entry> {
        self.entries.get(number).map(|_| Entry(number))
    }

    /// Runs code on threads. False if an arena, or what is known of ops, is too small for it: then nothing has
    /// happened. What it touches:
    ///
    /// * the contexts of the threads; a frame on the stack for what is done lane after lane, by lanes below 16, one for
    ///   texels that are weighed, and where the host has no AVX-512 one for registers, by numbers below 32;
    /// * bytes of the arena of each below `reach`, as [`Assembler`] has noted where it encoded them, and no arena is
    ///   shorter; it was borrowed as a whole for as long as its context lives;
    /// * the numbers of each context below `counters`, and no context has fewer; nothing else borrows the contents of a
    ///   `Cell`;
    /// * hints and sampler messages of [`Reach`] below `hints`, noted and checked in the same way; then texels that are no
    ///   further than the last ones along each axis, which were seen to be inside when the message was planned (or one
    ///   before it that asks the same of the same surface and sampler), or whose coordinates it has compared with the
    ///   numbers of texels there: they are stored at multiples of their size, or of a dword, and up to three bytes behind
    ///   the last one are read, which [`Memory::readable`] has; lanes that have the border colour, whose offsets are
    ///   negative, and those that are off are masked off; and windows whose number it has found to be below `count`, which it
    ///   keeps in the context (what is there before belongs to no surface, or is null, which it asks), or the thread's own;
    /// * the bytes of a media block whose column and row it has compared with the last ones at which it is inside: the memory
    ///   was seen to hold all rows when the message was noted, which keeps it alive;
    /// * the bytes of a window at offsets that it has compared with its length, and, to be read, what lies between two such
    ///   (`memory`), and up to three bytes behind one, which [`Memory::readable`] has behind its last one as well; of shared
    ///   memory that it clears all of them, up to a whole dword, of which `Memory` is made. They are those of a `Memory` that
    ///   lives as long as the context (scratch memory is the thread's, which is borrowed), made of atomic words: other threads
    ///   write them by such, and the code by bytes, words and dwords, of which this host tears none at a multiple of its size,
    ///   and loses no bytes beside them that others write; elsewhere `Memory` takes several words, too.
    #[expect(unsafe_code, reason = "calls what was emitted")]
    pub fn run(
        &self,
        Entry(number): Entry,
        threads: &mut [Context<'_>],
        reach: &Reach<'_>,
    ) -> bool {
        let Some(&at) = self
            .entries
            .get(number)
            .filter(|_| self.fits(threads, reach))
        else {
            return false;
        };
        let range = threads.as_mut_ptr_range();
        let address = self.map[at as usize..].as_ptr();
        // SAFETY: `entries` holds offsets of functions of this signature, made by `flow` and `clear_shared`; `Host` proves
        // that its instructions exist, and the map was made executable and is not written again.
        let function: Function = unsafe { std::mem::transmute(address) };
        // SAFETY: the code reads and writes what is listed above, which `threads` and `reach` borrow. What it pushes
        // it pops. Other registers that it changes are the callee's in this calling convention; MXCSR
        // is afterwards what it was. It ends: backward jumps ask for the budget.
        unsafe { function(range.start, range.end) };
        true
    }

    /// Whether the code may run on threads.
    #[inline(always)]
    fn fits(&self, threads: &[Context<'_>], reach: &Reach<'_>) -> bool {
        let fits = |t: &Context<'_>| {
            let known = std::ptr::eq(t.reach.cast::<u8>(), std::ptr::from_ref(reach).cast());
            known && t.bytes >= self.reach && t.counted >= self.counters
        };
        let some = !threads.is_empty() && reach.hinted >= self.hints.into();
        some && threads.iter().all(fits)
    }

    /// Runs threads as those of one group, and of the groups behind it, each in the bytes of the last one of its number, until
    /// one does not come to its end. `None` if an arena is too small, or if it is not known what a thread begins with: then
    /// nothing has happened. What it touches beside what [`Executable::run`] says:
    ///
    /// * what threads begin with, which [`Context::begins_with`] has taken and the contexts borrow: as many rows as there
    ///   are, and the bytes of the arena where they go, for which there was seen to be room;
    /// * `ends`, at ops that it has compared with their number.
    ///
    /// * `go_on`: goes on with a group that has come out of the code at which it begins; says how many instructions it has
    ///   run if all of its threads have ended.
    #[expect(unsafe_code, reason = "calls what was emitted")]
    pub fn run_groups<'t, F: FnMut(&mut [Context<'t>]) -> Option<u64>>(
        &self,
        asked: &GroupsAsked<'_>,
        threads: &mut [Context<'t>],
        reach: &Reach<'_>,
        mut go_on: F,
    ) -> Option<RanGroups> {
        let place = |Entry(number): Entry| {
            let &at = self.entries.get(number)?;
            Some(self.map[at as usize..].as_ptr())
        };
        let begins = |t: &Context<'_>| !t.beginning.is_null();
        let find_all = threads.iter().all(|thread| thread.finds_all);
        let [groups, most] = asked.most;
        if groups == 0 || !self.fits(threads, reach) || !threads.iter().all(begins) {
            return None;
        }
        let entry = place(asked.code)?;
        let routine = self.map[self.routine as usize..].as_ptr();
        let clear = asked.clear.map_or(Some(std::ptr::null()), place)?;
        // All who touch them do so by this pointer.
        let threads = std::ptr::from_mut(threads);
        let first = threads.cast::<Context<'t>>();
        let mut more = More {
            threads,
            go_on: &mut go_on,
            panic: None,
        };
        let mut asked = Groups {
            first: first.cast(),
            end: first.wrapping_add(threads.len()).cast(),
            threads: threads.len() as u64,
            header: asked.header,
            entry,
            clear,
            clears: (!clear.is_null()).into(),
            column_only: asked.media.into(),
            steady: asked.steady.into(),
            find_all: find_all.into(),
            unfinished: 0,
            go_on: More::<'_, 't, F>::go_on,
            more: std::ptr::from_mut(&mut more).cast(),
            ends: asked.ends.as_ptr(),
            ops: asked.ends.len() as u64,
            limit: asked.limit,
            left: groups,
            executed: 0,
            most,
        };
        // SAFETY: as in `run`; this routine was made by `groups`, and is called with what it expects.
        let function: unsafe extern "sysv64" fn(*mut Groups) =
            unsafe { std::mem::transmute(routine) };
        // SAFETY: the code reads and writes what is listed above, which `threads`, `reach` and `asked` borrow, and calls
        // code of this map as `run` does, with the same threads, and `go_on` with `more`, while it touches nothing. It ends:
        // `left` counts down to 0.
        unsafe { function(&raw mut asked) };
        if let Some(panic) = more.panic {
            resume_unwind(panic);
        }
        Some(RanGroups {
            groups: groups - asked.left,
            executed: asked.executed,
            unfinished: asked.unfinished != 0,
        })
    }
}

/// A block of the scaler, as its code finds it.
#[repr(C)]
pub struct ScaledBlock<'b> {
    /// The byte of row 0 from which on texels are picked, and bytes from row to row.
    texels: *const u8,
    pitch: u64,
    /// Rows of texels, and how many.
    rows: *const i32,
    count: u32,
    /// Not 0 if each is the one below the last.
    follow: u32,
    /// How many rows of samples.
    lines: u32,
    picks: *const Picks,
    taps: *const [i16; FOOTPRINT],
    /// The first row of texels of each row of samples.
    starts: *const u8,
    /// The sums of rows in pairs.
    pairs: *mut Pairs,
    out: *mut u8,
    /// Bytes of a sample.
    element: usize,
    owner: PhantomData<(&'b PickedBlock<'b>, &'b mut [u8])>,
}

/// Offsets of its fields.
pub mod scaled {
    use super::ScaledBlock;
    use std::mem::offset_of;

    pub const TEXELS: u32 = offset_of!(ScaledBlock<'_>, texels) as u32;
    pub const PITCH: u32 = offset_of!(ScaledBlock<'_>, pitch) as u32;
    pub const ROWS: u32 = offset_of!(ScaledBlock<'_>, rows) as u32;
    pub const COUNT: u32 = offset_of!(ScaledBlock<'_>, count) as u32;
    pub const FOLLOW: u32 = offset_of!(ScaledBlock<'_>, follow) as u32;
    pub const LINES: u32 = offset_of!(ScaledBlock<'_>, lines) as u32;
    pub const PICKS: u32 = offset_of!(ScaledBlock<'_>, picks) as u32;
    pub const TAPS: u32 = offset_of!(ScaledBlock<'_>, taps) as u32;
    pub const STARTS: u32 = offset_of!(ScaledBlock<'_>, starts) as u32;
    pub const PAIRS: u32 = offset_of!(ScaledBlock<'_>, pairs) as u32;
    pub const OUT: u32 = offset_of!(ScaledBlock<'_>, out) as u32;
}

impl<'b> ScaledBlock<'b> {
    /// A block, and the bytes of its samples; `None` if texels that are picked from are not all in memory, or if there is no
    /// room for its samples.
    #[inline]
    pub fn new(block: &'b PickedBlock<'b>, out: &'b mut [u8]) -> Option<ScaledBlock<'b>> {
        let Lines {
            starts,
            taps,
            rows,
            last,
            follow,
        } = block.down.lines()?;
        let end = block
            .pitch
            .checked_mul(last as usize)?
            .checked_add(block.at)?;
        let is_there = end.checked_add(TEXELS)? <= block.memory.readable();
        let (lines, element) = (starts.len(), block.element);
        let has_room = matches!(element, 1 | 2) && lines * COLUMNS * element <= out.len();
        let (&[first, ..], &[.., end]) = (rows, rows) else {
            return None;
        };
        let some = lines > 0 && rows.len() <= SOURCES;
        // Asked again: no row is behind the last one.
        let follow = follow && (end - first) as usize == rows.len() - 1;
        (is_there && has_room && some).then(|| ScaledBlock {
            texels: std::ptr::with_exposed_provenance(block.memory.host_address() + block.at),
            pitch: block.pitch as u64,
            rows: rows.as_ptr(),
            count: rows.len() as u32,
            follow: follow.into(),
            lines: lines as u32,
            picks: block.picks,
            taps: taps.as_ptr(),
            starts: starts.as_ptr(),
            pairs: std::ptr::null_mut(),
            out: out.as_mut_ptr(),
            element,
            owner: PhantomData,
        })
    }
}

/// The sums of two rows for each column.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Pairs([[i16; 2]; COLUMNS]);

/// Proof that the host has the instructions that the code of blocks is made of.
#[derive(Clone, Copy, Debug)]
pub struct BlockHost(());

impl BlockHost {
    /// The host, if it has them: those of [`Host`], and AVX-512 with VBMI, VBMI2 and VNNI.
    pub fn detect() -> Option<BlockHost> {
        let all = is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vnni");
        let host = Host::detect().filter(|host| all && !host.narrows);
        host.map(|_| BlockHost(()))
    }
}

/// Code that makes blocks of the scaler.
pub struct BlockCode {
    map: Mmap,
    /// Where it is entered for samples of one byte and of two.
    entries: [usize; 2],
}

impl BlockCode {
    /// As [`Executable::new`].
    pub fn new(_: BlockHost, mut code: Assembler, entries: [usize; 2]) -> io::Result<BlockCode> {
        let map = placed(&code.finish())?;
        Ok(BlockCode { map, entries })
    }

    /// Makes a block. What the code touches:
    ///
    /// * the block, and what it points to: rows of texels, of which [`Lines`] says that none is behind the last one, and from
    ///   each of them on as many bytes as [`ScaledBlock::new`] has found to be in memory, which is made of atomic words: it
    ///   reads bytes of those, as [`Executable::run`] does;
    /// * [`Picks`], of which indices have six bits in the instruction that takes them; taps and starts of each row of samples,
    ///   of which there are as many; and the pairs of rows from each start on, of which [`Lines`] says that they are there;
    /// * as many pairs as there are rows, no more than there is room for;
    /// * the samples, for which there is room.
    #[expect(unsafe_code, reason = "calls what was emitted")]
    pub fn run(&self, mut block: ScaledBlock<'_>) {
        let mut pairs = [const { MaybeUninit::<Pairs>::uninit() }; SOURCES];
        block.pairs = pairs.as_mut_ptr().cast();
        let address = self.map[self.entries[block.element - 1]..].as_ptr();
        // SAFETY: `entries` holds offsets of functions of this signature, made by `scaler`; `BlockHost` proves that its
        // instructions exist, and the map was made executable and is not written again.
        let function: unsafe extern "sysv64" fn(*mut ScaledBlock<'_>) =
            unsafe { std::mem::transmute(address) };
        // SAFETY: the code reads and writes what is listed above, which the block borrows or `pairs` has; pairs are written
        // before they are read. All registers that it changes are the callee's in this calling convention. It ends: both
        // its loops count rows down to 0, and neither count is 0.
        unsafe { function(&raw mut block) };
    }
}
