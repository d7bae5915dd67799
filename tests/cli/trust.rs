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
        begun.elapsed() < Duration::from_secs(5),
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
