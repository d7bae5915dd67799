//! vISA on Ironlake: one payload, other orders, other units. Source: lowering reference 18.
//!
//! vISA was never compiled for this part; the rules are the manual's, and no quirk of the finalizer applies.
//! What has no message is refused.

mod math;
mod target;

use super::context::Sampler;
use super::operand::RawOperand;
use super::plan::{Base, Copies};
use super::{Lowering, PayloadPart, Result, Value, block, media_sampler, scattered, sync};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, Exec, Family, Opcode, Type};
use crate::message::fields::gen5_sampler_header as header;
use crate::message::math::function;
use crate::message::sampler::MOST_ROWS;
use crate::message::{Request, ReturnFormat, SamplerOp, SamplerRequest};
use crate::syntax::ast::Suffix;

/// Bytes of a register on this part.
const GRF: u32 = 32;
/// The bits of `aoffimmi` that lie in the header as they lie in the operand.
const OFFSETS: u32 = header::OFFSET_U.mask() | header::OFFSET_V.mask() | header::OFFSET_R.mask();

/// Lowers the instruction, or says that the part has no message for it.
pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    use Opcode::*;
    match cx.instruction.opcode.node {
        MediaLd | MediaSt => block::media(cx),
        OwordLd | OwordSt => block::oword(cx),
        Gather | Scatter => scattered::unscaled(cx),
        SampleUnorm => media_sampler::unorm(cx),
        Resinfo | Sampleinfo => info(cx),
        Sample | Load => legacy(cx),
        RtWrite3d => target::lower(cx),
        Ret if cx.context.ends_thread(cx.unit) => sync::end_of_thread(cx),
        op if op.info().family == Family::RawMessage => super::raw::lower(cx),
        op if super::sampler::is_3d(op) => sample(cx),
        op if function(op).is_some() => math::lower(cx),
        Invm | Rsqtm | Sqrtm | Divm => {
            refuse(cx, "Ironlake's math unit has no function of this precision")
        }
        op if !op.info().availability.on(cx.platform) => {
            refuse(cx, "Ironlake has no message for it")
        }
        _ => Ok(()),
    }
}

fn refuse<T>(cx: &Lowering, why: &str) -> Result<T> {
    cx.refuse(Code::E0380, why)
}

/// A parameter slot: an operand of the instruction, or a constant 0.
#[derive(Clone, Copy)]
enum Slot {
    Operand(RawOperand),
    Zero,
}

/// vISA's order becomes the part's: coordinates first, missing ones 0. Source: lowering reference 18.3.
fn reorder(op: SamplerOp, params: &[RawOperand]) -> Option<(SamplerOp, Vec<Slot>)> {
    let at = |i: usize| params.get(i).copied().map_or(Slot::Zero, Slot::Operand);
    // Coordinates u v r ai from the operands after the first `skip`.
    let coordinates = |skip: usize| (0..4).map(|i| at(skip + i)).collect::<Vec<_>>();
    let as_given = || params.iter().map(|p| Slot::Operand(*p)).collect::<Vec<_>>();
    Some(match op {
        SamplerOp::Ld if params.len() > 2 => {
            // u v lod r: lod and r change places.
            (op, vec![at(0), at(1), at(3), at(2)])
        }
        SamplerOp::Ld | SamplerOp::Sample | SamplerOp::Resinfo => (op, as_given()),
        SamplerOp::LdLz => (SamplerOp::Ld, as_given()),
        SamplerOp::SampleB | SamplerOp::SampleL | SamplerOp::SampleC => {
            let mut slots = coordinates(1);
            slots.push(at(0));
            (op, slots)
        }
        SamplerOp::SampleBC | SamplerOp::SampleLC => {
            let mut slots = coordinates(2);
            slots.extend([at(0), at(1)]);
            (op, slots)
        }
        SamplerOp::SampleLz => {
            let mut slots = coordinates(0);
            slots.push(Slot::Zero);
            (SamplerOp::SampleL, slots)
        }
        SamplerOp::SampleCLz => {
            let mut slots = coordinates(1);
            slots.extend([at(0), Slot::Zero]);
            (SamplerOp::SampleLC, slots)
        }
        SamplerOp::SampleD => {
            // u dudx dudy v dvdx dvdy r drdx drdy ai
            let mut slots = vec![at(0), at(3), at(6), at(9)];
            let gradients = [1, 2, 4, 5, 7, 8];
            let given = gradients.into_iter().take_while(|i| *i < params.len());
            slots.extend(given.map(at));
            (op, slots)
        }
        _ => return None,
    })
}

/// A sampler instruction, read.
struct Read {
    op: SamplerOp,
    slots: Vec<Slot>,
    channels: ChannelMask,
    offsets: Value,
    surface: usize,
    sampler: Option<Sampler>,
    destination: Option<RawOperand>,
    header: bool,
}

/// The operands as parameters; none may be `%null`.
fn given(cx: &Lowering, mut at: std::ops::Range<usize>, what: &str) -> Result<Vec<RawOperand>> {
    let places: Option<Vec<_>> = at.by_ref().map(|i| cx.raw(i)).collect();
    places.map_or_else(|| refuse(cx, what), Ok)
}

fn sample(cx: &mut Lowering) -> Result<()> {
    let row = cx.instruction.opcode.node.info();
    let first = row.slots.len() - 1;
    let all = first..cx.instruction.operands.len();
    let params = given(cx, all, "a parameter is %null")?;
    let op = SamplerOp::of_instruction(row).and_then(|op| reorder(op, &params));
    let Some((op, slots)) = op else {
        return refuse(cx, "Ironlake's sampler has no such operation");
    };
    let destination = cx.raw(first - 1);
    let odd = |p: &RawOperand| !matches!(p.ty.bytes(), 2 | 4);
    if params.iter().any(odd) || destination.as_ref().is_some_and(odd) {
        return refuse(cx, "parameters and results of 32 or 16 bits are required");
    }
    if destination.as_ref().is_some_and(|p| p.ty == Type::Hf) {
        return cx.refuse(
            Code::N0380,
            "what comes back is floats: their conversion to hf is not modelled",
        );
    }
    if cx.instruction.has(&Suffix::PixelNullMask) {
        return refuse(cx, "Ironlake has no pixel null mask");
    }
    let sampled = row.code != 0x6e;
    let sampler = sampled.then(|| cx.sampler(1));
    if let Some(Sampler::Index(Value::Const(16..))) = sampler {
        return refuse(cx, "Ironlake has sixteen samplers for each message");
    }
    let offsets = cx.operand(0).map_or(Value::Const(0), |o| cx.element(o));
    let channels = cx.channels(ChannelMask::RGBA);
    let read = Read {
        op,
        slots,
        channels,
        header: channels != ChannelMask::RGBA || offsets != Value::Const(0),
        offsets,
        surface: if sampled { 2 } else { 1 },
        sampler,
        destination,
    };
    messages(cx, &read)
}

/// `sample` and `load` without `3d`. Source: lowering reference 6.2, 18.2.
fn legacy(cx: &mut Lowering) -> Result<()> {
    let sampled = cx.instruction.opcode.node == Opcode::Sample;
    let at = usize::from(sampled);
    let places = given(cx, at + 1..at + 4, "a coordinate is %null")?;
    let mut slots: Vec<Slot> = places.into_iter().map(Slot::Operand).collect();
    // The parameter that is not given comes last in this part's order: ai of a sample, the level of a load.
    slots.push(Slot::Zero);
    let read = Read {
        op: if sampled {
            SamplerOp::Sample
        } else {
            SamplerOp::Ld
        },
        slots,
        channels: cx.channels(ChannelMask::RGBA),
        offsets: Value::Const(0),
        surface: at,
        sampler: sampled.then(|| cx.sampler(0)),
        destination: cx.raw(at + 4),
        header: true,
    };
    messages(cx, &read)
}

/// `resinfo` and `sampleinfo`; the latter is a header alone.
fn info(cx: &mut Lowering) -> Result<()> {
    let resinfo = cx.instruction.opcode.node == Opcode::Resinfo;
    let channels = cx.channels(ChannelMask::RGBA);
    let level = cx.raw(1).filter(|_| resinfo);
    let read = Read {
        op: if resinfo {
            SamplerOp::Resinfo
        } else {
            SamplerOp::Sampleinfo
        },
        slots: level.map(Slot::Operand).into_iter().collect(),
        channels,
        offsets: Value::Const(0),
        surface: 0,
        sampler: None,
        destination: cx.raw(if resinfo { 2 } else { 1 }),
        header: !resinfo || channels != ChannelMask::RGBA,
    };
    messages(cx, &read)
}

/// As many SIMD8 or SIMD16 messages as the lanes and the registers of one message need.
fn messages(cx: &mut Lowering, read: &Read) -> Result<()> {
    let es = cx.lanes();
    let head = u32::from(read.header);
    let count = read.slots.len() as u32;
    if head + count > MOST_ROWS {
        return refuse(cx, "more than eleven registers of parameters");
    }
    let wide = es > 8 && head + 2 * count <= MOST_ROWS;
    let width = if wide { 16 } else { 8 };
    let all = es.max(8);
    for from in (0..all).step_by(width as usize) {
        let mut exec = cx.exec(width.min(es));
        exec.offset = exec.offset.saturating_add(from as u8);
        one(cx, read, exec, width, from, all)?;
    }
    Ok(())
}

fn one(cx: &mut Lowering, read: &Read, exec: Exec, width: u32, from: u32, all: u32) -> Result<()> {
    let request = Request::Sampler(SamplerRequest {
        op: read.op,
        surface: 0,
        sampler: 0,
        channels: read.channels,
        lanes: width,
        offsets: [0; 3],
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: read.slots.len() as u32,
        coarse: false,
    });
    let mut plan = cx.plan_with_header(request, read.header)?;
    plan.exec = exec;
    plan.surface = Some(cx.surface(read.surface));
    plan.sampler = read.sampler.clone();
    if read.header {
        plan.header = Some(Base::R0);
        let offsets = match read.offsets {
            Value::Const(bits) => Value::Const(bits & OFFSETS),
            ref offsets => offsets.clone(),
        };
        plan.put(header::DISABLE, offsets);
    }
    let bytes = 4 * width;
    let part = |slot: &Slot| match slot {
        Slot::Operand(p) if p.ty.bytes() == 4 => cx.part(p.skip(4 * from), bytes),
        Slot::Operand(p) => PayloadPart::dwords((from..from + width).map(|lane| p.wide(lane)), GRF),
        Slot::Zero => PayloadPart::dwords(vec![Value::Const(0); width as usize], GRF),
    };
    plan.parts = read.slots.iter().map(part).collect();
    // SIMD8 returns four registers whatever the mask, SIMD16 two for each channel asked for.
    let skips = width == 16;
    plan.response = match read.destination {
        None => 0,
        Some(_) if skips => bytes / GRF * read.channels.count(),
        Some(_) => 4,
    };
    plan.place = read.destination;
    let Some(place) = read.destination else {
        return cx.send(plan);
    };
    let narrow = place.ty.bytes() == 2;
    let direct = all == width && (skips || read.channels == ChannelMask::RGBA) && !narrow;
    if !direct {
        let mut copies = Vec::new();
        for (to, channel) in read.channels.iter().enumerate() {
            let response = bytes * if skips { to } else { channel } as u32;
            // A channel begins a register; of 16 bits the low word of each lane.
            let size = if narrow { 2 } else { 4 };
            let start = to as u32 * (size * all).next_multiple_of(GRF) + size * from;
            match narrow {
                true => copies.extend((0..width).map(|i| [start + 2 * i, response + 4 * i, 2])),
                false => copies.push([start, response, bytes]),
            }
        }
        plan.copies = Copies::Bytes(copies);
    }
    cx.send(plan)
}
