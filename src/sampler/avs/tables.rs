//! Coefficient tables: the published ones as data, and the generator that made them.
//!
//! A table holds one row of taps per phase, a phase being 1/32 texel. State stores phases 0..=16;
//! the other half is the mirror image:
//!
//! ```text
//!  texel      -3 -2 -1  0  1  2  3  4        0 is the texel at or left of the position
//!  phase 2    -1  2 -4 65  4 -2  1 -1        2/32 right of texel 0
//!  phase 30   -1  1 -2  4 65 -4  2 -1        2/32 left of texel 1: the same row read backwards
//! ```
//!
//! Source: AVS reference 3.2 and 7.

use serde::de::{Deserialize, Deserializer, Error as _};

/// One, in the S1.6 format of coefficients.
pub const ONE: i32 = 64;

/// Phases of a texel; positions are truncated to this many.
pub const PHASES: usize = 32;

/// Rows that state before Gen9 stores; the others are mirrored.
pub const STORED: usize = 17;

/// `N` taps for each of the 32 phases, S1.6 (64 = 1.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<const N: usize> {
    rows: [[i16; N]; PHASES],
    /// Largest sum of the positive coefficients of a row.
    positive: u16,
    /// Largest sum of the magnitudes of the negative coefficients of a row.
    negative: u16,
}

/// Eight taps: table 0.
pub type Taps8 = Table<8>;
/// Four taps: table 1.
pub type Taps4 = Table<4>;

/// Why rows are not a coefficient table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// Neither of the two row counts.
    #[error(
        "a coefficient table has 17 rows (phases 0/32 to 16/32, the rest mirrored) or 32, not {0}"
    )]
    Rows(usize),
    /// A row too short or too long.
    #[error("row {row} of this coefficient table has {found} taps, not {wanted}")]
    Taps {
        /// The row, from 0.
        row: usize,
        /// Taps it has.
        found: usize,
        /// Taps it needs.
        wanted: usize,
    },
    /// Not representable in S1.6.
    #[error("row {row}: coefficient {value} is outside -128..=127 (64 stands for 1.0)")]
    Range {
        /// The row, from 0.
        row: usize,
        /// The value that does not fit.
        value: i64,
    },
    /// No such generator.
    #[error(
        "unknown coefficient table {0:?}; known are \"identity\" (or \"nearest\"), \"bilinear\", \"polyphase SCALE\" and \"lanczos SCALE\", \
         SCALE being output size / input size (0.5 for half), 1 if it is left out"
    )]
    Name(String),
}

impl<const N: usize> Table<N> {
    /// Column of the texel at or left of the position: 3 of 8, 1 of 4.
    const CENTRE: usize = N / 2 - 1;

    /// A table from 17 rows, the others mirrored, or from all 32; four taps may appear in rows of eight columns.
    /// Source: AVS reference 3.2.
    ///
    /// # Errors
    /// [`TableError`]: another number of rows or taps, or a coefficient that is not an S1.6 byte.
    pub fn from_rows(rows: &[Vec<i64>]) -> Result<Table<N>, TableError> {
        if rows.len() != STORED && rows.len() != PHASES {
            return Err(TableError::Rows(rows.len()));
        }
        let mut stored = [[0; N]; PHASES];
        for (row, (taps, out)) in rows.iter().zip(&mut stored).enumerate() {
            // Four taps are columns 2..=5 of the eight-texel window.
            let taps = match (N, &taps[..]) {
                (4, &[_, _, ref middle @ .., _, _]) if taps.len() == 8 => middle,
                _ => taps,
            };
            if taps.len() != N {
                return Err(TableError::Taps {
                    row,
                    found: taps.len(),
                    wanted: N,
                });
            }
            for (&value, out) in taps.iter().zip(out) {
                *out =
                    i16::from(i8::try_from(value).map_err(|_| TableError::Range { row, value })?);
            }
        }
        Ok(match rows.len() {
            STORED => Table::mirrored(stored),
            _ => Table::new(stored),
        })
    }

    /// All phases given.
    const fn new(rows: [[i16; N]; PHASES]) -> Table<N> {
        let (mut positive, mut negative, mut phase) = (0, 0, 0);
        while phase < PHASES {
            let (mut plus, mut minus, mut tap) = (0, 0, 0);
            while tap < N {
                let k = rows[phase][tap];
                if k > 0 {
                    plus += k as u16;
                } else {
                    minus += k.unsigned_abs();
                }
                tap += 1;
            }
            if plus > positive {
                positive = plus;
            }
            if minus > negative {
                negative = minus;
            }
            phase += 1;
        }
        Table {
            rows,
            positive,
            negative,
        }
    }

    /// Phases 17..=31 are rows 15..=1 with the taps reversed. Source: AVS reference 3.2.
    const fn mirrored(mut rows: [[i16; N]; PHASES]) -> Table<N> {
        let mut phase = STORED;
        while phase < PHASES {
            let mut tap = 0;
            while tap < N {
                rows[phase][tap] = rows[PHASES - phase][N - 1 - tap];
                tap += 1;
            }
            phase += 1;
        }
        Table::new(rows)
    }

    /// The published rows 0..=16.
    const fn published(stored: &[[i16; N]; STORED]) -> Table<N> {
        let mut rows = [[0; N]; PHASES];
        let mut phase = 0;
        while phase < STORED {
            rows[phase] = stored[phase];
            phase += 1;
        }
        Table::mirrored(rows)
    }

    /// The taps of phase `beta`, 0..=31.
    #[inline]
    pub fn row(&self, beta: u8) -> &[i16; N] {
        &self.rows[usize::from(beta) % PHASES]
    }

    /// The largest sums of positive and of negative (as a magnitude) coefficients in a row: what a
    /// kernel needs to know that its arithmetic fits.
    pub const fn gain(&self) -> (u16, u16) {
        (self.positive, self.negative)
    }

    /// The unit tap: left of phase 16 and at it the texel at or left of the position, above it the
    /// next. Source: AVS reference 7.1.
    pub fn nearest() -> Table<N> {
        Table::new(std::array::from_fn(|phase| {
            let mut row = [0; N];
            row[Self::CENTRE + usize::from(phase > 16)] = ONE as i16;
            row
        }))
    }

    /// Two taps, `64 - 2 phase` and `2 phase`. Source: AVS reference 7.1.
    pub fn bilinear() -> Table<N> {
        Table::new(std::array::from_fn(|phase| {
            let mut row = [0; N];
            row[Self::CENTRE] = (64 - 2 * phase) as i16;
            row[Self::CENTRE + 1] = (2 * phase) as i16;
            row
        }))
    }

    /// The windowed sinc of AVS reference 7.1 for `scale` = output size / input size; at exactly 1
    /// the caller may want [`Table::nearest`], as drivers do.
    pub fn polyphase(scale: f64) -> Table<N> {
        let window = match (N, scale < 1.0) {
            (8, true) => 4.0,
            (8, false) => 8.0,
            _ => 2.0,
        };
        let (half, k) = (N as f64 / 2.0, stretch(scale));
        Table::new(std::array::from_fn(|phase| {
            let weights = Self::sample(phase, |x| {
                let x = x * k;
                if x.abs() >= half {
                    0.0
                } else {
                    sinc(x) * sinc(x / window)
                }
            });
            let (mut row, residue) = Self::quantise(weights);
            row[Self::CENTRE + usize::from(phase > 16)] += residue;
            row.map(clamp_s1_6)
        }))
    }

    /// The Lanczos window of three lobes (eight taps) or two (four taps), cut at the lobe count
    /// after stretching. AVS reference 7.1 says that the rounding residue is spread over the centre
    /// taps without saying how: here half of it goes to each, the odd unit to the nearer one.
    pub fn lanczos(scale: f64) -> Table<N> {
        let (lobes, k) = (if N == 8 { 3.0 } else { 2.0 }, stretch(scale));
        Table::new(std::array::from_fn(|phase| {
            let weights = Self::sample(phase, |x| {
                let x = x * k;
                if x.abs() >= lobes {
                    0.0
                } else {
                    sinc(x) * sinc(x / lobes)
                }
            });
            let (mut row, residue) = Self::quantise(weights);
            let nearer = Self::CENTRE + usize::from(phase > 16);
            let other = Self::CENTRE + usize::from(phase <= 16);
            row[other] += residue / 2;
            row[nearer] += residue - residue / 2;
            row.map(clamp_s1_6)
        }))
    }

    /// `kernel` at the distance of every tap from the position of `phase`.
    fn sample(phase: usize, kernel: impl Fn(f64) -> f64) -> [f64; N] {
        let position = Self::CENTRE as f64 + phase as f64 / PHASES as f64;
        std::array::from_fn(|tap| kernel(tap as f64 - position))
    }

    /// Weights scaled to a sum of 64 and rounded, and what rounding left over.
    fn quantise(weights: [f64; N]) -> ([i32; N], i32) {
        let sum: f64 = weights.iter().sum();
        let row = weights.map(|w| (0.5 + f64::from(ONE) * w / sum).floor() as i32);
        (row, ONE - row.iter().sum::<i32>())
    }

    /// A table by name: `identity` (also `nearest`), `bilinear`, `polyphase 0.5`, `lanczos 1.5`. Without a scale
    /// it is that of every upscale.
    ///
    /// # Errors
    /// [`TableError::Name`].
    pub fn named(name: &str) -> Result<Table<N>, TableError> {
        let unknown = || TableError::Name(name.to_owned());
        let mut words = name.split_whitespace();
        let (kind, scale) = (words.next().ok_or_else(unknown)?, words.next());
        let scale = match scale {
            None => None,
            Some(text) => {
                let scale: f64 = text.parse().map_err(|_| unknown())?;
                let usable = scale > 0.0 && scale.is_finite();
                Some(usable.then_some(scale).ok_or_else(unknown)?)
            }
        };
        match (kind, scale, words.next()) {
            // A scale of 1 moves nothing: drivers take the nearest texel for it.
            ("identity" | "nearest", None, None) => Ok(Table::nearest()),
            ("bilinear", None, None) => Ok(Table::bilinear()),
            ("polyphase", scale, None) => Ok(Table::polyphase(scale.unwrap_or(1.0))),
            ("lanczos", scale, None) => Ok(Table::lanczos(scale.unwrap_or(1.0))),
            _ => Err(unknown()),
        }
    }
}

/// The factor on distances: a downscale widens the kernel, an upscale leaves it.
fn stretch(scale: f64) -> f64 {
    scale.min(1.0)
}

fn clamp_s1_6(k: i32) -> i16 {
    k.clamp(-128, 127) as i16
}

/// sin(πx) / (πx), without the host's mathematical library.
fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        sin_pi(x) / (std::f64::consts::PI * x)
    }
}

/// sin(πx), good to a few units in the last place: reduced to ±1/2, then Taylor's series. Only
/// additions, multiplications and `floor` are used, so every host computes the same bits.
fn sin_pi(x: f64) -> f64 {
    let turns = (x + 0.5).floor();
    let t = std::f64::consts::PI * (x - turns);
    let square = t * t;
    // 1 - t²/(2·3)·(1 - t²/(4·5)·(1 - ...)), 14 terms: the next is below 2^-60 at t = π/2.
    let series = (1..14).rev().fold(1.0, |inner, n| {
        let n = f64::from(n);
        1.0 - square / ((2.0 * n) * (2.0 * n + 1.0)) * inner
    });
    let sine = t * series;
    if turns.rem_euclid(2.0) == 0.0 {
        sine
    } else {
        -sine
    }
}

/// Rows of integers (64 = 1.0), or a name for [`Table::named`].
impl<'de, const N: usize> Deserialize<'de> for Table<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Written {
            Name(String),
            Rows(Vec<Vec<i64>>),
        }
        match Written::deserialize(deserializer)? {
            Written::Name(name) => Table::named(&name),
            Written::Rows(rows) => Table::from_rows(&rows),
        }
        .map_err(D::Error::custom)
    }
}

/// Eight taps at scale 1:1 and every upscale. Source: AVS reference 7.2.
pub static POLYPHASE_8: Taps8 = Table::published(&[
    [0, 0, 0, 64, 0, 0, 0, 0],
    [-1, 1, -2, 64, 2, -1, 1, 0],
    [-1, 2, -4, 65, 4, -2, 1, -1],
    [-1, 3, -5, 63, 6, -3, 2, -1],
    [-2, 3, -7, 64, 9, -4, 2, -1],
    [-2, 4, -8, 63, 11, -5, 3, -2],
    [-3, 5, -9, 62, 14, -6, 3, -2],
    [-3, 5, -11, 61, 17, -7, 4, -2],
    [-3, 6, -11, 59, 20, -8, 4, -3],
    [-4, 6, -12, 59, 22, -9, 5, -3],
    [-4, 7, -13, 57, 25, -10, 5, -3],
    [-4, 7, -13, 55, 28, -11, 6, -4],
    [-4, 7, -14, 53, 31, -11, 6, -4],
    [-4, 7, -14, 50, 34, -12, 7, -4],
    [-4, 7, -14, 48, 37, -13, 7, -4],
    [-4, 7, -14, 45, 40, -13, 7, -4],
    [-4, 7, -13, 41, 43, -13, 7, -4],
]);

/// Four taps at scale 1:1 and every upscale. Source: AVS reference 7.2.
pub static POLYPHASE_4: Taps4 = Table::published(&[
    [0, 64, 0, 0],
    [-1, 64, 1, 0],
    [-2, 63, 3, 0],
    [-3, 62, 5, 0],
    [-4, 62, 6, 0],
    [-4, 60, 8, 0],
    [-5, 60, 10, -1],
    [-5, 57, 13, -1],
    [-5, 55, 15, -1],
    [-5, 53, 17, -1],
    [-5, 51, 20, -2],
    [-5, 49, 22, -2],
    [-5, 46, 25, -2],
    [-5, 44, 28, -3],
    [-5, 41, 31, -3],
    [-4, 39, 33, -4],
    [-4, 36, 36, -4],
]);

/// Eight taps at scale 1:2, that is, half the size. Source: AVS reference 7.2.
pub static POLYPHASE_8_HALF: Taps8 = Table::published(&[
    [-6, 0, 21, 34, 21, 0, -6, 0],
    [-6, 0, 20, 34, 22, 0, -6, 0],
    [-5, -1, 20, 33, 22, 1, -6, 0],
    [-5, -1, 19, 33, 23, 2, -6, -1],
    [-5, -2, 18, 34, 24, 2, -6, -1],
    [-5, -2, 18, 33, 24, 3, -6, -1],
    [-5, -3, 17, 34, 25, 3, -6, -1],
    [-5, -3, 16, 33, 26, 4, -6, -1],
    [-5, -3, 15, 34, 26, 4, -6, -1],
    [-4, -4, 15, 33, 27, 5, -6, -2],
    [-4, -4, 14, 32, 28, 6, -6, -2],
    [-4, -4, 13, 33, 28, 6, -6, -2],
    [-4, -4, 13, 31, 29, 7, -6, -2],
    [-4, -5, 12, 33, 29, 8, -6, -3],
    [-4, -5, 11, 33, 30, 8, -6, -3],
    [-3, -5, 10, 31, 30, 9, -5, -3],
    [-3, -5, 10, 29, 31, 10, -5, -3],
]);

/// Four taps at scale 1:2, that is, half the size. Source: AVS reference 7.2.
pub static POLYPHASE_4_HALF: Taps4 = Table::published(&[
    [17, 30, 17, 0],
    [16, 30, 18, 0],
    [16, 29, 18, 1],
    [15, 29, 19, 1],
    [14, 30, 19, 1],
    [14, 28, 20, 2],
    [13, 29, 20, 2],
    [12, 29, 21, 2],
    [12, 28, 21, 3],
    [11, 28, 22, 3],
    [10, 28, 22, 4],
    [10, 27, 23, 4],
    [9, 27, 23, 5],
    [8, 27, 24, 5],
    [8, 26, 24, 6],
    [7, 26, 25, 6],
    [7, 25, 25, 7],
]);

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn sines_are_right_where_they_are_known() {
        let near = |x: f64, sine: f64| (sin_pi(x) - sine).abs() < 4e-16;
        assert!(near(0.5, 1.0) && near(1.5, -1.0) && near(-0.5, -1.0));
        assert!(near(1.0 / 6.0, 0.5) && near(0.25, std::f64::consts::FRAC_1_SQRT_2));
        assert_eq!([sin_pi(-3.0), sin_pi(0.0), sin_pi(4.0)], [0.0; 3]);
    }
}
