//! The course as a site: every page is there, every link leads somewhere.

use crate::folder::{folder, said};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// What the attributes of a name hold.
fn attributes<'h>(html: &'h str, name: &str) -> Vec<&'h str> {
    let before = format!(" {name}=\"");
    let parts = html.split(&before[..]).skip(1);
    parts
        .filter_map(|rest| Some(rest.split_once('"')?.0))
        .collect()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => BTreeSet::from([path]),
    };
    entries.flat_map(|entry| below(entry.path())).collect()
}

#[test]
fn the_book_is_whole() {
    let site = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    let command = command.args(["book", "-o"]).arg(site.path());
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("visim starts");
    assert!(output.status.success(), "{output:?}");
    let all = files(site.path());
    let mut reached = BTreeSet::from([site.path().join("index.html")]);
    let pages = all
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "html"));
    for path in pages {
        // Steps have links to the manuals alone.
        let html = std::fs::read_to_string(path).expect("a page");
        if path.parent().is_some_and(|p| p.ends_with("steps")) {
            continue;
        }
        for link in [attributes(&html, "href"), attributes(&html, "src")].concat() {
            assert!(!link.contains("://"), "{}: {link}", path.display());
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => plain(&path.parent().expect("a folder").join(file)),
            };
            assert!(all.contains(&target), "{}: {link}", path.display());
            if !anchor.is_empty() {
                let there = std::fs::read_to_string(&target).expect("a page");
                assert!(attributes(&there, "id").contains(&anchor), "{link}");
            }
            reached.insert(target);
        }
    }
    let lost: Vec<_> = all.difference(&reached).collect();
    assert!(lost.is_empty(), "no link leads to {lost:?}");
    let steps = all
        .iter()
        .filter(|path| path.parent().is_some_and(|p| p.ends_with("steps")));
    assert!(steps.count() > 40);
    let codes = std::fs::read_to_string(site.path().join("codes.html")).expect("a page");
    assert!(codes.contains("id=\"E0101\""));
}

#[test]
fn a_book_without_lessons_says_what_is_missing() {
    let empty = folder(&[]);
    let text = said(&empty, &["book", "-o", "site"], 2);
    assert!(
        text.contains("samples/README.md") && text.contains("--samples"),
        "{text}"
    );
    let broken = folder(&[("README.md", "[a lesson](gone.visa)")]);
    let text = said(&broken, &["book", "-o", "site", "--samples", "."], 2);
    assert!(text.contains("gone.visa"), "{text}");
    assert!(!broken.path().join("site").exists());
}
