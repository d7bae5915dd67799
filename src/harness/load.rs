//! Texts and other files, read whole and within limits.

use crate::files::{Disk, Files};
use crate::source::{MAX_SOURCE_BYTES, Source};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened or read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is longer than visim reads.
    #[error("{}: more than {limit} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// A text that is not UTF-8.
    #[error("{}: byte {at} is not UTF-8 text", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Offset of the first bad byte.
        at: usize,
    },
}

/// The bytes of a file of the disk of at most `limit` bytes; `-` is standard input. A file that grows while it
/// is read, or a device without end, is cut off by the limit too.
pub fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    if path == Path::new("-") {
        return read(path, Ok(io::stdin()), limit);
    }
    bytes_from(&Disk, path, limit)
}

/// The bytes of a file of at most `limit` bytes.
pub fn bytes_from(files: &dyn Files, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read(path, files.open(path), limit)
}

fn read(path: &Path, opened: io::Result<impl Read>, limit: u64) -> Result<Vec<u8>, FileError> {
    let unreadable = |error| FileError::Unreadable {
        path: path.to_path_buf(),
        error,
    };
    let mut file = opened.map_err(unreadable)?;
    let mut bytes = Vec::new();
    let read = file.by_ref().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLong {
            path: path.to_path_buf(),
            limit,
        });
    }
    Ok(bytes)
}

/// The text of a file of at most `limit` bytes; `-` is standard input.
pub fn text(path: &Path, limit: u64) -> Result<String, FileError> {
    String::from_utf8(bytes(path, limit)?).map_err(|error| FileError::NotText {
        path: path.to_path_buf(),
        at: error.utf8_error().valid_up_to(),
    })
}

/// A program; `-` is standard input.
pub fn source(path: &Path) -> Result<Source, FileError> {
    let text = text(path, MAX_SOURCE_BYTES as u64)?;
    Ok(Source::new(path.display().to_string(), text))
}
