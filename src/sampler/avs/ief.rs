//! Image enhancement filter: sharpens or smooths the scaled luma by what surrounds each pixel.
//!
//! ```text
//!         i -2 -1  0 +1 +2
//!  j -2      D5 K5 X5 K5 D5        rings of the 5x5 neighbourhood of *scaled* pixels; C is the pixel.
//!    -1      K5 D3 X3 D3 K5        The block is scaled with two more pixels on every side for it.
//!     0      X5 X3  C X3 X5
//!    +1      K5 D3 X3 D3 K5
//!    +2      D5 K5 X5 K5 D5
//! ```
//!
//! Luma is taken with 10 bits, `v16 >> 6`. Published are the state, its defaults and the size of the
//! neighbourhood; the arithmetic is a model. Source: AVS reference 4.

use super::skin::SkinTone;
use serde::Deserialize;

/// What the filter does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IefFilter {
    /// Detail on 3x3 (Gen5).
    Detail3x3,
    /// Detail on 5x5.
    Detail5x5,
    /// Smoothing on 3x3 (Gen8 on).
    Smooth3x3,
    /// Smoothing and sharpening by a curve, 5x5 (Gen5).
    Combination,
}

/// State of the filter. Defaults: Gen8 where the field exists there, else Gen5.
///
/// Source: AVS reference 4.2.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IefState {
    /// Which filter.
    pub filter: IefFilter,
    /// Noise of the picture; 255: unknown.
    pub global_noise_estimate: u8,
    /// An edge metric above this is a strong edge.
    pub strong_edge_threshold: u8,
    /// An edge metric above this is a regular edge.
    pub weak_edge_threshold: u8,
    /// Weight on strong edges, 0..=7.
    pub strong_edge_weight: u8,
    /// Weight on regular edges, 0..=7.
    pub regular_edge_weight: u8,
    /// Weight elsewhere, 0..=7.
    pub non_edge_weight: u8,
    /// Gain of the detail.
    pub gain_factor: u8,
    /// Weight of the corners of the 3x3 ring.
    pub r3c: u8,
    /// Weight of the cross of the 3x3 ring.
    pub r3x: u8,
    /// Weight of the corners of the 5x5 ring.
    pub r5c: u8,
    /// Weight between cross and corner of the 5x5 ring.
    pub r5cx: u8,
    /// Weight of the cross of the 5x5 ring.
    pub r5x: u8,
    /// Steepness above this, in 16 codes, raises the curve's index.
    pub steepness_threshold: u8,
    /// log2 of the steepness' factor.
    pub steepness_boost: bool,
    /// Range above this, in 16 codes, raises the curve's index.
    pub mr_threshold: u8,
    /// log2 of the range's factor.
    pub mr_boost: bool,
    /// Breakpoints 1 to 6 of both curves.
    pub pwl_points: [u8; 6],
    /// Smoothing at the start of each segment.
    pub r3_bias: [u8; 7],
    /// Slope of smoothing, in 1/16.
    pub r3_slope: [i8; 7],
    /// Sharpening at the start of each segment.
    pub r5_bias: [u8; 7],
    /// Slope of sharpening, in 1/16.
    pub r5_slope: [i8; 7],
    /// How much of an overshoot is cut, in 1/16.
    pub maximum_limiter: u8,
    /// How much of an undershoot is cut, in 1/16.
    pub minimum_limiter: u8,
    /// Added to both.
    pub limiter_boost: u8,
    /// Distance of a far extreme that cuts more, 10 bits.
    pub clip_limiter: u16,
    /// Alpha returns the curve's index (video signal analysis).
    pub vsa: bool,
    /// Detail depends on whether the pixel is skin.
    pub skin_tone: Option<SkinTone>,
}

impl Default for IefState {
    fn default() -> IefState {
        IefState {
            filter: IefFilter::Detail5x5,
            global_noise_estimate: 255,
            strong_edge_threshold: 8,
            weak_edge_threshold: 1,
            strong_edge_weight: 7,
            regular_edge_weight: 2,
            non_edge_weight: 1,
            gain_factor: 44,
            r3c: 5,
            r3x: 5,
            r5c: 7,
            r5cx: 7,
            r5x: 7,
            steepness_threshold: 0,
            steepness_boost: false,
            mr_threshold: 5,
            mr_boost: false,
            pwl_points: [4, 12, 16, 26, 40, 160],
            r3_bias: [127, 98, 88, 64, 44, 0, 0],
            r3_slope: [-116, -20, -96, -32, -50, 0, 0],
            r5_bias: [3, 32, 32, 58, 100, 108, 88],
            r5_slope: [116, 0, 104, 67, 9, -3, -15],
            maximum_limiter: 11,
            minimum_limiter: 10,
            limiter_boost: 0,
            clip_limiter: 130,
            vsa: false,
            skin_tone: None,
        }
    }
}

/// 5x5 luma values of 10 bits around a pixel, rows first.
pub type Neighbourhood = [[i64; 5]; 5];

/// What becomes of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enhanced {
    /// Luma, 10 bits.
    pub luma: i64,
    /// Index into the curves, 0..=255: what alpha carries if video signal analysis is asked for.
    pub index: i64,
}

impl IefState {
    /// Filters the middle of `around`. `ycc` are the pixel's 8-bit luma, Cb and Cr, for skin tone.
    pub fn filter(&self, around: &Neighbourhood, ycc: [i64; 3]) -> Enhanced {
        let y = |i: isize, j: isize| around[(j + 2) as usize][(i + 2) as usize];
        let q = |i, j| y(i, j) >> 2;
        let c = y(0, 0);
        let four = |a: isize, b: isize| y(a, b) + y(-b, a) + y(-a, -b) + y(b, -a);
        let (x3, d3, x5, d5) = (four(1, 0), four(1, 1), four(2, 0), four(2, 2));
        let k5 = four(2, 1) + four(1, 2);
        let [r3x, r3c, r5x, r5cx, r5c] =
            [self.r3x, self.r3c, self.r5x, self.r5cx, self.r5c].map(i64::from);
        let a3 = mean(r3x * x3 + r3c * d3, 4 * r3x + 4 * r3c).unwrap_or(c);
        let a5 = mean(
            r5x * x5 + r5cx * k5 + r5c * d5,
            4 * r5x + 8 * r5cx + 4 * r5c,
        )
        .unwrap_or(c);

        let gx = q(1, -1) + 2 * q(1, 0) + q(1, 1) - q(-1, -1) - 2 * q(-1, 0) - q(-1, 1);
        let gy = q(-1, 1) + 2 * q(0, 1) + q(1, 1) - q(-1, -1) - 2 * q(0, -1) - q(1, -1);
        let sobel = gx.abs() + gy.abs();
        let weight = self.weight(sobel);
        let gain = i64::from(self.gain_factor);
        let noise = match i64::from(self.global_noise_estimate) {
            255 => 256,
            estimate => (256 - 4 * estimate).max(0),
        };
        let index = self.index(around, sobel);

        let detail = |high: i64| {
            let detail = round_shift(high * weight * gain * noise, 16);
            match &self.skin_tone {
                Some(skin) => skin.scale(detail, ycc),
                None => detail,
            }
        };
        let luma = match self.filter {
            IefFilter::Detail3x3 => c + detail(2 * (c - a3)),
            IefFilter::Detail5x5 => c + detail((c - a3) + (c - a5)),
            IefFilter::Smooth3x3 => c + round_shift((a3 - c) * (8 - weight), 4),
            IefFilter::Combination => {
                let smooth = self.curve(&self.r3_bias, &self.r3_slope, index);
                let sharpen = self.curve(&self.r5_bias, &self.r5_slope, index);
                c + round_shift((a3 - c) * smooth, 8)
                    + round_shift((c - a5) * sharpen * gain * noise, 21)
            }
        };
        Enhanced {
            luma: self.limit(luma, around),
            index,
        }
    }

    /// Weight of detail by the edge metric. Source: AVS reference 4.3.
    fn weight(&self, sobel: i64) -> i64 {
        let metric = (sobel >> 5).min(63);
        i64::from(if metric > i64::from(self.strong_edge_threshold) {
            self.strong_edge_weight
        } else if metric > i64::from(self.weak_edge_threshold) {
            self.regular_edge_weight
        } else {
            self.non_edge_weight
        })
    }

    /// Index into the curves: edge, steepness and range. Source: AVS reference 4.5.
    fn index(&self, around: &Neighbourhood, sobel: i64) -> i64 {
        let centre = around[2][2] >> 2;
        let inner = around[1..4].iter().flat_map(|row| &row[1..4]);
        let steepness = inner.map(|n| ((n >> 2) - centre).abs()).max().unwrap_or(0);
        let all = || around.iter().flatten().map(|n| n >> 2);
        let range = all().max().unwrap_or(0) - all().min().unwrap_or(0);
        let mut index = (sobel >> 3).min(255);
        if steepness >> 4 > i64::from(self.steepness_threshold) {
            index = index.max((steepness << u8::from(self.steepness_boost)).min(255));
        }
        if range >> 4 > i64::from(self.mr_threshold) {
            index = index.max((range << u8::from(self.mr_boost)).min(255));
        }
        index
    }

    /// A piecewise linear curve at `index`, 0..=255.
    pub fn curve(&self, bias: &[u8; 7], slope: &[i8; 7], index: i64) -> i64 {
        let point = |k: usize| match k {
            0 => 0,
            7 => 256,
            _ => i64::from(self.pwl_points[k - 1]),
        };
        // The points rise; where they do not, the first segment that contains the index counts.
        let k = (0..7)
            .find(|&k| point(k) <= index && index < point(k + 1))
            .unwrap_or(6);
        let rise = (i64::from(slope[k]) * (index - point(k))) >> 4;
        (i64::from(bias[k]) + rise).clamp(0, 255)
    }

    /// Cuts what leaves the range of the neighbours. Source: AVS reference 4.6.
    fn limit(&self, luma: i64, around: &Neighbourhood) -> i64 {
        let wide = matches!(self.filter, IefFilter::Detail5x5 | IefFilter::Combination);
        let c = around[2][2];
        let inner = || {
            around[1..4]
                .iter()
                .flat_map(|row| row[1..4].iter().copied())
        };
        let (near_max, near_min) = (inner().max().unwrap_or(c), inner().min().unwrap_or(c));
        let (mut max, mut min) = (near_max, near_min);
        if wide {
            max = around.iter().flatten().copied().max().unwrap_or(c);
            min = around.iter().flatten().copied().min().unwrap_or(c);
        }
        let boost = i64::from(self.limiter_boost);
        let clip = i64::from(self.clip_limiter);
        let cut = |limiter: u8, far: bool| {
            let cut = (i64::from(limiter) + boost).min(16);
            if far { (cut + 4).min(16) } else { cut }
        };
        let above = cut(self.maximum_limiter, max != near_max && max - c > clip);
        let below = cut(self.minimum_limiter, min != near_min && c - min > clip);
        let mut out = luma;
        if out > max {
            out = max + (((out - max) * (16 - above)) >> 4);
        }
        if out < min {
            out = min - (((min - out) * (16 - below)) >> 4);
        }
        out.clamp(0, 0x3ff)
    }
}

/// `sum / n` rounded, nothing for no weight at all.
fn mean(sum: i64, n: i64) -> Option<i64> {
    (n > 0).then(|| (sum + n / 2) / n)
}

/// Rounds half away from zero: `sign(v) * ((|v| + 2^(n-1)) >> n)`.
pub(super) fn round_shift(v: i64, n: u32) -> i64 {
    v.signum() * ((v.abs() + (1 << (n - 1))) >> n)
}
