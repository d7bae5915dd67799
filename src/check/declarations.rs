//! `.decl`: storage, alignment, aliases.
//!
//! Source: vISA text reference 2.2 and 7.7.

use super::names::{Binding, built_in, most_like};
use super::unit::UnitBuilder;
use super::{Storage, VarId, Variable};
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::isa::predefined::FIRST_USER_SURFACE;
use crate::isa::{Family, Opcode, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Alias, Align, Declaration, DeclarationClass, Name, Statement};
use std::collections::HashMap;

/// The attributes a variable may carry; none affects results.
const VARIABLE_ATTRIBUTES: &[&str] = &[
    "Input",
    "Output",
    "Input_Output",
    "Scope",
    "DoNotSpill",
    "ForceSpill",
    "NoWidening",
    "SurfaceUsage",
    "PayloadLiveOut",
    "ExclusiveLoad",
];

const SECTION: &str = "vISA text reference 2.2";

/// The first declaration of every name in a unit, to tell "below" and "in a closed block" from "nowhere".
pub(super) fn later_declarations<'m>(body: &[&'m Spanned<Statement>]) -> HashMap<&'m str, Span> {
    let mut all = HashMap::new();
    for statement in body {
        if let Statement::Declaration(d) = &statement.node {
            all.entry(d.name.node.as_str()).or_insert(d.name.span);
        }
    }
    all
}

/// One `.decl` line. A declaration with an error still binds its name, so that uses stay quiet.
pub(super) fn declare<'m>(builder: &mut UnitBuilder<'m>, declaration: &'m Declaration) {
    let name = &declaration.name;
    if let Some(id) = built_in(&name.node) {
        let meant = builder.unit.variable(id).name.clone();
        builder.say(
            Diagnostic::with_message(Code::E0204, format!("{} is a built-in name", name.node))
                .at(
                    name.span,
                    format!("is another name of {meant} in every kernel"),
                )
                .note("V0 to V20, T1, T2, TSS and S31 are reserved")
                .help(format!("{}_0", name.node))
                .see("vISA text reference 2.2, \"Names\""),
        );
        // A failure here would only mean that the name was declared twice as well.
        let _ = builder.names.bind(&name.node, Binding::Broken, name.span);
        return;
    }
    let storage = storage(builder, declaration);
    let id = VarId(builder.unit.variables.len() as u32);
    let binding = match storage {
        Some(_) => Binding::Variable(id),
        None => Binding::Broken,
    };
    if let Err(first) = builder.names.bind(&name.node, binding, name.span) {
        builder.say(
            Diagnostic::with_message(Code::E0203, format!("{} is declared twice", name.node))
                .at(name.span, "declared again here")
                .and_at(first, "first declared here")
                .note("a scope contains a name once; general, address, predicate, sampler and surface variables share the table")
                .help("rename one of them, or open a block with { and } for the inner one")
                .see("vISA text reference 7.7"),
        );
        return;
    }
    let Some(mut storage) = storage else {
        return;
    };
    match &mut storage {
        Storage::Surface { index, .. } => {
            *index = FIRST_USER_SURFACE + builder.surfaces;
            builder.surfaces += 1;
        }
        Storage::Sampler { index, .. } => {
            *index = builder.samplers;
            builder.samplers += 1;
        }
        Storage::General { root, .. } if *root == VarId(u32::MAX) => *root = id,
        _ => {}
    }
    builder.unit.variables.push(Variable {
        name: name.node.clone(),
        span: name.span,
        storage,
        predefined: false,
    });
    if builder.names.depth() == 0 {
        builder.unit.names.insert(name.node.clone(), id);
    }
}

/// The storage of a declaration; the index of state variables and the root of a variable that is not an
/// alias are filled in by [`declare`], which alone knows them. Reports every error of the line.
fn storage(builder: &mut UnitBuilder<'_>, declaration: &Declaration) -> Option<Storage> {
    let attributes_fine = attributes(builder, declaration);
    let elements = elements(builder, declaration);
    let storage = match &declaration.class {
        DeclarationClass::General { ty, align, alias } => {
            let ty_fine = declarable(builder, ty);
            let align = alignment(builder, align.as_ref());
            match (elements, ty_fine, align) {
                (Some(elements), true, Some(align)) => general(
                    builder,
                    declaration,
                    ty.node,
                    elements,
                    align,
                    alias.as_ref(),
                ),
                _ => None,
            }
        }
        DeclarationClass::Address => elements.map(|elements| Storage::Address { elements }),
        DeclarationClass::Predicate => elements.map(|bits| Storage::Predicate { bits }),
        DeclarationClass::Sampler { .. } => {
            elements.map(|elements| Storage::Sampler { elements, index: 0 })
        }
        DeclarationClass::Surface { .. } => {
            elements.map(|elements| Storage::Surface { elements, index: 0 })
        }
    };
    storage.filter(|_| attributes_fine)
}

/// The number of elements, if its class allows it.
fn elements(builder: &mut UnitBuilder<'_>, declaration: &Declaration) -> Option<u32> {
    let n = declaration.elements.node;
    let (what, limit, fine, fix) = match declaration.class {
        DeclarationClass::General { .. } => (
            "a general variable",
            "1 to 65535",
            (1..=65535).contains(&n),
            n.clamp(1, 65535),
        ),
        DeclarationClass::Address => (
            "an address variable",
            "1 to 16",
            (1..=16).contains(&n),
            n.clamp(1, 16),
        ),
        DeclarationClass::Predicate => (
            "a predicate",
            "1, 2, 4, 8, 16 or 32",
            n.is_power_of_two() && n <= 32,
            n.clamp(1, 32).next_power_of_two(),
        ),
        DeclarationClass::Sampler { .. } | DeclarationClass::Surface { .. } => (
            "a state variable",
            "1 to 128",
            (1..=128).contains(&n),
            n.clamp(1, 128),
        ),
    };
    if fine {
        return u32::try_from(n).ok();
    }
    builder.say(
        Diagnostic::with_message(
            Code::E0205,
            format!("{} cannot have {n} elements", declaration.name.node),
        )
        .at(
            declaration.elements.span,
            format!("{what} has {limit}, not {n}"),
        )
        .help(format!("num_elts={fix}"))
        .see("vISA text reference 7.7"),
    );
    None
}

/// Whether a general variable can have the type.
fn declarable(builder: &mut UnitBuilder<'_>, ty: &Spanned<Type>) -> bool {
    if !matches!(ty.node, Type::Bool | Type::V | Type::Uv | Type::Vf) {
        return true;
    }
    let fix = match ty.node {
        Type::Bool => "v_type=P num_elts=8   // bits are predicates",
        Type::V => "type=w",
        Type::Uv => "type=uw",
        _ => "type=f",
    };
    let why = match ty.node {
        Type::Bool => "general variables cannot be boolean",
        _ => "vector types exist as immediates only",
    };
    builder.say(
        Diagnostic::with_message(
            Code::E0206,
            format!("{} is not a type of general variables", ty.node),
        )
        .at(ty.span, why)
        .note("general variables are ud d uw w ub b uq q f df or hf")
        .help(fix)
        .see("vISA text reference 7.7"),
    );
    false
}

/// The written alignment in bytes, 1 if none.
fn alignment(builder: &mut UnitBuilder<'_>, align: Option<&Spanned<Align>>) -> Option<u32> {
    let Some(align) = align else { return Some(1) };
    let grf = builder.platform.grf_bytes();
    let bytes = match align.node {
        Align::Bytes(n) => n,
        Align::Grf => grf,
        Align::GrfX2 => 2 * grf,
    };
    if bytes.is_power_of_two() && bytes <= 128 {
        return Some(bytes);
    }
    builder.say(
        Diagnostic::with_message(Code::E0211, format!("{bytes} is not an alignment"))
            .at(align.span, "a power of two from 2 to 128, or a named size")
            .note("named sizes: byte word dword qword oword hword GRF GRFx2 wordx32 wordx64")
            .help("align=dword")
            .see(SECTION),
    );
    None
}

/// Whether all attributes are known.
fn attributes(builder: &mut UnitBuilder<'_>, declaration: &Declaration) -> bool {
    let mut fine = true;
    for (name, _) in &declaration.attributes {
        if VARIABLE_ATTRIBUTES.contains(&name.node.as_str()) {
            continue;
        }
        fine = false;
        let mut d = Diagnostic::with_message(
            Code::E0210,
            format!("{} is not a variable attribute", name.node),
        )
        .at(name.span, "not in the list")
        .note(format!("attributes: {}", VARIABLE_ATTRIBUTES.join(" ")))
        .see(SECTION);
        if let Some(close) = most_like(&name.node, VARIABLE_ATTRIBUTES.iter().copied()) {
            d = d.help(format!("attrs={{{close}}}"));
        }
        builder.say(d);
    }
    fine
}

/// The alignment a variable really has: a register for one of a register or more, else what its type
/// asks for. A variable smaller than a register never straddles two.
fn effective_align(ty: Type, bytes: u32, written: u32, grf_bytes: u32) -> u32 {
    let least = match ty.bytes() {
        _ if bytes >= grf_bytes => grf_bytes,
        4 => 4,
        8 => 8,
        _ => 2,
    };
    least.max(written)
}

fn general(
    builder: &mut UnitBuilder<'_>,
    declaration: &Declaration,
    ty: Type,
    elements: u32,
    written: u32,
    alias: Option<&Alias>,
) -> Option<Storage> {
    // At most 65535 elements of 8 bytes: far from overflow.
    let bytes = elements * ty.bytes();
    let align = effective_align(ty, bytes, written, builder.platform.grf_bytes());
    let (root, offset) = match alias {
        // Filled in by `declare`.
        None => (VarId(u32::MAX), 0),
        Some(alias) => aliased(builder, declaration, ty, bytes, alias)?,
    };
    Some(Storage::General {
        ty,
        elements,
        align,
        root,
        offset,
    })
}

/// Follows an alias to the variable that owns the bytes, and the byte offset in it.
fn aliased(
    builder: &mut UnitBuilder<'_>,
    declaration: &Declaration,
    ty: Type,
    bytes: u32,
    alias: &Alias,
) -> Option<(VarId, u32)> {
    let name = &declaration.name.node;
    let base = builder.lookup(
        &alias.base.node,
        alias.base.span,
        |s| matches!(s, Storage::General { .. }),
        None,
    )?;
    let variable = builder.unit.variable(base);
    let Storage::General {
        align,
        root,
        offset: base_offset,
        ..
    } = variable.storage
    else {
        let what = class_of(&variable.storage);
        builder.say(
            Diagnostic::with_message(
                Code::E0207,
                format!("{} cannot be viewed through an alias", alias.base.node),
            )
            .at(alias.base.span, format!("{what}: it has no bytes to view"))
            .note("an alias is another view of a general variable's bytes")
            .see(SECTION),
        );
        return None;
    };
    let base_bytes = variable.storage.bytes();
    let base_span = variable.span;
    let root_bytes = builder.unit.variable(root).storage.bytes();
    let at_base = |d: Diagnostic| match base_span == Span::default() {
        true => d,
        false => d.and_at(base_span, format!("{base_bytes} bytes")),
    };
    if alias.offset.node >= u64::from(base_bytes) {
        let d = Diagnostic::with_message(
            Code::E0208,
            format!("{name} starts past the end of {}", alias.base.node),
        )
        .at(
            alias.offset.span,
            format!("offset {} in {base_bytes} bytes", alias.offset.node),
        )
        .note(format!(
            "{} covers bytes 0..={}",
            alias.base.node,
            base_bytes.saturating_sub(1)
        ))
        .see("vISA text reference 7.7");
        builder.say(at_base(d));
        return None;
    }
    if align < ty.bytes() {
        let d = Diagnostic::with_message(
            Code::E0209,
            format!("{} is not aligned enough for {name}", alias.base.node),
        )
        .at(
            alias.base.span,
            format!("aligned to {align} bytes; {ty} requires {}", ty.bytes()),
        )
        .note("the base's alignment is at least that of the alias's type")
        .help(format!(
            "align={}   // on {}",
            size_word(ty.bytes()),
            alias.base.node
        ))
        .see("vISA text reference 7.7");
        builder.say(at_base(d));
        return None;
    }
    // Each step stays inside a view, but a view may run past its own base: the sum can grow.
    let total = u64::from(base_offset) + alias.offset.node;
    let Some(offset) = u32::try_from(total).ok().filter(|o| *o < root_bytes) else {
        let root_name = builder.unit.variable(root).name.clone();
        builder.say(
            Diagnostic::with_message(
                Code::E0208,
                format!("{name} starts past the end of {root_name}"),
            )
            .at(
                alias.offset.span,
                format!("byte {base_offset} + {} of {root_bytes}", alias.offset.node),
            )
            .note("aliases of aliases add up")
            .see("vISA text reference 7.7"),
        );
        return None;
    };
    let end = u64::from(offset) + u64::from(bytes);
    if end > u64::from(root_bytes) {
        let root_name = builder.unit.variable(root).name.clone();
        builder.say(
            Diagnostic::with_message(
                Code::W0222,
                format!("{name} runs past the end of {root_name}"),
            )
            .at(
                declaration.name.span,
                format!("bytes {offset}..{end} of a variable of {root_bytes} bytes"),
            )
            .note("Intel's assembler does not check it; bytes past the end of the base read as zero and writes to them are dropped")
            .help(format!("num_elts={}", ((root_bytes - offset) / ty.bytes()).max(1)))
            .see("vISA text reference 2.2, \"alias\""),
        );
    }
    Some((root, offset))
}

/// The keyword for an alignment.
fn size_word(bytes: u32) -> &'static str {
    match bytes {
        8 => "qword",
        4 => "dword",
        _ => "word",
    }
}

/// Instructions whose surface is one with a description, never shared local or stateless memory.
fn reads_surfaces_alone(opcode: Opcode) -> bool {
    let family = opcode.info().family;
    matches!(
        family,
        Family::MediaBlock | Family::MediaSampler | Family::Sampler3d
    )
}

/// What kind of variable it is, for sentences.
pub(super) fn class_of(storage: &Storage) -> &'static str {
    match storage {
        Storage::General { .. } => "a general variable",
        Storage::Address { .. } => "an address variable",
        Storage::Predicate { .. } => "a predicate",
        Storage::Sampler { .. } => "a sampler",
        Storage::Surface { .. } => "a surface",
    }
}

impl UnitBuilder<'_> {
    /// The variable with a name, reported if there is none: once for each name, however often it is used.
    ///
    /// `wanted` says which variables the place takes, `user` which instruction it is of.
    pub fn lookup(
        &mut self,
        name: &Name,
        span: Span,
        wanted: impl Fn(&Storage) -> bool,
        user: Option<Opcode>,
    ) -> Option<VarId> {
        match self.names.find(name) {
            Some(Binding::Variable(id)) => return Some(id),
            Some(Binding::Broken) => return None,
            None => {}
        }
        if self.unread.contains(name) && !self.anywhere.contains_key(name.as_str()) {
            return None;
        }
        if let Some((_, more)) = self.undeclared.get_mut(name.as_str()) {
            *more += 1;
            return None;
        }
        let mut d =
            Diagnostic::with_message(Code::E0202, format!("{name} is not declared")).see(SECTION);
        match self.anywhere.get(name.as_str()) {
            Some(declared) if declared.start > span.start => {
                d = d
                    .at(span, "used here")
                    .and_at(*declared, "declared only here")
                    .note("a variable is declared on an earlier line than its first use");
            }
            Some(declared) => {
                d = d
                    .at(span, "not visible here")
                    .and_at(*declared, "belongs to this block, which has ended")
                    .note("a name declared between { and } ends with the block");
            }
            None => {
                d = d.at(span, "no declaration of this name");
                let reserved = matches!(name.as_str(), "T0" | "T5");
                if reserved && user.is_some_and(reads_surfaces_alone) {
                    let what = match name.as_str() {
                        "T0" => "shared local memory",
                        _ => "stateless memory",
                    };
                    d = d.note(format!(
                        "{name} of the manual is {what}, which this instruction does not take"
                    ));
                    d = match self.declared_state(&wanted) {
                        Some((declared, what)) => d
                            .help(format!("{declared}   // {what} that is declared"))
                            .paste(declared),
                        None => d.help(".decl T6 v_type=T num_elts=1   // and name T6 here"),
                    };
                } else if reserved {
                    let (word, what) = match name.as_str() {
                        "T0" => ("%slm", "shared local memory"),
                        _ => ("%scratch", "stateless memory"),
                    };
                    d = d
                        .note(format!(
                            "{name} of the manual, {what}, is written {word} in text"
                        ))
                        .paste(word);
                } else if self.suggestions_left > 0 {
                    self.suggestions_left -= 1;
                    if let Some(close) = self.alike(name, &wanted) {
                        d = d
                            .help(format!("{close}   // is the nearest name"))
                            .paste(close);
                    } else if let Some((declared, what)) = self.declared_state(&wanted) {
                        d = d
                            .help(format!("{declared}   // {what} that is declared"))
                            .paste(declared);
                    }
                }
            }
        }
        self.undeclared.insert(name.clone(), (self.found.len(), 0));
        self.say(d);
        None
    }

    /// The name most like `name` of a variable that the place takes: a declared one before a built-in one.
    fn alike(&self, name: &str, wanted: impl Fn(&Storage) -> bool) -> Option<String> {
        let takes = |candidate: &&str| match self.names.find(candidate) {
            Some(Binding::Variable(id)) => wanted(&self.unit.variable(id).storage),
            _ => false,
        };
        let declared = most_like(name, self.names.declared().filter(takes));
        let built_in = || {
            // `V13` is a slip of some other `V`, not of a register of the thread; `%r1` is one of `%r0`.
            let own = name.starts_with('%');
            most_like(
                name,
                self.names
                    .spellings()
                    .filter(|n| own && n.starts_with('%'))
                    .filter(takes),
            )
        };
        declared.or_else(built_in).map(str::to_owned)
    }

    /// The first declared surface or sampler that a place takes, and what it is: their names need not be alike.
    pub fn declared_state(
        &self,
        wanted: impl Fn(&Storage) -> bool,
    ) -> Option<(String, &'static str)> {
        let storage = |name: &str| match self.names.find(name) {
            Some(Binding::Variable(id)) => Some((id, &self.unit.variable(id).storage)),
            _ => None,
        };
        let states = self.names.declared().filter_map(|name| {
            let (id, storage) = storage(name)?;
            let state = matches!(storage, Storage::Surface { .. } | Storage::Sampler { .. });
            (state && wanted(storage)).then(|| (id, name.to_owned(), class_of(storage)))
        });
        let (_, name, what) = states.min_by_key(|(id, ..)| *id)?;
        Some((name, what))
    }

    /// Says of each name without a declaration how often it was used after the first time.
    pub fn count_undeclared(&mut self) {
        for (at, more) in self.undeclared.values() {
            if *more > 0 {
                let note = format!(
                    "and {} of the name, not reported one by one",
                    counted(*more, "more use")
                );
                self.found[*at].notes.push(note);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_grows_with_type_and_size() {
        assert_eq!(effective_align(Type::Ub, 4, 1, 32), 2);
        assert_eq!(effective_align(Type::Ud, 4, 1, 32), 4);
        assert_eq!(effective_align(Type::Df, 8, 2, 32), 8);
        assert_eq!(effective_align(Type::Ub, 32, 1, 32), 32);
        assert_eq!(effective_align(Type::Ub, 32, 1, 64), 2);
        assert_eq!(effective_align(Type::Ub, 32, 64, 32), 64);
    }
}
