//! The formats with kernels of their own: an element as a machine word, and its channels as numbers.
//!
//! Every channel is decoded by an expression without a branch or a table look-up where that is possible: the
//! loops over lanes in [`super::lanes`] become vector code. All give what
//! [`Decoder`](crate::surface::texel::Decoder) gives, bit for bit: tests compare them.

use crate::math::simd;
use crate::surface::Memory;
use crate::surface::float::{half_to_f32, srgb_to_linear};
use wide::bytemuck::cast;

const ONE: u32 = 0x3f80_0000;

/// A machine word that holds an element.
pub trait Word: Copy + Default {
    /// Reads one whose address is a multiple of its size.
    fn load(memory: &Memory, at: usize) -> Self;

    /// Reads neighbours from a multiple of their size on; `None` if the memory ends too soon after them.
    fn run<const N: usize>(memory: &Memory, at: usize) -> Option<[Self; N]>;
}

/// Words from eight bytes after eight bytes, sixteen of them in a register at a time.
macro_rules! words {
    ($ty:ty, $next:expr) => {{
        let wide = simd::wide();
        let mut words = [0; N];
        for words in words.chunks_mut(16 / size_of::<$ty>()) {
            let pair = [$next, $next];
            let bytes = match wide {
                Some(wide) => wide.bytes(pair),
                None => cast(pair.map(u64::to_le)),
            };
            let (elements, _) = bytes.as_chunks();
            for (word, element) in words.iter_mut().zip(elements) {
                *word = <$ty>::from_le_bytes(*element);
            }
        }
        Some(words)
    }};
}

/// Words of which several share eight bytes of memory.
macro_rules! part {
    ($ty:ty) => {
        impl Word for $ty {
            #[inline(always)]
            fn load(memory: &Memory, at: usize) -> $ty {
                (memory.word(at) >> (8 * (at % 8))) as $ty
            }

            #[inline(always)]
            fn run<const N: usize>(memory: &Memory, at: usize) -> Option<[$ty; N]> {
                let mut wholes = memory.words(at, (size_of::<$ty>() * N).div_ceil(8))?;
                words!($ty, wholes.word())
            }
        }
    };
}

part!(u8);
part!(u16);
part!(u64);

impl Word for u32 {
    #[inline(always)]
    fn load(memory: &Memory, at: usize) -> u32 {
        (memory.word(at) >> (8 * (at % 8))) as u32
    }

    #[inline(always)]
    fn run<const N: usize>(memory: &Memory, at: usize) -> Option<[u32; N]> {
        let mut wholes = memory.whole_words(at, N / 2 + 1)?;
        let mut next = || wholes.next().unwrap_or_default();
        if at.is_multiple_of(8) {
            // No shifts.
            return words!(u32, next());
        }
        let mut held = next();
        words!(u32, {
            let half = held >> 32;
            held = next();
            half | held << 32
        })
    }
}

impl Word for u128 {
    #[inline(always)]
    fn load(memory: &Memory, at: usize) -> u128 {
        u128::from(memory.word(at)) | u128::from(memory.word(at + 8)) << 64
    }

    #[inline(always)]
    fn run<const N: usize>(memory: &Memory, at: usize) -> Option<[u128; N]> {
        let mut words = [0; N];
        let mut halves = memory.words(at, 2 * N)?;
        for word in &mut words {
            let [low, high] = [(); 2].map(|()| u128::from(halves.word()));
            *word = low | high << 64;
        }
        Some(words)
    }
}

/// An element of a format with a kernel.
pub trait Element {
    /// Its bytes as a little-endian word.
    type Word: Word;
    /// A bit for each channel that is stored; the others are constants.
    const STORED: u8;
    /// The numbers are floats that may be blended; integers never are.
    const BLENDS: bool;
    /// No infinity, no NaN.
    const FINITE: bool;

    /// Channel `c` of R, G, B, A in the type the format returns. The callers' `c` is a constant.
    fn channel(word: Self::Word, c: usize) -> u32;
}

/// Eight bits as v/255, rounded once.
#[inline(always)]
fn unorm8(v: u32) -> u32 {
    // v/256 is exact, and the rest is small enough that its own rounding does not show: a test tries all.
    // Signed, because vector units convert signed integers.
    let v = (v & 255).cast_signed() as f32;
    (v * (1.0 / 256.0) + v * (1.0 / 65280.0)).to_bits()
}

/// Sixteen bits as v/65535, rounded once.
#[inline(always)]
fn unorm16(v: u32) -> u32 {
    let v = (v & 0xffff).cast_signed() as f32;
    (v * (1.0 / 65536.0) + v * (1.0 / 4_294_901_760.0)).to_bits()
}

/// A row: name, word, stored channels, numbers, and the channel in terms of word and index.
macro_rules! element {
    ($(#[$doc:meta])* $name:ident, $word:ty, $stored:literal, $blends:literal, $finite:literal,
     |$v:ident, $c:ident| $value:expr) => {
        $(#[$doc])*
        pub struct $name;
        impl Element for $name {
            type Word = $word;
            const STORED: u8 = $stored;
            const BLENDS: bool = $blends;
            const FINITE: bool = $finite;

            #[inline(always)]
            fn channel($v: $word, $c: usize) -> u32 {
                $value
            }
        }
    };
}

/// Constants of channels that are not stored: 0, and one in alpha.
#[inline(always)]
fn constant(c: usize, one: u32) -> u32 {
    if c == 3 { one } else { 0 }
}

#[rustfmt::skip]
mod formats {
    use super::*;

    element!(/** One byte. */ R8Unorm, u8, 0b0001, true, true, |v, c| match c {
        0 => unorm8(v.into()),
        _ => constant(c, ONE),
    });
    element!(/** One byte. */ R8Uint, u8, 0b0001, false, true, |v, c| match c {
        0 => v.into(),
        _ => constant(c, 1),
    });
    element!(/** Alpha alone. */ A8Unorm, u8, 0b1000, true, true, |v, c| match c {
        3 => unorm8(v.into()),
        _ => 0,
    });
    element!(/** Luminance. */ L8Unorm, u8, 0b0111, true, true, |v, c| match c {
        3 => ONE,
        _ => unorm8(v.into()),
    });
    element!(/** Two bytes. */ R8g8Unorm, u16, 0b0011, true, true, |v, c| match c {
        0 | 1 => unorm8(u32::from(v) >> (8 * c)),
        _ => constant(c, ONE),
    });
    element!(/** One word. */ R16Unorm, u16, 0b0001, true, true, |v, c| match c {
        0 => unorm16(v.into()),
        _ => constant(c, ONE),
    });
    element!(/** One half. */ R16Float, u16, 0b0001, true, false, |v, c| match c {
        0 => half_to_f32(v),
        _ => constant(c, ONE),
    });
    element!(/** Two words. */ R16g16Unorm, u32, 0b0011, true, true, |v, c| match c {
        0 | 1 => unorm16(v >> (16 * c)),
        _ => constant(c, ONE),
    });
    element!(/** One float. */ R32Float, u32, 0b0001, true, false, |v, c| match c {
        0 => v,
        _ => constant(c, ONE),
    });
    element!(/** One dword. */ R32Uint, u32, 0b0001, false, true, |v, c| match c {
        0 => v,
        _ => constant(c, 1),
    });
    element!(/** Four bytes. */ Rgba8Unorm, u32, 0b1111, true, true, |v, c| unorm8(v >> (8 * c)));
    element!(/** Four bytes. */ Rgba8Uint, u32, 0b1111, false, true, |v, c| v >> (8 * c) & 255);
    element!(/** Blue first. */ Bgra8Unorm, u32, 0b1111, true, true, |v, c| {
        unorm8(v >> [16, 8, 0, 24][c])
    });
    element!(/** Four bytes, colours on the sRGB curve. */ Rgba8Srgb, u32, 0b1111, true, true, |v, c| match c {
        3 => unorm8(v >> 24),
        _ => srgb_to_linear(v >> (8 * c) & 255, 8),
    });
    element!(/** Blue first, colours on the sRGB curve. */ Bgra8Srgb, u32, 0b1111, true, true, |v, c| match c {
        3 => unorm8(v >> 24),
        _ => srgb_to_linear(v >> [16, 8, 0, 0][c] & 255, 8),
    });
    element!(/** Four halves. */ Rgba16Float, u64, 0b1111, true, false, |v, c| {
        half_to_f32((v >> (16 * c)) as u16)
    });
    element!(/** Four words. */ Rgba16Unorm, u64, 0b1111, true, true, |v, c| {
        unorm16((v >> (16 * c)) as u32)
    });
    element!(/** Two floats. */ R32g32Float, u64, 0b0011, true, false, |v, c| match c {
        0 | 1 => (v >> (32 * c)) as u32,
        _ => constant(c, ONE),
    });
    element!(/** Four floats. */ Rgba32Float, u128, 0b1111, true, false, |v, c| (v >> (32 * c)) as u32);
    element!(/** Four dwords. */ Rgba32Uint, u128, 0b1111, false, true, |v, c| (v >> (32 * c)) as u32);
}

pub use formats::*;

/// What [`Element`] says of a format.
#[derive(Clone, Copy)]
pub struct Decoding {
    /// A bit for each channel that is stored.
    pub stored: u8,
    /// The channels that are not stored.
    pub constants: [u32; 4],
    /// The numbers are floats that may be blended.
    pub blends: bool,
    /// No infinity, no NaN.
    pub finite: bool,
}

impl Decoding {
    /// What an element says.
    #[inline(always)]
    pub fn of<E: Element>() -> Decoding {
        Decoding {
            stored: E::STORED,
            constants: [0, 1, 2, 3].map(|c| E::channel(E::Word::default(), c)),
            blends: E::BLENDS,
            finite: E::FINITE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_once() {
        for v in 0..256u32 {
            assert_eq!(unorm8(v), (v as f32 / 255.0).to_bits(), "{v}");
        }
        for v in 0..65536u32 {
            assert_eq!(unorm16(v), (v as f32 / 65535.0).to_bits(), "{v}");
        }
        // As native code divides signed ones.
        for most in [127i16, 32767] {
            let (whole, rest) = (
                f32::from(most) + 1.0,
                f32::from(most) * (f32::from(most) + 1.0),
            );
            for v in -most..=most {
                let v = f32::from(v);
                let sum = v.mul_add(1.0 / whole, v * (1.0 / rest));
                assert_eq!(sum.to_bits(), (v / f32::from(most)).to_bits(), "{v} {most}");
            }
        }
    }

    #[test]
    fn neighbours_read_as_one_by_one() {
        let bytes: Vec<u8> = (0..=255).collect();
        let memory = Memory::from_bytes(&bytes);
        fn same<W: Word + PartialEq + std::fmt::Debug, const SIZE: usize>(memory: &Memory) {
            let from = |at: usize| {
                let one = |i: usize| W::load(memory, at + SIZE * i);
                assert_eq!(
                    W::run::<8>(memory, at),
                    Some(std::array::from_fn(one)),
                    "{at}"
                );
            };
            (0..64).step_by(SIZE).for_each(from);
            // One whole word more is looked at than there need be.
            assert_eq!(W::run::<8>(memory, 256 - 8 * SIZE), None);
        }
        same::<u8, 1>(&memory);
        same::<u16, 2>(&memory);
        same::<u32, 4>(&memory);
        same::<u64, 8>(&memory);
        same::<u128, 16>(&memory);
        assert_eq!(u16::load(&memory, 6), 0x0706);
    }
}
