//! Broken text is refused, never a panic: mutants of every text of the corpora and samples go through
//! reading, checking, lowering and printing; mutants of compiled kernels too are run, with few instructions
//! and little memory.
//!
//! A mutant has one to three changes of bytes, words or lines, drawn from a generator with a fixed
//! seed, so that a failure comes again.

use rayon::prelude::*;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use visim::internals::finalizer::{Release, json};
use visim::internals::harness::directive;
use visim::internals::harness::front::Front;
use visim::internals::isa::Platform;
use visim::internals::launch::{self, Bindings, FlatRange, Grid, RunOptions, Silent};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::observe::trace::TraceOptions;
use visim::internals::observe::{Races, Sanitizer, Stats, Tracer, Watcher};
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Memory, Surface};

/// How many mutants are made; the texts take turns.
const MUTANTS: usize = 40_000;

/// A small generator (splitmix64): good enough to scatter, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        if n == 0 {
            0
        } else {
            (self.next() % n as u64) as usize
        }
    }
}

/// What may be put anywhere: the letters of the language, its edges, and what does not belong to it.
const SCRAPS: &[&str] = &[
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "99999999999999999999",
    "0xffffffffffffffff",
    "0x",
    "1e+39",
    ".",
    "..",
    ",",
    ";",
    ":",
    "(",
    ")",
    "<",
    ">",
    "<0;1,0>",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\\",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "é",
    "%",
    "%null",
    "%r0",
    "&",
    "(~)",
    "(-)",
    ":ud",
    ":v",
    ":df",
    "M9",
    "(M8, 32)",
    "(M1_NM, 1)",
    ".sat",
    ".RGBA",
    ".any",
    "T6",
    "S0",
    "A0(15)",
    "r[A0(0),-1]",
    "%sizeof(",
    "(1 << 31)",
    "(-2147483648 / -1)",
    "(1 % 0)",
    "num_elts=65536",
    "alias=<V0, 4294967295>",
    "align=GRF",
    "// EXPECT V0 f within",
    "// SET V0 = 1:ub",
    "// SURFACE T6: new 0x0 R8_UNORM",
    "//~^^^ E0101",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len() + 1);
        let to = (at + 1 + random.below(8)).min(bytes.len());
        match random.below(7) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let scrap = SCRAPS[random.below(SCRAPS.len())].bytes();
                drop(bytes.splice(at..at, scrap));
            }
            2 => {
                let scrap = SCRAPS[random.below(SCRAPS.len())].bytes();
                drop(bytes.splice(at..to, scrap));
            }
            3 if at < bytes.len() => bytes[at] ^= 1 << random.below(7),
            4 => bytes.truncate(at),
            kind => {
                // A line is left out, or is at another place too.
                let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
                let (from, to) = (random.below(lines.len()), random.below(lines.len()));
                let mut moved = lines.clone();
                if kind == 5 && !moved.is_empty() {
                    moved.remove(from);
                } else if let Some(line) = lines.get(from) {
                    moved.insert(to, line);
                }
                bytes = moved.concat();
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "samples",
        "tests/corpus/text",
        "tests/corpus/text-bad",
        "tests/corpus/text-canonical",
        "tests/corpus/text-other-platforms",
    ];
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| std::fs::read_dir(root.join(f)).expect("the folder is there"))
        .map(|e| e.expect("a folder entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "visaasm" || e == "visa"))
        .collect();
    paths.sort();
    let read = |p: PathBuf| {
        let text = std::fs::read_to_string(&p).expect("text");
        (p, text)
    };
    paths.into_iter().map(read).collect()
}

/// Everything a text passes on its way to being run.
fn straight_line(text: &str, platform: Platform) {
    let source = Source::new("mutant", text);
    let (_, mut diagnostics) = directive::read(&source);
    let front = Front::new(&source, platform);
    diagnostics.extend(front.diagnostics.iter().cloned());
    let _ = visim::internals::diagnostic::render_all(&diagnostics, &source, true);
    let _ = visim::internals::syntax::print(&front.module);
    // What the check leaves over must lower, whether or not the program may run.
    for unit in &front.checked.units {
        let _ =
            visim::internals::lower::lower(&front.checked, &unit.name, &LowerOptions::default());
        let _ = json::unit(unit, &source, platform, Release::default());
    }
}

/// Runs what is left of a text on a small grid with little memory and few instructions, watched for
/// everything or for nothing.
fn execute(text: &str, platform: Platform, watched: bool) {
    let source = Source::new("mutant", text);
    let front = Front::new(&source, platform);
    let options = LowerOptions {
        max_arena_bytes: 1 << 20,
        ..LowerOptions::default()
    };
    let Ok(program) = lower(&front.checked, "", &options) else {
        return;
    };
    let bindings = bindings();
    let grid = Grid::compute([2, 1, 1], 2);
    let options = RunOptions {
        limit: 400,
        scratch_bytes: 1 << 12,
        ..RunOptions::default()
    };
    if !watched {
        let _ = launch::run(&program, &bindings, &grid, &options, |_| Silent);
        return;
    }
    let trace = TraceOptions {
        instructions: true,
        stop_threads: vec![1],
        show: program.symbols.keys().take(4).cloned().collect(),
        most_instructions: 100,
        most_stops: 2,
        ..TraceOptions::default()
    };
    let watcher = Watcher {
        sanitizer: Some(Sanitizer::default()),
        races: Some(Races::default()),
        stats: Some(Stats::default()),
        tracer: Some(Tracer::new(trace, |_, event| {
            let _ = format!("{event:?}");
        })),
    };
    let _ = launch::run(&program, &bindings, &grid, &options, |_| watcher.thread());
    let _ = visim::internals::diagnostic::render_all(&watcher.diagnostics(), &source, false);
}

/// Small surfaces where texts look for theirs, and a little memory at 64-bit addresses.
fn bindings() -> Bindings {
    let mut bindings = Bindings::default();
    let memory = Arc::new(Memory::zeroed(4096));
    for index in 0..16 {
        let description = match index % 3 {
            0 => Description::d2(Format::R8_UNORM, 64, 64),
            1 => Description::d2(Format::R8G8B8A8_UNORM, 16, 16),
            _ => Description::buffer(Format::RAW, 256),
        };
        if let Ok(surface) = Surface::new(description, Arc::clone(&memory)) {
            bindings.surfaces.insert(index, Arc::new(surface));
        }
    }
    // A program that computes no address has zeros for one.
    bindings.memory.push(FlatRange { address: 0, memory });
    bindings
}

/// How many mutants run.
const RUNNING: usize = 3_000;

#[test]
fn no_mutant_brings_a_run_down() {
    let mut texts = texts();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/kernels");
    let kernels = std::fs::read_dir(root).expect("the folder is there");
    let mut kernels: Vec<PathBuf> = kernels.map(|e| e.expect("an entry").path()).collect();
    kernels.sort();
    for (i, folder) in kernels.iter().enumerate() {
        // One device of each kernel, another one of the next.
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = files.map(|e| e.path()).collect();
        files.retain(|p| p.extension().is_some_and(|e| e == "visaasm"));
        files.sort();
        if let Some(path) = files.get(i % files.len().max(1)) {
            let text = std::fs::read_to_string(path).expect("text");
            texts.push((path.clone(), text));
        }
    }
    hold(&texts, RUNNING, |mutant, platform, number| {
        execute(mutant, platform, number % 2 == 0);
    });
}

#[test]
fn no_mutant_brings_visim_down() {
    hold(&texts(), MUTANTS, |mutant, platform, _| {
        straight_line(mutant, platform);
    });
}

thread_local! {
    /// Whether this thread is at a mutant, whose panic is reported by [`hold`].
    static MUTANT: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the panics of mutants from the standard error; those of other tests are printed as ever.
fn silence_mutants() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !MUTANT.get() {
                print(panic);
            }
        }));
    });
}

/// Makes mutants of the texts in turn and asserts that none brings `what` to a panic.
fn hold(texts: &[(PathBuf, String)], mutants: usize, what: impl Fn(&str, Platform, usize) + Sync) {
    silence_mutants();
    let failures: Vec<String> = (0..mutants)
        .into_par_iter()
        .filter_map(|number| {
            let (path, text) = &texts[number % texts.len()];
            let mut random = Random(number as u64);
            let mutant = mutate(text, &mut random);
            let platform = Platform::ALL[random.below(Platform::ALL.len())];
            MUTANT.set(true);
            let outcome = catch_unwind(AssertUnwindSafe(|| what(&mutant, platform, number)));
            MUTANT.set(false);
            let panic = outcome.err()?;
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            Some(format!(
                "mutant {number} of {} for {platform}: {}\n{mutant}",
                path.display(),
                words.unwrap_or_default()
            ))
        })
        .collect();
    if let Some(first) = failures.first() {
        panic!(
            "{} of {mutants} mutants panic; the first:\n{first}",
            failures.len()
        );
    }
}
