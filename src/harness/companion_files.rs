//! What the compiler leaves beside a text: functions in files of their own, and the native code, which names the
//! device.

use super::kernel::{Refused, unusable};
use super::load;
use crate::base::order;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Platform;
use crate::launch::kernel::binary::SHARED;
use crate::source::{MAX_SOURCE_BYTES, Source, Span};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The files in which the compiler leaves the functions that a text calls: `k_f0.visaasm`, `k_f1.visaasm` … beside
/// `k.visaasm`, in the order of their numbers, then those that the kernels of a program share.
pub fn functions_beside(text: &Path) -> Vec<PathBuf> {
    let [Some(stem), Some(ending)] =
        [text.file_stem(), text.extension()].map(|part| part.and_then(|p| p.to_str()))
    else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder(text)) else {
        return Vec::new();
    };
    let shared = stem.rsplit_once("_entry_");
    let shared = shared.map(|(program, _)| format!("{program}_{SHARED}"));
    let number = |path: &Path| -> Option<(bool, u32)> {
        let name = path.file_name()?.to_str()?;
        let of_all = || name.strip_prefix(shared.as_deref()?);
        let own = name.strip_prefix(stem).map(|rest| (false, rest));
        let (shared, rest) = own.or_else(|| Some((true, of_all()?)))?;
        let digits = rest.strip_prefix("_f")?.strip_suffix(ending)?;
        let digits = digits.strip_suffix('.')?;
        let all = digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| all)?;
        Some((shared, number))
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let numbered = paths.filter_map(|path| Some((number(&path)?, path)));
    let mut numbered: Vec<((bool, u32), PathBuf)> = numbered.collect();
    order::sort_by(&mut numbered, Ord::cmp);
    // As they are named from where the text is.
    let beside = |path: PathBuf| match path.file_name() {
        Some(name) => text.with_file_name(name),
        None => path,
    };
    numbered.into_iter().map(|(_, p)| beside(p)).collect()
}

/// A text with those of functions after it.
///
/// # Errors
/// `E0702`: one cannot be read, or all together are longer than visim reads.
pub fn with_functions(text: &Source, paths: &[PathBuf]) -> Result<Source, Refused> {
    paths.iter().try_fold(text.clone(), |text, path| {
        let function = load::source(path).map_err(|e| unusable(&e))?;
        text.with(&function).ok_or_else(|| {
            let error = load::FileError::TooLong {
                path: path.clone(),
                limit: MAX_SOURCE_BYTES as u64,
            };
            unusable(&error)
        })
    })
}

/// The platform that the last lines of a text name, and where. Source: Xe2 reference 2, "trailer".
pub fn trailer(text: &str) -> Option<(Platform, Span)> {
    /// Lines after it: the options of the compiler.
    const LAST: usize = 64;
    let lines = text.lines().rev().take(LAST);
    let line = lines
        .into_iter()
        .find(|line| line.starts_with("//Platform:"))?;
    let name = line.strip_prefix("//Platform:")?.trim();
    let start = name.as_ptr().addr() - text.as_ptr().addr();
    let span = Span::new(start as u32, (start + name.len()) as u32);
    Some((Platform::from_name(name)?, span))
}

/// The platform that a text was compiled for, as its own last lines say, or the native code beside it: `k.asm` of
/// `k.visaasm`.
pub struct NativeCode {
    /// The file that says so.
    path: PathBuf,
    /// What it says.
    pub platform: Platform,
}

impl NativeCode {
    /// That of a text, the file `text`; `None` where nothing names a platform visim knows.
    pub fn of(source: &Source, text: &Path) -> Option<NativeCode> {
        let own = trailer(source.text()).map(|(platform, _)| NativeCode {
            path: text.to_path_buf(),
            platform,
        });
        own.or_else(|| NativeCode::beside(text))
    }

    /// What the native code beside the text says.
    fn beside(text: &Path) -> Option<NativeCode> {
        /// The line is among the first ones.
        const HEAD: u64 = 4096;
        let path = text.with_extension("asm");
        // A pipe of that name would wait for ever.
        if !path.is_file() || super::grants::may_read(folder(text), &path).is_err() {
            return None;
        }
        let mut head = Vec::new();
        File::open(&path)
            .ok()?
            .take(HEAD)
            .read_to_end(&mut head)
            .ok()?;
        let head = String::from_utf8_lossy(&head);
        let name = head
            .lines()
            .find_map(|line| line.strip_prefix("//.platform "))?;
        let name = name.trim();
        let platform = Platform::from_name(name)?;
        Some(NativeCode { path, platform })
    }

    /// Whether a kernel that runs on `platform` is the one of the text.
    ///
    /// # Errors
    /// `E0650`.
    pub fn agrees(&self, platform: Platform) -> Result<(), Refused> {
        let own = self.platform;
        if platform.runs_programs_of(own) {
            return Ok(());
        }
        let path = self.path.display();
        Err(Box::new(
            Diagnostic::new(Code::E0650)
                .note(format!(
                    "the text is for {own}, as {path} says; the description or --platform is for {platform}"
                ))
                .help(format!("the program or launch for {own}, and --platform {own} or none"))
                .see("launch reference 1"),
        ))
    }
}

/// Where a file lies.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
