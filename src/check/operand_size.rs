//! Variables that are smaller than what a message moves: found before a run, and during it.

use super::VarId;
use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::{Opcode, Type};
use crate::source::Span;
use crate::syntax::ast::Raw;

/// A variable that is too small for a message.
pub struct TooSmall<'a> {
    /// Its name.
    pub name: &'a str,
    /// Bytes from the operand to its end.
    pub there: u64,
    /// Bytes that the message moves.
    pub moved: u64,
    /// They are written.
    pub written: bool,
}

impl TooSmall<'_> {
    /// The code.
    pub const fn code(&self) -> Code {
        match self.written {
            true => Code::U0320,
            false => Code::U0321,
        }
    }

    /// What is wrong.
    pub fn title(&self) -> String {
        let what = match self.written {
            true => "the result",
            false => "the message",
        };
        format!("{} is too small for {what}", self.name)
    }

    /// The numbers.
    pub fn label(&self) -> String {
        let TooSmall { there, moved, .. } = self;
        format!("{there} bytes from here to the end, {moved} are moved")
    }

    /// The declaration that would do: `elements` of the variable that owns the bytes.
    pub fn help(owner: &str, elements: u64) -> String {
        format!("num_elts={elements}   // on {owner}")
    }
}

/// Bytes of `parts` (channels, components) of which each starts a new register, and the arithmetic in words:
/// all but the last take whole registers, the last its lanes.
pub(super) fn from_new_registers(
    (parts, what): (u64, &str),
    lanes: u64,
    element: u64,
    grf: u64,
) -> (u64, String) {
    let own = lanes * element;
    let row = own.next_multiple_of(grf);
    let bytes = parts.saturating_sub(1) * row + own;
    let each = format!("{lanes} lanes of {element} bytes are {own}");
    let sum = match (parts, row == own) {
        (0 | 1, _) => format!("1 {what}: {each}"),
        (_, true) => {
            format!("{parts} {what}s, each from a new register, {each}: {parts} * {own} = {bytes}")
        }
        (_, false) => format!(
            "{parts} {what}s, each from a new register of {grf} bytes, {each}: {} * {row}, and {own} of the last, make {bytes}",
            parts - 1
        ),
    };
    (bytes, sum)
}

/// Reports a message that moves more bytes than there are from the raw operand at `index` on.
///
/// `sum` is the arithmetic that led to `bytes`.
pub(super) fn must_hold(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    index: usize,
    bytes: u64,
    written: bool,
    sum: &str,
) {
    if let Some((raw, span)) = cx.raw(index) {
        must_hold_raw(cx, found, raw, span, bytes, written, sum);
    }
}

/// As [`must_hold`], for a raw operand inside another.
pub(super) fn must_hold_raw(
    cx: &Context<'_>,
    found: &mut Found<'_>,
    raw: &Raw<VarId>,
    span: Span,
    bytes: u64,
    written: bool,
    sum: &str,
) {
    let Some((root, start)) = cx.place(raw) else {
        return;
    };
    let size = u64::from(cx.unit.variable(root).storage.bytes());
    let there = size.saturating_sub(start);
    if bytes <= there {
        return;
    }
    let name = cx.name(raw.var.node);
    let ty = cx.var_type(raw.var.node).unwrap_or(Type::Ud);
    let block = matches!(cx.opcode(), Opcode::SvmBlockSt | Opcode::OwordSt);
    let register = u64::from(cx.platform.grf_bytes());
    let small = TooSmall {
        name,
        there,
        moved: bytes,
        written,
    };
    let (code, title) = match written {
        // Nothing else shares the register of what a message takes: compilers store one value so.
        false if block && start + bytes <= register => {
            (Code::W0322, format!("{name} ends before the block does"))
        }
        _ => (small.code(), small.title()),
    };
    let d = cx
        .complaint(code, title)
        .at(span, small.label())
        .and_at(cx.unit.variable(root).span, format!("{size} bytes"))
        .note(sum)
        .help(TooSmall::help(
            cx.name(root),
            (start + bytes).div_ceil(u64::from(ty.bytes())),
        ));
    found.push(d);
}
