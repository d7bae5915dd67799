//! Kernels as the compiler of 2026 prints them: each text is printed unchanged, and each kernel runs on every
//! device that `index.json` has a text for, its own or that of another device; those that are for their form are
//! read and checked.

use super::kernels::{form, outputs_meet, refusal};
use super::{Case, NOT_MODELLED, read};
use serde_json::Value;
use std::path::{Path, PathBuf};
use visim::internals::diagnostic::{any_fatal, render_all};
use visim::internals::harness::companion_files::with_functions;
use visim::internals::harness::front::Front;
use visim::internals::harness::kernel::{CompiledFile, LaunchFile};
use visim::internals::harness::load;
use visim::internals::isa::Platform;
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse, print};

/// A kernel for a device: files of its folder.
#[derive(Clone)]
struct Entry {
    folder: PathBuf,
    device: String,
    text: String,
    program: String,
    functions: Vec<String>,
    form_only: bool,
    /// The text is the device's own.
    own: bool,
}

/// One case for each kernel and device of `index.json` that has a text.
pub fn cases(folder: &Path) -> Vec<Case> {
    let index = read(&folder.join("index.json"))
        .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|e| e.to_string()));
    let index = match index {
        Ok(index) => index,
        Err(why) => return vec![Case::new("index.json", move || Err(why.clone()))],
    };
    let mut cases = Vec::new();
    for kernel in index["entries"].as_array().into_iter().flatten() {
        let name = kernel["name"].as_str().unwrap_or_default();
        let devices = kernel["devices"].as_object();
        for (device, facts) in devices.into_iter().flatten() {
            let of = facts["same_as"].as_str();
            let source = of.map_or(facts, |of| &kernel["devices"][of]);
            let (Some(text), Some(program)) = (source["text"].as_str(), source["program"].as_str())
            else {
                continue;
            };
            let functions = source["functions"].as_array().into_iter().flatten();
            let entry = Entry {
                folder: folder.join(name),
                device: device.clone(),
                text: text.to_string(),
                program: program.to_string(),
                functions: functions
                    .filter_map(|f| Some(f.as_str()?.to_string()))
                    .collect(),
                form_only: kernel["form_only"].as_bool().unwrap_or(false),
                own: of.is_none(),
            };
            cases.push(Case::new(&format!("{name}.{device}"), move || run(&entry)));
        }
    }
    cases
}

fn run(entry: &Entry) -> Result<(), String> {
    let platform = Platform::from_name(&entry.device)
        .ok_or_else(|| format!("{NOT_MODELLED}no platform `{}`", entry.device))?;
    let text = entry.folder.join(&entry.text);
    let source = load::source(&text).map_err(|e| e.to_string())?;
    if entry.own {
        prints_as_it_stands(&source, platform)?;
    }
    let functions: Vec<PathBuf> = entry
        .functions
        .iter()
        .map(|f| entry.folder.join(f))
        .collect();
    let source = with_functions(&source, &functions).map_err(|r| r.message.clone())?;
    if entry.form_only {
        return form(&source, &entry.device);
    }
    let file = LaunchFile::read(&entry.folder.join("launch.json")).map_err(|r| refusal(&r))?;
    let kernel = file.launch.kernel.as_str();
    let size = file.launch.size().ok_or("no size")?;
    let front = Front::new(&source, platform);
    if front.is_refused() {
        return Err(render_all(&front.diagnostics, &source, false));
    }
    let program = entry.folder.join(&entry.program);
    let prepare = || {
        let compiled = CompiledFile::read(&program, kernel, None)?;
        let description = compiled.description(&front.checked, kernel)?;
        let arguments = file.arguments(&description)?;
        compiled.prepare(&front.checked, kernel, arguments, &size)
    };
    outputs_meet(&file, &text, &source, platform, &prepare)
}

/// What is printed differently on purpose: the operand order of `avs` is the page's (AVS reference 1.1), and the
/// channel that the compiler leaves out of `sample4.` is named.
const PRINTED_OTHERWISE: &[&str] = &["avs.", "sample4. "];

/// `print(parse(text)) == text`, but for blanks at the ends of lines and of the text.
fn prints_as_it_stands(source: &Source, platform: Platform) -> Result<(), String> {
    let grf_bytes = platform.grf_bytes();
    let parsed = parse(source, &ParseOptions { grf_bytes });
    if any_fatal(&parsed.diagnostics) {
        // What cannot be read is reported by the check.
        return Ok(());
    }
    let printed = print(&parsed.module);
    let ours: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
    let theirs: Vec<&str> = source
        .text()
        .trim_end()
        .lines()
        .map(str::trim_end)
        .collect();
    let known = |line: &str| PRINTED_OTHERWISE.iter().any(|word| line.contains(word));
    let pairs = ours.iter().zip(&theirs).enumerate();
    for (number, (ours, theirs)) in pairs {
        if ours != theirs && !known(theirs) {
            let line = number + 1;
            return Err(format!(
                "line {line} prints as\n    {ours}\n  not\n    {theirs}"
            ));
        }
    }
    match ours.len() == theirs.len() {
        true => Ok(()),
        false => Err(format!(
            "{} lines are printed, not {}",
            ours.len(),
            theirs.len()
        )),
    }
}
