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
mod room;

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
use crate::message::counted::{self, RawWords, second_length};
use crate::message::fields::{extended_gen11 as ex, outer, render_target_header as h};
use crate::message::{
    Decoded, Form, MediaBlock, Message, Parameter, Request, SamplerRequest, Sfid, TargetWrite,
    decode, natural, parameters,
};
use crate::program::{ExtendedWord, Lanes, Raw, RawMessage, Send, SendBody, Text};
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
    let desc = general::scalar(thread, &raw.desc) as u32;
    let platform = thread.program.platform;
    let word = extended(thread, raw);
    if let Some(note) = counted::receivers(raw.function, word, platform) {
        let wrong = Diagnostic::new(Code::U0324).note(note);
        return Err(thread.trap(pc, u32::MAX, wrong.see("vISA text reference 5.12")));
    }
    // How many registers there are is the descriptors' to say.
    let form = Form {
        header: outer::HEADER.get(&[desc]) != 0,
        first: outer::LENGTH.get(&[desc]),
        second: second_length(word, raw.lengths[1], platform),
        response: outer::RESPONSE.get(&[desc]),
    };
    let payload = Payload::new(raw, &form, platform);
    let message = read(thread, raw, desc, word, &form, &payload);
    if let (Platform::Ilk, Ok(message)) = (platform, &message) {
        if thread.program.text == Text::Visa {
            room::check(thread, send, raw, &form, None, pc)?;
        }
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
    room::check(thread, send, raw, &form, read.as_ref().ok(), pc)?;
    let decoded = match read {
        Ok(decoded) => decoded,
        Err((what, why)) => {
            let note = format!("descriptor {desc:#010x}, extended descriptor {word:#x}: {why}");
            return Err(refuse(thread, pc, &what, note));
        }
    };
    if !raw.constant || natural::counts_by_header(&decoded) {
        let words = RawWords {
            function: raw.function,
            ex_desc: Some(word),
            desc: Some(desc),
            lengths: raw.lengths.map(Some),
            eot: raw.eot,
            lanes: send.lanes.count.into(),
        };
        room::remark(thread, environment, raw.constant, &words, &decoded, pc);
    }
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
            let (name, of_null) = (decoded.request.name(), payload.of_null());
            if of_null > 0 {
                let name = format!("the raw message {name}");
                return Err(message::takes_null(thread, &name, Some(of_null), pc));
            }
            let note = format!("descriptor {desc:#010x}: {}", decoded.request);
            if given < wanted {
                let given = counted::spelled(given);
                let what = format!("the raw message {name} has {given} where it takes {wanted}");
                let short = Diagnostic::with_message(Code::U0323, what).note(note);
                let short = short.see("lowering reference 1.2, and the lengths of each message");
                return Err(thread.trap(pc, u32::MAX, short));
            }
            let what = format!("the raw message {name} is not modelled");
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

/// The trap of a media block that no message moves, as its header has it.
fn too_large(thread: &Thread<'_>, block: &MediaBlock, pc: u32) -> Box<Trap> {
    let (width, height) = (block.width, block.height);
    let note = format!(
        "the header says {width} by {height} bytes; with rows of {} they are {}, and {} is the limit",
        block.pitch(),
        block.bytes(),
        message::MAX_BLOCK
    );
    let diagnostic = Diagnostic::new(Code::E0312).note(note);
    thread.trap(pc, u32::MAX, diagnostic.see("lowering reference 2.3"))
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

/// The message of the moment: its descriptors, and the registers that may be a header.
fn read(
    thread: &Thread<'_>,
    raw: &RawMessage,
    desc: u32,
    word: u32,
    form: &Form,
    payload: &Payload,
) -> Result<Message, String> {
    let platform = thread.program.platform;
    let eot = ends(thread, raw);
    // An instruction that ends the thread sets the bit, where the descriptor has it.
    let bit = if eot { ex::EOT.mask() } else { 0 };
    let word = word | bit;
    let number = raw.function.unwrap_or(ex::SFID.get(&[word]));
    let sfid = Sfid::from_number(number, platform)
        .ok_or_else(|| format!("{platform} has no shared function {number}"))?;
    Ok(Message {
        sfid,
        desc,
        ex_desc: word & !moved(platform),
        extended_length: form.second,
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
    /// The registers of the response, as many as the descriptor counts: what comes back beyond them, or to
    /// `%null`, is dropped.
    pub(super) fn dst(&self, platform: Platform) -> Option<Raw> {
        let registers = self.decoded.form.response;
        let dst = self.raw.dst.filter(|_| registers > 0)?;
        Some(dst.first(registers * platform.grf_bytes()))
    }

    /// The lanes of a message of `count` that run: those of the instruction that the message has. The
    /// instruction may have fewer; the others are off.
    fn mask(&self, thread: &Thread<'_>, count: u32) -> u32 {
        let own = u32::MAX >> (32 - count.clamp(1, 32));
        thread.active(self.send.lanes, self.send.guard) & own
    }

    /// Serves what was decoded; `None` if visim does not model it, or not with this payload.
    pub fn serve<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Option<Result<(), Box<Trap>>> {
        let Call {
            send,
            decoded,
            payload,
            pc,
            ..
        } = *self;
        let request = &decoded.request;
        let platform = thread.program.platform;
        let resources = environment.resources;
        let header = u32::from(decoded.form.header);
        let natural = natural::form(request, platform);
        let data_rows = natural.registers();
        let dst = self.dst(platform);
        if let Request::MediaRead(block) | Request::MediaWrite(block) = request
            && block.bytes() as usize > message::MAX_BLOCK
        {
            return Some(Err(too_large(thread, block, pc)));
        }
        match request {
            Request::MediaRead(_) => {
                let dst = dst.unwrap_or(Raw::NOWHERE);
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
                let mask = self.mask(thread, natural::lanes(request, platform).unwrap_or(32));
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
                        thread, resources, send, &asked, payload, &places, dst, mask, pc, observer,
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
                    dst,
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
                    dst: dst.unwrap_or(Raw::NOWHERE),
                    elements: UnormFormat::Full16,
                    response: Some(decoded.form.response),
                };
                Some(media.serve(thread, resources, request, observer))
            }
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
                let mask = self.mask(thread, memory.lanes);
                // How rows lie is the message's lane count to say.
                let inner = Send {
                    lanes: Lanes {
                        count: memory.lanes as u8,
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
        // Lanes beyond the instruction's are off.
        let enables = enables & self.send.lanes.all();
        let (index, pc) = (r.surface, self.pc);
        target::serve(thread, environment, &inner, index, enables, pc, observer)
    }
}
