//! Threads of groups that meet at barriers run side by side, and leave what they leave one by one.

use super::{Watching, program};
use std::collections::BTreeSet;
use visim::internals::launch::{
    self, Bindings, Grid, Keep, Observer, Outcome, RunOptions, Silent, Trap,
};
use visim::internals::program::Program;

fn run<O: Observer>(
    program: &Program,
    members: u32,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> Result<Outcome<O>, Box<Trap>> {
    run_in((11, 8 << 10), program, members, jobs, observer)
}

/// The same with so many groups and bytes of shared local memory.
fn run_in<O: Observer>(
    (groups, slm_bytes): (u32, u32),
    program: &Program,
    members: u32,
    jobs: usize,
    observer: impl Fn() -> O + Sync,
) -> Result<Outcome<O>, Box<Trap>> {
    let options = RunOptions {
        keep: Keep::All,
        jobs,
        limit: 1_000_000,
        slm_bytes,
        ..RunOptions::default()
    };
    run_with(&options, groups, program, members, observer)
}

fn run_with<O: Observer>(
    options: &RunOptions,
    groups: u32,
    program: &Program,
    members: u32,
    observer: impl Fn() -> O + Sync,
) -> Result<Outcome<O>, Box<Trap>> {
    let grid = Grid::compute([groups, 1, 1], members);
    let mut bindings = Bindings::default();
    let places = 8 * members - 1;
    let variables = &mut bindings.variables;
    variables.insert("PLACES".to_string(), places.to_le_bytes().to_vec());
    launch::run(program, &bindings, &grid, options, |_| observer())
}

/// `N` is the thread's number in its group, `G` the group's, `OWN` and `NEXT` are addresses of a dword for each lane:
/// its own one and one of another thread.
const HEAD: &str = ".decl PLACES v_type=G type=ud num_elts=1 align=dword
.decl N v_type=G type=ud num_elts=1 align=dword
.decl G v_type=G type=ud num_elts=1 align=dword
.decl K v_type=G type=ud num_elts=1 align=dword
.decl L v_type=G type=uw num_elts=8 align=GRF
.decl OWN v_type=G type=ud num_elts=8 align=GRF
.decl NEXT v_type=G type=ud num_elts=8 align=GRF
.decl SUM v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ub num_elts=32 align=GRF
.decl SOME v_type=P num_elts=8
.decl ONE v_type=P num_elts=1
.decl MORE v_type=P num_elts=1
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
mov (M1, 8) L(0,0)<1> 0x76543210:uv
and (M1_NM, 1) N(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
mov (M1_NM, 1) G(0,0)<1> %r0(0,1)<0;1,0>
mad (M1, 8) OWN(0,0)<1> N(0,0)<0;1,0> 0x8:ud L(0,0)<1;1,0>
add (M1, 8) NEXT(0,0)<1> OWN(0,0)<1;1,0> 0x9:ud
and (M1, 8) NEXT(0,0)<1> NEXT(0,0)<1;1,0> PLACES(0,0)<0;1,0>
mad (M1, 8) A(0,0)<1> G(0,0)<0;1,0> 0x3e8:ud OWN(0,0)<1;1,0>
shl (M1, 8) OWN(0,0)<1> OWN(0,0)<1;1,0> 0x2:ud
shl (M1, 8) NEXT(0,0)<1> NEXT(0,0)<1;1,0> 0x2:ud
add (M1_NM, 1) SUM(0,0)<1> PLACES(0,0)<0;1,0> 0x1:ud
shl (M1, 8) SUM(0,0)<1> SUM(0,0)<0;1,0> 0x2:ud
mov (M1_NM, 1) K(0,0)<1> 0x0:ud
";

/// Threads exchange dwords four times, with enough between barriers to be native code; those of thread 2 end after the
/// first, odd lanes take no part in what is added.
const EXCHANGE: &str = "again:
scatter4_scaled.R (M1, 8) %slm 0x0:ud OWN.0 A.0
and (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 0x1:ud
cmp.ne (M1, 8) SOME B(0,0)<1;1,0> 0x0:ud
(SOME) dword_atomic.add (M1, 8) %slm SUM.0 A.0 %null.0 %null.0
barrier
gather4_scaled.R (M1, 8) %slm 0x0:ud NEXT.0 B.0
(SOME) gather4_scaled.R (M1, 8) %slm 0x0:ud SUM.0 C.0
mad (M1, 8) B(0,0)<1> C(0,0)<1;1,0> 0x5:ud B(0,0)<1;1,0>
add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x1:ud
barrier
mad (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x3:ud B(0,0)<1;1,0>
add (M1_NM, 1) K(0,0)<1> K(0,0)<0;1,0> 0x1:ud
cmp.eq (M1_NM, 1) ONE N(0,0)<0;1,0> 0x2:ud
(ONE) goto (M1, 1) out
cmp.lt (M1_NM, 1) MORE K(0,0)<0;1,0> 0x4:ud
(MORE) goto (M1, 1) again
out:
ret (M1, 1)
";

#[test]
fn barriers_and_local_memory_leave_what_threads_one_by_one_leave() {
    let program = program(&format!("{HEAD}{EXCHANGE}"));
    // One gang holds many groups, some, or a part of one.
    for members in [1, 4, 64] {
        let alone = run(&program, members, 1, || Watching).unwrap_or_else(|t| panic!("{t:#?}"));
        assert_eq!(alone.threads.len(), 11 * members as usize);
        for jobs in [1, 3] {
            let beside = run(&program, members, jobs, || Silent);
            let beside = beside.unwrap_or_else(|t| panic!("{t:#?}"));
            assert_eq!(beside.instructions, alone.instructions);
            for (a, b) in beside.threads.iter().zip(&alone.threads) {
                assert_eq!(a.thread, b.thread);
                assert!(a.arena == b.arena, "{} of {members}", a.thread);
            }
        }
    }
}

#[test]
fn the_memory_of_each_group_is_zero_where_it_begins() {
    // What another thread will write is read before, and the last dwords of the memory are added to.
    let program = program(&format!(
        "{HEAD}gather4_scaled.R (M1, 8) %slm 0x0:ud NEXT.0 B.0
mad (M1, 8) A(0,0)<1> B(0,0)<1;1,0> 0x3:ud A(0,0)<1;1,0>
barrier
scatter4_scaled.R (M1, 8) %slm 0x0:ud OWN.0 A.0
dword_atomic.add (M1, 8) %slm SUM.0 A.0 %null.0 %null.0
mad (M1, 8) A(0,0)<1> L(0,0)<1;1,0> 0x5:ud A(0,0)<1;1,0>
barrier
gather4_scaled.R (M1, 8) %slm 0x0:ud NEXT.0 B.0
gather4_scaled.R (M1, 8) %slm 0x0:ud SUM.0 C.0
mad (M1, 8) A(0,0)<1> B(0,0)<1;1,0> 0x3:ud A(0,0)<1;1,0>
add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> C(0,0)<1;1,0>
ret (M1, 1)
"
    ));
    for (members, slm_bytes) in [
        (1, 36),
        (4, 132),
        (4, 190),
        (16, 517),
        (32, 1089),
        (32, 8192),
    ] {
        // So many that a worker takes several at a time.
        let size = (70, slm_bytes);
        let alone = run_in(size, &program, members, 1, || Watching);
        let alone = alone.unwrap_or_else(|t| panic!("{t:#?}"));
        for jobs in [1, 3] {
            let beside = run_in(size, &program, members, jobs, || Silent);
            let beside = beside.unwrap_or_else(|t| panic!("{t:#?}"));
            assert_eq!(beside.instructions, alone.instructions);
            for (a, b) in beside.threads.iter().zip(&alone.threads) {
                assert!(
                    a.arena == b.arena,
                    "{} of {members} in {slm_bytes}",
                    a.thread
                );
            }
        }
    }
}

#[test]
fn the_trap_is_that_of_the_first_group_whoever_comes_to_it_first() {
    // A thread of group 5 reads what is not bound before the first barrier, one of group 4 after the third.
    let program = program(&format!(
        "{HEAD}again:
mad (M1_NM, 1) PLACES(0,0)<1> N(0,0)<0;1,0> 0x100:ud G(0,0)<0;1,0>
mad (M1_NM, 1) PLACES(0,0)<1> K(0,0)<0;1,0> 0x10000:ud PLACES(0,0)<0;1,0>
cmp.eq (M1_NM, 1) ONE PLACES(0,0)<0;1,0> 0x105:ud
(ONE) goto (M1, 1) wrong
cmp.eq (M1_NM, 1) ONE PLACES(0,0)<0;1,0> 0x30304:ud
(ONE) goto (M1, 1) wrong
barrier
add (M1_NM, 1) K(0,0)<1> K(0,0)<0;1,0> 0x1:ud
cmp.lt (M1_NM, 1) MORE K(0,0)<0;1,0> 0x5:ud
(MORE) goto (M1, 1) again
ret (M1, 1)
wrong:
media_ld.nomod (1,1) T6 0 0x0:d 0x0:d D.0
ret (M1, 1)
"
    ));
    let alone = run(&program, 4, 1, || Watching).expect_err("no surface");
    assert_eq!((alone.thread.group, alone.thread.local), ([4, 0, 0], 3));
    for jobs in [1, 3] {
        let beside = run(&program, 4, jobs, || Silent).expect_err("no surface");
        assert_eq!(beside.thread, alone.thread);
        assert_eq!(beside.diagnostic.notes, alone.diagnostic.notes);
    }
}

#[test]
fn what_groups_before_a_trap_have_run_counts_whoever_runs_them() {
    // The first thread of group 5 reads what is not bound; up to it threads run as many instructions as are allowed, or one
    // more, or one less.
    let program = program(&format!(
        "{HEAD}mad (M1_NM, 1) K(0,0)<1> N(0,0)<0;1,0> 0x100:ud G(0,0)<0;1,0>
cmp.eq (M1_NM, 1) ONE K(0,0)<0;1,0> 0x5:ud
(ONE) goto (M1, 1) wrong
mad (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x3:ud OWN(0,0)<1;1,0>
barrier
mad (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x5:ud NEXT(0,0)<1;1,0>
ret (M1, 1)
wrong:
media_ld.nomod (1,1) T6 0 0x0:d 0x0:d D.0
ret (M1, 1)
"
    ));
    let within = |total, jobs| RunOptions {
        jobs,
        total,
        limit: 1_000_000,
        ..RunOptions::default()
    };
    let mut codes = BTreeSet::new();
    for total in 700..900 {
        let alone = run_with(&within(total, 1), 70, &program, 8, || Watching);
        let alone = alone.expect_err("no surface").diagnostic.code;
        codes.insert(alone);
        for jobs in [1, 3] {
            let beside = run_with(&within(total, jobs), 70, &program, 8, || Silent);
            let beside = beside.expect_err("no surface").diagnostic.code;
            assert_eq!(beside, alone, "{total} instructions, {jobs} jobs");
        }
    }
    assert_eq!(codes.len(), 2, "{codes:?}");
}

#[test]
fn a_thread_may_wait_for_what_a_later_one_writes() {
    // Thread 0 reads until the last thread has written; the others are at the barrier meanwhile.
    let program = program(&format!(
        "{HEAD}mov (M1, 8) A(0,0)<1> 0x7:ud
cmp.eq (M1_NM, 1) ONE N(0,0)<0;1,0> 0x0:ud
(ONE) goto (M1, 1) waits
mad (M1_NM, 1) K(0,0)<1> N(0,0)<0;1,0> 0x8:ud 0x7:ud
cmp.eq (M1_NM, 1) MORE K(0,0)<0;1,0> PLACES(0,0)<0;1,0>
(!MORE) goto (M1, 1) meet
scatter4_scaled.R (M1, 8) %slm 0x0:ud SUM.0 A.0
goto (M1, 1) meet
waits:
gather4_scaled.R (M1, 8) %slm 0x0:ud SUM.0 B.0
cmp.eq (M1_NM, 1) MORE B(0,0)<0;1,0> 0x7:ud
(!MORE) goto (M1, 1) waits
meet:
barrier
ret (M1, 1)
"
    ));
    for members in [4, 64] {
        let done = run(&program, members, 1, || Silent).unwrap_or_else(|t| panic!("{t:#?}"));
        let first = done.threads.iter().filter(|t| t.thread.local == 0);
        for thread in first {
            let read = thread.bytes(&program, "B").expect("B");
            assert_eq!(read[..4], 7u32.to_le_bytes());
        }
    }
}
