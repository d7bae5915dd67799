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

pub mod fields;
pub mod rules;

use super::ief::IefFilter;
use super::state::{AvsSampler, FilterType, TapMode};
use super::tables::{Table, Taps4, Taps8};
use crate::diagnostic::Code;
use crate::surface::state::Structure;
use crate::surface::{Generation, Invalid};
use fields::{AVS_GEN8, EACH, SAMPLE_8X8_GEN5, TABLES_GEN5, coefficients};

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
    "ChromaKey Index" number chroma_key_index;
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

    /// The state that Gen5's two structures hold. The key that its index names is elsewhere
    /// (3DSTATE_CHROMA_KEY).
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
        let structure = new(generation)?;
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
        let keyed = self.chroma_key_enable || self.chroma_key_index > 0;
        if keyed || self.ief.skin_tone.is_some() {
            return Err(no_place("keys and the numbers of skin tone are elsewhere"));
        }
        let mirrored = structure.dwords == AVS_GEN8.dwords;
        if mirrored && !self.symmetric() {
            return Err(no_place(
                "17 phases cannot hold tables whose other half is not a mirror image",
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
        let structure = new(generation)?;
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

    /// A coefficient, 64 for 1.0.
    fn coefficient(&self, phase: u8, table: usize, tap: usize) -> i16 {
        match table {
            0 => self.table0x.row(phase)[tap],
            1 => self.table0y.row(phase)[tap],
            2 => self.table1x.row(phase)[tap - 2],
            _ => self.table1y.row(phase)[tap - 2],
        }
    }

    fn put_tables(&self, structure: &Structure, words: &mut [u32]) {
        for at in coefficients(structure) {
            let value = self.coefficient(at.phase as u8, at.table, at.tap);
            at.field.set_raw(words, u64::from(value as u8));
        }
    }

    fn take_tables(&mut self, structure: &Structure, words: &[u32]) {
        let all: Vec<i64> = coefficients(structure)
            .map(|at| i64::from(at.value(words)))
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

/// The structure of Gen8 or Gen9, which hold everything in one.
fn new(generation: Generation) -> Result<&'static Structure, Invalid> {
    match fields::structure(generation)? {
        old if old.name == SAMPLE_8X8_GEN5.name => {
            let what = "SAMPLER_STATE_8x8_AVS comes with Gen8";
            Err(Invalid::new(Code::N0752, what))
        }
        structure => Ok(structure),
    }
}

fn length(structure: &Structure, words: &[u32]) -> Result<(), Invalid> {
    if words.len() < structure.dwords {
        let (name, dwords, have) = (structure.name, structure.dwords, words.len());
        let what = format!("{name} has {dwords} dwords, not {have}");
        return Err(Invalid::new(Code::E0750, what));
    }
    Ok(())
}
