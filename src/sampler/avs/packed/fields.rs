//! The layouts of the scaler's states: which bits hold what. Source: PRM 4.10.3, "For sample_8x8 message", and
//! 4.10.4; AVS reference 3.1, 3.2 and 4.2.

use super::super::tables::{PHASES, STORED};
use crate::diagnostic::Code;
use crate::isa::generations::Generation::{self, *};
use crate::isa::generations::{Span, from};
use crate::surface::Invalid;
use crate::surface::state::field::field;
use crate::surface::state::{Number, StateField, Structure};

const ENABLE: &[(u32, &str)] = &[(0, "enabled"), (1, "disabled")];

/// SAMPLER_STATE for `sample_8x8`; elements are 16 dwords apart. Source: PRM 4.10.3, "For sample_8x8 message".
#[rustfmt::skip]
pub const SAMPLE_8X8_GEN5: &Structure = &Structure {
    name: "SAMPLER_STATE for sample_8x8",
    generations: Span::only(Gen5),
    dwords: 15,
    source: "PRM 4.10.3; AVS reference 3.1 and 4.2",
    planar: |_| false,
    fields: &[
        field("AVS Filter Type", 0, 31, 31).names(&[(0, "adaptive"), (1, "nearest")]),
        field("IEF Bypass", 0, 29, 29),
        field("IEF Filter Type", 0, 28, 28).names(&[(0, "combo"), (1, "detail")]),
        field("IEF Filter Size", 0, 27, 27).names(&[(0, "3x3"), (1, "5x5")]),
        field("ChromaKey Enable", 0, 18, 18),
        field("ChromaKey Index", 0, 17, 16),
        field("Sampler 8x8 State Pointer", 1, 31, 5).number(Number::Address),
        field("Global Noise Estimation", 2, 15, 8),
        field("Strong Edge Threshold", 2, 7, 4),
        field("Weak Edge Threshold", 2, 3, 0),
        field("Strong Edge Weight", 3, 30, 28),
        field("Regular Weight", 3, 26, 24),
        field("Non Edge Weight", 3, 22, 20),
        field("Gain Factor", 3, 19, 14),
        field("R3c Coefficient", 3, 10, 6).number(Number::Fixed(5)),
        field("R3x Coefficient", 3, 4, 0).number(Number::Fixed(5)),
        field("R5c Coefficient", 4, 30, 26).number(Number::Fixed(5)),
        field("R5cx Coefficient", 4, 24, 20).number(Number::Fixed(5)),
        field("R5x Coefficient", 4, 18, 14).number(Number::Fixed(5)),
        field("Steepness Threshold", 4, 11, 8),
        field("Steepness Boost", 4, 7, 7),
        field("MR Threshold", 4, 6, 3),
        field("MR Boost", 4, 2, 2),
        field("PWL1 Point 4", 5, 31, 24),
        field("PWL1 Point 3", 5, 23, 16),
        field("PWL1 Point 2", 5, 15, 8),
        field("PWL1 Point 1", 5, 7, 0),
        field("PWL1 R3 Bias 1", 6, 31, 24),
        field("PWL1 R3 Bias 0", 6, 23, 16),
        field("PWL1 Point 6", 6, 15, 8),
        field("PWL1 Point 5", 6, 7, 0),
        field("PWL1 R3 Bias 5", 7, 31, 24),
        field("PWL1 R3 Bias 4", 7, 23, 16),
        field("PWL1 R3 Bias 3", 7, 15, 8),
        field("PWL1 R3 Bias 2", 7, 7, 0),
        field("PWL1 R5 Bias 2", 8, 31, 24),
        field("PWL1 R5 Bias 1", 8, 23, 16),
        field("PWL1 R5 Bias 0", 8, 15, 8),
        field("PWL1 R3 Bias 6", 8, 7, 0),
        field("PWL1 R5 Bias 6", 9, 31, 24),
        field("PWL1 R5 Bias 5", 9, 23, 16),
        field("PWL1 R5 Bias 4", 9, 15, 8),
        field("PWL1 R5 Bias 3", 9, 7, 0),
        field("PWL1 R3 Slope 3", 10, 31, 24).number(SLOPE),
        field("PWL1 R3 Slope 2", 10, 23, 16).number(SLOPE),
        field("PWL1 R3 Slope 1", 10, 15, 8).number(SLOPE),
        field("PWL1 R3 Slope 0", 10, 7, 0).number(SLOPE),
        field("PWL1 R5 Slope 0", 11, 31, 24).number(SLOPE),
        field("PWL1 R3 Slope 6", 11, 23, 16).number(SLOPE),
        field("PWL1 R3 Slope 5", 11, 15, 8).number(SLOPE),
        field("PWL1 R3 Slope 4", 11, 7, 0).number(SLOPE),
        field("PWL1 R5 Slope 4", 12, 31, 24).number(SLOPE),
        field("PWL1 R5 Slope 3", 12, 23, 16).number(SLOPE),
        field("PWL1 R5 Slope 2", 12, 15, 8).number(SLOPE),
        field("PWL1 R5 Slope 1", 12, 7, 0).number(SLOPE),
        field("Maximum Limiter", 13, 31, 28).number(Number::Fixed(4)),
        field("Minimum Limiter", 13, 27, 24).number(Number::Fixed(4)),
        field("Limiter Boost", 13, 19, 16).number(Number::Fixed(4)),
        field("PWL1 R5 Slope 6", 13, 15, 8).number(SLOPE),
        field("PWL1 R5 Slope 5", 13, 7, 0).number(SLOPE),
        field("Clip Limiter", 14, 17, 8),
    ],
};

/// S3.4.
const SLOPE: Number = Number::SignedFixed(4);

/// Names of the coefficients: all of a table have one.
pub const COEFFICIENTS: [&str; 4] = [
    "Table 0X Filter Coefficient",
    "Table 0Y Filter Coefficient",
    "Table 1X Filter Coefficient",
    "Table 1Y Filter Coefficient",
];

/// Coefficients of a phase: eight of 0X, eight of 0Y, four of 1X, four of 1Y.
pub const EACH: usize = 24;

/// Table and tap of coefficient `i` (of [`EACH`]) of a phase.
const fn place(i: usize) -> (usize, usize) {
    match i {
        0..8 => (0, i),
        8..16 => (1, i - 8),
        16..20 => (2, i - 16 + 2),
        _ => (3, i - 20 + 2),
    }
}

/// The place of coefficient `i` (of [`EACH`]) of the phase that begins at dword `dw`.
const fn coefficient(i: usize, dw: usize, interleaved: bool) -> StateField {
    let (table, tap) = place(i);
    let byte = match (table, interleaved) {
        // X and Y side by side: 0X[0], 0Y[0], 0X[1], 0Y[1].
        (0 | 1, true) => 2 * tap + table,
        _ => 8 * table + tap,
    };
    let (dw, low) = (dw + byte / 4, 8 * (byte % 4) as u32);
    field(COEFFICIENTS[table], dw, low + 7, low).number(Number::SignedFixed(6))
}

/// Fields of adaptive scaling, which follow the first 17 phases on every generation.
const fn weights(dw: usize) -> [StateField; 7] {
    [
        field("Default Sharpness Level", dw, 31, 24),
        field("Max Derivative 4 Pixels", dw, 23, 16),
        field("Max Derivative 8 Pixels", dw, 15, 8),
        field("Transition Area with 4 Pixels", dw, 6, 4),
        field("Transition Area with 8 Pixels", dw, 2, 0),
        field("Bypass X Adaptive Filtering", dw + 1, 22, 22).names(ENABLE),
        field("Bypass Y Adaptive Filtering", dw + 1, 21, 21).names(ENABLE),
    ]
}

/// Fields of `N` - those of [`weights`] / [`EACH`] phases: the first 17 from `first`, the others from `second`.
const fn phases<const N: usize>(first: usize, second: usize, interleaved: bool) -> [StateField; N] {
    let weights = weights(first + 8 * STORED);
    let mut fields = [weights[0]; N];
    let mut i = 0;
    while i < N {
        fields[i] = if i < weights.len() {
            weights[i]
        } else {
            let (phase, i) = ((i - weights.len()) / EACH, (i - weights.len()) % EACH);
            let dw = if phase < STORED {
                first + 8 * phase
            } else {
                second + 8 * (phase - STORED)
            };
            coefficient(i, dw, interleaved)
        };
        i += 1;
    }
    fields
}

/// SAMPLER_8x8_STATE: the four tables and adaptive scaling. Source: PRM 4.10.4.
pub const TABLES_GEN5: &Structure = &Structure {
    name: "SAMPLER_8x8_STATE",
    generations: Span::only(Gen5),
    dwords: 138,
    source: "PRM 4.10.4; AVS reference 3.2",
    planar: |_| false,
    fields: &phases::<{ 7 + EACH * STORED }>(0, 0, false),
};

/// Fields of SAMPLER_STATE_8x8_AVS before its tables. Those of skin tone, whose places are not published
/// but for the enable bit, are not here.
const HEAD: [StateField; 18] = [
    field("R3c Coefficient", 0, 27, 23).number(Number::Fixed(5)),
    field("R3x Coefficient", 0, 22, 18).number(Number::Fixed(5)),
    field("Strong Edge Threshold", 0, 17, 12),
    field("Weak Edge Threshold", 0, 11, 6),
    field("Gain Factor", 0, 5, 0),
    field("R5c Coefficient", 2, 31, 27).number(Number::Fixed(5)),
    field("R5cx Coefficient", 2, 26, 22).number(Number::Fixed(5)),
    field("R5x Coefficient", 2, 21, 17).number(Number::Fixed(5)),
    field("Strong Edge Weight", 2, 16, 14),
    field("Regular Weight", 2, 13, 11),
    field("Non Edge Weight", 2, 10, 8),
    field("Global Noise Estimation", 2, 7, 0),
    field("Enable 8-tap Filter", 3, 29, 28).names(&[
        (0, "4 taps"),
        (1, "8 taps on Y/G, adaptive"),
        (2, "8 taps"),
        (3, "8 taps, adaptive"),
    ]),
    field("IEF4Smooth Enable", 3, 30, 30),
    field("Skin Tone Tuned IEF Enable", 3, 31, 31),
    field("Output Shuffle", 4, 11, 11),
    // The last words of the adaptive part, beside the bypasses.
    field("Adaptive Filter for all channels", 153, 1, 1),
    field("RGB Adaptive", 153, 0, 0),
];

/// [`HEAD`] and then the fields of the tables.
const fn avs<const N: usize, const TABLES: usize>() -> [StateField; N] {
    let tables: [StateField; TABLES] = phases(16, 160, true);
    let mut fields = [HEAD[0]; N];
    let mut i = 0;
    while i < N {
        fields[i] = if i < HEAD.len() {
            HEAD[i]
        } else {
            tables[i - HEAD.len()]
        };
        i += 1;
    }
    fields
}

const HEAD_FIELDS: usize = HEAD.len();
const TABLES_GEN8: usize = 7 + EACH * STORED;
const TABLES_GEN9: usize = 7 + EACH * PHASES;

/// SAMPLER_STATE_8x8_AVS of Gen8: 17 phases. Source: AVS reference 3.1, 3.2 and 4.2.
pub const AVS_GEN8: &Structure = &Structure {
    name: "SAMPLER_STATE_8x8_AVS",
    generations: Span::only(Gen8),
    dwords: 154,
    source: "AVS reference 3.1, 3.2 and 4.2",
    planar: |_| false,
    fields: &avs::<{ HEAD_FIELDS + TABLES_GEN8 }, TABLES_GEN8>(),
};

/// SAMPLER_STATE_8x8_AVS of Gen9: all 32 phases.
pub const AVS_GEN9: &Structure = &Structure {
    generations: from(Gen9),
    dwords: 280,
    fields: &avs::<{ HEAD_FIELDS + TABLES_GEN9 }, TABLES_GEN9>(),
    ..*AVS_GEN8
};

/// One coefficient of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficient {
    /// 0X, 0Y, 1X, 1Y.
    pub table: usize,
    /// Row of the table.
    pub phase: usize,
    /// Column, 0..=7; a table of four taps has 2..=5.
    pub tap: usize,
    /// Where it is.
    pub field: &'static StateField,
}

impl Coefficient {
    /// Its value, 64 for 1.0.
    pub fn value(&self, words: &[u32]) -> i8 {
        self.field.raw(words) as u8 as i8
    }

    /// `Table 0X Filter Coefficient[3,5]`: phase, tap.
    pub fn name(&self) -> String {
        format!("{}[{},{}]", self.field.name, self.phase, self.tap)
    }
}

/// The coefficients of a structure, phase by phase.
pub fn coefficients(structure: &Structure) -> impl Iterator<Item = Coefficient> {
    let is_coefficient = |f: &&StateField| COEFFICIENTS.contains(&f.name);
    let fields = structure.fields.iter().filter(is_coefficient);
    fields.enumerate().map(|(n, field)| {
        let (table, tap) = place(n % EACH);
        Coefficient {
            table,
            phase: n / EACH,
            tap,
            field,
        }
    })
}

/// The structure that a sampler index names in a `sample_8x8` message.
///
/// # Errors
/// `N0752` for a generation whose structure is not published.
pub fn structure(generation: Generation) -> Result<&'static Structure, Invalid> {
    let all = [SAMPLE_8X8_GEN5, AVS_GEN8, AVS_GEN9].into_iter();
    let mut known = all.filter(|structure| structure.generations.contains(generation));
    let what = "the sampler state for sample_8x8";
    known.next().ok_or_else(|| not_known(what, generation))
}

/// The structure that [`SAMPLE_8X8_GEN5`] points to.
///
/// # Errors
/// `N0752` for any other generation: Gen8 and Gen9 have the tables in the state itself.
pub fn tables(generation: Generation) -> Result<&'static Structure, Invalid> {
    match TABLES_GEN5.generations.contains(generation) {
        true => Ok(TABLES_GEN5),
        false => Err(not_known(TABLES_GEN5.name, generation)),
    }
}

fn not_known(what: &str, generation: Generation) -> Invalid {
    let what = format!("{what} of {generation:?} is not known to visim");
    Invalid::new(Code::N0752, what)
}
