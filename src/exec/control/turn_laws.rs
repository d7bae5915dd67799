//! Programs that turn the direction of rounding leave the same bytes, counts and modes in native code as in steps.

use super::lockstep;
use super::native_laws::environment;
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::laws::{cases, dword, lowered};
use crate::exec::compute::native::{Native, NativeCode, Rounds, Seen};
use crate::exec::compute::reads;
use crate::exec::message::blocks::Kept;
use crate::exec::message::environment::{Allowance, Environment};
use crate::exec::message::site_plans::SitePlans;
use crate::exec::state::bindings::{Bindings, Resources};
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::observer::{OpCount, Silent};
use crate::exec::state::tally::Tally;
use crate::exec::state::thread::{Thread, ThreadId};
use crate::program::{Op, Program};
use crate::surface::Memory;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// What turns the direction, and what depends on it; `@` and `$` stand for a row of singles.
const LINES: &[&str] = &[
    "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud",
    "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud",
    "xor (M1_NM, 1) %cr0(0,0)<1> 0x10:ud %cr0(0,0)<0;1,0>",
    "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x20:ud",
    "mul (M1, 16) @(0,0)<1> $(0,0)<1;1,0> F0(0,0)<1;1,0>",
    "mad (M1, 16) @(0,0)<1> $(0,0)<1;1,0> F1(0,0)<1;1,0> @(0,0)<1;1,0>",
    "add (M1, 16) @(0,0)<1> $(0,0)<1;1,0> (-)F2(0,0)<1;1,0>",
    "inv (M1, 16) @(0,0)<1> $(0,0)<1;1,0>",
    "div (M1, 16) @(0,0)<1> @(0,0)<1;1,0> $(0,0)<1;1,0>",
    "sqrt (M1, 16) @(0,0)<1> (abs)$(0,0)<1;1,0>",
    "mov (M1, 16) I(0,0)<1> @(0,0)<1;1,0>",
    "mov (M1, 16) @(0,0)<1> I(0,0)<1;1,0>",
    "mov (M1, 8) X(0,0)<1> @(0,0)<1;1,0>",
    "mad (M1, 8) Y(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0> X(0,0)<1;1,0>",
    "mov (M1, 8) @(0,0)<1> Y(0,0)<1;1,0>",
    // None of the direction.
    "mul (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 0x12345:d",
    // No code in another direction than the nearest.
    "mov (M1, 16) H(0,0)<1> @(0,0)<1;1,0>",
    // Others that change the mode.
    "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x20:ud",
    "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x90:ud",
    "mov (M1, 1) %cr0(0,0)<1> S(0,0)<0;1,0>",
    "mov (M1_NM, 1) S(0,0)<1> %cr0(0,0)<0;1,0>",
    // Not of all threads.
    "xor (M1, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud",
    "(P1) xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x10:ud",
    "cmp.lt (M1, 16) P1 @(0,0)<1;1,0> $(0,0)<1;1,0>",
    "(P1) goto (M1, 16) next",
    "(P1) goto (M1, 1) next",
    "next:",
];

/// Lines that neither branch nor meet, and are code in each direction.
const STRAIGHT: std::ops::Range<usize> = 4..16;

/// Lines of a program; most of them between turns and back.
fn lines() -> impl Strategy<Value = Vec<(usize, u8)>> {
    let line = |which| (which, any::<u8>());
    let stretch = prop::collection::vec(line(STRAIGHT), 1..5).prop_map(|own| {
        let turn = vec![(0, 0)];
        [turn.clone(), own, turn].concat()
    });
    let any_line = line(0..LINES.len()).prop_map(|line| vec![line]);
    let straight = line(STRAIGHT).prop_map(|line| vec![line]);
    let part = prop_oneof![3 => stretch, 3 => straight, 2 => any_line];
    prop::collection::vec(part, 3..14).prop_map(|parts| parts.concat())
}

/// Rows of singles, one line after the other, as often as a loop goes round.
fn turning(lines: &[(usize, u8)], first: usize) -> Program {
    let mut text = String::from(
        ".version 3.6\n.kernel \"k\"\n.decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=1
.decl S v_type=G type=ud num_elts=1 align=GRF
.decl N v_type=G type=d num_elts=1 align=GRF
.decl I v_type=G type=d num_elts=16 align=GRF
.decl X v_type=G type=df num_elts=8 align=GRF
.decl Y v_type=G type=df num_elts=8 align=GRF
.decl H v_type=G type=hf num_elts=16 align=GRF\n",
    );
    for n in 0..4 {
        text += &format!(".decl F{n} v_type=G type=f num_elts=16 align=GRF\n");
    }
    text += "mov (M1_NM, 1) N(0,0)<1> 0x0:d\n";
    text += ["", "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n"][first % 2];
    text += "again:\n";
    // Labels are told apart; a branch leads to the next one.
    let mut labels = 0;
    for (which, rows) in lines {
        let [to, from] = [rows % 4, rows / 4 % 4].map(|n| format!("F{n}"));
        let line = LINES[*which].replace('@', &to).replace('$', &from);
        text += &line.replace("next", &format!("next{labels}"));
        text += "\n";
        labels += usize::from(line == "next:");
    }
    text += &format!(
        "next{labels}:
add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:d
cmp.lt (M1_NM, 1) P2 N(0,0)<0;1,0> 0x3:d
(P2) goto (M1, 1) again
ret (M1, 1)\n"
    );
    lowered(text)
}

/// What is left of threads: bytes, instructions, the mode; and what was counted.
type Left = (Vec<(Vec<u8>, u64, FloatMode)>, Vec<OpCount>);

/// The same of threads that begin with these dwords.
fn left(
    program: &Program,
    (words, masks): (&[u32], &[u32]),
    native: NativeCode,
    [together, counts]: [bool; 2],
) -> Left {
    let (code, plans) = (Decoded::new(program), SitePlans::new(program));
    let resources = Resources::new(&Bindings::default());
    let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    let around = (&slm, &named, &allowance);
    let tally = counts.then(|| Tally::new(program));
    let environment = Environment {
        tally: tally.as_ref(),
        ..environment((&code, &plans, &resources), around, native)
    };
    let mut threads: Vec<Thread<'_>> = (0..)
        .zip(masks)
        .map(|(index, &mask)| {
            let id = ThreadId {
                index,
                ..ThreadId::default()
            };
            let mut thread = Thread::new(program, id, mask);
            for name in ["S", "I", "X", "Y", "F0", "F1", "F2", "F3"] {
                let own = thread.arena[program.symbols[name].range()].chunks_exact_mut(4);
                let values = words.iter().cycle().skip(7 * index as usize + own.len());
                for (to, value) in own.zip(values) {
                    to.copy_from_slice(&value.to_le_bytes());
                }
            }
            thread
        })
        .collect();
    if together {
        let mut observers: Vec<Silent> = masks.iter().map(|_| Silent).collect();
        let around = (&environment, &mut Kept::default());
        let ran = lockstep::run(&mut threads, &mut observers, around, true);
        ran.expect("nothing is reported");
        if let Some(tally) = &tally {
            tally.settle(threads.len());
        }
    } else {
        for thread in &mut threads {
            if let Some(tally) = &tally {
                tally.begin(std::slice::from_mut(thread));
            }
            thread
                .run(&environment, &mut Silent)
                .expect("nothing is reported");
            if let Some(tally) = &tally {
                tally.settle(1);
            }
        }
    }
    let left = threads.into_iter();
    let left = left.map(|t| (t.arena.to_vec(), t.executed, t.mode));
    let counted = tally.map(|tally| tally.take(|number| code.counted(number, plans.texels())));
    (left.collect(), counted.unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3_000), max_shrink_iters: 3000, failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/seeds/turns.txt"))), ..ProptestConfig::default() })]

    #[test]
    fn native_code_turns_as_steps_do(
        lines in lines(),
        first in 0..4usize,
        words in prop::collection::vec(dword(), 96),
        tame in prop::bool::weighted(0.7),
        masks in prop::collection::vec(prop_oneof![Just(u32::MAX), 1u32.., Just(0xffff)], 1..5),
        how in any::<[bool; 2]>(),
    ) {
        // Mostly values that make no NaN, or code would be left at once.
        let value = |&w: &u32| match tame && w >> 23 & 0xff > 160 { true => w & 0xbfff_ffff, false => w };
        let words: Vec<u32> = words.iter().map(value).collect();
        let program = turning(&lines, first);
        let run = |native| left(&program, (&words, &masks), native, how);
        let ((native, counted), (steps, wanted)) = (run(NativeCode::Always), run(NativeCode::Never));
        for (native, steps) in native.iter().zip(&steps) {
            let differ = native.0.iter().zip(&steps.0).position(|(a, b)| a != b);
            prop_assert_eq!((differ, native.1, native.2), (None, steps.1, steps.2));
        }
        prop_assert_eq!(counted, wanted);
    }
}

/// What compiled divisions do is code from the first op to the last.
#[test]
fn a_turn_and_back_is_code() {
    let made = |lines: &[(usize, u8)]| {
        let program = turning(lines, 1);
        let mut entered = vec![false; program.ops.len() + 1];
        for op in &program.ops {
            let (ways, _) = reads::ways(op);
            ways.iter().for_each(|&to| entered[to as usize] = true);
        }
        let (rounds, seen) = ((Rounds::Kept, false), (Seen::Bytes, 0));
        let native = Native::new(
            (&program, &program.image),
            &entered,
            rounds,
            seen,
            |_| true,
            |_, _| None,
        );
        // Behind what sets the mode first.
        let mut ops = (0..).zip(&program.ops).skip(3);
        native.is_some_and(|native| {
            ops.all(|(pc, op)| native.covers(pc) || matches!(op, Op::Return { .. }))
        })
    };
    assert!(made(&[(0, 0), (7, 0), (13, 0), (0, 0), (4, 0)]));
    assert!(made(&[(2, 0), (4, 1), (3, 0), (5, 1), (0, 0)]));
    // It is not turned back, and what is between has no code.
    assert!(!made(&[(0, 0), (7, 0), (4, 0)]));
    assert!(!made(&[(0, 0), (16, 0), (0, 0), (4, 0)]));
    // Lanes may come in between, or go.
    assert!(made(&[(23, 1), (24, 0), (0, 0), (4, 0), (0, 0)]));
    assert!(!made(&[(23, 1), (24, 0), (0, 0), (26, 0), (4, 0), (0, 0)]));
    assert!(!made(&[(23, 1), (0, 0), (24, 0), (4, 0), (0, 0)]));
}
