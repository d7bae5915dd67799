//! Field variances of a 16x4 block: what software tells film from video by.

use visim::internals::sampler::deinterlace::statistics::{Variances, variances};
use visim::internals::sampler::deinterlace::{DeinterlaceState, Plane};
/// Top rows `top`, bottom rows `bottom`.
fn fields(top: u8, bottom: u8) -> Plane {
    Plane::from_fn(16, 8, |_, y| if y % 2 == 0 { top } else { bottom })
}

#[test]
fn fields_are_compared_across_time() {
    // 32 pixels in each field of the block. Current 100/110, previous 40/105.
    let state = DeinterlaceState::default();
    let found = variances(&state, &fields(100, 110), Some(&fields(40, 105)), (0, 0));
    let expected = Variances {
        ct_pt: 32 * 60,
        cb_pb: 32 * 5,
        ct_cb: 32 * 10,
        ct_pb: 32 * 5,
        cb_pt: 32 * 70,
        // 3 * 60 = 180 > 175 in the top rows, 15 in the bottom rows.
        motion: 32,
        // 10 > 0 + 0 + 2 everywhere.
        tearing: 32,
        fitting: 0,
    };
    assert_eq!(found, expected);
}

#[test]
fn a_slope_fits() {
    // Rows rise by 10: neighbours differ by 10, rows of a field by 20 each.
    let slope = Plane::from_fn(16, 8, |_, y| 10 * y as u8);
    let found = variances(&DeinterlaceState::default(), &slope, None, (0, 0));
    assert_eq!((found.tearing, found.fitting, found.ct_cb), (0, 32, 320));
    assert_eq!((found.ct_pt, found.motion), (0xffff, 0xff));
}
