//! Findings as diagnostics.

use super::finding::{AddressUse, Detail, Finding, Key, Kind, Nothing};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::observer::{AccessKind, SpaceName, Spot};
use crate::observe::known::{self, Known};
use crate::observe::shadow::Origin;
use crate::program::Op;
use std::ops::Range;

/// What the finding is called, and the section that says so.
fn title(kind: Kind) -> (Code, &'static str) {
    match kind {
        Kind::Register(_, Nothing::Never) => (Code::U0670, "launch reference 2"),
        Kind::Register(_, Nothing::Lifetime) => (Code::U0670, "vISA text reference 5.13"),
        Kind::Register(_, Nothing::Message) => (Code::U0671, "vISA text reference 6.7 and 6.8"),
        Kind::Register(_, Nothing::Memory) => (Code::U0680, "launch reference 7"),
        Kind::Register(_, Nothing::Result) => (Code::U0671, "vISA text reference 5.2 and 6.4"),
        Kind::Predicate(_) => (Code::U0672, "launch reference 2"),
        Kind::OutsideRead(_) | Kind::OutsideWrite => {
            (Code::U0673, "vISA text reference 4.4 and 4.6")
        }
        Kind::OutsideMemory(_) => (Code::U0674, "vISA text reference 5.9; PRM 5.10.5"),
        Kind::Misaligned(_) => (Code::U0675, "vISA text reference 5.6, 5.9 and 5.10"),
        Kind::Edge => (
            Code::W0694,
            "surface reference 4.5 and 4.10; lowering reference 2.3",
        ),
        Kind::OtherBarrier => (Code::U0676, "vISA text reference 5.13"),
        Kind::EndedEarly => (Code::U0677, "launch reference 7"),
        Kind::SomeLanes => (Code::U0693, "vISA text reference 5.5 and 5.13"),
        Kind::NamedOpen => (Code::U0692, "vISA text reference 5.13; vISA NBARRIER"),
        Kind::Overlap => (Code::U0678, "vISA text reference 5.2 and 5.12"),
        Kind::Disagree => (Code::U0679, "PRM 5.10, \"Writes to overlapping addresses\""),
        Kind::UnwrittenMemory => (Code::U0680, "launch reference 7"),
    }
}

/// A finding as a diagnostic.
pub(super) fn say(known: &Known, (pc, kind): Key, finding: &Finding) -> Diagnostic {
    let (code, see) = title(kind);
    let mut diagnostic = Diagnostic::new(code);
    match (&finding.detail, kind) {
        (
            Detail::Register {
                offset,
                size,
                origin,
                near,
                memory,
            },
            Kind::Register(part, _),
        ) => {
            let bytes = known.bytes(*offset, *size);
            let label = format!("{part} reads {bytes} in {}", known::lane(finding.lane));
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic = came_from(known, diagnostic, *offset, *origin, *near, *memory);
        }
        (
            Detail::Bits {
                offset,
                bits,
                origin,
            },
            Kind::Predicate(part),
        ) => {
            let name = known.program.owner(*offset).map_or("?", |o| &o.name);
            let label =
                format!("{part} goes by bits {bits:#x} of `{name}`, which was never written");
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic = came_from(known, diagnostic, *offset, *origin, None, None);
        }
        (Detail::Indirect(indirect, places), kind) => {
            let what = match kind {
                Kind::OutsideRead(part) => part.to_string(),
                _ => "the destination".to_string(),
            };
            let lane = known::lane(finding.lane);
            let label = if *indirect {
                format!("{what} points outside the registers in {lane}")
            } else {
                format!("{what} is outside its variable in {lane}")
            };
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic = diagnostic.note("such bytes read as zero, and writes to them are dropped");
            diagnostic = led_here(known, diagnostic, places);
        }
        (
            Detail::Memory {
                space,
                spot,
                bytes,
                inside,
                misaligned,
                past_end,
                places,
            },
            kind,
        ) => {
            let spot = match (misaligned, spot) {
                (Some((asked, _)), Spot::Byte(_)) => Spot::Byte(*asked),
                _ => *spot,
            };
            let (place, spot) = (known.space(*space), known::spot(spot));
            let lane = known::lane(finding.lane);
            let (label, note) = match kind {
                Kind::OutsideMemory(access) => {
                    let served = match (access, past_end) {
                        (_, Some(past_end)) => {
                            let zeros = "bytes up to the end of the last page read as zero";
                            diagnostic = diagnostic.note(past_end.clone());
                            zeros
                        }
                        _ if stops(*space) => "the run stops here",
                        _ if *space == SpaceName::Shared => {
                            "neither variables nor local arguments of the kernel have these bytes"
                        }
                        (AccessKind::Read, _) => "bytes outside read as zero",
                        (AccessKind::Write, _) => "bytes outside are not written",
                        (AccessKind::Atomic, _) => "nothing is changed, and zero is returned",
                    };
                    let there = format!("{inside} of {bytes} bytes from {spot} of {place} exist");
                    (format!("{there}, in {lane}"), served.to_string())
                }
                Kind::Misaligned(_) => (
                    format!("{spot} of {place} is accessed in {lane}"),
                    match misaligned {
                        Some((_, wanted)) => format!("a multiple of {wanted} is required"),
                        None => String::new(),
                    },
                ),
                _ => (
                    format!("{lane} reads {bytes} bytes from {spot} of {place}"),
                    "it is undefined when a group or thread starts; visim has zeros there"
                        .to_string(),
                ),
            };
            diagnostic = known.at(diagnostic, pc, &label).note(note);
            diagnostic = led_here(known, diagnostic, places);
        }
        (
            Detail::Lanes {
                space,
                spot,
                other,
                places,
            },
            _,
        ) => {
            let (place, spot) = (known.space(*space), known::spot(*spot));
            let lane = finding.lane.unwrap_or_default();
            let label =
                format!("lanes {other} and {lane} write different values to {spot} of {place}");
            diagnostic = known.at(diagnostic, pc, &label);
            diagnostic =
                diagnostic.note("their order is not defined; visim goes from lane 0 upwards");
            diagnostic = led_here(known, diagnostic, places);
        }
        (Detail::Edges(rows), _) => {
            let space = known.space(rows.space);
            diagnostic = known.at(diagnostic, pc, &format!("goes beyond {space}"));
            for line in rows.lines() {
                diagnostic = diagnostic.note(line);
            }
        }
        (Detail::Ranges(what, a, b), _) => {
            let bytes = |r: &Range<u32>| known.bytes(r.start, r.end - r.start);
            let label = format!("{what} overlap: {} and {}", bytes(a), bytes(b));
            diagnostic = known.at(diagnostic, pc, &label);
        }
        (Detail::Other { pc: at, thread }, Kind::OtherBarrier) => {
            diagnostic = known.at(diagnostic, pc, &format!("{} waits here", finding.thread));
            diagnostic = known.and_at(diagnostic, *at, &format!("{thread} waits here"));
        }
        (
            Detail::OperandRole {
                came,
                lanes,
                parted,
            },
            _,
        ) => {
            let label = format!("lanes {came:#x} of {lanes:#x} reach this barrier");
            diagnostic = known.at(diagnostic, pc, &label);
            if let Some(branch) = parted {
                diagnostic = known.and_at(diagnostic, *branch, "the others parted from them here");
            }
        }
        (Detail::Named(meeting), _) => {
            let label = format!("named barrier {} was never complete", meeting.id);
            diagnostic = known.at(diagnostic, pc, &label);
        }
        (Detail::Other { thread, .. }, _) => {
            diagnostic = known.at(diagnostic, pc, &format!("{} waits here", finding.thread));
            diagnostic = diagnostic.note(format!("{thread} ended without coming to it"));
        }
        _ => {}
    }
    let Finding {
        thread,
        step,
        lanes,
        count,
        ..
    } = finding;
    if !matches!(kind, Kind::OtherBarrier | Kind::EndedEarly) {
        diagnostic = diagnostic.note(format!("first in {thread}, its instruction number {step}"));
    }
    if *count > 1 {
        let lanes = match lanes {
            0 => String::new(),
            lanes => format!(", in lanes {lanes:#x}"),
        };
        diagnostic = diagnostic.note(format!("{count} times in all{lanes}"));
    }
    diagnostic.see(see)
}

/// Whether an access that finds no memory ends the run.
fn stops(space: SpaceName) -> bool {
    matches!(space, SpaceName::Flat | SpaceName::Scratch)
}

/// Says where the addresses come from that led to a place.
fn led_here(known: &Known, mut diagnostic: Diagnostic, places: &[AddressUse]) -> Diagnostic {
    let mut listed = Vec::new();
    for place in places {
        // Literals are in the text; what nothing has written is a finding of its own.
        let by = place.origin;
        if known.program.owner(place.offset).is_none() || listed.contains(&by) {
            continue;
        }
        listed.push(by);
        let part = place.part;
        let bytes = known.bytes(place.offset, place.size);
        diagnostic = match by {
            Origin::Written(pc) => {
                known.and_at(diagnostic, pc, &format!("{part}, {bytes}, written here"))
            }
            Origin::Given => {
                let note = format!("{part}, {bytes}, there since the thread began");
                diagnostic.note(note)
            }
            Origin::Never | Origin::Undefined(_) => diagnostic,
        };
    }
    diagnostic
}

/// Says where undefined bytes come from.
fn came_from(
    known: &Known,
    diagnostic: Diagnostic,
    offset: u32,
    origin: Origin,
    near: Option<(u32, u32)>,
    memory: Option<(SpaceName, Spot)>,
) -> Diagnostic {
    let diagnostic = match origin {
        Origin::Undefined(by) => {
            let how = match memory {
                None => match known.program.ops.get(by as usize) {
                    Some(Op::Lifetime(_)) => "it is undefined from here on".to_string(),
                    Some(Op::Alu(_)) => "this instruction leaves them undefined".to_string(),
                    _ => "this message leaves them undefined".to_string(),
                },
                Some((space, spot)) => {
                    let (place, spot) = (known.space(space), known::spot(spot));
                    format!("loaded here, first from {spot} of {place}, which was never written")
                }
            };
            return known.and_at(diagnostic, by, &how);
        }
        _ => declared(known, diagnostic, offset),
    };
    match near {
        Some((at, by)) => {
            let bytes = known.bytes(at, 1);
            known.and_at(diagnostic, by, &format!("writes {bytes}, but not these"))
        }
        None => diagnostic,
    }
}

/// Points at the declaration of the variable that owns a byte.
fn declared(known: &Known, diagnostic: Diagnostic, offset: u32) -> Diagnostic {
    let Some(owner) = known.program.owner(offset) else {
        return diagnostic;
    };
    let mut inputs = known.program.inputs.iter();
    if inputs.any(|i| owner.range.contains(&i.arena)) {
        let note = format!(
            "`{}` is an input that this launch does not give",
            owner.name
        );
        return diagnostic.note(note);
    }
    if owner.declared.start == owner.declared.end {
        return diagnostic;
    }
    diagnostic.and_at(owner.declared, "declared here, and undefined until written")
}
