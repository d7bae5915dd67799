//! `grammar/visa.ebnf` is read production by production: each has examples, the reader takes every
//! one, each word used is defined, and together they reach every slot and suffix of the tables.

use std::collections::{BTreeMap, BTreeSet};
use visim::internals::isa::{OPCODES, Slot, SuffixSlot};
use visim::internals::source::Source;
use visim::internals::syntax::ast::{Module, Statement};
use visim::internals::syntax::{ParseOptions, parse, print};

const GRAMMAR: &str = include_str!("../../grammar/visa.ebnf");

/// What the lines of a kernel may speak of.
const PRELUDE: &str = "\
.version 4.1
.kernel \"grammar\"
.decl D v_type=G type=ud num_elts=128 align=GRF
.decl S v_type=G type=ud num_elts=128 align=GRF
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=16
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
";

#[derive(Default)]
struct Production {
    right: String,
    /// Whole examples; one may span lines.
    examples: Vec<String>,
}

/// The productions in the order of their names. Example lines that follow one another are one text,
/// so that labels, scopes and continued lines can be shown; a text that begins with `.version` is a
/// file, and each begins a new one.
fn productions() -> BTreeMap<&'static str, Production> {
    let mut all: BTreeMap<&str, Production> = BTreeMap::new();
    let mut current = "";
    let mut fresh = true;
    for line in GRAMMAR.lines() {
        if let Some(example) = line.strip_prefix("#>") {
            let example = example.strip_prefix(' ').unwrap_or(example);
            let production = all
                .get_mut(current)
                .expect("an example is below its production");
            if fresh {
                production.examples.push(String::new());
            }
            fresh = false;
            let text = production.examples.last_mut().expect("just pushed");
            text.push_str(example);
            text.push('\n');
            continue;
        }
        fresh = true;
        if line.starts_with("//") || line.trim().is_empty() {
            continue;
        }
        match line.split_once(" = ") {
            Some((name, right)) if !line.starts_with(' ') => {
                assert!(
                    all.insert(name, Production::default()).is_none(),
                    "{name} is defined twice"
                );
                current = name;
                all.get_mut(name).expect("just inserted").right = right.to_owned();
            }
            _ => {
                let right = &mut all.get_mut(current).expect("a production is open").right;
                right.push(' ');
                right.push_str(line.trim());
            }
        }
    }
    all
}

fn read(example: &str, name: &str) -> Module {
    let is_file = example.contains(".version");
    let text = if is_file {
        example.to_owned()
    } else {
        format!("{PRELUDE}{example}")
    };
    let source = Source::new(format!("{name} in visa.ebnf"), text);
    let parsed = parse(&source, &ParseOptions::default());
    let rendered = visim::internals::diagnostic::render_all(&parsed.diagnostics, &source, false);
    assert!(parsed.diagnostics.is_empty(), "{rendered}");
    parsed.module
}

#[test]
fn every_production_has_examples_and_each_is_read() {
    for (name, production) in productions() {
        assert!(!production.examples.is_empty(), "{name} has no example");
        for example in &production.examples {
            let module = read(example, name);
            let printed = print(&module);
            let again = parse(
                &Source::new("printed", printed.clone()),
                &ParseOptions::default(),
            );
            assert_eq!(again.module, module, "{printed}");
        }
    }
}

/// The words of a right-hand side that are neither literal text nor a regular expression.
fn words(right: &str) -> BTreeSet<String> {
    let mut bare = String::new();
    let mut inside: Option<char> = None;
    for c in right.chars() {
        match inside {
            Some(mark) if c == mark => inside = None,
            Some(_) => {}
            None if c == '"' || c == '/' => {
                inside = Some(c);
                bare.push(' ');
            }
            None => bare.push(c),
        }
    }
    bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_word_is_defined_and_every_production_is_used() {
    let all = productions();
    let mut used = BTreeSet::from(["file".to_owned()]);
    // Tokens are described in words; the others are made of productions alone.
    for (name, production) in all
        .iter()
        .filter(|(name, _)| name.starts_with(char::is_lowercase))
    {
        for word in words(&production.right) {
            assert!(
                all.contains_key(word.as_str()),
                "{name} uses {word}, which is not defined"
            );
            used.insert(word);
        }
    }
    for name in all.keys() {
        assert!(used.contains(*name), "{name} is defined and not used");
    }
}

#[test]
fn the_examples_reach_every_slot_and_suffix() {
    // Slots compare without the numbers they carry.
    let slot_name = |slot: &Slot| {
        format!("{slot:?}")
            .split(' ')
            .next()
            .unwrap_or("")
            .to_owned()
    };
    let suffix_name = |suffix: &SuffixSlot| format!("{suffix:?}");
    let mut wanted = BTreeSet::new();
    for row in OPCODES {
        wanted.extend(row.slots.iter().map(slot_name));
        wanted.extend(row.suffixes.iter().map(suffix_name));
    }
    for (name, production) in productions() {
        for example in &production.examples {
            for line in read(example, name).lines {
                let Some(Statement::Instruction(instruction)) = line.statement.map(|s| s.node)
                else {
                    continue;
                };
                let row = instruction.opcode.info();
                for slot in row.slots {
                    wanted.remove(&slot_name(slot));
                }
                // A suffix counts only where one of its row was written.
                if instruction.suffixes.len() == row.suffixes.len() {
                    for suffix in row.suffixes {
                        wanted.remove(&suffix_name(suffix));
                    }
                } else if !instruction.suffixes.is_empty() && row.suffixes.len() == 2 {
                    wanted.remove(&suffix_name(&row.suffixes[0]));
                }
            }
        }
    }
    assert!(wanted.is_empty(), "no example for {wanted:?}");
}
