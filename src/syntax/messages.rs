//! The few operand forms that belong to one kind of message: blocks, AVS words, VME settings.

use super::ast::Operand;
use super::context::Context;
use super::error::{Read, either, expected, nearest, problem, refuse};
use super::operand::source;
use super::token::{blanks, decimal, identifier, mark};
use crate::diagnostic::Code;
use crate::isa::{AvsControl, AvsMode};

/// `(width, height)` in bytes and rows.
pub(super) fn block(input: &str) -> Read<'_, Operand> {
    let (inside, _) = mark(input, "(")?;
    if let Ok((rest, word)) = identifier(inside) {
        let (whole, at) = (blanks(inside), blanks(rest));
        return refuse(
            whole,
            word.len(),
            problem(
                Code::E0101,
                "block size expected, not an execution part",
                format!("`{}` is no width", super::token::shorten(word)),
            )
            .note("the parentheses of media_ld and media_st hold width in bytes and height in rows")
            .help(if at.starts_with(',') {
                "write for example `(16,4)`: 16 bytes in each of 4 rows"
            } else {
                "write width and height, for example `(16,4)`"
            })
            .see("vISA text reference 5.6"),
        );
    }
    let (rest, width) = decimal(inside, "a width in bytes")?;
    let (rest, _) = mark(rest, ",")?;
    let (rest, height) = decimal(rest, "a height in rows")?;
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, Operand::Block { width, height }))
}

/// Reads one of a closed set of words that are operands.
fn word<'a, T: Copy>(
    input: &'a str,
    what: &str,
    all: &'static [(T, u8, &'static str)],
) -> Read<'a, T> {
    let from = blanks(input);
    let names: Vec<String> = all.iter().map(|(_, _, n)| format!("`{n}`")).collect();
    let Ok((rest, written)) = identifier(from) else {
        return expected(from, either(&names));
    };
    if let Some((value, _, _)) = all.iter().find(|(_, _, n)| *n == written) {
        return Ok((rest, *value));
    }
    let mut diagnostic = problem(
        Code::E0101,
        format!("unknown {what}"),
        format!("`{}` is none", super::token::shorten(written)),
    )
    .note(format!("here stands {}", either(&names)))
    .see("vISA text reference 5.7");
    if let Some(meant) = nearest(written, all.iter().map(|(_, _, n)| *n)) {
        diagnostic = diagnostic.help(format!("write `{meant}`"));
    }
    refuse(from, written.len(), diagnostic)
}

/// `AVS_16_FULL` ….
pub(super) fn avs_control(input: &str) -> Read<'_, Operand> {
    let (rest, value) = word(input, "output format control", AvsControl::ALL)?;
    Ok((rest, Operand::AvsControl(value)))
}

/// `AVS_16x4` …; `AVS_8x4` and `AVS_4x4` are read though Intel's assembler stops at them.
pub(super) fn avs_mode(input: &str) -> Read<'_, Operand> {
    let (rest, value) = word(input, "block shape", AvsMode::ALL)?;
    Ok((rest, Operand::AvsMode(value)))
}

/// `(a, b)` plain numbers.
pub(super) fn pair(input: &str) -> Read<'_, Operand> {
    let (rest, _) = mark(input, "(")?;
    let (rest, a) = decimal(rest, "a plain number")?;
    let (rest, _) = mark(rest, ",")?;
    let (rest, b) = decimal(rest, "a plain number")?;
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, Operand::Pair(a, b)))
}

/// `(s, s, s)` scalars.
pub(super) fn triple<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, _) = mark(input, "(")?;
    let scalar = |from: &'a str| {
        let (rest, operand) = source(cx, from)?;
        Ok((rest, cx.spanned(operand, from, rest)))
    };
    let (rest, a) = scalar(rest)?;
    let (rest, _) = mark(rest, ",")?;
    let (rest, b) = scalar(rest)?;
    let (rest, _) = mark(rest, ",")?;
    let (rest, c) = scalar(rest)?;
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, Operand::Triple(Box::new([a, b, c]))))
}
