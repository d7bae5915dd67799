//! Motion measure (STMM): how much a pixel pair changes in time compared with space.
//!
//! Source: AVS reference 5.5.

use super::block::WIDTH;
use super::picture::columns;
use super::{DeinterlaceState, Plane};

/// Pairs of a block in a row.
pub const PAIRS: usize = WIDTH / 2;

/// Motion of the pixel pairs of a block in row `y`, which lies inside: 0 still, 255 moving.
///
/// * `past`: the frame before, denoised, and the motion of the pairs then; `None` for the first frame, 255.
/// * `x`: the first pixel, an even one.
pub fn motion(
    state: &DeinterlaceState,
    current: &Plane,
    past: Option<(&Plane, [u8; PAIRS])>,
    (x, y): (i32, i32),
) -> [u8; PAIRS] {
    let Some((frame, before)) = past else {
        return [255; PAIRS];
    };
    let threshold = if state.trc_select {
        state.trc_large
    } else {
        state.trc_small
    };
    let changes = changes(state, current, frame, (x, y));
    std::array::from_fn(|pair| {
        let (change, before) = (changes[pair], u32::from(before[pair]));
        let quick = change < u32::from(threshold);
        let constant = u32::from(if quick {
            state.trc_small
        } else {
            state.trc_large
        });
        ((before * constant + change * (256 - constant) + 128) >> 8).min(255) as u8
    })
}

/// Temporal over spatial change in the 3x3s around every second pixel from (x, y) on, 0..=255; 128 where they are
/// equal.
fn changes(
    state: &DeinterlaceState,
    current: &Plane,
    past: &Plane,
    (x, y): (i32, i32),
) -> [u32; PAIRS] {
    // Sums of three rows, from the column before the block on.
    const COLUMNS: usize = WIDTH + 1;
    let mut temporal = [0u16; COLUMNS];
    let (mut across, mut down) = (temporal, temporal);
    for j in -1..=1 {
        // By field, whatever denoising takes its frames for: `progressive_dn` is about that only (PRM 4.10.3.2).
        let [at, next] = [j, j + 2].map(|distance| current.below(y, distance, 2));
        let row = current.strip(x, at);
        let here: [u8; COLUMNS] = columns(&row, -1);
        let right: [u8; COLUMNS] = columns(&row, 0);
        let before: [u8; COLUMNS] = columns(&past.strip(x, at), -1);
        let below: [u8; COLUMNS] = columns(&current.strip(x, next), -1);
        for i in 0..COLUMNS {
            temporal[i] += u16::from(here[i].abs_diff(before[i]));
            across[i] += u16::from(here[i].abs_diff(right[i]));
            down[i] += u16::from(here[i].abs_diff(below[i]));
        }
    }
    let shift = u32::from(state.shift_down & 15);
    let three = |sums: &[u16], pair: usize| -> u32 {
        sums[2 * pair..2 * pair + 3]
            .iter()
            .map(|&s| u32::from(s))
            .sum()
    };
    std::array::from_fn(|pair| {
        let down = (three(&down, pair) * u32::from(state.vecm_mul)) >> 6;
        let complexity = three(&across, pair) + down;
        let divisor = (complexity >> shift) + u32::from(state.stmm_c2).max(1);
        let change = (three(&temporal, pair) >> shift) << (state.shift_up & 15);
        (change / divisor).min(255)
    })
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
        let motion = motion(&DeinterlaceState::default(), &flat(5, 1), None, (0, 0));
        assert_eq!(motion, [255; PAIRS]);
    }

    #[test]
    fn change_without_structure_is_large() {
        // TM = 9 * 40 = 360, 360 >> 6 = 5, 5 << 7 = 640, divided by 0 + 1: 255.
        // 255 is not below 125, so the constant is 64: (100 * 64 + 255 * 192 + 128) >> 8 = 216.
        let state = DeinterlaceState::default();
        let past = flat(8, 60);
        let moving = motion(&state, &flat(8, 100), Some((&past, [100; PAIRS])), (2, 1));
        assert_eq!(moving[0], 216);
        // Nothing changes: q = 0 is quick: (100 * 125 + 128) >> 8 = 49.
        let still = motion(&state, &past, Some((&past, [100; PAIRS])), (2, 1));
        assert_eq!(still[0], 49);
    }

    #[test]
    fn change_is_measured_against_structure() {
        // Columns alternate 0, 60: HCM = 9 * 60 = 540, VECM = 0; complexity 540 >> 6 = 8, + 1.
        // The past is 40 off everywhere: TM = 360 >> 6 = 5, 640 / 9 = 71.
        let stripes = |base: i32| Plane::from_fn(8, 4, |x, _| (base + x % 2 * 60) as u8);
        let state = DeinterlaceState::default();
        assert_eq!(changes(&state, &stripes(40), &stripes(0), (2, 1))[0], 71);
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
