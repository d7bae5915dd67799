//! Binary structures of the sampler: SAMPLER_STATE, border colours, and the commands that load what several
//! states share.
//!
//! * [`tables`]: which bits hold what. * [`rules`]: what may not occur together.
//! * [`commands`]: palettes, chroma keys, the size of the monochrome filter.
//!
//! The mechanism of fields is that of the surface states, [`crate::surface::state`].
//!
//! Source: surface reference 5.5 to 5.7.

pub mod commands;
pub mod rules;
pub mod tables;

pub use tables::{
    BORDER_DRIVER, BORDER_GEN5, BORDER_GEN9, CHROMA_KEY, MONO_FILTER, PALETTE_LOAD, SAMPLER_GEN5,
    SAMPLER_GEN9, border_of_driver, border_orders_differ, border_structure, structure,
};
