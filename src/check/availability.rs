//! Whether the platform has an instruction ([`crate::isa::availability`]), and has it for these types.
//!
//! Source: vISA text reference 5.14 and 7.8; lowering reference 4 and 18.

use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::availability::NOT_ON_IRONLAKE;
use crate::isa::{Family, Opcode, Platform, Type};
use crate::syntax::ast::Suffix;
use std::ops::RangeInclusive;

const SECTION: &str = "vISA text reference 5.14, \"Platform floor\"";
/// The platforms with byte and word messages, and with masks of null pixels, with more
/// than colours and depth in a render target write. Source: lowering reference 18.3, 18.5, 18.6.
const BEHIND_IRONLAKE: RangeInclusive<Platform> = Platform::Bdw..=Platform::Pvc;

impl Rules<'_> {
    /// Whether the platform has the instruction, and has it for these types.
    pub fn availability(&mut self) {
        let opcode = self.opcode();
        let has = opcode.availability();
        if !has.platforms.contains(&self.platform) {
            return self.missing(&opcode.to_string(), &has.platforms, has.instead);
        }
        if self.platform == Platform::Ilk {
            self.ironlake();
        }
        if opcode == Opcode::Srnd {
            let d = self
                .complaint(Code::E0428, format!("{} has no srnd", self.platform))
                .at(
                    self.mnemonic(),
                    "parts behind pvc have it, none that visim models",
                )
                .help("add the random bits, then and, shr and mov")
                .see("vISA text reference 5.1");
            return self.say(d);
        }
        let ty = |index: usize| self.operand(index).and_then(|o| self.type_of(&o.node));
        let (dst, src) = (ty(0), ty(1));
        let integer = dst.is_some_and(|t| t.is_integer());
        let quad = [dst, src]
            .iter()
            .any(|t| matches!(t, Some(Type::Uq | Type::Q)));
        let middle = (Platform::Icl..=Platform::Dg2).contains(&self.platform);
        let early = Platform::Ilk..=Platform::Skl;
        match opcode {
            Opcode::Divm | Opcode::Sqrtm if middle => {
                self.missing(
                    &opcode.to_string(),
                    &early,
                    "div and sqrt with a correction step",
                );
            }
            Opcode::Inv | Opcode::Div | Opcode::Sqrt if middle && dst == Some(Type::Df) => {
                self.missing(
                    &format!("{opcode} of df"),
                    &early,
                    "f, or an iteration of mad",
                );
            }
            Opcode::Div | Opcode::Mod if integer => {
                let has = Platform::Ilk..=Platform::Tgl;
                if !has.contains(&self.platform) {
                    self.missing(
                        &format!("{opcode} of integers"),
                        &has,
                        "inv and a correction step",
                    );
                }
            }
            Opcode::Rol | Opcode::Ror if quad => {
                let has = Platform::Pvc..=Platform::Pvc;
                if !has.contains(&self.platform) {
                    self.missing(&format!("{opcode} of 64 bits"), &has, "shl, shr and or");
                }
            }
            Opcode::Shl | Opcode::Shr | Opcode::Sel | Opcode::Mul if middle && quad => {
                let d = self
                    .complaint(
                        Code::W0429,
                        format!("{} has no 64-bit {opcode}", self.platform),
                    )
                    .at(self.mnemonic(), "64-bit integers")
                    .note(
                        "the documents refuse it, Intel's checker lets it pass; visim computes it",
                    )
                    .help("two 32-bit steps")
                    .see(SECTION);
                self.say(d);
            }
            _ if opcode.info().family == Family::Sampler3d
                && self.platform == Platform::Pvc
                && !self.remarked.no_sampler =>
            {
                self.remarked.no_sampler = true;
                let d = self
                    .complaint(Code::W0430, format!("{} has no sampler", self.platform))
                    .at(self.mnemonic(), "a sampler message")
                    .note("Intel's finalizer still encodes it, with 64-byte registers; visim runs it like that")
                    .help("--platform dg2")
                    .see(SECTION);
                self.say(d);
            }
            _ => {}
        }
    }

    fn missing(&mut self, what: &str, has: &RangeInclusive<Platform>, instead: &str) {
        let (first, last) = (*has.start(), *has.end());
        let where_it_is = match (first, last) {
            (f, l) if f == l => format!("only {f} has it"),
            (f, Platform::Pvc) => format!("{f} and later have it"),
            (Platform::Ilk, l) => format!("the last platform that has it is {l}"),
            (f, l) => format!("{f} to {l} have it"),
        };
        let platform = match first {
            Platform::Ilk => last,
            first => first,
        };
        let title = format!("{} has no {what}", self.platform);
        // Intel's finalizer makes an ordinary sample of these (lowering reference 4).
        let d = match self.opcode() {
            Opcode::Sample4Po | Opcode::Sample4PoC => self.page_rule(Code::E0428, title),
            _ => self.complaint(Code::E0428, title),
        };
        let d = d.at(self.mnemonic(), where_it_is);
        let d = match instead {
            "" => d,
            instead => d.note(format!("elsewhere: {instead}")),
        };
        let see = match self.platform {
            Platform::Ilk => self.instruction.opcode.info().family.on_ironlake(),
            _ => SECTION,
        };
        self.say(d.help(format!("--platform {platform}")).see(see));
    }

    /// Forms of instructions that Ironlake has in others.
    fn ironlake(&mut self) {
        let bytes = self.instruction.suffix(|s| match s {
            Suffix::ElementBytes(bytes) => Some(*bytes),
            _ => None,
        });
        let opcode = self.opcode();
        match opcode {
            Opcode::Gather | Opcode::Scatter if bytes.is_some_and(|bytes| bytes != 4) => {
                let what = format!("{opcode} of bytes and words");
                self.missing(&what, &BEHIND_IRONLAKE, &format!("{opcode}.4"));
            }
            _ if self.instruction.has(&Suffix::PixelNullMask) => {
                self.missing("pixel null mask", &BEHIND_IRONLAKE, "");
            }
            Opcode::RtWrite3d => {
                let flags = self.instruction.suffix(|s| match s {
                    Suffix::TargetFlags(flags) => Some(flags.clone()),
                    _ => None,
                });
                let flags = flags.unwrap_or_default();
                let absent = |row: &&(&str, &str)| flags.iter().any(|flag| *flag == *row.0);
                if let Some((flag, what)) = NOT_ON_IRONLAKE.iter().find(absent) {
                    let what = format!("{what} in a render target write (<{flag}>)");
                    self.missing(&what, &BEHIND_IRONLAKE, "");
                }
            }
            _ => {}
        }
    }
}
