//! LSC messages become request templates. Source: vISA text reference 5.11.
//!
//! Not modelled, since the reference does not state what they do: page status, append
//! counters, surface state queries, and addresses below `arg`.

use super::dataport::{rectangle, typed_rows};
use super::execution;
use super::operands::Scope;
use crate::check::VarId;
use crate::isa::{AtomicOp, ChannelMask, Opcode};
use crate::message::request::{DataPath, FieldSelect, MediaBlock};
use crate::program::{self, Lsc, LscAction, LscPlace, Op, Raw, Region, Send, SendBody, Source};
use crate::syntax::ast::{
    Instruction, LscAddress, LscBlock, LscData, LscFunction, LscModel, Operand, Suffix,
};

/// Lowers an LSC message; `None` if visim does not model it.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let opcode = *i.opcode;
    if opcode == Opcode::LscFence {
        return Some(Op::Nothing);
    }
    let (lanes, guard) = execution(scope, i);
    let mut address = None;
    let mut data = None;
    let mut registers = Vec::new();
    for operand in &i.operands {
        match &operand.node {
            Operand::LscAddress(a) => address = Some(&**a),
            Operand::LscData(d) => data = Some(d),
            other => registers.push(scope.raw(other)),
        }
    }
    let (address, data) = (address?, data?);
    let function = i.suffix(|s| match s {
        Suffix::LscFunction(f) => Some(*f),
        _ => None,
    })?;
    let behind_first =
        data.block.is_none() && address.parts.iter().skip(1).any(|part| part.offset != 0);
    // `ov` lets the hardware read past the element into its cache: no program sees it.
    let other_flag = |flags: &[String]| flags.iter().any(|flag| flag != "ov");
    let flagged = i.suffix(|s| match s {
        Suffix::LscFlags(flags) if other_flag(flags) => Some(()),
        _ => None,
    });
    if flagged.is_some() || address.index != 0 || behind_first {
        // Of newer text, which says no more of them.
        return None;
    }
    if let Some(block) = data.block {
        return match function {
            LscFunction::Tgm => typed_block(scope, i, address, data, block),
            _ => block2d(scope, i, address, data, block),
        };
    }
    if function == LscFunction::Tgm {
        return typed(scope, i, address, data);
    }
    let (memory_bytes, register_bytes, high) = element(data)?;
    let place = match (function, &address.model) {
        (LscFunction::Slm, LscModel::Flat | LscModel::FlatBase(_)) => LscPlace::Shared,
        (LscFunction::Slm, _) => return None,
        (_, LscModel::Flat | LscModel::FlatBase(_)) => LscPlace::Flat,
        // Whatever the handle says, the surface is the thread's scratch memory: launch reference 7.
        (_, LscModel::Ss(_)) => LscPlace::Scratch,
        (_, LscModel::Surf(state)) if scope.is_scratch(&state.node) => LscPlace::Scratch,
        (_, LscModel::Bti(state) | LscModel::Bss(state) | LscModel::Surf(state)) => {
            LscPlace::Table(self::state(scope, &state.node)?)
        }
        (_, LscModel::Arg) => return None,
    };
    let base = match &address.model {
        LscModel::FlatBase(base) => Some(scope.first_element(&base.node)?),
        _ => None,
    };
    let action = action(opcode)?;
    let strided = matches!(opcode, Opcode::LscLoadStrided | Opcode::LscStoreStrided);
    let parts: Vec<Raw> = address
        .parts
        .iter()
        .map(|part| match part.operand.node {
            Operand::Number(n) => constant(scope, n),
            ref other => scope.raw(other),
        })
        .collect::<Option<_>>()?;
    let (addresses, stride) = match (&parts[..], strided) {
        (&[one], false) => (one, None),
        (&[base, stride], true) => (base, Some(stride)),
        _ => return None,
    };
    let quad = matches!(opcode, Opcode::LscLoadQuad | Opcode::LscStoreQuad);
    let channels = match (quad, data.channels) {
        (true, channels) => channels?,
        // Components follow each other: as many channels as the vector has.
        (false, _) => ChannelMask(0),
    };
    let message = Lsc {
        place,
        action,
        memory_bytes,
        register_bytes,
        high,
        vector: data.vector,
        transposed: data.transposed,
        channels,
        addresses,
        address_bits: address.bits,
        extend: address.extend,
        stride,
        base,
        scale: address.scale,
        offset: address.offset(),
        data: scope.raw(&Operand::Raw(data.raw.clone())),
        src: [
            registers.first().copied().flatten(),
            registers.get(1).copied().flatten(),
        ],
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: None,
        sampler: None,
        body: SendBody::Lsc(Box::new(message)),
    })))
}

/// A 2D block of memory.
fn block2d(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    address: &LscAddress<VarId>,
    data: &LscData<VarId>,
    block: LscBlock,
) -> Option<Op> {
    let (element, _, _) = element(data)?;
    let write = *i.opcode == Opcode::LscStoreBlock2d;
    // What the transform makes of qwords is not said.
    let whole = !block.vnni || element < 8;
    if address.model != LscModel::Flat || !whole || address.parts.len() != 6 {
        return None;
    }
    let parts: Vec<Source> = address
        .parts
        .iter()
        .map(|part| scope.first_element(&part.operand.node))
        .collect::<Option<_>>()?;
    let message = program::LscBlock {
        write,
        element,
        blocks: block.blocks,
        width: block.width,
        height: block.height,
        transposed: block.transposed,
        vnni: block.vnni,
        address: Box::new(parts.try_into().ok()?),
        offset: [address.parts[4].offset, address.parts[5].offset],
        data: scope.raw(&Operand::Raw(data.raw.clone())),
    };
    if message.bytes(scope.grf) as usize > program::LscBlock::MOST_BYTES {
        return None;
    }
    let (lanes, guard) = execution(scope, i);
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: None,
        sampler: None,
        body: SendBody::LscBlock(Box::new(message)),
    })))
}

/// `.tgm`: texels, as `gather4_typed` and `scatter4_typed` have them.
fn typed(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    address: &LscAddress<VarId>,
    data: &LscData<VarId>,
) -> Option<Op> {
    let write = match *i.opcode {
        Opcode::LscLoadQuad => false,
        Opcode::LscStoreQuad => true,
        _ => return None,
    };
    if address.offset() != 0 {
        return None;
    }
    let surface = surface(scope, &address.model)?;
    let (lanes, guard) = execution(scope, i);
    let coordinate = |n: usize| {
        let part = address.parts.get(n)?;
        scope.raw(&part.operand.node)
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: Some(surface),
        sampler: None,
        body: typed_rows(
            write,
            data.channels?,
            std::array::from_fn(coordinate),
            scope.moved(&Operand::Raw(data.raw.clone()), write)?,
        ),
    })))
}

/// A 2D block of texels: the block of a surface that `media_ld` and `media_st` move. Source: Xe2 reference 4.
fn typed_block(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    address: &LscAddress<VarId>,
    data: &LscData<VarId>,
    block: LscBlock,
) -> Option<Op> {
    let [x, y] = &address.parts[..] else {
        return None;
    };
    if (x.offset, y.offset) != (0, 0) || block.transposed || block.vnni || block.blocks != 1 {
        return None;
    }
    let write = *i.opcode == Opcode::LscStoreBlock2d;
    let block = MediaBlock {
        surface: 0,
        field: FieldSelect::State,
        x: 0,
        y: 0,
        width: block.width,
        height: block.height,
        path: DataPath::DEFAULT,
    };
    let surface = surface(scope, &address.model)?;
    let [x, y] = [x, y].map(|part| scope.first_element(&part.operand.node));
    let data = scope.moved(&Operand::Raw(data.raw.clone()), write)?;
    Some(rectangle(block, surface, [x?, y?], data, write))
}

/// Where the index or the handle of a surface lies.
fn surface(scope: &mut Scope<'_>, model: &LscModel<VarId>) -> Option<u32> {
    let (LscModel::Bti(operand) | LscModel::Bss(operand) | LscModel::Surf(operand)) = model else {
        return None;
    };
    match state(scope, &operand.node)?.region {
        Region::Scalar(offset) => Some(offset),
        _ => None,
    }
}

/// A binding table index: a constant, or the first dword of a register.
fn state(scope: &mut Scope<'_>, operand: &Operand<VarId>) -> Option<Source> {
    let region = match operand {
        Operand::Number(n) => Region::Scalar(scope.dword(u32::try_from(*n).ok()?)),
        other => {
            let raw = scope.raw(other)?;
            // Outside its variable an element reads as 0.
            let inside = raw.offset.saturating_add(4) <= raw.end;
            Region::Scalar(if inside { raw.offset } else { scope.dword(0) })
        }
    };
    Some(Source {
        region,
        ty: crate::isa::Type::Ud,
        modifier: None,
    })
}

/// A constant stride, as the dword that a register would hold; `None` if it does not fit in one.
fn constant(scope: &mut Scope<'_>, stride: u64) -> Option<Raw> {
    let offset = scope.dword(u32::try_from(stride).ok()?);
    Some(Raw {
        offset,
        end: offset + 4,
        ty: crate::isa::Type::Ud,
    })
}

/// Bytes in memory and in registers, and whether the value stands in the upper half.
fn element(data: &LscData<VarId>) -> Option<(u32, u32, bool)> {
    Some(match data.element.as_str() {
        "d8" => (1, 1, false),
        "d16" => (2, 2, false),
        "d32" => (4, 4, false),
        "d64" => (8, 8, false),
        "d8c32" | "d8u32" => (1, 4, false),
        "d16c32" | "d16u32" => (2, 4, false),
        "d16c32h" | "d16u32h" => (2, 4, true),
        _ => return None,
    })
}

fn action(opcode: Opcode) -> Option<LscAction> {
    use LscAction::{Atomic, AtomicLoad, Load, Store};
    use Opcode::*;
    Some(match opcode {
        LscLoad | LscLoadStrided | LscLoadQuad => Load,
        LscStore | LscStoreStrided | LscStoreQuad | LscStoreUncompressed => Store,
        LscAtomicLoad => AtomicLoad,
        LscAtomicStore => Atomic(AtomicOp::Xchg),
        LscAtomicIinc => Atomic(AtomicOp::Inc),
        LscAtomicIdec => Atomic(AtomicOp::Dec),
        LscAtomicIadd => Atomic(AtomicOp::Add),
        LscAtomicIsub => Atomic(AtomicOp::Sub),
        LscAtomicSmin => Atomic(AtomicOp::MinSint),
        LscAtomicSmax => Atomic(AtomicOp::MaxSint),
        LscAtomicUmin => Atomic(AtomicOp::Min),
        LscAtomicUmax => Atomic(AtomicOp::Max),
        LscAtomicIcas => Atomic(AtomicOp::CmpXchg),
        LscAtomicFadd => Atomic(AtomicOp::FAdd),
        LscAtomicFsub => Atomic(AtomicOp::FSub),
        LscAtomicFmin => Atomic(AtomicOp::FMin),
        LscAtomicFmax => Atomic(AtomicOp::FMax),
        LscAtomicFcas => Atomic(AtomicOp::FCmpWr),
        LscAtomicAnd => Atomic(AtomicOp::And),
        LscAtomicOr => Atomic(AtomicOp::Or),
        LscAtomicXor => Atomic(AtomicOp::Xor),
        _ => return None,
    })
}
