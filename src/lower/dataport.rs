//! Data port messages become request templates.

use super::operands::Scope;
use super::{SCALAR, STATELESS, execution};
use crate::check::VarId;
use crate::isa::{AtomicOp, ChannelMask, MediaMode, Opcode};
use crate::message::layout::atomic_operands;
use crate::message::request::{
    Access, Atomic, DataPath, FieldSelect, MediaBlock, OwordBlock, Request, Scalar, Scattered,
    SvmBlock, SvmScattered, Typed, Untyped,
};
use crate::program::{Op, Operands, Raw, Registers, Send, Source};
use crate::syntax::ast::{Instruction, Operand, Suffix};

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
    // Wider instructions are several equal messages. Source: lowering reference 8 to 13.
    let lane_count = if count <= 8 { 8 } else { 16 };
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
    let access = if write { Access::Write } else { Access::Read };
    let one = ChannelMask(1);
    let body = match (opcode, &operands[..]) {
        (OwordLd | OwordLdUnaligned | OwordSt, [offset, data]) => {
            let request = Request::Oword(OwordBlock {
                surface: 0,
                access,
                owords: count,
                high: false,
                unaligned: opcode == OwordLdUnaligned,
                offset: 0,
                path: DataPath::DEFAULT,
            });
            let scalar = (Scalar::Offset, scope.source(offset, SCALAR)?);
            let data = scope.moved(data, write)?;
            moving(request, Some(scalar), write, data, Registers::NONE)
        }
        (SvmBlockLd | SvmBlockSt, [address, data]) => {
            let request = Request::SvmBlock(SvmBlock {
                access,
                owords: count,
                unaligned: false,
                address: 0,
            });
            let scalar = (Scalar::Address, scope.source(address, SCALAR)?);
            let data = scope.moved(data, write)?;
            moving(request, Some(scalar), write, data, Registers::NONE)
        }
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
            let unit = if counts_elements { bytes? } else { 1 };
            let element_bytes = bytes.unwrap_or(4).clamp(1, 4);
            let scattered = Scattered {
                surface: 0,
                access,
                element_bytes,
                lanes: lane_count,
                // The finalizer adds the base to the offsets, except where a header is a must.
                global: scope.platform.is_gen5().then_some(0),
                path: DataPath::DEFAULT,
            };
            let request = match (element_bytes, unit) {
                (4, 1) => Request::Untyped(Untyped {
                    surface: 0,
                    access,
                    lanes: lane_count,
                    channels: i.channels().unwrap_or(one),
                }),
                (4, _) => Request::DwordScattered(scattered),
                _ => Request::ByteScattered(scattered),
            };
            let base = (Scalar::GlobalOffset, scope.source(base, SCALAR)?);
            let offsets = Registers {
                unit,
                ..Registers::of_params([Some(scope.raw(offsets)?)])
            };
            let data = scope.moved(data, write)?;
            moving(request, Some(base), write, data, offsets)
        }
        // The count of qwords of a lane is 1; offsets are in bytes and have no common base.
        (QwGather | QwScatter, [offsets, data]) if i.has(&Suffix::ElementBytes(1)) => {
            let request = Request::ByteScattered(Scattered {
                surface: 0,
                access,
                element_bytes: 8,
                lanes: lane_count,
                global: None,
                path: DataPath::DEFAULT,
            });
            let offsets = Registers::of_params([Some(scope.raw(offsets)?)]);
            moving(request, None, write, scope.moved(data, write)?, offsets)
        }
        (Gather4Typed | Scatter4Typed, [u, v, r, lod, data]) => typed_rows(
            write,
            i.channels()?,
            [u, v, r, lod].map(|o| scope.raw(o)),
            scope.moved(data, write)?,
        ),
        (DwordAtomic, [offsets, src0, src1, dst]) => {
            let request = Request::Atomic(Atomic {
                surface: 0,
                op: atomic(i)?,
                bits: atomic_bits(i),
                lanes: lane_count,
                returns: scope.raw(dst).is_some(),
            });
            let src = [scope.raw(src0), scope.raw(src1)];
            let offsets = Registers::of_params([Some(scope.raw(offsets)?)]);
            updating(request, offsets, src, scope.raw(dst))
        }
        (TypedAtomic, [u, v, r, lod, src0, src1, dst]) => {
            let op = atomic(i)?;
            let src = [scope.raw(src0), scope.raw(src1)];
            // The check looks at the sources of the others alone: vISA text reference 7.5.
            let taken = &src[..atomic_operands(op) as usize];
            if taken.iter().any(Option::is_none) {
                return None;
            }
            let request = Request::TypedAtomic(Atomic {
                surface: 0,
                op,
                bits: atomic_bits(i),
                lanes: 8,
                returns: scope.raw(dst).is_some(),
            });
            let coordinates = Registers::of_params([u, v, r, lod].map(|o| scope.raw(o)));
            updating(request, coordinates, src, scope.raw(dst))
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
            let request = Request::SvmScattered(SvmScattered {
                access,
                block_bytes: bytes,
                blocks: count,
                lanes: lane_count,
            });
            let addresses = Registers {
                address_bytes: 8,
                ..Registers::of_params([Some(scope.raw(addresses)?)])
            };
            moving(request, None, write, scope.moved(data, write)?, addresses)
        }
        (SvmGather4Scaled | SvmScatter4Scaled, [base, offsets, data]) => {
            let request = Request::SvmUntyped(Untyped {
                surface: STATELESS,
                access,
                lanes: lane_count,
                channels: i.channels()?,
            });
            let base = (Scalar::BaseAddress, scope.source(base, SCALAR)?);
            let offsets = scope.raw(offsets)?;
            let offsets = Registers {
                // As wide as their variable's type: compilers print whole addresses.
                address_bytes: if offsets.ty.bytes() == 8 { 8 } else { 4 },
                ..Registers::of_params([Some(offsets)])
            };
            let data = scope.moved(data, write)?;
            moving(request, Some(base), write, data, offsets)
        }
        // The destination is in front of the sources: vISA text reference 5.10.
        (SvmAtomic, [addresses, dst, src0, src1]) => {
            let request = Request::SvmAtomic(Atomic {
                surface: STATELESS,
                op: atomic(i)?,
                bits: atomic_bits(i),
                lanes: 8,
                returns: scope.raw(dst).is_some(),
            });
            let src = [scope.raw(src0), scope.raw(src1)];
            let addresses = Registers {
                address_bytes: 8,
                ..Registers::of_params([Some(scope.raw(addresses)?)])
            };
            updating(request, addresses, src, scope.raw(dst))
        }
        _ => return None,
    };
    let (request, operands) = body;
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface,
        sampler: None,
        request,
        operands,
    })))
}

/// A request that moves data to or from memory.
fn moving(
    request: Request,
    scalars: impl IntoIterator<Item = (Scalar, Source)>,
    write: bool,
    data: Raw,
    registers: Registers,
) -> (Request, Operands) {
    let registers = match write {
        true => Registers {
            data: [Some(data), None, None, None],
            ..registers
        },
        false => Registers {
            answer: Some(data),
            ..registers
        },
    };
    let scalars = scalars.into_iter().collect();
    (request, Operands { scalars, registers })
}

/// An atomic, with its sources in the order of the text: compare-and-exchange sends what to compare with first, the
/// text has it last. Source: lowering reference 12.1.
fn updating(
    request: Request,
    registers: Registers,
    [src0, src1]: [Option<Raw>; 2],
    answer: Option<Raw>,
) -> (Request, Operands) {
    let swapped = matches!(request.atomic(), Some(r) if r.op == AtomicOp::CmpXchg);
    let data = match swapped {
        true => [src1, src0, None, None],
        false => [src0, src1, None, None],
    };
    let registers = Registers {
        data,
        answer,
        ..registers
    };
    let scalars = Box::default();
    (request, Operands { scalars, registers })
}

/// `gather4_typed`, `scatter4_typed`; coordinates that are `None` are 0.
fn typed_rows(
    write: bool,
    channels: ChannelMask,
    coordinates: [Option<Raw>; 4],
    data: Raw,
) -> (Request, Operands) {
    let given = coordinates.iter().rposition(Option::is_some);
    let request = Request::Typed(Typed {
        surface: 0,
        access: if write { Access::Write } else { Access::Read },
        channels,
        coordinates: given.map_or(1, |last| last as u32 + 1),
    });
    let coordinates = Registers::of_params(coordinates);
    moving(request, None, write, data, coordinates)
}

fn atomic(i: &Instruction<VarId>) -> Option<AtomicOp> {
    i.suffix(|s| match s {
        Suffix::AtomicOp(op) => Some(*op),
        _ => None,
    })
}

/// `.16`, `.64`, or 32 bits.
fn atomic_bits(i: &Instruction<VarId>) -> u32 {
    i.suffix(|s| match s {
        Suffix::Bits(bits @ (16 | 64)) => Some(u32::from(*bits)),
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
    let block = MediaBlock {
        surface: plane as u32,
        field: field(mode),
        x: 0,
        y: 0,
        // Reduced modulo 256 as Intel's reader does: vISA text reference 5.6.
        width: width as u32 & 0xff,
        height: height as u32 & 0xff,
        path: DataPath::DEFAULT,
    };
    let at = [scope.source(x, SCALAR)?, scope.source(y, SCALAR)?];
    let data = scope.moved(data, write)?;
    Some(rectangle(block, scope.slot(surface)?, at, data, write))
}

/// A rectangle of a surface by the column and row of its first byte; `surface`: where the index lies.
pub(super) fn rectangle(
    block: MediaBlock,
    surface: u32,
    [x, y]: [Source; 2],
    data: Raw,
    write: bool,
) -> Op {
    let request = match write {
        true => Request::MediaWrite(block),
        false => Request::MediaRead(block),
    };
    let scalars = [(Scalar::X, x), (Scalar::Y, y)];
    let (request, operands) = moving(request, scalars, write, data, Registers::NONE);
    Op::Send(Box::new(Send {
        lanes: SCALAR,
        guard: None,
        surface: Some(surface),
        sampler: None,
        request,
        operands,
    }))
}
