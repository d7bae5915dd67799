//! Raw messages: the registers that the text counts, and what their descriptors say.
//!
//! Source: vISA text reference 5.12 and 5.13, and what Intel's checker was observed to refuse.

use super::operand_size::must_hold_raw;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::Opcode;
use crate::message::default_lengths::counts_by_header;
use crate::message::fields::{Field, outer};
use crate::message::raw_lengths::{self, RawPart, RawWords};
use crate::syntax::ast::{Operand, Suffix};

/// `raw_send` and `raw_sends`.
pub(super) fn raw_message(cx: &Context<'_>, found: &mut Found<'_>) {
    if matches!(cx.opcode(), Opcode::RawSend | Opcode::RawSendc) {
        raw_send(cx, found);
    }
    raw_lengths(cx, found);
}

/// Operands: extended descriptor, registers sent, registers received, descriptor, source, destination.
fn raw_send(cx: &Context<'_>, found: &mut Found<'_>) {
    let lengths = match cx.operand(3).map(|o| &o.node) {
        Some(Operand::Immediate(i)) => Some(i.value_bits() as u32),
        _ => None,
    };
    let length = |field: Field| lengths.map_or(0, |bits| u64::from(field.get(&[bits])));
    let (sent, received) = (length(outer::LENGTH), length(outer::RESPONSE));
    for (index, what, range, least) in [
        (1, "sends", 1..=15, sent),
        (2, "receives", 0..=16, received),
    ] {
        let Some((&Operand::Number(n), span)) = cx.operand(index).map(|o| (&o.node, o.span)) else {
            continue;
        };
        let (label, help) = if !range.contains(&n) {
            let (first, last) = (range.start(), range.end());
            (
                format!("{n} registers, {first} to {last} are legal"),
                n.clamp(*first, *last),
            )
        } else if n < least {
            (format!("{n} registers, the descriptor says {least}"), least)
        } else {
            continue;
        };
        let opcode = cx.opcode();
        let d = cx
            .complaint(
                Code::E0373,
                format!("{opcode} {what} an invalid number of registers"),
            )
            .at(span, label)
            .note("the numbers must be at least the lengths in the descriptor")
            .help(help.to_string());
        found.push(d);
    }
}

/// The constant descriptors of a raw message, and what its text counts: out, out after them, back.
fn raw_words(cx: &Context<'_>) -> RawWords {
    let constant = |at: usize| match cx.operand(at).map(|o| &o.node) {
        Some(Operand::Immediate(i)) => Some(i.value_bits() as u32),
        _ => None,
    };
    let number = |at: usize| match cx.operand(at).map(|o| &o.node) {
        Some(Operand::Number(n)) => u32::try_from(*n).ok(),
        _ => None,
    };
    let sizes = cx.instruction.suffix(|s| match s {
        Suffix::SendSizes(sizes) => Some(sizes.clone()),
        _ => None,
    });
    let eot = matches!(cx.opcode(), Opcode::RawSendsEot | Opcode::RawSendscEot);
    let lanes = cx.lanes();
    match sizes.as_deref() {
        Some([function @ .., first, second, back]) => RawWords {
            function: function.first().copied(),
            ex_desc: constant(0),
            desc: constant(1),
            lengths: [Some(*first), Some(*second), Some(*back)],
            eot,
            lanes,
        },
        _ => RawWords {
            function: None,
            ex_desc: number(0),
            desc: constant(3),
            lengths: [number(1), None, number(2)],
            eot,
            lanes,
        },
    }
}

/// The registers of the parts, what the text counts beside the descriptors, what those count beside what
/// they ask for, and lanes.
fn raw_lengths(cx: &Context<'_>, found: &mut Found<'_>) {
    let words = raw_words(cx);
    raw_receivers(cx, found, &words);
    raw_room(cx, found, &words);
    let (opcode, platform) = (cx.opcode(), cx.platform);
    let mismatches = [
        (Code::W0385, words.text_vs_descriptor(platform)),
        (Code::W0386, words.beside_request(platform)),
        (Code::W0387, words.beside_lanes(platform)),
    ];
    for (code, labels) in mismatches {
        if let Some(remark) = raw_lengths::remark(code, opcode.info().mnemonic, &labels) {
            let d = remark.at(cx.mnemonic(), labels.join("; "));
            found.push(d);
        }
    }
}

/// The text and the extended descriptor name one receiver.
fn raw_receivers(cx: &Context<'_>, found: &mut Found<'_>, words: &RawWords) {
    let named = words
        .ex_desc
        .and_then(|word| raw_lengths::receivers(words.function, word, cx.platform));
    if let Some(label) = named {
        let d = cx
            .page_rule(Code::U0324, "raw message names two receivers")
            .at(cx.mnemonic(), label)
            .note("up to Gen11 the extended descriptor's is sent, later the text's");
        found.push(d);
    }
}

/// The parts of a raw message lie in variables that hold them.
fn raw_room(cx: &Context<'_>, found: &mut Found<'_>, words: &RawWords) {
    let split = words.lengths[1].is_some();
    let places = match split {
        true => [2, 3, 4],
        false => [4, cx.instruction.operands.len(), 5],
    };
    // Headers are made in the run.
    let decoded = words.decoded(cx.platform);
    let decoded = decoded.filter(|decoded| !counts_by_header(decoded));
    for (part, index) in RawPart::ALL.into_iter().zip(places) {
        let (lanes, platform) = (words.lanes, cx.platform);
        let Some(registers) = words.registers(part, platform) else {
            continue;
        };
        let Some((raw, span)) = cx.raw(index) else {
            continue;
        };
        let there = cx.room(raw);
        let lacking = there.and_then(|there| {
            let decoded = decoded.as_ref();
            raw_lengths::lacking(decoded, part, registers, lanes, platform, there)
        });
        if let Some(bytes) = lacking {
            let sum = raw_lengths::sum(part, registers, bytes, platform);
            must_hold_raw(
                cx,
                found,
                raw,
                span,
                bytes.into(),
                part == RawPart::Response,
                &sum,
            );
        }
    }
}
