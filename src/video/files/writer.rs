//! Writing frames one after the other.

use super::pictures::{Draft, Pattern};
use super::{Kind, STANDARD, check_sides, extension, header, raw_by_name};
use crate::files::{self, NewFile};
use crate::video::VideoError;
use crate::video::picture::{Depth, Picture, Sampling};
use crate::video::raw::Raw;
use std::cell::RefCell;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Writes frames one after the other.
pub struct Writer {
    kind: Kind,
    /// What frames are made before they are written.
    sampling: Sampling,
    frames: Frames,
}

/// Where frames go.
enum Frames {
    /// YUV4MPEG2; the encoder does not give its file back.
    Y4m {
        encoder: Box<y4m::Encoder<Shared>>,
        file: Shared,
    },
    /// Raw frames.
    Raw {
        file: BufWriter<NewFile>,
        raw: Raw,
        path: PathBuf,
    },
    /// Pictures with a number, the next one's.
    Numbered {
        pattern: Pattern,
        next: u64,
        _folder: Option<MadeFolder>,
    },
    /// One picture, written at the end.
    Single {
        path: PathBuf,
        picture: Option<Picture>,
    },
}

impl Writer {
    /// A new file for frames of `kind`: `.y4m`; `.png`, with a `%04d` for the number if there are several; a
    /// folder for pictures; raw frames of the kind that the name ends with (`.nv12`), else of kind `raw`. `-` is the
    /// standard output, which gets what a `.y4m` file holds. Planes become what the file holds.
    ///
    /// # Errors
    /// A kind that the file does not hold, or a place where nothing can be written.
    pub fn create(path: &Path, raw: Option<Raw>, kind: &Kind) -> Result<Writer, VideoError> {
        let text = path.display().to_string();
        let made = |sampling, frames| {
            Ok(Writer {
                kind: kind.clone(),
                sampling,
                frames,
            })
        };
        if path.is_dir() || text.ends_with(std::path::is_separator) {
            let frames = Frames::Numbered {
                _folder: MadeFolder::at(path)?,
                pattern: Pattern::inside(path),
                next: 0,
            };
            return made(Sampling::Rgba, frames);
        }
        let ending = match path.as_os_str() == STANDARD {
            true => "y4m".to_string(),
            false => extension(path),
        };
        match ending.as_str() {
            "png" => {
                let frames = match Pattern::of(path)? {
                    Some(pattern) => {
                        // Said before any work is done.
                        files::check(path).map_err(|e| VideoError::file(path, e))?;
                        Frames::Numbered {
                            pattern,
                            next: 0,
                            _folder: None,
                        }
                    }
                    None if kind.frames.is_some_and(|frames| frames > 1) => {
                        return Err(several(path));
                    }
                    None => Frames::Single {
                        path: path.to_path_buf(),
                        picture: None,
                    },
                };
                made(Sampling::Rgba, frames)
            }
            "y4m" => {
                let sampling = match kind.sampling {
                    Sampling::Rgba => Sampling::S444,
                    planes => planes,
                };
                made(sampling, y4m(path, kind)?)
            }
            _ => {
                let raw = raw_by_name(path).or(raw).ok_or_else(|| {
                    VideoError::wrong(format!(
                        "{text}: neither .y4m, .png nor a folder; raw frames are .i420, .nv12, .yuy2, .grey"
                    ))
                })?;
                check_sides(raw.sampling(), kind.size)?;
                let frames = Frames::Raw {
                    file: create(path)?,
                    raw,
                    path: path.to_path_buf(),
                };
                made(raw.sampling(), frames)
            }
        }
    }

    /// Whether a picture that is to be read would be written over.
    pub fn replaces(&self, file: &Path) -> bool {
        match &self.frames {
            Frames::Numbered { pattern, .. } => {
                same(pattern.folder(), files::folder(file)) && pattern.number(file).is_some()
            }
            _ => false,
        }
    }

    /// The folder that numbered pictures go to.
    pub fn folder(&self) -> Option<&Path> {
        match &self.frames {
            Frames::Numbered { pattern, .. } => Some(pattern.folder()),
            _ => None,
        }
    }

    /// Whether alpha is lost on the way.
    pub fn drops_alpha(&self) -> bool {
        self.kind.sampling == Sampling::Rgba && self.sampling != Sampling::Rgba
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// It cannot be written; [`VideoError::Stopped`] where the pipe has no reader any more.
    pub fn push(&mut self, picture: &Picture) -> Result<(), VideoError> {
        let made;
        let deep = picture.depth != Depth::Eight && matches!(self.frames, Frames::Y4m { .. });
        let picture =
            match picture.sampling == self.sampling && (deep || picture.depth == Depth::Eight) {
                true => picture,
                false => {
                    let bytes = picture.clone().in_bytes();
                    made = bytes.resampled(self.sampling, self.kind.range());
                    &made
                }
            };
        match &mut self.frames {
            Frames::Y4m { encoder, file } => {
                let plane = |i: usize| picture.planes.get(i).map_or(&[][..], |p| p);
                let frame = y4m::Frame::new([plane(0), plane(1), plane(2)], None);
                let written = encoder.write_frame(&frame);
                let place = &mut file.0.borrow_mut().place;
                written.map_err(|e| match e {
                    y4m::Error::IoError(e) => place.refusal(e),
                    other => VideoError::wrong(format!("{}: {other}", place.path().display())),
                })?;
                place.pass_on()
            }
            Frames::Raw { file, raw, path } => {
                let written = file.write_all(&raw.join(picture));
                written.map_err(|e| VideoError::file(path, e))
            }
            Frames::Numbered { pattern, next, .. } => {
                let path = pattern.name(*next);
                *next += 1;
                let size = (picture.width, picture.height);
                Draft::png(&path, &picture.planes[0], size)?.keep()
            }
            Frames::Single {
                path,
                picture: kept,
            } => match kept {
                Some(_) => Err(several(path)),
                None => {
                    *kept = Some(picture.clone());
                    Ok(())
                }
            },
        }
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It cannot be written to its end.
    pub fn finish(self) -> Result<(), VideoError> {
        match self.frames {
            Frames::Y4m { encoder, file } => {
                drop(encoder);
                match Rc::try_unwrap(file.0) {
                    Ok(held) => match held.into_inner().place {
                        Destination::Named(file, path) => keep(file, &path),
                        // Every frame has been passed on.
                        Destination::Standard(_) => Ok(()),
                    },
                    // The encoder was the only other one who had it.
                    Err(_) => Err(VideoError::wrong("the file is still being written")),
                }
            }
            Frames::Raw { file, path, .. } => keep(file, &path),
            Frames::Single {
                path,
                picture: Some(picture),
            } => {
                let size = (picture.width, picture.height);
                Draft::png(&path, &picture.planes[0], size)?.keep()
            }
            Frames::Numbered { .. } | Frames::Single { .. } => Ok(()),
        }
    }
}

/// Whether two names are those of one file or folder.
pub fn same(a: &Path, b: &Path) -> bool {
    let full = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    full(a) == full(b)
}

fn several(path: &Path) -> VideoError {
    let (text, stem) = (path.display(), path.with_extension(""));
    let stem = stem.display();
    VideoError::wrong(format!(
        "{text}: one picture holds one frame; {stem}-%04d.png numbers them, {stem}/ is a folder of them"
    ))
}

fn y4m(path: &Path, kind: &Kind) -> Result<Frames, VideoError> {
    let wrong = |e: y4m::Error| VideoError::wrong(format!("{}: {e}", path.display()));
    let place = match path.as_os_str() == STANDARD {
        true => Destination::Standard(BufWriter::new(std::io::stdout())),
        false => Destination::Named(create(path)?, path.to_path_buf()),
    };
    let file = Shared(Rc::new(RefCell::new(Held {
        header: Some(Vec::new()),
        place,
    })));
    let encoder = header::builder(kind).and_then(|b| b.write_header(file.clone()));
    let encoder = Box::new(encoder.map_err(wrong)?);
    let mut held = file.0.borrow_mut();
    let line = held.header.take().unwrap_or_default();
    let written = held.place.write_all(&header::completed(&line, kind));
    written.map_err(|e| held.place.refusal(e))?;
    drop(held);
    Ok(Frames::Y4m { encoder, file })
}

/// Where a stream goes.
enum Destination {
    /// A file that gets its name when it is complete.
    Named(BufWriter<NewFile>, PathBuf),
    Standard(BufWriter<Stdout>),
}

impl Destination {
    fn path(&self) -> &Path {
        match self {
            Destination::Named(_, path) => path,
            Destination::Standard(_) => Path::new(STANDARD),
        }
    }

    /// What it means that nothing can be written: the reader of a pipe has seen enough, else an error.
    fn refusal(&self, error: io::Error) -> VideoError {
        match error.kind() {
            ErrorKind::BrokenPipe => VideoError::Stopped,
            _ => VideoError::file(self.path(), error),
        }
    }

    /// Gives a frame to who reads the standard output.
    fn pass_on(&mut self) -> Result<(), VideoError> {
        match self {
            Destination::Named(..) => Ok(()),
            Destination::Standard(out) => out.flush().map_err(|e| self.refusal(e)),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::Named(file, _) => file.write(bytes),
            Destination::Standard(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Destination::Named(file, _) => file.flush(),
            Destination::Standard(out) => out.flush(),
        }
    }
}

/// A file that two hold: the encoder, and who puts it in its place.
#[derive(Clone)]
struct Shared(Rc<RefCell<Held>>);

struct Held {
    /// What the encoder writes is kept here as long as this is there.
    header: Option<Vec<u8>>,
    place: Destination,
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Held { header, place } = &mut *self.0.borrow_mut();
        match header {
            Some(header) => header.write(bytes),
            None => place.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().place.flush()
    }
}

/// A folder that this run has made; it goes again if nothing comes into it.
struct MadeFolder(PathBuf);

impl MadeFolder {
    /// Makes a folder, unless it is there.
    fn at(path: &Path) -> Result<Option<MadeFolder>, VideoError> {
        if path.is_dir() {
            return Ok(None);
        }
        std::fs::create_dir_all(path).map_err(|e| VideoError::file(path, e))?;
        Ok(Some(MadeFolder(path.to_path_buf())))
    }
}

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // Only an empty folder can be removed.
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// A file that gets its name by [`keep`], when it is complete.
pub fn create(path: &Path) -> Result<BufWriter<NewFile>, VideoError> {
    let file = NewFile::create(path).map_err(|e| VideoError::file(path, e))?;
    Ok(BufWriter::new(file))
}

/// Gives a file its name.
pub fn keep(file: BufWriter<NewFile>, path: &Path) -> Result<(), VideoError> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error);
    let kept = file.and_then(NewFile::keep);
    kept.map_err(|e| VideoError::file(path, e))
}
