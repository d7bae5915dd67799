//! Sampler states from the words of a directive: `filter=linear address=wrap`, `avs table0x=bilinear`,
//! `unorm linear=on`, `deinterlace state.toml`. Without a kind they are for the 3D sampler; `state` has its
//! packed words, as have `avs state` and `deinterlace state` ([`super::states`]).
//!
//! A state is a kind, then `field=value` words and files of fields, later ones winning. A coefficient table is
//! a name or a file of rows.

use super::bind::Layer;
use super::directive::SamplerBinding;
use super::load::{self, FileError};
use super::states;
use super::words::{clause, nearest};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::bindings::Sampler;
use crate::sampler::SamplerState;
use crate::sampler::packed::{level, most_lod};
use crate::sampler::settings::Filter;
use crate::sampler::state as packed;
use crate::source::Spanned;
use crate::surface::{Generation, Invalid};
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
    described(layer, ask, generation)
}

/// The state that fields by name describe; with it, what the words it is packed to deserve to be said of.
fn described(
    layer: &Layer,
    ask: &SamplerBinding,
    generation: Generation,
) -> Result<(Sampler, Vec<Diagnostic>), Wrong> {
    let Some(kind) = ask.words.first() else {
        return Err(wrong(&ask.name, "the sampler's kind is missing"));
    };
    if kind.contains('=') || is_file(kind) {
        return texture(layer, kind, &ask.words, generation);
    }
    let words = &ask.words[1..];
    if words.first().is_some_and(|word| word.node == "state") {
        return match kind.node.as_str() {
            "avs" => states::scaler(layer, ask, generation)
                .map(|(state, remarks)| (Sampler::Avs(Arc::new(state)), remarks)),
            "deinterlace" => states::deinterlacer(layer, ask, generation)
                .map(|(state, remarks)| (Sampler::Deinterlace(Arc::new(state)), remarks)),
            _ => Err(wrong(
                &words[0],
                "packed words are of `state`, `avs state` and `deinterlace state`",
            )),
        };
    }
    let plain = |sampler| (sampler, Vec::new());
    match kind.node.as_str() {
        "3d" => texture(layer, kind, words, generation),
        "avs" => Ok(plain(Sampler::Avs(Arc::new(read(
            layer, kind, words, made,
        )?)))),
        "unorm" => Ok(plain(Sampler::Unorm(read(layer, kind, words, made)?))),
        "deinterlace" => Ok(plain(Sampler::Deinterlace(Arc::new(read(
            layer, kind, words, made,
        )?)))),
        other => {
            let unknown = wrong(kind, "no such kind of sampler");
            Err(Box::new(match nearest(other, KINDS) {
                Some(meant) => unknown.help(format!("did you mean {meant}?")),
                None => unknown.help(format!("kinds: {}", KINDS.join(" "))),
            }))
        }
    }
}

/// A state of the 3D sampler, which has to have a packed state of the generation.
fn texture(
    layer: &Layer,
    kind: &Spanned<String>,
    words: &[Spanned<String>],
    generation: Generation,
) -> Result<(Sampler, Vec<Diagnostic>), Wrong> {
    let held = |fields: &Fields, at: &Spanned<String>| held(fields, at, generation);
    let (state, remarks) = read(layer, kind, words, held)?;
    let mono = [state.min, state.mag].contains(&Filter::Mono);
    for (idle, keys, label) in [
        (
            !mono,
            "mono_",
            "the size of the monochrome filter, which is not enabled",
        ),
        (
            state.key.is_none(),
            "key_",
            "the range of the chroma key, which is not enabled",
        ),
    ] {
        if let Some(word) = words.iter().find(|word| idle && word.starts_with(keys)) {
            let help = if keys == "key_" {
                "key=kill or key=black"
            } else {
                "filter=mono"
            };
            return Err(Box::new((*wrong(word, label)).help(help)));
        }
    }
    Ok((Sampler::Texture(Arc::new(state)), remarks))
}

/// The levels of detail of a sampler state, and their fields.
const LEVELS: [(&str, &str); 4] = [
    ("lod_bias", "Texture LOD Bias"),
    ("min_lod", "Min LOD"),
    ("max_lod", "Max LOD"),
    ("base_level", "Base Mip Level"),
];

/// The state that fields say, if the packed state of the generation can say it too; with it, what the words of
/// that state deserve to be said of. Source: surface reference 5.5.
fn held(
    fields: &Fields,
    at: &Spanned<String>,
    generation: Generation,
) -> Result<(SamplerState, Vec<Diagnostic>), Wrong> {
    let invalid = |why: Invalid| Box::new(why.at(at.span));
    let structure = packed::structure(generation);
    for (key, name) in LEVELS {
        // Levels count 1/256 from here on: steps of the field are distinguished from the plain number.
        let Some(said) = fields.get(key) else {
            continue;
        };
        let Some(number) = said.as_f64() else {
            return Err(wrong(at, format!("{key} is a number of levels, as 0.5")));
        };
        if let Some(field) = structure.field(name) {
            level(field, number).map_err(invalid)?;
        }
    }
    let mut state: SamplerState = made(fields, at)?;
    if !fields.contains_key("max_lod") {
        // No limit at all is the greatest that the field can say.
        state.max_lod = state.max_lod.min(most_lod(generation));
    }
    let words = state.words(generation).map_err(invalid)?;
    let (remarks, faults): (Vec<_>, Vec<_>) =
        (packed::rules::check(generation, &words).into_iter()).partition(Invalid::is_remark);
    match faults.into_iter().next() {
        Some(fault) => Err(invalid(fault)),
        None => Ok((
            state,
            remarks.iter().map(|remark| remark.at(at.span)).collect(),
        )),
    }
}

/// Fields by name.
type Fields = Map<String, Value>;

/// A state of one kind from the words after the kind; `make` makes it of fields, and tells a mistake at the word
/// that made it.
fn read<T>(
    layer: &Layer,
    kind: &Spanned<String>,
    words: &[Spanned<String>],
    make: impl Fn(&Fields, &Spanned<String>) -> Result<T, Wrong>,
) -> Result<T, Wrong> {
    let mut fields = Map::new();
    let mut after = Vec::new();
    for word in words {
        match clause(word.as_word()) {
            Some((key, value)) => {
                let value = match is_file(value.node) {
                    true => rows(file(layer, word, value.node)?),
                    false => field(value.node),
                };
                fields.insert(key.node.to_string(), value);
            }
            None if is_file(word) => match file(layer, word, word)? {
                Value::Object(more) => fields.extend(more),
                _ => return Err(wrong(word, "the file has no fields")),
            },
            None => return Err(wrong(word, "neither key=value nor a .json or .toml file")),
        }
        after.push((fields.clone(), word));
    }
    let whole = make(&fields, words.last().unwrap_or(kind));
    // What all words say together counts; a mistake is reported at the word since which nothing was right.
    let made = after.iter().rev().map(|(fields, word)| make(fields, word));
    let mistake = made.map_while(Result::err).last();
    match mistake {
        Some(mistake) => Err(mistake),
        None => whole,
    }
}

fn wrong(at: &Spanned<String>, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0705).at(at.span, label))
}

fn made<T: DeserializeOwned>(fields: &Fields, at: &Spanned<String>) -> Result<T, Wrong> {
    let made = serde_json::from_value(Value::Object(fields.clone()));
    made.map_err(|why| wrong(at, why.to_string()))
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
    let bytes = load::bytes_from(&*layer.files, &path, MAX_FILE).map_err(|error| {
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
