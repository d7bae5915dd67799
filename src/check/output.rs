//! Output and motion estimation: messages with a few numbers of their own.
//!
//! Source: vISA text reference 5.12 and 5.13, and what Intel's checker was observed to refuse.

use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::Opcode;
use crate::syntax::ast::Operand;

/// `urb_write_3d` and `rt_write_3d`.
pub(super) fn output_message(cx: &Context<'_>, found: &mut Found<'_>) {
    match cx.opcode() {
        Opcode::UrbWrite3d => urb_write(cx, found),
        Opcode::RtWrite3d => target_write(cx, found),
        _ => {}
    }
}

pub(super) fn motion_estimation(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some((&Operand::Pair(stream, search), span)) = cx.operand(0).map(|o| (&o.node, o.span))
    else {
        return;
    };
    let label = if stream > 3 {
        format!("stream mode {stream}, 0 to 3 are legal")
    } else if !matches!(search, 0 | 1 | 3 | 7) {
        format!("search control {search}; 0, 1, 3 and 7 are legal")
    } else {
        return;
    };
    let d = cx
        .complaint(Code::E0374, "motion estimation setting out of range")
        .at(span, label)
        .help("(0,0)");
    found.push(d);
}

/// Operands: registers, global offset, mask, handle, slot offsets, data.
fn urb_write(cx: &Context<'_>, found: &mut Found<'_>) {
    for (index, what, range) in [(0, "registers", 1..=8), (1, "global offset", 0..=2047)] {
        if let Some((&Operand::Number(n), span)) = cx.operand(index).map(|o| (&o.node, o.span))
            && !range.contains(&n)
        {
            let d = cx
                .complaint(Code::E0375, "URB write out of range")
                .at(
                    span,
                    format!("{what} {n}, {} to {} are legal", range.start(), range.end()),
                )
                .help(n.clamp(*range.start(), *range.end()).to_string());
            found.push(d);
        }
    }
    if let Some(exec) = cx.instruction.exec
        && matches!(exec.size, 2 | 4 | 16 | 32)
    {
        let d = cx
            .complaint(
                Code::E0375,
                format!("URB write does not work on {} lanes", exec.size),
            )
            .at(exec.span, "1 or 8 lanes")
            .help("(M1, 8)");
        found.push(d);
    }
}

/// A surface, a header, and at least one colour.
fn target_write(cx: &Context<'_>, found: &mut Found<'_>) {
    if cx.instruction.operands.len() < 3 {
        let d = cx
            .complaint(Code::E0376, "render target write without a colour")
            .at(cx.mnemonic(), "nothing after the header")
            .help("rt_write_3d (M1, 8) T6 %null.0 R.0 G.0 B.0 A.0");
        found.push(d);
    }
}
