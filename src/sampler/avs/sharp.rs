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
//! are pulled apart before: then everything here is rows of plain codes.

use super::filters::Taps;
use super::lanes::{Across, PADDED, down};
use super::pack::Block;
use super::window::{Axis, FOOTPRINT, ROW, Window};

/// Largest sum of taps of one sign for which column sums fit 16 bits.
pub const GAIN: u16 = 128;

/// One component of a block.
pub struct Task<'a> {
    /// A code for each texel.
    pub window: &'a Window<i16>,
    /// Columns of the block, and the filter across them.
    pub x: (&'a Axis, Taps<'a>),
    /// Rows of the block, and the filter down them.
    pub y: (&'a Axis, Taps<'a>),
    /// Where the samples go.
    pub channel: usize,
    /// Distance of neighbouring pixels of the axis in the block: 2 where odd ones are not wanted.
    pub step: usize,
}

/// Scales; `TAPS` is the number of rows that count, 4 or 8.
pub fn run<const TAPS: usize>(task: &Task, block: &mut Block) {
    let first = (FOOTPRINT - TAPS) / 2;
    let ((x, taps_x), (y, taps_y)) = (task.x, task.y);
    let across = Across::new(x, taps_x);
    let mut columns = [0; ROW];
    let mut sums = [0; PADDED];
    let rows = block.channels[task.channel].chunks_exact_mut(block.stride);
    for ((out, &start), &beta) in rows.zip(y.starts()).zip(y.betas()) {
        let row = taps_y.row(beta);
        let taps: [i16; TAPS] = std::array::from_fn(|tap| row[first + tap]);
        down(
            task.window.rows(usize::from(start) + first, TAPS),
            &taps,
            &mut columns,
        );
        across.sums(&columns, &mut sums);
        let sums = &sums[..x.pixels()];
        if task.step == 1 {
            for (out, &sum) in out.iter_mut().zip(sums) {
                *out = sample(sum);
            }
        } else {
            for (out, &sum) in out.iter_mut().step_by(task.step).zip(sums) {
                *out = sample(sum);
            }
        }
    }
}

/// The sum rounded and clamped to 0..=FF00h, by way of numbers with a sign: those are what vectors pack.
#[inline]
fn sample(sum: i32) -> u16 {
    let centred = (((sum + 8) >> 4) - 0x8000).clamp(-0x8000, 0x7f00);
    centred as i16 as u16 ^ 0x8000
}
