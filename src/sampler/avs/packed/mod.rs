//! Binary state of the scaler: SAMPLER_STATE for `sample_8x8` and SAMPLER_8x8_STATE of Gen5, and
//! SAMPLER_STATE_8x8_AVS of Gen8 and Gen9.
//!
//! ```text
//!  Gen5   SAMPLER_STATE (16 dwords) ─ pointer ─▶ SAMPLER_8x8_STATE: phase 0 | phase 1 | .. phase 16 | weights
//!  phase  0X 0..3 | 0X 4..7 | 0Y 0..3 | 0Y 4..7 | 1X 2 3 | 1X 4 5 | 1Y 2 3 | 1Y 4 5
//! ```
//!
//! Fields of the state that a structure lacks have their defaults when it is read. Source: AVS reference 3.1,
//! 3.2 and 4.2; PRM 4.10.3.2 and 4.10.4.

use super::ief::IefFilter;
use super::state::{AvsSampler, FilterType, TapMode};
use super::tables::{PHASES, STORED, Table, Taps4, Taps8};
use crate::diagnostic::Code;
use crate::surface::state::field::field;
use crate::surface::state::{Number, StateField, Structure};
use crate::surface::{Format, Generation, Generation::*, Invalid};

const ENABLE: &[(u32, &str)] = &[(0, "enabled"), (1, "disabled")];

/// SAMPLER_STATE for `sample_8x8`; elements stand 16 dwords apart. Source: PRM 4.10.3, "For sample_8x8 message".
#[rustfmt::skip]
pub const SAMPLE_8X8_GEN5: &Structure = &Structure {
    name: "SAMPLER_STATE for sample_8x8",
    generations: (Gen5, Gen5),
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
const COEFFICIENTS: [&str; 4] = [
    "Table 0X Filter Coefficient",
    "Table 0Y Filter Coefficient",
    "Table 1X Filter Coefficient",
    "Table 1Y Filter Coefficient",
];

/// Coefficients of a phase: eight of 0X, eight of 0Y, four of 1X, four of 1Y.
const EACH: usize = 24;

/// The place of coefficient `i` (of [`EACH`]) of the phase that begins at dword `dw`.
const fn coefficient(i: usize, dw: usize, interleaved: bool) -> StateField {
    let (table, tap) = match i {
        0..8 => (0, i),
        8..16 => (1, i - 8),
        16..20 => (2, i - 16 + 2),
        _ => (3, i - 20 + 2),
    };
    let byte = match (table, interleaved) {
        // X and Y side by side: 0X[0], 0Y[0], 0X[1], 0Y[1].
        (0 | 1, true) => 2 * tap + table,
        _ => 8 * table + tap,
    };
    let (dw, low) = ((dw + byte / 4) as u32, 8 * (byte % 4) as u32);
    field(COEFFICIENTS[table], dw, low + 7, low).number(Number::SignedFixed(6))
}

/// Fields of adaptive scaling, which stand behind the first 17 phases on every generation.
const fn weights(dw: u32) -> [StateField; 7] {
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
    let weights = weights((first + 8 * STORED) as u32);
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
    generations: (Gen5, Gen5),
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
    generations: (Gen8, Gen8),
    dwords: 154,
    source: "AVS reference 3.1, 3.2 and 4.2",
    planar: |_| false,
    fields: &avs::<{ HEAD_FIELDS + TABLES_GEN8 }, TABLES_GEN8>(),
};

/// SAMPLER_STATE_8x8_AVS of Gen9: all 32 phases.
pub const AVS_GEN9: &Structure = &Structure {
    generations: (Gen9, Gen9),
    dwords: 280,
    fields: &avs::<{ HEAD_FIELDS + TABLES_GEN9 }, TABLES_GEN9>(),
    ..*AVS_GEN8
};

/// A field of the structure and its place in [`AvsSampler`].
struct Link {
    name: &'static str,
    get: fn(&AvsSampler) -> u64,
    set: fn(&mut AvsSampler, u64),
}

macro_rules! links {
    ($($name:literal $kind:ident $($path:tt).+;)+) => {
        &[$(Link {
            name: $name,
            get: |state| links!(@get $kind state.$($path).+),
            set: |state, raw| links!(@set $kind state.$($path).+, raw),
        }),+]
    };
    (@get byte $value:expr) => { u64::from($value as u8) };
    (@get number $value:expr) => { u64::from($value) };
    (@get flag $value:expr) => { u64::from($value) };
    (@set byte $value:expr, $raw:expr) => { $value = $raw as u8 as i8 };
    (@set number $value:expr, $raw:expr) => { $value = $raw as _ };
    (@set flag $value:expr, $raw:expr) => { $value = $raw != 0 };
}

#[rustfmt::skip]
const LINKS: &[Link] = links! {
    "ChromaKey Enable" flag chroma_key_enable;
    "Global Noise Estimation" number ief.global_noise_estimate;
    "Strong Edge Threshold" number ief.strong_edge_threshold;
    "Weak Edge Threshold" number ief.weak_edge_threshold;
    "Strong Edge Weight" number ief.strong_edge_weight;
    "Regular Weight" number ief.regular_edge_weight;
    "Non Edge Weight" number ief.non_edge_weight;
    "Gain Factor" number ief.gain_factor;
    "R3c Coefficient" number ief.r3c;
    "R3x Coefficient" number ief.r3x;
    "R5c Coefficient" number ief.r5c;
    "R5cx Coefficient" number ief.r5cx;
    "R5x Coefficient" number ief.r5x;
    "Steepness Threshold" number ief.steepness_threshold;
    "Steepness Boost" flag ief.steepness_boost;
    "MR Threshold" number ief.mr_threshold;
    "MR Boost" flag ief.mr_boost;
    "Maximum Limiter" number ief.maximum_limiter;
    "Minimum Limiter" number ief.minimum_limiter;
    "Limiter Boost" number ief.limiter_boost;
    "Clip Limiter" number ief.clip_limiter;
    "Default Sharpness Level" number default_sharpness;
    "Max Derivative 4 Pixels" number max_derivative_4;
    "Max Derivative 8 Pixels" number max_derivative_8;
    "Transition Area with 4 Pixels" number transition_4;
    "Transition Area with 8 Pixels" number transition_8;
    "Bypass X Adaptive Filtering" flag bypass_x;
    "Bypass Y Adaptive Filtering" flag bypass_y;
    "Adaptive Filter for all channels" flag adaptive_all_channels;
    "RGB Adaptive" flag rgb_adaptive;
    "Output Shuffle" flag output_shuffle;
};

/// Numbers of a curve by the head of their fields' names: which element of which list.
fn curve<'s>(state: &'s mut AvsSampler, list: &str) -> Vec<(&'s mut u8, usize)> {
    let ief = &mut state.ief;
    let (first, list): (usize, &mut [u8]) = match list {
        "PWL1 Point" => (1, &mut ief.pwl_points),
        "PWL1 R3 Bias" => (0, &mut ief.r3_bias),
        _ => (0, &mut ief.r5_bias),
    };
    list.iter_mut().zip(first..).collect()
}

const CURVES: [&str; 3] = ["PWL1 Point", "PWL1 R3 Bias", "PWL1 R5 Bias"];

/// The pairs of structures of Gen5: the state that a sampler index names, and what it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gen5State {
    /// SAMPLER_STATE for `sample_8x8`: [`SAMPLE_8X8_GEN5`].
    pub sampler: Vec<u32>,
    /// SAMPLER_8x8_STATE: [`TABLES_GEN5`].
    pub tables: Vec<u32>,
}

impl AvsSampler {
    /// The state as Gen5 has it, its tables at `pointer` from General State Base.
    ///
    /// # Errors
    /// `E0749` if a value does not fit, `E0780` if Gen5 has no place for it.
    pub fn pack_gen5(&self, pointer: u32) -> Result<Gen5State, Invalid> {
        let newer = self.tap_mode != TapMode::EightOnGreen
            || self.output_shuffle
            || self.adaptive_all_channels
            || self.rgb_adaptive
            || self.ief.skin_tone.is_some();
        if newer || !pointer.is_multiple_of(32) {
            let what = "Gen5 has one tap mode, no shuffle, adapts luma only and knows no skin tone; \
                        tables stand at multiples of 32";
            return Err(Invalid::new(Code::E0780, what));
        }
        let (kind, size) = match self.ief.filter {
            IefFilter::Combination => (0, 1),
            IefFilter::Detail3x3 => (1, 0),
            IefFilter::Detail5x5 => (1, 1),
            IefFilter::Smooth3x3 => {
                let what = "Gen5 cannot smooth 3x3";
                return Err(Invalid::new(Code::E0780, what));
            }
        };
        let mut sampler = vec![0; SAMPLE_8X8_GEN5.dwords];
        let mut tables = vec![0; TABLES_GEN5.dwords];
        let nearest = u64::from(self.avs_filter_type == FilterType::Nearest);
        let own: [(&str, u64); 5] = [
            ("AVS Filter Type", nearest),
            ("IEF Bypass", u64::from(!self.ief_enable)),
            ("IEF Filter Type", kind),
            ("IEF Filter Size", size),
            ("Sampler 8x8 State Pointer", u64::from(pointer) >> 5),
        ];
        for (name, raw) in own {
            SAMPLE_8X8_GEN5.put(&mut sampler, name, raw)?;
        }
        for link in LINKS {
            let raw = (link.get)(self);
            SAMPLE_8X8_GEN5.put(&mut sampler, link.name, raw)?;
            TABLES_GEN5.put(&mut tables, link.name, raw)?;
        }
        let mut copy = self.clone();
        for list in CURVES {
            for (value, number) in curve(&mut copy, list) {
                let name = format!("{list} {number}");
                SAMPLE_8X8_GEN5.put(&mut sampler, &name, u64::from(*value))?;
            }
        }
        for (list, slopes) in [("R3", self.ief.r3_slope), ("R5", self.ief.r5_slope)] {
            for (slope, number) in slopes.into_iter().zip(0..) {
                let name = format!("PWL1 {list} Slope {number}");
                SAMPLE_8X8_GEN5.put(&mut sampler, &name, u64::from(slope as u8))?;
            }
        }
        self.put_tables(TABLES_GEN5, &mut tables);
        Ok(Gen5State { sampler, tables })
    }

    /// The state that Gen5's two structures hold. Chroma keys stand elsewhere (3DSTATE_CHROMA_KEY).
    ///
    /// # Errors
    /// `E0750` if a structure has another length.
    pub fn unpack_gen5(packed: &Gen5State) -> Result<AvsSampler, Invalid> {
        length(SAMPLE_8X8_GEN5, &packed.sampler)?;
        length(TABLES_GEN5, &packed.tables)?;
        let mut state = AvsSampler::default();
        let get = |name: &str| SAMPLE_8X8_GEN5.get(&packed.sampler, name);
        for (structure, words) in [
            (SAMPLE_8X8_GEN5, &packed.sampler),
            (TABLES_GEN5, &packed.tables),
        ] {
            state.take(structure, words);
        }
        if get("AVS Filter Type") == 1 {
            state.avs_filter_type = FilterType::Nearest;
        }
        state.ief_enable = get("IEF Bypass") == 0;
        state.ief.filter = match (get("IEF Filter Type"), get("IEF Filter Size")) {
            (0, _) => IefFilter::Combination,
            (_, 0) => IefFilter::Detail3x3,
            _ => IefFilter::Detail5x5,
        };
        for list in CURVES {
            for (value, number) in curve(&mut state, list) {
                *value = get(&format!("{list} {number}")) as u8;
            }
        }
        let slopes = |list: &str| {
            std::array::from_fn(|i| get(&format!("PWL1 {list} Slope {i}")) as u8 as i8)
        };
        (state.ief.r3_slope, state.ief.r5_slope) = (slopes("R3"), slopes("R5"));
        state.take_tables(TABLES_GEN5, &packed.tables);
        Ok(state)
    }

    /// The state as Gen8 or Gen9 has it.
    ///
    /// # Errors
    /// `N0752` for another generation, `E0749` if a value does not fit, `E0780` if there is no place for it:
    /// tables that are not symmetric (Gen8), a nearest filter, chroma keys, skin tone, Gen5's filters.
    pub fn pack(&self, generation: Generation) -> Result<Vec<u32>, Invalid> {
        let structure = structure(generation)?;
        let smooth = match self.ief.filter {
            IefFilter::Detail5x5 => 0,
            IefFilter::Smooth3x3 => 1,
            _ => {
                return Err(no_place(
                    "detail on 3x3 and the combination are filters of Gen5",
                ));
            }
        };
        if self.avs_filter_type == FilterType::Nearest {
            return Err(no_place(
                "the nearest filter is programmed through the tables",
            ));
        }
        if self.chroma_key_enable || self.ief.skin_tone.is_some() {
            return Err(no_place(
                "keys and the numbers of skin tone stand elsewhere",
            ));
        }
        let mirrored = structure.dwords == AVS_GEN8.dwords;
        if mirrored && !self.symmetric() {
            return Err(no_place(
                "17 phases cannot hold tables whose other half is no mirror image",
            ));
        }
        let mut words = vec![0; structure.dwords];
        structure.put(&mut words, "Enable 8-tap Filter", self.tap_mode as u64)?;
        structure.put(&mut words, "IEF4Smooth Enable", smooth)?;
        for link in LINKS {
            structure.put(&mut words, link.name, (link.get)(self))?;
        }
        self.put_tables(structure, &mut words);
        Ok(words)
    }

    /// The state that a structure of Gen8 or Gen9 holds. The enhancement filter counts as enabled: what
    /// bypasses it is a bit of the message.
    ///
    /// # Errors
    /// `N0752` for another generation, or if skin tone is on; `E0750` if the length is another.
    pub fn unpack(generation: Generation, words: &[u32]) -> Result<AvsSampler, Invalid> {
        let structure = structure(generation)?;
        length(structure, words)?;
        if structure.get(words, "Skin Tone Tuned IEF Enable") == 1 {
            let what = "the places of the numbers of skin tone are not known to visim";
            return Err(Invalid::new(Code::N0752, what));
        }
        let mut state = AvsSampler {
            ief_enable: true,
            ..AvsSampler::default()
        };
        state.take(structure, words);
        state.tap_mode = match structure.get(words, "Enable 8-tap Filter") {
            0 => TapMode::Four,
            1 => TapMode::EightOnGreen,
            2 => TapMode::Eight,
            _ => TapMode::EightAdaptive,
        };
        if structure.get(words, "IEF4Smooth Enable") == 1 {
            state.ief.filter = IefFilter::Smooth3x3;
        }
        state.take_tables(structure, words);
        Ok(state)
    }

    /// Takes every number that the structure has a field for.
    fn take(&mut self, structure: &Structure, words: &[u32]) {
        for link in LINKS {
            if let Some(field) = structure.field(link.name) {
                (link.set)(self, field.raw(words));
            }
        }
    }

    /// Coefficient `i` (of [`EACH`]) of a phase.
    fn coefficient(&self, phase: u8, i: usize) -> i16 {
        match i {
            0..8 => self.table0x.row(phase)[i],
            8..16 => self.table0y.row(phase)[i - 8],
            16..20 => self.table1x.row(phase)[i - 16],
            _ => self.table1y.row(phase)[i - 20],
        }
    }

    fn put_tables(&self, structure: &Structure, words: &mut [u32]) {
        for (n, field) in coefficients(structure).enumerate() {
            let value = self.coefficient((n / EACH) as u8, n % EACH);
            field.set_raw(words, u64::from(value as u8));
        }
    }

    fn take_tables(&mut self, structure: &Structure, words: &[u32]) {
        let all: Vec<i64> = coefficients(structure)
            .map(|field| i64::from(field.raw(words) as u8 as i8))
            .collect();
        let part = |from: usize, to: usize| -> Vec<Vec<i64>> {
            all.chunks_exact(EACH)
                .map(|phase| phase[from..to].to_vec())
                .collect()
        };
        // 17 or 32 rows of eight or four bytes are always a table.
        let eight =
            |from| Taps8::from_rows(&part(from, from + 8)).unwrap_or_else(|_| Table::nearest());
        let four =
            |from| Taps4::from_rows(&part(from, from + 4)).unwrap_or_else(|_| Table::nearest());
        (self.table0x, self.table0y) = (eight(0), eight(8));
        (self.table1x, self.table1y) = (four(16), four(20));
    }

    /// Whether phases 17 to 31 are phases 15 to 1 read backwards.
    fn symmetric(&self) -> bool {
        let eight = |t: &Taps8| (17..32).all(|p| mirrored(t.row(p), t.row(32 - p)));
        let four = |t: &Taps4| (17..32).all(|p| mirrored(t.row(p), t.row(32 - p)));
        eight(&self.table0x) && eight(&self.table0y) && four(&self.table1x) && four(&self.table1y)
    }
}

fn mirrored<const N: usize>(a: &[i16; N], b: &[i16; N]) -> bool {
    a.iter().eq(b.iter().rev())
}

fn no_place(what: &str) -> Invalid {
    Invalid::new(Code::E0780, what)
}

/// The coefficients of a structure, phase by phase.
fn coefficients(structure: &Structure) -> impl Iterator<Item = &'static StateField> {
    let is_coefficient = |f: &&StateField| COEFFICIENTS.contains(&f.name);
    structure.fields.iter().filter(is_coefficient)
}

fn length(structure: &Structure, words: &[u32]) -> Result<(), Invalid> {
    if words.len() < structure.dwords {
        let (name, dwords, have) = (structure.name, structure.dwords, words.len());
        let what = format!("{name} has {dwords} dwords, not {have}");
        return Err(Invalid::new(Code::E0750, what));
    }
    Ok(())
}

/// The structure of Gen8 or Gen9.
///
/// # Errors
/// `N0752` for any other generation.
pub fn structure(generation: Generation) -> Result<&'static Structure, Invalid> {
    match generation {
        Gen8 => Ok(AVS_GEN8),
        Gen9 => Ok(AVS_GEN9),
        _ => Err(Invalid::new(
            Code::N0752,
            format!("SAMPLER_STATE_8x8_AVS of {generation:?} is not known to visim"),
        )),
    }
}

/// Every rule that Gen5's structures break: reserved bits and values, ranges of coefficients, and, if the
/// format of the surface is known, outer taps that must be zero for it.
///
/// Source: PRM 4.10.3, 4.10.4.
pub fn check_gen5(packed: &Gen5State, format: Option<Format>) -> Vec<Invalid> {
    let mut broken = SAMPLE_8X8_GEN5.check(Gen5, &packed.sampler);
    broken.extend(TABLES_GEN5.check(Gen5, &packed.tables));
    let get = |name: &str| SAMPLE_8X8_GEN5.get(&packed.sampler, name);
    if get("IEF Filter Type") == 0 && get("IEF Filter Size") == 0 && get("IEF Bypass") == 0 {
        broken.push(Invalid::new(
            Code::E0781,
            "the combination is a filter of 5x5",
        ));
    }
    let deep =
        format.is_some_and(|f| [Format::R10G10B10A2_UNORM, Format::R8G8B8A8_UNORM].contains(&f));
    for (n, field) in coefficients(TABLES_GEN5).enumerate() {
        let (phase, i) = (n / EACH, n % EACH);
        let tap = if i < 16 { i % 8 } else { i % 4 + 2 };
        let value = field.raw(&packed.tables) as u8 as i8;
        let range = match tap {
            0 | 7 => -16..=15,
            1 | 6 => -32..=31,
            2 | 5 => -64..=63,
            _ => 0..=127,
        };
        let name = field.name;
        if !range.contains(&value) {
            let (from, to) = (range.start(), range.end());
            let what = format!("{name}[{phase},{tap}] is {value}; {from} to {to} are allowed");
            broken.push(Invalid::new(Code::E0781, what));
        } else if deep && i < 16 && matches!(tap, 0 | 1 | 6 | 7) && value != 0 {
            let what = format!("{name}[{phase},{tap}] is {value}; 32-bit RGB formats need 0");
            broken.push(Invalid::new(Code::E0781, what));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::super::ief::IefState;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_manuals_defaults_pack_to_the_manuals_bits() {
        let state = AvsSampler {
            ief_enable: true,
            ief: IefState {
                filter: IefFilter::Combination,
                global_noise_estimate: 22,
                gain_factor: 40,
                r3c: 15,
                r3x: 6,
                r5c: 3,
                r5cx: 8,
                r5x: 9,
                ..IefState::default()
            },
            ..AvsSampler::default()
        };
        let packed = state.pack_gen5(0x1240).unwrap();
        let s = &packed.sampler;
        // Combo (0), 5x5: bit 27. Pointer. Noise 22 = 16h, strong 8, weak 1.
        assert_eq!([s[0], s[1], s[2]], [1 << 27, 0x1240, 0x1681]);
        // 7 << 28 | 2 << 24 | 1 << 20 | 40 << 14 | 15 << 6 | 6.
        assert_eq!(s[3], 0x721a_03c6);
        // 3 << 26 | 8 << 20 | 9 << 14 | 5 << 3.
        assert_eq!(s[4], 0x0c82_4028);
        // Points 4 12 16 26, low byte first; 40, 160, then biases 127 and 98.
        assert_eq!([s[5], s[6]], [0x1a10_0c04, 0x627f_a028]);
        // Slopes -116 -20 -96 -32.
        assert_eq!(s[10], 0xe0a0_ec8c);
        // 11 << 28 | 10 << 24 | -15 << 8 | -3; 130 << 8.
        assert_eq!([s[13], s[14]], [0xba00_f1fd, 0x8200]);
        // Phase 1 of the 1:1 table, -1 1 -2 64 | 2 -1 1 0, and of table 1, 64 at tap 3: -1 64 1 0.
        let t = &packed.tables;
        assert_eq!([t[8], t[9]], [0x40fe_01ff, 0x0001_ff02]);
        assert_eq!([t[12], t[13]], [0x40ff_0000, 0x0000_0001]);
        // 255, 7, 20, 4 << 4 | 5; both bypasses.
        assert_eq!([t[136], t[137]], [0xff07_1445, 3 << 21]);
        assert_eq!(check_gen5(&packed, None), []);
        // Outer taps are not zero, as 32-bit RGB formats need them.
        let broken = check_gen5(&packed, Some(Format::R8G8B8A8_UNORM));
        assert!(broken.iter().all(|b| b.code == Code::E0781) && !broken.is_empty());
    }

    #[test]
    fn gen9_interleaves_x_and_y() {
        let rows = |first: i64| -> Vec<Vec<i64>> {
            (0..17)
                .map(|n| (0..8).map(|tap| first + tap + n % 2).collect())
                .collect()
        };
        let state = AvsSampler {
            table0x: Taps8::from_rows(&rows(0)).unwrap(),
            table0y: Taps8::from_rows(&rows(64)).unwrap(),
            tap_mode: TapMode::EightAdaptive,
            output_shuffle: true,
            rgb_adaptive: true,
            ..AvsSampler::default()
        };
        let words = state.pack(Gen9).unwrap();
        assert_eq!([words[16], words[19]], [0x4101_4000, 0x4707_4606]);
        assert_eq!(
            (words[3], words[4], words[153]),
            (3 << 28, 1 << 11, 3 << 21 | 1)
        );
        // Phase 17 is phase 15 backwards: 0X taps 8, 7; 0Y 72, 71.
        assert_eq!(words[160], 0x4707_4808);
        let back = AvsSampler::unpack(Gen9, &words).unwrap();
        assert_eq!(
            back,
            AvsSampler {
                ief_enable: true,
                ..state
            }
        );
    }

    #[test]
    fn what_has_no_place_is_refused() {
        let adaptive = AvsSampler {
            rgb_adaptive: true,
            ..AvsSampler::default()
        };
        assert_eq!(adaptive.pack_gen5(0).unwrap_err().code, Code::E0780);
        assert_eq!(
            AvsSampler::default().pack_gen5(8).unwrap_err().code,
            Code::E0780
        );
        let nearest = AvsSampler {
            avs_filter_type: FilterType::Nearest,
            ..AvsSampler::default()
        };
        assert_eq!(nearest.pack(Gen9).unwrap_err().code, Code::E0780);
        assert_eq!(nearest.pack(Gen7).unwrap_err().code, Code::N0752);
        let short = Gen5State {
            sampler: vec![0; 15],
            tables: vec![0; 100],
        };
        assert_eq!(
            AvsSampler::unpack_gen5(&short).unwrap_err().code,
            Code::E0750
        );
        // Tap 3 of phase 0 of table 0X must not be negative.
        let mut packed = AvsSampler::default().pack_gen5(0).unwrap();
        packed.tables[0] = 0xff00_0000;
        let broken = check_gen5(&packed, None);
        assert_eq!(broken[0].code, Code::E0781);
    }

    proptest! {
        /// Any words with no reserved bit come back as they were.
        #[test]
        fn words_come_back(seed in any::<u64>()) {
            let mut random = seed | 1;
            let mut next = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                random >> 40
            };
            let mut packed = Gen5State {
                sampler: vec![0; SAMPLE_8X8_GEN5.dwords],
                tables: vec![0; TABLES_GEN5.dwords],
            };
            for field in SAMPLE_8X8_GEN5.fields {
                field.set_raw(&mut packed.sampler, next());
            }
            for field in TABLES_GEN5.fields {
                field.set_raw(&mut packed.tables, next());
            }
            // The combination is 5x5; keys have no number here.
            SAMPLE_8X8_GEN5.field("IEF Filter Size").unwrap().set_raw(&mut packed.sampler, 1);
            SAMPLE_8X8_GEN5.field("ChromaKey Index").unwrap().set_raw(&mut packed.sampler, 0);
            let state = AvsSampler::unpack_gen5(&packed).unwrap();
            let pointer = packed.sampler[1];
            prop_assert_eq!(state.pack_gen5(pointer).unwrap(), packed);
            for structure in [AVS_GEN8, AVS_GEN9] {
                let generation = structure.generations.0;
                let mut words = vec![0; structure.dwords];
                for field in structure.fields {
                    field.set_raw(&mut words, next());
                }
                structure.field("Skin Tone Tuned IEF Enable").unwrap().set_raw(&mut words, 0);
                let state = AvsSampler::unpack(generation, &words).unwrap();
                prop_assert_eq!(state.pack(generation).unwrap(), words);
            }
        }
    }
}
