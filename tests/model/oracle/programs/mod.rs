//! Random legal programs: messages of every kind, operands together and apart, with and without headers.

mod memory;
mod output;
mod samplers;

pub use output::TARGET_HEADER;

use super::machine::in_this_run;
use memory::{atomic, media, oword, scaled, scatter, scattered, svm, typed};
use output::{math, raw, sync, target};
use proptest::prelude::*;
use samplers::{avs, gather4, info, load, odd_lanes, sample};
use std::fmt::Write as _;
use visim::internals::isa::{ChannelMask, Platform};

/// Instructions of one program at most.
const INSTRUCTIONS: usize = 16;

/// Choices that one instruction, or what is in front of all, takes at most.
const CHOICES: usize = 64;

/// The choices of a part of a program, one after the other: numbers that proptest draws. A smaller
/// number is an earlier alternative, and earlier ones are plainer, so shrinking makes plainer programs.
pub struct Choices<'a>(std::slice::Iter<'a, u16>);

impl Choices<'_> {
    fn below(&mut self, n: u64) -> u64 {
        let drawn = self.0.next().copied().unwrap_or(0);
        (u64::from(drawn) * n) >> 16
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == n - 1
    }
}

/// A program: what all of them declare, what this one sets, and its instructions.
#[derive(Clone, Debug)]
pub struct Program {
    head: String,
    pub statements: Vec<String>,
}

/// Programs for a platform.
pub fn programs(platform: Platform) -> impl Strategy<Value = Program> {
    let choices = || proptest::array::uniform::<_, CHOICES>(any::<u16>());
    let instructions = proptest::collection::vec(choices(), 1..=INSTRUCTIONS);
    (choices(), instructions, choices()).prop_map(move |(head, instructions, last)| Program {
        head: declarations() + &settings(&mut Choices(head.iter())),
        statements: instructions
            .iter()
            .map(|drawn| statement(&mut Choices(drawn.iter()), platform))
            .chain(brought_back(&mut Choices(last[1..].iter())))
            .chain(last_word(&mut Choices(last.iter()), platform))
            .collect(),
    })
}

impl Program {
    /// The program with some of its instructions.
    pub fn text(&self, statements: &[String]) -> String {
        let mut text = self.head.clone();
        for statement in statements {
            let _ = writeln!(text, "    {statement}");
        }
        text += "    ret (M1, 1)\n";
        text
    }
}

/// The numbers of surface and sampler, known or not, and the predicate.
fn settings(choices: &mut Choices) -> String {
    let mut head = String::new();
    let mut number = |to: &str, below: u64, unknown: &str, one_in: u64| {
        let drawn = choices.below(below);
        let from = match choices.one_in(one_in) {
            true => unknown.into(),
            false => format!("{drawn}:ud"),
        };
        let _ = writeln!(head, "    movs (M1_NM, 1) {to}(0) {from}");
    };
    number("T6", 240, "C0(0,2)<0;1,0>", 4);
    number("S16", 16, "C0(0,3)<0;1,0>", 5);
    for (to, at) in [("%bss", 4), ("S31", 4 + choices.below(2))] {
        let _ = writeln!(head, "    movs (M1_NM, 1) {to}(0) C0(0,{at})<0;1,0>");
    }
    head + "    cmp.gt (M1, 16) P1 A5(0,0)<8;8,1> 0x80000000:ud\n"
        + "    cmp.gt (M1, 8) P2 A4(0,0)<8;8,1> 0x80000000:ud\n"
}

/// What the comparisons of [`settings`] leave in a predicate.
pub fn flag_bits(name: &str) -> u32 {
    let (from, lanes) = match name {
        "P1" => ("A5", 16),
        _ => ("A4", 8),
    };
    // The sign of lane i is the highest bit of its dword; none of them is the bound itself.
    let on = |lane: u32| in_this_run(from, 4 * lane + 3) >> 7 != 0;
    (0..lanes).fold(0, |bits, lane| bits | u32::from(on(lane)) << lane)
}

/// Declarations all programs share; sizes leave the finalizer registers to spare.
fn declarations() -> String {
    let mut t = String::from(".version 4.1\n.kernel \"k\"\n");
    let mut offset = 64;
    let mut inputs = String::new();
    let mut input = |t: &mut String, name: &str, ty: &str, count: u32, bytes: u32| {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF"
        );
        let _ = writeln!(
            inputs,
            ".input {name} offset={offset} size={}",
            count * bytes
        );
        offset += count * bytes;
    };
    for i in 0..6 {
        input(&mut t, &format!("A{i}"), "ud", 16, 4);
    }
    for i in 0..6 {
        input(&mut t, &format!("F{i}"), "f", 16, 4);
    }
    for i in 0..3 {
        input(&mut t, &format!("H{i}"), "hf", 32, 2);
    }
    input(&mut t, "P0", "ud", 80, 4);
    input(&mut t, "C0", "ud", 16, 4);
    input(&mut t, "B0", "w", 32, 2);
    input(&mut t, "E0", "f", 16, 4);
    input(&mut t, "Q0", "uq", 16, 8);
    input(&mut t, "D0", "f", 128, 4);
    let _ = writeln!(t, ".decl VF v_type=G type=f num_elts=160 align=GRF");
    for (name, ty, count) in [
        ("VU", "ud", 160),
        ("VI", "d", 160),
        ("VH", "hf", 320),
        ("VW", "uw", 320),
        ("VB", "ub", 640),
        ("VQ", "uq", 80),
    ] {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF alias=<VF,0>"
        );
    }
    for (name, of, ty, count) in [
        ("W0", "A0", "uw", 32),
        ("W1", "A1", "uw", 32),
        ("I0", "A2", "d", 16),
        ("DQ", "D0", "uq", 64),
    ] {
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type={ty} num_elts={count} align=GRF alias=<{of},0>"
        );
    }
    t += ".decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=8\n.decl T6 v_type=T num_elts=1\n.decl S16 v_type=S num_elts=1\n";
    t += &inputs;
    t += ".kernel_attr Target=\"cm\"\n.function \"main\"\nmain:\n";
    t
}

fn channels(choices: &mut Choices) -> String {
    ChannelMask(1 + choices.below(15) as u8).to_string()
}

/// A mask part that suits the size: offsets are multiples of it.
fn lanes(choices: &mut Choices, size: u64) -> String {
    let places = if size == 8 { 4 } else { 2 };
    let place = 1 + choices.below(places) * size / 4;
    let no_mask = if choices.one_in(4) { "_NM" } else { "" };
    format!("(M{place}{no_mask}, {size})")
}

fn scalar(choices: &mut Choices) -> String {
    match choices.below(4) {
        0 => format!("{:#x}:ud", choices.below(4096)),
        1 => format!("-{}:w", 1 + choices.below(30)),
        2 => format!("B0(0,{})<0;1,0>", choices.below(16)),
        _ => format!("C0(0,{})<0;1,0>", choices.below(8)),
    }
}

fn unsigned(choices: &mut Choices) -> String {
    match choices.below(3) {
        0 => "0x0:ud".into(),
        1 => format!("{:#x}:ud", 16 * choices.below(64)),
        _ => format!("C0(0,{})<0;1,0>", choices.below(8)),
    }
}

fn predicate(choices: &mut Choices, size: u64) -> String {
    if choices.below(3) < 2 {
        return String::new();
    }
    let not = choices.pick(&["", "!"]);
    // Now and then of another width than the lanes.
    let name = if (size == 16) != choices.one_in(8) {
        "P1"
    } else {
        "P2"
    };
    let group = choices.pick(&["", "", ".any", ".all"]);
    format!("({not}{name}{group}) ")
}

/// All that the program has brought back goes out again: what every byte of it is shows in the payload.
fn brought_back(choices: &mut Choices) -> Vec<String> {
    let piece = |at: u32| format!("oword_st (8) T6 0x0:ud VF.{at}");
    let all = choices.below(5) as u32;
    (0..all).map(|i| piece(128 * i)).collect()
}

fn statement(choices: &mut Choices, platform: Platform) -> String {
    match choices.below(24) {
        23 => format!("oword_st (8) T6 0x0:ud VF.{}", 64 * choices.below(8)),
        22 => odd_lanes(choices),
        0..=2 => media(choices, platform),
        3..=5 => load(choices, platform),
        6..=8 => sample(choices, platform),
        9 => gather4(choices, platform),
        10 => info(choices),
        11 => avs(choices, platform),
        12 => oword(choices, platform),
        13 => scattered(choices, platform),
        14 => scaled(choices, platform),
        15 => typed(choices, platform),
        16 => atomic(choices, platform),
        17 => svm(choices, platform),
        18 if platform == Platform::Pvc => load(choices, platform),
        18 => target(choices, platform),
        19 => sync(choices, platform),
        20 => math(choices, platform),
        _ => raw(choices, platform),
    }
}

/// Copies that go astray on PVC, over whatever lies after a payload or a header: nothing may follow them, nor may
/// the number of their surface lie there.
fn last_word(choices: &mut Choices, platform: Platform) -> Option<String> {
    let now = choices.one_in(3) && platform == Platform::Pvc;
    let last = now.then(|| match choices.below(4) {
        0 => scatter(choices, platform).replace("%bss", "T6"),
        _ => target(choices, platform),
    });
    last.map(|last| format!("movs (M1_NM, 1) T6(0) 7:ud\n    {last}"))
}
