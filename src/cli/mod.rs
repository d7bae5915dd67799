//! The command line: `visim run | debug | dap | test | check | fmt | lower | explain | decode | compare | diff | state | picture
//! | video | completions | man`.
//!
//! Each command is a file that reads its options, calls the library and prints what it returned; none
//! knows more than that. Exit codes: 0 fine, 1 the program is wrong, 2 the command or a file is wrong, 3 of `test` alone: none
//! failed, and visim does not model what one of them needs.
//! On success a command prints its result and nothing else; colour is used on a terminal only, and
//! `--format json` prints the same facts as one JSON value on standard output.

mod binding;
mod book;
mod check;
pub mod dap;
mod debug;
mod diff;
mod encode;
mod explain;
mod fault;
mod fmt;
mod input;
mod launch;
mod lessons;
mod limits;
mod lower;
#[cfg(unix)]
mod opencl;
mod output;
mod picture;
mod run;
mod sends;
mod shell;
mod signals;
mod state;
mod test;
mod tld;
mod video;
pub mod watch;
mod word;

use crate::surface::ledger::{Ledger, USUAL_MEMORY};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
pub use output::Exit;
use output::{Colour, Format, Output};
use std::ffi::OsString;
use std::process::ExitCode;
pub use test::records as test_records;

/// Runs Intel vISA assembly text without a GPU.
#[derive(Debug, Parser)]
#[command(
    name = "visim",
    version,
    arg_required_else_help = true,
    infer_subcommands = true
)]
struct Options {
    /// How results and diagnostics are printed.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// When to colour diagnostics.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Run(Box<run::Run>),
    Debug(Box<debug::Debug>),
    Dap(dap::Dap),
    Test(Box<test::Test>),
    Fmt(fmt::Fmt),
    Lower(lower::Lower),
    Decode(lower::Decode),
    Encode(encode::Encode),
    Explain(explain::Explain),
    Compare(tld::Compare),
    Diff(Box<diff::Diff>),
    State(state::States),
    Picture(picture::Picture),
    Video(Box<video::Video>),
    Book(book::Book),
    #[cfg(unix)]
    #[command(name = "opencl")]
    OpenCl(opencl::OpenCl),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Reads the command line of the process, runs the command, prints, and says how it went.
pub fn main() -> ExitCode {
    fault::install();
    signals::install();
    run(&std::env::args_os().collect::<Vec<_>>()).into()
}

/// As [`main`], of these words, the first of which is the name of the program.
pub fn run(words: &[OsString]) -> Exit {
    if asks_for(words, ["--platform", "?"]) {
        let mut output = Output::new(output_format(words), Colour::Never);
        check::platforms(&mut output);
        return output.finish();
    }
    let parsed = Options::command()
        .try_get_matches_from(words)
        .and_then(|matches| Ok((Options::from_arg_matches(&matches)?, matches)));
    let (mut options, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are answers, not mistakes; clap's own exit code for these is 0.
            let code = if error.use_stderr() {
                Exit::Command
            } else {
                Exit::Fine
            };
            if error.use_stderr() && matches!(output_format(words), Format::Json) {
                let mut output = Output::new(Format::Json, Colour::Never);
                output.complain(error.render().to_string().trim_end());
                return output.finish().max(code);
            }
            // A closed pipe is not a reason to complain.
            let _ = error.print();
            return code;
        }
    };
    match &mut options.command {
        Command::Run(command) => command.given = given(&matches),
        Command::Debug(command) => command.run.given = given(&matches),
        _ => {}
    }
    let mut output = Output::new(options.format, options.color);
    if !options.format.is_general() && !matches!(options.command, Command::Test(_)) {
        let exit =
            output.complain("--format jsonl, junit, tap and libtest are those of visim test");
        return output.finish().max(exit);
    }
    let command = options.command;
    let exit = Ledger::within(Some(&Ledger::new(USUAL_MEMORY)), || {
        carry_out(command, &mut output)
    });
    output.finish().max(exit)
}

/// Runs a command.
fn carry_out(command: Command, output: &mut Output) -> Exit {
    match command {
        Command::Check(command) => command.run(output),
        Command::Run(command) => command.run(output),
        Command::Debug(command) => command.run(output),
        Command::Dap(command) => command.run(output),
        Command::Test(command) => command.run(output),
        Command::Fmt(command) => command.run(output),
        Command::Lower(command) => command.run(output),
        Command::Decode(command) => command.run(output),
        Command::Encode(command) => command.run(output),
        Command::Explain(command) => command.run(output),
        Command::Compare(command) => command.run(output),
        Command::Diff(command) => command.run(output),
        Command::State(command) => command.run(output),
        Command::Picture(command) => command.run(output),
        Command::Video(command) => command.run(output),
        Command::Book(command) => command.run(output),
        #[cfg(unix)]
        Command::OpenCl(command) => command.run(output),
        Command::Completions(command) => command.run(Options::command(), output),
        Command::Man(command) => command.run(Options::command(), output),
    }
}

/// The format of the output of a command line that cannot be read.
fn output_format(words: &[OsString]) -> Format {
    match asks_for(words, ["--format", "json"]) {
        true => Format::Json,
        false => Format::Text,
    }
}

/// Whether the command line, which need not make sense, gives an option this value.
fn asks_for(words: &[OsString], [option, value]: [&str; 2]) -> bool {
    let pairs = words.windows(2).any(|w| w[0] == option && w[1] == value);
    pairs
        || words
            .iter()
            .any(|w| w.to_str() == Some(&format!("{option}={value}")))
}

/// Names of the options that were given to the subcommand.
fn given(matches: &ArgMatches) -> Vec<String> {
    let Some((name, matches)) = matches.subcommand() else {
        return Vec::new();
    };
    let mut command = Options::command();
    command.build();
    let options = command.find_subcommand(name).map(|c| c.get_arguments());
    let given = options.into_iter().flatten().filter(|option| {
        matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    given
        .filter_map(|option| option.get_long().map(str::to_string))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_consistent() {
        Options::command().debug_assert();
    }
}
