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

#[cfg(test)]
mod tests {
    use super::super::select::Kind;
    use super::*;
    use crate::exec::compute::laws::lowered;
    use pretty_assertions::assert_eq;

    /// Whether the 16 dwords of `V` are local in a program of these lines.
    fn is_local(lines: &str) -> Option<bool> {
        let program = lowered(format!(
            ".version 3.6\n.kernel \"k\"
.decl P1 v_type=P num_elts=32
.decl V v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=w num_elts=32 align=GRF alias=<V, 0>
.decl W v_type=G type=d num_elts=32 align=GRF
.decl A0 v_type=A num_elts=16
{lines}\nret (M1, 1)\n"
        ));
        let local = Local::new(&program, &[])?;
        let mut symbols = program.symbols.iter();
        let (_, symbol) = symbols.find(|(name, _)| *name == "V")?;
        Some(local.has(Bytes {
            at: symbol.offset,
            len: 64,
            kind: Kind::Row(16),
        }))
    }

    const WRITE: &str = "add (M1, 16) V(0,0)<1> W(0,0)<1;1,0> 0x1:d";
    const READ: &str = "add (M1, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d";

    #[test]
    fn lanes_that_read_what_they_have_written_keep_nothing() {
        assert_eq!(is_local(&format!("{WRITE}\n{READ}")), Some(true));
        // Some lanes go on elsewhere in between, a few write anew, and it is written for later.
        let parts = "(P1) goto (M1, 16) out";
        let some = "(P1) mov (M1, 16) V(0,0)<1> 0x5:d";
        let lines = format!("{WRITE}\n{parts}\n{some}\n{READ}\nout:\n{WRITE}");
        assert_eq!(is_local(&lines), Some(true));
        // All lanes of a register that none is masked in.
        let all = "mov (M1_NM, 16) V(0,0)<1> 0x5:d";
        let each = "add (M1, 16) W(0,0)<1> V(0,3)<0;1,0> 0x1:d";
        assert_eq!(is_local(&format!("{all}\n{READ}\n{each}")), Some(true));
    }

    #[test]
    fn what_others_may_read_is_kept() {
        for between in [
            // Who comes here has not written it.
            format!("{WRITE}\n(P1) goto (M1, 16) out\n{WRITE}\nout:\n{READ}"),
            format!("{READ}\n{WRITE}\n(P1) goto (M1, 16) out\nout:"),
            format!("again:\n{READ}\n{WRITE}\n(P1) goto (M1, 16) again"),
            // Not all who read it.
            format!("(P1) mov (M1, 16) V(0,0)<1> 0x5:d\n{READ}"),
            format!("add (M1, 8) V(0,0)<1> W(0,0)<1;1,0> 0x1:d\n{READ}"),
            // Lanes of others, or lanes that are off.
            format!("{WRITE}\nadd (M1, 16) W(0,0)<1> V(0,3)<0;1,0> 0x1:d"),
            format!("{WRITE}\nadd (M1_NM, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d"),
            format!("{WRITE}\nadd (M5, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d"),
            format!("{WRITE}\nmov (M1, 16) W(0,0)<1> B(0,0)<1;1,0>"),
            // A part of a dword.
            format!("{WRITE}\nmov (M1, 16) B(0,0)<2> 0x5:w\n{READ}"),
        ] {
            assert_eq!(is_local(&between), Some(false), "{between}");
        }
        let indirect = "mov (M1, 16) W(0,0)<1> r[A0(0),0]<1;1,0>:d";
        assert_eq!(is_local(&format!("{WRITE}\n{indirect}\n{READ}")), None);
    }
}
