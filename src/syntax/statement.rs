//! Statements: which kind a line is, and the frame of an instruction.
//!
//! `[PREDICATE] MNEMONIC[.SUFFIX…] [EXECUTION] operand operand …`
//! Source: vISA text reference 4.1 to 4.3.

use super::ast::{Instruction, LscFunction, Predicate, PredicateGroup, Raw, Statement, Suffix};
use super::context::Context;
use super::error::{Expected, Read, expected, problem, refuse};
use super::operand::operands;
use super::suffix::suffixes;
use super::token::{
    blanks, decimal, dotted, identifier, label_text, mark, next_is, optional_mark, shorten,
};
use super::{directive, operand};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::isa::{Exec, ExecUse, OPCODES, OpInfo, Opcode};
use crate::source::{Span, Spanned};
use nom::Parser;
use nom::combinator::{cut, eof};

/// Reads the statement of a line that is not blank.
pub(super) fn statement<'a>(cx: &mut Context, line: &'a str) -> Read<'a, Spanned<Statement>> {
    let from = blanks(line);
    if from.starts_with('\u{feff}') {
        return refuse(
            from,
            '\u{feff}'.len_utf8(),
            problem(
                Code::E0101,
                "byte order mark in front of the text",
                "an invisible character, U+FEFF",
            )
            .note("vISA text is plain ASCII outside of comments and quoted text")
            .help("save the file as UTF-8 without a byte order mark")
            .see("vISA text reference 1.1"),
        );
    }
    let (rest, statement) = if from.starts_with('.') {
        directive::directive(cx, from)?
    } else if let Some(rest) = from.strip_prefix('{') {
        cx.open_scope();
        (rest, Statement::OpenScope)
    } else if let Some(rest) = from.strip_prefix('}') {
        cx.close_scope();
        (rest, Statement::CloseScope)
    } else if let Ok((rest, name)) = label_text(from)
        && rest.starts_with(':')
    {
        return label(cx, line, name);
    } else {
        let (rest, instruction) = instruction(cx, from)?;
        (rest, Statement::Instruction(instruction))
    };
    end_of_line(rest)?;
    Ok((rest, cx.spanned(statement, from, rest)))
}

/// Nothing but blanks may follow.
fn end_of_line(rest: &str) -> Read<'_, ()> {
    let tail = blanks(rest);
    let end: nom::IResult<&str, &str, nom::error::Error<&str>> = eof.parse(tail);
    if end.is_ok() {
        return Ok((tail, ()));
    }
    if let Ok((_, word)) = identifier(tail)
        && Opcode::from_mnemonic(word).is_some()
    {
        return refuse(
            tail,
            word.len(),
            problem(
                Code::E0101,
                "second statement on a line",
                "a statement ends with its line",
            )
            .note("there is no separator between statements: write one per line")
            .help(format!("start a new line before `{word}`"))
            .see("vISA text reference 1.1"),
        );
    }
    expected(tail, "the end of the line")
}

/// `name:` in column 0, alone on its line.
fn label<'a>(cx: &Context, line: &'a str, name: &str) -> Read<'a, Spanned<Statement>> {
    let from = blanks(line);
    let rest = &from[name.len() + 1..];
    let see = "vISA text reference 1.2";
    if !blanks(rest).is_empty() {
        return refuse(
            blanks(rest),
            blanks(rest).len(),
            problem(
                Code::E0111,
                "label shares its line",
                format!("`{}:` is before it", shorten(name)),
            )
            .note("a label must be alone on its line")
            .help("put the instruction on the next line")
            .see(see),
        );
    }
    if from.len() < line.len() {
        return refuse(
            from,
            name.len() + 1,
            problem(Code::E0111, "label is indented", "blanks in front")
                .note("a label starts in the first column of its line")
                .help(format!(
                    "write `{}:` at the start of the line",
                    shorten(name)
                ))
                .see(see),
        );
    }
    let name = cx.spanned(name.to_owned(), from, &from[name.len()..]);
    Ok((rest, cx.spanned(Statement::Label(name), from, rest)))
}

fn instruction<'a>(cx: &Context, input: &'a str) -> Read<'a, Instruction> {
    // A predicate is read in front of any mnemonic; whether it may appear there is for the check.
    let (rest, predicate) = if input.starts_with('(') {
        let (rest, predicate) = predicate(input)?;
        (rest, Some(cx.spanned(predicate, input, rest)))
    } else {
        (input, None)
    };
    let from = blanks(rest);
    let (rest, opcode) = mnemonic(cx, from)?;
    let opcode = cx.spanned(opcode, from, rest);
    // From here on the line is this instruction, and what is wrong with it is said of it.
    let (rest, body) = cut(|input| body(cx, opcode.info(), input))
        .parse(rest)
        .map_err(|error| {
            error.map(|error| Expected {
                opcode: Some(opcode.node),
                ..error
            })
        })?;
    Ok((
        rest,
        Instruction {
            opcode,
            predicate,
            suffixes: body.suffixes,
            exec: body.exec,
            operands: body.operands,
            paired: body.paired,
        },
    ))
}

/// What follows a mnemonic.
struct Body {
    suffixes: Vec<Spanned<Suffix>>,
    exec: Option<Spanned<Exec>>,
    operands: operand::Operands,
    paired: Option<Spanned<Raw>>,
}

fn body<'a>(cx: &Context, row: &OpInfo, input: &'a str) -> Read<'a, Body> {
    let (rest, suffixes) = suffixes(cx, row, input)?;
    // A typed 2D block has no lanes: Intel's printer writes no execution part.
    let block = matches!(row.opcode, Opcode::LscLoadBlock2d | Opcode::LscStoreBlock2d);
    let typed = |s: &Spanned<Suffix>| s.node == Suffix::LscFunction(LscFunction::Tgm);
    let form = match block && !next_is(rest, "(") && suffixes.iter().any(typed) {
        true => ExecUse::None,
        false => row.exec,
    };
    let (rest, exec) = execution(cx, form, rest)?;
    let (rest, (operands, paired)) = operands(cx, row, rest)?;
    Ok((
        rest,
        Body {
            suffixes,
            exec,
            operands,
            paired,
        },
    ))
}

/// `(!P1.any)`.
fn predicate(input: &str) -> Read<'_, Predicate> {
    let (rest, _) = mark(input, "(")?;
    let (rest, inverted) = optional_mark(rest, "!");
    let (rest, name) = match identifier(rest) {
        Ok(read) => read,
        Err(_) => return expected(blanks(rest), "a predicate"),
    };
    let (rest, group) = match dotted(rest) {
        Some((tail, "any")) => (tail, Some(PredicateGroup::Any)),
        Some((tail, "all")) => (tail, Some(PredicateGroup::All)),
        _ if next_is(rest, ".") => return expected(blanks(rest), "`.any`, `.all` or `)`"),
        _ => (rest, None),
    };
    let (rest, _) = mark(rest, ")")?;
    Ok((
        rest,
        Predicate {
            var: name.to_owned(),
            inverted,
            group,
        },
    ))
}

/// Mnemonics that have a binary form and no documented text.
/// Source: vISA text reference, section 0 and 5.13.
const WITHOUT_TEXT: &[&str] = &["lsc_extended_cache_ctrl", "vme_idm", "rt_read", "va", "hdc"];

/// Mnemonics as the text forms of the pages print them. Source: vISA MEDIA_LD, 3D_LOAD, AVS, "Text".
const OF_THE_PAGES: [&str; 6] = [
    "MEDIA_LD",
    "LOAD_3D",
    "LOAD_LZ",
    "LOAD_2DMS_W",
    "LOAD_MCS",
    "AVS",
];

/// Reads a mnemonic; some have a dot in them.
fn mnemonic<'a>(cx: &Context, input: &'a str) -> Read<'a, Opcode> {
    let Ok((rest, word)) = identifier(input) else {
        return expected(input, "an instruction, a label or a directive");
    };
    // `add3.o` is one word, `add3.sat` is two.
    if let Some(tail) = rest.strip_prefix('.') {
        let length = tail
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(tail.len());
        let whole = &input[..word.len() + 1 + length];
        if let Some(opcode) = Opcode::from_mnemonic(whole) {
            return Ok((&input[whole.len()..], opcode));
        }
    }
    if let Some(opcode) = Opcode::from_mnemonic(word) {
        return Ok((rest, opcode));
    }
    if OF_THE_PAGES.contains(&word)
        && let Some(opcode) = Opcode::from_mnemonic(&word.to_ascii_lowercase())
    {
        cx.remark(as_the_page(cx.span(input, rest), opcode.info().mnemonic));
        return Ok((rest, opcode));
    }
    refuse(input, word.len(), unknown(word))
}

/// Says that a word is that of a page, and how assemblers want it.
pub(super) fn as_the_page(at: Span, written: &str) -> Diagnostic {
    Diagnostic::new(Code::W0119)
        .at(at, format!("assemblers read `{written}`"))
        .help(format!("write `{written}`"))
        .paste(written)
        .see("vISA text reference 5")
}

fn unknown(word: &str) -> Diagnostic {
    if WITHOUT_TEXT.contains(&word) {
        return problem(
            Code::N0114,
            "instruction is not modelled",
            format!("`{}` has no text form in the reference", shorten(word)),
        )
        .note("it has an encoding, but no text form is documented")
        .see("vISA text reference 0 and 5.13");
    }
    let diagnostic = problem(
        Code::E0102,
        "unknown instruction",
        format!("unknown mnemonic `{}`", shorten(word)),
    )
    .see("vISA text reference 5");
    let lower = word.to_ascii_lowercase();
    if lower != word && Opcode::from_mnemonic(&lower).is_some() {
        return diagnostic
            .note("mnemonics are lower case only")
            .help(format!("write `{lower}`"))
            .paste(lower);
    }
    // The pages name the operations of 3D_LOAD otherwise than its text does.
    if let Some((_, written)) = OPERATIONS.iter().find(|(page, _)| *page == lower) {
        return diagnostic
            .note(format!(
                "`{}` is the operation; in text it is `{written}`",
                shorten(word)
            ))
            .help(format!("write `{written}`"))
            .paste(*written)
            .see("vISA 3D_LOAD, \"Op\" and \"Text\"");
    }
    match nearest(word, OPCODES.iter().map(|row| row.mnemonic)) {
        Some(meant) => diagnostic
            .help(format!("did you mean `{meant}`?"))
            .paste(meant),
        None => diagnostic,
    }
}

/// The operations of the page 3D_LOAD and the mnemonics of its text.
const OPERATIONS: [(&str, &str); 5] = [
    ("ld", "load_3d"),
    ("ld_lz", "load_lz"),
    ("ld2dms_w", "load_2dms_w"),
    ("ld_mcs", "load_mcs"),
    ("3d_load", "load_3d"),
];

/// Reads the execution part as the row requires it.
fn execution<'a>(cx: &Context, form: ExecUse, input: &'a str) -> Read<'a, Option<Spanned<Exec>>> {
    let (rest, exec) = match form {
        ExecUse::None => return Ok((input, None)),
        ExecUse::OptionalCount if !next_is(input, "(") => {
            // Left out, eight lanes (vISA text reference 5.7).
            let eight = Exec {
                size: 8,
                offset: 0,
                no_mask: false,
            };
            return Ok((input, Some(cx.spanned(eight, input, blanks(input)))));
        }
        ExecUse::Lanes => lanes(input)?,
        ExecUse::OptionalCount => {
            let (inside, _) = mark(input, "(")?;
            let from = blanks(inside);
            if let Ok((after, word)) = identifier(from) {
                let lanes = blanks(after).strip_prefix(',').map(blanks);
                let lanes = match lanes.is_some_and(|rest| rest.starts_with('8')) {
                    true => 8,
                    false => 16,
                };
                return refuse(
                    from,
                    word.len(),
                    problem(
                        Code::E0101,
                        "no mask is allowed here",
                        format!("`{}` in front of the lanes", shorten(word)),
                    )
                    .note("sample and load have a number of lanes, 8 or 16, and no mask")
                    .help(format!("write `({lanes})`"))
                    .see("vISA text reference 5.7"),
                );
            }
            lanes(input)?
        }
        ExecUse::Count => {
            // A mask in front of the count is read and means nothing (vISA text reference 5.9).
            let (rest, exec) = lanes(input)?;
            (
                rest,
                Exec {
                    size: exec.size,
                    offset: 0,
                    no_mask: false,
                },
            )
        }
    };
    Ok((rest, Some(cx.spanned(exec, input, rest))))
}

/// `(M5_NM, 16)`, `(16)`, `(NoMask, 1)`.
fn lanes(input: &str) -> Read<'_, Exec> {
    if !next_is(input, "(") {
        return expected(blanks(input), "an execution part, such as `(M1, 16)`");
    }
    let (inside, _) = mark(input, "(")?;
    let (rest, (offset, no_mask)) = match identifier(inside) {
        Ok((rest, word)) => {
            let Some(mask) = mask(word) else {
                return refuse(
                    blanks(inside),
                    word.len(),
                    problem(
                        Code::E0101,
                        "unknown execution mask",
                        format!("`{}` is none", shorten(word)),
                    )
                    .note("masks are M1 to M8, M1_NM to M8_NM and NoMask; Mk starts at lane 4(k-1)")
                    .see("vISA text reference 4.2"),
                );
            };
            let (rest, _) = mark(rest, ",")?;
            (rest, mask)
        }
        Err(_) => (inside, (0, false)),
    };
    let (rest, size) = decimal(rest, "a number of lanes")?;
    let (rest, _) = mark(rest, ")")?;
    Ok((
        rest,
        Exec {
            size,
            offset,
            no_mask,
        },
    ))
}

/// First execution-mask bit, and whether the mask is ignored.
fn mask(word: &str) -> Option<(u8, bool)> {
    if word == "NoMask" {
        return Some((0, true));
    }
    let (name, no_mask) = match word.strip_suffix("_NM") {
        Some(name) => (name, true),
        None => (word, false),
    };
    match name.as_bytes() {
        [b'M', k @ b'1'..=b'8'] => Some((4 * (k - b'1'), no_mask)),
        _ => None,
    }
}
