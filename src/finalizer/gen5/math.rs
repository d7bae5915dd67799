//! Extended math as messages of eight or sixteen lanes. Source: lowering reference 18.7.

use super::super::{Destination, Lowering, Part, Plan, Result, Value};
use super::{GRF, refuse};
use crate::isa::{Opcode, Type};
use crate::math::unit::Function;
use crate::message::Sfid;
use crate::message::fields::gen5_math;
use crate::message::math::function as function_of;
use crate::syntax::ast::{Operand, Region, Suffix};

/// Lowers an instruction of extended math.
pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let Some(mut function) = function_of(cx.instruction.opcode.node) else {
        return Ok(());
    };
    let operands = &cx.instruction.operands;
    let [to, sources @ ..] = &operands[..] else {
        return refuse(cx, "a destination is wanted");
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
        // The reciprocal of the denominator; the multiplication that follows is no message.
        function = Function::Inv;
    }
    let Operand::General(general) = &to.node else {
        return refuse(cx, "an indirect destination is not modelled here");
    };
    let Region::Destination { stride } = general.region.node else {
        return refuse(cx, "a destination region is wanted");
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
    let control = function as u32
        | u32::from(signed && function != Function::Inv) << gen5_math::SIGNED.lo
        | u32::from(saturate) << gen5_math::SATURATE.lo;
    // Denominator first; a reciprocal has the denominator alone.
    let order: Vec<usize> = match function {
        Function::Quotient | Function::Remainder => vec![1, 0],
        Function::Pow => vec![0, 1],
        _ if cx.instruction.opcode.node == Opcode::Div => vec![1],
        _ => vec![0],
    };
    let place = cx.place_of(general);
    for (send, from) in (0..es.max(8)).step_by(width as usize).enumerate() {
        let mut exec = cx.exec(width.min(es));
        exec.offset = exec.offset.saturating_add(from as u8);
        let mut plan = Plan::new(Sfid::Math, Value::Const(control), exec);
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
                Part::dwords(lanes, GRF)
            })
            .collect();
        plan.first = plan.parts.len();
        plan.response = width * 4 / GRF * function.results();
        plan.destination = Destination::Temporary;
        cx.send(plan);
        // A reciprocal for a division is not the result yet.
        if cx.instruction.opcode.node == Opcode::Div && float {
            continue;
        }
        for lane in 0..width.min(es.saturating_sub(from)) {
            let to = 4 * stride * (from + lane);
            cx.write_bytes(place, to, send, 4 * lane, 4);
        }
    }
    Ok(())
}
