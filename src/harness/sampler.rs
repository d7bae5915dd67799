//! Sampler states from the words of a directive: `filter=linear address=wrap`, `avs table0x=bilinear`,
//! `unorm linear=on`, `deinterlace state.toml`. Without a kind they are for the 3D sampler; `state` has its
//! packed words ([`super::states`]).
//!
//! A state is a kind, then `field=value` words and files of fields, later ones winning. A coefficient table is
//! a name or a file of rows.

use super::bind::Layer;
use super::directive::SamplerBinding;
use super::load::{self, FileError};
use super::states;
use super::words::nearest;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::bindings::Sampler;
use crate::sampler::SamplerState;
use crate::source::Spanned;
use crate::surface::Generation;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

type Wrong = Box<Diagnostic>;

/// The kinds of sampler state.
const KINDS: [&str; 5] = ["3d", "state", "avs", "unorm", "deinterlace"];

/// The largest file of fields.
const MAX_FILE: u64 = 1 << 20;

/// The state that a directive describes; with it, what its packed words deserve to be said of.
///
/// # Errors
/// `E0705` at the word that has no meaning, `E0702` at a file that cannot be used; the rule that packed
/// words break.
pub fn state(
    layer: &Layer,
    ask: &SamplerBinding,
    generation: Generation,
) -> Result<(Sampler, Vec<Diagnostic>), Wrong> {
    if ask.words.first().is_some_and(|kind| kind.node == "state") {
        let (state, remarks) = states::sampler(layer, ask, generation)?;
        return Ok((Sampler::Texture(Arc::new(state)), remarks));
    }
    described(layer, ask).map(|state| (state, Vec::new()))
}

/// The state that fields by name describe.
fn described(layer: &Layer, ask: &SamplerBinding) -> Result<Sampler, Wrong> {
    let Some(kind) = ask.words.first() else {
        return Err(wrong(&ask.name, "the sampler's kind is missing"));
    };
    if kind.contains('=') || is_file(kind) {
        let state: SamplerState = read(layer, kind, &ask.words)?;
        return Ok(Sampler::Texture(Arc::new(state)));
    }
    let words = &ask.words[1..];
    match kind.node.as_str() {
        "3d" => Ok(Sampler::Texture(Arc::new(read::<SamplerState>(
            layer, kind, words,
        )?))),
        "avs" => Ok(Sampler::Avs(Arc::new(read(layer, kind, words)?))),
        "unorm" => Ok(Sampler::Unorm(read(layer, kind, words)?)),
        "deinterlace" => Ok(Sampler::Deinterlace(Arc::new(read(layer, kind, words)?))),
        other => {
            let unknown = wrong(kind, "no such kind of sampler");
            Err(Box::new(match nearest(other, KINDS) {
                Some(meant) => unknown.help(format!("did you mean {meant}?")),
                None => unknown.help(format!("kinds: {}", KINDS.join(" "))),
            }))
        }
    }
}

/// A state of one kind from the words behind the kind.
fn read<T: DeserializeOwned>(
    layer: &Layer,
    kind: &Spanned<String>,
    words: &[Spanned<String>],
) -> Result<T, Wrong> {
    let mut fields = Map::new();
    for word in words {
        match word.split_once('=') {
            Some((key, value)) => {
                let value = match is_file(value) {
                    true => rows(file(layer, word, value)?),
                    false => field(value),
                };
                fields.insert(key.to_string(), value);
            }
            None if is_file(word) => match file(layer, word, word)? {
                Value::Object(more) => fields.extend(more),
                _ => return Err(wrong(word, "the file holds no fields")),
            },
            None => return Err(wrong(word, "neither key=value nor a .json or .toml file")),
        }
        // Read after each word, so that a mistake is reported at the word that made it.
        made::<T>(&fields).map_err(|why| wrong(word, why))?;
    }
    made(&fields).map_err(|why| wrong(kind, why))
}

fn wrong(at: &Spanned<String>, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0705).at(at.span, label))
}

fn made<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(fields.clone())).map_err(|e| e.to_string())
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

fn is_file(word: &str) -> bool {
    word.ends_with(".json") || word.ends_with(".toml")
}

/// A table is a list of rows; TOML, which has no bare lists, calls it `rows`.
fn rows(value: Value) -> Value {
    match value {
        Value::Object(mut table) if table.len() == 1 && table.contains_key("rows") => {
            table.remove("rows").unwrap_or_default()
        }
        other => other,
    }
}

/// What a JSON or TOML file holds; `at` is the word that names it.
fn file(layer: &Layer, at: &Spanned<String>, path: &str) -> Result<Value, Wrong> {
    let unusable = |code, why: String| Box::new(Diagnostic::new(code).at(at.span, why));
    let path = layer.folder.join(path.trim_matches('"'));
    let bytes = load::bytes(&path, MAX_FILE).map_err(|error| {
        let code = match error {
            FileError::TooLong { .. } => Code::L0713,
            _ => Code::E0702,
        };
        unusable(code, error.to_string())
    })?;
    fields(&path, &bytes).map_err(|why| unusable(Code::E0702, why))
}

/// The value that a file of fields holds.
///
/// # Errors
/// In words: what is wrong with the text.
pub fn fields(path: &Path, bytes: &[u8]) -> Result<Value, String> {
    if path.extension().is_some_and(|e| e == "toml") {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        toml::from_str(text).map_err(|e| e.to_string())
    } else {
        serde_json::from_slice(bytes).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::avs::tables::{Table, Taps8};

    #[test]
    fn a_table_comes_from_json_or_toml() {
        let row = [0, 0, 0, 64, 0, 0, 0, 0];
        let list = format!("{:?}", vec![row; 17]);
        let of = |name: &str, text: String| -> Taps8 {
            let value = rows(fields(Path::new(name), text.as_bytes()).unwrap());
            serde_json::from_value(value).unwrap()
        };
        let json = of("t.json", list.clone());
        let toml = of("t.toml", format!("rows = {list}"));
        assert_eq!(json, toml);
        assert_eq!(json.row(16), Taps8::named("identity").unwrap().row(16));
        assert!(fields(Path::new("t.toml"), b"rows = [").is_err());
        assert_eq!(Table::<8>::named("identity"), Table::<8>::named("nearest"));
    }
}
