//! Whole kernels as `ocloc` printed them: those over images for skl, over a frame of 1920x1080 (mandelbrot:
//! 1024x1024, 256 iterations); those over buffers, with local memory, barriers and atomics, for skl and dg2. Nanoseconds
//! for each work-item and executed SIMD instructions a second, on one thread and two.
//!
//! `cargo bench --bench kernels [-- NAME]`. Sources and texts: `benches/kernels/`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use visim::internals::check::CheckOptions;
use visim::internals::harness::front::Front;
use visim::internals::harness::kernel::CompiledFile;
use visim::internals::harness::load;
use visim::internals::isa::Platform;
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
    /// The program it is part of.
    file: &'static str,
    device: &'static str,
    size: (u32, u32),
    group: (u32, u32),
    arguments: fn((u32, u32)) -> Vec<Argument>,
}

const WORK: &[Work] = &[
    Work {
        name: "copy",
        file: "kernels",
        device: "skl",
        size: FRAME,
        group: (32, 1),
        arguments: |size| vec![picture("RGBA", size), buffer(16, size)],
    },
    Work {
        name: "sobel",
        file: "kernels",
        device: "skl",
        size: FRAME,
        group: (32, 1),
        arguments: |size| vec![picture("R", size), picture("RGBA", size)],
    },
    Work {
        name: "nv12",
        file: "kernels",
        device: "skl",
        size: FRAME,
        group: (32, 1),
        arguments: |(w, h)| {
            let chroma = picture("RG", (w / 2, h / 2));
            vec![picture("R", (w, h)), chroma, picture("RGBA", (w, h))]
        },
    },
    Work {
        name: "gauss5",
        file: "kernels",
        device: "skl",
        size: FRAME,
        group: (32, 1),
        arguments: |size| vec![picture("RGBA", size), picture("RGBA", size)],
    },
    Work {
        name: "mandelbrot",
        file: "kernels",
        device: "skl",
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

/// A kernel over buffers.
const fn compute(
    name: &'static str,
    device: &'static str,
    size: (u32, u32),
    group: (u32, u32),
    arguments: fn((u32, u32)) -> Vec<Argument>,
) -> Work {
    Work {
        name,
        file: "compute",
        device,
        size,
        group,
        arguments,
    }
}

const fn of_buffers(device: &'static str) -> [Work; 7] {
    const SQUARE: (u32, u32) = (512, 512);
    const ROW: (u32, u32) = (1 << 18, 1);
    [
        compute("matmul", device, (256, 256), (16, 16), |size| {
            vec![
                filled(4, size),
                filled(4, size),
                buffer(4, size),
                int(size.0),
            ]
        }),
        compute("reduce", device, ROW, (256, 1), |(n, _)| {
            vec![filled(8, (n, 1)), buffer(4, (n / 256, 1)), int(2 * n)]
        }),
        compute("histogram", device, ROW, (256, 1), |(n, _)| {
            vec![filled(16, (n, 1)), buffer(4, (256, 1)), int(16 * n)]
        }),
        compute("rowfilter", device, SQUARE, (32, 1), |size| {
            vec![filled(4, size), buffer(4, size), int(size.0)]
        }),
        compute("transpose", device, SQUARE, (16, 16), |size| {
            vec![filled(4, size), buffer(4, size), int(size.0)]
        }),
        compute("nbody", device, (1024, 1), (64, 1), |size| {
            vec![filled(16, size), buffer(16, size), int(size.0)]
        }),
        compute("crc", device, (1 << 14, 1), (64, 1), |(n, _)| {
            vec![filled(64, (n, 1)), buffer(4, (n, 1)), int(64)]
        }),
    ]
}

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

/// A buffer of floats between 1 and 2.
fn filled(item: usize, (width, height): (u32, u32)) -> Argument {
    let floats = item * width as usize * height as usize / 4;
    let value =
        |i: usize| (0x3f80_0000 | i.wrapping_mul(0x9e_3779) as u32 & 0x7f_ffff).to_le_bytes();
    let bytes: Vec<u8> = (0..floats).flat_map(value).collect();
    Argument::Buffer(Arc::new(Memory::from_bytes(&bytes)))
}

fn int(value: u32) -> Argument {
    Argument::Value(value.to_le_bytes().to_vec())
}

/// Nanoseconds for each work-item, the best of some rounds, and instructions a second in it; nobody watches.
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
    let path = folder.join(format!("{}.{}.visaasm", work.name, work.device));
    let source = load::source(&path).unwrap_or_else(|e| panic!("{e}"));
    let check = CheckOptions {
        platform: Platform::from_name(work.device).expect("a platform"),
        finalizer: true,
        ..CheckOptions::default()
    };
    let front = Front::with(&source, &check);
    let description = folder.join(format!("{}.{}.zeinfo", work.file, work.device));
    let file = CompiledFile::read(&description, work.name, None);
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
    println!("kernel           ns/item  Minstr/s    two threads: ns/item  gain");
    let compute = ["skl", "dg2"].map(of_buffers);
    for work in WORK.iter().chain(compute.as_flattened()) {
        if !wanted.is_empty() && !wanted.iter().any(|w| work.name.contains(w.as_str())) {
            continue;
        }
        let one = measure(work, work.size, 1, ROUNDS);
        let two = measure(work, work.size, 2, ROUNDS);
        println!(
            "{:<9} {:<4} {:>9.1} {:>9.1} {:>23.1} {:>5.2}",
            work.name,
            work.device,
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
