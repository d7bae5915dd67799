//! Packed states: what is written reads back, and what no state may say is refused by its rule.

#[path = "laws/descriptions.rs"]
mod descriptions;

use descriptions::descriptions;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use visim::diagnostic::Code;
use visim::sampler::state as sampler;
use visim::surface::state::{self, Structure, binding, describe, media, pack, rules};
use visim::surface::{Description, Format, Generation, Kind, Planes, Surface, Tiling};

const SURFACES: &[&Structure] = &[
    state::SURFACE_GEN5,
    state::SURFACE_GEN9,
    state::MEDIA_GEN5,
    state::MEDIA_GEN9,
    state::BINDING_GEN5,
    state::BINDING_GEN9,
    sampler::SAMPLER_GEN5,
    sampler::SAMPLER_GEN9,
    sampler::BORDER_GEN5,
    sampler::BORDER_GEN9,
];

#[test]
fn fields_of_a_structure_lie_inside_it_and_side_by_side() {
    for structure in SURFACES {
        // The two ways to read a border colour's dwords are one over the other.
        if structure.dwords == 4 && structure.fields.len() == 8 {
            continue;
        }
        for generation in [
            Generation::Gen4,
            Generation::Gen5,
            Generation::Gen6,
            Generation::Gen9,
        ] {
            let mut taken = vec![0u32; structure.dwords];
            for field in structure.present(generation, &vec![0; structure.dwords]) {
                let mut words = vec![0; structure.dwords];
                field.set_raw(&mut words, u64::MAX);
                let bits: u32 = words.iter().map(|w| w.count_ones()).sum();
                assert_eq!(bits, field.width(), "{} {}", structure.name, field.name);
                for (taken, word) in taken.iter_mut().zip(words) {
                    assert_eq!(*taken & word, 0, "{} {}", structure.name, field.name);
                    *taken |= word;
                }
            }
        }
    }
}

fn d2(format: Format, width: u32, height: u32) -> Description {
    Description::d2(format, width, height)
}

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
        (Code::E0746, d2(Format::YCRCB_NORMAL, 3, 3)),
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
    let memory = std::sync::Arc::new(visim::surface::Memory::zeroed(8191));
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

fn codes(broken: &[visim::surface::Invalid]) -> Vec<Code> {
    broken.iter().map(|b| b.code).collect()
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
fn media_states_describe_what_was_packed() {
    let nv12 = |generation| Description {
        generation,
        pitch: 128,
        tiling: Tiling::Y,
        planes: Some(Planes {
            offset_v: 2,
            u: (0, 64),
            v: (0, 64),
            ..Planes::nv12(64)
        }),
        ..d2(Format::PLANAR_420_8, 64, 48)
    };
    for generation in [Generation::Gen5, Generation::Gen8, Generation::Gen9] {
        let words = media::pack(&nv12(generation)).expect("packed");
        assert_eq!(media::check(generation, &words), []);
        let found = media::describe(generation, &words).expect("described");
        assert_eq!(found.planes, nv12(generation).planes);
        assert_eq!((found.width, found.height, found.pitch), (64, 48, 128));
        assert_eq!(
            (found.format, found.tiling),
            (Format::PLANAR_420_8, Tiling::Y)
        );
    }
    let mut words = media::pack(&nv12(Generation::Gen9)).expect("packed");
    words[0] = 1 << 30;
    assert_eq!(
        codes(&media::check(Generation::Gen9, &words)),
        [Code::N0752]
    );
    words[0] = 0;
    words[3] = 63;
    assert_eq!(
        codes(&media::check(Generation::Gen9, &words)),
        [Code::E0755]
    );
    words[2] = 31 << 27;
    assert_eq!(
        codes(&media::check(Generation::Gen9, &words)),
        [Code::E0748]
    );
    assert_eq!(
        codes(&media::check(Generation::Gen9, &words[..4])),
        [Code::E0750]
    );
    let short = media::pack(&Description {
        x_offset: 2,
        ..nv12(Generation::Gen9)
    });
    assert_eq!(short.expect_err("refused").code, Code::E0749);
    let blocks = d2(Format::named("BC1_UNORM").expect("format"), 4, 4);
    assert_eq!(media::pack(&blocks).expect_err("refused").code, Code::E0746);
}

#[test]
fn binding_tables_lead_to_states() {
    let heap: Vec<u32> = (0..32).collect();
    let table = [0, 64, 128];
    let at = |index| binding::state(Generation::Gen9, &table, index, &heap);
    assert_eq!(at(1).expect("a state")[0], 16);
    assert_eq!(at(2).expect_err("behind the end").code, Code::E0754);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A surface that can be packed is described by its packed state.
    #[test]
    fn what_is_packed_is_described(description in descriptions()) {
        let Ok(surface) = Surface::zeroed(description) else { return Ok(()) };
        let Ok(words) = pack(surface.description()) else { return Ok(()) };
        let generation = surface.description().generation;
        let found = describe(generation, &words).expect("described");
        prop_assert_eq!(&pack(&found).expect("packed again"), &words);
        let again = Surface::zeroed(found).expect("the same surface");
        prop_assert_eq!(again.layout(), surface.layout());
        prop_assert_eq!(again.memory().len(), surface.memory().len());
        let worse = rules::check(generation, &words).into_iter().find(|b| !b.is_remark());
        prop_assert!(
            worse.as_ref().is_none_or(|b| matches!(b.code, Code::E0745 | Code::N0752)),
            "{:?}", worse
        );
    }

    /// Fields hold what was put into them, and leave their neighbours alone.
    #[test]
    fn fields_hold_what_was_put(number in 0..SURFACES.len(), pick: prop::sample::Index, raw: u64, fill: u32) {
        let structure = SURFACES[number];
        let field = &structure.fields[pick.index(structure.fields.len())];
        let mut words = vec![fill; structure.dwords];
        let raw = raw >> (64 - field.width());
        field.put(&mut words, raw).expect("it fits");
        prop_assert_eq!(field.raw(&words), raw);
        field.set_raw(&mut words, 0);
        let mut empty = vec![fill; structure.dwords];
        field.set_raw(&mut empty, 0);
        prop_assert_eq!(words, empty);
        if field.width() < 64 {
            let wide = field.put(&mut vec![0; structure.dwords], 1 << field.width());
            prop_assert_eq!(wide.expect_err("too wide").code, Code::E0749);
        }
    }

    /// Any words at all are refused or describe a surface that keeps inside its memory.
    #[test]
    fn any_words_are_refused_or_described(words: [u32; 16], small: bool, pick in 0..5usize) {
        let generation = [Generation::Gen4, Generation::Gen5, Generation::Gen6, Generation::Gen8, Generation::Gen9][pick];
        let structure = state::structure(generation).expect("known");
        let mut words = words[..structure.dwords].to_vec();
        if small {
            // Small sizes pass more rules.
            for name in ["Width", "Height", "Depth", "Surface Base Address", "Minimum Array Element"] {
                let field = structure.field(name).expect(name);
                let less = field.raw(&words) & 7;
                field.set_raw(&mut words, less);
            }
        }
        let broken = rules::check(generation, &words);
        let described = describe(generation, &words).map(|d| Description { base: d.base % 4096, ..d });
        if let Ok(surface) = described.and_then(Surface::zeroed) {
            let d = surface.description();
            prop_assert!(surface.memory().len() as u64 <= visim::surface::MAX_BYTES);
            if d.kind != Kind::Null && d.kind != Kind::Buffer {
                let levels = d.min_lod + d.levels;
                surface.load_texel(levels - 1, 0, 0, 0, d.samples - 1);
                surface.load_texel(0, d.slices() - 1, d.width - 1, d.height - 1, 0);
            }
        } else {
            prop_assert!(broken.iter().any(|b| !b.is_remark()), "{:?}", broken);
        }
    }
}

/// Chroma beside and far below luma: bits of Gen8 only.
#[test]
fn chroma_offsets_have_their_bits() {
    let nv12 = |generation, offset_v, offset_u| Description {
        generation,
        pitch: 128,
        planes: Some(Planes {
            offset_v,
            offset_u,
            ..Planes::nv12(64)
        }),
        ..d2(Format::PLANAR_420_8, 64, 64)
    };
    let words = media::pack(&nv12(Generation::Gen9, 6, 1)).expect("packed");
    // 6 = 2 + 4: dword 1 bits 1:0, dword 2 bit 24; beside: bit 25.
    assert_eq!((words[1] & 3, words[2] >> 24 & 3), (2, 3));
    let found = media::describe(Generation::Gen9, &words).expect("described");
    let planes = found.planes.expect("planes");
    assert_eq!((planes.offset_v, planes.offset_u), (6, 1));
    for (offset_v, offset_u, code) in [(6, 0, Code::E0749), (2, 1, Code::E0745)] {
        let refused = media::pack(&nv12(Generation::Gen5, offset_v, offset_u));
        assert_eq!(refused.expect_err("refused").code, code);
    }
}

#[test]
fn a_file_of_fields_is_packed_as_a_media_surface() {
    let folder = tempfile::tempdir().expect("folder");
    let run = |text: &str, more: &[&str]| {
        let path = folder.path().join("surface.toml");
        std::fs::write(&path, text).expect("written");
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_visim"))
            .args(["state", "media", "--from"])
            .arg(path)
            .args(more)
            .output()
            .expect("visim runs");
        let both = [done.stdout, done.stderr].concat();
        (
            done.status.code(),
            String::from_utf8_lossy(&both).into_owned(),
        )
    };
    let (code, text) = run(
        "format = \"PLANAR_420_8\"\nwidth = 64\nheight = 48\ncr_cb_offset_v = 2",
        &[],
    );
    assert_eq!(code, Some(0), "{text}");
    let words = media::pack(&Description {
        generation: Generation::Gen5,
        pitch: 64,
        planes: Some(Planes {
            offset_v: 2,
            ..Planes::nv12(48)
        }),
        ..d2(Format::PLANAR_420_8, 64, 48)
    });
    let words: Vec<String> = words
        .expect("packed")
        .iter()
        .map(|w| format!("{w:08x}"))
        .collect();
    assert!(text.contains(&words.join(" ")), "{text}");
    let wide = "format = \"Y8_UNORM\"\nwidth = 20\nheight = 3\naddress_control = \"mirror\"";
    assert_eq!(run(wide, &["--gen", "9"]).0, Some(0));
    for (text, generation, words) in [
        (wide, "5", "reflection"),
        ("format = \"Y9\"", "5", "no format is called Y9"),
        ("width = 4", "5", "`format` is missing"),
        (
            "format = \"Y8_UNORM\"\nwith = 4",
            "5",
            "unknown field `with`",
        ),
        ("format = \"Y8_UNORM\"\nheight = 4", "5", "0"),
    ] {
        let (code, told) = run(text, &["--gen", generation]);
        assert_ne!(code, Some(0), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

/// What a command prints packs again to the words that it printed.
#[test]
fn states_of_the_media_sampler_go_both_ways_on_the_command_line() {
    let visim = |arguments: &[&str]| -> serde_json::Value {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_visim"))
            .args(["state", "--format", "json"])
            .args(arguments)
            .output()
            .expect("visim runs");
        serde_json::from_slice(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"))
    };
    let words = |answer: &serde_json::Value, state: usize| -> Vec<String> {
        let words = answer["states"][state]["words"].as_array().expect("words");
        words
            .iter()
            .map(|w| w.as_str().unwrap_or_default().to_string())
            .collect()
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/media-sampler/");
    for (kind, file, states) in [
        (
            "sample-8x8",
            "ief-combination.toml",
            &["sample-8x8", "sampler-8x8"][..],
        ),
        (
            "sample-8x8",
            "ief-limiter.toml",
            &["sample-8x8", "sampler-8x8"],
        ),
    ] {
        let packed = visim(&[kind, "--from", &format!("{folder}{file}")]);
        for (number, kind) in states.iter().enumerate() {
            let words = words(&packed, number);
            let arguments: Vec<&str> = std::iter::once(*kind)
                .chain(words.iter().map(String::as_str))
                .collect();
            let again = visim(&arguments);
            assert_eq!(
                packed["states"][number]["fields"],
                again["states"][0]["fields"]
            );
            // Field by field from nothing.
            let fields = again["states"][0]["fields"].as_array().expect("fields");
            let text = |value: &serde_json::Value| match value {
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let asks: Vec<String> = fields
                .iter()
                .flat_map(|f| {
                    [
                        "--set".to_string(),
                        format!("{}={}", text(&f["name"]), text(&f["value"])),
                    ]
                })
                .collect();
            let arguments: Vec<&str> = std::iter::once(*kind)
                .chain(asks.iter().map(String::as_str))
                .collect();
            let set = visim(&arguments);
            assert_eq!(self::words_up_to(&set, words.len()), words, "{kind}");
        }
    }
}

fn words_up_to(answer: &serde_json::Value, most: usize) -> Vec<String> {
    let words = answer["states"][0]["words"].as_array().expect("words");
    let words = words
        .iter()
        .map(|w| w.as_str().unwrap_or_default().to_string());
    words.take(most).collect()
}

#[test]
fn every_rule_of_a_packed_sampler_state_has_its_code() {
    use Generation::{Gen4, Gen5, Gen9};
    let of = |generation, changes: &[(&str, u64)]| {
        let structure = sampler::structure(generation);
        let mut words = vec![0; structure.dwords];
        for (name, raw) in changes {
            structure.put(&mut words, name, *raw).expect("it fits");
        }
        codes(&sampler::rules::check(generation, &words))
    };
    let clamped = [
        ("Non-normalized Coordinate Enable", 1),
        ("TCX Address Control Mode", 2),
        ("TCY Address Control Mode", 4),
        ("TCZ Address Control Mode", 6),
    ];
    for (expected, generation, changes) in [
        (vec![], Gen5, &[][..]),
        (vec![], Gen9, &clamped),
        // All modes are WRAP.
        (vec![Code::E0756], Gen9, &clamped[..1]),
        (
            vec![Code::E0756],
            Gen9,
            &[
                clamped[0],
                clamped[1],
                clamped[2],
                clamped[3],
                ("Mip Mode Filter", 1),
            ],
        ),
        (vec![Code::E0748], Gen5, &[("Min Mode Filter", 3)]),
        (vec![Code::E0748], Gen5, &[("TCX Address Control Mode", 6)]),
        (vec![], Gen9, &[("TCX Address Control Mode", 6)]),
        (vec![Code::E0748], Gen5, &[("Mip Mode Filter", 2)]),
        (vec![Code::E0749], Gen5, &[("Base Mip Level", 27)]),
        (vec![Code::E0749], Gen9, &[("Max LOD", 14 * 256 + 1)]),
        (vec![Code::W0753], Gen9, &[("Min LOD", 1)]),
        (vec![Code::N0752], Gen9, &[("Texture Border Color Mode", 1)]),
        (vec![Code::E0749], Gen4, &[("Mag Mode Filter", 6)]),
        (
            vec![],
            Gen4,
            &[
                ("Mag Mode Filter", 6),
                ("Monochrome Filter Width", 7),
                ("Monochrome Filter Height", 1),
            ],
        ),
    ] {
        assert_eq!(of(generation, changes), expected, "{changes:?}");
    }
    let reserved = sampler::rules::check(Gen5, &[1 << 30, 0, 0, 0]);
    assert_eq!(codes(&reserved), [Code::W0751]);
    assert_eq!(codes(&sampler::rules::check(Gen5, &[0; 3])), [Code::E0750]);
}

/// The table of rules names codes and tests that are there.
#[test]
fn the_table_of_rules_names_what_is_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file");
    let tests = [
        "tests/state.rs",
        "src/sampler/sample/tests.rs",
        "src/sampler/fetch/tests.rs",
        "src/sampler/state/commands.rs",
    ]
    .map(read)
    .concat();
    let table = read("src/sampler/state/rules.md");
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2)
        .collect();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let test = cells[4].trim_matches('`');
        assert!(tests.contains(&format!("fn {test}(")), "no test {test}");
        for code in cells[3].split(['`', ' ']).filter(|word| word.len() == 5) {
            let is_code = code[1..].bytes().all(|b| b.is_ascii_digit());
            let known = Code::from_name(code).is_some();
            assert!(!is_code || known, "no code {code}");
        }
    }
}
