//! Texts and other files, read whole and within limits.

use super::{grants, program_file};
use crate::base::faults::{self, Call};
use crate::diagnostic::{Code, Diagnostic};
use crate::files::{Disk, Files};
use crate::isa::Platform;
use crate::source::{MAX_SOURCE_BYTES, MAX_SOURCE_LINES, Source, is_readable};
use crate::syntax::print;
use crate::visa_binary;
use std::io::{self, Read, Seek, SeekFrom};
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
    /// It has more lines than visim reads.
    #[error("{}: more than {MAX_SOURCE_LINES} lines", path.display())]
    ManyLines {
        /// The file.
        path: PathBuf,
    },
    /// A compiled program whose text cannot be taken.
    #[error("{}", sentence(.0))]
    Program(Box<Diagnostic>),
    /// A text that is not UTF-8.
    #[error("{}: byte {at} is not UTF-8 text", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Offset of the first bad byte.
        at: usize,
    },
}

/// A diagnostic without a place, in one line.
fn sentence(refused: &Diagnostic) -> String {
    let notes = refused.notes.iter().chain(&refused.help);
    notes.fold(refused.message.clone(), |text, more| {
        format!("{text}; {more}")
    })
}

/// The bytes of a file of the disk of at most `limit` bytes; `-` is standard input. A file that grows while it
/// is read, or a device without end, is cut off by the limit too.
pub fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    if path == Path::new("-") {
        return fill(path, io::stdin(), Vec::new(), limit);
    }
    grants::may_be_read(path).map_err(|error| FileError::Unreadable {
        path: path.to_path_buf(),
        error,
    })?;
    bytes_from(&Disk, path, limit)
}

/// The bytes of a file of at most `limit` bytes.
pub fn bytes_from(files: &dyn Files, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let opened = files.open(path).and_then(|mut file| {
        // What has no length is a pipe; a file that says it is longer than it is gets no memory for it.
        let length = file.seek(SeekFrom::End(0)).unwrap_or(0).min(limit);
        let _ = file.seek(SeekFrom::Start(0));
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length as usize + 1)?;
        Ok((file, bytes))
    });
    match opened {
        Ok((file, bytes)) => fill(path, file, bytes, limit),
        Err(error) => Err(FileError::Unreadable {
            path: path.to_path_buf(),
            error,
        }),
    }
}

fn fill(
    path: &Path,
    mut file: impl Read,
    mut bytes: Vec<u8>,
    limit: u64,
) -> Result<Vec<u8>, FileError> {
    let unreadable = |error| FileError::Unreadable {
        path: path.to_path_buf(),
        error,
    };
    let read = faults::hit(Call::Read);
    let read = read.and_then(|()| file.by_ref().take(limit + 1).read_to_end(&mut bytes));
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
    utf8(path, bytes(path, limit)?)
}

fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String, FileError> {
    String::from_utf8(bytes).map_err(|error| FileError::NotText {
        path: path.to_path_buf(),
        at: error.utf8_error().valid_up_to(),
    })
}

/// A program; `-` is standard input. Of a compiled one the texts that it carries, of a vISA binary what it says as text.
pub fn source(path: &Path) -> Result<Source, FileError> {
    source_for(path, None, None)
}

/// As [`source`]; of a compiled program the text for a platform, that of one kernel.
pub fn source_for(
    path: &Path,
    platform: Option<Platform>,
    kernel: Option<&str>,
) -> Result<Source, FileError> {
    if let Some(program) = program(path)? {
        let own = program_file::of_device(&program, path, platform).map_err(FileError::Program)?;
        return program_file::source(own, path, kernel).map_err(FileError::Program);
    }
    let name = path.display().to_string();
    let bytes = bytes(path, MAX_SOURCE_BYTES as u64)?;
    if visa_binary::is_container(&bytes) {
        if bytes.len() as u64 > MAX_CONTAINER {
            return Err(FileError::TooLong {
                path: path.to_path_buf(),
                limit: MAX_CONTAINER,
            });
        }
        let module = visa_binary::read(&bytes).map_err(|fault| {
            let what = format!("{name}: {fault}");
            let refused = Diagnostic::with_message(Code::E0660, what).see("vISA binary reference");
            FileError::Program(Box::new(refused))
        })?;
        return Ok(Source::new(name, print(&module)));
    }
    let text = utf8(path, bytes)?;
    match is_readable(&text) {
        true => Ok(Source::new(name, text)),
        false => Err(FileError::ManyLines {
            path: path.to_path_buf(),
        }),
    }
}

/// The greatest vISA binary: some hundred thousand instructions.
const MAX_CONTAINER: u64 = 4 << 20;

/// The greatest compiled program.
pub const MAX_PROGRAM: u64 = 256 << 20;

/// The bytes of a compiled program; `None` for a text, and for standard input.
pub fn program(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    // What cannot be read is said where it is read as a text.
    let head = || -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        std::fs::File::open(path)?.take(8).read_to_end(&mut head)?;
        Ok(head)
    };
    let regular = path.is_file();
    match regular.then(head) {
        Some(Ok(head)) if program_file::is_program(&head) => bytes(path, MAX_PROGRAM).map(Some),
        _ => Ok(None),
    }
}
