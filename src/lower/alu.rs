//! Moves, arithmetic, logic and math: one op each, with the loop that will run it.

use super::execution;
use super::operands::Scope;
use crate::check::VarId;
use crate::isa::{Condition, Modifier, Opcode, Type};
use crate::program::{Alu, CompareDest, Dest, Kernel, Lanes, Op, Region, Source};
use crate::syntax::ast::{Instruction, Operand, Suffix};

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
        opcode if modelled(opcode) => {
            let (lanes, guard) = execution(scope, i);
            let dst = scope.dest(&i.operands.first()?.node, lanes)?;
            let two = matches!(opcode, Opcode::Addc | Opcode::Subb);
            let dst2 = if two {
                Some(scope.dest(&i.operands.get(1)?.node, lanes)?)
            } else {
                None
            };
            let src = i.operands[1 + usize::from(two)..]
                .iter()
                .map(|o| scope.source(&o.node, lanes))
                .collect::<Option<Vec<_>>>()?;
            // min and max drop a predicate: vISA text reference 4.3.
            let guard = guard.filter(|_| !matches!(opcode, Opcode::Min | Opcode::Max));
            Some(finish(i, opcode, lanes, guard, dst, dst2, src))
        }
        _ => None,
    }
}

/// Instructions that [`crate::exec`] computes element by element.
fn modelled(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Add | Mul | Mad | Sel | Min | Max | Shl | Shr | Asr | And | Or | Xor | Not
    )
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
    let kernel = choose(opcode, lanes, &dst, &src, saturate);
    Op::Alu(Box::new(Alu {
        opcode,
        lanes,
        guard,
        dst,
        dst2,
        src,
        saturate,
        function,
        kernel,
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
    let kernel = if a.ty == b.ty && plain(&a) && plain(&b) {
        dense_kernel(Opcode::Cmp, lanes, a.ty, &[&a, &b])
    } else {
        Kernel::General
    };
    let src = Box::new([a, b]);
    Some(Op::Compare {
        relation,
        lanes,
        dst,
        src,
        kernel,
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

fn plain(source: &Source) -> bool {
    source.modifier.is_none()
}

/// The fastest loop whose results equal the general one's for these operands.
fn choose(opcode: Opcode, lanes: Lanes, dst: &Dest, src: &[Source], saturate: bool) -> Kernel {
    use Opcode::*;
    let direct = |s: &Source| !matches!(s.region, Region::Indirect(_));
    if opcode == Mov && !saturate && plain(&src[0]) {
        let (from, to) = (src[0].ty, dst.ty);
        let integers = from.is_integer() && to.is_integer() && from.bytes() == to.bytes();
        if (from == to || integers) && direct(&src[0]) && !matches!(dst.region, Region::Indirect(_))
        {
            return Kernel::Copy;
        }
    }
    if !matches!(dst.region, Region::Dense(_)) {
        return Kernel::General;
    }
    let sources: Vec<&Source> = src.iter().collect();
    let same_width =
        |a: Type, b: Type| a == b || (a.is_integer() && b.is_integer() && a.bytes() == b.bytes());
    if !src.iter().all(|s| same_width(s.ty, dst.ty)) {
        return Kernel::General;
    }
    let floats = dst.ty == Type::F;
    let fits = match opcode {
        Add | Mul | Mad => floats || !saturate,
        Sel => floats || !saturate && sources.iter().all(|s| plain(s)),
        // The compared value is exact, so mixed signs and modifiers go the general way.
        Min | Max => {
            floats || !saturate && src.iter().all(|s| s.ty == dst.ty && s.modifier.is_none())
        }
        And | Or | Xor | Not | Shl => !saturate,
        Shr | Asr => !saturate && src.iter().all(plain),
        _ => false,
    };
    // `sel` without modifiers copies bits, which flushing must not touch.
    if !fits || (opcode == Sel && floats) {
        return Kernel::General;
    }
    dense_kernel(opcode, lanes, dst.ty, &sources)
}

fn dense_kernel(opcode: Opcode, lanes: Lanes, ty: Type, src: &[&Source]) -> Kernel {
    let simple = |s: &&Source| matches!(s.region, Region::Dense(_) | Region::Scalar(_));
    if !matches!(lanes.count, 8 | 16 | 32) || !src.iter().all(simple) {
        return Kernel::General;
    }
    let complemented = src.iter().any(|s| s.modifier == Some(Modifier::Not));
    match ty {
        Type::F if !complemented => Kernel::DenseF,
        Type::D | Type::Ud => Kernel::DenseDword,
        // A 16-bit product of modified words is rare; comparisons of words are not.
        Type::W | Type::Uw if opcode == Opcode::Cmp || src.iter().all(|s| plain(s)) => {
            Kernel::DenseWord
        }
        _ => Kernel::General,
    }
}
