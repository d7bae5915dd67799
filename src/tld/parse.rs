//! Reads SASS text, one statement to a line.
//!
//! ```text
//! /*0048*/ --:-:1:-:1 { @!P0 TLD.B.LZ.P P3, R96, R104, R110, 0x0, 1D, 0xf &rd=0x1 ;  /* 0xdd… */ // …
//! └ in front: skipped ─┘ │    │        └ operands, by their kind ─────────┘ └ after: skipped, but
//!        group opens ────┘    └ modifiers in a fixed order                     the word is compared
//! ```
//!
//! The first operand that starts with `P` is Ps, a third register is Rb; both may be left out. What
//! surrounds the statement in listings and in other assemblers' sources changes no value and is skipped.
//! Near relatives get a diagnostic of their own: the short form TLDS (`tlds`), text of Volta and
//! later, other instructions.
//!
//! A line that does not read leaves one diagnostic and nothing else; the lines around it are read.
//!
//! Source: TLD reference 1.1 to 1.3 and 8.

use super::instruction::{Dim, Guard, Handle, Lod, Phase, Pred, Reg, Tld};
use super::rules::{self, Places, Strictness};
use super::{tlds, word};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::source::{Source, Span, Spanned};
use crate::surface::Ledger;
use crate::syntax::error::{Expected, Read, either, expected, problem, refuse};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1, hex_digit1, one_of};
use nom::combinator::{opt, recognize, value};
use nom::multi::{many0_count, separated_list1};
use nom::sequence::{delimited, preceded};
use std::fmt;

/// One statement of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The instruction; its span runs from guard to mask.
    pub tld: Spanned<Tld>,
    /// `{` in front: issued together with the next one.
    pub opens: bool,
    /// `}` after instead of `;`.
    pub closes: bool,
}

impl fmt::Display for Statement {
    /// The whole line, with its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = if self.opens { "{ " } else { "" };
        let end = if self.closes { "}" } else { ";" };
        write!(f, "{open}{} {end}", self.tld.node)
    }
}

/// Reads a file and checks each statement; what could not be read or is refused is left out.
pub fn parse(source: &Source, strictness: Strictness) -> (Vec<Statement>, Vec<Diagnostic>) {
    let (mut statements, mut diagnostics) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (number, line) in source.text().split_inclusive('\n').enumerate() {
        let text = line.trim_end_matches(['\n', '\r']);
        let end = (start + text.len()) as u32;
        if let Err(late) = Ledger::on_time_at(number) {
            let here = Span::new(start as u32, end);
            diagnostics.push(late.diagnostic().at(here, "the text is read up to here"));
            break;
        }
        match read_line(text, end) {
            Ok(None) => {}
            Ok(Some((statement, places, word))) => {
                let found = rules::check(&statement.tld, &places, strictness);
                let refused = crate::diagnostic::any_fatal(&found);
                diagnostics.extend(found);
                diagnostics.extend(word.and_then(|word| word_differs(&statement.tld, word)));
                if !refused {
                    statements.push(statement);
                }
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
        start += line.len();
    }
    (statements, diagnostics)
}

/// Reads the one statement in `text`, wherever it is in no file: for tests and options.
///
/// # Errors
/// Everything wrong with it, with spans into `text`.
pub fn parse_one(text: &str, strictness: Strictness) -> Result<Tld, Vec<Diagnostic>> {
    let (statements, diagnostics) = parse(&Source::new("", text), strictness);
    match statements.as_slice() {
        [one] if !crate::diagnostic::any_fatal(&diagnostics) => Ok(one.tld.node),
        [] if diagnostics.is_empty() => Err(vec![
            Diagnostic::new(Code::E0801).at(Span::new(0, 0), "expected a statement"),
        ]),
        _ => Err(diagnostics),
    }
}

/// A word in a comment that says something else than the text beside it.
fn word_differs(tld: &Spanned<Tld>, word: Spanned<u64>) -> Option<Diagnostic> {
    // The phase is not part of the word, and with .B the index field has no meaning: compare meanings.
    let plain = Tld {
        phase: Phase::None,
        ..tld.node
    };
    let said = word::decode(word.node);
    if said == Some(plain) {
        return None;
    }
    let label = match said {
        Some(other) => format!("this is `{other}`"),
        None => "this is not a TLD".to_owned(),
    };
    Some(
        Diagnostic::new(Code::W0813)
            .at(word.span, label)
            .and_at(tld.span, "the text is followed")
            .help(format!("/* {:#018x} */", word::encode(&plain)))
            .see("TLD reference 1.4"),
    )
}

/// What a line holds besides blanks and comments.
type Line = Option<(Statement, Places, Option<Spanned<u64>>)>;

/// Where things are: readers count the bytes left in the line, spans count from the start of the file.
#[derive(Clone, Copy)]
struct Ruler {
    end: u32,
}

impl Ruler {
    /// From `from` to `to`, two remainders of the line, without the blanks after.
    fn span(self, from: &str, to: &str) -> Span {
        let taken = from[..from.len() - to.len()].trim_end();
        let start = self.end - from.len() as u32;
        Span::new(start, start + taken.len() as u32)
    }
}

fn read_line(text: &str, end: u32) -> Result<Line, Box<Diagnostic>> {
    let ruler = Ruler { end };
    match line(text, ruler) {
        Ok((_, line)) => Ok(line),
        Err(nom::Err::Error(e) | nom::Err::Failure(e)) => Err(Box::new(report(e, text, ruler))),
        Err(nom::Err::Incomplete(_)) => unreachable!("readers of complete text"),
    }
}

/// The failure as a diagnostic.
fn report(failure: Expected, text: &str, ruler: Ruler) -> Diagnostic {
    let rest = &text[text.len() - failure.left.min(text.len())..];
    let start = ruler.end - rest.len() as u32;
    if let Some(problem) = failure.problem {
        let mut diagnostic = problem.diagnostic;
        let length = problem.length.min(rest.len()) as u32;
        if let Some(label) = diagnostic.labels.first_mut() {
            label.span = Span::new(start, start + length);
        }
        return diagnostic;
    }
    let found = rest
        .find(|c: char| " \t,;}".contains(c))
        .map_or(rest, |n| &rest[..n.max(1)]);
    let label = match found.trim() {
        "" => format!("{} is missing here", either(&failure.wanted)),
        _ => format!("expected {}", either(&failure.wanted)),
    };
    Diagnostic::new(Code::E0801)
        .at(Span::new(start, start + found.len() as u32), label)
        .see("TLD reference 1.1")
}

/// Blanks and `/* … */` comments.
fn blanks(input: &str) -> &str {
    let comment = |input| {
        let body: Read<'_, _> =
            delimited(tag("/*"), nom::bytes::complete::take_until("*/"), tag("*/")).parse(input);
        body
    };
    let mut rest = input.trim_start_matches([' ', '\t']);
    while let Ok((tail, _)) = comment(rest) {
        rest = tail.trim_start_matches([' ', '\t']);
    }
    rest
}

/// Whether nothing but a line comment is left.
fn is_end(input: &str) -> bool {
    input.is_empty() || input.starts_with("//") || input.starts_with('#')
}

fn line(text: &str, ruler: Ruler) -> Read<'_, Line> {
    let input = blanks(text);
    if is_end(input) {
        return Ok((input, None));
    }
    let input = blanks(opt(maxas_control).parse(input)?.0);
    let (input, opens) = opt(char('{')).parse(input)?;
    let start = blanks(input);
    let (input, guard) = guard(start)?;
    let (input, (tld, mut places)) = statement(blanks(input), ruler)?;
    places.whole = ruler.span(start, input);
    let (input, _) = decorations(input)?;
    let (tail, closes) = end(blanks(input))?;
    let (rest, _) = decorations(tail)?;
    let word = listed_word(tail, rest, ruler);
    if !is_end(rest) {
        return expected(rest, "the end of the line");
    }
    let statement = Statement {
        tld: Spanned::new(Tld { guard, ..tld }, places.whole),
        opens: opens.is_some(),
        closes,
    };
    Ok((rest, Some((statement, places, word))))
}

/// `--:-:1:-:1`: wait mask, read and write barrier, yield, stall.
fn maxas_control(input: &str) -> Read<'_, &str> {
    let field = || take_while1(|c: char| c.is_ascii_hexdigit() || "-YS".contains(c));
    recognize((
        field(),
        char(':'),
        field(),
        char(':'),
        field(),
        char(':'),
        field(),
        char(':'),
        field(),
    ))
    .parse(input)
}

/// `&req={0,1}` `&rd1` `?trans4` `{!1,Y,+6.W,^2}`, any number of them, with blanks and comments around.
fn decorations(input: &str) -> Read<'_, usize> {
    let name = || take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let set = || recognize((char('{'), take_while(|c| c != '}'), char('}')));
    let scoreboard = recognize((
        char('&'),
        name(),
        opt(preceded(char('='), alt((set(), name())))),
    ));
    let issue = recognize((char('?'), name()));
    let one = alt((scoreboard, issue, set()));
    let (input, count) = many0_count(preceded(|i| Ok((blanks(i), ())), one)).parse(input)?;
    Ok((blanks(input), count))
}

/// The end of a statement: `;`, or `}` where a group ends.
fn end(input: &str) -> Read<'_, bool> {
    match input.chars().next() {
        Some(';') => Ok((&input[1..], false)),
        Some('}') => Ok((&input[1..], true)),
        _ => expected(input, "`;`"),
    }
}

/// The word of a listing, `/* 0x… */`, between `from` and `to`.
fn listed_word(from: &str, to: &str, ruler: Ruler) -> Option<Spanned<u64>> {
    let text = &from[..from.len() - to.len()];
    let open = text.find("/*")?;
    let close = open + text[open..].find("*/")?;
    let hex = text[open + 2..close].trim().strip_prefix("0x")?;
    let number = u64::from_str_radix(hex, 16).ok()?;
    let span = ruler.span(&from[open..], &from[close + 2..]);
    Some(Spanned::new(number, span))
}

/// `@P0`, `@!P3`; none means always.
fn guard(input: &str) -> Read<'_, Guard> {
    let Some(tail) = input.strip_prefix('@') else {
        return Ok((input, Guard::ALWAYS));
    };
    let (tail, not) = opt(char('!')).parse(tail)?;
    let (rest, pred) = pred(tail)?;
    let guard = Guard {
        pred,
        negated: not.is_some(),
    };
    Ok((rest, guard))
}

/// A run of letters, digits and underscores: every word of the language.
fn name(input: &str) -> Read<'_, &str> {
    take_while(|c: char| c.is_ascii_alphanumeric() || c == '_').parse(input)
}

/// `P0` … `P6`, `PT`.
fn pred(input: &str) -> Read<'_, Pred> {
    let (rest, text) = name(input)?;
    match text.strip_prefix('P') {
        Some("T") => Ok((rest, Pred::PT)),
        Some(n) if n.len() == 1 && ("0"..="6").contains(&n) => {
            Ok((rest, Pred::new(n.as_bytes()[0] - b'0')))
        }
        Some(n) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => refuse(
            input,
            text.len(),
            problem(
                Code::E0804,
                "no such predicate",
                format!("there is no {text}"),
            )
            .note("predicates are P0 to P6; predicate 7 is always true and written PT")
            .see("TLD reference 1.1"),
        ),
        _ => expected(input, "a predicate"),
    }
}

/// `R0` … `R254`, `RZ`.
fn reg(input: &str) -> Read<'_, Reg> {
    let (rest, text) = name(input)?;
    let digits = match text.strip_prefix('R') {
        Some("Z") => return Ok((rest, Reg::RZ)),
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits,
        _ => return expected(input, "a register"),
    };
    match digits.parse() {
        Ok(number @ 0..=254) => Ok((rest, Reg(number))),
        _ => refuse(
            input,
            text.len(),
            problem(
                Code::E0804,
                "no such register",
                format!("there is no {text}"),
            )
            .note("registers are R0 to R254; number 255 reads zero and is written RZ")
            .see("TLD reference 1.1"),
        ),
    }
}

/// An operand's number: decimal or hexadecimal, 0 to `greatest`.
fn number<'a>(input: &'a str, what: &'static str, greatest: u32) -> Read<'a, u16> {
    let hexadecimal = preceded(alt((tag("0x"), tag("0X"))), hex_digit1).map(|digits| (16, digits));
    let decimal = digit1.map(|digits| (10, digits));
    let signed = opt(one_of("+-"));
    let read: Read<'a, _> = (signed, alt((hexadecimal, decimal))).parse(input);
    let Ok((rest, (sign, (radix, digits)))) = read else {
        return expected(input, what);
    };
    match u32::from_str_radix(digits, radix) {
        Ok(value) if value <= greatest && sign.is_none() => Ok((rest, value as u16)),
        _ => {
            let text = &input[..input.len() - rest.len()];
            let bits = greatest.count_ones();
            refuse(
                input,
                text.len(),
                problem(
                    Code::E0805,
                    format!("{what} has {bits} bits"),
                    format!("{text} is not 0 to {greatest:#x}"),
                )
                .see("TLD reference 1.1"),
            )
        }
    }
}

/// The modifiers in their order, each with its place in it; two of one place exclude each other.
const MODIFIERS: &[(&str, u8)] = &[
    ("B", 0),
    ("LZ", 1),
    ("LL", 1),
    ("AOFFI", 2),
    ("MS", 3),
    ("CL", 4),
    ("NODEP", 5),
    ("T", 6),
    ("P", 6),
    ("INVALIDPHASE3", 6),
];

const ORDER: &str = "the order of modifiers is .B .LZ or .LL .AOFFI .MS .CL .NODEP .T or .P";

/// Modifiers that only text of Volta and later has. Source: TLD reference 8.2.
const LATER: &[&str] = &["SCR", "F16", "RN", "RZ", "EF", "LU", "NA"];

/// Everything from the mnemonic to the mask; the guard is left at its default.
fn statement(input: &str, ruler: Ruler) -> Read<'_, (Tld, Places)> {
    let (rest, mnemonic) = name(input)?;
    match mnemonic {
        "TLD" => {}
        "TLDS" => return tlds::refuse_tlds(input),
        "" => return expected(input, "an instruction"),
        _ if mnemonic
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') =>
        {
            let label = format!("{mnemonic} is not read by visim");
            return refuse(
                input,
                mnemonic.len(),
                problem(Code::N0816, "only TLD is modelled", label)
                    .note("a .tld file contains texture loads"),
            );
        }
        _ => return expected(input, "TLD"),
    }
    let (after, mut tld) = modifiers(rest, input)?;
    let mut places = Places {
        mnemonic: ruler.span(input, after),
        ..Places::default()
    };
    let input = operands(after, ruler, &mut tld, &mut places)?.0;
    Ok((input, (tld, places)))
}

/// `.B.LZ.AOFFI…` after `TLD`; `whole` begins at the mnemonic.
fn modifiers<'a>(input: &'a str, whole: &'a str) -> Read<'a, Tld> {
    let mut tld = Tld::default();
    let (mut rest, mut before) = (input, None::<(&str, u8)>);
    let mut lod = false;
    while let Some(tail) = rest.strip_prefix('.') {
        let (next, text) = name(tail)?;
        let length = text.len() + 1;
        let wrong = |label: String| {
            problem(Code::E0802, "modifier cannot appear here", label).see("TLD reference 1.1")
        };
        let Some(&(_, place)) = MODIFIERS.iter().find(|m| m.0 == text) else {
            if LATER.contains(&text) || text.starts_with("INVALID") {
                return refuse(
                    rest,
                    length,
                    later_text(format!(".{text} is not a modifier of Maxwell")),
                );
            }
            let diagnostic = wrong(format!("TLD has no modifier .{text}")).note(ORDER);
            let known = MODIFIERS.iter().map(|m| m.0).filter(|m| m.len() > 1);
            return refuse(
                rest,
                length,
                match nearest(text, known).filter(|_| text.len() > 2) {
                    Some(meant) => diagnostic.help(format!("did you mean .{meant}?")),
                    None => diagnostic,
                },
            );
        };
        match before {
            Some((other, there)) if there == place => {
                return refuse(
                    rest,
                    length,
                    wrong(format!(".{other} and .{text} exclude each other")),
                );
            }
            Some((other, there)) if there > place => {
                return refuse(
                    rest,
                    length,
                    wrong(format!(".{text} must precede .{other}")).note(ORDER),
                );
            }
            _ => before = Some((text, place)),
        }
        match text {
            "B" => tld.handle = Handle::Bindless,
            "LZ" => lod = true,
            "LL" => (lod, tld.lod) = (true, Lod::Given),
            "AOFFI" => tld.aoffi = true,
            "MS" => tld.ms = true,
            "CL" => tld.cl = true,
            "NODEP" => tld.nodep = true,
            "T" => tld.phase = Phase::T,
            "P" => tld.phase = Phase::P,
            _ => tld.phase = Phase::Invalid,
        }
        rest = next;
    }
    if !lod {
        let written = &whole[..whole.len() - rest.len()];
        return refuse(
            whole,
            written.len(),
            problem(
                Code::E0802,
                "the LOD mode is missing",
                format!("{written} has no level"),
            )
            .note("every TLD has .LZ, the first level, or .LL, a level from a register")
            .help(format!("TLD{}", super::print::modifiers(&tld)))
            .see("TLD reference 1.1"),
        );
    }
    Ok((rest, tld))
}

/// A diagnostic for text of Volta and later.
fn later_text(label: String) -> Diagnostic {
    problem(Code::E0815, "this is not Maxwell text", label)
        .note(
            "Volta and later write TLD with .SCR, a bank and an offset or a uniform register, and two \
             destinations; their words have 128 bits",
        )
        .see("TLD reference 8.2")
}

/// An operand by what it looks like.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Pred,
    Reg,
    Uniform,
    Number,
    Dim,
}

/// Looks at one operand without reading it.
fn kind(input: &str) -> Option<Kind> {
    let (_, text) = name(input).ok()?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbered = |prefix, special| {
        text.strip_prefix(prefix)
            .is_some_and(|n: &str| n == special || digits(n))
    };
    if numbered("P", "T") {
        Some(Kind::Pred)
    } else if numbered("R", "Z") {
        Some(Kind::Reg)
    } else if numbered("UR", "Z") {
        Some(Kind::Uniform)
    } else if dim_named(text).is_some() {
        Some(Kind::Dim)
    } else if input.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
        Some(Kind::Number)
    } else {
        None
    }
}

fn dim_named(text: &str) -> Option<Dim> {
    Dim::ALL.into_iter().find(|dim| dim.name() == text)
}

/// The coordinate description.
fn dim(input: &str) -> Read<'_, Dim> {
    let (rest, text) = name(input)?;
    match dim_named(text) {
        Some(dim) => Ok((rest, dim)),
        None if text.is_empty() => expected(input, "a coordinate description"),
        None => {
            let known = Dim::ALL
                .into_iter()
                .filter(|d| !d.is_reserved())
                .map(Dim::name);
            let diagnostic = problem(
                Code::E0806,
                "no such coordinate description",
                format!("what is {text}?"),
            )
            .note("1D, 2D, 3D, ARRAY_1D and ARRAY_2D")
            .see("TLD reference 1.1");
            refuse(
                input,
                text.len(),
                match nearest(text, known).filter(|_| text.len() > 2) {
                    Some(meant) => diagnostic.help(format!("did you mean {meant}?")),
                    None => diagnostic,
                },
            )
        }
    }
}

/// `0` … `0xf`, or the letters that are set, `RGBA`.
fn mask(input: &str) -> Read<'_, u8> {
    let letters: Read<'_, _> = (
        opt(value(1u8, char('R'))),
        opt(value(2u8, char('G'))),
        opt(value(4u8, char('B'))),
        opt(value(8u8, char('A'))),
    )
        .parse(input);
    if let Ok((rest, (r, g, b, a))) = letters {
        let bits = [r, g, b, a]
            .into_iter()
            .flatten()
            .fold(0, |mask, bit| mask | bit);
        if bits != 0 && !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            return Ok((rest, bits));
        }
    }
    let (rest, bits) = number(input, "the mask", 0xf)?;
    Ok((rest, bits as u8))
}

/// A comma with blanks around.
fn comma(input: &str) -> Read<'_, &str> {
    let at = blanks(input);
    match at.strip_prefix(',') {
        Some(rest) => Ok((blanks(rest), &at[..1])),
        None => expected(at, "`,`"),
    }
}

/// The kinds of all operands, as far as they are known, to know relatives by their shape.
fn shape(input: &str) -> Vec<Option<Kind>> {
    let one = |input| -> Read<'_, Option<Kind>> {
        let input = blanks(input);
        let (rest, _) = take_while(|c| !",;} \t\r\n".contains(c)).parse(input)?;
        Ok((rest, kind(input)))
    };
    let list: Read<'_, _> = separated_list1(comma, one).parse(input);
    list.map(|(_, kinds)| kinds).unwrap_or_default()
}

/// Operands from Ps to the mask.
fn operands<'a>(input: &'a str, ruler: Ruler, tld: &mut Tld, places: &mut Places) -> Read<'a, ()> {
    let start = blanks(input);
    if start.len() == input.len() && kind(start).is_some() {
        return expected(input, "a blank after the modifiers");
    }
    let kinds = shape(start);
    let later = kinds.contains(&Some(Kind::Uniform))
        || kinds
            .windows(3)
            .any(|w| w == [Some(Kind::Number), Some(Kind::Number), Some(Kind::Dim)]);
    if later {
        let length = start.find([';', '}']).unwrap_or(start.len());
        let label = "a bank and an offset, or a uniform register, name the texture here";
        return refuse(
            start,
            start[..length].trim_end().len(),
            later_text(label.to_owned()),
        );
    }
    let mut input = start;
    if kinds.first() == Some(&Some(Kind::Pred)) {
        (input, tld.ps) = pred(start)?;
        input = comma(input)?.0;
    }
    let mut registers = Vec::new();
    loop {
        let at = input;
        let (rest, register) = reg(at)?;
        if registers.len() == 3 {
            return refuse(
                at,
                at.len() - rest.len(),
                problem(
                    Code::E0803,
                    "one register too many",
                    format!("{register} is the fourth"),
                )
                .note("TLD takes Rd, Ra and Rb: results, coordinates, everything else")
                .see("TLD reference 1.1"),
            );
        }
        registers.push((register, ruler.span(at, rest)));
        input = comma(rest)?.0;
        match kind(input) {
            Some(Kind::Reg) => {}
            _ if registers.len() < 2 => {
                let length = input.find([' ', ',', ';']).unwrap_or(input.len());
                return refuse(
                    input,
                    length,
                    problem(
                        Code::E0803,
                        "Ra is missing",
                        "the register of the coordinates is here",
                    )
                    .note("TLD takes Rd and Ra at least, then index and coordinate description")
                    .see("TLD reference 1.1"),
                );
            }
            _ => break,
        }
    }
    let behind_ra = registers[1].1;
    (tld.rd, places.rd) = registers[0];
    (tld.ra, places.ra) = registers[1];
    (tld.rb, places.rb) = match registers.get(2) {
        Some(&rb) => rb,
        None => (Reg::RZ, Span::new(behind_ra.end, behind_ra.end)),
    };
    let (rest, index) = number(input, "the index", 0x1fff)?;
    if tld.handle != Handle::Bindless {
        tld.handle = Handle::Bound(index);
    }
    input = comma(rest)?.0;
    let at = input;
    (input, tld.dim) = dim(at)?;
    places.dim = ruler.span(at, input);
    if blanks(input).starts_with(',') {
        (input, tld.mask) = mask(comma(input)?.0)?;
    }
    Ok((input, ()))
}
