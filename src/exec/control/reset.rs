//! Which bytes of a thread must be reset when it begins in the memory of another one: all but those that it
//! certainly writes before it reads them; and where both begin with the same bytes, of those the ones that the
//! program may change.
//!
//! ```text
//!  mul V1 ← V0 2.0     V0 is read: fresh       V1 is written
//!  sample V2 ← V1                              V2 is written: what an earlier thread left there is never seen
//!  goto …              the rest is not looked at
//!  add V3 ← V3 V4      V3 and V4 are fresh     after a thread that began with the same V4, V4 is so already
//! ```

use crate::isa::Platform;
use crate::lower::SCALAR;
use crate::message::Layout;
use crate::program::{
    Alu, CompareDest, Dest, Guard, Lanes, Op, Program, Raw, Region, Send, Source,
};
use std::ops::Range;

/// The bytes of the arena, in order, whose start values a thread may see that another one may have left behind
/// changed.
#[derive(Clone, Debug, Default)]
pub struct Reset {
    /// In the memory of any thread of the program.
    pub of_any: Vec<Range<usize>>,
    /// In that of a thread which began with the same bytes: those that are never written are as they were.
    pub of_same: Vec<Range<usize>>,
}

impl Reset {
    /// For threads that begin with the lanes of `mask`.
    pub fn new(program: &Program, mask: u32) -> Reset {
        let mut seen = Seen {
            mask,
            platform: program.platform,
            bytes: vec![Byte::Untouched; program.image.len()],
        };
        // What the thread itself looks at, and the launch fills in.
        for (_, symbol) in program.symbols.iter().filter(|(n, _)| n.starts_with('%')) {
            seen.read(symbol.offset, symbol.bytes());
        }
        for op in &program.ops {
            if seen.op(op).is_none() {
                break;
            }
        }
        let seen = || (0..).zip(&seen.bytes).filter(|(_, b)| **b != Byte::Written);
        let of_any = ranges(seen().map(|(at, _)| at));
        let of_same = match changed(program) {
            Some(changed) => ranges(seen().map(|(at, _)| at).filter(|&at| changed[at])),
            None => of_any.clone(),
        };
        Reset { of_any, of_same }
    }
}

/// Bytes that follow each other, or nearly so, as ranges.
fn ranges(bytes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for at in bytes {
        match ranges.last_mut() {
            Some(last) if at - last.end <= GAP => last.end = at + 1,
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}

/// For each byte of the arena whether a run may change it; `None` if that is not known here.
fn changed(program: &Program) -> Option<Vec<bool>> {
    let mut changed = vec![false; program.image.len()];
    let mut change = |at: u32, size: u32| {
        let bytes = changed.iter_mut().skip(at as usize);
        bytes.take(size as usize).for_each(|byte| *byte = true);
    };
    // The launch fills in the header; the thread brings its state up to date.
    change(0, program.platform.grf_bytes());
    for name in ["%ce0", "%tsc"] {
        if let Some(symbol) = program.symbols.get(name) {
            change(symbol.offset, symbol.bytes());
        }
    }
    for op in &program.ops {
        match op {
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
            Op::Nothing | Op::Lifetime(_) | Op::ReadState | Op::LoadControl => {}
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
    for lane in 0..lanes.count {
        change(offset(&dst.region, lane.into(), size)?, size);
    }
    Some(())
}

/// Where a lane of an operand lies; `None` if it goes through an address.
fn offset(region: &Region, lane: u32, size: u32) -> Option<u32> {
    Some(match region {
        Region::Scalar(at) => *at,
        Region::Dense(at) => at + lane * size,
        Region::Strided { offset, stride } => offset + lane * stride,
        Region::List(list) => *list.get(lane as usize)?,
        Region::Indirect(_) => return None,
    })
}

/// Bytes between two ranges that are not worth a copy of their own.
const GAP: usize = 32;

/// What happened to a byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    Untouched,
    Read,
    Written,
}

struct Seen {
    mask: u32,
    platform: Platform,
    bytes: Vec<Byte>,
}

impl Seen {
    /// Notes what an op reads and then writes; `None` where that is not known here, or the op does not lead to
    /// the next one.
    fn op(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Alu(alu) => self.alu(alu),
            Op::Compare {
                lanes, dst, src, ..
            } => {
                for source in src.iter() {
                    self.source(source, *lanes)?;
                }
                if let CompareDest::General(dst) = dst {
                    self.destination(dst, *lanes, None)?;
                }
                Some(())
            }
            Op::PredicateLogic { src, .. } => {
                src.iter().for_each(|&at| self.read(at, 4));
                Some(())
            }
            Op::Nothing | Op::Lifetime(_) | Op::LoadControl => Some(()),
            Op::Send(send) => self.send(send),
            _ => None,
        }
    }

    fn alu(&mut self, alu: &Alu) -> Option<()> {
        for source in &alu.src {
            self.source(source, alu.lanes)?;
        }
        if let Some(guard) = alu.guard {
            self.read(guard.offset, 4);
        }
        self.destination(&alu.dst, alu.lanes, alu.guard)?;
        match &alu.dst2 {
            Some(dst) => self.destination(dst, alu.lanes, alu.guard),
            None => Some(()),
        }
    }

    fn send(&mut self, send: &Send) -> Option<()> {
        for at in [send.surface, send.sampler].into_iter().flatten() {
            self.read(at, 4);
        }
        if let Some(guard) = send.guard {
            self.read(guard.offset, 4);
        }
        let (request, operands) = (&send.request, &send.operands);
        for (_, source) in &operands.scalars {
            self.source(source, SCALAR)?;
        }
        let registers = &operands.registers;
        let read = registers.params().iter().chain(&registers.data);
        for raw in read.chain([&registers.header]).flatten() {
            self.registers(*raw);
        }
        // An answer of whole registers for all lanes leaves nothing of what was there.
        let count = send.lanes.count.into();
        let part = Layout::of(request, count, self.platform).answer;
        let rows = part.slot == part.used && request.is_by_lane();
        let Some(dst) = registers
            .answer
            .filter(|_| rows && self.whole(send.lanes, send.guard))
        else {
            return Some(());
        };
        for value in 0..part.count {
            let row = dst.skip(value * part.pitch);
            let end = row.offset.saturating_add(count * part.slot).min(row.end);
            self.write(row.offset, end.saturating_sub(row.offset));
        }
        Some(())
    }

    /// All registers that a message may take an operand from.
    fn registers(&mut self, raw: Raw) {
        self.read(raw.offset, raw.end.saturating_sub(raw.offset));
    }

    fn source(&mut self, source: &Source, lanes: Lanes) -> Option<()> {
        let size = source.ty.bytes();
        for lane in 0..lanes.count {
            self.read(offset(&source.region, lane.into(), size)?, size);
        }
        Some(())
    }

    fn destination(&mut self, dst: &Dest, lanes: Lanes, guard: Option<Guard>) -> Option<()> {
        match dst.region {
            Region::Indirect(_) => None,
            Region::Dense(at) if self.whole(lanes, guard) => {
                self.write(at, u32::from(lanes.count) * dst.ty.bytes());
                Some(())
            }
            _ => Some(()),
        }
    }

    /// Whether all lanes of an instruction run.
    fn whole(&self, lanes: Lanes, guard: Option<Guard>) -> bool {
        let on = lanes.no_mask || self.mask >> lanes.offset & lanes.all() == lanes.all();
        on && guard.is_none()
    }

    fn read(&mut self, at: u32, size: u32) {
        self.first(at, size, Byte::Read);
    }

    fn write(&mut self, at: u32, size: u32) {
        self.first(at, size, Byte::Written);
    }

    fn first(&mut self, at: u32, size: u32, what: Byte) {
        let bytes = self.bytes.iter_mut().skip(at as usize);
        for byte in bytes.take(size as usize).filter(|b| **b == Byte::Untouched) {
            *byte = what;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, check};
    use crate::lower::{LowerOptions, lower};
    use crate::source::Source;
    use crate::syntax::{ParseOptions, parse};

    fn lowered(body: &str) -> Program {
        let declared: String = "ABCD"
            .chars()
            .map(|c| format!(".decl {c} v_type=G type=f num_elts=32 align=GRF\n"))
            .collect();
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
        among(&program, &Reset::new(&program, mask).of_any)
    }

    /// Which of them in the memory of a thread that began with the same bytes.
    fn named_alike(body: &str, mask: u32) -> String {
        let program = lowered(body);
        among(&program, &Reset::new(&program, mask).of_same)
    }

    #[test]
    fn what_is_written_first_need_not_be_fresh() {
        let body = "mov (M1, 16) B(0,0)<1> A(0,0)<1;1,0>
mov (M1, 16) B(2,0)<1> A(0,0)<1;1,0>
add (M1, 16) C(0,0)<1> B(0,0)<1;1,0> B(2,0)<1;1,0>
add (M1, 16) C(2,0)<1> B(0,0)<1;1,0> B(2,0)<1;1,0>
";
        assert_eq!(named(body, 0xffff), "AD");
        // Lanes that are off write nothing.
        assert_eq!(named(body, 0xff), "ABCD");
        let message = "sample_lz.RG (M1, 16) 0x0:uw S0 T6 D.0 A.0 A.0\n";
        assert_eq!(named(message, 0xffff), "ABC");
    }

    #[test]
    fn what_may_keep_a_byte_needs_it_fresh() {
        // A predicate, a stride, a read before the write, and whatever comes after a branch.
        let body = "(P1) mov (M1, 16) A(0,0)<1> 0x0:d
mov (M1, 16) B(0,0)<2> 0x0:d
add (M1, 16) C(0,0)<1> C(0,0)<1;1,0> 0x1:d
add (M1, 16) C(2,0)<1> C(2,0)<1;1,0> 0x1:d
(P1) goto (M1, 16) out
mov (M1, 16) D(0,0)<1> 0x0:d
mov (M1, 16) D(2,0)<1> 0x0:d
out:
ret (M1, 1)
";
        assert_eq!(named(body, 0xffff), "ABCD");
    }

    #[test]
    fn what_nobody_writes_is_as_it_was() {
        let start = "mov (M1, 16) B(0,0)<1> A(0,0)<1;1,0>
(P1) goto (M1, 16) out
add (M1, 8) C(2,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>
";
        let end = "out:\nret (M1, 1)\n";
        let with = |more: &str| format!("{start}{more}{end}");
        assert_eq!(named(&with(""), 0xffff), "ABCD");
        assert_eq!(named_alike(&with(""), 0xffff), "C");
        let answered = with("sample_lz.RG (M1, 16) 0x0:uw S0 T6 D.0 A.0 A.0\n");
        assert_eq!(named_alike(&answered, 0xffff), "CD");
        let gathered = with("gather4_scaled.R (M1, 16) T6 0x0:ud A.0 D.0\n");
        assert_eq!(named_alike(&gathered, 0xffff), "CD");
        let scattered = with("scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 D.0\n");
        assert_eq!(named_alike(&scattered, 0xffff), "C");
    }
}
