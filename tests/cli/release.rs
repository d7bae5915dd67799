//! What a release consists of: completions, manual pages, line ends of other systems, the workflow that builds it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use yaml_rust2::{Yaml, YamlLoader};

fn visim(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visim"));
    command.args(words).output().expect("visim starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = visim(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = said(&output);
        for command in ["run", "test", "check", "decode", "completions"] {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    assert_eq!(visim(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    assert!(said(&visim(&["man"])).contains(".TH visim 1"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("its name is UTF-8");
    assert_eq!(visim(&["man", "--out", path]).status.code(), Some(0));
    let help = said(&visim(&["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // Commands are indented by two, what their descriptions go on with by more.
    let commands = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            line.strip_prefix("  ")
                .filter(|rest| !rest.starts_with(' '))
        });
    let commands: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 12, "{help}");
    for command in commands.iter().filter(|command| **command != "help") {
        let page = folder.path().join(format!("visim-{command}.1"));
        assert!(page.is_file(), "no page for {command}");
    }
    let missing = folder.path().join("missing");
    let refused = visim(&["man", "--out", missing.to_str().expect("UTF-8")]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Git may write the files of a working copy with the line ends of Windows, and editors do. Intel's assembler stops at
/// them in vISA text, so visim says it; `.gitattributes` keeps the repository's own as they are.
#[test]
fn line_ends_of_windows_are_read_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let cases = [
        ("01-first-mov.visa", Some("this line ends in CR LF")),
        ("sends/40-sends-math.send", None),
        ("tld/01-one-texel.tld", None),
    ];
    for (name, told) in cases {
        let text = fs::read_to_string(samples.join(name)).expect("a sample");
        let to = folder
            .path()
            .join(Path::new(name).file_name().expect("a name"));
        fs::write(&to, text.replace('\n', "\r\n")).expect("written");
        let output = visim(&["test", to.to_str().expect("UTF-8")]);
        let text = said(&output) + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(i32::from(told.is_some())),
            "{text}"
        );
        assert!(text.contains(told.unwrap_or("ok")), "{text}");
    }
    let attributes = include_str!("../../.gitattributes");
    assert!(attributes.contains("* text=auto eol=lf"));
}

#[test]
fn the_workflow_builds_for_every_system() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows/release.yml");
    let workflow = YamlLoader::load_from_str(&fs::read_to_string(path).expect("it is there"));
    let workflow = &workflow.expect("it is YAML")[0];
    let build = &workflow["jobs"]["build"];
    let targets = build["strategy"]["matrix"]["include"]
        .as_vec()
        .expect("a matrix");
    let named: Vec<&str> = targets
        .iter()
        .filter_map(|t| t["target"].as_str())
        .collect();
    for system in [
        "x86_64-unknown-linux",
        "aarch64-unknown-linux",
        "apple-darwin",
        "windows",
    ] {
        assert!(
            named.iter().any(|target| target.contains(system)),
            "{system}"
        );
    }
    let steps = build["steps"].as_vec().expect("steps");
    let runs: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["run"].as_str())
        .collect();
    let manifest = include_str!("../../Cargo.toml");
    assert!(runs.iter().any(|run| run.contains("--profile dist")));
    assert!(manifest.contains("[profile.dist]"));
    assert!(matches!(workflow["on"], Yaml::Hash(_)));
}
