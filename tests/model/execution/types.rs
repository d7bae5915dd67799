//! Every instruction that computes, with every pair of destination and source types: the check takes what the
//! text reference allows and refuses the rest by name, and what it takes runs.
//!
//! Source: vISA text reference 5.14, 6.3 and 7.8.

use visim::internals::check::{CheckOptions, check};
use visim::internals::isa::Platform;
use visim::internals::launch::{self, Bindings, Grid, RunOptions, Silent};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};

const TYPES: [&str; 11] = ["ub", "b", "uw", "w", "ud", "d", "uq", "q", "hf", "f", "df"];

const ALL: &str = "ub b uw w ud d uq q hf f df";
const INTEGERS: &str = "ub b uw w ud d uq q";
const TO_32: &str = "ub b uw w ud d";
const NOT_QUAD: &str = "ub b uw w ud d hf f df";
const SHORT: &str = "uw w ud d";

/// Mnemonic, how many sources, and the types of destination and sources.
#[rustfmt::skip]
const ROWS: &[(&str, usize, &str, &str)] = &[
    ("add", 2, ALL, ALL), ("mad", 3, ALL, ALL), ("mul", 2, ALL, NOT_QUAD),
    ("avg", 2, TO_32, TO_32), ("mod", 2, TO_32, TO_32), ("div", 2, NOT_QUAD, NOT_QUAD),
    ("mulh", 2, "ud d", TO_32), ("dp4a", 3, "ud d", TO_32), ("add3", 3, SHORT, SHORT), ("bfn.xe8", 3, SHORT, SHORT),
    ("frc", 1, "f", "f"), ("rndd", 1, "f", "f"), ("rndu", 1, "f", "f"), ("rnde", 1, "f", "f"), ("rndz", 1, "f", "f"),
    ("lrp", 3, "f", "f"), ("dp2", 2, "f", "f"), ("dp3", 2, "f", "f"), ("dp4", 2, "f", "f"), ("dph", 2, "f", "f"),
    ("log", 1, "f hf", "f hf"), ("exp", 1, "f hf", "f hf"), ("sin", 1, "f hf", "f hf"), ("cos", 1, "f hf", "f hf"),
    ("rsqrt", 1, "f hf", "f hf"), ("pow", 2, "f hf", "f hf"),
    ("inv", 1, "f hf df", "f hf df"), ("sqrt", 1, "f hf df", "f hf df"),
    ("divm", 2, "f df", "f df"), ("sqrtm", 1, "f df", "f df"),
    ("sad2", 2, "uw w", "ub b"),
    ("and", 2, INTEGERS, INTEGERS), ("or", 2, INTEGERS, INTEGERS), ("xor", 2, INTEGERS, INTEGERS), ("not", 1, INTEGERS, INTEGERS),
    ("shl", 2, INTEGERS, INTEGERS), ("shr", 2, INTEGERS, INTEGERS), ("asr", 2, INTEGERS, INTEGERS),
    ("rol", 2, "uw w ud d uq q", "uw w ud d uq q"), ("ror", 2, "uw w ud d uq q", "uw w ud d uq q"),
    ("cbit", 1, TO_32, TO_32), ("fbl", 1, TO_32, TO_32), ("fbh", 1, TO_32, TO_32), ("bfrev", 1, TO_32, TO_32),
    ("bfe", 3, TO_32, TO_32), ("bfi", 4, TO_32, TO_32), ("lzd", 1, "ud", "ud"),
    ("mov", 1, ALL, ALL),
];

/// What a platform lacks of a row. Source: the table of section 5.14.
fn lacks(platform: Platform, mnemonic: &str, ty: &str) -> bool {
    let word = mnemonic.split('.').next().unwrap_or_default();
    let float = matches!(ty, "hf" | "f" | "df");
    match word {
        "rol" | "ror" if matches!(ty, "uq" | "q") => platform.place() < Platform::Pvc.place(),
        "rol" | "ror" => platform.place() < Platform::Icl.place(),
        "dp4a" => platform.place() < Platform::Tgl.place(),
        "sad2" => platform.place() >= Platform::Tgl.place(),
        "add3" | "bfn" => platform.place() < Platform::Dg2.place(),
        "div" | "mod" if !float => platform.place() >= Platform::Dg2.place(),
        "divm" | "sqrtm" => {
            (Platform::Icl.place()..=Platform::Dg2.place()).contains(&platform.place())
        }
        "inv" | "div" | "sqrt" if ty == "df" => {
            (Platform::Icl.place()..=Platform::Dg2.place()).contains(&platform.place())
        }
        _ => false,
    }
}

/// Floats and integers meet only in moves, doubles only doubles.
fn meet(mnemonic: &str, dst: &str, src: &str) -> bool {
    let kind = |ty| match ty {
        "df" => 2,
        "f" | "hf" => 1,
        _ => 0,
    };
    mnemonic == "mov" || kind(dst) == kind(src)
}

/// The program of some lines, and the lines that the check refuses, with what it says.
fn checked(
    platform: Platform,
    lines: &[String],
) -> (visim::internals::check::Checked, Vec<(usize, String)>) {
    let mut text = String::from(".version 4.1\n.kernel \"types\"\n");
    for ty in TYPES {
        text += &format!(".decl D{ty} v_type=G type={ty} num_elts=64 align=GRF\n");
        text += &format!(".decl S{ty} v_type=G type={ty} num_elts=64 align=GRF\n");
    }
    let before = text.lines().count();
    text += &lines.join("\n");
    let source = Source::new("types.visa", format!("{text}\n"));
    let parsed = parse(&source, &ParseOptions::default());
    let options = CheckOptions {
        platform,
        ..CheckOptions::default()
    };
    let (checked, said) = check(&parsed.module, &options);
    let said = parsed.diagnostics.iter().chain(&said);
    let refused = said.filter(|d| d.class().is_fatal()).map(|d| {
        let line = source.line_column(d.labels[0].span.start).0 as usize;
        (line - before - 1, format!("{} {}", d.code, d.message))
    });
    let refused = refused.collect();
    (checked, refused)
}

#[test]
fn every_pair_of_types_runs_or_is_refused_by_name() {
    for platform in [Platform::Skl, Platform::Tgl, Platform::Dg2, Platform::Pvc] {
        let mut lines = Vec::new();
        let mut wanted = Vec::new();
        for (mnemonic, sources, to, from) in ROWS {
            for dst in TYPES {
                for src in TYPES {
                    let sources = format!(" S{src}(0,0)<1;1,0>").repeat(*sources);
                    lines.push(format!("    {mnemonic} (M1, 8) D{dst}(0,0)<1>{sources}"));
                    let of = |types: &str, ty: &str| types.split(' ').any(|t| t == ty);
                    let both = of(to, dst) && of(from, src) && meet(mnemonic, dst, src);
                    let there = !lacks(platform, mnemonic, src) && !lacks(platform, mnemonic, dst);
                    wanted.push(both && there);
                }
            }
        }
        let (_, refused) = checked(platform, &lines);
        let mut taken = vec![true; lines.len()];
        for (line, said) in &refused {
            taken[*line] = false;
            let opcode = lines[*line].split_whitespace().next().unwrap_or_default();
            let opcode = opcode.split('.').next().unwrap_or_default();
            assert!(
                said.contains(opcode),
                "{platform}: {}: {said}",
                lines[*line]
            );
        }
        let all = lines.iter().zip(taken).zip(wanted);
        let (good, wrong): (Vec<_>, Vec<_>) = all.partition(|((_, taken), wanted)| taken == wanted);
        assert!(wrong.is_empty(), "{platform}: {wrong:#?}");
        let runs = good.into_iter().filter(|((_, taken), _)| *taken);
        let runs: Vec<String> = runs.map(|((line, _), _)| line.clone()).collect();
        let (program, refused) = checked(platform, &runs);
        assert!(refused.is_empty(), "{refused:?}");
        let program = lower(&program, "", &LowerOptions::default()).expect("it lowers");
        let options = RunOptions::default();
        let run = launch::run(
            &program,
            &Bindings::default(),
            &Grid::single(),
            &options,
            |_| Silent,
        );
        run.unwrap_or_else(|trap| panic!("{platform}: {trap:#?}"));
    }
}
