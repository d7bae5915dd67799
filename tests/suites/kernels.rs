//! Whole kernels as a compiler printed them: launched on every device they were compiled for, their
//! outputs compared: once in order, once with two groups at a time, once with every message by way of its
//! bits.
//!
//! A case needs nothing but its folder; the tolerance of each output is in `launch.json`.

use super::{Case, NOT_MODELLED};
use std::path::{Path, PathBuf};
use visim::internals::check::CheckOptions;
use visim::internals::diagnostic::{Class, Diagnostic, render_all};
use visim::internals::harness::bind::Layer;
use visim::internals::harness::companion_files::with_functions;
use visim::internals::harness::front::Front;
use visim::internals::harness::kernel::{LaunchFile, Prepared, Refused};
use visim::internals::harness::load;
use visim::internals::harness::session::{Options, file_layer, start};
use visim::internals::isa::Platform;
use visim::internals::launch::kernel::Argument;
use visim::internals::launch::kernel::compare::compare;
use visim::internals::source::Source;

/// One case for each folder with a `launch.json` and each device in it.
pub fn cases(folder: &Path) -> Vec<Case> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut folders: Vec<PathBuf> = entries
        .map(|e| e.expect("a folder entry").path())
        .filter(|p| p.join("launch.json").is_file())
        .collect();
    folders.sort();
    let mut cases = Vec::new();
    for folder in folders {
        let name = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let file = match LaunchFile::read(&folder.join("launch.json")) {
            Ok(file) => file,
            Err(refused) => {
                let why = refused.message.clone();
                cases.push(Case::new(&name, move || Err(why.clone())));
                continue;
            }
        };
        for device in file.launch.devices.keys() {
            let device = device.clone();
            let folder = folder.clone();
            let case = format!("{name}.{device}");
            cases.push(Case::new(&case, move || run(&folder, &device)));
        }
    }
    cases
}

fn run(folder: &Path, device: &str) -> Result<(), String> {
    let file = LaunchFile::read(&folder.join("launch.json")).map_err(|r| r.message.clone())?;
    let text = folder.join(&file.launch.devices[device].visaasm);
    let source = load::source(&text).map_err(|e| e.to_string())?;
    let source = with_functions(&source, &file.functions(device)).map_err(|r| r.message.clone())?;
    if file.launch.form_only {
        return form(&source, device);
    }
    let platform = Platform::from_name(device).ok_or("no such platform")?;
    let prepare = || {
        let kernel = file.description(device)?;
        let arguments = file.arguments(&kernel)?;
        let size = file.launch.size().expect("a launch has a size");
        file.prepare(device, arguments, &size)
    };
    outputs_meet(&file, &text, &source, platform, &prepare)
}

/// What a launch needs, made anew for each run.
pub type Prepare<'a> = dyn Fn() -> Result<Prepared, Refused> + 'a;

/// The outputs are as expected in order, the same with two groups at a time, and the same through bits.
pub fn outputs_meet(
    file: &LaunchFile,
    text: &Path,
    source: &Source,
    platform: Platform,
    prepare: &Prepare,
) -> Result<(), String> {
    let run = |options| outputs(file, text, source, platform, prepare, options);
    let in_order = run(Options::default())?;
    for (output, got) in file.launch.outputs.iter().zip(&in_order) {
        let expected = output.expected(&Argument::Missing, |name| file.beside(name));
        let (expected, skipped) = expected.map_err(|refused| refused.message)?;
        let argument = format!("argument {}", output.arg);
        match compare(output, &expected, &skipped, got) {
            Ok(None) => {}
            Ok(Some(difference)) => {
                return Err(format!("{argument}: {}", difference.summary(1).join(", ")));
            }
            Err(why) => return Err(format!("{argument}: {why}")),
        }
    }
    let jobs = Options {
        jobs: 2,
        ..Options::default()
    };
    if in_order != run(jobs)? {
        return Err("two groups at a time give other bytes".to_string());
    }
    let through_bits = Options {
        through_bits: true,
        ..Options::default()
    };
    if in_order != run(through_bits)? {
        return Err("messages that go through their bits give other bytes".to_string());
    }
    Ok(())
}

/// Text without expected output is read and checked; what has no text form in the reference may be
/// refused by name.
pub fn form(source: &Source, device: &str) -> Result<(), String> {
    let options = CheckOptions {
        platform: Platform::from_name(device).ok_or("no such platform")?,
        finalizer: true,
        allow_removed: false,
    };
    let front = Front::with(source, &options);
    let wrong = |d: &&Diagnostic| d.class().is_fatal() && d.class() != Class::Unsupported;
    match front.diagnostics.iter().find(wrong) {
        Some(_) => Err(render_all(&front.diagnostics, source, false)),
        None => Ok(()),
    }
}

/// Why a launch cannot be prepared; apart where visim does not model it.
pub fn refusal(refused: &Refused) -> String {
    match refused.class() {
        Class::Unsupported => format!("{NOT_MODELLED}{}", refused.message),
        _ => refused.message.clone(),
    }
}

/// The bytes of the outputs after a run.
fn outputs(
    file: &LaunchFile,
    path: &Path,
    source: &Source,
    platform: Platform,
    prepare: &Prepare,
    options: Options,
) -> Result<Vec<Vec<u8>>, String> {
    let (own, found) = file_layer(source.clone(), path);
    let layers = vec![own, Layer::of_platform(platform)];
    let prepared = prepare().map_err(|r| refusal(&r))?;
    let ready = prepared.ready.clone();
    let options = Options {
        launch: Some(prepared),
        ..options
    };
    start(&layers, found, &options).map_err(|refused| {
        let problems = refused.problems;
        let fatal = problems.iter().find(|p| p.diagnostic.class().is_fatal());
        if let Some(p) = fatal
            && p.diagnostic.class() == Class::Unsupported
        {
            return format!("{NOT_MODELLED}{}", p.diagnostic.message);
        }
        let texts = problems.iter().filter(|p| p.diagnostic.class().is_fatal());
        let one = |p: &visim::internals::harness::bind::Problem| {
            render_all(
                std::slice::from_ref(&p.diagnostic),
                &layers[p.layer].source,
                false,
            )
        };
        texts.map(one).collect::<String>()
    })?;
    let outputs = file.launch.outputs.iter();
    outputs
        .map(|output| {
            let argument = ready.arguments.get(output.arg);
            argument
                .and_then(|a| a.bytes())
                .ok_or_else(|| format!("argument {} has no memory", output.arg))
        })
        .collect()
}
