//! Directives. Source: vISA text reference, section 2.

use super::ast::{
    Alias, Align, AttributeValue, Declaration, DeclarationClass, Input, Instruction, Operand,
    Statement,
};
use super::context::{Class, Context, Known};
use super::error::{Read, either, expected, problem, refuse};
use super::expression::{angled, expression, fitting};
use super::token::{
    blanks, decimal, identifier, is_reserved, mark, next_is, optional_mark, shorten, string,
    type_name, variable,
};
use crate::diagnostic::{Code, nearest};
use crate::isa::Opcode;
use crate::source::Spanned;

/// Directives with a fixed name; `.implicit_…` has as many names as the runtime likes.
const DIRECTIVES: &[&str] = &[
    "version",
    "kernel",
    "kernel_attr",
    "function",
    "global_function",
    "funcdecl",
    "decl",
    "input",
    "parameter",
    "file",
    "loc",
];

/// From this version on a 3D sampler message is written with its paired surface, though not every text
/// that is says so. Source: vISA text reference, section 0; Xe2 messages reference 2.
const PAIRED_FORM: (u32, u32) = (4, 2);

/// Reads a directive, from its dot on, and notes what later lines need to know.
pub(super) fn directive<'a>(cx: &mut Context, input: &'a str) -> Read<'a, Statement> {
    let from = blanks(input);
    let length = from[1..]
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(from.len(), |n| n + 1);
    let (word, rest) = (&from[1..length], &from[length..]);
    match word {
        "version" => {
            let (rest, major) = decimal(rest, "the major version")?;
            let (rest, _) = mark(rest, ".")?;
            let (rest, minor) = decimal(rest, "the minor version")?;
            cx.paired_form = (major, minor) >= PAIRED_FORM;
            Ok((rest, Statement::Version { major, minor }))
        }
        "kernel" => {
            cx.enter_kernel();
            let (rest, name) = name(cx, rest)?;
            Ok((rest, Statement::Kernel(name)))
        }
        "global_function" => {
            cx.enter_kernel();
            let (rest, name) = name(cx, rest)?;
            Ok((rest, Statement::GlobalFunction(name)))
        }
        "function" => {
            let (rest, name) = name(cx, rest)?;
            Ok((rest, Statement::Function(name)))
        }
        "funcdecl" => {
            // The one name that has to be quoted (vISA text reference 1.2).
            let (tail, name) = string(rest)?;
            Ok((tail, Statement::FuncDecl(cx.spanned(name, rest, tail))))
        }
        "kernel_attr" => attribute(cx, rest),
        "decl" => declaration(cx, rest),
        "file" => {
            let (tail, text) = string(rest)?;
            let text = cx.spanned(Operand::Text(text), rest, tail);
            Ok((tail, note(cx, Opcode::File, from, rest, text)))
        }
        "loc" => {
            let (tail, line) = decimal(rest, "a line number")?;
            let line = cx.spanned(Operand::Number(line), rest, tail);
            Ok((tail, note(cx, Opcode::Loc, from, rest, line)))
        }
        "input" | "parameter" => self::input(cx, word, rest),
        _ if word
            .strip_prefix("implicit_")
            .is_some_and(|n| !n.is_empty()) =>
        {
            self::input(cx, word, rest)
        }
        _ => {
            let mut diagnostic = problem(
                Code::E0112,
                "unknown directive",
                format!("unknown directive `.{}`", shorten(word)),
            )
            .see("vISA text reference 2");
            if let Some(meant) = nearest(word, DIRECTIVES.iter().copied()) {
                diagnostic = diagnostic.help(format!("write `.{meant}`"));
            }
            refuse(from, length, diagnostic)
        }
    }
}

/// `.file` and `.loc` are other spellings of two instructions.
fn note(
    cx: &Context,
    opcode: Opcode,
    from: &str,
    tail: &str,
    operand: Spanned<Operand>,
) -> Statement {
    Statement::Instruction(Instruction {
        opcode: cx.spanned(opcode, from, tail),
        predicate: None,
        suffixes: Vec::new(),
        exec: None,
        operands: vec![operand],
        paired: None,
    })
}

/// The name of a kernel or function, bare or quoted.
fn name<'a>(cx: &Context, input: &'a str) -> Read<'a, Spanned<String>> {
    if next_is(input, "\"") {
        let (rest, name) = string(input)?;
        return Ok((rest, cx.spanned(name, input, rest)));
    }
    match identifier(input) {
        Ok((rest, name)) => Ok((rest, cx.spanned(name.to_owned(), input, rest))),
        Err(_) => expected(blanks(input), "a name, bare or in quotes"),
    }
}

/// Reads `word=`, one token with spaces, not tabs, around the sign, if it is there.
///
/// Source: vISA text reference 1.6.
fn field<'a>(input: &'a str, word: &str) -> Option<&'a str> {
    let tail = blanks(input).strip_prefix(word)?.trim_start_matches(' ');
    tail.strip_prefix('=')
        .filter(|rest| !rest.trim_start_matches(' ').starts_with('\t'))
}

/// Reads `word=`, which has to appear there.
fn required<'a>(input: &'a str, word: &'static str) -> Read<'a, ()> {
    match field(input, word) {
        Some(rest) => Ok((rest, ())),
        // The field itself, but not as one token.
        None if blanks(input)
            .strip_prefix(word)
            .is_some_and(|b| next_is(b, "=")) =>
        {
            expected(
                blanks(input),
                format!("`{word}=`, with no tab around the sign"),
            )
        }
        None => out_of_order(input, word),
    }
}

const FIELDS: &[&str] = &[
    "v_type", "type", "num_elts", "align", "alias", "v_name", "attrs", "offset", "size",
];

fn out_of_order<'a, T>(input: &'a str, wanted: &str) -> Read<'a, T> {
    let from = blanks(input);
    match identifier(from) {
        Ok((_, word)) if FIELDS.contains(&word) => refuse(
            from,
            word.len(),
            problem(
                Code::E0113,
                "declaration field out of order",
                format!("expected `{wanted}=`, found `{word}`"),
            )
            .note("the fields have one order: v_type, type, num_elts, then align, alias, attrs; v_name follows num_elts of samplers and surfaces")
            .help("`.decl X v_type=G type=ud num_elts=8 align=GRF`")
            .see("vISA text reference 2.2"),
        ),
        _ => expected(from, format!("`{wanted}=`")),
    }
}

fn declaration<'a>(cx: &mut Context, input: &'a str) -> Read<'a, Statement> {
    let (rest, word) = identifier(input)?;
    if is_reserved(word) {
        return refuse(
            blanks(input),
            word.len(),
            problem(
                Code::E0106,
                "reserved word as a name",
                format!("`{word}` cannot name a variable"),
            )
            .note("mnemonics, the words of AVS, FILE, LOC, flat, bti, bss, ss and arg are reserved")
            .help(format!("write for example `{word}_`"))
            .see("vISA text reference 1.2"),
        );
    }
    let name = cx.spanned(word.to_owned(), input, rest);
    let (rest, ()) = required(rest, "v_type")?;
    let from = blanks(rest);
    let Ok((rest, class)) = identifier(from) else {
        return expected(from, "`G`, `A`, `P`, `S` or `T`");
    };
    let (rest, ty) = if class == "G" {
        let (at, ()) = required(rest, "type")?;
        let at = blanks(at);
        let (rest, ty) = type_name(at)?;
        (rest, Some(cx.spanned(ty, at, rest)))
    } else {
        (rest, None)
    };
    if !["G", "A", "P", "S", "T"].contains(&class) {
        return refuse(
            from,
            class.len(),
            problem(
                Code::E0101,
                "unknown storage class",
                format!("`{}` is none", shorten(class)),
            )
            .note("G general, A address, P predicate, S sampler, T surface; F and L of older documents are gone")
            .see("vISA text reference 2.2"),
        );
    }
    let (at, ()) = required(rest, "num_elts")?;
    let (mut rest, elements) = fitting(cx, at, "a number of elements", expression)?;
    let elements: Spanned<u64> = cx.spanned(elements, at, rest);
    let class = match (class, ty) {
        ("G", Some(ty)) => {
            let mut align = None;
            if let Some(at) = field(rest, "align") {
                let (tail, read) = alignment(cx, at)?;
                align = read.map(|align| cx.spanned(align, at, tail));
                rest = tail;
            }
            let mut alias = None;
            if let Some(at) = field(rest, "alias") {
                let (tail, read) = self::alias(cx, at)?;
                alias = Some(read);
                rest = tail;
            }
            DeclarationClass::General { ty, align, alias }
        }
        ("S" | "T", _) => {
            let mut v_name = None;
            if let Some(at) = field(rest, "v_name") {
                let (tail, word) = identifier(at)?;
                v_name = Some(cx.spanned(word.to_owned(), at, tail));
                rest = tail;
            }
            if class == "S" {
                DeclarationClass::Sampler { v_name }
            } else {
                DeclarationClass::Surface { v_name }
            }
        }
        ("A", _) => DeclarationClass::Address,
        _ => DeclarationClass::Predicate,
    };
    let mut attributes = Vec::new();
    if let Some(at) = field(rest, "attrs") {
        (rest, attributes) = declaration_attributes(cx, at)?;
    }
    if !blanks(rest).is_empty() && FIELDS.iter().any(|f| field(rest, f).is_some()) {
        return out_of_order(
            rest,
            "the end of the line, or a later field, not an earlier one: no ",
        );
    }
    let declaration = Declaration {
        name,
        elements,
        class,
        attributes,
    };
    remember(cx, &declaration);
    Ok((rest, Statement::Declaration(declaration)))
}

/// Notes class and size for `%sizeof` and for `avs`.
fn remember(cx: &mut Context, declaration: &Declaration) {
    let (class, element) = match &declaration.class {
        DeclarationClass::General { ty, .. } => (Class::General, u64::from(ty.bytes())),
        // Address elements are 16-bit offsets; states occupy a dword each.
        DeclarationClass::Address => (Class::Address, 2),
        DeclarationClass::Sampler { .. } => (Class::Sampler, 4),
        DeclarationClass::Surface { .. } => (Class::Surface, 4),
        DeclarationClass::Predicate => (Class::Predicate, 0),
    };
    let bytes = match class {
        Class::Predicate => declaration.elements.div_ceil(8),
        _ => declaration.elements.saturating_mul(element),
    };
    cx.declare(&declaration.name, Known { class, bytes });
}

/// Alignment words and their bytes; `GRF` and its double depend on the platform.
const ALIGNMENTS: &[(&str, Align)] = &[
    ("word", Align::Bytes(2)),
    ("dword", Align::Bytes(4)),
    ("qword", Align::Bytes(8)),
    ("oword", Align::Bytes(16)),
    ("hword", Align::Bytes(32)),
    ("wordx32", Align::Bytes(64)),
    ("wordx64", Align::Bytes(128)),
    ("GRF", Align::Grf),
    ("GRFx2", Align::GrfX2),
    // Second spellings; the printer takes the first of a value.
    ("32word", Align::Bytes(64)),
    ("64word", Align::Bytes(128)),
    ("2GRF", Align::GrfX2),
];

/// The word the printer writes for an alignment.
pub(super) fn alignment_word(align: Align) -> Option<&'static str> {
    ALIGNMENTS
        .iter()
        .find(|(_, a)| *a == align)
        .map(|(word, _)| *word)
}

/// `None` for `byte`, which is the default and is not kept.
fn alignment<'a>(cx: &Context, input: &'a str) -> Read<'a, Option<Align>> {
    let from = blanks(input);
    let length = from
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(from.len());
    let word = &from[..length];
    if word == "byte" {
        return Ok((&from[length..], None));
    }
    if let Some((_, align)) = ALIGNMENTS.iter().find(|(w, _)| *w == word) {
        return Ok((&from[length..], Some(*align)));
    }
    let number = if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        None
    } else {
        let (rest, bytes) = expression(cx, from)?;
        match bytes {
            2 | 4 | 8 | 16 | 32 | 64 | 128 => {
                return Ok((rest, Some(Align::Bytes(bytes as u32))));
            }
            _ => Some((from.len() - rest.len(), bytes)),
        }
    };
    let (length, found) = match number {
        Some((length, bytes)) => (length, bytes.to_string()),
        None => (length, shorten(word)),
    };
    let words: Vec<&str> = ALIGNMENTS.iter().map(|(word, _)| *word).collect();
    refuse(
        from,
        length,
        problem(
            Code::E0117,
            "unknown alignment",
            format!("`{found}` is none"),
        )
        .note(format!(
            "a power of two from 2 to 128, byte, {}",
            either(&words)
        ))
        .see("vISA text reference 2.2"),
    )
}

/// `<BASE, OFFSET>`.
fn alias<'a>(cx: &Context, input: &'a str) -> Read<'a, Alias> {
    let (rest, _) = mark(input, "<")?;
    let (tail, base) = variable(rest)?;
    let base = cx.spanned(base.to_owned(), rest, tail);
    let (rest, _) = mark(tail, ",")?;
    let (tail, offset) = fitting(cx, rest, "a byte offset", angled)?;
    let offset = cx.spanned(offset, rest, tail);
    let (rest, _) = mark(tail, ">")?;
    Ok((rest, Alias { base, offset }))
}

type Attributes = Vec<(Spanned<String>, Option<AttributeValue>)>;

/// `{Input, Scope=3}`; an empty list is an error.
fn declaration_attributes<'a>(cx: &Context, input: &'a str) -> Read<'a, Attributes> {
    let (mut rest, _) = mark(input, "{")?;
    let mut attributes = Vec::new();
    loop {
        let (tail, word) = match identifier(rest) {
            Ok(read) => read,
            Err(_) => return expected(blanks(rest), "a variable attribute"),
        };
        let name = cx.spanned(word.to_owned(), rest, tail);
        let (tail, value) = value(cx, tail)?;
        attributes.push((name, value));
        let (tail, more) = optional_mark(tail, ",");
        rest = tail;
        if !more {
            let (rest, _) = mark(rest, "}")?;
            return Ok((rest, attributes));
        }
    }
}

/// `=INT`, `="text"`, or nothing.
fn value<'a>(cx: &Context, input: &'a str) -> Read<'a, Option<AttributeValue>> {
    let (rest, given) = optional_mark(input, "=");
    if !given {
        return Ok((input, None));
    }
    if next_is(rest, "\"") {
        let (rest, text) = string(rest)?;
        return Ok((rest, Some(AttributeValue::Text(text))));
    }
    if identifier(rest).is_ok() {
        return expected(blanks(rest), "a number or quoted text");
    }
    let (rest, number) = expression(cx, rest)?;
    Ok((rest, Some(AttributeValue::Number(number))))
}

fn attribute<'a>(cx: &mut Context, input: &'a str) -> Read<'a, Statement> {
    let (rest, word) = identifier(input)?;
    let name = cx.spanned(word.to_owned(), input, rest);
    let (rest, value) = value(cx, rest)?;
    if let ("SimdSize", Some(AttributeValue::Number(lanes))) = (word, &value) {
        cx.dispatch_simd = Some(*lanes);
    }
    Ok((rest, Statement::Attribute { name, value }))
}

fn input<'a>(cx: &Context, directive: &str, input: &'a str) -> Read<'a, Statement> {
    let (mut rest, word) = identifier(input)?;
    let name = cx.spanned(word.to_owned(), input, rest);
    let (mut offset, mut size) = (None, None);
    if let Some(at) = field(rest, "offset") {
        if directive == "parameter" {
            let from = blanks(rest);
            return refuse(
                from,
                "offset".len(),
                problem(
                    Code::E0101,
                    "`.parameter` has no offset",
                    "only a size is allowed here",
                )
                .note("`.parameter` is the older form, without a place in the payload")
                .help(format!("write `.input {word} offset=…`"))
                .see("vISA text reference 2.3"),
            );
        }
        let (tail, value) = fitting(cx, at, "a byte offset", expression)?;
        offset = Some(cx.spanned(value, at, tail));
        rest = tail;
    }
    if let Some(at) = field(rest, "size") {
        let (tail, value) = fitting(cx, at, "a size in bytes", expression)?;
        size = Some(cx.spanned(value, at, tail));
        rest = tail;
    }
    let directive = directive.to_owned();
    Ok((
        rest,
        Statement::Input(Input {
            directive,
            name,
            offset,
            size,
        }),
    ))
}
