//! Work that all cores share, as many of them as the system gives.

use super::faults::{self, Call};
use rayon::ThreadPool;
use std::hint::black_box;
use std::io::{self, ErrorKind};
use std::sync::OnceLock;

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
    let made = POOL.get_or_init(|| {
        let mut threads = count();
        while threads > 0 {
            let made = rayon::ThreadPoolBuilder::new().num_threads(threads);
            if let (Ok(()), Ok(pool)) = (room_for_a_thread(threads), made.build()) {
                return Some(pool);
            }
            threads /= 2;
        }
        None
    });
    made.as_ref()
}
