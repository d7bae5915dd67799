//! visim runs Intel vISA assembly text without a GPU.
//!
//! ```text
//!  .visa text ─ syntax ─▶ Module ─ check ─▶ Checked ─ lower ─▶ Program ─ exec ─▶ registers, surfaces
//!                                                                         │ one Request for each message
//!                                                                         ▼
//!                                              message ◀─▶ sampler │ dataport ─▶ surface
//! ```
//!
//! Media blocks, the 3D sampler, AVS and all else that a kernel asks of the hardware become messages with the bits of
//! the platform, which are served against modelled surfaces and samplers, to the byte.
//!
//! A host uses the few names of this page:
//!
//! ```
//! use visim::{Simulator, Source};
//!
//! let text = r#".version 4.1
//! .kernel "sum"
//! .decl V32 v_type=G type=d num_elts=8 align=GRF
//!     mov (M1, 8) V32(0,0)<1> 40:d
//!     add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 2:d
//!     ret (M1, 1)
//! "#;
//! let outcome = Simulator::new(Source::new("sum.visa", text)).run()?;
//! assert_eq!(outcome.register("V32").unwrap()[..4], 42i32.to_le_bytes());
//! # Ok::<(), visim::Report>(())
//! ```
//!
//! | name | what it is |
//! |---|---|
//! | [`Source`] | a text with its name |
//! | [`Module`] | a text that was read; printed, the canonical form |
//! | [`Program`] | a kernel that was checked and lowered for a platform |
//! | [`Platform`] | a GPU generation |
//! | [`Simulator`] | a run, put together: program, surfaces, samplers, start values, grid |
//! | [`Surface`], [`SamplerState`] | what is bound to a run |
//! | [`Variable`] | a variable of a program: name, type, elements
//! | [`Outcome`] | registers, surfaces and counts after a run |
//! | [`Observer`] | what watches a run |
//! | [`Report`], [`Diagnostic`] | what is wrong, and where |
//! | [`Files`], [`Readable`], [`Disk`], [`InMemory`] | where the files that programs name are read from |
//!
//! The stages of the pipeline are for contributors: `cargo doc --features internals` makes their pages, of which the one of
//! the module `internals` is the first to read.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod api;

/// The stages, for the project's own tests and benches; nothing here is promised to stay as it is.
///
/// * [`syntax::parse`] reads text into lines, [`syntax::print`](fn@syntax::print) writes them back.
/// * [`check::check`] applies every rule once and numbers what was named.
/// * [`lower::lower`] turns a kernel into ops over one block of bytes.
/// * [`launch::run`] starts a grid of threads on it; [`exec`] is one thread.
/// * [`sends`] and [`tld`] are front ends of their own: messages of Ironlake, texture loads of Maxwell.
/// * [`surface`], [`sampler`] and [`dataport`] are the memory and texture world, which never sees a program.
/// * [`finalizer`] prints the messages that Intel's finalizer makes of an instruction.
/// * [`explain`], [`harness`] and the command line only read what the others produce.
///
/// Every stage returns all that it finds as [`Diagnostic`]s. [Recipes](crate::internals::recipes) say how to add to them.
#[cfg_attr(not(feature = "internals"), doc(hidden))]
#[path = ""]
pub mod internals {
    pub mod base;
    pub mod check;
    #[doc = include_str!("contradictions.md")]
    pub mod contradictions {}
    #[cfg(feature = "cli")]
    pub mod cli;
    pub mod dataport;
    #[cfg(feature = "cli")]
    pub mod debug;
    pub mod diagnostic;
    pub mod exec;
    pub mod explain;
    pub mod files;
    pub mod finalizer;
    pub mod harness;
    pub mod isa;
    pub mod launch;
    pub mod lower;
    pub mod math;
    pub mod message;
    pub mod observe;
    pub mod program;
    #[doc = include_str!("recipes.md")]
    pub mod recipes {}
    pub mod sampler;
    pub mod sends;
    pub mod source;
    pub mod surface;
    pub mod syntax;
    pub mod tld;
    #[cfg(feature = "cli")]
    pub mod video;
    pub mod visa_binary;
}

// Inside the crate every stage is `crate::stage`.
use internals::{
    base, check, dataport, diagnostic, exec, explain, files, finalizer, harness, isa, launch,
    lower, math, message, observe, program, sampler, sends, source, surface, syntax, tld,
    visa_binary,
};
#[cfg(feature = "cli")]
use internals::{debug, video};

pub use api::{Module, Outcome, Program, Report, SamplerState, Simulator, Surface, Variable};
pub use diagnostic::Diagnostic;
pub use exec::Observer;
pub use files::{Disk, Files, InMemory, Readable};
pub use isa::Platform;
pub use source::Source;

/// The Rust block of README.md, tried with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
