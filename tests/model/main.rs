//! The model: laws, tables and programs of every stage from text to surfaces, and the lowering beside the
//! finalizer's.

mod descriptions;

mod bad_state;
mod bound_states;
mod execution;
mod faults;
mod findings;
mod formats;
mod laws;
mod layouts;
mod lsc_bits;
mod math;
mod messages;
mod mutants;
mod oracle;
mod raw_messages;
mod sampler;
mod sends;
mod state;
mod tld;
mod watched;
