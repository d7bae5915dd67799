//! Data port messages become request templates.

use super::SCALAR;
use super::operands::Scope;
use crate::check::VarId;
use crate::isa::{MediaMode, Opcode};
use crate::message::request::FieldSelect;
use crate::program::{Op, Send, SendBody};
use crate::syntax::ast::{Instruction, Operand, Suffix};

/// Lowers a data port message; `None` if visim does not model it.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    match *i.opcode {
        Opcode::MediaLd | Opcode::MediaSt => media(scope, i),
        _ => None,
    }
}

/// The lines a modifier selects. Source: vISA MEDIA_LD, "Modifiers"; lowering reference 2.1.
pub fn field(mode: MediaMode) -> FieldSelect {
    match mode {
        MediaMode::NoMod | MediaMode::Modified => FieldSelect::State,
        MediaMode::Top | MediaMode::TopMod => FieldSelect::Top,
        MediaMode::Bottom | MediaMode::BottomMod => FieldSelect::Bottom,
    }
}

fn media(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let [
        &Operand::Block { width, height },
        surface,
        &Operand::Number(plane),
        x,
        y,
        data,
    ] = operands[..]
    else {
        return None;
    };
    let mode = i.suffix(|s| match s {
        Suffix::MediaMode(m) => Some(*m),
        _ => None,
    })?;
    Some(Op::Send(Box::new(Send {
        lanes: SCALAR,
        guard: None,
        surface: Some(scope.slot(surface)?),
        sampler: None,
        body: SendBody::Media {
            write: *i.opcode == Opcode::MediaSt,
            field: field(mode),
            plane: plane as u32,
            // Reduced modulo 256 as Intel's reader does: vISA text reference 5.6.
            width: width as u32 & 0xff,
            height: height as u32 & 0xff,
            x: scope.source(x, SCALAR)?,
            y: scope.source(y, SCALAR)?,
            data: scope.raw(data)?,
        },
    })))
}
