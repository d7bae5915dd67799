//! Programs and messages for people who want to understand them.
//!
//! [`bits`] takes a message apart, field by field; [`line`](mod@line) follows one line of a program: what is
//! at each position, what it becomes, what it writes; [`state`] takes packed states apart;
//! [`listing`] finds the sends of a listing; [`picture`] draws what an instruction touches. They only show what other stages produced.

pub mod bits;
mod contradictions;
pub mod drawing;
pub mod line;
pub mod listing;
pub mod manual;
mod operands;
#[cfg(feature = "cli")]
pub mod page;
pub mod picture;
pub mod state;
pub mod stepped;

pub use operands::of_opcode as operand_names;
