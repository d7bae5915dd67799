//! Operands of an instruction as values and places.

use super::{Lowering, PayloadPart, Value};
use crate::check::{Storage, VarId};
use crate::isa::{ChannelMask, Exec, Modifier, Type};
use crate::syntax::ast::{General, Immediate, Operand, Raw, Region};

/// A raw operand: registers of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RawOperand {
    /// The variable named.
    pub var: VarId,
    /// Byte offset in it.
    pub offset: u32,
    /// The variable that owns the bytes.
    pub root: VarId,
    /// Byte offset in that.
    pub at: u32,
    /// Element type of the variable named.
    pub ty: Type,
    /// Bytes of the variable named.
    pub size: u32,
}

impl RawOperand {
    /// What follows `bytes` after its start.
    pub fn skip(self, bytes: u32) -> RawOperand {
        RawOperand {
            offset: self.offset.saturating_add(bytes),
            at: self.at.saturating_add(bytes),
            ..self
        }
    }

    /// A dword of it.
    pub fn dword(self, number: u32) -> Value {
        Value::Element {
            root: self.root,
            offset: self.at.saturating_add(4 * number),
            ty: Type::Ud,
        }
    }

    /// A 16-bit lane as 32 bits, halves as floats.
    pub fn wide(self, lane: u32) -> Value {
        let element = Value::Element {
            root: self.root,
            offset: self.at.saturating_add(2 * lane),
            ty: self.ty,
        };
        match self.ty {
            Type::Hf => element.converted(Type::Hf, Type::F),
            _ => element.widened(),
        }
    }
}

impl Lowering<'_> {
    /// The raw operand at a position; `None` for `%null`.
    pub fn raw(&self, at: usize) -> Option<RawOperand> {
        match &self.instruction.operands.get(at)?.node {
            Operand::Raw(raw) => self.raw_place(raw),
            _ => None,
        }
    }

    /// Where a raw operand lies; `None` for `%null`.
    pub fn raw_place(&self, raw: &Raw<VarId>) -> Option<RawOperand> {
        let var = raw.var.node;
        let variable = self.unit.variable(var);
        let Storage::General {
            ty,
            elements,
            root,
            offset,
            ..
        } = variable.storage
        else {
            return None;
        };
        if variable.predefined && variable.name == "%null" {
            return None;
        }
        Some(RawOperand {
            var,
            offset: raw.offset,
            root,
            at: offset.wrapping_add(raw.offset),
            ty,
            size: ty.bytes().saturating_mul(elements),
        })
    }

    /// The operand as a part of `bytes` bytes that may travel in place.
    pub fn part(&self, place: RawOperand, bytes: u32) -> PayloadPart {
        PayloadPart::operand(place.root, place.at, bytes, self.grf())
    }

    /// The operand's bytes at the start of so many registers.
    pub fn padded(&self, place: RawOperand, bytes: u32, rows: u32) -> PayloadPart {
        self.part(place, bytes).resized(rows, self.grf())
    }

    /// A scalar operand widened to a dword by its type.
    pub fn scalar(&self, at: usize) -> Value {
        self.instruction
            .operands
            .get(at)
            .map_or(Value::Undefined, |o| self.dword(&o.node))
    }

    /// A scalar operand as a single or a dword, as a move into a register of the type converts it.
    pub fn scalar_as(&self, at: usize, to: Type) -> Value {
        let Some(operand) = self.instruction.operands.get(at) else {
            return Value::Undefined;
        };
        let from = self.element_type(&operand.node);
        self.element(&operand.node).converted(from, to)
    }

    /// An operand's first lane widened to a dword.
    pub fn dword(&self, operand: &Operand<VarId>) -> Value {
        self.element(operand).widened()
    }

    /// An operand's first lane as it lies in the register.
    pub fn element(&self, operand: &Operand<VarId>) -> Value {
        let (value, modifier) = match operand {
            Operand::Immediate(immediate) => return Value::Const(widen(*immediate)),
            Operand::General(general) => {
                let Storage::General {
                    ty, root, offset, ..
                } = self.unit.variable(general.var.node).storage
                else {
                    return Value::Undefined;
                };
                let column = general.column.wrapping_mul(ty.bytes());
                let at = general.row.wrapping_mul(self.grf()).wrapping_add(column);
                let value = Value::Element {
                    root,
                    offset: offset.wrapping_add(at),
                    ty,
                };
                (value, general.modifier)
            }
            Operand::Indirect(indirect) => {
                let value = Value::Indirect {
                    address: indirect.address.node,
                    element: indirect.element,
                    offset: indirect.offset,
                    ty: indirect.ty,
                };
                (value, indirect.modifier)
            }
            _ => return Value::Undefined,
        };
        let ty = self.element_type(operand);
        let modified = |how, value: Value| Value::Modified(how, ty, Box::new(value.widened()));
        match modifier {
            None => value,
            Some(Modifier::Neg) => modified("neg", value),
            Some(Modifier::Abs) => modified("abs", value),
            Some(Modifier::NegAbs) => modified("neg", modified("abs", value)),
            Some(Modifier::Not) => modified("not", value),
        }
    }

    /// Where a general operand begins.
    pub fn place_of(&self, general: &General<VarId>) -> Option<RawOperand> {
        let var = general.var.node;
        let Storage::General {
            ty,
            elements,
            root,
            offset: at,
            ..
        } = self.unit.variable(var).storage
        else {
            return None;
        };
        let column = general.column.wrapping_mul(ty.bytes());
        let offset = general.row.wrapping_mul(self.grf()).wrapping_add(column);
        Some(RawOperand {
            var,
            offset,
            root,
            at: at.wrapping_add(offset),
            ty,
            size: ty.bytes().saturating_mul(elements),
        })
    }

    /// One lane of a source operand.
    pub fn lane(&self, operand: &Operand<VarId>, lane: u32) -> Value {
        let Operand::General(general) = operand else {
            return self.element(operand);
        };
        let Region::Source {
            vertical,
            width,
            horizontal,
        } = general.region.node
        else {
            return Value::Undefined;
        };
        let width = width.max(1);
        let element = (lane / width)
            .wrapping_mul(vertical)
            .wrapping_add((lane % width).wrapping_mul(horizontal));
        let mut moved = general.clone();
        moved.column = moved.column.wrapping_add(element);
        self.element(&Operand::General(moved))
    }

    /// The type of an operand's elements; `bool` for one that has none.
    pub fn element_type(&self, operand: &Operand<VarId>) -> Type {
        match operand {
            Operand::Immediate(immediate) => immediate.ty,
            Operand::Indirect(indirect) => indirect.ty,
            Operand::General(general) => match self.unit.variable(general.var.node).storage {
                Storage::General { ty, .. } => ty,
                _ => Type::Bool,
            },
            _ => Type::Bool,
        }
    }

    /// The operand at a position.
    pub fn operand(&self, at: usize) -> Option<&Operand<VarId>> {
        self.instruction.operands.get(at).map(|o| &o.node)
    }

    /// A plain number at a position.
    pub fn number(&self, at: usize) -> Option<u32> {
        match self.operand(at) {
            Some(Operand::Number(n)) => u32::try_from(*n).ok(),
            _ => None,
        }
    }

    /// The instruction's channels.
    pub fn channels(&self, otherwise: ChannelMask) -> ChannelMask {
        self.instruction.channels().unwrap_or(otherwise)
    }

    /// The instruction's execution size.
    pub fn lanes(&self) -> u32 {
        self.instruction.exec.as_ref().map_or(1, |e| e.node.size)
    }

    /// The instruction's execution part with another size.
    pub fn exec(&self, size: u32) -> Exec {
        let own = self.instruction.exec.as_ref().map(|e| e.node);
        let Exec {
            size: whole,
            mut offset,
            mut no_mask,
        } = own.unwrap_or(Exec {
            size: 1,
            offset: 0,
            no_mask: false,
        });
        // An offset that is not a multiple of the size falls back to 0 (lowering reference 1.7).
        if matches!(whole, 8 | 16) && u32::from(offset) % whole != 0 {
            (offset, no_mask) = (0, false);
        }
        // Fewer lanes than eight start where eight may, on registers of sixteen; `send` warns of it.
        if self.platform.native_lanes() == 16 && whole < 8 && offset % 8 != 0 {
            offset = 0;
        }
        Exec {
            size,
            offset,
            no_mask,
        }
    }
}

/// An immediate as a dword: extended by its type, floats as their bits.
fn widen(immediate: Immediate) -> u32 {
    let bits = immediate.value_bits();
    match immediate.ty {
        Type::W => bits as u16 as i16 as i32 as u32,
        Type::B => bits as u8 as i8 as i32 as u32,
        _ => bits as u32,
    }
}
