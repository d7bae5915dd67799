//! Render target writes become templates. Source: vISA text reference 5.13; lowering reference 14.
//!
//! Operands are in the order of the flags: `[CPS] [RTI] [A] [O] R G B A [Z] [ST]` after surface and header.

use super::execution;
use super::operands::Scope;
use crate::check::VarId;
use crate::isa::Type;
use crate::message::request::{Request, TargetWrite};
use crate::program::{Op, Operands, Registers, Send};
use crate::syntax::ast::{Instruction, Operand, Suffix};

/// Flags of a render target write whose meaning visim does not model, and what they ask for.
pub const UNMODELLED: &[(&str, &str)] = &[
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

/// Flags that bring an operand: those in front of the colours, and those after, each in order.
const IN_FRONT: [&str; 4] = ["CPS", "RTI", "A", "O"];
const BEHIND: [&str; 2] = ["Z", "ST"];

/// Whether the first operand after surface and header is that of `<SI>`, of which nothing is made. The
/// reference has the flag without an operand, the finalizer's reader requires one in front of all others;
/// both are read. Source: lowering reference 21, row 23.
pub fn has_ignored_operand(has: impl Fn(&str) -> bool, operands: usize) -> bool {
    let flags = IN_FRONT.iter().chain(&BEHIND).filter(|word| has(word));
    has("SI") && operands > 2 + 4 + flags.count()
}

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
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let [surface, header, rest @ ..] = &operands[..] else {
        return None;
    };
    let ignored = has_ignored_operand(has, operands.len());
    let before = IN_FRONT.iter().filter(|word| has(word)).count() + usize::from(ignored);
    let mut colours = [None; 4];
    for (colour, operand) in colours.iter_mut().zip(rest.get(before..before + 4)?) {
        *colour = scope.raw(operand);
    }
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: scope.slot(surface),
        sampler: None,
        request: Request::Target(TargetWrite {
            surface: 0,
            lanes: lanes.count.into(),
            second_half: false,
            last: has("LRTW"),
            per_sample: has("PS"),
            coarse: has("CM") || has("CPS"),
            half: colours.iter().flatten().any(|raw| raw.ty == Type::Hf),
            target: 0,
            alpha: has("A"),
            omask: has("O"),
            depth: has("Z"),
            stencil: has("ST"),
            null: has("NULLRT"),
            eot: false,
        }),
        operands: Operands {
            scalars: Box::default(),
            registers: Registers {
                header: scope.raw(header),
                data: colours,
                ..Registers::NONE
            },
        },
    })))
}
