//! The C face of visim: a simulator is loaded, told what to run with, run, and its outcome read.
//!
//! ```text
//!  visim_load ─ visim_set, visim_bind ─ visim_run ─▶ outcome ─ visim_read, visim_diagnostics_text
//! ```
//!
//! `visim.h` is made of this file. What is wrong with anything that was given is kept until the run, whose outcome says
//! it all, so that a host has one place to look.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::slice;
use visim::internals::harness::program_file::is_program;
use visim::{Disk, Platform, Report, SamplerState, Source, Surface};

/// What is bound or read, and what its name is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A surface: a surface variable (`T6`) or a binding table index (`6`); its rows from the top without padding.
    Surface,
    /// A sampler: a sampler variable (`S0`) or an index (`0`). It cannot be read.
    Sampler,
    /// A variable (`V32`); its bytes, element 0 first, little-endian.
    Register,
    /// Memory for an argument of a compiled kernel, by name or number.
    Buffer,
    /// An argument that is passed by value; its bytes as OpenCL has them. It cannot be read.
    Value,
    /// Shared local memory for an argument. It cannot be read.
    Local,
}

impl Kind {
    const ALL: [Kind; 6] = [
        Kind::Surface,
        Kind::Sampler,
        Kind::Register,
        Kind::Buffer,
        Kind::Value,
        Kind::Local,
    ];

    /// The kind of this number: C may give any.
    fn of(number: u32) -> Result<Kind, String> {
        let mut all = Kind::ALL.into_iter();
        let found = all.find(|kind| *kind as u32 == number);
        found.ok_or_else(|| format!("{number} is not a visim_kind"))
    }
}

/// A run that is put together.
pub struct Simulator {
    inner: Option<visim::Simulator>,
    /// The first thing that was wrong with what was given.
    wrong: Option<Wrong>,
}

/// What a run left, or why there was none.
pub struct Outcome {
    left: Option<visim::Outcome>,
    text: CString,
    json: CString,
}

/// Why a run cannot start.
enum Wrong {
    Report(Report),
    Sentence(String),
}

/// A text as C has it, ended by its first zero byte; what lies after one is of no use to anybody.
fn c_text(text: String) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

impl Simulator {
    fn new(inner: Result<visim::Simulator, Wrong>) -> *mut Simulator {
        let (inner, wrong) = match inner {
            Ok(inner) => (Some(inner), None),
            Err(wrong) => (None, Some(wrong)),
        };
        Box::into_raw(Box::new(Simulator { inner, wrong }))
    }

    /// Takes a step, or keeps why it cannot be taken; whether it was.
    fn step(
        &mut self,
        step: Result<impl FnOnce(visim::Simulator) -> visim::Simulator, String>,
    ) -> bool {
        match step {
            Ok(step) => {
                self.inner = self.inner.take().map(step);
                self.wrong.is_none()
            }
            Err(why) => {
                self.wrong.get_or_insert(Wrong::Sentence(why));
                false
            }
        }
    }

    /// Runs it.
    fn run(&self) -> Outcome {
        let ran = match (&self.wrong, &self.inner) {
            (Some(Wrong::Report(report)), _) => Err(report.clone()),
            (Some(Wrong::Sentence(why)), _) => return Outcome::without(why),
            (None, None) => return Outcome::without("nothing was loaded"),
            (None, Some(simulator)) => match catch_unwind(AssertUnwindSafe(|| simulator.run())) {
                Ok(ran) => ran,
                Err(_) => return Outcome::without("visim stopped by a mistake of its own"),
            },
        };
        let (left, report) = match ran {
            Ok(outcome) => {
                let warnings = outcome.warnings().clone();
                (Some(outcome), warnings)
            }
            Err(report) => (None, report),
        };
        Outcome {
            left,
            text: c_text(report.to_string()),
            json: c_text(report.to_json().to_string()),
        }
    }
}

impl Outcome {
    fn without(why: &str) -> Outcome {
        let fields = serde_json::json!([{"code": null, "class": "error", "message": why}]);
        Outcome {
            left: None,
            text: c_text(format!("error: {why}\n")),
            json: c_text(fields.to_string()),
        }
    }

    fn read(&self, kind: Kind, name: &str, thread: u32) -> Option<Vec<u8>> {
        let left = self.left.as_ref()?;
        match kind {
            Kind::Surface => left.surface(name).map(|surface| surface.rows()),
            Kind::Register => left.register_of(thread, name).map(<[u8]>::to_vec),
            Kind::Buffer => left.argument(name),
            Kind::Sampler | Kind::Value | Kind::Local => None,
        }
    }
}

/// A text of the caller's; `what` is what it is called where it is none.
///
/// # Safety
/// `text` is null or points to bytes that end with zero and stay as they are for `'a`.
unsafe fn text_of<'a>(text: *const c_char, what: &str) -> Result<&'a str, String> {
    if text.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: the pointer was checked for null; that the bytes end with zero is the caller's part.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| format!("{what} is not UTF-8"))
}

/// Bytes of the caller's; none if there is no pointer.
///
/// # Safety
/// `bytes` is null or points to `length` bytes that stay as they are for `'a`.
unsafe fn bytes_of<'a>(bytes: *const u8, length: usize) -> Option<&'a [u8]> {
    if bytes.is_null() || length > isize::MAX as usize {
        return None;
    }
    // SAFETY: the pointer was checked for null and the length for the limit of a slice; that there are as many bytes is
    // the caller's part.
    Some(unsafe { slice::from_raw_parts(bytes, length) })
}

/// Begins a run of a file, as `visim run` reads it: a text, a binary form, a compiled program. Files that it names are read
/// from its folder. Never NULL: a file that cannot be read is reported by the run. To be given to visim_free.
///
/// # Safety
/// `path` is NULL or a text that ends with zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_load(path: *const c_char) -> *mut Simulator {
    // SAFETY: `text_of` checks for null; the rest is promised by the caller of this function.
    let path = unsafe { text_of(path, "the path") };
    let opened = path.map_err(Wrong::Sentence);
    Simulator::new(opened.and_then(|path| visim::Simulator::open(path).map_err(Wrong::Report)))
}

/// Begins a run of `length` bytes: a text, or a compiled program. `name` is what diagnostics call it. Never NULL. To be
/// given to visim_free.
///
/// # Safety
/// `name` is NULL or a text that ends with zero; `bytes` is NULL or points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_load_bytes(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
) -> *mut Simulator {
    // SAFETY: `text_of` and `bytes_of` check for null; the rest is promised by the caller of this function.
    let (name, bytes) = unsafe { (text_of(name, "the name"), bytes_of(bytes, length)) };
    let loaded = name.and_then(|name| {
        let bytes = bytes.ok_or("the bytes are NULL")?;
        if is_program(bytes) {
            return Ok(visim::Simulator::compiled(name, bytes));
        }
        let text = str::from_utf8(bytes).map_err(|e| {
            format!(
                "{name}: byte {} is not UTF-8 text, and it is no compiled program",
                e.valid_up_to()
            )
        })?;
        Ok(visim::Simulator::new(Source::new(name, text)).files(Disk))
    });
    Simulator::new(loaded.map_err(Wrong::Sentence))
}

/// Numbers with anything but digits between them.
fn numbers<const N: usize>(words: &str, least: usize) -> Result<Vec<u32>, String> {
    let parts = words.split([',', 'x', ' ']).filter(|part| !part.is_empty());
    let numbers: Option<Vec<u32>> = parts.map(|part| part.parse().ok()).collect();
    let fits = |n: &Vec<u32>| (least..=N).contains(&n.len());
    numbers
        .filter(fits)
        .ok_or_else(|| format!("`{words}` is not {least} to {N} numbers such as 4,2"))
}

type Step = Box<dyn FnOnce(visim::Simulator) -> visim::Simulator>;

/// What an option asks for.
fn option(key: &str, value: &str) -> Result<Step, String> {
    let number = |value: &str| {
        let number = value.parse::<u64>();
        number.map_err(|_| format!("`{value}` is not a number"))
    };
    let wrong = |why: String| format!("visim_set(\"{key}\"): {why}");
    let text = value.to_string();
    let step: Result<Step, String> = match key {
        "platform" => match Platform::from_name(value) {
            Some(platform) => Ok(Box::new(move |s| s.platform(platform))),
            None => Err(format!("visim does not know the platform `{value}`")),
        },
        "kernel" => Ok(Box::new(move |s| s.kernel(text))),
        "launch" => Ok(Box::new(move |s| s.launch(PathBuf::from(text)))),
        "threads" => {
            numbers::<2>(value, 2).map(|n| -> Step { Box::new(move |s| s.threads(n[0], n[1])) })
        }
        "groups" => numbers::<3>(value, 3)
            .map(|n| -> Step { Box::new(move |s| s.groups([n[0], n[1], n[2]])) }),
        "global" => numbers::<3>(value, 1).map(|n| -> Step { Box::new(move |s| s.global(&n)) }),
        "local" => numbers::<3>(value, 1).map(|n| -> Step { Box::new(move |s| s.local(&n)) }),
        "jobs" => number(value).map(|n| -> Step { Box::new(move |s| s.jobs(n as usize)) }),
        "max-instructions" => {
            number(value).map(|n| -> Step { Box::new(move |s| s.max_instructions(n)) })
        }
        "through-bits" => Ok(Box::new(visim::Simulator::through_bits)),
        "all-threads" => Ok(Box::new(visim::Simulator::keep_all_threads)),
        _ => Err(
            "no such option: platform, kernel, launch, threads, groups, global, local, jobs, \
                  max-instructions, through-bits or all-threads"
                .to_string(),
        ),
    };
    step.map_err(wrong)
}

/// Sets an option of the run; what the text itself says holds for the others.
///
/// platform "dg2"; kernel "name"; launch "launch.json"; threads "4,2" (a grid, columns and rows); groups "3,2,1"; global
/// "64x48" and local "16x8" (work-items of a compiled kernel); jobs "2"; max-instructions "1000000" of one thread;
/// through-bits "" (messages go through the bits of the hardware); all-threads "" (keeps the registers of all threads).
///
/// False if it cannot be taken; the run will say why.
///
/// # Safety
/// `simulator` is NULL or from visim_load or visim_load_bytes and not freed; the texts are NULL or end with zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_set(
    simulator: *mut Simulator,
    key: *const c_char,
    value: *const c_char,
) -> bool {
    // SAFETY: null is checked by `as_mut` and `text_of`; the rest is promised by the caller of this function.
    let (simulator, key, value) = unsafe {
        let texts = (text_of(key, "the option"), text_of(value, "the value"));
        (simulator.as_mut(), texts.0, texts.1)
    };
    let Some(simulator) = simulator else {
        return false;
    };
    simulator.step(key.and_then(|key| option(key, value?)))
}

/// Binds `length` bytes to a name; `kind` is one of visim_kind.
///
/// A surface and a sampler have words, those of the directives SURFACE and SAMPLER ("R8_UNORM 64x32", "filter=linear");
/// others take none. A surface without bytes is of zeros, or what its words say. VISIM_KIND_LOCAL has a length alone.
///
/// False if it cannot be taken; the run will say why.
///
/// # Safety
/// `simulator` is NULL or from visim_load or visim_load_bytes and not freed; the texts are NULL or end with zero; `bytes` is
/// NULL or points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_bind(
    simulator: *mut Simulator,
    kind: u32,
    name: *const c_char,
    words: *const c_char,
    bytes: *const u8,
    length: usize,
) -> bool {
    // SAFETY: null is checked by `as_mut`, `text_of` and `bytes_of`; the rest is promised by the caller of this function.
    let (simulator, name, words, given) = unsafe {
        let texts = (text_of(name, "the name"), text_of(words, "the words"));
        (
            simulator.as_mut(),
            texts.0,
            texts.1,
            bytes_of(bytes, length),
        )
    };
    let Some(simulator) = simulator else {
        return false;
    };
    let step = name.and_then(|name| {
        let name = name.to_string();
        let given = given.map(<[u8]>::to_vec);
        let some = given
            .clone()
            .ok_or_else(|| format!("{name}: the bytes are NULL"));
        let step: Step = match Kind::of(kind)? {
            Kind::Surface => {
                let surface = match given {
                    Some(rows) => Surface::from_rows(words?, rows),
                    None => Surface::new(words?),
                };
                Box::new(move |s| s.surface(name, &surface))
            }
            Kind::Sampler => {
                let state = SamplerState::new(words?);
                Box::new(move |s| s.sampler(name, &state))
            }
            Kind::Register => {
                let bytes = some?;
                Box::new(move |s| s.set(name, &bytes))
            }
            Kind::Buffer => {
                let bytes = some?;
                Box::new(move |s| s.buffer(name, &bytes))
            }
            Kind::Value => {
                let bytes = some?;
                Box::new(move |s| s.value(name, &bytes))
            }
            Kind::Local => {
                let size = u32::try_from(length);
                let size = size.map_err(|_| format!("{name}: {length} bytes of shared memory"))?;
                Box::new(move |s| s.local_memory(name, size))
            }
        };
        Ok(step)
    });
    simulator.step(step)
}

/// Runs it, as often as asked for. NULL only for NULL. To be given to visim_outcome_free.
///
/// # Safety
/// `simulator` is NULL or from visim_load or visim_load_bytes and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_run(simulator: *const Simulator) -> *mut Outcome {
    // SAFETY: `as_ref` checks for null; that it is a simulator is promised by the caller of this function.
    match unsafe { simulator.as_ref() } {
        Some(simulator) => Box::into_raw(Box::new(simulator.run())),
        None => std::ptr::null_mut(),
    }
}

/// Whether the program ran to its end. If not, the diagnostics say why.
///
/// # Safety
/// `outcome` is NULL or from visim_run and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_succeeded(outcome: *const Outcome) -> bool {
    // SAFETY: `as_ref` checks for null; that it is an outcome is promised by the caller of this function.
    unsafe { outcome.as_ref() }.is_some_and(|outcome| outcome.left.is_some())
}

/// Reads what a run left into `to`, at most `room` bytes; the number of bytes that there are, or -1 if there is nothing of
/// that kind and name. `to` may be NULL to learn the number alone. `thread` is the number of a thread in launch order, of
/// registers: 0, or any with the option all-threads.
///
/// # Safety
/// `outcome` is NULL or from visim_run and not freed; `name` is NULL or ends with zero; `to` is NULL or has room for `room`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_read(
    outcome: *const Outcome,
    kind: u32,
    name: *const c_char,
    thread: u32,
    to: *mut u8,
    room: usize,
) -> i64 {
    // SAFETY: null is checked by `as_ref` and `text_of`; the rest is promised by the caller of this function.
    let (outcome, name) = unsafe { (outcome.as_ref(), text_of(name, "the name")) };
    let (Some(outcome), Ok(name)) = (outcome, name) else {
        return -1;
    };
    let Some(bytes) = Kind::of(kind)
        .ok()
        .and_then(|kind| outcome.read(kind, name, thread))
    else {
        return -1;
    };
    if !to.is_null() {
        let count = bytes.len().min(room);
        // SAFETY: `to` was checked for null and has room for `room` bytes, as the caller promises; `count` is at most that,
        // and at most what `bytes` has, which were made here and so lie elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, count) };
    }
    bytes.len() as i64
}

/// What is wrong, or the warnings of a run that succeeded, as the command line prints it; "" if there is nothing to say.
/// It belongs to the outcome. NULL only for NULL.
///
/// # Safety
/// `outcome` is NULL or from visim_run and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_diagnostics_text(outcome: *const Outcome) -> *const c_char {
    // SAFETY: `as_ref` checks for null; that it is an outcome is promised by the caller of this function.
    unsafe { outcome.as_ref() }.map_or(std::ptr::null(), |outcome| outcome.text.as_ptr())
}

/// The same as a JSON array of objects with the fields that `visim run --format json` prints: code, class, message, file,
/// line, column, labels, notes, help, see. It belongs to the outcome. NULL only for NULL.
///
/// # Safety
/// `outcome` is NULL or from visim_run and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_diagnostics_json(outcome: *const Outcome) -> *const c_char {
    // SAFETY: `as_ref` checks for null; that it is an outcome is promised by the caller of this function.
    unsafe { outcome.as_ref() }.map_or(std::ptr::null(), |outcome| outcome.json.as_ptr())
}

/// Ends a simulator; its outcomes stay. NULL is left alone.
///
/// # Safety
/// `simulator` is NULL or from visim_load or visim_load_bytes, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_free(simulator: *mut Simulator) {
    if !simulator.is_null() {
        // SAFETY: it was checked for null; that it came from `Box::into_raw` here, and once, is promised by the caller.
        drop(unsafe { Box::from_raw(simulator) });
    }
}

/// Ends an outcome, and the texts that belong to it. NULL is left alone.
///
/// # Safety
/// `outcome` is NULL or from visim_run, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn visim_outcome_free(outcome: *mut Outcome) {
    if !outcome.is_null() {
        // SAFETY: it was checked for null; that it came from `Box::into_raw` here, and once, is promised by the caller.
        drop(unsafe { Box::from_raw(outcome) });
    }
}

/// The version of visim, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn visim_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
