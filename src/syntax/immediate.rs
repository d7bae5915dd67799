//! Immediates: `value:type`, and the bits that are kept of it. Source: vISA text reference 1.4.

use super::ast::Immediate;
use super::context::Context;
use super::error::{Read, expected, problem, refuse};
use super::expression::{expression, wraps};
use super::token::{Number, blanks, mark, number, optional_mark, type_suffix};
use crate::diagnostic::Code;
use crate::isa::Type;

/// `value:type`. Source: vISA text reference 1.4.
pub(super) fn immediate<'a>(cx: &Context, input: &'a str) -> Read<'a, Immediate> {
    let from = blanks(input);
    if let Some(inner) = from.strip_prefix('(') {
        let (rest, value) = expression(cx, inner)?;
        let (rest, _) = mark(rest, ")")?;
        let (rest, ty) = type_suffix(rest)?;
        if matches!(ty, Type::F | Type::Df | Type::Hf) {
            let length = from.len() - rest.len();
            return raw_bits_only(from, length, ty, "an expression is an integer");
        }
        return stored(cx, from, rest, value as u64, ty, false);
    }
    let (at, negative) = optional_mark(from, "-");
    let at = blanks(at);
    let (rest, number) = match number(at) {
        Err(nom::Err::Error(_)) => return expected(at, "an immediate, such as `0x1:ud`"),
        read => read?,
    };
    let hexadecimal = matches!(number, Number::Hex(_));
    let value = match number {
        Number::Float(digits) => {
            // The sign belongs to the literal, and so does the type: no blanks inside.
            let whole = &from[..from.len() - rest.len()];
            return float(from, whole, digits, negative, rest);
        }
        Number::Hex(value) => value,
        Number::Decimal { value, wide } => {
            if wide {
                cx.remark(wraps(cx, at, rest, u64::from(value)));
            }
            u64::from(value)
        }
    };
    let (rest, ty) = type_suffix(rest)?;
    if ty == Type::Hf && (negative || !hexadecimal) {
        let why = if negative {
            "a sign in front of raw bits"
        } else {
            "a decimal number"
        };
        return raw_bits_only(from, from.len() - rest.len(), ty, why);
    }
    stored(cx, from, rest, value, ty, negative)
}

/// Refuses a form that says nothing in front of a float type.
fn raw_bits_only<'a, T>(from: &'a str, length: usize, ty: Type, why: &str) -> Read<'a, T> {
    let (note, help) = match ty {
        Type::Hf => (
            "an immediate in front of `:hf` is the raw bits in hexadecimal, at most 0xffff",
            "one is written `0x3c00:hf`, minus one `0xbc00:hf`",
        ),
        _ => (
            "before `:f` and `:df` write a decimal float, or the raw bits as a plain number",
            "one is written `1.0:f` or `0x3f800000:f`",
        ),
    };
    refuse(
        from,
        length,
        problem(
            Code::E0101,
            format!("this form does not go with `:{ty}`"),
            why.to_owned(),
        )
        .note(note)
        .help(help)
        .see("vISA text reference 1.3 and 1.4"),
    )
}

/// The bits kept for an integer in front of `:ty`: of float types they are the raw bits and a minus
/// flips the sign bit; of types up to 32 bits the low 32 are kept, not masked further.
fn stored<'a>(
    cx: &Context,
    from: &'a str,
    rest: &'a str,
    value: u64,
    ty: Type,
    negative: bool,
) -> Read<'a, Immediate> {
    let bits = match ty {
        Type::F if negative => value ^ 1 << 31,
        Type::Df if negative => value ^ 1 << 63,
        _ if negative => value.wrapping_neg(),
        _ => value,
    };
    let length = from.len() - rest.len();
    if ty == Type::Hf && bits > 0xffff {
        return refuse(
            from,
            length,
            problem(
                Code::E0108,
                "half-precision bits are too wide",
                format!("{bits:#x} has more than 16 bits"),
            )
            .note("an immediate in front of `:hf` is the raw bits, at most 0xffff")
            .help("one is written `0x3c00:hf`")
            .see("vISA text reference 1.4"),
        );
    }
    if ty.bytes() == 8 {
        return Ok((rest, Immediate { bits, ty }));
    }
    let kept = bits & 0xffff_ffff;
    // Sign bits above the 32 kept say nothing that is lost.
    if kept != bits && bits as i64 != i64::from(kept as i32) {
        cx.remark(
            crate::diagnostic::Diagnostic::new(Code::W0116)
                .at(cx.span(from, rest), format!("read as {kept:#x}:{ty}"))
                .note(format!("immediates of type `{ty}` keep 32 bits"))
                .see("vISA text reference 1.4"),
        );
    }
    let taken = Immediate { bits: kept, ty }.value_bits();
    if let Some(signs) = signs(taken, ty)
        && kept != taken
        && kept != signs
    {
        cx.remark(
            crate::diagnostic::Diagnostic::new(Code::W0116)
                .at(cx.span(from, rest), format!("taken as {taken:#x}:{ty}"))
                .note(format!("type `{ty}` has {} bits", 8 * ty.bytes()))
                .see("vISA text reference 1.4"),
        );
    }
    Ok((rest, Immediate { bits: kept, ty }))
}

/// The 32 bits of a narrow integer with its highest bit as a sign; `None` of other types.
fn signs(value: u64, ty: Type) -> Option<u64> {
    let bits = match ty {
        Type::W | Type::Uw => i32::from(value as u16 as i16),
        Type::B | Type::Ub => i32::from(value as u8 as i8),
        _ => return None,
    };
    Some(u64::from(bits.cast_unsigned()))
}

/// A decimal float: the bits of the nearest number of its type.
fn float<'a>(
    from: &'a str,
    whole: &str,
    digits: &str,
    negative: bool,
    rest: &'a str,
) -> Read<'a, Immediate> {
    let tidy = !whole.contains([' ', '\t']) && rest.starts_with(':');
    if !tidy {
        let wanted = "a type directly after a decimal float, as in `-1.5:f`, without blanks";
        return if rest.starts_with(':') {
            expected(from, wanted)
        } else {
            expected(rest, wanted)
        };
    }
    let (after, ty) = type_suffix(rest)?;
    let length = from.len() - after.len();
    let sign = |bit: u32| u64::from(negative) << bit;
    let bits = match ty {
        Type::F => digits
            .parse::<f32>()
            .ok()
            .filter(|v| v.is_finite())
            .map(|v| u64::from(v.to_bits()) | sign(31)),
        Type::Df => digits
            .parse::<f64>()
            .ok()
            .filter(|v| v.is_finite())
            .map(|v| v.to_bits() | sign(63)),
        Type::Hf => {
            let half = half::f16::from_f64(digits.parse().unwrap_or(f64::INFINITY));
            let bits = u64::from(half.to_bits()) | sign(15);
            return refuse(
                from,
                length,
                problem(
                    Code::E0101,
                    "half-precision numbers have no decimal form",
                    "not readable",
                )
                .note("an immediate in front of `:hf` is the raw bits, at most 0xffff")
                .help(format!("write `{bits:#x}:hf`"))
                .see("vISA text reference 1.4"),
            );
        }
        _ => {
            return refuse(
                from,
                length,
                problem(
                    Code::E0101,
                    "decimal float in front of an integer type",
                    format!("`:{ty}` requires an integer"),
                )
                .help("write `:f` or `:df` after a number with a point or an exponent")
                .see("vISA text reference 1.4"),
            );
        }
    };
    match bits {
        Some(bits) => Ok((after, Immediate { bits, ty })),
        None => refuse(from, length, super::token::too_large(digits)),
    }
}
