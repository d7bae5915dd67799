//! What an instruction looks like: an example made from its row, for help texts.

use crate::isa::{ExecUse, OpInfo, Opcode, PredicateUse, Slot, SuffixSlot};

/// One line of text that reads as this instruction, with made-up names: `D` and `S` general
/// variables, `A0` an address variable, `P1` a predicate, `S0` a sampler, `T6` a surface.
///
/// Suffixes that may be left out are left out. Source: the rows of [`crate::isa::opcodes`].
pub fn example(opcode: Opcode) -> String {
    let row = opcode.info();
    let mut text = String::new();
    if row.predicate == PredicateUse::Required {
        text.push_str("(P1) ");
    }
    text.push_str(row.mnemonic);
    for slot in row.suffixes {
        text.push_str(suffix(*slot));
    }
    match row.exec {
        ExecUse::None => {}
        ExecUse::Lanes => text.push_str(" (M1, 8)"),
        ExecUse::Count | ExecUse::OptionalCount => text.push_str(" (8)"),
    }
    for operand in operands(row).filter(|operand| !operand.is_empty()) {
        text.push(' ');
        text.push_str(operand);
    }
    text
}

fn operands(row: &OpInfo) -> impl Iterator<Item = &'static str> {
    row.slots.iter().map(|slot| self::slot(*slot))
}

fn suffix(slot: SuffixSlot) -> &'static str {
    match slot {
        SuffixSlot::Saturate
        | SuffixSlot::PixelNullMask
        | SuffixSlot::Cps
        | SuffixSlot::DivS
        | SuffixSlot::Bits16
        | SuffixSlot::Bits16Or64
        | SuffixSlot::FenceFlags
        | SuffixSlot::Aligned
        | SuffixSlot::Mod
        | SuffixSlot::LscCache
        | SuffixSlot::TargetFlags
        | SuffixSlot::CallFlags
        | SuffixSlot::LscFlags => "",
        SuffixSlot::Condition => ".eq",
        SuffixSlot::MediaMode => ".nomod",
        SuffixSlot::Channels => ".RGBA",
        SuffixSlot::Channel => ".R",
        SuffixSlot::AtomicOp => ".add",
        SuffixSlot::ElementBytes => ".4",
        SuffixSlot::Blocks => ".4.1",
        SuffixSlot::BooleanFunction => ".xd8",
        SuffixSlot::UnormFormat => ".16-full",
        SuffixSlot::Systolic => ".s8.s8.8.1",
        SuffixSlot::SendSizes => ".10.2.1.0",
        SuffixSlot::LscFunction => ".ugm",
        SuffixSlot::LscFence => ".none.group",
        SuffixSlot::RegisterShape => ".b32",
        SuffixSlot::Downscale => ".hftoint4.mode0.rne",
        SuffixSlot::SharedFunction => ".ugm",
    }
}

fn slot(slot: Slot) -> &'static str {
    match slot {
        Slot::Dst | Slot::DstMov | Slot::StateOrDst => "D(0,0)<1>",
        Slot::DstOrPred | Slot::DstPred => "P1",
        Slot::Src | Slot::SrcMov => "S(0,0)<1;1,0>",
        Slot::SrcOrPred => "P1",
        Slot::Scalar => "S(0,0)<0;1,0>",
        Slot::DstAddress => "A0(0)<1>",
        Slot::AddressBase => "&S",
        Slot::StateOrSrc => "T6(0)",
        Slot::Surface => "T6",
        Slot::Sampler => "S0",
        // As assemblers read it (AVS reference D12).
        Slot::SamplerAndSurface => "T6 S0",
        Slot::RawDst => "D.0",
        Slot::RawSrc => "S.0",
        Slot::Params { .. } => "S.0 S.32",
        Slot::TargetParams => "S.0 S.32",
        Slot::Offsets => "0x0:uw",
        Slot::Plane => "0",
        Slot::Block => "(16,4)",
        Slot::Number => "1",
        Slot::Hex => "0xc",
        Slot::AvsControl => "AVS_16_FULL",
        Slot::AvsMode => "AVS_16x4",
        Slot::Label => "label",
        Slot::LabelList => "(label0, label1)",
        Slot::Function | Slot::Callee => "name",
        Slot::Text => "\"text\"",
        Slot::Variable => "D",
        Slot::Origin => "S(0,0)",
        Slot::LscData => "D:d32",
        Slot::LscAddress => "flat[S]:a64",
        Slot::LscStridedAddress => "flat[S,0x4]:a64",
        Slot::LscSurface => "bti(0x4)",
        Slot::LscRaw => "S",
        Slot::LscBlockData => "D:d8.32x8nn",
        Slot::LscBlockAddress => "flat[S,S,S,S,S,S]",
        Slot::NumberPair => "(0,0)",
        Slot::OptionalScalars(_) => "",
        Slot::PayloadDst => "D.0/32",
        Slot::PayloadSrc => "S.0/32",
        Slot::ScalarTriple => "(0x0:ud, 0x0:ud, 0x0:ud)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::OPCODES;
    use crate::source::Source;
    use crate::syntax::{ParseOptions, parse};

    #[test]
    fn every_example_reads() {
        for row in OPCODES {
            let text = format!(".version 4.1\n    {}\n", example(row.opcode));
            let parsed = parse(
                &Source::new(row.mnemonic, text.clone()),
                &ParseOptions::default(),
            );
            assert!(
                parsed.diagnostics.is_empty(),
                "{text}{:?}",
                parsed.diagnostics
            );
        }
    }
}
