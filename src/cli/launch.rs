//! Launches on the command line: options joined with the text, functions that were taken, text that the kernel
//! printed, outputs that are as expected or not.

use super::binding::Binding;
use super::check::{for_platform, platform};
use super::input::Written;
use super::limits::RunLimits;
use super::output::{Exit, Output};
use crate::diagnostic::Diagnostic;
use crate::harness::bind::Layer;
use crate::harness::language::Language;
use crate::harness::launch::{Launch, Launched};
use crate::harness::output::{Compared, MOST_SHOWN};
use crate::harness::session;
use crate::isa::Platform;
use crate::source::Source;
use crate::surface::Ledger;
use serde_json::json;
use std::path::Path;

/// The options of commands that run a program to look at one line of it.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    #[arg(long, value_parser = platform, help = for_platform("Run for this platform rather than the one the file names"))]
    platform: Option<Platform>,
    /// The kernel to run, where the file holds several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    pub binding: Binding,
    #[command(flatten)]
    launch: Launch,
    #[command(flatten)]
    limits: RunLimits,
    #[command(flatten)]
    written: Written,
}

/// Which thread and which lane of it are looked at.
#[derive(Clone, Debug, clap::Args)]
pub struct Looked {
    /// Look at this thread only: a number in launch order, X,Y, or thread N of a group as N@X,Y,Z or N@G.
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
    /// Look at the texels of this lane only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..32))]
    pub lane: Option<u8>,
}

impl Looked {
    /// Whether anything is chosen.
    pub fn is_given(&self) -> bool {
        self.thread.is_some() || self.lane.is_some()
    }

    /// The number of the thread, if it is given.
    ///
    /// # Errors
    /// What is wrong has been said.
    pub fn thread(
        &self,
        layers: &[Layer],
        options: &session::Options,
        output: &mut Output,
    ) -> Result<Option<u32>, Exit> {
        let Some(text) = &self.thread else {
            return Ok(None);
        };
        let grid = session::threads(layers, options);
        match super::watch::thread("--thread", text, &grid) {
            Ok(number) => Ok(Some(number)),
            Err(mistake) => {
                output.diagnostics(&[mistake.0], &mistake.1);
                Err(Exit::Command)
            }
        }
    }
}

/// A program that can run.
#[derive(Clone)]
pub struct Opened {
    /// The text first.
    pub layers: Vec<Layer>,
    /// What could not be read of its directives.
    pub found: Vec<Diagnostic>,
    /// Its launch, where one is asked for.
    pub options: session::Options,
}

impl Target {
    /// Does something within the limits, with the files that are granted.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let work = || Ledger::within(Some(&self.limits.ledger()), work);
        self.launch.grants.within(work)
    }

    /// Reads a program, with its launch where one is asked for.
    ///
    /// # Errors
    /// What is wrong has been said.
    pub fn open(&self, file: &Path, output: &mut Output) -> Result<Opened, Exit> {
        self.open_with(file, true, output)
    }

    /// Reads a program that is looked at without a run: a launch counts where options ask for it.
    ///
    /// # Errors
    /// What is wrong has been said.
    pub fn open_text(&self, file: &Path, output: &mut Output) -> Result<Opened, Exit> {
        self.open_with(file, self.launch.is_asked(), output)
    }

    /// What the text is written in.
    pub fn language(&self, file: &Path) -> Language {
        self.written.of(file)
    }

    fn open_with(&self, file: &Path, launched: bool, output: &mut Output) -> Result<Opened, Exit> {
        let kernel = self.kernel.as_deref();
        let file = self.written.find(file, (self.platform, kernel), output)?;
        let (layer, found) = self.written.read(&file, (self.platform, kernel), output)?;
        let mut layers = vec![layer];
        layers.extend(self.platform.map(Layer::of_platform));
        layers.extend(kernel.map(Layer::of_kernel));
        match self.binding.layers() {
            Ok(more) => layers.extend(more),
            Err(mistake) => {
                output.diagnostics(&[mistake.0], &mistake.1);
                return Err(Exit::Command);
            }
        }
        let launched = match layers[0].language {
            // A line of a program is explained without a launch, too.
            Language::Visa if launched && self.launch.or_of_text(&layers[0], &file).is_asked() => {
                let asked = (self.platform, kernel);
                let launched = join(&self.launch, &mut layers, &file, asked, output)?;
                if launched.is_some() {
                    self.binding.beside_a_launch(output)?;
                }
                launched
            }
            _ => None,
        };
        let options = session::Options {
            launch: launched.map(|launched| launched.prepared),
            ..self.limits.options()
        };
        Ok(Opened {
            layers,
            found,
            options,
        })
    }
}

/// Joins a text, the first layer, with its launch and the functions that it calls.
///
/// # Errors
/// What is wrong has been said.
pub fn join(
    launch: &Launch,
    layers: &mut Vec<Layer>,
    file: &Path,
    (platform, kernel): (Option<Platform>, Option<&str>),
    output: &mut Output,
) -> Result<Option<Launched>, Exit> {
    let source = layers[0].source.clone();
    let launch = &launch.or_of_text(&layers[0], file);
    let launched = launch.prepare(&source, file, kernel, platform);
    let joined = launched.and_then(|launched| {
        layers[0].source = match &launched {
            Some(launched) => launched.source.clone(),
            None => launch.text(&source, file, Vec::new())?,
        };
        Ok(launched)
    });
    let launched = joined.map_err(|refused| {
        output.diagnostics(&[*refused], &source);
        Exit::Command
    })?;
    if let Some(launched) = &launched {
        layers.push(Layer::of_platform(launched.platform));
        layers.extend(launched.kernel.as_deref().map(Layer::of_kernel));
    }
    functions(launch, &layers[0].source, output);
    Ok(launched)
}

/// Tells which files were taken although no argument named them.
fn functions(launch: &Launch, text: &Source, output: &mut Output) {
    let (files, unnamed) = launch.functions_of(text);
    if files.is_empty() {
        return;
    }
    if unnamed {
        output.remark(&format!("with the functions of {}", files.join(", ")));
    }
    output.field("functions", || json!(files));
}

/// Prints what the kernel printed.
pub fn printed(launched: &Launched, source: &Source, output: &mut Output) {
    let (text, unread) = launched.printed();
    if !text.is_empty() {
        output.text(&text);
        output.field("printf", || json!(text));
    }
    if let Some(unread) = unread {
        output.diagnostics(&[unread], source);
    }
}

/// Says which outputs are as the description expects.
pub fn compared(launched: &Launched, source: &Source, output: &mut Output) -> Exit {
    let compared = launched.compared(MOST_SHOWN);
    if compared.is_empty() {
        return Exit::Fine;
    }
    let mut exit = Exit::Fine;
    for one in &compared {
        if let Some(folder) = &launched.keep {
            match one.keep(folder) {
                Ok(left) => left
                    .iter()
                    .for_each(|path| output.remark(&format!("kept {}", path.display()))),
                Err(error) => exit = output.complain(&format!("--keep: {error}")),
            }
        }
        match &one.result {
            Ok(bytes) => {
                let name = &one.name;
                output.text(&format!("{name}: {bytes} bytes, as expected\n"));
            }
            Err(differs) => {
                output.diagnostics(std::slice::from_ref(differs), source);
                exit = exit.max(Exit::Program);
            }
        }
    }
    output.field("outputs", || compared.iter().map(Compared::json).collect());
    exit
}
