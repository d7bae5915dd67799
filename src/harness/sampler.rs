//! Sampler states from the words of a directive: `filter=linear address=wrap`, `avs table0x=bilinear`,
//! `avs state.json`. Without a kind they are for the 3D sampler.

use super::bind::Layer;
use super::directive::SamplerBinding;
use super::load::{self, FileError};
use super::words::nearest;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::bindings::Sampler;
use crate::sampler::SamplerState;
use crate::sampler::avs::AvsSampler;
use crate::source::Spanned;
use serde_json::{Map, Value, json};
use std::sync::Arc;

type Wrong = Box<Diagnostic>;

/// The kinds of sampler state: of the 3D sampler, and of the video scaler.
const KINDS: [&str; 2] = ["3d", "avs"];

/// The state that a directive describes.
///
/// # Errors
/// `E0705` at the word that has no meaning, `E0702` at a file that cannot be used.
pub fn state(layer: &Layer, ask: &SamplerBinding) -> Result<Sampler, Wrong> {
    let Some(first) = ask.words.first() else {
        return Err(wrong(&ask.name, "the sampler's kind is missing"));
    };
    let (kind, words) = match first.node.as_str() {
        word if word.contains('=') || word.ends_with(".json") => ("3d", &ask.words[..]),
        word => (word, &ask.words[1..]),
    };
    let Some(&kind) = KINDS.iter().find(|known| **known == kind) else {
        let unknown = wrong(first, "no such kind of sampler");
        return Err(Box::new(match nearest(kind, KINDS) {
            Some(meant) => unknown.help(format!("did you mean {meant}?")),
            None => unknown.help(format!("kinds: {}", KINDS.join(" "))),
        }));
    };
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
        read(kind, &fields).map_err(|why| wrong(word, why))?;
    }
    read(kind, &fields).map_err(|why| wrong(first, why))
}

fn wrong(at: &Spanned<String>, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0705).at(at.span, label))
}

fn read(kind: &str, fields: &Map<String, Value>) -> Result<Sampler, String> {
    let fields = Value::Object(fields.clone());
    if kind == "avs" {
        let state = serde_json::from_value::<AvsSampler>(fields).map_err(|e| e.to_string())?;
        return Ok(Sampler::Avs(Arc::new(state)));
    }
    let state = serde_json::from_value::<SamplerState>(fields).map_err(|e| e.to_string())?;
    Ok(Sampler::Texture(Arc::new(state)))
}

/// `on`, `off`, a number, or a name.
fn field(text: &str) -> Value {
    let text = text.trim_matches('"');
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    match text {
        "on" | "true" => json!(true),
        "off" | "false" => json!(false),
        _ => match (text.parse::<u32>(), text.parse::<f64>()) {
            (Ok(n), _) => json!(n),
            (_, Ok(x)) if numeric => json!(x),
            _ => json!(text),
        },
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
