//! Memory at 64-bit addresses. Source: lowering reference 13.
//!
//! ```text
//!  block      header: M0.0..1 the address | data
//!  scattered  addresses, 8 bytes for each lane | data
//!  4scaled    addresses + offset | data, channel after channel
//! ```

use super::surface_memory::{oword_lanes, untyped_control};
use super::{Lowering, Op, Part, Plan, Result, Run, Value, faults, unmasked};
use crate::diagnostic::Code;
use crate::isa::{ChannelMask, Opcode, Platform, Type};
use crate::message::Sfid;
use crate::message::bits::rows;
use crate::message::dataport::{STATELESS, oword_code, types};
use crate::message::fields;
use crate::syntax::ast::{Operand, Suffix};

/// The two dwords of a scalar address.
fn address(cx: &Lowering) -> [Value; 2] {
    let operand = cx.instruction.operands.first().map(|o| &o.node);
    if let Some(Operand::Immediate(immediate)) = operand {
        let bits = immediate.value_bits();
        return [Value::Const(bits as u32), Value::Const((bits >> 32) as u32)];
    }
    match operand.map(|o| cx.element(o)) {
        Some(Value::Element { root, offset, ty }) if ty.bytes() == 8 => {
            [0, 4].map(|at| Value::Element {
                root,
                offset: offset + at,
                ty: Type::Ud,
            })
        }
        // Narrower addresses are extended with zeros.
        Some(value) => [value.widened(), Value::Const(0)],
        None => [Value::Undefined, Value::Undefined],
    }
}

/// `svm_block_ld` and `svm_block_st`.
pub(super) fn block(cx: &mut Lowering) -> Result<()> {
    if !cx.faulty() && cx.platform >= Platform::Dg2 {
        return cx.refuse(
            Code::N0380,
            "later releases send it through the load/store pipe, with bits that are not stated (20)",
        );
    }
    use fields::svm_block as c;
    let write = cx.instruction.opcode.node == Opcode::SvmBlockSt;
    let owords = cx.lanes();
    let code = match owords {
        1 | 2 | 4 | 8 => oword_code(owords),
        _ => None,
    };
    let Some(code) = code else {
        return cx.refuse(Code::E0380, format!("{owords} owords: 1, 2, 4 or 8"));
    };
    let message_type = if write {
        types::SVM_BLOCK_WRITE
    } else {
        types::SVM_BLOCK_READ
    };
    // Of text the finalizer's reader takes no `.unaligned`; the subtype is that of the binary form.
    let unaligned = cx.instruction.has(&Suffix::Aligned(false));
    let control = message_type << c::TYPE.lo
        | u32::from(unaligned) << c::SUBTYPE.lo
        | code << c::SIZE.lo
        | STATELESS;
    let lanes = oword_lanes(owords).max(if write { 8 } else { 4 });
    let mut plan = Plan::new(Sfid::Dc1, Value::Const(control), unmasked(lanes));
    plan.predicated = false;
    let mut header = cx.empty_header();
    let [low, high] = address(cx);
    header[fields::svm_block_header::ADDRESS_LOW.dw] = low;
    header[fields::svm_block_header::ADDRESS_HIGH.dw] = high;
    plan.header = Some(header);
    let place = cx.raw(1);
    let registers = rows(16 * owords, cx.platform);
    if write {
        plan.parts = place
            .into_iter()
            .map(|p| cx.part(p, registers * cx.grf()))
            .collect();
        plan.first = usize::from(!cx.splits());
        cx.send(plan);
        return Ok(());
    }
    cx.fetch_registers(plan, place, registers);
    Ok(())
}

/// `svm_gather` and `svm_scatter`.
pub(super) fn scattered(cx: &mut Lowering) -> Result<()> {
    use fields::svm_scattered as c;
    let write = cx.instruction.opcode.node == Opcode::SvmScatter;
    let blocks = cx.instruction.suffix(|s| match s {
        Suffix::Blocks { bytes, count } => Some((*bytes, *count)),
        _ => None,
    });
    let Some((bytes, count)) = blocks else {
        return cx.refuse(Code::E0380, "the block size is missing");
    };
    let size = match bytes {
        1 => 0,
        4 => 1,
        8 => 2,
        _ => return cx.refuse(Code::E0380, format!("blocks of {bytes} bytes: 1, 4 or 8")),
    };
    if !count.is_power_of_two() || count > 8 {
        return cx.refuse(Code::E0380, format!("{count} blocks: 1, 2, 4 or 8"));
    }
    let es = cx.lanes();
    let lanes = cx.message_lanes();
    let message_type = if write {
        types::SVM_WRITE
    } else {
        types::SVM_READ
    };
    let control = message_type << c::TYPE.lo
        | u32::from(lanes > 8) << c::LANES.lo
        | count.trailing_zeros() << c::COUNT.lo
        | size << c::SIZE.lo
        | STATELESS;
    let (Some(addresses), data) = (cx.raw(0), cx.raw(1)) else {
        return cx.refuse(Code::E0380, "the addresses are %null");
    };
    let per_lane = match (bytes, count) {
        (1, 8) => 8,
        (1, _) => 4,
        (bytes, count) => bytes * count,
    };
    let mut registers = rows(per_lane * lanes, cx.platform);
    if let (true, Some(data)) = (write, data) {
        // The finalizer counts the data of a scatter by the operand's type, four or eight bytes as one
        // element, fewer as a dword.
        let sent = match (bytes, count) {
            (1, 1 | 2) => 4,
            (1, _) => data.ty.bytes(),
            (_, count) => count * data.ty.bytes(),
        };
        let counted = rows(sent * lanes, cx.platform);
        if counted != registers {
            let label = format!("{counted} registers are sent, the blocks fill {registers}");
            cx.follow(&faults::SCATTER_BY_TYPE, label);
        }
        registers = counted;
    }
    let mut plan = Plan::new(Sfid::Dc1, Value::Const(control), cx.exec(es));
    plan.parts = vec![cx.part(addresses, 8 * lanes)];
    if write {
        return cx.send_lanes(plan, data, |cx, data| cx.part(data, registers * cx.grf()));
    }
    cx.fetch_lanes(plan, data, registers);
    Ok(())
}

/// `svm_gather4scaled` and `svm_scatter4scaled`.
pub(super) fn scaled(cx: &mut Lowering) -> Result<()> {
    let write = cx.instruction.opcode.node == Opcode::SvmScatter4Scaled;
    let es = cx.lanes();
    let channels = cx.instruction.channels().unwrap_or(ChannelMask(1));
    let message_type = if write {
        types::SVM_UNTYPED_WRITE
    } else {
        types::SVM_UNTYPED_READ
    };
    let control = untyped_control(message_type, es != 8, channels) | STATELESS;
    let (Some(addresses), data) = (cx.raw(1), cx.raw(2)) else {
        return cx.refuse(Code::E0380, "the addresses are %null");
    };
    let offset = cx.scalar(0);
    let part = if offset == Value::Const(0) {
        cx.part(addresses, 8 * es)
    } else {
        let runs: Vec<Run> = (0..es)
            .map(|lane| {
                let address = Value::Element {
                    root: addresses.root,
                    offset: addresses.at + 8 * lane,
                    ty: Type::Uq,
                };
                Run::Value {
                    value: Value::call(Op::Add, address, offset.clone()),
                    size: 8,
                }
            })
            .collect();
        Part::from_runs(runs, cx.grf())
    };
    let mut plan = Plan::new(Sfid::Dc1, Value::Const(control), cx.exec(es));
    plan.parts = vec![part];
    // Parts of a register count as none: sizes below native lose their response, and data are
    // counted all channels together.
    let row = 4 * es / cx.grf();
    if row == 0 {
        cx.follow_lanes(&faults::PART_OF_REGISTER);
    }
    let registers = channels.count() * row;
    if write {
        let registers = (4 * es * channels.count() / cx.grf()).max(1);
        return cx.send_lanes(plan, data, |cx, data| cx.part(data, registers * cx.grf()));
    }
    cx.fetch_lanes(plan, data, registers);
    Ok(())
}
