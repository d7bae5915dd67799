//! Extended math from Gen6 on: native instructions, no messages.
//!
//! ```text
//!  sqrt (M1, 16) V(0,0)<1> A(0,0)<8;8,1>    math.sqt (16|M0)
//!  pow from Gen12 on                        math.log, mul, math.exp
//! ```
//!
//! Only what is executed is reported, lanes by lanes: registers are not given out here. Source: lowering
//! reference 16; steps and widths as the finalizer was seen to make them.

use super::{Computed, Formula, Lowering, Value, quirks};
use crate::isa::{Opcode, Type};
use crate::syntax::ast::{Operand, Region, Suffix};

/// The math unit's name of a function; the division of floats and of integers differ.
const fn name(op: Opcode, float: bool) -> Option<&'static str> {
    Some(match (op, float) {
        (Opcode::Inv, _) => "math.inv",
        (Opcode::Log, _) => "math.log",
        (Opcode::Exp, _) => "math.exp",
        (Opcode::Sqrt, _) => "math.sqt",
        (Opcode::Rsqrt, _) => "math.rsqt",
        (Opcode::Sin, _) => "math.sin",
        (Opcode::Cos, _) => "math.cos",
        (Opcode::Sigm, _) => "math.sigm",
        (Opcode::Tanh, _) => "math.tanh",
        (Opcode::Pow, _) => "math.pow",
        (Opcode::Div, true) => "math.fdiv",
        (Opcode::Div, false) => "math.iqot",
        (Opcode::Mod, false) => "math.irem",
        _ => return None,
    })
}

/// What an extended math instruction executes, and what it leaves in its destination; nothing for any
/// other instruction.
pub(super) fn lower(cx: &mut Lowering) {
    let op = cx.instruction.opcode.node;
    let Some(to) = cx.instruction.operands.first() else {
        return;
    };
    let ty = cx.element_type(&to.node);
    let float = matches!(ty, Type::F | Type::Hf | Type::Df);
    let Some(name) = name(op, float) else {
        return;
    };
    let later = cx.has(&quirks::MATH_STEPS);
    let steps = match op {
        Opcode::Inv | Opcode::Div if ty == Type::Df => vec!["math.invm"],
        Opcode::Sqrt | Opcode::Rsqrt if ty == Type::Df => vec!["math.rsqtm"],
        Opcode::Div if float && later => vec!["math.inv", "mul"],
        Opcode::Pow if later => vec!["math.log", "mul", "math.exp"],
        _ => vec![name],
    };
    cx.lowered.native = listing(cx, &steps, ty);
    cx.lowered.computed = computed(cx, &steps, ty);
}

/// A line for each native instruction.
fn listing(cx: &Lowering, steps: &[&str], ty: Type) -> Vec<String> {
    let native = cx.platform.native_lanes();
    // Two registers of floats, one of dwords and half floats, one of 64-bit floats. Gen8 computes half floats
    // as floats, one register of them.
    let converted = ty == Type::Hf && cx.has(&quirks::MATH_HALF);
    let width = match ty {
        Type::F => 2 * native,
        Type::Df => native / 2,
        _ => native,
    };
    // What is converted saturates in the conversion back.
    let sat = match cx.instruction.has(&Suffix::Saturate) && !converted {
        true => " (sat)",
        false => "",
    };
    let lanes = cx.lanes();
    let mut lines = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let sat = if i + 1 == steps.len() { sat } else { "" };
        for from in (0..lanes).step_by(width as usize) {
            // Half floats fill a register of 64 bytes by halves at least.
            let least = match (ty, native) {
                (Type::Hf, 16) => native,
                _ => 1,
            };
            let mut exec = cx.exec(width.min(lanes - from).max(least));
            if converted && scalar(cx) {
                exec = super::plan::unmasked(1);
            }
            // The pieces of an instruction all have its own first lane; the steps of 64-bit functions alone
            // go on from it.
            if ty == Type::Df {
                exec.offset = exec.offset.saturating_add(from as u8);
            }
            let all = if exec.no_mask { "(W) " } else { "" };
            lines.push(format!("{all}{step} ({}|M{}){sat}", exec.size, exec.offset));
        }
    }
    lines
}

/// Whether the one source has the same element for all lanes; converted, it is computed once for all.
fn scalar(cx: &Lowering) -> bool {
    let source = cx.instruction.operands.get(1).map(|o| &o.node);
    let Some(Operand::General(general)) = source else {
        return false;
    };
    matches!(
        general.region.node,
        Region::Source {
            vertical: 0,
            horizontal: 0,
            ..
        }
    )
}

/// What each lane of the destination holds afterwards. An indirect destination is not followed.
fn computed(cx: &Lowering, steps: &[&'static str], ty: Type) -> Vec<Computed> {
    let [to, sources @ ..] = &cx.instruction.operands[..] else {
        return Vec::new();
    };
    let Operand::General(general) = &to.node else {
        return Vec::new();
    };
    let (Some(place), Region::Destination { stride }) = (cx.place_of(general), general.region.node)
    else {
        return Vec::new();
    };
    let size = ty.bytes();
    let whole = ty.is_integer();
    let operand = |i: usize, lane: u32| {
        let value = cx.lane(&sources.get(i)?.node, lane);
        // Whole numbers are computed as dwords.
        Some(Formula::Value(if whole { value.widened() } else { value }))
    };
    let formula = |lane: u32| {
        let of: Vec<Formula> = (0..2).filter_map(|i| operand(i, lane)).collect();
        let call = |name, of| Formula::Call(name, of);
        match (steps, <[Formula; 2]>::try_from(of)) {
            // The steps of 64-bit functions are not followed.
            _ if ty == Type::Df => Formula::Value(Value::Undefined),
            (["math.inv", "mul"], Ok([a, b])) => call("mul", vec![a, call("math.inv", vec![b])]),
            (["math.log", "mul", "math.exp"], Ok([a, b])) => {
                let logarithm = call("math.log", vec![call("abs", vec![a])]);
                call("math.exp", vec![call("mul", vec![logarithm, b])])
            }
            (steps, of) => {
                let mut of = of.map_or_else(|few| few, Vec::from);
                if ty == Type::Hf && cx.has(&quirks::MATH_HALF) {
                    let single = |half| call("f_from_hf", vec![half]);
                    of = of.into_iter().map(single).collect();
                    let name = steps.first().copied().unwrap_or_default();
                    return call("hf_from_f", vec![call(name, of)]);
                }
                let value = call(steps.first().copied().unwrap_or_default(), of);
                match whole && size < 4 {
                    true => call(ty.name(), vec![value]),
                    false => value,
                }
            }
        }
    };
    let predicate = cx.instruction.predicate.as_ref();
    let lanes = 0..cx.lanes();
    lanes
        .map(|lane| Computed {
            var: place.var,
            offset: place.offset.saturating_add(size * stride * lane),
            size,
            formula: formula(lane),
            inverted: predicate.map(|p| p.node.inverted),
        })
        .collect()
}
