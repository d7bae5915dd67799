//! The border colour as a format sees it. Source: surface reference 4.9.

use super::super::settings::Border;
use crate::surface::Format;
use crate::surface::float::half_to_f32;
use crate::surface::format::{BorderClass, Kind, Returns};
use crate::surface::texel::Rgba;

const ONE: u32 = 0x3f80_0000;

/// The colour of texels outside, in the type the format returns.
pub fn colour(border: &Border, format: Format) -> Rgba {
    let stored = match border {
        Border::Channels(channels) => *channels,
        Border::Encodings(words) => encoded(words, format.border),
    };
    if format.kind == Kind::Mono {
        return [0; 4];
    }
    let one = if format.returns == Returns::AsFloat {
        ONE
    } else {
        1
    };
    std::array::from_fn(|c| match format.out[c] {
        b'0' | b'-' => 0,
        b'1' => one,
        b'L' | b'I' => stored[0],
        b'A' => stored[3],
        _ => stored[c],
    })
}

/// The variant of the twelve dwords that belongs to a class of formats.
fn encoded(words: &[u32; 12], class: BorderClass) -> [u32; 4] {
    let word = |first: usize, c: usize| words[first + c / 2] >> (16 * (c % 2)) & 0xffff;
    let byte = |dw: usize, c: usize| words[dw] >> (8 * c) & 0xff;
    let signed = |v: f32, most: f32| (v / most).max(-1.0).to_bits();
    std::array::from_fn(|c| match class {
        BorderClass::Unorm8 => (byte(0, c) as f32 / 255.0).to_bits(),
        BorderClass::Float32 => words[2 + c],
        BorderClass::Float16 => half_to_f32(word(6, c) as u16),
        BorderClass::Unorm16 => (word(8, c) as f32 / 65535.0).to_bits(),
        BorderClass::Snorm16 => signed(f32::from(word(10, c) as i16), 32767.0),
        BorderClass::Snorm8 => signed(f32::from(byte(1, c) as i8), 127.0),
        // Integer formats have no border on Gen5: surface reference 4.9.
        BorderClass::NoBorder => 0,
    })
}
