//! Launches: a kernel with its arguments becomes threads that visim runs, watched for what the environment asks.
//!
//! | variable | what it does |
//! |---|---|
//! | `VISIM_SANITIZE=1` | reports undefined registers, accesses outside, misaligned ones, missed barriers |
//! | `VISIM_RACES=1` | reports accesses that nothing orders |
//! | `VISIM_STATS=1` | counts instructions, lanes and bytes |
//! | `VISIM_TRACE=kernel:thread` | prints each instruction of a thread of a kernel; either may be `*` |
//! | `VISIM_RECORD=folder` | writes each launch for `visim run`, `debug`, `diff` and `test` |
//! | `VISIM_ON_FINDING=go-on\|fail\|exit` | what a finding of sanitizer or race check does; `go-on` without it |
//! | `VISIM_ON_FAILURE=go-on\|exit` | what a kernel that cannot run does beside its event's error |
//! | `VISIM_LOG=file` | where all of it goes; standard error without it |
//! | `VISIM_JOBS=n` | groups that run at the same time; the number of cores without it |
//! | `VISIM_MAX_STEPS=n` | instructions of all threads of a launch together |

use crate::context::Context;
use crate::device::Device;
use crate::host;
use crate::kernel::{self, Given, Held, Kernel};
use crate::object::{Object, Result, Status};
use crate::program::{DeviceProgram, KernelCode, Runs};
use crate::report::say;
use crate::sys::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use visim::internals::cli::watch;
use visim::internals::diagnostic::{Code, any_fatal, render_all};
use visim::internals::launch::kernel::json::described;
use visim::internals::launch::kernel::{Argument, PreparedLaunch, Size};
use visim::internals::launch::{Keep, Observer, RunOptions, Silent, ThreadId, Trap, run};
use visim::internals::observe::trace::TraceOptions;
use visim::internals::observe::{Races, Sanitizer, Stats, Tracer, Watcher};

/// What the environment asks for.
struct Wanted {
    sanitize: bool,
    races: bool,
    stats: bool,
    /// Which kernel, and which thread; `None` for all.
    trace: Option<(Option<String>, Option<u32>)>,
    record: Option<PathBuf>,
    on_finding: OnTrouble,
    on_failure: OnTrouble,
    jobs: usize,
    most_steps: u64,
}

/// What follows when something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnTrouble {
    GoOn,
    Fail,
    Exit,
}

/// Exit status of a host program that is to end at the first trouble.
const EXIT: i32 = 86;

/// Instructions of all threads of a launch: an endless loop ends within some minutes.
const USUAL_STEPS: u64 = 20_000_000_000;

/// Threads of a launch: a work-item of each byte of the largest buffer, many times over.
const MOST_THREADS: u64 = 1 << 28;

/// Instructions that are traced at most.
const MOST_TRACED: u64 = 100_000;

fn wanted() -> &'static Wanted {
    static WANTED: OnceLock<Wanted> = OnceLock::new();
    WANTED.get_or_init(|| {
        let word = |name: &str| std::env::var(name).ok().filter(|word| !word.is_empty());
        let on = |name: &str| word(name).is_some_and(|word| word != "0");
        let number = |name: &str, usual: u64| match word(name).map(|word| word.parse()) {
            Some(Ok(number)) if number > 0 => number,
            Some(_) => {
                say(&format!(
                    "visim: {name} is a number, at least 1: {usual} is taken"
                ));
                usual
            }
            None => usual,
        };
        let trouble = |name: &str, known: &[(&str, OnTrouble)]| match word(name) {
            None => OnTrouble::GoOn,
            Some(word) => match known.iter().find(|(own, _)| *own == word) {
                Some((_, trouble)) => *trouble,
                None => {
                    let names: Vec<&str> = known.iter().map(|(own, _)| *own).collect();
                    say(&format!("visim: {name}={word}: it is {}", names.join(", ")));
                    OnTrouble::GoOn
                }
            },
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Wanted {
            sanitize: on("VISIM_SANITIZE"),
            races: on("VISIM_RACES"),
            stats: on("VISIM_STATS"),
            trace: word("VISIM_TRACE").map(|word| traced(&word)),
            record: word("VISIM_RECORD").map(PathBuf::from),
            on_finding: trouble(
                "VISIM_ON_FINDING",
                &[
                    ("go-on", OnTrouble::GoOn),
                    ("fail", OnTrouble::Fail),
                    ("exit", OnTrouble::Exit),
                ],
            ),
            on_failure: trouble(
                "VISIM_ON_FAILURE",
                &[("go-on", OnTrouble::GoOn), ("exit", OnTrouble::Exit)],
            ),
            jobs: number("VISIM_JOBS", cores as u64) as usize,
            most_steps: number("VISIM_MAX_STEPS", USUAL_STEPS),
        }
    })
}

/// Whether `VISIM_SANITIZE` asks for accesses outside of memory.
pub fn is_sanitized() -> bool {
    wanted().sanitize
}

/// A kernel and a thread of `VISIM_TRACE`.
fn traced(word: &str) -> (Option<String>, Option<u32>) {
    let (kernel, thread) = word.split_once(':').unwrap_or((word, "0"));
    let kernel = Some(kernel.to_string()).filter(|name| name != "*" && !name.is_empty());
    let thread = match thread {
        "*" => None,
        number => Some(number.parse().unwrap_or_else(|_| {
            say("visim: VISIM_TRACE is kernel:thread, with the number of a thread or *: thread 0 is taken");
            0
        })),
    };
    (kernel, thread)
}

/// A launch, checked and ready to be queued.
pub struct Launch {
    program: Arc<DeviceProgram>,
    code: Arc<KernelCode>,
    arguments: Vec<Argument>,
    size: Size,
    context: Arc<Object<Context>>,
    /// What the arguments are of.
    _held: Held,
}

/// A launch that was written into a folder.
struct Recorded {
    folder: PathBuf,
    launch: serde_json::Value,
    /// The bytes of arguments before the launch.
    inputs: Vec<Option<Vec<u8>>>,
}

impl Recorded {
    /// Writes the description.
    fn describe(&self) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(&self.launch)?;
        std::fs::write(self.folder.join("program.launch.json"), text + "\n")
    }
}

/// Sizes as the host gave them.
pub struct Range {
    /// 1, 2 or 3.
    pub work_dim: u32,
    /// Work-items.
    pub global: [usize; 3],
    /// Work-items of a group, where the host says so.
    pub local: Option<[usize; 3]>,
    /// First global id.
    pub offset: [usize; 3],
}

/// Sizes as visim counts them; `error` where one has more than 32 bits.
fn narrow(sizes: [usize; 3], error: Status) -> Result<[u32; 3]> {
    let mut narrow = [0; 3];
    for (to, size) in narrow.iter_mut().zip(sizes) {
        *to = u32::try_from(size).map_err(|_| error)?;
    }
    Ok(narrow)
}

impl Launch {
    /// Checks a launch.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`, `CL_INVALID_KERNEL_ARGS`, `CL_INVALID_WORK_GROUP_SIZE`,
    /// `CL_INVALID_WORK_ITEM_SIZE`, `CL_INVALID_GLOBAL_WORK_SIZE`, `CL_INVALID_GLOBAL_OFFSET`; `CL_OUT_OF_RESOURCES`:
    /// visim does not run the kernel.
    pub fn new(kernel: &Kernel, device: &'static Device, range: &Range) -> Result<Launch> {
        let (program, code) = (kernel.program_for(device)?, kernel.code(device)?);
        let given = kernel.given()?;
        let (arguments, held) = kernel::arguments(kernel, &given)?;
        let context = Arc::clone(&kernel.program.context);
        let runs = match &code.runs {
            Ok(runs) => runs,
            Err(why) => return Err(failure(&context, &code.name, why)),
        };
        let global = narrow(range.global, CL_INVALID_GLOBAL_WORK_SIZE)?;
        let offset = narrow(range.offset, CL_INVALID_GLOBAL_OFFSET)?;
        let past = |at: usize| u64::from(global[at]) + u64::from(offset[at]) > 1 << 32;
        if (0..3).any(past) {
            return Err(CL_INVALID_GLOBAL_OFFSET);
        }
        let required = runs.description.required_local;
        let local = match range.local {
            Some(local) => {
                if local.iter().any(|&n| n > device.limits.group) {
                    return Err(CL_INVALID_WORK_ITEM_SIZE);
                }
                let items = local.iter().product::<usize>();
                let local = narrow(local, CL_INVALID_WORK_ITEM_SIZE)?;
                if items == 0 || items > device.limits.group {
                    return Err(CL_INVALID_WORK_GROUP_SIZE);
                }
                if required != [0; 3] && required != local {
                    return Err(CL_INVALID_WORK_GROUP_SIZE);
                }
                local
            }
            None => {
                let partial = program.partial_groups;
                kernel::suggested(runs, global, device.limits.group, partial)
            }
        };
        let size = kernel::size(range.work_dim, global, local, offset);
        let partial = size.has_partial_groups();
        if partial && !program.partial_groups {
            return Err(CL_INVALID_WORK_GROUP_SIZE);
        }
        let slm = runs.description.slm_bytes as usize;
        let local_bytes = given.iter().map(|given| match given {
            Given::Local(bytes) => *bytes,
            _ => 0,
        });
        if local_bytes.fold(slm, usize::saturating_add) as u64 > device.local_memory() {
            return Err(CL_OUT_OF_RESOURCES);
        }
        Ok(Launch {
            program,
            code,
            arguments,
            size,
            context,
            _held: held,
        })
    }

    /// Runs it.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES`: it could not be run to its end, or something was found and is to fail it.
    pub fn run(self) -> Result<()> {
        if self.size.global.contains(&0) {
            return Ok(());
        }
        let Ok(runs) = &self.code.runs else {
            return Err(CL_OUT_OF_RESOURCES);
        };
        let wanted = wanted();
        let data = self.program.data(&self.code.compiled);
        let more = self.context.svm.all();
        let unwritten = |error: std::io::Error| {
            let folder = wanted.record.as_deref().unwrap_or(Path::new(""));
            say(&format!(
                "visim: VISIM_RECORD: {}: {error}",
                folder.display()
            ));
        };
        let recorded = wanted.record.as_ref().and_then(|folder| {
            let written = self.record(folder);
            written.map_err(unwritten).ok()
        });
        let name = &self.code.name;
        let refused = |refused: &visim::Diagnostic| {
            let mut refused = refused.clone();
            if matches!(refused.code, Code::L0602 | Code::L0607) {
                refused.help = Some("VISIM_MAX_STEPS gives launches more".to_string());
            }
            let why = render_all(&[refused], &self.code.text, false);
            failure(&self.context, name, &why)
        };
        let arguments = self.arguments.clone();
        let prepared = PreparedLaunch::new(&runs.description, arguments, &self.size, data, &more);
        let prepared = prepared.map_err(|why| refused(&why))?;
        let watcher = self.watcher(wanted);
        let result = if watcher.is_idle() {
            self.go(runs, &prepared, wanted.jobs, |_| Silent)
        } else {
            // In launch order, so that reports are the same each time.
            self.go(runs, &prepared, 1, |_| watcher.thread())
        };
        print(&prepared);
        if let (Some(recorded), Ok(())) = (recorded, &result) {
            let written = self.record_results(recorded);
            written.unwrap_or_else(unwritten);
        }
        let findings = watcher.diagnostics();
        if let Some(stats) = &watcher.stats {
            let text = watch::stats_text(stats, Some(&runs.code), None);
            say(&format!("visim: kernel `{name}`\n{text}"));
        }
        if !findings.is_empty() {
            let text = render_all(&findings, &self.code.text, false);
            say(&format!("visim: kernel `{name}`\n{text}"));
        }
        result.map_err(|trap| refused(&trap.diagnostic))?;
        match (
            any_fatal(&findings) || !findings.is_empty(),
            wanted.on_finding,
        ) {
            (true, OnTrouble::Fail) => Err(CL_OUT_OF_RESOURCES),
            (true, OnTrouble::Exit) => std::process::exit(EXIT),
            _ => Ok(()),
        }
    }

    fn watcher<'s>(&'s self, wanted: &Wanted) -> Watcher<'s> {
        let trace = wanted.trace.as_ref();
        let trace =
            trace.filter(|(kernel, _)| kernel.as_ref().is_none_or(|k| *k == self.code.name));
        Watcher {
            sanitizer: wanted.sanitize.then(Sanitizer::default),
            races: wanted.races.then(Races::default),
            stats: wanted.stats.then(Stats::default),
            tracer: trace.map(|(_, thread)| {
                let options = TraceOptions {
                    instructions: true,
                    threads: thread.iter().copied().collect(),
                    most_instructions: MOST_TRACED,
                    ..TraceOptions::default()
                };
                let text = &self.code.text;
                Tracer::new(options, move |program, event| {
                    say(&watch::event_text(text, program, &event));
                })
            }),
        }
    }

    fn go<O: Observer>(
        &self,
        runs: &Runs,
        prepared: &PreparedLaunch,
        jobs: usize,
        observe: impl Fn(ThreadId) -> O + Sync,
    ) -> std::result::Result<(), Box<Trap>> {
        let steps = wanted().most_steps;
        let options = RunOptions {
            jobs,
            limit: steps,
            total: steps,
            // Nothing is kept of a thread: their instructions alone are bounded.
            max_threads: MOST_THREADS,
            keep: Keep::None,
            ..RunOptions::default()
        };
        let options = prepared.options(&runs.code, options);
        let payload = prepared.payload();
        let grid = prepared.grid(&payload);
        run(&runs.code, &prepared.bindings, &grid, &options, observe).map(drop)
    }

    /// Writes the launch into a folder of its own: the program, the text, `launch.json` and the bytes of its arguments.
    fn record(&self, folder: &Path) -> std::io::Result<Recorded> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(folder)?;
        // Other processes may write there, too.
        let own = loop {
            let number = NUMBER.fetch_add(1, Relaxed);
            let own = folder.join(format!("{number:05}-{}", self.code.name));
            match std::fs::create_dir(&own) {
                Ok(()) => break own,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        let name = |number: usize| format!("argument{number}.bin");
        let mut inputs = Vec::new();
        for (number, argument) in self.arguments.iter().enumerate() {
            let bytes = argument.bytes();
            if let Some(bytes) = &bytes {
                std::fs::write(own.join(name(number)), bytes)?;
            }
            inputs.push(bytes);
        }
        let sizes = (self.size.global, self.size.local);
        let mut launch = described(Some(&self.code.name), &self.arguments, sizes, name);
        launch["work_dim"] = self.size.work_dim.into();
        if self.size.offset != [0; 3] {
            launch["global_offset"] = self.size.offset.to_vec().into();
        }
        if self.size.has_partial_groups() {
            launch["partial_groups"] = true.into();
        }
        std::fs::write(own.join("program.bin"), &self.program.bytes)?;
        std::fs::write(own.join("program.visaasm"), self.code.text.text())?;
        let recorded = Recorded {
            folder: own,
            launch,
            inputs,
        };
        recorded.describe()?;
        Ok(recorded)
    }

    /// Adds what the launch has changed, which later runs are compared with.
    fn record_results(&self, mut recorded: Recorded) -> std::io::Result<()> {
        let mut outputs = Vec::new();
        let all = self.arguments.iter().zip(&recorded.inputs);
        for (number, (argument, before)) in all.enumerate() {
            let Some(bytes) = argument
                .bytes()
                .filter(|after| Some(after) != before.as_ref())
            else {
                continue;
            };
            let file = format!("argument{number}.after.bin");
            std::fs::write(recorded.folder.join(&file), bytes)?;
            let compare = serde_json::json!({ "mode": "exact" });
            let output = serde_json::json!({ "arg": number, "file": file, "dtype": "u8", "compare": compare });
            outputs.push(output);
        }
        recorded.launch["outputs"] = outputs.into();
        recorded.describe()
    }
}

/// Says why a kernel does not run; the error of its event.
fn failure(context: &Context, name: &str, why: &str) -> cl_int {
    let mut text = String::new();
    let _ = write!(text, "visim: kernel `{name}` could not be run\n{why}");
    context.tell(&text);
    if wanted().on_failure == OnTrouble::Exit {
        std::process::exit(EXIT);
    }
    CL_OUT_OF_RESOURCES
}

/// What the kernel printed, to the host's standard output.
fn print(prepared: &PreparedLaunch) {
    let text = match prepared.printed_text() {
        Ok(text) => text,
        Err(read) => {
            say("visim: what the kernel printed after this cannot be read");
            read
        }
    };
    host::print(&text);
}
