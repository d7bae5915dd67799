//! Tilings: from a byte column and a row to a byte offset.

use visim::internals::surface::tiling::{Tiling, swizzle_bit6, x_major, y_major};
use visim::internals::surface::{BytePosition, Tiled};
#[test]
fn worked_examples_of_the_reference() {
    // Surface reference 3.10, examples 1 and 2.
    assert_eq!(y_major(200, 37, 256), 14424);
    assert_eq!(x_major(700, 13, 1024), 15036);
    assert_eq!(swizzle_bit6(Tiling::X, 15036), 15100);
}

#[test]
fn every_tiling_fills_its_tiles_without_a_hole() {
    for (tiling, bits) in [
        (Tiling::X, 8),
        (Tiling::Y, 8),
        (Tiling::W, 8),
        (Tiling::Yf, 8),
        (Tiling::Yf, 16),
        (Tiling::Yf, 32),
        (Tiling::Yf, 64),
        (Tiling::Yf, 128),
        (Tiling::Ys, 8),
        (Tiling::Ys, 32),
        (Tiling::Ys, 128),
    ] {
        let (width, height) = tiling.tile(bits).unwrap();
        let pitch = tiling.pitch_unit(bits).unwrap() * 2;
        let columns = width * 2;
        let tiled = Tiled {
            tiling,
            element_bits: bits,
            pitch,
            bit6: false,
        };
        let mut seen = vec![false; (columns * height * 2) as usize];
        for y in 0..height * 2 {
            for x in 0..columns {
                let at = tiled.offset(BytePosition { column: x, row: y }) as usize;
                assert!(!seen[at], "{tiling:?} {bits} ({x},{y}) lands on {at} again");
                seen[at] = true;
            }
        }
        assert!(seen.into_iter().all(|s| s), "{tiling:?} {bits}");
    }
}
