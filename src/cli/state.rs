//! `visim state KIND WORDS…`: packed states, field by field.

use super::output::{Exit, Output};
use crate::diagnostic::{Diagnostic, any_fatal};
use crate::explain::state::{State, What, decode};
use crate::harness::{dump, load};
use crate::source::{Source, Span};
use crate::surface::{Generation, Invalid};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Takes packed surface and sampler states apart and says which rules they break.
#[derive(Debug, clap::Args)]
pub struct States {
    /// What the words are: surface, media, sampler, border, binding, command.
    #[arg(value_parser = what)]
    kind: What,
    /// Dwords in hexadecimal, as 231c003f, or bytes in the order of memory.
    words: Vec<String>,
    /// Read the words from a text; `-` is standard input.
    #[arg(long, short, conflicts_with = "words")]
    input: Option<PathBuf>,
    /// Whose structure: 4, 5, 6, 8 or 9.
    #[arg(long, value_parser = generation, default_value = "5")]
    r#gen: Generation,
}

fn what(text: &str) -> Result<What, String> {
    let row = What::ALL.iter().find(|row| row.1 == text);
    let names = || What::ALL.map(|row| row.1).join(", ");
    row.map(|row| row.0)
        .ok_or_else(|| format!("one of {} is wanted", names()))
}

fn generation(text: &str) -> Result<Generation, String> {
    Ok(match text {
        "4" => Generation::Gen4,
        "5" => Generation::Gen5,
        "6" => Generation::Gen6,
        "7" => Generation::Gen7,
        "7.5" => Generation::Gen75,
        "8" => Generation::Gen8,
        "9" => Generation::Gen9,
        _ => return Err("one of 4, 5, 6, 7, 7.5, 8, 9 is wanted".to_string()),
    })
}

impl States {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let text = match &self.input {
            Some(path) => match load::bytes(path, 1 << 20) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) => return output.complain(&error.to_string()),
            },
            None => self.words.join(" "),
        };
        let name = self.input.as_deref().unwrap_or(Path::new("words"));
        let source = Source::new(name.display().to_string(), text);
        let dwords = match dump::dwords(source.text()) {
            Ok(dwords) if !dwords.is_empty() => dwords,
            Ok(_) => return output.complain("no words are given"),
            Err(why) => return output.complain(&why),
        };
        let words: Vec<u32> = dwords.iter().map(|dword| dword.value).collect();
        let all = Span::new(0, source.text().trim_end().len() as u32);
        let states = match decode(self.kind, self.r#gen, &words) {
            Ok(states) => states,
            Err(why) => {
                output.diagnostics(&[why.at(all)], &source);
                return Exit::Program;
            }
        };
        let mut exit = Exit::Fine;
        for state in &states {
            output.text(&state.to_string());
            // A rule of several fields is about the whole state.
            let own = dwords.get(state.first..).unwrap_or_default();
            let own = &own[..own.len().min(state.words.len())];
            let whole = match own {
                [first, .., last] => Span::new(first.span.start, last.span.end),
                [one] => one.span,
                [] => all,
            };
            let place = |broken: &Invalid| {
                let dword = broken.dword.and_then(|dw| own.get(dw as usize));
                dword.map_or(whole, |dword| dword.span)
            };
            let found: Vec<Diagnostic> = state.broken.iter().map(|b| b.at(place(b))).collect();
            output.diagnostics(&found, &source);
            if any_fatal(&found) {
                exit = Exit::Program;
            }
        }
        output.field("states", || {
            json!(states.iter().map(State::json).collect::<Vec<_>>())
        });
        exit
    }
}
