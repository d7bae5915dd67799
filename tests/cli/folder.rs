//! Runs in a folder of their own.

use std::process::Command;
use tempfile::TempDir;

/// A folder with files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// What was said, after the run ended as it should.
pub fn said(folder: &TempDir, arguments: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    let output = command.args(arguments).current_dir(folder.path()).output();
    let output = output.expect("visim starts");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{said}");
    said
}

#[track_caller]
pub fn holds(said: &str, words: &[&str]) {
    for words in words {
        assert!(said.contains(words), "`{words}` is not in\n{said}");
    }
}
