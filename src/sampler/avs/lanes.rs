//! Rows of taps against rows of texels, eight pixels at a time.
//!
//! What the kernels spend most time in. The sums are exact in 32 bits whatever the texels, which are 16-bit
//! numbers with a sign; sixteen-bit texels without one are stored less [`CENTRE`], and [`Across::bias`] makes
//! up for it.
//!
//! The sum of eight products is [`i16x8::dot`]: plain loops over arrays do not become the instruction that
//! multiplies and adds pairs, and take several times as many.

use super::filters::Taps;
use super::position::MAX_COLUMNS;
use super::window::{Axis, FOOTPRINT};
use wide::{i16x8, i32x4};

/// Pixels that are computed together.
pub const LANES: usize = 8;
/// Groups of them in the widest block.
const GROUPS: usize = MAX_COLUMNS.div_ceil(LANES);
/// Pixels of a row of results: those beyond the block hold anything.
pub const PADDED: usize = GROUPS * LANES;

/// What stored texels lack of their values.
pub const CENTRE: i32 = 0x8000;

/// The eight taps of every pixel along an axis, and where its texels begin.
pub struct Across {
    starts: [[u8; LANES]; GROUPS],
    taps: [[[i16; FOOTPRINT]; LANES]; GROUPS],
    groups: usize,
}

impl Across {
    /// The taps of `taps` at the phases of `axis`.
    pub fn new(axis: &Axis, taps: Taps) -> Across {
        Across::from_fn(axis, |beta| taps.row(beta))
    }

    /// The smooth filter: `32 - beta` and `beta` on the two centre texels. Source: AVS reference 3.4.
    pub fn smooth(axis: &Axis) -> Across {
        Across::from_fn(axis, |beta| {
            let beta = i16::from(beta);
            [0, 0, 0, 32 - beta, beta, 0, 0, 0]
        })
    }

    fn from_fn(axis: &Axis, taps: impl Fn(u8) -> [i16; FOOTPRINT]) -> Across {
        let mut across = Across {
            starts: [[0; LANES]; GROUPS],
            taps: [[[0; FOOTPRINT]; LANES]; GROUPS],
            groups: axis.pixels().div_ceil(LANES),
        };
        let places = across.starts.as_flattened_mut().iter_mut();
        let rows = across.taps.as_flattened_mut().iter_mut();
        let pixels = axis.starts().iter().zip(axis.betas());
        for ((place, row), (&start, &beta)) in places.zip(rows).zip(pixels) {
            (*place, *row) = (start, taps(beta));
        }
        across
    }

    /// What sums of texels stored less [`CENTRE`] lack.
    pub fn bias(&self) -> [i32; PADDED] {
        let taps = self.taps.as_flattened();
        std::array::from_fn(|pixel| CENTRE * taps[pixel].iter().map(|&k| i32::from(k)).sum::<i32>())
    }

    /// Where the texels of each pixel begin.
    #[inline]
    pub fn starts(&self) -> &[u8] {
        &self.starts.as_flattened()[..self.groups * LANES]
    }

    /// The sum of taps times texels of each pixel. Texels that `texels` lacks count as zero.
    #[inline(always)]
    pub fn sums(&self, texels: &[i16], out: &mut [i32; PADDED]) {
        let groups = self.starts.iter().zip(&self.taps).take(self.groups);
        for ((starts, taps), out) in groups.zip(out.as_chunks_mut::<LANES>().0) {
            let (a, b) = (four(texels, starts, taps, 0), four(texels, starts, taps, 4));
            out[..4].copy_from_slice(a.as_array());
            out[4..].copy_from_slice(b.as_array());
        }
    }
}

/// The sums of four pixels of a group, from pixel `first` on.
#[inline(always)]
fn four(
    texels: &[i16],
    starts: &[u8; LANES],
    taps: &[[i16; FOOTPRINT]; LANES],
    first: usize,
) -> i32x4 {
    let sums = std::array::from_fn(|i| {
        let pixel = first + i;
        match texels
            .get(usize::from(starts[pixel])..)
            .and_then(|t| t.first_chunk())
        {
            Some(texels) => i16x8::new(*texels).dot(i16x8::new(taps[pixel])),
            None => i32x4::ZERO, // not reached: a window holds the footprint of every pixel
        }
    });
    let [a, b, c, d] = i32x4::transpose(sums);
    (a + b) + (c + d)
}

/// `out[i] = Σ rows[tap][i] · k[tap]`. Sums wrap on the way and fit at the end, or not at all.
///
/// Eight texels to a vector, taps innermost: a shape that becomes plain vector code everywhere.
#[inline]
pub fn down<const TAPS: usize>(rows: &[i16], k: &[i16; TAPS], out: &mut [i16]) {
    let vectors = rows.len() / TAPS / LANES;
    let (rows, _) = rows.as_chunks::<LANES>();
    let out = &mut out.as_chunks_mut::<LANES>().0[..vectors];
    for (vector, out) in out.iter_mut().enumerate() {
        let mut sums = [0i16; LANES];
        for (row, &k) in rows.chunks_exact(vectors.max(1)).zip(k) {
            for (sum, texel) in sums.iter_mut().zip(row[vector]) {
                *sum = sum.wrapping_add(texel.wrapping_mul(k));
            }
        }
        *out = sums;
    }
}
