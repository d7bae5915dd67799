//! What a watched run prints, held to the files in `tests/golden`: each instruction with its lanes and
//! values, the same as JSON, stops with variables as rows and lanes, and counts by opcode.
//!
//! `BLESS=1` writes the files anew.

use std::path::Path;
use std::process::Command;

/// Runs lesson 33 with `options` and compares what it prints with a file.
fn prints(options: &[&str], golden: &str) {
    prints_of("samples/33-trace.visa", options, golden);
}

/// Runs a program with `options` and compares what it prints with a file.
fn prints_of(program: &str, options: &[&str], golden: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    let output = command
        .arg("run")
        .args(options)
        .arg(program)
        .current_dir(root)
        .output()
        .expect("visim starts");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{err}");
    let got = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = root.join("tests/golden").join(golden);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &got).expect("written");
    }
    let wanted = std::fs::read_to_string(&path).expect("a golden file");
    pretty_assertions::assert_eq!(wanted, got, "{golden}");
}

#[test]
fn every_instruction_with_its_values() {
    prints(&["--trace"], "trace.txt");
}

#[test]
fn the_same_as_json_one_object_a_line() {
    prints(&["--trace", "--trace-format", "json"], "trace.json");
}

#[test]
fn stops_with_variables_as_rows_and_lanes() {
    let options = ["--break", "32", "--print", "POWER", "--print", "LEFT"];
    prints(&options, "break.txt");
}

#[test]
fn counts_by_opcode() {
    prints(&["--stats", "--native=never"], "stats.txt");
}

#[test]
fn counts_of_messages_of_ironlake() {
    // The numbers are worked out in the program.
    let program = "tests/cases/observe/gen5-stats.send";
    prints_of(program, &["--stats", "--native=never"], "stats-gen5.txt");
}

#[test]
fn what_has_native_code_is_told() {
    let told = |native: &str| {
        let ran = Command::new(env!("CARGO_BIN_EXE_visim"))
            .args(["run", "samples/34-stats.visa", "--stats", native])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("visim starts");
        assert!(ran.status.success(), "{native}");
        String::from_utf8_lossy(&ran.stdout).contains("native code for ")
    };
    assert!(told("--native=auto"));
    assert!(!told("--native=never"));
}

#[test]
fn stops_of_one_thread() {
    let options = ["--break", "36", "--break-thread", "3,0", "--print", "POWER"];
    prints_of("samples/30-break.visa", &options, "break-thread.txt");
}

#[test]
fn bytes_of_messages() {
    prints_of(
        "samples/34-stats.visa",
        &["--stats", "--native=never"],
        "stats-messages.txt",
    );
}
