//! `sample_unorm`: laws, and samples by hand.

use proptest::prelude::*;
use visim::internals::isa::{ChannelMask, UnormFormat};
use visim::internals::message::UnormRequest;
use visim::internals::sampler::unorm::{
    Address, KeyMode, UnormError, UnormSampler, Writeback, packed_bytes, run,
};
use visim::internals::surface::{Description, Format, Surface};

fn surface(format: Format, width: u32, height: u32, bytes: &[u8]) -> Surface {
    let surface = Surface::zeroed(Description::d2(format, width, height)).unwrap();
    surface.memory().write(0, bytes);
    surface
}

fn request(channels: u8) -> UnormRequest {
    UnormRequest {
        surface: 0,
        sampler: 0,
        channels: ChannelMask(channels),
        u: 0.0,
        v: 0.0,
        delta_u: 0.0,
        delta_v: 0.0,
        killpix: false,
        only_rg: false,
        shader_payload: false,
    }
}

const LINEAR: UnormSampler = UnormSampler {
    linear: true,
    address_u: Address::Clamp,
    address_v: Address::Clamp,
    chroma_key_enable: false,
    chroma_key_mode: KeyMode::KillOnAnyMatch,
    chroma_key_low: 0,
    chroma_key_high: 0,
};

const FULL_16: Writeback = Writeback::Raster(UnormFormat::Full16);

/// R, G, B and A of one sample, 8.8.
fn sample(surface: &Surface, sampler: &UnormSampler, u: f32, v: f32) -> [u16; 4] {
    let request = UnormRequest {
        u,
        v,
        ..request(0b1111)
    };
    let mut dst = [0; 256];
    run(surface, sampler, &request, FULL_16, &mut dst).unwrap();
    [0, 64, 128, 192].map(|at| u16::from_le_bytes([dst[at], dst[at + 1]]))
}

#[test]
fn centres_are_at_one_half() {
    // Texels 0, 64, 128, 192 across. At u = 1/4 (position 1.0, between texels 0 and 1):
    // nearest takes texel 1; linear s = 128, i = 0, f = 128: 32.0.
    let four = surface(Format::R8_UNORM, 4, 1, &[0, 64, 128, 192]);
    let at = |sampler: UnormSampler, u: f32| sample(&four, &sampler, u, 0.0);
    let nearest = UnormSampler {
        linear: false,
        ..LINEAR
    };
    assert_eq!(at(nearest, 0.25), [64 << 8, 0, 0, 0xff00]);
    assert_eq!(at(LINEAR, 0.25), [32 << 8, 0, 0, 0xff00]);
    // The centre of texel 2 is at 2.5 / 4; a quarter texel on: 128 + 64 / 4 = 144.
    assert_eq!(at(LINEAR, 0.625)[0], 128 << 8);
    assert_eq!(at(LINEAR, 0.6875)[0], 144 << 8);
    // Left of the first centre: clamp keeps 0, wrap mixes with 192: 192 / 4 = 48 a quarter away.
    assert_eq!(at(LINEAR, 0.0625)[0], 0);
    let wrap = UnormSampler {
        address_u: Address::Wrap,
        ..LINEAR
    };
    assert_eq!(at(wrap, 0.0625)[0], 48 << 8);
    let mirror = UnormSampler {
        address_u: Address::Mirror,
        ..LINEAR
    };
    assert_eq!(at(mirror, 0.9375)[0], 192 << 8);
}

#[test]
fn all_four_texels_are_weighed_and_rounded_once() {
    // 10 20 / 30 41, f = 64/256, g = 192/256:
    // top = 10 * 192 + 20 * 64 = 3200, bottom = 30 * 192 + 41 * 64 = 8384,
    // (3200 * 64 + 8384 * 192 + 128) >> 8 = 1814656 >> 8 = 7088.
    let two = surface(Format::R8_UNORM, 2, 2, &[10, 20]);
    let pitch = two.description().pitch as usize;
    two.memory().write(pitch, &[30, 41]);
    // Texel centres are at +1/2, of two texels each.
    let (u, v) = ((0.5 + 0.25) / 2.0, (0.5 + 0.75) / 2.0);
    assert_eq!(sample(&two, &LINEAR, u, v)[0], 7088);
}

#[test]
fn narrow_channels_and_the_order_of_the_format() {
    // B5G6R5: B = 31, G = 0, R = 16.
    let surface = surface(Format::named("B5G6R5_UNORM").unwrap(), 1, 1, &[0x1f, 0x80]);
    let codes = sample(&surface, &LINEAR, 0.5, 0.5).map(|value| value >> 8);
    assert_eq!(codes, [0b1000_0100, 0, 255, 255]);
}

#[test]
fn results_are_rasters_of_eight_by_four() {
    let codes: Vec<u8> = (0..32).flat_map(|i| [i, 100 + i, 50 + i, 200]).collect();
    let surface = surface(Format::R8G8B8A8_UNORM, 8, 4, &codes);
    let request = UnormRequest {
        u: 0.5 / 8.0,
        v: 0.5 / 4.0,
        delta_u: 1.0 / 8.0,
        delta_v: 1.0 / 4.0,
        ..request(0b0011)
    };
    let mut dst = [0xee; 132];
    run(
        &surface,
        &UnormSampler::default(),
        &request,
        FULL_16,
        &mut dst,
    )
    .unwrap();
    let words: Vec<u16> = dst[..128]
        .as_chunks()
        .0
        .iter()
        .map(|&w| u16::from_le_bytes(w))
        .collect();
    let expected: Vec<u16> = (0..32).chain(100..132).map(|c| c << 8).collect();
    assert_eq!(words, expected);
    assert_eq!(dst[128..], [0xee; 4]);
    // 8 bits, R at even pixels only: 16 + 32 bytes.
    run(
        &surface,
        &LINEAR,
        &request,
        Writeback::Raster(UnormFormat::DownSampled8),
        &mut dst,
    )
    .unwrap();
    let half = Writeback::Raster(UnormFormat::DownSampled8);
    assert_eq!(packed_bytes(&request, half), 48);
    assert_eq!(dst[..5], [0, 2, 4, 6, 8]);
    assert_eq!(dst[16..19], [100, 101, 102]);
}

/// 8 by 4 texels whose R is their number, G 100 more, B 50 more, seen one to one.
fn numbered() -> (Surface, UnormRequest) {
    let codes: Vec<u8> = (0..32).flat_map(|i| [50 + i, 100 + i, i, 200]).collect();
    let request = UnormRequest {
        u: 0.5 / 8.0,
        v: 0.5 / 4.0,
        delta_u: 1.0 / 8.0,
        delta_v: 1.0 / 4.0,
        ..request(0b1111)
    };
    let format = Format::named("B8G8R8A8_UNORM").unwrap();
    (surface(format, 8, 4, &codes), request)
}

#[test]
fn gen5_returns_two_rows_of_four_pixels_side_by_side() {
    // W0: pixels 0-3, 8-11, 4-7, 12-15; W1: 16-19, 24-27, 20-23, 28-31. Source: PRM 4.11.2.4.1.
    let (surface, request) = numbered();
    let order: Vec<u16> = [0, 8, 4, 12, 16, 24, 20, 28]
        .into_iter()
        .flat_map(|first| first..first + 4)
        .collect();
    // _RG: R, then G, although all four channels are enabled.
    let request = UnormRequest {
        only_rg: true,
        ..request
    };
    assert_eq!(packed_bytes(&request, Writeback::Groups), 128);
    let mut dst = [0; 128];
    run(&surface, &LINEAR, &request, Writeback::Groups, &mut dst).unwrap();
    let words = dst.as_chunks().0.iter().map(|&w| u16::from_le_bytes(w));
    let expected: Vec<u16> = order
        .iter()
        .map(|r| r << 8)
        .chain(order.iter().map(|r| (100 + r) << 8))
        .collect();
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

#[test]
fn a_texel_of_the_key_kills_the_pixels_it_has_weight_in() {
    // Texel 9 = (1, 1) is keyed. One to one it is pixel (1, 1): bit 3.
    let (surface, request) = numbered();
    let request = UnormRequest {
        killpix: true,
        ..request
    };
    let keyed = UnormSampler {
        chroma_key_enable: true,
        chroma_key_low: 0x0009_0000,
        chroma_key_high: 0xff09_ffff,
        ..LINEAR
    };
    let mask = |sampler: &UnormSampler, request: &UnormRequest| {
        let mut dst = [0; 260];
        run(&surface, sampler, request, Writeback::Groups, &mut dst).unwrap();
        u32::from_le_bytes(dst[256..].try_into().unwrap())
    };
    assert_eq!(mask(&keyed, &request), !(1 << 3));
    // A quarter texel to the left, pixels 1 and 2 of row 1 see it: x = 0.75 .. and 1.75 ..: bits 3, 6.
    let moved = UnormRequest {
        u: 0.25 / 8.0,
        ..request
    };
    assert_eq!(mask(&keyed, &moved), !(1 << 3 | 1 << 6));
    // Alpha 200 outside the key saves all; so does replacement by black, which changes values instead.
    let low_alpha = UnormSampler {
        chroma_key_high: 0xc709_ffff,
        ..keyed
    };
    assert_eq!(mask(&low_alpha, &request), u32::MAX);
    let black = UnormSampler {
        chroma_key_mode: KeyMode::ReplaceBlack,
        ..keyed
    };
    assert_eq!(mask(&black, &request), u32::MAX);
    // Between texels 8 and 9: R = (8 + 0) / 2, G = (108 + 0) / 2.
    let half = sample(&surface, &black, 1.0 / 8.0, 1.5 / 4.0);
    assert_eq!(half[..2], [4 << 8, 54 << 8]);
}

/// A 10x6 surface of each format that the message reads, with these bytes.
fn surfaces(byte: impl Fn(usize) -> u8) -> Vec<Surface> {
    let made: Vec<Surface> = Format::all()
        .filter(|format| !format.is_planar())
        .filter_map(|format| Surface::zeroed(Description::d2(format, 10, 6)).ok())
        .filter(|surface| run(surface, &LINEAR, &request(1), FULL_16, &mut [0; 256]).is_ok())
        .collect();
    assert!(made.len() >= 18, "only {} formats", made.len());
    for surface in &made {
        let bytes: Vec<u8> = (0..surface.memory().len()).map(&byte).collect();
        surface.memory().write(0, &bytes);
    }
    made
}

/// The words of a block of all channels.
fn words(surface: &Surface, linear: bool, request: &UnormRequest) -> Vec<u16> {
    let sampler = UnormSampler { linear, ..LINEAR };
    let mut dst = [0; 256];
    run(surface, &sampler, request, FULL_16, &mut dst).unwrap();
    let (words, _) = dst.as_chunks();
    words.iter().map(|&w| u16::from_le_bytes(w)).collect()
}

#[test]
fn flat_areas_stay_flat_in_every_format() {
    for surface in surfaces(|_| 77) {
        for (linear, step) in [(false, 0.07), (true, 0.07), (true, 0.31)] {
            let request = UnormRequest {
                u: -0.1,
                v: 0.4,
                delta_u: step,
                delta_v: step,
                ..request(15)
            };
            for channel in words(&surface, linear, &request).chunks(32) {
                let format = surface.format();
                assert_eq!(channel, [channel[0]; 32], "{format} linear {linear}");
            }
        }
    }
}

#[test]
fn texel_centres_one_to_one_change_nothing_in_any_format() {
    for surface in surfaces(|i| (i * 151 % 253 + i / 97) as u8) {
        // Centres of the texels from (2, 1) on.
        let request = UnormRequest {
            u: 2.5 / 10.0,
            v: 1.5 / 6.0,
            delta_u: 1.0 / 10.0,
            delta_v: 1.0 / 6.0,
            ..request(15)
        };
        let found = words(&surface, false, &request);
        let format = surface.format();
        assert_eq!(words(&surface, true, &request), found, "{format}");
        for (at, &found) in found.iter().enumerate() {
            let (channel, x, y) = (at / 32, at as u32 % 8 + 2, at as u32 % 32 / 8 + 1);
            let texel = surface.load_texel(0, 0, x, y, 0).unwrap();
            let stored = format.channel(format.out[channel]);
            match stored {
                // The upper bits are the code that is stored.
                Some(stored) if stored.bits > 0 => {
                    let most = f32::from((1u16 << stored.bits) - 1);
                    let code = (f32::from_bits(texel[channel]) * most).round() as u16;
                    assert_eq!(found & 0xff, 0, "{format} channel {channel}");
                    let upper = found >> (16 - stored.bits);
                    assert_eq!(upper, code, "{format} channel {channel} at ({x}, {y})");
                }
                _ => {
                    let missing = if channel == 3 { 0xff00 } else { 0 };
                    assert_eq!(found, missing, "{format} channel {channel}");
                }
            }
        }
    }
}

#[test]
fn other_surfaces_are_refused() {
    let refusal = |description| {
        let surface = Surface::zeroed(description).unwrap();
        let bytes = Writeback::Raster(UnormFormat::Full8);
        run(&surface, &LINEAR, &request(1), bytes, &mut [0; 32]).unwrap_err()
    };
    let float = Format::R32_FLOAT;
    assert_eq!(
        refusal(Description::d2(float, 4, 4)),
        UnormError::Format(float)
    );
    let packed = Format::YCRCB_NORMAL;
    assert_eq!(
        refusal(Description::d2(packed, 4, 4)),
        UnormError::Format(packed)
    );
    assert_eq!(
        refusal(Description::buffer(Format::R8_UNORM, 4)),
        UnormError::Kind
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any coordinates on any small surface: defined, and between the extremes of the texels.
    #[test]
    fn samples_lie_between_texels(
        (width, height) in (1u32..9, 1u32..9),
        scalars in any::<[u32; 4]>(),
        special in prop::option::of((0usize..4, prop::sample::select(vec![
            f32::NAN, f32::INFINITY, -f32::INFINITY, 3e38, -3e38,
        ]))),
        linear in any::<bool>(),
        (address_u, address_v) in (0usize..3, 0usize..3),
    ) {
        let bytes: Vec<u8> = (0..81).map(|i| 40 + (i * 37 % 100) as u8).collect();
        let surface = surface(Format::R8_UNORM, width, height, &[]);
        let len = surface.memory().len();
        surface.memory().write(0, &bytes[..len.min(81)]);
        let modes = [Address::Wrap, Address::Mirror, Address::Clamp];
        let sampler = UnormSampler {
            linear,
            address_u: modes[address_u],
            address_v: modes[address_v],
            ..LINEAR
        };
        let mut scalars = scalars.map(f32::from_bits);
        if let Some((place, value)) = special {
            scalars[place] = value;
        }
        let [u, v, delta_u, delta_v] = scalars;
        let request = UnormRequest { u, v, delta_u, delta_v, ..request(1) };
        let mut dst = [0; 64];
        run(&surface, &sampler, &request, FULL_16, &mut dst).unwrap();
        for word in dst.as_chunks().0 {
            prop_assert!((40 << 8..140 << 8).contains(&u16::from_le_bytes(*word)));
        }
    }
}
