//! Tilings: from a byte column and a row to a byte offset. Pure functions of numbers; the base address is
//! added by the caller, after any swizzle.
//!
//! Source: surface reference 3.1.

/// How bytes of neighbouring rows and columns are mixed in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// Row after row.
    #[default]
    Linear,
    /// 512 bytes by 8 rows, row-major inside.
    X,
    /// 128 bytes by 32 rows in columns of 16 bytes.
    Y,
    /// 64 bytes by 64 rows, for stencil; the pitch is twice the byte width.
    W,
    /// 4 KB, shape by element size (Gen9).
    Yf,
    /// 64 KB, shape by element size (Gen9).
    Ys,
}

impl Tiling {
    /// The names used in text: `linear`, `X`, `Y`, `W`, `Yf`, `Ys`.
    pub fn named(name: &str) -> Option<Tiling> {
        Some(match name {
            "linear" | "L" => Tiling::Linear,
            "X" => Tiling::X,
            "Y" => Tiling::Y,
            "W" => Tiling::W,
            "Yf" => Tiling::Yf,
            "Ys" => Tiling::Ys,
            _ => return None,
        })
    }

    /// Bytes and rows of a tile for elements of `bits`; 1×1 for linear surfaces. `None` if the tiling has
    /// no shape for that element size.
    pub const fn tile(self, bits: u32) -> Option<(u32, u32)> {
        Some(match self {
            Tiling::Linear => (1, 1),
            Tiling::X => (512, 8),
            Tiling::Y => (128, 32),
            Tiling::W if bits == 8 => (64, 64),
            Tiling::Yf | Tiling::Ys => {
                let (width, height) = match bits {
                    8 => (64, 64),
                    16 => (128, 32),
                    32 => (128, 32),
                    64 => (256, 16),
                    128 => (256, 16),
                    _ => return None,
                };
                let larger = if matches!(self, Tiling::Ys) { 4 } else { 1 };
                (width * larger, height * larger)
            }
            Tiling::W => return None,
        })
    }

    /// Multiple the pitch must be of: the tile's width; twice that for W.
    pub const fn pitch_unit(self, bits: u32) -> Option<u32> {
        match (self, self.tile(bits)) {
            (Tiling::W, Some((width, _))) => Some(2 * width),
            (_, Some((width, _))) => Some(width),
            _ => None,
        }
    }

    /// Rows of tiles are this many bytes apart.
    pub const fn tile_row_bytes(self, bits: u32, pitch: u32) -> u64 {
        match (self, self.tile(bits)) {
            (Tiling::W, _) => 32 * pitch as u64,
            (_, Some((_, height))) => height as u64 * pitch as u64,
            (_, None) => 0,
        }
    }

    /// Neighbouring bytes of a row that are neighbours in memory come in aligned groups of this many.
    pub const fn run(self, bit6: bool) -> u32 {
        match self {
            Tiling::Linear => u32::MAX,
            Tiling::X if bit6 => 64,
            Tiling::X => 512,
            Tiling::W => 2,
            Tiling::Y | Tiling::Yf | Tiling::Ys => 16,
        }
    }
}

impl Tiling {
    /// Whether memory controllers of two channels swizzle its addresses. Source: surface reference 3.1.
    pub const fn is_swizzled(self) -> bool {
        matches!(self, Tiling::X | Tiling::Y)
    }
}

/// A byte of a surface before tiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BytePosition {
    /// Bytes from the left edge.
    pub column: u32,
    /// Rows from the top.
    pub row: u32,
}

/// How rows of bytes lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiled {
    /// The shape of tiles.
    pub tiling: Tiling,
    /// Bits of an element, on which the standard tilings depend.
    pub element_bits: u32,
    /// Bytes from row to row.
    pub pitch: u32,
    /// The address swizzle of two-channel memory controllers applies.
    pub bit6: bool,
}

impl Tiled {
    /// Byte offset of a byte.
    ///
    /// # Panics
    /// If the tiling has no shape for the element; the surface's constructor has checked.
    #[inline]
    pub fn offset(self, at: BytePosition) -> u64 {
        let (x, y, pitch) = (at.column, at.row, self.pitch);
        let offset = match self.tiling {
            Tiling::Linear => linear(x, y, pitch),
            Tiling::X => x_major(x, y, pitch),
            Tiling::Y => y_major(x, y, pitch),
            Tiling::W => w_major(x, y, pitch),
            Tiling::Yf | Tiling::Ys => standard(self.tiling, self.element_bits, x, y, pitch),
        };
        if self.bit6 {
            swizzle_bit6(self.tiling, offset)
        } else {
            offset
        }
    }

    /// The byte at an offset: what [`Tiled::offset`] came from.
    ///
    /// Offsets after the last row of tiles lead to rows after the surface; a pitch that is not a multiple of
    /// the tile's width, or 0, leads nowhere.
    ///
    /// # Panics
    /// As [`Tiled::offset`].
    pub fn position(self, offset: u64) -> BytePosition {
        let (tiling, bits) = (self.tiling, self.element_bits);
        // The swizzle is its own inverse: it changes bit 6 by bits it leaves alone.
        let offset = if self.bit6 {
            swizzle_bit6(tiling, offset)
        } else {
            offset
        };
        if tiling == Tiling::Linear {
            let pitch = u64::from(self.pitch);
            return BytePosition {
                column: (offset % pitch) as u32,
                row: (offset / pitch) as u32,
            };
        }
        let row_bytes = tiling.tile_row_bytes(bits, self.pitch);
        let (width, height) = tiling
            .tile(bits)
            .expect("the constructor has checked the element size");
        let tile_bytes = u64::from(width) * u64::from(height);
        let (tile_y, rest) = (offset / row_bytes, offset % row_bytes);
        let (tile_x, inside) = (rest / tile_bytes, (rest % tile_bytes) as u32);
        let (x, y) = match tiling {
            Tiling::Linear => (0, 0),
            Tiling::X => (inside & 511, inside >> 9),
            Tiling::Y => (inside >> 9 << 4 | inside & 15, inside >> 4 & 31),
            Tiling::W => (
                inside >> 9 << 3 | (inside >> 4 & 1) << 2 | (inside >> 2 & 1) << 1 | inside & 1,
                (inside >> 5 & 15) << 2 | (inside >> 3 & 1) << 1 | inside >> 1 & 1,
            ),
            Tiling::Yf | Tiling::Ys => {
                let pattern = standard_pattern(bits);
                let (mut x, mut y, mut x_bit, mut y_bit) = (0, 0, 0, 0);
                for bit in 0..tile_bytes.ilog2() {
                    let value = inside >> bit & 1;
                    if pattern[15 - bit as usize] == b'X' {
                        x |= value << x_bit;
                        x_bit += 1;
                    } else {
                        y |= value << y_bit;
                        y_bit += 1;
                    }
                }
                (x, y)
            }
        };
        BytePosition {
            column: (tile_x * u64::from(width)) as u32 + x,
            row: (tile_y * u64::from(height)) as u32 + y,
        }
    }
}

/// `y·P + x`.
///
/// ```text
///   address      y · P + x          row 0  ├ 0 … P-1 ┤
///                                   row 1  ├ P … 2P-1 ┤
/// ```
#[inline]
pub fn linear(x: u32, y: u32, pitch: u32) -> u64 {
    u64::from(y) * u64::from(pitch) + u64::from(x)
}

/// X-major tiles.
///
/// ```text
///   address bit  11 10  9 | 8 7 6 5 4 3 2 1 0            512 bytes
///   from          y2 y1 y0|x8 …            x0       ┌───────────────────┐
///                                                   │ 000…             │ row 0
///   tile column x>>9, tile row y>>3                 │ 200…             │ row 1
///                                                   ┊                   ┊ 8 rows
/// ```
#[inline]
pub fn x_major(x: u32, y: u32, pitch: u32) -> u64 {
    u64::from(y >> 3) * (8 * u64::from(pitch))
        + u64::from(x >> 9) * 4096
        + u64::from((y & 7) * 512 + (x & 511))
}

/// Y-major tiles.
///
/// ```text
///   address bit  11 10  9 | 8  7  6  5  4 | 3 2 1 0      128 bytes = 8 columns of 16
///   from          x6 x5 x4|y4 y3 y2 y1 y0 |x3 … x0    ┌────┬────┬────┬ … ┐
///                                                     │000 │200 │400 │   │ row 0
///   tile column x>>7, tile row y>>5                   │010 │210 │410 │   │ row 1
///                                                     ┊    ┊    ┊    ┊   ┊ 32 rows
/// ```
#[inline]
pub fn y_major(x: u32, y: u32, pitch: u32) -> u64 {
    u64::from(y >> 5) * (32 * u64::from(pitch))
        + u64::from(x >> 7) * 4096
        + u64::from(((x >> 4) & 7) * 512 + (y & 31) * 16 + (x & 15))
}

/// W tiles: 64 bytes by 64 rows, x and y bits interleaved at the low end.
///
/// ```text
///   address bit  11 10  9 | 8  7  6  5 | 4  3  2  1  0
///   from          x5 x4 x3|y5 y4 y3 y2 |x2 y1 x1 y0 x0       tile column x>>6, tile row y>>6
/// ```
///
/// The pitch is twice the byte width, so a row of tiles is 32 pitches high.
#[inline]
pub fn w_major(x: u32, y: u32, pitch: u32) -> u64 {
    let inside = ((x >> 3) & 7) << 9
        | ((y >> 2) & 15) << 5
        | ((x >> 2) & 1) << 4
        | ((y >> 1) & 1) << 3
        | ((x >> 1) & 1) << 2
        | (y & 1) << 1
        | (x & 1);
    u64::from(y >> 6) * (32 * u64::from(pitch)) + u64::from(x >> 6) * 4096 + u64::from(inside)
}

/// Which coordinate gives each address bit of a standard tile, bit 15 first (Yf has bits 11 to 0 only).
const fn standard_pattern(bits: u32) -> &'static [u8; 16] {
    match bits {
        8 => b"XYXYXYXYYYYYXXXX",
        16 | 32 => b"XYXYXYXYXYYYXXXX",
        _ => b"XYXYXYXYXXYYXXXX",
    }
}

/// Standard tiles Yf (4 KB) and Ys (64 KB): every letter takes the next bit of its coordinate, counted from
/// the right end.
///
/// ```text
///   address bit   15 14 13 12 | 11 10  9  8  7  6  5  4  3  2  1  0
///    8 bits        X  Y  X  Y |  X  Y  X  Y  Y  Y  Y  Y  X  X  X  X      64 bytes × 64 rows (Ys 256 × 256)
///   16, 32 bits    X  Y  X  Y |  X  Y  X  Y  X  Y  Y  Y  X  X  X  X     128 bytes × 32 rows
///   64, 128 bits   X  Y  X  Y |  X  Y  X  Y  X  X  Y  Y  X  X  X  X     256 bytes × 16 rows
/// ```
fn standard(tiling: Tiling, bits: u32, x: u32, y: u32, pitch: u32) -> u64 {
    let pattern = standard_pattern(bits);
    let (width, height) = tiling
        .tile(bits)
        .expect("the constructor has checked the element size");
    let size = if tiling == Tiling::Ys { 16 } else { 12 };
    let (mut rest_x, mut rest_y, mut inside) = (x % width, y % height, 0);
    for bit in 0..size {
        let rest = if pattern[15 - bit] == b'X' {
            &mut rest_x
        } else {
            &mut rest_y
        };
        inside |= (*rest & 1) << bit;
        *rest >>= 1;
    }
    u64::from(y / height) * (u64::from(height) * u64::from(pitch))
        + (u64::from(x / width) << size)
        + u64::from(inside)
}

/// Flips address bit 6 by bits 9 and 10 (X) or bit 9 (Y), as memory controllers with two channels did up to
/// Gen7. Applies to the offset because tiled bases are 4 KB aligned.
///
/// ```text
///   X:  … 11 10  9  8  7  6  5 …       6′ = 6 ⊕ 9 ⊕ 10   rows 1 and 2 of four: runs of 64 bytes trade places
///            └──┴────────⊕
///   Y:  … 11 10  9  8  7  6  5 …       6′ = 6 ⊕ 9        odd columns of 16 bytes: groups of four rows do
///               └────────⊕
/// ```
///
/// Source: surface reference 3.1, "Bit-6 swizzling".
pub fn swizzle_bit6(tiling: Tiling, offset: u64) -> u64 {
    match tiling {
        Tiling::X => offset ^ ((offset >> 9 ^ offset >> 10) & 1) << 6,
        Tiling::Y => offset ^ (offset >> 9 & 1) << 6,
        _ => offset,
    }
}
