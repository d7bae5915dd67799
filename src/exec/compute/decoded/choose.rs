//! From an op to its step: the fastest function whose results equal the reference's.

use super::compare::{self, Values, predicate_logic};
use super::dword;
use super::kernels::{Any, Function, Plain};
use super::moves::{Qwords, Select};
use super::operand::{Element, Operand, Put, are_plain};
use super::quads::{self, Quads};
use super::rows::ROW;
use super::single;
use super::{Run, Step, each_as_defined, wide};
use crate::exec::state::thread::Thread;
use crate::isa::{Condition, Modifier, Opcode, Type};
use crate::math::simd::Wide;
use crate::program::{Alu, CompareDest, Lanes, Op, Program, Region, Source};

/// What the choice depends on beside the op.
pub struct Choice<'a> {
    /// The program.
    pub program: &'a Program,
    /// Wide instructions, if the host has them.
    pub wide: Option<Wide>,
    /// Rounding is to nearest even and ALT mode is off.
    pub plain: bool,
    /// Denormal singles are flushed.
    pub flush: bool,
}

/// The loop of a function that is common. `is_plain`: its operands and what is asked of it are.
fn common<F: Function>(count: u8, is_plain: bool) -> Run {
    match count {
        2..=8 if is_plain => wide::<Plain<F, 1>>,
        9..=16 if is_plain => wide::<Plain<F, 2>>,
        17.. if is_plain => wide::<Plain<F, 4>>,
        _ => any::<F>(count),
    }
}

/// The loop of any function.
fn any<F: Function>(count: u8) -> Run {
    match count {
        0 | 1 => wide::<Any<F, 1>>,
        _ => wide::<Any<F, ROW>>,
    }
}

/// The loop of a comparison.
fn compared<V: Values>(count: u8, is_plain: bool) -> Run {
    match count {
        0 | 1 => wide::<compare::Any<V, 1>>,
        2..=8 if is_plain => wide::<compare::Plain<V, 1>>,
        9..=16 if is_plain => wide::<compare::Plain<V, 2>>,
        17.. if is_plain => wide::<compare::Plain<V, 4>>,
        _ => wide::<compare::Any<V, ROW>>,
    }
}

/// Lanes of the loop for an instruction of so many.
const fn loop_lanes(count: u8) -> u8 {
    match count {
        0 | 1 => 1,
        2..=8 => 8,
        9..=16 => 16,
        _ => 32,
    }
}

/// One lane that always runs.
const SCALAR: Lanes = Lanes {
    count: 1,
    offset: 0,
    no_mask: true,
};

/// Values of a source as a dword can hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// A signed one.
    pub signed: bool,
    /// An unsigned one.
    pub unsigned: bool,
}

/// Whether what is rotated are dwords, whole ones.
pub fn rotates_dwords(src: &[Source]) -> bool {
    src.first().is_some_and(|s| s.ty.bytes() == 4)
}

/// Whether the exact value of every element, modifier applied, is a signed or an unsigned dword.
pub fn held(source: &Source) -> Held {
    let narrow = source.ty.bytes() < 4;
    let plain = source.modifier.is_none();
    Held {
        signed: narrow || plain && source.ty.is_signed(),
        unsigned: plain && !source.ty.is_signed()
            || source.ty == Type::D && source.modifier == Some(Modifier::Abs),
    }
}

/// How shifts to the right see their source: at its own width, or as a dword once a modifier has made one
/// of it.
pub fn shifted(source: &Source, signed: bool) -> Option<Element> {
    match source.modifier {
        None => Element::sized(source.ty.bytes(), signed),
        Some(_) => Element::of(source.ty),
    }
}

impl Choice<'_> {
    /// The step of op number `at`.
    pub fn step(&self, op: &Op, at: u32) -> Step {
        let fast = match op {
            Op::Alu(alu) => self.alu(alu),
            Op::Compare {
                relation,
                lanes,
                dst,
                src,
                ..
            } => self.compare(*relation, *lanes, dst, src),
            Op::PredicateLogic {
                opcode,
                lanes,
                dst,
                src,
            } => {
                let run: Run = match opcode {
                    Opcode::And => predicate_logic::<compare::And>,
                    Opcode::Or => predicate_logic::<compare::Or>,
                    Opcode::Xor => predicate_logic::<compare::Xor>,
                    _ => predicate_logic::<compare::Not>,
                };
                let [a, b] = src.map(Operand::predicate);
                Some(Step {
                    run,
                    src: [a, b, Operand::NONE],
                    dst: Put::Flags(*dst),
                    ..self.reference(*lanes)
                })
            }
            Op::Nothing | Op::Lifetime(_) => {
                let run: Run = nothing_to_do;
                Some(Step {
                    run,
                    ..self.reference(SCALAR)
                })
            }
            _ => None,
        };
        Step {
            fast: fast.is_some(),
            op: at,
            ..fast.unwrap_or_else(|| self.reference(SCALAR))
        }
    }

    /// A step that runs its op as the reference does.
    fn reference(&self, lanes: Lanes) -> Step {
        Step {
            run: each_as_defined,
            fast: false,
            lanes,
            loop_lanes: loop_lanes(lanes.count),
            all: lanes.all(),
            forced: if lanes.no_mask { u32::MAX } else { 0 },
            guard: None,
            src: [Operand::NONE; 3],
            dst: Put::Flags(0),
            saturate: false,
            flush: self.flush,
            relation: Condition::Eq,
            function: 0,
            reach: self.program.image.len() as u32,
            wide: self.wide,
            op: 0,
            ops: 1,
        }
    }

    /// Sources as dwords, each with its element; `None` if one is not such a thing.
    fn sources(
        &self,
        src: &[Source],
        lanes: Lanes,
        element: impl Fn(usize, &Source) -> Option<Element>,
    ) -> Option<[Operand; 3]> {
        let mut out = [Operand::NONE; 3];
        for (k, source) in src.iter().enumerate() {
            let operand = Operand::new(
                self.program,
                source,
                element(k, source)?,
                loop_lanes(lanes.count).into(),
            )?;
            *out.get_mut(k)? = operand;
        }
        Some(out)
    }

    fn alu(&self, alu: &Alu) -> Option<Step> {
        self.wide?;
        // What only the reference computes.
        if alu.dst2.is_some() || alu.overflow.is_some() || alu.opcode == Opcode::Fcvt {
            return None;
        }
        let (ty, src) = (alu.dst.ty, &alu.src[..]);
        let floats = ty.is_float() || src.iter().any(|s| s.ty.is_float());
        if let Some(run) = self.quads(alu) {
            return Some(Step {
                run,
                guard: alu.guard,
                dst: Put::Flags(0),
                ..self.reference(alu.lanes)
            });
        }
        let dst = match ty.bytes() {
            // Whoever moves those asks the op.
            8 if alu.opcode == Opcode::Mov => Put::Flags(0),
            _ => Put::new(self.program, &alu.dst, loop_lanes(alu.lanes.count).into())?,
        };
        let (run, src) = match alu.opcode {
            Opcode::Mov => self.moved(alu, dst)?,
            Opcode::Sel if !alu.saturate => {
                let bits = src.iter().all(|s| s.ty == ty && s.modifier.is_none());
                let singles = self.plain && ty == Type::F && src.iter().all(|s| s.ty == ty);
                let sources = self.sources(src, alu.lanes, |_, s| Element::of(s.ty))?;
                let run = match floats && !bits {
                    true if singles && alu.lanes.count < 2 => wide::<Select<true, 1>> as Run,
                    true if singles => wide::<Select<true, ROW>>,
                    true => return None,
                    false if alu.lanes.count < 2 => wide::<Select<false, 1>>,
                    false => wide::<Select<false, ROW>>,
                };
                (run, sources)
            }
            _ if floats => {
                let all = src.iter().all(|s| s.ty == Type::F) && ty == Type::F;
                if !all || !self.plain {
                    return None;
                }
                let sources = self.sources(src, alu.lanes, |_, s| Element::of(s.ty))?;
                let is_plain = is_plain(alu, &sources, dst) && !self.flush;
                let run = singles(alu.opcode, alu.lanes.count, is_plain)?;
                (run, sources)
            }
            _ if alu.saturate => return None,
            opcode => self.integers(opcode, alu, dst)?,
        };
        Some(Step {
            run,
            guard: alu.guard,
            src,
            dst,
            saturate: alu.saturate,
            function: alu.function,
            ..self.reference(alu.lanes)
        })
    }

    /// The loop of integers of which some have 64 bits.
    fn quads(&self, alu: &Alu) -> Option<Run> {
        let (ty, count) = (alu.dst.ty, alu.lanes.count);
        let quad = |ty: Type| ty.bytes() == 8;
        if alu.saturate || !quad(ty) && !alu.src.iter().any(|s| quad(s.ty)) {
            return None;
        }
        // Shifts to the right are at the width of their source, and six bits count with 64 of the result.
        let whole = quad(ty)
            && alu
                .src
                .first()
                .is_some_and(|s| quad(s.ty) && s.modifier.is_none());
        if !quads::serves(self.program, alu, loop_lanes(count).into()) {
            return None;
        }
        Some(match alu.opcode {
            Opcode::Mov => wide::<Quads<quads::Move>> as Run,
            Opcode::Add => wide::<Quads<quads::Add>>,
            Opcode::Add3 => wide::<Quads<quads::Add3>>,
            Opcode::Mul => wide::<Quads<quads::Mul>>,
            Opcode::Mad => wide::<Quads<quads::Mad>>,
            Opcode::And => wide::<Quads<quads::And>>,
            Opcode::Or => wide::<Quads<quads::Or>>,
            Opcode::Xor => wide::<Quads<quads::Xor>>,
            Opcode::Shl if quad(ty) => wide::<Quads<quads::Shl>>,
            Opcode::Shr if whole => wide::<Quads<quads::Shr>>,
            Opcode::Asr if whole => wide::<Quads<quads::Asr>>,
            _ => return None,
        })
    }

    fn integers(&self, opcode: Opcode, alu: &Alu, dst: Put) -> Option<(Run, [Operand; 3])> {
        let (count, src) = (alu.lanes.count, &alu.src[..]);
        let element = |k: usize, source: &Source| match (opcode, k) {
            (Opcode::Shr, 0) => shifted(source, false),
            (Opcode::Asr, 0) => shifted(source, true),
            _ => Element::of(source.ty),
        };
        let sources = self.sources(src, alu.lanes, element)?;
        let signed = src.iter().all(|s| held(s).signed);
        let unsigned = src.iter().all(|s| held(s).unsigned);
        let is_plain = is_plain(alu, &sources, dst);
        let run = match opcode {
            Opcode::Add => common::<dword::Add>(count, is_plain),
            Opcode::Add3 => any::<dword::Add3>(count),
            Opcode::Mul => common::<dword::Mul>(count, is_plain),
            Opcode::Mad => common::<dword::Mad>(count, is_plain),
            Opcode::And => common::<dword::And>(count, is_plain),
            Opcode::Or => common::<dword::Or>(count, is_plain),
            Opcode::Xor => any::<dword::Xor>(count),
            Opcode::Not => any::<dword::Not>(count),
            Opcode::Bfn => any::<dword::Bfn>(count),
            Opcode::Shl => common::<dword::Shl>(count, is_plain),
            Opcode::Shr => common::<dword::Shr>(count, is_plain),
            Opcode::Asr => common::<dword::Asr>(count, is_plain),
            Opcode::Rol if rotates_dwords(src) => any::<dword::Rol>(count),
            Opcode::Ror if rotates_dwords(src) => any::<dword::Ror>(count),
            Opcode::Min if signed => any::<dword::Min>(count),
            Opcode::Max if signed => any::<dword::Max>(count),
            Opcode::Min if unsigned => any::<dword::MinUnsigned>(count),
            Opcode::Max if unsigned => any::<dword::MaxUnsigned>(count),
            _ => return None,
        };
        Some((run, sources))
    }

    /// `mov`. Source: vISA text reference 6.1.
    fn moved(&self, alu: &Alu, dst: Put) -> Option<(Run, [Operand; 3])> {
        let [source] = &alu.src[..] else {
            return None;
        };
        let (from, to, count) = (source.ty, alu.dst.ty, alu.lanes.count);
        let bare = source.modifier.is_none() && !alu.saturate;
        let integers = from.is_integer() && to.is_integer();
        if bare && from.bytes() == 8 && (from == to || integers && to.bytes() == 8) {
            return direct(&source.region).then_some((wide::<Qwords> as Run, [Operand::NONE; 3]));
        }
        let sources = self.sources(&alu.src, alu.lanes, |_, s| Element::of(s.ty))?;
        if to.bytes() == 8 {
            return None;
        }
        let is_plain = is_plain(alu, &sources, dst);
        let run = if bare && from == to || integers && !alu.saturate {
            common::<dword::Move>(count, is_plain)
        } else if from == Type::F && to == Type::F && self.plain {
            any::<single::Modified>(count)
        } else if from.is_integer() && to == Type::F && self.plain && !alu.saturate {
            match held(source) {
                Held { signed: true, .. } => common::<dword::SignedToSingle>(count, is_plain),
                Held { unsigned: true, .. } => common::<dword::UnsignedToSingle>(count, is_plain),
                _ => return None,
            }
        } else if from == Type::F && !alu.saturate {
            match to {
                Type::D => any::<single::ToD>(count),
                Type::Ud => any::<single::ToUd>(count),
                Type::W => any::<single::ToW>(count),
                Type::Uw => any::<single::ToUw>(count),
                Type::B => any::<single::ToB>(count),
                Type::Ub => any::<single::ToUb>(count),
                _ => return None,
            }
        } else {
            return None;
        };
        Some((run, sources))
    }

    fn compare(
        &self,
        relation: Condition,
        lanes: Lanes,
        dst: &CompareDest,
        src: &[Source; 2],
    ) -> Option<Step> {
        self.wide?;
        let count = lanes.count;
        let put = match dst {
            CompareDest::Predicate(at) => Put::Flags(*at),
            CompareDest::General(dst) => Put::new(self.program, dst, loop_lanes(count).into())?,
        };
        let sources = self.sources(src, lanes, |_, s| Element::of(s.ty))?;
        let is_plain = are_plain(&sources, put) && matches!(put, Put::Flags(_));
        let run = if src.iter().any(|s| s.ty.is_float()) {
            if !self.plain || src.iter().any(|s| s.ty != Type::F) {
                return None;
            }
            compared::<compare::Single>(count, is_plain && !self.flush)
        } else if src.iter().all(|s| held(s).signed) {
            compared::<compare::Signed>(count, is_plain)
        } else if src.iter().all(|s| held(s).unsigned) {
            compared::<compare::Unsigned>(count, is_plain)
        } else {
            return None;
        };
        Some(Step {
            run,
            src: sources,
            dst: put,
            relation,
            ..self.reference(lanes)
        })
    }
}

/// Whether loops serve an op that know their operands beforehand: none of them is asked for a predicate or `.sat`.
fn is_plain(alu: &Alu, sources: &[Operand; 3], dst: Put) -> bool {
    alu.guard.is_none() && !alu.saturate && are_plain(sources, dst)
}

/// The loops of singles.
fn singles(opcode: Opcode, count: u8, is_plain: bool) -> Option<Run> {
    Some(match opcode {
        Opcode::Add => common::<single::Add>(count, is_plain),
        Opcode::Mul => common::<single::Mul>(count, is_plain),
        Opcode::Mad => common::<single::Mad>(count, is_plain),
        Opcode::Min => any::<single::Min>(count),
        Opcode::Max => any::<single::Max>(count),
        Opcode::Frc => any::<single::Frc>(count),
        Opcode::Rndd => any::<single::Rndd>(count),
        Opcode::Rndu => any::<single::Rndu>(count),
        Opcode::Rnde => any::<single::Rnde>(count),
        Opcode::Rndz => any::<single::Rndz>(count),
        Opcode::Inv | Opcode::Invm => any::<single::Inv>(count),
        Opcode::Div => any::<single::Div>(count),
        Opcode::Divm => any::<single::Divm>(count),
        Opcode::Sqrt | Opcode::Sqrtm => any::<single::Sqrt>(count),
        Opcode::Rsqrt | Opcode::Rsqtm => any::<single::Rsqrt>(count),
        Opcode::Exp => any::<single::Exp>(count),
        Opcode::Log => any::<single::Log>(count),
        Opcode::Sin => any::<single::Sin>(count),
        Opcode::Cos => any::<single::Cos>(count),
        Opcode::Pow => any::<single::Pow>(count),
        _ => return None,
    })
}

fn direct(region: &Region) -> bool {
    !matches!(region, Region::Indirect(_))
}

/// An op without effect.
pub fn nothing_to_do(_: &mut [Thread<'_>], _: &Step) {}
