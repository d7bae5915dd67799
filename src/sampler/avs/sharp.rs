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
//! fit a vector register, and each output row needs just one horizontal pass. Interleaved components
//! are pulled apart before: then everything here is rows of plain bytes.

use super::filters::Taps;
use super::pack::Block;
use super::position::MAX_COLUMNS;
use super::window::{Axis, FOOTPRINT, Window};

/// Largest sum of taps of one sign for which column sums fit 16 bits.
pub const GAIN: u16 = 128;

/// One component of a block.
pub struct Task<'a> {
    /// A byte for each texel.
    pub window: &'a Window<u8>,
    /// Columns of the block, and the filter across them.
    pub x: (&'a Axis, Taps<'a>),
    /// Rows of the block, and the filter down them.
    pub y: (&'a Axis, Taps<'a>),
    /// Where the samples go.
    pub channel: usize,
    /// The largest sample.
    pub ceiling: u16,
    /// Distance of neighbouring pixels of the axis in the block: 2 where odd ones are not wanted.
    pub step: usize,
}

/// Scales with `TAPS` taps, 4 or 8. `columns` is scratch.
pub fn run<const TAPS: usize>(task: &Task, columns: &mut Vec<i16>, block: &mut Block) {
    let first = (FOOTPRINT - TAPS) / 2;
    let ((x, taps_x), (y, taps_y)) = (task.x, task.y);
    let taps = |taps: Taps, beta| -> [i16; TAPS] {
        let row = taps.row(beta);
        std::array::from_fn(|tap| row[first + tap])
    };
    let mut kx = [[0; TAPS]; MAX_COLUMNS];
    for (k, &beta) in kx.iter_mut().zip(x.betas()) {
        *k = taps(taps_x, beta);
    }
    let stride = task.window.stride;
    if columns.len() < stride {
        columns.resize(stride, 0);
    }
    let columns = &mut columns[..stride];
    let mut sums = [0i32; MAX_COLUMNS];
    let sums = &mut sums[..x.pixels()];
    let rows = block.channels[task.channel].chunks_exact_mut(block.stride);
    for ((out, &start), &beta) in rows.zip(y.starts()).zip(y.betas()) {
        let window = task.window.rows(usize::from(start) + first, TAPS);
        down(window, &taps(taps_y, beta), columns);
        let texels = &columns[task.window.skew + first..];
        for ((&start, k), sum) in x.starts().iter().zip(&kx).zip(&mut *sums) {
            *sum = match texels[usize::from(start)..].first_chunk() {
                Some(texels) => dot::<TAPS>(texels, k),
                None => 0, // not reached: a window holds the footprint of every pixel
            };
        }
        let ceiling = i32::from(task.ceiling);
        let sample = |&sum: &i32| ((sum + 8) >> 4).clamp(0, ceiling) as u16;
        if task.step == 1 {
            for (out, sum) in out.iter_mut().zip(&*sums) {
                *out = sample(sum);
            }
        } else {
            for (out, sum) in out.iter_mut().step_by(task.step).zip(&*sums) {
                *out = sample(sum);
            }
        }
    }
}

/// `out[i] = Σ rows[tap][i] · k[tap]`. Sums wrap on the way and fit at the end.
///
/// Four taps at a time, columns innermost: a shape that becomes plain vector code everywhere.
#[inline]
fn down<const TAPS: usize>(rows: &[u8], k: &[i16; TAPS], out: &mut [i16]) {
    let mut rows = rows.chunks_exact(out.len());
    let mut next = || rows.next().unwrap_or(&[]);
    for (four, k) in k.as_chunks::<4>().0.iter().enumerate() {
        let (a, b, c, d) = (next(), next(), next(), next());
        let texels = a.iter().zip(b).zip(c).zip(d);
        for (out, (((&a, &b), &c), &d)) in out.iter_mut().zip(texels) {
            let mut sum = i16::from(a).wrapping_mul(k[0]);
            sum = sum.wrapping_add(i16::from(b).wrapping_mul(k[1]));
            sum = sum.wrapping_add(i16::from(c).wrapping_mul(k[2]));
            sum = sum.wrapping_add(i16::from(d).wrapping_mul(k[3]));
            *out = if four == 0 {
                sum
            } else {
                out.wrapping_add(sum)
            };
        }
    }
}

/// `Σ texels[tap] · k[tap]`.
#[inline]
fn dot<const TAPS: usize>(texels: &[i16; TAPS], k: &[i16; TAPS]) -> i32 {
    texels
        .iter()
        .zip(k)
        .map(|(&p, &k)| i32::from(p) * i32::from(k))
        .sum()
}
