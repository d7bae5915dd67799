//! The course: its table of contents is whole, its tour runs, its exercises have solutions.

use std::path::{Path, PathBuf};
use visim::internals::harness::case::{self, Status};
use visim::internals::harness::session::Options;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

fn contents() -> String {
    std::fs::read_to_string(samples().join("README.md")).expect("the contents")
}

#[test]
fn the_contents_name_every_lesson_and_nothing_else() {
    let contents = contents();
    let links = contents.split("](").skip(1);
    let links: Vec<&str> = links
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .collect();
    for link in &links {
        assert!(samples().join(link).is_file(), "there is no {link}");
    }
    for path in case::find(&samples()).expect("lessons") {
        let path = path.strip_prefix(samples()).expect("below the samples");
        // A lesson on a kernel goes by the text that was compiled.
        let stem = path.with_extension("");
        let stem = stem.with_extension("");
        let listed = links
            .iter()
            .any(|link| Path::new(link).with_extension("") == stem);
        assert!(listed, "{} is not in samples/README.md", path.display());
    }
}

#[test]
fn the_programs_of_the_tour_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let contents = contents();
    let programs: Vec<&str> = contents
        .split("```visa\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect();
    assert!(programs.len() >= 2);
    for program in programs {
        passes(folder.path(), program);
    }
}

/// What fills the holes of each exercise.
const SOLUTIONS: &[(&str, &[(&str, &str)])] = &[
    ("1-transpose.visa", &[("M(0,0)<8;8,1>", "M(0,0)<1;2,4>")]),
    (
        "2-clamp.visa",
        &[(
            "    // Here, both with (P1) in front.\n",
            "    (P1) mov (M1, 8) X(0,0)<1> 0x64:d\n    (P1) mov (M1, 8) CUT(0,0)<1> 0x1:d\n",
        )],
    ),
    (
        "3-descriptor.visa",
        &[
            ("<0;1,0> 0x0:ud", "<0;1,0> 0x1:ud"),
            ("<0;1,0> 0x0:ud", "<0;1,0> 0x1:ud"),
        ],
    ),
    ("4-state.visa", &[("00f80940", "00f80fc0")]),
];

#[test]
fn exercises_fail_until_they_are_solved() {
    let folder = tempfile::tempdir().expect("a folder");
    let exercises = case::find(&samples().join("exercises")).expect("exercises");
    assert_eq!(exercises.len(), SOLUTIONS.len());
    for (name, holes) in SOLUTIONS {
        let text = std::fs::read_to_string(samples().join("exercises").join(name));
        let text = text.expect("an exercise");
        let mark = text
            .lines()
            .find(|line| line.starts_with("// known-failing"));
        let mut text = text.replace(mark.expect("a mark"), "//");
        let path = folder.path().join(name);
        std::fs::write(&path, &text).expect("written");
        let unsolved = case::run(&path, &Options::default());
        // It is what it computes that is wrong, not its text.
        let said = unsolved.text(false);
        let errors = said.lines().filter(|line| line.starts_with("error"));
        assert!(unsolved.status == Status::Failed, "{name}");
        errors.for_each(|error| assert!(error.starts_with("error[E0710]"), "{name}: {error}"));
        for (hole, filled) in *holes {
            assert!(text.contains(hole), "{name}: {hole}");
            text = text.replacen(hole, filled, 1);
        }
        passes(folder.path(), &text);
    }
}

fn passes(folder: &Path, program: &str) {
    let path = folder.join("tried.visa");
    std::fs::write(&path, program).expect("written");
    let verdict = case::run(&path, &Options::default());
    assert!(verdict.status == Status::Passed, "{}", verdict.text(false));
}
