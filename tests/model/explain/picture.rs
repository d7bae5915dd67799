//! Pictures to learn from: which texels an instruction touches, and where a tiling puts bytes.

use std::collections::{BTreeMap, BTreeSet};
use visim::internals::explain::picture::{Touch, surface, tile};
use visim::internals::surface::{Description, Format, Image, Surface, Tiling};
#[test]
fn a_tile_shows_each_address_once() {
    let drawing = tile(Tiling::Y, 8, false).unwrap();
    let svg = drawing.to_svg();
    // Eight columns of 16 bytes, 32 rows: 200 starts the second column, 010 the second row.
    for address in ["000", "010", "1f0", "200", "ff0"] {
        assert_eq!(
            svg.matches(&format!(">{address}</text>")).count(),
            1,
            "{address}"
        );
    }
    assert_eq!(svg.matches("<text").count(), 8 * 32 + 8 + 32);
    assert!(tile(Tiling::W, 32, false).is_err() && tile(Tiling::Linear, 8, false).is_err());
    let (width, height) = tile(Tiling::Ys, 8, false).unwrap().size();
    assert!(width < 1000 && height < 5000);
}

#[test]
fn touched_texels_are_framed() {
    let image = Surface::zeroed(Description::d2(Format::R8_UNORM, 16, 8)).unwrap();
    let read = Touch {
        written: false,
        weight: 1.0,
    };
    let texels = BTreeMap::from([((0, 0, 3, 2), read), ((1, 0, 0, 0), read)]);
    let pieces = BTreeSet::from([(-2, 5, 4, true)]);
    let (drawing, range) =
        surface(&image, Image::default(), None, Some(&texels), Some(&pieces)).unwrap();
    assert_eq!(range, (0.0, 1.0));
    let svg = drawing.to_svg();
    assert_eq!(svg.matches("stroke=\"#dc1e1e\"").count(), 1);
    // Two bytes outside repeat column 0; two lie inside.
    assert_eq!(svg.matches("stroke=\"#143cdc\"").count(), 2);
    assert!(surface(&Surface::null(), Image::default(), None, None, None).is_err());
}
