//! Registers, places in the text and threads as they are shown.

use crate::debug::{Frame, Here, Place, Ran, ThreadView};
use crate::exec::observer::At;
use crate::harness::values::View;
use crate::program::{Program, Symbol, SymbolClass};
use crate::source::{Source, printable};

/// Elements of a write that are shown.
const MOST_WRITTEN: usize = 16;
/// Writes of an instruction that are shown.
const MOST_WRITES: usize = 4;

/// Text and program of a session.
#[derive(Clone, Copy)]
pub struct Shown<'s> {
    /// The text.
    pub source: &'s Source,
    /// What runs.
    pub program: &'s Program,
}

impl Shown<'_> {
    /// The line of an op; 0 where it is not in the text.
    pub fn line(&self, pc: u32) -> usize {
        let site = self.program.site(pc);
        site.map_or(0, |site| self.source.line_of(site.span.start))
    }

    /// The instruction of an op in one line.
    pub fn instruction(&self, pc: u32) -> String {
        let Some(site) = self.program.site(pc) else {
            return "the end of the program".to_string();
        };
        let text = self.source.slice(site.span);
        printable(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
    }

    /// The name of the function that a frame is of.
    pub fn function(&self, frame: Option<&Frame>) -> String {
        match frame {
            None => self.program.name.clone(),
            Some(Frame { function: None, .. }) => format!("a subroutine of {}", self.program.name),
            Some(Frame {
                function: Some(number),
                ..
            }) => {
                let function = self.program.functions.get(*number as usize);
                function.map_or_else(|| "?".to_string(), |f| f.name.clone())
            }
        }
    }

    /// Where a thread is: thread, step and lanes, then the line.
    pub fn place(&self, at: At, mask: u32, bold: bool) -> String {
        let (thread, step) = (at.thread.index, at.step);
        let (on, off) = if bold {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        format!(
            "{on}{:>5}  {}{off}\n       thread {thread}, step {step}, lanes {mask:#x}\n",
            self.line(at.pc),
            self.instruction(at.pc),
        )
    }

    /// What an instruction wrote and asked for.
    pub fn ran(&self, ran: &Ran) -> String {
        let mut text = String::new();
        for message in &ran.messages {
            text.push_str(&format!("       asked {message}\n"));
        }
        for (offset, _, bytes) in ran.writes.iter().take(MOST_WRITES) {
            let Some(owner) = self.program.owner(*offset) else {
                continue;
            };
            let name = &owner.name;
            if owner.class == SymbolClass::Predicate {
                let bits = bytes
                    .iter()
                    .rev()
                    .fold(0_u32, |bits, b| bits << 8 | u32::from(*b));
                text.push_str(&format!("       {name} = {bits:#x}\n"));
                continue;
            }
            let ty = owner.class.default_type();
            let view = View::of(ty, u32::MAX);
            let size = ty.bytes() as usize;
            let shown = bytes.len().min(MOST_WRITTEN * size);
            let more = if shown < bytes.len() { " …" } else { "" };
            let byte = offset - owner.range.start;
            let row = view.row(&bytes[..shown], 0);
            text.push_str(&format!("       {name}.{byte}:{ty} = {row}{more}\n"));
        }
        if let Some(more) = ran
            .writes
            .len()
            .checked_sub(MOST_WRITES)
            .filter(|more| *more > 0)
        {
            text.push_str(&format!("       and {more} more places\n"));
        }
        text
    }

    /// The functions that a thread is in, the innermost first.
    pub fn stack(&self, at: At, frames: &[Frame]) -> String {
        let mut text = String::new();
        let mut pc = at.pc;
        for depth in (0..=frames.len()).rev() {
            let frame = depth.checked_sub(1).and_then(|d| frames.get(d));
            let number = frames.len() - depth;
            text.push_str(&format!(
                "#{number} {}, line {}: {}\n",
                self.function(frame),
                self.line(pc),
                self.instruction(pc)
            ));
            pc = frame.map_or(pc, |frame| frame.call);
        }
        text.push_str(&format!("   op {} of {}\n", at.pc, self.program.ops.len()));
        text
    }

    /// One thread in the list of threads.
    pub fn thread(&self, view: &ThreadView, here: Option<&Here<'_>>) -> String {
        let index = view.at.thread.index;
        let next = here.is_some_and(|here| here.at.thread.index == index);
        let what = match (next, view.ended, &view.waits) {
            (true, ..) => "is next",
            (_, true, _) => "has ended",
            (.., Some(_)) => "waits",
            _ => "has its turn later",
        };
        let mark = if next { '>' } else { ' ' };
        let [x, y, z] = view.at.thread.group;
        let local = view.at.thread.local;
        format!(
            "{mark} {index:>4}  group {x},{y},{z} thread {local}  {what}, line {}: {}\n",
            self.line(view.at.pc),
            self.instruction(view.at.pc)
        )
    }
}

/// The elements of a place in rows, with the numbers of the first and the last of each.
pub fn place_rows(place: &Place, arena: &[u8]) -> String {
    let words = place.words(arena);
    let each = match place.is_predicate() {
        true => 32,
        false => (place.view.pitch / place.view.ty.bytes()).max(1) as usize,
    };
    let kind = match place.is_predicate() {
        true => "lanes".to_string(),
        false => place.view.ty.to_string(),
    };
    format!(
        "{}: {kind}\n{}",
        place.text,
        element_rows(&words, place.number(0), each)
    )
}

/// Words in rows of so many, aligned.
pub fn element_rows(words: &[String], first: usize, each: usize) -> String {
    let width = words.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (row, words) in words.chunks(each.max(1)).enumerate() {
        let from = first + row * each;
        let last = from + words.len() - 1;
        let words: Vec<String> = words.iter().map(|w| format!("{w:>width$}")).collect();
        text.push_str(&format!("  {from:>3}..={last:<3} {}\n", words.join(" ")));
    }
    text
}

/// The declared variables of the kernel: name and symbol, in text order.
pub fn variables(program: &Program, wanted: impl Fn(SymbolClass) -> bool) -> Vec<(&str, Symbol)> {
    let all = program.symbols.iter();
    all.filter(|(name, symbol)| !name.starts_with('%') && wanted(symbol.class))
        .filter(|(name, symbol)| {
            let owner = program.owner(symbol.offset);
            let general = matches!(symbol.class, SymbolClass::General(_));
            owner.is_none_or(|owner| !owner.predefined || (general && owner.name != **name))
        })
        .map(|(name, symbol)| (name.as_str(), *symbol))
        .collect()
}
