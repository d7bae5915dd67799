//! Which encodable instructions are instructions, and which only the disassembler would print.
//!
//! Two kinds of rule. Some combinations are refused always. The register rules of the vendor page
//! (vectors aligned, no RZ where something is read) are broken by code in the wild and printed without
//! complaint by the disassembler: by default they warn, under `--strict` they refuse.
//!
//! Source: TLD reference 2.3.

use super::instruction::{Lod, Phase, Reg, Tld};
use super::packing;
use super::print::modifiers;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// How the register rules are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// A violation is a warning; RZ reads as a vector of zeroes, and an unaligned vector is consecutive
    /// registers.
    #[default]
    Lenient,
    /// A violation is an error.
    Strict,
}

impl Strictness {
    /// [`Strictness::Strict`] if `strict`.
    pub const fn of(strict: bool) -> Strictness {
        if strict {
            Strictness::Strict
        } else {
            Strictness::Lenient
        }
    }
}

/// One broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// `.MS` with `.LL`.
    MsNeedsLz,
    /// `.MS` with `.CL`.
    MsWithCl,
    /// `.MS` with anything but 2D and ARRAY_2D.
    MsNeeds2d,
    /// ARRAY_3D, CUBE, ARRAY_CUBE.
    ReservedDimension,
    /// `.INVALIDPHASE3`.
    InvalidPhase,
    /// Ra does not start a vector of its size.
    RaMisaligned,
    /// Rb does not start a vector of its size.
    RbMisaligned,
    /// Rd does not start a vector of its size.
    RdMisaligned,
    /// Ra is RZ.
    RaIsRz,
    /// Rb is RZ and carries something.
    RbIsRz,
    /// Ra's vector goes on past R254.
    RaRunsIntoRz,
    /// Rb's vector goes on past R254.
    RbRunsIntoRz,
    /// Rd's vector goes on past R254.
    RdRunsIntoRz,
}

/// Where the parts of an instruction are written; a word has no text, and so no places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The statement from guard to mask.
    pub whole: Span,
    /// Mnemonic and modifiers.
    pub mnemonic: Span,
    /// Rd.
    pub rd: Span,
    /// Ra.
    pub ra: Span,
    /// Rb, or the gap after Ra where it would appear.
    pub rb: Span,
    /// The coordinate description.
    pub dim: Span,
}

impl Violation {
    /// A short stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Violation::MsNeedsLz => "ms-needs-lz",
            Violation::MsWithCl => "ms-with-cl",
            Violation::MsNeeds2d => "ms-needs-2d",
            Violation::ReservedDimension => "reserved-dimension",
            Violation::InvalidPhase => "invalid-phase",
            Violation::RaMisaligned => "ra-misaligned",
            Violation::RbMisaligned => "rb-misaligned",
            Violation::RdMisaligned => "rd-misaligned",
            Violation::RaIsRz => "ra-is-rz",
            Violation::RbIsRz => "rb-is-rz",
            Violation::RaRunsIntoRz => "ra-runs-into-rz",
            Violation::RbRunsIntoRz => "rb-runs-into-rz",
            Violation::RdRunsIntoRz => "rd-runs-into-rz",
        }
    }

    /// Whether it counts in lenient reading too.
    pub const fn is_always_refused(self) -> bool {
        matches!(
            self,
            Violation::MsNeedsLz
                | Violation::MsWithCl
                | Violation::MsNeeds2d
                | Violation::ReservedDimension
                | Violation::InvalidPhase
        )
    }

    /// The violation in words, with the values of `tld` at hand.
    pub fn diagnostic(self, tld: &Tld, places: &Places, strictness: Strictness) -> Diagnostic {
        let strict = strictness == Strictness::Strict;
        let diagnostic = match self {
            Violation::MsNeedsLz => Diagnostic::new(Code::E0807)
                .at(
                    places.mnemonic,
                    "`.MS` reads level 0 of a multisampled image, `.LL` selects another",
                )
                .help(format!(
                    "TLD{}",
                    modifiers(&Tld {
                        lod: Lod::Zero,
                        ..*tld
                    })
                )),
            Violation::MsWithCl => Diagnostic::new(Code::E0808)
                .at(places.mnemonic, "`.MS` and `.CL` in one instruction")
                .help(format!("TLD{}", modifiers(&Tld { cl: false, ..*tld }))),
            Violation::MsNeeds2d => Diagnostic::new(Code::E0809)
                .at(places.dim, format!("{} has no samples", tld.dim))
                .and_at(places.mnemonic, "`.MS` selects a sample")
                .help("only 2D and ARRAY_2D textures are multisampled"),
            Violation::ReservedDimension => Diagnostic::new(Code::E0806)
                .at(
                    places.dim,
                    format!("{} has an encoding, but TLD cannot fetch from it", tld.dim),
                )
                .note("TLD reads 1D, 2D, 3D, ARRAY_1D and ARRAY_2D; the other three are reserved"),
            Violation::InvalidPhase => Diagnostic::new(Code::E0802)
                .at(
                    places.mnemonic,
                    "`.INVALIDPHASE3` is how the disassembler shows both phase bits set",
                )
                .help("write `.T` or `.P`, or none"),
            Violation::RaMisaligned => {
                misaligned("Ra", tld.ra, packing::ra(tld.dim).len(), places.ra, strict)
            }
            Violation::RbMisaligned => {
                misaligned("Rb", tld.rb, packing::rb(tld).count(), places.rb, strict)
            }
            Violation::RdMisaligned => {
                misaligned("Rd", tld.rd, tld.results().into(), places.rd, strict)
            }
            Violation::RaIsRz => {
                let held: Vec<_> = packing::ra(tld.dim).iter().map(|p| p.name()).collect();
                is_rz("Ra", &held, places.ra, strict)
            }
            Violation::RbIsRz => {
                let held: Vec<_> = packing::rb(tld).map(|p| p.name()).collect();
                is_rz("Rb", &held, places.rb, strict)
            }
            Violation::RaRunsIntoRz => {
                let held: Vec<_> = packing::ra(tld.dim).iter().map(|p| p.name()).collect();
                runs_into_rz("Ra", tld.ra, &held, places.ra, strict)
            }
            Violation::RbRunsIntoRz => {
                let held: Vec<_> = packing::rb(tld).map(|p| p.name()).collect();
                runs_into_rz("Rb", tld.rb, &held, places.rb, strict)
            }
            Violation::RdRunsIntoRz => {
                let written = ["R", "G", "B", "A"];
                let held: Vec<_> = packing::results(tld).map(|(c, _)| written[c]).collect();
                runs_into_rz("Rd", tld.rd, &held, places.rd, strict)
            }
        };
        diagnostic.see(match self {
            Violation::ReservedDimension => "NVIDIA TLD, \"Valid paramA specifiers for TLD\"",
            Violation::InvalidPhase => "TLD reference 1.1",
            Violation::MsNeedsLz | Violation::MsWithCl | Violation::MsNeeds2d => {
                "NVIDIA TLD, \".MS\""
            }
            _ => "NVIDIA TLD, \"alignment restrictions\"; TLD reference 2.3",
        })
    }
}

fn misaligned(name: &str, reg: Reg, count: usize, place: Span, strict: bool) -> Diagnostic {
    let step = packing::alignment(count);
    let below = reg.0 / step * step;
    let code = if strict { Code::E0810 } else { Code::W0812 };
    let title = format!("{name} is not aligned for a vector of {count}");
    let last = reg.0.saturating_add(count as u8 - 1);
    Diagnostic::with_message(code, title)
        .at(
            place,
            format!(
                "{reg} to R{last}, and {} is not a multiple of {step}",
                reg.0
            ),
        )
        .note("vectors of 1, 2, 3 and 4 registers start at multiples of 1, 2, 4 and 4")
        .help(match below.checked_add(step) {
            Some(above) if above < 255 => format!("R{below} or R{above}"),
            _ => format!("R{below}"),
        })
}

fn is_rz(name: &str, held: &[&str], place: Span, strict: bool) -> Diagnostic {
    let code = if strict { Code::E0811 } else { Code::W0812 };
    let title = format!("{name} is RZ, though the instruction reads from it");
    let text = format!("{name} contains {}", held.join(", "));
    let note = format!("{name} must not be RZ if any parameters are packed in it");
    Diagnostic::with_message(code, title)
        .at(
            place,
            if strict {
                text
            } else {
                format!("{text}: read as 0")
            },
        )
        .note(note)
        .help("name the first of the registers that hold them")
}

/// A vector whose last registers are RZ and past it: R254 is the last that holds anything.
fn runs_into_rz(name: &str, reg: Reg, held: &[&str], place: Span, strict: bool) -> Diagnostic {
    let code = if strict { Code::E0811 } else { Code::W0812 };
    let there = usize::from(Reg::RZ.0 - reg.0);
    let (past, lost) = (held[there..].join(", "), held.len() - there);
    let title = format!("the vector of {name} runs into RZ");
    let effect = match (strict, name) {
        (true, _) => "",
        (false, "Rd") => ": dropped",
        (false, _) => ": read as 0",
    };
    let (them, are) = if lost == 1 {
        ("it", "is")
    } else {
        ("them", "are")
    };
    Diagnostic::with_message(code, title)
        .at(place, format!("{past} {are} past R254{effect}"))
        .note(format!(
            "{name} must not be RZ where anything is packed in it, and R255 is RZ"
        ))
        .help(format!(
            "a vector that ends at R254 or before has room for {them}: R{}",
            (255 - held.len()) / usize::from(packing::alignment(held.len()))
                * usize::from(packing::alignment(held.len()))
        ))
}

/// Every rule that `tld` breaks: first those that are always refused.
pub fn violations(tld: &Tld) -> Vec<Violation> {
    let a = packing::ra(tld.dim).len();
    let b = packing::rb(tld).count();
    let crooked =
        |reg: Reg, count: usize| !reg.is_rz() && !reg.0.is_multiple_of(packing::alignment(count));
    let runs_out =
        |reg: Reg, count: usize| !reg.is_rz() && usize::from(reg.0) + count > Reg::RZ.0.into();
    let known = !tld.dim.is_reserved();
    let flat = known && tld.dim.coordinates() != 2;
    [
        (Violation::ReservedDimension, !known),
        (Violation::MsNeedsLz, tld.ms && tld.lod == Lod::Given),
        (Violation::MsWithCl, tld.ms && tld.cl),
        (Violation::MsNeeds2d, tld.ms && flat),
        (Violation::InvalidPhase, tld.phase == Phase::Invalid),
        (Violation::RaMisaligned, crooked(tld.ra, a)),
        (Violation::RbMisaligned, crooked(tld.rb, b)),
        (
            Violation::RdMisaligned,
            crooked(tld.rd, tld.results().into()),
        ),
        (Violation::RaIsRz, tld.ra.is_rz() && a > 0),
        (Violation::RbIsRz, tld.rb.is_rz() && b > 0),
        (Violation::RaRunsIntoRz, runs_out(tld.ra, a)),
        (Violation::RbRunsIntoRz, runs_out(tld.rb, b)),
        (
            Violation::RdRunsIntoRz,
            runs_out(tld.rd, tld.results().into()),
        ),
    ]
    .into_iter()
    .filter_map(|(violation, broken)| broken.then_some(violation))
    .collect()
}

/// What there is to say of `tld`: errors for what is refused, warnings for what is only frowned on.
pub fn check(tld: &Tld, places: &Places, strictness: Strictness) -> Vec<Diagnostic> {
    violations(tld)
        .into_iter()
        .map(|violation| violation.diagnostic(tld, places, strictness))
        .collect()
}
