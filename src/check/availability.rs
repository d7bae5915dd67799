//! Which platform has which instruction.
//!
//! Source: vISA text reference 5.14 and 7.8; lowering reference 4.

use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::{Family, Opcode, Platform, Type};
use std::ops::RangeInclusive;

const SECTION: &str = "vISA text reference 5.14, \"Platform floor\"";
const ALL: RangeInclusive<Platform> = Platform::Ilk..=Platform::Pvc;

/// The platforms that have an instruction, and what to use elsewhere.
fn platforms(opcode: Opcode) -> (RangeInclusive<Platform>, &'static str) {
    use Opcode::*;
    use Platform::*;
    match opcode {
        Rol | Ror => (Icl..=Pvc, "shl, shr and or"),
        Dp4a => (Tgl..=Pvc, "four mul and add of bytes"),
        // The page says TGL; Intel's compiler prints it for ICL, and the finalizer takes it there.
        Madw => (Icl..=Pvc, "mul, mulh, addc and add"),
        Sad2 | Sad2Add => (Ilk..=Icl, "add with (-), then mov of (abs)"),
        Switchjmp => (Ilk..=Icl, "cmp and goto for each case"),
        Add3 | Add3O => (Dg2..=Pvc, "add twice"),
        Bfn => (Dg2..=Pvc, "and, or, xor and not"),
        Dpas | Dpasw => (Dg2..=Pvc, "dp4a"),
        QwGather | QwScatter => (Dg2..=Pvc, "gather4_scaled.RG"),
        NbarrierSignal | NbarrierWait => (Pvc..=Pvc, "barrier"),
        Fcvt => (Pvc..=Pvc, "mov"),
        // From DG2 on the message of the earlier parts is gone and the finalizer's output is wrong.
        Sample4Po | Sample4PoC => (Ilk..=Tgl, "sample4 with aoffimmi"),
        _ if opcode.info().family == Family::Lsc => (Dg2..=Pvc, "the svm_… or scaled forms"),
        _ => (ALL, ""),
    }
}

impl Rules<'_> {
    /// Whether the platform has the instruction, and has it for these types.
    pub fn availability(&mut self) {
        let opcode = self.opcode();
        let (range, instead) = platforms(opcode);
        if !range.contains(&self.platform) {
            return self.missing(&opcode.to_string(), &range, instead);
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
        let d = d
            .at(self.mnemonic(), where_it_is)
            .note(format!("elsewhere: {instead}"))
            .help(format!("--platform {platform}"))
            .see(SECTION);
        self.say(d);
    }
}
