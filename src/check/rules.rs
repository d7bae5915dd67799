//! The table of rules, and what a rule is given.
//!
//! A rule is a function of [`Context`], the unit as declared so far and one instruction with its names
//! resolved, and [`Found`], which takes the diagnostics. [`RULES`] lists them by the families of instructions
//! that they apply to; each concept is a file.

use super::unit::UnitBuilder;
use super::{
    Storage, Unit, VarId, availability, blocks, execution, flow, lsc, memory, output, raw, regions,
    sampling, types,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Family, Opcode, Platform, Slot, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Instruction, Operand, Raw};

/// What a rule is applied to.
pub(super) struct Context<'a> {
    /// The platform the rules are for.
    pub platform: Platform,
    /// Rules of the pages that Intel's finalizer ignores are warnings.
    pub finalizer: bool,
    /// What the hardware has lost is a warning.
    pub allow_removed: bool,
    /// The unit: its variables are what matters here.
    pub unit: &'a Unit,
    /// The instruction.
    pub instruction: &'a Instruction<VarId>,
    /// Bytes of a register.
    pub grf: u32,
}

/// Where rules leave what they find.
pub(super) struct Found<'a> {
    /// Warnings of which one for each unit is enough.
    pub remarked: &'a mut Remarked,
    /// All that was found.
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl Found<'_> {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// Warnings that are given once for a unit, however often they apply.
#[derive(Default)]
pub(super) struct Remarked {
    /// Signed texel addresses where the page has unsigned ones.
    pub signed_loads: bool,
    /// `avs` with the surface before the sampler.
    pub sampler_first: bool,
    /// A sampler message for a platform without a sampler.
    pub no_sampler: bool,
}

/// Some rules about one concept.
struct Rule {
    /// Families of instructions that they apply to; empty for all.
    families: &'static [Family],
    /// The concept and what is checked of it, for `visim explain`.
    concept: &'static str,
    /// The rules.
    check: fn(&Context<'_>, &mut Found<'_>),
}

const fn rule(
    families: &'static [Family],
    concept: &'static str,
    check: fn(&Context<'_>, &mut Found<'_>),
) -> Rule {
    Rule {
        families,
        concept,
        check,
    }
}

/// Every rule about instructions, in the order in which they are applied.
#[rustfmt::skip]
static RULES: &[Rule] = {
    use Family::*;
    &[
        rule(&[], "availability: the platform has it", availability::availability),
        rule(&[], "execution: lanes, first lane, mask, predicate, modifiers", execution::execution_part),
        rule(&[], "operands: each fits its position, its region and its variable", regions::operand_regions),
        rule(&[Move, Arithmetic, Logic, Math], "types: which may be read and written together", types::value_types),
        rule(&[Flow], "flow: targets, depth, what may follow", flow::flow_instruction),
        rule(&[MediaBlock], "blocks: shape, modifier, plane, surface, offsets, destination", blocks::media_block),
        rule(&[MediaSampler], "media sampler: channels, surface, operand types, destination", sampling::media_sampler),
        rule(&[Sampler3d], "3D sampler: channels, lanes, offsets, parameters, destination", sampling::sampler_3d),
        rule(&[SurfaceMemory], "surface memory: sizes, channels, offsets, operand lengths", memory::surface_memory),
        rule(&[Svm], "64-bit memory: sizes, addresses, operand lengths", memory::svm),
        rule(&[Lsc], "LSC: data size, cache controls, addresses, operand lengths", lsc::lsc_message),
        rule(&[RawMessage], "raw messages: lengths against the descriptor", raw::raw_message),
        rule(&[Sync], "synchronisation: declared variables have lifetimes", flow::lifetimes),
        rule(&[Vme], "motion estimation: modes", output::motion_estimation),
        rule(&[Output], "output: lanes, counts, offsets", output::output_message),
    ]
};

/// The rules for a family, in their order.
fn rules_of(family: Family) -> impl Iterator<Item = &'static Rule> {
    let applies = move |rule: &&Rule| rule.families.is_empty() || rule.families.contains(&family);
    RULES.iter().filter(applies)
}

/// What [`super::check`] looks at for an instruction, in its order, with the numbers of the block table.
pub fn rules_for(instruction: &Instruction<VarId>) -> Vec<String> {
    let rules = rules_of(instruction.opcode.node.info().family);
    let mut rules: Vec<String> = rules.map(|r| r.concept.to_string()).collect();
    if let Some(Operand::Block { width, height }) = instruction.operands.first().map(|o| &o.node)
        && let Some((pitch, rows)) = super::block_shape(*width)
    {
        rules.push(format!(
            "shape: a row of {width} bytes occupies {pitch}; {height} of at most {rows} rows"
        ));
    }
    rules
}

/// Applies every rule to one instruction.
pub(super) fn check(builder: &mut UnitBuilder<'_>, instruction: &Instruction<VarId>) {
    let cx = Context {
        platform: builder.platform,
        finalizer: builder.finalizer,
        allow_removed: builder.allow_removed,
        grf: builder.platform.grf_bytes(),
        unit: &builder.unit,
        instruction,
    };
    let mut found = Found {
        remarked: &mut builder.remarked,
        diagnostics: &mut builder.found,
    };
    for rule in rules_of(instruction.opcode.info().family) {
        (rule.check)(&cx, &mut found);
    }
}

/// `%null`.
pub(super) const NULL: VarId = VarId(0);

impl<'a> Context<'a> {
    /// A diagnostic of `code` that cites the section of the instruction.
    pub fn complaint(&self, code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic::with_message(code, title).see(self.opcode().info().family.section())
    }

    /// As [`Context::complaint`], for a rule that Intel's finalizer ignores: a remark where its reading
    /// is asked for.
    pub fn page_rule(&self, code: Code, title: impl Into<String>) -> Diagnostic {
        self.complaint(if self.finalizer { Code::W0347 } else { code }, title)
    }

    /// The instruction's row.
    pub fn opcode(&self) -> Opcode {
        self.instruction.opcode.node
    }

    /// Where the mnemonic is.
    pub fn mnemonic(&self) -> Span {
        self.instruction.opcode.span
    }

    /// Lanes; 1 for instructions without an execution part.
    pub fn lanes(&self) -> u32 {
        self.instruction.exec.map_or(1, |e| e.size)
    }

    /// Operand `index` in text order.
    pub fn operand(&self, index: usize) -> Option<&'a Spanned<Operand<VarId>>> {
        self.instruction.operands.get(index)
    }

    /// Operands with the slots they are in.
    pub fn with_slots(
        &self,
    ) -> impl Iterator<Item = (Slot, &'a Spanned<Operand<VarId>>)> + use<'a> {
        let operands = &self.instruction.operands;
        super::operands::slots_of(self.opcode(), operands.len()).zip(operands)
    }

    /// The name of a variable as declared.
    pub fn name(&self, var: VarId) -> &'a str {
        &self.unit.variable(var).name
    }

    /// The element type of a general variable.
    pub fn var_type(&self, var: VarId) -> Option<Type> {
        self.unit.element_type(var)
    }

    /// The type an operand is read or written with; `None` for predicates, `%null` and non-values.
    pub fn type_of(&self, operand: &Operand<VarId>) -> Option<Type> {
        match operand {
            Operand::General(g) if g.var.node == NULL => None,
            Operand::General(g) => self.var_type(g.var.node),
            Operand::Indirect(i) => Some(i.ty),
            Operand::Immediate(i) => Some(i.ty),
            Operand::Raw(raw) if raw.var.node == NULL => None,
            Operand::Raw(raw) => self.var_type(raw.var.node),
            _ => None,
        }
    }

    /// The variable that owns the bytes of a raw operand, and the byte where the operand starts in it.
    pub fn place(&self, raw: &Raw<VarId>) -> Option<(VarId, u64)> {
        match self.unit.variable(raw.var.node).storage {
            Storage::General { root, offset, .. } => {
                Some((root, u64::from(offset) + u64::from(raw.offset)))
            }
            _ => None,
        }
    }

    /// Bytes from a raw operand to the end of the variable that owns them.
    pub fn room(&self, raw: &Raw<VarId>) -> Option<u64> {
        let (root, start) = self.place(raw)?;
        let size = u64::from(self.unit.variable(root).storage.bytes());
        Some(size.saturating_sub(start))
    }

    /// The raw operand at `index`, unless absent (`%null`).
    pub fn raw(&self, index: usize) -> Option<(&'a Raw<VarId>, Span)> {
        match &self.operand(index)?.node {
            Operand::Raw(raw) if raw.var.node != NULL => {
                Some((raw, self.instruction.operands[index].span))
            }
            _ => None,
        }
    }

    /// The surface at `index` with its binding number as the built-in ones have it.
    pub fn surface(&self, index: usize) -> Option<(VarId, u32, Span)> {
        let operand = self.operand(index)?;
        let Operand::Surface(var) = &operand.node else {
            return None;
        };
        match self.unit.variable(var.node).storage {
            Storage::Surface { index, .. } => Some((var.node, index, operand.span)),
            _ => None,
        }
    }
}
