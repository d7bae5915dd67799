//! `visim explain FILE.send:LINE`: a send's descriptor field by field, and what it did.

use super::explain;
use super::launch::Opened;
use super::output::{Exit, Output};
use crate::explain::line::LineObserver;
use crate::harness::session;
use crate::isa::Platform;
use crate::message::fields::extended_gen5;
use crate::message::text::explain_descriptor;
use crate::sends::line::{Action, Descriptor};
use crate::sends::{parse, scoreboard};
use serde_json::json;

/// Follows one line: the instruction, a message's bits by field, and its effect in the first thread.
pub fn explain(
    opened: Opened,
    number: usize,
    chosen: explain::Chosen,
    output: &mut Output,
) -> Exit {
    let Opened {
        layers,
        found,
        options,
    } = opened;
    let source = &layers[0].source;
    let (lines, _) = parse(source);
    let at = lines
        .iter()
        .position(|line| source.line_of(line.span.start) == number);
    let Some((at, line)) = at.and_then(|at| Some((at, lines.get(at)?))) else {
        return output.no_instruction(source, number);
    };
    let mut text = format!("{}\n", line.node);
    if let Action::Send(send) = &line.node.action {
        if let Some(register) = send.implied {
            text += &format!(
                "r{register} moves to m{} first, whatever the mask\n",
                send.message
            );
        }
        match send.descriptor {
            Descriptor::Known(desc) => {
                let number = send.receiver.number(Platform::OF_SENDS).unwrap_or(0);
                let eot = if send.eot {
                    extended_gen5::EOT.mask()
                } else {
                    0
                };
                text += &explain_descriptor(desc, u32::from(number) | eot, Platform::OF_SENDS);
            }
            Descriptor::Address => text += "the descriptor is the value of a0.0 at that time\n",
        }
    }
    for remark in scoreboard::stalls(&lines)
        .into_iter()
        .filter(|r| r.line == at)
    {
        text += &format!("{}\n", remark.text);
    }
    output.text(&text);
    output.field("explanation", || json!(text));
    let span = line.span;
    let watch = |_| LineObserver::new(span);
    match session::start_watched(&layers, found, &options, watch) {
        Ok(session) => explain::result(&session, chosen, output),
        Err(refused) => explain::not_run(refused, &layers, output),
    }
}
