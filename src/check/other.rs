//! Raw messages, motion estimation, output and lifetimes.
//!
//! Source: vISA text reference 5.12 and 5.13, and what Intel's checker was observed to refuse.

use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::Opcode;
use crate::syntax::ast::Operand;

impl Rules<'_> {
    /// Instructions with a few numbers of their own.
    pub fn other(&mut self) {
        match self.opcode() {
            Opcode::RawSend | Opcode::RawSendc => self.raw_send(),
            Opcode::VmeIme => self.motion_estimation(),
            Opcode::UrbWrite3d => self.urb_write(),
            Opcode::RtWrite3d => self.target_write(),
            Opcode::LifetimeStart | Opcode::LifetimeEnd => self.lifetime(),
            _ => {}
        }
    }

    /// Operands: extended descriptor, registers sent, registers received, descriptor, source, destination.
    fn raw_send(&mut self) {
        let lengths = match self.operand(3).map(|o| &o.node) {
            Some(Operand::Immediate(i)) => Some(i.value_bits() as u32),
            _ => None,
        };
        // Source: lowering reference 1.1, bits 28..=25 and 24..=20 of the descriptor.
        let sent = lengths.map_or(0, |bits| u64::from(bits >> 25 & 0xf));
        let received = lengths.map_or(0, |bits| u64::from(bits >> 20 & 0x1f));
        for (index, what, range, least) in [
            (1, "sends", 1..=15, sent),
            (2, "receives", 0..=16, received),
        ] {
            let Some((&Operand::Number(n), span)) = self.operand(index).map(|o| (&o.node, o.span))
            else {
                continue;
            };
            let (label, help) = if !range.contains(&n) {
                let (first, last) = (range.start(), range.end());
                (
                    format!("{n} registers, {first} to {last} are legal"),
                    n.clamp(*first, *last),
                )
            } else if n < least {
                (format!("{n} registers, the descriptor says {least}"), least)
            } else {
                continue;
            };
            let opcode = self.opcode();
            let d = self
                .complaint(
                    Code::E0373,
                    format!("{opcode} {what} an impossible number of registers"),
                )
                .at(span, label)
                .note("the numbers are at least the lengths in the descriptor")
                .help(help.to_string());
            self.say(d);
        }
    }

    fn motion_estimation(&mut self) {
        let Some((&Operand::Pair(stream, search), span)) =
            self.operand(0).map(|o| (&o.node, o.span))
        else {
            return;
        };
        let label = if stream > 3 {
            format!("stream mode {stream}, 0 to 3 are legal")
        } else if !matches!(search, 0 | 1 | 3 | 7) {
            format!("search control {search}; 0, 1, 3 and 7 are legal")
        } else {
            return;
        };
        let d = self
            .complaint(Code::E0374, "motion estimation setting out of range")
            .at(span, label)
            .help("(0,0)");
        self.say(d);
    }

    /// Operands: registers, global offset, mask, handle, slot offsets, data.
    fn urb_write(&mut self) {
        for (index, what, range) in [(0, "registers", 1..=8), (1, "global offset", 0..=2047)] {
            if let Some((&Operand::Number(n), span)) =
                self.operand(index).map(|o| (&o.node, o.span))
                && !range.contains(&n)
            {
                let d = self
                    .complaint(Code::E0375, "URB write out of range")
                    .at(
                        span,
                        format!("{what} {n}, {} to {} are legal", range.start(), range.end()),
                    )
                    .help(n.clamp(*range.start(), *range.end()).to_string());
                self.say(d);
            }
        }
        if let Some(exec) = self.instruction.exec
            && matches!(exec.size, 2 | 4 | 16 | 32)
        {
            let d = self
                .complaint(
                    Code::E0375,
                    format!("URB write does not work on {} lanes", exec.size),
                )
                .at(exec.span, "1 or 8 lanes")
                .help("(M1, 8)");
            self.say(d);
        }
    }

    /// A surface, a header, and at least one colour.
    fn target_write(&mut self) {
        if self.instruction.operands.len() < 3 {
            let d = self
                .complaint(Code::E0376, "render target write without a colour")
                .at(self.mnemonic(), "nothing behind the header")
                .help("rt_write_3d (M1, 8) T6 %null.0 R.0 G.0 B.0 A.0");
            self.say(d);
        }
    }

    fn lifetime(&mut self) {
        let Some((Operand::Variable(var), span)) = self.operand(0).map(|o| (&o.node, o.span))
        else {
            return;
        };
        if self.unit.variable(var.node).predefined {
            let name = self.name(var.node);
            let d = self
                .complaint(Code::E0432, format!("{name} has no lifetime"))
                .at(span, "a built-in variable")
                .note("built-in variables are there from the first to the last instruction")
                .help("the name of a declared variable");
            self.say(d);
        }
    }
}
