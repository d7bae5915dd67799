//! Chroma key: texels within a range of colours read as black.

use super::plain;
use visim::internals::sampler::avs::ChromaKey;
use visim::internals::sampler::avs::state::AvsSampler;
use visim::internals::surface::{Format, Memory};
fn key(low: u32, high: u32) -> AvsSampler {
    AvsSampler {
        chroma_key_enable: true,
        chroma_key_low: low,
        chroma_key_high: high,
        ..AvsSampler::default()
    }
}

#[test]
fn all_four_channels_must_match() {
    let memory = Memory::from_bytes(&[0x10, 0x20, 0x30, 0x40, 0x11, 0x20, 0x30, 0x40]);
    let view = plain(&memory, Format::R8G8B8A8_UNORM, (2, 1), 8);
    let plane = &view.planes()[0];
    let key = ChromaKey::of(&key(0x4010_2030, 0xff10_2030), &view).unwrap();
    assert_eq!(key.texel(&view, plane, 0, 0), [0; 4]);
    assert_eq!(
        key.texel(&view, plane, 1, 0),
        [0x1100, 0x2000, 0x3000, 0x4000]
    );
}

#[test]
fn odd_luma_is_compared_with_the_average_of_its_neighbours_chroma() {
    // Cb 20, 31 and Cr 40, 41 (hexadecimal): between them 29h (28.5 rounded up) and 41h.
    let memory = Memory::from_bytes(&[1, 0x20, 1, 0x40, 1, 0x31, 1, 0x41]);
    let view = plain(&memory, Format::YCRCB_NORMAL, (4, 1), 8);
    let [luma, chroma] = view.planes() else {
        panic!()
    };
    let at = |low: u32, plane, x| {
        ChromaKey::of(&key(low, low), &view)
            .unwrap()
            .texel(&view, plane, x, 0)
    };
    let black = [0; 4];
    assert_eq!(at(0xff40_0120, luma, 0), black);
    assert_eq!(at(0xff41_0129, luma, 1), black);
    assert_ne!(at(0xff40_0120, luma, 1), black);
    // The pair to the right of the last one is the last one.
    assert_eq!(at(0xff41_0131, luma, 3), black);
    assert_eq!(at(0xff41_0131, chroma, 1), black);
    assert_ne!(at(0xfe41_0131, chroma, 1), black);
}

#[test]
fn single_channels_and_planes_ignore_the_key() {
    let memory = Memory::zeroed(16);
    for format in [
        Format::Y8_UNORM,
        Format::R8_UNORM,
        Format::R8B8_UNORM,
        Format::PLANAR_420_8,
    ] {
        let view = plain(&memory, format, (2, 2), 2);
        assert_eq!(ChromaKey::of(&key(0, u32::MAX), &view), None);
    }
}
