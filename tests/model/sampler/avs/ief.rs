//! Image enhancement filter: sharpens or smooths the scaled luma by what surrounds each pixel.

use visim::internals::sampler::avs::ief::{IefFilter, IefState, Neighbourhood};
fn state(filter: IefFilter) -> IefState {
    IefState {
        filter,
        ..IefState::default()
    }
}

fn luma(state: &IefState, around: &Neighbourhood) -> i64 {
    state.filter(around, [0; 3]).luma
}

/// 400 everywhere, 440 in the middle.
fn spike() -> Neighbourhood {
    let mut around = [[400; 5]; 5];
    around[2][2] = 440;
    around
}

const ALL: [IefFilter; 4] = [
    IefFilter::Detail3x3,
    IefFilter::Detail5x5,
    IefFilter::Smooth3x3,
    IefFilter::Combination,
];

#[test]
fn flat_areas_stay() {
    for filter in ALL {
        for level in [0, 1, 400, 1020, 1023] {
            let enhanced = state(filter).filter(&[[level; 5]; 5], [0; 3]);
            assert_eq!((enhanced.luma, enhanced.index), (level, 0), "{filter:?}");
        }
    }
}

#[test]
fn a_spike_is_raised_and_the_overshoot_cut() {
    // A3 = A5 = 400. HF = 80 for both sizes; the Sobel sum does not see the middle, so W = 1.
    // det = rs(80 * 1 * 44 * 256, 16) = (901120 + 32768) >> 16 = 14: 454, 14 above the maximum.
    // Limiter 11/16: 440 + (14 * 5 >> 4) = 444.
    assert_eq!(luma(&state(IefFilter::Detail3x3), &spike()), 444);
    assert_eq!(luma(&state(IefFilter::Detail5x5), &spike()), 444);
    // Noise 10 leaves 216/256: det = (80 * 44 * 216 + 32768) >> 16 = 12; 440 + (12 * 5 >> 4).
    let noisy = IefState {
        global_noise_estimate: 10,
        ..state(IefFilter::Detail3x3)
    };
    assert_eq!(luma(&noisy, &spike()), 443);
    let all_noise = IefState {
        global_noise_estimate: 64,
        ..noisy
    };
    assert_eq!(luma(&all_noise, &spike()), 440);
}

#[test]
fn a_spike_is_smoothed() {
    // rs(-40 * (8 - 1), 4) = -((280 + 8) >> 4) = -18.
    assert_eq!(luma(&state(IefFilter::Smooth3x3), &spike()), 422);
}

#[test]
fn a_strong_edge_weighs_seven() {
    // 400 left, 720 from the middle on: gx = 4 * (180 - 100) = 320, metric 10 > 8.
    // A3 = (5 * (3 * 720 + 400) + 5 * (2 * 720 + 2 * 400) + 20) / 40 = 600. HF = 240.
    // det = rs(240 * 7 * 44 * 256, 16) = 289; 720 + (289 * 5 >> 4) = 810.
    let edge = [[400, 400, 720, 720, 720]; 5];
    assert_eq!(luma(&state(IefFilter::Detail3x3), &edge), 810);
    // 400 left and in the middle: A3 = (5 * (3 * 400 + 720) + 5 * 2240 + 20) / 40 = 520,
    // HF = -240, det = -289: 400 - (289 * (16 - 10) >> 4) = 400 - 108.
    let edge = [[400, 400, 400, 720, 720]; 5];
    assert_eq!(luma(&state(IefFilter::Detail3x3), &edge), 292);
}

#[test]
fn far_extremes_cut_more() {
    // A corner of 441 makes the maximum, outside the 3x3 but only 1 above C: no more is cut.
    // A5 = (7 * (15 * 400 + 441) + 56) / 112 = 403, HF = 40 + 37 = 77,
    // det = (77 * 44 * 256 + 32768) >> 16 = 13: 453 is 12 above M, 441 + (12 * 5 >> 4) = 444.
    let mut around = spike();
    around[0][0] = 441;
    assert_eq!(luma(&state(IefFilter::Detail5x5), &around), 444);
    // With a clip limiter of 0 the far maximum cuts 15/16: 441 + (12 * 1 >> 4) = 441.
    let strict = IefState {
        clip_limiter: 0,
        ..state(IefFilter::Detail5x5)
    };
    assert_eq!(luma(&strict, &around), 441);
}

#[test]
fn the_combination_smooths_flat_areas_and_sharpens_edges() {
    // Spike: no edge, steepness 10 and range 10 below the thresholds: index 0, curves 127 and 3.
    // 440 - ((40 * 127 + 128) >> 8) + ((40 * 3 * 44 * 256 + 2^20) >> 21) = 440 - 20 + 1.
    let combination = state(IefFilter::Combination);
    let enhanced = combination.filter(&spike(), [0; 3]);
    assert_eq!((enhanced.luma, enhanced.index), (421, 0));
    // The edge: S = 320, e = 40; steepness 80 >> 4 = 5 > 0 gives 80; range 80 >> 4 = 5, not > 5.
    // Segment 5 from 40: smoothing 0, sharpening 108 + (-3 * 40 >> 4) = 100.
    let edge = [[400, 400, 720, 720, 720]; 5];
    // X5: 720 three times and 400; K5: four of each; D5: two of each.
    // A5 = (7 * (2560 + 4480 + 2240) + 56) / 112 = 580. (720 - 580) * 100 * 44 * 256 = 157696000,
    // + 2^20 >> 21 = 75: 795 is 75 above 720: 720 + (75 * 5 >> 4) = 743.
    let enhanced = combination.filter(&edge, [0; 3]);
    assert_eq!((enhanced.luma, enhanced.index), (743, 80));
}

#[test]
fn curves_are_the_published_ones() {
    let s = IefState::default();
    // 127 + 4 * (-116 / 16) = 98, the bias of the next segment; one before: 127 + (-348 >> 4).
    assert_eq!(s.curve(&s.r3_bias, &s.r3_slope, 3), 105);
    assert_eq!(s.curve(&s.r3_bias, &s.r3_slope, 4), 98);
    // 58 + 10 * 67 / 16 = 99.9 just before bias 4 = 100.
    // 58 + (9 * 67 >> 4) = 58 + 37.
    assert_eq!(s.curve(&s.r5_bias, &s.r5_slope, 25), 95);
    assert_eq!(s.curve(&s.r5_bias, &s.r5_slope, 26), 100);
    // 88 - 15 * 95 / 16 = -1.06: clamped.
    assert_eq!(s.curve(&s.r5_bias, &s.r5_slope, 255), 0);
}

#[test]
fn without_weights_there_is_no_detail() {
    let none = IefState {
        r3c: 0,
        r3x: 0,
        ..state(IefFilter::Detail3x3)
    };
    assert_eq!(luma(&none, &spike()), 440);
}
