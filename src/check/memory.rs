//! Messages to surface and stateless memory, before LSC.
//!
//! Source: vISA text reference 5.9, 5.10 and 7.8.

use super::operand_size::{from_new_registers, must_hold};
use super::regions::two_registers;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::{AtomicOp, ChannelMask, Opcode, Slot, Type};
use crate::syntax::ast::{Operand, Suffix};

/// Surface memory: owords, gathers, scatters, typed accesses, atomics.
pub(super) fn surface_memory(cx: &Context<'_>, found: &mut Found<'_>) {
    use Opcode::*;
    let lanes = u64::from(cx.lanes());
    match cx.opcode() {
        OwordLd | OwordSt | OwordLdUnaligned => owords(cx, found, 0, 2),
        Gather | Scatter => {
            element_size(cx, found);
            gather_lanes(cx, found);
            gather_data(cx, found);
            lane_data(cx, found, 2, lanes * 4);
            lane_data(cx, found, 3, lanes * 4);
        }
        GatherScaled | ScatterScaled => {
            element_size(cx, found);
            lane_data(cx, found, 2, lanes * 4);
            lane_data(cx, found, 3, lanes * 4);
        }
        Gather4Scaled | Scatter4Scaled => {
            lane_data(cx, found, 2, lanes * 4);
            channel_data(cx, found, 3);
        }
        Gather4Typed | Scatter4Typed => {
            typed_surface(cx, found);
            (1..=4).for_each(|i| lane_data(cx, found, i, lanes * 4));
            channel_data(cx, found, 5);
        }
        DwordAtomic => {
            atomic_operation(cx, found, Some(1), [2, 3], 4);
            (1..=4).for_each(|i| lane_data(cx, found, i, lanes * 4));
        }
        TypedAtomic => {
            typed_surface(cx, found);
            (1..=7).for_each(|i| lane_data(cx, found, i, lanes * 4));
        }
        QwGather | QwScatter => {
            lane_data(cx, found, 1, lanes * 4);
            lane_data(cx, found, 2, lanes * 8);
        }
        _ => {}
    }
}

/// Stateless memory at 64-bit addresses.
pub(super) fn svm(cx: &Context<'_>, found: &mut Found<'_>) {
    use Opcode::*;
    let lanes = u64::from(cx.lanes());
    match cx.opcode() {
        SvmBlockLd | SvmBlockSt => owords(cx, found, usize::MAX, 1),
        SvmGather | SvmScatter => {
            let Some((bytes, count)) = cx.instruction.suffix(|s| match s {
                Suffix::Blocks { bytes, count } => Some((*bytes, *count)),
                _ => None,
            }) else {
                return;
            };
            if !matches!(bytes, 1 | 4 | 8) || !matches!(count, 1 | 2 | 4 | 8) {
                let d = cx
                    .complaint(
                        Code::E0353,
                        format!("{bytes} bytes by {count} is not a block of {}", cx.opcode()),
                    )
                    .at(cx.mnemonic(), format!(".{bytes}.{count}"))
                    .note("a block has 1, 4 or 8 bytes, and 1, 2, 4 or 8 of them belong to a lane")
                    .help(format!("{}.4.1", cx.opcode()));
                return found.push(d);
            }
            let (bytes, count) = (u64::from(bytes), u64::from(count));
            let lane = match bytes {
                1 => count.max(4),
                b => b * count,
            };
            lane_data(cx, found, 0, lanes * 8);
            lane_data(cx, found, 1, lanes * lane);
        }
        SvmGather4Scaled | SvmScatter4Scaled => {
            two_registers(cx, found, 0);
            channel_data(cx, found, 2);
        }
        SvmAtomic => {
            atomic_operation(cx, found, None, [2, 3], 1);
            lane_data(cx, found, 0, lanes * 8);
        }
        _ => {}
    }
}

/// Oword counts and what they move.
fn owords(cx: &Context<'_>, found: &mut Found<'_>, surface: usize, data: usize) {
    let opcode = cx.opcode();
    let Some(exec) = cx.instruction.exec else {
        return;
    };
    if !matches!(exec.size, 1 | 2 | 4 | 8 | 16) {
        let near = exec.size.clamp(1, 16).next_power_of_two();
        let d = cx
            .complaint(
                Code::E0350,
                format!("{opcode} does not move {} owords", exec.size),
            )
            .at(
                exec.span,
                "counts are 1, 2, 4 and 8, and 16 where the platform has it",
            )
            .note(format!(
                "an oword has 16 bytes; the count is a code in the message, {} has none",
                exec.size
            ))
            .help(format!("({near})"))
            .see("vISA text reference 7.8");
        return found.push(d);
    }
    let slm = cx.surface(surface).filter(|s| s.1 == 0);
    if let Some((_, _, span)) = slm
        && !cx.platform.slm_port
    {
        let d = cx
            .complaint(
                Code::E0352,
                format!("{} has no oword access to %slm", cx.platform),
            )
            .at(span, "icl and later have it")
            .note("before icl owords live in global memory only")
            .help("gather4_scaled.RGBA")
            .see("vISA text reference 5.14 and 7.8");
        found.push(d);
    }
    if exec.size == 16
        && opcode != Opcode::SvmBlockLd
        && opcode != Opcode::SvmBlockSt
        && (slm.is_none() || cx.platform.lsc.is_none())
    {
        let d = cx
            .complaint(
                Code::W0351,
                "16 owords are for shared local memory of later platforms",
            )
            .at(exec.span, "16 owords, 256 bytes")
            .note("Intel's assembler accepts the count everywhere; visim moves the 256 bytes")
            .help("two accesses of (8)")
            .see("vISA text reference 5.9");
        found.push(d);
    }
    let bytes = u64::from(exec.size) * 16;
    let sum = format!("{} owords of 16 bytes are {bytes} bytes", exec.size);
    must_hold(cx, found, data, bytes, is_written(cx, data), &sum);
}

fn is_written(cx: &Context<'_>, index: usize) -> bool {
    let slot = cx.opcode().info().slots.get(index);
    slot.is_some_and(|s| *s == Slot::RawDst)
}

fn element_size(cx: &Context<'_>, found: &mut Found<'_>) {
    for suffix in &cx.instruction.suffixes {
        if let Suffix::ElementBytes(n) = suffix.node
            && !matches!(n, 1 | 2 | 4)
        {
            let d = cx
                .complaint(Code::E0354, format!("elements have no {n} bytes"))
                .at(suffix.span, "1, 2 or 4 bytes")
                .help(format!("{}.4", cx.opcode()))
                .see("vISA text reference 7.8");
            found.push(d);
        }
    }
}

fn gather_lanes(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some(exec) = cx.instruction.exec else {
        return;
    };
    if matches!(exec.size, 2 | 4 | 32) {
        let opcode = cx.opcode();
        let d = cx
            .complaint(
                Code::E0355,
                format!("{opcode} does not work on {} lanes", exec.size),
            )
            .at(exec.span, "1, 8 or 16 lanes")
            .help(match exec.size {
                32 => "(M1, 16)   // and again with (M5, 16)".to_string(),
                _ => "(M1, 8)".to_string(),
            })
            .see("vISA text reference 5.9");
        found.push(d);
    }
}

/// The unscaled forms keep each element in a dword.
fn gather_data(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some((raw, span)) = cx.raw(3) else {
        return;
    };
    let Some(ty) = cx.var_type(raw.var.node) else {
        return;
    };
    if ty.bytes() != 4 {
        let opcode = cx.opcode();
        let d = cx
            .complaint(
                Code::E0356,
                format!("data of {opcode} is {ty}, not 4 bytes wide"),
            )
            .at(span, format!("{} bytes in an element", ty.bytes()))
            .note("each lane owns a dword of the data, whatever the size in memory")
            .help("alias it as ud")
            .see("vISA text reference 7.8");
        found.push(d);
    }
}

fn typed_surface(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some((var, number, span)) = cx.surface(0) else {
        return;
    };
    if matches!(number, 0 | 5) {
        let (opcode, name) = (cx.opcode(), cx.name(var));
        let title = format!("{opcode} does not work on {name}");
        // The finalizer lets atomics alone pass.
        let d = match opcode {
            Opcode::TypedAtomic => cx.page_rule(Code::E0301, title),
            _ => cx.complaint(Code::E0301, title),
        };
        let d = d
            .at(span, "memory without a format")
            .note("typed accesses convert by the format of a surface")
            .help("gather4_scaled or scatter4_scaled for raw dwords")
            .see("vISA text reference 7.8");
        found.push(d);
    }
}

/// Source operands of an atomic: which are there, and their types.
fn atomic_operation(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    offsets: Option<usize>,
    sources: [usize; 2],
    dst: usize,
) {
    use AtomicOp::*;
    let Some(op) = cx.instruction.suffix(|s| match s {
        Suffix::AtomicOp(op) => Some(*op),
        _ => None,
    }) else {
        return;
    };
    let opcode = cx.opcode();
    let wanted = match op {
        Inc | Dec => 0,
        CmpXchg | FCmpWr => 2,
        _ => 1,
    };
    for (n, index) in sources.into_iter().enumerate() {
        let there = cx.raw(index).is_some();
        let Some(operand) = cx.operand(index) else {
            continue;
        };
        if there == (n < wanted) {
            continue;
        }
        let d = match there {
            true => cx
                .complaint(Code::E0357, format!("{opcode}.{op} has no source {n}"))
                .at(operand.span, "present")
                .help("%null.0"),
            false => cx
                .complaint(Code::E0357, format!("{opcode}.{op} needs source {n}"))
                .at(operand.span, "absent")
                .help(format!(
                    "%null.0 only where an operation takes fewer than {wanted} sources"
                )),
        };
        found.push(d.note(format!("{op} uses {wanted} of the two sources")));
    }
    let bits = cx.instruction.suffix(|s| match s {
        Suffix::Bits(b) => Some(*b),
        _ => None,
    });
    let float = matches!(op, FMax | FMin | FCmpWr | FAdd | FSub);
    // Surface atomics have one type each; where words are counted, and of 64-bit addresses, any of the
    // size will do.
    let exact = opcode == Opcode::DwordAtomic && bits.is_none();
    let fits = |ty: Type| match (float, bits) {
        (true, None) => ty == Type::F,
        (true, Some(_)) => ty.is_float() || ty.bytes() >= 4,
        (false, None) if exact => match op {
            Add | Sub => matches!(ty, Type::D | Type::Ud),
            MinSint | MaxSint => ty == Type::D,
            _ => ty == Type::Ud,
        },
        (false, None) => ty.is_integer() && ty.bytes() == 4,
        (false, Some(_)) => ty.is_integer(),
    };
    for index in [sources[0], sources[1], dst] {
        let Some((raw, span)) = cx.raw(index) else {
            continue;
        };
        let Some(ty) = cx.var_type(raw.var.node).filter(|ty| !fits(*ty)) else {
            continue;
        };
        let wanted = match op {
            _ if float => "f",
            MinSint | MaxSint if exact => "d",
            Add | Sub => "d or ud",
            _ if exact => "ud",
            _ => "d or ud",
        };
        // Intel's assembler looks at the types of surface atomics only.
        let code = match opcode {
            Opcode::SvmAtomic => Code::W0377,
            _ => Code::E0358,
        };
        let d = cx
            .page_rule(code, format!("{opcode}.{op} does not work on {ty}"))
            .at(span, format!("{ty}, expected {wanted}"))
            .help(format!(
                "alias it as {}",
                wanted.trim_start_matches("d or ")
            ))
            .see("vISA text reference 5.9, table of atomics");
        found.push(d);
    }
    if let Some((raw, span)) = offsets.and_then(|i| cx.raw(i))
        && let Some(ty) = cx.var_type(raw.var.node)
        && ty != Type::Ud
    {
        let d = cx
            .complaint(Code::E0360, format!("offsets of {opcode} are {ty}, not ud"))
            .at(span, format!("type {ty}"))
            .help("alias it as ud")
            .see("vISA text reference 7.8");
        found.push(d);
    }
}

fn lane_data(cx: &Context<'_>, found: &mut Found<'_>, index: usize, bytes: u64) {
    let sum = format!("{} lanes, {bytes} bytes together", cx.lanes());
    must_hold(cx, found, index, bytes, is_written(cx, index), &sum);
}

/// Data of one dword for each lane and enabled channel, each channel from a new register.
fn channel_data(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    let (lanes, grf) = (u64::from(cx.lanes()), u64::from(cx.grf));
    let channels = u64::from(cx.instruction.channels().map_or(4, ChannelMask::count));
    let (bytes, sum) = from_new_registers((channels, "channel"), lanes, 4, grf);
    if !matches!(cx.operand(index).map(|o| &o.node), Some(Operand::Raw(_))) {
        return;
    }
    must_hold(cx, found, index, bytes, is_written(cx, index), &sum);
}
