//! Tables of BC6H and BC7: partitions, anchors, weights, modes.
//!
//! Source: surface reference 2.8; Khronos Data Format Specification, BPTC chapter.

/// Subset of each texel, row by row, for two subsets.
#[rustfmt::skip]
pub const PARTITION2: [&[u8; 16]; 64] = [
    b"0011001100110011", b"0001000100010001", b"0111011101110111", b"0001001100110111",
    b"0000000100010011", b"0011011101111111", b"0001001101111111", b"0000000100110111",
    b"0000000000010011", b"0011011111111111", b"0000000101111111", b"0000000000010111",
    b"0001011111111111", b"0000000011111111", b"0000111111111111", b"0000000000001111",
    b"0000100011101111", b"0111000100000000", b"0000000010001110", b"0111001100010000",
    b"0011000100000000", b"0000100011001110", b"0000000010001100", b"0111001100110001",
    b"0011000100010000", b"0000100010001100", b"0110011001100110", b"0011011001101100",
    b"0001011111101000", b"0000111111110000", b"0111000110001110", b"0011100110011100",
    b"0101010101010101", b"0000111100001111", b"0101101001011010", b"0011001111001100",
    b"0011110000111100", b"0101010110101010", b"0110100101101001", b"0101101010100101",
    b"0111001111001110", b"0001001111001000", b"0011001001001100", b"0011101111011100",
    b"0110100110010110", b"0011110011000011", b"0110011010011001", b"0000011001100000",
    b"0100111001000000", b"0010011100100000", b"0000001001110010", b"0000010011100100",
    b"0110110010010011", b"0011011011001001", b"0110001110011100", b"0011100111000110",
    b"0110110011001001", b"0110001100111001", b"0111111010000001", b"0001100011100111",
    b"0000111100110011", b"0011001111110000", b"0010001011101110", b"0100010001110111",
];

/// Subset of each texel, row by row, for three subsets.
#[rustfmt::skip]
pub const PARTITION3: [&[u8; 16]; 64] = [
    b"0011001102212222", b"0001001122112221", b"0000200122112211", b"0222002200110111",
    b"0000000011221122", b"0011001100220022", b"0022002211111111", b"0011001122112211",
    b"0000000011112222", b"0000111111112222", b"0000111122222222", b"0012001200120012",
    b"0112011201120112", b"0122012201220122", b"0011011211221222", b"0011200122002220",
    b"0001001101121122", b"0111001120012200", b"0000112211221122", b"0022002200221111",
    b"0111011102220222", b"0001000122212221", b"0000001101220122", b"0000110022102210",
    b"0122012200110000", b"0012001211222222", b"0110122112210110", b"0000011012211221",
    b"0022110211020022", b"0110011020022222", b"0011012201220011", b"0000200022112221",
    b"0000000211221222", b"0222002200120011", b"0011001200220222", b"0120012001200120",
    b"0000111122220000", b"0120120120120120", b"0120201212010120", b"0011220011220011",
    b"0011112222000011", b"0101010122222222", b"0000000021212121", b"0022112200221122",
    b"0022001100220011", b"0220122102201221", b"0101222222220101", b"0000212121212121",
    b"0101010101012222", b"0222011102220111", b"0002111200021112", b"0000211221122112",
    b"0222011101110222", b"0002111211120002", b"0110011001102222", b"0000000021122112",
    b"0110011022222222", b"0022001100110022", b"0022112211220022", b"0000000000002112",
    b"0002000100020001", b"0222122202221222", b"0101222222222222", b"0111201122012220",
];

/// Anchor texel of subset 1 of two; subset 0 has texel 0.
#[rustfmt::skip]
pub const ANCHOR2: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15,  2,  8,  2,  2,  8,  8, 15,  2,  8,  2,  2,  8,  8,  2,  2,
    15, 15,  6,  8,  2,  8, 15, 15,  2,  8,  2,  2,  2, 15, 15,  6,
     6,  2,  6,  8, 15, 15,  2,  2, 15, 15, 15, 15, 15,  2,  2, 15,
];

/// Anchor texel of subset 1 of three.
#[rustfmt::skip]
pub const ANCHOR3_1: [u8; 64] = [
     3,  3, 15, 15,  8,  3, 15, 15,  8,  8,  6,  6,  6,  5,  3,  3,
     3,  3,  8, 15,  3,  3,  6, 10,  5,  8,  8,  6,  8,  5, 15, 15,
     8, 15,  3,  5,  6, 10,  8, 15, 15,  3, 15,  5, 15, 15, 15, 15,
     3, 15,  5,  5,  5,  8,  5, 10,  5, 10,  8, 13, 15, 12,  3,  3,
];

/// Anchor texel of subset 2 of three.
#[rustfmt::skip]
pub const ANCHOR3_2: [u8; 64] = [
    15,  8,  8,  3, 15, 15,  3,  8, 15, 15, 15, 15, 15, 15, 15,  8,
    15,  8, 15,  3, 15,  8, 15,  8,  3, 15,  6, 10, 15, 15, 10,  8,
    15,  3, 15, 10, 10,  8,  9, 10,  6, 15,  8, 15,  3,  6,  6,  8,
    15,  3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  3, 15, 15,  8,
];

/// Weights in 1/64 for indices of 2, 3 and 4 bits.
pub const WEIGHTS: [&[u8]; 3] = [
    &[0, 21, 43, 64],
    &[0, 9, 18, 27, 37, 46, 55, 64],
    &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
];

/// A mode of BC7: numbers of bits.
pub struct Bc7Mode {
    /// Subsets.
    pub subsets: u8,
    /// Bits of the partition number.
    pub partition: u8,
    /// Bits of the rotation.
    pub rotation: u8,
    /// Bits of the index selection.
    pub selection: u8,
    /// Bits of a colour channel of an endpoint.
    pub colour: u8,
    /// Bits of the alpha of an endpoint.
    pub alpha: u8,
    /// P-bits: 0 none, 1 one for each endpoint, 2 one for each subset.
    pub p_bits: u8,
    /// Bits of a primary and of a secondary index.
    pub index: [u8; 2],
}

const fn bc7(b: [u8; 7], index: [u8; 2]) -> Bc7Mode {
    let [
        subsets,
        partition,
        rotation,
        selection,
        colour,
        alpha,
        p_bits,
    ] = b;
    Bc7Mode {
        subsets,
        partition,
        rotation,
        selection,
        colour,
        alpha,
        p_bits,
        index,
    }
}

/// The eight modes of BC7.
#[rustfmt::skip]
pub const BC7_MODES: [Bc7Mode; 8] = [
    //   subsets partition rotation selection colour alpha p-bits  index
    bc7([3, 4, 0, 0, 4, 0, 1], [3, 0]),
    bc7([2, 6, 0, 0, 6, 0, 2], [3, 0]),
    bc7([3, 6, 0, 0, 5, 0, 0], [2, 0]),
    bc7([2, 6, 0, 0, 7, 0, 1], [2, 0]),
    bc7([1, 0, 2, 1, 5, 6, 0], [2, 3]),
    bc7([1, 0, 2, 0, 7, 8, 0], [2, 2]),
    bc7([1, 0, 0, 0, 7, 7, 1], [4, 0]),
    bc7([2, 6, 0, 0, 5, 5, 1], [2, 0]),
];

/// A mode of BC6H.
pub struct Bc6hMode {
    /// The low bits of the block.
    pub number: u8,
    /// Endpoints 1 to 3 are differences from endpoint 0.
    pub transformed: bool,
    /// Bits of the partition number: 5 for two subsets, 0 for one.
    pub partition: u8,
    /// Bits of an endpoint.
    pub endpoint: u8,
    /// Bits of a difference in R, G, B.
    pub delta: [u8; 3],
    /// Where the bits of the block go, from bit 0 up: `R0.3-9` are bits 3 to 9 of red of endpoint 0,
    /// `R0.9-3` the same the other way round; M is the mode, P the partition. Indices follow.
    pub bits: &'static str,
}

/// The fourteen modes of BC6H.
#[rustfmt::skip]
pub const BC6H_MODES: [Bc6hMode; 14] = [
    Bc6hMode { number: 0, transformed: true, partition: 5, endpoint: 10, delta: [5, 5, 5],
        bits: "M.0-1 G2.4 B2.4 B3.4 R0.0-9 G0.0-9 B0.0-9 R1.0-4 G3.4 G2.0-3 G1.0-4 B3.0 G3.0-3 B1.0-4 B3.1 B2.0-3 R2.0-4 B3.2 R3.0-4 B3.3 P.0-4" },
    Bc6hMode { number: 1, transformed: true, partition: 5, endpoint: 7, delta: [6, 6, 6],
        bits: "M.0-1 G2.5 G3.4-5 R0.0-6 B3.0-1 B2.4 G0.0-6 B2.5 B3.2 G2.4 B0.0-6 B3.3 B3.5-4 R1.0-5 G2.0-3 G1.0-5 G3.0-3 B1.0-5 B2.0-3 R2.0-5 R3.0-5 P.0-4" },
    Bc6hMode { number: 2, transformed: true, partition: 5, endpoint: 11, delta: [5, 4, 4],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-4 R0.10 G2.0-3 G1.0-3 G0.10 B3.0 G3.0-3 B1.0-3 B0.10 B3.1 B2.0-3 R2.0-4 B3.2 R3.0-4 B3.3 P.0-4" },
    Bc6hMode { number: 3, transformed: false, partition: 0, endpoint: 10, delta: [0, 0, 0],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-9 G1.0-9 B1.0-9" },
    Bc6hMode { number: 6, transformed: true, partition: 5, endpoint: 11, delta: [4, 5, 4],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-3 R0.10 G3.4 G2.0-3 G1.0-4 G0.10 G3.0-3 B1.0-3 B0.10 B3.1 B2.0-3 R2.0-3 B3.0 B3.2 R3.0-3 G2.4 B3.3 P.0-4" },
    Bc6hMode { number: 7, transformed: true, partition: 0, endpoint: 11, delta: [9, 9, 9],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-8 R0.10 G1.0-8 G0.10 B1.0-8 B0.10" },
    Bc6hMode { number: 10, transformed: true, partition: 5, endpoint: 11, delta: [4, 4, 5],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-3 R0.10 B2.4 G2.0-3 G1.0-3 G0.10 B3.0 G3.0-3 B1.0-4 B0.10 B2.0-3 R2.0-3 B3.1-2 R3.0-3 B3.4-3 P.0-4" },
    Bc6hMode { number: 11, transformed: true, partition: 0, endpoint: 12, delta: [8, 8, 8],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-7 R0.11-10 G1.0-7 G0.11-10 B1.0-7 B0.11-10" },
    Bc6hMode { number: 14, transformed: true, partition: 5, endpoint: 9, delta: [5, 5, 5],
        bits: "M.0-4 R0.0-8 B2.4 G0.0-8 G2.4 B0.0-8 B3.4 R1.0-4 G3.4 G2.0-3 G1.0-4 B3.0 G3.0-3 B1.0-4 B3.1 B2.0-3 R2.0-4 B3.2 R3.0-4 B3.3 P.0-4" },
    Bc6hMode { number: 15, transformed: true, partition: 0, endpoint: 16, delta: [4, 4, 4],
        bits: "M.0-4 R0.0-9 G0.0-9 B0.0-9 R1.0-3 R0.15-10 G1.0-3 G0.15-10 B1.0-3 B0.15-10" },
    Bc6hMode { number: 18, transformed: true, partition: 5, endpoint: 8, delta: [6, 5, 5],
        bits: "M.0-4 R0.0-7 G3.4 B2.4 G0.0-7 B3.2 G2.4 B0.0-7 B3.3-4 R1.0-5 G2.0-3 G1.0-4 B3.0 G3.0-3 B1.0-4 B3.1 B2.0-3 R2.0-5 R3.0-5 P.0-4" },
    Bc6hMode { number: 22, transformed: true, partition: 5, endpoint: 8, delta: [5, 6, 5],
        bits: "M.0-4 R0.0-7 B3.0 B2.4 G0.0-7 G2.5-4 B0.0-7 G3.5 B3.4 R1.0-4 G3.4 G2.0-3 G1.0-5 G3.0-3 B1.0-4 B3.1 B2.0-3 R2.0-4 B3.2 R3.0-4 B3.3 P.0-4" },
    Bc6hMode { number: 26, transformed: true, partition: 5, endpoint: 8, delta: [5, 5, 6],
        bits: "M.0-4 R0.0-7 B3.1 B2.4 G0.0-7 B2.5 G2.4 B0.0-7 B3.5-4 R1.0-4 G3.4 G2.0-3 G1.0-4 B3.0 G3.0-3 B1.0-5 B2.0-3 R2.0-4 B3.2 R3.0-4 B3.3 P.0-4" },
    Bc6hMode { number: 30, transformed: false, partition: 5, endpoint: 6, delta: [0, 0, 0],
        bits: "M.0-4 R0.0-5 G3.4 B3.0-1 B2.4 G0.0-5 G2.5 B2.5 B3.2 G2.4 B0.0-5 G3.5 B3.3 B3.5-4 R1.0-5 G2.0-3 G1.0-5 G3.0-3 B1.0-5 B2.0-3 R2.0-5 R3.0-5 P.0-4" },
];
