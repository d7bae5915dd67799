//! Data moves one way: a module may name only modules on earlier lines.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order in which data passes them. Those of one line do not know each other.
const LAYERS: &[&[&str]] = &[
    &["base"],
    &["source", "files"],
    &["diagnostic"],
    &["isa", "math"],
    &["surface"],
    &["message"],
    &["program", "syntax", "sampler", "dataport"],
    &["check", "video", "visa_binary"],
    &["lower", "sends", "tld"],
    &["exec"],
    &["launch"],
    &["observe"],
    &["finalizer"],
    &["explain"],
    &["harness"],
    &["debug"],
    &["api", "cli"],
];

/// Floors inside a folder, the lowest first: a file names only files of its own floor and of those below. What the
/// folder's own `mod.rs` defines may be named on all of them.
const FLOORS: &[(&str, &[&[&str]])] = &[
    (
        "surface",
        &[
            &["float", "fixes", "ledger", "refused", "sampled", "tiling"],
            &["invalid", "memory"],
            &["description", "format", "layout", "planes"],
            &[
                "block",
                "channels",
                "combinations",
                "overlap",
                "rows",
                "rules",
                "state",
                "texel",
                "units",
            ],
            &["picture"],
            &["file", "pattern", "texture"],
        ],
    ),
    (
        "message",
        &[
            &["math", "sfid"],
            &["display", "parameters", "request"],
            &["bits", "extended", "fields", "layout"],
            &[
                "codec",
                "e64",
                "dataport",
                "default_lengths",
                "gen5",
                "lsc",
                "raw_lengths",
                "sampler",
                "text",
            ],
            &["laws"],
        ],
    ),
    (
        "sampler",
        &[
            &["element", "params", "plane", "reads", "settings", "state"],
            &["coordinate", "lanes", "packed"],
            &["axis", "info"],
            &["texels"],
            &["avs", "sample"],
            &["deinterlace", "fetch", "unorm"],
            &["plan"],
        ],
    ),
    (
        "exec",
        &[&["state"], &["compute"], &["message"], &["control"]],
    ),
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&module))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            // The faces are crates of their own, which see the core as any other host does.
            if !path.ends_with("src/faces") {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The top-level modules that a line of code names through `crate::`, several of a brace list too.
fn named(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    let mut modules = Vec::new();
    for tail in code.split("crate::").skip(1) {
        let list = match tail.strip_prefix('{') {
            Some(list) => list.split(',').collect(),
            None => vec![tail],
        };
        for item in list {
            let item = item.trim_start();
            let end = item
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(item.len());
            modules.push(&item[..end]);
        }
    }
    modules
}

#[test]
fn a_module_names_only_earlier_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let mut wrong = Vec::new();
    for path in paths {
        let inside = path.strip_prefix(&root).expect("below src");
        let module = inside
            .iter()
            .next()
            .and_then(|first| Path::new(first).file_stem())
            .and_then(|stem| stem.to_str())
            .expect("a file name in ASCII");
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let Some(own) = layer(module) else {
            wrong.push(format!("{module}: has no place in LAYERS"));
            continue;
        };
        let text = fs::read_to_string(&path).expect("source text");
        // Unit tests are last in a file and may reach for whatever shows the matter best.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            for name in named(line) {
                let allowed = name == module || layer(name).is_none_or(|other| other < own);
                if !allowed {
                    wrong.push(format!(
                        "{}:{}: {module} names {name}",
                        inside.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The paths that code names through `crate::`, `super::` or `self::`, those of brace lists one by one.
fn named_paths(code: &str) -> Vec<String> {
    let code: String = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .collect::<Vec<_>>()
        .join(" ");
    let mut found = Vec::new();
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut rest = code.as_str();
    while let Some(at) = ["crate::", "super::", "self::"]
        .iter()
        .filter_map(|p| rest.find(p))
        .min()
    {
        let path = &rest[at..];
        let end = path.find(|c| !part(c)).unwrap_or(path.len());
        let (stem, tail) = path.split_at(end);
        match tail.strip_prefix('{').filter(|_| stem.ends_with("::")) {
            Some(list) => rest = expand(stem, list, &mut found),
            None => {
                found.push(stem.to_string());
                rest = tail;
            }
        }
    }
    found
}

/// Expands a brace list that has been opened after `stem`; what follows its end comes back.
fn expand<'c>(stem: &str, mut list: &'c str, found: &mut Vec<String>) -> &'c str {
    loop {
        list = list.trim_start_matches([' ', ',']);
        if let Some(rest) = list.strip_prefix('}') {
            return rest;
        }
        let end = list.find([',', '{', '}']).unwrap_or(list.len());
        let (item, tail) = list.split_at(end);
        let path = format!(
            "{stem}{}",
            item.split(" as ").next().unwrap_or_default().trim()
        );
        list = match tail.strip_prefix('{') {
            Some(inner) => expand(&path, inner, found),
            None => {
                found.push(path);
                tail
            }
        };
        if list.is_empty() {
            return list;
        }
    }
}

/// The item of `folder` that a path leads to from a file `depth` folders below it.
fn inner<'p>(path: &'p str, folder: &str, depth: usize) -> Option<&'p str> {
    let absolute = format!("crate::{folder}::");
    let rest = match path.strip_prefix(&absolute) {
        Some(rest) => rest,
        None => {
            let rest = path.trim_start_matches("super::");
            ((path.len() - rest.len()) / "super::".len() == depth && depth > 0).then_some(rest)?
        }
    };
    let name = rest.split("::").next().unwrap_or_default();
    (!name.is_empty() && name != "super").then_some(name)
}

/// Names that a folder's `mod.rs` passes on, with the submodule each comes from.
fn passed_on(text: &str) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for statement in text.split("pub use ").skip(1) {
        let tree = statement.split(';').next().unwrap_or_default();
        let tree = tree.trim_start_matches("self::");
        for path in named_paths(&format!("self::{tree}")) {
            let mut parts = path.trim_start_matches("self::").split("::");
            if let (Some(module), Some(name)) = (parts.next(), parts.last()) {
                names.insert(name.to_string(), module.to_string());
            }
        }
    }
    names
}

#[test]
fn a_floor_names_only_itself_and_lower_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (folder, floors) in FLOORS {
        let level = |name: &str| floors.iter().position(|floor| floor.contains(&name));
        let own_file = root.join(folder).join("mod.rs");
        let passed = passed_on(&fs::read_to_string(&own_file).expect("source text"));
        let mut paths = Vec::new();
        files(&root.join(folder), &mut paths);
        for path in paths.iter().filter(|path| **path != own_file) {
            let inside = path.strip_prefix(root.join(folder)).expect("below it");
            let parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
            let module = parts[0].trim_end_matches(".rs");
            let Some(own) = level(module) else {
                wrong.push(format!("{folder}/{module} is on no floor"));
                continue;
            };
            // `super::` of a file is its folder; `mod.rs` is the folder itself.
            let depth = parts.len() - usize::from(parts.ends_with(&["mod.rs"]));
            let text = fs::read_to_string(path).expect("source text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for path in named_paths(code) {
                let Some(name) = inner(&path, folder, depth) else {
                    continue;
                };
                let target = passed.get(name).map_or(name, String::as_str);
                if level(target).is_some_and(|other| other > own) {
                    wrong.push(format!("{folder}/{}: names {path}", inside.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn paths_are_found_in_lists_and_in_code() {
    let code =
        "use super::{a::{B, c::D as E}, f};\nlet x = crate::g::h(super::super::i::J); // super::k";
    let wanted = [
        "super::a::B",
        "super::a::c::D",
        "super::f",
        "crate::g::h",
        "super::super::i::J",
    ];
    assert_eq!(named_paths(code), wanted);
    assert_eq!(inner("super::super::i::J", "any", 2), Some("i"));
    assert_eq!(inner("super::i::J", "any", 2), None);
    assert_eq!(inner("crate::any::i::J", "any", 2), Some("i"));
    assert_eq!(passed_on("pub use a::{B, C};\npub use d::E;").len(), 3);
}

/// Left alone, proptest makes a folder of its own beside `src` for the cases that fail.
#[test]
fn laws_say_where_cases_that_failed_are_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(&root.join("src"), &mut paths);
    files(&root.join("tests"), &mut paths);
    let law = ["proptest", "! {"].concat();
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("source text");
        for tail in text.split(&law).skip(1) {
            let config = tail.trim_start().lines().next().unwrap_or_default();
            if !config.contains("failure_persistence: ") {
                wrong.push(path.display().to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Tables with a column of generations.
const COLUMNS: &[&str] = &[
    "surface/format/table.rs",
    "surface/format/media.rs",
    "surface/state/tables.rs",
    "sampler/state/tables.rs",
    "sampler/avs/packed/fields.rs",
    "sampler/deinterlace/packed.rs",
];

/// What a line of code names of platforms and generations: variants, or all of them at once.
fn platforms_named(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    let mut found = Vec::new();
    for kind in ["Platform::", "Generation::", "Since::"] {
        for (at, _) in code.match_indices(kind) {
            let whole = !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let tail = &code[at + kind.len()..];
            let end = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &tail[..end.unwrap_or(tail.len())];
            // Constants are facts of the table, as `Platform::ALL`; functions begin in lower case.
            let variant = name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.contains(|c: char| c.is_ascii_lowercase());
            if whole && (variant || tail.starts_with(['*', '{'])) {
                found.push(format!("{kind}{name}"));
            }
        }
    }
    found
}

/// The files and folders that only tests have: `#[cfg(test)] mod name;`.
fn modules_of_tests(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(path).expect("source text");
        for tail in text.split("#[cfg(test)]").skip(1) {
            let line = tail.trim_start().lines().next().unwrap_or_default();
            let Some(name) = line.strip_suffix(';').and_then(|l| l.split("mod ").nth(1)) else {
                continue;
            };
            let own = path
                .file_stem()
                .is_some_and(|stem| stem == "mod" || stem == "lib");
            let folder = if own {
                path.parent().expect("a folder").into()
            } else {
                path.with_extension("")
            };
            found.extend([folder.join(format!("{name}.rs")), folder.join(name)]);
        }
    }
    found
}

/// Code asks for a fact of the platform's row; only `isa` and tables with a column of generations have names.
#[test]
fn platforms_are_named_in_tables_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let tests = modules_of_tests(&paths);
    let mut wrong = Vec::new();
    for path in &paths {
        let inside = path
            .strip_prefix(&root)
            .expect("below src")
            .display()
            .to_string();
        let inside = inside.replace('\\', "/");
        let apart = |starts: &[&str]| starts.iter().any(|start| inside.starts_with(start));
        if apart(&["isa/"]) || apart(COLUMNS) || tests.iter().any(|t| path.starts_with(t)) {
            continue;
        }
        let text = fs::read_to_string(path).expect("source text");
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            for name in platforms_named(line) {
                wrong.push(format!("{inside}:{}: {name}", number + 1));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "ask for a fact of `isa::platforms`:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn names_of_platforms_are_seen() {
    assert_eq!(
        platforms_named("if platform == Platform::Skl {"),
        ["Platform::Skl"]
    );
    assert_eq!(
        platforms_named("use crate::isa::Generation::{self, *};"),
        ["Generation::"]
    );
    assert_eq!(
        platforms_named("Platform::ALL, Platform::from_name(x) // Platform::Skl"),
        [""; 0]
    );
}
