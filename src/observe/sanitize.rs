//! The sanitizer: what a run does that the hardware promises nothing for, or that is hardly meant.
//!
//! Each thread has a shadow that says where every byte of its registers comes from; each
//! instruction's operands ([`uses`]) are looked up in it before it runs. Memory accesses are looked at as
//! they are served. A finding is told once for each instruction and kind, with how often it came.
//!
//! ```text
//!  registers   never written · left undefined by a message · outside the variable
//!  memory      outside the surface · misaligned · never written (shared, scratch) · lanes that disagree
//!  group       threads at different barriers, or ended while others wait
//! ```

use super::known::{self, Cell, Known};
use super::shadow::{Origin, Shadow};
use super::uses::{self, Facts, Part, Use, What};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::ThreadId;
use crate::exec::lanes::active;
use crate::exec::observer::{Access, AccessKind, At, Observer, Running, SpaceName, Spot, Start};
use crate::isa::{Family, Opcode};
use crate::program::{
    Alu, Barrier, CompareDest, Dest, Group, Guard, Lanes, Op, Raw, RawMessage, Region, Send,
    SendBody, Source, SymbolClass,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Collects what the threads of a run find.
#[derive(Debug, Default)]
pub struct Sanitizer {
    known: Cell,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    findings: BTreeMap<Key, Finding>,
    groups: HashMap<[u32; 3], GroupState>,
}

/// What the threads of a group know of each other.
#[derive(Debug, Default)]
struct GroupState {
    ended: u32,
    /// The barriers that its first thread to end came to.
    barriers: Option<(ThreadId, Vec<u32>)>,
    /// Bytes of shared local memory that have been written.
    local: Bitmap,
}

/// Told once for each of these.
type Key = (u32, Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Bytes of an operand.
    Register(Part, Nothing),
    Predicate(Part),
    OutsideRead(Part),
    OutsideWrite,
    OutsideMemory(AccessKind),
    Misaligned(AccessKind),
    UnwrittenMemory,
    Overlap,
    Disagree,
    OtherBarrier,
    EndedEarly,
}

/// Why bytes hold nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nothing {
    /// Nothing was ever written.
    Never,
    /// A message left them undefined.
    Message,
    /// They were loaded from memory that nothing has written.
    Memory,
}

#[derive(Clone, Debug)]
struct Finding {
    thread: ThreadId,
    step: u64,
    lane: Option<u8>,
    lanes: u32,
    count: u64,
    detail: Detail,
}

#[derive(Clone, Debug)]
enum Detail {
    Register {
        offset: u32,
        size: u32,
        origin: Origin,
        near: Option<(u32, u32)>,
        memory: Option<(SpaceName, Spot)>,
    },
    Bits {
        offset: u32,
        bits: u32,
    },
    Indirect(bool),
    Memory {
        space: SpaceName,
        spot: Spot,
        bytes: u32,
        inside: u32,
        wanted: u32,
    },
    Lanes {
        space: SpaceName,
        spot: Spot,
        other: u8,
    },
    Ranges(&'static str, Range<u32>, Range<u32>),
    Other {
        pc: u32,
        thread: ThreadId,
    },
}

impl Finding {
    /// The earlier of two, counted together.
    fn merge(&mut self, other: Finding) {
        let (count, lanes) = (self.count + other.count, self.lanes | other.lanes);
        if (other.thread.index, other.step) < (self.thread.index, self.step) {
            *self = other;
        }
        (self.count, self.lanes) = (count, lanes);
    }
}

/// A set of byte addresses.
#[derive(Debug, Default)]
struct Bitmap(Vec<u64>);

impl Bitmap {
    fn add(&mut self, start: u64, bytes: u32) {
        let (start, end) = (start as usize, start as usize + bytes as usize);
        if self.0.len() * 64 < end {
            self.0.resize(end.div_ceil(64), 0);
        }
        for at in start..end {
            self.0[at / 64] |= 1 << (at % 64);
        }
    }

    fn has(&self, at: u64) -> bool {
        let at = at as usize;
        let word = self.0.get(at / 64);
        word.is_some_and(|word| word >> (at % 64) & 1 != 0)
    }
}

impl Sanitizer {
    /// Watches one thread; its findings are handed in when it ends.
    pub fn thread(&self) -> Checker<'_> {
        Checker {
            sanitizer: self,
            state: None,
        }
    }

    /// What was found, by place in the text.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = self.known.seen() else {
            return Vec::new();
        };
        let findings = shared.findings.iter();
        findings
            .map(|(key, finding)| say(known, *key, finding))
            .collect()
    }
}

/// Watches one thread for the [`Sanitizer`].
pub struct Checker<'w> {
    sanitizer: &'w Sanitizer,
    state: Option<State>,
}

/// What is kept while the thread runs.
struct State {
    known: Arc<Known>,
    thread: ThreadId,
    group_threads: u32,
    shadow: Shadow,
    findings: BTreeMap<Key, Finding>,
    barriers: Vec<u32>,
    scratch: Bitmap,
    /// Bytes of the access at hand that hold nothing, for the registers they come to.
    loaded: Vec<u32>,
    /// Messages that loaded such bytes, and the first place.
    nowhere: HashMap<u32, (SpaceName, Spot)>,
    /// Bytes that lanes of the message at hand have written: their value and the lane.
    written: HashMap<(usize, u64), (u8, u8)>,
}

impl State {
    fn add(&mut self, at: At, kind: Kind, lane: Option<u8>, detail: impl FnOnce(&State) -> Detail) {
        let lanes = lane.map_or(0, |lane| 1 << (lane & 31));
        if let Some(finding) = self.findings.get_mut(&(at.pc, kind)) {
            finding.count += 1;
            finding.lanes |= lanes;
            return;
        }
        let finding = Finding {
            thread: at.thread,
            step: at.step,
            lane,
            lanes,
            count: 1,
            detail: detail(self),
        };
        self.findings.insert((at.pc, kind), finding);
    }

    fn used(&mut self, at: At, used: Use, arena: &[u8]) {
        let Use { part, lane, what } = used;
        match what {
            What::Bytes { offset, size } => {
                if self.known.class(offset) == Some(SymbolClass::Predicate) {
                    // The bits of a whole predicate, moved to a general variable.
                    let bits = self.known.predicate_bits(offset);
                    self.bits(at, part, offset, bits);
                    return;
                }
                let Some(bad) = self.shadow.first_undefined(offset, size) else {
                    return;
                };
                let origin = self.shadow.origin(bad);
                let memory = match origin {
                    Origin::Undefined(pc) => self.nowhere.get(&pc).copied(),
                    _ => None,
                };
                let source = match (origin, memory) {
                    (Origin::Never, _) => Nothing::Never,
                    (_, Some(_)) => Nothing::Memory,
                    _ => Nothing::Message,
                };
                self.add(at, Kind::Register(part, source), lane, |state| {
                    Detail::Register {
                        offset,
                        size,
                        origin,
                        near: state.near(bad),
                        memory,
                    }
                });
            }
            What::Bits { offset, bits } => self.bits(at, part, offset, bits),
            What::Group { guard } => {
                if let Some(missing) = undecided(guard, &self.shadow, arena) {
                    self.add(at, Kind::Predicate(part), None, |_| Detail::Bits {
                        offset: guard.offset,
                        bits: missing,
                    });
                }
            }
            What::Outside { indirect } => {
                let kind = Kind::OutsideRead(part);
                self.add(at, kind, lane, |_| Detail::Indirect(indirect));
            }
        }
    }

    fn bits(&mut self, at: At, part: Part, offset: u32, bits: u32) {
        let missing = bits & !self.shadow.written_bits(offset);
        if missing != 0 {
            let detail = Detail::Bits {
                offset,
                bits: missing,
            };
            self.add(at, Kind::Predicate(part), None, |_| detail);
        }
    }

    /// Who wrote what lies nearest in the same variable.
    fn near(&self, offset: u32) -> Option<(u32, u32)> {
        let owner = self.known.program.owner(offset)?;
        self.shadow.nearest_write(&owner.range, offset)
    }

    /// Lanes of a destination that fall outside.
    fn destination(&mut self, at: At, dst: &Dest, lanes: Lanes, mask: u32, arena: &[u8]) {
        let indirect = match &dst.region {
            Region::List(_) => false,
            Region::Indirect(_) => true,
            _ => return,
        };
        let (facts, sink, size) = (self.known.facts, self.known.program.sink, dst.ty.bytes());
        for lane in active(mask, lanes.count.into()) {
            if uses::element(&dst.region, lane, size, facts, sink, arena).is_none() {
                let detail = Detail::Indirect(indirect);
                self.add(at, Kind::OutsideWrite, Some(lane as u8), |_| detail);
            }
        }
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.written.clear();
        self.loaded.clear();
        let known = Arc::clone(&self.known);
        let mut found = Vec::new();
        uses::op(op, on, known.facts, arena, |used| {
            if self.is_suspect(&used) {
                found.push(used);
            }
        });
        for used in found {
            if !does_not_matter(op, &used, &self.shadow, known.facts, arena) {
                self.used(at, used, arena);
            }
        }
        match op {
            Op::Alu(alu) => {
                self.destination(at, &alu.dst, alu.lanes, on.mask, arena);
                if let Some(dst2) = &alu.dst2 {
                    self.destination(at, dst2, alu.lanes, on.mask, arena);
                    self.two_results(at, alu, dst2, on.mask, arena);
                }
                if let Some(offset) = alu.overflow {
                    self.shadow.write_bits(offset, on.mask << alu.lanes.offset);
                }
            }
            Op::Compare { lanes, dst, .. } => match dst {
                CompareDest::General(dst) => self.destination(at, dst, *lanes, on.mask, arena),
                CompareDest::Predicate(offset) => {
                    self.shadow.write_bits(*offset, on.mask << lanes.offset);
                }
            },
            Op::SetPredicate {
                lanes, dst, scalar, ..
            } => {
                let mask = if *scalar { lanes.all() } else { on.mask };
                self.shadow.write_bits(*dst, mask << lanes.offset);
            }
            Op::PredicateLogic {
                opcode,
                lanes,
                dst,
                src,
            } => {
                let mask = on.mask << lanes.offset;
                self.combine(*opcode, *dst, *src, mask, arena);
            }
            Op::Barrier(Barrier::Whole | Barrier::Wait) => self.barriers.push(at.pc),
            Op::Send(send) => {
                if let SendBody::Raw(raw) = &send.body {
                    self.raw(at, raw);
                }
            }
            _ => {}
        }
    }

    /// `and`, `or`, `xor`, `not` of predicates: which bits of the result are those of written ones. A
    /// written 0 decides an `and`, a written 1 an `or`.
    fn combine(&mut self, opcode: Opcode, dst: u32, src: [u32; 2], mask: u32, arena: &[u8]) {
        let [a, b] = src.map(|at| (dword(arena, at), self.shadow.written_bits(at)));
        let both = a.1 & b.1;
        let decided = match opcode {
            Opcode::And => a.1 & !a.0 | b.1 & !b.0,
            Opcode::Or => a.1 & a.0 | b.1 & b.0,
            _ => 0,
        };
        self.shadow.replace_bits(dst, both | decided, mask);
    }

    /// Whether a use is worth a look: nearly all are of bytes that were written.
    #[inline]
    fn is_suspect(&self, used: &Use) -> bool {
        match used.what {
            What::Bytes { offset, size } => {
                self.shadow.first_undefined(offset, size).is_some()
                    || self.known.class(offset) == Some(SymbolClass::Predicate)
            }
            _ => true,
        }
    }

    /// Two results of one instruction in the same bytes: which one stays is not said.
    fn two_results(&mut self, at: At, alu: &Alu, dst2: &Dest, mask: u32, arena: &[u8]) {
        let (facts, sink) = (self.known.facts, self.known.program.sink);
        let place = |dst: &Dest, lane| {
            let size = dst.ty.bytes();
            uses::element(&dst.region, lane, size, facts, sink, arena).map(|at| at..at + size)
        };
        let count = alu.lanes.count.into();
        for lane in active(mask, count) {
            let Some(first) = place(&alu.dst, lane) else {
                continue;
            };
            let second = active(mask, count).filter_map(|lane| place(dst2, lane));
            if let Some(second) = second.into_iter().find(|s| overlap(&first, s)) {
                let detail = Detail::Ranges("the two results", first, second);
                self.add(at, Kind::Overlap, Some(lane as u8), |_| detail);
                return;
            }
        }
    }

    /// A raw message whose response lies on its payload, or whose payloads lie on each other.
    fn raw(&mut self, at: At, raw: &RawMessage) {
        let grf = self.known.facts.grf;
        let range = |place: Option<Raw>, registers: u32| {
            let place = place.filter(|_| registers > 0)?;
            let end = place.offset.saturating_add(registers.saturating_mul(grf));
            Some(place.offset..end.min(place.end))
        };
        let [first, second, response] = raw.lengths;
        let parts = [range(raw.payload[0], first), range(raw.payload[1], second)];
        let response = range(raw.dst, response);
        let pairs = [
            ("the response and the payload", &response, &parts[0]),
            ("the response and the second payload", &response, &parts[1]),
            ("the two payloads", &parts[0], &parts[1]),
        ];
        for (what, a, b) in pairs {
            if let (Some(a), Some(b)) = (a, b)
                && overlap(a, b)
            {
                let detail = Detail::Ranges(what, a.clone(), b.clone());
                self.add(at, Kind::Overlap, None, |_| detail);
                return;
            }
        }
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        let &Access {
            space,
            kind,
            lane,
            spot,
            bytes,
            inside,
            ..
        } = access;
        let memory = |wanted| Detail::Memory {
            space,
            spot,
            bytes,
            inside,
            wanted,
        };
        // Addresses without memory stop the run, which says it; reads of a media block repeat the edge,
        // which is what they are for.
        let stops = matches!(space, SpaceName::Flat | SpaceName::Scratch);
        let repeats = kind == AccessKind::Read && matches!(spot, Spot::Block(..));
        if inside < bytes && !stops && !repeats {
            self.add(at, Kind::OutsideMemory(kind), lane, |_| memory(0));
        }
        // Byte scattered messages, which these become, take any address: compiled kernels use that.
        let scattered = matches!(
            at.site.opcode,
            Opcode::GatherScaled | Opcode::ScatterScaled | Opcode::RawSend | Opcode::RawSends
        );
        // So do LSC loads and stores.
        let lsc = at.site.opcode.info().family == Family::Lsc && kind != AccessKind::Atomic;
        if let Some(wanted) = access.misaligned.filter(|_| !scattered && !lsc) {
            self.add(at, Kind::Misaligned(kind), lane, |_| memory(wanted));
        }
        if let (AccessKind::Write, Some(lane)) = (kind, lane) {
            for (i, &value) in access.data.iter().take(inside as usize).enumerate() {
                let byte = (access.memory, access.start + i as u64);
                match self.written.insert(byte, (value, lane)) {
                    Some((before, other)) if before != value && other != lane => {
                        let detail = Detail::Lanes { space, spot, other };
                        self.add(at, Kind::Disagree, Some(lane), |_| detail);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Shared and scratch memory hold nothing at the start: which of the bytes that are read were never
    /// written, counted from the first.
    fn unwritten(written: &mut Bitmap, access: &Access<'_>) -> Vec<u32> {
        let (start, inside) = (access.start, access.inside);
        let read = access.kind != AccessKind::Write;
        let bytes = (0..inside).filter(|&i| read && !written.has(start + u64::from(i)));
        let bytes = bytes.collect();
        if access.kind != AccessKind::Read {
            written.add(start, inside);
        }
        bytes
    }
}

impl Known {
    /// The declared bits of the predicate at an offset.
    fn predicate_bits(&self, offset: u32) -> u32 {
        let symbols = &self.program.symbols;
        let found = symbols
            .values()
            .find(|s| s.offset == offset && s.class == SymbolClass::Predicate);
        found.map_or(0, |s| {
            Lanes {
                count: s.elements.min(32) as u8,
                offset: 0,
                no_mask: true,
            }
            .all()
        })
    }
}

fn dword(arena: &[u8], offset: u32) -> u32 {
    let bytes = arena.get(offset as usize..).unwrap_or_default();
    bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
}

/// Whether undefined bytes of a source leave the result as it is: both sources of a comparison or an
/// `xor` are the same integers, or the other side of an `and` has zeros there.
fn does_not_matter(op: &Op, used: &Use, shadow: &Shadow, facts: Facts, arena: &[u8]) -> bool {
    let Part::Source(k) = used.part else {
        return false;
    };
    let same = |a: &Source, b: &Source| a == b && a.ty.is_integer();
    match op {
        Op::Compare { src, .. } => same(&src[0], &src[1]),
        Op::Alu(alu) if alu.src.len() == 2 => match alu.opcode {
            Opcode::Xor => same(&alu.src[0], &alu.src[1]),
            Opcode::And => {
                let What::Bytes { offset, size } = used.what else {
                    return false;
                };
                let other = &alu.src[1 - usize::from(k.min(1))];
                // The byte that meets byte `i` is inside the other element.
                let (lane, outside) = (used.lane.unwrap_or(0).into(), facts.zero);
                let width = other.ty.bytes();
                let at = uses::element(&other.region, lane, width, facts, outside, arena);
                let Some(at) = at.filter(|_| other.modifier.is_none() && width >= size) else {
                    return false;
                };
                (0..size).all(|i| {
                    let zero = arena.get((at + i) as usize) == Some(&0)
                        && shadow.first_undefined(at + i, 1).is_none();
                    zero || shadow.first_undefined(offset + i, 1).is_none()
                })
            }
            _ => false,
        },
        _ => false,
    }
}

fn overlap(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The bits that `any` or `all` goes by although they were never written; `None` if the others decide.
fn undecided(guard: Guard, shadow: &Shadow, arena: &[u8]) -> Option<u32> {
    let declared = guard.declared();
    let written = shadow.written_bits(guard.offset) & declared;
    let missing = declared & !written;
    let value = dword(arena, guard.offset);
    let decided = match guard.group {
        Group::Any => value & written != 0,
        Group::All => !value & written != 0,
        Group::Each => false,
    };
    (missing != 0 && !decided).then_some(missing)
}

impl Observer for Checker<'_> {
    fn started(&mut self, start: &Start<'_>) {
        let known = self.sanitizer.known.get(start);
        self.state = Some(State {
            shadow: Shadow::new(&known, start.given),
            thread: start.thread,
            group_threads: start.group_threads,
            findings: BTreeMap::new(),
            barriers: Vec::new(),
            scratch: Bitmap::default(),
            loaded: Vec::new(),
            nowhere: HashMap::new(),
            written: HashMap::new(),
            known,
        });
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        if let Some(state) = &mut self.state {
            state.before(at, op, on, arena);
        }
    }

    fn wrote(&mut self, at: At, offset: u32, bytes: &[u8]) {
        if let Some(state) = &mut self.state {
            let range = offset..offset + bytes.len() as u32;
            if state.known.class(offset) != Some(SymbolClass::Predicate) {
                state.shadow.set(range, Origin::Written(at.pc));
            }
            // What a load returns is written right after it.
            for byte in std::mem::take(&mut state.loaded) {
                if byte < bytes.len() as u32 {
                    let byte = offset + byte;
                    state.shadow.set(byte..byte + 1, Origin::Undefined(at.pc));
                }
            }
        }
    }

    fn undefined(&mut self, at: At, range: &Range<u32>) {
        if let Some(state) = &mut self.state
            && !range.is_empty()
        {
            state.shadow.set(range.clone(), Origin::Undefined(at.pc));
        }
    }

    fn payload(&mut self, at: At, send: &Send, mask: u32, arena: &[u8]) {
        let Some(state) = &mut self.state else { return };
        let mut found = Vec::new();
        let facts = state.known.facts;
        uses::message(&send.body, send.lanes, mask, facts, arena, |used| {
            // Scalars came with the header, which was read already.
            if used.lane.is_some() || used.part == Part::Message("data") {
                found.push(used);
            }
        });
        for used in found {
            state.used(at, used, arena);
        }
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        let Some(state) = &mut self.state else { return };
        state.access(at, access);
        let bytes = match access.space {
            _ if access.inside == 0 => return,
            SpaceName::Scratch => State::unwritten(&mut state.scratch, access),
            SpaceName::Shared => {
                let shared = self.sanitizer.shared.lock();
                let mut shared = shared.unwrap_or_else(PoisonError::into_inner);
                let group = shared.groups.entry(at.thread.group).or_default();
                State::unwritten(&mut group.local, access)
            }
            SpaceName::Surface(_) | SpaceName::Flat | SpaceName::Private => return,
        };
        if bytes.is_empty() {
            return;
        }
        if access.kind == AccessKind::Atomic {
            let detail = Detail::Memory {
                space: access.space,
                spot: access.spot,
                bytes: access.bytes,
                inside: access.inside,
                wanted: 0,
            };
            state.add(at, Kind::UnwrittenMemory, access.lane, |_| detail);
        } else {
            // It is told where the registers they come to are used.
            let from = (access.space, access.spot);
            state.nowhere.entry(at.pc).or_insert(from);
            state.loaded = bytes;
        }
    }

    fn function(&mut self, _at: At, function: u32, left: bool) {
        if let Some(state) = &mut self.state {
            if left {
                state.shadow.leave(&state.known);
            } else {
                state.shadow.enter(&state.known, function);
            }
        }
    }

    fn ended(&mut self, _thread: ThreadId, trapped: bool) {
        let Some(mut state) = self.state.take() else {
            return;
        };
        let shared = self.sanitizer.shared.lock();
        let mut shared = shared.unwrap_or_else(PoisonError::into_inner);
        let id = state.thread;
        let group = shared.groups.entry(id.group).or_default();
        group.ended += 1;
        let last = group.ended >= state.group_threads;
        if state.known.barriers && !trapped {
            match &group.barriers {
                None => group.barriers = Some((id, std::mem::take(&mut state.barriers))),
                Some((other, theirs)) => {
                    if let Some((key, finding)) = parted(id, &state.barriers, *other, theirs) {
                        state.findings.insert(key, finding);
                    }
                }
            }
        }
        if last {
            shared.groups.remove(&id.group);
        }
        for (key, finding) in state.findings {
            match shared.findings.get_mut(&key) {
                Some(before) => before.merge(finding),
                None => {
                    shared.findings.insert(key, finding);
                }
            }
        }
    }
}

/// The first barrier at which two threads of a group did not meet.
fn parted(
    thread: ThreadId,
    own: &[u32],
    other: ThreadId,
    theirs: &[u32],
) -> Option<(Key, Finding)> {
    let finding = |thread, detail, step: usize| Finding {
        thread,
        step: step as u64,
        lane: None,
        lanes: 0,
        count: 1,
        detail,
    };
    let rounds = own.len().max(theirs.len());
    let round = (0..rounds).find(|&k| own.get(k) != theirs.get(k))?;
    let early = |pc: u32, waits: ThreadId, ended: ThreadId| {
        let detail = Detail::Other { pc, thread: ended };
        ((pc, Kind::EndedEarly), finding(waits, detail, round))
    };
    Some(match (own.get(round), theirs.get(round)) {
        (Some(&pc), Some(&at)) => {
            let detail = Detail::Other {
                pc: at,
                thread: other,
            };
            ((pc, Kind::OtherBarrier), finding(thread, detail, round))
        }
        (Some(&pc), None) => early(pc, thread, other),
        (None, Some(&pc)) => early(pc, other, thread),
        (None, None) => return None,
    })
}

/// What the finding is called, and the section that says so.
fn title(kind: Kind) -> (Code, &'static str) {
    match kind {
        Kind::Register(_, Nothing::Never) => (Code::U0670, "launch reference 2"),
        Kind::Register(_, Nothing::Message) => (Code::U0671, "vISA text reference 6.7 and 6.8"),
        Kind::Register(_, Nothing::Memory) => (Code::U0680, "launch reference 7"),
        Kind::Predicate(_) => (Code::U0672, "launch reference 2"),
        Kind::OutsideRead(_) | Kind::OutsideWrite => {
            (Code::U0673, "vISA text reference 4.4 and 4.6")
        }
        Kind::OutsideMemory(_) => (Code::U0674, "vISA text reference 5.9; PRM 5.10.5"),
        Kind::Misaligned(_) => (Code::U0675, "vISA text reference 5.9 and 5.10"),
        Kind::OtherBarrier => (Code::U0676, "vISA text reference 5.13"),
        Kind::EndedEarly => (Code::U0677, "launch reference 7"),
        Kind::Overlap => (Code::U0678, "vISA text reference 5.2 and 5.12"),
        Kind::Disagree => (Code::U0679, "PRM 5.10, \"Writes to overlapping addresses\""),
        Kind::UnwrittenMemory => (Code::U0680, "launch reference 7"),
    }
}

/// A finding as a diagnostic.
fn say(known: &Known, (pc, kind): Key, finding: &Finding) -> Diagnostic {
    let (code, see) = title(kind);
    let mut diagnostic = Diagnostic::new(code);
    match (&finding.detail, kind) {
        (
            Detail::Register {
                offset,
                size,
                origin,
                near,
                memory,
            },
            Kind::Register(part, _),
        ) => {
            let bytes = known.bytes(*offset, *size);
            let label = format!("{part} reads {bytes} in {}", known::lane(finding.lane));
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic = came_from(known, diagnostic, *offset, *origin, *near, *memory);
        }
        (Detail::Bits { offset, bits }, Kind::Predicate(part)) => {
            let name = known.program.owner(*offset).map_or("?", |o| &o.name);
            let label =
                format!("{part} goes by bits {bits:#x} of `{name}`, which nothing has written");
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic = declared(known, diagnostic, *offset);
        }
        (Detail::Indirect(indirect), kind) => {
            let what = match kind {
                Kind::OutsideRead(part) => part.to_string(),
                _ => "the destination".to_string(),
            };
            let lane = known::lane(finding.lane);
            let label = if *indirect {
                format!("{what} points outside the registers in {lane}")
            } else {
                format!("{what} lies outside its variable in {lane}")
            };
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic = diagnostic.note("visim reads zero there, and lets writes vanish");
        }
        (
            Detail::Memory {
                space,
                spot,
                bytes,
                inside,
                wanted,
            },
            kind,
        ) => {
            let (place, spot) = (known.space(*space), known::spot(*spot));
            let lane = known::lane(finding.lane);
            let (label, note) = match kind {
                Kind::OutsideMemory(access) => {
                    let served = match access {
                        AccessKind::Read => "what lies outside is read as zero",
                        AccessKind::Write => "what lies outside is not written",
                        AccessKind::Atomic => "nothing is changed, and zero comes back",
                    };
                    let there = format!("{inside} of {bytes} bytes from {spot} of {place} exist");
                    (format!("{there}, in {lane}"), served.to_string())
                }
                Kind::Misaligned(_) => (
                    format!("{lane} asks for {spot} of {place}"),
                    format!("it wants a multiple of {wanted}"),
                ),
                _ => (
                    format!("{lane} reads {bytes} bytes from {spot} of {place}"),
                    "it holds nothing when a group or thread starts; visim has zeros there"
                        .to_string(),
                ),
            };
            diagnostic = known.at(diagnostic, pc, &label).note(note);
        }
        (Detail::Lanes { space, spot, other }, _) => {
            let (place, spot) = (known.space(*space), known::spot(*spot));
            let lane = finding.lane.unwrap_or_default();
            let label =
                format!("lanes {other} and {lane} write different values to {spot} of {place}");
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic =
                diagnostic.note("their order is not defined; visim goes from lane 0 upwards");
        }
        (Detail::Ranges(what, a, b), _) => {
            let bytes = |r: &Range<u32>| known.bytes(r.start, r.end - r.start);
            let label = format!("{what} overlap: {} and {}", bytes(a), bytes(b));
            diagnostic = known.at(diagnostic, pc, &label);
        }
        (Detail::Other { pc: at, thread }, Kind::OtherBarrier) => {
            diagnostic = known.at(diagnostic, pc, &format!("{} waits here", finding.thread));
            diagnostic = known.and_at(diagnostic, *at, &format!("{thread} waits here"));
        }
        (Detail::Other { thread, .. }, _) => {
            diagnostic = known.at(diagnostic, pc, &format!("{} waits here", finding.thread));
            diagnostic = diagnostic.note(format!("{thread} ended without coming to it"));
        }
        _ => {}
    }
    let Finding {
        thread,
        step,
        lanes,
        count,
        ..
    } = finding;
    if !matches!(kind, Kind::OtherBarrier | Kind::EndedEarly) {
        diagnostic = diagnostic.note(format!("first in {thread}, its instruction number {step}"));
    }
    if *count > 1 {
        let lanes = match lanes {
            0 => String::new(),
            lanes => format!(", in lanes {lanes:#x}"),
        };
        diagnostic = diagnostic.note(format!("{count} times in all{lanes}"));
    }
    diagnostic.see(see)
}

/// Says where undefined bytes come from.
fn came_from(
    known: &Known,
    diagnostic: Diagnostic,
    offset: u32,
    origin: Origin,
    near: Option<(u32, u32)>,
    memory: Option<(SpaceName, Spot)>,
) -> Diagnostic {
    let diagnostic = match origin {
        Origin::Undefined(by) => {
            let how = match memory {
                None => "this message leaves them undefined".to_string(),
                Some((space, spot)) => {
                    let (place, spot) = (known.space(space), known::spot(spot));
                    format!("loaded here, first from {spot} of {place}, which nothing has written")
                }
            };
            return known.and_at(diagnostic, by, &how);
        }
        _ => declared(known, diagnostic, offset),
    };
    match near {
        Some((at, by)) => {
            let bytes = known.bytes(at, 1);
            known.and_at(diagnostic, by, &format!("writes {bytes}, but not these"))
        }
        None => diagnostic,
    }
}

/// Points at the declaration of the variable that owns a byte.
fn declared(known: &Known, diagnostic: Diagnostic, offset: u32) -> Diagnostic {
    let Some(owner) = known.program.owner(offset) else {
        return diagnostic;
    };
    let mut inputs = known.program.inputs.iter();
    if inputs.any(|i| owner.range.contains(&i.arena)) {
        let note = format!(
            "`{}` is an input that this launch does not give",
            owner.name
        );
        return diagnostic.note(note);
    }
    if owner.declared.start == owner.declared.end {
        return diagnostic;
    }
    diagnostic.and_at(owner.declared, "declared here, and nothing is in it then")
}
