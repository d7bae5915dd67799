//! Component sizes and data types, as channels of the one format model.

use visim::internals::surface::float::srgb_to_linear;
use visim::internals::surface::texel::Rgba;
use visim::internals::tld::component::{Components, Decoder, NOT_MODELLED, surface_format};
use visim::internals::tld::header::DataType;
fn decode(components: Components, ty: DataType, bytes: &[u8]) -> Rgba {
    Decoder::new(components, [ty; 4], false).decode(bytes)
}

#[test]
fn codes_rise_and_have_one_meaning() {
    let codes: Vec<u8> = Components::ALL.iter().map(|c| c.code()).collect();
    assert!(codes.is_sorted());
    for &(first, last, name) in NOT_MODELLED {
        assert!(!codes.iter().any(|c| (first..=last).contains(c)), "{name}");
    }
    assert_eq!(Components::from_code(0x24), Err((true, "DXT1")));
    assert_eq!(
        Components::from_code(0x3f),
        Err((false, "no component sizes"))
    );
}

#[test]
fn sizes_fill_the_texel() {
    for &components in Components::ALL {
        let bits: u32 = components.sizes().into_iter().map(u32::from).sum();
        let exponent = if components == Components::E5B9G9R9 {
            5
        } else {
            0
        };
        assert_eq!(
            bits + exponent,
            components.bytes() as u32 * 8,
            "{}",
            components.name()
        );
    }
}

#[test]
fn formats_are_those_of_the_one_table() {
    let named =
        |components, ty, srgb| surface_format(components, [ty; 4], srgb).map_or("none", |f| f.name);
    assert_eq!(
        named(Components::A8B8G8R8, DataType::Unorm, false),
        "R8G8B8A8_UNORM"
    );
    assert_eq!(
        named(Components::A8B8G8R8, DataType::Unorm, true),
        "R8G8B8A8_UNORM_SRGB"
    );
    assert_eq!(
        named(Components::R32_G32_B32_A32, DataType::Float, false),
        "R32G32B32A32_FLOAT"
    );
    assert_eq!(named(Components::R8, DataType::Uint, false), "R8_UINT");
    assert_eq!(
        named(Components::E5B9G9R9, DataType::Float, false),
        "R9G9B9E5_SHAREDEXP"
    );
    assert_eq!(
        named(Components::BF10GF11RF11, DataType::Float, false),
        "R11G11B10_FLOAT"
    );
    let mixed = [
        DataType::Unorm,
        DataType::Snorm,
        DataType::Unorm,
        DataType::Unorm,
    ];
    assert_eq!(surface_format(Components::A8B8G8R8, mixed, false), None);
}

#[test]
fn every_type_reads() {
    let third = 0x3eaa_aaab; // 1/3, and 341/1023 to 24 bits
    assert_eq!(
        decode(
            Components::A2B10G10R10,
            DataType::Unorm,
            &[0x55, 0x55, 0x55, 0x55]
        ),
        [third, third, third, third]
    );
    assert_eq!(
        decode(Components::R8, DataType::Snorm, &[0x80])[0],
        (-1f32).to_bits()
    );
    assert_eq!(
        decode(Components::R16, DataType::Sint, &[0xfe, 0xff])[0],
        0xffff_fffe
    );
    assert_eq!(
        decode(Components::R16, DataType::Float, &[0x01, 0x7c])[0],
        0x7f80_2000
    );
    assert_eq!(
        decode(Components::R16, DataType::Float, &[0x00, 0xfe])[0],
        0xffc0_0000
    );
    assert_eq!(
        decode(Components::R16, DataType::Float, &[0x01, 0x00])[0],
        0x3380_0000
    );
    // 1 · 2^(16−24) in R, 511 · 2^(16−24) in B.
    let shared: u32 = 16 << 27 | 511 << 18 | 1;
    assert_eq!(
        decode(Components::E5B9G9R9, DataType::Float, &shared.to_le_bytes()),
        [(1f32 / 256.0).to_bits(), 0, (511f32 / 256.0).to_bits(), 0]
    );
}

#[test]
fn the_last_of_two_or_four_stays_linear() {
    let decoder = |components| Decoder::new(components, [DataType::Unorm; 4], true);
    let half = 0x3f00_8081; // 128/255
    let curved = srgb_to_linear(128, 8);
    let texel = [128; 4];
    assert_eq!(
        decoder(Components::A8B8G8R8).decode(&texel),
        [curved, curved, curved, half]
    );
    assert_eq!(
        decoder(Components::G8R8).decode(&texel[..2]),
        [curved, half, 0, 0]
    );
    assert_eq!(
        decoder(Components::R8).decode(&texel[..1]),
        [curved, 0, 0, 0]
    );
    let wide = Decoder::new(Components::R16, [DataType::Unorm; 4], true);
    assert_eq!(wide.decode(&[0xff, 0xff])[0], 1f32.to_bits());
}
