//! vISA on Ironlake: one payload, other orders, other units. Source: lowering reference 18.
//!
//! vISA was never compiled for this part; the rules are the manual's. What has no message is refused.

mod math;
mod target;

use super::context::{Sampler, Surface};
use super::operand::Place;
use super::{Destination, Lowering, Op, Part, Plan, Result, Run, Value, unmasked};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, Exec, Family, MediaMode, Opcode, Platform, Type};
use crate::message::dataport::{field_bits, oword_code};
use crate::message::fields::{
    gen5_sampler as control, media_block_header, offset_header, sampler_header,
};
use crate::message::gen5::{ReadType, UNORM_TYPE, read_function, write_function};
use crate::message::math::function;
use crate::message::sampler::{MOST_ROWS, header_bits};
use crate::message::{FieldSelect, SamplerOp, Sfid};
use crate::syntax::ast::{Operand, Suffix};

/// Bytes of a register on this part.
const GRF: u32 = 32;
/// Widest block of one message. Source: PRM 5.10.5.
const WIDEST: u32 = 32;

/// Lowers the instruction, or says that the part has no message for it.
pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    match cx.instruction.opcode.node {
        Opcode::MediaLd | Opcode::MediaSt => media(cx),
        Opcode::OwordLd | Opcode::OwordSt => oword(cx),
        Opcode::Gather | Opcode::Scatter => scattered(cx),
        Opcode::Resinfo | Opcode::Sampleinfo => info(cx),
        Opcode::SampleUnorm => unorm(cx),
        Opcode::Sample | Opcode::Load => legacy(cx),
        Opcode::RtWrite3d => target::lower(cx),
        Opcode::Ret if cx.context.ends_thread(cx.unit) => end_of_thread(cx),
        op if op.info().family == Family::RawMessage => super::raw::lower(cx),
        op if super::sampler::is_3d(op) => sample(cx),
        op if function(op).is_some() => math::lower(cx),
        op => {
            if matches!(
                op,
                Opcode::Invm | Opcode::Rsqtm | Opcode::Sqrtm | Opcode::Divm
            ) {
                return refuse(cx, "Ironlake's math unit has no function of this precision");
            }
            if !op.availability().platforms.contains(&Platform::Ilk) {
                return refuse(cx, "Ironlake has no message for it");
            }
            Ok(())
        }
    }
}

fn refuse<T>(cx: &Lowering, why: &str) -> Result<T> {
    cx.refuse(Code::E0380, why)
}

fn surface(cx: &Lowering, at: usize, bits: u32) -> Result<Value> {
    match cx.surface(at) {
        Surface::Number(number) => Ok(number.plus(bits)),
        Surface::Bindless(_) => refuse(cx, "Ironlake has no bindless surfaces"),
    }
}

/// One or two reads or writes: blocks wider than 32 bytes are done in halves, whose rows interleave.
/// Source: lowering reference 18.5.
fn media(cx: &mut Lowering) -> Result<()> {
    let read = cx.instruction.opcode.node == Opcode::MediaLd;
    let (width, height) = match cx.instruction.operands.first().map(|o| &o.node) {
        Some(Operand::Block { width, height })
            if (1..=64).contains(width) && (1..=64).contains(height) =>
        {
            (*width as u32, *height as u32)
        }
        _ => return refuse(cx, "a block of 1 to 64 bytes by 1 to 64 rows"),
    };
    let plane = match cx.instruction.operands.get(2).map(|o| &o.node) {
        Some(Operand::Number(plane)) if *plane < 4 => *plane as u32,
        _ => 0,
    };
    let mode = cx.instruction.suffix(|s| match s {
        Suffix::MediaMode(mode) => Some(*mode),
        _ => None,
    });
    let field = field_bits(match mode {
        Some(MediaMode::Top | MediaMode::TopMod) => FieldSelect::Top,
        Some(MediaMode::Bottom | MediaMode::BottomMod) => FieldSelect::Bottom,
        _ => FieldSelect::State,
    });
    let (sfid, bits) = if read {
        (Sfid::DataRead, read_function(ReadType::Media, field))
    } else {
        (Sfid::DataWrite, write_function(ReadType::Media, field))
    };
    let desc = surface(cx, 1, bits + plane)?;
    let place = cx.raw(5);
    let pitch = width.next_power_of_two().max(4);
    let halves: Vec<(u32, u32)> = if width <= WIDEST {
        vec![(0, width)]
    } else {
        vec![(0, WIDEST), (WIDEST, width - WIDEST)]
    };
    let whole = halves.len() == 1;
    for (send, (left, width)) in halves.into_iter().enumerate() {
        let mut header = cx.r0_header();
        header[media_block_header::X.dw] = cx.scalar(3).plus(left);
        header[media_block_header::Y.dw] = cx.scalar(4);
        header[media_block_header::WIDTH.dw] = Value::Const(
            (height - 1) << media_block_header::HEIGHT.lo
                | (width - 1) << media_block_header::WIDTH.lo,
        );
        let mut plan = Plan::new(sfid, desc.clone(), unmasked(8));
        plan.predicated = false;
        plan.header = Some(header);
        // Rows of the message lie closer together than those of a wide vISA block.
        let own = width.next_power_of_two().max(4);
        let bytes = own * height;
        if !read {
            let Some(place) = place else {
                return refuse(cx, "the data are %null");
            };
            let rows = (0..height).map(|row| Run::Bytes {
                root: place.root,
                offset: place.at + row * pitch + left,
                len: own,
            });
            plan.parts = vec![Part::from_runs(rows.collect(), GRF)];
            plan.first = 1;
            cx.send(plan);
            continue;
        }
        plan.response = bytes.div_ceil(GRF);
        let direct = whole && bytes >= GRF;
        plan.destination = if direct {
            cx.destination(place)
        } else {
            Destination::Temporary
        };
        let response = plan.response;
        cx.send(plan);
        if direct {
            cx.write_registers(place, 0, response);
        } else {
            for row in 0..height {
                cx.write_bytes(place, row * pitch + left, send, row * own, own);
            }
        }
    }
    Ok(())
}

/// vISA counts owords, this part bytes. Source: lowering reference 18.5.
fn oword(cx: &mut Lowering) -> Result<()> {
    let read = cx.instruction.opcode.node == Opcode::OwordLd;
    let owords = cx.lanes();
    let Some(code) = oword_code(owords).filter(|code| *code < 5) else {
        return refuse(cx, "1, 2, 4 or 8 owords");
    };
    let (sfid, bits) = if read {
        (Sfid::DataRead, read_function(ReadType::Oword, code))
    } else {
        (Sfid::DataWrite, write_function(ReadType::Oword, code))
    };
    let desc = surface(cx, 0, bits)?;
    let mut header = cx.r0_header();
    header[offset_header::GLOBAL.dw] = Value::call(Op::Shl, cx.scalar(1), Value::Const(4));
    let mut plan = Plan::new(sfid, desc, unmasked(8));
    plan.predicated = false;
    plan.header = Some(header);
    let place = cx.raw(2);
    let registers = (16 * owords).div_ceil(GRF);
    if !read {
        plan.parts = place
            .into_iter()
            .map(|p| cx.part(p, registers * GRF))
            .collect();
        plan.first = plan.parts.len();
        cx.send(plan);
        return Ok(());
    }
    cx.fetch_registers(plan, place, registers);
    Ok(())
}

/// Dwords only; element numbers become byte offsets. Source: lowering reference 18.5.
fn scattered(cx: &mut Lowering) -> Result<()> {
    let read = cx.instruction.opcode.node == Opcode::Gather;
    let bytes = cx.instruction.suffix(|s| match s {
        Suffix::ElementBytes(bytes) => Some(*bytes),
        _ => None,
    });
    if bytes != Some(4) {
        return refuse(cx, "Ironlake scatters dwords only");
    }
    let es = cx.lanes();
    let lanes = if es > 8 { 16 } else { 8 };
    let code = if es > 8 { 3 } else { 2 };
    let (sfid, bits) = if read {
        (Sfid::DataRead, read_function(ReadType::Dword, code))
    } else {
        (Sfid::DataWrite, write_function(ReadType::Dword, code))
    };
    let desc = surface(cx, 0, bits)?;
    let (Some(offsets), data) = (cx.raw(2), cx.raw(3)) else {
        return refuse(cx, "the offsets are %null");
    };
    let scaled = |v: Value| Value::call(Op::Shl, v, Value::Const(2));
    let mut header = cx.r0_header();
    header[offset_header::GLOBAL.dw] = scaled(cx.scalar(1));
    let mut plan = Plan::new(sfid, desc, cx.exec(es));
    plan.header = Some(header);
    plan.parts = vec![cx.computed(offsets, lanes, scaled)];
    if read {
        plan.response = lanes * 4 / GRF;
        plan.destination = cx.destination(data);
    } else if let Some(data) = data {
        plan.parts.push(cx.part(data, 4 * lanes));
    }
    plan.first = plan.parts.len();
    let response = plan.response;
    cx.send(plan);
    cx.write_registers(data, 0, response);
    Ok(())
}

/// A parameter slot: an operand of the instruction, or a constant 0.
#[derive(Clone, Copy)]
enum Slot {
    Operand(Place),
    Zero,
}

/// vISA's order becomes the part's: coordinates first, missing ones 0. Source: lowering reference 18.3.
fn reorder(op: SamplerOp, params: &[Place]) -> Option<(SamplerOp, Vec<Slot>)> {
    let at = |i: usize| params.get(i).copied().map_or(Slot::Zero, Slot::Operand);
    // Coordinates u v r ai from the operands behind the first `skip`.
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

/// What a sampler instruction asks, gathered.
struct Ask {
    op: SamplerOp,
    slots: Vec<Slot>,
    channels: ChannelMask,
    offsets: Value,
    desc: Value,
    destination: Option<Place>,
    header: bool,
}

fn sample(cx: &mut Lowering) -> Result<()> {
    let row = cx.instruction.opcode.node.info();
    let sampled = row.code != 0x6e;
    let first = row.slots.len() - 1;
    let mut params = Vec::new();
    for i in first..cx.instruction.operands.len() {
        match cx.raw(i) {
            Some(place) => params.push(place),
            None => return refuse(cx, "a parameter is %null"),
        }
    }
    let op = SamplerOp::of_instruction(row).and_then(|op| reorder(op, &params));
    let Some((op, slots)) = op else {
        return refuse(cx, "Ironlake's sampler has no such operation");
    };
    let destination = cx.raw(first - 1);
    let odd = |p: &Place| !matches!(p.ty.bytes(), 2 | 4);
    if params.iter().any(odd) || destination.as_ref().is_some_and(odd) {
        return refuse(cx, "parameters and results of 32 or 16 bits are wanted");
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
    let (index, surface_at) = if sampled {
        match cx.sampler(1) {
            Sampler::Index(Value::Const(n)) if n > 15 => {
                return refuse(cx, "Ironlake has sixteen samplers for each message");
            }
            Sampler::Index(index) => (index, 2),
            Sampler::Bindless(_) => return refuse(cx, "Ironlake has no bindless samplers"),
        }
    } else {
        (Value::Const(0), 1)
    };
    let index = Value::call(Op::Shl, index, Value::Const(control::SAMPLER.lo));
    let surface = surface(cx, surface_at, 0)?;
    let offsets = cx
        .instruction
        .operands
        .first()
        .map_or(Value::Const(0), |o| cx.element(&o.node));
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let ask = Ask {
        op,
        slots,
        channels,
        desc: Value::call(Op::Add, surface, index),
        header: channels.0 != 0xf || offsets != Value::Const(0),
        offsets,
        destination,
    };
    messages(cx, &ask)
}

/// `sample` and `load` without `3d`. Source: lowering reference 6.2, 18.2.
fn legacy(cx: &mut Lowering) -> Result<()> {
    let sampled = cx.instruction.opcode.node == Opcode::Sample;
    let at = usize::from(sampled);
    let index = match sampled.then(|| cx.sampler(0)) {
        None => Value::Const(0),
        Some(Sampler::Index(index)) => index,
        Some(Sampler::Bindless(_)) => return refuse(cx, "Ironlake has no bindless samplers"),
    };
    let index = Value::call(Op::Shl, index, Value::Const(control::SAMPLER.lo));
    let (op, mut slots) = (
        if sampled {
            SamplerOp::Sample
        } else {
            SamplerOp::Ld
        },
        Vec::new(),
    );
    for i in 0..3 {
        match cx.raw(at + 1 + i) {
            Some(place) => slots.push(Slot::Operand(place)),
            None => return refuse(cx, "a coordinate is %null"),
        }
    }
    // The parameter that is not given comes last in this part's order: ai of a sample, the level of a load.
    slots.push(Slot::Zero);
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let ask = Ask {
        op,
        slots,
        channels,
        offsets: Value::Const(0),
        desc: Value::call(Op::Add, surface(cx, at, 0)?, index),
        destination: cx.raw(at + 4),
        header: true,
    };
    messages(cx, &ask)
}

/// `resinfo` and `sampleinfo`; the latter is a header alone.
fn info(cx: &mut Lowering) -> Result<()> {
    let resinfo = cx.instruction.opcode.node == Opcode::Resinfo;
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let ask = Ask {
        op: if resinfo {
            SamplerOp::Resinfo
        } else {
            SamplerOp::Sampleinfo
        },
        slots: if resinfo {
            cx.raw(1).map(Slot::Operand).into_iter().collect()
        } else {
            Vec::new()
        },
        channels,
        offsets: Value::Const(0),
        desc: surface(cx, 0, 0)?,
        destination: cx.raw(if resinfo { 2 } else { 1 }),
        header: !resinfo || channels.0 != 0xf,
    };
    messages(cx, &ask)
}

/// As many SIMD8 or SIMD16 messages as the lanes and the eleven registers want.
fn messages(cx: &mut Lowering, ask: &Ask) -> Result<()> {
    let es = cx.lanes();
    let head = u32::from(ask.header);
    let count = ask.slots.len() as u32;
    let width = if es > 8 && head + 2 * count <= MOST_ROWS {
        16
    } else {
        8
    };
    if head + count > MOST_ROWS {
        return refuse(cx, "more than eleven registers of parameters");
    }
    let all = es.max(8);
    for (send, from) in (0..all).step_by(width as usize).enumerate() {
        let mut exec = cx.exec(width.min(es));
        exec.offset = exec.offset.saturating_add(from as u8);
        one(cx, ask, exec, width, from, send, all);
    }
    Ok(())
}

fn one(cx: &mut Lowering, ask: &Ask, exec: Exec, width: u32, from: u32, send: usize, all: u32) {
    let bytes = 4 * width;
    let mode = if width == 16 { 2 } else { 1 };
    let bits = mode << control::SIMD_MODE.lo | ask.op.code() << control::TYPE.lo;
    let mut plan = Plan::new(
        Sfid::Sampler,
        super::add_constant(ask.desc.clone(), bits),
        exec,
    );
    if ask.header {
        let fixed = ask.offsets.constant().unwrap_or(0);
        let bits = header_bits(Some(ask.channels), None, false, fixed);
        let mut words = cx.r0_header();
        words[sampler_header::DISABLE.dw] = match ask.offsets {
            Value::Const(_) => Value::Const(bits),
            ref value => Value::call(Op::Or, value.clone(), Value::Const(bits)),
        };
        plan.header = Some(words);
    }
    plan.parts = ask
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Operand(p) if p.ty.bytes() == 4 => {
                Part::operand(p.root, p.at + 4 * from, bytes, GRF)
            }
            Slot::Operand(p) => Part::dwords((from..from + width).map(|lane| p.wide(lane)), GRF),
            Slot::Zero => Part::dwords(vec![Value::Const(0); width as usize], GRF),
        })
        .collect();
    plan.first = plan.parts.len();
    // SIMD8 returns four registers whatever the mask, SIMD16 two for each channel asked for.
    let skips = width == 16;
    let per_channel = bytes / GRF;
    plan.response = match ask.destination {
        None => 0,
        Some(_) if skips => per_channel * ask.channels.count(),
        Some(_) => 4,
    };
    let narrow = ask.destination.is_some_and(|p| p.ty.bytes() == 2);
    let direct = all == width && (skips || ask.channels.0 == 0xf) && !narrow;
    plan.destination = match (ask.destination, direct) {
        (None, _) => Destination::Null,
        (place, true) => cx.destination(place),
        _ => Destination::Temporary,
    };
    cx.send(plan);
    for (to, channel) in ask.channels.iter().enumerate() {
        let source = if skips { to } else { channel } as u32;
        let response = source * bytes;
        if narrow {
            // The low word of each lane; a channel begins a register.
            let channel = to as u32 * (2 * all).next_multiple_of(GRF);
            for lane in 0..width {
                let target = channel + 2 * (from + lane);
                cx.write_bytes(ask.destination, target, send, response + 4 * lane, 2);
            }
            continue;
        }
        let target = to as u32 * 4 * all + 4 * from;
        cx.write_bytes(ask.destination, target, send, response, bytes);
    }
}

/// The media payload of the SIMD32/64 messages. Source: lowering reference 18.4.
fn unorm(cx: &mut Lowering) -> Result<()> {
    use crate::message::fields::gen5_media_payload as m1;
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let index = match cx.sampler(0) {
        Sampler::Index(index) => Value::call(Op::Shl, index, Value::Const(control::SAMPLER.lo)),
        Sampler::Bindless(_) => return refuse(cx, "Ironlake has no bindless samplers"),
    };
    let bits = 3 << control::SIMD_MODE.lo | UNORM_TYPE << control::TYPE.lo;
    let surface = surface(cx, 1, 0)?;
    let desc = super::add_constant(Value::call(Op::Add, surface, index), bits);
    let mut exec = unmasked(32);
    exec.no_mask = false;
    let mut plan = Plan::new(Sfid::Sampler, desc, exec);
    plan.predicated = false;
    let mut words = cx.r0_header();
    words[sampler_header::DISABLE.dw] = Value::Const(header_bits(Some(channels), None, false, 0));
    plan.header = Some(words);
    let mut payload = vec![Value::Undefined; 8];
    payload[m1::U2D.dw] = Value::Const(0);
    payload[m1::U.dw] = cx.scalar_as(2, Type::F);
    payload[m1::V.dw] = cx.scalar_as(3, Type::F);
    payload[m1::DELTA_U.dw] = cx.scalar_as(4, Type::F);
    payload[m1::DELTA_V.dw] = cx.scalar_as(5, Type::F);
    plan.parts = vec![Part::dwords(payload, GRF)];
    plan.first = 1;
    let place = cx.raw(6);
    cx.fetch_registers(plan, place, 2 * channels.count());
    Ok(())
}

/// r0 goes to the thread spawner. Source: lowering reference 18.8.
fn end_of_thread(cx: &mut Lowering) -> Result<()> {
    let mut plan = Plan::new(Sfid::Ts, Value::Const(0), unmasked(8));
    plan.predicated = false;
    let r0 = Run::Dispatch {
        offset: 0,
        len: GRF,
    };
    plan.parts = vec![Part::from_runs(vec![r0], GRF)];
    plan.first = 1;
    plan.extended.eot = true;
    cx.send(plan);
    Ok(())
}
