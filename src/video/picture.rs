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

/// Bits of a code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Depth {
    /// A byte each.
    #[default]
    Eight,
    /// The low ten of a word, whose low byte is first.
    Ten,
}

impl Depth {
    /// Bytes of a code.
    pub const fn bytes(self) -> usize {
        match self {
            Depth::Eight => 1,
            Depth::Ten => 2,
        }
    }

    /// The greatest code.
    pub const fn most(self) -> u16 {
        match self {
            Depth::Eight => 255,
            Depth::Ten => 1023,
        }
    }

    /// The codes of a plane.
    pub fn codes(self, plane: &[u8]) -> impl Iterator<Item = u16> {
        let words = plane.chunks_exact(self.bytes());
        words.map(|word| {
            let high = word.get(1).copied().unwrap_or(0);
            u16::from_le_bytes([word[0], high])
        })
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
    /// Bits of a code.
    pub depth: Depth,
    /// The bytes of each plane, row by row.
    pub planes: Vec<Vec<u8>>,
}

impl Picture {
    /// A black frame of bytes.
    ///
    /// # Errors
    /// A side of 0 or beyond [`MAX_SIZE`].
    pub fn new(width: u32, height: u32, sampling: Sampling) -> Result<Picture, VideoError> {
        Picture::with_depth(width, height, sampling, Depth::Eight)
    }

    /// A black frame.
    ///
    /// # Errors
    /// As [`Picture::new`].
    pub fn with_depth(
        width: u32,
        height: u32,
        sampling: Sampling,
        depth: Depth,
    ) -> Result<Picture, VideoError> {
        check_size(width, height)?;
        let texel = sampling.texel_bytes() * depth.bytes();
        let bytes = |(w, h): (u32, u32)| vec![0; w as usize * h as usize * texel];
        Ok(Picture {
            width,
            height,
            sampling,
            depth,
            planes: sampling
                .planes(width, height)
                .into_iter()
                .map(bytes)
                .collect(),
        })
    }

    /// The same frame in bytes.
    pub fn in_bytes(self) -> Picture {
        let Depth::Ten = self.depth else { return self };
        let byte = |code: u16| ((code + 2) / 4).min(255) as u8;
        let planes = self.planes.iter();
        Picture {
            planes: planes
                .map(|plane| Depth::Ten.codes(plane).map(byte).collect())
                .collect(),
            depth: Depth::Eight,
            ..self
        }
    }

    /// Whether a pixel is not opaque.
    pub fn is_transparent(&self) -> bool {
        let alpha = || self.planes[0].iter().skip(3).step_by(4);
        self.sampling == Sampling::Rgba && alpha().any(|&alpha| alpha < 255)
    }

    /// Peak signal to noise ratio of one plane against another of the same size, in dB; infinite if equal.
    pub fn psnr(&self, other: &Picture, plane: usize) -> f64 {
        let mse = self.mse(other, plane);
        if mse == 0.0 {
            f64::INFINITY
        } else {
            let most = f64::from(self.depth.most());
            10.0 * (most * most / mse).log10()
        }
    }

    /// Mean square error of one plane against another of the same size.
    pub fn mse(&self, other: &Picture, plane: usize) -> f64 {
        let depth = self.depth;
        let (a, b) = (&self.planes[plane], &other.planes[plane]);
        let square = |(a, b): (u16, u16)| f64::from(i32::from(a) - i32::from(b)).powi(2);
        let count = (a.len() / depth.bytes()).max(1) as f64;
        depth.codes(a).zip(depth.codes(b)).map(square).sum::<f64>() / count
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
    fn noise_is_measured_in_decibels() {
        let grey = Picture::new(2, 1, Sampling::Grey).unwrap();
        let mut other = grey.clone();
        other.planes[0] = vec![5, 5];
        // 10 log10(65025 / 25) = 34.15.
        assert!((grey.psnr(&other, 0) - 34.15).abs() < 0.01);
        assert_eq!(grey.psnr(&grey, 0), f64::INFINITY);
    }
}
