//! What the command line says and refuses that no diagnostic code stands for: options without effect, lines
//! that are none, places that cannot be written.

use pretty_assertions::assert_eq;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "\
// SURFACE T6: R8_UNORM 4x4, byte(x,y) = x
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.decl P1 v_type=P num_elts=8
    mov (M1, 8) V32(0,0)<1> 0x7:ud
    ret (M1, 1)
";
const LOADS: &str = "\
// SURFACE T3: R8G8B8A8_UINT 4x4 bank=0x28, byte(x,y) = x + 16*y
// SET R4 = 1:d
// SET R5 = 0:d
TLD.LZ R0, R4, 0x28, 2D, 0xf ;
";
const SENDS: &str = "\
// SURFACE T2: R32G32B32A32_UINT 4x1 kind=buffer, dword(x,y) = x
mov (8) m3:ud r0:ud
mov (1) m3.2 16:ud
send (8) r30 m3 null read 0x02184202
send (8) null m15 r0 ts 0x02000000 {EOT}
";

/// A folder with a program of each language.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("k.visa", PROGRAM), ("k.tld", LOADS), ("k.send", SENDS)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn visim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.args(arguments).current_dir(folder);
    command.output().expect("visim starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Arguments, the exit code, words of what is said.
type Row = (&'static [&'static str], i32, &'static str);

fn hold(folder: &Path, rows: &[Row]) {
    let mut wrong = Vec::new();
    for (arguments, code, words) in rows {
        let output = visim(folder, arguments);
        let text = said(&output);
        if output.status.code() != Some(*code) || !text.contains(words) {
            let got = output.status.code();
            wrong.push(format!(
                "{arguments:?}: {got:?}, expected \"{words}\"\n{text}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[rustfmt::skip]
#[test]
fn lines_that_are_none_are_refused() {
    hold(folder().path(), &[
        (&["explain", "k.visa:0"], 2, "they count from 1"),
        (&["explain", "k.send:0"], 2, "they count from 1"),
        (&["explain", "k.visa:99999999999999999999"], 2, "they count from 1"),
        (&["explain", "k.visa:99"], 2, "line 99 has no instruction: k.visa has "),
        (&["explain", "k.tld:1"], 2, "no texture load on this line"),
        (&["explain", "k.visa"], 2, "neither a code"),
        (&["picture", "k.visa:0", "-o", "x.png"], 2, "they count from 1"),
        (&["picture", "k.visa", "-o", "x.png"], 2, "as kernel.visa:12"),
        (&["picture", "k.visa:99", "-o", "x.png"], 2, "line 99 has no instruction: k.visa has "),
        (&["picture", "k.visa:1", "-o", "x.png"], 2, "line 1 has no instruction: `"),
        (&["run", "k.visa", "--break", "0"], 2, "at least 1"),
        (&["run", "k.visa", "--break", "x"], 2, "expected the number of a line"),
    ]);
}

#[rustfmt::skip]
#[test]
fn options_without_effect_are_refused_by_name() {
    hold(folder().path(), &[
        (&["run", "k.tld", "--sanitize"], 2, "--sanitize"),
        (&["run", "k.tld", "--check-races"], 2, "--check-races"),
        (&["run", "k.tld", "--trace"], 2, "--trace"),
        (&["run", "k.tld", "--break", "4"], 2, "--break"),
        (&["run", "k.tld", "--stats"], 2, "--stats"),
        (&["run", "k.tld", "--kernel", "zz"], 2, "--kernel"),
        (&["run", "k.tld", "--platform", "pvc"], 2, "--platform"),
        (&["run", "k.tld", "--through-bits"], 2, "--through-bits"),
        (&["run", "k.tld", "--global", "4"], 2, "--global"),
        (&["run", "k.tld", "--max-steps", "0"], 2, "--max-steps"),
        (&["run", "k.tld", "--strict", "--threads", "2,2", "--dump", "R0"], 0, "R0: ud"),
        (&["run", "k.send", "--kernel", "zz"], 2, "--kernel"),
        (&["run", "k.send", "--strict"], 2, "--strict"),
        (&["run", "k.send", "--dump", "r30", "--stats"], 0, "r30: ud"),
        (&["run", "k.visa", "--strict"], 2, "--strict"),
        (&["run", "k.visa", "--local", "8"], 2, "describes kernel `k`"),
        (&["run", "k.visa", "--offset", "8"], 2, "describes kernel `k`"),
        (&["run", "k.visa", "--print", "V32"], 2, "--break"),
        (&["run", "k.visa", "--break", "8", "--print", "V32.8"], 0, "V32.8: ud\n      0..=5   7 7 7 7 7 7\n"),
        (&["run", "k.visa", "--break", "8", "--print", "V32.24:uw"], 0, "V32.24: uw\n      0..=3   7 0 7 0\n"),
        (&["run", "k.visa", "--break", "7", "--print", "V32.32"], 2, "`V32` has 32 bytes: no ud at byte 32"),
        (&["run", "k.visa", "--break", "7", "--print", "V32.30"], 2, "no ud at byte 30"),
        (&["run", "k.visa", "--break", "7", "--print", "V32@7,7"], 2, "--break-thread 7,7"),
        (&["run", "k.visa", "--break", "7", "--print", " V32@7,7 :hex"], 2, "    ^^^^ a stop prints"),
        (&["run", "k.visa", "--break", "7", "--print", "V23"], 2, "did you mean V32?"),
        (&["run", "k.visa", "--break", "7", "--print", "P1"], 0, "P1: 8 lanes\n      0..=7   0 0 0 0 0 0 0 0\n"),
        (&["run", "k.visa", "--break", "7", "--print", "P1:ud"], 0, "P1: ud\n      0..=0   0\n"),
        (&["run", "k.visa", "--break", "7", "--print", "P1", "--trace-format", "json"], 0, "\"name\":\"P1\",\"type\":\"bool\",\"lanes\":8,\"rows\":[[false,false,false,false,false,false,false,false]]"),
        (&["run", "k.visa", "--break", "7", "--break-limit", "0"], 0, "1 more stop came"),
        (&["run", "k.visa", "--break-thread", "1"], 2, "the run has 1 thread\n"),
        (&["run", "k.visa", "--dump", "V32.400"], 2, "`V32` has 32 bytes: no ud at byte 400"),
        (&["run", "k.visa", "--max-steps", "0"], 2, "--max-steps"),
        (&["run", "k.visa", "--thread", "0,0"], 2, "--trace"),
        (&["run", "k.visa", "--trace-limit", "5"], 2, "--trace"),
        (&["run", "k.visa", "--trace-format", "json"], 2, "--trace"),
        (&["run", "k.visa", "--break-limit", "5"], 2, "--break"),
        (&["run", "k.visa", "--break-thread", "0,0", "--break", "7", "--print", "V32"], 0, "V32: ud"),
        (&["test", "k.visa", "--filter", "nothing"], 2, "no file has `nothing`"),
        (&["picture", "--tile", "Y", "--bits", "7", "-o", "x.png"], 2, "expected one of 8"),
        (&["picture", "--tile", "Yf", "--swizzle", "-o", "x.png"], 2, "for tilings X and Y, not Yf"),
        (&["picture", "--tile", "Y", "-o", "-", "--format", "json"], 2, "JSON is written there; use -o FILE for the picture"),
        (&["picture", "--tile", "Y", "--bits", "4294967295", "-o", "x.png"], 2, "expected one of 8"),
        (&["picture", "k.visa:7", "--bits", "8", "-o", "x.png"], 2, "--bits"),
    ]);
}

#[rustfmt::skip]
#[test]
fn a_command_that_does_not_serve_a_language_says_so() {
    let folder = folder();
    std::fs::write(folder.path().join("empty.tld"), "").expect("written");
    let target = include_str!("../../samples/sends/43-sends-target.send");
    std::fs::write(folder.path().join("t.send"), target).expect("written");
    hold(folder.path(), &[
        (&["lower", "k.tld"], 2, "texture loads"),
        (&["lower", "empty.tld"], 2, "texture loads"),
        (&["lower", "k.send"], 2, "messages already"),
        (&["picture", "k.tld:4", "-o", "x.png"], 2, "texture loads are not drawn"),
        (&["picture", "t.send:44", "-o", "t.svg"], 0, "wrote t.svg"),
        (&["picture", "k.send:2", "-o", "x.png"], 2, "touches no texel"),
        (&["picture", "k.visa:7", "--surface", "ZZ", "-o", "x.png"], 2, "`ZZ`"),
    ]);
}

#[test]
fn standard_input_is_read_in_the_language_that_is_named() {
    for (language, text, dump) in [("tld", LOADS, "R0"), ("send", SENDS, "r30")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
        command.args(["run", "-", "--as", language, "--dump", dump]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("visim starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut pipe, text.as_bytes()).expect("written");
        drop(pipe);
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success(), "{language}");
        assert!(
            said(&output).starts_with(&format!("{dump}: ")),
            "{language}"
        );
    }
}

#[rustfmt::skip]
#[test]
fn nothing_is_written_over_what_is_asked_for() {
    let folder = folder();
    hold(folder.path(), &[
        (&["run", "k.visa", "--save", "T6=a.bin", "--save", "T6=a.bin"], 2, "two things"),
        (&["run", "k.visa", "--save", "T6=k.visa"], 2, "the text that asks for it"),
        (&["run", "k.visa", "--save", "T6=a.bin"], 0, "wrote a.bin"),
    ]);
    let text = std::fs::read_to_string(folder.path().join("k.visa"));
    assert_eq!(text.expect("there"), PROGRAM);
}

/// A disk without room is reported, whoever prints.
#[cfg(target_os = "linux")]
#[test]
fn output_that_does_not_fit_is_a_failure() {
    let folder = folder();
    for arguments in [
        &["run", "k.visa", "--dump", "V32"][..],
        &["run", "k.visa", "--trace"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
        command.args(arguments).current_dir(folder.path());
        command.stdout(full.expect("a device"));
        command.stderr(Stdio::piped());
        let output = command.output().expect("visim starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(said(&output).matches("standard output").count(), 1);
    }
}

#[test]
fn a_line_of_a_program_that_does_not_run_ends_with_its_exit_code() {
    let folder = folder();
    let unbound = PROGRAM.lines().skip(1).collect::<Vec<_>>().join("\n");
    let unbound = unbound.replace(
        "    ret",
        "    load_lz.R (M1, 8) 0x0:uw T6 V32.0 V32.0\n    ret",
    );
    std::fs::write(folder.path().join("unbound.visa"), unbound + "\n").expect("written");
    let sends = SENDS.lines().skip(1).collect::<Vec<_>>().join("\n");
    std::fs::write(folder.path().join("unbound.send"), sends + "\n").expect("written");
    hold(
        folder.path(),
        &[
            (&["explain", "unbound.visa:6"], 1, "E0603"),
            (&["explain", "unbound.send:3"], 1, "E0603"),
        ],
    );
}

#[rustfmt::skip]
#[test]
fn check_says_what_directives_name_wrongly() {
    let folder = folder();
    let with = |name: &str, line: &str, text: &str| {
        std::fs::write(folder.path().join(name), format!("{line}\n{text}")).expect("written");
    };
    with("key.visa", "// SURFACE T6: R8_UNORM 4x4 bogus=1", PROGRAM);
    with("format.visa", "// SURFACE T6: R8_UNROM 4x4", PROGRAM);
    with("name.visa", "// DUMP V99", PROGRAM);
    with("expected.visa", "// EXPECT V99 ud = 1", PROGRAM);
    with("file.visa", "// SURFACE T6: missing.png as R8_UNORM", PROGRAM);
    with("key.tld", "// SURFACE T4: R8_UINT 4x4 bogus=1", LOADS);
    let bogus = SENDS.replace("kind=buffer", "bogus=1");
    with("key.send", "", &bogus);
    with("empty.visa", "", "");
    hold(folder.path(), &[
        (&["check", "k.visa", "k.tld", "k.send"], 0, ""),
        (&["check", "key.visa"], 1, "E0705"),
        (&["check", "format.visa"], 1, "E0705"),
        (&["check", "name.visa"], 1, "E0704"),
        (&["check", "expected.visa"], 1, "E0704"),
        // A check opens no file that a program names.
        (&["check", "file.visa"], 0, ""),
        (&["run", "file.visa"], 2, "E0702"),
        (&["check", "key.tld"], 1, "E0705"),
        (&["check", "key.send"], 1, "E0705"),
        (&["check", "empty.visa"], 1, "E0601"),
    ]);
}

#[rustfmt::skip]
#[test]
fn a_known_failure_is_none_if_its_directives_are_wrong() {
    let folder = folder();
    for (number, line) in [
        "// SET", "// DUMP", "// THREADS", "// PLATFORM", "// SURFACE T6: R8_UNORM 4x4 bogus=1",
    ].into_iter().enumerate() {
        let text = format!("// known-failing because: it is not right yet\n{line}\n{PROGRAM}");
        std::fs::write(folder.path().join(format!("wrong-{number}.visa")), text).expect("written");
        let output = visim(folder.path(), &["test", &format!("wrong-{number}.visa")]);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", said(&output));
    }
    let text = format!("// known-failing because:\n// EXPECT V32 ud = 8\n{PROGRAM}");
    std::fs::write(folder.path().join("bare.visa"), text).expect("written");
    let text = format!("// known-failing because: 7 is right\n// EXPECT V32 ud = 8\n{PROGRAM}");
    std::fs::write(folder.path().join("known.visa"), text).expect("written");
    hold(folder.path(), &[
        (&["test", "bare.visa"], 1, "the reason is missing"),
        (&["test", "known.visa"], 0, "1 known to fail"),
    ]);
}

#[rustfmt::skip]
#[test]
fn states_that_cannot_be_read_say_which_and_where() {
    let folder = folder();
    std::fs::write(folder.path().join("bad.json"), "{").expect("written");
    std::fs::write(folder.path().join("bytes.bin"), [0x33, 0xff, 0xfe]).expect("written");
    hold(folder.path(), &[
        (&["state", "sampler", "--from", "bad.json"], 2, "bad.json: "),
        (&["state", "surface", "-i", "bytes.bin"], 2, "byte 1 is not UTF-8"),
        (&["state", "surface", "--set", "Width"], 2, "--set:1:1"),
        (&["state", "surface", "--set", "Widht=4"], 2, "did you mean Width?"),
        (&["state", "sampler", "--set", "Nope=16"], 2, "fields: Sampler Disable, "),
        (&["state", "sampler", "--set", "Max LOD=99", "--gen", "9"], 2, "0 to 14, in steps of 1/256"),
        (&["state", "sampler", "--set", "Texture LOD Bias=nan"], 2, "-16 to 15.984375, in steps of 1/64"),
        (&["state", "sampler", "--set", "Min LOD=1/3", "--gen", "5"], 2, "0 to 13, in steps of 1/64"),
        (&["state", "surface", "--set", "Surface Type=2D", "--set", "Width=64"], 1, "= 2D, R32G32B32A32_FLOAT"),
        (&["state", "surface", "--set", "Width=4"], 1, "00000000 00000000 000000c0"),
        (&["run", "k.visa", "--nonsense", "--format", "json"], 2, "\"error\":"),
    ]);
}

/// References of a description are refused before they are followed: each doubles what follows it.
#[test]
fn a_description_that_doubles_itself_is_refused() {
    let folder = folder();
    let names = "abcdefghijklmnopqrstuvwxyz";
    let mut text = "a: &a [0,0]\n".to_string();
    for pair in names.as_bytes().windows(2) {
        let (before, own) = (char::from(pair[0]), char::from(pair[1]));
        text += &format!("{own}: &{own} [*{before},*{before}]\n");
    }
    for (text, words) in [
        (text.as_str(), "a reference to another part"),
        (&"[".repeat(100), "parts in each other"),
        ("", "no kernel at all"),
    ] {
        std::fs::write(folder.path().join("k.zeinfo"), text).expect("written");
        let output = visim(
            folder.path(),
            &["run", "k.visa", "--global", "8", "--zebin", "k.zeinfo"],
        );
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(words), "{}", said(&output));
    }
}

/// The facts of a run are the same fields in every language.
#[test]
fn runs_of_every_language_have_the_same_fields() {
    let folder = folder();
    let run = |file: &str, name: &str, save: &str| -> Value {
        let arguments = [
            "run", file, "--format", "json", "--dump", name, "--save", save,
        ];
        let output = visim(folder.path(), &arguments);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let visa = run("k.visa", "V32", "T6=visa.png");
    assert_eq!(visa["dumps"][0]["rows"][0][0], 7);
    assert_eq!(visa["written"][0], "visa.png");
    let tld = run("k.tld", "R0", "R0=tld.bin");
    assert_eq!(tld["dumps"][0]["name"], "R0");
    assert_eq!(tld["dumps"][0]["rows"][0][0], 4);
    assert_eq!(tld["written"][0], "tld.bin");
    let send = run("k.send", "r30", "T2=send.bin");
    assert_eq!(send["dumps"][0]["rows"][0][0], 4);
    assert_eq!(send["written"][0], "send.bin");
}

/// Time grows with the length of a text, not with its square, which would be minutes here.
#[test]
fn long_texts_are_read_in_the_time_they_deserve() {
    let folder = folder();
    let start = std::time::Instant::now();
    let comments = "// a note\n".repeat(100_000) + PROGRAM;
    std::fs::write(folder.path().join("notes.visa"), &comments).expect("written");
    let output = visim(folder.path(), &["fmt", "notes.visa"]);
    assert!(output.stdout.len() >= comments.len());
    let moves = "    mov (M1, 8) V32(0,0)<1> 0x7:ud\n".repeat(20_000);
    let long = PROGRAM.replace("    ret", &(moves + "    ret"));
    std::fs::write(folder.path().join("long.visa"), long).expect("written");
    assert!(
        visim(folder.path(), &["lower", "long.visa"])
            .status
            .success()
    );
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
