//! Denoising of luma: temporal where a 4x4 block is at rest, spatial where it moves.
//!
//! Source: AVS reference 5.4.

use super::block::WIDTH;
use super::picture::{BESIDE, Strip, columns, on_all_cores};
use super::{DeinterlaceState, Plane};
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// What was measured in each; without a past there is no change in time.
    pub measured: Vec<Block4x4>,
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
    /// Measures the block at (x0, y0), which begins inside; x0 is a multiple of 4.
    pub fn measure(
        state: &DeinterlaceState,
        current: &Plane,
        past: &Plane,
        (x0, y0): (i32, i32),
    ) -> Block4x4 {
        let (mut sum, mut block) = (0, Block4x4::default());
        let near = |plane: &Plane, y| -> [i32; 5] {
            let row = &plane.row(y)[BESIDE + x0 as usize..];
            std::array::from_fn(|i| i32::from(row[i]))
        };
        for y in y0..y0 + 4 {
            let below = near(
                current,
                current.below(y, state.row_step(), state.row_step()),
            );
            let (here, before) = (near(current, y), near(past, y));
            for i in 0..4 {
                let difference = here[i] - before[i];
                block.stad += difference.abs();
                sum += difference;
                block.moving_pixels += i32::from(difference.abs() > i32::from(state.temporal_th));
                block.shcm += (here[i] - here[i + 1]).abs();
                block.svcm += (here[i] - below[i]).abs();
            }
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

/// Denoises a frame; `past` is `None` for the first one, which is filtered spatially only. Rows are left out from
/// when `halt` is set on, and nothing comes out.
///
/// Blocks missing from the history count as 0.
pub fn denoise(
    state: &DeinterlaceState,
    current: &Plane,
    past: Option<Past>,
    halt: &AtomicBool,
) -> Option<Denoised> {
    let halted = || halt.load(Ordering::Relaxed);
    let (across, down) = blocks(current);
    let before = past.map_or(current, |past| past.frame);
    let measured = on_all_cores(down, |by| -> Vec<Block4x4> {
        if halted() {
            return Vec::new();
        }
        let measure = |bx| Block4x4::measure(state, current, before, (4 * bx, 4 * by));
        (0..across).map(measure).collect()
    })
    .concat();
    if halted() {
        return None;
    }
    let verdict = |(n, block): (usize, &Block4x4)| {
        let Some(past) = past else {
            return (32, true);
        };
        let moving = block.moves(state);
        let before = past.history.get(n).copied().unwrap_or(0);
        let history = match (moving, before > 128) {
            (true, true) => 128,
            (true, false) => 0,
            (false, _) => before.saturating_add(state.hist_delta).min(state.max_hist),
        };
        (history, moving)
    };
    let verdicts: Vec<(u8, bool)> = measured.iter().enumerate().map(verdict).collect();
    let weights = weights(state);
    let (width, height) = (current.width() as u32, current.height() as u32);
    let frame = Plane::from_rows(width, height, |y, out| {
        if halted() {
            return;
        }
        smooth(state, current, y, out);
        let Some(past) = past else { return };
        let here = current.row(y)[BESIDE..].chunks(4);
        let before = past.frame.row(y)[BESIDE..].chunks(4);
        let verdicts = &verdicts[(y / 4 * across) as usize..];
        for (((out, here), before), &(history, moving)) in
            out.chunks_mut(4).zip(here).zip(before).zip(verdicts)
        {
            if moving {
                continue;
            }
            for ((out, &here), &before) in out.iter_mut().zip(here).zip(before) {
                let temporal = mix(&weights, (here, before), history);
                let (spatial, history) = (u32::from(*out), u32::from(history));
                *out = ((temporal * history + spatial * (256 - history) + 128) >> 8) as u8;
            }
        }
    });
    let history = verdicts.into_iter().map(|(history, _)| history).collect();
    (!halted()).then_some(Denoised {
        frame,
        history,
        measured,
    })
}

/// Weight in time of each difference, 0..=256.
fn weights(state: &DeinterlaceState) -> [u16; 256] {
    let (low, high) = (
        usize::from(state.low_temporal_th),
        usize::from(state.temporal_th),
    );
    std::array::from_fn(|difference| {
        if difference <= low {
            256
        } else if difference >= high {
            0
        } else {
            (((high - difference) << 8) / (high - low)) as u16
        }
    })
}

/// A pixel mixed with the one before it, the nearer the more.
fn mix(weights: &[u16; 256], (here, before): (u8, u8), history: u8) -> u32 {
    let weight = u32::from(weights[usize::from(here.abs_diff(before))]);
    let weight = (u32::from(history) * weight) >> 8;
    (u32::from(here) * (256 - weight) + u32::from(before) * weight + 128) >> 8
}

/// Means of the pixels of a row and their good neighbours, away from edges.
fn smooth(state: &DeinterlaceState, current: &Plane, y: i32, out: &mut [u8]) {
    for (x, out) in (0..).step_by(WIDTH).zip(out.chunks_mut(WIDTH)) {
        let around = current.around(x, y, state.row_step());
        let edges = edges(&around);
        let (mut sums, mut counts) = ([0u16; WIDTH], [1u16; WIDTH]);
        let here: [u8; WIDTH] = columns(&around[1], 0);
        for (row, column) in NEIGHBOURS {
            let near: [u8; WIDTH] = columns(&around[row], column);
            for i in 0..WIDTH {
                let good = near[i].abs_diff(here[i]) <= state.good_neighbor_th;
                sums[i] += if good { u16::from(near[i]) } else { 0 };
                counts[i] += u16::from(good);
            }
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out = match edges[i] > u16::from(state.dn_edge_th) {
                true => here[i],
                false => mean(sums[i] + u16::from(here[i]), counts[i]),
            };
        }
    }
}

/// The eight neighbours of a pixel: row of three, and columns to the right.
const NEIGHBOURS: [(usize, i32); 8] = [
    (0, -1),
    (0, 0),
    (0, 1),
    (1, -1),
    (1, 1),
    (2, -1),
    (2, 0),
    (2, 1),
];

/// The rounded mean of `count` codes, 1 to 9, by their sum.
fn mean(sum: u16, count: u16) -> u8 {
    /// 2^16 / count, rounded up: for sums of nine codes the quotient is exact.
    const PARTS: [u32; 10] = {
        let mut parts = [0; 10];
        let mut count = 1;
        while count < 10 {
            parts[count] = (1u32 << 16).div_ceil(count as u32);
            count += 1;
        }
        parts
    };
    ((u32::from(sum + count / 2) * PARTS[usize::from(count)]) >> 16) as u8
}

/// Edge strengths around the columns of a block, 0..=255: of Sobel.
fn edges([above, here, below]: &[Strip; 3]) -> [u16; WIDTH] {
    // From the column before the block on.
    let codes = |row| columns::<{ WIDTH + 2 }>(row, -1).map(i16::from);
    let [above, here, below] = [codes(above), codes(here), codes(below)];
    let mut edges = [0; WIDTH];
    for (i, edge) in edges.iter_mut().enumerate() {
        let side = |x: usize| above[x] + 2 * here[x] + below[x];
        let line = |row: &[i16]| row[i] + 2 * row[i + 1] + row[i + 2];
        let (across, down) = (side(i + 2) - side(i), line(&below) - line(&above));
        *edge = (across.unsigned_abs() + down.unsigned_abs()) >> 3;
    }
    edges
}

/// Block noise estimate of the `width` x `height` pixels from (x0, y0) on, 16 at most across: the mean range of
/// 3x3s in smooth places.
pub fn noise_estimate(
    state: &DeinterlaceState,
    current: &Plane,
    (x0, y0): (i32, i32),
    (width, height): (usize, i32),
) -> u8 {
    let (mut sum, mut count) = (0, 0);
    for y in y0..y0 + height {
        let around = current.around(x0, y, state.row_step());
        let (mut most, mut least) = ([0; WIDTH], [u8::MAX; WIDTH]);
        for row in &around {
            for right in -1..=1 {
                let near: [u8; WIDTH] = columns(row, right);
                for i in 0..WIDTH {
                    most[i] = near[i].max(most[i]);
                    least[i] = near[i].min(least[i]);
                }
            }
        }
        let edges = edges(&around);
        for i in 0..width.min(WIDTH) {
            let range = most[i] - least[i];
            let smooth = edges[i] <= u16::from(state.bne_edge_th);
            if smooth && range <= state.bne_noise_th {
                (sum, count) = (sum + u32::from(range), count + 1);
            }
        }
    }
    match count {
        0 => 0,
        _ => ((sum + count / 2) / count).min(255) as u8,
    }
}
