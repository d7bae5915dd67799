//! Render target and URB writes. Source: lowering reference 14 and 15.
//!
//! ```text
//!  target   [header r0, second header] [source-0 alpha] [omask] R G B A [depth] [stencil]
//!  urb      handles | [per-slot offsets] [mask << 16] data
//! ```

use super::context::Surface;
use super::operand::Place;
use super::{Lowering, Op, Part, Plan, Result, Run, Value, faults};
use crate::diagnostic::Code;
use crate::isa::{Platform, Type};
use crate::lower::has_ignored_operand;
use crate::message::Sfid;
use crate::message::bits::rows;
use crate::message::dataport::types;
use crate::message::extended::{Extended, extended_descriptor};
use crate::message::fields::{self, outer, render_target as c, render_target_header as h};
use crate::syntax::ast::{Name, Operand, Suffix};

/// The operands of a render target write, found by its flags.
pub(super) struct Target {
    flags: Vec<Name>,
    pub second_header: Option<Place>,
    counter: Option<Value>,
    pub index: Option<Value>,
    alpha: Option<usize>,
    omask: Option<usize>,
    pub colours: [usize; 4],
    pub depth: Option<usize>,
    stencil: Option<usize>,
}

impl Target {
    /// Reads them. Refused if colours are missing.
    pub fn read(cx: &Lowering) -> Result<Target> {
        let flags = cx.instruction.suffix(|s| match s {
            Suffix::TargetFlags(flags) => Some(flags.clone()),
            _ => None,
        });
        let flags = flags.unwrap_or_default();
        let has = |word: &str| flags.iter().any(|f| *f == *word);
        let ignored = has_ignored_operand(has, cx.instruction.operands.len());
        let mut next = 2 + usize::from(ignored)..;
        let mut take = |wanted: bool| wanted.then(|| next.next()).flatten();
        let counter = take(has("CPS")).map(|i| cx.scalar(i));
        let index = take(has("RTI")).map(|i| cx.scalar(i));
        let alpha = take(has("A"));
        let omask = take(has("O"));
        let colours = [(); 4].map(|()| take(true).unwrap_or(0));
        let depth = take(has("Z"));
        let stencil = take(has("ST"));
        let last = cx.instruction.operands.get(colours[3]).map(|o| &o.node);
        if matches!(last, None | Some(Operand::Immediate(_))) {
            return cx.refuse(
                Code::E0380,
                "four colour operands are wanted behind the flags",
            );
        }
        Ok(Target {
            second_header: cx.raw(1),
            counter,
            index,
            alpha,
            omask,
            colours,
            depth,
            stencil,
            flags,
        })
    }

    /// Whether a flag is set.
    pub fn has(&self, word: &str) -> bool {
        self.flags.iter().any(|flag| *flag == *word)
    }

    /// Whether the colours are half floats: the first decides, also when it is absent.
    pub fn is_half(&self, cx: &Lowering) -> bool {
        let first = cx.raw(self.colours[0]);
        first.is_some_and(|place| place.ty == Type::Hf)
    }
}

pub(super) fn target(cx: &mut Lowering) -> Result<()> {
    let target = Target::read(cx)?;
    let has = |word: &str| target.has(word);
    let es = cx.lanes();
    let platform = cx.platform;
    let native = platform.native_lanes();
    let grf = cx.grf();
    let half = target.is_half(cx);
    let mut colours = target.colours.into_iter().filter_map(|i| cx.raw(i));
    if colours.any(|colour| (colour.ty == Type::Hf) != half) {
        let bits = if half { 16 } else { 32 };
        cx.follow(
            &faults::FIRST_COLOUR,
            format!("all colours are sent as {bits} bits"),
        );
    }
    if has("SI") {
        cx.follow(&faults::STENCIL_INPUT, "<SI>");
    }

    let constant = target.index.as_ref().map(Value::constant);
    let needs_header = target.alpha.is_some()
        || match constant {
            None => false,
            Some(None) => true,
            Some(Some(index)) => index != 0 && platform < Platform::Icl,
        };
    let mut plan = Plan::new(Sfid::Rc, Value::Const(0), cx.exec(es));
    plan.conditional = true;
    plan.two_sources = true;
    if needs_header {
        plan.header = Some(header(cx, &target));
        // A predicate goes into the header and leaves the send (lowering reference 14).
        plan.predicated = false;
    } else if let Some(Some(index)) = constant {
        plan.extended.target = index;
    }
    plan.extended.null_target = has("NULLRT") && platform >= Platform::Tgl;

    // Colours: 32 bits for each lane, or 16; two registers for eight lanes where one holds sixteen.
    let wide = |bytes: u32| match (es, bytes, platform) {
        (8, 4, Platform::Pvc) => 2,
        _ => rows(es * bytes, platform),
    };
    let part = |i: usize, rows: u32, bytes: u32| match cx.raw(i) {
        Some(place) => {
            let mut part = cx.part(place, es * bytes);
            part.registers
                .resize_with(rows as usize, || vec![Run::Undefined { len: grf }]);
            part
        }
        None => Part::absent(rows, grf),
    };
    let colour_bytes = if half { 2 } else { 4 };
    let colour_rows = wide(colour_bytes);
    let mut parts = Vec::new();
    if let Some(i) = target.alpha {
        parts.push(part(i, colour_rows, colour_bytes));
    }
    if let Some(i) = target.omask {
        parts.push(part(i, 1, 2));
    }
    parts.extend(target.colours.map(|i| part(i, colour_rows, colour_bytes)));
    if let Some(i) = target.depth {
        // Beside 16-bit colours it is counted as on registers of 32 bytes.
        let depth_rows = match half {
            true => es.div_ceil(8),
            false => wide(4),
        };
        parts.push(part(i, depth_rows, 4));
    }
    if let Some(i) = target.stencil {
        // One register, whatever the lanes, copied like a colour.
        parts.push(part(i, 1, colour_bytes));
        if es * colour_bytes > grf {
            cx.follow(&faults::STENCIL_LANES, format!("stencil of {es} lanes"));
        }
    }
    if platform == Platform::Pvc && es < native && half {
        if let (Some(_), Some(_), [.., depth, stencil]) =
            (target.depth, target.stencil, &mut parts[..])
            && cx.faulty()
        {
            // Eight lanes of depth leave the place where it is.
            depth.registers[0].clone_from(&stencil.registers[0]);
            *stencil = Part::absent(1, grf);
            cx.follow(
                &faults::COLOURS_STRAY,
                "the stencil is copied over the depth",
            );
        }
    } else if platform == Platform::Pvc && es < native {
        spoil(cx, &mut parts);
    } else if platform == Platform::Pvc && !half {
        shift(cx, &mut parts);
    }
    plan.first = if needs_header && cx.splits() {
        0
    } else {
        parts.len()
    };
    match target.second_header.map(|place| second_header(cx, place)) {
        Some(second) if needs_header && platform != Platform::Pvc => {
            parts.insert(0, second);
            plan.first += 1;
        }
        Some(_) if needs_header => {
            cx.follow(&faults::SECOND_HEADER, "the second header register");
        }
        _ => {}
    }
    plan.parts = parts;

    let bit = |on: bool, field: fields::Field| u32::from(on) << field.lo;
    let subtype = if es > 8 { 0 } else { 4 };
    let second_group = plan.exec.offset == 16;
    let control = bit(has("CM"), c::COARSE)
        | types::TARGET_WRITE << c::TYPE.lo
        | bit(has("PS"), c::SAMPLE)
        | bit(has("LRTW"), c::LAST)
        | bit(second_group, c::SLOTS)
        | subtype << c::SUBTYPE.lo
        | bit(half, outer::RETURN16);
    plan.control = match cx.surface(0) {
        Surface::Number(number) => number.plus(control),
        Surface::Bindless(handle) => {
            cx.follow(
                &faults::HANDLE_IN_DESCRIPTOR,
                "the surface is the bindless one",
            );
            handle.plus(control)
        }
    };
    let counter = target.counter.clone();
    let extended = plan.extended;
    cx.send(plan);
    if let (Some(counter), Some(send)) = (counter, cx.lowered.sends.last_mut()) {
        if platform >= Platform::Dg2 {
            send.options.push("ExBSO");
        }
        // The counter is or-ed with all bits the descriptor of Gen11 has, on later parts too.
        let extended = Extended {
            length: send.extended_length,
            ..extended
        };
        let bits = extended_descriptor(Sfid::Rc, &extended, platform.min(Platform::Icl));
        send.ex_desc = Value::call(Op::Or, counter, Value::Const(bits));
    }
    Ok(())
}

/// r0 with the presence bits and the index; the second register is the operand's.
fn header(cx: &mut Lowering, target: &Target) -> Vec<Value> {
    // Only the eight dwords of r0 are copied, also into a register of sixteen.
    let mut words = cx.r0_header();
    words
        .iter_mut()
        .skip(8)
        .for_each(|word| *word = Value::Undefined);
    let bit = |on: bool, field: fields::Field| u32::from(on) << field.lo;
    // Depth and stencil together set the depth bit alone.
    if target.stencil.is_some() && target.depth.is_some() {
        cx.follow(&faults::DEPTH_STENCIL, "the stencil's bit in M0.0 is 0");
    }
    let stencil = target.stencil.is_some() && target.depth.is_none();
    let present = bit(target.alpha.is_some(), h::ALPHA)
        | bit(target.omask.is_some(), h::OMASK)
        | bit(target.depth.is_some(), h::DEPTH)
        | bit(stencil, h::STENCIL);
    words[h::ALPHA.dw] = Value::call(Op::Or, Value::Dispatch(0), Value::Const(present));
    if let Some(index) = &target.index
        && index.constant() != Some(0)
    {
        words[h::INDEX.dw] = index.clone();
    }
    words
}

/// The operand, with the predicate's bits in `M1.7`. Source: lowering reference 14.
fn second_header(cx: &Lowering, place: Place) -> Part {
    let grf = cx.grf();
    if cx.instruction.predicate.is_none() {
        return cx.part(place, grf);
    }
    let flag = 4 * h::FLAG.dw as u32 % 32;
    let bytes = |offset: u32, len: u32| Run::Bytes {
        root: place.root,
        offset: place.at + offset,
        len,
    };
    let word = Run::Value {
        value: Value::Flag,
        size: 2,
    };
    let runs = vec![bytes(0, flag), word, bytes(flag + 2, 32 - flag - 2)];
    Part::from_runs(runs, grf)
}

/// An absent colour takes two registers, and what lies behind it is sent a register too far.
fn shift(cx: &mut Lowering, parts: &mut [Part]) {
    if parts.iter().any(|part| part.null) {
        cx.follow(&faults::COLOURS_SHIFT, "a colour is %null");
    }
    let registers: u32 = parts.iter().map(Part::rows).sum();
    for part in parts.iter_mut().filter(|part| part.null) {
        *part = Part::absent(2, cx.grf());
    }
    let mut left = registers as usize;
    for part in parts.iter_mut() {
        part.registers.truncate(left);
        left -= part.registers.len();
    }
}

/// Colours and depth of eight lanes are all copied onto one register: what arrives is the last one. An
/// absent one moves the place on by a register, as does a mask, which has a register of its own.
/// Source: lowering reference 14, PVC; how the place moves was seen in the finalizer.
fn spoil(cx: &mut Lowering, parts: &mut [Part]) {
    if !cx.faulty() {
        return;
    }
    let count = parts.iter().map(Part::rows).sum::<u32>() as usize;
    let mut registers = vec![vec![Run::Undefined { len: cx.grf() }]; count];
    let mut at = 0;
    for part in parts.iter() {
        if let (false, Some(register)) = (part.null, registers.get_mut(at)) {
            register.clone_from(&part.registers[0]);
        }
        at += usize::from(part.null || part.rows() == 1);
    }
    for part in parts.iter_mut() {
        let rest = registers.split_off(part.registers.len());
        part.registers = std::mem::replace(&mut registers, rest);
    }
    cx.follow(&faults::COLOURS_STRAY, "one colour arrives");
}

/// `urb_write_3d`. Source: lowering reference 15.
pub(super) fn urb(cx: &mut Lowering) -> Result<()> {
    use fields::urb as c;
    let number = |at: usize| match cx.instruction.operands.get(at).map(|o| &o.node) {
        Some(Operand::Number(n)) => u32::try_from(*n).ok(),
        _ => None,
    };
    let (Some(count), Some(offset)) = (number(0), number(1)) else {
        return cx.refuse(Code::E0380, "a count and an offset are wanted");
    };
    if count == 0 || count > 8 || offset > c::OFFSET.max() {
        return cx.refuse(Code::E0380, "1 to 8 values at an offset below 2048");
    }
    let (mask, handle, slot, data) = (cx.raw(2), cx.raw(3), cx.raw(4), cx.raw(5));
    let Some(handle) = handle else {
        return cx.refuse(Code::E0380, "the handles are %null");
    };
    let es = cx.lanes();
    let grf = cx.grf();
    let bit = |on: bool, field: fields::Field| u32::from(on) << field.lo;
    let control = types::URB_SIMD8_WRITE
        | offset << c::OFFSET.lo
        | bit(mask.is_some(), c::MASKED)
        | bit(slot.is_some(), c::PER_SLOT);
    let mut plan = Plan::new(Sfid::Urb, Value::Const(control), cx.exec(es));
    plan.header = Some(
        (0..grf / 4)
            .map(|dw| Value::Element {
                root: handle.root,
                offset: handle.at + 4 * dw,
                ty: Type::Ud,
            })
            .collect(),
    );
    // Of registers that the lanes do not fill only their lanes are copied, and the offsets' register is
    // counted and not kept free (`faults::SLOTS_STRAY`).
    let narrow = 4 * es < grf && cx.faulty();
    if let Some(slot) = slot
        && !narrow
    {
        plan.parts.push(cx.part(slot, 4 * es));
    }
    if let Some(mask) = mask {
        let shifted = cx.computed(mask, es, |v| Value::call(Op::Shl, v, Value::Const(16)));
        plan.parts.push(shifted);
    }
    if let Some(data) = data {
        let values = count * rows(4 * es, cx.platform);
        let mut part = cx.part(data, values * grf);
        if narrow && (slot.is_some() || mask.is_some()) {
            let lanes = |at: u32| Run::Bytes {
                root: data.root,
                offset: data.at + at * grf,
                len: 4 * es,
            };
            let rest = Run::Undefined { len: grf - 4 * es };
            part.registers = (0..values)
                .map(|at| vec![lanes(at), rest.clone()])
                .collect();
        }
        plan.parts.push(part);
    }
    if narrow && slot.is_some() {
        plan.parts.push(Part::absent(1, grf));
        cx.follow(&faults::SLOTS_STRAY, "the offsets are not in the message");
    }
    plan.first = if cx.splits() { 0 } else { plan.parts.len() };
    cx.send(plan);
    Ok(())
}
