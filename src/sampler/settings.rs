//! SAMPLER_STATE as a value: how coordinates become texels and texels become results.
//!
//! The fields are those of the binary structure ([`super::state`]) with units resolved: levels of detail
//! count 1/256 level, the border colour and the chroma key are here and not behind a pointer.
//!
//! Source: PRM 4.10.3; surface reference 5.5, 5.6; defaults are visim's own.

use serde::{Deserialize, Deserializer, de::Error as _};

/// What happens to texel indices outside the map. Source: surface reference 4.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// The map repeats.
    Wrap,
    /// It repeats, every second time reflected.
    Mirror,
    /// The edge texel goes on.
    Clamp,
    /// Faces of a cube join.
    Cube,
    /// Border colour.
    Border,
    /// Reflected once about 0, then as clamp.
    MirrorOnce,
    /// Coordinates clamped to the map, then as border (Gen8 and later).
    HalfBorder,
}

impl Address {
    /// The value of the field.
    pub const fn code(self) -> u32 {
        match self {
            Address::Wrap => 0,
            Address::Mirror => 1,
            Address::Clamp => 2,
            Address::Cube => 3,
            Address::Border => 4,
            Address::MirrorOnce => 5,
            Address::HalfBorder => 6,
        }
    }

    /// The value of a TCX, TCY or TCZ Address Control Mode field.
    pub const fn from_code(code: u32) -> Option<Address> {
        Some(match code {
            0 => Address::Wrap,
            1 => Address::Mirror,
            2 => Address::Clamp,
            3 => Address::Cube,
            4 => Address::Border,
            5 => Address::MirrorOnce,
            6 => Address::HalfBorder,
            _ => return None,
        })
    }
}

/// How texels of a level become a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The texel the position lies in.
    Nearest,
    /// The two, four or eight around it, by distance.
    Linear,
    /// Several linear ones along the longer axis of the pixel.
    Anisotropic,
    /// A box of one-bit texels.
    Mono,
}

impl Filter {
    /// The value of the field.
    pub const fn code(self) -> u32 {
        match self {
            Filter::Nearest => 0,
            Filter::Linear => 1,
            Filter::Anisotropic => 2,
            Filter::Mono => 6,
        }
    }

    /// The value of a Min or Mag Mode Filter field.
    pub const fn from_code(code: u32) -> Option<Filter> {
        Some(match code {
            0 => Filter::Nearest,
            1 => Filter::Linear,
            2 => Filter::Anisotropic,
            6 => Filter::Mono,
            _ => return None,
        })
    }
}

/// How mip levels are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MipFilter {
    /// One level whatever the level of detail.
    None,
    /// The nearest level.
    Nearest,
    /// A blend of two.
    Linear,
}

impl MipFilter {
    /// The value of the field.
    pub const fn code(self) -> u32 {
        match self {
            MipFilter::None => 0,
            MipFilter::Nearest => 1,
            MipFilter::Linear => 3,
        }
    }

    /// The value of the Mip Mode Filter field.
    pub const fn from_code(code: u32) -> Option<MipFilter> {
        Some(match code {
            0 => MipFilter::None,
            1 => MipFilter::Nearest,
            3 => MipFilter::Linear,
            _ => return None,
        })
    }
}

/// Shadow Function: how a texel is compared with the reference, the texel on the left.
///
/// Where the comparison holds the texel becomes 0, else 1: the sense of the hardware, which is the
/// inverse of the graphics interfaces' functions of the same names. Source: PRM 4.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[rustfmt::skip]
#[allow(missing_docs)] // names say it
pub enum Shadow { Always, Never, Less, Equal, Lequal, Greater, Notequal, Gequal }

impl Shadow {
    /// The value of the field.
    pub const fn code(self) -> u32 {
        self as u32
    }

    const ALL: [Shadow; 8] = [
        Shadow::Always,
        Shadow::Never,
        Shadow::Less,
        Shadow::Equal,
        Shadow::Lequal,
        Shadow::Greater,
        Shadow::Notequal,
        Shadow::Gequal,
    ];

    /// The value of the Shadow Function field.
    pub fn from_code(code: u32) -> Option<Shadow> {
        Shadow::ALL.get(code as usize).copied()
    }
}

/// What becomes of texels within the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyMode {
    /// The pixel's kill flag is set.
    Kill,
    /// The texel is replaced by zero.
    Black,
}

/// A chroma key: bounds are A, R, G, B from the high byte down, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChromaKey {
    /// What becomes of what matches.
    pub mode: KeyMode,
    /// Lower bounds.
    pub low: u32,
    /// Upper bounds.
    pub high: u32,
}

/// The border colour as its structure holds it. Source: surface reference 5.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Border {
    /// Four floats, or integers where the format returns integers (Gen4; Gen8 and later).
    Channels([u32; 4]),
    /// Six encodings of one colour in twelve dwords (Gen5, Gen6).
    Encodings([u32; 12]),
}

/// Minimum and maximum in place of a weighted sum (Gen9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduction {
    /// The weighted sum.
    Standard,
    /// The least texel.
    Minimum,
    /// The greatest texel.
    Maximum,
}

/// One sampler state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerState {
    /// Everything reads 0.
    pub disable: bool,
    /// Filter where the map is made smaller.
    pub min: Filter,
    /// Filter where it is made larger.
    pub mag: Filter,
    /// Choice of levels.
    pub mip: MipFilter,
    /// Address control of u, v, r.
    pub address: [Address; 3],
    /// Positions of u, v, r are rounded to 1/256 texel, not cut, with the mag filter.
    pub round_mag: [bool; 3],
    /// The same with the min filter.
    pub round_min: [bool; 3],
    /// Border colour.
    pub border: Border,
    /// Added to every level of detail; 1/256 levels, as all levels here.
    pub lod_bias: i32,
    /// Least level of detail.
    pub min_lod: i32,
    /// Greatest level of detail.
    pub max_lod: i32,
    /// Where magnification ends (Gen4 to Gen7.5; later the surface state has it).
    pub base_level: i32,
    /// The level of detail is clamped before magnification is decided.
    pub preclamp: bool,
    /// The mip filter chooses the level of magnified maps too (Gen9).
    pub clamp_magnified: bool,
    /// Greatest ratio of the anisotropic filter: 2, 4 … 16.
    pub max_anisotropy: u32,
    /// Comparison of the `_c` messages.
    pub shadow: Shadow,
    /// Chroma key, if enabled.
    pub key: Option<ChromaKey>,
    /// Cubes are addressed across their edges whatever the address modes say.
    pub cube_override: bool,
    /// Width and height of the monochrome filter, 1..=7.
    pub mono: (u32, u32),
    /// Coordinates count texels (Gen8 and later).
    pub unnormalized: bool,
    /// What is done with the texels of a footprint.
    pub reduction: Reduction,
}

/// Nearest texel, one level, clamped.
impl Default for SamplerState {
    fn default() -> SamplerState {
        SamplerState {
            disable: false,
            min: Filter::Nearest,
            mag: Filter::Nearest,
            mip: MipFilter::None,
            address: [Address::Clamp; 3],
            round_mag: [false; 3],
            round_min: [false; 3],
            border: Border::Channels([0; 4]),
            lod_bias: 0,
            min_lod: 0,
            max_lod: MOST_LOD,
            base_level: 0,
            preclamp: false,
            clamp_magnified: false,
            max_anisotropy: 16,
            shadow: Shadow::Always,
            key: None,
            cube_override: false,
            mono: (1, 1),
            unnormalized: false,
            reduction: Reduction::Standard,
        }
    }
}

/// Level 14, the greatest a surface can have.
const MOST_LOD: i32 = 14 << 8;

impl SamplerState {
    /// With the filter in use for both directions and rounding as drivers set it: on for linear, off for
    /// nearest. Source: surface reference 4.2.
    #[must_use]
    pub fn filtered(self, min: Filter, mag: Filter) -> SamplerState {
        SamplerState {
            min,
            mag,
            round_min: [min != Filter::Nearest; 3],
            round_mag: [mag != Filter::Nearest; 3],
            ..self
        }
    }

    /// Whether the fields go together. Source: PRM 4.10.3; surface reference 4.2, 4.10.
    ///
    /// # Errors
    /// A sentence with the rule.
    pub fn check(&self) -> Result<(), String> {
        let rule = |broken: bool, what: &str| {
            if broken {
                Err(what.to_string())
            } else {
                Ok(())
            }
        };
        let flat =
            |mode: Address| matches!(mode, Address::Clamp | Address::Border | Address::HalfBorder);
        let mono = self.min == Filter::Mono || self.mag == Filter::Mono;
        let (width, height) = self.mono;
        rule(
            self.unnormalized && !self.address.iter().all(|&mode| flat(mode)),
            "coordinates in texels need address mode clamp or border",
        )?;
        rule(
            self.unnormalized && self.mip != MipFilter::None,
            "coordinates in texels need mip filter none",
        )?;
        rule(
            mono && !((1..=7).contains(&width) && (1..=7).contains(&height)),
            "the monochrome filter is 1 to 7 texels wide and high",
        )?;
        rule(
            !matches!(self.max_anisotropy, 2..=16) || self.max_anisotropy % 2 == 1,
            "the anisotropy ratio is 2, 4, 6, 8, 10, 12, 14 or 16",
        )?;
        let levels = 0..=MOST_LOD;
        rule(
            !levels.contains(&self.min_lod) || !levels.contains(&self.max_lod),
            "minimum and maximum LOD lie between 0 and 14",
        )?;
        rule(
            !(-16 * 256..16 * 256).contains(&self.lod_bias),
            "the LOD bias is at least -16 and less than 16",
        )
    }
}

/// The form people write, as JSON or as `key=value` words; a missing field has the value of
/// [`SamplerState::default`], rounding follows the filter.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    disable: bool,
    /// Both filters at once.
    filter: Option<Filter>,
    min: Option<Filter>,
    mag: Option<Filter>,
    mip: MipFilter,
    /// All three axes at once.
    address: Option<Address>,
    address_u: Option<Address>,
    address_v: Option<Address>,
    address_r: Option<Address>,
    /// All rounding bits.
    round: Option<bool>,
    #[serde(deserialize_with = "border")]
    border: [u32; 4],
    lod_bias: f64,
    min_lod: f64,
    max_lod: f64,
    base_level: f64,
    preclamp: bool,
    clamp_magnified: bool,
    max_anisotropy: u32,
    shadow: Shadow,
    key: Option<KeyMode>,
    #[serde(deserialize_with = "argb")]
    key_low: u32,
    #[serde(deserialize_with = "argb")]
    key_high: u32,
    cube_override: bool,
    mono_width: u32,
    mono_height: u32,
    normalized: bool,
    reduction: Reduction,
}

impl Default for Written {
    fn default() -> Written {
        let state = SamplerState::default();
        Written {
            disable: false,
            filter: None,
            min: None,
            mag: None,
            mip: state.mip,
            address: None,
            address_u: None,
            address_v: None,
            address_r: None,
            round: None,
            border: [0; 4],
            lod_bias: 0.0,
            min_lod: 0.0,
            max_lod: 14.0,
            base_level: 0.0,
            preclamp: false,
            clamp_magnified: false,
            max_anisotropy: state.max_anisotropy,
            shadow: state.shadow,
            key: None,
            key_low: 0,
            key_high: 0,
            cube_override: false,
            mono_width: 1,
            mono_height: 1,
            normalized: true,
            reduction: state.reduction,
        }
    }
}

impl<'de> Deserialize<'de> for SamplerState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SamplerState, D::Error> {
        let w = Written::deserialize(deserializer)?;
        let both = w.filter.unwrap_or(Filter::Nearest);
        let all = w.address.unwrap_or(Address::Clamp);
        let level = |value: f64| {
            let fixed = (value * 256.0).floor();
            // What does not fit is refused below, with the rule.
            fixed.clamp(-65536.0, 65536.0) as i32
        };
        let state = SamplerState {
            disable: w.disable,
            mip: w.mip,
            address: [
                w.address_u.unwrap_or(all),
                w.address_v.unwrap_or(all),
                w.address_r.unwrap_or(all),
            ],
            border: Border::Channels(w.border),
            lod_bias: level(w.lod_bias),
            min_lod: level(w.min_lod),
            max_lod: level(w.max_lod),
            base_level: level(w.base_level),
            preclamp: w.preclamp,
            clamp_magnified: w.clamp_magnified,
            max_anisotropy: w.max_anisotropy,
            shadow: w.shadow,
            key: w.key.map(|mode| ChromaKey {
                mode,
                low: w.key_low,
                high: w.key_high,
            }),
            cube_override: w.cube_override,
            mono: (w.mono_width, w.mono_height),
            unnormalized: !w.normalized,
            reduction: w.reduction,
            ..SamplerState::default().filtered(w.min.unwrap_or(both), w.mag.unwrap_or(both))
        };
        let state = match w.round {
            Some(round) => SamplerState {
                round_min: [round; 3],
                round_mag: [round; 3],
                ..state
            },
            None => state,
        };
        state.check().map_err(D::Error::custom)?;
        Ok(state)
    }
}

/// Four numbers as a list or as `0.25/0.5/0.75/1`; integers above 2^24 keep their value with `0x`.
fn border<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 4], D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        List([f32; 4]),
        Text(String),
    }
    let wanted =
        "a border colour is four numbers R, G, B, A, as 0.25/0.5/0.75/1 or 0x1/0x2/0x3/0x4";
    match Written::deserialize(deserializer) {
        Ok(Written::List(list)) => Ok(list.map(f32::to_bits)),
        Ok(Written::Text(text)) => {
            let parts: Option<Vec<u32>> = text.split('/').map(channel).collect();
            let four = parts.and_then(|parts| <[u32; 4]>::try_from(parts).ok());
            four.ok_or_else(|| D::Error::custom(wanted))
        }
        Err(_) => Err(D::Error::custom(wanted)),
    }
}

/// A float, or the bits of a channel in hexadecimal.
fn channel(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse::<f32>().ok().map(f32::to_bits),
    }
}

/// A number, or hexadecimal with `0x`: A, R, G, B from the high byte down.
fn argb<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u32),
        Text(String),
    }
    match Written::deserialize(deserializer) {
        Ok(Written::Number(number)) => Ok(number),
        Ok(Written::Text(text)) => text
            .strip_prefix("0x")
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .ok_or_else(|| D::Error::custom("a key is 32 bits A, R, G, B, as 0xff8040c0")),
        Err(_) => Err(D::Error::custom(
            "a key is 32 bits A, R, G, B, as 0xff8040c0",
        )),
    }
}
