//! Instructions that follow each other, looked at together: where all that they read is defined, or written by one of
//! them on the same lane, none of them has anything to report, and what they leave is known beforehand.
//!
//! ```text
//!  add V1 V2 V3 ┐  needs V2, V3, V5                all defined: the three run as they would unwatched,
//!  mul V4 V1 V5 ├  V1 of lane 7 is read by lane 7    and V1, V4 and V6 are written
//!  mov V6 V4    ┘                                  if not: one by one
//! ```

use super::State;
use super::plain::{self, Plain};
use super::registers;
use crate::exec::lanes::active;
use crate::isa::Opcode;
use crate::observe::known::Known;
use crate::observe::shadow::{Origin, Shadow};
use crate::program::{CompareDest, Dest, Guard, Lanes, Op, Region};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Instructions that are looked at together at most.
const MOST_OPS: usize = 64;

/// How often they have to come before it pays.
const VISITS: u32 = 8;

/// The instructions from an op on, looked at together once they have come often.
#[derive(Debug, Default)]
pub(super) struct Place {
    visits: AtomicU32,
    stretch: OnceLock<Option<Stretch>>,
}

impl Place {
    fn stretch(&self, make: impl FnOnce() -> Option<Stretch>) -> Option<&Stretch> {
        if self.stretch.get().is_none() && self.visits.fetch_add(1, Relaxed) < VISITS {
            return None;
        }
        self.stretch.get_or_init(make).as_ref()
    }
}

/// Instructions that follow each other.
#[derive(Debug)]
pub(super) struct Stretch {
    ops: u32,
    /// Bytes that are read before they are written, those of a range next to each other.
    needs: Vec<Range<u32>>,
    /// Predicates that have to be decided beforehand, for these lanes.
    decided: Vec<(u32, Lanes)>,
    /// What is written, in order.
    writes: Vec<Write>,
    /// The same if all lanes of `lanes` run and nothing has a predicate; the last writer of each byte.
    whole: Vec<(Range<u32>, u32)>,
    /// Lanes of the execution mask that instructions run on.
    lanes: u32,
    guarded: bool,
}

/// What an instruction writes.
#[derive(Debug)]
enum Write {
    Bytes {
        pc: u32,
        first: u32,
        stride: u32,
        size: u32,
        lanes: Lanes,
        guard: Option<Guard>,
    },
    Bits {
        predicate: u32,
        lanes: Lanes,
        /// Whatever lanes run.
        all: bool,
    },
}

/// Who has written a byte: a lane of the execution mask, or an instruction that always runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    Nobody,
    Always,
    Lane(u8),
}

/// By arena offset: the writer, and the op.
type Written = Vec<(Writer, u32)>;

/// The lanes of an instruction that run without a predicate.
const fn running(lanes: Lanes, mask: u32) -> u32 {
    match lanes.no_mask {
        true => lanes.all(),
        false => mask >> lanes.offset & lanes.all(),
    }
}

/// The predicate that masks an instruction.
fn masked_by(op: &Op) -> Option<Guard> {
    match op {
        Op::Alu(alu) => alu.guard.filter(|_| alu.opcode != Opcode::Sel),
        _ => None,
    }
}

/// Whether each lane of an instruction reads its own elements alone and leaves nothing but its result.
fn is_simple(op: &Op, known: &Known) -> bool {
    let simple = |dst: &Dest| match dst.region {
        Region::Scalar(at) | Region::Dense(at) => !known.is_predicate(at),
        Region::Strided { offset, .. } => !known.is_predicate(offset),
        Region::List(_) | Region::Indirect(_) => false,
    };
    match op {
        Op::Alu(alu) => {
            let float = alu.src.iter().all(|source| source.ty.is_float());
            let own = match alu.opcode {
                Opcode::Mov
                | Opcode::Sel
                | Opcode::Add
                | Opcode::Add3
                | Opcode::Mul
                | Opcode::Mad
                | Opcode::Lrp
                | Opcode::And
                | Opcode::Or
                | Opcode::Xor
                | Opcode::Not
                | Opcode::Bfn
                | Opcode::Shl
                | Opcode::Shr
                | Opcode::Asr
                | Opcode::Min
                | Opcode::Max
                | Opcode::Frc
                | Opcode::Rndd
                | Opcode::Rndu
                | Opcode::Rnde
                | Opcode::Rndz
                | Opcode::Inv
                | Opcode::Sqrt
                | Opcode::Rsqrt
                | Opcode::Exp
                | Opcode::Log
                | Opcode::Sin
                | Opcode::Cos
                | Opcode::Pow => true,
                Opcode::Div => float,
                _ => false,
            };
            own && alu.dst2.is_none() && alu.overflow.is_none() && simple(&alu.dst)
        }
        Op::Compare { dst, .. } => match dst {
            CompareDest::General(dst) => simple(dst),
            CompareDest::Predicate(_) => true,
        },
        Op::SetPredicate { .. } | Op::Nothing => true,
        _ => false,
    }
}

impl Stretch {
    /// Those from op `ops.start` on that can be looked at together, of `ops` at most.
    pub(super) fn new(known: &Known, plain: &[Option<Plain>], ops: Range<u32>) -> Option<Stretch> {
        let mut stretch = Stretch {
            ops: 0,
            needs: Vec::new(),
            decided: Vec::new(),
            writes: Vec::new(),
            whole: Vec::new(),
            lanes: 0,
            guarded: false,
        };
        let mut written = vec![(Writer::Nobody, 0); known.program.image.len()];
        for pc in ops.take(MOST_OPS) {
            let op = known.program.ops.get(pc as usize)?;
            let masked = masked_by(op).is_some();
            let looked_at = *op == Op::Nothing || plain.get(pc as usize)?.is_some();
            // What a predicate says is known when its instruction is reached.
            if !looked_at || !is_simple(op, known) || masked && stretch.ops > 0 {
                break;
            }
            stretch.reads(known, op, &written);
            stretch.add_writes(known, pc, op, &mut written);
            stretch.ops += 1;
            if masked {
                stretch.guarded = true;
                break;
            }
        }
        stretch.needs = plain::merged(std::mem::take(&mut stretch.needs));
        stretch.whole = whole(&written);
        (stretch.ops > 0).then_some(stretch)
    }

    /// Adds what an instruction reads that no lane of its own has written.
    fn reads(&mut self, known: &Known, op: &Op, written: &Written) {
        let Some(lanes) = lanes_of(op) else { return };
        let always = matches!(op, Op::SetPredicate { scalar: true, .. });
        let (mut bytes, mut guard) = (Vec::new(), None);
        plain::sources(op, known, |range, lane| {
            let lane = lane.or((lanes.count == 1).then_some(0));
            let own = |(by, _): &(Writer, u32)| match (by, lane) {
                (Writer::Always, _) => true,
                (Writer::Lane(by), Some(lane)) => {
                    !always && !lanes.no_mask && *by == lane + lanes.offset
                }
                _ => false,
            };
            let writers = written.get(range.start as usize..range.end as usize);
            if !writers.is_some_and(|writers| writers.iter().all(own)) {
                bytes.push(range);
            }
        });
        if let Op::Alu(alu) = op {
            guard = alu.guard;
        }
        if let Some(guard) = guard {
            let same = |write: &Write| match write {
                Write::Bits {
                    predicate,
                    lanes: by,
                    all,
                } => {
                    *predicate == guard.offset
                        && (*by == lanes
                            || *all && by.offset == lanes.offset && by.count >= lanes.count)
                }
                Write::Bytes { .. } => false,
            };
            if !self.writes.iter().any(same) {
                self.decided.push((guard.offset, lanes));
            }
        }
        self.needs.extend(bytes);
    }

    fn add_writes(&mut self, known: &Known, pc: u32, op: &Op, written: &mut Written) {
        let Some(lanes) = lanes_of(op) else { return };
        if !lanes.no_mask {
            self.lanes |= lanes.all() << lanes.offset;
        }
        let dst = match op {
            Op::Alu(alu) => &alu.dst,
            Op::Compare {
                dst: CompareDest::General(dst),
                ..
            } => dst,
            Op::Compare {
                dst: CompareDest::Predicate(predicate),
                ..
            } => {
                let (predicate, all) = (*predicate, lanes.no_mask);
                return self.writes.push(Write::Bits {
                    predicate,
                    lanes,
                    all,
                });
            }
            Op::SetPredicate { dst, scalar, .. } => {
                return self.writes.push(Write::Bits {
                    predicate: *dst,
                    lanes,
                    all: *scalar || lanes.no_mask,
                });
            }
            _ => return,
        };
        let size = dst.ty.bytes();
        let (first, stride) = match dst.region {
            Region::Scalar(at) => (at, 0),
            Region::Dense(at) => (at, size),
            Region::Strided { offset, stride } => (offset, stride),
            Region::List(_) | Region::Indirect(_) => return,
        };
        if first == known.program.sink {
            return;
        }
        let guard = masked_by(op);
        for lane in (0..lanes.count).filter(|_| guard.is_none()) {
            let by = match lanes.no_mask {
                true => Writer::Always,
                false => Writer::Lane(lane + lanes.offset),
            };
            let at = first + stride * u32::from(lane);
            if let Some(bytes) = written.get_mut(at as usize..(at + size) as usize) {
                bytes.fill((by, pc));
            }
        }
        self.writes.push(Write::Bytes {
            pc,
            first,
            stride,
            size,
            lanes,
            guard,
        });
    }

    /// Takes down what instructions write.
    fn take_down(&self, shadow: &mut Shadow, mask: u32, arena: &[u8]) {
        let whole = self.lanes & !mask == 0 && !self.guarded;
        if whole {
            for (range, pc) in &self.whole {
                shadow.set(range.clone(), Origin::Written(*pc));
            }
        }
        for write in &self.writes {
            match write {
                Write::Bits {
                    predicate,
                    lanes,
                    all,
                } => {
                    let on = if *all {
                        lanes.all()
                    } else {
                        running(*lanes, mask)
                    };
                    shadow.write_bits(*predicate, on << lanes.offset);
                }
                Write::Bytes {
                    pc,
                    first,
                    stride,
                    size,
                    lanes,
                    guard,
                } if !whole => {
                    let mut on = running(*lanes, mask);
                    if let Some(guard) = guard {
                        on &= guard.lanes(*lanes, registers::dword(arena, guard.offset));
                    }
                    let origin = Origin::Written(*pc);
                    if stride == size {
                        shadow.set_lanes(*first, *size, on, origin);
                        continue;
                    }
                    for lane in active(on, lanes.count.into()) {
                        let at = first + stride * lane as u32;
                        shadow.set(at..at + size, origin);
                    }
                }
                Write::Bytes { .. } => {}
            }
        }
    }
}

fn lanes_of(op: &Op) -> Option<Lanes> {
    match op {
        Op::Alu(alu) => Some(alu.lanes),
        Op::Compare { lanes, .. } | Op::SetPredicate { lanes, .. } => Some(*lanes),
        _ => None,
    }
}

/// What is written if all lanes run: the last writer of each byte.
fn whole(written: &Written) -> Vec<(Range<u32>, u32)> {
    let mut whole: Vec<(Range<u32>, u32)> = Vec::new();
    for (at, (by, pc)) in (0..).zip(written) {
        match whole.last_mut() {
            _ if *by == Writer::Nobody => {}
            Some((range, last)) if range.end == at && last == pc => range.end += 1,
            _ => whole.push((at..at + 1, *pc)),
        }
    }
    whole
}

impl State {
    /// How many of the instructions that follow each other have nothing to report; what they leave is taken down.
    ///
    /// * `mask`: lanes that run.
    pub(super) fn lets_run(&mut self, ops: Range<u32>, mask: u32, arena: &[u8]) -> u32 {
        if self.told.contains(&ops.start) {
            self.told.start = ops.start + 1;
            return 0;
        }
        let place = self.stretches.get(ops.start as usize);
        let make = || Stretch::new(&self.known, &self.plain, ops.clone());
        let Some(stretch) = place.and_then(|place| place.stretch(make)) else {
            return 0;
        };
        let is_decided = |(predicate, lanes): &(u32, Lanes)| {
            let bits = running(*lanes, mask) << lanes.offset;
            bits & !self.shadow.written_bits(*predicate) == 0
        };
        if stretch.ops > ops.end - ops.start || !stretch.decided.iter().all(is_decided) {
            return 0;
        }
        if !stretch
            .needs
            .iter()
            .all(|range| self.shadow.is_defined(range))
        {
            // One after the other up to where others begin.
            self.told = ops.start + 1..ops.start + stretch.ops;
            return 0;
        }
        stretch.take_down(&mut self.shadow, mask, arena);
        stretch.ops
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sanitizer;
    use super::*;
    use crate::check::{CheckOptions, check};
    use crate::lower::{LowerOptions, lower};
    use crate::source::Source;
    use crate::syntax::{ParseOptions, parse};

    #[test]
    fn what_a_lane_has_written_itself_is_not_needed() {
        let text = ".version 4.1
.kernel \"k\"
.decl A v_type=G type=d num_elts=8 align=GRF
.decl B v_type=G type=d num_elts=8 align=GRF
.decl C v_type=G type=d num_elts=8 align=GRF
.decl P v_type=P num_elts=8
    add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 1:d
    cmp.gt (M1, 8) P B(0,0)<1;1,0> 0:d
    (P) sel (M1, 8) C(0,0)<1> B(0,0)<1;1,0> A(0,0)<1;1,0>
    (P) mov (M1, 8) A(0,0)<1> C(0,0)<1;1,0>
    ret (M1, 1)
";
        let source = Source::new("k", text.to_string());
        let parsed = parse(&source, &ParseOptions::default());
        let (checked, _) = check(&parsed.module, &CheckOptions::default());
        let program = lower(&checked, "k", &LowerOptions::default()).expect("it is legal");
        let sanitizer = Sanitizer::default();
        let known = sanitizer.known.of(&program);
        let plain = plain::plain(known);
        let at = |name: &str| program.symbols[name].range();
        let bytes = |name: &str| at(name).start as u32..at(name).end as u32;
        let stretch = Stretch::new(known, &plain, 0..4).expect("they compute");
        // The last one has a predicate, which is known after the others.
        assert_eq!(stretch.ops, 3);
        assert!(stretch.needs.contains(&bytes("A")));
        assert!(
            !stretch
                .needs
                .iter()
                .any(|need| need.contains(&bytes("B").start))
        );
        assert!(stretch.decided.is_empty());
        assert!(stretch.whole.contains(&(bytes("C"), 2)));
        let masked = Stretch::new(known, &plain, 3..4).expect("it computes");
        assert_eq!((masked.ops, masked.decided.len()), (1, 1));
    }
}
