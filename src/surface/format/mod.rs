//! Surface formats: what an element means. The table itself is `table`; here are its columns as types
//! and the look-up by name and by code.
//!
//! A [`Format`] is a small copyable handle on a row; its facts are reached by dereferencing it:
//!
//! ```
//! use visim::internals::surface::Format;
//! let format = Format::named("B8G8R8A8_UNORM").unwrap();
//! assert_eq!((format.code, format.bits), (0x0c0, 32));
//! ```
//!
//! [`Access`] holds a format to its generation.
//!
//! Not here: how bits become numbers ([`super::texel`]) and where elements lie ([`super::layout`]).

pub mod access;
pub mod media;
mod table;

pub use access::Access;

use crate::isa::Generation;
use std::fmt;
use std::ops::Deref;

/// How the stored bits stand for numbers. Source: surface reference 2.1 to 2.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names are those of the reference
pub enum Kind {
    Unorm, Snorm, Uint, Sint, Float, Ufloat, SharedExp, Uscaled, Sscaled, Sfixed,
    Srgb, Palette, Yuv, Mono, Raw, Compressed, SnormUnorm, UfloatUnorm,
}

/// Family inside a kind: luminance formats, block encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names are those of the reference
pub enum SubKind {
    Plain, Luminance, Intensity, Alpha,
    Bc1, Bc2, Bc3, Bc4, Bc5, Bc6h, Bc7, Fxt1, Etc1, Etc2, Astc,
}

/// Colour space of the stored numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Linear light.
    Linear,
    /// R, G and B through the sRGB curve. Source: surface reference 2.2.
    SrgbCurve,
    /// Luma and chroma, returned as stored.
    Ycrcb,
    /// Not a colour.
    Bits,
}

/// The 32-bit type delivered to the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // names say it
pub enum Returns { AsFloat, AsUint, AsSint, AsRaw }

/// Which variant of the border colour structure applies. Source: surface reference 4.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names are those of the reference
pub enum BorderClass { Unorm8, Snorm8, Unorm16, Snorm16, Float16, Float32, NoBorder }

/// Where a row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The table of PRM 4.10.2.1.1.
    Prm,
    /// Added by a later generation, or lost from the available text of that table.
    Later,
    /// Known to the media sampler functions only. Source: AVS reference 3.3.
    Media,
}

/// How a channel's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names are those of the table's head
pub enum ChannelType {
    Unorm, Snorm, Uint, Sint, Float, Ufloat, Uscaled, Sscaled, Sfixed, Mantissa, Exponent, Raw, Unused,
}

/// One channel of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// `R` `G` `B` `A`, `L`, `I`, `P` palette index, `X` unused, `E` exponent, `M` mono, `Y` (`y` the
    /// second luma of a pair), `U` (Cb), `V` (Cr).
    pub name: u8,
    /// How the bits are read.
    pub ty: ChannelType,
    /// Number of bits.
    pub bits: u8,
    /// Number of the lowest bit.
    pub shift: u16,
}

/// A use of a format on Ironlake, by the letter of the table's column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
#[allow(missing_docs)] // names say it
pub enum Use { Sample = 0, Filter, Shadow, ChromaKey, RenderTarget, AlphaBlend, VertexFetch, StreamOut }

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatInfo {
    /// The manuals' name.
    pub name: &'static str,
    /// The Surface Format field; for [`Origin::Media`] 0x400 plus the code of the media surface state.
    pub code: u16,
    /// Bits of an element; of a texel for packed 4:2:2; 0 for planar formats and RAW.
    pub bits: u16,
    /// Texels of a block, across and down; 2×1 for packed 4:2:2; 0 for planar formats and RAW.
    pub block: (u8, u8),
    /// First generation with any use; `None` for a reserved code.
    pub since: Option<Generation>,
    /// How bits stand for numbers.
    pub kind: Kind,
    /// Family inside the kind.
    pub subkind: SubKind,
    /// Up to four channels; the rest has 0 bits.
    pub channels: [Channel; 4],
    /// The channels as the table spells them.
    pub layout: &'static str,
    /// Colour space.
    pub colour: Colour,
    /// What R, G, B, A return: a channel's letter, `F`, `0`, `1` or `-`.
    pub out: [u8; 4],
    /// Type of what returns.
    pub returns: Returns,
    /// Uses on Ironlake, by letter; see [`FormatInfo::used_for`].
    pub uses: &'static str,
    /// First generation whose sampler reads it; in these columns `None` for never.
    pub sample: Option<Generation>,
    /// First generation whose sampler filters it.
    pub filter: Option<Generation>,
    /// First generation that renders to it.
    pub render: Option<Generation>,
    /// First generation with typed writes to it.
    pub typed_write: Option<Generation>,
    /// First generation with typed reads of it.
    pub typed_read: Option<Generation>,
    /// Border colour variant.
    pub border: BorderClass,
    /// Where the row comes from.
    pub origin: Origin,
}

impl FormatInfo {
    /// Whether Ironlake supports this use.
    pub fn used_for(&self, what: Use) -> bool {
        self.uses.as_bytes()[what as usize] != b'-'
    }

    /// Why texels of the format are not decoded though its row is there; `None` if they are.
    pub fn not_modelled(&self) -> Option<&'static str> {
        match (self.kind, self.subkind) {
            _ if self.is_reserved() => Some("the code is reserved"),
            (_, SubKind::Etc1 | SubKind::Etc2) => {
                Some("ETC blocks are optional and not decoded (surface reference 2.10)")
            }
            (_, SubKind::Astc) => {
                Some("ASTC blocks are optional and not decoded (surface reference 2.10)")
            }
            (Kind::Raw, _) => {
                Some("its elements are bits without a meaning (surface reference 1.1)")
            }
            _ => None,
        }
    }

    /// A code that no generation gives a meaning.
    pub fn is_reserved(&self) -> bool {
        self.since.is_none()
    }

    /// The channel with this letter.
    pub fn channel(&self, name: u8) -> Option<Channel> {
        self.channels
            .into_iter()
            .find(|c| c.bits > 0 && c.name == name)
    }

    /// Whether the format stores alpha (an intensity counts as alpha too).
    pub fn has_alpha(&self) -> bool {
        !matches!(self.out[3], b'1' | b'0' | b'-')
    }

    /// Luma and chroma in separate planes of one surface.
    pub fn is_planar(&self) -> bool {
        self.bits == 0 && self.kind == Kind::Yuv
    }

    /// Two texels in four bytes. Source: surface reference 2.4.
    pub fn is_packed_422(&self) -> bool {
        self.block == (2, 1)
    }

    /// Texels smaller than a byte. Source: surface reference 2.5.
    pub fn is_sub_byte(&self) -> bool {
        self.bits > 0 && self.bits < 8
    }

    /// Whether elements are blocks of texels.
    pub fn is_compressed(&self) -> bool {
        self.kind == Kind::Compressed
    }

    /// What is fetched as a whole to decode one texel.
    pub fn cell(&self) -> Cell {
        let (across, down, bytes) = match self {
            f if f.is_packed_422() => (2, 1, 4),
            f if f.is_sub_byte() => (8 / f.bits, 1, 1),
            f => (u16::from(f.block.0), u16::from(f.block.1), f.bits / 8),
        };
        Cell {
            across: u32::from(across),
            down: u32::from(down),
            bytes: u32::from(bytes),
        }
    }
}

/// The smallest run of whole bytes that holds a texel: a plain element, a block, a 4:2:2 pair, or the
/// byte of several sub-byte texels. All 0 for planar formats and RAW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Texels across.
    pub across: u32,
    /// Texels down.
    pub down: u32,
    /// Size in bytes, 32 at most.
    pub bytes: u32,
}

/// A format: a handle on its row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format(u16);

impl Format {
    /// The format of this name, if there is one. Names are exact; letter case is not significant.
    pub fn named(name: &str) -> Option<Format> {
        Format::all().find(|f| f.name.eq_ignore_ascii_case(name))
    }

    /// The format with this value of the Surface Format field.
    pub fn from_code(code: u16) -> Option<Format> {
        Format::all().find(|f| f.code == code && f.origin != Origin::Media)
    }

    /// All formats in the order of the table.
    pub fn all() -> impl Iterator<Item = Format> {
        (0..table::FORMATS.len() as u16).map(Format)
    }

    /// The row with this name, found while compiling.
    const fn known(name: &str) -> Format {
        let mut i = 0;
        while i < table::FORMATS.len() {
            if same(table::FORMATS[i].name.as_bytes(), name.as_bytes()) {
                return Format(i as u16);
            }
            i += 1;
        }
        panic!("no such format")
    }
}

macro_rules! names {
    ($($name:ident)*) => { impl Format { $(
        #[doc = concat!("`", stringify!($name), "`")]
        pub const $name: Format = Format::known(stringify!($name));
    )* } };
}
names! { R8_UNORM R8_UINT R8G8_UNORM R16_UNORM R16G16_UNORM R32_UINT R32_FLOAT R16_FLOAT R32G32_UINT
R8G8B8A8_UNORM R8G8B8A8_UINT B8G8R8A8_UNORM R10G10B10A2_UNORM MONO8 R16G16B16A16_UNORM R16G16B16A16_FLOAT
R32G32B32A32_FLOAT R32G32B32A32_UINT YCRCB_NORMAL YCRCB_SWAPUVY YCRCB_SWAPUV YCRCB_SWAPY Y8_UNORM PLANAR_420_8
PLANAR_422_8 PLANAR_411_8 PLANAR_420_16 R8B8_UNORM A8Y8U8V8_UNORM RAW A8_UNORM L8_UNORM R8G8B8A8_UNORM_SRGB
B8G8R8A8_UNORM_SRGB R32G32_FLOAT }

impl Deref for Format {
    type Target = FormatInfo;
    fn deref(&self) -> &FormatInfo {
        &table::FORMATS[usize::from(self.0)]
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Reads one line of the table; a line that makes no sense does not compile.
#[allow(clippy::too_many_arguments)] // they are the columns of the table, in its order
const fn row(
    name: &'static str,
    code: u16,
    bits: u16,
    block: (u8, u8),
    since: Option<Generation>,
    kind: Kind,
    subkind: SubKind,
    layout: &'static str,
    colour: Colour,
    out: &str,
    returns: Returns,
    uses: &'static str,
    first: [Option<Generation>; 5],
    border: BorderClass,
    origin: Origin,
) -> FormatInfo {
    let channels = channels(layout.as_bytes());
    let last = channels[3].shift + channels[3].bits as u16;
    // Packed 4:2:2 lists the four bytes of a pair; everything else must fill its element.
    let pair = if block.0 == 2 { 2 } else { 1 };
    assert!(
        layout.is_empty() || last == bits * pair,
        "channels must fill the element"
    );
    assert!(uses.len() == 8 && out.len() == 4);
    let out = out.as_bytes();
    let [sample, filter, render, typed_write, typed_read] = first;
    FormatInfo {
        name,
        code,
        bits,
        block,
        since,
        kind,
        subkind,
        channels,
        layout,
        colour,
        out: [out[0], out[1], out[2], out[3]],
        returns,
        uses,
        sample,
        filter,
        render,
        typed_write,
        typed_read,
        border,
        origin,
    }
}

/// `"R:un8 G:un8"` as channels; those after the last one are empty and lie at its end.
const fn channels(text: &[u8]) -> [Channel; 4] {
    let mut found = [Channel {
        name: b'X',
        ty: ChannelType::Unused,
        bits: 0,
        shift: 0,
    }; 4];
    let (mut i, mut n, mut shift) = (0, 0, 0);
    while i < text.len() {
        let start = i;
        while text[i] != b':' {
            i += 1;
        }
        let name = match (text[start], i - start) {
            (letter, 1) => letter,
            (b'Y', 2) if text[start + 1] == b'1' => b'y',
            (b'Y', 2) => b'Y',
            (b'C', 2) if text[start + 1] == b'b' => b'U',
            (b'C', 2) => b'V',
            _ => panic!("channel names have one or two letters"),
        };
        i += 1;
        let ty = match (text[i], text[i + 1]) {
            (b'u', b'n') => ChannelType::Unorm,
            (b's', b'n') => ChannelType::Snorm,
            (b'u', b'i') => ChannelType::Uint,
            (b's', b'i') => ChannelType::Sint,
            (b's', b'f') => ChannelType::Float,
            (b'u', b'f') => ChannelType::Ufloat,
            (b'u', b's') => ChannelType::Uscaled,
            (b's', b's') => ChannelType::Sscaled,
            (b's', b'x') => ChannelType::Sfixed,
            (b'm', b'a') => ChannelType::Mantissa,
            (b'e', b'x') => ChannelType::Exponent,
            (b'r', _) => ChannelType::Raw,
            (b'x', _) => ChannelType::Unused,
            _ => panic!("unknown channel type"),
        };
        while text[i].is_ascii_lowercase() {
            i += 1;
        }
        let mut bits = 0;
        while i < text.len() && text[i].is_ascii_digit() {
            bits = bits * 10 + (text[i] - b'0');
            i += 1;
        }
        i += 1; // the blank
        found[n] = Channel {
            name,
            ty,
            bits,
            shift,
        };
        shift += bits as u16;
        n += 1;
    }
    while n < 4 {
        found[n].shift = shift;
        n += 1;
    }
    found
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
