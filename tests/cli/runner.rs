//! `visim test`: what passes, what does not, which tests run, and what is told of them.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const BODY: &str = "\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
    mov (M1, 8) V32(0,0)<1> 0x7:ud
    ret (M1, 1)
";

/// A folder of tests: names and the lines in front of [`BODY`].
fn folder(tests: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, lines) in tests {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, format!("{lines}\n{BODY}")).expect("written");
    }
    folder
}

fn visim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    // What is known of earlier runs is kept in a folder of the test's own.
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.args(arguments).current_dir(folder);
    command.output().expect("visim starts")
}

/// What a command prints on standard output, with the exit code that it has.
fn told(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = visim(folder, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{text}{said}"
    );
    text
}

const RIGHT: &str = "// EXPECT V32 dec = 7";
const WRONG: &str = "// EXPECT V32 dec = 8";

#[test]
fn what_looks_like_a_directive_fails() {
    for lines in [
        "// EXPEKT V32 dec = 8",
        "// Expect V32 dec = 8",
        "// expect V32 bogus:",
        "// expekt V32: rows follow",
        "// set V32 = 8:ud",
        "// Surface T6: new 4x4",
        "// platform skl",
        "// threads 4,2",
        "// Kernel k",
        "// dump V32",
        "// known-failing",
        "// known-failing: it is slow",
        "// Known-Failing because: it is slow",
        "// known failure because: it is slow",
        "// known_failing because: it is slow",
        "// ~ E0301",
        "/* */ // EXPECT V32 dec = 8",
    ] {
        let folder = folder(&[("k.visa", &format!("{RIGHT}\n{lines}"))]);
        let text = told(folder.path(), &["test", "k.visa"], 1);
        assert!(text.contains("warning[W0714]"), "{lines}: {text}");
        told(folder.path(), &["test", "k.visa", "--allow", "W0714"], 0);
    }
    for prose in [
        "// Expect nothing of the other bytes",
        "// set the first element, then the others",
        "// save what V32 holds",
        "// run it twice",
        "// Kernel: k",
        "// RUN: visim run %s | FileCheck %s",
        "// CHECK: V32: ud",
        "// CHECK-NEXT: 7",
        "// REQUIRES: visim",
        "// known to fail on others",
        "// Surface of two planes",
        "// Threads meet here",
    ] {
        let folder = folder(&[("k.visa", &format!("{RIGHT}\n{prose}"))]);
        told(folder.path(), &["test", "k.visa"], 0);
    }
}

#[test]
fn a_file_that_expects_nothing_fails() {
    let folder = folder(&[
        ("k.visa", ""),
        ("watched.visa", "// RUN visim run --sanitize %"),
    ]);
    let text = told(folder.path(), &["test", "k.visa"], 1);
    assert!(text.contains("k.visa ... no expectation\n"), "{text}");
    assert!(
        text.contains("E0762") && text.contains("1 no expectation"),
        "{text}"
    );
    told(folder.path(), &["test", "k.visa", "--allow-empty"], 0);
    told(folder.path(), &["test", "watched.visa"], 0);
}

#[test]
fn warnings_are_shown_and_denied() {
    let folder = folder(&[]);
    let body = "// EXPECT V32.176 dec = 7\n.version 4.1\n.kernel \"k\"\n\
        .decl V32 v_type=G type=ud num_elts=64 align=GRF\n    mov (M1, 8) V32(0,300)<1> 0x7:ud\n";
    std::fs::write(folder.path().join("k.visa"), body).expect("written");
    let text = told(folder.path(), &["test", "k.visa"], 0);
    assert!(
        text.contains("k.visa ... ok") && text.contains("warning[W0116]"),
        "{text}"
    );
    for deny in ["W0116", "warnings"] {
        let text = told(folder.path(), &["test", "k.visa", "--deny", deny], 1);
        assert!(text.contains("k.visa ... FAILED"), "{text}");
    }
    told(
        folder.path(),
        &["test", "k.visa", "--deny", "warnings", "--allow", "W0116"],
        0,
    );
    told(folder.path(), &["test", "k.visa", "--deny", "E0301"], 2);
}

#[test]
fn what_is_not_modelled_has_a_status_and_an_exit_code() {
    let folder = folder(&[("right.visa", RIGHT), ("wrong.visa", WRONG)]);
    let text = format!(
        "{RIGHT}\n{}",
        BODY.replace("    ret", "    breakpoint\n    ret")
    );
    std::fs::write(folder.path().join("j.visa"), text).expect("written");
    let text = told(folder.path(), &["test", "j.visa", "right.visa"], 3);
    assert!(text.contains("j.visa ... unsupported\n"), "{text}");
    assert!(
        text.contains("ok. 1 passed; 0 failed; 0 known to fail; 1 unsupported"),
        "{text}"
    );
    told(folder.path(), &["test", "."], 1);
}

#[test]
fn a_run_says_how_many_expectations_did_not_hold() {
    let folder = folder(&[
        ("k.visa", &format!("{RIGHT}\n{WRONG}\n{WRONG}")),
        ("j.visa", RIGHT),
    ]);
    let output = visim(folder.path(), &["run", "k.visa"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        said,
        "visim: 2 of 3 expectations did not hold: visim test k.visa shows what differs\n"
    );
    assert!(output.status.success());
    let output = visim(folder.path(), &["run", "j.visa"]);
    assert!(output.stderr.is_empty() && output.status.success());
}

#[test]
fn tests_are_chosen_by_patterns() {
    let tests = ["a/one.visa", "a/two.visa", "b/one.visa"].map(|name| (name, RIGHT));
    let folder = folder(&tests);
    let list = |arguments: &[&str]| {
        let all = [&["test", "--list", "a", "b"], arguments].concat();
        told(folder.path(), &all, 0)
            .lines()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&[]), ["a/one.visa", "a/two.visa", "b/one.visa"]);
    assert_eq!(list(&["--filter", "one"]), ["a/one.visa", "b/one.visa"]);
    assert_eq!(
        list(&["--filter", "a/*o*.v?sa", "--skip", "two"]),
        ["a/one.visa"]
    );
    assert_eq!(list(&["--exact", "--filter", "b/one.visa"]), ["b/one.visa"]);
    assert_eq!(
        list(&["--filter", "two", "--filter", "b/"]),
        ["a/two.visa", "b/one.visa"]
    );
    told(
        folder.path(),
        &["test", "a", "--exact", "--filter", "one"],
        2,
    );
    told(folder.path(), &["test", "a", "--filter", "[a"], 2);
    // Each test is in one share, wherever the others are.
    let mut shares: Vec<String> = Vec::new();
    for share in ["1/3", "2/3", "3/3"] {
        shares.extend(list(&["--partition", share]));
    }
    shares.sort();
    assert_eq!(shares, list(&[]));
    // The share is the hash of the name, as anybody can find it.
    let first = list(&["--partition", "1/2", "--filter", "b/one.visa"]);
    assert_eq!(
        first.len(),
        usize::from(fnv("b/one.visa").is_multiple_of(2))
    );
    for wrong in ["0/2", "3/2", "x"] {
        told(folder.path(), &["test", "a", "--partition", wrong], 2);
    }
    let listed = told(
        folder.path(),
        &["test", "a", "--list", "--format", "libtest"],
        0,
    );
    assert_eq!(
        listed,
        "a/one.visa: test\na/two.visa: test\n\n2 tests, 0 benchmarks\n"
    );
}

fn fnv(name: &str) -> u64 {
    let (mut hash, prime) = (14_695_981_039_346_656_037u64, 1_099_511_628_211);
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(prime);
    }
    hash
}

#[test]
fn what_failed_runs_again() {
    let folder = folder(&[("a.visa", RIGHT), ("b.visa", WRONG), ("c.visa", WRONG)]);
    told(folder.path(), &["test", "."], 1);
    let text = told(folder.path(), &["test", ".", "--rerun", "failed", "-q"], 1);
    assert!(
        text.contains("0 passed; 2 failed; 0 known to fail; 1 filtered out"),
        "{text}"
    );
    std::fs::write(folder.path().join("b.visa"), format!("{RIGHT}\n{BODY}")).expect("written");
    told(folder.path(), &["test", "b.visa"], 0);
    let names = told(
        folder.path(),
        &["test", ".", "--rerun", "failed", "--list"],
        0,
    );
    assert_eq!(names, "c.visa\n");
}

#[test]
fn a_test_without_end_is_ended() {
    let folder = folder(&[("a.visa", RIGHT)]);
    let body = BODY.replace("    ret", "loop:\n    goto (M1, 1) loop\n    ret");
    for (name, grid) in [("l.visa", ""), ("grid.visa", "// THREADS 64,1")] {
        let text = format!("{RIGHT}\n{grid}\n{body}");
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let text = told(
        folder.path(),
        &["test", ".", "--timeout", "0.2", "--durations", "1"],
        1,
    );
    assert_eq!(text.matches("limit[L0761]").count(), 2, "{text}");
    assert!(text.contains("1 passed; 2 failed"), "{text}");
    told(folder.path(), &["test", ".", "--timeout", "0"], 2);
}

#[test]
fn the_first_failure_ends_a_run() {
    let folder = folder(&[("a.visa", WRONG), ("b.visa", RIGHT), ("c.visa", RIGHT)]);
    let text = told(
        folder.path(),
        &["test", ".", "--fail-fast", "--jobs", "1"],
        1,
    );
    assert!(
        text.contains("0 passed; 1 failed; 0 known to fail; 2 not run"),
        "{text}"
    );
    let quiet = told(folder.path(), &["test", ".", "-q"], 1);
    assert!(!quiet.contains("b.visa"), "{quiet}");
}

#[test]
fn records_of_shares_make_the_report_of_the_whole() {
    let folder = folder(&[
        ("a.visa", RIGHT),
        ("b.visa", WRONG),
        ("c.visa", ""),
        ("d.visa", RIGHT),
    ]);
    let path = folder.path();
    let whole = told(
        path,
        &[
            "test",
            ".",
            "--report",
            "junit=whole.xml",
            "--format",
            "json",
        ],
        1,
    );
    let whole: Value = serde_json::from_str(&whole).expect("JSON");
    let mut names = Vec::new();
    for share in ["1/2", "2/2"] {
        let output = visim(
            path,
            &["test", ".", "--format", "jsonl", "--partition", share],
        );
        let name = format!("{}.jsonl", share.replace('/', "-"));
        std::fs::write(path.join(&name), output.stdout).expect("written");
        names.push(name);
    }
    let merge = [
        "test", "--merge", &names[0], "--merge", &names[1], "--format", "json",
    ];
    let merged: Value = serde_json::from_str(&told(path, &merge, 1)).expect("JSON");
    let cases = |value: &Value| {
        let mut cases = value["cases"].as_array().expect("cases").clone();
        cases.iter_mut().for_each(|case| case["time"] = Value::Null);
        cases.sort_by_key(|case| case["name"].to_string());
        cases
    };
    assert_eq!(cases(&whole), cases(&merged));
    for count in ["passed", "failed", "no_expectation"] {
        assert_eq!(whole[count], merged[count], "{count}");
    }
    assert_eq!(whole["passed"], 2);
    let xml = std::fs::read_to_string(path.join("whole.xml")).expect("written");
    assert!(
        xml.contains("tests=\"4\"") && xml.contains("failures=\"2\""),
        "{xml}"
    );
    assert!(xml.contains("error[E0710]"), "{xml}");
}

#[test]
fn records_have_the_fields_that_are_promised() {
    let folder = folder(&[("b.visa", WRONG)]);
    let text = told(folder.path(), &["test", "b.visa", "--format", "jsonl"], 1);
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    let [record, summary] = &lines[..] else {
        panic!("{text}")
    };
    assert_eq!(
        (&record["type"], &record["name"]),
        (&"test".into(), &"b.visa".into())
    );
    assert_eq!(
        (&record["file"], &record["status"]),
        (&"b.visa".into(), &"failed".into())
    );
    assert!(record["time"].as_f64().is_some_and(|time| time > 0.0));
    let message = record["message"].as_str().expect("a message");
    assert!(
        message.starts_with("error[E0710]: V32 differs"),
        "{message}"
    );
    assert!(
        record["text"]
            .as_str()
            .is_some_and(|text| text.contains("found 7"))
    );
    assert_eq!(record["diagnostics"][0]["code"], "E0710");
    assert_eq!(
        (&summary["type"], &summary["failed"]),
        (&"summary".into(), &1.into())
    );
}

#[test]
fn tap_and_libtest_are_as_their_readers_want_them() {
    let folder = folder(&[("a.visa", RIGHT), ("b.visa", WRONG)]);
    let text = told(
        folder.path(),
        &["test", "a.visa", "b.visa", "--format", "tap"],
        1,
    );
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with(' ')).collect();
    assert_eq!(
        lines,
        [
            "TAP version 14",
            "1..2",
            "ok 1 - a.visa",
            "not ok 2 - b.visa"
        ]
    );
    let text = told(
        folder.path(),
        &["test", "a.visa", "b.visa", "--format", "libtest"],
        1,
    );
    assert!(
        text.starts_with(
            "\nrunning 2 tests\ntest a.visa ... ok\ntest b.visa ... FAILED\n\nfailures:\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured;"),
        "{text}"
    );
    let refused = visim(folder.path(), &["run", "a.visa", "--format", "tap"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Lesson 28 with a description of its own; the folder.
fn sums(launch: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let lesson = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernels");
    for name in ["28-sums.visaasm", "28-sums.zeinfo"] {
        std::fs::copy(lesson.join(name), folder.path().join(name)).expect("copied");
    }
    std::fs::write(folder.path().join("28-sums.launch.json"), launch).expect("written");
    folder
}

/// Four launches of lesson 28, of which the third expects 6170 where 6176 comes out.
const LAUNCHES: &str = r#"{
  "kernel": "sums", "local_size": [64],
  "args": [
    { "kind": "buffer", "name": "in", "values": "int:ramp(1, 1, 128)" },
    { "kind": "buffer", "name": "out", "bytes": 8 },
    { "kind": "local", "name": "part", "size": 256 }
  ],
  "launches": [
    { "name": "small", "global_size": [64], "outputs": [{ "arg": 1, "values": "int:2080,.." }] },
    { "name": "whole", "global_size": [128], "outputs": [{ "arg": 1, "values": "int:2080,6176" }] },
    { "name": "near", "global_size": [128],
      "outputs": [{ "arg": 1, "values": "int:2081,6170", "compare": { "mode": "ulp", "max": 3 } }] },
    { "global_size": [128], "outputs": [{ "arg": 1, "values": "int:2080,0", "ignore": ["1"] }] }
  ]
}"#;

#[test]
fn launches_of_a_description_are_tests() {
    let folder = sums(LAUNCHES);
    let text = told(folder.path(), &["test", ".", "--keep", "left"], 1);
    for line in [
        "28-sums.visaasm::small ... ok",
        "28-sums.visaasm::whole ... ok",
        "28-sums.visaasm::near ... FAILED",
        "28-sums.visaasm::3 ... ok",
        "3 passed; 1 failed",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let kept = folder.path().join("left/28-sums.visaasm__near");
    let bytes = std::fs::read(kept.join("arg1.bin")).expect("what was there");
    assert_eq!(
        bytes,
        [2080u32.to_le_bytes(), 6176u32.to_le_bytes()].concat()
    );
    let all = std::fs::read_to_string(kept.join("arg1.differs.jsonl")).expect("elements");
    let all: Vec<Value> = all
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    let element = serde_json::json!({"index": 1, "expected": 6170, "got": 6176, "ulp": 6});
    assert_eq!(all, std::slice::from_ref(&element));
    let lines = told(
        folder.path(),
        &["test", ".", "--format", "jsonl", "--filter", "near"],
        1,
    );
    let record: Value =
        serde_json::from_str(lines.lines().next().expect("a record")).expect("JSON");
    assert_eq!(
        record["outputs"][0]["elements"],
        serde_json::json!([element])
    );
    assert_eq!(record["outputs"][0]["type"], "i32");
}

#[test]
fn one_of_several_launches_is_named() {
    let folder = sums(LAUNCHES);
    let run = |file: &str, code| {
        let words = ["run", "28-sums.visaasm", "--launch", file];
        let output = visim(folder.path(), &words);
        assert_eq!(output.status.code(), Some(code), "{file}");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    assert!(run("28-sums.launch.json::whole", 0).contains("8 bytes, as expected"));
    for file in ["28-sums.launch.json", "28-sums.launch.json::whale"] {
        let said = run(file, 2);
        assert!(
            said.contains("E0763") && said.contains("small, whole, near, 3"),
            "{said}"
        );
        assert!(
            said.contains("--launch 28-sums.launch.json::small"),
            "{said}"
        );
    }
}

#[test]
fn images_that_differ_leave_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let lesson = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernels");
    for name in ["26-grade.visaasm", "26-grade.zeinfo"] {
        std::fs::copy(lesson.join(name), folder.path().join(name)).expect("copied");
    }
    // 4 by 4 texels of black come out; white is expected of the third.
    let image = r#""image": { "type": "2d", "order": "RGBA", "channel": "UNORM_INT8", "width": 4, "height": 4 }"#;
    let launch = format!(
        r#"{{ "kernel": "grade", "global_size": [4, 4], "local_size": [4, 4], "args": [
          {{ "kind": "image", "name": "src", {image} }},
          {{ "kind": "image", "name": "dst", {image} }},
          {{ "kind": "value", "name": "gain", "hex": "0000803f0000803f0000803f0000803f" }},
          {{ "kind": "buffer", "name": "bright", "bytes": 4 }} ],
        "outputs": [{{ "arg": 1, "values": "uchar:repeat(.., 8),255,255,255,255,repeat(..)" }}] }}"#
    );
    std::fs::write(folder.path().join("26-grade.launch.json"), launch).expect("written");
    let text = told(folder.path(), &["test", ".", "--keep", "left"], 1);
    let left = folder.path().join("left/26-grade.visaasm/arg1");
    for name in ["expected.png", "found.png", "difference.png"] {
        assert!(left.join(name).is_file(), "{name}\n{text}");
    }
}

/// Lesson 28 in which the sum of two parts is their maximum.
fn other_sums(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("28-sums.visaasm")).expect("the text");
    let sum = "add (M1, 16) V0074(0,0)<1> V0074(0,0)<1;1,0> V0072(0,0)<1;1,0>";
    assert!(text.contains(sum));
    std::fs::write(
        folder.join("other.visaasm"),
        text.replace(sum, &sum.replace("add", "max")),
    )
    .expect("written");
    std::fs::copy(folder.join("28-sums.zeinfo"), folder.join("other.zeinfo")).expect("copied");
}

#[test]
fn two_programs_are_held_against_each_other() {
    let folder = sums(LAUNCHES);
    let path = folder.path();
    other_sums(path);
    let launch = ["--launch", "28-sums.launch.json::whole"];
    let diff = |more: &[&str], code| {
        told(
            path,
            &[&["diff", "28-sums.visaasm"], &launch[..], more].concat(),
            code,
        )
    };
    assert_eq!(
        diff(
            &["--through-bits", "--inputs", "random:3", "--cases", "3"],
            0
        ),
        "no difference in 3 cases\n"
    );
    let text = diff(&["other.visaasm", "--keep", "left"], 1);
    for line in [
        "argument 1, `out` differs in 4 of 8 bytes, first at 0x0: the dword at 0x0 is 0x00000820 of A, 0x00000060 of B",
        "  64x1x1 work-items",
        "argument 0, `in`: 2 of 512 bytes are not zero, from byte 0xf8 on",
        "left in left/launch.json",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let last = text
        .lines()
        .rfind(|line| line.contains(" | "))
        .expect("traces");
    assert!(last.contains("= 127 ") && last.ends_with("= 64"), "{last}");
    // What is left is a launch that differs as well.
    let again = told(
        path,
        &[
            "diff",
            "28-sums.visaasm",
            "other.visaasm",
            "--launch",
            "left/launch.json",
            "--format",
            "json",
        ],
        1,
    );
    let again: Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["difference"]["dwords"], serde_json::json!([127, 64]));
    assert_eq!(again["differs"], true);
}

#[test]
fn one_text_is_held_against_itself_on_two_platforms() {
    let lesson = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/08-invert-photo.visa");
    let (folder, lesson) = (
        tempfile::tempdir().expect("a folder"),
        lesson.display().to_string(),
    );
    let diff = |more: &[&str], code| {
        told(
            folder.path(),
            &[&["diff", &lesson[..]], more].concat(),
            code,
        )
    };
    assert_eq!(diff(&["--platforms", "skl,tgllp"], 0), "no difference\n");
    assert_eq!(
        diff(
            &["--through-bits", "--inputs", "random:1", "--cases", "2"],
            0
        ),
        "no difference in 2 cases\n"
    );
    for more in [
        &[][..],
        &["--platforms", "skl"],
        &["--platforms", "skl,tgllp,pvc"],
        &["--inputs", "zeros", "--through-bits"],
    ] {
        diff(more, 2);
    }
    // Variables of one text are compared as well; two texts without memory have nothing to compare.
    let [one, two] = ["01-first-mov.visa", "02-regions.visa"].map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("samples")
            .join(name);
        path.display().to_string()
    });
    let threads = "// THREADS 2,1\n.version 4.1\n.kernel \"k\"\n.decl V v_type=G type=ud num_elts=8 align=GRF\n    \
                   mov (M1, 8) V(0,0)<1> %sr0(0,0)<0;1,0>\n    ret (M1, 1)\n";
    std::fs::write(folder.path().join("k.visa"), threads).expect("written");
    assert_eq!(
        told(folder.path(), &["diff", &one, "--through-bits"], 0),
        "no difference\n"
    );
    assert_eq!(
        told(folder.path(), &["diff", "k.visa", "--through-bits"], 0),
        "no difference\n"
    );
    told(folder.path(), &["diff", &one, &two], 2);
    // The text has lost its instruction on the second: one side stops, and says why.
    let text = diff(&["--platforms", "skl,bmg"], 1);
    assert!(text.contains("A runs to its end; B stops"), "{text}");
}
