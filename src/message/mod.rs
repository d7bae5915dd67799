//! Messages to the shared functions: typed requests, and their bits.
//!
//! [`Request`] says what is asked; [`Message`] is the same as the hardware sees it. [`encode`] and
//! [`decode`] go between them and read the tables of [`fields`], as does [`text`] for people.
//! Nothing here knows of variables or instructions: how vISA becomes messages is `lower::messages`.

pub mod bits;
pub mod dataport;
pub mod fields;
pub mod gen5;
#[cfg(test)]
mod laws;
pub mod natural;
pub mod parameters;
pub mod request;
pub mod sampler;
pub mod sfid;
pub mod text;

pub use bits::{DecodeError, Decoded, EncodeError, Form, Message, decode, encode};
pub use natural::{NoBits, through};
pub use parameters::Parameter;
pub use request::{
    Access, Atomic, AvsRequest, Fence, FieldSelect, MediaBlock, OwordBlock, Request, ReturnFormat,
    SamplerOp, SamplerRequest, Scattered, SvmBlock, SvmScattered, TargetWrite, Typed, UnormRequest,
    Untyped, UrbWrite,
};
pub use sfid::Sfid;
