//! Surfaces as a whole: what the formats suite of the corpus, which looks at vectors, does not say.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use visim::surface::format::{Channel, ChannelType, Use};
use visim::surface::texel::{Decoder, encode};
use visim::surface::{Description, Format, Memory, Surface, Tiling};

#[test]
fn texels_stored_through_a_surface_come_back() {
    let colour = [0.2f32, 0.4, 0.6, 0.8].map(f32::to_bits);
    for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
        for format in [
            Format::R8G8B8A8_UNORM,
            Format::R32G32B32A32_FLOAT,
            Format::R16_FLOAT,
        ] {
            let description = Description {
                tiling,
                ..Description::d2_array(format, 33, 9, 2)
            };
            let surface = Surface::zeroed(description).expect("surface");
            assert!(surface.store_texel(0, 1, 32, 8, colour));
            let decoder = surface.decoder().expect("decoder");
            let expected = decoder.decode(&encode(format, colour).expect("encoded"), 0, 0);
            assert_eq!(surface.load_texel(0, 1, 32, 8, 0), Some(expected));
            assert_eq!(surface.load_texel(0, 0, 32, 8, 0).map(|t| t[0]), Some(0));
        }
    }
    let memory = Arc::new(Memory::from_bytes(&[0; 8]));
    let yuyv = Surface::new(Description::d2(Format::YCRCB_NORMAL, 4, 1), memory).expect("surface");
    assert!(yuyv.store_texel(0, 0, 3, 0, [1.0f32, 0.2, 1.0, 1.0].map(f32::to_bits)));
    assert!(yuyv.store_texel(0, 0, 0, 0, [0.0f32, 0.4, 1.0, 1.0].map(f32::to_bits)));
    assert_eq!(yuyv.memory().to_vec(), [102, 255, 0, 0, 0, 0, 51, 0]);
}

#[test]
fn rows_that_a_sampler_reads_are_decoded_or_say_why_not() {
    let (mut decoded, mut reasons) = (0, 0);
    for format in Format::all().filter(|f| f.sample.ever()) {
        let decoder = Decoder::new(format, None).is_some() || format.is_planar();
        assert_eq!(decoder, format.not_modelled().is_none(), "{format}");
        decoded += usize::from(decoder);
        reasons += usize::from(!decoder);
    }
    // 51 of ETC2, EAC and ASTC are optional: surface reference 2.10.
    assert!(decoded > 120 && reasons > 40, "{decoded} {reasons}");
    for format in Format::all().filter(|f| f.used_for(Use::Sample)) {
        assert_eq!(format.not_modelled(), None, "{format} is Ironlake's");
    }
    let written = Format::all().filter(|f| f.used_for(Use::RenderTarget));
    for format in written {
        let pair = format.is_packed_422();
        assert!(encode(format, [0; 4]).is_some() || pair, "{format}");
    }
}

/// Puts a code into a channel of an empty cell.
fn with_code(channel: Channel, code: u32) -> [u8; 32] {
    let mut cell = [0; 32];
    for bit in (0..u16::from(channel.bits)).filter(|bit| code >> bit & 1 == 1) {
        let at = channel.shift + bit;
        cell[usize::from(at / 8)] |= 1 << (at % 8);
    }
    cell
}

#[test]
fn every_code_of_every_channel_survives_decoding_and_encoding() {
    let mut codes = 0u32;
    for format in Format::all() {
        let Some(decoder) = Decoder::new(format, None) else {
            continue;
        };
        if encode(format, [0; 4]).is_none() {
            continue;
        }
        for channel in format
            .channels
            .into_iter()
            .filter(|c| (1..=16).contains(&c.bits))
        {
            let output = format.out.iter().position(|&letter| letter == channel.name);
            let Some(output) = output else { continue };
            for code in 0..1u32 << channel.bits {
                let cell = with_code(channel, code);
                let rgba = decoder.decode(&cell, 0, 0);
                let least = 1 << (channel.bits - 1);
                let float = matches!(channel.ty, ChannelType::Float | ChannelType::Ufloat);
                // Two codes stand for -1, and one NaN for all.
                if channel.ty == ChannelType::Snorm && code == least
                    || float && f32::from_bits(rgba[output]).is_nan()
                {
                    continue;
                }
                let scaled = matches!(channel.ty, ChannelType::Uscaled | ChannelType::Sscaled);
                if scaled || channel.ty == ChannelType::Sfixed {
                    continue;
                }
                assert_eq!(
                    encode(format, rgba),
                    Some(cell),
                    "{format} {} {code:#x}",
                    channel.name as char
                );
                codes += 1;
            }
        }
    }
    assert!(codes > 2_000_000, "{codes}");
}
