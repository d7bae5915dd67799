//! Operands of an instruction as values and places.

use super::{Lowering, Part, Plan, Result, Value};
use crate::check::{Storage, VarId};
use crate::diagnostic::Code;
use crate::isa::{Modifier, Type};
use crate::syntax::ast::{General, Immediate, Operand, Region};

/// A raw operand: registers of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
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

impl Place {
    /// What lies `bytes` behind it.
    pub fn skip(self, bytes: u32) -> Place {
        Place {
            offset: self.offset.saturating_add(bytes),
            at: self.at.saturating_add(bytes),
            ..self
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
    pub fn raw(&self, at: usize) -> Option<Place> {
        let Operand::Raw(raw) = &self.instruction.operands.get(at)?.node else {
            return None;
        };
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
        Some(Place {
            var,
            offset: raw.offset,
            root,
            at: offset.wrapping_add(raw.offset),
            ty,
            size: ty.bytes().saturating_mul(elements),
        })
    }

    /// The operand as a part of `bytes` bytes that may travel in place.
    pub fn part(&self, place: Place, bytes: u32) -> Part {
        Part::operand(place.root, place.at, bytes, self.grf())
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
    pub fn place_of(&self, general: &General<VarId>) -> Option<Place> {
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
        Some(Place {
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

    /// Byte offset of a raw destination's response, as [`super::Destination`].
    pub fn destination(&self, place: Option<Place>) -> super::Destination {
        place.map_or(super::Destination::Null, |p| {
            super::Destination::Variable(p.var, p.offset)
        })
    }

    /// Whole registers of send `send` reach the operand.
    pub fn write_registers(&mut self, place: Option<Place>, send: usize, registers: u32) {
        let bytes = registers * self.grf();
        self.write_bytes(place, 0, send, 0, bytes);
    }

    /// Completes a message that takes data along behind its addresses: whatever `part` makes of the operand.
    pub fn send_lanes(
        &mut self,
        mut plan: Plan,
        data: Option<Place>,
        part: impl FnOnce(&Self, Place) -> Part,
    ) -> Result<()> {
        let Some(data) = data else {
            return self.refuse(Code::E0380, "the data are %null");
        };
        plan.parts.push(part(self, data));
        self.lay_out(&mut plan);
        self.send(plan);
        Ok(())
    }

    /// Completes a gather. Its registers come back even to `%null`: lowering reference 1.10 has a response of 0
    /// for that, the finalizer writes one for samples, blocks and atomics only.
    pub fn fetch_lanes(&mut self, mut plan: Plan, data: Option<Place>, registers: u32) {
        self.lay_out(&mut plan);
        self.fetch_registers(plan, data, registers);
    }

    /// Sends what is complete but for its answer: so many registers, the operand's from its start.
    pub fn fetch_registers(&mut self, mut plan: Plan, place: Option<Place>, registers: u32) {
        plan.response = registers;
        plan.destination = self.destination(place);
        let send = self.lowered.sends.len();
        self.send(plan);
        self.write_registers(place, send, registers);
    }

    /// Response bytes reach the operand, `to` bytes behind its start; cut at the variable's end.
    pub fn write_bytes(
        &mut self,
        place: Option<Place>,
        to: u32,
        send: usize,
        response: u32,
        len: u32,
    ) {
        let Some(place) = place else { return };
        let offset = place.offset.saturating_add(to);
        let len = len.min(place.size.saturating_sub(offset));
        if len > 0 {
            self.lowered.writes.push(super::Write {
                var: place.var,
                offset,
                send,
                response,
                len,
            });
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
