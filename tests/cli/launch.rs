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

#[test]
fn a_launch_without_devices_takes_the_description_beside_the_text() {
    let folder = root().join("samples/kernels");
    let lesson = ["run", "28-sums.visaasm", "--launch", "28-sums.launch.json"];
    let watched = [&lesson[..], &["--sanitize", "--check-races"]].concat();
    let output = visim(&watched, &folder);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(said.trim(), "argument 1, `out`: 8 bytes, as expected");
    // Options replace parts of it: the sums of the second half, and nothing is expected.
    let other = tempfile::tempdir().expect("a folder");
    let numbers: Vec<u8> = (0..128_i32).flat_map(|n| (2 * n).to_le_bytes()).collect();
    std::fs::write(other.path().join("in.bin"), numbers).expect("written");
    let at = |name: &str| other.path().join(name).display().to_string();
    let (given, sums) = (
        format!("in=buffer:{}", at("in.bin")),
        format!("out=buffer:{}:size=8", at("sums.bin")),
    );
    let changed = [&lesson[..], &["--arg", &given, "--arg", &sums]].concat();
    let output = visim(&changed, &folder);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!said.contains("as expected"), "{said}");
    let sums = std::fs::read(at("sums.bin")).expect("written");
    let wanted: Vec<u8> = [4032_i32, 12224]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    assert_eq!(sums, wanted);
}

#[test]
fn a_launch_by_options_takes_samplers_and_structures() {
    let output_folder = tempfile::tempdir().expect("a folder");
    let picture = output_folder.path().join("zoomed.png");
    let dst = format!("dst=image:{}:size=96x96", picture.display());
    let arguments = [
        ["run", "29-zoom.visaasm"],
        ["--global", "96x96"],
        ["--local", "16x16"],
        ["--arg", "src=image:../images/photo.png"],
        ["--arg", "how=sampler:clamp_to_edge:linear:normalized"],
        ["--arg", &dst],
        ["--arg", "part=hex:0000dc420000c8420000803e00000000"],
    ];
    let output = visim(arguments.as_flattened(), &root().join("samples/kernels"));
    assert!(output.status.success(), "{output:?}");
    let golden = std::fs::read(root().join("samples/kernels/29-zoomed.png")).expect("golden");
    let picture = std::fs::read(picture).expect("written");
    assert!(picture == golden, "the picture differs from 29-zoomed.png");
}

/// What is wrong in options and in launch files: the place, the rule, and what would do.
#[test]
fn mistakes_in_a_launch_are_told_with_their_place_and_a_mend() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["28-sums.visaasm", "28-sums.zeinfo", "28-in.bin"] {
        let from = root().join("samples/kernels").join(name);
        std::fs::copy(from, folder.path().join(name)).expect("copied");
    }
    let refused = |arguments: &[&str], wanted: &[&str]| {
        let all = [&["run", "28-sums.visaasm"], arguments].concat();
        let output = visim(&all, folder.path());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{err}");
        for words in wanted {
            assert!(err.contains(words), "`{words}` is not in\n{err}");
        }
    };
    let size = ["--global", "128", "--local", "64"];
    let (given, out, part) = ("in=buffer:28-in.bin", "out=buffer:size=8", "part=local:256");
    let args = |list: &[&'static str]| -> Vec<&'static str> {
        list.iter().flat_map(|arg| ["--arg", arg]).collect()
    };
    let launch: [(&[&str], &[&str]); 10] = [
        (
            &[given, out],
            &[
                "argument 2, `part`, is missing, the kernel takes local memory",
                "--arg part=local:",
            ],
        ),
        // Nothing is in for what lies between.
        (
            &[out, part],
            &["argument 0, `in`, is missing", "--arg in=buffer:"],
        ),
        (
            &["in=int:5", out, part],
            &["argument 0, `in`, is a value, the kernel takes a buffer"],
        ),
        (
            &["in=buffr:28-in.bin"],
            &["E0642", "`in=buffr:28-in.bin`", "did you mean buffer?"],
        ),
        (
            &["inn=null"],
            &["E0643", "its arguments: in, out, part", "did you mean in?"],
        ),
        (&[given, given], &["E0643", "argument `in` is given twice"]),
        (
            &["in=buffer:gone.bin"],
            &["E0702", "gone.bin", "in `in=buffer:gone.bin`"],
        ),
        (
            &["out=buffer:siz=8"],
            &["`siz=8` has no meaning here", "size="],
        ),
        (
            &["in=buffer:size=1099511627776"],
            &["L0640", "1099511627776 bytes", "1 GiB"],
        ),
        (
            &["in=image:size=64x64:in=28-in.bin"],
            &["E0642", "512", "16384"],
        ),
    ];
    for (arguments, wanted) in launch {
        refused(&[&size[..], &args(arguments)].concat(), wanted);
    }
    refused(
        &[
            &["--global", "128", "--local", "63"],
            &args(&[given, out, part])[..],
        ]
        .concat(),
        &["E0641", "groups of 63", "--local 32"],
    );
    refused(&args(&[given]), &["E0641", "--global 64x48"]);
    for (json, wanted) in [
        (r#"{}"#, &["E0641", "global_size"][..]),
        (
            r#"{"global_size": [128], "locl_size": [64]}"#,
            &[
                "E0640",
                "`locl_size` is not a field of a launch",
                "in slip.json",
                "did you mean `local_size`?",
            ],
        ),
        (
            r#"{"global_size": [128], "args": [{"kid": "buffer"}]}"#,
            &["E0640", "`kid` is not a field of argument 0", "`kind`"],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "bufer", "name": "in"}]}"#,
            &[
                "E0642",
                "unknown kind of argument `bufer`",
                "argument 0, `in`",
            ],
        ),
        (r"[]", &["E0640", "a launch is an object"]),
        (
            r#"{"global_size": [128, 1, 1, 1]}"#,
            &["E0640", "`global_size` has 4 elements, at most 3"],
        ),
        (
            r#"{"global_size": [128], "work_dim": 9}"#,
            &["E0640", "`work_dim` is 9: 1, 2 or 3"],
        ),
        (
            r#"{"global_size": [128], "outputs": [{"arg": 7, "file": "28-in.bin", "dtype": "i32"}]}"#,
            &["E0640", "`arg` of output 0 is 7", "0 arguments"],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "buffer", "bytes": 8}],
                "outputs": [{"arg": 0, "file": "28-in.bin", "dtype": "f33"}]}"#,
            &["E0640", "output 0: `f33` is not an element type"],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "buffer", "input": "28-in.bin", "bytes": 8}]}"#,
            &["E0642", "`bytes` is 8, `28-in.bin` has 512", "argument 0"],
        ),
        (
            r#"{"global_size": [128], "kernel": "sum"}"#,
            &["E0601", "no kernel `sum`", "did you mean sums?"],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "buffer", "name": "out", "bytes": 8}]}"#,
            &[
                "E0643",
                "argument 0 of the launch is `out`, that of the kernel is `in`",
            ],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "buffer", "bytes": 512}, {"kind": "buffer", "bytes": 8},
                {"kind": "local", "size": 256}, {"kind": "local", "size": 256}]}"#,
            &["E0643", "the launch gives 4 arguments, the kernel has 3"],
        ),
        (
            r#"{"global_size": [128] "args": []}"#,
            &["E0640", "line 1 column 23", "in slip.json"],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "buffer", "bytes": 1099511627776}]}"#,
            &["L0640", "1099511627776 bytes", "argument 0"],
        ),
        (
            r#"{"global_size": [128], "args": [{"kind": "image", "input": "28-in.bin",
                "image": {"type": "2d", "order": "RGBA", "channel": "UNORM_INT8", "width": 64, "height": 64}}]}"#,
            &["E0642", "512", "16384", "argument 0"],
        ),
    ] {
        std::fs::write(folder.path().join("slip.json"), json).expect("written");
        refused(&["--launch", "slip.json"], wanted);
    }
}

/// A value has the size, and where the compiler tells it the type, that the kernel takes.
#[test]
fn values_of_another_size_or_type_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| root().join(name).display().to_string();
    let (text, photo) = (
        file("samples/kernels/26-grade.visaasm"),
        format!("src=image:{}", file("samples/images/photo.png")),
    );
    for (gain, wanted) in [
        ("float:1", "argument 2, `gain`, takes `float4`, not `float`"),
        ("hex:0011223344556677", "argument 2, `gain`, has 8 bytes"),
        (
            "float16:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
            "takes `float4`, not `float16`",
        ),
    ] {
        let gain = format!("gain={gain}");
        let size = ["run", &text, "--global", "256x192", "--local", "16x16"];
        let args = [
            "--arg",
            &photo,
            "--arg",
            "1=image:g.png:size=256x192",
            "--arg",
            &gain,
        ];
        let more = ["--arg", "bright=buffer:size=4"];
        let output = visim(&[&size[..], &args, &more].concat(), folder.path());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{gain}\n{said}");
        assert!(
            said.contains("E0642") && said.contains(wanted),
            "{gain}\n{said}"
        );
    }
    let threads = visim(
        &["run", &text, "--global", "16", "--threads", "4,4"],
        folder.path(),
    );
    let said = String::from_utf8_lossy(&threads.stderr).into_owned();
    assert_eq!(threads.status.code(), Some(2), "{said}");
}

/// Groups get whole KiB of shared local memory; what lies after the last byte of the arguments is nobody's.
#[test]
fn shared_memory_behind_the_last_argument_is_outside_for_the_sanitizer() {
    let sums = |part: &str| {
        let lesson = [
            "run",
            "28-sums.visaasm",
            "--sanitize",
            "--global",
            "128",
            "--local",
            "64",
        ];
        let given = [
            "--arg",
            "in=buffer:28-in.bin",
            "--arg",
            "out=buffer:size=8",
            "--arg",
            part,
        ];
        let output = visim(
            &[&lesson[..], &given].concat(),
            &root().join("samples/kernels"),
        );
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let (enough, short) = (sums("part=local:256"), sums("part=local:252"));
    assert!(!enough.contains("U0674"), "{enough}");
    assert!(
        short.contains("U0674") && short.contains("byte 0xfc of shared local memory"),
        "{short}"
    );
}

#[test]
fn an_empty_text_is_refused_by_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("empty.visaasm"), "// nothing\n").expect("written");
    for command in ["run", "check", "lower"] {
        let output = visim(&[command, "empty.visaasm"], folder.path());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{command}: {err}");
        assert!(
            err.contains("E0601") && err.contains(".kernel"),
            "{command}: {err}"
        );
    }
}
