//! One hardware thread: its bytes, its lanes, and the loop over ops.

use super::bindings::{Environment, OwnMemory};
use super::decoded::Decoded;
use super::float::FloatMode;
use super::flow::{Frame, Left};
use super::observer::{At, Observer, Running};
use super::trap::Trap;
use super::{general, message, raw};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Family, Opcode};
use crate::lower::function_at;
use crate::program::{
    Alu, Barrier, CompareDest, Dest, Guard, Lanes, Op, Program, Region, SendBody, Site,
};
use crate::source::Span;
use crate::surface::Memory;
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
    /// The thread waits at a barrier; run it again when all threads of its group do.
    Barrier,
}

/// The state of one hardware thread.
pub struct Thread<'p> {
    /// What it runs.
    pub program: &'p Program,
    /// Its name in messages.
    pub id: ThreadId,
    /// Its bytes; laid out by [`Program`].
    pub arena: Vec<u8>,
    /// Instructions run so far.
    pub executed: u64,
    /// Split barriers signalled and not yet waited for.
    signalled: u32,
    /// `%scratch`, made when it is first used.
    pub(super) scratch: Option<Arc<Memory>>,
    /// Its part of [`super::bindings::Bindings::own`].
    pub(super) own: Option<Arc<OwnMemory>>,
    pub(super) mode: FloatMode,
    pub(super) frame: Frame,
    pub(super) callers: Vec<Frame>,
    /// General registers, a bit for each, that answers may still write, and the op that asked for them:
    /// where descriptors are made at run time.
    pub(super) pending: Vec<(u128, u32)>,
    /// X-tiled surfaces that messages of Gen5 brought into the render cache, and whether by fields.
    pub(super) cached: Vec<(u32, bool)>,
}

impl<'p> Thread<'p> {
    /// A thread at the first op with the arena of the program and the lanes of `mask` enabled.
    pub fn new(program: &'p Program, id: ThreadId, mask: u32) -> Thread<'p> {
        Thread::resuming(Vec::new(), &program.image, program, id, mask)
    }

    /// As [`Thread::new`], with the bytes of `image`, in the memory of an arena that is done with.
    pub fn resuming(
        mut arena: Vec<u8>,
        image: &[u8],
        program: &'p Program,
        id: ThreadId,
        mask: u32,
    ) -> Thread<'p> {
        arena.clear();
        arena.extend_from_slice(image);
        Thread {
            program,
            id,
            arena,
            executed: 0,
            signalled: 0,
            scratch: None,
            own: None,
            mode: FloatMode::default(),
            frame: Frame::new(0, mask),
            callers: Vec::new(),
            pending: Vec::new(),
            cached: Vec::new(),
        }
    }

    /// Runs until the thread ends or waits.
    ///
    /// # Errors
    /// The first [`Trap`]: something not modelled was reached (`N0601`), a message cannot be served
    /// (`E0603`, `E0604`, `E0607`, `E0608`), or a limit was (`L0602`, `L0604`, `L0605`).
    pub fn run<O: Observer>(
        &mut self,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Result<Stop, Box<Trap>> {
        let (program, limit) = (self.program, environment.limit);
        let code = environment.code;
        self.load_control(code);
        let steps_of = |mode| match O::ACTIVE {
            true => code.steps(program, mode),
            false => code.joined(program, mode),
        };
        let mut steps = steps_of(self.mode);
        loop {
            if self.frame.pc >= self.frame.join {
                self.frame.rejoin();
            }
            let pc = self.frame.pc;
            let run = code.run(pc);
            if run > 0 && !O::ACTIVE {
                // Nobody can join inside a run: those who wait do so where a jump may lead or behind
                // an op of the thread's own.
                let run = u64::from(run).min(limit.saturating_sub(self.executed));
                if run == 0 {
                    return Err(self.over_limit(limit));
                }
                let mut rest = &steps[pc as usize..][..run as usize];
                while let Some(step) = rest.first() {
                    (step.run)(self, step);
                    rest = rest.get(step.ops as usize..).unwrap_or_default();
                }
                self.executed += run;
                self.frame.pc = pc + run as u32;
                continue;
            }
            let Some(op) = program.ops.get(pc as usize) else {
                return Ok(Stop::Ended);
            };
            let bookkeeping = matches!(op, Op::ReadState | Op::LoadControl);
            if !bookkeeping {
                if self.executed >= limit {
                    return Err(self.over_limit(limit));
                }
                self.executed += 1;
            }
            let watched = O::ACTIVE && !bookkeeping;
            let mut running = Running::default();
            if watched {
                running = self.running(op);
                observer.before(self.at(pc), op, running, &self.arena);
            }
            self.frame.pc = pc + 1;
            match op {
                Op::Alu(_)
                | Op::Compare { .. }
                | Op::SetPredicate { .. }
                | Op::PredicateLogic { .. }
                | Op::Nothing => {
                    // Only those who watch come here, one op at a time.
                    let step = &steps[pc as usize];
                    (step.run)(self, step);
                }
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
                    // Beyond the table nothing is promised: go on behind it.
                    let index = general::scalar(self, index);
                    if let Some(&target) = usize::try_from(index).ok().and_then(|i| targets.get(i))
                    {
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
                    if watched && entered {
                        observer.function(self.at(pc), *function, false);
                    }
                }
                Op::Return { lanes, guard } => match self.leave(*lanes, *guard) {
                    Left::Thread => return Ok(Stop::Ended),
                    Left::Function(function) if watched => {
                        observer.function(self.at(pc), function, true);
                    }
                    _ => {}
                },
                Op::Send(send) => {
                    let ends = matches!(&send.body, SendBody::Raw(raw) if raw::ends(self, raw));
                    message::send(self, environment, send, pc, observer)?;
                    if ends {
                        return Ok(Stop::Ended);
                    }
                }
                Op::Barrier(Barrier::Whole) => return Ok(Stop::Barrier),
                Op::Barrier(Barrier::Signal) => self.signalled += 1,
                Op::Barrier(Barrier::Wait) => {
                    // The wait is where a thread may stop; an unmatched one waits for the next round.
                    self.signalled = self.signalled.saturating_sub(1);
                    return Ok(Stop::Barrier);
                }
                Op::ReadState => self.read_state(code),
                Op::LoadControl => {
                    self.load_control(code);
                    steps = steps_of(self.mode);
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
                    if watched && entered {
                        observer.function(self.at(pc), number, false);
                    }
                }
                Op::Unsupported => {
                    return Err(self.unsupported(pc));
                }
            }
            if watched {
                self.report_writes(op, pc, observer);
                observer.after(self.at(pc), op, running, &self.arena);
            }
        }
    }

    /// Where op `pc` stands, for observers.
    pub(super) fn at(&self, pc: u32) -> At {
        At {
            thread: self.id,
            pc,
            site: self.site(pc),
            step: self.executed,
        }
    }

    fn site(&self, pc: u32) -> Site {
        self.program.site(pc).unwrap_or(Site {
            span: Span::default(),
            opcode: Opcode::Ret,
        })
    }

    /// A trap at op `pc`, with thread and mask added to the notes.
    pub(super) fn trap(&self, pc: u32, mask: u32, diagnostic: Diagnostic) -> Box<Trap> {
        let mut diagnostic = diagnostic;
        let site = self.site(pc);
        let mnemonic = self.program.mnemonic(site.opcode);
        if site.span == Span::default() {
            // Code of a library, which is not in the text that will be shown.
            let mut functions = self.program.functions.iter();
            let inside = functions.rfind(|f| f.entry <= pc);
            let name = inside.map_or("?", |f| &f.name);
            diagnostic = diagnostic.note(format!("at `{mnemonic}` in function `{name}`"));
        } else if diagnostic.labels.is_empty() {
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

    fn over_limit(&self, limit: u64) -> Box<Trap> {
        let diagnostic = Diagnostic::new(Code::L0602)
            .note(format!("the limit is {limit} instructions for each thread"));
        self.trap(self.frame.pc, self.frame.em, diagnostic)
    }

    /// The dword at an arena offset.
    #[inline]
    pub(super) fn dword(&self, at: u32) -> u32 {
        let at = at as usize;
        let bytes = &self.arena[at..at + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    fn set_dword(&mut self, at: u32, value: u32) {
        self.arena[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    /// Lanes of the instruction that run. Source: vISA text reference 4.2.
    #[inline]
    pub(super) fn active(&self, lanes: Lanes, guard: Option<Guard>) -> u32 {
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
    pub(super) fn predicate(&self, lanes: Lanes, guard: Guard) -> u32 {
        guard.lanes(lanes, self.dword(guard.offset))
    }

    /// Replaces the bits of active lanes. Source: vISA text reference 4.3.
    #[inline]
    pub(super) fn write_predicate(&mut self, at: u32, bits: u32, mask: u32, offset: u8) {
        let mask = mask << offset;
        let value = self.dword(at) & !mask | bits << offset & mask;
        self.set_dword(at, value);
    }

    /// Runs an op that computes, as the reference does.
    pub(super) fn compute(&mut self, at: u32) {
        let program = self.program;
        match program.ops.get(at as usize) {
            Some(Op::Alu(alu)) => self.alu(alu),
            Some(Op::Compare {
                relation,
                lanes,
                dst,
                src,
            }) => {
                let mask = self.active(*lanes, None);
                let count = u32::from(lanes.count);
                let bits = general::compare(self, *relation, src, count);
                match dst {
                    CompareDest::Predicate(at) => {
                        self.write_predicate(*at, bits, mask, lanes.offset);
                    }
                    CompareDest::General(dst) => {
                        general::store_flags(self, dst, bits, mask, count);
                    }
                }
            }
            Some(Op::SetPredicate {
                lanes,
                dst,
                src,
                scalar,
            }) => {
                let count = u32::from(lanes.count);
                let (bits, mask) = if *scalar {
                    (general::scalar(self, src) as u32, lanes.all())
                } else {
                    (
                        general::low_bits(self, src, count),
                        self.active(*lanes, None),
                    )
                };
                self.write_predicate(*dst, bits, mask, lanes.offset);
            }
            Some(Op::PredicateLogic {
                opcode,
                lanes,
                dst,
                src,
            }) => {
                let mask = self.active(*lanes, None);
                let [a, b] = src.map(|at| self.dword(at));
                let bits = match opcode {
                    Opcode::And => a & b,
                    Opcode::Or => a | b,
                    Opcode::Xor => a ^ b,
                    _ => !a,
                };
                self.write_predicate(*dst, bits >> lanes.offset, mask, lanes.offset);
            }
            _ => {}
        }
    }

    fn alu(&mut self, alu: &Alu) {
        // The predicate of `sel` chooses; it does not mask.
        let select = alu.opcode == Opcode::Sel;
        let mask = self.active(alu.lanes, alu.guard.filter(|_| !select));
        if mask == 0 {
            return;
        }
        let chosen = match alu.guard {
            Some(guard) if select => self.predicate(alu.lanes, guard),
            _ => u32::MAX,
        };
        general::alu(self, alu, mask, chosen);
    }

    /// Puts the execution mask into `%ce0` and a time into `%tsc`: the instruction count, which is
    /// the same on every host.
    fn read_state(&mut self, code: &Decoded) {
        if let Some(ce0) = code.state.ce0 {
            self.set_dword(ce0, self.frame.em);
        }
        if let Some(tsc) = code.state.tsc {
            self.set_dword(tsc, self.executed as u32);
            self.set_dword(tsc + 4, (self.executed >> 32) as u32);
        }
    }

    /// Reads the float mode from `%cr0`.
    fn load_control(&mut self, code: &Decoded) {
        if let Some(cr0) = code.state.cr0 {
            self.mode = FloatMode::from_cr0(self.dword(cr0));
        }
    }

    /// The lanes of an op, for observers.
    fn running(&self, op: &Op) -> Running {
        let (lanes, guard) = match op {
            // The predicate of `sel` chooses; it does not mask.
            Op::Alu(alu) => (alu.lanes, alu.guard.filter(|_| alu.opcode != Opcode::Sel)),
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
            _ => {
                return Running {
                    mask: self.frame.em,
                    enabled: self.frame.em,
                };
            }
        };
        Running {
            mask: self.active(lanes, guard),
            enabled: self.active(lanes, None),
        }
    }

    /// Tells an observer what an op wrote, adjacent lanes as one run.
    fn report_writes<O: Observer>(&self, op: &Op, pc: u32, observer: &mut O) {
        let report = |observer: &mut O, dst: &Dest, lanes: Lanes, mask: u32| {
            let size = dst.ty.bytes();
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
                let guard = alu.guard.filter(|_| alu.opcode != Opcode::Sel);
                let mask = self.active(alu.lanes, guard);
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
        // State elements lie behind the general bytes; the sink is the only place that does not count.
        (offset != self.program.sink).then_some(offset)
    }

    /// The section that defines the instruction at `pc`.
    pub(super) fn section(&self, pc: u32) -> &'static str {
        let family: Family = self.site(pc).opcode.info().family;
        family.section()
    }
}
