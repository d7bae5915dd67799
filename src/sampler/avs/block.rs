//! A block of one plane of bytes made of its texels: sums across each row, and of those down each column.
//!
//! ```text
//!  rows of texels, bytes ── across ──▶ rows of sixteen sums, 16 bits ── down ──▶ samples
//! ```
//!
//! Only what `sharp` computes, one channel at a time, the other way round: sums across a row of bytes fit 16 bits just as
//! sums down its columns do.

use super::filters::Taps;
use super::lanes::{self, PADDED};
use super::view::Edge;
use super::window::{Axis, FOOTPRINT};
use crate::math::simd::Wide;

/// Columns of the widest block and rows of the highest one.
pub const COLUMNS: usize = 16;
pub const ROWS: usize = 8;

/// Rows of texels that a block needs at most.
pub const SOURCES: usize = ROWS * FOOTPRINT;

/// Words of a row of texels: a footprint for each column, what comes before the first texel in its word, and as many texels
/// as are read together beyond the last one; whole lines of the host's cache.
pub const WORDS: usize = COLUMNS + 8;

/// How far the first texels of eight columns may lie apart to be picked from sixteen, in pairs.
const APART: u8 = 14;

/// The greatest sample.
pub const MOST: u16 = 0xff00;

/// Bits by which a sum of sums is more exact than a sample of 16 bits.
pub const SHIFT: i32 = 4;

/// How bytes of a row are summed.
#[derive(Default)]
pub struct Across {
    /// The texel from which on the first eight columns, and the others, pick theirs; which ones, and their taps.
    at: [usize; 2],
    order: [u8; 2 * COLUMNS],
    /// How many pairs that follow each other the sixteen texels hold that one is picked from: 1, 2 or 4.
    together: usize,
    taps: [[i8; 2 * COLUMNS]; FOOTPRINT / 2],
    /// Where columns lie too far apart for that.
    apart: Option<Box<lanes::Across>>,
}

/// How rows of sums are summed.
#[derive(Default)]
pub struct Down {
    y: Axis,
    /// Taps of each row.
    taps: [[i16; FOOTPRINT]; ROWS],
    /// Rows of texels that it takes, and the last one of the plane that they name; `None` if one that they name is none.
    reach: Option<(usize, u32)>,
}

/// Rows of samples, and rows of texels below them.
pub struct Lines<'d> {
    /// Of each row of samples the place in `rows` of its first row of texels, of [`FOOTPRINT`]: `rows` has them all.
    pub starts: &'d [u8],
    pub taps: &'d [[i16; FOOTPRINT]],
    /// Rows of the plane, from 0 to `last`.
    pub rows: &'d [i32],
    pub last: u32,
    /// Whether each row is the one below that in front of it.
    pub follow: bool,
}

/// The texels of a row.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Texels(pub [u64; WORDS]);

/// A sum for each column.
type Sums = [i16; COLUMNS];

/// What blocks use again and again; the contents never matter.
pub struct Buffers {
    pub texels: [Texels; SOURCES],
    /// Bytes before the first texel of a row.
    pub skews: [u8; SOURCES],
    sums: [Sums; SOURCES],
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers {
            texels: [Texels([0; WORDS]); SOURCES],
            skews: [0; SOURCES],
            sums: [[0; COLUMNS]; SOURCES],
        }
    }
}

/// Samples of a block, as they lie in its bytes.
#[derive(Clone, Copy)]
pub struct Samples {
    pub columns: usize,
    /// Bytes of a sample, 1 or 2.
    pub element: usize,
}

impl Across {
    /// How the columns of `x` are summed.
    #[inline(never)]
    pub fn new(x: &Axis, taps: Taps) -> Across {
        let [&starts, &betas] = x.places::<COLUMNS>();
        let mut across = Across {
            together: 1,
            ..Across::default()
        };
        let halves = starts.as_chunks::<{ COLUMNS / 2 }>().0;
        let mut widest = 0;
        for ((half, at), order) in halves
            .iter()
            .zip(&mut across.at)
            .zip(across.order.as_chunks_mut::<COLUMNS>().0)
        {
            let (least, most) = half
                .iter()
                .fold((u8::MAX, 0), |(a, b), &start| (a.min(start), b.max(start)));
            if most - least > APART {
                across.apart = Some(Box::new(lanes::Across::new(x, taps)));
                return across;
            }
            *at = usize::from(least);
            widest = widest.max(most - least);
            for (order, start) in order.as_chunks_mut::<2>().0.iter_mut().zip(half) {
                *order = [start - least, start - least + 1];
            }
        }
        // The last byte of a pair is the sixteenth at most.
        across.together = match widest {
            0..=8 => 4,
            9..=12 => 2,
            _ => 1,
        };
        for (column, beta) in betas.into_iter().enumerate() {
            let row = taps.row(beta);
            for (taps, pair) in across.taps.iter_mut().zip(row.as_chunks::<2>().0) {
                // A table holds what eight bits do.
                taps.as_chunks_mut::<2>().0[column] = pair.map(|tap| tap as i8);
            }
        }
        across
    }

    /// Makes a block of its texels; `PAIRS` is half the number of taps that count. `None` is never reached.
    #[inline(always)]
    pub fn filter<const PAIRS: usize>(
        &self,
        wide: Wide,
        down: &Down,
        buffers: &mut Buffers,
        samples: Samples,
        out: &mut [u8],
    ) -> Option<()> {
        let rows = down.y.sources().len();
        match (&self.apart, PAIRS / self.together) {
            (None, 0 | 1) => self.sums::<1, PAIRS>(wide, buffers, rows)?,
            (None, 2) => self.sums::<2, PAIRS>(wide, buffers, rows)?,
            (None, _) => self.sums::<4, PAIRS>(wide, buffers, rows)?,
            (Some(across), _) => across_apart(across, buffers, rows)?,
        }
        down.samples::<PAIRS>(wide, buffers, samples, out)
    }

    /// The sums of rows, of which pairs of texels are picked from so many loads; `None` is never reached.
    #[inline(always)]
    fn sums<const LOADS: usize, const PAIRS: usize>(
        &self,
        wide: Wide,
        buffers: &mut Buffers,
        rows: usize,
    ) -> Option<()> {
        let first = FOOTPRINT / 2 - PAIRS;
        let taps = self.taps[first / 2..].first_chunk::<PAIRS>()?;
        let apart = 2 * PAIRS.div_ceil(LOADS);
        for (sums, texels, skew) in buffers.rows(rows) {
            let [low, high] = self.at.map(|at| {
                let at = at + skew + first;
                texels.get(at..at + COLUMNS + apart * (LOADS - 1))
            });
            let (low, high) = (low?, high?);
            let mut bytes = [[[0; COLUMNS]; 2]; LOADS];
            for (load, halves) in bytes.iter_mut().enumerate() {
                *halves = [
                    *low[apart * load..].first_chunk()?,
                    *high[apart * load..].first_chunk()?,
                ];
            }
            *sums = wide.sums_of_bytes(bytes, &self.order, taps);
        }
        Some(())
    }
}

/// The sums of rows whose columns lie wherever they do; `None` is never reached.
#[inline(never)]
fn across_apart(across: &lanes::Across, buffers: &mut Buffers, rows: usize) -> Option<()> {
    for (sums, texels, skew) in buffers.rows(rows) {
        let mut codes = [0; 8 * WORDS];
        for (code, &texel) in codes.iter_mut().zip(texels) {
            *code = i16::from(texel);
        }
        let mut wide = [0; PADDED];
        across.sums(codes.get(skew..)?, &mut wide);
        *sums = std::array::from_fn(|column| wide[column] as i16);
    }
    Some(())
}

impl Down {
    /// Becomes that of rows at these places, of a plane of so many rows of texels.
    pub fn set(&mut self, places: &[i32], size: i32, edge: Edge, taps: Taps) {
        self.y.set(places, size, edge);
        for (row, &beta) in self.taps.iter_mut().zip(self.y.betas()) {
            *row = taps.row(beta);
        }
        let furthest = self.y.starts().iter().max();
        let rows = furthest.map_or(0, |start| usize::from(*start) + FOOTPRINT);
        let ends = self
            .y
            .sources()
            .iter()
            .min()
            .zip(self.y.sources().iter().max());
        self.reach = ends.and_then(|(&least, &most)| {
            u32::try_from(least).ok()?;
            Some((rows, u32::try_from(most).ok()?))
        });
    }

    /// The rows of texels.
    pub fn y(&self) -> &Axis {
        &self.y
    }

    /// What it was set to, if it was.
    pub fn lines(&self) -> Option<Lines<'_>> {
        let (reach, last) = self.reach?;
        let (starts, rows) = (self.y.starts(), self.y.sources());
        let taps = self.taps.get(..starts.len())?;
        (reach <= rows.len()).then_some(Lines {
            starts,
            taps,
            rows,
            last,
            follow: self.y.is_inside(),
        })
    }

    /// The samples of a block of the sums of its rows; `None` is never reached.
    #[inline(always)]
    fn samples<const PAIRS: usize>(
        &self,
        wide: Wide,
        buffers: &Buffers,
        samples: Samples,
        out: &mut [u8],
    ) -> Option<()> {
        let first = FOOTPRINT / 2 - PAIRS;
        let places = self.y.starts().iter().zip(&self.taps);
        for ((&start, taps), at) in places.zip(samples.rows()) {
            let sums = buffers.sums.get(usize::from(start) + first..)?;
            let sums = sums.as_chunks().0.first_chunk::<PAIRS>()?;
            let taps = taps[first..].as_chunks().0.first_chunk::<PAIRS>()?;
            samples.put(
                wide.sums_of_words::<PAIRS, SHIFT>(sums, taps),
                out.get_mut(at..)?,
            );
        }
        Some(())
    }
}

impl Buffers {
    /// Of each row the place of its sums, its texels and how many bytes come before the first.
    #[inline(always)]
    fn rows(&mut self, count: usize) -> impl Iterator<Item = (&mut Sums, &[u8], usize)> {
        let texels = self.texels.iter().zip(&self.skews);
        let rows = self.sums.iter_mut().zip(texels).take(count);
        rows.map(|(sums, (texels, &skew))| {
            (sums, bytemuck::cast_slice(&texels.0), usize::from(skew))
        })
    }
}

impl Samples {
    /// Where its rows begin.
    #[inline(always)]
    fn rows(self) -> impl Iterator<Item = usize> {
        (0..).step_by(self.element * self.columns)
    }

    /// Writes the samples of a row, rounded to bytes if they are such.
    #[inline(always)]
    fn put(self, samples: [u16; COLUMNS], out: &mut [u8]) {
        match self.element {
            1 => put(&rounded(samples), out),
            _ => put::<{ 2 * COLUMNS }>(&bytemuck::cast(samples.map(clamped)), out),
        }
    }
}

/// A sample, at most FF00h.
#[inline(always)]
fn clamped(sample: u16) -> [u8; 2] {
    sample.min(MOST).to_le_bytes()
}

/// Samples rounded to bytes. A loop, because `map` is not inlined.
#[inline(always)]
fn rounded(samples: [u16; COLUMNS]) -> [u8; COLUMNS] {
    let mut bytes = [0; COLUMNS];
    for (byte, sample) in bytes.iter_mut().zip(samples) {
        *byte = ((sample.min(MOST) + 0x80) >> 8) as u8;
    }
    bytes
}

/// As many bytes as there is room for: what a narrow row has too many the next one is written over.
#[inline(always)]
fn put<const N: usize>(bytes: &[u8; N], out: &mut [u8]) {
    match out.first_chunk_mut() {
        Some(out) => *out = *bytes,
        None => out.copy_from_slice(&bytes[..out.len()]),
    }
}
