//! Typed writes, a row at a time: texels that follow each other in a linear image are converted together
//! and stored in one piece.
//!
//! [`Surface::store_texel`] defines what is stored; a law asserts that a row leaves the same bytes.
//! Source: surface reference 2.11; vISA text reference 5.9.

use crate::math::simd;
use crate::surface::channels::{Numbers, Packed, packed};
use crate::surface::format::{Access, ChannelType, Colour};
use crate::surface::texel::encode;
use crate::surface::{Format, Kind, Memory, Surface, TexelPosition, Tiling};
use std::ops::Range;

/// Lanes of a message at most.
const LANES: usize = 32;

/// Texels of a message, a dword for each lane of each register; no bytes at all are zeros.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Lanes that are on.
    pub mask: u32,
    /// Lanes of the message.
    pub lanes: usize,
    /// U, V, R and the level.
    pub coordinates: [&'a [u8]; 4],
    /// R, G, B, A in the number type of the format.
    pub channels: [&'a [u8]; 4],
}

impl Row<'_> {
    /// No registers yet, for so many lanes, those of a mask on.
    pub fn new(mask: u32, lanes: u32) -> Self {
        Row {
            mask,
            lanes: (lanes as usize).min(LANES),
            coordinates: [&[]; 4],
            channels: [&[]; 4],
        }
    }

    /// A bit for each lane whose texel follows that of the lane before in its row.
    fn joined(&self) -> u32 {
        let [u, v, ..] = self.coordinates;
        let follows = |lane: &usize| {
            let before = lane - 1;
            dword(u, *lane) == dword(u, before).wrapping_add(1)
                && dword(v, *lane) == dword(v, before)
        };
        let lanes = (1..self.lanes).filter(follows);
        lanes.fold(0, |bits, lane| bits | 1 << lane)
    }
}

/// The dword of a lane.
#[inline(always)]
fn dword(register: &[u8], lane: usize) -> u32 {
    let (dwords, _) = register.as_chunks::<4>();
    dwords.get(lane).map_or(0, |d| u32::from_le_bytes(*d))
}

/// Whether some lanes of a register count from `from` on, by `step` from each to the next.
#[inline(always)]
fn is_walk(register: &[u8], lanes: Range<usize>, from: u32, step: u32) -> bool {
    let (dwords, _) = register.as_chunks::<4>();
    let Some(dwords) = dwords.get(lanes) else {
        // No bytes are zeros.
        return register.is_empty() && from == 0 && step == 0;
    };
    let mut misses = 0;
    for (i, dword) in (0..).zip(dwords) {
        misses |= u32::from_le_bytes(*dword) ^ from.wrapping_add(step * i);
    }
    misses == 0
}

/// Bytes of a texel at most.
const MOST: usize = 16;

/// How texels become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    /// 8-bit channels of the range 0 to 1: for each byte the channel it comes from.
    Bytes([Option<u8>; 4]),
    /// 32-bit channels unchanged.
    Dwords([Option<u8>; 4]),
    /// One by one.
    Each,
}

impl Packing {
    fn of(format: Format) -> Packing {
        let mut sources = [None; 4];
        let stored = format.channels.into_iter().filter(|c| c.bits > 0);
        let all = |fits: &dyn Fn(ChannelType, u8) -> bool| {
            let mut stored = stored.clone();
            stored.all(|c| fits(c.ty, c.bits) && c.shift % u16::from(c.bits) == 0)
        };
        let bytes = matches!(format.cell().bytes, 1 | 2 | 4)
            && all(&|ty, bits| ty == ChannelType::Unorm && bits == 8);
        let dwords = all(&|ty, bits| {
            bits == 32
                && matches!(
                    ty,
                    ChannelType::Float | ChannelType::Uint | ChannelType::Sint
                )
        });
        if !bytes && !dwords || format.colour == Colour::SrgbCurve {
            return Packing::Each;
        }
        for channel in stored {
            let place = usize::from(channel.shift / u16::from(channel.bits));
            let source = format.out.iter().position(|&letter| letter == channel.name);
            match sources.get_mut(place) {
                Some(place) => *place = source.map(|s| s as u8),
                None => return Packing::Each,
            }
        }
        if bytes {
            Packing::Bytes(sources)
        } else {
            Packing::Dwords(sources)
        }
    }
}

/// Texels as they are written: where the first one is, how many there are on each axis, the bytes from one to the next
/// there, and the place of each channel.
#[derive(Clone, Copy, Debug)]
pub struct WrittenBytes {
    /// Byte of the memory, a multiple of four, or of the bytes of a texel.
    pub start: usize,
    /// Across and down.
    pub size: [u32; 2],
    /// Across and down.
    pub steps: [u32; 2],
    /// Where channels are, of which none lies in two dwords.
    pub packed: Packed,
    /// All four are bytes of one dword, 0 to 1.
    pub bytes: bool,
}

/// What is known of an image before its texels are written.
#[derive(Clone, Debug)]
pub struct Writer {
    packing: Packing,
    /// Where channels are, if they are alike and lie within dwords.
    packed: Option<Packed>,
    /// Bytes of a texel.
    size: usize,
    width: u32,
    height: u32,
    /// The address of texel (0, 0), and bytes from a row to the next.
    start: usize,
    pitch: usize,
}

impl Writer {
    /// The writer of a linear 2D image; `None` for any other surface, and for a format that its generation does
    /// not write so.
    pub fn new(surface: &Surface) -> Option<Writer> {
        let (d, format) = (surface.description(), surface.format());
        if d.kind != Kind::D2 || d.array || d.samples > 1 || d.tiling != Tiling::Linear {
            return None;
        }
        if !format.allows(Access::TypedWrite, d.generation) {
            return None;
        }
        let size = format.cell().bytes as usize;
        let single = format.cell().across == 1 && !format.is_compressed() && !format.is_planar();
        if !single || size > MOST || d.write_disable != 0 || d.min_lod >= d.levels {
            return None;
        }
        encode(format, [0; 4])?;
        let inside = |n: u32| (n >> d.min_lod).max(1);
        // Rows of a linear image are equally far apart, whatever lines they are.
        let address = |y: u32| {
            let place = surface.place(TexelPosition {
                level: d.min_lod,
                slice: 0,
                x: 0,
                y,
                sample: 0,
            });
            surface.address(place.x, place.y)
        };
        Some(Writer {
            packing: Packing::of(format),
            packed: packed(format),
            size,
            width: inside(d.width),
            height: inside(d.height),
            start: address(0),
            pitch: address(1) - address(0),
        })
    }

    /// What native code has to know, if it knows the channels, each of which comes from another one of the message, and all
    /// texels lie in the memory.
    pub fn written_bytes(&self, memory: &Memory) -> Option<WrittenBytes> {
        let packed = self.packed?;
        let mut taken = 0u128;
        for (place, shift) in packed.places.into_iter().zip(packed.shifts) {
            let bits = u128::from(packed.mask) << (8 * u32::from(place) + shift);
            if shift < 32 && taken & bits != 0 {
                return None;
            }
            taken |= if shift < 32 { bits } else { 0 };
        }
        let all = 8 * self.size as u32;
        let whole = taken == u128::MAX >> (128 - all.clamp(1, 128));
        // Words are put together in pairs.
        let in_order = |c: usize| {
            let own = (4 * (c as u16 / 2), 16 * (c as u32 % 2));
            packed.shifts[c] == 32 || (packed.places[c], packed.shifts[c]) == own
        };
        let pairs = packed.mask != 0xffff || (0..4).all(in_order);
        let size = matches!(self.size, 1 | 2 | 4 | 8 | 16).then_some(self.size as u32)?;
        let pitch = u32::try_from(self.pitch).ok()?;
        let rows = u64::from(pitch) * u64::from(self.height.checked_sub(1)?);
        let end = rows + u64::from(size) * u64::from(self.width);
        let inside = self.start as u64 + end <= memory.len() as u64;
        let fits = end < 1 << 30 && inside;
        let unit = size.min(4);
        let aligned = self.start.is_multiple_of(unit as usize) && pitch.is_multiple_of(unit);
        (whole && pairs && fits && aligned).then_some(WrittenBytes {
            start: self.start,
            size: [self.width, self.height],
            steps: [size, pitch],
            packed,
            bytes: packed.numbers == Numbers::Bytes && size == 4,
        })
    }

    /// Writes texels if those of lanes that are on are all inside, those that follow each other in a row together. If not,
    /// nothing has happened and false comes back.
    pub fn write(&self, surface: &Surface, row: &Row<'_>) -> bool {
        let lanes = row.lanes.clamp(1, LANES);
        let mask = row.mask & (u32::MAX >> (32 - lanes));
        let fits = |joined| runs(mask, joined).all(|on| self.place(row, on).is_some());
        // Mostly all lanes have one row.
        let joined = match fits(u32::MAX) {
            true => u32::MAX,
            false => row.joined(),
        };
        if mask == 0 || joined != u32::MAX && !fits(joined) {
            return false;
        }
        if self.packing == Packing::Each && encode(surface.format(), [0; 4]).is_none() {
            return false;
        }
        for on in runs(mask, joined) {
            if let Some(at) = self.place(row, on.clone()) {
                self.put(surface, row, on, at);
            }
        }
        true
    }

    /// The address of the first texel of some lanes, if they follow each other in one row, all inside.
    #[inline(always)]
    fn place(&self, row: &Row<'_>, on: Range<usize>) -> Option<usize> {
        let [u, v, _, level] = row.coordinates;
        let (x, y) = (dword(u, on.start), dword(v, on.start));
        let end = x.checked_add(on.len() as u32)?;
        let straight = is_walk(u, on.clone(), x, 1)
            && is_walk(v, on.clone(), y, 0)
            && is_walk(level, on, 0, 0);
        let inside = straight && end <= self.width && y < self.height;
        inside.then(|| self.start + y as usize * self.pitch + x as usize * self.size)
    }

    /// Writes the texels of some lanes from an address on.
    #[inline(always)]
    fn put(&self, surface: &Surface, row: &Row<'_>, on: Range<usize>, at: usize) {
        let (first, count) = (on.start, on.len());
        if let Packing::Bytes(sources) = self.packing {
            let mut bytes = [0; 4 * LANES];
            let bytes = &mut bytes[..self.size * count];
            match simd::wide() {
                Some(wide) => wide.run(
                    #[inline(always)]
                    || self.pack_bytes(row, first, sources, bytes),
                ),
                None => self.pack_bytes(row, first, sources, bytes),
            }
            surface.memory().write(at, bytes);
            return;
        }
        let mut bytes = [0; MOST * LANES];
        let bytes = &mut bytes[..self.size * count];
        for (i, texel) in bytes.chunks_exact_mut(self.size).enumerate() {
            if let Packing::Dwords(sources) = self.packing {
                for (place, source) in texel.as_chunks_mut::<4>().0.iter_mut().zip(sources) {
                    if let Some(source) = source {
                        let value = dword(row.channels[usize::from(source)], first + i);
                        *place = value.to_le_bytes();
                    }
                }
                continue;
            }
            let rgba = row.channels.map(|channel| dword(channel, first + i));
            if let Some(cell) = encode(surface.format(), rgba) {
                texel.copy_from_slice(&cell[..self.size]);
            }
        }
        surface.memory().write(at, bytes);
    }

    /// Texels of 8-bit channels.
    #[inline(always)]
    fn pack_bytes(&self, row: &Row<'_>, first: usize, sources: [Option<u8>; 4], bytes: &mut [u8]) {
        for (n, texels) in bytes.chunks_mut(self.size * TOGETHER).enumerate() {
            let mut words = [0; TOGETHER];
            for (place, source) in sources.iter().enumerate() {
                if let Some(source) = source {
                    let channel = row.channels[usize::from(*source)];
                    let channel = channel.get(4 * (first + TOGETHER * n)..);
                    add_codes(&mut words, channel.unwrap_or_default(), 8 * place as u32);
                }
            }
            match self.size {
                4 => put_words(texels, &words, u32::to_le_bytes),
                2 => put_words(texels, &words, |word| (word as u16).to_le_bytes()),
                _ => put_words(texels, &words, |word| [word as u8]),
            }
        }
    }
}

/// Adds 0 to 1 as 0 to 255, halves up, to texels from bit `shift` on; NaN is 0. Source: surface reference 2.11.
#[inline(always)]
fn add_codes(words: &mut [u32; TOGETHER], channel: &[u8], shift: u32) {
    let mut numbers = [0.0; TOGETHER];
    let (values, _) = channel.as_chunks::<4>();
    if let Some(values) = values.first_chunk::<TOGETHER>() {
        for i in 0..TOGETHER {
            numbers[i] = f32::from_le_bytes(values[i]);
        }
    } else {
        for (number, value) in numbers.iter_mut().zip(values) {
            *number = f32::from_le_bytes(*value);
        }
    }
    for i in 0..TOGETHER {
        words[i] |= unorm8(numbers[i]) << shift;
    }
}

/// Texels as bytes, as many as there is room for.
#[inline(always)]
fn put_words<const SIZE: usize>(
    bytes: &mut [u8],
    words: &[u32; TOGETHER],
    texel: impl Fn(u32) -> [u8; SIZE],
) {
    let (texels, _) = bytes.as_chunks_mut::<SIZE>();
    if let Some(texels) = texels.first_chunk_mut::<TOGETHER>() {
        for i in 0..TOGETHER {
            texels[i] = texel(words[i]);
        }
    } else {
        for (to, word) in texels.iter_mut().zip(words) {
            *to = texel(*word);
        }
    }
}

/// A number as eight bits.
///
/// A sum just below an integer may be rounded to it: the exact one is below then, and its sign is not rounded away.
#[inline(always)]
fn unorm8(value: f32) -> u32 {
    let x = if value > 0.0 { value } else { 0.0 };
    let x = if x < 1.0 { x } else { 1.0 };
    let code = x.mul_add(255.0, 0.5).floor();
    let rest = x.mul_add(255.0, 0.5 - code);
    let code = if rest < 0.0 { code - 1.0 } else { code };
    // The sum of an integer and 2^23 has the integer in its low bits: vector code, which a cast is not.
    (code + 8_388_608.0).to_bits() & 0xff
}

/// Lanes that are on and beside each other, from the first of them on.
fn runs(mut mask: u32, joined: u32) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let first = mask.trailing_zeros();
        let more = u64::from(mask & joined) >> (first + 1);
        let count = 1 + more.trailing_ones();
        mask &= !(u32::MAX >> (32 - count) << first);
        Some(first as usize..(first + count) as usize)
    })
}

/// Lanes that are converted together.
const TOGETHER: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bits_are_those_of_the_exact_sum() {
        let exact = |value: f32| {
            let x = f64::from(value);
            let x = if x > 0.0 { x.min(1.0) } else { 0.0 };
            (x * 255.0 + 0.5).floor() as u32
        };
        // Around every step, and some of all bits.
        let steps = (0..=255u32).flat_map(|k| {
            let edge = ((f64::from(k) - 0.5) / 255.0) as f32;
            (0..64u32).map(move |i| edge.to_bits().wrapping_add(i).wrapping_sub(32))
        });
        let any = (0..1u32 << 20).map(|i| i.wrapping_mul(0x9e37_79b9));
        for bits in steps.chain(any) {
            let value = f32::from_bits(bits);
            assert_eq!(unorm8(value), exact(value), "{value:e}");
        }
    }

    #[test]
    fn lanes_beside_each_other() {
        let of = |mask| runs(mask, u32::MAX).collect::<Vec<_>>();
        assert_eq!(of(u32::MAX).first(), Some(&(0..32)));
        assert_eq!(of(0xf3), [0..2, 4..8]);
        assert_eq!(of(0x8000_0002), [1..2, 31..32]);
        assert!(of(0).is_empty());
        let parts = runs(0xffff_fff3, !(1 << 16)).collect::<Vec<_>>();
        assert_eq!(parts, [0..2, 4..16, 16..32]);
    }

    #[test]
    fn lanes_are_joined_along_a_row() {
        let register = |dwords: [u32; 6]| dwords.map(u32::to_le_bytes).concat();
        let (u, v) = (register([3, 4, 5, 3, 4, 4]), register([7, 7, 7, 8, 8, 8]));
        let mut row = Row::new(0x3f, 6);
        row.coordinates[..2].copy_from_slice(&[&u, &v]);
        assert_eq!(row.joined(), 0b01_0110);
        row.coordinates[1] = &[];
        assert_eq!(row.joined(), 0b01_0110);
    }
}
