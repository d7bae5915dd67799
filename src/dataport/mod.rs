//! The data port: raw bytes between registers and surfaces, without format conversion or filtering.
//!
//! Every function takes a checked [`Surface`](crate::surface::Surface) and a typed request; registers are
//! plain byte slices. Which lanes are on, and where the bytes land in the register file, is the
//! executor's business.

pub mod block;
pub mod buffer;
pub mod deblock;
pub mod target;
pub mod touch;
pub mod typed;
pub mod unorm;
pub mod untyped;
