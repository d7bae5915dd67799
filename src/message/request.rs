//! What a shared function is asked to do, typed: the only way `exec` meets textures and memory.
//!
//! A request holds what the message's descriptor and header say. Per-lane parameters and data are
//! passed beside it, as the payload is on hardware. [`super::sampler`] and [`super::dataport`] turn
//! requests into bits and back.

use crate::isa::{AvsControl, AvsMode, ChannelMask};

/// Which lines of an interleaved surface a media block touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldSelect {
    /// As the surface state says.
    State,
    /// Top field: line stride 1, first line 0.
    Top,
    /// Bottom field: line stride 1, first line 1.
    Bottom,
}

/// A media block read or write. Source: vISA MEDIA_LD; PRM 5.10.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl MediaBlock {
    /// Bytes from one row of the block to the next in registers: the width rounded up to a power of
    /// two, 4 at least. Source: vISA MEDIA_LD, "Semantics".
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
    /// `gather4_c`.
    Gather4C = 16,
    /// `gather4_po`.
    Gather4Po = 17,
    /// `gather4_po_c`.
    Gather4PoC = 18,
    /// `sample_d_c`.
    SampleDC = 20,
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
}

/// Element format of returned channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReturnFormat {
    /// 32-bit float or integer, as the surface format returns.
    Bits32,
    /// 16-bit half or integer.
    Bits16,
}

/// A 3D sampler message. Source: vISA 3D_LOAD and 3D_SAMPLE; lowering reference 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
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
    pub u: f32,
    /// Normalised y of pixel 0.
    pub v: f32,
    /// x step between pixels of a row.
    pub delta_u: f32,
    /// y step between rows.
    pub delta_v: f32,
    /// Change of `delta_u` for each pixel.
    pub u2d: f32,
    /// Change of `delta_v` for each row.
    pub v2d: f32,
    /// Reorder hint without effect on the result.
    pub group_id: u32,
    /// Row offset of this block in units of four rows.
    pub vertical_block: u32,
    /// The image enhancement filter is bypassed (already decided from the instruction's or the
    /// message's bit, whose senses differ: AVS reference D1).
    pub ief_bypass: bool,
}

/// Everything a message can ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// Media block read.
    MediaRead(MediaBlock),
    /// Media block write.
    MediaWrite(MediaBlock),
    /// 3D sampler.
    Sampler(SamplerRequest),
    /// Adaptive video scaler.
    Avs(AvsRequest),
}
