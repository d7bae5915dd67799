//! Atomics whose order shows: what they leave depends on which thread comes first, though nothing races.
//!
//! ```text
//!  add inc dec sub     commute with each other      two of them leave the same bytes in either order
//!  min  and  or …      commute with their own kind
//!  xchg cmpxchg f…     do not: float sums are rounded, the last exchange stays
//!  any, with a result  does not: the old value says who came before
//! ```

use crate::isa::AtomicOp;
use crate::lower::SLM;
use crate::message::{LscModel, LscOp, Request, Sfid};
use crate::program::{ExtendedWord, Op, Program, RawMessage, Send};

/// What an atomic does to memory, as far as its order goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It commutes with those of the same operation on elements of as many bytes.
    Commutes(AtomicOp, u32),
    /// The order shows.
    Ordered,
}

impl Update {
    fn new(op: AtomicOp, bytes: u32, result: bool) -> Update {
        match op {
            _ if result => Update::Ordered,
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Inc | AtomicOp::Dec => {
                Update::Commutes(AtomicOp::Add, bytes)
            }
            AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::MinSint
            | AtomicOp::MaxSint
            | AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor => Update::Commutes(op, bytes),
            // A float minimum of zeros of both signs is whichever came first.
            AtomicOp::Xchg
            | AtomicOp::CmpXchg
            | AtomicOp::FMax
            | AtomicOp::FMin
            | AtomicOp::FCmpWr
            | AtomicOp::FAdd
            | AtomicOp::FSub => Update::Ordered,
        }
    }

    /// Whether the two leave the same bytes in either order.
    pub fn commutes_with(self, other: Update) -> bool {
        self == other && self != Update::Ordered
    }

    /// What a message does; `None` if it is not an atomic.
    pub fn of(send: &Send) -> Option<Update> {
        Update::of_request(&send.request, send.operands.registers.answer.is_some())
    }

    /// What a raw message does: one that its receiver may take for an atomic counts as one whose order shows.
    pub fn of_raw(message: &RawMessage) -> Option<Update> {
        let receiver = message.function.or(match message.ex_desc {
            ExtendedWord::Known(word) => Some(word & 0xf),
            ExtendedWord::Operand(_) => None,
        });
        let may = receiver.is_none_or(|receiver| DATA_CACHES.contains(&receiver));
        may.then_some(Update::Ordered)
    }

    /// What a request does; `result`: registers take the old value.
    pub fn of_request(request: &Request, result: bool) -> Option<Update> {
        if let Request::Lsc(r) = request {
            return match r.op {
                LscOp::Atomic(op) => Some(Update::new(op, r.data.memory_bytes(), result)),
                LscOp::AtomicLoad | LscOp::BfAtomic(_) | LscOp::AppendCounter(_) => {
                    Some(Update::Ordered)
                }
                _ => None,
            };
        }
        let atomic = request.atomic()?;
        Some(Update::new(
            atomic.op,
            atomic.bits / 8,
            atomic.returns && result,
        ))
    }
}

/// The receivers that have atomics on any platform, by SFID: dc0, dc1, tgm, ugm. Source: lowering reference 1.4.
const DATA_CACHES: [u32; 4] = [10, 12, 13, 15];

/// Whether groups may leave other bytes behind when they run in another order, though nothing races.
pub fn shows_order_of_groups(program: &Program) -> bool {
    differ(program.ops.iter().filter_map(|op| match op {
        Op::Send(send) if !is_of_group(program, send) => Update::of(send),
        Op::RawSend(message) => Update::of_raw(message),
        _ => None,
    }))
}

/// Whether threads of a group may leave other bytes behind when they take their turns elsewhere than at barriers,
/// though nothing races.
pub fn shows_order_of_threads(program: &Program) -> bool {
    let of_group = program.ops.iter().filter_map(|op| match op {
        Op::Send(send) if is_of_group(program, send) => Update::of(send),
        _ => None,
    });
    differ(of_group) || shows_order_of_groups(program)
}

/// Whether the order of some updates of one memory shows.
fn differ(mut updates: impl Iterator<Item = Update>) -> bool {
    let first = updates.next();
    first.is_some_and(|first| {
        first == Update::Ordered || updates.any(|other| !first.commutes_with(other))
    })
}

/// Whether a message reaches only memory of the thread or of its group.
fn is_of_group(program: &Program, send: &Send) -> bool {
    if let Request::Lsc(r) = &send.request {
        return r.sfid == Sfid::Slm || matches!(r.model, LscModel::Ss(_));
    }
    send.surface.is_some_and(|at| {
        let index = program
            .image
            .get(at as usize..)
            .and_then(<[u8]>::first_chunk);
        index.is_some_and(|index| u32::from_le_bytes(*index) == SLM)
    })
}
