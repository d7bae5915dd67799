//! Operands of load/store cache messages. Source: vISA text reference 5.11.

use super::ast::{LscAddress, LscBlock, LscData, LscModel, LscPart, Operand, Raw};
use super::context::Context;
use super::error::{Read, either, expected, refuse};
use super::expression::{angled, expression, fitting, primary, product};
use super::operand::{name, null_is_whole, origin, raw_offset};
use super::token::{blanks, decimal, dotted, mark, next_is, optional_mark, too_large, variable};
use crate::isa::{ChannelMask, Extension};
use crate::source::Spanned;

/// Data sizes, in memory and in registers, under their older and newer spellings; longer ones before
/// their beginnings.
pub(super) const ELEMENTS: &[&str] = &[
    "d16c32h", "d16u32h", "d16c32", "d16u32", "d8c32", "d8u32", "d16", "d32", "d64", "d8",
    "u16c32h", "u16c32", "u8c32", "u16", "u32", "u64", "u8",
];

/// Components of a 2D block's address: base, width, height, pitch, x, y.
const BLOCK_PARTS: usize = 6;
/// Components of a typed 2D block's address: x, y.
const TYPED_BLOCK_PARTS: usize = 2;
/// The most components of a typed address: u, v, r, level.
const TYPED_PARTS: usize = 4;

/// `V` or `V.off`.
pub(super) fn raw<'a>(cx: &Context, input: &'a str) -> Read<'a, Raw> {
    let (rest, var) = name(cx, input, "a register operand `V` or `V.offset`")?;
    if !next_is(rest, ".") {
        return Ok((rest, Raw { var, offset: 0 }));
    }
    let (tail, offset) = raw_offset(cx, rest)?;
    null_is_whole(&var, offset, rest, tail)?;
    Ok((tail, Raw { var, offset }))
}

/// `V:` and the element type; what follows the element is left in the word.
fn element<'a>(cx: &Context, input: &'a str) -> Read<'a, (Raw, &'static str)> {
    let (rest, raw) = raw(cx, input)?;
    let tail = blanks(rest);
    let Some(word) = tail.strip_prefix(':') else {
        return expected(tail, "`:` and a data size, such as `:d32`");
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
    if let Some(tail) = rest.strip_prefix('x') {
        (rest, vector) = decimal(tail, "a vector size")?;
    }
    let transposed = rest.starts_with('t');
    rest = rest.strip_prefix('t').unwrap_or(rest);
    let mut channels = None;
    if next_is(rest, ".") {
        let mask = dotted(rest).and_then(|(_, word)| quad_mask(word));
        match (dotted(rest), mask) {
            (Some((tail, _)), Some(mask)) => (rest, channels) = (tail, Some(mask)),
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

/// `V:d8.2x32x16nn`: blocks (1 when left out), width, height, transposed or not, VNNI or not. A typed
/// block has no element of its own: `V:64x4`.
pub(super) fn block_data<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    const SHAPE: &str = "a block shape, such as `.2x32x16nn`";
    let typed = raw(cx, input).ok().and_then(|(rest, raw)| {
        let shape = blanks(rest).strip_prefix(':')?;
        shape
            .starts_with(|c: char| c.is_ascii_digit())
            .then_some((shape, raw))
    });
    let (tail, raw, element, shape_at, word) = match typed {
        Some((shape, raw)) => {
            let length = shape
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(shape.len());
            (&shape[length..], raw, "", shape, &shape[..length])
        }
        None => {
            let (rest, (raw, element)) = element(cx, input)?;
            let Some((tail, word)) = dotted(rest) else {
                return expected(blanks(rest), SHAPE);
            };
            let shape_at = &rest[rest.len() - tail.len() - word.len()..];
            (tail, raw, element, shape_at, word)
        }
    };
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
        tail,
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

/// What a scalar part or an address part may be, for diagnostics.
const SCALAR: &str = "a variable `V`, an element `V(r,c)` or a constant";

/// A scalar: the first element of `V`, element `V.n` or `V(r,c)`, or a constant without a type.
fn scalar<'a>(cx: &Context, input: &'a str) -> Read<'a, Spanned<Operand>> {
    let Ok((rest, var)) = name(cx, input, SCALAR) else {
        let (rest, value) = match expression(cx, input) {
            Err(nom::Err::Error(_)) => return expected(blanks(input), SCALAR),
            read => read?,
        };
        // Constants are kept as bits: a negative one in two's complement.
        let number = Operand::Number(value as u64);
        return Ok((rest, cx.spanned(number, input, rest)));
    };
    let (rest, operand) = if next_is(rest, "(") {
        let (rest, (row, column)) = origin(cx, rest)?;
        (rest, Operand::Origin { var, row, column })
    } else if next_is(rest, ".") {
        // After a scalar the number counts elements, not bytes.
        let (rest, column) = raw_offset(cx, rest)?;
        let row = 0;
        (rest, Operand::Origin { var, row, column })
    } else {
        (rest, Operand::Raw(Raw { var, offset: 0 }))
    };
    Ok((rest, cx.spanned(operand, input, rest)))
}

/// One address for each lane: `V`, `V.off`.
fn lanes<'a>(cx: &Context, input: &'a str) -> Read<'a, Spanned<Operand>> {
    let (rest, raw) = raw(cx, input)?;
    Ok((rest, cx.spanned(Operand::Raw(raw), input, rest)))
}

/// `+ SUM`, `- PRODUCT`, or nothing.
fn offset<'a>(cx: &Context, input: &'a str) -> Read<'a, i64> {
    let (rest, plus) = optional_mark(input, "+");
    if plus {
        return angled(cx, rest);
    }
    let (rest, minus) = optional_mark(input, "-");
    if minus {
        let (rest, value) = product(cx, rest)?;
        return Ok((rest, value.wrapping_neg()));
    }
    Ok((input, 0))
}

/// A part and the constant after it.
fn part<'a>(
    cx: &Context,
    input: &'a str,
    read: fn(&Context, &'a str) -> Read<'a, Spanned<Operand>>,
) -> Read<'a, LscPart> {
    let (rest, operand) = read(cx, input)?;
    let (rest, offset) = match operand.node {
        Operand::Number(_) => (rest, 0),
        _ => offset(cx, rest)?,
    };
    Ok((rest, LscPart { operand, offset }))
}

/// Model of an address and the index after its surface.
type Model = (LscModel, u32);

/// `flat`, `flat(…)`, `bti(…)`, `ss(…)`, `bss(…)`, `surf(…)`, `arg`; none means `flat`.
fn model<'a>(cx: &Context, input: &'a str) -> Read<'a, Model> {
    if next_is(input, "[") {
        return Ok((input, (LscModel::Flat, 0)));
    }
    let from = blanks(input);
    let Ok((rest, word)) = variable(from) else {
        return expected(from, "an address, such as `flat[V]:a64`");
    };
    let make: fn(Spanned<Operand>) -> LscModel = match word {
        "flat" if next_is(rest, "(") => LscModel::FlatBase,
        "flat" => return Ok((rest, (LscModel::Flat, 0))),
        "arg" => return Ok((rest, (LscModel::Arg, 0))),
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
    let (rest, _) = mark(rest, "(")?;
    let (rest, surface) = scalar(cx, rest)?;
    let (rest, indexed) = optional_mark(rest, ",");
    let (rest, index) = match indexed {
        true => fitting(cx, rest, "an index after the surface", expression)?,
        false => (rest, 0),
    };
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, (make(surface), index)))
}

/// An address around its parts.
fn address_of((model, index): Model, parts: Vec<LscPart>) -> LscAddress {
    LscAddress {
        model,
        index,
        scale: 1,
        parts,
        block_offset: None,
        bits: 0,
        extend: None,
    }
}

/// `[scale*]`, or nothing.
fn scale<'a>(cx: &Context, input: &'a str) -> (&'a str, u32) {
    match fitting(cx, input, "a scale", primary) {
        Ok((tail, scale)) if next_is(tail, "*") => {
            (blanks(tail).strip_prefix('*').unwrap_or(tail), scale)
        }
        _ => (input, 1),
    }
}

/// `:a16`, `:a32`, `:a64`, `:a32s`, `:a32u`.
fn size(input: &str) -> Read<'_, (u32, Option<Extension>)> {
    let from = blanks(input);
    let bits = [16, 32, 64].into_iter().find_map(|bits: u32| {
        let rest = from.strip_prefix(':')?.strip_prefix('a')?;
        Some((rest.strip_prefix(&bits.to_string())?, bits))
    });
    let Some((rest, bits)) = bits else {
        return expected(
            from,
            "an address size: `:a16`, `:a32`, `:a32s`, `:a32u` or `:a64`",
        );
    };
    let extended = Extension::ALL
        .into_iter()
        .filter(|_| bits == 32)
        .find_map(|(extend, letter)| Some((rest.strip_prefix(letter)?, extend)));
    Ok(match extended {
        Some((rest, extend)) => (rest, (bits, Some(extend))),
        None => (rest, (bits, None)),
    })
}

/// `]:aN`, and the address of lanes that it ends.
fn close(input: &str, scale: u32, model: Model, parts: Vec<LscPart>) -> Read<'_, Operand> {
    let (rest, _) = mark(input, "]")?;
    let (rest, (bits, extend)) = size(rest)?;
    let address = LscAddress {
        scale,
        bits,
        extend,
        ..address_of(model, parts)
    };
    Ok((rest, Operand::LscAddress(Box::new(address))))
}

/// `MODEL[ [scale*]V [±n] ]:aN`; typed memory has up to four parts, u, v, r and the level. How many
/// belong to a message is for the check.
pub(super) fn address<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, model) = model(cx, input)?;
    let (rest, _) = mark(rest, "[")?;
    let (rest, scale) = scale(cx, rest);
    let (mut rest, first) = part(cx, rest, lanes)?;
    let mut parts = vec![first];
    while next_is(rest, ",") && parts.len() < TYPED_PARTS {
        let (tail, _) = mark(rest, ",")?;
        let (tail, next) = part(cx, tail, lanes)?;
        parts.push(next);
        rest = tail;
    }
    close(rest, scale, model, parts)
}

/// `MODEL[ [scale*]V [±n] [, stride] ]:aN`.
pub(super) fn strided_address<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, model) = model(cx, input)?;
    let (rest, _) = mark(rest, "[")?;
    let (rest, scale) = scale(cx, rest);
    let (rest, first) = part(cx, rest, lanes)?;
    let mut parts = vec![first];
    let (mut rest, strided) = optional_mark(rest, ",");
    if strided {
        let (tail, operand) = scalar(cx, rest)?;
        parts.push(LscPart { operand, offset: 0 });
        rest = tail;
    }
    close(rest, scale, model, parts)
}

/// `flat[base,width,height,pitch,x±n,y±n]`; `flat[V+(x,y)]`, the first six in one register; or
/// `bti(0x4)[x±n,y±n]` of a typed block.
pub(super) fn block_address<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, model) = model(cx, input)?;
    let wanted = match model.0 {
        LscModel::Flat => BLOCK_PARTS,
        _ => TYPED_BLOCK_PARTS,
    };
    let (rest, _) = mark(rest, "[")?;
    let (rest, base) = scalar(cx, rest)?;
    if model.0 == LscModel::Flat
        && let (tail, true) = optional_mark(rest, "+")
        && next_is(tail, "(")
    {
        let (rest, _) = mark(tail, "(")?;
        let (rest, x) = fitting(cx, rest, "a column offset", expression)?;
        let (rest, _) = mark(rest, ",")?;
        let (rest, y) = fitting(cx, rest, "a row offset", expression)?;
        let (rest, _) = mark(rest, ")")?;
        let (rest, _) = mark(rest, "]")?;
        let part = LscPart {
            operand: base,
            offset: 0,
        };
        let address = LscAddress {
            block_offset: Some((x, y)),
            ..address_of(model, vec![part])
        };
        return Ok((rest, Operand::LscAddress(Box::new(address))));
    }
    // Only the position, the last two parts, has constants after it.
    let (mut rest, first_offset) = match wanted {
        TYPED_BLOCK_PARTS => offset(cx, rest)?,
        _ => (rest, 0),
    };
    let mut parts = vec![LscPart {
        operand: base,
        offset: first_offset,
    }];
    while parts.len() < wanted {
        if !next_is(rest, ",") {
            let wanted = match wanted {
                TYPED_BLOCK_PARTS => "`,` and the row y",
                _ => "`,` and the rest of base, width, height, pitch, x, y",
            };
            return expected(blanks(rest), wanted);
        }
        let (tail, _) = mark(rest, ",")?;
        let (tail, next) = if parts.len() + TYPED_BLOCK_PARTS < wanted {
            let (tail, operand) = scalar(cx, tail)?;
            (tail, LscPart { operand, offset: 0 })
        } else {
            part(cx, tail, scalar)?
        };
        parts.push(next);
        rest = tail;
    }
    let (rest, _) = mark(rest, "]")?;
    let address = address_of(model, parts);
    Ok((rest, Operand::LscAddress(Box::new(address))))
}

/// `bti(0x4)`, `bti(0x4)[V]`.
pub(super) fn surface<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if !["bti", "ss", "bss", "surf"]
        .iter()
        .any(|m| next_is(input, m))
    {
        return expected(blanks(input), "a surface, such as `bti(0x4)`");
    }
    let (rest, model) = model(cx, input)?;
    let (rest, bracketed) = optional_mark(rest, "[");
    if !bracketed {
        let address = address_of(model, Vec::new());
        return Ok((rest, Operand::LscAddress(Box::new(address))));
    }
    let (rest, operand) = lanes(cx, rest)?;
    let (rest, _) = mark(rest, "]")?;
    let address = address_of(model, vec![LscPart { operand, offset: 0 }]);
    Ok((rest, Operand::LscAddress(Box::new(address))))
}
