//! Where a program turns the direction in which it rounds and turns it back straight on, as compiled divisions do.
//!
//! ```text
//!  75  xor %cr0 ← %cr0 0x30
//!  76  load control            ┐
//!  77  mov V1 ← V0             │  rounded toward zero; nobody enters here, for it is not known
//!  78  inv V2 ← V1             │  where that is so but on the way from 76
//!  79  xor %cr0 ← %cr0 0x30    │
//!  80  load control            ┘
//!  81  mov V3 ← V2                rounded as in front of 76
//! ```
//!
//! Code compares what `%cr0` holds with what it should, and is left in front of the op where that is something else.

use super::Rounds;
use super::assembler::{Alu as Which, Gpr, If, Place};
use super::call::field;
use super::emit::Emitter;
use super::region::Item;
use super::transfer::constant;
use crate::exec::state::float_mode::{FloatMode, Rounding};
use crate::isa::Opcode;
use crate::program::{Op, Program, Region, Source};

/// The mode is read again.
#[derive(Clone, Copy)]
pub struct Turn {
    /// Arena offset of `%cr0`.
    pub at: u32,
    /// The bits of the mode that are other than where code was entered, behind it.
    pub bits: u32,
    /// How singles and doubles are rounded then.
    pub rounding: Rounding,
}

/// Makes code of what turns the direction and turns it back, where all that is between is code in some direction. Says for
/// each op, and for the end, the bits of the mode that are other in front of it than where code is entered.
///
/// * `items`: the code of ops whatever the rounding.
/// * `entered`: the ops that a jump may lead to.
pub fn turn(
    program: &Program,
    items: &mut [Option<Item>],
    entered: &[bool],
    rounds: Rounds,
) -> Vec<u32> {
    let mut turned = vec![0; items.len() + 1];
    let Some(at) = program.symbols.get("%cr0").map(|s| s.offset) else {
        return turned;
    };
    let turns = |pc: usize| turns(program, at, pc).filter(|_| rounds != Rounds::Flushed);
    let rounding = |bits: u32| rounds.rounding().turned(bits);
    let mut from = 0;
    while let Some(first) = (from..items.len()).find(|&pc| turns(pc).is_some()) {
        let (mut pc, mut bits) = (first, 0);
        let mut found = Vec::new();
        loop {
            let item = items[pc].as_ref();
            match (turns(pc), item) {
                (Some(turned), _) => {
                    bits ^= turned;
                    let rounding = rounding(bits);
                    found.push((pc, Turn { at, bits, rounding }));
                }
                (None, Some(item)) if item.is_straight() => {}
                _ => break,
            }
            pc += 1;
            if bits == 0 || pc == items.len() || entered[pc] {
                break;
            }
        }
        from = pc.max(first + 1);
        if bits != 0 {
            continue;
        }
        let ends = found.iter().skip(1).map(|(end, _)| *end);
        for ((start, turn), end) in found.iter().zip(ends) {
            turned[start + 1..=end].fill(turn.bits);
        }
        for (pc, turn) in found {
            items[pc] = Some(Item::Turn(turn));
        }
    }
    turned
}

/// The bits of the direction that an op reads again, if the op in front of it has turned these alone.
fn turns(program: &Program, at: u32, pc: usize) -> Option<u32> {
    let [Op::Alu(alu), Op::LoadControl] = program.ops.get(pc.checked_sub(1)?..=pc)? else {
        return None;
    };
    let is_control =
        |region: &Region| matches!(region, Region::Scalar(own) | Region::Dense(own) if *own == at);
    let number = |source: &Source| match source.region {
        Region::Scalar(own) if source.modifier.is_none() => constant(program, own, source.ty),
        _ => None,
    };
    let [a, b] = &alu.src[..] else { return None };
    let bits = match (is_control(&a.region), is_control(&b.region)) {
        (true, false) => number(b)?,
        (false, true) => number(a)?,
        _ => return None,
    };
    let bits = u32::try_from(bits)
        .ok()
        .filter(|bits| bits & !Rounding::BITS == 0 && *bits != 0)?;
    (alu.opcode == Opcode::Xor && is_control(&alu.dst.region)).then_some(bits)
}

impl Emitter {
    /// Reads the mode again.
    pub fn turn(&mut self, turn: &Turn) {
        let leave = self.leave_label();
        let code = &mut self.code;
        code.load(Gpr::Rax, Place::Arena(turn.at));
        code.alu_place(Which::Xor, Gpr::Rax, Place::Context(field::CONTROL));
        code.alu_number(Which::And, Gpr::Rax, FloatMode::BITS);
        code.alu_number(Which::Cmp, Gpr::Rax, turn.bits);
        code.jump_if(If::NotZero, leave);
        code.round(turn.rounding);
    }
}
