//! Surface memory before LSC: oword blocks, gather and scatter, typed texels, atomics.
//!
//! ```text
//!  oword      header | data                     offset in M0.2
//!  gather     [header] offsets                  global offset in M0.2
//!  scatter    [header] offsets data             one block, copied together
//!  scaled     offsets + global offset | data    never a header
//!  typed      u [v [r [lod]]] | data            trailing coordinates absent
//!  atomic     offsets | sources                 cmpxchg wants compare, then new
//! ```
//!
//! Source: lowering reference 8 to 12.

use super::context::Surface;
use super::operand::Place;
use super::{Lowering, Op, Part, Plan, Result, Run, Value, faults, unmasked};
use crate::diagnostic::Code;
use crate::isa::{AtomicOp, ChannelMask, Opcode, Platform, Type};
use crate::message::Sfid;
use crate::message::bits::rows;
use crate::message::dataport::{
    BINDLESS, SLM, STATELESS, atomic_code, atomic_type, is_float, oword_code, svm_atomic_type,
    types,
};
use crate::message::fields;
use crate::syntax::ast::Suffix;

/// Sixteen enabled pixels, `M0.7` of a header of Gen8. Source: lowering reference 10.
const PIXELS: u32 = 0xffff;
/// Bits of r0.5 that hold the thread's scratch base. Source: lowering reference 1.9.
const SCRATCH_BASE: u32 = 0x3ff;

impl Lowering<'_> {
    /// Surface number added to the function control; the handle of a bindless one stands apart.
    pub(super) fn bound(&self, at: usize, control: u32) -> (Value, Option<Value>) {
        match self.surface(at) {
            Surface::Number(number) => (number.plus(control), None),
            Surface::Bindless(handle) => (Value::Const(control + BINDLESS), Some(handle)),
        }
    }

    /// The surface is the named one with this number.
    pub(super) fn is_named(&self, at: usize, number: u32) -> bool {
        let Some(crate::syntax::ast::Operand::Surface(var)) =
            self.instruction.operands.get(at).map(|o| &o.node)
        else {
            return false;
        };
        self.unit.variable(var.node).predefined
            && matches!(self.surface(at), Surface::Number(Value::Const(n)) if n == number)
    }

    /// Lanes a scattered message speaks of: sizes below native count as native.
    pub(super) fn message_lanes(&self) -> u32 {
        self.lanes().max(self.platform.native_lanes())
    }

    /// The instruction's execution size.
    pub(super) fn lanes(&self) -> u32 {
        self.instruction.exec.as_ref().map_or(1, |e| e.node.size)
    }

    /// One computed dword for each lane of an operand, in the registers `lanes` lanes take.
    pub(super) fn computed(
        &self,
        place: Place,
        lanes: u32,
        compute: impl Fn(Value) -> Value,
    ) -> Part {
        let es = self.lanes().min(lanes);
        let mut runs: Vec<Run> = (0..es)
            .map(|lane| Run::Value {
                value: compute(Value::Element {
                    root: place.root,
                    offset: place.at + 4 * lane,
                    ty: Type::Ud,
                }),
                size: 4,
            })
            .collect();
        runs.push(Run::Undefined {
            len: 4 * lanes.saturating_sub(es),
        });
        Part::from_runs(runs, self.grf())
    }

    /// Follows a fault of the lanes' number.
    pub(super) fn follow_lanes(&mut self, fault: &faults::Fault) {
        let label = format!("{} lanes", self.lanes());
        self.follow(fault, label);
    }

    /// The header of zeros that Gen8 wants where later parts want none; `M0.7` enables pixels.
    /// Source: lowering reference 10; which messages have it was seen in the finalizer.
    fn zero_header(&self, pixels: u32) -> Option<Vec<Value>> {
        let mut words = vec![Value::Const(0); 8];
        words[7] = Value::Const(pixels);
        (self.platform == Platform::Bdw).then_some(words)
    }

    /// Header of the messages at the thread's scratch memory. Source: lowering reference 8, 9.
    fn scratch_header(&self) -> Vec<Value> {
        let mut words = self.empty_header();
        if self.platform >= Platform::Dg2 {
            // Eight dwords, also of a register of sixteen.
            for word in words.iter_mut().take(8) {
                *word = Value::Const(0);
            }
        } else {
            words[5] = Value::call(Op::And, Value::Dispatch(5), Value::Const(SCRATCH_BASE));
        }
        words
    }
}

/// Lanes of a block message by its owords. Source: lowering reference 8.
pub(super) const fn oword_lanes(owords: u32) -> u32 {
    match owords {
        1 => 4,
        2 => 8,
        _ => 16,
    }
}

/// `oword_ld`, `oword_ld_unaligned`, `oword_st`. Source: lowering reference 8.
pub(super) fn oword(cx: &mut Lowering) -> Result<()> {
    use fields::oword_block as c;
    let owords = cx.lanes();
    let Some(code) = oword_code(owords) else {
        return cx.refuse(Code::E0380, format!("{owords} owords: 1, 2, 4, 8 or 16"));
    };
    let message_type = match cx.instruction.opcode.node {
        Opcode::OwordLd => types::OWORD_READ,
        Opcode::OwordLdUnaligned => types::OWORD_READ_UNALIGNED,
        _ => types::OWORD_WRITE,
    };
    let control = message_type << c::TYPE.lo | code << c::SIZE.lo;
    let (desc, handle) = cx.bound(0, control);
    let mut header = if cx.is_named(0, STATELESS) {
        cx.scratch_header()
    } else {
        cx.empty_header()
    };
    header[fields::offset_header::GLOBAL.dw] = cx.scalar(1);
    let place = cx.raw(2);
    let mut plan = Plan::new(Sfid::Dc0, desc, unmasked(oword_lanes(owords)));
    plan.predicated = false;
    plan.header = Some(header);
    plan.surface_handle = handle;
    let registers = rows(16 * owords, cx.platform);
    if message_type == types::OWORD_WRITE {
        // Behind the header of the same payload only the owords are copied, in place all there is.
        let bytes = match cx.splits() {
            true => registers * cx.grf(),
            false => 16 * owords,
        };
        plan.parts = place.into_iter().map(|p| cx.part(p, bytes)).collect();
        plan.first = usize::from(!cx.splits());
        cx.send(plan);
        return Ok(());
    }
    cx.fetch_registers(plan, place, registers);
    Ok(())
}

/// Bytes of an element: the suffix of gather and scatter.
fn element_bytes(cx: &Lowering) -> u32 {
    cx.instruction
        .suffix(|s| match s {
            Suffix::ElementBytes(bytes) => Some(*bytes),
            _ => None,
        })
        .unwrap_or(4)
}

/// Function control of a byte scattered message.
fn byte_control(write: bool, bytes: u32, wide: bool) -> u32 {
    use fields::byte_scattered as c;
    let message_type = if write {
        types::BYTE_WRITE
    } else {
        types::BYTE_READ
    };
    message_type << c::TYPE.lo
        | bytes.trailing_zeros() << c::SIZE.lo
        | u32::from(wide) << c::LANES.lo
}

/// Function control of an untyped message.
pub(super) fn untyped_control(message_type: u32, wide: bool, channels: ChannelMask) -> u32 {
    use fields::untyped as c;
    let lanes = if wide { 1 } else { 2 };
    message_type << c::TYPE.lo
        | lanes << c::LANES.lo
        | u32::from(!channels.0 & 0xf) << c::DISABLE.lo
}

/// `gather` and `scatter`: offsets count elements. Source: lowering reference 9.
pub(super) fn unscaled(cx: &mut Lowering) -> Result<()> {
    use fields::dword_scattered as d;
    let write = cx.instruction.opcode.node == Opcode::Scatter;
    let bytes = element_bytes(cx);
    let es = cx.lanes();
    let wide = es > 8;
    let slm = cx.is_named(0, SLM);
    let scratch = cx.is_named(0, STATELESS);
    let (Some(offsets), data) = (cx.raw(2), cx.raw(3)) else {
        return cx.refuse(Code::E0380, "the offsets are %null");
    };
    let global = cx.scalar(1);
    let shift = |value: Value, by: u32| Value::call(Op::Shl, value, Value::Const(by));
    let lanes = if wide { 16 } else { 8 };
    // Dwords of shared local memory travel as untyped messages, at byte offsets.
    let untyped = slm && bytes == 4;
    // One lane of them counts as one, where others count as eight: seen in the finalizer.
    let lone = untyped && es == 1;
    let (sfid, control) = if untyped {
        let message_type = if write {
            types::UNTYPED_WRITE
        } else {
            types::UNTYPED_READ
        };
        (
            Sfid::Dc1,
            untyped_control(message_type, wide || lone, ChannelMask(1)),
        )
    } else if bytes == 4 {
        let message_type = if write {
            types::DWORD_WRITE
        } else {
            types::DWORD_READ
        };
        (
            Sfid::Dc0,
            message_type << d::TYPE.lo | (2 + u32::from(wide)) << d::LANES.lo,
        )
    } else {
        (Sfid::Dc0, byte_control(write, bytes, wide))
    };
    let word = u32::from(bytes == 2);
    // Gen8 hands over the global offset of bytes and words of shared local memory as it does elsewhere,
    // and has a header for scratch memory whatever the offset: seen in the finalizer.
    let gen8 = cx.platform == Platform::Bdw;
    let folded = slm && (untyped || !gen8);
    let part = if folded {
        match bytes {
            4 => cx.computed(offsets, lanes, |v| {
                Value::call(Op::Add, shift(v, 2), shift(global.clone(), 2))
            }),
            2 => cx.computed(offsets, lanes, |v| {
                shift(Value::call(Op::Add, v, global.clone()), 1)
            }),
            _ if global == Value::Const(0) => cx.part(offsets, 4 * lanes),
            _ => cx.computed(offsets, lanes, |v| Value::call(Op::Add, v, global.clone())),
        }
    } else if bytes == 2 {
        cx.computed(offsets, lanes, |v| shift(v, 1))
    } else {
        cx.part(offsets, 4 * lanes)
    };
    let needed = !folded && (global != Value::Const(0) || gen8 && scratch);
    let header = needed.then(|| {
        let mut words = if scratch {
            cx.scratch_header()
        } else {
            cx.r0_header()
        };
        let stray = matches!((slm, bytes, global.constant()), (true, 1, Some(1..)));
        if stray {
            cx.follow(&faults::GEN8_SLM_OFFSET, "the global offset in M0.2");
        }
        let by = if stray { 2 } else { word };
        words[fields::offset_header::GLOBAL.dw] = shift(global.clone(), by);
        words
    });
    let (mut desc, mut handle) = cx.bound(0, control);
    if (write || header.is_none())
        && let Some(bindless) = handle.take()
    {
        let label = "the surface is the bindless one";
        cx.follow(&faults::HANDLE_IN_DESCRIPTOR, label);
        desc = bindless.plus(control);
    }
    let mut plan = Plan::new(sfid, desc, cx.exec(es));
    plan.header = header;
    plan.surface_handle = handle;
    plan.parts = vec![part];
    let registers = 4 * if lone { 1 } else { lanes } / cx.grf();
    if registers == 0 {
        cx.follow_lanes(&faults::PART_OF_REGISTER);
        plan.parts[0].registers.clear();
    }
    if write {
        let Some(data) = data else {
            return cx.refuse(Code::E0380, "the data are %null");
        };
        let mut data = cx.part(data, 4 * lanes);
        if registers == 0 {
            data.registers.clear();
        }
        plan.parts.push(data);
        if untyped {
            cx.lay_out(&mut plan);
            // Also where part of a register counts as none.
            plan.two_sources = plan.first < plan.parts.len();
        } else {
            plan.first = plan.parts.len();
            plan.copied = true;
            pvc_scatter(cx, &mut plan);
        }
        cx.send(plan);
        return Ok(());
    }
    plan.first = if plan.header.is_some() && cx.splits() {
        0
    } else {
        1
    };
    // As other gathers, even to `%null`.
    cx.fetch_registers(plan, data, registers);
    Ok(())
}

/// The copy puts the data one register too far: the message carries garbage instead.
/// Source: lowering reference 9 and difference 29.
fn pvc_scatter(cx: &mut Lowering, plan: &mut Plan) {
    if cx.platform != Platform::Pvc || !cx.faulty() {
        return;
    }
    if let Some(data) = plan.parts.last_mut() {
        *data = Part::absent(data.rows(), cx.platform.grf_bytes());
    }
    cx.follow(&faults::SCATTER_STRAYS, "the data are not in the message");
}

/// The `_scaled` forms: byte offsets, the global one added to every lane.
/// Source: lowering reference 10.
pub(super) fn scaled(cx: &mut Lowering) -> Result<()> {
    let op = cx.instruction.opcode.node;
    let write = matches!(op, Opcode::ScatterScaled | Opcode::Scatter4Scaled);
    let four = matches!(op, Opcode::Gather4Scaled | Opcode::Scatter4Scaled);
    let es = cx.lanes();
    let lanes = match cx.platform {
        // Sixteen lanes at most, as its code says.
        Platform::Pvc => cx.message_lanes().min(16),
        _ => cx.message_lanes(),
    };
    let wide = lanes > 8;
    if es > 16 {
        cx.follow_lanes(&faults::SCATTERED_LANES);
    }
    let channels = cx.instruction.channels().unwrap_or(ChannelMask(1));
    let (sfid, control, count) = if four {
        let message_type = if write {
            types::UNTYPED_WRITE
        } else {
            types::UNTYPED_READ
        };
        let control = untyped_control(message_type, wide, channels);
        (Sfid::Dc1, control, channels.count())
    } else {
        let control = byte_control(write, element_bytes(cx), wide);
        (Sfid::Dc0, control, 1)
    };
    let (Some(offsets), data) = (cx.raw(2), cx.raw(3)) else {
        return cx.refuse(Code::E0380, "the offsets are %null");
    };
    let global = cx.scalar(1);
    let part = if global == Value::Const(0) {
        cx.part(offsets, 4 * lanes)
    } else {
        cx.computed(offsets, lanes, |v| Value::call(Op::Add, v, global.clone()))
    };
    let (desc, handle) = cx.bound(0, control);
    let mut exec = cx.exec(es);
    if op != Opcode::GatherScaled && u32::from(exec.offset) % lanes != 0 {
        // The mask is chosen for the lanes of the message, and falls back like any other that is
        // not a multiple of them.
        exec.offset = 0;
        exec.no_mask = false;
        cx.follow_lanes(&faults::MASK_FALLS_BACK);
    }
    let mut plan = Plan::new(sfid, desc, exec);
    plan.surface_handle = handle;
    plan.parts = vec![part];
    plan.header = match four {
        true if cx.is_named(0, STATELESS) => cx.zero_header(PIXELS),
        false if !cx.is_named(0, SLM) => cx.zero_header(0),
        _ => None,
    };
    let registers = count * rows(4 * lanes, cx.platform);
    if write {
        return cx.send_lanes(plan, data, |cx, data| cx.part(data, registers * cx.grf()));
    }
    cx.fetch_lanes(plan, data, registers);
    Ok(())
}

/// Coordinates u v r lod, as far as the last one given. Source: lowering reference 11.
///
/// An absent v in front of a last r is left out, and r takes its place (`faults::ABSENT_V`).
fn coordinates(cx: &mut Lowering, first: usize, bytes: u32) -> Vec<Part> {
    let given: [Option<Place>; 4] = std::array::from_fn(|i| cx.raw(first + i));
    let [_, v, r, lod] = given.map(|place| place.is_some());
    if r && !v && !lod {
        cx.follow(&faults::ABSENT_V, "r stands where v belongs");
    }
    given
        .into_iter()
        .zip([true, v || lod, r || lod, lod])
        .filter(|(_, kept)| *kept)
        .map(|(place, _)| match place {
            Some(place) => cx.part(place, bytes),
            None => Part::absent(rows(bytes, cx.platform), cx.grf()),
        })
        .collect()
}

/// `gather4_typed` and `scatter4_typed`. Source: lowering reference 11.
pub(super) fn typed(cx: &mut Lowering) -> Result<()> {
    use fields::typed as c;
    let write = cx.instruction.opcode.node == Opcode::Scatter4Typed;
    let es = cx.lanes();
    let native = es >= cx.platform.native_lanes();
    if es > cx.platform.native_lanes() {
        cx.follow_lanes(&faults::TYPED_LANES);
    }
    let channels = cx.instruction.channels().unwrap_or(ChannelMask::RGBA);
    let message_type = if write {
        types::TYPED_WRITE
    } else {
        types::TYPED_READ
    };
    let control = message_type << c::TYPE.lo
        | 1 << c::SLOTS.lo
        | u32::from(!channels.0 & 0xf) << c::DISABLE.lo;
    let (desc, handle) = cx.bound(0, control);
    let mut plan = Plan::new(Sfid::Dc1, desc, cx.exec(es));
    plan.surface_handle = handle;
    plan.header = cx.zero_header(PIXELS);
    plan.parts = coordinates(cx, 1, 4 * es);
    if plan.parts.iter().all(|part| part.null) {
        return cx.refuse(Code::E0380, "no coordinate is given");
    }
    let data = cx.raw(5);
    if write {
        // The registers are counted together, half ones of fewer lanes than native are lost.
        let bytes = 4 * es * channels.count();
        return cx.send_lanes(plan, data, |cx, data| {
            let mut part = cx.part(data, bytes.min(if native { bytes } else { 4 * es }));
            let registers = (bytes / cx.grf()).max(1);
            part.registers.resize_with(registers as usize, || {
                vec![Run::Undefined { len: cx.grf() }]
            });
            part
        });
    }
    // One register for each channel, whatever the lanes.
    cx.fetch_lanes(plan, data, channels.count());
    Ok(())
}

/// The operation and the width of an atomic.
fn atomic_op(cx: &Lowering) -> Option<(AtomicOp, u32)> {
    let op = cx.instruction.suffix(|s| match s {
        Suffix::AtomicOp(op) => Some(*op),
        _ => None,
    })?;
    let bits = cx.instruction.suffix(|s| match s {
        Suffix::Bits(bits) => Some(u32::from(*bits)),
        _ => None,
    });
    Some((op, bits.unwrap_or(32)))
}

/// The sources in message order: compare-and-exchange wants compare, then new.
/// Source: lowering reference 12.1.
fn sources(cx: &Lowering, op: AtomicOp, at: usize, bytes: u32) -> Vec<Part> {
    let mut places: Vec<Place> = [cx.raw(at), cx.raw(at + 1)].into_iter().flatten().collect();
    if op == AtomicOp::CmpXchg {
        places.reverse();
    }
    places.into_iter().map(|p| cx.part(p, bytes)).collect()
}

/// `dword_atomic`, `typed_atomic`, `svm_atomic`. Source: lowering reference 12.
pub(super) fn atomic(cx: &mut Lowering) -> Result<()> {
    use fields::atomic as c;
    let Some((op, bits)) = atomic_op(cx) else {
        return cx.refuse(Code::E0380, "the operation is missing");
    };
    let code = atomic_code(op);
    let es = cx.lanes();
    let half = bits == 16;
    let lanes = cx.message_lanes();
    let (message_type, flag, parts, destination) = match cx.instruction.opcode.node {
        Opcode::TypedAtomic => {
            let message_type = if half {
                types::TYPED_ATOMIC_16
            } else {
                types::TYPED_ATOMIC
            };
            if es > cx.platform.native_lanes() {
                cx.follow_lanes(&faults::TYPED_LANES);
            }
            let mut parts = coordinates(cx, 1, 4 * es);
            parts.extend(sources(cx, op, 5, 4 * es));
            (message_type, false, parts, cx.raw(7))
        }
        Opcode::SvmAtomic => {
            let message_type = svm_atomic_type(op, half);
            let Some(addresses) = cx.raw(0) else {
                return cx.refuse(Code::E0380, "the addresses are %null");
            };
            let mut parts = vec![cx.part(addresses, 8 * lanes)];
            // The sources are counted by their type, not by the operation's width.
            let wide = cx.raw(2).is_some_and(|p| p.ty.bytes() == 8);
            let each = if wide { 8 } else { 4 };
            parts.extend(sources(cx, op, 2, es * each).into_iter().map(|mut part| {
                // As many registers as the message has lanes, of which a copy fills those there are.
                let empty = || vec![Run::Undefined { len: cx.grf() }];
                let count = rows(lanes * each, cx.platform);
                part.registers.resize_with(count as usize, empty);
                part
            }));
            (message_type, bits == 64, parts, cx.raw(1))
        }
        _ => {
            let Some(offsets) = cx.raw(1) else {
                return cx.refuse(Code::E0380, "the offsets are %null");
            };
            let mut parts = vec![cx.part(offsets, 4 * lanes)];
            parts.extend(sources(cx, op, 2, 4 * lanes));
            (atomic_type(op, half), lanes <= 8, parts, cx.raw(4))
        }
    };
    if is_float(op) && cx.instruction.opcode.node == Opcode::TypedAtomic {
        let label = format!("the message means another operation than {op}");
        cx.follow(&faults::TYPED_FLOAT_ATOMIC, label);
    }
    let control = message_type << c::TYPE.lo
        | u32::from(destination.is_some()) << c::RETURN.lo
        | u32::from(flag) << c::LANES.lo
        | code << c::OP.lo;
    let (desc, handle) = if cx.instruction.opcode.node == Opcode::SvmAtomic {
        (Value::Const(control | STATELESS), None)
    } else {
        cx.bound(0, control)
    };
    let mut plan = Plan::new(Sfid::Dc1, desc, cx.exec(es));
    plan.surface_handle = handle;
    if cx.instruction.opcode.node == Opcode::DwordAtomic && cx.is_named(0, STATELESS) {
        plan.header = cx.zero_header(PIXELS);
    }
    plan.parts = parts;
    cx.lay_out(&mut plan);
    // Only dword atomics count the lanes; the others return one register, or two of 64-bit data.
    let registers = match (cx.instruction.opcode.node, bits) {
        (Opcode::DwordAtomic, _) => rows(4 * lanes, cx.platform),
        (_, 64) => 2,
        _ => 1,
    };
    plan.response = if destination.is_some() { registers } else { 0 };
    plan.destination = cx.destination(destination);
    let response = plan.response;
    cx.send(plan);
    cx.write_registers(destination, 0, response);
    Ok(())
}
