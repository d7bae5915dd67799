//! `visim explain` in the words of the vISA pages: items S18 to S21 of the audit.

use std::process::Command;

const PROGRAM: &str = r#"// SURFACE T6: PLANAR_420_8 32x16
// SAMPLER S0: avs
.version 4.1
.kernel "pages"
.decl D v_type=G type=uw num_elts=256 align=GRF
.decl B v_type=G type=ub num_elts=64 align=GRF
.decl H v_type=G type=uw num_elts=64 align=GRF
.decl C v_type=G type=ud num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.decl S0 v_type=S num_elts=1
    media_ld.nomod (6,4) T6 0 0x0:ud 0x0:ud B.0
    avs.RB T6 S0 0x0:f 0x0:f 0x3d000000:f 0x3d000000:f 0x0:f 0x7:ud 0x1:ud AVS_16_DOWN_SAMPLE 0x0:f AVS_16x8 0x1:ub D.0
    load_lz.RB (M1, 8) 0x0:uw T6 H.0 C.0 C.32
    load_2dms_w.R (M1, 8) 0x0:uw T6 C.0 C.0 C.32 C.64 C.96 C.128 C.160 C.192
    ret (M1, 1)
"#;

/// What explain says of the line that starts with `mnemonic`, blanks made one.
fn explained(mnemonic: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.visa");
    std::fs::write(&file, PROGRAM).unwrap();
    let at = PROGRAM
        .lines()
        .position(|l| l.trim().starts_with(mnemonic))
        .unwrap()
        + 1;
    let line = format!("{}:{at}", file.display());
    let output = Command::new(env!("CARGO_BIN_EXE_visim"))
        .args(["explain", &line])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let one_blank = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(one_blank).collect()
}

#[track_caller]
fn has(lines: &[String], wanted: &[&str]) {
    for wanted in wanted {
        assert!(
            lines.iter().any(|l| l == wanted),
            "no line {wanted:?} in\n{}",
            lines.join("\n")
        );
    }
}

#[test]
fn s18_operands_have_the_words_of_their_pages() {
    has(
        &explained("media_ld"),
        &[
            "operand block_width, block_height (6,4)",
            "operand plane 0",
            "operand x_offset 0x0:ud",
            "operand y_offset 0x0:ud",
            "operand dst B.0",
        ],
    );
    has(
        &explained("avs"),
        &[
            "operand sampler S0",
            "operand surface T6",
            "operand u_offset 0x0:f",
            "operand deltaU 0x3d000000:f",
            "operand u2d 0x0:f",
            "operand groupID 0x7:ud",
            "operand verticalBlockNumber 0x1:ud",
            "operand cntrl AVS_16_DOWN_SAMPLE",
            "operand v2d 0x0:f",
            "operand execMode AVS_16x8",
            "operand IEFBypass 0x1:ub",
            "operand dst D.0",
        ],
    );
    has(
        &explained("load_2dms_w"),
        &[
            "operand aoffimmi 0x0:uw",
            "operand si C.0",
            "operand mcsl C.32",
            "operand mcsh C.64",
            "operand u C.96",
            "operand v C.128",
            "operand r C.160",
            "operand lod C.192",
        ],
    );
}

#[test]
fn s19_the_payload_of_avs_is_shown_by_field() {
    has(
        &explained("avs"),
        &[
            "M1.1 0x1",
            "31:0 vertical block 0x1 row offset in units of four rows",
            "27 IEF bypass 1 1 = the enhancement filter is bypassed",
            "26:25 mode 2 0 16x4, 1 8x4, 2 16x8, 3 4x4",
            "22:0 group 0x7 reorder hint",
        ],
    );
}

#[test]
fn s20_each_byte_of_the_destination_is_drawn() {
    has(
        &explained("media_ld"),
        &[
            "becomes bytes 0 to 5 row 0, bytes x + 0 to x + 5",
            "bytes 6 to 7 gap",
            "bytes 24 to 29 row 3, bytes x + 0 to x + 5",
        ],
    );
    // 16x8 has two parts of 64 pixels; R and B have even pixels alone.
    has(
        &explained("avs"),
        &[
            "becomes bytes 0 to 15 R, y 0, x 0 to 14, even ones",
            "bytes 64 to 79 B, y 0, x 0 to 14, even ones",
            "bytes 128 to 143 R, y 4, x 0 to 14, even ones",
        ],
    );
    has(
        &explained("load_lz"),
        &[
            "becomes bytes 0 to 15 R, lanes 0 to 7",
            "bytes 16 to 31 gap",
            "bytes 32 to 47 B, lanes 0 to 7",
        ],
    );
}

#[test]
fn s21_contradictions_of_a_page_are_told_on_the_line() {
    let starts = |lines: &[String], wanted: &str| lines.iter().any(|l| l.starts_with(wanted));
    let avs = explained("avs");
    for wanted in ["pages u2d:", "pages IEFBypass:", "pages N:"] {
        assert!(starts(&avs, wanted), "{wanted} {avs:?}");
    }
    assert!(starts(&explained("media_ld"), "pages block_height:"));
    assert!(starts(&explained("load_2dms_w"), "pages lod, r:"));
    assert!(!starts(&explained("load_lz"), "pages"));
}

#[test]
fn explain_and_picture_take_surfaces_values_and_threads() {
    use crate::folder::{folder, holds, said};
    let text = ".version 4.1\n.kernel \"k\"\n.decl X v_type=G type=ud num_elts=1 align=GRF\n\
        .decl D v_type=G type=ub num_elts=32 align=GRF\n.decl T6 v_type=T num_elts=1\n    \
        shl (M1_NM, 1) X(0,0)<1> %thread_x(0,0)<0;1,0> 2:d\n    \
        media_ld.nomod (4,1) T6 0 X(0,0)<0;1,0> 0:ud D.0\n    ret (M1, 1)\n";
    let own = folder(&[("k.visa", text)]);
    let surface = "T6=new:64x4:R8_UNORM,byte(x,y) = x";
    let grid = ["--surface", surface, "--threads", "4,1"];
    let line = ["explain", "k.visa:7"];
    let first = said(&own, &[&line[..], &grid].concat(), 0);
    holds(&first, &["in thread 0", "00 01 02 03"]);
    let third = said(&own, &[&line[..], &grid, &["--thread", "2,0"]].concat(), 0);
    holds(&third, &["in thread 2", "08 09 0a 0b"]);
    let outside = said(&own, &[&line[..], &grid, &["--thread", "9"]].concat(), 2);
    holds(&outside, &["the run has 4 threads"]);
    let wrong = said(&own, &[&line[..], &["--surface", "T6:oops"]].concat(), 2);
    holds(&wrong, &["--surface"]);
    let drawn = ["picture", "k.visa:7", "-o", "out.png", "--thread", "1"];
    said(&own, &[&drawn[..], &grid].concat(), 0);
    assert!(own.path().join("out.png").is_file());
    let named = said(&own, &[&drawn[..], &grid, &["--draw", "T9"]].concat(), 2);
    holds(&named, &["T9"]);
}

#[test]
fn lanes_groups_ranges_and_launches_of_explain_picture_and_lower() {
    use crate::folder::{folder, holds, said};
    let bilinear = std::fs::read_to_string("samples/16-bilinear.visa").expect("a lesson");
    let barrier = std::fs::read_to_string("samples/49-barrier.visa").expect("a lesson");
    let own = folder(&[("b.visa", &bilinear), ("w.visa", &barrier)]);
    // Lane 3 takes four texels, a quarter each.
    let lane = said(&own, &["explain", "b.visa:51", "--lane", "3"], 0);
    holds(&lane, &["lane 3"]);
    assert!(
        !lane.contains("lane 2") && !lane.contains("lane 4"),
        "{lane}"
    );
    said(&own, &["explain", "b.visa:51", "--lane", "32"], 2);
    // Thread 2 of group 0, by its group in two ways.
    for thread in ["2@0", "2@0,0,0", "0,0,0,2", "2"] {
        let text = said(&own, &["explain", "w.visa:30", "--thread", thread], 0);
        holds(&text, &["in thread 2"]);
    }
    let outside = said(&own, &["explain", "w.visa:30", "--thread", "2@1"], 2);
    holds(&outside, &["1 by 1 by 1 groups of 4 threads"]);

    // Floats are shown in the range that they have, or in the one asked for.
    let picture = |more: &[&str]| {
        let line = ["picture", "b.visa:51", "-o", "o.svg", "--lane", "3"];
        let text = said(&own, &[&line[..], more].concat(), 0);
        let svg = std::fs::read_to_string(own.path().join("o.svg")).expect("a picture");
        (text, svg)
    };
    let (text, svg) = picture(&[]);
    holds(&text, &["0 is black and 208 white"]);
    assert_eq!(svg.matches(">25</text>").count(), 4, "weights of one lane");
    let (text, other) = picture(&["--range", "0,64"]);
    holds(&text, &["0 is black and 64 white"]);
    assert_ne!(svg, other);
    let line = ["picture", "b.visa:51", "-o", "o.svg", "--range", "1,0"];
    holds(&said(&own, &line, 2), &["the lower one first"]);
    let tile = ["picture", "--tile", "Y", "-o", "o.png", "--lane", "3"];
    holds(&said(&own, &tile, 2), &["neither threads nor lanes"]);

    // What runs can be lowered with the same words.
    let surface = ["--surface", "T6=new:4x2:R32_FLOAT", "--set", "U=1:f"];
    let lowered = said(&own, &[&["lower", "b.visa"][..], &surface].concat(), 0);
    assert_eq!(lowered, said(&own, &["lower", "b.visa"], 0));
    let none = said(&own, &["lower", "b.visa", "--kernel", "other"], 2);
    holds(&none, &["no kernel `other`"]);
    let outside = tempfile::tempdir().expect("a folder");
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/kernels/");
    let text = format!("{kernels}28-sums.visaasm");
    let launch = format!("{kernels}28-sums.launch.json");
    let lowered = said(&outside, &["lower", &text, "--launch", &launch], 0);
    holds(&lowered, &["to gateway"]);
}
