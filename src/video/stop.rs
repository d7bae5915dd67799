//! Work on frames that may be asked to end before it is done.

use super::VideoError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by who asks for the end and those who work: they look at it from block to block.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end; whether somebody had asked before.
    pub fn ask(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What is set when somebody asks, for those who know nothing of video.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Goes on unless somebody asked.
    ///
    /// # Errors
    /// [`VideoError::Stopped`].
    pub fn check(&self) -> Result<(), VideoError> {
        match self.is_asked() {
            true => Err(VideoError::Stopped),
            false => Ok(()),
        }
    }
}
