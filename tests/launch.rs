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
