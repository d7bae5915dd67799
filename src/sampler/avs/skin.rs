//! Skin tone detection: how much of the detail the enhancement filter adds where there is skin.
//!
//! A pixel is skin to a degree of 0..=31, the least of how well it fits four shapes in the plane of
//! Cb and Cr and along luma. Source: AVS reference 4.6.

use super::ief::round_shift;
use serde::Deserialize;

/// A piecewise linear bound of Cr by luma: points, values and slopes in 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Luma at the start of each segment.
    pub points: [u8; 4],
    /// Value there.
    pub biases: [u8; 4],
    /// Slope from there.
    pub slopes: [i16; 4],
}

impl Bound {
    /// The bound at `luma`; below the first point, its segment goes on.
    pub fn at(&self, luma: i64) -> i64 {
        let k = self
            .points
            .iter()
            .rposition(|&p| i64::from(p) <= luma)
            .unwrap_or(0);
        let beyond = luma - i64::from(self.points[k]);
        i64::from(self.biases[k]) + ((i64::from(self.slopes[k]) * beyond) >> 8)
    }
}

/// State of skin tone detection, with the defaults of Gen8.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SkinTone {
    /// Detail is reduced in skin; else enhanced.
    pub reduce: bool,
    /// Sine of the rotation of the plane, S0.7.
    pub sin: i16,
    /// Cosine of the rotation, S0.7.
    pub cos: i16,
    /// Cb of the middle of the skin colours.
    pub u_mid: u8,
    /// Cr of the middle.
    pub v_mid: u8,
    /// Half the rectangle along saturation.
    pub sat_max: u8,
    /// Half the rectangle along hue.
    pub hue_max: u8,
    /// log2 of the range around the rectangle in which skin fades, 0..=7.
    pub hs_margin: u8,
    /// As `hs_margin`, around the diamond.
    pub diamond_margin: u8,
    /// Middle of the diamond along saturation.
    pub diamond_du: i8,
    /// Middle of the diamond along hue.
    pub diamond_dv: i8,
    /// Size of the diamond.
    pub diamond_th: u8,
    /// Steepness of the diamond, in 1/64.
    pub diamond_alpha: u8,
    /// Luma points 1 to 4; skin begins at the first and ends at the last.
    pub y_points: [u8; 4],
    /// How fast skin begins along luma.
    pub y_slope_1: u8,
    /// How fast skin ends along luma.
    pub y_slope_2: u8,
    /// Cr is bounded by luma as well.
    pub vy_enable: bool,
    /// Lower bound of Cr.
    pub lower: Bound,
    /// Upper bound of Cr.
    pub upper: Bound,
    /// 1 / the margin above the lower bound, in 1/65536.
    pub inv_margin_vyl: u16,
    /// 1 / the margin below the upper bound, in 1/65536.
    pub inv_margin_vyu: u16,
}

impl Default for SkinTone {
    fn default() -> SkinTone {
        SkinTone {
            reduce: false,
            sin: 101,
            cos: 79,
            u_mid: 110,
            v_mid: 154,
            sat_max: 31,
            hue_max: 14,
            hs_margin: 3,
            diamond_margin: 4,
            diamond_du: 2,
            diamond_dv: 0,
            diamond_th: 35,
            diamond_alpha: 100,
            y_points: [46, 47, 254, 255],
            y_slope_1: 31,
            y_slope_2: 31,
            vy_enable: false,
            lower: Bound {
                points: [46, 216, 236, 236],
                biases: [133, 130, 130, 130],
                slopes: [-5, 0, 0, 0],
            },
            upper: Bound {
                points: [46, 66, 150, 236],
                biases: [143, 163, 200, 140],
                slopes: [256, 113, -179, 0],
            },
            inv_margin_vyl: 3300,
            inv_margin_vyu: 1600,
        }
    }
}

impl SkinTone {
    /// How much a pixel is skin, 0..=31, by its 8-bit luma, Cb and Cr.
    pub fn degree(&self, [y, cb, cr]: [i64; 3]) -> i64 {
        let (u, v) = (cb - i64::from(self.u_mid), cr - i64::from(self.v_mid));
        let (sin, cos) = (i64::from(self.sin), i64::from(self.cos));
        let us = (u * cos + v * sin) >> 7;
        let vs = (v * cos - u * sin) >> 7;
        let fade = |outside: i64, margin: u8| {
            (31 - ((outside.max(0) << 5) >> u32::from(margin.min(31)))).clamp(0, 31)
        };
        let outside = (us.abs() - i64::from(self.sat_max)).max(vs.abs() - i64::from(self.hue_max));
        let rectangle = fade(outside, self.hs_margin);
        let across = (us - i64::from(self.diamond_du)).abs();
        let along = (vs - i64::from(self.diamond_dv)).abs() * i64::from(self.diamond_alpha);
        let outside = across + (along >> 6) - i64::from(self.diamond_th);
        let diamond = fade(outside, self.diamond_margin);
        let begins = (y - i64::from(self.y_points[0])) * i64::from(self.y_slope_1);
        let ends = (i64::from(self.y_points[3]) - y) * i64::from(self.y_slope_2);
        let luma = begins.min(ends).clamp(0, 31);
        let bounds = if self.vy_enable {
            let inside = |distance: i64, inverse: u16| {
                ((distance * i64::from(inverse) * 31) >> 16).clamp(0, 31)
            };
            inside(cr - self.lower.at(y), self.inv_margin_vyl)
                .min(inside(self.upper.at(y) - cr, self.inv_margin_vyu))
        } else {
            31
        };
        rectangle.min(diamond).min(luma).min(bounds)
    }

    /// Scales a detail: by 0..1 in skin if it is to be reduced, by 1..2 if enhanced.
    ///
    /// 2115/65536 stands for 1/31.
    pub fn scale(&self, detail: i64, ycc: [i64; 3]) -> i64 {
        let degree = self.degree(ycc);
        let factor = if self.reduce {
            31 - degree
        } else {
            31 + degree
        };
        round_shift(detail * factor * 2115, 16)
    }
}
