//! Messages by way of their bits: what a run asks is encoded for the platform, decoded again, and
//! what was decoded is served.
//!
//! ```text
//!  operands ─▶ Request ─ encode ─▶ descriptors, header ─ decode ─▶ Request ─▶ shared function
//! ```
//!
//! The bits know no lane count below the message's own and no address arithmetic: inactive lanes stay
//! inactive, and offsets per lane are payload, which is passed beside the request.

use super::target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::message::environment::Environment;
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::isa::{ChannelMask, Platform};
use crate::message::dataport::{BINDLESS, same_code};
use crate::message::sampler::is_halved;
use crate::message::{
    Atomic, LscModel, NoBits, Request, ReturnFormat, SamplerOp, UnormRequest, through,
};

/// The request as its bits say it: the same, or the trap of a message the platform has not.
pub fn round_trip(
    thread: &Thread<'_>,
    environment: &Environment<'_>,
    request: Request,
    pc: u32,
) -> Result<Request, Box<Trap>> {
    if !environment.through_bits || !has_bits(&request, thread.program.platform) {
        return Ok(request);
    }
    let platform = thread.program.platform;
    let (sent, beside) = without_states(widened(request, platform), platform);
    let decoded = through(&sent, platform);
    let decoded = decoded.map(|decoded| apply_decoded(request, beside.joined(decoded), platform));
    decoded.map_err(|why| no_bits(thread, &why, pc))
}

/// States that the descriptor does not name, which travel beside it: a bindless surface has its handle in the extended
/// descriptor, a bindless sampler in `M0.3`; with descriptors of 47 bits all are operands of the instruction.
/// Source: lowering reference 1.6, 3.5; Xe2 messages reference 6 and 8.
#[derive(Default)]
struct Beside {
    surface: Option<u32>,
    sampler: Option<u32>,
    model: Option<LscModel>,
}

/// The request as its descriptor says it.
fn without_states(mut request: Request, platform: Platform) -> (Request, Beside) {
    let wide = platform.dialect.state_addresses();
    let mut beside = Beside::default();
    if let Request::Lsc(r) = &mut request {
        if wide && r.model != LscModel::Flat {
            beside.model = Some(std::mem::replace(&mut r.model, LscModel::Bss(0)));
        }
        return (request, beside);
    }
    let taken = if wide { 0 } else { BINDLESS };
    if let Some(surface) = request.surface_mut().filter(|s| wide || **s > 0xff) {
        beside.surface = Some(std::mem::replace(surface, taken));
    }
    if let Some(sampler) = request.sampler_mut().filter(|s| wide || **s > 0xf) {
        beside.sampler = Some(std::mem::replace(sampler, 0));
    }
    (request, beside)
}

impl Beside {
    /// What was decoded with the states that go with it.
    fn joined(&self, mut decoded: Request) -> Request {
        if let (Some(surface), Some(to)) = (self.surface, decoded.surface_mut()) {
            *to = surface;
        }
        if let (Some(sampler), Some(to)) = (self.sampler, decoded.sampler_mut()) {
            *to = sampler;
        }
        if let (Some(model), Request::Lsc(r)) = (self.model, &mut decoded) {
            r.model = model;
        }
        decoded
    }
}

/// Scattered qwords have no message in the reference. Render target writes with parts that are not modelled are
/// refused as they are; Gen5 has a header of its own for them, which needs the pixels.
fn has_bits(request: &Request, platform: Platform) -> bool {
    match request {
        Request::ByteScattered(r) => r.element_bytes != 8,
        Request::Target(r) => {
            let served = target::unmodelled(r).is_none() && matches!(r.lanes, 8 | 16);
            served && (r.null || !platform.is_gen5())
        }
        _ => true,
    }
}

/// The trap of a message that the platform has not.
pub(crate) fn no_bits(thread: &Thread<'_>, why: &NoBits, pc: u32) -> Box<Trap> {
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
        Request::Unorm(r) if platform.is_gen5() => {
            let channels = ChannelMask::RGBA;
            return Request::Unorm(UnormRequest { channels, ..r });
        }
        other => return other,
    };
    let native = platform.native_lanes();
    r.lanes = two_counts(r.lanes, native);
    // The shadow forms of gather4 name no channel (lowering reference 4, 21 row 17): what is compared has one.
    if r.op.names_no_channel() {
        r.channels = ChannelMask(1);
    }
    if platform.is_gen5() {
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

/// The native lane count or twice that; more is left for the encoder to refuse.
fn two_counts(lanes: u32, native: u32) -> u32 {
    match lanes {
        _ if lanes <= native => native,
        _ if lanes <= 2 * native => 2 * native,
        more => more,
    }
}

/// What was decoded, as the instruction asked it: both halves, the level that it need not send, the operation
/// that a code stands for.
fn apply_decoded(request: Request, decoded: Request, platform: Platform) -> Request {
    match (request, decoded) {
        (Request::Sampler(asked), Request::Sampler(mut r)) => {
            r.lanes = two_counts(asked.lanes, platform.native_lanes());
            (r.op, r.params) = (asked.op, asked.params);
            if asked.op.names_no_channel() {
                r.channels = asked.channels;
            }
            (r.params16, r.returns) = (asked.params16, asked.returns);
            Request::Sampler(r)
        }
        (Request::TypedAtomic(asked), Request::TypedAtomic(r)) if r.op == same_code(asked.op) => {
            Request::TypedAtomic(Atomic { op: asked.op, ..r })
        }
        (Request::Unorm(asked), Request::Unorm(r)) if platform.is_gen5() => {
            let channels = asked.channels;
            Request::Unorm(UnormRequest { channels, ..r })
        }
        (_, decoded) => decoded,
    }
}
