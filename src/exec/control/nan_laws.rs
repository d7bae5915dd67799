//! When a program gets code that makes NaN.

use super::lockstep;
use super::native_laws::environment;
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::laws::lowered;
use crate::exec::compute::native::NativeCode;
use crate::exec::message::blocks::Kept;
use crate::exec::message::environment::{Allowance, Environment};
use crate::exec::message::site_plans::SitePlans;
use crate::exec::state::bindings::{Bindings, Resources};
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::observer::Silent;
use crate::exec::state::thread::{Thread, ThreadId};
use crate::program::Program;
use crate::surface::Memory;
use std::sync::atomic::Ordering::Relaxed;

/// A loop of so many turns, the first op of which is a function of a number, and the second one adds it up.
fn sums(function: &str, of: f32, turns: u32) -> Program {
    let more = match function {
        "pow" => "A(0,0)<1;1,0>",
        _ => "",
    };
    lowered(format!(
        ".version 3.6
.kernel \"k\"
.decl I v_type=G type=d num_elts=1 align=GRF
.decl A v_type=G type=f num_elts=16 align=GRF
.decl B v_type=G type=f num_elts=16 align=GRF
.decl C v_type=G type=f num_elts=16 align=GRF
.decl P v_type=P num_elts=1
mov (M1_NM, 1) I(0,0)<1> 0x0:d
mov (M1, 16) A(0,0)<1> 0x{:x}:f
again:
{function} (M1, 16) B(0,0)<1> A(0,0)<1;1,0> {more}
add (M1, 16) C(0,0)<1> C(0,0)<1;1,0> B(0,0)<1;1,0>
add (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x1:d
cmp.lt (M1_NM, 1) P I(0,0)<0;1,0> 0x{turns:x}:d
(P) jmp (M1_NM, 1) again
ret (M1, 1)
",
        of.to_bits()
    ))
}

/// Threads that run a program, and whether code that makes NaN was made of it; how often code was left for one since.
fn made(
    program: &Program,
    run: impl Fn(&Environment<'_>, &mut [Thread<'_>]),
) -> (bool, u32, Vec<u8>) {
    let (code, plans) = (Decoded::new(program), SitePlans::new(program));
    let resources = Resources::new(&Bindings::default());
    let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    let environment = Environment {
        limit: u64::MAX,
        ..environment(
            (&code, &plans, &resources),
            (&slm, &named, &allowance),
            NativeCode::Always,
        )
    };
    let thread = |index| {
        let id = ThreadId {
            index,
            ..ThreadId::default()
        };
        Thread::new(program, id, u32::MAX)
    };
    let mut threads: Vec<Thread<'_>> = (0..16).map(thread).collect();
    run(&environment, &mut threads);
    let makes_nan = code.cut(plans.cut(&code)).makes_nan;
    (
        makes_nan,
        code.left_for_nan().load(Relaxed),
        threads[0].arena.to_vec(),
    )
}

/// One thread by itself.
fn alone(environment: &Environment<'_>, threads: &mut [Thread<'_>]) {
    let ran = threads[0].run(environment, &mut Silent);
    ran.unwrap_or_else(|trap| panic!("{trap:?}"));
}

/// All in step.
fn in_step(environment: &Environment<'_>, threads: &mut [Thread<'_>]) {
    let mut observers: Vec<Silent> = threads.iter().map(|_| Silent).collect();
    let around = (environment, &mut Kept::default());
    let ran = lockstep::run(threads, &mut observers, around, true);
    ran.unwrap_or_else(|trap| panic!("{trap:?}"));
}

#[test]
fn code_that_is_often_left_for_a_nan_makes_them_from_there_on() {
    if !NativeCode::is_possible() {
        return;
    }
    let programs = [sums("sqrt", -1.0, 200), sums("sin", f32::INFINITY, 200)];
    for (program, run) in programs
        .iter()
        .flat_map(|p| [alone, in_step].map(|run| (p, run)))
    {
        let (makes_nan, left, bytes) = made(program, run);
        assert!(makes_nan);
        assert_eq!(left, 0);
        let sum = &program.symbols["C"];
        let first = bytes[sum.offset as usize..].first_chunk();
        assert_eq!(first, Some(&0x7fc0_0000u32.to_le_bytes()));
    }
}

#[test]
fn code_that_is_left_for_something_else_stays_as_it_is() {
    // Once in so many instructions others have their turn; sines of denormals and of large numbers are left to the
    // steps, and so are infinite powers.
    let programs = [
        sums("sqrt", 4.0, 400_000),
        sums("sin", 1e-40, 200),
        sums("sin", 1e30, 200),
        sums("pow", f32::INFINITY, 200),
    ];
    for program in programs {
        for run in [alone, in_step] {
            let (makes_nan, left, _) = made(&program, run);
            assert_eq!((makes_nan, left), (false, 0));
        }
    }
}

#[test]
fn a_nan_now_and_then_changes_nothing() {
    if !NativeCode::is_possible() {
        return;
    }
    let (makes_nan, left, _) = made(&sums("sqrt", -1.0, 1), alone);
    assert!(!makes_nan && left > 0);
}
