//! Media blocks of many threads: native code leaves what the steps leave.

use super::{program, surface};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::sync::Arc;
use visim::internals::launch::{self, Bindings, Grid, Keep, NativeCode, RunOptions, Silent};
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
