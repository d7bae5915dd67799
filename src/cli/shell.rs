//! `visim completions SHELL` and `visim man`: what a package installs beside the program.

use super::output::{Exit, Output};
use clap::Command;
use clap_complete::Shell;
use std::fs;
use std::path::PathBuf;

/// Prints what a shell completes commands and options with
///
/// Example: visim completions bash > ~/.local/share/bash-completion/completions/visim
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Runs the command on the command line that `command` describes.
    pub fn run(self, mut command: Command, output: &mut Output) -> Exit {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "visim", &mut script);
        let script = String::from_utf8_lossy(&script);
        output.text(&script);
        output.field("script", || script.as_ref().into());
        Exit::Fine
    }
}

/// Prints the manual page, or writes one for each command
///
/// Example: visim man --out ~/.local/share/man/man1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Man {
    /// The folder that takes visim.1, visim-run.1 and so on; it must be there.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Man {
    /// Runs the command on the command line that `command` describes.
    pub fn run(self, command: Command, output: &mut Output) -> Exit {
        let Some(folder) = self.out else {
            let mut page = Vec::new();
            if let Err(error) = clap_mangen::Man::new(command).render(&mut page) {
                return output.complain(&format!("the page cannot be made: {error}"));
            }
            let page = String::from_utf8_lossy(&page);
            output.text(&page);
            output.field("page", || page.as_ref().into());
            return Exit::Fine;
        };
        // Made beforehand: the library would leave some pages behind where it fails.
        if let Err(error) = fs::read_dir(&folder) {
            return output.complain(&format!("{}: {error}", folder.display()));
        }
        match clap_mangen::generate_to(command, &folder) {
            Ok(()) => {
                output.text(&format!(
                    "wrote visim.1 and a page for each command to {}\n",
                    folder.display()
                ));
                Exit::Fine
            }
            Err(error) => output.complain(&format!("{}: {error}", folder.display())),
        }
    }
}
