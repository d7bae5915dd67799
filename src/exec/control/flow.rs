//! Which lanes run: frames, waiting lanes, calls.
//!
//! Every lane has its own place in the text; the lanes that are at the smallest one run together,
//! the others wait. That is the equivalent implementation that the vISA text reference 5.5 gives for
//! `goto` with its per-label sets: forward branches rejoin at their label, backward ones after the
//! loop. Calls nest in frames, and the deepest frame runs.
//!
//! ```text
//!  frame   pc 7  em 00001111      runs
//!          waiting (12, 11110000)  joins when pc reaches 12
//! ```

use crate::diagnostic::{Code, Diagnostic};
use crate::exec::state::frame::Frame;
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::program::{Guard, Lanes};

/// Frames a thread may nest.
const MAX_DEPTH: usize = 1000;

/// What an instruction that leaves a body has left.
pub enum Left {
    /// Nothing: lanes are left in it, or it was not a function of its own.
    Nothing,
    /// The function of this number; its caller has its own variables back.
    Function(u32),
    /// The thread's outermost body: it has ended.
    Thread,
}

impl Thread<'_> {
    /// The decision of an instruction with N = 1: the first predicate bit, whatever lanes run.
    pub(crate) fn uniform(&self, lanes: Lanes, guard: Option<Guard>) -> bool {
        guard.is_none_or(|g| self.predicate(lanes, g) & 1 != 0)
    }

    /// Lanes of the frame that an N-lane branch takes, as bits of the execution mask.
    #[inline(always)]
    fn taken(&self, lanes: Lanes, guard: Option<Guard>) -> u32 {
        if lanes.count == 1 {
            return if self.uniform(lanes, guard) {
                self.frame.em
            } else {
                0
            };
        }
        let window = lanes.all() << lanes.offset;
        let chosen = guard.map_or(u32::MAX, |g| self.predicate(lanes, g) << lanes.offset);
        self.frame.em & window & chosen
    }

    /// `goto`. Source: vISA text reference 5.5.
    #[inline(always)]
    pub(crate) fn goto(&mut self, lanes: Lanes, guard: Option<Guard>, target: u32) {
        let taken = self.taken(lanes, guard);
        if taken != 0 {
            self.frame.split(taken, target);
        } else if self.frame.em == 0 && lanes.count == 1 && self.uniform(lanes, guard) {
            // A thread whose lanes are all off still follows uniform branches.
            self.frame.pc = target;
        }
    }

    /// `call`, `fcall`: the callee runs with the calling lanes; `function` saves its variables. False if
    /// no lane calls.
    pub(crate) fn call(
        &mut self,
        lanes: Lanes,
        guard: Option<Guard>,
        target: u32,
        function: Option<u32>,
    ) -> Result<bool, Box<Trap>> {
        let taken = self.taken(lanes, guard);
        if taken == 0 {
            return Ok(false);
        }
        if self.rare.callers.len() >= MAX_DEPTH {
            let note = format!("{MAX_DEPTH} calls have not returned");
            let diagnostic = Diagnostic::new(Code::L0604).note(note);
            return Err(self.trap(self.frame.pc - 1, taken, diagnostic));
        }
        // A no-mask call starts with all lanes: vISA text reference 5.5, call.
        let em = if lanes.no_mask && lanes.count == 1 {
            u32::MAX
        } else {
            taken
        };
        let mut callee = Frame::new(target, em);
        callee.saved = function.map(|index| {
            let frame = &self.program.functions[index as usize].frame;
            let ranges = frame.iter().map(|r| r.start as usize..r.end as usize);
            (
                index,
                ranges.flat_map(|r| &self.arena[r]).copied().collect(),
            )
        });
        self.rare
            .callers
            .push(std::mem::replace(&mut self.frame, callee));
        Ok(true)
    }

    /// Whether a `ret` of these lanes is the last op.
    pub(crate) fn ends(&self, lanes: Lanes) -> bool {
        self.frame.waiting.is_empty()
            && self.rare.callers.is_empty()
            && self.taken(lanes, None) == self.frame.em
    }

    /// `ret`, `fret`.
    pub(crate) fn leave(&mut self, lanes: Lanes, guard: Option<Guard>) -> Left {
        let leaving = self.taken(lanes, guard);
        let rest = self.frame.em & !leaving;
        let (pc, none_ran) = (self.frame.pc, self.frame.em == 0);
        if leaving == 0 && !none_ran {
            return Left::Nothing;
        }
        self.frame.wait(pc, rest);
        self.frame.em = 0;
        if self.frame.pick() {
            return Left::Nothing;
        }
        let Some(caller) = self.rare.callers.pop() else {
            return Left::Thread;
        };
        let callee = std::mem::replace(&mut self.frame, caller);
        let Some((index, bytes)) = callee.saved else {
            return Left::Nothing;
        };
        let mut bytes = &bytes[..];
        for range in &self.program.functions[index as usize].frame {
            let len = (range.end - range.start) as usize;
            let (own, rest) = bytes.split_at(len);
            self.arena[range.start as usize..range.end as usize].copy_from_slice(own);
            bytes = rest;
        }
        Left::Function(index)
    }
}
