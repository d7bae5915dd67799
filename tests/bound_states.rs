//! Packed states in directives: what words say is what is bound, and what they must not say is refused there.

#[path = "laws/descriptions.rs"]
mod descriptions;

use descriptions::descriptions;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use std::cell::Cell;
use std::path::Path;
use visim::exec::Bindings;
use visim::harness::session::{Options, file_layer, start};
use visim::source::Source;
use visim::surface::state::{pack, rules, structure};
use visim::surface::{Description, Kind, Surface};

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
            visim::surface::Generation::Gen75 => "7.5".to_string(),
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
            "alike",
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
        (
            "SURFACE T6: YCRCB_NORMAL 3x4",
            "E0746",
            "3x4",
            "an even width",
        ),
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
        let mend = said.help.unwrap_or_default();
        assert!(mend.contains(help), "{directive}: {mend}");
        let of_surfaces = code.starts_with("E074") || code.starts_with("E075");
        assert!(said.see.is_some() || !of_surfaces, "{directive}");
    }
    // Chroma of half the pitch is tiled too: 256 is the least, and it is what is taken.
    assert!(codes("SURFACE T6: i420 ../sampler/yv12.bin 4x4 tiling=Y").is_empty());
}
