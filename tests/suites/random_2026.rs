//! Random programs as today's compiler lowers them: the tool that `VISIM_IGC2_ORACLE` names (`igc2-oracle`) makes the
//! messages of each, in the form of `lowering-2026`, and they are compared as those are.
//!
//! `VISIM_ORACLE_PROGRAMS` sets how many programs each platform gets (default 8; a program takes about a second),
//! `VISIM_ORACLE_SEED` where their seeds begin. Without the tool nothing is run.

use super::{Case, lowering};
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One platform of Xe2, of Xe3 and of Xe3p.
const PLATFORMS: [&str; 3] = ["BMG", "PTL", "CRI"];

/// Statements of one program. The compiler names the sends of a program by what they overwrite; few statements keep
/// its registers apart.
const STATEMENTS: u64 = 6;

/// The name of the suite.
pub const NAME: &str = "random-2026";

/// The cases; none where no tool is named.
pub fn cases() -> Vec<Case> {
    let Some(tool) = std::env::var_os("VISIM_IGC2_ORACLE").map(PathBuf::from) else {
        return Vec::new();
    };
    let number = |name: &str, default: u64| {
        let value = std::env::var(name).ok();
        value.and_then(|v| v.parse().ok()).unwrap_or(default)
    };
    let first = number("VISIM_ORACLE_SEED", 1);
    let seeds = first..first + number("VISIM_ORACLE_PROGRAMS", 8);
    let case = |platform: &'static str, seed: u64| {
        let tool = tool.clone();
        Case::new(&format!("{platform}/{seed}"), move || {
            run(&tool, platform, seed)
        })
    };
    let of_platform = |platform| seeds.clone().map(move |seed| case(platform, seed));
    PLATFORMS.into_iter().flat_map(of_platform).collect()
}

/// How far the seed of the program is that is drawn in place of one that the tool cannot list.
const AGAIN: u64 = 1 << 32;

/// Compares one program.
fn run(tool: &Path, platform: &str, seed: u64) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let text = program(platform, seed);
    let path = folder.path().join("k.visaasm");
    std::fs::write(&path, &text).map_err(|e| e.to_string())?;
    let mut command = Command::new(tool);
    command.args(["-p", platform]).arg(&path);
    let output = command.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        return Err(format!("the compiler refuses the program: {said}\n{text}"));
    }
    let made = folder.path().join("k.json");
    let messages: Json = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    if is_mislisted(&messages, &text) {
        return run(tool, platform, seed + AGAIN);
    }
    let messages = in_order_of_text(messages).to_string();
    std::fs::write(&made, messages).map_err(|e| e.to_string())?;
    lowering::run_case_of_2026(&made).map_err(|why| format!("{why}\n{text}"))
}

/// Whether the compiler's listing says of a message what cannot be: neither descriptor of two equal ones side by side,
/// or a stray number in place of one that a list of registers goes with. Source: Xe2 messages reference 2, 10; 4.
fn is_mislisted(messages: &Json, text: &str) -> bool {
    let surface = text.split_once("T6(0) 0x").and_then(|(_, rest)| {
        let (number, _) = rest.split_once(':')?;
        u32::from_str_radix(number, 16).ok()
    });
    let instructions = messages["instructions"].as_array().into_iter().flatten();
    let mut sends = instructions.flat_map(|i| i["sends"].as_array().into_iter().flatten());
    sends.any(|send| {
        let Some(desc) = send["desc"].as_str() else {
            return true;
        };
        let bits = u64::from_str_radix(desc.trim_start_matches("0x"), 16).unwrap_or(0);
        let listed = send["gather"] == true && send["sfid"] == "sampler";
        listed && surface.is_some_and(|surface| bits & 0xff != u64::from(surface))
    })
}

/// The messages in the order of the text, which the compiler's scheduler leaves, numbered anew.
fn in_order_of_text(mut messages: Json) -> Json {
    let Some(instructions) = messages["instructions"].as_array_mut() else {
        return messages;
    };
    instructions.sort_by_key(|instruction| instruction["visa_index"].as_u64());
    let sends = instructions.iter().flat_map(|i| i["sends"].as_array());
    let ids = sends.flatten().filter_map(|send| send["id"].as_str());
    let ids: Vec<String> = ids.map(str::to_string).collect();
    let renamed = |old: &str| -> Option<String> {
        let at = ids.iter().position(|id| id == old)?;
        Some(format!("S{at}"))
    };
    for instruction in instructions {
        for send in instruction["sends"].as_array_mut().into_iter().flatten() {
            let new = send["id"].as_str().and_then(renamed);
            send["id"] = new.into();
            send["random"] = true.into();
        }
        let sends = instruction["sends"].as_array().into_iter().flatten();
        let own = sends.filter_map(|send| Some(format!("={}[", send["id"].as_str()?)));
        let own: Vec<String> = own.collect();
        let mut writes = instruction["writes"].as_object_mut();
        // What is not looked at any more shares its registers with later results.
        if let Some(writes) = &mut writes {
            writes.retain(|name, _| name.starts_with('R'));
        }
        let places = writes.into_iter().flat_map(|writes| writes.values_mut());
        for list in places.filter_map(Json::as_array_mut) {
            // As `[0..63]=S1[0..63]`.
            let renamed = list.iter().filter_map(|place| {
                let (to, from) = place.as_str()?.split_once('=')?;
                let (id, bytes) = from.split_once('[')?;
                Some(format!("{to}={}[{bytes}", renamed(id)?))
            });
            let kept = renamed.filter(|place| own.iter().any(|own| place.contains(own)));
            *list = kept.map(Json::from).collect();
        }
        if let Some(writes) = instruction["writes"].as_object_mut() {
            writes.retain(|_, list| list.as_array().is_some_and(|list| !list.is_empty()));
        }
    }
    messages
}

/// Numbers from a seed. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A program of a few statements, each with a destination of its own.
fn program(platform: &str, seed: u64) -> String {
    let mut draws = Draws(seed);
    let xe3p = platform == "CRI";
    let mut text = String::from(".version 4.2\n.kernel \"k\"\n");
    for (name, ty, count) in VARIABLES {
        let _ = writeln!(
            text,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF"
        );
    }
    text += ".decl T6 v_type=T num_elts=1 v_name=T006\n.decl S16 v_type=S num_elts=1 v_name=S016\n";
    let statements = 1 + draws.below(STATEMENTS);
    for number in 0..statements {
        let _ = writeln!(
            text,
            ".decl R{number} v_type=G type=ud num_elts=256 align=GRF"
        );
    }
    let mut offset = 64;
    for (name, ty, count) in VARIABLES {
        let size = count * if *ty == "uq" { 8 } else { 4 };
        let _ = writeln!(text, ".input {name} offset={offset} size={size}");
        offset += size;
    }
    text += ".kernel_attr Target=\"cm\"\n.function \"_main_0\"\n_main_0:\n";
    if !xe3p {
        let (surface, sampler) = (draws.below(240), draws.below(16));
        let _ = writeln!(text, "    movs (M1_NM, 1) T6(0) {surface:#x}:ud");
        let _ = writeln!(text, "    movs (M1_NM, 1) S16(0) {sampler:#x}:ud");
    }
    for number in 0..statements {
        let to = format!("R{number}");
        let statement = match draws.below(8) {
            6 => block2d(&mut draws, &to),
            0 | 1 => sampled(&mut draws, &to, xe3p),
            2 => texels(&mut draws, &to, xe3p),
            3 => typed(&mut draws, &to, xe3p),
            4 => atomic(&mut draws, &to, xe3p),
            5 => stored(&mut draws, xe3p),
            _ => loaded(&mut draws, &to, xe3p),
        };
        let _ = writeln!(text, "    {statement}");
    }
    text + "    ret (M1, 1)\n"
}

/// Inputs: name, type, elements.
const VARIABLES: &[(&str, &str, u64)] = &[
    ("F0", "f", 32),
    ("F1", "f", 32),
    ("F2", "f", 32),
    ("F3", "f", 32),
    ("F4", "f", 32),
    ("F5", "f", 32),
    ("F6", "f", 32),
    ("A0", "ud", 32),
    ("A1", "ud", 32),
    ("A2", "ud", 32),
    ("A3", "ud", 32),
    ("Q0", "uq", 32),
    ("Q1", "uq", 8),
    ("U0", "ud", 128),
    ("U1", "ud", 128),
    ("SS", "uq", 8),
    ("SM", "uq", 8),
    ("B0", "ud", 16),
    ("W0", "d", 16),
];

const CHANNELS: [&str; 8] = ["R", "G", "RG", "RGB", "RGBA", "A", "GA", "RB"];

/// Where a sampler message reads, and with which sampler.
fn states(xe3p: bool) -> [&'static str; 2] {
    match xe3p {
        true => ["SS", "SM"],
        false => ["T6", "S16"],
    }
}

/// `(M1, 16)`, seldom other lanes.
fn execution(draws: &mut Draws) -> &'static str {
    draws.pick(&[
        "(M1, 16)",
        "(M1, 16)",
        "(M1, 16)",
        "(M1, 32)",
        "(M1_NM, 16)",
        "(M1, 8)",
        "(M5, 16)",
        "(M1, 1)",
    ])
}

fn parameters(prefix: &str, count: u64) -> String {
    let names: Vec<String> = (0..count).map(|i| format!("{prefix}{i}.0")).collect();
    names.join(" ")
}

fn sampled(draws: &mut Draws, to: &str, xe3p: bool) -> String {
    let (name, least, most) = [
        ("sample_3d", 1, 4),
        ("sample_b", 2, 4),
        ("sample_l", 2, 4),
        ("sample_c", 2, 4),
        ("sample_lz", 1, 3),
        ("sample_c_lz", 2, 4),
        ("sample_d", 3, 6),
        ("lod", 1, 3),
        ("sample4", 2, 3),
    ][draws.below(9) as usize];
    let count = least + draws.below(most - least + 1);
    let channels = match name {
        "sample4" => draws.pick(&["R", "G", "B", "A"]),
        _ => draws.pick(&CHANNELS),
    };
    let execution = match name {
        // How the compiler splits these is not observed.
        "sample_d" => "(M1, 16)",
        _ => execution(draws),
    };
    let [surface, sampler] = states(xe3p);
    let offsets = match (name, draws.one_in(4)) {
        ("lod", _) | (_, false) => "0x0".to_string(),
        _ => format!("{:#x}", draws.below(0x1000)),
    };
    let parameters = parameters("F", count);
    format!(
        "{name}.{channels} {execution} {offsets}:uw {sampler} {surface} {to}.0 %null.0 {parameters}"
    )
}

fn texels(draws: &mut Draws, to: &str, xe3p: bool) -> String {
    let (name, least, most) =
        [("load_3d", 1, 4), ("load_lz", 1, 3), ("load_l", 4, 4)][draws.below(3) as usize];
    let count = least + draws.below(most - least + 1);
    let (channels, execution) = (draws.pick(&CHANNELS), execution(draws));
    let offsets = match draws.one_in(4) {
        true => format!("{:#x}", draws.below(0x1000)),
        false => "0x0".to_string(),
    };
    let ([surface, _], parameters) = (states(xe3p), parameters("A", count));
    format!("{name}.{channels} {execution} {offsets}:uw {surface} {to}.0 %null.0 {parameters}")
}

/// An address: 64 bits flat, or a surface.
fn address(draws: &mut Draws, xe3p: bool) -> String {
    let offset = match draws.below(3) {
        0 => format!("+{:#x}", 4 + 4 * draws.below(100)),
        _ => String::new(),
    };
    match draws.below(4) {
        0 | 1 => format!("flat[Q0{offset}]:a64"),
        2 if xe3p => format!("flat(Q1)[A0{offset}]:a32u"),
        _ if xe3p => format!("surf(SS)[A0{offset}]:a32u"),
        2 => format!("bti({:#x})[A0{offset}]:a32", draws.below(200)),
        // Offsets of bindless surfaces are not stated to the bit.
        _ => "ss(B0)[A0]:a32".to_string(),
    }
}

fn loaded(draws: &mut Draws, to: &str, xe3p: bool) -> String {
    let (size, lanes) = match draws.below(6) {
        0 => ("d8u32", execution(draws)),
        1 => ("d16u32", execution(draws)),
        2 => ("d64", execution(draws)),
        3 => ("d32x16t", "(M1_NM, 1)"),
        4 => (draws.pick(&["d32x2", "d32x3", "d32x4"]), "(M1, 16)"),
        _ => ("d32", execution(draws)),
    };
    match draws.below(3) {
        0 => format!("lsc_load.slm {lanes} {to}:{size} flat[A0]:a32"),
        1 if !size.contains('x') => {
            let channels = draws.pick(&["x", "xy", "xz", "xyz", "xyzw", "w"]);
            let address = address(draws, xe3p);
            format!("lsc_load_quad.ugm (M1, 16) {to}:d32.{channels} {address}")
        }
        _ => {
            let cache = match xe3p {
                true => draws.pick(&["", "", ".uc.uc.uc", ".ca.uc.ca", ".uc.ca.ca"]),
                false => draws.pick(&["", "", ".uc.uc", ".uc.ca", ".ca.ca", ".st.uc"]),
            };
            let address = address(draws, xe3p);
            format!("lsc_load.ugm{cache} {lanes} {to}:{size} {address}")
        }
    }
}

fn stored(draws: &mut Draws, xe3p: bool) -> String {
    let address = address(draws, xe3p);
    let size = draws.pick(&["d32", "d32x2", "d32x4", "d16u32", "d8u32"]);
    match draws.below(3) {
        0 => format!("lsc_store.slm (M1, 16) flat[A0]:a32 U0:{size}"),
        1 => format!("lsc_store_quad.ugm (M1, 16) {address} U0:d32.xyzw"),
        _ => format!("lsc_store.ugm (M1, 16) {address} U0:{size}"),
    }
}

fn typed(draws: &mut Draws, to: &str, xe3p: bool) -> String {
    let names = ["A0", "A0,A1", "A0,A1,A2", "A0,A1,A2,A3"];
    let coordinates = draws.pick(&names);
    let surface = match xe3p {
        true => "surf(SS)".to_string(),
        false => format!("bti({:#x})", draws.below(200)),
    };
    let channels = draws.pick(&["x", "xy", "xyz", "xyzw"]);
    match draws.one_in(3) {
        true => {
            format!("lsc_store_quad.tgm (M1, 16) {surface}[{coordinates}]:a32 U0:d32.{channels}")
        }
        false => {
            format!("lsc_load_quad.tgm (M1, 16) {to}:d32.{channels} {surface}[{coordinates}]:a32")
        }
    }
}

fn atomic(draws: &mut Draws, to: &str, xe3p: bool) -> String {
    let (name, sources) = [
        ("iadd", "U0 %null"),
        ("isub", "U0 %null"),
        ("smin", "U0 %null"),
        ("smax", "U0 %null"),
        ("umin", "U0 %null"),
        ("umax", "U0 %null"),
        ("and", "U0 %null"),
        ("or", "U0 %null"),
        ("xor", "U0 %null"),
        ("iinc", "%null %null"),
        ("idec", "%null %null"),
        ("store", "U0 %null"),
        ("icas", "U0 U1"),
        ("fadd", "U0 %null"),
        ("fmin", "U0 %null"),
        ("fcas", "U0 U1"),
    ][draws.below(16) as usize];
    let to = match draws.one_in(4) {
        true => "%null",
        false => to,
    };
    match draws.one_in(3) {
        // Local memory adds no floats.
        true if !name.starts_with('f') => {
            format!("lsc_atomic_{name}.slm (M1, 16) {to}:d32 flat[A0]:a32 {sources}")
        }
        _ => {
            let address = address(draws, xe3p);
            format!("lsc_atomic_{name}.ugm (M1, 16) {to}:d32 {address} {sources}")
        }
    }
}

fn block2d(draws: &mut Draws, to: &str) -> String {
    let shape = draws.pick(&[
        "d8.1x32x8nn",
        "d16.1x16x8nn",
        "d16.2x16x16nn",
        "d32.1x8x8nn",
        "d32.1x16x4nn",
        "d32.1x8x8tn",
        "d16.1x16x16nt",
        "d8.1x64x1nn",
    ]);
    format!(
        "lsc_load_block2d.ugm (M1_NM, 1) {to}:{shape} flat[Q1(0,0),W0(0,0),W0(0,1),W0(0,2),W0(0,3),W0(0,4)]"
    )
}
