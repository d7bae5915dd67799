//! Frames that a thread of their own reads: the next one is there when it is needed, and who waits for one that does
//! not come can stop waiting.

use super::Reader;
use crate::base::faults::{self, Call};
use crate::video::picture::Picture;
use crate::video::{Stop, VideoError};
use std::cell::RefCell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How soon a stop is noticed while no frame comes.
const SOON: Duration = Duration::from_millis(50);

/// The frames of a [`Reader`].
pub enum Ahead {
    /// A thread reads them.
    Thread(Receiver<Result<Option<Picture>, VideoError>>),
    /// The system gives no thread: they are read when they are asked for, so many more.
    Here(Box<RefCell<(Reader, u64)>>),
}

impl Ahead {
    /// Reads on, but not more than so many frames.
    pub fn new(reader: Reader, most: Option<u64>) -> Ahead {
        let (to, frames) = sync_channel(1);
        let most = most.unwrap_or(u64::MAX);
        // What a thread that does not start was to have stays here.
        let slot = Arc::new(Mutex::new(Some(reader)));
        let take = |slot: &Mutex<Option<Reader>>| {
            let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
            held.take()
        };
        let given = Arc::clone(&slot);
        // The thread ends with the frames, or with the process where a pipe gives none.
        let begin = std::thread::Builder::new();
        let started = faults::hit(Call::Thread).and_then(|()| {
            begin.spawn(move || {
                let Some(mut reader) = take(&given) else {
                    return;
                };
                for _ in 0..most {
                    let read = reader.read();
                    let last = !matches!(read, Ok(Some(_)));
                    if to.send(read).is_err() || last {
                        return;
                    }
                }
                // Who asked for fewer frames is there to hear it, or gone.
                let _ = to.send(Ok(None));
            })
        });
        match started.err().and_then(|_| take(&slot)) {
            Some(reader) => Ahead::Here(Box::new(RefCell::new((reader, most)))),
            None => Ahead::Thread(frames),
        }
    }

    /// The next frame; `None` after the last one, and once `stop` is asked for.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn next(&self, stop: &Stop) -> Result<Option<Picture>, VideoError> {
        let frames = match self {
            Ahead::Thread(frames) => frames,
            Ahead::Here(held) => {
                let (reader, most) = &mut *held.borrow_mut();
                if *most == 0 || stop.is_asked() {
                    return Ok(None);
                }
                *most -= 1;
                return reader.read();
            }
        };
        while !stop.is_asked() {
            match frames.recv_timeout(SOON) {
                Ok(read) => return read,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(VideoError::wrong("reading has ended inside the frames"));
                }
            }
        }
        Ok(None)
    }
}
