//! Branches, calls, barriers.

use super::{DECLS, as_dwords, c, program, run_with};
use visim::internals::launch::{self, Bindings, Grid, Keep, RunOptions, Silent};

#[test]
fn lanes_of_a_forward_goto_rejoin_at_the_label() {
    let code = "cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x4:d
(P1) goto (M1, 8) low
mov (M1, 8) C(0,0)<1> 0x1:d
goto (M1, 8) join
low:
mov (M1, 8) C(0,0)<1> 0x2:d
join:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x10:d
mov (M1_NM, 1) C(1,0)<1> %ce0(0,0)<0;1,0>
";
    let got = c(code, &[0, 1, 2, 3, 4, 5, 6, 7], &[]);
    let (low, high) = (0x12, 0x11);
    assert_eq!(got[..8], [low, low, low, low, high, high, high, high]);
    // 32 lanes were dispatched; all of them are back together.
    assert_eq!(got[8], u32::MAX);
}

#[test]
fn lanes_leave_a_loop_one_after_the_other() {
    // Each lane counts A down to 0 and B counts its rounds; C counts rounds of the whole loop.
    let code = "mov (M1, 8) B(0,0)<1> 0x0:d
mov (M1, 8) C(0,0)<1> 0x0:d
again:
add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x1:d
add (M1_NM, 1) C(0,0)<1> C(0,0)<0;1,0> 0x1:d
add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> -1:d
cmp.gt (M1, 8) P1 A(0,0)<1;1,0> 0x0:d
(P1) goto (M1, 8) again
mov (M1, 8) C(1,0)<1> B(0,0)<1;1,0>
";
    let got = c(code, &[1, 2, 3, 4, 5, 1, 1, 9], &[]);
    assert_eq!(got[8..], [1, 2, 3, 4, 5, 1, 1, 9]);
    assert_eq!(got[0], 9);
}

#[test]
fn a_nested_branch_inside_a_loop_rejoins_inside() {
    // Lanes with an odd counter add 100, the others 1, for three rounds; a third path leaves early.
    let code = "mov (M1, 8) C(0,0)<1> 0x0:d
mov (M1, 8) B(0,0)<1> 0x0:d
loop:
and (M1, 8) C(1,0)<1> A(0,0)<1;1,0> 0x1:d
cmp.ne (M1, 8) P1 C(1,0)<1;1,0> 0x0:d
(!P1) goto (M1, 8) even
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x64:d
goto (M1, 8) next
even:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:d
cmp.eq (M1, 8) P2 A(0,0)<1;1,0> 0x6:d
(P2) goto (M1, 8) out
next:
add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x1:d
add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x1:d
cmp.lt (M1, 8) P1 B(0,0)<1;1,0> 0x3:d
(P1) goto (M1, 8) loop
out:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2710:d
";
    let got = c(code, &[0, 1, 2, 3, 4, 5, 6, 7], &[]);
    // From 0: even odd even = 1 + 100 + 1; from 1: 100 + 1 + 100. From 4: even, odd, then 6 leaves
    // = 102; from 5: odd, then 6 leaves = 101; from 6: leaves = 1; from 7: 100 + 1 + 100.
    let wanted = [102, 201, 102, 201, 102, 101, 1, 201].map(|v| v + 10000);
    assert_eq!(got[..8], wanted);
}

#[test]
fn uniform_branches_go_by_the_first_bit() {
    let code = "setp (M1_NM, 16) P1 0xfffe:uw
mov (M1, 8) C(0,0)<1> 0x0:d
(P1) goto (M1, 1) over
mov (M1, 8) C(0,0)<1> 0x1:d
over:
(!P1) jmp (M1, 1) done
mov (M1, 8) C(0,0)<1> 0x2:d
done:
";
    assert_eq!(c(code, &[], &[])[..8], [1; 8]);
}

#[test]
fn a_subroutine_runs_with_the_calling_lanes_and_comes_back() {
    let code = "mov (M1, 8) C(0,0)<1> 0x0:d
cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x4:d
(P1) call (M1, 8) twice
call (M1, 8) twice
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x64:d
ret (M1, 1)
.function twice
twice:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:d
cmp.eq (M1, 8) P2 A(0,0)<1;1,0> 0x0:d
(P2) ret (M1, 8)
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:d
ret (M1, 1)
";
    let code = format!(".function main\nmain:\n{code}");
    let got = c(&code, &[0, 1, 2, 3, 4, 5, 6, 7], &[]);
    // Lane 0 leaves early in both calls; lanes 4..8 are called once.
    assert_eq!(got[..8], [102, 104, 104, 104, 102, 102, 102, 102]);
}

#[test]
fn a_finished_lane_stays_finished() {
    let code = "mov (M1, 8) C(0,0)<1> 0x0:d
cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x4:d
(P1) ret (M1, 8)
mov (M1, 8) C(0,0)<1> 0x1:d
";
    let got = c(code, &[0, 1, 2, 3, 4, 5, 6, 7], &[]);
    assert_eq!(got[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn threads_of_a_group_meet_at_the_barrier() {
    // Thread t writes t + 1 to slot t of shared memory; after the barrier it reads the next one's.
    let program = program(&format!(
        "{DECLS}
.decl T v_type=G type=ud num_elts=1 align=GRF
.decl OFF v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.kernel_attr SLMSize=1
and (M1_NM, 1) T(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
shl (M1_NM, 8) OFF(0,0)<1> T(0,0)<0;1,0> 0x2:ud
add (M1_NM, 8) V(0,0)<1> T(0,0)<0;1,0> 0x1:ud
scatter4_scaled.R (M1_NM, 1) %slm 0x0:ud OFF.0 V.0
barrier
add (M1_NM, 8) OFF(0,0)<1> OFF(0,0)<1;1,0> 0x4:ud
and (M1_NM, 8) OFF(0,0)<1> OFF(0,0)<1;1,0> 0xf:ud
gather4_scaled.R (M1_NM, 1) %slm 0x0:ud OFF.0 R.0
"
    ));
    let options = RunOptions {
        keep: Keep::All,
        jobs: 3,
        ..RunOptions::default()
    };
    let grid = Grid::compute([3, 1, 1], 4);
    let outcome = launch::run(&program, &Bindings::default(), &grid, &options, |_| Silent)
        .unwrap_or_else(|trap| panic!("{trap:#?}"));
    assert_eq!(outcome.threads.len(), 12);
    for registers in &outcome.threads {
        let r = as_dwords(registers.bytes(&program, "R").expect("R"))[0];
        let next = (registers.thread.local + 1) % 4;
        assert_eq!(r, next + 1, "{}", registers.thread);
    }
}

#[test]
fn recursion_keeps_each_level_its_variables() {
    // f(n) = n == 0 ? 0 : n + f(n − 1), with n in a variable of the function.
    let program = program(
        ".funcdecl \"sum\"
.decl OUT v_type=G type=ud num_elts=1 align=dword
mov (M1_NM, 1) %arg(0,0)<1> 0x5:ud
fcall (M1_NM, 1) sum 1 1
mov (M1_NM, 1) OUT(0,0)<1> %retval(0,0)<0;1,0>
ret (M1, 1)
.global_function \"sum\"
.decl N v_type=G type=ud num_elts=1 align=dword
.decl P1 v_type=P num_elts=1
mov (M1_NM, 1) N(0,0)<1> %arg(0,0)<0;1,0>
mov (M1_NM, 1) %retval(0,0)<1> 0x0:ud
cmp.eq (M1_NM, 1) P1 N(0,0)<0;1,0> 0x0:ud
(P1) goto (M1, 1) done
add (M1_NM, 1) %arg(0,0)<1> N(0,0)<0;1,0> -1:d
fcall (M1_NM, 1) sum 1 1
add (M1_NM, 1) %retval(0,0)<1> %retval(0,0)<0;1,0> N(0,0)<0;1,0>
done:
fret (M1, 1)
",
    );
    let outcome =
        run_with(&program, &Bindings::default()).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let out = outcome.threads[0].bytes(&program, "OUT").expect("OUT");
    assert_eq!(as_dwords(out), [15]);
}

#[test]
fn a_function_is_called_by_its_address() {
    // The address chosen at run time: of `triple`, then of `twice`.
    let program = program(
        ".funcdecl \"twice\"
.funcdecl \"triple\"
.decl OUT v_type=G type=ud num_elts=2 align=dword
.decl TO v_type=G type=uq num_elts=2 align=GRF
.decl P1 v_type=P num_elts=1
faddr twice TO(0,0)<1>
faddr triple TO(0,1)<1>
setp (M1_NM, 1) P1 0x0:uw
mov (M1_NM, 1) %arg(0,0)<1> 0x7:ud
ifcall (M1, 1) TO(0,1)<0;1,0> 1 1
mov (M1_NM, 1) OUT(0,0)<1> %retval(0,0)<0;1,0>
mov (M1_NM, 1) %arg(0,0)<1> 0x7:ud
ifcall (M1, 1) TO(0,0)<0;1,0> 1 1
(P1) ifcall (M1, 1) TO(0,1)<0;1,0> 1 1
mov (M1_NM, 1) OUT(0,1)<1> %retval(0,0)<0;1,0>
ret (M1, 1)
.global_function \"twice\"
mul (M1_NM, 1) %retval(0,0)<1> %arg(0,0)<0;1,0> 0x2:ud
fret (M1, 1)
.global_function \"triple\"
mul (M1_NM, 1) %retval(0,0)<1> %arg(0,0)<0;1,0> 0x3:ud
fret (M1, 1)
",
    );
    let outcome =
        run_with(&program, &Bindings::default()).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let out = outcome.threads[0].bytes(&program, "OUT").expect("OUT");
    assert_eq!(as_dwords(out), [21, 14]);
}

#[test]
fn an_address_of_no_function_is_refused() {
    let program = program(
        ".decl TO v_type=G type=uq num_elts=1 align=GRF
mov (M1_NM, 1) TO(0,0)<1> 0x1234:ud
ifcall (M1, 1) TO(0,0)<0;1,0> 1 1
",
    );
    let trap = run_with(&program, &Bindings::default()).expect_err("nothing is there");
    assert!(
        trap.diagnostic.message.contains("0x1234"),
        "{}",
        trap.diagnostic.message
    );
}

#[test]
fn a_switch_goes_to_the_label_of_its_number() {
    let of = |number: i64| {
        let code = "mov (M1, 8) C(0,0)<1> 0x0:d
switchjmp (M1, 1) A(0,0)<0;1,0> (zero, one, two)
zero:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:d
one:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0xa:d
goto (M1, 1) done
two:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x64:d
done:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x3e8:d
";
        c(code, &[number], &[])[0]
    };
    assert_eq!([of(0), of(1), of(2)], [1011, 1010, 1100]);
}

#[test]
fn each_thread_has_scratch_memory_of_its_own() {
    // Thread t writes t + 1 to its scratch, waits for the others, and reads it back.
    let program = program(&format!(
        "{DECLS}
.decl OFF v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
mov (M1_NM, 8) OFF(0,0)<1> 0x40:ud
and (M1_NM, 8) V(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
add (M1_NM, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:ud
scatter_scaled.4 (M1_NM, 1) %scratch 0x0:ud OFF.0 V.0
barrier
gather_scaled.4 (M1_NM, 1) %scratch 0x0:ud OFF.0 R.0
"
    ));
    let options = RunOptions {
        keep: Keep::All,
        ..RunOptions::default()
    };
    let grid = Grid::compute([2, 1, 1], 3);
    let outcome = launch::run(&program, &Bindings::default(), &grid, &options, |_| Silent)
        .unwrap_or_else(|trap| panic!("{trap:#?}"));
    for registers in &outcome.threads {
        let r = as_dwords(registers.bytes(&program, "R").expect("R"))[0];
        assert_eq!(r, registers.thread.local + 1, "{}", registers.thread);
    }
}
