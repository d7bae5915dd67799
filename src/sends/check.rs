//! What the manual requires of a thread's messages together: registers in flight, lengths, its end.
//!
//! ```text
//!  send r5 m3 …     m3 … are in flight until the message has gone; r5 … until the answer has come
//!  mov m4 …         the thread waits: fine, noted as a remark
//!  send r5 m7 …     two answers for one register: undefined
//!  add r6 r5 …      the thread waits for r5: no longer pending
//! ```
//!
//! Source: PRM 2.6.1 to 2.6.8, 2.6.11, 5.10.1, 5.10.7.

use super::constants::Constants;
use super::line::{
    Action, Descriptor, Dst, File, GENERAL, Instruction, Line, MESSAGE, REGISTER, Send, Src,
};
use super::order::{Order, row};
use super::scoreboard::{lengths, used};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Opcode, Platform};
use crate::message::extended::{Extended, extended_descriptor};
use crate::message::gen5;
use crate::message::gen5::rules::{self, Violation, function_may_end};
use crate::message::{Message, PixelForm, Request, Sfid};
use crate::program::registers;
use crate::source::Span;

/// A message as its descriptor and the registers that are known tell it; the others are taken as zeros.
fn message(send: &Send, known: &Constants) -> Option<Message> {
    let Descriptor::Known(desc) = send.descriptor else {
        return None;
    };
    let words = known.message(send.message);
    let extended = Extended {
        eot: send.eot,
        ..Extended::default()
    };
    Some(Message {
        sfid: send.receiver,
        desc,
        ex_desc: extended_descriptor(send.receiver, &extended, Platform::OF_SENDS),
        extended_length: 0,
        eot: send.eot,
        header: std::array::from_fn(|dw| words[dw].unwrap_or(0)),
        payload: std::array::from_fn(|dw| words[8 + dw].unwrap_or(0)),
    })
}

/// Checks a program; `end` is the place where its text ends.
pub fn check(lines: &[Line], end: Span) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut thread = Thread::default();
    for line in lines {
        if let Some(over) = thread.over {
            let late = Diagnostic::new(Code::E0931)
                .at(line.span, "this is never reached")
                .and_at(over, "the thread ends here")
                .see("PRM 2.6.8");
            found.push(late);
            return found;
        }
        thread.line(line, &mut found);
    }
    if thread.over.is_none() {
        let open = Diagnostic::new(Code::E0930)
            .at(lines.last().map_or(end, |l| l.span), "the last instruction")
            .help("send (8) null m15 r0 ts 0x02000000 {EOT}")
            .see("PRM 2.6.8");
        found.push(open);
    }
    thread.targets(&mut found);
    found
}

/// An answer, some registers of which have not been waited for.
struct Pending {
    registers: u128,
    span: Span,
}

/// A render target write.
struct Target {
    surface: u32,
    form: PixelForm,
    /// Last Render Target Select.
    last: bool,
    ends: bool,
    span: Span,
}

#[derive(Default)]
struct Thread {
    pending: Vec<Pending>,
    order: Order,
    /// Render target writes.
    targets: Vec<Target>,
    /// A write has its descriptor in a0.0: whether it goes to a render target is not known.
    unseen: bool,
    /// Message registers that a move has filled from r0.
    copies: u32,
    /// What the registers are known to hold.
    known: Constants,
    over: Option<Span>,
    /// Message registers whose M0.5 7:0, the FFTID, was written after r0 was copied there.
    renamed: u32,
    /// The first message of each family of the sampling engine.
    families: [Option<Span>; 3],
}

impl Thread {
    fn line(&mut self, line: &Line, found: &mut Vec<Diagnostic>) {
        let instruction = &line.node;
        self.wait(used(instruction));
        self.copies &= !overwritten(instruction);
        self.renamed |= writes_fftid(instruction) & self.copies;
        if let Some(message) = copies_header(instruction) {
            self.copies |= 1 << message;
            self.renamed &= !(1 << message);
        }
        if let Action::Send(send) = &instruction.action
            && let Some(register) = send.implied
        {
            let bit = 1 << send.message;
            self.copies = self.copies & !bit | if register == 0 { bit } else { 0 };
            self.renamed &= !bit;
        }
        self.known.run(instruction);
        if let Action::Send(send) = &instruction.action {
            self.send(send, line.span, found);
        }
    }

    /// Operands in these registers wait for the answers that reach them.
    fn wait(&mut self, operands: u128) {
        for pending in &mut self.pending {
            pending.registers &= !operands;
        }
        self.pending.retain(|p| p.registers != 0);
        self.order.wait(operands);
    }

    fn send(&mut self, send: &Send, span: Span, found: &mut Vec<Diagnostic>) {
        if send.eot {
            self.end(send, span, found);
        }
        let Some((length, response)) = lengths(send) else {
            self.unseen |= send.receiver == Sfid::DataWrite;
            return;
        };
        let room = MESSAGE.saturating_sub(send.message);
        found.extend(
            rules::payload_fits(length, room)
                .err()
                .map(|wrong| at(wrong, span)),
        );
        let room = send.dst.map(|dst| GENERAL.saturating_sub(dst));
        match (rules::answer_fits(response, room, send.eot), send.dst) {
            (Err(wrong), _) => found.push(at(wrong, span)),
            (Ok(()), Some(dst)) => self.answer(dst, response, span, found),
            (Ok(()), None) => {}
        }
        self.message(send, span, found);
    }

    fn answer(&mut self, first: u32, count: u32, span: Span, found: &mut Vec<Diagnostic>) {
        let registers = registers(first, count);
        let other = self.pending.iter().find(|p| p.registers & registers != 0);
        if let Some(other) = other {
            let label = format!("{} may still be written by this one", row(other.registers));
            let overlap = Diagnostic::new(Code::U0932)
                .at(span, row(registers))
                .and_at(other.span, label)
                .note("no instruction between them waits for the first answer")
                .see("PRM 2.6.3, 2.6.11");
            found.push(overlap);
        }
        self.pending.push(Pending { registers, span });
    }

    fn end(&mut self, send: &Send, span: Span, found: &mut Vec<Diagnostic>) {
        if send.descriptor == Descriptor::Address {
            let unseen = Diagnostic::new(Code::W0939)
                .at(span, "the descriptor is in a0.0")
                .see("PRM 2.6.11, \"Improper use of End-Of-Thread\"");
            found.push(unseen);
            return;
        }
        self.over = Some(span);
        if !function_may_end(send.receiver) {
            let label = format!("{} cannot", send.receiver.name());
            found.push(
                Diagnostic::new(Code::E0928)
                    .at(span, label)
                    .see("PRM 2.6.8"),
            );
        }
        if let Some(dst) = send.dst {
            let label = format!("r{dst} where null is required");
            found.push(
                Diagnostic::new(Code::E0929)
                    .at(span, label)
                    .see("PRM 2.6.11"),
            );
        }
        if self.renamed >> send.message & 1 == 1 {
            let label = format!(
                "M0.5 7:0 of m{} was written after r0 was copied",
                send.message
            );
            found.push(
                Diagnostic::new(Code::U0944)
                    .at(span, label)
                    .help("copy r0 to the message register and leave its dword 5 alone")
                    .see("PRM 5.10.5.2, M0.5, FFTID; 2.6.8"),
            );
        }
        if self.copies >> send.message & 1 == 0 {
            let label = format!("m{} is not a copy of r0", send.message);
            found.push(
                Diagnostic::new(Code::W0938)
                    .at(span, label)
                    .see("PRM 2.6.8"),
            );
        }
    }

    /// What the descriptor asks for.
    fn message(&mut self, send: &Send, span: Span, found: &mut Vec<Diagnostic>) {
        let Some(message) = message(send, &self.known) else {
            return;
        };
        if send.receiver == Sfid::Urb {
            let note = "URB messages belong to another volume of the manual";
            found.push(
                Diagnostic::new(Code::N0937)
                    .at(span, "a message to the URB")
                    .note(note),
            );
            return;
        }
        if send.eot && !function_may_end(send.receiver) {
            return;
        }
        let decoded = match gen5::decode(&message) {
            Ok(decoded) => decoded,
            Err(why) => {
                let note = why.to_string();
                let ends = send.eot && note.contains("cannot end");
                let code = match why.is_unmodelled() {
                    true => Code::N0937,
                    false if ends => Code::E0928,
                    false => Code::E0934,
                };
                let label = format!(
                    "descriptor {:#010x} to {}",
                    message.desc,
                    message.sfid.name()
                );
                let title = match code {
                    Code::E0934 => why.title(),
                    other => other.info().title,
                };
                found.push(
                    Diagnostic::with_message(code, title)
                        .at(span, label)
                        .note(note)
                        .see(section(send.receiver)),
                );
                return;
            }
        };
        let request = &decoded.request;
        if let Request::Sampler(sampled) = request
            && gen5::is_starred(sampled.op)
        {
            let starred = Diagnostic::new(Code::W0946)
                .at(span, format!("{} has a star there", sampled.op.name()))
                .note("it runs as the later generations' message of that type")
                .see("PRM 4.11.1.3.2; lowering reference 18.2");
            found.push(starred);
        }
        found.extend(self.order.message(request, send, span));
        self.family(request, span, found);
        if let Request::Pixels(write) = request {
            self.targets.push(Target {
                surface: write.surface,
                form: write.form,
                last: write.last,
                ends: send.eot,
                span,
            });
        }
        let header = self.known.message(send.message);
        let mut deciding = rules::deciding_words(&decoded).iter();
        let known = deciding.all(|&dw| header[dw].is_some());
        if known || !rules::counts_by_header(request) {
            let before = found.len();
            found.extend(
                rules::miscounted(&decoded, Platform::OF_SENDS).map(|wrong| at(wrong, span)),
            );
            if found.len() > before {
                return;
            }
        }
        let checked = match known {
            true => rules::check(request),
            false => rules::check_descriptor(request),
        };
        if let Some(wrong) = checked.err().or_else(|| rules::unmodelled(request)) {
            let what = format!("{}: {}", request.name(), wrong.what);
            found.push(at(Violation { what, ..wrong }, span));
        }
    }

    /// Source: PRM 4.11.1.4, sample_8x8 and deinterlace: a thread that sends them sends no other messages to the
    /// sampling engine.
    fn family(&mut self, request: &Request, span: Span, found: &mut Vec<Diagnostic>) {
        let own = match request {
            Request::Scale8x8(_) => 0,
            Request::Deinterlace(_) => 1,
            Request::Sampler(_) | Request::Unorm(_) => 2,
            _ => return,
        };
        let names = [
            "sample_8x8",
            "deinterlace",
            "another message of the sampling engine",
        ];
        let other = (0..3).find(|&k| k != own && (k < 2 || own < 2) && self.families[k].is_some());
        if let Some((other, first)) = other.and_then(|k| Some((k, self.families[k]?))) {
            let mixed = Diagnostic::new(Code::U0945)
                .at(span, names[own])
                .and_at(first, names[other])
                .note("nor may other threads send them that run at the same time")
                .see("PRM 4.11.1.4, deinterlace");
            found.push(mixed);
        }
        self.families[own].get_or_insert(span);
    }

    /// Source: PRM 5.7, 5.10.7, "Restrictions", 5.10.7.2, "Last Render Target Select".
    fn targets(&self, found: &mut Vec<Diagnostic>) {
        let Some(end) = self.targets.last().filter(|_| !self.unseen) else {
            return;
        };
        let mut wrong = |span: Span, label: &str, see| {
            found.push(Diagnostic::new(Code::E0940).at(span, label).see(see));
        };
        if !end.ends {
            let label = "the last render target write does not end the thread";
            wrong(end.span, label, "PRM 5.10.7");
        }
        let of = |form: PixelForm| self.targets.iter().filter(move |t| t.form == form).count();
        let [low, high] = [of(PixelForm::DualLow), of(PixelForm::DualHigh)];
        if low > 1 || high > 1 || low + high > 0 && low + high < self.targets.len() {
            let label = "one pair of dual source messages goes alone";
            wrong(end.span, label, "PRM 5.7.2, 5.10.7");
        }
        // Every write to the last target is the last one of its pixels: a thread has one target, or takes
        // them one after the other.
        for target in &self.targets {
            let label = match (target.last, target.surface == end.surface) {
                (false, true) => {
                    "Last Render Target Select, bit 11, is clear: this target is the last"
                }
                (true, false) => {
                    "Last Render Target Select, bit 11, is set: another target follows"
                }
                _ => continue,
            };
            wrong(target.span, label, "PRM 5.10.7.2");
        }
    }
}

/// A rule as a diagnostic on its line.
fn at(wrong: Violation, span: Span) -> Diagnostic {
    Diagnostic::new(wrong.code)
        .at(span, wrong.what)
        .see(wrong.see)
}

fn section(receiver: Sfid) -> &'static str {
    match receiver {
        Sfid::Sampler => "PRM 4.11.1.1; lowering reference 18.2",
        Sfid::DataRead | Sfid::DataWrite => "PRM 5.10.2.1; lowering reference 18.5",
        Sfid::Math => "PRM 6.1.1.1",
        _ => "lowering reference 18.8",
    }
}

/// The message registers that an instruction fills with values of its own, bit by bit.
fn overwritten(instruction: &Instruction) -> u32 {
    let Action::Alu {
        dst: (Dst::Register { at, stride: 1 }, ty),
        ..
    } = &instruction.action
    else {
        return 0;
    };
    if at.file != File::Message || instruction.predicate.is_some() {
        return 0;
    }
    let first = at.number * REGISTER + at.sub * ty.bytes();
    let end = first + instruction.lanes * ty.bytes();
    let whole = first.div_ceil(REGISTER)..end / REGISTER;
    whole.fold(0, |bits, register| {
        bits | 1u32.checked_shl(register).unwrap_or(0)
    })
}

/// The message registers of which an instruction writes the low byte of dword 5, bit by bit.
fn writes_fftid(instruction: &Instruction) -> u32 {
    let Action::Alu {
        dst: (Dst::Register { at, stride }, ty),
        ..
    } = &instruction.action
    else {
        return 0;
    };
    if at.file != File::Message {
        return 0;
    }
    let size = ty.bytes();
    let lanes = (0..instruction.lanes).map(|lane| (at.sub + lane * stride) * size);
    lanes.fold(0, |bits, byte| {
        let (register, byte) = (at.number + byte / REGISTER, byte % REGISTER);
        let hit = byte <= 20 && 20 < byte + size;
        bits | if hit {
            1u32.checked_shl(register).unwrap_or(0)
        } else {
            0
        }
    })
}

/// The message register that a move fills from r0; fields of it may be changed afterwards.
fn copies_header(instruction: &Instruction) -> Option<u32> {
    let Action::Alu {
        opcode: Opcode::Mov,
        dst: (Dst::Register { at: to, stride: 1 }, ty),
        src:
            [
                (
                    Src::Register {
                        at: from,
                        region,
                        negate: false,
                        abs: false,
                    },
                    from_ty,
                ),
                _,
            ],
        saturate: false,
        ..
    } = &instruction.action
    else {
        return None;
    };
    let (vertical, width, horizontal) = *region;
    let rows = horizontal == 1 && vertical == width && instruction.predicate.is_none();
    let whole = instruction.lanes * ty.bytes() >= REGISTER && from.sub + to.sub == 0;
    let whole = whole && rows && ty == from_ty;
    let header = from.file == File::General && from.number == 0 && to.file == File::Message;
    (whole && header).then_some(to.number)
}
