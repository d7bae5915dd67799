//! What a shared function is asked to do, typed: the only way `exec` meets textures and memory.
//!
//! A request holds what the message's descriptor and header say. Per-lane parameters and data are
//! passed beside it, as the payload is on hardware. [`super::sampler`] and [`super::dataport`] turn
//! requests into bits and back.

use super::Sfid;
use super::told::number;
use crate::isa::opcodes::OpInfo;
use crate::isa::{AtomicOp, AvsControl, AvsMode, ChannelMask};
use serde::{Serialize, Serializer};

/// Which lines of an interleaved surface a media block touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldSelect {
    /// As the surface state says.
    State,
    /// Every line, also of a surface that is a field: only raw messages ask for it.
    Frame,
    /// Top field: line stride 1, first line 0.
    Top,
    /// Bottom field: line stride 1, first line 1.
    Bottom,
}

/// A media block read or write. Source: vISA MEDIA_LD; PRM 5.10.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct MediaBlock {
    /// Binding table index, the plane already added.
    pub surface: u32,
    /// Lines touched.
    pub field: FieldSelect,
    /// Left edge in bytes, may be outside the surface.
    pub x: i32,
    /// Top edge in rows, may be outside the surface.
    pub y: i32,
    /// 1..=64 bytes.
    pub width: u32,
    /// 1..=64 rows.
    pub height: u32,
}

impl SamplerOp {
    /// Every operation with its name as the lowering tables write it.
    pub const ALL: &'static [(SamplerOp, &'static str)] = &[
        (SamplerOp::Sample, "sample"),
        (SamplerOp::SampleB, "sample_b"),
        (SamplerOp::SampleL, "sample_l"),
        (SamplerOp::SampleC, "sample_c"),
        (SamplerOp::SampleD, "sample_d"),
        (SamplerOp::SampleBC, "sample_b_c"),
        (SamplerOp::SampleLC, "sample_l_c"),
        (SamplerOp::Ld, "ld"),
        (SamplerOp::Gather4, "gather4"),
        (SamplerOp::Lod, "lod"),
        (SamplerOp::Resinfo, "resinfo"),
        (SamplerOp::Sampleinfo, "sampleinfo"),
        (SamplerOp::SampleKillpix, "sample+killpix"),
        (SamplerOp::Gather4L, "gather4_l"),
        (SamplerOp::Gather4B, "gather4_b"),
        (SamplerOp::Gather4I, "gather4_i"),
        (SamplerOp::Gather4C, "gather4_c"),
        (SamplerOp::Gather4Po, "gather4_po"),
        (SamplerOp::Gather4PoC, "gather4_po_c"),
        (SamplerOp::SampleDC, "sample_d_c"),
        (SamplerOp::Gather4IC, "gather4_i_c"),
        (SamplerOp::Gather4LC, "gather4_l_c"),
        (SamplerOp::SampleLz, "sample_lz"),
        (SamplerOp::SampleCLz, "sample_c_lz"),
        (SamplerOp::LdLz, "ld_lz"),
        (SamplerOp::Ld2dmsW, "ld2dms_w"),
        (SamplerOp::LdMcs, "ld_mcs"),
        (SamplerOp::SamplePo, "sample_po"),
        (SamplerOp::SamplePoB, "sample_po_b"),
        (SamplerOp::SamplePoL, "sample_po_l"),
        (SamplerOp::SamplePoC, "sample_po_c"),
        (SamplerOp::SamplePoD, "sample_po_d"),
        (SamplerOp::SamplePoLC, "sample_po_l_c"),
        (SamplerOp::SamplePoLz, "sample_po_lz"),
        (SamplerOp::SamplePoCLz, "sample_po_c_lz"),
        (SamplerOp::LdL, "ld_l"),
        (SamplerOp::Gather4PoL, "gather4_po_l"),
        (SamplerOp::Gather4PoB, "gather4_po_b"),
        (SamplerOp::Gather4PoI, "gather4_po_i"),
        (SamplerOp::Gather4PoIC, "gather4_po_i_c"),
        (SamplerOp::Gather4PoLC, "gather4_po_l_c"),
        (SamplerOp::SampleDCMlod, "sample_d_c_mlod"),
        (SamplerOp::SampleMlod, "sample_mlod"),
        (SamplerOp::SampleCMlod, "sample_c_mlod"),
    ];

    /// The message type.
    pub const fn code(self) -> u32 {
        self as u32 & (NEWEST - 1)
    }

    /// Reads a message type; of two that share one, the older.
    pub fn from_code(code: u32) -> Option<SamplerOp> {
        SamplerOp::ALL
            .iter()
            .map(|&(op, _)| op)
            .find(|op| op.code() == code)
    }

    /// What a 3D sampler instruction asks: its operation number is the message type. Newer text uses
    /// numbers of gather4 for operations that are none.
    pub fn of_instruction(row: &OpInfo) -> Option<SamplerOp> {
        let mut all = SamplerOp::ALL.iter().map(|&(op, _)| op);
        all.find(|op| op.code() == u32::from(row.sub) && op.is_gather() == (row.code == 0x6f))
    }

    /// Whether the modelled platforms have a message for it; newer text names more operations.
    /// Source: lowering reference 3.1, table of message types, and 20.
    pub const fn has_message(self) -> bool {
        use SamplerOp::*;
        !matches!(
            self,
            Gather4L
                | Gather4B
                | Gather4I
                | Gather4IC
                | Gather4LC
                | SamplePo
                | SamplePoB
                | SamplePoL
                | SamplePoC
                | SamplePoD
                | SamplePoLC
                | SamplePoLz
                | SamplePoCLz
                | LdL
                | Gather4PoL
                | Gather4PoB
                | Gather4PoI
                | Gather4PoIC
                | Gather4PoLC
                | SampleDCMlod
                | SampleMlod
                | SampleCMlod
        )
    }

    /// The name.
    pub fn name(self) -> &'static str {
        SamplerOp::ALL
            .iter()
            .find(|(op, _)| *op == self)
            .map_or("?", |(_, name)| name)
    }

    /// One of those that return four texels of a single channel.
    pub const fn is_gather(self) -> bool {
        use SamplerOp::*;
        matches!(
            self,
            Gather4
                | Gather4C
                | Gather4Po
                | Gather4PoC
                | Gather4L
                | Gather4B
                | Gather4I
                | Gather4IC
                | Gather4LC
                | Gather4PoL
                | Gather4PoB
                | Gather4PoI
                | Gather4PoIC
                | Gather4PoLC
        )
    }

    /// One of the `ld` family: integer coordinates, no sampler state.
    pub const fn is_load(self) -> bool {
        use SamplerOp::*;
        matches!(self, Ld | LdLz | LdL | LdMcs | Ld2dmsW)
    }

    /// Whether texels are compared with a reference before they are filtered.
    pub const fn compares(self) -> bool {
        use SamplerOp::*;
        matches!(
            self,
            SampleC
                | SampleBC
                | SampleLC
                | SampleDC
                | SampleCLz
                | Gather4C
                | Gather4PoC
                | Gather4IC
                | Gather4LC
                | SamplePoC
                | SamplePoLC
                | SamplePoCLz
                | Gather4PoIC
                | Gather4PoLC
                | SampleDCMlod
                | SampleCMlod
        )
    }

    /// Whether the message reads a sampler state.
    pub const fn uses_sampler(self) -> bool {
        !self.is_load() && !matches!(self, SamplerOp::Resinfo | SamplerOp::Sampleinfo)
    }
}

impl Serialize for SamplerOp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl MediaBlock {
    /// Bytes from one row of the block to the next in registers: the width rounded up to a power of
    /// two, 4 at least.
    ///
    /// PRM 5.10.5 knows no least pitch, so that its rows of a block 1 or 2 wide would lie closer. The least
    /// pitch of the vISA page stands on Gen5 too: the vectors of Gen5's messages have 4 for a block 2 wide.
    /// Source: vISA MEDIA_LD, "Semantics"; lowering reference 18.5, 19.
    pub const fn pitch(&self) -> u32 {
        if self.width < 4 {
            4
        } else {
            self.width.next_power_of_two()
        }
    }

    /// Bytes from the first to the end of the last row in registers.
    pub const fn bytes(&self) -> u32 {
        self.pitch() * self.height
    }
}

/// An operation of the 3D sampler; the number is the message type. Source: lowering reference 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SamplerOp {
    /// `sample`.
    Sample = 0,
    /// `sample_b`.
    SampleB = 1,
    /// `sample_l`.
    SampleL = 2,
    /// `sample_c`.
    SampleC = 3,
    /// `sample_d`.
    SampleD = 4,
    /// `sample_b_c`.
    SampleBC = 5,
    /// `sample_l_c`.
    SampleLC = 6,
    /// `ld`.
    Ld = 7,
    /// `gather4`.
    Gather4 = 8,
    /// `LOD`.
    Lod = 9,
    /// `resinfo`.
    Resinfo = 10,
    /// `sampleinfo`.
    Sampleinfo = 11,
    /// `sample+killpix`.
    SampleKillpix = 12,
    /// `gather4_l`, of newer text.
    Gather4L = 13,
    /// `gather4_b`, of newer text.
    Gather4B = 14,
    /// `gather4_i`, of newer text.
    Gather4I = 15,
    /// `gather4_c`.
    Gather4C = 16,
    /// `gather4_po`.
    Gather4Po = 17,
    /// `gather4_po_c`.
    Gather4PoC = 18,
    /// `sample_d_c`.
    SampleDC = 20,
    /// `gather4_i_c`, of newer text.
    Gather4IC = 21,
    /// `gather4_l_c`, of newer text.
    Gather4LC = 23,
    /// `sample_lz`.
    SampleLz = 24,
    /// `sample_c_lz`.
    SampleCLz = 25,
    /// `ld_lz`.
    LdLz = 26,
    /// `ld2dms_w`.
    Ld2dmsW = 28,
    /// `ld_mcs`.
    LdMcs = 29,
    /// `sample_po`, of newer text: texel offsets for each lane.
    SamplePo = 32,
    /// `sample_po_b`.
    SamplePoB = 33,
    /// `sample_po_l`.
    SamplePoL = 34,
    /// `sample_po_c`.
    SamplePoC = 35,
    /// `sample_po_d`.
    SamplePoD = 36,
    /// `sample_po_l_c`.
    SamplePoLC = 38,
    /// `sample_po_lz`.
    SamplePoLz = 56,
    /// `sample_po_c_lz`.
    SamplePoCLz = 57,
    /// `ld_l`, of newer text: `ld` with its level last.
    LdL = 27,
    /// `gather4_po_l`, of newer text: texel offsets packed with the level.
    Gather4PoL = 45,
    /// `gather4_po_b`.
    Gather4PoB = 46,
    /// `gather4_po_i`.
    Gather4PoI = 47,
    /// `gather4_po_i_c`.
    Gather4PoIC = 53,
    /// `gather4_po_l_c`.
    Gather4PoLC = 55,
    /// `sample_d_c_mlod`, of newer text: the level of detail has a least value.
    SampleDCMlod = 17 | NEWEST,
    /// `sample_mlod`.
    SampleMlod = 18 | NEWEST,
    /// `sample_c_mlod`.
    SampleCMlod = 19 | NEWEST,
}

/// Tells operations apart from older ones with the same number.
const NEWEST: u32 = 0x100;

/// Element format of returned channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnFormat {
    /// 32-bit float or integer, as the surface format returns.
    Bits32,
    /// 16-bit half or integer.
    Bits16,
}

/// A 3D sampler message. Source: vISA 3D_LOAD and 3D_SAMPLE; lowering reference 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SamplerRequest {
    /// The operation.
    pub op: SamplerOp,
    /// Binding table index.
    pub surface: u32,
    /// Sampler state index; 0 for loads.
    pub sampler: u32,
    /// Channels returned.
    pub channels: ChannelMask,
    /// Number of lanes: 8, 16, 32.
    pub lanes: u32,
    /// Texel offsets U, V, R, each −8..=7.
    pub offsets: [i8; 3],
    /// One more register with the null-page mask.
    pub pixel_null_mask: bool,
    /// Parameters are 16-bit.
    pub params16: bool,
    /// Returned element size.
    pub returns: ReturnFormat,
    /// Number of parameters, 1..=15; missing trailing ones are 0.
    pub params: u32,
}

/// An AVS message. Source: vISA AVS; AVS reference 1.1 and 1.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AvsRequest {
    /// Binding table index.
    pub surface: u32,
    /// Sampler state index.
    pub sampler: u32,
    /// Channels returned.
    pub channels: ChannelMask,
    /// Element size and chroma decimation.
    pub control: AvsControl,
    /// Block shape.
    pub mode: AvsMode,
    /// Normalised x of pixel 0.
    #[serde(serialize_with = "number")]
    pub u: f32,
    /// Normalised y of pixel 0.
    #[serde(serialize_with = "number")]
    pub v: f32,
    /// x step between pixels of a row.
    #[serde(serialize_with = "number")]
    pub delta_u: f32,
    /// y step between rows.
    #[serde(serialize_with = "number")]
    pub delta_v: f32,
    /// Change of `delta_u` for each pixel.
    #[serde(serialize_with = "number")]
    pub u2d: f32,
    /// Change of `delta_v` for each row.
    #[serde(serialize_with = "number")]
    pub v2d: f32,
    /// Reorder hint without effect on the result.
    pub group_id: u32,
    /// Row offset of this block in units of four rows.
    pub vertical_block: u32,
    /// The image enhancement filter is bypassed (already decided from the instruction's or the
    /// message's bit, whose senses differ: AVS reference D1).
    pub ief_bypass: bool,
}

impl AvsRequest {
    /// The 16x4 block at the origin, all channels with 16 bits, every pixel at the same place: a start.
    pub const ORIGIN: AvsRequest = AvsRequest {
        surface: 0,
        sampler: 0,
        channels: ChannelMask::RGBA,
        control: AvsControl::Full16,
        mode: AvsMode::M16x4,
        u: 0.0,
        v: 0.0,
        delta_u: 0.0,
        delta_v: 0.0,
        u2d: 0.0,
        v2d: 0.0,
        group_id: 0,
        vertical_block: 0,
        ief_bypass: true,
    };
}

/// A `sample_unorm` message: a block of 8 by 4 pixels. Source: lowering reference 6.1; PRM 4.11.1.4.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnormRequest {
    /// Binding table index.
    pub surface: u32,
    /// Sampler state index.
    pub sampler: u32,
    /// Channels returned.
    pub channels: ChannelMask,
    /// Normalised x of pixel 0.
    #[serde(serialize_with = "number")]
    pub u: f32,
    /// Normalised y of pixel 0.
    #[serde(serialize_with = "number")]
    pub v: f32,
    /// x step between pixels of a row.
    #[serde(serialize_with = "number")]
    pub delta_u: f32,
    /// y step between rows.
    #[serde(serialize_with = "number")]
    pub delta_v: f32,
    /// One more register tells the pixels that the chroma key left alive.
    pub killpix: bool,
    /// Only R and G come back, whatever the channels: the `_RG` forms of Gen5.
    pub only_rg: bool,
    /// The payload has the steps where pixel shaders keep them: Gen5 only.
    pub shader_payload: bool,
}

/// A `sample_8x8` message of Gen5: a block of 8 by 8 pixels. Source: PRM 4.11.1.9; AVS reference 1.3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scale8x8Request {
    /// Binding table index.
    pub surface: u32,
    /// Sampler state index.
    pub sampler: u32,
    /// Channels returned.
    pub channels: ChannelMask,
    /// Normalised x of pixel 0.
    #[serde(serialize_with = "number")]
    pub u: f32,
    /// Normalised y of pixel 0.
    #[serde(serialize_with = "number")]
    pub v: f32,
    /// x step between pixels of a row.
    #[serde(serialize_with = "number")]
    pub delta_u: f32,
    /// y step between rows.
    #[serde(serialize_with = "number")]
    pub delta_v: f32,
    /// Change of `delta_u` for each pixel.
    #[serde(serialize_with = "number")]
    pub u2d: f32,
}

/// A `deinterlace` message of Gen5 to Gen7. Source: PRM 4.11.1.4; AVS reference 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DeinterlaceRequest {
    /// Binding table index of the current frame; the previous frame and the statistics follow.
    pub surface: u32,
    /// Sampler state index.
    pub sampler: u32,
    /// Left edge of the block in luma pixels.
    pub x: u32,
    /// Top edge of the block in luma rows.
    pub y: u32,
}

/// Which way the data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// From memory to registers.
    Read,
    /// From registers to memory.
    Write,
}

/// An oword block. Source: lowering reference 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct OwordBlock {
    /// Binding table index.
    pub surface: u32,
    /// Direction; unaligned blocks are only read.
    pub access: Access,
    /// 1, 2, 4, 8 or 16 blocks of 16 bytes.
    pub owords: u32,
    /// One oword only: it belongs in the upper half of the register.
    pub high: bool,
    /// The offset counts bytes, else owords.
    pub unaligned: bool,
    /// Where the block begins.
    pub offset: u32,
}

/// One element for each lane. Source: lowering reference 9 and 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Scattered {
    /// Binding table index.
    pub surface: u32,
    /// Direction.
    pub access: Access,
    /// 1, 2 or 4.
    pub element_bytes: u32,
    /// 8 or 16.
    pub lanes: u32,
    /// Added to every offset; `None` when the message has no header.
    pub global: Option<u32>,
}

/// Up to four dwords for each lane. Source: lowering reference 10 and 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Untyped {
    /// Binding table index; ignored at 64-bit addresses.
    pub surface: u32,
    /// Direction.
    pub access: Access,
    /// 8 or 16.
    pub lanes: u32,
    /// Dwords moved.
    pub channels: ChannelMask,
}

/// Up to four channels of one texel for each lane. Source: lowering reference 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Typed {
    /// Binding table index.
    pub surface: u32,
    /// Direction.
    pub access: Access,
    /// Channels moved.
    pub channels: ChannelMask,
    /// Coordinates given: u, v, r, lod, trailing ones absent.
    pub coordinates: u32,
}

/// An atomic operation for each lane. Source: lowering reference 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Atomic {
    /// Binding table index; 255 at 64-bit addresses.
    pub surface: u32,
    /// The operation.
    pub op: AtomicOp,
    /// Width of the memory element: 16, 32 or 64.
    pub bits: u32,
    /// 8 or 16.
    pub lanes: u32,
    /// The old value comes back.
    pub returns: bool,
}

/// A block of memory at a 64-bit address. Source: lowering reference 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SvmBlock {
    /// Direction.
    pub access: Access,
    /// 1, 2, 4 or 8 blocks of 16 bytes.
    pub owords: u32,
    /// The address need not be a multiple of 16.
    pub unaligned: bool,
    /// Byte address.
    pub address: u64,
}

/// Blocks for each lane at 64-bit addresses. Source: lowering reference 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SvmScattered {
    /// Direction.
    pub access: Access,
    /// Bytes of a block: 1, 4 or 8.
    pub block_bytes: u32,
    /// Blocks for each lane: 1, 2, 4 or 8.
    pub blocks: u32,
    /// 8 or 16.
    pub lanes: u32,
}

/// A render target write. Source: lowering reference 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct TargetWrite {
    /// Binding table index.
    pub surface: u32,
    /// 8 or 16.
    pub lanes: u32,
    /// The second group of sixteen lanes.
    pub second_half: bool,
    /// The last write of the pixels.
    pub last: bool,
    /// Per-sample dispatch.
    pub per_sample: bool,
    /// Coarse pixels.
    pub coarse: bool,
    /// Colours are half floats.
    pub half: bool,
    /// Render target.
    pub target: u32,
}

/// A URB write. Source: lowering reference 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct UrbWrite {
    /// In units of 16 bytes.
    pub offset: u32,
    /// The payload has an offset for each lane.
    pub per_slot: bool,
    /// The payload has a channel mask for each lane.
    pub masked: bool,
}

/// What a fence waits for. Source: lowering reference 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Fence {
    /// Shared local memory instead of global memory.
    pub local: bool,
    /// A register comes back when it is done.
    pub commit: bool,
    /// L3 partitions flushed, one bit each.
    pub l3: u32,
    /// The L1 is flushed.
    pub l1: bool,
}

/// A fence of the load/store pipe.
/// Source: lowering reference 15; vISA text reference 5.11, whose words stand in the order of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LscFence {
    /// Which memory: one of the pipe's functions.
    pub sfid: Sfid,
    /// What becomes of cached data: 0 none, 1 evict, 2 invalidate, 3 discard, 4 clean, 5 flush L3, 6 type 6.
    pub flush: u32,
    /// How far it reaches: 0 group, 1 local, 2 tile, 3 GPU, 4 GPUs, 5 system release, 6 system acquire.
    pub scope: u32,
}

/// Everything a message can ask.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Media block read.
    MediaRead(MediaBlock),
    /// Media block write.
    MediaWrite(MediaBlock),
    /// 3D sampler.
    Sampler(SamplerRequest),
    /// Adaptive video scaler.
    Avs(AvsRequest),
    /// `sample_unorm`.
    Unorm(UnormRequest),
    /// `sample_8x8`.
    Scale8x8(Scale8x8Request),
    /// `deinterlace`.
    Deinterlace(DeinterlaceRequest),
    /// The sampler's caches are emptied.
    SamplerFlush,
    /// Oword block.
    Oword(OwordBlock),
    /// Bytes, words or dwords at byte offsets.
    ByteScattered(Scattered),
    /// Dwords at dword offsets.
    DwordScattered(Scattered),
    /// Dwords at byte offsets.
    Untyped(Untyped),
    /// Texels.
    Typed(Typed),
    /// Atomic operation at byte offsets.
    Atomic(Atomic),
    /// Atomic operation on texels.
    TypedAtomic(Atomic),
    /// Block at a 64-bit address.
    SvmBlock(SvmBlock),
    /// Blocks at 64-bit addresses.
    SvmScattered(SvmScattered),
    /// Dwords at 64-bit addresses.
    SvmUntyped(Untyped),
    /// Atomic operation at 64-bit addresses.
    SvmAtomic(Atomic),
    /// Render target write.
    Target(TargetWrite),
    /// URB write.
    Urb(UrbWrite),
    /// Memory fence.
    Fence(Fence),
    /// Fence of the load/store pipe.
    LscFence(LscFence),
    /// Barrier of the thread group.
    Barrier,
    /// The thread ends.
    EndOfThread,
}
