//! What the sampler state means for each channel of a surface: taps, and the weight between the
//! sharp and the smooth filter. Decided once for a message.
//!
//! Source: AVS reference 3.1 (tap mode), 3.4 and 3.5.

use super::state::{AvsSampler, TapMode};
use super::tables::{Taps4, Taps8};
use super::view::{B, G, Grid, MediaView, R};

/// Coefficients of one direction as eight taps; a four-tap filter is one whose outer taps are zero,
/// which covers texels 2..=5 of the window.
#[derive(Clone, Copy, Debug)]
pub enum Taps<'a> {
    /// Table 0.
    Eight(&'a Taps8),
    /// Columns 2..=5 of table 0: G in tap mode 0.
    Inner(&'a Taps8),
    /// Table 1.
    Four(&'a Taps4),
}

impl Taps<'_> {
    /// The taps of phase `beta`.
    #[inline]
    pub fn row(&self, beta: u8) -> [i16; 8] {
        match self {
            Taps::Eight(table) => *table.row(beta),
            Taps::Inner(table) => {
                let [_, _, a, b, c, d, _, _] = *table.row(beta);
                [0, 0, a, b, c, d, 0, 0]
            }
            Taps::Four(table) => {
                let [a, b, c, d] = *table.row(beta);
                [0, 0, a, b, c, d, 0, 0]
            }
        }
    }

    /// Whether the outer four taps are zero in every phase.
    pub const fn is_four(&self) -> bool {
        !matches!(self, Taps::Eight(_))
    }

    /// Bounds of the sums of positive and negative taps ([`super::tables::Table::gain`]).
    pub const fn gain(&self) -> (u16, u16) {
        match self {
            Taps::Eight(table) | Taps::Inner(table) => table.gain(),
            Taps::Four(table) => table.gain(),
        }
    }
}

/// How a channel is filtered.
#[derive(Clone, Copy, Debug)]
pub struct ChannelFilter<'a> {
    /// Across.
    pub x: Taps<'a>,
    /// Down.
    pub y: Taps<'a>,
    /// Whether the smooth filter has a say.
    pub blends: bool,
}

/// Where the weight of a direction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// The same everywhere, 0..=256 with 256 all sharp.
    Fixed(u16),
    /// From the texels around.
    Adaptive(Steps),
}

/// Thresholds on steps between neighbours. Source: AVS reference 3.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    max_4: u8,
    transition_4: u8,
    max_8: u8,
    transition_8: u8,
}

impl Steps {
    /// The weight of the sharp filter for guide values `p`, 8.8: smooth wins where the centre is
    /// flat and the footprint has an edge, since ringing shows there and only there (D7).
    #[inline]
    pub fn weight<T: Copy + Into<i64>>(&self, p: &[T; 8]) -> u16 {
        let q = p.map(|p| (p.into().clamp(0, 0xffff) >> 8) as i32);
        let step: [i32; 7] = std::array::from_fn(|i| (q[i + 1] - q[i]).abs());
        let d8 = step.iter().fold(0, |max, &d| max.max(d));
        let d4 = step[2].max(step[3]).max(step[4]);
        self.weigh(d4, d8) as u16
    }

    /// The weight for the greatest step of the centre, and of all.
    #[inline]
    pub fn weigh(&self, d4: i32, d8: i32) -> i32 {
        let flat = 256 - ramp(d4, self.max_4, self.transition_4);
        let edge = ramp(d8, self.max_8, self.transition_8);
        256 - ((flat * edge + 128) >> 8)
    }
}

/// 0 up to `m`, then rising to 256 within `1 << t`.
#[inline]
fn ramp(d: i32, m: u8, t: u8) -> i32 {
    let t = u32::from(t & 7);
    (d - i32::from(m)).max(0).min(1 << t) << (8 - t)
}

/// Whose values decide an adaptive weight. Source: AVS reference 3.5, "Guide values".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guide {
    /// Each channel's own.
    Own,
    /// Those of this component, green, for all.
    Green(usize),
    /// `(R + 2G + B) >> 2` for all.
    Grey {
        /// Component of R.
        r: usize,
        /// Component of G.
        g: usize,
        /// Component of B.
        b: usize,
    },
}

/// Everything about filtering that a sampler state and a format decide.
#[derive(Clone, Copy, Debug)]
pub struct Filters<'a> {
    channels: [ChannelFilter<'a>; 4],
    /// Across.
    pub blend_x: Blend,
    /// Down.
    pub blend_y: Blend,
    /// Whose values decide adaptive weights.
    pub guide: Guide,
}

impl<'a> Filters<'a> {
    /// The filters of `sampler` on surfaces like `view`.
    pub fn new(sampler: &'a AvsSampler, view: &MediaView) -> Filters<'a> {
        let table0 = (&sampler.table0x, &sampler.table0y);
        let table1 = (&sampler.table1x, &sampler.table1y);
        let channels = std::array::from_fn(|channel| {
            let (x, y) = match (sampler.tap_mode, channel) {
                (TapMode::Four, G) => (Taps::Inner(table0.0), Taps::Inner(table0.1)),
                (TapMode::Four, _) => (Taps::Four(table1.0), Taps::Four(table1.1)),
                (TapMode::EightOnGreen, c) if c != G => {
                    (Taps::Four(table1.0), Taps::Four(table1.1))
                }
                _ => (Taps::Eight(table0.0), Taps::Eight(table0.1)),
            };
            let blends =
                sampler.tap_mode.adapts() && (channel == G || sampler.adaptive_all_channels);
            ChannelFilter { x, y, blends }
        });
        let steps = Steps {
            max_4: sampler.max_derivative_4,
            transition_4: sampler.transition_4,
            max_8: sampler.max_derivative_8,
            transition_8: sampler.transition_8,
        };
        // 0 stays 0, 255 becomes 256.
        let sharpness = u16::from(sampler.default_sharpness);
        let fixed = Blend::Fixed(sharpness + (sharpness >> 7));
        let blend = |bypass| {
            if bypass {
                fixed
            } else {
                Blend::Adaptive(steps)
            }
        };
        let component = |channel| view.place(channel).map_or(0, |(_, component)| component);
        let guide = match (view.format.grid, sampler.rgb_adaptive) {
            (Grid::Full, false) => Guide::Green(component(G)),
            (Grid::Full, true) => Guide::Grey {
                r: component(R),
                g: component(G),
                b: component(B),
            },
            _ => Guide::Own,
        };
        Filters {
            channels,
            blend_x: blend(sampler.bypass_x),
            blend_y: blend(sampler.bypass_y),
            guide,
        }
    }

    /// The filter of a channel.
    #[inline]
    pub fn channel(&self, channel: usize) -> &ChannelFilter<'a> {
        &self.channels[channel]
    }

    /// Whether the smooth filter has no say in a channel: it does not blend, or all weight is sharp.
    pub fn is_sharp(&self, channel: usize) -> bool {
        let all_sharp = Blend::Fixed(256);
        !self.channels[channel].blends || (self.blend_x, self.blend_y) == (all_sharp, all_sharp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Steps = Steps {
        max_4: 7,
        transition_4: 4,
        max_8: 20,
        transition_8: 5,
    };

    #[test]
    fn a_flat_centre_with_an_edge_beside_it_is_smoothed() {
        let weight = |codes: [i64; 8]| DEFAULT.weight(&codes.map(|c| c << 8));
        assert_eq!(weight([9; 8]), 256);
        // The edge of 90 lies outside the four centre texels: flat = 256, edge = 256.
        assert_eq!(weight([100, 10, 10, 10, 10, 10, 10, 10]), 0);
        // The same edge in the centre: flat = 0.
        assert_eq!(weight([10, 10, 10, 10, 100, 100, 100, 100]), 256);
        // Step 30 outside: edge = (30 - 20) << 3 = 80. Step 11 in the centre: ramp = (11 - 7) << 4
        // = 64, flat = 192. (192 * 80 + 128) >> 8 = 60.
        assert_eq!(weight([10, 40, 40, 51, 51, 51, 51, 51]), 256 - 60);
    }

    #[test]
    fn guide_values_are_clamped_to_their_eight_bits() {
        let mut p = [0i64; 8];
        p[0] = -70_000;
        p[7] = 0xff; // still code 0
        assert_eq!(DEFAULT.weight(&p), 256);
    }
}
