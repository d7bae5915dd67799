//! Compiled programs that carry their own text: what Intel's compiler writes when it is asked for sections of vISA
//! text, alone, in an archive for several devices, or inside a host program.
//!
//! ```text
//!  k.bin  ─────────────────────────────┐
//!  ar:   64.bmg  64.dg2 … ─ --platform ┼─▶ ELF of the device ─ .visaasm sections ─▶ kernels, each with its functions
//!  host: … ELF … ELF …     ─ --platform┘         └─ .ze_info, notes: what the launch reads
//! ```
//!
//! Source: Xe2 reference 1 and 2; Intel's compute runtime for the section type and the machine.

use super::kernel::Refused;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Platform;
use crate::launch::kernel::binary::{self, SHARED};
use crate::source::{MAX_SOURCE_BYTES, MAX_SOURCE_LINES, Source, is_readable};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use std::path::Path;

/// How the sections of vISA text are called; they have type 0xff000013.
const VISA_TEXT: &str = ".visaasm";
/// How the sections of native code are called; the name of the kernel follows.
const CODE: &str = ".text.";
/// What earlier compilers call every kernel in its text.
const UNNAMED: &str = "kernel";
/// `e_machine` of a device program.
const MACHINE: u16 = 205;
/// How the files begin.
const ELF: &[u8] = b"\x7fELF";
const ARCHIVE: &[u8] = b"!<arch>\n";
/// Device programs in one file at most.
const MOST_PARTS: usize = 256;

/// Whether a file is a program and no text.
pub fn is_program(bytes: &[u8]) -> bool {
    bytes.starts_with(ELF) || bytes.starts_with(ARCHIVE)
}

/// A device program.
struct DeviceProgram<'b> {
    bytes: &'b [u8],
    /// The device, where visim knows it.
    platform: Option<Platform>,
    /// What it is called in the archive.
    name: String,
}

/// The device programs of a file, in its order.
fn parts(bytes: &[u8]) -> Vec<DeviceProgram<'_>> {
    let part = |bytes, name: String| {
        let known = binary::platform(bytes).ok().flatten();
        let ending = name.rsplit('.').next().and_then(Platform::from_name);
        DeviceProgram {
            bytes,
            platform: known.or(ending),
            name,
        }
    };
    if bytes.starts_with(ARCHIVE) {
        let Ok(archive) = ArchiveFile::parse(bytes) else {
            return Vec::new();
        };
        let members = archive.members().filter_map(Result::ok).take(MOST_PARTS);
        return members
            .filter_map(|member| {
                let name = String::from_utf8_lossy(member.name()).into_owned();
                Some(part(member.data(bytes).ok()?, name))
            })
            .filter(|part| part.bytes.starts_with(ELF))
            .collect();
    }
    if machine(bytes) == Some(MACHINE) || binary::platform(bytes).is_ok_and(|p| p.is_some()) {
        return vec![part(bytes, String::new())];
    }
    // A host program: device programs, or archives of them, lie in it as bytes.
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(next) = bytes
        .get(at..)
        .and_then(|rest| find(rest, b"\x7fELF\x02\x01\x01"))
    {
        at += next;
        let inner = &bytes[at..];
        if machine(inner) == Some(MACHINE) && found.len() < MOST_PARTS {
            found.push(part(inner, String::new()));
        }
        at += ELF.len();
    }
    found
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let first = rest.iter().position(|&b| b == what[0])?;
        at += first;
        if bytes[at..].starts_with(what) {
            return Some(at);
        }
        at += 1;
    }
}

fn machine(bytes: &[u8]) -> Option<u16> {
    let word = bytes.starts_with(ELF).then(|| bytes.get(18..20))??;
    Some(u16::from_le_bytes([word[0], word[1]]))
}

/// The device program of a file that `platform` runs; the only one, where no platform is asked for.
///
/// # Errors
/// `E0640`: it has none, none for the platform, or several.
pub fn of_device<'b>(
    bytes: &'b [u8],
    path: &Path,
    platform: Option<Platform>,
) -> Result<&'b [u8], Refused> {
    let parts = parts(bytes);
    let refuse = |what: String| Diagnostic::with_message(Code::E0640, what);
    let file = path.display();
    if parts.is_empty() {
        let what = format!("{file} has no program for a GPU of Intel");
        return Err(Box::new(refuse(what).help(
            "a program that ocloc wrote, an archive of them, or a host program that carries one",
        )));
    }
    let runs = |part: &&DeviceProgram| match (platform, part.platform) {
        (Some(asked), Some(own)) => asked.runs_programs_of(own),
        _ => true,
    };
    let mut fitting = parts.iter().filter(runs);
    let devices = || {
        let name = |part: &DeviceProgram| match part.platform {
            Some(platform) => platform.to_string(),
            None if part.name.is_empty() => "a device that visim does not know".to_string(),
            None => part.name.clone(),
        };
        parts.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    match (fitting.next(), fitting.next()) {
        (Some(part), None) => Ok(part.bytes),
        // Variants for one device: the first is what the driver takes.
        (Some(part), Some(_)) if platform.is_some() => Ok(part.bytes),
        (Some(part), Some(_)) => {
            let help = match part.platform {
                Some(platform) => format!("--platform {platform}"),
                None => "--platform with the name of one".to_string(),
            };
            let what = format!("{file} has programs for several devices");
            Err(Box::new(refuse(what).note(devices()).help(help)))
        }
        (None, _) => {
            let asked = platform.map_or(String::new(), |p| p.to_string());
            let what = format!("{file} has no program for {asked}");
            let help = "leave --platform out, or name one of these devices";
            Err(Box::new(
                refuse(what)
                    .note(format!("it has {}", devices()))
                    .help(help),
            ))
        }
    }
}

/// A text of a program: a kernel, or a function of the kernel before it.
struct Text {
    kernel: Option<String>,
    /// Its own name is that of all kernels.
    unnamed: bool,
    lanes: Option<u32>,
    text: String,
}

impl Text {
    fn new(text: String) -> Text {
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_string);
        let kernel = text
            .lines()
            .find_map(|line| quoted(line.strip_prefix(".kernel ")?));
        let lanes = text.split_once("SimdSize=").and_then(|(_, rest)| {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            rest[..end.unwrap_or(rest.len())].parse().ok()
        });
        Text {
            kernel,
            unnamed: false,
            lanes,
            text,
        }
    }
}

/// The texts that a device program carries.
///
/// # Errors
/// `E0640`: the program is not whole.
fn texts(program: &[u8], path: &Path) -> Result<Vec<Text>, Refused> {
    let file = object::File::parse(program).map_err(|error| {
        let what = format!("{}: the compiled program cannot be read", path.display());
        let refused = Diagnostic::with_message(Code::E0640, what).note(error.to_string());
        Box::new(refused.help("the whole file: is it cut off?"))
    })?;
    let names = file.sections().filter_map(|section| section.name().ok());
    let mut kernels = names.filter_map(|name| name.strip_prefix(CODE));
    let mut texts = Vec::new();
    for section in file.sections() {
        let name = section.name().unwrap_or_default();
        let (true, Ok(bytes)) = (name.starts_with(VISA_TEXT), section.data()) else {
            continue;
        };
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches('\0').to_string();
        texts.push(match name == VISA_TEXT {
            // The order of the sections is all that says whose text it is.
            true => {
                let (unnamed, text) = named(text, kernels.next());
                Text {
                    unnamed,
                    ..Text::new(text)
                }
            }
            false => Text::new(text),
        });
    }
    Ok(texts)
}

/// A kernel's text with its name: earlier compilers call all kernels of a program the same.
fn named(text: String, name: Option<&str>) -> (bool, String) {
    let own = kernel_line(UNNAMED);
    match name {
        Some(name) if name != UNNAMED && text.contains(&own) => {
            (true, text.replacen(&own, &kernel_line(name), 1))
        }
        _ => (false, text),
    }
}

fn kernel_line(name: &str) -> String {
    format!("\n.kernel \"{name}\"")
}

/// The names of the kernels of a device program, in its order.
///
/// # Errors
/// `E0640`: it is not whole.
pub fn kernels_of(program: &[u8], path: &Path) -> Result<Vec<String>, Refused> {
    let texts = texts(program, path)?;
    Ok(kernels(&texts).into_iter().map(str::to_string).collect())
}

/// The texts of a device program as one: every kernel with the functions that it calls, or the one called `kernel`.
///
/// # Errors
/// `E0640`: it is not whole, or carries no text; `E0601`: it has no such kernel; `E0702`: the texts are longer than visim reads.
pub fn source(program: &[u8], path: &Path, kernel: Option<&str>) -> Result<Source, Refused> {
    let texts = texts(program, path)?;
    let file = path.display();
    if texts.is_empty() {
        let what = format!("{file} carries no vISA text");
        return Err(Box::new(
            Diagnostic::with_message(Code::E0640, what)
                .note("only the program's native code is in it, which visim does not read")
                .help(format!(
                    "ocloc compile … -internal_options -ze-emit-zebin-visa-sections, or visim run TEXT --zebin {file}"
                )),
        ));
    }
    let names = kernels(&texts);
    if let Some(asked) = kernel.filter(|asked| !names.contains(asked)) {
        let what = format!("{file} has no kernel `{asked}`");
        let refused = Diagnostic::with_message(Code::E0601, what);
        return Err(Box::new(
            refused.note(format!("its kernels: {}", names.join(", "))),
        ));
    }
    // What follows a kernel are its functions; those of the symbol table belong to all. Earlier compilers write
    // each function once, behind all kernels: there all are taken.
    let shared = texts.iter().any(|text| text.unnamed);
    let mut whole: Option<Source> = None;
    let mut taken = false;
    for text in &texts {
        if let Some(name) = &text.kernel {
            let mut same = texts.iter().filter(|other| other.kernel == text.kernel);
            let has_variants = same.nth(1).is_some();
            // Only read for kernels that are asked for.
            let is_variant = || {
                let own = binary::read(program, name).map(|compiled| compiled.simd());
                own.ok() == text.lanes
            };
            let asked = name == SHARED || kernel.is_none_or(|asked| asked == name);
            taken = asked && (!has_variants || is_variant());
            if name == SHARED {
                continue;
            }
        }
        if !(taken || shared && text.kernel.is_none()) {
            continue;
        }
        let own = text.kernel.as_deref().unwrap_or("functions");
        let next = is_readable(&text.text)
            .then(|| Source::new(format!("{file}:{own}.visaasm"), text.text.clone()));
        let joined = match (whole, next) {
            (Some(whole), Some(next)) => whole.with(&next),
            (_, next) => next,
        };
        whole = Some(joined.ok_or_else(|| {
            let what = format!(
                "{file}: texts of more than {MAX_SOURCE_BYTES} bytes or {MAX_SOURCE_LINES} lines"
            );
            Box::new(Diagnostic::with_message(Code::E0702, what))
        })?);
    }
    whole.ok_or_else(|| {
        let what = format!("{file} has no kernel");
        Box::new(Diagnostic::with_message(Code::E0601, what))
    })
}

fn kernels(texts: &[Text]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in texts.iter().filter_map(|text| text.kernel.as_deref()) {
        if name != SHARED && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
