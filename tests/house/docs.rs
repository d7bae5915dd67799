//! Documentation that runs cannot rot: the blocks of README.md are tried, and every code is explained.

use std::path::Path;
use std::process::{Command, Output};
use visim::internals::diagnostic::{CODES, any_fatal};
use visim::internals::harness::front::Front;
use visim::internals::harness::language::Language;
use visim::internals::isa::Platform;
use visim::internals::source::Source;

const README: &str = include_str!("../../README.md");

/// The blocks of README.md in a language.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let inside = README.split(&fence).skip(1);
    let ended = inside.map(|b| b.split("\n```").next().unwrap_or_default().to_string());
    ended.collect()
}

fn visim(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.args(arguments).current_dir(folder);
    command.output().expect("visim starts")
}

#[test]
fn the_first_command_prints_what_the_readme_shows_and_writes_the_picture() {
    // In a copy, so that nothing is written into the project.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(copy.path().join("samples/images")).expect("a folder");
    for file in ["samples/08-invert-photo.visa", "samples/images/photo.png"] {
        std::fs::copy(root.join(file), copy.path().join(file)).expect("copied");
    }
    let command = &blocks("sh")[0];
    let arguments = command.split(" -- ").nth(1).expect("cargo run -- …");
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let output = visim(&arguments, copy.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.trim_end(), blocks("text")[0]);
    assert!(output.status.success());
    let written = copy.path().join("samples/08-inverted.png");
    let golden = root.join("samples/images/08-inverted.png");
    let read = |path: &Path| image::open(path).expect("a picture").to_rgba8();
    assert_eq!(read(&written), read(&golden));
}

#[test]
fn the_readme_and_the_help_list_every_platform() {
    let names: Vec<&str> = Platform::ALL.iter().map(|p| p.name).collect();
    let names = names.join(" ");
    let row = format!("| `PLATFORM skl` | `--platform skl` | `{names}` |");
    assert!(README.contains(&row), "README.md has no row\n{row}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let help = visim(&["check", "--help"], folder);
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    // Lines are wrapped to the width of the terminal.
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(
        help.join(" ")
            .contains(&format!("({names}; `?` lists them)"))
    );
    let list = visim(&["check", "--platform", "?"], folder);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let listed: Vec<&str> = list.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(listed.join(" "), names);
}

#[test]
fn the_pictures_of_the_readme_are_what_its_commands_draw() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = folder.path().join("drawn.png").display().to_string();
    for (arguments, golden) in [
        (&["picture", "--tile", "Y"][..], "23-tile-y.png"),
        // Its weights are in it: what a filter takes is reported with them.
        (
            &["picture", "samples/27-footprint.visa:29"],
            "27-footprint.png",
        ),
    ] {
        let output = visim(&[arguments, &["-o", &drawn]].concat(), root);
        assert!(output.status.success(), "{output:?}");
        let read = |path: &Path| image::open(path).expect("a picture").to_rgba8();
        let golden = root.join("samples/images").join(golden);
        assert!(
            read(Path::new(&drawn)) == read(&golden),
            "{}",
            golden.display()
        );
    }
}

#[test]
fn a_sample_is_explained_by_its_texels_and_their_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "\
// SURFACE T6: R32_FLOAT 4x4, float(x,y) = 10*y + x
// SAMPLER S0: filter=linear
// SET U = 0.5 0.53125 0.5 0.5 0.5 0.5 0.5 0.5:f
// SET V = 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5:f
.version 4.1
.kernel \"k\"
.decl U v_type=G type=f num_elts=8 align=GRF
.decl V v_type=G type=f num_elts=8 align=GRF
.decl O v_type=G type=f num_elts=8 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
    sample_lz.R (M1, 8) 0x0:uw S0 T6 O.0 U.0 V.0
    ret (M1, 1)
";
    std::fs::write(folder.path().join("k.visa"), text).expect("written");
    let output = visim(&["explain", "k.visa:12"], folder.path());
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = said.lines().map(words).collect();
    let first = lines
        .iter()
        .position(|line| line.starts_with("lane 0 "))
        .expect("lane 0");
    // 0.5 * 4 - 0.5 = 1.5, and 0.53125 * 4 - 0.5 = 1.625: 3/8 and 5/8 of two columns, half of two rows.
    let wanted = [
        "lane 0 level 0 slice 0 (1, 1) weight 0.250000 11.000000",
        "level 0 slice 0 (2, 1) weight 0.250000 12.000000",
        "level 0 slice 0 (1, 2) weight 0.250000 21.000000",
        "level 0 slice 0 (2, 2) weight 0.250000 22.000000",
        "sum 16.500000",
        "lane 1 level 0 slice 0 (1, 1) weight 0.187500 11.000000",
        "level 0 slice 0 (2, 1) weight 0.312500 12.000000",
        "level 0 slice 0 (1, 2) weight 0.187500 21.000000",
        "level 0 slice 0 (2, 2) weight 0.312500 22.000000",
        "sum 16.625000",
    ];
    for (line, wanted) in lines[first..].iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line}, not {wanted}\n{said}");
    }
}

#[test]
fn the_program_of_the_readme_passes_its_own_expectations() {
    let folder = tempfile::tempdir().expect("a folder");
    for language in ["visa", "send"] {
        for (number, block) in blocks(language).iter().enumerate() {
            let path = folder.path().join(format!("block-{number}.{language}"));
            std::fs::write(&path, format!("{block}\n")).expect("written");
        }
    }
    let output = visim(&["test", "."], folder.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
}

#[test]
fn the_commands_of_the_readme_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = README.split("| `visim ").skip(1);
    let words: Vec<&str> = named
        .map(|c| c.split([' ', '`']).next().unwrap_or_default())
        .collect();
    assert!(words.len() >= 8, "{words:?}");
    for word in words {
        let output = visim(&[word, "--help"], root);
        assert!(output.status.success(), "visim {word} --help");
    }
}

#[test]
fn exit_codes_tell_the_program_from_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.visa");
    std::fs::write(&bad, ".version 4.1\n.kernel \"k\"\n    foo (M1, 8)\n").expect("written");
    let code = |arguments: &[&str]| visim(arguments, folder.path()).status.code();
    assert_eq!(code(&["check", "bad.visa"]), Some(1));
    assert_eq!(code(&["run", "bad.visa"]), Some(1));
    assert_eq!(code(&["run", "missing.visa"]), Some(2));
    assert_eq!(code(&["test", "missing"]), Some(2));
    assert_eq!(code(&["nonsense"]), Some(2));
    assert_eq!(code(&["explain", "E0701"]), Some(0));
}

#[test]
fn nothing_is_written_when_something_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "// SURFACE T6: R8_UNORM 4x4, byte(x,y) = x\n// SAVE T6 = out.png\n.version 4.1\n.kernel \"k\"\n\
        .decl T6 v_type=T num_elts=1\n    ret (M1, 1)\n";
    std::fs::write(folder.path().join("k.visa"), text).expect("written");
    let wrong: &[&[&str]] = &[
        &["run", "k.visa", "--dump", "V99"],
        &["run", "k.visa", "--save", "T6=missing/out.png"],
        &["run", "k.visa", "--surface", "T6=missing.png:R8_UNORM"],
        &["run", "k.visa", "--threads", "0,1"],
    ];
    for arguments in wrong {
        let output = visim(arguments, folder.path());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        let files = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(files, 1, "{arguments:?} leaves something behind");
    }
    assert!(visim(&["run", "k.visa"], folder.path()).status.success());
    assert!(folder.path().join("out.png").is_file());
}

/// Threads that run side by side leave the same bytes as threads in turn.
#[test]
fn jobs_change_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let run = |jobs: &str| {
        let path = folder.path().join(jobs).with_extension("png");
        let save = format!("T7={}", path.display());
        let program = "samples/08-invert-photo.visa";
        let arguments = [
            "run", program, "--jobs", jobs, "--save", &save, "--dump", "X@31,23", "--dump", "T7",
        ];
        let output = visim(&arguments, root);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        let dumps: Vec<&str> = text.lines().filter(|l| !l.starts_with("wrote")).collect();
        (dumps.join("\n"), std::fs::read(path).expect("a picture"))
    };
    let alone = run("1");
    assert!(alone == run("7"), "7 jobs differ from 1");
    assert!(alone == run("64"), "64 jobs differ from 1");
}

#[test]
fn what_is_too_large_is_a_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = ".version 4.1\n.kernel \"k\"\n.decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n\
        \x20   ret (M1, 1)\n";
    std::fs::write(folder.path().join("k.visa"), text).expect("written");
    // A binary bitmap says its size in text; its texels need not be there for it to be too large.
    std::fs::write(folder.path().join("wide.pbm"), "P4\n16385 1\n").expect("written");
    std::fs::write(folder.path().join("wide.json"), vec![b' '; (1 << 20) + 1]).expect("written");
    for option in [
        "--surface=T6=new:16384x16384:R32G32B32A32_FLOAT",
        "--surface=T6=raw:k.visa:R32G32B32A32_FLOAT:16384x16384",
        "--surface=T6=wide.pbm:R8_UNORM",
        "--sampler=S0=avs:wide.json",
    ] {
        let output = visim(&["run", "k.visa", option], folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("limit[L0713]"), "{option}: {said}");
        assert_eq!(output.status.code(), Some(2), "{option}");
    }
}

/// An example in an explanation is an indented line; those that are whole programs must be read.
#[test]
fn every_code_is_explained_and_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for info in CODES {
        assert!(info.title.len() < 90, "{}: a title is short", info.name);
        let long = info.explanation.len();
        assert!(
            long > info.title.len() && long > 60,
            "{} requires a long text",
            info.name
        );
        for line in info.explanation.lines() {
            assert!(line.chars().count() <= 120, "{}: {line}", info.name);
        }
    }
    let output = visim(&["explain", CODES[0].name], root);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(CODES[0].title), "{text}");
}

/// Options that an explanation shows are options of the command it shows.
#[test]
fn the_commands_of_explanations_have_their_options() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut shown = 0;
    for info in CODES {
        for line in info.explanation.lines() {
            let Some(command) = line.strip_prefix("    visim ") else {
                continue;
            };
            let mut words = command.split_whitespace();
            let name = words.next().unwrap_or_default();
            let help = visim(&[name, "--help"], root);
            let help = String::from_utf8_lossy(&help.stdout).into_owned();
            for option in words.filter(|w| w.starts_with("--")) {
                let option = option.split('=').next().unwrap_or_default();
                let listed = help.split([' ', ',', '\n']).any(|w| w == option);
                assert!(listed, "{}: {line}", info.name);
                shown += 1;
            }
        }
    }
    assert!(shown >= 5, "{shown} options are shown");
}

#[test]
fn the_samples_are_without_remarks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let files = visim::internals::harness::case::find(&folder).expect("samples");
    // Lessons of texture loads: `tests/model/tld.rs`. What a compiler wrote is as it is.
    let compiled = |path: &Path| path.ends_with("kernels/52-soften.bin");
    for path in files
        .into_iter()
        .filter(|p| Language::of(p) != Language::Tld && !compiled(p))
    {
        let text = std::fs::read_to_string(&path).expect("text");
        let source = Source::new(path.display().to_string(), text);
        let diagnostics = if Language::of(&path) == Language::Send {
            visim::internals::sends::program(&source).1
        } else {
            let own = visim::internals::harness::directive::read(&source)
                .0
                .platform;
            let platform = own.map_or(Platform::default(), |own| own.node);
            Front::new(&source, platform).diagnostics
        };
        assert!(!any_fatal(&diagnostics), "{}", path.display());
        // A remark that belongs to the lesson is marked on its line.
        let marks = visim::internals::harness::directive::read(&source)
            .0
            .refusals;
        let unmarked = diagnostics.iter().find(|d| {
            let line = d.span().map(|s| source.line_of(s.start));
            !marks
                .iter()
                .any(|m| m.code.node == d.code && Some(m.line) == line)
        });
        assert_eq!(unmarked, None, "{}", path.display());
    }
}
