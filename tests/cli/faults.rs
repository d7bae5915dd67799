//! Faults in the n-th allocation, read, write, rename or thread start, for n = 1, 2, 3 …: never a panic, never half an
//! output, never a file lost or left behind. Built with `--features faults`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The files of a folder and its folders, with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path
                        .strip_prefix(folder)
                        .expect("below it")
                        .display()
                        .to_string();
                    all.insert(name, std::fs::read(&path).expect("a file"));
                }
            }
        }
    }
    all
}

const PROGRAM: &str = "\
// SURFACE T6: raw in.bin as R8_UINT 8x1
// SURFACE T7: R8_UINT 16x16, byte(x,y) = x + y
// EXPECT T6:
//   65 66
// THREADS 4,4
// SAVE T6 = a.bin
// SAVE T7 = b.bin
.version 4.1
.kernel \"k\"
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl V v_type=G type=ud num_elts=8 align=GRF
    oword_ld (1) T7 0x0:ud V.0
    oword_st (1) %scratch 0x0:ud V.0
    ret (M1, 1)
";

/// What a command of the row begins with: files that `PROGRAM` reads and replaces, a video, a launch.
fn prepare(folder: &Path) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernels");
    for name in [
        "28-sums.visaasm",
        "28-sums.zeinfo",
        "28-sums.launch.json",
        "28-in.bin",
        "28-out.bin",
    ] {
        std::fs::copy(samples.join(name), folder.join(name)).expect("copied");
    }
    let mut video = b"YUV4MPEG2 W64 H64 F25:1 C420\n".to_vec();
    for _ in 0..2 {
        video.extend(b"FRAME\n");
        video.extend([99; 64 * 64 * 3 / 2]);
    }
    let send = "mov (8) m3:ud r0:ud\nsend (8) null m15 r0 ts 0x02000000 {EOT}\n";
    for (name, bytes) in [
        ("k.visa", PROGRAM.as_bytes()),
        ("in.bin", b"ABCDEFGH"),
        ("a.bin", b"before"),
        ("b.bin", b"before"),
        ("in.y4m", &video),
        ("out.y4m", b"before"),
        ("k.send", send.as_bytes()),
    ] {
        std::fs::write(folder.join(name), bytes).expect("written");
    }
}

const COMMANDS: &[&[&str]] = &[
    &["run", "k.visa"],
    &["run", "k.visa", "--jobs", "3"],
    &["run", "k.visa", "--sanitize", "--dump", "V"],
    &["run", "k.visa", "--save", "T6=c.bin", "--save", "T7=d.bin"],
    &["check", "k.visa", "k.send"],
    &["test", "k.visa", "k.send", "--allow-empty", "--jobs", "2"],
    &["test", "k.visa", "--bless"],
    &["test", "k.visa", "--report", "tap=out.tap"],
    &["check", "k.visa", "--timeout", "60"],
    &["diff", "k.visa", "--platforms", "skl,tgllp"],
    &["explain", "k.visa:13", "--html", "page.html"],
    &["picture", "--tile", "Y", "-o", "tile.svg"],
    &["debug", "k.visa", "--execute", "continue"],
    &["run", "28-sums.visaasm"],
    &["test", "28-sums.visaasm", "--keep", "left"],
    &[
        "video",
        "in.y4m",
        "-o",
        "out.y4m",
        "--denoise",
        "--scale",
        "32x32",
    ],
    &["video", "in.y4m", "-o", "pictures/"],
    &["fmt", "k.visa"],
    &["lower", "k.visa"],
];

/// Names of files that a command may make or replace, each with all that it may hold afterwards.
fn run(
    arguments: &[&str],
    fault: Option<&str>,
) -> (Option<i32>, String, BTreeMap<String, Vec<u8>>) {
    let folder = tempfile::tempdir().expect("a folder");
    let temporary = tempfile::tempdir().expect("a folder");
    prepare(folder.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.args(arguments).current_dir(folder.path());
    command
        .env("XDG_CACHE_HOME", temporary.path())
        .env("TMPDIR", temporary.path());
    if let Some(fault) = fault {
        command.env("VISIM_FAULT", fault);
    }
    let output = command.output().expect("visim starts");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.code(), said, files(folder.path()))
}

#[test]
fn no_fault_leaves_half_an_output() {
    let mut before = BTreeMap::new();
    {
        let folder = tempfile::tempdir().expect("a folder");
        prepare(folder.path());
        before.extend(files(folder.path()));
    }
    let mut faults = 0;
    for arguments in COMMANDS {
        let (code, said, after) = run(arguments, None);
        assert!(code.is_some_and(|code| code < 2), "{arguments:?}: {said}");
        for call in ["allocate", "read", "write", "rename", "thread"] {
            for number in 1..200 {
                let fault = format!("{call}:{number}");
                let (found, said, left) = run(arguments, Some(&fault));
                let what = format!("{arguments:?} with {fault}: {said}");
                assert!(matches!(found, Some(0..=3)), "{found:?} {what}");
                assert!(!said.contains("internal error"), "{what}");
                for (name, bytes) in &left {
                    let whole = [before.get(name), after.get(name)].contains(&Some(bytes));
                    // A report says how the test ended, a page how the run did, and both are complete.
                    let report = String::from_utf8_lossy(bytes);
                    let reported = name == "out.tap"
                        && report.starts_with("TAP version 14\n1..1\n")
                        && report.contains("not ok 1 ")
                        && report.ends_with('\n');
                    let reported =
                        reported || name == "page.html" && report.trim_end().ends_with("</html>");
                    // A folder of pictures has those that were complete.
                    let kept = name.starts_with("left/");
                    assert!(whole || reported || kept, "{name}: {what}");
                }
                assert!(before.keys().all(|name| left.contains_key(name)), "{what}");
                faults += 1;
                if found == code
                    && left == after
                    && !said.contains("injected fault")
                    && !said.contains("W0980")
                    && !said.contains("L0606")
                {
                    break;
                }
            }
        }
    }
    println!("{faults} runs");
}

/// A mistake of visim's own fails the test at hand, is said with what to send, and hides no other test.
#[test]
fn a_panic_fails_one_test_alone() {
    let arguments = [
        "test",
        "k.visa",
        "k.send",
        "28-sums.visaasm",
        "--allow-empty",
        "--jobs",
        "1",
    ];
    let (code, said, _) = run(&arguments, Some("test:2"));
    assert_eq!(code, Some(1), "{said}");
    for words in [
        "visim: internal error at src/",
        "visim stopped here: injected fault; a mistake of visim, whatever the file: please report it",
        "test 28-sums.visaasm ... ok",
        "1 passed; 2 failed",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}
