//! The execution part, predicates and saturation.
//!
//! Source: vISA text reference 4.2, 4.3, 4.5 and 7.6; the page 3D_LOAD, "Exec_size".

use super::Storage;
use super::rules::{Context, Found};
use super::types::no_effect_on_predicate_move;
use crate::diagnostic::Code;
use crate::isa::{Exec, ExecUse, Opcode, PredicateUse, Slot, Type};
use crate::source::Spanned;
use crate::syntax::ast::{Operand, Suffix};

const MASKS: &str = "vISA text reference 4.2, \"Execution size and mask\"";

/// Lanes, mask offset, predicate, saturation.
pub(super) fn execution_part(cx: &Context<'_>, found: &mut Found<'_>) {
    if let Some(exec) = cx.instruction.exec
        && cx.opcode().info().exec == ExecUse::Lanes
    {
        lane_mask(cx, found, exec);
    }
    predication(cx, found);
    saturation(cx, found);
}

fn lane_mask(cx: &Context<'_>, found: &mut Found<'_>, exec: Spanned<Exec>) {
    let (size, offset) = (exec.size, u32::from(exec.offset));
    let mask = offset / 4 + 1;
    if !matches!(size, 1 | 2 | 4 | 8 | 16 | 32) {
        let near = size.clamp(1, 32).next_power_of_two();
        let d = cx
            .complaint(Code::E0401, format!("{size} is not an execution size"))
            .at(exec.span, "lanes are 1, 2, 4, 8, 16 or 32")
            .paste(format!("(M1, {near})"))
            .see(MASKS);
        found.push(d);
    } else if matches!(cx.opcode(), Opcode::Dpas | Opcode::Dpasw)
        && size != cx.platform.native_lanes()
    {
        let lanes = cx.platform.native_lanes();
        let d = cx
            .complaint(
                Code::E0401,
                format!("{} runs on {lanes} lanes", cx.opcode()),
            )
            .at(exec.span, format!("{size} lanes"))
            .note("one register of results to a row, a dword to a lane")
            .paste(format!("(M1, {lanes})"))
            .see("vISA text reference 5.2; vISA DPAS");
        found.push(d);
    } else if offset + size > 32 {
        let d = cx
            .complaint(Code::E0402, "mask reaches past lane 31")
            .at(exec.span, format!("lanes {offset}..={}", offset + size - 1))
            .note(format!(
                "M{mask} starts at lane {offset}; {offset} + {size} = {} is more than 32",
                offset + size
            ))
            .paste(format!("(M{}, {size})", (32 - size) / 4 + 1))
            .see(MASKS);
        found.push(d);
    } else if offset % size != 0 {
        let down = offset / size * size;
        let d = cx
            .page_rule(Code::E0403, "mask does not start at a multiple of the execution size")
            .at(exec.span, format!("M{mask} starts at lane {offset}, {size} lanes"))
            .note(format!(
                "{offset} mod {size} = {}; Intel's checker accepts it, its code generator complains and uses M1",
                offset % size
            ))
            .paste(format!("(M{}, {size})", down / 4 + 1))
            .see(MASKS);
        found.push(d);
    }
}

fn predication(cx: &Context<'_>, found: &mut Found<'_>) {
    let opcode = cx.opcode();
    let Some(predicate) = &cx.instruction.predicate else {
        if opcode.info().predicate == PredicateUse::Required {
            let d = cx
                .complaint(Code::E0405, format!("{opcode} needs a predicate"))
                .at(cx.mnemonic(), "no predicate in front")
                .note("the predicate receives the overflow bit of each lane")
                .help(format!("(P1) {opcode} …"));
            found.push(d);
        }
        return;
    };
    let moves_predicate = opcode == Opcode::Mov
        && matches!(cx.operand(1).map(|o| &o.node), Some(Operand::Predicate(_)));
    let logic_of_predicates =
        matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
            && matches!(cx.operand(0).map(|o| &o.node), Some(Operand::Predicate(_)));
    match opcode.info().predicate {
        PredicateUse::Ignored => {
            let d = cx
                .complaint(Code::W0406, format!("predicate on {opcode} has no effect"))
                .at(predicate.span, "dropped")
                .note(format!("Intel's reader accepts a predicate on {opcode} and loses it; every active lane is written"))
                .help(format!("{opcode} into another variable, then (P1) mov"))
                .see("vISA text reference 4.3");
            found.push(d);
        }
        PredicateUse::Optional | PredicateUse::Required
            if !moves_predicate && !logic_of_predicates =>
        {
            predicate_covers_lanes(cx, found);
        }
        _ if moves_predicate => {
            no_effect_on_predicate_move(
                cx,
                found,
                predicate.span,
                "a predicate in front",
                "mov …   // without it",
            );
        }
        _ => {
            let what = match logic_of_predicates {
                true => format!("{opcode} of predicates"),
                false => opcode.to_string(),
            };
            let instead = match cx.instruction.exec {
                Some(_) if opcode.info().exec == ExecUse::Lanes => {
                    "select lanes with the execution mask or a following sel"
                }
                // Without lanes there is nothing to select: the instruction runs or does not.
                _ => "it has no lanes to select; jump around it: (P1) goto …",
            };
            let d = cx
                .complaint(Code::E0404, format!("{what} takes no predicate"))
                .at(predicate.span, "has no place here")
                .help(format!("{opcode} …   // without it; {instead}"))
                .paste("")
                .see("vISA text reference 4.3");
            found.push(d);
        }
    }
}

/// A predicate with fewer bits than the lanes it is asked for leaves the rest undefined.
fn predicate_covers_lanes(cx: &Context<'_>, found: &mut Found<'_>) {
    let (Some(predicate), Some(exec)) = (&cx.instruction.predicate, cx.instruction.exec) else {
        return;
    };
    let last = u32::from(exec.offset) + exec.size;
    if let Storage::Predicate { bits } = cx.unit.variable(predicate.var).storage
        && bits < last
        // One lane takes the first bit there is.
        && exec.size > 1
    {
        let name = cx.name(predicate.var);
        let d = cx
            .complaint(
                Code::W0407,
                format!("{name} has fewer bits than the lanes it guards"),
            )
            .at(
                predicate.span,
                format!("{bits} bits, lanes {}..={}", exec.offset, last - 1),
            )
            .note(format!(
                "lane i uses bit i; bits from {bits} on are undefined and read as 0"
            ))
            .help(format!(
                "num_elts={}   // on {name}",
                last.next_power_of_two()
            ))
            .see("vISA text reference 4.2");
        found.push(d);
    }
}

fn saturation(cx: &Context<'_>, found: &mut Found<'_>) {
    let sat = |s: &&Spanned<Suffix>| s.node == Suffix::Saturate;
    let Some(suffix) = cx.instruction.suffixes.iter().find(sat) else {
        return;
    };
    let opcode = cx.opcode();
    let integer = cx
        .operand(0)
        .and_then(|d| cx.type_of(&d.node))
        .is_some_and(|t| t.is_integer());
    let double = cx.operand(0).and_then(|d| cx.type_of(&d.node)) == Some(Type::Df);
    let from_predicate = cx
        .with_slots()
        .any(|(slot, o)| slot == Slot::SrcMov && matches!(o.node, Operand::Predicate(_)));
    let why = match opcode {
        Opcode::Frc => "a fraction is in [0, 1) anyway",
        Opcode::Lzd | Opcode::Mod | Opcode::Mulh | Opcode::Madw => {
            "its result always fits or is cut on purpose"
        }
        Opcode::Div if integer => "an integer quotient cannot be out of range",
        Opcode::Div if double => "Intel's checker refuses it for df",
        Opcode::Mov if from_predicate => {
            no_effect_on_predicate_move(
                cx,
                found,
                suffix.span,
                "saturation",
                "mov …   // without it",
            );
            return;
        }
        _ => return,
    };
    let d = cx
        .complaint(Code::E0417, format!("{opcode} does not saturate here"))
        .at(suffix.span, why)
        .help(format!("{opcode}   // without .sat"))
        .see("vISA text reference 7.8");
    found.push(d);
}
