//! What ops compute: values in, values out. The reference (`general`) and the fast form of it (`decoded`), which
//! are equal by law.

pub mod alu;
pub(crate) mod decoded;
pub(crate) mod exact;
pub mod float;
pub(crate) mod general;
#[cfg(test)]
pub(crate) mod laws;
pub mod native;
mod ops;
pub mod packed;
pub(crate) mod reads;
