//! The layouts of sampler states: which bits hold what. Source: surface reference 5.5 to 5.7.

use crate::isa::generations::Generation::{self, *};
use crate::isa::generations::{Span, from, until};
use crate::surface::state::field::{Number, StateField, Structure, field, followed_by};

const MIP_FILTERS: &[(u32, &str)] = &[(0, "none"), (1, "nearest"), (3, "linear")];
const FILTERS: &[(u32, &str)] = &[
    (0, "nearest"),
    (1, "linear"),
    (2, "anisotropic"),
    (6, "mono"),
];
const SHADOWS: &[(u32, &str)] = &[
    (0, "ALWAYS"),
    (1, "NEVER"),
    (2, "LESS"),
    (3, "EQUAL"),
    (4, "LEQUAL"),
    (5, "GREATER"),
    (6, "NOTEQUAL"),
    (7, "GEQUAL"),
];
const ADDRESSES_GEN9: &[(u32, &str)] = &[
    (0, "WRAP"),
    (1, "MIRROR"),
    (2, "CLAMP"),
    (3, "CUBE"),
    (4, "CLAMP_BORDER"),
    (5, "MIRROR_ONCE"),
    (6, "HALF_BORDER"),
];
/// Half borders came later.
const ADDRESSES_GEN5: &[(u32, &str)] = ADDRESSES_GEN9.split_at(6).0;
const CUBE_CONTROLS: &[(u32, &str)] = &[(0, "PROGRAMMED"), (1, "OVERRIDE")];
const KEY_MODES: &[(u32, &str)] = &[(0, "KILL_ON_ANY_MATCH"), (1, "REPLACE_BLACK")];
const RATIOS: &[(u32, &str)] = &[
    (0, "2:1"),
    (1, "4:1"),
    (2, "6:1"),
    (3, "8:1"),
    (4, "10:1"),
    (5, "12:1"),
    (6, "14:1"),
    (7, "16:1"),
];

const fn fixed(name: &'static str, dw: usize, high: u32, low: u32, fraction: u32) -> StateField {
    field(name, dw, high, low).number(Number::Fixed(fraction))
}

const fn bias(dw: usize, high: u32, low: u32, fraction: u32) -> StateField {
    field("Texture LOD Bias", dw, high, low).number(Number::SignedFixed(fraction))
}

const fn border(dw: usize, high: u32, low: u32) -> StateField {
    field("Border Color Pointer", dw, high, low).number(Number::Address)
}

const fn signed(name: &'static str, dw: usize, high: u32, low: u32) -> StateField {
    field(name, dw, high, low).number(Number::Signed)
}

const fn float(name: &'static str, dw: usize) -> StateField {
    field(name, dw, 31, 0).number(Number::Float)
}

fn never_planar(_: &[u32]) -> bool {
    false
}

/// Bits 21 to 13 of the last dword, which stay where they are from Gen4 to Gen9.
#[rustfmt::skip]
const ANISOTROPY: [StateField; 7] = [
    field("Maximum Anisotropy", 3, 21, 19).names(RATIOS),
    field("U Address Mag Filter Rounding Enable", 3, 18, 18),
    field("U Address Min Filter Rounding Enable", 3, 17, 17),
    field("V Address Mag Filter Rounding Enable", 3, 16, 16),
    field("V Address Min Filter Rounding Enable", 3, 15, 15),
    field("R Address Mag Filter Rounding Enable", 3, 14, 14),
    field("R Address Min Filter Rounding Enable", 3, 13, 13),
];

/// SAMPLER_STATE of Gen4 to Gen7.5: 4 dwords.
#[rustfmt::skip]
pub const SAMPLER_GEN5: &Structure = &Structure {
    name: "SAMPLER_STATE",
    generations: until(Gen75),
    dwords: 4,
    source: "surface reference 5.5",
    planar: never_planar,
    fields: &followed_by::<20, 7, 27>([
        field("Sampler Disable", 0, 31, 31),
        field("LOD PreClamp Enable", 0, 28, 28),
        fixed("Base Mip Level", 0, 26, 22, 1).at_most(26),
        field("Mip Mode Filter", 0, 21, 20).names(MIP_FILTERS),
        field("Mag Mode Filter", 0, 19, 17).names(FILTERS),
        field("Min Mode Filter", 0, 16, 14).names(FILTERS),
        bias(0, 13, 3, 6),
        field("Shadow Function", 0, 2, 0).names(SHADOWS),
        fixed("Min LOD", 1, 31, 22, 6).at_most(13 << 6),
        fixed("Max LOD", 1, 21, 12, 6).at_most(13 << 6),
        field("Cube Surface Control Mode", 1, 9, 9).names(CUBE_CONTROLS),
        field("TCX Address Control Mode", 1, 8, 6).names(ADDRESSES_GEN5),
        field("TCY Address Control Mode", 1, 5, 3).names(ADDRESSES_GEN5),
        field("TCZ Address Control Mode", 1, 2, 0).names(ADDRESSES_GEN5),
        border(2, 31, 5),
        field("Monochrome Filter Height", 3, 31, 29).in_generations(until(Gen5)),
        field("Monochrome Filter Width", 3, 28, 26).in_generations(until(Gen5)),
        field("ChromaKey Enable", 3, 25, 25),
        field("ChromaKey Index", 3, 24, 23),
        field("ChromaKey Mode", 3, 22, 22).names(KEY_MODES),
    ], ANISOTROPY),
};

/// SAMPLER_STATE of Gen8 and Gen9: 4 dwords.
#[rustfmt::skip]
pub const SAMPLER_GEN9: &Structure = &Structure {
    name: "SAMPLER_STATE",
    generations: from(Gen8),
    dwords: 4,
    source: "surface reference 5.5",
    planar: never_planar,
    fields: &followed_by::<25, 6, 31>(followed_by::<18, 7, 25>([
        field("Sampler Disable", 0, 31, 31),
        field("Texture Border Color Mode", 0, 29, 29).names(&[(0, "OGL"), (1, "DX9")]),
        field("LOD PreClamp Mode", 0, 28, 27).names(&[(0, "none"), (2, "OGL")]),
        field("Mip Mode Filter", 0, 21, 20).names(MIP_FILTERS),
        field("Mag Mode Filter", 0, 19, 17).names(FILTERS),
        field("Min Mode Filter", 0, 16, 14).names(FILTERS),
        bias(0, 13, 1, 8),
        field("Anisotropic Algorithm", 0, 0, 0).names(&[(0, "LEGACY"), (1, "EWA approximation")]),
        fixed("Min LOD", 1, 31, 20, 8).at_most(14 << 8),
        fixed("Max LOD", 1, 19, 8, 8).at_most(14 << 8),
        field("ChromaKey Enable", 1, 7, 7),
        field("ChromaKey Index", 1, 6, 5),
        field("ChromaKey Mode", 1, 4, 4).names(KEY_MODES),
        field("Shadow Function", 1, 3, 1).names(SHADOWS),
        field("Cube Surface Control Mode", 1, 0, 0).names(CUBE_CONTROLS),
        border(2, 23, 6),
        field("LOD Clamp Magnification Mode", 2, 0, 0).names(&[(0, "MIPNONE"), (1, "MIPFILTER")]),
        field("Reduction Type", 3, 23, 22).names(&[(0, "standard"), (1, "comparison"), (2, "minimum"), (3, "maximum")]),
    ], ANISOTROPY), [
        field("Trilinear Filter Quality", 3, 12, 11).names(&[(0, "FULL"), (1, "reserved"), (2, "MED"), (3, "LOW")]),
        field("Non-normalized Coordinate Enable", 3, 10, 10),
        field("Reduction Type Enable", 3, 9, 9),
        field("TCX Address Control Mode", 3, 8, 6).names(ADDRESSES_GEN9),
        field("TCY Address Control Mode", 3, 5, 3).names(ADDRESSES_GEN9),
        field("TCZ Address Control Mode", 3, 2, 0).names(ADDRESSES_GEN9),
    ]),
};

/// SAMPLER_BORDER_COLOR_STATE of Gen5 and Gen6 in the order of the PRM: 12 dwords. Drivers write [`BORDER_DRIVER`].
#[rustfmt::skip]
pub const BORDER_GEN5: &Structure = &Structure {
    name: "SAMPLER_BORDER_COLOR_STATE",
    generations: from(Gen5).until(Gen6),
    dwords: 12,
    source: "surface reference 5.6",
    planar: never_planar,
    fields: &[
        field("Border Color Unorm Red", 0, 7, 0),
        field("Border Color Unorm Green", 0, 15, 8),
        field("Border Color Unorm Blue", 0, 23, 16),
        field("Border Color Unorm Alpha", 0, 31, 24),
        signed("Border Color Snorm8 Red", 1, 7, 0),
        signed("Border Color Snorm8 Green", 1, 15, 8),
        signed("Border Color Snorm8 Blue", 1, 23, 16),
        signed("Border Color Snorm8 Alpha", 1, 31, 24),
        float("Border Color Float Red", 2),
        float("Border Color Float Green", 3),
        float("Border Color Float Blue", 4),
        float("Border Color Float Alpha", 5),
        field("Border Color Float16 Red", 6, 15, 0),
        field("Border Color Float16 Green", 6, 31, 16),
        field("Border Color Float16 Blue", 7, 15, 0),
        field("Border Color Float16 Alpha", 7, 31, 16),
        field("Border Color Unorm16 Red", 8, 15, 0),
        field("Border Color Unorm16 Green", 8, 31, 16),
        field("Border Color Unorm16 Blue", 9, 15, 0),
        field("Border Color Unorm16 Alpha", 9, 31, 16),
        signed("Border Color Snorm16 Red", 10, 15, 0),
        signed("Border Color Snorm16 Green", 10, 31, 16),
        signed("Border Color Snorm16 Blue", 11, 15, 0),
        signed("Border Color Snorm16 Alpha", 11, 31, 16),
    ],
};

/// The same in the order that working drivers write: signed bytes last. Source: surface reference 4.9 and 5.6.
#[rustfmt::skip]
pub const BORDER_DRIVER: &Structure = &Structure {
    name: "SAMPLER_BORDER_COLOR_STATE",
    generations: from(Gen5).until(Gen6),
    dwords: 12,
    source: "surface reference 5.6",
    planar: never_planar,
    fields: &[
        field("Border Color Unorm Red", 0, 7, 0),
        field("Border Color Unorm Green", 0, 15, 8),
        field("Border Color Unorm Blue", 0, 23, 16),
        field("Border Color Unorm Alpha", 0, 31, 24),
        float("Border Color Float Red", 1),
        float("Border Color Float Green", 2),
        float("Border Color Float Blue", 3),
        float("Border Color Float Alpha", 4),
        field("Border Color Float16 Red", 5, 15, 0),
        field("Border Color Float16 Green", 5, 31, 16),
        field("Border Color Float16 Blue", 6, 15, 0),
        field("Border Color Float16 Alpha", 6, 31, 16),
        field("Border Color Unorm16 Red", 7, 15, 0),
        field("Border Color Unorm16 Green", 7, 31, 16),
        field("Border Color Unorm16 Blue", 8, 15, 0),
        field("Border Color Unorm16 Alpha", 8, 31, 16),
        signed("Border Color Snorm16 Red", 9, 15, 0),
        signed("Border Color Snorm16 Green", 9, 31, 16),
        signed("Border Color Snorm16 Blue", 10, 15, 0),
        signed("Border Color Snorm16 Alpha", 10, 31, 16),
        signed("Border Color Snorm8 Red", 11, 7, 0),
        signed("Border Color Snorm8 Green", 11, 15, 8),
        signed("Border Color Snorm8 Blue", 11, 23, 16),
        signed("Border Color Snorm8 Alpha", 11, 31, 24),
    ],
};

/// The words of a border colour in the order of [`BORDER_GEN5`], from that of [`BORDER_DRIVER`].
pub fn border_of_driver(words: &[u32]) -> Vec<u32> {
    let mut words = words.to_vec();
    // The last word of the driver is the second of the PRM.
    if let Some(rest) = words.get_mut(1..) {
        rest.rotate_right(1);
    }
    words
}

/// Whether the two orders say different colours.
pub fn border_orders_differ(words: &[u32]) -> bool {
    words != border_of_driver(words)
}

/// SAMPLER_BORDER_COLOR_STATE of Gen8 and Gen9: each channel a float or a 32-bit integer.
#[rustfmt::skip]
pub const BORDER_GEN9: &Structure = &Structure {
    name: "SAMPLER_BORDER_COLOR_STATE",
    generations: Span::EVERY,
    dwords: 4,
    source: "surface reference 5.6",
    planar: never_planar,
    fields: &[
        float("Border Color Float Red", 0), field("Border Color 32bit Red", 0, 31, 0),
        float("Border Color Float Green", 1), field("Border Color 32bit Green", 1, 31, 0),
        float("Border Color Float Blue", 2), field("Border Color 32bit Blue", 2, 31, 0),
        float("Border Color Float Alpha", 3), field("Border Color 32bit Alpha", 3, 31, 0),
    ],
};

/// The first dword of the commands below: type 3, subtype 3, opcode 1, a sub-opcode, the length less two.
#[rustfmt::skip]
const COMMAND: [StateField; 5] = [
    field("Command Type", 0, 31, 29),
    field("Command SubType", 0, 28, 27),
    field("3D Command Opcode", 0, 26, 24),
    field("3D Command Sub Opcode", 0, 23, 16),
    field("DWord Length", 0, 7, 0),
];

/// A command's structure: its first dword, then what follows.
const fn command(
    name: &'static str,
    generations: Span,
    dwords: usize,
    fields: &'static [StateField],
) -> Structure {
    Structure {
        name,
        generations,
        dwords,
        source: "surface reference 5.7",
        planar: never_planar,
        fields,
    }
}

/// 3DSTATE_CHROMA_KEY: an entry of the chroma key table. Source: surface reference 5.7.
#[rustfmt::skip]
pub const CHROMA_KEY: &Structure = &command("3DSTATE_CHROMA_KEY", Span::EVERY, 4, &followed_by::<5, 9, 14>(COMMAND, [
        field("ChromaKey Table Index", 1, 31, 30),
        field("ChromaKey Low Value Alpha", 2, 31, 24),
        field("ChromaKey Low Value Red or Cr", 2, 23, 16),
        field("ChromaKey Low Value Green or Y", 2, 15, 8),
        field("ChromaKey Low Value Blue or Cb", 2, 7, 0),
        field("ChromaKey High Value Alpha", 3, 31, 24),
        field("ChromaKey High Value Red or Cr", 3, 23, 16),
        field("ChromaKey High Value Green or Y", 3, 15, 8),
        field("ChromaKey High Value Blue or Cb", 3, 7, 0),
]));

/// 3DSTATE_MONOFILTER_SIZE: the box of the monochrome filter, from Ironlake on. Source: surface reference 5.7.
#[rustfmt::skip]
pub const MONO_FILTER: &Structure = &command("3DSTATE_MONOFILTER_SIZE", from(Gen5), 2, &followed_by::<5, 2, 7>(COMMAND, [
        field("Monochrome Filter Width", 1, 5, 3),
        field("Monochrome Filter Height", 1, 2, 0),
]));

/// 3DSTATE_SAMPLER_PALETTE_LOAD0 and LOAD1: the first dword; entries follow. Source: surface reference 5.7.
#[rustfmt::skip]
pub const PALETTE_LOAD: &Structure = &command("3DSTATE_SAMPLER_PALETTE_LOAD", Span::EVERY, 1, &COMMAND);

/// The four dwords of SAMPLER_STATE of a generation.
pub const fn structure(generation: Generation) -> &'static Structure {
    match SAMPLER_GEN9.generations.contains(generation) {
        true => SAMPLER_GEN9,
        false => SAMPLER_GEN5,
    }
}

/// SAMPLER_BORDER_COLOR_STATE of a generation; Gen4 and Gen7 have four floats like Gen8.
pub const fn border_structure(generation: Generation) -> &'static Structure {
    match BORDER_GEN5.generations.contains(generation) {
        true => BORDER_GEN5,
        false => BORDER_GEN9,
    }
}
