//! What the block messages of the sampler ask: scaler, deinterlacer.

use crate::isa::{AvsControl, AvsMode, ChannelMask};
use crate::message::display::number;
use serde::Serialize;

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
    /// What a message of the same group has otherwise: nothing but the block number may differ.
    /// Source: vISA AVS, groupID.
    pub fn differs_from(&self, other: &AvsRequest) -> Option<&'static str> {
        let same = [
            ("the surface", self.surface == other.surface),
            ("the sampler state", self.sampler == other.sampler),
            ("the channels", self.channels == other.channels),
            ("cntrl", self.control == other.control),
            ("execMode", self.mode == other.mode),
            ("U_offset", self.u.to_bits() == other.u.to_bits()),
            ("V_offset", self.v.to_bits() == other.v.to_bits()),
            ("DeltaU", self.delta_u.to_bits() == other.delta_u.to_bits()),
            ("DeltaV", self.delta_v.to_bits() == other.delta_v.to_bits()),
            ("u2d", self.u2d.to_bits() == other.u2d.to_bits()),
            ("v2d", self.v2d.to_bits() == other.v2d.to_bits()),
            ("IEFBypass", self.ief_bypass == other.ief_bypass),
        ];
        same.into_iter()
            .find_map(|(name, same)| (!same).then_some(name))
    }

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
    /// Channels returned; the messages of Gen5 return all of them, or R and G.
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

impl UnormRequest {
    /// The name of the form.
    pub const fn name(&self) -> &'static str {
        match (self.only_rg, self.killpix) {
            (false, false) => "sample_unorm",
            (false, true) => "sample_unorm+killpix",
            (true, false) => "sample_unorm_RG",
            (true, true) => "sample_unorm_RG+killpix",
        }
    }
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
