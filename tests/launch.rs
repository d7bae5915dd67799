//! Compiled kernels on the command line: descriptions found and named, arguments, outputs, and the same
//! bytes for any number of jobs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn visim(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    let output = command.args(arguments).current_dir(folder).output();
    output.expect("visim starts")
}

/// Runs lesson 26 with `more` options in a folder of its own; what it wrote.
fn grade(more: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| root().join(name).display().to_string();
    let (text, photo) = (
        file("samples/kernels/26-grade.visaasm"),
        format!("src=image:{}", file("samples/images/photo.png")),
    );
    let mut arguments = vec!["run", &text, "--global", "256x192", "--local", "16x16"];
    arguments.extend(["--arg", &photo, "--arg", "1=image:graded.png:size=256x192"]);
    arguments.extend(["--arg", "gain=float4:1.4,1.1,0.8,1"]);
    arguments.extend(["--arg", "bright=buffer:bright.bin:size=4"]);
    arguments.extend(more);
    let output = visim(&arguments, folder.path());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("written");
    (read("graded.png"), read("bright.bin"))
}

#[test]
fn a_kernel_runs_by_the_description_beside_it_with_the_same_bytes_for_any_jobs() {
    let (picture, bright) = grade(&[]);
    let golden = std::fs::read(root().join("samples/kernels/26-graded.png")).expect("golden");
    assert!(picture == golden, "the picture differs from 26-graded.png");
    // Twice the same, in order and at once.
    for jobs in ["1", "1", "2", "2", "7"] {
        let again = grade(&["--jobs", jobs]);
        assert!(again == (picture.clone(), bright.clone()), "--jobs {jobs}");
    }
}

#[test]
fn a_named_description_does_as_well() {
    let zeinfo = root().join("samples/kernels/26-grade.zeinfo");
    let (picture, bright) = grade(&["--zebin", &zeinfo.display().to_string()]);
    assert!((picture, bright) == grade(&[]));
}

#[test]
fn a_launch_file_says_everything_and_its_outputs_are_held() {
    let folder = root().join("tests/corpus/kernels/int_sat_arith");
    let text: PathBuf = folder.join("kernel.skl.visaasm");
    let launch = folder.join("launch.json");
    let (text, launch) = (text.display().to_string(), launch.display().to_string());
    let output = visim(&["run", &text, "--launch", &launch], root());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && said.contains("as expected"),
        "{said}"
    );
    // With other sizes nothing is expected any more.
    let changed = visim(
        &["run", &text, "--launch", &launch, "--max-steps", "3"],
        root(),
    );
    assert_eq!(changed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&changed.stderr).contains("[L0602]"));
}

#[test]
fn nothing_is_written_when_the_run_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = root().join("samples/kernels/26-grade.visaasm");
    let text = text.display().to_string();
    let arguments = [
        "run",
        &text,
        "--global",
        "16",
        "--local",
        "16",
        "--max-steps",
        "4",
    ];
    let more = [
        "--arg",
        "0=image:size=4x4",
        "--arg",
        "1=image:out.png:size=4x4",
    ];
    let last = [
        "--arg",
        "2=float4:1,1,1,1",
        "--arg",
        "3=buffer:out.bin:size=4",
    ];
    let all: Vec<&str> = arguments.into_iter().chain(more).chain(last).collect();
    let output = visim(&all, folder.path());
    assert_eq!(output.status.code(), Some(1));
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0);
}

/// The text with every input from register byte `from` on moved `by` bytes further.
fn moved(text: &str, from: u32, by: u32) -> String {
    let line = |line: &str| {
        let Some((head, rest)) = line
            .starts_with(".input")
            .then(|| line.split_once("offset="))
            .flatten()
        else {
            return format!("{line}\n");
        };
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let offset: u32 = rest[..digits].parse().expect("a number");
        let offset = offset + if offset >= from { by } else { 0 };
        format!("{head}offset={offset}{}\n", &rest[digits..])
    };
    text.lines().map(line).collect()
}

/// Compilers may move the payload on from some register; no corpus has such a text, so one is made.
#[test]
fn a_payload_that_was_moved_on_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("tests/corpus/kernels/int_sat_arith");
    let json = std::fs::read_to_string(from.join("launch.json")).expect("a description");
    let mut launch: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let text = std::fs::read_to_string(from.join("kernel.dg2.visaasm")).expect("a text");
    // The second half of the payload, from its third buffer address on, lies 64 bytes further.
    let device = &mut launch["devices"]["dg2"];
    let base = device["cross_thread_base"].as_u64().expect("a number") as u32;
    let payload = device["payload"].as_array().expect("entries");
    let mut addresses = payload.iter().filter(|e| e["kind"] == "buffer_address");
    let first = addresses.next_back().expect("an address")["offset"].as_u64();
    let first = first.expect("a number") as u32;
    device["payload_correction"] = serde_json::json!({ "from": first + 64, "bytes": 64 });
    let path = folder.path().join("kernel.dg2.visaasm");
    std::fs::write(&path, moved(&text, base + first, 64)).expect("written");
    for name in ["inputs", "expected"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        for entry in std::fs::read_dir(from.join(name)).expect("files").flatten() {
            let to = folder.path().join(name).join(entry.file_name());
            std::fs::copy(entry.path(), to).expect("copied");
        }
    }
    let run = |launch: &serde_json::Value| {
        let file = folder.path().join("launch.json");
        std::fs::write(&file, launch.to_string()).expect("written");
        visim(
            &["run", "kernel.dg2.visaasm", "--launch", "launch.json"],
            folder.path(),
        )
    };
    let output = run(&launch);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("as expected"),
        "{said}{err}"
    );
    // Without it the kernel finds its buffer nowhere.
    launch["devices"]["dg2"]["payload_correction"] = serde_json::Value::Null;
    assert!(!run(&launch).status.success());
}

/// The same, found from the text where the compiler's own description says nothing of it.
#[test]
fn a_description_that_was_joined_by_hand_finds_it_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = root().join("samples/kernels/26-grade.visaasm");
    let text = std::fs::read_to_string(text).expect("a text");
    let mut inputs = text.lines().filter(|l| l.starts_with(".input"));
    let last = inputs.next_back().expect("an input");
    let (_, offset) = last.split_once("offset=").expect("an offset");
    let offset: u32 = offset
        .split(' ')
        .next()
        .and_then(|o| o.parse().ok())
        .expect("a number");
    let path = folder.path().join("26-grade.visaasm");
    std::fs::write(&path, moved(&text, offset, 32)).expect("written");
    let zeinfo = root()
        .join("samples/kernels/26-grade.zeinfo")
        .display()
        .to_string();
    let photo = format!(
        "src=image:{}",
        root().join("samples/images/photo.png").display()
    );
    let output = visim(
        &[
            "run",
            "26-grade.visaasm",
            "--zebin",
            &zeinfo,
            "--global",
            "256x192",
            "--local",
            "16x16",
            "--arg",
            &photo,
            "--arg",
            "1=image:graded.png:size=256x192",
            "--arg",
            "gain=float4:1.4,1.1,0.8,1",
            "--arg",
            "bright=buffer:bright.bin:size=4",
        ],
        folder.path(),
    );
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{err}");
    let golden = std::fs::read(root().join("samples/kernels/26-graded.png")).expect("golden");
    let picture = std::fs::read(folder.path().join("graded.png")).expect("written");
    assert!(picture == golden, "the picture differs");
}
