//! Test patterns: surfaces filled by a short formula.

use pretty_assertions::assert_eq;
use visim::internals::surface::pattern::{Pattern, photo};
use visim::internals::surface::{Description, Format, Image, Surface};

fn filled(formula: &str, description: Description) -> Vec<u8> {
    let surface = Surface::zeroed(description).unwrap();
    Pattern::parse(formula).unwrap().fill(&surface).unwrap();
    surface.to_rows()
}

#[test]
fn formulas_fill_bytes_words_and_texels() {
    let bytes = |w, h| Description::d2(Format::R8_UNORM, w, h);
    assert_eq!(
        filled("byte(x,y) = (x + 64*y) mod 256", bytes(3, 2)),
        [0, 1, 2, 64, 65, 66]
    );
    assert_eq!(filled("byte = 7", bytes(2, 1)), [7, 7]);
    assert_eq!(
        filled(
            "byte(x,y,z) = z",
            Description::d2_array(Format::R8_UNORM, 1, 2, 2)
        ),
        [0, 0, 1, 1]
    );
    assert_eq!(
        filled(
            "word(x,y) = x << 8 | 0x12",
            Description::d2(Format::R16_UNORM, 2, 1)
        ),
        [0x12, 0, 0x12, 1]
    );
    assert_eq!(
        filled(
            "float(x,y) = x / 2 - 0.25",
            Description::d2(Format::R32_FLOAT, 2, 1)
        ),
        [(-0.25f32).to_le_bytes(), 0.25f32.to_le_bytes()].concat()
    );
    assert_eq!(
        filled(
            "rgba(x,y) = x, 0.2, 1, 1 - x",
            Description::d2(Format::R8G8B8A8_UNORM, 2, 1)
        ),
        [0, 51, 255, 255, 255, 51, 255, 0]
    );
    assert_eq!(
        filled(
            "byte(x,y) = 10*z + x",
            Description::d2(Format::PLANAR_420_8, 2, 2)
        ),
        [0, 1, 0, 1, 10, 11]
    );
    assert_eq!(
        filled("dword(x,y) = -1", Description::buffer(Format::R32_UINT, 1)),
        [255; 4]
    );
}

#[test]
fn samples_are_all_filled_and_levels_if_the_formula_asks_which() {
    let four = Description {
        samples: 4,
        ..Description::d2(Format::R8_UINT, 1, 1)
    };
    let image = |formula: &str, description: &Description, level, sample| {
        let surface = Surface::zeroed(description.clone()).unwrap();
        Pattern::parse(formula).unwrap().fill(&surface).unwrap();
        surface.image(Image {
            level,
            sample,
            slice: 0,
        })
    };
    assert_eq!(image("byte = 3 + s", &four, 0, 2), [5]);
    assert_eq!(image("byte = 3", &four, 0, 3), [3]);
    assert_eq!(image("rgba = s, 0, 0, 1", &four, 0, 3), [3]);
    let levels = Description {
        levels: 3,
        ..Description::d2(Format::R8_UNORM, 4, 2)
    };
    assert_eq!(image("byte = 9", &levels, 1, 0), [0, 0]);
    assert_eq!(image("byte = 10*l + x", &levels, 1, 0), [10, 11]);
    assert_eq!(image("rgba = l/255, 0, 0, 1", &levels, 2, 0), [2]);
}

#[test]
fn mistakes_are_located() {
    let wrong = |text: &str| {
        let bad = Pattern::parse(text).unwrap_err();
        (bad.at, bad.what)
    };
    assert_eq!(wrong("bite = 1").0, 0);
    assert_eq!(
        wrong("byte(x,y) (x)"),
        (10, "`=` is missing here".to_string())
    );
    assert_eq!(wrong("byte = 1 +").0, 10);
    assert_eq!(wrong("byte = q").0, 7);
    assert_eq!(wrong("byte = 1 2").0, 9);
    assert!(wrong("byte = 0.5").1.contains("float or rgba"));
    assert!(
        wrong(&format!("byte = {}1", "(".repeat(100_000)))
            .1
            .contains("nested")
    );
    assert!(
        wrong(&format!("byte = {}1", "-".repeat(100_000)))
            .1
            .contains("nested")
    );
    assert!(
        wrong(&format!("byte = 1{}", "+1".repeat(100_000)))
            .1
            .contains("too long")
    );
    let surface = Surface::zeroed(Description::d2(Format::R8_UNORM, 2, 2)).unwrap();
    let bad = Pattern::parse("byte = 1 / (x - 1)")
        .unwrap()
        .fill(&surface)
        .unwrap_err();
    assert_eq!(bad.what, "division by zero at x = 1, y = 0, z = 0");
}

#[test]
fn the_photograph_is_the_same_everywhere() {
    let picture = photo(64, 48, 1);
    assert_eq!(picture, photo(64, 48, 1));
    assert_ne!(picture, photo(64, 48, 2));
    let (low, high) = picture
        .pixels
        .iter()
        .fold((65535, 0), |(l, h), p| (p[0].min(l), p[0].max(h)));
    assert!(low < 80 * 257 && high > 200 * 257, "{low} {high}");
}
