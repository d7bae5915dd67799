//! Operand forms that belong to one kind of message: blocks, AVS words, VME settings, samplers and
//! the parameters to the end of a line.

use super::ast::{Operand, Raw, Region};
use super::context::{Class, Context, is_null};
use super::error::{Read, either, expected, problem, refuse};
use super::expression::{expression, fitting, primary};
use super::operand::{Operands, is_indirect, name, origin, raw, source, source_region};
use super::token::{blanks, decimal, identifier, mark, next_is, variable};
use crate::diagnostic::{Code, nearest};
use crate::isa::{AvsControl, AvsMode};
use crate::source::Spanned;

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
                format!("`{}` is not a width", super::token::shorten(word)),
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
    .note(format!("this is {}", either(&names)))
    .see("vISA text reference 5.7");
    if let Some(meant) = nearest(written, all.iter().map(|(_, _, n)| *n)) {
        diagnostic = diagnostic.help(format!("write `{meant}`")).paste(meant);
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

/// A bare sampler name, or `(variable, index)`.
pub(super) fn sampler<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if next_is(input, "(") {
        return state_pair(cx, input);
    }
    let (rest, var) = name(cx, input, "a sampler")?;
    if let Ok((tail, element)) = origin(cx, rest) {
        return indexed_state(cx, var, element, tail);
    }
    Ok((rest, Operand::Sampler(var)))
}

/// A bare surface name, or `(variable, index)`.
pub(super) fn surface<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if next_is(input, "(") {
        return state_pair(cx, input);
    }
    let (rest, var) = name(cx, input, "a surface")?;
    if let Ok((tail, element)) = origin(cx, rest) {
        return indexed_state(cx, var, element, tail);
    }
    Ok((rest, Operand::Surface(var)))
}

/// The rest of `V(r,c)<0;1,0>[index]`: the state with that number from the address in `V(r,c)` on.
fn indexed_state<'a>(
    cx: &Context,
    base: Spanned<String>,
    element: (u32, u32),
    input: &'a str,
) -> Read<'a, Operand> {
    let (rest, region) = source_region(cx, input, false)?;
    let scalar = Region::Source {
        vertical: 0,
        width: 1,
        horizontal: 0,
    };
    if region.node != scalar {
        return expected(blanks(input), "the region `<0;1,0>`");
    }
    let (rest, _) = mark(rest, "[")?;
    let (rest, index) = fitting(cx, rest, "an index", expression)?;
    let (rest, _) = mark(rest, "]")?;
    let element = Some(element);
    Ok((
        rest,
        Operand::StatePair {
            base,
            element,
            index,
        },
    ))
}

/// `(variable, index)`: state by its address, of newer text (vISA text reference, section 0).
fn state_pair<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, _) = mark(input, "(")?;
    let (rest, base) = name(cx, rest, "a variable that holds the address of the state")?;
    let (rest, _) = mark(rest, ",")?;
    let (rest, index) = fitting(cx, rest, "an index", primary)?;
    let (rest, _) = mark(rest, ")")?;
    let element = None;
    Ok((
        rest,
        Operand::StatePair {
            base,
            element,
            index,
        },
    ))
}

/// `count` scalars, or the end of the line.
pub(super) fn optional_scalars<'a>(
    cx: &Context,
    input: &'a str,
    count: u8,
    read: &mut Operands,
) -> Read<'a, ()> {
    let mut rest = input;
    if blanks(rest).is_empty() {
        return Ok((rest, ()));
    }
    for _ in 0..count {
        let (tail, operand) = source(cx, rest)?;
        read.push(cx.spanned(operand, rest, tail));
        rest = tail;
    }
    Ok((rest, ()))
}

/// `V.off/bytes`.
pub(super) fn payload<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, raw) = raw(cx, input)?;
    let (rest, _) = mark(rest, "/")?;
    let (rest, bytes) = fitting(cx, rest, "a length in bytes", primary)?;
    Ok((rest, Operand::Payload(raw, bytes)))
}

/// Two names in either order; kept sampler first, as the instruction page has them, and printed in the order of the
/// text (AVS reference D12). Declarations tell which is which; where they do not, the order of compilers holds.
pub(super) fn sampler_and_surface<'a>(
    cx: &Context,
    input: &'a str,
    read: &mut Operands,
) -> Read<'a, ()> {
    let (middle, first) = name(cx, input, "a sampler or a surface")?;
    let (rest, second) = name(cx, middle, "a sampler or a surface")?;
    let class = |name: &Spanned<String>| cx.known(name).map(|k| k.class);
    let surface_first =
        class(&first) == Some(Class::Surface) || class(&second) == Some(Class::Sampler);
    let sampler_first =
        class(&first) == Some(Class::Sampler) || class(&second) == Some(Class::Surface);
    let (sampler, surface) = if sampler_first && !surface_first {
        (first, second)
    } else {
        (second, first)
    };
    read.push(Spanned::new(
        Operand::Sampler(sampler.clone()),
        sampler.span,
    ));
    read.push(Spanned::new(
        Operand::Surface(surface.clone()),
        surface.span,
    ));
    Ok((rest, ()))
}

/// The paired surface in front of the parameters: there from version 4.2 on; in older text `%null.0`
/// alone is one, since a first coordinate is never null (vISA text reference, section 0).
pub(super) fn paired<'a>(cx: &Context, input: &'a str) -> Read<'a, Option<Spanned<Raw>>> {
    match raw(cx, input) {
        Ok((rest, paired)) if cx.paired_form || is_null(&paired.var) && paired.offset == 0 => {
            Ok((rest, Some(cx.spanned(paired, input, rest))))
        }
        _ => Ok((input, None)),
    }
}

/// Raw parameters to the end of the line.
pub(super) fn params<'a>(
    cx: &Context,
    input: &'a str,
    min: u8,
    max: u8,
    read: &mut Operands,
) -> Read<'a, ()> {
    let mut rest = input;
    let mut count = 0;
    while count < max && (count < min || !blanks(rest).is_empty()) {
        let (tail, param) = match raw(cx, rest) {
            Err(nom::Err::Error(_)) if blanks(rest).is_empty() => {
                return expected(rest, "at least one parameter `V.offset`");
            }
            read => read?,
        };
        read.push(cx.spanned(Operand::Raw(param), rest, tail));
        rest = tail;
        count += 1;
    }
    Ok((rest, ()))
}

/// Operands of a render target write to the end of the line: raw, or scalar.
pub(super) fn target_params<'a>(cx: &Context, input: &'a str, read: &mut Operands) -> Read<'a, ()> {
    let mut rest = input;
    while !blanks(rest).is_empty() {
        let is_raw = variable(rest).is_ok_and(|(tail, _)| !next_is(tail, "("));
        let (tail, operand) = if is_raw && !is_indirect(rest) {
            let (tail, raw) = raw(cx, rest)?;
            (tail, Operand::Raw(raw))
        } else {
            source(cx, rest)?
        };
        read.push(cx.spanned(operand, rest, tail));
        rest = tail;
    }
    if read.len() < 2 {
        return expected(rest, "a raw operand `V.offset`");
    }
    Ok((rest, ()))
}
