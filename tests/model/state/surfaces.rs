//! The rules of surface states: of a description, of its packed words, of the table that leads to them.

use super::{codes, d2};
use pretty_assertions::assert_eq;
use visim::internals::diagnostic::Code;
use visim::internals::surface::state::{self, binding, describe, pack, rules};
use visim::internals::surface::{Description, Format, Generation, Surface, Tiling};

/// The code of the rule that refuses a description.
fn refused(description: Description) -> Code {
    let allocated = Surface::zeroed(description.clone()).map(drop);
    assert_eq!(allocated, Surface::check(description.clone()).map(drop));
    Surface::check(description).expect_err("refused").code
}

#[test]
fn every_rule_of_a_surface_has_its_code() {
    let rgba = || d2(Format::R8G8B8A8_UNORM, 64, 32);
    for (code, description) in [
        (Code::E0740, d2(Format::R8_UNORM, 20000, 4)),
        (
            Code::E0740,
            Description {
                generation: Generation::Gen5,
                ..d2(Format::R8_UNORM, 8193, 4)
            },
        ),
        (Code::E0740, Description::buffer(Format::R8_UNORM, 0)),
        (Code::E0740, Description::d3(Format::R8_UNORM, 4096, 1, 1)),
        (
            Code::E0741,
            Description {
                levels: 8,
                ..rgba()
            },
        ),
        (
            Code::E0741,
            Description {
                levels: u32::MAX,
                min_lod: 3,
                ..rgba()
            },
        ),
        (
            Code::E0742,
            Description {
                pitch: 255,
                ..rgba()
            },
        ),
        (
            Code::E0742,
            Description {
                pitch: 300,
                tiling: Tiling::Y,
                ..rgba()
            },
        ),
        (
            Code::E0742,
            Description {
                pitch: 1 << 19,
                ..rgba()
            },
        ),
        (
            Code::E0742,
            Description {
                pitch: 2,
                ..Description::buffer(Format::R32_UINT, 9)
            },
        ),
        (
            Code::E0743,
            Description {
                base: 64,
                tiling: Tiling::X,
                ..rgba()
            },
        ),
        (
            Code::E0749,
            Description {
                align: Some((3, 3)),
                ..rgba()
            },
        ),
        (
            Code::E0749,
            Description {
                x_offset: 3,
                ..rgba()
            },
        ),
        (
            Code::E0749,
            Description {
                qpitch: Some(10),
                ..rgba()
            },
        ),
        (
            Code::E0758,
            Description {
                qpitch: Some(4),
                ..Description::d2_array(Format::R8_UNORM, 8, 8, 3)
            },
        ),
        (
            Code::E0744,
            Description {
                width: 16,
                ..Description::cube(Format::R8_UNORM, 32)
            },
        ),
        (Code::E0745, Description { depth: 2, ..rgba() }),
        (
            Code::E0745,
            Description {
                samples: 3,
                ..rgba()
            },
        ),
        (
            Code::E0745,
            Description {
                samples: 4,
                levels: 2,
                ..rgba()
            },
        ),
        (
            Code::E0745,
            Description {
                tiling: Tiling::X,
                ..Description::buffer(Format::R32_UINT, 9)
            },
        ),
        (Code::E0746, d2(Format::MONO8, 33, 3)),
        (Code::E0746, d2(Format::RAW, 16, 1)),
        (
            Code::E0746,
            Description {
                tiling: Tiling::W,
                ..rgba()
            },
        ),
        (Code::E0755, d2(Format::PLANAR_420_8, 65, 48)),
        (
            Code::E0755,
            Description {
                planes: None,
                ..d2(Format::PLANAR_420_8, 64, 48)
            },
        ),
        (
            Code::L0713,
            Description::d2_array(Format::R32G32B32A32_FLOAT, 16384, 16384, 2048),
        ),
    ] {
        assert_eq!(refused(description.clone()), code, "{description:?}");
    }
    let memory = std::sync::Arc::new(visim::internals::surface::Memory::zeroed(8191));
    let short = Surface::new(rgba(), memory).expect_err("refused");
    assert_eq!(short.code, Code::E0747);
}

/// The packed state of 64 by 32 texels of RGBA8, with some fields set by name.
fn words(generation: Generation, changes: &[(&str, u64)]) -> Vec<u32> {
    let plain = Description {
        generation,
        pitch: 256,
        ..d2(Format::R8G8B8A8_UNORM, 64, 32)
    };
    let mut words = pack(&plain).expect("packed");
    let structure = state::structure(generation).expect("known");
    for (name, value) in changes {
        let field = structure.field(name).expect(name);
        field.put(&mut words, *value).expect(name);
    }
    words
}

#[test]
fn every_rule_of_a_packed_surface_state_has_its_code() {
    use Generation::{Gen4, Gen5, Gen6, Gen8, Gen9};
    for generation in [Gen4, Gen5, Gen6, Gen8, Gen9] {
        assert_eq!(
            rules::check(generation, &words(generation, &[])),
            [],
            "{generation:?}"
        );
    }
    let reserved = |generation, dw: usize, bits: u32| {
        let mut words = words(generation, &[]);
        words[dw] |= bits;
        codes(&rules::check(generation, &words))
    };
    assert_eq!(reserved(Gen5, 0, 1 << 28), [Code::W0751]);
    assert_eq!(reserved(Gen9, 1, 1 << 31), [Code::W0751]);
    // Fields of a later generation are reserved before it.
    assert_eq!(reserved(Gen5, 4, 2 << 4), [Code::W0751]);
    for (code, generation, changes) in [
        (Code::E0748, Gen5, &[("Surface Type", 5)][..]),
        (Code::E0748, Gen9, &[("Surface Type", 6)]),
        (Code::E0748, Gen9, &[("Surface Format", 0x0dd)]),
        (Code::E0748, Gen5, &[("Media Boundary Pixel Mode", 1)]),
        (Code::E0748, Gen9, &[("Shader Channel Select Red", 2)]),
        (Code::E0748, Gen9, &[("Number of Multisamples", 7)]),
        (Code::E0749, Gen5, &[("MIP Count / LOD", 15)]),
        (Code::E0749, Gen5, &[("Surface Min LOD", 14)]),
        (Code::E0741, Gen5, &[("MIP Count / LOD", 7)]),
        (
            Code::E0741,
            Gen9,
            &[("MIP Count / LOD", 6), ("Surface Min LOD", 1)],
        ),
        (Code::E0742, Gen5, &[("Surface Pitch", 254)]),
        (Code::E0742, Gen5, &[("Tiled Surface", 1)]),
        (
            Code::E0743,
            Gen5,
            &[
                ("Tiled Surface", 1),
                ("Surface Pitch", 511),
                ("Surface Base Address", 64),
            ],
        ),
        (Code::E0744, Gen5, &[("Surface Type", 3)]),
        (Code::E0740, Gen5, &[("Depth", 600)]),
        (Code::E0745, Gen5, &[("Surface Type", 0)]),
        (
            Code::E0745,
            Gen5,
            &[("Vertical Line Stride", 1), ("Depth", 1)],
        ),
        (
            Code::E0745,
            Gen5,
            &[("Vertical Line Stride Offset", 1), ("Depth", 1)],
        ),
        (
            Code::E0745,
            Gen5,
            &[("MIP Map Layout Mode", 1), ("Depth", 1)],
        ),
        (Code::E0745, Gen5, &[("Cube Map Corner Mode", 1)]),
        (
            Code::E0745,
            Gen5,
            &[
                ("Surface Type", 3),
                ("Height", 63),
                ("Depth", 1),
                ("Cube Face Enable - Positive Z", 1),
            ],
        ),
        (
            Code::E0745,
            Gen5,
            &[
                ("Surface Type", 3),
                ("Height", 63),
                ("Minimum Array Element", 1),
            ],
        ),
        (
            Code::E0745,
            Gen5,
            &[
                ("Surface Type", 3),
                ("Height", 63),
                ("Cube Map Corner Mode", 1),
            ],
        ),
        (
            Code::E0745,
            Gen5,
            &[
                ("Vertical Line Stride", 1),
                ("Tiled Surface", 1),
                ("Surface Pitch", 511),
                ("Y Offset", 1),
            ],
        ),
        (
            Code::E0745,
            Gen5,
            &[
                ("Surface Format", 0x182),
                ("Color Buffer Component Write Disables", 1),
            ],
        ),
        (
            Code::E0745,
            Gen6,
            &[("Number of Multisamples", 2), ("Surface Format", 0)],
        ),
        (Code::E0745, Gen9, &[("Tiled Resource Mode", 1)]),
        (Code::E0745, Gen9, &[("Surface Type", 4), ("Tile Mode", 2)]),
        (Code::E0749, Gen5, &[("Surface Type", 4), ("Width", 200)]),
        (
            Code::E0742,
            Gen5,
            &[("Surface Type", 4), ("Width", 100), ("Surface Pitch", 4095)],
        ),
        (Code::N0752, Gen5, &[("Render Target Rotation", 1)]),
        (Code::N0752, Gen4, &[("Data Return Format", 1)]),
        (Code::N0752, Gen9, &[("Auxiliary Surface Mode", 5)]),
        (Code::N0752, Gen9, &[("Memory Compression Enable", 1)]),
        (
            Code::W0753,
            Gen5,
            &[("Surface Type", 7), ("Surface Format", 0)],
        ),
        (
            Code::W0753,
            Gen5,
            &[("X Offset", 1), ("Surface Pitch", 1023)],
        ),
        (
            Code::W0753,
            Gen5,
            &[
                ("Tiled Surface", 1),
                ("Surface Pitch", 1023),
                ("Y Offset", 4),
            ],
        ),
        (Code::W0753, Gen9, &[("Surface Vertical Alignment", 0)]),
        (Code::W0753, Gen9, &[("Surface Array", 1), ("Depth", 3)]),
    ] {
        let broken = rules::check(generation, &words(generation, changes));
        assert!(
            codes(&broken).contains(&code),
            "{code} for {changes:?}: {broken:?}"
        );
        let refused = describe(generation, &words(generation, changes)).and_then(Surface::check);
        let remark = broken.iter().all(|b| b.is_remark());
        assert!(!remark || refused.is_ok(), "{changes:?}: {refused:?}");
    }
    assert_eq!(codes(&rules::check(Gen5, &[0; 3])), [Code::E0750]);
    assert_eq!(
        codes(&rules::check(Generation::Gen7, &[0; 8])),
        [Code::N0752]
    );
}

#[test]
fn all_rules_that_a_packed_state_breaks_are_said_each_once() {
    let check = |base: u32, tiled: u32| {
        let words = [0x231c_043f, base, 0x00b0_0914, 0x0020_04f8 | tiled, 0, 0];
        codes(&rules::check(Generation::Gen5, &words))
    };
    // Mip layout RIGHT in an array; its rows of 60 texels have 240 bytes, and the pitch is 160.
    assert_eq!(check(0, 0), [Code::E0745, Code::E0742]);
    assert_eq!(check(64, 2), [Code::E0745, Code::E0743, Code::E0742]);
}

#[test]
fn binding_tables_lead_to_states() {
    let heap: Vec<u32> = (0..32).collect();
    let table = [0, 64, 128];
    let at = |index| binding::state(Generation::Gen9, &table, index, &heap);
    assert_eq!(at(1).expect("a state")[0], 16);
    assert_eq!(at(2).expect_err("past the end").code, Code::E0754);
    assert_eq!(at(3).expect_err("no entry").code, Code::E0754);
    assert_eq!(binding::entry(Generation::Gen5, 96), Ok(96));
    assert_eq!(
        binding::entry(Generation::Gen9, 96).expect_err("odd").code,
        Code::E0754
    );
    assert_eq!(
        codes(&binding::check(Generation::Gen9, &[65])),
        [Code::W0751]
    );
}
