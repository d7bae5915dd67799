//! What is found, counted and kept until the run has ended.

use super::edges::EdgeRows;
use crate::exec::observer::{AccessKind, SpaceName, Spot};
use crate::exec::{Meeting, ThreadId};
use crate::observe::shadow::Origin;
use crate::observe::uses::OperandRole;
use std::ops::Range;

/// Reported once for each of these.
pub(super) type Key = (u32, Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Bytes of an operand.
    Register(OperandRole, Nothing),
    Predicate(OperandRole),
    OutsideRead(OperandRole),
    OutsideWrite,
    OutsideMemory(AccessKind),
    Misaligned(AccessKind),
    /// A block or a sampler goes beyond a surface, which is defined.
    Edge,
    UnwrittenMemory,
    Overlap,
    Disagree,
    OtherBarrier,
    EndedEarly,
    /// Lanes of the thread that came to a barrier without the others.
    SomeLanes,
    /// A named barrier that was never complete.
    NamedOpen,
}

/// Why bytes hold nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nothing {
    /// Nothing was ever written.
    Never,
    /// A message left them undefined.
    Message,
    /// An instruction that computes did.
    Result,
    /// They were loaded from memory that nothing has written.
    Memory,
    /// The lifetime of their variable started or ended.
    Lifetime,
}

#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) thread: ThreadId,
    pub(super) step: u64,
    pub(super) lane: Option<u8>,
    pub(super) lanes: u32,
    pub(super) count: u64,
    pub(super) detail: Detail,
}

/// An address, offset or coordinate that the instruction at hand goes by, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressUse {
    pub(super) part: OperandRole,
    pub(super) lane: Option<u8>,
    pub(super) offset: u32,
    pub(super) size: u32,
    pub(super) origin: Origin,
}

#[derive(Clone, Debug)]
pub(super) enum Detail {
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
        origin: Origin,
    },
    /// An element outside; what it went by if it is indirect.
    Indirect(bool, Vec<AddressUse>),
    Memory {
        space: SpaceName,
        spot: Spot,
        bytes: u32,
        inside: u32,
        misaligned: Option<(u64, u32)>,
        past_end: Option<String>,
        places: Vec<AddressUse>,
    },
    Lanes {
        space: SpaceName,
        spot: Spot,
        other: u8,
        places: Vec<AddressUse>,
    },
    Edges(EdgeRows),
    Ranges(&'static str, Range<u32>, Range<u32>),
    Other {
        pc: u32,
        thread: ThreadId,
    },
    Named(Meeting),
    /// The lanes that came, and the branch at which the others left them.
    OperandRole {
        came: u32,
        lanes: u32,
        parted: Option<u32>,
    },
}

impl Finding {
    /// The earlier of two, counted together.
    pub(super) fn merge(&mut self, other: Finding) {
        let (count, lanes) = (self.count + other.count, self.lanes | other.lanes);
        if (other.thread.index, other.step) < (self.thread.index, self.step) {
            *self = other;
        }
        (self.count, self.lanes) = (count, lanes);
    }
}
