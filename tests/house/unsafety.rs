//! Where the compiler does not check memory: the list, and that each place says why it is right.

use std::path::{Path, PathBuf};

/// Files, or folders of files, with unsafe code, and what it is for.
const UNSAFE: &[(&str, &str)] = &[
    ("src/faces/c/src/lib.rs", "pointers that a host in C passes"),
    (
        "src/faces/c/tests/pointers.rs",
        "what such a host does, for miri",
    ),
    (
        "src/faces/opencl/src/entries/",
        "what an OpenCL host promises of its pointers",
    ),
    (
        "src/faces/opencl/src/host.rs",
        "memory and functions of an OpenCL host",
    ),
    (
        "src/faces/opencl/src/table.rs",
        "entries of what is not there",
    ),
    (
        "src/faces/opencl/src/tests.rs",
        "calls as a host makes them",
    ),
    (
        "src/faces/python/src/lib.rs",
        "the buffer protocol of Python",
    ),
    ("src/exec/compute/native/call.rs", "calls into native code"),
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push(path);
        }
    }
}

/// Lines of a file with unsafe code, by number; comments and the attribute that forbids it are none.
fn lines(text: &str) -> Vec<(usize, &str)> {
    // A compiler has an option of that name.
    let code = |line: &str| {
        let code = line.split("//").next().unwrap_or("");
        code.replace("-unsafe-", "")
    };
    let names = |line: &str| {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.into_iter().any(|word| word == "unsafe")
    };
    let numbered = (1..).zip(text.lines());
    numbered.filter(|(_, line)| names(&code(line))).collect()
}

#[test]
fn unsafe_code_is_where_the_list_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    sources(&root.join("src"), &mut all);
    let mut wrong = Vec::new();
    for path in all {
        let name = path
            .strip_prefix(root)
            .expect("below the root")
            .display()
            .to_string();
        let text = std::fs::read_to_string(&path).expect("a text");
        let found = lines(&text);
        let listed = UNSAFE.iter().any(|(place, _)| name.starts_with(place));
        if let (Some((line, _)), false) = (found.first(), listed) {
            wrong.push(format!("{name}:{line} is not on the list"));
        }
        let rows: Vec<&str> = text.lines().collect();
        for (line, _) in found.iter().filter(|(_, text)| text.contains("unsafe {")) {
            let from = line.saturating_sub(8);
            let says = rows[from..*line].iter().any(|row| row.contains("SAFETY:"));
            if !says {
                wrong.push(format!(
                    "{name}:{line} does not say why it is right (SAFETY:)"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lib = std::fs::read_to_string(root.join("src/lib.rs")).expect("a text");
    assert!(lib.contains("#![deny(unsafe_code)]"));
}
