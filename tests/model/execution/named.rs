//! Named barriers: who waits for whom, and what is against their rules. Each program runs on the four
//! threads of one group.

use super::{as_dwords, program_for};
use visim::internals::isa::Platform;
use visim::internals::launch::{self, Bindings, Grid, Keep, Outcome, RunOptions, Silent};
use visim::internals::program::Program;

const HEAD: &str = "
.decl T v_type=G type=ud num_elts=1 align=GRF
.decl OFF v_type=G type=ud num_elts=16 align=GRF
.decl V v_type=G type=ud num_elts=16 align=GRF
.decl R v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=1
.decl P2 v_type=P num_elts=1
.kernel_attr SLMSize=1
mov (M1_NM, 16) R(0,0)<1> 0x0:ud
mov (M1_NM, 16) OFF(0,0)<1> 0x0:ud
and (M1_NM, 1) T(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
cmp.lt (M1_NM, 1) P1 T(0,0)<0;1,0> 0x1:ud
cmp.lt (M1_NM, 1) P2 T(0,0)<0;1,0> 0x2:ud
";

fn run(body: &str) -> (Program, Result<Outcome<Silent>, Box<launch::Trap>>) {
    let program = program_for(Platform::Pvc, &format!("{HEAD}{body}"));
    let options = RunOptions {
        keep: Keep::All,
        ..RunOptions::default()
    };
    let grid = Grid::compute([1, 1, 1], 4);
    let ran = launch::run(&program, &Bindings::default(), &grid, &options, |_| Silent);
    (program, ran)
}

/// The first dword of R in each thread.
fn results(body: &str) -> Vec<u32> {
    let (program, ran) = run(body);
    let outcome = ran.unwrap_or_else(|trap| panic!("{trap:#?}"));
    let threads = outcome.threads.iter();
    threads
        .map(|t| as_dwords(t.bytes(&program, "R").expect("R"))[0])
        .collect()
}

/// Code, message and notes of the trap.
fn stops(body: &str) -> String {
    let diagnostic = run(body).1.expect_err("it traps").diagnostic;
    let (code, notes) = (diagnostic.code, diagnostic.notes.join("; "));
    format!("{code} {}: {notes}", diagnostic.message)
}

#[test]
fn consumers_go_on_when_all_producers_have_come() {
    // Threads 0 and 1 read what threads 2 and 3, which start later, leave in dwords 0 and 1.
    let body = "
(!P2) jmp (M1, 1) produce
nbarrier.signal 0x5:ub 0x2:uw 0x2:ub 0x2:ub
nbarrier.wait 0x5:ub
shl (M1_NM, 1) OFF(0,0)<1> T(0,0)<0;1,0> 0x2:ud
gather_scaled.4 (M1_NM, 1) %slm 0x0:ud OFF.0 R.0
ret (M1, 1)
produce:
add (M1_NM, 1) V(0,0)<1> T(0,0)<0;1,0> 0x64:ud
add (M1_NM, 1) OFF(0,0)<1> T(0,0)<0;1,0> -2:d
shl (M1_NM, 1) OFF(0,0)<1> OFF(0,0)<0;1,0> 0x2:ud
scatter_scaled.4 (M1_NM, 1) %slm 0x0:ud OFF.0 V.0
nbarrier.signal 0x5:ub 0x1:uw 0x2:ub 0x2:ub
";
    assert_eq!(results(body), [102, 103, 0, 0]);
}

#[test]
fn a_subset_of_the_group_meets_while_others_stand_at_the_barrier_of_the_group() {
    // Threads 0 and 1 hand a count to and fro twice, the others wait for all.
    let body = "
(!P2) jmp (M1, 1) all
(!P1) jmp (M1, 1) second
mov (M1_NM, 1) V(0,0)<1> 0x7:ud
scatter_scaled.4 (M1_NM, 1) %slm 0x0:ud OFF.0 V.0
nbarrier.signal 0x0:ub 0x2:ub
nbarrier.wait 0x0:ub
nbarrier.signal 0x0:ub 0x2:ub
nbarrier.wait 0x0:ub
jmp (M1, 1) all
second:
nbarrier.signal 0x0:ub 0x2:ub
nbarrier.wait 0x0:ub
gather_scaled.4 (M1_NM, 1) %slm 0x0:ud OFF.0 V.0
add (M1_NM, 1) V(0,0)<1> V(0,0)<0;1,0> 0x1:ud
scatter_scaled.4 (M1_NM, 1) %slm 0x0:ud OFF.0 V.0
nbarrier.signal 0x0:ub 0x2:ub
nbarrier.wait 0x0:ub
all:
barrier
gather_scaled.4 (M1_NM, 1) %slm 0x0:ud OFF.0 R.0
";
    assert_eq!(results(body), [8; 4]);
}

#[test]
fn what_breaks_their_rules_is_named() {
    let rows = [
        ("nbarrier.signal 0x20:ub 0x4:ub", "there are 32"),
        (
            "nbarrier.signal 0x1:ub 0x3:uw 0x4:ub 0x4:ub",
            "its type is 0, 1 or 2",
        ),
        (
            "nbarrier.signal 0x1:ub 0x0:ub",
            "one producer and one consumer",
        ),
        ("nbarrier.wait 0x1:ub", "only consumers wait"),
        (
            "nbarrier.signal 0x1:ub 0x4:ub\nnbarrier.signal 0x1:ub 0x4:ub",
            "has not waited",
        ),
        (
            "nbarrier.signal 0x1:ub 0x1:uw 0x2:ub 0x2:ub",
            "one more than the 2 producers",
        ),
        (
            "add (M1_NM, 1) V(0,0)<1> T(0,0)<0;1,0> 0x4:ud\nnbarrier.signal 0x1:ub V(0,0)<0;1,0>",
            "5 producers and 5 consumers were announced, the first thread said 4 and 4",
        ),
        (
            "nbarrier.signal 0x1:ub 0x1:uw 0x5:ub 0x1:ub\nnbarrier.signal 0x1:ub 0x1:uw 0x5:ub 0x1:ub",
            "the thread has come to it already",
        ),
    ];
    for (body, words) in rows {
        let said = stops(body);
        assert!(said.starts_with("E0690") && said.contains(words), "{said}");
    }
}

#[test]
fn threads_that_wait_for_each_other_end_the_run() {
    let said = stops("nbarrier.signal 0x2:ub 0x5:ub\nnbarrier.wait 0x2:ub");
    assert!(said.starts_with("E0691 named barrier 2"), "{said}");
    assert!(
        said.contains("4 of 5 producers and 4 of 5 consumers have come"),
        "{said}"
    );
    // Thread 0 waits for one that is at the barrier of the group.
    let said = stops(
        "(!P1) jmp (M1, 1) all\nnbarrier.signal 0x2:ub 0x2:ub\nnbarrier.wait 0x2:ub\nall:\nbarrier",
    );
    assert!(
        said.contains("thread 1 of it) waits at the barrier of the group"),
        "{said}"
    );
}
