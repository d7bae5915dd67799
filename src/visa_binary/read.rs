//! Bytes as modules. Source: vISA binary reference 1.

use super::bytes::Reader;
use super::names::Names;
use super::operand::{type_of, unplaced};
use super::record;
use super::write::MAGIC;
use super::{Malformed, Version};
use crate::source::Spanned;
use crate::syntax::ast::{
    Alias, Align, AttributeValue, Declaration, DeclarationClass, Input, Line, Module, Name,
    Statement,
};

/// Entries of a table at most: more than any file has, few enough to hold.
const MOST: u32 = 1 << 20;

/// Whether bytes begin like a container.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Reads a container: every kernel and function of it as text would say them.
///
/// # Errors
/// [`Malformed`]: the byte and the rule that is broken. A record that ends early is told as that.
pub fn read(bytes: &[u8]) -> Result<Module, Malformed> {
    let mut reader = Reader::new(bytes, 0);
    if reader.dword()? != MAGIC {
        return Err(Reader::new(bytes, 0).fault("no `CISA` at the start"));
    }
    let start = reader;
    let version = Version {
        major: reader.byte()?,
        minor: reader.byte()?,
    };
    if version < (Version { major: 3, minor: 6 }) || version > Version::V4_1 {
        return Err(start.fault(format!("version {version}; 3.6 to 4.1 are read")));
    }
    let mut objects = Vec::new();
    for _ in 0..reader.word()? {
        let name = entry_name(&mut reader, version)?;
        let (offset, size) = (reader.dword()?, reader.dword()?);
        reader.dword()?;
        symbols(&mut reader)?;
        for _ in 0..reader.byte()? {
            reader.take(9)?;
        }
        objects.push((name, offset, size, false));
    }
    let variables = reader;
    if reader.word()? != 0 {
        return Err(variables.fault("variables of the file"));
    }
    for _ in 0..reader.word()? {
        reader.byte()?;
        let name = entry_name(&mut reader, version)?;
        let (offset, size) = (reader.dword()?, reader.dword()?);
        symbols(&mut reader)?;
        // One that is defined elsewhere.
        if size != 0 {
            objects.push((name, offset, size, true));
        }
    }
    let mut lines = vec![line(Statement::Version {
        major: version.major.into(),
        minor: version.minor.into(),
    })];
    for (name, offset, size, function) in objects {
        let (offset, size) = (offset as usize, size as usize);
        let object = offset
            .checked_add(size)
            .and_then(|end| bytes.get(offset..end));
        let object = object.ok_or_else(|| {
            reader.fault(format!(
                "`{name}` lies outside the file: {size} bytes at {offset:#x}"
            ))
        })?;
        let mut object = Reader::new(object, offset);
        unit(&mut object, &name, function, version, &mut lines)?;
    }
    Ok(Module {
        lines,
        ..Module::default()
    })
}

fn line(statement: Statement) -> Line {
    Line {
        statement: Some(unplaced(statement)),
        comment: None,
    }
}

fn entry_name(reader: &mut Reader<'_>, version: Version) -> Result<Name, Malformed> {
    let length = match version.wide_names() {
        true => reader.word()?.into(),
        false => reader.byte()?.into(),
    };
    let bytes = reader.take(length)?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Two tables of symbols, which nothing reads.
fn symbols(reader: &mut Reader<'_>) -> Result<(), Malformed> {
    for _ in 0..2 {
        let count: usize = reader.word()?.into();
        reader.take(4 * count)?;
    }
    Ok(())
}

/// A number of entries, `size` bytes wide.
fn count(reader: &mut Reader<'_>, size: usize) -> Result<u32, Malformed> {
    let start = *reader;
    let count = reader.number(size)? as u32;
    if count > MOST {
        return Err(start.fault(format!("{count} entries")));
    }
    Ok(count)
}

fn unit(
    reader: &mut Reader<'_>,
    name: &str,
    function: bool,
    version: Version,
    lines: &mut Vec<Line>,
) -> Result<(), Malformed> {
    let spelled = unplaced(name.to_string());
    lines.push(line(match function {
        true => Statement::GlobalFunction(spelled),
        false => Statement::Kernel(spelled),
    }));
    let mut names = Names::default();
    let mut strings = Vec::new();
    for _ in 0..count(reader, 4)? {
        strings.push(reader.text()?);
    }
    let strings = Strings(strings);
    reader.dword()?;
    let mut declared = Vec::new();
    general(reader, &strings, &mut names, &mut declared)?;
    for _ in 0..count(reader, 2)? {
        let (name, elements) = entry(reader, &strings)?;
        names.addresses.insert(name.clone(), ());
        declared.push((name, elements, DeclarationClass::Address, Vec::new()));
    }
    for _ in 0..count(reader, 2)? {
        let (name, elements) = entry(reader, &strings)?;
        names.predicates.insert(name.clone(), ());
        declared.push((name, elements, DeclarationClass::Predicate, Vec::new()));
    }
    for _ in 0..count(reader, 2)? {
        let name = strings.at(reader)?;
        let kind = reader.byte()?;
        attributes(reader, 1, &strings)?;
        names.labels.insert(name, kind == 1);
    }
    for _ in 0..count(reader, 1)? {
        let (name, elements) = entry(reader, &strings)?;
        names.samplers.insert(name.clone(), ());
        let class = DeclarationClass::Sampler { v_name: None };
        declared.push((name, elements, class, Vec::new()));
    }
    for _ in 0..count(reader, 1)? {
        let (name, elements) = entry(reader, &strings)?;
        names.surfaces.insert(name.clone(), ());
        let class = DeclarationClass::Surface { v_name: None };
        declared.push((name, elements, class, Vec::new()));
    }
    let start = *reader;
    if reader.byte()? != 0 {
        return Err(start.fault("variables of motion estimation"));
    }
    for (name, elements, class, attributes) in declared {
        lines.push(line(Statement::Declaration(Declaration {
            name: unplaced(name),
            elements: unplaced(elements),
            class,
            attributes,
        })));
    }
    if !function {
        for _ in 0..count(reader, 4)? {
            lines.push(line(Statement::Input(input(reader, &names)?)));
        }
    }
    let (size, entry) = (reader.dword()? as usize, reader.dword()? as usize);
    if function {
        reader.take(2)?;
    }
    for (name, value) in attributes(reader, 2, &strings)? {
        lines.push(line(Statement::Attribute { name, value }));
    }
    let mut code = reader.from(entry);
    let end = entry.checked_add(size);
    let end = end.ok_or_else(|| code.fault("the instructions have no end"))?;
    names.listed.clone_from(&strings.0);
    while code.at < end {
        let start = code;
        let statement = record::read(&mut code, &names, version);
        let statement = statement.and_then(|statement| match code.at <= end {
            true => Ok(statement),
            false => Err(start.fault("its fields run over the end of the instructions")),
        });
        let statement = statement.map_err(|fault| cut_short(&start, &fault))?;
        if let Statement::Label(label) = &statement
            && names.labels.get(&label.node) == Some(&true)
        {
            lines.push(line(Statement::Function(label.clone())));
        }
        lines.push(line(statement));
    }
    Ok(())
}

/// A record that cannot be read: `GenX_IR` of one release leaves the last fields out.
/// Source: vISA binary reference 4.
fn cut_short(start: &Reader<'_>, fault: &Malformed) -> Malformed {
    let at = start.base + start.at;
    Malformed {
        at: fault.at,
        what: format!(
            "{}, in or after the record at {at:#x}, which may be cut short: GenX_IR 1.0.12504 writes such files",
            fault.what
        ),
    }
}

/// The strings of an object, by number.
struct Strings(Vec<String>);

impl Strings {
    fn at(&self, reader: &mut Reader<'_>) -> Result<String, Malformed> {
        let start = *reader;
        let index = reader.dword()?;
        let text = self.0.get(index as usize);
        text.cloned()
            .ok_or_else(|| start.fault(format!("no string {index}")))
    }
}

/// Attributes with their values.
type Attributes = Vec<(Spanned<Name>, Option<AttributeValue>)>;

/// A declaration: name, elements, class, attributes.
type Declared = (Name, u64, DeclarationClass, Attributes);

fn general(
    reader: &mut Reader<'_>,
    strings: &Strings,
    names: &mut Names,
    declared: &mut Vec<Declared>,
) -> Result<(), Malformed> {
    let mut aliases = Vec::new();
    for _ in 0..count(reader, 4)? {
        let name = strings.at(reader)?;
        let start = *reader;
        let bits = reader.byte()?;
        let ty = type_of(bits & 0xf).ok_or_else(|| start.fault("no type"))?;
        let align = match bits >> 4 {
            0 => Align::Bytes(1),
            1 => Align::Bytes(2),
            2 => Align::Bytes(4),
            3 => Align::Bytes(8),
            4 => Align::Bytes(16),
            5 => Align::Grf,
            6 => Align::GrfX2,
            7 => Align::Bytes(32),
            8 => Align::Bytes(64),
            9 => Align::Bytes(128),
            other => return Err(start.fault(format!("no alignment {other}"))),
        };
        let elements = reader.word()?.into();
        let place = *reader;
        let (base, offset) = (reader.dword()?, reader.word()?);
        reader.byte()?;
        let attributes = attributes(reader, 1, strings)?;
        names.general.insert(name.clone(), ty);
        aliases.push((declared.len(), base, offset, place));
        let class = DeclarationClass::General {
            ty: unplaced(ty),
            align: Some(unplaced(align)),
            alias: None,
        };
        declared.push((name, elements, class, attributes));
    }
    for (at, base, offset, place) in aliases {
        if base == 0 {
            continue;
        }
        let name = names.general_name(base);
        let name = name.ok_or_else(|| place.fault(format!("no general variable {base}")))?;
        if let DeclarationClass::General { alias, .. } = &mut declared[at].2 {
            *alias = Some(Alias {
                base: unplaced(name),
                offset: unplaced(offset.into()),
            });
        }
    }
    Ok(())
}

/// A variable of another class: name and elements.
fn entry(reader: &mut Reader<'_>, strings: &Strings) -> Result<(Name, u64), Malformed> {
    let name = strings.at(reader)?;
    let elements = reader.word()?.into();
    attributes(reader, 1, strings)?;
    Ok((name, elements))
}

/// Attributes with their values; `size`: bytes of their number.
fn attributes(
    reader: &mut Reader<'_>,
    size: usize,
    strings: &Strings,
) -> Result<Attributes, Malformed> {
    let mut all = Vec::new();
    for _ in 0..count(reader, size)? {
        let name = strings.at(reader)?;
        let length: usize = reader.byte()?.into();
        let value = reader.take(length)?;
        let value = match (name.as_str(), value) {
            (_, []) => None,
            ("Target", [target]) => {
                let target = if *target == 0 { "cm" } else { "3d" };
                Some(AttributeValue::Text(target.to_string()))
            }
            ("OutputAsmPath", text) => {
                let text = String::from_utf8_lossy(text).into_owned();
                Some(AttributeValue::Text(text))
            }
            (_, number) if number.len() <= 8 => {
                let mut whole = [0; 8];
                whole[..number.len()].copy_from_slice(number);
                Some(AttributeValue::Number(i64::from_le_bytes(whole)))
            }
            (_, text) => Some(AttributeValue::Text(
                String::from_utf8_lossy(text).into_owned(),
            )),
        };
        all.push((unplaced(name), value));
    }
    Ok(all)
}

/// An input. Source: vISA binary reference 1.6.
fn input(reader: &mut Reader<'_>, names: &Names) -> Result<Input, Malformed> {
    let start = *reader;
    let kind = reader.byte()?;
    let number = reader.dword()?;
    let name = match kind & 3 {
        0 => names.general_name(number),
        1 => names.sampler_name(number),
        2 => names.surface_name(number),
        _ => None,
    };
    let name = name.ok_or_else(|| start.fault(format!("no input {kind}, {number}")))?;
    if kind >> 3 != 0 {
        return Err(start.fault(format!(
            "an implicit input, kind {}, whose name is not known",
            kind >> 3
        )));
    }
    Ok(Input {
        directive: "input".to_string(),
        name: unplaced(name),
        offset: Some(unplaced(reader.word()?.into())),
        size: Some(unplaced(reader.word()?.into())),
    })
}
