//! The header is that of the library, and a host in C finds nothing wrong with it, valgrind neither.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(3).expect("the project").to_path_buf()
}

/// Whether a program is to be had.
fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        println!("{program} is not to be had: skipped");
    }
    there
}

/// The library, as built with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let mut folders = test.ancestors().skip(1);
    let found = folders.find_map(|folder| {
        let library = folder.join("libvisim_c.a");
        library.is_file().then_some(library)
    });
    found.expect("libvisim_c.a above the test")
}

fn succeeds(command: &mut Command) {
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{said}",
        output.status
    );
}

/// Compiles a text against the header and the library.
fn compiled(text: &Path, folder: &Path) -> PathBuf {
    let program = folder.join("host");
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c11",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-I",
    ]);
    cc.arg(env!("CARGO_MANIFEST_DIR")).arg(text).arg(library());
    succeeds(
        cc.args(["-lpthread", "-ldl", "-lm", "-Wl,--strip-debug", "-o"])
            .arg(&program),
    );
    program
}

#[test]
fn the_header_is_up_to_date() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(own.join("cbindgen.toml")).expect("a configuration");
    let made = cbindgen::Builder::new()
        .with_src(own.join("src/lib.rs"))
        .with_config(config);
    let mut text = Vec::new();
    made.generate().expect("a header").write(&mut text);
    let text = String::from_utf8(text).expect("text");
    let header = own.join("visim.h");
    if std::env::var_os("VISIM_BLESS").is_some() {
        std::fs::write(&header, &text).expect("written");
    }
    let known = std::fs::read_to_string(&header)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        known == text,
        "visim.h is not that of src/lib.rs: VISIM_BLESS=1 cargo test -p visim-c\n{text}"
    );
}

#[test]
fn a_host_in_c_uses_every_function() {
    if !cfg!(unix) || !is_there("cc") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(&root().join("tests/faces/c/host.c"), folder.path());
    let kernel = root().join("samples/kernels/52-soften.bin");
    succeeds(Command::new(&program).arg(&kernel));
    if !is_there("valgrind") {
        return;
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--show-leak-kinds=definite",
    ]);
    valgrind.arg("--errors-for-leak-kinds=definite");
    succeeds(valgrind.arg(&program).arg(&kernel));
}

/// The block of README.md is a program.
#[test]
fn the_readme_s_program_runs() {
    if !cfg!(unix) || !is_there("cc") {
        return;
    }
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let block = readme.split("```c\n").nth(1).expect("a block in C");
    let block = block.split("\n```").next().expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("corner.c");
    std::fs::write(&text, format!("{block}\n")).expect("written");
    let program = compiled(&text, folder.path());
    let output = Command::new(program).output().expect("it starts");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "36 37 38 39 40 41 42 43\n"
    );
}
