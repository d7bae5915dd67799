//! Shadow compare: a texel becomes 0 or 1 before it is filtered. Source: PRM 4.4; surface reference 4.12.

use super::super::settings::Shadow;
use crate::surface::Format;
use crate::surface::format::{Channel, ChannelType};
use crate::surface::texel::Rgba;

const ONE: u32 = 0x3f80_0000;

/// Whether the pixel is lit: 0.0 where the comparison holds. With NaN only NOTEQUAL holds.
pub fn lit(function: Shadow, texel: f32, reference: f32) -> f32 {
    let holds = match function {
        Shadow::Always => true,
        Shadow::Never => false,
        Shadow::Less => texel < reference,
        Shadow::Equal => texel == reference,
        Shadow::Lequal => texel <= reference,
        Shadow::Greater => texel > reference,
        Shadow::Notequal => texel != reference,
        Shadow::Gequal => texel >= reference,
    };
    if holds { 0.0 } else { 1.0 }
}

/// The reference as a format compares it: cut to 0 … 1 where the stored number is UNORM.
pub fn reference(format: Format, reference: f32) -> f32 {
    let stored = stored(format);
    if stored.is_some_and(|c| c.ty == ChannelType::Unorm) {
        // NaN stays NaN.
        reference.clamp(0.0, 1.0)
    } else {
        reference
    }
}

/// The channel that is compared: red, or what an alpha or intensity format stores.
fn stored(format: Format) -> Option<Channel> {
    let letters = [format.out[0], format.out[3]];
    letters.iter().find_map(|&letter| format.channel(letter))
}

/// Replaces a texel by the result of its comparison.
///
/// The result takes the place of all stored channels: (v, 0, 0, 1) for R formats, (v, v, v, 1) for L, four
/// times v for I.
pub fn compare(function: Shadow, format: Format, texel: Rgba, reference: f32) -> Rgba {
    let alpha_only = format.channel(format.out[0]).is_none() && format.channel(b'A').is_some();
    let value = f32::from_bits(texel[if alpha_only { 3 } else { 0 }]);
    let v = lit(function, value, reference).to_bits();
    format.out.map(|letter| match letter {
        b'0' | b'-' => 0,
        b'1' => ONE,
        _ => v,
    })
}
