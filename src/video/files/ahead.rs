//! Frames that a thread of their own reads: the next one is there when it is needed, and who waits for one that does
//! not come can stop waiting.

use super::Reader;
use crate::video::picture::Picture;
use crate::video::{Stop, VideoError};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How soon a stop is noticed while no frame comes.
const SOON: Duration = Duration::from_millis(50);

/// The frames of a [`Reader`].
pub struct Ahead {
    frames: Receiver<Result<Option<Picture>, VideoError>>,
}

impl Ahead {
    /// Reads on, but not more than so many frames.
    pub fn new(mut reader: Reader, most: Option<u64>) -> Ahead {
        let (to, frames) = sync_channel(1);
        // The thread ends with the frames, or with the process where a pipe gives none.
        std::thread::spawn(move || {
            for _ in 0..most.unwrap_or(u64::MAX) {
                let read = reader.read();
                let last = !matches!(read, Ok(Some(_)));
                if to.send(read).is_err() || last {
                    return;
                }
            }
            // Who asked for fewer frames is there to hear it, or gone.
            let _ = to.send(Ok(None));
        });
        Ahead { frames }
    }

    /// The next frame; `None` after the last one, and once `stop` is asked for.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn next(&self, stop: &Stop) -> Result<Option<Picture>, VideoError> {
        while !stop.is_asked() {
            match self.frames.recv_timeout(SOON) {
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
