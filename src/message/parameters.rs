//! What the parameters of a sampler message mean, and where each is.
//!
//! The order is that of vISA, which every part from Gen8 on also has in its messages; Gen5 has one of its
//! own ([`gen5`]). Trailing parameters may be left out and count as 0.
//!
//! Source: lowering reference 3.2, 4, 5 and 18.3; vISA text reference 5.8; PRM 4.11.1.3. Operations that the
//! text reference only names (`*_mlod`, `*_po_*lz`, `load_l`, `sample4_po_…`) have the order in which Intel's
//! compiler emits their parameters for its newest parts.

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
    /// Texel offsets, packed ([`Packing`]): alone, with a bias, with a level.
    OffUvr, /** See `OffUvr`. */ BiasOff, /** See `OffUvr`. */ LodOff,
    /// Two offsets with a level; two or three with the array index.
    LodOffUv, /** See `LodOffUv`. */ OffUvR, /** See `LodOffUv`. */ OffUvrR,
    /// Two offsets of gather4, which have six bits: alone, with a bias, a level, the array index.
    OffUv6, /** See `OffUv6`. */ BiasOff6, /** See `OffUv6`. */ LodOff6, /** See `OffUv6`. */ OffUv6R,
    /// The least level of detail; with the array index.
    Mlod, /** See `Mlod`. */ MlodR,
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
            OffUv6 => "offuv", BiasOff6 => "bias_offuv", LodOff6 => "lod_offuv", OffUv6R => "offuv_r",
            Mlod => "mlod", MlodR => "mlod_r",
        }
    }
}

/// Where a packed parameter has its texel offsets. The twelve bits they take at the low end are those that
/// the float beside them does without; beside an array index, an integer in the low twelve bits, they follow.
///
/// ```text
///   bits        31:24   23:20  19:16  15:12   11:8  7:4  3:0
///   lod_off     level, a float ............     R     V    U
///   offuvr_r              R      V      U     array index ...
///   lod_offuv   level, a float ............   V 11:6   U 5:0          (gather4)
///   offuv_r            V 23:18     U 17:12    array index ...         (gather4)
/// ```
///
/// Source: no page states the bits; these are how Intel's compiler fills them for its newest parts. Mesa's
/// puts U at 11:8 and R at 3:0 in messages other than gather4, as in the message header; the text that
/// is run here comes from the former.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Bits of an offset; two's complement.
    pub width: u32,
    /// Lowest bit of the offset of U, V, R.
    pub low: [Option<u32>; 3],
}

impl Packing {
    /// The array index beside the offsets, where one is.
    pub const INDEX: u32 = 0xfff;

    /// The packing of a parameter, `None` for a plain one.
    pub const fn of(parameter: Parameter) -> Option<Packing> {
        use Parameter::*;
        let (width, low) = match parameter {
            OffUvr | BiasOff | LodOff => (4, [Some(0), Some(4), Some(8)]),
            LodOffUv => (4, [Some(0), Some(4), None]),
            OffUvR => (4, [Some(12), Some(16), None]),
            OffUvrR => (4, [Some(12), Some(16), Some(20)]),
            OffUv6 | BiasOff6 | LodOff6 => (6, [Some(0), Some(6), None]),
            OffUv6R => (6, [Some(12), Some(18), None]),
            MlodR => (0, [None; 3]),
            _ => return None,
        };
        Some(Packing { width, low })
    }

    /// Whether the array index lies in the low twelve bits.
    pub const fn has_index(parameter: Parameter) -> bool {
        use Parameter::*;
        matches!(parameter, OffUvR | OffUvrR | OffUv6R | MlodR)
    }

    /// The offsets in the bits of a lane.
    pub fn offsets(&self, bits: u32) -> [i64; 3] {
        self.low.map(|low| match low {
            Some(low) => {
                i64::from((bits << (32 - low - self.width)).cast_signed() >> (32 - self.width))
            }
            None => 0,
        })
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
        // What the text reference calls lod can only be the least one: there are gradients.
        SamplerOp::SamplePoC => &[Ref, U, V, OffUvR, Mlod],
        SamplerOp::SamplePoD => &[U, Dudx, Dudy, V, Dvdx, Dvdy, OffUvrR, Mlod],
        SamplerOp::SamplePoBC => &[Ref, BiasOff, U, V, R, Ai],
        SamplerOp::SamplePoDC => &[Ref, U, Dudx, Dudy, V, Dvdx, Dvdy, OffUvR],
        SamplerOp::SamplePoLC => &[Ref, LodOffUv, U, V, R, Ai],
        SamplerOp::SamplePoLz => &[U, V, R, OffUvr],
        SamplerOp::SamplePoCLz => &[Ref, U, V, OffUvR],
        SamplerOp::LdL => &[U, V, R, Lod],
        SamplerOp::Gather4PoL => &[LodOff6, U, V, R, Ai],
        SamplerOp::Gather4PoB => &[BiasOff6, U, V, R, Ai],
        SamplerOp::Gather4PoI => &[U, V, R, OffUv6],
        SamplerOp::Gather4PoIC => &[Ref, U, V, OffUv6R],
        SamplerOp::Gather4PoLC => &[Ref, LodOff6, U, V, R, Ai],
        SamplerOp::SampleMlod => &[Mlod, U, V, R, Ai],
        SamplerOp::SampleCMlod => &[Mlod, Ref, U, V, R, Ai],
        SamplerOp::SampleDCMlod => &[Ref, U, Dudx, Dudy, V, Dvdx, Dvdy, MlodR],
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
