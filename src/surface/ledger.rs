//! What a run takes of the host's memory, all surfaces and buffers together.
//!
//! ```text
//!  Ledger::new(4 GiB) ─ within ─▶ files, surfaces, buffers, workers of the run ─ Memory::allot ─▶ take
//!                                                                        Memory dropped ─▶ give back
//! ```
//!
//! The ledger of a run belongs to the host thread that makes its memory: the places that do are many, in files,
//! states, launches and threads, and none of them knows of other runs. Without a ledger there is no limit.

use crate::diagnostic::{Code, Diagnostic};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a run may have where nothing else is said: 4 GiB.
pub const USUAL_MEMORY: u64 = 4 << 30;

/// The memory of one run.
#[derive(Debug)]
pub struct Ledger {
    limit: u64,
    taken: AtomicU64,
    /// The first request that found no room.
    short: Mutex<Option<Short>>,
}

/// Memory that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Short {
    /// More than the run may have.
    #[error("{asked} bytes more than the {taken} that the run has are above its limit, {limit}")]
    Limit {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that the run has.
        taken: u64,
        /// Bytes that it may have.
        limit: u64,
    },
    /// The system has none.
    #[error("the system has no {0} bytes of memory left")]
    System(u64),
}

impl Short {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Short::Limit { asked, taken, .. } => {
                let all = taken.saturating_add(*asked).div_ceil(1 << 20);
                format!("--max-memory {all}M, or smaller surfaces and buffers")
            }
            Short::System(_) => "smaller surfaces and buffers".to_string(),
        }
    }

    /// `L0606`, without a place.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::L0606).note(self.to_string());
        diagnostic.help(self.help())
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Ledger>>> = const { RefCell::new(None) };
}

/// Bytes that were taken, until this is dropped.
#[derive(Debug)]
pub struct Charge {
    ledger: Arc<Ledger>,
    bytes: u64,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.ledger.taken.fetch_sub(self.bytes, Relaxed);
    }
}

impl Ledger {
    /// One of `limit` bytes, of which none are taken.
    pub fn new(limit: u64) -> Arc<Ledger> {
        Arc::new(Ledger {
            limit,
            taken: AtomicU64::new(0),
            short: Mutex::new(None),
        })
    }

    /// That of the host thread.
    pub fn current() -> Option<Arc<Ledger>> {
        CURRENT.with(|current| current.borrow().clone())
    }

    /// What `work` does, whose memory is taken from this ledger.
    pub fn within<T>(ledger: Option<&Arc<Ledger>>, work: impl FnOnce() -> T) -> T {
        /// The ledger of before, also where `work` panics.
        struct Before(Option<Arc<Ledger>>);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.with(|current| current.replace(self.0.take()));
            }
        }
        let _before = Before(CURRENT.with(|current| current.replace(ledger.cloned())));
        work()
    }

    /// Takes bytes from the ledger of the host thread; nothing is taken where there is none.
    ///
    /// # Errors
    /// [`Short::Limit`].
    pub fn take(bytes: u64) -> Result<Option<Charge>, Short> {
        let Some(ledger) = Ledger::current() else {
            return Ok(None);
        };
        let add = |taken: u64| taken.checked_add(bytes).filter(|&all| all <= ledger.limit);
        match ledger.taken.fetch_update(Relaxed, Relaxed, add) {
            Ok(_) => Ok(Some(Charge { ledger, bytes })),
            Err(taken) => Err(note(Short::Limit {
                asked: bytes,
                taken,
                limit: ledger.limit,
            })),
        }
    }

    /// The first request that found no room.
    pub fn short(&self) -> Option<Short> {
        let short = self.short.lock().unwrap_or_else(PoisonError::into_inner);
        short.clone()
    }
}

/// Remembers that there was no room, for whoever cannot say so where it was found.
pub(super) fn note(short: Short) -> Short {
    if let Some(ledger) = Ledger::current() {
        let mut first = ledger.short.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| short.clone());
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Memory;

    #[test]
    fn what_is_dropped_is_given_back() {
        let ledger = Ledger::new(100);
        Ledger::within(Some(&ledger), || {
            let first = Memory::allot(60).expect("room");
            let short = Memory::allot(41).expect_err("no room");
            assert!(
                short.to_string().contains("41 bytes more than the 60"),
                "{short}"
            );
            assert!(short.help().contains("--max-memory 1M"));
            drop(first);
            assert_eq!(Memory::allot(100).expect("room").len(), 100);
            assert_eq!(ledger.short(), Some(short));
        });
        assert!(Memory::allot(101).is_ok(), "no ledger, no limit");
        let absurd = Memory::allot(usize::MAX / 2).expect_err("no such memory");
        assert!(matches!(absurd, Short::System(_)));
    }
}
