//! Denoising of luma: temporal where a 4x4 block stands still, spatial where it moves.
//!
//! Source: AVS reference 5.4.

use super::{DeinterlaceState, Plane};

/// Frames before this one, denoised, and what is known of its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The previous frame, denoised.
    pub frame: &'a Plane,
    /// History of each 4x4 block, row by row.
    pub history: &'a [u8],
}

/// A denoised frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denoised {
    /// Luma.
    pub frame: Plane,
    /// History of each 4x4 block, row by row, for the next frame.
    pub history: Vec<u8>,
}

/// What is measured in a 4x4 block; coordinates clamp at the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block4x4 {
    /// Sum of temporal absolute differences.
    pub stad: i32,
    /// Absolute value of the sum of temporal differences.
    pub asd: i32,
    /// Pixels that differ by more than `temporal_th`.
    pub moving_pixels: i32,
    /// Sum of horizontal differences.
    pub shcm: i32,
    /// Sum of vertical differences.
    pub svcm: i32,
}

impl Block4x4 {
    /// Measures the block at (x0, y0).
    pub fn measure(
        state: &DeinterlaceState,
        current: &Plane,
        past: &Plane,
        (x0, y0): (i32, i32),
    ) -> Block4x4 {
        let (step, mut sum, mut block) = (state.row_step(), 0, Block4x4::default());
        for (x, y) in (y0..y0 + 4).flat_map(|y| (x0..x0 + 4).map(move |x| (x, y))) {
            let here = current.at(x, y);
            let difference = here - past.at(x, y);
            block.stad += difference.abs();
            sum += difference;
            block.moving_pixels += i32::from(difference.abs() > i32::from(state.temporal_th));
            block.shcm += (here - current.at(x + 1, y)).abs();
            block.svcm += (here - current.below(x, y, 1, step)).abs();
        }
        block.asd = sum.abs();
        block
    }

    /// Whether the block moves.
    pub fn moves(&self, state: &DeinterlaceState) -> bool {
        let flat = self.shcm + self.svcm <= i32::from(state.scm_th);
        self.moving_pixels > i32::from(state.moving_px_th)
            && (self.stad > i32::from(state.stad_th) || self.asd > i32::from(state.asd_th) && flat)
    }
}

/// Number of 4x4 blocks across and down a plane.
pub fn blocks(plane: &Plane) -> (i32, i32) {
    ((plane.width() + 3) / 4, (plane.height() + 3) / 4)
}

/// Denoises a frame; `past` is `None` for the first one, which is filtered spatially only.
///
/// Blocks missing from the history count as 0.
pub fn denoise(state: &DeinterlaceState, current: &Plane, past: Option<Past>) -> Denoised {
    let (across, down) = blocks(current);
    let mut verdicts = Vec::with_capacity((across * down) as usize);
    for (bx, by) in (0..down).flat_map(|by| (0..across).map(move |bx| (bx, by))) {
        let Some(past) = past else {
            verdicts.push((32, true));
            continue;
        };
        let moving = Block4x4::measure(state, current, past.frame, (4 * bx, 4 * by)).moves(state);
        let before = past
            .history
            .get((by * across + bx) as usize)
            .copied()
            .unwrap_or(0);
        let history = match (moving, before > 128) {
            (true, true) => 128,
            (true, false) => 0,
            (false, _) => before.saturating_add(state.hist_delta).min(state.max_hist),
        };
        verdicts.push((history, moving));
    }
    let frame = Plane::from_fn(current.width() as u32, current.height() as u32, |x, y| {
        let (history, moving) = verdicts[(y / 4 * across + x / 4) as usize];
        let spatial = smooth(state, current, x, y);
        match past {
            Some(past) if !moving => {
                let temporal = mix(state, current.at(x, y), past.frame.at(x, y), history);
                let history = i32::from(history);
                ((temporal * history + spatial * (256 - history) + 128) >> 8) as u8
            }
            _ => spatial as u8,
        }
    });
    let history = verdicts.into_iter().map(|(history, _)| history).collect();
    Denoised { frame, history }
}

/// A pixel mixed with the one before it, the nearer the more.
fn mix(state: &DeinterlaceState, current: i32, past: i32, history: u8) -> i32 {
    let difference = (current - past).abs();
    let (low, high) = (
        i32::from(state.low_temporal_th),
        i32::from(state.temporal_th),
    );
    let weight = if difference <= low {
        256
    } else if difference >= high {
        0
    } else {
        ((high - difference) << 8) / (high - low)
    };
    let weight = (i32::from(history) * weight) >> 8;
    (current * (256 - weight) + past * weight + 128) >> 8
}

/// Mean of a pixel and its good neighbours, away from edges.
fn smooth(state: &DeinterlaceState, current: &Plane, x: i32, y: i32) -> i32 {
    let around = current.around(x, y, state.row_step());
    let here = around[1][1];
    if edge(&around) > i32::from(state.dn_edge_th) {
        return here;
    }
    let mut good = (here, 1);
    for (i, &n) in around.iter().flatten().enumerate() {
        if i != 4 && (n - here).abs() <= i32::from(state.good_neighbor_th) {
            good = (good.0 + n, good.1 + 1);
        }
    }
    (good.0 + good.1 / 2) / good.1
}

/// Edge strength of a 3x3, 0..=255.
fn edge(p: &[[i32; 3]; 3]) -> i32 {
    let gx = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
    let gy = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
    (gx.abs() + gy.abs()) >> 3
}

/// Block noise estimate of the `width` x `height` pixels from (x0, y0) on: the mean range of 3x3s in
/// smooth places.
pub fn noise_estimate(
    state: &DeinterlaceState,
    current: &Plane,
    (x0, y0): (i32, i32),
    (width, height): (i32, i32),
) -> u8 {
    let (mut sum, mut count) = (0, 0);
    for (x, y) in (y0..y0 + height).flat_map(|y| (x0..x0 + width).map(move |x| (x, y))) {
        let around = current.around(x, y, state.row_step());
        let codes = || around.iter().flatten().copied();
        let range = codes().max().unwrap_or(0) - codes().min().unwrap_or(0);
        let smooth = edge(&around) <= i32::from(state.bne_edge_th);
        if smooth && range <= i32::from(state.bne_noise_th) {
            (sum, count) = (sum + range, count + 1);
        }
    }
    if count == 0 {
        0
    } else {
        ((sum + count / 2) / count).min(255) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // A range of 40 is no noise.
        let bold = Plane::from_fn(16, 4, |x, _| if x % 2 == 0 { 100 } else { 140 });
        assert_eq!(noise_estimate(&state, &bold, (2, 0), (8, 4)), 0);
    }
}
