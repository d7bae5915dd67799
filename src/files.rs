//! Files: read through one small trait, written whole or not at all.

use crate::base::faults::{self, Call};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Cursor, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Where the files that programs name are read from: the disk ([`Disk`]), a host's own memory ([`InMemory`]),
/// an archive. A host without a file system can run programs that name files.
pub trait Files: fmt::Debug + Send + Sync {
    /// Opens a file for reading, from its first byte on.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] and whatever else keeps it from being read.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Readable>>;

    /// Whether nothing is opened, because what is asked is not a run: what depends on a file is not looked at.
    #[doc(hidden)]
    fn is_closed(&self) -> bool {
        false
    }
}

/// An open file: its bytes, from any place on.
pub trait Readable: Read + Seek + Send {}

impl<T: Read + Seek + Send> Readable for T {}

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Readable>> {
        faults::hit(Call::Read)?;
        Ok(Box::new(File::open(path)?))
    }
}

/// Files that a host holds in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct InMemory(BTreeMap<PathBuf, Arc<[u8]>>);

impl InMemory {
    /// Adds a file, in place of one of the same path.
    pub fn insert(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) {
        self.0.insert(path.into(), bytes.into());
    }
}

impl Files for InMemory {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Readable>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

/// A file that is being written. Its bytes gather beside its place under another name, and
/// [`NewFile::keep`] gives it its own; dropped before that it leaves nothing behind, and what was there
/// stays. A link keeps pointing to what is written; a pipe or a device is written to unchanged.
#[derive(Debug)]
pub struct NewFile {
    /// After all links.
    target: PathBuf,
    bytes: Bytes,
}

/// The temporary files of the process, which go with it where a signal ends it: no destructor runs then. Who holds the
/// lock makes them or gives them their names, and is not ended meanwhile.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process by `end` after its temporary files are gone. None is made from here on.
pub fn end_without_unfinished<T>(end: impl FnOnce() -> T) -> T {
    let files = unfinished();
    for file in files.iter() {
        // It may have its name by now.
        let _ = std::fs::remove_file(file);
    }
    end()
}

/// A temporary file that is known to [`end_without_unfinished`].
#[derive(Debug)]
struct Temporary {
    /// `None` after it was given its name.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Temporary {
    fn new_in(folder: &Path) -> io::Result<Temporary> {
        faults::hit(Call::Write)?;
        let mut files = unfinished();
        let file = NamedTempFile::new_in(folder)?;
        let path = file.path().to_path_buf();
        files.insert(path.clone());
        Ok(Temporary {
            file: Some(file),
            path,
        })
    }

    fn get(&self) -> io::Result<&NamedTempFile> {
        self.file.as_ref().ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Gives the file its name, which takes the place of what has it.
    fn persist(&mut self, target: &Path) -> io::Result<()> {
        faults::hit(Call::Rename)?;
        match self.file.take() {
            Some(file) => file.persist(target).map(drop).map_err(|e| e.error),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(self.file.take());
        unfinished().remove(&self.path);
    }
}

#[derive(Debug)]
enum Bytes {
    /// They take the place of the file.
    Beside(Temporary),
    /// They go to what is there.
    Through(File),
}

impl NewFile {
    /// A file that will be at `path`. To open a pipe waits for its reader.
    ///
    /// # Errors
    /// Those of [`check`]; a place where no file can be made.
    pub fn create(path: &Path) -> io::Result<NewFile> {
        let (target, stands) = place(path)?;
        if stands {
            let bytes = Bytes::Through(OpenOptions::new().append(true).open(&target)?);
            return Ok(NewFile { target, bytes });
        }
        NewFile::beside(target)
    }

    fn beside(target: PathBuf) -> io::Result<NewFile> {
        let folder = folder(&target);
        // The name of the temporary file is of no use to the reader.
        let made = Temporary::new_in(folder).map_err(|e| match e.kind() {
            ErrorKind::NotFound => {
                let why = format!("no file can be made in {}", folder.display());
                io::Error::new(ErrorKind::NotFound, why)
            }
            kind => kind.into(),
        });
        let bytes = Bytes::Beside(made?);
        Ok(NewFile { target, bytes })
    }

    /// Makes sure that every byte is on the disk and that the file may be read like any other.
    fn settle(&self) -> io::Result<()> {
        match &self.bytes {
            Bytes::Beside(file) => {
                faults::hit(Call::Write)?;
                let file = file.get()?;
                file.as_file().sync_data()?;
                permit(file, &self.target)
            }
            Bytes::Through(_) => Ok(()),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// It cannot be written to its end.
    pub fn keep(self) -> io::Result<()> {
        self.settle()?;
        match self.bytes {
            Bytes::Beside(mut file) => {
                let _kept = unfinished();
                file.persist(&self.target)
            }
            Bytes::Through(mut there) => there.flush(),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        faults::hit(Call::Write)?;
        match &mut self.bytes {
            Bytes::Beside(file) => file.get()?.as_file().write(bytes),
            Bytes::Through(there) => there.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Beside(file) => file.get()?.as_file().flush(),
            Bytes::Through(there) => there.flush(),
        }
    }
}

/// Whether a file can be written at a path, before any work is done.
///
/// # Errors
/// The folder is missing; a folder has that name, or a file that may not be written; links that lead in a circle.
pub fn check(path: &Path) -> io::Result<()> {
    place(path).map(drop)
}

/// Where a file named by a path lies, and whether something is there that is written to unchanged.
fn place(path: &Path) -> io::Result<(PathBuf, bool)> {
    let target = behind_links(path)?;
    let there = std::fs::metadata(&target).ok();
    if there.as_ref().is_some_and(|t| t.is_dir()) {
        return Err(ErrorKind::IsADirectory.into());
    }
    if there.as_ref().is_some_and(|t| t.permissions().readonly()) {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it is read-only",
        ));
    }
    let stands = is_open(path) || there.is_some_and(|t| !t.is_file());
    let folder = folder(&target);
    if !stands && !folder.is_dir() {
        let why = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(ErrorKind::NotFound, why));
    }
    Ok((target, stands))
}

/// Files that wait to be written: nothing appears before [`Writes::commit`], and a file that is
/// already there stays as it is until its successor is complete, so that a full disk or a missing folder
/// leaves nothing half-written.
#[derive(Debug, Default)]
pub struct Writes {
    pending: Vec<Pending>,
    /// Files that stay as they are.
    spared: Vec<PathBuf>,
}

#[derive(Debug)]
struct Pending {
    /// As it was named.
    path: PathBuf,
    /// After all links.
    target: PathBuf,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Takes the place of the file.
    Successor(NewFile),
    /// Is written to what is there.
    Bytes(Vec<u8>),
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
    /// Refuses to write over `path` from now on.
    pub fn spare(&mut self, path: &Path) {
        self.spared.extend(path.canonicalize().ok());
    }

    /// Writes `bytes` beside `path`; they take its place on [`Writes::commit`].
    ///
    /// # Errors
    /// [`WriteError`]: the folder is missing or full; `path` is a folder, may not be written, is spared, or was
    /// added before.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
        let fail = |error| WriteError {
            path: path.to_path_buf(),
            error,
        };
        let refuse = |why| Err(fail(io::Error::new(ErrorKind::InvalidInput, why)));
        let (target, stands) = place(path).map_err(fail)?;
        if self.spared.contains(&target) {
            return refuse("it is the text that asks for it");
        }
        // What exists already takes one thing after the other.
        if !stands && self.pending.iter().any(|p| p.target == target) {
            return refuse("two things would be written to it");
        }
        let content = match stands {
            true => Content::Bytes(bytes.to_vec()),
            false => {
                let mut file = NewFile::beside(target.clone()).map_err(fail)?;
                file.write_all(bytes).map_err(fail)?;
                file.settle().map_err(fail)?;
                Content::Successor(file)
            }
        };
        self.pending.push(Pending {
            path: path.to_path_buf(),
            target,
            content,
        });
        Ok(())
    }

    /// Puts every file in its place, all of them or none; the files, as they were named. What goes to pipes and devices
    /// goes there last.
    ///
    /// Every byte is on the disk before the first file gets its name. Names are given one after the other, so that
    /// another process may see some of them before the rest; no signal that visim catches comes between them. Where
    /// one cannot be given, what the files before it replaced has its name again.
    ///
    /// # Errors
    /// [`WriteError`] of the first that fails.
    pub fn commit(self) -> Result<Vec<PathBuf>, WriteError> {
        let mut done: Vec<Replaced> = Vec::new();
        let mut streams = Vec::new();
        let mut written = Vec::new();
        let mut files = Vec::new();
        for Pending {
            path,
            target,
            content,
        } in self.pending
        {
            written.push(path.clone());
            match content {
                Content::Successor(own) => files.push((path, target, own)),
                Content::Bytes(bytes) => streams.push((path, target, bytes)),
            }
        }
        let fail = |path: &Path, error, done: Vec<Replaced>| {
            done.into_iter().rev().for_each(Replaced::undo);
            let path = path.to_path_buf();
            Err(WriteError { path, error })
        };
        let together = files.len() > 1 || !streams.is_empty();
        let kept = unfinished();
        for (path, target, own) in &mut files {
            let before = together.then(|| Replaced::of(target));
            let named = match &mut own.bytes {
                Bytes::Beside(file) => file.persist(target),
                Bytes::Through(_) => Ok(()),
            };
            done.extend(before);
            if let Err(error) = named {
                return fail(path, error, done);
            }
        }
        if streams.is_empty() {
            done.clear();
        }
        drop(kept);
        for (path, target, bytes) in streams {
            if let Err(error) = pour(&bytes, &target) {
                return fail(&path, error, done);
            }
        }
        Ok(written)
    }
}

/// Writes one file, whole or not at all.
///
/// # Errors
/// Those of [`Writes::add`] and [`Writes::commit`].
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut writes = Writes::default();
    writes.add(path, bytes).map_err(|failed| failed.error)?;
    writes.commit().map(drop).map_err(|failed| failed.error)
}

/// What had a name before a new file got it.
struct Replaced {
    target: PathBuf,
    /// The same file by another name; `None` where there was none.
    before: Option<PathBuf>,
    /// Its folder has no other name for it: what was there is lost.
    lost: bool,
}

impl Replaced {
    fn of(target: &Path) -> Replaced {
        let (mut before, mut lost) = (None, false);
        if target.exists() {
            let name = tempfile::Builder::new()
                .make_in(folder(target), |path| std::fs::hard_link(target, path));
            match name.and_then(|name| Ok(name.into_temp_path().keep()?)) {
                Ok(path) => before = Some(path),
                Err(_) => lost = true,
            }
        }
        Replaced {
            target: target.to_path_buf(),
            before,
            lost,
        }
    }

    /// Gives what was there its name again.
    fn undo(self) {
        let _ = match &self.before {
            // Two names of one file stay as they are: the other one goes when this is dropped.
            Some(before) => std::fs::rename(before, &self.target),
            None if self.lost => Ok(()),
            None => std::fs::remove_file(&self.target),
        };
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = std::fs::remove_file(before);
        }
    }
}

/// The folder that a file lies in.
pub fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a path names what this process has open already, a file as well: its successor would be another.
pub fn is_open(path: &Path) -> bool {
    let streams = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    streams.iter().any(|stream| path == Path::new(stream)) || path.starts_with("/dev/fd")
}

/// Whether a path names a pipe, which may never have a writer, or a device, which may never end; what the process has
/// open already is neither.
pub fn is_endless(path: &Path) -> bool {
    let stands = std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    stands && !is_open(path)
}

/// Writes after what is there.
fn pour(bytes: &[u8], path: &Path) -> io::Result<()> {
    let mut there = OpenOptions::new().append(true).open(path)?;
    there.write_all(bytes)?;
    there.flush()
}

/// The place that a path names when every link on it is followed; the last part need not be there yet.
///
/// # Errors
/// Links that lead in a circle.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Ok(target) = path.canonicalize() {
            return Ok(target);
        }
        let Ok(next) = std::fs::read_link(&path) else {
            // What names no file yet, or a pipe without a name, which only its link opens.
            let own = folder(&path).canonicalize();
            return Ok(match (own, path.file_name()) {
                (Ok(folder), Some(name)) => folder.join(name),
                _ => path,
            });
        };
        if std::fs::metadata(&path).is_ok() {
            return Ok(path);
        }
        path = folder(&path).join(next);
    }
    Err(io::Error::other("its links lead in a circle"))
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

    #[test]
    fn nothing_is_written_twice_or_over_what_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["self.visa", "fixed.bin"] {
            std::fs::write(path(name), b"old").expect("written");
        }
        let mut fixed = std::fs::metadata(path("fixed.bin"))
            .expect("there")
            .permissions();
        fixed.set_readonly(true);
        std::fs::set_permissions(path("fixed.bin"), fixed).expect("set");
        let mut writes = Writes::default();
        writes.spare(&path("self.visa"));
        writes.add(&path("a.bin"), b"new").expect("room");
        let refused = |writes: &mut Writes, name: &str| {
            let added = writes.add(&path(name), b"x");
            added.expect_err(name).to_string()
        };
        assert!(refused(&mut writes, "a.bin").contains("two things"));
        assert!(refused(&mut writes, "self.visa").contains("the text that asks"));
        assert!(refused(&mut writes, "fixed.bin").contains("read-only"));
        assert!(refused(&mut writes, ".").contains("directory"));
        assert_eq!(writes.commit().expect("renamed"), [path("a.bin")]);
        assert_eq!(std::fs::read(path("self.visa")).expect("there"), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_pipes_are_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("deep")).expect("a folder");
        std::fs::write(path("deep/old.bin"), b"old").expect("written");
        for (to, link) in [
            ("deep/old.bin", "link"),
            ("deep/none.bin", "ahead"),
            ("circle", "circle"),
        ] {
            std::os::unix::fs::symlink(to, path(link)).expect("a link");
        }
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(made.expect("mkfifo").success());
        let pipe = path("pipe");
        let reader = std::thread::spawn(move || std::fs::read(pipe).expect("read"));
        let mut writes = Writes::default();
        for name in ["link", "ahead", "pipe"] {
            writes.add(&path(name), name.as_bytes()).expect(name);
        }
        assert!(writes.add(&path("circle"), b"x").is_err());
        let twice = writes.add(&path("deep/old.bin"), b"x");
        assert!(twice.expect_err("the link's").to_string().contains("two"));
        writes.commit().expect("written");
        assert_eq!(reader.join().expect("a reader"), b"pipe");
        assert_eq!(std::fs::read(path("deep/old.bin")).expect("there"), b"link");
        assert_eq!(
            std::fs::read(path("deep/none.bin")).expect("there"),
            b"ahead"
        );
        let kind = |name: &str| {
            std::fs::symlink_metadata(path(name))
                .expect("there")
                .file_type()
        };
        assert!(kind("link").is_symlink() && kind("ahead").is_symlink());
        assert!(!kind("pipe").is_file());
    }
}
