//! Render target writes of Ironlake: a header of two registers, colours, depth.
//!
//! ```text
//!  M0 r0, pixel enables    M1 the header operand, what is present    R G B A of slots 0 to 7
//!  R G B A of slots 8 to 15    [source depth]
//! ```
//!
//! The message ignores the execution mask: pixels that a predicate turns off are taken from the enables
//! in `M0.0`, which otherwise are those the thread was dispatched with.
//!
//! Source: lowering reference 18.6; PRM 5.10.7.

use super::super::output::Target;
use super::super::plan::Base;
use super::super::{Lowering, Op, PayloadPart, Result, Run, Value};
use super::{GRF, refuse};
use crate::isa::{Exec, Type};
use crate::message::Request;
use crate::message::fields::gen5_target_header as h;
use crate::message::request::{PixelForm, PixelHeader, PixelWrite};

/// Slots of one message.
const SLOTS: u32 = 16;

/// Lowers `rt_write_3d`.
pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let target = Target::read(cx)?;
    if target
        .index
        .as_ref()
        .is_some_and(|index| *index != Value::Const(0))
    {
        return refuse(
            cx,
            "Ironlake's header has no target index: a binding for each target",
        );
    }
    let half = target.is_half(cx);
    let Some(corners) = target.second_header else {
        return refuse(
            cx,
            "the second header register is %null: subspans have no place",
        );
    };
    let es = cx.lanes();
    let Exec { offset, .. } = cx.exec(es);
    let first_slot = u32::from(offset);
    if !matches!(es, 8 | 16) || first_slot + es > SLOTS {
        return refuse(
            cx,
            "Ironlake's message has slots 0 to 15, eight or sixteen lanes",
        );
    }
    // Slots 8 to 15 have no message of their own: their pixels alone are on in one of sixteen.
    let wide = es == 16 || first_slot == 8;
    let mut plan = cx.plan(Request::Pixels(PixelWrite {
        surface: 0,
        form: PixelForm::of_slots(wide),
        last: target.has("LRTW"),
        commit: false,
        header: PixelHeader::default(),
        eot: false,
    }))?;
    plan.surface = Some(cx.surface(0));
    plan.predicate = None;
    plan.header = Some(Base::R0);
    plan.terms.extend(enables(cx, wide, first_slot));
    plan.parts = vec![second_header(cx, corners, &target)];
    let data = |i: usize, group: u32, half: bool| {
        // Eight lanes lie at the start of their operand, whichever slots they are.
        let lane = match es {
            16 => 8 * group,
            _ if 8 * group == first_slot => 0,
            _ => return PayloadPart::absent(1, GRF),
        };
        match cx.raw(i) {
            // Colours of 16 bits do not exist here, as everywhere on this part.
            Some(place) if half => {
                PayloadPart::dwords((lane..lane + 8).map(|l| place.wide(l)), GRF)
            }
            Some(place) => cx.part(place.skip(4 * lane), GRF),
            None => PayloadPart::absent(1, GRF),
        }
    };
    let groups = 0..if wide { 2 } else { 1 };
    for group in groups.clone() {
        plan.parts
            .extend(target.colours.map(|i| data(i, group, half)));
    }
    if let Some(i) = target.depth {
        plan.parts.extend(groups.map(|group| data(i, group, false)));
    }
    cx.send(plan)
}

/// Of the enabled pixels those that slots and predicate leave.
fn enables(cx: &Lowering, wide: bool, first_slot: u32) -> Option<(usize, Value)> {
    let all = h::DISPATCHED.mask() | h::ENABLES.mask();
    let kept = if let Some(predicate) = &cx.instruction.predicate {
        let flag = match predicate.node.inverted {
            true => Value::Modified("not", Type::Ud, Box::new(Value::Flag)),
            false => Value::Flag,
        };
        let flag = Value::call(Op::Shl, flag, Value::Const(first_slot));
        Value::call(Op::Or, flag, Value::Const(h::DISPATCHED.mask()))
    } else if wide && first_slot == 8 {
        Value::Const(all & !0xff)
    } else {
        return None;
    };
    Some((
        h::ENABLES.dw,
        Value::call(Op::And, Value::Dispatch(0), kept),
    ))
}

/// The header operand; source depth, if it is sent, is reported in `M1.6`.
fn second_header(cx: &Lowering, place: super::RawOperand, target: &Target) -> PayloadPart {
    if target.depth.is_none() {
        return cx.part(place, GRF);
    }
    let flags = h::SOURCE_DEPTH.dw as u32 % 8;
    let present = Value::Const(h::SOURCE_DEPTH.mask());
    let words = (0..8).map(|dw| match dw {
        dw if dw == flags => Value::call(Op::Or, place.dword(dw), present.clone()),
        dw => place.dword(dw),
    });
    PayloadPart::from_runs(
        words.map(|value| Run::Value { value, size: 4 }).collect(),
        GRF,
    )
}
