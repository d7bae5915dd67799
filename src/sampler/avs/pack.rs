//! How a block of samples lies in the destination.
//!
//! ```text
//!  16x4                 16x8                  16x4, shuffle
//!  R G B A              R G B A  rows 0..3    R G B A  columns 0..7
//!                       R G B A  rows 4..7    R G B A  columns 8..15
//! ```
//!
//! Each letter is a rectangle of elements in raster order, without gaps; R and B are half as wide
//! when decimated. Source: AVS reference 2.

use super::position::{MAX_COLUMNS, MAX_ROWS};
use super::view::{B, R};
use crate::isa::{AvsControl, AvsMode, ChannelMask};
use crate::message::AvsRequest;

/// Samples of a block, 8.8, for each channel in raster order.
#[derive(Clone, Debug)]
pub struct Block {
    /// From row to row.
    pub stride: usize,
    /// Elements that were not asked for hold anything.
    pub channels: [[u16; MAX_COLUMNS * MAX_ROWS]; 4],
}

impl Block {
    /// A block whose rows are `stride` samples long.
    pub const fn new(stride: usize) -> Block {
        Block {
            stride,
            channels: [[0; MAX_COLUMNS * MAX_ROWS]; 4],
        }
    }
}

/// A rectangle of the block: x, y, width, height.
type Segment = (usize, usize, usize, usize);

/// A row of one channel in a packed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRow {
    /// 0 R to 3 A.
    pub channel: usize,
    /// Column of its first sample in the block.
    pub x: usize,
    /// Row of the block.
    pub y: usize,
    /// Samples.
    pub columns: usize,
    /// Columns of the block from one sample to the next: 2 when decimated.
    pub step: usize,
    /// Bytes.
    pub bytes: usize,
    /// Whether the message writes them; space is kept for the others.
    pub written: bool,
}

/// Where every channel of a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    segments: [Segment; 2],
    count: usize,
    /// Channels that take up space.
    laid_out: ChannelMask,
    /// Channels that are written.
    written: ChannelMask,
    control: AvsControl,
}

impl Packing {
    /// The packing of `request` with the sampler's output shuffle off or on. Source: AVS reference 2.1.
    pub fn new(request: &AvsRequest, shuffle: bool) -> Packing {
        Packing::of(request.channels, request.control, request.mode, shuffle)
    }

    /// As [`Packing::new`], of a block of any message.
    pub fn of(channels: ChannelMask, control: AvsControl, mode: AvsMode, shuffle: bool) -> Packing {
        // 16x8 has no output shuffle: where the state asks for it the block is packed as without (D4).
        let shuffle = shuffle && mode != AvsMode::M16x8;
        let (w, h) = mode.size();
        let whole = (0, 0, w as usize, h as usize);
        let (segments, count) = match (mode, shuffle) {
            (AvsMode::M16x8, _) => ([(0, 0, 16, 4), (0, 4, 16, 4)], 2),
            (AvsMode::M16x4, true) => ([(0, 0, 8, 4), (8, 0, 8, 4)], 2),
            _ => ([whole; 2], 1),
        };
        let written = ChannelMask(channels.0 & 0xf);
        let mut laid_out = written;
        // One of R and B missing keeps its space: stated in the description of shuffle only (D5).
        let reserves = shuffle && control == AvsControl::DownSample8;
        if reserves && written.has(R) != written.has(B) {
            laid_out.0 |= 1 << R | 1 << B;
        }
        Packing {
            segments,
            count,
            laid_out,
            written,
            control,
        }
    }

    /// Columns of `channel` in a segment `w` wide.
    fn columns(&self, channel: usize, w: usize) -> usize {
        let half = self.control.decimates() && (channel == R || channel == B);
        if half { w / 2 } else { w }
    }

    /// Bytes from the first to the end of the last element, those left alone included.
    pub fn bytes(&self) -> usize {
        let element = self.control.element_bytes() as usize;
        let segment = |&(_, _, w, h): &Segment| -> usize {
            self.laid_out
                .iter()
                .map(|c| self.columns(c, w) * h * element)
                .sum()
        };
        self.segments[..self.count].iter().map(segment).sum()
    }

    /// The rows of the packed block in the order of the bytes, those left alone included.
    pub fn rows(&self) -> impl Iterator<Item = PackedRow> + '_ {
        let element = self.control.element_bytes() as usize;
        self.segments[..self.count]
            .iter()
            .flat_map(move |&(x, y, w, h)| {
                self.laid_out.iter().flat_map(move |channel| {
                    let columns = self.columns(channel, w);
                    (0..h).map(move |row| PackedRow {
                        channel,
                        x,
                        y: y + row,
                        columns,
                        step: w / columns,
                        bytes: columns * element,
                        written: self.written.has(channel),
                    })
                })
            })
    }

    /// Writes the enabled channels of `block` to `dst`, of at least [`Packing::bytes`] bytes.
    pub fn write(&self, block: &Block, dst: &mut [u8]) {
        let element = self.control.element_bytes() as usize;
        let mut rest = dst;
        for &(x, y, w, h) in &self.segments[..self.count] {
            for channel in self.laid_out.iter() {
                let columns = self.columns(channel, w);
                let (part, after) = rest.split_at_mut(columns * h * element);
                rest = after;
                if !self.written.has(channel) {
                    continue;
                }
                let samples = &block.channels[channel];
                let whole = columns == w;
                for (row, out) in part.chunks_exact_mut(columns * element).enumerate() {
                    let row = &samples[(y + row) * block.stride + x..][..w];
                    match (element, whole) {
                        (2, true) => words(row.iter(), out),
                        (2, false) => words(row.iter().step_by(2), out),
                        (_, true) => bytes(row.iter(), out),
                        (_, false) => bytes(row.iter().step_by(2), out),
                    }
                }
            }
        }
    }
}

/// 16-bit elements: the 8.8 values as they are.
fn words<'a>(samples: impl Iterator<Item = &'a u16>, out: &mut [u8]) {
    for (sample, out) in samples.zip(out.chunks_exact_mut(2)) {
        out.copy_from_slice(&sample.to_le_bytes());
    }
}

/// 8-bit elements: rounded, at most 255. Source: AVS reference 2.5.
fn bytes<'a>(samples: impl Iterator<Item = &'a u16>, out: &mut [u8]) {
    for (&sample, out) in samples.zip(out) {
        *out = (sample.saturating_add(0x80) >> 8) as u8;
    }
}

/// Bytes of the destination of `request`, those reserved and left alone included.
///
/// Source: AVS reference 2.2.
pub fn packed_bytes(request: &AvsRequest, shuffle: bool) -> usize {
    Packing::new(request, shuffle).bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn eight_bits_are_rounded_and_end_at_255() {
        let mut out = [0; 5];
        bytes([0x0000, 0x007f, 0x0080, 0xff7f, 0xffff].iter(), &mut out);
        assert_eq!(out, [0, 0, 1, 255, 255]);
    }
}
