//! Observers behind a pointer: the executor exists twice, for runs that nobody watches and for all others.
//!
//! ```text
//!  run::<O> ─ a Lent<O> for each thread, as a Box<dyn Watch> ─▶ launch, exec: one instance for every O
//!      ▲                                                              │
//!      └──── the observers of threads that ended, in order ◀──────────┘
//! ```

use super::{Observer, ThreadId};
use crate::exec::Meeting;
use crate::exec::observer::{
    Access, At, Edge, MeetingStep, OpCount, Payload, Running, Start, Wants, each_call,
};
use crate::math::unit::Control;
use crate::message::Request;
use crate::program::{Op, Program};
use crate::sampler::sample::Taken;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// An observer while a run has it.
pub(super) struct Lent<'b, O> {
    pub(super) observer: O,
    /// Where it comes back to.
    pub(super) back: &'b Mutex<Vec<(ThreadId, O)>>,
}

macro_rules! calls {
    ($($name:ident($($arg:ident: $ty:ty),*);)+) => {
        /// An [`Observer`] whose type the executor does not know.
        pub(super) trait Watch: Send {
            fn wants(&self) -> Wants;
            fn halts(&mut self) -> bool;
            fn doubts(&mut self, cut_short: bool) -> bool;
            fn knows_shared(&mut self, bytes: u64) -> bool;
            fn lets_run(&mut self, ops: Range<u32>, mask: u32, arena: &[u8]) -> u32;
            /// Gives the observer back to whoever made it.
            fn hand_back(self: Box<Self>, thread: ThreadId);
            $(fn $name(&mut self, $($arg: $ty),*);)+
        }

        impl<O: Observer> Watch for Lent<'_, O> {
            fn wants(&self) -> Wants {
                self.observer.wants()
            }

            fn halts(&mut self) -> bool {
                self.observer.halts()
            }

            fn doubts(&mut self, cut_short: bool) -> bool {
                self.observer.doubts(cut_short)
            }

            fn knows_shared(&mut self, bytes: u64) -> bool {
                self.observer.knows_shared(bytes)
            }

            fn lets_run(&mut self, ops: Range<u32>, mask: u32, arena: &[u8]) -> u32 {
                self.observer.lets_run(ops, mask, arena)
            }

            fn hand_back(self: Box<Self>, thread: ThreadId) {
                let mut back = self.back.lock().unwrap_or_else(PoisonError::into_inner);
                back.push((thread, self.observer));
            }

            $(fn $name(&mut self, $($arg: $ty),*) {
                self.observer.$name($($arg),*);
            })+
        }

        impl Observer for Box<dyn Watch + '_> {
            fn wants(&self) -> Wants {
                (**self).wants()
            }

            fn halts(&mut self) -> bool {
                (**self).halts()
            }

            fn doubts(&mut self, cut_short: bool) -> bool {
                (**self).doubts(cut_short)
            }

            fn knows_shared(&mut self, bytes: u64) -> bool {
                (**self).knows_shared(bytes)
            }

            fn lets_run(&mut self, ops: Range<u32>, mask: u32, arena: &[u8]) -> u32 {
                (**self).lets_run(ops, mask, arena)
            }

            $(fn $name(&mut self, $($arg: $ty),*) {
                (**self).$name($($arg),*);
            })+
        }
    };
}

each_call!(calls);
