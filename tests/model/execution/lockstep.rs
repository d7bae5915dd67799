//! Threads that run side by side do what each would do alone.

use super::{Watching, as_dwords, program};
use std::sync::Arc;
use visim::internals::launch::{
    self, Bindings, Grid, Keep, Observer, Outcome, RunOptions, Silent, Trap,
};
use visim::internals::program::Program;
use visim::internals::surface::{Description, Format, Surface};

fn run<O: Observer>(
    program: &Program,
    jobs: usize,
    limit: u64,
    observer: impl Fn() -> O + Sync,
) -> Result<Outcome<O>, Box<Trap>> {
    let options = RunOptions {
        keep: Keep::All,
        jobs,
        limit,
        ..RunOptions::default()
    };
    let grid = Grid::compute([37, 1, 1], 2);
    launch::run(program, &Bindings::default(), &grid, &options, |_| {
        observer()
    })
}

/// `C` of each lane is the sum of 1 to `N`, and `N` is the thread's number times 3, plus the lane's, modulo 11.
/// Threads of odd groups take another way through the loop, and the function adds one.
const LOOPS: &str = ".decl G v_type=G type=ud num_elts=1 align=dword
.decl L v_type=G type=uw num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl ODD v_type=P num_elts=8
.decl MORE v_type=P num_elts=8
.kernel_attr SimdSize=8
.function main
main:
mov (M1, 8) L(0,0)<1> 0x76543210:uv
and (M1_NM, 1) G(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
mad (M1_NM, 1) G(0,0)<1> %r0(0,1)<0;1,0> 0x2:ud G(0,0)<0;1,0>
mul (M1_NM, 1) G(0,0)<1> G(0,0)<0;1,0> 0x3:ud
add (M1, 8) N(0,0)<1> L(0,0)<1;1,0> G(0,0)<0;1,0>
mod (M1, 8) N(0,0)<1> N(0,0)<1;1,0> 0xb:ud
mov (M1, 8) C(0,0)<1> 0x0:ud
and (M1_NM, 1) G(0,0)<1> %r0(0,1)<0;1,0> 0x1:ud
cmp.ne (M1_NM, 8) ODD G(0,0)<0;1,0> 0x0:ud
again:
cmp.ne (M1, 8) MORE N(0,0)<1;1,0> 0x0:ud
(!MORE) goto (M1, 8) out
(ODD) goto (M1, 1) other
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> N(0,0)<1;1,0>
goto (M1, 1) next
other:
add (M1, 8) C(0,0)<1> N(0,0)<1;1,0> C(0,0)<1;1,0>
next:
add (M1, 8) N(0,0)<1> N(0,0)<1;1,0> -1:d
goto (M1, 1) again
out:
call (M1, 8) one
ret (M1, 1)
.function one
one:
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x1:ud
ret (M1, 1)
";

#[test]
fn registers_and_counts_are_those_of_threads_alone() {
    let program = program(LOOPS);
    let alone = run(&program, 1, 10_000, || Watching).unwrap_or_else(|trap| panic!("{trap:#?}"));
    for jobs in [1, 3] {
        let together =
            run(&program, jobs, 10_000, || Silent).unwrap_or_else(|trap| panic!("{trap:#?}"));
        assert_eq!(together.instructions, alone.instructions);
        let numbers: Vec<u32> = together.threads.iter().map(|t| t.thread.index).collect();
        assert_eq!(numbers, (0..74).collect::<Vec<u32>>());
        for (a, b) in together.threads.iter().zip(&alone.threads) {
            assert!(a.arena == b.arena, "{}", a.thread);
            let c = as_dwords(a.bytes(&program, "C").expect("C"));
            let sum = |lane| {
                let n = (3 * a.thread.index + lane) % 11;
                n * (n + 1) / 2 + 1
            };
            assert_eq!(c, (0..8).map(sum).collect::<Vec<u32>>(), "{}", a.thread);
        }
    }
}

#[test]
fn the_trap_of_the_first_thread_is_told_whoever_comes_to_it_first() {
    // Thread n counts down from 200 − 2n before it reads a surface that is not there; the first two end.
    let program = program(
        ".decl N v_type=G type=d num_elts=1 align=dword
.decl D v_type=G type=ub num_elts=32 align=GRF
.decl FEW v_type=P num_elts=1
.decl MORE v_type=P num_elts=1
.decl T6 v_type=T num_elts=1
mov (M1_NM, 1) N(0,0)<1> %r0(0,1)<0;1,0>
cmp.lt (M1_NM, 1) FEW N(0,0)<0;1,0> 0x2:d
(FEW) goto (M1, 1) out
mad (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> -2:d 0xc8:d
again:
add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d
cmp.gt (M1_NM, 1) MORE N(0,0)<0;1,0> 0x0:d
(MORE) goto (M1, 1) again
media_ld.nomod (1,1) T6 0 0x0:d 0x0:d D.0
out:
",
    );
    for jobs in [1, 3] {
        let trap = run(&program, jobs, 10_000, || Silent).expect_err("no surface");
        assert_eq!(trap.diagnostic.code.to_string(), "E0603");
        assert_eq!((trap.thread.group, trap.thread.local), ([2, 0, 0], 0));
    }
    // Threads of group 2 come first to the limit as well: 8 instructions do for those of group 0 alone.
    let trap = run(&program, 1, 8, || Silent).expect_err("too many instructions");
    assert_eq!(trap.diagnostic.code.to_string(), "L0602");
    assert_eq!((trap.thread.group, trap.thread.local), ([2, 0, 0], 0));
    let alone = run(&program, 1, 8, || Watching).expect_err("too many instructions");
    assert_eq!(trap.diagnostic.notes, alone.diagnostic.notes);
}

#[test]
fn what_an_earlier_thread_left_in_registers_is_never_seen() {
    // Thread n puts n + 1 into lane n modulo 8 of A, whose other lanes nobody writes; B and X are written
    // before they are read.
    let program = program(
        ".decl L v_type=G type=uw num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1 align=dword
.decl M v_type=G type=ud num_elts=1 align=dword
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
mov (M1, 8) L(0,0)<1> 0x76543210:uv
and (M1_NM, 1) N(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
mad (M1_NM, 1) N(0,0)<1> %r0(0,1)<0;1,0> 0x2:ud N(0,0)<0;1,0>
mul (M1_NM, 1) M(0,0)<1> N(0,0)<0;1,0> 0x8:ud
add (M1, 8) X(0,0)<1> L(0,0)<1;1,0> M(0,0)<0;1,0>
shl (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x2:ud
and (M1_NM, 1) M(0,0)<1> N(0,0)<0;1,0> 0x7:ud
cmp.eq (M1, 8) P1 L(0,0)<1;1,0> M(0,0)<0;1,0>
(P1) add (M1, 8) A(0,0)<1> N(0,0)<0;1,0> 0x1:ud
mov (M1, 8) B(0,0)<1> A(0,0)<1;1,0>
scatter4_scaled.R (M1, 8) T6 0x0:ud X.0 B.0
",
    );
    let written = |jobs: usize, watched: bool| {
        let description = Description::buffer(Format::R8_UINT, 74 * 32);
        let surface = Arc::new(Surface::zeroed(description).expect("a buffer"));
        let mut bindings = Bindings::default();
        bindings.surfaces.insert(6, Arc::clone(&surface));
        let grid = Grid::compute([37, 1, 1], 2);
        let options = RunOptions {
            keep: Keep::None,
            jobs,
            ..RunOptions::default()
        };
        let done = match watched {
            true => launch::run(&program, &bindings, &grid, &options, |_| Watching).map(drop),
            false => launch::run(&program, &bindings, &grid, &options, |_| Silent).map(drop),
        };
        done.unwrap_or_else(|trap| panic!("{trap:#?}"));
        as_dwords(&surface.memory().to_vec())
    };
    let own = |n: u32| (0..8).map(move |lane| if lane == n % 8 { n + 1 } else { 0 });
    let wanted: Vec<u32> = (0..74).flat_map(own).collect();
    for (jobs, watched) in [(1, true), (1, false), (3, false)] {
        assert_eq!(written(jobs, watched), wanted, "{jobs} jobs");
    }
}

#[test]
fn threads_in_different_float_modes_go_their_own_ways() {
    // Threads of odd groups round up: 1 + 2^-30 is 1 or the next single.
    let program = program(
        ".decl G v_type=G type=ud num_elts=1 align=dword
.decl C v_type=G type=f num_elts=8 align=GRF
.decl ODD v_type=P num_elts=1
.kernel_attr SimdSize=8
and (M1_NM, 1) G(0,0)<1> %r0(0,1)<0;1,0> 0x1:ud
cmp.ne (M1_NM, 1) ODD G(0,0)<0;1,0> 0x0:ud
mov (M1, 8) C(0,0)<1> 0x3f800000:f
(ODD) or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x10:ud
add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x30800000:f
ret (M1, 1)
",
    );
    let alone = run(&program, 1, 10_000, || Watching).unwrap_or_else(|trap| panic!("{trap:#?}"));
    let together = run(&program, 1, 10_000, || Silent).unwrap_or_else(|trap| panic!("{trap:#?}"));
    for (a, b) in together.threads.iter().zip(&alone.threads) {
        assert!(a.arena == b.arena, "{}", a.thread);
        let c = as_dwords(a.bytes(&program, "C").expect("C"));
        assert_eq!(c, [0x3f80_0000 + (a.thread.group[0] & 1); 8]);
    }
}

#[test]
fn gathers_and_scatters_of_many_threads_are_those_of_threads_alone() {
    // Thread n moves 256 bytes to surface 7 or 8, then some of them again: lanes from the last to the first, some
    // off, two channels. The last threads reach after the surfaces.
    let program = program(
        ".decl L v_type=G type=uw num_elts=16 align=GRF
.decl N v_type=G type=ud num_elts=1 align=dword
.decl K v_type=G type=ud num_elts=1 align=dword
.decl X v_type=G type=ud num_elts=16 align=GRF
.decl D v_type=G type=ud num_elts=64 align=GRF
.decl E v_type=G type=ud num_elts=64 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
.decl T9 v_type=T num_elts=1
.kernel_attr SimdSize=16
mov (M1, 8) L(0,0)<1> 0x76543210:uv
add (M1, 8) L(0,8)<1> L(0,0)<1;1,0> 0x8:uw
and (M1_NM, 1) N(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
mad (M1_NM, 1) N(0,0)<1> %r0(0,1)<0;1,0> 0x2:ud N(0,0)<0;1,0>
and (M1_NM, 1) K(0,0)<1> N(0,0)<0;1,0> 0x1:ud
add (M1_NM, 1) K(0,0)<1> K(0,0)<0;1,0> 0x7:ud
movs (M1_NM, 1) T9(0) K(0,0)<0;1,0>
mul (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x10:ud
add (M1, 16) X(0,0)<1> L(0,0)<1;1,0> N(0,0)<0;1,0>
shl (M1, 16) X(0,0)<1> X(0,0)<1;1,0> 0x4:ud
cmp.gt (M1, 16) P1 L(0,0)<1;1,0> 0x2:uw
gather4_scaled.RGBA (M1, 16) T6 0x0:ud X.0 D.0
scatter4_scaled.RGBA (M1, 16) T9 0x0:ud X.0 D.0
xor (M1, 16) X(0,0)<1> X(0,0)<1;1,0> 0xf0:ud
(P1) gather4_scaled.GB (M1, 16) T6 0x0:ud X.0 E.0
(P1) scatter4_scaled.RG (M1, 16) T9 0x0:ud X.0 E.0
xor (M1, 16) X(0,0)<1> X(0,0)<1;1,0> 0xf0:ud
(P1) scatter4_scaled.R (M1, 16) T9 0x4:ud X.0 E.0
",
    );
    const BYTES: usize = 70 * 256 + 100;
    let written = |jobs: usize, watched: bool| {
        let buffer = || {
            let description = Description::buffer(Format::R8_UINT, BYTES as u32);
            Arc::new(Surface::zeroed(description).expect("a buffer"))
        };
        let (from, to) = (buffer(), [buffer(), buffer()]);
        let bytes: Vec<u8> = (0..BYTES).map(|i| (i * 31 % 251) as u8).collect();
        from.memory().write(0, &bytes);
        let mut bindings = Bindings::default();
        bindings.surfaces.insert(6, from);
        bindings.surfaces.insert(7, Arc::clone(&to[0]));
        bindings.surfaces.insert(8, Arc::clone(&to[1]));
        let grid = Grid::compute([37, 1, 1], 2);
        let options = RunOptions {
            keep: Keep::All,
            jobs,
            ..RunOptions::default()
        };
        let threads = match watched {
            true => launch::run(&program, &bindings, &grid, &options, |_| Watching)
                .map(|done| done.threads),
            false => launch::run(&program, &bindings, &grid, &options, |_| Silent)
                .map(|done| done.threads),
        };
        let threads = threads.unwrap_or_else(|trap| panic!("{trap:#?}"));
        let registers: Vec<_> = threads.into_iter().map(|thread| thread.arena).collect();
        (registers, to.map(|surface| surface.memory().to_vec()))
    };
    let (registers, memory) = written(1, true);
    // Lanes 0 to 2 of thread 3 have only what the first two messages moved.
    let start = 3 * 256;
    let moved: Vec<u8> = (start..start + 16).map(|i| (i * 31 % 251) as u8).collect();
    assert_eq!(memory[1][start + 8..start + 16], moved[8..]);
    for jobs in [1, 3] {
        let (together, bytes) = written(jobs, false);
        assert!(together == registers, "{jobs} jobs");
        assert!(bytes == memory, "{jobs} jobs");
    }
}

#[test]
fn blocks_come_from_the_surface_that_each_thread_names() {
    // Groups 0 to 7, 8 to 15, ... take surfaces 10, 11, 10, ...; every fifth group takes 12.
    let program = program(
        ".decl G v_type=G type=ud num_elts=1 align=dword
.decl N v_type=G type=ud num_elts=1 align=dword
.decl FIFTH v_type=P num_elts=1
.decl D v_type=G type=ub num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
mov (M1_NM, 1) G(0,0)<1> %r0(0,1)<0;1,0>
shr (M1_NM, 1) N(0,0)<1> G(0,0)<0;1,0> 0x3:ud
and (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xa:ud
mod (M1_NM, 1) G(0,0)<1> G(0,0)<0;1,0> 0x5:ud
cmp.eq (M1_NM, 1) FIFTH G(0,0)<0;1,0> 0x4:ud
(FIFTH) sel (M1_NM, 1) N(0,0)<1> 0xc:ud N(0,0)<0;1,0>
movs (M1_NM, 1) T6(0) N(0,0)<0;1,0>
media_ld.nomod (8,4) T6 0 0x0:d 0x0:d D.0
",
    );
    let mut bindings = Bindings::default();
    for index in 10..13 {
        let surface = Surface::zeroed(Description::d2(Format::R8_UNORM, 16, 8));
        let surface = surface.expect("a picture");
        surface.memory().write(0, &[index as u8; 128]);
        bindings.surfaces.insert(index, Arc::new(surface));
    }
    for jobs in [1, 3] {
        let options = RunOptions {
            keep: Keep::All,
            jobs,
            ..RunOptions::default()
        };
        let grid = Grid::compute([70, 1, 1], 1);
        let done = launch::run(&program, &bindings, &grid, &options, |_| Silent);
        let done = done.unwrap_or_else(|trap| panic!("{trap:#?}"));
        assert_eq!(done.threads.len(), 70);
        for thread in &done.threads {
            let group = thread.thread.index;
            let wanted = match group % 5 {
                4 => 12,
                _ => 10 + (group >> 3 & 1) as u8,
            };
            let block = thread.bytes(&program, "D").expect("D");
            assert_eq!(block, [wanted; 32], "{group}");
        }
    }
}
