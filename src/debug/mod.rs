//! Stepping through a run, forward and back: what `visim debug` and `visim dap` have in common.
//!
//! ```text
//!  exec ─ Observer calls ─▶ engine ─ Pause ─▶ Face   a terminal, an editor
//!                             ▲  ▲              │
//!                           stops place ◀─ Go ──┘    on, back to, from the start, the end
//! ```
//!
//! The engine runs a [`Stage`](crate::harness::session::Stage) on the caller's thread, one hardware thread at a time, as
//! `visim run --trace` does. It pauses by asking the [`Face`] from inside [`Observer::before`](crate::exec::Observer);
//! where it goes back it ends the run, puts back what memory held at the start and runs again up to the earlier
//! instruction, since a run does the same each time. So it keeps one copy of the memory and nothing of the past.
//!
//! Not here: how anything is printed, and what commands are called.

mod engine;
mod place;
mod stops;
mod watching;

pub use engine::{Ending, Face, Frame, Go, Here, Pause, Ran, ThreadView, Until, Why, drive};
pub use place::{Condition, Place};
pub use stops::{Kind, Location, Stop, Stops, texel};
