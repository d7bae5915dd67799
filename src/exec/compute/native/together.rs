//! Arithmetic that is asked together whether its results have an order: one question for several ops, and code is left in
//! front of the first of them where one has none.
//!
//! ```text
//!  mul V1, add V2 ← V1, mad V3      V2 and V3 are asked, V1 is read by V2: who has no order passes it on
//!  cmp.lt P ← V3                    asked by the comparison, if it is seldom true
//! ```
//!
//! The two halves of SIMD32, which follow each other op by op and have masks of their own, are asked together, too.

use super::assembler::{Gpr, If, Len, Mask, Reg, Rm, Vector};
use super::emit::{CONDITION, Emitter, REGISTERS, UNORDERED, float_predicate_of};
use super::nan::{Doubt, FLOAT_UNORDERED};
use super::region::Touched;
use super::select::{Bytes, Inst, Kind, Work};
use crate::exec::compute::decoded::operand::Put;
use crate::isa::{Condition, Opcode};

/// The predicate by which floats are compared, true as well where they have no order.
const fn unordered_predicate_of(relation: Condition) -> u8 {
    match relation {
        Condition::Eq => 0x08,
        Condition::Ne => 0x04,
        Condition::Gt => 0x16,
        Condition::Ge => 0x15,
        Condition::Lt => 0x19,
        Condition::Le => 0x1a,
    }
}

/// Instructions that are asked together whether their results have an order: for each whether it writes what one of them
/// reads, which it must not before they were asked.
type Together = Vec<bool>;

/// A result of theirs that has to be asked.
#[derive(Clone, Copy)]
struct Open {
    bytes: Bytes,
    half: u8,
    value: Reg,
    mask: Option<Mask>,
}

/// Results that wait to be asked, at most.
const MOST_ASKED: usize = 8;

/// The half of all lanes that row `r` of an instruction has.
const fn half_of_row(inst: &Inst, r: u8) -> u8 {
    inst.lanes.offset / 16 + r
}

/// Whether an instruction reads these bytes in a half, in which they were written as well.
fn reads(inst: &Inst, bytes: Bytes, half: u8) -> bool {
    let row = half.checked_sub(half_of_row(inst, 0));
    let reads = |r| inst.src.iter().any(|of| inst.read(of, r) == Some(bytes));
    row.filter(|r| *r < inst.rows()).is_some_and(reads)
}

/// Whether it moves a dword that all lanes have, as constants are in front of who reads them.
fn is_single_move(inst: &Inst) -> bool {
    let plain = inst.work == Work::Move && inst.is_uniform() && !inst.has_lists();
    plain && inst.written(0).kind == Kind::Each
}

/// Whether the lanes of an instruction are those that masks hold wherever the region is.
fn is_masked(inst: &Inst) -> bool {
    let lanes = inst.lanes;
    inst.guard.is_none() && !lanes.no_mask && lanes.count > 2 && lanes.offset.is_multiple_of(16)
}

impl Emitter {
    /// Whether it is arithmetic on all lanes of rows whose results are in registers as soon as they are computed.
    pub fn is_plain(&self, inst: &Inst) -> bool {
        let all = inst.guard.is_none() && (self.all_enabled || inst.lanes.no_mask);
        all && self.is_arithmetic(inst)
    }

    /// The same on lanes of any kind.
    fn is_arithmetic(&self, inst: &Inst) -> bool {
        let arithmetic = matches!(
            inst.work,
            Work::Single(Opcode::Add | Opcode::Mul | Opcode::Mad, false)
        );
        let rows =
            matches!(inst.dst, Put::Dense(_)) && matches!(inst.written(0).kind, Kind::Row(_));
        arithmetic && rows && !self.flush && !inst.has_lists()
    }

    /// Whether it can be asked together with others.
    fn is_asked(&self, inst: &Inst) -> bool {
        self.is_arithmetic(inst) && (self.is_plain(inst) || is_masked(inst))
    }

    /// Code for the first of these instructions, as many as are asked together whether their results have an order; how
    /// many that is, 0 if the first one has to be asked by itself. Who has no order passes it on: only results that no
    /// later arithmetic of them reads are asked. Then the region is left in front of the first one, and the steps do all of
    /// them again, which read what they have read before: results that replace it wait until they were asked.
    ///
    /// A comparison of the one result that has to be asked is the last of them, if it is seldom true: made to be true of
    /// NaN as well it says by being false that there is none.
    ///
    /// * `pc`: the first one.
    /// * `is_seldom`: whether the predicate at an offset is, as far as can be told.
    pub fn group<'r>(
        &mut self,
        pc: u32,
        run: impl Iterator<Item = (&'r Inst, &'r Touched)>,
        is_seldom: impl Fn(u32) -> bool,
    ) -> usize {
        let mut run = run.peekable();
        // Most are not: the others are not looked at.
        if self.makes_nan || !run.peek().is_some_and(|(first, _)| self.is_asked(first)) {
            return 0;
        }
        let (all, touched): (Vec<_>, Vec<_>) = run.unzip();
        let Some(group) = self.asked_together(&all) else {
            return 0;
        };
        let (insts, behind) = all.split_at(group.len());
        let len = Self::len(insts[0]);
        let plain = self.is_plain(insts[0]);
        let mut open: Vec<Open> = Vec::new();
        let mut waiting = Vec::new();
        let mut own: Vec<Bytes> = Vec::new();
        for (pc, ((inst, touched), waits)) in (pc..).zip(insts.iter().zip(&touched).zip(group)) {
            // What they have read of others they would read again.
            self.forget_unread(pc, |bytes| own.contains(&bytes));
            // Of all lanes nothing is left of what was there before.
            if !waits && plain {
                own.extend(&touched[1]);
            }
            self.settle(touched);
            self.busy.clear();
            self.busy.extend(open.iter().map(|open| open.value));
            if is_single_move(inst) {
                self.beside(inst);
                continue;
            }
            self.hold_sources(inst);
            let rows = 0..inst.rows();
            if waits {
                let pins = rows.clone().filter_map(|r| self.pin(inst.written(r)));
                let pins: Vec<Reg> = pins.collect();
                self.busy.extend(pins);
            }
            let masks = self.masks_together(inst, plain);
            self.asks_later = true;
            let mut targets = [0; 2];
            for r in rows.clone() {
                let mask = masks[usize::from(r)];
                let target = self.target(inst, r, mask);
                self.value(inst, r, mask, target);
                targets[usize::from(r)] = target;
            }
            self.asks_later = false;
            open.retain(|open| !reads(inst, open.bytes, open.half));
            open.extend(rows.clone().map(|r| Open {
                bytes: inst.written(r),
                half: half_of_row(inst, r),
                value: targets[usize::from(r)],
                mask: masks[usize::from(r)],
            }));
            let results = rows.map(|r| (*inst, r, targets[usize::from(r)]));
            match waits {
                true => waiting.extend(results),
                false => results.for_each(|result| self.put_result(result, plain)),
            }
        }
        let compared = behind.first().zip(touched.get(insts.len()));
        let compared = compared.filter(|(inst, _)| {
            let seldom = matches!(inst.dst, Put::Flags(at) if is_seldom(at));
            seldom && self.tells_order(inst, insts[0], &open, &waiting)
        });
        if let Some((inst, touched)) = compared {
            self.settle(touched);
            self.busy.clear();
            self.busy.push(open[0].value);
            self.hold_sources(inst);
            self.compare_open(inst, open[0]);
        } else {
            self.all_ordered(len, &open);
        }
        for result in waiting {
            self.put_result(result, plain);
        }
        if let Some((inst, _)) = compared
            && let Put::Flags(at) = inst.dst
        {
            self.code.shift_left(Gpr::Rax, inst.lanes.offset);
            self.write_predicate(inst.lanes, at);
        }
        insts.len() + usize::from(compared.is_some())
    }

    /// Whether an instruction behind others compares the one result of theirs that has to be asked, in the lanes that they
    /// have, with something that is where it belongs.
    fn tells_order(
        &self,
        inst: &Inst,
        first: &Inst,
        open: &[Open],
        waiting: &[(&Inst, u8, Reg)],
    ) -> bool {
        let (Work::CompareSingle(_), [value], [a, b]) = (inst.work, open, &inst.src[..]) else {
            return false;
        };
        let plain = !inst.halves && a.modifier.is_none() && inst.rows() == 1;
        let same = inst.lanes == first.lanes && half_of_row(inst, 0) == value.half;
        let alike = same && Self::len(inst) == Self::len(first);
        let is_there = inst.read(b, 0).is_none_or(|bytes| {
            let mut waiting = waiting.iter();
            waiting.all(|(inst, r, _)| !inst.written(*r).overlaps(bytes))
        });
        plain && alike && inst.read(a, 0) == Some(value.bytes) && is_there && !inst.has_lists()
    }

    /// Compares a result, which is asked as well where that is true. The answer is in `rax`.
    fn compare_open(&mut self, inst: &Inst, open: Open) {
        let Work::CompareSingle(relation) = inst.work else {
            return;
        };
        let len = Self::len(inst);
        let number = self.source(inst, 1, 0);
        let leave = self.leave_for_nan();
        let to = (CONDITION[0], open.mask.unwrap_or(0), false);
        let [here, back] = [(); 2].map(|()| self.code.label());
        let code = &mut self.code;
        let or_unordered = Some(unordered_predicate_of(relation));
        code.masked(Vector::CMPPS, len, to, open.value, number, or_unordered);
        code.store_mask(Gpr::Rax, CONDITION[0]);
        code.test(Gpr::Rax, Gpr::Rax);
        code.jump_if(If::NotZero, here);
        code.bind(back);
        self.doubts.push(Doubt {
            here,
            back,
            len,
            value: open.value,
            number,
            mask: open.mask.unwrap_or(0),
            relation: float_predicate_of(relation),
            leave,
        });
    }

    /// Puts row `r` of a result where it belongs.
    fn put_result(&mut self, (inst, r, target): (&Inst, u8, Reg), plain: bool) {
        let masks = self.masks_together(inst, plain);
        self.put(inst, r, masks[usize::from(r)], target);
    }

    /// The lanes of an instruction that is asked together with others, by row.
    fn masks_together(&mut self, inst: &Inst, plain: bool) -> [Option<Mask>; 2] {
        match plain {
            true => [None; 2],
            false => self.running(inst.lanes, None),
        }
    }

    /// The first of these instructions that can be asked together; `None` if it is not worth it.
    fn asked_together(&self, insts: &[&Inst]) -> Option<Together> {
        let first = insts.first()?;
        let plain = self.is_plain(first);
        let alike = |inst: &Inst| {
            let same = match plain {
                true => self.is_plain(inst),
                false => is_masked(inst),
            };
            same && self.is_arithmetic(inst) && Self::len(inst) == Self::len(first)
        };
        let room = usize::from(REGISTERS - self.free) - self.scaled.len();
        // What they read that none of them has written, what they write, and of that what is not read again.
        let (mut outer, mut written, mut open) = (Vec::new(), Vec::new(), Vec::new());
        // What is written once they were asked: nobody may touch it before.
        let mut waiting: Vec<Bytes> = Vec::new();
        let mut together = Together::new();
        let mut many = 0;
        for inst in insts {
            if is_single_move(inst) {
                // Whatever happens it moves the same, and nobody reads what was there before.
                let to = inst.written(0);
                let apart = |from: Bytes| {
                    let own = written.iter().chain(&open).map(|(bytes, _)| bytes);
                    !own.chain(&waiting).any(|bytes| bytes.overlaps(from))
                };
                let from = inst.src.first().and_then(|of| inst.read(of, 0));
                let mut read = outer.iter().chain(&from);
                let is_read = read.any(|bytes: &Bytes| bytes.overlaps(to));
                // A modified source and the result.
                let fits = open.len() + 2 <= room;
                if is_read || !fits || !apart(to) || !from.is_none_or(apart) {
                    break;
                }
                // Done again it has to find the same.
                outer.extend(from);
                together.push(false);
                continue;
            }
            if !alike(inst) {
                break;
            }
            let rows = 0..inst.rows();
            let own = rows.map(|r| (inst.written(r), half_of_row(inst, r)));
            let own: Vec<(Bytes, u8)> = own.collect();
            let mut still: Vec<(Bytes, u8)> = open.clone();
            still.retain(|(bytes, half)| !reads(inst, *bytes, *half));
            let is_lost = |bytes: &Bytes| still.iter().any(|(other, _)| other.overlaps(*bytes));
            let lost = own.iter().any(|(own, _)| is_lost(own));
            // Each has a register until it is asked, and the next ones have sources and results.
            let rows = (0..inst.rows())
                .flat_map(|r| inst.src.iter().map(move |of| inst.rows_read(of, r).len()));
            let taken = open.len() + own.len() + rows.sum::<usize>();
            let sources = inst.src.iter();
            let read = sources.flat_map(|of| {
                let rows = 0..inst.rows();
                rows.filter_map(move |r| Some((inst.read(of, r)?, half_of_row(inst, r))))
            });
            let read: Vec<(Bytes, u8)> = read.collect();
            let mut touched = own.iter().chain(&read);
            // Two rows of results that wait would leave few registers to what is read again.
            let comes_early = match inst.rows() {
                1 => touched.any(|(bytes, _)| waiting.iter().any(|w| w.overlaps(*bytes))),
                _ => !waiting.is_empty(),
            };
            if lost || taken > room || still.len() + own.len() > MOST_ASKED || comes_early {
                break;
            }
            // What another half has written may have been for other lanes.
            let outside = read.iter().filter(|read| !written.contains(*read));
            outer.extend(outside.map(|(bytes, _)| *bytes));
            let changes = |own: Bytes| outer.iter().any(|bytes: &Bytes| bytes.overlaps(own));
            let waits = own.iter().any(|(own, _)| changes(*own));
            together.push(waits);
            match waits {
                true => waiting.extend(own.iter().map(|(own, _)| *own)),
                false => written.extend(own.iter().copied()),
            }
            open = still;
            open.extend(own);
            many += 1;
        }
        (many > 1).then_some(together)
    }

    /// Leaves the region in front of the first op at hand where a lane that runs has a NaN among these.
    fn all_ordered(&mut self, len: Len, values: &[Open]) {
        // Those of the same lanes beside each other: two are asked at once.
        let mut values = values.to_vec();
        values.sort_by_key(|open| open.mask);
        let mut pairs: Vec<(Reg, Reg, Option<Mask>)> = Vec::new();
        let mut single: Option<(Reg, Option<Mask>)> = None;
        for &Open { value, mask, .. } in &values {
            match single.take() {
                Some((other, with)) if with == mask => pairs.push((other, value, mask)),
                other => {
                    pairs.extend(other.map(|(other, with)| (other, other, with)));
                    single = Some((value, mask));
                }
            }
        }
        pairs.extend(single.map(|(value, mask)| (value, value, mask)));
        for pairs in pairs.chunks(2) {
            let masks = [UNORDERED, CONDITION[1]];
            for (to, &(a, b, mask)) in masks.into_iter().zip(pairs) {
                let to = (to, mask.unwrap_or(0), false);
                self.code
                    .masked(Vector::CMPPS, len, to, a, Rm::Reg(b), Some(FLOAT_UNORDERED));
            }
            self.code.test_masks(UNORDERED, masks[pairs.len() - 1]);
            self.leave_if_nan();
        }
    }
}
