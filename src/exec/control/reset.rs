//! Which bytes of a thread must be reset when it begins in the memory of another one: all but those that it
//! certainly writes before it reads them; and where both begin with the same bytes, of those the ones that the
//! program may change.
//!
//! ```text
//!  mul V1 ← V0 2.0     V0 is read: fresh       V1 is written
//!  sample V2 ← V1                              V2 is written: what an earlier thread left there is never seen
//!  goto …              on all ways from here
//!  add V3 ← V2 V4      V4 is fresh             after a thread that began with the same V4, V4 is so already
//! ```
//!
//! Where lanes have parted, a lane has written what lies in its own place, and is the only one that may read it.

use crate::exec::compute::reads::{By, Touches, offset, tell, ways};
use crate::exec::state::arena::ROW;
use crate::isa::Platform;
use crate::program::{CompareDest, Dest, Lanes, Op, Program, Region};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::ops::Range;

/// The bytes of the arena, in order, whose start values a thread may see that another one may have left behind
/// changed.
#[derive(Clone, Debug, Default)]
pub struct Reset {
    /// In the memory of any thread of the program.
    pub of_any: Vec<Range<usize>>,
    /// In that of a thread which began with the same bytes: those that are never written are as they were.
    pub of_same: Vec<Range<usize>>,
    /// The rows of an arena that these bytes lie in.
    pub rows_of_any: Vec<u32>,
    pub rows_of_same: Vec<u32>,
    /// Of the latter those that ops change: whoever fills in the header needs no others.
    pub rows_of_ops: Vec<u32>,
}

impl Reset {
    /// For threads that begin with the lanes of `mask`, at op `from`: what comes before it was done once for all of them.
    pub fn new(program: &Program, mask: u32, from: u32) -> Reset {
        let fresh = fresh(program, mask);
        let places = || (0..fresh.len()).filter(|&at| fresh[at]);
        let of_any = ranges(places());
        let changed = changed(program, from);
        // The launch fills in the header.
        let header = program.platform.grf_bytes() as usize;
        let of_ops = match &changed {
            Some(changed) => ranges(places().filter(|&at| changed[at])),
            None => of_any.clone(),
        };
        let of_same = match &changed {
            Some(changed) => ranges(places().filter(|&at| at < header || changed[at])),
            None => of_any.clone(),
        };
        Reset {
            rows_of_any: rows(&of_any),
            rows_of_same: rows(&of_same),
            rows_of_ops: rows(&of_ops),
            of_any,
            of_same,
        }
    }

    /// Puts something else where a thread is said not to look, so that tests see it if one does.
    pub fn spoil(&self, arena: &mut [u8]) {
        let ends = self.of_any.iter().map(|range| range.end);
        let starts = self.of_any.iter().map(|range| range.start);
        let gaps = iter::once(0).chain(ends).zip(starts.chain([arena.len()]));
        for (start, end) in gaps.collect::<Vec<_>>() {
            arena[start..end].fill(0xa5);
        }
    }
}

/// The rows of an arena that bytes lie in.
fn rows(ranges: &[Range<usize>]) -> Vec<u32> {
    let rows = ranges
        .iter()
        .flat_map(|range| range.start / ROW..range.end.div_ceil(ROW));
    let mut rows: Vec<u32> = rows.map(|row| row as u32).collect();
    rows.dedup();
    rows
}

/// Bytes that follow each other, as ranges.
pub(super) fn ranges(bytes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for at in bytes {
        match ranges.last_mut() {
            Some(last) if at == last.end => last.end = at + 1,
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}

/// For each byte of the arena whether ops of a run from `from` on may change it; `None` if that is not known here.
fn changed(program: &Program, from: u32) -> Option<Vec<bool>> {
    let mut changed = vec![false; program.image.len()];
    let mut change = |at: u32, size: u32| {
        let count = changed.len();
        let end = (at as usize + size as usize).min(count);
        changed[(at as usize).min(count)..end].fill(true);
    };
    let comes_back = |op: &Op| ways(op).0.iter().any(|&to| to < from);
    let done = match program.ops.iter().any(comes_back) {
        true => 0,
        false => from as usize,
    };
    for op in program.ops.iter().skip(done) {
        match op {
            // The thread brings its state up to date.
            Op::ReadState => {
                for name in ["%ce0", "%tsc"] {
                    if let Some(symbol) = program.symbols.get(name) {
                        change(symbol.offset, symbol.bytes());
                    }
                }
            }
            Op::Alu(alu) => {
                let mut dsts = std::iter::once(&alu.dst).chain(&alu.dst2);
                dsts.try_for_each(|dst| change_lanes(dst, alu.lanes, &mut change))?;
                if let Some(at) = alu.overflow {
                    change(at, 4);
                }
            }
            Op::Compare {
                dst: CompareDest::General(dst),
                lanes,
                ..
            } => change_lanes(dst, *lanes, &mut change)?,
            Op::Compare {
                dst: CompareDest::Predicate(at),
                ..
            }
            | Op::SetPredicate { dst: at, .. }
            | Op::PredicateLogic { dst: at, .. } => change(*at, 4),
            Op::RawSend(_) => return None,
            Op::Send(send) => {
                if let Some(raw) = send.operands.registers.answer {
                    change(raw.offset, raw.end.saturating_sub(raw.offset));
                }
            }
            Op::Goto { .. } | Op::Jump { .. } | Op::Switch { .. } | Op::Return { .. } => {}
            Op::Nothing | Op::Lifetime(_) | Op::LoadControl => {}
            Op::Unsupported | Op::TakesNull => {}
            Op::Barrier(_) => {}
            // Functions have variables of their own, which are saved and restored.
            Op::Call { .. } | Op::CallFunction { .. } | Op::CallIndirect { .. } => return None,
        }
    }
    Some(changed)
}

fn change_lanes(dst: &Dest, lanes: Lanes, change: &mut impl FnMut(u32, u32)) -> Option<()> {
    let size = dst.ty.bytes();
    if let Region::Dense(at) = dst.region {
        change(at, size * u32::from(lanes.count));
        return Some(());
    }
    for lane in 0..lanes.count {
        change(offset(&dst.region, lane.into(), size)?, size);
    }
    Some(())
}

/// Bytes that are kept for all places where ways meet, at most; a program that needs more is too large for it. Some
/// hundred iterations of a loop with a way out of each, unrolled for 32 lanes, need a quarter of it.
const MOST_WORK: usize = 1 << 25;

/// For each byte of the arena whether a thread may read it before it has written it.
fn fresh(program: &Program, mask: u32) -> Vec<bool> {
    let mut fresh = vec![false; program.image.len()];
    // What the thread itself looks at, and the launch fills in.
    for (_, symbol) in program.symbols.iter().filter(|(n, _)| n.starts_with('%')) {
        fresh[symbol.range()].fill(true);
    }
    let mut seen = Seen {
        mask,
        platform: program.platform,
        written: Written::nothing(fresh.len()),
        fresh: &mut fresh,
    };
    follow(program, &mut seen);
    fresh
}

/// Goes all ways through a program and keeps what is certain to be written. What it notes of an op adds up: it may come there
/// by one way after the other.
pub(super) trait Walker {
    /// What is certain where it is.
    fn written(&mut self) -> &mut Written;

    /// Notes what an op reads and then writes; `None` where that is not known here.
    fn op(&mut self, op: &Op) -> Option<()>;

    /// It does not go on from where it is.
    fn gives_up(&mut self);
}

/// Leads a walker through a program until it has seen every op with the least that is certain there.
pub(super) fn follow(program: &Program, walker: &mut impl Walker) {
    let count = program.ops.len();
    let mut meets = vec![false; count + 1];
    // Where a way goes back to: there it has to be known whether what is certain has become less. Elsewhere each visit is of
    // other ways, and what walkers note of them adds up.
    let mut again = vec![false; count + 1];
    for (pc, op) in program.ops.iter().enumerate() {
        let (ways, goes_on) = ways(op);
        for to in ways.iter().map(|&to| (to as usize).min(count)) {
            meets[to] = true;
            again[to] |= to <= pc;
        }
        meets[pc + 1] |= !ways.is_empty() && goes_on;
    }
    let places = meets.iter().filter(|meets| **meets).count();
    let start = walker.written().clone();
    let too_large = places.saturating_mul(start.bytes.len()) > MOST_WORK;
    let mut states: BTreeMap<usize, Written> = BTreeMap::from([(0, start)]);
    let mut due = BTreeSet::from([0]);
    while let Some(from) = due.pop_first() {
        match again[from.min(count)] {
            true => walker.written().clone_from(&states[&from]),
            false => {
                let state = states.remove(&from);
                *walker.written() = state.expect("what is due has a state");
            }
        }
        let mut pc = from;
        while let Some(op) = program.ops.get(pc) {
            let (ways, goes_on) = ways(op);
            if walker.op(op).is_none() || too_large && !ways.is_empty() {
                walker.gives_up();
                break;
            }
            for &to in ways {
                meet(&mut states, &mut due, to as usize, walker.written());
            }
            pc += 1;
            if !goes_on {
                break;
            }
            if meets[pc] {
                meet(&mut states, &mut due, pc, walker.written());
                break;
            }
        }
    }
}

/// Threads come to a place with this; it is due if that is less than was known.
fn meet(
    states: &mut BTreeMap<usize, Written>,
    due: &mut BTreeSet<usize>,
    to: usize,
    written: &Written,
) {
    let is_new = match states.get_mut(&to) {
        Some(known) => known.meet(written),
        None => {
            states.insert(to, written.clone());
            true
        }
    };
    if is_new {
        due.insert(to);
    }
}

/// What lanes that are at a place have written for certain.
#[derive(Clone)]
pub(super) struct Written {
    /// For each byte [`NOT`], [`ALL`], or the lane that has written it if it is here.
    bytes: Vec<u8>,
    /// Lanes may have parted on the way, so that it does not matter which began.
    pub parted: bool,
}

/// Nobody has.
const NOT: u8 = u8::MAX;

/// Somebody has, whichever lanes are here.
const ALL: u8 = u8::MAX - 1;

impl Written {
    /// Nothing of so many bytes.
    pub fn nothing(bytes: usize) -> Written {
        Written {
            bytes: vec![NOT; bytes],
            parted: false,
        }
    }

    /// The lane of the thread that a lane of an instruction is; `None` where it runs whichever lanes do.
    ///
    /// * `mask`: lanes that the thread begins with.
    pub fn lane(&self, mask: u32, lanes: Lanes, lane: u32) -> Option<u8> {
        let own = u32::from(lanes.offset) + lane;
        let always = lanes.no_mask || !self.parted && mask >> own & 1 != 0;
        (!always).then_some(own as u8)
    }

    /// Whether a lane, or whoever runs, has written each of some bytes.
    pub fn has(&self, range: Range<usize>, lane: Option<u8>) -> bool {
        let mut bytes = self.bytes[range].iter();
        bytes.all(|&written| written == ALL || Some(written) == lane)
    }

    /// A lane writes bytes, or whoever runs.
    pub fn add(&mut self, range: Range<usize>, lane: Option<u8>) {
        let bytes = self.bytes[range].iter_mut();
        bytes
            .filter(|b| **b != ALL)
            .for_each(|b| *b = lane.unwrap_or(ALL));
    }

    /// Of a byte no more than that a lane has written it.
    pub fn put(&mut self, place: usize, lane: u8) {
        self.bytes[place] = lane;
    }

    /// Keeps what is certain on another way, too. Says whether that is less.
    fn meet(&mut self, other: &Written) -> bool {
        let mut less = other.parted && !self.parted;
        self.parted |= other.parted;
        for (own, &other) in self.bytes.iter_mut().zip(&other.bytes) {
            let both = match (*own, other) {
                (ALL, both) | (both, ALL) => both,
                (own, other) if own == other => own,
                _ => NOT,
            };
            less |= *own != both;
            *own = both;
        }
        less
    }
}

struct Seen<'f> {
    mask: u32,
    platform: Platform,
    written: Written,
    fresh: &'f mut [bool],
}

impl Walker for Seen<'_> {
    fn written(&mut self) -> &mut Written {
        &mut self.written
    }

    fn op(&mut self, op: &Op) -> Option<()> {
        tell(op, self.platform, self)
    }

    /// Whatever is not written may be read from here on.
    fn gives_up(&mut self) {
        let bytes = self.fresh.iter_mut().zip(&self.written.bytes);
        bytes.for_each(|(fresh, written)| *fresh |= *written != ALL);
    }
}

impl Touches for Seen<'_> {
    fn read(&mut self, at: u32, size: u32, by: By) {
        let (range, lane) = (self.range(at, size), self.lane(by));
        let bytes = self.written.bytes[range.clone()].iter();
        for (fresh, &written) in self.fresh[range].iter_mut().zip(bytes) {
            *fresh |= written != ALL && Some(written) != lane;
        }
    }

    fn write(&mut self, at: u32, size: u32, by: By) {
        let (range, lane) = (self.range(at, size), self.lane(by));
        self.written.add(range, lane);
    }

    fn read_anywhere(&mut self) -> Option<()> {
        None
    }

    fn write_anywhere(&mut self) -> Option<()> {
        None
    }

    fn lanes_part(&mut self) {
        self.written.parted = true;
    }

    fn are_one(&self, lanes: Lanes) -> bool {
        let all = lanes.all() << lanes.offset;
        lanes.no_mask || !self.written.parted && self.mask & all == all
    }
}

impl Seen<'_> {
    /// The lane of the thread; `None` where it runs whichever do.
    fn lane(&self, by: By) -> Option<u8> {
        let (lanes, lane) = by?;
        self.written.lane(self.mask, lanes, lane)
    }

    fn range(&self, at: u32, size: u32) -> Range<usize> {
        let count = self.fresh.len();
        let at = (at as usize).min(count);
        at..(at + size as usize).min(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, check};
    use crate::lower::{LowerOptions, lower};
    use crate::source::Source;
    use crate::syntax::{ParseOptions, parse};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn lowered(body: &str) -> Program {
        let declared: String = "ABCD"
            .chars()
            .map(|c| format!(".decl {c} v_type=G type=f num_elts=32 align=GRF\n"))
            .collect();
        let declared = format!(
            "{declared}.decl E v_type=G type=ub num_elts=128 align=GRF alias=<B, 0>
.decl Q v_type=G type=uq num_elts=16 align=GRF alias=<D, 0>\n"
        );
        let text = format!(
            ".version 3.6\n.kernel \"k\"\n{declared}.decl P1 v_type=P num_elts=16\n.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1\n{body}"
        );
        let parsed = parse(&Source::new("t", text), &ParseOptions::default());
        let (checked, _) = check(&parsed.module, &CheckOptions::default());
        lower(&checked, "", &LowerOptions::default()).expect("lowers")
    }

    /// Which of the variables A to D have a byte in ranges.
    fn among(program: &Program, ranges: &[Range<usize>]) -> String {
        let seen = |name: &char| {
            let own = program.symbols[&name.to_string()].range();
            ranges
                .iter()
                .any(|r| r.start < own.end && own.start < r.end)
        };
        "ABCD".chars().filter(seen).collect()
    }

    /// Which of the variables A to D must be fresh in the memory of any thread.
    fn named(body: &str, mask: u32) -> String {
        let program = lowered(body);
        among(&program, &Reset::new(&program, mask, 0).of_any)
    }

    /// Which of them in the memory of a thread that began with the same bytes.
    fn named_alike(body: &str, mask: u32) -> String {
        let program = lowered(body);
        among(&program, &Reset::new(&program, mask, 0).of_same)
    }

    #[test]
    fn what_is_written_first_need_not_be_fresh() {
        let body = "mov (M1, 16) B(0,0)<1> A(0,0)<1;1,0>
mov (M1, 16) B(2,0)<1> A(0,0)<1;1,0>
add (M1, 16) C(0,0)<1> B(0,0)<1;1,0> B(2,0)<1;1,0>
add (M1, 16) C(2,0)<1> B(0,0)<1;1,0> B(2,0)<1;1,0>
";
        assert_eq!(named(body, 0xffff), "A");
        // A lane that is off writes nothing, nor does it read.
        assert_eq!(named(body, 0xff), "A");
        let all = format!("{body}add (M1_NM, 16) D(0,0)<1> B(0,0)<1;1,0> 0x3f800000:f\n");
        assert_eq!(named(&all, 0xffff), "A");
        assert_eq!(named(&all, 0xff), "AB");
        let message = "sample_lz.RG (M1, 16) 0x0:uw S0 T6 D.0 A.0 A.0
mov (M1, 16) B(0,0)<1> D(0,0)<1;1,0>
";
        assert_eq!(named(message, 0xffff), "A");
    }

    #[test]
    fn what_may_keep_a_byte_needs_it_fresh() {
        // A predicate, a stride, a read before the write, and a way around it.
        let body = "(P1) mov (M1, 16) A(0,0)<1> 0x0:d
mov (M1, 16) B(0,0)<2> 0x0:d
add (M1, 16) C(0,0)<1> C(0,0)<1;1,0> 0x3f800000:f
(P1) goto (M1, 16) out
mov (M1, 16) D(0,0)<1> 0x0:d
out:
mov (M1, 16) C(2,0)<1> A(0,0)<1;1,0>
mov (M1, 16) C(2,0)<1> B(0,0)<1;1,0>
mov (M1, 16) C(2,0)<1> D(0,0)<1;1,0>
ret (M1, 1)
";
        assert_eq!(named(body, 0xffff), "ABCD");
    }

    #[test]
    fn lanes_that_parted_have_written_their_own() {
        let within = |read: &str| {
            format!(
                "mov (M1, 16) A(0,0)<1> 0x0:d
(P1) goto (M1, 16) out
mov (M1, 16) D(0,0)<1> 0x0:d
{read}
out:
ret (M1, 1)
"
            )
        };
        let own = "add (M1, 16) B(0,0)<1> D(0,0)<1;1,0> A(0,3)<0;1,0>";
        assert_eq!(named(&within(own), 0xffff), "");
        // Another lane may not have come here.
        let other = "add (M1, 8) B(0,0)<1> D(0,1)<1;1,0> 0x3f800000:f";
        assert_eq!(named(&within(other), 0xffff), "D");
        let all = "add (M1_NM, 16) B(0,0)<1> D(0,0)<1;1,0> 0x3f800000:f";
        assert_eq!(named(&within(all), 0xffff), "D");
        // Where it is not known, all that nobody has written.
        let sum = "dp4 (M1, 16) B(0,0)<1> D(0,0)<1;1,0> A(0,0)<1;1,0>";
        assert_eq!(named(&within(sum), 0xffff), "ABCD");
        let message = "gather4_scaled.R (M1, 16) T6 0x0:ud D.0 B.0
mov (M1, 16) C(0,0)<1> B(0,0)<1;1,0>";
        assert_eq!(named(&within(message), 0xffff), "");
        // Of a byte the rest of the dword may be what was there.
        let byte = |read: &str| {
            format!("gather_scaled.1 (M1, 16) T6 0x0:ud D.0 B.0\nmov (M1, 16) C(0,0)<1> {read}")
        };
        assert_eq!(named(&within(&byte("E(0,0)<4;1,0>")), 0xffff), "");
        assert_eq!(named(&within(&byte("B(0,0)<1;1,0>")), 0xffff), "B");
        let far = "mov (M1, 16) Q(0,0)<1> 0x0:q
lsc_load.ugm (M1, 16) B:d32 flat[Q]:a64
lsc_store.ugm (M1, 16) flat[Q]:a64 B:d32";
        assert_eq!(named(&within(far), 0xffff), "");
        // A predicate that chooses leaves nothing as it was.
        let chosen = |op: &str| format!("(P1) {op}\nmov (M1, 16) C(0,0)<1> B(0,0)<1;1,0>");
        let either = chosen("sel (M1, 16) B(0,0)<1> D(0,0)<1;1,0> A(0,0)<1;1,0>");
        assert_eq!(named(&within(&either), 0xffff), "");
        let some = chosen("mov (M1, 16) B(0,0)<1> D(0,0)<1;1,0>");
        assert_eq!(named(&within(&some), 0xffff), "B");
    }

    #[test]
    fn what_a_round_writes_the_next_one_may_read() {
        let body = "again:
add (M1, 16) C(0,0)<1> D(0,0)<1;1,0> 0x3f800000:f
mov (M1, 16) D(0,0)<1> 0x0:d
(P1) goto (M1, 16) again
ret (M1, 1)
";
        assert_eq!(named(body, 0xffff), "D");
    }

    #[test]
    fn what_is_done_once_for_all_changes_nothing() {
        let body = |back: &str| {
            format!(
                "mov (M1, 16) A(0,0)<1> A(0,1)<0;1,0>
again:
mov (M1, 16) B(0,0)<1> B(0,1)<0;1,0>
{back}ret (M1, 1)
"
            )
        };
        let from = |body: &str, from: u32| {
            let program = lowered(body);
            among(&program, &Reset::new(&program, 0xffff, from).of_same)
        };
        assert_eq!(from(&body(""), 0), "AB");
        assert_eq!(from(&body(""), 1), "B");
        let back = "(P1) goto (M1, 16) again\n";
        assert_eq!(from(&body(back), 1), "B");
        assert_eq!(from(&body(back), 2), "AB");
    }

    #[test]
    fn what_nobody_writes_is_as_it_was() {
        let start = "mov (M1, 16) B(0,0)<1> A(0,0)<1;1,0>
(P1) goto (M1, 16) out
add (M1, 8) C(2,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>
";
        let end = "out:
add (M1, 16) C(0,0)<1> C(0,0)<1;1,0> C(2,0)<1;1,0>
ret (M1, 1)
";
        let with = |more: &str| format!("{start}{more}{end}");
        assert_eq!(named(&with(""), 0xffff), "ACD");
        assert_eq!(named_alike(&with(""), 0xffff), "C");
        let answered = with("sample_lz.RG (M1, 16) 0x0:uw S0 T6 D.0 A.0 A.0\n");
        assert_eq!(named_alike(&answered, 0xffff), "CD");
        let gathered = with("gather4_scaled.R (M1, 16) T6 0x0:ud A.0 D.0\n");
        assert_eq!(named_alike(&gathered, 0xffff), "CD");
        let scattered = with("scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 D.0\n");
        assert_eq!(named_alike(&scattered, 0xffff), "C");
    }

    /// The bytes that a thread may read before it has written them, way by way: nothing is joined where ways meet.
    fn of_each_way(program: &Program, mask: u32) -> Vec<bool> {
        let mut fresh = vec![false; program.image.len()];
        let nothing = Written::nothing(fresh.len());
        let mut walked = Seen {
            mask,
            platform: program.platform,
            written: nothing.clone(),
            fresh: &mut fresh,
        };
        let (mut due, mut been) = (vec![(0, nothing)], HashSet::new());
        while let Some((pc, written)) = due.pop() {
            let Some(op) = program.ops.get(pc) else {
                continue;
            };
            if !been.insert((pc, written.parted, written.bytes.clone())) {
                continue;
            }
            walked.written = written;
            if walked.op(op).is_none() {
                walked.gives_up();
                continue;
            }
            let (ways, goes_on) = ways(op);
            let next = ways.iter().map(|&to| to as usize);
            let next = next.chain(goes_on.then_some(pc + 1));
            due.extend(next.map(|pc| (pc, walked.written.clone())));
        }
        fresh
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Places that are come to on many ways, back and forth, into loops and behind the last op.
        #[test]
        fn no_way_reads_what_is_not_reset(
            lines in prop::collection::vec((0..12u8, 0..4usize, 0..4usize, any::<usize>()), 1..9),
            mask in prop::sample::select(vec![0xffffu32, 0x0ff0, 1]),
        ) {
            let count = lines.len();
            let line = |at: usize, &(kind, to, from, far): &(u8, usize, usize, usize)| {
                let [to, from] = [to, from].map(|n| ["A", "B", "C", "D"][n]);
                let line = match kind {
                    0..4 => format!("mov (M1, 16) {to}(0,0)<1> {from}(0,0)<1;1,0>"),
                    4 | 5 => format!("mov (M1_NM, 8) {to}(0,0)<1> {from}(0,0)<0;1,0>"),
                    6 => format!("(P1) mov (M1, 16) {to}(0,0)<1> 0x0:f"),
                    7 => format!("goto (M1, 16) L{}", far % (count + 1)),
                    8 => format!("jmp (M1, 1) L{}", far % (count + 1)),
                    _ => format!("(P1) goto (M1, 16) L{}", far % (count + 1)),
                };
                format!("L{at}:\n{line}\n")
            };
            let body: String = lines.iter().enumerate().map(|(at, own)| line(at, own)).collect();
            let program = lowered(&format!("{body}L{count}:\n"));
            let all = fresh(&program, mask);
            let each = of_each_way(&program, mask);
            for (at, (all, each)) in all.into_iter().zip(each).enumerate() {
                prop_assert!(all || !each, "byte {at}: {body}");
            }
        }
    }
}
