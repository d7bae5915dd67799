//! Row kernel for everything else that fits 32 bits: weights fixed or adaptive, deep texels, keys.
//!
//! Horizontally first, as defined, and once for each source row: output rows share the results.
//! Rounding between the passes is real here, so the order matters.

use super::filters::{Blend, Filters, Guide};
use super::pack::Block;
use super::view::MediaView;
use super::window::{Axis, FOOTPRINT, Window};

/// Largest sum of the magnitudes of a row of taps for which 32 bits are enough: a row result is
/// below 2^16·2^8 >> 6 = 2^18, the sum of the second pass below 2^26, a weighted one below 2^29.
pub const GAIN: u16 = 256;

/// What one call of the kernel works on.
pub struct Task<'a> {
    /// Components, 8.8.
    pub window: &'a Window<u16>,
    /// Columns of the block.
    pub x: &'a Axis,
    /// Rows of the block.
    pub y: &'a Axis,
    /// All filters.
    pub filters: &'a Filters<'a>,
    /// Channel of each component; `None` is not computed.
    pub channels: [Option<usize>; 4],
    /// The channels to store.
    pub wanted: [bool; 4],
    /// Distance of neighbouring pixels of the axis in the block.
    pub step: usize,
}

/// Scales texels of `N` components. `rows` is scratch.
pub fn run<const N: usize>(
    task: &Task,
    view: &MediaView,
    rows: &mut Vec<[i32; 4]>,
    block: &mut Block,
) {
    let pixels = task.x.pixels();
    let height = task.y.sources().len();
    let pass = Pass::<N>::new(task);
    if rows.len() < pixels * height {
        rows.resize(pixels * height, [0; 4]);
    }
    for (source, out) in rows.chunks_exact_mut(pixels).take(height).enumerate() {
        let (texels, _) = task.window.row(source)[task.window.skew..].as_chunks::<N>();
        for (pixel, out) in out.iter_mut().enumerate() {
            let (start, beta) = (task.x.start(pixel), task.x.beta(pixel));
            let vectors = std::array::from_fn(|i| texels[start + i].map(i32::from));
            let k = std::array::from_fn(|c| pass.filters[c].map_or([0; 8], |f| f.x.row(beta)));
            let h = pass.filter(&vectors, &k, beta, task.filters.blend_x);
            out[..N].copy_from_slice(&h);
        }
    }
    for row in 0..task.y.pixels() {
        let (start, beta) = (task.y.start(row), task.y.beta(row));
        let k = std::array::from_fn(|c| pass.filters[c].map_or([0; 8], |f| f.y.row(beta)));
        for pixel in 0..pixels {
            let vectors = std::array::from_fn(|j| {
                let h = &rows[(start + j) * pixels + pixel];
                std::array::from_fn(|c| h[c])
            });
            let samples = pass.filter(&vectors, &k, beta, task.filters.blend_y);
            for (sample, channel) in samples.into_iter().zip(task.channels) {
                if let Some(channel) = channel.filter(|&c| task.wanted[c]) {
                    let sample = sample.clamp(0, i32::from(view.ceiling())) as u16;
                    block.channels[channel][row * block.stride + pixel * task.step] = sample;
                }
            }
        }
    }
}

/// What both passes need to know of the components.
struct Pass<'a, const N: usize> {
    filters: [Option<super::filters::ChannelFilter<'a>>; N],
    blends: [bool; N],
    any_blends: bool,
    guide: Guide,
}

impl<'a, const N: usize> Pass<'a, N> {
    fn new(task: &Task<'a>) -> Pass<'a, N> {
        let filters: [_; N] =
            std::array::from_fn(|c| task.channels[c].map(|channel| *task.filters.channel(channel)));
        let blends = std::array::from_fn(|c| filters[c].is_some_and(|f| f.blends));
        Pass {
            filters,
            blends,
            any_blends: blends.contains(&true),
            guide: task.filters.guide,
        }
    }

    /// The one-dimensional filter of every component. Source: AVS reference 3.4.
    #[inline]
    fn filter(
        &self,
        vectors: &[[i32; N]; FOOTPRINT],
        k: &[[i16; FOOTPRINT]; N],
        beta: u8,
        blend: Blend,
    ) -> [i32; N] {
        let mut out: [i32; N] = std::array::from_fn(|c| {
            let sum: i32 = (0..FOOTPRINT)
                .map(|i| vectors[i][c] * i32::from(k[c][i]))
                .sum();
            (sum + 32) >> 6
        });
        if !self.any_blends || blend == Blend::Fixed(256) {
            return out;
        }
        let beta = i32::from(beta);
        let shared = match (blend, self.guide) {
            (Blend::Fixed(weight), _) => Some(weight),
            (Blend::Adaptive(_), Guide::Own) => None,
            (Blend::Adaptive(steps), Guide::Green(g)) => Some(steps.weight(&vectors.map(|v| v[g]))),
            (Blend::Adaptive(steps), Guide::Grey { r, g, b }) => {
                Some(steps.weight(&vectors.map(|v| (v[r] + 2 * v[g] + v[b]) >> 2)))
            }
        };
        for c in 0..N {
            if self.blends[c] {
                let weight = match (shared, blend) {
                    (Some(weight), _) | (None, Blend::Fixed(weight)) => weight,
                    (None, Blend::Adaptive(steps)) => steps.weight(&vectors.map(|v| v[c])),
                };
                let (p3, p4, w) = (vectors[3][c], vectors[4][c], i32::from(weight));
                let smooth = (p3 * (32 - beta) + p4 * beta + 16) >> 5;
                out[c] = (out[c] * w + smooth * (256 - w) + 128) >> 8;
            }
        }
        out
    }
}
