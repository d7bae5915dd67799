//! Extended math as messages of eight or sixteen lanes. Source: lowering reference 18.7.

use super::super::plan::Copies;
use super::super::{Lowering, PayloadPart, Result, Value};
use super::{GRF, refuse};
use crate::isa::{Opcode, Type};
use crate::math::unit::{Control, Function};
use crate::message::Request;
use crate::message::math::function as function_of;
use crate::syntax::ast::{Operand, Region, Suffix};

/// Lowers an instruction of extended math.
pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let Some(mut function) = function_of(cx.instruction.opcode.node) else {
        return Ok(());
    };
    let operands = &cx.instruction.operands;
    let [to, sources @ ..] = &operands[..] else {
        return refuse(cx, "a destination is required");
    };
    let types: Vec<Type> = sources.iter().map(|s| cx.element_type(&s.node)).collect();
    let float = types.iter().all(|ty| *ty == Type::F);
    let whole = types.iter().all(|ty| matches!(ty, Type::D | Type::Ud));
    if !float && !whole {
        return refuse(
            cx,
            "Ironlake's math unit computes with f, d and ud: convert first",
        );
    }
    let divides = matches!(function, Function::Quotient | Function::Remainder);
    if float == divides {
        if !(float && function == Function::Quotient) {
            return refuse(
                cx,
                "Ironlake's math unit has no such function for this type",
            );
        }
        // The reciprocal of the denominator; the multiplication that follows is not a message.
        function = Function::Inv;
    }
    let Operand::General(general) = &to.node else {
        return refuse(cx, "an indirect destination is not modelled here");
    };
    let Region::Destination { stride } = general.region.node else {
        return refuse(cx, "a destination region is required");
    };
    let signed = divides && types.contains(&Type::D);
    let saturate = cx.instruction.has(&Suffix::Saturate) && function != Function::Inv
        || cx.instruction.has(&Suffix::Saturate) && cx.instruction.opcode.node != Opcode::Div;
    let es = cx.lanes();
    let width = if es > 8 && !function.takes_two() {
        16
    } else {
        8
    };
    let control = Control {
        function,
        signed: signed && function != Function::Inv,
        partial: false,
        saturate,
        scalar: false,
    };
    // Denominator first; a reciprocal has the denominator alone.
    let order: Vec<usize> = match function {
        Function::Quotient | Function::Remainder => vec![1, 0],
        Function::Pow => vec![0, 1],
        _ if cx.instruction.opcode.node == Opcode::Div => vec![1],
        _ => vec![0],
    };
    let place = cx.place_of(general);
    for from in (0..es.max(8)).step_by(width as usize) {
        let response = width * 4 / GRF * function.results();
        let mut plan = cx.plan(Request::Math(control))?;
        plan.response = response;
        plan.exec.size = width.min(es);
        plan.exec.offset = plan.exec.offset.saturating_add(from as u8);
        plan.parts = order
            .iter()
            .filter_map(|&i| sources.get(i))
            .map(|source| {
                let lanes = (0..width).map(|lane| {
                    if from + lane < es {
                        cx.lane(&source.node, from + lane)
                    } else {
                        Value::Undefined
                    }
                });
                PayloadPart::dwords(lanes, GRF)
            })
            .collect();
        // A reciprocal for a division is not the result yet.
        let copied = match cx.instruction.opcode.node == Opcode::Div && float {
            true => 0,
            false => width.min(es.saturating_sub(from)),
        };
        let copy = |lane: u32| [4 * stride * (from + lane), 4 * lane, 4];
        plan.copies = Copies::Bytes((0..copied).map(copy).collect());
        plan.place = place;
        cx.send(plan)?;
    }
    Ok(())
}
