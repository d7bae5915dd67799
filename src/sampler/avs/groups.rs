//! How Gen5 returns a block: two rows of a group of four pixels side by side.
//!
//! ```text
//!  words of one channel's first register        rows 0, 1; the second register has rows 2, 3
//!  0..3      4..7      8..11     12..15
//!  row 0     row 1     row 0     row 1
//!  x 0..3    x 0..3    x 4..7    x 4..7
//! ```
//!
//! All channels of four rows are together; rows 4 to 7 of an 8x8 block follow after the last channel.
//! Elements have 16 bits. Source: AVS reference 2.4; PRM 4.11.2.4.

use super::pack::Block;
use crate::isa::ChannelMask;

/// Rows whose channels are together.
const ROWS: usize = 4;

/// Bytes of one channel of `width` x `height` pixels, `width` 8.
pub const fn bytes(width: usize, height: usize) -> usize {
    2 * width * height
}

/// Writes `channels` of a block of 8 by `height` pixels (4 or 8) to `dst`, [`bytes`] for each channel.
pub fn write(
    block: &Block,
    channels: ChannelMask,
    (width, height): (usize, usize),
    dst: &mut [u8],
) {
    let part = bytes(width, ROWS);
    let mut parts = dst.chunks_exact_mut(part);
    for top in (0..height).step_by(ROWS) {
        for channel in channels.iter() {
            let Some(part) = parts.next() else { return };
            for y in 0..ROWS {
                for x in 0..width {
                    let word = 16 * (y >> 1) + 8 * (x >> 2) + 4 * (y & 1) + (x & 3);
                    let sample = block.channels[channel][(top + y) * block.stride + x];
                    part[2 * word..][..2].copy_from_slice(&sample.to_le_bytes());
                }
            }
        }
    }
}
