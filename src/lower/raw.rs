//! Raw sends: descriptors are taken as they are and read when they run.
//! Source: vISA text reference 5.12; lowering reference 17.

use super::operands::Scope;
use super::{SCALAR, execution};
use crate::check::VarId;
use crate::isa::Opcode;
use crate::message::extended::with_second_length;
use crate::message::fields::extended_gen11;
use crate::message::raw_lengths::of_one_source;
use crate::program::{ExtendedWord, Op, RawMessage};
use crate::syntax::ast::{Instruction, Operand, Suffix};

/// Lowers a raw send; `None` if its lengths cannot be read.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, guard) = execution(scope, i);
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let message = match (*i.opcode, &operands[..]) {
        (
            Opcode::RawSend | Opcode::RawSendc,
            [
                Operand::Number(word),
                Operand::Number(sent),
                Operand::Number(written),
                desc,
                payload,
                dst,
            ],
        ) => RawMessage {
            lanes,
            guard,
            function: None,
            ex_desc: ExtendedWord::Known(of_one_source(u32::try_from(*word).ok()?, scope.platform)),
            desc: scope.source(desc, SCALAR)?,
            lengths: [u32::try_from(*sent).ok()?, 0, u32::try_from(*written).ok()?],
            payload: [scope.raw(payload), None],
            dst: scope.raw(dst),
            // A raw send has no word for it: the extended descriptor's bit ends the thread.
            // Source: lowering reference 1.3.
            eot: u32::try_from(*word).is_ok_and(|word| extended_gen11::EOT.get(&[word]) != 0),
            constant: is_constant(desc),
            waited: None,
        },
        (opcode, [ex_desc, desc, first, second, dst]) => {
            let sizes = i.suffix(|s| match s {
                Suffix::SendSizes(sizes) => Some(sizes.clone()),
                _ => None,
            })?;
            // The function is left out where the descriptor names it.
            let (function, lengths) = match sizes[..] {
                [function, a, b, c] => (Some(function), [a, b, c]),
                [a, b, c] => (None, [a, b, c]),
                _ => return None,
            };
            RawMessage {
                lanes,
                guard,
                function,
                ex_desc: match ex_desc {
                    Operand::Immediate(word) => ExtendedWord::Known(with_second_length(
                        word.bits as u32,
                        lengths[1],
                        scope.platform,
                    )),
                    operand => ExtendedWord::Operand(scope.source(operand, SCALAR)?),
                },
                desc: scope.source(desc, SCALAR)?,
                lengths,
                payload: [scope.raw(first), scope.raw(second)],
                dst: scope.raw(dst),
                eot: matches!(opcode, Opcode::RawSendsEot | Opcode::RawSendscEot),
                constant: is_constant(ex_desc) && is_constant(desc),
                waited: None,
            }
        }
        _ => return None,
    };
    Some(Op::RawSend(Box::new(message)))
}

fn is_constant(operand: &Operand<VarId>) -> bool {
    matches!(operand, Operand::Immediate(_))
}
