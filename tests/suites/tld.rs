//! TLD: whole fetches, lines with their words and fields, lines to refuse.
//!
//! Keys of a case: TLD reference 7.

use super::{Case, files, read};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use visim::internals::diagnostic::Code;
use visim::internals::tld::{
    AddressSpace, End, Handle, Header, HeaderPool, Lod, Phase, Pred, Reg, Residency, Strictness,
    Textures, Thread, Tld, fetch, header, packing, parse_one, rules, word,
};

/// Every case of the folder: one for each `tld-NNN.json`, one for each line of the two lists.
pub fn cases(folder: &Path) -> Vec<Case> {
    let mut all: Vec<Case> = files(folder, "json")
        .into_iter()
        .map(|(name, path)| Case::new(&name, move || run_case(&json(&read(&path)?)?)))
        .collect();
    for (file, path) in files(folder, "jsonl") {
        let run = match file.as_str() {
            "parse" => run_triple,
            "refuse" => run_refusal,
            _ => continue,
        };
        let text = read(&path).unwrap_or_else(|e| panic!("{e}"));
        for (number, line) in text.lines().filter(|l| !l.trim().is_empty()).enumerate() {
            let line = line.to_owned();
            let name = format!("{file}-{:03}", number + 1);
            all.push(Case::new(&name, move || run(&json(&line)?)));
        }
    }
    all
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or(format!("{value} is not a string"))
}

fn hex(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16).map_err(|e| format!("{text}: {e}"))
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let pair = |i: usize| text.get(i..i + 2).ok_or("odd number of digits".to_owned());
    (0..text.len())
        .step_by(2)
        .map(|i| Ok(hex(pair(i)?)? as u8))
        .collect()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: {found:x?}, not {expected:x?}"))
}

/// A line, its word, its fields: reading, printing, encoding and decoding agree about them.
fn run_triple(case: &Value) -> Result<(), String> {
    let line = text(&case["text"])?;
    let encoding = hex(text(&case["encoding"])?)?;
    let tld = parse_one(line, Strictness::Lenient).map_err(|d| format!("refused: {d:?}"))?;
    same("print", &format!("{tld} ;"), &line.to_owned())?;
    same("encode", &word::encode(&tld), &encoding)?;
    let plain = Tld {
        phase: Phase::None,
        ..tld
    };
    same("decode", &word::decode(encoding), &Some(plain))?;
    same("fields", &fields(&tld), &case["fields"])
}

/// The instruction as the corpus spells its fields.
fn fields(tld: &Tld) -> Value {
    let names = |params: Vec<packing::Param>| params.iter().map(|p| p.name()).collect::<Vec<_>>();
    serde_json::json!({
        "guard": tld.guard.pred.number(),
        "guard_neg": tld.guard.negated,
        "bindless": tld.handle == Handle::Bindless,
        "ll": tld.lod == Lod::Given,
        "aoffi": tld.aoffi,
        "ms": tld.ms,
        "cl": tld.cl,
        "nodep": tld.nodep,
        "phase": match tld.phase {
            Phase::None => "",
            Phase::T => "T",
            Phase::P => "P",
            Phase::Invalid => "INVALID",
        },
        "ps": tld.ps.number(),
        "rd": tld.rd.0,
        "ra": tld.ra.0,
        "rb": tld.rb.0,
        "index": tld.handle.index(),
        "dim": tld.dim.name(),
        "mask": tld.mask,
        "ra_params": names(packing::ra(tld.dim).to_vec()),
        "rb_params": names(packing::rb(tld).collect()),
    })
}

/// A line that must not read, with a place to fix.
fn run_refusal(case: &Value) -> Result<(), String> {
    match parse_one(text(&case["text"])?, Strictness::Lenient) {
        Ok(tld) => Err(format!("accepted as `{tld}`, though {}", case["why"])),
        Err(found) if found.iter().any(|d| d.span().is_some()) => Ok(()),
        Err(found) => Err(format!("refused without a place: {found:?}")),
    }
}

/// The memory of a case: explicit bytes over a fill, with sparse ranges.
struct Filled {
    seed: u32,
    bytes: BTreeMap<u64, u8>,
    sparse: Vec<(u64, u64)>,
}

/// `mix(x)` of TLD reference 7.
fn mix(x: u32) -> u32 {
    let mut x = x;
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

impl AddressSpace for Filled {
    fn read(&self, address: u64, out: &mut [u8]) -> Residency {
        let end = address + out.len() as u64;
        if self
            .sparse
            .iter()
            .any(|&(from, to)| address < to && from < end)
        {
            return Residency::Sparse;
        }
        for (byte, at) in out.iter_mut().zip(address..) {
            let word = mix(((at / 4) as u32).wrapping_add(self.seed)).to_le_bytes();
            *byte = self
                .bytes
                .get(&at)
                .copied()
                .unwrap_or(word[at as usize % 4]);
        }
        Residency::Mapped
    }
}

fn memory(state: &Value) -> Result<Filled, String> {
    let memory = &state["memory"];
    if memory["fill"]["kind"] != "mix32" {
        return Err(format!("fill {}", memory["fill"]));
    }
    let mut filled = Filled {
        seed: memory["fill"]["seed"].as_u64().ok_or("no seed")? as u32,
        bytes: BTreeMap::new(),
        sparse: Vec::new(),
    };
    for run in list(&memory["bytes"]) {
        let at = hex(text(&run["at"])?)?;
        filled.bytes.extend((at..).zip(bytes(text(&run["hex"])?)?));
    }
    for range in list(&memory["unmapped_sparse"]) {
        filled
            .sparse
            .push((hex(text(&range[0])?)?, hex(text(&range[1])?)?));
    }
    Ok(filled)
}

fn register(name: &str) -> Result<Reg, String> {
    let number = name.strip_prefix('R').and_then(|n| n.parse().ok());
    number.map(Reg).ok_or(format!("register {name}"))
}

fn predicate(name: &str) -> Result<Pred, String> {
    let number = name.strip_prefix('P').and_then(|n| n.parse().ok());
    number.map(Pred::new).ok_or(format!("predicate {name}"))
}

/// The instruction of a case; `None` if it was refused as the case expects.
fn instruction(case: &Value) -> Result<Option<Tld>, String> {
    let strictness = match case["strict"].as_bool() {
        Some(true) => Strictness::Strict,
        _ => Strictness::Lenient,
    };
    let encoding = hex(text(&case["encoding"])?)?;
    let read = parse_one(text(&case["text"])?, strictness);
    match (read, case["expect"]["refused"].as_str()) {
        (Ok(tld), None) => {
            same("encode", &word::encode(&tld), &encoding)?;
            Ok(Some(tld))
        }
        (Ok(_), Some(why)) => Err(format!("accepted, though {why}")),
        (Err(found), None) => Err(format!("refused: {found:?}")),
        (Err(found), Some(why)) => {
            let broken = word::decode(encoding).map(|tld| rules::violations(&tld));
            let names: Vec<_> = broken.iter().flatten().map(|v| v.name()).collect();
            let placed = found
                .iter()
                .all(|d| d.span().is_some() && d.code != Code::E0801);
            match names.contains(&why) && placed {
                true => Ok(None),
                false => Err(format!("refused for {names:?}, not {why}: {found:?}")),
            }
        }
    }
}

/// One fetch of one thread: what changes is listed, and nothing else does.
fn run_case(case: &Value) -> Result<(), String> {
    let Some(tld) = instruction(case)? else {
        return Ok(());
    };
    let (state, expect) = (&case["state"], &case["expect"]);
    let mut thread = Thread::default();
    for (name, value) in entries(&state["regs"]) {
        thread.set_reg(register(name)?, hex(text(value)?)? as u32);
    }
    for (name, value) in entries(&state["preds"]) {
        thread.set_pred(predicate(name)?, value.as_bool().ok_or("no truth value")?);
    }
    let memory = memory(state)?;
    let pool = &state["header_pool"];
    let maximum = pool["maximum_index"].as_u64().ok_or("no maximum")?;
    let mut textures = Textures {
        bank: BTreeMap::new(),
        pool: HeaderPool::new(maximum as u32),
        memory: &memory,
    };
    for (index, value) in entries(&state["texture_bank"]) {
        let index = hex(index)? as u16;
        textures.bank.insert(index, hex(text(value)?)? as u32);
    }
    for (number, value) in entries(&pool["headers"]) {
        let bytes: [u8; 32] = bytes(text(value)?)?
            .try_into()
            .map_err(|_| "not 32 bytes")?;
        let words = header::words_of(bytes);
        let number = number.parse().map_err(|_| "a header's number")?;
        textures.pool.set(number, &words);
        // The cases' headers set no bits without a name, so they survive the way through the model.
        if let Ok(decoded) = Header::decode(&words) {
            same("header", &decoded.encode(), &words)?;
        }
    }

    let mut wanted = thread.clone();
    for (name, value) in entries(&expect["regs"]) {
        wanted.set_reg(register(name)?, hex(text(value)?)? as u32);
    }
    for (name, value) in entries(&expect["preds"]) {
        wanted.set_pred(predicate(name)?, value.as_bool().ok_or("no truth value")?);
    }
    let fetched = fetch::execute(&tld, &mut thread, &textures).map_err(|t| format!("{t:?}"))?;
    for reg in (0..255).map(Reg) {
        let (found, expected) = (thread.reg(reg), wanted.reg(reg));
        if found != expected {
            let why = format!("{reg} is {found:#010x}, not {expected:#010x}");
            return Err(format!("{why}; {fetched:x?}"));
        }
    }
    for pred in (0..7).map(Pred::new) {
        same(&pred.to_string(), &thread.pred(pred), &wanted.pred(pred))?;
    }
    if let (Some(fetched), Some(at)) = (fetched, case["explain"]["texel_at"].as_str()) {
        let address = match fetched.end {
            End::Texel { address, .. } | End::Sparse(address) => Some(address),
            _ => None,
        };
        same("address", &address, &Some(hex(at)?))?;
    }
    Ok(())
}
