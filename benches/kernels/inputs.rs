//! Inputs and checksums, the same as those of tools/peers/common/bench.h: nothing is read from disk.

use std::sync::Arc;
use visim::internals::launch::kernel::Argument;
use visim::internals::launch::kernel::image::{Image, Shape};
use visim::internals::surface::Memory;

/// The finaliser of MurmurHash3.
fn mix(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

fn mixed(i: usize, seed: u32) -> u32 {
    mix((i as u32).wrapping_add(seed.wrapping_mul(0x9e37_79b9)))
}

/// Bytes of noise.
pub fn noise(bytes: usize, seed: u32) -> Vec<u8> {
    (0..bytes).map(|i| (mixed(i, seed) >> 24) as u8).collect()
}

/// Floats in [0, 1) of 24 bits.
pub fn noise_f32(count: usize, seed: u32) -> Vec<u8> {
    let value = |i| (mixed(i, seed) >> 8) as f32 / 16_777_216.0;
    (0..count).flat_map(|i| value(i).to_le_bytes()).collect()
}

/// Two triangle waves and four bits of noise: a picture of one channel.
pub fn picture(width: u32, height: u32) -> Vec<u8> {
    let wave = |t: u32| match t & 511 {
        up @ 0..=255 => up,
        down => 511 - down,
    };
    let texel = |x: u32, y: u32| {
        let grain = mixed(((y * 4096 + x) * 4) as usize, 9) >> 24 & 15;
        ((wave(x * 3) + wave(y * 5)) / 2 + grain).min(255) as u8
    };
    (0..height)
        .flat_map(|y| (0..width).map(move |x| texel(x, y)))
        .collect()
}

/// A fixed permutation of the pixels, x in the low half and y in the high half (Fisher-Yates by splitmix64 of 1).
pub fn permutation(width: u32, height: u32) -> Vec<u8> {
    let mut order: Vec<u32> = (0..width * height).collect();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    for i in (1..order.len()).rev() {
        order.swap(i, (next() % (i as u64 + 1)) as usize);
    }
    let packed = order.iter().map(|at| (at % width) | ((at / width) << 16));
    packed.flat_map(u32::to_le_bytes).collect()
}

/// FNV-1a over the 32-bit words of bytes.
pub fn fnv(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from(u32::from_le_bytes(word))
    });
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word).wrapping_mul(0x100_0000_01b3)
    })
}

/// What the bytes of a result are.
#[derive(Clone, Copy)]
pub enum Element {
    Byte,
    Float,
    Count,
}

impl Element {
    /// The plain sum.
    pub fn sum(self, bytes: &[u8]) -> f64 {
        let words = bytes.as_chunks().0.iter();
        match self {
            Element::Byte => bytes.iter().map(|byte| f64::from(*byte)).sum(),
            Element::Float => words.map(|word| f64::from(f32::from_le_bytes(*word))).sum(),
            Element::Count => words.map(|word| f64::from(u32::from_le_bytes(*word))).sum(),
        }
    }
}

/// An image of 8-bit channels in the order of `order`.
pub fn image(order: &str, (width, height): (u32, u32), texels: &[u8]) -> Argument {
    let shape = Shape {
        kind: "2d".to_string(),
        order: order.to_string(),
        channel: "UNORM_INT8".to_string(),
        width,
        height,
        ..Shape::default()
    };
    Argument::Image(Image::new(shape, texels).unwrap_or_else(|e| panic!("{}", e.message)))
}

/// An image of 8-bit channels with nothing in it.
pub fn blank(order: &str, size: (u32, u32)) -> Argument {
    image(
        order,
        size,
        &vec![0; (size.0 * size.1) as usize * order.len()],
    )
}

pub fn buffer(bytes: &[u8]) -> Argument {
    Argument::Buffer(Arc::new(Memory::from_bytes(bytes)).into())
}

pub fn empty(bytes: u32) -> Argument {
    Argument::Buffer(Arc::new(Memory::zeroed(bytes as usize)).into())
}

pub fn int(value: u32) -> Argument {
    Argument::Value(value.to_le_bytes().to_vec())
}
