//! Row kernel for bytes and sharp filters only: the common case, all in 16 bits.
//!
//! A texel is `p << 8` in 8.8, so the first pass rounds nothing: `(k·p·256 + 32) >> 6` is `4·k·p`
//! for any whole k·p. The two passes are then one exact double sum S of taps times codes,
//!
//! ```text
//!  (Σ ky · 4·Σ kx·p + 32) >> 6  =  (4·S + 32) >> 6  =  (S + 8) >> 4
//! ```
//!
//! which may be taken in either order. Rows first: a column sum Σ ky·p stays within 16 bits while
//! positive and negative taps of a row each sum to at most 2.0 (128·255 = 32640), so eight columns
//! fit a vector register, and each output row needs just one horizontal pass.

use super::filters::Taps;
use super::pack::Block;
use super::window::{Axis, FOOTPRINT, Window};

/// Bytes handled at once down the columns: a multiple of every texel size.
const LANES: usize = 8;

/// Largest sum of taps of one sign for which column sums fit 16 bits.
pub const GAIN: u16 = 128;

/// What one call of the kernel works on.
pub struct Task<'a> {
    /// Raw texels of `N` bytes.
    pub window: &'a Window<u8>,
    /// Columns of the block.
    pub x: &'a Axis,
    /// Rows of the block.
    pub y: &'a Axis,
    /// Filters across and down of each component; components that nobody wants repeat another's.
    pub filters: [(Taps<'a>, Taps<'a>); 4],
    /// Channel of each component; `None` is not written.
    pub channels: [Option<usize>; 4],
    /// The largest sample.
    pub ceiling: u16,
    /// Distance of neighbouring pixels of the axis in the block: 2 where odd ones are not wanted.
    pub step: usize,
}

/// Scales with `TAPS` (4 or 8) taps on texels of `N` bytes. `columns` is scratch.
pub fn run<const N: usize, const TAPS: usize>(
    task: &Task,
    columns: &mut Vec<i16>,
    block: &mut Block,
) {
    let first = (FOOTPRINT - TAPS) / 2;
    let mut kx = [[[0; N]; TAPS]; super::position::MAX_COLUMNS];
    for (pixel, kx) in kx.iter_mut().enumerate().take(task.x.pixels()) {
        for c in 0..N {
            let row = task.filters[c].0.row(task.x.beta(pixel));
            for (tap, k) in kx.iter_mut().enumerate() {
                k[c] = row[first + tap];
            }
        }
    }
    if columns.len() < task.window.stride {
        columns.resize(task.window.stride, 0);
    }
    let columns = &mut columns[..task.window.stride];
    for row in 0..task.y.pixels() {
        let beta = task.y.beta(row);
        let taps: [[i16; 8]; N] = std::array::from_fn(|c| task.filters[c].1.row(beta));
        let ky: [[i16; LANES]; TAPS] =
            std::array::from_fn(|tap| std::array::from_fn(|lane| taps[lane % N][first + tap]));
        let start = task.y.start(row) + first;
        down::<TAPS>(
            std::array::from_fn(|tap| task.window.row(start + tap)),
            &ky,
            columns,
        );

        let (texels, _) = columns[task.window.skew..].as_chunks::<N>();
        let base = row * block.stride;
        for (pixel, kx) in kx.iter().enumerate().take(task.x.pixels()) {
            let sums = across::<N, TAPS>(&texels[task.x.start(pixel) + first..][..TAPS], kx);
            for (sum, channel) in sums.into_iter().zip(task.channels) {
                if let Some(channel) = channel {
                    let sample = ((sum + 8) >> 4).clamp(0, i32::from(task.ceiling));
                    block.channels[channel][base + pixel * task.step] = sample as u16;
                }
            }
        }
    }
}

/// `out[i] = Σ rows[tap][i] · k[tap][i % 8]`. Sums wrap on the way and fit at the end.
#[inline]
fn down<const TAPS: usize>(rows: [&[u8]; TAPS], k: &[[i16; LANES]; TAPS], out: &mut [i16]) {
    let rows = rows.map(|row| row[..out.len()].as_chunks::<LANES>().0);
    for (at, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sum = [0i16; LANES];
        for (row, k) in rows.iter().zip(k) {
            let p = &row[at];
            for lane in 0..LANES {
                sum[lane] = sum[lane].wrapping_add(i16::from(p[lane]).wrapping_mul(k[lane]));
            }
        }
        *out = sum;
    }
}

/// `Σ texels[tap] · k[tap]` of each component.
#[inline]
fn across<const N: usize, const TAPS: usize>(
    texels: &[[i16; N]],
    k: &[[i16; N]; TAPS],
) -> [i32; N] {
    let mut sums = [0i32; N];
    for (texel, k) in texels.iter().zip(k) {
        for c in 0..N {
            sums[c] += i32::from(texel[c]) * i32::from(k[c]);
        }
    }
    sums
}
