//! A run, step by step, as data: what pages, notebooks and traces are made of.
//!
//! ```text
//!  Program ─ still ─▶ program, layouts ─┐
//!  exec ─ Observer calls ─▶ recorder ───┼─▶ Record, one JSON object a line ─▶ a page, a trace, a notebook
//!  surfaces ─ images ─▶ surface ────────┘
//! ```
//!
//! [`record`] is the format. It keeps what a step wrote, not what the registers were: every window of steps begins with the
//! registers of its threads, so that any step is reached by reading one window, and the whole is at most about twice as
//! long as what was written. What is known before the run, such as the fields of messages, is said once for each
//! instruction.

mod images;
mod layouts;
mod now;
pub mod record;
mod recorder;
mod sends;
mod still;

pub use now::Messages;
pub use record::Record;
pub use recorder::{Options, Recorder, Sink, StepObserver};
