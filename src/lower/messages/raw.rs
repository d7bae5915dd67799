//! Raw sends: passed through, the lengths of the text believed. Source: lowering reference 17.

use super::{Destination, Lowering, Part, Result, Run, Send, Value};
use crate::diagnostic::Code;
use crate::isa::{Opcode, Platform};
use crate::message::Sfid;
use crate::message::extended::with_second_length;
use crate::message::fields::{extended_gen11 as ex, outer};
use crate::syntax::ast::{Operand, Suffix};

pub(super) fn lower(cx: &mut Lowering) -> Result<()> {
    let op = cx.instruction.opcode.node;
    let number = |at: usize| match cx.instruction.operands.get(at).map(|o| &o.node) {
        Some(Operand::Number(n)) => u32::try_from(*n).ok(),
        _ => None,
    };
    let split = !matches!(op, Opcode::RawSend | Opcode::RawSendc);
    let conditional = matches!(
        op,
        Opcode::RawSendc | Opcode::RawSendsc | Opcode::RawSendscEot
    );
    let (ex_desc, desc, named, lengths, first, second, destination) = if split {
        let sizes = cx
            .instruction
            .suffix(|s| match s {
                Suffix::SendSizes(sizes) => Some(sizes.clone()),
                _ => None,
            })
            .unwrap_or_default();
        // ffid.nsrc0.nsrc1.ndst, the function left out when the descriptor names it.
        let (named, sizes) = match &sizes[..] {
            [ffid, sizes @ ..] if sizes.len() == 3 => (Some(*ffid), sizes.to_vec()),
            sizes => (None, sizes.to_vec()),
        };
        let [a, b, c] = sizes[..] else {
            return cx.refuse(Code::E0380, "three lengths are wanted");
        };
        (
            cx.scalar(0),
            cx.scalar(1),
            named,
            [a, b, c],
            cx.raw(2),
            cx.raw(3),
            cx.raw(4),
        )
    } else {
        let (Some(word), Some(a), Some(c)) = (number(0), number(1), number(2)) else {
            return cx.refuse(
                Code::E0380,
                "an extended descriptor and two lengths are wanted",
            );
        };
        (
            Value::Const(word),
            cx.scalar(3),
            None,
            [a, 0, c],
            cx.raw(4),
            None,
            cx.raw(5),
        )
    };
    // Or by the extended descriptor's own bit, up to Gen11 (lowering reference 1.3); that of the form with
    // one source moves into the instruction from Gen12 on, as was seen in the finalizer.
    let by_descriptor = !split || cx.platform <= Platform::Icl;
    let eot = matches!(op, Opcode::RawSendsEot | Opcode::RawSendscEot)
        || by_descriptor && ex_desc.constant().is_some_and(|w| ex::EOT.get(&[w]) != 0);
    if lengths.iter().any(|n| *n > 31) {
        return cx.refuse(Code::E0380, "a message has at most 31 registers");
    }
    let number = named
        .or_else(|| ex_desc.constant().map(|w| ex::SFID.get(&[w])))
        .unwrap_or(0);
    let Some(sfid) = Sfid::from_number(number, cx.platform) else {
        return cx.refuse(
            Code::E0380,
            format!("{} has no shared function {number}", cx.platform),
        );
    };
    let grf = cx.grf();
    let registers = |place: Option<super::operand::Place>, count: u32| -> Vec<Vec<Run>> {
        match place {
            Some(p) if count > 0 => cx.part(p, count * grf).registers,
            _ if count > 0 => Part::absent(count, grf).registers,
            _ => Vec::new(),
        }
    };
    let mut first_registers = registers(first, lengths[0]);
    let second_registers = registers(second, lengths[1]);
    // What the descriptor calls a header is one.
    let header_present = desc
        .constant()
        .is_some_and(|d| outer::HEADER.get(&[d]) != 0)
        && !sfid.is_lsc();
    let header = if header_present && !first_registers.is_empty() {
        let register = first_registers.remove(0);
        dwords(&register)
    } else {
        Vec::new()
    };
    let bits = desc.constant();
    let written = lengths[2];
    let exec = cx.exec(cx.lanes());
    // The lengths of the text are believed, and one that the descriptor has already stays.
    let ex_desc = match ex_desc {
        Value::Const(word) if split => {
            Value::Const(with_second_length(word, lengths[1], cx.platform))
        }
        other => other,
    };
    let second_length = match ex_desc {
        Value::Const(word) if split && cx.platform <= Platform::Tgl => ex::LENGTH.get(&[word]),
        _ => lengths[1],
    };
    // An instruction that ends the thread sets the bit that says so, where the descriptor has it.
    let ex_desc = match ex_desc {
        Value::Const(word) if split && eot => {
            Value::Const(placed(word | ex::EOT.mask(), cx.platform))
        }
        Value::Const(word) => Value::Const(placed(word, cx.platform)),
        other => other,
    };
    let send = Send {
        mnemonic: cx.mnemonic(sfid, conditional, split),
        exec,
        predicate: cx.instruction.predicate.as_ref().map(|p| p.node.clone()),
        sfid,
        message_length: bits.map_or(lengths[0], |d| outer::LENGTH.get(&[d])),
        extended_length: second_length,
        response_length: bits.map_or(written, |d| outer::RESPONSE.get(&[d])),
        header_present,
        header,
        first: first_registers,
        second: second_registers,
        destination: match (destination, written) {
            (Some(p), 1..) => Destination::Variable(p.var, p.offset),
            _ => Destination::Null,
        },
        // Of a register the later parts' instruction says so.
        options: (ex_desc.constant().is_none() && cx.platform >= Platform::Dg2)
            .then_some("ExBSO")
            .into_iter()
            .chain(first.and_then(|place| cx.preemption((place.root, place.at))))
            .collect(),
        eot,
        desc,
        ex_desc,
    };
    // With a descriptor in a register what comes back is known to the text alone.
    if bits.is_some() {
        let registers = send.response_length;
        cx.write_registers(destination, 0, registers);
    }
    cx.lowered.sends.push(send);
    Ok(())
}

/// The fields of a constant extended descriptor that stay in it: function and lengths move into the
/// instruction on later parts. Source: lowering reference 1.3.
fn placed(word: u32, platform: Platform) -> u32 {
    let gone = match platform {
        Platform::Tgl => ex::SFID.mask() | ex::EOT.mask(),
        Platform::Dg2 | Platform::Pvc => ex::SFID.mask() | ex::EOT.mask() | ex::LENGTH.mask(),
        _ => 0,
    };
    word & !gone
}

/// A register of bytes as dwords.
fn dwords(register: &[Run]) -> Vec<Value> {
    let mut words = Vec::new();
    for run in register {
        match run {
            Run::Bytes { root, offset, len } => {
                words.extend((0..len / 4).map(|dw| Value::Element {
                    root: *root,
                    offset: offset + 4 * dw,
                    ty: crate::isa::Type::Ud,
                }));
            }
            other => words.extend((0..other.len() / 4).map(|_| Value::Undefined)),
        }
    }
    words
}
