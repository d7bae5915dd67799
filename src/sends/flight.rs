//! Which registers of a thread are in flight: those that messages still have to be read from, and those
//! that answers still have to be written to.
//!
//! Source: PRM 2.6.1, 2.6.3, 2.6.5, 2.6.6.

use super::line::{Action, Descriptor, Dst, File, Instruction, Line, REGISTER, Send, Src};
use crate::isa::Type;
use crate::message::fields::outer;
use crate::program::{Answer, Earlier, registers};

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

/// For each line, the earlier messages whose answers may meet its own in a way that only the run can tell,
/// because a descriptor stands in a0.0; `op` gives the op that a line sends with. None where all
/// descriptors stand in the text.
pub fn earlier(lines: &[Line], op: impl Fn(usize) -> u32) -> Option<Vec<Vec<Earlier>>> {
    let sends = |line: &Line| match &line.node.action {
        Action::Send(send) => Some(*send),
        _ => None,
    };
    let made = |send: Send| send.descriptor == Descriptor::Address;
    if !lines.iter().filter_map(sends).any(made) {
        return None;
    }
    let mut before: Vec<Earlier> = Vec::new();
    let of = |(number, line): (usize, &Line)| {
        let waited = used(&line.node);
        for earlier in &mut before {
            earlier.waited |= waited;
        }
        let Some((send, first)) = sends(line).and_then(|s| Some((s, s.dst?))) else {
            return Vec::new();
        };
        // Where both descriptors stand in the text the check has looked.
        let open = before.iter();
        let open = open.filter(|e| made(send) || e.answer == Answer::Sent);
        let open = open.copied().collect();
        let answer = lengths(&send).map_or(Answer::Sent, |(_, count)| Answer::Known(count));
        before.push(Earlier {
            op: op(number),
            first,
            answer,
            waited: 0,
        });
        open
    };
    Some(lines.iter().enumerate().map(of).collect())
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
