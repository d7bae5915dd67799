//! Messages of Ironlake: the bits of a [`Request`](super::Request) there.
//!
//! Much is as on later parts, but the sampler's parameters stand in another order, the data port has
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

use super::fields::{gen5_read as read, gen5_write as write};
use super::request::{Cache, PixelForm, SamplerOp};
use rows::{reads, writes};

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
            | SamplerOp::Sampleinfo
            | SamplerOp::SampleKillpix
    )
}

/// The read control of a lowered message: render cache, so that the thread sees its own writes.
pub fn read_function(message_type: ReadType, specific: u32) -> u32 {
    let code = match message_type {
        ReadType::Media => reads::MEDIA,
        ReadType::Oword => reads::OWORD,
        ReadType::Dword => reads::DWORD,
    };
    (Cache::Render as u32) << read::CACHE.lo | code << read::TYPE.lo | specific << read::SPECIFIC.lo
}

/// The write control of a lowered message.
pub fn write_function(message_type: ReadType, specific: u32) -> u32 {
    let code = match message_type {
        ReadType::Media => writes::MEDIA,
        ReadType::Oword => writes::OWORD,
        ReadType::Dword => writes::DWORD,
    };
    code << write::TYPE.lo | specific << write::SPECIFIC.lo
}

/// The control of a lowered render target write of eight or sixteen slots.
/// Source: lowering reference 18.6.
pub const fn target_function(wide: bool, last: bool) -> u32 {
    let specific = PixelForm::of_slots(wide) as u32 | (last as u32) << 3;
    writes::TARGET << write::TYPE.lo | specific << write::SPECIFIC.lo
}

/// The block and scattered messages both directions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadType {
    /// Media block.
    Media,
    /// Oword block.
    Oword,
    /// Scattered dwords.
    Dword,
}

/// Type of the block message that `sample_unorm` becomes. Source: lowering reference 18.4.
pub const UNORM_TYPE: u32 = super::sampler::UNORM_TYPE;
