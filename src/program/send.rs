//! Messages of a program: the request template and the registers that are read and written.

use super::{Guard, Lanes, LscBlock, Raw, Source};
use crate::isa::{AtomicOp, AvsControl, AvsMode, ChannelMask, UnormFormat};
use crate::message::request::{FieldSelect, SamplerRequest};

/// A message: its request template and the registers it reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// Which lanes; block messages ignore them.
    pub lanes: Lanes,
    /// The predicate.
    pub guard: Option<Guard>,
    /// Arena offset of the surface index; `None` where there is no surface.
    pub surface: Option<u32>,
    /// Arena offset of the sampler index.
    pub sampler: Option<u32>,
    /// What is asked.
    pub body: SendBody,
}

/// A message as its descriptors tell it. Source: vISA text reference 5.12.
#[derive(Clone, Debug, PartialEq)]
pub struct RawMessage {
    /// The receiver, where the text names it beside the extended descriptor.
    pub function: Option<u32>,
    /// Extended descriptor.
    pub ex_desc: ExtendedWord,
    /// Descriptor.
    pub desc: Source,
    /// Registers of the first and second payload and of the response, as the text says.
    pub lengths: [u32; 3],
    /// First and second payload.
    pub payload: [Option<Raw>; 2],
    /// Response.
    pub dst: Option<Raw>,
    /// The thread ends with it.
    pub eot: bool,
    /// Both descriptors stand in the text, where the check has seen them.
    pub constant: bool,
    /// General registers that operands waited for since the message before, a bit for each; none where the
    /// check has seen all lengths.
    pub waited: Option<u128>,
}

/// Where an extended descriptor stands.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtendedWord {
    /// In the text.
    Known(u32),
    /// In an operand.
    Operand(Source),
}

/// What a [`Send`] asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum SendBody {
    /// `media_ld`, `media_st`.
    Media {
        /// `media_st`.
        write: bool,
        /// Lines touched.
        field: FieldSelect,
        /// Added to the surface index.
        plane: u32,
        /// Bytes.
        width: u32,
        /// Rows.
        height: u32,
        /// Left edge in bytes.
        x: Source,
        /// Top edge in rows.
        y: Source,
        /// The block.
        data: Raw,
    },
    /// The 3D sampler family.
    Sampler {
        /// Surface, sampler and offsets are filled in when it runs.
        template: SamplerRequest,
        /// Texel offsets: bits 3–0 R, 7–4 V, 11–8 U; INFO messages have none.
        offsets: Option<Source>,
        /// Parameters, one element for each lane; `None` for `%null`.
        params: Vec<Option<Raw>>,
        /// Result; `None` for `%null`.
        dst: Option<Raw>,
    },
    /// `avs`.
    Avs {
        /// Channels returned.
        channels: ChannelMask,
        /// Element size and chroma decimation.
        control: AvsControl,
        /// Block shape.
        mode: AvsMode,
        /// `u v deltaU deltaV u2d v2d`.
        coordinates: Box<[Source; 6]>,
        /// Reorder hint.
        group_id: Source,
        /// Row offset in units of four rows.
        vertical_block: Source,
        /// Bit 0 clear: the filter is bypassed (AVS reference D1).
        ief_bypass: Source,
        /// Result.
        dst: Raw,
    },
    /// `sample_unorm`.
    Unorm {
        /// Channels returned.
        channels: ChannelMask,
        /// Element format.
        format: UnormFormat,
        /// `u v deltaU deltaV`.
        coordinates: Box<[Source; 4]>,
        /// Result.
        dst: Raw,
    },
    /// `oword_ld`, `oword_ld_unaligned`, `oword_st`.
    Oword {
        /// Memory is written.
        write: bool,
        /// Elements, or blocks of each lane.
        count: u32,
        /// The offset is in bytes, not in owords.
        unaligned: bool,
        /// Where lane 0 starts, in bytes.
        offset: Source,
        /// The values.
        data: Raw,
    },
    /// `gather scatter`, their scaled forms and those of qwords: one element, or up to four dwords.
    Scatter {
        /// Memory is written.
        write: bool,
        /// Bytes of an element: 1, 2 or 4; 8 with one channel, the first.
        bytes: u32,
        /// Enabled dwords; only bit 0 except for the `4` forms.
        channels: ChannelMask,
        /// What one unit of the per-lane offset is, in bytes.
        scale: u32,
        /// Added to every lane's offset, in the same unit.
        base: Source,
        /// Per-lane offsets.
        offsets: Raw,
        /// Data.
        data: Raw,
    },
    /// `gather4_typed`, `scatter4_typed`.
    Typed {
        /// Memory is written.
        write: bool,
        /// Enabled dwords.
        channels: ChannelMask,
        /// U, V, R and LOD; `None` for those that are 0.
        coordinates: [Option<Raw>; 4],
        /// The values.
        data: Raw,
    },
    /// `dword_atomic`: `bits` 16 or 32.
    Atomic {
        /// What is done to memory.
        op: AtomicOp,
        /// Bits of an element.
        bits: u8,
        /// Per-lane offsets.
        offsets: Raw,
        /// What is read, in text order.
        src: [Option<Raw>; 2],
        /// Where it is written.
        dst: Option<Raw>,
    },
    /// `typed_atomic`.
    TypedAtomic {
        /// What is done to memory.
        op: AtomicOp,
        /// Bits of an element.
        bits: u8,
        /// U, V, R and LOD; `None` for those that are 0.
        coordinates: [Option<Raw>; 4],
        /// What is read, in text order.
        src: [Option<Raw>; 2],
        /// Where it is written.
        dst: Option<Raw>,
    },
    /// `svm_block_ld`, `svm_block_st`.
    SvmBlock {
        /// Memory is written.
        write: bool,
        /// Elements, or blocks of each lane.
        count: u32,
        /// Where memory is read or written.
        address: Source,
        /// The values.
        data: Raw,
    },
    /// `svm_gather`, `svm_scatter`: `count` blocks of `bytes` for each lane.
    SvmScatter {
        /// Memory is written.
        write: bool,
        /// Bytes of a block.
        bytes: u32,
        /// Elements, or blocks of each lane.
        count: u32,
        /// Per-lane addresses.
        addresses: Raw,
        /// The values.
        data: Raw,
    },
    /// `svm_gather4scaled`, `svm_scatter4scaled`.
    SvmScatter4 {
        /// Memory is written.
        write: bool,
        /// Enabled dwords.
        channels: ChannelMask,
        /// Added to every lane's offset.
        base: Source,
        /// Per-lane offsets.
        offsets: Raw,
        /// The values.
        data: Raw,
    },
    /// The LSC messages for bytes.
    Lsc(Box<Lsc>),
    /// `lsc_load_block2d`, `lsc_store_block2d`.
    LscBlock(Box<LscBlock>),
    /// `rt_write_3d`.
    Target {
        /// The register with the pixels' places.
        header: Option<Raw>,
        /// R, G, B, A.
        colours: [Option<Raw>; 4],
        /// The last target.
        last: bool,
        /// Nothing is written.
        null: bool,
        /// What the flags ask for that is not modelled.
        unmodelled: Option<&'static str>,
    },
    /// `raw_send`, `raw_sends`: what is asked is known when it runs.
    Raw(Box<RawMessage>),
    /// `svm_atomic`: `bits` 16, 32 or 64.
    SvmAtomic {
        /// What is done to memory.
        op: AtomicOp,
        /// Bits of an element.
        bits: u8,
        /// Per-lane addresses.
        addresses: Raw,
        /// What is read, in text order.
        src: [Option<Raw>; 2],
        /// Where it is written.
        dst: Option<Raw>,
    },
}

/// An LSC message for bytes. Source: vISA text reference 5.11.
#[derive(Clone, Debug, PartialEq)]
pub struct Lsc {
    /// Which memory.
    pub place: LscPlace,
    /// What is done.
    pub action: LscAction,
    /// Bytes of an element in memory.
    pub memory_bytes: u32,
    /// Bytes of an element in registers.
    pub register_bytes: u32,
    /// The value stands in the upper half of its dword.
    pub high: bool,
    /// Components that follow each other in memory.
    pub vector: u32,
    /// One lane, whose components are consecutive elements of the registers.
    pub transposed: bool,
    /// Components of a quad by bit; 0 for the other forms.
    pub channels: ChannelMask,
    /// Addresses, one for each lane; the common base of the strided forms.
    pub addresses: Raw,
    /// 16, 32 or 64.
    pub address_bits: u32,
    /// Bytes from lane to lane, of the strided forms.
    pub stride: Option<Raw>,
    /// What addresses are multiplied with.
    pub scale: u32,
    /// What is added.
    pub offset: i64,
    /// Loaded or stored values; the old ones of atomics.
    pub data: Option<Raw>,
    /// Operands of atomics.
    pub src: [Option<Raw>; 2],
}

/// Which memory an LSC message means.
#[derive(Clone, Debug, PartialEq)]
pub enum LscPlace {
    /// 64-bit addresses.
    Flat,
    /// Shared local memory.
    Shared,
    /// The thread's scratch memory.
    Scratch,
    /// A surface by its binding table index.
    Table(Source),
}

/// What an LSC message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LscAction {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads in one step.
    AtomicLoad,
    /// Reads and writes in one step.
    Atomic(AtomicOp),
}
