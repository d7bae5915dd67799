//! Sampler messages become request templates.

use super::operands::{NULL, Scope};
use super::{SCALAR, execution};
use crate::check::VarId;
use crate::isa::{Family, Opcode, Platform, Slot, Type};
use crate::message::parameters;
use crate::message::request::{
    AvsRequest, Request, ReturnFormat, SamplerOp, SamplerRequest, Scalar, UnormRequest,
};
use crate::program::{Lanes, Op, Operands, Registers, Send};
use crate::syntax::ast::{Instruction, Operand, Suffix};

/// Lowers a sampler message; `None` if visim does not model it.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>, platform: Platform) -> Option<Op> {
    match *i.opcode {
        Opcode::Avs => avs(scope, i),
        Opcode::Sample | Opcode::Load => legacy(scope, i),
        Opcode::SampleUnorm => unorm(scope, i),
        _ if i.opcode.info().family == Family::Sampler3d => sampler_3d(scope, i, platform),
        _ => None,
    }
}

/// What a 3D sampler instruction asks.
///
/// `None` for what visim does not model: gather4_po on parts that treat it as an ordinary sample (lowering
/// reference 4).
///
/// Source: lowering reference 3.1.
pub fn operation(opcode: Opcode, platform: Platform) -> Option<SamplerOp> {
    let op = SamplerOp::of_instruction(opcode.info())?;
    let gone = matches!(op, SamplerOp::Gather4Po | SamplerOp::Gather4PoC);
    (!gone || platform.sampler.gather4_po).then_some(op)
}

/// Whether a parameter holds offsets or an index beside a float: 32 bits.
fn packs(op: SamplerOp) -> bool {
    let order = parameters::order(op, false);
    order.iter().any(|p| parameters::Packing::of(*p).is_some())
}

/// Whether a type travels in 16 bits. Source: lowering reference 3.2 and 3.3.
fn is_16_bit(ty: Type) -> bool {
    ty.bytes() == 2
}

fn sampler_3d(scope: &mut Scope<'_>, i: &Instruction<VarId>, platform: Platform) -> Option<Op> {
    let op = operation(*i.opcode, platform)?;
    if i.paired.as_ref().is_some_and(|p| p.node.var.node != NULL) {
        return None;
    }
    let (lanes, guard) = execution(scope, i);
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    if matches!(op, SamplerOp::Resinfo | SamplerOp::Sampleinfo) {
        return info(scope, i, op, &operands);
    }
    let offsets = scope.source(operands.first()?, SCALAR)?;
    let mut rest = &operands[1..];
    let mut sampler = None;
    if i.opcode.info().slots.contains(&Slot::Sampler) {
        sampler = scope.slot(rest[0]);
        rest = &rest[1..];
    }
    let surface = scope.slot(rest.first()?)?;
    let dst = scope.raw(rest.get(1)?);
    let params: Vec<_> = rest[2..].iter().map(|o| scope.raw(o)).collect();
    // The first parameter's type decides for all: lowering reference 3.2.
    let params16 = params
        .first()
        .is_some_and(|p| p.is_some_and(|raw| is_16_bit(raw.ty)));
    if params16 && packs(op) {
        return None;
    }
    let returns = match dst {
        Some(raw) if is_16_bit(raw.ty) => ReturnFormat::Bits16,
        _ => ReturnFormat::Bits32,
    };
    let template = SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: i.channels()?,
        lanes: u32::from(lanes.count),
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: i.has(&Suffix::PixelNullMask),
        params16,
        returns,
        params: params.len() as u32,
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: Some(surface),
        sampler,
        request: Request::Sampler(template),
        operands: Operands {
            scalars: Box::new([(Scalar::TexelOffsets, offsets)]),
            registers: Registers {
                answer: dst,
                ..Registers::of_params(params)
            },
        },
    })))
}

/// `resinfo` and `sampleinfo`: always dwords. Source: lowering reference 5.
fn info(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    op: SamplerOp,
    operands: &[&Operand<VarId>],
) -> Option<Op> {
    let (lanes, guard) = execution(scope, i);
    let (surface, registers) = operands.split_first()?;
    let (dst, params) = registers.split_last()?;
    let params: Vec<_> = params.iter().map(|o| scope.raw(o)).collect();
    let template = SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: i.channels()?,
        lanes: u32::from(lanes.count),
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: params.len() as u32,
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: Some(scope.slot(surface)?),
        sampler: None,
        request: Request::Sampler(template),
        operands: Operands {
            scalars: Box::default(),
            registers: Registers {
                answer: scope.raw(dst),
                ..Registers::of_params(params)
            },
        },
    })))
}

/// `sample` and `load` without `3d`: three coordinates, eight lanes unless sixteen are written, floats or
/// dwords. Source: vISA text reference 5.7; lowering reference 6.2.
fn legacy(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let sampled = *i.opcode == Opcode::Sample;
    let (sampler, rest) = match (sampled, &operands[..]) {
        (true, [sampler, rest @ ..]) => (Some(scope.slot(sampler)?), rest),
        (_, rest) => (None, rest),
    };
    let [surface, u, v, r, dst] = rest else {
        return None;
    };
    let (u, v, r) = (scope.raw(u), scope.raw(v), scope.raw(r));
    // load: u v lod r, and the level is 0.
    let (op, params) = match sampled {
        true => (SamplerOp::Sample, vec![u, v, r]),
        false => (SamplerOp::Ld, vec![u, v, None, r]),
    };
    let count = match i.exec.as_ref().map(|e| e.node.size) {
        Some(16) => 16,
        _ => 8,
    };
    let lanes = Lanes {
        count,
        offset: 0,
        no_mask: false,
    };
    let template = SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: i.channels()?,
        lanes: u32::from(count),
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: params.len() as u32,
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard: None,
        surface: Some(scope.slot(surface)?),
        sampler,
        request: Request::Sampler(template),
        operands: Operands {
            scalars: Box::default(),
            registers: Registers {
                answer: scope.raw(dst),
                ..Registers::of_params(params)
            },
        },
    })))
}

fn unorm(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let [sampler, surface, u, v, du, dv, dst] = operands[..] else {
        return None;
    };
    let format = i.suffixes.iter().find_map(|s| match s.node {
        Suffix::UnormFormat(format) => Some(format),
        _ => None,
    })?;
    let mut scalar = |name, operand| Some((name, scope.source(operand, SCALAR)?));
    let scalars = Box::new([
        scalar(Scalar::U, u)?,
        scalar(Scalar::V, v)?,
        scalar(Scalar::DeltaU, du)?,
        scalar(Scalar::DeltaV, dv)?,
    ]);
    let request = Request::Unorm(UnormRequest {
        surface: 0,
        sampler: 0,
        channels: i.channels()?,
        u: 0.0,
        v: 0.0,
        delta_u: 0.0,
        delta_v: 0.0,
        killpix: false,
        only_rg: false,
        shader_payload: false,
    });
    Some(Op::Send(Box::new(Send {
        lanes: SCALAR,
        guard: None,
        surface: Some(scope.slot(surface)?),
        sampler: Some(scope.slot(sampler)?),
        request,
        operands: Operands {
            scalars,
            registers: Registers {
                elements: format,
                answer: scope.raw(dst),
                ..Registers::NONE
            },
        },
    })))
}

fn avs(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let operands: Vec<&Operand<VarId>> = i.operands.iter().map(|o| &o.node).collect();
    let [
        sampler,
        surface,
        u,
        v,
        du,
        dv,
        u2d,
        group,
        block,
        control,
        v2d,
        mode,
        ief,
        dst,
    ] = operands[..]
    else {
        return None;
    };
    let (&Operand::AvsControl(control), &Operand::AvsMode(mode)) = (control, mode) else {
        return None;
    };
    let mut scalar = |name, operand| Some((name, scope.source(operand, SCALAR)?));
    let scalars = Box::new([
        scalar(Scalar::U, u)?,
        scalar(Scalar::V, v)?,
        scalar(Scalar::DeltaU, du)?,
        scalar(Scalar::DeltaV, dv)?,
        scalar(Scalar::U2d, u2d)?,
        scalar(Scalar::V2d, v2d)?,
        scalar(Scalar::GroupId, group)?,
        scalar(Scalar::VerticalBlock, block)?,
        scalar(Scalar::IefBypass, ief)?,
    ]);
    let request = Request::Avs(AvsRequest {
        channels: i.channels()?,
        control,
        mode,
        ..AvsRequest::ORIGIN
    });
    Some(Op::Send(Box::new(Send {
        lanes: SCALAR,
        guard: None,
        surface: Some(scope.slot(surface)?),
        sampler: Some(scope.slot(sampler)?),
        request,
        operands: Operands {
            scalars,
            registers: Registers {
                answer: scope.raw(dst),
                ..Registers::NONE
            },
        },
    })))
}
