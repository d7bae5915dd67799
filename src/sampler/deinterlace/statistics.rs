//! Field variances of a 16x4 block: what software tells film from video by. Source: AVS reference 5.8.

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
    let c = |x, y| current.at(x, y);
    let difference = |a: i32, b: i32| a.abs_diff(b);
    for (x, top) in [y0, y0 + 2]
        .into_iter()
        .flat_map(|y| (x0..x0 + 16).map(move |x| (x, y)))
    {
        let bottom = top + 1;
        let torn = (c(x, top) - c(x, bottom)).abs();
        let tops = (c(x, top) - current.below(x, top, 1, 2)).abs();
        let bottoms = (c(x, bottom) - current.below(x, bottom, 1, 2)).abs();
        tearing += u32::from(torn > tops + bottoms + i32::from(state.tear_th));
        sums[2] += difference(c(x, top), c(x, bottom));
        let Some(previous) = previous else { continue };
        let p = |x, y| previous.at(x, y);
        sums[0] += difference(c(x, top), p(x, top));
        sums[1] += difference(c(x, bottom), p(x, bottom));
        sums[3] += difference(c(x, top), p(x, bottom));
        sums[4] += difference(c(x, bottom), p(x, top));
        for y in [top, bottom] {
            let change: u32 = (-1..=1).map(|k| difference(c(x + k, y), p(x + k, y))).sum();
            motion += u32::from(change > u32::from(state.fmd_temporal_th));
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
