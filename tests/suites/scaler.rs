//! AVS messages with their inputs and the bytes they return, through the definition and the fast kernels.

use super::{Case, files, read};
use std::path::Path;
use visim::sampler::avs::Kernels;

// Its own test function and what only that needs stay behind.
#[allow(dead_code, unused_imports)]
#[path = "../avs.rs"]
mod avs;

/// `avs`: a JSON file for each case.
pub fn cases(folder: &Path) -> Vec<Case> {
    let case = |(name, path): (String, std::path::PathBuf)| {
        Case::new(&name, move || {
            let case = serde_json::from_str(&read(&path)?).map_err(|e| e.to_string())?;
            avs::run_case(&case, Kernels::Fast)?;
            avs::run_case(&case, Kernels::Reference)
        })
    };
    files(folder, "json").into_iter().map(case).collect()
}
