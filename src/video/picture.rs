//! One frame: planes of bytes.

use super::VideoError;

/// The largest width and height: fields of surface states.
pub const MAX_SIZE: u32 = 8192;

/// Which planes a frame has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// Luma only.
    Grey,
    /// Y, Cb, Cr, chroma halved both ways.
    S420,
    /// Y, Cb, Cr, chroma of half the width.
    S422,
    /// Y, Cb, Cr of one size.
    S444,
    /// One plane of R, G, B, A bytes.
    Rgba,
}

impl Sampling {
    /// Columns and rows of each plane of a `width` x `height` frame, a texel being of [`Sampling::texel_bytes`].
    pub fn planes(self, width: u32, height: u32) -> Vec<(u32, u32)> {
        let (half_w, half_h) = (width.div_ceil(2), height.div_ceil(2));
        let whole = (width, height);
        match self {
            Sampling::Grey | Sampling::Rgba => vec![whole],
            Sampling::S420 => vec![whole, (half_w, half_h), (half_w, half_h)],
            Sampling::S422 => vec![whole, (half_w, height), (half_w, height)],
            Sampling::S444 => vec![whole; 3],
        }
    }

    /// Bytes of a texel of a plane.
    pub const fn texel_bytes(self) -> usize {
        match self {
            Sampling::Rgba => 4,
            _ => 1,
        }
    }
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns of luma.
    pub width: u32,
    /// Rows of luma.
    pub height: u32,
    /// Which planes.
    pub sampling: Sampling,
    /// The bytes of each plane, row by row.
    pub planes: Vec<Vec<u8>>,
}

impl Picture {
    /// A black frame.
    ///
    /// # Errors
    /// A side of 0 or beyond [`MAX_SIZE`].
    pub fn new(width: u32, height: u32, sampling: Sampling) -> Result<Picture, VideoError> {
        check_size(width, height)?;
        let bytes = |(w, h): (u32, u32)| vec![0; w as usize * h as usize * sampling.texel_bytes()];
        Ok(Picture {
            width,
            height,
            sampling,
            planes: sampling
                .planes(width, height)
                .into_iter()
                .map(bytes)
                .collect(),
        })
    }

    /// The same picture with chroma sampled like `sampling`, one of the two halved ones: rows are averaged
    /// in pairs, or doubled.
    pub fn resampled(self, sampling: Sampling) -> Picture {
        let (from, to) = (self.sampling, sampling);
        let stride = self.width.div_ceil(2) as usize;
        let change: fn(&[u8], usize, u32) -> Vec<u8> = match (from, to) {
            (Sampling::S422, Sampling::S420) => |rows, stride, _| {
                let pairs = rows.chunks(2 * stride);
                pairs
                    .flat_map(|pair| {
                        let (a, b) = pair.split_at(stride);
                        let b = if b.is_empty() { a } else { b };
                        let mean =
                            |(a, b): (&u8, &u8)| (u16::from(*a) + u16::from(*b)).div_ceil(2) as u8;
                        a.iter().zip(b).map(mean).collect::<Vec<_>>()
                    })
                    .collect()
            },
            (Sampling::S420, Sampling::S422) => |rows, stride, height| {
                let twice = rows.chunks(stride).flat_map(|row| [row, row]);
                twice.take(height as usize).flatten().copied().collect()
            },
            _ => return self,
        };
        let Picture {
            width,
            height,
            planes,
            ..
        } = self;
        let planes = planes.into_iter().enumerate().map(|(i, plane)| match i {
            0 => plane,
            _ => change(&plane, stride, height),
        });
        Picture {
            width,
            height,
            sampling,
            planes: planes.collect(),
        }
    }

    /// Red, green and blue of every pixel, by BT.601 with video range if it is in Y, Cb, Cr.
    pub fn rgb(&self) -> Vec<[u8; 3]> {
        let sizes = self.sampling.planes(self.width, self.height);
        let at = |plane: usize, x: u32, y: u32| {
            let (w, h) = sizes[plane];
            // Chroma of half a size lies at every second texel.
            let (x, y) = (x * w / self.width, y * h / self.height);
            i32::from(self.planes[plane][(y.min(h - 1) * w + x.min(w - 1)) as usize])
        };
        let pixels = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        match self.sampling {
            Sampling::Rgba => {
                let (texels, _) = self.planes[0].as_chunks::<4>();
                texels.iter().map(|&[r, g, b, _]| [r, g, b]).collect()
            }
            Sampling::Grey => pixels.map(|(x, y)| [at(0, x, y) as u8; 3]).collect(),
            _ => pixels
                .map(|(x, y)| bt601(at(0, x, y), at(1, x, y), at(2, x, y)))
                .collect(),
        }
    }

    /// Peak signal to noise ratio of one plane against another of the same size, in dB; infinite if equal.
    pub fn psnr(&self, other: &Picture, plane: usize) -> f64 {
        let mse = self.mse(other, plane);
        if mse == 0.0 {
            f64::INFINITY
        } else {
            10.0 * (255.0 * 255.0 / mse).log10()
        }
    }

    /// Mean square error of one plane against another of the same size.
    pub fn mse(&self, other: &Picture, plane: usize) -> f64 {
        let (a, b) = (&self.planes[plane], &other.planes[plane]);
        let square = |(a, b): (&u8, &u8)| f64::from(i32::from(*a) - i32::from(*b)).powi(2);
        a.iter().zip(b).map(square).sum::<f64>() / a.len().max(1) as f64
    }
}

/// # Errors
/// A side of 0 or beyond [`MAX_SIZE`].
pub fn check_size(width: u32, height: u32) -> Result<(), VideoError> {
    let sides = 1..=MAX_SIZE;
    if sides.contains(&width) && sides.contains(&height) {
        return Ok(());
    }
    let what = format!("a frame is 1x1 to {MAX_SIZE}x{MAX_SIZE}, not {width}x{height}");
    Err(VideoError::wrong(what))
}

/// BT.601, video range, in 1/256.
fn bt601(y: i32, cb: i32, cr: i32) -> [u8; 3] {
    let (y, cb, cr) = (298 * (y - 16), cb - 128, cr - 128);
    let byte = |v: i32| ((v + 128) >> 8).clamp(0, 255) as u8;
    [
        byte(y + 409 * cr),
        byte(y - 100 * cb - 208 * cr),
        byte(y + 516 * cb),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_of_odd_frames_round_up() {
        assert_eq!(Sampling::S420.planes(5, 3), [(5, 3), (3, 2), (3, 2)]);
        assert_eq!(Sampling::S422.planes(5, 3), [(5, 3), (3, 3), (3, 3)]);
        assert!(Picture::new(0, 3, Sampling::Grey).is_err());
        assert!(Picture::new(8193, 3, Sampling::Grey).is_err());
    }

    #[test]
    fn chroma_rows_are_averaged_or_doubled() {
        let mut picture = Picture::new(2, 3, Sampling::S422).unwrap();
        picture.planes[1] = vec![10, 13, 20];
        let halved = picture.resampled(Sampling::S420);
        // (10 + 13 + 1) / 2 = 12; the last row has no partner.
        assert_eq!(halved.planes[1], [12, 20]);
        assert_eq!(halved.resampled(Sampling::S422).planes[1], [12, 12, 20]);
    }

    #[test]
    fn video_white_and_black() {
        assert_eq!(bt601(235, 128, 128), [255; 3]);
        assert_eq!(bt601(16, 128, 128), [0; 3]);
        // Red of BT.601: Y 82, Cb 90, Cr 240.
        assert_eq!(bt601(82, 90, 240), [255, 1, 0]);
    }

    #[test]
    fn noise_is_measured_in_decibels() {
        let grey = Picture::new(2, 1, Sampling::Grey).unwrap();
        let mut other = grey.clone();
        other.planes[0] = vec![5, 5];
        // 10 log10(65025 / 25) = 34.15.
        assert!((grey.psnr(&other, 0) - 34.15).abs() < 0.01);
        assert_eq!(grey.psnr(&grey, 0), f64::INFINITY);
    }
}
