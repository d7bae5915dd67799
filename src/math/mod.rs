//! Extended math: the functions themselves, and the unit of the PRM that serves them by message.
//!
//! * The functions (`inv log2 exp2 sqrt rsqrt sin cos pow` and relatives) take and return `f64`: one
//!   value close to the true one, rounded once by whoever asked.
//! * [`mod@unit`] is the shared function of the PRM: function codes, special values in both float modes,
//!   integer division, scalar and vector operands, rounds for each element.
//! * [`simd`]: instructions that not every host has, for the loops of all modules.
//!
//! Instructions of vISA use the same functions and special values ([`unit::value`]). Their rules differ
//! in three places: `%cr0` says whether denormals are flushed and how results round, `div` by an
//! integer zero follows the text reference (6.4), and half floats and doubles exist.

mod functions;
pub mod simd;
mod table;
pub mod unit;

pub use functions::{COS_SERIES, LOG2_SERIES, SIN_SERIES};
pub use functions::{EXP2_RANGE, EXP2_ROOTS, EXP2_SERIES, EXP2_STEPS, TO_INTEGER};
pub use functions::{cos, div, exp2, inv, log2, pow, rsqrt, sigm, sin, sqrt, tanh};
