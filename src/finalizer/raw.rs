//! Raw sends: passed through, the lengths of the text believed. Source: lowering reference 17.

use super::{Destination, Lowering, PayloadPart, Result, Run, Send, Value, lsc, quirks};
use crate::diagnostic::Code;
use crate::isa::platforms::ExtendedDescriptor as Kind;
use crate::isa::{Opcode, Platform};
use crate::message::Sfid;
use crate::message::extended::{extended_layout, length_field};
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
            return cx.refuse(Code::E0380, "three lengths are required");
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
                "an extended descriptor and two lengths are required",
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
    let by_descriptor = !split || extended_layout(cx.platform).fields.contains(&ex::EOT);
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
    let registers = |place: Option<super::operand::RawOperand>, count: u32| -> Vec<Vec<Run>> {
        match place {
            Some(p) if count > 0 => cx.part(p, count * grf).registers,
            _ if count > 0 => PayloadPart::absent(count, grf).registers,
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
    let second = split.then_some(lengths[1]);
    let ex_desc_word = ex_desc.constant();
    let placed = match ex_desc {
        Value::Const(word) => cx.placed(word, second, eot),
        in_register => Placed::of_register(in_register, lengths[1], cx.platform),
    };
    let own_name = match (bits, ex_desc_word) {
        (Some(desc), Some(word)) if sfid.is_lsc() => {
            lsc::raw_name(desc, word & !ex::SFID.mask() | number, cx.platform)
        }
        _ => None,
    };
    let send = Send {
        mnemonic: own_name.unwrap_or_else(|| cx.mnemonic(sfid, conditional, split)),
        exec,
        predicate: cx.instruction.predicate.as_ref().map(|p| p.node.clone()),
        sfid,
        message_length: bits.map_or(lengths[0], |d| outer::LENGTH.get(&[d])),
        extended_length: placed.second_length,
        response_length: bits.map_or(written, |d| outer::RESPONSE.get(&[d])),
        header_present,
        header,
        first: first_registers,
        second: second_registers,
        destination: match (destination, written) {
            (Some(p), 1..) => Destination::Variable(p.var, p.offset),
            _ => Destination::Null,
        },
        gathers: false,
        indirect: Vec::new(),
        options: placed
            .options
            .into_iter()
            .chain(first.and_then(|place| cx.preemption((place.root, place.at))))
            .collect(),
        eot,
        desc,
        ex_desc: placed.word,
    };
    // With a descriptor in a register what comes back is known to the text alone.
    if bits.is_some() {
        let registers = send.response_length;
        cx.write(destination, 0, [0, 0, registers * grf]);
    }
    cx.lowered.sends.push(send);
    Ok(())
}

/// An extended descriptor as its instruction has it.
struct Placed {
    word: Value,
    second_length: u32,
    options: Vec<&'static str>,
}

impl Placed {
    /// One in a register; of that later parts' instruction tells, which has the second length as well.
    fn of_register(word: Value, second_length: u32, platform: Platform) -> Placed {
        Placed {
            word,
            second_length,
            options: platform
                .lsc
                .is_some()
                .then_some("ExBSO")
                .into_iter()
                .collect(),
        }
    }
}

/// The bit above the second length that Gen9 writes: a constant with it goes through a register.
const BEYOND: u32 = 1 << 10;
/// The upper half of an extended descriptor.
const HIGH: u32 = 0xffff_0000;
/// A bit that no part has room for.
const UNKNOWN: u32 = 1 << 4;

impl Lowering<'_> {
    /// A constant extended descriptor: function, end and lengths move into the instruction on later parts,
    /// on earlier ones it has no room for some bits. `second` is the length in the text of a form with two
    /// sources, to which that of the word is joined. Source: lowering reference 1.3, 17; what there is room
    /// for was seen in the finalizer.
    fn placed(&mut self, word: u32, second: Option<u32>, eot: bool) -> Placed {
        let platform = self.platform;
        let kind = platform.extended_descriptor;
        let later = kind == Kind::XeHpg;
        if let Some(length) = second
            && word & BEYOND != 0
        {
            let length = if later {
                length
            } else {
                length_field(platform).get(&[word])
            };
            let mut placed = Placed::of_register(Value::Const(word), length, platform);
            placed
                .options
                .extend((later && ex::COARSE.get(&[word]) != 0).then_some("CPS"));
            return placed;
        }
        let outer = ex::SFID.mask() | ex::EOT.mask();
        let written = self.second_length_bits() << ex::LENGTH.lo;
        // What the instruction itself has on later parts, and what of the rest it has room for.
        let split = second.is_some();
        let two = platform.split_send;
        let (moved, room) = match (kind, split) {
            (Kind::Gen12, _) => (outer, !UNKNOWN),
            (Kind::XeHpg, true) => (outer | ex::LENGTH.mask(), !(UNKNOWN | ex::LENGTH.mask())),
            (Kind::XeHpg, false) => (outer, !(UNKNOWN | ex::LENGTH.mask())),
            (_, true) if two => (0, HIGH | outer | written),
            (Kind::Gen9, false) if two => (0, HIGH | outer),
            (_, true) => (0, outer | written),
            (_, false) => (0, outer),
        };
        let lost = word & !room & !moved;
        if lost != 0 {
            self.follow(&quirks::RAW_BITS_LOST, format!("bits {lost:#010x} of it"));
        }
        let all = !split && moved != 0 && lost != 0;
        let kept = if all { 0 } else { room & !moved };
        let length = second.unwrap_or(0);
        let fits = length << ex::LENGTH.lo & written;
        if fits != length << ex::LENGTH.lo {
            let fault = match kind {
                Kind::Gen11 => &quirks::SECOND_LENGTH_CUT,
                _ => &quirks::LENGTH_WRAPS,
            };
            self.follow(fault, format!("{length} registers in the second payload"));
        }
        let mut bits = (word | fits) & kept;
        if split && eot {
            bits |= ex::EOT.mask() & kept;
        }
        // Of the form with one source Gen11 takes coarse pixels for the highest bit.
        if kind == Kind::Gen11 && !split && ex::COARSE.get(&[word]) != 0 {
            bits |= 1 << 31;
        }
        Placed {
            word: Value::Const(bits),
            second_length: match second {
                Some(_) if !later => ex::LENGTH.get(&[bits]),
                _ => length,
            },
            options: Vec::new(),
        }
    }
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
