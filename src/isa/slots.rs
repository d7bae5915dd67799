//! Operand positions and suffixes as data.
//!
//! A row of the [instruction table](super::opcodes) names what may appear at each position; reading,
//! printing, checking and explaining a slot are each one exhaustive `match` in their own stage.

/// What may appear at one operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// General or indirect destination: `V(r,c)<h>`, `r[A(k),off]<h>:t`.
    Dst,
    /// As [`Slot::Dst`], or an address operand `A(k)<h>` (only `mov`).
    DstMov,
    /// As [`Slot::Dst`], or a bare predicate (`cmp`, `and or xor not`).
    DstOrPred,
    /// A bare predicate that is written.
    DstPred,
    /// General, indirect or immediate source.
    Src,
    /// As [`Slot::Src`], or a bare predicate, an address operand or `&V` (only `mov`).
    SrcMov,
    /// As [`Slot::Src`], or a bare predicate.
    SrcOrPred,
    /// A source read with one lane: `V(r,c)<0;1,0>` or an immediate.
    Scalar,
    /// Address destination `A(k)<1>`.
    DstAddress,
    /// What `addr_add` takes the address of: `&V`, `V(r,c)<0;1,0>`, `A(k)<w>`.
    AddressBase,
    /// State element `T6(0)`, or a general destination (`movs`).
    StateOrDst,
    /// State element `T6(0)`, or a general, indirect or immediate source (`movs`).
    StateOrSrc,
    /// Bare surface name; after texel offsets also `(variable, index)`.
    Surface,
    /// Bare sampler name, or `(variable, index)`.
    Sampler,
    /// Surface and sampler in either order (`avs`); stands for two operands, sampler first.
    SamplerAndSurface,
    /// Raw operand `V.off` that is written.
    RawDst,
    /// Raw operand `V.off` that is read.
    RawSrc,
    /// `min..=max` raw operands to the end of the line; the optional paired-surface operand in front
    /// is dropped when it is `%null.0`.
    Params {
        /// Fewest parameters.
        min: u8,
        /// Most parameters.
        max: u8,
    },
    /// Operands of a render target write after its surface: raw, or scalar where a flag asks for a
    /// target or sample index.
    TargetParams,
    /// Immediate texel offsets (`aoffimmi`).
    Offsets,
    /// Plane number 0–3, may be left out.
    Plane,
    /// `(width, height)` of a media block, bytes and rows.
    Block,
    /// Plain decimal number.
    Number,
    /// Plain hexadecimal number (`raw_send` extended descriptor).
    Hex,
    /// `AVS_16_FULL` ….
    AvsControl,
    /// `AVS_16x4` ….
    AvsMode,
    /// Label name.
    Label,
    /// `(L0, L1, …)`.
    LabelList,
    /// Function name.
    Function,
    /// Function name without quotes (`fcall`).
    Callee,
    /// Quoted text (`FILE`).
    Text,
    /// Any declared general, address or predicate variable by name (`lifetime`).
    Variable,
    /// `V(r,c)` without a region (`dpas` source 2).
    Origin,
    /// `V:d32x2t` data of an LSC message, read or written by the mnemonic.
    LscData,
    /// `flat[V]:a64` address of an LSC message.
    LscAddress,
    /// `flat[V,stride]:a64`: one address, and the step from lane to lane.
    LscStridedAddress,
    /// Surface of an LSC message without an address, `bti(0x4)`, or with coordinates in one register,
    /// `bti(0x4)[V]`.
    LscSurface,
    /// A bare raw operand of an LSC message; `V` alone means `V.0`.
    LscRaw,
    /// `V:d32.2x8x8nn` data of a 2D block message.
    LscBlockData,
    /// `flat[base,width,height,pitch,x,y]`, or `bti(0x4)[x,y]` of a typed block.
    LscBlockAddress,
    /// `(a, b)` plain numbers (`vme_ime`).
    NumberPair,
    /// `(s, s, s)` scalars (`vme_fbr`).
    ScalarTriple,
    /// So many scalars, or none of them (`nbarrier.signal`).
    OptionalScalars(u8),
    /// `V.off/bytes` that is written (`raw_sendg`).
    PayloadDst,
    /// `V.off/bytes` that is read (`raw_sendg`).
    PayloadSrc,
}

/// What may follow the mnemonic, in the order given by the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuffixSlot {
    /// `.sat`.
    Saturate,
    /// `.eq` …, mandatory.
    Condition,
    /// `.nomod` …, mandatory.
    MediaMode,
    /// `.RGBA` subset in order, mandatory.
    Channels,
    /// Exactly one channel letter, mandatory.
    Channel,
    /// `.pixel_null_mask`.
    PixelNullMask,
    /// `.cps`.
    Cps,
    /// `.divS`.
    DivS,
    /// `.add` …, mandatory.
    AtomicOp,
    /// `.16`.
    Bits16,
    /// `.16` or `.64`.
    Bits16Or64,
    /// `.1`, `.2` or `.4` bytes, mandatory.
    ElementBytes,
    /// `.B.C` block size and count, mandatory.
    Blocks,
    /// `.xHH` boolean function, mandatory.
    BooleanFunction,
    /// `.EISCRL1` flags of a fence.
    FenceFlags,
    /// `.16-full` …, mandatory.
    UnormFormat,
    /// `.A.B.d.r`, mandatory.
    Systolic,
    /// `.ffid.nsrc0.nsrc1.ndst`, mandatory.
    SendSizes,
    /// `.aligned` or `.unaligned`.
    Aligned,
    /// `.mod`, without meaning (`oword_…`).
    Mod,
    /// `.ugm` `.ugml` `.slm` `.tgm`, mandatory.
    LscFunction,
    /// `.ca.ca` cache options.
    LscCache,
    /// `.none.group` of `lsc_fence`, mandatory.
    LscFence,
    /// `.<…>` flags of a render target write.
    TargetFlags,
    /// `.uniform`, `.noreturn` of `ifcall`.
    CallFlags,
    /// `.ov`, `.msaa` of an LSC message.
    LscFlags,
    /// `.b32`, `.b16v2`, `.b8v4` of `lfsr`, mandatory.
    RegisterShape,
    /// `.hftoint4.mode0.rne` of `dnscl`, mandatory.
    Downscale,
    /// Shared function of `raw_sendg` by name, mandatory.
    SharedFunction,
}

/// Whether the row takes a predicate in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredicateUse {
    /// The grammar has no place for one.
    Never,
    /// May be there.
    Optional,
    /// Accepted by Intel's reader and dropped (`min`, `max`); visim warns.
    Ignored,
    /// Must be there (`add3.o`).
    Required,
}

/// The form of the execution part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExecUse {
    /// None.
    None,
    /// `(M1, 16)` or `(16)`.
    Lanes,
    /// `(8)`: a count of owords; `(M1, 8)` is read as the same.
    Count,
    /// `(8)` lanes, default 8 (`sample`, `load`).
    OptionalCount,
}

/// What an LSC fence does to cached data, in the order of the codes. Source: vISA text reference 5.11.
pub const LSC_FENCE_OPS: &[&str] = &[
    "none",
    "evict",
    "invalidate",
    "discard",
    "clean",
    "flushl3",
    "type6",
];

/// How far an LSC fence reaches, in the order of the codes.
pub const LSC_FENCE_SCOPES: &[&str] =
    &["group", "local", "tile", "gpu", "gpus", "sysrel", "sysacq"];
