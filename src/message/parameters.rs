//! What the parameters of a sampler message mean, and where each stands.
//!
//! The order is that of vISA, which every part from Gen8 on also has in its messages; Gen5 has one of its
//! own ([`gen5`]). Trailing parameters may be left out and count as 0.
//!
//! Source: lowering reference 3.2, 4, 5 and 18.3; vISA text reference 5.8; PRM 4.11.1.3.

use super::request::SamplerOp;

/// A parameter of a sampler message, one value for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub enum Parameter {
    /// First, second, third coordinate.
    U, /** See `U`. */ V, /** See `U`. */ R,
    /// Array index of a cube.
    Ai,
    /// Level of detail.
    Lod,
    /// Added to the computed level of detail.
    Bias,
    /// What shadow comparison compares with.
    Ref,
    /// Change of u from a pixel to its right neighbour; to the one below.
    Dudx, /** See `Dudx`. */ Dudy,
    /// Change of v.
    Dvdx, /** See `Dvdx`. */ Dvdy,
    /// Change of r.
    Drdx, /** See `Drdx`. */ Drdy,
    /// Texel offset across, an integer.
    OffU,
    /// Texel offset down, an integer.
    OffV,
    /// Sample index.
    Si,
    /// Control word of a compressed multisampled surface, low and high half.
    McsLow, /** See `McsLow`. */ McsHigh,
    /// The same in four words, lowest first.
    Mcs0, /** See `Mcs0`. */ Mcs1, /** See `Mcs0`. */ Mcs2, /** See `Mcs0`. */ Mcs3,
    /// Packed texel offsets, alone or with another parameter.
    OffUvr, /** Bias and offsets. */ BiasOff, /** Level and offsets. */ LodOff,
    /// Offsets u and v with coordinate r.
    OffUvR, /** All three offsets with coordinate r. */ OffUvrR, /** Level with offsets u and v. */ LodOffUv,
}

impl Parameter {
    /// The name the pages use.
    #[rustfmt::skip]
    pub const fn name(self) -> &'static str {
        use Parameter::*;
        match self {
            U => "u", V => "v", R => "r", Ai => "ai", Lod => "lod", Bias => "bias", Ref => "ref",
            Dudx => "dudx", Dudy => "dudy", Dvdx => "dvdx", Dvdy => "dvdy", Drdx => "drdx", Drdy => "drdy",
            OffU => "offu", OffV => "offv", Si => "si", McsLow => "mcsl", McsHigh => "mcsh",
            Mcs0 => "mcs0", Mcs1 => "mcs1", Mcs2 => "mcs2", Mcs3 => "mcs3",
            OffUvr => "offuvr", BiasOff => "bias_off", LodOff => "lod_off",
            OffUvR => "offuv_r", OffUvrR => "offuvr_r", LodOffUv => "lod_offuv",
        }
    }
}

/// The parameters of an operation in vISA's order.
///
/// `words`: the parameters are 16-bit, which `ld2dms_w` takes differently.
pub fn order(op: SamplerOp, words: bool) -> &'static [Parameter] {
    use Parameter::*;
    match op {
        SamplerOp::Sample
        | SamplerOp::SampleLz
        | SamplerOp::SampleKillpix
        | SamplerOp::Lod
        | SamplerOp::Gather4
        | SamplerOp::Gather4I => &[U, V, R, Ai],
        SamplerOp::SampleB | SamplerOp::Gather4B => &[Bias, U, V, R, Ai],
        SamplerOp::SampleL | SamplerOp::Gather4L => &[Lod, U, V, R, Ai],
        SamplerOp::SampleC | SamplerOp::SampleCLz | SamplerOp::Gather4C | SamplerOp::Gather4IC => {
            &[Ref, U, V, R, Ai]
        }
        SamplerOp::SampleD => &[U, Dudx, Dudy, V, Dvdx, Dvdy, R, Drdx, Drdy, Ai],
        SamplerOp::SampleDC => &[Ref, U, Dudx, Dudy, V, Dvdx, Dvdy, R, Drdx, Drdy, Ai],
        SamplerOp::SampleBC => &[Ref, Bias, U, V, R, Ai],
        SamplerOp::SampleLC | SamplerOp::Gather4LC => &[Ref, Lod, U, V, R, Ai],
        SamplerOp::Gather4Po => &[U, V, OffU, OffV, R],
        SamplerOp::Gather4PoC => &[Ref, U, V, OffU, OffV, R],
        SamplerOp::Ld => &[U, V, Lod, R],
        SamplerOp::LdLz => &[U, V, R],
        SamplerOp::LdMcs => &[U, V, R, Lod],
        SamplerOp::Ld2dmsW if words => &[Si, Mcs0, Mcs1, Mcs2, Mcs3, U, V, R, Lod],
        SamplerOp::Ld2dmsW => &[Si, McsLow, McsHigh, U, V, R, Lod],
        SamplerOp::Resinfo => &[Lod],
        SamplerOp::Sampleinfo => &[],
        SamplerOp::SamplePo => &[U, V, R, OffUvr],
        SamplerOp::SamplePoB => &[BiasOff, U, V, R, Ai],
        SamplerOp::SamplePoL => &[LodOff, U, V, R, Ai],
        SamplerOp::SamplePoC => &[Ref, U, V, OffUvR, Lod],
        SamplerOp::SamplePoD => &[U, Dudx, Dudy, V, Dvdx, Dvdy, OffUvrR, Lod],
        SamplerOp::SamplePoLC => &[Ref, LodOffUv, U, V, R, Ai],
    }
}

/// The parameters of a message of Gen5: coordinates first.
///
/// Source: PRM 4.11.1.3.2; surface reference 4.15.
pub fn gen5(op: SamplerOp) -> &'static [Parameter] {
    use Parameter::*;
    match op {
        SamplerOp::SampleB => &[U, V, R, Ai, Bias],
        SamplerOp::SampleL => &[U, V, R, Ai, Lod],
        SamplerOp::SampleC => &[U, V, R, Ai, Ref],
        SamplerOp::SampleD => &[U, V, R, Ai, Dudx, Dudy, Dvdx, Dvdy, Drdx, Drdy],
        SamplerOp::SampleBC => &[U, V, R, Ai, Ref, Bias],
        SamplerOp::SampleLC => &[U, V, R, Ai, Ref, Lod],
        SamplerOp::SampleKillpix => &[U, V, R],
        SamplerOp::Ld => &[U, V, R, Lod, Si],
        other => order(other, false),
    }
}
