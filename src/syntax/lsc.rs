//! Operands of load/store cache messages. Source: vISA text reference 5.11.

use super::ast::{LscAddress, LscBlock, LscData, LscModel, Operand, Raw};
use super::context::Context;
use super::error::{Read, either, expected, problem, refuse};
use super::operand::{name, raw_offset, source};
use super::token::{
    Number, blanks, decimal, dotted, mark, next_is, number, optional_mark, too_large, variable,
};
use crate::diagnostic::Code;
use crate::isa::ChannelMask;
use crate::source::Spanned;

/// Data sizes, in memory and in registers, under their older and newer spellings; longer ones before
/// their beginnings.
pub(super) const ELEMENTS: &[&str] = &[
    "d16c32h", "d16u32h", "d16c32", "d16u32", "d8c32", "d8u32", "d16", "d32", "d64", "d8",
];

/// The most address components: base, width, height, pitch, x, y.
const BLOCK_PARTS: usize = 6;

/// `V` or `V.off`.
pub(super) fn raw<'a>(cx: &Context, input: &'a str) -> Read<'a, Raw> {
    let (rest, var) = name(cx, input, "a register operand `V` or `V.offset`")?;
    let (rest, offset) = if next_is(rest, ".") {
        raw_offset(cx, rest)?
    } else {
        (rest, 0)
    };
    Ok((rest, Raw { var, offset }))
}

/// `V:` and the element type; what follows the element is left in the word.
fn element<'a>(cx: &Context, input: &'a str) -> Read<'a, (Raw, &'static str)> {
    let (rest, raw) = raw(cx, input)?;
    let behind = blanks(rest);
    let Some(word) = behind.strip_prefix(':') else {
        return expected(behind, "`:` and a data size, such as `:d32`");
    };
    match ELEMENTS.iter().find(|e| word.starts_with(**e)) {
        Some(element) => Ok((&word[element.len()..], (raw, element))),
        None => expected(word, format!("a data size: {}", either(ELEMENTS))),
    }
}

/// `V:d32x2t`, `V:d32.xyz`.
pub(super) fn data<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (mut rest, (raw, element)) = element(cx, input)?;
    let mut vector = 1;
    if let Some(behind) = rest.strip_prefix('x') {
        (rest, vector) = decimal(behind, "a vector size")?;
    }
    let transposed = rest.starts_with('t');
    rest = rest.strip_prefix('t').unwrap_or(rest);
    let mut channels = None;
    if next_is(rest, ".") {
        let mask = dotted(rest).and_then(|(_, word)| quad_mask(word));
        match (dotted(rest), mask) {
            (Some((behind, _)), Some(mask)) => (rest, channels) = (behind, Some(mask)),
            _ => return expected(blanks(rest), "channels among `.xyzw`, in this order"),
        }
    }
    Ok((
        rest,
        Operand::LscData(LscData {
            raw,
            element: element.to_owned(),
            vector,
            transposed,
            channels,
            block: None,
        }),
    ))
}

fn quad_mask(word: &str) -> Option<ChannelMask> {
    let mut mask = 0u8;
    for letter in word.chars() {
        let bit = 1u8 << "xyzw".find(letter)?;
        // In order, each once: a later letter is a greater bit than all before it.
        if bit <= mask {
            return None;
        }
        mask |= bit;
    }
    (mask != 0).then_some(ChannelMask(mask))
}

/// `V:d8.2x32x16nn`: blocks (1 when left out), width, height, transposed or not, VNNI or not.
pub(super) fn block_data<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    const SHAPE: &str = "a block shape, such as `.2x32x16nn`";
    let (rest, (raw, element)) = element(cx, input)?;
    let Some((behind, word)) = dotted(rest) else {
        return expected(blanks(rest), SHAPE);
    };
    let shape_at = &rest[rest.len() - behind.len() - word.len()..];
    let (sizes, letters) = word.split_at(
        word.find(|c: char| !(c.is_ascii_digit() || c == 'x'))
            .unwrap_or(word.len()),
    );
    let mut numbers = Vec::new();
    for digits in sizes.split('x').take(4) {
        if digits.is_empty() {
            return expected(shape_at, SHAPE);
        }
        match digits.parse::<u32>() {
            Ok(size) => numbers.push(size),
            Err(_) => return refuse(shape_at, word.len(), too_large(digits)),
        }
    }
    let (transposed, vnni) = match letters {
        "" | "nn" | "n" => (false, false),
        "t" | "tn" => (true, false),
        "nt" => (false, true),
        "tt" => (true, true),
        _ => return expected(shape_at, SHAPE),
    };
    let (blocks, width, height) = match numbers[..] {
        [width, height] => (1, width, height),
        [blocks, width, height] => (blocks, width, height),
        _ => return expected(shape_at, SHAPE),
    };
    Ok((
        behind,
        Operand::LscData(LscData {
            raw,
            element: element.to_owned(),
            vector: 1,
            transposed: false,
            channels: None,
            block: Some(LscBlock {
                blocks,
                width,
                height,
                transposed,
                vnni,
            }),
        }),
    ))
}

/// Part of an address: a register, or a scalar where one is meant.
fn part<'a>(cx: &Context, input: &'a str) -> Read<'a, Spanned<Operand>> {
    let is_register = variable(input).is_ok_and(|(rest, _)| !next_is(rest, "("));
    let (rest, operand) = if is_register {
        let (rest, raw) = raw(cx, input)?;
        (rest, Operand::Raw(raw))
    } else {
        source(cx, input)?
    };
    Ok((rest, cx.spanned(operand, input, rest)))
}

/// `flat`, `bti(…)`, `ss(…)`, `bss(…)`, `surf(…)`, `arg`; none means `flat`.
fn model<'a>(cx: &Context, input: &'a str) -> Read<'a, LscModel> {
    if next_is(input, "[") {
        return Ok((input, LscModel::Flat));
    }
    let from = blanks(input);
    let Ok((rest, word)) = variable(from) else {
        return expected(from, "an address, such as `flat[V]:a64`");
    };
    let make: fn(Spanned<Operand>) -> LscModel = match word {
        "flat" | "arg" if next_is(rest, "(") => {
            return later(from, "a base in front of the address");
        }
        "flat" => return Ok((rest, LscModel::Flat)),
        "arg" => return Ok((rest, LscModel::Arg)),
        "bti" => LscModel::Bti,
        "ss" => LscModel::Ss,
        "bss" => LscModel::Bss,
        "surf" => LscModel::Surf,
        _ => {
            return expected(
                from,
                "an address model: `flat`, `bti`, `ss`, `bss`, `surf` or `arg`",
            );
        }
    };
    let (inside, _) = mark(rest, "(")?;
    let (rest, surface) = match number(inside) {
        Ok((rest, value)) if !next_is(rest, ":") => {
            let value = match value {
                Number::Decimal { value, .. } => u64::from(value),
                Number::Hex(value) => value,
                Number::Float(_) => return expected(blanks(inside), "a surface number"),
            };
            (rest, cx.spanned(Operand::Number(value), inside, rest))
        }
        Err(failure @ nom::Err::Failure(_)) => return Err(failure),
        _ => part(cx, inside)?,
    };
    if next_is(rest, ",") {
        return later(from, "an index behind the surface");
    }
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, make(surface)))
}

fn later<'a, T>(at: &'a str, what: &str) -> Read<'a, T> {
    refuse(
        at,
        at.find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(at.len()),
        problem(Code::N0114, "address form is not modelled", what)
            .note("this form belongs to later hardware")
            .see("vISA text reference 0"),
    )
}

/// The parts between brackets, up to `max`.
fn parts<'a>(cx: &Context, input: &'a str, max: usize) -> Read<'a, Vec<Spanned<Operand>>> {
    let (mut rest, first) = part(cx, input)?;
    let mut parts = vec![first];
    while next_is(rest, ",") && parts.len() < max {
        let (behind, _) = mark(rest, ",")?;
        let (behind, next) = part(cx, behind)?;
        parts.push(next);
        rest = behind;
    }
    Ok((rest, parts))
}

/// `MODEL[ [scale*]V [±0xIMM] ]:aN`.
pub(super) fn address<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, model) = model(cx, input)?;
    let (mut rest, _) = mark(rest, "[")?;
    let mut scale = 1;
    if let Ok((behind, value)) = decimal(rest, "a scale")
        && next_is(behind, "*")
    {
        (rest, _) = mark(behind, "*")?;
        scale = value;
    }
    let (rest, parts) = parts(cx, rest, 4)?;
    let sign = blanks(rest).bytes().next();
    let (rest, offset) = match sign {
        Some(b'+' | b'-') => {
            let from = blanks(&blanks(rest)[1..]);
            let (rest, number) = number(from)?;
            let value = match number {
                Number::Hex(value) => i64::try_from(value).ok(),
                Number::Decimal { value, wide: false } => Some(i64::from(value)),
                _ => None,
            };
            let Some(value) = value else {
                return refuse(from, from.len() - rest.len(), too_large("this offset"));
            };
            (rest, if sign == Some(b'-') { -value } else { value })
        }
        _ => (rest, 0),
    };
    let (rest, _) = mark(rest, "]")?;
    let from = blanks(rest);
    let bits = [16, 32, 64].into_iter().find_map(|bits: u32| {
        let behind = from.strip_prefix(':')?.strip_prefix('a')?;
        Some((behind.strip_prefix(&bits.to_string())?, bits))
    });
    let Some((rest, bits)) = bits else {
        return expected(from, "an address size: `:a16`, `:a32` or `:a64`");
    };
    Ok((
        rest,
        Operand::LscAddress(Box::new(LscAddress {
            model,
            scale,
            parts,
            offset,
            bits,
        })),
    ))
}

/// `flat[base,width,height,pitch,x,y]`.
pub(super) fn block_address<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, model) = model(cx, input)?;
    let (rest, _) = mark(rest, "[")?;
    let (rest, parts) = parts(cx, rest, BLOCK_PARTS)?;
    if parts.len() < BLOCK_PARTS {
        return expected(
            blanks(rest),
            "`,` and the rest of base, width, height, pitch, x, y",
        );
    }
    let (rest, _) = mark(rest, "]")?;
    let address = LscAddress {
        model,
        scale: 1,
        parts,
        offset: 0,
        bits: 0,
    };
    Ok((rest, Operand::LscAddress(Box::new(address))))
}

/// `bti(0x4)` without an address.
pub(super) fn surface<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if !optional_mark(input, "bti").1 && !optional_mark(input, "surf").1 {
        return expected(blanks(input), "a surface, such as `bti(0x4)`");
    }
    let (rest, model) = model(cx, input)?;
    let address = LscAddress {
        model,
        scale: 1,
        parts: Vec::new(),
        offset: 0,
        bits: 0,
    };
    Ok((rest, Operand::LscAddress(Box::new(address))))
}
