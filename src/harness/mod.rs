//! Programs run from files: directives in comments, bindings, dumps, expectations, and the test runner.
//!
//! Start at [`directive`], which says what a comment may ask for.

pub mod comments;
pub mod compare;
pub mod directive;
pub mod expect;
pub mod front;
pub mod load;
pub mod values;
pub mod words;
pub mod write;
