//! visim runs Intel vISA assembly text without a GPU.
#![deny(unsafe_code)]

pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod dataport;
pub mod diagnostic;
pub mod exec;
pub mod harness;
pub mod isa;
pub mod launch;
pub mod lower;
pub mod message;
pub mod program;
pub mod sampler;
pub mod source;
pub mod surface;
pub mod syntax;
pub mod tld;
