//! Registers: what instructions read that holds nothing, and operands that lie outside or overlap.

use super::State;
use super::finding::{AddressUse, Detail, Kind, Nothing};
use super::memory::Old;
use crate::exec::lanes::active;
use crate::exec::observer::{At, Payload, Running};
use crate::isa::Opcode;
use crate::message::Request;
use crate::observe::known::Known;
use crate::observe::shadow::{Origin, Shadow};
use crate::observe::uses::{self, Facts, OperandRole, Use, What};
use crate::program::{
    Alu, Barrier, CompareDest, Dest, Group, Guard, Lanes, Op, Raw, RawMessage, Region, Source,
    SymbolClass,
};
use std::ops::Range;
use std::sync::Arc;

impl State {
    pub(super) fn used(&mut self, at: At, used: Use, arena: &[u8]) {
        let Use { part, lane, what } = used;
        match what {
            What::Bytes { offset, size } => {
                if self.known.is_predicate(offset) {
                    // The bits of a whole predicate, moved to a general variable: a ballot, from which compilers
                    // take away the lanes that were off by an `and` with the execution mask.
                    let bits = self.known.predicate_bits(offset);
                    if bits & self.shadow.written_bits(offset) == 0 {
                        self.predicate(at, part, offset, bits);
                    }
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
                    (Origin::Undefined(pc), _) => match self.known.program.ops.get(pc as usize) {
                        Some(Op::Lifetime(_)) => Nothing::Lifetime,
                        Some(Op::Alu(_)) => Nothing::Result,
                        _ => Nothing::Message,
                    },
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
                    self.predicate(at, part, guard.offset, missing);
                }
            }
            What::Outside { indirect } => {
                let kind = Kind::OutsideRead(part);
                let address = match part {
                    OperandRole::Source(k) => OperandRole::Address(Some(k)),
                    // Scalars of messages.
                    _ => OperandRole::Address(Some(0)),
                };
                self.add(at, kind, lane, |state| {
                    Detail::Indirect(indirect, state.address(address, lane))
                });
            }
        }
    }

    /// A use as something that the instruction goes by to find registers or memory.
    pub(super) fn place(&self, used: &Use) -> Option<AddressUse> {
        let What::Bytes { offset, size } = used.what else {
            return None;
        };
        used.part.leads_somewhere().then(|| AddressUse {
            part: used.part,
            lane: used.lane,
            offset,
            size,
            origin: self.shadow.origin(offset),
        })
    }

    /// The address element that a lane of an indirect operand goes by.
    fn address(&self, part: OperandRole, lane: Option<u8>) -> Vec<AddressUse> {
        // Lanes of a row share that of its first lane.
        let places = self.places_at_hand();
        let mut own = places.iter().filter(|place| place.part == part);
        let last = own.rfind(|place| place.lane <= lane || lane.is_none());
        last.copied().into_iter().collect()
    }

    fn bits(&mut self, at: At, part: OperandRole, offset: u32, bits: u32) {
        let missing = bits & !self.shadow.written_bits(offset);
        if missing != 0 {
            self.predicate(at, part, offset, missing);
        }
    }

    fn predicate(&mut self, at: At, part: OperandRole, offset: u32, bits: u32) {
        let detail = Detail::Bits {
            offset,
            bits,
            origin: self.shadow.origin(offset),
        };
        self.add(at, Kind::Predicate(part), None, |_| detail);
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
                let lane = Some(lane as u8);
                self.add(at, Kind::OutsideWrite, lane, |state| {
                    Detail::Indirect(indirect, state.address(OperandRole::Address(None), lane))
                });
            }
        }
    }

    pub(super) fn before(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        self.written.clear();
        self.loaded.clear();
        self.unsaid.clear();
        self.places.clear();
        self.unplaced = None;
        if self.is_plain(at.pc, on) {
            self.unplaced = Some((at.pc, on));
        } else {
            self.look(at, op, on, arena);
        }
        match op {
            Op::Alu(alu) => {
                self.destination(at, &alu.dst, alu.lanes, on.mask, arena);
                if let Some(dst2) = &alu.dst2 {
                    self.destination(at, dst2, alu.lanes, on.mask, arena);
                    self.two_results(at, alu, dst2, on.mask, arena);
                }
                self.unsaid_results(alu, on.mask, arena);
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
            Op::Lifetime(range) => {
                self.shadow.set(range.clone(), Origin::Undefined(at.pc));
                if self.known.is_predicate(range.start) {
                    self.shadow.replace_bits(range.start, 0, u32::MAX);
                }
            }
            Op::Goto { lanes, .. } | Op::Return { lanes, .. } => self.branch(at, *lanes, on),
            Op::Barrier(Barrier::Whole | Barrier::Wait) => self.barrier(at, on),
            Op::Send(send) => {
                self.old = Old::of_request(&send.request);
            }
            Op::RawSend(message) => {
                self.old = Old::Used;
                self.raw(at, message);
            }
            _ => {}
        }
    }

    /// Looks up what each lane reads.
    fn look(&mut self, at: At, op: &Op, on: Running, arena: &[u8]) {
        let known = Arc::clone(&self.known);
        let mut found = Vec::new();
        let mut places = std::mem::take(&mut self.places);
        uses::op(op, on, known.facts, arena, |used| {
            places.extend(self.place(&used));
            if self.is_suspect(&used) {
                found.push(used);
            }
        });
        self.places = places;
        for used in found {
            if !does_not_matter(op, &used, &self.shadow, known.facts, arena) {
                self.used(at, used, arena);
            }
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
                    || self.known.is_predicate(offset)
            }
            _ => true,
        }
    }

    /// Results that the reference calls undefined: odd lanes of `sad2`, integer division by zero.
    /// Source: vISA text reference 5.2 and 6.4.
    fn unsaid_results(&mut self, alu: &Alu, mask: u32, arena: &[u8]) {
        let (facts, sink) = (self.known.facts, self.known.program.sink);
        let odd: u32 = match alu.opcode {
            Opcode::Sad2 | Opcode::Sad2Add => 0xaaaa_aaaa,
            Opcode::Div | Opcode::Mod if alu.src.iter().all(|s| s.ty.is_integer()) => 0,
            _ => return,
        };
        let by_zero = |lane| {
            let divisor = &alu.src[1];
            let size = divisor.ty.bytes();
            let at = uses::element(&divisor.region, lane, size, facts, facts.zero, arena);
            let bytes = at.and_then(|at| arena.get(at as usize..(at + size) as usize));
            bytes.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
        };
        for lane in active(mask, alu.lanes.count.into()) {
            if odd >> lane & 1 != 0 || odd == 0 && by_zero(lane) {
                let size = alu.dst.ty.bytes();
                let at = uses::element(&alu.dst.region, lane, size, facts, sink, arena);
                self.unsaid.extend(at.map(|at| at..at + size));
            }
        }
    }

    /// The op has run.
    pub(super) fn after(&mut self, at: At) {
        for range in self.unsaid.drain(..) {
            self.shadow.set(range, Origin::Undefined(at.pc));
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

    /// Gen5's messages are of whole registers, of which masks take parts: a register of the payload that nothing has
    /// written is a finding. The register of a write commit is not modified, and is there to be waited for.
    /// Source: PRM 5.10.2.3.
    pub(super) fn registers_of(&mut self, at: At, payload: &Payload<'_>) {
        let known = Arc::clone(&self.known);
        let Some(Op::RawSend(raw)) = known.program.ops.get(at.pc as usize) else {
            return;
        };
        let grf = known.facts.platform.grf_bytes();
        let first = raw.payload[0].filter(|_| payload.mask != 0 || payload.request.is_block());
        // Nothing in the header says anything to the deinterlacer. Source: PRM 4.11.2.
        let ignored = u32::from(matches!(payload.request, Request::Deinterlace(_)));
        let places = (ignored..payload.length).filter_map(|k| Some(first?.skip(k * grf).offset));
        let empty = |&offset: &u32| {
            let mut bytes = offset..offset + grf;
            bytes.all(|byte| self.shadow.origin(byte) == Origin::Never)
        };
        if let Some(offset) = places.into_iter().find(empty) {
            let what = What::Bytes { offset, size: grf };
            let part = OperandRole::Message("payload");
            self.used(
                at,
                Use {
                    part,
                    lane: None,
                    what,
                },
                &[],
            );
        }
        if let Some(answer) = payload.registers.answer
            && payload.request.path().commit
        {
            for byte in answer.offset..answer.end.min(answer.offset + grf) {
                if self.shadow.first_undefined(byte, 1).is_some() {
                    self.shadow.set(byte..byte + 1, Origin::Written(at.pc));
                }
            }
        }
    }

    /// A raw message whose response lies on its payload, or whose payloads lie on each other.
    fn raw(&mut self, at: At, raw: &RawMessage) {
        let grf = self.known.facts.platform.grf_bytes();
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

pub(super) fn dword(arena: &[u8], offset: u32) -> u32 {
    let bytes = arena.get(offset as usize..).unwrap_or_default();
    bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
}

/// Whether undefined bytes of a source leave the result as it is: both sources of a comparison or an
/// `xor` are the same integers, or the other side of an `and` has zeros there.
fn does_not_matter(op: &Op, used: &Use, shadow: &Shadow, facts: Facts, arena: &[u8]) -> bool {
    let OperandRole::Source(k) = used.part else {
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
