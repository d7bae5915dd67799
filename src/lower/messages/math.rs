//! Extended math from Gen6 on: native instructions, no messages.
//!
//! ```text
//!  sqrt (M1, 16) V(0,0)<1> A(0,0)<8;8,1>    math.sqt (16|M0)
//!  pow from Gen12 on                        math.log, mul, math.exp
//! ```
//!
//! Only what is executed is told, lanes by lanes: registers are not given out here. Source: lowering
//! reference 16; steps and widths as the finalizer was seen to make them.

use super::Lowering;
use crate::isa::{Opcode, Platform, Type};
use crate::syntax::ast::Suffix;

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
        (Opcode::Pow, _) => "math.pow",
        (Opcode::Div, true) => "math.fdiv",
        (Opcode::Div, false) => "math.iqot",
        (Opcode::Mod, false) => "math.irem",
        _ => return None,
    })
}

/// What an extended math instruction executes; nothing for any other instruction.
pub(super) fn native(cx: &Lowering) -> Vec<String> {
    let op = cx.instruction.opcode.node;
    let Some(to) = cx.instruction.operands.first() else {
        return Vec::new();
    };
    let ty = cx.element_type(&to.node);
    let float = matches!(ty, Type::F | Type::Hf | Type::Df);
    let Some(name) = name(op, float) else {
        return Vec::new();
    };
    let later = cx.platform >= Platform::Tgl;
    let whole = [name];
    let steps: &[&str] = match op {
        Opcode::Inv | Opcode::Div if ty == Type::Df => &["math.invm"],
        Opcode::Sqrt | Opcode::Rsqrt if ty == Type::Df => &["math.rsqtm"],
        Opcode::Div if float && later => &["math.inv", "mul"],
        Opcode::Pow if later => &["math.log", "mul", "math.exp"],
        _ => &whole,
    };
    let native = cx.platform.native_lanes();
    // Two registers of floats, one of dwords and half floats, one of 64-bit floats.
    let width = match ty {
        Type::F => 2 * native,
        Type::Df => native / 2,
        _ => native,
    };
    let sat = match cx.instruction.has(&Suffix::Saturate) {
        true => " (sat)",
        false => "",
    };
    let lanes = cx.lanes();
    let mut lines = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let sat = if i + 1 == steps.len() { sat } else { "" };
        for from in (0..lanes).step_by(width as usize) {
            let mut exec = cx.exec(width.min(lanes - from));
            exec.offset = exec.offset.saturating_add(from as u8);
            let all = if exec.no_mask { "(W) " } else { "" };
            lines.push(format!("{all}{step} ({}|M{}){sat}", exec.size, exec.offset));
        }
    }
    lines
}
