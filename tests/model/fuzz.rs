//! The oracles of the fuzzer on the tree's own files, on changes of them, and on what once broke.
//!
//! `VISIM_ROUNDS=100 cargo test --test model fuzz` makes more changes of each file.
//! `VISIM_SEEDS=folder cargo test --test model fuzz` writes the seeds of each target, and the dictionary, which is made
//! of the tables, for `tests/fuzz/run`.

#[path = "../fuzz/oracles.rs"]
mod oracles;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use visim::internals::harness::directive::KEYWORDS;
use visim::internals::isa::{OPCODES, Platform, Type};
use visim::internals::surface::Format;

/// A target: its name, what it does, and where seeds of which endings are.
struct Target {
    name: &'static str,
    run: fn(&[u8]),
    folders: &'static [&'static str],
    endings: &'static [&'static str],
}

const PROGRAMS: &[&str] = &["samples", "tests/cases"];
const TEXT: &[&str] = &["visa", "visaasm"];

#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target { name: "text", run: oracles::text, folders: &["samples", "tests/corpus/text", "tests/corpus/lowering"], endings: TEXT },
    Target { name: "run", run: oracles::run, folders: PROGRAMS, endings: TEXT },
    Target { name: "watched", run: oracles::watched, folders: PROGRAMS, endings: TEXT },
    Target { name: "send", run: oracles::send, folders: PROGRAMS, endings: &["send"] },
    Target { name: "tld", run: oracles::tld, folders: &["samples", "tests/cases", "tests/corpus/tld"], endings: &["tld"] },
    Target { name: "message", run: oracles::message, folders: &[], endings: &[] },
    Target { name: "state", run: oracles::state, folders: &[], endings: &[] },
    Target { name: "program", run: oracles::program, folders: &["samples", "tests/corpus", "tests/compiled"], endings: &["zebin", "zeinfo", "progbin", "ar"] },
    Target { name: "isa", run: oracles::isa, folders: &["tests/corpus/visa-binary"], endings: &["isa"] },
    Target { name: "launch", run: oracles::launch, folders: &["samples", "tests/corpus/kernels"], endings: &["launch.json", "json"] },
    Target { name: "image", run: oracles::image, folders: &["samples", "tests/corpus/formats"], endings: &["png", "dds", "ktx2", "bmp", "ppm"] },
    Target { name: "video", run: oracles::video, folders: &[], endings: &[] },
    Target { name: "dap", run: oracles::dap, folders: &[], endings: &[] },
];

/// The greatest seed, and how many a target has.
const MOST: (u64, usize) = (16 << 10, 48);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The generator splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// Files below a folder with one of some endings, sorted.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|e| name.ends_with(&format!(".{e}"))) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What a target begins with: small files of the tree, evenly taken, and some made here where there are none.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let folders = target.folders.iter().map(|folder| root().join(folder));
    let all: Vec<PathBuf> = folders.flat_map(|f| files(&f, target.endings)).collect();
    let small = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|m| m.len() <= MOST.0);
    let small: Vec<&PathBuf> = all.iter().filter(small).collect();
    let step = small.len().div_ceil(MOST.1).max(1);
    let taken = small.into_iter().step_by(step);
    let mut seeds: Vec<Vec<u8>> = taken.filter_map(|path| std::fs::read(path).ok()).collect();
    let mut random = Random(22);
    match target.name {
        "message" | "state" => {
            seeds.extend((0..MOST.1).map(|_| (0..80).map(|_| random.below(256) as u8).collect()))
        }
        "video" => seeds.extend(["C420", "C444", "C422", "Cmono"].map(|kind| {
            let mut stream = format!("YUV4MPEG2 W4 H4 F25:1 {kind}\nFRAME\n").into_bytes();
            stream.extend([7; 48]);
            stream
        })),
        "dap" => seeds.extend(SESSIONS.iter().map(|session| session.as_bytes().to_vec())),
        _ => {}
    }
    seeds.extend(evolved(target.name));
    seeds
}

/// What the fuzzer has found for a target, where that is small: a line of hexadecimal digits for each input.
fn evolved(target: &str) -> Vec<Vec<u8>> {
    let path = root().join(format!("tests/fuzz/corpus/{target}.hex"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(pair, 16).expect("a byte")
    };
    let bytes = |line: &str| line.as_bytes().chunks(2).map(byte).collect();
    text.lines().map(bytes).collect()
}

/// Requests to the Debug Adapter, one a line.
const SESSIONS: [&str; 4] = [
    r#"{"seq":2,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"k.visa"},"breakpoints":[{"line":10,"condition":"V34 lane 3 > 2"}]}}
{"seq":3,"type":"request","command":"configurationDone"}
{"seq":4,"type":"request","command":"continue","arguments":{"threadId":1}}
{"seq":5,"type":"request","command":"stackTrace","arguments":{"threadId":1}}
{"seq":6,"type":"request","command":"reverseContinue","arguments":{"threadId":1}}"#,
    r#"{"seq":2,"type":"request","command":"configurationDone"}
{"seq":3,"type":"request","command":"next","arguments":{"threadId":1}}
{"seq":4,"type":"request","command":"scopes","arguments":{"frameId":1}}
{"seq":5,"type":"request","command":"variables","arguments":{"variablesReference":1,"start":0,"count":4}}
{"seq":6,"type":"request","command":"stepBack","arguments":{"threadId":1}}
{"seq":7,"type":"request","command":"disconnect"}"#,
    r#"{"seq":2,"type":"request","command":"dataBreakpointInfo","arguments":{"name":"V34"}}
{"seq":3,"type":"request","command":"setDataBreakpoints","arguments":{"breakpoints":[{"dataId":"T6"}]}}
{"seq":4,"type":"request","command":"configurationDone"}
{"seq":5,"type":"request","command":"stepIn"}
{"seq":6,"type":"request","command":"evaluate","arguments":{"expression":"V34(0,0)<8;8,1>:ud"}}
{"seq":7,"type":"request","command":"threads"}
{"seq":8,"type":"request","command":"stepOut"}"#,
    "Content-Length: 52\r\n\r\n{\"seq\":1,\"type\":\"request\",\"command\":\"initialize\"}   ",
];

/// Words of the language, of the tables.
fn dictionary() -> String {
    let opcodes = OPCODES.iter().map(|row| row.mnemonic.to_string());
    let types = Type::ALL.iter().map(|(_, name)| format!(":{name}"));
    let formats = Format::all().map(|format| format.name.to_string());
    let keywords = KEYWORDS.iter().map(|(word, _)| format!("// {word} "));
    let platforms = Platform::ALL.iter().map(|p| p.name.to_string());
    let marks = [
        "(M1, 8)",
        "(M1_NM, 1)",
        "<8;8,1>",
        "<0;1,0>",
        "(!P1.any)",
        ".decl ",
        "%null.0",
        "0x7fffffff:ud",
        "-1:d",
        "nan:f",
    ];
    let marks = marks.into_iter().map(str::to_string);
    let words = opcodes
        .chain(types)
        .chain(formats)
        .chain(keywords)
        .chain(platforms)
        .chain(marks);
    let line = |word: String| format!("\"{}\"\n", word.replace('\\', "\\\\").replace('"', "\\\""));
    words.map(line).collect()
}

/// A change of bytes, of a few kinds.
fn changed(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at, [0, 0x1b, b'\n', 0xff, b'9'][random.below(5)]),
            3 => bytes.truncate(at),
            _ => {
                let to = (at + random.below(40)).min(bytes.len());
                let piece = bytes[at..to].to_vec();
                let there = random.below(bytes.len() + 1);
                bytes.splice(there..there, piece);
            }
        }
    }
    bytes
}

#[test]
fn seeds_and_their_changes_keep_every_promise() {
    let mut broken = Vec::new();
    let rounds = std::env::var("VISIM_ROUNDS").map_or(Ok(1), |rounds| rounds.parse());
    let rounds: usize = rounds.expect("a number");
    for target in TARGETS {
        let mut random = Random(7);
        let mut inputs = seeds(target);
        assert!(!inputs.is_empty(), "{} has no seeds", target.name);
        if let Some(folder) = std::env::var_os("VISIM_SEEDS") {
            write(&Path::new(&folder).join(target.name), &inputs);
        }
        let changes = (0..rounds).flat_map(|_| 0..inputs.len());
        let more: Vec<Vec<u8>> = changes
            .map(|number| changed(&inputs[number], &mut random))
            .collect();
        inputs.extend(more);
        let once = root().join("tests/fuzz/broken").join(target.name);
        let once = files(&once, &["bin"]);
        inputs.extend(once.iter().map(|path| std::fs::read(path).expect("a file")));
        for input in inputs {
            let ran = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
            if ran.is_err() {
                broken.push(format!(
                    "{}: {:?}",
                    target.name,
                    String::from_utf8_lossy(&input)
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}: {}", broken.len(), broken.join("\n"));
}

/// Writes seeds, and the dictionary beside their folder.
fn write(folder: &Path, seeds: &[Vec<u8>]) {
    std::fs::create_dir_all(folder).expect("a folder");
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), seed).expect("written");
    }
    std::fs::write(folder.with_file_name("dictionary.txt"), dictionary()).expect("written");
}
