//! Words, numbers and strings: what a line is made of.
//!
//! Every reader skips the blanks in front of its token, so operands may appear with or without blanks
//! between them. Source: vISA text reference 1.2, 1.3, 1.5, 1.6.

use super::error::{Read, expected, problem, refuse};
use crate::diagnostic::{Code, nearest};
use crate::isa::{AvsControl, AvsMode, Opcode, Type};
use nom::Parser;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::satisfy;
use nom::combinator::recognize;

/// The line after its leading blanks.
pub(super) fn blanks(input: &str) -> &str {
    input.trim_start_matches([' ', '\t'])
}

/// Whether the next token begins with `token`.
pub(super) fn next_is(input: &str, token: &str) -> bool {
    blanks(input).starts_with(token)
}

/// Reads a fixed mark such as `(`.
pub(super) fn mark<'a>(input: &'a str, token: &'static str) -> Read<'a, &'a str> {
    let input = blanks(input);
    match input.strip_prefix(token) {
        Some(rest) => Ok((rest, &input[..token.len()])),
        None => expected(input, format!("`{token}`")),
    }
}

/// Reads a fixed mark if it is there.
pub(super) fn optional_mark<'a>(input: &'a str, token: &str) -> (&'a str, bool) {
    match blanks(input).strip_prefix(token) {
        Some(rest) => (rest, true),
        None => (input, false),
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `[A-Za-z_][A-Za-z0-9_]*`.
pub(super) fn identifier(input: &str) -> Read<'_, &str> {
    let input = blanks(input);
    if !input.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return expected(input, "a name");
    }
    take_while1(is_word).parse(input)
}

/// A variable: an identifier, or a built-in with `%`.
pub(super) fn variable(input: &str) -> Read<'_, &str> {
    let input = blanks(input);
    let Some(tail) = input.strip_prefix('%') else {
        return match identifier(input) {
            Ok(read) => Ok(read),
            Err(_) => expected(input, "a variable"),
        };
    };
    if !tail.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return expected(tail, "the name of a built-in variable");
    }
    recognize((tag("%"), take_while1(is_word))).parse(input)
}

/// The word directly after a dot: `.word`. The dot may have blanks in front, not after.
pub(super) fn dotted(input: &str) -> Option<(&str, &str)> {
    let tail = blanks(input).strip_prefix('.')?;
    let length = tail.find(|c: char| !is_word(c)).unwrap_or(tail.len());
    (length > 0).then(|| (&tail[length..], &tail[..length]))
}

/// The characters of a label at the start of a line: `[A-Za-z_$@?][A-Za-z0-9_$@?-]*`.
pub(super) fn label_text(input: &str) -> Read<'_, &str> {
    recognize((
        satisfy(|c| c.is_ascii_alphabetic() || "_$@?".contains(c)),
        take_while(|c: char| c.is_ascii_alphanumeric() || "_$@?-".contains(c)),
    ))
    .parse(input)
}

/// Whether `name` can be written bare: an identifier that is not a reserved word.
pub(super) fn is_bare_name(name: &str) -> bool {
    matches!(identifier(name), Ok(("", word)) if word.len() == name.len()) && !is_reserved(name)
}

/// Whether `word` cannot name a variable. Source: vISA text reference 1.2.
pub(super) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "FILE" | "LOC" | "flat" | "bti" | "bss" | "ss" | "arg" | "asin" | "acos" | "atan"
    ) // The installed tools let later mnemonics name variables, so we do too.
        || Opcode::from_mnemonic(word).is_some_and(|opcode| !opcode.is_later())
        || AvsControl::from_name(word).is_some()
        || AvsMode::from_name(word).is_some()
}

/// An unsigned number as written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number<'a> {
    /// Decimal, with 32-bit wrap-around; `wide` if digits were lost.
    Decimal { value: u32, wide: bool },
    /// Hexadecimal of up to 16 digits.
    Hex(u64),
    /// Decimal with a point or an exponent.
    Float(&'a str),
}

/// Reads any number.
pub(super) fn number(input: &str) -> Read<'_, Number<'_>> {
    let input = blanks(input);
    if let Some(digits) = input.strip_prefix("0x").or(input.strip_prefix("0X")) {
        let length = run(digits, |b| b.is_ascii_hexdigit());
        let rest = &digits[length..];
        return match u64::from_str_radix(&digits[..length], 16) {
            Ok(value) if length <= 16 => Ok((rest, Number::Hex(value))),
            _ if length == 0 => expected(digits, "hexadecimal digits"),
            _ => refuse(
                input,
                length + 2,
                problem(
                    Code::E0108,
                    "number has too many digits",
                    format!("{length} hexadecimal digits"),
                )
                .note("a hexadecimal number has up to 16 digits, 64 bits")
                .see("vISA text reference 1.3"),
            ),
        };
    }
    let length = run(input, |b| b.is_ascii_digit());
    if length == 0 {
        return expected(input, "a number");
    }
    let float = float_length(input, length);
    if float > 0 {
        return Ok((&input[float..], Number::Float(&input[..float])));
    }
    let (mut value, mut wide) = (0u32, false);
    for digit in input[..length].bytes().map(|b| u32::from(b - b'0')) {
        wide |= value
            .checked_mul(10)
            .and_then(|v| v.checked_add(digit))
            .is_none();
        value = value.wrapping_mul(10).wrapping_add(digit);
    }
    Ok((&input[length..], Number::Decimal { value, wide }))
}

/// Bytes of the float that starts with `integer` digits, 0 if it is none: `1.5`, `1.5e-3`, `1e+5`.
/// Digits are needed on both sides of the point, and an exponent needs its sign.
fn float_length(input: &str, integer: usize) -> usize {
    let fraction = match input[integer..].strip_prefix('.') {
        Some(tail) => run(tail, |b| b.is_ascii_digit()),
        None => 0,
    };
    let mantissa = if fraction > 0 {
        integer + 1 + fraction
    } else {
        integer
    };
    let exponent = match &input.as_bytes()[mantissa..] {
        [b'e' | b'E', b'+' | b'-', rest @ ..] => {
            rest.iter().take_while(|b| b.is_ascii_digit()).count()
        }
        _ => 0,
    };
    match (fraction, exponent) {
        (0, 0) => 0,
        (_, 0) => mantissa,
        _ => mantissa + 2 + exponent,
    }
}

fn run(input: &str, belongs: impl Fn(u8) -> bool) -> usize {
    input.bytes().take_while(|&b| belongs(b)).count()
}

/// Reads a plain decimal number that must fit `T`; `what` names it.
pub(super) fn decimal<'a, T: TryFrom<u64>>(input: &'a str, what: &'static str) -> Read<'a, T> {
    let input = blanks(input);
    let length = run(input, |b| b.is_ascii_digit());
    if length == 0 || input.starts_with("0x") || input.starts_with("0X") {
        return expected(input, what);
    }
    let value = input[..length]
        .parse::<u64>()
        .ok()
        .and_then(|v| T::try_from(v).ok());
    match value {
        Some(value) => Ok((&input[length..], value)),
        None => refuse(input, length, too_large(&input[..length])),
    }
}

/// The diagnostic for a number that fits no field of the instruction set.
pub(super) fn too_large(digits: &str) -> crate::diagnostic::Diagnostic {
    // A number can be as long as the file: say its size, not its digits.
    let shown = if digits.len() > 24 {
        format!("a number of {} digits", digits.len())
    } else {
        digits.to_owned()
    };
    problem(
        Code::E0108,
        "number is too large",
        format!("{shown} does not fit here"),
    )
    .see("vISA text reference 1.3")
}

/// Reads `:type`; the colon and the name are one token.
pub(super) fn type_suffix(input: &str) -> Read<'_, Type> {
    let input = blanks(input);
    match input.strip_prefix(':') {
        Some(rest) => type_name(rest),
        None => expected(input, "`:` and a type, such as `:ud`"),
    }
}

/// Data types of current sources that have no values here. Source: vISA text reference, section 0.
const LATER_TYPES: &[&str] = &["bf", "tf32", "hf8", "bf8", "e2m1"];

/// Reads a type name in either case.
pub(super) fn type_name(input: &str) -> Read<'_, Type> {
    let length = run(input, |b| b.is_ascii_alphanumeric() || b == b'_');
    let word = &input[..length];
    if length == 0 {
        return expected(input, "a type, such as `ud`");
    }
    if let Some(ty) = Type::from_name(word) {
        return Ok((&input[length..], ty));
    }
    if LATER_TYPES.iter().any(|t| t.eq_ignore_ascii_case(word)) {
        return refuse(
            input,
            length,
            problem(
                Code::N0114,
                "data type is not modelled",
                format!("`{word}` is a type of later hardware"),
            )
            .see("vISA text reference 0"),
        );
    }
    let names: Vec<String> = Type::ALL.iter().map(|(_, n)| format!("`{n}`")).collect();
    let mut diagnostic = problem(
        Code::E0104,
        "unknown data type",
        format!("`{}` is not a type name", shorten(word)),
    )
    .note(format!("types are {}", super::error::either(&names)))
    .see("vISA text reference 1.4");
    let meant = match word {
        "i32" | "int" | "s32" => Some("d"),
        "u32" | "uint" => Some("ud"),
        "i16" | "short" => Some("w"),
        "u16" | "ushort" => Some("uw"),
        "i8" | "char" => Some("b"),
        "u8" | "uchar" => Some("ub"),
        "i64" | "long" => Some("q"),
        "u64" | "ulong" => Some("uq"),
        "f32" | "float" => Some("f"),
        "f16" | "half" => Some("hf"),
        "f64" | "double" => Some("df"),
        _ => nearest(word, Type::ALL.iter().map(|(_, n)| *n)),
    };
    if let Some(meant) = meant {
        diagnostic = diagnostic.help(format!("write `{meant}`"));
    }
    refuse(input, length, diagnostic)
}

/// A word short enough to appear in a message.
pub(super) fn shorten(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((cut, _)) => format!("{}…", &word[..cut]),
        None => word.to_owned(),
    }
}

/// The longest string, in characters. Source: vISA text reference 1.5.
pub(super) const MAX_STRING: usize = 4096;

/// Reads a quoted string and resolves its escapes; `\x80` and above stand for the characters
/// U+0080 to U+00FF.
pub(super) fn string(input: &str) -> Read<'_, String> {
    let input = blanks(input);
    let Some(body) = input.strip_prefix('"') else {
        return expected(input, "quoted text");
    };
    let mut text = String::new();
    let mut characters = body.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => {
                if text.chars().count() > MAX_STRING {
                    break;
                }
                return Ok((&body[at + 1..], text));
            }
            '\\' => {
                let Some((_, escape)) = characters.next() else {
                    break;
                };
                let radix = match escape {
                    'x' => 16,
                    '0'..='7' => 8,
                    other => {
                        text.push(match other {
                            'a' => '\x07',
                            'b' => '\x08',
                            'e' => '\x1b',
                            'f' => '\x0c',
                            'n' => '\n',
                            'r' => '\r',
                            't' => '\t',
                            'v' => '\x0b',
                            '\'' | '"' | '?' | '\\' => other,
                            _ => {
                                return refuse(
                                    &body[at..],
                                    1 + other.len_utf8(),
                                    problem(
                                        Code::E0105,
                                        "unknown escape in quoted text",
                                        "not an escape",
                                    )
                                    .note("escapes are \\a \\b \\e \\f \\n \\r \\t \\v \\' \\\" \\? \\\\, \\1 to \\377 in octal and \\xhh")
                                    .help("write `\\\\` for a backslash")
                                    .see("vISA text reference 1.5"),
                                );
                            }
                        });
                        continue;
                    }
                };
                let mut value = escape.to_digit(8).unwrap_or(0);
                // Two digits of `\xhh`; two more after the first of an octal escape.
                let mut digits = 2;
                while digits > 0 {
                    let Some(digit) = characters.peek().and_then(|(_, c)| c.to_digit(radix)) else {
                        break;
                    };
                    value = value * radix + digit;
                    characters.next();
                    digits -= 1;
                }
                // Three octal digits reach 0777; one byte is meant.
                text.push(char::from((value & 0xff) as u8));
            }
            other => text.push(other),
        }
    }
    let (label, help) = if text.chars().count() > MAX_STRING {
        ("longer than 4096 characters", "shorten the text")
    } else {
        ("no closing quote on this line", "close it with `\"`")
    };
    refuse(
        input,
        1,
        problem(Code::E0105, "quoted text is not closed", label)
            .note("a string ends on the line on which it starts and has at most 4096 characters")
            .help(help)
            .see("vISA text reference 1.5"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_the_reference_says() {
        assert!(matches!(
            number("99999999999 "),
            Ok((
                " ",
                Number::Decimal {
                    value: 0x4876_e7ff,
                    wide: true
                }
            ))
        ));
        assert!(matches!(number("0X1f:ud"), Ok((":ud", Number::Hex(31)))));
        assert!(matches!(
            number("1.5e-3:f"),
            Ok((":f", Number::Float("1.5e-3")))
        ));
        assert!(matches!(
            number("1e+5:f"),
            Ok((":f", Number::Float("1e+5")))
        ));
        // Without a sign the exponent is not an exponent.
        assert!(matches!(
            number("1e5"),
            Ok(("e5", Number::Decimal { value: 1, .. }))
        ));
        assert!(number("0x11112222333344445").is_err());
        assert!(matches!(decimal::<u8>("255 x", "n"), Ok((" x", 255))));
        assert!(decimal::<u8>("256", "n").is_err());
    }

    #[test]
    fn strings_resolve_escapes() {
        assert_eq!(
            string(r#""a\n\x41\101\"" z"#).unwrap(),
            (" z", "a\nAA\"".to_owned())
        );
        assert!(string("\"abc").is_err());
        assert!(string(&format!("\"{}\"", "x".repeat(4097))).is_err());
        assert!(string(&format!("\"{}\"", "x".repeat(4096))).is_ok());
    }
}
