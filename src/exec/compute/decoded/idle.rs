//! Moves that change nothing: compilers print surface and sampler in front of every message, though most
//! messages name the same ones.
//!
//! ```text
//!  movs S0(0) 0x0:ud      S0 holds 0
//!  sample … S0 …
//!  movs S0(0) 0x0:ud      nothing to do, unless somebody may have come here by a jump
//! ```

use crate::isa::{Opcode, Type};
use crate::program::{Alu, CompareDest, Op, Program, Region, SymbolClass};
use std::ops::Range;

/// For each op whether it moves to a surface or sampler variable what that holds already. `entered`: the ops that
/// a jump may lead to.
pub fn idle(program: &Program, entered: &[bool]) -> Vec<bool> {
    let mut held: Vec<(u32, u32)> = Vec::new();
    let ops = (0..).zip(&program.ops).zip(entered);
    ops.map(|((at, op), &entered)| {
        if entered {
            held.clear();
        }
        if let Some(state) = constant_state(program, op) {
            if held.contains(&state) {
                return true;
            }
            held.retain(|(at, _)| *at != state.0);
            held.push(state);
            return false;
        }
        match op {
            // Answers go to general variables.
            Op::Send(_) | Op::RawSend(_) | Op::Nothing | Op::Lifetime(_) => {}
            Op::PredicateLogic { .. } | Op::SetPredicate { .. } => {}
            // Lanes that wait after a loop may find what the loop has left.
            Op::Goto { target, .. } if *target > at => {}
            Op::Compare {
                dst: CompareDest::Predicate(_),
                ..
            } => {}
            Op::Alu(alu) => match written(alu) {
                Some(bytes) => held.retain(|(at, _)| at + 4 <= bytes.start || bytes.end <= *at),
                None => held.clear(),
            },
            _ => held.clear(),
        }
        false
    })
    .collect()
}

/// The variable and the value of a move that gives a surface or sampler variable a constant, whatever lanes run.
fn constant_state(program: &Program, op: &Op) -> Option<(u32, u32)> {
    let Op::Alu(alu) = op else { return None };
    let [source] = &alu.src[..] else { return None };
    let (Region::Dense(to), Region::Scalar(from)) = (&alu.dst.region, &source.region) else {
        return None;
    };
    let bare = alu.opcode == Opcode::Mov
        && alu.lanes.count == 1
        && alu.lanes.no_mask
        && alu.guard.is_none()
        && alu.dst2.is_none()
        && alu.overflow.is_none()
        && !alu.saturate
        && source.modifier.is_none()
        && alu.dst.ty == Type::Ud
        && source.ty == Type::Ud;
    let state = program.owners.iter().any(|owner| {
        matches!(owner.class, SymbolClass::Surface | SymbolClass::Sampler)
            && owner.range.contains(to)
    });
    let bytes = program.image.get(*from as usize..)?.first_chunk()?;
    (bare && state && program.is_constant(*from)).then(|| (*to, u32::from_le_bytes(*bytes)))
}

/// The bytes between the first and the last that an op may write; `None` if they are not known here.
fn written(alu: &Alu) -> Option<Range<u32>> {
    if alu.dst2.is_some() || alu.overflow.is_some() {
        return None;
    }
    super::join::extent(&alu.dst.region, alu.dst.ty.bytes(), alu.lanes)
}
