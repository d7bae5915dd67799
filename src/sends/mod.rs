//! Programs made of sends: the instructions around the messages of Ironlake, as its manual writes them.
//!
//! ```text
//!  .send text ─ parse ─▶ Line ─ check ─▶ ─ lower ─▶ Program ─ exec ─▶ registers, surfaces
//!
//!  mul (8) m4 r20 r19                      build the payload m3 … m6
//!  mov (8) m6 r21
//!  send (8) r30 m3 r0 read 0x02186001      r0 moves to m3, the message goes out, r30 takes the answer
//!  send (8) null m15 r0 ts 0x02000000 {EOT}
//! ```
//!
//! A front end of its own beside vISA text, since message registers, implied moves and two-word
//! descriptors have no place in vISA, and straight lines need no declarations. What it makes is an
//! ordinary [`Program`] with raw messages, so all later stages are shared.
//!
//! * [`line`](mod@line): instructions as data, and their text. * [`parse`](mod@parse): the other way.
//! * [`check`](mod@check): registers in flight, lengths, order, ends of threads. * [`lower`](mod@lower): to ops.
//!
//! There are no branches: a thread runs from the first line to the send that ends it.
//!
//! Source: PRM 2.6; lowering reference 18.1. `grammar/sends.ebnf` has every form.

pub mod check;
mod constants;
pub mod line;
pub mod lower;
mod order;
pub mod parse;
pub mod scoreboard;

pub use check::check;
pub use line::{Instruction, Line};
pub use lower::lower;
pub use parse::{canonical, parse};
pub use scoreboard::Remark;

use crate::diagnostic::Diagnostic;
use crate::program::Program;
use crate::source::{Source, Span};

/// The ending of files of such programs.
pub const EXTENSION: &str = "send";

/// Reads, checks and lowers a text; the program is absent if something forbids to run it.
pub fn program(source: &Source) -> (Option<Program>, Vec<Diagnostic>) {
    let (lines, mut diagnostics) = parse(source);
    // Lines that do not read leave holes that would be blamed on the lines around them.
    if !crate::diagnostic::any_fatal(&diagnostics) {
        let end = source.text().trim_end().len() as u32;
        let last = source.character(end.saturating_sub(1)) as u32;
        diagnostics.extend(check(&lines, Span::new(last, end)));
    }
    let refused = crate::diagnostic::any_fatal(&diagnostics);
    ((!refused).then(|| lower(&lines)), diagnostics)
}
