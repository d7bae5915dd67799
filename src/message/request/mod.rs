//! What a shared function is asked to do, typed: the only way `exec` meets textures and memory.
//!
//! A request holds what the message's descriptor and header say. Per-lane parameters and data are
//! passed beside it, as the payload is on hardware. [`super::sampler`] and [`super::dataport`] turn
//! requests into bits and back.

mod media_sampler;
mod memory;
mod output;
mod sampler;

pub use media_sampler::{AvsRequest, DeinterlaceRequest, Scale8x8Request, UnormRequest};
pub use memory::{
    Access, Atomic, FieldSelect, MediaBlock, OwordBlock, Scattered, SvmBlock, SvmScattered, Typed,
    Untyped,
};
pub use output::{Fence, LscFence, TargetWrite, UrbWrite};
pub use sampler::{ReturnFormat, SamplerOp, SamplerRequest};

use serde::Serialize;

/// Flags that are off are not told of, where hardly a message has them on.
fn not(flag: &bool) -> bool {
    !flag
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
