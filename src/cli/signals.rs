//! What ends the process from outside, Ctrl-C, SIGTERM and SIGHUP: temporary files go with it, and a video that is being
//! made may come to a whole frame first.

use crate::files;
use crate::video::Stop;
use std::sync::{Mutex, PoisonError};

/// The work that is asked to end before the process is ended.
static WORK: Mutex<Option<Stop>> = Mutex::new(None);

/// The exit code of a process that a signal ends.
const ENDED: i32 = 130;

/// Catches the signals from here on.
pub fn install() {
    // Where the system gives no thread for it a signal just ends the process.
    let _ = ctrlc::set_handler(|| {
        let work = WORK.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A second signal does not wait for the work.
        if work.is_none_or(|stop| stop.ask()) {
            files::end_without_unfinished(|| std::process::exit(ENDED));
        }
    });
}

/// The first signal asks for this stop, from here on.
pub fn stop_first(stop: &Stop) {
    let mut work = WORK.lock().unwrap_or_else(PoisonError::into_inner);
    *work = Some(stop.clone());
}
