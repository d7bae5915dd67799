//! Where the pixels of a block lie: texel positions with eight fraction bits.

use visim::internals::isa::AvsMode;
use visim::internals::message::AvsRequest;
use visim::internals::sampler::avs::position::{Positions, Raster, beta, texel_position, whole};
fn request(mode: AvsMode) -> AvsRequest {
    AvsRequest {
        mode,
        ..AvsRequest::ORIGIN
    }
}

#[test]
fn the_worked_pixel_of_the_reference() {
    // AVS reference 3.7: tu = 759 (texel 2, phase 30) and tv = 435 (texel 1, phase 22).
    let request = AvsRequest {
        u: 0.115,
        delta_u: 1.0 / 30.0,
        v: 0.141_666_67,
        ..request(AvsMode::M16x4)
    };
    let positions = Positions::new(&Raster::from(&request), 20, 12, 0);
    let (tu, tv) = (positions.u()[1], positions.v()[0]);
    assert_eq!((tu, whole(tu), beta(tu)), (759, 2, 30));
    assert_eq!((tv, whole(tv), beta(tv)), (435, 1, 22));
}

#[test]
fn an_identity_scale_meets_every_texel() {
    for size in [3u32, 7, 1000, 1920, 8191] {
        for at in [0, 1, i64::from(size) / 3, i64::from(size) - 1] {
            let t = texel_position(0.0, 1.0 / size as f32, 0.0, at, size);
            assert_eq!(i64::from(t), 256 * at, "{at} of {size}");
        }
    }
}

#[test]
fn the_second_difference_counts_pairs() {
    // u2d * x(x-1)/2 with x = -2, -1, 0, 1, 2, 3: 3, 1, 0, 0, 1, 3.
    let request = AvsRequest {
        u2d: 1.0,
        ..request(AvsMode::M4x4)
    };
    let positions = Positions::new(&Raster::from(&request), 1, 1, 2);
    assert_eq!(positions.u()[..6], [768, 256, 0, 0, 256, 768]);
}

#[test]
fn a_block_number_moves_by_four_rows() {
    let request = AvsRequest {
        delta_v: 0.125,
        vertical_block: 3,
        ..request(AvsMode::M16x8)
    };
    let rows: Vec<i32> = Positions::new(&Raster::from(&request), 16, 8, 0)
        .v()
        .to_vec();
    assert_eq!(rows, (12..20).map(|y| y * 256).collect::<Vec<i32>>());
}

#[test]
fn strange_numbers_have_a_place() {
    let at = |origin, delta, at| texel_position(origin, delta, 0.0, at, 16);
    assert_eq!(at(f32::NAN, 0.0, 0), 0);
    assert_eq!(at(f32::INFINITY, 0.0, 0), 1 << 30);
    assert_eq!(at(f32::NEG_INFINITY, 0.0, 0), -(1 << 30));
    assert_eq!(at(0.0, f32::INFINITY, 0), 0); // ∞ times 0 is not a number
    assert_eq!(at(0.0, 1.0, 1 << 34), 1 << 30);
    assert_eq!(texel_position(0.0, 0.0, 1e-30, (1 << 34) + 31, 16), 0);
    // Rounding is towards minus infinity from +1/2: -0.4/256 is 0, -0.6/256 is -1.
    assert_eq!(texel_position(-0.4 / 256.0, 0.0, 0.0, 0, 1), 0);
    assert_eq!(texel_position(-0.6 / 256.0, 0.0, 0.0, 0, 1), -1);
}
