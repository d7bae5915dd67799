//! What an instruction reads of its thread's registers, lane by lane.
//!
//! The executor reads operands in loops of their own, many at a time and lanes that are off too; here is
//! what the text says is read, for those who check it.

mod message;

use crate::exec::lanes::{active, indirect_offset};
use crate::exec::observer::{Payload, Running};
use crate::isa::{Opcode, Platform};
use crate::program::{
    Alu, Barrier, CompareDest, Dest, ExtendedWord, Group, Guard, Lanes, Op, Program, Region, Source,
};
use message::On;
use std::fmt;

/// The part of an instruction that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperandRole {
    /// Source operand, from 0.
    Source(u8),
    /// The address element of a source or (`None`) of the destination.
    Address(Option<u8>),
    /// The predicate in front.
    Guard,
    /// A named register operand of a message.
    Message(&'static str),
}

impl OperandRole {
    /// Whether it says which register or which memory is meant: addresses, offsets, coordinates.
    pub fn leads_somewhere(self) -> bool {
        match self {
            OperandRole::Address(_) => true,
            OperandRole::Message(name) => !matches!(name, "data" | "operands" | "colours"),
            OperandRole::Source(_) | OperandRole::Guard => false,
        }
    }
}

impl fmt::Display for OperandRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandRole::Source(k) => write!(f, "source {k}"),
            OperandRole::Address(Some(k)) => write!(f, "the address of source {k}"),
            OperandRole::Address(None) => f.write_str("the address of the destination"),
            OperandRole::Guard => f.write_str("the predicate"),
            OperandRole::Message(name) => write!(f, "the {name}"),
        }
    }
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Bytes of the arena.
    Bytes {
        /// Where they start in the arena.
        offset: u32,
        /// How many.
        size: u32,
    },
    /// Bits of the predicate at an arena offset, any of which may decide.
    Bits {
        /// Where they start in the arena.
        offset: u32,
        /// Which of them, one bit each.
        bits: u32,
    },
    /// All these bits of a predicate together: `any` requires one that is set, `all` one that is not.
    Group {
        /// The predicate with its grouping.
        guard: Guard,
    },
    /// An element outside its variable, or outside what indirect operands reach.
    Outside {
        /// Through an address element.
        indirect: bool,
    },
}

/// One element that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// By which part of the instruction.
    pub part: OperandRole,
    /// For which lane; `None` where all lanes share it.
    pub lane: Option<u8>,
    /// What.
    pub what: What,
}

/// What must be known of the program.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Bytes that indirect operands reach.
    pub general_bytes: u32,
    /// The zero that outside reads see.
    pub zero: u32,
    /// Where writes vanish.
    pub sink: u32,
    /// The platform: the size of its registers.
    pub platform: Platform,
}

impl Facts {
    /// Of a program.
    pub const fn new(program: &Program) -> Facts {
        Facts {
            general_bytes: program.general_bytes,
            zero: program.zero,
            sink: program.sink,
            platform: program.platform,
        }
    }
}

/// Reads of one instruction.
struct Uses<'a, F> {
    facts: Facts,
    arena: &'a [u8],
    each: F,
}

/// Calls `each` for every element that `op` reads on the lanes of `on`.
///
/// Raw messages read their descriptors here and their payload in [`payload`], once it is decoded.
pub fn op(op: &Op, on: Running, facts: Facts, arena: &[u8], each: impl FnMut(Use)) {
    let mut uses = Uses { facts, arena, each };
    uses.op(op, on);
}

/// Whether which elements an instruction reads does not depend on what registers hold.
pub fn is_direct(op: &Op) -> bool {
    let direct = |source: &Source| !matches!(source.region, Region::Indirect(_));
    match op {
        Op::Alu(alu) => alu.src.iter().all(direct),
        Op::Compare { src, .. } => src.iter().all(direct),
        Op::SetPredicate { src, .. } => direct(src),
        Op::Send(send) => send.operands.scalars.iter().all(|(_, s)| direct(s)),
        _ => false,
    }
}

/// Calls `each` for every element of registers that a raw message reads.
pub fn payload(payload: &Payload<'_>, facts: Facts, arena: &[u8], each: impl FnMut(Use)) {
    let mut uses = Uses { facts, arena, each };
    let on = On {
        mask: payload.mask,
        count: payload.count,
    };
    uses.request(payload.request, payload.registers, on);
}

/// The offset of a lane's element; `None` where it is outside.
pub fn element(
    region: &Region,
    lane: usize,
    size: u32,
    facts: Facts,
    outside: u32,
    arena: &[u8],
) -> Option<u32> {
    let n = lane as u32;
    let offset = match region {
        Region::Scalar(offset) => *offset,
        Region::Dense(offset) => offset + n * size,
        Region::Strided { offset, stride } => offset + n * stride,
        Region::List(list) => *list.get(lane)?,
        Region::Indirect(i) => indirect_offset(arena, i, lane, size, facts.general_bytes)? as u32,
    };
    (offset != outside).then_some(offset)
}

impl<F: FnMut(Use)> Uses<'_, F> {
    fn tell(&mut self, part: OperandRole, lane: Option<usize>, what: What) {
        let lane = lane.map(|lane| lane as u8);
        (self.each)(Use { part, lane, what });
    }

    fn op(&mut self, op: &Op, on: Running) {
        match op {
            Op::Alu(alu) => self.alu(alu, on),
            Op::Compare {
                lanes, dst, src, ..
            } => {
                for (k, source) in src.iter().enumerate() {
                    self.source(k, source, on.mask, *lanes);
                }
                if let CompareDest::General(dst) = dst {
                    self.destination(dst, on.mask, *lanes);
                }
            }
            Op::SetPredicate {
                lanes, src, scalar, ..
            } => {
                let mask = if *scalar { 1 } else { on.mask };
                self.source(0, src, mask, *lanes);
            }
            // Bits go from one predicate to another; they are used where something goes by them.
            Op::PredicateLogic { .. } => {}
            Op::Goto { lanes, guard, .. }
            | Op::Jump { lanes, guard, .. }
            | Op::Call { lanes, guard, .. }
            | Op::CallFunction { lanes, guard, .. }
            | Op::Return { lanes, guard } => self.branch(*guard, *lanes, on.enabled),
            Op::CallIndirect {
                lanes,
                guard,
                address,
            } => {
                self.branch(*guard, *lanes, on.enabled);
                self.source(0, address, 1, *lanes);
            }
            Op::Switch { lanes, index, .. } => self.source(0, index, 1, *lanes),
            Op::Send(send) => {
                self.guard(send.guard, send.lanes, on.enabled);
                self.message(send, on.mask);
            }
            Op::RawSend(message) => {
                self.guard(message.guard, message.lanes, on.enabled);
                if let ExtendedWord::Operand(source) = &message.ex_desc {
                    self.scalar("extended descriptor", source);
                }
                self.scalar("descriptor", &message.desc);
            }
            Op::Barrier(Barrier::NamedSignal(signal)) => {
                self.scalar("barrier number", &signal.id);
                if let Some(role) = &signal.role {
                    self.scalar("barrier type", role);
                }
                for count in &signal.threads {
                    self.scalar("count of threads", count);
                }
            }
            Op::Barrier(Barrier::NamedWait(id)) => self.scalar("barrier number", id),
            Op::Barrier(_) | Op::ReadState | Op::LoadControl => {}
            Op::Nothing | Op::Lifetime(_) => {}
            Op::Unsupported | Op::TakesNull => {}
        }
    }

    /// The predicate of a branch; one with a single lane looks at one bit whatever lanes run.
    fn branch(&mut self, guard: Option<Guard>, lanes: Lanes, enabled: u32) {
        let enabled = if lanes.count == 1 { 1 } else { enabled };
        self.guard(guard, lanes, enabled);
    }

    fn guard(&mut self, guard: Option<Guard>, lanes: Lanes, enabled: u32) {
        let Some(guard) = guard.filter(|_| enabled != 0) else {
            return;
        };
        let what = match guard.group {
            Group::Each => What::Bits {
                offset: guard.offset,
                bits: enabled << lanes.offset,
            },
            Group::Any | Group::All => What::Group { guard },
        };
        self.tell(OperandRole::Guard, None, what);
    }

    fn alu(&mut self, alu: &Alu, on: Running) {
        let vanishes = |dst: &Dest| match dst.region {
            Region::Strided { offset, stride } => stride == 0 && offset == self.facts.sink,
            _ => false,
        };
        // The result of its sources is not seen.
        if vanishes(&alu.dst) && alu.dst2.as_ref().is_none_or(vanishes) && alu.overflow.is_none() {
            return;
        }
        self.guard(alu.guard, alu.lanes, on.enabled);
        let select = alu.opcode == Opcode::Sel;
        let chosen = match alu.guard {
            Some(guard) if select => guard.lanes(alu.lanes, self.dword(guard.offset)),
            _ => u32::MAX,
        };
        for (k, source) in alu.src.iter().enumerate() {
            let mask = match (alu.opcode, k) {
                (Opcode::Sel, 0) => on.mask & chosen,
                (Opcode::Sel, _) => on.mask & !chosen,
                (Opcode::Sad2 | Opcode::Sad2Add, 0 | 1) => {
                    let even = on.mask & 0x5555_5555;
                    even | even << 1
                }
                (Opcode::Sad2 | Opcode::Sad2Add, _) => on.mask & 0x5555_5555,
                (Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph, _) => {
                    grouped(on.mask, alu.opcode, k)
                }
                _ => on.mask,
            };
            self.source(k, source, mask, alu.lanes);
        }
        let results = [Some(&alu.dst), alu.dst2.as_ref()];
        for dst in results.into_iter().flatten() {
            self.destination(dst, on.mask, alu.lanes);
        }
    }

    fn dword(&self, offset: u32) -> u32 {
        let bytes = self.arena.get(offset as usize..).unwrap_or_default();
        bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
    }

    /// The address elements of a destination.
    fn destination(&mut self, dst: &Dest, mask: u32, lanes: Lanes) {
        self.addresses(None, &dst.region, mask, lanes);
    }

    fn addresses(&mut self, source: Option<u8>, region: &Region, mask: u32, lanes: Lanes) {
        let Region::Indirect(indirect) = region else {
            return;
        };
        let part = OperandRole::Address(source);
        let mut last = None;
        for lane in active(mask, lanes.count.into()) {
            // Lanes of a row share their element.
            let at = indirect.address.get(lane).copied();
            if at == last {
                continue;
            }
            last = at;
            let what = match at {
                Some(offset) if offset != self.facts.zero => What::Bytes { offset, size: 2 },
                _ => What::Outside { indirect: false },
            };
            self.tell(part, Some(lane), what);
        }
    }

    /// A source operand on the lanes of `mask`.
    fn source(&mut self, k: usize, source: &Source, mask: u32, lanes: Lanes) {
        let part = OperandRole::Source(k as u8);
        self.addresses(Some(k as u8), &source.region, mask, lanes);
        self.region(part, source, mask, lanes);
    }

    /// A scalar operand of a message.
    fn scalar(&mut self, name: &'static str, source: &Source) {
        let one = Lanes {
            count: 1,
            offset: 0,
            no_mask: true,
        };
        self.addresses(Some(0), &source.region, 1, one);
        self.region(OperandRole::Message(name), source, 1, one);
    }

    fn region(&mut self, part: OperandRole, source: &Source, mask: u32, lanes: Lanes) {
        let size = source.ty.bytes();
        let region = &source.region;
        let indirect = matches!(region, Region::Indirect(_));
        for lane in active(mask, lanes.count.into()) {
            let at = element(region, lane, size, self.facts, self.facts.zero, self.arena);
            let what = match at {
                Some(offset) => What::Bytes { offset, size },
                None => What::Outside { indirect },
            };
            if matches!(region, Region::Scalar(_)) {
                self.tell(part, None, what);
                return;
            }
            self.tell(part, Some(lane), what);
        }
    }
}

/// The lanes of a source that the dot products of `mask` read: those of whole groups of four.
fn grouped(mask: u32, opcode: Opcode, source: usize) -> u32 {
    let terms = match (opcode, source) {
        (Opcode::Dp2, _) => 0b0011,
        (Opcode::Dp3, _) | (Opcode::Dph, 0) => 0b0111,
        _ => 0b1111,
    };
    (0..32).step_by(4).fold(0, |lanes, at| {
        let on = mask >> at & 0b1111 != 0;
        lanes | if on { terms << at } else { 0 }
    })
}
