//! Pictures: red, green, blue and alpha in 16 bits each, between image files and surfaces of any format.

use pretty_assertions::assert_eq;
use visim::internals::surface::format::Format;
use visim::internals::surface::picture::{Picture, to_yuv};
use visim::internals::surface::{Description, Planes, Surface};

fn picture() -> Picture {
    let pixels = (0..64u16).map(|i| {
        [
            i * 4 * 257,
            (255 - i) * 257,
            i * i % 251 * 257,
            (i | 1) * 257,
        ]
    });
    Picture {
        width: 8,
        height: 8,
        pixels: pixels.collect(),
    }
}

fn through(format: Format) -> Picture {
    let surface = Surface::zeroed(Description::d2(format, 8, 8)).unwrap();
    picture().store(&surface).unwrap();
    Picture::of(&surface).unwrap()
}

#[test]
fn eight_bits_survive_every_format_that_can_hold_them() {
    for name in [
        "R8G8B8A8_UNORM",
        "B8G8R8A8_UNORM",
        "B8G8R8A8_UNORM_SRGB",
        "R16G16B16A16_UNORM",
        "R32G32B32A32_FLOAT",
    ] {
        assert_eq!(through(Format::named(name).unwrap()), picture(), "{name}");
    }
    let codes = through(Format::R8G8B8A8_UINT);
    assert_eq!(codes, picture());
}

#[test]
fn grey_keeps_its_codes_in_one_channel() {
    let grey: Vec<[u16; 4]> = (0..=255u16)
        .map(|v| [v * 257, v * 257, v * 257, 65535])
        .collect();
    let grey = Picture {
        width: 16,
        height: 16,
        pixels: grey,
    };
    for name in ["R8_UNORM", "Y8_UNORM", "L8_UNORM", "R16_UNORM"] {
        let surface =
            Surface::zeroed(Description::d2(Format::named(name).unwrap(), 16, 16)).unwrap();
        grey.store(&surface).unwrap();
        let first = surface.to_rows()[surface.row_bytes() / 16 * 200..][0];
        assert_eq!(first, 200, "{name}");
        assert_eq!(Picture::of(&surface).unwrap(), grey, "{name}");
    }
}

#[test]
fn yuv_follows_the_stated_matrix() {
    // Red: Y = 16 + (66·255 + 128) >> 8 = 82, Cb = 128 + (−38·255 + 128) >> 8 = 90, Cr = 240.
    assert_eq!(to_yuv([65535, 0, 0, 0]), [240, 82, 90]);
    assert_eq!(to_yuv([65535; 4]), [128, 235, 128]);
    let red = Picture {
        width: 2,
        height: 2,
        pixels: vec![[65535, 0, 0, 65535]; 4],
    };
    let rows = |d| {
        let surface = Surface::zeroed(d).unwrap();
        red.store(&surface).unwrap();
        // 298·66 + 409·112 = 65476: R = 256 → 255; G = (19668 + 3800 − 23296 + 128) >> 8 = 1; B = 0.
        assert_eq!(
            Picture::of(&surface).unwrap().pixels[3],
            [65535, 257, 0, 65535]
        );
        surface.to_rows()
    };
    assert_eq!(
        rows(Description::d2(Format::YCRCB_NORMAL, 2, 2)),
        [82, 90, 82, 240, 82, 90, 82, 240]
    );
    assert_eq!(
        rows(Description::d2(Format::PLANAR_420_8, 2, 2)),
        [82, 82, 82, 82, 90, 240]
    );
    let i420 = Description {
        planes: Some(Planes::i420(2)),
        ..Description::d2(Format::PLANAR_420_8, 2, 2)
    };
    assert_eq!(rows(i420), [82, 82, 82, 82, 90, 240]);
    let p010 = rows(Description::d2(Format::PLANAR_420_16, 2, 2));
    assert_eq!(p010, [0, 82, 0, 82, 0, 82, 0, 82, 0, 90, 0, 240]);
    assert_eq!(
        rows(Description::d2(
            Format::named("A8Y8U8V8_UNORM").unwrap(),
            2,
            2
        ))[..4],
        [240, 90, 82, 255]
    );
}

#[test]
fn formats_without_an_encoding_are_refused() {
    let bc1 = Surface::zeroed(Description::d2(Format::named("BC1_UNORM").unwrap(), 8, 8)).unwrap();
    assert!(picture().store(&bc1).is_err());
    assert!(Picture::of(&Surface::null()).is_err());
}
