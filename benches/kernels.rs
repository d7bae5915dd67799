//! Whole kernels as `ocloc` printed them for skl, over a frame of 1920x1080 (mandelbrot: 1024x1024, 256
//! iterations): nanoseconds for each pixel and executed SIMD instructions a second, on one thread and two.
//!
//! `cargo bench --bench kernels [-- NAME]`. Source and texts: `benches/kernels/`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use visim::internals::check::CheckOptions;
use visim::internals::harness::front::Front;
use visim::internals::harness::kernel::CompiledFile;
use visim::internals::harness::load;
use visim::internals::launch::kernel::image::{Image, Shape};
use visim::internals::launch::kernel::{Argument, Size};
use visim::internals::launch::{Keep, Observer, RunOptions, Silent, ThreadId, run};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::observe::{Sanitizer, Stats, Watcher};
use visim::internals::surface::Memory;

const FRAME: (u32, u32) = (1920, 1080);
const ROUNDS: usize = 5;

/// A kernel, its work-items and its arguments.
struct Work {
    name: &'static str,
    size: (u32, u32),
    group: (u32, u32),
    arguments: fn((u32, u32)) -> Vec<Argument>,
}

const WORK: &[Work] = &[
    Work {
        name: "copy",
        size: FRAME,
        group: (32, 1),
        arguments: |size| vec![picture("RGBA", size), buffer(16, size)],
    },
    Work {
        name: "sobel",
        size: FRAME,
        group: (32, 1),
        arguments: |size| vec![picture("R", size), picture("RGBA", size)],
    },
    Work {
        name: "nv12",
        size: FRAME,
        group: (32, 1),
        arguments: |(w, h)| {
            let chroma = picture("RG", (w / 2, h / 2));
            vec![picture("R", (w, h)), chroma, picture("RGBA", (w, h))]
        },
    },
    Work {
        name: "gauss5",
        size: FRAME,
        group: (32, 1),
        arguments: |size| vec![picture("RGBA", size), picture("RGBA", size)],
    },
    Work {
        name: "mandelbrot",
        size: (1024, 1024),
        group: (16, 1),
        arguments: |size| {
            let value = |values: &[f32]| {
                let bytes = values.iter().flat_map(|v| v.to_le_bytes());
                Argument::Value(bytes.collect())
            };
            let limit = Argument::Value(256u32.to_le_bytes().to_vec());
            let origin = value(&[-2.0, -1.25]);
            vec![buffer(4, size), origin, value(&[2.5 / 1024.0]), limit]
        },
    },
];

/// An 8-bit image with some content.
fn picture(order: &str, (width, height): (u32, u32)) -> Argument {
    let shape = Shape {
        kind: "2d".to_string(),
        order: order.to_string(),
        channel: "UNORM_INT8".to_string(),
        width,
        height,
        ..Shape::default()
    };
    let bytes = width as usize * height as usize * order.len();
    let texels: Vec<u8> = (0..bytes).map(|i| (i * 31 % 251) as u8).collect();
    Argument::Image(Image::new(shape, &texels).unwrap_or_else(|e| panic!("{}", e.message)))
}

fn buffer(texel: usize, (width, height): (u32, u32)) -> Argument {
    let bytes = texel * width as usize * height as usize;
    Argument::Buffer(Arc::new(Memory::zeroed(bytes)))
}

/// Nanoseconds for each pixel, the best of some rounds, and instructions a second in it; nobody watches.
fn measure(work: &Work, size: (u32, u32), jobs: usize, rounds: usize) -> (f64, f64) {
    measure_watched(work, size, jobs, rounds, |_| Silent)
}

/// As [`measure`], with an observer for each thread.
fn measure_watched<O: Observer>(
    work: &Work,
    size: (u32, u32),
    jobs: usize,
    rounds: usize,
    watch: impl Fn(ThreadId) -> O + Sync,
) -> (f64, f64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels");
    let path = folder.join(format!("{}.skl.visaasm", work.name));
    let source = load::source(&path).unwrap_or_else(|e| panic!("{e}"));
    let check = CheckOptions {
        finalizer: true,
        ..CheckOptions::default()
    };
    let front = Front::with(&source, &check);
    let file = CompiledFile::read(&folder.join("kernels.skl.zeinfo"), work.name, None);
    let file = file.unwrap_or_else(|e| panic!("{}", e.message));
    let program = lower(&front.checked, work.name, &LowerOptions::default());
    let program = program.unwrap_or_else(|e| panic!("{e:?}"));
    let size3 = Size {
        work_dim: 2,
        global: [size.0, size.1, 1],
        local: [work.group.0, work.group.1, 1],
        offset: [0; 3],
    };
    let arguments = (work.arguments)(size);
    let prepared = file.prepare(&front.checked, work.name, arguments, &size3);
    let ready = prepared.unwrap_or_else(|e| panic!("{}", e.message)).ready;
    let payload = ready.payload();
    let options = RunOptions {
        jobs,
        keep: Keep::None,
        ..RunOptions::default()
    };
    let options = ready.options(&program, options);
    let mut best = (f64::INFINITY, 0.0);
    for _ in 0..rounds {
        let start = Instant::now();
        let outcome = run(
            &program,
            &ready.bindings,
            &ready.grid(&payload),
            &options,
            &watch,
        );
        let seconds = start.elapsed().as_secs_f64();
        let outcome = outcome.unwrap_or_else(|trap| panic!("{}", trap.diagnostic.message));
        let pixels = f64::from(size.0) * f64::from(size.1);
        let one = (
            seconds * 1e9 / pixels,
            outcome.instructions as f64 / seconds,
        );
        if one.0 < best.0 {
            best = one;
        }
    }
    best
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    println!("kernel        ns/pixel  Minstr/s   two threads: ns/pixel  gain");
    for work in WORK {
        if !wanted.is_empty() && !wanted.iter().any(|w| work.name.contains(w.as_str())) {
            continue;
        }
        let one = measure(work, work.size, 1, ROUNDS);
        let two = measure(work, work.size, 2, ROUNDS);
        println!(
            "{:<12} {:>9.1} {:>9.1} {:>23.1} {:>5.2}",
            work.name,
            one.0,
            one.1 / 1e6,
            two.0,
            one.0 / two.0
        );
    }
    if !wanted.is_empty() {
        return;
    }
    let start = Instant::now();
    measure(&WORK[1], (64, 64), 1, 1);
    let cold = start.elapsed().as_secs_f64() * 1e3;
    println!("sobel 64x64 from text to result: {cold:.1} ms");
    watched();
}

/// What watching costs, on a part of the copy: nothing is asked of an observer that is not there.
fn watched() {
    let (copy, size) = (&WORK[0], (256, 256));
    let silent = measure(copy, size, 1, ROUNDS).0;
    println!("copy 256x256, nobody watches: {silent:.1} ns/pixel");
    type Make = fn() -> Watcher<'static>;
    let watchers: [(&str, Make); 3] = [
        ("an observer that does nothing", Watcher::default),
        ("--stats", || Watcher {
            stats: Some(Stats::default()),
            ..Watcher::default()
        }),
        ("--sanitize", || Watcher {
            sanitizer: Some(Sanitizer::default()),
            ..Watcher::default()
        }),
    ];
    for (name, watcher) in watchers {
        let watcher = watcher();
        let ns = measure_watched(copy, size, 1, 2, |_| watcher.thread()).0;
        println!("  {name:<30} {ns:>9.1} ns/pixel, {:.1} times", ns / silent);
    }
}
