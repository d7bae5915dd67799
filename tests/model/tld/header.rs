//! The Maxwell texture header: 256 bits that say what a texture is and where it lies.

use visim::internals::tld::block_linear::Block;
use visim::internals::tld::component::Components;
use visim::internals::tld::header::Header;
use visim::internals::tld::header::{DataType, Layout, Swizzle, TextureType};
use visim::internals::tld::header::{FIELDS, HeaderField};
#[test]
fn no_two_fields_of_a_layout_share_a_bit() {
    for letter in "BPO".chars() {
        let mut owner: [Option<&str>; 256] = [None; 256];
        for field in FIELDS.iter().filter(|f| f.layouts.contains(letter)) {
            for bit in (field.lo..=field.hi).map(|bit| 32 * field.dw + bit as usize) {
                let before = owner[bit].replace(field.name);
                assert_eq!(before, None, "{letter} bit {bit}: {}", field.name);
            }
        }
    }
}

/// The three worked headers of TLD reference 4.2.
#[test]
fn the_worked_headers() {
    let image = [
        0x58d2_4908,
        0x0010_0000,
        0x0060_0000,
        0x10,
        0xe080_0063,
        0x8000_0024,
        0,
        0,
    ];
    let header = Header {
        layout: Layout::BlockLinear {
            block: Block {
                height: 2,
                depth: 0,
            },
        },
        address: 0x10_0000,
        width: 100,
        height: 37,
        ..Header::default()
    };
    assert_eq!(Header::decode(&image), Ok(header.clone()));
    assert_eq!(header.encode(), image);

    let pitch = [
        0x58d7_ff81,
        0x0040_0020,
        0x0040_0000,
        0xd,
        0xe380_0018,
        0x8000_000a,
        0,
        0,
    ];
    let header = Header {
        layout: Layout::Pitch { pitch: 0x1a0 },
        components: Components::R32_G32_B32_A32,
        types: [DataType::Float; 4],
        address: 0x40_0020,
        width: 25,
        height: 11,
        texture_type: TextureType::TwoDNoMipmap,
        ..Header::default()
    };
    assert_eq!(Header::decode(&pitch), Ok(header.clone()));
    assert_eq!(header.encode(), pitch);

    let buffer = [0x7017_ff8f, 0x0002_0a34, 0, 1, 0x0300_116f, 0, 0, 0];
    let header = Header {
        layout: Layout::Buffer,
        components: Components::R32,
        types: [DataType::Float; 4],
        sources: [Swizzle::R, Swizzle::Zero, Swizzle::Zero, Swizzle::OneFloat],
        address: 0x2_0a34,
        width: 70000,
        texture_type: TextureType::OneDBuffer,
        normalized: false,
        ..Header::default()
    };
    assert_eq!(Header::decode(&buffer), Ok(header.clone()));
    assert_eq!(header.encode(), buffer);
}

#[test]
fn refusals_name_the_field() {
    let refused = |field: &HeaderField, value: u64| {
        let mut words = Header::default().encode();
        field.set(&mut words, value);
        match Header::decode(&words) {
            Ok(header) => panic!("{} = {value} is accepted: {header:?}", field.name),
            Err(problems) => assert!(
                problems.iter().any(|p| p.field == field.name),
                "{problems:?}"
            ),
        }
    };
    let named = |name: &str| FIELDS.iter().find(|f| f.name == name).expect("a field");
    for field in FIELDS.iter().filter(|f| f.doc == "must be 0") {
        refused(field, 1);
    }
    refused(named("HEADER_VERSION"), 1);
    refused(named("HEADER_VERSION"), 7);
    refused(named("BORDER_SIZE"), 0);
    refused(named("GOBS_PER_BLOCK_HEIGHT"), 6);
    refused(named("MULTI_SAMPLE_COUNT"), 6);
    refused(named("TEXTURE_TYPE"), 6);
    refused(named("X_SOURCE"), 1);
    refused(named("R_DATA_TYPE"), 5);
    refused(named("COMPONENTS"), 0x24);
    refused(named("COMPONENTS"), 0x02);
}
