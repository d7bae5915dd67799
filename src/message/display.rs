//! Requests as text and as JSON.

use super::request::Request;
use serde::Serializer;
use serde_json::{Value, json};
use std::fmt;

/// A number; JSON has no word for infinities and NaN, which become text.
pub(super) fn number<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(value.to_string().parse().unwrap_or(f64::from(*value)))
    } else {
        serializer.collect_str(value)
    }
}

impl Request {
    /// What is asked and its fields: `{"media_read": {"surface": 3, …}}`; the name alone if there are none.
    pub fn json(&self) -> Value {
        // Only maps whose keys are not texts cannot be JSON, and there are none.
        serde_json::to_value(self).unwrap_or_else(|_| json!(format!("{self:?}")))
    }
}

impl fmt::Display for Request {
    /// `media read: surface 3, field bottom, x 8, y 4, width 8, height 4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.json() {
            Value::Object(named) => named.iter().try_for_each(|(name, fields)| {
                f.write_str(&words(name))?;
                write_fields(fields, &mut ':', f)
            }),
            name => f.write_str(&words(name.as_str().unwrap_or_default())),
        }
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Writes fields with their values, `mark` in front of the first; the fields of a part as if they were the whole's.
fn write_fields(fields: &Value, mark: &mut char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match fields {
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| match value {
            Value::Object(_) => write_fields(value, mark, f),
            value => {
                write!(f, "{mark} {} {}", words(name), Plain(value))?;
                *mark = ',';
                Ok(())
            }
        }),
        Value::Array(parts) => parts
            .iter()
            .try_for_each(|part| write_fields(part, mark, f)),
        value => {
            write!(f, "{mark} {}", Plain(value))?;
            *mark = ',';
            Ok(())
        }
    }
}

/// The value of a field, as text.
struct Plain<'v>(&'v Value);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("none"),
            Value::Bool(true) => f.write_str("yes"),
            Value::Bool(false) => f.write_str("no"),
            Value::String(text) => f.write_str(text),
            Value::Array(all) => {
                let all: Vec<String> = all.iter().map(|v| Plain(v).to_string()).collect();
                f.write_str(&all.join("/"))
            }
            other => other.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::{AvsRequest, Cache, DataPath, FieldSelect, MediaBlock, Request};
    use crate::isa::{AvsControl, AvsMode, ChannelMask};

    #[test]
    fn what_only_gen5_has_is_shown_where_it_is_not_the_default() {
        let block = MediaBlock {
            surface: 3,
            field: FieldSelect::Top,
            x: -8,
            y: 4,
            width: 8,
            height: 4,
            path: DataPath::DEFAULT,
        };
        let text = "surface 3, field top, x -8, y 4, width 8, height 4";
        let read = Request::MediaRead(block);
        assert_eq!(read.to_string(), format!("media read: {text}"));
        let path = DataPath {
            cache: Cache::Sampler,
            ..DataPath::DEFAULT
        };
        let read = Request::MediaRead(MediaBlock { path, ..block });
        let more = "cache sampler cache, base 0, commit no";
        assert_eq!(read.to_string(), format!("media read: {text}, {more}"));
        assert_eq!(
            Request::FlushRender { commit: false }.to_string(),
            "flush render: commit no"
        );
        assert_eq!(Request::NullEnd.to_string(), "null end");
    }

    #[test]
    fn requests_are_shown_by_their_fields() {
        let read = Request::MediaRead(MediaBlock {
            surface: 3,
            field: FieldSelect::Bottom,
            x: -8,
            y: 4,
            width: 8,
            height: 4,
            path: DataPath::DEFAULT,
        });
        let text = "media read: surface 3, field bottom, x -8, y 4, width 8, height 4";
        assert_eq!(read.to_string(), text);
        assert_eq!(read.json()["media_read"]["x"], -8);
        assert_eq!(Request::EndOfThread.to_string(), "end of thread");
        let avs = Request::Avs(AvsRequest {
            surface: 6,
            sampler: 0,
            channels: ChannelMask(0b101),
            control: AvsControl::ALL[0].0,
            mode: AvsMode::ALL[0].0,
            u: 0.1,
            v: f32::NAN,
            delta_u: 0.5,
            delta_v: 0.0,
            u2d: 0.0,
            v2d: 0.0,
            group_id: 0,
            vertical_block: 0,
            ief_bypass: true,
        });
        let text = avs.to_string();
        assert!(
            text.contains("channels RB,") && text.contains("u 0.1, v NaN,"),
            "{text}"
        );
        assert!(text.ends_with("ief bypass yes"), "{text}");
        assert_eq!(avs.json()["avs"]["mode"], AvsMode::ALL[0].2);
    }
}
