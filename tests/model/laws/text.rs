//! Laws of reading and printing: what is printed is read back as the same module, canonical text is
//! printed as it was, and nothing a file may hold brings the reader down.

use super::modules::{at, instruction, module};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use visim::internals::diagnostic::{Class, Code, render_all};
use visim::internals::isa::OPCODES;
use visim::internals::source::Source;
use visim::internals::syntax::ast::{Line, Module, Operand, Statement};
use visim::internals::syntax::{ParseOptions, Parsed, parse, print};

fn read(name: &str, text: &str) -> (Source, Parsed) {
    let source = Source::new(name, text);
    let parsed = parse(&source, &ParseOptions::default());
    (source, parsed)
}

// ---- The corpora ----------------------------------------------------------------------------------

/// The `.visaasm` files of a folder of the corpus, by name.
fn corpus(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "visaasm"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    files
}

fn load(path: &Path) -> (String, String) {
    let name = path
        .file_name()
        .expect("a file")
        .to_string_lossy()
        .into_owned();
    (name, fs::read_to_string(path).expect("a text file"))
}

#[test]
fn good_texts_are_read_without_a_word() {
    for folder in ["text", "text-canonical", "text-other-platforms"] {
        for path in corpus(folder) {
            let (name, text) = load(&path);
            let (source, parsed) = read(&name, &text);
            assert!(
                parsed.diagnostics.is_empty(),
                "{}",
                render_all(&parsed.diagnostics, &source, false)
            );
        }
    }
}

#[test]
fn canonical_text_is_printed_as_it_stands() {
    for path in corpus("text-canonical") {
        let (name, text) = load(&path);
        let printed = print(&read(&name, &text).1.module);
        assert_eq!(printed, text, "{name}");
    }
}

#[test]
fn all_corpora_survive_printing() {
    for folder in ["text", "text-canonical", "text-other-platforms", "text-bad"] {
        for path in corpus(folder) {
            let (name, text) = load(&path);
            // What a bad file keeps is good and has to survive as well, once its version is there.
            let module = read(&name, &text).1.module;
            let printed = print(&module);
            assert_eq!(read(&name, &printed).1.module, module, "{name}");
        }
    }
}

/// Mnemonics and immediates of a text: what the printer of the reference tool leaves alone.
fn skeleton(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in read("skeleton", text).1.module.lines {
        if let Some(Statement::Instruction(instruction)) = line.statement.map(|s| s.node) {
            found.push(instruction.opcode.to_string());
            for operand in &instruction.operands {
                if let Operand::Immediate(immediate) = operand.node {
                    found.push(format!("{:#x}:{}", immediate.bits, immediate.ty));
                }
            }
        }
    }
    found
}

#[test]
fn a_text_and_its_canonical_form_say_the_same() {
    for path in corpus("text-canonical") {
        let (name, canonical) = load(&path);
        let (_, text) = load(
            &path
                .parent()
                .expect("a folder")
                .with_file_name("text")
                .join(&name),
        );
        assert_eq!(skeleton(&text), skeleton(&canonical), "{name}");
    }
}

#[test]
fn bad_texts_are_refused_on_the_stated_line() {
    for path in corpus("text-bad") {
        let (name, text) = load(&path);
        let about = fs::read_to_string(path.with_extension("txt")).expect("a description");
        let field = |key: &str| {
            let line = about.lines().find_map(|l| l.strip_prefix(key));
            line.unwrap_or_else(|| panic!("{name}: no {key}"))
                .trim()
                .to_owned()
        };
        let line: usize = field("line:").parse().expect("a line number");
        let (source, parsed) = read(&name, &text);
        let errors: Vec<usize> = parsed
            .diagnostics
            .iter()
            .filter(|d| d.class() == Class::Error)
            .map(|d| source.line_of(d.span().expect("a place").start))
            .collect();
        let class = field("class:");
        let wanted = match class.as_str() {
            // Read on purpose: the page has this block shape, though the assembler stops at it.
            _ if name.starts_with("034-") => vec![],
            "lexical" | "syntax" => vec![line],
            // For the check to find: the text itself reads.
            "name" | "legality" => vec![],
            other => panic!("{name}: class {other}"),
        };
        assert_eq!(errors, wanted, "{name}: {class}");
    }
}

// ---- Made-up modules and noise --------------------------------------------------------------------

fn assert_survives(module: &Module) {
    let printed = print(module);
    let (source, parsed) = read("printed", &printed);
    let said = render_all(&parsed.diagnostics, &source, false);
    // Numbers wider than their type are read, with a warning, and printed as they were written.
    let complaints = (parsed.diagnostics.iter()).filter(|said| said.code != Code::W0116);
    assert_eq!(complaints.count(), 0, "{said}\n{printed}");
    assert_eq!(&parsed.module, module, "{printed}");
    assert_eq!(print(&parsed.module), printed);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back(module in module()) {
        assert_survives(&module);
    }

    #[test]
    fn nothing_brings_the_reader_down(text in "(?s).{0,200}") {
        let (source, parsed) = read("noise", &text);
        render_all(&parsed.diagnostics, &source, false);
    }

    /// Near misses: a good module with a few characters replaced.
    #[test]
    fn near_misses_are_refused_calmly(
        module in module(),
        edits in vec((any::<prop::sample::Index>(), "(?s)."), 1..4),
    ) {
        let mut characters: Vec<char> = print(&module).chars().collect();
        for (place, by) in edits {
            let place = place.index(characters.len());
            characters.splice(place..=place, by.chars());
        }
        let text: String = characters.into_iter().collect();
        let (source, parsed) = read("edited", &text);
        render_all(&parsed.diagnostics, &source, false);
        // What was read of it is a module like any other; only its version may be lost.
        let printed = print(&parsed.module);
        prop_assert_eq!(read("again", &printed).1.module, parsed.module, "{}", printed);
    }
}

#[test]
fn every_instruction_survives_printing() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for row in OPCODES {
        let strategy = vec(instruction(*row), 24);
        let tree = strategy.new_tree(&mut runner).expect("a value");
        let version = Statement::Version { major: 4, minor: 1 };
        let lines = std::iter::once(version)
            .chain(tree.current())
            .map(|statement| Line {
                statement: Some(at(statement)),
                comment: None,
            })
            .collect();
        assert_survives(&Module {
            lines,
            ..Module::default()
        });
    }
}

#[test]
fn hostile_sizes_are_read_in_linear_time() {
    let many = 200_000;
    let lines = [
        "(".repeat(many),
        "mov (M1, 8) D((".to_owned() + &"(".repeat(many),
        "mov (M1, 8) D(0,0)<1> (".to_owned() + &"1+".repeat(many) + "1):d",
        "mov (M1, 8) D(0,0)<1> ".to_owned() + &"9".repeat(many) + ":d",
        "mov (M1, 8) D(0,0)<1> 0x".to_owned() + &"9".repeat(many) + ":d",
        "mov (M1, 8) D(0,0)<1> 1.".to_owned() + &"9".repeat(many) + ":f",
        "FILE \"".to_owned() + &"x".repeat(many),
        "a".repeat(many),
        "load_lz.R (M1, 8) 0x0:uw T6 ".to_owned() + &"V.0 ".repeat(many),
        "switchjmp (M1, 1) 0x0:ud (".to_owned() + &"a ".repeat(many) + ")",
        "/*".repeat(many),
        "\\\n".repeat(many),
        "\"".repeat(many),
        ".decl X v_type=G type=ud num_elts=".to_owned() + &"-".repeat(many),
    ];
    let started = std::time::Instant::now();
    for line in &lines {
        let (source, parsed) = read("hostile", &format!(".version 4.1\n{line}\n"));
        assert!(!parsed.module.lines.is_empty());
        drop((source, parsed));
    }
    // Quadratic work would take many minutes; linear work has room on a busy, unoptimised machine.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
