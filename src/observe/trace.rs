//! Tracing: each instruction with its lanes and the values it reads, writes and moves; and breaks, where
//! the variables asked for are shown.
//!
//! What is reported is data ([`Event`]); how it is printed is the command line's business. Events come in the
//! order in which threads run: in launch order, one after the other, when groups are run one at a time.

use super::known::{Cell, Known};
use super::uses::{self, OperandRole, What};
use crate::exec::ThreadId;
use crate::exec::observer::{Access, AccessKind, At, Observer, Running, SpaceName, Spot, Start};
use crate::isa::Type;
use crate::message::Request;
use crate::program::{CompareDest, Op, Program, SymbolClass};
use crate::source::Span;
use std::sync::{Arc, Mutex, PoisonError};

/// What to trace.
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    /// Tell each instruction.
    pub instructions: bool,
    /// Thread numbers in launch order; empty: all of them.
    pub threads: Vec<u32>,
    /// Stop before instructions that start in one of these places.
    pub lines: Vec<Span>,
    /// Stop before the first instruction of these threads; with `lines`, only they stop there.
    pub stop_threads: Vec<u32>,
    /// Variables to show at each stop.
    pub show: Vec<String>,
    /// Instructions reported at most.
    pub most_instructions: u64,
    /// Stops reported at most.
    pub most_stops: u64,
}

/// Something to tell.
#[derive(Clone, Debug)]
pub enum Event {
    /// An instruction ran.
    Instruction(Instruction),
    /// A stop was reached; the instruction has not run.
    Stop(Stop),
}

/// An instruction that ran.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Which, where and when.
    pub at: At,
    /// Its lanes.
    pub on: Running,
    /// What it read of registers.
    pub reads: Vec<Value>,
    /// What it wrote: before, and after.
    pub writes: Vec<(Value, Value)>,
    /// What it did to memory.
    pub memory: Vec<Moved>,
    /// Whether it ran to its end: it did not if the thread ended, waits or trapped there.
    pub done: bool,
}

/// Elements of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Which operand, for people.
    pub part: String,
    /// The variable; empty for constants.
    pub name: String,
    /// Byte of the variable where the first element lies.
    pub offset: u32,
    /// Type of the elements.
    pub ty: Type,
    /// The lane of each element, where it belongs to one.
    pub lanes: Vec<Option<u8>>,
    /// The elements.
    pub bytes: Vec<u8>,
}

/// A piece of memory that was touched.
#[derive(Clone, Debug)]
pub struct Moved {
    /// How.
    pub kind: AccessKind,
    /// Where.
    pub space: SpaceName,
    /// Where in it.
    pub spot: Spot,
    /// Bytes.
    pub bytes: u32,
    /// Bytes of them that exist.
    pub inside: u32,
    /// The lane, if it is one's.
    pub lane: Option<u8>,
}

/// A stop.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Which, where and when.
    pub at: At,
    /// Lanes of the instruction that is next.
    pub on: Running,
    /// The variables asked for: name, type of an element, bytes.
    pub variables: Vec<(String, Type, Vec<u8>)>,
}

/// What was left out because there was too much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// Instructions.
    pub instructions: u64,
    /// Stops.
    pub stops: u64,
}

type Sink<'s> = Box<dyn FnMut(&Program, Event) + Send + 's>;

/// Tells what happens in a run to a sink.
pub struct Tracer<'s> {
    options: TraceOptions,
    known: Cell,
    state: Mutex<State<'s>>,
}

struct State<'s> {
    sink: Sink<'s>,
    instructions: u64,
    stops: u64,
}

impl<'s> Tracer<'s> {
    /// Tells `sink` what `options` ask for.
    pub fn new(options: TraceOptions, sink: impl FnMut(&Program, Event) + Send + 's) -> Tracer<'s> {
        Tracer {
            options,
            known: Cell::default(),
            state: Mutex::new(State {
                sink: Box::new(sink),
                instructions: 0,
                stops: 0,
            }),
        }
    }

    /// Watches one thread.
    pub fn thread(&self) -> TraceObserver<'_, 's> {
        TraceObserver {
            tracer: self,
            known: None,
            traced: false,
            next: None,
            old: Vec::new(),
        }
    }

    /// What was left out.
    pub fn untold(&self) -> Untold {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Untold {
            instructions: state
                .instructions
                .saturating_sub(self.options.most_instructions),
            stops: state.stops.saturating_sub(self.options.most_stops),
        }
    }

    fn tell(&self, known: &Known, event: Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let reported = match event {
            Event::Instruction(_) => {
                state.instructions += 1;
                state.instructions <= self.options.most_instructions
            }
            Event::Stop(_) => {
                state.stops += 1;
                state.stops <= self.options.most_stops
            }
        };
        if reported {
            (state.sink)(&known.program, event);
        }
    }

    /// Whether further instructions would be reported.
    fn is_full(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.instructions >= self.options.most_instructions
    }
}

/// Watches one thread for a [`Tracer`].
pub struct TraceObserver<'w, 's> {
    tracer: &'w Tracer<'s>,
    known: Option<Arc<Known>>,
    /// Whether its instructions are reported.
    traced: bool,
    /// The instruction at hand.
    next: Option<Instruction>,
    /// The registers before it.
    old: Vec<u8>,
}

impl TraceObserver<'_, '_> {
    fn stops(&self, at: At) -> bool {
        let options = &self.tracer.options;
        let chosen = options.stop_threads.contains(&at.thread.index);
        if options.lines.is_empty() {
            return chosen && at.step == 1;
        }
        let line = |span: &Span| (span.start..span.end).contains(&at.site.span.start);
        options.lines.iter().any(line) && (chosen || options.stop_threads.is_empty())
    }

    /// Tells the instruction at hand, if there is one.
    fn flush(&mut self) {
        if let (Some(instruction), Some(known)) = (self.next.take(), &self.known) {
            self.tracer.tell(known, Event::Instruction(instruction));
        }
    }
}

impl Observer for TraceObserver<'_, '_> {
    fn started(&mut self, start: &Start<'_>) {
        let known = self.tracer.known.get(start);
        let options = &self.tracer.options;
        let listed = options.threads.contains(&start.thread.index);
        self.traced = options.instructions && (listed || options.threads.is_empty());
        self.known = Some(known);
    }

    fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.flush();
        let Some(known) = self.known.clone() else {
            return;
        };
        if self.stops(at) {
            let shown = self.tracer.options.show.iter();
            let variables = shown.filter_map(|name| {
                let symbol = known.program.symbols.get(name)?;
                let bytes = arena.get(symbol.range())?.to_vec();
                Some((name.clone(), default_type(symbol.class), bytes))
            });
            let variables = variables.collect();
            let stop = Stop { at, on, variables };
            self.tracer.tell(&known, Event::Stop(stop));
        }
        if !self.traced {
            return;
        }
        if self.tracer.is_full() {
            // Counted, so that it can be said how much was left out.
            self.next = Some(empty(at, on));
            return;
        }
        self.old.clear();
        self.old.extend_from_slice(arena);
        let mut instruction = empty(at, on);
        instruction.reads = reads(&known, op, on, arena);
        self.next = Some(instruction);
    }

    fn wrote(&mut self, at: At, offset: u32, bytes: &[u8]) {
        let (Some(next), Some(known)) = (&mut self.next, &self.known) else {
            return;
        };
        let range = offset as usize..offset as usize + bytes.len();
        let Some(before) = self.old.get(range).filter(|_| next.at.pc == at.pc) else {
            return;
        };
        let ty = known.program.ops.get(at.pc as usize).and_then(result_type);
        let ty = ty
            .or(known.class(offset).map(default_type))
            .unwrap_or(Type::Ub);
        let ty = if bytes.len().is_multiple_of(ty.bytes() as usize) {
            ty
        } else {
            Type::Ub
        };
        // Lanes of a message come one by one: those next to each other are one value.
        if let Some((old, new)) = next.writes.last_mut()
            && let Some(owner) = known.program.owner(offset)
            && old.name == owner.name
            && old.offset + old.bytes.len() as u32 == offset - owner.range.start
            && old.ty == ty
        {
            old.bytes.extend_from_slice(before);
            new.bytes.extend_from_slice(bytes);
            return;
        }
        let value = |bytes: &[u8]| Value {
            bytes: bytes.to_vec(),
            ..place(known, offset, ty)
        };
        next.writes.push((value(before), value(bytes)));
    }

    fn access(&mut self, _: At, access: &Access<'_>) {
        if let Some(next) = &mut self.next {
            next.memory.push(Moved {
                kind: access.kind,
                space: access.space,
                spot: access.spot,
                bytes: access.bytes,
                inside: access.inside,
                lane: access.lane,
            });
        }
    }

    fn after(&mut self, _: At, _: &Op, _: Running, _: &[u8]) {
        if let Some(next) = &mut self.next {
            next.done = true;
        }
        self.flush();
    }

    fn ended(&mut self, _: ThreadId, _: bool) {
        self.flush();
    }
}

fn empty(at: At, on: Running) -> Instruction {
    Instruction {
        at,
        on,
        reads: Vec::new(),
        writes: Vec::new(),
        memory: Vec::new(),
        done: false,
    }
}

/// The type in which a variable of a class is shown.
fn default_type(class: SymbolClass) -> Type {
    match class {
        SymbolClass::General(ty) => ty,
        SymbolClass::Address => Type::Uw,
        SymbolClass::Predicate | SymbolClass::Surface | SymbolClass::Sampler => Type::Ud,
    }
}

/// The type of what an op writes, where it says so.
fn result_type(op: &Op) -> Option<Type> {
    match op {
        Op::Alu(alu) => Some(alu.dst.ty),
        Op::Compare {
            dst: CompareDest::General(dst),
            ..
        } => Some(dst.ty),
        _ => None,
    }
}

/// The type in which a part of an op reads, where it says so.
fn source_type(op: &Op, part: OperandRole) -> Option<Type> {
    match (op, part) {
        (Op::Alu(alu), OperandRole::Source(k)) => alu.src.get(usize::from(k)).map(|s| s.ty),
        (Op::Compare { src, .. }, OperandRole::Source(k)) => src.get(usize::from(k)).map(|s| s.ty),
        (Op::SetPredicate { src, .. }, OperandRole::Source(_)) => Some(src.ty),
        (Op::Send(send), OperandRole::Message("u" | "v" | "deltaU" | "deltaV" | "u2d" | "v2d")) => {
            matches!(send.request, Request::Avs(_) | Request::Unorm(_)).then_some(Type::F)
        }
        _ => None,
    }
}

/// An empty value at an arena offset.
fn place(known: &Known, offset: u32, ty: Type) -> Value {
    let owner = known.program.owner(offset);
    Value {
        part: String::new(),
        name: owner.map_or(String::new(), |o| o.name.clone()),
        offset: owner.map_or(0, |o| offset - o.range.start),
        ty,
        lanes: Vec::new(),
        bytes: Vec::new(),
    }
}

/// What an op reads, one value for each operand.
fn reads(known: &Known, op: &Op, on: Running, arena: &[u8]) -> Vec<Value> {
    let mut values: Vec<(OperandRole, Value)> = Vec::new();
    uses::op(op, on, known.facts, arena, |used| {
        let (offset, size) = match used.what {
            What::Bytes { offset, size } => (offset, size),
            What::Bits { offset, .. } => (offset, 4),
            What::Group { guard } => (guard.offset, 4),
            What::Outside { .. } => (known.facts.zero, 1),
        };
        let range = offset as usize..(offset + size) as usize;
        let bytes = arena.get(range).unwrap_or_default();
        let own = source_type(op, used.part).filter(|ty| ty.bytes() == size);
        let ty = own
            .or(known.class(offset).map(default_type))
            .filter(|ty| size.is_multiple_of(ty.bytes()))
            .unwrap_or(match size {
                1 => Type::Ub,
                2 => Type::Uw,
                8 => Type::Uq,
                _ if size.is_multiple_of(4) => Type::Ud,
                _ => Type::Ub,
            });
        let elements = size / ty.bytes();
        let lanes = std::iter::repeat_n(used.lane, elements as usize);
        match values.last_mut() {
            // Further lanes of the same operand.
            Some((part, value)) if *part == used.part && value.ty == ty && used.lane.is_some() => {
                value.lanes.extend(lanes);
                value.bytes.extend_from_slice(bytes);
            }
            _ => values.push((
                used.part,
                Value {
                    part: used.part.to_string(),
                    lanes: lanes.collect(),
                    bytes: bytes.to_vec(),
                    ..place(known, offset, ty)
                },
            )),
        }
    });
    values.into_iter().map(|(_, value)| value).collect()
}
