//! Block-linear memory: from a texel's column, row and slice to its byte, as pure functions.
//!
//! Memory is made of GOBs: 512 bytes that hold 64 bytes × 8 rows. Inside one, sixteen bytes of a row
//! stay together and the rest is shuffled; the numbers are where each 16-byte line begins:
//!
//! ```text
//!  byte column   0    16    32    48          A block is 1 GOB wide, 2^bh GOBs high and 2^bd slices
//!  row 0        000   020   100   120         deep; in memory its GOBs run down first, then deeper:
//!      1        010   030   110   130
//!      2        040   060   140   160              ┌───┐   ┌───┐
//!      3        050   070   150   170              │ 0 │  ┌┤ 2 │     bh = 1, bd = 1
//!      4        080   0a0   180   1a0              ├───┤  │├───┤     slice 0: GOBs 0 1
//!      5        090   0b0   190   1b0              │ 1 │  ││ 3 │     slice 1: GOBs 2 3
//!      6        0c0   0e0   1c0   1e0              └───┘  │└───┘
//!      7        0d0   0f0   1d0   1f0             slice 0 slice 1
//!
//!  Blocks run along a row first, then down, then deeper. 100×37 texels of 4 bytes, bh = 2:
//!
//!       400 bytes = 7 blocks
//!      ┌───┬───┬───┬───┬───┬───┬───┐
//!      │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │  32 rows    one block = 4 GOBs = 0x800 bytes
//!      ├───┼───┼───┼───┼───┼───┼───┤
//!      │ 7 │ 8 │ 9 │10 │11 │12 │13 │   5 rows of 32 used
//!      └───┴───┴───┴───┴───┴───┴───┘
//! ```
//!
//! Levels follow one another with nothing between; a layer is all its levels, rounded up to a block of
//! level 0. Every level clamps the block to what it needs.
//!
//! Source: TLD reference 4.3 to 4.5.

/// Bytes of a GOB.
pub const GOB_BYTES: u64 = 512;
/// Bytes of one row of a GOB.
pub const GOB_WIDTH: u64 = 64;
/// Rows of a GOB.
pub const GOB_ROWS: u64 = 8;

/// How the bytes of a GOB are ordered.
///
/// Discrete boards show the CPU another order of the same 16-byte lines, later generations differ
/// again, and depth images have their own. Only the one seen on hardware is here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GobLayout {
    /// As a Tegra X1 sees it, GPU and CPU alike.
    #[default]
    Tegra,
}

impl GobLayout {
    /// Offset inside the GOB of byte column `x`, 0..64, in row `y`, 0..8.
    pub const fn offset(self, x: u64, y: u64) -> u64 {
        match self {
            GobLayout::Tegra => {
                (x / 32 % 2) * 256 + (y / 2 % 4) * 64 + (x / 16 % 2) * 32 + (y % 2) * 16 + x % 16
            }
        }
    }
}

/// Width, height, depth: texels, or elements of the sample grid.
pub type Extent = [u64; 3];

/// Size of a block, as the powers of two the header holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block {
    /// log2 of its height in GOBs, 0..=5.
    pub height: u32,
    /// log2 of its depth in slices, 0..=5.
    pub depth: u32,
}

impl Block {
    /// Bytes of a block.
    pub const fn bytes(self) -> u64 {
        GOB_BYTES << (self.height + self.depth)
    }
}

/// The smallest `n` with `2^n >= value`.
const fn ceil_log2(value: u64) -> u32 {
    if value <= 1 {
        0
    } else {
        64 - (value - 1).leading_zeros()
    }
}

/// One level of one layer, laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its block, clamped to what the level needs.
    pub block: Block,
    /// Number of blocks across, down and deep.
    pub blocks: Extent,
}

impl Level {
    /// Lays out a level of `extent` elements of `texel_bytes` bytes under a header that says `block`.
    ///
    /// * `extent`: each at least 1, at most 2^20, which leaves room for every product below.
    pub fn new(extent: Extent, texel_bytes: u64, block: Block) -> Level {
        let [w, h, d] = extent;
        let block = Block {
            height: block.height.min(ceil_log2(h.div_ceil(GOB_ROWS))),
            depth: block.depth.min(ceil_log2(d)),
        };
        Level {
            block,
            blocks: [
                (w * texel_bytes).div_ceil(GOB_WIDTH),
                h.div_ceil(GOB_ROWS << block.height),
                d.div_ceil(1 << block.depth),
            ],
        }
    }

    /// Bytes of the level.
    pub const fn bytes(&self) -> u64 {
        let [x, y, z] = self.blocks;
        x * y * z * self.block.bytes()
    }

    /// Offset from the level's first byte of byte column `x`, row `y`, slice `z`, all inside the level.
    pub const fn offset(&self, x: u64, y: u64, z: u64) -> u64 {
        let Block { height, depth } = self.block;
        let [across, down, _] = self.blocks;
        let block = ((z >> depth) * down + (y >> (3 + height))) * across + x / GOB_WIDTH;
        let slice = z & ((1 << depth) - 1);
        let gob = (y >> 3) & ((1 << height) - 1);
        block * self.block.bytes()
            + slice * (GOB_BYTES << height)
            + gob * GOB_BYTES
            + GobLayout::Tegra.offset(x % GOB_WIDTH, y % GOB_ROWS)
    }
}

/// `max(1, size >> level)`.
pub const fn shrunk(size: u64, level: u32) -> u64 {
    let size = size >> level;
    if size == 0 { 1 } else { size }
}

/// All levels of a layer, each with its offset from the layer's first byte, and the layer's pitch.
///
/// * `extent(l)`: the elements of level `l`, sample grid included.
/// * `last`: the image's MAX_MIP_LEVEL, not the view's.
pub fn layer(
    extent: impl Fn(u32) -> Extent,
    texel_bytes: u64,
    block: Block,
    last: u32,
) -> (Vec<(u64, Level)>, u64) {
    let mut offset = 0;
    let levels: Vec<_> = (0..=last)
        .map(|l| {
            let level = Level::new(extent(l), texel_bytes, block);
            let at = offset;
            offset += level.bytes();
            (at, level)
        })
        .collect();
    let first = levels[0].1.block.bytes();
    let pitch = offset.next_multiple_of(first);
    (levels, pitch)
}
