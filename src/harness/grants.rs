//! Which files a program, a launch or a description may name.
//!
//! ```text
//!  /home/me/tree/.git            a root: files below it are read
//!  /home/me/tree/tests/k.visa    SURFACE T6: ../images/in.png     read, below the root
//!                                SAVE T6 = out.png                written, below the program's own folder
//!                                SAVE T6 = ../out.png             refused: --root DIR, --allow-outside
//! ```
//!
//! The root is the nearest folder above the file that is one of a version control system or holds a `visim.toml`, else
//! its own folder. Links are followed before anything is decided, and only files are opened. Paths of the command line
//! are the user's own.
//!
//! What the user grants belongs to the host thread, as the [`Ledger`](crate::surface::Ledger) does: the places that
//! open what a file names are many.

use crate::files::{Disk, Files, Readable, folder as folder_of};
use std::cell::RefCell;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the user grants beyond the rule.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Grants {
    /// Let programs and descriptions name files below this folder, to read and to write: --root ../shared.
    ///
    /// Without it they read below the nearest folder above them that is one of a version control system or holds a
    /// visim.toml, and write below their own. May be given several times.
    #[cfg_attr(
        feature = "cli",
        arg(long = "root", value_name = "DIR", help_heading = "Files")
    )]
    roots: Vec<PathBuf>,
    /// Let programs and descriptions name any file.
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Files"))]
    allow_outside: bool,
    /// Refuse what programs write: SAVE, and --bless.
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Files"))]
    no_write: bool,
    /// Open nothing at all.
    #[cfg_attr(feature = "cli", arg(skip))]
    closed: bool,
}

thread_local! {
    static CURRENT: RefCell<Grants> = RefCell::default();
}

impl Grants {
    /// What a command that runs nothing grants: no file that is named is opened.
    pub fn closed() -> Grants {
        Grants {
            closed: true,
            ..Grants::default()
        }
    }

    /// What `work` does with these grants.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        /// The grants of before, also where `work` panics.
        struct Before(Grants);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.with(|current| current.swap(&RefCell::new(std::mem::take(&mut self.0))));
            }
        }
        let _before = Before(CURRENT.with(|current| current.replace(self.clone())));
        work()
    }

    fn current() -> Grants {
        CURRENT.with(|current| current.borrow().clone())
    }
}

/// The files that a text in `folder` may name.
pub fn files(folder: &Path) -> Arc<dyn Files> {
    let grants = Grants::current();
    if grants.closed {
        return Arc::new(Closed);
    }
    if grants.allow_outside {
        return Arc::new(Disk);
    }
    Arc::new(Granted::of(folder, &grants))
}

/// Whether a path of the command line is a file, or a stream that the process has open. What cannot be found is said by
/// whoever opens it.
///
/// # Errors
/// It is a pipe, which may never have a writer, or a device, which may never end.
pub fn may_be_read(path: &Path) -> io::Result<()> {
    match crate::files::is_endless(path) && !Grants::current().allow_outside {
        true => Err(denied(
            "it is a pipe or a device: `-` is the standard input; where programs run, --allow-outside reads any",
        )),
        false => Ok(()),
    }
}

/// Whether a text in `folder` may name the file `path` to be read.
///
/// # Errors
/// [`ErrorKind::PermissionDenied`], with where it may and how that is changed; that there is no such file.
pub fn may_read(folder: &Path, path: &Path) -> io::Result<()> {
    let grants = Grants::current();
    match grants.allow_outside {
        true => Ok(()),
        false => Granted::of(folder, &grants).place(path).map(drop),
    }
}

/// Whether a text in `folder` may name the file `path` to be written.
///
/// # Errors
/// As [`may_read`]; what stands there is not a file.
pub fn may_write(folder: &Path, path: &Path) -> io::Result<()> {
    let grants = Grants::current();
    if grants.no_write {
        return Err(denied("--no-write"));
    }
    if grants.allow_outside {
        return Ok(());
    }
    let target = crate::files::behind_links(path)?;
    if fs::metadata(&target).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Err(denied("it is a device or a pipe: --allow-outside"));
    }
    let mut roots = vec![folder_of(&folder.join("here")).canonicalize()?];
    roots.extend(
        grants
            .roots
            .iter()
            .filter_map(|root| root.canonicalize().ok()),
    );
    let below = roots
        .iter()
        .filter_map(|root| target.strip_prefix(root).ok());
    match below.map(is_of_a_system).min() {
        Some(false) => Ok(()),
        Some(true) => Err(of_a_system()),
        None => Err(outside(&roots[0], "written")),
    }
}

/// Whether a path below a root leads into what a version control system keeps there: no file of a program, and what is
/// written there may be carried out.
fn is_of_a_system(below: &Path) -> bool {
    let systems = &ROOTS[1..];
    below
        .iter()
        .any(|name| systems.iter().any(|system| name == *system))
}

fn of_a_system() -> io::Error {
    denied("it is of a version control system: --allow-outside")
}

/// Whether something may be left for the user that nobody named: not where nothing is to be written.
pub fn may_leave() -> bool {
    !Grants::current().no_write
}

fn denied(why: &str) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, why)
}

fn outside(root: &Path, done: &str) -> io::Error {
    denied(&format!(
        "only what is below {} is {done}: --root DIR, or --allow-outside",
        root.display()
    ))
}

/// Files of the disk below some folders.
#[derive(Clone, Debug)]
struct Granted {
    /// After all links; none if the folder of the text cannot be found.
    roots: Vec<PathBuf>,
}

/// What a folder holds that is the root of a tree: a file of our own, or what a version control system keeps.
const ROOTS: &[&str] = &["visim.toml", ".git", ".hg", ".svn", ".jj"];

impl Granted {
    fn of(folder: &Path, grants: &Grants) -> Granted {
        let own = folder_of(&folder.join("here")).canonicalize().ok();
        let root = own.map(|own| {
            let is_root = |above: &&Path| ROOTS.iter().any(|name| above.join(name).exists());
            own.ancestors().find(is_root).unwrap_or(&own).to_path_buf()
        });
        let more = grants
            .roots
            .iter()
            .filter_map(|root| root.canonicalize().ok());
        Granted {
            roots: root.into_iter().chain(more).collect(),
        }
    }

    /// The place of a file that may be read.
    fn place(&self, path: &Path) -> io::Result<PathBuf> {
        let place = path.canonicalize()?;
        let roots = self.roots.iter();
        let below = roots.filter_map(|root| place.strip_prefix(root).ok());
        match below.map(is_of_a_system).min() {
            Some(false) => {}
            Some(true) => return Err(of_a_system()),
            None => {
                let nowhere = Path::new("its own folder");
                let root = self.roots.first().map_or(nowhere, PathBuf::as_path);
                return Err(outside(root, "read"));
            }
        }
        match fs::metadata(&place)?.is_file() {
            true => Ok(place),
            false => Err(denied("it is not a file")),
        }
    }
}

impl Files for Granted {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Readable>> {
        Disk.open(&self.place(path)?)
    }
}

/// Files that are named and not opened.
#[derive(Clone, Copy, Debug)]
struct Closed;

impl Files for Closed {
    fn open(&self, _: &Path) -> io::Result<Box<dyn Readable>> {
        Err(denied("a check opens no file that a program names"))
    }

    fn is_closed(&self) -> bool {
        true
    }
}
