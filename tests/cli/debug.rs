//! The debugger's prompt, driven by commands of `-x`, a pipe and a file.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TRACE: &str = "samples/33-trace.visa";

/// Gives `commands` to the prompt by a pipe.
fn session(arguments: &[&str], commands: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_visim"))
        .arg("debug")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("visim starts");
    let mut input = child.stdin.take().expect("a pipe");
    // It may have ended before it has read everything.
    let _ = input.write_all(commands.as_bytes());
    drop(input);
    child.wait_with_output().expect("visim ends")
}

/// What a session prints that ends well.
fn prints(arguments: &[&str], commands: &str) -> String {
    let output = session(arguments, commands);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The last line that shows a place, of each command.
fn steps(text: &str) -> Vec<String> {
    let places = text.lines().filter(|line| line.contains(", step "));
    places
        .map(|line| {
            line.trim()
                .split(", lanes")
                .next()
                .expect("a part")
                .to_string()
        })
        .collect()
}

fn refused(arguments: &[&str], commands: &str, code: &str, words: &str, exit: i32) {
    let output = session(arguments, commands);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains(code) && err.contains(words),
        "{commands}: {err}"
    );
    assert_eq!(output.status.code(), Some(exit), "{err}");
}

#[test]
fn forward_and_back_show_the_same_registers() {
    let text = prints(
        &[TRACE],
        "break 32 if LEFT lane 1 < 0\nc\np POWER\nstep\np POWER\nback\np POWER\nrc\n",
    );
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("0..=7")).collect();
    assert_eq!(rows[0], rows[2], "{text}");
    assert!(rows[0].ends_with("3 9 9 9 9 9 9 9"), "{text}");
    assert!(rows[1].ends_with("27 27 27 27 27 27"), "{text}");
    let wanted = ["step 1", "step 11", "step 12", "step 11", "step 1"];
    assert_eq!(steps(&text), wanted.map(|step| format!("thread 0, {step}")));
    assert!(text.contains("this is the start of the run"), "{text}");
}

#[test]
fn many_steps_and_the_way_back_from_the_end() {
    let text = prints(
        &[TRACE],
        "step 5\nback 3\nnext\nb loop\ndelete\nc\nback\nback\nstart\n",
    );
    let wanted = [1, 6, 3, 4, 35, 34, 1].map(|step| format!("thread 0, step {step}"));
    assert_eq!(steps(&text), wanted, "{text}");
    assert!(
        text.contains("all threads have ended, after 35 instructions"),
        "{text}"
    );
}

#[test]
fn regions_types_lanes_and_predicates() {
    let text = prints(
        &[TRACE],
        "u 34\np LEFT(0,1)<0;2,1> x 4\np LEFT.4:uw x 3\np LEFT:hex lane 2\np P1\nvars\n",
    );
    assert!(text.contains("0..=3   0 1 0 1"), "{text}");
    assert!(
        text.contains("LEFT.4:uw x 3: uw\n    0..=2   0 0 1"),
        "{text}"
    );
    assert!(text.contains("2..=2   00000001"), "{text}");
    assert!(
        text.contains("P1: lanes\n    0..=7   0 0 0 0 0 0 0 0"),
        "{text}"
    );
    assert!(text.contains("POWER                8 ud"), "{text}");
}

#[test]
fn watchpoints_say_what_has_changed() {
    let text = prints(&[TRACE], "watch POWER lane 3\nc\nc\nstops\n");
    assert!(
        text.contains("stop 1: POWER lane 3: [3] 0 -> 1\n"),
        "{text}"
    );
    assert!(
        text.contains("stop 1: POWER lane 3: [3] 1 -> 3\n"),
        "{text}"
    );
    let photo = "samples/08-invert-photo.visa";
    let text = prints(
        &[photo],
        "watch surface T7 8,0\nc\np T7 8,0\nrc\np T7 8,0\nmessage\nsurfaces\npic T7\n",
    );
    assert!(
        text.contains(
            "surface T7 at 8,0 was written by thread 1 in line 37: 00 00 00 00 -> 92 68 27 ff"
        ),
        "{text}"
    );
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("     0  "))
        .collect();
    assert!(
        rows[0].contains("926827ff") && rows[1].contains("00000000"),
        "{text}"
    );
    assert!(text.contains("message descriptor 0x02890000"), "{text}");
    assert!(
        text.contains("T7       256 by 192 by 1 R8G8B8A8_UNORM"),
        "{text}"
    );
    let text = prints(&["samples/32-race.visa"], "watch slm 4\nc\n");
    assert!(
        text.contains("slm 0x4..0x8 was written by thread 1 in line 29, lane 0"),
        "{text}"
    );
}

#[test]
fn threads_of_a_group_meet_at_barriers() {
    let text = prints(
        &["samples/32-race.visa"],
        "until thread 1\nthreads\nthread 0\np VALUE\nthread 1\nb 34 thread 1\nc\n",
    );
    assert!(
        text.contains("0  group 0,0,0 thread 0  waits, line 31: barrier"),
        "{text}"
    );
    assert!(text.contains("0..=0   100"), "{text}");
    assert!(
        text.trim_end()
            .ends_with("thread 1, step 8, lanes 0xffffffff"),
        "{text}"
    );
}

#[test]
fn functions_are_a_stack() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.visa");
    let text = ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type=ud num_elts=8 align=GRF\n    \
        call (M1, 1) sub\n    mov (M1, 8) A(0,0)<1> 0x2:ud\n    ret (M1, 1)\n.function \"sub\"\nsub:\n    \
        mov (M1, 8) A(0,0)<1> 0x1:ud\n    ret (M1, 1)\n";
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("UTF-8");
    let text = prints(
        &[path],
        "step\nwhere\nfinish\nback\nstart\nnext\nwhere\nrnext\n",
    );
    assert!(text.contains("#0 a subroutine of k, line 9"), "{text}");
    assert!(text.contains("#1 k, line 4: call (M1, 1) sub"), "{text}");
    assert_eq!(
        steps(&text),
        [1, 2, 4, 3, 1, 4, 1].map(|n| format!("thread 0, step {n}")),
        "{text}"
    );
}

#[test]
fn lanes_that_return_first_leave_the_others_in_the_subroutine() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.visa");
    let text = ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type=d num_elts=8 align=GRF\n\
        .decl P1 v_type=P num_elts=8\n    setp (M1, 8) P1 0xf:ud\n    call (M1, 8) sub\n    \
        mov (M1, 8) A(0,0)<1> 0x3:d\n    ret (M1, 1)\n.function \"sub\"\nsub:\n    \
        mov (M1, 8) A(0,0)<1> 0x1:d\n    (P1) ret (M1, 8)\n    mov (M1, 8) A(0,0)<1> 0x2:d\n    ret (M1, 8)\n";
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("UTF-8");
    // After the return of lanes 0 to 3 the other four are still one deep, and `finish` waits for them.
    let text = prints(&[path], "b 13\nc\nwhere\nfinish\nwhere\np A\n");
    assert!(text.contains("lanes 0xf0"), "{text}");
    assert!(text.contains("#0 a subroutine of k, line 13"), "{text}");
    assert!(text.contains("#1 k, line 6: call (M1, 8) sub"), "{text}");
    assert!(text.contains("#0 k, line 7: mov"), "{text}");
    assert!(text.contains("0..=7   1 1 1 1 2 2 2 2"), "{text}");
}

#[test]
fn the_next_message_has_its_values() {
    let text = prints(
        &["samples/16-bilinear.visa"],
        "b 51\nc\nmessage\nsurface T6\nvars\nwatch WRAPPED if WRAPPED lane 5 > 95\nc\n",
    );
    // Binding table index 6 is part of the descriptor now.
    assert!(text.contains("message descriptor 0x02138006"), "{text}");
    assert!(
        text.contains("0 first payload    0 to 31  U[0..31]               3e000000 3e800000"),
        "{text}"
    );
    assert!(
        text.contains("T6: 4 by 2, 0 is black and 208 white"),
        "{text}"
    );
    assert!(!text.contains("V21") && text.contains("CLAMPED "), "{text}");
    assert!(
        text.contains("stop 2: WRAPPED if WRAPPED lane 5 > 95: [1] 0.0 -> 32.0"),
        "{text}"
    );
    let sends = prints(&["samples/sends/42-sends-scatter.send"], "message\n");
    assert!(
        sends.contains("next message is that of line") || sends.contains("send to"),
        "{sends}"
    );
}

#[test]
fn a_compiled_kernel_with_barriers() {
    let folder = "tests/corpus/kernels/scan_inclusive_local";
    let (text, launch) = (
        format!("{folder}/kernel.skl.visaasm"),
        format!("{folder}/launch.json"),
    );
    let arguments = [&text[..], "--launch", &launch];
    let commands = "b 134\nc\nc\nthreads\ndelete 1\nb kernel.skl.visaasm:135 thread 2@1\nc\nback\n";
    let text = prints(&arguments, commands);
    assert!(
        text.contains("thread 0  waits, line 134: barrier"),
        "{text}"
    );
    assert!(text.contains("thread 5, step 21"), "{text}");
    assert!(
        text.trim_end()
            .ends_with("thread 5, step 20, lanes 0xffffffff"),
        "{text}"
    );
}

#[test]
fn what_cannot_run_is_stood_in_front_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.visa");
    let text = ".version 4.1\n.kernel \"k\"\n.decl A v_type=G type=ud num_elts=8 align=GRF\n    \
        mov (M1, 8) A(0,0)<1> 0x7:ud\n    \
        media_ld.nomod (32,1) T6 0 0x0:ud 0x0:ud A.0\n    ret (M1, 1)\n";
    let text = text.replace(".decl A", ".decl T6 v_type=T num_elts=1\n.decl A");
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("UTF-8");
    let output = session(&[path], "c\np A\nback\nc\nc\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("E0603") && text.contains("cannot run; back goes back"),
        "{text}"
    );
    assert!(text.contains("0..=7   7 7 7 7 7 7 7 7"), "{text}");
    assert_eq!(output.status.code(), Some(1), "{text}");
}

#[test]
fn mistakes_name_what_was_meant() {
    for (command, code, words) in [
        ("stpe", "E0960", "did you mean `step`?"),
        ("re", "E0960", "`help` lists the commands"),
        ("step no", "E0960", "a number of 1 or more"),
        ("where now", "E0960", "`where` takes nothing"),
        ("finish", "E0960", "in no function"),
        ("thread 0,9", "E0901", "the run has 1 thread"),
        ("b 26", "E0961", "the next is on line 29"),
        ("b 4000", "E0961", "the text has"),
        ("b lop", "E0961", "did you mean `loop`?"),
        ("b *99", "E0961", "ops *0 to *7"),
        ("delete 3", "E0961", "no stop of this number"),
        ("p POWR", "E0704", "did you mean POWER?"),
        ("p POWER(4,0)", "E0962", "which has 32 bytes"),
        ("p POWER:z", "E0962", "expected a type"),
        ("p POWER(0,0)<8;8,1> x 9999999", "E0962", "at most"),
        ("b 32 if LEFT lane 1", "E0962", "expected one of =="),
        ("b 32 if LEFT lane 1 < x", "E0962", "expected a number"),
        ("watch memory here", "E0962", "an address"),
        ("p T6", "E0704", "T6"),
    ] {
        refused(&[TRACE], command, code, words, 2);
    }
    let help = prints(&[TRACE], "help\nhelp b\n");
    assert!(
        help.contains("rcontinue") && help.contains("(also b)"),
        "{help}"
    );
}

#[test]
fn sessions_are_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.visa");
    let text = ".version 4.1\n.kernel \"k\"\nloop:\n    jmp (M1, 1) loop\n    ret (M1, 1)\n";
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("UTF-8");
    refused(
        &[path, "--max-total-steps", "100000"],
        "c\n",
        "L0607",
        "100000",
        1,
    );
    refused(&[path, "--max-steps", "1000"], "c\n", "L0602", "1000", 1);
    refused(&[path, "--timeout", "0.3"], "c\n", "L0761", "0.3 s", 1);
    let photo = "samples/08-invert-photo.visa";
    refused(
        &[photo, "--max-memory", "500K"],
        "c\n",
        "L0606",
        "--max-memory",
        1,
    );
    refused(&[TRACE, "--trace"], "", "options of visim run", "", 2);
    refused(&["samples/tld"], "", "visim", "", 2);
}

#[test]
fn commands_of_a_file_and_pictures_in_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let commands = folder.path().join("commands");
    let picture = folder.path().join("t7.png");
    let name = picture.display();
    std::fs::write(&commands, format!("# The end.\nc\npic T7 {name}\n")).expect("written");
    let commands = commands.to_str().expect("UTF-8");
    let photo = "samples/08-invert-photo.visa";
    let text = prints(&[photo, "-x", "surfaces", "--commands", commands], "");
    assert!(
        text.contains(&format!("wrote {name}, 256 by 192")),
        "{text}"
    );
    assert!(
        Path::new(&picture)
            .metadata()
            .is_ok_and(|file| file.len() > 1000)
    );
    refused(
        &[photo, "--no-write", "--commands", commands],
        "",
        "E0702",
        "--no-write",
        2,
    );
}
