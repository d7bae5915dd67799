//! Memory: what messages touch outside, misaligned, before it was written, or twice.

use super::State;
use super::finding::{Detail, Kind};
use crate::exec::observer::{Access, AccessKind, At, SpaceName, Spot};
use crate::isa::{Family, Opcode};

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

impl State {
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
        let memory = |wanted| Detail::Memory {
            space,
            spot,
            bytes,
            inside,
            wanted,
        };
        // Addresses without memory stop the run, which says it; reads of a media block repeat the edge,
        // which is what they are for.
        let stops = matches!(space, SpaceName::Flat | SpaceName::Scratch);
        let repeats = kind == AccessKind::Read && matches!(spot, Spot::Block(..));
        if inside < bytes && !stops && !repeats {
            self.add(at, Kind::OutsideMemory(kind), lane, |_| memory(0));
        }
        // Byte scattered messages, which these become, take any address: compiled kernels use that.
        let scattered = matches!(
            at.site.opcode,
            Opcode::GatherScaled | Opcode::ScatterScaled | Opcode::RawSend | Opcode::RawSends
        );
        // So do LSC loads and stores.
        let lsc = at.site.opcode.info().family == Family::Lsc && kind != AccessKind::Atomic;
        if let Some(wanted) = access.misaligned.filter(|_| !scattered && !lsc) {
            self.add(at, Kind::Misaligned(kind), lane, |_| memory(wanted));
        }
        if let (AccessKind::Write, Some(lane)) = (kind, lane) {
            for (i, &value) in access.data.iter().take(inside as usize).enumerate() {
                let byte = (access.memory, access.start + i as u64);
                match self.written.insert(byte, (value, lane)) {
                    Some((before, other)) if before != value && other != lane => {
                        let detail = Detail::Lanes { space, spot, other };
                        self.add(at, Kind::Disagree, Some(lane), |_| detail);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Shared and scratch memory hold nothing at the start: which of the bytes that are read were never
    /// written, counted from the first.
    pub(super) fn unwritten(written: &mut Bitmap, access: &Access<'_>) -> Vec<u32> {
        let (start, inside) = (access.start, access.inside);
        let read = access.kind != AccessKind::Write;
        let bytes = (0..inside).filter(|&i| read && !written.has(start + u64::from(i)));
        let bytes = bytes.collect();
        if access.kind != AccessKind::Read {
            written.add(start, inside);
        }
        bytes
    }
}
