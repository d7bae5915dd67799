//! What is promised of files that nobody has read: README, "Security".

use crate::folder::{folder, holds, said};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Four thousand threads that add two numbers.
const ADDS: &str = "\
// THREADS 64,64
// DUMP V32
.version 4.1
.kernel \"sum\"
.decl V32 v_type=G type=d num_elts=8 align=GRF
    add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 2:d
    ret (M1, 1)
";

/// A shell's limits, then visim.
fn limited(folder: &TempDir, limits: &str, arguments: &str) -> Output {
    let visim = env!("CARGO_BIN_EXE_visim");
    let mut shell = Command::new("sh");
    shell.arg("-c");
    shell.arg(format!("ulimit {limits}; exec {visim} {arguments}"));
    shell.current_dir(folder.path()).output().expect("a shell")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn places_inside_a_character_are_shown() {
    let folder = folder(&[("a.send", "// é"), ("b.send", "é")]);
    let said = said(&folder, &["check", "a.send", "b.send"], 1);
    holds(&said, &["E0930", "E0920", "1 │ // é"]);
}

#[test]
fn the_greatest_group_size_is_refused_at_once() {
    let files = [
        "28-sums.visaasm",
        "28-sums.zeinfo",
        "28-sums.launch.json",
        "28-in.bin",
        "28-out.bin",
    ];
    let folder = folder(&[]);
    for file in files {
        let from = format!("{}/samples/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(from, folder.path().join(file)).expect("copied");
    }
    let begun = Instant::now();
    let of = |size: &str| {
        said(
            &folder,
            &[
                "run",
                "28-sums.visaasm",
                "--global",
                "4294967291",
                "--local",
                size,
            ],
            2,
        )
    };
    holds(&of("4294967295"), &["E0641", "help: --local 4294967291"]);
    holds(&of("4294967290"), &["E0641", "help: --local 1\n"]);
    let most = "4294967291x4294967295x4294967295";
    let all = ["run", "28-sums.visaasm", "--global", most, "--local", most];
    holds(
        &said(&folder, &all, 2),
        &["E0641", "18446744073709551615 work-items"],
    );
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

/// Where the system gives no more threads, those that there are do the work, and it is said.
#[cfg(target_os = "linux")]
#[test]
fn fewer_host_threads_than_asked_for_leave_the_same_bytes() {
    let folder = folder(&[("k.visa", ADDS)]);
    let one = limited(&folder, "-v unlimited", "run k.visa");
    for (limits, jobs) in [
        ("-v unlimited", 3),
        ("-v 400000", 3000),
        ("-v unlimited", 100_000),
    ] {
        let many = limited(&folder, limits, &format!("run --jobs {jobs} k.visa"));
        let errors = text(&many.stderr);
        assert!(many.status.success(), "{limits}: {errors}");
        assert_eq!(text(&one.stdout), text(&many.stdout), "{limits}");
        assert_eq!(errors.contains("W0980"), jobs > 1000, "{limits}: {errors}");
    }
}

/// A surface of 1 GiB and so many more.
fn surfaces(count: usize) -> String {
    let each = |i| format!("// SURFACE T{i}: R32G32B32A32_FLOAT 8192x8192\n");
    let declared = |i| format!(".decl T{i} v_type=T num_elts=1\n");
    let all = 6..6 + count;
    let (bound, names): (String, String) =
        (all.clone().map(each).collect(), all.map(declared).collect());
    format!("{bound}.version 4.1\n.kernel \"k\"\n{names}    ret (M1, 1)\n")
}

#[test]
fn memory_is_bounded_and_zeros_cost_nothing() {
    let folder = folder(&[("k.visa", &surfaces(5)), ("one.visa", &surfaces(1))]);
    let begun = Instant::now();
    for command in ["check", "run"] {
        let full = said(&folder, &[command, "k.visa"], 1);
        holds(
            &full,
            &[
                "L0606",
                "k.visa:5:",
                "limit, 4294967296",
                "help: --max-memory 5120M",
            ],
        );
        assert_eq!(
            said(&folder, &[command, "k.visa", "--max-memory", "5G"], 0),
            ""
        );
    }
    let tested = said(
        &folder,
        &["test", "k.visa", "--allow-empty", "--max-memory=5120M"],
        0,
    );
    holds(&tested, &["1 passed"]);
    let dumped = ["run", "one.visa", "--dump", "T6"];
    holds(
        &said(&folder, &dumped, 2),
        &["L0606", "the text of `T6` has no room"],
    );
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}

/// The system gives less than a run may have: a limit, no abort.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_does_not_have_is_a_limit() {
    let folder = folder(&[("k.visa", &surfaces(5))]);
    let run = limited(&folder, "-v 2500000", "run k.visa --max-memory 64G");
    let errors = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{errors}");
    holds(&errors, &["L0606", "the system has no 1073741824 bytes"]);
}

/// Sixteen million threads that never end, alone, in groups, and with a barrier.
#[test]
fn instructions_and_time_are_bounded() {
    let endless = |more: &str| {
        format!(
            "{more}\n.version 4.1\n.kernel \"k\"\n.decl V v_type=G type=d num_elts=8 align=GRF\nL0:\n\
             add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 2:d\n{}jmp (M1, 1) L0\nret (M1, 1)\n",
            if more.contains("GROUPS") {
                "barrier\n"
            } else {
                ""
            }
        )
    };
    let folder = folder(&[
        ("media.visa", &endless("// THREADS 4096,4096")),
        (
            "groups.visa",
            &endless("// THREADS 8,1\n// GROUPS 1024,1024,1"),
        ),
    ]);
    let begun = Instant::now();
    for file in ["media.visa", "groups.visa"] {
        for jobs in ["--jobs=1", "--jobs=2"] {
            let run = |more: &[&str]| said(&folder, &[&["run", file, jobs], more].concat(), 1);
            let steps = run(&["--max-total-steps", "2000000"]);
            let words = [
                "limit[L0607]",
                "2000000 instructions",
                "--max-total-steps 20000000",
            ];
            holds(&steps, &words);
            holds(
                &run(&["--timeout", "0.3"]),
                &["limit[L0761]", "limit is 0.3 s", "--timeout 3"],
            );
        }
    }
    let tested = ["test", ".", "--max-total-steps=2000000"];
    holds(&said(&folder, &tested, 1), &["L0607", "2 failed"]);
    // What is watched is bounded as well.
    let watched = ["run", "media.visa", "--stats", "--max-total-steps=2000000"];
    holds(&said(&folder, &watched, 1), &["L0607"]);
    assert!(
        begun.elapsed() < Duration::from_secs(200),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn video_is_bounded() {
    let folder = folder(&[("k.y4m", "YUV4MPEG2 W8192 H8192 F25:1 C420\nFRAME\n")]);
    let huge = said(
        &folder,
        &["video", "k.y4m", "-o", "out.y4m", "--denoise"],
        2,
    );
    holds(&huge, &["L0606"]);
}
