//! A plane of 8-bit codes whose coordinates clamp, by frame or by field. Source: AVS reference 5.3.
//!
//! ```text
//!  ┌── 4 ──┬──────── width ────────┬── 4 ──┐     a row as it is kept: its ends go on as far as anything looks
//!  │ first │         codes         │ last  │
//!  └───────┴───────────────────────┴───────┘
//! ```

use super::block::WIDTH;
use crate::base::cores::pool;
use rayon::prelude::*;

/// Columns beside a row, or beside a block: nothing looks farther across.
pub const BESIDE: usize = 4;

/// Columns of a block in a row, and those beside it.
pub type Strip = [u8; WIDTH + 2 * BESIDE];

/// Columns of a strip, from so many to the right of the block's first one on.
pub fn columns<const N: usize>(strip: &Strip, right: i32) -> [u8; N] {
    let first = (BESIDE as i32 + right) as usize;
    let mut columns = [0; N];
    columns.copy_from_slice(&strip[first..first + N]);
    columns
}

/// From this many rows on, rows are made on all cores; parts of frames around one block have fewer.
const MANY: usize = 64;

/// Codes of luma, or of one chroma channel, in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    width: i32,
    height: i32,
    /// Rows with [`BESIDE`] columns on both sides.
    codes: Vec<u8>,
}

/// What `make` makes of the numbers of rows, in order; on all cores if they are many.
pub fn on_all_cores<T: Send>(rows: i32, make: impl Fn(i32) -> T + Sync + Send) -> Vec<T> {
    match pool().filter(|_| rows as usize >= MANY) {
        Some(pool) => pool.install(|| (0..rows).into_par_iter().map(make).collect()),
        None => (0..rows).map(make).collect(),
    }
}

impl Plane {
    /// A plane of `width` x `height` codes, both 1..=65536.
    ///
    /// # Panics
    /// If a size is out of range or `codes` has another length: whoever reads a surface knows both.
    pub fn new(width: u32, height: u32, codes: &[u8]) -> Plane {
        assert_eq!(codes.len() as u64, u64::from(width) * u64::from(height));
        let columns = width as usize;
        Plane::from_rows(width, height, |y, row| {
            row.copy_from_slice(&codes[y as usize * columns..][..columns]);
        })
    }

    /// A plane whose rows are written by `row`, given their number and their codes, 0 at first.
    ///
    /// # Panics
    /// If a size is out of range.
    pub fn from_rows(width: u32, height: u32, row: impl Fn(i32, &mut [u8]) + Sync) -> Plane {
        let sizes = 1..=1 << 16;
        assert!(
            sizes.contains(&width) && sizes.contains(&height),
            "a plane of {width} x {height}"
        );
        let stride = width as usize + 2 * BESIDE;
        let mut codes = vec![0; stride * height as usize];
        let make = |(y, line): (usize, &mut [u8])| {
            row(y as i32, &mut line[BESIDE..stride - BESIDE]);
            let (first, last) = (line[BESIDE], line[stride - BESIDE - 1]);
            line[..BESIDE].fill(first);
            line[stride - BESIDE..].fill(last);
        };
        match pool().filter(|_| height as usize >= MANY) {
            Some(pool) => pool.install(|| {
                let rows = codes.par_chunks_mut(stride).enumerate();
                rows.for_each(make);
            }),
            None => codes.chunks_mut(stride).enumerate().for_each(make),
        }
        Plane {
            width: width as i32,
            height: height as i32,
            codes,
        }
    }

    /// A plane whose code at (x, y) is `code(x, y)`.
    pub fn from_fn(width: u32, height: u32, code: impl Fn(i32, i32) -> u8 + Sync) -> Plane {
        Plane::from_rows(width, height, |y, row| {
            for (x, out) in (0..).zip(row) {
                *out = code(x, y);
            }
        })
    }

    /// Columns.
    pub fn width(&self) -> i32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> i32 {
        self.height
    }

    /// A row, its number clamped; column x is at [`BESIDE`] + x, and as many columns beside repeat the ends.
    pub fn row(&self, y: i32) -> &[u8] {
        let stride = self.width as usize + 2 * BESIDE;
        let y = y.clamp(0, self.height - 1) as usize;
        &self.codes[y * stride..][..stride]
    }

    /// The code at (x, y); both clamp to the plane.
    pub fn at(&self, x: i32, y: i32) -> i32 {
        let x = x.clamp(0, self.width - 1) as usize;
        i32::from(self.row(y)[BESIDE + x])
    }

    /// The row `distance` rows below row `y`, which clamps to the plane first. What lies outside is the nearest row
    /// inside: with a `step` of 1 any row, with 2, where rows are taken by field, one of its own parity.
    ///
    /// This is the one place that knows what is beyond the top and the bottom. Source: AVS reference 5.3.
    pub fn below(&self, y: i32, distance: i32, step: i32) -> i32 {
        let last = self.height - 1;
        let wanted = y.clamp(0, last) + distance;
        // A plane of one row has no other field.
        if step == 1 || last == 0 {
            return wanted.clamp(0, last);
        }
        let parity = wanted.rem_euclid(2);
        wanted.clamp(parity, last - (last - parity) % 2)
    }

    /// Columns of row `y` from [`BESIDE`] before `x` on; both coordinates clamp.
    pub fn strip(&self, x: i32, y: i32) -> Strip {
        let row = self.row(y);
        if let Some(inside) = usize::try_from(x)
            .ok()
            .and_then(|x| row.get(x..)?.first_chunk())
        {
            return *inside;
        }
        let last = row.len() - 1;
        std::array::from_fn(|i| row[(x.max(0) as usize + i).min(last)])
    }

    /// The strips of row `y` and of its neighbours above and below, rows being `step` apart.
    pub fn around(&self, x: i32, y: i32, step: i32) -> [Strip; 3] {
        [-step, 0, step].map(|distance| self.strip(x, self.below(y, distance, step)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_clamp_to_their_own_rows() {
        let plane = Plane::from_fn(2, 5, |x, y| (10 * y + x) as u8);
        assert_eq!(plane.at(-3, 9), 40);
        assert_eq!(plane.below(3, 1, 1), 4);
        assert_eq!(plane.below(3, 2, 2), 3); // row 5 is outside, row 3 the last odd one
        assert_eq!(plane.below(1, -2, 2), 1);
        assert_eq!(plane.below(4, 2, 2), 4);
        assert_eq!(plane.below(9, -2, 2), 2); // from row 4
        // The row beside is of the other field: row -1 is row 1, row 5 is row 3; by frame, row 0 and row 4.
        assert_eq!([plane.below(0, -1, 2), plane.below(4, 1, 2)], [1, 3]);
        assert_eq!([plane.below(0, -1, 1), plane.below(4, 1, 1)], [0, 4]);
        let near = plane
            .around(0, 2, 2)
            .map(|strip| [3, 4, 5].map(|i| strip[i]));
        assert_eq!(near, [[0, 0, 1], [20, 20, 21], [40, 40, 41]]);
        let row = Plane::from_fn(1, 1, |_, _| 7);
        assert_eq!(row.around(0, 0, 2), [[7; 24]; 3]);
        assert_eq!([-1, 1].map(|distance| row.below(0, distance, 2)), [0, 0]);
    }

    #[test]
    fn rows_go_on_beyond_their_ends() {
        for width in [1, 3, 16, 17, 40] {
            let plane = Plane::from_fn(width, 2, |x, y| (x + 100 * y) as u8);
            for x in [0, 1, 2, 15, 16, 39, 60] {
                let wanted: Strip = std::array::from_fn(|i| plane.at(x + i as i32 - 4, 1) as u8);
                if x < width as i32 {
                    assert_eq!(plane.strip(x, 1), wanted, "{width} {x}");
                }
            }
        }
        // Rows made on all cores are the same rows.
        let height = 3 * MANY as u32;
        let codes: Vec<u8> = (0..height)
            .flat_map(|y| (0..5).map(move |x| (x + y) as u8))
            .collect();
        let tall = Plane::from_fn(5, height, |x, y| (x + y) as u8);
        assert_eq!(tall, Plane::new(5, height, &codes));
    }
}
