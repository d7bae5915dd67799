//! What is known of a program before it runs: the first record, and what is worked out at each step.

use super::layouts::Layouts;
use super::record::{
    Answer, FORMAT, File, Instruction, Message, Operand, Piece, Program as Written, Register, Run,
    VERSION, Variable,
};
use super::sends;
use crate::check::{Checked, Storage, Unit, UnitKind, VarId};
use crate::explain::line::{Followed, lines};
use crate::explain::{bits, manual};
use crate::finalizer::{self, Flow, Release, Value};
use crate::message::Layout as Placement;
use crate::message::Sfid;
use crate::observe::uses::{self, Facts, OperandRole, Use, What};
use crate::program::{
    Alu, CompareDest, Dest, Guard, Lanes, Op, Owner, Program, Region, SymbolClass,
};
use crate::source::{Source, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// Where the variables of a unit lie.
pub type Places = HashMap<VarId, u32>;

/// What is worked out of an instruction when it runs.
#[derive(Default)]
pub struct Plan {
    /// Its messages.
    pub sends: Vec<SendPlan>,
    /// What it reads depends on what registers hold.
    pub reads: bool,
}

/// A message with parts that are known at run time alone.
pub struct SendPlan {
    /// Who receives it.
    pub sfid: Sfid,
    /// Descriptor and extended descriptor, where one of them is not known.
    pub words: Option<[Value; 2]>,
    /// Computed pieces and their bytes.
    pub computed: Vec<(Value, u32)>,
    /// Where variables lie.
    pub places: Arc<Places>,
}

/// The first record, and a plan for each op.
pub fn program(
    source: &Source,
    text: Option<(&Checked, Release)>,
    program: &Program,
    layouts: &mut Layouts,
) -> (Written, Vec<Plan>) {
    let mut written = Written {
        format: FORMAT.to_owned(),
        version: VERSION,
        kernel: program.name.clone(),
        platform: program.platform.name.to_owned(),
        register_bytes: program.platform.grf_bytes(),
        files: files(source),
        variables: variables(source, program),
        instructions: Vec::new(),
    };
    let mut units: HashMap<*const Unit, Arc<Places>> = HashMap::new();
    let mut followed: HashMap<Span, Followed<'_>> = HashMap::new();
    if let Some((checked, release)) = text {
        let all = lines(source, checked, release);
        followed.extend(all.map(|f| (f.line.span, f)));
    }
    let facts = Facts::new(program);
    let mut plans = Vec::new();
    for (op, site) in program.ops.iter().zip(&program.sites) {
        let info = site.opcode.info();
        let lanes = lanes(op);
        let mut own = Instruction {
            opcode: program.mnemonic(site.opcode).to_owned(),
            lanes: lanes.map_or(1, |l| l.count),
            first_lane: lanes.map_or(0, |l| l.offset),
            does: info.doc.to_owned(),
            section: info.family.section().to_owned(),
            page: manual::page(site.opcode),
            results: results(op, program, facts),
            ..Instruction::default()
        };
        if site.span != Span::default() {
            let words = source.slice(site.span).split_whitespace();
            own.text = words.collect::<Vec<_>>().join(" ");
            own.line = source.line_of(site.span.start);
            own.file = source.file_of(site.span.start);
        }
        let mut plan = Plan {
            sends: Vec::new(),
            reads: !uses::is_direct(op),
        };
        if !plan.reads {
            own.reads = reads(op, program, facts, u32::MAX, &program.image);
        }
        if let Some(f) = followed.get(&site.span) {
            own.destination = f.line.destination.clone();
            own.native = f.line.native.clone();
            own.contradictions = f
                .line
                .contradictions
                .iter()
                .map(|c| c.to_string())
                .collect();
            if !f.lowered.sends.is_empty() {
                let places = units.entry(std::ptr::from_ref(f.unit));
                let places = places.or_insert_with(|| Arc::new(places_of(f.unit, program)));
                own.messages = messages(f, program, places, layouts, &mut plan.sends);
            }
        } else if let Op::RawSend(message) = op {
            own.messages = sends::message(message, program, layouts);
        }
        written.instructions.push(own);
        plans.push(plan);
    }
    (written, plans)
}

/// The texts of a source.
fn files(source: &Source) -> Vec<File> {
    let files = source.names().enumerate().map(|(number, name)| {
        let lines = (1..).map_while(|line| source.line_span_in(number, line));
        File {
            name: name.to_owned(),
            text: lines.map(|span| source.slice(span)).collect(),
        }
    });
    files.collect()
}

/// Variables that own bytes, then those that are views of them.
fn variables(source: &Source, program: &Program) -> Vec<Variable> {
    let class = |class: SymbolClass| match class {
        SymbolClass::General(_) => "general",
        SymbolClass::Address => "address",
        SymbolClass::Predicate => "predicate",
        SymbolClass::Surface => "surface",
        SymbolClass::Sampler => "sampler",
    };
    let ty = |class: SymbolClass| match class {
        SymbolClass::Predicate => "bool",
        other => other.default_type().name(),
    };
    let function = |owner: &Owner| {
        let function = program.functions.get(owner.function? as usize)?;
        Some(function.name.clone())
    };
    let owners = program.owners.iter().map(|owner| {
        let bytes = owner.range.end - owner.range.start;
        let symbol = program.symbols.get(&owner.name);
        let own = symbol.filter(|s| s.offset == owner.range.start);
        let elements = own.map_or(bytes / owner.class.default_type().bytes(), |s| s.elements);
        Variable {
            name: owner.name.clone(),
            class: class(owner.class).to_owned(),
            ty: ty(owner.class).to_owned(),
            at: owner.range.start,
            bytes,
            elements,
            line: (owner.declared != Span::default()).then(|| source.line_of(owner.declared.start)),
            function: function(owner),
            view: false,
            predefined: owner.predefined,
        }
    });
    let mut all: Vec<Variable> = owners.collect();
    let known = |name: &str, at: u32| {
        let owner = program.owner(at);
        owner.is_some_and(|o| o.name == name && o.range.start == at)
    };
    let views = program.symbols.iter().filter(|(name, symbol)| {
        // Built-in names have several spellings.
        let first = program.symbols.iter().find(|(_, other)| other == symbol);
        let is_first = first.is_none_or(|(other, _)| other == *name);
        let predefined = program.owner(symbol.offset).is_some_and(|o| o.predefined);
        symbol.bytes() > 0 && !known(name, symbol.offset) && (is_first || !predefined)
    });
    all.extend(views.map(|(name, symbol)| Variable {
        name: name.clone(),
        class: class(symbol.class).to_owned(),
        ty: ty(symbol.class).to_owned(),
        at: symbol.offset,
        bytes: symbol.bytes(),
        elements: symbol.elements,
        line: None,
        function: None,
        view: true,
        predefined: program.owner(symbol.offset).is_some_and(|o| o.predefined),
    }));
    all
}

/// The lanes of an op, where it has some.
fn lanes(op: &Op) -> Option<Lanes> {
    match op {
        Op::Alu(alu) => Some(alu.lanes),
        Op::Send(send) => Some(send.lanes),
        Op::RawSend(message) => Some(message.lanes),
        Op::Compare { lanes, .. }
        | Op::SetPredicate { lanes, .. }
        | Op::PredicateLogic { lanes, .. }
        | Op::Goto { lanes, .. }
        | Op::Jump { lanes, .. }
        | Op::Switch { lanes, .. }
        | Op::Call { lanes, .. }
        | Op::CallFunction { lanes, .. }
        | Op::CallIndirect { lanes, .. }
        | Op::Return { lanes, .. } => Some(*lanes),
        _ => None,
    }
}

/// Elements, put together to runs.
pub struct Runs {
    operand: Operand,
    size: u32,
}

impl Runs {
    /// None yet, of elements of a type.
    pub fn new(operand: impl Into<String>, ty: &str, size: u32) -> Runs {
        Runs {
            operand: Operand {
                operand: operand.into(),
                ty: ty.to_owned(),
                runs: Vec::new(),
                constant: None,
            },
            size,
        }
    }

    /// One more.
    pub fn add(&mut self, at: u32, lane: Option<u8>) {
        let size = self.size;
        let Some(run) = self.operand.runs.last_mut() else {
            self.operand.runs.push(Run(at, 1, size, lane));
            return;
        };
        let Run(first, count, stride, first_lane) = *run;
        let follows = match (first_lane, lane) {
            (Some(a), Some(b)) => u32::from(a) + count == u32::from(b),
            (None, None) => true,
            _ => false,
        };
        let far = match count {
            1 => at.checked_sub(first),
            _ => Some(stride),
        };
        match far {
            Some(far) if follows && at == first.saturating_add(far.saturating_mul(count)) => {
                *run = Run(first, count + 1, far, first_lane);
            }
            _ => self.operand.runs.push(Run(at, 1, size, lane)),
        }
    }

    /// The operand, if it has an element.
    pub fn done(mut self, program: &Program) -> Option<Operand> {
        let &[Run(at, count, stride, _)] = &self.operand.runs[..] else {
            return (!self.operand.runs.is_empty()).then_some(self.operand);
        };
        if program.is_constant(at) {
            let bytes = if stride == 0 {
                self.size
            } else {
                (count - 1) * stride + self.size
            };
            let bytes = program.image.get(at as usize..(at + bytes) as usize);
            self.operand.constant = bytes.map(super::record::hex);
        }
        Some(self.operand)
    }
}

/// The elements that lanes of a region have.
fn region(
    operand: &str,
    ty: crate::isa::Type,
    region: &Region,
    mask: u32,
    facts: Facts,
    outside: u32,
    arena: &[u8],
) -> Runs {
    let mut runs = Runs::new(operand, ty.name(), ty.bytes());
    let lane_of = |lane: u8| (!matches!(region, Region::Scalar(_))).then_some(lane);
    for lane in (0..32u8).filter(|lane| mask >> lane & 1 != 0) {
        let at = uses::element(region, lane.into(), ty.bytes(), facts, outside, arena);
        if let Some(at) = at {
            runs.add(at, lane_of(lane));
            if matches!(region, Region::Scalar(_)) {
                break;
            }
        }
    }
    runs
}

/// What an op reads on the lanes of `mask`.
pub fn reads(op: &Op, program: &Program, facts: Facts, mask: u32, arena: &[u8]) -> Vec<Operand> {
    let of = |k: usize, source: &crate::program::Source, lanes: Lanes| {
        let name = OperandRole::Source(k as u8).to_string();
        let (mask, zero) = (lanes.all() & mask, facts.zero);
        region(&name, source.ty, &source.region, mask, facts, zero, arena).done(program)
    };
    let guard = |guard: Option<Guard>| {
        let mut runs = Runs::new(OperandRole::Guard.to_string(), "bool", 4);
        runs.add(guard?.offset, None);
        runs.done(program)
    };
    match op {
        // Both sources of a selection, whichever is taken.
        Op::Alu(alu) => {
            let sources = alu.src.iter().enumerate();
            let sources = sources.filter_map(|(k, source)| of(k, source, alu.lanes));
            guard(alu.guard).into_iter().chain(sources).collect()
        }
        Op::Compare { src, lanes, .. } => {
            let sources = src.iter().enumerate();
            sources.filter_map(|(k, s)| of(k, s, *lanes)).collect()
        }
        Op::PredicateLogic { src, .. } => {
            let sources = src.iter().enumerate().filter_map(|(k, at)| {
                let mut runs = Runs::new(OperandRole::Source(k as u8).to_string(), "bool", 4);
                runs.add(*at, None);
                runs.done(program)
            });
            sources.collect()
        }
        _ => {
            let on = crate::exec::observer::Running {
                mask,
                enabled: mask,
            };
            let mut all = Vec::new();
            uses::op(op, on, facts, arena, |used| all.push(used));
            told(&all, program)
        }
    }
}

/// Uses of the same operand, put together.
pub fn told(all: &[Use], program: &Program) -> Vec<Operand> {
    let one = |uses: &[Use]| {
        let name = uses[0].part.to_string();
        let mut sizes = uses.iter().filter_map(|u| match u.what {
            What::Bytes { size, .. } => Some(size),
            _ => None,
        });
        let (ty, size) = match sizes.next() {
            None => ("bool", 4),
            Some(1) => ("ub", 1),
            Some(2) => ("uw", 2),
            Some(8) => ("uq", 8),
            Some(_) => ("ud", 4),
        };
        let mut runs = Runs::new(name, ty, size);
        for used in uses {
            match used.what {
                What::Bytes {
                    offset,
                    size: bytes,
                } => {
                    let whole = (bytes / size).max(1);
                    (0..whole).for_each(|n| runs.add(offset + n * size, used.lane));
                }
                What::Bits { offset, .. } => runs.add(offset, None),
                What::Group { guard } => runs.add(guard.offset, None),
                What::Outside { .. } => {}
            }
        }
        runs.done(program)
    };
    all.chunk_by(|a, b| a.part == b.part)
        .filter_map(one)
        .collect()
}

/// Where the results of an op go, as far as that does not depend on what registers hold.
fn results(op: &Op, program: &Program, facts: Facts) -> Vec<Operand> {
    const NAME: &str = "destination";
    let of = |dst: &Dest, lanes: Lanes| {
        if matches!(dst.region, Region::Indirect(_)) {
            return None;
        }
        let (all, sink) = (lanes.all(), facts.sink);
        region(NAME, dst.ty, &dst.region, all, facts, sink, &program.image).done(program)
    };
    let bits = |at: u32| {
        let mut runs = Runs::new(NAME, "bool", 4);
        runs.add(at, None);
        runs.done(program)
    };
    match op {
        Op::Alu(alu) => {
            let Alu {
                dst,
                dst2,
                overflow,
                lanes,
                ..
            } = &**alu;
            let second = dst2.as_ref().and_then(|dst| of(dst, *lanes));
            let all = [of(dst, *lanes), second, overflow.and_then(bits)];
            all.into_iter().flatten().collect()
        }
        Op::Compare { dst, lanes, .. } => match dst {
            CompareDest::Predicate(at) => bits(*at).into_iter().collect(),
            CompareDest::General(dst) => of(dst, *lanes).into_iter().collect(),
        },
        Op::SetPredicate { dst, .. } | Op::PredicateLogic { dst, .. } => {
            bits(*dst).into_iter().collect()
        }
        Op::Send(send) => {
            let Some(raw) = send.operands.registers.answer else {
                return Vec::new();
            };
            let count = u32::from(send.lanes.count);
            let placed = Placement::of(&send.request, count, program.platform);
            let size = raw.ty.bytes();
            let mut runs = Runs::new(NAME, raw.ty.name(), size);
            for n in 0..placed.answer.count {
                let first = raw.offset + n * placed.answer.pitch;
                if placed.lanes > 1 {
                    let at = |lane: u32| (first + lane * placed.answer.slot, Some(lane as u8));
                    let lanes = (0..placed.lanes).map(at);
                    lanes
                        .filter(|(at, _)| at + size <= raw.end)
                        .for_each(|(at, lane)| runs.add(at, lane));
                } else {
                    let elements = (0..placed.answer.used / size).map(|e| first + e * size);
                    elements
                        .filter(|at| at + size <= raw.end)
                        .for_each(|at| runs.add(at, None));
                }
            }
            runs.done(program).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Where the variables of a unit lie.
fn places_of(unit: &Unit, program: &Program) -> Places {
    let function = match unit.kind {
        UnitKind::Kernel => None,
        UnitKind::Function => {
            let mut all = (0u32..).zip(&program.functions);
            all.find(|(_, f)| f.name == unit.name).map(|(n, _)| n)
        }
    };
    let owners: HashMap<(&str, Span, Option<u32>), u32> = program
        .owners
        .iter()
        .map(|o| ((&o.name[..], o.declared, o.function), o.range.start))
        .collect();
    let all = (0..).map(VarId).zip(&unit.variables);
    let placed = all.filter_map(|(id, variable)| {
        let at = |function| owners.get(&(&variable.name[..], variable.span, function));
        let at = at(function).or(at(None))?;
        Some((id, *at))
    });
    placed.collect()
}

/// The messages of an instruction.
fn messages(
    followed: &Followed<'_>,
    program: &Program,
    places: &Arc<Places>,
    layouts: &mut Layouts,
    plans: &mut Vec<SendPlan>,
) -> Vec<Message> {
    let all = followed.lowered.sends.iter().zip(&followed.line.messages);
    let all = all.enumerate().map(|(number, (send, sent))| {
        let maker = Maker {
            followed,
            flow: Flow::named(followed.unit),
            places,
        };
        let (registers, computed) = maker.registers(send, program, layouts);
        let words = [&send.desc, &send.ex_desc];
        let known = words.iter().all(|word| word.constant().is_some());
        plans.push(SendPlan {
            sfid: send.sfid,
            words: (!known).then(|| words.map(Value::clone)),
            computed,
            places: Arc::clone(places),
        });
        Message {
            title: sent.head(),
            receiver: sent.receiver.to_owned(),
            parts: sent.parts.iter().map(|part| layouts.part(part)).collect(),
            sums: sent
                .sums
                .iter()
                .map(|(name, sum)| format!("{name}: {sum}"))
                .collect(),
            registers,
            answer: maker.answer(number),
        }
    });
    all.collect()
}

/// Makes the parts of a message.
struct Maker<'m> {
    followed: &'m Followed<'m>,
    flow: Flow<'m>,
    places: &'m Places,
}

impl Maker<'_> {
    /// The registers that are sent, and what of them is computed.
    fn registers(
        &self,
        send: &finalizer::Send,
        program: &Program,
        layouts: &mut Layouts,
    ) -> (Vec<Register>, Vec<(Value, u32)>) {
        let mut computed = Vec::new();
        let mut registers = Vec::new();
        let desc = send.desc.constant_part().unwrap_or(0);
        if !send.header.is_empty() {
            let layout = bits::header(send.sfid, desc, program.platform);
            let dwords = send.header.iter().map(|value| finalizer::Run::Value {
                value: value.clone(),
                size: 4,
            });
            let pieces = dwords.map(|run| self.piece(&run, &mut computed)).collect();
            registers.push(Register {
                part: "header".to_owned(),
                layout: layout.map(|layout| layouts.whole(layout)),
                pieces,
            });
        }
        let own = self.followed.payload;
        let [first, second] = send.counted();
        for (part, all) in [("first payload", first), ("second payload", second)] {
            for register in all {
                let whole = matches!((own, first), (Some(_), [_]));
                registers.push(Register {
                    part: part.to_owned(),
                    layout: own.filter(|_| whole).map(|layout| layouts.whole(layout)),
                    pieces: register
                        .iter()
                        .map(|run| self.piece(run, &mut computed))
                        .collect(),
                });
            }
        }
        (registers, computed)
    }

    fn piece(&self, run: &finalizer::Run, computed: &mut Vec<(Value, u32)>) -> Piece {
        let mut piece = Piece {
            bytes: run.len(),
            text: self.flow.register(std::slice::from_ref(run)),
            at: None,
            value: None,
            computed: false,
        };
        match run {
            finalizer::Run::Bytes { root, offset, .. } => {
                piece.at = self.places.get(root).map(|at| at + offset);
            }
            // The dispatch header is the first register.
            finalizer::Run::Dispatch { offset, .. } => piece.at = Some(*offset),
            finalizer::Run::Undefined { .. } => {}
            finalizer::Run::Value { value, size } => match value.constant() {
                Some(constant) => piece.value = Some(constant),
                None if *value == Value::Undefined => {}
                None => {
                    piece.computed = true;
                    computed.push((value.clone(), *size));
                }
            },
        }
        piece
    }

    /// Where the answer of send `number` goes.
    fn answer(&self, number: usize) -> Vec<Answer> {
        let writes = self.followed.lowered.writes.iter();
        let own = writes.filter(|write| write.send == number);
        let all = own.filter_map(|write| {
            let Storage::General { root, offset, .. } =
                self.followed.unit.variable(write.var).storage
            else {
                return None;
            };
            Some(Answer {
                at: self.places.get(&root)? + offset + write.offset,
                bytes: write.len,
                from: write.response,
            })
        });
        // Rows of one answer come byte by byte or register by register.
        let mut answers: Vec<Answer> = Vec::new();
        for one in all {
            match answers.last_mut() {
                Some(last)
                    if last.at + last.bytes == one.at && last.from + last.bytes == one.from =>
                {
                    last.bytes += one.bytes;
                }
                _ => answers.push(one),
            }
        }
        answers
    }
}
