//! Moves, arithmetic, logic and math: one op each.

use super::execution;
use super::operands::Scope;
use crate::check::VarId;
use crate::isa::{Condition, Opcode, Type};
use crate::program::{Alu, CompareDest, Dest, Group, Lanes, Op, Precision, Raw, Region, Source};
use crate::syntax::ast::{Immediate, Instruction, Operand, Region as Walk, Suffix};

/// Lowers an instruction that computes; `None` if visim does not model it.
pub fn lower(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    match *i.opcode {
        Opcode::Cmp => compare(scope, i),
        Opcode::Setp => set_predicate(scope, i),
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not
            if matches!(i.operands.first()?.node, Operand::Predicate(_)) =>
        {
            predicate_logic(scope, i)
        }
        Opcode::AddrAdd => {
            let (lanes, _) = execution(scope, i);
            let dst = scope.dest(&i.operands.first()?.node, lanes)?;
            let base = scope.address_base(&i.operands.get(1)?.node, lanes)?;
            let offset = scope.source(&i.operands.get(2)?.node, lanes)?;
            Some(finish(
                i,
                Opcode::Add,
                lanes,
                None,
                dst,
                None,
                vec![base, offset],
            ))
        }
        Opcode::Mov | Opcode::Movs => {
            let (mut lanes, mut guard) = execution(scope, i);
            let from_predicate = matches!(i.operands.get(1)?.node, Operand::Predicate(_));
            if from_predicate {
                // The whole variable, one lane; mask and predicate are ignored: vISA text reference 4.3.
                lanes = super::SCALAR;
                guard = None;
            }
            let dst = scope.dest(&i.operands.first()?.node, lanes)?;
            let src = scope.source(&i.operands.get(1)?.node, lanes)?;
            Some(finish(i, Opcode::Mov, lanes, guard, dst, None, vec![src]))
        }
        Opcode::Add3O => add_with_overflow(scope, i),
        Opcode::Fcvt => reformat(scope, i),
        opcode => {
            let (lanes, guard) = execution(scope, i);
            let target = &i.operands.first()?.node;
            let dst = scope.dest(target, lanes)?;
            if !modelled(opcode, dst.ty) {
                return None;
            }
            let two = matches!(opcode, Opcode::Addc | Opcode::Subb);
            let dst2 = match opcode {
                _ if two => Some(scope.dest(&i.operands.get(1)?.node, lanes)?),
                Opcode::Madw => Some(high_halves(scope, target, lanes)?),
                _ => None,
            };
            let operands = i.operands[1 + usize::from(two)..].iter().map(|o| &o.node);
            let src = match opcode {
                Opcode::Line | Opcode::Plane => {
                    equation(scope, opcode, &operands.collect::<Vec<_>>(), lanes)?
                }
                _ => operands
                    .map(|o| scope.source(o, lanes))
                    .collect::<Option<Vec<_>>>()?,
            };
            // Only moves cross between integers and floats: vISA text reference 6.3.
            if opcode != Opcode::Sel && src.iter().any(|s| s.ty.is_float() != dst.ty.is_float()) {
                return None;
            }
            // min and max drop a predicate: vISA text reference 4.3.
            let guard = guard.filter(|_| !matches!(opcode, Opcode::Min | Opcode::Max));
            Some(finish(i, opcode, lanes, guard, dst, dst2, src))
        }
    }
}

/// `add3.o`: the predicate masks nothing, it receives what does not fit. How an inverted one or one of a
/// group receives, the reference does not say. Source: vISA text reference 5.2.
fn add_with_overflow(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, guard) = execution(scope, i);
    let flags = guard.filter(|g| !g.inverted && g.group == Group::Each)?;
    let (target, sources) = i.operands.split_first()?;
    let dst = scope.dest(&target.node, lanes)?;
    let sources = sources.iter().map(|o| scope.source(&o.node, lanes));
    let src = sources.collect::<Option<Vec<_>>>()?;
    if !dst.ty.is_integer() || src.iter().any(|s| s.ty.is_float()) {
        return None;
    }
    let mut op = finish(i, Opcode::Add3O, lanes, None, dst, None, src);
    if let Op::Alu(alu) = &mut op {
        alu.overflow = Some(flags.offset);
    }
    Some(op)
}

/// `fcvt`: a float in the bits of an integer, which no modifier fits. Source: vISA text reference 5.1.
fn reformat(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, _) = execution(scope, i);
    let [target, source] = &i.operands[..] else {
        return None;
    };
    let dst = scope.dest(&target.node, lanes)?;
    let src = scope.source(&source.node, lanes)?;
    let known = matches!(
        (src.ty, dst.ty),
        (Type::Hf, Type::Ub) | (Type::Ub, Type::Hf) | (Type::F, Type::Ud)
    );
    (known && src.modifier.is_none())
        .then(|| finish(i, Opcode::Fcvt, lanes, None, dst, None, vec![src]))
}

/// `dpas`: a step for each row of results. Source: Xe2 reference 4; vISA text reference 5.2.
///
/// `None` for pairs of precisions that visim does not model: values of 2 bits, and of two sizes.
pub fn systolic(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Vec<Op>> {
    let (b, a, depth, rows) = i.suffix(|s| match s {
        Suffix::Systolic { a, b, depth, rows } => Some((a.clone(), b.clone(), *depth, *rows)),
        _ => None,
    })?;
    let precisions = [Precision::from_name(&b)?, Precision::from_name(&a)?];
    let [first, second] = precisions;
    let float = first.is_float();
    if first.parts() != second.parts() || float && first != second {
        return None;
    }
    let (lanes, guard) = execution(scope, i);
    let count = u32::from(lanes.count);
    let [dst, acc, b, a] = &i.operands[..] else {
        return None;
    };
    let (dst, acc) = (scope.raw(&dst.node)?, scope.raw(&acc.node));
    let (b, a) = (scope.raw(&b.node)?, scope.raw(&a.node)?);
    let part = |raw: Raw, at: u32, bytes: u32, ty: Type, all: bool| {
        let offset = raw.offset.checked_add(at)?;
        let inside = offset.checked_add(bytes)? <= raw.end;
        let region = match all {
            true => Region::Dense(offset),
            false => Region::Scalar(offset),
        };
        inside.then_some(Source {
            region,
            ty,
            modifier: None,
        })
    };
    let columns = (0..depth).map(|k| part(b, 4 * k * count, 4 * count, Type::Ud, true));
    let columns: Vec<Source> = columns.collect::<Option<_>>()?;
    let row = |m: u32| {
        let bytes = |raw: Raw| count * raw.ty.bytes();
        let result = part(dst, m * bytes(dst), bytes(dst), dst.ty, true)?;
        let fits = |ty: Type| ty.is_float() == float && ty.bytes() <= 4;
        let acc = match acc {
            Some(acc) => part(acc, m * bytes(acc), bytes(acc), acc.ty, true)?,
            None => Source {
                region: Region::Scalar(scope.zero()),
                ..result.clone()
            },
        };
        if !fits(acc.ty) || !fits(dst.ty) {
            return None;
        }
        let mut src = vec![acc];
        src.extend(columns.iter().cloned());
        for k in 0..depth {
            src.push(part(a, 4 * (m * depth + k), 4, Type::Ud, false)?);
        }
        let dst = Dest {
            region: result.region,
            ty: dst.ty,
        };
        let mut op = finish(i, Opcode::Dpas, lanes, guard, dst, None, src);
        if let Op::Alu(alu) = &mut op {
            alu.precisions = Some(precisions);
        }
        Some(op)
    };
    (0..rows).map(row).collect()
}

/// Instructions that [`crate::exec`] computes element by element, by what they write.
/// Source: vISA text reference 6.3.
fn modelled(opcode: Opcode, ty: Type) -> bool {
    use Opcode::*;
    match opcode {
        Sel => true,
        Add | Mul | Mad | Min | Max | Div => true,
        And | Or | Xor | Not | Shl | Shr | Asr | Rol | Ror | Bfn | Cbit | Fbl | Fbh | Lzd
        | Bfrev | Bfe | Bfi | Avg | Mod | Mulh | Add3 | Dp4a | Addc | Subb | Madw | Sad2
        | Sad2Add => ty.is_integer(),
        Inv | Divm | Sqrt | Sqrtm | Invm => ty.is_float(),
        Frc | Rndd | Rndu | Rnde | Rndz | Lrp | Line | Plane | Dp2 | Dp3 | Dp4 | Dph | Exp
        | Log | Rsqrt | Sin | Cos | Pow | Tanh | Sigm | Rsqtm => matches!(ty, Type::F | Type::Hf),
        _ => false,
    }
}

/// Where `madw` puts high halves: the first whole register after the low ones.
/// Source: vISA text reference 5.2.
fn high_halves(scope: &mut Scope<'_>, target: &Operand<VarId>, lanes: Lanes) -> Option<Dest> {
    let Operand::General(low) = target else {
        return None;
    };
    let bytes = u32::from(lanes.count) * 4;
    let mut high = low.clone();
    high.row = low.row.checked_add(bytes.div_ceil(scope.grf))?;
    scope.dest(&Operand::General(high), lanes)
}

/// `line` and `plane` with their equation taken apart: `p q u` and `p q r u v`.
/// Source: vISA text reference 5.2.
fn equation(
    scope: &mut Scope<'_>,
    opcode: Opcode,
    operands: &[&Operand<VarId>],
    lanes: Lanes,
) -> Option<Vec<Source>> {
    let [Operand::General(equation), coordinates] = operands else {
        return None;
    };
    let mut coefficient = |k: u32| {
        let mut one = equation.clone();
        // An aligned group of four elements.
        one.column = (equation.column & !3) + k;
        one.region.node = Walk::Source {
            vertical: 0,
            width: 1,
            horizontal: 0,
        };
        scope.source(&Operand::General(one), lanes)
    };
    if opcode == Opcode::Line {
        let (p, q) = (coefficient(0)?, coefficient(3)?);
        return Some(vec![p, q, scope.source(coordinates, lanes)?]);
    }
    let (p, q, r) = (coefficient(0)?, coefficient(1)?, coefficient(3)?);
    let Operand::General(coordinates) = coordinates else {
        return None;
    };
    // u of eight lanes, v of the same eight, then the next eight.
    let mut half = |first: u32| {
        let mut half = coordinates.clone();
        half.column += first;
        half.region.node = Walk::Source {
            vertical: 16,
            width: 8,
            horizontal: 1,
        };
        scope.source(&Operand::General(half), lanes)
    };
    let (u, v) = (half(0)?, half(8)?);
    Some(vec![p, q, r, u, v])
}

/// A move of a constant to the last operand.
pub fn constant(scope: &mut Scope<'_>, i: &Instruction<VarId>, value: u64) -> Option<Op> {
    let lanes = super::SCALAR;
    let dst = scope.dest(&i.operands.last()?.node, lanes)?;
    let imm = Operand::Immediate(Immediate {
        bits: value,
        ty: Type::Uq,
    });
    let src = scope.source(&imm, lanes)?;
    Some(finish(i, Opcode::Mov, lanes, None, dst, None, vec![src]))
}

fn finish(
    i: &Instruction<VarId>,
    opcode: Opcode,
    lanes: Lanes,
    guard: Option<crate::program::Guard>,
    dst: Dest,
    dst2: Option<Dest>,
    src: Vec<Source>,
) -> Op {
    let saturate = i.has(&Suffix::Saturate);
    let function = i
        .suffix(|s| match s {
            Suffix::BooleanFunction(f) => Some(*f),
            _ => None,
        })
        .unwrap_or(0);
    Op::Alu(Box::new(Alu {
        opcode,
        lanes,
        guard,
        dst,
        dst2,
        overflow: None,
        src,
        saturate,
        function,
        precisions: None,
    }))
}

fn compare(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, _) = execution(scope, i);
    let relation: Condition = i.suffix(|s| match s {
        Suffix::Condition(c) => Some(*c),
        _ => None,
    })?;
    let target = &i.operands.first()?.node;
    let dst = match target {
        Operand::Predicate(_) => CompareDest::Predicate(scope.slot(target)?),
        other => CompareDest::General(scope.dest(other, lanes)?),
    };
    let a = scope.source(&i.operands.get(1)?.node, lanes)?;
    let b = scope.source(&i.operands.get(2)?.node, lanes)?;
    let src = Box::new([a, b]);
    Some(Op::Compare {
        relation,
        lanes,
        dst,
        src,
    })
}

fn set_predicate(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, _) = execution(scope, i);
    let dst = scope.slot(&i.operands.first()?.node)?;
    let src = scope.source(&i.operands.get(1)?.node, lanes)?;
    let scalar = matches!(src.region, Region::Scalar(_));
    Some(Op::SetPredicate {
        lanes,
        dst,
        src,
        scalar,
    })
}

fn predicate_logic(scope: &mut Scope<'_>, i: &Instruction<VarId>) -> Option<Op> {
    let (lanes, _) = execution(scope, i);
    let slots = i
        .operands
        .iter()
        .map(|o| scope.slot(&o.node))
        .collect::<Option<Vec<_>>>()?;
    let (&dst, src) = slots.split_first()?;
    Some(Op::PredicateLogic {
        opcode: *i.opcode,
        lanes,
        dst,
        src: [*src.first()?, *src.last()?],
    })
}
