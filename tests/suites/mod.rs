//! The suites, each a list of cases made from a folder.

mod formats;
mod kernels;
mod kernels_2026;
mod lowering;
pub mod random_2026;
mod sampling;
mod scaler;
mod text;
mod tld;
mod visa_binary;

use std::path::{Path, PathBuf};

/// One case, ready to run.
pub struct Case {
    /// What it is called inside its suite.
    pub name: String,
    /// Runs it; the error says what is wrong.
    pub run: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Case {
    pub fn new(name: &str, run: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Case {
        Case {
            name: name.to_string(),
            run: Box::new(run),
        }
    }
}

/// How the reason of a case begins that ends with an `unsupported` diagnostic.
pub const NOT_MODELLED: &str = "not modelled: ";

/// A suite: the folder's name and how its cases are made, or why there is no runner.
pub struct Suite {
    pub name: &'static str,
    pub cases: Result<fn(&Path) -> Vec<Case>, &'static str>,
}

/// Every suite, in the order in which their lines are printed.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "text",
        cases: Ok(text::accepted),
    },
    Suite {
        name: "text-canonical",
        cases: Ok(text::canonical),
    },
    Suite {
        name: "text-bad",
        cases: Ok(text::refused),
    },
    Suite {
        name: "text-other-platforms",
        cases: Ok(text::other_platforms),
    },
    Suite {
        name: "formats",
        cases: Ok(formats::cases),
    },
    Suite {
        name: "avs",
        cases: Ok(scaler::cases),
    },
    Suite {
        name: "avs-more",
        cases: Ok(scaler::cases),
    },
    Suite {
        name: "lowering",
        cases: Ok(lowering::cases),
    },
    Suite {
        name: "lowering-2026",
        cases: Ok(lowering::cases_of_2026),
    },
    Suite {
        name: "kernels",
        cases: Ok(kernels::cases),
    },
    Suite {
        name: "kernels-more",
        cases: Ok(kernels::cases),
    },
    Suite {
        name: "kernels-2026",
        cases: Ok(kernels_2026::cases),
    },
    Suite {
        name: "tld",
        cases: Ok(tld::cases),
    },
    Suite {
        name: "visa-binary",
        cases: Ok(visa_binary::cases),
    },
];

/// The files of a folder with an extension, sorted: stem and path.
pub fn files(folder: &Path, extension: &str) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut found: Vec<(String, PathBuf)> = entries
        .map(|e| e.expect("a folder entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .filter_map(|p| Some((p.file_stem()?.to_str()?.to_string(), p)))
        .collect();
    found.sort();
    found
}

pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
