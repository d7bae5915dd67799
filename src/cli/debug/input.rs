//! Where commands come from.

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

/// What stands in front of a command.
pub const PROMPT: &str = "(visim) ";

/// Bytes that a line, or a file of commands, may have.
const MOST_BYTES: u64 = 1 << 20;

type Prompt = Editor<(), MemHistory>;

/// Lines, one after the other.
pub struct Input {
    /// Those that come first.
    first: VecDeque<String>,
    then: Then,
}

/// What comes after the first lines.
enum Then {
    Nothing,
    Pipe,
    Terminal(Box<Prompt>),
}

/// What was read.
pub enum Read1 {
    /// A command, and whether it is to be printed as nobody has seen it.
    Line(String, bool),
    /// Ctrl-C at the prompt.
    Nothing,
    /// There are no more.
    End,
}

impl Input {
    /// Reads the file of commands, if there is one, else standard input.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn new(file: Option<&Path>, execute: Vec<String>) -> Result<Input, String> {
        let mut first = VecDeque::from(execute);
        let then = match file {
            Some(path) => {
                let wrong = |why: io::Error| format!("{}: {why}", path.display());
                crate::harness::grants::may_be_read(path).map_err(wrong)?;
                let mut text = String::new();
                let file = std::fs::File::open(path).map_err(wrong)?;
                file.take(MOST_BYTES)
                    .read_to_string(&mut text)
                    .map_err(wrong)?;
                first.extend(text.lines().map(str::to_string));
                Then::Nothing
            }
            None if io::stdin().is_terminal() => {
                let config = Config::builder().auto_add_history(true).build();
                let editor = Prompt::with_history(config, MemHistory::new());
                Then::Terminal(Box::new(
                    editor.map_err(|why| format!("the terminal: {why}"))?,
                ))
            }
            None => Then::Pipe,
        };
        Ok(Input { first, then })
    }

    /// Whether a person types.
    pub fn is_terminal(&self) -> bool {
        matches!(self.then, Then::Terminal(_))
    }

    /// The next line.
    pub fn line(&mut self) -> Read1 {
        if let Some(line) = self.first.pop_front() {
            return Read1::Line(line, true);
        }
        match &mut self.then {
            Then::Nothing => Read1::End,
            Then::Pipe => {
                let mut line = Vec::new();
                let read = io::stdin()
                    .lock()
                    .take(MOST_BYTES)
                    .read_until(b'\n', &mut line);
                match read {
                    Ok(0) | Err(_) => Read1::End,
                    Ok(_) => Read1::Line(String::from_utf8_lossy(&line).into_owned(), true),
                }
            }
            Then::Terminal(editor) => match editor.readline(PROMPT) {
                Ok(line) => Read1::Line(line, false),
                Err(ReadlineError::Interrupted) => Read1::Nothing,
                Err(_) => Read1::End,
            },
        }
    }
}
