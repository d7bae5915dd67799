//! Whole programs: kernels as Intel's compilers printed them for skl and bmg (over images; over buffers, with local
//! memory, barriers and atomics), media blocks and scaled frames. The work, the inputs and the checksums are those of
//! the drivers in `tools/peers`, and of `kernels/compute.cpp` beside the texts.
//!
//! ```text
//! cargo bench --bench kernels [-- NAME…]              a table, then large images, many launches, watched runs
//! cargo bench --bench kernels -- scale                large images, many launches and all cores alone
//! cargo bench --bench kernels -- watched              watched runs alone
//! cargo bench --bench kernels -- --json [NAME…]       a line of JSON for each, as the drivers of the peers print it
//! cargo bench --bench kernels -- --peers BIN [NAME…]  visim and the peers whose drivers are in BIN in turn; ratios
//! ```
//!
//! `--reps N`, `--threads N`, `--min-s S` and `--only W2.seq,W5` are those of the drivers, `--rounds N` counts the turns,
//! `--tools DIR` names the folder of `tools/peers`. Sources and texts: `benches/kernels/`.

#[path = "kernels/inputs.rs"]
mod inputs;
#[path = "kernels/peers.rs"]
mod peers;
#[path = "kernels/work.rs"]
mod work;

use serde_json::json;
use std::time::Instant;
use visim::internals::launch::Silent;
use visim::internals::observe::{Sanitizer, Stats, Watcher};
use work::{DEVICES, Ready, WORK, Work};

const ROUNDS: usize = 5;

/// What the command line says.
struct Wanted {
    names: Vec<String>,
    reps: usize,
    threads: usize,
    min_seconds: f64,
    rounds: usize,
    json: bool,
    /// Where the drivers of the peers are, and their sources.
    peers: Option<String>,
    tools: String,
}

impl Wanted {
    fn read() -> Wanted {
        let mut wanted = Wanted {
            names: Vec::new(),
            reps: ROUNDS,
            threads: 1,
            min_seconds: 0.02,
            rounds: 3,
            json: false,
            peers: None,
            tools: "../shared/tools/peers".to_string(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next();
                value.unwrap_or_else(|| panic!("{word} takes a value"))
            };
            let number = |text: String| {
                let read = text.parse();
                read.unwrap_or_else(|_| panic!("`{text}` is not a number"))
            };
            match word.as_str() {
                "--bench" => {}
                "--json" => wanted.json = true,
                "--only" => wanted.names.extend(value().split(',').map(str::to_owned)),
                "--reps" => wanted.reps = number(value()) as usize,
                "--threads" => wanted.threads = number(value()) as usize,
                "--rounds" => wanted.rounds = number(value()) as usize,
                "--min-s" => wanted.min_seconds = number(value()),
                "--peers" => wanted.peers = Some(value()),
                "--tools" => wanted.tools = value(),
                name => wanted.names.push(name.to_string()),
            }
        }
        wanted
    }

    /// Whether a name, or the beginning of one, stands for the work.
    fn has(&self, work: &Work) -> bool {
        let named = |name: &String| {
            work.name.contains(name.as_str()) || work.workload.starts_with(name.as_str())
        };
        self.names.is_empty() || self.names.iter().any(named)
    }

    fn work(&self) -> impl Iterator<Item = &'static Work> {
        WORK.iter().filter(|work| self.has(work))
    }
}

fn seconds(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn best(rounds: usize, mut run: impl FnMut()) -> f64 {
    (0..rounds)
        .map(|_| seconds(&mut run))
        .fold(f64::INFINITY, f64::min)
}

/// CPU seconds of the process so far; of the clock where the system does not tell.
fn cpu_seconds(clock: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse::<f64>);
    match (ticks.next(), ticks.next()) {
        (Some(Ok(user)), Some(Ok(system))) => (user + system) / 100.0,
        _ => clock.elapsed().as_secs_f64(),
    }
}

/// The line that `tools/peers` describes.
fn print_json(work: &Work, device: &str, wanted: &Wanted) {
    let ready = work.ready(device);
    let run = || {
        ready.run(wanted.threads, |_| Silent);
    };
    let first = seconds(run);
    // Later runs may add to what the first one wrote.
    let (fnv, sum) = ready.result();
    let once = seconds(run);
    let inner = (wanted.min_seconds / once.max(1e-9)).max(1.0) as u32;
    let clock = Instant::now();
    let mut wall = Vec::new();
    let mut cpu = Vec::new();
    for _ in 0..wanted.reps {
        let before = cpu_seconds(clock);
        let whole = seconds(|| (0..inner).for_each(|_| run()));
        wall.push(whole / f64::from(inner));
        cpu.push((cpu_seconds(clock) - before) / f64::from(inner));
    }
    let median = peers::median(&wall);
    let amount = f64::from(work.size.0) * f64::from(work.size.1);
    let mut line = json!({
        "peer": format!("visim-{device}"), "workload": work.workload, "threads": wanted.threads,
        "seconds": wall, "cpu": cpu, "first": first, "median": median, "fnv": format!("{fnv:016x}"), "sum": sum,
    });
    line[work.unit()] = json!(amount);
    line[format!("ns_per_{}", work.unit())] = json!(median / amount * 1e9);
    println!("{line}");
}

fn main() {
    let wanted = Wanted::read();
    if let Some(drivers) = &wanted.peers {
        return peers::compare(drivers, &wanted);
    }
    if wanted.json {
        for work in wanted.work() {
            for device in work.devices() {
                print_json(work, device, &wanted);
            }
        }
        return;
    }
    println!("kernel               ns/item  Minstr/s    two threads: ns/item  gain");
    for work in wanted.work() {
        for device in work.devices() {
            table_row(work, device, wanted.reps);
        }
    }
    let asks = |name: &str| wanted.names.is_empty() || wanted.names.iter().any(|n| n == name);
    if asks("scale") {
        scale();
    }
    if asks("watched") {
        watched();
    }
}

fn table_row(work: &Work, device: &str, rounds: usize) {
    let ready = work.ready(device);
    let items = f64::from(work.size.0) * f64::from(work.size.1);
    let instructions = ready.run(1, |_| Silent) as f64;
    let [one, two] = [1, 2].map(|jobs| {
        best(rounds, || {
            ready.run(jobs, |_| Silent);
        })
    });
    println!(
        "{:<14} {device:<4} {:>8.1} {:>9.1} {:>23.1} {:>5.2}",
        work.name,
        one / items * 1e9,
        instructions / one / 1e6,
        two / items * 1e9,
        one / two
    );
}

fn named(name: &str) -> Work {
    *WORK
        .iter()
        .find(|work| work.name == name)
        .expect("a kernel of the list")
}

/// The most memory that the process had, MiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or_default() >> 10
}

/// From text to result, many launches of one program, images of 8K, and all cores.
fn scale() {
    let small = named("sobel").sized((64, 64));
    for device in DEVICES {
        let cold = best(3, || {
            small.ready(device).run(1, |_| Silent);
        });
        let ready = small.ready(device);
        let launches = seconds(|| {
            (0..1000).for_each(|_| {
                ready.run(1, |_| Silent);
            })
        });
        println!(
            "sobel 64x64 {device}: from text {:.2} ms, prepared {:.1} us a launch of 1,000",
            cold * 1e3,
            launches * 1e3
        );
    }
    for name in ["copy", "sobel", "media copy"] {
        let whole = named(name);
        let large = whole.sized((7680, 4320));
        let [frame, eight] = [&whole, &large].map(|work| {
            let ready = work.ready("skl");
            let items = f64::from(work.size.0) * f64::from(work.size.1);
            best(3, || {
                ready.run(1, |_| Silent);
            }) / items
                * 1e9
        });
        println!(
            "{name} skl: {frame:.1} ns/pixel of 1920x1080, {eight:.1} of 7680x4320; at most {} MiB",
            most_memory()
        );
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = || std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n <= cores);
    for name in ["sobel", "transpose", "reduce", "matmul", "mandelbrot"] {
        let work = named(name);
        let ready = work.ready("skl");
        let items = f64::from(work.size.0) * f64::from(work.size.1);
        let on = |jobs: usize| {
            let run = || {
                ready.run(jobs, |_| Silent);
            };
            format!("{:.1} on {jobs}", best(3 * ROUNDS, run) / items * 1e9)
        };
        let all: Vec<String> = threads().map(on).collect();
        println!("{name} skl: ns/item {}", all.join(", "));
    }
}

/// What watching costs, for an image, a loop, and groups with local memory.
fn watched() {
    for (name, size) in [
        ("copy", (256, 256)),
        ("mandelbrot", (64, 64)),
        ("matmul", (64, 64)),
    ] {
        watched_kernel(name, size);
    }
}

fn watched_kernel(name: &str, size: (u32, u32)) {
    let ready: Ready = named(name).sized(size).ready("skl");
    let item = 1e9 / f64::from(size.0 * size.1);
    let silent = item
        * best(ROUNDS, || {
            ready.run(1, |_| Silent);
        });
    println!(
        "{name} {}x{}, nobody watches: {silent:.1} ns/item",
        size.0, size.1
    );
    type Make = fn() -> Watcher<'static>;
    let watchers: [(&str, Make); 4] = [
        ("an observer that does nothing", Watcher::default),
        ("--stats", || Watcher {
            stats: Some(Stats::default()),
            ..Watcher::default()
        }),
        ("--sanitize", || Watcher {
            sanitizer: Some(Sanitizer::default()),
            ..Watcher::default()
        }),
        ("--sanitize, with a doubt", || Watcher {
            sanitizer: Some(Sanitizer::step_by_step()),
            ..Watcher::default()
        }),
    ];
    for (name, watcher) in watchers {
        let watcher = watcher();
        let ns = item
            * best(2, || {
                ready.run(1, |_| watcher.thread());
            });
        println!("  {name:<30} {ns:>9.1} ns/item, {:.1} times", ns / silent);
    }
}
