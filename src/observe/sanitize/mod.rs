//! The sanitizer: what a run does that the hardware promises nothing for, or that is hardly meant.
//!
//! Each thread has a shadow that says where every byte of its registers comes from; each
//! instruction's operands ([`uses`]) are looked up in it before it runs. Memory accesses are looked at as
//! they are served. A finding is reported once for each instruction and kind, with how often it came.
//!
//! Most runs have none, and that is found out first, in far less time (`scout`): what a program reads of its registers was
//! written on all ways, and every message is looked at, or seen by the executor to do nothing that is reported. If that
//! leaves a doubt, what it has done to memory is undone, and the run is looked at step by step.
//!
//! ```text
//!  registers   never written · left undefined by a message or an instruction · lifetime over · outside the variable
//!  edges       blocks and samplers beyond a surface, if asked for
//!  memory      outside the surface · misaligned · never written (shared, scratch, private) · lanes that disagree
//!  group       threads at different barriers, or ended while others wait; a part of a thread's lanes at one
//! ```

mod barriers;
mod edges;
mod finding;
mod memory;
mod plain;
mod registers;
mod report;
mod scout;
mod stretch;

use super::known::{Cell, Known};
use super::shadow::{Origin, Shadow};
use super::uses;
use crate::diagnostic::Diagnostic;
use crate::exec::observer::{
    Access, AccessKind, At, Edge, MeetingStep, Observer, Payload, Running, SpaceName, Spot, Start,
    Wants,
};
use crate::exec::{Meeting, ThreadId};
use crate::program::Op;
use finding::{AddressUse, Detail, Finding, Key, Kind};
use memory::{Bitmap, Old, Written};
use plain::Plain;
use scout::Cleared;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use stretch::Place;

/// Collects what the threads of a run find.
#[derive(Debug, Default)]
pub struct Sanitizer {
    known: Cell,
    plain: OnceLock<Arc<Vec<Option<Plain>>>>,
    /// By the op that they begin with.
    stretches: OnceLock<Arc<Vec<Place>>>,
    /// What threads start with.
    shadow: OnceLock<Shadow>,
    shared: Mutex<Shared>,
    /// Ways to begin of which is known whether registers have to be looked at.
    cleared: Mutex<Vec<Cleared>>,
    /// A thread has left a doubt.
    doubted: AtomicBool,
    /// Each step is looked at.
    steps: AtomicBool,
    /// Whether blocks and samplers are reported that go beyond a surface, which is defined.
    edges: bool,
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
    /// Named barriers that threads have come to and that are not complete, with the first that came.
    named: BTreeMap<Meeting, At>,
    /// Bytes of shared local memory that have been written.
    local: Arc<Mutex<Bitmap>>,
}

impl Sanitizer {
    /// One that also reports messages of blocks and samplers that go beyond the edges of a surface.
    pub fn with_edges() -> Sanitizer {
        Sanitizer {
            edges: true,
            ..Sanitizer::default()
        }
    }

    /// One that looks at each step from the start; it finds the same.
    pub fn step_by_step() -> Sanitizer {
        Sanitizer {
            steps: AtomicBool::new(true),
            ..Sanitizer::default()
        }
    }

    /// Whether a run has left a doubt, so that steps were looked at.
    pub fn has_doubted(&self) -> bool {
        self.doubted.load(Relaxed)
    }

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
            .map(|(key, finding)| report::say(known, *key, finding))
            .collect()
    }
}

/// Watches one thread for the [`Sanitizer`].
pub struct Checker<'w> {
    sanitizer: &'w Sanitizer,
    state: Option<Box<State>>,
}

/// What is kept while the thread runs.
struct State {
    known: Arc<Known>,
    plain: Arc<Vec<Option<Plain>>>,
    stretches: Arc<Vec<Place>>,
    /// Instructions that are looked at one by one.
    told: Range<u32>,
    /// No more is told than what leaves a doubt.
    scouts: bool,
    /// Something may have to be reported.
    doubts: bool,
    thread: ThreadId,
    group_threads: u32,
    slm_used: u32,
    shadow: Shadow,
    findings: BTreeMap<Key, Finding>,
    barriers: Vec<u32>,
    /// The lanes that the thread began with.
    lanes: u32,
    /// The last branch that all lanes came to and a part of them took.
    parted: Option<u32>,
    /// Bytes of the group's shared local memory that have been written.
    local: Arc<Mutex<Bitmap>>,
    /// Bytes of scratch memory that have been written.
    scratch: Bitmap,
    /// And of private memory.
    private: Bitmap,
    /// What the atomic at hand does with what was there.
    old: Old,
    /// What the instruction at hand goes by to find registers or memory.
    places: Vec<AddressUse>,
    /// The instruction at hand and its lanes, if `places` have yet to be found out.
    unplaced: Option<(u32, Running)>,
    /// Bytes of the access at hand that hold nothing, for the registers they come to.
    loaded: Vec<u32>,
    /// Results of the instruction at hand that the reference calls undefined.
    unsaid: Vec<Range<u32>>,
    /// Messages that loaded such bytes, and the first place.
    nowhere: HashMap<u32, (SpaceName, Spot)>,
    /// What lanes of the message at hand have written.
    written: Written,
}

impl State {
    fn add(&mut self, at: At, kind: Kind, lane: Option<u8>, detail: impl FnOnce(&State) -> Detail) {
        if self.scouts {
            self.doubts = true;
            return;
        }
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
}

impl Checker<'_> {
    /// What is kept where each step is told.
    fn steps(&mut self) -> Option<&mut State> {
        self.state.as_deref_mut().filter(|state| !state.scouts)
    }
}

impl Observer for Checker<'_> {
    fn wants(&self) -> Wants {
        // Texels that samplers fetch exist and are only read.
        match self.sanitizer.edges {
            true => Wants::All,
            false if self.sanitizer.steps.load(Relaxed) => Wants::Steps,
            false => Wants::Doubts,
        }
    }

    fn started(&mut self, start: &Start<'_>) {
        let known = self.sanitizer.known.get(start);
        let shared = self.sanitizer.shared.lock();
        let mut shared = shared.unwrap_or_else(PoisonError::into_inner);
        let local = &shared.groups.entry(start.thread.group).or_default().local;
        let plain = self
            .sanitizer
            .plain
            .get_or_init(|| Arc::new(plain::plain(&known)));
        let stretches = self.sanitizer.stretches.get_or_init(|| {
            let ops = known.program.ops.iter();
            Arc::new(ops.map(|_| Place::default()).collect())
        });
        let scouts = start.told == Wants::Doubts;
        let shadow = match scouts {
            true => Shadow::default(),
            false => {
                let shadow = self.sanitizer.shadow.get_or_init(|| Shadow::new(&known));
                let mut shadow = shadow.clone();
                shadow.give(&known, start.given);
                shadow
            }
        };
        self.state = Some(Box::new(State {
            plain: Arc::clone(plain),
            stretches: Arc::clone(stretches),
            told: 0..0,
            scouts,
            doubts: scouts && !self.sanitizer.is_cleared(&known, start),
            unplaced: None,
            shadow,
            thread: start.thread,
            group_threads: start.group_threads,
            slm_used: start.slm_used,
            findings: BTreeMap::new(),
            barriers: Vec::new(),
            lanes: start.lanes,
            parted: None,
            local: Arc::clone(local),
            scratch: Bitmap::default(),
            private: Bitmap::default(),
            old: Old::Used,
            places: Vec::new(),
            loaded: Vec::new(),
            unsaid: Vec::new(),
            nowhere: HashMap::new(),
            written: Written::default(),
            known,
        }));
    }

    fn lets_run(&mut self, ops: Range<u32>, mask: u32, arena: &[u8]) -> u32 {
        let state = self.state.as_mut();
        state.map_or(0, |state| state.lets_run(ops, mask, arena))
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        match &mut self.state {
            Some(state) if state.scouts => state.meets(at, op, on),
            Some(state) => state.before(at, op, on, arena),
            None => {}
        }
    }

    fn halts(&mut self) -> bool {
        let state = self.state.as_deref().filter(|state| state.scouts);
        state.is_some_and(|state| state.doubts || self.sanitizer.doubted.load(Relaxed))
    }

    fn doubts(&mut self, cut_short: bool) -> bool {
        self.sanitizer.doubts(cut_short)
    }

    fn knows_shared(&mut self, bytes: u64) -> bool {
        let state = self.state.as_mut();
        state.is_some_and(|state| state.knows_shared(bytes))
    }

    fn after(&mut self, at: At, _op: &Op, _on: Running, _arena: &[u8]) {
        if let Some(state) = self.steps() {
            state.after(at);
        }
    }

    fn wrote(&mut self, at: At, offset: u32, bytes: &[u8]) {
        if let Some(state) = self.steps() {
            let range = offset..offset + bytes.len() as u32;
            state.about_to_write(&range);
            if !state.known.is_predicate(offset) {
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
        if let Some(state) = self.steps()
            && !range.is_empty()
        {
            state.about_to_write(range);
            state.shadow.set(range.clone(), Origin::Undefined(at.pc));
        }
    }

    fn payload(&mut self, at: At, payload: &Payload<'_>, arena: &[u8]) {
        let Some(state) = self.steps() else { return };
        state.old = Old::of_request(payload.request);
        if state.known.program.platform.is_gen5() {
            state.registers_of(at, payload);
            return;
        }
        let mut found = Vec::new();
        let facts = state.known.facts;
        let mut places = std::mem::take(&mut state.places);
        uses::payload(payload, facts, arena, |used| {
            places.extend(state.place(&used));
            found.push(used);
        });
        state.places = places;
        for used in found {
            state.used(at, used, arena);
        }
    }

    fn edge(&mut self, at: At, edge: &Edge) {
        if let (true, Some(state)) = (self.sanitizer.edges, &mut self.state) {
            state.edge(at, edge);
        }
    }

    fn access(&mut self, at: At, access: &Access<'_>) {
        let Some(state) = &mut self.state else { return };
        if self.sanitizer.edges {
            state.block_edge(at, access);
        }
        let access = &state.owned(access);
        state.access(at, access);
        let bytes = match access.space {
            _ if access.inside == 0 => return,
            SpaceName::Scratch => state.old.unwritten(&mut state.scratch, access),
            SpaceName::Private => state.old.unwritten(&mut state.private, access),
            SpaceName::Shared => {
                let mut local = state.local.lock().unwrap_or_else(PoisonError::into_inner);
                state.old.unwritten(&mut local, access)
            }
            SpaceName::Surface(_) | SpaceName::Flat => return,
        };
        if bytes.is_empty() {
            return;
        }
        if access.kind == AccessKind::Atomic && state.old == Old::Used {
            state.unwritten_atomic(at, access);
        } else if state.scouts {
            state.doubts = true;
        } else {
            // It is reported where the registers they come to are used.
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

    fn named_barrier(&mut self, at: At, meeting: Meeting, step: MeetingStep) {
        let shared = self.sanitizer.shared.lock();
        let mut shared = shared.unwrap_or_else(PoisonError::into_inner);
        let group = shared.groups.entry(at.thread.group).or_default();
        match step {
            MeetingStep::Came => {
                group.named.entry(meeting).or_insert(at);
            }
            MeetingStep::Completed => {
                group.named.remove(&meeting);
            }
            MeetingStep::Passed => {}
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
        if state.doubts {
            self.sanitizer.doubted.store(true, Relaxed);
        }
        if state.known.barriers && !trapped {
            match &group.barriers {
                None => group.barriers = Some((id, std::mem::take(&mut state.barriers))),
                Some((other, theirs)) => {
                    if let Some((key, finding)) =
                        barriers::parted(id, &state.barriers, *other, theirs)
                    {
                        self.sanitizer.doubted.fetch_or(state.scouts, Relaxed);
                        state.findings.insert(key, finding);
                    }
                }
            }
        }
        if last && !trapped {
            let open = std::mem::take(&mut group.named);
            let doubts = state.scouts && !open.is_empty();
            self.sanitizer.doubted.fetch_or(doubts, Relaxed);
            state.findings.extend(open.into_iter().map(barriers::left));
        }
        if last {
            shared.groups.remove(&id.group);
        }
        if state.scouts {
            return;
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
