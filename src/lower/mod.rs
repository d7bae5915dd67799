//! Checked text becomes a [`Program`]: operands as byte offsets, branches as op indices, messages as
//! request templates.
//!
//! One unit is lowered at a time; functions that `fcall` names follow the kernel in the same op list.
//! Nothing is judged here: [`crate::check`] has refused what is not legal, and what visim does not
//! model becomes [`Op::Unsupported`], which speaks when it is reached, not before.

mod alu;
mod dataport;
mod flow;
mod layout;
mod lsc;
mod operands;
mod raw;
mod sampler;
mod target;

pub use flow::function_at;
pub use layout::{BINDLESS, RESERVED, SLM, STATELESS};
pub use operands::SCALAR;
pub use target::{UNMODELLED, has_ignored_operand};

use crate::base::order;
use crate::check::{Checked, Step, Storage, Unit, UnitKind, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Family, Opcode, Platform, Slot};
use crate::program::{Function, Input, Lanes, Memo, Op, Owner, Program, Site, Text};
use crate::source::{Span, Spanned};
use crate::surface::Ledger;
use crate::syntax::ast::{Instruction, Operand};
use indexmap::IndexMap;
use layout::{Layout, UnitLayout, symbol};
use operands::{NULL, Scope};
use std::collections::BTreeMap;

/// What the caller may choose.
#[derive(Clone, Copy, Debug)]
pub struct LowerOptions<'a> {
    /// The greatest register file of one thread in bytes.
    pub max_arena_bytes: u32,
    /// Addresses that `faddr` gives: the program's data by symbol.
    pub symbols: Option<&'a BTreeMap<String, u64>>,
}

impl Default for LowerOptions<'_> {
    fn default() -> Self {
        LowerOptions {
            max_arena_bytes: 64 << 20,
            symbols: None,
        }
    }
}

/// Lowers the kernel `name`, or the first kernel of the file if `name` is empty.
///
/// # Errors
/// The diagnostics alone if there is no such kernel (`E0601`), a called function is not in the text
/// (`E0602`), or the variables exceed `options.max_arena_bytes` (`L0601`).
pub fn lower(
    checked: &Checked,
    name: &str,
    options: &LowerOptions<'_>,
) -> Result<Program, Vec<Diagnostic>> {
    let Some(kernel) = checked.kernel(name) else {
        let kernels = checked.units.iter().filter(|u| u.kind == UnitKind::Kernel);
        let names: Vec<&str> = kernels.map(|u| u.name.as_str()).collect();
        let message = if name.is_empty() {
            "the file has no kernel".to_string()
        } else {
            format!("no kernel is called `{name}`")
        };
        let mut diagnostic = Diagnostic::with_message(Code::E0601, message);
        if !names.is_empty() {
            diagnostic = diagnostic.help(format!("kernels of this file: {}", names.join(", ")));
        }
        return Err(vec![diagnostic]);
    };
    let functions = checked
        .units
        .iter()
        .filter(|u| u.kind == UnitKind::Function);
    let units: Vec<&Unit> = std::iter::once(kernel).chain(functions).collect();

    let mut layout = Layout::new(checked.platform);
    let Some(general) = layout.place_general(&units, options.max_arena_bytes) else {
        let limit = options.max_arena_bytes;
        return Err(vec![Diagnostic::new(Code::L0601).note(format!(
            "the variables of `{}` take more than {limit} bytes",
            kernel.name
        ))]);
    };
    layout.close_general();
    let layouts: Vec<UnitLayout> = units
        .iter()
        .zip(general)
        .map(|(unit, general)| layout.finish_unit(unit, general))
        .collect();

    let mut builder = Builder {
        ops: Vec::new(),
        sites: Vec::new(),
        diagnostics: Vec::new(),
        platform: checked.platform,
        functions: units[1..].iter().map(|u| u.name.as_str()).collect(),
        symbols: options.symbols,
    };
    let mut entries = Vec::new();
    for (unit, unit_layout) in units.iter().zip(&layouts) {
        entries.push(builder.ops.len() as u32);
        builder.unit(Scope {
            unit,
            places: &unit_layout.places,
            layout: &mut layout,
            platform: checked.platform,
            grf: checked.platform.grf_bytes(),
        });
    }
    if !builder.diagnostics.is_empty() {
        return Err(builder.diagnostics);
    }
    let functions = units[1..]
        .iter()
        .zip(&layouts[1..])
        .zip(&entries[1..])
        .map(|((unit, layout), &entry)| Function {
            name: unit.name.clone(),
            entry,
            frame: layout.frame.clone(),
        })
        .collect();
    let places = &layouts[0].places;
    let state_names = |class: fn(&Storage) -> bool| {
        let variables = kernel.variables.iter().zip(places);
        variables
            .filter(|(v, _)| class(&v.storage))
            .map(|(v, p)| (p.offset, v.name.clone()))
            .collect()
    };
    Ok(Program {
        name: kernel.name.clone(),
        platform: checked.platform,
        text: Text::Visa,
        ops: builder.ops,
        sites: builder.sites,
        symbols: kernel
            .names
            .iter()
            .map(|(name, id)| {
                let i = id.0 as usize;
                (name.clone(), symbol(&kernel.variables[i], places[i]))
            })
            .collect::<IndexMap<_, _>>(),
        general_bytes: layout.general_bytes,
        sink: layout.sink,
        zero: layout.zero,
        owners: owners(&units, &layouts),
        inputs: kernel
            .inputs
            .iter()
            .map(|input| Input {
                name: kernel.variable(input.var).name.clone(),
                arena: places[input.var.0 as usize].offset,
                payload: input.offset,
                size: input.size,
            })
            .collect(),
        simd_size: kernel.attributes.lanes(),
        slm_bytes: kernel.attributes.slm_bytes,
        functions,
        memo: Memo::default(),
        surface_names: state_names(|s| matches!(s, Storage::Surface { .. })),
        sampler_names: state_names(|s| matches!(s, Storage::Sampler { .. })),
        image: layout.image,
    })
}

/// Which variable owns which bytes.
fn owners(units: &[&Unit], layouts: &[UnitLayout]) -> Vec<Owner> {
    let mut owners = Vec::new();
    for (number, (unit, layout)) in units.iter().zip(layouts).enumerate() {
        for (i, (variable, place)) in unit.variables.iter().zip(&layout.places).enumerate() {
            let alias = match variable.storage {
                Storage::General { root, .. } => root.0 as usize != i,
                _ => false,
            };
            // Built-in general variables are the same bytes for all units.
            let again = number > 0 && matches!(variable.storage, Storage::General { .. });
            if alias || (variable.predefined && again) {
                continue;
            }
            let symbol = symbol(variable, *place);
            owners.push(Owner {
                name: variable.name.clone(),
                range: symbol.offset..symbol.offset + symbol.bytes(),
                class: symbol.class,
                declared: variable.span,
                predefined: variable.predefined,
                function: (number as u32).checked_sub(1),
            });
        }
    }
    // Views of the header lie inside it and come after it.
    order::sort_by_key(&mut owners, |o| {
        (o.range.start, std::cmp::Reverse(o.range.end))
    });
    owners.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    owners
}

/// The op list while it grows.
struct Builder<'a> {
    ops: Vec<Op>,
    sites: Vec<Site>,
    diagnostics: Vec<Diagnostic>,
    platform: Platform,
    functions: Vec<&'a str>,
    symbols: Option<&'a BTreeMap<String, u64>>,
}

impl Builder<'_> {
    /// Lowers one body. Branch targets are step positions until every step has its op index.
    fn unit(&mut self, mut scope: Scope<'_>) {
        let steps = &scope.unit.steps;
        let first = self.ops.len();
        let mut op_of_step = Vec::with_capacity(steps.len() + 1);
        let mut last = Site {
            span: Span::default(),
            opcode: Opcode::Ret,
        };
        for (number, step) in steps.iter().enumerate() {
            if let Err(late) = Ledger::on_time_at(number) {
                self.diagnostics.push(late.diagnostic());
                return;
            }
            op_of_step.push(self.ops.len() as u32);
            let Step::Instruction(instruction) = step else {
                continue;
            };
            last = Site {
                span: instruction.span,
                opcode: *instruction.opcode,
            };
            self.instruction(&mut scope, instruction, last);
        }
        // Falling off the end terminates the thread. Source: vISA text reference 2.1.
        op_of_step.push(self.ops.len() as u32);
        let lanes = Lanes {
            count: 1,
            offset: 0,
            no_mask: false,
        };
        self.push(Op::Return { lanes, guard: None }, last);
        let resolve = |step: u32| op_of_step[step as usize];
        for op in &mut self.ops[first..] {
            flow::retarget(op, resolve);
        }
    }

    fn push(&mut self, op: Op, site: Site) {
        self.ops.push(op);
        self.sites.push(site);
    }

    fn instruction(
        &mut self,
        scope: &mut Scope<'_>,
        instruction: &Spanned<Instruction<VarId>>,
        site: Site,
    ) {
        let i = &instruction.node;
        if scope.reads_live_state(i) {
            self.push(Op::ReadState, site);
        }
        if *i.opcode == Opcode::Dpas {
            // A step for each row of results.
            let rows = alu::systolic(scope, i).unwrap_or_else(|| vec![Op::Unsupported]);
            return rows.into_iter().for_each(|row| self.push(row, site));
        }
        let op = match i.opcode.info().family {
            Family::Flow => self.flow(scope, i),
            Family::MediaBlock | Family::SurfaceMemory | Family::Svm => dataport::lower(scope, i),
            Family::MediaSampler | Family::Sampler3d => sampler::lower(scope, i, self.platform),
            Family::Move | Family::Arithmetic | Family::Logic | Family::Math => {
                alu::lower(scope, i)
            }
            Family::Sync => flow::synchronisation(scope, i),
            Family::RawMessage => raw::lower(scope, i),
            Family::Lsc => lsc::lower(scope, i),
            Family::Output if *i.opcode == Opcode::RtWrite3d => target::lower(scope, i),
            Family::Vme | Family::Output => None,
        };
        let without = match takes_null(i) {
            true => Op::TakesNull,
            false => Op::Unsupported,
        };
        self.push(op.unwrap_or(without), site);
        if scope.writes_control(i) {
            self.push(Op::LoadControl, site);
        }
    }
}

/// Whether registers that a message to memory takes are those of `%null`.
fn takes_null(i: &Instruction<VarId>) -> bool {
    let slots = i.opcode.info().slots.iter().zip(&i.operands);
    let mut taken = slots.filter(|(slot, _)| **slot == Slot::RawSrc);
    matches!(
        i.opcode.info().family,
        Family::MediaBlock | Family::SurfaceMemory | Family::Svm
    ) && taken.any(|(_, o)| matches!(&o.node, Operand::Raw(raw) if raw.var.node == NULL))
}

/// The lanes and guard of an instruction.
fn execution(scope: &Scope<'_>, i: &Instruction<VarId>) -> (Lanes, Option<crate::program::Guard>) {
    let lanes = i
        .exec
        .as_ref()
        .map_or(SCALAR, |e| operands::lanes(Some(&e.node)));
    let guard = i.predicate.as_ref().map(|p| scope.guard(&p.node));
    (lanes, guard)
}
