//! Sampler states from the words of a directive: `avs`, `avs table0x=bilinear`, `avs state.json`.

use super::bind::Layer;
use super::directive::SamplerBinding;
use super::load::{self, FileError};
use super::words::nearest;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::bindings::Sampler;
use crate::sampler::avs::AvsSampler;
use crate::source::Spanned;
use serde_json::{Map, Value, json};
use std::sync::Arc;

type Wrong = Box<Diagnostic>;

/// The kinds of sampler state.
const KINDS: [&str; 1] = ["avs"];

/// The state that a directive describes.
///
/// # Errors
/// `E0705` at the word that has no meaning, `E0702` at a file that cannot be used.
pub fn state(layer: &Layer, ask: &SamplerBinding) -> Result<Sampler, Wrong> {
    let Some((kind, words)) = ask.words.split_first() else {
        return Err(wrong(&ask.name, "the sampler's kind is missing"));
    };
    if kind.node != "avs" {
        let unknown = wrong(kind, "no such kind of sampler");
        return Err(Box::new(match nearest(&kind.node, KINDS) {
            Some(meant) => unknown.help(format!("did you mean {meant}?")),
            None => unknown.help(format!("kinds: {}", KINDS.join(" "))),
        }));
    }
    let mut fields = Map::new();
    for word in words {
        match word.split_once('=') {
            Some((key, value)) => {
                fields.insert(key.to_string(), field(value));
            }
            None if word.ends_with(".json") => fields.extend(file(layer, word)?),
            None => return Err(wrong(word, "neither key=value nor a .json file")),
        }
        // Read after each word, so that a mistake is reported at the word that made it.
        read(&fields).map_err(|why| wrong(word, why))?;
    }
    let state = read(&fields).map_err(|why| wrong(kind, why))?;
    Ok(Sampler::Avs(Arc::new(state)))
}

fn wrong(at: &Spanned<String>, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0705).at(at.span, label))
}

fn read(fields: &Map<String, Value>) -> Result<AvsSampler, String> {
    serde_json::from_value(Value::Object(fields.clone())).map_err(|e| e.to_string())
}

/// `on`, `off`, a number, or a name.
fn field(text: &str) -> Value {
    let text = text.trim_matches('"');
    match text {
        "on" | "true" => json!(true),
        "off" | "false" => json!(false),
        _ => text.parse::<u32>().map_or(json!(text), |n| json!(n)),
    }
}

/// The fields of a JSON file.
fn file(layer: &Layer, path: &Spanned<String>) -> Result<Map<String, Value>, Wrong> {
    let unusable = |code, why: String| Box::new(Diagnostic::new(code).at(path.span, why));
    let bytes = load::bytes(&layer.folder.join(&path.node), 1 << 20).map_err(|error| {
        let code = match error {
            FileError::TooLong { .. } => Code::L0713,
            _ => Code::E0702,
        };
        unusable(code, error.to_string())
    })?;
    serde_json::from_slice(&bytes).map_err(|e| unusable(Code::E0702, e.to_string()))
}
