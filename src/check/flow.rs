//! Labels, functions and what branches name.
//!
//! Source: vISA text reference 1.2, 2.1, 2.5 and 5.5.

use super::Step;
use super::names::most_like;
use super::rules::{Context, Found};
use super::unit::UnitBuilder;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{Opcode, Slot};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Name, Operand, Statement};
use std::collections::{HashMap, HashSet};

/// Where the branches of a unit can go.
#[derive(Default)]
pub(super) struct Targets<'m> {
    labels: HashMap<&'m str, Span>,
    functions: HashMap<&'m str, Span>,
}

impl<'m> Targets<'m> {
    /// Gathers the labels and functions of a unit, and complains of doubles.
    ///
    /// The label that repeats a function's name is the same thing as the `.function` line.
    pub fn collect(body: &[&'m Spanned<Statement>]) -> (Targets<'m>, Vec<Diagnostic>) {
        let mut targets = Targets::default();
        let mut found = Vec::new();
        let mut twice = |what: &str, name: &Spanned<Name>, first: Span| {
            found.push(
                Diagnostic::with_message(
                    Code::E0502,
                    format!("{what} \"{}\" is defined twice", name.node),
                )
                .at(name.span, "defined again here")
                .and_at(first, "first defined here")
                .note("the name of a label or function refers to one place in its kernel")
                .help(format!("{}_2:", name.node))
                .see("vISA text reference 7.7"),
            );
        };
        for statement in body {
            if let Statement::Function(name) = &statement.node {
                match targets.functions.get(name.node.as_str()) {
                    Some(first) => twice("function", name, *first),
                    None => {
                        targets.functions.insert(&name.node, name.span);
                    }
                }
            }
        }
        for statement in body {
            if let Statement::Label(name) = &statement.node {
                match targets.labels.get(name.node.as_str()) {
                    Some(first) => twice("label", name, *first),
                    None => {
                        targets.labels.insert(&name.node, name.span);
                    }
                }
            }
        }
        (targets, found)
    }

    fn is_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    fn is_label(&self, name: &str) -> bool {
        self.labels.contains_key(name) && !self.is_function(name)
    }
}

/// Every function that `fcall` and `faddr` may name.
pub(super) enum Announced<'m> {
    /// Announced by `.funcdecl` or present in the file.
    Names(HashSet<&'m str>),
    /// The file holds functions alone, as the compiler writes each to a file of its own: the kernel's
    /// file announces what they call. Source: vISA text reference 2.5.
    Elsewhere,
}

impl<'m> Announced<'m> {
    /// What the statements of a file announce.
    pub fn new(statements: impl Iterator<Item = &'m Spanned<Statement>>) -> Announced<'m> {
        let mut names = HashSet::new();
        let (mut kernel, mut function) = (false, false);
        for statement in statements {
            let name = match &statement.node {
                Statement::Kernel(n) => {
                    kernel = true;
                    n
                }
                Statement::GlobalFunction(n) => {
                    function = true;
                    n
                }
                Statement::FuncDecl(n) => n,
                _ => continue,
            };
            names.insert(name.node.as_str());
        }
        match function && !kernel {
            true => Announced::Elsewhere,
            false => Announced::Names(names),
        }
    }

    fn contains(&self, name: &str) -> bool {
        match self {
            Announced::Names(names) => names.contains(name),
            Announced::Elsewhere => true,
        }
    }
}

impl UnitBuilder<'_> {
    /// A label line.
    pub fn label(&mut self, name: &Spanned<Name>) {
        if self.targets.is_function(&name.node) {
            return;
        }
        self.place(name, Step::Label(name.clone()));
    }

    /// A `.function` line.
    pub fn function(&mut self, name: &Spanned<Name>) {
        let first = !self
            .unit
            .steps
            .iter()
            .any(|s| matches!(s, Step::Instruction(_) | Step::Function(_)));
        if !first && let Some(last) = self.unit.steps.last().filter(|s| goes_on(s)) {
            let mut d = Diagnostic::with_message(
                Code::W0505,
                format!("execution falls into subroutine \"{}\"", name.node),
            )
            .at(name.span, "entered without a call")
            .note("a ret inside would then leave the caller; nothing in the assembler detects it")
            .help("ret (M1, 1)   // on the line above")
            .see("vISA text reference 5.5");
            if let Step::Instruction(i) = last {
                d = d.and_at(i.span, "goes on to the next line");
            }
            self.say(d);
        }
        self.place(name, Step::Function(name.clone()));
    }

    fn place(&mut self, name: &Spanned<Name>, step: Step) {
        let at = self.unit.steps.len();
        self.unit.labels.entry(name.node.clone()).or_insert(at);
        self.unit.steps.push(step);
    }

    /// Judges the name a branch or call goes to; false if it is none it can go to.
    pub fn target(&mut self, opcode: Opcode, slot: Slot, name: &str, span: Span) -> bool {
        let targets = &self.targets;
        let complaint = match (opcode, slot) {
            // The callee is a kernel outside this file: nothing here can know it.
            (Opcode::Fccall, _) => return true,
            // It may be data of the program: launch reference 8.
            (Opcode::Faddr, _) => return true,
            (_, Slot::Function | Slot::Callee) if self.announced.contains(name) || targets.is_function(name) => {
                return true;
            }
            (_, Slot::Function | Slot::Callee) => Diagnostic::with_message(
                Code::E0503,
                format!("function \"{name}\" is not announced"),
            )
            .at(span, "no .funcdecl and no .global_function of this name")
            .note(format!("{opcode} names a function that the file announces or contains"))
            .help(format!(".funcdecl \"{name}\""))
            .see("vISA text reference 2.5"),
            (Opcode::Call, _) if targets.is_function(name) => return true,
            (Opcode::Call, _) if targets.is_label(name) => Diagnostic::with_message(
                Code::E0504,
                format!("\"{name}\" is a label, not a subroutine"),
            )
            .at(span, "call goes to a .function")
            .help(format!(".function \"{name}\"   // on the line above the label"))
            .see("vISA text reference 2.5"),
            (_, _) if targets.is_label(name) => return true,
            (_, _) if targets.is_function(name) => Diagnostic::with_message(
                Code::E0504,
                format!("\"{name}\" is a function, not a label"),
            )
            .at(span, format!("{opcode} branches to a label of the same kernel"))
            .note("the label that repeats a function's name is the .function line itself, not a separate place")
            .help(format!("call (M1, 1) {name}"))
            .see("vISA text reference 2.1"),
            _ => {
                let mut d = Diagnostic::with_message(
                    Code::E0501,
                    format!("label \"{name}\" is not defined"),
                )
                .at(span, "no such label in this kernel")
                .note("labels are local to their kernel or function")
                .see("vISA text reference 7.7");
                if self.suggestions_left > 0 {
                    self.suggestions_left -= 1;
                    let known = targets.labels.keys().copied();
                    d = match most_like(name, known) {
                        Some(close) => d.help(format!("{opcode} … {close}")),
                        None => d.help(format!("{name}:   // alone on a line, in column 1")),
                    };
                }
                d
            }
        };
        self.say(complaint);
        false
    }
}

/// Whether the place after a step is reached from it.
fn goes_on(step: &Step) -> bool {
    let Step::Instruction(i) = step else {
        return true;
    };
    let leaves = matches!(
        i.node.opcode.node,
        Opcode::Ret | Opcode::Fret | Opcode::Goto | Opcode::Jmp | Opcode::Switchjmp
    );
    !(leaves && i.node.predicate.is_none())
}

/// Counts of labels and of call registers.
pub(super) fn flow_instruction(cx: &Context<'_>, found: &mut Found<'_>) {
    let opcode = cx.opcode();
    match opcode {
        Opcode::Switchjmp => {
            if let Some((Operand::Labels(labels), span)) = cx.operand(1).map(|o| (&o.node, o.span))
                && !(1..=32).contains(&labels.len())
            {
                let d = cx
                    .complaint(
                        Code::E0506,
                        format!("switchjmp has {} labels", labels.len()),
                    )
                    .at(span, "1 to 32 labels")
                    .help("cmp and goto for the rest");
                found.push(d);
            }
        }
        Opcode::Fcall | Opcode::Ifcall => {
            for (index, what, limit) in [(1, "arguments", 32), (2, "return values", 12)] {
                if let Some((Operand::Number(n), span)) =
                    cx.operand(index).map(|o| (&o.node, o.span))
                    && *n > limit
                {
                    let d = cx
                        .complaint(
                            Code::E0507,
                            format!("{opcode} cannot pass {n} registers of {what}"),
                        )
                        .at(span, format!("at most {limit}"))
                        .note("%arg has 32 registers, %retval 12")
                        .help(limit.to_string())
                        .see("vISA text reference 3 and 5.5");
                    found.push(d);
                }
            }
        }
        _ => {}
    }
}

pub(super) fn lifetimes(cx: &Context<'_>, found: &mut Found<'_>) {
    let Some((Operand::Variable(var), span)) = cx.operand(0).map(|o| (&o.node, o.span)) else {
        return;
    };
    if cx.unit.variable(var.node).predefined {
        let name = cx.name(var.node);
        let d = cx
            .complaint(Code::E0432, format!("{name} has no lifetime"))
            .at(span, "a built-in variable")
            .note("built-in variables are live from the first to the last instruction")
            .help("the name of a declared variable");
        found.push(d);
    }
}
