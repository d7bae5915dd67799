//! Raw messages, motion estimation, output and lifetimes.
//!
//! Source: vISA text reference 5.12 and 5.13, and what Intel's checker was observed to refuse.

use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::Opcode;
use crate::message::default_lengths::counts_by_header;
use crate::message::fields::{Field, outer};
use crate::message::raw_lengths::{self, Part, RawWords};
use crate::syntax::ast::{Operand, Suffix};

impl Rules<'_> {
    /// Instructions with a few numbers of their own.
    pub fn other(&mut self) {
        match self.opcode() {
            Opcode::RawSend | Opcode::RawSendc => {
                self.raw_send();
                self.raw_lengths();
            }
            Opcode::RawSends | Opcode::RawSendsEot | Opcode::RawSendsc | Opcode::RawSendscEot => {
                self.raw_lengths()
            }
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
        let length = |field: Field| lengths.map_or(0, |bits| u64::from(field.get(&[bits])));
        let (sent, received) = (length(outer::LENGTH), length(outer::RESPONSE));
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

    /// The constant descriptors of a raw message, and what its text counts: out, out behind them, back.
    fn raw_words(&self) -> RawWords {
        let constant = |at: usize| match self.operand(at).map(|o| &o.node) {
            Some(Operand::Immediate(i)) => Some(i.value_bits() as u32),
            _ => None,
        };
        let number = |at: usize| match self.operand(at).map(|o| &o.node) {
            Some(Operand::Number(n)) => u32::try_from(*n).ok(),
            _ => None,
        };
        let sizes = self.instruction.suffix(|s| match s {
            Suffix::SendSizes(sizes) => Some(sizes.clone()),
            _ => None,
        });
        let eot = matches!(self.opcode(), Opcode::RawSendsEot | Opcode::RawSendscEot);
        let lanes = self.lanes();
        match sizes.as_deref() {
            Some([function @ .., first, second, back]) => RawWords {
                function: function.first().copied(),
                ex_desc: constant(0),
                desc: constant(1),
                lengths: [Some(*first), Some(*second), Some(*back)],
                eot,
                lanes,
            },
            _ => RawWords {
                function: None,
                ex_desc: number(0),
                desc: constant(3),
                lengths: [number(1), None, number(2)],
                eot,
                lanes,
            },
        }
    }

    /// The registers of the parts, what the text counts beside the descriptors, what those count beside what
    /// they ask for, and lanes.
    fn raw_lengths(&mut self) {
        let words = self.raw_words();
        self.raw_receivers(&words);
        self.raw_room(&words);
        let (opcode, platform) = (self.opcode(), self.platform);
        let told = [
            (Code::W0385, words.text_vs_descriptor(platform)),
            (Code::W0386, words.beside_request(platform)),
            (Code::W0387, words.beside_lanes(platform)),
        ];
        for (code, labels) in told {
            if let Some(remark) = raw_lengths::remark(code, opcode.info().mnemonic, &labels) {
                let d = remark.at(self.mnemonic(), labels.join("; "));
                self.say(d);
            }
        }
    }

    /// The text and the extended descriptor name one receiver.
    fn raw_receivers(&mut self, words: &RawWords) {
        let named = words
            .ex_desc
            .and_then(|word| raw_lengths::receivers(words.function, word, self.platform));
        if let Some(label) = named {
            let d = self
                .page_rule(Code::U0324, "raw message names two receivers")
                .at(self.mnemonic(), label)
                .note("up to Gen11 the extended descriptor's is sent, later the text's");
            self.say(d);
        }
    }

    /// The parts of a raw message lie in variables that hold them.
    fn raw_room(&mut self, words: &RawWords) {
        let split = words.lengths[1].is_some();
        let places = match split {
            true => [2, 3, 4],
            false => [4, self.instruction.operands.len(), 5],
        };
        // Headers are made in the run.
        let decoded = words.decoded(self.platform);
        let decoded = decoded.filter(|decoded| !counts_by_header(decoded));
        for (part, index) in Part::ALL.into_iter().zip(places) {
            let (lanes, platform) = (words.lanes, self.platform);
            let Some(registers) = words.registers(part, platform) else {
                continue;
            };
            let Some((raw, span)) = self.raw(index) else {
                continue;
            };
            let there = self.room(raw);
            let lacking = there.and_then(|there| {
                let decoded = decoded.as_ref();
                raw_lengths::lacking(decoded, part, registers, lanes, platform, there)
            });
            if let Some(bytes) = lacking {
                let sum = raw_lengths::sum(part, registers, bytes, platform);
                self.must_hold_raw(raw, span, bytes.into(), part == Part::Response, &sum);
            }
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
