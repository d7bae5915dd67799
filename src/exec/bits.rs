//! Messages by way of their bits: what a run asks is encoded for the platform, decoded again, and
//! what was decoded is served.
//!
//! ```text
//!  operands ─▶ Request ─ encode ─▶ descriptors, header ─ decode ─▶ Request ─▶ shared function
//! ```
//!
//! The bits know no lane count below the message's own and no address arithmetic: inactive lanes stay
//! inactive, and offsets per lane are payload, which is passed beside the request.

use super::bindings::Environment;
use super::memory::uniform;
use super::message::state;
use super::thread::Thread;
use super::trap::Trap;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{ChannelMask, Platform};
use crate::lower::STATELESS;
use crate::message::dataport::same_code;
use crate::message::sampler::is_halved;
use crate::message::{
    Access, Atomic, DataPath, NoBits, OwordBlock, Request, ReturnFormat, SamplerOp, Scattered,
    SvmBlock, SvmScattered, Typed, Untyped, through,
};
use crate::program::{Send, SendBody};
use std::borrow::Cow;

/// The request as the hardware hears it: the same, or the trap of a message the platform has not.
pub fn heard(
    thread: &Thread<'_>,
    environment: &Environment<'_>,
    request: Request,
    pc: u32,
) -> Result<Request, Box<Trap>> {
    if !environment.through_bits {
        return Ok(request);
    }
    let platform = thread.program.platform;
    let sent = widened(request, platform);
    let heard = through(&sent, platform).map(|heard| rejoined(request, heard, platform));
    heard.map_err(|why| no_bits(thread, &why, pc))
}

/// The trap of a message that the platform has not.
pub(super) fn no_bits(thread: &Thread<'_>, why: &NoBits, pc: u32) -> Box<Trap> {
    let platform = thread.program.platform;
    let diagnostic = Diagnostic::with_message(
        Code::N0602,
        format!("the message has no bits on {platform}"),
    )
    .note(why.to_string())
    .help("run without `--through-bits`, or for another platform")
    .see("lowering reference 1");
    thread.trap(pc, u32::MAX, diagnostic)
}

/// The message as it is sent. The sampler has two lane counts: a message for fewer lanes leaves the rest
/// inactive, one that is too long is two equal ones. Gen5 has no level-zero operations: they send a level.
/// Typed surfaces have no float atomics: the integer one of the same code is sent.
/// Source: lowering reference 3.1, 3.7, 12.2, 18.3.
fn widened(request: Request, platform: Platform) -> Request {
    let mut r = match request {
        Request::Sampler(r) => r,
        Request::TypedAtomic(r) => {
            let op = same_code(r.op);
            return Request::TypedAtomic(Atomic { op, ..r });
        }
        other => return other,
    };
    let native = platform.native_lanes();
    r.lanes = two_counts(r.lanes, native);
    // The shadow forms of gather4 name no channel (lowering reference 4, 21 row 17): what is compared has one.
    if names_no_channel(r.op) {
        r.channels = ChannelMask(1);
    }
    if platform == Platform::Ilk {
        // Parameters and results of 16 bits are converted around the message.
        (r.params16, r.returns) = (false, ReturnFormat::Bits32);
        let given = |count: u32| r.params.min(4) + count;
        (r.op, r.params) = match r.op {
            SamplerOp::LdLz => (SamplerOp::Ld, r.params),
            SamplerOp::SampleLz => (SamplerOp::SampleL, given(1)),
            SamplerOp::SampleCLz => (SamplerOp::SampleLC, given(2)),
            op => (op, r.params),
        };
    }
    let header = r.needs_header(platform);
    let rows = u32::from(header) + r.parameter_registers(header, platform);
    if r.lanes == 2 * native && is_halved(r.op, rows) {
        r.lanes = native;
    }
    Request::Sampler(r)
}

const fn names_no_channel(op: SamplerOp) -> bool {
    matches!(op, SamplerOp::Gather4C | SamplerOp::Gather4PoC)
}

/// The native lane count or twice that; more is left for the encoder to refuse.
fn two_counts(lanes: u32, native: u32) -> u32 {
    match lanes {
        _ if lanes <= native => native,
        _ if lanes <= 2 * native => 2 * native,
        more => more,
    }
}

/// What was heard, as the instruction asked it: both halves, the level that it need not send, the operation
/// that a code stands for.
fn rejoined(request: Request, heard: Request, platform: Platform) -> Request {
    match (request, heard) {
        (Request::Sampler(asked), Request::Sampler(mut r)) => {
            r.lanes = two_counts(asked.lanes, platform.native_lanes());
            (r.op, r.params) = (asked.op, asked.params);
            if names_no_channel(asked.op) {
                r.channels = asked.channels;
            }
            (r.params16, r.returns) = (asked.params16, asked.returns);
            Request::Sampler(r)
        }
        (Request::TypedAtomic(asked), Request::TypedAtomic(r)) if r.op == same_code(asked.op) => {
            Request::TypedAtomic(Atomic { op: asked.op, ..r })
        }
        (_, heard) => heard,
    }
}

/// What a memory message asks: its operands, or what its bits said.
pub struct Asked<'s> {
    /// Registers and shape.
    pub body: Cow<'s, SendBody>,
    /// Binding table index.
    pub surface: u32,
    /// The value all lanes share.
    pub uniform: u64,
}

/// What the memory message `send` asks.
pub fn asked<'s>(
    thread: &Thread<'_>,
    environment: &Environment<'_>,
    send: &'s Send,
    pc: u32,
) -> Result<Asked<'s>, Box<Trap>> {
    let mut asked = Asked {
        body: Cow::Borrowed(&send.body),
        surface: state(thread, send.surface),
        uniform: uniform(thread, &send.body),
    };
    if environment.through_bits {
        let count = u32::from(send.lanes.count);
        if let Some(request) = request(&asked, count, thread.program.platform) {
            let request = heard(thread, environment, request, pc)?;
            asked.hear(&request);
        }
    }
    Ok(asked)
}

/// The request of a memory message; wider instructions are several equal ones.
/// Source: lowering reference 8 to 13.
fn request(asked: &Asked<'_>, count: u32, platform: Platform) -> Option<Request> {
    let surface = asked.surface;
    let access = |write: &bool| if *write { Access::Write } else { Access::Read };
    let lanes = if count <= 8 { 8 } else { 16 };
    Some(match &*asked.body {
        SendBody::Oword {
            write,
            count,
            unaligned,
            ..
        } => Request::Oword(OwordBlock {
            surface,
            access: access(write),
            owords: *count,
            high: false,
            unaligned: *unaligned,
            offset: asked.uniform as u32,
            path: DataPath::DEFAULT,
        }),
        // No message of these is in the reference.
        SendBody::Scatter { bytes: 8, .. } => return None,
        SendBody::Scatter {
            write,
            bytes,
            channels,
            scale,
            ..
        } => {
            let scattered = Scattered {
                surface,
                access: access(write),
                element_bytes: *bytes,
                lanes,
                // The finalizer adds the base to the offsets, except where a header is a must.
                global: (platform == Platform::Ilk).then_some(0),
                path: DataPath::DEFAULT,
            };
            match (bytes, scale) {
                (4, 1) => Request::Untyped(Untyped {
                    surface,
                    access: access(write),
                    lanes,
                    channels: *channels,
                }),
                (4, _) => Request::DwordScattered(scattered),
                _ => Request::ByteScattered(scattered),
            }
        }
        SendBody::Typed {
            write,
            channels,
            coordinates,
            ..
        } => {
            let given = coordinates.iter().rposition(Option::is_some);
            Request::Typed(Typed {
                surface,
                access: access(write),
                channels: *channels,
                coordinates: given.map_or(1, |last| last as u32 + 1),
            })
        }
        SendBody::Atomic { op, bits, dst, .. } => Request::Atomic(Atomic {
            surface,
            op: *op,
            bits: u32::from(*bits),
            lanes,
            returns: dst.is_some(),
        }),
        SendBody::TypedAtomic { op, bits, dst, .. } => Request::TypedAtomic(Atomic {
            surface,
            op: *op,
            bits: u32::from(*bits),
            lanes: 8,
            returns: dst.is_some(),
        }),
        SendBody::SvmAtomic { op, bits, dst, .. } => Request::SvmAtomic(Atomic {
            surface: STATELESS,
            op: *op,
            bits: u32::from(*bits),
            lanes: 8,
            returns: dst.is_some(),
        }),
        SendBody::SvmBlock { write, count, .. } => Request::SvmBlock(SvmBlock {
            access: access(write),
            owords: *count,
            unaligned: false,
            address: asked.uniform,
        }),
        SendBody::SvmScatter {
            write,
            bytes,
            count,
            ..
        } => Request::SvmScattered(SvmScattered {
            access: access(write),
            block_bytes: *bytes,
            blocks: *count,
            lanes,
        }),
        SendBody::SvmScatter4 {
            write, channels, ..
        } => Request::SvmUntyped(Untyped {
            surface: STATELESS,
            access: access(write),
            lanes,
            channels: *channels,
        }),
        SendBody::Media { .. }
        | SendBody::Sampler { .. }
        | SendBody::Avs { .. }
        | SendBody::Unorm { .. }
        | SendBody::Lsc(_)
        | SendBody::LscBlock(_)
        | SendBody::Target { .. }
        | SendBody::Raw(_) => return None,
    })
}

impl Asked<'_> {
    /// Takes what the request says in place of what the operands said.
    fn hear(&mut self, request: &Request) {
        let is_write = |access: Access| access == Access::Write;
        match (self.body.to_mut(), request) {
            (
                SendBody::Oword {
                    write,
                    count,
                    unaligned,
                    ..
                },
                Request::Oword(r),
            ) => {
                (*write, *count, *unaligned) = (is_write(r.access), r.owords, r.unaligned);
                (self.surface, self.uniform) = (r.surface, r.offset.into());
            }
            (
                SendBody::Scatter {
                    write,
                    bytes,
                    channels,
                    ..
                },
                Request::ByteScattered(r) | Request::DwordScattered(r),
            ) => {
                (*write, *bytes) = (is_write(r.access), r.element_bytes);
                *channels = ChannelMask(1);
                self.surface = r.surface;
            }
            (
                SendBody::Scatter {
                    write,
                    bytes,
                    channels,
                    ..
                },
                Request::Untyped(r),
            ) => {
                (*write, *bytes, *channels) = (is_write(r.access), 4, r.channels);
                self.surface = r.surface;
            }
            (
                SendBody::Typed {
                    write,
                    channels,
                    coordinates,
                    ..
                },
                Request::Typed(r),
            ) => {
                (*write, *channels) = (is_write(r.access), r.channels);
                for absent in coordinates.iter_mut().skip(r.coordinates as usize) {
                    *absent = None;
                }
                self.surface = r.surface;
            }
            (SendBody::Atomic { op, bits, dst, .. }, Request::Atomic(r))
            | (SendBody::TypedAtomic { op, bits, dst, .. }, Request::TypedAtomic(r)) => {
                (*op, *bits) = (r.op, r.bits as u8);
                *dst = dst.filter(|_| r.returns);
                self.surface = r.surface;
            }
            (SendBody::SvmAtomic { op, bits, dst, .. }, Request::SvmAtomic(r)) => {
                (*op, *bits) = (r.op, r.bits as u8);
                *dst = dst.filter(|_| r.returns);
            }
            (SendBody::SvmBlock { write, count, .. }, Request::SvmBlock(r)) => {
                (*write, *count) = (is_write(r.access), r.owords);
                self.uniform = r.address;
            }
            (
                SendBody::SvmScatter {
                    write,
                    bytes,
                    count,
                    ..
                },
                Request::SvmScattered(r),
            ) => {
                (*write, *bytes, *count) = (is_write(r.access), r.block_bytes, r.blocks);
            }
            (
                SendBody::SvmScatter4 {
                    write, channels, ..
                },
                Request::SvmUntyped(r),
            ) => {
                (*write, *channels) = (is_write(r.access), r.channels);
            }
            // A message of another kind cannot come back: decode(encode(r)) is r.
            _ => {}
        }
    }
}
