//! Which data types an instruction computes with.
//!
//! Source: vISA text reference 6.3 and 7.8.

use super::regions::two_registers;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::{Opcode, Slot, Type};
use crate::source::Span;
use crate::syntax::ast::Operand;

const MIXING: &str = "vISA text reference 6.3, \"Types in one instruction\"";

/// What an operand may be.
#[derive(Clone, Copy)]
struct Allowed {
    words: &'static str,
    takes: fn(Type) -> bool,
}

const ANY: Allowed = Allowed {
    words: "any type",
    takes: |_| true,
};
const INTEGER: Allowed = Allowed {
    words: "an integer",
    takes: Type::is_integer,
};
const INTEGER_TO_32: Allowed = Allowed {
    words: "an integer of at most 32 bits",
    takes: |t| t.is_integer() && t.bytes() <= 4,
};
const INTEGER_16_32: Allowed = Allowed {
    words: "a 16- or 32-bit integer",
    takes: |t| t.is_integer() && matches!(t.bytes(), 2 | 4),
};
const INTEGER_16_TO_64: Allowed = Allowed {
    words: "an integer of 16 bits or more",
    takes: |t| t.is_integer() && t.bytes() >= 2,
};
const NOT_QUAD: Allowed = Allowed {
    words: "anything but uq and q",
    takes: |t| !matches!(t, Type::Uq | Type::Q),
};
const NOT_QUAD_32: Allowed = Allowed {
    words: "a float, or an integer of at most 32 bits",
    takes: |t| t.is_float() || t.bytes() <= 4,
};
const FLOAT: Allowed = Allowed {
    words: "f",
    takes: |t| matches!(t, Type::F | Type::Vf),
};
const FLOAT_HALF: Allowed = Allowed {
    words: "f or hf",
    takes: |t| matches!(t, Type::F | Type::Hf | Type::Vf),
};
const ANY_FLOAT: Allowed = Allowed {
    words: "f, hf or df",
    takes: Type::is_float,
};
const FLOAT_DOUBLE: Allowed = Allowed {
    words: "f or df",
    takes: |t| matches!(t, Type::F | Type::Df | Type::Vf),
};
const BYTE: Allowed = Allowed {
    words: "b or ub",
    takes: |t| matches!(t, Type::B | Type::Ub),
};
const WORD: Allowed = Allowed {
    words: "w or uw",
    takes: |t| matches!(t, Type::W | Type::Uw),
};
const WORD_BYTE: Allowed = Allowed {
    words: "b, ub, w or uw",
    takes: |t| matches!(t.element(), Type::B | Type::Ub | Type::W | Type::Uw),
};
const DWORD: Allowed = Allowed {
    words: "d or ud",
    takes: |t| matches!(t, Type::D | Type::Ud),
};

const UNSIGNED_DWORD: Allowed = Allowed {
    words: "ud",
    takes: |t| t == Type::Ud,
};
const UNSIGNED_DWORD_OR_VECTOR: Allowed = Allowed {
    words: "ud",
    takes: |t| matches!(t, Type::Ud | Type::Uv),
};

/// What destination and sources of an instruction may be; `last` is the last source where it differs.
struct TypeRule {
    dst: Allowed,
    src: Allowed,
    last: Option<Allowed>,
}

const fn both(allowed: Allowed) -> Option<TypeRule> {
    Some(TypeRule {
        dst: allowed,
        src: allowed,
        last: None,
    })
}

const fn rule(dst: Allowed, src: Allowed) -> Option<TypeRule> {
    Some(TypeRule {
        dst,
        src,
        last: None,
    })
}

/// The rule of an instruction; `None` if any types go.
fn rule_of(opcode: Opcode) -> Option<TypeRule> {
    use Opcode::*;
    match opcode {
        Add => both(ANY),
        Mul => rule(ANY, NOT_QUAD),
        Mad => both(ANY),
        Div => rule(NOT_QUAD_32, NOT_QUAD_32),
        Avg | Mod => both(INTEGER_TO_32),
        Addc | Subb => rule(UNSIGNED_DWORD, UNSIGNED_DWORD_OR_VECTOR),
        Mulh | Madw | Dp4a => rule(DWORD, INTEGER_TO_32),
        Add3 | Add3O | Bfn => both(INTEGER_16_32),
        Frc | Rndd | Rndu | Rnde | Rndz | Lrp | Plane | Line | Dp2 | Dp3 | Dp4 | Dph => both(FLOAT),
        Log | Exp | Sin | Cos | Pow | Rsqrt | Tanh | Sigm => both(FLOAT_HALF),
        Inv | Sqrt => both(ANY_FLOAT),
        Divm | Sqrtm | Invm | Rsqtm => both(FLOAT_DOUBLE),
        Sad2 => rule(WORD, BYTE),
        Sad2Add => Some(TypeRule {
            dst: WORD,
            src: BYTE,
            last: Some(WORD),
        }),
        And | Or | Xor | Not | Shl | Shr | Asr => both(INTEGER),
        Rol | Ror => both(INTEGER_16_TO_64),
        Bfe | Bfi | Bfrev | Cbit | Fbl | Fbh => both(INTEGER_TO_32),
        Lzd => both(UNSIGNED_DWORD),
        _ => None,
    }
}

/// Types of a move, an arithmetic, logic or math instruction.
pub(super) fn value_types(cx: &Context<'_>, found: &mut Found<'_>) {
    match cx.opcode() {
        Opcode::Mov => predicate_move(cx, found),
        Opcode::Movs => state_move(cx, found),
        Opcode::AddrAdd => address_add(cx, found),
        Opcode::Fcvt => conversion_types(cx, found),
        Opcode::Cmp => comparison_types(cx, found),
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => one_kind_of_logic(cx, found),
        Opcode::Shr | Opcode::Asr => shift_signs(cx, found),
        _ => {}
    }
    let Some(rule) = rule_of(cx.opcode()) else {
        return;
    };
    let destinations = cx.opcode().info().slots.iter();
    let destinations = destinations.filter(|s| super::regions::writes(**s)).count();
    let count = cx.instruction.operands.len();
    let mut fine = true;
    for index in 0..count {
        let allowed = match index {
            i if i < destinations => rule.dst,
            i if i + 1 == count => rule.last.unwrap_or(rule.src),
            _ => rule.src,
        };
        fine &= has_type(cx, found, index, index < destinations, allowed);
    }
    if fine {
        mixed_types(cx, found, destinations);
    }
}

fn has_type(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    index: usize,
    written: bool,
    allowed: Allowed,
) -> bool {
    let Some((ty, span)) = typed_operand(cx, index) else {
        return true;
    };
    if (allowed.takes)(ty) {
        return true;
    }
    let opcode = cx.opcode();
    let place = match written {
        true => "destination".to_string(),
        false => format!("source {}", index.saturating_sub(1)),
    };
    let d = cx
        .complaint(Code::E0421, format!("{opcode} does not take {ty} here"))
        .at(span, format!("{place} is {ty}, expected {}", allowed.words))
        .help(match ty.is_float() {
            true => {
                "mov the value into an integer variable first, or view its bits through an alias"
            }
            false => "mov the value into a variable of a fitting type first",
        })
        .see("vISA text reference 6.3 and 7.8");
    found.push(d);
    false
}

fn typed_operand(cx: &Context<'_>, index: usize) -> Option<(Type, Span)> {
    let operand = cx.operand(index)?;
    Some((cx.type_of(&operand.node)?, operand.span))
}

/// Floats and integers meet only in `mov`; df only df.
fn mixed_types(cx: &Context<'_>, found: &mut Found<'_>, destinations: usize) {
    let all: Vec<(usize, Type, Span)> = (0..cx.instruction.operands.len())
        .filter_map(|i| typed_operand(cx, i).map(|(ty, span)| (i, ty, span)))
        .collect();
    let Some(&(_, first, first_span)) = all.first() else {
        return;
    };
    for &(index, ty, span) in &all[1..] {
        let kinds_differ = first.is_float() != ty.is_float();
        let double = |t: Type| t == Type::Df;
        let widths_differ = first.is_float() && double(first) != double(ty);
        if !kinds_differ && !widths_differ {
            continue;
        }
        let opcode = cx.opcode();
        let d = cx
            .complaint(Code::E0422, format!("{opcode} mixes {first} and {ty}"))
            .at(
                span,
                format!("source {} is {ty}", index.saturating_sub(destinations)),
            )
            .and_at(first_span, first.name())
            .note(match kinds_differ {
                true => "floats and integers meet only in mov",
                false => "df can be combined with df only",
            })
            .help(format!(
                "mov into a variable of type {} first",
                first.element()
            ))
            .see(MIXING);
        found.push(d);
        return;
    }
}

/// Something that a move of a predicate ignores. Source: vISA text reference 4.3.
pub(super) fn no_effect_on_predicate_move(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    span: Span,
    label: impl Into<String>,
    help: &str,
) {
    let d = cx
        .complaint(Code::W0433, "a predicate moves as a whole, once")
        .at(span, label)
        .note("lanes, mask, predicate and saturation have no effect; Intel's reader makes it (M1_NM, 1)")
        .help(help)
        .see("vISA text reference 4.3 and 7.8");
    found.push(d);
}

/// `mov D P`: one lane, an integer at least as wide as the predicate.
fn predicate_move(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some(Operand::Predicate(p)) = cx.operand(1).map(|o| &o.node) else {
        return;
    };
    let super::Storage::Predicate { bits } = cx.unit.variable(p.node).storage else {
        return;
    };
    let name = cx.name(p.node);
    if let Some(exec) = cx.instruction.exec
        && exec.size != 1
    {
        let lanes = format!("{} lanes", exec.size);
        no_effect_on_predicate_move(cx, found, exec.span, lanes, "(M1_NM, 1)");
    }
    if let Some((ty, span)) = typed_operand(cx, 0)
        && !(ty.is_integer() && ty.bytes() <= 4 && ty.bytes() * 8 >= bits)
    {
        let d = cx
            .complaint(Code::E0423, format!("{ty} cannot receive {name}"))
            .at(span, format!("{bits} bits into {ty}"))
            .note("the destination is an integer of at most 32 bits and at least as wide as the predicate")
            .help(match bits {
                0..=8 => "type=ub",
                9..=16 => "type=uw",
                _ => "type=ud",
            })
            .see("vISA text reference 7.8");
        found.push(d);
    }
}

/// `addr_add`: offsets of 8 or 16 bits in two registers, and nothing built in has an address.
fn address_add(cx: &Context<'_>, found: &mut Found<'_>) {
    if has_type(cx, found, 2, false, WORD_BYTE) {
        two_registers(cx, found, 2);
    }
    let (var, span) = match cx.operand(1).map(|o| (&o.node, o.span)) {
        Some((Operand::AddressOf { var, .. }, span)) => (var.node, span),
        Some((Operand::General(g), span)) => (g.var.node, span),
        _ => return,
    };
    if cx.unit.variable(var).predefined {
        let d = cx
            .complaint(Code::E0424, format!("{} has no address", cx.name(var)))
            .at(span, "a built-in variable")
            .note("addresses are those of declared variables")
            .help("mov it into a variable of your own first")
            .see("vISA text reference 4.6");
        found.push(d);
    }
}

/// `fcvt` knows three pairs.
fn conversion_types(cx: &Context<'_>, found: &mut Found<'_>) {
    let (Some((to, span)), Some((from, _))) = (typed_operand(cx, 0), typed_operand(cx, 1)) else {
        return;
    };
    if !matches!(
        (from, to),
        (Type::Hf, Type::Ub) | (Type::Ub, Type::Hf) | (Type::F, Type::Ud)
    ) {
        let d = cx
            .complaint(Code::E0421, format!("fcvt does not turn {from} into {to}"))
            .at(span, format!("from {from} to {to}"))
            .note("fcvt: hf to ub and back (8-bit float), f to ud (TF32)")
            .help("mov")
            .see("vISA text reference 5.1");
        found.push(d);
    }
}

/// `movs`: one side at least is state.
fn state_move(cx: &Context<'_>, found: &mut Found<'_>) {
    let mut operands = cx.instruction.operands.iter();
    if operands.any(|o| matches!(o.node, Operand::State { .. })) {
        return;
    }
    let Some(span) = cx.operand(1).map(|o| o.span) else {
        return;
    };
    let d = cx
        .complaint(
            Code::E0434,
            "movs reads or writes surface or sampler indices",
        )
        .at(span, "no state variable on either side")
        .help("mov, or a state element such as `T6(0)`")
        .see("vISA text reference 4.8 and 5.1");
    found.push(d);
}

/// A destination is a predicate or a general variable; of a float comparison it has the type of the
/// sources.
fn comparison_types(cx: &Context<'_>, found: &mut Found<'_>) {
    if let Some((Operand::Indirect(_), span)) = cx.operand(0).map(|o| (&o.node, o.span)) {
        let d = cx
            .complaint(Code::E0434, "cmp writes a predicate or a general variable")
            .at(span, "an indirect destination")
            .help("cmp into a predicate, then sel or (P) mov")
            .see("vISA text reference 7.8");
        found.push(d);
    }
    let (Some((dst, span)), Some((src, _))) = (typed_operand(cx, 0), typed_operand(cx, 1)) else {
        return;
    };
    let src = src.element();
    if matches!(cx.operand(0).map(|o| &o.node), Some(Operand::General(_)))
        && src.is_float()
        && dst.bytes() != src.bytes()
    {
        let d = cx
            .complaint(Code::W0425, format!("comparison of {src} into {dst}"))
            .at(span, format!("{dst}, the sources are {src}"))
            .note("with float sources the destination has the same type; visim writes all ones in the destination's width")
            .help(format!("type={src}"))
            .see("vISA text reference 6.6");
        found.push(d);
    }
}

/// `and or xor not` work on integers or on predicates, not on both.
fn one_kind_of_logic(cx: &Context<'_>, found: &mut Found<'_>) {
    let kinds: Vec<(bool, Span)> = cx
        .with_slots()
        .filter(|(slot, _)| matches!(slot, Slot::DstOrPred | Slot::SrcOrPred))
        .map(|(_, o)| (matches!(o.node, Operand::Predicate(_)), o.span))
        .collect();
    let Some(&(first, _)) = kinds.first() else {
        return;
    };
    if let Some(&(_, span)) = kinds.iter().find(|(k, _)| *k != first) {
        let opcode = cx.opcode();
        let d = cx
            .complaint(Code::E0426, format!("{opcode} mixes predicates and values"))
            .at(
                span,
                match first {
                    true => "a value; the destination is a predicate",
                    false => "a predicate; the destination is a value",
                },
            )
            .note("operands are all integers or all predicates")
            .help("setp turns bits into a predicate, mov a predicate into bits")
            .see("vISA text reference 5.3");
        found.push(d);
    }
}

/// `shr` is for unsigned values, `asr` for signed ones.
fn shift_signs(cx: &Context<'_>, found: &mut Found<'_>) {
    let opcode = cx.opcode();
    let signed = opcode == Opcode::Asr;
    let Some((ty, span)) = typed_operand(cx, 1) else {
        return;
    };
    if !ty.is_integer() || ty.is_signed() == signed {
        return;
    }
    let d = cx
        .complaint(Code::W0427, format!("{opcode} of {ty}"))
        .at(
            span,
            match signed {
                true => "an unsigned value",
                false => "a signed value",
            },
        )
        .note(match signed {
            true => {
                "asr copies the sign of a signed type; an unsigned value has none and gets zeros"
            }
            false => "shr shifts in zeros above the sign extension of the value",
        })
        .help(if signed { "shr" } else { "asr" })
        .see("vISA text reference 5.3");
    found.push(d);
}
