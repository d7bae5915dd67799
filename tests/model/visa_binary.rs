//! The binary form: what is written is read back, damaged bytes are refused, Intel's finalizer makes the same of the
//! binary and of the text.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use visim::internals::diagnostic::{Class, Code};
use visim::internals::source::Source;
use visim::internals::syntax::ast::{Module, Statement};
use visim::internals::syntax::{ParseOptions, parse, print};
use visim::internals::visa_binary::{Version, read, write};

fn texts(suite: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(suite);
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut texts: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "visaasm"))
        .collect();
    texts.sort();
    texts
}

fn module(path: &Path) -> Module {
    let text = fs::read_to_string(path).expect("text");
    parse(&Source::new("text", text), &ParseOptions::default()).module
}

/// The statements of a module that its binary has, each printed; of narrow immediates the bits above the width are
/// those that the sign gives.
fn said(module: &Module) -> Vec<String> {
    let lines = module.lines.iter().filter(|line| {
        let statement = line.statement.as_ref().map(|s| &s.node);
        matches!(
            statement,
            Some(Statement::Kernel(_) | Statement::Instruction(_) | Statement::Label(_))
        )
    });
    let printed = lines.map(|line| {
        let mut line = line.clone();
        line.comment = None;
        print(&Module {
            lines: vec![line],
            ..Module::default()
        })
    });
    let words = printed.map(|text| text.split_whitespace().map(narrow).collect::<Vec<_>>());
    words
        .map(|words| match words.first().map(String::as_str) {
            // `V(1,2)<0;1,0>` and `&V[40]` are the same address.
            Some("addr_add") => words[..words.len().min(4)].join(" "),
            _ => words.join(" "),
        })
        .collect()
}

fn narrow(word: &str) -> String {
    let parts = word.split_once(':').and_then(|(value, ty)| {
        let value = u64::from_str_radix(value.strip_prefix("0x")?, 16).ok()?;
        let mask = match ty {
            "w" | "uw" | "hf" => 0xffff,
            "b" | "ub" => 0xff,
            _ => u64::MAX,
        };
        Some(format!("{:#x}:{ty}", value & mask))
    });
    parts.unwrap_or_else(|| word.to_string())
}

#[test]
fn what_is_written_is_read_back() {
    let (mut whole, mut newer) = (0, 0);
    for suite in [
        "text",
        "text-canonical",
        "text-other-platforms",
        "visa-binary",
    ] {
        for path in texts(suite) {
            // Its statements have parts that mean nothing and have no field.
            if path.ends_with("103-parts-without-effect.visaasm") {
                continue;
            }
            let module = module(&path);
            for version in [Version::V3_6, Version::V4_1] {
                match write(&module, Some(version)) {
                    Ok(written) => {
                        let back = read(&written.bytes).expect("what was written");
                        assert_eq!(said(&back), said(&module), "{}", path.display());
                        whole += 1;
                    }
                    Err(refused) => {
                        // What has no record says so, and nothing else is refused.
                        let known = |code: Code| matches!(code, Code::N0661 | Code::E0661);
                        assert!(refused.iter().all(|d| known(d.code)), "{refused:?}");
                        assert!(
                            refused
                                .iter()
                                .any(|d| d.class() == Class::Unsupported || d.code == Code::E0661)
                        );
                        newer += 1;
                    }
                }
            }
        }
    }
    assert!(
        whole > 250 && newer < whole,
        "{whole} texts are written, {newer} are not"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: Some(Box::new(FileFailurePersistence::Off)), ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_never_bring_the_reader_down(
        file in 0_usize..1000,
        changes in proptest::collection::vec((any::<u32>(), any::<u8>()), 0..12),
        cut in proptest::option::of(any::<u32>()),
    ) {
        let texts = texts("visa-binary");
        let path = &texts[file % texts.len()];
        let mut bytes = fs::read(path.with_extension("isa")).expect("a container");
        for (at, value) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut as usize % bytes.len());
        }
        if let Ok(module) = read(&bytes) {
            // What was read prints, and the printed text is read without a panic.
            let text = print(&module);
            let _ = parse(&Source::new("read", text), &ParseOptions::default());
        }
    }
}

/// The finalizer's code of a program in a folder, by the name of its file.
fn code(folder: &Path, file: &str, made: &str) -> Option<Vec<u8>> {
    let mut command = Command::new("GenX_IR");
    command.args([
        file,
        "-platform",
        "ICLLP",
        "-binary",
        "-noschedule",
        "-nocompaction",
    ]);
    let quiet = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    quiet.stderr(Stdio::null()).status().ok()?;
    fs::read(folder.join(made)).ok()
}

#[test]
fn the_finalizer_makes_the_same_of_binary_and_text() {
    if Command::new("GenX_IR").output().is_err() {
        println!("GenX_IR is not on PATH: binaries are not compared with their texts");
        return;
    }
    let compared: Vec<(String, bool)> = texts("visa-binary")
        .par_iter()
        .filter_map(|path| {
            let written = write(&module(path), Some(Version::V4_1)).ok()?;
            let name = path.file_stem()?.to_string_lossy().into_owned();
            let (text, binary) = (tempfile::tempdir().ok()?, tempfile::tempdir().ok()?);
            fs::copy(path, text.path().join("k.visaasm")).ok()?;
            fs::write(binary.path().join("k.isa"), &written.bytes).ok()?;
            // Of a binary the file of code has no name of its own.
            let theirs = code(text.path(), "k.visaasm", "k.dat")?;
            let ours = code(binary.path(), "k.isa", ".dat").unwrap_or_default();
            Some((name, theirs == ours))
        })
        .collect();
    let differ: Vec<&str> = compared
        .iter()
        .filter(|(name, same)| !same && !FAULTS.contains(&name.as_str()))
        .map(|(name, _)| name.as_str())
        .collect();
    println!("{} programs compared with their texts", compared.len());
    assert!(differ.is_empty(), "{differ:?}");
}

/// Programs of which this release of the finalizer reads the binary otherwise. Source: vISA binary reference 4.
const FAULTS: &[&str] = &[
    // Of two kernels in a file it compiles one.
    "006-two-kernels",
];

/// Names that a string of the binary form cannot hold are refused, where they are.
#[test]
fn names_that_do_not_fit_are_refused() {
    let written = |name: &str, version| {
        let text = format!(".version 4.1\n.kernel \"{name}\"\n    ret (M1, 1)\n");
        let parsed = parse(&Source::new("text", text), &ParseOptions::default());
        write(&parsed.module, Some(version)).map_err(|refused| refused[0].code)
    };
    let long = "n".repeat(256);
    for (name, version, refused) in [
        ("n", Version::V3_6, false),
        ("a\0b", Version::V4_1, true),
        (&long[1..], Version::V3_6, false),
        (&long, Version::V3_6, true),
        (&long, Version::V4_1, false),
    ] {
        match written(name, version) {
            Ok(_) => assert!(!refused, "{name:?} in {version}"),
            Err(code) => assert!(
                refused && code == Code::E0661,
                "{name:?} in {version}: {code}"
            ),
        }
    }
}
