//! The adaptive video scaler on whole frames, message by message, and against a plain copy; frames denoised and
//! deinterlaced as `visim video` does it.
//!
//! `cargo bench --bench avs`, or `-- table y8` for the table of the frames so named only. Pixels are output
//! pixels; a copy moves the bytes of the source once.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use std::time::Instant;
use visim::internals::isa::{AvsControl, AvsMode, ChannelMask};
use visim::internals::message::AvsRequest;
use visim::internals::sampler::avs::{self, AvsSampler, packed_bytes};
use visim::internals::sampler::deinterlace::DeinterlaceState;
use visim::internals::surface::{Description, Format, Surface};
use visim::internals::video::{Fields, Picture, Sampling};

const FULL_HD: (u32, u32) = (1920, 1080);
const HD: (u32, u32) = (1280, 720);

/// A frame to scale: what, from, to.
struct Frame {
    name: &'static str,
    surface: Surface,
    sampler: AvsSampler,
    request: AvsRequest,
    to: (u32, u32),
}

impl Frame {
    fn new(name: &'static str, format: Format, from: (u32, u32), to: (u32, u32)) -> Frame {
        let surface = Surface::zeroed(Description::d2(format, from.0, from.1)).unwrap();
        let noise: Vec<u8> = (0..surface.memory().len() as u32)
            .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
            .collect();
        surface.memory().write(0, &noise);
        let one = matches!(format, Format::Y8_UNORM);
        let planar = matches!(format, Format::PLANAR_420_8);
        let request = AvsRequest {
            surface: 0,
            sampler: 0,
            channels: ChannelMask(match (one, planar) {
                (true, _) => 2,
                (_, true) => 7,
                _ => 15,
            }),
            control: if planar {
                AvsControl::DownSample8
            } else {
                AvsControl::Full8
            },
            mode: AvsMode::M16x8,
            u: 0.0,
            v: 0.0,
            delta_u: 1.0 / to.0 as f32,
            delta_v: 1.0 / to.1 as f32,
            u2d: 0.0,
            v2d: 0.0,
            group_id: 0,
            vertical_block: 0,
            ief_bypass: true,
        };
        let scale = f64::from(to.0) / f64::from(from.0);
        let name_of = |kind: &str| serde_json::json!(format!("{kind} {scale}"));
        let tables = serde_json::json!({
            "table0x": name_of("polyphase"), "table0y": name_of("polyphase"),
            "table1x": name_of("polyphase"), "table1y": name_of("polyphase"),
        });
        let sampler = serde_json::from_value(tables).unwrap();
        Frame {
            name,
            surface,
            sampler,
            request,
            to,
        }
    }

    fn adaptive(mut self) -> Frame {
        (self.sampler.bypass_x, self.sampler.bypass_y) = (false, false);
        self
    }

    fn mode(mut self, mode: AvsMode) -> Frame {
        self.request.mode = mode;
        self
    }

    /// Every block of the frame.
    fn run(&self) {
        self.rows(0..self.to.1);
    }

    /// Every block of the frame, half of them on another thread.
    fn run_on_two(&self) {
        let middle = self.to.1 / 2 / 8 * 8;
        std::thread::scope(|scope| {
            scope.spawn(|| self.rows(0..middle));
            self.rows(middle..self.to.1);
        });
    }

    /// Every block of some rows of pixels.
    fn rows(&self, rows: std::ops::Range<u32>) {
        let (w, h) = self.request.mode.size();
        let mut dst = vec![0; packed_bytes(&self.request, false)];
        for y in rows.step_by(h as usize) {
            for x in (0..self.to.0).step_by(w as usize) {
                let request = AvsRequest {
                    u: x as f32 / self.to.0 as f32,
                    v: y as f32 / self.to.1 as f32,
                    ..self.request
                };
                avs::run(&self.surface, &self.sampler, &request, &mut dst).unwrap();
                black_box(&dst);
            }
        }
    }

    fn pixels(&self) -> u32 {
        self.to.0 * self.to.1
    }
}

fn frames() -> Vec<Frame> {
    let f = Frame::new;
    vec![
        f("y8 1080p to 720p", Format::Y8_UNORM, FULL_HD, HD),
        f("y8 1080p to 720p, 16x4", Format::Y8_UNORM, FULL_HD, HD).mode(AvsMode::M16x4),
        f("y8 720p to 1080p", Format::Y8_UNORM, HD, FULL_HD),
        f("rgba8 1080p to 720p", Format::R8G8B8A8_UNORM, FULL_HD, HD),
        f("rgba8 720p to 1080p", Format::R8G8B8A8_UNORM, HD, FULL_HD),
        f("nv12 1080p to 720p", Format::PLANAR_420_8, FULL_HD, HD),
        f("nv12 720p to 1080p", Format::PLANAR_420_8, HD, FULL_HD),
        f("y8 720p to 1080p, adaptive", Format::Y8_UNORM, HD, FULL_HD).adaptive(),
        f(
            "rgba8 720p to 1080p, adaptive",
            Format::R8G8B8A8_UNORM,
            HD,
            FULL_HD,
        )
        .adaptive(),
    ]
}

#[divan::bench(args = 0..frames().len(), sample_count = 10)]
fn scale(bencher: Bencher, which: usize) {
    let frame = &frames()[which];
    bencher
        .counter(ItemsCount::new(frame.pixels()))
        .bench_local(|| frame.run());
}

/// What is done with fields and noise of 1080p frames of 4:2:0.
const CLIPS: [(&str, bool, bool); 3] = [
    ("denoise 1080p", true, false),
    ("deinterlace 1080p", false, true),
    ("denoise and deinterlace 1080p", true, true),
];

/// A stream that has begun, and its next frame.
fn clip((_, dn_enable, di_enable): (&str, bool, bool)) -> (Fields, Picture) {
    let frame = |seed: u32| {
        let mut frame = Picture::new(FULL_HD.0, FULL_HD.1, Sampling::S420).unwrap();
        for (i, code) in (0u32..).zip(frame.planes.iter_mut().flatten()) {
            let noise = (i + seed).wrapping_mul(0x9e37_79b9) >> 29;
            *code = (64 + i / 7 % 128 + noise) as u8;
        }
        frame
    };
    let mut fields = Fields::new(DeinterlaceState {
        dn_enable,
        di_enable,
        temporal_th: 16,
        low_temporal_th: 6,
        ..DeinterlaceState::default()
    });
    fields.push(&frame(0)).unwrap();
    (fields, frame(1))
}

/// Frames of the input taken in a second, on so many threads.
fn frames_in_a_second(what: (&str, bool, bool), threads: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let (mut fields, frame) = clip(what);
    let pool = pool.build().unwrap();
    1.0 / fastest(|| drop(black_box(pool.install(|| fields.push(&frame)).unwrap())))
}

/// Seconds of the fastest of some runs.
fn fastest(mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..7).map(once).fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut named: Vec<String> = std::env::args().skip(1).collect();
    if !named.iter().any(|arg| arg == "--bench") {
        return divan::main();
    }
    named.retain(|arg| arg != "--bench");
    match named.iter().position(|arg| arg == "table") {
        Some(table) => drop(named.remove(table)),
        None => {
            divan::main();
            named.clear();
        }
    }
    println!(
        "\n{:32} {:>12} {:>12} {:>12} {:>10}",
        "frame", "Mpixel/s", "two threads", "source MB/s", "of memcpy"
    );
    let wanted = |frame: &Frame| named.iter().all(|word| frame.name.contains(word));
    for frame in frames().into_iter().filter(wanted) {
        let bytes = frame.surface.memory().len();
        let (source, mut copy) = (vec![1u8; bytes], vec![0u8; bytes]);
        let copied = fastest(|| {
            copy.copy_from_slice(black_box(&source));
            black_box(&copy);
        });
        let scaled = fastest(|| frame.run());
        let on_two = fastest(|| frame.run_on_two());
        println!(
            "{:32} {:12.0} {:12.0} {:12.0} {:9.1}%",
            frame.name,
            f64::from(frame.pixels()) / scaled / 1e6,
            f64::from(frame.pixels()) / on_two / 1e6,
            bytes as f64 / scaled / 1e6,
            100.0 * copied / scaled,
        );
    }
    let wanted: Vec<_> = CLIPS
        .into_iter()
        .filter(|clip| named.iter().all(|word| clip.0.contains(word)))
        .collect();
    if !wanted.is_empty() {
        println!(
            "\n{:32} {:>12} {:>12}",
            "frames of 4:2:0", "fps", "two threads"
        );
    }
    for what in wanted {
        let [one, two] = [1, 2].map(|threads| frames_in_a_second(what, threads));
        println!("{:32} {one:12.1} {two:12.1}", what.0);
    }
}
