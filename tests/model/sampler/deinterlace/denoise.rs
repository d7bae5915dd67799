//! Denoising of luma: temporal where a 4x4 block is at rest, spatial where it moves.

use std::sync::atomic::AtomicBool;
use visim::internals::sampler::deinterlace::denoise::{Block4x4, Denoised, Past, noise_estimate};
use visim::internals::sampler::deinterlace::{DeinterlaceState, Plane};
fn denoise(state: &DeinterlaceState, current: &Plane, past: Option<Past>) -> Denoised {
    visim::internals::sampler::deinterlace::denoise::denoise(
        state,
        current,
        past,
        &AtomicBool::new(false),
    )
    .unwrap()
}

fn flat(code: u8) -> Plane {
    Plane::from_fn(8, 8, |_, _| code)
}

/// Grey 100 with one pixel of 108 at (2, 2).
fn speck() -> Plane {
    Plane::from_fn(8, 8, |x, y| if (x, y) == (2, 2) { 108 } else { 100 })
}

#[test]
fn the_first_frame_is_smoothed_in_space() {
    // Field neighbours of (2, 2): eight of 100, edge 0, all within 12: (108 + 800 + 4) / 9 = 101.
    // (1, 2) sees 108 at its right: gx = 16, e = 2 <= 7: (100 + 7 * 100 + 108 + 4) / 9 = 101.
    // (2, 3) is of the other field and sees nothing.
    let state = DeinterlaceState::default();
    let denoised = denoise(&state, &speck(), None);
    let at = |x, y| denoised.frame.at(x, y);
    assert_eq!(
        [at(2, 2), at(1, 2), at(2, 3), at(2, 4)],
        [101, 101, 100, 101]
    );
    assert_eq!(denoised.history, [32; 4]);
    // By rows of the frame it does.
    let progressive = DeinterlaceState {
        progressive_dn: true,
        ..state
    };
    assert_eq!(denoise(&progressive, &speck(), None).frame.at(2, 3), 101);
}

#[test]
fn nothing_comes_of_halted_work() {
    let halt = AtomicBool::new(true);
    let made = visim::internals::sampler::deinterlace::denoise::denoise(
        &DeinterlaceState::default(),
        &speck(),
        None,
        &halt,
    );
    assert_eq!(made, None);
}

#[test]
fn edges_and_far_neighbours_are_left_out() {
    let state = DeinterlaceState::default();
    // 100 | 116: beside the edge gx = 4 * 16 = 64, e = 8 > 7.
    let edge = Plane::from_fn(8, 8, |x, _| if x < 4 { 100 } else { 116 });
    assert_eq!(denoise(&state, &edge, None).frame, edge);
    // A speck of 120 is 20 away from its neighbours: no good ones, k = 1.
    let far = Plane::from_fn(8, 8, |x, y| if (x, y) == (2, 2) { 120 } else { 100 });
    assert_eq!(denoise(&state, &far, None).frame, far);
}

#[test]
fn a_still_block_leans_on_the_past() {
    // One pixel differs by 8: npx = 1, not > 1, so nothing moves; history 57 + 7 = 64.
    let state = DeinterlaceState {
        temporal_th: 16,
        low_temporal_th: 4,
        ..DeinterlaceState::default()
    };
    let past = flat(100);
    let past = Past {
        frame: &past,
        history: &[57, 57, 57, 190],
    };
    let denoised = denoise(&state, &speck(), Some(past));
    assert_eq!(denoised.history, [64, 64, 64, 192]);
    // td = 8: tw = (16 - 8) * 256 / 12 = 170, wt = 64 * 170 >> 8 = 42.
    // T = (108 * 214 + 100 * 42 + 128) >> 8 = 27440 >> 8 = 107; Sp = 101.
    // out = (107 * 64 + 101 * 192 + 128) >> 8 = 26368 >> 8 = 103.
    assert_eq!(denoised.frame.at(2, 2), 103);
}

#[test]
fn motion_resets_history() {
    let state = DeinterlaceState::default();
    // Every pixel is 20 brighter: STAD = 320 > 140, npx = 16.
    let past = flat(80);
    let past = Past {
        frame: &past,
        history: &[200, 128, 129, 0],
    };
    let denoised = denoise(&state, &flat(100), Some(past));
    assert_eq!(denoised.history, [128, 0, 128, 0]);
    assert_eq!(denoised.frame, flat(100));
    // 3 brighter: STAD = 48; ASD = 48 > 38 and the block is flat: motion all the same.
    let slow = Block4x4::measure(&state, &flat(103), &flat(100), (0, 0));
    let expected = Block4x4 {
        stad: 48,
        asd: 48,
        moving_pixels: 16,
        shcm: 0,
        svcm: 0,
    };
    assert_eq!(slow, expected);
    assert!(slow.moves(&state));
    assert!(!Block4x4 { shcm: 39, ..slow }.moves(&state));
}

#[test]
fn noise_is_the_mean_range_of_smooth_places() {
    let state = DeinterlaceState::default();
    assert_eq!(noise_estimate(&state, &flat(9), (0, 0), (16, 4)), 0);
    // Columns alternate 100, 104: inside, gx = 0 and the range is 4.
    let stripes = Plane::from_fn(16, 4, |x, _| if x % 2 == 0 { 100 } else { 104 });
    assert_eq!(noise_estimate(&state, &stripes, (0, 0), (16, 4)), 4);
    // A range of 40 is not noise.
    let bold = Plane::from_fn(16, 4, |x, _| if x % 2 == 0 { 100 } else { 140 });
    assert_eq!(noise_estimate(&state, &bold, (2, 0), (8, 4)), 0);
}
