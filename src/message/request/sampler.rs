//! What the 3D sampler is asked.

use super::not;
use crate::isa::opcodes::OpInfo;
use crate::isa::{ChannelMask, Platform};
use serde::{Serialize, Serializer};

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
    /// `sample_po_b_c`.
    SamplePoBC = 37,
    /// `sample_po_l_c`.
    SamplePoLC = 38,
    /// `sample_po_d_c`.
    SamplePoDC = 52,
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
        (SamplerOp::SamplePoBC, "sample_po_b_c"),
        (SamplerOp::SamplePoLC, "sample_po_l_c"),
        (SamplerOp::SamplePoDC, "sample_po_d_c"),
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

    /// The message type on a platform; `None` where it has no such message.
    /// Source: lowering reference 3.1 and 20; Xe2 messages reference 5.
    pub fn code_on(self, platform: Platform) -> Option<u32> {
        if platform.sampler.six_bit_types {
            return Some(match self {
                SamplerOp::Gather4Po => 0x28,
                SamplerOp::Gather4PoC => 0x30,
                op => op.code(),
            });
        }
        let gone = self.has_separate_offsets() && !platform.sampler.gather4_po;
        (self.has_message() && !gone).then(|| self.code())
    }

    /// Reads a message type of a platform.
    pub fn from_code_on(code: u32, platform: Platform) -> Option<SamplerOp> {
        let mut all = SamplerOp::ALL.iter().map(|row| row.0);
        all.find(|op| op.code_on(platform) == Some(code))
    }

    /// What a 3D sampler instruction asks: its operation number is the message type. Newer text uses
    /// numbers of gather4 for operations that are none.
    pub fn of_instruction(row: &OpInfo) -> Option<SamplerOp> {
        let mut all = SamplerOp::ALL.iter().map(|&(op, _)| op);
        all.find(|op| op.code() == u32::from(row.sub) && op.is_gather() == (row.code == 0x6f))
    }

    /// Whether parts before Xe2 have a message for it; newer text names more operations.
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
                | SamplePoBC
                | SamplePoDC
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
                | SamplePoBC
                | SamplePoDC
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

impl ReturnFormat {
    /// Bytes of an element.
    pub const fn bytes(self) -> u32 {
        match self {
            ReturnFormat::Bits32 => 4,
            ReturnFormat::Bits16 => 2,
        }
    }

    // Serde hands references to what says whether a field is left out.
    fn is_bits32(&self) -> bool {
        matches!(self, ReturnFormat::Bits32)
    }
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
    #[serde(skip_serializing_if = "not")]
    pub pixel_null_mask: bool,
    /// Parameters are 16-bit.
    #[serde(skip_serializing_if = "not")]
    pub params16: bool,
    /// Returned element size; told where it is not 32 bits, which is all that Gen5 has.
    #[serde(skip_serializing_if = "ReturnFormat::is_bits32")]
    pub returns: ReturnFormat,
    /// Number of parameters, 1..=15; missing trailing ones are 0.
    pub params: u32,
    /// Levels are those of coarse pixels.
    #[serde(skip_serializing_if = "not")]
    pub coarse: bool,
}
