//! Surface states of the media sampler's messages: AVS, `sample_unorm`, deinterlacing.

use visim::internals::diagnostic::Code;
use visim::internals::surface::Generation::{Gen5, Gen6, Gen8, Gen9};
use visim::internals::surface::state::media::{check, describe, pack, structure};
use visim::internals::surface::{Description, Format, Generation, Planes};
fn of(generation: Generation, format: Format) -> Description {
    Description {
        generation,
        planes: format.is_planar().then(|| Planes::i420(16)),
        ..Description::d2(format, 32, 16)
    }
}

/// The words of a media state of 32x16 texels with this format code.
fn words(generation: Generation, code: u32) -> Vec<u32> {
    let mut words = pack(&of(generation, Format::YCRCB_NORMAL)).expect("packed");
    let field = structure(generation)
        .expect("known")
        .field("Surface Format");
    field.expect("a field").set_raw(&mut words, code.into());
    words
}

#[test]
fn every_format_comes_back_in_every_generation_that_has_it() {
    for (generation, count) in [(Gen5, 13), (Gen6, 13), (Gen8, 13), (Gen9, 14)] {
        let mut came_back = 0;
        for format in Format::all() {
            let asked = of(generation, format);
            let words = match pack(&asked) {
                Ok(words) => words,
                Err(why) => {
                    assert_eq!(why.code, Code::E0746, "{generation:?} {format}");
                    continue;
                }
            };
            let said = describe(generation, &words).expect("described");
            assert_eq!(said.format, format, "{generation:?}");
            assert_eq!(said.planes, asked.planes, "{generation:?} {format}");
            came_back += 1;
        }
        assert_eq!(came_back, count, "{generation:?}");
    }
    let code = |generation, format: Format| format.media_code(generation);
    assert_eq!(code(Gen5, Format::PLANAR_422_8), Some(6));
    assert_eq!(code(Gen8, Format::PLANAR_422_8), None);
    assert_eq!(code(Gen9, Format::PLANAR_422_8), Some(18));
    assert_eq!(code(Gen9, Format::PLANAR_411_8), None);
}

#[test]
fn codes_mean_what_their_generation_says() {
    let refused = |generation, code| {
        let why = describe(generation, &words(generation, code)).expect_err("refused");
        (why.code, why.what)
    };
    for (generation, code, name) in [
        (Gen8, 5, "Y8_UNORM_VA"),
        (Gen9, 6, "Y16_SNORM"),
        (Gen9, 7, "Y16_UNORM"),
        (Gen9, 16, "Y1_UNORM"),
        (Gen8, 17, "Y32_UNORM"),
    ] {
        let (why, what) = refused(generation, code);
        assert_eq!(why, Code::N0752, "{what}");
        assert!(what.contains(name), "{what}");
        let field = structure(generation)
            .unwrap()
            .field("Surface Format")
            .unwrap();
        assert_eq!(field.spelled(&words(generation, code)), name);
    }
    for (generation, code) in [(Gen5, 13), (Gen6, 15), (Gen8, 18), (Gen9, 19), (Gen9, 31)] {
        assert_eq!(
            refused(generation, code).0,
            Code::E0748,
            "{generation:?} {code}"
        );
        let found = check(generation, &words(generation, code));
        assert_eq!(found.len(), 1, "{found:?}");
    }
}

#[test]
fn chroma_starts_at_even_rows_and_columns() {
    // PRM 4.10.2.2, dwords 3 and 4: a picture of 32x16 in 4:2:0, pairs or planes at U and V.
    let codes = |format, interleaved, u, v| {
        let planes = Planes {
            interleaved,
            half_pitch: false,
            u,
            v,
            ..Planes::i420(16)
        };
        let asked = Description {
            pitch: 64,
            planes: Some(planes),
            ..of(Gen5, format)
        };
        let found = check(Gen5, &pack(&asked).expect("packed"));
        found.into_iter().map(|b| b.code).collect::<Vec<_>>()
    };
    let (start, v) = ((2, 16), (2, 32));
    for format in [Format::PLANAR_420_8, Format::PLANAR_422_8] {
        assert_eq!(codes(format, false, start, v), []);
        assert_eq!(codes(format, false, (1, 16), v), [Code::E0755]);
        assert_eq!(codes(format, false, start, (3, 32)), [Code::E0755]);
        assert_eq!(codes(format, false, start, (2, 33)), [Code::E0755]);
        // V has no place of its own.
        assert_eq!(codes(format, true, start, (3, 33)), []);
        assert_eq!(codes(format, true, (1, 16), v), [Code::E0755]);
    }
    assert_eq!(codes(Format::PLANAR_411_8, false, (1, 16), (3, 32)), []);
    // Two findings: NV12 at column 1, row 17.
    assert_eq!(
        codes(Format::PLANAR_420_8, true, (1, 17), v),
        [Code::E0755, Code::E0755]
    );
}
