//! Data port messages become request templates.

use super::operands::Scope;
use super::{SCALAR, execution};
use crate::check::VarId;
use crate::isa::{AtomicOp, ChannelMask, MediaMode, Opcode, Type};
use crate::message::natural::atomic_operands;
use crate::message::request::FieldSelect;
use crate::program::{Op, Send, SendBody};
use crate::syntax::ast::{Immediate, Instruction, Operand, Suffix};

/// The base of offsets that have none.
const ZERO: Immediate = Immediate {
    bits: 0,
    ty: Type::Ud,
};

/// Lowers a data port message; `None` if visim does not model it.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    match *i.opcode {
        Opcode::MediaLd | Opcode::MediaSt => media(scope, i),
        _ => memory(scope, i),
    }
}

/// Surface memory and 64-bit addresses. Source: vISA text reference 5.9, 5.10.
fn memory(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    use Opcode::*;
    let opcode = *i.opcode;
    let (lanes, guard) = execution(scope, i);
    let mut operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let mut surface = None;
    if let Operand::Surface(_) = operands.first()? {
        surface = scope.slot(operands.remove(0));
    }
    let count = u32::from(lanes.count);
    let write = matches!(
        opcode,
        OwordSt
            | Scatter
            | ScatterScaled
            | Scatter4Scaled
            | Scatter4Typed
            | QwScatter
            | SvmBlockSt
            | SvmScatter
            | SvmScatter4Scaled
    );
    let one = ChannelMask(1);
    let body = match (opcode, &operands[..]) {
        (OwordLd | OwordLdUnaligned | OwordSt, [offset, data]) => SendBody::Oword {
            write,
            count,
            unaligned: opcode == OwordLdUnaligned,
            offset: scope.source(offset, SCALAR)?,
            data: scope.moved(data, write)?,
        },
        (SvmBlockLd | SvmBlockSt, [address, data]) => SendBody::SvmBlock {
            write,
            count,
            address: scope.source(address, SCALAR)?,
            data: scope.moved(data, write)?,
        },
        (
            Gather
            | Opcode::Scatter
            | GatherScaled
            | ScatterScaled
            | Gather4Scaled
            | Scatter4Scaled,
            [base, offsets, data],
        ) => {
            let bytes = i.suffix(|s| match s {
                Suffix::ElementBytes(n) => Some(*n),
                _ => None,
            });
            let counts_elements = matches!(opcode, Gather | Opcode::Scatter);
            SendBody::Scatter {
                write,
                bytes: bytes.unwrap_or(4).clamp(1, 4),
                channels: i.channels().unwrap_or(one),
                scale: if counts_elements { bytes? } else { 1 },
                base: scope.source(base, SCALAR)?,
                offsets: scope.raw(offsets)?,
                data: scope.moved(data, write)?,
            }
        }
        // The count of qwords of a lane is 1; offsets are in bytes and have no common base.
        (QwGather | QwScatter, [offsets, data]) if i.has(&Suffix::ElementBytes(1)) => {
            SendBody::Scatter {
                write,
                bytes: 8,
                channels: one,
                scale: 1,
                base: scope.source(&Operand::Immediate(ZERO), SCALAR)?,
                offsets: scope.raw(offsets)?,
                data: scope.moved(data, write)?,
            }
        }
        (Gather4Typed | Scatter4Typed, [u, v, r, lod, data]) => SendBody::Typed {
            write,
            channels: i.channels()?,
            coordinates: [u, v, r, lod].map(|o| scope.raw(o)),
            data: scope.moved(data, write)?,
        },
        (DwordAtomic, [offsets, src0, src1, dst]) => SendBody::Atomic {
            op: atomic(i)?,
            bits: atomic_bits(i),
            offsets: scope.raw(offsets)?,
            src: [scope.raw(src0), scope.raw(src1)],
            dst: scope.raw(dst),
        },
        (TypedAtomic, [u, v, r, lod, src0, src1, dst]) => {
            let op = atomic(i)?;
            let src = [scope.raw(src0), scope.raw(src1)];
            // The check looks at the sources of the others alone: vISA text reference 7.5.
            let taken = &src[..atomic_operands(op) as usize];
            if taken.iter().any(Option::is_none) {
                return None;
            }
            SendBody::TypedAtomic {
                op,
                bits: atomic_bits(i),
                coordinates: [u, v, r, lod].map(|o| scope.raw(o)),
                src,
                dst: scope.raw(dst),
            }
        }
        (SvmGather | Opcode::SvmScatter, [addresses, data]) => {
            let (bytes, count) = i.suffix(|s| match s {
                Suffix::Blocks { bytes, count } => Some((*bytes, *count)),
                _ => None,
            })?;
            let shape = matches!(bytes, 1 | 4 | 8) && matches!(count, 1 | 2 | 4 | 8);
            if !shape {
                return None;
            }
            SendBody::SvmScatter {
                write,
                bytes,
                count,
                addresses: scope.raw(addresses)?,
                data: scope.moved(data, write)?,
            }
        }
        (SvmGather4Scaled | SvmScatter4Scaled, [base, offsets, data]) => SendBody::SvmScatter4 {
            write,
            channels: i.channels()?,
            base: scope.source(base, SCALAR)?,
            offsets: scope.raw(offsets)?,
            data: scope.moved(data, write)?,
        },
        // The destination stands in front of the sources: vISA text reference 5.10.
        (SvmAtomic, [addresses, dst, src0, src1]) => SendBody::SvmAtomic {
            op: atomic(i)?,
            bits: atomic_bits(i),
            addresses: scope.raw(addresses)?,
            src: [scope.raw(src0), scope.raw(src1)],
            dst: scope.raw(dst),
        },
        _ => return None,
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface,
        sampler: None,
        body,
    })))
}

fn atomic(i: &Instruction<VarId>) -> Option<AtomicOp> {
    i.suffix(|s| match s {
        Suffix::AtomicOp(op) => Some(*op),
        _ => None,
    })
}

/// `.16`, `.64`, or 32 bits.
fn atomic_bits(i: &Instruction<VarId>) -> u8 {
    i.suffix(|s| match s {
        Suffix::Bits(bits @ (16 | 64)) => Some(*bits),
        _ => None,
    })
    .unwrap_or(32)
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
    let write = *i.opcode == Opcode::MediaSt;
    Some(Op::Send(Box::new(Send {
        lanes: SCALAR,
        guard: None,
        surface: Some(scope.slot(surface)?),
        sampler: None,
        body: SendBody::Media {
            write,
            field: field(mode),
            plane: plane as u32,
            // Reduced modulo 256 as Intel's reader does: vISA text reference 5.6.
            width: width as u32 & 0xff,
            height: height as u32 & 0xff,
            x: scope.source(x, SCALAR)?,
            y: scope.source(y, SCALAR)?,
            data: scope.moved(data, write)?,
        },
    })))
}
