//! Watches a run and writes the records of it.

use super::images::Images;
use super::layouts::Layouts;
use super::record::{
    End, Operand, Place, Record, Sent, Spot as Where, State, Step, Texel, Thread, Touched, Window,
    hex,
};
use super::still::{self, Plan, SendPlan};
use crate::check::Checked;
use crate::exec::bindings::Sampler;
use crate::exec::observer::{
    Access, AccessKind, At, Observer, Payload, Running, SpaceName, Spot, Start,
};
use crate::exec::{Bindings, ThreadId};
use crate::explain::bits::descriptors;
use crate::finalizer::{Leaf, Release, Value};
use crate::isa::Type;
use crate::message::Request;
use crate::observe::space;
use crate::observe::uses::{self, Facts};
use crate::program::{Barrier, Op, Program};
use crate::sampler::sample::Taken;
use crate::source::Source;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is recorded of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Thread numbers in launch order; empty: all of them.
    pub threads: Vec<u32>,
    /// The first instruction of each thread, by its number in the thread's run, from 1.
    pub from: u64,
    /// Steps at most; what comes after them is counted.
    pub most_steps: u64,
    /// Bytes of records at most; as for `most_steps`.
    pub most_bytes: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: Vec::new(),
            from: 1,
            most_steps: 100_000,
            most_bytes: 256 << 20,
        }
    }
}

/// Where records go: each with its line.
pub type Sink<'s> = Box<dyn FnMut(&Record, &str) + Send + 's>;

/// Steps after which a window may end, and steps after which it does.
const WINDOW: [u64; 2] = [512, 4096];

/// Bytes of texels and accesses of all steps together, and of one step, roughly.
const MOST_DETAIL: [usize; 2] = [64 << 20, 256 << 10];

/// Writes the records of a run, whose threads run one at a time.
pub struct Recorder<'r>(Mutex<Core<'r>>);

struct Core<'r> {
    options: Options,
    program: &'r Program,
    facts: Facts,
    plans: Vec<Plan>,
    layouts: Layouts,
    images: Images,
    sink: Sink<'r>,
    threads: BTreeMap<u32, Followed>,
    /// The instruction at hand.
    step: Option<At>,
    pending: Step,
    bytes: u64,
    /// Texels and accesses, and those of the step at hand.
    detail: [usize; 2],
    /// Steps of the window, bytes of its states, bytes that were written.
    window: [u64; 3],
    windows: u64,
    /// The surface whose texels the message at hand takes.
    surface: Option<u32>,
    /// Which states of the scaler shuffle what they return.
    shuffled: BTreeMap<u32, bool>,
    end: End,
}

/// A thread that runs.
#[derive(Default)]
struct Followed {
    /// Its registers, as the records tell them.
    registers: Vec<u8>,
    /// The window in which its state was written.
    window: u64,
    /// Its place among the threads of the end.
    place: usize,
}

impl<'r> Recorder<'r> {
    /// Records a run of `program`, with the memory that is bound now, to `sink`, where the first record goes at once.
    ///
    /// * `text`: what was checked, and the release of the finalizer whose messages are shown; `None` for programs that are
    ///   made of sends.
    pub fn new(
        program: &'r Program,
        bindings: &Bindings,
        source: &Source,
        text: Option<(&Checked, Release)>,
        options: Options,
        sink: Sink<'r>,
    ) -> Recorder<'r> {
        let mut layouts = Layouts::new(program.platform);
        let (first, plans) = still::program(source, text, program, &mut layouts);
        let name = |index: u32| space(program, SpaceName::Surface(index));
        let samplers = bindings.samplers.iter();
        let shuffled = samplers.filter_map(|(index, sampler)| match sampler {
            Sampler::Avs(state) => Some((*index, state.output_shuffle)),
            _ => None,
        });
        let mut core = Core {
            options,
            program,
            facts: Facts::new(program),
            end: End {
                executed: vec![0; plans.len()],
                ..End::default()
            },
            plans,
            layouts,
            images: Images::new(bindings, name),
            sink,
            threads: BTreeMap::new(),
            step: None,
            pending: Step::default(),
            bytes: 0,
            detail: [0; 2],
            window: [0; 3],
            windows: 0,
            surface: None,
            shuffled: shuffled.collect(),
        };
        core.write(&Record::Program(first));
        core.write_layouts();
        Recorder(Mutex::new(core))
    }

    /// Watches one thread.
    pub fn thread(&self) -> StepObserver<'_, 'r> {
        StepObserver { recorder: self }
    }

    fn core(&self) -> MutexGuard<'_, Core<'r>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is over; `problem` says why it did not come to its end. What the last records say, without the surfaces.
    pub fn end(self, problem: Option<String>) -> End {
        let mut core = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        core.flush(true);
        let last = core.end.steps;
        for surface in core.images.end(last) {
            core.write(&Record::Surface(surface));
        }
        core.end.problem = problem;
        let end = core.end.clone();
        core.write(&Record::End(end));
        core.end
    }
}

impl Core<'_> {
    fn write(&mut self, record: &Record) {
        // Only maps whose keys are not texts cannot be JSON, and there are none.
        let line = serde_json::to_string(record).unwrap_or_default();
        self.bytes += line.len() as u64;
        (self.sink)(record, &line);
    }

    fn write_layouts(&mut self) {
        for layout in self.layouts.news() {
            self.write(&Record::Layout(layout));
        }
    }

    /// Whether a step is recorded.
    fn takes(&self, at: At) -> bool {
        let threads = &self.options.threads;
        let wanted = threads.is_empty() || threads.contains(&at.thread.index);
        wanted && at.step >= self.options.from
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.flush(true);
        if !self.takes(at) {
            return;
        }
        let full =
            self.end.steps >= self.options.most_steps || self.bytes >= self.options.most_bytes;
        if full {
            self.end.left_out += 1;
            self.threads.clear();
            return;
        }
        let changes = self.meet(at.thread, arena);
        self.end.steps += 1;
        self.window[0] += 1;
        let thread = at.thread.index;
        let place = self.threads.get(&thread).map_or(0, |t| t.place);
        let number = self.end.steps;
        match self.end.spans.last_mut() {
            Some((first, count, of)) if *of == place && *first + *count == number => *count += 1,
            _ => self.end.spans.push((number, 1, place)),
        }
        if meets(op) {
            self.end.barriers.push((number, place));
        }
        if let Some(executed) = self.end.executed.get_mut(at.pc as usize) {
            *executed += 1;
        }
        let plan = self.plans.get(at.pc as usize);
        let reads = match plan.is_some_and(|plan| plan.reads) {
            true => still::reads(op, self.program, self.facts, on.mask, arena),
            false => Vec::new(),
        };
        let sends = plan.map(|plan| &plan.sends[..]).unwrap_or_default();
        let platform = self.program.platform;
        let layouts = &mut self.layouts;
        let sent = sends
            .iter()
            .map(|plan| sent_by(plan, layouts, platform, on.mask, arena));
        let mut sent: Vec<Sent> = sent.collect();
        if sent.iter().all(|sent| *sent == Sent::default()) {
            sent.clear();
        }
        self.detail[1] = 0;
        self.step = Some(at);
        self.pending = Step {
            thread,
            number: at.step,
            op: at.pc,
            lanes: on.mask,
            enabled: (on.enabled != on.mask).then_some(on.enabled),
            changes,
            reads,
            sent,
            ..Step::default()
        };
    }

    /// Writes the state of a thread if the window does not have it yet; else what has changed since its last step.
    fn meet(&mut self, thread: ThreadId, arena: &[u8]) -> Vec<(u32, String)> {
        let [steps, states, written] = self.window;
        if self.windows == 0 || steps >= WINDOW[1] || steps >= WINDOW[0] && written >= states {
            self.windows += 1;
            self.window = [0; 3];
            let first = self.end.steps + 1;
            self.write(&Record::Window(Window { first }));
        }
        let own = self.program.owners.last().map_or(0, |o| o.range.end) as usize;
        let arena = &arena[..own.min(arena.len())];
        let window = self.windows;
        let place = self.end.threads.len();
        let followed = self.threads.entry(thread.index).or_insert_with(|| {
            self.end.threads.push(Thread {
                index: thread.index,
                group: thread.group,
                local: thread.local,
            });
            Followed {
                place,
                ..Followed::default()
            }
        });
        if followed.window == window {
            let changes = differences(&followed.registers, arena);
            if !changes.is_empty() {
                followed.registers.copy_from_slice(arena);
            }
            self.window[2] += changes
                .iter()
                .map(|(_, bytes)| bytes.len() as u64)
                .sum::<u64>();
            return changes;
        }
        followed.window = window;
        followed.registers.clear();
        followed.registers.extend_from_slice(arena);
        let registers = differences(&vec![0; arena.len()], arena);
        self.window[1] += registers
            .iter()
            .map(|(_, bytes)| bytes.len() as u64)
            .sum::<u64>();
        self.write(&Record::State(State::of(thread, registers)));
        Vec::new()
    }

    /// Writes the step at hand, if there is one.
    fn flush(&mut self, stopped: bool) {
        let Some(at) = self.step.take() else {
            return;
        };
        let mut step = std::mem::take(&mut self.pending);
        step.stopped = stopped;
        if let Some(followed) = self.threads.get_mut(&at.thread.index) {
            step.writes = joined(&step.writes);
            for (at, bytes) in &step.writes {
                let own = followed
                    .registers
                    .get_mut(*at as usize..)
                    .unwrap_or_default();
                let bytes = unhex(bytes);
                own.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
            }
        }
        self.window[2] += step
            .writes
            .iter()
            .map(|(_, bytes)| bytes.len() as u64)
            .sum::<u64>();
        self.images.after(self.end.steps);
        self.surface = None;
        self.write_layouts();
        self.write(&Record::Step(step));
    }

    /// Room for a detail of so many bytes.
    fn has_room(&mut self, bytes: usize) -> bool {
        let [all, own] = self.detail.map(|used| used + bytes);
        if all > MOST_DETAIL[0] || own > MOST_DETAIL[1] {
            self.pending.left_out = true;
            return false;
        }
        self.detail = [all, own];
        true
    }

    fn access(&mut self, access: &Access<'_>) {
        if self.end.left_out == 0 {
            self.images.access(access);
        }
        // What the sampler takes is told with its weight.
        let sampled = self.surface.is_some() && matches!(access.spot, Spot::Texel(_));
        if self.step.is_none() || sampled || !self.has_room(32) {
            return;
        }
        let kind = match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "update",
        };
        let surface = match access.space {
            SpaceName::Surface(index) => Some(index),
            _ => None,
        };
        let spot = match access.spot {
            Spot::Byte(address) => Where::Byte(format!("{address:#x}")),
            Spot::Texel(texel) => Where::Texel(texel),
            Spot::Block(x, y) => Where::Block([x, y]),
        };
        let place = Place(access.lane, access.inside, spot);
        let space = space(self.program, access.space);
        let memory = &mut self.pending.memory;
        match memory.last_mut() {
            Some(last)
                if last.kind == kind && last.space == space && last.bytes == access.bytes =>
            {
                last.places.push(place);
            }
            _ => memory.push(Touched {
                kind: kind.to_owned(),
                space,
                surface,
                bytes: access.bytes,
                places: vec![place],
            }),
        }
    }

    fn texel(&mut self, lane: usize, taken: &Taken) {
        let Some(surface) = self.surface.filter(|_| self.step.is_some()) else {
            return;
        };
        if self.has_room(96) {
            self.pending.texels.push(Texel {
                lane: lane as u8,
                surface,
                level: taken.level,
                slice: taken.slice,
                at: taken.at,
                weight: taken.weight as f32,
                rgba: taken.rgba.map(|v| v as f32),
            });
        }
    }
}

/// Whether threads meet at an op.
fn meets(op: &Op) -> bool {
    match op {
        Op::Barrier(barrier) => !matches!(barrier, Barrier::Signal | Barrier::NamedSignal(_)),
        Op::Send(send) => matches!(send.request, Request::Barrier),
        _ => false,
    }
}

/// What of a message is known with the registers of a thread and its lanes.
pub(super) fn sent_by(
    plan: &SendPlan,
    layouts: &mut Layouts,
    platform: crate::isa::Platform,
    mask: u32,
    arena: &[u8],
) -> Sent {
    let mut read = |leaf: Leaf| leaf_value(leaf, plan, mask, arena);
    let parts = plan.words.as_ref().map(|words| {
        let [desc, ex_desc] = words.each_ref().map(|word| word.evaluate(&mut read));
        descriptors(desc, ex_desc, Some(plan.sfid), platform)
    });
    let parts = parts.unwrap_or_default();
    let value = |(value, size): &(Value, u32)| (*size <= 4).then(|| value.evaluate(&mut read));
    Sent {
        parts: parts.iter().map(|part| layouts.part(part)).collect(),
        values: plan.computed.iter().map(value).collect(),
    }
}

/// What a leaf of a value holds.
fn leaf_value(leaf: Leaf, plan: &SendPlan, mask: u32, arena: &[u8]) -> u32 {
    let read = |at: Option<u32>, ty: Type| {
        let bytes = at
            .and_then(|at| arena.get(at as usize..))
            .unwrap_or_default();
        let mut word = [0; 4];
        let size = (ty.bytes() as usize).min(4);
        word.iter_mut()
            .zip(bytes.iter().take(size))
            .for_each(|(to, from)| *to = *from);
        match ty {
            Type::B => i32::from(word[0] as i8) as u32,
            Type::W => i32::from(i16::from_le_bytes([word[0], word[1]])) as u32,
            _ => u32::from_le_bytes(word),
        }
    };
    let place = |var| plan.places.get(&var).copied();
    match leaf {
        Leaf::Dispatch(dw) => read(Some(4 * dw), Type::Ud),
        Leaf::Element(var, offset, ty) => read(place(var).map(|at| at + offset), ty),
        Leaf::State(var, element) => read(place(var).map(|at| at + 4 * element), Type::Ud),
        Leaf::Indirect(var, element, offset, ty) => {
            let address = read(place(var).map(|at| at + 2 * element), Type::Uw);
            read(address.checked_add_signed(offset), ty)
        }
        Leaf::Flag => mask,
    }
}

/// Where `new` differs from `old`, in pieces of four bytes put together.
fn differences(old: &[u8], new: &[u8]) -> Vec<(u32, String)> {
    const PIECE: usize = 4;
    const BLOCK: usize = 256;
    let mut found: Vec<(u32, String)> = Vec::new();
    if old == new {
        return found;
    }
    let mut end = usize::MAX;
    for (number, (a, b)) in old.chunks(BLOCK).zip(new.chunks(BLOCK)).enumerate() {
        if a == b {
            continue;
        }
        for (n, (a, b)) in a.chunks(PIECE).zip(b.chunks(PIECE)).enumerate() {
            if a == b {
                continue;
            }
            let at = number * BLOCK + n * PIECE;
            match found.last_mut().filter(|_| at == end) {
                Some((_, bytes)) => bytes.push_str(&hex(b)),
                None => found.push((at as u32, hex(b))),
            }
            end = at + b.len();
        }
    }
    found
}

/// Writes one after the other as one.
fn joined(writes: &[(u32, String)]) -> Vec<(u32, String)> {
    let mut all: Vec<(u32, String)> = Vec::new();
    for (at, bytes) in writes {
        match all.last_mut() {
            Some((first, last)) if *first as usize + last.len() / 2 == *at as usize => {
                last.push_str(bytes);
            }
            _ => all.push((*at, bytes.clone())),
        }
    }
    all
}

fn unhex(text: &str) -> impl Iterator<Item = u8> {
    let digits = text.as_bytes().chunks_exact(2);
    digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
}

/// Watches one thread for a [`Recorder`].
pub struct StepObserver<'w, 'r> {
    recorder: &'w Recorder<'r>,
}

impl Observer for StepObserver<'_, '_> {
    const KEPT: bool = false;

    fn started(&mut self, _: &Start<'_>) {}

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.recorder.core().before(at, op, on, arena);
    }

    fn wrote(&mut self, at: At, offset: u32, bytes: &[u8]) {
        let mut core = self.recorder.core();
        let own = core.program.owner(offset).is_some();
        if own && core.step.is_some_and(|step| step.pc == at.pc) {
            core.pending.writes.push((offset, hex(bytes)));
        }
    }

    fn payload(&mut self, _: At, payload: &Payload<'_>, arena: &[u8]) {
        let mut core = self.recorder.core();
        if core.step.is_none() {
            return;
        }
        let mut all = Vec::new();
        uses::payload(payload, core.facts, arena, |used| all.push(used));
        let read: Vec<Operand> = still::told(&all, core.program);
        core.pending.reads.extend(read);
    }

    fn message(&mut self, _: At, request: &Request) {
        let mut core = self.recorder.core();
        core.surface = match request {
            Request::Sampler(sampler) => Some(sampler.surface),
            _ => None,
        };
        if let Request::Avs(asked) = request
            && let Some(shuffled) = core.shuffled.get(&asked.sampler)
        {
            core.pending.packing = usize::from(*shuffled);
        }
        if core.step.is_some() {
            core.pending.requests.push(request.to_string());
        }
    }

    fn texel(&mut self, _: At, lane: usize, taken: &Taken) {
        self.recorder.core().texel(lane, taken);
    }

    fn access(&mut self, _: At, access: &Access<'_>) {
        self.recorder.core().access(access);
    }

    fn after(&mut self, _: At, _: &Op, _: Running, _: &[u8]) {
        self.recorder.core().flush(false);
    }

    fn ended(&mut self, thread: ThreadId, _: bool) {
        let mut core = self.recorder.core();
        core.flush(true);
        core.threads.remove(&thread.index);
    }
}
