//! What a thread may read before it has written it: where that was there from the start, nothing that a run reads is
//! undefined, and nobody has to look at its registers.
//!
//! ```text
//!  cmp P1 ← V0 0       V0 must have been given       bits of P1 are written, each by its lane
//!  (P1) goto …         bit 7 is read by lane 7
//!  mul V1 ← V0 2.0     on this way V1 is written
//!  …: add V2 ← V1      V1 must have been given: it is not written on all ways
//! ```
//!
//! Of memory it says nothing. What it does not follow, and programs that make something undefined which they read, it
//! does not know: those have to be watched as they run.
//!
//! [`super::reset`] asks the same for other ends; the walk is its, and who has written a byte.

use super::reset::{Walker, Written, follow, ranges};
use crate::exec::compute::reads::offset;
use crate::isa::Opcode;
use crate::lower::SCALAR;
use crate::message::layout::PayloadPart;
use crate::message::{Layout, Request};
use crate::program::{
    Alu, Barrier, CompareDest, Dest, Group, Guard, Lanes, Op, Program, Raw, Region, Send, Source,
    SymbolClass,
};
use std::ops::Range;

/// What a thread may read before it has written it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadFirst {
    /// Bytes of the arena, in order.
    pub bytes: Vec<Range<usize>>,
    /// Predicates by arena offset, and their bits.
    pub bits: Vec<(u32, u32)>,
}

impl ReadFirst {
    /// For threads that begin with the lanes of `mask`; `None` where it is not known.
    pub fn new(program: &Program, mask: u32) -> Option<ReadFirst> {
        let predicates = program.owners.iter();
        let predicates: Vec<u32> = predicates
            .filter(|owner| owner.class == SymbolClass::Predicate)
            .map(|owner| owner.range.start)
            .collect();
        let bytes = program.image.len();
        let places = bytes + BITS * predicates.len();
        let mut reads = Reads {
            program,
            mask,
            unsaid: vec![false; bytes],
            predicates,
            written: Written::nothing(places),
            first: vec![false; places],
            is_known: !program.platform.is_gen5(),
        };
        program.ops.iter().try_for_each(|op| reads.unsay(op))?;
        follow(program, &mut reads);
        reads.is_known.then(|| reads.result())
    }
}

/// Bits of a predicate, each of which is a place behind the bytes.
const BITS: usize = 32;

struct Reads<'p> {
    program: &'p Program,
    mask: u32,
    /// Bytes that an op may leave undefined.
    unsaid: Vec<bool>,
    /// Where predicates are, in order.
    predicates: Vec<u32>,
    written: Written,
    first: Vec<bool>,
    /// Nothing was met that it does not follow.
    is_known: bool,
}

impl Walker for Reads<'_> {
    fn written(&mut self) -> &mut Written {
        &mut self.written
    }

    fn op(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Alu(alu) => self.alu(alu),
            Op::Compare {
                lanes, dst, src, ..
            } => {
                for source in src.iter() {
                    self.source(source, *lanes)?;
                }
                match dst {
                    CompareDest::General(dst) => self.destination(dst, *lanes, true),
                    CompareDest::Predicate(at) => self.write_bits(*at, *lanes),
                }
            }
            Op::SetPredicate {
                lanes,
                src,
                dst,
                scalar,
            } => {
                let all = Lanes {
                    no_mask: lanes.no_mask || *scalar,
                    ..*lanes
                };
                match scalar {
                    true => self.source(src, SCALAR)?,
                    false => self.source(src, *lanes)?,
                }
                self.write_bits(*dst, all)
            }
            Op::PredicateLogic {
                lanes, dst, src, ..
            } => self.logic(*lanes, *dst, *src),
            Op::Goto { lanes, guard, .. }
            | Op::Jump { lanes, guard, .. }
            | Op::Return { lanes, guard } => {
                let asked = match lanes.count {
                    1 => Lanes {
                        no_mask: true,
                        ..*lanes
                    },
                    _ => *lanes,
                };
                self.guard(*guard, asked)?;
                self.written.parted |= lanes.count > 1;
                Some(())
            }
            Op::Switch { index, .. } => self.source(index, SCALAR),
            Op::Send(send) => self.send(send),
            Op::Barrier(Barrier::Whole | Barrier::Signal | Barrier::Wait)
            | Op::ReadState
            | Op::LoadControl
            | Op::Nothing
            | Op::Lifetime(_) => Some(()),
            _ => None,
        }
    }

    fn gives_up(&mut self) {
        self.is_known = false;
    }
}

impl Reads<'_> {
    /// Notes what an op may leave undefined; `None` where that is not known.
    fn unsay(&mut self, op: &Op) -> Option<()> {
        let (program, bytes) = (self.program, self.unsaid.len());
        let mut unsay = |range: Range<u32>| {
            let range = range.start as usize..(range.end as usize).min(bytes);
            self.unsaid
                .get_mut(range)
                .into_iter()
                .flatten()
                .for_each(|byte| *byte = true);
        };
        match op {
            // Whose bits are kept elsewhere.
            Op::Lifetime(range) if program.owner(range.start)?.class == SymbolClass::Predicate => {
                return None;
            }
            Op::Lifetime(range) => unsay(range.clone()),
            Op::Alu(alu) if divides(alu, program) => {
                let size = alu.dst.ty.bytes();
                for lane in 0..alu.lanes.count.into() {
                    let at = offset(&alu.dst.region, lane, size)?;
                    unsay(at..at + size);
                }
            }
            Op::Send(send) => {
                let Some(dst) = send.operands.registers.answer else {
                    return Some(());
                };
                let (count, part) = (u32::from(send.lanes.count), answer(send, program));
                for value in 0..part.count {
                    let row = dst.skip(value * part.pitch);
                    let mut rest = |from: u32, to: u32| {
                        let end = row.offset.saturating_add(to).min(row.end);
                        unsay(row.offset.saturating_add(from).min(end)..end);
                    };
                    match send.request.is_by_lane() {
                        true => {
                            let slots = (0..count).map(|lane| lane * part.slot);
                            slots.for_each(|at| rest(at + part.used, at + part.slot));
                            rest(count * part.slot, part.pitch);
                        }
                        false => rest(part.used, part.pitch),
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    fn alu(&mut self, alu: &Alu) -> Option<()> {
        use Opcode::{Dp2, Dp3, Dp4, Dpas, Dph, Sad2, Sad2Add};
        // Lanes take from other lanes, or leave some as they are.
        if matches!(alu.opcode, Dp2 | Dp3 | Dp4 | Dph | Dpas | Sad2 | Sad2Add) {
            return None;
        }
        for source in &alu.src {
            self.source(source, alu.lanes)?;
        }
        self.guard(alu.guard, alu.lanes)?;
        let always = alu.mask_guard().is_none();
        self.destination(&alu.dst, alu.lanes, always)?;
        if let Some(dst2) = &alu.dst2 {
            if self.overlap(&alu.dst, dst2, alu.lanes)? {
                return None;
            }
            self.destination(dst2, alu.lanes, always)?;
        }
        match alu.overflow {
            Some(at) if always => self.write_bits(at, alu.lanes),
            _ => Some(()),
        }
    }

    /// Whether an element of one destination shares bytes with one of the other.
    fn overlap(&self, first: &Dest, second: &Dest, lanes: Lanes) -> Option<bool> {
        let places = |dst: &Dest| -> Option<Vec<Range<u32>>> {
            let size = dst.ty.bytes();
            let lanes = 0..u32::from(lanes.count);
            let places = lanes.map(|lane| offset(&dst.region, lane, size));
            places.map(|at| Some(at?..at? + size)).collect()
        };
        let second = places(second)?;
        let meets = |a: &Range<u32>| second.iter().any(|b| a.start < b.end && b.start < a.end);
        Some(places(first)?.iter().any(meets))
    }

    /// Bits go by lane from predicates to another one, where both have some. `None` where it may lose what it had.
    fn logic(&mut self, lanes: Lanes, dst: u32, src: [u32; 2]) -> Option<()> {
        // Of lanes elsewhere it gets what they had here before.
        let writers = self.program.ops.iter().filter(|op| writes_bits(op, dst));
        let alone = writers.count() == 1;
        for lane in 0..lanes.count.into() {
            let own = self.written.lane(self.mask, lanes, lane);
            let [a, b, to] = [src[0], src[1], dst].map(|at| self.bit(at, lanes, lane));
            let (a, b, to) = (a?, b?, to?);
            let has = |lane| {
                [a, b]
                    .iter()
                    .all(|&bit| self.written.has(bit..bit + 1, lane))
            };
            let named = lanes.offset + lane as u8;
            if has(own) {
                self.written.add(to..to + 1, own);
            } else if alone && own.is_none() && has(Some(named)) {
                self.written.put(to, named);
            } else {
                return None;
            }
        }
        Some(())
    }

    fn send(&mut self, send: &Send) -> Option<()> {
        let (request, lanes) = (&send.request, send.lanes);
        if let Request::Sampler(r) = request
            && (r.pixel_null_mask || r.lanes != u32::from(lanes.count))
        {
            return None;
        }
        self.guard(send.guard, lanes)?;
        for (_, source) in &send.operands.scalars {
            self.source(source, SCALAR)?;
        }
        self.payload(send)?;
        let registers = &send.operands.registers;
        let Some(dst) = registers.answer.filter(|_| send.guard.is_none()) else {
            return Some(());
        };
        let part = answer(send, self.program);
        for value in 0..part.count {
            let row = dst.skip(value * part.pitch);
            if request.is_by_lane() {
                for lane in 0..lanes.count.into() {
                    let own = self.written.lane(self.mask, lanes, lane);
                    self.write(row.skip(lane * part.slot), part.used, own);
                }
                continue;
            }
            // Blocks are moved whichever lanes run; a transposed message, if one does.
            let transposed = matches!(request, Request::Lsc(r) if r.transposed);
            let runs = self.written.lane(self.mask, lanes, 0).is_none();
            if request.is_block() || transposed && runs {
                self.write(row, part.used, None);
            }
        }
        Some(())
    }

    /// What a message sends, as [`Layout`] has it.
    fn payload(&mut self, send: &Send) -> Option<()> {
        let (request, registers, lanes) = (&send.request, &send.operands.registers, send.lanes);
        let layout = Layout::of(request, lanes.count.into(), self.program.platform);
        if let Some(header) = registers.header {
            self.read_raw(header.skip(8), 24, None)?;
        }
        let own = matches!(
            request,
            Request::Sampler(_) | Request::Typed(_) | Request::TypedAtomic(_) | Request::Lsc(_)
        );
        let [used, slot] = match own {
            true => [layout.params.used, layout.params.slot],
            false => [registers.address_bytes; 2],
        };
        for raw in registers.params().iter().flatten() {
            self.read_lanes(*raw, lanes, [used, slot])?;
        }
        let data = layout.data;
        for raw in registers.data.iter().flatten() {
            let skipped = match request {
                Request::Lsc(r) => r.data.register_offset(),
                _ => 0,
            };
            let raw = raw.skip(skipped);
            match request {
                Request::LscBlock2d(_) => self.read_raw(raw, u32::MAX, None)?,
                Request::Target(_) => self.read_lanes(raw, lanes, [raw.ty.bytes(); 2])?,
                request if request.is_atomic() => {
                    self.read_lanes(raw, lanes, [data.used, data.slot])?;
                }
                request => {
                    for value in 0..data.count {
                        let row = raw.skip(value * data.pitch);
                        match request.is_by_lane() {
                            true => self.read_lanes(row, lanes, [data.used, data.slot])?,
                            false => self.read_raw(row, data.used, None)?,
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// What lanes take from a row of registers: so many bytes each, so far from each other.
    fn read_lanes(&mut self, row: Raw, lanes: Lanes, [used, slot]: [u32; 2]) -> Option<()> {
        for lane in 0..lanes.count.into() {
            let own = self.written.lane(self.mask, lanes, lane);
            self.read_raw(row.skip(lane * slot), used, own)?;
        }
        Some(())
    }

    /// Bytes of registers, as far as their variable has them.
    fn read_raw(&mut self, raw: Raw, size: u32, lane: Option<u8>) -> Option<()> {
        let size = size.min(raw.end.saturating_sub(raw.offset));
        self.read(raw.offset, size, lane)
    }

    fn write(&mut self, raw: Raw, size: u32, lane: Option<u8>) {
        let size = size.min(raw.end.saturating_sub(raw.offset));
        if let Some(range) = self.range(raw.offset, size) {
            self.written.add(range, lane);
        }
    }

    fn guard(&mut self, guard: Option<Guard>, lanes: Lanes) -> Option<()> {
        let Some(guard) = guard else { return Some(()) };
        match guard.group {
            Group::Each => {
                for lane in 0..lanes.count.into() {
                    let own = self.written.lane(self.mask, lanes, lane);
                    let bit = self.bit(guard.offset, lanes, lane)?;
                    self.first[bit] |= !self.written.has(bit..bit + 1, own);
                }
            }
            Group::Any | Group::All => {
                for bit in (0..BITS as u32).filter(|bit| guard.declared() >> bit & 1 != 0) {
                    let bit = self.bit(guard.offset, SCALAR, bit)?;
                    self.first[bit] |= !self.written.has(bit..bit + 1, None);
                }
            }
        }
        Some(())
    }

    fn write_bits(&mut self, at: u32, lanes: Lanes) -> Option<()> {
        for lane in 0..lanes.count.into() {
            let own = self.written.lane(self.mask, lanes, lane);
            let bit = self.bit(at, lanes, lane)?;
            self.written.add(bit..bit + 1, own);
        }
        Some(())
    }

    /// The place of the bit that a lane of an instruction has in a predicate.
    fn bit(&self, at: u32, lanes: Lanes, lane: u32) -> Option<usize> {
        let predicate = self.predicates.binary_search(&at).ok()?;
        let bit = (u32::from(lanes.offset) + lane) as usize;
        (bit < BITS).then_some(self.unsaid.len() + BITS * predicate + bit)
    }

    fn source(&mut self, source: &Source, lanes: Lanes) -> Option<()> {
        let size = source.ty.bytes();
        for lane in 0..lanes.count.into() {
            let at = offset(&source.region, lane, size)?;
            let inside = at != self.program.zero;
            inside.then_some(())?;
            let own = self.written.lane(self.mask, lanes, lane);
            self.read(at, size, own)?;
        }
        Some(())
    }

    /// * `always`: no predicate keeps lanes from writing.
    fn destination(&mut self, dst: &Dest, lanes: Lanes, always: bool) -> Option<()> {
        let size = dst.ty.bytes();
        for lane in 0..lanes.count.into() {
            let at = offset(&dst.region, lane, size)?;
            if at == self.program.sink {
                // Of a variable that has fewer elements.
                matches!(dst.region, Region::Strided { .. }).then_some(())?;
                continue;
            }
            let own = self.written.lane(self.mask, lanes, lane);
            let range = self.range(at, size)?;
            if always {
                self.written.add(range, own);
            }
        }
        Some(())
    }

    /// A lane reads bytes, or whoever runs; `None` where they may be undefined although they were written.
    fn read(&mut self, at: u32, size: u32, lane: Option<u8>) -> Option<()> {
        if self.predicates.binary_search(&at).is_ok() {
            return self.ballot(at);
        }
        let range = self.range(at, size)?;
        if self.unsaid[range.clone()].contains(&true) {
            return None;
        }
        for place in range {
            self.first[place] |= !self.written.has(place..place + 1, lane);
        }
        Some(())
    }

    /// Whoever runs reads a predicate as a number, of which a bit has to be written; `None` if that is not certain.
    fn ballot(&self, at: u32) -> Option<()> {
        let mut lanes = (0..BITS as u8).filter(|lane| self.mask >> lane & 1 != 0);
        let own = |lane: u8| {
            let bit = self.bit(at, SCALAR, lane.into())?;
            self.written.has(bit..bit + 1, Some(lane)).then_some(())
        };
        (self.mask != 0).then_some(())?;
        lanes.try_for_each(own)
    }

    /// Bytes of the arena that are not those of a predicate.
    fn range(&self, at: u32, size: u32) -> Option<Range<usize>> {
        if size == 0 {
            return Some(0..0);
        }
        let end = at.checked_add(size)?;
        let before = self.predicates.partition_point(|first| *first < end);
        let last = before.checked_sub(1).map(|last| self.predicates[last]);
        let apart = last.is_none_or(|first| first + 4 <= at);
        let inside = end as usize <= self.unsaid.len();
        (apart && inside).then_some(at as usize..end as usize)
    }

    fn result(self) -> ReadFirst {
        let (bytes, bits) = self.first.split_at(self.unsaid.len());
        let bits = bits.chunks_exact(BITS).map(|bits| {
            let places = bits.iter().zip(0..);
            places.fold(0, |all, (&first, bit)| all | u32::from(first) << bit)
        });
        let bits = self.predicates.into_iter().zip(bits);
        ReadFirst {
            bytes: ranges((0..bytes.len()).filter(|&at| bytes[at])),
            bits: bits.filter(|(_, bits)| *bits != 0).collect(),
        }
    }
}

/// Whether an op writes bits of a predicate.
fn writes_bits(op: &Op, predicate: u32) -> bool {
    match op {
        Op::Compare {
            dst: CompareDest::Predicate(at),
            ..
        }
        | Op::SetPredicate { dst: at, .. }
        | Op::PredicateLogic { dst: at, .. } => *at == predicate,
        Op::Alu(alu) => alu.overflow == Some(predicate),
        _ => false,
    }
}

/// How what a message returns lies in registers.
fn answer(send: &Send, program: &Program) -> PayloadPart {
    let part = Layout::of(&send.request, send.lanes.count.into(), program.platform).answer;
    match &send.request {
        // What an element does not fill of its registers is zero.
        Request::Lsc(_) => PayloadPart {
            used: part.slot,
            ..part
        },
        _ => part,
    }
}

/// Whether an integer may be divided by zero, of which the result is undefined.
fn divides(alu: &Alu, program: &Program) -> bool {
    let divides = matches!(alu.opcode, Opcode::Div | Opcode::Mod);
    if !divides || !alu.src.iter().all(|source| source.ty.is_integer()) {
        return false;
    }
    let known = alu.src.get(1).is_some_and(|divisor| {
        let Region::Scalar(at) = divisor.region else {
            return false;
        };
        let bytes = program
            .image
            .get(at as usize..(at + divisor.ty.bytes()) as usize);
        program.is_constant(at) && bytes.is_some_and(|bytes| bytes.iter().any(|&byte| byte != 0))
    });
    !known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, check};
    use crate::lower::{LowerOptions, lower};
    use crate::source::Source as Text;
    use crate::syntax::{ParseOptions, parse};

    /// Which of the variables A to D are read first, and which bits of P; `None` if that is not known.
    fn read(body: &str) -> Option<(String, u32)> {
        let declared: String = "ABCD"
            .chars()
            .map(|c| format!(".decl {c} v_type=G type=d num_elts=16 align=GRF\n"))
            .collect();
        let text = format!(
            ".version 3.6\n.kernel \"k\"\n{declared}.decl P v_type=P num_elts=16\n.decl Q v_type=P num_elts=16
.decl R v_type=P num_elts=16
.decl T6 v_type=T num_elts=1\n{body}\nret (M1, 1)\n"
        );
        let parsed = parse(&Text::new("t", text), &ParseOptions::default());
        let (checked, _) = check(&parsed.module, &CheckOptions::default());
        let program = lower(&checked, "", &LowerOptions::default()).expect("lowers");
        let reads = ReadFirst::new(&program, 0xffff)?;
        let names = "ABCD".chars().filter(|name| {
            let own = program.symbols[&name.to_string()].range();
            let mut ranges = reads.bytes.iter();
            ranges.any(|r| r.start < own.end && own.start < r.end)
        });
        let bits = reads.bits.iter().map(|(_, bits)| bits);
        Some((names.collect(), bits.fold(0, |all, bits| all | bits)))
    }

    fn known(names: &str, bits: u32) -> Option<(String, u32)> {
        Some((names.to_string(), bits))
    }

    #[test]
    fn lanes_read_the_bits_that_they_have_written() {
        let compared = "cmp.gt (M1, 16) P A(0,0)<1;1,0> 0x0:d\n";
        let branch = "(P) goto (M1, 16) out\nmov (M1, 16) B(0,0)<1> 0x0:d\n";
        let sum = "out:\nmov (M1, 16) C(0,0)<1> B(0,0)<1;1,0>";
        assert_eq!(read(&format!("{compared}{branch}out:")), known("A", 0));
        assert_eq!(read(&format!("{branch}out:")), known("", 0xffff));
        assert_eq!(read(&format!("{compared}{branch}{sum}")), known("AB", 0));
        // Where lanes have parted, one has not written the bit of another.
        let inside = format!("{branch}{compared}(P) goto (M1, 1) out\nout:");
        assert_eq!(read(&inside), known("A", 0xffff));
        let group = format!("{compared}(P.any) goto (M1, 1) out\nout:");
        assert_eq!(read(&group), known("A", 0));
    }

    #[test]
    fn what_chooses_writes_and_what_masks_may_not() {
        let compared = "cmp.gt (M1, 16) P A(0,0)<1;1,0> 0x0:d\n";
        let read_after = "mov (M1, 16) C(0,0)<1> B(0,0)<1;1,0>";
        let chosen = "(P) sel (M1, 16) B(0,0)<1> A(0,0)<1;1,0> 0x1:d\n";
        assert_eq!(
            read(&format!("{compared}{chosen}{read_after}")),
            known("A", 0)
        );
        let masked = "(P) mov (M1, 16) B(0,0)<1> A(0,0)<1;1,0>\n";
        assert_eq!(
            read(&format!("{compared}{masked}{read_after}")),
            known("AB", 0)
        );
        let both = "and (M1, 16) Q P P\n(Q) mov (M1, 16) B(0,0)<1> 0x0:d";
        assert_eq!(read(&format!("{compared}{both}")), known("A", 0));
        // Bits that hold nothing go to another predicate.
        assert_eq!(read(both), None);
        // Of lanes that have parted each has its own, whoever moves them.
        let inside = format!(
            "{compared}(P) goto (M1, 16) out\n{}",
            compared.replace('P', "Q")
        );
        let moved = |mask: &str, more: &str| {
            let used = format!("(R) mov (M1{mask}, 16) B(0,0)<1> 0x0:d\nout:{more}");
            read(&format!("{inside}not (M1_NM, 16) R Q\n{used}"))
        };
        assert_eq!(moved("", ""), known("A", 0));
        assert_eq!(moved("_NM", ""), known("A", 0xffff));
        // What R had otherwise, lanes that are elsewhere may lose.
        let other = compared.replace('P', "R");
        assert_eq!(moved("", &format!("\n{other}")), None);
    }

    #[test]
    fn what_is_made_undefined_is_not_known_once_it_is_read() {
        let quotient = |by: &str| format!("div (M1, 16) B(0,0)<1> A(0,0)<1;1,0> {by}\n");
        let read_after = "mov (M1, 16) C(0,0)<1> B(0,0)<1;1,0>";
        assert_eq!(read(&quotient("D(0,0)<1;1,0>")), known("AD", 0));
        let used = |by: &str| read(&format!("{}{read_after}", quotient(by)));
        assert_eq!(used("D(0,0)<1;1,0>"), None);
        assert_eq!(used("0x3:d"), known("A", 0));
        let over = "mov (M1, 16) B(0,0)<1> 0x0:d\nlifetime.end B\n";
        assert_eq!(read(over), known("", 0));
        assert_eq!(read(&format!("{over}{read_after}")), None);
        // Bytes that a narrow load leaves as they come.
        let loaded = "gather.1 (M1, 16) T6 0x0:ud A.0 B.0\n";
        assert_eq!(read(loaded), known("A", 0));
        assert_eq!(read(&format!("{loaded}{read_after}")), None);
    }

    #[test]
    fn what_goes_through_addresses_is_not_known() {
        let body = ".decl A0 v_type=A num_elts=1\n";
        let indirect = "mov (M1, 16) B(0,0)<1> r[A0(0),0]<1;1,0>:d";
        assert_eq!(read(&format!("{body}{indirect}")), None);
    }

    #[test]
    fn a_predicate_is_a_number_once_lanes_have_written_it() {
        let ballot = "mov (M1_NM, 1) B(0,0)<1> P\n";
        assert_eq!(read(ballot), None);
        let compared = "cmp.gt (M1, 16) P A(0,0)<1;1,0> 0x0:d\n";
        assert_eq!(read(&format!("{compared}{ballot}")), known("A", 0));
        let part = "cmp.gt (M1, 8) P A(0,0)<1;1,0> 0x0:d\n";
        assert_eq!(read(&format!("{part}{ballot}")), None);
    }
}
