//! Sampler state as the scaler reads it. Source: AVS reference 3.1 and 3.8.

use super::ief::IefState;
use super::tables::{POLYPHASE_4, POLYPHASE_8, Taps4, Taps8};
use serde::{Deserialize, Deserializer, de::Error as _};

/// Which filter turns a footprint into a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterType {
    /// Polyphase taps, blended with a smooth filter by a weight.
    Adaptive,
    /// The nearest texel. Gen8 and later program this through the tables.
    Nearest,
}

/// How many taps each channel has, and which blend with the smooth filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "u8")]
pub enum TapMode {
    /// Four taps on every channel, never blended.
    Four,
    /// Eight taps on G/Y, blended; four on the others.
    EightOnGreen,
    /// Eight taps on every channel, never blended.
    Eight,
    /// Eight taps on every channel, blended.
    EightAdaptive,
}

impl TryFrom<u8> for TapMode {
    type Error = String;

    fn try_from(mode: u8) -> Result<TapMode, String> {
        match mode {
            0 => Ok(TapMode::Four),
            1 => Ok(TapMode::EightOnGreen),
            2 => Ok(TapMode::Eight),
            3 => Ok(TapMode::EightAdaptive),
            _ => Err(format!("tap_mode is 0..=3, not {mode}")),
        }
    }
}

impl TapMode {
    /// Whether this mode ever blends with the smooth filter.
    pub const fn adapts(self) -> bool {
        matches!(self, TapMode::EightOnGreen | TapMode::EightAdaptive)
    }
}

/// State of the adaptive video scaler.
///
/// The JSON form has the same field names; a missing field has the value of [`AvsSampler::default`].
/// Tables are rows of integers (64 = 1.0) or names, see [`super::tables::Table::named`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AvsSampler {
    /// Adaptive or nearest.
    pub avs_filter_type: FilterType,
    /// Taps for each channel.
    pub tap_mode: TapMode,
    /// 16x4 blocks are returned as two 8x4 halves.
    pub output_shuffle: bool,
    /// The image enhancement filter runs unless the message bypasses it.
    pub ief_enable: bool,
    /// How it enhances.
    pub ief: IefState,
    /// Weight of the sharp filter in a direction without adaptive weights: 0 smooth, 255 sharp.
    pub default_sharpness: u8,
    /// The weight across x is `default_sharpness`.
    pub bypass_x: bool,
    /// The weight across y is `default_sharpness`.
    pub bypass_y: bool,
    /// Largest step between the four centre texels of a flat centre.
    pub max_derivative_4: u8,
    /// Largest step between the eight texels of a footprint without an edge.
    pub max_derivative_8: u8,
    /// log2 of the range above `max_derivative_4` in which flatness fades, 0..=7.
    #[serde(deserialize_with = "three_bits")]
    pub transition_4: u8,
    /// log2 of the range above `max_derivative_8` in which an edge appears, 0..=7.
    #[serde(deserialize_with = "three_bits")]
    pub transition_8: u8,
    /// R, B and A blend like G.
    pub adaptive_all_channels: bool,
    /// The guide of 4:4:4 surfaces is `(R + 2G + B) >> 2` in place of G.
    pub rgb_adaptive: bool,
    /// Texels within the key are replaced by zero.
    pub chroma_key_enable: bool,
    /// Entry of Gen5's chroma key table that a packed state names, 0..=3. The bounds themselves are below.
    #[serde(deserialize_with = "two_bits")]
    pub chroma_key_index: u8,
    /// Lower bounds of the key: A, R, G, B from the high byte down.
    #[serde(deserialize_with = "argb")]
    pub chroma_key_low: u32,
    /// Upper bounds, inclusive.
    #[serde(deserialize_with = "argb")]
    pub chroma_key_high: u32,
    /// Eight taps across x, for Y/G.
    pub table0x: Taps8,
    /// Eight taps across y, for Y/G.
    pub table0y: Taps8,
    /// Four taps across x, for the other channels.
    pub table1x: Taps4,
    /// Four taps across y, for the other channels.
    pub table1y: Taps4,
}

/// What a host gets that binds no state. Source: AVS reference 3.1, last paragraph of the table.
impl Default for AvsSampler {
    fn default() -> AvsSampler {
        AvsSampler {
            avs_filter_type: FilterType::Adaptive,
            tap_mode: TapMode::EightOnGreen,
            output_shuffle: false,
            ief_enable: false,
            ief: IefState::default(),
            default_sharpness: 255,
            bypass_x: true,
            bypass_y: true,
            max_derivative_4: 7,
            max_derivative_8: 20,
            transition_4: 4,
            transition_8: 5,
            adaptive_all_channels: false,
            rgb_adaptive: false,
            chroma_key_enable: false,
            chroma_key_index: 0,
            chroma_key_low: 0,
            chroma_key_high: 0,
            table0x: POLYPHASE_8.clone(),
            table0y: POLYPHASE_8.clone(),
            table1x: POLYPHASE_4.clone(),
            table1y: POLYPHASE_4.clone(),
        }
    }
}

/// Reads four bytes of a colour key, as a number or as text `"0xAARRGGBB"`.
///
/// # Errors
/// The text is not that.
pub fn argb<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u32),
        Text(String),
    }
    match Written::deserialize(deserializer)? {
        Written::Number(key) => Ok(key),
        Written::Text(text) => text
            .strip_prefix("0x")
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| {
                D::Error::custom(format!("a colour key is \"0xAARRGGBB\", not {text:?}"))
            }),
    }
}

fn two_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    match u8::deserialize(deserializer)? {
        value @ 0..=3 => Ok(value),
        value => Err(D::Error::custom(format!(
            "a chroma key index is 0..=3, not {value}"
        ))),
    }
}

fn three_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    match u8::deserialize(deserializer)? {
        value @ 0..=7 => Ok(value),
        value => Err(D::Error::custom(format!(
            "a transition is 0..=7, not {value}"
        ))),
    }
}
