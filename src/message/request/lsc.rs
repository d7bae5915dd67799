//! What the load/store pipe (LSC) is asked: lanes at addresses, texels, rectangles of memory.
//!
//! Source: vISA text reference 5.11; Xe2 messages reference 7 and 8; vISA pages LSC_UNTYPED and LSC_TYPED.

use super::super::Sfid;
use super::memory::{Access, Atomic, Typed};
use crate::isa::{AtomicOp, ChannelMask, Extension, Opcode};
use serde::Serialize;

/// A message of the load/store pipe for elements. Its values are in an operand of their own: [`LscBlock2d`] has
/// the rectangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Lsc {
    /// `ugm`, `ugml`, `slm` or `tgm`.
    pub sfid: Sfid,
    /// Which memory.
    pub model: LscModel,
    /// What is done.
    pub op: LscOp,
    /// Size of an element in memory and in registers.
    pub data: LscData,
    /// Elements of a lane, one after the other in memory; 1 of the quad forms.
    pub vector: u32,
    /// One lane, whose elements lie one after the other in registers too.
    pub transposed: bool,
    /// Channels of the quad forms.
    #[serde(skip_serializing_if = "is_no_quad")]
    pub channels: ChannelMask,
    /// Values come back: not of a store, a prefetch, or an atomic whose result is dropped.
    pub returns: bool,
    /// Bits of an address: 16, 32 or 64.
    pub address_bits: u32,
    /// How 32-bit addresses become those of 64 bits before they are scaled. Xe3p only.
    #[serde(skip)]
    pub extend: Option<Extension>,
    /// What addresses are multiplied by. Xe3p only; else 1.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: u32,
    /// Added to every address, bytes: the immediate offset of the descriptors, from Xe2 on; else 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: i32,
    /// Lanes of the message.
    pub lanes: u32,
    /// Coordinates of a texel (u, v, r, lod, trailing ones absent); 1 of untyped messages.
    #[serde(skip_serializing_if = "is_one")]
    pub coordinates: u32,
    /// The code of the cache policy.
    pub cache: u32,
    /// What the payload of the strided forms has instead of addresses; 0 of the others.
    #[serde(skip_serializing_if = "Strided::is_none")]
    pub strided: Strided,
}

/// Addresses at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Strided {
    /// The address of lane 0.
    pub base: u64,
    /// Bytes from lane to lane.
    pub stride: u32,
}

impl Strided {
    fn is_none(&self) -> bool {
        *self == Strided::default()
    }
}

fn is_no_quad(channels: &ChannelMask) -> bool {
    channels.0 == 0
}

fn is_one(value: &u32) -> bool {
    *value == 1
}

fn is_zero(value: &i32) -> bool {
    *value == 0
}

/// Which memory a message of the load/store pipe means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LscModel {
    /// Addresses of memory; of shared local memory with `slm`.
    Flat,
    /// A surface by the handle of its state.
    Bss(u32),
    /// A surface by the handle of its state, of scratch memory.
    Ss(u32),
    /// A surface by its binding table index.
    Bti(u32),
}

impl LscModel {
    /// The handle or index.
    pub const fn surface(&self) -> Option<u32> {
        match self {
            LscModel::Flat => None,
            LscModel::Bss(index) | LscModel::Ss(index) | LscModel::Bti(index) => Some(*index),
        }
    }
}

impl LscModel {
    /// The same, to be filled in.
    pub const fn surface_mut(&mut self) -> Option<&mut u32> {
        match self {
            LscModel::Flat => None,
            LscModel::Bss(index) | LscModel::Ss(index) | LscModel::Bti(index) => Some(index),
        }
    }
}

/// What a message of the load/store pipe does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LscOp {
    /// Reads.
    Load,
    /// Reads at a base and a stride.
    LoadStrided,
    /// Reads up to four channels.
    LoadQuad,
    /// Writes.
    Store,
    /// Writes at a base and a stride.
    StoreStrided,
    /// Writes up to four channels.
    StoreQuad,
    /// Writes without compression.
    StoreUncompressed,
    /// Reads in one step.
    AtomicLoad,
    /// Reads and writes in one step.
    Atomic(AtomicOp),
    /// As `Atomic`, on bfloat16: one of the float operations.
    BfAtomic(AtomicOp),
    /// Changes the append counter of a surface in one step: by a sum, a difference, or to a value.
    AppendCounter(AtomicOp),
    /// Reads what a surface state says.
    ReadState,
}

impl LscOp {
    /// What an instruction does; `None` for 2D blocks, the fence and what is not modelled.
    pub fn of_instruction(opcode: Opcode) -> Option<LscOp> {
        use Opcode::*;
        Some(match opcode {
            LscLoad => LscOp::Load,
            LscLoadStrided => LscOp::LoadStrided,
            LscLoadQuad => LscOp::LoadQuad,
            LscStore => LscOp::Store,
            LscStoreStrided => LscOp::StoreStrided,
            LscStoreQuad => LscOp::StoreQuad,
            LscStoreUncompressed => LscOp::StoreUncompressed,
            LscReadStateInfo => LscOp::ReadState,
            LscAtomicLoad => LscOp::AtomicLoad,
            LscAtomicStore => LscOp::Atomic(AtomicOp::Xchg),
            LscAtomicIinc => LscOp::Atomic(AtomicOp::Inc),
            LscAtomicIdec => LscOp::Atomic(AtomicOp::Dec),
            LscAtomicIadd => LscOp::Atomic(AtomicOp::Add),
            LscAtomicIsub => LscOp::Atomic(AtomicOp::Sub),
            LscAtomicSmin => LscOp::Atomic(AtomicOp::MinSint),
            LscAtomicSmax => LscOp::Atomic(AtomicOp::MaxSint),
            LscAtomicUmin => LscOp::Atomic(AtomicOp::Min),
            LscAtomicUmax => LscOp::Atomic(AtomicOp::Max),
            LscAtomicIcas => LscOp::Atomic(AtomicOp::CmpXchg),
            LscAtomicFadd => LscOp::Atomic(AtomicOp::FAdd),
            LscAtomicFsub => LscOp::Atomic(AtomicOp::FSub),
            LscAtomicFmin => LscOp::Atomic(AtomicOp::FMin),
            LscAtomicFmax => LscOp::Atomic(AtomicOp::FMax),
            LscAtomicFcas => LscOp::Atomic(AtomicOp::FCmpWr),
            LscAtomicBfadd => LscOp::BfAtomic(AtomicOp::FAdd),
            LscAtomicBfsub => LscOp::BfAtomic(AtomicOp::FSub),
            LscAtomicBfmin => LscOp::BfAtomic(AtomicOp::FMin),
            LscAtomicBfmax => LscOp::BfAtomic(AtomicOp::FMax),
            LscAtomicBfcas => LscOp::BfAtomic(AtomicOp::FCmpWr),
            LscApndctrAtomicAdd => LscOp::AppendCounter(AtomicOp::Add),
            LscApndctrAtomicSub => LscOp::AppendCounter(AtomicOp::Sub),
            LscApndctrAtomicStore => LscOp::AppendCounter(AtomicOp::Xchg),
            LscAtomicAnd => LscOp::Atomic(AtomicOp::And),
            LscAtomicOr => LscOp::Atomic(AtomicOp::Or),
            LscAtomicXor => LscOp::Atomic(AtomicOp::Xor),
            _ => return None,
        })
    }

    /// At a base and a stride.
    pub const fn is_strided(self) -> bool {
        matches!(self, LscOp::LoadStrided | LscOp::StoreStrided)
    }

    /// Of up to four channels.
    pub const fn is_quad(self) -> bool {
        matches!(self, LscOp::LoadQuad | LscOp::StoreQuad)
    }

    /// Writes memory and reads nothing.
    pub const fn is_store(self) -> bool {
        matches!(
            self,
            LscOp::Store | LscOp::StoreStrided | LscOp::StoreQuad | LscOp::StoreUncompressed
        )
    }

    /// Reads and writes in one step.
    pub const fn is_atomic(self) -> bool {
        matches!(
            self,
            LscOp::AtomicLoad | LscOp::Atomic(_) | LscOp::BfAtomic(_) | LscOp::AppendCounter(_)
        )
    }
}

/// Size of an element in memory and in registers. Source: Xe2 messages reference 7, "data size".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LscData {
    /// A byte.
    D8,
    /// A word.
    D16,
    /// A dword.
    D32,
    /// A qword.
    D64,
    /// A byte in memory, a dword in registers.
    D8U32,
    /// A word in memory, a dword in registers.
    D16U32,
    /// A word in memory, the upper half of a dword in registers.
    D16U32H,
}

impl LscData {
    /// All of them in the order of their codes.
    pub const ALL: [LscData; 7] = [
        LscData::D8,
        LscData::D16,
        LscData::D32,
        LscData::D64,
        LscData::D8U32,
        LscData::D16U32,
        LscData::D16U32H,
    ];

    /// Reads a word of the text; `d8c32` is the older spelling of `d8u32`.
    pub fn from_name(name: &str) -> Option<LscData> {
        let known = LscData::ALL.into_iter().find(|data| data.name() == name);
        known.or(match name {
            "d8c32" => Some(LscData::D8U32),
            "d16c32" => Some(LscData::D16U32),
            "d16c32h" => Some(LscData::D16U32H),
            _ => None,
        })
    }

    /// The word of the text.
    pub const fn name(self) -> &'static str {
        match self {
            LscData::D8 => "d8",
            LscData::D16 => "d16",
            LscData::D32 => "d32",
            LscData::D64 => "d64",
            LscData::D8U32 => "d8u32",
            LscData::D16U32 => "d16u32",
            LscData::D16U32H => "d16u32h",
        }
    }

    /// Bytes in memory.
    pub const fn memory_bytes(self) -> u32 {
        match self {
            LscData::D8 | LscData::D8U32 => 1,
            LscData::D16 | LscData::D16U32 | LscData::D16U32H => 2,
            LscData::D32 => 4,
            LscData::D64 => 8,
        }
    }

    /// Bytes in registers.
    pub const fn register_bytes(self) -> u32 {
        match self {
            LscData::D8U32 | LscData::D16U32 | LscData::D16U32H => 4,
            same => same.memory_bytes(),
        }
    }

    /// Where the value begins in its bytes of a register.
    pub const fn register_offset(self) -> u32 {
        match self {
            LscData::D16U32H => 2,
            _ => 0,
        }
    }
}

impl Lsc {
    /// Elements of a lane: as many as the vector or the mask has.
    pub const fn components(&self) -> u32 {
        match self.op.is_quad() {
            true => self.channels.count(),
            false => self.vector,
        }
    }

    /// Whether addresses of 32 bits become such of 64. Others wrap, as offsets into a surface do.
    pub(crate) fn is_widened(&self) -> bool {
        let flat = self.model == LscModel::Flat && self.sfid != Sfid::Slm;
        flat && self.address_bits == 32 && self.extend.is_some()
    }

    /// Elements alone in a register, by 32-bit addresses or none.
    pub(in super::super) fn is_plain(&self) -> bool {
        let one = self.vector == 1 && self.coordinates == 1 && !self.transposed;
        one && self.sfid != Sfid::Tgm && self.address_bits == 32
    }

    /// The atomic operation on texels, of a `tgm` message.
    pub fn typed_atomic(&self) -> Option<Atomic> {
        let LscOp::Atomic(op) = self.op else {
            return None;
        };
        Some(Atomic {
            surface: self.model.surface().filter(|_| self.sfid == Sfid::Tgm)?,
            op,
            bits: 8 * self.data.memory_bytes(),
            lanes: self.lanes,
            returns: self.returns,
        })
    }

    /// What is read and written of texels, of a `tgm` message for channels.
    pub fn typed(&self) -> Option<Typed> {
        let access = match self.op {
            LscOp::LoadQuad => Access::Read,
            LscOp::StoreQuad => Access::Write,
            _ => return None,
        };
        Some(Typed {
            surface: self.model.surface().filter(|_| self.sfid == Sfid::Tgm)?,
            access,
            channels: self.channels,
            coordinates: self.coordinates,
        })
    }
}

/// A rectangle of memory whose surface the message itself describes. Source: vISA page LSC_UNTYPED,
/// "LOAD_BLOCK2D".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LscBlock2d {
    /// Direction.
    pub access: Access,
    /// Values come back: not of a store or a prefetch.
    pub returns: bool,
    /// Bytes of an element.
    pub element: u32,
    /// Rectangles side by side.
    pub blocks: u32,
    /// Elements of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Registers hold columns.
    pub transposed: bool,
    /// Elements of a column (of a row, transposed) fill a dword together.
    pub vnni: bool,
    /// The code of the cache policy.
    pub cache: u32,
    /// Added to column and row: part of the descriptors from Xe2 on, of the payload before.
    pub offset: [i32; 2],
    /// Address of the surface.
    pub address: u64,
    /// Bytes of a row of the surface, less one.
    pub surface_width: u32,
    /// Rows of the surface, less one.
    pub surface_height: u32,
    /// Bytes from row to row, less one.
    pub surface_pitch: u32,
    /// Column of the first rectangle, in elements.
    pub x: i32,
    /// Row of the first rectangle.
    pub y: i32,
}

impl LscBlock2d {
    /// Bytes of registers that a block fills at most: four of 32 rows of 64 bytes.
    pub const MOST_BYTES: usize = 4 * 32 * 64;

    /// Elements that make a dword; 1 where they are as large.
    pub const fn in_dword(&self) -> u32 {
        match self.element {
            1 => 4,
            2 => 2,
            _ => 1,
        }
    }

    /// Elements from one row of registers to the next, and such rows of a rectangle.
    pub const fn rows(&self) -> (u32, u32) {
        if self.transposed {
            (self.height.next_power_of_two(), self.width)
        } else {
            (self.width.next_power_of_two(), self.height)
        }
    }

    /// Elements from one rectangle to the next in registers of `grf` bytes: each begins a new one.
    pub const fn step(&self, grf: u32) -> u32 {
        let (pitch, rows) = self.rows();
        (pitch * rows).next_multiple_of(grf / self.element)
    }

    /// The place of an element inside its rectangle in registers.
    pub const fn place(&self, column: u32, row: u32) -> u32 {
        let (pitch, _) = self.rows();
        let (along, across) = match self.transposed {
            true => (row, column),
            false => (column, row),
        };
        let together = if self.vnni { self.in_dword() } else { 1 };
        (across - across % together) * pitch + along * together + across % together
    }

    /// Bytes of the registers that it fills or reads, of `grf` bytes each.
    pub const fn bytes(&self, grf: u32) -> u32 {
        self.blocks * self.step(grf) * self.element
    }
}
