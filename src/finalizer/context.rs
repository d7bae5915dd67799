//! What is known of surface and sampler variables where an instruction is.
//!
//! A number set by a `movs` of an immediate in the same basic block is a constant and goes into the
//! descriptor; any other is added at run time. Source: lowering reference 1.6.

use super::release::Release;
use super::{Lowering, Op, Value};
use crate::check::{Storage, Unit, UnitKind, VarId};
use crate::isa::{Opcode, Platform};
use crate::message::fields::sampler;
use crate::syntax::ast::{Instruction, Operand};
use std::collections::HashMap;

/// The state of the walk through a unit.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Which release of the finalizer is followed.
    pub release: Release,
    states: HashMap<(VarId, u32), Value>,
    /// `.function` lines passed.
    functions: usize,
}

impl Context {
    /// Nothing is known yet.
    pub fn new(release: Release) -> Context {
        Context {
            release,
            ..Context::default()
        }
    }

    /// Learns from an instruction: `movs` sets state variables. Call it in program order.
    pub fn observe(&mut self, unit: &Unit, instruction: &Instruction<VarId>, platform: Platform) {
        if instruction.opcode.node != Opcode::Movs {
            return;
        }
        let [to, from] = &instruction.operands[..] else {
            return;
        };
        let Operand::State { var, element } = &to.node else {
            return;
        };
        let empty = Context::default();
        let cx = Lowering {
            unit,
            instruction,
            context: &empty,
            asked: platform,
            platform,
            lowered: super::Lowered::default(),
        };
        let count = instruction.exec.as_ref().map_or(1, |e| e.node.size);
        // A copy of several elements is followed only when its source is one constant for all.
        for lane in 0..count {
            let value = match &from.node {
                Operand::State { var, element } => self.state(var.node, element.wrapping_add(lane)),
                other => match cx.dword(other) {
                    Value::Const(n) => Value::Const(n),
                    value if count == 1 => value,
                    _ => {
                        self.states.remove(&(var.node, element.wrapping_add(lane)));
                        continue;
                    }
                },
            };
            self.states
                .insert((var.node, element.wrapping_add(lane)), value);
        }
    }

    /// A function was entered: `ret` in the first one of a kernel ends the thread.
    pub fn enter(&mut self) {
        self.functions += 1;
    }

    /// Whether a `ret` here ends the thread.
    pub fn ends_thread(&self, unit: &Unit) -> bool {
        unit.kind == UnitKind::Kernel && self.functions <= 1
    }

    /// Forgets everything: control may come from elsewhere (a label).
    pub fn forget(&mut self) {
        self.states.clear();
    }

    /// The number in element `element` of a state variable.
    pub fn state(&self, var: VarId, element: u32) -> Value {
        self.states
            .get(&(var, element))
            .cloned()
            .unwrap_or(Value::State { var, element })
    }
}

/// What a surface operand is to a message.
#[derive(Clone)]
pub(super) enum Surface {
    /// A number for the binding field, perhaps known only at run time.
    Number(Value),
    /// Binding 0xFC; the handle goes into the extended descriptor.
    Bindless(Value),
}

/// What a sampler operand is to a message.
#[derive(Clone)]
pub(super) enum Sampler {
    /// A number for the index field.
    Index(Value),
    /// The handle goes into the header.
    Bindless(Value),
    /// The bits of the descriptor are known, those of the header come from elsewhere.
    Shifted(Value),
}

impl Sampler {
    /// An index at its place in the descriptor.
    pub fn shifted(index: Value) -> Value {
        Value::call(Op::Shl, index, Value::Const(sampler::SAMPLER.lo))
    }
}

impl Lowering<'_> {
    /// The surface named by operand `at`. Source: lowering reference 1.6.
    pub fn surface(&self, at: usize) -> Surface {
        use crate::message::dataport::{SLM, STATELESS};
        let Some(Operand::Surface(var)) = self.instruction.operands.get(at).map(|o| &o.node) else {
            return Surface::Number(Value::Undefined);
        };
        let variable = self.unit.variable(var.node);
        match (&variable.storage, variable.predefined) {
            (Storage::Surface { index: 0, .. }, true) => Surface::Number(Value::Const(SLM)),
            (Storage::Surface { index: 4, .. }, true) => {
                Surface::Bindless(self.context.state(var.node, 0))
            }
            (_, true) => Surface::Number(Value::Const(STATELESS)),
            _ => Surface::Number(self.context.state(var.node, 0)),
        }
    }

    /// The sampler named by operand `at`.
    pub fn sampler(&self, at: usize) -> Sampler {
        let Some(Operand::Sampler(var)) = self.instruction.operands.get(at).map(|o| &o.node) else {
            return Sampler::Index(Value::Undefined);
        };
        let value = self.context.state(var.node, 0);
        if self.unit.variable(var.node).predefined {
            Sampler::Bindless(value)
        } else {
            Sampler::Index(value)
        }
    }

    /// The surface is the named one with this number.
    pub fn is_named(&self, at: usize, number: u32) -> bool {
        let Some(Operand::Surface(var)) = self.operand(at) else {
            return false;
        };
        self.unit.variable(var.node).predefined
            && matches!(self.surface(at), Surface::Number(Value::Const(n)) if n == number)
    }
}
