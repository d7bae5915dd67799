//! Reads the text, one instruction to a line; blanks separate its parts.
//!
//! A part that is left out is filled in, so that the manual's own snippets read:
//! * a region: `<8;8,1>` or as many as there are lanes; `<0;1,0>` for one lane; a stride: `<1>`;
//! * a type: that of the first operand that has one, else `f`.

use super::line::{
    ALU, Action, CONDITIONS, Descriptor, Dst, File, GENERAL, Instruction, Line, MESSAGE, Predicate,
    REGISTER, Register, Send, Src,
};
use crate::diagnostic::{Code, Diagnostic, any_fatal};
use crate::isa::{Opcode, Platform, Type};
use crate::message::Sfid;
use crate::message::fields::extended_gen5;
use crate::source::{Source, Span, Spanned};

type Wrong = Box<Diagnostic>;
type Word<'a> = Spanned<&'a str>;

fn wrong(span: Span, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0920).at(span, label))
}

fn no_register(span: Span, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0921).at(span, label))
}

/// Reads a program; a line that does not read leaves its diagnostics and nothing else.
pub fn parse(source: &Source) -> (Vec<Line>, Vec<Diagnostic>) {
    let (mut lines, mut diagnostics) = (Vec::new(), Vec::new());
    let mut start = 0;
    for text in source.text().split_inclusive('\n') {
        match words(text, start) {
            words if words.is_empty() => {}
            words => match line(&words) {
                Ok((line, found)) => {
                    lines.push(line);
                    diagnostics.extend(found);
                }
                Err(found) => diagnostics.push(*found),
            },
        }
        start += text.len() as u32;
    }
    (lines, diagnostics)
}

/// The program with each line in its canonical form; comments and blank lines stay.
pub fn canonical(source: &Source) -> (String, Vec<Diagnostic>) {
    let (lines, diagnostics) = parse(source);
    let text = source.text();
    let (mut printed, mut at) = (String::with_capacity(text.len()), 0);
    if !any_fatal(&diagnostics) {
        for line in &lines {
            let range = line.span.range();
            let before = &text[at..range.start];
            // Blanks at the start of the line go.
            let indent = before.rfind('\n').map_or(0, |n| n + 1);
            let kept = if before[indent..].trim().is_empty() {
                &before[..indent]
            } else {
                before
            };
            printed.push_str(kept);
            printed.push_str(&line.node.to_string());
            at = range.end;
        }
    }
    printed.push_str(&text[at..]);
    (printed, diagnostics)
}

/// The parts of a line up to its comment. Braces hold a part together.
fn words(text: &str, start: u32) -> Vec<Word<'_>> {
    let code = text.split("//").next().unwrap_or_default();
    let mut words = Vec::new();
    let mut from = None;
    let mut braces = false;
    for (at, c) in code.char_indices().chain([(code.len(), '\n')]) {
        let blank = c.is_whitespace() && (!braces || c == '\n');
        match (blank, from) {
            (false, None) => from = Some(at),
            (true, Some(first)) => {
                let span = Span::new(start + first as u32, start + at as u32);
                words.push(Spanned::new(&code[first..at], span));
                from = None;
            }
            _ => {}
        }
        match c {
            '{' => braces = true,
            '}' => braces = false,
            _ => {}
        }
    }
    words
}

/// The parts that are still to be read.
struct Rest<'w, 'a> {
    words: &'w [Word<'a>],
    end: Span,
}

impl<'w, 'a> Rest<'w, 'a> {
    fn next(&mut self, wanted: &str) -> Result<Word<'a>, Wrong> {
        let (first, rest) = self
            .words
            .split_first()
            .ok_or_else(|| wrong(self.end, format!("{wanted} is wanted behind this")))?;
        self.words = rest;
        Ok(*first)
    }
}

/// A type that the operand may leave out.
type Operand<T> = (T, Option<Type>);

fn line(words: &[Word<'_>]) -> Result<(Line, Vec<Diagnostic>), Wrong> {
    let (first, last) = match words {
        [first, .., last] => (first, last),
        [one] => (one, one),
        [] => return Err(wrong(Span::default(), "nothing")),
    };
    let mut rest = Rest {
        words,
        end: Span::new(last.span.end.saturating_sub(1), last.span.end),
    };
    let predicate = predicate(&mut rest)?;
    let mnemonic = rest.next("an instruction")?;
    let mut parts = mnemonic.node.split('.');
    let name = parts.next().unwrap_or_default();
    let suffixes: Vec<&str> = parts.collect();
    let mut found = Vec::new();
    let mut eot = false;
    let (lanes, mut action) = match name {
        "nop" if suffixes.is_empty() => (1, Action::Nop),
        "send" if suffixes.is_empty() => {
            let lanes = lanes(&mut rest)?;
            let (send, more) = send(&mut rest)?;
            found.extend(more);
            eot = send.eot;
            (lanes, Action::Send(send))
        }
        "cmp" => {
            let condition = match suffixes[..] {
                [condition, "f0", "0"] => CONDITIONS.iter().find(|row| row.0 == condition),
                _ => None,
            };
            let condition = condition
                .ok_or_else(|| wrong(mnemonic.span, "cmp.CONDITION.f0.0 with e ne g ge l le"))?;
            let lanes = lanes(&mut rest)?;
            let null = rest.next("null")?;
            if null.node != "null" {
                return Err(wrong(null.span, "cmp sets f0.0 and writes null"));
            }
            let a = source(rest.next("a source")?, lanes)?;
            let b = source(rest.next("a second source")?, lanes)?;
            let ty = first_type([a.1, b.1]);
            let src = [resolve(a, ty)?, resolve(b, ty)?];
            same_kind(mnemonic.span, &[src[0].1, src[1].1], false)?;
            let condition = condition.1;
            (lanes, Action::Compare { condition, src })
        }
        _ => {
            let row = ALU.iter().find(|row| row.0 == name);
            let saturate = suffixes == ["sat"];
            let Some(&(_, opcode, sources)) = row.filter(|_| saturate || suffixes.is_empty())
            else {
                let known: Vec<_> = ALU.iter().map(|row| row.0).collect();
                let label = format!("no instruction: {} cmp send nop", known.join(" "));
                return Err(wrong(mnemonic.span, label));
            };
            let lanes = lanes(&mut rest)?;
            let at = rest.next("a destination")?;
            let dst = destination(at)?;
            let a = source(rest.next("a source")?, lanes)?;
            let b = match sources {
                2 => source(rest.next("a second source")?, lanes)?,
                _ => a,
            };
            let ty = first_type([dst.1, a.1, b.1]);
            let src = [resolve(a, ty)?, resolve(b, ty)?];
            let ty = dst.1.unwrap_or(ty);
            let logic = matches!(
                opcode,
                Opcode::Not
                    | Opcode::And
                    | Opcode::Or
                    | Opcode::Xor
                    | Opcode::Shl
                    | Opcode::Shr
                    | Opcode::Asr
                    | Opcode::Avg
            );
            let types = [src[0].1, src[1].1, ty];
            if opcode != Opcode::Mov {
                same_kind(mnemonic.span, &types, logic)?;
            }
            let dst = dst.0;
            if dst == Dst::Address && (ty != Type::Ud || lanes != 1) {
                return Err(wrong(at.span, "a0.0 takes one element of ud"));
            }
            fits(at.span, dst, ty, lanes)?;
            (
                lanes,
                Action::Alu {
                    opcode,
                    saturate,
                    dst: (dst, ty),
                    src,
                    sources,
                },
            )
        }
    };
    let mut no_mask = false;
    if let Some((options, more)) = rest.words.split_first() {
        if let Some(extra) = more.first() {
            return Err(wrong(extra.span, "nothing more is wanted here"));
        }
        let inside = options
            .node
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .ok_or_else(|| wrong(options.span, "nothing more is wanted here but {options}"))?;
        for option in inside.split(',').map(str::trim) {
            match (option, &action) {
                ("NoMask", _) => no_mask = true,
                ("EOT", Action::Send(_)) => eot = true,
                _ => return Err(wrong(options.span, "options are NoMask, and EOT of a send")),
            }
        }
    }
    if let Action::Send(send) = &mut action {
        send.eot = eot;
    }
    let instruction = Instruction {
        predicate,
        lanes,
        action,
        no_mask,
    };
    Ok((Spanned::new(instruction, first.span.to(last.span)), found))
}

fn predicate(rest: &mut Rest<'_, '_>) -> Result<Option<Predicate>, Wrong> {
    let Some(word) = rest.words.first().filter(|w| w.node.starts_with('(')) else {
        return Ok(None);
    };
    let inside = word.node.trim_start_matches('(').trim_end_matches(')');
    let (inverted, flag) = match inside.strip_prefix('-') {
        Some(flag) => (true, flag),
        None => (false, inside.strip_prefix('+').unwrap_or(inside)),
    };
    if !matches!(flag, "f0" | "f0.0") || !word.node.ends_with(')') {
        return Err(no_register(word.span, "the predicate is (f0.0) or (-f0.0)"));
    }
    rest.words = &rest.words[1..];
    Ok(Some(Predicate { inverted }))
}

fn lanes(rest: &mut Rest<'_, '_>) -> Result<u32, Wrong> {
    let word = rest.next("the number of lanes, as (8),")?;
    match word.node {
        "(1)" => Ok(1),
        "(2)" => Ok(2),
        "(4)" => Ok(4),
        "(8)" => Ok(8),
        "(16)" => Ok(16),
        _ => Err(wrong(word.span, "lanes are (1) (2) (4) (8) or (16)")),
    }
}

fn first_type<const N: usize>(types: [Option<Type>; N]) -> Type {
    types.into_iter().flatten().next().unwrap_or(Type::F)
}

/// Floats and integers meet only in `mov`; logic takes integers.
fn same_kind(span: Span, types: &[Type], integers: bool) -> Result<(), Wrong> {
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
fn split<'a>(word: Word<'a>) -> Result<(&'a str, Option<&'a str>, Option<Type>), Wrong> {
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

fn register(text: &str, span: Span) -> Result<Register, Wrong> {
    let (file, rest, count) = match text.split_at_checked(1) {
        Some(("r", rest)) => (File::General, rest, GENERAL),
        Some(("m", rest)) => (File::Message, rest, MESSAGE),
        _ => return Err(no_register(span, format!("`{text}` is no register"))),
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

fn destination(word: Word<'_>) -> Result<Operand<Dst>, Wrong> {
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
        text => Dst::Register {
            at: register(text, word.span)?,
            stride,
        },
    };
    Ok((dst, ty.or((dst == Dst::Address).then_some(Type::Ud))))
}

/// A register, or a number that is still text: its type may stand at another operand.
#[derive(Clone, Copy)]
enum Unread<'a> {
    Number(&'a str, Span),
    Region(Register, (u32, u32, u32), bool, bool, Span, u32),
}

fn source(word: Word<'_>, lanes: u32) -> Result<Operand<Unread<'_>>, Wrong> {
    let (text, region, ty) = split(word)?;
    let (negate, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if rest.starts_with(|c: char| c.is_ascii_digit()) && region.is_none() {
        return Ok((Unread::Number(text, word.span), ty));
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

fn resolve(operand: Operand<Unread<'_>>, common: Type) -> Result<(Src, Type), Wrong> {
    let ty = operand.1.unwrap_or(common);
    let src = match operand.0 {
        Unread::Number(text, span) => Src::Immediate(
            immediate(text, ty)
                .ok_or_else(|| wrong(span, format!("`{text}` is no number of type {ty}")))?,
        ),
        Unread::Region(at, region, negate, abs, span, lanes) => {
            let (v, w, h) = region;
            let rows = lanes.div_ceil(w);
            let last = at.sub + (rows - 1) * v + (w - 1) * h;
            let end = at.number * REGISTER + (last + 1) * ty.bytes();
            if end > GENERAL * REGISTER {
                return Err(no_register(span, "the region ends behind r127"));
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
fn fits(span: Span, dst: Dst, ty: Type, lanes: u32) -> Result<(), Wrong> {
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
            Err(no_register(span, "the region ends behind r127"))
        }
        _ => Ok(()),
    }
}

fn send(rest: &mut Rest<'_, '_>) -> Result<(Send, Option<Diagnostic>), Wrong> {
    let whole = |word: Word<'_>, file: File| -> Result<Option<u32>, Wrong> {
        let (text, region, _) = split(word)?;
        if text == "null" {
            return Ok(None);
        }
        let at = register(text, word.span)?;
        if at.sub != 0 || region.is_some_and(|r| !matches!(r, "1" | "8;8,1")) {
            return Err(wrong(word.span, "a send names whole registers"));
        }
        if at.file != file {
            if at.file == File::Message {
                let refused = Diagnostic::new(Code::E0922)
                    .at(word.span, "a general register is wanted here")
                    .see("PRM 2.6.1");
                return Err(Box::new(refused));
            }
            return Err(wrong(word.span, "a message register is wanted here"));
        }
        Ok(Some(at.number))
    };
    let dst = whole(rest.next("a destination")?, File::General)?;
    let message = rest.next("the first message register")?;
    let found = whole(message, File::Message)?;
    let message_register =
        found.ok_or_else(|| wrong(message.span, "a message has one register at least"))?;
    let implied = whole(
        rest.next("a general register for the implied move")?,
        File::General,
    )?;
    let word = rest.next("the receiver")?;
    let single = rest
        .words
        .first()
        .is_none_or(|next| next.node.starts_with('{'));
    if single && let Some(old) = hex(word.node) {
        return Err(pre_ironlake(old, word.span));
    }
    let (receiver, eot) = receiver(word)?;
    let word = rest.next("a descriptor")?;
    let descriptor = match word.node {
        "a0.0" | "a0" => Descriptor::Address,
        text => Descriptor::Known(
            hex(text).ok_or_else(|| wrong(word.span, "a descriptor is hexadecimal, or a0.0"))?,
        ),
    };
    let warning = (message_register == 0).then(|| {
        Diagnostic::new(Code::W0923)
            .at(message.span, "messages of threads begin at m1 or behind")
            .see("PRM 2.6.1")
    });
    let send = Send {
        dst,
        message: message_register,
        implied,
        receiver,
        descriptor,
        eot,
    };
    Ok((send, warning))
}

fn hex(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"))?;
    u32::from_str_radix(digits, 16).ok()
}

/// A name, or an extended descriptor: receiver and end of thread.
fn receiver(word: Word<'_>) -> Result<(Sfid, bool), Wrong> {
    let all = (0..16).filter_map(|n| Sfid::from_number(n, Platform::Ilk));
    let names = || {
        let names: Vec<_> = all.clone().map(Sfid::suffix).collect();
        format!(
            "receivers are {}; or 0 to 7 in hexadecimal, bit 5 the end of the thread",
            names.join(" ")
        )
    };
    if let Some(extended) = hex(word.node) {
        let number = extended_gen5::SFID.get(&[extended]);
        let known = extended & !extended_gen5::LAYOUT.known(0) == 0;
        let sfid = Sfid::from_number(number, Platform::Ilk).filter(|_| known);
        let eot = extended_gen5::EOT.get(&[extended]) != 0;
        return sfid
            .map(|sfid| (sfid, eot))
            .ok_or_else(|| wrong(word.span, names()));
    }
    let found = all
        .clone()
        .find(|sfid| [sfid.name(), sfid.suffix()].contains(&word.node));
    found
        .map(|sfid| (sfid, false))
        .ok_or_else(|| wrong(word.span, names()))
}

/// A descriptor of one word: control 15:0, response 19:16, length 23:20, receiver 27:24, end of thread
/// 31, as the example of PRM 2.6.2 tells them.
fn pre_ironlake(word: u32, span: Span) -> Wrong {
    let (control, response, length) = (word & 0xffff, word >> 16 & 0xf, word >> 20 & 0xf);
    let receiver = Sfid::from_number(word >> 24 & 0xf, Platform::Ilk);
    let mut wrong = Diagnostic::new(Code::E0936)
        .at(span, "receiver and descriptor are two words")
        .see("PRM 2.6.2; lowering reference 18.1");
    if let Some(receiver) = receiver {
        let end = if word >> 31 == 1 { " {EOT}" } else { "" };
        // Only math kept its function control.
        wrong = match receiver {
            Sfid::Math => {
                let desc = length << 25 | response << 20 | control;
                wrong.help(format!("… math {desc:#010x}{end}"))
            }
            other => wrong.note(format!(
                "it asks {} with {length} registers for {response}, control {control:#06x}, which has other bits now",
                other.name()
            )),
        };
    }
    Box::new(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(text: &str) -> (Vec<Line>, Vec<Diagnostic>) {
        parse(&Source::new("test.send", text))
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let text = "mul (8)  m4    r20    r19 // as in the manual\n\
                    mov (8)  m6    r21\n\
                    mov (1) m3.2 0x10:ud\n\
                    (-f0) add.sat (16) r4 -r2<0;1,0> (abs)r6:f {NoMask}\n\
                    cmp.ge.f0.0 (8) null r1:d -3\n\
                    send (8) r30   m3     r0   read 0x02186001\n\
                    send (8) null m15<1> r0<8;8,1> 0x27 0x2000000\n";
        let (lines, found) = read(text);
        assert_eq!(found, []);
        let printed: Vec<String> = lines.iter().map(|l| l.node.to_string()).collect();
        assert_eq!(
            printed,
            [
                "mul (8) m4<1>:f r20<8;8,1>:f r19<8;8,1>:f",
                "mov (8) m6<1>:f r21<8;8,1>:f",
                "mov (1) m3.2<1>:ud 0x10:ud",
                "(-f0.0) add.sat (16) r4<1>:f -r2<0;1,0>:f (abs)r6<8;8,1>:f {NoMask}",
                "cmp.ge.f0.0 (8) null r1<8;8,1>:d -3:d",
                "send (8) r30 m3 r0 read 0x02186001",
                "send (8) null m15 r0 ts 0x02000000 {EOT}",
            ]
        );
        let again = read(&printed.join("\n"));
        let nodes = |lines: &[Line]| lines.iter().map(|l| l.node).collect::<Vec<_>>();
        assert_eq!(nodes(&again.0), nodes(&lines));
    }

    #[test]
    fn comments_stay_where_they_are() {
        let source = Source::new("a.send", "// first\n\n  mov (8) m1 r2   // why\nnop");
        assert_eq!(
            canonical(&source).0,
            "// first\n\nmov (8) m1<1>:f r2<8;8,1>:f   // why\nnop"
        );
    }

    #[test]
    fn the_first_example_of_the_manual_is_translated() {
        let (_, found) = read("send (16) r5 m3 r0 0x01110001");
        assert_eq!(found[0].code, Code::E0936);
        assert_eq!(found[0].help.as_deref(), Some("… math 0x02100001"));
    }

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

    #[test]
    fn no_line_panics() {
        let words = [
            "mov",
            "(8)",
            "r0",
            "m3",
            "send",
            "null",
            "0x7",
            "{EOT}",
            "(f0.0)",
            "r127.31<32;16,4>:ud",
            "<",
            ">",
            ":",
            "-",
            "(abs)",
            "a0.0",
            "cmp.g.f0.0",
            "1e99:f",
            "é",
            "{",
            "}",
            "r.",
            "m.1",
            "99999999999999999999",
            "0xfffffffff",
            "(",
            "(16)",
            "math",
            "nop",
            "mul.sat",
            ".",
        ];
        let mut x = 7_u32;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..6 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text += words[x as usize / 65_536 % words.len()];
                text += if x & 0x100 == 0 { " " } else { "" };
            }
            let _ = crate::sends::program(&Source::new("fuzz.send", text));
        }
    }
}
