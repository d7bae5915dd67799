//! The states of the media sampler: packed, described, written in files and by commands.

use super::{codes, d2};
use pretty_assertions::assert_eq;
use visim::internals::diagnostic::Code;
use visim::internals::surface::state::media;
use visim::internals::surface::{Description, Format, Generation, Planes, Tiling};

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
