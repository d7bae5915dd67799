//! After which op nobody reads a dword of a thread any more: what registers hold of it then is never stored.
//!
//! ```text
//!  0  mul V1 ← V0 2.0
//!  1  add V2 ← V1 V0      V1 is read last here
//!  2  mul V3 ← V2 V2      V2: here, and as often as 4 goes back
//!  3  cmp P1 ← V3 1.0     V3 the same
//!  4  (P1) goto 2
//! ```
//!
//! Lanes that have parted wait in front of those that run: each op that is still to come, for whichever lanes, is behind
//! this one, or in a loop with it. No write makes what was there before unread, so that it does not matter which lanes
//! it is for.

use super::super::reads::{By, Touches, tell, ways};
use super::select::Bytes;
use crate::program::{Lanes, Program};

/// For each dword the last op that may read it, 0 where none does.
pub struct LastRead {
    dwords: Vec<u32>,
    /// The last op that reads through addresses, which may be any of them.
    anywhere: u32,
    /// The op at hand, or the last one of the loops that it is in.
    at: u32,
}

impl LastRead {
    /// For threads whose bytes nobody looks at when they have ended; `None` where it is not known who reads what.
    pub fn new(program: &Program) -> Option<LastRead> {
        let until = repeated(program);
        let mut last = LastRead {
            dwords: vec![0; program.image.len().div_ceil(4)],
            anywhere: 0,
            at: 0,
        };
        for (op, &until) in program.ops.iter().zip(&until) {
            last.at = until;
            tell(op, program.platform, &mut last)?;
        }
        // What the thread itself looks at.
        last.at = u32::MAX;
        for (_, symbol) in program.symbols.iter().filter(|(n, _)| n.starts_with('%')) {
            last.read(symbol.offset, symbol.bytes(), None);
        }
        Some(last)
    }

    /// The last op that may read some bytes.
    pub fn of(&self, bytes: Bytes) -> u32 {
        let (first, end) = (bytes.at / 4, (bytes.at + bytes.len).div_ceil(4));
        let dwords = self.dwords.get(first as usize..end as usize);
        dwords.map_or(u32::MAX, |all| {
            all.iter().copied().fold(self.anywhere, u32::max)
        })
    }
}

impl Touches for LastRead {
    fn read(&mut self, at: u32, size: u32, _: By) {
        let (first, end) = (at / 4, at.saturating_add(size).div_ceil(4));
        let end = (end as usize).min(self.dwords.len());
        let dwords = self.dwords.get_mut(first as usize..end);
        for last in dwords.into_iter().flatten() {
            *last = self.at.max(*last);
        }
    }

    fn write(&mut self, _: u32, _: u32, _: By) {}

    fn read_anywhere(&mut self) -> Option<()> {
        self.anywhere = self.at.max(self.anywhere);
        Some(())
    }

    fn write_anywhere(&mut self) -> Option<()> {
        Some(())
    }

    fn lanes_part(&mut self) {}

    fn are_one(&self, _: Lanes) -> bool {
        true
    }
}

/// For each op the last one of the loops that it is in, one inside another or one into the next, or itself.
fn repeated(program: &Program) -> Vec<u32> {
    let mut until: Vec<u32> = (0..program.ops.len() as u32).collect();
    // The farthest end of those that begin at an op.
    for (pc, op) in (0..).zip(&program.ops) {
        for &to in ways(op).0.iter().filter(|&&to| to <= pc) {
            until[to as usize] = pc.max(until[to as usize]);
        }
    }
    let mut first = 0;
    while first < until.len() {
        let (mut at, mut last) = (first, first);
        while at <= last {
            last = last.max(until[at] as usize);
            at += 1;
        }
        until[first..=last].fill(last as u32);
        first = last + 1;
    }
    until
}
