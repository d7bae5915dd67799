//! What a surface is said to be: sizes and switches. [`super::rules`] has what they must obey.

use std::sync::Arc;

use super::format::Format;
use super::planes::Planes;
use super::sampled::Sampled;
use super::tiling::Tiling;
use crate::isa::Generation;

/// Surface type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing is bound: reads give 0, writes are dropped.
    Null,
    /// A row of elements, addressed by index.
    Buffer,
    /// One dimension.
    D1,
    /// Two dimensions.
    D2,
    /// Three dimensions.
    D3,
    /// Six square faces.
    Cube,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Null => "null",
            Kind::Buffer => "buffer",
            Kind::D1 => "1D",
            Kind::D2 => "2D",
            Kind::D3 => "3D",
            Kind::Cube => "cube",
        })
    }
}

/// Where mip levels lie. Source: surface reference 3.3 and 3.4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MipLayout {
    /// Level 1 below level 0.
    #[default]
    Below,
    /// Level 1 to the right of level 0.
    Right,
}

/// Where the samples of a multisampled surface lie. Source: surface reference 3.7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SampleStorage {
    /// Every sample is an array slice.
    #[default]
    Array,
    /// Samples lie inside one larger image.
    Interleaved,
}

/// Vertical line stride: whether every row counts, or every second one from a first line on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineStride {
    /// All rows.
    #[default]
    Frame,
    /// Rows 0, 2, 4 ….
    TopField,
    /// Rows 1, 3, 5 ….
    BottomField,
}

impl LineStride {
    /// The row of memory that is row `y`. Source: surface reference 3.8, "Field access".
    #[inline]
    pub const fn row(self, y: u32) -> u32 {
        match self {
            LineStride::Frame => y,
            LineStride::TopField => 2 * y,
            LineStride::BottomField => 2 * y + 1,
        }
    }

    /// From the fields Vertical Line Stride and Vertical Line Stride Offset.
    pub(super) const fn from_fields(stride: u32, offset: u32) -> LineStride {
        match (stride, offset) {
            (0, _) => LineStride::Frame,
            (_, 0) => LineStride::TopField,
            (_, _) => LineStride::BottomField,
        }
    }

    /// Whether lines are skipped.
    pub const fn skips(self) -> bool {
        !matches!(self, LineStride::Frame)
    }
}

/// Everything the state says of a surface. Start from [`Description::d2`] or a sister and change fields:
///
/// ```
/// use visim::internals::surface::{Description, Format, Surface, Tiling};
/// let tiled = Description { tiling: Tiling::Y, ..Description::d2(Format::R8_UNORM, 100, 50) };
/// let surface = Surface::zeroed(tiled).unwrap();
/// assert_eq!(surface.description().pitch, 128);
/// assert_eq!(surface.memory().len(), 128 * 64);
/// ```
#[derive(Clone, Debug)]
pub struct Description {
    /// Surface type.
    pub kind: Kind,
    /// An array of 1D, 2D or cube surfaces.
    pub array: bool,
    /// Surface format.
    pub format: Format,
    /// Texels across level 0; elements of a buffer (bytes if RAW).
    pub width: u32,
    /// Texels down level 0; of a field if lines are skipped.
    pub height: u32,
    /// Texels deep (3D); slices (arrays); cubes (cube arrays).
    pub depth: u32,
    /// Bytes from row to row; from element to element of a buffer. 0: the smallest legal.
    pub pitch: u32,
    /// Byte offset in the memory.
    pub base: u64,
    /// Tiling.
    pub tiling: Tiling,
    /// Bit 6 of addresses is swizzled (two-channel memory controllers up to Gen7).
    pub bit6_swizzle: bool,
    /// Mip levels the sampler may use, from `min_lod` on: the MIP Count field plus one.
    pub levels: u32,
    /// Most detailed level the sampler may use, counted in memory.
    pub min_lod: u32,
    /// First array slice.
    pub min_array_element: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Where the samples lie.
    pub storage: SampleStorage,
    /// Control words of a compressed multisampled surface, one for each pixel.
    pub mcs: Option<Arc<super::Surface>>,
    /// What a pixel returns whose control word says "clear": four 32-bit channels.
    pub clear_colour: [u32; 4],
    /// Components that typed writes leave alone: bit 0 red, 1 green, 2 blue, 3 alpha.
    pub write_disable: u8,
    /// Whether lines are skipped.
    pub line_stride: LineStride,
    /// Origin inside the first tile, texels.
    pub x_offset: u32,
    /// Origin inside the first tile, rows.
    pub y_offset: u32,
    /// Chroma planes, for planar formats.
    pub planes: Option<Planes>,
    /// Bytes of a row as media block messages see it, where that is not the width in texels: their
    /// Width field counts dwords. Source: surface reference 4.14; PRM 4.10.2, "Width".
    pub media_row: Option<u32>,
    /// Media sampler messages reflect the picture at its edges, where otherwise they repeat the edge
    /// texel: Address Control of a media surface state. Source: AVS reference 3.3, "Addressing".
    pub mirror: bool,
    /// Whose layout rules.
    pub generation: Generation,
    /// Mip levels below or to the right.
    pub mip_layout: MipLayout,
    /// Alignment unit, where the state has one: texels; blocks for compressed formats on Gen9.
    pub align: Option<(u32, u32)>,
    /// Element rows from slice to slice, where the state has it (texels for linear 1D on Gen9).
    pub qpitch: Option<u32>,
    /// Color blend is enabled for render target writes.
    pub blend: bool,
    /// The render cache serves reads of the surface as well as writes: Render Cache Read Write Mode up to
    /// Gen6, where 1 is read/write. Source: surface reference 5.2; PRM 5.10.3, "Restrictions".
    pub render_reads: bool,
    /// Entries A\[31:24\] R\[23:16\] G\[15:8\] B\[7:0\] for palette formats; none: all zero.
    pub palette: Option<Arc<[u32; 256]>>,
    /// What only sampling sees.
    pub sampled: Sampled,
}

impl Description {
    /// A 2D surface; planar formats get the planes of NV12.
    pub fn d2(format: Format, width: u32, height: u32) -> Description {
        Description {
            kind: Kind::D2,
            array: false,
            format,
            width,
            height,
            depth: 1,
            pitch: 0,
            base: 0,
            tiling: Tiling::Linear,
            bit6_swizzle: false,
            levels: 1,
            min_lod: 0,
            min_array_element: 0,
            samples: 1,
            storage: SampleStorage::Array,
            mcs: None,
            clear_colour: [0; 4],
            write_disable: 0,
            line_stride: LineStride::Frame,
            x_offset: 0,
            y_offset: 0,
            planes: format.is_planar().then(|| Planes::nv12(height)),
            media_row: None,
            mirror: false,
            generation: Generation::default(),
            mip_layout: MipLayout::Below,
            align: None,
            qpitch: None,
            blend: false,
            render_reads: true,
            palette: None,
            sampled: Sampled::default(),
        }
    }

    /// A 2D array.
    pub fn d2_array(format: Format, width: u32, height: u32, slices: u32) -> Description {
        Description {
            array: true,
            depth: slices,
            ..Description::d2(format, width, height)
        }
    }

    /// A 1D surface.
    pub fn d1(format: Format, width: u32) -> Description {
        Description {
            kind: Kind::D1,
            ..Description::d2(format, width, 1)
        }
    }

    /// A 3D surface.
    pub fn d3(format: Format, width: u32, height: u32, depth: u32) -> Description {
        Description {
            kind: Kind::D3,
            depth,
            ..Description::d2(format, width, height)
        }
    }

    /// A cube of faces `size` texels square.
    pub fn cube(format: Format, size: u32) -> Description {
        Description {
            kind: Kind::Cube,
            ..Description::d2(format, size, size)
        }
    }

    /// The byte after a buffer whose elements have 16 bytes each, for the messages that see them so; 0 of others.
    pub(crate) fn owords_end(&self) -> u64 {
        match self.kind == Kind::Buffer && self.generation.elements_of_owords {
            true => self.base.saturating_add(16 * u64::from(self.width)),
            false => 0,
        }
    }

    /// A buffer of `elements`, packed.
    pub fn buffer(format: Format, elements: u32) -> Description {
        Description {
            kind: Kind::Buffer,
            ..Description::d2(format, elements, 1)
        }
    }

    /// The null surface.
    pub fn null() -> Description {
        Description {
            kind: Kind::Null,
            ..Description::d2(Format::R8G8B8A8_UNORM, 1, 1)
        }
    }

    /// Array slices that may be addressed: faces of cubes count singly.
    pub fn slices(&self) -> u32 {
        match self.kind {
            Kind::Cube => self.depth.saturating_mul(6),
            Kind::D3 => 1,
            _ => self.depth,
        }
    }

    /// What the surface has beside the one image of a media surface, in words; `None` if it is one image.
    pub(crate) fn several_images(&self) -> Option<String> {
        let (levels, first, slices) = (self.levels, self.min_lod, self.slices());
        let element = self.min_array_element;
        let several = levels > 1 || first > 0 || slices > 1 || element > 0;
        several.then(|| {
            format!(
                "the surface has {levels} level(s) from {first} on and {slices} slice(s) from {element} on, \
                 not one from 0 on"
            )
        })
    }

    /// The surface of control words of a compressed multisampled surface: one for each pixel, in Y tiles.
    /// `None` for surfaces of one sample, and for samples that lie inside one image.
    ///
    /// Source: surface reference 3.7, "MCS".
    pub fn control_words(&self) -> Option<Description> {
        let format = match (self.storage, self.samples) {
            (SampleStorage::Array, 2 | 4) => Format::R8_UINT,
            (SampleStorage::Array, 8) => Format::R32_UINT,
            (SampleStorage::Array, 16) => Format::R32G32_UINT,
            _ => return None,
        };
        Some(Description {
            array: self.array,
            depth: self.depth,
            min_array_element: self.min_array_element,
            generation: self.generation,
            tiling: Tiling::Y,
            ..Description::d2(format, self.width, self.height)
        })
    }

    /// Bytes of one row as media block messages count them.
    pub fn media_row_bytes(&self) -> u32 {
        let component = self.component_bytes();
        match (self.media_row, self.format.is_planar()) {
            (Some(bytes), _) => bytes,
            (None, true) => self.width * component,
            (None, false) if self.format.is_packed_422() => self.width.div_ceil(2) * 4,
            (None, false) => {
                let bits = u64::from(self.width) * u64::from(self.format.bits);
                // A buffer may be wider than any row; its bytes still count in 32 bits.
                u32::try_from(bits.div_ceil(8)).unwrap_or(u32::MAX)
            }
        }
    }
}
