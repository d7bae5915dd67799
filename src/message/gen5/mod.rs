//! Messages of Ironlake: the bits of a [`Request`](super::Request) there.
//!
//! Much is as on later parts, but the sampler's parameters are in another order, the data port has
//! one function for reads and one for writes, and extended math is a message.
//!
//! * [`rows`]: the messages, a row each. * [`encode`](mod@encode), [`decode`](mod@decode): requests to bits
//!   and back. * [`sampler_block`]: the block messages of the sampler.
//! * [`rules`]: lengths, and who may end a thread. * [`table`]: every message type of the manual.
//!
//! Source: lowering reference 18; PRM 2.6, 4.11, 5.10, 6.1.

pub mod decode;
pub mod encode;
#[cfg(test)]
mod laws;
pub mod rows;
pub mod rules;
pub mod sampler_block;
pub mod table;

pub use decode::decode;
pub use encode::encode;
pub use rows::{header_layout, layout};

use super::request::SamplerOp;

/// A child thread's end frees no URB handle. Source: lowering reference 18.8.
const CHILD_END: u32 = 0x12;

/// Whether the part has the operation. Source: lowering reference 18.2.
pub const fn has_op(op: SamplerOp) -> bool {
    matches!(
        op,
        SamplerOp::Sample
            | SamplerOp::SampleB
            | SamplerOp::SampleL
            | SamplerOp::SampleC
            | SamplerOp::SampleD
            | SamplerOp::SampleBC
            | SamplerOp::SampleLC
            | SamplerOp::Ld
            | SamplerOp::Resinfo
            | SamplerOp::SampleKillpix
    ) || is_starred(op)
}

/// Whether the manual's table of messages has a star at the operation, of which it says nothing: load4 (gather4),
/// LOD and sampleinfo. The three run as the later generations' messages of those types, and a remark says so. load4
/// takes the red channel: the header has no field for another one. Source: PRM 4.11.1.3.2; lowering reference 18.2,
/// which would have the first two absent.
pub const fn is_starred(op: SamplerOp) -> bool {
    matches!(
        op,
        SamplerOp::Gather4 | SamplerOp::Lod | SamplerOp::Sampleinfo
    )
}
