//! `sample_unorm`: a block of 8 by 4 pixels of an 8-bit surface, nearest or bilinear.
//!
//! Fixed point all the way: positions have eight fraction bits, samples are 16-bit values with the
//! range of 8 bits (FF00h is 1.0), packed like a block of the video scaler, or as Gen5 does it. Not the
//! 3D sampler, whose results are floats and whose pixels may lie anywhere. Source: AVS reference 6.

use super::avs::{Block, Packing, groups, texel_position};
use crate::isa::{AvsControl, AvsMode, ChannelMask, UnormFormat};
use crate::message::UnormRequest;
use crate::sampler::Read;
use crate::surface::format::{ChannelType, Kind as Numbers, Use};
use crate::surface::{Format, Kind, Surface, TexelPosition};
use serde::Deserialize;
use std::collections::BTreeSet;

/// What happens to a texel index outside the surface. There is no border mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Address {
    /// The picture repeats.
    #[default]
    Wrap,
    /// The picture is reflected, edge texel repeated.
    Mirror,
    /// The edge texel goes on.
    Clamp,
}

impl Address {
    /// An index in `0..size` for any index; `size` is at least 1.
    fn resolve(self, index: i32, size: i32) -> i32 {
        let (index, size) = (i64::from(index), i64::from(size));
        let inside = match self {
            Address::Wrap => index.rem_euclid(size),
            Address::Clamp => index.clamp(0, size - 1),
            Address::Mirror => {
                let phase = index.rem_euclid(2 * size);
                phase.min(2 * size - 1 - phase)
            }
        };
        inside as i32
    }
}

/// What becomes of texels within the chroma key. Source: PRM 4.3.1.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyMode {
    /// The pixel is killed: its bit of the mask is cleared. Its value is as without the key.
    #[default]
    KillOnAnyMatch,
    /// The texel counts as (0, 0, 0, 0).
    ReplaceBlack,
}

/// Sampler state as `sample_unorm` reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnormSampler {
    /// Bilinear; else nearest.
    pub linear: bool,
    /// Across.
    pub address_u: Address,
    /// Down.
    pub address_v: Address,
    /// Texels within the key are replaced, or kill their pixels.
    pub chroma_key_enable: bool,
    /// Which of the two.
    pub chroma_key_mode: KeyMode,
    /// Lower bounds of the key: A, R, G, B from the high byte down.
    #[serde(deserialize_with = "super::avs::argb")]
    pub chroma_key_low: u32,
    /// Upper bounds, inclusive.
    #[serde(deserialize_with = "super::avs::argb")]
    pub chroma_key_high: u32,
}

impl UnormSampler {
    /// Whether the key is on, for this format, and R, G, B, A codes lie within it: all that it stores
    /// must. Source: surface reference 4.11.
    fn matches(&self, format: Format, codes: [u16; 4]) -> bool {
        if !self.chroma_key_enable || !format.used_for(Use::ChromaKey) {
            return false;
        }
        // Bytes of the key from the highest: A, R, G, B.
        let (low, high) = (
            self.chroma_key_low.to_be_bytes(),
            self.chroma_key_high.to_be_bytes(),
        );
        [1, 2, 3, 0].into_iter().enumerate().all(|(channel, byte)| {
            let stored = !matches!(format.out[channel], b'0' | b'1' | b'-');
            let range = u16::from(low[byte])..=u16::from(high[byte]);
            !stored || range.contains(&codes[channel])
        })
    }
}

/// How the block lies in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writeback {
    /// Rows of eight, elements as asked: Gen8 and later, and vISA everywhere (D10, D11).
    Raster(UnormFormat),
    /// Two rows of a group of four pixels side by side, 16 bits: the message of Gen5.
    Groups,
}

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnormError {
    /// Channels that are not UNORM, or wider than 8 bits.
    #[error(
        "sample_unorm reads formats of UNORM channels of at most 8 bits, not {0} (AVS reference 6.1)"
    )]
    Format(Format),
    /// A buffer, several samples, ....
    #[error("sample_unorm reads 2D surfaces with one sample only (AVS reference 6.1)")]
    Kind,
    /// The destination is too small.
    #[error("the message returns {need} bytes, the destination has {have}")]
    Destination {
        /// Bytes of [`packed_bytes`].
        need: usize,
        /// Bytes given.
        have: usize,
    },
}

/// The channels that come back: `_RG` returns R and G whatever the mask. Source: PRM 4.11.1.4.
fn channels(request: &UnormRequest) -> ChannelMask {
    if request.only_rg {
        ChannelMask(0b0011)
    } else {
        ChannelMask(request.channels.0 & 0xf)
    }
}

/// A raster is laid out as an 8x4 block of the scaler without shuffle (D11).
fn packing(request: &UnormRequest, format: UnormFormat) -> Packing {
    let control = match format {
        UnormFormat::Full16 => AvsControl::Full16,
        UnormFormat::DownSampled16 => AvsControl::DownSample16,
        UnormFormat::Full8 => AvsControl::Full8,
        UnormFormat::DownSampled8 => AvsControl::DownSample8,
    };
    Packing::of(channels(request), control, AvsMode::M8x4, false)
}

/// Bytes of the destination, the kill mask included.
pub fn packed_bytes(request: &UnormRequest, writeback: Writeback) -> usize {
    let pixels = match writeback {
        Writeback::Raster(format) => packing(request, format).bytes(),
        Writeback::Groups => channels(request).count() as usize * groups::bytes(8, 4),
    };
    pixels + if request.killpix { 4 } else { 0 }
}

/// Samples a block of `surface` into `dst`; bytes from [`packed_bytes`] on stay as they are.
///
/// # Errors
/// [`UnormError`]: not a surface for this message, or a destination too small.
pub fn run(
    surface: &Surface,
    sampler: &UnormSampler,
    request: &UnormRequest,
    writeback: Writeback,
    dst: &mut [u8],
) -> Result<(), UnormError> {
    let texels = Texels::of(surface)?;
    let (need, have) = (packed_bytes(request, writeback), dst.len());
    let dst = dst
        .get_mut(..need)
        .ok_or(UnormError::Destination { need, have })?;
    let (width, height) = AvsMode::M8x4.size();
    let mut block = Block::new(width as usize);
    let mut alive = u32::MAX;
    for (y, v) in (0..height).zip(positions(request.v, request.delta_v, texels.size.1)) {
        for (x, u) in (0..width).zip(positions(request.u, request.delta_u, texels.size.0)) {
            let (sample, killed) = sample(&texels, sampler, u, v);
            for (channel, sample) in sample.into_iter().enumerate() {
                block.channels[channel][(y * width + x) as usize] = sample;
            }
            if killed {
                alive &= !(1 << mask_bit(x, y));
            }
        }
    }
    let (pixels, mask) = dst.split_at_mut(need - if request.killpix { 4 } else { 0 });
    match writeback {
        Writeback::Raster(format) => packing(request, format).write(&block, pixels),
        Writeback::Groups => groups::write(&block, channels(request), (8, 4), pixels),
    }
    mask.copy_from_slice(&alive.to_le_bytes()[..mask.len()]);
    Ok(())
}

/// The texels that the result of [`run`] depends on.
///
/// # Errors
/// As [`run`].
pub fn reads(
    surface: &Surface,
    sampler: &UnormSampler,
    request: &UnormRequest,
) -> Result<BTreeSet<Read>, UnormError> {
    let texels = Texels::of(surface)?;
    let (width, height) = AvsMode::M8x4.size();
    // Indices on an axis: the nearest, or the two around that have weight.
    let sources = |origin, delta, size, count: u32, address: Address| -> BTreeSet<(u32, i32)> {
        let all = positions(origin, delta, size).take(count as usize);
        let mixed = all.flat_map(|at| match sampler.linear {
            true => {
                let at = at - 128;
                [Some(at >> 8), (at & 0xff != 0).then_some((at >> 8) + 1)]
            }
            false => [Some(at >> 8), None],
        });
        let indices = mixed.flatten();
        indices
            .map(|i| (address.resolve(i, size) as u32, i))
            .collect()
    };
    let (across, down) = texels.size;
    let columns = sources(request.u, request.delta_u, across, width, sampler.address_u);
    let rows = sources(request.v, request.delta_v, down, height, sampler.address_v);
    let all = rows
        .iter()
        .flat_map(|&y| columns.iter().map(move |&x| (x, y)));
    let read = |((x, column), (y, row))| {
        let read = texels.place_of(x, y)?;
        Some(Read {
            asked: (column, row),
            ..read
        })
    };
    Ok(all.filter_map(read).collect())
}

/// Where the pixels of an axis lie, 8.8.
fn positions(origin: f32, delta: f32, size: i32) -> impl Iterator<Item = i32> {
    (0..).map(move |at| texel_position(origin, delta, 0.0, at, size as u32))
}

/// What of a message goes beyond the manual's limits; it has a result all the same. Source: PRM 4.11.1.4,
/// `sample_unorm`, programming notes.
pub fn limits(surface: &Surface, request: &UnormRequest) -> Option<String> {
    let d = surface.description();
    for (step, size, what) in [
        (request.delta_u, d.width, "columns"),
        (request.delta_v, d.height, "rows"),
    ] {
        let step = (f64::from(step) * f64::from(size)).abs();
        // No number is not within 3 either.
        let within = step <= 3.0;
        if !within {
            return Some(format!(
                "{what} are {step} texels apart, at most 3 are allowed"
            ));
        }
    }
    d.several_images()
}

/// Bit of pixel (x, y) of the kill mask: x2 y1 x1 y0 x0 from bit 4 down. Source: AVS reference 6.3.
const fn mask_bit(x: u32, y: u32) -> u32 {
    (x & 4) << 2 | (y & 2) << 2 | (x & 2) << 1 | (y & 1) << 1 | x & 1
}

/// R, G, B, A at a position, 8.8, and whether the key kills the pixel: a texel with weight matches.
/// Texel centres are at +1/2. Source: AVS reference 6.1, "Numbers"; 6.3.
fn sample(texels: &Texels, sampler: &UnormSampler, u: i32, v: i32) -> ([u16; 4], bool) {
    let black = sampler.chroma_key_mode == KeyMode::ReplaceBlack;
    let mut killed = false;
    let mut at = |i: i32, j: i32, has_weight: bool| {
        let codes = texels.codes(
            sampler.address_u.resolve(i, texels.size.0),
            sampler.address_v.resolve(j, texels.size.1),
        );
        match (sampler.matches(texels.surface.format(), codes), black) {
            (true, true) => [0; 4],
            (matches, _) => {
                killed |= matches && has_weight;
                codes
            }
        }
    };
    if !sampler.linear {
        let codes = at(u >> 8, v >> 8, true);
        return (codes.map(|code| code << 8), killed);
    }
    let (s, t) = (u - 128, v - 128);
    let (i, j) = (s >> 8, t >> 8);
    let (f, g) = ((s & 0xff) as u32, (t & 0xff) as u32);
    let (a, b) = (at(i, j, true), at(i + 1, j, f > 0));
    let (c, d) = (at(i, j + 1, g > 0), at(i + 1, j + 1, f > 0 && g > 0));
    let mixed = std::array::from_fn(|k| {
        let top = u32::from(a[k]) * (256 - f) + u32::from(b[k]) * f;
        let bottom = u32::from(c[k]) * (256 - f) + u32::from(d[k]) * f;
        ((top * (256 - g) + bottom * g + 128) >> 8) as u16
    });
    (mixed, killed)
}

/// A surface seen as 8-bit codes.
struct Texels<'a> {
    surface: &'a Surface,
    size: (i32, i32),
}

impl<'a> Texels<'a> {
    fn of(surface: &'a Surface) -> Result<Texels<'a>, UnormError> {
        let d = surface.description();
        if !matches!(d.kind, Kind::D2 | Kind::Null) || d.samples > 1 {
            return Err(UnormError::Kind);
        }
        let mut used = d.format.channels.iter().filter(|c| c.bits > 0);
        let fits =
            used.all(|c| c.ty == ChannelType::Unused || c.ty == ChannelType::Unorm && c.bits <= 8);
        let plain =
            d.format.kind == Numbers::Unorm && !d.format.is_sub_byte() && !d.format.is_compressed();
        if !fits || !plain {
            return Err(UnormError::Format(d.format));
        }
        let texels = |n: u32| (n >> d.min_lod.min(31)).clamp(1, 1 << 16) as i32;
        Ok(Texels {
            surface,
            size: (texels(d.width), texels(d.height)),
        })
    }

    /// The place of a texel inside; a null surface has none.
    fn place_of(&self, x: u32, y: u32) -> Option<Read> {
        let d = self.surface.description();
        if d.kind == Kind::Null {
            return None;
        }
        let place = self.surface.place(TexelPosition {
            level: d.min_lod,
            slice: 0,
            x,
            y,
            sample: 0,
        });
        Some(Read {
            start: self.surface.address(place.x, place.y),
            bytes: u32::from(d.format.bits).div_ceil(8),
            at: (x, y),
            asked: (x as i32, y as i32),
        })
    }

    /// R, G, B, A of a texel inside, as 8-bit codes; what the format lacks as it says.
    fn codes(&self, x: i32, y: i32) -> [u16; 4] {
        let d = self.surface.description();
        if d.kind == Kind::Null {
            return [0; 4];
        }
        let place = self.surface.place(TexelPosition {
            level: d.min_lod,
            slice: 0,
            x: x as u32,
            y: y as u32,
            sample: 0,
        });
        let [b0, b1, b2, b3, ..] = self.surface.read_cell(place);
        let bits = u32::from_le_bytes([b0, b1, b2, b3]);
        d.format
            .out
            .map(|name| match (name, d.format.channel(name)) {
                (b'1', _) => 255,
                (_, Some(channel)) => {
                    let shifted = bits.checked_shr(u32::from(channel.shift)).unwrap_or(0);
                    widen(shifted & ((1 << channel.bits) - 1), u32::from(channel.bits))
                }
                _ => 0,
            })
    }
}

/// `bits` (1..=8) bits to eight by repeating them.
fn widen(value: u32, bits: u32) -> u16 {
    let repeated = (0..8)
        .step_by(bits as usize)
        .fold(0, |sum, _| sum << bits | value);
    let have = bits * 8_u32.div_ceil(bits);
    (repeated >> (have - 8)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_repeated() {
        assert_eq!([widen(0, 1), widen(1, 1)], [0, 255]);
        assert_eq!(
            [widen(0b10, 2), widen(0b101, 3)],
            [0b1010_1010, 0b1011_0110]
        );
        assert_eq!(
            [widen(31, 5), widen(16, 5), widen(33, 6)],
            [255, 0b1000_0100, 0b1000_0110]
        );
        assert_eq!(widen(0x9a, 8), 0x9a);
    }

    #[test]
    fn the_mask_counts_pixels_in_two_by_two() {
        let rows = [
            [0, 1, 4, 5, 16, 17, 20, 21],
            [2, 3, 6, 7, 18, 19, 22, 23],
            [8, 9, 12, 13, 24, 25, 28, 29],
            [10, 11, 14, 15, 26, 27, 30, 31],
        ];
        for (row, y) in rows.iter().zip(0..) {
            for (&bit, x) in row.iter().zip(0..) {
                assert_eq!(mask_bit(x, y), bit, "({x}, {y})");
            }
        }
    }
}
