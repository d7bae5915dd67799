//! Media block messages: shape, plane, surface, data.
//!
//! ```text
//!  x bytes ─▶                width, 1..=64
//!        ┌──────────────────────┐
//!  y rows│                      │ height      in registers each row starts at a multiple of the pitch:
//!        └──────────────────────┘             the width rounded up to 4, 8, 16, 32 or 64 bytes
//! ```
//!
//! Source: vISA MEDIA_LD; vISA text reference 5.6 and 7.1; lowering reference 2.3 and 2.4.

use super::operand_size::must_hold;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::{MediaMode, Opcode, Type};
use crate::source::Span;
use crate::syntax::ast::{Operand, Suffix};

/// The table "Legal width/height combination": greatest width, register pitch, greatest height. It is
/// stated here and nowhere else.
const SHAPES: [(u64, u64, u64); 5] = [
    (4, 4, 64),
    (8, 8, 32),
    (16, 16, 16),
    (32, 32, 8),
    (64, 64, 4),
];

const PAGE: &str = "vISA MEDIA_LD, table \"Legal width/height combination\"";

/// Register pitch in bytes and greatest height in rows for a width in bytes; `None` beyond 64 bytes.
pub fn block_shape(width: u64) -> Option<(u64, u64)> {
    SHAPES
        .iter()
        .find(|(widest, _, _)| (1..=*widest).contains(&width))
        .map(|&(_, pitch, rows)| (pitch, rows))
}

/// `media_ld` and `media_st`. Operands: block, surface, plane, x, y, data.
pub(super) fn media_block(cx: &Context<'_>, found: &mut Found<'_>) {
    media_modifier(cx, found);
    media_surface(cx, found, 1);
    if let Some((Operand::Number(plane), span)) = cx.operand(2).map(|o| (&o.node, o.span))
        && *plane > 3
    {
        let d = cx
            .complaint(Code::E0303, format!("plane {plane} does not exist"))
            .at(span, "planes are 0 to 3")
            .paste("0")
            .see("vISA MEDIA_LD, \"Plane\"");
        found.push(d);
    }
    offset_type(cx, found, 3, "x");
    offset_type(cx, found, 4, "y");
    if let Some((&Operand::Block { width, height }, span)) =
        cx.operand(0).map(|o| (&o.node, o.span))
    {
        block_limits(cx, found, width, height, span);
    }
}

fn media_modifier(cx: &Context<'_>, found: &mut Found<'_>) {
    let store = cx.opcode() == Opcode::MediaSt;
    for suffix in &cx.instruction.suffixes {
        if let Suffix::MediaMode(mode) = suffix.node
            && store
            && matches!(mode, MediaMode::TopMod | MediaMode::BottomMod)
        {
            let plain = match mode {
                MediaMode::TopMod => "top",
                _ => "bottom",
            };
            let d = cx
                .complaint(Code::E0302, format!("media_st has no modifier {mode}"))
                .at(suffix.span, format!("{} of 0..=3", mode.value()))
                .note("media_st takes nomod, modified, top and bottom")
                .help(format!("media_st.{plain}"))
                .see("vISA text reference 7.1, rule 2");
            found.push(d);
        }
    }
}

/// A surface of the kernel's own: not shared local memory, not stateless memory.
pub(super) fn media_surface(cx: &Context<'_>, found: &mut Found<'_>, index: usize) {
    let Some((var, number, span)) = cx.surface(index) else {
        return;
    };
    let opcode = cx.opcode();
    let name = cx.name(var);
    match number {
        0 | 5 => {
            let block = matches!(opcode, Opcode::MediaLd | Opcode::MediaSt);
            let (what, page) = match number {
                0 => ("shared local memory", "T0(SLM): no"),
                _ => ("stateless memory", "T5(stateless): no"),
            };
            // The finalizer refuses the first alone (lowering reference 2.3).
            let title = format!("{opcode} does not work on {name}");
            let d = match number {
                0 => cx.complaint(Code::E0301, title),
                _ => cx.page_rule(Code::E0301, title),
            };
            let d = d
                .at(span, format!("{what} is not a 2D surface"))
                .note(if block {
                    format!("the page says \"{page}\"")
                } else {
                    format!("{opcode} reads texels, and {what} has none")
                })
                .help(".decl T6 v_type=T num_elts=1   // and bind a 2D surface")
                .see(match opcode {
                    Opcode::MediaLd => "vISA MEDIA_LD, \"Surface\"",
                    Opcode::MediaSt => "vISA MEDIA_ST, \"Surface\"",
                    Opcode::Avs => "vISA AVS, \"Surface\"; vISA text reference 7.4",
                    _ => opcode.info().family.section(),
                });
            found.push(d);
        }
        1..=4 if cx.unit.variable(var).predefined => {
            let d = cx
                .complaint(Code::W0306, format!("{opcode} on the reserved surface {name}"))
                .at(span, "a built-in surface")
                .note("Intel's checker accepts it; its encoding of the bindless surface in block messages is faulty")
                .help(".decl T6 v_type=T num_elts=1")
                .see("lowering reference 2.7");
            found.push(d);
        }
        _ => {}
    }
}

/// The page requires UD. Signed dwords are what real programs write for negative offsets.
fn offset_type(cx: &Context<'_>, found: &mut Found<'_>, index: usize, which: &str) {
    let Some((ty, span)) = cx
        .operand(index)
        .and_then(|o| Some((cx.type_of(&o.node)?, o.span)))
    else {
        return;
    };
    let code = match ty {
        Type::Ud => return,
        Type::D | Type::W | Type::Uw | Type::B | Type::Ub | Type::V | Type::Uv => Code::W0307,
        _ => Code::E0308,
    };
    let mut d = cx
        .complaint(code, format!("{which} offset is {ty}, not ud"))
        .at(span, format!("type {ty}"))
        .see("vISA MEDIA_LD, \"X_offset\", \"Y_offset\"");
    d = match code {
        Code::W0307 => {
            d = d.note("the page requires ud; Intel's assembler accepts any type and sign-extends it, which is how negative offsets are written");
            match cx.operand(index).map(|o| &o.node) {
                // A minus before `:ud` would be another sentence of the page broken: the bits are what it takes.
                Some(Operand::Immediate(value)) if !matches!(value.ty, Type::V | Type::Uv) => {
                    let bits = value.value_bits();
                    let extended = match value.ty {
                        Type::W => bits as i16 as u32,
                        Type::B => bits as i8 as u32,
                        _ => bits as u32,
                    };
                    d.paste(format!("{extended:#x}:ud"))
                }
                Some(Operand::General(g)) => {
                    d.help(format!("type=ud   // on {}", cx.name(g.var.node)))
                }
                _ => d.help("mov the offset into a variable of type ud first"),
            }
        }
        _ => d
            .note("the page requires ud; only integers of at most 32 bits are meaningful offsets")
            .help("mov the offset into a variable of type ud first"),
    };
    found.push(d);
}

fn block_limits(cx: &Context<'_>, found: &mut Found<'_>, width: u64, height: u64, span: Span) {
    for (code, what, n) in [
        (Code::E0304, "bytes wide", width),
        (Code::E0305, "rows high", height),
    ] {
        if !(1..=64).contains(&n) {
            let mut d = cx
                .complaint(code, format!("media block cannot be {n} {what}"))
                .at(span, format!("{n} {what}, 1 to 64 are legal"))
                .paste(format!("({},{})", width.clamp(1, 64), height.clamp(1, 64)))
                .see(PAGE);
            if n > 255 {
                d = d.note(format!(
                    "Intel's reader would keep the low 8 bits, {}",
                    n & 255
                ));
            }
            found.push(d);
            return;
        }
    }
    let Some((pitch, rows)) = block_shape(width) else {
        return;
    };
    if height > rows {
        let class = SHAPES.iter().position(|s| s.1 == pitch).unwrap_or(0);
        let narrowest = class.checked_sub(1).map_or(1, |i| SHAPES[i].0 + 1);
        let parts = height.div_ceil(rows);
        let blocks: Vec<String> = (0..parts.min(3))
            .map(|i| {
                let here = rows.min(height - i * rows);
                match i {
                    0 => format!("({width},{here}) at y"),
                    _ => format!("({width},{here}) at y+{}", i * rows),
                }
            })
            .collect();
        let help = match parts {
            2 => format!("read it as two blocks, {}", blocks.join(" and ")),
            3 => format!("read it as three blocks, {}", blocks.join(", ")),
            _ => format!("read it as {parts} blocks, {}, …", blocks.join(", ")),
        };
        let help = match cx.opcode() {
            Opcode::MediaSt => help.replacen("read", "write", 1),
            _ => help,
        };
        let d = cx
            .complaint(Code::E0312, "media block does not fit one data-port message")
            .at(span, format!("{width} bytes wide allows at most {rows} rows, not {height}"))
            .note(format!(
                "a {narrowest}..={pitch}-byte row occupies {pitch} bytes of register; {height} rows would need {} bytes, the limit is 256",
                height * pitch
            ))
            .help(help)
            .see(PAGE);
        found.push(d);
        return;
    }
    let store = cx.opcode() == Opcode::MediaSt;
    if store && !width.is_multiple_of(4) {
        let d = cx
            .complaint(Code::W0309, "media_st requires whole dwords")
            .at(span, format!("{width} bytes wide, {width} mod 4 = {}", width % 4))
            .note("the hardware page requires dword alignment; Intel's assembler does not check it, and visim writes the requested bytes")
            .paste(format!("({},{height})", width.next_multiple_of(4)))
            .see("lowering reference 2.3");
        found.push(d);
    }
    if store && let Some((&Operand::Immediate(x), span)) = cx.operand(3).map(|o| (&o.node, o.span))
    {
        let x = x.value_bits();
        if x % 4 != 0 {
            let d = cx
                .complaint(Code::W0310, "media_st requires a dword-aligned x")
                .at(span, format!("x = {x}, {x} mod 4 = {}", x % 4))
                .note("writes start at a multiple of 4 bytes; Intel's assembler does not check it")
                .paste(format!("0x{:x}:ud", x / 4 * 4))
                .see("vISA text reference 5.6");
            found.push(d);
        }
    }
    // The last row needs no padding after its bytes.
    let bytes = (height - 1) * pitch + width;
    let sum = format!(
        "{height} rows, each at a multiple of {pitch} bytes, the last one {width} bytes: {} * {pitch} + {width} = {bytes}",
        height - 1
    );
    must_hold(cx, found, 5, bytes, !store, &sum);
}

#[cfg(test)]
mod tests {
    use super::block_shape;

    #[test]
    fn shapes_are_those_of_the_page() {
        let rows: Vec<_> = [1, 4, 5, 8, 9, 16, 17, 32, 33, 64]
            .map(|w| block_shape(w).map(|s| s.1))
            .to_vec();
        let wanted = [64, 64, 32, 32, 16, 16, 8, 8, 4, 4].map(Some).to_vec();
        assert_eq!(rows, wanted);
        assert_eq!(block_shape(0), None);
        assert_eq!(block_shape(65), None);
        assert_eq!(block_shape(20), Some((32, 8)));
    }
}
