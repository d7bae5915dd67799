//! Skin tone detection: how much of the detail the enhancement filter adds where there is skin.

use visim::internals::sampler::avs::skin::SkinTone;

#[test]
fn the_middle_of_the_skin_colours_is_skin() {
    let skin = SkinTone::default();
    assert_eq!(skin.degree([128, 110, 154]), 31);
    // Grey is far away: u = 18, v = -26. us = (1422 - 2626) >> 7 = -10,
    // vs = (-2054 - 1818) >> 7 = -31: 17 beyond hue_max, 17 << 5 >> 3 = 68 takes all.
    assert_eq!(skin.degree([128, 128, 128]), 0);
    // Luma 46 is where skin begins, 47 is one slope of 31 in.
    assert_eq!(skin.degree([46, 110, 154]), 0);
    assert_eq!(skin.degree([47, 110, 154]), 31);
}

#[test]
fn the_rectangle_fades() {
    // v = 27, u = 0: us = 27 * 101 >> 7 = 21, vs = 27 * 79 >> 7 = 16, 2 beyond 14:
    // 31 - (2 << 5 >> 3) = 23. Diamond: |21 - 2| + (16 * 100 >> 6) - 35 = 9: 31 - (9 << 5 >> 4) = 13.
    assert_eq!(SkinTone::default().degree([128, 110, 181]), 13);
    let rectangle_only = SkinTone {
        diamond_th: 255,
        ..SkinTone::default()
    };
    assert_eq!(rectangle_only.degree([128, 110, 181]), 23);
}

#[test]
fn bounds_follow_luma() {
    // 143 + 20 * 256/256 = 163, 163 + 84 * 113/256 = 200 (200.08): continuous.
    let SkinTone { upper, lower, .. } = SkinTone::default();
    assert_eq!(
        [46, 65, 66, 149, 150].map(|y| upper.at(y)),
        [143, 162, 163, 199, 200]
    );
    assert_eq!(upper.at(40), 137); // 143 - 6
    assert_eq!(lower.at(240), 130);
    // Cr 154 at luma 46 is 11 above the upper bound of 143: no skin.
    let bounded = SkinTone {
        vy_enable: true,
        y_points: [0, 1, 254, 255],
        ..SkinTone::default()
    };
    assert_eq!(bounded.degree([46, 110, 154]), 0);
    // At 128: lower 133 + (-5 * 82 >> 8) = 131, 23 * 3300 * 31 >> 16 = 35; upper
    // 163 + (113 * 62 >> 8) = 190, 36 * 1600 * 31 >> 16 = 27.
    assert_eq!(bounded.degree([128, 110, 154]), 27);
}

#[test]
fn detail_grows_or_shrinks() {
    let middle = [128, 110, 154];
    let grow = SkinTone::default();
    let shrink = SkinTone {
        reduce: true,
        ..SkinTone::default()
    };
    // 100 * 62 * 2115 / 65536 = 200.08; nothing is left with 31 - 31.
    assert_eq!(
        (grow.scale(100, middle), shrink.scale(100, middle)),
        (200, 0)
    );
    assert_eq!(
        (grow.scale(-100, [0; 3]), shrink.scale(-100, [0; 3])),
        (-100, -100)
    );
}
