//! Operands: names become variables, each of the class its place requires.
//!
//! Source: vISA text reference 4.3 to 4.9.

use super::declarations::class_of;
use super::names::Binding;
use super::unit::UnitBuilder;
use super::{Storage, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Opcode, Slot};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{
    General, Indirect, Instruction, LscAddress, LscData, LscModel, LscPart, Name, Operand,
    Predicate, Raw,
};

/// The classes of variables a place takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    General,
    Address,
    Predicate,
    Sampler,
    Surface,
    State,
    /// `&X`: general variables and surfaces have addresses.
    Addressable,
    /// `(X, index)`: state by name, or by an address that a general variable holds.
    Base,
    /// `lifetime`: anything but state.
    Living,
    Any,
}

impl Want {
    fn takes(self, storage: &Storage) -> bool {
        match storage {
            Storage::General { .. } => matches!(
                self,
                Want::General | Want::Addressable | Want::Base | Want::Living | Want::Any
            ),
            Storage::Address { .. } => matches!(self, Want::Address | Want::Living | Want::Any),
            Storage::Predicate { .. } => matches!(self, Want::Predicate | Want::Living | Want::Any),
            Storage::Sampler { .. } => {
                matches!(self, Want::Sampler | Want::State | Want::Base | Want::Any)
            }
            Storage::Surface { .. } => matches!(
                self,
                Want::Surface | Want::State | Want::Base | Want::Addressable | Want::Any
            ),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Want::General => "a general variable",
            Want::Address => "an address variable",
            Want::Predicate => "a predicate",
            Want::Sampler => "a sampler",
            Want::Surface => "a surface",
            Want::State => "a sampler or surface",
            Want::Addressable => "a general variable or surface",
            Want::Base => "a sampler, a surface or a general variable",
            Want::Living => "a general, address or predicate variable",
            Want::Any => "a variable",
        }
    }
}

/// Replaces every name of an instruction. `None` if one of them means nothing here (reported).
pub(super) fn resolve(
    builder: &mut UnitBuilder<'_>,
    instruction: &Instruction<Name>,
) -> Option<Instruction<VarId>> {
    let opcode = instruction.opcode.node;
    let mut names = Resolver {
        builder,
        opcode,
        fine: true,
    };
    let predicate = instruction
        .predicate
        .as_ref()
        .and_then(|p| names.predicate(p));
    let slots = slots_of(opcode, instruction.operands.len());
    let mut operands = Vec::with_capacity(instruction.operands.len());
    for (operand, slot) in instruction.operands.iter().zip(slots) {
        operands.extend(names.operand(operand, slot));
    }
    let paired = instruction.paired.as_ref().and_then(|paired| {
        let raw = names.raw(&paired.node)?;
        Some(Spanned::new(raw, paired.span))
    });
    if !names.fine {
        return None;
    }
    if let Some(at) = operands_position(opcode, Slot::SamplerAndSurface) {
        sampler_first(&mut operands, at);
    }
    Some(Instruction {
        opcode: instruction.opcode,
        predicate,
        suffixes: instruction.suffixes.clone(),
        exec: instruction.exec,
        operands,
        paired,
    })
}

/// The slot of each operand: [`Slot::SamplerAndSurface`] stands for two, the last slot for all the rest.
pub(super) fn slots_of(opcode: Opcode, operands: usize) -> impl Iterator<Item = Slot> {
    let slots = opcode.info().slots;
    let last = slots.last().copied().unwrap_or(Slot::RawSrc);
    slots
        .iter()
        .flat_map(|&slot| {
            std::iter::repeat_n(slot, 1 + usize::from(slot == Slot::SamplerAndSurface))
        })
        .chain(std::iter::repeat(last))
        .take(operands)
}

fn operands_position(opcode: Opcode, slot: Slot) -> Option<usize> {
    opcode.info().slots.iter().position(|s| *s == slot)
}

/// Puts the sampler in front of the surface, whichever was written first: the page AVS has this order,
/// Intel's reader the other, and visim reads both (AVS reference 1.1).
fn sampler_first(operands: &mut [Spanned<Operand<VarId>>], at: usize) {
    if let Some([first, second]) = operands.get_mut(at..at + 2)
        && matches!(first.node, Operand::Surface(_))
    {
        std::mem::swap(first, second);
    }
}

struct Resolver<'w, 'm> {
    builder: &'w mut UnitBuilder<'m>,
    opcode: Opcode,
    fine: bool,
}

type Resolved = Option<Operand<VarId>>;

impl Resolver<'_, '_> {
    fn name(&mut self, name: &Name, span: Span, want: Want) -> Option<VarId> {
        let id = self
            .builder
            .lookup(name, span, |storage| want.takes(storage), Some(self.opcode));
        let Some(id) = id else {
            self.fine = false;
            return None;
        };
        let variable = self.builder.unit.variable(id);
        if want.takes(&variable.storage) {
            return Some(id);
        }
        self.fine = false;
        let mut d = Diagnostic::with_message(
            Code::E0223,
            format!(
                "{name} is {}, not {}",
                class_of(&variable.storage),
                want.words()
            ),
        )
        .at(
            span,
            format!("{} requires {} here", self.opcode, want.words()),
        )
        .see(self.opcode.info().family.section());
        match variable.predefined {
            true => d = d.note(format!("{name} is the built-in variable {}", variable.name)),
            false => d = d.and_at(variable.span, "declared here"),
        }
        if let Some((declared, what)) = self.builder.declared_state(|storage| want.takes(storage)) {
            d = d
                .help(format!("{declared}   // {what} that is declared"))
                .paste(declared);
        }
        self.builder.say(d);
        None
    }

    fn spanned(&mut self, var: &Spanned<Name>, want: Want) -> Option<Spanned<VarId>> {
        let id = self.name(&var.node, var.span, want)?;
        Some(Spanned::new(id, var.span))
    }

    fn predicate(&mut self, p: &Spanned<Predicate<Name>>) -> Option<Spanned<Predicate<VarId>>> {
        let var = self.name(&p.node.var, p.span, Want::Predicate)?;
        Some(Spanned::new(
            Predicate {
                var,
                inverted: p.node.inverted,
                group: p.node.group,
            },
            p.span,
        ))
    }

    fn operand(
        &mut self,
        operand: &Spanned<Operand<Name>>,
        slot: Slot,
    ) -> Option<Spanned<Operand<VarId>>> {
        let resolved = self.node(&operand.node, slot, operand.span);
        self.fine &= resolved.is_some();
        Some(Spanned::new(resolved?, operand.span))
    }

    fn node(&mut self, operand: &Operand<Name>, slot: Slot, span: Span) -> Resolved {
        Some(match operand {
            // A reader cannot tell which of the two names of an `avs` is the surface: their classes do.
            Operand::Surface(var) | Operand::Sampler(var) | Operand::Variable(var)
                if slot == Slot::SamplerAndSurface =>
            {
                let var = self.spanned(var, Want::State)?;
                match self.builder.unit.variable(var.node).storage {
                    Storage::Surface { .. } => Operand::Surface(var),
                    _ => Operand::Sampler(var),
                }
            }
            Operand::General(g) => Operand::General(self.general(g)?),
            Operand::Indirect(i) => Operand::Indirect(self.indirect(i)?),
            Operand::Immediate(i) => Operand::Immediate(*i),
            Operand::AddressOf { var, offset } => Operand::AddressOf {
                var: self.spanned(var, Want::Addressable)?,
                offset: *offset,
            },
            Operand::Address {
                var,
                element,
                stride,
            } => Operand::Address {
                var: self.spanned(var, Want::Address)?,
                element: *element,
                stride: *stride,
            },
            Operand::Predicate(var) => Operand::Predicate(self.spanned(var, Want::Predicate)?),
            Operand::Raw(raw) => Operand::Raw(self.raw(raw)?),
            Operand::Payload(raw, bytes) => Operand::Payload(self.raw(raw)?, *bytes),
            Operand::StatePair {
                base,
                element,
                index,
            } => {
                let base = self.spanned(base, Want::Base)?;
                match (&self.builder.unit.variable(base.node).storage, index, slot) {
                    // The variable's first element is what its name alone means.
                    (Storage::Surface { .. }, 0, Slot::Surface) => Operand::Surface(base),
                    (Storage::Sampler { .. }, 0, Slot::Sampler) => Operand::Sampler(base),
                    (_, &index, _) => Operand::StatePair {
                        base,
                        element: *element,
                        index,
                    },
                }
            }
            Operand::State { var, element } => Operand::State {
                var: self.spanned(var, Want::State)?,
                element: *element,
            },
            Operand::Surface(var) => match self.state_address(var) {
                Some(state) => state,
                None => Operand::Surface(self.spanned(var, Want::Surface)?),
            },
            Operand::Sampler(var) => match self.state_address(var) {
                Some(state) => state,
                None => Operand::Sampler(self.spanned(var, Want::Sampler)?),
            },
            Operand::Label(name) => {
                if !self.builder.target(self.opcode, slot, name, span) {
                    return None;
                }
                Operand::Label(name.clone())
            }
            Operand::Labels(names) => {
                for name in names {
                    let fine = self
                        .builder
                        .target(self.opcode, slot, &name.node, name.span);
                    self.fine &= fine;
                }
                Operand::Labels(names.clone())
            }
            Operand::Number(n) => Operand::Number(*n),
            Operand::Block { width, height } => Operand::Block {
                width: *width,
                height: *height,
            },
            Operand::AvsControl(c) => Operand::AvsControl(*c),
            Operand::AvsMode(m) => Operand::AvsMode(*m),
            Operand::Text(t) => Operand::Text(t.clone()),
            Operand::Variable(var) => {
                let want = match slot {
                    Slot::Variable => Want::Living,
                    _ => Want::Any,
                };
                Operand::Variable(self.spanned(var, want)?)
            }
            Operand::Origin { var, row, column } => Operand::Origin {
                var: self.spanned(var, Want::General)?,
                row: *row,
                column: *column,
            },
            Operand::LscData(data) => Operand::LscData(LscData {
                raw: self.raw(&data.raw)?,
                element: data.element.clone(),
                vector: data.vector,
                transposed: data.transposed,
                channels: data.channels,
                block: data.block,
            }),
            Operand::LscAddress(address) => Operand::LscAddress(Box::new(self.lsc(address, slot)?)),
            Operand::Pair(a, b) => Operand::Pair(*a, *b),
            Operand::Triple(three) => {
                let [a, b, c] = three.as_ref();
                let (a, b, c) = (
                    self.operand(a, Slot::Scalar),
                    self.operand(b, Slot::Scalar),
                    self.operand(c, Slot::Scalar),
                );
                Operand::Triple(Box::new([a?, b?, c?]))
            }
        })
    }

    /// A surface or sampler by a variable that holds the address of its state, where the platform has those.
    fn state_address(&mut self, var: &Spanned<Name>) -> Resolved {
        let by_address = self.builder.platform.dialect.state_addresses();
        let Some(Binding::Variable(id)) = self.builder.names.find(&var.node) else {
            return None;
        };
        if !by_address {
            return None;
        }
        let general = Want::General.takes(&self.builder.unit.variable(id).storage);
        general.then(|| Operand::StatePair {
            base: Spanned::new(id, var.span),
            element: None,
            index: 0,
        })
    }

    fn general(&mut self, g: &General<Name>) -> Option<General<VarId>> {
        Some(General {
            modifier: g.modifier,
            var: self.spanned(&g.var, Want::General)?,
            row: g.row,
            column: g.column,
            region: g.region,
        })
    }

    fn indirect(&mut self, i: &Indirect<Name>) -> Option<Indirect<VarId>> {
        Some(Indirect {
            modifier: i.modifier,
            address: self.spanned(&i.address, Want::Address)?,
            element: i.element,
            offset: i.offset,
            region: i.region,
            ty: i.ty,
        })
    }

    fn raw(&mut self, raw: &Raw<Name>) -> Option<Raw<VarId>> {
        let var = self.spanned(&raw.var, Want::General);
        self.fine &= var.is_some();
        Some(Raw {
            var: var?,
            offset: raw.offset,
        })
    }

    fn lsc(&mut self, address: &LscAddress<Name>, slot: Slot) -> Option<LscAddress<VarId>> {
        let mut model = |inner: &Spanned<Operand<Name>>| self.operand(inner, slot).map(Box::new);
        let model = match &address.model {
            LscModel::Flat => LscModel::Flat,
            LscModel::Arg => LscModel::Arg,
            LscModel::FlatBase(inner) => LscModel::FlatBase(*model(inner)?),
            LscModel::Bti(inner) => LscModel::Bti(*model(inner)?),
            LscModel::Ss(inner) => LscModel::Ss(*model(inner)?),
            LscModel::Bss(inner) => LscModel::Bss(*model(inner)?),
            LscModel::Surf(inner) => LscModel::Surf(*model(inner)?),
        };
        let parts: Vec<_> = address
            .parts
            .iter()
            .filter_map(|part| {
                Some(LscPart {
                    operand: self.operand(&part.operand, slot)?,
                    offset: part.offset,
                })
            })
            .collect();
        Some(LscAddress {
            model,
            index: address.index,
            scale: address.scale,
            parts,
            block_offset: address.block_offset,
            bits: address.bits,
            extend: address.extend,
        })
    }
}
