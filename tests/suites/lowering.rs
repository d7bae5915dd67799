//! Messages as Intel's finalizer makes them: `<group>/<case>.<PLATFORM>.json` beside the text.
//!
//! What must agree: descriptors, lengths, header dwords, payload bytes, destination bytes. Bytes that
//! nothing in the program defines (`undef`, `stale:` on their side, undefined on ours) are not compared.
//!
//! Source: lowering reference 23 and the corpus README.

use super::{Case, NOT_MODELLED, read};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use visim::internals::check::{CheckOptions, check};
use visim::internals::diagnostic::{Class, Diagnostic, any_fatal, render_all};
use visim::internals::finalizer::{Release, json};
use visim::internals::isa::{ChannelMask, Platform};
use visim::internals::math::unit::{Control, Function};
use visim::internals::message::gen5::rules::lengths;
use visim::internals::message::{
    Access, Cache, DataPath, Decoded, DeinterlaceRequest, DualOword, FieldSelect, GatewayOp,
    MediaBlock, MessageForm, OwordBlock, PixelForm, PixelHeader, PixelWrite, Request, ReturnFormat,
    SamplerOp, SamplerRequest, Scale8x8Request, Scattered, decode, encode,
};
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};

/// Every JSON file of every group.
pub fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(verdicts(&folder.join("verdicts.json")));
    for group in folders(folder) {
        let name = group
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name == "gen5" {
            cases.extend(gen5_vectors(&group.join("vectors.json")));
            continue;
        }
        for (stem, path) in super::files(&group, "json") {
            let case = format!("{name}/{stem}");
            cases.push(Case::new(&case, move || run_case(&path)));
        }
    }
    cases
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut folders: Vec<_> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Every JSON file of every group, of the compilers of 2024 and 2026.
pub fn cases_of_2026(folder: &Path) -> Vec<Case> {
    let groups = folders(folder).into_iter().flat_map(|group| {
        let name = group.file_name().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        let case = |(stem, path): (String, PathBuf)| {
            Case::new(&format!("{name}/{stem}"), move || run_case_of_2026(&path))
        };
        let files = super::files(&group, "json").into_iter();
        files.map(case).collect::<Vec<_>>()
    });
    groups.collect()
}

/// What made the messages of a platform. Source: the README of the corpus.
fn release_of_2026(platform: &str) -> Release {
    match platform {
        "DG2" | "PVC" | "PVCXT" | "MTL" | "XE2" => Release::R1_0_17791,
        _ => Release::R2_40,
    }
}

/// As [`run_case`], of the compilers of 2024 and 2026.
pub fn run_case_of_2026(path: &Path) -> Result<(), String> {
    let expected: Json = serde_json::from_str(&read(path)?).map_err(|e| e.to_string())?;
    let platform = expected["platform"].as_str().unwrap_or_default();
    compared(path, &expected, release_of_2026(platform))
}

/// Lowers the text beside a JSON file and compares.
pub fn run_case(path: &Path) -> Result<(), String> {
    let expected: Json = serde_json::from_str(&read(path)?).map_err(|e| e.to_string())?;
    compared(path, &expected, Release::R1_0_12504)
}

fn compared(path: &Path, expected: &Json, release: Release) -> Result<(), String> {
    let platform = expected["platform"]
        .as_str()
        .and_then(Platform::from_name)
        .ok_or("no such platform")?;
    let file = expected["file"].as_str().ok_or("no file")?;
    let source = if file.ends_with(".isa") {
        Source::new(file, binary_twin(file).ok_or("no text for this binary")?)
    } else {
        // Of a program in OpenCL C the text is that of the case.
        let text = match file.ends_with(".visaasm") {
            true => path.with_file_name(file),
            false => {
                let stem = path.with_extension("").with_extension("visaasm");
                stem.file_name()
                    .map_or(stem.clone(), |name| path.with_file_name(name))
            }
        };
        Source::new(file, read(&text)?)
    };
    let (actual, _) = lower(&source, platform, release)?;
    let mut differences = Vec::new();
    match !file.contains('.') {
        true => compare_scheduled(expected, &actual, &mut differences),
        false => compare(expected, &actual, &mut differences),
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences.join("\n"))
    }
}

/// Text to the schema of the corpus, with the remarks made on the way.
fn lower(
    source: &Source,
    platform: Platform,
    release: Release,
) -> Result<(Json, Vec<Diagnostic>), String> {
    let options = ParseOptions {
        grf_bytes: platform.grf_bytes(),
    };
    let parsed = parse(source, &options);
    let (checked, more) = check(
        &parsed.module,
        &CheckOptions {
            platform,
            finalizer: true,
            allow_removed: true,
        },
    );
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(more);
    let unit = checked.units.first().ok_or("no kernel")?;
    let (actual, said) = json::unit(unit, source, platform, release);
    diagnostics.extend(said);
    if any_fatal(&diagnostics) {
        diagnostics.retain(|d| d.class().is_fatal());
        let why = render_all(&diagnostics, source, false);
        let unmodelled = diagnostics.iter().all(|d| d.class() == Class::Unsupported);
        return Err(match unmodelled {
            true => format!("{NOT_MODELLED}{why}"),
            false => why,
        });
    }
    Ok((actual, diagnostics))
}

/// The text of a case that the finalizer could read only in its binary form: AVS with blocks of 8x4
/// and 4x4. Their surfaces and samplers are set by nothing.
fn binary_twin(file: &str) -> Option<String> {
    let mut words = file.trim_end_matches("_bin.isa").split('_').skip(1);
    let (channels, control, mode) = (words.next()?, words.next()?, words.next()?);
    let control = match control {
        "16full" => "AVS_16_FULL",
        "16ds" => "AVS_16_DOWN_SAMPLE",
        "8full" => "AVS_8_FULL",
        "8ds" => "AVS_8_DOWN_SAMPLE",
        _ => return None,
    };
    Some(format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl V40 v_type=G type=uw num_elts=512 align=GRF\n\
         .decl A0 v_type=G type=f num_elts=16 align=GRF\n\
         .decl T6 v_type=T num_elts=1\n.decl S16 v_type=S num_elts=1\n\
         .input A0 offset=64 size=64\n\
         avs.{channels} T6 S16 A0(0,0)<0;1,0> A0(0,1)<0;1,0> A0(0,2)<0;1,0> A0(0,3)<0;1,0> \
         A0(0,4)<0;1,0> 0x0:ud 0x0:ud {control} A0(0,5)<0;1,0> AVS_{mode} 0x0:ub V40.0\n"
    ))
}

/// Fields that must be equal, byte for byte.
const EQUAL: &[&str] = &[
    "mnemonic",
    "exec_size",
    "mask_offset",
    "no_mask",
    "predicate",
    "sfid",
    "sfid_num",
    "desc",
    "desc_expr",
    "desc_fixed_bits",
    "ex_desc",
    "ex_desc_expr",
    "message_length",
    "ex_message_length",
    "response_length",
    "header_present",
    "eot",
    "lsc",
    "dst",
    "options",
];

pub fn compare(expected: &Json, actual: &Json, differences: &mut Vec<String>) {
    let binary = expected["file"]
        .as_str()
        .is_some_and(|f| f.ends_with(".isa"));
    let eot = |i: &&Json| {
        let sends = i["sends"].as_array();
        sends.is_some_and(|s| !s.is_empty() && s.iter().all(|s| s["eot"] == true))
    };
    let empty = Vec::new();
    let wanted = expected["instructions"].as_array().unwrap_or(&empty);
    let got: Vec<&Json> = actual["instructions"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        // The end of thread is in the corpus only where a case is about it.
        .filter(|i| wanted.iter().any(|w| eot(&w)) || !eot(i))
        .collect();
    let sends = |i: &&Json| i["sends"].as_array().is_some_and(|s| !s.is_empty());
    natives(wanted, &got, differences);
    let got: Vec<&Json> = got.into_iter().filter(sends).collect();
    let wanted: Vec<&Json> = wanted.iter().filter(sends).collect();
    if wanted.len() != got.len() {
        differences.push(format!(
            "{} instructions with sends, not {}",
            got.len(),
            wanted.len()
        ));
        return;
    }
    for (wanted, got) in wanted.into_iter().zip(got) {
        let before = differences.len();
        if !binary {
            equal("visa_index", wanted, got, differences);
        }
        let (theirs, ours) = (&wanted["sends"], &got["sends"]);
        let (theirs, ours) = (
            theirs.as_array().unwrap_or(&empty),
            ours.as_array().unwrap_or(&empty),
        );
        if theirs.len() != ours.len() {
            differences.push(format!("{} sends, not {}", ours.len(), theirs.len()));
        }
        for (a, b) in theirs.iter().zip(ours) {
            send(a, b, binary, differences);
        }
        if let Some(writes) = wanted["writes"].as_object() {
            let named = |variable: &str| {
                let dst = |send: &Json| {
                    send["dst"]
                        .as_str()
                        .map(|dst| dst.starts_with(&format!("{variable}+")))
                };
                theirs
                    .iter()
                    .any(|send| dst(send).is_none_or(|named| named))
            };
            for (variable, runs) in writes {
                let ours = &got["writes"][variable];
                // An input that has been read may share its registers with the result.
                if ours.is_null() && !named(variable) {
                    continue;
                }
                if !same_writes(runs, ours) {
                    differences.push(format!("writes {variable}: {ours}, not {runs}"));
                }
            }
            for variable in got["writes"].as_object().into_iter().flatten().map(|w| w.0) {
                let printed = |send: &Json| !send["response_length"].is_null();
                if !writes.contains_key(variable) && theirs.iter().all(printed) {
                    differences.push(format!("writes {variable}: {}", got["writes"][variable]));
                }
            }
        }
        if differences.len() > before {
            differences.insert(before, format!("{}:", wanted["visa"]));
        }
    }
}

/// What must agree of whole kernels, which are scheduled, and whose registers other instructions have filled: the
/// messages of each instruction themselves.
fn compare_scheduled(expected: &Json, actual: &Json, differences: &mut Vec<String>) {
    const FIELDS: &[&str] = &[
        "mnemonic",
        "exec_size",
        "sfid",
        "desc",
        "message_length",
        "ex_message_length",
        "response_length",
        "header_present",
    ];
    let messages = |json: &Json| -> Vec<(u64, Vec<Json>)> {
        let all = json["instructions"].as_array().cloned().unwrap_or_default();
        let of = |i: &Json| {
            let sends = i["sends"].as_array().cloned().unwrap_or_default();
            let sends = sends.into_iter().filter(|send| send["eot"] != true);
            (
                i["visa_index"].as_u64().unwrap_or_default(),
                sends.collect(),
            )
        };
        let mut all: Vec<(u64, Vec<Json>)> = all.iter().map(of).collect();
        all.retain(|(_, sends)| !sends.is_empty());
        all.sort_by_key(|(index, _)| *index);
        all
    };
    let (wanted, got) = (messages(expected), messages(actual));
    let numbers = |all: &[(u64, Vec<Json>)]| -> Vec<(u64, usize)> {
        all.iter()
            .map(|(index, sends)| (*index, sends.len()))
            .collect()
    };
    if numbers(&wanted) != numbers(&got) {
        let (ours, theirs) = (numbers(&got), numbers(&wanted));
        differences.push(format!("messages of instructions {ours:?}, not {theirs:?}"));
        return;
    }
    for ((index, theirs), (_, ours)) in wanted.iter().zip(&got) {
        for (a, b) in theirs.iter().zip(ours) {
            let before = differences.len();
            // Whether registers had to be listed depends on which the compiler gave out.
            let (a, b) = match a["gather"] == b["gather"] {
                true => (a.clone(), b.clone()),
                false => (listed(a), listed(b)),
            };
            for field in FIELDS {
                if a["indirect"].is_array() && a[*field].is_null() {
                    continue;
                }
                equal(field, &a, &b, differences);
            }
            if differences.len() > before {
                differences.insert(before, format!("instruction {index}:"));
            }
        }
    }
}

/// A message with both payloads in one list of registers.
fn listed(send: &Json) -> Json {
    let number = |field: &str| send[field].as_u64().unwrap_or_default();
    let length = number("message_length") + number("ex_message_length");
    let desc = send["desc"]
        .as_str()
        .and_then(|d| u64::from_str_radix(d.trim_start_matches("0x"), 16).ok());
    let mut send = send.clone();
    send["desc"] = desc.map_or(Json::Null, |d| (d & !(0xf << 25) | length << 25).into());
    send["message_length"] = length.into();
    send["ex_message_length"] = 0.into();
    send
}

/// Extended math: what the listing has of `math.inv (16|M0)` and the like, ours has as well. The
/// listing may count the first part of a split instruction to the one before.
fn natives(wanted: &[Json], got: &[&Json], differences: &mut Vec<String>) {
    let lines = |i: &Json| -> Vec<String> {
        let list = i["native"].as_array().cloned().unwrap_or_default();
        list.iter()
            .filter_map(|v| v.as_str().map(str::to_string))
            .collect()
    };
    for i in wanted {
        let ours: Vec<String> = got
            .iter()
            .filter(|g| g["visa_index"] == i["visa_index"])
            .flat_map(|g| lines(g))
            .collect();
        for line in lines(i).iter().filter(|l| l.contains("math.")) {
            let head = &line[..line.find(')').map_or(line.len(), |at| at + 1)];
            let sat = line.contains("(sat)");
            let has = |o: &String| o.starts_with(head) && o.contains("(sat)") == sat;
            if !ours.iter().any(has) {
                differences.push(format!("{}: no {head} among {ours:?}", i["visa"]));
            }
        }
    }
}

/// Runs of one register file byte for byte; the oracle cuts them where it likes.
fn same_writes(a: &Json, b: &Json) -> bool {
    a == b || a.as_array().is_none_or(Vec::is_empty) && b.is_null()
}

fn equal(field: &str, wanted: &Json, got: &Json, differences: &mut Vec<String>) {
    if wanted[field] != got[field] {
        differences.push(format!("  {field}: {}, not {}", got[field], wanted[field]));
    }
}

fn send(wanted: &Json, got: &Json, binary: bool, differences: &mut Vec<String>) {
    for field in EQUAL {
        // Names of registers: a value known all the same, a state variable nothing sets.
        let named = matches!(*field, "desc_expr" | "ex_desc_expr");
        let known = !wanted[field.trim_end_matches("_expr")].is_null();
        if named && (known || binary) {
            continue;
        }
        // A binary form names no variable.
        if *field == "dst" && binary {
            continue;
        }
        // A random program's results are called R; one may lie where an input was that has been read.
        let of_input = |dst: &str| dst.contains('+') && !dst.starts_with('R');
        let random = wanted["random"] == true;
        if random && *field == "dst" && wanted["dst"].as_str().is_some_and(of_input) {
            continue;
        }
        // What comes back from a 2D block is not printed where a descriptor has 47 bits.
        let length = [
            "message_length",
            "ex_message_length",
            "desc",
            "desc_fixed_bits",
        ];
        if length.contains(field) && by_chance(wanted, got) {
            continue;
        }
        let unprinted = wanted["indirect"].is_array() && wanted["response_length"].is_null();
        if unprinted && matches!(*field, "response_length" | "dst") {
            continue;
        }
        equal(field, wanted, got, differences);
    }
    let gathers = |json: &Json| json["gather"] == true;
    let lengths = |json: &Json| {
        (
            json["message_length"].clone(),
            json["ex_message_length"].clone(),
        )
    };
    let lists = gathers(wanted) != gathers(got) && lengths(wanted) != lengths(got);
    if lists && !by_chance(wanted, got) {
        let (theirs, ours) = (gathers(wanted), gathers(got));
        differences.push(format!("  gather: {ours}, not {theirs}"));
    }
    if wanted["indirect"].is_array() {
        equal("indirect", wanted, got, differences);
    }
    let empty = Vec::new();
    let list = |json: &Json, field: &str| -> Vec<String> {
        let list = json[field].as_array().unwrap_or(&empty).iter();
        list.map(|v| v.as_str().unwrap_or_default().to_string())
            .collect()
    };
    let (theirs, ours) = (list(wanted, "header"), list(got, "header"));
    if theirs.len() != ours.len() {
        differences.push(format!(
            "  header: {} dwords, not {}",
            ours.len(),
            theirs.len()
        ));
    }
    for (dw, (a, b)) in theirs.iter().zip(&ours).enumerate() {
        if a != b && a != "undef" && !a.starts_with("stale:") && b != "undef" {
            differences.push(format!("  M0.{dw}: {b}, not {a}"));
        }
    }
    if wanted["message_length"].is_null() {
        return;
    }
    let (theirs, ours) = (list(wanted, "payload"), list(got, "payload"));
    if theirs.len() != ours.len() {
        differences.push(format!("  payload: {ours:?}, not {theirs:?}"));
        return;
    }
    for (register, (a, b)) in theirs.iter().zip(&ours).enumerate() {
        let (mut x, mut y) = (bytes(a), bytes(b));
        if by_chance(wanted, got) {
            // The first word is the part of the payload.
            (x[0], y[0]) = (String::new(), String::new());
        }
        let agree = x.len() == y.len()
            && x.iter()
                .zip(&y)
                .all(|(a, b)| a == b || a == "?" || b == "?");
        if !agree {
            differences.push(format!("  payload register {register}: {b}, not {a}"));
        }
    }
}

/// Whether one side of a random program lists the registers of a payload and the other has them side by side, as the
/// compiler gave them out; both have as many.
fn by_chance(wanted: &Json, got: &Json) -> bool {
    let lengths = ["message_length", "ex_message_length"];
    let all = |json: &Json| lengths.iter().filter_map(|l| json[l].as_u64()).sum::<u64>();
    // Up to Xe3 the descriptor has the first length.
    let rest = |json: &Json| {
        let desc = json["desc"].as_str()?.strip_prefix("0x")?;
        let bits = u64::from_str_radix(desc, 16).ok()?;
        let wide = desc.len() > 8;
        Some(if wide { bits } else { bits & !(0xf << 25) })
    };
    let lists = wanted["gather"] != got["gather"];
    wanted["random"] == true && lists && all(wanted) == all(got) && rest(wanted) == rest(got)
}

/// A payload register, one word for each byte: `src0: A0[0..3] | 0x1 | undef*24B` …; `?` if undefined.
fn bytes(register: &str) -> Vec<String> {
    let (part, pieces) = register.split_once(": ").unwrap_or(("", register));
    let mut bytes = vec![part.to_string()];
    for piece in pieces.split(" | ") {
        expand(piece, &mut bytes);
    }
    bytes
}

/// `sel(f0.0,X,Y)`: the X of enabled lanes.
fn enabled(piece: &str) -> Option<String> {
    let inner = piece.strip_prefix("sel(")?;
    let (_, inner) = inner.split_once(',')?;
    let mut depth = 0;
    let end = inner.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })?;
    let size = piece.rsplit_once("):").map_or("", |(_, size)| size);
    let size = if size.ends_with('B') { size } else { "" };
    let mark = if size.is_empty() { "" } else { ":" };
    Some(format!("{}{mark}{size}", &inner[..end]))
}

fn expand(piece: &str, bytes: &mut Vec<String>) {
    if let Some(stale) = piece.strip_prefix("stale:") {
        let mut inner = Vec::new();
        expand(stale, &mut inner);
        bytes.extend(inner.iter().map(|_| "?".to_string()));
        return;
    }
    if let Some(count) = piece
        .strip_prefix("undef*")
        .and_then(|n| n.strip_suffix('B'))
    {
        bytes.extend((0..count.parse().unwrap_or(0)).map(|_| "?".to_string()));
        return;
    }
    if let Some(chosen) = enabled(piece) {
        // Lanes that a predicate switches off keep what lay there: only the others are compared.
        return expand(&chosen, bytes);
    }
    if piece.starts_with("0x") {
        let (constant, times) = piece.split_once('*').unwrap_or((piece, "1"));
        let (number, size) = match constant.split_once(':') {
            Some((n, "uw")) => (n, 2),
            Some((n, _)) => (n, 1),
            None => (constant, 4),
        };
        let value = u32::from_str_radix(&number[2..], 16).unwrap_or(0);
        for _ in 0..times.parse().unwrap_or(0) {
            bytes.extend((0..size).map(|i| format!("#{:02x}", value >> (8 * i) & 0xff)));
        }
        return;
    }
    let range = piece.rfind('[').and_then(|open| {
        let close = open + piece[open..].find(']')?;
        let (from, to) = piece[open + 1..close].split_once("..")?;
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        Some((&piece[..open], from, to, &piece[close + 1..]))
    });
    if let Some((name, from, to, "")) = range {
        bytes.extend((from..=to).map(|at| format!("{name}@{at}")));
        return;
    }
    // A computed element, or one for each lane: `add(A0[0..31],0x10)`, `add(Q0[0..31]:uq,1):8B`.
    let (text, size) = match piece.rsplit_once(':') {
        Some((text, size)) if size.ends_with('B') => (
            text.to_string(),
            size.trim_end_matches('B').parse().unwrap_or(4),
        ),
        _ => (piece.to_string(), 4),
    };
    match range {
        Some((head, from, to, tail)) => {
            let tail = if text.len() < piece.len() {
                &tail[..tail.len() - 3]
            } else {
                tail
            };
            for at in (from..=to).step_by(size) {
                bytes.extend((0..size).map(|i| format!("{head}+{at}{tail}@{i}")));
            }
        }
        None => bytes.extend((0..size).map(|i| format!("{text}@{i}"))),
    }
}

/// Single statements, and whether the finalizer takes them: `visim lower` takes the same.
fn verdicts(path: &Path) -> Vec<Case> {
    let Ok(text) = read(path) else {
        return Vec::new();
    };
    let verdicts: Vec<Json> = match serde_json::from_str(&text) {
        Ok(verdicts) => verdicts,
        Err(why) => return vec![Case::new("verdicts", move || Err(why.to_string()))],
    };
    let word = |v: &Json, field: &str| v[field].as_str().map(str::to_string);
    verdicts
        .into_iter()
        .enumerate()
        .map(|(i, v)| {
            let types = [word(&v, "dst_type"), word(&v, "src_type")].map(|t| t.unwrap_or_default());
            let statement = word(&v, "statement").unwrap_or_else(|| format!("{i}"));
            let name = format!("verdicts/{} {}", types.join(" ").trim(), statement.trim());
            Case::new(&name, move || verdict(&v, &statement, &types))
        })
        .collect()
}

/// V40 has the destination's type, A0..A6 the sources'; T6 is surface 5, S7 sampler 3.
fn verdict(v: &Json, statement: &str, types: &[String; 2]) -> Result<(), String> {
    let [to, from] = types;
    let from = if from.is_empty() { "ud" } else { from };
    let mut text = format!(
        ".version 4.1\n.kernel \"k\"\n.decl V40 v_type=G type={to} num_elts=512 align=GRF\n"
    );
    for i in 0..7 {
        text += &format!(".decl A{i} v_type=G type={from} num_elts=64 align=GRF\n");
    }
    text += ".decl T6 v_type=T num_elts=1\n.decl S7 v_type=S num_elts=1\n\
             movs (M1_NM, 1) T6(0) 0x5:ud\nmovs (M1_NM, 1) S7(0) 0x3:ud\n";
    let source = Source::new("k.visaasm", format!("{text}{statement}\nret (M1, 1)\n"));
    let accepted = v["accepted"] == true;
    match lower(&source, Platform::Skl, Release::R1_0_12504) {
        Ok(_) if !accepted => Err("taken, where the finalizer refuses".into()),
        Err(why) if accepted => Err(format!("refused, where the finalizer does not:\n{why}")),
        Ok((_, said)) if v["diagnosed"] == true && said.is_empty() => {
            Err("taken without a word, where the finalizer complains".into())
        }
        _ => Ok(()),
    }
}

/// The worked messages of Ironlake: questions to bits, bits to questions.
fn gen5_vectors(path: &Path) -> Vec<Case> {
    let Ok(text) = read(path) else {
        return Vec::new();
    };
    let vectors: Vec<Json> = serde_json::from_str(&text).unwrap_or_default();
    vectors
        .into_iter()
        .map(|v| {
            let name = format!("gen5/{}", v["name"].as_str().unwrap_or("?"));
            Case::new(&name, move || gen5_vector(&v))
        })
        .collect()
}

fn hex(json: &Json) -> Option<u32> {
    u32::from_str_radix(json.as_str()?.trim_start_matches("0x"), 16).ok()
}

fn gen5_vector(v: &Json) -> Result<(), String> {
    let number = |field: &str| v[field].as_u64().unwrap_or(0) as u32;
    let (desc, ex_desc) = (
        hex(&v["desc"]).ok_or("no desc")?,
        hex(&v["ex_desc"]).ok_or("no ex_desc")?,
    );
    let form = MessageForm {
        header: v["header_present"] == true,
        first: number("message_length"),
        second: 0,
        response: number("response_length"),
    };
    let request = gen5_request(v).ok_or("no such message")?;
    let message = encode(&request, &form, Platform::Ilk).map_err(|e| e.to_string())?;
    if (message.desc, message.ex_desc) != (desc, ex_desc) {
        return Err(format!(
            "{request:?}: {:#010x} {:#x}, not {desc:#010x} {ex_desc:#x}",
            message.desc, message.ex_desc
        ));
    }
    for dw in 0..3 {
        let wanted = hex(&v["header"][format!("M0.{dw}")]);
        if wanted.is_some_and(|w| w != message.header[dw]) {
            return Err(format!(
                "M0.{dw}: {:#x}, not {wanted:x?}",
                message.header[dw]
            ));
        }
    }
    // A header says how much of a payload there is; the vectors leave out what the gateway answers.
    let counted = lengths(&request, &form, Platform::Ilk);
    if v["message"] != "sampleinfo" && counted != (form.first, form.response) {
        return Err(format!("{request:?}: lengths {counted:?}"));
    }
    let again = decode(&message, Platform::Ilk).map_err(|e| e.to_string())?;
    if again != (Decoded { request, form }) {
        return Err(format!("{request:?} came back as {again:?}"));
    }
    Ok(())
}

fn gen5_request(v: &Json) -> Option<Request> {
    let p = &v["params"];
    let number = |field: &str| p[field].as_u64().unwrap_or(0) as u32;
    let on = |field: &str| p[field] == true;
    let cache = match p["cache"].as_str() {
        Some("data") => Cache::Data,
        Some("sampler") => Cache::Sampler,
        Some("sampler_field") => Cache::SamplerField,
        _ => Cache::Render,
    };
    let path = DataPath {
        cache,
        base: 0,
        commit: on("commit"),
    };
    let channels = p["channels"].as_str().map_or(ChannelMask::RGBA, |letters| {
        let bit = |letter: char| 1 << "RGBA".find(letter).unwrap_or(0);
        ChannelMask(letters.chars().fold(0, |mask, l| mask | bit(l)))
    });
    let block = MediaBlock {
        surface: number("binding"),
        field: match p["field"].as_str() {
            Some("top") => FieldSelect::Top,
            Some("bottom") => FieldSelect::Bottom,
            _ => FieldSelect::State,
        },
        x: p["x"].as_i64().unwrap_or(0) as i32,
        y: p["y"].as_i64().unwrap_or(0) as i32,
        width: number("width"),
        height: number("height"),
        path,
    };
    let oword = |access| {
        let (owords, high) = match p["owords"].as_str()? {
            "1 low" => (1, false),
            "1 high" => (1, true),
            n => (n.parse().ok()?, false),
        };
        Some(Request::Oword(OwordBlock {
            surface: number("binding"),
            access,
            owords,
            high,
            unaligned: false,
            offset: 0,
            path,
        }))
    };
    let dual = |access| {
        Request::DualOword(DualOword {
            surface: number("binding"),
            access,
            owords: number("owords"),
            offset: 0,
            path,
        })
    };
    let scattered = |access| {
        Request::DwordScattered(Scattered {
            surface: number("binding"),
            access,
            element_bytes: 4,
            lanes: number("lanes"),
            global: Some(0),
            path,
        })
    };
    let (surface, sampler) = (number("binding"), number("sampler"));
    let gateway = |op| Request::Gateway { op, eot: false };
    let message = v["message"].as_str()?;
    Some(match message {
        "media block read" => Request::MediaRead(block),
        "media block write" => Request::MediaWrite(block),
        "OWord block read" => return oword(Access::Read),
        "OWord block write" => return oword(Access::Write),
        "OWord dual block read" => dual(Access::Read),
        "OWord dual block write" => dual(Access::Write),
        "DWord scattered read" => scattered(Access::Read),
        "DWord scattered write" => scattered(Access::Write),
        "sample_8x8 (media payload layout)" => Request::Scale8x8(Scale8x8Request {
            surface,
            sampler,
            channels,
            u: 0.0,
            v: 0.0,
            delta_u: 0.0,
            delta_v: 0.0,
            u2d: 0.0,
        }),
        "deinterlace" => Request::Deinterlace(DeinterlaceRequest {
            surface,
            sampler,
            x: 0,
            y: 0,
        }),
        "render target write" => Request::Pixels(PixelWrite {
            surface,
            form: *PixelForm::ALL.get(number("type") as usize)?,
            last: on("last"),
            commit: false,
            header: PixelHeader {
                source_depth: on("source_depth"),
                destination_depth: on("dest_depth"),
                stencil: on("stencil_or_aa"),
                ..PixelHeader::default()
            },
            eot: v["name"].as_str().is_some_and(|n| n.ends_with("_eot")),
        }),
        "gateway open" => gateway(GatewayOp::Open),
        "gateway close" => gateway(GatewayOp::Close),
        "gateway forward" => gateway(GatewayOp::Forward),
        "end of thread (root)" | "eot root" | "eot" | "end of thread" => Request::EndOfThread,
        "end of thread (child)" | "eot child" => Request::EndOfChild,
        "flush render cache" => Request::FlushRender { commit: false },
        "flush render cache with write commit" => Request::FlushRender { commit: true },
        _ if message.starts_with("math ") => Request::Math(Control {
            function: match &message[5..] {
                "inv" => Function::Inv,
                "log" => Function::Log,
                "exp" => Function::Exp,
                "sqrt" => Function::Sqrt,
                "rsqrt" => Function::Rsqrt,
                "sin" => Function::Sin,
                "cos" => Function::Cos,
                "sincos" => Function::SinCos,
                "pow" => Function::Pow,
                "idiv_both" => Function::IntDivBoth,
                "idiv_quot" => Function::Quotient,
                "idiv_rem" => Function::Remainder,
                _ => return None,
            },
            signed: on("signed"),
            partial: on("partial"),
            saturate: on("saturate"),
            scalar: on("scalar"),
        }),
        op => Request::Sampler(SamplerRequest {
            op: match op {
                "load4" => SamplerOp::Gather4,
                "LOD" => SamplerOp::Lod,
                op => SamplerOp::ALL.iter().find(|(_, name)| *name == op)?.0,
            },
            surface: number("binding"),
            sampler: number("sampler"),
            channels: if op == "load4" {
                ChannelMask::R
            } else {
                channels
            },
            lanes: number("lanes"),
            offsets: [0; 3],
            coarse: false,
            pixel_null_mask: false,
            params16: false,
            returns: ReturnFormat::Bits32,
            params: p["parameters"].as_array()?.len() as u32,
        }),
    })
}
