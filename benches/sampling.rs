//! The sampler over a 1920×1080 picture: `cargo bench --bench sampling [-- FORMAT…]`.
//!
//! Texel loads in order and in pseudo-random order, and bilinear samples with address modes clamp and wrap;
//! 16 lanes a message, as a program would ask: each message for itself, requests and results as arrays of lanes;
//! and planned, as a run serves a message that many threads send, from their registers and to them. What a
//! program's other instructions add is measured by `frames` and by the last lines here. The ratio is to a plain
//! copy of the bytes returned (four floats a texel), measured in the same run.

use divan::{Bencher, black_box};
use std::sync::Arc;
use std::time::Instant;
use visim::internals::check::{CheckOptions, check};
use visim::internals::isa::ChannelMask;
use visim::internals::launch::{self, Bindings, Grid, Keep, RunOptions, Sampler, Silent};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::message::{ReturnFormat, SamplerOp, SamplerRequest};
use visim::internals::program::Program;
use visim::internals::sampler::plan::{Places, RegisterPlan};
use visim::internals::sampler::sample::sample;
use visim::internals::sampler::settings::{Address, Filter, SamplerState};
use visim::internals::sampler::{Lanes, fetch};
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Surface};
use visim::internals::syntax::{ParseOptions, parse};

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;
const LANES: u32 = 16;

const FORMATS: [&str; 4] = [
    "R8G8B8A8_UNORM",
    "R32_FLOAT",
    "R16G16B16A16_FLOAT",
    "BC1_UNORM",
];

/// What is asked of every texel of the picture.
#[derive(Clone, Copy, Debug)]
enum Way {
    InOrder,
    Scattered,
    Bilinear(Address),
}

const WAYS: [(&str, Way); 4] = [
    ("load, in order", Way::InOrder),
    ("load, pseudo-random", Way::Scattered),
    ("bilinear, clamp", Way::Bilinear(Address::Clamp)),
    ("bilinear, wrap", Way::Bilinear(Address::Wrap)),
];

fn picture(format: &str) -> Surface {
    let format = Format::named(format).expect("a format");
    let surface = Surface::zeroed(Description::d2(format, WIDTH, HEIGHT)).expect("a picture");
    // Bytes that are not infinity or NaN in any float format here.
    let noise: Vec<u8> = (0..surface.memory().len() as u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8 & 0xbb)
        .collect();
    surface.memory().write(0, &noise);
    surface
}

fn request(op: SamplerOp) -> SamplerRequest {
    SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: ChannelMask::RGBA,
        lanes: LANES,
        offsets: [0; 3],
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: 2,
    }
}

impl Way {
    fn state(self) -> SamplerState {
        match self {
            Way::Bilinear(address) => SamplerState {
                address: [address; 3],
                ..SamplerState::default().filtered(Filter::Linear, Filter::Linear)
            },
            _ => SamplerState::default(),
        }
    }

    /// What a lane asks for, made as a program would.
    #[inline(always)]
    fn coordinates(self, x: u32, y: u32, seed: &mut u32) -> [u32; 2] {
        match self {
            Way::InOrder => [x, y],
            Way::Scattered => {
                *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // High bits times the size: in range without a division.
                let part = |n: u32, by: u32| ((n >> 16) * by) >> 16;
                [part(*seed, WIDTH), part(seed.rotate_left(16), HEIGHT)]
            }
            Way::Bilinear(_) => [
                ((x as f32 + 0.8) / WIDTH as f32).to_bits(),
                ((y as f32 + 0.7) / HEIGHT as f32).to_bits(),
            ],
        }
    }
}

/// Asks for `rows` of the picture, each message for itself.
fn rows(surface: &Surface, way: Way, rows: std::ops::Range<u32>) {
    let mut out = [[0; 32]; 4];
    let mut params: [Lanes; 2] = [[0; 32]; 2];
    let state = way.state();
    let (load, filtered) = (request(SamplerOp::LdLz), request(SamplerOp::SampleLz));
    let mut seed = 1u32;
    for y in rows {
        for x in (0..WIDTH).step_by(LANES as usize) {
            for lane in 0..LANES {
                let [u, v] = way.coordinates(x + lane, y, &mut seed);
                (params[0][lane as usize], params[1][lane as usize]) = (u, v);
            }
            match way {
                Way::Bilinear(_) => {
                    let done = sample(surface, &state, &filtered, &params, u32::MAX, &mut out);
                    done.expect("samples");
                }
                _ => {
                    let done = fetch::load(surface, &load, &params, u32::MAX, &mut out);
                    done.expect("loads");
                }
            }
            black_box(&out);
        }
    }
}

/// Bytes of a register that holds all lanes.
const ROW: usize = 4 * LANES as usize;

/// Hardware threads that send a message together.
const TOGETHER: usize = 8;

/// The plan of the message; `None` for formats without one.
fn plan(surface: &Surface, way: Way) -> Option<RegisterPlan> {
    let places = Places {
        u: 0,
        v: Some(ROW),
        to: 2 * ROW,
        pitch: ROW,
    };
    match way {
        Way::Bilinear(_) => {
            RegisterPlan::sample(surface, &way.state(), &request(SamplerOp::SampleLz), places)
        }
        _ => RegisterPlan::load(surface, &request(SamplerOp::LdLz), 0, places),
    }
}

/// Asks for `rows` of the picture through the plan of its message.
fn planned_rows(surface: &Surface, way: Way, rows: std::ops::Range<u32>) {
    let Some(plan) = plan(surface, way) else {
        return;
    };
    let mut registers = [[0u8; 6 * ROW]; TOGETHER];
    let mut seed = 1u32;
    for y in rows {
        for x in (0..WIDTH).step_by(TOGETHER * LANES as usize) {
            for (x, registers) in (x..).step_by(LANES as usize).zip(&mut registers) {
                let (us, vs) = registers[..2 * ROW].split_at_mut(ROW);
                let slots = us
                    .as_chunks_mut::<4>()
                    .0
                    .iter_mut()
                    .zip(vs.as_chunks_mut::<4>().0);
                for (x, (u, v)) in (x..).zip(slots) {
                    let [at_u, at_v] = way.coordinates(x, y, &mut seed);
                    (*u, *v) = (at_u.to_le_bytes(), at_v.to_le_bytes());
                }
            }
            plan.serve(
                surface.memory(),
                &mut registers.each_mut().map(|bytes| &mut bytes[..]),
            );
            black_box(&registers);
        }
    }
}

fn frame(threads: u32, rows: impl Fn(std::ops::Range<u32>) + Sync) {
    let each = HEIGHT.div_ceil(threads);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (rows, part) = (&rows, thread * each..((thread + 1) * each).min(HEIGHT));
            scope.spawn(move || rows(part));
        }
    });
}

#[divan::bench(args = [(0, 0), (0, 1), (0, 2), (0, 3), (3, 0)], sample_count = 5)]
fn picture_rows(bencher: Bencher, (format, way): (usize, usize)) {
    let surface = picture(FORMATS[format]);
    bencher.bench_local(|| rows(&surface, WAYS[way].1, 0..64));
}

/// Seconds of the fastest of some runs.
fn fastest(mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..5).map(once).fold(f64::INFINITY, f64::min)
}

/// A row of 16 bilinear samples for each `sample_lz`, eight rows for each thread.
const PROGRAM: &str = ".version 4.1
.kernel \"sample\"
.decl U v_type=G type=f num_elts=16 align=GRF
.decl V v_type=G type=f num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=1 align=dword
.decl Y v_type=G type=ud num_elts=1 align=dword
.decl XS v_type=G type=ud num_elts=16 align=GRF
.decl TEXELS v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
    mul (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 16:uw
    mul (M1_NM, 1) Y(0,0)<1> %thread_y(0,0)<0;1,0> 8:uw
    add (M1_NM, 8) XS(0,0)<1> X(0,0)<0;1,0> 0x76543210:uv
    add (M1_NM, 8) XS(1,0)<1> XS(0,0)<1;1,0> 8:ud
    mov (M1_NM, 16) U(0,0)<1> XS(0,0)<1;1,0>
    mul (M1_NM, 16) U(0,0)<1> U(0,0)<1;1,0> 0x3a088889:f
    mov (M1_NM, 16) V(0,0)<1> Y(0,0)<0;1,0>
    mul (M1_NM, 16) V(0,0)<1> V(0,0)<1;1,0> 0x3a72b9d6:f
";

fn program() -> (Program, Bindings) {
    let mut text = PROGRAM.to_string();
    for _ in 0..8 {
        text += "    sample_lz.RGBA (M1_NM, 16)  0x0:uw S0 T6 TEXELS.0 U.0 V.0\n";
        text += "    add (M1_NM, 16) V(0,0)<1> V(0,0)<1;1,0> 0x3a72b9d6:f\n";
    }
    text += "    ret (M1, 1)\n";
    let parsed = parse(&Source::new("bench", text), &ParseOptions::default());
    let (checked, said) = check(&parsed.module, &CheckOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert!(said.is_empty(), "{said:?}");
    let program = lower(&checked, "", &LowerOptions::default()).expect("lowers");
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(picture(FORMATS[0])));
    let state = SamplerState::default().filtered(Filter::Linear, Filter::Linear);
    bindings
        .samplers
        .insert(0, Sampler::Texture(Arc::new(state)));
    (program, bindings)
}

fn main() {
    divan::main();
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let texels = (WIDTH * HEIGHT) as usize;
    let (source, mut copy) = (vec![1u8; 16 * texels], vec![0u8; 16 * texels]);
    let copied = fastest(|| {
        copy.copy_from_slice(black_box(&source));
        black_box(&copy);
    });
    println!(
        "\n{:20} {:26} {:>7} {:>10} {:>9}",
        "format", "way", "threads", "Mtexel/s", "x memcpy"
    );
    let line = |format: &str, way: &str, threads: usize, seconds: f64| {
        let rate = texels as f64 / seconds / 1e6;
        println!(
            "{format:20} {way:26} {threads:7} {rate:10.0} {:9.1}",
            seconds / copied
        );
    };
    let wanted = |name: &str| {
        let mut words = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
        let first = words.next();
        first.is_none_or(|word| name.contains(&word) || words.any(|word| name.contains(&word)))
    };
    for format in FORMATS.into_iter().filter(|format| wanted(format)) {
        let surface = picture(format);
        for (name, way) in WAYS {
            for threads in [1, 2] {
                let seconds = fastest(|| frame(threads, |part| rows(&surface, way, part)));
                line(format, name, threads as usize, seconds);
            }
            if plan(&surface, way).is_none() {
                continue;
            }
            for threads in [1, 2] {
                let seconds = fastest(|| frame(threads, |part| planned_rows(&surface, way, part)));
                line(
                    format,
                    &format!("{name}, planned"),
                    threads as usize,
                    seconds,
                );
            }
        }
    }
    let (program, bindings) = program();
    for jobs in [1, 2] {
        let options = RunOptions {
            keep: Keep::None,
            jobs,
            ..RunOptions::default()
        };
        let grid = Grid::media(WIDTH / 16, HEIGHT / 8);
        let seconds = fastest(|| {
            let outcome = launch::run(&program, &bindings, &grid, &options, |_| Silent);
            black_box(outcome.expect("runs").instructions);
        });
        line(FORMATS[0], "program, sample_lz", jobs, seconds);
    }
}
