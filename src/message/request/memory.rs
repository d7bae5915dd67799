//! What the data port is asked: blocks, lanes at offsets and addresses, texels, atomics.

use crate::isa::{AtomicOp, ChannelMask, Platform};
use serde::{Serialize, Serializer};

/// Which cache a read of Gen5 goes through. Source: lowering reference 18.5; PRM 5.10.2.1.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cache {
    /// Data cache.
    Data = 0,
    /// Render cache: sees the thread's own writes, which all go through it (PRM 5.2.1).
    #[default]
    Render = 1,
    /// Sampler cache.
    Sampler = 2,
    /// Sampler cache in field mode: media blocks of every second line only.
    SamplerField = 3,
}

impl Cache {
    /// The name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Cache::Data => "data cache",
            Cache::Render => "render cache",
            Cache::Sampler => "sampler cache",
            Cache::SamplerField => "sampler cache in field mode",
        }
    }
}

impl Serialize for Cache {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What only the data port of Gen5 has in a message; later parts take the default alone.
/// Source: lowering reference 18.5; PRM 5.10.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct DataPath {
    /// Which cache a read goes through; the render cache for writes.
    pub cache: Cache,
    /// Stateless base address, a multiple of 1024; 0 for media blocks.
    pub base: u32,
    /// A write answers when it is done.
    pub commit: bool,
}

impl DataPath {
    /// Through the render cache, without base address and answer.
    pub const DEFAULT: DataPath = DataPath {
        cache: Cache::Render,
        base: 0,
        commit: false,
    };

    fn is_default(&self) -> bool {
        *self == DataPath::DEFAULT
    }
}

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
    /// Fields that only Gen5 has.
    #[serde(skip_serializing_if = "DataPath::is_default")]
    pub path: DataPath,
}

impl MediaBlock {
    /// Bytes of the widest block that one message of the platform moves.
    /// Source: vISA MEDIA_LD; lowering reference 18.5.
    pub const fn widest(platform: Platform) -> u32 {
        if platform.is_gen5() { 32 } else { 64 }
    }

    /// Bytes from one row of the block to the next in registers: the width rounded up to a power of
    /// two, 4 at least.
    ///
    /// PRM 5.10.5 knows no least pitch, so that its rows of a block 1 or 2 wide would lie closer. The least
    /// pitch of the vISA page is on Gen5 too: the vectors of Gen5's messages have 4 for a block 2 wide.
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

/// Which way the data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// From memory to registers.
    Read,
    /// From registers to memory.
    Write,
}

impl Access {
    /// Whether memory is written.
    pub const fn is_write(self) -> bool {
        matches!(self, Access::Write)
    }
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
    /// Where the block begins; bytes on Gen5.
    pub offset: u32,
    /// Fields that only Gen5 has.
    #[serde(skip_serializing_if = "DataPath::is_default")]
    pub path: DataPath,
}

/// Two oword blocks at two offsets, which are in the payload: Gen5 only. Source: PRM 5.10.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DualOword {
    /// Binding table index.
    pub surface: u32,
    /// Direction.
    pub access: Access,
    /// 1 or 4 blocks of 16 bytes in each.
    pub owords: u32,
    /// Added to both offsets, bytes.
    pub offset: u32,
    /// Cache, base address, answer.
    pub path: DataPath,
}

/// An AVC loop filter read: Gen5 only. Source: PRM 5.10.10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LoopFilter {
    /// Binding table index.
    pub surface: u32,
    /// Where it goes through.
    pub cache: Cache,
    /// Where the data of the macroblock begin, bytes.
    pub offset: u32,
}

/// A streamed vertex buffer write: Gen5 only. Source: PRM 5.10.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct VertexWrite {
    /// Binding table index.
    pub surface: u32,
    /// Which element.
    pub index: u32,
    /// R, G, B, A.
    pub data: [u32; 4],
    /// The write answers when it is done.
    pub commit: bool,
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
    /// Fields that only Gen5 has.
    #[serde(skip_serializing_if = "DataPath::is_default")]
    pub path: DataPath,
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
