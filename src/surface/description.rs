//! What a surface is said to be, and the rules that make it one.

use std::sync::Arc;

use super::format::Format;
use super::layout::{Layout, Shape, align_to, sample_scale};
use super::tiling::Tiling;

/// No surface may end behind this byte of its memory: 1 GiB.
pub const MAX_BYTES: u64 = 1 << 30;

/// A description that breaks a rule: what was given and what would be allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Invalid {
    /// The values at hand and the rule, in one sentence.
    pub what: String,
    /// The rule is a limit of visim, [`MAX_BYTES`], and none of the hardware.
    pub too_large: bool,
}

impl Invalid {
    pub(crate) fn new(what: impl Into<String>) -> Invalid {
        Invalid {
            what: what.into(),
            too_large: false,
        }
    }
}

/// Hardware generation, where memory layout differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
#[allow(missing_docs)] // the names say it; Gen75 is Gen7.5
pub enum Generation { Gen4, Gen5, Gen6, Gen7, Gen75, Gen8, #[default] Gen9 }

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

    /// Whether lines are skipped.
    pub const fn skips(self) -> bool {
        !matches!(self, LineStride::Frame)
    }
}

/// Places of the chroma planes of a planar surface. Source: surface reference 3.8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Planes {
    /// One plane of Cb, Cr pairs at the place of U.
    pub interleaved: bool,
    /// Chroma rows are half a pitch apart.
    pub half_pitch: bool,
    /// Column and row of the U (or pair) plane: components across, rows of the chroma pitch down.
    pub u: (u32, u32),
    /// Column and row of the V plane.
    pub v: (u32, u32),
    /// How far chroma lies below luma, in quarter luma rows, 0..=7: media sampler messages only.
    /// Source: AVS reference 3.3, "Cr/Cb pixel offset V direction".
    pub offset_v: u8,
    /// How far chroma lies to the right of luma, in half luma columns, 0 or 1: as `offset_v`.
    pub offset_u: u8,
}

impl Planes {
    /// NV12 and P010: pairs below `height` luma rows.
    pub const fn nv12(height: u32) -> Planes {
        Planes {
            interleaved: true,
            half_pitch: false,
            u: (0, height),
            v: (0, height),
            offset_v: 0,
            offset_u: 0,
        }
    }

    /// I420: U, then V, each with half the pitch, below `height` luma rows.
    pub const fn i420(height: u32) -> Planes {
        Planes {
            interleaved: false,
            half_pitch: true,
            u: (0, 2 * height),
            v: (0, 2 * height + height / 2),
            offset_v: 0,
            offset_u: 0,
        }
    }

    /// YV12: as I420 with V before U.
    pub const fn yv12(height: u32) -> Planes {
        let i420 = Planes::i420(height);
        Planes {
            u: i420.v,
            v: i420.u,
            ..i420
        }
    }
}

/// Everything the state says of a surface. Start from [`Description::d2`] or a sister and change fields:
///
/// ```
/// use visim::surface::{Description, Format, Surface, Tiling};
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
    /// Entries A\[31:24\] R\[23:16\] G\[15:8\] B\[7:0\] for palette formats; none: all zero.
    pub palette: Option<Arc<[u32; 256]>>,
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
            palette: None,
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

    /// Bytes of one row as media block messages count them.
    pub fn media_row_bytes(&self) -> u32 {
        let component = self.component_bytes();
        match (self.media_row, self.format.is_planar()) {
            (Some(bytes), _) => bytes,
            (None, true) => self.width * component,
            (None, false) if self.format.is_packed_422() => self.width.div_ceil(2) * 4,
            (None, false) => (self.width * u32::from(self.format.bits)).div_ceil(8),
        }
    }

    /// Bytes of one component of a planar format.
    fn component_bytes(&self) -> u32 {
        if self.format == Format::PLANAR_420_16 {
            2
        } else {
            1
        }
    }

    /// How much smaller chroma planes are: across, down. Source: surface reference 3.8.
    pub fn chroma_shift(&self) -> (u32, u32) {
        match self.format.name {
            "PLANAR_411_8" => (2, 0),
            "PLANAR_422_8" => (1, 0),
            _ => (1, 1),
        }
    }

    /// See [`super::Surface::plane`].
    pub(super) fn plane(&self, plane: u32) -> Option<Description> {
        let planes = self.planes?;
        let size = self.component_bytes();
        let (one, two) = match size {
            1 => (Format::R8_UNORM, Format::R8G8_UNORM),
            _ => (Format::R16_UNORM, Format::R16G16_UNORM),
        };
        let (format, (column, row)) = match (plane, planes.interleaved) {
            (0, _) => (one, (0, 0)),
            (1, true) => (two, planes.u),
            (1, false) => (one, planes.u),
            (2, false) => (one, planes.v),
            _ => return None,
        };
        let mut part = Description {
            format,
            planes: None,
            media_row: None,
            ..self.clone()
        };
        if plane > 0 {
            let (across, down) = self.chroma_shift();
            part.width = (self.width >> across).max(1);
            part.height = (self.height >> down).max(1);
            if planes.half_pitch {
                part.pitch = self.pitch / 2;
            }
        }
        if self.tiling == Tiling::Linear {
            let offset = u64::from(row) * u64::from(part.pitch) + u64::from(column * size);
            part.base = self.base.checked_add(offset)?;
        } else {
            // The same (x, y) through the tiling function.
            part.x_offset += column * size / (u32::from(part.format.bits) / 8);
            part.y_offset += row;
        }
        Some(part)
    }

    /// The alignment unit. Source: surface reference 3.2; from Gen6 on, where the state has a field, the
    /// smallest value it can take.
    fn alignment(&self) -> (u32, u32) {
        let (bw, bh) = (
            u32::from(self.format.block.0),
            u32::from(self.format.block.1),
        );
        match (self.align, self.generation) {
            (Some(align), _) => align,
            (None, Generation::Gen9) => (4, 4),
            (None, _) if self.format.is_compressed() => (bw, bh),
            (None, Generation::Gen8) => (4, 4),
            (None, _) => (4, 2),
        }
    }

    /// Checks every rule that needs no memory, fills in the pitch, places the images.
    pub(super) fn resolve(mut self) -> Result<(Description, Layout), Invalid> {
        let fail = |what: String| Err(Invalid::new(what));
        let nothing = Layout {
            levels: Vec::new(),
            slice: (0, 0),
            extent: (0, 0),
        };
        let format = self.format;
        match self.kind {
            Kind::Null => return Ok((self, nothing)),
            Kind::Buffer => {
                self.resolve_buffer()?;
                return Ok((self, nothing));
            }
            _ => {}
        }
        self.check_sizes()?;
        self.check_combinations()?;
        if format.is_planar() {
            return self.resolve_planar();
        }
        if format.cell().bytes == 0 {
            return fail(format!("{format} is a format of buffers only"));
        }

        let block = match format.is_compressed() {
            true => (u32::from(format.block.0), u32::from(format.block.1)),
            false => (1, 1),
        };
        let (i, j) = self.alignment();
        if i == 0 || j == 0 || i > 256 || j > 256 {
            return fail(format!(
                "an image alignment of {i}×{j}; 1 to 256 each are allowed"
            ));
        }
        let levels_in_memory = self.min_lod + self.levels;
        let slices = match self.kind {
            Kind::D3 => self.depth,
            _ => self.slices() + self.min_array_element,
        };
        let layout = Layout::new(&Shape {
            generation: self.generation,
            kind: self.kind,
            tile_rows: self
                .tiling
                .tile(u32::from(format.bits))
                .map_or(1, |tile| tile.1),
            block,
            size: (self.width, self.height, slices),
            levels: levels_in_memory,
            samples: self.samples,
            storage: self.storage,
            align: (i, j),
            mips: self.mip_layout,
            qpitch: self.qpitch,
        });

        let row = self.row_bytes(&layout);
        if layout.slice.0 > 0 {
            // Linear 1D on Gen9 is one row that no pitch limits.
            self.pitch = row.min(MAX_BYTES) as u32;
        } else {
            self.check_pitch(row)?;
        }
        Ok((self, layout))
    }

    /// Bytes of a row that must exist: the padding to the right of a single image need not.
    fn row_bytes(&self, layout: &Layout) -> u64 {
        let block = if self.format.is_compressed() {
            u32::from(self.format.block.0)
        } else {
            1
        };
        let elements = if layout.levels.len() == 1 && layout.slice.0 == 0 {
            let scale = match self.storage {
                SampleStorage::Interleaved => sample_scale(self.samples).0,
                SampleStorage::Array => 1,
            };
            let pixels = if scale > 1 {
                align_to(self.width, 2)
            } else {
                self.width
            };
            u64::from((pixels * scale).div_ceil(block))
        } else {
            layout.extent.0
        };
        let bits = (elements + u64::from(self.x_offset)) * u64::from(self.format.bits);
        let unit = if self.format.is_packed_422() { 4 } else { 1 };
        bits.div_ceil(8).next_multiple_of(unit)
    }

    fn resolve_buffer(&mut self) -> Result<(), Invalid> {
        let element = self.format.cell().bytes.max(1);
        let cell = self.format.cell();
        if self.format.is_planar() || cell.across > 1 || cell.down > 1 {
            return Err(Invalid::new(format!(
                "{} cannot be the format of a buffer",
                self.format
            )));
        }
        if self.tiling != Tiling::Linear {
            return Err(Invalid::new("buffers are linear".to_string()));
        }
        if self.pitch == 0 {
            self.pitch = element;
        }
        if self.pitch < element {
            return Err(Invalid::new(format!(
                "a pitch of {} bytes; an element of {} has {element}",
                self.pitch, self.format
            )));
        }
        Ok(())
    }

    fn check_sizes(&self) -> Result<(), Invalid> {
        let most = if self.kind == Kind::D3 { 2048 } else { 16384 };
        for (name, value, most) in [
            ("width", self.width, most),
            ("height", self.height, most),
            ("depth", self.depth, 2048),
            ("level count", self.levels, 15),
        ] {
            if value == 0 || value > most {
                return Err(Invalid::new(format!(
                    "a {name} of {value}; 1 to {most} is allowed"
                )));
            }
        }
        for (name, value, most) in [
            ("minimum LOD", self.min_lod, 14),
            ("minimum array element", self.min_array_element, 2047),
            ("X offset", self.x_offset, 16384),
            ("Y offset", self.y_offset, 65536),
            ("QPitch", self.qpitch.unwrap_or(0), 1 << 17),
        ] {
            if value > most {
                return Err(Invalid::new(format!(
                    "a {name} of {value}; 0 to {most} is allowed"
                )));
            }
        }
        let deep = if self.kind == Kind::D3 { self.depth } else { 1 };
        let possible = self.width.max(self.height).max(deep).ilog2() + 1;
        if self.min_lod + self.levels > possible {
            return Err(Invalid::new(format!(
                "{} levels; a surface of {}×{}×{deep} texels has {possible}",
                self.min_lod + self.levels,
                self.width,
                self.height
            )));
        }
        Ok(())
    }

    fn check_combinations(&self) -> Result<(), Invalid> {
        let fail = |what: &str| Err(Invalid::new(what.to_string()));
        let format = self.format;
        let plain_2d = self.kind == Kind::D2 && !self.array;
        if !self.array && self.kind != Kind::D3 && self.depth != 1 {
            return fail("several slices need an array surface");
        }
        if self.kind == Kind::D3 && (self.array || self.min_array_element > 0) {
            return fail("a 3D surface is no array");
        }
        if self.kind == Kind::D1 && self.height != 1 {
            return fail("a 1D surface has height 1");
        }
        if self.kind == Kind::Cube && self.width != self.height {
            return fail("the faces of a cube are square");
        }
        if !matches!(self.samples, 1 | 2 | 4 | 8 | 16) {
            return fail("the number of samples is 1, 2, 4, 8 or 16");
        }
        if self.samples > 1 && (self.kind != Kind::D2 || self.min_lod + self.levels > 1) {
            return fail("multisampled surfaces are 2D and have one level");
        }
        if self.samples > 1 && (format.is_compressed() || format.cell().across > 1) {
            return fail("multisampled surfaces have a format of single texels");
        }
        if self.line_stride.skips() && (!plain_2d || format.is_compressed()) {
            return fail(
                "skipping lines needs a 2D surface that is no array and not block-compressed",
            );
        }
        if self.mip_layout == MipLayout::Right && (!plain_2d || self.generation > Generation::Gen6)
        {
            return fail("mip layout RIGHT needs a 2D surface that is no array, up to Gen6");
        }
        if format.is_packed_422() && !self.width.is_multiple_of(2) {
            return Err(Invalid::new(format!(
                "a width of {}; {format} stores pairs of texels",
                self.width
            )));
        }
        if format.name == "MONO8" && !self.width.is_multiple_of(32) {
            return Err(Invalid::new(format!(
                "a width of {}; MONO8 needs a multiple of 32",
                self.width
            )));
        }
        if self.tiling != Tiling::Linear && !self.base.is_multiple_of(4096) {
            return Err(Invalid::new(format!(
                "a tiled surface at byte {}; a multiple of 4096 is needed",
                self.base
            )));
        }
        Ok(())
    }

    /// Checks the pitch against the bytes of a row, or fills it in.
    fn check_pitch(&mut self, row: u64) -> Result<(), Invalid> {
        let bits = u32::from(self.format.bits);
        let Some(unit) = self.tiling.pitch_unit(bits) else {
            return Err(Invalid::new(format!(
                "tiling {:?} has no shape for the {bits} bits of {}",
                self.tiling, self.format
            )));
        };
        let row = if self.tiling == Tiling::W {
            2 * row
        } else {
            row
        };
        let row = row.max(
            self.media_row
                .map_or(0, |b| u64::from(b) + 4 * u64::from(self.x_offset)),
        );
        let tight = row.next_multiple_of(u64::from(unit));
        let pitch = if self.pitch == 0 {
            tight
        } else {
            u64::from(self.pitch)
        };
        if pitch < row {
            return Err(Invalid::new(format!(
                "a pitch of {pitch} bytes; the rows have {row}"
            )));
        }
        if pitch > 1 << 18 {
            return Err(Invalid::new(format!(
                "a pitch of {pitch} bytes; {} is the most",
                1 << 18
            )));
        }
        if !pitch.is_multiple_of(u64::from(unit)) {
            return Err(Invalid::new(format!(
                "a pitch of {pitch} bytes; tiling {:?} needs a multiple of {unit}",
                self.tiling
            )));
        }
        self.pitch = pitch as u32;
        Ok(())
    }

    fn resolve_planar(mut self) -> Result<(Description, Layout), Invalid> {
        let fail = |what: String| Err(Invalid::new(what));
        let Some(planes) = self.planes else {
            return fail(format!(
                "{} needs the places of its chroma planes",
                self.format
            ));
        };
        if self.kind != Kind::D2 || self.array || self.min_lod + self.levels > 1 {
            return fail("planar surfaces are 2D, no array, and have one level".to_string());
        }
        let (across, down) = self.chroma_shift();
        if !self.width.is_multiple_of(1 << across) || !self.height.is_multiple_of(1 << down) {
            return fail(format!(
                "{}×{} texels; the chroma of {} needs multiples of {} and {}",
                self.width,
                self.height,
                self.format,
                1 << across,
                1 << down
            ));
        }
        for (column, row) in [planes.u, planes.v] {
            if column > 16384 || row > 65536 {
                return fail(format!(
                    "a chroma plane at ({column}, {row}); (16384, 65536) is the most"
                ));
            }
        }
        let size = self.component_bytes();
        let row = u64::from((self.width + self.x_offset) * size);
        self.check_pitch(row)?;
        if planes.half_pitch && !self.pitch.is_multiple_of(2) {
            return fail(format!(
                "a pitch of {} bytes; half of it must be a whole number",
                self.pitch
            ));
        }
        // Each plane must be a surface by itself.
        let mut whole = Layout {
            levels: Vec::new(),
            slice: (0, 0),
            extent: (0, 0),
        };
        for plane in 0..3 {
            if let Some(part) = self.plane(plane) {
                let (_, layout) = part.resolve()?;
                if plane == 0 {
                    whole = layout;
                }
            }
        }
        Ok((self, whole))
    }

    /// The byte of memory behind the surface's last byte.
    pub(super) fn end(&self, layout: &Layout) -> Result<u64, Invalid> {
        let bytes = match self.kind {
            Kind::Null => return Ok(0),
            Kind::Buffer => match u64::from(self.width) * u64::from(self.pitch) {
                0 => 0,
                // The last element need not fill its pitch.
                all => all - u64::from(self.pitch - self.format.cell().bytes.max(1)),
            },
            _ if self.format.is_planar() => {
                let mut end = 0;
                for plane in 0..3 {
                    if let Some(part) = self.plane(plane) {
                        let (part, layout) = part.resolve()?;
                        end = end.max(part.end(&layout)?);
                    }
                }
                return Ok(end);
            }
            _ => self.image_bytes(layout),
        };
        match self.base.checked_add(bytes) {
            Some(end) if end <= MAX_BYTES => Ok(end),
            _ => Err(Invalid {
                what: format!(
                    "the surface ends at byte {}; {MAX_BYTES} is the most visim allows",
                    self.base.saturating_add(bytes)
                ),
                too_large: true,
            }),
        }
    }

    fn image_bytes(&self, layout: &Layout) -> u64 {
        let last = layout.levels.len() - 1;
        // Rows below a single image need not exist either.
        let padded = layout.extent.1;
        let block_h = if self.format.is_compressed() {
            u32::from(self.format.block.1)
        } else {
            1
        };
        let rows = match (last, self.kind, self.storage) {
            (0, Kind::D1 | Kind::D2, SampleStorage::Array) => {
                let slices = u64::from((self.slices() + self.min_array_element) * self.samples);
                u64::from(layout.slice.1) * (slices - 1) + u64::from(self.height.div_ceil(block_h))
            }
            _ => padded,
        };
        let rows = if self.line_stride.skips() {
            2 * rows
        } else {
            rows
        };
        let rows = rows + u64::from(self.y_offset);
        let bits = u32::from(self.format.bits);
        match self.tiling.tile(bits) {
            Some((_, height)) if self.tiling != Tiling::Linear => {
                rows.div_ceil(u64::from(height)) * self.tiling.tile_row_bytes(bits, self.pitch)
            }
            _ => {
                // Media block messages count X Offset in dwords.
                let media = u64::from(self.media_row_bytes()) + 4 * u64::from(self.x_offset);
                (rows - 1) * u64::from(self.pitch)
                    + self.row_bytes(layout).max(media).min(u64::from(self.pitch))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Surface;
    use super::*;

    fn why(description: Description) -> String {
        Surface::zeroed(description).unwrap_err().to_string()
    }

    #[test]
    fn rules_are_named_with_the_values() {
        let d = || Description::d2(Format::R8G8B8A8_UNORM, 64, 32);
        assert_eq!(
            why(Description { width: 0, ..d() }),
            "a width of 0; 1 to 16384 is allowed"
        );
        assert_eq!(
            why(Description { pitch: 255, ..d() }),
            "a pitch of 255 bytes; the rows have 256"
        );
        assert_eq!(
            why(Description {
                pitch: 300,
                tiling: Tiling::Y,
                ..d()
            }),
            "a pitch of 300 bytes; tiling Y needs a multiple of 128"
        );
        assert_eq!(
            why(Description { levels: 8, ..d() }),
            "8 levels; a surface of 64×32×1 texels has 7"
        );
        let small = Surface::new(d(), Arc::new(super::super::Memory::zeroed(8191))).unwrap_err();
        assert_eq!(
            small.to_string(),
            "the surface ends at byte 8192 and its memory has 8191 bytes"
        );
        let huge = Description::d2_array(Format::R32G32B32A32_FLOAT, 16384, 16384, 2048);
        assert!(why(huge).ends_with("1073741824 is the most visim allows"));
        assert!(
            why(Description {
                base: u64::MAX,
                ..d()
            })
            .ends_with("is the most visim allows")
        );
        let odd = Description::d2(Format::YCRCB_NORMAL, 3, 3);
        assert_eq!(
            why(odd),
            "a width of 3; YCRCB_NORMAL stores pairs of texels"
        );
    }

    #[test]
    fn a_linear_surface_needs_its_texels_and_no_padding() {
        let bytes = |d| Surface::zeroed(d).unwrap().memory().len();
        // 5 rows of 7 bytes with a pitch of 16: 4·16 + 7.
        assert_eq!(
            bytes(Description {
                pitch: 16,
                ..Description::d2(Format::R8_UNORM, 7, 5)
            }),
            71
        );
        assert_eq!(
            bytes(Description::d2(Format::PLANAR_420_8, 6, 4)),
            6 * 4 * 3 / 2
        );
        assert_eq!(bytes(Description::buffer(Format::R32_UINT, 9)), 36);
        assert_eq!(
            bytes(Description::d3(Format::R8_UNORM, 4, 3, 2)),
            4 * 4 + 4 * 4
        );
        assert_eq!(bytes(Description::null()), 0);
    }

    #[test]
    fn planes_are_surfaces_over_the_same_memory() {
        let i420 = Description {
            planes: Some(Planes::i420(4)),
            pitch: 8,
            ..Description::d2(Format::PLANAR_420_8, 6, 4)
        };
        let surface = Surface::zeroed(i420).unwrap();
        let place = |n: u32| {
            let p = surface.plane(n)?;
            let d = p.description();
            Some((d.base, d.width, d.height, d.pitch, d.format))
        };
        assert_eq!(place(0), Some((0, 6, 4, 8, Format::R8_UNORM)));
        assert_eq!(place(1), Some((32, 3, 2, 4, Format::R8_UNORM)));
        assert_eq!(place(2), Some((40, 3, 2, 4, Format::R8_UNORM)));
        assert_eq!(place(3), None);
        assert_eq!(surface.memory().len(), 40 + 4 + 3);
        let nv12 = Surface::zeroed(Description::d2(Format::PLANAR_420_8, 6, 4)).unwrap();
        assert_eq!(nv12.plane(1).unwrap().format(), Format::R8G8_UNORM);
        assert!(nv12.plane(2).is_none());
    }
}
