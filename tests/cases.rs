//! Every program below `tests/cases` and `samples` is a test, named by its path: `visim test` and
//! `cargo test` run the same code. `BLESS=1` writes what was found in place of what is expected, except
//! where `by hand:` is. Each runs a second time with its messages going through their bits.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use visim::internals::harness::case::{self, Status};
use visim::internals::harness::session::Options;

/// Programs of text newer than any modelled message: by way of bits they are refused.
const NO_BITS: [&str; 3] = [
    "newer-text.visa",
    "newer-samples.visa",
    "newer-gathers.visa",
];

fn run(path: &Path, through_bits: bool) -> Result<(), Failed> {
    let options = Options {
        through_bits,
        ..Options::default()
    };
    let mut verdict = case::run(path, &options);
    if !through_bits && std::env::var_os("BLESS").is_some() && verdict.bless()? {
        verdict = case::run(path, &options);
    }
    if through_bits && NO_BITS.iter().any(|name| path.ends_with(name)) {
        let said = verdict.text(false);
        return match said.contains("the message has no bits on") {
            true => Ok(()),
            false => Err(format!("\nnot refused by way of bits\n{said}").into()),
        };
    }
    match verdict.status {
        Status::Passed | Status::KnownFailure => Ok(()),
        Status::Failed => Err(format!("\n{}", verdict.text(false)).into()),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for folder in ["samples", "tests/cases"] {
        let found = case::find(&root.join(folder)).unwrap_or_else(|why| panic!("{why}"));
        assert!(!found.is_empty(), "{folder} holds no programs");
        for path in found {
            let name = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .display()
                .to_string();
            let again: PathBuf = path.clone();
            trials.push(Trial::test(name.clone(), move || run(&path, false)));
            // The law of messages: by way of their bits the same bytes come out.
            let name = format!("{name} through bits");
            trials.push(Trial::test(name, move || run(&again, true)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
