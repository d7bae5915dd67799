//! Reads the text, one instruction to a line; blanks separate its parts.
//!
//! A part that is left out is filled in, so that the manual's own snippets read:
//! * a region: `<8;8,1>` or as many as there are lanes; `<0;1,0>` for one lane; a stride: `<1>`;
//! * a type: that of the first operand that has one, else `f`.
//!
//! Here: lines and their words. * `operand`: registers, regions, numbers. * `send`: messages.

mod operand;
mod send;

use super::line::{ALU, Action, CONDITIONS, Dst, Instruction, Line, Predicate};
use crate::diagnostic::{Code, Diagnostic, any_fatal};
use crate::isa::{Opcode, Type};
use crate::source::{Source, Span, Spanned};

use operand::{destination, first_type, fits, resolve, same_kind, source};
use send::send;

type Wrong = Box<Diagnostic>;
type Word<'a> = Spanned<&'a str>;

fn wrong(span: Span, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0920).at(span, label))
}

fn no_register(span: Span, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0921).at(span, label))
}

/// Reads a program; a line that does not read leaves its diagnostics and nothing else.
pub fn parse(source: &Source) -> (Vec<Line>, Vec<Diagnostic>) {
    let (mut lines, mut diagnostics) = (Vec::new(), Vec::new());
    let mut start = 0;
    for text in source.text().split_inclusive('\n') {
        match words(text, start) {
            words if words.is_empty() => {}
            words => match line(&words) {
                Ok((line, found)) => {
                    lines.push(line);
                    diagnostics.extend(found);
                }
                Err(found) => diagnostics.push(*found),
            },
        }
        start += text.len() as u32;
    }
    (lines, diagnostics)
}

/// The program with each line in its canonical form; comments and blank lines stay.
pub fn canonical(source: &Source) -> (String, Vec<Diagnostic>) {
    let (lines, diagnostics) = parse(source);
    let text = source.text();
    let (mut printed, mut at) = (String::with_capacity(text.len()), 0);
    if !any_fatal(&diagnostics) {
        for line in &lines {
            let range = line.span.range();
            let before = &text[at..range.start];
            // Blanks at the start of the line go.
            let indent = before.rfind('\n').map_or(0, |n| n + 1);
            let kept = if before[indent..].trim().is_empty() {
                &before[..indent]
            } else {
                before
            };
            printed.push_str(kept);
            printed.push_str(&line.node.to_string());
            at = range.end;
        }
    }
    printed.push_str(&text[at..]);
    (printed, diagnostics)
}

/// The parts of a line up to its comment. Braces hold a part together.
fn words(text: &str, start: u32) -> Vec<Word<'_>> {
    let code = text.split("//").next().unwrap_or_default();
    let mut words = Vec::new();
    let mut from = None;
    let mut braces = false;
    for (at, c) in code.char_indices().chain([(code.len(), '\n')]) {
        let blank = c.is_whitespace() && (!braces || c == '\n');
        match (blank, from) {
            (false, None) => from = Some(at),
            (true, Some(first)) => {
                let span = Span::new(start + first as u32, start + at as u32);
                words.push(Spanned::new(&code[first..at], span));
                from = None;
            }
            _ => {}
        }
        match c {
            '{' => braces = true,
            '}' => braces = false,
            _ => {}
        }
    }
    words
}

/// The parts that are still to be read.
struct Rest<'w, 'a> {
    words: &'w [Word<'a>],
    end: Span,
}

impl<'w, 'a> Rest<'w, 'a> {
    fn next(&mut self, wanted: &str) -> Result<Word<'a>, Wrong> {
        let (first, rest) = self
            .words
            .split_first()
            .ok_or_else(|| wrong(self.end, format!("{wanted} is required after this")))?;
        self.words = rest;
        Ok(*first)
    }
}

fn line(words: &[Word<'_>]) -> Result<(Line, Vec<Diagnostic>), Wrong> {
    let (first, last) = match words {
        [first, .., last] => (first, last),
        [one] => (one, one),
        [] => return Err(wrong(Span::default(), "nothing")),
    };
    let mut rest = Rest {
        words,
        end: Span::new(last.span.end.saturating_sub(1), last.span.end),
    };
    let predicate = predicate(&mut rest)?;
    let mnemonic = rest.next("an instruction")?;
    let mut parts = mnemonic.node.split('.');
    let name = parts.next().unwrap_or_default();
    let suffixes: Vec<&str> = parts.collect();
    let mut found = Vec::new();
    let mut eot = false;
    let (lanes, mut action) = match name {
        "nop" if suffixes.is_empty() => (1, Action::Nop),
        "send" if suffixes.is_empty() => {
            let lanes = lanes(&mut rest)?;
            let (send, more) = send(&mut rest)?;
            found.extend(more);
            eot = send.eot;
            (lanes, Action::Send(send))
        }
        "cmp" => {
            let condition = match suffixes[..] {
                [condition, "f0", "0"] => CONDITIONS.iter().find(|row| row.0 == condition),
                _ => None,
            };
            let condition = condition
                .ok_or_else(|| wrong(mnemonic.span, "cmp.CONDITION.f0.0 with e ne g ge l le"))?;
            let lanes = lanes(&mut rest)?;
            let null = rest.next("null")?;
            if null.node != "null" {
                return Err(wrong(null.span, "cmp sets f0.0 and writes null"));
            }
            let a = source(rest.next("a source")?, lanes)?;
            let b = source(rest.next("a second source")?, lanes)?;
            let ty = first_type([a.1, b.1]);
            let src = [resolve(a, ty)?, resolve(b, ty)?];
            same_kind(mnemonic.span, &[src[0].1, src[1].1], false)?;
            let condition = condition.1;
            (lanes, Action::Compare { condition, src })
        }
        _ => {
            let row = ALU.iter().find(|row| row.0 == name);
            let saturate = suffixes == ["sat"];
            let Some(&(_, opcode, sources)) = row.filter(|_| saturate || suffixes.is_empty())
            else {
                let known: Vec<_> = ALU.iter().map(|row| row.0).collect();
                let label = format!("no instruction: {} cmp send nop", known.join(" "));
                return Err(wrong(mnemonic.span, label));
            };
            let lanes = lanes(&mut rest)?;
            let at = rest.next("a destination")?;
            let dst = destination(at)?;
            let a = source(rest.next("a source")?, lanes)?;
            let b = match sources {
                2 => source(rest.next("a second source")?, lanes)?,
                _ => a,
            };
            let ty = first_type([dst.1, a.1, b.1]);
            let src = [resolve(a, ty)?, resolve(b, ty)?];
            let ty = dst.1.unwrap_or(ty);
            let logic = matches!(
                opcode,
                Opcode::Not
                    | Opcode::And
                    | Opcode::Or
                    | Opcode::Xor
                    | Opcode::Shl
                    | Opcode::Shr
                    | Opcode::Asr
                    | Opcode::Avg
            );
            let types = [src[0].1, src[1].1, ty];
            if opcode != Opcode::Mov {
                same_kind(mnemonic.span, &types, logic)?;
            }
            let dst = dst.0;
            if matches!(dst, Dst::Address | Dst::Control) && (ty != Type::Ud || lanes != 1) {
                let label = format!("{} takes one element of ud", at.node);
                return Err(wrong(at.span, label));
            }
            fits(at.span, dst, ty, lanes)?;
            (
                lanes,
                Action::Alu {
                    opcode,
                    saturate,
                    dst: (dst, ty),
                    src,
                    sources,
                },
            )
        }
    };
    let mut no_mask = false;
    if let Some((options, more)) = rest.words.split_first() {
        if let Some(extra) = more.first() {
            return Err(wrong(extra.span, "nothing more is expected here"));
        }
        let inside = options
            .node
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .ok_or_else(|| wrong(options.span, "nothing more is expected here but {options}"))?;
        for option in inside.split(',').map(str::trim) {
            match (option, &action) {
                ("NoMask", _) => no_mask = true,
                ("EOT", Action::Send(_)) => eot = true,
                _ => return Err(wrong(options.span, "options are NoMask, and EOT of a send")),
            }
        }
    }
    if let Action::Send(send) = &mut action {
        send.eot = eot;
    }
    let instruction = Instruction {
        predicate,
        lanes,
        action,
        no_mask,
    };
    Ok((Spanned::new(instruction, first.span.to(last.span)), found))
}

fn predicate(rest: &mut Rest<'_, '_>) -> Result<Option<Predicate>, Wrong> {
    let Some(word) = rest.words.first().filter(|w| w.node.starts_with('(')) else {
        return Ok(None);
    };
    let inside = word.node.trim_start_matches('(').trim_end_matches(')');
    let (inverted, flag) = match inside.strip_prefix('-') {
        Some(flag) => (true, flag),
        None => (false, inside.strip_prefix('+').unwrap_or(inside)),
    };
    if !matches!(flag, "f0" | "f0.0") || !word.node.ends_with(')') {
        return Err(no_register(word.span, "the predicate is (f0.0) or (-f0.0)"));
    }
    rest.words = &rest.words[1..];
    Ok(Some(Predicate { inverted }))
}

fn lanes(rest: &mut Rest<'_, '_>) -> Result<u32, Wrong> {
    let word = rest.next("the number of lanes, as (8),")?;
    match word.node {
        "(1)" => Ok(1),
        "(2)" => Ok(2),
        "(4)" => Ok(4),
        "(8)" => Ok(8),
        "(16)" => Ok(16),
        _ => Err(wrong(word.span, "lanes are (1) (2) (4) (8) or (16)")),
    }
}
