//! The messages of the instruction that is next: descriptors and payload with the registers as they are.

use super::layouts::Layouts;
use super::record::{self, LayoutField, Message, Part, Register, Sent};
use super::recorder::sent_by;
use super::still::{self, Plan};
use crate::check::Checked;
use crate::finalizer::Release;
use crate::program::Program;
use crate::source::Source;
use std::fmt::Write;

/// The messages of a program.
pub struct Messages<'p> {
    program: &'p Program,
    written: record::Program,
    plans: Vec<Plan>,
    layouts: Layouts,
}

impl<'p> Messages<'p> {
    /// Of a program; `text` is what was checked, where it is vISA, and the release of the finalizer.
    pub fn new(
        program: &'p Program,
        source: &Source,
        text: Option<(&Checked, Release)>,
    ) -> Messages<'p> {
        let mut layouts = Layouts::new(program.platform);
        let (written, plans) = still::program(source, text, program, &mut layouts);
        Messages {
            program,
            written,
            plans,
            layouts,
        }
    }

    /// Those that an op is about to send, in lines; `None` if it sends none.
    ///
    /// * `mask`: the lanes that are on.
    /// * `arena`: the thread's bytes.
    pub fn text(&mut self, pc: u32, mask: u32, arena: &[u8]) -> Option<String> {
        let messages = &self.written.instructions.get(pc as usize)?.messages;
        let plans = self.plans.get(pc as usize).map(|plan| &plan.sends[..]);
        let plans = plans.unwrap_or_default();
        let mut text = String::new();
        for (number, message) in messages.iter().enumerate() {
            let sent = plans.get(number).map_or_else(Sent::default, |plan| {
                sent_by(plan, &mut self.layouts, self.program.platform, mask, arena)
            });
            self.message(message, &sent, arena, &mut text);
        }
        (!messages.is_empty()).then_some(text)
    }

    fn message(&self, message: &Message, sent: &Sent, arena: &[u8], text: &mut String) {
        let _ = writeln!(text, "{}", message.title);
        let parts = match sent.parts.is_empty() {
            true => &message.parts,
            false => &sent.parts,
        };
        parts.iter().for_each(|part| self.part(part, text));
        let mut values = sent.values.iter().copied();
        for (number, register) in message.registers.iter().enumerate() {
            let name = format!("{number} {}", register.part);
            let words = pieces(&name, register, &mut values, arena, text);
            let layout = register.layout.filter(|_| words.iter().any(|w| *w != 0));
            if let Some(layout) = layout {
                self.part(&Part { layout, words }, text);
            }
        }
    }

    fn part(&self, part: &Part, text: &mut String) {
        let Some(layout) = self.layouts.get(part.layout) else {
            return;
        };
        let words: Vec<String> = part.words.iter().map(|w| format!("{w:#010x}")).collect();
        let _ = match &words[..] {
            [word] => writeln!(text, "{} {word}  ({})", layout.name, layout.source),
            _ => writeln!(text, "{}  ({})", layout.name, layout.source),
        };
        for field in &layout.fields {
            let Some(word) = part.words.get(field.dword) else {
                continue;
            };
            let bits = match (words.len(), field.low == field.high) {
                (1, true) => field.low.to_string(),
                (1, false) => format!("{}:{}", field.high, field.low),
                (_, true) => format!("{}.{}", field.dword, field.low),
                (_, false) => format!("{}.{}:{}", field.dword, field.high, field.low),
            };
            let value = of(field, *word);
            let _ = writeln!(
                text,
                "  {bits:>7}  {:<22} {value:<#10x} {}",
                field.name, field.meaning
            );
        }
    }
}

/// The value of a field.
fn of(field: &LayoutField, word: u32) -> u32 {
    word >> field.low & (u32::MAX >> (31 - (field.high - field.low)))
}

/// Prints what a register is made of; its dwords come back.
fn pieces(
    name: &str,
    register: &Register,
    values: &mut impl Iterator<Item = Option<u32>>,
    arena: &[u8],
    text: &mut String,
) -> Vec<u32> {
    let mut words = Vec::new();
    let mut offset = 0;
    for (k, piece) in register.pieces.iter().enumerate() {
        let given = match piece.computed {
            true => values.next().flatten(),
            false => piece.value,
        };
        let bytes = piece.at.and_then(|at| {
            let at = at as usize;
            arena.get(at..at + piece.bytes as usize)
        });
        let own: Vec<u32> = match (bytes, given) {
            (Some(bytes), _) => {
                let words = bytes.chunks(4).map(|chunk| {
                    let mut word = [0; 4];
                    word[..chunk.len()].copy_from_slice(chunk);
                    u32::from_le_bytes(word)
                });
                words.collect()
            }
            (None, Some(value)) => vec![value],
            (None, None) => Vec::new(),
        };
        words.resize(offset as usize / 4, 0);
        words.extend(&own);
        let name = if k == 0 { name } else { "" };
        let last = offset + piece.bytes.max(1) - 1;
        let own: Vec<String> = own.iter().map(|w| format!("{w:x}")).collect();
        let _ = writeln!(
            text,
            "  {name:<16} {offset:>3} to {last:<3} {:<22} {}",
            piece.text,
            own.join(" ")
        );
        offset += piece.bytes;
    }
    words
}
