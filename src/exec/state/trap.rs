//! Why a thread stopped before its end.

use super::thread::ThreadId;
use crate::diagnostic::Diagnostic;
use std::fmt;

/// A diagnostic from a running thread; its notes already name the thread and the channel mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What is wrong, with the values at hand.
    pub diagnostic: Diagnostic,
    /// The thread.
    pub thread: ThreadId,
    /// Active lanes of the instruction.
    pub mask: u32,
}

impl Trap {
    /// Why a run stops, at no thread of its own.
    pub fn outside(diagnostic: Diagnostic) -> Box<Trap> {
        Trap::before(ThreadId::default(), diagnostic)
    }

    /// Why neither a thread nor those after it go on, at no place of its own.
    pub fn before(thread: ThreadId, diagnostic: Diagnostic) -> Box<Trap> {
        Box::new(Trap {
            diagnostic,
            thread,
            mask: 0,
        })
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} ({}, channels {:#x})",
            self.diagnostic.code, self.diagnostic.message, self.thread, self.mask
        )
    }
}

impl std::error::Error for Trap {}
