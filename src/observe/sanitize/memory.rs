//! Memory: what messages touch outside, misaligned, before it was written, or twice.

use super::State;
use super::finding::{AddressUse, Detail, Kind};
use crate::exec::observer::{Access, AccessKind, At, SpaceName, Spot};
use crate::isa::{AtomicOp, Opcode};
use crate::message::{LscOp, Request};
use std::ops::Range;

/// A set of byte addresses.
#[derive(Debug, Default)]
pub(super) struct Bitmap {
    words: Vec<u64>,
    /// All below this are in it, as far as somebody has asked.
    whole: u64,
}

impl Bitmap {
    fn add(&mut self, start: u64, bytes: u32) {
        let (start, end) = (start as usize, start as usize + bytes as usize);
        if self.words.len() * 64 < end {
            self.words.resize(end.div_ceil(64), 0);
        }
        for (word, bits) in words(start, end) {
            self.words[word] |= bits;
        }
    }

    /// Whether all bytes below this are in it.
    pub(super) fn is_whole(&mut self, bytes: u64) -> bool {
        let count = u32::try_from(bytes);
        if bytes > self.whole && count.is_ok_and(|count| self.has_all(0, count)) {
            self.whole = bytes;
        }
        bytes <= self.whole
    }

    /// Whether all bytes of a range are in it.
    fn has_all(&self, start: u64, bytes: u32) -> bool {
        let (start, end) = (start as usize, start as usize + bytes as usize);
        words(start, end).all(|(word, bits)| self.words.get(word).is_some_and(|w| w & bits == bits))
    }

    fn has(&self, at: u64) -> bool {
        let at = at as usize;
        let word = self.words.get(at / 64);
        word.is_some_and(|word| word >> (at % 64) & 1 != 0)
    }
}

/// What lanes of a message have written so far.
#[derive(Debug, Default)]
pub(super) struct Written {
    pieces: Vec<Piece>,
    bytes: Vec<u8>,
    /// From the first byte of all pieces to the last, whatever their memory.
    span: Range<u64>,
}

/// Bytes that a lane has written.
#[derive(Clone, Copy, Debug)]
struct Piece {
    memory: usize,
    start: u64,
    /// How many, and where they are kept.
    count: usize,
    first: usize,
    lane: u8,
}

impl Written {
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.bytes.clear();
        self.span = 0..0;
    }

    /// Adds what a lane writes; the lanes that wrote another value before, for each byte that another lane wrote last.
    fn add(&mut self, memory: usize, start: u64, data: &[u8], lane: u8) -> Vec<u8> {
        let meets = |other: &&Piece| {
            other.memory == memory
                && other.start < start + data.len() as u64
                && start < other.start + other.count as u64
        };
        let end = start + data.len() as u64;
        // Lanes mostly write one after the other.
        let apart = end <= self.span.start || start >= self.span.end;
        let pieces: &[Piece] = if apart { &[] } else { &self.pieces };
        let before: Vec<Piece> = pieces.iter().filter(meets).copied().collect();
        self.span = match self.pieces.is_empty() {
            true => start..end,
            false => self.span.start.min(start)..self.span.end.max(end),
        };
        let byte = |at: u64, piece: &Piece| {
            let own = usize::try_from(at.checked_sub(piece.start)?).ok()?;
            (own < piece.count).then(|| (self.bytes[piece.first + own], piece.lane))
        };
        let last = |at: u64| before.iter().rev().find_map(|piece| byte(at, piece));
        let bytes = (start..).zip(data);
        let others = bytes.filter_map(|(at, value)| {
            let (own, other) = last(at)?;
            (own != *value && other != lane).then_some(other)
        });
        let others = match before.is_empty() {
            true => Vec::new(),
            false => others.collect(),
        };
        self.pieces.push(Piece {
            memory,
            start,
            count: data.len(),
            first: self.bytes.len(),
            lane,
        });
        self.bytes.extend_from_slice(data);
        others
    }
}

/// The words of 64 bits that hold a range of bits, and which bits of each.
fn words(start: usize, end: usize) -> impl Iterator<Item = (usize, u64)> {
    (start / 64..end.div_ceil(64)).map(move |word| {
        let first = start.max(word * 64) - word * 64;
        let count = end.min(word * 64 + 64) - word * 64 - first;
        (word, u64::MAX >> (64 - count) << first)
    })
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
        let bytes = match !reads || written.has_all(start, inside) {
            true => Vec::new(),
            false => (0..inside)
                .filter(|&i| !written.has(start + u64::from(i)))
                .collect(),
        };
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
            let data = &access.data[..access.data.len().min(inside as usize)];
            let others = self.written.add(access.memory, access.start, data, lane);
            for other in others {
                self.add(at, Kind::Disagree, Some(lane), |state| Detail::Lanes {
                    space,
                    spot,
                    other,
                    places: state.places(Some(lane)),
                });
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
        let mut places = self.places_at_hand();
        places.retain(|place| lane.is_none() || place.lane.is_none() || place.lane == lane);
        places
    }
}
