//! From an op to its step: the fastest function whose results equal the reference's.

use super::compare::{CompareDword, CompareSingle};
use super::dword::{self, Dwords, Select};
use super::moves::{self, FromSingle, Modified, Qwords, ToSingle};
use super::operand::{Element, Operand, Put};
use super::single::{self, Singles};
use super::{Kernel, Run, Step, plain, wide};
use crate::exec::simd::Wide;
use crate::exec::thread::Thread;
use crate::isa::{Condition, Opcode, Type};
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

/// The function for the lane count of an op: loops have 1, 8, 16 or 32 lanes.
macro_rules! by_count {
    ($choice:expr, $count:expr, $($kernel:tt)::+ < $($argument:ty),+ >) => {
        match $count {
            1 => $choice.pick::<$($kernel)::+<$($argument,)+ 1>>(),
            2..=8 => $choice.pick::<$($kernel)::+<$($argument,)+ 8>>(),
            9..=16 => $choice.pick::<$($kernel)::+<$($argument,)+ 16>>(),
            _ => $choice.pick::<$($kernel)::+<$($argument,)+ 32>>(),
        }
    };
    ($choice:expr, $count:expr, $kernel:ident $({$flag:literal})?) => {
        match $count {
            1 => $choice.pick::<$kernel<$($flag,)? 1>>(),
            2..=8 => $choice.pick::<$kernel<$($flag,)? 8>>(),
            9..=16 => $choice.pick::<$kernel<$($flag,)? 16>>(),
            _ => $choice.pick::<$kernel<$($flag,)? 32>>(),
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
struct Held {
    signed: bool,
    unsigned: bool,
}

/// Whether the exact value of every element, modifier applied, is a signed or an unsigned dword.
fn held(source: &Source) -> Held {
    let narrow = source.ty.bytes() < 4;
    let plain = source.modifier.is_none();
    Held {
        signed: narrow || plain && source.ty.is_signed(),
        unsigned: plain && !source.ty.is_signed(),
    }
}

/// How shifts to the right see their source: at its own width, or as a dword once a modifier has made one
/// of it.
fn shifted(source: &Source, signed: bool) -> Option<Element> {
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
            Op::Nothing => {
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
            run: as_defined,
            fast: false,
            lanes,
            all: lanes.all(),
            guard: None,
            src: [Operand::NONE; 3],
            dst: Put::Flags(0),
            saturate: false,
            flush: self.flush,
            relation: Condition::Eq,
            wide: self.wide,
            op: 0,
        }
    }

    fn pick<K: Kernel>(&self) -> Run {
        match self.wide {
            Some(_) => wide::<K>,
            None => plain::<K>,
        }
    }

    /// Sources as dwords, each with its element; `None` if one is no such thing.
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
        if alu.dst2.is_some() {
            return None;
        }
        let (ty, src) = (alu.dst.ty, &alu.src[..]);
        let floats = ty.is_float() || src.iter().any(|s| s.ty.is_float());
        let (run, src) = match alu.opcode {
            Opcode::Mov => self.moved(alu)?,
            Opcode::Sel if !alu.saturate => {
                let bits = src.iter().all(|s| s.ty == ty && s.modifier.is_none());
                if floats && !bits {
                    return None;
                }
                let sources = self.sources(src, alu.lanes, |_, s| Element::of(s.ty))?;
                (by_count!(self, alu.lanes.count, Select), sources)
            }
            _ if floats => {
                let all = src.iter().all(|s| s.ty == Type::F) && ty == Type::F;
                if !all || !self.plain {
                    return None;
                }
                let sources = self.sources(src, alu.lanes, |_, s| Element::of(s.ty))?;
                (self.singles(alu.opcode, alu.lanes.count)?, sources)
            }
            _ if alu.saturate => return None,
            opcode => self.integers(opcode, alu)?,
        };
        let dst = match ty.bytes() {
            // Whoever moves those asks the op.
            8 if alu.opcode == Opcode::Mov => Put::Flags(0),
            _ => Put::new(self.program, &alu.dst, loop_lanes(alu.lanes.count))?,
        };
        Some(Step {
            run,
            guard: alu.guard,
            src,
            dst,
            saturate: alu.saturate,
            ..self.reference(alu.lanes)
        })
    }

    fn integers(&self, opcode: Opcode, alu: &Alu) -> Option<(Run, [Operand; 3])> {
        let (count, src) = (alu.lanes.count, &alu.src[..]);
        let element = |k: usize, source: &Source| match (opcode, k) {
            (Opcode::Shr, 0) => shifted(source, false),
            (Opcode::Asr, 0) => shifted(source, true),
            _ => Element::of(source.ty),
        };
        let sources = self.sources(src, alu.lanes, element)?;
        let signed = src.iter().all(|s| held(s).signed);
        let unsigned = src.iter().all(|s| held(s).unsigned);
        let run = match opcode {
            Opcode::Add => by_count!(self, count, Dwords<dword::Add>),
            Opcode::Add3 => by_count!(self, count, Dwords<dword::Add3>),
            Opcode::Mul => by_count!(self, count, Dwords<dword::Mul>),
            Opcode::Mad => by_count!(self, count, Dwords<dword::Mad>),
            Opcode::And => by_count!(self, count, Dwords<dword::And>),
            Opcode::Or => by_count!(self, count, Dwords<dword::Or>),
            Opcode::Xor => by_count!(self, count, Dwords<dword::Xor>),
            Opcode::Not => by_count!(self, count, Dwords<dword::Not>),
            Opcode::Shl => by_count!(self, count, Dwords<dword::Shl>),
            Opcode::Shr => by_count!(self, count, Dwords<dword::Shr>),
            Opcode::Asr => by_count!(self, count, Dwords<dword::Asr>),
            Opcode::Min if signed => by_count!(self, count, Dwords<dword::Min>),
            Opcode::Max if signed => by_count!(self, count, Dwords<dword::Max>),
            Opcode::Min if unsigned => by_count!(self, count, Dwords<dword::MinUnsigned>),
            Opcode::Max if unsigned => by_count!(self, count, Dwords<dword::MaxUnsigned>),
            _ => return None,
        };
        Some((run, sources))
    }

    fn singles(&self, opcode: Opcode, count: u8) -> Option<Run> {
        Some(match opcode {
            Opcode::Add => by_count!(self, count, Singles<single::Add>),
            Opcode::Mul => by_count!(self, count, Singles<single::Mul>),
            Opcode::Mad => by_count!(self, count, Singles<single::Mad>),
            Opcode::Min => by_count!(self, count, Singles<single::Min>),
            Opcode::Max => by_count!(self, count, Singles<single::Max>),
            Opcode::Frc => by_count!(self, count, Singles<single::Frc>),
            Opcode::Rndd => by_count!(self, count, Singles<single::Rndd>),
            Opcode::Rndu => by_count!(self, count, Singles<single::Rndu>),
            Opcode::Rnde => by_count!(self, count, Singles<single::Rnde>),
            Opcode::Rndz => by_count!(self, count, Singles<single::Rndz>),
            Opcode::Inv | Opcode::Invm => by_count!(self, count, Singles<single::Inv>),
            Opcode::Div => by_count!(self, count, Singles<single::Div>),
            Opcode::Divm => by_count!(self, count, Singles<single::Divm>),
            Opcode::Sqrt | Opcode::Sqrtm => by_count!(self, count, Singles<single::Sqrt>),
            Opcode::Rsqrt | Opcode::Rsqtm => by_count!(self, count, Singles<single::Rsqrt>),
            Opcode::Exp => by_count!(self, count, Singles<single::Exp>),
            Opcode::Log => by_count!(self, count, Singles<single::Log>),
            Opcode::Sin => by_count!(self, count, Singles<single::Sin>),
            Opcode::Cos => by_count!(self, count, Singles<single::Cos>),
            Opcode::Pow => by_count!(self, count, Singles<single::Pow>),
            _ => return None,
        })
    }

    /// `mov`. Source: vISA text reference 6.1.
    fn moved(&self, alu: &Alu) -> Option<(Run, [Operand; 3])> {
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
        let run = if bare && from == to || integers && !alu.saturate {
            by_count!(self, count, Dwords<dword::Move>)
        } else if from == Type::F && to == Type::F && self.plain {
            by_count!(self, count, Modified)
        } else if from.is_integer() && to == Type::F && self.plain && !alu.saturate {
            match held(source) {
                Held { signed: true, .. } => by_count!(self, count, ToSingle { true }),
                Held { unsigned: true, .. } => by_count!(self, count, ToSingle { false }),
                _ => return None,
            }
        } else if from == Type::F && !alu.saturate {
            match to {
                Type::D => by_count!(self, count, FromSingle<moves::D>),
                Type::Ud => by_count!(self, count, FromSingle<moves::Ud>),
                Type::W => by_count!(self, count, FromSingle<moves::W>),
                Type::Uw => by_count!(self, count, FromSingle<moves::Uw>),
                Type::B => by_count!(self, count, FromSingle<moves::B>),
                Type::Ub => by_count!(self, count, FromSingle<moves::Ub>),
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
        let count = lanes.count;
        let run = if src.iter().any(|s| s.ty.is_float()) {
            if !self.plain || src.iter().any(|s| s.ty != Type::F) {
                return None;
            }
            by_count!(self, count, CompareSingle)
        } else if src.iter().all(|s| held(s).signed) {
            by_count!(self, count, CompareDword { true })
        } else if src.iter().all(|s| held(s).unsigned) {
            by_count!(self, count, CompareDword { false })
        } else {
            return None;
        };
        let put = match dst {
            CompareDest::Predicate(at) => Put::Flags(*at),
            CompareDest::General(dst) => Put::new(self.program, dst, loop_lanes(count))?,
        };
        Some(Step {
            run,
            src: self.sources(src, lanes, |_, s| Element::of(s.ty))?,
            dst: put,
            relation,
            ..self.reference(lanes)
        })
    }
}

fn direct(region: &Region) -> bool {
    !matches!(region, Region::Indirect(_))
}

/// Runs an op as the reference does.
fn as_defined(thread: &mut Thread<'_>, step: &Step) {
    thread.compute(step.op);
}

/// An op without effect.
fn nothing_to_do(_: &mut Thread<'_>, _: &Step) {}
