//! Which registers of a thread are in flight: those that messages still have to be read from, and those
//! that answers still have to be written to.
//!
//! Source: PRM 2.6.1, 2.6.3, 2.6.5, 2.6.6.

use super::line::{Action, Descriptor, Dst, File, Instruction, Line, REGISTER, Send, Src};
use crate::isa::Type;
use crate::message::fields::outer;
use crate::program::registers;
use std::ops::Range;

/// Something worth knowing about a line that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Number of the line among the program's instructions.
    pub line: usize,
    /// What.
    pub text: String,
}

/// Registers out and back, as the descriptor says.
pub fn lengths(send: &Send) -> Option<(u32, u32)> {
    match send.descriptor {
        Descriptor::Known(desc) => Some((outer::LENGTH.get(&[desc]), outer::RESPONSE.get(&[desc]))),
        Descriptor::Address => None,
    }
}

/// General registers that an instruction has as operands, a bit for each: it waits until they are there.
pub fn used(instruction: &Instruction) -> u128 {
    let lanes = instruction.lanes;
    let mut all = 0;
    let mut reach = |number: u32, last: u32, ty: Type| {
        all |= registers(number, last * ty.bytes() / REGISTER + 1);
    };
    let mut source = |(src, ty): &(Src, Type)| {
        if let Src::Register {
            at,
            region: (v, w, h),
            ..
        } = src
        {
            let last = at.sub + (lanes.div_ceil(*w) - 1) * v + (w - 1) * h;
            reach(at.number, last, *ty);
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
                reach(at.number, at.sub + (lanes - 1) * stride, *ty);
            }
        }
        Action::Compare { src, .. } => src.iter().for_each(&mut source),
        Action::Send(send) => all = send.implied.map_or(0, |r| registers(r, 1)),
        Action::Nop => {}
    }
    all
}

/// For each line, the registers that operands waited for since the message before, its own included. None
/// where all descriptors are in the text, so that the check has seen which answers meet.
pub fn waited(lines: &[Line]) -> Option<Vec<u128>> {
    let send = |line: &Line| match &line.node.action {
        Action::Send(send) => Some(send.descriptor),
        _ => None,
    };
    let mut sends = lines.iter().filter_map(send);
    if !sends.any(|descriptor| descriptor == Descriptor::Address) {
        return None;
    }
    let mut since = 0;
    let of = |line: &Line| {
        since |= used(&line.node);
        match send(line) {
            Some(_) => std::mem::take(&mut since),
            None => since,
        }
    };
    Some(lines.iter().map(of).collect())
}

/// Where a thread may wait for message registers in flight: each message is taken to stay until an operand
/// waits for its answer.
pub fn stalls(lines: &[Line]) -> Vec<Remark> {
    let mut flying: Vec<(Range<u32>, u128, usize)> = Vec::new();
    let mut remarks = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let waited = used(&line.node);
        flying.retain(|(_, answer, _)| answer & waited == 0);
        let written = match &line.node.action {
            Action::Alu {
                dst: (Dst::Register { at, .. }, _),
                ..
            } if at.file == File::Message => Some(at.number),
            Action::Send(send) => send.implied.map(|_| send.message),
            _ => None,
        };
        if let Some(m) = written
            && let Some(at) = flying.iter().position(|(payload, ..)| payload.contains(&m))
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
            && let Some((length, response)) = lengths(send)
        {
            let answer = send.dst.map_or(0, |first| registers(first, response));
            flying.push((send.message..send.message + length, answer, number));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sends::parse;
    use crate::source::Source;

    fn waits(between: &str) -> Vec<usize> {
        // The messages of PRM 2.6.3: m6 is written again while the first may still need it.
        let text = format!("send (8) r30 m3 r0 math 0x08100001\n{between}\nmov (8) m6 r15\n");
        let (lines, found) = parse(&Source::new("waits.send", text));
        assert_eq!(found, []);
        stalls(&lines).iter().map(|remark| remark.line).collect()
    }

    #[test]
    fn a_message_register_is_free_once_the_answer_was_waited_for() {
        assert_eq!(waits("nop"), [2]);
        assert_eq!(waits("mov (8) r40 r31"), [2]);
        assert!(waits("mov (8) r40 r30").is_empty());
    }

    #[test]
    fn operands_are_bits_of_registers() {
        let (lines, _) = parse(&Source::new("used.send", "mov (16) r4 r10.4<8;8,1>:f\n"));
        // r4 and r5, then r10.4 to r12.3.
        assert_eq!(used(&lines[0].node), 0b11 << 4 | 0b111 << 10);
    }
}
