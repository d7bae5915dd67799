//! From an op to its step: the fastest function whose results equal the reference's.

use super::compare::{self, Compare, predicate_logic};
use super::dword::{self, Boolean, Dwords, Select};
use super::moves::{self, FromSingle, Modified, Qwords, SelectSingle, ToSingle};
use super::operand::{ANY, Element, HAS_MODIFIERS, Operand, Put, Shape, shape};
use super::quads::{self, Quads};
use super::rows::ROW;
use super::single::{self, Singles};
use super::{Kernel, Run, Step, each_as_defined, wide};
use crate::exec::state::thread::Thread;
use crate::isa::{Condition, Opcode, Type};
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

/// The function for the lane count of an op: loops have 1, 8, 16 or 32 lanes, in rows.
macro_rules! by_count {
    ($choice:expr, $count:expr, $kernel:ident) => {
        match $count {
            0 | 1 => $choice.pick::<$kernel<1, 1>>(),
            2..=8 => $choice.pick::<$kernel<ROW, 1>>(),
            9..=16 => $choice.pick::<$kernel<ROW, 2>>(),
            _ => $choice.pick::<$kernel<ROW, 4>>(),
        }
    };
    ($choice:expr, $count:expr, $kernel:ident, $function:ty $(, $shape:expr)?) => {
        match $count {
            0 | 1 => $choice.pick::<$kernel<$function, $({ $shape },)? 1, 1>>(),
            2..=8 => $choice.pick::<$kernel<$function, $({ $shape },)? ROW, 1>>(),
            9..=16 => $choice.pick::<$kernel<$function, $({ $shape },)? ROW, 2>>(),
            _ => $choice.pick::<$kernel<$function, $({ $shape },)? ROW, 4>>(),
        }
    };
}

/// The same for kernels that know the shape of their operands, the last one being that of an instruction
/// with one lane.
macro_rules! by_shape {
    ($choice:expr, $count:expr, $shape:expr, $kernel:ident, $function:ty; $($known:literal)+, $one:literal) => {
        match $shape {
            $(Some($known) if $count > 1 => match $count {
                0..=8 => wide::<$kernel<$function, $known, ROW, 1>> as Run,
                9..=16 => wide::<$kernel<$function, $known, ROW, 2>>,
                _ => wide::<$kernel<$function, $known, ROW, 4>>,
            },
            Some(shape) if shape == $known | HAS_MODIFIERS && $count > 1 => match $count {
                0..=8 => wide::<$kernel<$function, { $known | HAS_MODIFIERS }, ROW, 1>>,
                9..=16 => wide::<$kernel<$function, { $known | HAS_MODIFIERS }, ROW, 2>>,
                _ => wide::<$kernel<$function, { $known | HAS_MODIFIERS }, ROW, 4>>,
            },)+
            Some($one) if $count <= 1 => {
                wide::<$kernel<$function, $one, 1, 1>>
            }
            Some(shape) if shape == $one | HAS_MODIFIERS && $count <= 1 => {
                wide::<$kernel<$function, { $one | HAS_MODIFIERS }, 1, 1>>
            }
            _ => by_count!($choice, $count, $kernel, $function, ANY),
        }
    };
}

/// Lanes of the loop for an instruction of so many.
const fn loop_lanes(count: u8) -> usize {
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
        unsigned: plain && !source.ty.is_signed(),
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

    fn pick<K: Kernel>(&self) -> Run {
        wide::<K>
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
                loop_lanes(lanes.count),
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
            _ => Put::new(self.program, &alu.dst, loop_lanes(alu.lanes.count))?,
        };
        let (run, src) = match alu.opcode {
            Opcode::Mov => self.moved(alu, dst)?,
            Opcode::Sel if !alu.saturate => {
                let bits = src.iter().all(|s| s.ty == ty && s.modifier.is_none());
                let singles = self.plain && ty == Type::F && src.iter().all(|s| s.ty == ty);
                let sources = self.sources(src, alu.lanes, |_, s| Element::of(s.ty))?;
                let run = match floats && !bits {
                    true if singles => by_count!(self, alu.lanes.count, SelectSingle),
                    true => return None,
                    false => by_count!(self, alu.lanes.count, Select),
                };
                (run, sources)
            }
            _ if floats => {
                let all = src.iter().all(|s| s.ty == Type::F) && ty == Type::F;
                if !all || !self.plain {
                    return None;
                }
                let sources = self.sources(src, alu.lanes, |_, s| Element::of(s.ty))?;
                let shape = self.single_shape(&sources[..src.len()], dst);
                let shape = shape.map(|shape| shape | dress(alu));
                (self.singles(alu.opcode, alu.lanes.count, shape)?, sources)
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
        if !quads::serves(self.program, alu, loop_lanes(count)) {
            return None;
        }
        Some(match alu.opcode {
            Opcode::Mov => by_count!(self, count, Quads, quads::Move),
            Opcode::Add => by_count!(self, count, Quads, quads::Add),
            Opcode::Add3 => by_count!(self, count, Quads, quads::Add3),
            Opcode::Mul => by_count!(self, count, Quads, quads::Mul),
            Opcode::Mad => by_count!(self, count, Quads, quads::Mad),
            Opcode::And => by_count!(self, count, Quads, quads::And),
            Opcode::Or => by_count!(self, count, Quads, quads::Or),
            Opcode::Xor => by_count!(self, count, Quads, quads::Xor),
            Opcode::Shl if quad(ty) => by_count!(self, count, Quads, quads::Shl),
            Opcode::Shr if whole => by_count!(self, count, Quads, quads::Shr),
            Opcode::Asr if whole => by_count!(self, count, Quads, quads::Asr),
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
        let shape = shape(&sources[..src.len()], dst).map(|shape| shape | dress(alu));
        let run = match opcode {
            Opcode::Add => by_shape!(self, count, shape, Dwords, dword::Add; 0 1 2 3, 3),
            Opcode::Add3 => by_count!(self, count, Dwords, dword::Add3, ANY),
            Opcode::Mul => by_shape!(self, count, shape, Dwords, dword::Mul; 0 1 2 3, 3),
            Opcode::Mad => by_shape!(self, count, shape, Dwords, dword::Mad; 0 1 2 3 4 5 6 7, 7),
            Opcode::And => by_shape!(self, count, shape, Dwords, dword::And; 0 1 2 3, 3),
            Opcode::Or => by_shape!(self, count, shape, Dwords, dword::Or; 0 1 2 3, 3),
            Opcode::Xor => by_count!(self, count, Dwords, dword::Xor, ANY),
            Opcode::Not => by_count!(self, count, Dwords, dword::Not, ANY),
            Opcode::Bfn => by_count!(self, count, Boolean),
            Opcode::Shl => by_shape!(self, count, shape, Dwords, dword::Shl; 0 1 2 3, 3),
            Opcode::Shr => by_shape!(self, count, shape, Dwords, dword::Shr; 0 1 2 3, 3),
            Opcode::Asr => by_shape!(self, count, shape, Dwords, dword::Asr; 0 1 2 3, 3),
            Opcode::Rol if rotates_dwords(src) => by_count!(self, count, Dwords, dword::Rol, ANY),
            Opcode::Ror if rotates_dwords(src) => by_count!(self, count, Dwords, dword::Ror, ANY),
            Opcode::Min if signed => by_count!(self, count, Dwords, dword::Min, ANY),
            Opcode::Max if signed => by_count!(self, count, Dwords, dword::Max, ANY),
            Opcode::Min if unsigned => by_count!(self, count, Dwords, dword::MinUnsigned, ANY),
            Opcode::Max if unsigned => by_count!(self, count, Dwords, dword::MaxUnsigned, ANY),
            _ => return None,
        };
        Some((run, sources))
    }

    /// The shape of operands that are singles.
    fn single_shape(&self, sources: &[Operand], dst: Put) -> Option<Shape> {
        shape(sources, dst).filter(|_| !self.flush)
    }

    fn singles(&self, opcode: Opcode, count: u8, shape: Option<Shape>) -> Option<Run> {
        Some(match opcode {
            Opcode::Add => by_shape!(self, count, shape, Singles, single::Add; 0 1 2 3, 3),
            Opcode::Mul => by_shape!(self, count, shape, Singles, single::Mul; 0 1 2 3, 3),
            Opcode::Mad => by_shape!(self, count, shape, Singles, single::Mad; 0 1 2 3 4 5 6 7, 7),
            Opcode::Min => by_count!(self, count, Singles, single::Min, ANY),
            Opcode::Max => by_count!(self, count, Singles, single::Max, ANY),
            Opcode::Frc => by_count!(self, count, Singles, single::Frc, ANY),
            Opcode::Rndd => by_count!(self, count, Singles, single::Rndd, ANY),
            Opcode::Rndu => by_count!(self, count, Singles, single::Rndu, ANY),
            Opcode::Rnde => by_count!(self, count, Singles, single::Rnde, ANY),
            Opcode::Rndz => by_count!(self, count, Singles, single::Rndz, ANY),
            Opcode::Inv | Opcode::Invm => by_count!(self, count, Singles, single::Inv, ANY),
            Opcode::Div => by_count!(self, count, Singles, single::Div, ANY),
            Opcode::Divm => by_count!(self, count, Singles, single::Divm, ANY),
            Opcode::Sqrt | Opcode::Sqrtm => by_count!(self, count, Singles, single::Sqrt, ANY),
            Opcode::Rsqrt | Opcode::Rsqtm => by_count!(self, count, Singles, single::Rsqrt, ANY),
            Opcode::Exp => by_count!(self, count, Singles, single::Exp, ANY),
            Opcode::Log => by_count!(self, count, Singles, single::Log, ANY),
            Opcode::Sin => by_count!(self, count, Singles, single::Sin, ANY),
            Opcode::Cos => by_count!(self, count, Singles, single::Cos, ANY),
            Opcode::Pow => by_count!(self, count, Singles, single::Pow, ANY),
            _ => return None,
        })
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
            return direct(&source.region).then(|| (self.pick::<Qwords>(), [Operand::NONE; 3]));
        }
        let sources = self.sources(&alu.src, alu.lanes, |_, s| Element::of(s.ty))?;
        if to.bytes() == 8 {
            return None;
        }
        let shape = shape(&sources[..1], dst).map(|shape| shape | dress(alu));
        let run = if bare && from == to || integers && !alu.saturate {
            by_shape!(self, count, shape, Dwords, dword::Move; 0 1, 1)
        } else if from == Type::F && to == Type::F && self.plain {
            by_count!(self, count, Modified)
        } else if from.is_integer() && to == Type::F && self.plain && !alu.saturate {
            match held(source) {
                Held { signed: true, .. } => {
                    by_shape!(self, count, shape, ToSingle, moves::Signed; 0, 1)
                }
                Held { unsigned: true, .. } => {
                    by_shape!(self, count, shape, ToSingle, moves::Unsigned; 0, 1)
                }
                _ => return None,
            }
        } else if from == Type::F && !alu.saturate {
            match to {
                Type::D => by_count!(self, count, FromSingle, moves::D),
                Type::Ud => by_count!(self, count, FromSingle, moves::Ud),
                Type::W => by_count!(self, count, FromSingle, moves::W),
                Type::Uw => by_count!(self, count, FromSingle, moves::Uw),
                Type::B => by_count!(self, count, FromSingle, moves::B),
                Type::Ub => by_count!(self, count, FromSingle, moves::Ub),
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
            CompareDest::General(dst) => Put::new(self.program, dst, loop_lanes(count))?,
        };
        let sources = self.sources(src, lanes, |_, s| Element::of(s.ty))?;
        let shape = shape(&sources[..2], put);
        let run = if src.iter().any(|s| s.ty.is_float()) {
            if !self.plain || src.iter().any(|s| s.ty != Type::F) {
                return None;
            }
            let shape = self.single_shape(&sources[..2], put);
            by_shape!(self, count, shape, Compare, compare::Single; 0 1 2 3, 3)
        } else if src.iter().all(|s| held(s).signed) {
            by_shape!(self, count, shape, Compare, compare::Signed; 0 1 2 3, 3)
        } else if src.iter().all(|s| held(s).unsigned) {
            by_shape!(self, count, shape, Compare, compare::Unsigned; 0 1 2 3, 3)
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

/// Whether kernels have to look for a predicate or `.sat`.
const fn dress(alu: &Alu) -> Shape {
    if alu.guard.is_some() || alu.saturate {
        HAS_MODIFIERS
    } else {
        0
    }
}

fn direct(region: &Region) -> bool {
    !matches!(region, Region::Indirect(_))
}

/// An op without effect.
pub fn nothing_to_do(_: &mut [Thread<'_>], _: &Step) {}
