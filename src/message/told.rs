//! Requests as people and programs read them.

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
        // Only maps whose keys are no texts cannot be JSON, and there are none.
        serde_json::to_value(self).unwrap_or_else(|_| json!(format!("{self:?}")))
    }
}

impl fmt::Display for Request {
    /// `media read: surface 3, field bottom, x 8, y 4, width 8, height 4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |name: &str| name.replace('_', " ");
        match self.json() {
            Value::Object(named) => named.iter().try_for_each(|(name, fields)| {
                f.write_str(&words(name))?;
                let fields = fields.as_object().into_iter().flatten();
                for (number, (name, value)) in fields.enumerate() {
                    let mark = if number == 0 { ':' } else { ',' };
                    write!(f, "{mark} {} {}", words(name), Told(value))?;
                }
                Ok(())
            }),
            name => f.write_str(&words(name.as_str().unwrap_or_default())),
        }
    }
}

/// The value of a field.
struct Told<'v>(&'v Value);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("none"),
            Value::Bool(true) => f.write_str("yes"),
            Value::Bool(false) => f.write_str("no"),
            Value::String(text) => f.write_str(text),
            Value::Array(all) => {
                let all: Vec<String> = all.iter().map(|v| Told(v).to_string()).collect();
                f.write_str(&all.join("/"))
            }
            other => other.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::{AvsRequest, FieldSelect, MediaBlock, Request};
    use crate::isa::{AvsControl, AvsMode, ChannelMask};

    #[test]
    fn requests_are_told_by_their_fields() {
        let read = Request::MediaRead(MediaBlock {
            surface: 3,
            field: FieldSelect::Bottom,
            x: -8,
            y: 4,
            width: 8,
            height: 4,
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
