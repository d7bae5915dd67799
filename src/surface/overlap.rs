//! Planes of a planar surface that share bytes: the state says where each begins, and nothing keeps them apart.
//!
//! ```text
//!   linear: rows in order, one plane against another     tiled: the same place inside the same tile
//!     luma    ├──────┤   ├──────┤   ├──────┤               ┌────────┐ ┌────────┐
//!     chroma          ├──┤       ├──┤                      │luma    │ │        │
//!             no byte is in two of them                    │   ┌────┼─┼───┐    │   chroma of half the pitch
//!                                                          └───┼────┘ └───┼────┘   has tiles in other places
//! ```
//!
//! Source: surface reference 3.1, 3.8.

use super::{BytePosition, Description, Invalid, Tiled, Tiling};
use crate::diagnostic::Code;

/// A plane as its bytes lie: columns in bytes, rows, and how they follow one another.
struct Extent {
    /// First byte of the memory that its rows are counted from.
    base: u64,
    /// First column and the column after the last.
    x: (u64, u64),
    /// First row.
    y: u64,
    rows: u64,
    /// From row to row: 2 where lines are skipped.
    step: u64,
    pitch: u64,
}

impl Extent {
    fn new(part: &Description) -> Extent {
        let texel = u64::from(part.format.bits) / 8;
        let x = u64::from(part.x_offset) * texel;
        Extent {
            base: part.base,
            x: (x, x + u64::from(part.width) * texel),
            y: u64::from(part.line_stride.row(0)) + u64::from(part.y_offset),
            rows: u64::from(part.height),
            step: 1 + u64::from(part.line_stride.skips()),
            pitch: u64::from(part.pitch),
        }
    }

    /// The bytes of row `row` of a linear plane.
    fn row(&self, row: u64) -> (u64, u64) {
        let start = self.base + (self.y + row * self.step) * self.pitch;
        (start + self.x.0, start + self.x.1)
    }

    /// The row in memory after its last.
    fn end(&self) -> u64 {
        self.y + (self.rows.saturating_sub(1)) * self.step + 1
    }
}

/// A row of one plane, a row of the other, and the byte that both have.
type Shared = (u64, u64, u64);

/// The first byte that two linear planes share. Rows of each lie in order and do not overlap one another.
fn linear(a: &Extent, b: &Extent) -> Option<Shared> {
    let (mut i, mut j) = (0, 0);
    while i < a.rows && j < b.rows {
        let (one, two) = (a.row(i), b.row(j));
        if one.1 <= two.0 {
            i += 1;
        } else if two.1 <= one.0 {
            j += 1;
        } else {
            return Some((i, j, one.0.max(two.0)));
        }
    }
    None
}

/// The first byte that two tiled planes share: tile by tile of `b`, where it lies among the tiles of `a`.
fn tiled((tiling, bit6): (Tiling, bool), a: &Extent, b: &Extent) -> Option<Shared> {
    let (width, height) = tiling.tile(8)?;
    let (w, h) = (u64::from(width), u64::from(height));
    let (across_a, across_b) = ((a.pitch / w).max(1), (b.pitch / w).max(1));
    for ty in b.y / h..b.end().div_ceil(h) {
        for tx in b.x.0 / w..b.x.1.div_ceil(w) {
            let tile = ty * across_b + tx;
            let (ax, ay) = (tile % across_a * w, tile / across_a * h);
            // Columns and rows inside the tile.
            let inside = |first: u64, end: u64, at: u64, most: u64| {
                (first.saturating_sub(at), end.saturating_sub(at).min(most))
            };
            let columns = (inside(a.x.0, a.x.1, ax, w), inside(b.x.0, b.x.1, tx * w, w));
            let rows = (inside(a.y, a.end(), ay, h), inside(b.y, b.end(), ty * h, h));
            let x = columns.0.0.max(columns.1.0);
            let first = rows.0.0.max(rows.1.0);
            let end = rows.0.1.min(rows.1.1);
            // Tiles have an even number of rows, so that rows that are skipped stay so from tile to tile.
            let both = (first..end.min(first + 2)).find(|y| {
                (ay + y - a.y).is_multiple_of(a.step) && (ty * h + y - b.y).is_multiple_of(b.step)
            });
            if let (Some(y), true) = (both, x < columns.0.1.min(columns.1.1)) {
                let pitch = u32::try_from(a.pitch).ok()?;
                let at = BytePosition {
                    column: u32::try_from(ax + x).ok()?,
                    row: u32::try_from(ay + y).ok()?,
                };
                let tiled = Tiled {
                    tiling,
                    element_bits: 8,
                    pitch,
                    bit6,
                };
                let byte = a.base + tiled.offset(at);
                return Some(((ay + y - a.y) / a.step, (ty * h + y - b.y) / b.step, byte));
            }
        }
    }
    None
}

impl Description {
    /// The remark on planes that share bytes: the hardware reads them all the same. The pitch is filled in.
    pub fn shared_planes(&self) -> Option<Invalid> {
        let planes: Vec<(u32, Extent)> = (0..3)
            .filter_map(|number| Some((number, Extent::new(&self.plane(number)?))))
            .collect();
        let name = |number: u32| match number {
            0 => "luma".to_string(),
            number => format!("chroma plane {number}"),
        };
        for (at, (first, a)) in planes.iter().enumerate() {
            for (second, b) in &planes[at + 1..] {
                let shared = match self.tiling {
                    Tiling::Linear => linear(a, b),
                    tiling => tiled((tiling, self.bit6_swizzle), a, b),
                };
                let Some((row, other, byte)) = shared else {
                    continue;
                };
                let what = format!(
                    "row {row} of {} and row {other} of {} share byte {:#x} of the surface",
                    name(*first),
                    name(*second),
                    byte - self.base
                );
                return Some(Invalid::new(Code::W0759, what));
            }
        }
        None
    }
}
