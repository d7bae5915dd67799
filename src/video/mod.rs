//! Video by the messages of the media sampler, block by block over frames.
//!
//! ```text
//!  Reader ─▶ Picture ─ fields: denoise, deinterlace ─▶ Picture ─ scale: scale, sharpen ─▶ Picture ─▶ Writer
//!  y4m, raw, png         one `deinterlace` message a block      one AVS message a block           compare: PNG
//! ```
//!
//! A frame is cut into bands of blocks that all cores share; frames come and go in order. Nothing here
//! computes a pixel: that is [`crate::sampler`]'s.

pub mod colour;
pub mod compare;
pub mod fields;
pub mod files;
pub mod frame;
pub mod picture;
pub mod quality;
pub mod raw;
mod resample;
pub mod scale;
mod stop;

pub use colour::Range;
pub use fields::Fields;
pub use files::{Ahead, Kind, Reader, Scan, Writer};
pub use picture::{Depth, Picture, Sampling};
pub use quality::Quality;
pub use raw::Raw;
pub use scale::{Align, Filter, Scale, Siting};
pub use stop::Stop;

/// Why frames cannot be read, made or written.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    /// A file that cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// A file whose content makes no sense, or an option that does not fit it.
    #[error("{0}")]
    Wrong(String),
    /// [`Stop`] was asked for while a frame was made.
    #[error("stopped inside a frame")]
    Stopped,
}

impl VideoError {
    /// A sentence.
    pub fn wrong(what: impl Into<String>) -> VideoError {
        VideoError::Wrong(what.into())
    }

    /// A file at a path.
    pub fn file(path: &std::path::Path, error: std::io::Error) -> VideoError {
        let path = path.display().to_string();
        VideoError::File { path, error }
    }
}
