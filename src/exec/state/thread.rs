//! One hardware thread: its bytes and its lanes, and what ops that compute do to them.

use super::arena::{Arena, dword};
use super::bindings::OwnMemory;
use super::named::Meeting;
use super::observer::{At, Observer, Running};
use super::trap::Trap;
use crate::diagnostic::Diagnostic;
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::frame::Frame;
use crate::isa::{Family, Opcode};
use crate::message::AvsRequest;
use crate::program::{CompareDest, Dest, Guard, Lanes, Op, Program, Region, Site};
use crate::source::Span;
use crate::surface::Memory;
use crate::surface::ledger::Short;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Which thread of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// Number in launch order: groups x fastest, then the threads of a group.
    pub index: u32,
    /// Group, x y z.
    pub group: [u32; 3],
    /// Number inside its group.
    pub local: u32,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.group;
        write!(
            f,
            "thread {} (group {x},{y},{z}, thread {} of it)",
            self.index, self.local
        )
    }
}

/// Why [`Thread::run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No lane is left.
    Ended,
    /// The thread has run for a while; run it again when others of its group have had their turn, for which it may
    /// wait by reading what they write.
    Turn,
    /// The thread waits at a barrier; run it again when all threads of its group do.
    Barrier,
    /// The thread waits at a named barrier; run it again when that is complete.
    Named(Meeting),
}

/// The state of one hardware thread.
pub struct Thread<'p> {
    /// What it runs.
    pub program: &'p Program,
    /// Its name in messages.
    pub id: ThreadId,
    /// Its bytes; laid out by [`Program`].
    pub arena: Arena,
    /// Instructions run so far.
    pub executed: u64,
    /// Those of them that the run's allowance knows of.
    pub(crate) paid: u64,
    /// Split barriers signalled and not yet waited for.
    pub(crate) signalled: u32,
    /// Where it goes on when the barrier of its group opens; for threads that run side by side.
    pub(crate) rests: Option<u32>,
    /// Its place among those that run side by side.
    pub(crate) slot: usize,
    /// Shared local memory of its group, where threads of several groups run side by side.
    pub slm: Option<&'p Memory>,
    /// Somebody looks at its bytes when it has ended.
    pub(crate) kept: bool,
    pub(crate) mode: FloatMode,
    pub(crate) frame: Frame,
    /// What few threads have: by itself, because threads side by side are sorted.
    pub(crate) rare: Box<Rare>,
}

/// What few threads have.
#[derive(Default)]
pub(crate) struct Rare {
    /// Named barriers it will wait at: those signalled and not yet waited for.
    pub named: Vec<Meeting>,
    /// The named barrier it waits at, and the op.
    pub waits: Option<(u32, Meeting)>,
    /// `%scratch`, made when it is first used, or by code that may come to use it.
    pub scratch: Option<Arc<Memory>>,
    /// Its part of [`super::bindings::Bindings::own`].
    pub own: Option<Arc<OwnMemory>>,
    /// Those that wait for a function to return, the last one called it.
    pub callers: Vec<Frame>,
    /// General registers, a bit for each, that answers may still write, and the op that asked for them:
    /// where descriptors are made at run time.
    pub pending: Vec<(u128, u32)>,
    /// X-tiled surfaces that messages of Gen5 brought into the render cache, and whether by fields.
    pub cached: Vec<(u32, bool)>,
    /// The last AVS message of each group, and its op.
    pub groups: BTreeMap<u32, (AvsRequest, u32)>,
}

impl Rare {
    /// `%scratch` of so many bytes, which are 0 when it is first used.
    ///
    /// # Errors
    /// As [`Memory::allot`].
    pub fn scratch(&mut self, bytes: usize) -> Result<Arc<Memory>, Short> {
        let scratch = match self.scratch.take() {
            Some(scratch) => scratch,
            None => Arc::new(Memory::allot(bytes)?),
        };
        Ok(Arc::clone(self.scratch.insert(scratch)))
    }

    /// The same before it is known whether it is used; `None` if there is no room for it.
    pub fn scratch_ahead(&mut self, bytes: usize) -> Option<&Memory> {
        if self.scratch.is_none() {
            self.scratch = Some(Arc::new(Memory::spare(bytes)?));
        }
        self.scratch.as_deref()
    }

    /// Nothing, in the memory that is there.
    fn clear(&mut self) {
        // Each field by name, so that none is forgotten.
        let Rare {
            named,
            waits,
            scratch,
            own,
            callers,
            pending,
            cached,
            groups,
        } = self;
        (*waits, *scratch, *own) = (None, None, None);
        named.clear();
        callers.clear();
        pending.clear();
        cached.clear();
        // That of an empty map takes its time.
        if !groups.is_empty() {
            groups.clear();
        }
    }
}

impl<'p> Thread<'p> {
    /// A thread at the first op with the arena of the program and the lanes of `mask` enabled.
    pub fn new(program: &'p Program, id: ThreadId, mask: u32) -> Thread<'p> {
        let mut arena = Arena::default();
        arena.fill(&program.image);
        Thread::with(arena, program, id, mask)
    }

    /// As [`Thread::new`], with these bytes.
    pub fn with(arena: Arena, program: &'p Program, id: ThreadId, mask: u32) -> Thread<'p> {
        Thread {
            program,
            id,
            arena,
            executed: 0,
            paid: 0,
            signalled: 0,
            rests: None,
            slot: 0,
            slm: None,
            kept: true,
            mode: FloatMode::default(),
            frame: Frame::new(0, mask),
            rare: Box::default(),
        }
    }

    /// Begins anew as another thread of the same program, in the bytes that are there, and in a mode.
    #[inline(always)]
    pub(crate) fn begin(&mut self, id: ThreadId, mask: u32, in_mode: FloatMode) {
        // Each field by name, so that none is forgotten.
        let Thread {
            program: _,
            id: own,
            arena: _,
            executed,
            paid,
            signalled,
            rests,
            slot,
            slm,
            kept,
            mode,
            frame,
            rare,
        } = self;
        (*own, *executed, *paid, *signalled, *slot) = (id, 0, 0, 0, 0);
        *kept = true;
        (*rests, *slm, *mode) = (None, None, in_mode);
        frame.begin(0, mask);
        rare.clear();
    }

    /// Where op `pc` is, for observers.
    pub(crate) fn at(&self, pc: u32) -> At {
        At {
            thread: self.id,
            pc,
            site: self.site(pc),
            step: self.executed,
        }
    }

    pub(crate) fn site(&self, pc: u32) -> Site {
        self.program.site(pc).unwrap_or(Site {
            span: Span::default(),
            opcode: Opcode::Ret,
        })
    }

    /// A trap at op `pc`, with thread and mask added to the notes.
    pub(crate) fn trap(&self, pc: u32, mask: u32, diagnostic: Diagnostic) -> Box<Trap> {
        let mut diagnostic = diagnostic;
        let site = self.site(pc);
        let mnemonic = self.program.mnemonic(site.opcode);
        if diagnostic.labels.is_empty() {
            diagnostic = diagnostic.at(site.span, format!("`{mnemonic}` reached here"));
        }
        diagnostic = diagnostic.note(format!(
            "in {} after {} instructions, channels {mask:#x}",
            self.id, self.executed
        ));
        Box::new(Trap {
            diagnostic,
            thread: self.id,
            mask,
        })
    }

    /// The dword at an arena offset.
    #[inline]
    pub(crate) fn dword(&self, at: u32) -> u32 {
        dword(&self.arena, at as usize)
    }

    pub(crate) fn set_dword(&mut self, at: u32, value: u32) {
        self.arena[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    /// Lanes of the instruction that run. Source: vISA text reference 4.2.
    #[inline]
    pub(crate) fn active(&self, lanes: Lanes, guard: Option<Guard>) -> u32 {
        let all = lanes.all();
        let mask = if lanes.no_mask {
            all
        } else {
            self.frame.em >> lanes.offset & all
        };
        match guard {
            None => mask,
            Some(guard) => mask & self.predicate(lanes, guard),
        }
    }

    /// What a predicate says for each lane of the instruction.
    ///
    /// `any` and `all` look at every declared bit: launch reference 10, point 1, which kernels
    /// confirm; the text reference 4.2 says bits o … o+N−1. Both agree when the sizes do.
    #[inline]
    pub(crate) fn predicate(&self, lanes: Lanes, guard: Guard) -> u32 {
        guard.lanes(lanes, self.dword(guard.offset))
    }

    /// Replaces the bits of active lanes. Source: vISA text reference 4.3.
    #[inline]
    pub(crate) fn write_predicate(&mut self, at: u32, bits: u32, mask: u32, offset: u8) {
        let mask = mask << offset;
        let value = self.dword(at) & !mask | bits << offset & mask;
        self.set_dword(at, value);
    }

    /// The lanes of an op, for observers.
    pub(crate) fn running(&self, op: &Op) -> Running {
        let Some((lanes, guard)) = lanes_of(op) else {
            return Running {
                mask: self.frame.em,
                enabled: self.frame.em,
            };
        };
        Running {
            mask: self.active(lanes, guard),
            enabled: self.active(lanes, None),
        }
    }

    /// Tells an observer what an op wrote, adjacent lanes as one run.
    pub(crate) fn report_writes<O: Observer>(&self, op: &Op, pc: u32, observer: &mut O) {
        let report = |observer: &mut O, dst: &Dest, lanes: Lanes, mask: u32| {
            let size = dst.ty.bytes();
            if let Region::Dense(start) = dst.region
                && mask == lanes.all()
                && mask != 0
                && start != self.program.sink
            {
                let bytes = (size * u32::from(lanes.count)) as usize;
                let own = &self.arena[start as usize..][..bytes];
                return observer.wrote(self.at(pc), start, own);
            }
            let mut run: Option<(u32, u32)> = None;
            for lane in (0..u32::from(lanes.count)).filter(|l| mask >> l & 1 != 0) {
                let Some(at) = self.lane_offset(&dst.region, lane, size) else {
                    continue;
                };
                run = match run {
                    Some((start, end)) if end == at => Some((start, at + size)),
                    Some((start, end)) => {
                        observer.wrote(
                            self.at(pc),
                            start,
                            &self.arena[start as usize..end as usize],
                        );
                        Some((at, at + size))
                    }
                    None => Some((at, at + size)),
                };
            }
            if let Some((start, end)) = run {
                observer.wrote(
                    self.at(pc),
                    start,
                    &self.arena[start as usize..end as usize],
                );
            }
        };
        match op {
            Op::Alu(alu) => {
                let mask = self.active(alu.lanes, alu.mask_guard());
                report(observer, &alu.dst, alu.lanes, mask);
                if let Some(dst2) = &alu.dst2 {
                    report(observer, dst2, alu.lanes, mask);
                }
                if let Some(at) = alu.overflow {
                    observer.wrote(self.at(pc), at, &self.arena[at as usize..][..4]);
                }
            }
            Op::Compare { lanes, dst, .. } => match dst {
                CompareDest::General(dst) => {
                    report(observer, dst, *lanes, self.active(*lanes, None));
                }
                CompareDest::Predicate(at) => {
                    observer.wrote(self.at(pc), *at, &self.arena[*at as usize..][..4]);
                }
            },
            Op::SetPredicate { dst, .. } | Op::PredicateLogic { dst, .. } => {
                observer.wrote(self.at(pc), *dst, &self.arena[*dst as usize..][..4]);
            }
            _ => {}
        }
    }

    /// The arena offset of a destination lane; `None` where the write vanishes.
    fn lane_offset(&self, region: &Region, lane: u32, size: u32) -> Option<u32> {
        let offset = match region {
            Region::Scalar(o) => *o,
            Region::Dense(o) => o + lane * size,
            Region::Strided { offset, stride } => offset + lane * stride,
            Region::List(list) => *list.get(lane as usize)?,
            Region::Indirect(i) => {
                let general = self.program.general_bytes;
                super::lanes::indirect_offset(&self.arena, i, lane as usize, size, general)? as u32
            }
        };
        // State elements lie after the general bytes; the sink is the only place that does not count.
        (offset != self.program.sink).then_some(offset)
    }

    /// The section that defines the instruction at `pc`.
    pub(crate) fn section(&self, pc: u32) -> &'static str {
        let family: Family = self.site(pc).opcode.info().family;
        family.section()
    }
}

/// The lanes of an op and the predicate that masks them; `None` for one that has none.
pub(crate) fn lanes_of(op: &Op) -> Option<(Lanes, Option<Guard>)> {
    Some(match op {
        Op::Alu(alu) => (alu.lanes, alu.mask_guard()),
        Op::Compare { lanes, .. }
        | Op::SetPredicate { lanes, .. }
        | Op::PredicateLogic { lanes, .. } => (*lanes, None),
        Op::Goto { lanes, guard, .. }
        | Op::Jump { lanes, guard, .. }
        | Op::Call { lanes, guard, .. }
        | Op::CallFunction { lanes, guard, .. }
        | Op::CallIndirect { lanes, guard, .. }
        | Op::Return { lanes, guard } => (*lanes, *guard),
        Op::Send(send) => (send.lanes, send.guard),
        Op::RawSend(message) => (message.lanes, message.guard),
        _ => return None,
    })
}
