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

    fn request(channels: &str, control: u8, mode: u8) -> AvsRequest {
        let mask = |mask, c| mask | 1 << "RGBA".find(c).unwrap();
        AvsRequest {
            channels: ChannelMask(channels.chars().fold(0, mask)),
            control: AvsControl::ALL[usize::from(control)].0,
            mode: AvsMode::ALL[usize::from(mode)].0,
            ..AvsRequest::ORIGIN
        }
    }

    #[test]
    fn sizes_are_those_of_the_table() {
        // AVS reference 2.2; columns 16x4, 8x4, 16x8, 4x4.
        let table: &[(&str, u8, bool, [usize; 4])] = &[
            ("G", 0, false, [128, 64, 256, 32]),
            ("RB", 0, false, [256, 128, 512, 64]),
            ("RGB", 0, false, [384, 192, 768, 96]),
            ("RGBA", 0, false, [512, 256, 1024, 128]),
            ("RGBA", 1, false, [384, 192, 768, 96]),
            ("RGBA", 2, false, [256, 128, 512, 64]),
            ("RGBA", 3, false, [192, 96, 384, 48]),
            ("RGB", 3, false, [128, 64, 256, 32]),
            ("RG", 3, false, [96, 48, 192, 24]),
            ("RG", 3, true, [128, 64, 192, 32]),
            ("R", 3, true, [64, 32, 64, 16]),
            ("GA", 3, false, [128, 64, 256, 32]),
            ("GA", 3, true, [128, 64, 256, 32]),
        ];
        for &(channels, control, shuffle, sizes) in table {
            let found = [0, 1, 2, 3].map(|m| packed_bytes(&request(channels, control, m), shuffle));
            assert_eq!(found, sizes, "{channels} {control} {shuffle}");
        }
    }

    /// The picture of AVS reference 2.3: R = 16y + x, G, B, A 40h, 80h, c0h more.
    fn picture() -> Block {
        let mut block = Block::new(16);
        for (c, samples) in block.channels.iter_mut().enumerate() {
            for (i, sample) in samples.iter_mut().take(128).enumerate() {
                *sample = ((i + 0x40 * c) as u16 & 0xff) << 8;
            }
        }
        block
    }

    fn pack(request: &AvsRequest, shuffle: bool) -> Vec<u8> {
        let packing = Packing::new(request, shuffle);
        let mut dst = vec![0xee; packing.bytes() + 4];
        packing.write(&picture(), &mut dst);
        assert_eq!(dst.split_off(packing.bytes()), [0xee; 4]);
        dst
    }

    #[test]
    fn a_decimated_channel_that_is_not_enabled_keeps_its_space_when_shuffled() {
        // AVS reference 2.3 (c): RG, 16x4, 8-bit decimated, shuffle on.
        let dst = pack(&request("RG", 3, 0), true);
        assert_eq!(dst[..8], [0x00, 0x02, 0x04, 0x06, 0x10, 0x12, 0x14, 0x16]);
        assert_eq!(
            dst[0x10..0x1a],
            [0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x50, 0x51]
        );
        assert_eq!(dst[0x30..0x40], [0xee; 16]);
        assert_eq!(dst[0x40..0x45], [0x08, 0x0a, 0x0c, 0x0e, 0x18]);
        assert_eq!(dst[0x50..0x52], [0x48, 0x49]);
        assert_eq!(dst[0x70..], [0xee; 16]);
    }

    #[test]
    fn rows_four_to_seven_come_after_all_channels() {
        // AVS reference 2.3 (e): RGBA, 16x8, 16 bits: channels at 000h, 080h, ... and 200h, ...
        let dst = pack(&request("RGBA", 0, 2), false);
        let word = |at: usize| u16::from_le_bytes([dst[at], dst[at + 1]]);
        assert_eq!(
            [word(0), word(2), word(0x20), word(0x80)],
            [0, 0x100, 0x1000, 0x4000]
        );
        assert_eq!(
            [word(0x200), word(0x280), word(0x300), word(0x3fe)],
            [0x4000, 0x8000, 0xc000, 0x3f00]
        );
    }

    #[test]
    fn small_blocks_are_rasters_of_their_own_width() {
        // AVS reference 2.3 (f), RB, 8x4: B row r at 40h + 10h r. The picture's rows are 16 apart.
        let dst = pack(&request("RB", 0, 1), true);
        assert_eq!(
            (dst[0x11], dst[0x1f], dst[0x41], dst[0x51]),
            (0x10, 0x17, 0x80, 0x90)
        );
    }

    #[test]
    fn eight_bits_are_rounded_and_end_at_255() {
        let mut out = [0; 5];
        bytes([0x0000, 0x007f, 0x0080, 0xff7f, 0xffff].iter(), &mut out);
        assert_eq!(out, [0, 0, 1, 255, 255]);
    }
}
