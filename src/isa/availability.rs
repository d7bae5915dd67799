//! Which platform has which instruction: the one list that checks, runs and lowering read.
//!
//! Source: vISA text reference 5.14 and 7.8; lowering reference 4 and, for Ironlake, 18.3 to 18.5, which
//! name the messages that this part does not have.

use super::opcodes::{Family, Opcode};
use super::platforms::Platform::{self, Bdw, Dg2, Icl, Ilk, Pvc, Skl, Tgl};
use std::ops::RangeInclusive;

/// The platforms that have an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// From the first to the last.
    pub platforms: RangeInclusive<Platform>,
    /// What to use elsewhere; empty if nothing does it.
    pub instead: &'static str,
}

/// All of them.
pub const EVERYWHERE: RangeInclusive<Platform> = Ilk..=Pvc;

/// Flags of `rt_write_3d` for which Ironlake's message has no place, and what they ask for.
/// Source: lowering reference 18.6.
pub const NOT_ON_IRONLAKE: &[(&str, &str)] = &[
    ("PS", "per-sample writes"),
    ("CM", "coarse pixels"),
    ("CPS", "coarse pixels"),
    ("NULLRT", "null render target"),
    ("A", "source-0 alpha"),
    ("O", "output mask of samples"),
    ("ST", "stencil that the shader computes"),
];

impl Opcode {
    /// The platforms that have the instruction, in some form at least.
    pub fn availability(self) -> Availability {
        use Opcode::*;
        let (platforms, instead) = match self {
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
            Sample4Po | Sample4PoC => (Bdw..=Tgl, "sample4 with aoffimmi"),
            _ if self.info().family == Family::Lsc => (Dg2..=Pvc, "the svm_… or scaled forms"),
            Sample4 | Sample4C => (Bdw..=Pvc, "four load_3d"),
            SampleDC => (Bdw..=Pvc, "sample_l_c"),
            LoadMcs | Load2dmsW => (Bdw..=Pvc, "load_3d"),
            Avs => (Bdw..=Pvc, "sample_unorm"),
            OwordLdUnaligned => (Bdw..=Pvc, "oword_ld"),
            GatherScaled | Gather4Scaled | Gather4Typed | SvmGather | SvmGather4Scaled
            | SvmBlockLd => (Bdw..=Pvc, "gather.4"),
            ScatterScaled | Scatter4Scaled | Scatter4Typed | SvmScatter | SvmScatter4Scaled
            | SvmBlockSt => (Bdw..=Pvc, "scatter.4"),
            // One payload, up to Gen8: lowering reference 1.1, 18.1.
            RawSends | RawSendsEot | RawSendsc | RawSendscEot => (Skl..=Pvc, "raw_send"),
            DwordAtomic | TypedAtomic | SvmAtomic | Barrier | SbarrierSignal | SbarrierWait
            | FenceGlobal | FenceLocal | SamplerCacheFlush | UrbWrite3d | VmeIme | VmeSic
            | VmeFbr => (Bdw..=Pvc, ""),
            _ => (EVERYWHERE, ""),
        };
        Availability { platforms, instead }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ironlake_has_what_its_messages_do() {
        let has = |op: Opcode| op.availability().platforms.contains(&Ilk);
        use Opcode::*;
        for op in [
            MediaLd,
            OwordLd,
            Gather,
            Sample3d,
            Load,
            SampleUnorm,
            RtWrite3d,
            FenceSw,
        ] {
            assert!(has(op), "{op}");
        }
        for op in [
            DwordAtomic,
            GatherScaled,
            Sample4,
            Gather4Typed,
            FenceGlobal,
            Avs,
            Barrier,
            RawSends,
        ] {
            assert!(!has(op), "{op}");
        }
    }
}
