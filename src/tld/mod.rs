//! TLD: texel fetch in NVIDIA Maxwell assembly, a second front end over the formats of [`crate::surface`].
//!
//! ```text
//!  .tld text ─ parse ─┐
//!                     ├─▶ Tld ─ packing ─▶ Inputs ─┐
//!  64-bit word ─ word ┘    │                       ├─ fetch ─▶ Fetch ─▶ registers, Ps
//!                        rules        header ─▶ Texture                (masked, contiguous)
//!                          │                       │
//!                          ▼                       └ component (bits to numbers), block_linear (addresses)
//!                     diagnostics
//! ```
//!
//! * [`instruction`]: the instruction as data. * [`parse`](mod@parse), [`print`](mod@print): its text. * [`word`]: its 64 bits.
//! * [`rules`]: what is refused, always or under `--strict`. * [`packing`]: which register holds what.
//! * [`header`]: the 256-bit texture header. * [`component`]: component sizes and types, as channels of the
//!   one format model. * [`block_linear`]: where texels lie. * [`texture`]: a header made ready.
//! * [`fetch`](mod@fetch): one fetch, step by step. * [`explain`]: a fetch in words.
//! * [`machine`]: threads and textures that run statements.
//!
//! One thread fetches at a time: threads of a warp do not see each other here. Not here: TLDS and the
//! texture loads of Volta and later, which are recognised and refused by name.
//!
//! Source: NVIDIA's TLD page (SPA 5.0) and the TLD reference, whose rules are cited one by one.

pub mod block_linear;
pub mod component;
pub mod explain;
pub mod fetch;
pub mod header;
pub mod instruction;
pub mod machine;
pub mod packing;
pub mod parse;
pub mod print;
pub mod rules;
pub mod texture;
mod tlds;
pub mod word;

pub use fetch::{AddressSpace, End, Fetch, HeaderPool, Inputs, Residency, Textures, Thread, Trap};
pub use header::Header;
pub use instruction::{Dim, Guard, Handle, Lod, Phase, Pred, Reg, Tld};
pub use parse::{Statement, parse, parse_one};
pub use rules::{Strictness, Violation};
pub use texture::Texture;
