//! The registers that a raw message counts, held against the variables it is in.
//!
//! Where descriptors are in the text the check has said all of it; others say their lengths in the run.

use crate::check::TooSmall;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::message::environment::Environment;
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::message::raw_lengths::{self, RawPart, RawWords};
use crate::message::{Decoded, MessageForm, odd_lengths};
use crate::program::{Raw, RawMessage};
use crate::source::Span;

/// The trap of a message whose registers run past the end of the variables they lie in.
///
/// `decoded` is what it asks, if that is known.
pub(super) fn check(
    thread: &Thread<'_>,
    raw: &RawMessage,
    form: &MessageForm,
    decoded: Option<&Decoded>,
    pc: u32,
) -> Result<(), Box<Trap>> {
    let [first, second] = raw.payload;
    let places = [
        (RawPart::First, first, form.first),
        (RawPart::Second, second, form.second),
        (RawPart::Response, raw.dst, form.response),
    ];
    let platform = thread.program.platform;
    for (part, place, registers) in places {
        let Some(place) = place else { continue };
        let there = place.end.saturating_sub(place.offset).into();
        let lanes = raw.lanes.count.into();
        if let Some(bytes) = raw_lengths::lacking(decoded, part, registers, lanes, platform, there)
        {
            let sum = raw_lengths::sum(part, registers, bytes, platform);
            return Err(trap(
                thread,
                place,
                part == RawPart::Response,
                bytes,
                sum,
                pc,
            ));
        }
    }
    Ok(())
}

fn trap(
    thread: &Thread<'_>,
    place: Raw,
    written: bool,
    bytes: u32,
    sum: String,
    pc: u32,
) -> Box<Trap> {
    // An operand may begin where its variable has ended.
    let owner = thread.program.owner(place.end.saturating_sub(1));
    let small = TooSmall {
        name: owner.map_or("?", |owner| &owner.name),
        there: place.end.saturating_sub(place.offset).into(),
        moved: bytes.into(),
        written,
    };
    let mut d = Diagnostic::with_message(small.code(), small.title());
    let span = thread.site(pc).span;
    d = match span == Span::default() {
        true => d.note(small.label()),
        false => d.at(span, small.label()),
    };
    if let Some(owner) = owner {
        if owner.declared != Span::default() && span != Span::default() {
            d = d.and_at(owner.declared, format!("{} bytes", owner.range.len()));
        }
        let end = place.offset.saturating_sub(owner.range.start) + bytes;
        let elements = end.div_ceil(place.ty.bytes());
        d = d.help(TooSmall::help(&owner.name, elements.into()));
    }
    thread.trap(pc, u32::MAX, d.note(sum).see("vISA text reference 5.12"))
}

/// Remarks on lengths and lanes that are known only now: of `constant` descriptors those that the header decides.
pub(super) fn remark(
    thread: &Thread<'_>,
    environment: &Environment<'_>,
    constant: bool,
    words: &RawWords,
    decoded: &Decoded,
    pc: u32,
) {
    let (platform, site) = (thread.program.platform, thread.site(pc));
    let mismatches = [
        (Code::W0385, words.text_vs_descriptor(platform)),
        (Code::W0386, odd_lengths(decoded, platform)),
        (
            Code::W0387,
            raw_lengths::beside_lanes(&decoded.request, words.lanes, platform),
        ),
    ];
    let remarks = &environment.resources.remarks;
    for (code, labels) in mismatches {
        if constant && code != Code::W0386 {
            continue;
        }
        let mnemonic = thread.program.mnemonic(site.opcode);
        let Some(remark) = raw_lengths::remark(code, mnemonic, &labels) else {
            continue;
        };
        remarks.add((thread.id.index, pc), code, || {
            let remark = remark.note(format!("in {}", thread.id));
            match site.span == Span::default() {
                true => remark.note(labels.join("; ")),
                false => remark.at(site.span, labels.join("; ")),
            }
        });
    }
}
