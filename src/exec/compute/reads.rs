//! What ops read and write of the bytes of a thread.

use crate::isa::{Opcode, Platform};
use crate::lower::SCALAR;
use crate::message::{Layout, LscOp, Request};
use crate::program::{
    Alu, Barrier, CompareDest, Dest, Group, Guard, Lanes, Op, Raw, Region, Send, Source,
};

/// A lane of an instruction; `None` is whichever of them run.
pub type By = Option<(Lanes, u32)>;

/// Who wants to know.
pub trait Touches {
    /// Bytes are read.
    fn read(&mut self, at: u32, size: u32, by: By);

    /// Bytes are written, if they are not left as they were.
    fn write(&mut self, at: u32, size: u32, by: By);

    /// Something is read through an address; `None` where nothing is known then.
    fn read_anywhere(&mut self) -> Option<()>;

    /// The same of what is written.
    fn write_anywhere(&mut self) -> Option<()>;

    /// Lanes may part here.
    fn lanes_part(&mut self);

    /// Whether all of these lanes count as one: they run, or it does not matter which.
    fn are_one(&self, lanes: Lanes) -> bool;
}

/// Tells what an op reads, then what it is sure to write; `None` where that is not known here.
pub fn tell(op: &Op, platform: Platform, to: &mut impl Touches) -> Option<()> {
    match op {
        Op::Alu(alu) => computed(alu, to),
        Op::Compare {
            lanes, dst, src, ..
        } => {
            for operand in src.iter() {
                source(operand, *lanes, to)?;
            }
            match dst {
                CompareDest::General(dst) => destination(dst, *lanes, None, to),
                CompareDest::Predicate(at) => {
                    predicate(*at, *lanes, to);
                    Some(())
                }
            }
        }
        Op::SetPredicate {
            lanes, src, dst, ..
        } => {
            let all = Lanes {
                no_mask: true,
                ..*lanes
            };
            source(src, all, to)?;
            predicate(*dst, *lanes, to);
            Some(())
        }
        Op::PredicateLogic {
            lanes, src, dst, ..
        } => {
            src.iter().for_each(|&at| bits(at, *lanes, to));
            predicate(*dst, *lanes, to);
            Some(())
        }
        Op::Nothing | Op::Lifetime(_) | Op::LoadControl | Op::Barrier(Barrier::Whole) => Some(()),
        Op::Goto { lanes, guard, .. }
        | Op::Jump { lanes, guard, .. }
        | Op::Return { lanes, guard } => {
            asked(*guard, *lanes, to);
            if lanes.count > 1 {
                to.lanes_part();
            }
            Some(())
        }
        Op::Switch { index, .. } => source(index, SCALAR, to),
        Op::Send(send) => sent(send, platform, to),
        _ => None,
    }
}

fn computed(alu: &Alu, to: &mut impl Touches) -> Option<()> {
    use Opcode::{Dp2, Dp3, Dp4, Dpas, Dph, Sad2, Sad2Add};
    // Lanes take from other lanes, or leave some as they are.
    if matches!(alu.opcode, Dp2 | Dp3 | Dp4 | Dph | Dpas | Sad2 | Sad2Add) {
        return None;
    }
    for operand in &alu.src {
        source(operand, alu.lanes, to)?;
    }
    asked(alu.guard, alu.lanes, to);
    let guard = alu.mask_guard();
    let mut dsts = std::iter::once(&alu.dst).chain(&alu.dst2);
    dsts.try_for_each(|dst| destination(dst, alu.lanes, guard, to))
}

fn sent(send: &Send, platform: Platform, to: &mut impl Touches) -> Option<()> {
    for at in [send.surface, send.sampler].into_iter().flatten() {
        to.read(at, 4, None);
    }
    asked(send.guard, send.lanes, to);
    let (request, registers) = (&send.request, &send.operands.registers);
    for (_, operand) in &send.operands.scalars {
        source(operand, SCALAR, to)?;
    }
    let count = send.lanes.count.into();
    let layout = Layout::of(request, count, platform);
    let address = match request {
        Request::Lsc(_) => layout.params.slot,
        _ => registers.address_bytes,
    };
    let data = layout.data.slot;
    if is_by_lane_alone(request) && layout.params.slot == address {
        for raw in registers.params().iter().flatten() {
            row_of_lanes(*raw, send.lanes, address, to);
        }
        for value in 0..layout.data.count {
            for raw in registers.data.iter().flatten() {
                let row = raw.skip(value * layout.data.pitch);
                row_of_lanes(row, send.lanes, data, to);
            }
        }
    } else {
        let read = registers.params().iter().chain(&registers.data);
        for raw in read.chain([&registers.header]).flatten() {
            // All registers that a message may take an operand from.
            to.read(raw.offset, raw.end.saturating_sub(raw.offset), None);
        }
    }
    // Of the slots of an answer the first bytes are certain to be written, but where the value is in the upper ones.
    let part = layout.answer;
    let rows = match request {
        Request::Lsc(r) if r.data.register_offset() != 0 => false,
        _ => request.is_by_lane(),
    };
    let Some(dst) = registers.answer.filter(|_| rows && send.guard.is_none()) else {
        return Some(());
    };
    for value in 0..part.count {
        let row = dst.skip(value * part.pitch);
        for lane in 0..count {
            let at = row.offset.saturating_add(lane * part.slot);
            let end = at.saturating_add(part.used).min(row.end);
            to.write(at, end.saturating_sub(at), Some((send.lanes, lane)));
        }
    }
    Some(())
}

/// What lanes take from a row of registers.
fn row_of_lanes(row: Raw, lanes: Lanes, slot: u32, to: &mut impl Touches) {
    for lane in 0..lanes.count.into() {
        let at = row.offset.saturating_add(lane * slot);
        let end = at.saturating_add(slot).min(row.end);
        to.read(at, end.saturating_sub(at), Some((lanes, lane)));
    }
}

fn asked(guard: Option<Guard>, lanes: Lanes, to: &mut impl Touches) {
    match guard {
        Some(guard) if guard.group == Group::Each => bits(guard.offset, lanes, to),
        Some(guard) => to.read(guard.offset, 4, None),
        None => {}
    }
}

/// The bits of a predicate are read that lanes have.
fn bits(at: u32, lanes: Lanes, to: &mut impl Touches) {
    let (first, end) = (lanes.offset / 8, (lanes.offset + lanes.count).div_ceil(8));
    to.read(at + u32::from(first), (end - first).into(), None);
}

/// They are written: all of a byte where all of its lanes run.
fn predicate(at: u32, lanes: Lanes, to: &mut impl Touches) {
    let whole = lanes.offset.is_multiple_of(8) && lanes.count.is_multiple_of(8);
    if whole && to.are_one(lanes) {
        let first = u32::from(lanes.offset) / 8;
        to.write(at + first, u32::from(lanes.count) / 8, None);
    }
}

fn source(source: &Source, lanes: Lanes, to: &mut impl Touches) -> Option<()> {
    let size = source.ty.bytes();
    addresses(&source.region, to);
    if let Some((at, size)) = together(&source.region, lanes, size, to) {
        to.read(at, size, None);
        return Some(());
    }
    for lane in 0..lanes.count.into() {
        match offset(&source.region, lane, size) {
            Some(at) => to.read(at, size, Some((lanes, lane))),
            None => return to.read_anywhere(),
        }
    }
    Some(())
}

fn destination(
    dst: &Dest,
    lanes: Lanes,
    guard: Option<Guard>,
    to: &mut impl Touches,
) -> Option<()> {
    let size = dst.ty.bytes();
    addresses(&dst.region, to);
    if guard.is_none()
        && let Some((at, size)) = together(&dst.region, lanes, size, to)
    {
        to.write(at, size, None);
        return Some(());
    }
    for lane in 0..lanes.count.into() {
        match offset(&dst.region, lane, size) {
            Some(at) if guard.is_none() => to.write(at, size, Some((lanes, lane))),
            Some(_) => {}
            None => return to.write_anywhere(),
        }
    }
    Some(())
}

/// The address elements that an operand goes through.
fn addresses(region: &Region, to: &mut impl Touches) {
    if let Region::Indirect(indirect) = region {
        let elements = indirect.address.iter();
        elements.for_each(|&at| to.read(at, 2, None));
    }
}

/// The bytes of an operand, from where on and how many, if they follow each other and its lanes are one.
fn together(region: &Region, lanes: Lanes, size: u32, to: &impl Touches) -> Option<(u32, u32)> {
    let one = to.are_one(lanes);
    match region {
        Region::Scalar(at) if one => Some((*at, size)),
        Region::Dense(at) if one => Some((*at, size * u32::from(lanes.count))),
        _ => None,
    }
}

/// Where a lane of an operand lies; `None` if it goes through an address.
pub fn offset(region: &Region, lane: u32, size: u32) -> Option<u32> {
    Some(match region {
        Region::Scalar(at) => *at,
        Region::Dense(at) => at + lane * size,
        Region::Strided { offset, stride } => offset + lane * stride,
        Region::List(list) => *list.get(lane as usize)?,
        Region::Indirect(_) => return None,
    })
}

/// Where an op may lead but to the next one, and whether it may lead there.
pub fn ways(op: &Op) -> (&[u32], bool) {
    match op {
        Op::Goto {
            lanes,
            guard,
            target,
        } => (
            std::slice::from_ref(target),
            guard.is_some() || lanes.count > 1,
        ),
        Op::Jump { guard, target, .. } => (std::slice::from_ref(target), guard.is_some()),
        Op::Switch { targets, .. } => (targets, true),
        Op::Return { lanes, guard } => (&[], guard.is_some() || lanes.count > 1),
        _ => (&[], true),
    }
}

/// Whether a lane that runs takes its own values and no others from the registers of a message.
fn is_by_lane_alone(request: &Request) -> bool {
    match request {
        Request::ByteScattered(_)
        | Request::DwordScattered(_)
        | Request::Untyped(_)
        | Request::SvmScattered(_)
        | Request::SvmUntyped(_) => true,
        Request::Lsc(r) => {
            request.is_by_lane()
                && !r.op.is_strided()
                && !matches!(r.op, LscOp::AppendCounter(_))
                && !request.is_atomic()
        }
        _ => false,
    }
}
