//! What compilers print is clean: the sanitizer and the race check find nothing in the kernels of the
//! corpus and in the lessons but what is listed here, each with its reason.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::iter;
use std::path::{Path, PathBuf};
use visim::internals::diagnostic::Code;
use visim::internals::harness::bind::Layer;
use visim::internals::harness::companion_files::with_functions;
use visim::internals::harness::kernel::LaunchFile;
use visim::internals::harness::load;
use visim::internals::harness::session::{Options, Refused, Session, file_layer, start_watched};
use visim::internals::isa::Platform;
use visim::internals::launch::{Observer, ThreadId};
use visim::internals::observe::{Races, Sanitizer, Stats, ThreadObserver, Watcher};
use visim::internals::source::Source;
use visim::internals::surface::Ledger;

/// Kernel, code, and why it is a true finding of the text.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "atomic_float_cas",
        "U0682",
        "the loop starts from a plain read of what other groups exchange",
    ),
    (
        "atomics_all_int",
        "W0685",
        "all groups exchange one dword, whose last value is open",
    ),
    (
        "atomics_local_return",
        "W0685",
        "threads of a group number themselves by what an addition hands back",
    ),
];

/// Lesson, code, and why it is there.
const IN_LESSONS: &[(&str, &str, &str)] = &[
    (
        "17-levels",
        "U0674",
        "eight lanes write a row of fewer texels: the others are dropped",
    ),
    (
        "18-shadow",
        "U0674",
        "eight lanes write a row of two texels: the others are dropped",
    ),
];

fn watcher() -> Watcher<'static> {
    Watcher {
        sanitizer: Some(Sanitizer::default()),
        races: Some(Races::default()),
        ..Watcher::default()
    }
}

/// Runs a kernel on one device; the rendered findings by code. `None` if it does not run at all, which
/// is the business of the kernels suite.
fn kernel(folder: &Path, nth: usize) -> Option<Vec<(String, String)>> {
    let file = LaunchFile::read(&folder.join("launch.json")).ok()?;
    if file.launch.form_only {
        return None;
    }
    let devices: Vec<&String> = file.launch.devices.keys().collect();
    let device = devices.get(nth % devices.len().max(1))?.as_str();
    without(folder, &file, device, None)
}

/// As [`kernel`], without the first line of the text that has `left_out`.
fn without(
    folder: &Path,
    file: &LaunchFile,
    device: &str,
    left_out: Option<&str>,
) -> Option<Vec<(String, String)>> {
    let path = folder.join(&file.launch.devices[device].visaasm);
    let mut source = load::source(&path).ok()?;
    if let Some(words) = left_out {
        let text = source.text();
        let line = text.lines().find(|line| line.contains(words))?;
        source = Source::new("changed", text.replacen(line, "", 1));
    }
    let source = with_functions(&source, &file.functions(device)).ok()?;
    let watcher = watcher();
    watch(&source, &path, (file, device), None, &watcher)?;
    let found = watcher.diagnostics().into_iter();
    let told = found.map(|d| {
        let text = visim::internals::diagnostic::render(&d, &source, false);
        (d.code.to_string(), format!("{device}: {text}"))
    });
    Some(told.collect())
}

/// Runs the text of a kernel on a device.
fn watch(
    source: &Source,
    path: &Path,
    (file, device): (&LaunchFile, &str),
    limit: Option<u64>,
    watcher: &Watcher<'_>,
) -> Option<()> {
    session(source, path, (file, device), limit, watcher)?.ok()?;
    Some(())
}

/// As [`watch`], with what is left of it; `None` if it does not begin.
fn session<'w, 's>(
    source: &Source,
    path: &Path,
    (file, device): (&LaunchFile, &str),
    limit: Option<u64>,
    watcher: &'w Watcher<'s>,
) -> Option<Result<Session<ThreadObserver<'w, 's>>, Refused>> {
    let (own, found) = file_layer(source.clone(), path);
    let device_layer = Layer::of_platform(Platform::from_name(device)?);
    let layers = vec![own, device_layer];
    let size = file.launch.size()?;
    let arguments = file.arguments(&file.description(device).ok()?).ok()?;
    let prepared = file.prepare(device, arguments, &size).ok()?;
    let options = Options {
        launch: Some(prepared),
        limit: limit.unwrap_or(Options::default().limit),
        ..Options::default()
    };
    let ran = start_watched(&layers, found, &options, |_| watcher.thread());
    Some(ran)
}

/// The kernels of the corpus.
fn folders() -> Vec<PathBuf> {
    let root = std::env::var_os("VISIM_KERNELS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/kernels"),
        PathBuf::from,
    );
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("the folder is there")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.join("launch.json").is_file())
        .collect();
    folders.sort();
    folders
}

/// What a kernel did on its nth device, threads side by side or step by step.
fn counts(folder: &Path, nth: usize, stepped: bool) -> Option<String> {
    let file = LaunchFile::read(&folder.join("launch.json")).ok()?;
    let devices: Vec<&String> = file.launch.devices.keys().collect();
    let device = devices.get(nth % devices.len().max(1))?.as_str();
    let path = folder.join(&file.launch.devices[device].visaasm);
    let source = load::source(&path).ok()?;
    let source = with_functions(&source, &file.functions(device)).ok()?;
    let watcher = Watcher {
        stats: Some(Stats::default()),
        // Whoever wants steps has threads run alone.
        sanitizer: stepped.then(Sanitizer::default),
        ..Watcher::default()
    };
    let ran = watch(&source, &path, (&file, device), None, &watcher).is_some();
    let counts = watcher.stats.map(|stats| stats.counts());
    Some(format!("{ran} {counts:#?}"))
}

#[test]
fn counts_side_by_side_are_those_of_steps() {
    let mut compared = 0;
    let folders = folders();
    let both: Vec<_> = (folders.par_iter().enumerate())
        .map(|(nth, folder)| (folder, [false, true].map(|way| counts(folder, nth, way))))
        .collect();
    for (folder, [beside, stepped]) in both {
        if let (Some(beside), Some(stepped)) = (beside, stepped) {
            assert_eq!(beside, stepped, "{}", folder.display());
            compared += usize::from(beside.starts_with("true"));
        }
    }
    assert!(compared > 100, "{compared} kernels ran");
}

/// What the sanitizer finds in a kernel that lacks one of its instructions, alone or beside others, who want more.
fn findings(folder: &Path, nth: usize, alone: bool) -> Option<String> {
    let file = LaunchFile::read(&folder.join("launch.json")).ok()?;
    let (device, of) = file.launch.devices.iter().next()?;
    let path = folder.join(&of.visaasm);
    let source = load::source(&path).ok()?;
    let is_instruction = |line: &&str| line.contains("(M1");
    let lines: Vec<&str> = source.text().lines().filter(is_instruction).collect();
    let line = lines.get((2 * nth + 1) * lines.len() / 4)?;
    let source = Source::new("changed", source.text().replacen(line, "", 1));
    let source = with_functions(&source, &file.functions(device)).ok()?;
    let watcher = Watcher {
        sanitizer: Some(Sanitizer::default()),
        stats: (!alone).then(Stats::default),
        ..Watcher::default()
    };
    // Loops may have no end without their instruction.
    let limit = Some(2_000);
    let ran = watch(&source, &path, (&file, device), limit, &watcher).is_some();
    Some(format!("{ran} {:#?}", watcher.diagnostics()))
}

#[test]
fn findings_do_not_depend_on_who_else_watches() {
    let folders = folders();
    // A run that is told everything takes its time.
    let told: Vec<_> = (folders.par_iter().step_by(4))
        .flat_map_iter(|folder| (0..2).map(move |nth| (folder, nth)))
        .map(|(folder, nth)| {
            let both = [true, false].map(|alone| findings(folder, nth, alone));
            assert_eq!(both[0], both[1], "{}, {nth}", folder.display());
            both[0].as_ref().is_some_and(|told| told.contains("code"))
        })
        .collect();
    let found = told.iter().filter(|told| **told).count();
    assert!(found > 10, "{found} of {} have findings", told.len());
}

/// What a kernel leaves in memory, and what is found in it; perhaps without one of its instructions.
fn left_by(
    folder: &Path,
    nth: usize,
    left_out: Option<usize>,
    sanitizer: Sanitizer,
) -> Option<(String, Sanitizer)> {
    let file = LaunchFile::read(&folder.join("launch.json")).ok()?;
    let devices: Vec<&String> = file.launch.devices.keys().collect();
    let device = devices.get(nth % devices.len().max(1))?.as_str();
    let path = folder.join(&file.launch.devices[device].visaasm);
    let mut source = load::source(&path).ok()?;
    if let Some(place) = left_out {
        let is_instruction = |line: &&str| line.contains("(M1");
        let lines: Vec<&str> = source.text().lines().filter(is_instruction).collect();
        let line = *lines.get((2 * place + 1) * lines.len() / 16)?;
        source = Source::new("changed", source.text().replacen(line, "", 1));
    }
    let source = with_functions(&source, &file.functions(device)).ok()?;
    let watcher = Watcher {
        sanitizer: Some(sanitizer),
        ..Watcher::default()
    };
    let limit = left_out.map(|_| 2_000);
    let mut left = match session(&source, &path, (&file, device), limit, &watcher)? {
        Ok(session) => {
            let surfaces = session.bindings.surfaces.values().map(|s| s.memory());
            let ranges = session.bindings.memory.iter().map(|range| &range.memory);
            let memory: Vec<_> = surfaces.chain(ranges).map(|m| m.to_vec()).collect();
            let outcome = &session.outcome;
            format!("{} {:?} {memory:?}", outcome.instructions, outcome.remarks)
        }
        Err(refused) => format!("{:#?}", refused.problems),
    };
    left += &format!("{:#?}", watcher.diagnostics());
    Some((left, watcher.sanitizer?))
}

/// A run that looks for doubts first leaves what one does that looks at each step from the start, and finds the same.
#[test]
fn findings_do_not_depend_on_whether_doubts_are_looked_for_first() {
    let folders = folders();
    let runs: Vec<_> = (folders.par_iter().enumerate())
        .flat_map_iter(|(nth, folder)| {
            let places = (0..8).filter(move |place| (nth + place) % 4 == 0);
            let left_out = iter::once(None).chain(places.map(Some));
            left_out.map(move |left_out| (nth, folder, left_out))
        })
        .filter_map(|(nth, folder, left_out)| {
            let left = |sanitizer| left_by(folder, nth, left_out, sanitizer);
            let (doubts, steps) = (Sanitizer::default(), Sanitizer::step_by_step());
            let ((doubts, sanitizer), (steps, _)) = (left(doubts)?, left(steps)?);
            let name = folder.display();
            assert!(doubts == steps, "{name}, {left_out:?}\n{doubts}\n{steps}");
            Some((left_out.is_none(), sanitizer.has_doubted()))
        })
        .collect();
    let count = |wanted| runs.iter().filter(|run| **run == wanted).count();
    let [clean, whole] = [count((true, false)), count((true, true))];
    assert!(clean > whole, "{clean} without steps, {whole} with them");
    let [unchanged, doubted] = [count((false, false)), count((false, true))];
    assert!(unchanged > 10 && doubted > 100, "{unchanged} {doubted}");
}

#[test]
fn compiled_kernels_are_clean() {
    let folders = folders();
    // Each on one device, on all of them if asked.
    let all = std::env::var_os("VISIM_ALL_DEVICES").is_some();
    let runs: Vec<(usize, &PathBuf)> = folders
        .iter()
        .enumerate()
        .flat_map(|(i, folder)| (0..if all { 4 } else { 1 }).map(move |k| (i + k, folder)))
        .collect();
    let results: Vec<_> = runs
        .par_iter()
        .map(|(nth, folder)| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            (name.into_owned(), kernel(folder, *nth))
        })
        .collect();
    let ran = results.iter().filter(|r| r.1.is_some()).count();
    assert!(ran * 10 >= runs.len() * 7, "{ran} of {} ran", runs.len());
    let mut unknown = BTreeMap::new();
    for (name, found) in results {
        for (code, text) in found.into_iter().flatten() {
            let known = |k: &&(&str, &str, &str)| k.0 == name && k.1 == code;
            if !KNOWN.iter().any(|k| known(&k)) {
                unknown.insert((name.clone(), code), text);
            }
        }
    }
    let texts: Vec<String> = unknown
        .iter()
        .map(|((name, _), text)| format!("{name}, {text}"))
        .collect();
    assert!(
        texts.is_empty(),
        "{} findings\n{}",
        texts.len(),
        texts.join("\n")
    );
}

#[test]
fn private_memory_holds_nothing_at_the_start() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/corpus/kernels/mem_private_large");
    let file = LaunchFile::read(&folder.join("launch.json")).expect("a launch file");
    let found = |left_out| without(&folder, &file, "dg2", left_out).expect("it runs");
    assert_eq!(found(None), []);
    let told = found(Some("svm_scatter.4.4"));
    assert!(!told.is_empty());
    for (code, text) in told {
        assert_eq!(code, "U0680", "{text}");
        let from = "of the thread's private memory, which was never written";
        assert!(text.contains(from), "{text}");
    }
}

#[test]
fn lessons_are_clean() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut found = String::new();
    for entry in std::fs::read_dir(samples).expect("samples").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "visa") {
            continue;
        }
        let source = load::source(&path).expect("a text");
        let (layer, said) = file_layer(source.clone(), &path);
        // Lessons about findings ask for them.
        if layer.directives.sanitize || layer.directives.check_races {
            continue;
        }
        let watcher = watcher();
        let layers = [layer];
        let ran = start_watched(&layers, said, &Options::default(), |_| watcher.thread());
        assert!(ran.is_ok(), "{}", path.display());
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let known = |code: &str| IN_LESSONS.iter().any(|k| k.0 == name && k.1 == code);
        for d in watcher.diagnostics() {
            if !known(&d.code.to_string()) {
                found += &visim::internals::diagnostic::render(&d, &source, false);
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}

/// What is kept of each thread of a large grid is memory of the run: an observer that has nothing to say after its thread is
/// dropped, and others count.
#[test]
fn observers_of_large_grids_are_dropped_or_counted() {
    struct Large([u8; 1024]);
    impl Observer for Large {
        fn ended(&mut self, _: ThreadId, _: bool) {
            self.0[0] = 1;
        }
    }
    let text = "// THREADS 64,64\n.version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
    let (layer, found) = file_layer(Source::new("k.visa", text), Path::new("k.visa"));
    let (layers, options) = ([layer], Options::default());
    let ledger = Ledger::new(1 << 20);
    let watcher = watcher();
    let watched = Ledger::within(Some(&ledger), || {
        start_watched(&layers, found.clone(), &options, |_| watcher.thread())
    });
    let outcome = watched.expect("it runs").outcome;
    assert_eq!((outcome.thread_count, outcome.observers.len()), (4096, 0));
    let kept = |room| {
        Ledger::within(Some(&Ledger::new(room)), || {
            start_watched(&layers, found.clone(), &options, |_| Large([0; 1024]))
        })
    };
    let refused = kept(1 << 20).err().expect("four times as much").problems;
    assert_eq!(refused[0].diagnostic.code, Code::L0606);
    let observers = kept(8 << 20).expect("room").outcome.observers;
    assert!(observers.len() == 4096 && observers.iter().all(|(_, o)| o.0[0] == 1));
}

/// Ends the run in front of its third instruction.
#[derive(Default)]
struct Third(u32);

impl visim::internals::exec::Observer for Third {
    fn before(
        &mut self,
        _: visim::internals::exec::observer::At,
        _: &visim::internals::program::Op,
        _: visim::internals::exec::observer::Running,
        _: &[u8],
    ) {
        self.0 += 1;
    }

    fn halts(&mut self) -> bool {
        self.0 == 3
    }
}

#[test]
fn an_observer_may_end_a_run() {
    let path = Path::new("samples/33-trace.visa");
    let source = load::source(path).expect("a text");
    let (layer, found) = file_layer(source, path);
    let refused = start_watched(&[layer], found, &Options::default(), |_| Third::default());
    let problems = refused
        .err()
        .expect("the run has not ended by itself")
        .problems;
    let codes: Vec<String> = problems
        .iter()
        .map(|p| p.diagnostic.code.to_string())
        .collect();
    assert_eq!(codes, ["L0963"]);
}
