//! AVC loop filter read: the control data of a macroblock, looked up and spread over eight registers.
//!
//! ```text
//!        h00 h01 h02 h03   top edge, external           boundary strengths bS of one macroblock:
//!       ┌───┬───┬───┬───┐                               v<row><column> at the left of a 4×4 block,
//!    v00│v01│v02│v03│                                   h<row><column> above one
//!       ├h10┼h11┼h12┼h13┤                               v00 v10 v20 v30 and h00 … h03 are external, twice:
//!    v10│v11│v12│v13│                                   _0, and _1 for MBAFF
//! ```
//!
//! W0 and W1 repeat the source; W2 holds edge control maps, W3 to W7 the thresholds tc0, alpha and beta.
//!
//! Source: PRM 5.10.10.

use super::buffer::Register;
use crate::surface::Refused;

const SEE: &str = "PRM 5.10.10, \"AVC Loop Filter Read\"";

/// Bytes of a macroblock's data in the surface.
pub const SOURCE_BYTES: usize = 64;
/// Registers that come back.
pub const REGISTERS: usize = 8;

/// Alpha by indexA. Source: PRM table 5-1; the published row lacks one of its sixteen zeros.
const ALPHA: [u8; 52] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 5, 6, 7, 8, 9, 10, 12, 13, //
    15, 17, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182,
    203, 226, 255, 255,
];

/// Beta by indexB. Source: PRM table 5-1.
const BETA: [u8; 52] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, //
    6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18,
];

/// tc0 by strength 1 to 3 and indexA, as the tables have it; strength 3 begins at indexA 16 there. Source: PRM
/// table 5-2.
const TC0: [[u8; 52]; 3] = [
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, //
        1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13,
    ],
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, //
        1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 8, 10, 11, 12, 13, 15, 17,
    ],
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, //
        1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18, 20, 23, 25,
    ],
];

/// The reserved bits of the source, which come back as 0.
const KNOWN: [u32; 16] = [
    0x00ff_ffff,
    !0,
    !0,
    !0,
    !0,
    !0,
    !0,
    !0,
    !0,
    !0,
    !0,
    !0,
    0,
    0,
    0,
    0,
];

/// Four strengths of neighbouring blocks, the first in the lowest bits.
type Edge = [u8; 4];

/// An index pair: A for alpha and tc0, B for beta.
#[derive(Clone, Copy)]
struct Index {
    a: u8,
    b: u8,
}

/// The index pairs of a plane.
struct Plane {
    internal: Index,
    /// Left edges _0 and _1.
    left: [Index; 2],
    /// Top edges _0 and _1.
    top: [Index; 2],
}

/// The source, field by field.
struct Macroblock {
    dwords: [u32; 16],
}

impl Macroblock {
    fn bits(&self, dw: usize, low: u32, width: u32) -> u8 {
        (self.dwords[dw] >> low & ((1 << width) - 1)) as u8
    }

    /// Four fields of `width` bits from bit `low` on.
    fn edge(&self, dw: usize, low: u32, width: u32) -> Edge {
        std::array::from_fn(|i| self.bits(dw, low + width * i as u32, width))
    }

    fn index(&self, dw: usize, low: u32) -> Index {
        Index {
            a: self.bits(dw, low, 8),
            b: self.bits(dw, low + 8, 8),
        }
    }

    /// v0c … v3c for an internal column.
    fn v(&self, column: u32) -> Edge {
        self.edge(1, 8 * (column - 1), 2)
    }

    /// hr0 … hr3 for an internal row.
    fn h(&self, row: u32) -> Edge {
        match row {
            1 => self.edge(1, 24, 2),
            row => self.edge(2, 8 * (row - 2), 2),
        }
    }

    /// The left edge, external.
    fn left(&self, which: usize) -> Edge {
        match which {
            0 => self.edge(2, 16, 4),
            _ => self.edge(3, 0, 4),
        }
    }

    /// The top edge, external.
    fn top(&self, which: usize) -> Edge {
        match which {
            0 => self.edge(3, 16, 4),
            _ => self.edge(4, 0, 4),
        }
    }

    /// Y, Cb, Cr.
    fn planes(&self) -> [Plane; 3] {
        let plane =
            |internal: (usize, u32), left: [(usize, u32); 2], top: [(usize, u32); 2]| Plane {
                internal: self.index(internal.0, internal.1),
                left: left.map(|(dw, low)| self.index(dw, low)),
                top: top.map(|(dw, low)| self.index(dw, low)),
            };
        [
            plane((4, 16), [(5, 0), (5, 16)], [(6, 0), (6, 16)]),
            plane((7, 0), [(7, 16), (8, 0)], [(8, 16), (9, 0)]),
            plane((9, 16), [(10, 0), (10, 16)], [(11, 0), (11, 16)]),
        ]
    }

    fn check(&self) -> Result<(), Refused> {
        for which in 0..2 {
            for (name, edge) in [("v", self.left(which)), ("h", self.top(which))] {
                if let Some(strength) = edge.into_iter().find(|&s| s > 4) {
                    let what = format!("external strength {strength} in {name}…_{which}: 0 to 4");
                    return Err(Refused::undefined(what, SEE));
                }
            }
        }
        for plane in self.planes() {
            let all = [&[plane.internal][..], &plane.left, &plane.top].concat();
            for Index { a, b } in all {
                if a > 51 || b > 51 {
                    let what = format!("filter indices A {a} and B {b}: 0 to 51");
                    return Err(Refused::undefined(what, SEE));
                }
            }
        }
        Ok(())
    }
}

fn pack(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes)
}

/// Four bits for each strength that `on` chooses.
fn map(edge: Edge, on: impl Fn(u8) -> bool) -> u32 {
    (0..).zip(edge).fold(0, |bits, (i, s)| {
        bits | if on(s) { 0xf << (4 * i) } else { 0 }
    })
}

/// Whether the segment is filtered: internal edges and map A of external ones.
fn filtered(edge: Edge) -> u32 {
    map(edge, |s| s > 0)
}

/// Maps A and B of an external edge. Source: PRM tables 5-4 and 5-5.
fn external(edge: Edge) -> u32 {
    filtered(edge) | map(edge, |s| s == 4) << 16
}

/// tc0 of four segments. Strength 4 gives 0, and so does 0, where nothing is filtered.
fn tc0(edge: Edge, index: Index) -> u32 {
    pack(edge.map(|s| match s {
        1..=3 => TC0[usize::from(s) - 1][usize::from(index.a)],
        _ => 0,
    }))
}

fn alpha_beta(index: Index) -> [u8; 2] {
    [ALPHA[usize::from(index.a)], BETA[usize::from(index.b)]]
}

/// Beta and alpha of the top edge above those of the left one.
fn outer(plane: &Plane, which: usize) -> u32 {
    let [left_alpha, left_beta] = alpha_beta(plane.left[which]);
    let [top_alpha, top_beta] = alpha_beta(plane.top[which]);
    pack([left_alpha, left_beta, top_alpha, top_beta])
}

fn inner(plane: &Plane) -> u32 {
    let [alpha, beta] = alpha_beta(plane.internal);
    pack([alpha, beta, 0, 0])
}

/// The eight registers for the sixteen dwords of a macroblock.
///
/// # Errors
/// [`Refused`] as undefined for strengths above 4 and indices above 51, for which the tables have no
/// entry.
pub fn expand(source: &[u8; SOURCE_BYTES]) -> Result<[Register; REGISTERS], Refused> {
    let mut dwords = [0; 16];
    for ((dword, bytes), known) in dwords.iter_mut().zip(source.chunks_exact(4)).zip(KNOWN) {
        *dword = bytes.iter().rev().fold(0, |d, b| d << 8 | u32::from(*b)) & known;
    }
    let m = Macroblock { dwords };
    m.check()?;
    let [y, cb, cr] = m.planes();
    let mut w = [[0u32; 8]; REGISTERS];
    w[0].copy_from_slice(&m.dwords[..8]);
    w[1].copy_from_slice(&m.dwords[8..]);
    let pair = |low: Edge, high: Edge| filtered(low) | filtered(high) << 16;
    w[2] = [
        pair(m.v(1), m.v(2)),
        pair(m.v(3), m.h(1)),
        pair(m.h(2), m.h(3)),
        0,
        external(m.left(0)),
        external(m.top(0)),
        external(m.left(1)),
        external(m.top(1)),
    ];
    w[3] = [
        tc0(m.left(0), y.left[0]),
        tc0(m.v(1), y.internal),
        tc0(m.v(2), y.internal),
        tc0(m.v(3), y.internal),
        tc0(m.top(0), y.top[0]),
        tc0(m.h(1), y.internal),
        tc0(m.h(2), y.internal),
        tc0(m.h(3), y.internal),
    ];
    w[4] = [
        outer(&y, 0),
        inner(&y),
        0,
        0,
        outer(&y, 1),
        0,
        tc0(m.left(1), y.left[1]),
        tc0(m.top(1), y.top[1]),
    ];
    // Chroma has half the edges: those of luma column and row 2 are its inner ones.
    for (c, plane) in [&cb, &cr].into_iter().enumerate() {
        w[5][4 * c..4 * c + 4].copy_from_slice(&[
            tc0(m.left(0), plane.left[0]),
            tc0(m.v(2), plane.internal),
            tc0(m.top(0), plane.top[0]),
            tc0(m.h(2), plane.internal),
        ]);
        w[6][2 * c..2 * c + 2].copy_from_slice(&[outer(plane, 0), inner(plane)]);
        w[7][4 * c..4 * c + 4].copy_from_slice(&[
            outer(plane, 1),
            0,
            tc0(m.left(1), plane.left[1]),
            tc0(m.top(1), plane.top[1]),
        ]);
    }
    Ok(w.map(|dwords| {
        let mut register = [0; 32];
        for (bytes, dword) in register.chunks_exact_mut(4).zip(dwords) {
            bytes.copy_from_slice(&dword.to_le_bytes());
        }
        register
    }))
}
