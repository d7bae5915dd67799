//! Progressive frames from fields: existing rows are copied, missing ones interpolated along edges,
//! mixed with the fields before and after, or woven in.
//!
//! ```text
//!  time    previous frame         current frame
//!          first   second         first   second field
//!                  ^ output 1     ^ output 2
//! ```
//!
//! Source: AVS reference 5.6 and 5.7.

use super::block::WIDTH;
use super::motion::{PAIRS, spatial_weight};
use super::picture::{BESIDE, Strip, columns};
use super::{DeinterlaceState, Plane};
use serde::Deserialize;

/// Which of the two frames is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// At the time of the second field of the previous frame.
    PreviousSecond,
    /// At the time of the first field of the current frame.
    CurrentFirst,
}

/// What software knows of the film mode of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weave {
    /// Nothing: interpolate.
    #[default]
    No,
    /// The missing rows are those of the field before.
    Before,
    /// The missing rows are those of the field after.
    After,
}

/// How rows are made of those beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Along edges.
    Luma,
    /// Straight.
    Chroma,
}

/// One channel of both frames, luma denoised.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    /// Which.
    pub channel: Channel,
    /// The frame before; `None` for the first frame, whose missing rows are all interpolated.
    pub previous: Option<&'a Plane>,
    /// This frame.
    pub current: &'a Plane,
}

impl<'a> Frames<'a> {
    /// The frame that an output keeps rows of, and whether row `y` is one of them.
    fn own(&self, state: &DeinterlaceState, output: Output, y: i32) -> (&'a Plane, bool) {
        let first = state.first_field();
        match output {
            Output::PreviousSecond => (self.previous.unwrap_or(self.current), y % 2 != first),
            Output::CurrentFirst => (self.current, y % 2 == first),
        }
    }

    /// Pixels of row `y` of an output frame, which lies inside, from column `x` on: their own row's, or what `weave`
    /// or `motion` make of both frames and of the rows beside.
    ///
    /// * `motion`: that of each pair; of a chroma pixel, which is 4:2:2, that of the luma pair with the same number.
    ///   There are as many chroma pixels as pairs, the rest of the row is of no use.
    pub fn row(
        &self,
        state: &DeinterlaceState,
        (output, weave): (Output, Weave),
        (x, y): (i32, i32),
        motion: &[u8; PAIRS],
    ) -> [u8; WIDTH] {
        let (of, kept) = self.own(state, output, y);
        if kept {
            return columns(&of.strip(x, y), 0);
        }
        let spatial = || {
            // At the edge of the frame, the same row of the field twice.
            let rows = [-1, 1].map(|distance| of.strip(x, of.below(y, distance, 2)));
            match self.channel {
                Channel::Luma => along_edges(state, &rows),
                Channel::Chroma => {
                    let [above, below] = rows.map(|row| columns(&row, 0));
                    middles(&above, &below)
                }
            }
        };
        let Some(previous) = self.previous else {
            return spatial();
        };
        let [before, after] = [previous, self.current].map(|frame| columns(&frame.strip(x, y), 0));
        match weave {
            Weave::Before => before,
            Weave::After => after,
            Weave::No => {
                let weights = motion.map(|motion| spatial_weight(state, motion) as u32);
                let mut each = [0; WIDTH];
                match self.channel {
                    Channel::Luma => {
                        for (pair, weight) in each.chunks_exact_mut(2).zip(weights) {
                            pair.fill(weight);
                        }
                    }
                    Channel::Chroma => each[..PAIRS].copy_from_slice(&weights),
                }
                blend(state, &spatial(), &middles(&before, &after), &each)
            }
        }
    }
}

/// The rounded means of codes.
fn middles(a: &[u8; WIDTH], b: &[u8; WIDTH]) -> [u8; WIDTH] {
    let mut middles = [0; WIDTH];
    for i in 0..WIDTH {
        middles[i] = ((u16::from(a[i]) + u16::from(b[i]) + 1) >> 1) as u8;
    }
    middles
}

/// The spatial and the temporal result by motion.
fn blend(
    state: &DeinterlaceState,
    spatial: &[u8; WIDTH],
    temporal: &[u8; WIDTH],
    weights: &[u32; WIDTH],
) -> [u8; WIDTH] {
    let shift = u32::from(state.out_shift & 15);
    let whole = 1 << shift;
    let mut blended = [0; WIDTH];
    for i in 0..WIDTH {
        // Where the window is wider than 2^out_shift, against the programming rule, all is spatial.
        let weight = weights[i].min(whole);
        let sum = u32::from(spatial[i]) * weight + u32::from(temporal[i]) * (whole - weight);
        blended[i] = ((sum + (whole >> 1)) >> shift) as u8;
    }
    blended
}

/// Missing pixels from the rows above and below, along the direction in which they differ least.
fn along_edges(state: &DeinterlaceState, [a, b]: &[Strip; 2]) -> [u8; WIDTH] {
    // Columns to the right in the row above and to the left in the row below.
    let (near_a, near_b) = (columns(a, 0), columns(b, 0));
    let vertical = middles(&near_a, &near_b);
    let (mut least, mut slanted) = (differences(a, b, 0), vertical);
    for d in [1i32, -1, 2, -2] {
        let limit = match d.abs() {
            2 => state.sdi_th.min(state.sdi_2x1),
            _ => state.sdi_th,
        };
        let found = differences(a, b, d);
        let means = middles(&columns(a, d), &columns(b, -d));
        for i in 0..WIDTH {
            let better =
                found[i] < u16::from(limit) && found[i] + u16::from(state.sdi_delta) < least[i];
            least[i] = if better { found[i] } else { least[i] };
            slanted[i] = if better { means[i] } else { slanted[i] };
        }
    }
    // Where no direction was better, the two are the same.
    for i in 0..WIDTH {
        let doubtful = slanted[i].abs_diff(vertical[i]) > state.sdi_t1
            && near_a[i].abs_diff(near_b[i]) < state.sdi_t2;
        slanted[i] = if doubtful { vertical[i] } else { slanted[i] };
    }
    slanted
}

/// Sums of three differences: columns `d` to the right in row `a`, and to the left in row `b`.
fn differences(a: &Strip, b: &Strip, d: i32) -> [u16; WIDTH] {
    const COLUMNS: usize = WIDTH + 2;
    let (a, b) = (columns::<COLUMNS>(a, d - 1), columns::<COLUMNS>(b, -d - 1));
    let mut single = [0; COLUMNS];
    for i in 0..COLUMNS {
        single[i] = u16::from(a[i].abs_diff(b[i]));
    }
    let mut sums = [0; WIDTH];
    for i in 0..WIDTH {
        sums[i] = single[i] + single[i + 1] + single[i + 2];
    }
    sums
}

/// Chroma of 4:2:0 as 4:2:2: rows doubled inside each field. Source: AVS reference 5.7, "Chroma".
pub fn double_rows(chroma: &Plane) -> Plane {
    let columns = BESIDE..BESIDE + chroma.width() as usize;
    Plane::from_rows(
        chroma.width() as u32,
        2 * chroma.height() as u32,
        |y, out| {
            let (parity, n) = (y % 2, y / 2);
            // Field row m of chroma is 2m rows below the field's first one.
            let row = |m| &chroma.row(chroma.below(parity, 2 * m, 2))[columns.clone()];
            let m = n / 2;
            let other = if n % 2 == 0 { m - 1 } else { m + 1 };
            for ((out, &near), &far) in out.iter_mut().zip(row(m)).zip(row(other)) {
                *out = ((3 * u16::from(near) + u16::from(far) + 2) >> 2) as u8;
            }
        },
    )
}

/// Chroma of 4:1:1 as 4:2:2: columns doubled.
pub fn double_columns(chroma: &Plane) -> Plane {
    Plane::from_fn(2 * chroma.width() as u32, chroma.height() as u32, |x, y| {
        let (left, right) = (chroma.at(x / 2, y), chroma.at(x / 2 + 1, y));
        (if x % 2 == 0 {
            left
        } else {
            (left + right + 1) >> 1
        }) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> DeinterlaceState {
        DeinterlaceState::default()
    }

    #[test]
    fn a_diagonal_is_followed() {
        // Row 0: 100 up to column 5, then 160. Row 2: 100 up to column 3, then 160. At (4, 1):
        // sad(0) = |100-100| + |100-160| + |100-160| = 120;
        // sad(1): a[4..=6] = 100 100 160, b[2..=4] = 100 100 160: 0. 0 + 5 < 120: d = 1.
        // a[5] = 100, b[3] = 100: 100, where the vertical average is 130. |100 - 130| = 30 <= 50.
        let step = |at| move |x| if x < at { 100 } else { 160 };
        let plane = Plane::from_fn(10, 3, |x, y| if y == 0 { step(6)(x) } else { step(4)(x) });
        let rows = [0, 2].map(|y| plane.strip(0, y));
        assert_eq!(along_edges(&state(), &rows)[4..6], [100, 160]);
        // With sdi_t1 = 29 the difference of 30 is doubtful, and |100 - 160| = 60 < 100.
        let careful = DeinterlaceState {
            sdi_t1: 29,
            ..state()
        };
        assert_eq!(along_edges(&careful, &rows)[4], 130);
    }
}
