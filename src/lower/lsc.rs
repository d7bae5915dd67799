//! LSC messages become request templates. Source: vISA text reference 5.11.
//!
//! Not modelled, since the reference does not state what they do: page status, append
//! counters, surface state queries, and addresses below `arg`.

use super::dataport::rectangle;
use super::execution;
use super::operands::Scope;
use crate::check::VarId;
use crate::isa::{ChannelMask, Opcode, Type};
use crate::message::e64;
use crate::message::lsc::{cache_code, immediate_offset};
use crate::message::request::{DataPath, FieldSelect, MediaBlock};
use crate::message::{
    Access, Lsc, LscBlock2d, LscData, LscModel, LscOp, Request, Scalar, Sfid, Strided,
};
use crate::program::{Op, Operands, Raw, Region, Registers, Send, Source};
use crate::syntax::ast::{self, Instruction, LscAddress, LscFunction, Operand, Suffix};

/// Lowers an LSC message; `None` if visim does not model it.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    if *i.opcode == Opcode::LscFence {
        return Some(Op::Nothing);
    }
    let mut address = None;
    let mut data = None;
    let mut sources = Vec::new();
    for operand in &i.operands {
        match &operand.node {
            Operand::LscAddress(a) => address = Some(&**a),
            Operand::LscData(d) => data = Some(d),
            other => sources.push(scope.raw(other)),
        }
    }
    let (address, data) = (address?, data?);
    let sfid = function(i)?;
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
    match data.block {
        Some(block) if sfid == Sfid::Tgm => typed_block(scope, i, address, data, block),
        Some(block) => block2d(scope, i, address, data, block),
        None => lanes(scope, i, address, data, &sources),
    }
}

/// The function that the instruction names.
fn function(i: &Instruction<VarId>) -> Option<Sfid> {
    i.suffix(|s| match s {
        Suffix::LscFunction(function) => Some(match function {
            LscFunction::Ugm => Sfid::Ugm,
            LscFunction::Ugml => Sfid::Ugml,
            LscFunction::Slm => Sfid::Slm,
            LscFunction::Tgm => Sfid::Tgm,
        }),
        _ => None,
    })
}

/// The code of the cache policy, which no result depends on; 0 for one that the check has refused.
fn cache(scope: &Scope<'_>, i: &Instruction<VarId>, store: bool) -> u32 {
    let code = i.suffix(|s| match s {
        Suffix::LscCache(words) => cache_code(words, store, &scope.platform.lsc?),
        _ => None,
    });
    code.unwrap_or(0)
}

/// Elements of lanes.
fn lanes(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    address: &LscAddress<VarId>,
    data: &ast::LscData<VarId>,
    sources: &[Option<Raw>],
) -> Option<Op> {
    let (op, sfid) = (LscOp::of_instruction(*i.opcode)?, function(i)?);
    let typed = sfid == Sfid::Tgm;
    let counter = matches!(op, LscOp::AppendCounter(_));
    let of_texels = op.is_quad() || matches!(op, LscOp::Atomic(_)) && data.element == "d32";
    if counter || typed && (!of_texels || address.offset() != 0) {
        return None;
    }
    let size = match typed {
        true => LscData::D32,
        false => LscData::from_name(&data.element)?,
    };
    let mut scalars = Vec::new();
    let (model, surface) = model(scope, sfid, &address.model, &mut scalars)?;
    let pipe = scope.platform.lsc?;
    let offset = address.offset();
    let immediate = match scope.platform.dialect.state_addresses() {
        true => e64::immediate_offset(offset, &model, size),
        false => immediate_offset(offset, &model, &pipe),
    };
    if immediate.is_none() && offset != 0 {
        scalars.push((Scalar::BaseAddress, scope.constant(offset as u64)));
    }
    let (lanes, guard) = execution(scope, i);
    let mut strided = Strided::default();
    let mut params = Vec::new();
    match (&address.parts[..], op.is_strided()) {
        ([base, stride], true) => {
            let stride = match stride.operand.node {
                Operand::Number(n) => {
                    strided.stride = u32::try_from(n).ok()?;
                    None
                }
                ref other => Some(scope.first_element_as(other, Type::Ud)?),
            };
            let bits = if address.bits == 64 {
                Type::Uq
            } else {
                Type::Ud
            };
            let base = scope.first_element_as(&base.operand.node, bits)?;
            scalars.push((Scalar::Address, base));
            scalars.extend(stride.map(|stride| (Scalar::Stride, stride)));
        }
        ([..], true) => return None,
        (parts, false) => {
            for part in parts {
                params.push(scope.raw(&part.operand.node));
            }
            // Coordinates that are not given at the end are not sent.
            let given = params.iter().rposition(Option::is_some);
            params.truncate(given.map_or(1, |last| last + 1));
        }
    }
    if !typed && !op.is_strided() && !matches!(params[..], [Some(_)]) {
        return None;
    }
    let place = match typed && op.is_quad() {
        true => Some(scope.moved(&Operand::Raw(data.raw.clone()), op.is_store())?),
        false => scope.raw(&Operand::Raw(data.raw.clone())),
    };
    let least = if typed {
        pipe.typed_lanes
    } else {
        pipe.untyped_lanes
    };
    let count = u32::from(lanes.count).next_power_of_two();
    let request = Request::Lsc(Lsc {
        sfid,
        model,
        op,
        data: size,
        vector: data.vector,
        transposed: data.transposed,
        channels: match op.is_quad() {
            true => data.channels?,
            false => ChannelMask(0),
        },
        returns: place.is_some() && !op.is_store(),
        address_bits: address.bits,
        extend: address.extend,
        scale: address.scale,
        offset: immediate.unwrap_or(0),
        lanes: if data.transposed { 1 } else { count.max(least) },
        coordinates: params.len().max(1) as u32,
        cache: cache(scope, i, op.is_store() || op.is_atomic()),
        strided,
    });
    let [first, second] = [sources.first(), sources.get(1)].map(|raw| raw.copied().flatten());
    let registers = Registers {
        data: match op {
            op if op.is_store() => [place, None, None, None],
            _ => [first, second, None, None],
        },
        answer: place.filter(|_| !op.is_store()),
        ..Registers::of_params(params)
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface,
        sampler: None,
        request,
        operands: Operands {
            scalars: scalars.into(),
            registers,
        },
    })))
}

/// Which memory, and where the index of a typed surface lies; one of an untyped surface is an operand.
fn model(
    scope: &mut Scope<'_>,
    sfid: Sfid,
    model: &ast::LscModel<VarId>,
    scalars: &mut Vec<(Scalar, Source)>,
) -> Option<(LscModel, Option<u32>)> {
    use ast::LscModel as Text;
    if sfid == Sfid::Tgm {
        let named = match model {
            Text::Bti(_) => LscModel::Bti(0),
            Text::Bss(_) | Text::Surf(_) => LscModel::Bss(0),
            _ => return None,
        };
        return Some((named, Some(surface(scope, model)?)));
    }
    let (named, operand) = match model {
        Text::Flat => return Some((LscModel::Flat, None)),
        Text::FlatBase(base) => {
            let base = scope.first_element(&base.node)?;
            scalars.push((Scalar::BaseAddress, base));
            return Some((LscModel::Flat, None));
        }
        _ if sfid == Sfid::Slm => return None,
        // Whatever the handle says, the surface is the thread's scratch memory: launch reference 7.
        Text::Ss(handle) => (LscModel::Ss(0), handle),
        Text::Surf(handle) if scope.is_scratch(&handle.node) => (LscModel::Ss(0), handle),
        Text::Bti(operand) => match operand.node {
            Operand::Number(n) => {
                return Some((LscModel::Bti(u32::try_from(n).ok()?), None));
            }
            _ => (LscModel::Bti(0), operand),
        },
        Text::Bss(handle) | Text::Surf(handle) => (LscModel::Bss(0), handle),
        Text::Arg => return None,
    };
    scalars.push((Scalar::Surface, state(scope, &operand.node)?));
    Some((named, None))
}

/// A 2D block of memory.
fn block2d(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    address: &LscAddress<VarId>,
    data: &ast::LscData<VarId>,
    block: ast::LscBlock,
) -> Option<Op> {
    let element = LscData::from_name(&data.element)?.memory_bytes();
    let write = *i.opcode == Opcode::LscStoreBlock2d;
    // What the transform makes of qwords is not said.
    let whole = !block.vnni || element < 8;
    let [base, width, height, pitch, x, y] = &address.parts[..] else {
        return None;
    };
    if address.model != ast::LscModel::Flat || !whole {
        return None;
    }
    let names = [
        (Scalar::Address, base),
        (Scalar::SurfaceWidth, width),
        (Scalar::SurfaceHeight, height),
        (Scalar::SurfacePitch, pitch),
        (Scalar::X, x),
        (Scalar::Y, y),
    ];
    let scalars = names
        .iter()
        .map(|(name, part)| Some((*name, scope.first_element(&part.operand.node)?)))
        .collect::<Option<_>>()?;
    let place = scope.raw(&Operand::Raw(data.raw.clone()));
    let request = LscBlock2d {
        access: if write { Access::Write } else { Access::Read },
        returns: place.is_some() && !write,
        element,
        blocks: block.blocks,
        width: block.width,
        height: block.height,
        transposed: block.transposed,
        vnni: block.vnni,
        cache: cache(scope, i, write),
        offset: [i32::try_from(x.offset).ok()?, i32::try_from(y.offset).ok()?],
        address: 0,
        surface_width: 0,
        surface_height: 0,
        surface_pitch: 0,
        x: 0,
        y: 0,
    };
    if request.bytes(scope.grf) as usize > LscBlock2d::MOST_BYTES {
        return None;
    }
    let (lanes, guard) = execution(scope, i);
    let registers = match write {
        true => Registers {
            data: [place, None, None, None],
            ..Registers::NONE
        },
        false => Registers {
            answer: place,
            ..Registers::NONE
        },
    };
    Some(Op::Send(Box::new(Send {
        lanes,
        guard,
        surface: None,
        sampler: None,
        request: Request::LscBlock2d(request),
        operands: Operands { scalars, registers },
    })))
}

/// A 2D block of texels: the block of a surface that `media_ld` and `media_st` move. Source: Xe2 reference 4.
fn typed_block(
    scope: &mut Scope<'_>,
    i: &Instruction<VarId>,
    address: &LscAddress<VarId>,
    data: &ast::LscData<VarId>,
    block: ast::LscBlock,
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
fn surface(scope: &mut Scope<'_>, model: &ast::LscModel<VarId>) -> Option<u32> {
    use ast::LscModel::{Bss, Bti, Surf};
    let (Bti(operand) | Bss(operand) | Surf(operand)) = model else {
        return None;
    };
    match state(scope, &operand.node)?.region {
        Region::Scalar(offset) => Some(offset),
        _ => None,
    }
}

/// A binding table index or a handle: a constant, or the first dword of a register.
fn state(scope: &mut Scope<'_>, operand: &Operand<VarId>) -> Option<Source> {
    match operand {
        Operand::Number(n) => {
            let offset = scope.dword(u32::try_from(*n).ok()?);
            Some(Source {
                region: Region::Scalar(offset),
                ty: Type::Ud,
                modifier: None,
            })
        }
        other => scope.first_element_as(other, Type::Ud),
    }
}
