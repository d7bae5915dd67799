//! The layouts of surface states: which bits hold what. Source: surface reference 5.1 to 5.4.

use super::super::Format;
use super::super::format::media;
use super::field::{Meaning::LessOne, Number, Only::*, StateField, Structure, field};
use crate::base::bits::{Codes, Meaning};
use crate::isa::generations::Generation::*;
use crate::isa::generations::{Span, from, until};

const TYPES_GEN5: &[(u32, &str)] = &[
    (0, "1D"),
    (1, "2D"),
    (2, "3D"),
    (3, "CUBE"),
    (4, "BUFFER"),
    (7, "NULL"),
];
const TYPES_GEN9: &[(u32, &str)] = &[
    (0, "1D"),
    (1, "2D"),
    (2, "3D"),
    (3, "CUBE"),
    (4, "BUFFER"),
    (5, "STRBUF"),
    (7, "NULL"),
];
const SELECTS: &[(u32, &str)] = &[
    (0, "zero"),
    (1, "one"),
    (4, "red"),
    (5, "green"),
    (6, "blue"),
    (7, "alpha"),
];
const ALIGNMENTS: &[(u32, &str)] = &[(0, "reserved"), (1, "4"), (2, "8"), (3, "16")];
const TILE_MODES: &[(u32, &str)] = &[(0, "linear"), (1, "W"), (2, "X"), (3, "Y")];
const WALKS: &[(u32, &str)] = &[(0, "X-major"), (1, "Y-major")];

/// The Surface Format field. Source: surface reference 3.
static FORMATS: Codes = Codes {
    what: "a format",
    name: |code| Some(Format::from_code(u16::try_from(code).ok()?)?.name),
    code: |name| Some(Format::named(name)?.code.into()),
};

/// Media formats, which each generation gives codes of its own.
macro_rules! media_formats {
    ($($table:ident $generation:ident;)+) => {
        $(static $table: Codes = Codes {
            what: "a format",
            name: |code| media::name($generation, u16::try_from(code).ok()?),
            code: |name| media::code($generation, name).map(u64::from),
        };)+
    };
}

media_formats! {
    MEDIA_FORMATS_GEN5 Gen5;
    MEDIA_FORMATS_GEN8 Gen8;
    MEDIA_FORMATS_GEN9 Gen9;
}

const fn base(dw: usize, high: u32) -> StateField {
    field("Surface Base Address", dw, high, 0).number(Number::Address)
}

const fn plane(name: &'static str, dw: usize, high: u32, low: u32) -> StateField {
    field(name, dw, high, low).only(Planar)
}

fn never_planar(_: &[u32]) -> bool {
    false
}

/// SURFACE_STATE of Gen4 to Gen6. Source: surface reference 5.2; PRM 4.10.2.1.
#[rustfmt::skip]
pub const SURFACE_GEN5: &Structure = &Structure {
    name: "SURFACE_STATE",
    generations: until(Gen6),
    dwords: 6,
    source: "surface reference 5.2",
    planar: never_planar,
    fields: &[
        field("Surface Type", 0, 31, 29).names(TYPES_GEN5),
        field("Data Return Format", 0, 27, 27).in_generations(Span::only(Gen4)).names(&[(0, "FLOAT32"), (1, "S1.14")]),
        field("Surface Format", 0, 26, 18).means(Meaning::Codes(&FORMATS)),
        field("Color Buffer Component Write Disables", 0, 17, 14),
        field("Color Blend Enable", 0, 13, 13),
        field("Vertical Line Stride", 0, 12, 12),
        field("Vertical Line Stride Offset", 0, 11, 11),
        field("MIP Map Layout Mode", 0, 10, 10).names(&[(0, "BELOW"), (1, "RIGHT")]),
        field("Cube Map Corner Mode", 0, 9, 9).names(&[(0, "REPLICATE"), (1, "AVERAGE")]),
        field("Render Cache Read Write Mode", 0, 8, 8).names(&[(0, "write only"), (1, "read/write")]),
        field("Media Boundary Pixel Mode", 0, 7, 6).names(&[(0, "normal"), (2, "progressive frame"), (3, "interlaced frame")]),
        field("Cube Face Enable - Negative X", 0, 5, 5),
        field("Cube Face Enable - Positive X", 0, 4, 4),
        field("Cube Face Enable - Negative Y", 0, 3, 3),
        field("Cube Face Enable - Positive Y", 0, 2, 2),
        field("Cube Face Enable - Negative Z", 0, 1, 1),
        field("Cube Face Enable - Positive Z", 0, 0, 0),
        base(1, 31),
        field("Height", 2, 31, 19).means(LessOne("rows")),
        field("Width", 2, 18, 6).means(LessOne("texels")),
        field("MIP Count / LOD", 2, 5, 2).means(LessOne("levels")).at_most(13),
        field("Render Target Rotation", 2, 1, 0).names(&[(0, "0 degrees"), (1, "90 degrees"), (3, "270 degrees")]),
        field("Depth", 3, 31, 21).means(LessOne("slices")),
        field("Surface Pitch", 3, 19, 3).means(LessOne("bytes")),
        field("Tiled Surface", 3, 1, 1),
        field("Tile Walk", 3, 0, 0).names(WALKS),
        field("Surface Min LOD", 4, 31, 28).at_most(13),
        field("Minimum Array Element", 4, 27, 17),
        field("Render Target View Extent", 4, 16, 8).means(LessOne("slices")),
        field("Number of Multisamples", 4, 6, 4).in_generations(Span::only(Gen6)).names(&[(0, "1"), (2, "4")]),
        field("X Offset", 5, 31, 25),
        field("Surface Vertical Alignment", 5, 24, 24).in_generations(Span::only(Gen6)).names(&[(0, "2"), (1, "4")]),
        field("Y Offset", 5, 23, 20),
    ],
};

/// RENDER_SURFACE_STATE of Gen8 and Gen9. Source: surface reference 5.4.
#[rustfmt::skip]
pub const SURFACE_GEN9: &Structure = &Structure {
    name: "RENDER_SURFACE_STATE",
    generations: from(Gen8),
    dwords: 16,
    source: "surface reference 5.4",
    planar: |words| {
        let code = FORMAT_GEN9.raw(words) as u16;
        super::super::Format::from_code(code).is_some_and(|f| f.is_planar())
    },
    fields: &[
        field("Surface Type", 0, 31, 29).names(TYPES_GEN9),
        field("Surface Array", 0, 28, 28),
        FORMAT_GEN9,
        field("Surface Vertical Alignment", 0, 17, 16).names(ALIGNMENTS),
        field("Surface Horizontal Alignment", 0, 15, 14).names(ALIGNMENTS),
        field("Tile Mode", 0, 13, 12).names(TILE_MODES),
        field("Vertical Line Stride", 0, 11, 11),
        field("Vertical Line Stride Offset", 0, 10, 10),
        field("Sampler L2 Bypass Mode Disable", 0, 9, 9),
        field("Render Cache Read Write Mode", 0, 8, 8),
        field("Media Boundary Pixel Mode", 0, 7, 6).names(&[(0, "normal"), (2, "progressive frame"), (3, "interlaced frame")]),
        field("Cube Face Enable - Negative X", 0, 5, 5),
        field("Cube Face Enable - Positive X", 0, 4, 4),
        field("Cube Face Enable - Negative Y", 0, 3, 3),
        field("Cube Face Enable - Positive Y", 0, 2, 2),
        field("Cube Face Enable - Negative Z", 0, 1, 1),
        field("Cube Face Enable - Positive Z", 0, 0, 0),
        field("MOCS", 1, 30, 24),
        field("Base Mip Level", 1, 23, 19).number(Number::Fixed(1)),
        field("Surface QPitch", 1, 14, 0),
        field("Height", 2, 29, 16).means(LessOne("rows")),
        field("Width", 2, 13, 0).means(LessOne("texels")),
        field("Depth", 3, 31, 21).means(LessOne("slices")),
        field("Surface Pitch", 3, 17, 0).means(LessOne("bytes")),
        field("Render Target And Sample Unorm Rotation", 4, 30, 29).names(&[(0, "0 degrees"), (1, "90 degrees"), (2, "180 degrees"), (3, "270 degrees")]),
        field("Minimum Array Element", 4, 28, 18),
        field("Render Target View Extent", 4, 17, 7).means(LessOne("slices")),
        field("Multisampled Surface Storage Format", 4, 6, 6).names(&[(0, "MSS"), (1, "DEPTH_STENCIL")]),
        field("Number of Multisamples", 4, 5, 3).names(&[(0, "1"), (1, "2"), (2, "4"), (3, "8"), (4, "16")]),
        field("Multisample Position Palette Index", 4, 2, 0),
        field("X Offset", 5, 31, 25),
        field("Y Offset", 5, 23, 21),
        field("EWA Disable For Cube", 5, 20, 20),
        field("Tiled Resource Mode", 5, 19, 18).names(&[(0, "none"), (1, "Yf"), (2, "Ys")]),
        field("Coherency Type", 5, 14, 14),
        field("Mip Tail Start LOD", 5, 11, 8),
        field("Surface Min LOD", 5, 7, 4).at_most(14),
        field("MIP Count / LOD", 5, 3, 0).means(LessOne("levels")).at_most(14),
        field("Auxiliary Surface Mode", 6, 2, 0).only(NotPlanar).names(&[(0, "none"), (1, "CCS_D or MCS"), (2, "append"), (3, "HiZ"), (5, "CCS_E")]),
        field("Auxiliary Surface Pitch", 6, 11, 3).only(NotPlanar).means(LessOne("tiles")),
        field("Auxiliary Surface QPitch", 6, 30, 16).only(NotPlanar),
        plane("Separate UV Plane Enable", 6, 31, 31),
        plane("X Offset for U or UV Plane", 6, 29, 16),
        plane("Y Offset for U or UV Plane", 6, 13, 0),
        field("Memory Compression Mode", 7, 31, 31),
        field("Memory Compression Enable", 7, 30, 30),
        field("Shader Channel Select Red", 7, 27, 25).names(SELECTS),
        field("Shader Channel Select Green", 7, 24, 22).names(SELECTS),
        field("Shader Channel Select Blue", 7, 21, 19).names(SELECTS),
        field("Shader Channel Select Alpha", 7, 18, 16).names(SELECTS),
        field("Resource Min LOD", 7, 11, 0).number(Number::Fixed(8)),
        base(8, 63),
        field("Auxiliary Surface Base Address", 10, 63, 12).only(NotPlanar).number(Number::Address),
        plane("X Offset for V Plane", 11, 29, 16),
        plane("Y Offset for V Plane", 11, 13, 0),
        field("Red Clear Color", 12, 31, 0),
        field("Green Clear Color", 13, 31, 0),
        field("Blue Clear Color", 14, 31, 0),
        field("Alpha Clear Color", 15, 31, 0),
    ],
};

const FORMAT_GEN9: StateField = field("Surface Format", 0, 27, 18).means(Meaning::Codes(&FORMATS));

/// SURFACE_STATE of the media sampler's messages on Ironlake. Source: surface reference 5.3; PRM 4.10.2.2.
#[rustfmt::skip]
pub const MEDIA_GEN5: &Structure = &Structure {
    name: "SURFACE_STATE for deinterlace and sample_8x8",
    generations: from(Gen5).until(Gen6),
    dwords: 5,
    source: "surface reference 5.3",
    planar: |words| matches!(words.get(2).map_or(0, |w| w >> 28), 4..=6),
    fields: &[
        base(0, 31),
        field("Height", 1, 31, 19).means(LessOne("rows")),
        field("Width", 1, 18, 6).means(LessOne("texels")),
        field("Cr(V)/Cb(U) Pixel Offset V Direction", 1, 1, 0).number(Number::Fixed(2)),
        field("Surface Format", 2, 31, 28).means(Meaning::Codes(&MEDIA_FORMATS_GEN5)),
        field("Interleave Chroma", 2, 27, 27),
        field("Surface Pitch", 2, 19, 3).means(LessOne("bytes")),
        field("Half Pitch for Chroma", 2, 2, 2),
        field("Tiled Surface", 2, 1, 1),
        field("Tile Walk", 2, 0, 0).names(WALKS),
        field("X Offset for U(Cb)", 3, 28, 16),
        field("Y Offset for U(Cb)", 3, 12, 0),
        field("X Offset for V(Cr)", 4, 28, 16),
        field("Y Offset for V(Cr)", 4, 12, 0),
    ],
};

/// MEDIA_SURFACE_STATE of Gen8 and Gen9. Source: surface reference 5.3.
#[rustfmt::skip]
pub const MEDIA_GEN9: &Structure = &Structure {
    name: "MEDIA_SURFACE_STATE",
    generations: from(Gen8),
    dwords: 8,
    source: "surface reference 5.3",
    planar: |words| matches!(words.get(2).map_or(0, |w| w >> 27), 4 | 18),
    fields: &[
        field("Rotation", 0, 31, 30).names(&[(0, "0 degrees"), (1, "90 degrees"), (2, "180 degrees"), (3, "270 degrees")]),
        field("X Offset", 0, 26, 20),
        field("Y Offset", 0, 19, 16),
        field("Height", 1, 31, 18).means(LessOne("rows")),
        field("Width", 1, 17, 4).means(LessOne("texels")),
        field("Picture Structure", 1, 3, 2).names(&[(0, "frame"), (1, "top field"), (2, "bottom field")]),
        field("Cr(V)/Cb(U) Pixel Offset V Direction", 1, 1, 0).number(Number::Fixed(2)),
        field("Surface Format", 2, 31, 27).means(Meaning::Codes(&MEDIA_FORMATS_GEN9)).in_generations(from(Gen9)),
        field("Surface Format", 2, 31, 27).means(Meaning::Codes(&MEDIA_FORMATS_GEN8)).in_generations(Span::only(Gen8)),
        field("Interleave Chroma", 2, 26, 26),
        field("Cr(V)/Cb(U) Pixel Offset U Direction", 2, 25, 25).number(Number::Fixed(1)),
        field("Cr(V)/Cb(U) Pixel Offset V Direction MSB", 2, 24, 24),
        field("Address Control", 2, 21, 21).names(&[(0, "CLAMP"), (1, "MIRROR")]),
        field("Surface Pitch", 2, 20, 3).means(LessOne("bytes")),
        field("Half Pitch for Chroma", 2, 2, 2),
        field("Tile Mode", 2, 1, 0).names(&[(0, "linear"), (2, "X"), (3, "Y")]),
        field("X Offset for U(Cb)", 3, 29, 16),
        field("Y Offset for U(Cb)", 3, 13, 0),
        field("X Offset for V(Cr)", 4, 29, 16),
        field("Y Offset for V(Cr)", 4, 13, 0),
        field("Vertical Line Stride", 5, 31, 31),
        field("Vertical Line Stride Offset", 5, 30, 30),
        field("Surface Base Address", 6, 47, 0).number(Number::Address),
    ],
};

/// BINDING_TABLE_STATE of Gen8 and later. Source: surface reference 5.1.
pub const BINDING_GEN9: &Structure = &Structure {
    name: "BINDING_TABLE_STATE",
    generations: from(Gen8),
    dwords: 1,
    source: "surface reference 5.1",
    planar: never_planar,
    fields: &[field("Surface State Pointer", 0, 31, 6).number(Number::Address)],
};

/// BINDING_TABLE_STATE up to Gen7.5. Source: surface reference 5.1.
pub const BINDING_GEN5: &Structure = &Structure {
    name: "BINDING_TABLE_STATE",
    generations: until(Gen75),
    dwords: 1,
    source: "surface reference 5.1",
    planar: never_planar,
    fields: &[field("Surface State Pointer", 0, 31, 5).number(Number::Address)],
};
