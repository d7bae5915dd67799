//! The audit of the seed pages: every item has a case, with the sentence that it is about on the first line, or a test
//! of the command line named by it.

use std::fs;
use std::path::Path;

/// Letter, how many items, and what they are.
const LISTS: [(char, u32, &str); 4] = [
    ('w', 17, "wrong"),
    ('l', 12, "legal, but refused"),
    ('f', 20, "forbidden or undefined, but silent"),
    ('s', 21, "said badly"),
];

fn texts(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder");
    let paths = files.map(|file| file.expect("a file").path());
    let read = paths.filter(|path| path.is_file());
    read.map(|path| fs::read_to_string(path).expect("text"))
        .collect()
}

#[test]
fn every_item_of_the_audit_has_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/cases/audit");
    let tests = texts(&root.join("tests/cli")).concat();
    let cases: Vec<(String, String)> = fs::read_dir(&folder)
        .expect("the cases")
        .map(|file| file.expect("a file").path())
        .map(|path| {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(&path).expect("text"))
        })
        .collect();
    let mut wrong = Vec::new();
    for (letter, count, list) in LISTS {
        for number in 1..=count {
            let item = format!("{letter}{number:02}");
            let own = cases
                .iter()
                .any(|(name, _)| name.starts_with(&format!("{item}-")));
            let done = own || tests.contains(&format!("fn {item}_"));
            if !done {
                wrong.push(format!("{item} ({list}) has no case"));
            }
        }
    }
    for (name, text) in &cases {
        let first = text.lines().next().unwrap_or_default();
        let said = first
            .strip_prefix("// Item ")
            .and_then(|rest| rest.split_once(". "));
        if said.is_none_or(|(_, rule)| rule.len() < 20) {
            wrong.push(format!(
                "{name} does not begin with its item and the rule: {first}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
