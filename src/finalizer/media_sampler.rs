//! AVS, `sample_unorm` and the old `sample` and `load`. Source: lowering reference 6, 7 and 18.4.

use super::context::Sampler;
use super::plan::{Base, Copies, Layout};
use super::{Lowering, Op, PayloadPart, Result, Value, quirks};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, Opcode, Type};
use crate::message::fields::{
    Field, avs_payload, gen5_media_payload, media_sampler_header, sampler_header, unorm_payload,
};
use crate::message::{AvsRequest, Request, ReturnFormat, SamplerOp, SamplerRequest, UnormRequest};
use crate::syntax::ast::Operand;

impl Lowering<'_> {
    /// A payload register of which these dwords are defined.
    fn register(&self, words: impl IntoIterator<Item = (Field, Value)>) -> PayloadPart {
        let mut all = vec![Value::Undefined; 8];
        for (field, value) in words {
            all[field.dw] = value;
        }
        PayloadPart::dwords(all, self.grf())
    }

    /// The header of the block messages: r0, all of it, but for channels and a bindless sampler's handle.
    fn block_header(&self, plan: &mut super::plan::Plan) {
        plan.header = Some(Base::R0);
        plan.put(media_sampler_header::DISABLE, Value::Const(0));
        if let Some(Sampler::Bindless(handle)) = &plan.sampler {
            plan.terms.push((3, handle.clone()));
        }
        plan.layout = Layout::Together;
    }
}

/// `(value & 1) << 27` joins the group and the mode. Source: lowering reference 7.2.
fn group_word(group: Value, mode: u32, ief: Value) -> Value {
    let bit = Value::call(Op::And, ief, Value::Const(1));
    let bit = Value::call(Op::Shl, bit, Value::Const(avs_payload::IEF.lo));
    match (bit.constant(), group.constant()) {
        (Some(bit), _) => group.plus(mode.wrapping_add(bit)),
        (None, Some(group)) => bit.plus(mode).plus(group),
        (None, None) => Value::call(Op::Add, group, bit.plus(mode)),
    }
}

/// `avs` takes sampler, surface, u v deltaU deltaV u2d group vbn, control, v2d, mode, ief, destination.
pub(super) fn avs(cx: &mut Lowering) -> Result<()> {
    let operands = || cx.instruction.operands.iter().map(|o| &o.node);
    let control = operands().find_map(|o| match o {
        Operand::AvsControl(control) => Some(*control),
        _ => None,
    });
    let mode = operands().find_map(|o| match o {
        Operand::AvsMode(mode) => Some(*mode),
        _ => None,
    });
    let (Some(control), Some(mode)) = (control, mode) else {
        return cx.refuse(Code::E0380, "output control or mode is missing");
    };
    let asked = AvsRequest {
        channels: cx.channels(ChannelMask::RGBA),
        control,
        mode,
        ief_bypass: false,
        ..AvsRequest::ORIGIN
    };
    let mut plan = cx.plan(Request::Avs(asked))?.block(16);
    plan.sampler = Some(cx.sampler(0));
    plan.surface = Some(cx.surface(1));
    cx.block_header(&mut plan);
    // Its one bit is taken from the element as it lies.
    let ief = cx.operand(12).map_or(Value::Undefined, |o| cx.element(o));
    let bits = plan.template.payload[avs_payload::MODE.dw];
    plan.parts = vec![cx.register([
        (avs_payload::V2D, cx.scalar_as(10, Type::F)),
        (avs_payload::VBN, cx.scalar_as(8, Type::Ud)),
        (avs_payload::U, cx.scalar_as(2, Type::F)),
        (avs_payload::V, cx.scalar_as(3, Type::F)),
        (avs_payload::DELTA_U, cx.scalar_as(4, Type::F)),
        (avs_payload::DELTA_V, cx.scalar_as(5, Type::F)),
        (avs_payload::U2D, cx.scalar_as(6, Type::F)),
        (avs_payload::GROUP, group_word(cx.scalar(7), bits, ief)),
    ])];
    plan.response = asked.bytes().div_ceil(cx.grf());
    plan.place = cx.raw(13);
    cx.send(plan)
}

/// `sample_unorm`: not `(W)`, although its lanes mean nothing (lowering reference 1.7).
pub(super) fn unorm(cx: &mut Lowering) -> Result<()> {
    let channels = cx.channels(ChannelMask::RGBA);
    let mut plan = cx.plan(Request::Unorm(UnormRequest {
        surface: 0,
        sampler: 0,
        channels,
        u: 0.0,
        v: 0.0,
        delta_u: 0.0,
        delta_v: 0.0,
        killpix: false,
        only_rg: false,
        shader_payload: false,
    }))?;
    plan = plan.block(32);
    plan.exec.no_mask = false;
    plan.sampler = Some(cx.sampler(0));
    plan.surface = Some(cx.surface(1));
    cx.block_header(&mut plan);
    let float = |at: usize| cx.scalar_as(at, Type::F);
    plan.parts = vec![match cx.platform.is_gen5() {
        false => cx.register([
            (unorm_payload::U, float(2)),
            (unorm_payload::V, float(3)),
            (unorm_payload::DELTA_U, float(4)),
            (unorm_payload::DELTA_V, float(5)),
        ]),
        true => cx.register([
            (gen5_media_payload::U2D, Value::Const(0)),
            (gen5_media_payload::U, float(2)),
            (gen5_media_payload::V, float(3)),
            (gen5_media_payload::DELTA_U, float(4)),
            (gen5_media_payload::DELTA_V, float(5)),
        ]),
    }];
    let (size, all) = (UnormRequest::CHANNEL_BYTES, ChannelMask::RGBA);
    let returned = if cx.platform.is_gen5() { all } else { channels };
    plan.response = size * returned.count() / cx.grf();
    if returned != channels {
        let copies = channels.iter().zip(0..);
        let copy = |(channel, at): (usize, u32)| [size * at, size * channel as u32, size];
        plan.copies = Copies::Bytes(copies.map(copy).collect());
    }
    plan.place = cx.raw(6);
    cx.send(plan)
}

/// `sample` and `load` without `3d`: four parameters, one of them a zero.
/// Source: lowering reference 6.2.
pub(super) fn legacy(cx: &mut Lowering) -> Result<()> {
    let sample = cx.instruction.opcode.node == Opcode::Sample;
    let at = usize::from(sample);
    let channels = cx.channels(ChannelMask::RGBA);
    let es = cx.instruction.exec.as_ref().map_or(8, |e| e.node.size);
    let (grf, wide) = (cx.grf(), es > 8);
    // By the number itself, not by the register size: sixteen lanes get the wide mode and two registers also
    // where one would do (lowering reference 6.2, PVC).
    let rows = if wide { 2 } else { 1 };
    let native = cx.platform.native_lanes();
    let request = Request::Sampler(SamplerRequest {
        op: if sample {
            SamplerOp::Sample
        } else {
            SamplerOp::Ld
        },
        surface: 0,
        sampler: 0,
        channels,
        lanes: rows * native,
        offsets: [0; 3],
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: 4,
        coarse: false,
    });
    // The header is there whatever the channels.
    let mut plan = cx.plan_with_header(request, true)?;
    plan.exec = cx.exec(es);
    plan.sampler = sample.then(|| cx.sampler(0));
    plan.surface = Some(cx.surface(at));
    cx.block_header(&mut plan);
    plan.put(sampler_header::DISABLE, Value::Const(0));
    let zeros = PayloadPart::dwords(vec![Value::Const(0); es as usize], grf);
    for i in 0..3 {
        let Some(place) = cx.raw(at + 1 + i) else {
            return cx.refuse(Code::E0380, "a coordinate is %null");
        };
        let mut part = cx.padded(place, es * 4, rows);
        part.place = None;
        plan.parts.push(part);
    }
    // sample: u v r 0; load: u v 0 r, on Gen8 u 0 v r.
    let slot = match (sample, cx.has(&quirks::LEVEL_SECOND)) {
        (true, _) => 3,
        (false, true) => 1,
        (false, false) => 2,
    };
    plan.parts.insert(slot, zeros.resized(rows, grf));
    let channels = channels.count();
    plan.response = if wide { 2 * channels } else { channels } * 32 / grf;
    plan.place = cx.raw(at + 4);
    cx.send(plan)
}
