//! A plane of 8-bit codes whose coordinates clamp, by frame or by field. Source: AVS reference 5.3.

/// Codes of luma, or of one chroma channel, in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    width: i32,
    height: i32,
    codes: Vec<u8>,
}

impl Plane {
    /// A plane of `width` x `height` codes, both 1..=65536.
    ///
    /// # Panics
    /// If a size is out of range or `codes` has another length: whoever reads a surface knows both.
    pub fn new(width: u32, height: u32, codes: Vec<u8>) -> Plane {
        let sizes = 1..=1 << 16;
        assert!(
            sizes.contains(&width) && sizes.contains(&height),
            "a plane of {width} x {height}"
        );
        assert_eq!(codes.len() as u64, u64::from(width) * u64::from(height));
        Plane {
            width: width as i32,
            height: height as i32,
            codes,
        }
    }

    /// A plane whose code at (x, y) is `code(x, y)`.
    pub fn from_fn(width: u32, height: u32, code: impl Fn(i32, i32) -> u8) -> Plane {
        let rows = 0..height as i32;
        let codes = rows.flat_map(|y| (0..width as i32).map(move |x| (x, y)));
        Plane::new(width, height, codes.map(|(x, y)| code(x, y)).collect())
    }

    /// Columns.
    pub fn width(&self) -> i32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> i32 {
        self.height
    }

    /// All codes, row by row.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The code at (x, y); both clamp to the plane.
    pub fn at(&self, x: i32, y: i32) -> i32 {
        let x = x.clamp(0, self.width - 1) as usize;
        let y = y.clamp(0, self.height - 1) as usize;
        i32::from(self.codes[y * self.width as usize + x])
    }

    /// The code `steps` neighbouring rows below (x, y), which lies inside. `step` 1 counts rows of the
    /// frame; 2 rows of the field, and clamps to the nearest row of the same parity.
    pub fn below(&self, x: i32, y: i32, steps: i32, step: i32) -> i32 {
        let y = y.clamp(0, self.height - 1);
        let wanted = y + steps * step;
        if step == 1 {
            return self.at(x, wanted);
        }
        let first = y % 2;
        let last = first + (self.height - 1 - first) / 2 * 2;
        self.at(x, wanted.clamp(first, last))
    }

    /// The 3x3 codes around (x, y), rows first, rows being `step` apart.
    pub fn around(&self, x: i32, y: i32, step: i32) -> [[i32; 3]; 3] {
        std::array::from_fn(|j| {
            std::array::from_fn(|i| self.below(x + i as i32 - 1, y, j as i32 - 1, step))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_clamp_to_their_own_rows() {
        let plane = Plane::from_fn(2, 5, |x, y| (10 * y + x) as u8);
        assert_eq!(plane.at(-3, 9), 40);
        assert_eq!(plane.below(1, 3, 1, 1), 41);
        assert_eq!(plane.below(1, 3, 1, 2), 31); // row 5 is outside, row 3 the last odd one
        assert_eq!(plane.below(0, 1, -1, 2), 10);
        assert_eq!(plane.below(0, 4, 1, 2), 40);
        assert_eq!(
            plane.around(0, 2, 2),
            [[0, 0, 1], [20, 20, 21], [40, 40, 41]]
        );
        let row = Plane::from_fn(1, 1, |_, _| 7);
        assert_eq!(row.around(0, 0, 2), [[7; 3]; 3]);
    }
}
