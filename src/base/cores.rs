//! Work that all cores share, as many of them as the system gives.

use super::faults::{self, Call};
use rayon::ThreadPool;
use std::hint::black_box;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Memory that has to be there for a thread to be started, of which the C library sets apart 128 MiB for a moment, and for
/// each of those that run and may not have taken theirs yet.
const ROOM: (usize, usize) = (160 << 20, 1 << 20);

/// Whether one more thread of the host may be started beside so many. A process that takes the last memory it may have for a stack
/// ends at the next allocation, however small.
///
/// # Errors
/// There is too little memory; a test asked for it.
pub fn room_for_a_thread(beside: usize) -> io::Result<()> {
    faults::hit(Call::Thread)?;
    has_room(beside)
}

fn has_room(beside: usize) -> io::Result<()> {
    let mut room = Vec::<u8>::new();
    let there = room.try_reserve_exact(ROOM.0 + beside * ROOM.1);
    // The memory is asked for although nobody uses it.
    black_box(&room);
    there.map_err(|_| ErrorKind::OutOfMemory.into())
}

/// How many threads the host runs at the same time, asked once.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The threads of the process for work of this kind; `None` where the system gives not even one.
pub fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let made = POOL.get_or_init(|| pool_of(count(), room_for_a_thread));
    made.as_ref()
}

/// So many threads, or as many as there is room for and the system gives.
fn pool_of(mut threads: usize, room: fn(usize) -> io::Result<()>) -> Option<ThreadPool> {
    while threads > 0 {
        let made = || {
            let builder = rayon::ThreadPoolBuilder::new();
            builder.num_threads(threads).build().ok()
        };
        // All of them begin at once, and each has a stack of 2 MiB.
        if let Some(pool) = room(2 * threads).ok().and_then(|()| made()) {
            return Some(pool);
        }
        threads /= 2;
    }
    None
}

/// Threads that help one caller after the other: to wake one up takes a quarter of the time that it takes to begin one, and its
/// memory is there.
struct Helpers {
    pool: ThreadPool,
    /// Those that nobody has. Who has one need not wait for what others do.
    free: AtomicUsize,
    /// The process they are threads of: one that has split off has none.
    process: u32,
}

impl Helpers {
    /// Those of the process.
    fn of_the_process() -> Option<&'static Helpers> {
        static HELPERS: OnceLock<Option<Helpers>> = OnceLock::new();
        // A thread of any pool would begin other work of that pool while it waits.
        if rayon::current_thread_index().is_some() {
            return None;
        }
        let made = HELPERS.get_or_init(|| {
            // What a test makes fail is that one of them helps.
            let pool = pool_of(count() - 1, has_room)?;
            Some(Helpers {
                free: AtomicUsize::new(pool.current_num_threads()),
                pool,
                process: std::process::id(),
            })
        });
        let made = made.as_ref();
        made.filter(|made| made.process == std::process::id())
    }

    /// Takes one that is free.
    ///
    /// * `busy`: how many a caller has.
    fn take(&'static self, busy: &Arc<AtomicUsize>) -> Option<Taken> {
        let one_less = |free: usize| free.checked_sub(1);
        self.free.fetch_update(Relaxed, Relaxed, one_less).ok()?;
        busy.fetch_add(1, Relaxed);
        Some(Taken {
            from: self,
            busy: Arc::clone(busy),
        })
    }
}

/// A helper, until this is dropped.
struct Taken {
    from: &'static Helpers,
    busy: Arc<AtomicUsize>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.from.free.fetch_add(1, Relaxed);
        self.busy.fetch_sub(1, Relaxed);
    }
}

/// How long a caller that has done its own looks for others to end before it sleeps: about as long as it takes to be woken
/// up, and then often on the core of the one who wakes it.
const LOOK: Duration = Duration::from_micros(50);

/// What all threads do that a caller has beside its own.
pub struct Others<'h, 'p, 'env> {
    helpers: Option<(&'static Helpers, &'h rayon::Scope<'env>)>,
    plain: &'p std::thread::Scope<'p, 'env>,
    begun: Mutex<Vec<ScopedJoinHandle<'p, ()>>>,
    busy: Arc<AtomicUsize>,
}

impl<'env> Others<'_, '_, 'env> {
    /// Another thread does this as well: a helper, or where all are taken one that begins.
    ///
    /// * `beside`: those that were begun before.
    ///
    /// # Errors
    /// The system gives no thread more.
    pub fn run(&self, beside: usize, job: impl FnOnce() + Send + 'env) -> io::Result<()> {
        if let Some((helpers, scope)) = self.helpers
            && let Some(taken) = helpers.take(&self.busy)
        {
            faults::hit(Call::Thread)?;
            scope.spawn(move |_| {
                let _taken = taken;
                job();
            });
            return Ok(());
        }
        room_for_a_thread(beside)?;
        let begun = std::thread::Builder::new().spawn_scoped(self.plain, job)?;
        let mut all = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(begun);
        Ok(())
    }
}

/// What a caller does with others beside it, which all have ended when this returns; whoever of them panics, it panics.
///
/// A helper waits for nobody, and a caller does nothing else while it waits.
pub fn with_others<'env, R>(caller: impl FnOnce(&Others<'_, '_, 'env>) -> R) -> R {
    std::thread::scope(|plain| match Helpers::of_the_process() {
        Some(helpers) => {
            let pool = &helpers.pool;
            pool.in_place_scope(|scope| with_plain(Some((helpers, scope)), plain, caller))
        }
        None => with_plain(None, plain, caller),
    })
}

fn with_plain<'h, 'p, 'env, R>(
    helpers: Option<(&'static Helpers, &'h rayon::Scope<'env>)>,
    plain: &'p std::thread::Scope<'p, 'env>,
    caller: impl FnOnce(&Others<'h, 'p, 'env>) -> R,
) -> R {
    let others = Others {
        helpers,
        plain,
        begun: Mutex::default(),
        busy: Arc::default(),
    };
    let result = caller(&others);
    let end = Instant::now() + LOOK;
    while others.busy.load(Relaxed) > 0 && Instant::now() < end {
        std::hint::spin_loop();
    }
    let begun = others.begun.into_inner();
    for thread in begun.unwrap_or_else(PoisonError::into_inner) {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{Helpers, with_others};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::mpsc;
    use std::time::Duration;

    /// How often jobs ran of so many that a caller asked for.
    fn ran(jobs: usize) -> usize {
        let count = AtomicUsize::new(0);
        let job = || {
            count.fetch_add(1, Relaxed);
        };
        with_others(|others| {
            for beside in 0..jobs {
                others.run(beside, job).expect("a thread");
            }
        });
        count.into_inner()
    }

    #[test]
    fn more_jobs_run_than_there_are_helpers() {
        for jobs in (0..40).chain([3; 100]) {
            assert_eq!(ran(jobs), jobs);
        }
    }

    #[test]
    fn callers_do_not_wait_for_the_helpers_of_others() {
        let (go_on, wait) = mpsc::channel::<()>();
        with_others(|others| {
            let wait = move || wait.recv().expect("a word");
            others.run(0, wait).expect("a thread");
            assert_eq!(ran(3), 3);
            go_on.send(()).expect("somebody waits");
        });
    }

    #[test]
    fn whoever_panics_the_caller_panics() {
        for _ in 0..20 {
            let panics = || {
                with_others(|others| {
                    for beside in 0..3 {
                        let job = move || assert!(beside != 1, "one of them");
                        others.run(beside, job).expect("a thread");
                    }
                });
            };
            assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        }
        // Other tests have some for a while.
        let all =
            |helpers: &&Helpers| helpers.free.load(Relaxed) == helpers.pool.current_num_threads();
        let mut turns = 0..2000;
        let are_free = || Helpers::of_the_process().as_ref().is_none_or(all);
        let back = turns.any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            are_free()
        });
        assert!(back, "a helper is lost");
    }

    #[test]
    fn whoever_is_of_a_pool_has_no_helpers() {
        let pool = super::pool().expect("threads");
        assert!(pool.install(|| Helpers::of_the_process().is_none()));
        assert_eq!(pool.install(|| ran(3)), 3);
    }
}
