//! Which register holds which operand: Ra the coordinates, Rb everything else, gaps closed.
//!
//! ```text
//!            Ra+0   Ra+1   Ra+2          Rb: handle (.B), LOD (.LL), offsets (.AOFFI), sample (.MS)
//!  1D        s                               in this order, each only if its modifier is there
//!  2D        s      t
//!  3D        s      t      r             TLD.B.LL.AOFFI R0, R8, R16, 0x0, ARRAY_2D, 0xf
//!  ARRAY_1D  a      s                      a=R8 s=R9 t=R10   handle=R16 LOD=R17 offsets=R18
//!  ARRAY_2D  a      s      t
//! ```
//!
//! Source: TLD reference 2.1 and 2.2; vendor page, "Texture parameter packing in Ra and Rb". One driver
//! compiler packs the sample before the offsets; the vendor page says after, and is followed.

use super::instruction::{Dim, Handle, Lod, Reg, Tld};
use std::fmt;

/// One 32-bit operand inside Ra or Rb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Param {
    /// Array index, bits 15:0.
    Array,
    /// First coordinate, signed texels.
    S,
    /// Second coordinate.
    T,
    /// Third coordinate.
    R,
    /// `samplerPtr[31:20] | headerPtr[19:0]`.
    Handle,
    /// Level, relative to the view's first.
    Lod,
    /// Offsets u, v, w, four bits each from bit 0.
    Offsets,
    /// Number of the sample.
    Sample,
}

impl Param {
    /// The short name used in notes and in `visim explain`.
    pub const fn name(self) -> &'static str {
        match self {
            Param::Array => "array",
            Param::S => "s",
            Param::T => "t",
            Param::R => "r",
            Param::Handle => "handle",
            Param::Lod => "lod",
            Param::Offsets => "toff",
            Param::Sample => "ms",
        }
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What Ra holds, in order; nothing for a reserved description.
pub const fn ra(dim: Dim) -> &'static [Param] {
    use Param::{Array, R, S, T};
    match dim {
        Dim::D1 => &[S],
        Dim::D2 => &[S, T],
        Dim::D3 => &[S, T, R],
        Dim::Array1D => &[Array, S],
        Dim::Array2D => &[Array, S, T],
        Dim::Array3D | Dim::Cube | Dim::ArrayCube => &[],
    }
}

/// What Rb holds, in order: at most four operands.
pub fn rb(tld: &Tld) -> impl Iterator<Item = Param> + Clone + use<> {
    let present = [
        (tld.handle == Handle::Bindless, Param::Handle),
        (tld.lod == Lod::Given, Param::Lod),
        (tld.aoffi, Param::Offsets),
        (tld.ms, Param::Sample),
    ];
    present
        .into_iter()
        .filter_map(|(there, param)| there.then_some(param))
}

/// The multiple a vector of `count` registers starts at: 1, 2, 4, 4 (and 1 for an empty one).
///
/// Source: vendor page, alignment rule 2. It gives no rule for three *results*; they count as four,
/// like three sources (TLD reference 2.3).
pub const fn alignment(count: usize) -> u8 {
    match count {
        0 | 1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// Each operand with the register it is read from, Ra's first; `RZ` stands for zero.
pub fn sources(tld: &Tld) -> impl Iterator<Item = (Param, Reg)> + use<> {
    let (first_a, first_b) = (tld.ra, tld.rb);
    let place = |first: Reg| {
        move |(i, param): (usize, Param)| (param, first.plus(i as u8).unwrap_or(Reg::RZ))
    };
    let a = ra(tld.dim).iter().copied().enumerate().map(place(first_a));
    a.chain(rb(tld).enumerate().map(place(first_b)))
}

/// Each enabled component (0 = R … 3 = A) with the register it is written to: contiguous from Rd.
///
/// Source: vendor page, "decimated contiguous writes".
pub fn results(tld: &Tld) -> impl Iterator<Item = (usize, Reg)> + use<> {
    let (mask, rd) = (tld.mask, tld.rd);
    (0..4)
        .filter(move |&c| mask >> c & 1 == 1)
        .enumerate()
        .map(move |(i, c)| (c, rd.plus(i as u8).unwrap_or(Reg::RZ)))
}
