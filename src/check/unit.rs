//! The walk over a module: units, scopes, and one rule after the other for each line.

use super::attributes::AttributeReader;
use super::declarations::{declare, later_declarations};
use super::flow::{Announced, Targets};
use super::inputs::Inputs;
use super::names::{Names, built_in_names, built_in_variables};
use super::rules::{self, Remarked};
use super::{Attributes, CheckOptions, Checked, Step, Unit, UnitKind, operands};
use crate::diagnostic;
use crate::diagnostic::{Code, Diagnostic, any_fatal, counted};
use crate::isa::Platform;
use crate::source::{Span, Spanned};
use crate::surface::Ledger;
use crate::syntax::ast::{Module, Statement};
use indexmap::IndexMap;
use std::collections::HashMap;

/// What the rules for one unit see and where they leave what they find.
pub(super) struct UnitBuilder<'m> {
    /// The platform the rules are for.
    pub platform: Platform,
    /// See [`CheckOptions::finalizer`].
    pub finalizer: bool,
    /// See [`CheckOptions::allow_removed`].
    pub allow_removed: bool,
    /// The unit as far as it is built.
    pub unit: Unit,
    /// Names at the current line.
    pub names: Names<'m>,
    /// The first declaration of each name anywhere in the unit.
    pub anywhere: HashMap<&'m str, Span>,
    /// Labels and functions of the unit.
    pub targets: Targets<'m>,
    /// Functions announced anywhere in the file.
    pub announced: &'m Announced<'m>,
    /// Payload bytes given away so far.
    pub inputs: Inputs,
    /// Surfaces declared so far.
    pub surfaces: u32,
    /// Samplers declared so far.
    pub samplers: u32,
    /// Names without a declaration: where in [`Self::found`] it is reported, and how often the name was used after.
    pub undeclared: IndexMap<String, (usize, usize)>,
    /// Names whose declaration could not be read, which was reported.
    pub unread: &'m [String],
    /// Look-alikes of unknown names still to be searched for: each search reads every name.
    pub suggestions_left: u32,
    /// Remarks that need not be repeated.
    pub remarked: Remarked,
    /// All that was found.
    pub found: Vec<Diagnostic>,
}

impl UnitBuilder<'_> {
    /// Adds a diagnostic.
    pub fn say(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }
}

/// Diagnostics of one code and title that point to one other place, a declaration as a rule: more have one cause.
const MOST_ALIKE: usize = 10;

/// Leaves the first [`MOST_ALIKE`] diagnostics of each code, title and other place; the last says how many followed.
fn group(found: &mut Vec<Diagnostic>) {
    let mut alike: HashMap<(Code, String, Span), (usize, usize)> = HashMap::new();
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for diagnostic in found.drain(..) {
        let other = diagnostic.labels.iter().find(|label| !label.primary);
        if let Some(other) = other {
            let key = (diagnostic.code, diagnostic.message.clone(), other.span);
            let (seen, last) = alike.entry(key).or_default();
            *seen += 1;
            if *seen > MOST_ALIKE {
                continue;
            }
            *last = kept.len();
        }
        kept.push(diagnostic);
    }
    for (seen, last) in alike.into_values().filter(|(seen, _)| *seen > MOST_ALIKE) {
        let more = counted(seen - MOST_ALIKE, "more line");
        kept[last].notes.push(format!(
            "and {more} with the same title, not reported one by one"
        ));
    }
    *found = kept;
}

/// Kernels and functions of a text: each has every built-in variable, some kilobytes.
const MOST_UNITS: usize = 16_384;

type Line<'m> = &'m Spanned<Statement>;

/// See [`super::check`].
pub(super) fn check(module: &Module, options: &CheckOptions) -> (Checked, Vec<Diagnostic>) {
    let platform = options.platform;
    let statements: Vec<Line> = module
        .lines
        .iter()
        .filter_map(|line| line.statement.as_ref())
        .collect();
    let opens_unit =
        |s: &Line| matches!(s.node, Statement::Kernel(_) | Statement::GlobalFunction(_));
    let announced = Announced::new(statements.iter().copied());
    let first = statements
        .iter()
        .position(opens_unit)
        .unwrap_or(statements.len());
    let mut found = outside(&statements[..first]);
    let mut units = Vec::new();
    let mut rest = &statements[first..];
    while let Some((head, body)) = rest.split_first() {
        if units.len() == MOST_UNITS {
            found.push(
                Diagnostic::new(Code::L0224)
                    .at(head.span, "nothing is checked from here on")
                    .note(format!("a text holds {MOST_UNITS} at most"))
                    .help("several files"),
            );
            break;
        }
        let end = body.iter().position(opens_unit).unwrap_or(body.len());
        let (unit, said) = check_unit(head, &body[..end], options, (&announced, &module.unread));
        units.extend(unit);
        found.extend(said);
        rest = &body[end..];
    }
    (Checked { platform, units }, found)
}

/// Judges what is before the first unit: only `.version` and announcements may.
fn outside(statements: &[Line]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for statement in statements {
        match &statement.node {
            Statement::Version { major, minor } if *major < 4 => found.push(
                Diagnostic::new(Code::W0221)
                    .at(statement.span, format!("version {major}.{minor}"))
                    .note("versions below 4.0 narrow the stored sampler operation: Intel's reader then loses .pixel_null_mask and .cps")
                    .note("visim reads the version as a note and keeps the flags")
                    .help(".version 4.1")
                    .see("vISA text reference 0"),
            ),
            Statement::Version { .. } | Statement::FuncDecl(_) => {}
            _ => found.push(
                Diagnostic::new(Code::E0201)
                    .at(statement.span, "no kernel has been opened yet")
                    .note("everything up to the next .kernel or .global_function belongs to the current one, and there is none here")
                    .help(".kernel \"name\"   // on a line above")
                    .see("vISA text reference 2.1"),
            ),
        }
    }
    found
}

fn check_unit<'m>(
    head: Line<'m>,
    body: &[Line<'m>],
    options: &CheckOptions,
    (announced, unread): (&'m Announced<'m>, &'m [String]),
) -> (Option<Unit>, Vec<Diagnostic>) {
    let (kind, name) = match &head.node {
        Statement::Kernel(name) => (UnitKind::Kernel, name),
        Statement::GlobalFunction(name) => (UnitKind::Function, name),
        _ => return (None, Vec::new()),
    };
    let (targets, said) = Targets::collect(body);
    let platform = options.platform;
    let mut builder = UnitBuilder {
        platform,
        finalizer: options.finalizer,
        allow_removed: options.allow_removed,
        unit: Unit {
            kind,
            name: name.node.clone(),
            variables: built_in_variables(platform.grf_bytes()),
            names: built_in_names().into_iter().collect(),
            inputs: Vec::new(),
            attributes: Attributes::default(),
            steps: Vec::new(),
            labels: IndexMap::new(),
        },
        names: Names::default(),
        anywhere: later_declarations(body),
        targets,
        announced,
        inputs: Inputs::new(platform.grf_bytes()),
        surfaces: 0,
        samplers: 0,
        undeclared: IndexMap::new(),
        unread,
        suggestions_left: 20,
        remarked: Remarked::default(),
        found: said,
    };
    let mut attributes = AttributeReader::default();
    let mut open_scopes = Vec::new();
    for (number, &statement) in body.iter().enumerate() {
        let span = statement.span;
        if let Err(late) = Ledger::on_time_at(number) {
            builder.say(late.diagnostic().at(span, "the text is checked up to here"));
            break;
        }
        match &statement.node {
            Statement::Declaration(d) => declare(&mut builder, d),
            Statement::Input(input) => super::inputs::input(&mut builder, input, span),
            Statement::Attribute { name, value } => {
                attributes.read(&mut builder, name, value.as_ref(), span);
            }
            Statement::OpenScope => {
                builder.names.open();
                open_scopes.push(span);
            }
            Statement::CloseScope => {
                open_scopes.pop();
                if !builder.names.close() {
                    builder.say(
                        Diagnostic::new(Code::E0217)
                            .at(span, "closes a block that was not opened")
                            .see("vISA text reference 2.1"),
                    );
                }
            }
            Statement::Label(name) => builder.label(name),
            Statement::Function(name) => builder.function(name),
            Statement::Instruction(instruction) => {
                let before = builder.found.len();
                let Some(resolved) = operands::resolve(&mut builder, instruction) else {
                    continue;
                };
                rules::check(&mut builder, &resolved);
                if !any_fatal(&builder.found[before..]) {
                    let step = Step::Instruction(Box::new(Spanned::new(resolved, span)));
                    builder.unit.steps.push(step);
                }
            }
            Statement::Version { .. }
            | Statement::Kernel(_)
            | Statement::GlobalFunction(_)
            | Statement::FuncDecl(_) => {}
        }
    }
    for span in open_scopes {
        builder.say(
            Diagnostic::new(Code::E0217)
                .at(span, "never closed")
                .help("}   // on a line of its own, before the next .kernel")
                .see("vISA text reference 2.1"),
        );
    }
    builder.count_undeclared();
    group(&mut builder.found);
    // Labels are gathered before the builder, so that what was said of them is in front: back into
    // text order.
    diagnostic::in_text_order(&mut builder.found);
    (Some(builder.unit), builder.found)
}
