//! Binary state structures of surfaces: fields by name, rules, and surfaces from packed state and back.
//!
//! * [`field`](mod@field): what a field and a [`Structure`] is; the sampler's states use the same.
//! * [`tables`]: which bits hold what. * [`rules`]: what may not occur together.
//! * [`describe()`]: packed words to a [`Description`](super::Description). * [`pack()`]: the way back.
//! * [`media`]: both ways for the media sampler's messages; [`written`]: from a file of fields. * [`binding`]: from a table entry to a state.
//!
//! Bits that no field names are reserved: they should be zero ([`Structure::check`] says where they are
//! not), are ignored when read, and zero when written.
//!
//! Source: surface reference 5; field names as Mesa's genxml has them.

pub mod binding;
pub mod describe;
pub mod field;
pub mod media;
pub mod pack;
pub mod rules;
pub mod tables;
pub mod written;

pub use describe::{control_words, describe, structure};
pub use field::{Number, StateField, Structure};
pub use pack::pack;
pub use tables::{BINDING_GEN5, BINDING_GEN9, MEDIA_GEN5, MEDIA_GEN9, SURFACE_GEN5, SURFACE_GEN9};

/// The field of this name.
pub fn named(structure: &Structure, name: &str) -> Option<StateField> {
    structure.field(name).copied()
}
