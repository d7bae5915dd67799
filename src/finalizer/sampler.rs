//! The 3D sampler family: loads, samples, gather4, and INFO. Source: lowering reference 3, 4, 5.
//!
//! ```text
//!  M0     .2 what the request encodes, texel offsets   .3 sampler state   others as r0
//!  then   parameters in vISA order, each on its own registers
//! ```

use super::context::{Sampler, Surface};
use super::operand::RawOperand;
use super::plan::{Base, Copies, Layout, Plan};
use super::{Lowering, Op, PayloadPart, Result, Run, Value, quirks};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, OpInfo, Opcode, Slot, Type};
use crate::message::fields::{e64_sampler, outer, sampler_header};
use crate::message::request::texel_offsets;
use crate::message::sampler::is_halved;
use crate::message::{Request, ReturnFormat, SamplerOp, SamplerRequest};
use crate::syntax::ast::Suffix;

/// Flag in `aoffimmi`: the sampler index may exceed 15. Source: lowering reference 3.5.
const MANY_SAMPLERS: u32 = 0x8000;
/// The bits of `aoffimmi` that lie in the header as they lie in the operand.
const OFFSETS: u32 = sampler_header::OFFSET_U.mask()
    | sampler_header::OFFSET_V.mask()
    | sampler_header::OFFSET_R.mask();

/// Whether this file lowers the instruction.
pub(super) fn is_3d(op: Opcode) -> bool {
    (0x6d..=0x6f).contains(&op.info().code)
}

/// An instruction of the family, read.
struct Read {
    /// What it asks with the lanes that it has, which may be none that a message has.
    request: SamplerRequest,
    surface: Surface,
    sampler: Option<Sampler>,
    offsets: Value,
    place: Option<RawOperand>,
    /// A `%null` keeps its registers, of which nothing is defined.
    params: Vec<Option<RawOperand>>,
    /// The sampler's group of sixteen goes into the header.
    many_samplers: bool,
    /// The sampler is the bindless one, taken as an index.
    handle_as_index: bool,
    /// The paired surface.
    paired: Option<RawOperand>,
    /// A gather that is sent as an ordinary sample.
    as_sample: bool,
    header: bool,
}

/// 16-bit types; all others travel as 32 bits. Source: lowering reference 3.2, 3.3.
const fn is_16(ty: Type) -> bool {
    matches!(ty, Type::Hf | Type::W | Type::Uw)
}

/// What the instruction asks; gathers with separate offsets are read where they have no message any more.
fn op_of(cx: &Lowering, row: &OpInfo) -> Option<SamplerOp> {
    let op = SamplerOp::of_instruction(row)?;
    (op.code_on(cx.platform).is_some() || op.has_separate_offsets()).then_some(op)
}

fn read(cx: &mut Lowering) -> Result<Read> {
    let row = cx.instruction.opcode.node.info();
    let Some(op) = op_of(cx, row) else {
        return cx.refuse(
            Code::N0380,
            "this operation exists on newer platforms than the ones modelled",
        );
    };
    // Nothing of that gather but its number reaches the message: `quirks::GATHER_PO`.
    let as_sample = op.code_on(cx.platform).is_none();
    let at = |slot: Slot| row.slots.iter().position(|s| *s == slot);
    let operands = cx.instruction.operands.len();
    // INFO has dwords whatever the destination's type (lowering reference 5), which comes last.
    let info = matches!(op, SamplerOp::Resinfo | SamplerOp::Sampleinfo);
    let params = if info {
        1..operands - 1
    } else {
        row.slots.len() - 1..operands
    };
    let mut params: Vec<_> = params.map(|i| cx.raw(i)).collect();
    params.retain(|p| !info || p.is_some());
    let place = at(Slot::RawDst).and_then(|i| cx.raw(i));
    let offsets = match cx.instruction.operands.first() {
        Some(offsets) if !info => cx.element(&offsets.node),
        _ => Value::Const(0),
    };
    let many_samplers = offsets
        .constant()
        .is_some_and(|bits| bits & MANY_SAMPLERS != 0);
    let wide = cx.platform.dialect.state_addresses();
    let mut handle_as_index = false;
    let mut sampler = at(Slot::Sampler).map(|i| cx.sampler(i));
    if let (Some(Sampler::Bindless(handle)), true) = (&sampler, many_samplers) {
        cx.follow(&quirks::HANDLE_AS_INDEX, "the sampler is the bindless one");
        (sampler, handle_as_index) = (Some(Sampler::Index(handle.clone())), true);
    }
    let paired = cx
        .instruction
        .paired
        .as_ref()
        .and_then(|p| cx.raw_place(&p.node));
    let narrow = |p: &Option<RawOperand>| !info && p.is_some_and(|p| is_16(p.ty));
    let request = SamplerRequest {
        op: if as_sample { SamplerOp::Sample } else { op },
        surface: 0,
        sampler: 0,
        channels: cx.channels(ChannelMask::RGBA),
        lanes: cx.lanes(),
        offsets: [0; 3],
        pixel_null_mask: cx.instruction.has(&Suffix::PixelNullMask),
        params16: params.first().is_some_and(narrow),
        returns: match narrow(&place) {
            true => ReturnFormat::Bits16,
            false => ReturnFormat::Bits32,
        },
        params: params.len() as u32,
        coarse: cx.instruction.has(&Suffix::Cps),
    };
    Ok(Read {
        header: !wide && (request.needs_header(cx.platform) || offsets != Value::Const(0))
            || matches!(sampler, Some(Sampler::Bindless(_)))
            || paired.is_some()
            || sampler.is_some() && cx.has(&quirks::SAMPLER_HEADER),
        paired,
        surface: cx.surface(at(Slot::Surface).unwrap_or(0)),
        request,
        sampler,
        offsets,
        place,
        params,
        many_samplers,
        handle_as_index,
        as_sample,
    })
}

pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let read = read(cx)?;
    let (platform, native, grf) = (cx.platform, cx.platform.native_lanes(), cx.grf());
    let es = read.request.lanes;
    let few = cx.has(&quirks::FEW_LANES) && es < native;
    let lanes = if es > native || few {
        2 * native
    } else {
        native
    };
    let info = matches!(read.request.op, SamplerOp::Resinfo | SamplerOp::Sampleinfo);
    // INFO counts by its SIMD mode: the wide one has two registers for each value, needed or not.
    let counted = SamplerRequest {
        lanes: if info { lanes } else { es },
        ..read.request
    };
    let rows = counted.parameter_rows(platform);
    // What is absent is counted as 32 bits, whatever the others have: seen in the finalizer.
    let absent = SamplerRequest {
        params16: false,
        ..counted
    };
    let absent = absent.parameter_rows(platform);
    let bytes = es * element(&read.request);
    let mut parts: Vec<PayloadPart> = read
        .params
        .iter()
        .map(|p| match p {
            Some(p) => cx.padded(*p, bytes, rows),
            None => PayloadPart::absent(absent, grf),
        })
        .collect();
    if let (Some(paired), true) = (read.paired, platform.dialect.state_addresses()) {
        parts.insert(0, feedback(paired, grf));
    }
    let registers = u32::from(read.header) + parts.iter().map(PayloadPart::rows).sum::<u32>();
    if es > native && is_halved(read.request.op, registers) {
        return halves(cx, &read);
    }
    if read.request.op == SamplerOp::Sampleinfo && !read.header {
        // A message cannot be empty: one register of zeros. Source: lowering reference 5.
        parts = vec![PayloadPart::dwords(
            vec![Value::Const(0); (grf / 4) as usize],
            grf,
        )];
    }
    let mut plan = plan(cx, &read, lanes, true)?.of(parts);
    // What is reported of a surface comes back even to `%null`, as was seen in the finalizer.
    plan.response = match read.place {
        None if !info => 0,
        _ => counted.response(platform),
    };
    plan.place = read.place;
    // INFO always writes two sources (lowering reference 1.5). Its level is copied, as was seen in the finalizer.
    (plan.two_sources, plan.copied) = match read.request.op {
        SamplerOp::Resinfo => (true, true),
        _ => (false, false),
    };
    cx.send(plan)
}

const fn element(request: &SamplerRequest) -> u32 {
    if request.params16 { 2 } else { 4 }
}

/// Two native-width messages; the results come through temporaries. Source: lowering reference 3.7.
fn halves(cx: &mut Lowering, read: &Read) -> Result<()> {
    let (platform, native, grf) = (cx.platform, cx.platform.native_lanes(), cx.grf());
    let (request, es) = (&read.request, read.request.lanes);
    let element = element(request);
    // Of more lanes than two messages hold the finalizer sends the first ones, and counts the registers of
    // the others (`quirks::MANY_LANES`). The row that a half leaves out is counted for 32-bit parameters only.
    let count = request.params;
    let counted = count * request.parameter_rows(platform) - if element == 4 { count } else { 0 };
    let surplus = if es > 2 * native { counted - count } else { 0 };
    let registers = u32::from(read.header) + count + surplus;
    if registers > outer::LENGTH.max() {
        let label = format!("{registers} registers do not fit one message of 15");
        return cx.refuse(Code::E0380, label);
    }
    let half_request = SamplerRequest {
        lanes: native,
        ..*request
    };
    let channels = half_request.response(platform) - u32::from(request.pixel_null_mask);
    let piece = match request.returns {
        ReturnFormat::Bits16 => grf / 2,
        ReturnFormat::Bits32 => grf,
    };
    for half in 0..2 {
        let part = |p: &Option<RawOperand>| match p {
            None => PayloadPart::absent(1, grf),
            Some(p) => PayloadPart::from_runs(
                vec![Run::Bytes {
                    root: p.root,
                    offset: p.at + half * native * element,
                    len: native * element,
                }],
                grf,
            ),
        };
        let mut plan = plan(cx, read, native, false)?.of(read.params.iter().map(part).collect());
        plan.exec.size = native;
        plan.exec.offset = plan.exec.offset.saturating_add((half * native) as u8);
        if surplus > 0 {
            plan.parts.push(PayloadPart::absent(surplus, grf));
        }
        plan.layout = Layout::Together;
        plan.place = read.place;
        plan.response = match read.place {
            None => 0,
            Some(_) => half_request.response(platform),
        };
        let mut copies: Vec<[u32; 3]> = (0..channels)
            .map(|channel| [(2 * channel + half) * piece, channel * grf, piece])
            .collect();
        if request.pixel_null_mask {
            let first = 2 * channels * piece;
            copies.push(match half {
                0 => [first, channels * grf, 4],
                _ => [first + native / 8, channels * grf, native / 8],
            });
        }
        plan.copies = Copies::Bytes(copies);
        cx.send(plan)?;
    }
    Ok(())
}

/// The header of a message with a paired surface where descriptors have 47 bits: r0 with the address of its state.
/// Source: Xe2 messages reference 6.
fn feedback(paired: RawOperand, grf: u32) -> PayloadPart {
    let r0 = |offset: u32, len: u32| Run::Dispatch { offset, len };
    let state = Run::Bytes {
        root: paired.root,
        offset: paired.at,
        len: 8,
    };
    PayloadPart::from_runs(vec![r0(0, 12), state, r0(20, grf - 20)], grf)
}

/// A message whose descriptor has all that headers had.
fn wide_plan(cx: &mut Lowering, read: &Read, mut request: SamplerRequest) -> Result<Plan> {
    let Value::Const(bits) = read.offsets else {
        return cx.refuse(Code::N0380, "texel offsets of a descriptor are constants");
    };
    let row = cx.instruction.opcode.node.info();
    request.offsets = texel_offsets(bits);
    let mut indirect = Vec::new();
    for (slot, index) in [
        (Slot::Surface, &mut request.surface),
        (Slot::Sampler, &mut request.sampler),
    ] {
        let at = row.slots.iter().position(|s| *s == slot);
        if let Some(operand) = at.and_then(|at| cx.instruction.operands.get(at)) {
            let (address, from) = cx.state_address(&operand.node);
            *index = from;
            indirect.push(address);
        }
    }
    let mut plan = cx.plan(Request::Sampler(request))?;
    if read.paired.is_some() {
        plan.template.desc |= e64_sampler::FEEDBACK.mask();
    }
    plan.indirect = indirect;
    Ok(plan)
}

/// What a whole message and its halves share.
fn plan(cx: &mut Lowering, read: &Read, lanes: u32, whole: bool) -> Result<Plan> {
    let mut request = SamplerRequest {
        lanes,
        ..read.request
    };
    if request.op.names_no_channel() {
        request.channels = ChannelMask(1);
    }
    if read.as_sample {
        request.channels = ChannelMask::RGBA;
    }
    if cx.platform.dialect.state_addresses() {
        return wide_plan(cx, read, request);
    }
    let mut plan = cx.plan_with_header(Request::Sampler(request), read.header)?;
    plan.surface = Some(read.surface.clone());
    plan.sampler = match &read.sampler {
        Some(Sampler::Index(index)) if read.many_samplers => Some(Sampler::Shifted(
            Sampler::shifted(Value::call(Op::And, index.clone(), Value::Const(0xf))),
        )),
        // Of a bindless sampler halves do not look at the handle's bit, but where the surface is bindless too.
        Some(Sampler::Bindless(handle))
            if cx.has(&quirks::HANDLE_BIT)
                && (whole || matches!(read.surface, Surface::Bindless(_))) =>
        {
            // The first flag register is the predicate's if there is one.
            let flag = u8::from(cx.instruction.predicate.is_some());
            Some(Sampler::Shifted(Value::HandleBit(
                Box::new(handle.clone()),
                flag,
            )))
        }
        other => other.clone(),
    };
    if read.header {
        plan.header = Some(Base::R0Low);
        let offsets = match read.offsets {
            Value::Const(bits) => Value::Const(bits & OFFSETS),
            ref offsets => offsets.clone(),
        };
        plan.put(sampler_header::DISABLE, offsets);
        plan.terms.push((3, pointer(cx, read)));
        if cx.platform.sampler.paired_surface && read.request.op.samples() {
            // Source: Xe2 messages reference 5.
            let paired = read
                .paired
                .map(|paired| Value::call(Op::Or, paired.dword(0), Value::Const(1)));
            plan.terms.push((4, paired.unwrap_or(Value::Const(0))));
        }
    }
    Ok(plan)
}

/// The sampler state pointer, `M0.3`. Source: lowering reference 1.9, 3.5.
fn pointer(cx: &Lowering, read: &Read) -> Value {
    let pointer = Value::Dispatch(3);
    let pointer = match cx.has(&quirks::POINTER_BIT) && !read.handle_as_index {
        true => Value::call(Op::And, pointer, Value::Const(!1)),
        false => pointer,
    };
    match &read.sampler {
        Some(Sampler::Bindless(handle)) => handle.clone(),
        Some(Sampler::Index(index)) if read.many_samplers => {
            // Sixteen entries of sixteen bytes for each sixteen samplers.
            let group = Value::call(Op::Shr, index.clone(), Value::Const(4));
            let bytes = Value::call(Op::Shl, group, Value::Const(8));
            Value::call(Op::Add, pointer, bytes)
        }
        _ => pointer,
    }
}
