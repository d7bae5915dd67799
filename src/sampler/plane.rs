//! One image of a surface as kernels see it: columns and rows become byte offsets that are simply added.
//!
//! ```text
//!  address = start + column(x) + row(y)        linear, X-major, Y-major
//! ```
//!
//! All three layouts split like that, so a kernel works out offsets axis by axis and knows no tiling.
//!
//! Source: surface reference 3.1, 3.9.

use crate::surface::tiling::{linear, x_major, y_major};
use crate::surface::{Kind, LineStride, SampleStorage, Select, Surface, Tiling};

/// One image of a surface: a level of a slice; a buffer is a row.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// Byte address of the surface.
    pub start: usize,
    /// Column and row of the image in the surface, texels.
    origin: (u32, u32),
    bytes: u32,
    pitch: u32,
    tiling: Tiling,
}

impl Plane {
    /// The image, if the surface is one that kernels know: aligned elements of a power of two bytes, one
    /// sample, no skipped lines, channels as they are.
    pub fn new(surface: &Surface, level: u32, slice: u32) -> Option<Plane> {
        let d = surface.description();
        let bytes = d.format.cell().bytes;
        let plain = matches!(d.tiling, Tiling::Linear | Tiling::X | Tiling::Y)
            && matches!(bytes, 1 | 2 | 4 | 8 | 16)
            && d.format.cell().across == u32::from(d.format.block.0)
            && !d.format.is_packed_422()
            && !d.bit6_swizzle
            && d.line_stride == LineStride::Frame
            && d.samples == 1
            && d.storage == SampleStorage::Array
            && d.mcs.is_none()
            && d.sampled.select == Select::PLAIN
            && d.base.is_multiple_of(bytes.into())
            && d.pitch.is_multiple_of(bytes);
        if !plain {
            return None;
        }
        let start = d.base as usize;
        if d.kind == Kind::Buffer {
            return Some(Plane {
                start,
                origin: (0, 0),
                bytes: d.pitch,
                pitch: 0,
                tiling: Tiling::Linear,
            });
        }
        if level as usize >= surface.layout().levels.len() {
            return None;
        }
        let (x, y) = surface
            .layout()
            .image(level as usize, slice + d.min_array_element);
        Some(Plane {
            start,
            origin: (x + d.x_offset, y + d.y_offset),
            bytes,
            pitch: d.pitch,
            tiling: d.tiling,
        })
    }

    /// The byte of the first texel, and how many there are to the next one across and down, if no tile is in the way.
    pub fn linear(&self) -> Option<(usize, [u32; 2])> {
        let (across, down) = self.origin;
        let first =
            u64::from(across) * u64::from(self.bytes) + u64::from(down) * u64::from(self.pitch);
        let start = self.start.checked_add(usize::try_from(first).ok()?)?;
        (self.tiling == Tiling::Linear).then_some((start, [self.bytes, self.pitch]))
    }

    /// Byte offsets of texels by column and row.
    #[inline(always)]
    pub fn offsets<const N: usize>(&self, mut x: [u32; N], mut y: [u32; N]) -> [u32; N] {
        self.columns(&mut x);
        self.rows(&mut y);
        for (x, y) in x.iter_mut().zip(y) {
            *x += y;
        }
        x
    }

    /// Byte offsets of columns.
    #[inline(always)]
    pub fn columns<const N: usize>(&self, x: &mut [u32; N]) {
        let (from, bytes) = (self.origin.0, self.bytes);
        // Surfaces are at most 1 GiB: 32 bits hold every offset.
        match self.tiling {
            Tiling::X => each(x, |x| x_major((from + x) * bytes, 0, 0) as u32),
            Tiling::Y => each(x, |x| y_major((from + x) * bytes, 0, 0) as u32),
            _ => each(x, |x| (from + x) * bytes),
        }
    }

    /// Byte offsets of rows.
    #[inline(always)]
    pub fn rows<const N: usize>(&self, y: &mut [u32; N]) {
        let (from, pitch) = (self.origin.1, self.pitch);
        match self.tiling {
            Tiling::X => each(y, |y| x_major(0, from + y, pitch) as u32),
            Tiling::Y => each(y, |y| y_major(0, from + y, pitch) as u32),
            _ => each(y, |y| linear(0, from + y, pitch) as u32),
        }
    }
}

#[inline(always)]
fn each<const N: usize>(lanes: &mut [u32; N], f: impl Fn(u32) -> u32) {
    for lane in lanes {
        *lane = f(*lane);
    }
}
