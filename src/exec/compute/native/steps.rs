//! How far apart the values of neighbouring lanes are likely to be: by so much messages ask whether they follow each other.
//!
//! ```text
//!  mov  V0 ← words      1, as of the numbers of threads in a group
//!  mad  V1 ← V0 3 V9    3
//!  shl  V1 ← V1 2       12: three dwords for each lane
//!  load V2 ← [V1]       asked for 12
//! ```
//!
//! A sum is as far apart as its terms have in common: of a place in a picture, columns are near and rows are far, but mostly
//! the same for all lanes. What is loaded, and bytes, may be anything, and so may be what is computed from them. Nothing
//! depends on it but what is asked, so that it goes on through branches.

use super::order::Elements;
use super::qwords::Qwords;
use super::select::{Bytes, Inst, Work};
use super::transfer::Transfer;
use crate::exec::compute::decoded::operand::{Operand, OperandShape, Put};
use crate::isa::Opcode;

/// The step of what may be anything.
pub const ANYTHING: u32 = 0;

/// How much wider than an element a row is, where it is not known: lanes that are in rows are seldom in several.
const ROW: u32 = 1 << 16;

/// What is known here.
#[derive(Default)]
pub struct Steps {
    known: Vec<(Elements, u32)>,
}

impl Steps {
    /// Nothing any more.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// How far apart values are; of 32 those of the first half.
    pub fn of(&self, of: Elements) -> Option<u32> {
        let known = |of| self.known.iter().find(|(own, _)| *own == of);
        let half = of.lanes == 32;
        let found = known(of).or_else(|| known(of.half(0)).filter(|_| half));
        found.map(|(_, step)| *step)
    }

    /// An op has been emitted; how far apart its results are.
    pub fn written(&mut self, new: impl IntoIterator<Item = (Elements, u32)>, written: &[Bytes]) {
        let is_old = |of: &Elements| written.iter().any(|own| own.overlaps(of.all()));
        self.known.retain(|(of, _)| !is_old(of));
        self.known.extend(new);
    }

    /// How far apart the results of an instruction are.
    pub fn of_inst(&self, inst: &Inst) -> Option<(Elements, u32)> {
        let Put::Dense(at) = inst.dst else {
            return None;
        };
        let of = |at| Elements::dwords(at, inst.lanes);
        let own = |operand: &Operand| match operand.form {
            OperandShape::Dense => self.of(of(operand.at())),
            OperandShape::Strided(_, 1) => Some(ANYTHING),
            OperandShape::Strided(_, 2) => (inst.lanes.count > 2).then_some(1),
            OperandShape::Strided(_, 4) => self.of(of(operand.at())),
            _ => None,
        };
        let steps = inst.src.iter().map(own);
        let number = |k: usize| {
            let operand = &inst.src[k];
            match operand.form {
                OperandShape::Value => Some(operand.at()),
                OperandShape::Scalar => Some(ROW),
                _ => None,
            }
        };
        let step = match inst.work {
            // What lies within bounds mostly is what it was.
            Work::Move
            | Work::Select
            | Work::Unsigned(_)
            | Work::Dword(Opcode::Min | Opcode::Max) => steps.flatten().next(),
            Work::Dword(Opcode::Add | Opcode::Add3) => together(steps),
            Work::Dword(Opcode::Mul) => {
                let number = number(0).or_else(|| number(1));
                number.and_then(|by| times(steps.flatten().next(), by))
            }
            Work::Dword(Opcode::Mad) => {
                let factor = number(0).or_else(|| number(1));
                let factors = inst.src[..2].iter().map(own);
                let product = factor.and_then(|by| times(factors.flatten().next(), by));
                together([product, own(&inst.src[2])].into_iter())
            }
            Work::Dword(Opcode::Shl) => number(1).and_then(|by| shifted(own(&inst.src[0]), by)),
            _ => None,
        };
        step.map(|step| (of(at), step))
    }

    /// What a message loads.
    pub fn of_message(message: &Transfer) -> Vec<(Elements, u32)> {
        if message.write || message.bytes > 4 {
            return Vec::new();
        }
        let row = |element, half| message.row_of(element, half).at;
        let rows = (0..message.rows).flat_map(|element| {
            let whole = Elements::dwords(row(element, 0), message.lanes);
            let halves = (0..message.halves()).map(move |half| Elements {
                at: row(element, half),
                lanes: message.row(),
                ..whole
            });
            halves.chain([whole])
        });
        rows.map(|of| (of, ANYTHING)).collect()
    }

    /// The same of one that computes qwords.
    pub fn of_qwords(&self, op: &Qwords) -> Option<(Elements, u32)> {
        let steps = op.lanes_of_terms();
        let steps = steps.map(|(of, narrow)| match narrow {
            true => Some(1),
            false => of.and_then(|of| self.of(of)),
        });
        let step = match op.sum()? {
            (0, 0) => together(steps)?,
            (by, 0) => times(steps.flatten().next(), by)?,
            (_, by) => shifted(steps.flatten().next(), by)?,
        };
        Some((op.elements(), step))
    }
}

/// The step of a sum: what those that are known have in common, if none may be anything.
fn together(steps: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    steps.flatten().reduce(|a, b| {
        if a == ANYTHING || b == ANYTHING {
            return ANYTHING;
        }
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// That of a product.
fn times(step: Option<u32>, by: u32) -> Option<u32> {
    let step = step?;
    let product = step.checked_mul(by)?;
    (step == ANYTHING || product > 0).then_some(product)
}

fn shifted(step: Option<u32>, by: u32) -> Option<u32> {
    times(step, 1u32.checked_shl(by)?)
}
