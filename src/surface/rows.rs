//! Texels as plain rows: the order of a raw file, without pitch, tiling or padding.
//!
//! ```text
//!   plane 0: slice 0: row 0, row 1, …   slice 1: …      next plane: …
//! ```
//!
//! Planes follow one another as they lie in memory: of YV12 V comes before U.
//! The whole surface stands for the most detailed level it shows; any level, slice or sample can be asked
//! for by [`Image`]. A row of a block-compressed format is a row of blocks, one of a buffer its elements.

use super::{CellAddress, Kind, Surface, TexelPosition};
use crate::base::order;

/// One of the images that a surface holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Image {
    /// Mip level, from the most detailed one that the surface shows.
    pub level: u32,
    /// Array slice, face or 3D slice.
    pub slice: u32,
    /// Sample.
    pub sample: u32,
}

/// A row of cells of an image.
struct Row {
    image: Image,
    y: u32,
}

impl Surface {
    /// The planes of a planar surface in the order of their memory; itself for any other.
    fn planes(&self) -> Vec<Surface> {
        let mut planes: Vec<_> = (0..3).map_while(|n| self.plane(n)).collect();
        order::sort_by_key(&mut planes, |plane| {
            let d = plane.description();
            (d.base, d.y_offset, d.x_offset)
        });
        planes
    }

    /// Texels across and down of a level counted from the most detailed one shown, and its slices (array,
    /// faces or 3D).
    pub fn level_size(&self, level: u32) -> (u32, u32, u32) {
        let d = self.description();
        let size = |n: u32| {
            n.checked_shr(d.min_lod.saturating_add(level))
                .unwrap_or(0)
                .max(1)
        };
        match d.kind {
            Kind::Null => (0, 0, 0),
            Kind::Buffer => (d.width, 1, 1),
            Kind::D3 => (size(d.width), size(d.height), size(d.depth)),
            Kind::D1 | Kind::D2 | Kind::Cube => (size(d.width), size(d.height), d.slices()),
        }
    }

    /// Every image: level by level, slice by slice, sample by sample. None of a null surface.
    pub fn images(&self) -> impl Iterator<Item = Image> + use<'_> {
        let d = self.description();
        let levels = if d.kind == Kind::Buffer { 1 } else { d.levels };
        (0..levels).flat_map(move |level| {
            let slices = 0..self.level_size(level).2;
            slices.flat_map(move |slice| {
                let samples = 0..d.samples;
                samples.map(move |sample| Image {
                    level,
                    slice,
                    sample,
                })
            })
        })
    }

    /// Whether there is such an image.
    pub fn has_image(&self, image: Image) -> bool {
        let d = self.description();
        let levels = match d.kind {
            Kind::Null => 0,
            Kind::Buffer => 1,
            _ => d.levels,
        };
        image.level < levels
            && image.slice < self.level_size(image.level).2
            && image.sample < d.samples
    }

    /// Cells across and rows of cells down of a level.
    fn cells(&self, level: u32) -> (u32, u32) {
        let cell = self.description().format.cell();
        let (width, height, _) = self.level_size(level);
        match cell.bytes {
            0 => (width, height.min(1)),
            _ if self.kind() == Kind::Buffer => (width, 1),
            _ => (width.div_ceil(cell.across), height.div_ceil(cell.down)),
        }
    }

    /// Bytes of one row in plain order; of the first plane if planar.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes_of(0)
    }

    /// Bytes of one row of a level, as [`Surface::row_bytes`].
    pub fn row_bytes_of(&self, level: u32) -> usize {
        match self.format().is_planar() {
            true => self.plane(0).map_or(0, |luma| luma.row_bytes_of(level)),
            false => self.cells(level).0 as usize * self.format().cell().bytes.max(1) as usize,
        }
    }

    /// Bytes of all texels in plain order.
    pub fn plain_bytes(&self) -> usize {
        let one = |part: &Surface| {
            let slices = part.level_size(0).2 as usize;
            part.image_bytes(0) * slices
        };
        self.planes().iter().map(one).sum()
    }

    /// Bytes of one image of a level; of the first plane if planar.
    pub fn image_bytes(&self, level: u32) -> usize {
        self.row_bytes_of(level) * self.cells(level).1 as usize
    }

    /// All texels in plain order.
    pub fn to_rows(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.plain_bytes()];
        let mut rest = &mut bytes[..];
        for part in self.planes() {
            for slice in 0..part.level_size(0).2 {
                let size = part.image_bytes(0).min(rest.len());
                let (head, tail) = std::mem::take(&mut rest).split_at_mut(size);
                let image = Image {
                    slice,
                    ..Image::default()
                };
                part.read_image(image, head);
                rest = tail;
            }
        }
        bytes
    }

    /// Sets all texels from bytes in plain order; what is missing at the end stays as it was.
    pub fn set_rows(&self, bytes: &[u8]) {
        let mut rest = bytes;
        for part in self.planes() {
            for slice in 0..part.level_size(0).2 {
                let (head, tail) = rest.split_at(part.image_bytes(0).min(rest.len()));
                let image = Image {
                    slice,
                    ..Image::default()
                };
                part.set_image(image, head);
                rest = tail;
            }
        }
    }

    /// The rows of one image, which is there; of the first plane if planar.
    pub fn image(&self, image: Image) -> Vec<u8> {
        let mut bytes = vec![0; self.image_bytes(image.level)];
        match self.plane(0) {
            Some(part) if self.format().is_planar() => part.read_image(image, &mut bytes),
            _ => self.read_image(image, &mut bytes),
        }
        bytes
    }

    /// Sets the rows of one image, which is there; what is missing at the end stays as it was.
    pub fn set_image(&self, image: Image, bytes: &[u8]) {
        let pitch = self.row_bytes_of(image.level).max(1);
        let rows = 0..self.cells(image.level).1;
        for (y, row) in rows.zip(bytes.chunks(pitch)) {
            self.write_plain_row(&Row { image, y }, row);
        }
    }

    fn read_image(&self, image: Image, out: &mut [u8]) {
        let pitch = self.row_bytes_of(image.level).max(1);
        let rows = 0..self.cells(image.level).1;
        for (y, row) in rows.zip(out.chunks_mut(pitch)) {
            self.read_plain_row(&Row { image, y }, row);
        }
    }

    /// The place of a row's first cell, and the distance of its cells in bytes.
    fn row_start(&self, row: &Row) -> (CellAddress, u32) {
        let d = self.description();
        let cell = d.format.cell();
        if d.kind == Kind::Buffer {
            let start = CellAddress {
                x: 0,
                y: 0,
                in_x: 0,
                in_y: 0,
            };
            return (start, d.pitch);
        }
        let (level, image) = (d.min_lod + row.image.level, row.image);
        let y = row.y * cell.down;
        (
            self.place(TexelPosition {
                level,
                slice: image.slice,
                x: 0,
                y,
                sample: image.sample,
            }),
            cell.bytes,
        )
    }

    fn read_plain_row(&self, row: &Row, out: &mut [u8]) {
        let (start, step) = self.row_start(row);
        let size = self.format().cell().bytes.max(1);
        if self.is_plain_run(step, size) {
            self.memory().read(self.address(start.x, start.y), out);
            return;
        }
        for (place, out) in cells_of(start, step).zip(out.chunks_mut(size as usize)) {
            let bytes = self.read_cell(place);
            out.copy_from_slice(&bytes[..out.len()]);
        }
    }

    fn write_plain_row(&self, row: &Row, bytes: &[u8]) {
        let (start, step) = self.row_start(row);
        let size = self.format().cell().bytes.max(1);
        if self.is_plain_run(step, size) {
            self.memory().write(self.address(start.x, start.y), bytes);
            return;
        }
        for (place, bytes) in cells_of(start, step).zip(bytes.chunks(size as usize)) {
            self.write_cell(place, bytes);
        }
    }

    /// Whether a row is one run of bytes in memory.
    fn is_plain_run(&self, step: u32, size: u32) -> bool {
        self.description().tiling == super::Tiling::Linear && step == size
    }
}

fn cells_of(start: CellAddress, step: u32) -> impl Iterator<Item = CellAddress> {
    (0..).map(move |i| CellAddress {
        x: start.x + i * step,
        ..start
    })
}
