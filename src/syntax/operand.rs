//! Operands: one exhaustive `match` over [`Slot`], and the readers it is made of.
//!
//! Source: vISA text reference, sections 4 and 9.

use super::ast::{General, Indirect, Operand, Raw, Region};
use super::context::Context;
use super::error::{Read, expected, problem, refuse};
use super::expression::{angled, expression, fitting};
use super::immediate::immediate;
use super::token::{
    Number, blanks, decimal, identifier, is_reserved, mark, next_is, number, optional_mark,
    shorten, string, type_suffix, variable,
};
use super::{lsc, messages};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Modifier, OpInfo, Opcode, Slot};
use crate::source::Spanned;

/// Operands in slot order.
pub(super) type Operands = Vec<Spanned<Operand>>;

/// The operands of an instruction, and its paired surface.
pub(super) type All = (Operands, Option<Spanned<Raw>>);

/// Reads every slot of `row`, and the paired surface in front of the parameters.
pub(super) fn operands<'a>(cx: &Context, row: &OpInfo, input: &'a str) -> Read<'a, All> {
    let mut read = Vec::with_capacity(row.slots.len());
    let mut rest = input;
    let mut paired = None;
    let mut starts = Vec::with_capacity(row.slots.len());
    for &slot in row.slots {
        without_u2d(row, slot, &starts, rest)?;
        starts.push(rest);
        if matches!(slot, Slot::Params { .. }) {
            (rest, paired) = messages::paired(cx, rest)?;
        }
        rest = self::slot(cx, slot, rest, &mut read)?.0;
    }
    Ok((rest, (read, paired)))
}

/// Reads the operand of one slot and adds it to `read`; a few slots stand for several operands.
fn slot<'a>(cx: &Context, slot: Slot, input: &'a str, read: &mut Operands) -> Read<'a, ()> {
    let (rest, operand) = match slot {
        Slot::Dst => destination(cx, input)?,
        Slot::DstMov => destination_or_address(cx, input)?,
        Slot::DstOrPred if is_bare_variable(input) => predicate(cx, input)?,
        Slot::DstOrPred => destination(cx, input)?,
        Slot::DstPred => predicate(cx, input)?,
        // Texel offsets are an immediate, or or-ed in from a scalar variable.
        Slot::Src | Slot::Scalar | Slot::Offsets => source(cx, input)?,
        Slot::SrcMov if is_bare_variable(input) => predicate(cx, input)?,
        Slot::SrcMov if next_is(input, "&") => address_of(cx, input)?,
        Slot::SrcMov => source_or_element(cx, input, address)?,
        Slot::SrcOrPred if is_bare_variable(input) => predicate(cx, input)?,
        Slot::SrcOrPred => source(cx, input)?,
        Slot::DstAddress => {
            let (rest, var) = name(cx, input, "an address variable `A(k)<1>`")?;
            let (rest, element) = element(cx, rest)?;
            address(cx, var, element, rest)?
        }
        Slot::AddressBase if next_is(input, "&") => address_of(cx, input)?,
        Slot::AddressBase => source_or_element(cx, input, address)?,
        Slot::StateOrDst => state_or_destination(cx, input)?,
        Slot::StateOrSrc => source_or_element(cx, input, state)?,
        Slot::Surface => messages::surface(cx, input)?,
        Slot::Sampler => messages::sampler(cx, input)?,
        Slot::SamplerAndSurface => return messages::sampler_and_surface(cx, input, read),
        Slot::RawDst | Slot::RawSrc => {
            let (rest, raw) = raw(cx, input)?;
            (rest, Operand::Raw(raw))
        }
        Slot::Params { min, max } => return messages::params(cx, input, min, max, read),
        Slot::TargetParams => return messages::target_params(cx, input, read),
        Slot::Plane if is_plain_number(input) => {
            let (rest, plane) = decimal(input, "a plane number")?;
            (rest, Operand::Number(plane))
        }
        Slot::Plane if negative_plane(input) => {
            let from = blanks(input);
            let digits = from[1..].find(|c: char| !c.is_ascii_digit());
            let written = &from[..digits.map_or(from.len(), |n| n + 1)];
            let what = format!("plane {} does not exist", shorten(written));
            return refuse(
                from,
                written.len(),
                problem(Code::E0303, what, "planes are 0 to 3")
                    .paste("0")
                    .see("vISA MEDIA_LD, \"Plane\""),
            );
        }
        Slot::Plane if is_typed_plane(input) => {
            let from = blanks(input);
            let written = from.split(char::is_whitespace).next().unwrap_or(from);
            let number = written.split(':').next().unwrap_or_default();
            let what = format!("the plane `{}` has a type", shorten(written));
            let plane = match number {
                "0" | "1" | "2" | "3" => number,
                _ => "0",
            };
            return refuse(
                from,
                written.len(),
                problem(Code::E0303, what, "planes are 0 to 3, without a type")
                    .paste(plane)
                    .see("vISA MEDIA_LD, \"Plane\""),
            );
        }
        // Left out, the plane is 0 (vISA text reference 5.6).
        Slot::Plane => {
            read.push(cx.spanned(Operand::Number(0), input, blanks(input)));
            return Ok((input, ()));
        }
        Slot::Block => messages::block(input)?,
        Slot::Number => {
            let (rest, value) = decimal(input, "a plain decimal number")?;
            (rest, Operand::Number(value))
        }
        Slot::Hex => match number(input)? {
            (rest, Number::Hex(value)) => (rest, Operand::Number(value)),
            _ => return expected(blanks(input), "a hexadecimal number, such as `0xc`"),
        },
        Slot::AvsControl => messages::avs_control(input)?,
        Slot::AvsMode => messages::avs_mode(input)?,
        Slot::Label => {
            let (rest, name) = label(input)?;
            (rest, Operand::Label(name))
        }
        Slot::LabelList => label_list(cx, input)?,
        Slot::Function => {
            let (rest, name) = label(input)?;
            (rest, Operand::Label(name))
        }
        Slot::Callee => {
            let (rest, name) = bare_label(input)?;
            (rest, Operand::Label(name))
        }
        Slot::Text => {
            let (rest, text) = string(input)?;
            (rest, Operand::Text(text))
        }
        Slot::Variable => {
            let (rest, var) = name(cx, input, "a variable")?;
            (rest, Operand::Variable(var))
        }
        Slot::Origin => {
            let (rest, var) = name(cx, input, "a variable and its origin `V(r,c)`")?;
            let (rest, (row, column)) = origin(cx, rest)?;
            (rest, Operand::Origin { var, row, column })
        }
        Slot::LscData => lsc::data(cx, input)?,
        Slot::LscAddress => lsc::address(cx, input)?,
        Slot::LscStridedAddress => lsc::strided_address(cx, input)?,
        Slot::LscSurface => lsc::surface(cx, input)?,
        Slot::LscRaw => {
            let (rest, raw) = lsc::raw(cx, input)?;
            (rest, Operand::Raw(raw))
        }
        Slot::LscBlockData => lsc::block_data(cx, input)?,
        Slot::LscBlockAddress => lsc::block_address(cx, input)?,
        Slot::NumberPair => messages::pair(input)?,
        Slot::ScalarTriple => messages::triple(cx, input)?,
        Slot::OptionalScalars(count) => {
            return messages::optional_scalars(cx, input, count, read);
        }
        Slot::PayloadDst | Slot::PayloadSrc => messages::payload(cx, input)?,
    };
    read.push(cx.spanned(operand, input, rest));
    Ok((rest, ()))
}

/// Reads a variable's name; `what` says what it should name here.
pub(super) fn name<'a>(
    cx: &Context,
    input: &'a str,
    what: &'static str,
) -> Read<'a, Spanned<String>> {
    match variable(input) {
        Ok((rest, name)) => Ok((rest, cx.spanned(name.to_owned(), input, rest))),
        Err(nom::Err::Error(_)) => expected(blanks(input), what),
        Err(failure) => Err(failure),
    }
}

/// Whether a name is there that no origin, region or offset follows: a predicate.
fn is_bare_variable(input: &str) -> bool {
    if is_indirect(input) {
        return false;
    }
    let Ok((rest, _)) = variable(input) else {
        return false;
    };
    match blanks(rest).as_bytes().first() {
        Some(b'<' | b'.') => false,
        // The next operand may begin with a parenthesis too: `P1 (abs)F0(0,0)<1;1,0>`, `P1 (1+2):d`.
        Some(b'(') => modifier(rest).1.is_some() || is_expression_immediate(rest),
        _ => true,
    }
}

/// Whether the parentheses that open here close in front of a `:`.
fn is_expression_immediate(input: &str) -> bool {
    let mut depth = 0usize;
    for (i, byte) in input.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return next_is(&input[i + 1..], ":"),
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// `r[`: one token, no blank between.
pub(super) fn is_indirect(input: &str) -> bool {
    next_is(input, "r[")
}

/// Whether a plain number is there that is not the value, or the beginning of the value, of an
/// immediate.
fn is_plain_number(input: &str) -> bool {
    decimal::<u64>(input, "")
        .is_ok_and(|(rest, _)| !next_is(rest, ":") && !rest.starts_with(['.', 'e']))
}

/// Whether a plain number with a minus is there, which is no immediate.
fn negative_plane(input: &str) -> bool {
    blanks(input).strip_prefix('-').is_some_and(is_plain_number)
}

/// Whether a typed number stands where the plane may, and a whole line without a plane, both offsets and the block,
/// behind it: left out, the plane would be one operand less.
fn is_typed_plane(input: &str) -> bool {
    let mut operands = blanks(input).split_whitespace();
    let number = operands.next().and_then(|word| word.split_once(':'));
    number.is_some_and(|(n, _)| n.parse::<i64>().is_ok())
        && operands.clone().count() == 3
        && !input.contains(['(', '['])
}

/// The page AVS leaves `u2d` out of its text: its line has the control word where the last scalar should be.
///
/// Source: vISA AVS, "Text" and "Format"; AVS reference D13.
fn without_u2d<'a>(row: &OpInfo, slot: Slot, starts: &[&'a str], input: &'a str) -> Read<'a, ()> {
    const GROUP: usize = 5;
    let (true, Slot::Scalar, Some(group)) = (row.opcode == Opcode::Avs, slot, starts.get(GROUP))
    else {
        return Ok((input, ()));
    };
    if starts.len() != GROUP + 2 || !blanks(input).starts_with("AVS_") {
        return Ok((input, ()));
    }
    let group = blanks(group);
    refuse(
        group,
        0,
        problem(
            Code::E0101,
            "AVS without u2d",
            "u2d is missing here, between DeltaV and groupID",
        )
        .note("the text template of the page leaves u2d out, its Format table and Intel's assembler have it")
        .help("0.0:f")
        .paste("0.0:f ")
        .see("vISA AVS, \"Text\" and \"Format\"; AVS reference D13"),
    )
}

fn predicate<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, var) = name(cx, input, "a predicate")?;
    Ok((rest, Operand::Predicate(var)))
}

/// `(row,column)`.
pub(super) fn origin<'a>(cx: &Context, input: &'a str) -> Read<'a, (u32, u32)> {
    if !next_is(input, "(") {
        return expected(blanks(input), "an origin `(row,column)`");
    }
    let (rest, _) = mark(input, "(")?;
    let (rest, row) = position(cx, rest, "a register row")?;
    let (rest, _) = mark(rest, ",")?;
    let (rest, column) = position(cx, rest, "a column")?;
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, (row, column)))
}

/// A row or a column: eight bits are kept of it. Source: vISA text reference 4.4.
fn position<'a>(cx: &Context, input: &'a str, what: &'static str) -> Read<'a, u32> {
    let (rest, value): (_, u32) = fitting(cx, input, what, expression)?;
    let kept = value & 0xff;
    if kept != value {
        cx.remark(
            Diagnostic::new(Code::W0116)
                .at(cx.span(blanks(input), rest), format!("read as {kept}"))
                .note("rows and columns keep 8 bits each")
                .help("declare an alias at that offset and count from there")
                .see("vISA text reference 4.4"),
        );
    }
    Ok((rest, kept))
}

/// `(element)`.
fn element<'a>(cx: &Context, input: &'a str) -> Read<'a, u32> {
    let (rest, _) = mark(input, "(")?;
    let (rest, element) = fitting(cx, rest, "an element number", expression)?;
    let (rest, _) = mark(rest, ")")?;
    Ok((rest, element))
}

/// What is in the parentheses after a name.
enum Parenthesized {
    /// `(element)`.
    Element(u32),
    /// The beginning of `(row,column)`, to be read again as such.
    Origin,
}

/// `(element)`, or the beginning of `(row,column)`.
fn place<'a>(cx: &Context, input: &'a str) -> Read<'a, Parenthesized> {
    if !next_is(input, "(") {
        return expected(blanks(input), "an origin `(row,column)`");
    }
    let (rest, _) = mark(input, "(")?;
    let (rest, first) = fitting(cx, rest, "a register row", expression)?;
    let (rest, two) = optional_mark(rest, ",");
    if !two {
        let (rest, _) = mark(rest, ")")?;
        return Ok((rest, Parenthesized::Element(first)));
    }
    Ok((rest, Parenthesized::Origin))
}

/// `<h>`.
fn stride<'a>(cx: &Context, input: &'a str) -> Read<'a, u32> {
    if !next_is(input, "<") {
        return expected(blanks(input), "a destination region `<stride>`");
    }
    let (rest, _) = mark(input, "<")?;
    let (rest, stride) = fitting(cx, rest, "a stride", angled)?;
    let (rest, _) = mark(rest, ">")?;
    Ok((rest, stride))
}

fn destination_region<'a>(cx: &Context, input: &'a str) -> Read<'a, Spanned<Region>> {
    let (rest, stride) = stride(cx, input)?;
    Ok((
        rest,
        cx.spanned(Region::Destination { stride }, input, rest),
    ))
}

/// `<v;w,h>`; `<w,h>` too where `multi` allows one address for each row.
pub(super) fn source_region<'a>(
    cx: &Context,
    input: &'a str,
    multi: bool,
) -> Read<'a, Spanned<Region>> {
    if !next_is(input, "<") {
        return expected(blanks(input), "a source region `<v;w,h>`");
    }
    let (rest, _) = mark(input, "<")?;
    let (rest, first) = fitting(cx, rest, "a stride", angled)?;
    let (rest, region) = if multi && next_is(rest, ",") {
        let (rest, _) = mark(rest, ",")?;
        let (rest, horizontal) = fitting(cx, rest, "a stride", angled)?;
        let width = first;
        (rest, Region::MultiAddress { width, horizontal })
    } else {
        if !next_is(rest, ";") {
            let wanted = if multi {
                "`;` or `,`"
            } else {
                "`;` and the width of the region"
            };
            return expected(blanks(rest), wanted);
        }
        let (rest, _) = mark(rest, ";")?;
        let (rest, width) = fitting(cx, rest, "a width", angled)?;
        let (rest, _) = mark(rest, ",")?;
        let (rest, horizontal) = fitting(cx, rest, "a stride", angled)?;
        let vertical = first;
        (
            rest,
            Region::Source {
                vertical,
                width,
                horizontal,
            },
        )
    };
    let (rest, _) = mark(rest, ">")?;
    Ok((rest, cx.spanned(region, input, rest)))
}

/// `r[A(k),off]<…>:t`, from the `r[` on.
fn indirect<'a>(
    cx: &Context,
    input: &'a str,
    modifier: Option<Modifier>,
    is_source: bool,
) -> Read<'a, Operand> {
    let (rest, _) = mark(input, "r[")?;
    let (rest, address) = name(cx, rest, "an address variable")?;
    let (rest, element) = element(cx, rest)?;
    let (rest, has_offset) = optional_mark(rest, ",");
    let (rest, offset) = if has_offset {
        fitting(cx, rest, "a byte offset", expression)?
    } else {
        (rest, 0)
    };
    let (rest, _) = mark(rest, "]")?;
    let (rest, region) = if is_source {
        source_region(cx, rest, true)?
    } else {
        destination_region(cx, rest)?
    };
    let (rest, ty) = type_suffix(rest)?;
    Ok((
        rest,
        Operand::Indirect(Indirect {
            modifier,
            address,
            element,
            offset,
            region,
            ty,
        }),
    ))
}

/// General or indirect destination. An origin left out is `(0,0)`.
fn destination<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if is_indirect(input) {
        return indirect(cx, input, None, false);
    }
    let (rest, var) = name(cx, input, "a destination `V(row,column)<stride>`")?;
    let (rest, (row, column)) = if next_is(rest, "<") {
        (rest, (0, 0))
    } else {
        origin(cx, rest)?
    };
    let (rest, region) = destination_region(cx, rest)?;
    Ok((
        rest,
        Operand::General(General {
            modifier: None,
            var,
            row,
            column,
            region,
        }),
    ))
}

/// As [`destination`], or `A(k)<h>`.
fn destination_or_address<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if !is_indirect(input)
        && let Ok((rest, var)) = name(cx, input, "")
        && next_is(rest, "(")
        && let (rest, Parenthesized::Element(element)) = place(cx, rest)?
    {
        return address(cx, var, element, rest);
    }
    destination(cx, input)
}

/// The rest of `A(k)<h>`.
fn address<'a>(
    cx: &Context,
    var: Spanned<String>,
    element: u32,
    input: &'a str,
) -> Read<'a, Operand> {
    let (rest, stride) = stride(cx, input)?;
    Ok((
        rest,
        Operand::Address {
            var,
            element,
            stride,
        },
    ))
}

/// The rest of `T(k)`: nothing.
fn state<'a>(_: &Context, var: Spanned<String>, element: u32, input: &'a str) -> Read<'a, Operand> {
    Ok((input, Operand::State { var, element }))
}

fn state_or_destination<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    if !is_indirect(input)
        && let Ok((rest, var)) = name(cx, input, "")
        && next_is(rest, "(")
        && let (rest, Parenthesized::Element(element)) = place(cx, rest)?
    {
        return state(cx, var, element, rest);
    }
    destination(cx, input)
}

/// `(-)`, `(abs)`, `(-abs)`, `(~)`: one token each.
fn modifier(input: &str) -> (&str, Option<Modifier>) {
    let at = blanks(input);
    Modifier::ALL
        .iter()
        .find_map(|&(modifier, _, token)| Some((at.strip_prefix(token)?, Some(modifier))))
        .unwrap_or((input, None))
}

/// General, indirect or immediate source.
pub(super) fn source<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, modifier) = modifier(input);
    if is_indirect(rest) {
        return indirect(cx, rest, modifier, true);
    }
    let start = blanks(rest);
    if modifier.is_none() && start.starts_with(|c: char| c.is_ascii_digit() || "(-".contains(c)) {
        let (rest, immediate) = immediate(cx, start)?;
        return Ok((rest, Operand::Immediate(immediate)));
    }
    let what = match modifier {
        // Modifiers do not apply to immediates (vISA text reference 4.5).
        Some(_) => "a general or indirect operand after a source modifier",
        None => "a source: `V(row,column)<v;w,h>`, `r[…]` or an immediate",
    };
    let (rest, var) = name(cx, rest, what)?;
    general(cx, var, modifier, rest)
}

/// The rest of `V(r,c)<v;w,h>`.
fn general<'a>(
    cx: &Context,
    var: Spanned<String>,
    modifier: Option<Modifier>,
    input: &'a str,
) -> Read<'a, Operand> {
    let (rest, (row, column)) = origin(cx, input)?;
    let (rest, region) = source_region(cx, rest, false)?;
    Ok((
        rest,
        Operand::General(General {
            modifier,
            var,
            row,
            column,
            region,
        }),
    ))
}

/// As [`source`], or a name with one number in parentheses, whose rest `element` reads.
fn source_or_element<'a>(
    cx: &Context,
    input: &'a str,
    element: impl Fn(&Context, Spanned<String>, u32, &'a str) -> Read<'a, Operand>,
) -> Read<'a, Operand> {
    if !is_indirect(input)
        && let Ok((rest, var)) = name(cx, input, "")
        && next_is(rest, "(")
        && let (rest, Parenthesized::Element(k)) = place(cx, rest)?
    {
        return element(cx, var, k, rest);
    }
    source(cx, input)
}

/// `&V`, `&V[off]`.
fn address_of<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (rest, _) = mark(input, "&")?;
    let (rest, var) = name(cx, rest, "a variable")?;
    let (rest, indexed) = optional_mark(rest, "[");
    if !indexed {
        return Ok((rest, Operand::AddressOf { var, offset: 0 }));
    }
    let (rest, offset) = expression(cx, rest)?;
    let (rest, _) = mark(rest, "]")?;
    Ok((rest, Operand::AddressOf { var, offset }))
}

/// `V.off`; the offset is decimal or an expression in parentheses.
pub(super) fn raw<'a>(cx: &Context, input: &'a str) -> Read<'a, Raw> {
    let (rest, var) = name(cx, input, "a raw operand `V.offset`")?;
    if !next_is(rest, ".") {
        return expected(blanks(rest), "`.` and a byte offset");
    }
    let (tail, offset) = raw_offset(cx, rest)?;
    null_is_whole(&var, offset, rest, tail)?;
    Ok((tail, Raw { var, offset }))
}

/// `%null` means absent: it has no bytes that an offset could name.
pub(super) fn null_is_whole<'a>(var: &str, offset: u32, from: &'a str, tail: &str) -> Read<'a, ()> {
    if var != "%null" || offset == 0 {
        return Ok((from, ()));
    }
    let from = blanks(from);
    refuse(
        from,
        from.len() - tail.len(),
        problem(
            Code::E0122,
            "the null variable has no bytes",
            format!("byte {offset} of nothing"),
        )
        .help("%null.0")
        .see("vISA text reference 4.7"),
    )
}

/// `.off`.
pub(super) fn raw_offset<'a>(cx: &Context, input: &'a str) -> Read<'a, u32> {
    let (rest, _) = mark(input, ".")?;
    if next_is(rest, "(") {
        let (rest, _) = mark(rest, "(")?;
        let (rest, offset) = fitting(cx, rest, "a byte offset", expression)?;
        let (rest, _) = mark(rest, ")")?;
        return Ok((rest, offset));
    }
    decimal(rest, "a byte offset, decimal or in parentheses")
}

/// A label or function: an identifier or quoted text. One that is spelled like an instruction can only
/// be quoted.
pub(super) fn label(input: &str) -> Read<'_, String> {
    if next_is(input, "\"") {
        return string(input);
    }
    bare_label(input)
}

/// As [`label`], where quoted text is not read.
fn bare_label(input: &str) -> Read<'_, String> {
    let from = blanks(input);
    let Ok((rest, name)) = identifier(from) else {
        return expected(from, "a label");
    };
    if is_reserved(name) {
        return refuse(
            from,
            name.len(),
            problem(
                Code::E0106,
                "label spelled like a reserved word",
                format!("`{name}` reads as a word of the language here"),
            )
            .note("a label that is spelled like an instruction can only be referred to in quotes, where quotes are read")
            .help(format!("write `\"{name}\"`, or name the label `{name}_`"))
            .see("vISA text reference 1.2"),
        );
    }
    Ok((rest, name.to_owned()))
}

/// `(L0, L1)`; the commas may be left out.
fn label_list<'a>(cx: &Context, input: &'a str) -> Read<'a, Operand> {
    let (mut rest, _) = mark(input, "(")?;
    let mut labels = Vec::new();
    loop {
        // Jump tables and calls of functions take bare names only (vISA text reference 1.2).
        let (tail, name) = bare_label(rest)?;
        labels.push(cx.spanned(name, rest, tail));
        (rest, _) = optional_mark(tail, ",");
        if next_is(rest, ")") {
            let (rest, _) = mark(rest, ")")?;
            return Ok((rest, Operand::Labels(labels)));
        }
    }
}
