//! The lowering against Intel's own finalizer, on random programs.
//!
//! `GenX_IR` (Debian package `libigc-tools`) lowers the same text; its listing is followed far enough
//! to know what every byte of every payload holds. Without it the test says so and passes.
//!
//! The programs are a proptest strategy ([`programs`]). Each is drawn from a seed of its own, so that
//! they run side by side and any one can be had again; one that differs is shrunk.
//!
//! `VISIM_ORACLE_PROGRAMS` sets how many programs are tried (default 240, some two thousand
//! instructions; thousands take minutes), `VISIM_ORACLE_SEED` where their seeds begin,
//! `VISIM_ORACLE_PLATFORM` keeps to one platform, `VISIM_ORACLE_SHRINKS=0` shows what differs as it was
//! drawn. A line for each platform says how it went.

mod listing;
mod machine;
mod programs;
mod sides;

use super::faults::examples;
use indexmap::IndexMap;
use programs::{Program, programs};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use rayon::prelude::*;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::process::Command;
use visim::internals::isa::Platform;

/// Platforms the finalizer knows, in the order in which seeds go through them.
const PLATFORMS: &[Platform] = &[
    Platform::Skl,
    Platform::Icl,
    Platform::Skl,
    Platform::Tgl,
    Platform::Skl,
    Platform::Dg2,
    Platform::Pvc,
    Platform::Bdw,
];

/// Steps of shrinking unless told otherwise: each runs the finalizer, which takes some hundredths of a second.
const SHRINKS: u32 = 200;

/// How one program went.
#[derive(Clone)]
enum Went {
    /// Both make the same messages.
    Agrees,
    /// The finalizer gives the program up, also in pieces: the statement it does not take.
    GivenUp(String),
    /// We refuse what the finalizer takes.
    Refused(String),
    /// The messages differ.
    Differs(String),
}

#[test]
fn random_programs_lower_as_the_finalizer_lowers_them() {
    if Command::new("GenX_IR").output().is_err() {
        println!("GenX_IR is not on PATH: the lowering is not compared with the finalizer");
        return;
    }
    let word = |name: &str| std::env::var(name).ok();
    let number = |name: &str, default: u64| {
        let value = word(name).and_then(|v| v.parse().ok());
        value.unwrap_or(default)
    };
    let count = number("VISIM_ORACLE_PROGRAMS", 240);
    let first = number("VISIM_ORACLE_SEED", 1);
    let only = word("VISIM_ORACLE_PLATFORM").and_then(|name| Platform::from_name(&name));
    let results: Vec<(u64, Platform, Went)> = (first..first + count)
        .into_par_iter()
        .map(|seed| {
            let turn = PLATFORMS[(seed % PLATFORMS.len() as u64) as usize];
            let platform = only.unwrap_or(turn);
            (seed, platform, drawn(seed, platform))
        })
        .collect();
    let mut counts: IndexMap<Platform, [u32; 4]> = IndexMap::new();
    for (_, platform, went) in &results {
        let row = counts.entry(*platform).or_default();
        row[match went {
            Went::Agrees => 0,
            Went::GivenUp(_) => 1,
            Went::Refused(_) => 2,
            Went::Differs(_) => 3,
        }] += 1;
    }
    for (platform, [agree, given_up, refused, differ]) in &counts {
        println!(
            "{platform}: {agree} programs agree, {differ} differ, {given_up} the finalizer gives up, {refused} we refuse"
        );
    }
    for (seed, _, went) in &results {
        if let Went::GivenUp(statement) = went {
            println!("seed {seed}: the finalizer gives up {statement}");
        }
    }
    let failures: Vec<_> = results
        .iter()
        .filter_map(|(seed, platform, went)| match went {
            Went::Refused(why) | Went::Differs(why) => Some((seed, platform, why)),
            _ => None,
        })
        .collect();
    for (seed, platform, why) in failures.iter().take(24) {
        println!("seed {seed}, {platform}: {why}\n");
    }
    let all = failures.len();
    assert!(failures.is_empty(), "{all} of {count} programs differ");
    let agree: u32 = counts.values().map(|row| row[0]).sum();
    assert!(
        u64::from(agree) * 20 > count * 19,
        "the finalizer takes only {agree} of {count}"
    );
}

#[test]
fn faults_are_followed_as_the_finalizer_makes_them() {
    if Command::new("GenX_IR").output().is_err() {
        println!("GenX_IR is not on PATH: the faults are not compared with the finalizer");
        return;
    }
    let mut differ = Vec::new();
    for example in examples::EXAMPLES {
        let platform = Platform::from_name(example.platform).expect("a platform");
        let text = examples::program(example.statement, true);
        match compare(&text, platform) {
            Ok(true) => {}
            Ok(false) => differ.push(format!("{}: given up", example.fault)),
            Err(Went::Refused(why) | Went::Differs(why)) => {
                differ.push(format!("{}: {why}", example.fault));
            }
            Err(_) => {}
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Draws the program of a seed and compares; one that differs is shrunk as far as it still does.
fn drawn(seed: u64, platform: Platform) -> Went {
    let shrinks = std::env::var("VISIM_ORACLE_SHRINKS").ok();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: 1,
        max_shrink_iters: shrinks.and_then(|n| n.parse().ok()).unwrap_or(SHRINKS),
        max_shrink_time: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    // Shrinking a choice that no instruction looks at gives the same program again.
    let last: RefCell<Option<(String, Went)>> = RefCell::new(None);
    let went = |program: &Program| {
        let text = program.text(&program.statements);
        if let Some((before, went)) = &*last.borrow()
            && *before == text
        {
            return went.clone();
        }
        let went = tried(program, platform);
        *last.borrow_mut() = Some((text, went.clone()));
        went
    };
    let first: RefCell<Option<Went>> = RefCell::new(None);
    let result = runner.run(&programs(platform), |program| {
        let went = went(&program);
        let failed = matches!(went, Went::Refused(_) | Went::Differs(_));
        first.borrow_mut().get_or_insert(went);
        match failed {
            true => Err(TestCaseError::fail("differs")),
            false => Ok(()),
        }
    });
    match result {
        Err(TestError::Fail(_, least)) => tried(&least, platform),
        _ => first.into_inner().unwrap_or(Went::Agrees),
    }
}

/// Lowers a program twice and compares.
fn tried(program: &Program, platform: Platform) -> Went {
    // A finalizer that gives up (it runs out of registers now and then) says nothing about us, so
    // the program is tried in ever smaller pieces.
    let count = program.statements.len();
    let mut piece = count;
    let mut last = String::new();
    while piece > 0 {
        let mut taken = 0;
        for statements in program.statements.chunks(piece) {
            let text = program.text(statements);
            match compare(&text, platform) {
                Ok(true) => taken += statements.len(),
                Ok(false) => last = statements.join("; "),
                Err(Went::Refused(why)) => return Went::Refused(why + "\n" + body(&text)),
                Err(Went::Differs(why)) => return Went::Differs(why + "\n" + body(&text)),
                Err(went) => return went,
            }
        }
        if taken == count {
            return Went::Agrees;
        }
        piece /= 2;
    }
    Went::GivenUp(last)
}

/// What a program has that others have not: all begin with the same declarations.
fn body(text: &str) -> &str {
    text.split_once("main:\n").map_or(text, |(_, body)| body)
}

/// Whether both sides make the same of a text; false if the finalizer does not take it.
fn compare(text: &str, platform: Platform) -> Result<bool, Went> {
    let theirs = listing::finalize(text, platform).map_err(Went::Differs)?;
    let Some(theirs) = theirs else {
        return Ok(false);
    };
    let ours = sides::lower(text, platform).map_err(Went::Refused)?;
    let mut differences = String::new();
    if ours.native != theirs.native {
        let (ours, theirs) = (&ours.native, &theirs.native);
        let _ = write!(differences, "\n  math: {ours:?}, not {theirs:?}");
    }
    if !theirs.strange.is_empty() {
        let strange = theirs.strange.join(", ");
        let _ = write!(differences, "\n  of the listing {strange} is not followed");
    }
    let (ours, theirs) = (ours.sends, theirs.sends);
    if ours.len() != theirs.len() {
        let (ours, theirs) = (ours.len(), theirs.len());
        let why = format!("{ours} sends, not {theirs}");
        return Err(Went::Differs(why));
    }
    for (a, b) in ours.iter().zip(&theirs) {
        if let Err(why) = sides::agree(a, b) {
            let _ = write!(differences, "\n  {}\n    {why}\n    {}", a.visa, b.text);
        }
    }
    match differences.is_empty() {
        true => Ok(true),
        false => Err(Went::Differs(differences)),
    }
}
