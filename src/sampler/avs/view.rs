//! A surface as the media sampler sees it: planes of texels, and which channel sits where.
//!
//! ```text
//!  R8G8B8A8    one plane of 4-byte texels     components R G B A
//!  YCRCB       the same bytes seen twice:     luma    2-byte texels  Y0 Cb | Y1 Cr
//!                                             chroma  4-byte texels  Y0 Cb Y1 Cr
//!  PLANAR_420  Y plane, then (Cb Cr) pairs, or a U and a V plane
//! ```
//!
//! A texel is 1, 2, 4 or 8 bytes of up to four *components*; a component belongs to a channel
//! (R, G, B, A or Cr, Y, Cb, A) or to none. Everything downstream works on planes and components and
//! knows nothing of formats. Source: AVS reference 3.3 and 3.8.

use super::AvsError;
use crate::sampler::Read;
use crate::surface::{
    BytePosition, Format, Kind, Memory, Planes, Surface, TexelPosition, Tiled, Tiling,
};

/// Channel numbers; Cr, Y, Cb come as R, G, B.
pub const R: usize = 0;
/// Green or luma.
pub const G: usize = 1;
/// Blue or Cb.
pub const B: usize = 2;
/// Alpha.
pub const A: usize = 3;

/// Texels of a plane on either axis.
const MAX_SIZE: u32 = 1 << 16;

/// 1.0 in 8.8: what missing alpha reads as.
pub const ONE: u16 = 0xff00;

/// How chroma lies relative to luma.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grid {
    /// Four channels in every texel.
    Full,
    /// One or two channels, the others missing.
    Single,
    /// Two luma texels share a chroma pair, all interleaved.
    Packed422,
    /// Chroma in planes of half the size.
    Planar420,
    /// Chroma in planes of half the width.
    Planar422,
    /// Chroma in planes of a quarter of the width; the `deinterlace` message only.
    Planar411,
}

/// How a component is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// A byte: the 8 of 8.8.
    Byte,
    /// 10, 10, 10 and 2 bits of a dword.
    Ten,
    /// The 8.8 value itself, little endian.
    Word,
}

/// One line of the table of formats the media sampler reads.
#[derive(Debug, PartialEq, Eq)]
pub struct MediaFormat {
    /// The row of the surface format table.
    pub format: Format,
    /// Where chroma lies.
    pub grid: Grid,
    /// How components are stored.
    pub depth: Depth,
    /// Components of a texel (of a pair of them, packed), and their channels in memory order.
    components: usize,
    order: [Option<usize>; 4],
}

const fn row(format: Format, grid: Grid, depth: Depth, channels: &[usize]) -> MediaFormat {
    let mut order = [None; 4];
    let mut i = 0;
    while i < channels.len() {
        order[i] = Some(channels[i]);
        i += 1;
    }
    MediaFormat {
        format,
        grid,
        depth,
        components: channels.len(),
        order,
    }
}

/// Formats of AVS reference 3.3, and the one that only the `deinterlace` message reads.
#[rustfmt::skip]
pub static FORMATS: &[MediaFormat] = &[
    row(Format::R8G8B8A8_UNORM,     Grid::Full,      Depth::Byte, &[R, G, B, A]),
    row(Format::B8G8R8A8_UNORM,     Grid::Full,      Depth::Byte, &[B, G, R, A]),
    row(Format::A8Y8U8V8_UNORM,     Grid::Full,      Depth::Byte, &[R, B, G, A]), // V, U, Y, A
    row(Format::R10G10B10A2_UNORM,  Grid::Full,      Depth::Ten,  &[R, G, B, A]),
    row(Format::R16G16B16A16_UNORM, Grid::Full,      Depth::Word, &[R, G, B, A]),
    row(Format::Y8_UNORM,           Grid::Single,    Depth::Byte, &[G]),
    row(Format::R8_UNORM,           Grid::Single,    Depth::Byte, &[R]),
    row(Format::R8B8_UNORM,         Grid::Single,    Depth::Byte, &[R, B]),
    row(Format::YCRCB_NORMAL,       Grid::Packed422, Depth::Byte, &[G, B, G, R]), // Y0 Cb Y1 Cr
    row(Format::YCRCB_SWAPUV,       Grid::Packed422, Depth::Byte, &[G, R, G, B]), // Y0 Cr Y1 Cb
    row(Format::YCRCB_SWAPY,        Grid::Packed422, Depth::Byte, &[B, G, R, G]), // Cb Y0 Cr Y1
    row(Format::YCRCB_SWAPUVY,      Grid::Packed422, Depth::Byte, &[R, G, B, G]), // Cr Y0 Cb Y1
    row(Format::PLANAR_420_8,       Grid::Planar420, Depth::Byte, &[]),           // see Planes
    row(Format::PLANAR_422_8,       Grid::Planar422, Depth::Byte, &[]),
    row(Format::PLANAR_411_8,       Grid::Planar411, Depth::Byte, &[]),
];

/// What the media sampler makes of `format`; `None` if it does not read it.
pub fn media_format(format: Format) -> Option<&'static MediaFormat> {
    FORMATS.iter().find(|f| f.format == format)
}

/// What happens to a texel index outside the plane. Source: AVS reference 3.3, "Addressing".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edge {
    /// The edge texel goes on.
    #[default]
    Clamp,
    /// The picture is reflected, edge texel repeated.
    Mirror,
}

impl Edge {
    /// An index in `0..size` for any index; `size` is at least 1.
    #[inline]
    pub fn resolve(self, index: i32, size: i32) -> i32 {
        match self {
            Edge::Clamp => index.clamp(0, size - 1),
            Edge::Mirror => {
                let phase = i64::from(index).rem_euclid(2 * i64::from(size)) as i32;
                phase.min(2 * size - 1 - phase)
            }
        }
    }
}

/// Texels of one size in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    place: PlaneLayout,
    /// Columns and rows, at least 1.
    pub size: (i32, i32),
    /// 1, 2, 4 or 8.
    pub texel_bytes: usize,
    /// The channel of each component.
    pub channels: [Option<usize>; 4],
    /// Whether this is chroma on a coarser grid than luma.
    pub subsampled: bool,
}

/// Where the bytes of a plane are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneLayout {
    /// Byte of the surface's base.
    pub base: usize,
    /// Byte column and row of texel (0, 0), before tiling.
    pub origin: (u32, u32),
    /// Bytes from row to row of memory.
    pub pitch: u32,
    /// Rows of memory from row to row of the plane: 2 if lines are skipped.
    pub row_step: u32,
    /// Tiling.
    pub tiling: Tiling,
    /// Bits of an element: tiles depend on them.
    pub bits: u32,
    /// Bit 6 of addresses is swizzled.
    pub bit6: bool,
}

impl PlaneLayout {
    /// Linear rows `pitch` bytes apart from byte `base` on.
    pub const fn linear(base: usize, pitch: u32) -> PlaneLayout {
        PlaneLayout {
            base,
            origin: (0, 0),
            pitch,
            row_step: 1,
            tiling: Tiling::Linear,
            bits: 8,
            bit6: false,
        }
    }

    /// Where the images of `surface` begin.
    fn of(surface: &Surface) -> PlaneLayout {
        let d = surface.description();
        let origin = if d.format.is_planar() {
            (d.x_offset, d.line_stride.row(0) + d.y_offset)
        } else if d.kind == Kind::Null {
            (0, 0)
        } else {
            let first = surface.place(TexelPosition {
                level: d.min_lod,
                slice: 0,
                x: 0,
                y: 0,
                sample: 0,
            });
            (first.x, first.y)
        };
        PlaneLayout {
            base: d.base as usize,
            origin,
            pitch: d.pitch,
            row_step: if d.line_stride.skips() { 2 } else { 1 },
            tiling: d.tiling,
            bits: u32::from(d.format.bits),
            bit6: d.bit6_swizzle,
        }
    }

    /// A chroma plane at `(column, row)`.
    const fn part(self, (column, row): (u32, u32), half_pitch: bool, bits: u32) -> PlaneLayout {
        PlaneLayout {
            origin: (
                self.origin.0.saturating_add(column),
                self.origin.1.saturating_add(row),
            ),
            pitch: if half_pitch {
                self.pitch / 2
            } else {
                self.pitch
            },
            bits,
            ..self
        }
    }
}

impl Plane {
    /// Bytes from row to row, and that of byte `x` of row 0, if rows are runs of bytes in memory.
    #[inline]
    pub fn rows(&self, x: usize) -> Option<(usize, usize)> {
        let pitch = self.place.pitch as usize * self.place.row_step as usize;
        (self.place.tiling == Tiling::Linear).then(|| (pitch, self.linear(x, 0)))
    }

    /// Address of byte `x` of row `y` without tiling.
    #[inline]
    fn linear(&self, x: usize, y: usize) -> usize {
        let place = &self.place;
        let row = place.origin.1 as usize + y.saturating_mul(place.row_step as usize);
        (place.pitch as usize)
            .saturating_mul(row)
            .saturating_add(place.origin.0 as usize)
            .saturating_add(place.base)
            .saturating_add(x)
    }

    /// Address of byte column `column`, the origin's included, of row `y` in tiles.
    fn tiled(&self, column: u32, y: u32) -> usize {
        let place = &self.place;
        let row = place.origin.1 + place.row_step * y;
        let tiled = Tiled {
            tiling: place.tiling,
            element_bits: place.bits,
            pitch: place.pitch,
            bit6: place.bit6,
        };
        let offset = tiled.offset(BytePosition { column, row });
        place.base.saturating_add(offset as usize)
    }

    /// Components of a texel.
    pub fn components(&self, depth: Depth) -> usize {
        match depth {
            Depth::Byte => self.texel_bytes,
            Depth::Ten | Depth::Word => 4,
        }
    }
}

/// A surface of one of the [`FORMATS`].
#[derive(Clone, Debug)]
pub struct MediaView<'a> {
    memory: &'a Memory,
    /// The format.
    pub format: &'static MediaFormat,
    /// Luma (or only) texels across.
    pub width: u32,
    /// Luma (or only) rows.
    pub height: u32,
    /// What lies outside.
    pub edge: Edge,
    /// Distance of 4:2:0 chroma from luma, to the right and down, 1/256 luma texel.
    siting: (i32, i32),
    planes: [Plane; 3],
    count: usize,
}

impl<'a> MediaView<'a> {
    /// `surface` as the scaler reads it.
    ///
    /// # Errors
    /// [`AvsError::Format`], [`AvsError::Kind`], [`AvsError::Width`]: no surface of the scaler.
    pub fn of(surface: &'a Surface) -> Result<MediaView<'a>, AvsError> {
        let view = MediaView::frame(surface)?;
        if view.format.grid == Grid::Planar411 {
            return Err(AvsError::Format(surface.format()));
        }
        Ok(view)
    }

    /// `surface` as any message of the media sampler reads it.
    ///
    /// # Errors
    /// As [`MediaView::of`].
    pub fn frame(surface: &'a Surface) -> Result<MediaView<'a>, AvsError> {
        let d = surface.description();
        let format = media_format(d.format).ok_or(AvsError::Format(d.format))?;
        if !matches!(d.kind, Kind::D2 | Kind::Null) || d.samples > 1 {
            return Err(AvsError::Kind);
        }
        // Planes have such a width as surfaces; a sampler reads pairs of any. Source: PRM 4.10.2.2, Width.
        if format.grid == Grid::Packed422 && d.kind != Kind::Null && !d.width.is_multiple_of(2) {
            return Err(AvsError::Width(d.format, d.width));
        }
        let size = (d.width >> d.min_lod.min(31), d.height >> d.min_lod.min(31));
        let edge = if d.mirror { Edge::Mirror } else { Edge::Clamp };
        let chroma = d.planes.unwrap_or_default();
        let view = MediaView::new(
            surface.memory(),
            format,
            size,
            PlaneLayout::of(surface),
            chroma,
            edge,
        );
        Ok(view)
    }

    /// A view of `width` x `height` texels (each 1..=65536) of `memory`. `chroma` is read for
    /// planar formats only.
    ///
    /// Bytes beyond the memory read as zero. A chroma plane has at least one texel, which only
    /// matters where the reference's W/2 or H/2 is zero.
    pub fn new(
        memory: &'a Memory,
        format: &'static MediaFormat,
        (width, height): (u32, u32),
        place: PlaneLayout,
        chroma: Planes,
        edge: Edge,
    ) -> MediaView<'a> {
        let texels = |n: u32| n.clamp(1, MAX_SIZE) as i32;
        let size = (texels(width), texels(height));
        let plane = |texel_bytes, channels| Plane {
            place,
            size,
            texel_bytes,
            channels,
            subsampled: false,
        };
        let only = |wanted: fn(usize) -> bool| format.order.map(|c| c.filter(|&c| wanted(c)));
        let (count, planes) = match format.grid {
            Grid::Full | Grid::Single => {
                let bytes = match format.depth {
                    Depth::Byte => format.components,
                    Depth::Ten => 4,
                    Depth::Word => 2 * format.components,
                };
                (1, [plane(bytes, format.order); 3])
            }
            Grid::Packed422 => {
                let [first, second, ..] = only(|c| c == G);
                let luma = plane(2, [first, second, None, None]);
                let chroma = Plane {
                    size: (texels(width / 2), size.1),
                    subsampled: true,
                    ..plane(4, only(|c| c != G))
                };
                (2, [luma, chroma, chroma])
            }
            Grid::Planar420 | Grid::Planar422 | Grid::Planar411 => {
                let chroma_size = match format.grid {
                    Grid::Planar420 => (texels(width / 2), texels(height / 2)),
                    Grid::Planar422 => (texels(width / 2), size.1),
                    _ => (texels(width / 4), size.1),
                };
                let luma = Plane {
                    place: place.part((0, 0), false, 8),
                    ..plane(1, [Some(G), None, None, None])
                };
                let part = |at, texel_bytes: usize, channels| Plane {
                    place: place.part(at, chroma.half_pitch, 8 * texel_bytes as u32),
                    size: chroma_size,
                    subsampled: true,
                    ..plane(texel_bytes, channels)
                };
                if chroma.interleaved {
                    let pairs = part(chroma.u, 2, [Some(B), Some(R), None, None]);
                    (2, [luma, pairs, pairs])
                } else {
                    let u = part(chroma.u, 1, [Some(B), None, None, None]);
                    (3, [luma, u, part(chroma.v, 1, [Some(R), None, None, None])])
                }
            }
        };
        MediaView {
            memory,
            format,
            width: size.0 as u32,
            height: size.1 as u32,
            edge,
            siting: (
                128 * i32::from(chroma.offset_u),
                64 * i32::from(chroma.offset_v),
            ),
            planes,
            count,
        }
    }

    /// The planes; every channel is in at most one of them.
    pub fn planes(&self) -> &[Plane] {
        &self.planes[..self.count]
    }

    /// The plane and component of `channel`; `None` if the format has no such channel.
    pub fn place(&self, channel: usize) -> Option<(&Plane, usize)> {
        self.planes().iter().find_map(|plane| {
            let component = plane.channels.iter().position(|&c| c == Some(channel))?;
            Some((plane, component))
        })
    }

    /// What a channel without a place reads as: colours 0, alpha 1.0.
    pub const fn missing(channel: usize) -> u16 {
        if channel == A { ONE } else { 0 }
    }

    /// The largest result: 16-bit formats keep their range, the others end at 1.0.
    pub const fn ceiling(&self) -> u16 {
        match self.format.depth {
            Depth::Word => 0xffff,
            Depth::Byte | Depth::Ten => ONE,
        }
    }

    /// A position of the luma plane on `plane`. Source: AVS reference 3.3, "Position in a
    /// subsampled plane".
    pub fn on_plane_u(&self, plane: &Plane, tu: i32) -> i32 {
        match self.format.grid {
            Grid::Planar420 if plane.subsampled => (tu - self.siting.0) >> 1,
            Grid::Packed422 | Grid::Planar422 if plane.subsampled => tu >> 1,
            _ => tu,
        }
    }

    /// As [`MediaView::on_plane_u`], down.
    pub fn on_plane_v(&self, plane: &Plane, tv: i32) -> i32 {
        match self.format.grid {
            Grid::Planar420 if plane.subsampled => (tv - self.siting.1) >> 1,
            _ => tv,
        }
    }

    /// Copies bytes `x..` of row `y` of a plane; what lies beyond the memory reads as zero.
    #[inline]
    pub fn read(&self, plane: &Plane, x: usize, y: usize, out: &mut [u8]) {
        if plane.place.tiling == Tiling::Linear {
            self.read_memory(plane.linear(x, y), out);
        } else {
            self.read_tiled(plane, x, y, out);
        }
    }

    /// Copies `rows` whole rows from byte `x` of row `y` on into equal parts of `out`. `None`, and nothing is
    /// copied, where they are not runs of whole words inside the memory: then [`MediaView::read`] does it.
    #[inline]
    pub fn read_rows(
        &self,
        plane: &Plane,
        (x, y): (usize, usize),
        rows: usize,
        out: &mut [u8],
    ) -> Option<()> {
        let (pitch, _) = plane.rows(0)?;
        self.memory.read_rows(plane.linear(x, y), pitch, rows, out)
    }

    /// The memory that the planes are in.
    #[inline]
    pub const fn memory(&self) -> &'a Memory {
        self.memory
    }

    #[inline]
    fn read_memory(&self, at: usize, out: &mut [u8]) {
        let have = self.memory.len().saturating_sub(at).min(out.len());
        let (inside, outside) = out.split_at_mut(have);
        if have > 0 {
            self.memory.read(at, inside);
        }
        outside.fill(0);
    }

    /// As many bytes at a time as are neighbours in memory.
    fn read_tiled(&self, plane: &Plane, x: usize, y: usize, out: &mut [u8]) {
        let place = &plane.place;
        let run = place.tiling.run(place.bit6) as usize;
        let mut column = place.origin.0 as usize + x;
        let mut rest = out;
        while !rest.is_empty() {
            let (part, after) = rest.split_at_mut((run - column % run).min(rest.len()));
            self.read_memory(plane.tiled(column as u32, y as u32), part);
            column += part.len();
            rest = after;
        }
    }

    /// 8-bit codes of `channel` in a rectangle of texels that lies inside its plane, row by row; `None` for
    /// a channel that the format lacks.
    pub fn codes(
        &self,
        channel: usize,
        (x, y): (u32, u32),
        (width, height): (u32, u32),
    ) -> Option<Vec<u8>> {
        let (plane, component) = self.place(channel)?;
        let n = plane.texel_bytes;
        let mut row = vec![0; width as usize * n];
        let mut codes = Vec::with_capacity((width * height) as usize);
        for line in y..y + height {
            self.read(plane, x as usize * n, line as usize, &mut row);
            match n {
                1 => codes.extend_from_slice(&row),
                _ => codes.extend(row.chunks_exact(n).map(|texel| texel[component])),
            }
        }
        Some(codes)
    }

    /// The place of a texel inside the plane.
    pub fn place_of(&self, plane: &Plane, x: u32, y: u32) -> Read {
        let column = x as usize * plane.texel_bytes;
        let start = match plane.place.tiling {
            Tiling::Linear => plane.linear(column, y as usize),
            _ => plane.tiled(column as u32 + plane.place.origin.0, y),
        };
        Read {
            start,
            bytes: plane.texel_bytes as u32,
            at: (x, y),
            asked: (x as i32, y as i32),
        }
    }

    /// The components of one texel inside the plane, 8.8.
    pub fn texel(&self, plane: &Plane, x: i32, y: i32) -> [u16; 4] {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..plane.texel_bytes];
        self.read(plane, x as usize * plane.texel_bytes, y as usize, bytes);
        decode(self.format.depth, bytes)
    }
}

/// The components of a texel, 8.8. Source: AVS reference 3.3, "texel value".
#[inline]
pub fn decode(depth: Depth, bytes: &[u8]) -> [u16; 4] {
    let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
    match depth {
        Depth::Byte => std::array::from_fn(|i| u16::from(byte(i)) << 8),
        Depth::Ten => {
            let dword = u32::from_le_bytes(std::array::from_fn(byte));
            let ten = |low: u32| ((dword >> low & 0x3ff) << 6) as u16;
            let two = ((dword >> 30) * 85) as u16;
            [ten(0), ten(10), ten(20), two << 8]
        }
        Depth::Word => std::array::from_fn(|i| u16::from_le_bytes([byte(2 * i), byte(2 * i + 1)])),
    }
}
