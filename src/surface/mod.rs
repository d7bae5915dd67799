//! Surfaces: what a kernel's `T` variables stand for. Formats, memory layout, state, files.
//!
//! A [`Surface`] is a [`Description`] that has been checked, with the [`Memory`] that backs it. Whoever holds a
//! surface may ask for any texel inside it and needs no further check:
//!
//! * [`format`](mod@format): the format table. * [`texel`], [`channels`]: bits to numbers and back.
//! * [`tiling`]: byte column and row to address. * [`layout`]: levels, slices, samples to rows.
//! * [`description`]: sizes and switches. * [`rules`], [`combinations`],
//!   [`units`], [`fixes`]: what they obey. * [`planes`], [`overlap`]: planar video.
//! * [`state`]: packed surface states. * [`file`](mod@file): pictures, textures and raw files.
//!
//! Not here: what a message does with a surface. That is `sampler` and `dataport`.

pub mod block;
pub mod channels;
pub mod combinations;
pub mod description;
pub mod file;
pub mod fixes;
pub mod float;
pub mod format;
pub mod invalid;
pub mod layout;
pub mod ledger;
pub mod memory;
pub mod overlap;
pub mod pattern;
pub mod picture;
pub mod planes;
pub mod refused;
pub mod rows;
pub mod rules;
pub mod sampled;
pub mod state;
pub mod texel;
pub mod texture;
pub mod tiling;
pub mod units;

pub use crate::isa::Generation;
pub use description::{Description, Kind, LineStride, MipLayout, SampleStorage};
pub use format::Format;
pub use invalid::Invalid;
pub use ledger::Ledger;
pub use memory::Memory;
pub use pattern::Pattern;
pub use picture::Picture;
pub use planes::Planes;
pub use refused::Refused;
pub use rows::Image;
pub use rules::MAX_BYTES;
pub use sampled::{Sampled, Select};
pub use tiling::{BytePosition, Tiled, Tiling};

use std::sync::Arc;

use crate::diagnostic::Code;
use format::Cell;
use layout::{Layout, interleave_sample};
use texel::Decoder;

/// A surface: a checked description, and the memory that backs it.
///
/// Cloning shares the memory.
#[derive(Clone, Debug)]
pub struct Surface {
    description: Description,
    cell: Cell,
    layout: Layout,
    memory: Arc<Memory>,
    /// The byte of memory after the last.
    end: u64,
    contiguous: bool,
    decoder: Option<Decoder>,
}

/// A texel of an image, as messages count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelPosition {
    /// Mip level.
    pub level: u32,
    /// Array slice, cube face or 3D slice.
    pub slice: u32,
    /// Column, in texels.
    pub x: u32,
    /// Row, in texels.
    pub y: u32,
    /// Sample of the texel.
    pub sample: u32,
}

/// Where the cell of a texel lies: byte column and row before tiling, and the texel inside the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAddress {
    /// Byte column of the cell's first byte.
    pub x: u32,
    /// Row of elements.
    pub y: u32,
    /// Column of the texel inside its cell.
    pub in_x: u32,
    /// Row of the texel inside its cell.
    pub in_y: u32,
}

/// Bytes of a cell, of which the first [`Cell::bytes`] count.
pub type CellBytes = [u8; 32];

/// Bytes of a buffer's elements of 16 bytes that are made where its own elements are smaller.
const MOST_OWORDS: u64 = 64 << 20;

impl Surface {
    /// Checks a description against the rules and against the size of its memory.
    ///
    /// A pitch of 0 becomes the smallest legal one; ask [`Surface::description`] for it.
    ///
    /// # Errors
    /// [`Invalid`] names the rule that is broken, with the values at hand.
    pub fn new(description: Description, memory: Arc<Memory>) -> Result<Surface, Invalid> {
        Surface::over(description.resolve()?, memory)
    }

    /// A surface of a description that has been checked, over its memory.
    fn over(
        (description, layout): (Description, Layout),
        memory: Arc<Memory>,
    ) -> Result<Surface, Invalid> {
        let needed = description.end(&layout)?;
        if needed > memory.len() as u64 {
            let what = format!(
                "the surface ends at byte {needed} and its memory has {} bytes",
                memory.len()
            );
            let help = format!("memory of {needed} bytes, or a smaller surface");
            let short = Invalid::new(Code::E0747, what);
            return Err(short.fix(&["memory", "size", "pitch"], help));
        }
        let cell = description.format.cell();
        let contiguous =
            description.tiling == Tiling::Linear || matches!(cell.bytes, 1 | 2 | 4 | 8 | 16);
        let decoder = Decoder::new(description.format, description.palette.as_ref());
        Ok(Surface {
            description,
            cell,
            layout,
            memory,
            end: needed,
            contiguous,
            decoder,
        })
    }

    /// The byte of memory after its last one.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// A surface with fresh memory of just the size it needs, filled with zero. Where messages hold the elements of a
    /// buffer for 16 bytes each, it has so many.
    ///
    /// # Errors
    /// As [`Surface::new`].
    pub fn zeroed(description: Description) -> Result<Surface, Invalid> {
        let (resolved, layout) = description.clone().resolve()?;
        let mut bytes = resolved.end(&layout)?;
        let owords = resolved.owords_end();
        if owords <= MOST_OWORDS {
            bytes = bytes.max(owords);
        }
        let memory = Memory::allot(bytes as usize)?;
        Surface::new(description, Arc::new(memory))
    }

    /// Checks a description against every rule that needs no memory, and allocates none: the byte after
    /// its last one.
    ///
    /// # Errors
    /// As [`Surface::new`].
    pub fn check(description: Description) -> Result<u64, Invalid> {
        let (description, layout) = description.resolve()?;
        description.end(&layout)
    }

    /// Every rule that a description breaks, memory apart; of pitch and size of the whole the first.
    pub fn broken(description: Description) -> Vec<Invalid> {
        description.broken()
    }

    /// The null surface: reads give 0 in every channel, writes are dropped.
    ///
    /// Source: surface reference 4.14, "Null surface".
    pub fn null() -> Surface {
        Surface::zeroed(Description::null()).expect("a null surface has nothing to check")
    }

    /// The checked description, with its pitch filled in.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.description.format
    }

    /// What kind of surface.
    pub fn kind(&self) -> Kind {
        self.description.kind
    }

    /// Positions of its images, in elements.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The decoder of its format; `None` as [`Decoder::new`].
    pub fn decoder(&self) -> Option<&Decoder> {
        self.decoder.as_ref()
    }

    /// The memory that backs it, which other surfaces may share.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Whether a cell is one run of bytes in memory.
    pub fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// Address of byte column `x` in row `y`, tiling and base included.
    #[inline]
    pub fn address(&self, x: u32, y: u32) -> usize {
        let d = &self.description;
        let tiled = Tiled {
            tiling: d.tiling,
            element_bits: u32::from(d.format.bits),
            pitch: d.pitch,
            bit6: d.bit6_swizzle,
        };
        let offset = tiled.offset(BytePosition { column: x, row: y });
        d.base as usize + offset as usize
    }

    /// The cell of texel (x, y) of an image, all inside the surface.
    ///
    /// * `level`: counted in memory, so the state's minimum LOD is already added.
    /// * `slice`: array slice, cube face or 3D slice, counted from the minimum array element.
    ///
    /// Source: surface reference 3.9.
    ///
    /// # Panics
    /// If there is no such level. Other coordinates outside lead to some other texel, or to a panic in
    /// [`Memory`].
    #[inline]
    pub fn place(&self, texel: TexelPosition) -> CellAddress {
        let TexelPosition {
            level,
            slice,
            x,
            y,
            sample,
        } = texel;
        let d = &self.description;
        if d.kind == Kind::Buffer {
            return CellAddress {
                x: x * d.pitch,
                y: 0,
                in_x: 0,
                in_y: 0,
            };
        }
        let (mut x, mut y, mut slice) = (x, y, slice + d.min_array_element);
        match d.storage {
            SampleStorage::Interleaved => (x, y) = interleave_sample(d.samples, x, y, sample),
            SampleStorage::Array => slice = slice * d.samples + sample,
        }
        let (image_x, image_y) = self.layout.image(level as usize, slice);
        let (x, y, in_x, in_y) = if d.format.is_compressed() {
            let (w, h) = (self.cell.across, self.cell.down);
            (image_x + x / w, image_y + y / h, x % w, y % h)
        } else {
            (image_x + x, image_y + y, 0, 0)
        };
        let y = d.line_stride.row(y) + d.y_offset;
        let x = x + d.x_offset;
        if d.format.is_compressed() {
            CellAddress {
                x: x * self.cell.bytes,
                y,
                in_x,
                in_y,
            }
        } else {
            let inside = x % self.cell.across;
            CellAddress {
                x: x / self.cell.across * self.cell.bytes,
                y,
                in_x: inside,
                in_y,
            }
        }
    }

    /// Bytes of one cell: a texel, a block of a compressed format, a pair of a packed one.
    pub fn cell_bytes(&self) -> u32 {
        self.cell.bytes
    }

    /// Reads a whole cell.
    #[inline]
    pub fn read_cell(&self, place: CellAddress) -> CellBytes {
        let mut bytes = [0; 32];
        let size = self.cell.bytes as usize;
        if self.contiguous {
            self.memory
                .read(self.address(place.x, place.y), &mut bytes[..size]);
        } else {
            // 24, 48 and 96 bits in a tiled surface: an element may straddle a tile (surface reference 3.1).
            for (i, byte) in bytes[..size].iter_mut().enumerate() {
                let at = self.address(place.x + i as u32, place.y);
                self.memory.read(at, std::slice::from_mut(byte));
            }
        }
        bytes
    }

    /// Writes the first bytes of a cell.
    #[inline]
    pub fn write_cell(&self, place: CellAddress, bytes: &[u8]) {
        if self.contiguous {
            self.memory.write(self.address(place.x, place.y), bytes);
        } else {
            for (i, byte) in bytes.iter().enumerate() {
                let at = self.address(place.x + i as u32, place.y);
                self.memory.write(at, std::slice::from_ref(byte));
            }
        }
    }

    /// One plane of a planar surface as a surface of its own; plane 0 of any other surface is itself.
    ///
    /// | plane | interleaved chroma | separate chroma |
    /// | --- | --- | --- |
    /// | 0 | Y, R8_UNORM | Y, R8_UNORM |
    /// | 1 | Cb and Cr, R8G8_UNORM | Cb (U), R8_UNORM |
    /// | 2 | none | Cr (V), R8_UNORM |
    ///
    /// 16-bit planar formats give R16_UNORM and R16G16_UNORM. The pixel size of the plane's format is what
    /// a media block replicates at the edges. Source: surface reference 3.8 for the places.
    pub fn plane(&self, plane: u32) -> Option<Surface> {
        let d = &self.description;
        if !d.format.is_planar() {
            return (plane == 0).then(|| self.clone());
        }
        let part = d.plane(plane)?.resolve_part().ok()?;
        Surface::over(part, self.memory.clone()).ok()
    }
}
