//! How Gen5 returns a block: two rows of a group of four pixels side by side.

use visim::internals::isa::ChannelMask;
use visim::internals::sampler::avs::Block;
use visim::internals::sampler::avs::groups::write;
#[test]
fn rows_four_to_seven_follow_the_last_channel() {
    // Sample = 16 * row + column, G 100h more. Two channels: reg = (y >> 2) * 4 + 2 k + ((y & 3) >> 1).
    let mut block = Block::new(8);
    for i in 0..64 {
        let sample = (16 * (i / 8) + i % 8) as u16;
        block.channels[0][i] = sample;
        block.channels[1][i] = 0x100 + sample;
    }
    let mut dst = [0; 256];
    write(&block, ChannelMask(0b0011), (8, 8), &mut dst);
    let word = |reg: usize, word: usize| {
        u16::from_le_bytes([dst[32 * reg + 2 * word], dst[32 * reg + 2 * word + 1]])
    };
    // Register 0: rows 0, 1 of R. Pixel (5, 1): word 8 + 4 + 1.
    assert_eq!(
        [word(0, 0), word(0, 4), word(0, 8), word(0, 13)],
        [0, 0x10, 4, 0x15]
    );
    assert_eq!([word(1, 0), word(2, 0), word(3, 15)], [0x20, 0x100, 0x137]);
    // Rows 4 to 7 of R, then of G.
    assert_eq!(
        [word(4, 0), word(5, 0), word(6, 0), word(7, 15)],
        [0x40, 0x60, 0x140, 0x177]
    );
}
