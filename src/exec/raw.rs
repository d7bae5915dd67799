//! Raw sends: the descriptors of the moment are decoded, and what they ask is served as if an
//! instruction had asked it.
//!
//! ```text
//!  registers   M0 (header, if any) | parameters | data      first payload, then the second
//!                     │
//!  desc, ex_desc ─ decode ─▶ Request ─▶ media, sampler, scaler, memory
//! ```
//!
//! Source: vISA text reference 5.12; lowering reference 1 to 13 for what stands in which register.

use super::bindings::Environment;
use super::bits::Asked;
use super::message::{self, read_raw};
use super::observer::Observer;
use super::sampling::{self, Registers};
use super::thread::Thread;
use super::trap::Trap;
use super::{gen5, general, media_sampler};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{AtomicOp, ChannelMask, Platform, Type, UnormFormat};
use crate::message::fields::extended_gen11 as ex;
use crate::message::natural::{self, atomic_operands};
use crate::message::{
    Access, Atomic, Decoded, Message, Parameter, Request, SamplerRequest, Scattered, Sfid, Untyped,
    decode, parameters,
};
use crate::program::{ExtendedWord, Lanes, Raw, RawMessage, Region, Send, SendBody, Source};
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
    let unknown = "the raw message means nothing known";
    let read = message.map_err(|why| (unknown, why)).and_then(|message| {
        decode(&message, platform).map_err(|why| match why.is_unmodelled() {
            true => ("the raw message is not modelled", why.to_string()),
            false => (unknown, why.to_string()),
        })
    });
    let decoded = match read {
        Ok(decoded) => decoded,
        Err((what, why)) => {
            let note = format!("descriptor {desc:#010x}: {why}");
            return Err(refuse(thread, pc, what, note));
        }
    };
    match serve(
        thread,
        environment,
        send,
        raw,
        &decoded,
        &payload,
        pc,
        observer,
    ) {
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
            let note = format!("descriptor {desc:#010x}: {:?}", decoded.request);
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

/// The registers of both payloads as one row.
pub(super) struct Payload {
    parts: [(Option<Raw>, u32); 2],
    grf: u32,
}

impl Payload {
    pub(super) fn new(raw: &RawMessage, platform: Platform) -> Payload {
        let [first, second, _] = raw.lengths;
        Payload {
            parts: [(raw.payload[0], first), (raw.payload[1], second)],
            grf: platform.grf_bytes(),
        }
    }

    /// `count` registers from register `at` on; none if they are not there in one piece.
    fn at(&self, at: u32, count: u32) -> Option<Raw> {
        let mut at = at;
        for (raw, length) in self.parts {
            if at < length {
                let inside = at.checked_add(count)? <= length;
                let raw = raw?.skip(at * self.grf);
                let end = raw.offset.saturating_add(count.checked_mul(self.grf)?);
                return inside.then_some(Raw {
                    end: raw.end.min(end),
                    ..raw
                });
            }
            at -= length;
        }
        None
    }

    /// The eight dwords of a register; zeros where there is none.
    fn dwords(&self, thread: &Thread<'_>, at: u32) -> [u32; 8] {
        let mut bytes = [0; 32];
        if let Some(raw) = self.at(at, 1) {
            read_raw(thread, raw, &mut bytes);
        }
        std::array::from_fn(|dw| {
            let byte = |k: usize| bytes[4 * dw + k];
            u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        })
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
    let word = extended(thread, raw);
    let number = raw.function.unwrap_or(ex::SFID.get(&[word]));
    let sfid = Sfid::from_number(number, platform)
        .ok_or_else(|| format!("{platform} has no shared function {number}"))?;
    Ok(Message {
        sfid,
        desc,
        ex_desc: word & !moved(platform),
        extended_length: raw.lengths[1],
        eot: ends(thread, raw),
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

/// Serves what was decoded; `None` if visim does not model it, or not with this payload.
#[expect(
    clippy::too_many_arguments,
    reason = "one step of `send`, named for its length"
)]
pub(super) fn serve<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    raw: &RawMessage,
    decoded: &Decoded,
    payload: &Payload,
    pc: u32,
    observer: &mut O,
) -> Option<Result<(), Box<Trap>>> {
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
                    thread, resources, send, &asked, payload, &places, raw.dst, mask, pc, observer,
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
                raw: true,
            };
            Some(media.serve(thread, resources, request, observer))
        }
        // The caches of a simulator hold nothing back.
        Request::SamplerFlush | Request::Fence(_) | Request::LscFence(_) | Request::EndOfThread => {
            Some(Ok(()))
        }
        _ => {
            let memory = memory(request, raw, payload, header, platform)?;
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

/// A memory message as an instruction would have asked it.
struct Memory {
    body: SendBody,
    surface: u32,
    uniform: u64,
    /// Lanes of the message; 1 for blocks.
    lanes: u32,
}

/// Stands where an operand would: its value is in the header, which has been read.
fn read_already() -> Source {
    Source {
        region: Region::Scalar(0),
        ty: Type::Ud,
        modifier: None,
    }
}

/// The memory message of a request, with its registers.
fn memory(
    request: &Request,
    raw: &RawMessage,
    payload: &Payload,
    header: u32,
    platform: Platform,
) -> Option<Memory> {
    let natural = natural::form(request, platform);
    let data = |access: Access, at: u32| match access {
        Access::Read => raw.dst,
        Access::Write => payload.at(at, natural.registers().checked_sub(at)?),
    };
    let rows = |lanes: u32, bytes: u32| (lanes * bytes).div_ceil(platform.grf_bytes());
    let wrote = |access: Access| access == Access::Write;
    Some(match request {
        Request::Oword(r) => {
            let data = data(r.access, 1)?;
            Memory {
                body: SendBody::Oword {
                    write: wrote(r.access),
                    count: r.owords,
                    // Offsets of Gen5 count bytes: lowering reference 18.5.
                    unaligned: r.unaligned || platform == Platform::Ilk,
                    offset: read_already(),
                    data: if r.high { data.skip(16) } else { data },
                },
                surface: r.surface,
                uniform: r.offset.into(),
                lanes: 1,
            }
        }
        Request::SvmBlock(r) => Memory {
            body: SendBody::SvmBlock {
                write: wrote(r.access),
                count: r.owords,
                address: read_already(),
                data: data(r.access, 1)?,
            },
            surface: 0,
            uniform: r.address,
            lanes: 1,
        },
        Request::ByteScattered(r) | Request::DwordScattered(r) => {
            let Scattered { access, lanes, .. } = *r;
            let by_dword = matches!(request, Request::DwordScattered(_));
            let rows = rows(lanes, 4);
            Memory {
                body: SendBody::Scatter {
                    write: wrote(access),
                    bytes: r.element_bytes,
                    channels: ChannelMask(1),
                    scale: if by_dword && platform > Platform::Ilk {
                        4
                    } else {
                        1
                    },
                    base: read_already(),
                    offsets: payload.at(header, rows)?,
                    data: data(access, header + rows)?,
                },
                surface: r.surface,
                uniform: r.global.unwrap_or(0).into(),
                lanes,
            }
        }
        Request::Untyped(r) => {
            let Untyped { access, lanes, .. } = *r;
            let rows = rows(lanes, 4);
            Memory {
                body: SendBody::Scatter {
                    write: wrote(access),
                    bytes: 4,
                    channels: r.channels,
                    scale: 1,
                    base: read_already(),
                    offsets: payload.at(0, rows)?,
                    data: data(access, rows)?,
                },
                surface: r.surface,
                uniform: 0,
                lanes,
            }
        }
        Request::SvmUntyped(r) => {
            let rows = rows(r.lanes, 8);
            // Whole addresses of 64 bits stand where offsets would.
            let offsets = Raw {
                ty: Type::Uq,
                ..payload.at(0, rows)?
            };
            Memory {
                body: SendBody::SvmScatter4 {
                    write: wrote(r.access),
                    channels: r.channels,
                    base: read_already(),
                    offsets,
                    data: data(r.access, rows)?,
                },
                surface: 0,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        Request::Typed(r) => {
            let mut coordinates = [None; 4];
            for (at, place) in (0..r.coordinates).zip(&mut coordinates) {
                *place = Some(payload.at(at, 1)?);
            }
            Memory {
                body: SendBody::Typed {
                    write: wrote(r.access),
                    channels: r.channels,
                    coordinates,
                    data: data(r.access, r.coordinates)?,
                },
                surface: r.surface,
                uniform: 0,
                lanes: 8,
            }
        }
        Request::Atomic(r) => {
            let rows = rows(r.lanes, 4);
            Memory {
                body: SendBody::Atomic {
                    op: r.op,
                    bits: r.bits as u8,
                    offsets: payload.at(0, rows)?,
                    src: sources(r, payload, rows, rows)?,
                    dst: raw.dst.filter(|_| r.returns),
                },
                surface: r.surface,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        Request::SvmAtomic(r) => {
            let (address, slot) = (rows(r.lanes, 8), if r.bits == 64 { 8 } else { 4 });
            Memory {
                body: SendBody::SvmAtomic {
                    op: r.op,
                    bits: r.bits as u8,
                    addresses: payload.at(0, address)?,
                    src: sources(r, payload, address, rows(r.lanes, slot))?,
                    dst: raw.dst.filter(|_| r.returns),
                },
                surface: 0,
                uniform: 0,
                lanes: r.lanes,
            }
        }
        // Typed atomics do not tell coordinates from values, 64-bit scattered data lie in another
        // order, and the rest is no memory.
        _ => return None,
    })
}

/// The values of an atomic: compare-and-exchange sends what to compare with first, then the new one.
/// Source: lowering reference 12.1.
fn sources(r: &Atomic, payload: &Payload, at: u32, rows: u32) -> Option<[Option<Raw>; 2]> {
    let mut sources = [None; 2];
    for (i, place) in (0..atomic_operands(r.op)).zip(&mut sources) {
        *place = Some(payload.at(at + i * rows, rows)?);
    }
    if r.op == AtomicOp::CmpXchg {
        sources.reverse();
    }
    Some(sources)
}
