//! Every program below `tests/cases` and `samples` is a test, named by its path: `visim test` and
//! `cargo test` run the same code. `BLESS=1` writes what was found in place of what is expected, except
//! where `by hand:` is. Each runs a second time with its messages going through their bits, and a third time under
//! the sanitizer.

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

/// Programs that do what the sanitizer finds, on purpose or because another rule is what they are about. All others
/// are clean under it.
const FINDINGS: [(&str, &str); 15] = [
    (
        "samples/sends/42-sends-scatter.send",
        "the eighth channel is outside the buffer",
    ),
    (
        "samples/kernels/52-soften.bin",
        "the compiler copies the fourth element of a vector of three",
    ),
    (
        "tests/cases/audit/w08-owords-of-a-buffer.send",
        "the bounds of buffers",
    ),
    (
        "tests/cases/dataport/barrier-raw.visa",
        "threads that meet at two barriers",
    ),
    (
        "tests/cases/dataport/tgm-atomic.visa",
        "the bounds of typed atomics",
    ),
    (
        "tests/cases/dataport/typed-read.visa",
        "the bounds of typed reads",
    ),
    (
        "tests/cases/loads/qwords.visa",
        "the bounds and the alignment of qwords",
    ),
    ("tests/cases/media/store.visa", "the bounds of media blocks"),
    (
        "tests/cases/observe/race-in-group.visa",
        "a race, with nothing in shared memory before it",
    ),
    ("tests/cases/sampler/null.visa", "null surfaces"),
    (
        "tests/cases/sends/end-without-r0.send",
        "an end of thread without r0",
    ),
    (
        "tests/cases/sends/ignored-bits.send",
        "half a register is copied and half of it written",
    ),
    (
        "tests/cases/sends/media-block.send",
        "eight bytes of a register are copied with all of it",
    ),
    (
        "tests/cases/sends/target-linear.send",
        "a refused message, sent without its colours",
    ),
    (
        "tests/cases/sends/write-after-read.send",
        "an order, of messages without data",
    ),
];

/// The law of the sanitizer: it finds nothing in a program that is not about a finding.
fn sanitized(path: &Path, name: &str) -> Result<(), Failed> {
    let options = Options {
        sanitize: true,
        ..Options::default()
    };
    let said = case::run(path, &options).text(false);
    let found = said.lines().find(|line| line.starts_with("undefined[U067"));
    let about = FINDINGS.iter().any(|(file, _)| *file == name);
    match (found, about) {
        (Some(_), false) => Err(format!("\n{said}").into()),
        (None, true) => Err("nothing is found: take it from the list".into()),
        _ => Ok(()),
    }
}

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
        Status::Failed | Status::NoExpectation | Status::Unsupported => {
            Err(format!("\n{}", verdict.text(false)).into())
        }
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
            let (again, third): (PathBuf, PathBuf) = (path.clone(), path.clone());
            trials.push(Trial::test(name.clone(), move || run(&path, false)));
            // The law of messages: by way of their bits the same bytes come out.
            let asks =
                std::fs::read_to_string(&third).is_ok_and(|text| text.contains("--sanitize"));
            if !asks {
                let name = name.clone();
                let title = format!("{name} sanitized");
                trials.push(Trial::test(title, move || sanitized(&third, &name)));
            }
            let name = format!("{name} through bits");
            trials.push(Trial::test(name, move || run(&again, true)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
