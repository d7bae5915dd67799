//! Texels as plain rows: the order of a raw file, without pitch, tiling or padding.
//!
//! ```text
//!   plane 0: slice 0: row 0, row 1, …   slice 1: …      plane 1: …
//! ```
//!
//! Level 0 (the most detailed one the surface shows) only. A row of a block-compressed format is a row of
//! blocks, one of a buffer its elements.

use super::{Kind, Place, Surface};

/// A row of cells: a plane's slice and row, and where its bytes stand in the plain order.
struct Row {
    slice: u32,
    y: u32,
}

impl Surface {
    /// The planes of a planar surface; itself for any other.
    fn planes(&self) -> Vec<Surface> {
        (0..3).map_while(|n| self.plane(n)).collect()
    }

    /// Cells across and rows of cells down, at the most detailed level, and slices (array or 3D).
    fn cells(&self) -> (u32, u32, u32) {
        let d = self.description();
        let cell = d.format.cell();
        match d.kind {
            Kind::Null => (0, 0, 0),
            _ if cell.bytes == 0 => (d.width, 1, 1),
            Kind::Buffer => (d.width, 1, 1),
            kind => {
                let size = |n: u32| (n >> d.min_lod).max(1);
                let slices = if kind == Kind::D3 {
                    size(d.depth)
                } else {
                    d.slices()
                };
                (
                    size(d.width).div_ceil(cell.across),
                    size(d.height).div_ceil(cell.down),
                    slices,
                )
            }
        }
    }

    /// Bytes of one row in plain order; of the first plane if planar.
    pub fn row_bytes(&self) -> usize {
        match self.format().is_planar() {
            true => self.plane(0).map_or(0, |luma| luma.row_bytes()),
            false => self.cells().0 as usize * self.format().cell().bytes.max(1) as usize,
        }
    }

    /// Bytes of all texels in plain order.
    pub fn plain_bytes(&self) -> usize {
        let one = |part: &Surface| {
            let (_, rows, slices) = part.cells();
            part.row_bytes() * rows as usize * slices as usize
        };
        self.planes().iter().map(one).sum()
    }

    /// All texels in plain order.
    pub fn to_rows(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.plain_bytes()];
        let mut rest = &mut bytes[..];
        for part in self.planes() {
            part.each_row(|row| {
                let (head, tail) = std::mem::take(&mut rest).split_at_mut(part.row_bytes());
                part.read_plain_row(row, head);
                rest = tail;
            });
        }
        bytes
    }

    /// Sets all texels from bytes in plain order; what is missing at the end stays as it was.
    pub fn set_rows(&self, bytes: &[u8]) {
        let mut rest = bytes;
        for part in self.planes() {
            part.each_row(|row| {
                let (head, tail) = rest.split_at(part.row_bytes().min(rest.len()));
                part.write_plain_row(row, head);
                rest = tail;
            });
        }
    }

    fn each_row(&self, mut row: impl FnMut(&Row)) {
        let (_, rows, slices) = self.cells();
        for slice in 0..slices {
            for y in 0..rows {
                row(&Row { slice, y });
            }
        }
    }

    /// The place of a row's first cell, and the distance of its cells in bytes.
    fn row_start(&self, row: &Row) -> (Place, u32) {
        let d = self.description();
        let cell = d.format.cell();
        if d.kind == Kind::Buffer {
            return (
                Place {
                    x: 0,
                    y: 0,
                    in_x: 0,
                    in_y: 0,
                },
                d.pitch,
            );
        }
        (
            self.place(d.min_lod, row.slice, 0, row.y * cell.down, 0),
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

fn cells_of(start: Place, step: u32) -> impl Iterator<Item = Place> {
    (0..).map(move |i| Place {
        x: start.x + i * step,
        ..start
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Description, Format, Surface, Tiling};
    use pretty_assertions::assert_eq;

    #[test]
    fn plain_rows_survive_pitch_tiling_slices_and_planes() {
        for description in [
            Description {
                pitch: 64,
                ..Description::d2(Format::R8_UNORM, 33, 5)
            },
            Description {
                tiling: Tiling::Y,
                ..Description::d2_array(Format::R16G16B16A16_FLOAT, 33, 5, 3)
            },
            Description {
                tiling: Tiling::X,
                ..Description::d2(Format::PLANAR_420_8, 34, 6)
            },
            Description {
                min_lod: 1,
                levels: 2,
                ..Description::d3(Format::R8_UNORM, 9, 8, 5)
            },
            Description {
                pitch: 12,
                ..Description::buffer(Format::R32_UINT, 7)
            },
            Description::d2(Format::named("BC1_UNORM").unwrap(), 9, 9),
            Description::d2(Format::YCRCB_SWAPY, 6, 2),
            Description::d1(Format::RAW, 1).kind_buffer(10),
        ] {
            let surface = Surface::zeroed(description).unwrap();
            let bytes: Vec<u8> = (1..=surface.plain_bytes()).map(|i| i as u8).collect();
            surface.set_rows(&bytes);
            assert_eq!(surface.to_rows(), bytes, "{}", surface.format());
        }
        let nv12 = Surface::zeroed(Description::d2(Format::PLANAR_420_8, 4, 2)).unwrap();
        assert_eq!((nv12.row_bytes(), nv12.plain_bytes()), (4, 12));
        assert!(Surface::null().to_rows().is_empty());
    }

    impl Description {
        fn kind_buffer(self, width: u32) -> Description {
            Description {
                kind: super::Kind::Buffer,
                width,
                ..self
            }
        }
    }
}
