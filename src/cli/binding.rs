//! What the command line gives a program beside its directives: surfaces, samplers, values, threads.

use super::output::{Exit, Output};
use crate::diagnostic::Diagnostic;
use crate::harness::bind::Layer;
use crate::harness::clauses;
use crate::harness::directive::{Directives, Mistake};
use crate::harness::words::Word;
use crate::source::{Source, Span, Spanned};

/// The options that bind what a program uses.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Binding {
    /// Give the memory of a surface: a file, zeros or a formula.
    ///
    /// NAME=PICTURE:FORMAT, NAME=new:WxH:FORMAT, NAME=new:WxH:FORMAT,byte(x,y) = x + y,
    /// NAME=raw:PATH:FORMAT:WxH, NAME=nv12:PATH:WxH, NAME=yuy2:PATH:WxH; then any of :pitch=N
    /// :tiling=Y :lines=top.
    #[arg(long, value_name = "NAME=WHAT")]
    pub surface: Vec<String>,
    /// Give a sampler its state: NAME=filter=linear:address=wrap, NAME=avs:key=value.
    #[arg(long, value_name = "NAME=KIND")]
    sampler: Vec<String>,
    /// Give a variable its starting value: NAME=8:ud, NAME="1.5 2.5:f".
    #[arg(long, value_name = "NAME=VALUE:TYPE")]
    set: Vec<String>,
    /// Run a grid of X by Y threads.
    #[arg(long, value_name = "X,Y")]
    threads: Option<String>,
    /// Run X by Y by Z work-groups, each of as many threads as --threads says.
    #[arg(long, value_name = "X,Y,Z")]
    groups: Option<String>,
}

/// A mistake in an option, with the option's own text.
pub type Refused = Box<(Diagnostic, Source)>;

/// Reads the text of an option as a directive.
///
/// # Errors
/// What is wrong with it.
pub fn layer(
    option: &str,
    text: &str,
    read: impl Fn(Word<'_>, &mut Directives) -> Result<(), Mistake>,
) -> Result<Layer, Refused> {
    let source = Source::new(option, text);
    let mut directives = Directives::default();
    let word = Spanned::new(text, Span::new(0, text.len() as u32));
    match read(word, &mut directives) {
        Ok(()) => Ok(Layer::option(source, directives)),
        Err(mistake) => Err(Box::new((*mistake, source))),
    }
}

impl Binding {
    /// The options as layers, each with its own text as the source.
    ///
    /// # Errors
    /// The first that cannot be read.
    pub fn layers(&self) -> Result<Vec<Layer>, Refused> {
        let mut layers = Vec::new();
        for text in &self.surface {
            layers.push(layer("--surface", text, |word, to| {
                let separators = &[':'];
                to.surfaces
                    .push(clauses::surface(word, word.span, separators)?);
                Ok(())
            })?);
        }
        for text in &self.sampler {
            layers.push(layer("--sampler", text, |word, to| {
                let separators = &[':', ' ', ','];
                to.samplers
                    .push(clauses::sampler(word, word.span, separators)?);
                Ok(())
            })?);
        }
        for text in &self.set {
            layers.push(layer("--set", text, |word, to| {
                to.settings.push(clauses::setting(word)?);
                Ok(())
            })?);
        }
        if let Some(text) = &self.threads {
            layers.push(layer("--threads", text, |word, to| {
                to.threads = Some(clauses::threads(word)?);
                Ok(())
            })?);
        }
        if let Some(text) = &self.groups {
            layers.push(layer("--groups", text, |word, to| {
                to.groups = Some(clauses::groups(word)?);
                Ok(())
            })?);
        }
        Ok(layers)
    }

    /// Refuses what has no meaning beside a launch.
    ///
    /// # Errors
    /// It has been said.
    pub fn beside_a_launch(&self, output: &mut Output) -> Result<(), Exit> {
        for (option, given) in [("threads", &self.threads), ("groups", &self.groups)] {
            if given.is_some() {
                return Err(output.complain(&format!(
                    "--{option} has no meaning for a launch, whose threads follow from --global and --local"
                )));
            }
        }
        Ok(())
    }
}
