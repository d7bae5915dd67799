//! Programs run from files: directives in comments, bindings, dumps, expectations, and the test runner.
//!
//! ```text
//!  text ─ directive ─▶ Layers ─ session (bind, lower, launch) ─▶ registers, surfaces ─ case ─▶ Verdict
//! ```
//!
//! Start at [`directive`], which says what a comment may ask for, then [`session`].

pub mod argument;

pub mod bind;
pub mod case;
pub mod clauses;
pub mod comments;
pub mod companion_files;
pub mod compare;
pub mod compile;
pub mod contents;
pub mod diff;
pub mod directive;
pub mod dump;
pub mod dump_folder;
pub mod expect;
pub mod front;
pub mod grants;
pub mod kernel;
pub mod language;
pub mod launch;
pub mod load;
mod meant;
pub mod output;
pub mod pair;
pub mod program_file;

pub mod run_result;
pub mod sampler;
pub mod sends;
pub mod session;
pub mod shape;
pub mod states;
#[cfg(feature = "cli")]
pub mod stepped;
pub mod tld;

pub mod tld_vs_load;
pub mod values;
pub mod words;
