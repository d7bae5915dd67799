//! Programs made of sends, as the harness meets them.

use super::bind::{Layer, Problem};
use super::session::{Lowered, of_file};
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::Platform;
use crate::sends;

/// Reads, checks and lowers the program of the first layer.
pub(super) fn program(layers: &[Layer], found: Vec<Diagnostic>) -> Lowered {
    let (program, more) = sends::program(&layers[0].source);
    let mut problems: Vec<Problem> = found.into_iter().chain(more).map(of_file).collect();
    for (layer, number) in layers.iter().zip(0..) {
        let asked = layer.directives.platform.as_ref();
        if let Some(platform) = asked.filter(|p| p.node != Platform::OF_SENDS) {
            let label = format!("{} has no message registers", platform.node);
            let other = Diagnostic::new(Code::E0920).at(platform.span, label);
            problems.push(Problem {
                layer: number,
                diagnostic: other.help(format!(
                    "programs made of sends are for {}",
                    Platform::OF_SENDS
                )),
            });
        }
    }
    let fatal = problems.iter().any(|p| p.diagnostic.class().is_fatal());
    match program.filter(|_| !fatal) {
        Some(program) => Ok((program, problems)),
        None => Err(problems),
    }
}
