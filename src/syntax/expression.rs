//! Constant expressions, worked out while reading.
//!
//! From tightest to loosest: unary `-` `~` `!`; `* / %`; `+ -`; `<< >> >>>`; `< <= > >=`; `== !=`;
//! `|`; `^`; `&`; `?:`. Mind the last three: it is the reverse of C, `7|8&4` is `(7|8)&4`.
//! Values are 64-bit and wrap. Source: vISA text reference 1.3.

use super::context::Context;
use super::error::{Read, expected, problem, refuse};
use super::token::{Number, blanks, identifier, mark, number, optional_mark, variable};
use crate::diagnostic::{Code, Diagnostic};

/// The deepest nesting of parentheses and conditions; real text has a handful.
const MAX_DEPTH: usize = 64;

/// How tightly an operator binds; higher is tighter.
type Binding = u8;

/// Tightest first, longer spellings before their beginnings.
const OPERATORS: &[(&str, Binding)] = &[
    (">>>", 7),
    ("<<", 7),
    (">>", 7),
    ("<=", 6),
    (">=", 6),
    ("==", 5),
    ("!=", 5),
    ("*", 9),
    ("/", 9),
    ("%", 9),
    ("+", 8),
    ("-", 8),
    ("<", 6),
    (">", 6),
    ("|", 4),
    ("^", 3),
    ("&", 2),
];

/// The loosest binary operator.
const LOOSEST: Binding = 2;
/// Sums and products only.
const SUM: Binding = 8;
/// Products only.
const PRODUCT: Binding = 9;

/// Reads a whole expression.
pub(super) fn expression<'a>(cx: &Context, input: &'a str) -> Read<'a, i64> {
    conditional(cx, input, 0)
}

/// Reads a sum inside `<…>`, where `>` closes and cannot compare.
pub(super) fn angled<'a>(cx: &Context, input: &'a str) -> Read<'a, i64> {
    binary(cx, input, SUM, 0)
}

/// Reads a product: what a minus sign of an address takes with it.
pub(super) fn product<'a>(cx: &Context, input: &'a str) -> Read<'a, i64> {
    binary(cx, input, PRODUCT, 0)
}

/// Reads a number, a named constant or an expression in parentheses.
pub(super) fn primary<'a>(cx: &Context, input: &'a str) -> Read<'a, i64> {
    atom(cx, input, 0)
}

fn conditional<'a>(cx: &Context, input: &'a str, depth: usize) -> Read<'a, i64> {
    if depth > MAX_DEPTH {
        return refuse(
            blanks(input),
            1,
            problem(
                Code::L0115,
                "expression is nested too deeply",
                format!("more than {MAX_DEPTH} levels"),
            ),
        );
    }
    let (rest, condition) = binary(cx, input, LOOSEST, depth)?;
    let (rest, asks) = optional_mark(rest, "?");
    if !asks {
        return Ok((rest, condition));
    }
    let (rest, then) = conditional(cx, rest, depth + 1)?;
    let (rest, _) = mark(rest, ":")?;
    let (rest, otherwise) = conditional(cx, rest, depth + 1)?;
    Ok((rest, if condition != 0 { then } else { otherwise }))
}

fn operator(input: &str) -> Option<(&str, &'static str, Binding)> {
    let input = blanks(input);
    // Most numbers stand alone.
    if input.starts_with([',', ')', ':', '.']) {
        return None;
    }
    OPERATORS
        .iter()
        .find_map(|&(token, binding)| Some((input.strip_prefix(token)?, token, binding)))
}

fn binary<'a>(cx: &Context, input: &'a str, loosest: Binding, depth: usize) -> Read<'a, i64> {
    let (mut rest, mut left) = unary(cx, input, depth)?;
    while let Some((tail, token, binding)) = operator(rest) {
        if binding < loosest {
            break;
        }
        let (after, right) = binary(cx, tail, binding + 1, depth)?;
        match apply(token, left, right) {
            Some(value) => left = value,
            None => {
                return refuse(
                    blanks(tail),
                    blanks(tail).len() - after.len(),
                    unknown_value("division by zero", "this is 0"),
                );
            }
        }
        rest = after;
    }
    Ok((rest, left))
}

/// `None` for a division by zero.
fn apply(token: &str, a: i64, b: i64) -> Option<i64> {
    Some(match token {
        "*" => a.wrapping_mul(b),
        "/" if b == 0 => return None,
        "/" => a.wrapping_div(b),
        "%" if b == 0 => return None,
        "%" => a.wrapping_rem(b),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        // Shift counts are taken modulo 64, as the reader's host does.
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        ">>>" => (a as u64).wrapping_shr(b as u32) as i64,
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        ">" => i64::from(a > b),
        ">=" => i64::from(a >= b),
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        other => unreachable!("no operator {other}"),
    })
}

fn unary<'a>(cx: &Context, input: &'a str, depth: usize) -> Read<'a, i64> {
    // A loop, not a recursion: a line may hold a megabyte of minus signs.
    let atom_at = input.trim_start_matches([' ', '\t', '-', '~', '!']);
    let (rest, mut value) = atom(cx, atom_at, depth)?;
    for sign in input[..input.len() - atom_at.len()].bytes().rev() {
        value = match sign {
            b'-' => value.wrapping_neg(),
            b'~' => !value,
            b'!' => i64::from(value == 0),
            _ => value,
        };
    }
    Ok((rest, value))
}

fn atom<'a>(cx: &Context, input: &'a str, depth: usize) -> Read<'a, i64> {
    let input = blanks(input);
    if let Some(inner) = input.strip_prefix('(') {
        let (rest, value) = conditional(cx, inner, depth + 1)?;
        let (rest, _) = mark(rest, ")")?;
        return Ok((rest, value));
    }
    if input.starts_with('%') {
        return named(cx, input);
    }
    match number(input) {
        Ok((rest, Number::Decimal { value, wide })) => {
            if wide {
                cx.remark(wraps(cx, input, rest, u64::from(value)));
            }
            Ok((rest, i64::from(value)))
        }
        Ok((rest, Number::Hex(value))) => Ok((rest, value as i64)),
        Ok((_, Number::Float(_))) => expected(input, "an integer"),
        Err(nom::Err::Error(_)) => expected(input, "a number or a constant expression"),
        Err(failure) => Err(failure),
    }
}

/// The remark on a decimal number that lost digits.
pub(super) fn wraps(cx: &Context, from: &str, to: &str, value: u64) -> Diagnostic {
    Diagnostic::new(Code::W0116)
        .at(cx.span(from, to), format!("read as {value:#x}"))
        .note("decimal numbers wrap at 32 bits")
        .help("write a number of more than 32 bits in hexadecimal")
        .see("vISA text reference 1.3")
}

/// `%sizeof(NAME)`, `%sizeof(GRF)`, `%DispatchSimd`. No name with a `%` has a size, as Intel's reader
/// has it.
fn named<'a>(cx: &Context, input: &'a str) -> Read<'a, i64> {
    let (rest, word) = variable(input)?;
    match word {
        "%sizeof" => {
            let (rest, _) = mark(rest, "(")?;
            let from = blanks(rest);
            let (rest, name) = identifier(rest)?;
            let bytes = match name {
                "GRF" => i64::from(cx.grf_bytes),
                _ => match cx.known(name) {
                    Some(known) => i64::try_from(known.bytes).unwrap_or(i64::MAX),
                    None => {
                        return refuse(
                            from,
                            name.len(),
                            unknown_value(
                                "size is not known",
                                format!("`{}` is not declared above", super::token::shorten(name)),
                            )
                            .help("declare the variable before the line that uses its size"),
                        );
                    }
                },
            };
            let (rest, _) = mark(rest, ")")?;
            Ok((rest, bytes))
        }
        "%DispatchSimd" => match cx.dispatch_simd {
            Some(lanes) => Ok((rest, lanes)),
            None => refuse(
                input,
                word.len(),
                unknown_value("dispatch width is not known", "no `SimdSize` above")
                    .help("write `.kernel_attr SimdSize=16` above this line"),
            ),
        },
        _ => refuse(
            input,
            word.len(),
            unknown_value(
                "no such constant",
                "constants are `%sizeof(…)` and `%DispatchSimd`",
            ),
        ),
    }
}

fn unknown_value(title: impl Into<String>, label: impl Into<String>) -> Diagnostic {
    problem(Code::E0109, title, label).see("vISA text reference 1.3")
}

/// Reads a number of few digits with a mark behind it that ends every expression: what nearly all of them are.
fn plain(input: &str) -> Option<(&str, i64)> {
    const MOST_DIGITS: usize = 9;
    let digits = input.bytes().take(MOST_DIGITS + 1);
    let digits = digits.take_while(u8::is_ascii_digit).count();
    let ends = matches!(
        input.as_bytes().get(digits),
        Some(b',' | b')' | b';' | b']')
    );
    if !ends || !(1..=MOST_DIGITS).contains(&digits) {
        return None;
    }
    let (number, rest) = input.split_at(digits);
    let value = number
        .bytes()
        .fold(0, |value, b| 10 * value + i64::from(b - b'0'));
    Some((rest, value))
}

/// Reads an expression whose value must fit `T`; `what` names it.
pub(super) fn fitting<'a, T: TryFrom<i64>>(
    cx: &Context,
    input: &'a str,
    what: &str,
    read: impl Fn(&Context, &'a str) -> Read<'a, i64>,
) -> Read<'a, T> {
    let from = blanks(input);
    let (rest, value) = match plain(from) {
        Some(read) => read,
        None => read(cx, from)?,
    };
    match T::try_from(value) {
        Ok(value) => Ok((rest, value)),
        Err(_) => refuse(
            from,
            from.len() - rest.len(),
            problem(
                Code::E0108,
                "number is out of range",
                format!("{value} cannot be {what}"),
            )
            .see("vISA text reference 1.3"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::{Class, Known};
    use super::*;

    fn value(text: &str) -> i64 {
        let mut cx = Context::new(32);
        cx.dispatch_simd = Some(16);
        cx.declare(
            "A",
            Known {
                class: Class::General,
                bytes: 64,
            },
        );
        let (rest, value) = expression(&cx, text).unwrap();
        assert_eq!(rest, "", "{text}");
        value
    }

    #[test]
    fn operators_bind_as_the_reference_says() {
        assert_eq!(value("1 + 2*3"), 7);
        assert_eq!(value("7|8&4"), 4);
        assert_eq!(value("6 ^ 3 & 4"), 4);
        assert_eq!(value("1 << 2 + 1"), 8);
        assert_eq!(value("10 - 2 - 3"), 5);
        assert_eq!(value("7 > 3 ? 11 : 22"), 11);
        assert_eq!(value("1 == 2 ? 3 : 0 ? 4 : 5"), 5);
        assert_eq!(value("-1 >>> 60"), 15);
        assert_eq!(value("-16 >> 2"), -4);
        assert_eq!(value("!~-1"), 1);
        assert_eq!(value("-7 / 2"), -3);
        assert_eq!(value("-7 % 4"), -3);
        assert_eq!(
            value("%sizeof(A) / 2 + %sizeof(GRF) * %DispatchSimd"),
            32 + 32 * 16
        );
        assert_eq!(value("%sizeof(V7)"), 32);
        assert_eq!(value("0x8000000000000000 / -1"), i64::MIN);
    }

    #[test]
    fn plain_numbers_are_read_as_expressions_are() {
        let cx = Context::new(32);
        for text in ["0,0)", "12)", "007;1", "999999999]", "3, 4"] {
            assert_eq!(plain(text), expression(&cx, text).ok(), "{text}");
            assert_eq!(plain(text), angled(&cx, text).ok(), "{text}");
        }
        for text in [
            "",
            ",",
            "12",
            "1234567890)",
            "1+2)",
            "0x1)",
            "5>",
            "1.5,",
            "-1)",
            "4 )",
            "(1)",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_expressions_are_refused_calmly() {
        let cx = Context::new(32);
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(expression(&cx, &deep).is_err());
        assert!(expression(&cx, &"1?".repeat(100_000)).is_err());
        assert_eq!(
            expression(&cx, &format!("{}1", "-".repeat(1_000_001)))
                .unwrap()
                .1,
            -1
        );
        assert_eq!(
            expression(&cx, &format!("0{}", "+1".repeat(100_000)))
                .unwrap()
                .1,
            100_000
        );
        assert!(expression(&cx, "1/0").is_err());
        assert!(expression(&cx, "%sizeof(B)").is_err());
    }
}
