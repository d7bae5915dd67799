//! What a diagnostic offers for pasting: pasted, it ends the finding.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use visim::internals::check::{CheckOptions, check};
use visim::internals::diagnostic::{Diagnostic, render};
use visim::internals::isa::Platform;
use visim::internals::source::Source;
use visim::internals::syntax::{ParseOptions, parse};

/// What reading and checking say of a text, for the platform that it names.
fn found(text: &str) -> (Source, Vec<Diagnostic>) {
    let named = text
        .lines()
        .find_map(|line| line.strip_prefix("// PLATFORM "));
    let platform = named.and_then(|name| Platform::from_name(name.trim()));
    let options = CheckOptions {
        platform: platform.unwrap_or(Platform::Skl),
        ..CheckOptions::default()
    };
    let source = Source::new("case.visa", text);
    let grf_bytes = options.platform.grf_bytes();
    let parsed = parse(&source, &ParseOptions { grf_bytes });
    let mut all = parsed.diagnostics;
    all.extend(check(&parsed.module, &options).1);
    (source, all)
}

/// How many diagnostics have the code of `like` on its line.
fn alike(source: &Source, all: &[Diagnostic], like: (&str, usize)) -> usize {
    let key = |d: &Diagnostic| Some((d.code.to_string(), source.line_of(d.span()?.start)));
    let keys = all.iter().filter_map(key);
    keys.filter(|(code, line)| (code.as_str(), *line) == like)
        .count()
}

fn cases(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().is_some_and(|e| e == "visa") {
            true => into.push(path),
            false if path.is_dir() => cases(&path, into),
            false => {}
        }
    }
}

/// The law: in every case, each text that is offered for pasting ends the finding that offers it.
#[test]
fn what_is_pasted_ends_the_finding() {
    let mut files = Vec::new();
    cases(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"),
        &mut files,
    );
    let mut pasted = BTreeSet::new();
    for file in files {
        // Texts in another encoding are cases too.
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let (source, before) = found(&text);
        for diagnostic in &before {
            let Some(fix) = &diagnostic.fix else { continue };
            let code = diagnostic.code.to_string();
            let line = source.line_of(fix.span.start);
            let (start, end) = (fix.span.start as usize, fix.span.end as usize);
            let mended = format!("{}{}{}", &text[..start], fix.text, &text[end..]);
            let (other, after) = found(&mended);
            let left = alike(&other, &after, (&code, line));
            assert!(
                left < alike(&source, &before, (&code, line)),
                "{}: pasted `{}`, and still\n{}",
                file.display(),
                fix.text,
                render(diagnostic, &source, false)
            );
            pasted.insert(code);
        }
    }
    // A law that nothing tries holds of everything.
    for code in ["E0101", "E0102", "E0202", "E0303", "E0404", "W0307"] {
        assert!(
            pasted.contains(code),
            "no case offers a text for {code}: {pasted:?}"
        );
    }
}
