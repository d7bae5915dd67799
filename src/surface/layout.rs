//! Where images lie inside a surface: mip levels, array slices, cube faces, 3D slices, samples. Pure
//! arithmetic on sizes; positions are in *elements* (texels, or blocks of a block-compressed format), which
//! [`super::tiling`] turns into bytes.
//!
//! ```text
//!   layout BELOW                 layout RIGHT               3D up to Gen8
//!   ┌───────────────┐            ┌───────────────┬───────┐  ┌────┐ level 0, slices below each other
//!   │ level 0       │            │ level 0       │ 1     │  ┊    ┊
//!   │               │            │               ├───┬───┘  ├──┬─┴┐ level 1, two slices side by side
//!   ├───────┬───┬───┘            │               │ 2 │      ┊  ┊  ┊
//!   │ 1     │ 2 │                └───────────────┴───┘      ├─┬┴┬─┼─┐ level 2, four
//!   └───────┼──┬┘  slice s starts s·QPitch rows down        └─┴─┴─┴─┘
//! ```
//!
//! Source: surface reference 3.2 to 3.7.

use super::{Generation, Kind, MipLayout, SampleStorage};
use crate::isa::generations::ArraySpacing;

/// What [`Layout::new`] needs to know. Sizes are those of level 0; all at least 1.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Whose rules.
    pub generation: Generation,
    /// Dimensions.
    pub kind: Kind,
    /// Rows of a tile; 1 for linear surfaces.
    pub tile_rows: u32,
    /// Texels of a block.
    pub block: (u32, u32),
    /// Texels across, down, and deep (3D), or the number of slices (arrays; faces of cubes).
    pub size: (u32, u32, u32),
    /// Levels in memory.
    pub levels: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Where samples lie.
    pub storage: SampleStorage,
    /// Alignment unit (i, j): texels, or blocks for compressed formats on Gen9.
    pub align: (u32, u32),
    /// Levels below or to the right.
    pub mips: MipLayout,
    /// Distance of slices in element rows, where the state gives one.
    pub qpitch: Option<u32>,
}

/// One mip level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Texels deep: 1 unless 3D.
    pub depth: u32,
    /// Column of slice 0, elements.
    pub x: u32,
    /// Row of slice 0, elements.
    pub y: u32,
    /// Grid of slices up to Gen8 in 3D: columns, and size of a cell in elements.
    grid: Option<(u32, u32, u32)>,
}

/// Positions of all images of a surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// From level 0 on.
    pub levels: Vec<Level>,
    /// From one slice to the next: elements across and down; 0 where the grid holds the slices.
    pub slice: (u32, u32),
    /// Size of everything, in elements.
    pub extent: (u64, u64),
    /// Everything lies in one row, levels and slices: linear 1D on Gen9.
    pub in_a_row: bool,
    /// The least distance at which slices share no texel, in elements along [`Layout::slice`]; 0 in a grid.
    pub apart: u32,
}

impl Layout {
    /// Places every image.
    ///
    /// Sizes are limited by the caller (16384 across and down, 2048 deep, 16 samples), so that nothing
    /// here overflows.
    pub fn new(shape: &Shape) -> Layout {
        let physical = shape.physical_size();
        let sizes: Vec<_> = (0..shape.levels.max(2))
            .map(|l| shape.padded(physical, l))
            .collect();
        let (w, h) = (|l: usize| sizes[l].0, |l: usize| sizes[l].1);
        let count = shape.levels as usize;
        let in_a_row =
            shape.generation.pads_elements && shape.kind == Kind::D1 && shape.tile_rows == 1;
        let grid = match shape.kind {
            Kind::D3 => shape.generation.volumes_in_grid,
            Kind::Cube => shape.generation.cubes_in_grid,
            _ => false,
        };

        let mut levels = Vec::with_capacity(count);
        let (mut x, mut y) = (0, 0);
        let (mut extent, mut apart) = ((0, 0), 0);
        for l in 0..count {
            let depth = shape.depth_of(l as u32);
            let columns = if grid { depth.min(1 << l) } else { 1 };
            let (dx, dy) = shape.texels(l as u32);
            levels.push(Level {
                width: dx,
                height: dy,
                depth: if shape.kind == Kind::D3 { depth } else { 1 },
                x,
                y,
                grid: grid.then_some((columns, w(l), h(l))),
            });
            // Padding may be shared, texels may not.
            let bare = shape.bare(physical, l as u32);
            apart = match (grid, in_a_row) {
                (true, _) => 0,
                (false, true) => apart.max(x + bare.0),
                (false, false) => apart.max(y + bare.1),
            };
            let rows = if grid { depth.div_ceil(columns) } else { 1 };
            extent.0 = extent
                .0
                .max(u64::from(x) + u64::from(columns) * u64::from(w(l)));
            extent.1 = extent
                .1
                .max(u64::from(y) + u64::from(rows) * u64::from(h(l)));
            // The place of the next level.
            (x, y) = if grid {
                (0, y + h(l) * depth.div_ceil(1 << l))
            } else if in_a_row {
                (x + align_to(dx, 64), 0)
            } else {
                match (shape.mips, l) {
                    (MipLayout::Below, 0) => (0, h(0)),
                    (MipLayout::Below, 1) => (w(1), h(0)),
                    (MipLayout::Right, 0) => (w(0), 0),
                    (_, _) => (x, y + h(l)),
                }
            };
        }

        let slices = match shape.kind {
            Kind::D3 => shape.size.2,
            _ if shape.storage == SampleStorage::Array => shape.size.2 * shape.samples,
            _ => shape.size.2,
        };
        let block_h = shape.block.1;
        let distance = match (shape.qpitch, shape.generation.array_spacing) {
            (Some(rows), _) => rows,
            // Full spacing: surface reference 3.5. In texel rows, then in element rows.
            (None, ArraySpacing::Full) => h(0) + h(1) + 11 * shape.align.1.div_ceil(block_h),
            (None, ArraySpacing::FullOfLevels) if shape.levels > 1 => {
                h(0) + h(1) + 12 * shape.align.1.div_ceil(block_h)
            }
            // LOD 0 spacing of Gen7 for one level; later the state says, and drivers pack.
            (None, _) if in_a_row => extent.0 as u32,
            // Gen9, tiled: slices of 3D surfaces start at a row of tiles (3.6).
            (None, _) if shape.kind == Kind::D3 => align_to(extent.1 as u32, shape.tile_rows),
            (None, _) => extent.1 as u32,
        };
        let slice = match (grid, in_a_row) {
            (true, _) => (0, 0),
            (false, true) => (distance, 0),
            (false, false) => (0, distance),
        };
        extent.0 += u64::from(slice.0) * u64::from(slices - 1);
        extent.1 += u64::from(slice.1) * u64::from(slices - 1);
        Layout {
            levels,
            slice,
            extent,
            in_a_row,
            apart,
        }
    }

    /// Upper left element of an image: a level's array slice, cube face, sample slice or 3D slice.
    ///
    /// # Panics
    /// If there is no such level.
    #[inline]
    pub fn image(&self, level: usize, slice: u32) -> (u32, u32) {
        let l = &self.levels[level];
        match l.grid {
            Some((columns, w, h)) => (l.x + w * (slice % columns), l.y + h * (slice / columns)),
            None => (l.x + slice * self.slice.0, l.y + slice * self.slice.1),
        }
    }
}

impl Shape {
    /// Level 0 as stored: interleaved samples make the image larger. Source: surface reference 3.7.
    fn physical_size(&self) -> (u32, u32) {
        let (width, height, _) = self.size;
        if self.storage != SampleStorage::Interleaved {
            return (width, height);
        }
        let (sx, sy) = sample_scale(self.samples);
        let scaled = |n: u32, by| if by > 1 { align_to(n, 2) * by } else { n };
        (scaled(width, sx), scaled(height, sy))
    }

    /// Size of a level in texels.
    fn texels(&self, level: u32) -> (u32, u32) {
        ((self.size.0 >> level).max(1), (self.size.1 >> level).max(1))
    }

    fn depth_of(&self, level: u32) -> u32 {
        if self.kind == Kind::D3 {
            (self.size.2 >> level).max(1)
        } else {
            self.size.2
        }
    }

    /// Size of a level in elements, without padding.
    fn bare(&self, physical: (u32, u32), level: u32) -> (u32, u32) {
        let size = |size: u32, block: u32| (size >> level).max(1).div_ceil(block);
        (
            size(physical.0, self.block.0),
            size(physical.1, self.block.1),
        )
    }

    /// Size of a level in elements, padded to the alignment unit. Source: surface reference 3.2.
    fn padded(&self, physical: (u32, u32), level: u32) -> (u32, u32) {
        let pad = |size: u32, unit: u32, block: u32| {
            let size = (size >> level).max(1);
            if self.generation.pads_elements {
                align_to(size.div_ceil(block), unit)
            } else {
                align_to(size, unit).div_ceil(block)
            }
        };
        (
            pad(physical.0, self.align.0, self.block.0),
            pad(physical.1, self.align.1, self.block.1),
        )
    }
}

/// The smallest multiple of `unit` that is not below `value`.
pub const fn align_to(value: u32, unit: u32) -> u32 {
    value.div_ceil(unit) * unit
}

/// How much interleaved samples widen and heighten an image. Source: surface reference 3.7.
pub const fn sample_scale(samples: u32) -> (u32, u32) {
    match samples {
        2 => (2, 1),
        4 => (2, 2),
        8 => (4, 2),
        16 => (4, 4),
        _ => (1, 1),
    }
}

/// Where sample `s` of pixel (x, y) lies in an interleaved image.
///
/// Pixels go in 2×2 groups; inside a group every pixel keeps its corner and samples spread over copies of
/// the group. With four samples:
///
/// ```text
///    x′ bits  … x1 | s0 | x0         y′ bits  … y1 | s1 | y0
/// ```
///
/// Source: surface reference 3.7.
pub const fn interleave_sample(samples: u32, x: u32, y: u32, s: u32) -> (u32, u32) {
    let x2 = (x & !1) << 1 | (s & 1) << 1 | x & 1;
    let x4 = (x & !1) << 2 | s & 4 | (s & 1) << 1 | x & 1;
    let y2 = (y & !1) << 1 | s & 2 | y & 1;
    match samples {
        2 => (x2, y),
        4 => (x2, y2),
        8 => (x4, y2),
        16 => (x4, (y & !1) << 2 | (s & 8) >> 1 | s & 2 | y & 1),
        _ => (x, y),
    }
}

/// The stored slice that holds sample `s`, from the control word of a pixel; `None` if the word says that
/// the whole pixel has the clear colour.
///
/// ```text
///   control word 0x1a of four samples         the pixel in each slice
///   sample    3   2   1   0                   ┌────────┬───────┬──────────┬───┐
///   field    00  01  10  10                   │ 3      │ 2     │ 0 and 1  │ - │  samples
///                                             └────────┴───────┴──────────┴───┘
///   slice of sample s = control >> 2s & 3       slice 0    1        2       3
/// ```
///
/// Fields from the low end: 1 bit each for 2 samples, 2 for 4, 4 for 8 and 16; all bits set means clear.
/// The field width for 8 samples is a model choice (32 bits / 8). Source: surface reference 3.7.
pub const fn stored_slice(samples: u32, control: u64, s: u32) -> Option<u32> {
    let width = match samples {
        2 => 1,
        4 => 2,
        _ => 4,
    };
    let all = if width * samples >= 64 {
        u64::MAX
    } else {
        (1 << (width * samples)) - 1
    };
    if control & all == all {
        return None;
    }
    let field = control >> (width * s) & ((1 << width) - 1);
    Some(field as u32)
}
