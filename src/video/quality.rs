//! How far frames are from those of a reference clip: PSNR and SSIM, plane by plane.
//!
//! PSNR is that of the mean square error over all frames, SSIM the mean over frames. A window of SSIM is 8x8 codes,
//! windows begin at every fourth one, and all codes of a window count alike, as in ffmpeg and x264; their numbers can be
//! compared with these. Source: Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to
//! structural similarity", 2004, with K1 = 0.01 and K2 = 0.03.

use super::VideoError;
use super::picture::{Depth, Picture};

/// Sides of a window, and from one to the next.
const WINDOW: usize = 8;
const STEP: usize = 4;

/// What was measured of the frames so far.
#[derive(Clone, Debug, Default)]
pub struct Quality {
    frames: u64,
    /// Of each plane the sums over frames of mean square error and SSIM.
    planes: Vec<(f64, f64)>,
    depth: Depth,
}

impl Quality {
    /// Adds a frame.
    ///
    /// # Errors
    /// Frames of other sizes or planes.
    pub fn add(&mut self, made: &Picture, reference: &Picture) -> Result<(), VideoError> {
        let kind = |p: &Picture| (p.width, p.height, p.sampling, p.depth);
        if kind(made) != kind(reference) {
            let said = |p: &Picture| {
                let bits = u16::BITS - p.depth.most().leading_zeros();
                format!("{}x{} {:?} of {bits} bits", p.width, p.height, p.sampling)
            };
            let (made, reference) = (said(made), said(reference));
            return Err(VideoError::wrong(format!(
                "the reference has frames of {reference}, the result of {made}; only the same can be compared"
            )));
        }
        let sizes = made.sampling.planes(made.width, made.height);
        self.planes.resize(sizes.len(), (0.0, 0.0));
        for (n, (sums, (width, height))) in self.planes.iter_mut().zip(sizes).enumerate() {
            let codes = |picture: &Picture| picture.depth.codes(&picture.planes[n]).collect();
            let (a, b): (Vec<u16>, Vec<u16>) = (codes(made), codes(reference));
            let row = width as usize * made.sampling.texel_bytes();
            let most = f64::from(made.depth.most());
            sums.0 += made.mse(reference, n);
            sums.1 += ssim(
                (&a, &b, most),
                (row, height as usize),
                made.sampling.texel_bytes(),
            );
        }
        self.depth = made.depth;
        self.frames += 1;
        Ok(())
    }

    /// Of each plane PSNR in dB, infinite if all is equal, and SSIM, 1 if all is equal.
    pub fn planes(&self) -> Vec<(f64, f64)> {
        let frames = self.frames.max(1) as f64;
        let mean = self
            .planes
            .iter()
            .map(|(mse, ssim)| (mse / frames, ssim / frames));
        let most = f64::from(self.depth.most());
        mean.map(|(mse, ssim)| (10.0 * (most * most / mse).log10(), ssim))
            .collect()
    }
}

/// Mean SSIM of all windows of two planes with so many codes to a row, the greatest of which is `most`; planes smaller
/// than a window are one.
fn ssim((a, b, most): (&[u16], &[u16], f64), (row, rows): (usize, usize), texel: usize) -> f64 {
    let columns = row / texel;
    let (w, h) = (columns.min(WINDOW), rows.min(WINDOW));
    let (mut sum, mut windows) = (0.0, 0u64);
    for y in (0..=rows - h).step_by(STEP) {
        for x in (0..=columns - w).step_by(STEP) {
            for channel in 0..texel {
                let at = y * row + x * texel + channel;
                let places = (0..h).flat_map(|y| (0..w).map(move |x| at + y * row + x * texel));
                sum += window(
                    places.map(|i| (f64::from(a[i]), f64::from(b[i]))),
                    (w * h) as f64,
                    most,
                );
                windows += 1;
            }
        }
    }
    sum / windows as f64
}

/// SSIM of `n` pairs of codes.
fn window(pairs: impl Iterator<Item = (f64, f64)>, n: f64, most: f64) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in pairs {
        for (sum, term) in sums.iter_mut().zip([a, b, a * a + b * b, a * b]) {
            *sum += term;
        }
    }
    let [a, b, squares, product] = sums.map(|sum| sum / n);
    // Variances of a sample.
    let sample = n / (n - 1.0).max(1.0);
    let variances = (squares - a * a - b * b) * sample;
    let covariance = (product - a * b) * sample;
    let (c1, c2) = ((0.01f64 * most).powi(2), (0.03f64 * most).powi(2));
    (2.0 * a * b + c1) * (2.0 * covariance + c2) / ((a * a + b * b + c1) * (variances + c2))
}

#[cfg(test)]
mod tests {
    use super::super::picture::Sampling;
    use super::*;

    #[test]
    fn the_same_frames_are_alike_and_flat_ones_differ_by_their_means() {
        let mut grey = Picture::new(16, 8, Sampling::Grey).unwrap();
        grey.planes[0].fill(100);
        let mut same = Quality::default();
        same.add(&grey, &grey).unwrap();
        assert_eq!(same.planes(), [(f64::INFINITY, 1.0)]);
        let mut other = grey.clone();
        other.planes[0].fill(110);
        let mut far = Quality::default();
        far.add(&grey, &other).unwrap();
        // 10 log10(65025 / 100); (2 * 11000 + 6.5025) / (10000 + 12100 + 6.5025).
        let (psnr, ssim) = far.planes()[0];
        assert!((psnr - 28.13).abs() < 0.01, "{psnr}");
        assert!((ssim - 0.995_476).abs() < 1e-6, "{ssim}");
    }

    #[test]
    fn other_sizes_are_refused() {
        let frame = |width| Picture::new(width, 8, Sampling::Grey).unwrap();
        assert!(Quality::default().add(&frame(8), &frame(16)).is_err());
    }
}
