//! What a run takes of the host: memory, all surfaces and buffers together, and time.
//!
//! ```text
//!  Ledger::new(4 GiB) ─ within ─▶ files, surfaces, buffers, workers of the run ─ Memory::allot ─▶ take
//!   .until(50 s)                                                         Memory dropped ─▶ give back
//!                                   formulas, texture loads, tables of values ──────────▶ on_time
//! ```
//!
//! The ledger of a run belongs to the host thread that makes its memory: the places that do are many, in files,
//! states, launches and threads, and none of them knows of other runs. Without a ledger there is no limit.

use crate::diagnostic::{Code, Diagnostic};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that a run may have where nothing else is said: 4 GiB.
pub const USUAL_MEMORY: u64 = 4 << 30;

/// A time at which a run is ended.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    at: Instant,
    given: Duration,
}

impl Deadline {
    /// So long after now; a time that no clock reaches is none that ends anything.
    pub fn after(given: Duration) -> Option<Deadline> {
        let at = Instant::now().checked_add(given)?;
        Some(Deadline { at, given })
    }

    /// The time that was given, if it is over.
    pub fn is_over(&self) -> Option<Duration> {
        (Instant::now() >= self.at).then_some(self.given)
    }
}

/// The memory and the time of one run.
#[derive(Debug)]
pub struct Ledger {
    limit: u64,
    deadline: Option<Deadline>,
    taken: AtomicU64,
    /// The first request that found no room.
    short: Mutex<Option<Short>>,
}

/// Memory or time that cannot be had.
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
    /// The run has had its time.
    #[error("the limit is {} s", .0.as_secs_f64())]
    Time(Duration),
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
            Short::Time(given) => format!("--timeout {}, or none", given.as_secs_f64() * 10.0),
        }
    }

    /// `L0606` or `L0761`.
    pub fn code(&self) -> Code {
        match self {
            Short::Limit { .. } | Short::System(_) => Code::L0606,
            Short::Time(_) => Code::L0761,
        }
    }

    /// What is said of it, without a place.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code()).note(self.to_string());
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
        Ledger::until(limit, None)
    }

    /// One of `limit` bytes that ends what is done within it at a time.
    pub fn until(limit: u64, deadline: Option<Deadline>) -> Arc<Ledger> {
        Arc::new(Ledger {
            limit,
            deadline,
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
        Ledger::spare(bytes).map_err(note)
    }

    /// As [`Ledger::take`], for what can be done without: nobody hears of it if there is no room.
    ///
    /// # Errors
    /// [`Short::Limit`].
    pub fn spare(bytes: u64) -> Result<Option<Charge>, Short> {
        let Some(ledger) = Ledger::current() else {
            return Ok(None);
        };
        let add = |taken: u64| taken.checked_add(bytes).filter(|&all| all <= ledger.limit);
        match ledger.taken.fetch_update(Relaxed, Relaxed, add) {
            Ok(_) => Ok(Some(Charge { ledger, bytes })),
            Err(taken) => Err(Short::Limit {
                asked: bytes,
                taken,
                limit: ledger.limit,
            }),
        }
    }

    /// Looks at the clock for the host thread; what may take long does so now and then.
    ///
    /// # Errors
    /// [`Short::Time`].
    pub fn on_time() -> Result<(), Short> {
        let deadline = CURRENT.with(|current| current.borrow().as_ref().and_then(|l| l.deadline));
        match deadline.and_then(|deadline| deadline.is_over()) {
            Some(given) => Err(Short::Time(given)),
            None => Ok(()),
        }
    }

    /// As [`Ledger::on_time`], for the `number`-th of many short steps: the clock is looked at for some of them.
    ///
    /// # Errors
    /// [`Short::Time`].
    pub fn on_time_at(number: usize) -> Result<(), Short> {
        match number.is_multiple_of(64) {
            true => Ledger::on_time(),
            false => Ok(()),
        }
    }

    /// When what is done within it is ended.
    pub fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }

    /// What was asked for since this was [`Ledger::short`] does not count: it will be asked for again.
    pub(crate) fn forget(&self, short: Option<Short>) {
        *self.short.lock().unwrap_or_else(PoisonError::into_inner) = short;
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
