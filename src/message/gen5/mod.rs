//! Messages of Ironlake: what the sampler, the data port, the math unit and the gateway of this part
//! are asked, and the bits.
//!
//! Much is as on later parts, but the sampler's parameters stand in another order, the data port has
//! one function for reads and one for writes, and extended math is a message.
//!
//! * here: what can be asked. * [`encode`](mod@encode), [`decode`](mod@decode): questions to bits and back.
//! * [`rules`]: lengths, and who may end a thread. * [`table`]: every message type of the manual.
//!
//! Source: lowering reference 18; PRM 2.6, 4.11, 5.10, 6.1.

pub mod decode;
pub mod encode;
#[cfg(test)]
mod laws;
pub mod rules;
pub mod table;

pub use decode::decode_ask;
pub use encode::encode_ask;

use super::bits::{DecodeError, Decoded, EncodeError, Form, Message};
use super::fields::{self, gen5_read as read, gen5_write as write};
use super::request::{
    Access, FieldSelect, MediaBlock, OwordBlock, Request, SamplerOp, SamplerRequest, Scattered,
};
use super::{Sfid, gen5_media};
use crate::isa::{ChannelMask, Platform};
use crate::math::unit::Control;
use serde::{Serialize, Serializer};

/// Which cache a read goes through. Source: lowering reference 18.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cache {
    /// Data cache.
    Data = 0,
    /// Render cache: sees the thread's own writes.
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

/// The two header registers of a render target write. Source: PRM 5.10.7.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetHeader {
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

/// What Ironlake can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// SIMD8 and SIMD16 sampling and loading; parameters in this part's order.
    Sampler(SamplerRequest),
    /// SIMD32/64 message of the sampler: 0xB scaler 8x8, 8 deinterlace, 0xC unorm.
    SamplerBlock {
        /// Message type.
        kind: u32,
        /// Binding table index.
        surface: u32,
        /// Sampler state index.
        sampler: u32,
        /// Channels returned.
        channels: ChannelMask,
    },
    /// Media block read.
    MediaRead(MediaBlock, Cache),
    /// Media block write; answers when `commit`.
    MediaWrite {
        /// The block.
        block: MediaBlock,
        /// A register comes back.
        commit: bool,
    },
    /// Oword block; the offset counts bytes.
    Oword {
        /// The block.
        block: OwordBlock,
        /// Stateless base address, a multiple of 1024.
        base: u32,
        /// Where reads go through.
        cache: Cache,
        /// Writes answer.
        commit: bool,
    },
    /// Two oword blocks at two offsets.
    DualOword {
        /// Binding table index.
        surface: u32,
        /// Direction.
        access: Access,
        /// Added to both offsets, bytes.
        global: u32,
        /// Stateless base address, a multiple of 1024.
        base: u32,
        /// Where reads go through.
        cache: Cache,
        /// 1 or 4 owords in each.
        owords: u32,
        /// Writes answer.
        commit: bool,
    },
    /// One dword for each lane at byte offsets.
    DwordScattered {
        /// The lanes; the global offset counts bytes.
        request: Scattered,
        /// Stateless base address, a multiple of 1024.
        base: u32,
        /// Where reads go through.
        cache: Cache,
        /// Writes answer.
        commit: bool,
    },
    /// Render target write: 0 SIMD16, 1 replicated, 2 and 3 dual source, 4 SIMD8.
    Target {
        /// Binding table index.
        surface: u32,
        /// Which form.
        form: u32,
        /// The last target.
        last: bool,
        /// A register comes back.
        commit: bool,
        /// The header.
        header: TargetHeader,
        /// The thread ends with it.
        eot: bool,
    },
    /// Render target UNORM block of 8 by 4 pixels.
    Unorm {
        /// Binding table index.
        surface: u32,
        /// Direction.
        access: Access,
        /// Where reads go through.
        cache: Cache,
        /// Lines touched.
        field: FieldSelect,
        /// Left edge in pixels.
        x: i32,
        /// Top edge in rows.
        y: i32,
        /// Pixels written.
        mask: u32,
        /// Writes answer.
        commit: bool,
        /// The thread ends with it.
        eot: bool,
    },
    /// Streamed vertex buffer write.
    Vertex {
        /// Binding table index.
        surface: u32,
        /// Which element.
        index: u32,
        /// R, G, B, A.
        data: [u32; 4],
        /// A register comes back.
        commit: bool,
    },
    /// AVC loop filter read.
    LoopFilter {
        /// Binding table index.
        surface: u32,
        /// Where it goes through.
        cache: Cache,
        /// Where the macroblock's data begin, bytes.
        global: u32,
    },
    /// The render cache is emptied.
    FlushRender {
        /// A register comes back.
        commit: bool,
    },
    /// Extended math.
    Math(Control),
    /// Gateway: 0 open, 1 close, 2 forward.
    Gateway {
        /// Which.
        opcode: u32,
        /// The thread ends with it.
        eot: bool,
    },
    /// A root or child thread ends.
    EndOfThread {
        /// It is a child thread.
        child: bool,
    },
    /// A thread ends with a message that no function serves. Source: PRM 2.6.8.
    NullEnd,
}

impl Ask {
    /// The name of the message.
    pub fn name(&self) -> &'static str {
        let either = |access: &Access, read, write| match access {
            Access::Read => read,
            Access::Write => write,
        };
        match self {
            Ask::Sampler(r) => r.op.name(),
            Ask::SamplerBlock { kind, .. } => gen5_media::name(*kind),
            Ask::MediaRead(..) => "media block read",
            Ask::MediaWrite { .. } => "media block write",
            Ask::Oword { block, .. } => {
                either(&block.access, "OWord block read", "OWord block write")
            }
            Ask::DualOword { access, .. } => {
                either(access, "OWord dual block read", "OWord dual block write")
            }
            Ask::DwordScattered { request, .. } => either(
                &request.access,
                "DWord scattered read",
                "DWord scattered write",
            ),
            Ask::Target { .. } => "render target write",
            Ask::Unorm { access, .. } => either(
                access,
                "render target UNORM read",
                "render target UNORM write",
            ),
            Ask::Vertex { .. } => "streamed vertex buffer write",
            Ask::LoopFilter { .. } => "AVC loop filter read",
            Ask::FlushRender { .. } => "flush render cache",
            Ask::Math(control) => control.function.info().name,
            Ask::Gateway { opcode, .. } => match opcode {
                0 => "gateway open",
                1 => "gateway close",
                _ => "gateway forward",
            },
            Ask::EndOfThread { .. } | Ask::NullEnd => "end of thread",
        }
    }

    /// Whether it writes to the surface it names.
    pub const fn writes(&self) -> bool {
        match self {
            Ask::MediaWrite { .. } | Ask::Target { .. } | Ask::Vertex { .. } => true,
            Ask::Oword { block, .. } => matches!(block.access, Access::Write),
            Ask::DwordScattered { request, .. } => matches!(request.access, Access::Write),
            Ask::DualOword { access, .. } | Ask::Unorm { access, .. } => {
                matches!(access, Access::Write)
            }
            _ => false,
        }
    }

    /// Whether it passes the render cache: all writes do. Source: PRM 5.2.1.
    pub fn through_render_cache(&self) -> bool {
        let read = match self {
            Ask::MediaRead(_, cache)
            | Ask::Oword { cache, .. }
            | Ask::DualOword { cache, .. }
            | Ask::DwordScattered { cache, .. }
            | Ask::Unorm { cache, .. }
            | Ask::LoopFilter { cache, .. } => *cache == Cache::Render,
            _ => false,
        };
        read || self.writes()
    }

    /// The binding table index, where there is one.
    pub const fn surface(&self) -> Option<u32> {
        Some(match self {
            Ask::Sampler(r) => r.surface,
            Ask::MediaRead(block, _) | Ask::MediaWrite { block, .. } => block.surface,
            Ask::Oword { block, .. } => block.surface,
            Ask::DwordScattered { request, .. } => request.surface,
            Ask::SamplerBlock { surface, .. }
            | Ask::DualOword { surface, .. }
            | Ask::Target { surface, .. }
            | Ask::Unorm { surface, .. }
            | Ask::Vertex { surface, .. }
            | Ask::LoopFilter { surface, .. } => *surface,
            _ => return None,
        })
    }
}

/// Read types. Source: lowering reference 18.5; PRM 5.10.2.1.2.
mod reads {
    pub const OWORD: u32 = 0;
    pub const UNORM: u32 = 1;
    pub const DUAL_OWORD: u32 = 2;
    pub const LOOP_FILTER: u32 = 3;
    pub const MEDIA: u32 = 4;
    pub const DWORD: u32 = 6;
}

/// Write types. Source: lowering reference 18.5; PRM 5.10.2.1.2.
mod writes {
    pub const OWORD: u32 = 0;
    pub const DUAL_OWORD: u32 = 1;
    pub const MEDIA: u32 = 2;
    pub const DWORD: u32 = 3;
    pub const TARGET: u32 = 4;
    pub const VERTEX: u32 = 5;
    pub const UNORM: u32 = 6;
    pub const FLUSH: u32 = 7;
}

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

/// The part's own question for a request of the newer parts.
fn ask_of(request: &Request) -> Option<Ask> {
    let cache = |access| match access {
        Access::Read => Cache::Render,
        Access::Write => Cache::Data,
    };
    Some(match *request {
        Request::Sampler(r) => Ask::Sampler(r),
        Request::MediaRead(block) => Ask::MediaRead(block, Cache::Render),
        Request::MediaWrite(block) => Ask::MediaWrite {
            block,
            commit: false,
        },
        Request::Oword(block) => Ask::Oword {
            block,
            base: 0,
            cache: cache(block.access),
            commit: false,
        },
        Request::DwordScattered(request) => Ask::DwordScattered {
            request,
            base: 0,
            cache: cache(request.access),
            commit: false,
        },
        Request::EndOfThread => Ask::EndOfThread { child: false },
        _ => return None,
    })
}

pub(super) fn encode(request: &Request, form: &Form) -> Result<Message, EncodeError> {
    if let Some(block) = gen5_media::ask(request) {
        let (ask, payload) = block?;
        if form.first != 2 {
            return Err(EncodeError::Form("a block message is 2 registers".into()));
        }
        let message = encode_ask(&ask, form)?;
        return Ok(Message { payload, ..message });
    }
    let ask = ask_of(request).ok_or(EncodeError::Absent {
        what: "this request",
        platform: Platform::Ilk,
    })?;
    encode_ask(&ask, form)
}

pub(super) fn decode(message: &Message) -> Result<Decoded, DecodeError> {
    let (ask, form) = decode_ask(message)?;
    let request = match ask {
        Ask::Sampler(r) => Request::Sampler(r),
        Ask::MediaRead(block, _) => Request::MediaRead(block),
        Ask::MediaWrite { block, .. } => Request::MediaWrite(block),
        Ask::Oword { block, .. } => Request::Oword(block),
        Ask::DwordScattered { request, .. } => Request::DwordScattered(request),
        Ask::EndOfThread { .. } => Request::EndOfThread,
        Ask::SamplerBlock { .. } => gen5_media::request(&ask, message, &form)?,
        _ => return Err(DecodeError::UnknownFunction(message.sfid)),
    };
    Ok(Decoded { request, form })
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

/// Which form of a render target write has sixteen slots, which eight. Source: PRM 5.10.7.2.
pub const fn target_form(wide: bool) -> u32 {
    if wide { 0 } else { 4 }
}

/// The control of a lowered render target write of eight or sixteen slots.
/// Source: lowering reference 18.6.
pub const fn target_function(wide: bool, last: bool) -> u32 {
    let specific = target_form(wide) | (last as u32) << 3;
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

/// The layout of a message's function control.
pub fn layout(sfid: Sfid) -> Option<&'static fields::Layout> {
    Some(match sfid {
        Sfid::Sampler => &fields::gen5_sampler::LAYOUT,
        Sfid::DataRead => &read::LAYOUT,
        Sfid::DataWrite => &write::LAYOUT,
        Sfid::Math => &fields::gen5_math::LAYOUT,
        Sfid::Gateway => &fields::gateway::LAYOUT,
        Sfid::Ts => &fields::spawner::LAYOUT,
        _ => return None,
    })
}

/// The layout of a message's header, where it has one with fields of its own.
pub fn header_layout(sfid: Sfid, desc: u32) -> Option<&'static fields::Layout> {
    let desc = [desc];
    Some(match sfid {
        Sfid::Sampler => &fields::gen5_sampler_header::LAYOUT,
        Sfid::DataRead => match read::TYPE.get(&desc) {
            reads::MEDIA => &fields::gen5_media_header::LAYOUT,
            reads::UNORM => &fields::gen5_unorm_header::LAYOUT,
            _ => &fields::offset_header::LAYOUT,
        },
        Sfid::DataWrite => match write::TYPE.get(&desc) {
            writes::MEDIA => &fields::gen5_media_header::LAYOUT,
            writes::UNORM => &fields::gen5_unorm_header::LAYOUT,
            writes::TARGET => &fields::gen5_target_header::LAYOUT,
            writes::VERTEX => &fields::gen5_vertex_header::LAYOUT,
            writes::FLUSH => return None,
            _ => &fields::offset_header::LAYOUT,
        },
        _ => return None,
    })
}

/// Type of the block message that `sample_unorm` becomes. Source: lowering reference 18.4.
pub const UNORM_TYPE: u32 = super::sampler::UNORM_TYPE;
