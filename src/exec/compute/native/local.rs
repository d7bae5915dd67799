//! Dwords that each lane writes itself, in one straight run of ops, before it reads them there: what lanes that are off have of
//! them nobody ever sees.
//!
//! ```text
//!  7  add V1 ← V0 2.0     lanes that run
//!  8  mul V2 ← V1 V1      the same lanes, each its own
//!  9  (P) goto 12         some of them no more
//! 10  st  V2              V1 and V2 are read nowhere else
//! ```
//!
//! A lane that is off at 7 waits elsewhere, where a run of ops begins, and comes to a write of V1 before it comes to a
//! read. So 7 need not keep what such lanes had.

use super::super::reads::{By, Touches, tell, ways};
use super::select::Bytes;
use crate::program::{Barrier, Lanes, Op, Program};

/// Whether each dword is such a one.
pub struct Local {
    dwords: Vec<bool>,
}

/// Who has written a dword in the run of ops at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    Nobody,
    /// A lane of the thread.
    Lane(u32),
    /// Whatever lanes run.
    Anybody,
}

/// What is known at an op.
struct Runs {
    writers: Vec<Writer>,
    local: Vec<bool>,
}

impl Local {
    /// For threads whose bytes nobody looks at when they have ended; `None` where it is not known who reads what.
    ///
    /// * `entered`: the ops that a jump may lead to.
    pub fn new(program: &Program, entered: &[bool]) -> Option<Local> {
        let mut begins = entered.to_vec();
        begins.resize(program.ops.len() + 1, false);
        for (pc, op) in program.ops.iter().enumerate() {
            let (targets, _) = ways(op);
            targets.iter().for_each(|&to| begins[to as usize] = true);
            // Who does not go back waits behind it.
            let back = targets.iter().any(|&to| to as usize <= pc);
            begins[pc + 1] |= back || matches!(op, Op::Barrier(Barrier::Whole));
        }
        let dwords = program.image.len().div_ceil(4);
        let mut runs = Runs {
            writers: vec![Writer::Nobody; dwords],
            local: vec![true; dwords],
        };
        for (op, begins) in program.ops.iter().zip(begins) {
            if begins {
                runs.writers.fill(Writer::Nobody);
            }
            tell(op, program.platform, &mut runs)?;
        }
        // What the thread itself looks at.
        runs.writers.fill(Writer::Nobody);
        for (_, symbol) in program.symbols.iter().filter(|(n, _)| n.starts_with('%')) {
            runs.read(symbol.offset, symbol.bytes(), None);
        }
        Some(Local { dwords: runs.local })
    }

    /// Whether all of some bytes are.
    pub fn has(&self, bytes: Bytes) -> bool {
        let (first, end) = (bytes.at / 4, (bytes.at + bytes.len).div_ceil(4));
        let dwords = self.dwords.get(first as usize..end as usize);
        dwords.is_some_and(|all| all.iter().all(|local| *local))
    }
}

impl Runs {
    /// The dwords that bytes are part of.
    fn range(&self, at: u32, size: u32) -> std::ops::Range<usize> {
        let all = self.writers.len();
        let end = at.saturating_add(size).div_ceil(4) as usize;
        (at as usize / 4).min(all)..end.min(all)
    }
}

/// The lane of the thread, if it does what it does when it runs, and not otherwise.
fn lane(by: By) -> Option<u32> {
    let (lanes, lane) = by?;
    (!lanes.no_mask).then(|| u32::from(lanes.offset) + lane)
}

impl Touches for Runs {
    fn read(&mut self, at: u32, size: u32, by: By) {
        let own = lane(by).map(Writer::Lane);
        for dword in self.range(at, size) {
            let writer = self.writers[dword];
            self.local[dword] &= writer == Writer::Anybody || Some(writer) == own;
        }
    }

    fn write(&mut self, at: u32, size: u32, by: By) {
        let whole = at.is_multiple_of(4) && size.is_multiple_of(4);
        let writer = match lane(by) {
            // The rest of a dword may be of another one.
            _ if !whole => Writer::Nobody,
            Some(lane) => Writer::Lane(lane),
            None => Writer::Anybody,
        };
        let range = self.range(at, size);
        self.writers[range].fill(writer);
    }

    /// All of them may be.
    fn read_anywhere(&mut self) -> Option<()> {
        None
    }

    fn write_anywhere(&mut self) -> Option<()> {
        Some(())
    }

    fn lanes_part(&mut self) {}

    fn are_one(&self, lanes: Lanes) -> bool {
        lanes.no_mask
    }
}
