//! What the manual wants of a thread's messages together: registers in flight, lengths, its end.
//!
//! ```text
//!  send r5 m3 …     m3 … are in flight until the message has gone; r5 … until the answer has come
//!  mov m4 …         the thread waits: fine, noted as a remark
//!  send r5 m7 …     two answers for one register: undefined
//!  add r6 r5 …      the thread waits for r5: no longer pending
//! ```
//!
//! Source: PRM 2.6.1 to 2.6.8, 2.6.11, 5.4, 5.10.1, 5.10.7.

use super::line::{Action, Descriptor, Dst, File, GENERAL, Instruction, Line, MESSAGE, Send, Src};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Opcode, Platform};
use crate::message::bits::{Extended, extended_descriptor};
use crate::message::fields::outer;
use crate::message::gen5::rules::function_may_end;
use crate::message::gen5::{Ask, decode_ask};
use crate::message::{Access, Form, Message, Sfid};
use crate::source::Span;

/// Something worth knowing about a line that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Number of the line among the program's instructions.
    pub line: usize,
    /// What.
    pub text: String,
}

/// A message as its descriptor alone tells it, the header taken as zeros.
pub fn message(send: &Send) -> Option<Message> {
    let Descriptor::Known(desc) = send.descriptor else {
        return None;
    };
    let extended = Extended {
        eot: send.eot,
        ..Extended::default()
    };
    Some(Message {
        sfid: send.receiver,
        desc,
        ex_desc: extended_descriptor(send.receiver, &extended, Platform::Ilk),
        extended_length: 0,
        eot: send.eot,
        header: [0; 8],
        payload: [0; 8],
    })
}

/// Registers out and back, as the descriptor says.
fn lengths(send: &Send) -> Option<(u32, u32)> {
    match send.descriptor {
        Descriptor::Known(desc) => Some((outer::LENGTH.get(&[desc]), outer::RESPONSE.get(&[desc]))),
        Descriptor::Address => None,
    }
}

/// Checks a program; `end` is where its text ends.
pub fn check(lines: &[Line], end: u32) -> Vec<Diagnostic> {
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
    let here = Span::new(end.saturating_sub(1), end);
    if thread.over.is_none() {
        let open = Diagnostic::new(Code::E0930)
            .at(
                lines.last().map_or(here, |l| l.span),
                "the last instruction",
            )
            .help("send (8) null m15 r0 ts 0x02000000 {EOT}")
            .see("PRM 2.6.8");
        found.push(open);
    }
    thread.targets(&mut found);
    found
}

/// An answer that has not been waited for.
struct Pending {
    first: u32,
    count: u32,
    span: Span,
}

#[derive(Default)]
struct Thread {
    pending: Vec<Pending>,
    /// Writes without a commit that was waited for: surface, span, register of the commit.
    writes: Vec<(u32, Span, Option<u32>)>,
    /// Render target writes: dual source, end of thread.
    targets: Vec<(bool, bool, Span)>,
    /// Message registers that a move has filled from r0.
    copies: u32,
    over: Option<Span>,
}

impl Thread {
    fn line(&mut self, line: &Line, found: &mut Vec<Diagnostic>) {
        let instruction = &line.node;
        for (first, last) in used(instruction) {
            self.wait(first, last);
        }
        if let Some(message) = copies_header(instruction) {
            self.copies |= 1 << message;
        }
        if let Action::Send(send) = &instruction.action {
            if let Some(register) = send.implied {
                let bit = 1 << send.message;
                self.copies = self.copies & !bit | if register == 0 { bit } else { 0 };
            }
            self.send(send, line.span, found);
        }
    }

    /// An operand of r`first` to r`last` waits for the answers that reach them.
    fn wait(&mut self, first: u32, last: u32) {
        self.pending
            .retain(|p| p.first > last || p.first + p.count <= first);
        self.writes
            .retain(|w| w.2.is_none_or(|r| r < first || r > last));
    }

    fn send(&mut self, send: &Send, span: Span, found: &mut Vec<Diagnostic>) {
        if send.eot {
            self.end(send, span, found);
        }
        let Some((length, response)) = lengths(send) else {
            return;
        };
        if length == 0 || send.message + length > MESSAGE {
            let label = format!(
                "{length} registers from m{}; a message has 1 to {}",
                send.message,
                MESSAGE - send.message
            );
            found.push(
                Diagnostic::new(Code::E0924)
                    .at(span, label)
                    .see("PRM 2.6, 2.6.1"),
            );
        }
        match send.dst {
            Some(dst) if response == 0 && !send.eot => {
                let label = format!("nothing comes back for r{dst}: the response length is 0");
                found.push(
                    Diagnostic::new(Code::E0927)
                        .at(span, label)
                        .see("PRM 2.6.5"),
                );
            }
            None if response > 0 && !send.eot => {
                let label = format!("{response} registers come back, and the destination is null");
                found.push(
                    Diagnostic::new(Code::E0927)
                        .at(span, label)
                        .see("PRM 2.6.5"),
                );
            }
            Some(dst) if dst + response > GENERAL => {
                let label = format!("{response} registers from r{dst}");
                found.push(
                    Diagnostic::new(Code::E0924)
                        .at(span, label)
                        .see("PRM 2.6.5"),
                );
            }
            Some(dst) => self.answer(dst, response, span, found),
            None => {}
        }
        self.message(send, span, found);
    }

    fn answer(&mut self, first: u32, count: u32, span: Span, found: &mut Vec<Diagnostic>) {
        let other = self
            .pending
            .iter()
            .find(|p| p.first < first + count && first < p.first + p.count);
        if let Some(other) = other {
            let last = first + count - 1;
            let overlap = Diagnostic::new(Code::U0932)
                .at(span, format!("r{first} to r{last}"))
                .and_at(
                    other.span,
                    format!("r{} to r{}", other.first, other.first + other.count - 1),
                )
                .note("no instruction between them waits for the first answer")
                .see("PRM 2.6.3, 2.6.11");
            found.push(overlap);
        }
        self.pending.push(Pending { first, count, span });
    }

    fn end(&mut self, send: &Send, span: Span, found: &mut Vec<Diagnostic>) {
        if send.descriptor == Descriptor::Address {
            let unseen = Diagnostic::new(Code::W0939)
                .at(span, "the descriptor stands in a0.0")
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
            let label = format!("r{dst} where null is wanted");
            found.push(
                Diagnostic::new(Code::E0929)
                    .at(span, label)
                    .see("PRM 2.6.11"),
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
        let Some(message) = message(send) else {
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
        let (ask, form) = match decode_ask(&message) {
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
                found.push(
                    Diagnostic::new(code)
                        .at(span, label)
                        .note(note)
                        .see(section(send.receiver)),
                );
                return;
            }
        };
        self.counts(&ask, &form, span, found);
        self.order(&ask, send, span, found);
        if let Ask::Target { form, .. } = ask {
            self.targets.push((matches!(form, 2 | 3), send.eot, span));
        }
        if let Ask::Math(control) = ask
            && let Err(why) = control.check(8)
        {
            let label = why.to_string();
            found.push(
                Diagnostic::new(Code::E0935)
                    .at(span, label)
                    .see("PRM 6.1.1"),
            );
        }
    }

    /// Lengths, where no header decides about them.
    fn counts(&self, ask: &Ask, form: &Form, span: Span, found: &mut Vec<Diagnostic>) {
        if matches!(
            ask,
            Ask::MediaRead(..) | Ask::MediaWrite { .. } | Ask::Target { .. } | Ask::Sampler(_)
        ) {
            return;
        }
        let (first, response) = ask.lengths(form);
        if first != form.first {
            let label = format!("{} takes {first} registers, not {}", ask.name(), form.first);
            found.push(
                Diagnostic::new(Code::E0925)
                    .at(span, label)
                    .see("PRM 2.6.11"),
            );
        }
        if response != form.response {
            let label = format!(
                "{} answers with {response} registers, not {}",
                ask.name(),
                form.response
            );
            found.push(
                Diagnostic::new(Code::U0926)
                    .at(span, label)
                    .see("PRM 2.6.11"),
            );
        }
    }

    /// Source: PRM 5.4: the order of reads and writes is not guaranteed.
    fn order(&mut self, ask: &Ask, send: &Send, span: Span, found: &mut Vec<Diagnostic>) {
        let Some(surface) = ask.surface() else {
            return;
        };
        match ask {
            Ask::MediaWrite { .. } | Ask::Target { .. } | Ask::Vertex { .. } => {
                self.writes.push((surface, span, send.dst));
            }
            Ask::Oword { block, .. } if block.access == Access::Write => {
                self.writes.push((surface, span, send.dst));
            }
            Ask::DwordScattered { request, .. } if request.access == Access::Write => {
                self.writes.push((surface, span, send.dst));
            }
            Ask::DualOword { access, .. } | Ask::Unorm { access, .. }
                if *access == Access::Write =>
            {
                self.writes.push((surface, span, send.dst));
            }
            _ => {
                let earlier = self.writes.iter().find(|w| w.0 == surface);
                if let Some((_, write, commit)) = earlier {
                    let note = match commit {
                        Some(r) => format!("its write commit, r{r}, is not waited for"),
                        None => "it has no write commit".into(),
                    };
                    let late = Diagnostic::new(Code::W0933)
                        .at(span, format!("binding table index {surface} is read"))
                        .and_at(*write, "and written here")
                        .note(note)
                        .see("PRM 5.4");
                    found.push(late);
                }
            }
        }
    }

    /// Source: PRM 5.10.7, "Restrictions".
    fn targets(&self, found: &mut Vec<Diagnostic>) {
        let Some((_, ends, span)) = self.targets.last() else {
            return;
        };
        if !ends {
            let label = "the last render target write does not end the thread";
            found.push(
                Diagnostic::new(Code::E0940)
                    .at(*span, label)
                    .see("PRM 5.10.7"),
            );
        }
        let dual = self.targets.iter().filter(|t| t.0).count();
        if dual > 2 || dual > 0 && dual < self.targets.len() {
            let label = "one pair of dual source messages goes alone";
            found.push(
                Diagnostic::new(Code::E0940)
                    .at(*span, label)
                    .see("PRM 5.10.7"),
            );
        }
    }
}

fn section(receiver: Sfid) -> &'static str {
    match receiver {
        Sfid::Sampler => "PRM 4.11.1.1; lowering reference 18.2",
        Sfid::DataRead | Sfid::DataWrite => "PRM 5.10.2.1; lowering reference 18.5",
        Sfid::Math => "PRM 6.1.1.1",
        _ => "lowering reference 18.8",
    }
}

/// The message register that a move fills from r0; fields of it may be changed afterwards.
fn copies_header(instruction: &Instruction) -> Option<u32> {
    let Action::Alu {
        opcode: Opcode::Mov,
        dst: (Dst::Register { at: to, stride: 1 }, _),
        src: [(Src::Register { at: from, .. }, ty), _],
        ..
    } = &instruction.action
    else {
        return None;
    };
    let whole = instruction.lanes * ty.bytes() == super::line::REGISTER && from.sub + to.sub == 0;
    let header = from.file == File::General && from.number == 0 && to.file == File::Message;
    (whole && header).then_some(to.number)
}

/// General registers that an instruction has as operands, first and last.
fn used(instruction: &Instruction) -> Vec<(u32, u32)> {
    let lanes = instruction.lanes;
    let mut list = Vec::new();
    let mut source = |(src, ty): &(Src, crate::isa::Type)| {
        if let Src::Register {
            at,
            region: (v, w, h),
            ..
        } = src
        {
            let last = at.sub + (lanes.div_ceil(*w) - 1) * v + (w - 1) * h;
            list.push((
                at.number,
                at.number + last * ty.bytes() / super::line::REGISTER,
            ));
        }
    };
    match &instruction.action {
        Action::Alu {
            dst, src, sources, ..
        } => {
            src.iter().take(*sources).for_each(&mut source);
            if let (Dst::Register { at, stride }, ty) = dst
                && at.file == File::General
            {
                let last = at.sub + (lanes - 1) * stride;
                list.push((
                    at.number,
                    at.number + last * ty.bytes() / super::line::REGISTER,
                ));
            }
        }
        Action::Compare { src, .. } => src.iter().for_each(&mut source),
        Action::Send(send) => list.extend(send.implied.map(|r| (r, r))),
        Action::Nop => {}
    }
    list
}

/// Where a thread would wait for message registers in flight: each message is taken to stay until the
/// next one of its receiver is sent.
pub fn stalls(lines: &[Line]) -> Vec<Remark> {
    let mut flying: Vec<(u32, u32, usize)> = Vec::new();
    let mut remarks = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let written = match &line.node.action {
            Action::Alu {
                dst: (Dst::Register { at, .. }, _),
                ..
            } if at.file == File::Message => Some(at.number),
            Action::Send(send) => send.implied.map(|_| send.message),
            _ => None,
        };
        if let Some(m) = written
            && let Some(at) = flying.iter().position(|f| (f.0..f.0 + f.1).contains(&m))
        {
            let (_, _, sender) = flying.remove(at);
            remarks.push(Remark {
                line: number,
                text: format!(
                    "m{m} may be in flight from the send at instruction {sender}: the thread waits"
                ),
            });
        }
        if let Action::Send(send) = &line.node.action
            && let Some((length, _)) = lengths(send)
        {
            flying.push((send.message, length, number));
        }
    }
    remarks
}
