//! Registers, regions, types and numbers.

use super::{Word, Wrong, no_register, wrong};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Type;
use crate::sends::line::{Dst, File, GENERAL, MESSAGE, REGISTER, Register, Src};
use crate::source::Span;

/// A type that the operand may leave out.
pub(super) type Operand<T> = (T, Option<Type>);

pub(super) fn first_type<const N: usize>(types: [Option<Type>; N]) -> Type {
    types.into_iter().flatten().next().unwrap_or(Type::F)
}

/// Floats and integers meet only in `mov`; logic takes integers.
pub(super) fn same_kind(span: Span, types: &[Type], integers: bool) -> Result<(), Wrong> {
    let floats = types.iter().filter(|ty| ty.is_float()).count();
    if floats > 0 && (integers || floats < types.len()) {
        let label = if integers {
            "integers only"
        } else {
            "floats and integers meet only in mov"
        };
        return Err(wrong(span, label));
    }
    Ok(())
}

/// Splits `r20<8;8,1>:f` into its register text, region text and type.
pub(super) fn split<'a>(word: Word<'a>) -> Result<(&'a str, Option<&'a str>, Option<Type>), Wrong> {
    let (text, ty) = match word.node.rsplit_once(':') {
        Some((text, name)) => {
            let known = [
                Type::Ud,
                Type::D,
                Type::Uw,
                Type::W,
                Type::Ub,
                Type::B,
                Type::F,
            ];
            let ty = Type::from_name(name).filter(|ty| known.contains(ty));
            let ty = ty.ok_or_else(|| wrong(word.span, "types are ud d uw w ub b f"))?;
            (text, Some(ty))
        }
        None => (word.node, None),
    };
    match text.split_once('<') {
        None => Ok((text, None, ty)),
        Some((register, region)) => match region.strip_suffix('>') {
            Some(region) => Ok((register, Some(region), ty)),
            None => Err(wrong(word.span, "the region does not end with >")),
        },
    }
}

pub(super) fn register(text: &str, span: Span) -> Result<Register, Wrong> {
    let (file, rest, count) = match text.split_at_checked(1) {
        Some(("r", rest)) => (File::General, rest, GENERAL),
        Some(("m", rest)) => (File::Message, rest, MESSAGE),
        _ => return Err(no_register(span, format!("`{text}` is not a register"))),
    };
    let (number, sub) = match rest.split_once('.') {
        Some((number, sub)) => (number, sub),
        None => (rest, "0"),
    };
    let decimal = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse().ok())
    };
    let number = decimal(number).flatten().filter(|&n: &u32| n < count);
    let sub = decimal(sub).flatten().filter(|&n: &u32| n < REGISTER);
    match (number, sub) {
        (Some(number), Some(sub)) => Ok(Register { file, number, sub }),
        _ => Err(no_register(span, "r0 to r127 and m0 to m15 are there")),
    }
}

pub(super) fn destination(word: Word<'_>) -> Result<Operand<Dst>, Wrong> {
    let (text, region, ty) = split(word)?;
    let stride = match region {
        None | Some("1") => 1,
        Some("2") => 2,
        Some("4") => 4,
        Some(_) => {
            return Err(wrong(
                word.span,
                "a destination has the stride <1>, <2> or <4>",
            ));
        }
    };
    let dst = match text {
        "null" => Dst::Null,
        "a0.0" | "a0" => Dst::Address,
        "cr0.0" | "cr0" => Dst::Control,
        text => Dst::Register {
            at: register(text, word.span)?,
            stride,
        },
    };
    let state = matches!(dst, Dst::Address | Dst::Control);
    Ok((dst, ty.or(state.then_some(Type::Ud))))
}

/// A register, or a number that is still text: its type may appear at another operand.
#[derive(Clone, Copy)]
pub(super) enum Unread<'a> {
    Number(&'a str, Span),
    Control(Span),
    Region(Register, (u32, u32, u32), bool, bool, Span, u32),
}

pub(super) fn source(word: Word<'_>, lanes: u32) -> Result<Operand<Unread<'_>>, Wrong> {
    let (text, region, ty) = split(word)?;
    let (negate, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if rest.starts_with(|c: char| c.is_ascii_digit()) && region.is_none() {
        return Ok((Unread::Number(text, word.span), ty));
    }
    let bare = rest.strip_prefix("(abs)").unwrap_or(rest);
    if matches!(bare, "cr0.0" | "cr0") {
        if bare != text || region.is_some() || lanes != 1 {
            return Err(wrong(word.span, "cr0.0 is one element of ud"));
        }
        return Ok((Unread::Control(word.span), ty.or(Some(Type::Ud))));
    }
    let (abs, name) = match rest.strip_prefix("(abs)") {
        Some(name) => (true, name),
        None => (false, rest),
    };
    let at = register(name, word.span)?;
    if at.file == File::Message {
        let refused = Diagnostic::new(Code::E0922)
            .at(word.span, "a source is a general register or a number")
            .see("PRM 2.6.1");
        return Err(Box::new(refused));
    }
    let region = match region {
        Some(text) => region_of(text).ok_or_else(|| {
            let label = "a region is <v;w,h>: v 0 to 32, w 1 to 16, h 0 to 4, powers of two";
            wrong(word.span, label)
        })?,
        None if lanes == 1 => (0, 1, 0),
        None => (lanes.min(8), lanes.min(8), 1),
    };
    if region.1 > lanes {
        return Err(wrong(word.span, "the region is wider than the instruction"));
    }
    Ok((
        Unread::Region(at, region, negate, abs, word.span, lanes),
        ty,
    ))
}

fn region_of(text: &str) -> Option<(u32, u32, u32)> {
    let (v, rest) = text.split_once(';')?;
    let (w, h) = rest.split_once(',')?;
    let read = |text: &str, known: &[u32]| text.parse().ok().filter(|n| known.contains(n));
    Some((
        read(v, &[0, 1, 2, 4, 8, 16, 32])?,
        read(w, &[1, 2, 4, 8, 16])?,
        read(h, &[0, 1, 2, 4])?,
    ))
}

pub(super) fn resolve(operand: Operand<Unread<'_>>, common: Type) -> Result<(Src, Type), Wrong> {
    let ty = operand.1.unwrap_or(common);
    let src = match operand.0 {
        Unread::Number(text, span) => Src::Immediate(
            immediate(text, ty)
                .ok_or_else(|| wrong(span, format!("`{text}` is not a number of type {ty}")))?,
        ),
        Unread::Control(span) if ty != Type::Ud => {
            return Err(wrong(span, "cr0.0 is one element of ud"));
        }
        Unread::Control(_) => Src::Control,
        Unread::Region(at, region, negate, abs, span, lanes) => {
            let (v, w, h) = region;
            let rows = lanes.div_ceil(w);
            let last = at.sub + (rows - 1) * v + (w - 1) * h;
            let end = at.number * REGISTER + (last + 1) * ty.bytes();
            if end > GENERAL * REGISTER {
                return Err(no_register(span, "the region ends past r127"));
            }
            Src::Register {
                at,
                region,
                negate,
                abs,
            }
        }
    };
    Ok((src, ty))
}

/// The bits of a number. Hexadecimal digits of a float are its bits.
fn immediate(text: &str, ty: Type) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    if ty == Type::F {
        return match hex {
            Some(hex) if !negative => u32::from_str_radix(hex, 16).ok().map(u64::from),
            Some(_) => None,
            None => text.parse::<f32>().ok().map(|v| v.to_bits().into()),
        };
    }
    let magnitude = match hex {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    let bits = 8 * ty.bytes();
    let mask = u64::MAX >> (64 - bits);
    if negative {
        let fits = ty.is_signed() && magnitude <= 1 << (bits - 1);
        return fits.then(|| magnitude.wrapping_neg() & mask);
    }
    // Hexadecimal digits may be the bits of a negative number.
    let most = if ty.is_signed() && hex.is_none() {
        mask >> 1
    } else {
        mask
    };
    (magnitude <= most).then_some(magnitude)
}

/// Source: PRM 2.6.1: a region of message registers is contained in a single one.
pub(super) fn fits(span: Span, dst: Dst, ty: Type, lanes: u32) -> Result<(), Wrong> {
    let Dst::Register { at, stride } = dst else {
        return Ok(());
    };
    let bytes = ((lanes - 1) * stride + 1 + at.sub) * ty.bytes();
    match at.file {
        File::Message if bytes > REGISTER => Err(no_register(
            span,
            format!(
                "these end at byte {bytes}: a region of message registers stays in one of {REGISTER}"
            ),
        )),
        File::General if at.number * REGISTER + bytes > GENERAL * REGISTER => {
            Err(no_register(span, "the region ends past r127"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits() {
        for (text, ty, bits) in [
            ("-1", Type::W, Some(0xffff)),
            ("65535", Type::W, None),
            ("0xffff", Type::W, Some(0xffff)),
            ("-32769", Type::W, None),
            ("256", Type::Ub, None),
            ("1.5", Type::F, Some(0x3fc0_0000)),
            ("0x7fc00000", Type::F, Some(0x7fc0_0000)),
            ("1.5", Type::Ud, None),
            ("-1", Type::Ud, None),
        ] {
            assert_eq!(immediate(text, ty), bits, "{text} {ty}");
        }
    }
}
