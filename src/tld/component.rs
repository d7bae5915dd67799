//! Component sizes and data types, as channels of the one format model.
//!
//! A Maxwell header does not name a format: it names component *sizes* (COMPONENTS), a *type* for each
//! component, and a swizzle. This module turns the first two into [`Channel`]s, which
//! [`crate::surface::texel`] reads for both front ends, and finds the surface format that means the same.
//!
//! ```text
//! A8B8G8R8 + UNORM ×4 ──▶ R:un8 G:un8 B:un8 A:un8 ──▶ R8G8B8A8_UNORM
//!  └ names list components from the top, so R is in the low byte
//! ```
//!
//! Source: TLD reference 5.1, 5.2 and 5.4.

use super::header::{DataType, Swizzle};
use crate::surface::Format;
use crate::surface::float::{shared_exponent, srgb_to_linear};
use crate::surface::format::{Channel, ChannelType, Colour, Returns};
use crate::surface::texel::{self, Rgba};

macro_rules! components {
    ($($code:literal $name:ident $text:literal $bytes:literal [$($bits:literal),*])+) => {
        /// Component sizes that can be fetched.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, non_camel_case_types)] // the names are the class header's
        pub enum Components { $($name),+ }

        impl Components {
            /// All of them, by rising code.
            pub const ALL: &[Components] = &[$(Components::$name),+];

            /// The class header's name.
            pub const fn name(self) -> &'static str {
                match self { $(Components::$name => $text),+ }
            }

            /// The value of the COMPONENTS field.
            pub const fn code(self) -> u8 {
                match self { $(Components::$name => $code),+ }
            }

            /// Bytes of a texel: 1 to 16.
            pub const fn bytes(self) -> usize {
                match self { $(Components::$name => $bytes),+ }
            }

            /// Bits of R, G, B and A, which lie in this order from bit 0 up; 0 for an absent one.
            pub const fn sizes(self) -> [u8; 4] {
                match self { $(Components::$name => [$($bits),*]),+ }
            }
        }
    };
}

#[rustfmt::skip]
components! {
//  code name                  text                    bytes  R   G   B   A
    0x01 R32_G32_B32_A32       "R32_G32_B32_A32"       16   [32, 32, 32, 32]
    0x02 R32_G32_B32           "R32_G32_B32"           12   [32, 32, 32,  0] // buffers only
    0x03 R16_G16_B16_A16       "R16_G16_B16_A16"        8   [16, 16, 16, 16]
    0x04 R32_G32               "R32_G32"                8   [32, 32,  0,  0]
    0x08 A8B8G8R8              "A8B8G8R8"               4   [ 8,  8,  8,  8]
    0x09 A2B10G10R10           "A2B10G10R10"            4   [10, 10, 10,  2]
    0x0c R16_G16               "R16_G16"                4   [16, 16,  0,  0]
    0x0f R32                   "R32"                    4   [32,  0,  0,  0]
    0x12 A4B4G4R4              "A4B4G4R4"               2   [ 4,  4,  4,  4]
    0x14 A1B5G5R5              "A1B5G5R5"               2   [ 5,  5,  5,  1]
    0x15 B5G6R5                "B5G6R5"                 2   [ 5,  6,  5,  0]
    0x18 G8R8                  "G8R8"                   2   [ 8,  8,  0,  0]
    0x1b R16                   "R16"                    2   [16,  0,  0,  0]
    0x1d R8                    "R8"                     1   [ 8,  0,  0,  0]
    0x20 E5B9G9R9              "E5B9G9R9_SHAREDEXP"     4   [ 9,  9,  9,  0] // exponent in 31:27
    0x21 BF10GF11RF11          "BF10GF11RF11"           4   [11, 11, 10,  0]
}

/// Codes the hardware knows and this model does not: first and last code, name.
pub const NOT_MODELLED: &[(u8, u8, &str)] = &[
    (0x05, 0x05, "R32_B24G8"),
    (0x06, 0x06, "ETC2_RGB"),
    (0x07, 0x07, "X8B8G8R8"),
    (0x0a, 0x0a, "ETC2_RGB_PTA"),
    (0x0b, 0x0b, "ETC2_RGBA"),
    (0x0d, 0x0d, "G8R24"),
    (0x0e, 0x0e, "G24R8"),
    (0x10, 0x10, "BC6H_SF16"),
    (0x11, 0x11, "BC6H_UF16"),
    (0x13, 0x13, "A5B5G5R1"),
    (0x16, 0x16, "B6G5R5"),
    (0x17, 0x17, "BC7U"),
    (0x19, 0x19, "EAC"),
    (0x1a, 0x1a, "EACX2"),
    (0x1c, 0x1c, "Y8_VIDEO"),
    (0x1e, 0x1e, "G4R4"),
    (0x1f, 0x1f, "R1"),
    (0x22, 0x22, "G8B8G8R8"),
    (0x23, 0x23, "B8G8R8G8"),
    (0x24, 0x24, "DXT1"),
    (0x25, 0x25, "DXT23"),
    (0x26, 0x26, "DXT45"),
    (0x27, 0x27, "DXN1"),
    (0x28, 0x28, "DXN2"),
    (0x29, 0x3e, "a depth or coverage format"),
    (0x40, 0x57, "an ASTC format"),
];

impl Components {
    /// The component sizes of this code.
    ///
    /// # Errors
    /// Whether the hardware defines the code, and its name.
    pub fn from_code(code: u8) -> Result<Components, (bool, &'static str)> {
        if let Some(&found) = Components::ALL.iter().find(|c| c.code() == code) {
            return Ok(found);
        }
        match NOT_MODELLED
            .iter()
            .find(|row| (row.0..=row.1).contains(&code))
        {
            Some(row) => Err((true, row.2)),
            None => Err((false, "no component sizes")),
        }
    }

    /// Packed floats: the data types play no part.
    const fn is_packed_float(self) -> bool {
        matches!(self, Components::E5B9G9R9 | Components::BF10GF11RF11)
    }
}

/// Why a component of `bits` bits (0 = absent) cannot have type `ty`: whether the hardware defines it,
/// and the sentence.
pub fn refusal(components: Components, ty: DataType, bits: u8) -> Option<(bool, String)> {
    if bits == 0 || components.is_packed_float() {
        return None;
    }
    match ty {
        DataType::Reserved => Some((false, "no data type has this code".into())),
        DataType::SnormForceFp16 | DataType::UnormForceFp16 => Some((
            true,
            format!("{ty}, a value forced through FP16, is not modelled"),
        )),
        DataType::Float if bits != 16 && bits != 32 => Some((
            false,
            format!("FLOAT components have 16 or 32 bits, not {bits}"),
        )),
        DataType::Snorm if bits <= 2 => Some((
            true,
            format!(
                "the hardware reportedly does not clamp a {bits}-bit SNORM, which is not modelled"
            ),
        )),
        _ => None,
    }
}

/// R, G, B and A as channels of the one format model; absent ones have 0 bits.
pub fn channels(components: Components, types: [DataType; 4]) -> [Channel; 4] {
    let sizes = components.sizes();
    let mut shift = 0;
    std::array::from_fn(|i| {
        let ty = match (components, types[i]) {
            (Components::E5B9G9R9, _) => ChannelType::Mantissa,
            (Components::BF10GF11RF11, _) => ChannelType::Ufloat,
            (_, DataType::Snorm) => ChannelType::Snorm,
            (_, DataType::Unorm) => ChannelType::Unorm,
            (_, DataType::Sint) => ChannelType::Sint,
            (_, DataType::Uint) => ChannelType::Uint,
            (_, DataType::Float) => ChannelType::Float,
            _ => ChannelType::Unused,
        };
        let channel = Channel {
            name: b"RGBA"[i],
            ty,
            bits: sizes[i],
            shift,
        };
        shift += u16::from(sizes[i]);
        channel
    })
}

/// The exponent all components of E5B9G9R9 share.
const EXPONENT: Channel = Channel {
    name: b'E',
    ty: ChannelType::Exponent,
    bits: 5,
    shift: 27,
};

/// The surface format whose element means the same, with the swizzle R, G, B, A: the same channels of the
/// same types at the same bits. `None` if there is none, as for types that differ from one component to
/// the next.
pub fn surface_format(components: Components, types: [DataType; 4], srgb: bool) -> Option<Format> {
    let mut wanted: Vec<Channel> = channels(components, types)
        .into_iter()
        .filter(|c| c.bits > 0)
        .collect();
    if components == Components::E5B9G9R9 {
        wanted.push(EXPONENT);
    }
    let curve = srgb_applies(components, types, srgb);
    Format::all().find(|format| {
        let stored: Vec<Channel> = format.channels.into_iter().filter(|c| c.bits > 0).collect();
        stored == wanted && (format.colour == Colour::SrgbCurve) == curve
    })
}

/// The header's way to say a surface format: sizes, types, swizzle, sRGB. `None` if it has none.
///
/// Other orders and missing channels are swizzles: B8G8R8A8 is A8B8G8R8 with the sources B, G, R, A, and
/// L8 is R8 with R, R, R, ONE. Source: TLD reference 5.3.
pub fn from_format(format: Format) -> Option<([DataType; 4], Components, [Swizzle; 4], bool)> {
    let stored: Vec<Channel> = format.channels.into_iter().filter(|c| c.bits > 0).collect();
    let sizes: [u8; 4] = std::array::from_fn(|i| stored.get(i).map_or(0, |c| c.bits));
    let shared = stored.iter().any(|c| c.ty == ChannelType::Exponent);
    let sizes = if shared {
        [sizes[0], sizes[1], sizes[2], 0]
    } else {
        sizes
    };
    let components = Components::ALL
        .iter()
        .copied()
        .find(|c| c.sizes() == sizes)?;
    let mut types = [DataType::Float; 4];
    for (ty, channel) in types.iter_mut().zip(&stored) {
        *ty = match channel.ty {
            ChannelType::Unorm => DataType::Unorm,
            ChannelType::Snorm => DataType::Snorm,
            ChannelType::Uint => DataType::Uint,
            ChannelType::Sint => DataType::Sint,
            ChannelType::Float => DataType::Float,
            ChannelType::Ufloat | ChannelType::Mantissa | ChannelType::Exponent => DataType::Float,
            // An unused channel reads as whatever; no source names it.
            ChannelType::Unused => DataType::Unorm,
            _ => return None,
        };
    }
    let refused = types
        .into_iter()
        .zip(sizes)
        .any(|(ty, bits)| refusal(components, ty, bits).is_some());
    if refused || format.cell().bytes as usize != components.bytes() || format.cell().across != 1 {
        return None;
    }
    let places = [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];
    let source = |letter: u8| match letter {
        b'0' => Some(Swizzle::Zero),
        b'1' if format.returns == Returns::AsFloat => Some(Swizzle::OneFloat),
        b'1' => Some(Swizzle::OneInt),
        letter => stored
            .iter()
            .position(|c| c.name == letter)
            .map(|i| places[i]),
    };
    let mut sources = [Swizzle::Zero; 4];
    for (place, letter) in sources.iter_mut().zip(format.out) {
        *place = source(letter)?;
    }
    let srgb = format.colour == Colour::SrgbCurve;
    // The switch does nothing above eight bits, so a wider format on the curve cannot be said.
    (srgb == srgb_applies(components, types, srgb)).then_some((types, components, sources, srgb))
}

/// Whether the sRGB switch does anything: every component is UNORM of at most 8 bits.
///
/// Source: TLD reference 5.4.
fn srgb_applies(components: Components, types: [DataType; 4], srgb: bool) -> bool {
    let small = channels(components, types)
        .iter()
        .all(|c| c.bits == 0 || c.ty == ChannelType::Unorm && c.bits <= 8);
    srgb && small
}

/// How one component becomes 32 bits.
#[derive(Clone, Copy, Debug)]
enum Read {
    Absent,
    Number(Channel),
    Half(Channel),
    Curve(Channel),
    Shared(Channel),
}

/// Decodes the texels of one texture; resolved once.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    read: [Read; 4],
}

impl Decoder {
    /// The decoder of a header's components, types and sRGB switch.
    pub fn new(components: Components, types: [DataType; 4], srgb: bool) -> Decoder {
        let channels = channels(components, types);
        let count = channels.iter().filter(|c| c.bits > 0).count();
        let curve = srgb_applies(components, types, srgb);
        // By position, before the swizzle: the last of two or four components is alpha and stays linear.
        let linear = if count == 2 || count == 4 {
            count - 1
        } else {
            count
        };
        let mut index = 0..;
        Decoder {
            read: channels.map(|channel| {
                let index = index.next().unwrap_or(0);
                match channel {
                    c if c.bits == 0 => Read::Absent,
                    c if c.ty == ChannelType::Mantissa => Read::Shared(c),
                    c if c.ty == ChannelType::Float && c.bits == 16 => Read::Half(c),
                    c if curve && index != linear => Read::Curve(c),
                    c => Read::Number(c),
                }
            }),
        }
    }

    /// R, G, B, A of a texel; an absent component is 0.
    ///
    /// * `bytes`: the texel, 16 bytes at most.
    pub fn decode(&self, bytes: &[u8]) -> Rgba {
        let mut cell = [0; 32];
        cell[..bytes.len()].copy_from_slice(bytes);
        self.read.map(|read| match read {
            Read::Absent => 0,
            Read::Number(c) => texel::number(texel::extract(&cell, c), c),
            Read::Half(c) => half(
                texel::number(texel::extract(&cell, c), c),
                texel::extract(&cell, c),
            ),
            Read::Curve(c) => srgb_to_linear(texel::extract(&cell, c) as u32, c.bits.into()),
            Read::Shared(c) => {
                let exponent = texel::extract(&cell, EXPONENT) as u32;
                shared_exponent(texel::extract(&cell, c) as u32, exponent)
            }
        })
    }
}

/// A widened half as this hardware is taken to return it: a NaN keeps its sign and payload, shifted, and
/// is not made quiet. Every other value is `wide`.
///
/// Source: TLD reference 5.2 (a choice; question 10 of its section 9 asks the hardware). The surface model
/// makes such a NaN quiet, hence the difference.
const fn half(wide: u32, bits: u64) -> u32 {
    let bits = bits as u32;
    if bits & 0x7fff > 0x7c00 {
        (bits & 0x8000) << 16 | 0x7f80_0000 | (bits & 0x3ff) << 13
    } else {
        wide
    }
}
