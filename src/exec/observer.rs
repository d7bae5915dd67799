//! Tracing, counting and teaching watch a run through this trait; the executor asks nothing.

use super::thread::ThreadId;
use crate::message::Request;
use crate::program::{Op, Site};

/// Watches one thread. One value is made for each thread and handed back when it has ended.
///
/// [`Silent`] costs nothing: its `ACTIVE` is false and every call disappears.
pub trait Observer: Send {
    /// Whether calls are made at all.
    const ACTIVE: bool = true;

    /// An instruction is about to run.
    ///
    /// * `mask`: its active lanes, bit 0 = lane 0 of the instruction.
    /// * `arena`: the thread's bytes, [`crate::program::Program::symbols`] tells what lies where.
    fn before(&mut self, _at: At, _op: &Op, _mask: u32, _arena: &[u8]) {}

    /// An instruction or message wrote bytes at an arena offset; adjacent lanes come as one run.
    fn wrote(&mut self, _at: At, _offset: u32, _bytes: &[u8]) {}

    /// A message is about to be served.
    fn message(&mut self, _at: At, _request: &Request) {}
}

/// Where in the run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The thread.
    pub thread: ThreadId,
    /// Index of the op.
    pub pc: u32,
    /// Its place in the text.
    pub site: Site,
    /// How many instructions the thread has run before.
    pub step: u64,
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    const ACTIVE: bool = false;
}
