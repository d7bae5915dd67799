//! Which messages are native code, and what they do there.

use super::blocks;
use super::coalesced::{Addresses, Shape, Update, Work, holds};
use super::environment::Environment;
use super::site_plans::{is_constant, places, sent};
use super::texels;
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::native::transfer::{
    Amount, Becomes, Block, Change, Extended, Message, Sample, Target, Transfer, constant,
};
use crate::exec::compute::native::{Native, NativeCode, Seen};
use crate::exec::state::arena::room;
use crate::exec::state::float_mode::FloatMode;
use crate::isa::{AtomicOp, Extension, Type};
use crate::lower::{SLM, STATELESS};
use crate::message::{
    Lsc, LscModel, LscOp, Parameter, Request, ReturnFormat, SamplerRequest, Scalar, Sfid,
};
use crate::program::{Op, Program, Raw, Region, Registers, Send, Source};

impl<'a> Environment<'a> {
    /// Native code of a program in a mode, once it pays.
    ///
    /// * `thread`: the bytes of a thread that runs it.
    pub(crate) fn native_code(
        &self,
        (program, thread): (&Program, &[u8]),
        mode: FloatMode,
        seen: Seen,
    ) -> Option<&'a Native> {
        let cut = self.plans.cut(self.code);
        let kind = (self.native, seen, cut);
        self.code
            .native((program, thread), mode, kind, |op| match (op, seen) {
                (Op::Send(send), Seen::Doubts { shared }) => {
                    harmless(message(program, send)?, shared)
                }
                (Op::Send(send), _) => message(program, send),
                _ => None,
            })
    }
}

/// A message that is code only where it does nothing that is to be reported: lanes move aligned bytes, and write bytes of
/// their own. `None` for one of which code does not see that.
///
/// * `shared`: all of shared local memory has been written.
fn harmless(message: Message, shared: bool) -> Option<Message> {
    match message {
        // What lies outside of a surface is left to the steps, and lanes that write the same texel are not reported.
        Message::Idle | Message::Sample(_) | Message::Texels(_) => Some(message),
        Message::Rectangle(block) => (!block.write).then_some(message),
        Message::Block(block) => {
            let surface = matches!(block.target, Target::Surface { .. });
            (surface && block.unit == 16).then_some(message)
        }
        Message::Lanes(transfer) => {
            let seen = match transfer.target {
                Target::Shared { .. } => shared,
                Target::Scratch { .. } => false,
                Target::Surface { .. } | Target::Flat => true,
            };
            let known = !(transfer.write && transfer.bytes == 8) && seen;
            known.then_some(Message::Lanes(Transfer {
                harmless: true,
                ..transfer
            }))
        }
    }
}

/// For each op of a program whether this host has native code for it, in the usual float mode.
pub fn native_ops(program: &Program) -> Vec<bool> {
    let code = Decoded::new(program);
    let mode = FloatMode::default();
    let kind = (NativeCode::Always, Seen::Nothing, 0);
    let native = code.native((program, &program.image), mode, kind, |op| match op {
        Op::Send(send) => message(program, send),
        _ => None,
    });
    let ops = 0..program.ops.len() as u32;
    ops.map(|pc| native.is_some_and(|native| native.covers(pc)))
        .collect()
}

/// What a message does, if native code can do it where its addresses are inside.
pub(crate) fn message(program: &Program, send: &Send) -> Option<Message> {
    let transposed = matches!(&send.request, Request::Lsc(r) if r.transposed);
    if is_idle(&send.request) {
        return Some(Message::Idle);
    }
    if let Request::Sampler(request) = &send.request {
        return sample(program, send, request).map(Message::Sample);
    }
    if let Some(block) = blocks::rectangle(program, send) {
        return Some(Message::Rectangle(block));
    }
    if let Some(write) = texels::write_of(program, send) {
        return Some(Message::Texels(write));
    }
    if send.request.is_block() || transposed {
        return block(program, send).map(Message::Block);
    }
    let transfer = transfer(program, send)?;
    match send.lanes.count {
        8 | 16 | 32 => Some(Message::Lanes(transfer)),
        // One lane that always runs is one piece, if a dword or a qword is moved.
        1 if send.lanes.no_mask && send.guard.is_none() => {
            let piece = piece(program, &transfer).map(Message::Block);
            piece.or((transfer.bytes < 8).then_some(Message::Lanes(transfer)))
        }
        // Compilers read what all lanes have so.
        2 if send.lanes.no_mask && send.guard.is_none() => {
            (transfer.bytes < 8).then_some(Message::Lanes(transfer))
        }
        _ => None,
    }
}

/// What one lane moves, as one piece.
fn piece(program: &Program, transfer: &Transfer) -> Option<Block> {
    let whole = transfer.bytes >= 4 && transfer.rows == 1 && transfer.update.is_none();
    if transfer.based.is_some() || transfer.extended.is_some() {
        return None;
    }
    let inside = transfer.data + transfer.bytes + 64 <= room(program.image.len()) as u32;
    let added = i32::try_from(transfer.added.cast_signed()).ok()?;
    (whole && inside && transfer.skipped == 0).then_some(Block {
        write: transfer.write,
        target: transfer.target,
        place: transfer.addresses,
        ignored: 0,
        unit: transfer.unit,
        added,
        align: 4,
        dwords: transfer.bytes / 4,
        data: transfer.data,
    })
}

/// Whether a message does nothing here: the caches of a simulator hold nothing back.
pub(crate) const fn is_idle(request: &Request) -> bool {
    matches!(
        request,
        Request::SamplerFlush | Request::Fence(_) | Request::LscFence(_)
    )
}

/// A sampler message; what else it depends on is seen when it is sent.
fn sample(program: &Program, send: &Send, request: &SamplerRequest) -> Option<Sample> {
    let plain =
        !request.params16 && !request.pixel_null_mask && request.returns == ReturnFormat::Bits32;
    if !plain || !matches!(send.lanes.count, 8 | 16 | 32) {
        return None;
    }
    let sampler = match request.op.is_load() {
        // All lanes have level 0.
        true if sent(program, send, request, Parameter::Lod) == Some(None) => None,
        true => return None,
        false => Some(send.sampler?),
    };
    let places = places(program, send, request)?;
    let zero = |source: &Source| {
        let (Region::Scalar(at), true) = (&source.region, is_constant(program, source)) else {
            return false;
        };
        source.modifier.is_none() && constant(program, *at, source.ty) == Some(0)
    };
    let mut scalars = send.operands.scalars.iter();
    let stays =
        |(scalar, source): &(Scalar, Source)| *scalar != Scalar::TexelOffsets || zero(source);
    let dword = |at: usize| u32::try_from(at).ok();
    Some(Sample {
        op: request.op,
        moved: request.offsets != [0; 3] || !scalars.all(stays),
        lanes: send.lanes,
        guard: send.guard,
        surface: send.surface?,
        sampler,
        coordinates: [dword(places.u)?, dword(places.v?)?],
        to: dword(places.to)?,
        pitch: dword(places.pitch)?,
        channels: request.channels.0 & 0xf,
    })
}

/// A message of one piece.
fn block(program: &Program, send: &Send) -> Option<Block> {
    let (registers, scalars) = (&send.operands.registers, &send.operands.scalars[..]);
    let data = |write: bool| {
        if write {
            registers.data[0]
        } else {
            registers.answer
        }
    };
    let block = match &send.request {
        Request::Lsc(r) => {
            let lanes = send.lanes;
            let always = lanes.count == 1 && lanes.no_mask && send.guard.is_none();
            let plain = r.op == LscOp::Load || r.op == LscOp::Store;
            let bytes = r.data.memory_bytes();
            let whole = matches!(bytes, 4 | 8) && r.data.register_bytes() == bytes;
            let unscaled = r.scale == 1 && r.extend.is_none() && names_a_place(scalars);
            let target = target(program, send)?;
            let (base, None) = bases(program, send, target)? else {
                return None;
            };
            let added = base.wrapping_add(r.offset as u64);
            if !(always && plain && whole && unscaled) {
                return None;
            }
            Block {
                write: r.op.is_store(),
                target,
                place: registers.params().first().copied()??.offset,
                ignored: 0,
                unit: 1,
                added: i32::try_from(added.cast_signed()).ok()?,
                align: bytes,
                dwords: r.vector * bytes / 4,
                data: data(r.op.is_store())?.offset,
            }
        }
        request => {
            let [(Scalar::Offset | Scalar::Address, source)] = scalars else {
                return None;
            };
            let (Region::Scalar(place) | Region::Dense(place)) = source.region else {
                return None;
            };
            let (access, owords, ignored, unit, align) = match request {
                Request::Oword(r) if r.unaligned => (r.access, r.owords, 3, 1, 1),
                Request::Oword(r) => (r.access, r.owords, 0, 16, 1),
                Request::SvmBlock(r) => (r.access, r.owords, 0, 1, 4),
                _ => return None,
            };
            let target = target(program, send)?;
            let width = if target == Target::Flat { 8 } else { 4 };
            let plain = source.ty.is_integer() && source.modifier.is_none();
            if !plain || source.ty.bytes() != width {
                return None;
            }
            Block {
                write: access.is_write(),
                target,
                place,
                ignored,
                unit,
                added: 0,
                align,
                dwords: 4 * owords,
                data: data(access.is_write())?.offset,
            }
        }
    };
    let raw = data(block.write)?;
    let holds = raw.end.saturating_sub(raw.offset) >= 4 * block.dwords;
    // A register is loaded for what fills a part of it.
    let inside = raw.offset + 4 * block.dwords + 64 <= room(program.image.len()) as u32;
    (holds && inside && block.dwords > 0).then_some(block)
}

/// A gather or scatter.
fn transfer(program: &Program, send: &Send) -> Option<Transfer> {
    let (request, registers) = (&send.request, &send.operands.registers);
    let scalars = &send.operands.scalars;
    let count = send.lanes.count;
    if !names_a_place(scalars) {
        return None;
    }
    let filled = filled(request);
    let asked = filled.as_ref().map_or(request, |(request, _)| request);
    let work = Work::of(asked, registers, count.into(), program.platform)?;
    let target = target(program, send)?;
    let (place, extended) = match widened(request, registers, count.into()) {
        Some((place, extended)) => (place, Some(extended)),
        None => (Addresses::of(request, registers, count.into())?, None),
    };
    let (base, based) = bases(program, send, target)?;
    let (shape, update) = match work {
        Work::Move(shape, _) => (shape, None),
        Work::Update(update) => {
            let shape = Shape {
                write: false,
                unit: 4,
                slot: update.slot,
                rows: 1,
                pitch: 0,
                skipped: 0,
                data: update.answer.unwrap_or(Raw::NOWHERE),
            };
            (shape, Some(change(&update, count.into())?))
        }
        Work::Block(_) => return None,
    };
    let (mut shape, mut channels) = (shape, (1 << shape.rows) - 1);
    if let Some((_, mask)) = filled {
        shape.rows = mask.count_ones() as usize;
        channels = mask >> mask.trailing_zeros();
    }
    // What is not returned has no registers.
    let returns = update.is_none_or(|update| update.returns);
    if returns && !holds(shape.data, shape.registers(count.into())) {
        return None;
    }
    let Shape {
        write,
        unit: bytes,
        slot,
        rows,
        pitch,
        skipped,
        data,
    } = shape;
    let known = match slot {
        4 => rows <= 4 && (bytes == 4 || rows == 1),
        _ => bytes == 8 && rows <= 2,
    };
    let added = base.wrapping_add(place.added);
    let moved = added.cast_signed().saturating_add(skipped as i64);
    let encoded = match target {
        Target::Flat => {
            let wide = place.bytes == 8 || extended.is_some();
            wide && place.unit == 1 && i32::try_from(moved).is_ok()
        }
        _ => place.bytes == 4 && place.unit.is_power_of_two(),
    };
    (known && encoded).then_some(Transfer {
        write,
        lanes: send.lanes,
        guard: send.guard,
        target,
        addresses: place.at,
        extended,
        added,
        based,
        unit: place.unit,
        skipped: skipped as u32,
        bytes: bytes as u32,
        rows: rows as u32,
        channels,
        pitch: pitch as u32,
        data: data.offset,
        upper: if bytes == 8 { 128 } else { 64 },
        update,
        harmless: false,
    })
}

/// A message that reads channels with gaps between them, as one that reads those as well; and its channels.
fn filled(request: &Request) -> Option<(Request, u8)> {
    let mut filled = *request;
    let channels = match &mut filled {
        Request::Untyped(r) | Request::SvmUntyped(r) if !r.access.is_write() => &mut r.channels,
        Request::Lsc(r) if r.op == LscOp::LoadQuad => &mut r.channels,
        _ => return None,
    };
    let mask = channels.0 & 0xf;
    let first = mask.trailing_zeros();
    let run = u8::MAX
        .checked_shr(mask.leading_zeros())?
        .checked_shr(first)?;
    channels.0 = run << first;
    (channels.0 != mask).then_some((filled, mask))
}

/// What an atomic does to dwords, if code does it.
fn change(update: &Update, count: usize) -> Option<Change> {
    let value = |n: usize| {
        let raw = update.values[n]?;
        holds(raw, 4 * count).then_some(raw.offset)
    };
    let row = |becomes| Some((becomes, Amount::Row(value(0)?)));
    let (becomes, amount) = match update.op {
        AtomicOp::Inc => (Becomes::Sum, Amount::One(1)),
        AtomicOp::Dec => (Becomes::Sum, Amount::One(u32::MAX)),
        AtomicOp::Add => row(Becomes::Sum)?,
        AtomicOp::Sub => (Becomes::Sum, Amount::Less(value(0)?)),
        AtomicOp::And => row(Becomes::And)?,
        AtomicOp::Or => row(Becomes::Or)?,
        AtomicOp::Xor => row(Becomes::Xor)?,
        AtomicOp::Min => row(Becomes::Least(false))?,
        AtomicOp::Max => row(Becomes::Greatest(false))?,
        AtomicOp::MinSint => row(Becomes::Least(true))?,
        AtomicOp::MaxSint => row(Becomes::Greatest(true))?,
        AtomicOp::Xchg => row(Becomes::Other)?,
        AtomicOp::CmpXchg => row(Becomes::OtherIf(value(1)?))?,
        AtomicOp::FAdd => row(Becomes::FloatSum)?,
        AtomicOp::FSub | AtomicOp::FMax | AtomicOp::FMin | AtomicOp::FCmpWr => return None,
    };
    let dwords = (update.ty.bits, update.ty.bfloat, update.slot) == (32, false, 4);
    // Steps read the values of a lane when those before it have their answers.
    let answer = update.answer.map(|raw| raw.offset);
    let apart = |value: &Raw| {
        answer.is_none_or(|at| at == value.offset || at.abs_diff(value.offset) >= 4 * count as u32)
    };
    let apart = update.values.iter().flatten().all(apart);
    (dwords && apart).then_some(Change {
        becomes,
        amount,
        returns: update.answer.is_some(),
    })
}

/// Whether the values of a message say no more than where.
fn names_a_place(scalars: &[(Scalar, Source)]) -> bool {
    let mut scalars = scalars.iter();
    scalars.all(|(scalar, _)| scalar.is_base() || *scalar == Scalar::Surface)
}

/// Where the addresses of a message are that are dwords and become 64-bit ones, if they lie in their variable from end to
/// end.
fn widened(
    request: &Request,
    registers: &Registers,
    count: usize,
) -> Option<(Addresses, Extended)> {
    let Request::Lsc(r) = request else {
        return None;
    };
    let raw = registers.params().first().copied()??;
    let plain = r.is_widened() && !r.op.is_strided() && r.scale.is_power_of_two();
    let place = Addresses {
        at: raw.offset,
        bytes: 4,
        unit: 1,
        added: r.offset as u64,
    };
    let extended = Extended {
        signed: r.extend == Some(Extension::Signed),
        shift: r.scale.trailing_zeros() as u8,
    };
    (plain && holds(raw, 4 * count)).then_some((place, extended))
}

/// What is added to every address: what the text says, and a variable of the width of addresses, if there is one.
fn bases(program: &Program, send: &Send, target: Target) -> Option<(u64, Option<u32>)> {
    let width = if target == Target::Flat { 8 } else { 4 };
    send.operands
        .bases()
        .try_fold((0u64, None), |(sum, variable), source| {
            let Region::Scalar(at) = source.region else {
                return None;
            };
            if !source.ty.is_integer() || source.modifier.is_some() {
                return None;
            }
            if is_constant(program, source) {
                let value = constant(program, at, source.ty)?;
                return Some((sum.wrapping_add(value), variable));
            }
            let first = variable.is_none() && source.ty.bytes() == width;
            first.then_some((sum, Some(at)))
        })
}

/// The memory that a message names.
fn target(program: &Program, send: &Send) -> Option<Target> {
    let mut scalars = send.operands.scalars.iter();
    let handle = scalars.find(|(scalar, _)| *scalar == Scalar::Surface);
    let (variable, index) = match &send.request {
        Request::ByteScattered(r) | Request::DwordScattered(r) => (send.surface, r.surface),
        Request::Untyped(r) => (send.surface, r.surface),
        Request::Atomic(r) => (send.surface, r.surface),
        Request::Oword(r) => (send.surface, r.surface),
        Request::SvmScattered(_)
        | Request::SvmUntyped(_)
        | Request::SvmBlock(_)
        | Request::SvmAtomic(_) => {
            return Some(Target::Flat);
        }
        Request::Lsc(r) if r.typed().is_some() || r.typed_atomic().is_some() => return None,
        Request::Lsc(Lsc {
            sfid: Sfid::Slm, ..
        }) => (None, SLM),
        Request::Lsc(r) => match (r.model, handle) {
            (LscModel::Flat, _) => return Some(Target::Flat),
            (LscModel::Ss(_), _) => (None, STATELESS),
            (_, Some((_, source))) => return surface_in(program, source),
            (LscModel::Bti(index) | LscModel::Bss(index), None) => (send.surface, index),
        },
        _ => return None,
    };
    let first = variable.map_or(Some(0), |at| {
        let bytes = program.image.get(at as usize..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    })?;
    Some(match index.wrapping_add(first) {
        SLM => Target::Shared {
            variable,
            expected: first,
        },
        STATELESS => Target::Scratch {
            variable,
            expected: first,
        },
        _ => Target::Surface { variable, index },
    })
}

/// The surface whose handle is in a variable.
fn surface_in(program: &Program, source: &Source) -> Option<Target> {
    let Region::Scalar(at) = source.region else {
        return None;
    };
    let dword = matches!(source.ty, Type::D | Type::Ud) && source.modifier.is_none();
    // No window is that of shared local memory, so a handle that says so finds none.
    (dword && !is_constant(program, source)).then_some(Target::Surface {
        variable: Some(at),
        index: 0,
    })
}
