//! Chroma key: whether a texel lies within a range of colours. Source: surface reference 4.11; PRM 4.3.1.

use super::super::settings::ChromaKey;
use crate::surface::format::{Channel, ChannelType, Kind, Use};
use crate::surface::texel::extract;
use crate::surface::{CellAddress, Format, Surface, TexelPosition};

/// Whether the format has a key; elsewhere it is ignored (model choice, surface reference 1.1).
pub fn keyed(format: Format) -> bool {
    format.used_for(Use::ChromaKey)
}

/// A stored channel of `bits` bits as eight: its bits repeated from the top, or the eight highest.
///
/// ```text
///   5 bits abcde → abcdeabc        1 bit a → aaaaaaaa
/// ```
pub fn expand(value: u32, bits: u32) -> u32 {
    if bits >= 8 {
        return value >> (bits - 8) & 0xff;
    }
    // Eight copies are always enough; the top eight bits of the row are kept.
    let copies = 8u32.div_ceil(bits.max(1));
    let row = (0..copies).fold(0, |row, _| row << bits | value);
    row >> (copies * bits - 8) & 0xff
}

/// A byte with its sign in bit 7 and its magnitude below.
fn sign_magnitude(byte: u32) -> i32 {
    let magnitude = (byte & 0x7f) as i32;
    if byte & 0x80 != 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// A byte of a bound by channel: R, G, B, A lie in bytes 2, 1, 0, 3.
fn byte(word: u32, channel: usize) -> u32 {
    word >> [16, 8, 0, 24][channel] & 0xff
}

/// The letter of the stored channel that is held against a bound of R, G, B or A.
fn letter(format: Format, channel: usize) -> u8 {
    match format.out[channel] {
        b'L' => b'L',
        _ => [b'R', b'G', b'B', b'A'][channel],
    }
}

/// Whether the bounds are read as sign and magnitude.
fn is_signed(format: Format) -> bool {
    let snorm = |c: &Channel| c.bits > 0 && c.ty == ChannelType::Snorm;
    format.channels.iter().any(snorm)
}

/// What the manual leaves undefined in the bounds of a key for a format, if anything.
pub fn broken(key: &ChromaKey, format: Format) -> Option<String> {
    let signed = is_signed(format);
    (0..4).find_map(|c| {
        let there = match format.kind {
            Kind::Compressed => c < 3 || format.has_alpha(),
            _ if format.is_packed_422() => c < 3,
            _ => format.channel(letter(format, c)).is_some(),
        };
        let name = ["R (or Cr)", "G (or Y)", "B (or Cb)", "A"][c];
        let (low, high) = (byte(key.low, c), byte(key.high, c));
        let (least, most) = if signed { (0xff, 0x7f) } else { (0, 0xff) };
        if !there && (low, high) != (least, most) {
            return Some(format!(
                "the chroma key of {name} is {low:#04x} to {high:#04x}, and {format} has no such channel: it must be \
                 {least:#04x} to {most:#04x}"
            ));
        }
        if signed && there && (low == 0x80 || high == 0x80) {
            return Some(format!(
                "the chroma key of {name} is {low:#04x} to {high:#04x}: 0x80 is the negative zero, which a key does not \
                 support: 0x00 is zero"
            ));
        }
        let reversed = match signed {
            true => sign_magnitude(high) < sign_magnitude(low),
            false => high < low,
        };
        reversed.then(|| format!("the chroma key of {name} is {low:#04x} to {high:#04x}: high below low"))
    })
}

/// Whether texel (x, y) of an image matches the key in every channel the format stores.
pub fn matches(key: &ChromaKey, surface: &Surface, level: u32, slice: u32, x: u32, y: u32) -> bool {
    let format = surface.format();
    let channels = channels(surface, level, slice, x, y);
    let mut channels = channels.into_iter().enumerate();
    let signed = is_signed(format);
    channels.all(|(c, value)| {
        let Some(value) = value else { return true };
        let (low, high) = (byte(key.low, c), byte(key.high, c));
        if signed {
            // The key is sign and magnitude, the texel two's complement. Source: PRM 4.10.6.
            let v = i32::from(value as u8 as i8);
            sign_magnitude(low) <= v && v <= sign_magnitude(high)
        } else {
            low <= value && value <= high
        }
    })
}

/// The stored channels R, G, B, A as eight bits each; `None` where the format has none.
fn channels(surface: &Surface, level: u32, slice: u32, x: u32, y: u32) -> [Option<u32>; 4] {
    let format = surface.format();
    let place = surface.place(TexelPosition {
        level,
        slice,
        x,
        y,
        sample: 0,
    });
    if format.kind == Kind::Compressed {
        // Decoded codes come back from v/255 exactly.
        let texel = surface
            .load_texel(level, slice, x, y, 0)
            .unwrap_or_default();
        let codes = texel.map(|v| Some((f32::from_bits(v) * 255.0 + 0.5) as u32));
        let [r, g, b, a] = codes;
        return [r, g, b, a.filter(|_| format.has_alpha())];
    }
    let cell = surface.read_cell(place);
    if format.is_packed_422() {
        return pair(surface, level, slice, (x, y), place);
    }
    let stored = |c: Channel| expand(extract(&cell, c) as u32, u32::from(c.bits));
    std::array::from_fn(|c| format.channel(letter(format, c)).map(stored))
}

/// Cr, Y, Cb and an alpha of 255; the chroma of an odd texel lies half way to the next pair.
fn pair(
    surface: &Surface,
    level: u32,
    slice: u32,
    (x, y): (u32, u32),
    place: CellAddress,
) -> [Option<u32>; 4] {
    let format = surface.format();
    let cell = surface.read_cell(place);
    let luma = if place.in_x == 1 { b'y' } else { b'Y' };
    let read = |cell: &crate::surface::CellBytes, name: u8| {
        format.channel(name).map_or(0, |c| extract(cell, c) as u32)
    };
    let (mut cr, mut cb) = (read(&cell, b'V'), read(&cell, b'U'));
    if place.in_x == 1 {
        let width = (surface.description().width >> level).max(1);
        let next = (x + 1).min((width - 1) & !1);
        let cell = surface.read_cell(surface.place(TexelPosition {
            level,
            slice,
            x: next,
            y,
            sample: 0,
        }));
        cr = (cr + read(&cell, b'V') + 1) >> 1;
        cb = (cb + read(&cell, b'U') + 1) >> 1;
    }
    [Some(cr), Some(read(&cell, luma)), Some(cb), Some(255)]
}
