//! Media blocks of many threads: native code leaves what the steps leave.

use super::{program, surface};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::sync::Arc;
use visim::internals::launch::{
    self, Bindings, Grid, Keep, NativeCode, RunOptions, Sampler, Silent,
};
use visim::internals::observe::Stats;
use visim::internals::surface::{Format, Surface};

const FIELDS: [&str; 4] = ["nomod", "nomod", "top", "bottom"];

fn image(format: &str, width: u32, height: u32, seed: usize) -> Arc<Surface> {
    let image = surface(
        Format::named(format).expect("a format"),
        width,
        height,
        vec![],
    );
    let bytes = (0..image.memory().len()).map(|i| ((i + seed) * 37 + i / 91) as u8);
    let bytes: Vec<u8> = bytes.collect();
    image.memory().write(0, &bytes);
    image
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn native_blocks_are_those_of_the_steps(
        (width, height) in prop_oneof![
            (prop::sample::select(&[4u32, 8, 16, 32][..]), 1u32..9),
            (Just(64u32), 1u32..5),
            (1u32..33, 1u32..9),
        ],
        format in prop::sample::select(&["R8_UNORM", "R8G8B8A8_UNORM", "R16_UINT"][..]),
        (across, down) in (1u32..100, 1u32..40),
        (left, top) in (-9i32..9, -3i32..4),
        odd in 0i32..4,
        field in 0usize..4,
        changes in any::<bool>(),
    ) {
        // Each thread writes rows of its own; some are outside, some between multiples of four.
        let field = FIELDS[field];
        let text = format!(
            ".decl X v_type=G type=d num_elts=1 align=dword
.decl Y v_type=G type=d num_elts=1 align=dword
.decl FX v_type=G type=d num_elts=1 align=dword
.decl FY v_type=G type=d num_elts=1 align=dword
.decl BLOCK v_type=G type=ud num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> {step}:uw
mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> {height}:uw
add (M1_NM, 1) FX(0,0)<1> X(0,0)<0;1,0> {left}:d
add (M1_NM, 1) FY(0,0)<1> Y(0,0)<0;1,0> {top}:d
add (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> {odd}:d
media_ld.{field} ({width},{height}) T6 0 FX(0,0)<0;1,0> FY(0,0)<0;1,0> BLOCK.0
{change}
media_st.nomod ({width},{height}) T7 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0
",
            step = width.next_multiple_of(4),
            change = match changes {
                true => "xor (M1_NM, 16) BLOCK(1,0)<1> BLOCK(0,0)<1;1,0> 0x5a5a5a5a:ud",
                false => "",
            },
        );
        let program = program(&text);
        let run = |native| {
            let mut bindings = Bindings::default();
            bindings.surfaces.insert(6, image(format, across, 2 * down, 5));
            let to = image(format, across, down, 77);
            bindings.surfaces.insert(7, Arc::clone(&to));
            let options = RunOptions { keep: Keep::All, native, ..RunOptions::default() };
            let (grid, stats) = (Grid::media(5, 7), Stats::default());
            let outcome = launch::run(&program, &bindings, &grid, &options, |_| Silent);
            let kept = outcome.map(|o| o.threads.into_iter().map(|t| t.arena).collect::<Vec<_>>());
            let kept = kept.map_err(|trap| trap.diagnostic.code);
            let left = to.memory().to_vec();
            let counted = launch::run(&program, &bindings, &grid, &options, |_| stats.thread());
            (kept, left, counted.is_ok(), stats.counts())
        };
        assert_eq!(run(NativeCode::Always), run(NativeCode::Never), "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn threads_that_scale_a_block_between_two_pieces_of_code_leave_what_steps_leave(
        (across, down) in (17u32..90, 9u32..60),
        (step_u, step_v) in (0.2f32..2.5, 0.2f32..2.5),
        (first, last) in (0usize..3, 0usize..12),
        [twice, parted] in [prop::bool::weighted(0.2), prop::bool::weighted(0.3)],
        nan in prop::bool::weighted(0.2),
        limit in prop_oneof![3 => Just(u64::MAX), 1 => 1u64..40],
    ) {
        let (du, dv) = (step_u / across as f32, step_v / down as f32);
        let scale = format!(
            "avs.G T6 S0 U(0,0)<0;1,0> V(0,0)<0;1,0> {du:?}:f {dv:?}:f 0.0:f 0:ud 0:ud AVS_8_FULL 0.0:f AVS_16x8 0:ub BLOCK.0
"
        );
        let add = "add (M1, 16) F(0,0)<1> F(0,0)<1;1,0> 0x3f800000:f\n";
        let text = format!(
            ".decl X v_type=G type=ud num_elts=1 align=dword
.decl Y v_type=G type=ud num_elts=1 align=dword
.decl U v_type=G type=f num_elts=1 align=dword
.decl V v_type=G type=f num_elts=1 align=dword
.decl F v_type=G type=f num_elts=16 align=GRF
.decl W v_type=G type=w num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl BLOCK v_type=G type=ub num_elts=256 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl S0 v_type=S num_elts=1
mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 16:uw
mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> 8:uw
mov (M1_NM, 1) U(0,0)<1> X(0,0)<0;1,0>
mov (M1_NM, 1) V(0,0)<1> Y(0,0)<0;1,0>
mul (M1_NM, 1) U(0,0)<1> U(0,0)<0;1,0> {du:?}:f
mul (M1_NM, 1) V(0,0)<1> V(0,0)<0;1,0> {dv:?}:f
mov (M1, 16) F(0,0)<1> U(0,0)<0;1,0>
{nan}{before}{part}{scale}{again}{behind}
out:
media_st.nomod (16,8) T7 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0
ret (M1, 1)
",
            nan = if nan { "mul (M1, 16) F(0,0)<1> F(0,0)<1;1,0> 0x7f800000:f\n" } else { "" },
            before = add.repeat(first),
            part = match parted {
                true => "mov (M1, 16) W(0,0)<1> 0x76543210:v\ncmp.lt (M1, 16) P1 W(0,0)<1;1,0> 0x4:w\n(P1) goto (M1, 16) out\n",
                false => "",
            },
            again = if twice { &scale } else { "" },
            behind = add.repeat(last),
        );
        let program = program(&text);
        let run = |native, keep: Keep| {
            let mut bindings = Bindings::default();
            bindings.surfaces.insert(6, image("Y8_UNORM", across, down, 5));
            let to = image("R8_UNORM", 5 * 16, 7 * 8 - 5, 77);
            bindings.surfaces.insert(7, Arc::clone(&to));
            let table = serde_json::json!("polyphase 0.7");
            let state = serde_json::json!({ "table0x": table, "table0y": table, "table1x": table, "table1y": table });
            let state = serde_json::from_value(state).expect("a state");
            bindings.samplers.insert(0, Sampler::Avs(Arc::new(state)));
            let options = RunOptions { keep, native, limit, ..RunOptions::default() };
            let outcome = launch::run(&program, &bindings, &Grid::media(5, 7), &options, |_| Silent);
            let outcome = outcome.map(|o| {
                let arenas = o.threads.into_iter().map(|t| t.arena);
                (o.instructions, arenas.collect::<Vec<_>>())
            });
            // Threads behind one that ends at a limit may have run beside it.
            let left = outcome.is_ok().then(|| to.memory().to_vec());
            let said = |trap: Box<launch::Trap>| (trap.thread.index, trap.mask, format!("{:?}", trap.diagnostic));
            (outcome.map_err(said), left)
        };
        for keep in [Keep::All, Keep::None] {
            let native = run(NativeCode::Always, keep.clone());
            assert!(native == run(NativeCode::Never, keep), "{text}");
        }
    }
}

/// What so many rows of five threads write, each a block of 32 bytes by two rows of `T6`.
fn written(text: &str, rows: u32, native: NativeCode, keep: Keep) -> Vec<u8> {
    let mut bindings = Bindings::default();
    let to = image("R8_UNORM", 5 * 32, 2 * rows, 77);
    bindings.surfaces.insert(6, Arc::clone(&to));
    let options = RunOptions {
        keep,
        native,
        ..RunOptions::default()
    };
    let (program, grid) = (program(text), Grid::media(5, rows));
    let outcome = launch::run(&program, &bindings, &grid, &options, |_| Silent);
    outcome.unwrap_or_else(|trap| panic!("{:?}", trap.diagnostic));
    to.memory().to_vec()
}

/// A thread whose code is left while rounding is turned goes on with that rounding.
#[test]
fn threads_that_leave_code_keep_their_rounding() {
    let toggle = "xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud";
    // Of one thread in each row a product has no order, which only the steps know.
    let text = format!(
        ".decl X v_type=G type=d num_elts=1 align=dword
.decl Y v_type=G type=d num_elts=1 align=dword
.decl F v_type=G type=f num_elts=16 align=GRF
.decl G v_type=G type=f num_elts=16 align=GRF
.decl H v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud
add (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> -2:d
mov (M1, 16) F(0,0)<1> X(0,0)<0;1,0>
mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 32:uw
mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> 2:uw
{toggle}
inv (M1, 16) G(0,0)<1> F(0,0)<1;1,0>
mul (M1, 16) G(0,0)<1> G(0,0)<1;1,0> F(0,0)<1;1,0>
add (M1, 16) H(0,0)<1> F(0,0)<1;1,0> 0x3dcccccd:f
mul (M1, 16) H(0,0)<1> H(0,0)<1;1,0> 0x3dcccccd:f
mul (M1, 16) H(0,0)<1> H(0,0)<1;1,0> 0x3dcccccd:f
{toggle}
mul (M1, 16) H(0,0)<1> H(0,0)<1;1,0> 0x3dcccccd:f
media_st.nomod (32,2) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> H.0
ret (M1, 1)
"
    );
    let run = |text: &str, native, keep| written(text, 7, native, keep);
    let steps = run(&text, NativeCode::Never, Keep::None);
    for keep in [Keep::All, Keep::None] {
        assert!(run(&text, NativeCode::Always, keep) == steps);
    }
    let nearest = text.replace(toggle, "");
    assert!(run(&nearest, NativeCode::Never, Keep::None) != steps);
}

/// What texels have of bytes is counted as they are written, by code and by steps.
#[test]
fn bytes_of_texels_are_counted() {
    let text = ".decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=f num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
mov (M1, 8) X(0,0)<1> 0x76543210:v
mov (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0>
mov (M1, 8) Y(0,0)<1> Y(0,0)<0;1,0>
add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x3f000000:f
scatter4_typed.RGBA (M1, 8) T6 X.0 Y.0 %null.0 %null.0 D.0
ret (M1, 1)
";
    let program = program(text);
    for format in [
        "R8G8B8A8_UNORM",
        "R32G32B32A32_FLOAT",
        "R16G16B16A16_UNORM",
        "R8_UINT",
    ] {
        let run = |native| {
            let mut bindings = Bindings::default();
            bindings.surfaces.insert(6, image(format, 8, 7, 3));
            let options = RunOptions {
                native,
                ..RunOptions::default()
            };
            let (grid, stats) = (Grid::media(1, 7), Stats::default());
            let ran = launch::run(&program, &bindings, &grid, &options, |_| stats.thread());
            ran.unwrap_or_else(|trap| panic!("{:?}", trap.diagnostic));
            stats.counts()
        };
        assert_eq!(run(NativeCode::Always), run(NativeCode::Never), "{format}");
    }
}

/// A result that is compared with a number is NaN, or some lanes are off, in some threads; its bits are looked at as well.
#[test]
fn results_that_are_compared_are_those_of_the_steps() {
    let numbers = ["0x0:f", "0x7fc00000:f", "G(0,0)<1;1,0>", "(-)K(0,0)<1;1,0>"];
    let relations = ["gt", "ge", "lt", "le", "eq", "ne"];
    let cases = relations
        .iter()
        .flat_map(|relation| numbers.map(|number| (relation, number)));
    for (relation, number) in cases {
        for parts in ["", "(P2) goto (M1, 16) Behind"] {
            let text = format!(
                ".decl X v_type=G type=d num_elts=1 align=dword
.decl L v_type=G type=w num_elts=16 align=GRF
.decl E v_type=G type=f num_elts=16 align=GRF
.decl G v_type=G type=f num_elts=16 align=GRF
.decl F v_type=G type=f num_elts=16 align=GRF
.decl K v_type=G type=f num_elts=16 align=GRF
.decl I v_type=G type=ud num_elts=16 alias=<K, 0>
.decl H v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1
or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud
mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 32:uw
mov (M1, 16) H(0,0)<1> 0x1:ud
mov (M1, 16) K(0,0)<1> 0x3f800000:f
mov (M1, 8) L(0,0)<1> 0x01101000:v
mov (M1, 8) L(0,8)<1> 0x10010001:v
mov (M1, 16) G(0,0)<1> L(0,0)<1;1,0>
mov (M1, 16) E(0,0)<1> %thread_x(0,0)<0;1,0>
mul (M1, 16) G(0,0)<1> G(0,0)<1;1,0> E(0,0)<1;1,0>
setp (M1_NM, 16) P2 0x5a0f:uw
{parts}
mul (M1, 16) E(0,0)<1> G(0,0)<1;1,0> 0x7f000000:f
add (M1, 16) F(0,0)<1> E(0,0)<1;1,0> (-)E(0,0)<1;1,0>
mul (M1, 16) K(0,0)<1> F(0,0)<1;1,0> 0x40000000:f
cmp.{relation} (M1, 16) P1 K(0,0)<1;1,0> {number}
(P1) goto (M1, 16) Behind
add (M1, 16) H(0,0)<1> H(0,0)<1;1,0> 0x2:ud
Behind:
xor (M1, 16) H(0,0)<1> H(0,0)<1;1,0> I(0,0)<1;1,0>
media_st.nomod (32,2) T6 0 X(0,0)<0;1,0> 0x0:ud H.0
ret (M1, 1)
"
            );
            let run = |native| written(&text, 1, native, Keep::None);
            assert!(run(NativeCode::Always) == run(NativeCode::Never), "{text}");
        }
    }
}
