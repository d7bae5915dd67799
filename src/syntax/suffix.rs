//! Suffixes after a mnemonic: one exhaustive `match` over [`SuffixSlot`].
//!
//! A dot and its word are one token; blanks may appear in front of the dot.
//! Source: vISA text reference 1.6 and section 5.

use super::ast::{LscFunction, Suffix};
use super::context::Context;
use super::error::{Read, either, expected, problem, refuse};
use super::statement::as_the_page;
use super::token::{blanks, decimal, dotted, next_is, shorten};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::isa::slots::{LSC_FENCE_OPS, LSC_FENCE_SCOPES};
use crate::isa::{AtomicOp, ChannelMask, Condition, MediaMode, OpInfo, SuffixSlot, UnormFormat};
use crate::source::Spanned;

/// Letters of a fence, in their fixed order; bit `i` of the flags is letter `i`.
pub(super) const FENCE_LETTERS: &[&str] = &["E", "I", "S", "C", "R", "L1"];
/// Words for the shared function of an LSC message.
pub(super) const LSC_FUNCTIONS: &[(LscFunction, &str)] = &[
    (LscFunction::Ugm, "ugm"),
    (LscFunction::Ugml, "ugml"),
    (LscFunction::Slm, "slm"),
    (LscFunction::Tgm, "tgm"),
];
/// Cache options of an LSC message, one for each level.
pub(super) const LSC_CACHE: &[&str] = &["df", "uc", "ca", "wb", "wt", "st", "cc", "ri"];
/// Further marks of an LSC message.
const LSC_FLAGS: &[&str] = &["ov", "msaa"];
/// How `lfsr` shares a register out: one value, two or four.
const REGISTER_SHAPES: &[&str] = &["b32", "b16v2", "b8v4"];
/// What `dnscl` makes of what.
const DOWNSCALES: &[&str] = &["bftoe2m1", "bftoint4", "hftoe2m1", "hftoint4"];
/// Which bits of the result `dnscl` fills.
const DOWNSCALE_MODES: &[&str] = &["mode0", "mode1", "mode2", "mode3"];
/// How `dnscl` rounds.
const DOWNSCALE_ROUNDINGS: &[&str] = &["rne", "srnd"];
/// Shared functions `raw_sendg` can name.
const SHARED_FUNCTIONS: &[&str] = &[
    "null", "smpl", "gtwy", "rc", "urb", "btd", "rta", "ugm", "slm", "tgm",
];
/// Element precisions of `dpas`.
pub(super) const PRECISIONS: &[&str] = &["u2", "s2", "u4", "s4", "u8", "s8", "bf", "hf", "tf32"];

/// Reads the suffixes of `row` in their order.
pub(super) fn suffixes<'a>(
    cx: &Context,
    row: &OpInfo,
    input: &'a str,
) -> Read<'a, Vec<Spanned<Suffix>>> {
    let mut read = Vec::new();
    let mut rest = input;
    for &slot in row.suffixes {
        let (tail, suffix) = suffix(cx, slot, row, rest)?;
        if let Some(suffix) = suffix {
            read.push(cx.spanned(suffix, rest, tail));
        }
        rest = tail;
    }
    if next_is(rest, ".") {
        return unknown(row, rest);
    }
    Ok((rest, read))
}

/// A suffix that has no place here.
fn unknown<'a, T>(row: &OpInfo, input: &'a str) -> Read<'a, T> {
    let from = blanks(input);
    let word = dotted(from).map_or("", |(_, word)| word);
    let note = match row.suffixes {
        [] => format!("`{}` takes no suffix", row.mnemonic),
        slots => format!(
            "`{}` takes, in this order: {}",
            row.mnemonic,
            slots
                .iter()
                .map(|s| describe(*s))
                .collect::<Vec<_>>()
                .join("; ")
        ),
    };
    refuse(
        from,
        1 + word.len(),
        problem(
            Code::E0110,
            "suffix has no place here",
            format!("`.{}` after `{}`", shorten(word), row.mnemonic),
        )
        .note(note)
        .see(row.family.section()),
    )
}

/// What a suffix slot looks like, for diagnostics.
pub(super) fn describe(slot: SuffixSlot) -> &'static str {
    match slot {
        SuffixSlot::Saturate => "`.sat`",
        SuffixSlot::Condition => "a relation `.eq .ne .gt .ge .lt .le`",
        SuffixSlot::MediaMode => "a mode such as `.nomod`",
        SuffixSlot::Channels => "channels such as `.RGBA`",
        SuffixSlot::Channel => "one channel such as `.R`",
        SuffixSlot::PixelNullMask => "`.pixel_null_mask`",
        SuffixSlot::Cps => "`.cps`",
        SuffixSlot::DivS => "`.divS`",
        SuffixSlot::AtomicOp => "an operation such as `.add`",
        SuffixSlot::Bits16 => "`.16`",
        SuffixSlot::Bits16Or64 => "`.16` or `.64`",
        SuffixSlot::ElementBytes => "bytes of an element, `.1 .2 .4`",
        SuffixSlot::Blocks => "block size and count, such as `.4.1`",
        SuffixSlot::BooleanFunction => "a truth table such as `.xd8`",
        SuffixSlot::FenceFlags => "flags in the order `.EISCRL1`",
        SuffixSlot::UnormFormat => "an output format such as `.16-full`",
        SuffixSlot::Systolic => "precisions, depth and rows, such as `.s8.s8.8.1`",
        SuffixSlot::SendSizes => "message sizes such as `.10.2.1.0`",
        SuffixSlot::Aligned => "`.aligned` or `.unaligned`",
        SuffixSlot::Mod => "`.mod`",
        SuffixSlot::LscFunction => "a shared function `.ugm .ugml .slm .tgm`",
        SuffixSlot::LscCache => "cache options such as `.ca.ca`",
        SuffixSlot::LscFence => "operation and scope, such as `.none.group`",
        SuffixSlot::TargetFlags => "flags such as `.<RTI>`",
        SuffixSlot::CallFlags => "`.uniform` or `.noreturn`",
        SuffixSlot::LscFlags => "`.ov` or `.msaa`",
        SuffixSlot::RegisterShape => "a shape such as `.b32`",
        SuffixSlot::Downscale => "conversion, mode and rounding, such as `.hftoint4.mode0.rne`",
        SuffixSlot::SharedFunction => "a shared function such as `.ugm`",
    }
}

/// Reads one suffix; `None` if it may be left out and is.
fn suffix<'a>(
    cx: &Context,
    slot: SuffixSlot,
    row: &OpInfo,
    input: &'a str,
) -> Read<'a, Option<Suffix>> {
    let flag = |word: &str, suffix: Suffix| match dotted(input) {
        Some((rest, written)) if written == word => Ok((rest, Some(suffix))),
        _ => Ok((input, None)),
    };
    match slot {
        SuffixSlot::Saturate => flag("sat", Suffix::Saturate),
        SuffixSlot::PixelNullMask => flag("pixel_null_mask", Suffix::PixelNullMask),
        SuffixSlot::Cps => flag("cps", Suffix::Cps),
        SuffixSlot::DivS => flag("divS", Suffix::DivS),
        SuffixSlot::Mod => flag("mod", Suffix::Mod),
        SuffixSlot::Bits16 => flag("16", Suffix::Bits(16)),
        SuffixSlot::Bits16Or64 => match flag("16", Suffix::Bits(16))? {
            (_, None) => flag("64", Suffix::Bits(64)),
            found => Ok(found),
        },
        SuffixSlot::Aligned => match flag("aligned", Suffix::Aligned(true))? {
            (_, None) => flag("unaligned", Suffix::Aligned(false)),
            found => Ok(found),
        },
        SuffixSlot::Condition => {
            let all = Condition::ALL.iter().map(|&(v, _, n)| (v, n));
            one_of(
                slot,
                row,
                input,
                all,
                &[("gte", "ge"), ("lte", "le"), ("neq", "ne")],
            )
            .map(|(rest, v)| (rest, Some(Suffix::Condition(v))))
        }
        SuffixSlot::MediaMode => {
            // The page's names.
            let named = match dotted(input) {
                Some((rest, "top_field")) => Some((rest, MediaMode::Top)),
                Some((rest, "bottom_field")) => Some((rest, MediaMode::Bottom)),
                _ => None,
            };
            if let Some((rest, mode)) = named {
                let at = cx.span(blanks(input), rest);
                cx.remark(as_the_page(at, &format!(".{mode}")));
                return Ok((rest, Some(Suffix::MediaMode(mode))));
            }
            let all = MediaMode::ALL.iter().map(|&(v, _, n)| (v, n));
            one_of(slot, row, input, all, &[]).map(|(rest, v)| (rest, Some(Suffix::MediaMode(v))))
        }
        SuffixSlot::AtomicOp => {
            let all = AtomicOp::ALL.iter().map(|&(v, _, n)| (v, n));
            one_of(
                slot,
                row,
                input,
                all,
                &[("imax", "maxsint"), ("imin", "minsint")],
            )
            .map(|(rest, v)| (rest, Some(Suffix::AtomicOp(v))))
        }
        SuffixSlot::LscFunction => one_of(slot, row, input, LSC_FUNCTIONS.iter().copied(), &[])
            .map(|(rest, v)| (rest, Some(Suffix::LscFunction(v)))),
        SuffixSlot::Channels => channels(slot, row, input, 4),
        SuffixSlot::Channel if is_lone_dot(input) => {
            // Intel's vector compiler prints channel R of sample4 as a dot with nothing after it.
            let rest = &blanks(input)[1..];
            cx.remark(
                Diagnostic::new(Code::W0118)
                    .at(cx.span(input, rest), "read as `.R`")
                    .help(format!("write `{}.R`", row.mnemonic))
                    .see(row.family.section()),
            );
            Ok((rest, Some(Suffix::Channels(ChannelMask(1)))))
        }
        SuffixSlot::Channel => channels(slot, row, input, 1),
        SuffixSlot::ElementBytes => {
            let (rest, bytes) = numbered(slot, row, input)?;
            Ok((rest, Some(Suffix::ElementBytes(bytes))))
        }
        SuffixSlot::Blocks => {
            let (rest, bytes) = numbered(slot, row, input)?;
            let (rest, count) = numbered(slot, row, rest)?;
            Ok((rest, Some(Suffix::Blocks { bytes, count })))
        }
        SuffixSlot::BooleanFunction => match dotted(input) {
            Some((rest, word)) => match word.strip_prefix('x').map(|w| u8::from_str_radix(w, 16)) {
                Some(Ok(table)) => Ok((rest, Some(Suffix::BooleanFunction(table)))),
                _ => missing(slot, row, input),
            },
            None => missing(slot, row, input),
        },
        SuffixSlot::FenceFlags => match dotted(input) {
            Some((rest, word)) => match fence_flags(word) {
                Some(flags) => Ok((rest, Some(Suffix::FenceFlags(flags)))),
                None => missing(slot, row, input),
            },
            None => Ok((input, None)),
        },
        SuffixSlot::UnormFormat => unorm_format(slot, row, input),
        SuffixSlot::Systolic => systolic(slot, row, input),
        SuffixSlot::SendSizes => {
            let (mut rest, first) = numbered(slot, row, input)?;
            let mut sizes = vec![first];
            // `raw_sendsc` is printed with four numbers and read with three (quirk 30): take both.
            while sizes.len() < 3 || sizes.len() < 4 && next_is(rest, ".") {
                let (tail, size) = numbered(slot, row, rest)?;
                sizes.push(size);
                rest = tail;
            }
            Ok((rest, Some(Suffix::SendSizes(sizes))))
        }
        SuffixSlot::LscCache => {
            let words = words(input, 3, |word| LSC_CACHE.contains(&word));
            Ok((
                words.0,
                (!words.1.is_empty()).then_some(Suffix::LscCache(words.1)),
            ))
        }
        SuffixSlot::LscFence => {
            let all = |words: &'static [&'static str]| words.iter().map(|&w| (w, w));
            let (rest, op) = one_of(slot, row, input, all(LSC_FENCE_OPS), &[])?;
            let (rest, scope) = one_of(slot, row, rest, all(LSC_FENCE_SCOPES), &[])?;
            let (op, scope) = (op.to_owned(), scope.to_owned());
            Ok((rest, Some(Suffix::LscFence { op, scope })))
        }
        SuffixSlot::TargetFlags => target_flags(slot, input),
        SuffixSlot::LscFlags => {
            let (rest, words) = words(input, LSC_FLAGS.len(), |word| LSC_FLAGS.contains(&word));
            Ok((rest, (!words.is_empty()).then_some(Suffix::LscFlags(words))))
        }
        SuffixSlot::RegisterShape => closed_word(slot, row, input, REGISTER_SHAPES),
        SuffixSlot::SharedFunction => closed_word(slot, row, input, SHARED_FUNCTIONS),
        SuffixSlot::Downscale => {
            let all = |words: &'static [&'static str]| words.iter().map(|&w| (w, w));
            let (rest, conversion) = one_of(slot, row, input, all(DOWNSCALES), &[])?;
            let (rest, mode) = one_of(slot, row, rest, all(DOWNSCALE_MODES), &[])?;
            let (rest, rounding) = one_of(slot, row, rest, all(DOWNSCALE_ROUNDINGS), &[])?;
            let downscale = Suffix::Downscale {
                conversion: conversion.to_owned(),
                mode: mode.to_owned(),
                rounding: rounding.to_owned(),
            };
            Ok((rest, Some(downscale)))
        }
        SuffixSlot::CallFlags => {
            let words = words(input, 2, |word| matches!(word, "uniform" | "noreturn"));
            Ok((
                words.0,
                (!words.1.is_empty()).then_some(Suffix::CallFlags(words.1)),
            ))
        }
    }
}

/// The diagnostic for a suffix that has to be there, with what is there instead.
fn wrong(slot: SuffixSlot, row: &OpInfo, written: &str) -> Diagnostic {
    let label = if written.is_empty() {
        format!("expected {}", describe(slot))
    } else {
        format!("expected {}, found `.{}`", describe(slot), shorten(written))
    };
    let title = if written.is_empty() {
        format!("`{}` lacks a suffix", row.mnemonic)
    } else {
        format!("`{}` has no such suffix", row.mnemonic)
    };
    problem(Code::E0110, title, label).see(row.family.section())
}

fn missing<'a, T>(slot: SuffixSlot, row: &OpInfo, input: &'a str) -> Read<'a, T> {
    match dotted(input) {
        Some((_, word)) => {
            let from = blanks(input);
            refuse(from, 1 + word.len(), wrong(slot, row, word))
        }
        None => refuse(input, 0, wrong(slot, row, "")),
    }
}

/// Reads one word of a closed set; `known_mistakes` pairs a spelling of other texts with ours.
fn one_of<'a, T: Copy>(
    slot: SuffixSlot,
    row: &OpInfo,
    input: &'a str,
    all: impl Iterator<Item = (T, &'static str)> + Clone,
    known_mistakes: &[(&str, &'static str)],
) -> Read<'a, T> {
    let Some((rest, word)) = dotted(input) else {
        let names: Vec<String> = all.map(|(_, n)| format!("`.{n}`")).collect();
        let help = format!(
            "write `{}{}`",
            row.mnemonic,
            names.first().map_or("", |n| n.trim_matches('`'))
        );
        return refuse(
            input,
            0,
            wrong(slot, row, "")
                .note(format!("one of {}", either(&names)))
                .help(help),
        );
    };
    if let Some((value, _)) = all.clone().find(|(_, name)| *name == word) {
        return Ok((rest, value));
    }
    let meant = known_mistakes
        .iter()
        .find(|(wrong, _)| *wrong == word)
        .map(|&(_, right)| right)
        .or_else(|| nearest(word, all.clone().map(|(_, n)| n)));
    let names: Vec<String> = all.map(|(_, n)| format!("`.{n}`")).collect();
    let mut diagnostic = wrong(slot, row, word).note(format!("one of {}", either(&names)));
    if let Some(meant) = meant {
        diagnostic = diagnostic.help(format!("write `.{meant}`"));
    }
    refuse(blanks(input), 1 + word.len(), diagnostic)
}

/// One of `words`, kept as it is written.
fn closed_word<'a>(
    slot: SuffixSlot,
    row: &OpInfo,
    input: &'a str,
    words: &'static [&'static str],
) -> Read<'a, Option<Suffix>> {
    let all = words.iter().map(|&w| (w, w));
    let (rest, word) = one_of(slot, row, input, all, &[])?;
    Ok((rest, Some(Suffix::Word(word.to_owned()))))
}

/// A dot without a word.
fn is_lone_dot(input: &str) -> bool {
    next_is(input, ".") && dotted(input).is_none()
}

/// `.RGBA`: letters in this order, in either case, each once, `most` at most.
fn channels<'a>(
    slot: SuffixSlot,
    row: &OpInfo,
    input: &'a str,
    most: u32,
) -> Read<'a, Option<Suffix>> {
    let Some((rest, word)) = dotted(input) else {
        return refuse(
            input,
            0,
            wrong(slot, row, "")
                .note("at least one channel has to be named")
                .help(format!(
                    "write `{}.{}`",
                    row.mnemonic,
                    if most == 1 { "R" } else { "RGBA" }
                )),
        );
    };
    let mut set = 0u8;
    let mut ordered = true;
    for letter in word.chars() {
        let Some(index) = "RGBA".find(letter.to_ascii_uppercase()) else {
            return missing(slot, row, input);
        };
        let bit = 1u8 << index;
        ordered &= bit > set;
        set |= bit;
    }
    let mask = ChannelMask(set);
    if ordered && mask.count() <= most {
        return Ok((rest, Some(Suffix::Channels(mask))));
    }
    let (note, help) = if mask.count() > most {
        (
            format!("`{}` reads exactly one source channel", row.mnemonic),
            format!(
                "write `{}.{}`",
                row.mnemonic,
                ChannelMask(set & set.wrapping_neg())
            ),
        )
    } else {
        (
            "channels are written in the order R G B A, each once".to_owned(),
            format!("write `{}.{mask}`", row.mnemonic),
        )
    };
    refuse(
        blanks(input),
        1 + word.len(),
        wrong(slot, row, word).note(note).help(help),
    )
}

/// `.n`: the dot and the number are two tokens.
fn numbered<'a>(slot: SuffixSlot, row: &OpInfo, input: &'a str) -> Read<'a, u32> {
    match blanks(input).strip_prefix('.') {
        Some(tail) if blanks(tail).starts_with(|c: char| c.is_ascii_digit()) => {
            decimal(tail, "a number")
        }
        _ => missing(slot, row, input),
    }
}

fn fence_flags(word: &str) -> Option<u8> {
    let (mut flags, mut rest) = (0u8, word);
    for (bit, letter) in FENCE_LETTERS.iter().enumerate() {
        if let Some(tail) = rest.strip_prefix(letter) {
            flags |= 1 << bit;
            rest = tail;
        }
    }
    rest.is_empty().then_some(flags)
}

fn unorm_format<'a>(slot: SuffixSlot, row: &OpInfo, input: &'a str) -> Read<'a, Option<Suffix>> {
    let from = blanks(input);
    let tail = from.strip_prefix('.').unwrap_or(from);
    let length = tail
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .unwrap_or(tail.len());
    if tail.len() == from.len() || length == 0 {
        return missing(slot, row, input);
    }
    let word = &tail[..length];
    if let Some(format) = UnormFormat::from_name(word) {
        return Ok((&tail[length..], Some(Suffix::UnormFormat(format))));
    }
    let names: Vec<String> = UnormFormat::ALL
        .iter()
        .map(|(_, _, n)| format!("`.{n}`"))
        .collect();
    refuse(
        from,
        1 + length,
        wrong(slot, row, word).note(format!("one of {}", either(&names))),
    )
}

/// `.A.B.d.r`, one token without blanks.
fn systolic<'a>(slot: SuffixSlot, row: &OpInfo, input: &'a str) -> Read<'a, Option<Suffix>> {
    let mut rest = input;
    let mut next = || {
        let (tail, word) = dotted(rest)?;
        rest = tail;
        Some(word)
    };
    let words = (next(), next(), next(), next());
    if let (Some(a), Some(b), Some(depth), Some(rows)) = words
        && PRECISIONS.contains(&a)
        && PRECISIONS.contains(&b)
        && let (Ok(depth), Ok(rows)) = (depth.parse(), rows.parse())
        && (1..=8).contains(&rows)
    {
        let (a, b) = (a.to_owned(), b.to_owned());
        return Ok((rest, Some(Suffix::Systolic { a, b, depth, rows })));
    }
    missing(slot, row, input)
}

/// Up to `most` dotted words that `belongs` accepts.
fn words(input: &str, most: usize, belongs: impl Fn(&str) -> bool) -> (&str, Vec<String>) {
    let (mut rest, mut read) = (input, Vec::new());
    while let Some((tail, word)) = dotted(rest)
        && read.len() < most
        && belongs(word)
    {
        read.push(word.to_owned());
        rest = tail;
    }
    (rest, read)
}

/// `.<RTI><A>`; `.<RTI,A>` is read as the same.
fn target_flags(slot: SuffixSlot, input: &str) -> Read<'_, Option<Suffix>> {
    let Some(mut rest) = blanks(input).strip_prefix(".<") else {
        return Ok((input, None));
    };
    let mut flags = Vec::new();
    loop {
        let word = match super::token::identifier(rest) {
            Ok((tail, word)) => {
                rest = blanks(tail);
                word
            }
            Err(_) => return expected(blanks(rest), describe(slot)),
        };
        flags.push(word.to_owned());
        if let Some(tail) = rest.strip_prefix(',') {
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix('>') {
            match tail.strip_prefix('<') {
                Some(more) => rest = more,
                None => return Ok((tail, Some(Suffix::TargetFlags(flags)))),
            }
        } else {
            return expected(rest, "`>`");
        }
    }
}
