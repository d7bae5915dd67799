//! Work that all cores share, as many of them as the system gives.

use super::faults::{self, Call};
use rayon::ThreadPool;
use std::sync::OnceLock;

/// The threads of the process for work of this kind; `None` where the system gives not even one.
pub fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let made = POOL.get_or_init(|| {
        let mut threads = std::thread::available_parallelism().map_or(1, usize::from);
        while threads > 0 {
            let made = rayon::ThreadPoolBuilder::new().num_threads(threads);
            if let (Ok(()), Ok(pool)) = (faults::hit(Call::Thread), made.build()) {
                return Some(pool);
            }
            threads /= 2;
        }
        None
    });
    made.as_ref()
}
