//! A send: whole registers, the receiver, the descriptor.

use super::operand::{register, split};
use super::{Rest, Word, Wrong, wrong};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::fields::{extended_gen5, outer_gen5};
use crate::sends::line::{Descriptor, File, Send};
use crate::source::Span;

pub(super) fn send(rest: &mut Rest<'_, '_>) -> Result<(Send, Option<Diagnostic>), Wrong> {
    let whole = |word: Word<'_>, file: File| -> Result<Option<u32>, Wrong> {
        let (text, region, _) = split(word)?;
        if text == "null" {
            return Ok(None);
        }
        let at = register(text, word.span)?;
        if at.sub != 0 || region.is_some_and(|r| !matches!(r, "1" | "8;8,1")) {
            return Err(wrong(word.span, "a send names whole registers"));
        }
        if at.file != file {
            if at.file == File::Message {
                let refused = Diagnostic::new(Code::E0922)
                    .at(word.span, "a general register is required here")
                    .see("PRM 2.6.1");
                return Err(Box::new(refused));
            }
            return Err(wrong(word.span, "a message register is required here"));
        }
        Ok(Some(at.number))
    };
    let dst = whole(rest.next("a destination")?, File::General)?;
    let message = rest.next("the first message register")?;
    let found = whole(message, File::Message)?;
    let message_register =
        found.ok_or_else(|| wrong(message.span, "a message has one register at least"))?;
    let implied = whole(
        rest.next("a general register for the implied move")?,
        File::General,
    )?;
    let word = rest.next("the receiver")?;
    let single = rest
        .words
        .first()
        .is_none_or(|next| next.node.starts_with('{'));
    if single && let Some(old) = hex(word.node) {
        return Err(pre_ironlake(old, word.span));
    }
    let (receiver, eot) = receiver(word)?;
    let word = rest.next("a descriptor")?;
    let descriptor = match word.node {
        "a0.0" | "a0" => Descriptor::Address,
        text => Descriptor::Known(
            hex(text).ok_or_else(|| wrong(word.span, "a descriptor is hexadecimal, or a0.0"))?,
        ),
    };
    // The bit of the descriptor says what {EOT} does, and is written so. Source: PRM 2.6.8.
    let (descriptor, eot) = match descriptor {
        Descriptor::Known(desc) if outer_gen5::EOT.get(&[desc]) != 0 => {
            (Descriptor::Known(desc & !outer_gen5::EOT.mask()), true)
        }
        descriptor => (descriptor, eot),
    };
    let warning = (message_register == 0).then(|| {
        Diagnostic::new(Code::W0923)
            .at(message.span, "messages of threads begin at m1 or after")
            .see("PRM 2.6.1")
    });
    let send = Send {
        dst,
        message: message_register,
        implied,
        receiver,
        descriptor,
        eot,
    };
    Ok((send, warning))
}

fn hex(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"))?;
    u32::from_str_radix(digits, 16).ok()
}

/// A name, or an extended descriptor: receiver and end of thread.
fn receiver(word: Word<'_>) -> Result<(Sfid, bool), Wrong> {
    let all = (0..16).filter_map(|n| Sfid::from_number(n, Platform::OF_SENDS));
    let names = || {
        let names: Vec<_> = all.clone().map(Sfid::suffix).collect();
        format!(
            "receivers are {}; or 0 to 7 in hexadecimal, bit 5 the end of the thread",
            names.join(" ")
        )
    };
    if let Some(extended) = hex(word.node) {
        let number = extended_gen5::SFID.get(&[extended]);
        let known = extended & !extended_gen5::LAYOUT.known(0) == 0;
        let sfid = Sfid::from_number(number, Platform::OF_SENDS).filter(|_| known);
        let eot = extended_gen5::EOT.get(&[extended]) != 0;
        return sfid
            .map(|sfid| (sfid, eot))
            .ok_or_else(|| wrong(word.span, names()));
    }
    let found = all
        .clone()
        .find(|sfid| [sfid.name(), sfid.suffix()].contains(&word.node));
    found
        .map(|sfid| (sfid, false))
        .ok_or_else(|| wrong(word.span, names()))
}

/// A descriptor of one word: control 15:0, response 19:16, length 23:20, receiver 27:24, end of thread
/// 31, as the example of PRM 2.6.2 tells them.
fn pre_ironlake(word: u32, span: Span) -> Wrong {
    let (control, response, length) = (word & 0xffff, word >> 16 & 0xf, word >> 20 & 0xf);
    let receiver = Sfid::from_number(word >> 24 & 0xf, Platform::OF_SENDS);
    let mut wrong = Diagnostic::new(Code::E0936)
        .at(span, "receiver and descriptor are two words")
        .see("PRM 2.6.2; lowering reference 18.1");
    if let Some(receiver) = receiver {
        let end = if word >> 31 == 1 { " {EOT}" } else { "" };
        // Only math kept its function control.
        wrong = match receiver {
            Sfid::Math => {
                let desc = length << 25 | response << 20 | control;
                wrong.help(format!("… math {desc:#010x}{end}"))
            }
            other => wrong.note(format!(
                "it asks {} with {length} registers for {response}, control {control:#06x}, which has other bits now",
                other.name()
            )),
        };
    }
    Box::new(wrong)
}
