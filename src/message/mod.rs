//! Messages to the shared functions: typed requests, and their bits.
//!
//! [`Request`] says what is asked; [`Message`] is the same as the hardware sees it. [`encode`] and
//! [`decode`] go between them and read the tables of [`fields`], as does [`text`] for people.
//! Nothing here knows of variables or instructions: how vISA becomes messages is `finalizer`.
//!
//! # Adding a message type
//!
//! Three facts, each in one place. The fence of the data port shows them:
//!
//! 1. Its bits are rows of a table in [`fields`]: name, dword, bits, meaning.
//!    ```text
//!    fence "fence function control" "lowering reference 15" {
//!        TYPE     "message type"  0 [18:14] "7";
//!        COMMIT   "commit"        0 [13:13] "a register comes back when done";
//!    ```
//!    From then on `visim decode`, `visim lower` and `visim explain` name the fields, and a bit in no
//!    row is refused by name.
//! 2. What it asks is a variant of [`Request`] with a struct of its own: [`Fence`]. The build now
//!    fails at the `match`es that must give it bits: `encode` and `decode` of its family, here
//!    `dataport/sync.rs`, and its default lengths in [`default_lengths`].
//! 3. Its meaning is what the executor does when the request arrives: `exec::message::dispatch`.
//!
//! The law of `message/laws.rs` takes a strategy for the new request, and holds encode against decode
//! from there on:
//!
//! ```
//! use visim::internals::isa::Platform;
//! use visim::internals::message::{Fence, MessageForm, Request, decode, encode};
//!
//! let fence = Request::Fence(Fence { local: false, commit: true, l3: 0, l1: false });
//! let message = encode(&fence, &MessageForm::header_only(1), Platform::Skl)?;
//! assert_eq!(message.desc, 0x0219_e000);
//! assert_eq!(decode(&message, Platform::Skl)?.request, fence);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An instruction that sends it becomes one function of `finalizer`, beside its relatives.

pub mod bits;
pub mod codec;
pub mod dataport;
pub mod default_lengths;
mod display;
pub mod e64;
pub mod extended;
pub mod fields;
pub mod gen5;
#[cfg(test)]
mod laws;
pub mod layout;
pub mod lsc;
pub mod math;
pub mod parameters;
pub mod raw_lengths;
pub mod request;
pub mod sampler;
pub mod sfid;
pub mod text;

pub use bits::{DecodeError, Decoded, EncodeError, Message, MessageForm};
pub use codec::{decode, encode};
pub use default_lengths::{NoBits, odd_lengths, through};
pub use layout::{Layout, PayloadPart};
pub use parameters::Parameter;
pub use request::{
    Access, Atomic, AvsRequest, Cache, DataPath, DeinterlaceRequest, DualOword, Fence, FieldSelect,
    GatewayOp, LoopFilter, Lsc, LscBlock2d, LscData, LscFence, LscModel, LscOp, MediaBlock,
    OwordBlock, PixelForm, PixelHeader, PixelWrite, Request, ReturnFormat, SamplerOp,
    SamplerRequest, Scalar, Scale8x8Request, Scattered, Strided, SvmBlock, SvmScattered,
    TargetUnorm, TargetWrite, Typed, UnormRequest, Untyped, UrbWrite, VertexWrite,
};
pub use sfid::Sfid;
