//! The table of messages holds: each row is sent, and runs or is refused as it says.

use std::fs;
use std::path::Path;
use visim::internals::diagnostic::render_all;
use visim::internals::harness::case::{self, Rules, Status, Test};
use visim::internals::harness::session::Options;
use visim::internals::message::gen5::table::{MESSAGES, State, markdown};

/// What a program ends with: nothing, or what was said.
fn outcome(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    // Programs that end are enough.
    let rules = Rules {
        allow_empty: true,
        ..Rules::default()
    };
    let verdict = case::run_as(&path, &Test::of(&path, &rules), &Options::default());
    match verdict.status {
        Status::Passed => Ok(()),
        _ => {
            let source = visim::internals::source::Source::new(name, text);
            Err(render_all(&verdict.diagnostics, &source, false))
        }
    }
}

/// Surfaces that suit every message: T1 a picture, T2 a buffer, T4 a tiled picture,
/// T5 depths, T6 and T7 frames of video, T8 statistics.
const SURFACES: &str = "\
// SURFACE T1: R8G8B8A8_UNORM 16x16
// SURFACE T2: R32G32B32A32_FLOAT 64x1 kind=buffer, dword(x,y) = 0
// SURFACE T4: R8G8B8A8_UNORM 128x32 tiling=X
// SURFACE T5: R32_FLOAT 16x16
// SURFACE T6: Y8_UNORM 32x16
// SURFACE T7: Y8_UNORM 32x16
// SURFACE T8: R8_UNORM 64x16
";

fn gen5_program(row: &str, receiver: &str, desc: u32) -> String {
    let binding = desc & 0xff;
    // The frame, the one before, statistics: AVS reference 5.1.
    let last = binding + if row == "deinterlace" { 2 } else { 0 };
    let has = |l: &str| (binding..=last).any(|n| l.contains(&format!(" T{n}:")));
    let surfaces: String = SURFACES
        .lines()
        .filter(|l| ["smpl", "read", "write"].contains(&receiver) && has(l))
        .map(|l| format!("{l}\n"))
        .collect();
    let response = desc >> 20 & 0x1f;
    let dst = if response > 0 { "r40" } else { "null" };
    // Media blocks: width 4, height 1. Elsewhere M0.2 is an offset of 0 or a mask.
    let media =
        receiver == "read" && desc >> 11 & 7 == 4 || receiver == "write" && desc >> 12 & 7 == 2;
    let size = match media {
        true if row.contains("color") => 3 | 1 << 29,
        true => 3,
        false => 0,
    };
    let sampler = match receiver {
        "smpl" if row == "deinterlace" => "// SAMPLER S0: deinterlace dn_enable=off\n",
        "smpl" if row == "sample_8x8" => "// SAMPLER S0: avs table0x=bilinear\n",
        "smpl" => "// SAMPLER S0: 3d\n",
        _ => "",
    };
    // The last render target write ends the thread, and a message that ends it answers nowhere.
    let target = receiver == "write" && desc >> 12 & 7 == 4;
    let (send, end) = if target {
        let desc = desc & !(1 << 15 | 0x1f << 20);
        (
            format!("send (16) null m1 r0 {receiver} {desc:#010x} {{EOT}}"),
            "",
        )
    } else {
        let end = "send (8) null m15 r0 ts 0x02000000 {EOT}";
        (
            format!("send (16) {dst} m1 null {receiver} {desc:#010x}"),
            end,
        )
    };
    format!(
        "{surfaces}{sampler}mov (8) m1:ud r0:ud\nmov (1) m1.2 {size}:ud\nmov (1) m1.1 0:ud\n{}{send}\n{end}\n",
        if receiver == "math" {
            "mov (8) m1:ud 2:ud\nmov (8) m2:ud 6:ud\n"
        } else {
            ""
        },
    )
}

fn gen9_program(statement: &str) -> String {
    let surface = |n: u32, line: &str| {
        if statement.contains(&format!("T{n} ")) {
            format!("{line}\n")
        } else {
            String::new()
        }
    };
    let sampler = match statement {
        s if s.starts_with("avs") => "// SAMPLER S0: avs table0x=bilinear\n",
        s if s.starts_with("sample_unorm") => "// SAMPLER S0: unorm\n",
        s if s.contains(" S0 ") => "// SAMPLER S0: 3d\n",
        _ => "",
    };
    let names = format!(
        "{sampler}{}{}{}{}{}",
        surface(5, "// SURFACE T5: R32_FLOAT 16x16"),
        surface(9, "// SURFACE T9: R8G8B8A8_UNORM 16x16 samples=4"),
        surface(6, "// SURFACE T6: R8G8B8A8_UNORM 16x16"),
        surface(7, "// SURFACE T7: R32G32B32A32_FLOAT 64x1 kind=buffer"),
        surface(8, "// SURFACE T8: R32_UINT 16x16"),
    );
    format!(
        "{names}.version 4.1\n.kernel \"row\"\n\
         .decl D v_type=G type=ud num_elts=128 align=GRF\n\
         .decl S v_type=G type=ud num_elts=128 align=GRF\n\
         .decl F v_type=G type=f num_elts=128 align=GRF alias=<S,0>\n\
         .decl S0 v_type=S num_elts=1\n\
         .decl T5 v_type=T num_elts=1\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n\
         .decl T8 v_type=T num_elts=1\n.decl T9 v_type=T num_elts=1\n    \
         {statement}\n    ret (M1, 1)\n"
    )
}

#[test]
fn each_row_runs_or_is_refused_as_the_table_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for row in MESSAGES {
        if let Some((receiver, desc)) = row.gen5 {
            let text = gen5_program(row.name, receiver, desc);
            let found = outcome(folder.path(), "row.send", &text);
            if found.is_ok() != (row.on_gen5 == State::Runs) {
                wrong.push(format!(
                    "{} on Ironlake: {:?}\n{text}{}",
                    row.name,
                    row.on_gen5,
                    found.err().unwrap_or_default()
                ));
            }
        }
        if let Some(statement) = row.gen9 {
            let text = gen9_program(statement);
            let found = outcome(folder.path(), "row.visa", &text);
            if found.is_ok() != (row.on_gen9 == State::Runs) {
                wrong.push(format!(
                    "{} on Gen9: {:?}\n{text}{}",
                    row.name,
                    row.on_gen9,
                    found.err().unwrap_or_default()
                ));
            }
        }
        // What runs is shown to run.
        assert!(
            row.on_gen5 != State::Runs || row.gen5.is_some(),
            "{}",
            row.name
        );
        assert!(
            row.on_gen9 != State::Runs || row.gen9.is_some(),
            "{}",
            row.name
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_of_the_manual_is_missing() {
    // As the tables of 4.11.1.3.2 and 4.11.1.4, the summaries of 5.10.2, the sections of 5.10 and 6.1.1.1 name them.
    let manual = [
        "sample",
        "sample_b",
        "sample_l",
        "sample_c",
        "sample_d",
        "sample_b_c",
        "sample_l_c",
        "ld",
        "load4",
        "LOD",
        "resinfo",
        "sampleinfo",
        "sample+killpix",
        "sample2dms",
        "ld2dms",
        "ld_mcs",
        "gather4",
        "sample_unorm",
        "sample_unorm_RG",
        "sample_unorm_RG+killpix",
        "sample_8x8",
        "deinterlace",
        "OWord Block Read",
        "OWord Block Write",
        "Unaligned OWord Block Read",
        "OWord Dual Block Read",
        "OWord Dual Block Write",
        "DWord Scattered Read",
        "DWord Scattered Write",
        "Byte Scattered Read",
        "Byte Scattered Write",
        "Untyped Surface Read",
        "Untyped Surface Write",
        "Untyped Atomic Operation",
        "Scratch Block Read",
        "Scratch Block Write",
        "Memory Fence",
        "Media Block Read",
        "Media Block Write",
        "Media Block with color processing",
        "Render Target Write",
        "Typed Surface Read",
        "Typed Surface Write",
        "Typed Atomic Operation",
        "Render Target UNORM Read",
        "Render Target UNORM Write",
        "Streamed Vertex Buffer Write",
        "AVC Loop Filter Read",
        "Flush Render Cache",
        "Write Commit",
        "INV",
        "LOG",
        "EXP",
        "SQRT",
        "RSQ",
        "SIN",
        "COS",
        "SINCOS",
        "POW",
        "INT DIV, quotient and remainder",
        "INT DIV, quotient",
        "INT DIV, remainder",
    ];
    for name in manual {
        let here = |row: &str| {
            row == name
                || row
                    .strip_prefix(name)
                    .is_some_and(|r| r.starts_with([',', ' ']))
        };
        assert!(
            MESSAGES.iter().any(|row| here(row.name)),
            "{name} is missing"
        );
    }
}

#[test]
fn the_table_in_the_documentation_is_this_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/message/gen5/messages.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, markdown()).expect("written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        written,
        markdown(),
        "run with BLESS=1 to write {}",
        path.display()
    );
}
