//! The texels a block needs, gathered once: after this, no kernel sees an edge.
//!
//! ```text
//!  axis of 4 pixels, step 1.5 texels        dense: every texel from the first to the last
//!  source  -3 -2 -1  0  1  2  3  4  5  6  7  8
//!  pixel 0 [----------------------]         start 0
//!  pixel 1    [----------------------]      start 1
//!  pixel 2          [----------------------]start 3 ...
//! ```
//!
//! Where steps are so wide that eight texels for each pixel are fewer, only those are listed
//! (sparse): a window never holds more than 8 times the block on either axis. Indices outside the
//! plane are resolved here, so clamped, mirrored and inner texels look alike afterwards.

use super::key::ChromaKey;
use super::position::{MAX_COLUMNS, beta, whole};
use super::view::{Depth, Edge, MediaView, Plane, decode};

/// Texels of a footprint on either axis.
pub const FOOTPRINT: usize = 8;

/// More elements than any row of a window has: a footprint for each pixel, a skew below 8, padding to 8.
pub const ROW: usize = MAX_COLUMNS * FOOTPRINT + 16;

/// Pixels along one axis and the texels below them.
#[derive(Clone, Debug)]
pub struct Axis {
    pixels: usize,
    start: [u8; MAX_COLUMNS],
    beta: [u8; MAX_COLUMNS],
    sources: [i32; MAX_COLUMNS * FOOTPRINT],
    count: usize,
    /// The sources are consecutive indices, all inside the plane.
    inside: bool,
}

impl Default for Axis {
    fn default() -> Axis {
        Axis {
            pixels: 0,
            start: [0; MAX_COLUMNS],
            beta: [0; MAX_COLUMNS],
            sources: [0; MAX_COLUMNS * FOOTPRINT],
            count: 0,
            inside: false,
        }
    }
}

impl Axis {
    /// Sets the axis to pixels at `positions` (at most [`MAX_COLUMNS`], at least one), already mapped to
    /// a plane of `size` texels.
    #[inline(always)]
    pub fn set(&mut self, positions: &[i32], size: i32, edge: Edge) {
        let axis = self;
        axis.pixels = positions.len();
        axis.inside = false;
        for (axis, &t) in axis.beta.iter_mut().zip(positions) {
            *axis = beta(t);
        }
        let (least, most) = positions
            .iter()
            .fold((i32::MAX, i32::MIN), |(a, b), &t| (a.min(t), b.max(t)));
        let (first, last) = (whole(least) - 3, whole(most) + 4);
        let dense = (last - first + 1) as usize;
        if dense <= axis.pixels * FOOTPRINT {
            axis.count = dense;
            axis.inside = first >= 0 && last < size;
            for (start, &t) in axis.start.iter_mut().zip(positions) {
                *start = (whole(t) - 3 - first) as u8;
            }
            let sources = axis.sources[..dense].iter_mut().zip(first..);
            if axis.inside {
                sources.for_each(|(source, at)| *source = at);
            } else {
                sources.for_each(|(source, at)| *source = edge.resolve(at, size));
            }
        } else {
            axis.count = axis.pixels * FOOTPRINT;
            let pixels = axis
                .sources
                .chunks_exact_mut(FOOTPRINT)
                .zip(&mut axis.start);
            for (pixel, ((sources, start), &t)) in pixels.zip(positions).enumerate() {
                *start = (pixel * FOOTPRINT) as u8;
                for (i, source) in sources.iter_mut().enumerate() {
                    *source = edge.resolve(whole(t) - 3 + i as i32, size);
                }
            }
        }
    }

    /// Number of pixels.
    #[inline]
    pub fn pixels(&self) -> usize {
        self.pixels
    }

    /// Place in [`Axis::sources`] of the first of the eight texels of every pixel.
    #[inline]
    pub fn starts(&self) -> &[u8] {
        &self.start[..self.pixels]
    }

    /// Starts and phases of as many pixels as there is room for; what is said of those beyond the last one is anything.
    #[inline]
    pub fn places<const N: usize>(&self) -> [&[u8; N]; 2] {
        const { assert!(N <= MAX_COLUMNS) };
        [&self.start, &self.beta].map(|all| all.first_chunk().unwrap_or(&[0; N]))
    }

    /// Phase of every pixel.
    #[inline]
    pub fn betas(&self) -> &[u8] {
        &self.beta[..self.pixels]
    }

    /// Whether the sources are consecutive, none of them made of an edge.
    #[inline]
    pub fn is_inside(&self) -> bool {
        self.inside
    }

    /// Indices on the plane, all inside it.
    #[inline]
    pub fn sources(&self) -> &[i32] {
        &self.sources[..self.count]
    }
}

/// The texels of `x.sources()` by `y.sources()`, one row after the other.
#[derive(Debug, Default)]
pub struct Window<T> {
    /// At least `stride` elements for each row.
    pub data: Vec<T>,
    /// Elements from row to row, a multiple of 8.
    pub stride: usize,
    /// Elements before the first texel of a row.
    pub skew: usize,
}

impl<T: Copy + Default> Window<T> {
    fn shape(&mut self, elements: usize, rows: usize, skew: usize) {
        self.skew = skew;
        self.stride = (skew + elements).next_multiple_of(8);
        let need = self.stride * rows;
        if self.data.len() < need {
            self.data.resize(need, T::default());
        }
    }

    /// Row `row`, padding included.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        self.rows(row, 1)
    }

    /// `count` rows from `row` on.
    #[inline]
    pub fn rows(&self, row: usize, count: usize) -> &[T] {
        &self.data[row * self.stride..][..count * self.stride]
    }
}

impl Window<u8> {
    /// Gathers raw bytes.
    pub fn gather(&mut self, view: &MediaView, plane: &Plane, x: &Axis, y: &Axis) {
        let n = plane.texel_bytes;
        let bytes = x.sources().len() * n;
        if x.inside {
            // Whole words are what memory reads fastest: begin at one, if that is possible for
            // every row and does not split a texel.
            let begin = x.sources()[0] as usize * n;
            let skew = match plane.rows(begin) {
                Some((pitch, at)) if pitch.is_multiple_of(8) => Some(at % 8),
                _ => None,
            };
            let skew = skew.filter(|&skew| skew.is_multiple_of(n) && skew <= begin);
            let by_words = skew.is_some();
            let skew = skew.unwrap_or(0);
            self.shape(bytes, y.sources().len(), skew);
            if by_words && y.inside {
                let (from, rows) = ((begin - skew, y.sources()[0] as usize), y.sources().len());
                let out = &mut self.data[..self.stride * rows];
                if view.read_rows(plane, from, rows, out).is_some() {
                    return;
                }
            }
            let length = if by_words { self.stride } else { bytes };
            self.fill(y, |row, out| {
                view.read(plane, begin - skew, row, &mut out[..length]);
            });
        } else {
            self.shape(bytes, y.sources().len(), 0);
            self.fill(y, |row, out| {
                for (&source, out) in x.sources().iter().zip(out.chunks_exact_mut(n)) {
                    view.read(plane, source as usize * n, row, out);
                }
            });
        }
    }
}

/// The high byte of an 8.8 value.
#[inline(always)]
pub const fn code(value: u16) -> i16 {
    (value >> 8) as i16
}

/// An 8.8 value less [`CENTRE`](super::lanes::CENTRE).
#[inline(always)]
pub const fn centred(value: u16) -> i16 {
    (value ^ 0x8000) as i16
}

impl Window<i16> {
    /// `of` component `component` of the texels of `plane` in `raw`, of `rows` rows.
    pub fn component(
        &mut self,
        raw: &Window<u8>,
        (depth, plane): (Depth, &Plane),
        component: usize,
        rows: usize,
        of: impl Fn(u16) -> i16,
    ) {
        let texels = (raw.stride - raw.skew) / plane.texel_bytes;
        self.shape(texels, rows, 0);
        let to = self.data.chunks_exact_mut(self.stride);
        for (to, from) in to.zip(raw.data.chunks_exact(raw.stride)).take(rows) {
            let from = &from[raw.skew..];
            match (depth, plane.texel_bytes) {
                (Depth::Byte, 1) => put(to, from.as_chunks::<1>().0, |[code]| {
                    of(u16::from(code) << 8)
                }),
                (Depth::Byte, 2) => put(to, from.as_chunks().0, |texel| {
                    of(u16::from_le_bytes(texel) >> (8 * component) << 8)
                }),
                (Depth::Byte, _) => put(to, from.as_chunks().0, |texel| {
                    of((u32::from_le_bytes(texel) >> (8 * component) << 8) as u16)
                }),
                (depth, n) => {
                    for (to, texel) in to.iter_mut().zip(from.chunks_exact(n)) {
                        *to = of(decode(depth, texel)[component]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn put<const N: usize>(to: &mut [i16], from: &[[u8; N]], value: impl Fn([u8; N]) -> i16) {
    for (to, &texel) in to.iter_mut().zip(from) {
        *to = value(texel);
    }
}

/// Components of the texels of `plane`, those within `key` zero, [`centred`].
pub fn gather_keyed(
    windows: &mut [Window<i16>; 4],
    (view, key): (&MediaView, &ChromaKey),
    plane: &Plane,
    (x, y): (&Axis, &Axis),
) {
    for window in &mut *windows {
        window.shape(x.sources().len(), y.sources().len(), 0);
    }
    for (row, &line) in y.sources().iter().enumerate() {
        for (column, &source) in x.sources().iter().enumerate() {
            let texel = key.texel(view, plane, source, line);
            for (window, value) in windows.iter_mut().zip(texel) {
                window.data[row * window.stride + column] = centred(value);
            }
        }
    }
}

impl<T: Copy + Default> Window<T> {
    /// Fills every row with `read`; a row of the plane that repeats is read once.
    fn fill(&mut self, y: &Axis, mut read: impl FnMut(usize, &mut [T])) {
        let stride = self.stride;
        let mut before = None;
        for (i, &source) in y.sources().iter().enumerate() {
            let at = i * stride;
            if before == Some(source) {
                self.data.copy_within(at - stride..at, at);
            } else {
                read(source as usize, &mut self.data[at..at + stride]);
            }
            before = Some(source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::view::{PlaneLayout, media_format};
    use super::*;
    use crate::surface::{Format, Memory, Planes};
    use pretty_assertions::assert_eq;

    fn axis(positions: &[i32], size: i32) -> Axis {
        let mut axis = Axis::default();
        let positions: Vec<i32> = positions.iter().map(|t| t * 256).collect();
        axis.set(&positions, size, Edge::Clamp);
        axis
    }

    #[test]
    fn neighbouring_pixels_share_texels() {
        let axis = axis(&[4, 5, 7], 100);
        assert_eq!(axis.sources(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(axis.starts(), [0, 1, 3]);
        assert!(axis.inside);
    }

    #[test]
    fn far_pixels_list_their_own_texels() {
        let axis = axis(&[1000, -5, 10], 16);
        assert_eq!(axis.sources()[..10], [15, 15, 15, 15, 15, 15, 15, 15, 0, 0]);
        assert_eq!(axis.sources()[16..], [7, 8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(axis.starts(), [0, 8, 16]);
    }

    #[test]
    fn inner_and_edge_windows_hold_what_the_plane_holds() {
        let bytes: Vec<u8> = (0..24 * 24).map(|i| (i * 7 % 251) as u8).collect();
        let memory = Memory::from_bytes(&bytes);
        for (format, n, pitch, base) in [
            (Format::Y8_UNORM, 1, 24, 0),
            (Format::R8B8_UNORM, 2, 22, 1),
            (Format::R8G8B8A8_UNORM, 4, 24, 3),
        ] {
            let (size, place) = ((22 / n as u32, 22), PlaneLayout::linear(base, pitch));
            let format = media_format(format).unwrap();
            let chroma = Planes::default();
            let view = MediaView::new(&memory, format, size, place, chroma, Edge::Mirror);
            let plane = &view.planes()[0];
            for shift in -12..30 {
                let (mut x, mut y) = (Axis::default(), Axis::default());
                let at = |i| (i + shift) * 256;
                x.set(&[0, 1].map(at), plane.size.0, Edge::Mirror);
                y.set(&[0, 1, 2].map(at), plane.size.1, Edge::Mirror);
                let mut window = Window::<u8>::default();
                window.gather(&view, plane, &x, &y);
                for (j, &row) in y.sources().iter().enumerate() {
                    for (i, &column) in x.sources().iter().enumerate() {
                        let found = &window.row(j)[window.skew + i * n..][..n];
                        let at = base + row as usize * pitch as usize + column as usize * n;
                        assert_eq!(found, &bytes[at..at + n], "{shift} ({i}, {j})");
                    }
                }
            }
        }
    }
}
