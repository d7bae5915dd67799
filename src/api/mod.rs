//! The library's face: what a host program needs to run vISA text on bytes of its own.
//!
//! ```text
//!  Source ─ Module::parse ─▶ Module ─ Module::program ─▶ Program ─┐
//!     └──────────────────────── Simulator::new ───────────────────┴─▶ Simulator ─ run ─▶ Outcome
//!                    Surface, SamplerState, bytes of registers, Files ──▲                  or Report
//! ```
//!
//! Everything here is built on the stages of the pipeline (`syntax`, `check`, `lower`, `launch`), whose types stay
//! inside the crate.

mod module;
mod outcome;
mod report;
mod simulator;
mod surface;

pub use module::{Module, Program, Variable};
pub use outcome::Outcome;
pub use report::Report;
pub use simulator::Simulator;
pub use surface::{SamplerState, Surface};
