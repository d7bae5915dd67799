//! The printer: the canonical text of a module, in the form Intel's printer writes.
//!
//! What comes out is read back as the same module. Where Intel's printer writes something that no
//! reader takes (vISA text reference, section 8: a trailing dot after `fence_local`, `.reserved` for
//! `media_st.modified`, bare references to labels with a hyphen) the readable spelling is written,
//! and `avs` keeps the order in which the text names sampler and surface (AVS reference D12). Comments are
//! kept; the compiler's `///` notes are in its column.

use super::ast::{
    AttributeValue, Declaration, DeclarationClass, General, Indirect, Instruction, LscAddress,
    LscData, LscFunction, LscModel, Module, Operand, Predicate, PredicateGroup, Raw, Region,
    Statement, Suffix,
};
use super::directive::alignment_word;
use super::suffix::{FENCE_LETTERS, LSC_FUNCTIONS};
use super::token::is_bare_name;
use crate::isa::{ExecUse, Extension, Family, OpInfo, Slot};
use crate::source::{Span, Spanned};
use std::fmt::Write;

/// Blanks in front of an instruction.
const INDENT: &str = "    ";
/// Width to which an instruction is padded before a note of the compiler.
const NOTE_COLUMN: usize = 80;

/// Writes a module as canonical text, a line break after every line.
///
/// `parse(print(m)) == m` for every module that was read, and `print(parse(t)) == t` for text that is
/// in this form. Source: vISA text reference 2.1, 2.6 and section 8.
pub fn print(module: &Module) -> String {
    let mut text = String::new();
    // Whether the statement after each line is indented, found from the end.
    let mut next = false;
    let tail = module.lines.iter().rev().map(|line| {
        let tail = next;
        next = line.statement.as_ref().map_or(next, |s| is_indented(s));
        tail
    });
    let tail: Vec<bool> = tail.collect();
    for (line, tail) in module.lines.iter().zip(tail.into_iter().rev()) {
        let printed = match &line.statement {
            Some(statement) => print_statement(statement),
            None => String::new(),
        };
        match (&line.statement, &line.comment) {
            (_, None) => text.push_str(&printed),
            // A comment alone is as far in as the statement it speaks of.
            (None, Some(comment)) => {
                if tail {
                    text.push_str(INDENT);
                }
                text.push_str(comment);
            }
            (Some(statement), Some(comment)) => {
                let is_note = comment.starts_with("///") && is_indented(statement);
                let width = if is_note { NOTE_COLUMN } else { 0 };
                let gap = if is_note { " " } else { "  " };
                put(
                    &mut text,
                    format_args!("{printed:width$}{gap}{}", comment.node),
                );
            }
        }
        text.push('\n');
    }
    text
}

fn is_indented(statement: &Statement) -> bool {
    matches!(statement, Statement::Instruction(_))
}

/// Writing to a `String` cannot fail.
fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

/// Writes one statement without its line break and comment.
pub fn print_statement(statement: &Statement) -> String {
    match statement {
        Statement::Version { major, minor } => format!(".version {major}.{minor}"),
        Statement::Kernel(name) => format!(".kernel {}", quoted(name)),
        Statement::GlobalFunction(name) => format!(".global_function {}", quoted(name)),
        Statement::FuncDecl(name) => format!(".funcdecl {}", quoted(name)),
        Statement::Function(name) => format!(".function {}", quoted(name)),
        Statement::Attribute { name, value } => format!(".kernel_attr {}", attribute(name, value)),
        Statement::Declaration(declaration) => print_declaration(declaration),
        Statement::Input(input) => {
            let mut text = format!(".{} {}", input.directive, input.name.node);
            for (field, value) in [("offset", &input.offset), ("size", &input.size)] {
                if let Some(value) = value {
                    put(
                        &mut text,
                        format_args!(" {field}={}", number(value.node as i64)),
                    );
                }
            }
            text
        }
        Statement::Label(name) => format!("{}:", name.node),
        Statement::OpenScope => "{".to_owned(),
        Statement::CloseScope => "}".to_owned(),
        Statement::Instruction(instruction) => {
            format!("{INDENT}{}", print_instruction(instruction))
        }
    }
}

fn attribute(name: &str, value: &Option<AttributeValue>) -> String {
    match value {
        None => name.to_owned(),
        Some(AttributeValue::Number(value)) => format!("{name}={}", number(*value)),
        Some(AttributeValue::Text(text)) => format!("{name}={}", quoted(text)),
    }
}

/// A value of a constant expression: decimal, but hexadecimal where decimal would wrap at 32 bits.
fn number(value: i64) -> String {
    if value.unsigned_abs() <= u64::from(u32::MAX) {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

/// Quoted text, with escapes for what cannot appear in it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Control characters up to U+009F are one byte each in the reader's eyes.
            c if c.is_control() => put(&mut out, format_args!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A label or function as an operand: quoted where a bare name would not be read.
fn reference(name: &str) -> String {
    if is_bare_name(name) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn print_declaration(declaration: &Declaration) -> String {
    let mut text = format!(".decl {} v_type=", declaration.name.node);
    let elements = number(declaration.elements.node as i64);
    match &declaration.class {
        DeclarationClass::General { ty, align, alias } => {
            put(
                &mut text,
                format_args!("G type={} num_elts={elements}", ty.node),
            );
            if let Some(word) = align.as_ref().and_then(|a| alignment_word(a.node)) {
                put(&mut text, format_args!(" align={word}"));
            }
            if let Some(alias) = alias {
                let (base, offset) = (&alias.base.node, number(alias.offset.node as i64));
                put(&mut text, format_args!(" alias=<{base}, {offset}>"));
            }
        }
        DeclarationClass::Address => put(&mut text, format_args!("A num_elts={elements}")),
        DeclarationClass::Predicate => put(&mut text, format_args!("P num_elts={elements}")),
        DeclarationClass::Sampler { v_name } | DeclarationClass::Surface { v_name } => {
            let is_sampler = matches!(declaration.class, DeclarationClass::Sampler { .. });
            let class = if is_sampler { 'S' } else { 'T' };
            put(&mut text, format_args!("{class} num_elts={elements}"));
            if let Some(name) = v_name {
                put(&mut text, format_args!(" v_name={}", name.node));
            }
        }
    }
    if !declaration.attributes.is_empty() {
        let all: Vec<String> = declaration
            .attributes
            .iter()
            .map(|(name, value)| attribute(name, value))
            .collect();
        put(&mut text, format_args!(" attrs={{{}}}", all.join(", ")));
    }
    text
}

/// Writes an instruction without indentation.
pub fn print_instruction(instruction: &Instruction) -> String {
    let row = instruction.opcode.info();
    let mut text = String::new();
    if let Some(predicate) = &instruction.predicate {
        put(&mut text, format_args!("{} ", print_predicate(predicate)));
    }
    text.push_str(row.mnemonic);
    for suffix in &instruction.suffixes {
        print_suffix(&mut text, suffix);
    }
    if let Some(exec) = &instruction.exec {
        match row.exec {
            ExecUse::Count | ExecUse::OptionalCount => {
                put(&mut text, format_args!(" ({})", exec.size));
            }
            ExecUse::None | ExecUse::Lanes => put(&mut text, format_args!(" {}", exec.node)),
        }
    }
    let slots = operand_slots(row);
    let mut paired = instruction.paired.as_ref();
    let either = row.slots.contains(&Slot::SamplerAndSurface);
    let operands = in_order_of_text(&instruction.operands, either);
    for (i, (operand, slot)) in operands.zip(slots).enumerate() {
        if matches!(slot, Slot::Params { .. })
            && let Some(paired) = paired.take()
        {
            put(&mut text, format_args!(" {}", print_raw(paired)));
        }
        text.push_str(gap(instruction, i, slot));
        print_operand(&mut text, operand, slot);
    }
    text
}

/// The operands; where sampler and surface have `either` order, the surface first unless the text has the sampler first.
fn in_order_of_text(
    operands: &[Spanned<Operand>],
    either: bool,
) -> impl Iterator<Item = &Spanned<Operand>> + Clone {
    let exchanged = match operands {
        [sampler, surface, ..] => either && !sampler_first(sampler.span, surface.span),
        _ => false,
    };
    let at = move |i: usize| match i {
        0 | 1 if exchanged => 1 - i,
        i => i,
    };
    (0..operands.len()).map(move |i| &operands[at(i)])
}

/// Whether the text has the sampler first; without a text it has not.
fn sampler_first(sampler: Span, surface: Span) -> bool {
    sampler.start < surface.start
}

/// The slot each operand is at: two operands share [`Slot::SamplerAndSurface`], and all from
/// [`Slot::Params`] on are parameters.
fn operand_slots(row: &OpInfo) -> impl Iterator<Item = Slot> {
    let fixed = row.slots.iter().flat_map(|&slot| {
        let times = if slot == Slot::SamplerAndSurface {
            2
        } else {
            1
        };
        std::iter::repeat_n(slot, times)
    });
    fixed.chain(row.slots.last().copied().into_iter().cycle())
}

/// What Intel's printer writes in front of an operand: mostly one blank.
fn gap(instruction: &Instruction, index: usize, slot: Slot) -> &'static str {
    let row = instruction.opcode.info();
    let wide = match row.family {
        // Load/store messages keep their parts two blanks apart.
        Family::Lsc => true,
        // In front of the texel offsets or the surface; for `sample4` (opcode 0x6f) since there are paired
        // surfaces.
        Family::Sampler3d => index == 0 && (row.code != 0x6f || instruction.paired.is_some()),
        // In front of the first descriptor.
        Family::RawMessage => row.slots.iter().position(|s| *s == Slot::Scalar) == Some(index),
        // After the surface.
        Family::Vme => index > 0 && row.slots.get(index - 1) == Some(&Slot::Surface),
        _ => false,
    };
    match slot {
        Slot::NumberPair => "",
        _ if wide => "  ",
        _ => " ",
    }
}

fn print_predicate(predicate: &Predicate) -> String {
    let not = if predicate.inverted { "!" } else { "" };
    let group = match predicate.group {
        None => "",
        Some(PredicateGroup::Any) => ".any",
        Some(PredicateGroup::All) => ".all",
    };
    format!("({not}{}{group})", predicate.var)
}

fn print_suffix(text: &mut String, suffix: &Suffix) {
    match suffix {
        Suffix::Saturate => text.push_str(".sat"),
        Suffix::Condition(condition) => put(text, format_args!(".{condition}")),
        Suffix::MediaMode(mode) => put(text, format_args!(".{mode}")),
        Suffix::Channels(channels) => put(text, format_args!(".{channels}")),
        Suffix::PixelNullMask => text.push_str(".pixel_null_mask"),
        Suffix::Cps => text.push_str(".cps"),
        Suffix::DivS => text.push_str(".divS"),
        Suffix::AtomicOp(op) => put(text, format_args!(".{op}")),
        Suffix::Bits(bits) => put(text, format_args!(".{bits}")),
        Suffix::ElementBytes(bytes) => put(text, format_args!(".{bytes}")),
        Suffix::Blocks { bytes, count } => put(text, format_args!(".{bytes}.{count}")),
        Suffix::BooleanFunction(table) => put(text, format_args!(".x{table:x}")),
        // A dot with nothing after it is what no reader takes (quirk 19).
        Suffix::FenceFlags(0) => {}
        Suffix::FenceFlags(flags) => {
            text.push('.');
            for (bit, letter) in FENCE_LETTERS.iter().enumerate() {
                if flags >> bit & 1 != 0 {
                    text.push_str(letter);
                }
            }
        }
        Suffix::UnormFormat(format) => put(text, format_args!(".{format}")),
        Suffix::Systolic { a, b, depth, rows } => {
            put(text, format_args!(".{a}.{b}.{depth}.{rows}"));
        }
        Suffix::SendSizes(sizes) => {
            for size in sizes {
                put(text, format_args!(".{size}"));
            }
        }
        Suffix::Aligned(true) => text.push_str(".aligned"),
        Suffix::Aligned(false) => text.push_str(".unaligned"),
        Suffix::Mod => text.push_str(".mod"),
        Suffix::LscFunction(function) => put(text, format_args!(".{}", lsc_function(*function))),
        Suffix::LscCache(words) | Suffix::CallFlags(words) | Suffix::LscFlags(words) => {
            for word in words {
                put(text, format_args!(".{word}"));
            }
        }
        Suffix::LscFence { op, scope } => put(text, format_args!(".{op}.{scope}")),
        Suffix::Word(word) => put(text, format_args!(".{word}")),
        Suffix::Downscale {
            conversion,
            mode,
            rounding,
        } => put(text, format_args!(".{conversion}.{mode}.{rounding}")),
        Suffix::TargetFlags(flags) => {
            text.push('.');
            for flag in flags {
                put(text, format_args!("<{flag}>"));
            }
        }
    }
}

fn lsc_function(function: LscFunction) -> &'static str {
    LSC_FUNCTIONS
        .iter()
        .find(|(f, _)| *f == function)
        .map_or("", |(_, word)| word)
}

fn print_operand(text: &mut String, operand: &Operand, slot: Slot) {
    match operand {
        Operand::General(general) => print_general(text, general),
        Operand::Indirect(indirect) => print_indirect(text, indirect),
        Operand::Immediate(immediate) => {
            put(text, format_args!("{:#x}:{}", immediate.bits, immediate.ty));
        }
        Operand::AddressOf { var, offset: 0 } => put(text, format_args!("&{}", var.node)),
        Operand::AddressOf { var, offset } => {
            put(text, format_args!("&{}[{}]", var.node, number(*offset)));
        }
        Operand::Address {
            var,
            element,
            stride,
        } => {
            put(text, format_args!("{}({element})<{stride}>", var.node));
        }
        Operand::Raw(raw) if slot == Slot::LscRaw => text.push_str(&short_raw(raw)),
        Operand::Raw(raw) => text.push_str(&print_raw(raw)),
        Operand::Payload(raw, bytes) => put(text, format_args!("{}/{bytes}", print_raw(raw))),
        Operand::StatePair {
            base,
            element: None,
            index,
        } => put(text, format_args!("({}, {index})", base.node)),
        // Intel's printer leaves two blanks after it.
        Operand::StatePair {
            base,
            element: Some((row, column)),
            index,
        } => put(
            text,
            format_args!("{}({row},{column})<0;1,0>[{index}] ", base.node),
        ),
        Operand::State { var, element } => put(text, format_args!("{}({element})", var.node)),
        Operand::Predicate(var)
        | Operand::Surface(var)
        | Operand::Sampler(var)
        | Operand::Variable(var) => text.push_str(var),
        Operand::Label(name) => text.push_str(&reference(name)),
        Operand::Labels(labels) => {
            let all: Vec<String> = labels.iter().map(|l| reference(l)).collect();
            put(text, format_args!("({})", all.join(", ")));
        }
        Operand::Number(number) if slot == Slot::Hex => put(text, format_args!("{number:#x}")),
        Operand::Number(number) => put(text, format_args!("{number}")),
        Operand::Block { width, height } => put(text, format_args!("({width},{height})")),
        Operand::AvsControl(control) => text.push_str(control.name()),
        Operand::AvsMode(mode) => text.push_str(mode.name()),
        Operand::Text(words) => text.push_str(&quoted(words)),
        Operand::Origin { var, row, column } => {
            put(text, format_args!("{}({row},{column})", var.node));
        }
        Operand::LscData(data) => print_lsc_data(text, data),
        Operand::LscAddress(address) => print_lsc_address(text, address),
        Operand::Pair(a, b) => put(text, format_args!("({a},{b})")),
        Operand::Triple(all) => {
            let mut opening = "( ";
            for operand in all.iter() {
                text.push_str(opening);
                print_operand(text, operand, Slot::Scalar);
                opening = ", ";
            }
            text.push(')');
        }
    }
}

fn print_general(text: &mut String, general: &General) {
    let General {
        modifier,
        var,
        row,
        column,
        region,
    } = general;
    let modifier = modifier.map_or("", |m| m.name());
    put(text, format_args!("{modifier}{}({row},{column})", var.node));
    print_region(text, region.node);
}

fn print_indirect(text: &mut String, indirect: &Indirect) {
    let Indirect {
        modifier,
        address,
        element,
        offset,
        region,
        ty,
    } = indirect;
    let modifier = modifier.map_or("", |m| m.name());
    put(
        text,
        format_args!("{modifier}r[{}({element}),{offset}]", address.node),
    );
    print_region(text, region.node);
    put(text, format_args!(":{ty}"));
}

fn print_region(text: &mut String, region: Region) {
    match region {
        Region::Destination { stride } => put(text, format_args!("<{stride}>")),
        Region::Source {
            vertical,
            width,
            horizontal,
        } => {
            put(text, format_args!("<{vertical};{width},{horizontal}>"));
        }
        Region::MultiAddress { width, horizontal } => {
            put(text, format_args!("<{width},{horizontal}>"));
        }
    }
}

fn print_raw(raw: &Raw) -> String {
    format!("{}.{}", raw.var.node, raw.offset)
}

/// In load/store messages `V` alone means `V.0`.
fn short_raw(raw: &Raw) -> String {
    if raw.offset == 0 {
        raw.var.node.clone()
    } else {
        print_raw(raw)
    }
}

fn print_lsc_data(text: &mut String, data: &LscData) {
    put(
        text,
        format_args!("{}:{}", short_raw(&data.raw), data.element),
    );
    if data.vector != 1 {
        put(text, format_args!("x{}", data.vector));
    }
    if data.transposed {
        text.push('t');
    }
    if let Some(channels) = data.channels {
        text.push('.');
        text.extend(channels.iter().map(|c| char::from(b"xyzw"[c])));
    }
    if let Some(block) = data.block {
        // A typed block has no element, and no dot after it.
        if !data.element.is_empty() {
            text.push('.');
        }
        if block.blocks != 1 {
            put(text, format_args!("{}x", block.blocks));
        }
        put(text, format_args!("{}x{}", block.width, block.height));
        // Nor has it letters, which untyped blocks always have.
        if !data.element.is_empty() || block.transposed || block.vnni {
            let letter = |set: bool| if set { 't' } else { 'n' };
            text.extend([letter(block.transposed), letter(block.vnni)]);
        }
    }
}

fn print_lsc_address(text: &mut String, address: &LscAddress) {
    let surface = |text: &mut String, word: &str, operand: &Spanned<Operand>| {
        put(text, format_args!("{word}("));
        print_part(text, operand);
        if address.index != 0 {
            put(text, format_args!(",{:#x}", address.index));
        }
        text.push(')');
    };
    match &address.model {
        LscModel::Flat => text.push_str("flat"),
        LscModel::Arg => text.push_str("arg"),
        LscModel::FlatBase(operand) => surface(text, "flat", operand),
        LscModel::Bti(operand) => surface(text, "bti", operand),
        LscModel::Ss(operand) => surface(text, "ss", operand),
        LscModel::Bss(operand) => surface(text, "bss", operand),
        LscModel::Surf(operand) => surface(text, "surf", operand),
    }
    if address.parts.is_empty() {
        return;
    }
    text.push('[');
    if address.scale != 1 {
        put(text, format_args!("0x{:X}*", address.scale));
    }
    for (i, part) in address.parts.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        print_part(text, &part.operand);
        if part.offset != 0 {
            let sign = if part.offset < 0 { '-' } else { '+' };
            let value = part.offset.unsigned_abs();
            put(text, format_args!("{sign}{value:#x}"));
        }
    }
    if let Some((x, y)) = address.block_offset {
        put(text, format_args!("+({x},{y})"));
    }
    text.push(']');
    if address.bits != 0 {
        put(text, format_args!(":a{}", address.bits));
        text.extend(address.extend.map(Extension::letter));
    }
}

/// A part of an address: surface numbers are hexadecimal, registers at offset 0 bare.
fn print_part(text: &mut String, operand: &Spanned<Operand>) {
    match &operand.node {
        Operand::Raw(raw) => text.push_str(&short_raw(raw)),
        // The one place where the printer takes capital digits.
        Operand::Number(number) => put(text, format_args!("0x{number:X}")),
        other => print_operand(text, other, Slot::Hex),
    }
}
