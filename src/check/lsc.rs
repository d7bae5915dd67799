//! LSC messages.
//!
//! Source: vISA text reference 5.11 and 7.8.

use super::VarId;
use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::{Opcode, Slot};
use crate::source::Span;
use crate::syntax::ast::{LscData, LscFunction, Operand, Suffix};

impl Rules<'_> {
    /// Transposed accesses, quads, shared functions and their caches.
    pub fn lsc(&mut self) {
        let function = self.instruction.suffix(|s| match s {
            Suffix::LscFunction(f) => Some(*f),
            _ => None,
        });
        for (slot, operand) in self.with_slots() {
            if let Operand::LscData(data) = &operand.node {
                self.lsc_data(data, slot, operand.span);
            }
        }
        for suffix in &self.instruction.suffixes {
            match &suffix.node {
                Suffix::LscCache(_) if function == Some(LscFunction::Slm) => {
                    let d = self
                        .complaint(Code::E0362, "shared local memory has no caches")
                        .at(suffix.span, "cache options on .slm")
                        .help(format!("{}.slm", self.opcode()));
                    self.say(d);
                }
                Suffix::LscCache(words) if words.len() == 1 => {
                    let d = self
                        .complaint(Code::E0362, "cache options come in pairs")
                        .at(suffix.span, "one of them")
                        .note("one word for the first cache level and one for the third, or none")
                        .help(format!(".{0}.{0}", words[0]));
                    self.say(d);
                }
                Suffix::LscFence { op, scope }
                    if function == Some(LscFunction::Slm) && (op != "none" || scope != "group") =>
                {
                    let d = self
                        .complaint(
                            Code::E0363,
                            "fence of shared local memory takes .none.group only",
                        )
                        .at(suffix.span, format!(".{op}.{scope}"))
                        .note("its bytes belong to one group and lie in no cache")
                        .help("lsc_fence.slm.none.group");
                    self.say(d);
                }
                _ => {}
            }
        }
        let quad = matches!(
            self.opcode(),
            Opcode::LscLoadQuad
                | Opcode::LscStoreQuad
                | Opcode::LscReadStateInfo
                | Opcode::LscFence
        );
        if function == Some(LscFunction::Tgm) && !quad {
            let d = self
                .complaint(Code::E0364, "typed memory is accessed by quads")
                .at(self.mnemonic(), ".tgm on an untyped operation")
                .help("lsc_load_quad.tgm");
            self.say(d);
        }
    }

    fn lsc_data(&mut self, data: &LscData<VarId>, slot: Slot, span: Span) {
        let _ = slot;
        let lanes = self.lanes();
        if data.transposed && lanes != 1 {
            let d = self
                .complaint(Code::E0365, "transposed access has one lane")
                .at(span, format!("{lanes} lanes"))
                .note("t reads consecutive elements from one address")
                .help("(M1_NM, 1)");
            self.say(d);
        }
        let store = self.opcode() == Opcode::LscStoreQuad;
        if let Some(mask) = data.channels
            && store
            && !matches!(mask.0, 0b1 | 0b11 | 0b111 | 0b1111)
        {
            let full = 0xf >> mask.0.leading_zeros().saturating_sub(4);
            let d = self
                .complaint(Code::E0366, "stored channels have a gap")
                .at(span, "channels of a store run from x without gaps")
                .help(format!(
                    ".{}",
                    &"xyzw"[..(full as u8).count_ones() as usize]
                ));
            self.say(d);
        }
    }
}
