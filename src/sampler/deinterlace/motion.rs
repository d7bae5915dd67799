//! Motion measure (STMM): how much a pixel pair changes in time compared with space.
//!
//! Source: AVS reference 5.5.

use super::{DeinterlaceState, Plane};

/// Motion of pixels `2 * pair` and `2 * pair + 1` of row `y`, inside the frame: 0 still, 255 moving.
///
/// * `past`: the frame before, denoised, and the motion of the pair then; `None` for the first frame, 255.
pub fn motion(
    state: &DeinterlaceState,
    current: &Plane,
    past: Option<(&Plane, u8)>,
    (pair, y): (i32, i32),
) -> u8 {
    let Some((frame, before)) = past else {
        return 255;
    };
    let change = change(state, current, frame, 2 * pair, y);
    let threshold = if state.trc_select {
        state.trc_large
    } else {
        state.trc_small
    };
    let quick = change < i32::from(threshold);
    let constant = i32::from(if quick {
        state.trc_small
    } else {
        state.trc_large
    });
    ((i32::from(before) * constant + change * (256 - constant) + 128) >> 8).min(255) as u8
}

/// Temporal over spatial change in the 3x3 around (x, y), 0..=255; 128 where they are equal.
fn change(state: &DeinterlaceState, current: &Plane, past: &Plane, x: i32, y: i32) -> i32 {
    let (mut temporal, mut across, mut down) = (0, 0, 0);
    let step = state.row_step();
    for j in y - 1..=y + 1 {
        for i in x - 1..=x + 1 {
            let here = current.at(i, j);
            temporal += (here - past.at(i, j)).abs();
            across += (here - current.at(i + 1, j)).abs();
            let below = if step == 2 {
                current.below(i, j, 1, 2)
            } else {
                current.at(i, j + 2)
            };
            down += (here - below).abs();
        }
    }
    let complexity = across + ((down * i32::from(state.vecm_mul)) >> 6);
    let shift = u32::from(state.shift_down & 15);
    let divisor = (complexity >> shift) + i32::from(state.stmm_c2).max(1);
    let change = i64::from(temporal >> shift) << (state.shift_up & 15);
    (change / i64::from(divisor)).min(255) as i32
}

/// Weight of the spatial result for a motion, 0..=2^out_shift.
pub fn spatial_weight(state: &DeinterlaceState, motion: u8) -> i32 {
    let (low, high) = (i32::from(state.stmm_min), i32::from(state.stmm_max));
    i32::from(motion).clamp(low, high.max(low)) - low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(width: u32, code: u8) -> Plane {
        Plane::from_fn(width, 4, |_, _| code)
    }

    #[test]
    fn the_first_frame_moves_everywhere() {
        let motion = motion(&DeinterlaceState::default(), &flat(5, 1), None, (2, 0));
        assert_eq!(motion, 255);
    }

    #[test]
    fn change_without_structure_is_large() {
        // TM = 9 * 40 = 360, 360 >> 6 = 5, 5 << 7 = 640, divided by 0 + 1: 255.
        // 255 is not below 125, so the constant is 64: (100 * 64 + 255 * 192 + 128) >> 8 = 216.
        let state = DeinterlaceState::default();
        let past = flat(8, 60);
        let moving = motion(&state, &flat(8, 100), Some((&past, 100)), (1, 1));
        assert_eq!(moving, 216);
        // Nothing changes: q = 0 is quick: (100 * 125 + 128) >> 8 = 49.
        assert_eq!(motion(&state, &past, Some((&past, 100)), (1, 1)), 49);
    }

    #[test]
    fn change_is_measured_against_structure() {
        // Columns alternate 0, 60: HCM = 9 * 60 = 540, VECM = 0; complexity 540 >> 6 = 8, + 1.
        // The past is 40 off everywhere: TM = 360 >> 6 = 5, 640 / 9 = 71.
        let stripes = |base: i32| Plane::from_fn(8, 4, |x, _| (base + x % 2 * 60) as u8);
        let state = DeinterlaceState::default();
        assert_eq!(change(&state, &stripes(40), &stripes(0), 2, 1), 71);
    }

    #[test]
    fn weights_end_with_the_window() {
        let state = DeinterlaceState::default();
        assert_eq!(
            [0, 118, 128, 150, 255].map(|m| spatial_weight(&state, m)),
            [0, 0, 10, 32, 32]
        );
    }
}
