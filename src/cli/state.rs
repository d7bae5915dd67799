//! `visim state KIND WORDS…`: packed states, field by field.

use super::output::{Exit, Output};
use crate::diagnostic::{Diagnostic, any_fatal};
use crate::exec::bindings::Sampler;
use crate::explain::state::{State, What, decode, of_media, of_sampler, set};
use crate::harness::{dump, load, sampler};
use crate::source::{Source, Span};
use crate::surface::state::written::MediaFields;
use crate::surface::{Generation, Invalid};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest text of words or fields, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// Takes packed surface and sampler states apart and says which rules they break; packs them, too.
#[derive(Debug, clap::Args)]
pub struct States {
    /// What the words are: surface, media, sampler, border, binding, sample-8x8, sampler-8x8, deinterlace, command.
    ///
    /// A packed border colour of Gen5 and Gen6 is in the PRM's order of dwords; border-driver is the order that drivers
    /// write, which has the signed bytes last (in programs: the key border_order=driver).
    #[arg(value_parser = what)]
    kind: What,
    /// Dwords in hexadecimal, as 231c003f or 0x231c003f, or bytes in the order of memory; as drivers, `xxd`, `xxd -p` and
    /// `hexdump -C` print them.
    words: Vec<String>,
    /// Read the words from a text; `-` is standard input.
    #[arg(long, short, conflicts_with = "words")]
    input: Option<PathBuf>,
    /// Whose structure: 4, 5, 6, 7, 7.5, 8 or 9.
    #[arg(long, value_parser = generation, default_value = "5")]
    r#gen: Generation,
    /// Set a field, as "Min LOD=1.5", and print the words; they start as zeros if none are given.
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// Pack the state that a .json or .toml file of fields describes: media, sampler, sample-8x8, deinterlace.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "input", "set"])]
    from: Option<PathBuf>,
}

fn what(text: &str) -> Result<What, String> {
    let row = What::ALL.iter().find(|row| row.1 == text);
    let names = || What::ALL.map(|row| row.1).join(", ");
    row.map(|row| row.0)
        .ok_or_else(|| format!("expected one of {}", names()))
}

fn generation(text: &str) -> Result<Generation, String> {
    let all = Generation::numbered();
    let found = all.clone().find(|row| row.0 == text);
    found.map(|row| row.1).ok_or_else(|| {
        let names: Vec<&str> = all.map(|row| row.0).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl States {
    /// Runs the command.
    pub fn run(self, output: &mut Output) -> Exit {
        let packs = !self.set.is_empty() || self.from.is_some();
        let text = match (&self.input, &self.from) {
            (Some(path), _) | (None, Some(path)) => match load::text(path, MAX_TEXT) {
                Ok(text) => text,
                Err(error) => return output.complain(&error.to_string()),
            },
            (None, None) => self.words.join(" "),
        };
        let name = self.input.as_deref().or(self.from.as_deref());
        let name = name.unwrap_or(Path::new("words"));
        let mut source = Source::new(name.display().to_string(), text);
        let mut all = Span::new(0, source.text().trim_end().len() as u32);
        let mut dwords = Vec::new();
        let states = match self.from.is_some() {
            true => match described(self.kind, name, source.text()) {
                Ok(Described::Media(fields)) => fields
                    .description(self.r#gen)
                    .and_then(|described| of_media(&described)),
                Ok(Described::Sampler(sampler)) => of_sampler(&sampler, self.r#gen),
                Err(why) => return output.complain(&why),
            },
            false => {
                dwords = match dump::dwords(source.text()) {
                    Ok(dwords) => dwords,
                    Err(why) => match &self.words[..] {
                        [one] if one == "-" || Path::new(one).is_file() => {
                            return output
                                .complain(&format!("{why}; --input {one} reads them from there"));
                        }
                        _ => return output.complain(&why),
                    },
                };
                if dwords.is_empty() && !packs {
                    return output.complain("no words are given");
                }
                let mut words: Vec<u32> = dwords.iter().map(|dword| dword.value).collect();
                if let Err((why, ask)) = self.changed(&mut words) {
                    let option = Source::new("--set", ask);
                    let unset = Diagnostic {
                        message: "field cannot be set".to_string(),
                        ..why.at(Span::new(0, ask.len() as u32))
                    };
                    output.diagnostics(&[unset], &option);
                    return Exit::Command;
                }
                if packs {
                    // What is said of them is said of the words as they are then.
                    source = Source::new("words", packed(&words));
                    all = Span::new(0, source.text().trim_end().len() as u32);
                    dwords = dump::dwords(source.text()).unwrap_or_default();
                }
                decode(self.kind, self.r#gen, &words)
            }
        };
        let states = match states {
            Ok(states) => states,
            Err(why) => {
                output.diagnostics(&[why.at(all)], &source);
                return Exit::Program;
            }
        };
        let mut exit = Exit::Fine;
        for state in &states {
            output.text(&state.to_string());
            if packs {
                output.text(&format!("  words\n{}", packed(&state.words)));
            }
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

    /// Sets the fields that are asked for; why one cannot be, with the option's text.
    fn changed(&self, words: &mut Vec<u32>) -> Result<(), (Invalid, &str)> {
        for ask in &self.set {
            let of_ask = |why| (why, ask.as_str());
            let first = words.first().copied().unwrap_or_default();
            let structure = self.kind.structure(self.r#gen, first).map_err(of_ask)?;
            if words.is_empty() {
                words.resize(structure.dwords, 0);
            }
            set(structure, words, ask).map_err(of_ask)?;
        }
        Ok(())
    }
}

/// What a file of fields is about.
enum Described {
    Media(Box<MediaFields>),
    Sampler(Sampler),
}

/// The state that a file of fields describes.
fn described(what: What, path: &Path, text: &str) -> Result<Described, String> {
    let fields = sampler::fields(path, text.as_bytes());
    let fields = fields.map_err(|why| format!("{}: {why}", path.display()))?;
    fn made<T: DeserializeOwned>(path: &Path, fields: Value) -> Result<T, String> {
        serde_json::from_value(fields).map_err(|e| format!("{}: {e}", path.display()))
    }
    Ok(Described::Sampler(match what {
        What::Media => return made(path, fields).map(Described::Media),
        What::Sampler => Sampler::Texture(Arc::new(made(path, fields)?)),
        What::Sample8x8 | What::Tables8x8 => Sampler::Avs(Arc::new(made(path, fields)?)),
        What::Deinterlace => Sampler::Deinterlace(Arc::new(made(path, fields)?)),
        _ => {
            return Err(
                "files describe media, sampler, sample-8x8 and deinterlace states".to_string(),
            );
        }
    }))
}

/// Words in hexadecimal, as they are read.
fn packed(words: &[u32]) -> String {
    let rows = words.chunks(8).map(|row| {
        let row: Vec<String> = row.iter().map(|w| format!("{w:08x}")).collect();
        format!("  {}\n", row.join(" "))
    });
    rows.collect()
}
