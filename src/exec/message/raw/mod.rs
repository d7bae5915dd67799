//! Raw sends: the descriptors of the moment are decoded, and what they ask is served as if an
//! instruction had asked it.
//!
//! ```text
//!  registers   M0 (header, if any) | parameters | data      first payload, then the second
//!                     │
//!  desc, ex_desc ─ decode ─▶ Request ─▶ media, sampler, scaler, memory, render target, barrier
//! ```
//!
//! Source: vISA text reference 5.12; lowering reference 1 to 15 for what is in which register.

mod operand_size;
mod payload;
mod registers;

pub(super) use payload::Payload;

use super::gen5;
use super::{call, dispatch, media};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::compute::general;
use crate::exec::message::environment::Environment;
use crate::exec::state::observer::{self, Observer};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::isa::Platform;
use crate::message::fields::{extended_gen11 as ex, outer, render_target_header as h};
use crate::message::gen5::rules::lanes_of as gen5_lanes;
use crate::message::raw_lengths::{self, RawWords, second_length};
use crate::message::{
    Decoded, Lsc, LscOp, MediaBlock, Message, MessageForm, Request, Sfid, decode, default_lengths,
};
use crate::program::{ExtendedWord, Raw, RawMessage, Text};
use std::fmt::Display;

/// Serves a raw send.
pub fn send<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    raw: &RawMessage,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let desc = general::scalar(thread, &raw.desc) as u32;
    let platform = thread.program.platform;
    let word = extended(thread, raw);
    if let Some(note) = raw_lengths::receivers(raw.function, word, platform) {
        let wrong = Diagnostic::new(Code::U0324).note(note);
        return Err(thread.trap(pc, u32::MAX, wrong.see("vISA text reference 5.12")));
    }
    // How many registers there are is the descriptors' to say.
    let form = MessageForm {
        header: outer::HEADER.get(&[desc]) != 0,
        first: outer::LENGTH.get(&[desc]),
        second: second_length(word, raw.lengths[1], platform),
        response: outer::RESPONSE.get(&[desc]),
    };
    let payload = Payload::new(raw, &form, platform);
    let message = read(thread, raw, desc, word, &form, &payload);
    let eot = ends(thread, raw);
    let gen5 = platform.is_gen5();
    let read = message.map(|message| (message.sfid, decode(&message, platform)));
    // Message registers have rules of their own.
    if !gen5 || thread.program.text == Text::Visa {
        let decoded = read.as_ref().ok().filter(|_| !gen5);
        let decoded = decoded.and_then(|(_, decoded)| decoded.as_ref().ok());
        operand_size::check(thread, raw, &form, decoded, pc)?;
    }
    let note = |why: &dyn Display| {
        format!("descriptor {desc:#010x}, extended descriptor {word:#x}: {why}")
    };
    let decoded = match read {
        Ok((_, Ok(decoded))) => decoded,
        Ok((_, Err(why))) if gen5 => return Err(gen5::undecoded(thread, pc, desc, &why)),
        Ok((sfid, Err(why))) => {
            let means = match why.is_unmodelled() {
                true => "is not modelled",
                false => "means nothing known",
            };
            let what = format!("the raw message to {} {means}", sfid.name());
            return Err(refuse(thread, pc, &what, note(&why)));
        }
        Err(why) => {
            let what = "the raw message means nothing known";
            return Err(refuse(thread, pc, what, note(&why)));
        }
    };
    let call = Call {
        raw,
        decoded: &decoded,
        payload: &payload,
        pc,
    };
    if gen5 {
        gen5::check(thread, environment, &call, eot)?;
    } else if !raw.constant || default_lengths::counts_by_header(&decoded) {
        let words = RawWords {
            function: raw.function,
            ex_desc: Some(word),
            desc: Some(desc),
            lengths: raw.lengths.map(Some),
            eot: raw.eot,
            lanes: raw.lanes.count.into(),
        };
        operand_size::remark(thread, environment, raw.constant, &words, &decoded, pc);
    }
    match call.serve(thread, environment, observer) {
        Some(done) => done,
        None if gen5 => Err(gen5::unserved(thread, &call)),
        None => {
            let given = decoded.form.first + decoded.form.second;
            let wanted = default_lengths::form(&decoded.request, platform).registers();
            let (name, of_null) = (decoded.request.name(), payload.of_null());
            if of_null > 0 {
                let name = format!("the raw message {name}");
                return Err(call::takes_null(thread, &name, Some(of_null), pc));
            }
            let note = format!("descriptor {desc:#010x}: {}", decoded.request);
            if given < wanted {
                let given = raw_lengths::spelled(given);
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
        media::MAX_BLOCK
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
/// descriptor's own bit, wherever that is. Source: lowering reference 1.3.
pub(crate) fn ends(thread: &Thread<'_>, raw: &RawMessage) -> bool {
    let descriptor = thread.program.platform.extended_descriptor;
    let by_descriptor = !descriptor.function_in_instruction();
    raw.eot || by_descriptor && ex::EOT.get(&[extended(thread, raw)]) != 0
}

/// The message of the moment: its descriptors, and the registers that may be a header.
fn read(
    thread: &Thread<'_>,
    raw: &RawMessage,
    desc: u32,
    word: u32,
    form: &MessageForm,
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
    let if_moved = |moved: bool, fields: u32| if moved { fields } else { 0 };
    let word = platform.extended_descriptor;
    if_moved(
        word.function_in_instruction(),
        ex::SFID.mask() | ex::EOT.mask(),
    ) | if_moved(word.length_in_instruction(), ex::LENGTH.mask())
}

/// A raw message to serve: what an instruction's own has in its operands.
pub(crate) struct Call<'a> {
    pub raw: &'a RawMessage,
    pub decoded: &'a Decoded,
    pub payload: &'a Payload,
    pub pc: u32,
}

impl Call<'_> {
    /// The registers of the response, as many as the descriptor counts: what comes back beyond them, or to
    /// `%null`, is dropped.
    pub(crate) fn dst(&self, platform: Platform) -> Option<Raw> {
        let registers = self.decoded.form.response;
        let dst = self.raw.dst.filter(|_| registers > 0)?;
        Some(dst.first(registers * platform.grf_bytes()))
    }

    /// The lanes of a message of `count` that run: those of the instruction that the message has. The
    /// instruction may have fewer; the others are off.
    fn mask(&self, thread: &Thread<'_>, count: u32) -> u32 {
        let own = u32::MAX >> (32 - count.clamp(1, 32));
        thread.active(self.raw.lanes, self.raw.guard) & own
    }

    /// Serves what was decoded; `None` if visim does not model it, or not with this payload.
    pub fn serve<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
        observer: &mut O,
    ) -> Option<Result<(), Box<Trap>>> {
        let platform = thread.program.platform;
        let mut request = self.decoded.request;
        if let Request::MediaRead(block) | Request::MediaWrite(block) = &request
            && block.bytes() as usize > media::MAX_BLOCK
        {
            return Some(Err(too_large(thread, block, self.pc)));
        }
        if let Request::Urb(_)
        | Request::Lsc(Lsc {
            op: LscOp::ReadState | LscOp::AppendCounter(_),
            ..
        }) = request
        {
            return None;
        }
        if platform.is_gen5() && gen5::serves(&request) {
            let count = gen5_lanes(&request, &self.decoded.form);
            let registers = registers::registers(self, count, platform)?;
            let call = call::Call {
                pc: self.pc,
                surface: None,
                sampler: None,
                count,
                offset: self.raw.lanes.offset,
                mask: self.mask(thread, 16),
                base: 0,
                registers: &registers,
            };
            self.tell(thread, &request, &call, observer);
            return Some(gen5::serve(thread, environment, &request, &call, observer));
        }
        let lanes = default_lengths::lanes(&request, platform);
        let registers = registers::registers(self, lanes.unwrap_or(1), platform)?;
        let mut mask = self.mask(thread, lanes.unwrap_or(1));
        match &mut request {
            // What is missing is zeros.
            Request::Sampler(r) => r.params = registers.params().len() as u32,
            Request::Target(_) => mask &= self.enables(thread),
            _ => {}
        }
        if mask == 0 && lanes.is_some() && !request.is_block() {
            return Some(Ok(()));
        }
        let base = match request {
            Request::ByteScattered(r) | Request::DwordScattered(r) => r.global.unwrap_or(0),
            _ => 0,
        };
        let call = call::Call {
            pc: self.pc,
            surface: None,
            sampler: None,
            offset: self.raw.lanes.offset,
            // How rows lie is the message's lane count to say.
            count: lanes.unwrap_or(1),
            mask,
            base: base.into(),
            registers: &registers,
        };
        self.tell(thread, &request, &call, observer);
        Some(dispatch::serve(
            thread,
            environment,
            &request,
            &call,
            observer,
        ))
    }

    /// Tells the observer what is asked, of messages that it can judge by their payload.
    fn tell<O: Observer>(
        &self,
        thread: &Thread<'_>,
        request: &Request,
        call: &call::Call<'_>,
        observer: &mut O,
    ) {
        if O::ACTIVE && (thread.program.platform.is_gen5() || is_memory(request)) {
            let payload = observer::Payload {
                request,
                registers: call.registers,
                length: self.decoded.form.first,
                count: call.count,
                mask: call.mask,
            };
            observer.payload(thread.at(self.pc), &payload, &thread.arena);
        }
    }

    /// The lanes that the header of a render target write has on: those of a predicated one (M1.7), and none
    /// beyond the instruction's.
    fn enables(&self, thread: &Thread<'_>) -> u32 {
        let enables = match self.decoded.form.header {
            false => u32::MAX,
            true => {
                let lanes = self.payload.dwords(thread, 1)[h::FLAG.dw - 8] & h::FLAG.mask();
                lanes >> self.raw.lanes.offset.min(31)
            }
        };
        enables & self.raw.lanes.all()
    }
}

/// Whether a request moves data between registers and memory, lane by lane or in blocks of owords.
const fn is_memory(request: &Request) -> bool {
    matches!(
        request,
        Request::Oword(_)
            | Request::ByteScattered(_)
            | Request::DwordScattered(_)
            | Request::Untyped(_)
            | Request::Typed(_)
            | Request::Atomic(_)
            | Request::TypedAtomic(_)
            | Request::SvmBlock(_)
            | Request::SvmScattered(_)
            | Request::SvmUntyped(_)
            | Request::SvmAtomic(_)
            | Request::Lsc(_)
            | Request::LscBlock2d(_)
    )
}
