//! Integers of 64 bits, as addresses are: eight lanes in a register.
//!
//! What they are is said in [`quads`](super::super::decoded): sources widened by the sign of their type, results modulo
//! 2^64.

use super::super::decoded::operand::Element;
use super::assembler::{Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, CONDITION, Emitter, MAKING, SOURCE};
use super::select::{Bytes, Kind};
use super::transfer::constant;
use crate::isa::{Opcode, Type};
use crate::program::{Alu, Guard, Lanes, Program, Region, Source};

/// An op on qwords.
pub struct Qwords {
    opcode: Opcode,
    pub lanes: Lanes,
    pub guard: Option<Guard>,
    src: Vec<Quad>,
    /// Arena offset of the destination.
    dst: u32,
}

/// A source.
#[derive(Clone, Copy)]
enum Quad {
    /// This value.
    Value(u64),
    /// A qword of the arena for all lanes.
    Each(u32),
    /// A dword of the arena for all lanes, and whether it has a sign.
    EachDword(u32, bool),
    /// Qwords that follow each other.
    Row(u32),
    /// Dwords that follow each other.
    Dwords(u32, bool),
    /// An element of a byte or a word for all lanes.
    EachNarrow(u32, Element),
    /// The same that follow each other.
    Narrow(u32, Element),
}

/// Lanes of a register.
const LANES: u32 = 8;

impl Quad {
    fn of(program: &Program, source: &Source, count: u32) -> Option<Quad> {
        let (bytes, end) = (source.ty.bytes(), program.image.len() as u32);
        let known = source.ty.is_integer() && !matches!(source.ty, Type::V | Type::Uv | Type::Bool);
        if !known || source.modifier.is_some() {
            return None;
        }
        let signed = source.ty.is_signed();
        let one = match source.region {
            Region::Scalar(at) => Some(at),
            Region::Dense(at) if count == 1 => Some(at),
            _ => None,
        };
        if let Some(at) = one {
            return match bytes {
                _ if program.is_constant(at) => constant(program, at, source.ty).map(Quad::Value),
                8 => Some(Quad::Each(at)),
                4 => Some(Quad::EachDword(at, signed)),
                _ => Element::of(source.ty).map(|element| Quad::EachNarrow(at, element)),
            };
        }
        match source.region {
            // Half a register is bounded as if it were a whole one.
            Region::Dense(at) if at + bytes * count + 64 <= end => match bytes {
                8 => Some(Quad::Row(at)),
                4 => Some(Quad::Dwords(at, signed)),
                _ => Element::of(source.ty).map(|element| Quad::Narrow(at, element)),
            },
            _ => None,
        }
    }

    /// The bytes that lanes from `8 * part` on are made of.
    fn read(self, part: u32, count: u32) -> Option<Bytes> {
        let row = |at, len| Bytes {
            at,
            len,
            kind: Kind::Row((len / 4) as u8),
        };
        Some(match self {
            Quad::Value(_) => return None,
            Quad::Each(at) => Bytes {
                at,
                len: 8,
                kind: Kind::Other,
            },
            Quad::EachDword(at, _) => Bytes {
                at,
                len: 4,
                kind: Kind::Each,
            },
            Quad::EachNarrow(at, element) => Bytes {
                at,
                len: element.bytes() as u32,
                kind: Kind::Other,
            },
            Quad::Narrow(at, element) => {
                let len = element.bytes() as u32 * LANES;
                Bytes {
                    at: at + len * part,
                    len,
                    kind: Kind::Other,
                }
            }
            Quad::Row(at) => row(at + 64 * part, 64),
            // As dword ops have them: sixteen lanes in a register.
            Quad::Dwords(at, _) => row(at + 64 * (part / 2), 4 * count.min(16)),
        })
    }
}

impl Qwords {
    /// The op, if there is code for it.
    pub fn of(program: &Program, alu: &Alu) -> Option<Qwords> {
        let count = u32::from(alu.lanes.count);
        let (Region::Dense(dst) | Region::Scalar(dst)) = alu.dst.region else {
            return None;
        };
        use Opcode::*;
        let known = match alu.opcode {
            Mov | Add | Add3 | Mul | Mad | And | Or | Xor | Shl => true,
            // The low bits are those of all 64.
            Shr => alu.src[0].ty == Type::Uq,
            Asr => alu.src[0].ty == Type::Q,
            _ => false,
        };
        let plain = alu.dst2.is_none() && alu.overflow.is_none() && !alu.saturate;
        let whole = matches!(count, 1 | 8 | 16 | 32);
        let inside = dst + 8 * count + 64 <= program.image.len() as u32;
        let qwords = matches!(alu.dst.ty, Type::Q | Type::Uq);
        if !(known && plain && whole && inside && qwords) {
            return None;
        }
        let src = alu.src.iter();
        Some(Qwords {
            opcode: alu.opcode,
            lanes: alu.lanes,
            guard: alu.guard,
            src: src
                .map(|s| Quad::of(program, s, count))
                .collect::<Option<_>>()?,
            dst,
        })
    }

    /// Registers of lanes.
    fn parts(&self) -> u32 {
        u32::from(self.lanes.count).div_ceil(LANES)
    }

    /// All bytes that are read.
    pub fn read(&self) -> impl Iterator<Item = Bytes> {
        let count = self.lanes.count.into();
        let parts = 0..self.parts();
        parts.flat_map(move |part| self.src.iter().filter_map(move |s| s.read(part, count)))
    }

    /// All bytes that are written.
    pub fn written(&self) -> impl Iterator<Item = Bytes> {
        (0..self.parts()).map(|part| self.row(part))
    }

    fn row(&self, part: u32) -> Bytes {
        match self.lanes.count {
            1 => Bytes {
                at: self.dst,
                len: 8,
                kind: Kind::Other,
            },
            _ => Bytes {
                at: self.dst + 64 * part,
                len: 64,
                kind: Kind::Row(16),
            },
        }
    }
}

impl Emitter {
    /// Code for an op on qwords.
    pub fn qwords(&mut self, op: &Qwords) {
        let masks = self.running(op.lanes, op.guard);
        let mut targets = Vec::new();
        for part in 0..op.parts() {
            // What is pinned may not change before all parts have read it; what is held is in the arena as well.
            self.busy.clone_from(&targets);
            for bytes in op.read() {
                self.busy.extend(self.pin(bytes));
            }
            for quad in &op.src {
                let bytes = quad.read(part, op.lanes.count.into());
                let holder = bytes.and_then(|bytes| self.holder(bytes));
                self.busy.extend(holder);
            }
            let mask = masks[part as usize / 2];
            let mask = match mask {
                Some(mask) if !part.is_multiple_of(2) => {
                    self.code.upper_mask(CONDITION[1], mask);
                    Some(CONDITION[1])
                }
                mask => mask,
            };
            let value = self.qword(op, part);
            let target = match op.lanes.count {
                1 => value,
                _ => {
                    let target = self.row_target(op.row(part), Len::Z, mask);
                    let to = (target, mask.unwrap_or(0), false);
                    self.code
                        .masked(Vector::LOAD_QWORDS, Len::Z, to, 0, Rm::Reg(value), None);
                    target
                }
            };
            targets.push(target);
        }
        for (part, target) in (0..).zip(targets) {
            match op.lanes.count {
                1 => self.put_one(op, masks[0], target),
                _ => self.put_row(op.row(part), Len::Z, target),
            }
        }
    }

    /// Stores the qword of a single lane.
    fn put_one(&mut self, op: &Qwords, mask: Option<Mask>, value: Reg) {
        let from = (value, mask.unwrap_or(0), false);
        let bytes = op.row(0);
        self.overwrite(bytes);
        self.code.masked(
            Vector::STORE_QWORDS,
            Len::X,
            from,
            0,
            Rm::Row(bytes.at),
            None,
        );
    }

    /// The result of eight lanes, in a register that is not the arena's.
    fn qword(&mut self, op: &Qwords, part: u32) -> Reg {
        let to = BETWEEN[0];
        let mut src = [Rm::Reg(MAKING); 3];
        for (k, quad) in op.src.iter().enumerate() {
            src[k] = self.quad(op, *quad, part, SOURCE[k]);
        }
        let [a, b, c] = src;
        let a = self.qword_in_register(a, SOURCE[0]);
        let vector = match op.opcode {
            Opcode::Mov => return a,
            Opcode::Add | Opcode::Add3 => Vector::PADDQ,
            Opcode::Mul | Opcode::Mad => Vector::PMULLQ,
            Opcode::And => Vector::PANDQ,
            Opcode::Or => Vector::PORQ,
            Opcode::Xor => Vector::PXORQ,
            Opcode::Shl => Vector::PSLLVQ,
            Opcode::Shr => Vector::PSRLVQ,
            _ => Vector::PSRAVQ,
        };
        let b = match (vector, b) {
            (Vector::PSLLVQ | Vector::PSRLVQ | Vector::PSRAVQ, b) => {
                let b = self.qword_in_register(b, SOURCE[1]);
                self.code
                    .vector(Vector::PANDQ, Len::Z, SOURCE[1], b, Rm::Const64(63));
                Rm::Reg(SOURCE[1])
            }
            (_, b) => b,
        };
        self.code.vector(vector, Len::Z, to, a, b);
        if matches!(op.opcode, Opcode::Add3 | Opcode::Mad) {
            self.code.vector(Vector::PADDQ, Len::Z, to, to, c);
        }
        to
    }

    fn qword_in_register(&mut self, value: Rm, to: Reg) -> Reg {
        let vector = match value {
            Rm::Reg(reg) => return reg,
            Rm::Row(_) => Vector::LOAD_QWORDS,
            _ => Vector::BROADCAST_QWORD,
        };
        self.code.vector(vector, Len::Z, to, 0, value);
        to
    }

    /// A source, as an instruction can take it.
    fn quad(&mut self, op: &Qwords, quad: Quad, part: u32, to: Reg) -> Rm {
        let held = quad
            .read(part, op.lanes.count.into())
            .and_then(|bytes| self.holder(bytes));
        let extend = |signed| match signed {
            true => Vector::PMOVSXDQ,
            false => Vector::PMOVZXDQ,
        };
        match quad {
            Quad::EachNarrow(at, element) => {
                self.one(element, at, Len::Y, to);
                let signed = matches!(element, Element::S8 | Element::S16);
                self.code.vector(extend(signed), Len::Z, to, 0, Rm::Reg(to));
                Rm::Reg(to)
            }
            Quad::Narrow(at, element) => {
                let vector = match element {
                    Element::U8 => Vector::PMOVZXBQ,
                    Element::S8 => Vector::PMOVSXBQ,
                    Element::U16 => Vector::PMOVZXWQ,
                    _ => Vector::PMOVSXWQ,
                };
                let at = at + LANES * part * element.bytes() as u32;
                self.code.vector(vector, Len::Z, to, 0, Rm::Row(at));
                Rm::Reg(to)
            }
            Quad::Value(value) => Rm::Const64(value),
            Quad::Each(at) => Rm::Each(at),
            Quad::Row(at) => held.map_or(Rm::Row(at + 64 * part), Rm::Reg),
            Quad::EachDword(at, signed) => {
                let from = held.unwrap_or_else(|| {
                    self.code
                        .vector(Vector::BROADCAST, Len::Y, to, 0, Rm::Each(at));
                    to
                });
                self.code
                    .vector(extend(signed), Len::Z, to, 0, Rm::Reg(from));
                Rm::Reg(to)
            }
            Quad::Dwords(at, signed) => {
                let from = match held {
                    Some(reg) if !part.is_multiple_of(2) => {
                        self.code
                            .vector_by(Vector::EXTRACT_HALF, Len::Z, reg, 0, Rm::Reg(to), 1);
                        Rm::Reg(to)
                    }
                    Some(reg) => Rm::Reg(reg),
                    None => Rm::Row(at + 32 * part),
                };
                self.code.vector(extend(signed), Len::Z, to, 0, from);
                Rm::Reg(to)
            }
        }
    }
}
