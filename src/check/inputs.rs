//! `.input`: which payload bytes start which variable.
//!
//! Source: vISA text reference 2.3 and 7.7.

use super::declarations::class_of;
use super::unit::UnitBuilder;
use super::{CheckedInput, Storage};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::Input;
use std::collections::BTreeMap;

const SECTION: &str = "vISA text reference 7.7";

/// Greatest offset and size: the binary form keeps both in 16 bits.
const PAYLOAD_LIMIT: u64 = 0xffff;

/// The payload bytes given away so far.
pub(super) struct Inputs {
    /// First byte of each input, with one past its last byte and where it was written.
    taken: BTreeMap<u32, (u32, Span, String)>,
    /// Where an input without an offset goes.
    next: u32,
}

impl Inputs {
    /// Nothing given away; the thread header fills the first register.
    pub fn new(grf_bytes: u32) -> Inputs {
        Inputs {
            taken: BTreeMap::new(),
            next: grf_bytes,
        }
    }

    /// The input that shares bytes with `start..end`.
    fn conflict(&self, start: u32, end: u32) -> Option<(u32, u32, Span, &str)> {
        // Inputs do not overlap each other, so the last one that starts before `end` decides.
        let (&s, (e, span, name)) = self.taken.range(..end).next_back()?;
        (*e > start).then_some((s, *e, *span, name))
    }
}

/// One `.input` line (or `.implicit_…`, `.parameter`, which mean the same).
pub(super) fn input(builder: &mut UnitBuilder<'_>, input: &Input, span: Span) {
    let name = &input.name;
    let Some(var) = builder.lookup(&name.node, name.span, |_| true, None) else {
        return;
    };
    let variable = builder.unit.variable(var);
    let bytes = variable.storage.bytes();
    if variable.predefined
        || matches!(
            variable.storage,
            Storage::Address { .. } | Storage::Predicate { .. }
        )
    {
        let what = match variable.predefined {
            true => "a built-in variable",
            false => class_of(&variable.storage),
        };
        return builder.say(
            Diagnostic::with_message(Code::E0212, format!("{} cannot be an input", name.node))
                .at(name.span, what)
                .note("inputs are declared general, sampler or surface variables")
                .see("vISA text reference 2.3"),
        );
    }
    let grf = builder.platform.grf_bytes();
    if let Some(size) = &input.size
        && size.node != u64::from(bytes)
    {
        return builder.say(
            Diagnostic::with_message(
                Code::E0213,
                format!("input {} does not cover its variable", name.node),
            )
            .at(
                size.span,
                format!("{} bytes, the variable has {bytes}", size.node),
            )
            .note(match variable.storage {
                Storage::General { ty, elements, .. } => {
                    format!(
                        "{elements} elements of {} bytes ({ty}) are {bytes} bytes",
                        ty.bytes()
                    )
                }
                _ => format!("state variables take 4 bytes for each element: {bytes}"),
            })
            .help(format!("size={bytes}"))
            .see(SECTION),
        );
    }
    let offset = match &input.offset {
        Some(offset) => offset.node,
        // After the one before, where the variable's own alignment lets it start.
        None => {
            let step = match variable.storage {
                Storage::General { ty, .. } if bytes < grf => ty.bytes(),
                Storage::General { .. } => grf,
                _ => 4,
            };
            let start = builder.inputs.next.next_multiple_of(step);
            let fits = bytes >= grf || start % grf + bytes <= grf;
            u64::from(if fits {
                start
            } else {
                start.next_multiple_of(grf)
            })
        }
    };
    let offset_span = input.offset.as_ref().map_or(span, |o| o.span);
    if offset + u64::from(bytes) > PAYLOAD_LIMIT || offset > PAYLOAD_LIMIT {
        return builder.say(
            Diagnostic::with_message(
                Code::E0216,
                format!("input {} lies outside any payload", name.node),
            )
            .at(offset_span, format!("byte {offset}, {bytes} bytes"))
            .note(format!(
                "a payload ends at byte {PAYLOAD_LIMIT}: offset and size are 16-bit fields"
            ))
            .see("vISA text reference 2.3"),
        );
    }
    let (start, end) = (offset as u32, offset as u32 + bytes);
    if matches!(variable.storage, Storage::General { .. })
        && bytes < grf
        && start / grf != (end - 1) / grf
    {
        return builder.say(
            Diagnostic::with_message(
                Code::E0215,
                format!("input {} straddles two registers", name.node),
            )
            .at(offset_span, format!("bytes {start}..{end}"))
            .note(format!(
                "a register has {grf} bytes; a smaller variable must be inside one register, and byte {} starts another",
                (end - 1) / grf * grf
            ))
            .help(format!("offset={}", start.next_multiple_of(grf)))
            .see(SECTION),
        );
    }
    if let Some((s, e, other, other_name)) = builder.inputs.conflict(start, end) {
        let d = Diagnostic::with_message(
            Code::E0214,
            format!("inputs {} and {other_name} overlap", name.node),
        )
        .at(
            span,
            format!(
                "bytes {start}..{end} share {}..={} with {other_name}",
                start.max(s),
                end.min(e) - 1
            ),
        )
        .and_at(other, format!("bytes {s}..{e}"))
        .note("each payload byte starts one variable")
        .help(format!(
            "offset={}",
            e.next_multiple_of(bytes.clamp(1, grf).next_power_of_two())
        ))
        .see(SECTION);
        return builder.say(d);
    }
    builder
        .inputs
        .taken
        .insert(start, (end, span, name.node.clone()));
    builder.inputs.next = end;
    builder.unit.inputs.push(CheckedInput {
        var,
        offset: start,
        size: bytes,
    });
}
