//! The corpora: texts, vectors and messages whose right answers were found elsewhere.
//!
//! `cargo test --test corpus` walks `tests/corpus/<suite>/` and the folders of the same names below
//! every root that `VISIM_CORPUS` lists, separated by colons. It prints one line for each suite,
//! `suite: N passed, M failed`, the failing cases with their reasons before it. A word after `--`
//! picks the suites whose name holds it; one with a slash picks the cases of which `suite/case` holds it.
//!
//! A case that ends at something visim says it does not model is counted apart, with what it named.
//!
//! A case listed in `tests/corpus/known-failures.txt` must fail: it is counted on neither side, and
//! when it passes, that is a failure.

mod suites;

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suites::{Case, SUITES, Suite, random_2026};

/// The cases that must fail, `suite/case`, with their reasons.
fn known_failures(folder: &Path) -> BTreeMap<String, String> {
    let path = folder.join("known-failures.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let entries = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let pair = |line: &str| {
        let (case, reason) = line
            .split_once(": ")
            .unwrap_or_else(|| panic!("no reason: {line}"));
        (case.to_string(), reason.to_string())
    };
    entries.map(pair).collect()
}

fn roots() -> Result<Vec<PathBuf>, String> {
    let mut roots = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")];
    let more = std::env::var_os("VISIM_CORPUS").unwrap_or_default();
    for root in std::env::split_paths(&more).filter(|p| !p.as_os_str().is_empty()) {
        if !root.is_dir() {
            return Err(format!(
                "VISIM_CORPUS names {}, which is not a folder",
                root.display()
            ));
        }
        roots.push(root);
    }
    Ok(roots)
}

fn run(case: &Case) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| (case.run)())).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("without words")))
    })
}

/// Runs one suite and prints its line; whether all is well.
fn run_suite(
    suite: &Suite,
    roots: &[PathBuf],
    known: &BTreeMap<String, String>,
    words: &[String],
) -> bool {
    let folders: Vec<PathBuf> = roots
        .iter()
        .map(|r| r.join(suite.name))
        .filter(|f| f.is_dir())
        .collect();
    let cases = match suite.cases {
        Ok(cases) if !folders.is_empty() => {
            folders.iter().flat_map(|f| cases(f)).collect::<Vec<_>>()
        }
        Ok(_) => {
            println!("{}: not run, no root has the folder", suite.name);
            return true;
        }
        Err(reason) => {
            println!("{}: not run, {reason}", suite.name);
            return true;
        }
    };
    run_cases(suite.name, cases, known, words)
}

/// Runs the cases that the words pick, and prints the line of their suite; whether all is well.
fn run_cases(
    suite: &str,
    mut cases: Vec<Case>,
    known: &BTreeMap<String, String>,
    words: &[String],
) -> bool {
    if !words.is_empty() && !words.iter().any(|w| suite.contains(w.as_str())) {
        cases.retain(|case| {
            let name = format!("{suite}/{}", case.name);
            words.iter().any(|w| name.contains(w.as_str()))
        });
    }
    let results: Vec<Result<(), String>> = cases.par_iter().map(run).collect();
    let (mut passed, mut failed, mut not_modelled) = (0, 0, 0);
    for (case, result) in cases.iter().zip(results) {
        let name = format!("{suite}/{}", case.name);
        match (result, known.get(&name)) {
            (Ok(()), None) => passed += 1,
            (Err(_), Some(reason)) => println!("  {name}: known failure: {reason}"),
            (Ok(()), Some(_)) => {
                failed += 1;
                println!("  {name}: passes, but known-failures.txt lists it");
            }
            (Err(why), None) if why.starts_with(suites::NOT_MODELLED) => {
                not_modelled += 1;
                println!("  {name}: {why}");
            }
            (Err(why), None) => {
                failed += 1;
                println!("  {name}: {why}");
            }
        }
    }
    let more = match not_modelled {
        0 => String::new(),
        n => format!(", {n} not modelled"),
    };
    println!("{suite}: {passed} passed, {failed} failed{more}");
    failed == 0
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let roots = match roots() {
        Ok(roots) => roots,
        Err(why) => {
            eprintln!("corpus: {why}");
            return ExitCode::from(2);
        }
    };
    let known = known_failures(&roots[0]);
    // A panic is a failed case with a reason; its own message would appear between the lines.
    std::panic::set_hook(Box::new(|_| {}));
    let mut well = true;
    let picked = |suite: &str| {
        let own = |w: &String| suite.contains(w.as_str()) || w.starts_with(&format!("{suite}/"));
        words.is_empty() || words.iter().any(own)
    };
    for suite in SUITES {
        if picked(suite.name) {
            well &= run_suite(suite, &roots, &known, &words);
        }
    }
    let random = random_2026::cases();
    if !random.is_empty() && picked(random_2026::NAME) {
        well &= run_cases(random_2026::NAME, random, &known, &words);
    }
    if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
