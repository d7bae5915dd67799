//! The instruction table: one row for each text mnemonic, in encoding order.
//!
//! A row says what the reference page says, in its order: binary opcode and sub-opcode, mnemonic,
//! family (which names the section), predicate, suffixes, execution part and operand slots; then, unless every
//! platform has it, which generations do and what to use on the others. Parser, printer, checks, lowering,
//! `visim explain` and the coverage test read it; nothing else lists instructions.
//!
//! Source: vISA text reference, section 5, and the pages MEDIA_LD, 3D_LOAD and AVS; [`super::availability`] for
//! the last column.

use super::availability::Availability;
use super::generations::{Generation, Span, from, until};
use super::slots::{ExecUse, PredicateUse, Slot, SuffixSlot};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Which part of the machine an instruction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Moves, selection and comparison.
    Move,
    /// Integer and float arithmetic.
    Arithmetic,
    /// Logic, shifts and bits.
    Logic,
    /// Extended math.
    Math,
    /// Control flow.
    Flow,
    /// Media block reads and writes.
    MediaBlock,
    /// AVS and the other media sampler messages.
    MediaSampler,
    /// The 3D sampler.
    Sampler3d,
    /// Surface memory before LSC.
    SurfaceMemory,
    /// Stateless 64-bit memory.
    Svm,
    /// Load/store cache messages.
    Lsc,
    /// Raw messages.
    RawMessage,
    /// Synchronisation and miscellany.
    Sync,
    /// Video motion estimation.
    Vme,
    /// Render target and URB writes.
    Output,
}

impl Family {
    /// The section that tells what of the family Ironlake has.
    pub const fn on_ironlake(self) -> &'static str {
        match self {
            Family::Sampler3d => "lowering reference 18.3",
            Family::MediaSampler => "lowering reference 18.3 and 18.4",
            Family::SurfaceMemory | Family::Svm | Family::MediaBlock => "lowering reference 18.5",
            Family::Output => "lowering reference 18.6",
            Family::Math => "lowering reference 18.7",
            _ => "lowering reference 18",
        }
    }

    /// The section that defines the family, as diagnostics cite it.
    pub const fn section(self) -> &'static str {
        match self {
            Family::Move => "vISA text reference 5.1, moves and selection",
            Family::Arithmetic => "vISA text reference 5.2, integer and float arithmetic",
            Family::Logic => "vISA text reference 5.3, logic, shifts, bits",
            Family::Math => "vISA text reference 5.4, math",
            Family::Flow => "vISA text reference 5.5, control flow",
            Family::MediaBlock => "vISA text reference 5.6, block media access",
            Family::MediaSampler => "vISA text reference 5.7, media sampler",
            Family::Sampler3d => "vISA text reference 5.8, 3D sampler",
            Family::SurfaceMemory => "vISA text reference 5.9, surface memory",
            Family::Svm => "vISA text reference 5.10, stateless 64-bit memory",
            Family::Lsc => "vISA text reference 5.11, LSC memory",
            Family::RawMessage => "vISA text reference 5.12, raw messages",
            Family::Sync => "vISA text reference 5.13, synchronisation and miscellany",
            Family::Vme => "vISA text reference 5.13, video motion estimation",
            Family::Output => "vISA text reference 5.13, render target and URB writes",
        }
    }
}

/// One row of the instruction table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The row's name in code.
    pub opcode: Opcode,
    /// Binary opcode.
    pub code: u16,
    /// Sub-opcode where the binary form has one, else 0.
    pub sub: u16,
    /// The spelling, suffixes left out.
    pub mnemonic: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Part of the machine, and with it the section.
    pub family: Family,
    /// Predicate in front.
    pub predicate: PredicateUse,
    /// Suffixes in their order.
    pub suffixes: &'static [SuffixSlot],
    /// Form of the execution part.
    pub exec: ExecUse,
    /// Operand positions in text order.
    pub slots: &'static [Slot],
    /// The platforms that have it, in some form at least.
    pub availability: Availability,
}

/// Makes `enum Opcode` and `static OPCODES` from the rows. All else is ordinary code over the slice.
macro_rules! opcodes {
    ($(#[doc = $doc:literal] $code:literal $sub:literal $mnemonic:literal $name:ident $family:ident
        $pred:ident [$($suffix:ident),*] $exec:ident [$($slot:expr),*]
        $(on($span:expr $(, $instead:literal)*))?)+) => {
        /// An instruction; see [`OPCODES`] for what is known of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $(#[doc = $doc] $name),+ }

        /// Every instruction, in encoding order.
        pub static OPCODES: &[OpInfo] = {
            #[allow(unused_imports)]
            use Slot::*;
            use Generation::*;
            &[$(OpInfo {
                opcode: Opcode::$name,
                code: $code,
                sub: $sub,
                mnemonic: $mnemonic,
                doc: $doc.trim_ascii(),
                family: Family::$family,
                predicate: PredicateUse::$pred,
                suffixes: &[$(SuffixSlot::$suffix),*],
                exec: ExecUse::$exec,
                slots: &[$($slot),*],
                availability: Availability::of_row(&[$(($span, &[$($instead),*]))?]),
            }),+]
        };
    };
}

/// Parts whose execution units go their own ways: fused ones cannot jump by a value of their own.
/// Source: vISA text reference 5.3; the compiler of 2026 prints such jumps from Xe2 on.
const fn not_fused() -> Span {
    Span::EVERY
        .except(Generation::Gen12)
        .except(Generation::XeHpg)
        .except(Generation::XeHpc)
        .except(Generation::XeLpg)
        .except(Generation::XeLpgPlus)
}

const fn params(min: u8, max: u8) -> Slot {
    Slot::Params { min, max }
}

#[rustfmt::skip]
opcodes! {
    /// Adds two values.
    0x01 0 "add" Add Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Averages two integers, rounding up.
    0x02 0 "avg" Avg Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Divides; integers truncate, floats multiply by the reciprocal.
    0x03 0 "div" Div Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Dot product of two elements in groups of four lanes.
    0x04 0 "dp2" Dp2 Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Dot product of three elements in groups of four lanes.
    0x05 0 "dp3" Dp3 Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Dot product of four elements in groups of four lanes.
    0x06 0 "dp4" Dp4 Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Homogeneous dot product in groups of four lanes.
    0x07 0 "dph" Dph Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Two to the power of a float.
    0x08 0 "exp" Exp Math Optional [Saturate] Lanes [Dst, Src]
    /// Fraction above the floor.
    0x09 0 "frc" Frc Arithmetic Optional [Saturate] Lanes [Dst, Src]
    /// Linear equation p·u + q.
    0x0a 0 "line" Line Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Base-2 logarithm.
    0x0b 0 "log" Log Math Optional [Saturate] Lanes [Dst, Src]
    /// Multiplies and adds; floats round once.
    0x0c 0 "mad" Mad Arithmetic Optional [Saturate] Lanes [Dst, Src, Src, Src]
    /// High half of a 32-bit product.
    0x0d 0 "mulh" Mulh Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Linear interpolation.
    0x0e 0 "lrp" Lrp Arithmetic Optional [Saturate] Lanes [Dst, Src, Src, Src]
    /// Integer remainder with the sign of the numerator.
    0x0f 0 "mod" Mod Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Multiplies two values.
    0x10 0 "mul" Mul Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Raises to a power.
    0x11 0 "pow" Pow Math Optional [Saturate] Lanes [Dst, Src, Src]
    /// Rounds a float down.
    0x12 0 "rndd" Rndd Arithmetic Optional [Saturate] Lanes [Dst, Src]
    /// Rounds a float up.
    0x13 0 "rndu" Rndu Arithmetic Optional [Saturate] Lanes [Dst, Src]
    /// Rounds a float to the nearest even integer.
    0x14 0 "rnde" Rnde Arithmetic Optional [Saturate] Lanes [Dst, Src]
    /// Rounds a float toward zero.
    0x15 0 "rndz" Rndz Arithmetic Optional [Saturate] Lanes [Dst, Src]
    /// Sum of two absolute byte differences.
    0x16 0 "sad2" Sad2 Arithmetic Optional [Saturate] Lanes [Dst, Src, Src] on(until(Gen11), "add with (-), then mov of (abs)")
    /// Sine of radians.
    0x17 0 "sin" Sin Math Optional [Saturate] Lanes [Dst, Src]
    /// Cosine of radians.
    0x18 0 "cos" Cos Math Optional [Saturate] Lanes [Dst, Src]
    /// Square root.
    0x19 0 "sqrt" Sqrt Math Optional [Saturate] Lanes [Dst, Src]
    /// Reciprocal square root.
    0x1a 0 "rsqrt" Rsqrt Math Optional [Saturate] Lanes [Dst, Src]
    /// Reciprocal.
    0x1b 0 "inv" Inv Math Optional [Saturate] Lanes [Dst, Src]
    /// Systolic dot product, wide form.
    0x1c 0 "dpasw" Dpasw Arithmetic Optional [Systolic] Lanes [RawDst, RawSrc, RawSrc, Origin] on(from(XeHpg).except(XeLpg), "dp4a")
    /// Converts to and from 8-bit floats and TF32.
    0x1d 0 "fcvt" Fcvt Move Never [] Lanes [Dst, Src] on(from(XeHpc).except(XeLpg).except(XeLpgPlus), "mov")
    /// Stochastic rounding.
    0x1e 0 "srnd" Srnd Move Optional [] Lanes [Dst, Src, Src]
    /// Leading zeros.
    0x1f 0 "lzd" Lzd Logic Optional [Saturate] Lanes [Dst, Src]
    /// Bitwise and.
    0x20 0 "and" And Logic Optional [] Lanes [DstOrPred, SrcOrPred, SrcOrPred]
    /// Bitwise or.
    0x21 0 "or" Or Logic Optional [] Lanes [DstOrPred, SrcOrPred, SrcOrPred]
    /// Bitwise exclusive or.
    0x22 0 "xor" Xor Logic Optional [] Lanes [DstOrPred, SrcOrPred, SrcOrPred]
    /// Bitwise complement.
    0x23 0 "not" Not Logic Optional [] Lanes [DstOrPred, SrcOrPred]
    /// Shifts left.
    0x24 0 "shl" Shl Logic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Shifts right, zeros in.
    0x25 0 "shr" Shr Logic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Shifts right, sign in.
    0x26 0 "asr" Asr Logic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Counts ones.
    0x27 0 "cbit" Cbit Logic Optional [] Lanes [Dst, Src]
    /// Adds to an address.
    0x28 0 "addr_add" AddrAdd Logic Never [] Lanes [DstAddress, AddressBase, Src]
    /// Copies with conversion.
    0x29 0 "mov" Mov Move Optional [Saturate] Lanes [DstMov, SrcMov]
    /// Selects by predicate.
    0x2a 0 "sel" Sel Move Optional [Saturate] Lanes [Dst, Src, Src]
    /// Sets a predicate from bits.
    0x2b 0 "setp" Setp Move Never [] Lanes [DstPred, Src]
    /// Compares into a predicate or a general variable.
    0x2c 0 "cmp" Cmp Move Never [Condition] Lanes [DstOrPred, Src, Src]
    /// Copies surface and sampler state indices.
    0x2d 0 "movs" Movs Move Never [] Lanes [StateOrDst, StateOrSrc]
    /// Lowest set bit.
    0x2e 0 "fbl" Fbl Logic Optional [] Lanes [Dst, Src]
    /// Highest bit that differs from the sign.
    0x2f 0 "fbh" Fbh Logic Optional [] Lanes [Dst, Src]
    /// Jumps with all lanes together.
    0x32 0 "jmp" Jmp Flow Optional [] Lanes [Label]
    /// Calls a subroutine.
    0x33 0 "call" Call Flow Optional [] Lanes [Label]
    /// Calls a kernel outside this file.
    0x33 1 "fccall" Fccall Flow Never [] Lanes [Callee]
    /// Returns from a subroutine, or ends the thread.
    0x34 0 "ret" Ret Flow Optional [] Lanes []
    // Data ports 0 to 2 and media blocks are gone from Xe2 on: Xe2 messages reference 3 and 10.
    /// Reads owords at an oword offset.
    0x35 0 "oword_ld" OwordLd SurfaceMemory Never [Mod] Count [Surface, Scalar, RawDst] on(until(XeLpgPlus), "lsc_load")
    /// Writes owords at an oword offset.
    0x36 0 "oword_st" OwordSt SurfaceMemory Never [Mod] Count [Surface, Scalar, RawSrc] on(until(XeLpgPlus), "lsc_store")
    /// Reads a rectangle of bytes from a 2D surface.
    0x37 0 "media_ld" MediaLd MediaBlock Never [MediaMode] None [Block, Surface, Plane, Scalar, Scalar, RawDst] on(until(XeLpgPlus), "lsc_load_block2d.tgm")
    /// Writes a rectangle of bytes to a 2D surface.
    0x38 0 "media_st" MediaSt MediaBlock Never [MediaMode] None [Block, Surface, Plane, Scalar, Scalar, RawSrc] on(until(XeLpgPlus), "lsc_store_block2d.tgm")
    /// Reads an element per lane.
    0x39 0 "gather" Gather SurfaceMemory Never [ElementBytes] Lanes [Surface, Scalar, RawSrc, RawDst] on(until(XeLpgPlus), "lsc_load")
    /// Writes an element per lane.
    0x3a 0 "scatter" Scatter SurfaceMemory Never [ElementBytes] Lanes [Surface, Scalar, RawSrc, RawSrc] on(until(XeLpgPlus), "lsc_store")
    /// Reads owords at a byte offset.
    0x3c 0 "oword_ld_unaligned" OwordLdUnaligned SurfaceMemory Never [Mod] Count [Surface, Scalar, RawDst] on(from(Gen8).until(XeLpgPlus), "oword_ld", "lsc_load")
    /// Samples with the old payload.
    0x40 0 "sample" Sample MediaSampler Never [Channels] OptionalCount [Sampler, Surface, RawSrc, RawSrc, RawSrc, RawDst]
    // Block messages of the sampler are gone with dg2, motion estimation with tgl (Xe2 messages reference 10); the
    // finalizer still encodes them.
    /// Samples an 8 by 4 block with bilinear filtering.
    0x41 0 "sample_unorm" SampleUnorm MediaSampler Never [Channels, UnormFormat] None [Sampler, Surface, Scalar, Scalar, Scalar, Scalar, RawDst] on(until(Gen12), "sample_3d")
    /// Loads texels with the old payload.
    0x42 0 "load" Load MediaSampler Never [Channels] OptionalCount [Surface, RawSrc, RawSrc, RawSrc, RawDst]
    /// Adaptive video scaler.
    0x43 0 "avs" Avs MediaSampler Never [Channels] None [SamplerAndSurface, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, AvsControl, Scalar, AvsMode, Scalar, RawDst] on(from(Gen8).until(Gen12), "sample_unorm", "sample_3d")
    /// Minimum.
    0x45 0 "min" Min Move Ignored [Saturate] Lanes [Dst, Src, Src]
    /// Maximum.
    0x45 1 "max" Max Move Ignored [Saturate] Lanes [Dst, Src, Src]
    /// Extracts a bit field.
    0x46 0 "bfe" Bfe Logic Optional [] Lanes [Dst, Src, Src, Src]
    /// Inserts a bit field.
    0x47 0 "bfi" Bfi Logic Optional [] Lanes [Dst, Src, Src, Src, Src]
    /// Reverses 32 bits.
    0x48 0 "bfrev" Bfrev Logic Optional [] Lanes [Dst, Src]
    /// Adds and returns the carry.
    0x49 0 "addc" Addc Arithmetic Optional [] Lanes [Dst, Dst, Src, Src]
    /// Subtracts and returns the borrow.
    0x4a 0 "subb" Subb Arithmetic Optional [] Lanes [Dst, Dst, Src, Src]
    /// Typed read of texels.
    0x4b 0 "gather4_typed" Gather4Typed SurfaceMemory Optional [Channels] Lanes [Surface, RawSrc, RawSrc, RawSrc, RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "gather.4", "lsc_load_quad")
    /// Typed write of texels.
    0x4c 0 "scatter4_typed" Scatter4Typed SurfaceMemory Optional [Channels] Lanes [Surface, RawSrc, RawSrc, RawSrc, RawSrc, RawSrc] on(from(Gen8).until(XeLpgPlus), "scatter.4", "lsc_store_quad")
    /// Reads a block from a 64-bit address.
    0x4e 1 "svm_block_ld" SvmBlockLd Svm Never [Aligned] Count [Scalar, RawDst] on(from(Gen8).until(XeLpgPlus), "gather.4", "lsc_load")
    /// Writes a block to a 64-bit address.
    0x4e 2 "svm_block_st" SvmBlockSt Svm Never [Aligned] Count [Scalar, RawSrc] on(from(Gen8).until(XeLpgPlus), "scatter.4", "lsc_store")
    /// Reads blocks per lane from 64-bit addresses.
    0x4e 3 "svm_gather" SvmGather Svm Optional [Blocks] Lanes [RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "gather.4", "lsc_load")
    /// Writes blocks per lane to 64-bit addresses.
    0x4e 4 "svm_scatter" SvmScatter Svm Optional [Blocks] Lanes [RawSrc, RawSrc] on(from(Gen8).until(XeLpgPlus), "scatter.4", "lsc_store")
    /// Atomic operation at 64-bit addresses.
    0x4e 5 "svm_atomic" SvmAtomic Svm Optional [AtomicOp, Bits16Or64] Lanes [RawSrc, RawDst, RawSrc, RawSrc] on(from(Gen8).until(XeLpgPlus), "", "lsc_atomic_…")
    /// Reads up to four dwords per lane from 64-bit addresses.
    0x4e 6 "svm_gather4scaled" SvmGather4Scaled Svm Optional [Channels] Lanes [Scalar, RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "gather.4", "lsc_load_quad")
    /// Writes up to four dwords per lane to 64-bit addresses.
    0x4e 7 "svm_scatter4scaled" SvmScatter4Scaled Svm Optional [Channels] Lanes [Scalar, RawSrc, RawSrc] on(from(Gen8).until(XeLpgPlus), "scatter.4", "lsc_store_quad")
    /// Calls through an address.
    0x4f 0 "ifcall" Ifcall Flow Optional [CallFlags] Lanes [Scalar, Number, Number]
    /// Address of a function.
    0x50 0 "faddr" Faddr Flow Never [] None [Function, Dst]
    /// Names the source file.
    0x51 0 "FILE" File Sync Never [] None [Text]
    /// Names the source line.
    0x52 0 "LOC" Loc Sync Never [] None [Number]
    /// Integer motion estimation.
    0x54 0 "vme_ime" VmeIme Vme Never [] None [NumberPair, Surface, RawSrc, RawSrc, RawSrc, RawSrc, RawSrc, RawDst] on(from(Gen8).until(Gen11))
    /// Skip and intra check.
    0x55 0 "vme_sic" VmeSic Vme Never [] None [Surface, RawSrc, RawSrc, RawDst] on(from(Gen8).until(Gen11))
    /// Fractional and bidirectional refinement.
    0x56 0 "vme_fbr" VmeFbr Vme Never [] None [ScalarTriple, Surface, RawSrc, RawSrc, RawDst] on(from(Gen8).until(Gen11))
    /// Waits for all threads of the group.
    0x59 0 "barrier" Barrier Sync Never [] None [] on(from(Gen8))
    /// Flushes the sampler cache.
    0x5a 0 "sampler_cache_flush" SamplerCacheFlush Sync Never [] None [] on(from(Gen8))
    /// Waits for a dependency.
    0x5b 0 "wait" Wait Sync Never [] None [Scalar]
    /// Global memory fence.
    0x5c 0 "fence_global" FenceGlobal Sync Never [FenceFlags] None [] on(from(Gen8))
    /// Local memory fence.
    0x5c 1 "fence_local" FenceLocal Sync Never [FenceFlags] None [] on(from(Gen8))
    /// Scheduling fence.
    0x5c 2 "fence_sw" FenceSw Sync Never [] None []
    /// Sends a message.
    0x5d 0 "raw_send" RawSend RawMessage Optional [] Lanes [Hex, Number, Number, Scalar, RawSrc, RawDst]
    /// Sends a message when dependencies are clear.
    0x5d 1 "raw_sendc" RawSendc RawMessage Optional [] Lanes [Hex, Number, Number, Scalar, RawSrc, RawDst]
    /// Yields to other threads.
    0x5f 0 "yield" Yield Sync Never [] None []
    /// Arrives at a named barrier.
    0x60 0 "nbarrier.signal" NbarrierSignal Sync Never [] None [Scalar, Scalar, OptionalScalars(2)] on(from(XeHpc).except(XeLpg).except(XeLpgPlus), "barrier")
    /// Waits at a named barrier.
    0x60 1 "nbarrier.wait" NbarrierWait Sync Never [] None [Scalar] on(from(XeHpc).except(XeLpg).except(XeLpgPlus), "barrier")
    /// Calls a function.
    0x67 0 "fcall" Fcall Flow Optional [] Lanes [Callee, Number, Number]
    /// Returns from a function.
    0x68 0 "fret" Fret Flow Optional [] Lanes []
    /// Jumps through a table.
    0x69 0 "switchjmp" Switchjmp Flow Never [] Lanes [Scalar, LabelList] on(not_fused(), "cmp and goto for each case")
    /// `sad2` with an accumulator.
    0x6a 0 "sad2add" Sad2Add Arithmetic Optional [Saturate] Lanes [Dst, Src, Src, Src] on(until(Gen11), "add with (-), then mov of (abs)")
    /// Plane equation.
    0x6b 0 "plane" Plane Arithmetic Optional [Saturate] Lanes [Dst, Src, Src]
    /// Divergent branch.
    0x6c 0 "goto" Goto Flow Optional [] Lanes [Label]
    /// Samples.
    0x6d 0 "sample_3d" Sample3d Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with a LOD bias.
    0x6d 1 "sample_b" SampleB Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with a given LOD.
    0x6d 2 "sample_l" SampleL Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with shadow compare.
    0x6d 3 "sample_c" SampleC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with gradients.
    0x6d 4 "sample_d" SampleD Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with shadow compare and bias.
    0x6d 5 "sample_b_c" SampleBC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with shadow compare at a given LOD.
    0x6d 6 "sample_l_c" SampleLC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Computes the LOD only.
    0x6d 9 "lod" Lod Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with gradients, shadow compare and a least LOD.
    0x6d 17 "sample_d_c_mlod" SampleDCMlod Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with a least LOD.
    0x6d 18 "sample_mlod" SampleMlod Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with shadow compare and a least LOD.
    0x6d 19 "sample_c_mlod" SampleCMlod Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with gradients and shadow compare.
    0x6d 20 "sample_d_c" SampleDC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)] on(from(Gen8), "sample_l_c")
    /// Samples at LOD 0.
    0x6d 24 "sample_lz" SampleLz Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples at LOD 0 with shadow compare.
    0x6d 25 "sample_c_lz" SampleCLz Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets.
    0x6d 32 "sample_po" SamplePo Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets and bias.
    0x6d 33 "sample_po_b" SamplePoB Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets at a given LOD.
    0x6d 34 "sample_po_l" SamplePoL Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets and shadow compare.
    0x6d 35 "sample_po_c" SamplePoC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets and gradients.
    0x6d 36 "sample_po_d" SamplePoD Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets, bias and shadow compare.
    0x6d 37 "sample_po_b_c" SamplePoBC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets, LOD and shadow compare.
    0x6d 38 "sample_po_l_c" SamplePoLC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets, gradients and shadow compare.
    0x6d 52 "sample_po_d_c" SamplePoDC Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets at LOD 0.
    0x6d 56 "sample_po_lz" SamplePoLz Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Samples with per-lane offsets at LOD 0 with shadow compare.
    0x6d 57 "sample_po_c_lz" SamplePoCLz Sampler3d Optional [PixelNullMask, Cps, DivS, Channels] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Loads texels at integer addresses.
    0x6e 7 "load_3d" Load3d Sampler3d Optional [PixelNullMask, Channels] Lanes [Offsets, Surface, RawDst, params(1, 15)]
    /// Loads texels of level 0.
    0x6e 26 "load_lz" LoadLz Sampler3d Optional [PixelNullMask, Channels] Lanes [Offsets, Surface, RawDst, params(1, 15)]
    /// Loads texels of a given level.
    0x6e 27 "load_l" LoadL Sampler3d Optional [PixelNullMask, Channels] Lanes [Offsets, Surface, RawDst, params(1, 15)]
    /// Loads one sample of a multisampled surface.
    0x6e 28 "load_2dms_w" Load2dmsW Sampler3d Optional [PixelNullMask, Channels] Lanes [Offsets, Surface, RawDst, params(1, 15)] on(from(Gen8), "load_3d")
    /// Loads the multisample control word.
    0x6e 29 "load_mcs" LoadMcs Sampler3d Optional [PixelNullMask, Channels] Lanes [Offsets, Surface, RawDst, params(1, 15)] on(from(Gen8), "load_3d")
    /// Four texels of the bilinear footprint.
    0x6f 8 "sample4" Sample4 Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)] on(from(Gen8), "four load_3d")
    /// `sample4` at a given LOD.
    0x6f 13 "sample4_l" Sample4L Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with a LOD bias.
    0x6f 14 "sample4_b" Sample4B Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with implicit LOD.
    0x6f 15 "sample4_i" Sample4I Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with shadow compare.
    0x6f 16 "sample4_c" Sample4C Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)] on(from(Gen8), "four load_3d")
    // From DG2 on the message of the earlier parts is gone and the finalizer's output is wrong.
    /// `sample4` with per-lane offsets.
    0x6f 17 "sample4_po" Sample4Po Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)] on(from(Gen8).until(Gen12), "sample4 with aoffimmi")
    /// `sample4` with per-lane offsets and shadow compare.
    0x6f 18 "sample4_po_c" Sample4PoC Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)] on(from(Gen8).until(Gen12), "sample4 with aoffimmi")
    /// `sample4` with implicit LOD and shadow compare.
    0x6f 21 "sample4_i_c" Sample4IC Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` at a given LOD with shadow compare.
    0x6f 23 "sample4_l_c" Sample4LC Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with per-lane offsets at a given LOD.
    0x6f 45 "sample4_po_l" Sample4PoL Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with per-lane offsets and a LOD bias.
    0x6f 46 "sample4_po_b" Sample4PoB Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with per-lane offsets and implicit LOD.
    0x6f 47 "sample4_po_i" Sample4PoI Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with per-lane offsets, implicit LOD and shadow compare.
    0x6f 53 "sample4_po_i_c" Sample4PoIC Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// `sample4` with per-lane offsets at a given LOD with shadow compare.
    0x6f 55 "sample4_po_l_c" Sample4PoLC Sampler3d Optional [PixelNullMask, Channel] Lanes [Offsets, Sampler, Surface, RawDst, params(1, 15)]
    /// Size of a surface.
    0x70 10 "resinfo" Resinfo Sampler3d Never [Channels] Lanes [Surface, RawSrc, RawDst]
    /// Samples of a surface.
    0x70 11 "sampleinfo" Sampleinfo Sampler3d Never [Channels] Lanes [Surface, RawDst]
    /// Render target write.
    0x71 0 "rt_write_3d" RtWrite3d Output Optional [TargetFlags] Lanes [Surface, TargetParams]
    /// URB write.
    0x72 0 "urb_write_3d" UrbWrite3d Output Optional [] Lanes [Number, Number, RawSrc, RawSrc, RawSrc, RawSrc] on(from(Gen8))
    /// Atomic operation on texels.
    0x73 0 "typed_atomic" TypedAtomic SurfaceMemory Optional [AtomicOp, Bits16] Lanes [Surface, RawSrc, RawSrc, RawSrc, RawSrc, RawSrc, RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "", "lsc_atomic_…")
    /// Reads up to four dwords per lane.
    0x74 0 "gather4_scaled" Gather4Scaled SurfaceMemory Optional [Channels] Lanes [Surface, Scalar, RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "gather.4", "lsc_load_quad")
    /// Writes up to four dwords per lane.
    0x75 0 "scatter4_scaled" Scatter4Scaled SurfaceMemory Optional [Channels] Lanes [Surface, Scalar, RawSrc, RawSrc] on(from(Gen8).until(XeLpgPlus), "scatter.4", "lsc_store_quad")
    /// Reads an element per lane at a byte offset.
    0x78 0 "gather_scaled" GatherScaled SurfaceMemory Optional [ElementBytes] Lanes [Surface, Scalar, RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "gather.4", "lsc_load")
    /// Writes an element per lane at a byte offset.
    0x79 0 "scatter_scaled" ScatterScaled SurfaceMemory Optional [ElementBytes] Lanes [Surface, Scalar, RawSrc, RawSrc] on(from(Gen8).until(XeLpgPlus), "scatter.4", "lsc_store")
    // One payload, up to Gen8: lowering reference 1.1, 18.1.
    /// Sends a message with two payloads.
    0x7a 0 "raw_sends" RawSends RawMessage Optional [SendSizes] Lanes [Scalar, Scalar, RawSrc, RawSrc, RawDst] on(from(Gen9), "raw_send")
    /// Sends a message with two payloads and ends the thread.
    0x7a 1 "raw_sends_eot" RawSendsEot RawMessage Optional [SendSizes] Lanes [Scalar, Scalar, RawSrc, RawSrc, RawDst] on(from(Gen9), "raw_send")
    /// As `raw_sends`, when dependencies are clear.
    0x7a 2 "raw_sendsc" RawSendsc RawMessage Optional [SendSizes] Lanes [Scalar, Scalar, RawSrc, RawSrc, RawDst] on(from(Gen9), "raw_send")
    /// As `raw_sends_eot`, when dependencies are clear.
    0x7a 3 "raw_sendsc_eot" RawSendscEot RawMessage Optional [SendSizes] Lanes [Scalar, Scalar, RawSrc, RawSrc, RawDst] on(from(Gen9), "raw_send")
    /// A variable becomes defined.
    0x7b 0 "lifetime.start" LifetimeStart Sync Never [] None [Variable]
    /// A variable ceases to be defined.
    0x7b 1 "lifetime.end" LifetimeEnd Sync Never [] None [Variable]
    /// Arrives at the group barrier.
    0x7c 0 "sbarrier.signal" SbarrierSignal Sync Never [] None [] on(from(Gen8))
    /// Waits at the group barrier.
    0x7c 1 "sbarrier.wait" SbarrierWait Sync Never [] None [] on(from(Gen8))
    /// Atomic operation on dwords.
    0x7d 0 "dword_atomic" DwordAtomic SurfaceMemory Optional [AtomicOp, Bits16] Lanes [Surface, RawSrc, RawSrc, RawSrc, RawDst] on(from(Gen8).until(XeLpgPlus), "", "lsc_atomic_…")
    /// IEEE square root.
    0x7e 0 "sqrtm" Sqrtm Math Optional [Saturate] Lanes [Dst, Src]
    /// IEEE division.
    0x7f 0 "divm" Divm Math Optional [Saturate] Lanes [Dst, Src, Src]
    /// Rotates left.
    0x80 0 "rol" Rol Logic Optional [] Lanes [Dst, Src, Src] on(from(Gen11), "shl, shr and or")
    /// Rotates right.
    0x81 0 "ror" Ror Logic Optional [] Lanes [Dst, Src, Src] on(from(Gen11), "shl, shr and or")
    /// Dot product of four bytes with an accumulator.
    0x82 0 "dp4a" Dp4a Arithmetic Optional [Saturate] Lanes [Dst, Src, Src, Src] on(from(Gen12), "four mul and add of bytes")
    /// Systolic dot product.
    0x83 0 "dpas" Dpas Arithmetic Optional [Systolic] Lanes [RawDst, RawSrc, RawSrc, Origin] on(from(XeHpg).except(XeLpg), "dp4a")
    /// Adds three integers.
    0x84 0 "add3" Add3 Arithmetic Optional [Saturate] Lanes [Dst, Src, Src, Src] on(from(XeHpg), "add twice")
    /// Boolean function of three sources.
    0x85 0 "bfn" Bfn Logic Optional [BooleanFunction] Lanes [Dst, Src, Src, Src] on(from(XeHpg), "and, or, xor and not")
    /// Reads eight bytes per lane.
    0x86 0 "qw_gather" QwGather SurfaceMemory Optional [ElementBytes] Lanes [Surface, RawSrc, RawDst] on(from(XeHpg).until(XeLpgPlus), "gather4_scaled.RG", "lsc_load")
    /// Writes eight bytes per lane.
    0x87 0 "qw_scatter" QwScatter SurfaceMemory Optional [ElementBytes] Lanes [Surface, RawSrc, RawSrc] on(from(XeHpg).until(XeLpgPlus), "gather4_scaled.RG", "lsc_store")
    /// LSC load.
    0x89 0x00 "lsc_load" LscLoad Lsc Optional [LscFunction, LscCache, LscFlags] Lanes [LscData, LscAddress] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC load with a common base and stride.
    0x89 0x01 "lsc_load_strided" LscLoadStrided Lsc Optional [LscFunction, LscCache, LscFlags] Lanes [LscData, LscStridedAddress] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC load of up to four channels.
    0x89 0x02 "lsc_load_quad" LscLoadQuad Lsc Optional [LscFunction, LscCache, LscFlags] Lanes [LscData, LscAddress] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC load of a rectangle.
    0x89 0x03 "lsc_load_block2d" LscLoadBlock2d Lsc Optional [LscFunction, LscCache, LscFlags] Lanes [LscBlockData, LscBlockAddress] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC store.
    0x89 0x04 "lsc_store" LscStore Lsc Optional [LscFunction, LscCache] Lanes [LscAddress, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC store with a common base and stride.
    0x89 0x05 "lsc_store_strided" LscStoreStrided Lsc Optional [LscFunction, LscCache] Lanes [LscStridedAddress, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC store of up to four channels.
    0x89 0x06 "lsc_store_quad" LscStoreQuad Lsc Optional [LscFunction, LscCache, LscFlags] Lanes [LscAddress, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC store of a rectangle.
    0x89 0x07 "lsc_store_block2d" LscStoreBlock2d Lsc Optional [LscFunction, LscCache] Lanes [LscBlockAddress, LscBlockData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic increment.
    0x89 0x08 "lsc_atomic_iinc" LscAtomicIinc Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic decrement.
    0x89 0x09 "lsc_atomic_idec" LscAtomicIdec Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic load.
    0x89 0x0a "lsc_atomic_load" LscAtomicLoad Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic store.
    0x89 0x0b "lsc_atomic_store" LscAtomicStore Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic add.
    0x89 0x0c "lsc_atomic_iadd" LscAtomicIadd Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic subtract.
    0x89 0x0d "lsc_atomic_isub" LscAtomicIsub Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic signed minimum.
    0x89 0x0e "lsc_atomic_smin" LscAtomicSmin Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic signed maximum.
    0x89 0x0f "lsc_atomic_smax" LscAtomicSmax Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic unsigned minimum.
    0x89 0x10 "lsc_atomic_umin" LscAtomicUmin Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic unsigned maximum.
    0x89 0x11 "lsc_atomic_umax" LscAtomicUmax Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC integer compare and swap.
    0x89 0x12 "lsc_atomic_icas" LscAtomicIcas Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC float add.
    0x89 0x13 "lsc_atomic_fadd" LscAtomicFadd Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC float subtract.
    0x89 0x14 "lsc_atomic_fsub" LscAtomicFsub Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC float minimum.
    0x89 0x15 "lsc_atomic_fmin" LscAtomicFmin Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC float maximum.
    0x89 0x16 "lsc_atomic_fmax" LscAtomicFmax Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC float compare and swap.
    0x89 0x17 "lsc_atomic_fcas" LscAtomicFcas Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic and.
    0x89 0x18 "lsc_atomic_and" LscAtomicAnd Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic or.
    0x89 0x19 "lsc_atomic_or" LscAtomicOr Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC atomic exclusive or.
    0x89 0x1a "lsc_atomic_xor" LscAtomicXor Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC load of page status.
    0x89 0x1b "lsc_load_status" LscLoadStatus Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC store without compression.
    0x89 0x1c "lsc_store_uncompressed" LscStoreUncompressed Lsc Optional [LscFunction, LscCache] Lanes [LscAddress, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC read of surface state.
    0x89 0x1e "lsc_read_state_info" LscReadStateInfo Lsc Never [LscFunction, LscCache] None [LscRaw, LscSurface] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC append counter, add.
    0x89 0x28 "lsc_apndctr_atomic_add" LscApndctrAtomicAdd Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscSurface, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC append counter, subtract.
    0x89 0x29 "lsc_apndctr_atomic_sub" LscApndctrAtomicSub Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscSurface, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC append counter, store.
    0x89 0x2a "lsc_apndctr_atomic_store" LscApndctrAtomicStore Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscSurface, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC load of up to four channels of a multisampled target.
    0x89 0x31 "lsc_load_quad_msrt" LscLoadQuadMsrt Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC store of up to four channels of a multisampled target.
    0x89 0x32 "lsc_store_quad_msrt" LscStoreQuadMsrt Lsc Optional [LscFunction, LscCache] Lanes [LscAddress, LscData] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC fence.
    0x8b 0 "lsc_fence" LscFence Lsc Never [LscFunction, LscFence] None [] on(from(XeHpg), "the svm_… or scaled forms")
    // The page says TGL; Intel's compiler prints it for ICL, and the finalizer takes it there.
    /// 64-bit multiply and add.
    0x91 0 "madw" Madw Arithmetic Optional [] Lanes [Dst, Src, Src, Src] on(from(Gen11), "mul, mulh, addc and add")
    /// Adds three integers; the predicate receives the overflow.
    0x92 0 "add3.o" Add3O Arithmetic Required [] Lanes [Dst, Src, Src, Src] on(from(XeHpg), "add twice")
    /// Stops for a debugger.
    0x94 0 "breakpoint" Breakpoint Sync Never [] None []
    /// Hyperbolic tangent.
    0x96 0 "tanh" Tanh Math Optional [Saturate] Lanes [Dst, Src]
    /// Sigmoid.
    0x97 0 "sigm" Sigm Math Optional [Saturate] Lanes [Dst, Src]
    /// IEEE reciprocal.
    0x9b 0 "invm" Invm Math Optional [Saturate] Lanes [Dst, Src]
    /// IEEE reciprocal square root.
    0x9c 0 "rsqtm" Rsqtm Math Optional [Saturate] Lanes [Dst, Src]
    // The reference has no binary number for what follows: counted from 0x100, which no binary holds.
    /// Looks up four-bit indices in a table of sixteen.
    0x100 0 "shfl_idx4" ShflIdx4 Move Optional [] Lanes [RawDst, Src, Src]
    /// Steps a linear feedback shift register.
    0x101 0 "lfsr" Lfsr Logic Optional [RegisterShape] Lanes [Dst, Src, Src]
    /// Converts to four-bit values.
    0x102 0 "dnscl" Dnscl Move Optional [Downscale] Lanes [RawDst, RawSrc, RawSrc, RawSrc]
    /// Systolic dot product of scaled blocks.
    0x103 0 "bdpas" Bdpas Arithmetic Optional [Systolic] Lanes [RawDst, RawSrc, RawSrc, RawSrc, Origin, Origin]
    /// Sends a message by lengths in bytes.
    0x104 0 "raw_sendg" RawSendg RawMessage Optional [SharedFunction] Lanes [PayloadDst, PayloadSrc, PayloadSrc, Src, Src, Hex]
    /// As `raw_sendg`, and ends the thread.
    0x104 1 "raw_sendg_eot" RawSendgEot RawMessage Optional [SharedFunction] Lanes [PayloadDst, PayloadSrc, PayloadSrc, Src, Src, Hex]
    /// As `raw_sendg`, when dependencies are clear.
    0x104 2 "raw_sendgc" RawSendgc RawMessage Optional [SharedFunction] Lanes [PayloadDst, PayloadSrc, PayloadSrc, Src, Src, Hex]
    /// As `raw_sendg_eot`, when dependencies are clear.
    0x104 3 "raw_sendgc_eot" RawSendgcEot RawMessage Optional [SharedFunction] Lanes [PayloadDst, PayloadSrc, PayloadSrc, Src, Src, Hex]
    /// LSC bfloat add.
    0x105 0 "lsc_atomic_bfadd" LscAtomicBfadd Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC bfloat subtract.
    0x105 1 "lsc_atomic_bfsub" LscAtomicBfsub Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC bfloat minimum.
    0x105 2 "lsc_atomic_bfmin" LscAtomicBfmin Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC bfloat maximum.
    0x105 3 "lsc_atomic_bfmax" LscAtomicBfmax Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
    /// LSC bfloat compare and swap.
    0x105 4 "lsc_atomic_bfcas" LscAtomicBfcas Lsc Optional [LscFunction, LscCache] Lanes [LscData, LscAddress, LscRaw, LscRaw] on(from(XeHpg), "the svm_… or scaled forms")
}

/// Rows are in encoding order, so that a reader of the binary form can search and a reader of the
/// table can compare it with the manual.
const fn sorted_by_code(rows: &[OpInfo]) -> bool {
    let mut i = 1;
    while i < rows.len() {
        let (a, b) = (&rows[i - 1], &rows[i]);
        if a.code > b.code || (a.code == b.code && a.sub >= b.sub) {
            return false;
        }
        i += 1;
    }
    true
}
const _: () = assert!(sorted_by_code(OPCODES), "rows must be in encoding order");

impl Opcode {
    /// The row of this instruction.
    pub fn info(self) -> &'static OpInfo {
        &OPCODES[self as usize]
    }

    /// Whether the instruction came to the text after the tools whose behaviour the reference records:
    /// in older text its mnemonic is a free name, and no platform that visim models has it.
    ///
    /// Source: vISA text reference, section 0, "Extra mnemonics".
    pub const fn is_later(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            Lod | SampleMlod
                | SampleCMlod
                | SampleDCMlod
                | SamplePo
                | SamplePoB
                | SamplePoL
                | SamplePoC
                | SamplePoD
                | SamplePoLC
                | SamplePoLz
                | SamplePoCLz
                | LoadL
                | Sample4L
                | Sample4B
                | Sample4I
                | Sample4IC
                | Sample4LC
                | Sample4PoL
                | Sample4PoB
                | Sample4PoI
                | Sample4PoIC
                | Sample4PoLC
                | LscApndctrAtomicAdd
                | LscApndctrAtomicSub
                | LscApndctrAtomicStore
                | LscLoadQuadMsrt
                | LscStoreQuadMsrt
                | Tanh
                | Sigm
                | Invm
                | Rsqtm
                | Breakpoint
                | ShflIdx4
                | Lfsr
                | Dnscl
                | Bdpas
                | RawSendg
                | RawSendgEot
                | RawSendgc
                | RawSendgcEot
                | LscAtomicBfadd
                | LscAtomicBfsub
                | LscAtomicBfmin
                | LscAtomicBfmax
                | LscAtomicBfcas
        )
    }

    /// The instruction with this spelling; upper case is not accepted, except `FILE` and `LOC`.
    pub fn from_mnemonic(mnemonic: &str) -> Option<Opcode> {
        // Asked once for each line of a kernel: a map instead of a walk over the rows.
        static ROWS: LazyLock<HashMap<&str, Opcode>> = LazyLock::new(|| {
            OPCODES
                .iter()
                .map(|row| (row.mnemonic, row.opcode))
                .collect()
        });
        ROWS.get(mnemonic).copied()
    }
}

impl std::fmt::Display for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.info().mnemonic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for (i, row) in OPCODES.iter().enumerate() {
            assert_eq!(row.opcode as usize, i, "{}", row.mnemonic);
            assert_eq!(Opcode::from_mnemonic(row.mnemonic), Some(row.opcode));
        }
    }
}
