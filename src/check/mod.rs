//! Legality: every rule about declarations, operands, regions and messages is applied here, once, and
//! what was decided is carried in types from here on.
//!
//! [`Checked`] is the module with names replaced by [`VarId`]s, aliases followed to their root,
//! surfaces and samplers numbered, labels resolved. Later stages trust it. An instruction with an
//! error is reported and left out; the rest goes on.
//!
//! Not here: what an instruction does and how it becomes messages.
//!
//! Where to start reading: `unit` takes the module line by line; `names` and `declarations` decide
//! what a name means, `operands` replaces names in an instruction, `flow` knows labels and functions.
//! `rules` then applies what can be said of one instruction; it lists the files with the rules.

mod attributes;
mod availability;
mod blocks;
mod declarations;
mod execution;
mod flow;
mod inputs;
mod lsc;
mod memory;
mod names;
mod operand_size;
mod operands;
mod output;
mod raw;
mod regions;
mod rules;
mod sampling;
mod types;
mod unit;

#[cfg(test)]
mod tests;

pub use blocks::block_shape;
pub use operand_size::TooSmall;
pub use rules::rules_for;
pub use sampling::parameters;

use crate::diagnostic::Diagnostic;
use crate::isa::{Platform, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Instruction, Module};
use indexmap::IndexMap;

/// What the rules depend on besides the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// The platform the program is for: register size and which instructions exist.
    pub platform: Platform,
    /// Accept, with a warning, what an instruction's page forbids and Intel's finalizer nevertheless turns
    /// into messages: too many parameters, reserved offset bits, offsets read at run time. For looking
    /// at messages; such a program has no meaning that could be run.
    pub finalizer: bool,
    /// Accept, with a warning, what the platform's hardware has lost and an earlier part had.
    pub allow_removed: bool,
}

/// Applies every rule to `module` and says all that was found, in text order.
///
/// What is returned can be lowered as it is: instructions with an error are left out of it. Whether
/// the program should run at all is the caller's decision ([`crate::diagnostic::any_fatal`]).
///
/// Source: vISA text reference, sections 2, 3, 4 and 7; the pages MEDIA_LD, 3D_LOAD and AVS.
pub fn check(module: &Module, options: &CheckOptions) -> (Checked, Vec<Diagnostic>) {
    unit::check(module, options)
}

/// A variable of a [`Unit`]: an index into [`Unit::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A whole file, checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The platform the rules were applied for.
    pub platform: Platform,
    /// Kernels and functions in text order.
    pub units: Vec<Unit>,
}

/// What kind of body a [`Unit`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// `.kernel`.
    Kernel,
    /// `.global_function`.
    Function,
}

/// One kernel or global function.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Kernel or function.
    pub kind: UnitKind,
    /// Its name.
    pub name: String,
    /// Every variable: the built-in ones first ([`crate::isa::predefined`], general ones in the order
    /// of their id, then the built-in surfaces, then `S31`), then the declared ones in text order.
    /// Shadowed names of inner scopes are separate entries.
    pub variables: Vec<Variable>,
    /// Outermost-scope names, for bindings and dumps. Built-ins under every spelling (`%r0`, `V7`).
    pub names: IndexMap<String, VarId>,
    /// Inputs in text order, offsets resolved (an input without `offset=` follows its predecessor).
    pub inputs: Vec<CheckedInput>,
    /// `.kernel_attr` values that mean something.
    pub attributes: Attributes,
    /// The body.
    pub steps: Vec<Step>,
    /// Position in `steps` of each label and of each `.function`.
    pub labels: IndexMap<String, usize>,
}

/// One element of a body.
#[derive(Clone, Debug)]
pub enum Step {
    /// `name:`.
    Label(Spanned<String>),
    /// `.function name`: the entry of the kernel or of a subroutine.
    Function(Spanned<String>),
    /// An instruction that passed every check.
    Instruction(Box<Spanned<Instruction<VarId>>>),
}

/// A variable, with what was decided of it.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As declared; built-ins with `%` where text writes it.
    pub name: String,
    /// The declaration; empty for built-ins.
    pub span: Span,
    /// Storage.
    pub storage: Storage,
    /// Built in, not declared.
    pub predefined: bool,
}

/// Where a variable lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Bytes of the register file.
    General {
        /// Element type.
        ty: Type,
        /// Number of elements.
        elements: u32,
        /// Effective alignment in bytes (1..=128), a power of two.
        align: u32,
        /// The variable that owns the bytes: itself unless it is an alias.
        root: VarId,
        /// Byte offset in the root, aliases of aliases added up.
        offset: u32,
    },
    /// Address elements, 16 bits each.
    Address {
        /// Number of elements.
        elements: u32,
    },
    /// Predicate bits.
    Predicate {
        /// Number of bits.
        bits: u32,
    },
    /// Sampler indices; `index` is the first one's position in declaration order.
    Sampler {
        /// Number of elements.
        elements: u32,
        /// Its place.
        index: u32,
    },
    /// Surface indices; `index` counts from [`crate::isa::predefined::FIRST_USER_SURFACE`] for
    /// declared ones.
    Surface {
        /// Number of elements.
        elements: u32,
        /// Its place.
        index: u32,
    },
}

impl Storage {
    /// Size in bytes as `.input` counts it: 4 for each state element.
    pub fn bytes(&self) -> u32 {
        match *self {
            Storage::General { ty, elements, .. } => ty.bytes() * elements,
            Storage::Address { elements } => 2 * elements,
            Storage::Predicate { bits } => bits.div_ceil(8),
            Storage::Sampler { elements, .. } | Storage::Surface { elements, .. } => 4 * elements,
        }
    }
}

/// An input: payload bytes that start a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedInput {
    /// The variable.
    pub var: VarId,
    /// Byte offset in the payload; byte 0 is byte 0 of `%r0`.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// Kernel attributes with a meaning for execution. Source: vISA text reference 2.4.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// `SimdSize`: how many execution-mask bits start as 1; `None` when not stated.
    pub simd_size: Option<u32>,
    /// `SLMSize` in bytes (the text counts KB).
    pub slm_bytes: u32,
    /// `PerThreadInputSize` in bytes.
    pub per_thread_bytes: Option<u32>,
    /// `CrossThreadInputSize` in bytes.
    pub cross_thread_bytes: Option<u32>,
    /// `NBarrierCnt`.
    pub named_barriers: u32,
}

impl Attributes {
    /// Lanes of a thread; all where nothing is stated.
    pub fn lanes(&self) -> u32 {
        self.simd_size.filter(|&n| n > 1).unwrap_or(32)
    }
}

impl Checked {
    /// The kernel of a name, or the first one for no name.
    pub fn kernel(&self, name: &str) -> Option<&Unit> {
        let mut kernels = self.units.iter().filter(|u| u.kind == UnitKind::Kernel);
        kernels.find(|u| name.is_empty() || u.name == name)
    }
}

impl Unit {
    /// The variable with an id.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The element type of a general variable; `None` for others.
    pub fn element_type(&self, id: VarId) -> Option<Type> {
        match self.variable(id).storage {
            Storage::General { ty, .. } => Some(ty),
            _ => None,
        }
    }
}
