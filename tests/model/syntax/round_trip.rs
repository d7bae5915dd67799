//! Text to tree and back.

use visim::internals::diagnostic::{Code, Diagnostic};
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse, print};
/// Codes and lines of what is said of a text.
fn said(text: &str) -> Vec<(Code, usize)> {
    let source = Source::new("test", text);
    let parsed = parse(&source, &ParseOptions::default());
    let place = |d: &Diagnostic| source.line_of(d.span().expect("a place").start);
    parsed
        .diagnostics
        .iter()
        .map(|d| (d.code, place(d)))
        .collect()
}

#[test]
fn each_code_is_said_of_its_line() {
    let cases = [
        ("mov (M1, 8) D(0,0)<1> S(0,0)", Code::E0101),
        ("mov (M1, 8) D(0,0)<1> S.0", Code::E0101),
        ("mvo (M1, 8) D(0,0)<1> S(0,0)<1;1,0>", Code::E0102),
        ("barrier\r", Code::E0103),
        ("mov (M1, 8) D(0,0)<1> 1:i32", Code::E0104),
        ("FILE \"x", Code::E0105),
        ("FILE \"\\q\"", Code::E0105),
        ("barrier /* x", Code::E0105),
        (".decl mov v_type=G type=ud num_elts=8", Code::E0106),
        (".version 4.1", Code::E0107),
        ("mov (M1, 8) D(0,0)<1> 0x10000:hf", Code::E0108),
        ("mov (M1, 8) D(-1,0)<1> 0x1:ud", Code::E0108),
        ("mov (4294967296) D(0,0)<1> 0x1:ud", Code::E0108),
        ("mov (M1, 8) D(0,0)<1> (1/0):ud", Code::E0109),
        ("mov (M1, 8) D(0,0)<1> (%DispatchSimd):ud", Code::E0109),
        ("cmp (M1, 8) P1 D(0,0)<1;1,0> 0x1:ud", Code::E0110),
        (
            "and.sat (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x1:ud",
            Code::E0110,
        ),
        ("x: barrier", Code::E0111),
        (" x:", Code::E0111),
        (".declare X", Code::E0112),
        (".decl X v_type=G num_elts=8 type=ud", Code::E0113),
        (
            ".decl X v_type=G type=ud num_elts=8 alias=<D, 0> align=GRF",
            Code::E0113,
        ),
        ("vme_idm T6 D.0 D.0 D.0", Code::N0114),
        (
            "lsc_extended_cache_ctrl.ugm (M1, 8) flat[S]:a64",
            Code::N0114,
        ),
        (
            "raw_send (M1, 8) 0xc 1 0 0x2480400:ud D.0 %null.32",
            Code::E0122,
        ),
        (
            "lsc_store.ugm (M1, 8) flat[S]:a64 %null.32:d32",
            Code::E0122,
        ),
        ("mov (M1, 8) D(0,0)<1> (%sizeof(%r0)):d", Code::E0101),
        ("mov (M1, 8) D(0,0)<1> 99999999999:ud", Code::W0116),
        ("mov (M1, 8) D(0,0)<1> 0x100000000:ud", Code::W0116),
        (".decl X v_type=G type=ud num_elts=8 align=1", Code::E0117),
        ("sample4. (M1, 8) 0x0:uw S0 T6 D.0 D.0", Code::W0118),
    ];
    for (line, code) in cases {
        assert_eq!(
            said(&format!(".version 4.1\n\n{line}\n")),
            [(code, 3)],
            "{line}"
        );
    }
    let deep = format!(".version 4.1\nmov (M1, 8) D{}\n", "(".repeat(100));
    assert_eq!(said(&deep), [(Code::L0115, 2)]);
    assert_eq!(said("barrier\n"), [(Code::E0107, 1)]);
    let bad = said(&format!(".version 4.1\n{}", "bad\n".repeat(2000)));
    // Ten of a kind, then the last line that is read.
    assert_eq!(bad.len(), 11);
    assert_eq!(bad[10], (Code::L0119, 1001));
    let different: String = (0..2000).map(|n| format!("bad{n}\n")).collect();
    let bad = said(&format!(".version 4.1\n{different}"));
    assert_eq!(bad.len(), 1001);
    assert_eq!(bad[1000], (Code::L0119, 1001));
}

#[test]
fn several_bad_lines_give_several_diagnostics_and_the_good_ones_stay() {
    let source = Source::new("test", ".version 4.1\nmov\nbarrier\nadd\nmul\nyield\n");
    let parsed = parse(&source, &ParseOptions::default());
    assert_eq!(parsed.diagnostics.len(), 3);
    assert_eq!(
        print(&parsed.module),
        ".version 4.1\n    barrier\n    yield\n"
    );
}

/// The instruction of a one-line kernel, as it is printed.
fn printed(line: &str) -> String {
    let text = format!(".version 4.1\n.decl T6 v_type=T num_elts=1\n    {line}\n");
    let parsed = parse(&Source::new("test", text), &ParseOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    print(&parsed.module)
        .lines()
        .nth(2)
        .unwrap_or_default()
        .trim_start()
        .to_owned()
}

#[test]
fn both_dialects_and_short_forms_print_one_way() {
    let pairs = [
        (
            "load_lz.R (M1, 8) 0x0:uw T6 D.0 %null.0 S.0",
            "load_lz.R (M1, 8)  0x0:uw T6 D.0 %null.0 S.0",
        ),
        (
            "load_lz.r (8) 0x0:uw T6 D.0 V0.0 S.0",
            "load_lz.R (M1, 8)  0x0:uw T6 D.0 V0.0 S.0",
        ),
        (
            "svm_block_ld.aligned (M1, 8) D(0,0)<0;1,0> D.0",
            "svm_block_ld.aligned (8) D(0,0)<0;1,0> D.0",
        ),
        (
            "media_st.modified (16, 4) T6 0x1:ud 0x0:ud D.0",
            "media_st.modified (16,4) T6 0 0x1:ud 0x0:ud D.0",
        ),
        ("fence_local", "fence_local"),
        (
            "sample.R S0 T6 D.0 D.0 D.0 D.0",
            "sample.R (8) S0 T6 D.0 D.0 D.0 D.0",
        ),
        ("mov(M1,8)D<1>-1.5 :f", ""),
        ("mov(M1,8)D<1>-1.5:f", "mov (M1, 8) D(0,0)<1> 0xbfc00000:f"),
        (
            "mov (M1, 8) D<1> -1:f",
            "mov (M1, 8) D(0,0)<1> 0x80000001:f",
        ),
        (
            "mov (M1, 8) D<1> -1:w",
            "mov (M1, 8) D(0,0)<1> 0xffffffff:w",
        ),
        (
            "lsc_load.ugm (M1, 8) D.0:d8u32 [S + 16]:a64",
            "lsc_load.ugm (M1, 8)  D:d8u32  flat[S+0x10]:a64",
        ),
        ("jmp (M1, 1) \"mov\"", "jmp (M1, 1) \"mov\""),
        ("jmp (M1, 1) \"plain\"", "jmp (M1, 1) plain"),
        (".loc 7", "LOC 7"),
    ];
    for (line, expected) in pairs {
        if expected.is_empty() {
            assert_eq!(said(&format!(".version 4.1\n{line}\n")), [(Code::E0101, 2)]);
        } else {
            assert_eq!(printed(line), expected);
        }
    }
}
