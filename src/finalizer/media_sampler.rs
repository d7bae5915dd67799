//! AVS, `sample_unorm` and the old `sample` and `load`. Source: lowering reference 6 and 7.

use super::context::{Sampler, Surface};
use super::{Lowering, Op, Part, Plan, Result, Value, faults, unmasked};
use crate::diagnostic::Code;
use crate::isa::{AvsMode, ChannelMask, Opcode, Platform, Type, UnormFormat};
use crate::message::dataport::BINDLESS;
use crate::message::fields::{
    avs_payload, media_sampler_header, sampler as control, unorm_payload,
};
use crate::message::sampler::{AVS_TYPE, BLOCK_MODE, UNORM_TYPE, function_control, header_bits};
use crate::message::{SamplerOp, Sfid};
use crate::syntax::ast::{Operand, Suffix};

/// Function control with the numbers of surface and sampler.
fn descriptor(surface: &Surface, sampler: &Sampler, bits: u32) -> Value {
    let surface = match surface {
        Surface::Number(number) => number.clone(),
        Surface::Bindless(_) => Value::Const(BINDLESS),
    };
    let index = match sampler {
        Sampler::Index(index) => index.clone(),
        Sampler::Bindless(_) => Value::Const(0),
    };
    let index = Value::call(Op::Shl, index, Value::Const(control::SAMPLER.lo));
    match (surface.constant(), index.constant()) {
        (_, Some(index)) => surface.plus(bits.wrapping_add(index)),
        (Some(surface), None) => index.plus(bits.wrapping_add(surface)),
        (None, None) => Value::call(Op::Add, surface.plus(bits), index),
    }
}

/// Header of the block messages: r0, all of it, with M0.2 replaced.
fn header(cx: &Lowering, sampler: &Sampler, bits: u32) -> Vec<Value> {
    let mut words = cx.r0_header();
    words[media_sampler_header::DISABLE.dw] = Value::Const(bits);
    if let Sampler::Bindless(handle) = sampler {
        words[3] = handle.clone();
    }
    words
}

fn disable(channels: ChannelMask) -> u32 {
    u32::from(!channels.0 & 0xf) << media_sampler_header::DISABLE.lo
}

/// `(value & 1) << 27` and `mode << 25` join the group. Source: lowering reference 7.2.
fn group_word(group: Value, mode: AvsMode, ief: Value) -> Value {
    let mode = u32::from(mode.value()) << avs_payload::MODE.lo;
    let bit = Value::call(Op::And, ief, Value::Const(1));
    let bit = Value::call(Op::Shl, bit, Value::Const(avs_payload::IEF.lo));
    match bit.constant() {
        Some(bit) => group.plus(mode.wrapping_add(bit)),
        None => match group.constant() {
            Some(group) => bit.plus(mode).plus(group),
            None => Value::call(Op::Add, group, bit.plus(mode)),
        },
    }
}

pub(super) fn avs(cx: &mut Lowering) -> Result<()> {
    let operands = &cx.instruction.operands;
    let find = |pick: fn(&Operand<_>) -> bool| operands.iter().position(|o| pick(&o.node));
    // Sampler, surface, u v deltaU deltaV u2d group vbn, control, v2d, mode, ief, destination.
    let (Some(Operand::AvsControl(output)), Some(Operand::AvsMode(mode))) = (
        find(|o| matches!(o, Operand::AvsControl(_))).map(|i| &operands[i].node),
        find(|o| matches!(o, Operand::AvsMode(_))).map(|i| &operands[i].node),
    ) else {
        return cx.refuse(Code::E0380, "output control or mode is missing");
    };
    let (output, mode) = (*output, *mode);
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let sampler = cx.sampler(0);
    let surface = match cx.surface(1) {
        Surface::Bindless(handle) => {
            let label = "the surface is the bindless one";
            cx.follow(&faults::HANDLE_IN_DESCRIPTOR, label);
            Surface::Number(handle)
        }
        number => number,
    };
    let place = cx.raw(13);
    let bits = disable(channels) | u32::from(output.value()) << media_sampler_header::CONTROL.lo;
    let desc = descriptor(&surface, &sampler, function_control(BLOCK_MODE, AVS_TYPE));
    let mut plan = Plan::new(Sfid::Sampler, desc, unmasked(16));
    plan.predicated = false;
    plan.header = Some(header(cx, &sampler, bits));
    let mut words = vec![Value::Undefined; 8];
    // Its one bit is taken from the element as it lies.
    let ief = operands
        .get(12)
        .map_or(Value::Undefined, |o| cx.element(&o.node));
    words[avs_payload::V2D.dw] = cx.scalar_as(10, Type::F);
    words[avs_payload::VBN.dw] = cx.scalar_as(8, Type::Ud);
    words[avs_payload::U.dw] = cx.scalar_as(2, Type::F);
    words[avs_payload::V.dw] = cx.scalar_as(3, Type::F);
    words[avs_payload::DELTA_U.dw] = cx.scalar_as(4, Type::F);
    words[avs_payload::DELTA_V.dw] = cx.scalar_as(5, Type::F);
    words[avs_payload::U2D.dw] = cx.scalar_as(6, Type::F);
    words[avs_payload::GROUP.dw] = group_word(cx.scalar(7), mode, ief);
    plan.parts = vec![Part::dwords(words, cx.grf())];
    plan.first = 1;

    // The finalizer's length: 16x8 counts every channel twice. Source: lowering reference 7.3.
    let (w, h) = mode.size();
    let doubled = if mode == AvsMode::M16x8 { 2 } else { 1 };
    let bytes = w * h * channels.count() * output.element_bytes();
    let response = bytes * doubled / cx.grf();
    if response * cx.grf() != bytes || response > 31 {
        let registers = response & 0x1f;
        let label =
            format!("{bytes} bytes come back, the response length says {registers} registers");
        cx.follow(&faults::AVS_LENGTH, label);
    }
    if output.decimates() && channels.0 & 0b101 != 0 {
        let label = format!("{channels} of {w} by {h} pixels");
        cx.follow(&faults::AVS_CHROMA, label);
    }
    cx.follow(&faults::AVS_IEF, "the bit in M1.7 is the instruction's own");
    plan.response = response & 0x1f;
    plan.destination = cx.destination(place);
    cx.send(plan);
    cx.write_registers(place, 0, response & 0x1f);
    Ok(())
}

pub(super) fn unorm(cx: &mut Lowering) -> Result<()> {
    let format = cx.instruction.suffix(|s| match s {
        Suffix::UnormFormat(format) => Some(*format),
        _ => None,
    });
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    if let Some(format) = format
        && format != UnormFormat::Full16
    {
        cx.follow(&faults::UNORM_FORMAT, format.to_string());
    }
    let (sampler, surface) = (cx.sampler(0), cx.surface(1));
    let place = cx.raw(6);
    let desc = descriptor(&surface, &sampler, function_control(BLOCK_MODE, UNORM_TYPE));
    let mut exec = unmasked(32);
    // Not (W), although the lanes mean nothing (lowering reference 1.7).
    exec.no_mask = false;
    let mut plan = Plan::new(Sfid::Sampler, desc, exec);
    plan.predicated = false;
    plan.header = Some(header(cx, &sampler, disable(channels)));
    let mut words = vec![Value::Undefined; 8];
    words[unorm_payload::U.dw] = cx.scalar_as(2, Type::F);
    words[unorm_payload::V.dw] = cx.scalar_as(3, Type::F);
    words[unorm_payload::DELTA_U.dw] = cx.scalar_as(4, Type::F);
    words[unorm_payload::DELTA_V.dw] = cx.scalar_as(5, Type::F);
    plan.parts = vec![Part::dwords(words, cx.grf())];
    plan.first = 1;
    let response = 64 * channels.count() / cx.grf();
    plan.response = response;
    plan.destination = cx.destination(place);
    if let Surface::Bindless(handle) = surface {
        plan.surface_handle = Some(handle);
    }
    cx.send(plan);
    cx.write_registers(place, 0, response);
    Ok(())
}

/// `sample` and `load` without `3d`: four slots, the fourth or third a zero.
/// Source: lowering reference 6.2.
pub(super) fn legacy(cx: &mut Lowering) -> Result<()> {
    let sample = cx.instruction.opcode.node == Opcode::Sample;
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let es = cx.instruction.exec.as_ref().map_or(8, |e| e.node.size);
    let (sampler, at) = if sample {
        (cx.sampler(0), 1)
    } else {
        (Sampler::Index(Value::Const(0)), 0)
    };
    let surface = cx.surface(at);
    let op = if sample {
        SamplerOp::Sample
    } else {
        SamplerOp::Ld
    };
    let grf = cx.grf();
    // Two registers for sixteen lanes also where one would do (lowering reference 6.2, PVC).
    let slot_rows = if es > 8 { 2 } else { 1 };
    let zero = {
        let mut zeros = Part::dwords(vec![Value::Const(0); es as usize], grf);
        zeros
            .registers
            .resize_with(slot_rows, || vec![super::Run::Undefined { len: grf }]);
        zeros
    };
    let mut parts = Vec::new();
    for i in 0..3 {
        let Some(place) = cx.raw(at + 1 + i) else {
            return cx.refuse(Code::E0380, "a coordinate is %null");
        };
        let mut part = cx.part(place, es * 4);
        part.registers
            .resize_with(slot_rows, || vec![super::Run::Undefined { len: grf }]);
        part.place = None;
        parts.push(part);
    }
    // sample: u v r 0; load: u v 0 r, on Gen8 u 0 v r.
    let slot = match (sample, cx.platform) {
        (true, _) => 3,
        (false, Platform::Bdw) => 1,
        (false, _) => 2,
    };
    parts.insert(slot, zero);
    let place = cx.raw(at + 4);
    // By the number itself, not by the register size: PVC gets the wide mode for sixteen lanes.
    let mode = if es > 8 { 2 } else { 1 };
    let bits = function_control(mode, op.code());
    let desc = descriptor(&surface, &sampler, bits);
    let mut plan = Plan::new(Sfid::Sampler, desc, cx.exec(es));
    plan.header = Some(header(
        cx,
        &sampler,
        header_bits(Some(channels), None, false, 0),
    ));
    plan.first = parts.len();
    plan.parts = parts;
    // Eight lanes always ask for four registers, whatever the channels (difference 20).
    if es <= 8 && channels != ChannelMask::RGBA {
        cx.follow(&faults::EIGHT_LANES, format!("{channels} of eight lanes"));
    }
    let response = if es > 8 { 2 * channels.count() } else { 4 } * 32 / grf;
    plan.response = response;
    plan.destination = cx.destination(place);
    if let Surface::Bindless(handle) = surface {
        plan.surface_handle = Some(handle);
    }
    cx.send(plan);
    cx.write_registers(place, 0, response);
    Ok(())
}
