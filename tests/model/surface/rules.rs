//! The rules a described surface obeys, checked before any memory is allocated for it.

use std::sync::Arc;
use visim::internals::diagnostic::Code;
use visim::internals::surface::tiling::Tiling;
use visim::internals::surface::{Description, Format, Kind, Surface};

fn why(description: Description) -> String {
    Surface::zeroed(description).unwrap_err().to_string()
}

#[test]
fn rules_are_named_with_the_values() {
    let d = || Description::d2(Format::R8G8B8A8_UNORM, 64, 32);
    assert_eq!(
        why(Description { width: 0, ..d() }),
        "a width of 0; 1 to 16384 is allowed"
    );
    assert_eq!(
        why(Description { pitch: 255, ..d() }),
        "a pitch of 255 bytes; the rows have 256"
    );
    assert_eq!(
        why(Description {
            pitch: 300,
            tiling: Tiling::Y,
            ..d()
        }),
        "a pitch of 300 bytes; tiling Y needs a multiple of 128"
    );
    assert_eq!(
        why(Description { levels: 8, ..d() }),
        "8 levels; a surface of 64×32×1 texels has 7"
    );
    let part = Description {
        kind: Kind::D3,
        depth: 4,
        min_array_element: 1,
        ..d()
    };
    assert_eq!(Surface::check(part).unwrap_err().code, Code::N0752);
    let small = Surface::new(
        d(),
        Arc::new(visim::internals::surface::Memory::zeroed(8191)),
    )
    .unwrap_err();
    assert_eq!(
        small.to_string(),
        "the surface ends at byte 8192 and its memory has 8191 bytes"
    );
    let huge = Description::d2_array(Format::R32G32B32A32_FLOAT, 16384, 16384, 2048);
    assert!(why(huge).ends_with("1073741824 is the most visim allows"));
    assert!(
        why(Description {
            base: u64::MAX,
            ..d()
        })
        .ends_with("is the most visim allows")
    );
    // Linear 1D on Gen9 has no pitch to check, tiled 1D has.
    let line = Description {
        tiling: Tiling::W,
        ..Description::d1(Format::R8G8B8A8_UNORM, 2)
    };
    assert_eq!(
        why(line),
        "tiling W has no shape for the 32 bits of R8G8B8A8_UNORM"
    );
}

#[test]
fn a_linear_surface_needs_its_texels_and_no_padding() {
    let bytes = |d| Surface::zeroed(d).unwrap().memory().len();
    // 5 rows of 7 bytes with a pitch of 16: 4·16 + 7.
    assert_eq!(
        bytes(Description {
            pitch: 16,
            ..Description::d2(Format::R8_UNORM, 7, 5)
        }),
        71
    );
    assert_eq!(
        bytes(Description::d2(Format::PLANAR_420_8, 6, 4)),
        6 * 4 * 3 / 2
    );
    assert_eq!(bytes(Description::buffer(Format::R32_UINT, 9)), 36);
    assert_eq!(
        bytes(Description::d3(Format::R8_UNORM, 4, 3, 2)),
        4 * 4 + 4 * 4
    );
    assert_eq!(bytes(Description::null()), 0);
}
