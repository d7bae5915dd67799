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

/// Where groups of two workers cannot go on, the first of them is told, by both or by the one that the system gives.
#[cfg(target_os = "linux")]
#[test]
fn the_first_group_that_cannot_go_on_is_told_by_however_many_threads() {
    let never_ends = |[first, second]: [u32; 2]| {
        format!(
            "// GROUPS 4000,1,1\n// THREADS 1,1\n.version 4.1\n.kernel \"k\"\n\
             .decl P1 v_type=P num_elts=1\n.decl P2 v_type=P num_elts=1\n    \
             cmp.eq (M1, 1) P1 %group_id_x(0,0)<0;1,0> {first}:ud\n    \
             cmp.eq (M1, 1) P2 %group_id_x(0,0)<0;1,0> {second}:ud\n    \
             or (M1, 1) P1 P1 P2\nagain:\n    (P1) jmp (M1, 1) again\n    ret (M1, 1)\n"
        )
    };
    for groups in [[1, 3999], [600, 1300], [1700, 2200], [3998, 3999]] {
        let folder = folder(&[("k.visa", &never_ends(groups))]);
        for (jobs, limits) in [(1, "unlimited"), (2, "unlimited"), (2, "180000")] {
            let run = format!("run --max-steps 1000 --jobs {jobs} k.visa");
            let said = text(&limited(&folder, &format!("-v {limits}"), &run).stderr);
            let told = format!("in thread {} (group {0},0,0,", groups[0]);
            assert!(
                said.contains("L0602") && said.contains(&told),
                "{jobs} {limits}: {said}"
            );
        }
    }
    let folder = folder(&[("k.visa", ADDS)]);
    let refused = text(&limited(&folder, "-v 180000", "run --jobs 2 k.visa").stderr);
    assert!(refused.contains("W0980"), "{refused}");
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

/// Each command that runs a program has the same limits, and says which option raises the one that was met.
#[test]
fn every_command_that_runs_has_limits() {
    let endless = "// THREADS 64,64\n// SURFACE T6: R8_UINT 1024x1024\n.version 4.1\n.kernel \"k\"\n\
         .decl T6 v_type=T num_elts=1\n.decl V v_type=G type=ud num_elts=8 align=GRF\nL0:\n\
         oword_ld (1) T6 0x0:ud V.0\njmp (M1, 1) L0\nret (M1, 1)\n";
    let folder = folder(&[("k.visa", endless)]);
    for command in [
        &["run", "k.visa"][..],
        &["run", "k.visa", "--stats"],
        &["test", "k.visa"],
        &["debug", "k.visa", "-x", "continue"],
        &["diff", "k.visa", "--platforms", "skl,tgllp"],
        &["explain", "k.visa:8"],
        &["explain", "k.visa:8", "--html", "page.html"],
        &["picture", "k.visa:8", "-o", "touched.svg"],
    ] {
        for (limit, code) in [
            ("--max-total-steps=200000", "L0607"),
            ("--max-steps=20000", "L0602"),
            ("--timeout=0.2", "L0761"),
            ("--max-memory=1000K", "L0606"),
        ] {
            let (_, said) = visim(folder.path(), &[command, &[limit]].concat());
            let option = limit.split_once('=').expect("an option").0;
            holds(
                &said,
                &[&format!("limit[{code}]"), &format!("help: {option} ")],
            );
        }
    }
}

/// The time of a command begins with it: what reads, checks and fills looks at the clock as well.
#[test]
fn the_time_covers_what_comes_before_a_run() {
    let code = ".version 4.1\n.kernel \"k\"\n.decl T6 v_type=T num_elts=1\n\
                .decl V v_type=G type=d num_elts=8 align=GRF\n";
    let add = "    add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 2:d\n";
    let long = format!("{code}{}    ret (M1, 1)\n", add.repeat(200_000));
    let filled = |formula: &str| {
        format!("// SURFACE T6: R32G32B32A32_FLOAT 8192x8192, {formula}\n{code}    ret (M1, 1)\n")
    };
    let loads = |size: &str| {
        format!(
            "// SURFACE T0: R8G8B8A8_UINT {size} bank=0x1, byte(x,y) = x\n// THREADS 1024,1024\n{}",
            "{ TLD.LZ.T R0, R4, 0x1, 2D, 0xf ;\n".repeat(1000)
        )
    };
    let folder = folder(&[
        ("long.visa", &long),
        ("bytes.visa", &filled("byte(x,y) = x + y")),
        ("texels.visa", &filled("rgba(x,y) = x/w, y/h, 0, 1")),
        ("photo.visa", &filled("photo(7)")),
        ("many.tld", &loads("4x4")),
        ("large.tld", &loads("8192x8192")),
        ("lines.tld", &loads("4x4").repeat(300)),
    ]);
    let begun = Instant::now();
    for command in [
        &["check", "long.visa"][..],
        &["run", "long.visa"],
        &["explain", "long.visa:7"],
        &["diff", "long.visa", "--through-bits"],
        &["run", "bytes.visa"],
        &["run", "texels.visa"],
        &["run", "photo.visa"],
        &["picture", "bytes.visa:6", "-o", "touched.svg"],
        &["run", "many.tld"],
        &["run", "large.tld"],
        &["check", "lines.tld"],
        &["compare", "large.tld"],
    ] {
        let late = said(&folder, &[command, &["--timeout", "0.1"]].concat(), 1);
        holds(
            &late,
            &[
                "limit[L0761]",
                "the limit is 0.1 s",
                "help: --timeout 1, or none",
            ],
        );
    }
    let tested = said(&folder, &["test", ".", "--timeout", "0.1"], 1);
    holds(&tested, &["L0761", "7 failed"]);
    assert!(
        begun.elapsed() < Duration::from_secs(200),
        "{:?}",
        begun.elapsed()
    );
    // Registers of texture loads and their textures are memory of the run.
    let full = ["run", "many.tld", "--max-memory", "100M"];
    holds(&said(&folder, &full, 1), &["L0606", "--max-memory"]);
    let full = ["run", "large.tld", "--max-memory", "1100M"];
    holds(&said(&folder, &full, 1), &["L0606", "--max-memory"]);
    let many = ["compare", "many.tld", "--timeout", "none"];
    holds(&said(&folder, &many, 2), &["L0606", "fewer THREADS"]);
}

/// Sixty-four threads of some ten thousand instructions, the 41st of which ends in a trap: what others run meanwhile does
/// not count.
#[test]
fn a_trap_near_a_limit_is_the_same_for_any_jobs() {
    let program = "\
// THREADS 64,1
.version 4.1
.kernel \"k\"
.decl V v_type=G type=d num_elts=8 align=GRF
.decl P v_type=P num_elts=1
    mov (M1, 1) V(0,0)<1> 0:d
L0:
    add (M1, 1) V(0,0)<1> V(0,0)<0;1,0> 1:d
    cmp.lt (M1, 1) P V(0,0)<0;1,0> 30000:d
    (P) jmp (M1, 1) L0
    cmp.ne (M1, 1) P %thread_x(0,0)<0;1,0> 40:uw
    (P) jmp (M1, 1) L1
    oword_ld (1) %bss 0x0:ud V.0
L1:
    ret (M1, 1)
";
    let folder = folder(&[("k.visa", program)]);
    let ended = |limit: &str, how: &[&str]| {
        let arguments = ["run", "k.visa", "--max-total-steps", limit];
        said(&folder, &[&arguments[..], how].concat(), 1)
    };
    // 41 threads have 3 690 200 instructions.
    for native in ["--native=never", "--native=auto"] {
        for (limit, code) in [("3700000", "E0603"), ("3600000", "L0607")] {
            let alone = ended(limit, &[native, "--jobs=1"]);
            holds(&alone, &[code]);
            for jobs in ["--jobs=2", "--jobs=5", "--jobs=8", "--jobs=64"] {
                assert_eq!(ended(limit, &[native, jobs]), alone, "{native} {jobs}");
            }
        }
    }
}

/// Threads that are soon done do not add up to more than is allowed before anybody looks.
#[test]
fn many_small_threads_are_bounded_while_they_run() {
    let program = "// THREADS 4096,4095\n.version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";
    let folder = folder(&[("k.visa", program)]);
    for how in [&[][..], &["--stats"], &["--jobs", "3"]] {
        let start = std::time::Instant::now();
        let arguments = ["run", "k.visa", "--max-total-steps", "1000"];
        let output = said(&folder, &[&arguments[..], how].concat(), 1);
        holds(&output, &["L0607", "the limit is 1000 instructions"]);
        // All of them take minutes.
        assert!(start.elapsed().as_secs() < 30, "{how:?}");
    }
}

/// What is asked of a frame of 1920 by 1080 pixels is within the limits that stand where nothing is said.
#[test]
fn a_frame_of_1080_lines_is_within_the_usual_limits() {
    let sample = format!(
        "{}/samples/08-invert-photo.visa",
        env!("CARGO_MANIFEST_DIR")
    );
    let sample = std::fs::read_to_string(sample).expect("a sample");
    let code = &sample[sample.find(".version").expect("a program")..];
    let frame = "// THREADS 240,135\n// SURFACE T6: R8G8B8A8_UNORM 1920x1080, byte(x,y) = x + y\n\
                 // SURFACE T7: new 1920x1080 R8G8B8A8_UNORM\n// EXPECT X@239,134 ud:\n//   7648\n";
    let folder = folder(&[("k.visa", &format!("{frame}{code}"))]);
    holds(&said(&folder, &["test", "k.visa"], 0), &["1 passed"]);
}

/// A launch of the kernel `sums` whose first buffer is a file of so many bytes.
fn sums_of(bytes: u64) -> TempDir {
    let folder = folder(&[]);
    let samples = format!("{}/samples/kernels", env!("CARGO_MANIFEST_DIR"));
    for file in ["28-sums.visaasm", "28-sums.zeinfo", "28-sums.launch.json"] {
        std::fs::copy(format!("{samples}/{file}"), folder.path().join(file)).expect("copied");
    }
    for (file, length) in [("28-in.bin", bytes), ("28-out.bin", 8)] {
        let file = std::fs::File::create(folder.path().join(file)).expect("made");
        file.set_len(length).expect("zeros");
    }
    folder
}

/// A buffer and the file that it comes from are in memory at the same time, and no third copy.
#[cfg(target_os = "linux")]
#[test]
fn a_buffer_has_twice_its_size_at_most() {
    let folder = sums_of(256 << 20);
    let run = limited(&folder, "-v 700000", "run 28-sums.visaasm --jobs 1");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let run = limited(&folder, "-v 500000", "run 28-sums.visaasm --jobs 1");
    holds(
        &text(&run.stderr),
        &["L0606", "the system has no 268435456 bytes"],
    );
}

/// With less memory than a process needs to begin, visim may end in an abort with a message: never with half an output, and
/// what was there before stays.
#[cfg(target_os = "linux")]
#[test]
fn outputs_are_whole_however_little_memory_there_is() {
    let program = "// SURFACE T6: R8_UINT 512x512, byte(x,y) = x + y\n// SAVE T6 = a.bin\n.version 4.1\n.kernel \"k\"\n\
                   .decl T6 v_type=T num_elts=1\n    ret (M1, 1)\n";
    let folder = folder(&[("k.visa", program), ("a.bin", "before")]);
    let file = folder.path().join("a.bin");
    let mut ends = std::collections::BTreeSet::new();
    for step in 1..50 {
        std::fs::write(&file, "before").expect("written");
        let run = limited(
            &folder,
            &format!("-v {}", 8192 * step),
            "run --jobs 1 k.visa",
        );
        let left = std::fs::read(&file).expect("there");
        let whole = left == b"before" || left.len() == 512 * 512;
        assert!(whole, "{step}: {} bytes", left.len());
        assert!(!run.status.success() || left.len() > 6, "{step}");
        // The system itself ends a process that it cannot load.
        let said = run.status.code().is_none_or(|code| code == 0) || !run.stderr.is_empty();
        assert!(said, "{step}: no word");
        ends.insert(run.status.success());
    }
    assert_eq!(ends.len(), 2, "some runs have enough memory, and some not");
}

/// What a text repeats or nests takes no more memory and no more stack than there is.
#[test]
fn what_a_text_repeats_is_bounded() {
    // Six hundred operators a level: the tree that a reader makes of them is as deep.
    let nested = (0..60).fold("x".to_string(), |inner, _| {
        let tails = ["*x", "+x", "<<x", "&x", " xor x", "|x"].map(|tail| tail.repeat(256));
        format!("({inner}{})", tails.concat())
    });
    let formula = format!(
        "// SURFACE T6: R8_UINT 16x16, byte(x,y) = {nested}\n.version 4.1\n.kernel \"k\"\n\
         .decl T6 v_type=T num_elts=1\n    ret (M1, 1)\n"
    );
    let kernels = format!(".version 4.1\n{}", ".kernel \"k\"\n".repeat(20_000));
    let folder = folder(&[("formula.visa", &formula), ("kernels.visa", &kernels)]);
    let long = said(&folder, &["run", "formula.visa"], 1);
    holds(&long, &["E0701", "the formula is too long"]);
    holds(
        &said(&folder, &["check", "kernels.visa"], 1),
        &["L0224", "kernels.visa:16386:"],
    );
}

/// A text that is nothing but length is refused before it is looked at.
#[test]
fn texts_are_bounded() {
    let folder = folder(&[("lines.visa", &"\n".repeat((1 << 21) + 1))]);
    let file = |name: &str, begins: &[u8], length: u64| {
        let path = folder.path().join(name);
        std::fs::write(&path, begins).expect("written");
        let file = std::fs::File::options().write(true).open(path);
        file.and_then(|file| file.set_len(length)).expect("zeros");
    };
    file("long.visa", b"", (64 << 20) + 1);
    file("long.isa", b"CISA\x04\x01", (4 << 20) + 1);
    for (name, why) in [
        ("lines.visa", "lines.visa: more than 2097152 lines"),
        ("long.visa", "long.visa: more than 67108864 bytes"),
        ("long.isa", "long.isa: more than 4194304 bytes"),
    ] {
        for command in ["check", "run", "fmt"] {
            holds(&said(&folder, &[command, name], 2), &[why]);
        }
    }
    // What is said of each line costs no look at all of them.
    let folder = self::folder(&[("lines.tld", &"ld\n".repeat(10_000))]);
    let begun = Instant::now();
    holds(&said(&folder, &["check", "lines.tld"], 1), &["E0801"]);
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn pictures_of_control_characters_have_room() {
    let folder = folder(&[]);
    let file = std::fs::File::create(folder.path().join("short.visa")).expect("made");
    file.set_len(1 << 20).expect("zeros");
    // What is shown in place of control characters is longer, and fits.
    holds(&said(&folder, &["check", "short.visa"], 1), &["E0101"]);
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

/// What a terminal would obey comes out as pictures, from texts and names alike.
#[cfg(unix)]
#[test]
fn control_characters_are_not_printed() {
    let folder = folder(&[
        ("a.visa", "// \u{9b}31m\n\x1b]0;title\x07 \u{202e}mov\rx\n"),
        ("b\x1b[2J\n.visa", "\x1b[31mmov\n"),
    ]);
    for arguments in [
        &["check", "a.visa", "b\x1b[2J\n.visa"][..],
        &["run", "b\x1b[2J\n.visa"],
        &["test", "."],
        &["test", ".", "--format", "tap"],
        &["test", ".", "--format", "libtest"],
        &["test", ".", "--format", "json"],
        &["run", "gone\x1b[2J"],
    ] {
        let code = if arguments[1].starts_with("gone") {
            2
        } else {
            1
        };
        let said = said(&folder, arguments, code);
        assert!(
            !said.contains(['\x1b', '\x07', '\r', '\u{9b}', '\u{202e}']),
            "{said:?}"
        );
    }
    holds(
        &said(&folder, &["test", "."], 1),
        &["b␛[2J␊.visa", "␛[31mmov"],
    );
    // The debugger says names of the program, and repeats what it is asked.
    let named = ".version 4.1\n.kernel \"k\x1b[31m\"\n    ret (M1, 1) // \x1b[2J\n";
    let folder = self::folder(&[("k.visa", named)]);
    let session = [
        "debug", "k.visa", "-x", "\x1b[2J", "-x", "list", "-x", "quit",
    ];
    let (_, said) = visim(folder.path(), &session);
    assert!(
        !said.contains('\x1b') && said.contains("kernel k␛[31m"),
        "{said:?}"
    );
}

/// A program that reads one file and writes another.
fn copies(from: &str, to: &str) -> String {
    format!(
        "// SURFACE T6: raw {from} as R8_UINT 8x1\n// SAVE T6 = {to}\n.version 4.1\n.kernel \"k\"\n\
         .decl T6 v_type=T num_elts=1\n    ret (M1, 1)\n"
    )
}

/// A folder with programs, and beside it what they want to have.
fn stranger() -> (TempDir, std::path::PathBuf) {
    let all = tempfile::tempdir().expect("a folder");
    let own = all.path().join("own");
    std::fs::create_dir_all(own.join("deep")).expect("a folder");
    for (name, bytes) in [("secret.bin", "secrets!"), ("own/in.bin", "in file!")] {
        std::fs::write(all.path().join(name), bytes).expect("written");
    }
    (all, own)
}

fn visim(folder: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    let output = command.args(arguments).current_dir(folder).output();
    let output = output.expect("visim starts");
    (
        output.status.code(),
        text(&[output.stdout, output.stderr].concat()),
    )
}

#[test]
fn programs_read_and_write_where_they_may() {
    let (all, own) = stranger();
    let put = |name: &str, text: &str| std::fs::write(own.join(name), text).expect("written");
    put("fine.visa", &copies("in.bin", "deep/out.bin"));
    assert_eq!(visim(&own, &["run", "fine.visa"]).0, Some(0));
    assert!(own.join("deep/out.bin").exists());
    assert_eq!(visim(&own, &["run", "--no-write", "fine.visa"]).0, Some(2));
    put("reads.visa", &copies("../secret.bin", "out.bin"));
    put("writes.visa", &copies("in.bin", "../left.bin"));
    let absolute = all.path().join("secret.bin");
    put(
        "absolute.visa",
        &copies(absolute.to_str().expect("a path"), "out.bin"),
    );
    put("device.visa", &copies("/dev/zero", "out.bin"));
    put("to-device.visa", &copies("in.bin", "/dev/shm/../null"));
    for name in ["reads", "writes", "absolute", "device", "to-device"] {
        let (code, said) = visim(&own, &["run", &format!("{name}.visa")]);
        assert_eq!(code, Some(2), "{name}: {said}");
        holds(&said, &["--allow-outside"]);
        assert!(!own.join("out.bin").exists() && !all.path().join("left.bin").exists());
    }
    // A check opens nothing: what is not there, or may not be read, is no mistake of the text.
    for name in ["reads", "writes", "absolute", "device", "fine"] {
        assert_eq!(
            visim(&own, &["check", &format!("{name}.visa")]),
            (Some(0), String::new())
        );
    }
    for more in [&["--root", ".."][..], &["--allow-outside"]] {
        let (code, said) = visim(&own, &[&["run", "reads.visa"], more].concat());
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(
            std::fs::read(own.join("out.bin")).expect("written"),
            b"secrets!"
        );
        let (code, said) = visim(&own, &[&["run", "writes.visa"], more].concat());
        assert_eq!(code, Some(0), "{said}");
        std::fs::remove_file(all.path().join("left.bin")).expect("written");
        std::fs::remove_file(own.join("out.bin")).expect("written");
    }
    // Other commands that run programs have the same options.
    let both = ["diff", "reads.visa", "reads.visa"];
    assert_eq!(visim(&own, &both).0, Some(2));
    assert_eq!(
        visim(&own, &[&both[..], &["--root", ".."]].concat()).0,
        Some(0)
    );
    // Below the root of a tree everything is read, and nothing written.
    std::fs::write(all.path().join("visim.toml"), "").expect("written");
    let (code, said) = visim(&own, &["run", "reads.visa"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(visim(&own, &["run", "writes.visa"]).0, Some(2));
    // What a version control system keeps is no file of a program.
    let control = own.join(".git");
    std::fs::create_dir(&control).expect("a folder");
    std::fs::write(control.join("config"), "settings").expect("written");
    put("steals.visa", &copies(".git/config", "out.bin"));
    put("plants.visa", &copies("in.bin", "deep/../.git/config"));
    for name in ["steals.visa", "plants.visa"] {
        let (code, said) = visim(&own, &["run", name]);
        assert_eq!(code, Some(2), "{said}");
        holds(&said, &["version control system"]);
    }
    let kept = std::fs::read(control.join("config")).expect("there");
    assert_eq!(kept, b"settings");
    std::fs::remove_dir_all(control).expect("there");
    // Options are the user's own.
    let given = ["run", "fine.visa", "--save", "T6=../left.bin"];
    assert_eq!(visim(&own, &given).0, Some(0));
    assert!(all.path().join("left.bin").exists());
}

#[test]
fn launches_read_where_they_may() {
    let (all, own) = stranger();
    for file in [
        "28-sums.visaasm",
        "28-sums.zeinfo",
        "28-in.bin",
        "28-out.bin",
    ] {
        let from = format!("{}/samples/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(from, own.join(file)).expect("copied");
    }
    let sample = format!(
        "{}/samples/kernels/28-sums.launch.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let launch = std::fs::read_to_string(sample).expect("a sample");
    std::fs::copy(own.join("28-in.bin"), all.path().join("28-in.bin")).expect("copied");
    let outside = launch.replace("\"28-in.bin\"", "\"../28-in.bin\"");
    assert_ne!(launch, outside);
    for (description, code) in [(launch, 0), (outside, 2)] {
        std::fs::write(own.join("28-sums.launch.json"), description).expect("written");
        let (found, said) = visim(&own, &["run", "28-sums.visaasm"]);
        assert_eq!(found, Some(code), "{said}");
    }
    let all_of_it = ["run", "28-sums.visaasm", "--root", ".."];
    assert_eq!(visim(&own, &all_of_it).0, Some(0));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_lead_nowhere() {
    let (all, own) = stranger();
    std::os::unix::fs::symlink("../secret.bin", own.join("link.bin")).expect("a link");
    std::os::unix::fs::symlink("..", own.join("up")).expect("a link");
    std::fs::write(all.path().join("other.visa"), copies("in.bin", "out.bin")).expect("written");
    std::os::unix::fs::symlink("../other.visa", own.join("k.visa")).expect("a link");
    for pipe in ["pipe.bin", "pipe.visa"] {
        let made = Command::new("mkfifo").arg(own.join(pipe)).status();
        assert!(made.expect("mkfifo").success());
    }
    for (name, from, to) in [
        ("a", "link.bin", "x"),
        ("b", "in.bin", "up/x"),
        ("c", "pipe.bin", "x"),
    ] {
        let name = format!("{name}.send.visa");
        std::fs::write(own.join(&name), copies(from, to)).expect("written");
        let (code, said) = visim(&own, &["run", &name]);
        assert_eq!(code, Some(2), "{name}: {said}");
        std::fs::remove_file(own.join(&name)).expect("there");
    }
    // A pipe is not read, and no test; nor is a link that leads outside.
    let (code, said) = visim(&own, &["run", "pipe.visa"]);
    assert_eq!(code, Some(2), "{said}");
    holds(&said, &["a pipe or a device"]);
    let tests = visim(&own, &["test", "."]).1;
    let named = [
        "skipped ./k.visa: only what is below",
        "skipped ./pipe.visa: it is not a file",
    ];
    holds(&tests, &[&named[..], &["contains no .visa"]].concat());
    // Whatever the form of the report: what is left out is not thought to have passed.
    std::fs::write(own.join("send.visa"), copies("in.bin", "out.bin")).expect("written");
    let tests = ["test", ".", "--allow-empty", "--format", "json"];
    let (code, said) = visim(&own, &tests);
    assert_eq!(code, Some(0), "{said}");
    holds(&said, &named);
}

/// A video is read from files and from what the process has open.
#[cfg(unix)]
#[test]
fn videos_are_not_read_from_pipes() {
    let folder = folder(&[("a.png", "")]);
    std::fs::create_dir(folder.path().join("pictures")).expect("a folder");
    for pipe in ["pipe.y4m", "pipe.nv12", "pictures/1.png"] {
        let made = Command::new("mkfifo")
            .arg(folder.path().join(pipe))
            .status();
        assert!(made.expect("mkfifo").success());
    }
    for (input, more) in [
        ("pipe.y4m", &[][..]),
        ("pipe.nv12", &["--size", "16x16"]),
        ("pictures", &[]),
        ("pictures/1.png", &[]),
        ("pictures/%d.png", &[]),
        ("/dev/zero", &["--raw", "grey", "--size", "16x16"]),
    ] {
        let asked = [&["video", input, "-o", "out.y4m"], more].concat();
        holds(&said(&folder, &asked, 2), &["a pipe or a device"]);
    }
}

/// What a failed test was is left where the user alone writes, and nowhere if nothing may be written.
#[test]
fn failures_are_left_with_the_users_own_files() {
    let program = "// SURFACE T6: R8G8B8A8_UNORM 64x48, byte(x,y) = x + y\n// EXPECT T6 = old.png\n.version 4.1\n\
                   .kernel \"k\"\n.decl T6 v_type=T num_elts=1\n    ret (M1, 1)\n";
    let folder = folder(&[("k.visa", program)]);
    let sample = format!(
        "{}/samples/images/43-target.png",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::copy(sample, folder.path().join("old.png")).expect("copied");
    let (temporary, cache) = (tempfile::tempdir(), tempfile::tempdir());
    let (temporary, cache) = (temporary.expect("a folder"), cache.expect("a folder"));
    let test = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
        command.args(["test", "k.visa"]).args(more);
        command
            .current_dir(folder.path())
            .env("TMPDIR", temporary.path())
            .env("XDG_CACHE_HOME", cache.path());
        let output = command.output().expect("visim starts");
        assert_eq!(output.status.code(), Some(1));
        text(&[output.stdout, output.stderr].concat())
    };
    let left = cache.path().join("visim/failures/old/found.png");
    let nothing = test(&["--no-write"]);
    assert!(
        !left.exists() && !nothing.contains("found.png"),
        "{nothing}"
    );
    holds(&test(&[]), &["found.png"]);
    assert!(left.exists());
    let there = std::fs::read_dir(temporary.path()).expect("a folder");
    assert_eq!(there.count(), 0);
}

/// Blessing writes below the folder of the test, pictures over pictures.
#[test]
fn blessing_replaces_what_is_of_the_same_kind() {
    let (all, own) = stranger();
    std::fs::write(all.path().join("visim.toml"), "").expect("written");
    let expects = |picture: &str| {
        copies("in.bin", "out.bin")
            .replace("// SAVE T6 = out.bin", &format!("// EXPECT T6 = {picture}"))
    };
    std::fs::write(own.join("script.png"), "#!/bin/sh\n").expect("written");
    let sample = format!(
        "{}/samples/images/43-target.png",
        env!("CARGO_MANIFEST_DIR")
    );
    for place in [own.join("old.png"), all.path().join("other.png")] {
        std::fs::copy(&sample, place).expect("copied");
    }
    // A link is no way out, of the test itself neither.
    let numbers = "// SURFACE T6: R8_UINT 4x1\n// EXPECT T6:\n//   9 9 9 9\n.version 4.1\n.kernel \"k\"\n\
                   .decl T6 v_type=T num_elts=1\n    ret (M1, 1)\n";
    std::fs::write(all.path().join("numbers.visa"), numbers).expect("written");
    #[cfg(unix)]
    {
        let link = own.join("link.visa");
        std::os::unix::fs::symlink("../numbers.visa", &link).expect("a link");
        let (code, said) = visim(&own, &["test", "--bless", "."]);
        assert_eq!(code, Some(2), "{said}");
        holds(&said, &["link.visa: only what is below"]);
        let after = std::fs::read_to_string(all.path().join("numbers.visa"));
        assert_eq!(after.expect("there"), numbers);
        std::fs::remove_file(link).expect("there");
    }
    for (picture, blessed) in [
        ("old.png", true),
        ("../other.png", false),
        ("script.png", false),
    ] {
        std::fs::write(own.join("k.visa"), expects(picture)).expect("written");
        let before = std::fs::read(own.join(picture)).expect("there");
        let (_, said) = visim(&own, &["test", "--bless", "k.visa"]);
        let after = std::fs::read(own.join(picture)).expect("there");
        assert_eq!(before != after, blessed, "{picture}: {said}");
    }
}

/// A signal ends a run without its temporary files; what was there before stays.
#[cfg(unix)]
#[test]
fn signals_leave_nothing_behind() {
    use std::process::Stdio;
    for signal in ["INT", "TERM", "HUP"] {
        let folder = folder(&[("out.y4m", "before")]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
        command
            .args(["video", "-", "-o", "out.y4m", "--denoise"])
            .current_dir(folder.path());
        let mut child = command
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("visim starts");
        let mut input = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut input, b"YUV4MPEG2 W64 H64 F25:1 C420\n").expect("read");
        let count = || std::fs::read_dir(folder.path()).expect("a folder").count();
        let begun = Instant::now();
        while count() < 2 && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(count(), 2, "a temporary file");
        // The first asks for the end of the frame, the second ends it all.
        for _ in 0..2 {
            let kill = Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status();
            assert!(kill.expect("kill").success());
            std::thread::sleep(Duration::from_millis(100));
        }
        let ended = child.wait().expect("it ends");
        assert!(!ended.success(), "{signal}: {ended}");
        assert_eq!(count(), 1, "{signal}");
        assert_eq!(
            std::fs::read(folder.path().join("out.y4m")).expect("there"),
            b"before"
        );
    }
}

/// `visim opencl` becomes the program: signals and the status at its end are its own, and nothing is left behind.
#[cfg(unix)]
#[test]
fn an_opencl_program_takes_the_place_of_visim() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    let folder = folder(&[("libvisim_opencl.so", "")]);
    let (library, temporary) = (
        folder.path().join("libvisim_opencl.so"),
        folder.path().join("temporary"),
    );
    std::fs::create_dir(&temporary).expect("a folder");
    let run = |script: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
        command
            .args(["opencl", "--devices", "bmg", "--", "sh", "-c", script])
            .env("VISIM_OPENCL", &library)
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("TMPDIR", &temporary);
        let child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let id = child.id();
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        (id, ended.status, said)
    };
    // The second time the loader's file is there.
    for _ in 0..2 {
        let (id, status, said) = run("cat $OCL_ICD_VENDORS/*; echo $VISIM_DEVICES $$; exit 7");
        assert_eq!(status.code(), Some(7));
        assert_eq!(said, format!("{}\nbmg {id}\n", library.display()));
    }
    let (_, status, _) = run("kill -TERM $$; sleep 60");
    assert_eq!(status.signal(), Some(15), "{status}");
    assert_eq!(std::fs::read_dir(&temporary).expect("a folder").count(), 0);
}

/// Several outputs come together or not at all.
#[cfg(unix)]
#[test]
fn outputs_come_together_or_not_at_all() {
    let two = copies("in.bin", "a.bin").replace("// SAVE", "// SAVE T6 = /dev/full\n// SAVE");
    let folder = folder(&[
        ("k.visa", &two),
        ("in.bin", "in file!"),
        ("a.bin", "before"),
    ]);
    let failed = said(&folder, &["run", "--allow-outside", "k.visa"], 2);
    holds(&failed, &["/dev/full cannot be written"]);
    assert_eq!(
        std::fs::read(folder.path().join("a.bin")).expect("there"),
        b"before"
    );
    let left = std::fs::read_dir(folder.path()).expect("a folder");
    assert_eq!(left.count(), 3);
}
