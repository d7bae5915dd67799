//! Modules as bytes. Source: vISA binary reference 1.

use super::Version;
use super::bytes::put;
use super::names::Names;
use super::operand::type_number;
use super::record::{self, Field};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{
    Align, AttributeValue, Declaration, DeclarationClass, Instruction, Module, Operand, Statement,
};

/// `CISA`.
pub(super) const MAGIC: u32 = 0x4153_4943;

/// A module in bytes.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// The record of each statement that has one, in the order of the text.
    pub records: Vec<(Span, Vec<Field>)>,
}

/// A kernel, or a function that is called by its name.
struct Unit<'m> {
    name: &'m str,
    /// Where the name is.
    place: Span,
    function: bool,
    statements: Vec<(Span, &'m Statement)>,
}

fn units(module: &Module) -> Vec<Unit<'_>> {
    let mut units: Vec<Unit> = Vec::new();
    for statement in module
        .lines
        .iter()
        .filter_map(|line| line.statement.as_ref())
    {
        let (name, function) = match &statement.node {
            Statement::Kernel(name) => (name, false),
            Statement::GlobalFunction(name) => (name, true),
            _ => {
                if let Some(unit) = units.last_mut() {
                    unit.statements.push((statement.span, &statement.node));
                }
                continue;
            }
        };
        units.push(Unit {
            name: &name.node,
            place: name.span,
            function,
            statements: Vec::new(),
        });
    }
    units
}

/// Writes a module in its own version of the two that are written, or in `version`.
///
/// # Errors
/// `N0661` for statements without a binary form that is known to the bit, `E0661` where a number does not fit.
pub fn write(module: &Module, version: Option<Version>) -> Result<Written, Vec<Diagnostic>> {
    let own = module
        .lines
        .iter()
        .find_map(|line| match line.statement.as_ref()?.node {
            Statement::Version { major, minor } => Some(Version::of_text(major, minor)),
            _ => None,
        });
    let version = version.or(own).unwrap_or(Version::V4_1);
    let (mut refused, mut written) = (Vec::new(), Written::default());
    let mut objects = Vec::new();
    for unit in units(module) {
        let mut object = Object::of(&unit, version, &mut refused);
        written.records.append(&mut object.records);
        objects.push((unit.name.to_string(), unit.function, object));
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    written.bytes = file(&objects, version);
    Ok(written)
}

/// The record of the statement at a place of a module; `None` where the statement there has none.
///
/// # Errors
/// Why it has no binary form.
pub fn record_at(
    module: &Module,
    place: Span,
    version: Version,
) -> Option<Result<Vec<Field>, String>> {
    let units = units(module);
    let mut found = units.iter().flat_map(|unit| {
        unit.statements
            .iter()
            .map(move |(span, statement)| (unit, *span, *statement))
    });
    let (unit, span, statement) = found.find(|(_, span, _)| span.start == place.start)?;
    let names = Object::names(unit);
    match statement {
        Statement::Instruction(instruction) => Some(record::encode(instruction, &names, version)),
        Statement::Label(label) => {
            let number = names.label_number(&label.node)?;
            let subroutine = names.labels.get(&label.node).copied().unwrap_or(false);
            let _ = span;
            Some(Ok(record::label(number, subroutine)))
        }
        _ => None,
    }
}

/// The names that the first kernel or function of a module declares; the built-in ones where it has none.
pub fn names(module: &Module) -> Names {
    units(module)
        .first()
        .map_or_else(|| Names::of(""), Object::names)
}

/// A kernel or function in bytes.
struct Object {
    bytes: Vec<u8>,
    /// Where its number of inputs lies.
    inputs_at: usize,
    records: Vec<(Span, Vec<Field>)>,
}

fn name_length(out: &mut Vec<u8>, name: &str, version: Version) {
    put(
        out,
        name.len() as u64,
        if version.wide_names() { 2 } else { 1 },
    );
    out.extend_from_slice(name.as_bytes());
}

/// The header with its entries, and the objects after it.
fn file(objects: &[(String, bool, Object)], version: Version) -> Vec<u8> {
    // The entries have the same length whatever the offsets are.
    let header = |offsets: &[usize]| {
        let mut out = Vec::new();
        put(&mut out, MAGIC.into(), 4);
        put(&mut out, version.major.into(), 1);
        put(&mut out, version.minor.into(), 1);
        let of_kind = |function: bool| {
            let all = objects.iter().zip(offsets);
            all.filter(move |((_, is_function, _), _)| *is_function == function)
        };
        put(&mut out, of_kind(false).count() as u64, 2);
        for ((name, _, object), offset) in of_kind(false) {
            name_length(&mut out, name, version);
            put(&mut out, *offset as u64, 4);
            put(&mut out, object.bytes.len() as u64, 4);
            put(&mut out, (*offset + object.inputs_at) as u64, 4);
            // No symbols, and no code of a device.
            put(&mut out, 0, 5);
        }
        put(&mut out, 0, 2);
        put(&mut out, of_kind(true).count() as u64, 2);
        for ((name, _, object), offset) in of_kind(true) {
            put(&mut out, 0, 1);
            name_length(&mut out, name, version);
            put(&mut out, *offset as u64, 4);
            put(&mut out, object.bytes.len() as u64, 4);
            put(&mut out, 0, 4);
        }
        out
    };
    let length = header(&vec![0; objects.len()]).len();
    let mut at = length;
    let offsets: Vec<usize> = objects
        .iter()
        .map(|(_, _, object)| {
            let own = at;
            at += object.bytes.len();
            own
        })
        .collect();
    let mut out = header(&offsets);
    for (_, _, object) in objects {
        out.extend_from_slice(&object.bytes);
    }
    out
}

impl Object {
    /// The numbers of all names of a unit.
    fn names(unit: &Unit<'_>) -> Names {
        let mut names = Names::of(unit.name);
        let mut of_function = false;
        for (_, statement) in &unit.statements {
            match statement {
                Statement::Declaration(declaration) => {
                    let name = declaration.name.node.clone();
                    names.string(&name);
                    match &declaration.class {
                        DeclarationClass::General { ty, .. } => {
                            names.general.insert(name, ty.node);
                        }
                        DeclarationClass::Address => {
                            names.addresses.insert(name, ());
                        }
                        DeclarationClass::Predicate => {
                            names.predicates.insert(name, ());
                        }
                        DeclarationClass::Sampler { .. } => {
                            names.samplers.insert(name, ());
                        }
                        DeclarationClass::Surface { .. } => {
                            names.surfaces.insert(name, ());
                        }
                    }
                    for (attribute, _) in &declaration.attributes {
                        names.string(&attribute.node);
                    }
                }
                Statement::Attribute { name, .. } => {
                    names.string(&name.node);
                }
                Statement::Function(_) => of_function = true,
                Statement::Label(label) => {
                    names.labels.insert(label.node.clone(), of_function);
                    names.string(&label.node);
                    of_function = false;
                }
                Statement::Instruction(instruction) => {
                    if let Some(Operand::Text(text)) =
                        instruction.operands.first().map(|operand| &operand.node)
                    {
                        names.string(text);
                    }
                }
                _ => {}
            }
        }
        names.string(TARGET);
        names
    }

    fn of(unit: &Unit<'_>, version: Version, refused: &mut Vec<Diagnostic>) -> Object {
        let names = Object::names(unit);
        refused.extend(misfit_of_names(unit, &names, version));
        let mut out = Vec::new();
        put(&mut out, names.strings.len() as u64, 4);
        for string in names.strings.keys() {
            out.extend_from_slice(string.as_bytes());
            out.push(0);
        }
        put(&mut out, 0, 4);
        let declarations: Vec<&Declaration> = unit
            .statements
            .iter()
            .filter_map(|(_, statement)| match statement {
                Statement::Declaration(declaration) => Some(declaration),
                _ => None,
            })
            .collect();
        variables(&mut out, &declarations, &names, refused);
        let of = |wanted: fn(&DeclarationClass) -> bool| {
            let all = declarations.iter().copied();
            all.filter(|d| wanted(&d.class)).collect::<Vec<_>>()
        };
        let address = of(|class| matches!(class, DeclarationClass::Address));
        let predicates = of(|class| matches!(class, DeclarationClass::Predicate));
        let samplers = of(|class| matches!(class, DeclarationClass::Sampler { .. }));
        let surfaces = of(|class| matches!(class, DeclarationClass::Surface { .. }));
        for list in [address, predicates] {
            table(&mut out, &list, 2, &names);
        }
        put(&mut out, names.labels.len() as u64, 2);
        for (label, subroutine) in &names.labels {
            put(&mut out, string(&names, label), 4);
            put(&mut out, u64::from(*subroutine), 1);
            put(&mut out, 0, 1);
        }
        for list in [samplers, surfaces, Vec::new()] {
            table(&mut out, &list, 1, &names);
        }
        let inputs_at = out.len();
        if !unit.function {
            inputs(&mut out, unit, &names, refused);
        }
        let records = records(unit, &names, version, refused);
        let size: usize = records
            .iter()
            .flat_map(|(_, fields)| fields)
            .map(|field| field.bytes.len())
            .sum();
        let mut attributes = Vec::new();
        kernel_attributes(&mut attributes, unit, &names, version);
        put(&mut out, size as u64, 4);
        let sizes = if unit.function { 2 } else { 0 };
        let entry = out.len() + 4 + sizes + attributes.len();
        put(&mut out, entry as u64, 4);
        put(&mut out, 0, sizes);
        out.extend_from_slice(&attributes);
        for field in records.iter().flat_map(|(_, fields)| fields) {
            out.extend_from_slice(&field.bytes);
        }
        Object {
            bytes: out,
            inputs_at,
            records,
        }
    }
}

fn string(names: &Names, text: &str) -> u64 {
    names.strings.get_index_of(text).unwrap_or(0) as u64
}

fn misfit(span: Span, what: String) -> Diagnostic {
    Diagnostic::new(Code::E0661)
        .at(span, what)
        .see("vISA binary reference 1")
}

/// Names that strings of the binary form cannot hold. Source: vISA binary reference 1.2.
fn misfit_of_names(unit: &Unit<'_>, names: &Names, version: Version) -> Option<Diagnostic> {
    let most = if version.wide_names() { 0xffff } else { 0xff };
    let length = unit.name.len();
    if length > most {
        let what = format!("a name of {length} bytes, {most} are the most in version {version}");
        return Some(misfit(unit.place, what));
    }
    let ends = names.strings.keys().any(|name| name.contains('\0'));
    ends.then(|| {
        misfit(
            unit.place,
            "a name in it has a byte of zero, which ends a string".into(),
        )
    })
}

/// General variables. Source: vISA binary reference 1.5.
fn variables(
    out: &mut Vec<u8>,
    declarations: &[&Declaration],
    names: &Names,
    refused: &mut Vec<Diagnostic>,
) {
    put(out, names.general.len() as u64, 4);
    for declaration in declarations {
        let DeclarationClass::General { ty, align, alias } = &declaration.class else {
            continue;
        };
        put(out, string(names, &declaration.name.node), 4);
        let align = align.as_ref().map_or(0, |align| match align.node {
            Align::Bytes(2) => 1,
            Align::Bytes(4) => 2,
            Align::Bytes(8) => 3,
            Align::Bytes(16) => 4,
            Align::Grf => 5,
            Align::GrfX2 => 6,
            Align::Bytes(32) => 7,
            Align::Bytes(64) => 8,
            Align::Bytes(128) => 9,
            Align::Bytes(_) => 0,
        });
        put(out, u64::from(type_number(ty.node)) | align << 4, 1);
        let elements = declaration.elements.node;
        if elements > 0xffff {
            let what = format!("elements are counted in 16 bits, {elements} are not");
            refused.push(misfit(declaration.elements.span, what));
        }
        put(out, elements, 2);
        let base = alias
            .as_ref()
            .and_then(|alias| names.general_number(&alias.base.node));
        put(out, base.unwrap_or(0).into(), 4);
        let offset = alias.as_ref().map_or(0, |alias| alias.offset.node);
        if let Some(alias) = alias.as_ref().filter(|_| offset > 0xffff) {
            let what = format!("an alias begins within 16 bits, {offset} does not");
            refused.push(misfit(alias.offset.span, what));
        }
        put(out, offset, 2);
        put(out, 0, 1);
        put(out, declaration.attributes.len() as u64, 1);
        for (attribute, value) in &declaration.attributes {
            put(out, string(names, &attribute.node), 4);
            value_of(out, &attribute.node, value.as_ref());
        }
    }
}

/// Variables of another class: name, elements, no attributes. `count`: bytes of their number.
fn table(out: &mut Vec<u8>, declarations: &[&Declaration], count: usize, names: &Names) {
    put(out, declarations.len() as u64, count);
    for declaration in declarations {
        put(out, string(names, &declaration.name.node), 4);
        put(out, declaration.elements.node, 2);
        put(out, 0, 1);
    }
}

/// Inputs in the order of the text. Source: vISA binary reference 1.6.
fn inputs(out: &mut Vec<u8>, unit: &Unit<'_>, names: &Names, refused: &mut Vec<Diagnostic>) {
    let inputs: Vec<_> = unit
        .statements
        .iter()
        .filter_map(|(span, statement)| match statement {
            Statement::Input(input) => Some((span, input)),
            _ => None,
        })
        .collect();
    put(out, inputs.len() as u64, 4);
    for (span, input) in inputs {
        if input.directive.starts_with("implicit") {
            let what = "the numbers of implicit inputs are not known";
            let refuse = Diagnostic::new(Code::N0661).at(*span, what);
            refused.push(refuse.see("vISA binary reference 1.6"));
            continue;
        }
        let name = &input.name.node;
        let sampler = || names.sampler_number(name).map(|number| (1, number));
        let surface = || names.surface_number(name).map(|number| (2, number));
        let number = names.general_number(name).map(|number| (0, number));
        let (kind, number) = number.or_else(sampler).or_else(surface).unwrap_or_default();
        put(out, kind, 1);
        put(out, number.into(), 4);
        put(
            out,
            input.offset.as_ref().map_or(0, |offset| offset.node),
            2,
        );
        // What the text leaves out is the whole variable.
        let whole = unit
            .statements
            .iter()
            .find_map(|(_, statement)| match statement {
                Statement::Declaration(declaration) if declaration.name.node == *name => {
                    let size = names.general_type(name).map_or(4, |ty| ty.bytes().into());
                    Some(size * declaration.elements.node)
                }
                _ => None,
            });
        let size = input.size.as_ref().map(|size| size.node).or(whole);
        put(out, size.unwrap_or(4), 2);
    }
}

/// Attributes of the kernel with their values. Source: vISA binary reference 1.4.
fn kernel_attributes(out: &mut Vec<u8>, unit: &Unit<'_>, names: &Names, version: Version) {
    let attributes: Vec<_> = unit
        .statements
        .iter()
        .filter_map(|(_, statement)| match statement {
            Statement::Attribute { name, value } => Some((name, value)),
            _ => None,
        })
        .collect();
    // Intel's writers say the target where the text does not, each release its own.
    let target = attributes.iter().any(|(name, _)| name.node == TARGET);
    put(out, (attributes.len() + usize::from(!target)) as u64, 2);
    for (name, value) in attributes {
        put(out, string(names, &name.node), 4);
        value_of(out, &name.node, value.as_ref());
    }
    if !target {
        put(out, string(names, TARGET), 4);
        put(out, 1, 1);
        put(out, u64::from(version == Version::V4_1), 1);
    }
}

/// The attribute for what a kernel was compiled.
const TARGET: &str = "Target";

/// The value of an attribute with its size.
fn value_of(out: &mut Vec<u8>, name: &str, value: Option<&AttributeValue>) {
    match value {
        None => put(out, 0, 1),
        Some(AttributeValue::Text(text)) if name == TARGET => {
            put(out, 1, 1);
            put(out, u64::from(text == "3d"), 1);
        }
        Some(AttributeValue::Text(text)) => {
            let length = text.len().min(0xff);
            put(out, length as u64, 1);
            out.extend_from_slice(&text.as_bytes()[..length]);
        }
        Some(AttributeValue::Number(value)) => {
            put(out, 4, 1);
            put(out, value.cast_unsigned(), 4);
        }
    }
}

/// The records of all statements.
fn records(
    unit: &Unit<'_>,
    names: &Names,
    version: Version,
    refused: &mut Vec<Diagnostic>,
) -> Vec<(Span, Vec<Field>)> {
    let mut records = Vec::new();
    for (span, statement) in &unit.statements {
        match statement {
            Statement::Label(label) => {
                let number = names.label_number(&label.node).unwrap_or(0);
                let subroutine = names.labels.get(&label.node).copied().unwrap_or(false);
                records.push((*span, record::label(number, subroutine)));
            }
            Statement::Instruction(instruction) => {
                match record::encode(instruction, names, version) {
                    Ok(fields) => records.push((*span, fields)),
                    Err(why) => refused.push(unwritten(instruction, why)),
                }
            }
            Statement::OpenScope | Statement::CloseScope => {
                let what = "a record has no scopes".to_string();
                refused.push(misfit(*span, what));
            }
            _ => {}
        }
    }
    records
}

fn unwritten(instruction: &Instruction, why: String) -> Diagnostic {
    Diagnostic::new(Code::N0661)
        .at(instruction.span(), why)
        .see("vISA binary reference 3")
}
