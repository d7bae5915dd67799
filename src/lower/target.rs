//! Render target writes become templates. Source: vISA text reference 5.13; lowering reference 14.
//!
//! Operands stand in the order of the flags: `[CPS] [RTI] [A] [O] R G B A [Z] [ST]` behind surface and header.

use super::execution;
use super::operands::Scope;
use crate::check::VarId;
use crate::program::{Op, Send, SendBody};
use crate::syntax::ast::{Instruction, Operand, Suffix};

/// Flags whose meaning visim does not model, and what they ask for.
const UNMODELLED: &[(&str, &str)] = &[
    ("PS", "per-sample dispatch"),
    ("CM", "coarse pixels"),
    ("CPS", "coarse pixels"),
    (
        "A",
        "source-0 alpha, which alpha test and alpha to coverage read",
    ),
    ("O", "the output mask of samples"),
    ("Z", "source depth: the depth test"),
    ("ST", "stencil: the stencil test"),
];

/// Lowers `rt_write_3d`; `None` if its operands are not registers.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, guard) = execution(scope, i);
    let flags = i
        .suffix(|s| match s {
            Suffix::TargetFlags(flags) => Some(flags.clone()),
            _ => None,
        })
        .unwrap_or_default();
    let has = |word: &str| flags.iter().any(|flag| *flag == *word);
    let unmodelled = UNMODELLED.iter().find(|(word, _)| has(word));
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let [surface, header, rest @ ..] = &operands[..] else {
        return None;
    };
    let before = ["CPS", "RTI", "A", "O"]
        .iter()
        .filter(|word| has(word))
        .count();
    let mut colours = [None; 4];
    for (colour, operand) in colours.iter_mut().zip(rest.get(before..before + 4)?) {
        *colour = scope.raw(operand);
    }
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: scope.slot(surface),
        sampler: None,
        body: SendBody::Target {
            header: scope.raw(header),
            colours,
            last: has("LRTW"),
            null: has("NULLRT"),
            unmodelled: unmodelled.map(|(_, what)| *what),
        },
    })))
}
