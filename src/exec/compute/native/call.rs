//! The way into native code and back. All that is unsafe is here.

use super::assembler::Assembler;
use crate::exec::state::arena::Arena;
use memmap2::{Mmap, MmapMut};
use std::io;
use std::marker::PhantomData;

/// Places of a region at which lanes may wait, at most.
pub const MOST_PLACES: usize = 16;

/// What native code knows of a thread; it changes what it says.
#[derive(Clone, Copy)]
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
    /// The lanes that wait at each place.
    pub places: [u32; MOST_PLACES],
    /// The arena is its own as long as it is here.
    owner: PhantomData<&'t mut Arena>,
}

/// Offsets of its fields.
pub mod field {
    use super::Context;
    use std::mem::offset_of;

    pub const ARENA: u32 = offset_of!(Context<'_>, arena) as u32;
    pub const EXECUTED: u32 = offset_of!(Context<'_>, executed) as u32;
    pub const BUDGET: u32 = offset_of!(Context<'_>, budget) as u32;
    pub const EM: u32 = offset_of!(Context<'_>, em) as u32;
    pub const WAITING: u32 = offset_of!(Context<'_>, waiting) as u32;
    pub const PC: u32 = offset_of!(Context<'_>, pc) as u32;
    pub const PLACES: u32 = offset_of!(Context<'_>, places) as u32;
    pub const SIZE: u32 = size_of::<Context<'_>>() as u32;
}

impl<'t> Context<'t> {
    /// That of a thread without bytes.
    pub const NONE: Context<'static> = Context {
        bytes: 0,
        arena: std::ptr::null_mut(),
        executed: 0,
        budget: 0,
        em: 0,
        waiting: 0,
        pc: 0,
        places: [0; MOST_PLACES],
        owner: PhantomData,
    };

    /// That of a thread with these bytes, in which no lane waits.
    pub fn new(arena: &'t mut Arena) -> Context<'t> {
        Context {
            bytes: u32::try_from(arena.len()).unwrap_or(u32::MAX),
            arena: arena.as_mut_ptr(),
            executed: 0,
            budget: 0,
            em: 0,
            waiting: 0,
            pc: 0,
            places: [0; MOST_PLACES],
            owner: PhantomData,
        }
    }
}

/// Proof that the host has the instructions that code is made of.
#[derive(Clone, Copy, Debug)]
pub struct Host(());

impl Host {
    /// The host, if it has them: AVX-512 with F, BW, DQ and VL.
    pub fn detect() -> Option<Host> {
        let all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        all.then_some(Host(()))
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
    /// Where it may be entered.
    entries: Vec<u32>,
}

/// The signature of all entries: the first context, and one past the last.
type Function = unsafe extern "sysv64" fn(*mut Context<'_>, *mut Context<'_>);

impl Executable {
    /// Places finished code in memory that is written once, and then only runs.
    pub fn new(_: Host, mut code: Assembler, entries: Vec<u32>) -> io::Result<Executable> {
        let reach = code.reach;
        let bytes = code.finish();
        let mut map = MmapMut::map_anon(bytes.len().max(1))?;
        map[..bytes.len()].copy_from_slice(&bytes);
        Ok(Executable {
            map: map.make_exec()?,
            reach,
            entries,
        })
    }

    /// The entry of this number.
    pub fn entry(&self, number: usize) -> Option<Entry> {
        self.entries.get(number).map(|_| Entry(number))
    }

    /// Runs code on threads. False if an arena is too small for it: then nothing has happened.
    #[expect(unsafe_code, reason = "calls what was emitted")]
    pub fn run(&self, Entry(number): Entry, threads: &mut [Context<'_>]) -> bool {
        let Some(&at) = self.entries.get(number) else {
            return false;
        };
        if threads.is_empty() || threads.iter().any(|t| t.bytes < self.reach) {
            return false;
        }
        let range = threads.as_mut_ptr_range();
        let address = self.map[at as usize..].as_ptr();
        // SAFETY: `entries` holds offsets of code that `flow` began with a prologue of this signature; `Host` proves
        // that its instructions exist, and the map was made executable and is not written again.
        let function: Function = unsafe { std::mem::transmute(address) };
        // SAFETY: the code reads and writes three things. The contexts from `range.start` to `range.end`, which are
        // borrowed here. Bytes of the arena of each below `reach`, as `Assembler` has noted where it encoded them:
        // the arena was borrowed as a whole for as long as its context lives, and the check above says that it is so
        // long. Six pushed registers, which it pops. Other registers that it changes are the callee's in this calling
        // convention; MXCSR is not changed. It ends: backward jumps ask for the budget.
        unsafe { function(range.start, range.end) };
        true
    }
}
