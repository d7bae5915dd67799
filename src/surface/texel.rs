//! Bits to numbers: what an element of each format decodes to, and how a result is stored.
//!
//! A decoded texel is four 32-bit patterns R, G, B, A in the type the format returns (f32, unsigned or
//! signed). [`Decoder`] is resolved once from the format table; [`encode`] is the way back.
//!
//! Source: surface reference 1.2 and 2.

use std::sync::Arc;

use super::block::{self, BlockDecoder};
use super::float::{
    NAN, f32_to_half_toward_zero, f32_to_small, half_to_f32, linear_to_srgb, shared_exponent,
    small_to_f32, srgb_to_linear, to_shared_exponent,
};
use super::format::{Channel, ChannelType, Colour, Format, Kind, Returns};
use super::{CellAddress, CellBytes, Surface, TexelPosition};

/// Four channels R, G, B, A as 32-bit patterns of the format's return type.
pub type Rgba = [u32; 4];

const ONE: u32 = 0x3f80_0000;

/// What one output channel is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Out {
    Constant(u32),
    /// A stored channel; whether it goes through the sRGB curve.
    Channel(Channel, bool),
    /// Mantissa and exponent.
    Shared(Channel, Channel),
}

/// Decodes texels of one format.
#[derive(Clone, Debug)]
pub struct Decoder {
    method: Method,
    out: [Out; 4],
    /// Whether the format stores alpha; without it, alpha outside the surface reads 1.
    pub alpha: bool,
    /// What "one" is: 1.0 or the integer 1.
    pub one: u32,
}

#[derive(Clone, Debug)]
enum Method {
    /// Channels by their bits.
    Channels,
    /// Packed 4:2:2: the second texel of a pair takes the second luma.
    Pair { luma: Channel, second: Channel },
    /// Several texels in a byte, the leftmost in the top bits.
    SubByte {
        bits: u32,
        palette: Option<Arc<[u32; 256]>>,
    },
    /// Block-compressed; 8-bit codes perhaps through the sRGB curve, perhaps opaque.
    Block {
        decoder: BlockDecoder,
        curve: bool,
        opaque: bool,
    },
    /// An index into the palette, and perhaps an alpha beside it.
    Palette {
        index: Channel,
        alpha: Option<Channel>,
        entries: Arc<[u32; 256]>,
    },
}

impl Decoder {
    /// The decoder of a format; `palette` is for palette formats, all zero if there is none.
    ///
    /// `None` for formats that no sampler reads as texels (RAW, planar, 64-bit raw formats) and for those
    /// visim does not model (ETC, ASTC; surface reference 2.10 makes them optional).
    pub fn new(format: Format, palette: Option<&Arc<[u32; 256]>>) -> Option<Decoder> {
        let one = if format.returns == Returns::AsFloat {
            ONE
        } else {
            1
        };
        let palette = || palette.cloned().unwrap_or_else(|| Arc::new([0; 256]));
        let curve = format.colour == Colour::SrgbCurve;
        let out = format
            .out
            .map(|letter| match (letter, format.channel(letter)) {
                (b'1', _) => Out::Constant(one),
                (b'F', _) => format
                    .channel(b'M')
                    .map_or(Out::Constant(0), |m| Out::Channel(m, false)),
                (b'A', Some(c)) => Out::Channel(c, false),
                (_, Some(c)) if c.ty == ChannelType::Mantissa => format
                    .channel(b'E')
                    .map_or(Out::Constant(0), |e| Out::Shared(c, e)),
                (_, Some(c)) => Out::Channel(c, curve),
                (_, None) => Out::Constant(0),
            });
        let method = match format.kind {
            Kind::Raw => return None,
            Kind::Compressed => Method::Block {
                decoder: block::decoder(format)?,
                curve,
                opaque: !format.has_alpha(),
            },
            _ if format.is_planar() => return None,
            Kind::Palette if format.is_sub_byte() => Method::SubByte {
                bits: u32::from(format.bits),
                palette: Some(palette()),
            },
            Kind::Palette => Method::Palette {
                index: format.channel(b'P')?,
                alpha: format.channel(b'A'),
                entries: palette(),
            },
            _ if format.is_sub_byte() => Method::SubByte {
                bits: u32::from(format.bits),
                palette: None,
            },
            _ if format.is_packed_422() => Method::Pair {
                luma: format.channel(b'Y')?,
                second: format.channel(b'y')?,
            },
            _ => Method::Channels,
        };
        Some(Decoder {
            method,
            out,
            alpha: format.has_alpha(),
            one,
        })
    }

    /// How a block-compressed format decodes: whether 8-bit codes go through the sRGB curve, and whether
    /// every texel is opaque.
    pub fn block(&self) -> Option<(BlockDecoder, bool, bool)> {
        match self.method {
            Method::Block {
                decoder,
                curve,
                opaque,
            } => Some((decoder, curve, opaque)),
            _ => None,
        }
    }

    /// Decodes the texel at (`in_x`, `in_y`) of a cell.
    pub fn decode(&self, cell: &CellBytes, in_x: u32, in_y: u32) -> Rgba {
        match &self.method {
            Method::Channels => self.out.map(|out| self.channel(out, cell)),
            Method::Pair { luma, second } => self.out.map(|out| match out {
                Out::Channel(c, _) if c == *luma && in_x % 2 == 1 => {
                    self.channel(Out::Channel(*second, false), cell)
                }
                out => self.channel(out, cell),
            }),
            Method::SubByte { bits, palette } => {
                let at = 8 - bits * (in_x % (8 / bits) + 1);
                let value = u32::from(cell[0]) >> at & ((1 << bits) - 1);
                match palette {
                    Some(entries) => entry(entries[value as usize]),
                    None => self.out.map(|out| match out {
                        Out::Constant(c) => c,
                        _ => unorm(u64::from(value), *bits),
                    }),
                }
            }
            Method::Block {
                decoder: BlockDecoder::Numbers(decode),
                ..
            } => decode(cell, in_x, in_y),
            Method::Block {
                decoder: BlockDecoder::Codes(decode),
                curve,
                opaque,
            } => {
                let [r, g, b, a] = decode(cell, in_x, in_y);
                let colour = |v: u8| match curve {
                    true => srgb_to_linear(v.into(), 8),
                    false => unorm(v.into(), 8),
                };
                let alpha = if *opaque { ONE } else { unorm(a.into(), 8) };
                [colour(r), colour(g), colour(b), alpha]
            }
            Method::Palette {
                index,
                alpha,
                entries,
            } => {
                let mut rgba = entry(entries[extract(cell, *index) as usize & 255]);
                if let Some(alpha) = alpha {
                    rgba[3] = unorm(extract(cell, *alpha), u32::from(alpha.bits));
                }
                rgba
            }
        }
    }

    fn channel(&self, out: Out, cell: &CellBytes) -> u32 {
        match out {
            Out::Constant(c) => c,
            Out::Channel(c, true) => srgb_to_linear(extract(cell, c) as u32, u32::from(c.bits)),
            Out::Channel(c, false) => number(extract(cell, c), c),
            Out::Shared(m, e) => shared_exponent(extract(cell, m) as u32, extract(cell, e) as u32),
        }
    }
}

/// A palette entry A, R, G, B from the top as RGBA.
fn entry(argb: u32) -> Rgba {
    [argb >> 16, argb >> 8, argb, argb >> 24].map(|v| unorm(u64::from(v & 255), 8))
}

/// The bits of a channel.
pub(crate) fn extract(cell: &CellBytes, channel: Channel) -> u64 {
    let first = usize::from(channel.shift / 8);
    let mut word = [0; 8];
    let bytes = &cell[first..cell.len().min(first + 8)];
    word[..bytes.len()].copy_from_slice(bytes);
    let value = u64::from_le_bytes(word) >> (channel.shift % 8);
    if channel.bits >= 64 {
        value
    } else {
        value & ((1 << channel.bits) - 1)
    }
}

/// v / (2^n − 1), rounded once.
fn unorm(v: u64, n: u32) -> u32 {
    if n <= 24 {
        // Both are exact in f32, so that the division rounds once.
        (v as f32 / ((1u32 << n) - 1) as f32).to_bits()
    } else {
        ((v as f64 / ((1u64 << n) - 1) as f64) as f32).to_bits()
    }
}

/// The bits of a channel as a number of its type, in 32 bits.
pub(crate) fn number(v: u64, channel: Channel) -> u32 {
    let n = u32::from(channel.bits);
    let signed = (v << (64 - n)) as i64 >> (64 - n);
    match channel.ty {
        ChannelType::Unorm => unorm(v, n),
        ChannelType::Snorm => {
            let most = ((1u64 << (n - 1)) - 1) as f64;
            ((signed as f64 / most).max(-1.0) as f32).to_bits()
        }
        ChannelType::Uint => v as u32,
        ChannelType::Sint => signed as u32,
        ChannelType::Uscaled => (v as f32).to_bits(),
        ChannelType::Sscaled => (signed as f32).to_bits(),
        ChannelType::Sfixed => ((signed as f64 / 65536.0) as f32).to_bits(),
        ChannelType::Float => match n {
            16 => half_to_f32(v as u16),
            32 => v as u32,
            _ => match f64::from_bits(v) {
                x if x.is_nan() => NAN,
                x => (x as f32).to_bits(),
            },
        },
        ChannelType::Ufloat => small_to_f32(v as u32, n - 5),
        ChannelType::Mantissa | ChannelType::Exponent | ChannelType::Raw | ChannelType::Unused => 0,
    }
}

/// What is stored for four channels of the format's return type: the cell's bytes, of which the first
/// [`Cell::bytes`](super::format::Cell::bytes) count. Unused bits are 0.
///
/// `None` for formats that have no single texel to write: block-compressed ones (BC1 to BC7, FXT1, ETC, ASTC),
/// palettes (P2 to P8 and with alpha, whose index no colour tells), sub-byte ones (R1, MONO8), planar and raw
/// ones, and packed 4:2:2, which is written by pairs ([`encode_pair`]).
///
/// Source: surface reference 2.11.
pub fn encode(format: Format, rgba: Rgba) -> Option<CellBytes> {
    if matches!(
        format.kind,
        Kind::Compressed | Kind::Raw | Kind::Palette | Kind::Mono
    ) || format.is_sub_byte()
        || format.is_packed_422()
        || format.is_planar()
    {
        return None;
    }
    let mut bytes = [0; 32];
    if format.kind == Kind::SharedExp {
        let ([r, g, b], e) = to_shared_exponent([rgba[0], rgba[1], rgba[2]]);
        let word = r | g << 9 | b << 18 | e << 27;
        bytes[..4].copy_from_slice(&word.to_le_bytes());
        return Some(bytes);
    }
    let curve = format.colour == Colour::SrgbCurve;
    for channel in format.channels.into_iter().filter(|c| c.bits > 0) {
        // Luminance and intensity are stored from the first output they feed, red.
        let Some(source) = format.out.iter().position(|&letter| letter == channel.name) else {
            continue;
        };
        let code = code(rgba[source], channel, curve && channel.name != b'A');
        let first = usize::from(channel.shift / 8);
        let size = usize::from(channel.shift % 8 + u16::from(channel.bits)).div_ceil(8);
        let word = (u128::from(code) << (channel.shift % 8)).to_le_bytes();
        for (byte, part) in bytes[first..].iter_mut().zip(&word[..size]) {
            *byte |= part;
        }
    }
    Some(bytes)
}

/// The four bytes of a packed 4:2:2 pair: Y from each texel's G, Cb and Cr from B and R of the even one.
///
/// Source: surface reference 2.11 (a model choice).
pub fn encode_pair(format: Format, even: Rgba, odd: Rgba) -> [u8; 4] {
    let mut bytes = [0; 4];
    for channel in format.channels {
        let value = match channel.name {
            b'Y' => even[1],
            b'y' => odd[1],
            b'U' => even[2],
            _ => even[0],
        };
        bytes[usize::from(channel.shift / 8) & 3] = code(value, channel, false) as u8;
    }
    bytes
}

/// A number as the bits of a channel.
fn code(bits: u32, channel: Channel, curve: bool) -> u64 {
    let n = u32::from(channel.bits);
    let x = f64::from(f32::from_bits(bits));
    let most = ((1u64 << n.min(63)) - 1) as f64;
    match channel.ty {
        ChannelType::Unorm => {
            let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
            let x = if curve { linear_to_srgb(x) } else { x };
            (x * most + 0.5).floor() as u64
        }
        ChannelType::Snorm => {
            let x = if x.is_nan() { 0.0 } else { x.clamp(-1.0, 1.0) };
            let most = ((1u64 << (n - 1)) - 1) as f64;
            let magnitude = (x.abs() * most + 0.5).floor() as i64;
            let value = if x < 0.0 { -magnitude } else { magnitude };
            value as u64 & ((1 << n) - 1)
        }
        ChannelType::Uint => u64::from(bits).min((1 << n) - 1),
        ChannelType::Sint => {
            let limit = 1i64 << (n - 1);
            i64::from(bits as i32).clamp(-limit, limit - 1) as u64 & ((1 << n) - 1)
        }
        ChannelType::Float if n == 16 => u64::from(f32_to_half_toward_zero(bits)),
        ChannelType::Float if n == 32 => u64::from(bits),
        ChannelType::Ufloat => u64::from(f32_to_small(bits, n - 5)),
        _ => 0,
    }
}

impl Surface {
    /// Decodes one texel that lies inside the surface: the definition every faster way is tested against.
    ///
    /// `level` counts in memory; `slice` is the array slice, face or 3D slice. `None` as [`Decoder::new`].
    /// Planar surfaces combine their planes; chroma is repeated for each pair or quad.
    pub fn load_texel(&self, level: u32, slice: u32, x: u32, y: u32, sample: u32) -> Option<Rgba> {
        if self.format().is_planar() {
            return self.load_planar(x, y);
        }
        let place = self.place(TexelPosition {
            level,
            slice,
            x,
            y,
            sample,
        });
        Some(
            self.decoder()?
                .decode(&self.read_cell(place), place.in_x, place.in_y),
        )
    }

    /// R = Cr, G = Y, B = Cb, A = 1. Source: surface reference 3.8.
    fn load_planar(&self, x: u32, y: u32) -> Option<Rgba> {
        let (across, down) = self.description().chroma_shift();
        let (cx, cy) = (x >> across, y >> down);
        let luma = self.plane(0)?.load_texel(0, 0, x, y, 0)?[0];
        let first = self.plane(1)?.load_texel(0, 0, cx, cy, 0)?;
        let cr = match self.plane(2) {
            Some(v) => v.load_texel(0, 0, cx, cy, 0)?[0],
            None => first[1],
        };
        Some([cr, luma, first[0], ONE])
    }

    /// Converts and stores one texel that lies inside the surface, as a typed write does.
    ///
    /// Packed 4:2:2: an even texel stores its luma and the chroma of its pair, an odd one its luma only.
    /// Returns whether the format can be written ([`encode`]).
    pub fn store_texel(&self, level: u32, slice: u32, x: u32, y: u32, rgba: Rgba) -> bool {
        self.store_sample(level, slice, x, y, 0, rgba)
    }

    /// As [`Surface::store_texel`], for one sample of a texel.
    pub fn store_sample(
        &self,
        level: u32,
        slice: u32,
        x: u32,
        y: u32,
        sample: u32,
        rgba: Rgba,
    ) -> bool {
        let format = self.format();
        if format.is_packed_422() {
            let place = self.place(TexelPosition {
                level,
                slice,
                x,
                y,
                sample,
            });
            let pair = encode_pair(format, rgba, rgba);
            for channel in format.channels {
                let odd = channel.name == b'y';
                if odd == (place.in_x == 1) {
                    // Byte by byte: another thread may be writing the other texel.
                    let at = channel.shift / 8;
                    let byte = CellAddress {
                        x: place.x + u32::from(at),
                        ..place
                    };
                    self.write_cell(byte, &pair[usize::from(at)..][..1]);
                }
            }
            return true;
        }
        let Some(mut bytes) = encode(format, rgba) else {
            return false;
        };
        let size = format.cell().bytes as usize;
        let place = self.place(TexelPosition {
            level,
            slice,
            x,
            y,
            sample,
        });
        let disabled = self.description().write_disable;
        if disabled != 0 {
            keep(format, disabled, &self.read_cell(place), &mut bytes);
        }
        self.write_cell(place, &bytes[..size]);
        true
    }
}

/// Puts the old bits of disabled components back. Source: surface reference 2.11, last paragraph.
fn keep(format: Format, disabled: u8, old: &CellBytes, bytes: &mut CellBytes) {
    for channel in format.channels.into_iter().filter(|c| c.bits > 0) {
        let output = format.out.iter().position(|&letter| letter == channel.name);
        if output.is_none_or(|i| disabled >> i & 1 == 0) {
            continue;
        }
        for bit in channel.shift..channel.shift + u16::from(channel.bits) {
            let (byte, mask) = (usize::from(bit / 8), 1 << (bit % 8));
            bytes[byte] = bytes[byte] & !mask | old[byte] & mask;
        }
    }
}
