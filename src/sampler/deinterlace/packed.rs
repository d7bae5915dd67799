//! SAMPLER_STATE for the `deinterlace` message: 8 dwords. Source: PRM 4.10.3.2; AVS reference 5.2.

use super::DeinterlaceState;
use super::fields::Weave;
use crate::diagnostic::Code;
use crate::isa::generations::Generation::{self, *};
use crate::isa::generations::from;
use crate::surface::Invalid;
use crate::surface::state::Structure;
use crate::surface::state::field::{Meaning, field};

const FILM: &[(u32, &str)] = &[
    (0, "deinterlace"),
    (1, "with the field before"),
    (2, "with the field after"),
];

/// The structure; elements are 8 dwords apart.
#[rustfmt::skip]
pub const DEINTERLACE: &Structure = &Structure {
    name: "SAMPLER_STATE for deinterlace",
    generations: from(Gen5).until(Gen75),
    dwords: 8,
    source: "PRM 4.10.3.2; AVS reference 5.2",
    planar: |_| false,
    fields: &[
        field("Denoise STAD Threshold", 0, 31, 24),
        field("Denoise Maximum History", 0, 23, 16).at_most(240),
        field("Denoise History Delta", 0, 15, 8).at_most(15),
        field("Denoise ASD Threshold", 0, 7, 0).at_most(63),
        field("Temporal Difference Threshold", 1, 29, 24),
        field("Low Temporal Difference Threshold", 1, 21, 16),
        field("STMM C2", 1, 15, 13).means(Meaning::LessOne("units")),
        field("Denoise Moving Pixel Threshold", 1, 12, 8).at_most(16),
        field("Denoise Threshold for Sum of Complexity Measure", 1, 7, 0),
        field("Good Neighbor Threshold", 2, 31, 24).at_most(63),
        field("Denoise Edge Threshold", 2, 23, 16).at_most(15),
        field("Block Noise Estimate Edge Threshold", 2, 15, 8).at_most(15),
        field("Block Noise Estimate Noise Threshold", 2, 7, 0).at_most(31),
        field("STMM Blending Constant Select", 3, 31, 31).names(&[(0, "small"), (1, "large")]),
        field("Blending constant across time for large values of STMM", 3, 30, 24),
        field("Blending constant across time for small values of STMM", 3, 23, 16),
        field("Multiplier for VECM", 3, 13, 8),
        field("Maximum STMM", 3, 7, 0),
        field("Minimum STMM", 4, 31, 24),
        field("STMM Shift Down", 4, 23, 22).names(&[(0, "4"), (1, "5"), (2, "6")]),
        field("STMM Shift Up", 4, 21, 20).names(&[(0, "6"), (1, "7"), (2, "8")]),
        field("STMM Output Shift", 4, 19, 16),
        field("SDI Threshold", 4, 15, 8),
        field("SDI Delta", 4, 7, 0),
        field("SDI Fallback Mode 1 T1 Constant", 5, 31, 24),
        field("SDI Fallback Mode 1 T2 Constant", 5, 23, 16),
        field("SDI Fallback Mode 2 Constant", 5, 15, 8),
        field("FMD Temporal Difference Threshold", 5, 7, 0),
        field("FMD #1 Vertical Difference Threshold", 6, 31, 24),
        field("FMD #2 Vertical Difference Threshold", 6, 23, 16),
        field("FMD Tear Threshold", 6, 13, 8),
        field("Progressive DN", 6, 6, 6),
        field("DN/DI First Frame", 6, 5, 5),
        field("DN/DI Stream ID", 6, 4, 4),
        field("DN/DI Top First", 6, 3, 3),
        field("DI Partial", 6, 2, 2),
        field("DI Enable", 6, 1, 1),
        field("DN Enable", 6, 0, 0),
        field("Column Width Minus 1", 7, 31, 23).means(Meaning::LessOne("blocks")),
        field("VDI Walker Enable", 7, 18, 18),
        field("FMD for 2nd field of previous frame", 7, 17, 16).names(FILM),
        field("FMD for 1st field of current frame", 7, 9, 8).names(FILM),
    ],
};

/// A field of the structure and its place in [`DeinterlaceState`].
struct Link {
    name: &'static str,
    get: fn(&DeinterlaceState) -> u64,
    set: fn(&mut DeinterlaceState, u64),
}

macro_rules! links {
    ($($name:literal $kind:ident $field:ident;)+) => {
        &[$(Link {
            name: $name,
            get: |state| u64::from(state.$field),
            set: |state, raw| links!(@set $kind state.$field, raw),
        }),+]
    };
    (@set number $value:expr, $raw:expr) => { $value = $raw as _ };
    (@set flag $value:expr, $raw:expr) => { $value = $raw != 0 };
}

#[rustfmt::skip]
const LINKS: &[Link] = links! {
    "Denoise STAD Threshold" number stad_th;
    "Denoise Maximum History" number max_hist;
    "Denoise History Delta" number hist_delta;
    "Denoise ASD Threshold" number asd_th;
    "Temporal Difference Threshold" number temporal_th;
    "Low Temporal Difference Threshold" number low_temporal_th;
    "Denoise Moving Pixel Threshold" number moving_px_th;
    "Denoise Threshold for Sum of Complexity Measure" number scm_th;
    "Good Neighbor Threshold" number good_neighbor_th;
    "Denoise Edge Threshold" number dn_edge_th;
    "Block Noise Estimate Edge Threshold" number bne_edge_th;
    "Block Noise Estimate Noise Threshold" number bne_noise_th;
    "STMM Blending Constant Select" flag trc_select;
    "Blending constant across time for large values of STMM" number trc_large;
    "Blending constant across time for small values of STMM" number trc_small;
    "Multiplier for VECM" number vecm_mul;
    "Maximum STMM" number stmm_max;
    "Minimum STMM" number stmm_min;
    "STMM Output Shift" number out_shift;
    "SDI Threshold" number sdi_th;
    "SDI Delta" number sdi_delta;
    "SDI Fallback Mode 1 T1 Constant" number sdi_t1;
    "SDI Fallback Mode 1 T2 Constant" number sdi_t2;
    "SDI Fallback Mode 2 Constant" number sdi_2x1;
    "FMD Temporal Difference Threshold" number fmd_temporal_th;
    "FMD #1 Vertical Difference Threshold" number fmd1_vert_th;
    "FMD #2 Vertical Difference Threshold" number fmd2_vert_th;
    "FMD Tear Threshold" number tear_th;
    "Progressive DN" flag progressive_dn;
    "DN/DI First Frame" flag first_frame;
    "DN/DI Stream ID" flag stream_id;
    "DN/DI Top First" flag top_first;
    "DI Partial" flag di_partial;
    "DI Enable" flag di_enable;
    "DN Enable" flag dn_enable;
    "Column Width Minus 1" number column_width;
    "VDI Walker Enable" flag walker;
};

/// The smallest shifts: code 0.
const DOWN: u8 = 4;
const UP: u8 = 6;

impl DeinterlaceState {
    /// The eight dwords.
    ///
    /// # Errors
    /// `E0749` if a value does not fit its field.
    pub fn pack(&self) -> Result<Vec<u32>, Invalid> {
        let mut words = vec![0; DEINTERLACE.dwords];
        for link in LINKS {
            DEINTERLACE.put(&mut words, link.name, (link.get)(self))?;
        }
        // A number below the smallest becomes one that no field holds.
        let less = |value: u8, least: u8| u64::from(value.wrapping_sub(least));
        DEINTERLACE.put(&mut words, "STMM C2", less(self.stmm_c2, 1))?;
        DEINTERLACE.put(&mut words, "STMM Shift Down", less(self.shift_down, DOWN))?;
        DEINTERLACE.put(&mut words, "STMM Shift Up", less(self.shift_up, UP))?;
        let films = [
            ("FMD for 2nd field of previous frame", self.fmd_previous),
            ("FMD for 1st field of current frame", self.fmd_current),
        ];
        for (name, film) in films {
            DEINTERLACE.put(&mut words, name, film as u64)?;
        }
        Ok(words)
    }

    /// The state that eight dwords hold. The reserved codes of the shifts count as the greatest shift, which is
    /// what drivers that use them expect; the reserved film mode as none (AVS reference 5.2).
    ///
    /// # Errors
    /// `E0750` if there are fewer.
    pub fn unpack(words: &[u32]) -> Result<DeinterlaceState, Invalid> {
        if words.len() < DEINTERLACE.dwords {
            let what = format!("{} has 8 dwords, not {}", DEINTERLACE.name, words.len());
            return Err(Invalid::new(Code::E0750, what));
        }
        let get = |name: &str| DEINTERLACE.get(words, name) as u8;
        let mut state = DeinterlaceState {
            stmm_c2: get("STMM C2") + 1,
            shift_down: DOWN + get("STMM Shift Down").min(2),
            shift_up: UP + get("STMM Shift Up").min(2),
            ..DeinterlaceState::default()
        };
        for link in LINKS {
            (link.set)(&mut state, DEINTERLACE.get(words, link.name));
        }
        let film = |name| match get(name) {
            1 => Weave::Before,
            2 => Weave::After,
            _ => Weave::No,
        };
        state.fmd_previous = film("FMD for 2nd field of previous frame");
        state.fmd_current = film("FMD for 1st field of current frame");
        Ok(state)
    }
}

/// The structure of a generation.
///
/// # Errors
/// `N0752` where the message does not exist: before Gen5 and from Gen8 on.
pub fn structure(generation: Generation) -> Result<&'static Structure, Invalid> {
    if DEINTERLACE.generations.contains(generation) {
        return Ok(DEINTERLACE);
    }
    let what = format!("{generation:?} has no deinterlace message; Gen5 to Gen7.5 have");
    Err(Invalid::new(Code::N0752, what))
}

/// Every rule that a packed state breaks. Source: PRM 4.10.3.2, programming notes.
pub fn check(generation: Generation, words: &[u32]) -> Vec<Invalid> {
    let mut broken = DEINTERLACE.check(generation, words);
    let Ok(state) = DeinterlaceState::unpack(words) else {
        return broken;
    };
    let mut rule = |holds: bool, what: String| {
        if !holds {
            broken.push(Invalid::new(Code::E0781, what));
        }
    };
    let (low, high) = (state.low_temporal_th, state.temporal_th);
    rule(
        !state.dn_enable || (low + 1..=low + 16).contains(&high),
        format!("the temporal thresholds are {low} and {high}; they differ by 1 to 16"),
    );
    rule(
        state.max_hist >= 128 || !state.dn_enable,
        format!(
            "the maximum history is {}; 128 to 240 are allowed",
            state.max_hist
        ),
    );
    let conflicts = state.conflicts().into_iter();
    broken.extend(conflicts.map(|what| Invalid::new(Code::E0781, what)));
    broken
}
