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
    fn curve(&self, bias: &[u8; 7], slope: &[i8; 7], index: i64) -> i64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn state(filter: IefFilter) -> IefState {
        IefState {
            filter,
            ..IefState::default()
        }
    }

    fn luma(state: &IefState, around: &Neighbourhood) -> i64 {
        state.filter(around, [0; 3]).luma
    }

    /// 400 everywhere, 440 in the middle.
    fn spike() -> Neighbourhood {
        let mut around = [[400; 5]; 5];
        around[2][2] = 440;
        around
    }

    const ALL: [IefFilter; 4] = [
        IefFilter::Detail3x3,
        IefFilter::Detail5x5,
        IefFilter::Smooth3x3,
        IefFilter::Combination,
    ];

    #[test]
    fn flat_areas_stay() {
        for filter in ALL {
            for level in [0, 1, 400, 1020, 1023] {
                let enhanced = state(filter).filter(&[[level; 5]; 5], [0; 3]);
                assert_eq!((enhanced.luma, enhanced.index), (level, 0), "{filter:?}");
            }
        }
    }

    #[test]
    fn a_spike_is_raised_and_the_overshoot_cut() {
        // A3 = A5 = 400. HF = 80 for both sizes; the Sobel sum does not see the middle, so W = 1.
        // det = rs(80 * 1 * 44 * 256, 16) = (901120 + 32768) >> 16 = 14: 454, 14 above the maximum.
        // Limiter 11/16: 440 + (14 * 5 >> 4) = 444.
        assert_eq!(luma(&state(IefFilter::Detail3x3), &spike()), 444);
        assert_eq!(luma(&state(IefFilter::Detail5x5), &spike()), 444);
        // Noise 10 leaves 216/256: det = (80 * 44 * 216 + 32768) >> 16 = 12; 440 + (12 * 5 >> 4).
        let noisy = IefState {
            global_noise_estimate: 10,
            ..state(IefFilter::Detail3x3)
        };
        assert_eq!(luma(&noisy, &spike()), 443);
        let all_noise = IefState {
            global_noise_estimate: 64,
            ..noisy
        };
        assert_eq!(luma(&all_noise, &spike()), 440);
    }

    #[test]
    fn a_spike_is_smoothed() {
        // rs(-40 * (8 - 1), 4) = -((280 + 8) >> 4) = -18.
        assert_eq!(luma(&state(IefFilter::Smooth3x3), &spike()), 422);
    }

    #[test]
    fn a_strong_edge_weighs_seven() {
        // 400 left, 720 from the middle on: gx = 4 * (180 - 100) = 320, metric 10 > 8.
        // A3 = (5 * (3 * 720 + 400) + 5 * (2 * 720 + 2 * 400) + 20) / 40 = 600. HF = 240.
        // det = rs(240 * 7 * 44 * 256, 16) = 289; 720 + (289 * 5 >> 4) = 810.
        let edge = [[400, 400, 720, 720, 720]; 5];
        assert_eq!(luma(&state(IefFilter::Detail3x3), &edge), 810);
        // 400 left and in the middle: A3 = (5 * (3 * 400 + 720) + 5 * 2240 + 20) / 40 = 520,
        // HF = -240, det = -289: 400 - (289 * (16 - 10) >> 4) = 400 - 108.
        let edge = [[400, 400, 400, 720, 720]; 5];
        assert_eq!(luma(&state(IefFilter::Detail3x3), &edge), 292);
    }

    #[test]
    fn far_extremes_cut_more() {
        // A corner of 441 makes the maximum, outside the 3x3 but only 1 above C: no more is cut.
        // A5 = (7 * (15 * 400 + 441) + 56) / 112 = 403, HF = 40 + 37 = 77,
        // det = (77 * 44 * 256 + 32768) >> 16 = 13: 453 is 12 above M, 441 + (12 * 5 >> 4) = 444.
        let mut around = spike();
        around[0][0] = 441;
        assert_eq!(luma(&state(IefFilter::Detail5x5), &around), 444);
        // With a clip limiter of 0 the far maximum cuts 15/16: 441 + (12 * 1 >> 4) = 441.
        let strict = IefState {
            clip_limiter: 0,
            ..state(IefFilter::Detail5x5)
        };
        assert_eq!(luma(&strict, &around), 441);
    }

    #[test]
    fn the_combination_smooths_flat_areas_and_sharpens_edges() {
        // Spike: no edge, steepness 10 and range 10 below the thresholds: index 0, curves 127 and 3.
        // 440 - ((40 * 127 + 128) >> 8) + ((40 * 3 * 44 * 256 + 2^20) >> 21) = 440 - 20 + 1.
        let combination = state(IefFilter::Combination);
        let enhanced = combination.filter(&spike(), [0; 3]);
        assert_eq!((enhanced.luma, enhanced.index), (421, 0));
        // The edge: S = 320, e = 40; steepness 80 >> 4 = 5 > 0 gives 80; range 80 >> 4 = 5, not > 5.
        // Segment 5 from 40: smoothing 0, sharpening 108 + (-3 * 40 >> 4) = 100.
        let edge = [[400, 400, 720, 720, 720]; 5];
        // X5: 720 three times and 400; K5: four of each; D5: two of each.
        // A5 = (7 * (2560 + 4480 + 2240) + 56) / 112 = 580. (720 - 580) * 100 * 44 * 256 = 157696000,
        // + 2^20 >> 21 = 75: 795 is 75 above 720: 720 + (75 * 5 >> 4) = 743.
        let enhanced = combination.filter(&edge, [0; 3]);
        assert_eq!((enhanced.luma, enhanced.index), (743, 80));
    }

    #[test]
    fn curves_are_the_published_ones() {
        let s = IefState::default();
        // 127 + 4 * (-116 / 16) = 98, the bias of the next segment; one before: 127 + (-348 >> 4).
        assert_eq!(s.curve(&s.r3_bias, &s.r3_slope, 3), 105);
        assert_eq!(s.curve(&s.r3_bias, &s.r3_slope, 4), 98);
        // 58 + 10 * 67 / 16 = 99.9 just before bias 4 = 100.
        // 58 + (9 * 67 >> 4) = 58 + 37.
        assert_eq!(s.curve(&s.r5_bias, &s.r5_slope, 25), 95);
        assert_eq!(s.curve(&s.r5_bias, &s.r5_slope, 26), 100);
        // 88 - 15 * 95 / 16 = -1.06: clamped.
        assert_eq!(s.curve(&s.r5_bias, &s.r5_slope, 255), 0);
    }

    #[test]
    fn without_weights_there_is_no_detail() {
        let none = IefState {
            r3c: 0,
            r3x: 0,
            ..state(IefFilter::Detail3x3)
        };
        assert_eq!(luma(&none, &spike()), 440);
    }
}
