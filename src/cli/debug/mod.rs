//! `visim debug FILE`: steps through a run at a prompt, forward and back.
//!
//! Commands come from the terminal, a pipe or a file; of the latter two each is printed in front of what it prints, and
//! the first that is wrong ends the session.

mod commands;
mod input;
mod picture;
mod show;

pub use show::{Shown, variables};

use super::output::{Exit, Output};
use super::run::{Ready, Run, finish, refused_by, remark};
use crate::check::CheckOptions;
use crate::debug::{Ending, Stops, drive};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::Trap;
use crate::finalizer::Release;
use crate::harness::front::Front;
use crate::harness::language::Language;
use crate::harness::session;
use commands::Terminal;
use input::Input;
use std::path::PathBuf;

/// Steps through a run, forward and back, at a prompt
///
/// Example: visim debug samples/33-trace.visa
///
/// At the prompt `help` lists the commands: break 32 if LEFT lane 1 < 0, continue, print POWER, back.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Debug {
    /// Carry out the commands of this file, one a line, and end.
    #[arg(long, value_name = "FILE", help_heading = "Debugger")]
    commands: Option<PathBuf>,
    /// Carry out this command before others; may be given several times.
    #[arg(long, short = 'x', value_name = "COMMAND", help_heading = "Debugger")]
    execute: Vec<String>,
    #[command(flatten)]
    pub run: Run,
}

impl Debug {
    /// Runs the command.
    pub fn run(mut self, output: &mut Output) -> Exit {
        if !output.is_text() {
            return output.complain("visim debug is for people; visim dap speaks JSON");
        }
        if let Err(why) = self.run.may_be_stepped() {
            return output.complain(&why);
        }
        let input = match Input::new(self.commands.as_deref(), std::mem::take(&mut self.execute)) {
            Ok(input) => input,
            Err(why) => return output.complain(&why),
        };
        let run = &mut self.run;
        let bounds = run.bounds();
        bounds.within(|| session(run, input, output))
    }
}

fn session(run: &mut Run, input: Input, output: &mut Output) -> Exit {
    let Ready {
        layers,
        found,
        launched,
        mut options,
    } = match run.ready(output) {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let source = &layers[0].source;
    if layers[0].language == Language::Tld {
        return output.complain("texture loads have no steps; visim run prints what they return");
    }
    let front = (layers[0].language == Language::Visa).then(|| {
        let check = CheckOptions {
            platform: session::platform(&layers),
            finalizer: options.launch.is_some(),
            allow_removed: options.allow_removed,
        };
        Front::with(source, &check)
    });
    let release = front
        .as_ref()
        .map(|front| Release::of(&front.module, session::platform(&layers)));
    let grid = session::threads(&layers, &options);
    let mut terminal = Terminal::new(
        source,
        front.as_ref().zip(release),
        grid,
        input,
        output.paints(),
    );
    // The time that passes at the prompt is nobody's.
    let time = options.timeout.take();
    let mut quit = false;
    let result = session::start_staged(&layers, found, &options, |stage| {
        match drive(stage, source, time, Stops::default(), &mut terminal) {
            Ending::Ended(outcome) => Ok(outcome),
            Ending::Trapped(trap) => Err(trap),
            Ending::Quit => {
                quit = true;
                Err(Trap::outside(Diagnostic::new(Code::L0963)))
            }
        }
    });
    let wrong = match terminal.wrong.take() {
        None => Exit::Fine,
        Some((diagnostic, line)) => {
            output.diagnostics(&[*diagnostic], &line);
            Exit::Command
        }
    };
    if let Some(error) = terminal.failed.take() {
        output.fail(&error);
    }
    if quit {
        return wrong;
    }
    wrong.max(match result {
        Ok(session) => {
            remark(&session.warnings, launched.as_ref(), &layers, output);
            finish(&session, &layers, launched.as_ref(), output)
        }
        Err(refused) => refused_by(&refused, launched.as_ref(), &layers, output),
    })
}
