//! visim runs Intel vISA assembly text without a GPU.
//!
//! ```text
//!  .visa text ─ syntax ─▶ Module ─ check ─▶ Checked ─ lower ─▶ Program ─ exec ─▶ registers, surfaces
//!                                                                         │ one Request for each message
//!                                                                         ▼
//!                                              message ◀─▶ sampler │ dataport ─▶ surface
//! ```
//!
//! * [`syntax::parse`] reads text into lines, [`syntax::print`] writes them back.
//! * [`check::check`] applies every rule once and numbers what was named.
//! * [`lower::lower`] turns a kernel into ops over one block of bytes.
//! * [`launch::run`] starts a grid of threads on it; [`exec`] is one thread.
//! * [`sends`] and [`tld`] are front ends of their own: messages of Ironlake, texture loads of Maxwell.
//! * [`surface`], [`sampler`] and [`dataport`] are the memory and texture world, which never sees a program.
//! * [`finalizer`] prints the messages that Intel's finalizer makes of an instruction.
//! * [`explain`], [`harness`] and the command line only read what the others produce.
//!
//! Every stage returns all that it finds as [`diagnostic::Diagnostic`]s.
//!
//! ```
//! use visim::check::{CheckOptions, check};
//! use visim::launch::{Bindings, Grid, RunOptions, Silent, run};
//! use visim::lower::{LowerOptions, lower};
//! use visim::source::Source;
//! use visim::syntax::{ParseOptions, parse};
//!
//! let text = r#".version 4.1
//! .kernel "sum"
//! .decl V32 v_type=G type=d num_elts=8 align=GRF
//!     mov (M1, 8) V32(0,0)<1> 40:d
//!     add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 2:d
//!     ret (M1, 1)
//! "#;
//! let parsed = parse(&Source::new("sum.visa", text), &ParseOptions::default());
//! assert!(parsed.diagnostics.is_empty());
//! let (checked, diagnostics) = check(&parsed.module, &CheckOptions::default());
//! assert!(diagnostics.is_empty());
//! let program = lower(&checked, "sum", &LowerOptions::default()).unwrap();
//! let bindings = Bindings::default();
//! let outcome = run(&program, &bindings, &Grid::single(), &RunOptions::default(), |_| Silent).unwrap();
//! assert_eq!(outcome.threads[0].bytes(&program, "V32").unwrap()[..4], [42, 0, 0, 0]);
//! ```
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod base;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod dataport;
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
pub mod sampler;
pub mod sends;
pub mod source;
pub mod surface;
pub mod syntax;
pub mod tld;
#[cfg(feature = "cli")]
pub mod video;

/// The Rust block of README.md, tried with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
