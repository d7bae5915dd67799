//! AVC loop filter read: the control data of a macroblock, looked up and spread over eight registers.

use pretty_assertions::assert_eq;
use visim::internals::dataport::deblock::{SOURCE_BYTES, expand};
use visim::internals::diagnostic::Class;

fn expanded(dwords: [u32; 16]) -> [[u32; 8]; 8] {
    let bytes: Vec<u8> = dwords.iter().flat_map(|d| d.to_le_bytes()).collect();
    let registers = expand(bytes[..].try_into().unwrap()).unwrap();
    registers.map(|r| {
        std::array::from_fn(|i| u32::from_le_bytes(r[4 * i..4 * i + 4].try_into().unwrap()))
    })
}

#[test]
fn the_source_is_repeated_without_reserved_bits() {
    let w = expanded([
        0xffff_0102,
        0,
        0,
        0,
        0x1112_0000,
        0x0102_0304,
        0,
        0,
        0,
        0,
        0,
        0,
        3,
        4,
        5,
        6,
    ]);
    assert_eq!(w[0][..6], [0x00ff_0102, 0, 0, 0, 0x1112_0000, 0x0102_0304]);
    assert_eq!(w[1], [0; 8]);
}

#[test]
fn strengths_become_edge_maps() {
    let mut source = [0; 16];
    // v01 = 1, v32 = 3, v03 = 2, h13 = 1.
    source[1] = 1 | 3 << 14 | 2 << 16 | 1 << 30;
    // h20 = 1, h33 = 2; left_0: v00 = 4, v30 = 1.
    source[2] = 1 | 2 << 14 | 4 << 16 | 1 << 28;
    // left_1: v10 = 2; top_0: h02 = 4.
    source[3] = 2 << 4 | 4 << 24;
    // top_1: h03 = 3.
    source[4] = 3 << 12;
    let w = expanded(source);
    assert_eq!(
        w[2],
        [
            0xf000_000f, // v32 | v01
            0xf000_000f, // h13 | v03
            0xf000_000f, // h33 | h20
            0,
            0x000f_f00f, // B: v00 is 4 | A: v30, v00
            0x0f00_0f00, // B: h02 is 4 | A: h02
            0x0000_00f0, // A: v10
            0x0000_f000, // A: h03
        ]
    );
}

#[test]
fn thresholds_are_looked_up() {
    let mut source = [0; 16];
    // v01 = 3 inside; left_0: v00 = 1, v10 = 4; top_1: h00 = 2.
    source[1] = 3;
    source[2] = 1 << 16 | 4 << 20;
    source[4] = 2 | 40 << 16 | 30 << 24;
    source[5] = 51 | 16 << 8;
    source[6] = 26 << 24 | 35 << 16;
    let w = expanded(source);
    // Internal A 40: tc0 for strength 3 is 7, alpha 80; B 30: beta 8.
    assert_eq!(w[3][1], 7);
    assert_eq!(w[4][1], 8 << 8 | 80);
    // Left 0 A 51: tc0 for strength 1 is 13, none for 4; alpha 255; B 16: beta 2.
    assert_eq!(w[3][0], 13);
    assert_eq!(w[4][0], 2 << 8 | 255);
    // Top 1 A 35: tc0 for strength 2 is 3, alpha 45; B 26: beta 6.
    assert_eq!(w[4][7], 3);
    assert_eq!(w[4][4], 6 << 24 | 45 << 16);
}

#[test]
fn strength_3_has_a_clip_from_index_16_on() {
    // Internal A 15, 16, 17 with v01 = 1, 2 or 3: the columns of the table.
    for (a, expected) in [(15, [0, 0, 0]), (16, [0, 0, 1]), (17, [0, 0, 1])] {
        let clip = [1, 2, 3].map(|strength| {
            let mut source = [0; 16];
            source[1] = strength;
            source[4] = a << 16;
            expanded(source)[3][1]
        });
        assert_eq!(clip, expected, "indexA {a}");
    }
}

#[test]
fn chroma_uses_the_middle_edges() {
    let mut source = [0; 16];
    // v02 = 1, h20 = 2.
    source[1] = 1 << 8;
    source[2] = 2;
    // Cb internal A 51, Cr internal A 45.
    source[7] = 51;
    source[9] = 45 << 16;
    let w = expanded(source);
    assert_eq!(w[5], [0, 13, 0, 17, 0, 6, 0, 8]);
    assert_eq!(w[6], [0, 255, 0, 144, 0, 0, 0, 0]);
}

#[test]
fn what_the_tables_lack_is_undefined() {
    let refused = |dw: usize, value: u32| {
        let mut source = [0; SOURCE_BYTES];
        source[4 * dw..4 * dw + 4].copy_from_slice(&value.to_le_bytes());
        expand(&source).map(|_| ()).map_err(|r| r.class)
    };
    assert_eq!(refused(2, 5 << 16), Err(Class::Undefined));
    assert_eq!(refused(5, 52), Err(Class::Undefined));
    assert_eq!(refused(5, 51), Ok(()));
}
