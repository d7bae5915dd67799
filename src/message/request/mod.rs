//! What a shared function is asked to do, typed: the only way `exec` meets textures and memory.
//!
//! A request holds what the message's descriptor and header say. Per-lane parameters and data are
//! passed beside it, as the payload is on hardware. [`super::sampler`] and [`super::dataport`] turn
//! requests into bits and back.

mod lsc;
mod media_sampler;
mod memory;
mod output;
mod sampler;
mod scalar;

pub use lsc::{Lsc, LscBlock2d, LscData, LscModel, LscOp, Strided};
pub use media_sampler::{AvsRequest, DeinterlaceRequest, Scale8x8Request, UnormRequest};
pub use memory::{
    Access, Atomic, Cache, DataPath, DualOword, FieldSelect, LoopFilter, MediaBlock, OwordBlock,
    Scattered, SvmBlock, SvmScattered, Typed, Untyped, VertexWrite,
};
pub use output::{
    Fence, GatewayOp, LscFence, PixelForm, PixelHeader, PixelWrite, TargetUnorm, TargetWrite,
    UrbWrite,
};
pub use sampler::{ReturnFormat, SamplerOp, SamplerRequest};
pub use scalar::{Scalar, texel_offsets};

use crate::math::unit::Control;
use serde::Serialize;

/// Flags that are off are left out, where hardly a message has them on.
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
    /// Lanes of the load/store pipe.
    Lsc(Lsc),
    /// Rectangles of memory, by the load/store pipe.
    LscBlock2d(LscBlock2d),
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
    /// A child thread of Gen5 ends: no URB handle is freed.
    EndOfChild,
    /// A thread of Gen5 ends with a message that no function serves. Source: PRM 2.6.8.
    NullEnd,
    /// Two oword blocks.
    DualOword(DualOword),
    /// AVC loop filter read.
    LoopFilter(LoopFilter),
    /// Streamed vertex buffer write.
    Vertex(VertexWrite),
    /// Render target write of Gen5.
    Pixels(PixelWrite),
    /// Render target UNORM block.
    TargetUnorm(TargetUnorm),
    /// The render cache of Gen5 is emptied.
    FlushRender {
        /// A register comes back when it is done.
        commit: bool,
    },
    /// Extended math, a message on Gen5 only.
    Math(Control),
    /// Gateway of Gen5.
    Gateway {
        /// What it is to do.
        op: GatewayOp,
        /// The thread ends with it.
        eot: bool,
    },
}

impl Request {
    /// The name of the message, as the manuals have it.
    pub fn name(&self) -> &'static str {
        let either = |access: Access, read, write| match access {
            Access::Read => read,
            Access::Write => write,
        };
        match self {
            Request::MediaRead(_) => "media block read",
            Request::MediaWrite(_) => "media block write",
            Request::Sampler(r) => r.op.name(),
            Request::Avs(_) => "avs",
            Request::Unorm(r) => r.name(),
            Request::Scale8x8(_) => "sample_8x8",
            Request::Deinterlace(_) => "deinterlace",
            Request::SamplerFlush => "sampler cache flush",
            Request::Oword(r) => either(r.access, "OWord block read", "OWord block write"),
            Request::DualOword(r) => {
                either(r.access, "OWord dual block read", "OWord dual block write")
            }
            Request::ByteScattered(r) => {
                either(r.access, "byte scattered read", "byte scattered write")
            }
            Request::DwordScattered(r) => {
                either(r.access, "DWord scattered read", "DWord scattered write")
            }
            Request::Untyped(_) => "untyped surface",
            Request::Typed(_) => "typed surface",
            Request::Atomic(_) => "untyped atomic",
            Request::TypedAtomic(_) => "typed atomic",
            Request::SvmBlock(_) => "64-bit block",
            Request::SvmScattered(_) => "64-bit scattered",
            Request::SvmUntyped(_) => "64-bit untyped",
            Request::SvmAtomic(_) => "64-bit atomic",
            Request::Lsc(r) => match r.op {
                op if op.is_atomic() => "LSC atomic",
                LscOp::AppendCounter(_) => "LSC append counter",
                LscOp::ReadState => "LSC surface state read",
                op if op.is_store() => "LSC store",
                _ => "LSC load",
            },
            Request::LscBlock2d(r) => either(r.access, "LSC 2D block load", "LSC 2D block store"),
            Request::Target(_) | Request::Pixels(_) => "render target write",
            Request::TargetUnorm(r) => either(
                r.access,
                "render target UNORM read",
                "render target UNORM write",
            ),
            Request::Vertex(_) => "streamed vertex buffer write",
            Request::LoopFilter(_) => "AVC loop filter read",
            Request::FlushRender { .. } => "flush render cache",
            Request::Urb(_) => "URB write",
            Request::Fence(_) | Request::LscFence(_) => "memory fence",
            Request::Barrier => "barrier",
            Request::Math(control) => control.function.info().name,
            Request::Gateway { op, .. } => match op {
                GatewayOp::Open => "gateway open",
                GatewayOp::Close => "gateway close",
                GatewayOp::Forward => "gateway forward",
            },
            Request::EndOfThread | Request::EndOfChild | Request::NullEnd => "end of thread",
        }
    }

    /// The binding table index, where the message has one.
    pub const fn surface(&self) -> Option<u32> {
        Some(match self {
            Request::MediaRead(r) | Request::MediaWrite(r) => r.surface,
            Request::Sampler(r) => r.surface,
            Request::Avs(r) => r.surface,
            Request::Unorm(r) => r.surface,
            Request::Scale8x8(r) => r.surface,
            Request::Deinterlace(r) => r.surface,
            Request::Oword(r) => r.surface,
            Request::DualOword(r) => r.surface,
            Request::ByteScattered(r) | Request::DwordScattered(r) => r.surface,
            Request::Untyped(r) => r.surface,
            Request::Typed(r) => r.surface,
            Request::Atomic(r) | Request::TypedAtomic(r) => r.surface,
            Request::Lsc(r) => match r.model.surface() {
                Some(surface) => surface,
                None => return None,
            },
            Request::Target(r) => r.surface,
            Request::Pixels(r) => r.surface,
            Request::TargetUnorm(r) => r.surface,
            Request::Vertex(r) => r.surface,
            Request::LoopFilter(r) => r.surface,
            Request::SamplerFlush
            | Request::SvmBlock(_)
            | Request::SvmScattered(_)
            | Request::SvmUntyped(_)
            | Request::SvmAtomic(_)
            | Request::LscBlock2d(_)
            | Request::Urb(_)
            | Request::Fence(_)
            | Request::LscFence(_)
            | Request::Barrier
            | Request::EndOfThread
            | Request::EndOfChild
            | Request::NullEnd
            | Request::FlushRender { .. }
            | Request::Math(_)
            | Request::Gateway { .. } => return None,
        })
    }

    /// Fields that only Gen5 has; the default for messages without them.
    pub const fn path(&self) -> DataPath {
        match self {
            Request::MediaRead(r) | Request::MediaWrite(r) => r.path,
            Request::Oword(r) => r.path,
            Request::DualOword(r) => r.path,
            Request::DwordScattered(r) | Request::ByteScattered(r) => r.path,
            Request::Pixels(PixelWrite { commit, .. })
            | Request::Vertex(VertexWrite { commit, .. })
            | Request::FlushRender { commit } => DataPath {
                commit: *commit,
                ..DataPath::DEFAULT
            },
            Request::TargetUnorm(r) => DataPath {
                cache: r.cache,
                commit: r.commit,
                ..DataPath::DEFAULT
            },
            Request::LoopFilter(r) => DataPath {
                cache: r.cache,
                ..DataPath::DEFAULT
            },
            _ => DataPath::DEFAULT,
        }
    }

    /// Whether it writes memory.
    pub const fn writes(&self) -> bool {
        match self {
            Request::Oword(r) => r.access.is_write(),
            Request::DualOword(r) => r.access.is_write(),
            Request::ByteScattered(r) | Request::DwordScattered(r) => r.access.is_write(),
            Request::Untyped(r) | Request::SvmUntyped(r) => r.access.is_write(),
            Request::Typed(r) => r.access.is_write(),
            Request::SvmBlock(r) => r.access.is_write(),
            Request::SvmScattered(r) => r.access.is_write(),
            Request::TargetUnorm(r) => r.access.is_write(),
            Request::LscBlock2d(r) => r.access.is_write(),
            Request::Lsc(r) => {
                r.op.is_store() || r.op.is_atomic() && !matches!(r.op, LscOp::AtomicLoad)
            }
            Request::MediaWrite(_)
            | Request::Atomic(_)
            | Request::TypedAtomic(_)
            | Request::SvmAtomic(_)
            | Request::Target(_)
            | Request::Pixels(_)
            | Request::Vertex(_)
            | Request::Urb(_) => true,
            _ => false,
        }
    }
}
