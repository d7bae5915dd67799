//! Packed states in directives: what words say is what is bound, and what they must not say is refused there.

use super::descriptions::descriptions;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use std::cell::Cell;
use std::path::Path;
use visim::internals::exec::Bindings;
use visim::internals::harness::session::{Options, file_layer, start};
use visim::internals::source::Source;
use visim::internals::surface::state::{pack, rules, structure};
use visim::internals::surface::{Description, Kind, Surface};

const PROGRAM: &str = ".version 4.1\n.kernel \"k\"\n.decl T6 v_type=T num_elts=1\n\
                       .decl S0 v_type=S num_elts=1\n    ret (M1, 1)\n";

/// What is bound, and the codes of all that was said.
fn bound(directive: &str) -> (Option<Bindings>, Vec<&'static str>) {
    let source = Source::new("k.visa", format!("// {directive}\n{PROGRAM}"));
    let folder = Path::new("tests/cases/states/k.visa");
    let (layer, found) = file_layer(source, folder);
    let (bindings, problems) = match start(&[layer], found, &Options::default()) {
        Ok(session) => (Some(session.bindings), session.warnings),
        Err(refused) => (None, refused.problems),
    };
    let codes = problems.iter().map(|p| p.diagnostic.code.info().name);
    (bindings, codes.collect())
}

fn codes(directive: &str) -> Vec<&'static str> {
    bound(directive).1
}

const GEN5: &str = "250c0000 00008010 000800c0 00000038 00000000";
const TEXELS: &str = "SURFACE T6: P8_UNORM_PALETTE0 4x1";
const SAMPLER: &str = "00024000 000d0000 00000040";

#[test]
fn words_that_break_a_rule_are_refused_and_remarks_are_told() {
    for (directive, expected) in [
        (format!("SURFACE T6: state {GEN5} 00000000 gen=5"), vec![]),
        // Dword 5 has no bit 0 on Gen5; the state is used all the same.
        (
            format!("SURFACE T6: state {GEN5} 00000001 gen=5"),
            vec!["W0751"],
        ),
        (format!("SURFACE T6: state {GEN5} gen=5"), vec!["E0750"]),
        (
            format!("SURFACE T6: state {GEN5} 00000000 gen=7"),
            vec!["N0752"],
        ),
        ("SURFACE T6: state gen=5".to_string(), vec!["E0705"]),
        ("SURFACE T6: state xyz".to_string(), vec!["E0705"]),
        ("SURFACE T6: state missing.txt".to_string(), vec!["E0702"]),
        // An X-tiled surface at 0x8010.
        (
            "SURFACE T6: state 250c0000 00008010 000800c0 00000ffa 00000000 00000000 gen=5"
                .to_string(),
            vec!["E0743"],
        ),
        (
            format!("SURFACE T6: state {GEN5} 0 gen=5 pitch=8"),
            vec!["E0705"],
        ),
        (
            format!("SURFACE T6: state {GEN5} 0 gen=5 at=0x9000"),
            vec!["E0705"],
        ),
        // What the words say together counts, and a mistake is reported where nothing is right from on.
        (
            "SAMPLER S0: address=wrap normalized=off address=clamp".to_string(),
            vec![],
        ),
        (
            "SAMPLER S0: address=wrap normalized=off address=clamp min_lod=0.003".to_string(),
            vec!["E0749"],
        ),
        // Planes of 8 bits have a place for offsets.
        (
            "SURFACE T6: PLANAR_420_8 16x16 x=4 pitch=32".to_string(),
            vec![],
        ),
        // The dump has 32 bytes: from 0x8010 on 12 are needed, from 0x8004 on they are 4 too few.
        (
            format!("SURFACE T6: state {GEN5} 0 gen=5 memory=memory.bin at=0x8000"),
            vec![],
        ),
        (
            format!("SURFACE T6: state {GEN5} 0 gen=5 memory=memory.bin at=0x7ff0"),
            vec!["E0747"],
        ),
        (
            "SURFACE T6: memory memory.bin R8_UINT 9x4".to_string(),
            vec!["E0747"],
        ),
        (format!("{TEXELS} palette=ff000000/zz"), vec!["E0705"]),
        (format!("{TEXELS} palette=memory.bin"), vec![]),
        (
            format!("{TEXELS} palette=control-words.visa"),
            vec!["E0702"],
        ),
        (
            "SURFACE T6: R8_UINT 4x1 mcs=\"byte = 0\"".to_string(),
            vec!["E0705"],
        ),
        (
            "SURFACE T6: R8_UINT 4x1 samples=2 mcs=\"byte = q\"".to_string(),
            vec!["E0701"],
        ),
        (
            "SURFACE T6: R8_UINT 4x1 samples=2 clear=1/2/3".to_string(),
            vec!["E0705"],
        ),
        (
            format!("SAMPLER S0: state {SAMPLER} 00000100 gen=9"),
            vec![],
        ),
        (format!("SAMPLER S0: state {SAMPLER} gen=9"), vec!["E0750"]),
        (
            format!("SAMPLER S0: state {SAMPLER} 00000100 gen=9 filter=linear"),
            vec!["E0705"],
        ),
        (
            format!("SAMPLER S0: state {SAMPLER} 00000100 gen=9 border=0/0"),
            vec!["E0750"],
        ),
        (
            format!("SAMPLER S0: state {SAMPLER} 00000100 gen=9 commands=1234"),
            vec!["E0748"],
        ),
        // Filter 3 is none.
        (
            "SAMPLER S0: state 0000c000 000d0000 00000000 00000000 gen=9".to_string(),
            vec!["E0748"],
        ),
    ] {
        assert_eq!(codes(&directive), expected, "{directive}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/seeds/bound_states.txt"))), ..ProptestConfig::default() })]

    /// A described surface, packed and bound by its words, is the described surface.
    #[test]
    fn words_bind_what_they_describe(asked in descriptions()) {
        let asked = match asked.kind {
            Kind::Buffer => Description { height: 1, depth: 1, ..asked },
            _ => asked,
        };
        let Ok(made) = Surface::zeroed(asked) else { return Ok(()) };
        let asked = made.description();
        let (Ok(_), Ok(words)) = (structure(asked.generation), pack(asked)) else { return Ok(()) };
        let fault = rules::check(asked.generation, &words).into_iter().find(|b| !b.is_remark());
        let words: Vec<String> = words.iter().map(|w| format!("{w:08x}")).collect();
        let number = match asked.generation {
            visim::internals::surface::Generation::Gen75 => "7.5".to_string(),
            other => format!("{other:?}").replace("Gen", ""),
        };
        let swizzle = if asked.bit6_swizzle { "on" } else { "off" };
        let directive = format!("SURFACE T6: state {} gen={number} swizzle={swizzle}", words.join(" "));
        let (bindings, codes) = bound(&directive);
        if let Some(fault) = &fault {
            prop_assert_eq!(codes, vec![fault.code.info().name], "{}", directive);
        }
        prop_assert_eq!(bindings.is_none(), fault.is_some(), "{}", directive);
        let Some(bindings) = bindings else { return Ok(()) };
        let said = bindings.surfaces[&6].description();
        let sizes = |d: &Description| (d.kind, d.format, d.width, d.height, d.depth, d.pitch, d.levels);
        prop_assert_eq!(sizes(said), sizes(asked));
        prop_assert_eq!((said.tiling, said.samples, said.min_lod), (asked.tiling, asked.samples, asked.min_lod));
    }
}

/// Programs that read a surface in every way a message can.
const READER: &str = ".version 4.1\n.kernel \"k\"\n.decl T6 v_type=T num_elts=1\n\
    .decl S0 v_type=S num_elts=1\n.decl U v_type=G type=ud num_elts=8 align=GRF\n\
    .decl F v_type=G type=f num_elts=8 align=GRF\n.decl O1 v_type=G type=ud num_elts=64 align=GRF\n\
    load_lz.RGBA (M1, 8) 0x0:uw T6 O1.0 U.0 U.0 U.0\n\
    sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 O1.0 F.0 F.0 F.0\n    ret (M1, 1)\n";

/// Words of surface directives, most of which go together with few of the others.
fn words_of_a_surface() -> impl Strategy<Value = String> {
    let one = |list: &'static [&'static str]| prop::sample::select(list);
    let start = one(&[
        "R8_UINT 8x4",
        "R8_UNORM 4x4",
        "raw memory.bin R8_UINT 8x4",
        "raw memory.bin R8_UINT 8x4 frame=1",
        "memory memory.bin R8_UINT 4x4",
        "i420 memory.bin 4x4",
        "raw memory.bin BC1_UNORM 8x8",
        "R8G8B8A8_UNORM 8x8x4",
        "PLANAR_420_8 8x8",
        "MONO8 32x4",
        "YCRCB_NORMAL 8x4",
        "R32_FLOAT 8x8",
    ]);
    let key = one(&[
        "kind=null",
        "kind=1d",
        "kind=2d",
        "kind=3d",
        "kind=cube",
        "kind=buffer",
        "slices=3",
        "slices=0",
        "qpitch=0",
        "qpitch=4",
        "qpitch=8",
        "qpitch=100000",
        "element=2",
        "min_lod=1",
        "levels=2",
        "levels=16384",
        "levels=0",
        "pitch=0",
        "pitch=1",
        "pitch=128",
        "pitch=4294967295",
        "tiling=X",
        "tiling=Y",
        "tiling=W",
        "tiling=Yf",
        "tiling=Ys",
        "gen=5",
        "gen=6",
        "gen=7",
        "gen=8",
        "samples=4",
        "samples=3",
        "storage=interleaved",
        "align=8x4",
        "align=0x0",
        "x=4",
        "x=3",
        "y=2",
        "y=4294967295",
        "lines=top",
        "below=off",
        "swizzle=on",
        "frame=9999999",
        "mips=all",
        "disable=RA",
        "clear=0/0/0/0",
    ]);
    let formula = one(&["", "", ", byte = x", ", rgba = 0, 1, 0, 1"]);
    let keys = prop::collection::vec(key, 0..4);
    (start, keys, formula).prop_map(|(start, keys, formula)| {
        format!("SURFACE T6: {start} {}{formula}", keys.join(" "))
    })
}

#[test]
fn surfaces_of_any_words_are_refused_or_read_and_never_panic() {
    let config = ProptestConfig {
        cases: 1200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (read, refused) = (Cell::new(0), Cell::new(0));
    let done = TestRunner::new(config).run(&words_of_a_surface(), |directive| {
        let text = format!("// {directive}\n// SAMPLER S0: filter=linear mip=linear\n{READER}");
        let (layer, found) = file_layer(
            Source::new("k.visa", text),
            Path::new("tests/cases/states/k.visa"),
        );
        let problems = match start(&[layer], found, &Options::default()) {
            Ok(_) => {
                read.set(read.get() + 1);
                return Ok(());
            }
            Err(problems) => problems.problems,
        };
        refused.set(refused.get() + 1);
        prop_assert!(!problems.is_empty(), "{}", directive);
        for problem in &problems {
            let found = &problem.diagnostic;
            let of_surfaces = found.code.info().name.starts_with("E074");
            let told = found.help.is_some() && found.see.is_some();
            prop_assert!(told || !of_surfaces, "{}: {:?}", directive, found);
        }
        Ok(())
    });
    done.unwrap_or_else(|why| panic!("{why}"));
    assert!(
        read.get() > 100 && refused.get() > 100,
        "{read:?} {refused:?}"
    );
}

/// A directive, and what may follow it in lines of its own, is refused with a code, at these words, and with
/// this help.
fn refused(directive: &str, code: &str, words: &str, help: &str) {
    let text = format!("// {directive}\n{READER}");
    let source = Source::new("k.visa", text.clone());
    let (layer, found) = file_layer(source, Path::new("tests/cases/states/k.visa"));
    let refused = start(&[layer], found, &Options::default()).err();
    let problem = refused
        .unwrap_or_else(|| panic!("{directive}"))
        .problems
        .remove(0);
    let said = problem.diagnostic;
    let span = said.span().expect("a place").range();
    assert_eq!(
        (said.code.info().name, &text[span]),
        (code, words),
        "{directive}"
    );
    let fix = said.help.unwrap_or_default();
    assert!(fix.contains(help), "{directive}: {fix}");
    let of_surfaces = code.starts_with("E074") || code.starts_with("E075");
    assert!(said.see.is_some() || !of_surfaces, "{directive}");
}

#[test]
fn rules_are_told_at_their_words_with_a_mend_and_a_section() {
    for (directive, code, words, help) in [
        (
            "SURFACE T6: R8_UNORM 64x4 pitch=63",
            "E0742",
            "pitch=63",
            "a pitch of 64",
        ),
        (
            "SURFACE T6: R8_UNORM 64x4 tiling=Y pitch=192",
            "E0742",
            "pitch=192",
            "a pitch of 128",
        ),
        (
            "SURFACE T6: R8_UNORM 64x32 levels=9",
            "E0741",
            "levels=9",
            "at most 7 levels",
        ),
        (
            "SURFACE T6: R8_UNORM 20000x4",
            "E0740",
            "20000x4",
            "from 1 to 16384",
        ),
        (
            "SURFACE T6: R8_UNORM 32x16 kind=cube",
            "E0744",
            "32x16",
            "equal width and height",
        ),
        (
            "SURFACE T6: R8_UNORM 8x8 slices=3 qpitch=4",
            "E0758",
            "qpitch=4",
            "a QPitch of 8",
        ),
        (
            "SURFACE T6: R8_UNORM 8x8 x=3",
            "E0749",
            "x=3",
            "X Offset 0 or 4",
        ),
        (
            "SURFACE T6: R8_UNORM 8x8 align=3x3",
            "E0749",
            "align=3x3",
            "4×4",
        ),
        ("SURFACE T6: MONO8 33x4", "E0746", "33x4", "a width of 32"),
        (
            "SURFACE T6: R8_UNORM 8x8 samples=3",
            "E0745",
            "samples=3",
            "16",
        ),
        (
            "SURFACE T6: R8_UNORM 8x8 lines=top slices=2",
            "E0745",
            "lines=top",
            "all lines",
        ),
        (
            "SURFACE T6: R32_FLOAT 8x8 tiling=W",
            "E0746",
            "tiling=W",
            "tiling Y",
        ),
        (
            "SURFACE T6: raw memory.bin R8_UINT 8x4 pitch=3",
            "E0742",
            "pitch=3",
            "a pitch of 8",
        ),
        (
            "SURFACE T6: raw memory.bin R8_UINT 8x4 kind=null",
            "E0702",
            "memory.bin",
            "kind=null",
        ),
        (
            "SURFACE T6: memory memory.bin R8_UINT 8x4 kind=null",
            "E0705",
            "memory.bin",
            "kind=null",
        ),
        (
            "SURFACE T6: memory nowhere.bin R8_UINT 8x4",
            "E0702",
            "nowhere.bin",
            "check the name",
        ),
        (
            "SURFACE T6: memory memory.bin R8_UINT 9x4",
            "E0747",
            "9x4",
            "36 bytes",
        ),
        (
            "SURFACE T6: memory.bin R8_UNORM",
            "E0702",
            "memory.bin",
            "PNG, BMP or PNM",
        ),
        (
            "SAMPLER S1: filter=linear",
            "E0704",
            "S1",
            "did you mean S0?",
        ),
        ("SURFACE T6: R8_UNORM 8x8, byte = q", "E0701", "q", ""),
    ] {
        refused(directive, code, words, help);
    }
    // Chroma of half the pitch is tiled too: 256 is the least, and it is what is taken.
    assert!(codes("SURFACE T6: i420 ../sampler/yv12.bin 4x4 tiling=Y").is_empty());
}

#[test]
fn offsets_end_where_their_fields_do() {
    for (platform, most) in [("ilk", 30), ("bdw", 28), ("skl", 28), ("tgl", 28)] {
        let of = |words: &str| format!("SURFACE T6: R8_UNORM 8x8 {words}\n// PLATFORM {platform}");
        for held in ["x=508 tiling=Y".to_string(), format!("y={most} tiling=Y")] {
            assert_eq!(codes(&of(&held)), Vec::<&str>::new(), "{platform} {held}");
        }
        refused(&of("x=512 tiling=Y"), "E0740", "x=512", "X Offset 0 to 508");
        refused(
            &of("x=4294967292"),
            "E0740",
            "x=4294967292",
            "X Offset 0 to 508",
        );
        let help = format!("Y Offset 0 to {most}");
        refused(&of("y=32"), "E0740", "y=32", &help);
    }
    // Two rows are a unit up to Gen7.5 and no unit later.
    refused(
        "SURFACE T6: R8_UNORM 8x8 y=30",
        "E0740",
        "y=30",
        "Y Offset 0 to 28",
    );
    refused(
        "SURFACE T6: R8_UNORM 8x8 y=26",
        "E0749",
        "y=26",
        "Y Offset 24 or 28",
    );
    refused(
        "SURFACE T6: R8_UNORM 8x8 slices=2 qpitch=131072",
        "E0740",
        "qpitch=131072",
        "0 to 131068",
    );
}

#[test]
fn cubes_up_to_gen6_come_alone() {
    let cubes = "SURFACE T6: R8_UNORM 8x8 kind=cube slices=2";
    let ilk = |words: &str| format!("{words}\n// PLATFORM ilk");
    refused(&ilk(cubes), "E0745", "slices=2", "Gen7");
    refused(&format!("{cubes} gen=6"), "E0745", "slices=2", "one cube");
    let later = ilk("SURFACE T6: R8_UNORM 8x8 kind=cube slices=1 element=1");
    refused(&later, "E0745", "element=1", "Minimum Array Element of 0");
    for legal in [
        cubes.to_string(),
        format!("{cubes} gen=7"),
        format!("{cubes} element=6"),
        ilk("SURFACE T6: R8_UNORM 8x8 kind=cube slices=1"),
    ] {
        assert_eq!(codes(&legal), Vec::<&str>::new(), "{legal}");
    }
    // Depth and Minimum Array Element of a packed cube: the same rules.
    let packed = |depth: u32, element: u32| {
        format!(
            "SURFACE T6: state 6500003f 00000000 003801c0 {:08x} {:08x} 00000000 gen=5",
            depth << 21 | 7 << 3,
            element << 17
        )
    };
    assert_eq!(codes(&packed(0, 0)), Vec::<&str>::new());
    assert_eq!(codes(&packed(1, 0)), ["E0745"]);
    assert_eq!(codes(&packed(0, 1)), ["E0745"]);
}

#[test]
fn keys_and_sizes_that_say_nothing_are_refused() {
    for size in ["64x5", "64x3x2"] {
        let directive = format!("SURFACE T6: R8_UINT {size} kind=buffer");
        let help = if size == "64x5" { "320x1" } else { "384x1" };
        refused(&directive, "E0745", size, help);
    }
    for key in [
        "slices=3",
        "levels=3",
        "min_lod=3",
        "element=2",
        "samples=4",
        "storage=array",
        "lines=top",
        "x=4",
        "y=4",
        "qpitch=8",
        "align=8x8",
        "below=off",
        "swizzle=on",
        "clear=0/0/0/0",
    ] {
        let directive = format!("SURFACE T6: R8_UINT 64x1 kind=buffer {key}");
        refused(
            &directive,
            "E0705",
            key.split('=').next().unwrap_or(key),
            "leave it out",
        );
    }
    for (directive, word, help) in [
        ("R8_UNORM 8x8 element=3", "element", "slices=1"),
        ("R8_UNORM 8x8 kind=cube element=3", "element", "slices=1"),
        ("R8_UNORM 8x8 frame=3, byte = x", "frame", "leave it out"),
        (
            "memory memory.bin R8_UINT 4x4 frame=1",
            "frame",
            "leave it out",
        ),
        (
            "R8_UNORM 8x8 palette=ff000000",
            "palette",
            "P8_UNORM_PALETTE0",
        ),
        ("R8_UNORM 8x8 clear=0/0/0/1", "clear", "samples=4"),
        ("R8_UNORM 8x8 storage=interleaved", "storage", "samples=4"),
        ("R8_UNORM 8x8 mips=all", "mips", "levels="),
        ("R8_UNORM 8x8x4 kind=cube slices=1", "slices", "kind=3d"),
        ("R8_UNORM 8x8 kind=null levels=3", "levels", "leave it out"),
    ] {
        refused(&format!("SURFACE T6: {directive}"), "E0705", word, help);
    }
    for (directive, code, words, help) in [
        (
            "PLANAR_420_8 16x8 samples=4",
            "E0746",
            "PLANAR_420_8",
            "R8G8B8A8_UNORM",
        ),
        (
            "R8_UNORM 64x64 tiling=Yf swizzle=on",
            "E0745",
            "swizzle=on",
            "tiling X or Y",
        ),
        (
            "R8_UNORM 64x64 swizzle=on",
            "E0745",
            "swizzle=on",
            "tiling X or Y",
        ),
        (
            "R8_UINT 8x8 samples=3",
            "E0745",
            "samples=3",
            "1, 2, 4, 8 or 16 samples",
        ),
    ] {
        refused(&format!("SURFACE T6: {directive}"), code, words, help);
    }
    // What a packed state refuses too.
    for (directive, words, help) in [
        ("MONO8 32x4 x=508", "x=508", "no offsets"),
        ("R32G32B32_FLOAT 4x4 y=4", "y=4", "no offsets"),
        ("MONO8 32x4 min_lod=1 gen=5", "min_lod=1", "Min LOD of 0"),
        (
            "R8_UNORM 8x8 lines=top y=6 tiling=Y gen=5",
            "y=6",
            "4, 8, 12",
        ),
        (
            "R32G32B32A32_FLOAT 8x8 samples=4 storage=interleaved gen=6",
            "samples=4",
            "64 bits",
        ),
        ("PLANAR_420_8 16x8 kind=3d", "kind=3d", "two sizes"),
    ] {
        let code = if directive.starts_with("PLANAR") {
            "E0755"
        } else {
            "E0745"
        };
        refused(&format!("SURFACE T6: {directive}"), code, words, help);
    }
    for legal in [
        "R32_UINT 16x1 kind=buffer pitch=16 gen=8 disable=R tiling=linear",
        "raw memory.bin R8_UINT 32x1 kind=buffer frame=0",
        "R8_UNORM 8x8 slices=1 element=3",
        "R8_UNORM 128x32 tiling=Y swizzle=on",
        "R8_UNORM 8x8 swizzle=off",
        "R8_UINT 8x8 samples=4 storage=interleaved clear=0/0/0/1",
        "R8_UNORM 8x8 kind=null gen=8",
    ] {
        let directive = format!("SURFACE T6: {legal}");
        assert_eq!(codes(&directive), Vec::<&str>::new(), "{directive}");
    }
}

#[test]
fn planes_that_share_bytes_are_told_of() {
    // 16 by 8 texels of luma, 16 bytes from row to row, and pairs from row `v` on: a media state.
    let of = |v: u32| {
        let words = format!("00000000 003803c0 480000{:02x} {v:08x} 00000000", 15 << 3);
        format!("SURFACE T6: media-state {words} gen=5")
    };
    assert_eq!(codes(&of(8)), Vec::<&str>::new());
    assert_eq!(codes(&of(6)), ["W0759"]);
    // Chroma of a field begins below the rows of both.
    for (lines, row) in [("frame", 8), ("top", 16), ("bottom", 16)] {
        let directive = format!("SURFACE T6: PLANAR_420_8 16x8 lines={lines}");
        let bindings = bound(&directive).0.expect("a legal surface");
        let planes = bindings.surfaces[&6].description().planes;
        assert_eq!(planes.map(|p| p.u), Some((0, row)), "{lines}");
    }
    for size in ["4x4294967295", "4294967295x4294967295"] {
        let directive = format!("SURFACE T6: i420 memory.bin {size} tiling=Y lines=top");
        assert_eq!(codes(&directive), ["E0740"], "{directive}");
    }
}

#[test]
fn sampler_fields_are_held_to_the_state_of_the_generation() {
    let of = |words: &str, platform: &str| format!("SAMPLER S0: {words}\n// PLATFORM {platform}");
    for (words, platform, code, help) in [
        ("address=half_border", "ilk", "E0756", "CLAMP_BORDER"),
        ("address_r=half_border", "ilk", "E0756", "CLAMP_BORDER"),
        ("reduction=minimum", "ilk", "E0749", "standard"),
        ("normalized=off", "ilk", "E0749", "normalized coordinates"),
        ("clamp_magnified=on", "ilk", "E0749", "off"),
        ("base_level=3.3", "ilk", "E0749", "in steps of 1/2"),
        ("base_level=13.5", "ilk", "E0749", ""),
        ("max_lod=0.01", "ilk", "E0749", "0 to 13, in steps of 1/64"),
        ("min_lod=0.003", "ilk", "E0749", "0 to 13, in steps of 1/64"),
        ("max_lod=13.5", "ilk", "E0749", ""),
        (
            "lod_bias=0.00390625",
            "ilk",
            "E0749",
            "-16 to 15.984375, in steps of 1/64",
        ),
        ("lod_bias=16", "ilk", "E0749", "-16 to 15.984375"),
        ("base_level=2", "skl", "E0749", "the surface state"),
        ("base_level=2", "bdw", "E0749", "the surface state"),
        ("base_level=2", "tgl", "E0749", "the surface state"),
        ("max_lod=0.01", "skl", "E0749", "0 to 14, in steps of 1/256"),
        ("lod_bias=nan", "skl", "E0705", ""),
        ("lod_bias=1e999", "skl", "E0705", ""),
        ("min_lod=-1", "skl", "E0749", "0 to 14"),
        ("normalized=off mip=linear", "skl", "E0705", ""),
    ] {
        let blamed = words.split(' ').next_back().unwrap_or(words);
        refused(&of(words, platform), code, blamed, help);
    }
    for (words, blamed, help) in [
        ("mono_width=9", "mono_width=9", "filter=mono"),
        (
            "mono_height=3 filter=linear",
            "mono_height=3",
            "filter=mono",
        ),
        ("key_high=0xff000000", "key_high=0xff000000", "key=kill"),
    ] {
        refused(&of(words, "skl"), "E0705", blamed, help);
    }
    for (words, platform, expected) in [
        ("address=half_border", "skl", vec![]),
        (
            "normalized=off reduction=minimum clamp_magnified=on",
            "bdw",
            vec![],
        ),
        (
            "base_level=3.5 max_lod=13 lod_bias=-15.984375",
            "ilk",
            vec![],
        ),
        ("mono_width=3 mono_height=7 filter=mono", "ilk", vec![]),
        (
            "key_low=0x00000000 key=kill key_high=0xff000000",
            "skl",
            vec![],
        ),
        ("max_lod=14 min_lod=0.00390625", "tgl", vec![]),
        ("filter=anisotropic", "ilk", vec![]),
        ("min_lod=3 max_lod=2", "skl", vec!["W0753"]),
    ] {
        assert_eq!(codes(&of(words, platform)), expected, "{words} {platform}");
    }
}
