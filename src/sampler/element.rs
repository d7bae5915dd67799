//! The formats with kernels of their own: an element as a machine word, and the two ways to numbers.
//!
//! [`Element::spread`] decodes all lanes of a message channel by channel, which compilers turn into vector
//! code; [`Element::filter`] blends four elements. Both give what [`Decoder`](crate::surface::texel::Decoder)
//! and the reference filter give, bit for bit: tests compare them.

use super::{Channels, Lanes};
use crate::surface::float::{NAN, half_to_f32};
use crate::surface::texel::Rgba;
use crate::surface::{Format, Memory};

const ONE: u32 = 0x3f80_0000;

/// An element of a format with a kernel.
pub trait Element {
    /// Its bytes as little-endian words.
    type Word: Copy + Default;
    /// Its size.
    const BYTES: u32;

    /// Reads one.
    fn load(memory: &Memory, at: usize) -> Self::Word;

    /// Reads the one that starts at a byte of a row.
    fn take(bytes: &[u8], at: usize) -> Self::Word;

    /// Decodes it.
    fn decode(word: Self::Word) -> Rgba;

    /// Decodes the first `count` lanes, channel by channel.
    #[inline]
    fn spread(words: &[Self::Word; 32], count: usize, out: &mut Channels) {
        let [r, g, b, a] = out;
        let lanes = r.iter_mut().zip(g).zip(b).zip(a).zip(words);
        for ((((r, g), b), a), word) in lanes.take(count) {
            [*r, *g, *b, *a] = Self::decode(*word);
        }
    }

    /// The sum of four elements with weights in 1/65536; those of weight 0 take no part.
    fn filter(words: [Self::Word; 4], weights: [f64; 4]) -> Rgba;
}

/// What a caller does with the element type it is handed.
pub trait Use {
    /// What comes back.
    type Result;
    /// Runs for one format.
    fn run<E: Element>(self) -> Self::Result;
}

/// Hands the element of a format to `what`; `None` for formats without a kernel.
pub fn with_element<U: Use>(format: Format, what: U) -> Option<U::Result> {
    Some(match format {
        Format::R8_UNORM => what.run::<R8Unorm>(),
        Format::R8_UINT => what.run::<R8Uint>(),
        Format::R8G8_UNORM => what.run::<R8g8Unorm>(),
        Format::R16_UNORM => what.run::<R16Unorm>(),
        Format::R32_FLOAT => what.run::<R32Float>(),
        Format::R32_UINT => what.run::<R32Uint>(),
        Format::R8G8B8A8_UNORM => what.run::<Rgba8Unorm>(),
        Format::R8G8B8A8_UINT => what.run::<Rgba8Uint>(),
        Format::B8G8R8A8_UNORM => what.run::<Bgra8Unorm>(),
        Format::R16G16B16A16_FLOAT => what.run::<Rgba16Float>(),
        Format::R32G32B32A32_FLOAT => what.run::<Rgba32Float>(),
        Format::R32G32B32A32_UINT => what.run::<Rgba32Uint>(),
        _ => return None,
    })
}

/// v/255 of every byte, rounded to f32 as decoding does, for sums in f64.
static UNORM8: [f64; 256] = {
    let mut table = [0.0; 256];
    let mut v = 0;
    while v < 256 {
        table[v] = (v as f32 / 255.0) as f64;
        v += 1;
    }
    table
};

/// Σ tᵢ·wᵢ in the order of the reference.
#[inline]
fn blend<const K: usize>(texels: [[f64; K]; 4], weights: [f64; 4]) -> [f64; K] {
    let mut sum = [0.0; K];
    for (texel, weight) in texels.into_iter().zip(weights) {
        for (sum, v) in sum.iter_mut().zip(texel) {
            *sum += v * weight;
        }
    }
    sum.map(|v| v * (1.0 / 65536.0))
}

/// A number that no weight of 0 lets through: infinities would leave a NaN.
#[inline]
fn weighted(v: f32, weight: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { f64::from(v) }
}

#[inline]
fn float(v: f64) -> u32 {
    let v = v as f32;
    if v.is_nan() { NAN } else { v.to_bits() }
}

/// Sums that cannot be NaN.
#[inline]
fn finite(v: f64) -> u32 {
    (v as f32).to_bits()
}

#[inline]
fn unorm8(v: u32) -> u32 {
    // Signed, because vector units convert signed integers; both numbers are exact: one rounding.
    ((v & 255).cast_signed() as f32 / 255.0).to_bits()
}

#[inline]
fn byte(word: u32, n: u32) -> f64 {
    UNORM8[(word >> (8 * n) & 255) as usize]
}

/// Reading of words: memory and rows of bytes.
macro_rules! word {
    ($ty:ty, $bytes:literal) => {
        type Word = $ty;
        const BYTES: u32 = $bytes;

        #[inline]
        fn load(memory: &Memory, at: usize) -> $ty {
            <$ty>::from_le_bytes(memory.load::<$bytes>(at))
        }

        #[inline]
        fn take(bytes: &[u8], at: usize) -> $ty {
            let mut word = [0; $bytes];
            word.copy_from_slice(&bytes[at..at + $bytes]);
            <$ty>::from_le_bytes(word)
        }
    };
}

/// Integers are never filtered: the first element stands for all.
macro_rules! unfiltered {
    () => {
        #[inline]
        fn filter(words: [Self::Word; 4], _: [f64; 4]) -> Rgba {
            Self::decode(words[0])
        }
    };
}

struct R8Unorm;
impl Element for R8Unorm {
    word!(u8, 1);

    #[inline]
    fn decode(r: u8) -> Rgba {
        [unorm8(r.into()), 0, 0, ONE]
    }

    #[inline]
    fn filter(words: [u8; 4], weights: [f64; 4]) -> Rgba {
        let [r] = blend(words.map(|r| [UNORM8[usize::from(r)]]), weights);
        [finite(r), 0, 0, ONE]
    }
}

struct R8Uint;
impl Element for R8Uint {
    word!(u8, 1);
    unfiltered!();

    #[inline]
    fn decode(r: u8) -> Rgba {
        [u32::from(r), 0, 0, 1]
    }
}

struct R8g8Unorm;
impl Element for R8g8Unorm {
    word!(u16, 2);

    #[inline]
    fn decode(rg: u16) -> Rgba {
        let rg = u32::from(rg);
        [unorm8(rg), unorm8(rg >> 8), 0, ONE]
    }

    #[inline]
    fn filter(words: [u16; 4], weights: [f64; 4]) -> Rgba {
        let texels = words.map(|rg| [byte(rg.into(), 0), byte(rg.into(), 1)]);
        let [r, g] = blend(texels, weights);
        [finite(r), finite(g), 0, ONE]
    }
}

struct R16Unorm;
impl R16Unorm {
    #[inline]
    fn number(r: u16) -> f32 {
        i32::from(r) as f32 / 65535.0
    }
}
impl Element for R16Unorm {
    word!(u16, 2);

    #[inline]
    fn decode(r: u16) -> Rgba {
        [R16Unorm::number(r).to_bits(), 0, 0, ONE]
    }

    #[inline]
    fn filter(words: [u16; 4], weights: [f64; 4]) -> Rgba {
        let [r] = blend(words.map(|r| [f64::from(R16Unorm::number(r))]), weights);
        [finite(r), 0, 0, ONE]
    }
}

struct R32Float;
impl Element for R32Float {
    word!(u32, 4);

    #[inline]
    fn decode(r: u32) -> Rgba {
        [r, 0, 0, ONE]
    }

    #[inline]
    fn filter(words: [u32; 4], weights: [f64; 4]) -> Rgba {
        let texel = |i: usize| [weighted(f32::from_bits(words[i]), weights[i])];
        let [r] = blend(std::array::from_fn(texel), weights);
        [float(r), 0, 0, ONE]
    }
}

struct R32Uint;
impl Element for R32Uint {
    word!(u32, 4);
    unfiltered!();

    #[inline]
    fn decode(r: u32) -> Rgba {
        [r, 0, 0, 1]
    }
}

struct Rgba8Unorm;
impl Element for Rgba8Unorm {
    word!(u32, 4);

    #[inline]
    fn decode(rgba: u32) -> Rgba {
        [0, 8, 16, 24].map(|low| unorm8(rgba >> low))
    }

    #[inline]
    fn filter(words: [u32; 4], weights: [f64; 4]) -> Rgba {
        let texels = words.map(|rgba| [byte(rgba, 0), byte(rgba, 1), byte(rgba, 2), byte(rgba, 3)]);
        blend(texels, weights).map(finite)
    }
}

struct Rgba8Uint;
impl Element for Rgba8Uint {
    word!(u32, 4);
    unfiltered!();

    #[inline]
    fn decode(rgba: u32) -> Rgba {
        [0, 8, 16, 24].map(|low| rgba >> low & 255)
    }
}

struct Bgra8Unorm;
impl Element for Bgra8Unorm {
    word!(u32, 4);

    #[inline]
    fn decode(bgra: u32) -> Rgba {
        [16, 8, 0, 24].map(|low| unorm8(bgra >> low))
    }

    #[inline]
    fn filter(words: [u32; 4], weights: [f64; 4]) -> Rgba {
        let texels = words.map(|bgra| [byte(bgra, 2), byte(bgra, 1), byte(bgra, 0), byte(bgra, 3)]);
        blend(texels, weights).map(finite)
    }
}

struct Rgba16Float;
impl Element for Rgba16Float {
    word!(u64, 8);

    #[inline]
    fn decode(rgba: u64) -> Rgba {
        [0, 16, 32, 48].map(|low| half_to_f32((rgba >> low) as u16))
    }

    #[inline]
    fn filter(words: [u64; 4], weights: [f64; 4]) -> Rgba {
        let texel = |i: usize| {
            let rgba = Rgba16Float::decode(words[i]);
            rgba.map(|v| weighted(f32::from_bits(v), weights[i]))
        };
        blend(std::array::from_fn(texel), weights).map(float)
    }
}

/// Four dwords.
#[inline]
fn dwords(word: u128) -> Rgba {
    [0, 32, 64, 96].map(|low| (word >> low) as u32)
}

struct Rgba32Float;
impl Element for Rgba32Float {
    word!(u128, 16);

    #[inline]
    fn decode(rgba: u128) -> Rgba {
        dwords(rgba)
    }

    #[inline]
    fn filter(words: [u128; 4], weights: [f64; 4]) -> Rgba {
        let texel = |i: usize| {
            let rgba = dwords(words[i]);
            rgba.map(|v| weighted(f32::from_bits(v), weights[i]))
        };
        blend(std::array::from_fn(texel), weights).map(float)
    }
}

struct Rgba32Uint;
impl Element for Rgba32Uint {
    word!(u128, 16);
    unfiltered!();

    #[inline]
    fn decode(rgba: u128) -> Rgba {
        dwords(rgba)
    }
}

/// Merges what was decoded for all lanes into `out`: enabled channels of active lanes.
pub fn merge(decoded: &Channels, channels: u8, active: u32, out: &mut Channels) {
    for (c, (to, from)) in out.iter_mut().zip(decoded).enumerate() {
        if channels >> c & 1 == 0 {
            continue;
        }
        merge_lanes(from, active, to);
    }
}

fn merge_lanes(from: &Lanes, active: u32, to: &mut Lanes) {
    for (lane, (to, from)) in to.iter_mut().zip(from).enumerate() {
        if active >> lane & 1 == 1 {
            *to = *from;
        }
    }
}
