//! From a coordinate to texel indices and weights along one axis: pure functions of numbers.

use visim::internals::sampler::coordinate::{Axis, slice};
use visim::internals::sampler::settings::Address;
fn axis(mode: Address, size: u32) -> Axis {
    Axis {
        size,
        mode,
        round: false,
        unnormalized: false,
    }
}

#[test]
fn every_mode_at_both_edges_of_four_texels() {
    let indices = |mode| -> Vec<i64> {
        (-9..10)
            .map(|t| axis(mode, 4).index(t).map_or(-1, i64::from))
            .collect()
    };
    #[rustfmt::skip]
    let expected = [
        (Address::Wrap,       [3, 0, 1, 2, 3, 0, 1, 2, 3,  0, 1, 2, 3,  0, 1, 2, 3, 0, 1]),
        (Address::Mirror,     [0, 0, 1, 2, 3, 3, 2, 1, 0,  0, 1, 2, 3,  3, 2, 1, 0, 0, 1]),
        (Address::Clamp,      [0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 1, 2, 3,  3, 3, 3, 3, 3, 3]),
        (Address::MirrorOnce, [3, 3, 3, 3, 3, 3, 2, 1, 0,  0, 1, 2, 3,  3, 3, 3, 3, 3, 3]),
        (Address::Border,     [-1, -1, -1, -1, -1, -1, -1, -1, -1,  0, 1, 2, 3,  -1, -1, -1, -1, -1, -1]),
    ];
    for (mode, wanted) in expected {
        assert_eq!(indices(mode), wanted, "{mode:?}");
    }
}

#[test]
fn positions_are_fixed_point_with_eight_fraction_bits() {
    let a = axis(Address::Clamp, 8);
    // 0.3·8 = 2.4 → 614.4; linear 1.9 → 486.4.
    assert_eq!((a.position(0.3, false), a.position(0.3, true)), (614, 486));
    let rounded = Axis { round: true, ..a };
    // f32(0.3)·8 is a little above 2.4: 614.4 stays 614; 0.2999·8·256 = 614.195; 0.3003·8·256 = 615.01.
    assert_eq!(rounded.position(0.3, false), 614);
    assert_eq!(rounded.position(f64::from(0.300_2_f32), false), 615);
    assert_eq!(a.position(f64::NAN, false), 0);
    assert_eq!(a.position(f64::INFINITY, false), 80 * 256);
    assert_eq!(axis(Address::Wrap, 8).position(f64::INFINITY, false), 0);
    assert_eq!(axis(Address::Wrap, 8).position(-0.25, false), 6 * 256);
    // 1.25 is the second, reflected copy: position 10, whose index is 7 − 2.
    let mirrored = axis(Address::Mirror, 8);
    assert_eq!(
        mirrored.index(i64::from(mirrored.position(1.25, false)) >> 8),
        Some(5)
    );
    // Half border: 1.5 is cut to 1, the position right of the last texel.
    assert_eq!(
        axis(Address::HalfBorder, 8).position(1.5, true),
        7 * 256 + 128
    );
    let texels = Axis {
        unnormalized: true,
        ..a
    };
    assert_eq!(
        (texels.position(3.5, false), texels.position(3.5, true)),
        (896, 768)
    );
}

#[test]
fn slices_round_to_even_and_clamp() {
    let got: Vec<u32> = [-1.0, 0.5, 1.5, 2.49, 7.0, f32::NAN, f32::INFINITY]
        .into_iter()
        .map(|a| slice(a, 4))
        .collect();
    assert_eq!(got, [0, 0, 2, 2, 3, 0, 3]);
}
