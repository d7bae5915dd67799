//! The folder in which Intel's compiler leaves what it made on the way (`IGC_ShaderDumpEnable=1`): the text of each
//! kernel, one for each width and device that it tried, with descriptions, native code and functions.
//!
//! Source: launch reference 1, "Several widths, one kernel".

use super::companion_files::NativeCode;
use super::front::Front;
use super::kernel::{CompiledFile, Refused, read, unknown_kernel};
use super::load;
use crate::base::order;
use crate::check::{CheckOptions, UnitKind};
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::isa::Platform;
use crate::launch::kernel::binary::SHARED;
use crate::source::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes in which the line with the kernel's name is looked for.
const HEAD: usize = 64 << 10;

/// The name of the kernel that a text begins with; none of a function's text.
fn kernel_of(path: &Path) -> Option<String> {
    let bytes = read(path, crate::source::MAX_SOURCE_BYTES as u64).ok()?;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let line = head
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(".kernel "))?;
    let name = line.trim();
    Some(name.trim_matches('"').to_string())
}

/// The text of a kernel among those of a folder: the one of the width that the compiler kept, for `platform` where
/// there are several devices.
///
/// # Errors
/// `E0601`: no such kernel, or several and none is named; `E0640`: no text, or texts of several devices or widths that
/// nothing tells apart; `E0702`: the folder cannot be read; what is wrong with the only description.
pub fn text(
    folder: &Path,
    kernel: Option<&str>,
    platform: Option<Platform>,
) -> Result<PathBuf, Refused> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        super::kernel::unusable(&load::FileError::Unreadable {
            path: folder.to_path_buf(),
            error,
        })
    })?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let texts = paths.filter(|path| path.extension().is_some_and(|e| e == "visaasm"));
    let texts = texts.filter_map(|path| Some((kernel_of(&path)?, path)));
    let mut texts: Vec<(String, PathBuf)> = texts.collect();
    order::sort_by(&mut texts, Ord::cmp);
    let names: BTreeSet<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().filter(|&n| n != SHARED).collect();
    let shown = folder.display();
    let wanted = match (kernel, &names[..]) {
        (_, []) => {
            let what = format!("{shown} has no .visaasm text of a kernel");
            return Err(Box::new(Diagnostic::with_message(Code::E0640, what).help(
                "a folder of the compiler's dumps, or the text itself: visim run k.visaasm",
            )));
        }
        (Some(kernel), names) if names.contains(&kernel) => kernel,
        (Some(kernel), names) => return Err(unknown_kernel(names, Some(kernel))),
        (None, [one]) => one,
        (None, names) => {
            let what = format!("{shown} has texts of several kernels");
            let refused = Diagnostic::with_message(Code::E0601, what).note(names.join(", "));
            return Err(Box::new(refused.help(format!("--kernel {}", names[0]))));
        }
    };
    let own = texts.iter().filter(|(name, _)| name == wanted);
    let mut described = Vec::new();
    let mut failed = None;
    for (_, path) in own {
        match described_for(path, wanted, platform) {
            Ok(Some(device)) => described.push((device, path)),
            Ok(None) => {}
            Err(refused) => failed = failed.or(Some(refused)),
        }
    }
    match (&described[..], failed) {
        ([(_, one)], _) => Ok((*one).clone()),
        ([], Some(refused)) => Err(refused),
        ([], None) => {
            let what = match platform {
                Some(platform) => format!("{shown} has no text of `{wanted}` for {platform}"),
                None => format!("{shown} has no text of `{wanted}`"),
            };
            Err(Box::new(Diagnostic::with_message(Code::E0640, what)))
        }
        ([(device, first), ..], _) => {
            let file = |path: &Path| path.display().to_string();
            let all: Vec<String> = described.iter().map(|(_, path)| file(path)).collect();
            let several = described.iter().any(|(other, _)| other != device);
            let what = format!(
                "{shown} has {} of `{wanted}`",
                counted(all.len() as u64, "text")
            );
            let help = match several {
                true => format!("--platform {device}"),
                false => format!("visim run {}", file(first)),
            };
            let refused = Diagnostic::with_message(Code::E0640, what).note(all.join(", "));
            Err(Box::new(refused.help(help)))
        }
    }
}

/// The device of a text that the compiler's description is of; `None` where the text is for another one than `asked`.
///
/// # Errors
/// As [`CompiledFile::beside`].
fn described_for(
    path: &Path,
    kernel: &str,
    asked: Option<Platform>,
) -> Result<Option<Platform>, Refused> {
    let text = load::text(path, crate::source::MAX_SOURCE_BYTES as u64);
    let text = text.map_err(|error| super::kernel::unusable(&error))?;
    let source = Source::new(path.display().to_string(), text);
    let own = NativeCode::of(&source, path).map(|native| native.platform);
    if let (Some(asked), Some(own)) = (asked, own)
        && !asked.runs_programs_of(own)
    {
        return Ok(None);
    }
    let front = |platform| {
        let check = CheckOptions {
            platform,
            finalizer: true,
            ..CheckOptions::default()
        };
        Front::with(&source, &check)
    };
    let checked = front(asked.or(own).unwrap_or_default()).checked;
    let mut units = checked.units.iter();
    let unit = units.find(|unit| unit.kind == UnitKind::Kernel);
    let lanes = unit.and_then(|unit| unit.attributes.simd_size).unwrap_or(1);
    let file = CompiledFile::beside(path, &front, kernel, lanes.max(1), asked, own)?;
    file.platform(asked, own).map(Some)
}
