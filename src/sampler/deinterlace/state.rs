//! State of denoising and deinterlacing; defaults are those of public drivers. Source: AVS reference 5.2.

use super::fields::Weave;
use serde::Deserialize;

/// The fields of the eight dwords, by the names of the reference.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeinterlaceState {
    /// A sum of differences of a 4x4 block above this is motion.
    pub stad_th: u8,
    /// Largest history.
    pub max_hist: u8,
    /// What a still block adds to its history.
    pub hist_delta: u8,
    /// A difference of sums above this is motion in a flat block.
    pub asd_th: u8,
    /// From this difference on, no temporal weight.
    pub temporal_th: u8,
    /// Up to this difference, full temporal weight.
    pub low_temporal_th: u8,
    /// Added to the complexity: the field's value plus one.
    pub stmm_c2: u8,
    /// More differing pixels than this are motion.
    pub moving_px_th: u8,
    /// Complexity up to which a block is flat.
    pub scm_th: u8,
    /// A neighbour this near is good.
    pub good_neighbor_th: u8,
    /// Above this edge a pixel is not smoothed.
    pub dn_edge_th: u8,
    /// Up to this edge a pixel counts for the noise estimate.
    pub bne_edge_th: u8,
    /// Up to this range a pixel counts for the noise estimate.
    pub bne_noise_th: u8,
    /// The threshold of the time constant is `trc_large`; else `trc_small`.
    pub trc_select: bool,
    /// Slow time constant.
    pub trc_large: u8,
    /// Quick time constant.
    pub trc_small: u8,
    /// Weight of vertical complexity, in 1/64.
    pub vecm_mul: u8,
    /// Motion from which the result is all spatial.
    pub stmm_max: u8,
    /// Motion up to which the result is all temporal.
    pub stmm_min: u8,
    /// 4, 5 or 6.
    pub shift_down: u8,
    /// 6, 7 or 8.
    pub shift_up: u8,
    /// log2 of `stmm_max - stmm_min`.
    pub out_shift: u8,
    /// A direction must differ less than this.
    pub sdi_th: u8,
    /// And be better by more than this.
    pub sdi_delta: u8,
    /// Fall back to the vertical average if a direction differs from it by more than this
    pub sdi_t1: u8,
    /// and the rows by less than this.
    pub sdi_t2: u8,
    /// As `sdi_th`, for the two steepest directions.
    pub sdi_2x1: u8,
    /// A sum of three differences above this is motion.
    pub fmd_temporal_th: u8,
    /// Film mode detection 1, for software: no result depends on it.
    pub fmd1_vert_th: u8,
    /// Film mode detection 2, for software: no result depends on it.
    pub fmd2_vert_th: u8,
    /// How much more than its fields a row pair must differ to tear.
    pub tear_th: u8,
    /// Denoise by rows of the frame; else of the field.
    pub progressive_dn: bool,
    /// There is no previous frame: it and the statistics are not read.
    pub first_frame: bool,
    /// Which of two streams, for counters that software reads: no result depends on it.
    pub stream_id: bool,
    /// The first field has rows 0, 2, …; else 1, 3, ….
    pub top_first: bool,
    /// Intermediate results are asked for. Not modelled: their layout is not published.
    pub di_partial: bool,
    /// Frames are made of fields.
    pub di_enable: bool,
    /// Luma is denoised.
    pub dn_enable: bool,
    /// Width of a column of blocks less one: how the hardware walks, no result depends on it.
    pub column_width: u16,
    /// The hardware walks by itself: no result depends on it.
    pub walker: bool,
    /// Film mode of the second field of the previous frame.
    pub fmd_previous: Weave,
    /// Film mode of the first field of the current frame.
    pub fmd_current: Weave,
}

impl Default for DeinterlaceState {
    fn default() -> DeinterlaceState {
        DeinterlaceState {
            stad_th: 140,
            max_hist: 192,
            hist_delta: 7,
            asd_th: 38,
            temporal_th: 0,
            low_temporal_th: 0,
            stmm_c2: 1,
            moving_px_th: 1,
            scm_th: 38,
            good_neighbor_th: 12,
            dn_edge_th: 7,
            bne_edge_th: 1,
            bne_noise_th: 20,
            trc_select: false,
            trc_large: 64,
            trc_small: 125,
            vecm_mul: 30,
            stmm_max: 150,
            stmm_min: 118,
            // Drivers program the reserved code 3, for which the model takes 6; up is code 1.
            shift_down: 6,
            shift_up: 7,
            out_shift: 5,
            sdi_th: 100,
            sdi_delta: 5,
            sdi_t1: 50,
            sdi_t2: 100,
            sdi_2x1: 37,
            fmd_temporal_th: 175,
            fmd1_vert_th: 16,
            fmd2_vert_th: 100,
            tear_th: 2,
            progressive_dn: false,
            first_frame: false,
            stream_id: false,
            top_first: true,
            di_partial: false,
            di_enable: true,
            dn_enable: true,
            column_width: 0,
            walker: false,
            fmd_previous: Weave::No,
            fmd_current: Weave::No,
        }
    }
}

impl DeinterlaceState {
    /// Rows from a row to its vertical neighbour while denoising. Source: AVS reference 5.3.
    pub fn row_step(&self) -> i32 {
        if self.progressive_dn { 1 } else { 2 }
    }

    /// What the programming notes forbid between fields, though the model computes it all the same. Source: PRM
    /// 4.10.3.2.
    pub fn conflicts(&self) -> Vec<String> {
        let mut found = Vec::new();
        if !self.di_enable && !self.dn_enable {
            found.push(
                "neither denoising nor deinterlacing is enabled; the frame is copied".to_string(),
            );
        }
        if self.di_enable && self.progressive_dn {
            found.push("progressive denoising goes without deinterlacing only".to_string());
        }
        let (min, max, shift) = (self.stmm_min, self.stmm_max, self.out_shift);
        let window = i64::from(max) - i64::from(min);
        if self.di_enable && 1_i64.checked_shl(u32::from(shift)) != Some(window) {
            found.push(format!(
                "motion is limited to {min}..{max}, which is not 2^{shift} apart"
            ));
        }
        found
    }

    /// Parity of the rows of the first field.
    pub fn first_field(&self) -> i32 {
        i32::from(!self.top_first)
    }
}
