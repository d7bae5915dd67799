//! `visim encode FILE[:LINE]`: vISA text as its binary form; `visim decode --visa HEX` reads a record back.

use super::input::{FileLine, Written};
use super::output::{Exit, Output, check_standard};
use crate::diagnostic::{Code, Diagnostic};
use crate::files::Writes;
use crate::harness::bind::Layer;
use crate::harness::language::Language;
use crate::source::{Source, Span};
use crate::syntax::ast::{Line, Module};
use crate::syntax::{ParseOptions, parse, print};
use crate::video::files::STANDARD;
use crate::visa_binary::{self, Field, Version};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Writes vISA text in its binary form, or prints the bytes of its statements.
#[derive(Debug, clap::Args)]
pub struct Encode {
    /// The program, or one line of it as kernel.visa:12.
    #[arg(value_name = "FILE[:LINE]")]
    subject: String,
    /// Write the container to this file; `-` is the standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The version to write: 3.6 or 4.1. Without it 3.6 for a text of 3.0 to 3.6, else 4.1. A text without
    /// `.kernel_attr Target` gets that of Intel's writer: cm with 3.6, 3d with 4.1.
    #[arg(long, value_name = "VERSION", value_parser = version)]
    version: Option<Version>,
    #[command(flatten)]
    written: Written,
}

fn version(text: &str) -> Result<Version, String> {
    let known = [Version::V3_6, Version::V4_1];
    let found = known.into_iter().find(|known| known.to_string() == text);
    found.ok_or_else(|| "3.6 and 4.1 are written".to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The fields of a record, a line each.
pub fn record_text(fields: &[Field]) -> String {
    let width = fields
        .iter()
        .map(|field| field.name.len())
        .max()
        .unwrap_or(0);
    let line = |field: &Field| format!("  {:<width$}  {}\n", field.name, hex(&field.bytes));
    fields.iter().map(line).collect()
}

/// The fields of a record.
pub fn record_json(fields: &[Field]) -> Value {
    let field = |field: &Field| json!({ "name": field.name, "bytes": hex(&field.bytes) });
    fields.iter().map(field).collect()
}

impl Encode {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let line = self.subject.parse::<FileLine>().ok();
        let (file, line) = match line {
            Some(line) if !Path::new(&self.subject).exists() => (line.file, Some(line.line)),
            _ => (PathBuf::from(&self.subject), None),
        };
        if self.output.as_deref() == Some(Path::new(STANDARD))
            && let Err(why) = check_standard(output.is_text(), "the container")
        {
            return output.complain(&why);
        }
        if let Language::Tld | Language::Send = Language::of(&file) {
            let name = file.display();
            return output.complain(&format!(
                "vISA text has a binary form; {name} is no vISA text by its name"
            ));
        }
        let layer = match self.written.open(&file, (None, None), output) {
            Ok((layer, _)) => layer,
            Err(exit) => return exit,
        };
        let parsed = parse(&layer.source, &ParseOptions::default());
        if !parsed.diagnostics.is_empty() {
            let fatal = crate::diagnostic::any_fatal(&parsed.diagnostics);
            output.diagnostics(&parsed.diagnostics, &layer.source);
            if fatal {
                return Exit::Program;
            }
        }
        match line {
            Some(line) => self.line(&parsed.module, &layer, line, output),
            None => self.file(&parsed.module, &layer, output),
        }
    }

    fn line(&self, module: &Module, layer: &Layer, line: usize, output: &mut Output) -> Exit {
        let source = &layer.source;
        let statements = module
            .lines
            .iter()
            .filter_map(|line| line.statement.as_ref());
        let here = |span: Span| source.line_of(span.start) == line;
        let at = statements
            .map(|statement| statement.span)
            .find(|span| here(*span));
        let version = self.version.unwrap_or(Version::V4_1);
        let record = at.and_then(|at| visa_binary::record_at(module, at, version));
        match record {
            None => output.no_instruction(source, line),
            Some(Ok(fields)) => {
                output.text(&record_text(&fields));
                output.field("fields", || record_json(&fields));
                Exit::Fine
            }
            Some(Err(why)) => {
                let span = at.unwrap_or_default();
                let refused = Diagnostic::new(Code::N0661).at(span, why);
                output.diagnostics(&[refused.see("vISA binary reference 3")], source);
                Exit::Program
            }
        }
    }

    fn file(&self, module: &Module, layer: &Layer, output: &mut Output) -> Exit {
        let source = &layer.source;
        let written = match visa_binary::write(module, self.version) {
            Ok(written) => written,
            Err(refused) => {
                output.diagnostics(&refused, source);
                return Exit::Program;
            }
        };
        match &self.output {
            Some(path) if path == Path::new(STANDARD) => output.bytes(&written.bytes),
            Some(path) => {
                let mut writes = Writes::default();
                writes.spare(Path::new(source.name()));
                let added = writes.add(path, &written.bytes);
                match added.and_then(|()| writes.commit()) {
                    Ok(_) => {
                        let (name, bytes) = (path.display(), written.bytes.len());
                        output.text(&format!("wrote {name}, {bytes} bytes\n"));
                        output.field("wrote", || json!(path.display().to_string()));
                        Exit::Fine
                    }
                    Err(error) => output.complain(&error.to_string()),
                }
            }
            None => {
                for (span, fields) in &written.records {
                    let number = source.line_of(span.start);
                    let text = source.text().lines().nth(number - 1).unwrap_or_default();
                    output.heading(&format!("{}:{number}: {}", source.name(), text.trim()));
                    output.text(&record_text(fields));
                }
                output.field("records", || {
                    let record = |(span, fields): &(Span, Vec<Field>)| {
                        json!({ "line": source.line_of(span.start), "fields": record_json(fields) })
                    };
                    written.records.iter().map(record).collect()
                });
                Exit::Fine
            }
        }
    }
}

/// Reads a record in hexadecimal, with the names that the declarations of `file` give.
pub fn decode(text: &str, file: Option<&Path>, written: &Written, output: &mut Output) -> Exit {
    let digits: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ',')
        .collect();
    let digits = digits.strip_prefix("0x").unwrap_or(&digits);
    let example = "--visa takes the bytes of a record in hexadecimal, for example 29040000…";
    if digits.is_empty() {
        return output.complain(&format!("no bytes are there; {example}"));
    }
    if let Some(wrong) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
        return output.complain(&format!(
            "`{}` is no hexadecimal digit; {example}",
            wrong.escape_debug()
        ));
    }
    if !digits.len().is_multiple_of(2) {
        let count = digits.len();
        return output.complain(&format!(
            "a byte has two digits, here are {count}; {example}"
        ));
    }
    let pairs = digits.as_bytes().chunks(2);
    let bytes: Vec<u8> = pairs
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    let module = match file {
        None => Module::default(),
        Some(file) => match written.open(file, (None, None), output) {
            Ok((layer, _)) => parse(&layer.source, &ParseOptions::default()).module,
            Err(exit) => return exit,
        },
    };
    let names = visa_binary::names(&module);
    match visa_binary::decode(&bytes, &names, Version::V4_1) {
        Ok((statement, length)) => {
            let line = Line {
                statement: Some(crate::source::Spanned::new(statement, Span::default())),
                comment: None,
            };
            let printed = print(&Module {
                lines: vec![line],
                ..Module::default()
            });
            let printed = printed.trim();
            output.text(&format!("{printed}\n"));
            if length < bytes.len() {
                let rest = bytes.len() - length;
                output.text(&format!("{rest} bytes follow the record\n"));
            }
            output.field("statement", || json!(printed));
            output.field("bytes", || json!(length));
            Exit::Fine
        }
        Err(fault) => {
            let what = fault.to_string();
            let refused =
                Diagnostic::with_message(Code::E0660, what).see("vISA binary reference 3");
            let help = "--declarations FILE names a text that declares what the record names";
            let refused = if file.is_none() && fault.at < bytes.len() {
                refused.help(help)
            } else {
                refused
            };
            output.diagnostics(&[refused], &Source::new("--visa", text));
            Exit::Program
        }
    }
}
