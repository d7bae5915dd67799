//! Texts that Intel's own assembler accepted, refused or printed.

use super::{Case, files, read};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use visim::internals::check::{CheckOptions, check};
use visim::internals::diagnostic::{Diagnostic, any_fatal, render_all};
use visim::internals::isa::Platform;
use visim::internals::isa::predefined::PREDEFINED;
use visim::internals::source::Source;
use visim::internals::syntax::ast::{DeclarationClass, Module, Statement};
use visim::internals::syntax::{ParseOptions, parse, print};

fn each(folder: &Path, run: fn(&Path, &str) -> Result<(), String>) -> Vec<Case> {
    let case = |(name, path): (String, PathBuf)| {
        let stem = name.clone();
        Case::new(&name, move || run(&path, &stem))
    };
    files(folder, "visaasm").into_iter().map(case).collect()
}

/// Reads and checks; the module, and every diagnostic.
fn front(source: &Source, platform: Platform) -> (Module, Vec<Diagnostic>) {
    let options = ParseOptions {
        grf_bytes: platform.grf_bytes(),
    };
    let mut parsed = parse(source, &options);
    let (_, more) = check(
        &parsed.module,
        &CheckOptions {
            platform,
            ..CheckOptions::default()
        },
    );
    parsed.diagnostics.extend(more);
    (parsed.module, parsed.diagnostics)
}

fn must_pass(source: &Source, platform: Platform) -> Result<Module, String> {
    let (module, diagnostics) = front(source, platform);
    if any_fatal(&diagnostics) {
        return Err(render_all(&diagnostics, source, false));
    }
    Ok(module)
}

/// `parse(print(m)) == m`.
fn round_trips(module: &Module) -> Result<(), String> {
    let printed = Source::new("printed", print(module));
    let again = parse(&printed, &ParseOptions::default());
    if any_fatal(&again.diagnostics) {
        let why = render_all(&again.diagnostics, &printed, false);
        return Err(format!("printed text does not parse: {why}"));
    }
    let again = again.module;
    if again == *module {
        return Ok(());
    }
    let differs = again.lines.iter().zip(&module.lines).find(|(a, b)| a != b);
    Err(format!(
        "printed text reads back as something else: {differs:?}"
    ))
}

/// `text`: accepted for Skylake, and printing loses nothing.
pub fn accepted(folder: &Path) -> Vec<Case> {
    each(folder, |path, name| {
        let source = Source::new(name, read(path)?);
        round_trips(&must_pass(&source, Platform::Skl)?)
    })
}

/// `text-other-platforms`: as `text`, for the platform that the name begins with.
pub fn other_platforms(folder: &Path) -> Vec<Case> {
    each(folder, |path, name| {
        let word = name.split('-').next().unwrap_or_default();
        let platform = Platform::from_name(word).ok_or_else(|| format!("no platform {word}"))?;
        let source = Source::new(name, read(path)?);
        round_trips(&must_pass(&source, platform)?)
    })
}

/// `text-bad`: refused with a diagnostic on the line that the `.txt` beside it states.
pub fn refused(folder: &Path) -> Vec<Case> {
    each(folder, |path, name| {
        let source = Source::new(name, read(path)?);
        let verdict = read(&path.with_extension("txt"))?;
        let line = verdict.lines().find_map(|l| l.strip_prefix("line: "));
        let line: usize = line
            .and_then(|l| l.trim().parse().ok())
            .ok_or("the verdict states no line")?;
        let (_, diagnostics) = front(&source, Platform::Skl);
        let lines: Vec<usize> = diagnostics
            .iter()
            .filter(|d| d.class().is_fatal())
            .filter_map(|d| Some(source.line_of(d.span()?.start)))
            .collect();
        if lines.contains(&line) {
            Ok(())
        } else if lines.is_empty() {
            Err(format!(
                "accepted, but line {line} is wrong: {}",
                source.line_text(line).trim()
            ))
        } else {
            Err(format!("refused on lines {lines:?}, expected {line}"))
        }
    })
}

/// `text-canonical`: what Intel's assembler printed for `text`. Accepted, says the same instructions
/// as the file it was printed from, and prints unchanged.
pub fn canonical(folder: &Path) -> Vec<Case> {
    each(folder, |path, name| {
        let source = Source::new(name, read(path)?);
        let module = must_pass(&source, Platform::Skl)?;
        round_trips(&module)?;
        prints_as_it_stands(&source, &module)?;
        let original = path
            .parent()
            .and_then(Path::parent)
            .map(|root| root.join("text").join(format!("{name}.visaasm")))
            .ok_or("no folder beside")?;
        let original = Source::new("text", read(&original)?);
        let other = parse(&original, &ParseOptions::default()).module;
        same_instructions(&other, &module)
    })
}

/// Line for line.
fn prints_as_it_stands(source: &Source, module: &Module) -> Result<(), String> {
    let printed = print(module);
    let (ours, theirs): (Vec<&str>, Vec<&str>) =
        (printed.lines().collect(), source.text().lines().collect());
    for (number, pair) in ours.iter().zip(&theirs).enumerate() {
        if pair.0 != pair.1 {
            return Err(format!(
                "line {} prints as\n    {}\n  not\n    {}",
                number + 1,
                pair.0,
                pair.1
            ));
        }
    }
    if ours.len() != theirs.len() {
        return Err(format!(
            "{} lines are printed, not {}",
            ours.len(),
            theirs.len()
        ));
    }
    Ok(())
}

/// Every instruction printed, with names as the canonical printer gives them.
///
/// Source: vISA text reference 2.2, "Names": it renames address, predicate, sampler and surface
/// variables by their order.
fn instructions(module: &Module, rename: bool) -> Vec<String> {
    let mut names = HashMap::new();
    let mut counts = [0, 1, 0, 6];
    let mut statements = Vec::new();
    for line in &module.lines {
        match line.statement.as_ref().map(|s| &s.node) {
            Some(Statement::Declaration(declaration)) if rename => {
                let (class, letter) = match declaration.class {
                    DeclarationClass::General { .. } => continue,
                    DeclarationClass::Address => (0, 'A'),
                    DeclarationClass::Predicate => (1, 'P'),
                    DeclarationClass::Sampler { .. } => (2, 'S'),
                    DeclarationClass::Surface { .. } => (3, 'T'),
                };
                let name = format!("{letter}{}", counts[class]);
                counts[class] += 1;
                names.insert(declaration.name.node.clone(), name);
            }
            Some(Statement::Instruction(_)) => {
                let mut alone = line.clone();
                alone.comment = None;
                statements.push(alone);
            }
            _ => {}
        }
    }
    let text = print(&Module {
        lines: statements,
        ..Module::default()
    });
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let renamed = |line: &str| {
        let mut out = String::new();
        let mut rest = line.trim();
        while !rest.is_empty() {
            let len = rest.find(|c| !word(c)).unwrap_or(rest.len());
            out.push_str(names.get(&rest[..len]).map_or(&rest[..len], String::as_str));
            let gap = rest[len..].find(word).unwrap_or(rest.len() - len);
            out.push_str(&rest[len..len + gap]);
            rest = &rest[len + gap..];
        }
        out
    };
    text.lines().map(renamed).collect()
}

fn same_instructions(original: &Module, printed: &Module) -> Result<(), String> {
    let (a, b) = (instructions(original, true), instructions(printed, false));
    let a: Vec<String> = a.iter().map(|line| as_printed(line, original)).collect();
    for (a, b) in a.iter().zip(&b) {
        if a != b && !same_but_for_function_numbers(a, b) {
            return Err(format!("`{a}` was printed as `{b}`"));
        }
    }
    if a.len() != b.len() {
        return Err(format!(
            "{} instructions were printed as {}",
            a.len(),
            b.len()
        ));
    }
    Ok(())
}

/// What Intel's printer is known to change in an instruction. Source: vISA text reference 4.6
/// (`addr_add` of a general operand), 5.9 (`.mod`), section 8, quirks 9 (`.divS`), 22 (a predicate of `min`
/// and `max`) and 23 (`mov D P`); `jmp` and `switchjmp` without their mask and lanes, typed messages without
/// their predicate and `V7` under its other name were seen.
fn as_printed(line: &str, module: &Module) -> String {
    let mut line = line.replace(".divS", "");
    let loses_predicate = ["scatter4_typed", "gather4_typed", " min", " max"];
    if line.starts_with('(') && loses_predicate.iter().any(|m| line.contains(m)) {
        line = line
            .split_once(") ")
            .map_or(line.clone(), |(_, rest)| rest.to_string());
    }
    for (mnemonic, exec) in [("jmp ", "(M1, 1)"), ("switchjmp ", "(M1, 1)")] {
        if line.starts_with(mnemonic) || line.contains(&format!(") {mnemonic}")) {
            line = with_exec(&line, mnemonic, exec);
        }
    }
    if moves_predicate(&line) {
        let start = line.find("mov").unwrap_or(0);
        line = with_exec(
            &line[start..].replacen("mov.sat", "mov", 1),
            "mov ",
            "(M1_NM, 1)",
        );
    }
    if line.starts_with("oword_") {
        line = line.replacen(".mod", "", 1);
    }
    for (id, name, ..) in PREDEFINED {
        line = named(&line, &format!("V{id}"), &format!("%{name}"));
    }
    if line.starts_with("addr_add") {
        line = address_of(&line, module).unwrap_or(line);
    }
    line
}

/// The execution part after `mnemonic` replaced.
fn with_exec(line: &str, mnemonic: &str, exec: &str) -> String {
    let parts = line.find(mnemonic).and_then(|at| {
        let behind = at + mnemonic.len();
        let close = behind + line[behind..].find(')')? + 1;
        Some((&line[..behind], &line[close..]))
    });
    parts.map_or(line.to_owned(), |(front, rest)| {
        format!("{front}{exec}{rest}")
    })
}

/// Whether `line`, with its predicates renamed, is `mov D P`.
fn moves_predicate(line: &str) -> bool {
    let last = line.rsplit(' ').next().unwrap_or_default();
    let predicate = last
        .strip_prefix('P')
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    predicate && (line.starts_with("mov") || line.contains(") mov"))
}

/// `from` as a whole word replaced by `to`.
fn named(line: &str, from: &str, to: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(from) {
        let (front, behind) = (&rest[..at], &rest[at + from.len()..]);
        let whole = !front.ends_with(|c| word(c) || c == '%') && !behind.starts_with(word);
        out.push_str(front);
        out.push_str(if whole { to } else { from });
        rest = behind;
    }
    out + rest
}

/// `addr_add … V(r,c)<0;1,0> …` with its source as `&V[bytes]`.
fn address_of(line: &str, module: &Module) -> Option<String> {
    let end = line.find("<0;1,0>")?;
    let start = line[..end].rfind(' ')? + 1;
    let (name, origin) = line[start..end].strip_suffix(')')?.split_once('(')?;
    let (row, column) = origin.split_once(',')?;
    let bytes = module
        .lines
        .iter()
        .find_map(|l| match &l.statement.as_ref()?.node {
            Statement::Declaration(d) if d.name.node == name => match &d.class {
                DeclarationClass::General { ty, .. } => Some(ty.bytes()),
                _ => None,
            },
            _ => None,
        })?;
    let offset = row.parse::<u32>().ok()? * 32 + column.parse::<u32>().ok()? * bytes;
    Some(format!(
        "{}&{name}[{offset}]{}",
        &line[..start],
        &line[end + 7..]
    ))
}

/// The printer numbers functions: `call … sub` becomes `call … sub_1`.
fn same_but_for_function_numbers(a: &str, b: &str) -> bool {
    let (Some((head_a, name)), Some((head_b, numbered))) = (a.rsplit_once(' '), b.rsplit_once(' '))
    else {
        return false;
    };
    let number = numbered
        .strip_prefix(name)
        .and_then(|n| n.strip_prefix('_'));
    head_a == head_b && number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
}
