//! What every legality rule sees: the unit as declared so far, and one instruction with its names
//! resolved.
//!
//! The rules themselves: `execution` (lanes, masks, predicates, saturation), `regions` (where operands
//! reach), `types`, `availability` (platforms), `blocks`, `sampling`, `memory`, `lsc` and
//! `other` (messages).

use super::room::Room;
use super::walk::Walk;
use super::{Storage, Unit, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Family, Opcode, Platform, Slot, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Instruction, Operand, Raw};

/// A view on one instruction and a place for complaints.
pub(super) struct Rules<'a> {
    /// The platform the rules are for.
    pub platform: Platform,
    /// Rules of the pages that Intel's finalizer ignores are remarks.
    pub finalizer: bool,
    /// The unit: its variables are what matters here.
    pub unit: &'a Unit,
    /// The instruction.
    pub instruction: &'a Instruction<VarId>,
    /// Bytes of a register.
    pub grf: u32,
    /// Whether a remark that one place in a unit is enough for has been made already.
    pub remarked: &'a mut Remarked,
    /// All that was found.
    pub found: &'a mut Vec<Diagnostic>,
}

/// Remarks that are made once in a unit, however often they apply.
#[derive(Default)]
pub(super) struct Remarked {
    /// Signed texel addresses where the page has unsigned ones.
    pub signed_loads: bool,
    /// `avs` with the surface before the sampler.
    pub surface_first: bool,
    /// A sampler message for a platform without a sampler.
    pub no_sampler: bool,
}

/// What [`super::check`] looks at for an instruction, in its order, with the numbers of the block table.
pub fn looked_at(instruction: &Instruction<VarId>) -> Vec<String> {
    let rules = rules_of(instruction.opcode.node.info().family);
    let mut rules: Vec<String> = rules.iter().map(|r| (*r).to_string()).collect();
    if let Some(Operand::Block { width, height }) = instruction.operands.first().map(|o| &o.node)
        && let Some((pitch, rows)) = super::block_shape(*width)
    {
        rules.push(format!(
            "shape: a row of {width} bytes occupies {pitch}; {height} of at most {rows} rows"
        ));
    }
    rules
}

/// What [`check`] looks at for a family, in its order.
const fn rules_of(family: Family) -> [&'static str; 4] {
    [
        "availability: the platform has it",
        "execution: lanes, first lane, mask, predicate, modifiers",
        "operands: each fits its position, its region and its variable",
        match family {
            Family::Move | Family::Arithmetic | Family::Logic | Family::Math => {
                "types: which may be read and written together"
            }
            Family::Flow => "flow: targets, depth, what may follow",
            Family::MediaBlock => "blocks: shape, modifier, plane, surface, offsets, destination",
            Family::MediaSampler => "media sampler: channels, surface, operand types, destination",
            Family::Sampler3d => "3D sampler: channels, lanes, offsets, parameters, destination",
            Family::SurfaceMemory => "surface memory: sizes, channels, offsets, operand lengths",
            Family::Svm => "64-bit memory: sizes, addresses, operand lengths",
            Family::Lsc => "LSC: data size, cache controls, addresses, operand lengths",
            Family::RawMessage => "raw messages: lengths against the descriptor",
            Family::Sync => "synchronisation: declared variables have lifetimes",
            Family::Vme => "motion estimation: modes",
            Family::Output => "output: lanes, counts, offsets",
        },
    ]
}

/// Applies every rule to one instruction.
pub(super) fn check(walk: &mut Walk<'_>, instruction: &Instruction<VarId>) {
    let mut rules = Rules {
        platform: walk.platform,
        finalizer: walk.finalizer,
        grf: walk.platform.grf_bytes(),
        unit: &walk.unit,
        instruction,
        remarked: &mut walk.remarked,
        found: &mut walk.found,
    };
    rules.availability();
    rules.execution();
    rules.operands();
    match instruction.opcode.info().family {
        Family::Move | Family::Arithmetic | Family::Logic | Family::Math => rules.types(),
        Family::Flow => rules.flow(),
        Family::MediaBlock => rules.media_block(),
        Family::MediaSampler => rules.media_sampler(),
        Family::Sampler3d => rules.sampler_3d(),
        Family::SurfaceMemory => rules.surface_memory(),
        Family::Svm => rules.svm(),
        Family::Lsc => rules.lsc(),
        Family::RawMessage | Family::Sync | Family::Vme | Family::Output => rules.other(),
    }
}

/// `%null`.
pub(super) const NULL: VarId = VarId(0);

impl<'a> Rules<'a> {
    /// Adds a diagnostic.
    pub fn say(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// A diagnostic of `code` that cites the section of the instruction.
    pub fn complaint(&self, code: Code, title: impl Into<String>) -> Diagnostic {
        Diagnostic::with_message(code, title).see(self.opcode().info().family.section())
    }

    /// As [`Rules::complaint`], for a rule that Intel's finalizer ignores: a remark where its reading
    /// is asked for.
    pub fn page_rule(&self, code: Code, title: impl Into<String>) -> Diagnostic {
        self.complaint(if self.finalizer { Code::W0347 } else { code }, title)
    }

    /// The instruction's row.
    pub fn opcode(&self) -> Opcode {
        self.instruction.opcode.node
    }

    /// Where the mnemonic stands.
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

    /// Operands with the slots they stand in.
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
        match self.unit.variable(var).storage {
            Storage::General { ty, .. } => Some(ty),
            _ => None,
        }
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

    /// Complains if the message moves more bytes than lie behind the raw operand at `index`.
    ///
    /// `sum` is the arithmetic that led to `bytes`.
    pub fn must_hold(&mut self, index: usize, bytes: u64, written: bool, sum: &str) {
        if let Some((raw, span)) = self.raw(index) {
            self.must_hold_raw(raw, span, bytes, written, sum);
        }
    }

    /// As [`Rules::must_hold`], for a raw operand inside another.
    pub fn must_hold_raw(
        &mut self,
        raw: &Raw<VarId>,
        span: Span,
        bytes: u64,
        written: bool,
        sum: &str,
    ) {
        let Some((root, start)) = self.place(raw) else {
            return;
        };
        let size = u64::from(self.unit.variable(root).storage.bytes());
        let there = size.saturating_sub(start);
        if bytes <= there {
            return;
        }
        let name = self.name(raw.var.node);
        let ty = self.var_type(raw.var.node).unwrap_or(Type::Ud);
        let block = matches!(self.opcode(), Opcode::SvmBlockSt | Opcode::OwordSt);
        let register = u64::from(self.platform.grf_bytes());
        let room = Room {
            name,
            there,
            moved: bytes,
            written,
        };
        let (code, title) = match written {
            // Nothing else shares the register of what a message takes: compilers store one value so.
            false if block && start + bytes <= register => {
                (Code::W0322, format!("{name} ends before the block does"))
            }
            _ => (room.code(), room.title()),
        };
        let d = self
            .complaint(code, title)
            .at(span, room.label())
            .and_at(self.unit.variable(root).span, format!("{size} bytes"))
            .note(sum)
            .help(Room::help(
                self.name(root),
                (start + bytes).div_ceil(u64::from(ty.bytes())),
            ));
        self.say(d);
    }
}
