//! Whether a thread's reads and writes of one surface come in their order, and through caches that agree.
//!
//! ```text
//!  write ─▶ render cache ── flush ──▶ memory ──▶ data and sampler cache ─▶ read
//!    │         │ commit       │ commit             old lines stay until MI_FLUSH
//!    │         ▼ waited for   ▼ waited for
//!    │        in order       in memory
//! ```
//!
//! Source: PRM 5.2.1, 5.4, 5.10.11.

use super::line::Send;
use super::scoreboard::lengths;
use crate::diagnostic::{Code, Diagnostic};
use crate::message::{Cache, Request};
use crate::program::registers;
use crate::source::Span;

/// A message to the data port that may not be done yet.
struct Underway {
    surface: u32,
    span: Span,
    /// What of its answer has not been waited for; none comes back from a write without a commit.
    answer: Option<u128>,
    /// The same of a flush behind it, which is done when it is: messages to the write port are in order.
    flush: Option<u128>,
}

/// What a thread has read and written so far.
#[derive(Default)]
pub struct Order {
    reads: Vec<Underway>,
    writes: Vec<Underway>,
    /// Writes that may still be in the render cache alone.
    cached: Vec<Underway>,
    /// Surfaces of which the sampler cache may hold lines, and whether a write came after that.
    lines: Vec<(u32, Span, bool)>,
}

impl Order {
    /// Operands in these registers wait for the answers that reach them.
    pub fn wait(&mut self, operands: u128) {
        for list in [&mut self.reads, &mut self.writes, &mut self.cached] {
            for message in &mut *list {
                for answer in [&mut message.answer, &mut message.flush] {
                    *answer = answer.map(|answer| answer & !operands);
                }
            }
            list.retain(|message| message.answer != Some(0) && message.flush != Some(0));
        }
    }

    /// A message, and what is to be said of its order.
    pub fn message(&mut self, request: &Request, send: &Send, span: Span) -> Vec<Diagnostic> {
        let count = lengths(send).map_or(0, |(_, count)| count);
        let answer = send.dst.map(|first| registers(first, count));
        let answer = answer.filter(|registers| *registers != 0);
        if let Request::FlushRender { .. } = request {
            let earlier = self.writes.iter_mut().chain(&mut self.cached);
            earlier.for_each(|write| write.flush = answer.or(write.flush));
            return Vec::new();
        }
        let Some(surface) = request.surface() else {
            return Vec::new();
        };
        let message = |answer| Underway {
            surface,
            span,
            answer,
            flush: None,
        };
        if !request.writes() {
            let found = self.overtakes(surface, span).into_iter();
            let found = found.chain(self.stale(request, surface, span)).collect();
            if answer.is_some() {
                self.reads.push(message(answer));
            }
            return found;
        }
        self.writes.push(message(answer));
        self.cached.push(message(None));
        for (_, _, written) in self.lines.iter_mut().filter(|line| line.0 == surface) {
            *written = true;
        }
        let read = self.reads.iter().find(|read| read.surface == surface);
        let late = read.and_then(|read| {
            let note = format!("{} is not waited for", row(read.answer?));
            let found = Diagnostic::new(Code::W0941)
                .at(span, format!("binding table index {surface} is written"))
                .and_at(read.span, "and read here")
                .note(note);
            Some(found.see("PRM 5.4"))
        });
        late.into_iter().collect()
    }

    /// A read that need not come after a write.
    fn overtakes(&self, surface: u32, span: Span) -> Option<Diagnostic> {
        let write = self.writes.iter().find(|write| write.surface == surface)?;
        let note = match (write.answer, write.flush) {
            (_, Some(flush)) => format!("the flush behind it, {}, is not waited for", row(flush)),
            (Some(commit), None) => format!("its write commit, {}, is not waited for", row(commit)),
            (None, None) => "it has no write commit".into(),
        };
        let found = Diagnostic::new(Code::W0933)
            .at(span, format!("binding table index {surface} is read"))
            .and_at(write.span, "and written here")
            .note(note);
        Some(found.see("PRM 5.4"))
    }

    /// A read through a cache that writes do not go through.
    fn stale(&mut self, request: &Request, surface: u32, span: Span) -> Option<Diagnostic> {
        let cache = match request {
            Request::Sampler(_)
            | Request::Avs(_)
            | Request::Unorm(_)
            | Request::Scale8x8(_)
            | Request::Deinterlace(_) => Cache::Sampler,
            request => request.path().cache,
        };
        if cache == Cache::Render {
            return None;
        }
        let line = self.lines.iter().find(|line| line.0 == surface).copied();
        if line.is_none() {
            self.lines.push((surface, span, false));
        }
        let label = format!(
            "binding table index {surface} is read through the {}",
            cache.name()
        );
        let found = Diagnostic::new(Code::W0942).at(span, label);
        let write = self.cached.iter().find(|write| write.surface == surface);
        let found = match (write, line) {
            (Some(write), _) => found
                .and_at(write.span, "and written here, into the render cache")
                .note("what is there alone is in memory once a flush of it was waited for"),
            (None, Some((_, read, true))) => found
                .and_at(read, "its lines were brought here, before a write")
                .note("such lines stay until MI_FLUSH, which is no message"),
            _ => return None,
        };
        let found =
            found.help("read it through the render cache, as all surfaces that are written");
        Some(found.see("PRM 5.2.1, 5.10.11"))
    }
}

/// The first and last of some registers.
pub fn row(registers: u128) -> String {
    let (first, last) = (registers.trailing_zeros(), 127 - registers.leading_zeros());
    match first == last {
        true => format!("r{first}"),
        false => format!("r{first} to r{last}"),
    }
}
