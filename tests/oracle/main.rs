//! The lowering against Intel's own finalizer, on random programs.
//!
//! `GenX_IR` (Debian package `libigc-tools`) lowers the same text; its listing is followed far enough
//! to know what every byte of every payload holds. Without it the test says so and passes.
//!
//! `VISIM_ORACLE_PROGRAMS` sets how many programs are tried (default 240, some three thousand
//! instructions; thousands take minutes), `VISIM_ORACLE_SEED` where they begin, `VISIM_ORACLE_PLATFORM`
//! keeps to one platform. A line for each platform says how it went.

mod listing;
mod programs;
mod sides;

use programs::{Draw, Random};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use visim::isa::Platform;

/// Platforms the finalizer knows, and how often each is drawn. Gen8 is left to
/// `VISIM_ORACLE_PLATFORM=bdw`: there the finalizer gives up every third program, and puts headers in
/// front of messages for reasons that its listing does not tell.
const PLATFORMS: &[Platform] = &[
    Platform::Skl,
    Platform::Skl,
    Platform::Skl,
    Platform::Icl,
    Platform::Tgl,
    Platform::Dg2,
    Platform::Pvc,
];

/// How one program went.
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
            let (platform, went) = program(seed, only);
            (seed, platform, went)
        })
        .collect();
    let mut counts: BTreeMap<Platform, [u32; 4]> = BTreeMap::new();
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

/// Makes one program, lowers it twice, compares.
fn program(seed: u64, only: Option<Platform>) -> (Platform, Went) {
    let mut random = Random::new(seed);
    let drawn = PLATFORMS[random.below(PLATFORMS.len() as u64) as usize];
    let platform = only.unwrap_or(drawn);
    let draw = Draw::new(&mut random, platform);
    // A finalizer that gives up (it runs out of registers now and then) says nothing about us, so
    // the program is tried in ever smaller pieces.
    let mut piece = draw.statements.len();
    let mut last = String::new();
    while piece > 0 {
        let mut taken = 0;
        for statements in draw.statements.chunks(piece) {
            match compare(&draw.text(statements), platform) {
                Ok(true) => taken += 1,
                Ok(false) => last = statements.join("; "),
                Err(went) => return (platform, went),
            }
        }
        if taken * piece >= draw.statements.len() {
            return (platform, Went::Agrees);
        }
        piece /= 2;
    }
    (platform, Went::GivenUp(last))
}

/// Whether both sides make the same of a text; false if the finalizer does not take it.
fn compare(text: &str, platform: Platform) -> Result<bool, Went> {
    let theirs =
        listing::finalize(text, platform).map_err(|why| Went::Differs(format!("{why}\n{text}")))?;
    let Some(theirs) = theirs else {
        return Ok(false);
    };
    let ours =
        sides::lower(text, platform).map_err(|why| Went::Refused(format!("{why}\n{text}")))?;
    let mut differences = String::new();
    if ours.native != theirs.native {
        let (ours, theirs) = (&ours.native, &theirs.native);
        let _ = write!(differences, "\n  math: {ours:?}, not {theirs:?}");
    }
    let (ours, theirs) = (ours.sends, theirs.sends);
    if ours.len() != theirs.len() {
        let (ours, theirs) = (ours.len(), theirs.len());
        let why = format!("{ours} sends, not {theirs}\n{text}");
        return Err(Went::Differs(why));
    }
    for (a, b) in ours.iter().zip(&theirs) {
        if let Err(why) = sides::agree(a, b) {
            let _ = write!(differences, "\n  {}\n    {why}\n    {}", a.visa, b.text);
        }
    }
    match differences.is_empty() {
        true => Ok(true),
        false => Err(Went::Differs(format!("{differences}\n{text}"))),
    }
}
