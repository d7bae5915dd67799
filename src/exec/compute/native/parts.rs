//! Elements that are no dwords: bytes and words, which become the dwords of a row and are made of them.
//!
//! ```text
//!  dwords  a3 a2 a1 a0 │ b3 b2 b1 b0 │ …     <4;1,0> at byte 1: a1, b1, … are parts, shifted down and up
//!  packed  h g f e d c b a                   <1;1,0>: a register has a dword for each, and is stored as bytes
//! ```
//!
//! Both are read from registers that hold them: what was stored and is loaded again in another way, or from the middle
//! of two stores, takes as long as a dozen instructions.

use super::super::decoded::operand::{Element, Operand, Put};
use super::assembler::{Gpr, Len, Mask, Reg, Rm, Vector};
use super::emit::{BETWEEN, Emitter, SELECT_BITS, length};
use super::integers::{LEFT, RIGHT, RIGHT_SIGNED};
use super::select::{Bytes, Inst, Kind, Work};
use crate::isa::Opcode;

/// How far up each of these elements is in a dword or word, in bits, if each is a part of one of those that follow each
/// other.
const fn shift_in_row(lanes: u8, at: u32, size: u32, stride: u32) -> Option<u8> {
    let whole = matches!(stride, 2 | 4) && lanes > 2;
    if whole && size < stride && at % stride + size <= stride {
        Some(8 * (at % stride) as u8)
    } else {
        None
    }
}

impl Inst {
    /// The bytes of row `r` of elements of a size, some bytes apart: where they are parts of dwords or words, these.
    pub fn bytes_of(&self, (size, stride): (u32, u32), at: u32, r: u8) -> Bytes {
        let (lanes, row) = (u32::from(self.row()), self.row());
        let at = at + 16 * stride * u32::from(r);
        let part = shift_in_row(row, at, size, stride).is_some();
        let size = if part { stride } else { size };
        Bytes {
            at: if part { at - at % stride } else { at },
            len: stride * (lanes - 1) + size,
            kind: match (size, stride) {
                (1, 1) | (2, 2) if row > 2 => Kind::Packed(row),
                (4, 4) if row > 2 => Kind::Row(row),
                _ => Kind::Other,
            },
        }
    }

    /// How far up each result is in a dword or word, in bits, if each is a part of one.
    pub fn shift_of_result(&self) -> Option<u8> {
        match self.dst {
            Put::Strided { at, bytes, stride } => {
                shift_in_row(self.row(), at, bytes.into(), stride.into())
            }
            _ => None,
        }
    }

    /// The bytes of each dword of a source that count: results have no others, and depend on no others.
    fn counts(&self, operand: &Operand) -> u32 {
        use Opcode::{Add, Add3, And, Mad, Mul, Not, Or, Xor};
        let low = matches!(
            self.work,
            Work::Move
                | Work::Select
                | Work::Boolean(_)
                | Work::Dword(Add | Add3 | And | Mad | Mul | Not | Or | Xor)
        );
        match self.dst {
            Put::Strided { bytes, .. } if low && operand.modifier.is_none() => bytes.into(),
            _ => 4,
        }
    }
}

impl Bytes {
    /// What loads a row: as dwords.
    pub const fn load(self) -> Vector {
        match self.kind {
            Kind::Packed(lanes) if self.len == lanes as u32 => Vector::PMOVZXBD,
            Kind::Packed(_) => Vector::PMOVZXWD,
            _ => Vector::LOAD,
        }
    }

    /// What stores a row.
    pub const fn store(self) -> Vector {
        match self.kind {
            Kind::Packed(lanes) if self.len == lanes as u32 => Vector::PMOVDB,
            Kind::Packed(_) => Vector::PMOVDW,
            _ => Vector::STORE,
        }
    }
}

impl Emitter {
    /// Row `r` of a source whose elements are some bytes apart as dwords: the register, `to` unless they are held.
    pub fn elements(
        &mut self,
        inst: &Inst,
        (operand, element, stride): (&Operand, Element, u16),
        r: u8,
        to: Reg,
    ) -> Reg {
        let (len, size) = (Self::len(inst), element.bytes() as u32);
        let at = operand.at() + 16 * u32::from(stride) * u32::from(r);
        let bytes = inst.bytes_of((size, stride.into()), operand.at(), r);
        let held = self.holder(bytes);
        let counts = inst.counts(operand);
        if let Some(shift) = shift_in_row(inst.row(), at, size, stride.into()) {
            let mut from = held.map_or(Rm::Row(bytes.at), Rm::Reg);
            if let (Rm::Row(_), Kind::Packed(_)) = (from, bytes.kind) {
                self.code.vector(bytes.load(), len, to, 0, from);
                from = Rm::Reg(to);
            }
            return self.part_of_row(element, shift, counts > size, len, (to, from));
        }
        if let Some(from) = held {
            return match counts > size {
                true => self.extend(element, len, (to, from)),
                false => from,
            };
        }
        if element == Element::Dword && stride == 8 && inst.lanes.count > 2 {
            self.halves_of_qwords(at, len, to);
        } else if stride == 4 {
            self.code.vector(Vector::LOAD, len, to, 0, Rm::Row(at));
            self.extend(element, len, (to, to));
        } else if u32::from(stride) == size {
            let vector = match element {
                Element::U8 => Vector::PMOVZXBD,
                Element::S8 => Vector::PMOVSXBD,
                Element::U16 => Vector::PMOVZXWD,
                _ => Vector::PMOVSXWD,
            };
            self.code.vector(vector, len, to, 0, Rm::Row(at));
        } else {
            self.gather_elements(inst.row(), stride, at, to);
            self.extend(element, len, (to, to));
        }
        to
    }

    /// Elements that are so many bits up in dwords or words: the register, `to` unless they are where they belong. Bits
    /// above them may be anything unless they are to be extended.
    fn part_of_row(
        &mut self,
        element: Element,
        shift: u8,
        extends: bool,
        len: Len,
        (to, from): (Reg, Rm),
    ) -> Reg {
        let above = 32 - shift - 8 * element.bytes() as u8;
        let mut run = |which, from, by| {
            self.code
                .vector_by(Vector::SHIFT_BY, len, which, to, from, by);
        };
        let signed = matches!(element, Element::S8 | Element::S16);
        match (extends && above > 0, signed && extends) {
            (true, true) => {
                run(LEFT, from, above);
                run(RIGHT_SIGNED, Rm::Reg(to), shift + above);
                to
            }
            (false, true) => {
                run(RIGHT_SIGNED, from, shift);
                to
            }
            (extends, _) => {
                let reg = match shift {
                    0 => self.in_register(from, len, to),
                    _ => {
                        run(RIGHT, from, shift);
                        to
                    }
                };
                match extends {
                    true => self.extend(element, len, (to, reg)),
                    false => reg,
                }
            }
        }
    }

    /// One element for all lanes.
    pub fn one(&mut self, element: Element, at: u32, len: Len, to: Reg) {
        let (bytes, signed) = match element {
            Element::Dword => {
                return self
                    .code
                    .vector(Vector::BROADCAST, len, to, 0, Rm::Each(at));
            }
            Element::U8 => (1, false),
            Element::S8 => (1, true),
            Element::U16 => (2, false),
            Element::S16 => (2, true),
        };
        self.code.load_extended(Gpr::Rdx, at, bytes, signed);
        self.code
            .vector(Vector::FROM_GPR, len, to, 0, Rm::Reg(Gpr::Rdx as u8));
    }

    /// The low bits of each dword, extended: the register, `to` unless they are all bits.
    pub fn extend(&mut self, element: Element, len: Len, (to, from): (Reg, Reg)) -> Reg {
        let (low, up) = match element {
            Element::U8 => (0xff, 0),
            Element::U16 => (0xffff, 0),
            Element::S8 => (0, 24),
            Element::S16 => (0, 16),
            Element::Dword => return from,
        };
        if up == 0 {
            self.code
                .vector(Vector::PANDD, len, to, from, Rm::Const(low));
        } else {
            // To the left and back, with the sign.
            for (which, from) in [(LEFT, from), (RIGHT_SIGNED, to)] {
                self.code
                    .vector_by(Vector::SHIFT_BY, len, which, to, Rm::Reg(from), up);
            }
        }
        to
    }

    /// Puts the low bits of dwords where they belong in dwords or words of the arena, so many bits up.
    pub fn put_part(&mut self, inst: &Inst, (r, shift): (u8, u8), mask: Mask, value: Reg) {
        let Put::Strided { bytes: size, .. } = inst.dst else {
            return;
        };
        let (bytes, len) = (inst.written(r), length(inst.row()));
        let mut from = value;
        if shift > 0 {
            from = BETWEEN[0];
            self.code
                .vector_by(Vector::SHIFT_BY, len, LEFT, from, Rm::Reg(value), shift);
        }
        let own = (u32::MAX >> (32 - 8 * u32::from(size))) << shift;
        // The other parts stay.
        let row = self.row_target(bytes, len, Some(mask));
        let (to, own) = ((row, mask, false), Rm::Const(own));
        self.code
            .masked(Vector::PTERNLOGD, len, to, from, own, Some(SELECT_BITS));
        self.put_row(bytes, row);
        self.is_merged();
    }

    /// Stores elements that are no dwords, or are further apart.
    pub fn strided(
        &mut self,
        (size, stride): (u8, u16),
        at: u32,
        lanes: u8,
        mask: Option<Mask>,
        value: Reg,
    ) {
        let len = length(lanes);
        let mask = mask.unwrap_or(0);
        if stride > size.into() || size == 4 {
            let size = size.into();
            return self.scatter_elements((size, stride), at, lanes, mask, value);
        }
        // Those of one lane or two that follow each other.
        let vector = if size == 1 {
            Vector::PMOVDB
        } else {
            Vector::PMOVDW
        };
        self.code
            .masked(vector, len, (value, mask, false), 0, Rm::Row(at), None);
    }
}
