//! visim
#![deny(unsafe_code)]
pub mod diagnostic;
pub mod isa;
pub mod message;
pub mod source;
pub mod surface;
pub mod syntax;
