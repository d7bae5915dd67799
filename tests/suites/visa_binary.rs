//! vISA binaries: containers beside their texts, records of single instructions, files that were cut short.
//!
//! Source: vISA binary reference and the corpus README.

use super::{Case, files, read};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use visim::internals::source::Source;
use visim::internals::syntax::ast::{Module, Statement};
use visim::internals::syntax::{ParseOptions, parse, print};
use visim::internals::visa_binary::{self, Version};

pub fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (stem, path) in files(folder, "visaasm") {
        for ending in ["isa", "36.isa"] {
            let isa = folder.join(format!("{stem}.{ending}"));
            if !isa.exists() {
                continue;
            }
            let text = path.clone();
            let name = format!("{stem}.{ending}");
            let (own, whole) = (isa.clone(), ending == "isa");
            cases.push(Case::new(&format!("read/{name}"), move || {
                reads(&own, &text)
            }));
            let text = path.clone();
            cases.push(Case::new(&format!("write/{name}"), move || {
                writes(&isa, &text, whole)
            }));
        }
    }
    let truncated = folder.join("truncated");
    if truncated.is_dir() {
        for (stem, path) in files(&truncated, "isa") {
            cases.push(Case::new(&format!("truncated/{stem}"), move || {
                refuses(&path)
            }));
        }
    }
    cases.extend(instructions(folder));
    cases
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn module(path: &Path) -> Result<Module, String> {
    let source = Source::new("text", read(path)?);
    let parsed = parse(&source, &ParseOptions::default());
    match parsed.diagnostics.is_empty() {
        true => Ok(parsed.module),
        false => Err(format!("{:?}", parsed.diagnostics)),
    }
}

/// The statements of the code as they are printed, what a narrow immediate has above its width left out.
fn code(module: &Module) -> Vec<String> {
    let lines = module.lines.iter();
    let coded = lines.filter(|line| {
        let statement = line.statement.as_ref().map(|s| &s.node);
        matches!(
            statement,
            Some(Statement::Instruction(_) | Statement::Label(_))
        )
    });
    coded
        .map(|line| {
            let mut line = line.clone();
            line.comment = None;
            let printed = print(&Module {
                lines: vec![line],
                ..Module::default()
            });
            plain(&printed)
        })
        .collect()
}

/// One space between words; immediates of 8 and 16 bits without what lies above.
fn plain(statement: &str) -> String {
    let narrow = |word: &str| -> Option<String> {
        let (value, ty) = word.split_once(':')?;
        let digits = value.strip_prefix("0x")?;
        let value = u64::from_str_radix(digits, 16).ok()?;
        let mask = match ty {
            "w" | "uw" | "hf" => 0xffff,
            "b" | "ub" => 0xff,
            _ => u64::MAX,
        };
        Some(format!("{:#x}:{ty}", value & mask))
    };
    let words = statement.split_whitespace();
    let words: Vec<String> = words
        .map(|word| narrow(word).unwrap_or_else(|| word.to_string()))
        .collect();
    words.join(" ").replace("[0]", "")
}

fn reads(isa: &Path, text: &Path) -> Result<(), String> {
    let found = visa_binary::read(&bytes(isa)?).map_err(|fault| fault.to_string())?;
    let (found, wanted) = (code(&found), code(&module(text)?));
    equal(&found, &wanted)
}

fn equal(found: &[String], wanted: &[String]) -> Result<(), String> {
    if let Some((found, wanted)) = found.iter().zip(wanted).find(|(a, b)| a != b) {
        return Err(format!("{found}\n  not {wanted}"));
    }
    match found.len() == wanted.len() {
        true => Ok(()),
        false => Err(format!("{} statements, not {}", found.len(), wanted.len())),
    }
}

/// Everything of a container but the order of its strings, as text.
fn tables(module: &Module) -> Vec<String> {
    let lines = module.lines.iter().filter_map(|line| {
        let statement = line.statement.as_ref()?;
        match statement.node {
            Statement::Version { .. } => None,
            _ => Some(line.clone()),
        }
    });
    lines
        .map(|line| {
            plain(&print(&Module {
                lines: vec![line],
                ..Module::default()
            }))
        })
        .collect()
}

fn writes(isa: &Path, text: &Path, whole: bool) -> Result<(), String> {
    let version = if whole { Version::V4_1 } else { Version::V3_6 };
    let written = visa_binary::write(&module(text)?, Some(version));
    let written = written.map_err(|refused| format!("{refused:?}"))?;
    let theirs = bytes(isa)?;
    let (ours, read) = (
        visa_binary::read(&written.bytes),
        visa_binary::read(&theirs),
    );
    let (ours, read) = match (ours, read) {
        (Ok(ours), Ok(read)) => (ours, read),
        (ours, read) => return Err(format!("{ours:?}, {read:?}")),
    };
    equal(&tables(&ours), &tables(&read))?;
    if !whole {
        return Ok(());
    }
    // The bytes of the instructions, one kernel after the other.
    let all: Vec<u8> = written
        .records
        .iter()
        .flat_map(|(_, fields)| fields)
        .filter(|field| field.name != "File_name")
        .flat_map(|field| field.bytes.clone())
        .collect();
    let named = written.records.iter().flat_map(|(_, fields)| fields);
    if named.into_iter().any(|field| field.name == "File_name") {
        return Ok(());
    }
    match contains_in_order(&theirs, &written.records, &all) {
        true => Ok(()),
        false => Err("the bytes of the instructions differ".to_string()),
    }
}

type Records = [(visim::internals::source::Span, Vec<visa_binary::Field>)];

/// Whether the records lie in the file one after the other, but for the upper bytes of narrow immediates.
fn contains_in_order(file: &[u8], records: &Records, all: &[u8]) -> bool {
    // With one kernel the code is one piece.
    if file.windows(all.len().max(1)).any(|window| window == all) {
        return true;
    }
    let mut at = 0;
    records.iter().all(|(_, fields)| {
        let bytes: Vec<u8> = fields
            .iter()
            .flat_map(|field| field.bytes.clone())
            .collect();
        let rest = &file[at..];
        match rest
            .windows(bytes.len())
            .position(|window| same(window, &bytes))
        {
            Some(found) => {
                at += found + bytes.len();
                true
            }
            None => false,
        }
    })
}

/// Bytes that differ at most where ours are the signs of a narrow immediate.
fn same(theirs: &[u8], ours: &[u8]) -> bool {
    let sign = |byte: u8| byte == 0 || byte == 0xff;
    let pairs = theirs.iter().zip(ours);
    pairs
        .into_iter()
        .all(|(a, b)| a == b || sign(*a) && sign(*b))
}

fn refuses(isa: &Path) -> Result<(), String> {
    match visa_binary::read(&bytes(isa)?) {
        Ok(_) => Err("read, although records are cut short".to_string()),
        Err(fault) if fault.what.contains("cut short") => Ok(()),
        Err(fault) => Err(fault.to_string()),
    }
}

/// `instructions.json`: a statement, its fields and its bytes.
fn instructions(folder: &Path) -> Vec<Case> {
    let path = folder.join("instructions.json");
    let Ok(text) = fs::read_to_string(&path) else {
        return Vec::new();
    };
    let all: Vec<Json> = match serde_json::from_str(&text) {
        Ok(all) => all,
        Err(error) => {
            let why = error.to_string();
            return vec![Case::new("instructions", move || Err(why.clone()))];
        }
    };
    let one = |json: Json| {
        let id = json["id"].as_str().unwrap_or_default().to_string();
        Case::new(&format!("instructions/{id}"), move || instruction(&json))
    };
    all.into_iter().map(one).collect()
}

/// A program that declares what a statement names, each name with its number.
fn declared(json: &Json) -> Result<Module, String> {
    let mut text = String::from(".version 4.1\n.kernel \"k\"\n");
    let mut labels = Vec::new();
    for (class, first) in [
        ("G", 32),
        ("A", 0),
        ("P", 1),
        ("S", 0),
        ("T", 6),
        ("label", 0),
    ] {
        let mut own: Vec<(u64, &str, &Json)> = json["declarations"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, facts)| facts["class"] == class)
            .filter_map(|(name, facts)| Some((facts["id"].as_u64()?, name.as_str(), facts)))
            .filter(|(id, ..)| *id >= first)
            .collect();
        own.sort_by_key(|(id, ..)| *id);
        let mut next = first;
        for (id, name, facts) in own {
            if (class, id) == ("S", 31) {
                continue;
            }
            for filler in next..id {
                match class {
                    "label" => labels.push((format!("fill_{filler}"), false)),
                    "G" => text += &format!(".decl fill_G{filler} v_type=G type=ud num_elts=1\n"),
                    class => {
                        text += &format!(".decl fill_{class}{filler} v_type={class} num_elts=1\n")
                    }
                }
            }
            next = id + 1;
            let elements = facts["num_elts"].as_u64().unwrap_or(1);
            match class {
                "label" => labels.push((name.to_string(), facts["kind"] == 1)),
                "G" => {
                    let ty = facts["type"].as_str().unwrap_or("ud");
                    text +=
                        &format!(".decl {name} v_type=G type={ty} num_elts={elements} align=GRF\n");
                }
                class => text += &format!(".decl {name} v_type={class} num_elts={elements}\n"),
            }
        }
    }
    let statement = json["statement"].as_str().unwrap_or_default();
    for (label, subroutine) in &labels {
        if *subroutine {
            text += &format!(".function \"{label}\"\n");
        }
        text += &format!("{label}:\n");
    }
    // Intel's canonical text quotes labels that are no plain words.
    let odd = |word: &str| {
        word.contains('-') && !word.contains(['(', '<', '"']) && labels.iter().any(|l| l.0 == word)
    };
    let words = statement.split(' ').map(|word| match odd(word) {
        true => format!("\"{word}\""),
        false => word.to_string(),
    });
    let statement = &words.collect::<Vec<_>>().join(" ");
    if !statement.ends_with(':') {
        text += &format!("    {statement}\n");
    }
    let parsed = parse(&Source::new("text", text.clone()), &ParseOptions::default());
    match parsed.diagnostics.is_empty() {
        true => Ok(parsed.module),
        false => Err(format!("{:?}\n{text}", parsed.diagnostics)),
    }
}

fn instruction(json: &Json) -> Result<(), String> {
    let word = |name: &str| json[name].as_str().unwrap_or_default().to_string();
    let wanted = word("statement");
    let program = declared(json)?;
    let wanted = plain(&wanted);
    let code: Vec<_> = program
        .lines
        .iter()
        .filter_map(|line| line.statement.as_ref())
        .collect();
    let statement = match wanted.ends_with(':') {
        true => code.iter().rev().find(
            |s| matches!(&s.node, Statement::Label(label) if format!("{}:", label.node) == wanted),
        ),
        false => code
            .iter()
            .find(|s| matches!(s.node, Statement::Instruction(_))),
    };
    let Some(statement) = statement else {
        return Err(format!("no statement in `{wanted}`"));
    };
    for (version, key) in [(Version::V4_1, "bytes"), (Version::V3_6, "bytes_3.6")] {
        let Some(bytes) = json[key].as_str() else {
            continue;
        };
        let fields = visa_binary::record_at(&program, statement.span, version);
        let fields = fields.ok_or("no record")??;
        let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        let own: String = fields.iter().map(|field| hex(&field.bytes)).collect();
        let digits = |text: &str| -> Vec<u8> {
            let pairs = text.as_bytes().chunks(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
            pairs.map(|pair| byte(pair).unwrap()).collect()
        };
        if wanted.starts_with("FILE") {
            // The number of a string is the pool's to choose.
            continue;
        }
        if own.len() != bytes.len() || !same(&digits(bytes), &digits(&own)) {
            return Err(format!("{key}: {own}\n  not {bytes}"));
        }
        if key == "bytes" {
            let known = visa_binary::names(&program);
            let (back, length) = visa_binary::decode(&digits(bytes), &known, version)
                .map_err(|fault| fault.to_string())?;
            let back = visim::internals::source::Spanned::new(back, statement.span);
            let line = visim::internals::syntax::ast::Line {
                statement: Some(back),
                comment: None,
            };
            let printed = plain(&print(&Module {
                lines: vec![line],
                ..Module::default()
            }));
            if printed.replace('"', "") != wanted || 2 * length != bytes.len() {
                return Err(format!("reads as {printed}\n  not {wanted}"));
            }
            let names: Vec<&str> = json["fields"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|field| field[0].as_str())
                .collect();
            let ours: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            // The suite counts the parameters of sampler messages; the pages' Format tables name them.
            let counted = |name: &str| {
                name.strip_prefix('P')
                    .is_some_and(|n| n.parse::<u32>().is_ok())
            };
            let same =
                |(theirs, own): (&&str, &&str)| theirs == own || counted(theirs) && !own.is_empty();
            if names.len() != ours.len() || !names.iter().zip(&ours).all(same) {
                return Err(format!("fields {ours:?}, not {names:?}"));
            }
        }
    }
    Ok(())
}
