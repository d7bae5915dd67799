//! The 3D sampler family: loads, samples, gather4, and INFO. Source: lowering reference 3, 4, 5.
//!
//! ```text
//!  desc   30 16-bit result  29 16-bit parameters  18:17 mode  16:12 type  11:8 sampler  7:0 binding
//!  M0     .2 null mask, disable mask or gather channel, texel offsets   .3 sampler state   as r0
//!  then   parameters in vISA order, each on its own registers
//! ```

use super::context::{Sampler, Surface};
use super::operand::Place;
use super::{Destination, Lowering, Op, Part, Plan, Result, Run, Value, faults};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, Exec, Opcode, Platform, Slot, Type};
use crate::message::bits::rows;
use crate::message::dataport::BINDLESS;
use crate::message::fields::{outer, sampler as control, sampler_header};
use crate::message::sampler::{
    channels_need_header, function_control, header_bits, is_halved, simd_mode,
};
use crate::message::{SamplerOp, Sfid};
use crate::syntax::ast::{Operand, Suffix};

/// Flag in `aoffimmi`: the sampler index may exceed 15. Source: lowering reference 3.5.
const MANY_SAMPLERS: u32 = 0x8000;

/// Whether this file lowers the instruction.
pub(super) fn is_3d(op: Opcode) -> bool {
    (0x6d..=0x6f).contains(&op.info().code)
}

/// What an instruction asks of the sampler.
struct Ask {
    op: SamplerOp,
    es: u32,
    channels: ChannelMask,
    null_mask: bool,
    offsets: Value,
    sampler: Option<Sampler>,
    surface: Surface,
    destination: Option<Place>,
    /// A `%null` keeps its registers, of which nothing is defined.
    params: Vec<Option<Place>>,
    params16: bool,
    return16: bool,
    coarse: bool,
    /// The sampler is the bindless one, taken as an index.
    handle_as_index: bool,
}

/// 16-bit types; all others travel as 32 bits. Source: lowering reference 3.2, 3.3.
const fn is_16(ty: Type) -> bool {
    matches!(ty, Type::Hf | Type::W | Type::Uw)
}

pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let opcode = cx.instruction.opcode.node;
    let row = opcode.info();
    let op = SamplerOp::of_instruction(row).filter(|op| op.has_message());
    let Some(op) = op else {
        return cx.refuse(
            Code::N0380,
            "this operation exists on newer platforms than the ones modelled",
        );
    };
    let slots = row.slots;
    let at = |slot: Slot| slots.iter().position(|s| *s == slot);
    let destination = at(Slot::RawDst).and_then(|i| cx.raw(i));
    let first = slots.len() - 1;
    let params: Vec<_> = (first..cx.instruction.operands.len())
        .map(|i| cx.raw(i))
        .collect();
    let mut ask = Ask {
        op,
        es: cx.instruction.exec.as_ref().map_or(1, |e| e.node.size),
        channels: cx.instruction.channels().unwrap_or(ChannelMask::RGBA),
        null_mask: cx.instruction.has(&Suffix::PixelNullMask),
        offsets: cx
            .instruction
            .operands
            .first()
            .map_or(Value::Const(0), |o: &crate::source::Spanned<Operand<_>>| {
                cx.element(&o.node)
            }),
        sampler: at(Slot::Sampler).map(|i| cx.sampler(i)),
        surface: cx.surface(at(Slot::Surface).unwrap_or(0)),
        params16: params
            .first()
            .is_some_and(|p| p.is_some_and(|p| is_16(p.ty))),
        return16: destination.is_some_and(|d| is_16(d.ty)),
        destination,
        params,
        coarse: cx.instruction.has(&Suffix::Cps),
        handle_as_index: false,
    };
    if let (Some(Sampler::Bindless(handle)), true) = (&ask.sampler, ask.many_samplers()) {
        // The flag makes an index of the handle.
        cx.follow(&faults::HANDLE_AS_INDEX, "the sampler is the bindless one");
        ask.sampler = Some(Sampler::Index(handle.clone()));
        ask.handle_as_index = true;
    }
    emit(cx, &ask)
}

/// `resinfo` and `sampleinfo`: dwords whatever the destination's type. Source: lowering reference 5.
pub(super) fn info(cx: &mut Lowering) -> Result<()> {
    let resinfo = cx.instruction.opcode.node == Opcode::Resinfo;
    let params = if resinfo {
        cx.raw(1).into_iter().map(Some).collect()
    } else {
        Vec::new()
    };
    let ask = Ask {
        op: if resinfo {
            SamplerOp::Resinfo
        } else {
            SamplerOp::Sampleinfo
        },
        es: cx.instruction.exec.as_ref().map_or(1, |e| e.node.size),
        channels: cx.instruction.channels().unwrap_or(ChannelMask::RGBA),
        null_mask: false,
        offsets: Value::Const(0),
        sampler: None,
        surface: cx.surface(0),
        destination: cx.raw(if resinfo { 2 } else { 1 }),
        params,
        params16: false,
        return16: false,
        coarse: false,
        handle_as_index: false,
    };
    emit(cx, &ask)
}

impl Ask {
    /// gather4_po is an ordinary sample from XeHP on: a fault. Source: lowering reference 4.
    fn gathers(&self, platform: Platform) -> bool {
        self.op.is_gather() && !(self.is_po() && platform >= Platform::Dg2)
    }

    fn is_po(&self) -> bool {
        matches!(self.op, SamplerOp::Gather4Po | SamplerOp::Gather4PoC)
    }

    /// A variable for the offsets counts as nonzero. Source: lowering reference 3.4, 4, 5.
    fn needs_header(&self, platform: Platform) -> bool {
        channels_need_header(self.op, self.channels, platform)
            || self.offsets != Value::Const(0)
            || self.null_mask
            || matches!(self.sampler, Some(Sampler::Bindless(_)))
    }

    fn returned_channels(&self, platform: Platform) -> u32 {
        if self.gathers(platform) {
            4
        } else {
            self.channels.count()
        }
    }

    /// Whether the sampler index may exceed its four bits.
    fn many_samplers(&self) -> bool {
        self.offsets
            .constant()
            .is_some_and(|bits| bits & MANY_SAMPLERS != 0)
    }
}

fn emit(cx: &mut Lowering, ask: &Ask) -> Result<()> {
    let platform = cx.platform;
    let native = platform.native_lanes();
    warn(cx, ask)?;
    let header = ask.needs_header(platform).then(|| header(cx, ask));
    let param_bytes = ask.es * if ask.params16 { 2 } else { 4 };
    // INFO counts by its SIMD mode: the wide one has two registers for each value, needed or not.
    let info = matches!(ask.op, SamplerOp::Resinfo | SamplerOp::Sampleinfo);
    let row_count = |bytes: u32| match info {
        true => simd_mode(ask.es, platform),
        false => rows(bytes, platform),
    };
    let param_rows = row_count(param_bytes);
    // What is absent is counted as 32 bits, whatever the others have: seen in the finalizer.
    let absent_rows = row_count(4 * ask.es);
    let rows_of = |p: &Option<Place>| if p.is_some() { param_rows } else { absent_rows };
    let payload_rows = u32::from(header.is_some()) + ask.params.iter().map(rows_of).sum::<u32>();
    let wide = ask.es > native;
    if wide && is_halved(ask.op, payload_rows) {
        return emit_halves(cx, ask, header);
    }
    let exec = cx.exec(ask.es);
    let mut parts: Vec<Part> = ask
        .params
        .iter()
        .map(|&p| {
            let Some(p) = p else {
                return Part::absent(absent_rows, cx.grf());
            };
            let mut part = cx.part(p, param_bytes);
            let empty = || vec![Run::Undefined { len: cx.grf() }];
            part.registers.resize_with(param_rows as usize, empty);
            part
        })
        .collect();
    if ask.op == SamplerOp::Sampleinfo && header.is_none() {
        // A message cannot be empty: one register of zeros. Source: lowering reference 5.
        let zeros = vec![Value::Const(0); (cx.grf() / 4) as usize];
        parts = vec![Part::dwords(zeros, cx.grf())];
    }
    let return_bytes = ask.es * if ask.return16 { 2 } else { 4 };
    // What is told of a surface comes back even to `%null`, as was seen in the finalizer.
    let response = if ask.destination.is_none() && !info {
        0
    } else {
        ask.returned_channels(platform) * row_count(return_bytes) + u32::from(ask.null_mask)
    };
    let mut plan = plan(cx, ask, simd_mode(ask.es, platform), exec, true);
    plan.header = header;
    if let (Some(words), false) = (&mut plan.header, cx.splits()) {
        // A header in one block with its parameters is copied by their lanes, as was seen in the finalizer.
        let lost = words.iter_mut().skip(ask.es as usize);
        lost.for_each(|word| *word = Value::Undefined);
    }
    plan.parts = parts;
    plan.response = response;
    plan.destination = cx.destination(ask.destination);
    // INFO always writes two sources (lowering reference 1.5).
    plan.two_sources = ask.op == SamplerOp::Resinfo;
    // Its level is copied, as was seen in the finalizer.
    plan.copied = ask.op == SamplerOp::Resinfo;
    cx.lay_out(&mut plan);
    cx.surface_handle(ask, &mut plan);
    cx.send(plan);
    stray_coarse(cx, ask);
    cx.write_registers(ask.destination, 0, response);
    Ok(())
}

/// In a message of one payload Gen11 has the bit of `.cps` after all, at the top of the extended
/// descriptor, where nothing reads it: seen in the finalizer.
fn stray_coarse(cx: &mut Lowering, ask: &Ask) {
    if ask.coarse
        && cx.platform == Platform::Icl
        && let Some(send) = cx.lowered.sends.last_mut()
        && let (Value::Const(word), 0) = (&mut send.ex_desc, send.extended_length)
    {
        *word |= 1 << 31;
    }
}

/// Two native-width messages; the results come through temporaries. Source: lowering reference 3.7.
fn emit_halves(cx: &mut Lowering, ask: &Ask, header: Option<Vec<Value>>) -> Result<()> {
    let platform = cx.platform;
    let (native, grf) = (platform.native_lanes(), cx.grf());
    let element = if ask.params16 { 2 } else { 4 };
    // Of more lanes than two messages hold the finalizer sends the first ones, and counts the
    // registers of the others (`faults::MANY_LANES`). The row that a half leaves out is
    // counted for 32-bit parameters only.
    let count = ask.params.len() as u32;
    let counted = count * rows(ask.es * element, platform) - if element == 4 { count } else { 0 };
    let surplus = match ask.es > 2 * native {
        true => counted - count,
        false => 0,
    };
    let registers = u32::from(header.is_some()) + count + surplus;
    if registers > outer::LENGTH.max() {
        return cx.refuse(
            Code::E0380,
            format!("{registers} registers do not fit one message of 15"),
        );
    }
    if cx.instruction.predicate.is_some() && ask.destination.is_some() && cx.faulty() {
        cx.follow(&faults::SPLIT_PREDICATE, "two messages");
    }
    let channels = ask.returned_channels(platform);
    let response = if ask.destination.is_none() {
        0
    } else {
        channels + u32::from(ask.null_mask)
    };
    for half in 0..2 {
        let mut exec = cx.exec(native);
        exec.offset = exec.offset.saturating_add((half * native) as u8);
        let mut plan = plan(cx, ask, 1, exec, false);
        plan.header = header.clone();
        plan.parts = ask
            .params
            .iter()
            .map(|p| {
                let Some(p) = p else {
                    return Part::absent(1, grf);
                };
                let bytes = vec![Run::Bytes {
                    root: p.root,
                    offset: p.at + half * native * element,
                    len: native * element,
                }];
                Part::from_runs(bytes, grf)
            })
            .collect();
        if surplus > 0 {
            plan.parts.push(Part::absent(surplus, grf));
        }
        plan.first = plan.parts.len();
        plan.response = response;
        plan.destination = Destination::Temporary;
        cx.surface_handle(ask, &mut plan);
        cx.send(plan);
        stray_coarse(cx, ask);
        if half == 1 {
            lose_group(cx);
        }
    }
    let piece = if ask.return16 { grf / 2 } else { grf };
    for channel in 0..if response == 0 { 0 } else { channels } {
        for half in 0..2 {
            let to = (2 * channel + half) * piece;
            cx.write_bytes(ask.destination, to, half as usize, channel * grf, piece);
        }
    }
    if ask.null_mask && response > 0 {
        let to = 2 * channels * piece;
        cx.write_bytes(ask.destination, to, 0, channels * grf, 4);
        let mut second = to + native / 8;
        if ask.return16 {
            second -= grf;
            let label = "bits of the second half go over the last channel";
            cx.follow(&faults::NULL_MASK_STRAYS, label);
        }
        cx.write_bytes(ask.destination, second, 1, channels * grf, native / 8);
    }
    Ok(())
}

/// The second half of a message under any or all goes by each lane's own bit.
fn lose_group(cx: &mut Lowering) {
    let send = cx.lowered.sends.last_mut();
    let predicate = send.and_then(|send| send.predicate.as_mut());
    if predicate.and_then(|p| p.group.take()).is_some() {
        cx.follow(&faults::SPLIT_GROUP, "the second of two messages");
    }
}

/// What the whole message and its halves share: function control with surface and sampler numbers added.
/// Of a bindless sampler halves do not look at the handle's bit, but where the surface is bindless too: seen
/// in the finalizer.
fn plan(cx: &Lowering, ask: &Ask, mode: u32, exec: Exec, whole: bool) -> Plan {
    let mut bits = function_control(mode, ask.op.code());
    if ask.params16 {
        bits |= outer::PARAMS16.mask();
    }
    if ask.return16 {
        bits |= outer::RETURN16.mask();
    }
    let bindless = matches!(ask.surface, Surface::Bindless(_));
    let surface = match &ask.surface {
        Surface::Number(number) => number.clone(),
        Surface::Bindless(_) => Value::Const(BINDLESS),
    };
    let shift = |index: Value| Value::call(Op::Shl, index, Value::Const(control::SAMPLER.lo));
    let sampler = match &ask.sampler {
        None => Value::Const(0),
        Some(Sampler::Index(index)) if ask.many_samplers() => {
            shift(Value::call(Op::And, index.clone(), Value::Const(0xf)))
        }
        Some(Sampler::Index(index)) => shift(index.clone()),
        Some(Sampler::Bindless(handle)) if cx.platform == Platform::Skl && (whole || bindless) => {
            // The first flag register is the predicate's if there is one.
            let flag = u8::from(cx.instruction.predicate.is_some());
            Value::HandleBit(Box::new(handle.clone()), flag)
        }
        Some(Sampler::Bindless(_)) => Value::Const(0),
    };
    // The sums as the finalizer writes them: constants gather in one term (lowering reference 1.6).
    let desc = match (surface.constant(), sampler.constant()) {
        (_, Some(sampler)) => surface.plus(bits.wrapping_add(sampler)),
        (Some(surface), None) => sampler.plus(bits.wrapping_add(surface)),
        (None, None) => Value::call(Op::Add, surface.plus(bits), sampler),
    };
    let mut plan = Plan::new(Sfid::Sampler, desc, exec);
    // Lost on Gen9 and Gen11 (lowering reference 3.8), unless the descriptor is in a register.
    plan.extended.coarse = ask.coarse && (cx.platform >= Platform::Tgl || bindless);
    // Lanes of one sample may differ in their sampler, says the text unless it is `.divS`; `sample4` and
    // loads are never serialized. Source: lowering reference 3.8; which messages, seen in the finalizer.
    let samples = ask.sampler.is_some() && !ask.op.is_gather();
    let serial = matches!(cx.platform, Platform::Tgl | Platform::Dg2);
    if samples && serial && !cx.instruction.has(&Suffix::DivS) {
        plan.options.push("Serialize");
    }
    plan
}

/// The header: r0 with M0.2 and M0.3 replaced. Source: lowering reference 1.9, 3.4, 3.5, 4.
fn header(cx: &Lowering, ask: &Ask) -> Vec<Value> {
    let channel = u32::from(ask.channels.0).trailing_zeros();
    let fixed = ask.offsets.constant().unwrap_or(0);
    let bits = match ask.op {
        _ if ask.is_po() && !ask.gathers(cx.platform) => {
            header_bits(None, None, ask.null_mask, fixed)
        }
        SamplerOp::Gather4 | SamplerOp::Gather4Po => {
            header_bits(None, Some(channel), ask.null_mask, fixed)
        }
        SamplerOp::Gather4C | SamplerOp::Gather4PoC => {
            header_bits(None, None, ask.null_mask, fixed)
        }
        _ => header_bits(Some(ask.channels), None, ask.null_mask, fixed),
    };
    let mut words = cx.empty_header();
    // Only the eight dwords of r0 are copied; the rest of a 64-byte register is garbage.
    for (dw, word) in words.iter_mut().enumerate().take(8) {
        *word = Value::Dispatch(dw as u32);
    }
    words[sampler_header::DISABLE.dw] = match ask.offsets.constant() {
        Some(_) => Value::Const(bits),
        None if bits == 0 => ask.offsets.clone().widened(),
        None => Value::call(Op::Or, ask.offsets.clone(), Value::Const(bits)),
    };
    let pointer = Value::Dispatch(3);
    let mut pointer = if cx.platform >= Platform::Icl && !ask.handle_as_index {
        Value::call(Op::And, pointer, Value::Const(!1))
    } else {
        pointer
    };
    match &ask.sampler {
        Some(Sampler::Bindless(handle)) => pointer = handle.clone(),
        Some(Sampler::Index(index)) if ask.many_samplers() => {
            // Sixteen entries of sixteen bytes for each sixteen samplers.
            let group = Value::call(Op::Shr, index.clone(), Value::Const(4));
            pointer = Value::call(
                Op::Add,
                pointer,
                Value::call(Op::Shl, group, Value::Const(8)),
            );
        }
        _ => {}
    }
    words[3] = pointer;
    words
}

/// Where the message is not what the page promises. Source: lowering reference 21.
fn warn(cx: &mut Lowering, ask: &Ask) -> Result<()> {
    let platform = cx.platform;
    if ask.is_po() && platform >= Platform::Dg2 {
        if !cx.faulty() {
            return cx.refuse(
                Code::N0380,
                "newer releases send other messages for it, which are not stated (20)",
            );
        }
        cx.follow(
            &faults::GATHER_PO,
            format!("{platform} has no such message"),
        );
    }
    if matches!(ask.op, SamplerOp::Gather4C | SamplerOp::Gather4PoC) && ask.channels.0 != 1 {
        let label = format!("channel {} is not in the message", ask.channels);
        cx.follow(&faults::GATHER_CHANNEL, label);
    }
    let native = platform.native_lanes();
    if ask.es < native {
        cx.follow(&faults::FEW_LANES, format!("{} lanes", ask.es));
    }
    if ask.es > 2 * native {
        cx.follow(&faults::MANY_LANES, format!("{} lanes", ask.es));
    }
    if let Some(Sampler::Index(Value::Const(index))) = ask.sampler
        && index > 15
        && !ask.many_samplers()
    {
        cx.follow(&faults::SAMPLER_CARRIES, format!("sampler {index}"));
    }
    let bindless = matches!(ask.surface, Surface::Bindless(_));
    if ask.coarse && platform < Platform::Tgl && !bindless {
        cx.follow(&faults::CPS_LOST, ".cps");
    }
    if cx.instruction.has(&Suffix::DivS) {
        cx.follow(&faults::DIVERGENT, ".divS");
    }
    Ok(())
}

impl Lowering<'_> {
    /// The instruction's execution part with another size.
    pub(super) fn exec(&self, size: u32) -> Exec {
        let (mut offset, mut no_mask) = self
            .instruction
            .exec
            .as_ref()
            .map_or((0, false), |e| (e.node.offset, e.node.no_mask));
        // An offset that is not a multiple of the size falls back to 0 (lowering reference 1.7).
        let whole = self.instruction.exec.as_ref().map_or(1, |e| e.node.size);
        if matches!(whole, 8 | 16) && u32::from(offset) % whole != 0 {
            offset = 0;
            no_mask = false;
        }
        // Fewer lanes than eight start where eight may, on registers of sixteen; `send` warns of it.
        if self.platform == Platform::Pvc && whole < 8 && offset % 8 != 0 {
            offset = 0;
        }
        Exec {
            size,
            offset,
            no_mask,
        }
    }

    /// A bindless surface's handle goes into the extended descriptor.
    fn surface_handle(&self, ask: &Ask, plan: &mut Plan) {
        if let Surface::Bindless(handle) = &ask.surface {
            plan.surface_handle = Some(handle.clone());
        }
    }
}
