//! Raw messages, motion estimation, output and lifetimes.
//!
//! Source: vISA text reference 5.12 and 5.13, and what Intel's checker was observed to refuse.

use super::rules::Rules;
use crate::diagnostic::Code;
use crate::isa::{Opcode, Platform};
use crate::message::extended::{length_field, with_second_length};
use crate::message::fields::{Field, extended_gen11 as ex, outer};
use crate::message::text::request;
use crate::syntax::ast::{Operand, Suffix};

/// What a raw message says of its lengths, where that is constant.
struct RawWords {
    function: Option<u32>,
    ex_desc: Option<u32>,
    desc: Option<u32>,
    /// By the text: out, out behind them, back.
    lengths: [Option<u32>; 3],
    /// Two sources.
    split: bool,
}

impl RawWords {
    /// Where the text counts other registers than the descriptors.
    fn beside_text(&self, platform: Platform) -> Vec<String> {
        let field = |word: Option<u32>, field: Field| word.map(|word| field.get(&[word]));
        // A second length that the descriptor has not is the text's to join.
        let behind = field(self.ex_desc, length_field(platform)).filter(|n| *n != 0);
        let [sent, second, received] = self.lengths;
        let pairs = [
            ("sent", sent.zip(field(self.desc, outer::LENGTH))),
            ("sent behind them", second.zip(behind)),
            ("received", received.zip(field(self.desc, outer::RESPONSE))),
        ];
        // Of one source fewer than the descriptor has is an error of its own.
        let differs = |&(text, bits): &(u32, u32)| text > bits || self.split && text < bits;
        let told = pairs.into_iter().filter_map(|(what, pair)| {
            let (text, bits) = pair.filter(differs)?;
            Some(format!("{text} {what}, {bits} by the descriptor"))
        });
        told.collect()
    }

    /// Where the descriptors count other registers than what they ask for has.
    fn beside_request(&self, opcode: Opcode, platform: Platform) -> Vec<String> {
        let (Some(desc), Some(mut word)) = (self.desc, self.ex_desc) else {
            return Vec::new();
        };
        if let Some(function) = self.function {
            word = word & !ex::SFID.mask() | function & ex::SFID.mask();
        }
        let bare = word & !ex::LENGTH.mask();
        word = match (self.lengths[1], platform) {
            (Some(second), Platform::Dg2 | Platform::Pvc) => {
                bare | second << ex::LENGTH.lo & ex::LENGTH.mask()
            }
            (Some(second), _) => with_second_length(word, second, platform),
            // An instruction of one source keeps a second length on Gen12 only: lowering reference 17.
            (None, Platform::Tgl) => word,
            (None, _) => bare,
        };
        if matches!(opcode, Opcode::RawSendsEot | Opcode::RawSendscEot) {
            word |= ex::EOT.mask();
        }
        // What means nothing stops a run.
        request(desc, word, platform).map_or_else(|_| Vec::new(), |read| read.odd)
    }
}

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
        match sizes.as_deref() {
            Some([function @ .., first, second, back]) => RawWords {
                function: function.first().copied(),
                ex_desc: constant(0),
                desc: constant(1),
                lengths: [Some(*first), Some(*second), Some(*back)],
                split: true,
            },
            _ => RawWords {
                function: None,
                ex_desc: number(0),
                desc: constant(3),
                lengths: [number(1), None, number(2)],
                split: false,
            },
        }
    }

    /// What the text counts beside the descriptors, and what those count beside what they ask for.
    fn raw_lengths(&mut self) {
        let words = self.raw_words();
        let opcode = self.opcode();
        let labels = words.beside_text(self.platform);
        if !labels.is_empty() {
            let title = format!("{opcode} counts other registers than its descriptor");
            let d = self
                .complaint(Code::W0385, title)
                .at(self.mnemonic(), labels.join("; "))
                .note("the message is the descriptor's; the text's numbers say which registers it may use. Second lengths are joined up to Gen12, later the text's is sent")
                .see("vISA text reference 5.12; lowering reference 17");
            self.say(d);
        }
        let odd = words.beside_request(opcode, self.platform);
        if !odd.is_empty() {
            let title = format!("{opcode} counts other registers than its message has");
            let d = self
                .complaint(Code::W0386, title)
                .at(self.mnemonic(), odd.join("; "))
                .note("what the hardware does with registers that do not come, or come unasked, is not defined")
                .see("lowering reference 1.2 and 1.10");
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
