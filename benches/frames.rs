//! Whole programs over a 1920×1080 frame: `cargo bench --bench frames`.
//!
//! MEDIA_LD + MEDIA_ST copy an 8-bit surface in 32×8 blocks; LOAD_3D reads every texel of an RGBA8 image,
//! 16 at a time. Each is compared with a plain copy of the same bytes, measured in the same run; the
//! scaler has a bench of its own (`avs`). Everything a run does is inside the measure: starting threads,
//! instructions, messages.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::sync::Arc;
use std::time::Instant;
use visim::internals::check::{CheckOptions, check};
use visim::internals::launch::{self, Bindings, Grid, Keep, RunOptions, Silent};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Program;
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Surface};
use visim::internals::syntax::{ParseOptions, parse};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// `blocks` blocks below each other for each thread.
fn copy_text(blocks: u32) -> String {
    let mut text = format!(
        ".version 4.1
.kernel \"copy\"
.decl X v_type=G type=ud num_elts=1 align=dword
.decl Y v_type=G type=ud num_elts=1 align=dword
.decl BLOCK v_type=G type=ud num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
    mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 32:uw
    mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> {}:uw
",
        8 * blocks
    );
    for _ in 0..blocks {
        text += "    media_ld.nomod (32,8) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0\n";
        text += "    media_st.nomod (32,8) T7 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> BLOCK.0\n";
        text += "    add (M1_NM, 1) Y(0,0)<1> Y(0,0)<0;1,0> 8:ud\n";
    }
    text + "    ret (M1, 1)\n"
}

/// One row of 16 texels for each `load_3d`, eight rows for each thread.
fn load_text() -> String {
    let mut text = String::from(
        ".version 4.1
.kernel \"load\"
.decl U v_type=G type=ud num_elts=16 align=GRF
.decl V v_type=G type=ud num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=1 align=dword
.decl Y v_type=G type=ud num_elts=1 align=dword
.decl TEXELS v_type=G type=f num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
    mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 16:uw
    mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> 8:uw
    add (M1_NM, 8) U(0,0)<1> X(0,0)<0;1,0> 0x76543210:uv
    add (M1_NM, 8) U(1,0)<1> U(0,0)<1;1,0> 8:ud
    mov (M1_NM, 16) V(0,0)<1> Y(0,0)<0;1,0>
",
    );
    for _ in 0..8 {
        text += "    load_3d.RGBA (M1_NM, 16)  0x0:uw T6 TEXELS.0 U.0 V.0\n";
        text += "    add (M1_NM, 16) V(0,0)<1> V(0,0)<1;1,0> 1:ud\n";
    }
    text + "    ret (M1, 1)\n"
}

fn program(text: &str) -> Program {
    let source = Source::new("bench", text);
    let parsed = parse(&source, &ParseOptions::default());
    let (checked, said) = check(&parsed.module, &CheckOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert!(said.is_empty(), "{said:?}");
    lower(&checked, "", &LowerOptions::default()).expect("lowers")
}

/// A program, what it works on, and how many bytes it returns or moves.
struct Job {
    name: &'static str,
    program: Program,
    bindings: Bindings,
    grid: [u32; 2],
    bytes: usize,
    texels: usize,
}

impl Job {
    fn new(which: usize) -> Job {
        let surface = |format| {
            let surface =
                Surface::zeroed(Description::d2(format, WIDTH, HEIGHT)).expect("a plain surface");
            let noise: Vec<u8> = (0..surface.memory().len() as u32)
                .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
                .collect();
            surface.memory().write(0, &noise);
            Arc::new(surface)
        };
        let mut bindings = Bindings::default();
        let texels = (WIDTH * HEIGHT) as usize;
        if which < 2 {
            bindings.surfaces.insert(6, surface(Format::R8_UNORM));
            bindings.surfaces.insert(7, surface(Format::R8_UNORM));
            // 1080 rows are 27 times five blocks.
            let (name, blocks) = match which {
                0 => ("media copy, a block a thread", 1),
                _ => ("media copy, five blocks each", 5),
            };
            Job {
                name,
                program: program(&copy_text(blocks)),
                bindings,
                grid: [WIDTH / 32, HEIGHT / 8 / blocks],
                bytes: texels,
                texels,
            }
        } else {
            bindings.surfaces.insert(6, surface(Format::R8G8B8A8_UNORM));
            Job {
                name: "load_3d.RGBA of every texel",
                program: program(&load_text()),
                bindings,
                grid: [WIDTH / 16, HEIGHT / 8],
                bytes: 4 * texels,
                texels,
            }
        }
    }

    fn run(&self, jobs: usize) {
        let options = RunOptions {
            keep: Keep::None,
            jobs,
            ..RunOptions::default()
        };
        let grid = Grid::media(self.grid[0], self.grid[1]);
        let outcome = launch::run(&self.program, &self.bindings, &grid, &options, |_| Silent);
        black_box(outcome.expect("runs").instructions);
    }
}

#[divan::bench(args = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2)], sample_count = 10)]
fn frame(bencher: Bencher, (which, jobs): (usize, usize)) {
    let job = Job::new(which);
    bencher
        .counter(BytesCount::new(job.bytes))
        .bench_local(|| job.run(jobs));
}

/// Seconds of the fastest of some runs.
fn fastest(mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..9).map(once).fold(f64::INFINITY, f64::min)
}

fn main() {
    divan::main();
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    println!(
        "\n{:30} {:>5} {:>10} {:>10} {:>12}",
        "frame", "jobs", "MB/s", "Mtexel/s", "x memcpy"
    );
    for which in 0..3 {
        let job = Job::new(which);
        let (source, mut copy) = (vec![1u8; job.bytes], vec![0u8; job.bytes]);
        let copied = fastest(|| {
            copy.copy_from_slice(black_box(&source));
            black_box(&copy);
        });
        for jobs in [1, 2] {
            let seconds = fastest(|| job.run(jobs));
            println!(
                "{:30} {jobs:5} {:10.0} {:10.0} {:12.1}",
                job.name,
                job.bytes as f64 / seconds / 1e6,
                job.texels as f64 / seconds / 1e6,
                seconds / copied,
            );
        }
    }
}
