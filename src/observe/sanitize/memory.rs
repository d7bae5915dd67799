//! Memory: what messages touch outside, misaligned, before it was written, or twice.

use super::State;
use super::finding::{AddressUse, Detail, Kind};
use crate::exec::observer::{Access, AccessKind, At, SpaceName, Spot};
use crate::isa::{AtomicOp, Opcode};
use crate::message::{LscOp, Request};

/// A set of byte addresses.
#[derive(Debug, Default)]
pub(super) struct Bitmap(Vec<u64>);

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

/// What an atomic does with the bytes that were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Old {
    /// What it writes depends on them.
    Used,
    /// It hands them over, if a register requires them, and writes others.
    Replaced,
    /// It hands them over and writes nothing.
    Kept,
}

impl Old {
    /// For the atomics of a request.
    pub(super) fn of_request(request: &Request) -> Old {
        match request {
            Request::Atomic(r) | Request::SvmAtomic(r) => Old::under(r.op),
            Request::Lsc(r) => match r.op {
                LscOp::Atomic(op) | LscOp::BfAtomic(op) => Old::under(op),
                _ => Old::Kept,
            },
            _ => Old::Used,
        }
    }

    fn under(op: AtomicOp) -> Old {
        match op {
            AtomicOp::Xchg => Old::Replaced,
            _ => Old::Used,
        }
    }

    /// Shared, scratch and private memory hold nothing at the start: which of the bytes that are read
    /// were never written, counted from the first.
    pub(super) fn unwritten(self, written: &mut Bitmap, access: &Access<'_>) -> Vec<u32> {
        let (start, inside) = (access.start, access.inside);
        let (reads, writes) = match access.kind {
            AccessKind::Read => (true, false),
            AccessKind::Write => (false, true),
            AccessKind::Atomic => (true, self != Old::Kept),
        };
        let bytes = (0..inside).filter(|&i| reads && !written.has(start + u64::from(i)));
        let bytes = bytes.collect();
        if writes {
            written.add(start, inside);
        }
        bytes
    }
}

impl State {
    /// An access to shared local memory without the bytes that belong to nothing: groups get whole KiB.
    pub(super) fn owned<'a>(&self, access: &Access<'a>) -> Access<'a> {
        let used = u64::from(self.slm_used).saturating_sub(access.start);
        let inside = match access.space {
            SpaceName::Shared => access.inside.min(u32::try_from(used).unwrap_or(u32::MAX)),
            _ => access.inside,
        };
        Access { inside, ..*access }
    }

    pub(super) fn access(&mut self, at: At, access: &Access<'_>) {
        let &Access {
            space,
            kind,
            lane,
            spot,
            bytes,
            inside,
            ..
        } = access;
        // Reads of a media block repeat the edge, which is what they are for.
        let repeats = kind == AccessKind::Read && matches!(spot, Spot::Block(..));
        if inside < bytes && !repeats {
            let kind = Kind::OutsideMemory(kind);
            self.add(at, kind, lane, |state| state.memory(access, None));
        }
        // Byte scattered messages, which these become, take any address: compiled kernels use that.
        let scattered = matches!(spot, Spot::Byte(_))
            && matches!(
                at.site.opcode,
                Opcode::GatherScaled | Opcode::ScatterScaled | Opcode::RawSend | Opcode::RawSends
            );
        if access.misaligned.is_some() && !scattered {
            let misaligned = access.misaligned;
            self.add(at, Kind::Misaligned(kind), lane, |state| {
                state.memory(access, misaligned)
            });
        }
        if let (AccessKind::Write, Some(lane)) = (kind, lane) {
            for (i, &value) in access.data.iter().take(inside as usize).enumerate() {
                let byte = (access.memory, access.start + i as u64);
                match self.written.insert(byte, (value, lane)) {
                    Some((before, other)) if before != value && other != lane => {
                        self.add(at, Kind::Disagree, Some(lane), |state| Detail::Lanes {
                            space,
                            spot,
                            other,
                            places: state.places(Some(lane)),
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    /// An access as it is reported.
    fn memory(&self, access: &Access<'_>, misaligned: Option<(u64, u32)>) -> Detail {
        Detail::Memory {
            space: access.space,
            spot: access.spot,
            bytes: access.bytes,
            inside: access.inside,
            misaligned,
            past_end: access.past_end.map(str::to_string),
            places: self.places(access.lane),
        }
    }

    /// An atomic that works on what nothing has written.
    pub(super) fn unwritten_atomic(&mut self, at: At, access: &Access<'_>) {
        self.add(at, Kind::UnwrittenMemory, access.lane, |state| {
            state.memory(access, None)
        });
    }

    /// What the message at hand goes by for a lane: its own addresses and what all lanes share.
    fn places(&self, lane: Option<u8>) -> Vec<AddressUse> {
        let mut places = self.places.clone();
        places.retain(|place| lane.is_none() || place.lane.is_none() || place.lane == lane);
        places
    }
}
