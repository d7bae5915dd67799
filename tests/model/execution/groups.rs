//! Groups that native code takes to their ends, one after the other in the bytes of those before, leave what steps leave.

use super::{program, surface};
use visim::internals::launch::{self, Bindings, Grid, Keep, NativeCode, RunOptions, Silent};
use visim::internals::program::Program;
use visim::internals::surface::Format;

/// `I` numbers the thread, by its header; `O` is the place of a dword for each of its lanes, and `V` a number of each. `K` is
/// bound and changed, `W` is added to what nobody has written: each thread finds both as if it were the first one.
const HEAD: &str = ".decl X v_type=G type=ud num_elts=1 align=dword
.decl Y v_type=G type=ud num_elts=1 align=dword
.decl Z v_type=G type=ud num_elts=1 align=dword
.decl N v_type=G type=ud num_elts=1 align=dword
.decl I v_type=G type=ud num_elts=1 align=dword
.decl K v_type=G type=ud num_elts=1 align=dword
.decl L v_type=G type=uw num_elts=8 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 alias=<A, 0>
.decl S v_type=G type=ud num_elts=8 align=GRF
.decl AT v_type=A num_elts=1
.decl MORE v_type=P num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.kernel_attr SimdSize=8
mov (M1, 8) L(0,0)<1> 0x76543210:uv
";

/// Where a thread of a group is, in groups of 3 threads, 5 and 3 to a row and a slice.
const COMPUTE: &str = "mov (M1_NM, 1) X(0,0)<1> %r0(0,1)<0;1,0>
mov (M1_NM, 1) Y(0,0)<1> %r0(0,6)<0;1,0>
mov (M1_NM, 1) Z(0,0)<1> %r0(0,7)<0;1,0>
and (M1_NM, 1) N(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud
mad (M1_NM, 1) I(0,0)<1> Z(0,0)<0;1,0> 0x3:ud Y(0,0)<0;1,0>
mad (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x5:ud X(0,0)<0;1,0>
mad (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x3:ud N(0,0)<0;1,0>
";

/// The same of media threads, 70 to a row.
const MEDIA: &str = "and (M1_NM, 1) X(0,0)<1> %r0(0,1)<0;1,0> 0xffff:ud
shr (M1_NM, 1) Y(0,0)<1> %r0(0,1)<0;1,0> 0x10:ud
mad (M1_NM, 1) I(0,0)<1> Y(0,0)<0;1,0> 0x46:ud X(0,0)<0;1,0>
";

const PLACES: &str = "shl (M1_NM, 1) O(0,0)<1> I(0,0)<0;1,0> 0x3:ud
add (M1, 8) O(0,0)<1> O(0,0)<0;1,0> L(0,0)<1;1,0>
shl (M1, 8) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud
add (M1_NM, 1) K(0,0)<1> K(0,0)<0;1,0> I(0,0)<0;1,0>
add (M1, 8) W(0,0)<1> W(0,0)<1;1,0> I(0,0)<0;1,0>
mad (M1, 8) V(0,0)<1> W(0,0)<1;1,0> 0x3e8:ud K(0,0)<0;1,0>
mad (M1, 8) V(0,0)<1> X(0,0)<0;1,0> 0x11:ud V(0,0)<1;1,0>
mad (M1, 8) V(0,0)<1> Y(0,0)<0;1,0> 0x101:ud V(0,0)<1;1,0>
";

const STORE: &str = "scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 V.0
ret (M1, 1)
";

/// What is left behind: memory, and instructions, registers and who could not go on.
fn left(
    program: &Program,
    grid: &Grid<'_>,
    (keep, slm_bytes, limit): (Keep, u32, u64),
    jobs: usize,
    native: NativeCode,
) -> String {
    let places = grid.threads() as usize * 32;
    let mut bindings = Bindings::default();
    let to = surface(Format::R8_UINT, places as u32, 1, vec![0; places]);
    // Every eleventh thread finds a NaN among its singles.
    let single = |n: usize| match n % 88 {
        71 => 0x7f80_1234,
        n => (n as f32).to_bits(),
    };
    let from = (0..places / 4).flat_map(|n| single(n).to_le_bytes());
    let from = surface(Format::R8_UINT, places as u32, 1, from.collect());
    bindings.surfaces.insert(6, std::sync::Arc::clone(&to));
    bindings.surfaces.insert(7, from);
    let five = 5u32.to_le_bytes().to_vec();
    bindings.variables.insert("K".to_string(), five);
    let options = RunOptions {
        keep,
        jobs,
        native,
        limit,
        slm_bytes,
        ..RunOptions::default()
    };
    let ran = launch::run(program, &bindings, grid, &options, |_| Silent);
    let bytes = to.memory().to_vec();
    assert!(bytes.iter().any(|&byte| byte != 0), "something is written");
    match ran {
        Ok(ran) => format!("{bytes:?} {} {:?}", ran.instructions, ran.threads),
        // What others did meanwhile hangs on how many they are.
        Err(trap) => format!("{} {:?}", trap.thread.index, trap.diagnostic),
    }
}

fn assert_alike(body: &str, grid: &Grid<'_>) {
    assert_alike_within(2_000, body, grid);
}

/// * `limit`: instructions of a thread.
fn assert_alike_within(limit: u64, body: &str, grid: &Grid<'_>) {
    let program = program(&format!("{HEAD}{body}"));
    let keeps = [
        Keep::None,
        Keep::First,
        Keep::These(vec![2, 31, 32]),
        Keep::All,
    ];
    // Groups that have nothing in common run another way.
    let memories: &[u32] = match body.contains("%slm") {
        true => &[256],
        false => &[0, 256],
    };
    for (keep, slm) in keeps
        .iter()
        .flat_map(|k| memories.iter().map(move |m| (k, *m)))
    {
        let how = || (keep.clone(), slm, limit);
        let steps = left(&program, grid, how(), 1, NativeCode::Never);
        for jobs in [1, 3] {
            let native = left(&program, grid, how(), jobs, NativeCode::Always);
            let of = (keep, slm, jobs);
            assert!(native == steps, "{of:?}\n{native}\n{steps}");
        }
    }
}

#[test]
fn groups_find_what_they_begin_with() {
    let body = format!("{COMPUTE}{PLACES}{STORE}");
    assert_alike(&body, &Grid::compute([5, 3, 2], 3));
    let body = format!("{MEDIA}{PLACES}{STORE}");
    assert_alike(&body, &Grid::media(70, 3));
}

#[test]
fn threads_that_write_anywhere_find_their_headers() {
    // It is not known which rows they change.
    let anywhere = "addr_add (M1_NM, 1) AT(0)<1> &W[0] 0x4:uw
mov (M1_NM, 1) r[AT(0),0]<1>:ud X(0,0)<0;1,0>
add (M1, 8) V(0,0)<1> W(0,0)<1;1,0> V(0,0)<1;1,0>
";
    let body = format!("{COMPUTE}{PLACES}{anywhere}{STORE}");
    assert_alike(&body, &Grid::compute([5, 3, 2], 3));
}

#[test]
fn shared_memory_is_zero_for_each_group() {
    // What each finds in it, and what all of the group have added behind the barrier.
    let meet = "shl (M1, 8) S(0,0)<1> L(0,0)<1;1,0> 0x2:ud
gather4_scaled.R (M1, 8) %slm 0x0:ud S.0 A.0
barrier
dword_atomic.add (M1, 8) %slm S.0 V.0 %null.0 %null.0
barrier
mad (M1, 8) V(0,0)<1> A(0,0)<1;1,0> 0x7:ud V(0,0)<1;1,0>
gather4_scaled.R (M1, 8) %slm 0x0:ud S.0 A.0
add (M1, 8) V(0,0)<1> A(0,0)<1;1,0> V(0,0)<1;1,0>
";
    let body = format!("{COMPUTE}{PLACES}{meet}{STORE}");
    assert_alike(&body, &Grid::compute([5, 3, 2], 3));
}

#[test]
fn groups_behind_one_that_leaves_code_begin_as_others_do() {
    let singles = "gather4_scaled.R (M1, 8) T7 0x0:ud O.0 A.0
add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x40400000:f
xor (M1, 8) V(0,0)<1> A(0,0)<1;1,0> V(0,0)<1;1,0>
";
    let body = format!("{COMPUTE}{PLACES}{singles}{STORE}");
    assert_alike(&body, &Grid::compute([5, 3, 6], 3));
    let body = format!("{MEDIA}{PLACES}{singles}{STORE}");
    assert_alike(&body, &Grid::media(70, 3));
}

/// Each lane counts, and says how many have before it.
const COUNT: &str = "mov (M1, 8) S(0,0)<1> 0x0:ud
dword_atomic.inc (M1, 8) T7 S.0 %null.0 %null.0 A.0
mad (M1, 8) V(0,0)<1> A(0,0)<1;1,0> 0x7:ud V(0,0)<1;1,0>
";

#[test]
fn threads_whose_order_shows_run_one_after_the_other() {
    // Some leave code in front of what shows it.
    let singles = "gather4_scaled.R (M1, 8) T7 0x0:ud O.0 A.0
add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x40400000:f
";
    let body = format!("{COMPUTE}{PLACES}{singles}{COUNT}{STORE}");
    assert_alike(&body, &Grid::compute([5, 3, 6], 3));
    let body = format!("{MEDIA}{PLACES}{singles}{COUNT}{STORE}");
    assert_alike(&body, &Grid::media(70, 3));
}

#[test]
fn threads_that_run_long_let_others_go_first_as_steps_do() {
    // One of a group, in front of what shows the order and behind it.
    let long = "again:
add (M1_NM, 1) Z(0,0)<1> Z(0,0)<0;1,0> 0x1:ud
cmp.lt (M1_NM, 1) MORE Z(0,0)<0;1,0> 0x8000:ud
(MORE) goto (M1, 1) again
";
    let unless = "cmp.ne (M1_NM, 1) MORE I(0,0)<0;1,0> 0x7:ud
(MORE) goto (M1, 1) out
";
    for own in [
        format!("{long}out:\n{COUNT}"),
        format!("{COUNT}{long}{COUNT}out:\n"),
    ] {
        let body = format!("{COMPUTE}{PLACES}{unless}{own}{STORE}");
        assert_alike_within(1 << 20, &body, &Grid::compute([5, 1, 1], 3));
    }
}

#[test]
fn the_first_thread_that_cannot_go_on_is_the_same() {
    // Threads from 23 on run too long.
    let long = "cmp.lt (M1_NM, 1) MORE I(0,0)<0;1,0> 0x17:ud
(MORE) goto (M1, 1) out
again:
add (M1_NM, 1) Z(0,0)<1> Z(0,0)<0;1,0> 0x1:ud
cmp.lt (M1_NM, 1) MORE Z(0,0)<0;1,0> 0xffff:ud
(MORE) goto (M1, 1) again
out:
";
    let body = format!("{COMPUTE}{PLACES}{long}{STORE}");
    assert_alike(&body, &Grid::compute([5, 3, 2], 3));
}

#[test]
fn threads_behind_one_that_has_turned_the_rounding_round_as_others_do() {
    let product = "mov (M1, 8) F(0,0)<1> V(0,0)<1;1,0>
mul (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x3dcccccd:f
mov (M1, 8) V(0,0)<1> A(0,0)<1;1,0>
";
    // Down, to the end of the thread.
    let turned = "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x20:ud
mul (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x3dcccccd:f
";
    let store = STORE.replace("ret", &format!("{turned}ret"));
    let body = format!("{COMPUTE}{PLACES}{product}{store}");
    assert_alike(&body, &Grid::compute([5, 3, 2], 3));
    let body = format!("{MEDIA}{PLACES}{product}{store}");
    assert_alike(&body, &Grid::media(70, 3));
}
