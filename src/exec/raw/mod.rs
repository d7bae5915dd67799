//! Raw sends: the descriptors of the moment are decoded, and what they ask is served as if an
//! instruction had asked it.
//!
//! ```text
//!  registers   M0 (header, if any) | parameters | data      first payload, then the second
//!                     │
//!  desc, ex_desc ─ decode ─▶ Request ─▶ media, sampler, scaler, memory, render target, barrier
//! ```
//!
//! Source: vISA text reference 5.12; lowering reference 1 to 15 for what stands in which register.

mod memory;
mod payload;

pub(super) use payload::Payload;

use super::bindings::Environment;
use super::bits::Asked;
use super::message;
use super::observer::Observer;
use super::sampling::{self, Registers};
use super::thread::Thread;
use super::trap::Trap;
use super::{gen5, general, media_sampler, target};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Platform, Type, UnormFormat};
use crate::message::fields::{extended_gen11 as ex, render_target_header as h};
use crate::message::{
    Decoded, Message, Parameter, Request, SamplerRequest, Sfid, TargetWrite, decode, natural,
    parameters,
};
use crate::program::{ExtendedWord, Lanes, Raw, RawMessage, Send, SendBody};
use std::borrow::Cow;

/// Serves a raw send.
pub fn send<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    raw: &RawMessage,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let payload = Payload::new(raw, thread.program.platform);
    let desc = general::scalar(thread, &raw.desc) as u32;
    let platform = thread.program.platform;
    let message = read(thread, raw, desc, &payload);
    if let (Platform::Ilk, Ok(message)) = (platform, &message) {
        return gen5::send(thread, environment, send, raw, message, pc, observer);
    }
    let read = message
        .map_err(|why| ("the raw message means nothing known".to_string(), why))
        .and_then(|message| {
            let to = format!("the raw message to {}", message.sfid.name());
            decode(&message, platform).map_err(|why| match why.is_unmodelled() {
                true => (format!("{to} is not modelled"), why.to_string()),
                false => (format!("{to} means nothing known"), why.to_string()),
            })
        });
    let decoded = match read {
        Ok(decoded) => decoded,
        Err((what, why)) => {
            let note = format!("descriptor {desc:#010x}: {why}");
            return Err(refuse(thread, pc, &what, note));
        }
    };
    let call = Call {
        send,
        raw,
        decoded: &decoded,
        payload: &payload,
        pc,
    };
    match call.serve(thread, environment, observer) {
        Some(done) => done,
        None => {
            let given = decoded.form.first + decoded.form.second;
            let wanted = natural::form(&decoded.request, platform).registers();
            let name = name(&decoded.request);
            let what = if given < wanted {
                format!("the raw message {name} has {given} registers where it takes {wanted}")
            } else {
                format!("the raw message {name} is not modelled")
            };
            let note = format!("descriptor {desc:#010x}: {}", decoded.request);
            Err(refuse(thread, pc, &what, note))
        }
    }
}

fn refuse(thread: &Thread<'_>, pc: u32, what: &str, note: String) -> Box<Trap> {
    let diagnostic = Diagnostic::with_message(Code::N0601, what)
        .note(note)
        .see("lowering reference 17");
    thread.trap(pc, u32::MAX, diagnostic)
}

/// The name of a message for people.
fn name(request: &Request) -> &'static str {
    match request {
        Request::MediaRead(_) => "media block read",
        Request::MediaWrite(_) => "media block write",
        Request::Sampler(r) => r.op.name(),
        Request::Avs(_) => "avs",
        Request::Unorm(_) => "sample_unorm",
        Request::Scale8x8(_) => "sample_8x8",
        Request::Deinterlace(_) => "deinterlace",
        Request::SamplerFlush => "sampler cache flush",
        Request::Oword(_) => "oword block",
        Request::ByteScattered(_) => "byte scattered",
        Request::DwordScattered(_) => "dword scattered",
        Request::Untyped(_) => "untyped surface",
        Request::Typed(_) => "typed surface",
        Request::Atomic(_) => "untyped atomic",
        Request::TypedAtomic(_) => "typed atomic",
        Request::SvmBlock(_) => "64-bit block",
        Request::SvmScattered(_) => "64-bit scattered",
        Request::SvmUntyped(_) => "64-bit untyped",
        Request::SvmAtomic(_) => "64-bit atomic",
        Request::Target(_) => "render target write",
        Request::Urb(_) => "URB write",
        Request::Fence(_) | Request::LscFence(_) => "memory fence",
        Request::Barrier => "barrier",
        Request::EndOfThread => "end of thread",
    }
}

/// The extended descriptor of the moment.
fn extended(thread: &Thread<'_>, raw: &RawMessage) -> u32 {
    match &raw.ex_desc {
        ExtendedWord::Known(word) => *word,
        ExtendedWord::Operand(source) => general::scalar(thread, source) as u32,
    }
}

/// Whether the thread ends with the message: by the instruction, or up to Gen11 by the extended
/// descriptor's own bit, wherever that stands. Source: lowering reference 1.3.
pub(super) fn ends(thread: &Thread<'_>, raw: &RawMessage) -> bool {
    let by_descriptor = thread.program.platform <= Platform::Icl;
    raw.eot || by_descriptor && ex::EOT.get(&[extended(thread, raw)]) != 0
}

/// The descriptors and the header of the moment.
fn read(
    thread: &Thread<'_>,
    raw: &RawMessage,
    desc: u32,
    payload: &Payload,
) -> Result<Message, String> {
    let platform = thread.program.platform;
    let eot = ends(thread, raw);
    // An instruction that ends the thread sets the bit, where the descriptor has it.
    let bit = if eot { ex::EOT.mask() } else { 0 };
    let word = extended(thread, raw) | bit;
    let number = raw.function.unwrap_or(ex::SFID.get(&[word]));
    let sfid = Sfid::from_number(number, platform)
        .ok_or_else(|| format!("{platform} has no shared function {number}"))?;
    Ok(Message {
        sfid,
        desc,
        ex_desc: word & !moved(platform),
        extended_length: raw.lengths[1],
        eot,
        header: payload.dwords(thread, 0),
        payload: payload.dwords(thread, 1),
    })
}

/// The fields of an extended descriptor that later parts have in the instruction.
/// Source: lowering reference 1.3.
fn moved(platform: Platform) -> u32 {
    match platform {
        Platform::Tgl => ex::SFID.mask() | ex::EOT.mask(),
        Platform::Dg2 | Platform::Pvc => ex::SFID.mask() | ex::EOT.mask() | ex::LENGTH.mask(),
        _ => 0,
    }
}

/// A raw message to serve: what an instruction's own has in its operands.
pub(super) struct Call<'a> {
    pub send: &'a Send,
    pub raw: &'a RawMessage,
    pub decoded: &'a Decoded,
    pub payload: &'a Payload,
    pub pc: u32,
}

impl Call<'_> {
    /// Serves what was decoded; `None` if visim does not model it, or not with this payload.
    pub fn serve<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Option<Result<(), Box<Trap>>> {
        let Call {
            send,
            raw,
            decoded,
            payload,
            pc,
        } = *self;
        let request = &decoded.request;
        let platform = thread.program.platform;
        let resources = environment.resources;
        let header = u32::from(decoded.form.header);
        let natural = natural::form(request, platform);
        let data_rows = natural.registers();
        if let Request::MediaRead(block) | Request::MediaWrite(block) = request
            && block.bytes() as usize > message::MAX_BLOCK
        {
            return None;
        }
        match request {
            Request::MediaRead(_) => {
                let dst = raw.dst?;
                Some(message::media(
                    thread, resources, send, request, dst, pc, observer,
                ))
            }
            Request::MediaWrite(_) => {
                let data = payload.at(1, data_rows.checked_sub(1)?)?;
                Some(message::media(
                    thread, resources, send, request, data, pc, observer,
                ))
            }
            Request::Sampler(r) => {
                let mask = thread.active(send.lanes, send.guard);
                let order = parameters::order(r.op, r.params16);
                // vISA's order, from that of the payload.
                let sent = match platform {
                    Platform::Ilk => parameters::gen5(r.op),
                    _ => order,
                };
                let place = |p: &Parameter| {
                    let at = sent.iter().position(|s| s == p)?;
                    (at < r.params as usize).then_some(at)
                };
                let places: Vec<Option<usize>> = order.iter().map(place).collect();
                let asked = SamplerRequest {
                    params: order.len() as u32,
                    ..*r
                };
                if mask == 0 {
                    return Some(Ok(()));
                }
                if r.lanes == 2 {
                    let rows = natural.registers().checked_sub(header)?;
                    let payload = payload.at(header, rows)?;
                    return Some(sampling::sampler_4x2(
                        thread, resources, send, &asked, payload, &places, raw.dst, mask, pc,
                        observer,
                    ));
                }
                let each = r.parameter_rows(platform);
                let row = |at: usize| payload.at(header + at as u32 * each, each);
                let params: Option<Vec<_>> = places
                    .iter()
                    .map(|place| match place {
                        Some(at) => row(*at).map(Some),
                        None => Some(None),
                    })
                    .collect();
                let registers = Registers {
                    params: &params?,
                    dst: raw.dst,
                    mask,
                    in_place: platform == Platform::Ilk && r.lanes == 8,
                };
                let request = Request::Sampler(asked);
                Some(sampling::sampler(
                    thread, resources, send, &request, &registers, pc, observer,
                ))
            }
            _ if media_sampler::serves(request) => {
                let media = media_sampler::Media {
                    send,
                    pc,
                    dst: raw.dst?,
                    elements: UnormFormat::Full16,
                    response: Some(decoded.form.response),
                };
                Some(media.serve(thread, resources, request, observer))
            }
            // Lanes beyond the instruction's are not there.
            Request::Target(r) if r.lanes > u32::from(send.lanes.count) => None,
            Request::Target(r) => Some(self.pixels(r, thread, environment, observer)),
            // As `sbarrier.signal`: the thread goes on, and a wait will stop it.
            Request::Barrier => {
                thread.signalled += 1;
                Some(Ok(()))
            }
            // The caches of a simulator hold nothing back.
            Request::SamplerFlush
            | Request::Fence(_)
            | Request::LscFence(_)
            | Request::EndOfThread => Some(Ok(())),
            _ => {
                let memory = memory::memory(self, platform)?;
                let count = memory.lanes;
                // Lanes beyond the instruction's would change how rows lie: not modelled.
                if u32::from(send.lanes.count) < count {
                    return None;
                }
                let inner = Send {
                    lanes: Lanes {
                        count: count as u8,
                        ..send.lanes
                    },
                    guard: send.guard,
                    surface: None,
                    sampler: None,
                    body: memory.body,
                };
                let asked = Asked {
                    body: Cow::Borrowed(&inner.body),
                    surface: memory.surface,
                    uniform: memory.uniform,
                };
                let mask = thread.active(inner.lanes, inner.guard);
                let block = matches!(request, Request::Oword(_) | Request::SvmBlock(_));
                if !block && mask == 0 {
                    return Some(Ok(()));
                }
                if O::ACTIVE {
                    observer.payload(thread.at(pc), &inner, mask, &thread.arena);
                }
                Some(message::memory(
                    thread,
                    environment,
                    &inner,
                    &asked,
                    mask,
                    pc,
                    observer,
                ))
            }
        }
    }
    /// A render target write, its registers as `rt_write_3d` names them. Source: lowering reference 14.
    fn pixels<O: Observer>(
        &self,
        r: &TargetWrite,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Result<(), Box<Trap>> {
        let ty = if r.half { Type::Hf } else { Type::F };
        let rows = (r.lanes * ty.bytes()).div_ceil(thread.program.platform.grf_bytes());
        let header = if self.decoded.form.header { 2 } else { 0 };
        let first = header + u32::from(r.alpha) + u32::from(r.omask);
        let colour = |i: u32| {
            let place = self.payload.at(first + i * rows, rows);
            place.map(|raw| Raw { ty, ..raw })
        };
        let inner = Send {
            body: SendBody::Target {
                header: self.payload.at(1, 1).filter(|_| header > 0),
                colours: [colour(0), colour(1), colour(2), colour(3)],
                last: r.last,
                null: r.null,
                unmodelled: target::unmodelled(r),
            },
            lanes: Lanes {
                count: r.lanes as u8,
                ..self.send.lanes
            },
            ..self.send.clone()
        };
        // A header has the lanes of a predicated write (M1.7).
        let enables = match header {
            0 => u32::MAX,
            _ => {
                let lanes = self.payload.dwords(thread, 1)[h::FLAG.dw - 8] & h::FLAG.mask();
                lanes >> self.send.lanes.offset.min(31)
            }
        };
        let (index, pc) = (r.surface, self.pc);
        target::serve(thread, environment, &inner, index, enables, pc, observer)
    }
}
