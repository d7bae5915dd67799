//! Launches with values in the description: several in a file, on several devices, tolerances, elements that are not
//! looked at, and what is told and kept of outputs that are not as expected.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a lesson of `samples/kernels` and a description of its launch.
fn folder(lesson: &str, description: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for ending in ["visaasm", "zeinfo"] {
        let name = format!("{lesson}.{ending}");
        let from = root().join("samples/kernels").join(&name);
        fs::copy(from, folder.path().join(name)).expect("copied");
    }
    let name = format!("{lesson}.launch.json");
    fs::write(folder.path().join(name), description.to_string()).expect("written");
    folder
}

fn visim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.env("TMPDIR", folder.join("temporary"));
    command.args(arguments).current_dir(folder);
    command.output().expect("visim starts")
}

/// What a command says on both outputs, with the exit code that it has.
fn told(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = visim(folder, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let all = text + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{all}");
    all
}

/// Lesson 28, sums of 64 numbers each, with values in the description.
fn sums(input: &str, expected: &Value) -> Value {
    let mut output = expected.clone();
    output["arg"] = json!(1);
    json!({
        "kernel": "sums", "global_size": [128], "local_size": [64],
        "args": [
            {"kind": "buffer", "name": "in", "values": input, "bytes": 512},
            {"kind": "buffer", "name": "out", "values": "int:repeat(-1, 2)"},
            {"kind": "local", "size": 256},
        ],
        "outputs": [output],
    })
}

const TEXT: &str = "28-sums.visaasm";

#[test]
fn values_need_no_files() {
    for (input, expected) in [
        ("int:ramp(1, 1)", "int:2080,6176"),
        ("int:repeat(2, 64),repeat(-1)", "int:128,-64"),
        // Zeros behind what is there.
        ("int:5,0x10", "int:21,0"),
        ("int:ramp(1, 1)", "int:..,6176"),
    ] {
        let folder = folder("28-sums", &sums(input, &json!({"values": expected})));
        told(folder.path(), &["test", TEXT], 0);
    }
    for (expected, why) in [
        (
            json!({"values": "int:2080,6177"}),
            "element 1 (i32) is 6176",
        ),
        (json!({"values": "int:1,2,3"}), "more values than 2 of int"),
        (json!({"values": "int:1,x"}), "`x` is not a int"),
    ] {
        let folder = folder("28-sums", &sums("int:ramp(1, 1)", &expected));
        let said = told(folder.path(), &["test", TEXT], 1);
        assert!(said.contains(why), "{why}: {said}");
    }
    for (expected, why) in [
        (json!({}), "`dtype` is missing"),
        (json!({"values": "intt:1,2"}), "did you mean int?"),
        (
            json!({"values": "int:1,2", "file": "a.bin"}),
            "in `file` or in `values`",
        ),
        (
            json!({"values": "int:1,2", "ignore": ["2..1"]}),
            "no range such as",
        ),
    ] {
        let folder = folder("28-sums", &sums("int:ramp(1, 1)", &expected));
        let said = told(folder.path(), &["test", TEXT], 1);
        assert!(
            said.contains("E0640") && said.contains(why),
            "{why}: {said}"
        );
    }
}

#[test]
fn elements_are_left_out_and_tolerances_are_the_outputs_own() {
    let near = |mode: Value| json!({"values": "int:2080,6178", "compare": mode});
    for (expected, code) in [
        (json!({"values": "int:2080,1", "ignore": ["1"]}), 0),
        (json!({"values": "int:1,6176", "ignore": ["0..1"]}), 0),
        (json!({"values": "int:1,6176", "ignore": ["1..2"]}), 1),
        (near(json!({"mode": "ulp", "max": 2})), 0),
        (near(json!({"mode": "ulp", "max": 1})), 1),
        (near(json!({"mode": "absrel", "rel": 0.001})), 0),
    ] {
        let folder = folder("28-sums", &sums("int:ramp(1, 1)", &expected));
        told(folder.path(), &["test", TEXT], code);
    }
}

#[test]
fn arguments_are_values_on_the_command_line() {
    let folder = folder("28-sums", &json!({}));
    let sizes = [
        "--zebin",
        "28-sums.zeinfo",
        "--global",
        "128",
        "--local",
        "64",
    ];
    let run = |input: &str| {
        let mut words = vec!["run", TEXT];
        words.extend(sizes);
        words.extend(["--arg", input, "--arg", "out=buffer:int:-1,-1:out=out.bin"]);
        visim(
            folder.path(),
            &[&words[..], &["--arg", "part=local:256"]].concat(),
        )
    };
    let sums = |input: &str| {
        let output = run(input);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let bytes = fs::read(folder.path().join("out.bin")).expect("written");
        let (both, _) = bytes.as_chunks::<4>();
        [0, 1].map(|n| i32::from_le_bytes(both[n]))
    };
    assert_eq!(sums("in=buffer:int:ramp(1, 1, 128)"), [2080, 6176]);
    assert_eq!(sums("in=buffer:int:1,2,3:size=512"), [6, 0]);
    assert_eq!(sums("in=buffer:int:repeat(1):size=512"), [64, 64]);
    // A seed gives the same everywhere, and another gives other values.
    let of_seed = sums("in=buffer:int:random(7, 128, 0, 1000)");
    assert_eq!(of_seed, sums("in=buffer:int:random(7, 128, 0, 1000)"));
    assert_ne!(of_seed, sums("in=buffer:int:random(8, 128, 0, 1000)"));
    for (input, why) in [
        ("in=buffer:int:1,..", "no values to begin with"),
        ("in=buffer:int:repeat(1)", "no size is known"),
        ("in=buffer:int:1,2:a.bin", "out=a.bin?"),
    ] {
        let output = run(input);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

/// Two launches of one kernel, the second of them wrong.
fn several() -> Value {
    let mut all = sums("int:ramp(1, 1)", &json!({"values": "int:2080,6176"}));
    all["launches"] = json!([
        {"name": "ramp"},
        {"name": "half", "global_size": [64], "outputs": [{"arg": 1, "values": "int:2080,7"}]},
    ]);
    all
}

#[test]
fn a_file_has_several_launches_each_a_test() {
    let folder = folder("28-sums", &several());
    let said = told(folder.path(), &["test", TEXT], 1);
    assert!(said.contains("28-sums.visaasm::ramp ... ok"), "{said}");
    assert!(said.contains("28-sums.visaasm::half ... FAILED"), "{said}");
    assert!(said.contains("element 1 (i32) is -1"), "{said}");
    let one = ["test", TEXT, "--exact", "--filter", "28-sums.visaasm::ramp"];
    told(folder.path(), &one, 0);
    let run = |name: &str, code| {
        let launch = format!("28-sums.launch.json{name}");
        told(folder.path(), &["run", TEXT, "--launch", &launch], code)
    };
    assert!(run("::ramp", 0).contains("as expected"));
    assert!(run("::half", 1).contains("E0646"));
    for (name, why) in [("", "several launches"), ("::halve", "no launch `halve`")] {
        let said = run(name, 2);
        assert!(said.contains("E0763") && said.contains(why), "{said}");
        assert!(said.contains("ramp, half"), "{said}");
    }
    let mut twice = several();
    twice["launches"][1]["name"] = json!("ramp");
    let path = folder.path().join("28-sums.launch.json");
    fs::write(path, twice.to_string()).expect("written");
    let said = told(folder.path(), &["test", TEXT], 1);
    assert!(said.contains("two launches are called `ramp`"), "{said}");
}

#[test]
fn a_text_for_several_devices_is_a_test_of_each() {
    let corpus = root().join("tests/corpus/kernels/int_sat_arith");
    let read = fs::read_to_string(corpus.join("launch.json")).expect("a description");
    let mut description: Value = serde_json::from_str(&read).expect("JSON");
    let own = description["devices"]["skl"].clone();
    description["devices"] = json!({"skl": own, "icllp": own});
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["kernel.skl.visaasm", "inputs", "expected"] {
        let from = corpus.join(name);
        let names = match fs::read_dir(&from) {
            Ok(files) => {
                fs::create_dir(folder.path().join(name)).expect("a folder");
                files
                    .map(|file| format!("{name}/{}", file.expect("a file").file_name().display()))
                    .collect()
            }
            Err(_) => vec![name.to_string()],
        };
        for name in names {
            fs::copy(corpus.join(&name), folder.path().join(&name)).expect("copied");
        }
    }
    let path = folder.path().join("launch.json");
    fs::write(path, description.to_string()).expect("written");
    let said = told(folder.path(), &["test", "kernel.skl.visaasm"], 0);
    for device in ["skl", "icllp"] {
        let line = format!("kernel.skl.visaasm::{device} ... ok");
        assert!(said.contains(&line), "{said}");
    }
}

#[test]
fn all_that_differs_is_told_and_kept() {
    let folder = folder(
        "28-sums",
        &sums("int:ramp(1, 1)", &json!({"values": "int:2081,6177"})),
    );
    let outputs = |text: &str| {
        let record: Value =
            serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        record["outputs"].clone()
    };
    let wanted = json!([{
        "argument": 1, "as_expected": false, "type": "i32", "of": 2, "differing": 2,
        "elements": [
            {"index": 0, "expected": 2081, "got": 2080, "ulp": 1},
            {"index": 1, "expected": 6177, "got": 6176, "ulp": 1},
        ],
    }]);
    let words = ["test", TEXT, "--keep", "left", "--format", "jsonl"];
    assert_eq!(outputs(&told(folder.path(), &words, 1)), wanted);
    let words = ["run", TEXT, "--keep", "mine", "--format", "json"];
    assert_eq!(outputs(&told(folder.path(), &words, 1)), wanted);
    for kept in ["left/28-sums.visaasm", "mine"] {
        let kept = folder.path().join(kept);
        let bytes = fs::read(kept.join("arg1.bin")).expect("kept");
        assert_eq!(
            bytes,
            [2080i32.to_le_bytes(), 6176i32.to_le_bytes()].concat()
        );
        let lines = fs::read_to_string(kept.join("arg1.differs.jsonl")).expect("kept");
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(json!(lines), wanted[0]["elements"]);
    }
    let said = told(
        folder.path(),
        &[
            "run",
            TEXT,
            "--launch",
            "28-sums.launch.json",
            "--global",
            "64",
            "--keep",
            "none",
        ],
        0,
    );
    assert!(!folder.path().join("none").exists(), "{said}");
    let plain = folder.path().join("plain.visa");
    fs::write(plain, ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n").expect("written");
    let said = told(folder.path(), &["run", "plain.visa", "--keep", "left"], 2);
    assert!(
        said.contains("--keep has no meaning without a launch"),
        "{said}"
    );
}

#[test]
fn images_are_expected_as_pictures_and_their_differences_kept() {
    let photo = root()
        .join("samples/images/photo.png")
        .display()
        .to_string();
    let golden = root()
        .join("samples/kernels/29-zoomed.png")
        .display()
        .to_string();
    let rgba = |size: [u32; 2]| json!({"type": "2d", "order": "RGBA", "channel": "UNORM_INT8", "width": size[0], "height": size[1]});
    let launch = |filter: &str| {
        json!({
            "kernel": "zoom", "global_size": [96, 96], "local_size": [16, 16],
            "args": [
                {"kind": "image", "image": rgba([256, 192]), "input": photo},
                {"kind": "sampler", "addressing": "clamp_to_edge", "filter": filter, "normalized": true},
                {"kind": "image", "image": rgba([96, 96])},
                {"kind": "value", "hex": "0000dc420000c8420000803e00000000"},
            ],
            "outputs": [{"arg": 2, "file": golden, "dtype": "u8"}],
        })
    };
    let samples = root().join("samples").display().to_string();
    told(
        folder("29-zoom", &launch("linear")).path(),
        &["test", "29-zoom.visaasm", "--root", &samples],
        0,
    );
    let folder = folder("29-zoom", &launch("nearest"));
    let said = told(
        folder.path(),
        &[
            "test",
            "29-zoom.visaasm",
            "--keep",
            "left",
            "--root",
            &samples,
        ],
        1,
    );
    assert!(said.contains("of 36864 differ"), "{said}");
    let kept = folder.path().join("left/29-zoom.visaasm/arg2");
    assert_eq!(
        fs::read(kept.join("expected.png")).ok(),
        fs::read(golden).ok()
    );
    for picture in ["found", "difference"] {
        let bytes = fs::read(kept.join(format!("{picture}.png"))).expect("kept");
        assert!(bytes.starts_with(b"\x89PNG"), "{picture}");
    }
}

#[test]
fn the_description_of_the_readme_runs() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    let blocks = readme.split("```json\n").skip(1);
    let mut blocks = blocks.filter_map(|block| block.split_once("```").map(|(json, _)| json));
    let own = blocks
        .find(|json| json.contains("launches"))
        .expect("a description");
    let description = serde_json::from_str(own).expect("JSON");
    let folder = folder("28-sums", &description);
    let said = told(folder.path(), &["test", TEXT], 0);
    assert!(said.contains("2 passed"), "{said}");
}
