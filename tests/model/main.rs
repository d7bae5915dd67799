//! The model: laws, tables and programs of every stage from text to surfaces, and the lowering beside the
//! finalizer's.

mod bad_state;
mod base;
mod bound_states;
mod dataport;
mod descriptions;
mod doubts;
mod execution;
mod explain;
mod faults;
mod findings;
mod formats;
#[cfg(feature = "cli")]
mod fuzz;
mod isa;
mod laws;
mod layouts;
mod lsc_bits;
mod math;
mod messages;
mod mutants;
mod observe;
mod oracle;
mod raw_messages;
mod sampler;
mod sends;
mod state;
mod surface;
mod syntax;
mod tld;
#[cfg(feature = "cli")]
mod video;
mod visa_binary;
mod watched;
