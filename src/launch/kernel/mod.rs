//! Whole compiled kernels: what the compiler says of one, what the caller gives it, and how both become
//! the registers, surfaces and addresses that its text expects.
//!
//! ```text
//!  launch.json ─┐
//!  .ze_info ────┼─▶ Description ─┐
//!  patch tokens ┘                ├─▶ PreparedLaunch: Bindings, a payload for each thread, a Grid
//!  command line ───▶ Arguments ──┘
//! ```
//!
//! * [`description`]: what the compiler says, in one form whatever wrote it.
//! * [`binary`]: what the compiler says in its own files. * [`json`]: `launch.json`, description and arguments in one file.
//! * [`data`]: what the program brings along.
//! * [`argument`] and [`image`]: what the caller gives.
//! * [`payload`]: register bytes before the first instruction. * [`prepared`]: everything put together.
//! * [`values`]: memory written as values. * [`compare`]: outputs held against what is expected of them.
//!
//! Source: launch reference, whole.

pub mod argument;
pub mod binary;
pub mod compare;
pub mod data;
pub mod description;
pub mod image;
pub mod json;
mod patch;
pub mod payload;
pub mod prepared;
mod printf;
mod schema;
pub mod values;
mod zeinfo;

pub use argument::{Addressing, Argument, Buffer, SamplerChoice, Size};
pub use description::{Compiler, Content, Description, Handle, Piece, SamplerSlot, SurfaceSlot};
pub use prepared::PreparedLaunch;

use crate::diagnostic::{Code, Diagnostic};

/// What cannot be launched, and why.
pub type Refused = Box<Diagnostic>;

fn refuse(code: Code, what: impl Into<String>) -> Refused {
    Box::new(Diagnostic::with_message(code, what).see("launch reference 1"))
}
