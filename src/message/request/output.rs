//! What leaves the thread: render target and URB writes, fences.

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
