//! Files written whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Files that wait to be written: nothing appears before [`Writes::commit`], and a file that is
/// already there stays as it is until its successor is complete.
///
/// Each file is written beside its place under another name and renamed at the end, so that a full
/// disk or a missing folder leaves nothing half-written.
#[derive(Debug, Default)]
pub struct Writes {
    pending: Vec<(NamedTempFile, PathBuf)>,
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be written: {error}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

impl Writes {
    /// Writes `bytes` beside `path`; it takes its place on [`Writes::commit`].
    ///
    /// # Errors
    /// [`WriteError`]: the folder is missing or full, or `path` is a folder.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
        let fail = |error| WriteError {
            path: path.to_path_buf(),
            error,
        };
        if path.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let why = format!("there is no folder {}", folder.display());
            return Err(fail(io::Error::new(io::ErrorKind::NotFound, why)));
        }
        let mut file = NamedTempFile::new_in(folder).map_err(fail)?;
        file.write_all(bytes).map_err(fail)?;
        file.as_file().sync_data().map_err(fail)?;
        permit(&file, path).map_err(fail)?;
        self.pending.push((file, path.to_path_buf()));
        Ok(())
    }

    /// Puts every file in its place.
    ///
    /// # Errors
    /// [`WriteError`] of the first rename that fails; those before it have been made.
    pub fn commit(self) -> Result<Vec<PathBuf>, WriteError> {
        let mut written = Vec::new();
        for (file, path) in self.pending {
            file.persist(&path).map_err(|e| WriteError {
                path: path.clone(),
                error: e.error,
            })?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Gives the new file the permissions of the old one, or those of any new file: temporary files are
/// for their owner's eyes only.
#[cfg(unix)]
fn permit(file: &NamedTempFile, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match std::fs::metadata(path) {
        Ok(old) => old.permissions().mode() & 0o777,
        // The usual creation mask; reading the real one would change it for a moment.
        Err(_) => 0o644,
    };
    let permissions = std::fs::Permissions::from_mode(mode);
    file.as_file().set_permissions(permissions)
}

#[cfg(not(unix))]
fn permit(_: &NamedTempFile, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_there_before_the_end_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.bin");
        std::fs::write(&path, b"old").expect("written");
        let mut writes = Writes::default();
        writes.add(&path, b"new").expect("room");
        assert_eq!(std::fs::read(&path).expect("there"), b"old");
        let nowhere = folder.path().join("missing/out.bin");
        assert!(writes.add(&nowhere, b"x").is_err());
        drop(writes);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1
        );
        let mut writes = Writes::default();
        writes.add(&path, b"new").expect("room");
        writes.commit().expect("renamed");
        assert_eq!(std::fs::read(&path).expect("there"), b"new");
    }
}
