//! Runs whose steps are recorded.

use super::bind::Layer;
use super::front::Front;
use super::language::Language;
use super::session::{self, Options, Refused, Session};
use crate::check::CheckOptions;
use crate::diagnostic::{Diagnostic, render_all};
use crate::exec::{Observer, Silent, ThreadId};
use crate::explain::stepped::{Options as Recorded, Recorder, Sink};
use crate::finalizer::Release;
use crate::observe::Beside;

/// As [`session::start_watched`], with an observer whose steps are recorded as well.
///
/// Work-groups run one after the other. `sink` gets the records: none if the program does not start, and an end that says
/// why if it does not come to its end.
///
/// # Errors
/// As [`session::start`].
pub fn record<O: Observer>(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    options: &Options,
    recorded: Recorded,
    sink: Sink<'_>,
    observe: impl Fn(ThreadId) -> O + Sync,
) -> Result<Session<Silent>, Refused> {
    let options = Options {
        jobs: 1,
        ..options.clone()
    };
    let source = &layers[0].source;
    let front = (layers[0].language == Language::Visa).then(|| {
        let check = CheckOptions {
            platform: session::platform(layers),
            finalizer: options.launch.is_some(),
            allow_removed: options.allow_removed,
        };
        Front::with(source, &check)
    });
    let text = front.as_ref().map(|front| {
        let platform = front.checked.platform;
        (&front.checked, Release::of(&front.module, platform))
    });
    session::start_staged(layers, found, &options, |stage| {
        let (program, bindings) = (stage.program, stage.bindings);
        let recorder = Recorder::new(program, bindings, source, text, recorded, sink);
        let watch = |thread| Beside(observe(thread), Some(recorder.thread()));
        let result = stage.run(watch).map(|outcome| outcome.with(Vec::new()));
        let problem = result.as_ref().err();
        recorder.end(problem.map(|trap| {
            let diagnostic = std::slice::from_ref(&trap.diagnostic);
            render_all(diagnostic, source, false)
        }));
        result
    })
}
