//! What a command prints, in text or in JSON, and how it ends.

use crate::diagnostic::{Diagnostic, render_all, to_json};
use crate::finalizer::json::pretty;
use crate::source::{Source, printable};
use serde_json::{Map, Value, json};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: one JSON value on standard output.
    Json,
    /// Of `visim test`: a JSON object for each test, as it ends.
    Jsonl,
    /// Of `visim test`: XML as JUnit writes it.
    Junit,
    /// Of `visim test`: Test Anything Protocol.
    Tap,
    /// Of `visim test`: as Rust's own tests print.
    Libtest,
}

impl Format {
    /// Whether every command has it.
    pub fn is_general(self) -> bool {
        matches!(self, Format::Text | Format::Json)
    }
}

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How a command ends; the greater one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All is well: 0.
    Fine,
    /// No test failed, and one needs what visim does not model: 3.
    Unsupported,
    /// The program is wrong: a diagnostic, a failed test: 1.
    Program,
    /// The command is wrong: an option, a file that cannot be used: 2.
    Command,
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Program => 1,
            Exit::Command => 2,
            Exit::Unsupported => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Writes to standard output. A reader that has seen enough (`| head`) is not a failure.
pub fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// The standard output takes one thing at a time, and a terminal no bytes: `what` is to go there, beside text
/// or JSON.
///
/// # Errors
/// Why it cannot, and what can.
pub fn check_standard(text: bool, what: &str) -> Result<(), String> {
    let why = match text {
        false => format!("JSON is written there; use -o FILE for {what}"),
        true if io::stdout().is_terminal() => {
            format!("it is a terminal; use -o FILE or a pipe for {what}")
        }
        true => return Ok(()),
    };
    Err(format!("-o - is the standard output: {why}"))
}

/// Collects what a command has to say.
pub struct Output {
    format: Format,
    colour: bool,
    /// Standard output takes colours.
    paints: bool,
    /// Printed as it is, in place of the fields.
    document: Option<Value>,
    fields: Map<String, Value>,
    diagnostics: Vec<Value>,
    failed: bool,
}

impl Output {
    /// Prints in `format`; `colour` is asked of standard error, where diagnostics go.
    pub fn new(format: Format, colour: Colour) -> Output {
        let wanted = |terminal: bool| match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => std::env::var_os("NO_COLOR").is_none() && terminal,
        };
        Output {
            format,
            colour: wanted(io::stderr().is_terminal()),
            paints: wanted(io::stdout().is_terminal()),
            document: None,
            fields: Map::new(),
            diagnostics: Vec::new(),
            failed: false,
        }
    }

    /// What is asked for.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether text is asked for.
    pub fn is_text(&self) -> bool {
        self.format == Format::Text
    }

    /// Whether diagnostics are coloured.
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// Whether text on standard output is coloured.
    pub fn paints(&self) -> bool {
        self.paints
    }

    /// Prints text for people; nothing in JSON.
    pub fn text(&mut self, text: &str) {
        if self.is_text() {
            self.write(text);
        }
    }

    /// Prints a line that is above others, bold where colours are; nothing in JSON.
    pub fn heading(&mut self, line: &str) {
        if self.paints {
            self.text(&format!("\x1b[1m{line}\x1b[0m\n"));
        } else {
            self.text(&format!("{line}\n"));
        }
    }

    /// The value for programs, printed as it is; diagnostics are added to it where there are any.
    pub fn document(&mut self, value: impl FnOnce() -> Value) {
        if self.format == Format::Json {
            self.document = Some(value());
        }
    }

    /// Adds a field for programs; nothing in text.
    pub fn field(&mut self, name: &str, value: impl FnOnce() -> Value) {
        if self.format == Format::Json {
            self.fields.insert(name.to_string(), value());
        }
    }

    /// Says the diagnostics, all of one source, on standard error or in the field `diagnostics`.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], source: &Source) {
        if self.format != Format::Json {
            let text = render_all(diagnostics, source, self.colour);
            let _ = io::stderr().write_all(text.as_bytes());
        } else {
            let values = diagnostics.iter().map(|d| to_json(d, source));
            self.diagnostics.extend(values);
        }
    }

    /// Says the diagnostics on standard error, in JSON as well: the document has no place for them.
    pub fn aside(&self, diagnostics: &[Diagnostic], source: &Source) {
        let text = render_all(diagnostics, source, self.colour);
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Says something beside the result, on standard error; nothing in JSON.
    pub fn remark(&self, text: &str) {
        if self.is_text() {
            let _ = writeln!(io::stderr(), "visim: {}", printable(text));
        }
    }

    /// Says something beside the result, whatever its form, on standard error.
    pub fn aside_text(&self, text: &str) {
        let _ = io::stderr().write_all(printable(text).as_bytes());
    }

    /// Says that a report cannot be written.
    pub fn unwritten(&mut self, error: &io::Error) -> Exit {
        self.complain(&format!("a report cannot be written: {error}"))
    }

    /// Says why the command cannot be carried out.
    pub fn complain(&mut self, message: &str) -> Exit {
        if self.format != Format::Json {
            let _ = writeln!(io::stderr(), "visim: {}", printable(message));
        } else {
            self.field("error", || json!(message));
        }
        Exit::Command
    }

    /// Says that a line of a program holds no instruction, and what it holds.
    pub fn no_instruction(&mut self, source: &Source, line: usize) -> Exit {
        let lines = source.text().lines().count();
        let what = match source.line_text(line).trim() {
            _ if line > lines => format!("{} has {lines} lines", source.name()),
            "" => "it is empty".to_string(),
            text => format!("`{text}`"),
        };
        self.complain(&format!("line {line} has no instruction: {what}"))
    }

    /// Prints the JSON value, if JSON is asked for. [`Exit::Command`] if standard output failed.
    pub fn finish(mut self) -> Exit {
        if self.format == Format::Json {
            let diagnostics = std::mem::take(&mut self.diagnostics);
            if let Some(mut document) = self.document.take() {
                if !diagnostics.is_empty() {
                    document["diagnostics"] = Value::Array(diagnostics);
                }
                self.write(&format!("{}\n", pretty(&document, 0)));
                return match self.failed {
                    true => Exit::Command,
                    false => Exit::Fine,
                };
            }
            self.fields
                .insert("diagnostics".to_string(), Value::Array(diagnostics));
            let value = Value::Object(std::mem::take(&mut self.fields));
            self.write(&format!("{value}\n"));
        }
        if self.failed {
            Exit::Command
        } else {
            Exit::Fine
        }
    }

    /// What the command has to say, in place of printing it.
    pub fn value(mut self) -> Value {
        let diagnostics = std::mem::take(&mut self.diagnostics);
        self.fields
            .insert("diagnostics".to_string(), Value::Array(diagnostics));
        Value::Object(self.fields)
    }

    /// Prints bytes that are not text.
    pub fn bytes(&mut self, bytes: &[u8]) -> Exit {
        match print(bytes) {
            Ok(()) => Exit::Fine,
            Err(error) => {
                self.fail(&error);
                Exit::Command
            }
        }
    }

    fn write(&mut self, text: &str) {
        if let Err(error) = print(text.as_bytes()) {
            self.fail(&error);
        }
    }

    /// Says, once, that standard output takes no more.
    pub fn fail(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.failed, true) {
            let _ = writeln!(io::stderr(), "visim: standard output: {error}");
        }
    }
}
