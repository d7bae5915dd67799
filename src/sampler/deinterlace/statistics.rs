//! Field variances of a 16x4 block: what software tells film from video by. Source: AVS reference 5.8.

use super::block::WIDTH;
use super::picture::{BESIDE, Strip};
use super::{DeinterlaceState, Plane};

/// Sums saturate at 16 bits, counts at 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variances {
    /// Top rows of the current against the previous frame.
    pub ct_pt: u16,
    /// Bottom rows of the current against the previous frame.
    pub cb_pb: u16,
    /// Current top against current bottom rows.
    pub ct_cb: u16,
    /// Current top against previous bottom rows.
    pub ct_pb: u16,
    /// Current bottom against previous top rows.
    pub cb_pt: u16,
    /// Pixels that move.
    pub motion: u8,
    /// Pixels of row pairs that differ more than their fields do.
    pub tearing: u8,
    /// The others.
    pub fitting: u8,
}

/// Measures the 16x4 block at (x0, y0), `y0` even. Without a previous frame, what needs one is all ones.
pub fn variances(
    state: &DeinterlaceState,
    current: &Plane,
    previous: Option<&Plane>,
    (x0, y0): (i32, i32),
) -> Variances {
    let (mut sums, mut motion, mut tearing) = ([0u32; 5], 0u32, 0u32);
    for top in [y0, y0 + 2] {
        let rows = [top, top + 1];
        let [here, below] = [
            rows.map(|y| current.strip(x0, y)),
            rows.map(|y| current.strip(x0, current.below(y, 2, 2))),
        ];
        let change = |a: &Strip, b: &Strip, i: usize| u32::from(a[i].abs_diff(b[i]));
        let block = BESIDE..BESIDE + WIDTH;
        for i in block.clone() {
            let torn = change(&here[0], &here[1], i);
            let inside = change(&here[0], &below[0], i) + change(&here[1], &below[1], i);
            tearing += u32::from(torn > inside + u32::from(state.tear_th));
            sums[2] += torn;
        }
        let Some(previous) = previous else { continue };
        let before = rows.map(|y| previous.strip(x0, y));
        for i in block {
            for (sum, (now, then)) in [(0, (0, 0)), (1, (1, 1)), (3, (0, 1)), (4, (1, 0))] {
                sums[sum] += change(&here[now], &before[then], i);
            }
            for (here, before) in here.iter().zip(&before) {
                let change: u32 = (i - 1..=i + 1).map(|i| change(here, before, i)).sum();
                motion += u32::from(change > u32::from(state.fmd_temporal_th));
            }
        }
    }
    let [ct_pt, cb_pb, ct_cb, ct_pb, cb_pt] = sums.map(|sum| sum.min(0xffff) as u16);
    let measured = Variances {
        ct_pt,
        cb_pb,
        ct_cb,
        ct_pb,
        cb_pt,
        motion: motion.min(255) as u8,
        tearing: tearing.min(255) as u8,
        fitting: (32 - tearing) as u8,
    };
    match previous {
        Some(_) => measured,
        None => Variances {
            ct_pt: 0xffff,
            cb_pb: 0xffff,
            ct_pb: 0xffff,
            cb_pt: 0xffff,
            motion: 0xff,
            ..measured
        },
    }
}
