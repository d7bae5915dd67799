//! What leaves the thread: render target and URB writes, fences.

use super::memory::{Access, Cache, FieldSelect};
use super::not;
use crate::message::Sfid;
use serde::Serialize;

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
    /// The payload begins with source-0 alpha.
    #[serde(skip_serializing_if = "not")]
    pub alpha: bool,
    /// The payload has a sample mask.
    #[serde(skip_serializing_if = "not")]
    pub omask: bool,
    /// The payload has source depth.
    #[serde(skip_serializing_if = "not")]
    pub depth: bool,
    /// The payload has stencil.
    #[serde(skip_serializing_if = "not")]
    pub stencil: bool,
    /// There is no target: nothing is written.
    #[serde(skip_serializing_if = "not")]
    pub null: bool,
    /// The thread ends with it.
    #[serde(skip_serializing_if = "not")]
    pub eot: bool,
}

/// Which slots a render target write of Gen5 has, and how their colours lie in its payload; the number is
/// the form's code. Source: lowering reference 18.6; PRM 5.10.7.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PixelForm {
    /// Sixteen slots.
    Simd16 = 0,
    /// Sixteen slots of one colour.
    Replicated = 1,
    /// Two colours for slots 0 to 7.
    DualLow = 2,
    /// Two colours for slots 8 to 15.
    DualHigh = 3,
    /// Eight slots.
    Simd8 = 4,
}

impl PixelForm {
    /// Every form, in the order of the codes.
    pub const ALL: [PixelForm; 5] = [
        PixelForm::Simd16,
        PixelForm::Replicated,
        PixelForm::DualLow,
        PixelForm::DualHigh,
        PixelForm::Simd8,
    ];

    /// The form of messages with sixteen slots, or with eight.
    pub const fn of_slots(wide: bool) -> PixelForm {
        if wide {
            PixelForm::Simd16
        } else {
            PixelForm::Simd8
        }
    }

    /// Two colours for each slot.
    pub const fn is_dual(self) -> bool {
        matches!(self, PixelForm::DualLow | PixelForm::DualHigh)
    }
}

/// The two header registers of a render target write of Gen5. Source: PRM 5.10.7.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct PixelHeader {
    /// Pixels that were on when the thread was dispatched.
    pub dispatched: u32,
    /// Pixels still on: these are written.
    pub enables: u32,
    /// Color calculator state pointer, the low six bits off.
    pub calculator: u32,
    /// Viewport index.
    pub viewport: u32,
    /// Render target array index.
    pub index: u32,
    /// Pixels that a clip distance test discarded.
    pub clipped: u32,
    /// The polygon faces back.
    pub back: bool,
    /// Source depth is in the payload.
    pub source_depth: bool,
    /// Destination depth is in the payload.
    pub destination_depth: bool,
    /// Destination stencil is in the payload.
    pub stencil: bool,
    /// Antialias alpha is in the payload.
    pub antialias: bool,
    /// X and Y of the upper left pixel of each subspan.
    pub corners: [(u16, u16); 4],
}

/// A render target write of Gen5, whose header says where the pixels are.
/// Source: lowering reference 18.6; PRM 5.10.7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct PixelWrite {
    /// Binding table index.
    pub surface: u32,
    /// Slots and colours.
    pub form: PixelForm,
    /// The last target of the pixels.
    pub last: bool,
    /// The write answers when it is done.
    pub commit: bool,
    /// The header.
    pub header: PixelHeader,
    /// The thread ends with it.
    #[serde(skip_serializing_if = "not")]
    pub eot: bool,
}

impl PixelWrite {
    /// Registers of colours, depths, stencil and antialias alpha. Source: PRM 5.10.7.10.
    pub fn rows(&self) -> u32 {
        let colours = match self.form {
            PixelForm::Replicated => 1,
            PixelForm::Simd8 => 4,
            PixelForm::Simd16 | PixelForm::DualLow | PixelForm::DualHigh => 8,
        };
        let depth = match self.form {
            PixelForm::Simd16 => 2,
            _ => 1,
        };
        let h = &self.header;
        colours
            + u32::from(h.stencil || h.antialias)
            + depth * (u32::from(h.source_depth) + u32::from(h.destination_depth))
    }
}

/// A render target UNORM block of 8 by 4 pixels: Gen5 only. Source: PRM 5.10.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct TargetUnorm {
    /// Binding table index.
    pub surface: u32,
    /// Direction.
    pub access: Access,
    /// Where a read goes through; the render cache for writes.
    pub cache: Cache,
    /// Lines touched.
    pub field: FieldSelect,
    /// Left edge in pixels.
    pub x: i32,
    /// Top edge in rows.
    pub y: i32,
    /// Pixels written.
    pub mask: u32,
    /// A write answers when it is done.
    pub commit: bool,
    /// The thread ends with it.
    #[serde(skip_serializing_if = "not")]
    pub eot: bool,
}

/// What the gateway of Gen5 is to do; the number is the opcode. Source: lowering reference 18.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GatewayOp {
    /// Messages to this thread may arrive.
    Open = 0,
    /// They may not any more.
    Close = 1,
    /// A message goes to another thread.
    Forward = 2,
}

impl GatewayOp {
    /// Every operation, in the order of the opcodes.
    pub const ALL: [GatewayOp; 3] = [GatewayOp::Open, GatewayOp::Close, GatewayOp::Forward];
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
    /// The thread ends with it.
    #[serde(skip_serializing_if = "not")]
    pub eot: bool,
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
/// Source: lowering reference 15; vISA text reference 5.11, whose words are in the order of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LscFence {
    /// Which memory: one of the pipe's functions.
    pub sfid: Sfid,
    /// What becomes of cached data: 0 none, 1 evict, 2 invalidate, 3 discard, 4 clean, 5 flush L3, 6 type 6.
    pub flush: u32,
    /// How far it reaches: 0 group, 1 local, 2 tile, 3 GPU, 4 GPUs, 5 system release, 6 system acquire.
    pub scope: u32,
}
