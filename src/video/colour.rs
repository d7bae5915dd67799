//! Colours between R, G, B and Y, Cb, Cr: BT.601, in 1/256.

/// What codes of Y, Cb and Cr stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Range {
    /// Black is 16, white 235; chroma 16 to 240.
    #[default]
    Video,
    /// All codes: grey has the code of its R, G and B.
    Full,
}

impl Range {
    /// R, G, B of Y, Cb, Cr.
    pub fn rgb(self, [y, cb, cr]: [u8; 3]) -> [u8; 3] {
        let (y, cb, cr) = (i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
        match self {
            Range::Video => {
                let y = 298 * (y - 16);
                [y + 409 * cr, y - 100 * cb - 208 * cr, y + 516 * cb].map(code)
            }
            Range::Full => {
                let y = 256 * y;
                [y + 359 * cr, y - 88 * cb - 183 * cr, y + 454 * cb].map(code)
            }
        }
    }

    /// Y, Cb, Cr of R, G, B.
    pub fn ycc(self, rgb: [u8; 3]) -> [u8; 3] {
        let [r, g, b] = rgb.map(i32::from);
        let sums = match self {
            Range::Video => [
                16 * 256 + 66 * r + 129 * g + 25 * b,
                128 * 256 - 38 * r - 74 * g + 112 * b,
                128 * 256 + 112 * r - 94 * g - 18 * b,
            ],
            Range::Full => [
                77 * r + 150 * g + 29 * b,
                128 * 256 - 43 * r - 85 * g + 128 * b,
                128 * 256 + 128 * r - 107 * g - 21 * b,
            ],
        };
        sums.map(code)
    }
}

/// The byte nearest to 1/256s.
fn code(sum: i32) -> u8 {
    ((sum + 128) >> 8).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::Range::{Full, Video};

    #[test]
    fn white_black_and_red() {
        assert_eq!(Video.rgb([235, 128, 128]), [255; 3]);
        assert_eq!(Video.rgb([16, 128, 128]), [0; 3]);
        // Red of BT.601: Y 82, Cb 90, Cr 240.
        assert_eq!(Video.rgb([82, 90, 240]), [255, 1, 0]);
        assert_eq!(Video.ycc([255, 0, 0]), [82, 90, 240]);
        // Y = 77 * 255 / 256 = 77, Cb = 128 - 43 * 255 / 256 = 85, Cr = 128 + 128 * 255 / 256 = 256, held at 255.
        assert_eq!(Full.ycc([255, 0, 0]), [77, 85, 255]);
        // 77 + 359 * 127 / 256 = 255; 77 + (88 * 43 - 183 * 127) / 256 = 1; 77 - 454 * 43 / 256 = 1.
        assert_eq!(Full.rgb([77, 85, 255]), [255, 1, 1]);
    }

    #[test]
    fn grey_comes_back() {
        for grey in 0..=255u8 {
            assert_eq!(Full.ycc([grey; 3]), [grey, 128, 128]);
            assert_eq!(Full.rgb([grey, 128, 128]), [grey; 3]);
            let [r, g, b] = Video.rgb(Video.ycc([grey; 3]));
            assert!(r == g && g == b && r.abs_diff(grey) <= 1, "{grey}");
        }
    }
}
