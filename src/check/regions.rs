//! Where operands reach: regions, raw operands, address elements, built-in variables, modifiers.
//!
//! Source: vISA text reference 4.4 to 4.8 and 7.6; lowering reference 1.10.

use super::rules::NULL;
use super::rules::{Context, Found};
use super::{Storage, VarId};
use crate::diagnostic::Code;
use crate::isa::predefined::{PREDEFINED, elements};
use crate::isa::{Family, Modifier, Opcode, Slot, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{General, Immediate, Indirect, Operand, Raw, Region};

const REGIONS: &str = "vISA text reference 4.4, \"General operands\"";

/// Every operand, whatever the instruction.
pub(super) fn operand_regions(cx: &Context<'_>, found: &mut Found<'_>) {
    for (slot, operand) in cx.with_slots() {
        walk_operand(cx, found, slot, operand);
    }
}

fn walk_operand(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    slot: Slot,
    operand: &Spanned<Operand<VarId>>,
) {
    let written = writes(slot);
    let lanes = match slot {
        Slot::Scalar | Slot::ScalarTriple | Slot::Offsets => 1,
        _ => cx.lanes(),
    };
    match &operand.node {
        Operand::General(g) => {
            source_region(cx, found, &g.region, lanes);
            source_modifier(cx, found, g.modifier, operand.span);
            if slot != Slot::AddressBase {
                reach(cx, found, g, lanes, written, operand.span);
            }
        }
        Operand::Indirect(i) => {
            source_region(cx, found, &i.region, lanes);
            source_modifier(cx, found, i.modifier, operand.span);
            address_rows(cx, found, i, lanes, operand.span);
        }
        Operand::Immediate(i) => immediate_value(cx, found, *i, operand.span),
        Operand::Raw(raw) => {
            raw_operand(cx, found, raw, operand.span);
            if written {
                raw_written(cx, found, raw, operand.span);
            }
        }
        Operand::Address {
            var,
            element,
            stride,
        } => {
            // `<h>` of a destination is a stride, `<w>` of a source the number of elements in a row.
            let beyond_first = match written {
                true => u64::from(*stride) * u64::from(lanes.max(1) - 1),
                false => u64::from((*stride).max(1) - 1),
            };
            let last = u64::from(*element) + beyond_first;
            element_exists(cx, found, var.node, last, operand.span);
        }
        Operand::State { var, element } => {
            element_exists(cx, found, var.node, u64::from(*element), operand.span);
        }
        Operand::LscData(data) => raw_operand(cx, found, &data.raw, operand.span),
        Operand::LscAddress(address) => {
            let parts = address.parts.iter().map(|part| &part.operand);
            for one in address.model.operand().into_iter().chain(parts) {
                walk_operand(cx, found, slot, one);
            }
        }
        Operand::Payload(raw, _) => {
            raw_operand(cx, found, raw, operand.span);
            if written {
                raw_written(cx, found, raw, operand.span);
            }
        }
        Operand::Triple(three) => {
            for one in three.as_ref() {
                walk_operand(cx, found, Slot::Scalar, one);
            }
        }
        _ => {}
    }
}

fn source_region(cx: &Context<'_>, found: &mut Found<'_>, region: &Spanned<Region>, lanes: u32) {
    let mut bad = |what: &str, value: u32, legal: &str, fix: &str| {
        let d = cx
            .complaint(Code::E0409, format!("{value} is not a {what}"))
            .at(region.span, format!("{what}s are {legal}"))
            .help(fix)
            .see(REGIONS);
        found.push(d);
    };
    match region.node {
        Region::Destination { stride } if !matches!(stride, 1 | 2 | 4) => {
            let mut d = cx
                .complaint(Code::E0408, format!("{stride} is not a destination stride"))
                .at(region.span, "destination strides are 1, 2 and 4")
                .help("<1>")
                .see(REGIONS);
            if stride == 0 {
                d = d.note("a stride of 0 would write every lane to one element");
            }
            found.push(d);
        }
        Region::Destination { .. } => {}
        Region::Source {
            vertical,
            width,
            horizontal,
        } => {
            if !matches!(vertical, 0 | 1 | 2 | 4 | 8 | 16 | 32) {
                let fix = format!(
                    "<{};{width},{horizontal}>",
                    vertical.min(32).next_power_of_two()
                );
                bad(
                    "vertical stride",
                    vertical,
                    "0, 1, 2, 4, 8, 16 and 32",
                    &fix,
                );
            }
            row_shape(
                cx,
                found,
                region.span,
                width,
                horizontal,
                lanes,
                &mut |w, h| format!("<{vertical};{w},{h}>"),
            );
        }
        Region::MultiAddress { width, horizontal } => {
            row_shape(
                cx,
                found,
                region.span,
                width,
                horizontal,
                lanes,
                &mut |w, h| format!("<{w},{h}>"),
            );
        }
    }
}

/// Width and horizontal stride, common to both forms of source region.
fn row_shape(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    span: Span,
    width: u32,
    horizontal: u32,
    lanes: u32,
    spell: &mut dyn FnMut(u32, u32) -> String,
) {
    if !matches!(width, 1 | 2 | 4 | 8 | 16) {
        let d = cx
            .complaint(Code::E0409, format!("{width} is not a region width"))
            .at(span, "region widths are 1, 2, 4, 8 and 16")
            .help(spell(
                width.clamp(1, 16).next_power_of_two().min(16),
                horizontal,
            ))
            .see(REGIONS);
        found.push(d);
    } else if width > lanes {
        let d = cx
            .complaint(Code::E0410, "region is wider than the instruction")
            .at(span, format!("width {width}, {lanes} lanes"))
            .note("a row of the region holds at most as many elements as there are lanes")
            .help(spell(lanes.clamp(1, 16), horizontal))
            .see(REGIONS);
        found.push(d);
    }
    if !matches!(horizontal, 0 | 1 | 2 | 4) {
        let d = cx
            .complaint(
                Code::E0409,
                format!("{horizontal} is not a horizontal stride"),
            )
            .at(span, "horizontal strides are 0, 1, 2 and 4")
            .help(spell(width, horizontal.min(4).next_power_of_two()))
            .see(REGIONS);
        found.push(d);
    }
}

/// A multi-address operand takes one address for each row.
fn address_rows(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    i: &Indirect<VarId>,
    lanes: u32,
    span: Span,
) {
    let rows = match i.region.node {
        Region::MultiAddress { width, .. } => lanes.checked_div(width).unwrap_or(1),
        _ => 1,
    };
    if rows > 16 {
        let d = cx
            .complaint(Code::E0411, "operand requires more than 16 addresses")
            .at(span, format!("{rows} rows, one address each"))
            .note(format!(
                "{lanes} lanes in rows of {} are {rows} rows",
                lanes / rows.max(1)
            ))
            .help(format!("<{},0>", lanes / 16))
            .see("vISA text reference 7.6");
        found.push(d);
        return;
    }
    let last = u64::from(i.element) + u64::from(rows.max(1)) - 1;
    element_exists(cx, found, i.address.node, last, i.address.span);
}

/// An element of an address, sampler or surface variable.
fn element_exists(cx: &Context<'_>, found: &mut Found<'_>, var: VarId, last: u64, span: Span) {
    let elements = match cx.unit.variable(var).storage {
        Storage::Address { elements }
        | Storage::Sampler { elements, .. }
        | Storage::Surface { elements, .. } => elements,
        _ => return,
    };
    if last >= u64::from(elements) {
        let name = cx.name(var);
        let d = cx
            .complaint(Code::E0415, format!("{name} has no element {last}"))
            .at(span, format!("{elements} elements, up to {last} used"))
            .help(format!("num_elts={}   // on {name}", last + 1))
            .see("vISA text reference 4.6 and 4.8");
        found.push(d);
    }
}

/// Whether a general operand stays in its variable and may be written.
fn reach(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    g: &General<VarId>,
    lanes: u32,
    written: bool,
    span: Span,
) {
    let Storage::General {
        ty, root, offset, ..
    } = cx.unit.variable(g.var.node).storage
    else {
        return;
    };
    let bytes = u64::from(ty.bytes());
    let base = u64::from(g.row) * u64::from(cx.grf) + u64::from(g.column) * bytes;
    let first = u64::from(offset) + base;
    if written {
        writable(cx, found, root, first, span, g.var.node);
    }
    if g.var.node == NULL || lanes == 0 {
        return;
    }
    let last = last_element(&g.region.node, lanes);
    let end = first + last * bytes + bytes;
    let root_variable = cx.unit.variable(root);
    let size = u64::from(root_variable.storage.bytes());
    if end <= size {
        return;
    }
    let name = cx.name(g.var.node);
    let mut d = cx
        .complaint(
            Code::W0413,
            format!("operand reaches past the end of {name}"),
        )
        .at(span, format!("bytes {first}..{end} of {size}"))
        .note(format!(
            "byte {base} of {name}, then element {last} of {bytes} bytes; {}",
            match written {
                true => "writes past the end of the variable are dropped",
                false => "bytes past the end of the variable read as zero",
            }
        ))
        .see("vISA text reference 7.6");
    d = match root_variable.predefined {
        true => d
            .note(format!(
                "{} is a built-in variable of {size} bytes",
                root_variable.name
            ))
            .help("declare a variable of your own"),
        false => d
            .and_at(root_variable.span, format!("{size} bytes"))
            .help(format!(
                "num_elts={}   // on {}",
                end.div_ceil(bytes),
                root_variable.name
            )),
    };
    found.push(d);
}

/// Whether the general source at `index` lies in two registers, counted from the one it starts in.
pub(super) fn two_registers(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    let Some((Operand::General(g), span)) = cx.operand(index).map(|o| (&o.node, o.span)) else {
        return;
    };
    let Storage::General { ty, offset, .. } = cx.unit.variable(g.var.node).storage else {
        return;
    };
    let (bytes, grf) = (u64::from(ty.bytes()), u64::from(cx.grf));
    let first = (u64::from(offset) + u64::from(g.column) * bytes) % grf;
    let end = first + (last_element(&g.region.node, cx.lanes()) + 1) * bytes;
    if end <= 2 * grf {
        return;
    }
    let d = cx
        .complaint(Code::E0431, "region spans more than two registers")
        .at(
            span,
            format!("bytes {first}..{end} from the start of a register"),
        )
        .note(format!("two registers of {grf} bytes are {}", 2 * grf))
        .help("mov the elements together into a variable of their own first")
        .see("vISA text reference 7.6");
    found.push(d);
}

/// Built-in variables are written in a few elements only.
fn writable(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    root: VarId,
    byte: u64,
    span: Span,
    var: VarId,
) {
    let Some(row) = PREDEFINED.get(root.0 as usize) else {
        return;
    };
    let (_, name, ty, counted, range) = *row;
    // The last of what the table counts is the last there is.
    let more = elements(row, cx.platform.grf_bytes()) - counted;
    let range = range.map(|(first, last)| {
        (
            first,
            if last + 1 == counted {
                last + more
            } else {
                last
            },
        )
    });
    let element = byte / u64::from(ty.bytes());
    let fine = match range {
        Some((0, 0)) if root == NULL => true,
        Some((first, last)) => (u64::from(first)..=u64::from(last)).contains(&element),
        None => false,
    };
    if fine {
        return;
    }
    let through = match root == var {
        true => String::new(),
        false => format!(" through {}", cx.name(var)),
    };
    let d = cx
        .complaint(Code::E0418, format!("%{name} cannot be written"))
        .at(span, format!("writes element {element}{through}"))
        .note(match range {
            Some((first, last)) if first > 0 && first == last => format!("only element {first} of %{name} can be written"),
            Some((first, last)) if first > 0 => format!("only elements {first} to {last} of %{name} can be written"),
            Some((_, last)) => format!("%{name} ends with element {last}"),
            None => format!("%{name} is read-only"),
        })
        .note("writable: %null %arg %retval %sp %fp %cr0 %dbg0 %impl_arg_buf_ptr %local_id_buf_ptr, element 4 of %tsc, elements 1 and 2 of %sr0")
        .help("write a variable of your own")
        .see("vISA text reference 3");
    found.push(d);
}

fn raw_written(cx: &Context<'_>, found: &mut Found<'_>, raw: &Raw<VarId>, span: Span) {
    if let Some((root, byte)) = cx.place(raw) {
        writable(cx, found, root, byte, span, raw.var.node);
    }
}

/// Raw operands start registers.
fn raw_operand(cx: &Context<'_>, found: &mut Found<'_>, raw: &Raw<VarId>, span: Span) {
    if raw.var.node == NULL {
        return;
    }
    let Some((root, start)) = cx.place(raw) else {
        return;
    };
    let grf = u64::from(cx.grf);
    let size = u64::from(cx.unit.variable(root).storage.bytes());
    let name = cx.name(raw.var.node);
    if size >= grf && start % grf != 0 {
        let into = start - u64::from(raw.offset);
        let mut d = cx
            .complaint(Code::E0419, "raw operand does not start a register")
            .at(span, format!("byte {start} of {}", cx.name(root)))
            .note(format!(
                "{start} mod {grf} = {}; messages move whole registers of {grf} bytes",
                start % grf
            ))
            .see("vISA text reference 4.7");
        let down = (start / grf * grf).checked_sub(into);
        d = match (into, down) {
            (0, _) => d.help(format!("{name}.{}", start / grf * grf)),
            (_, Some(offset)) if into % grf == 0 => d.help(format!("{name}.{offset}")),
            _ => d
                .note(format!(
                    "{name} is an alias that starts at byte {into}, inside a register"
                ))
                .help(format!("alias=<{}, {}>", cx.name(root), into / grf * grf)),
        };
        found.push(d);
    } else if start >= size {
        let d = cx
            .complaint(
                Code::W0420,
                format!("raw operand starts past the end of {name}"),
            )
            .at(span, format!("byte {start} of {size}"))
            .note("the bytes there belong to no variable")
            .help(format!(
                "num_elts={}",
                (start + grf) / u64::from(cx.var_type(raw.var.node).unwrap_or(Type::Ud).bytes())
            ))
            .see("vISA text reference 4.7");
        found.push(d);
    }
}

fn immediate_value(cx: &Context<'_>, found: &mut Found<'_>, immediate: Immediate, span: Span) {
    if immediate.ty == Type::Bool {
        let d = cx
            .complaint(Code::E0416, "immediates cannot be boolean")
            .at(span, ":bool")
            .note("bits of predicates are set with setp from an integer")
            .help(format!("0x{:x}:ud", immediate.bits))
            .see("vISA text reference 1.4");
        found.push(d);
    }
}

fn source_modifier(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    modifier: Option<Modifier>,
    span: Span,
) {
    let Some(modifier) = modifier else { return };
    let opcode = cx.opcode();
    let bitwise = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
    let arithmetic = match opcode.info().family {
        Family::Move => !matches!(opcode, Opcode::Movs | Opcode::Setp),
        Family::Arithmetic | Family::Math => true,
        Family::Logic => matches!(
            opcode,
            Opcode::Shl | Opcode::Shr | Opcode::Asr | Opcode::Rol | Opcode::Ror
        ),
        _ => false,
    };
    let (fine, where_legal) = match modifier {
        Modifier::Not => (bitwise, "(~) belongs to and, or, xor and not"),
        _ => (
            arithmetic,
            "(-), (abs) and (-abs) belong to arithmetic, moves, comparisons, shifts and rotates",
        ),
    };
    if fine {
        return;
    }
    let fix = match (modifier, bitwise) {
        (Modifier::Not, _) => "not (…) into a variable of its own, then use that",
        (_, true) => "(~)   // complement, or mov the negated value first",
        _ => "mov the modified value into a variable of its own first",
    };
    let d = cx
        .complaint(
            Code::E0414,
            format!("{modifier} does not apply to {opcode}"),
        )
        .at(span, format!("{modifier} on a source of {opcode}"))
        .note(where_legal)
        .help(fix)
        .see("vISA text reference 4.5");
    found.push(d);
}

/// Whether the operand at this place is written.
pub(super) fn writes(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Dst
            | Slot::DstMov
            | Slot::DstOrPred
            | Slot::DstPred
            | Slot::DstAddress
            | Slot::StateOrDst
            | Slot::RawDst
            | Slot::PayloadDst
    )
}

/// The highest element, counted from the first, that the lanes of a region touch.
fn last_element(region: &Region, lanes: u32) -> u64 {
    let lanes = u64::from(lanes.max(1));
    match *region {
        Region::Destination { stride } => (lanes - 1) * u64::from(stride),
        Region::Source {
            vertical,
            width,
            horizontal,
        } => {
            let width = u64::from(width.max(1)).min(lanes);
            (lanes / width - 1) * u64::from(vertical) + (width - 1) * u64::from(horizontal)
        }
        Region::MultiAddress { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_reach_as_far_as_their_last_lane() {
        let source = |vertical, width, horizontal| Region::Source {
            vertical,
            width,
            horizontal,
        };
        // <8;8,1> over 16 lanes: row 1 starts at 8, seven more.
        assert_eq!(last_element(&source(8, 8, 1), 16), 15);
        // <16;8,2> over 16: row 1 at 16, 7 * 2 more.
        assert_eq!(last_element(&source(16, 8, 2), 16), 30);
        assert_eq!(last_element(&source(0, 1, 0), 16), 0);
        assert_eq!(last_element(&Region::Destination { stride: 4 }, 8), 28);
    }
}
